//! RAPID, read a second time: programs drawn at random.

mod run;
mod text;

use super::{Dice, Ran, Tally, again, once, programs};
use crate::robot_program::{Language, Profile};

/// A number that a program works out.
#[derive(Clone, Debug)]
enum Num {
    Is(f32),
    Var(String),
    At(String, Box<Num>),
    /// `t0.trans.x`
    Part(String, usize),
    Minus(Box<Num>),
    Two(&'static str, Box<Num>, Box<Num>),
    /// `Trunc(a)`, `Abs(a)`
    Known(&'static str, Box<Num>),
    Call(usize, Vec<Arg>),
}

/// Something that is true or false.
#[derive(Clone, Debug)]
enum Truth {
    Is(bool),
    Var(String),
    Compare(&'static str, Num, Num),
    And(Vec<Truth>),
    Or(Vec<Truth>),
    Not(Box<Truth>),
    /// A digital input.
    Input,
}

/// A target of a move.
#[derive(Clone, Debug)]
enum Goal {
    Name(String),
    Offs(Box<Goal>, [Num; 3]),
    /// Shifted in the tool's frame, and turned about its axes x, y and z.
    RelTool(Box<Goal>, [Num; 3], [Option<f32>; 3]),
}

#[derive(Clone, Debug)]
enum Arg {
    Value(Num),
    /// What is handed over by reference.
    Place(Place),
}

#[derive(Clone, Debug)]
enum Place {
    Var(String),
    At(String, Num),
}

#[derive(Clone, Debug)]
enum Kind {
    Joint,
    Linear,
    Circular(Goal),
}

#[derive(Clone, Debug)]
struct Move {
    kind: Kind,
    to: Goal,
    speed: f32,
    /// None is `fine`; the others are those that RAPID has.
    zone: Option<f32>,
    /// `\Z:=`
    own_zone: Option<Num>,
    tool: bool,
    work: bool,
}

#[derive(Clone, Debug)]
enum Stmt {
    Let(Place, Num),
    LetTruth(String, Truth),
    LetGoal(String, Goal),
    LetPart(String, usize, Num),
    /// `Incr`, `Decr`, `Clear`
    Change(&'static str, String),
    Add(String, Num),
    If(Vec<(Truth, Vec<Stmt>)>, Vec<Stmt>),
    Short(Truth, Box<Stmt>),
    For(String, [Num; 2], Option<f32>, Vec<Stmt>),
    /// So many rounds at most, counted by a variable; and as long as something is true.
    While(String, i64, Option<Truth>, Vec<Stmt>),
    Test(Num, Vec<(Vec<i64>, Vec<Stmt>)>, Option<Vec<Stmt>>),
    Call(usize, Vec<Arg>),
    Return,
    Exit,
    Move(Move),
    /// `MoveAbsJ`
    Axes([f32; 6]),
    /// Something that moves nothing.
    Idle(&'static str),
}

/// A routine with its parameters, which are numbers; whether each is a reference.
#[derive(Clone, Debug)]
struct Routine {
    params: Vec<bool>,
    /// Names of variables, with what they begin as.
    locals: Vec<(String, Option<f32>)>,
    body: Vec<Stmt>,
    /// What a function gives; none for a procedure.
    gives: Option<Num>,
}

#[derive(Clone, Debug)]
struct Program {
    /// `n0`, `n1`, ...; the values may be left out, and are zero then.
    nums: Vec<Option<f32>>,
    array: [f32; 3],
    truths: Vec<bool>,
    /// Targets that do not change: `p0`, `p1`, ...
    points: Vec<[f32; 3]>,
    /// A variable target `t0` that begins as `p0`, and a turn that all targets have.
    turn: [f64; 4],
    tool: [f32; 3],
    work: [f32; 6],
    /// The first one is `main`; each calls later ones only.
    routines: Vec<Routine>,
}

/// Statements in a block, at most.
const LONGEST: usize = 4;

/// What is being drawn: in which routine, and how deep.
struct Draw<'a> {
    dice: &'a mut Dice,
    routines: &'a [Routine],
    /// How many routines there will be.
    count: usize,
    names: Vec<String>,
    /// Names that must not be set: variables of loops.
    fixed: Vec<String>,
    depth: usize,
    loops: usize,
    /// Calls in one expression: the order in which two of them are made is not asked about.
    may_call: bool,
}

impl Program {
    fn draw(dice: &mut Dice) -> Self {
        let half = |dice: &mut Dice| dice.from_to(-20, 20) as f32 / 2.0;
        let mut program = Self {
            nums: (0..3).map(|_| dice.percent(70).then(|| dice.from_to(-4, 6) as f32)).collect(),
            array: [0; 3].map(|_| half(dice)),
            truths: (0..2).map(|_| dice.percent(50)).collect(),
            points: (0..3).map(|_| [0; 3].map(|_| 100.0 * dice.from_to(-9, 9) as f32)).collect(),
            turn: {
                let [x, y] = [0; 2].map(|_| f64::from(half(dice)) / 10.0);
                let length = (1.25 + x * x + y * y).sqrt();
                [1.0, x, y, 0.5].map(|part| part / length)
            },
            tool: [0; 3].map(|_| 10.0 * dice.from_to(0, 9) as f32),
            work: [0; 6].map(|_| 10.0 * dice.from_to(-9, 9) as f32),
            routines: Vec::new(),
        };
        // From the last to the first, for each calls later ones.
        let count = 1 + dice.below(4);
        let mut routines: Vec<Routine> = Vec::new();
        for here in (0..count).rev() {
            let params =
                if here == 0 { Vec::new() } else { (0..dice.below(3)).map(|_| dice.percent(50)).collect() };
            // Some local variables have names of the module's.
            let mut locals: Vec<(String, Option<f32>)> = Vec::new();
            for name in ["l0", "n1", "l2"] {
                if dice.percent(30) {
                    locals.push((name.into(), dice.percent(60).then(|| dice.from_to(-3, 5) as f32)));
                }
            }
            let mut names: Vec<String> = ["n0", "n1", "n2"].map(String::from).into();
            names.extend((0..params.len()).map(|k| format!("x{k}")));
            names.extend(locals.iter().map(|(name, _)| name.clone()));
            let mut draw = Draw {
                dice,
                routines: &routines,
                count,
                names,
                fixed: Vec::new(),
                depth: 0,
                loops: 0,
                may_call: true,
            };
            let is_function = here > 0 && draw.dice.percent(40);
            let mut body = draw.block(if here == 0 { 6 } else { LONGEST }, is_function);
            if here == 0 {
                // Where each round begins.
                body.insert(0, Stmt::Move(Move { kind: Kind::Joint, ..draw.plain_move() }));
            }
            let gives = is_function.then(|| draw.num(2));
            routines.push(Routine { params, locals, body, gives });
        }
        routines.reverse();
        program.routines = routines;
        program
    }
}

impl Draw<'_> {
    fn block(&mut self, longest: usize, is_function: bool) -> Vec<Stmt> {
        let count = 1 + self.dice.below(longest);
        (0..count).map(|_| self.stmt(is_function)).collect()
    }

    fn inner(&mut self, is_function: bool) -> Vec<Stmt> {
        self.depth += 1;
        let block = self.block(3, is_function);
        self.depth -= 1;
        block
    }

    fn stmt(&mut self, is_function: bool) -> Stmt {
        self.may_call = true;
        let is_deep = self.depth >= 3;
        match self.dice.below(if is_deep { 60 } else { 100 }) {
            0..12 => {
                let place = self.place();
                Stmt::Let(place, self.num(3))
            }
            12..16 => Stmt::LetTruth(self.truth_name(), self.truth(2)),
            16..19 => Stmt::LetGoal("t0".into(), self.goal()),
            19..22 => Stmt::LetPart("t0".into(), self.dice.below(3), self.num(2)),
            22..26 => Stmt::Change(self.dice.pick(&["Incr", "Decr", "Clear"]), self.free_name()),
            26..29 => Stmt::Add(self.free_name(), self.num(2)),
            29..31 => {
                Stmt::Idle(self.dice.pick(&["WaitTime 0.5;", "TPWrite \"a; b := 1\";", "SetDO do1,1;"]))
            }
            31 if self.depth > 0 && !is_function => Stmt::Return,
            32 if self.depth > 1 && !is_function && self.dice.percent(30) => Stmt::Exit,
            33..36 => Stmt::Axes([0; 6].map(|_| self.dice.from_to(-90, 90) as f32)),
            36..46 => self.call(),
            46..60 => Stmt::Move(self.any_move()),
            60..72 => {
                let ways = 1 + self.dice.below(3);
                let ways = (0..ways)
                    .map(|_| {
                        self.may_call = true;
                        (self.truth(2), self.inner(is_function))
                    })
                    .collect();
                let otherwise = if self.dice.percent(50) { self.inner(is_function) } else { Vec::new() };
                Stmt::If(ways, otherwise)
            }
            72..76 => {
                let truth = self.truth(2);
                self.depth += 3;
                let stmt = self.stmt(is_function);
                self.depth -= 3;
                Stmt::Short(truth, Box::new(stmt))
            }
            76..84 => {
                let bounds = [self.num(1), self.num(1)];
                let step = self.dice.percent(30).then(|| [-2.0, -1.0, 1.0, 2.0, 3.0][self.dice.below(5)]);
                // It may hide another variable.
                let name = if self.dice.percent(30) { "n1".to_owned() } else { format!("i{}", self.depth) };
                self.names.push(name.clone());
                self.fixed.push(name.clone());
                let body = self.inner(is_function);
                self.fixed.pop();
                self.names.pop();
                Stmt::For(name, bounds, step, body)
            }
            84..90 => {
                let name = format!("w{}", self.loops);
                self.loops += 1;
                let truth = self.dice.percent(40).then(|| self.truth(1));
                let body = self.inner(is_function);
                Stmt::While(name, self.dice.from_to(0, 3), truth, body)
            }
            _ => {
                let of = self.num(2);
                let ways = 1 + self.dice.below(3);
                let ways = (0..ways)
                    .map(|_| {
                        let values = (0..=self.dice.below(3)).map(|_| self.dice.from_to(-3, 6)).collect();
                        (values, self.inner(is_function))
                    })
                    .collect();
                let otherwise = self.dice.percent(60).then(|| self.inner(is_function));
                Stmt::Test(of, ways, otherwise)
            }
        }
    }

    fn truth_name(&mut self) -> String {
        format!("b{}", self.dice.below(2))
    }

    fn name(&mut self) -> String {
        self.names[self.dice.below(self.names.len())].clone()
    }

    /// A variable that may be set.
    fn free_name(&mut self) -> String {
        loop {
            let name = self.name();
            if !self.fixed.contains(&name) {
                return name;
            }
        }
    }

    fn place(&mut self) -> Place {
        match self.dice.percent(25) {
            true => Place::At("a0".into(), self.index()),
            false => Place::Var(self.free_name()),
        }
    }

    /// A place in the array: a constant, mostly.
    fn index(&mut self) -> Num {
        Num::Is(self.dice.from_to(1, 3) as f32)
    }

    fn args(&mut self, params: &[bool]) -> Vec<Arg> {
        params
            .iter()
            .map(|is_reference| match is_reference {
                true => Arg::Place(self.place()),
                false => Arg::Value(self.num(1)),
            })
            .collect()
    }

    fn call(&mut self) -> Stmt {
        self.may_call = false;
        let procedures: Vec<usize> =
            (0..self.routines.len()).filter(|&k| self.routines[k].gives.is_none()).collect();
        if procedures.is_empty() {
            return Stmt::Move(self.any_move());
        }
        let which = procedures[self.dice.below(procedures.len())];
        let args = self.args(&self.routines[which].params.clone());
        // They are drawn from the last to the first.
        Stmt::Call(self.count - 1 - which, args)
    }

    fn num(&mut self, deep: usize) -> Num {
        match self.dice.below(if deep == 0 { 45 } else { 100 }) {
            0..15 => Num::Is(self.dice.from_to(-8, 16) as f32 / 2.0),
            15..35 => Num::Var(self.name()),
            35..40 => Num::At("a0".into(), Box::new(self.index())),
            40..45 => Num::Part("t0".into(), self.dice.below(3)),
            45..50 => Num::Minus(Box::new(self.num(deep - 1))),
            50..72 => {
                let op = self.dice.pick(&["+", "-"]);
                Num::Two(op, Box::new(self.num(deep - 1)), Box::new(self.num(deep - 1)))
            }
            72..80 => {
                let by = Num::Is(self.dice.from_to(-2, 3) as f32);
                Num::Two("*", Box::new(self.num(deep - 1)), Box::new(by))
            }
            80..84 => {
                let by = Num::Is([2.0, 4.0, -2.0][self.dice.below(3)]);
                Num::Two("/", Box::new(self.num(deep - 1)), Box::new(by))
            }
            84..90 => {
                let whole = Num::Known("Trunc", Box::new(self.num(deep - 1)));
                let op = self.dice.pick(&["DIV", "MOD"]);
                Num::Two(op, Box::new(whole), Box::new(Num::Is(self.dice.from_to(2, 4) as f32)))
            }
            90..93 => Num::Known("Abs", Box::new(self.num(deep - 1))),
            _ => {
                let functions: Vec<usize> =
                    (0..self.routines.len()).filter(|&k| self.routines[k].gives.is_some()).collect();
                if functions.is_empty() || !self.may_call {
                    return Num::Var(self.name());
                }
                self.may_call = false;
                let which = functions[self.dice.below(functions.len())];
                let args = self.args(&self.routines[which].params.clone());
                Num::Call(self.count - 1 - which, args)
            }
        }
    }

    fn truth(&mut self, deep: usize) -> Truth {
        match self.dice.below(if deep == 0 { 60 } else { 100 }) {
            0..3 => Truth::Is(self.dice.percent(50)),
            3..15 => Truth::Var(self.truth_name()),
            15..17 => Truth::Input,
            17..60 => {
                let op = self.dice.pick(&["=", "<>", "<", ">", "<=", ">="]);
                Truth::Compare(op, self.num(1), self.num(1))
            }
            60..75 => Truth::And((0..2 + self.dice.below(2)).map(|_| self.truth(deep - 1)).collect()),
            75..88 => Truth::Or((0..2 + self.dice.below(2)).map(|_| self.truth(deep - 1)).collect()),
            _ => Truth::Not(Box::new(self.truth(deep - 1))),
        }
    }

    fn goal(&mut self) -> Goal {
        let name = match self.dice.percent(25) {
            true => "t0".to_owned(),
            false => format!("p{}", self.dice.below(3)),
        };
        let goal = Goal::Name(name);
        match self.dice.below(10) {
            0..4 => goal,
            4..8 => Goal::Offs(Box::new(goal), [self.num(2), self.num(1), self.num(1)]),
            _ => {
                let turns =
                    [0; 3].map(|_| self.dice.percent(40).then(|| 15.0 * self.dice.from_to(-6, 6) as f32));
                Goal::RelTool(Box::new(goal), [self.num(1), self.num(1), self.num(1)], turns)
            }
        }
    }

    fn plain_move(&mut self) -> Move {
        let to = Goal::Name(format!("p{}", self.dice.below(3)));
        Move { kind: Kind::Linear, to, speed: 100.0, zone: None, own_zone: None, tool: false, work: false }
    }

    fn any_move(&mut self) -> Move {
        let kind = match self.dice.below(10) {
            0..3 => Kind::Joint,
            3..9 => Kind::Linear,
            _ => Kind::Circular(self.goal()),
        };
        let zone = self.dice.percent(50).then(|| [0.3, 1.0, 5.0, 10.0, 50.0][self.dice.below(5)]);
        let own_zone =
            (zone.is_some() && self.dice.percent(20)).then(|| Num::Is(self.dice.from_to(1, 30) as f32));
        Move {
            kind,
            to: self.goal(),
            speed: [20.0, 100.0, 500.0][self.dice.below(3)],
            zone,
            own_zone,
            tool: self.dice.percent(40),
            work: self.dice.percent(40),
        }
    }
}

/// How many programs of so many are known, at least.
const KNOWN: usize = 55;

#[test]
fn random_programs_of_rapid_make_the_same_motions() {
    let profile = Profile::of(Language::Rapid);
    let mut tally = Tally::default();
    let mut again_tally = Tally::default();
    for seed in 0..programs() {
        let mut dice = Dice(seed);
        let (program, text) = loop {
            let program = Program::draw(&mut dice);
            if (0..super::WORLDS).all(|world| program.run(Dice(world), ROUNDS).is_some()) {
                let text = program.text(&mut dice);
                break (program, text);
            }
        };
        let run = |rounds: usize| {
            let program = &program;
            move |world: Dice| program.run(world, rounds).expect("it ends, as it did before")
        };
        let one_round = |world: Dice| match run(1)(world) {
            (made, true) => Ran::cut_short(made),
            (made, false) => made.into(),
        };
        tally.add(once(Language::Rapid, &text, &profile, one_round));
        again_tally.add(again(Language::Rapid, &text, &profile, |world| run(ROUNDS)(world).0));
    }
    tally.assert_known(KNOWN);
    again_tally.assert_known(KNOWN / 3);
}

/// Rounds of `main` that are compared.
const ROUNDS: usize = 5;
