//! Programs of URScript at random. Their loops end, and variables are set before they are read.

use super::{Belongs, Dice, Expr, Function, Kind, Motion, Op, Program, Stmt};

/// Variables of the first level; functions use some of these names for their own.
const NAMES: [(&str, Kind); 11] = [
    ("k", Kind::Int),
    ("m", Kind::Int),
    ("n", Kind::Int),
    ("x", Kind::Float),
    ("y", Kind::Float),
    ("on", Kind::Bool),
    ("hit", Kind::Bool),
    ("place", Kind::Pose),
    ("above", Kind::Pose),
    ("q1", Kind::List),
    ("q2", Kind::List),
];

/// Names that only functions use.
const OWN: [(&str, Kind); 5] =
    [("s", Kind::Int), ("u", Kind::Float), ("off", Kind::Bool), ("near", Kind::Pose), ("q3", Kind::List)];

/// Variables that count in the program, and in functions.
const COUNTERS: [[&str; 3]; 2] = [["i", "j", "l"], ["ii", "jj", "ll"]];

/// What few programs have each: what the manual is silent about, and what the reader does not follow. It may say then that it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// Inputs.
    Input,
    /// `break` and `continue`.
    Leave,
    Xor,
    /// Whole numbers that are divided, and what is left of them.
    Divide,
    Rest,
    /// Functions that are called in expressions.
    Calls,
    /// Variables of the program that are set on a deeper level only.
    Deep,
    /// Variables of the program that a function makes its own anywhere in it.
    Hide,
}

const OPEN: [Open; 8] =
    [Open::Input, Open::Leave, Open::Xor, Open::Divide, Open::Rest, Open::Calls, Open::Deep, Open::Hide];

struct Maker<'a> {
    dice: &'a mut Dice,
    made: Vec<Function>,
    /// Variables that can be read, and whether they may be set.
    seen: Vec<(&'static str, Kind, bool)>,
    gives: Option<Kind>,
    is_function: bool,
    /// Variables of the program's names that are a function's own.
    own: Vec<&'static str>,
    loops: usize,
    open: Vec<Open>,
}

fn two(op: Op, left: Expr, right: Expr) -> Expr {
    Expr::Two(op, Box::new(left), Box::new(right))
}

impl Program {
    pub(super) fn draw(dice: &mut Dice) -> Self {
        let mut maker = Maker {
            dice,
            made: Vec::new(),
            seen: Vec::new(),
            gives: None,
            is_function: false,
            own: Vec::new(),
            loops: 0,
            open: Vec::new(),
        };
        maker.open = OPEN.into_iter().filter(|_| maker.dice.percent(8)).collect();
        let mut first = Vec::new();
        for (name, kind) in NAMES {
            let belongs = maker.belongs();
            first.push(Stmt::Set(belongs, name, None, maker.value(kind, 0)));
        }
        for _ in 0..maker.dice.below(4) {
            let function = maker.function();
            maker.made.push(function);
        }
        maker.is_function = false;
        maker.own.clear();
        maker.gives = None;
        maker.seen = NAMES.map(|(name, kind)| (name, kind, true)).to_vec();
        let mut body = Vec::new();
        if maker.dice.percent(70) {
            body.push(Stmt::Tool(maker.value(Kind::Pose, 1)));
        }
        let many = maker.dice.from_to(3, 8) as usize;
        body.extend(maker.block(many, 0));
        // Nobody knows where a program that ends in a corner stops.
        if maker.dice.percent(90) {
            body.push(maker.stop());
        }
        Self { first, functions: maker.made, body }
    }
}

impl Maker<'_> {
    /// A move that is not rounded.
    fn stop(&mut self) -> Stmt {
        let mut motion = self.motion();
        motion
            .settings
            .iter_mut()
            .filter(|(name, _)| *name == "r")
            .for_each(|(_, radius)| *radius = Expr::Float(0.0));
        Stmt::Move(motion)
    }

    fn may(&self, open: Open) -> bool {
        self.open.contains(&open)
    }

    fn belongs(&mut self) -> Belongs {
        [Belongs::Unsaid, Belongs::Unsaid, Belongs::Local, Belongs::Global][self.dice.below(4)]
    }

    fn function(&mut self) -> Function {
        let kinds = [Kind::Int, Kind::Float, Kind::Bool, Kind::Pose, Kind::List];
        self.is_function = true;
        self.own.clear();
        self.gives = self.dice.percent(50).then(|| kinds[self.dice.below(5)]);
        // Names of its own, one of which may be that of a variable of the program.
        let mut params: Vec<_> = OWN.into_iter().filter(|_| self.dice.percent(35)).collect();
        if self.dice.percent(20) {
            params.push(NAMES[self.dice.below(NAMES.len())]);
        }
        self.seen = NAMES.iter().map(|(name, kind)| (*name, *kind, true)).collect();
        self.seen.extend(params.iter().map(|(name, kind)| (*name, *kind, true)));
        self.own.extend(params.iter().map(|(name, _)| *name));
        let mut body = Vec::new();
        for (name, kind) in OWN {
            if !params.iter().any(|(param, _)| *param == name) && self.dice.percent(40) {
                let belongs = if self.dice.percent(50) { Belongs::Local } else { Belongs::Unsaid };
                body.push(Stmt::Set(belongs, name, None, self.value(kind, 1)));
                self.seen.push((name, kind, true));
            }
        }
        for (name, kind) in NAMES {
            let is_param = params.iter().any(|(param, _)| *param == name);
            if self.dice.percent(10) && !is_param {
                body.push(Stmt::Set(Belongs::Local, name, None, self.literal(kind)));
                self.own.push(name);
            }
        }
        let many = self.dice.from_to(1, 4) as usize;
        body.extend(self.block(many, 0));
        if let Some(kind) = self.gives {
            body.push(Stmt::Return(Some(self.value(kind, 2))));
        }
        Function { gives: self.gives, params, body }
    }

    fn block(&mut self, many: usize, depth: usize) -> Vec<Stmt> {
        let mut block = Vec::new();
        for _ in 0..many {
            self.statement(depth, &mut block);
        }
        block
    }

    fn deeper(&mut self, depth: usize) -> Vec<Stmt> {
        let many = self.dice.from_to(1, 3) as usize;
        self.block(many, depth + 1)
    }

    fn statement(&mut self, depth: usize, block: &mut Vec<Stmt>) {
        match self.dice.below(100) {
            0..32 => self.assign(depth, block),
            32..60 => {
                let motion = self.motion();
                block.push(Stmt::Move(motion));
            }
            60..64 => block.push(Stmt::Tool(self.value(Kind::Pose, 2))),
            64..76 if depth < 3 => {
                let mut ways = Vec::new();
                for _ in 0..=self.dice.below(3) {
                    ways.push((self.value(Kind::Bool, 2), self.deeper(depth)));
                }
                let otherwise = if self.dice.percent(50) { self.deeper(depth) } else { Vec::new() };
                block.push(Stmt::If(ways, otherwise));
            }
            76..86 if self.loops < 3 => self.a_loop(depth, block),
            86..96 => self.call(block),
            96 => {
                let kind = self.gives;
                let value = kind.map(|kind| self.value(kind, 1));
                let condition = self.value(Kind::Bool, 1);
                block.push(Stmt::If(vec![(condition, vec![Stmt::Return(value)])], Vec::new()));
            }
            // Where it may have been halted, what comes after is no other motion.
            97 if self.open.is_empty() => {
                let condition = self.value(Kind::Bool, 1);
                let stop = self.stop();
                block.push(Stmt::If(vec![(condition, vec![stop, Stmt::Halt])], Vec::new()));
            }
            // Names of functions that the program sets deeper than on its first level.
            98 if depth > 0 && !self.is_function && self.may(Open::Deep) => {
                let (name, kind) = OWN[self.dice.below(OWN.len())];
                block.push(Stmt::Set(Belongs::Unsaid, name, None, self.value(kind, 1)));
                let motion = self.motion();
                block.push(Stmt::Move(Motion {
                    to: Expr::Six(Kind::List, vec![Expr::Float(0.5); 6]),
                    ..motion
                }));
            }
            98 if self.is_function && self.may(Open::Hide) => {
                let (name, kind) = NAMES[self.dice.below(NAMES.len())];
                block.push(Stmt::Set(Belongs::Local, name, None, self.literal(kind)));
            }
            _ => self.assign(depth, block),
        }
    }

    fn assign(&mut self, depth: usize, block: &mut Vec<Stmt>) {
        let able: Vec<_> = self.seen.iter().filter(|(.., may)| *may).copied().collect();
        let (name, kind, _) = able[self.dice.below(able.len())];
        let is_six = matches!(kind, Kind::Pose | Kind::List);
        if is_six && self.dice.percent(50) {
            let index = self.index(kind);
            return block.push(Stmt::Set(Belongs::Unsaid, name, Some(index), self.value(Kind::Float, 2)));
        }
        let is_of_all = NAMES.iter().any(|(other, _)| *other == name);
        // Where a function has a variable of its own of that name, nobody says what `global` means.
        let belongs = match self.dice.below(10) {
            0 if is_of_all && !self.own.contains(&name) => Belongs::Global,
            1 if is_of_all && !self.is_function && depth == 0 => Belongs::Local,
            _ => Belongs::Unsaid,
        };
        block.push(Stmt::Set(belongs, name, None, self.value(kind, 3)));
    }

    fn a_loop(&mut self, depth: usize, block: &mut Vec<Stmt>) {
        let name = COUNTERS[usize::from(self.is_function)][self.loops];
        let rounds = self.dice.from_to(0, 4);
        self.loops += 1;
        block.push(Stmt::Set(Belongs::Unsaid, name, None, Expr::Int(0)));
        let count = two(Op::Add, Expr::Name(name), Expr::Int(1));
        let mut body = vec![Stmt::Set(Belongs::Unsaid, name, None, count)];
        self.seen.push((name, Kind::Int, false));
        body.extend(self.deeper(depth));
        if self.may(Open::Leave) && self.dice.percent(30) {
            let leaves = if self.dice.percent(50) { Stmt::Break } else { Stmt::Continue };
            let condition = self.value(Kind::Bool, 1);
            body.push(Stmt::If(vec![(condition, vec![leaves])], Vec::new()));
            body.extend(self.deeper(depth));
        }
        let limit = two(Op::Less, Expr::Name(name), Expr::Int(rounds));
        let is_endless = self.may(Open::Leave) && self.dice.percent(20);
        if is_endless {
            let over = two(Op::AtLeast, Expr::Name(name), Expr::Int(rounds));
            body.insert(1, Stmt::If(vec![(over, vec![Stmt::Break])], Vec::new()));
        }
        block.push(Stmt::While(if is_endless { Expr::Bool(true) } else { limit }, body));
        self.loops -= 1;
        if depth > 0 || self.dice.percent(50) {
            self.seen.pop();
        }
    }

    fn call(&mut self, block: &mut Vec<Stmt>) {
        if self.made.is_empty() {
            return self.assign(1, block);
        }
        let k = self.dice.below(self.made.len());
        let params = self.made[k].params.clone();
        let given = params.iter().map(|(_, kind)| self.value(*kind, 2)).collect();
        match self.made[k].gives {
            Some(kind) if self.dice.percent(80) => {
                let able: Vec<_> = self.seen.iter().filter(|(_, of, may)| *of == kind && *may).collect();
                if let Some((name, ..)) = able.get(self.dice.below(able.len().max(1))) {
                    block.push(Stmt::Set(Belongs::Unsaid, name, None, Expr::Call(k, given)));
                }
            }
            _ => block.push(Stmt::Call(k, given)),
        }
    }

    fn motion(&mut self) -> Motion {
        let name = ["movej", "movel", "movel", "movep", "movec"][self.dice.below(5)];
        let by_joints =
            matches!(name, "movej" | "movel") && self.dice.percent(if name == "movej" { 60 } else { 10 });
        let to = self.value(if by_joints { Kind::List } else { Kind::Pose }, 2);
        let via = (name == "movec").then(|| self.value(Kind::Pose, 1));
        let all: &[&'static str] = match name {
            "movej" | "movel" => &["a", "v", "t", "r"],
            "movep" => &["a", "v", "r"],
            _ => &["a", "v", "r", "mode"],
        };
        let placed = self.dice.below(all.len() + 1);
        let mut settings = Vec::new();
        for (k, setting) in all.iter().enumerate() {
            if k < placed || self.dice.percent(40) {
                let value = match *setting {
                    "mode" => Expr::Int(0),
                    "t" => Expr::Int([0, 0, 2][self.dice.below(3)]),
                    "r" => Expr::Float([0.0, 0.0625, 0.125, 0.25][self.dice.below(4)]),
                    _ => Expr::Float(self.dice.from_to(1, 12) as f64 / 8.0),
                };
                settings.push((*setting, value));
            }
        }
        // Those with names may stand in any order.
        if settings.len() > placed + 1 && self.dice.percent(50) {
            settings[placed..].reverse();
        }
        Motion { name, via, to, placed, settings }
    }

    /// A place in a pose or list; of poses, mostly that of a length.
    fn index(&mut self, kind: Kind) -> Expr {
        let most = if kind == Kind::Pose { 2 } else { 5 };
        Expr::Int(self.dice.from_to(0, most))
    }

    fn literal(&mut self, kind: Kind) -> Expr {
        match kind {
            Kind::Int => Expr::Int(self.dice.from_to(-2, 9)),
            Kind::Float => Expr::Float(self.dice.from_to(-8, 16) as f64 / 8.0),
            Kind::Bool => Expr::Bool(self.dice.percent(50)),
            Kind::Pose | Kind::List => self.six(kind, 0),
        }
    }

    fn six(&mut self, kind: Kind, depth: usize) -> Expr {
        let number = |maker: &mut Self, place: usize| match kind {
            Kind::Pose if place > 2 => Expr::Float(maker.dice.from_to(-6, 6) as f64 / 8.0),
            _ => maker.value(Kind::Float, depth),
        };
        Expr::Six(kind, (0..6).map(|place| number(self, place)).collect())
    }

    fn value(&mut self, kind: Kind, depth: usize) -> Expr {
        if depth == 0 || self.dice.percent(25) {
            return self.literal(kind);
        }
        if self.dice.percent(40) {
            let able: Vec<_> = self.seen.iter().filter(|(_, of, _)| *of == kind).collect();
            if let Some((name, ..)) = able.get(self.dice.below(able.len().max(1))) {
                return Expr::Name(name);
            }
        }
        if self.may(Open::Calls) && self.dice.percent(30) {
            let able: Vec<_> = (0..self.made.len()).filter(|k| self.made[*k].gives == Some(kind)).collect();
            if let Some(&k) = able.get(self.dice.below(able.len().max(1))) {
                let params = self.made[k].params.clone();
                return Expr::Call(k, params.iter().map(|(_, kind)| self.value(*kind, depth - 1)).collect());
            }
        }
        let deeper = depth - 1;
        match kind {
            Kind::Int => {
                let left = self.value(kind, deeper);
                match self.dice.below(40) {
                    0..16 => two(Op::Add, left, self.value(kind, deeper)),
                    16..28 => two(Op::Sub, left, self.value(kind, deeper)),
                    28..34 => two(Op::Mul, left, Expr::Int(self.dice.from_to(-1, 3))),
                    34 | 35 if self.may(Open::Rest) => {
                        two(Op::Mod, Expr::Int(self.dice.from_to(0, 9)), Expr::Int(self.dice.from_to(2, 4)))
                    }
                    _ => Expr::Minus(Box::new(left)),
                }
            }
            Kind::Float => self.float(deeper),
            Kind::Bool => self.truth(deeper),
            Kind::Pose => match self.dice.below(10) {
                0..4 => Expr::Pose("pose_trans", vec![self.value(kind, deeper), self.value(kind, deeper)]),
                4 | 5 => Expr::Pose("pose_add", vec![self.value(kind, deeper), self.value(kind, deeper)]),
                6 => Expr::Pose("pose_inv", vec![self.value(kind, deeper)]),
                _ => self.six(kind, deeper),
            },
            Kind::List => self.six(kind, deeper),
        }
    }

    fn float(&mut self, depth: usize) -> Expr {
        match self.dice.below(24) {
            0..6 => two(Op::Add, self.value(Kind::Float, depth), self.value(Kind::Float, depth)),
            6..10 => two(Op::Sub, self.value(Kind::Float, depth), self.value(Kind::Int, depth)),
            10..12 => two(Op::Mul, self.value(Kind::Int, depth), Expr::Float(0.5)),
            12..14 => two(Op::Div, self.value(Kind::Float, depth), Expr::Float(2.5)),
            // What is left of whole numbers that are divided is not said.
            14 if self.may(Open::Divide) => two(Op::Div, self.value(Kind::Int, depth), Expr::Int(2)),
            15 => Expr::Minus(Box::new(self.value(Kind::Float, depth))),
            _ => {
                let able = self.seen.iter().filter(|(_, kind, _)| matches!(kind, Kind::Pose | Kind::List));
                let able: Vec<_> = able.copied().collect();
                match able.get(self.dice.below(able.len().max(1))) {
                    Some((name, kind, _)) => Expr::Element(name, Box::new(self.index(*kind))),
                    None => self.literal(Kind::Float),
                }
            }
        }
    }

    fn truth(&mut self, depth: usize) -> Expr {
        let compare = [Op::Less, Op::More, Op::AtMost, Op::AtLeast, Op::Same, Op::Other];
        match self.dice.below(40) {
            0..20 => {
                let op = compare[self.dice.below(6)];
                two(op, self.value(Kind::Int, depth), self.value(Kind::Int, depth))
            }
            20..26 => two(Op::And, self.value(Kind::Bool, depth), self.value(Kind::Bool, depth)),
            26..32 => two(Op::Or, self.value(Kind::Bool, depth), self.value(Kind::Bool, depth)),
            32 if self.may(Open::Xor) => {
                two(Op::Xor, self.value(Kind::Bool, depth), self.value(Kind::Bool, depth))
            }
            33 | 34 if self.may(Open::Input) => Expr::Input(self.dice.below(8)),
            _ => Expr::Not(Box::new(self.value(Kind::Bool, depth))),
        }
    }
}
