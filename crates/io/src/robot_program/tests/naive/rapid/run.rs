//! How a controller runs a program (technical reference manuals RAPID kernel and RAPID instructions, functions and data types).

use super::{Arg, Goal, Kind, Move, Num, Place, Program, Stmt, Truth};
use crate::robot_program::tests::naive::{Corner, Dice, Ends, Frame, Goes, Made};
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

/// Statements that are run, at most; longer programs are not asked about.
const LONGEST: usize = 3_000;

/// Numbers beyond this are not asked about: single precision would lose what is compared.
const LARGEST: f32 = 4_096.0;

/// A variable: whoever refers to it holds the same cell.
type Var = Rc<Cell<f32>>;

/// Where a target is, as a robtarget has it.
#[derive(Clone, Copy)]
struct Target {
    at: [f32; 3],
    turn: [[f64; 3]; 3],
}

struct Runs<'a> {
    program: &'a Program,
    world: Dice,
    nums: HashMap<String, Var>,
    array: [Var; 3],
    truths: HashMap<String, bool>,
    points: Vec<Target>,
    target: Target,
    made: Vec<Made>,
    steps: usize,
}

/// What ends a statement.
enum End {
    Return,
    Exit,
    /// It is too long, or its numbers too large.
    Beyond,
}

type Ran = Result<(), End>;

impl Program {
    /// Motions of so many rounds of `main`; none if it is too long.
    pub(super) fn run(&self, world: Dice, rounds: usize) -> Option<(Vec<Made>, bool)> {
        let frame = Frame::quaternion([0.0; 3], self.turn);
        let points: Vec<Target> = self.points.iter().map(|&at| Target { at, turn: frame.turn }).collect();
        // What is declared in the module keeps its value from round to round.
        let mut runs = Runs {
            program: self,
            world,
            nums: (self.nums.iter().enumerate())
                .map(|(k, value)| (format!("n{k}"), Rc::new(Cell::new(value.unwrap_or(0.0)))))
                .collect(),
            array: self.array.map(|value| Rc::new(Cell::new(value))),
            truths: self.truths.iter().enumerate().map(|(k, value)| (format!("b{k}"), *value)).collect(),
            target: points[0],
            points,
            made: Vec::new(),
            steps: 0,
        };
        let mut is_cut_short = false;
        for _ in 0..rounds {
            match runs.routine(0, Vec::new()) {
                Ok(_) => {}
                Err(End::Exit) => {
                    is_cut_short = true;
                    break;
                }
                Err(End::Beyond) => return None,
                Err(End::Return) => unreachable!("a routine takes it"),
            }
        }
        Some((runs.made, is_cut_short))
    }
}

/// Variables of a routine, the innermost scope last.
type Scope = Vec<(String, Var)>;

impl Runs<'_> {
    /// Runs a routine; what it gives, if it is a function.
    fn routine(&mut self, which: usize, given: Vec<Var>) -> Result<f32, End> {
        let program = self.program;
        let routine = &program.routines[which];
        let mut scope: Scope = given.into_iter().enumerate().map(|(k, var)| (format!("x{k}"), var)).collect();
        // Local variables begin anew with each call.
        for (name, value) in &routine.locals {
            scope.push((name.clone(), Rc::new(Cell::new(value.unwrap_or(0.0)))));
        }
        match self.block(&routine.body, &mut scope) {
            Ok(()) | Err(End::Return) => {}
            Err(end) => return Err(end),
        }
        match &routine.gives {
            Some(value) => self.num(value, &scope),
            None => Ok(0.0),
        }
    }

    fn block(&mut self, block: &[Stmt], scope: &mut Scope) -> Ran {
        block.iter().try_for_each(|stmt| self.stmt(stmt, scope))
    }

    fn stmt(&mut self, stmt: &Stmt, scope: &mut Scope) -> Ran {
        self.steps += 1;
        if self.steps > LONGEST {
            return Err(End::Beyond);
        }
        match stmt {
            Stmt::Let(place, value) => {
                let value = self.num(value, scope)?;
                let var = self.place(place, scope)?;
                var.set(value);
            }
            Stmt::LetTruth(name, value) => {
                let value = self.truth(value, scope)?;
                self.truths.insert(name.clone(), value);
            }
            Stmt::LetGoal(_, goal) => self.target = self.goal(goal, scope)?,
            Stmt::LetPart(_, axis, value) => self.target.at[*axis] = self.num(value, scope)?,
            Stmt::Change(what, name) => {
                let var = self.var(name, scope);
                var.set(match *what {
                    "Incr" => var.get() + 1.0,
                    "Decr" => var.get() - 1.0,
                    _ => 0.0,
                });
            }
            Stmt::Add(name, value) => {
                let value = self.num(value, scope)?;
                let var = self.var(name, scope);
                var.set(var.get() + value);
            }
            Stmt::If(ways, otherwise) => {
                for (condition, body) in ways {
                    if self.truth(condition, scope)? {
                        return self.block(body, scope);
                    }
                }
                return self.block(otherwise, scope);
            }
            Stmt::Short(condition, inner) => {
                if self.truth(condition, scope)? {
                    return self.stmt(inner, scope);
                }
            }
            Stmt::For(name, [from, to], step, body) => {
                // The bounds are worked out once. Without STEP it counts up or down, as the bounds are.
                let (from, to) = (self.num(from, scope)?, self.num(to, scope)?);
                let step = step.unwrap_or(if from > to { -1.0 } else { 1.0 });
                let mut at = from;
                while if step > 0.0 { at <= to } else { at >= to } {
                    // The variable is there in the loop only.
                    scope.push((name.clone(), Rc::new(Cell::new(at))));
                    let ran = self.block(body, scope);
                    scope.pop();
                    ran?;
                    at += step;
                    self.steps += 1;
                    if self.steps > LONGEST {
                        return Err(End::Beyond);
                    }
                }
            }
            Stmt::While(_, most, also, body) => {
                let mut rounds = 0;
                loop {
                    let is_less = rounds < *most;
                    // Whether the right side is asked where the left is false is not said.
                    let is_asked = is_less || self.world.percent(50);
                    let is_also = match also {
                        Some(also) if is_asked => self.truth(also, scope)?,
                        _ => true,
                    };
                    if !(is_less && is_also) {
                        break;
                    }
                    rounds += 1;
                    self.block(body, scope)?;
                }
            }
            Stmt::Test(of, ways, otherwise) => {
                let of = self.num(of, scope)?;
                for (values, body) in ways {
                    if values.iter().any(|value| *value as f32 == of) {
                        return self.block(body, scope);
                    }
                }
                if let Some(body) = otherwise {
                    return self.block(body, scope);
                }
            }
            Stmt::Call(which, args) => {
                let given = self.given(args, scope)?;
                self.routine(*which, given)?;
            }
            Stmt::Return => return Err(End::Return),
            Stmt::Exit => return Err(End::Exit),
            Stmt::Move(of) => self.moved(of, scope)?,
            Stmt::Axes(axes) => self.made.push(Made {
                goes: Goes::Joint,
                ends: Ends::Axes(axes.iter().map(|axis| f64::from(*axis)).collect()),
                corner: Corner::Stop,
                tool: Some(Frame::ZERO),
                work: Some(Frame::ZERO),
                speed: Some(200.0),
            }),
            Stmt::Idle(_) => {}
        }
        Ok(())
    }

    fn given(&mut self, args: &[Arg], scope: &Scope) -> Result<Vec<Var>, End> {
        args.iter()
            .map(|arg| match arg {
                Arg::Value(value) => self.num(value, scope).map(|value| Rc::new(Cell::new(value))),
                // The parameter is the variable itself.
                Arg::Place(place) => self.place(place, scope),
            })
            .collect()
    }

    fn var(&self, name: &str, scope: &Scope) -> Var {
        let local = scope.iter().rev().find(|(known, _)| known == name).map(|(_, var)| var);
        Rc::clone(local.unwrap_or_else(|| &self.nums[name]))
    }

    fn place(&mut self, place: &Place, scope: &Scope) -> Result<Var, End> {
        match place {
            Place::Var(name) => Ok(self.var(name, scope)),
            Place::At(_, at) => {
                let at = self.num(at, scope)?;
                Ok(Rc::clone(&self.array[at as usize - 1]))
            }
        }
    }

    fn num(&mut self, of: &Num, scope: &Scope) -> Result<f32, End> {
        let value = match of {
            Num::Is(value) => *value,
            Num::Var(name) => self.var(name, scope).get(),
            Num::At(_, at) => {
                let at = self.num(at, scope)?;
                self.array[at as usize - 1].get()
            }
            Num::Part(_, axis) => self.target.at[*axis],
            Num::Minus(inner) => -self.num(inner, scope)?,
            Num::Two(op, left, right) => {
                let [a, b] = self.both(left, right, scope)?;
                match *op {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "/" => a / b,
                    "DIV" => (a / b).trunc(),
                    _ => a - b * (a / b).trunc(),
                }
            }
            Num::Known("Trunc", inner) => self.num(inner, scope)?.trunc(),
            Num::Known(_, inner) => self.num(inner, scope)?.abs(),
            Num::Call(which, args) => {
                let given = self.given(args, scope)?;
                self.routine(*which, given)?
            }
        };
        if value.abs() > LARGEST { Err(End::Beyond) } else { Ok(value) }
    }

    /// Which of two sides is worked out first is not said.
    fn both(&mut self, left: &Num, right: &Num, scope: &Scope) -> Result<[f32; 2], End> {
        if self.world.percent(50) {
            let right = self.num(right, scope)?;
            return Ok([self.num(left, scope)?, right]);
        }
        Ok([self.num(left, scope)?, self.num(right, scope)?])
    }

    fn truth(&mut self, of: &Truth, scope: &Scope) -> Result<bool, End> {
        Ok(match of {
            Truth::Is(value) => *value,
            Truth::Var(name) => self.truths[name],
            Truth::Compare(op, left, right) => {
                let [a, b] = self.both(left, right, scope)?;
                match *op {
                    "=" => a == b,
                    "<>" => a != b,
                    "<" => a < b,
                    ">" => a > b,
                    "<=" => a <= b,
                    _ => a >= b,
                }
            }
            Truth::And(all) => self.joined(all, scope, true)?,
            Truth::Or(all) => self.joined(all, scope, false)?,
            Truth::Not(inner) => !self.truth(inner, scope)?,
            Truth::Input => self.world.percent(50),
        })
    }

    /// Whether all are `wanted`, as AND wants true and OR false. Whether more is asked where one tells is not said.
    fn joined(&mut self, all: &[Truth], scope: &Scope, wanted: bool) -> Result<bool, End> {
        let mut is_open = true;
        for one in all {
            if is_open || self.world.percent(50) {
                is_open &= self.truth(one, scope)? == wanted;
            }
        }
        Ok(if is_open { wanted } else { !wanted })
    }

    fn goal(&mut self, of: &Goal, scope: &Scope) -> Result<Target, End> {
        Ok(match of {
            Goal::Name(name) if name == "t0" => self.target,
            Goal::Name(name) => self.points[name[1..].parse::<usize>().expect("a number")],
            Goal::Offs(inner, by) => {
                // In the frame of the work object.
                let mut target = self.goal(inner, scope)?;
                for (axis, by) in by.iter().enumerate() {
                    target.at[axis] += self.num(by, scope)?;
                }
                target
            }
            Goal::RelTool(inner, by, turns) => {
                let target = self.goal(inner, scope)?;
                let mut shift = [0.0; 3];
                for (shift, by) in shift.iter_mut().zip(by) {
                    *shift = f64::from(self.num(by, scope)?);
                }
                let mut frame =
                    Frame { turn: target.turn, at: target.at.map(f64::from) }.then(&Frame::to(shift));
                // About x first, then about the new y, then about the new z.
                for (axis, turn) in turns.iter().enumerate() {
                    frame = frame.then(&Frame::about(axis, f64::from(turn.unwrap_or(0.0))));
                }
                Target { at: frame.at.map(|part| part as f32), turn: frame.turn }
            }
        })
    }

    fn moved(&mut self, of: &Move, scope: &Scope) -> Ran {
        let goes = match &of.kind {
            Kind::Joint => Goes::Joint,
            Kind::Linear => Goes::Linear,
            Kind::Circular(via) => Goes::Circular(self.goal(via, scope)?.at.map(f64::from)),
        };
        let to = self.goal(&of.to, scope)?;
        let corner = match (&of.own_zone, of.zone) {
            (_, None) => Corner::Stop,
            (Some(own), _) => Corner::Radius(f64::from(self.num(own, scope)?)),
            (None, Some(zone)) => Corner::Radius(f64::from(zone)),
        };
        let tool = if of.tool { Frame::to(self.program.tool.map(f64::from)) } else { Frame::ZERO };
        let [a, b, c, d, e, f] = self.program.work.map(f64::from);
        let table = Frame::quaternion([a, b, c], [0.6, 0.0, 0.0, 0.8])
            .then(&Frame::quaternion([d, e, f], [0.8, 0.6, 0.0, 0.0]));
        self.made.push(Made {
            goes,
            ends: Ends::Pose(Frame { turn: to.turn, at: to.at.map(f64::from) }),
            corner,
            tool: Some(tool),
            work: Some(if of.work { table } else { Frame::ZERO }),
            speed: Some(f64::from(of.speed)),
        });
        Ok(())
    }
}
