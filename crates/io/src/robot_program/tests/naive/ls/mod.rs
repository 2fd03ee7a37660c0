//! FANUC programs (LS), read a second time.
//!
//! What the manuals leave open is drawn by the world: what registers hold that nobody set, whether numbers
//! are reckoned in single or in double precision, and whether the last value of a FOR is kept from its
//! beginning or asked for in each round.

mod machine;
mod text;

use super::{Came, Corner, Dice, Frame, Tally, again, once, programs};
use crate::robot_program::{Language, Profile};
use machine::Machine;
use text::Writer;

/// Tools and frames that the controller has. There is no tool 3.
const PROFILE: &str = "language = \"fanuc\"\nharmless = [\"GRIP\"]\n[tools.1]\nxyz_mm = [10, 0, 100]\nrpy_deg = [0, 10, 0]\n[tools.2]\nxyz_mm = [0, -20, 80.5]\n[work.1]\nxyz_mm = [500, 100, 0]\nrpy_deg = [0, 0, 30]\n";

fn controller(is_tool: bool, number: u32) -> Option<Frame> {
    match (is_tool, number) {
        (_, 0) => Some(Frame::ZERO),
        (true, 1) => Some(Frame::fixed([10.0, 0.0, 100.0], [0.0, 10.0, 0.0])),
        (true, 2) => Some(Frame::to([0.0, -20.0, 80.5])),
        (false, 1) => Some(Frame::fixed([500.0, 100.0, 0.0], [0.0, 0.0, 30.0])),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Number(f64),
    /// `R[1]`
    Register(u32),
    /// `R[R[1]]`
    Indirect(u32),
    /// `PR[1,2]`
    Element(u32, u32),
    /// `GI[1]`, `AI[2]`
    Input(&'static str, u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Add,
    Sub,
    Mul,
    Over,
    Div,
    Mod,
}

impl Op {
    fn text(self) -> &'static str {
        ["+", "-", "*", "/", " DIV ", " MOD "][self as usize]
    }

    /// What binds more is reckoned first.
    fn binds(self) -> u8 {
        if matches!(self, Self::Add | Self::Sub) { 4 } else { 5 }
    }
}

/// An expression of mixed logic.
#[derive(Clone, Debug)]
enum Tree {
    One(Value),
    Two(Box<Tree>, Op, Box<Tree>),
    Compare(Box<Tree>, &'static str, Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
    /// `DI[1]`
    Is(u32),
}

#[derive(Clone, Debug)]
enum Step {
    Move {
        goes: char,
        via: usize,
        to: usize,
        speed: String,
        corner: Corner,
        odd: &'static str,
    },
    /// `R[1]=R[2]+3`: without brackets, from left to right.
    Plain(Value, Value, Vec<(Op, Value)>),
    /// `R[1]=(R[2]+3*R[1])`
    Mixed(Value, Tree),
    /// `PR[1,2]=R[3]+4`
    Element(u32, u32, Value, Option<(Op, Value)>),
    /// `PR[1]=PR[2]+P[3]`, the first of which may be a position.
    Position(u32, Source, Option<(Op, u32)>),
    /// `UTOOL[1]=PR[2]`, `UFRAME[1]=PR[2]`
    Define(bool, u32, u32),
    /// `UTOOL_NUM=1`, `UFRAME_NUM=1`
    Choose(bool, Value),
    Label(u32),
    Jump(u32),
    /// `IF R[1]=2,JMP LBL[3]`; the tree is a comparison of two values, or mixed logic.
    If(Tree, bool, Box<Step>),
    Then(Tree),
    Else,
    EndIf,
    /// `SELECT R[1]=1,JMP LBL[2]`
    Select(Value, Vec<(Value, u32)>, Option<u32>),
    For(u32, Value, Value, bool),
    EndFor,
    /// Nothing that moves.
    Quiet(&'static str),
    /// A routine that moves nothing, and may set any register.
    Call,
    /// Something of which nobody here knows what it does.
    Odd(&'static str),
    End(&'static str),
}

#[derive(Clone, Copy, Debug)]
enum Source {
    P(usize),
    Pr(u32),
    Here,
}

#[derive(Clone, Debug)]
struct Position {
    tool: u32,
    work: u32,
    /// Six axes, or X, Y, Z, W, P, R.
    joints: bool,
    six: [f64; 6],
}

struct Program {
    steps: Vec<Step>,
    positions: Vec<Position>,
    endless: bool,
}

const QUIET: [&str; 17] = [
    "",
    "WAIT R[1]=3",
    "R[50:parts]=R[50:parts]+1",
    "TIMER[1]=RESET",
    "PAUSE",
    "!J P[1] 100% FINE",
    "//J P[1] 100% FINE",
    "//  LBL[1]",
    "!R[1]=7",
    "// R[2]=7",
    "DO[1]=ON",
    "WAIT   .50(sec)",
    "WAIT DI[2]=ON",
    "MESSAGE[R[1]=5]",
    "OVERRIDE=50%",
    "//FOR R[1]=1 TO 3",
    "F[1]=(DI[1] AND R[1]=1)",
];

const ODD: [&str; 12] = [
    "CALL OTHER",
    "OFFSET CONDITION PR[1]",
    "TOOL_OFFSET CONDITION PR[1]",
    "SKIP CONDITION DI[1]=ON",
    "IF DI[1]=ON,CALL OTHER",
    "JMP LBL[R[1]]",
    "RUN OTHER",
    "WAIT DI[1]=ON TIMEOUT,LBL[1]",
    "UFRAME_NUM=AR[1]",
    "$SHELL_WRK.$CUST_START=1",
    "SELECT R[9]=1,CALL OTHER",
    "MONITOR OTHER",
];

/// Options of a motion that lead elsewhere.
const LEAD: [&str; 7] =
    ["COORD[1]", "Offset,PR[1]", "Tool_Offset,PR[1]", "INC", "Skip,LBL[1]", "VOFFSET,VR[1]", "COORD"];

struct Author {
    dice: Dice,
    program: Program,
    label: u32,
    counter: u32,
    tool: u32,
    work: u32,
    /// Whether moves may be jumped over.
    skips: bool,
    /// Of a hundred statements, so many ask for what only one way of reckoning answers.
    edges: usize,
    /// Of a hundred statements, so many are beyond what a reader can know.
    wild: usize,
}

impl Author {
    fn write(seed: u64) -> Program {
        let mut dice = Dice(seed.wrapping_mul(0x1_0000_0001));
        let wild = [0, 0, 0, 0, 0, 0, 0, 1, 6, 15][dice.below(10)];
        let edges = if wild == 0 && dice.percent(10) { 20 } else { 0 };
        let endless = dice.percent(15);
        let skips = dice.percent(if endless { 20 } else { 80 });
        let program = Program { steps: Vec::new(), positions: Vec::new(), endless };
        let mut author = Self { dice, program, label: 0, counter: 20, tool: 0, work: 0, skips, edges, wild };
        let (back, into) = (author.new_label(), author.new_label());
        if endless && author.dice.percent(80) {
            author.push(Step::Label(back));
        }
        for register in 1..=5 {
            let value = author.number();
            author.push(Step::Plain(Value::Register(register), value, Vec::new()));
        }
        author.choose();
        let at = author.dice.below(3);
        if endless && author.dice.percent(30) {
            author.motion();
            author.push(Step::Jump(into));
        }
        for k in 0..author.dice.from_to(2, 5) {
            if k == at as i64 {
                author.push(Step::Label(back));
            }
            author.block(0);
        }
        if endless {
            if at >= 2 {
                author.push(Step::Label(back));
                author.motion();
            }
            author.push(Step::Label(into));
            author.push(Step::Jump(back));
        } else {
            author.push(Step::Label(into));
        }
        let mut program = author.program;
        // A label stands once.
        let mut seen = Vec::new();
        program.steps.retain(|step| match step {
            Step::Label(label) if seen.contains(label) => false,
            Step::Label(label) => {
                seen.push(*label);
                true
            }
            _ => true,
        });
        program
    }

    fn push(&mut self, step: Step) {
        self.program.steps.push(step);
    }

    fn wild(&mut self) -> bool {
        self.dice.percent(self.wild)
    }

    fn new_label(&mut self) -> u32 {
        self.label += 1;
        self.label
    }

    fn number(&mut self) -> Value {
        let low = if self.dice.percent(20) { -4 } else { 0 };
        let whole = self.dice.from_to(low, 9) as f64;
        Value::Number(match self.dice.below(12) {
            0 => whole + 0.5,
            1 => whole / 10.0,
            2 if self.wild > 0 => whole * 9999.0,
            _ => whole,
        })
    }

    /// A register that was set, or sometimes any other.
    fn register(&mut self) -> u32 {
        if self.wild() { self.dice.from_to(6, 9) as u32 } else { self.dice.from_to(1, 5) as u32 }
    }

    fn value(&mut self) -> Value {
        if self.wild() {
            let (a, b) = (self.dice.from_to(1, 5) as u32, self.dice.from_to(1, 6) as u32);
            return match self.dice.below(3) {
                0 => Value::Indirect(a),
                1 => Value::Element(a, b),
                _ => Value::Input(self.dice.pick(&["GI", "AI"]), a),
            };
        }
        if self.dice.percent(50) { self.number() } else { Value::Register(self.register()) }
    }

    fn place(&mut self) -> Value {
        let register = self.register();
        if self.wild() { Value::Indirect(register) } else { Value::Register(register) }
    }

    fn op(&mut self) -> Op {
        match self.dice.below(if self.wild > 0 { 9 } else { 6 }) {
            0..3 => Op::Add,
            3 | 4 => Op::Sub,
            5 => Op::Mul,
            6 => Op::Over,
            7 => Op::Div,
            _ => Op::Mod,
        }
    }

    fn tree(&mut self, depth: usize) -> Tree {
        if depth == 0 || self.dice.percent(40) {
            return Tree::One(self.value());
        }
        Tree::Two(Box::new(self.tree(depth - 1)), self.op(), Box::new(self.tree(depth - 1)))
    }

    fn compare(&mut self, depth: usize) -> Tree {
        let sign = self.dice.pick(&["=", "<>", "<", ">", "<=", ">="]);
        let first = if depth == 0 { Tree::One(Value::Register(self.register())) } else { self.tree(depth) };
        Tree::Compare(Box::new(first), sign, Box::new(self.tree(depth)))
    }

    /// A condition, and whether it is written as mixed logic.
    fn condition(&mut self) -> (Tree, bool) {
        if !self.wild() {
            let mixed = self.dice.percent(40);
            let depth = usize::from(mixed && self.dice.percent(50));
            return (self.compare(depth), mixed);
        }
        let (a, b) = (Box::new(self.compare(1)), Box::new(self.compare(1)));
        let tree = match self.dice.below(5) {
            0 => Tree::And(a, b),
            1 => Tree::Or(a, b),
            2 => Tree::Not(a),
            3 => Tree::Is(1),
            _ => Tree::And(Box::new(Tree::Or(a, b)), Box::new(Tree::Not(Box::new(Tree::Is(2))))),
        };
        (tree, true)
    }

    fn choose(&mut self) {
        for is_tool in [true, false] {
            if self.dice.percent(60) {
                let number = self.dice.below(3) as u32 + u32::from(is_tool && self.dice.percent(10));
                *(if is_tool { &mut self.tool } else { &mut self.work }) = number;
                let mut value = Value::Number(f64::from(number));
                if self.dice.percent(30) {
                    let register = self.new_counter();
                    self.push(Step::Plain(register, value, Vec::new()));
                    value = register;
                }
                self.push(Step::Choose(is_tool, value));
            }
        }
    }

    fn position(&mut self, joints: Option<bool>) -> usize {
        let (tool, work) = if self.wild() { (1, 1) } else { (self.tool, self.work) };
        let fits = |one: &Position| {
            one.tool == tool && one.work == work && joints.is_none_or(|joints| one.joints == joints)
        };
        if self.dice.percent(40)
            && let Some(at) = self.program.positions.iter().position(fits)
        {
            return at;
        }
        let joints = joints.unwrap_or_else(|| self.dice.percent(40));
        let six = std::array::from_fn(|k| {
            let most = if joints || k > 2 { 90 } else { 900 };
            self.dice.from_to(-most, most) as f64 + if self.dice.percent(20) { 0.125 } else { 0.0 }
        });
        self.program.positions.push(Position { tool, work, joints, six });
        self.program.positions.len() - 1
    }

    fn motion(&mut self) {
        let goes = ['J', 'J', 'L', 'L', 'C'][self.dice.below(5)];
        let to = self.position((goes == 'C').then_some(false));
        let via = if goes == 'C' { self.position(Some(false)) } else { to };
        let speed = match (goes, self.dice.below(4)) {
            (_, 0) => format!("{}sec", self.dice.from_to(1, 9)),
            ('J', _) => format!("{}%", self.dice.from_to(1, 100)),
            (_, 1) => ["max_speed", "R[3]mm/sec"][self.dice.below(2)].into(),
            _ => format!("{}mm/sec", self.dice.from_to(1, 2000)),
        };
        let corner = match self.dice.below(3) {
            0 => Corner::Smooth(self.dice.from_to(0, 100) as f64 / 100.0),
            _ => Corner::Stop,
        };
        let odd = if self.wild() { self.dice.pick(&LEAD) } else { "" };
        self.push(Step::Move { goes, via, to, speed, corner, odd });
    }

    /// Sets all of a position register, and a tool or a frame from it.
    fn define(&mut self) {
        let (pr, is_tool) = (self.dice.from_to(1, 3) as u32, self.dice.percent(50));
        for part in 1..=6 {
            if !self.wild() {
                let more = self.dice.percent(30).then(|| (self.op(), self.value()));
                let value = self.value();
                self.push(Step::Element(pr, part, value, more));
            }
        }
        if self.wild() {
            let from = match self.dice.below(3) {
                0 => Source::P(self.position(Some(false))),
                1 => Source::Pr(self.dice.from_to(1, 3) as u32),
                _ => Source::Here,
            };
            let more = self.dice.percent(40).then(|| (Op::Sub, self.dice.from_to(1, 3) as u32));
            self.push(Step::Position(pr, from, more));
        }
        let number = self.dice.from_to(1, 2) as u32;
        self.push(Step::Define(is_tool, number, pr));
    }

    fn reckon(&mut self) {
        let (place, first) = (self.place(), self.value());
        let mut more = Vec::new();
        if self.dice.percent(60) {
            more.push((self.op(), self.value()));
            // Signs of one kind only may follow each other.
            while self.wild() && more[0].0.binds() == 4 {
                more.push((Op::Sub, self.value()));
            }
        }
        self.push(Step::Plain(place, first, more));
    }

    fn simple(&mut self) {
        if self.dice.percent(self.edges) {
            return self.edge();
        }
        match self.dice.below(16) {
            0..7 => self.motion(),
            7..10 => self.reckon(),
            10 | 11 => {
                let depth = if self.wild() { 3 } else { 1 };
                let (place, tree) = (self.place(), self.tree(depth));
                self.push(Step::Mixed(place, tree));
            }
            12 if self.dice.percent(40) => self.define(),
            13 if self.dice.percent(50) && self.wild > 0 => self.push(Step::Call),
            14 if self.wild() => {
                let text = self.dice.pick(&ODD);
                self.push(Step::Odd(text));
            }
            _ => {
                let text = self.dice.pick(&QUIET);
                self.push(Step::Quiet(text));
            }
        }
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..self.dice.from_to(1, 3) {
            if depth == 3 || self.dice.percent(65) {
                self.simple();
                continue;
            }
            match self.dice.below(8) {
                0 | 1 => {
                    let (over, (test, mixed)) = (self.new_label(), self.condition());
                    self.push(Step::If(test, mixed, Box::new(Step::Jump(over))));
                    if self.skips {
                        self.block(depth + 1);
                    } else {
                        self.reckon();
                    }
                    self.push(Step::Label(over));
                }
                2 if self.skips => {
                    let (no, out) = (self.new_label(), self.new_label());
                    let (test, mixed) = self.condition();
                    self.push(Step::If(test, mixed, Box::new(Step::Jump(no))));
                    self.block(depth + 1);
                    self.push(Step::Jump(out));
                    self.push(Step::Label(no));
                    self.block(depth + 1);
                    self.push(Step::Label(out));
                }
                3 => {
                    let (begin, counter) = (self.new_label(), self.new_counter());
                    let step = (Op::Add, Value::Number(1.0));
                    self.push(Step::Plain(counter, Value::Number(0.0), Vec::new()));
                    self.push(Step::Label(begin));
                    self.block(depth + 1);
                    self.push(Step::Plain(counter, counter, vec![step]));
                    let most = Value::Number(self.dice.from_to(1, 3) as f64);
                    let test = Tree::Compare(Box::new(Tree::One(counter)), "<", Box::new(Tree::One(most)));
                    let mixed = self.dice.percent(50);
                    self.push(Step::If(test, mixed, Box::new(Step::Jump(begin))));
                }
                4 | 5 => self.counted(depth),
                6 if self.wild() => {
                    let (test, _) = self.condition();
                    self.push(Step::Then(test));
                    self.block(depth + 1);
                    if self.dice.percent(50) {
                        self.push(Step::Else);
                        self.block(depth + 1);
                    }
                    self.push(Step::EndIf);
                }
                7 if self.wild() => {
                    let (one, out) = (self.new_label(), self.new_label());
                    let cases = vec![(self.number(), one), (self.number(), out)];
                    let register = Value::Register(self.register());
                    let last = self.dice.percent(50).then_some(out);
                    self.push(Step::Select(register, cases, last));
                    self.block(depth + 1);
                    self.push(Step::Label(one));
                    self.block(depth + 1);
                    self.push(Step::Label(out));
                }
                _ => {
                    let (test, mixed) = self.condition();
                    let then = if mixed && self.dice.percent(50) {
                        Step::Mixed(self.place(), self.tree(1))
                    } else if self.wild() {
                        Step::Call
                    } else if self.dice.percent(90) {
                        continue;
                    } else {
                        Step::End(self.dice.pick(&["END", "ABORT"]))
                    };
                    match then {
                        // Only jumps, calls and mixed logic follow a condition.
                        Step::End(_) => {
                            let over = self.new_label();
                            self.push(Step::If(test, mixed, Box::new(Step::Jump(over))));
                            self.push(then);
                            self.push(Step::Label(over));
                        }
                        then => self.push(Step::If(test, mixed, Box::new(then))),
                    }
                }
            }
        }
    }

    fn new_counter(&mut self) -> Value {
        self.counter += 1;
        Value::Register(self.counter)
    }

    /// Numbers that are whole, or large, in one way of reckoning only.
    fn edge(&mut self) {
        let (register, number) = (self.new_counter(), Value::Number);
        let most = if self.dice.percent(30) {
            let large = self.dice.from_to(30_000, 60_000) as f64;
            self.push(Step::Plain(register, number(large), Vec::new()));
            self.push(Step::Plain(register, register, vec![(Op::Mul, register)]));
            large
        } else {
            let tenths = [0, 1].map(|_| self.dice.from_to(10, 99));
            let whole = (tenths[0] + tenths[1]) / 10 + self.dice.from_to(1, 9);
            let last = whole * 10 - tenths[0] - tenths[1];
            let [a, b] = tenths.map(|tenths| tenths as f64 / 10.0);
            self.push(Step::Plain(register, number(a), Vec::new()));
            self.push(Step::Plain(register, register, vec![(Op::Add, number(b))]));
            self.push(Step::Plain(register, register, vec![(Op::Add, number(last as f64 / 10.0))]));
            whole as f64
        };
        let sign = self.dice.pick(&["=", "<=", ">", "<>"]);
        let test = Tree::Compare(Box::new(Tree::One(register)), sign, Box::new(Tree::One(number(most))));
        let over = self.new_label();
        self.push(Step::If(test, false, Box::new(Step::Jump(over))));
        self.motion();
        self.push(Step::Label(over));
    }

    /// A FOR, which may set its own last value, leave itself, or count further.
    fn counted(&mut self, depth: usize) {
        let Value::Register(counter) = self.new_counter() else { return };
        let down = self.dice.percent(40);
        let (low, high) = (self.dice.from_to(-2, 3) as f64, self.dice.from_to(-1, 5) as f64);
        let (from, mut to) = if down { (high, Value::Number(low)) } else { (low, Value::Number(high)) };
        let last = self.new_counter();
        if self.dice.percent(40) {
            self.push(Step::Plain(last, to, Vec::new()));
            to = last;
        }
        self.push(Step::For(counter, Value::Number(from), to, down));
        self.block(depth + 1);
        if self.dice.percent(10) {
            self.push(Step::Plain(last, last, vec![(Op::Sub, Value::Number(1.0))]));
        }
        if self.dice.percent(10) {
            let by = if down { Op::Sub } else { Op::Add };
            let counter = Value::Register(counter);
            self.push(Step::Plain(counter, counter, vec![(by, Value::Number(1.0))]));
        }
        let out = self.new_label();
        let leaves = self.dice.percent(15);
        if leaves {
            let (test, mixed) = self.condition();
            self.push(Step::If(test, mixed, Box::new(Step::Jump(out))));
        }
        self.push(Step::EndFor);
        if leaves {
            self.push(Step::Label(out));
        }
        // What the counter is now.
        if self.dice.percent(self.edges) {
            let (over, a, b) = (self.new_label(), Tree::One(Value::Register(counter)), Tree::One(to));
            let test = Tree::Compare(Box::new(a), "=", Box::new(b));
            self.push(Step::If(test, false, Box::new(Step::Jump(over))));
            self.motion();
            self.push(Step::Label(over));
        }
    }
}

fn came(seed: u64, profile: &Profile, repeats: &Profile) -> Came {
    let program = Author::write(seed);
    let text = Writer { dice: Dice(!seed) }.program(&program);
    if program.endless {
        return again(Language::Fanuc, &text, profile, |world| Machine::new(&program, world).run(1));
    }
    if seed.is_multiple_of(3) {
        let came = again(Language::Fanuc, &text, repeats, |world| Machine::new(&program, world).run(6));
        if matches!(came, Came::Differs(..)) {
            return came;
        }
    }
    once(Language::Fanuc, &text, profile, |world| Machine::new(&program, world).run(1))
}

#[test]
fn programs_of_fanuc_are_run_as_the_manual_has_it() {
    let profile = Profile::parse(PROFILE).expect("a good profile");
    let repeats = Profile { repeats: true, ..profile.clone() };
    let mut tally = Tally::default();
    for seed in 0..programs() {
        tally.add(came(seed, &profile, &repeats));
    }
    tally.assert_known(45);
}
