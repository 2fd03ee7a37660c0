//! Runs what a robot program says, as far as that can be known from its text.
//!
//! What depends on the controller (inputs, registers, clocks) is *unknown*. A branch that is taken or not taken for an unknown reason
//! is passed over; if the robot could move in it, that is told, and whoever wants a proof has to refuse.

use super::Note;
use super::parser::{Arg, Expr, Op};
use super::value::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// Statements that are run, at most: a program that runs longer is not finite for us.
const MOST_STEPS: usize = 20_000_000;

/// How deep calls may be in each other.
const DEPTH: usize = 40;

pub(super) type Block = Rc<[Stmt]>;

/// Values by name.
type Variables = HashMap<String, Value>;

#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub(super) line: u32,
    pub(super) act: Act,
}

#[derive(Clone, Debug)]
pub(super) enum Act {
    Let(Expr, Expr),
    Call(String, Vec<Arg>),
    /// Conditions with what is done, and otherwise.
    If(Vec<(Expr, Block)>, Block),
    For {
        name: String,
        from: Expr,
        to: Expr,
        step: Option<Expr>,
        body: Block,
    },
    While(Expr, Block),
    Return(Option<Expr>),
    /// Something that is not understood; whether it could move the robot.
    Strange {
        why: String,
        moves: bool,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Proc {
    pub(super) params: Vec<String>,
    pub(super) body: Block,
}

/// What a language adds.
pub(super) trait Language {
    /// A statement that is no call of something in the file. Whether it was understood; otherwise why not.
    fn act(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), Strange>;
    /// A function that is not in the file.
    fn function(&mut self, name: &str, args: &[(Option<String>, Value)]) -> Value;
    /// A name that is not in the file.
    fn known(&self, name: &str) -> Option<Value>;
    /// Whether a statement of that name could move the robot.
    fn moves(&self, name: &str) -> bool;
    /// The first place of a list.
    fn first(&self) -> usize;
}

/// A statement that is not understood.
pub(super) struct Strange {
    pub(super) why: String,
    pub(super) moves: bool,
}

pub(super) struct Machine {
    procs: Rc<HashMap<String, Rc<Proc>>>,
    globals: HashMap<String, Value>,
    locals: Vec<HashMap<String, Value>>,
    pub(super) notes: Vec<Note>,
    pub(super) statements: usize,
    steps: usize,
    stopped: bool,
}

enum Flow {
    On,
    Return(Value),
}

impl Machine {
    pub(super) fn new(procs: HashMap<String, Rc<Proc>>) -> Self {
        Self {
            procs: Rc::new(procs),
            globals: HashMap::new(),
            locals: Vec::new(),
            notes: Vec::new(),
            statements: 0,
            steps: 0,
            stopped: false,
        }
    }

    pub(super) fn set_global(&mut self, name: String, value: Value) {
        self.globals.insert(name, value);
    }

    pub(super) fn note(&mut self, line: u32, what: impl Into<String>, moves: bool) {
        let what = what.into();
        // The same line in a loop is told once.
        if !self.notes.iter().rev().take(64).any(|note| note.line == line && note.what == what) {
            self.notes.push(Note { line, what, moves });
        }
    }

    /// Runs a block as if it were the body of the program.
    pub(super) fn run<L: Language>(&mut self, language: &mut L, block: &Block) {
        self.locals.push(HashMap::new());
        self.block(language, block);
        self.locals.pop();
    }

    pub(super) fn value_of<L: Language>(&mut self, language: &mut L, expr: &Expr) -> Value {
        match expr {
            Expr::Const(value) => value.clone(),
            Expr::Name(name) => self.named(language, name),
            Expr::Part(of, name) => self.value_of(language, of).part(name),
            Expr::Element(of, places) => {
                let mut value = self.value_of(language, of);
                for place in places {
                    value = match self.value_of(language, place).number() {
                        Ok(place) => value.element(place - language.first() as f64),
                        Err(why) => Value::Unknown(why),
                    };
                }
                value
            }
            Expr::List(all) => Value::List(all.iter().map(|one| self.value_of(language, one)).collect()),
            Expr::Record(all) => Value::Record(
                all.iter().map(|(name, one)| (name.clone(), self.value_of(language, one))).collect(),
            ),
            Expr::Minus(inner) => match self.value_of(language, inner) {
                Value::Number(number) => Value::Number(-number),
                Value::Unknown(why) => Value::Unknown(why),
                other => Value::unknown(format!("{} has no negative", other.kind())),
            },
            Expr::Not(inner) => match self.value_of(language, inner) {
                Value::Truth(truth) => Value::Truth(!truth),
                Value::Unknown(why) => Value::Unknown(why),
                other => Value::unknown(format!("{} is neither true nor false", other.kind())),
            },
            Expr::Two(op, left, right) => {
                let (left, right) = (self.value_of(language, left), self.value_of(language, right));
                two(language, *op, left, right)
            }
            Expr::Call(name, args) => self.function(language, name, args),
        }
    }

    fn named<L: Language>(&self, language: &L, name: &str) -> Value {
        let found = self.locals.last().and_then(|locals| locals.get(name)).or_else(|| self.globals.get(name));
        match found {
            Some(value) => value.clone(),
            None => language.known(name).unwrap_or_else(|| Value::unknown(format!("'{name}' is not known"))),
        }
    }

    /// The value of a name, if it has one.
    pub(super) fn peek(&self, name: &str) -> Option<&Value> {
        self.locals.last().and_then(|locals| locals.get(name)).or_else(|| self.globals.get(name))
    }

    fn function<L: Language>(&mut self, language: &mut L, name: &str, args: &[Arg]) -> Value {
        if let Some(proc) = self.procs.get(name).cloned() {
            return match self.call(language, &proc, args) {
                Ok(value) => value,
                Err(why) => Value::Unknown(why),
            };
        }
        let values: Vec<(Option<String>, Value)> = args
            .iter()
            .map(|arg| {
                let value =
                    arg.value.as_ref().map_or(Value::Truth(true), |value| self.value_of(language, value));
                (arg.name.clone(), value)
            })
            .collect();
        language.function(name, &values)
    }

    fn call<L: Language>(
        &mut self,
        language: &mut L,
        proc: &Rc<Proc>,
        args: &[Arg],
    ) -> Result<Value, String> {
        if self.locals.len() > DEPTH {
            return Err("calls are too deep in each other".into());
        }
        let mut locals = HashMap::new();
        let mut given = args.iter();
        for param in &proc.params {
            let by_name = args.iter().find(|arg| arg.name.as_deref() == Some(param));
            let arg = by_name.or_else(|| given.by_ref().find(|arg| arg.name.is_none()));
            let value = match arg.and_then(|arg| arg.value.as_ref()) {
                Some(value) => self.value_of(language, value),
                None => Value::unknown(format!("'{param}' was given no value")),
            };
            locals.insert(param.clone(), value);
        }
        self.locals.push(locals);
        let flow = self.block(language, &proc.body);
        self.locals.pop();
        match flow {
            Flow::Return(value) => Ok(value),
            Flow::On => Ok(Value::unknown("nothing was returned")),
        }
    }

    fn block<L: Language>(&mut self, language: &mut L, block: &Block) -> Flow {
        for stmt in block.iter() {
            if self.stopped {
                return Flow::On;
            }
            self.steps += 1;
            self.statements += 1;
            if self.steps > MOST_STEPS {
                self.stopped = true;
                self.note(stmt.line, format!("the program runs for more than {MOST_STEPS} steps"), true);
                return Flow::On;
            }
            if let Flow::Return(value) = self.one(language, stmt) {
                return Flow::Return(value);
            }
        }
        Flow::On
    }

    fn one<L: Language>(&mut self, language: &mut L, stmt: &Stmt) -> Flow {
        let line = stmt.line;
        match &stmt.act {
            Act::Let(place, expr) => {
                let value = self.value_of(language, expr);
                // What is called in an expression may move the robot.
                self.look_for_strange_calls(language, expr, line);
                self.put(language, place, value, line);
            }
            Act::Call(name, args) => {
                if let Some(proc) = self.procs.get(name).cloned() {
                    if let Err(why) = self.call(language, &proc, args) {
                        self.note(line, why, true);
                    }
                } else if let Err(strange) = language.act(self, name, args, line) {
                    self.note(line, strange.why, strange.moves);
                }
            }
            Act::If(ways, otherwise) => {
                for (k, (condition, body)) in ways.iter().enumerate() {
                    match self.value_of(language, condition) {
                        Value::Truth(true) => return self.block(language, body),
                        Value::Truth(false) => {}
                        other => {
                            let rest = ways[k..].iter().map(|(_, body)| body).chain([otherwise]);
                            self.pass_over(language, rest.cloned().collect(), &other, line);
                            return Flow::On;
                        }
                    }
                }
                return self.block(language, otherwise);
            }
            Act::For { name, from, to, step, body } => {
                let step_value = step.as_ref().map(|step| self.value_of(language, step));
                let bounds = (self.value_of(language, from).number(), self.value_of(language, to).number());
                let step = step_value.map_or(Ok(None), |step| step.number().map(Some));
                let (Ok(from), Ok(to), Ok(step)) = (bounds.0, bounds.1, step) else {
                    let why = Value::unknown("how often is not known");
                    self.pass_over(language, vec![body.clone()], &why, line);
                    return Flow::On;
                };
                let step = step.unwrap_or(if to < from { -1.0 } else { 1.0 });
                let mut at = from;
                while !self.stopped && step != 0.0 && (at - to) * step.signum() <= 0.0 {
                    self.put(language, &Expr::Name(name.clone()), Value::Number(at), line);
                    if let Flow::Return(value) = self.block(language, body) {
                        return Flow::Return(value);
                    }
                    self.steps += 1;
                    at += step;
                }
            }
            Act::While(condition, body) => return self.repeat(language, condition, body, line),
            Act::Return(value) => {
                return Flow::Return(
                    value.as_ref().map_or(Value::unknown("nothing was returned"), |value| {
                        self.value_of(language, value)
                    }),
                );
            }
            Act::Strange { why, moves } => self.note(line, why.clone(), *moves),
        }
        Flow::On
    }

    fn repeat<L: Language>(&mut self, language: &mut L, condition: &Expr, body: &Block, line: u32) -> Flow {
        let mut last: Option<(Variables, Option<Variables>)> = None;
        let is_endless = matches!(condition, Expr::Const(Value::Truth(true)));
        loop {
            match self.value_of(language, condition) {
                Value::Truth(true) => {}
                Value::Truth(false) => return Flow::On,
                other => {
                    self.pass_over(language, vec![body.clone()], &other, line);
                    return Flow::On;
                }
            }
            if let Flow::Return(value) = self.block(language, body) {
                return Flow::Return(value);
            }
            if self.stopped {
                return Flow::On;
            }
            self.steps += 1;
            if self.steps > MOST_STEPS {
                self.stopped = true;
                self.note(line, format!("the program runs for more than {MOST_STEPS} steps"), true);
                return Flow::On;
            }
            if is_endless {
                // Two rounds that leave all variables the same are like all that follow, the way back to the beginning included.
                let now = (self.globals.clone(), self.locals.last().cloned());
                if last.as_ref() == Some(&now) {
                    self.note(line, "an endless loop: all rounds are as the second", false);
                    self.stopped = true;
                    return Flow::On;
                }
                last = Some(now);
            }
        }
    }

    /// What may or may not be run: whatever it sets is not known afterwards.
    fn pass_over<L: Language>(&mut self, language: &mut L, blocks: Vec<Block>, why: &Value, line: u32) {
        let mut moves = false;
        for block in &blocks {
            let mut seen = Vec::new();
            moves |= self.may_move(language, block, &mut seen);
            self.forget(block, &mut Vec::new());
        }
        let why = match why {
            Value::Unknown(why) => why.clone(),
            other => format!("{} is neither true nor false", other.kind()),
        };
        self.note(line, format!("whether this is run cannot be known: {why}"), moves);
    }

    fn may_move<L: Language>(&self, language: &L, block: &Block, seen: &mut Vec<String>) -> bool {
        block.iter().any(|stmt| match &stmt.act {
            Act::Call(name, _) => match self.procs.get(name) {
                Some(_) if seen.contains(name) => false,
                Some(proc) => {
                    seen.push(name.clone());
                    self.may_move(language, &proc.body, seen)
                }
                None => language.moves(name),
            },
            Act::If(ways, otherwise) => {
                ways.iter().any(|(_, body)| self.may_move(language, body, seen))
                    || self.may_move(language, otherwise, seen)
            }
            Act::For { body, .. } | Act::While(_, body) => self.may_move(language, body, seen),
            Act::Strange { moves, .. } => *moves,
            // What comes after it may be left out.
            Act::Return(_) => true,
            Act::Let(_, expr) => calls(expr).iter().any(|name| match self.procs.get(*name) {
                Some(_) if seen.iter().any(|known| known == name) => false,
                Some(proc) => {
                    seen.push((*name).to_owned());
                    self.may_move(language, &proc.body, seen)
                }
                None => false,
            }),
        })
    }

    fn forget(&mut self, block: &Block, seen: &mut Vec<String>) {
        for stmt in block.iter() {
            match &stmt.act {
                Act::Let(place, _) => {
                    let mut of = place;
                    while let Expr::Part(inner, _) | Expr::Element(inner, _) = of {
                        of = inner;
                    }
                    if let Expr::Name(name) = of {
                        let why = Value::unknown(format!("whether '{name}' was set cannot be known"));
                        self.set(name, why);
                    }
                }
                Act::Call(name, _) => {
                    if let Some(proc) = self.procs.get(name).cloned()
                        && !seen.contains(name)
                    {
                        seen.push(name.clone());
                        self.forget(&proc.body, seen);
                    }
                }
                Act::If(ways, otherwise) => {
                    ways.iter().for_each(|(_, body)| self.forget(body, seen));
                    self.forget(otherwise, seen);
                }
                Act::For { body, .. } | Act::While(_, body) => self.forget(body, seen),
                Act::Return(_) | Act::Strange { .. } => {}
            }
        }
    }

    fn look_for_strange_calls<L: Language>(&mut self, language: &L, expr: &Expr, line: u32) {
        for name in calls(expr) {
            if !self.procs.contains_key(name) && language.moves(name) {
                self.note(line, format!("'{name}' is not known, and could move the robot"), true);
            }
        }
    }

    fn set(&mut self, name: &str, value: Value) {
        match self.locals.last_mut() {
            Some(locals) if locals.contains_key(name) || !self.globals.contains_key(name) => {
                locals.insert(name.to_owned(), value);
            }
            _ => {
                self.globals.insert(name.to_owned(), value);
            }
        }
    }

    /// A variable of the procedure itself.
    pub(super) fn set_local(&mut self, name: &str, value: Value) {
        if let Some(locals) = self.locals.last_mut() {
            locals.insert(name.to_owned(), value);
        }
    }

    fn put<L: Language>(&mut self, language: &mut L, place: &Expr, value: Value, line: u32) {
        if let Expr::Name(name) = place {
            // Variables of the controller itself belong to all.
            if name.starts_with('$') {
                self.globals.insert(name.clone(), value);
            } else {
                self.set(name, value);
            }
            return;
        }
        // Which way into the variable: names of parts, and places.
        let (mut way, mut of) = (Vec::new(), place);
        loop {
            match of {
                Expr::Part(inner, name) => {
                    way.push(name.clone());
                    of = inner;
                }
                Expr::Element(inner, places) => {
                    for place in places.iter().rev() {
                        match self.value_of(language, place).number() {
                            Ok(at) => way.push(format!("[{}", at - language.first() as f64)),
                            Err(why) => {
                                self.note(
                                    line,
                                    format!("which element is set cannot be known: {why}"),
                                    false,
                                );
                                self.forget(
                                    &Rc::from([Stmt { line, act: Act::Let(place.clone(), place.clone()) }]),
                                    &mut Vec::new(),
                                );
                                if let Some(name) = root(inner) {
                                    self.set(&name, Value::unknown("an element that is not known was set"));
                                }
                                return;
                            }
                        }
                    }
                    of = inner;
                }
                Expr::Name(name) => {
                    let mut whole = self
                        .peek(name)
                        .cloned()
                        .unwrap_or_else(|| language.known(name).unwrap_or_else(|| Value::Record(Vec::new())));
                    let mut slot = &mut whole;
                    for step in way.iter().rev() {
                        slot = match (step.strip_prefix('['), slot) {
                            (Some(index), slot) => {
                                let index: f64 = index.parse().unwrap_or(-1.0);
                                if let Value::List(list) = &*slot
                                    && index >= 0.0
                                    && (index as usize) < list.len()
                                {
                                    let Value::List(list) = slot else { unreachable!("it is one") };
                                    &mut list[index as usize]
                                } else {
                                    slot.part_mut(step)
                                }
                            }
                            (None, slot) => slot.part_mut(step),
                        };
                    }
                    *slot = value;
                    if name.starts_with('$') {
                        self.globals.insert(name.clone(), whole);
                    } else {
                        self.set(name, whole);
                    }
                    return;
                }
                _ => {
                    self.note(line, "nothing can be put there", false);
                    return;
                }
            }
        }
    }
}

fn root(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Name(name) => Some(name.clone()),
        Expr::Part(inner, _) | Expr::Element(inner, _) => root(inner),
        _ => None,
    }
}

/// Names of all functions in an expression.
fn calls(expr: &Expr) -> Vec<&str> {
    match expr {
        Expr::Call(name, args) => {
            let inner = args.iter().filter_map(|arg| arg.value.as_ref()).flat_map(calls);
            [name.as_str()].into_iter().chain(inner).collect()
        }
        Expr::List(all) => all.iter().flat_map(calls).collect(),
        Expr::Record(all) => all.iter().flat_map(|(_, one)| calls(one)).collect(),
        Expr::Minus(inner) | Expr::Not(inner) | Expr::Part(inner, _) => calls(inner),
        Expr::Element(inner, places) => {
            calls(inner).into_iter().chain(places.iter().flat_map(calls)).collect()
        }
        Expr::Two(_, left, right) => calls(left).into_iter().chain(calls(right)).collect(),
        Expr::Const(_) | Expr::Name(_) => Vec::new(),
    }
}

fn two<L: Language>(language: &mut L, op: Op, left: Value, right: Value) -> Value {
    // What is false is false with anything.
    match (op, &left, &right) {
        (Op::And, Value::Truth(false), _) | (Op::And, _, Value::Truth(false)) => return Value::Truth(false),
        (Op::Or, Value::Truth(true), _) | (Op::Or, _, Value::Truth(true)) => return Value::Truth(true),
        _ => {}
    }
    if let Value::Unknown(_) = left {
        return left;
    }
    if let Value::Unknown(_) = right {
        return right;
    }
    match (op, &left, &right) {
        (Op::Chain, _, _) => return language.function(":", &[(None, left), (None, right)]),
        (Op::Same, _, _) => return Value::Truth(left == right),
        (Op::Other, _, _) => return Value::Truth(left != right),
        (Op::And, Value::Truth(a), Value::Truth(b)) => return Value::Truth(*a && *b),
        (Op::Or, Value::Truth(a), Value::Truth(b)) => return Value::Truth(*a || *b),
        (Op::Add | Op::Sub, Value::List(a), Value::List(b)) if a.len() == b.len() => {
            let each = a.iter().zip(b).map(|(a, b)| two(language, op, a.clone(), b.clone()));
            return Value::List(each.collect());
        }
        (Op::Mul, Value::List(list), Value::Number(_)) => {
            return Value::List(
                list.iter().map(|one| two(language, op, one.clone(), right.clone())).collect(),
            );
        }
        (Op::Add, Value::Text(a), Value::Text(b)) => return Value::Text(format!("{a}{b}")),
        _ => {}
    }
    let (Value::Number(a), Value::Number(b)) = (&left, &right) else {
        return Value::unknown(format!(
            "{} and {} cannot be reckoned with each other",
            left.kind(),
            right.kind()
        ));
    };
    let (a, b) = (*a, *b);
    let number = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::IntDiv => (a / b).trunc(),
        Op::Mod => a % b,
        Op::Less => return Value::Truth(a < b),
        Op::More => return Value::Truth(a > b),
        Op::AtMost => return Value::Truth(a <= b),
        Op::AtLeast => return Value::Truth(a >= b),
        Op::And | Op::Or | Op::Same | Op::Other | Op::Chain => {
            return Value::unknown("numbers are neither true nor false");
        }
    };
    if number.is_finite() { Value::Number(number) } else { Value::unknown("a number is not finite") }
}
