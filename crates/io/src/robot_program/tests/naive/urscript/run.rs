//! Runs a program as the script manual of Universal Robots has it.
//!
//! | rule | manual |
//! |---|---|
//! | variables of the first level belong to all, whatever stands before them; others are looked for among those, and are else a function's own | Scoping rules |
//! | lists, poses and numbers are copied when they are set or handed over | Numbers, variables and types; Function |
//! | `pose_trans` is the product of both; `pose_add` adds places and multiplies turns | the functions |
//! | `t` comes before speed and acceleration; what is left out is `v=0.25`, `t=0`, `r=0` | `movel`, `movep`, `movec` |
//!
//! Where it is silent, the world decides: what is left of whole numbers that are divided, whether the right side of `and` is asked for where the
//! left one tells, and from where on a variable is a function's own.

use super::super::{Corner, Dice, Ends, Frame, Goes, Made};
use super::{Belongs, Expr, Kind, Motion, Op, Program, Stmt};
use std::collections::HashMap;

/// Statements after which a program is too long.
const MOST_STEPS: usize = 3_000;
/// Numbers beyond which a program is no test.
const LARGEST: f64 = 1e4;

#[derive(Clone, Copy, Debug)]
enum Value {
    Unset,
    Int(i64),
    Float(f64),
    Bool(bool),
    Six(Kind, [f64; 6]),
}

type Scope = HashMap<&'static str, Value>;

enum Flow {
    On,
    Break,
    Continue,
    Return(Option<Value>),
    Halt,
}

struct Robot<'a> {
    program: &'a Program,
    world: Dice,
    steps: usize,
    /// Whether whole numbers that are divided stay whole.
    stays_whole: bool,
    /// Whether what a function makes its own is so from its beginning, or from there on.
    from_beginning: bool,
    globals: Scope,
    made: Vec<Made>,
    tool: Option<Frame>,
    /// The program was ended.
    halted: bool,
}

impl Frame {
    /// Metres, and an axis as long as the angle, in radians.
    pub(in super::super) fn vector(six: [f64; 6]) -> Self {
        let [x, y, z, rx, ry, rz] = six;
        let angle = (rx * rx + ry * ry + rz * rz).sqrt();
        let s = if angle > 0.0 { (angle / 2.0).sin() / angle } else { 0.0 };
        Self::quaternion([x * 1e3, y * 1e3, z * 1e3], [(angle / 2.0).cos(), rx * s, ry * s, rz * s])
    }

    fn to_vector(self) -> [f64; 6] {
        let t = self.turn;
        let trace = t[0][0] + t[1][1] + t[2][2];
        // Four ways to the quaternion; the largest part is divided by.
        let squares = [trace, t[0][0] * 2.0 - trace, t[1][1] * 2.0 - trace, t[2][2] * 2.0 - trace];
        let largest = (0..4).max_by(|a, b| squares[*a].total_cmp(&squares[*b])).expect("there are four");
        let (u, v, w) = (t[2][1] - t[1][2], t[0][2] - t[2][0], t[1][0] - t[0][1]);
        let (a, b, c) = (t[1][0] + t[0][1], t[0][2] + t[2][0], t[2][1] + t[1][2]);
        let d = 1.0 + squares[largest];
        let q = match largest {
            0 => [d, u, v, w],
            1 => [u, d, a, b],
            2 => [v, a, d, c],
            _ => [w, b, c, d],
        };
        let q = if q[0] < 0.0 { q.map(|part| -part) } else { q };
        let sin = (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
        let by = if sin > 0.0 { 2.0 * sin.atan2(q[0]) / sin } else { 0.0 };
        let [x, y, z] = self.at.map(|mm| mm / 1e3);
        [x, y, z, q[1] * by, q[2] * by, q[3] * by]
    }

    fn inverse(&self) -> Self {
        let t = self.turn;
        let turn = [0, 1, 2].map(|i| [t[0][i], t[1][i], t[2][i]]);
        let at = Self { turn, at: [0.0; 3] }.then(&Self::to(self.at)).at.map(|x| -x);
        Self { turn, at }
    }
}

/// What a value is; none for what was never set, too.
impl Value {
    fn number(self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(number as f64),
            Self::Float(number) => Some(number),
            _ => None,
        }
    }

    fn truth(self) -> Option<bool> {
        if let Self::Bool(truth) = self { Some(truth) } else { None }
    }

    fn six(self) -> Option<[f64; 6]> {
        if let Self::Six(_, six) = self { Some(six) } else { None }
    }
}

impl Program {
    /// What the robot does; none where the program is no test.
    pub(super) fn run(&self, mut world: Dice) -> Option<Vec<Made>> {
        let (stays_whole, from_beginning) = (world.percent(50), world.percent(50));
        let mut robot = Robot {
            program: self,
            world,
            steps: 0,
            stays_whole,
            from_beginning,
            globals: HashMap::new(),
            made: Vec::new(),
            tool: None,
            halted: false,
        };
        // Variables of the first level belong to all.
        let mut first: Vec<&'static str> = Vec::new();
        for stmt in self.first.iter().chain(&self.body) {
            if let Stmt::Set(_, name, ..) = stmt {
                first.push(name);
            }
        }
        for name in first {
            robot.globals.insert(name, Value::Unset);
        }
        let mut scope = HashMap::new();
        for block in [&self.first, &self.body] {
            for stmt in block {
                // On the first level, `local` means nothing.
                let plain = match stmt {
                    Stmt::Set(_, name, index, value) => {
                        Stmt::Set(Belongs::Global, name, index.clone(), value.clone())
                    }
                    other => other.clone(),
                };
                match robot.statement(&plain, &mut scope)? {
                    Flow::On => {}
                    _ => return Some(robot.made),
                }
            }
        }
        Some(robot.made)
    }
}

/// Variables that a block says are its function's own hold nothing at first.
fn own_names(block: &[Stmt], own: &mut Scope) {
    for stmt in block {
        match stmt {
            Stmt::Set(Belongs::Local, name, ..) => drop(own.entry(name).or_insert(Value::Unset)),
            Stmt::If(ways, otherwise) => {
                ways.iter().for_each(|(_, body)| own_names(body, own));
                own_names(otherwise, own);
            }
            Stmt::While(_, body) => own_names(body, own),
            _ => {}
        }
    }
}

impl Robot<'_> {
    fn call(&mut self, k: usize, given: &[Expr], scope: &mut Scope) -> Option<Option<Value>> {
        let program = self.program;
        let function = program.functions.get(k)?;
        let mut own = HashMap::new();
        for ((name, _), value) in function.params.iter().zip(given) {
            let value = self.value(value, scope)?;
            own.insert(*name, value);
        }
        if self.from_beginning {
            own_names(&function.body, &mut own);
        }
        match self.block(&function.body, &mut own)? {
            Flow::Return(value) => Some(value),
            Flow::Halt => {
                self.halted = true;
                Some(None)
            }
            _ => Some(None),
        }
    }

    fn block(&mut self, block: &[Stmt], scope: &mut Scope) -> Option<Flow> {
        for stmt in block {
            match self.statement(stmt, scope)? {
                Flow::On => {}
                other => return Some(other),
            }
        }
        Some(Flow::On)
    }

    fn statement(&mut self, stmt: &Stmt, scope: &mut Scope) -> Option<Flow> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        match stmt {
            Stmt::Set(belongs, name, index, value) => {
                let value = match value {
                    Expr::Call(k, given) => {
                        let value = self.call(*k, given, scope)?;
                        if self.halted {
                            return Some(Flow::Halt);
                        }
                        value?
                    }
                    value => self.value(value, scope)?,
                };
                let is_own = *belongs == Belongs::Local
                    || *belongs == Belongs::Unsaid
                        && (scope.contains_key(name) || !self.globals.contains_key(name));
                let index = match index {
                    None => None,
                    Some(index) => Some(self.value(index, scope)?.number()? as usize),
                };
                let place = if is_own { scope } else { &mut self.globals };
                match index {
                    None => {
                        place.insert(name, value);
                    }
                    Some(index) => {
                        let Some(Value::Six(_, six)) = place.get_mut(name) else { return None };
                        six[index] = value.number()?;
                    }
                }
            }
            Stmt::If(ways, otherwise) => {
                for (condition, body) in ways {
                    if self.value(condition, scope)?.truth()? {
                        return self.block(body, scope);
                    }
                }
                return self.block(otherwise, scope);
            }
            Stmt::While(condition, body) => {
                while self.value(condition, scope)?.truth()? {
                    match self.block(body, scope)? {
                        Flow::On | Flow::Continue => {}
                        Flow::Break => break,
                        other => return Some(other),
                    }
                }
            }
            Stmt::Break => return Some(Flow::Break),
            Stmt::Continue => return Some(Flow::Continue),
            Stmt::Call(k, given) => {
                self.call(*k, given, scope)?;
                if self.halted {
                    return Some(Flow::Halt);
                }
            }
            Stmt::Return(None) => return Some(Flow::Return(None)),
            Stmt::Return(Some(value)) => {
                let value = self.value(value, scope)?;
                return Some(Flow::Return(Some(value)));
            }
            Stmt::Halt => return Some(Flow::Halt),
            Stmt::Tool(pose) => self.tool = Some(Frame::vector(self.value(pose, scope)?.six()?)),
            Stmt::Move(motion) => self.motion(motion, scope)?,
        }
        Some(Flow::On)
    }

    fn motion(&mut self, motion: &Motion, scope: &mut Scope) -> Option<()> {
        let goes = match &motion.via {
            Some(via) => Goes::Circular(Frame::vector(self.value(via, scope)?.six()?).at),
            None if motion.name == "movej" => Goes::Joint,
            None => Goes::Linear,
        };
        let ends = match self.value(&motion.to, scope)? {
            Value::Six(Kind::List, six) => Ends::Axes(six.iter().map(|angle| angle.to_degrees()).collect()),
            other => Ends::Pose(Frame::vector(other.six()?)),
        };
        let (mut speed, mut time, mut radius) = (0.25, 0.0, 0.0);
        for (name, value) in &motion.settings {
            let value = self.value(value, scope)?.number()?;
            match *name {
                "v" => speed = value,
                "t" => time = value,
                "r" => radius = value,
                _ => {}
            }
        }
        let speed = (goes != Goes::Joint && time == 0.0).then_some(speed * 1e3);
        let corner = if radius > 0.0 { Corner::Radius(radius * 1e3) } else { Corner::Stop };
        self.made.push(Made { goes, ends, corner, tool: self.tool, work: Some(Frame::ZERO), speed });
        Some(())
    }

    fn value(&mut self, expr: &Expr, scope: &mut Scope) -> Option<Value> {
        let value = match expr {
            Expr::Int(number) => Value::Int(*number),
            Expr::Float(number) => Value::Float(*number),
            Expr::Bool(truth) => Value::Bool(*truth),
            Expr::Name(name) => self.read(name, scope)?,
            Expr::Element(name, index) => {
                let index = self.value(index, scope)?.number()? as usize;
                Value::Float(self.read(name, scope)?.six()?[index])
            }
            Expr::Input(_) => Value::Bool(self.world.percent(50)),
            Expr::Minus(inner) => match self.value(inner, scope)? {
                Value::Int(number) => Value::Int(-number),
                other => Value::Float(-other.number()?),
            },
            Expr::Not(inner) => Value::Bool(!self.value(inner, scope)?.truth()?),
            Expr::Two(op, left, right) => {
                let left = self.value(left, scope)?;
                // Whether the right side is asked for where the left one tells is not said.
                let tells = matches!((op, left), (Op::And, Value::Bool(false)) | (Op::Or, Value::Bool(true)));
                if tells && self.world.percent(50) {
                    return Some(left);
                }
                let right = self.value(right, scope)?;
                self.two(*op, left, right)?
            }
            Expr::Call(k, given) => self.call(*k, given, scope)??,
            Expr::Six(kind, numbers) => {
                let mut six = [0.0; 6];
                for (slot, number) in six.iter_mut().zip(numbers) {
                    *slot = self.value(number, scope)?.number()?;
                }
                Value::Six(*kind, six)
            }
            Expr::Pose(name, given) => {
                let mut frames = Vec::new();
                for pose in given {
                    frames.push(Frame::vector(self.value(pose, scope)?.six()?));
                }
                let found = match *name {
                    "pose_trans" => frames[0].then(&frames[1]),
                    "pose_inv" => frames[0].inverse(),
                    _ => {
                        let [a, b] = [frames[0], frames[1]];
                        let turn = Frame { at: [0.0; 3], ..a }.then(&Frame { at: [0.0; 3], ..b }).turn;
                        Frame { turn, at: [0, 1, 2].map(|k| a.at[k] + b.at[k]) }
                    }
                };
                Value::Six(Kind::Pose, found.to_vector())
            }
        };
        let is_small = match value {
            Value::Int(number) => (number as f64).abs() < LARGEST,
            Value::Float(number) => number.abs() < LARGEST,
            Value::Six(_, six) => six.iter().all(|number| number.abs() < LARGEST),
            Value::Bool(_) => true,
            Value::Unset => false,
        };
        is_small.then_some(value)
    }

    fn read(&self, name: &str, scope: &Scope) -> Option<Value> {
        scope.get(name).or_else(|| self.globals.get(name)).copied()
    }

    fn two(&self, op: Op, left: Value, right: Value) -> Option<Value> {
        if let (Value::Bool(a), Value::Bool(b)) = (left, right) {
            return match op {
                Op::And => Some(Value::Bool(a && b)),
                Op::Or => Some(Value::Bool(a || b)),
                Op::Xor | Op::Other => Some(Value::Bool(a != b)),
                Op::Same => Some(Value::Bool(a == b)),
                _ => None,
            };
        }
        let both = match (left, right) {
            (Value::Int(a), Value::Int(b)) => Some((a, b)),
            _ => None,
        };
        let (a, b) = (left.number()?, right.number()?);
        let number =
            |number: f64| if both.is_some() { Value::Int(number as i64) } else { Value::Float(number) };
        Some(match op {
            Op::Mul => number(a * b),
            Op::Add => number(a + b),
            Op::Sub => number(a - b),
            Op::Div if both.is_some() && self.stays_whole => Value::Int((a / b) as i64),
            Op::Div => Value::Float(a / b),
            Op::Mod => number(a % b),
            Op::Less => Value::Bool(a < b),
            Op::More => Value::Bool(a > b),
            Op::AtMost => Value::Bool(a <= b),
            Op::AtLeast => Value::Bool(a >= b),
            Op::Same => Value::Bool(a == b),
            Op::Other => Value::Bool(a != b),
            _ => return None,
        })
    }
}
