//! Programs of KRL at random. Their loops end, and variables are set before they are read.

use super::{Dice, Expr, Kind, Op, Param, Place, Program, Routine, Stmt, System};

/// Elements of every array.
const LENGTH: usize = 4;

const NAMES: [&str; 12] = ["k", "m", "n", "r", "u", "v", "w", "fr", "gr", "ax", "hit", "all"];

/// Variables that count, by how deep their loops are.
const COUNTERS: [&str; 3] = ["i", "j", "l"];

/// What few programs have each: what the manuals are silent about, and what the reader does not follow. It may say then that it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// Inputs.
    Input,
    Exit,
    Jump,
    /// Whole numbers that are divided.
    Divide,
    /// A REAL that is put into an INT.
    Round,
    /// Names of INT in one routine that are something else in another.
    Names,
    /// Targets of which parts are left out, after any other.
    Parts,
    /// What a counter is after its loop.
    After,
    /// Functions that are called in expressions.
    Calls,
    /// The same variable, or elements, for parameters that refer to them.
    Twice,
}

const OPEN: [Open; 10] = [
    Open::Input,
    Open::Exit,
    Open::Jump,
    Open::Divide,
    Open::Round,
    Open::Names,
    Open::Parts,
    Open::After,
    Open::Calls,
    Open::Twice,
];

struct Maker<'a> {
    dice: &'a mut Dice,
    made: Vec<Routine>,
    /// Variables that can be read, and whether they may be set.
    seen: Vec<(&'static str, Kind, Option<usize>, bool)>,
    gives: Option<Kind>,
    /// Loops around.
    loops: usize,
    /// Jumps so far, for their labels.
    labels: usize,
    open: Vec<Open>,
}

fn at(name: &'static str) -> Place {
    Place { name, index: None, part: None }
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
            loops: 0,
            labels: 0,
            open: Vec::new(),
        };
        maker.open = OPEN.into_iter().filter(|_| maker.dice.percent(8)).collect();
        let others = maker.dice.below(4);
        for _ in 0..others {
            let routine = maker.routine(false);
            maker.made.push(routine);
        }
        let main = maker.routine(true);
        // The main routine stands first, so others are called by one more.
        let mut all = vec![main];
        all.append(&mut maker.made);
        Self(all)
    }
}

impl Maker<'_> {
    fn may(&self, open: Open) -> bool {
        self.open.contains(&open)
    }

    fn routine(&mut self, is_main: bool) -> Routine {
        let mut names = NAMES.to_vec();
        // To the reader, what holds whole numbers in one routine does so in all.
        let first = if self.may(Open::Names) { 0 } else { 3 };
        for k in (first + 1..names.len()).rev() {
            names.swap(k, first + self.dice.below(k + 1 - first));
        }
        let kinds = [
            (Kind::Int, None),
            (Kind::Int, None),
            (Kind::Int, Some(LENGTH)),
            (Kind::Real, None),
            (Kind::Real, None),
            (Kind::Bool, None),
            (Kind::Frame, None),
            (Kind::Frame, None),
            (Kind::Axes, None),
            (Kind::Real, Some(LENGTH)),
            (Kind::Frame, Some(LENGTH)),
        ];
        let all: Vec<(&'static str, Kind, Option<usize>)> =
            names.into_iter().zip(kinds).map(|(name, (kind, length))| (name, kind, length)).collect();
        let params: Vec<Param> = if is_main {
            Vec::new()
        } else {
            let chosen: Vec<_> = all.iter().filter(|_| self.dice.percent(30)).collect();
            chosen
                .into_iter()
                .map(|(name, kind, length)| {
                    let (is_out, is_array) = (length.is_some() || self.dice.percent(50), length.is_some());
                    Param { name, kind: *kind, is_out, is_array }
                })
                .collect()
        };
        let is_param = |name: &str| params.iter().any(|param| param.name == name);
        let own = all.iter().filter(|(name, ..)| !is_param(name)).copied();
        let locals: Vec<_> = own.chain(COUNTERS.map(|name| (name, Kind::Int, None))).collect();
        self.gives = (!is_main && self.dice.percent(50))
            .then(|| [Kind::Int, Kind::Real, Kind::Bool, Kind::Frame][self.dice.below(4)]);
        self.seen = params
            .iter()
            .map(|param| (param.name, param.kind, param.is_array.then_some(LENGTH), true))
            .collect();
        let mut body = Vec::new();
        if is_main {
            body.push(Stmt::System(System::Base, self.six(Kind::Frame, 0)));
            body.push(Stmt::System(System::Tool, self.six(Kind::Frame, 0)));
            body.push(Stmt::System(System::Speed, Expr::Real(0.25)));
            body.push(Stmt::System(System::Distance, Expr::Int(10)));
        }
        // Variables hold nothing before they are set.
        for (name, kind, length) in &locals {
            if COUNTERS.contains(name) {
                continue;
            }
            for index in 1..=length.unwrap_or(1) {
                let index = length.map(|_| Box::new(Expr::Int(index as i64)));
                let value = self.value(*kind, 0);
                body.push(Stmt::Set(Place { name, index, part: None }, value));
            }
            self.seen.push((name, *kind, *length, true));
        }
        if is_main {
            body.push(Stmt::Ptp(self.six(Kind::Axes, 0)));
        }
        let many = self.dice.from_to(2, 6) as usize;
        body.extend(self.block(many, 0));
        if let Some(kind) = self.gives {
            body.push(Stmt::Return(Some(self.returned(kind))));
        }
        Routine { gives: self.gives, params, locals, body }
    }

    /// What a function of this type gives: it is made that type.
    fn returned(&mut self, kind: Kind) -> Expr {
        match kind {
            Kind::Int if self.dice.percent(10) => self.value(Kind::Real, 1),
            Kind::Real if self.dice.percent(30) => self.value(Kind::Int, 1),
            _ => self.value(kind, 1),
        }
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
            0..26 => self.assign(block),
            26..50 => {
                self.motion(block);
            }
            50..56 => {
                let (system, value) = match self.dice.below(6) {
                    4 => (System::BasePart(self.dice.below(3)), self.value(Kind::Real, 2)),
                    5 => (System::ToolPart(self.dice.below(3)), self.value(Kind::Real, 2)),
                    0 => (System::Base, self.value(Kind::Frame, 2)),
                    1 => (System::Tool, self.value(Kind::Frame, 2)),
                    2 => (System::Speed, Expr::Real(self.dice.from_to(1, 8) as f64 / 8.0)),
                    _ => (System::Distance, Expr::Int(self.dice.from_to(1, 50))),
                };
                block.push(Stmt::System(system, value));
            }
            56..66 if depth < 3 => {
                let condition = self.value(Kind::Bool, 2);
                let yes = self.deeper(depth);
                let no = if self.dice.percent(50) { self.deeper(depth) } else { Vec::new() };
                block.push(Stmt::If(condition, yes, no));
            }
            66..78 if self.loops < COUNTERS.len() => self.a_loop(depth, block),
            78..82 if depth < 3 => self.switch(depth, block),
            82..96 => self.call(block),
            96 => {
                let kind = self.gives;
                let value = kind.map(|kind| self.returned(kind));
                let condition = self.value(Kind::Bool, 1);
                block.push(Stmt::If(condition, vec![Stmt::Return(value)], Vec::new()));
            }
            97 => {
                let all =
                    ["HALT", "WAIT SEC 0.5", "$OUT[3]=TRUE", "WAIT FOR $IN[2]", "CONTINUE", "$ADVANCE=3"];
                block.push(Stmt::Quiet(all[self.dice.below(all.len())]));
            }
            98 if self.may(Open::Jump) => {
                self.labels += 1;
                let label = self.labels;
                let condition = self.value(Kind::Bool, 1);
                let body = self.deeper(depth);
                block.push(Stmt::Skip(condition, body, label));
            }
            _ => self.assign(block),
        }
    }

    fn assign(&mut self, block: &mut Vec<Stmt>) {
        let able: Vec<_> = self.seen.iter().filter(|(.., may)| *may).copied().collect();
        if able.is_empty() {
            return;
        }
        let (name, kind, length, _) = able[self.dice.below(able.len())];
        let index = length.map(|_| Box::new(self.index()));
        let is_six = matches!(kind, Kind::Frame | Kind::Axes);
        let part = (is_six && self.dice.percent(50)).then(|| (kind, self.dice.below(6)));
        let kind = if part.is_some() { Kind::Real } else { kind };
        // Whole numbers are rounded when a REAL is put into them.
        let value = match kind {
            Kind::Int if self.may(Open::Round) && self.dice.percent(20) => self.value(Kind::Real, 2),
            _ => self.value(kind, 3),
        };
        block.push(Stmt::Set(Place { name, index, part }, value));
    }

    fn a_loop(&mut self, depth: usize, block: &mut Vec<Stmt>) {
        let name = COUNTERS[self.loops];
        let from = self.dice.from_to(-2, 3);
        let rounds = self.dice.from_to(0, 4);
        self.loops += 1;
        // Whoever counts with it can read it, and hardly ever sets it.
        let may = self.dice.percent(10);
        self.seen.push((name, Kind::Int, None, may));
        let count = |by: i64| Stmt::Set(at(name), two(Op::Add, Expr::At(at(name)), Expr::Int(by)));
        match self.dice.below(if self.may(Open::Exit) { 4 } else { 3 }) {
            0 | 1 => {
                let step = self.dice.percent(40).then(|| [1, 2, 3, -1, -2][self.dice.below(5)]);
                let to = from + rounds * step.unwrap_or(1);
                let mut body = self.deeper(depth);
                if self.may(Open::Exit) && self.dice.percent(15) {
                    body.push(self.exit());
                }
                let to = if self.dice.percent(15) { self.value(Kind::Int, 1) } else { Expr::Int(to) };
                block.push(Stmt::For { name, from: Expr::Int(from), to, step, body });
            }
            2 => {
                block.push(Stmt::Set(at(name), Expr::Int(from)));
                let mut body = self.deeper(depth);
                body.push(count(1));
                let limit = Expr::Int(from + rounds);
                if self.dice.percent(50) {
                    block.push(Stmt::While(two(Op::Less, Expr::At(at(name)), limit), body));
                } else {
                    block.push(Stmt::Repeat(body, two(Op::AtLeast, Expr::At(at(name)), limit)));
                }
            }
            _ => {
                block.push(Stmt::Set(at(name), Expr::Int(from)));
                let mut body = self.deeper(depth);
                body.push(count(1));
                let limit = Expr::Int(from + rounds);
                let over = two(Op::AtLeast, Expr::At(at(name)), limit);
                body.push(Stmt::If(over, vec![Stmt::Exit], Vec::new()));
                if self.dice.percent(50) {
                    body.extend(self.deeper(depth));
                }
                block.push(Stmt::Loop(body));
            }
        }
        self.loops -= 1;
        // What it holds after its loop is rarely asked for.
        if depth > 0 || !self.may(Open::After) {
            self.seen.pop();
        }
    }

    fn exit(&mut self) -> Stmt {
        let condition = self.value(Kind::Bool, 1);
        Stmt::If(condition, vec![Stmt::Exit], Vec::new())
    }

    fn switch(&mut self, depth: usize, block: &mut Vec<Stmt>) {
        let of = self.value(Kind::Int, 1);
        let mut ways = Vec::new();
        let mut next = self.dice.from_to(-1, 1);
        for _ in 0..self.dice.from_to(1, 3) {
            let many = self.dice.from_to(1, 3);
            ways.push(((next..next + many).collect(), self.deeper(depth)));
            next += many;
        }
        let otherwise = self.dice.percent(60).then(|| self.deeper(depth));
        block.push(Stmt::Switch(of, ways, otherwise));
    }

    fn call(&mut self, block: &mut Vec<Stmt>) {
        if self.made.is_empty() {
            return self.assign(block);
        }
        let k = self.dice.below(self.made.len());
        let Some(given) = self.arguments(k) else { return self.assign(block) };
        match self.made[k].gives {
            None => block.push(Stmt::Call(k + 1, given)),
            // The value of a function belongs somewhere.
            Some(kind) => {
                // An INT fits into a REAL, and was rounded before; a REAL is rounded when it is put into an INT.
                let may_round = self.may(Open::Round);
                let fits = |of: Kind| match (of, kind) {
                    (Kind::Real, Kind::Int) => true,
                    (Kind::Int, Kind::Real) => may_round,
                    _ => of == kind,
                };
                let able =
                    self.seen.iter().filter(|(_, of, length, may)| fits(*of) && length.is_none() && *may);
                let able: Vec<_> = able.map(|(name, ..)| *name).collect();
                if let Some(&name) = able.get(self.dice.below(able.len().max(1))) {
                    block.push(Stmt::Set(at(name), Expr::Call(k + 1, given)));
                }
            }
        }
    }

    fn arguments(&mut self, k: usize) -> Option<Vec<Expr>> {
        let params = self.made[k].params.clone();
        let mut used: Vec<&str> = Vec::new();
        let mut given = Vec::new();
        for param in &params {
            if !param.is_out {
                // Values are made what the parameter is.
                let kind = match param.kind {
                    Kind::Real if self.dice.percent(30) => Kind::Int,
                    Kind::Int if self.dice.percent(10) => Kind::Real,
                    kind => kind,
                };
                given.push(self.value(kind, 2));
                continue;
            }
            let able = self.seen.iter().filter(|(_, kind, _, may)| *kind == param.kind && *may);
            if param.is_array {
                let whole: Vec<_> = able.filter(|(.., length, _)| length.is_some()).copied().collect();
                let (name, ..) = *whole.get(self.dice.below(whole.len().max(1)))?;
                if used.contains(&name) && !self.may(Open::Twice) {
                    return None;
                }
                used.push(name);
                given.push(Expr::All(name));
                continue;
            }
            // The same variable twice is rare, and an element is.
            let able: Vec<_> = able.copied().collect();
            let fresh: Vec<_> = able.iter().filter(|(name, ..)| !used.contains(name)).copied().collect();
            let may = self.may(Open::Twice);
            let able = if may && self.dice.percent(50) { able } else { fresh };
            let plain: Vec<_> = able.iter().filter(|(.., length, _)| length.is_none()).copied().collect();
            let able = if may && self.dice.percent(50) { able } else { plain };
            let (name, _, length, _) = *able.get(self.dice.below(able.len().max(1)))?;
            used.push(name);
            let index = length.map(|_| Box::new(self.index()));
            given.push(Expr::At(Place { name, index, part: None }));
        }
        Some(given)
    }

    fn motion(&mut self, block: &mut Vec<Stmt>) {
        let rounded = self.dice.percent(40);
        let motion = match self.dice.below(20) {
            0..4 => Stmt::Ptp(self.value(Kind::Axes, 2)),
            4..7 => Stmt::Ptp(self.value(Kind::Frame, 2)),
            7 => Stmt::Ptp(self.some(Kind::Axes)),
            8 => Stmt::PtpRelative(self.some(Kind::Axes)),
            9..15 => Stmt::Lin(self.value(Kind::Frame, 2), rounded),
            15 => Stmt::Lin(self.some(Kind::Frame), rounded),
            16 | 17 => Stmt::LinRelative(self.shift(), rounded),
            _ => Stmt::Circ(self.value(Kind::Frame, 1), self.value(Kind::Frame, 1), rounded),
        };
        // What a target leaves out is known after one that leaves out nothing.
        let before = match &motion {
            Stmt::Ptp(Expr::Six(Kind::Axes, parts)) if parts.len() < 6 => {
                Some(Stmt::Ptp(self.six(Kind::Axes, 1)))
            }
            Stmt::PtpRelative(_) => Some(Stmt::Ptp(self.six(Kind::Axes, 1))),
            Stmt::Lin(Expr::Six(_, parts), _) if parts.len() < 6 => {
                Some(Stmt::Lin(self.six(Kind::Frame, 1), rounded))
            }
            Stmt::LinRelative(..) => Some(Stmt::Ptp(self.value(Kind::Frame, 1))),
            _ => None,
        };
        block.extend(before.filter(|_| !self.may(Open::Parts)));
        block.push(motion);
    }

    /// Some components; the others stay.
    fn some(&mut self, kind: Kind) -> Expr {
        let first = self.dice.below(6);
        let parts = (0..6).filter(|place| *place == first || self.dice.percent(30)).collect::<Vec<_>>();
        Expr::Six(kind, parts.into_iter().map(|place| (place, self.value(Kind::Real, 1))).collect())
    }

    fn shift(&mut self) -> Expr {
        let first = self.dice.below(3);
        let parts = (0..3).filter(|place| *place == first || self.dice.percent(30)).collect::<Vec<_>>();
        Expr::Six(Kind::Frame, parts.into_iter().map(|place| (place, self.value(Kind::Real, 1))).collect())
    }

    fn six(&mut self, kind: Kind, depth: usize) -> Expr {
        let number = |maker: &mut Self, place: usize| {
            if kind == Kind::Frame && place > 2 {
                // No two of these make a right angle.
                return Expr::Int([0, 0, 13, -29, 37, 71, -83, 130][maker.dice.below(8)]);
            }
            maker.value(Kind::Real, depth)
        };
        Expr::Six(kind, (0..6).map(|place| (place, number(self, place))).collect())
    }

    fn index(&mut self) -> Expr {
        Expr::Int(self.dice.from_to(1, LENGTH as i64))
    }

    /// A variable, an element or a component of this type.
    fn place(&mut self, kind: Kind) -> Option<Expr> {
        let able: Vec<_> = self.seen.iter().filter(|(_, of, ..)| *of == kind).copied().collect();
        let (name, _, length, _) = *able.get(self.dice.below(able.len().max(1)))?;
        let index = length.map(|_| Box::new(self.index()));
        Some(Expr::At(Place { name, index, part: None }))
    }

    fn literal(&mut self, kind: Kind) -> Expr {
        match kind {
            Kind::Int => Expr::Int(self.dice.from_to(-2, 9)),
            Kind::Real => Expr::Real(self.dice.from_to(-20, 80) as f64 / 8.0),
            Kind::Bool => Expr::Bool(self.dice.percent(50)),
            Kind::Frame | Kind::Axes => self.six(kind, 0),
        }
    }

    /// An expression of this type.
    fn value(&mut self, kind: Kind, depth: usize) -> Expr {
        if depth == 0 || self.dice.percent(25) {
            return self.literal(kind);
        }
        if self.dice.percent(35)
            && let Some(place) = self.place(kind)
        {
            return place;
        }
        if self.may(Open::Calls) && self.dice.percent(30) {
            let able: Vec<_> = (0..self.made.len()).filter(|k| self.made[*k].gives == Some(kind)).collect();
            if let Some(k) = able.get(self.dice.below(able.len().max(1)))
                && let Some(given) = self.arguments(*k)
            {
                return Expr::Call(*k + 1, given);
            }
        }
        let deeper = depth - 1;
        match kind {
            Kind::Int => {
                let (left, right) = (self.value(Kind::Int, deeper), self.value(Kind::Int, deeper));
                match self.dice.below(10) {
                    0..4 => two(Op::Add, left, right),
                    4..7 => two(Op::Sub, left, right),
                    7 => two(Op::Mul, left, Expr::Int(self.dice.from_to(-1, 3))),
                    8 if self.may(Open::Divide) => two(Op::Div, left, Expr::Int(self.dice.from_to(2, 4))),
                    _ => Expr::Minus(Box::new(left)),
                }
            }
            Kind::Real => self.real(deeper),
            Kind::Bool => self.truth(deeper),
            Kind::Frame => {
                if self.dice.percent(50) {
                    let (left, right) = (self.value(kind, deeper), self.value(kind, deeper));
                    return two(Op::Chain, left, right);
                }
                self.six(kind, deeper)
            }
            Kind::Axes => self.six(kind, deeper),
        }
    }

    fn real(&mut self, depth: usize) -> Expr {
        match self.dice.below(12) {
            0..3 => two(Op::Add, self.value(Kind::Real, depth), self.value(Kind::Real, depth)),
            3 | 4 => two(Op::Sub, self.value(Kind::Real, depth), self.value(Kind::Int, depth)),
            5 => two(Op::Mul, self.value(Kind::Int, depth), Expr::Real(1.5)),
            6 => two(Op::Div, self.value(Kind::Real, depth), Expr::Real(2.5)),
            7 if self.may(Open::Divide) => two(Op::Div, self.value(Kind::Int, depth), Expr::Real(4.0)),
            // Whole numbers stay whole when they are divided.
            8 if self.may(Open::Divide) => {
                two(Op::Div, self.value(Kind::Int, depth), Expr::Int(self.dice.from_to(2, 4)))
            }
            9 => self.value(Kind::Int, depth),
            _ => {
                let kind = [Kind::Frame, Kind::Axes][self.dice.below(2)];
                let part = Some((kind, self.dice.below(if kind == Kind::Frame { 3 } else { 6 })));
                match self.place(kind) {
                    Some(Expr::At(place)) => Expr::At(Place { part, ..place }),
                    _ => self.literal(Kind::Real),
                }
            }
        }
    }

    fn truth(&mut self, depth: usize) -> Expr {
        let compare = [Op::Less, Op::More, Op::AtMost, Op::AtLeast, Op::Same, Op::Other];
        match self.dice.below(40) {
            0..20 => {
                let op = compare[self.dice.below(6)];
                let kind = [Kind::Int, Kind::Real][self.dice.below(2)];
                two(op, self.value(kind, depth), self.value(Kind::Int, depth))
            }
            20..26 => two(Op::And, self.value(Kind::Bool, depth), self.value(Kind::Bool, depth)),
            26..31 => two(Op::Or, self.value(Kind::Bool, depth), self.value(Kind::Bool, depth)),
            31 => two(Op::Exor, self.value(Kind::Bool, depth), self.value(Kind::Bool, depth)),
            32..35 => two(
                compare[self.dice.below(2) + 4],
                self.value(Kind::Bool, depth),
                self.value(Kind::Bool, depth),
            ),
            35 | 36 if self.may(Open::Input) => Expr::Input(self.dice.below(9) + 1),
            _ => Expr::Not(Box::new(self.value(Kind::Bool, depth))),
        }
    }
}
