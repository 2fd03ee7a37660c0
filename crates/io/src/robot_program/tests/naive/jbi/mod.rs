//! Yaskawa jobs (INFORM), read a second time.
//!
//! What the manuals leave open is drawn by the world: what variables hold that nobody set, and what comes of
//! numbers that do not fit.

mod machine;
mod text;

use super::{Came, Dice, Frame, Tally, again, once, programs};
use crate::robot_program::{Language, Profile};
use machine::Machine;
use text::written;

const PULSES: [f64; 6] = [1000.0, -1000.0, 1200.5, 950.0, 980.0, -455.0];

/// Tools and frames that the controller has. There is no tool 2, and no frame 2.
const PROFILE: &str = "language = \"jbi\"\nharmless = [\"GRIP\"]\npulses_per_degree = [1000, -1000, 1200.5, 950, 980, -455]\nangles_per_degree = 10000\n[tools.0]\nxyz_mm = [0, 0, 50]\n[tools.1]\nxyz_mm = [10, 0, 100]\nrpy_deg = [0, 10, 0]\n[work.1]\nxyz_mm = [500, 100, 0]\nrpy_deg = [0, 0, 30]\n";

fn controller(tool: u32) -> Option<Frame> {
    match tool {
        0 => Some(Frame::to([0.0, 0.0, 50.0])),
        1 => Some(Frame::fixed([10.0, 0.0, 100.0], [0.0, 10.0, 0.0])),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Variable {
    /// `B001`, `I000`
    Plain(char, u32),
    /// `LB001`: of this job only, until it ends.
    Local(char, u32),
    /// `B[3]`: an element of the array of all variables of its kind.
    Element(char, u32),
    /// `B[B001]`
    Indirect(char, u32),
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Number(f64),
    Of(Variable),
}

#[derive(Clone, Copy, Debug)]
enum Test {
    Compare(Variable, &'static str, Value),
    /// `IN#(1)=ON`
    Input(u32),
}

#[derive(Clone, Debug)]
enum Step {
    Move {
        word: &'static str,
        to: usize,
        speed: f64,
        level: Option<u32>,
        odd: &'static str,
    },
    /// SET, ADD, SUB, MUL, DIV
    Reckon(&'static str, Variable, Value),
    /// INC, DEC
    Count(&'static str, Variable),
    /// `CLEAR B001 3`: this one and those after it.
    Clear(Variable, u32),
    /// `DIN B001 IN#(1)`
    Read(Variable),
    /// `SETE P095 (1) 30000`
    Element(u32, u32, Value),
    /// `SET P095 P096`
    Copy(u32, u32),
    /// `GETS PX095 $PX000`
    Get(u32),
    /// `SETTOOL TL#(1) P095`
    Tool(u32, u32),
    Label(u32),
    Jump(u32, Option<Test>),
    Then(Test),
    Else,
    EndIf,
    Quiet(&'static str),
    /// A job that moves nothing, and may set any variable.
    Call,
    /// Something of which nobody here knows what it does.
    Odd(&'static str),
}

#[derive(Clone, Debug)]
struct Position {
    tool: u32,
    /// Six pulses, or a place in a frame: 0 is the base.
    work: Option<u32>,
    six: [f64; 6],
}

struct Job {
    steps: Vec<Step>,
    positions: Vec<Position>,
    endless: bool,
}

/// Variables that a job sets before all else.
const KNOWN: [Variable; 7] = [
    Variable::Plain('B', 1),
    Variable::Plain('B', 2),
    Variable::Plain('B', 3),
    Variable::Plain('I', 4),
    Variable::Plain('D', 5),
    Variable::Plain('R', 6),
    Variable::Local('B', 1),
];

const QUIET: [&str; 14] = [
    "GETE D090 P001 (1)",
    "INC D091",
    "'MOVJ C00000 VJ=50.00",
    "'*L1",
    "'SET B001 3",
    "DOUT OT#(1) ON",
    "TIMER T=0.50",
    "WAIT IN#(2)=ON",
    "WAIT IN#(2)=ON T=1.00",
    "MSG \"SET B001 3\"",
    "PAUSE",
    "NOP",
    "SPEED VJ=25.00",
    "///GROUP1 RB1",
];

const ODD: [&str; 15] = [
    "CALL JOB:OTHER",
    "CALL JOB:GRIP IF IN#(1)=ON",
    "SFTON P001",
    "IMOV P001 V=100.0 BF",
    "MOVJ P001 VJ=50.00",
    "MOVL P[B001] V=100.0",
    "MOVS C00000 V=100.0",
    "WHILE B001<3",
    "FOR B001 1 3",
    "SWITCH B001 CASE 1",
    "MFRAME UF#(1) P001 P002 P003",
    "JUMP JOB:OTHER",
    "REFP 1 C00000",
    "RET IF B001=3",
    "CNVRT PX001 PX001 BF",
];

const LEAD: [&str; 4] = ["UNTIL IN#(1)=ON", "NWAIT", "CR=5.0", "+MOVL"];

struct Author {
    dice: Dice,
    job: Job,
    label: u32,
    /// Whether moves may be jumped over.
    skips: bool,
    /// Of a hundred instructions, so many set a variable in another way than by its name.
    edges: usize,
    /// Of a hundred instructions, so many are beyond what a reader can know.
    wild: usize,
}

impl Author {
    fn write(seed: u64) -> Job {
        let mut dice = Dice(seed.wrapping_mul(0x1_0000_0001) ^ 0x5A5A);
        let wild = [0, 0, 0, 0, 0, 0, 0, 1, 6, 15][dice.below(10)];
        let edges = if wild == 0 && dice.percent(10) { 20 } else { 0 };
        let endless = dice.percent(15);
        let job = Job { steps: Vec::new(), positions: Vec::new(), endless };
        let skips = dice.percent(30);
        let mut author = Self { dice, job, label: 0, skips, edges, wild };
        for variable in KNOWN {
            let number = Value::Number(author.dice.from_to(0, 9) as f64);
            author.push(Step::Reckon("SET", variable, number));
        }
        let (back, into) = (author.new_label(), author.new_label());
        if endless && author.dice.percent(40) {
            author.motion();
            author.push(Step::Jump(into, None));
        }
        author.push(Step::Label(back));
        for _ in 0..author.dice.from_to(2, 5) {
            author.block(0);
        }
        author.push(Step::Label(into));
        if endless {
            author.push(Step::Jump(back, None));
        }
        author.job
    }

    fn push(&mut self, step: Step) {
        self.job.steps.push(step);
    }

    fn wild(&mut self) -> bool {
        self.dice.percent(self.wild)
    }

    fn new_label(&mut self) -> u32 {
        self.label += 1;
        self.label
    }

    /// A variable that was set, or sometimes any other.
    fn variable(&mut self) -> Variable {
        let known = KNOWN[self.dice.below(KNOWN.len())];
        let (kind, number) = match known {
            Variable::Plain(kind, number) if self.wild() => (kind, number),
            known => return known,
        };
        match self.dice.below(3) {
            0 => Variable::Plain(kind, number + 3),
            1 => Variable::Element(kind, number),
            _ => Variable::Indirect(kind, self.dice.from_to(1, 3) as u32),
        }
    }

    fn value(&mut self) -> Value {
        match self.dice.below(10) {
            0..5 => Value::Of(self.variable()),
            5 if self.wild > 0 => Value::Number(self.dice.from_to(-9, 300) as f64),
            _ => Value::Number(self.dice.from_to(0, 6) as f64),
        }
    }

    fn test(&mut self) -> Test {
        if self.wild() {
            return Test::Input(self.dice.from_to(1, 9) as u32);
        }
        let sign = self.dice.pick(&["=", "<>", "<", ">", "<=", ">="]);
        Test::Compare(self.variable(), sign, self.value())
    }

    fn position(&mut self, like: Option<usize>, pose: bool) -> usize {
        let fits = |one: &Position| like.is_none() && (!pose || one.work.is_some());
        if self.dice.percent(40)
            && let Some(at) = self.job.positions.iter().position(fits)
        {
            return at;
        }
        let (tool, work) = match like.map(|at| &self.job.positions[at]) {
            Some(like) => (like.tool, like.work),
            None => {
                let tool = if self.dice.percent(90) { self.dice.below(2) } else { 2 };
                let work = if self.dice.percent(90) { self.dice.below(2) } else { 2 };
                (tool as u32, (pose || self.dice.percent(50)).then_some(work as u32))
            }
        };
        let six = std::array::from_fn(|k| match (work, k) {
            (None, _) => self.dice.from_to(-90_000, 90_000) as f64,
            (_, 0..3) => self.dice.from_to(-900_000, 900_000) as f64 / 1000.0,
            _ => self.dice.from_to(-9000, 9000) as f64 / 100.0,
        });
        self.job.positions.push(Position { tool, work, six });
        self.job.positions.len() - 1
    }

    fn motion_to(&mut self, word: &'static str, to: usize) {
        let speed = self.dice.from_to(1, 100) as f64;
        let level = self.dice.percent(70).then(|| self.dice.from_to(0, 8) as u32);
        let odd = if self.wild() { self.dice.pick(&LEAD) } else { "" };
        self.push(Step::Move { word, to, speed, level, odd });
    }

    fn motion(&mut self) {
        let to = self.position(None, false);
        let word = self.dice.pick(&["MOVJ", "MOVL"]);
        self.motion_to(word, to);
    }

    /// Three points of a circle; another move after it ends it.
    fn circle(&mut self) {
        let first = self.position(None, true);
        self.motion_to("MOVC", first);
        for _ in 0..2 {
            let next = self.position(Some(first), true);
            self.motion_to("MOVC", next);
        }
        self.motion();
    }

    /// Sets all of a position variable, and a tool from it.
    fn tool(&mut self) {
        let p = self.dice.from_to(1, 3) as u32;
        for part in 1..=6 {
            if !self.wild() {
                let most = if part < 4 { 200_000 } else { 900_000 };
                let number = Value::Number(self.dice.from_to(-most, most) as f64);
                let value = if self.wild() { self.value() } else { number };
                self.push(Step::Element(p, part, value));
            }
        }
        if self.wild() {
            let other = self.dice.from_to(1, 3) as u32;
            let step = if self.dice.percent(50) { Step::Copy(other, p) } else { Step::Get(other) };
            self.push(step);
        }
        if self.dice.percent(self.edges) {
            self.push(Step::Get(p));
        }
        let number = self.dice.below(3) as u32;
        self.push(Step::Tool(number, p));
    }

    fn reckon(&mut self) {
        let word = match self.dice.below(if self.wild > 0 { 7 } else { 5 }) {
            0 | 1 => "SET",
            2 | 3 => "ADD",
            4 => "SUB",
            5 => "MUL",
            _ => "DIV",
        };
        let step = Step::Reckon(word, self.variable(), self.value());
        self.push(step);
    }

    /// One variable that is set in another way than by its name.
    fn edge(&mut self) {
        let (known, number) = (Variable::Plain('B', 1), Value::Number(1.0));
        let other = match self.dice.below(3) {
            0 => Variable::Element('B', 1),
            1 => Variable::Indirect('B', 1),
            _ => Variable::Local('B', 1),
        };
        self.push(Step::Reckon("SET", known, number));
        let step = match self.dice.below(4) {
            0 => Step::Count("INC", other),
            1 => Step::Read(other),
            2 => Step::Clear(Variable::Plain('B', 0), 2),
            _ => Step::Reckon("SET", other, Value::Number(2.0)),
        };
        self.push(step);
        let over = self.new_label();
        let asked = if self.dice.percent(50) { known } else { other };
        self.push(Step::Jump(over, Some(Test::Compare(asked, "=", number))));
        self.motion();
        self.push(Step::Label(over));
    }

    fn simple(&mut self) {
        if self.dice.percent(self.edges) {
            return self.edge();
        }
        match self.dice.below(16) {
            0..6 => self.motion(),
            6..9 => self.reckon(),
            9 => {
                let step = Step::Count(self.dice.pick(&["INC", "DEC"]), self.variable());
                self.push(step);
            }
            10 if self.dice.percent(50) => self.circle(),
            11 if self.dice.percent(50) => self.tool(),
            12 if self.wild() => {
                let step = match self.dice.below(3) {
                    0 => Step::Clear(Variable::Plain('B', 1), self.dice.from_to(1, 3) as u32),
                    1 => Step::Read(self.variable()),
                    _ => Step::Call,
                };
                self.push(step);
            }
            13 if self.wild() => {
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
            match self.dice.below(5) {
                0 | 1 => {
                    let (over, test) = (self.new_label(), self.test());
                    self.push(Step::Jump(over, Some(test)));
                    if self.skips {
                        self.block(depth + 1);
                    } else {
                        self.reckon();
                    }
                    self.push(Step::Label(over));
                }
                2 if self.skips => {
                    let (no, out, test) = (self.new_label(), self.new_label(), self.test());
                    self.push(Step::Jump(no, Some(test)));
                    self.block(depth + 1);
                    self.push(Step::Jump(out, None));
                    self.push(Step::Label(no));
                    self.block(depth + 1);
                    self.push(Step::Label(out));
                }
                3 if self.wild() => {
                    let test = self.test();
                    self.push(Step::Then(test));
                    self.block(depth + 1);
                    self.push(Step::Else);
                    self.block(depth + 1);
                    self.push(Step::EndIf);
                }
                _ => {
                    let begin = self.new_label();
                    let counter = Variable::Plain('B', 20 + begin);
                    self.push(Step::Reckon("SET", counter, Value::Number(0.0)));
                    self.push(Step::Label(begin));
                    self.block(depth + 1);
                    self.push(Step::Count("INC", counter));
                    let most = Value::Number(self.dice.from_to(1, 3) as f64);
                    self.push(Step::Jump(begin, Some(Test::Compare(counter, "<", most))));
                }
            }
        }
    }
}

#[test]
fn jobs_of_yaskawa_are_run_as_the_manual_has_it() {
    let profile = Profile::parse(PROFILE).expect("a good profile");
    let (mut first, mut all) = (Tally::default(), Tally::default());
    for seed in 0..programs() {
        let job = Author::write(seed);
        let text = written(&job, &mut Dice(!seed));
        if !job.endless {
            first.add(once(Language::Jbi, &text, &profile, |world| Machine::new(&job, world).run(1)));
        }
        let came: Came = again(Language::Jbi, &text, &profile, |world| Machine::new(&job, world).run(6));
        all.add(came);
    }
    first.assert_known(60);
    all.assert_known(50);
}
