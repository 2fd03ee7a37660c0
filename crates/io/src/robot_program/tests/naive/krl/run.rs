//! Runs a program as KUKA's manuals have it.
//!
//! | rule | from |
//! |---|---|
//! | variables of a routine are its own, and hold nothing at first | Expert Programming (KSS 5.2), 2.2.1; Quickguide KRL (KSS 8.x), variables |
//! | the index of an array begins with 1 | Quickguide KRL, arrays |
//! | INT / INT is INT, and its decimals are cut off; with a REAL it is REAL | Expert Programming, arithmetic operators |
//! | NOT, then `* /`, `+ -`, AND, EXOR, OR, comparisons | Expert Programming, priority of operators |
//! | IN is a value, OUT the variable itself | Expert Programming, parameter lists |
//! | the counter of FOR is a variable as any other, and is beyond the end after the loop | Expert Programming, counting loop |
//! | EXIT leaves the innermost loop; HALT waits for the start key | Expert Programming, program run control |
//! | components that a target leaves out stay as they are | Expert Programming, motion commands |
//!
//! Where they are silent, or sources differ, the world decides: whether a REAL that is put into an INT is rounded or cut off, whether the end
//! of FOR is worked out again, whether the right side of AND and OR is asked for where the left one tells, components that only the controller
//! knows, and which of the angles of one turn it goes on with.

use super::super::{Corner, Dice, Ends, Frame, Goes, Made};
use super::{Expr, Kind, Op, Place, Program, Stmt, System};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Statements after which a program is too long.
const MOST_STEPS: usize = 3_000;
/// Numbers beyond which a program is no test.
const LARGEST: f64 = 1e5;

#[derive(Clone, Copy, Debug)]
enum Value {
    Unset,
    Int(i64),
    Real(f64),
    Bool(bool),
    Six([f64; 6]),
}

type Cell = Rc<RefCell<Value>>;

/// Cells of each variable: one, or as many as an array has elements. None before it is set.
struct Variable {
    kind: Kind,
    cells: Vec<Cell>,
}

type Scope = HashMap<&'static str, Variable>;

enum Flow {
    On,
    Exit,
    Return(Option<Value>),
}

/// Where the robot is, as far as a program says.
#[derive(Clone, Copy)]
enum Stands {
    Nowhere,
    Axes([f64; 6]),
    /// In the base and with the tool of that motion.
    Pose([f64; 6], Frame, Frame),
}

struct Robot<'a> {
    program: &'a Program,
    world: Dice,
    steps: usize,
    made: Vec<Made>,
    /// None before they are set.
    base: Option<Frame>,
    tool: Option<Frame>,
    speed: Option<f64>,
    distance: Option<f64>,
    stands: Stands,
}

impl Frame {
    /// X, Y, Z in millimetres; turned by A about z, then by B about the new y, then by C about the newest x, in degrees.
    pub(in super::super) fn kuka(six: [f64; 6]) -> Self {
        let [x, y, z, a, b, c] = six;
        let turned = Self::about(2, a).then(&Self::about(1, b)).then(&Self::about(0, c));
        Self::to([x, y, z]).then(&turned)
    }

    fn to_kuka(self) -> [f64; 6] {
        let (t, [x, y, z]) = (self.turn, self.at);
        let b = (-t[2][0]).atan2(t[0][0].hypot(t[1][0]));
        let (a, c) = (t[1][0].atan2(t[0][0]), t[2][1].atan2(t[2][2]));
        [x, y, z, a.to_degrees(), b.to_degrees(), c.to_degrees()]
    }
}

/// What a value is; none for what was never set, too.
impl Value {
    fn number(self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(number as f64),
            Self::Real(number) => Some(number),
            _ => None,
        }
    }

    fn truth(self) -> Option<bool> {
        if let Self::Bool(truth) = self { Some(truth) } else { None }
    }

    fn six(self) -> Option<[f64; 6]> {
        if let Self::Six(six) = self { Some(six) } else { None }
    }
}

impl Program {
    /// What the robot does; none where the program is no test.
    pub(super) fn run(&self, world: Dice) -> Option<Vec<Made>> {
        let mut robot = Robot {
            program: self,
            world,
            steps: 0,
            made: Vec::new(),
            base: None,
            tool: None,
            speed: None,
            distance: None,
            stands: Stands::Nowhere,
        };
        robot.call(0, Vec::new())?;
        Some(robot.made)
    }
}

impl Robot<'_> {
    fn call(&mut self, k: usize, given: Vec<Vec<Cell>>) -> Option<Option<Value>> {
        let program = self.program;
        let routine = program.0.get(k)?;
        let mut scope: Scope = HashMap::new();
        for (param, mut cells) in routine.params.iter().zip(given) {
            if !param.is_out {
                let value = *cells.first()?.borrow();
                cells = vec![Rc::new(RefCell::new(self.made_of(param.kind, value)))];
            }
            scope.insert(param.name, Variable { kind: param.kind, cells });
        }
        for (name, kind, length) in &routine.locals {
            // Nothing reads it before it is set.
            let cell = || Rc::new(RefCell::new(Value::Unset));
            let cells = (0..length.unwrap_or(1)).map(|_| cell()).collect();
            scope.insert(name, Variable { kind: *kind, cells });
        }
        match self.block(&routine.body, &scope)? {
            Flow::Return(value) => {
                Some(value.zip(routine.gives).map(|(value, kind)| self.made_of(kind, value)))
            }
            _ => Some(None),
        }
    }

    /// A value as a variable of this type holds it.
    fn made_of(&mut self, kind: Kind, value: Value) -> Value {
        match (kind, value) {
            (Kind::Int, Value::Real(number)) => {
                let whole = if self.world.percent(50) { number.trunc() } else { number.round() };
                Value::Int(whole as i64)
            }
            (Kind::Real, Value::Int(number)) => Value::Real(number as f64),
            (_, value) => value,
        }
    }

    fn arguments(&mut self, k: usize, given: &[Expr], scope: &Scope) -> Option<Vec<Vec<Cell>>> {
        let program = self.program;
        let mut cells = Vec::new();
        for (param, value) in program.0.get(k)?.params.iter().zip(given) {
            cells.push(match value {
                Expr::All(name) => scope.get(name)?.cells.clone(),
                Expr::At(place) if param.is_out => vec![self.cell(place, scope)?],
                value => vec![Rc::new(RefCell::new(self.value(value, scope)?))],
            });
        }
        Some(cells)
    }

    fn cell(&mut self, place: &Place, scope: &Scope) -> Option<Cell> {
        let at = match &place.index {
            None => 0,
            Some(index) => self.value(index, scope)?.number()? as usize - 1,
        };
        scope.get(place.name)?.cells.get(at).map(Rc::clone)
    }

    fn block(&mut self, block: &[Stmt], scope: &Scope) -> Option<Flow> {
        for stmt in block {
            match self.statement(stmt, scope)? {
                Flow::On => {}
                other => return Some(other),
            }
        }
        Some(Flow::On)
    }

    fn statement(&mut self, stmt: &Stmt, scope: &Scope) -> Option<Flow> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        match stmt {
            Stmt::Set(place, value) => {
                let value = self.value(value, scope)?;
                self.set(place, value, scope)?;
            }
            Stmt::System(system, value) => {
                let value = self.value(value, scope)?;
                match system {
                    System::Base => self.base = Some(Frame::kuka(value.six()?)),
                    System::Tool => self.tool = Some(Frame::kuka(value.six()?)),
                    System::BasePart(part) | System::ToolPart(part) => {
                        let is_base = matches!(system, System::BasePart(_));
                        let frame = if is_base { &mut self.base } else { &mut self.tool };
                        frame.as_mut()?.at[*part] = value.number()?;
                    }
                    System::Speed => self.speed = Some(value.number()? * 1e3),
                    System::Distance => self.distance = Some(value.number()?),
                }
            }
            Stmt::If(condition, yes, no) => {
                let way = if self.value(condition, scope)?.truth()? { yes } else { no };
                return self.block(way, scope);
            }
            Stmt::For { name, from, to: end, step, body } => {
                let counter = Place { name, index: None, part: None };
                let (from, to) = (self.value(from, scope)?, self.value(end, scope)?.number()?);
                let (step, first, is_asked_again) = (step.unwrap_or(1), to, self.world.percent(50));
                self.set(&counter, from, scope)?;
                loop {
                    // Whether the end is worked out once or before every round is not said.
                    let to = if is_asked_again { self.value(end, scope)?.number()? } else { first };
                    let now = self.value(&Expr::At(counter.clone()), scope)?.number()?;
                    if if step > 0 { now > to } else { now < to } {
                        break;
                    }
                    match self.block(body, scope)? {
                        Flow::On => {}
                        Flow::Exit => break,
                        Flow::Return(value) => return Some(Flow::Return(value)),
                    }
                    let now = self.value(&Expr::At(counter.clone()), scope)?.number()?;
                    self.set(&counter, Value::Int(now as i64 + step), scope)?;
                    self.steps += 1;
                    if self.steps > MOST_STEPS {
                        return None;
                    }
                }
            }
            Stmt::While(condition, body) => {
                while self.value(condition, scope)?.truth()? {
                    match self.block(body, scope)? {
                        Flow::On => {}
                        Flow::Exit => break,
                        Flow::Return(value) => return Some(Flow::Return(value)),
                    }
                }
            }
            Stmt::Repeat(body, until) => loop {
                match self.block(body, scope)? {
                    Flow::On => {}
                    Flow::Exit => break,
                    Flow::Return(value) => return Some(Flow::Return(value)),
                }
                if self.value(until, scope)?.truth()? {
                    break;
                }
            },
            Stmt::Loop(body) => loop {
                match self.block(body, scope)? {
                    Flow::On => {}
                    Flow::Exit => break,
                    Flow::Return(value) => return Some(Flow::Return(value)),
                }
            },
            Stmt::Exit => return Some(Flow::Exit),
            Stmt::Switch(of, ways, otherwise) => {
                let of = self.value(of, scope)?.number()?;
                let way = ways.iter().find(|(values, _)| values.iter().any(|value| *value as f64 == of));
                if let Some(body) = way.map(|(_, body)| body).or(otherwise.as_ref()) {
                    return self.block(body, scope);
                }
            }
            Stmt::Call(k, given) => {
                let cells = self.arguments(*k, given, scope)?;
                self.call(*k, cells)?;
            }
            Stmt::Return(None) => return Some(Flow::Return(None)),
            Stmt::Return(Some(value)) => {
                let value = self.value(value, scope)?;
                return Some(Flow::Return(Some(value)));
            }
            // After HALT, somebody presses the start key.
            Stmt::Quiet(_) => {}
            Stmt::Skip(condition, body, _) => {
                if !self.value(condition, scope)?.truth()? {
                    return self.block(body, scope);
                }
            }
            motion => self.motion(motion, scope)?,
        }
        Some(Flow::On)
    }

    fn set(&mut self, place: &Place, value: Value, scope: &Scope) -> Option<()> {
        let cell = self.cell(place, scope)?;
        if let Some((_, part)) = place.part {
            let mut six = cell.borrow().six()?;
            six[part] = value.number()?;
            *cell.borrow_mut() = Value::Six(six);
            return Some(());
        }
        let value = self.made_of(scope[place.name].kind, value);
        *cell.borrow_mut() = value;
        Some(())
    }

    fn motion(&mut self, motion: &Stmt, scope: &Scope) -> Option<()> {
        let (goes, to, relative, rounded) = match motion {
            Stmt::Ptp(to) => (Goes::Joint, to, false, false),
            Stmt::PtpRelative(by) => (Goes::Joint, by, true, false),
            Stmt::Lin(to, rounded) => (Goes::Linear, to, false, *rounded),
            Stmt::LinRelative(by, rounded) => (Goes::Linear, by, true, *rounded),
            Stmt::Circ(via, to, rounded) => {
                let [x, y, z, ..] = self.value(via, scope)?.six()?;
                (Goes::Circular([x, y, z]), to, false, *rounded)
            }
            other => unreachable!("{other:?} is no motion"),
        };
        let (kind, six) = self.target(to, relative, scope)?;
        let ends = if kind == Kind::Axes {
            self.stands = Stands::Axes(six);
            Ends::Axes(six.to_vec())
        } else {
            self.stands = Stands::Pose(six, self.base?, self.tool?);
            Ends::Pose(Frame::kuka(six))
        };
        let speed = if goes == Goes::Joint { None } else { Some(self.speed?) };
        let corner = if rounded { Corner::Radius(self.distance?) } else { Corner::Stop };
        let (tool, work) = (Some(self.tool?), Some(self.base?));
        self.made.push(Made { goes, ends, corner, tool, work, speed });
        Some(())
    }

    /// Where a motion ends: what it leaves out stays, or is what the controller knows.
    fn target(&mut self, to: &Expr, relative: bool, scope: &Scope) -> Option<(Kind, [f64; 6])> {
        let Expr::Six(kind, parts) = to else {
            let kind = match to {
                Expr::At(place) if place.part.is_none() => scope.get(place.name)?.kind,
                _ => Kind::Frame,
            };
            return Some((kind, self.value(to, scope)?.six()?));
        };
        let mut given = Vec::new();
        for (part, value) in parts {
            given.push((*part, self.value(value, scope)?.number()?));
        }
        let unknown = [(); 6].map(|()| self.world.from_to(-900, 900) as f64);
        let mut six = match (kind, self.stands) {
            (Kind::Axes, Stands::Axes(six)) => six,
            // Where the robot is in another frame is not what the last target said.
            (Kind::Frame, Stands::Pose(six, base, tool))
                if base.is_near(&self.base?, 1e-9) && tool.is_near(&self.tool?, 1e-9) =>
            {
                six
            }
            _ => unknown,
        };
        let turns = parts.iter().filter(|(part, _)| *part > 2).count();
        if *kind == Kind::Frame && (turns == 1 || turns == 2) && self.world.percent(50) {
            // The same turn with the angles that the controller may have made of it.
            six = Frame::kuka(six).to_kuka();
        }
        for (part, value) in given {
            six[part] = if relative { six[part] + value } else { value };
        }
        Some((*kind, six))
    }

    fn value(&mut self, expr: &Expr, scope: &Scope) -> Option<Value> {
        let value = match expr {
            Expr::Int(number) => Value::Int(*number),
            Expr::Real(number) => Value::Real(*number),
            Expr::Bool(truth) => Value::Bool(*truth),
            Expr::At(place) => {
                let value = *self.cell(place, scope)?.borrow();
                match place.part {
                    None => value,
                    Some((_, part)) => Value::Real(value.six()?[part]),
                }
            }
            // Arrays are handed over only.
            Expr::All(_) => return None,
            Expr::Input(_) => Value::Bool(self.world.percent(50)),
            Expr::Minus(inner) => match self.value(inner, scope)? {
                Value::Int(number) => Value::Int(-number),
                other => Value::Real(-other.number()?),
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
                two(*op, left, right)?
            }
            Expr::Call(k, given) => {
                let cells = self.arguments(*k, given, scope)?;
                self.call(*k, cells)??
            }
            Expr::Six(_, parts) => {
                let mut six = [0.0; 6];
                for (part, value) in parts {
                    six[*part] = self.value(value, scope)?.number()?;
                }
                Value::Six(six)
            }
        };
        let is_small = match value {
            Value::Int(number) => (number as f64).abs() < LARGEST,
            Value::Real(number) => number.abs() < LARGEST,
            Value::Six(six) => six.iter().all(|number| number.abs() < LARGEST),
            Value::Bool(_) => true,
            Value::Unset => false,
        };
        is_small.then_some(value)
    }
}

fn two(op: Op, left: Value, right: Value) -> Option<Value> {
    if let (Value::Bool(a), Value::Bool(b)) = (left, right) {
        return match op {
            Op::And => Some(Value::Bool(a && b)),
            Op::Or => Some(Value::Bool(a || b)),
            Op::Exor | Op::Other => Some(Value::Bool(a != b)),
            Op::Same => Some(Value::Bool(a == b)),
            _ => None,
        };
    }
    if op == Op::Chain {
        return Some(Value::Six(Frame::kuka(left.six()?).then(&Frame::kuka(right.six()?)).to_kuka()));
    }
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        match op {
            Op::Mul => return Some(Value::Int(a * b)),
            Op::Div => return Some(Value::Int(a / b)),
            Op::Add => return Some(Value::Int(a + b)),
            Op::Sub => return Some(Value::Int(a - b)),
            _ => {}
        }
    }
    let (a, b) = (left.number()?, right.number()?);
    Some(match op {
        Op::Mul => Value::Real(a * b),
        Op::Div => Value::Real(a / b),
        Op::Add => Value::Real(a + b),
        Op::Sub => Value::Real(a - b),
        Op::Less => Value::Bool(a < b),
        Op::More => Value::Bool(a > b),
        Op::AtMost => Value::Bool(a <= b),
        Op::AtLeast => Value::Bool(a >= b),
        Op::Same => Value::Bool(a == b),
        Op::Other => Value::Bool(a != b),
        _ => return None,
    })
}
