//! Runs what a robot program says, as far as that can be known from its text.
//!
//! | part | does |
//! |---|---|
//! | here | runs statements |
//! | `loops` | runs loops |
//! | `cycles` | runs the entry again where the controller does, and tells what is never reached |
//! | `values` | works out expressions, and puts values into variables |
//! | `names` | what a text calls and sets, whether that is run or not |
//! | `order` | refuses statements that depend on which of their parts is worked out first |
//! | `passing` | passes over what may or may not be run |
//! | `faults` | what handlers of faults may do, and functions that have effects |
//! | `losses` | what is not known behind something that is not understood |
//!
//! What depends on the controller (inputs, registers, clocks) is *unknown*. A branch that is taken or not taken for an unknown reason
//! is passed over; if the robot could move in it, that is told, and whoever wants a proof has to refuse.

mod cycles;
mod faults;
mod loops;
mod losses;
mod names;
mod order;
mod passing;
mod values;

pub(super) use cycles::Reached;
pub(super) use losses::Loss;
pub(super) use names::{called, hidden_late, written};
pub(super) use values::{root, sum};

use super::parser::{Arg, Expr};
use super::value::Value;
use super::{Closing, Note, ProgramMove, push_note};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Statements that are run, at most: a program that runs longer is not finite for us. Five for each of the most moves.
const MOST_STEPS: usize = 5_000_000;

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
    /// Puts a value into a variable that belongs to all.
    Global(Expr, Expr),
    /// A variable of the procedure itself; without a value it is not known.
    Declare(String, Option<Expr>),
    Call(String, Vec<Arg>),
    /// Conditions with what is done, and otherwise.
    If(Vec<(Expr, Block)>, Block),
    For(Box<Loop>),
    While(Expr, Block),
    Return(Option<Expr>),
    /// What is run only after a fault, and how it ends.
    AfterFault(Block, HandlerEnd),
    /// Routines that a statement may call which is not followed.
    Aside(Vec<String>),
    /// A routine that is run whenever something happens, from here on.
    Whenever(String),
    /// Something that is not understood; whether it could move the robot.
    Strange {
        why: String,
        moves: bool,
    },
}

/// How what is run after a fault ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HandlerEnd {
    /// The program ends, or the fault goes on to whoever called.
    Stops,
    /// The statement that failed is run again.
    Retries,
    /// The statement that failed, or all that follows it in its routine, is left out.
    Leaves,
    /// It is run where the program is given up, or goes backwards.
    GivesUp,
}

/// A loop that counts.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) name: String,
    pub(super) from: Expr,
    pub(super) to: Expr,
    pub(super) step: Option<Expr>,
    pub(super) body: Block,
    /// Whether the variable is there in the loop only, whatever else has its name.
    pub(super) is_own: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Proc {
    pub(super) params: Vec<Param>,
    pub(super) body: Block,
}

#[derive(Clone, Debug)]
pub(super) struct Param {
    pub(super) name: String,
    /// Whether what is put into it is put into what was given.
    pub(super) is_reference: bool,
    /// Whether it is given by its name, or not at all.
    pub(super) is_optional: bool,
}

/// What a language adds.
pub(super) trait Language {
    /// A statement that is no call of something in the file. Whether it was understood; otherwise why not.
    fn act(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), Strange>;
    /// A function that is not in the file.
    fn function(&mut self, name: &str, args: &[(Option<String>, Value)]) -> Value;
    /// A name that is not in the file.
    fn known(&self, name: &str) -> Option<Value>;
    /// Whether a statement or a function of that name, which is not in the file, could move the robot or change how it moves later.
    fn moves(&self, name: &str) -> bool;
    /// Whether a statement of that name, which is not in the file, sets variables that are handed over to it.
    fn writes(&self, _name: &str) -> bool {
        false
    }
    /// Whether something is given back through an argument of that name.
    fn gives_back(&self, _option: &str) -> bool {
        false
    }
    /// Whether a statement of that name is a move.
    fn is_motion(&self, name: &str) -> bool;
    /// Whether a statement of that name brings the robot to a stop, and does nothing else.
    fn only_stops(&self, _name: &str) -> bool {
        false
    }
    /// Moves that were made so far.
    fn moves_made(&mut self) -> &mut Vec<ProgramMove>;
    /// The first place of a list.
    fn first(&self) -> usize;
    /// All but variables that later moves depend on: the last moves, and what was switched.
    fn state(&self) -> State;
    /// What was switched, in words that differ where it does.
    fn settings(&self) -> String;
    /// Keeps what is switched.
    fn save(&mut self);
    /// Switches all as it was when it was last kept.
    fn restore(&mut self);
    /// Forgets what was last kept.
    fn drop_saved(&mut self);
    /// What is switched is not known from here on: no move is understood.
    fn unsure(&mut self);
    /// What a variable or a parameter holds after a value was put into it, and what a function of that name gives.
    fn kept(&self, _name: &str, value: Value) -> Value {
        value
    }
    /// The same for a part of that name.
    fn kept_part(&self, _part: &str, value: Value) -> Value {
        value
    }
    /// Whether parts stand in the order in which a type of the program has them, so that a list says all of them.
    fn has_order(&self, _parts: &[(String, Value)]) -> bool {
        false
    }
    /// Whether a part of that name stands in different places in different types.
    fn is_ambiguous(&self, _part: &str) -> bool {
        false
    }
    /// Whether whole numbers may lose what is left over when they are divided.
    fn divides_whole(&self) -> bool {
        false
    }
}

/// See [`Language::state`].
pub(super) type State = (Vec<ProgramMove>, String);

/// A statement that is not understood.
pub(super) struct Strange {
    pub(super) why: String,
    pub(super) moves: bool,
    /// What it may have done.
    pub(super) loss: Loss,
}

impl Strange {
    /// One that could move the robot.
    pub(super) fn moving(why: impl Into<String>) -> Self {
        Self { why: why.into(), moves: true, loss: Loss::Foreign }
    }

    /// A move to a place that is not known: nothing else is changed by it.
    pub(super) fn to_unknown(why: impl Into<String>) -> Self {
        Self { why: why.into(), moves: true, loss: Loss::Place }
    }
}

pub(super) struct Machine {
    procs: Rc<HashMap<String, Rc<Proc>>>,
    globals: Variables,
    locals: Vec<Variables>,
    pub(super) notes: Vec<Note>,
    /// Ends of rounds at which the robot has to stand in the same posture.
    pub(super) closing: Vec<Closing>,
    pub(super) statements: usize,
    /// How often something was met that could move the robot and is not understood.
    refused: usize,
    /// Names in each routine, by its place.
    mentioned: HashMap<usize, names::Mentioned>,
    /// Whether variables have to be declared, so that those which a routine does not declare belong to all.
    declares: bool,
    /// Variables that something may set at any time: what they hold is never known.
    volatile: HashSet<String>,
    /// How often each call in an expression was worked out, by its place.
    worked_out: HashMap<usize, u64>,
    /// Routines by their places, and whether a fault may end them anywhere.
    cut_short: HashMap<usize, bool>,
    /// Routines that could move the robot or set something, as far as it was asked.
    effects: RefCell<HashMap<String, bool>>,
    /// Variables that the file does not declare.
    undeclared: HashSet<String>,
    /// Motion statements that were run, by their places.
    reached: HashSet<usize>,
    /// Whether the robot may stand somewhere else than at the target of the last move.
    is_lost: bool,
    /// How often others may have set what belongs to the controller.
    losses: u64,
    /// How often anything may have been set.
    all_losses: u64,
    /// Variables that nothing outside of the file can set, and nothing in it does.
    fixed: HashSet<String>,
    /// Parameters of each routine that is run which refer to what was handed over.
    references: Vec<HashSet<String>>,
    /// How each routine that is run may have been left.
    left_early: Vec<losses::LeftEarly>,
    /// Variables that nothing can set.
    consts: HashSet<String>,
    /// Bodies of the routines that are run, and whether each moves the robot, by its place.
    bodies_run: Vec<Block>,
    moving_bodies: HashMap<usize, bool>,
    /// Lines of moves that may also be made in ways that are not followed.
    doubtful: HashSet<u32>,
    /// Whether nothing is claimed of any move.
    is_hopeless: bool,
    /// Whether it was stopped because there is too much of it.
    gave_up: bool,
    /// The line that is run.
    line: u32,
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
            closing: Vec::new(),
            statements: 0,
            refused: 0,
            mentioned: HashMap::new(),
            declares: true,
            volatile: HashSet::new(),
            cut_short: HashMap::new(),
            effects: RefCell::new(HashMap::new()),
            undeclared: HashSet::new(),
            worked_out: HashMap::new(),
            reached: HashSet::new(),
            is_lost: false,
            losses: 0,
            all_losses: 0,
            fixed: HashSet::new(),
            references: Vec::new(),
            left_early: Vec::new(),
            consts: HashSet::new(),
            bodies_run: Vec::new(),
            moving_bodies: HashMap::new(),
            doubtful: HashSet::new(),
            is_hopeless: false,
            gave_up: false,
            line: 1,
            steps: 0,
            stopped: false,
        }
    }

    /// For a language in which whoever sets a variable makes it.
    pub(super) fn without_declarations(self) -> Self {
        Self { declares: false, ..self }
    }

    pub(super) fn set_global(&mut self, name: String, value: Value) {
        let value = self.lasting(&name, value);
        self.globals.insert(name, value);
    }

    pub(super) fn note(&mut self, line: u32, what: impl Into<String>, moves: bool) {
        self.note_loss(line, what, moves, if moves { Loss::All } else { Loss::Nothing });
    }

    /// The same, where it is known what it may have done.
    pub(super) fn note_loss(&mut self, line: u32, what: impl Into<String>, moves: bool, loss: Loss) {
        self.lose(loss);
        let what = what.into();
        self.refused += usize::from(moves);
        // The same line in a loop is told once.
        if !self.notes.iter().rev().take(64).any(|note| note.line == line && note.what == what)
            && !push_note(&mut self.notes, Note { line, what, moves })
        {
            self.stopped = true;
            self.gave_up = true;
        }
    }

    /// Nothing more is run: the program ends here for good.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    /// Runs a block as if it were the body of the program.
    pub(super) fn run<L: Language>(&mut self, language: &mut L, block: &Block) {
        self.locals.push(HashMap::new());
        self.references.push(HashSet::new());
        self.left_early.push(losses::LeftEarly::default());
        self.bodies_run.push(block.clone());
        let is_cut_short = self.look_at_faults(language, block);
        self.block(language, block);
        self.bodies_run.pop();
        if is_cut_short {
            self.ends_unless_a_fault(self.line);
        }
        let left = self.left_early.pop().unwrap_or_default();
        self.ends_or_left(language, block, &left);
        self.locals.pop();
        self.references.pop();
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
        let line = self.line;
        let (mut locals, mut back) = (HashMap::new(), Vec::new());
        let mut given = args.iter().filter(|arg| arg.name.is_none());
        for Param { name, is_reference, is_optional } in &proc.params {
            let by_name = args.iter().find(|arg| arg.name.as_ref() == Some(name));
            let by_place = || if *is_optional { None } else { given.next() };
            let value = match by_name.or_else(by_place).and_then(|arg| arg.value.as_ref()) {
                Some(expr) => {
                    if *is_reference && self.calls_routine(expr) {
                        return Err("which element is handed over by reference hangs on a function".into());
                    }
                    let value = self.value_of(language, expr);
                    if *is_reference && values::root(expr).is_some() {
                        back.push((name, expr, value.clone()));
                    }
                    if *is_reference { value } else { language.kept(name, value) }
                }
                None => Value::unknown(format!("'{name}' was given no value")),
            };
            let value = self.lasting(name, value);
            locals.insert(name.clone(), value);
        }
        let is_param = |name: &String| proc.params.iter().any(|param| param.name == *name);
        if given.next().is_some() || !args.iter().filter_map(|arg| arg.name.as_ref()).all(is_param) {
            return Err("more is handed over than the routine takes".into());
        }
        let handed: Vec<(&str, &Expr)> = back.iter().map(|(name, expr, _)| (name.as_str(), *expr)).collect();
        if let Some(twice) = self.met_twice(language, proc, &handed) {
            return Err(format!(
                "'{twice}' is handed over by reference, and what is called comes by it in another way, too: which value it has when is not followed"
            ));
        }
        self.locals.push(locals);
        self.references.push(back.iter().map(|(name, ..)| (*name).clone()).collect());
        self.left_early.push(losses::LeftEarly::default());
        self.bodies_run.push(proc.body.clone());
        let is_cut_short = self.look_at_faults(language, &proc.body);
        let flow = self.block(language, &proc.body);
        self.bodies_run.pop();
        let left = self.left_early.pop().unwrap_or_default();
        self.references.pop();
        self.ends_or_left(language, &proc.body, &left);
        if is_cut_short {
            self.forget_all(language, &proc.body);
            self.ends_unless_a_fault(line);
        }
        let mut locals = self.locals.pop().unwrap_or_default();
        self.line = line;
        for (name, place, before) in back {
            if left.is_left {
                self.forget_place(place);
            } else if let Some(value) = locals.remove(name).filter(|value| *value != before) {
                self.put(language, place, value, line);
            }
        }
        match flow {
            Flow::Return(_) | Flow::On if left.is_left => {
                Ok(Value::unknown("where the function is left is not known"))
            }
            Flow::Return(_) if is_cut_short => Ok(Value::unknown("a fault may end the function before")),
            Flow::Return(value) => Ok(value),
            Flow::On => Ok(Value::unknown("nothing was returned")),
        }
    }

    fn block<L: Language>(&mut self, language: &mut L, block: &Block) -> Flow {
        for stmt in block.iter() {
            if self.stopped {
                return Flow::On;
            }
            self.statements += 1;
            if self.is_too_long(stmt.line) {
                return Flow::On;
            }
            self.line = stmt.line;
            let losses = self.all_losses;
            let flow = self.one(language, stmt);
            if self.all_losses > losses {
                self.abandon_calls(language, stmt);
            }
            if let Flow::Return(value) = flow {
                return Flow::Return(value);
            }
        }
        Flow::On
    }

    fn is_too_long(&mut self, line: u32) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            self.stopped = true;
            self.gave_up = true;
            self.note(line, format!("the program runs for more than {MOST_STEPS} steps"), true);
        }
        self.stopped
    }

    fn one<L: Language>(&mut self, language: &mut L, stmt: &Stmt) -> Flow {
        let line = stmt.line;
        self.look_at_order(language, stmt);
        match &stmt.act {
            Act::Let(place, expr) => {
                self.look_at_calls(language, expr, line);
                self.look_at_calls(language, place, line);
                let value = self.value_of(language, expr);
                self.put(language, place, value, line);
            }
            Act::Global(place, expr) => {
                self.look_at_calls(language, expr, line);
                let value = self.value_of(language, expr);
                self.put_global(language, place, value, line);
            }
            // Types of parameters are declared, too.
            Act::Declare(name, None) if self.locals.last().is_some_and(|all| all.contains_key(name)) => {}
            Act::Declare(name, value) => {
                let value = match value {
                    Some(expr) => {
                        self.look_at_calls(language, expr, line);
                        self.value_of(language, expr)
                    }
                    None => Value::unknown(format!("'{name}' was given no value")),
                };
                let kept = language.kept(name, value);
                let kept = self.lasting(name, kept);
                if let Some(locals) = self.locals.last_mut() {
                    locals.insert(name.clone(), kept);
                }
            }
            Act::Call(name, args) => {
                if language.is_motion(name) {
                    self.reached.insert(std::ptr::from_ref(&stmt.act).addr());
                }
                self.run_call(language, name, args, line);
            }
            Act::If(ways, otherwise) => {
                for (k, (condition, body)) in ways.iter().enumerate() {
                    self.look_at_calls(language, condition, line);
                    match self.value_of(language, condition) {
                        Value::Truth(true) => return self.block(language, body),
                        Value::Truth(false) => {}
                        other => {
                            let rest = ways[k..].iter().map(|(_, body)| body).chain([otherwise]);
                            let rest: Vec<Block> = rest.cloned().collect();
                            // Conditions that come after it may be asked or not.
                            let asked: Vec<&Expr> =
                                ways[k + 1..].iter().map(|(condition, _)| condition).collect();
                            if self.pass_over(language, &rest, &asked, &other, line) {
                                self.run_any(language, &rest);
                            }
                            return Flow::On;
                        }
                    }
                }
                return self.block(language, otherwise);
            }
            Act::For(of) => return self.count(language, of, line),
            Act::While(condition, body) => return self.repeat(language, condition, body, line),
            Act::Return(value) => {
                let Some(expr) = value else { return Flow::Return(Value::unknown("nothing was returned")) };
                self.look_at_calls(language, expr, line);
                return Flow::Return(self.value_of(language, expr));
            }
            // It was looked at when the routine began.
            Act::AfterFault(..) => {}
            Act::Aside(names) => {
                let names: Vec<&String> =
                    names.iter().filter(|name| self.procs.contains_key(*name)).collect();
                if let Some(name) = names.into_iter().find(|name| self.has_effects(language, name)) {
                    let what = format!("'{name}' is called in a statement that is not followed");
                    self.note(line, what, true);
                }
            }
            Act::Whenever(name) => self.whenever(language, name, line),
            Act::Strange { why, moves } => self.note(line, why.clone(), *moves),
        }
        Flow::On
    }

    fn run_call<L: Language>(&mut self, language: &mut L, name: &str, args: &[Arg], line: u32) {
        for expr in args.iter().filter_map(|arg| arg.value.as_ref()) {
            self.look_at_calls(language, expr, line);
        }
        if let Some(proc) = self.procs.get(name).cloned() {
            if let Err(why) = self.call(language, &proc, args) {
                self.note(line, why, true);
            }
            return;
        }
        // What a statement of the controller calls has to be worked out, once.
        let called = self.calls_with_effects(language, args);
        let before: Vec<u64> = called.iter().map(|place| self.worked_out(*place)).collect();
        if let Err(strange) = language.act(self, name, args, line) {
            let loss = if strange.moves { strange.loss } else { Loss::Nothing };
            self.note_loss(line, strange.why, strange.moves, loss);
            if strange.moves && strange.loss == Loss::Foreign {
                self.forget_args(args);
            }
        }
        if called.iter().zip(before).any(|(place, before)| self.worked_out(*place) != before + 1) {
            self.note(line, "what is called in this statement is not followed", true);
        }
    }

    fn worked_out(&self, place: usize) -> u64 {
        self.worked_out.get(&place).copied().unwrap_or(0)
    }
}
