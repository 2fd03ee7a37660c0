//! Programs of KRL as they may be written: letters of any size, blanks, comments, and no more brackets than the priorities of operators ask for.

use super::{Dice, Expr, Kind, Op, Param, Place, Program, Routine, Stmt, System};

const PARTS: [[&str; 6]; 2] = [["X", "Y", "Z", "A", "B", "C"], ["A1", "A2", "A3", "A4", "A5", "A6"]];

fn part(kind: Kind, place: usize) -> &'static str {
    PARTS[usize::from(kind == Kind::Axes)][place]
}

/// NOT comes first, comparisons last; those of one line are worked out from left to right.
fn priority(op: Op) -> u8 {
    match op {
        Op::Chain => 0,
        Op::Mul | Op::Div => 2,
        Op::Add | Op::Sub => 3,
        Op::And => 4,
        Op::Exor => 5,
        Op::Or => 6,
        _ => 7,
    }
}

struct Writer<'a> {
    dice: &'a mut Dice,
    out: String,
}

impl Program {
    pub(super) fn text(&self, dice: &mut Dice) -> String {
        let mut writer = Writer { dice, out: String::new() };
        if writer.dice.percent(50) {
            writer.out += "&ACCESS RVP\n";
        }
        for (k, routine) in self.0.iter().enumerate() {
            writer.routine(k, routine);
        }
        writer.out
    }
}

fn name_of(k: usize) -> String {
    if k == 0 { "go".into() } else { format!("sub{k}") }
}

fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "INT",
        Kind::Real => "REAL",
        Kind::Bool => "BOOL",
        Kind::Frame => "FRAME",
        Kind::Axes => "AXIS",
    }
}

impl Writer<'_> {
    /// A word in letters of some size.
    fn word(&mut self, word: &str) -> String {
        match self.dice.below(4) {
            0 => word.to_ascii_lowercase(),
            1 => {
                let (first, rest) = word.split_at(1);
                first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
            }
            _ => word.to_ascii_uppercase(),
        }
    }

    fn blank(&mut self) -> &'static str {
        ["", "", " ", " ", "  "][self.dice.below(5)]
    }

    fn line(&mut self, depth: usize, line: &str) {
        if self.dice.percent(4) {
            self.out += "; LIN {X 1,Y 2,Z 3,A 0,B 0,C 0}\n";
        }
        if self.dice.percent(4) {
            self.out += "\n";
        }
        self.out += &" ".repeat(depth);
        self.out += line;
        if self.dice.percent(5) {
            self.out += " ; ENDIF";
        }
        self.out += "\n";
    }

    fn routine(&mut self, k: usize, routine: &Routine) {
        let params: Vec<String> = routine
            .params
            .iter()
            .map(|param| {
                let array = if param.is_array { "[]" } else { "" };
                format!("{}{array}:{}", self.word(param.name), if param.is_out { "OUT" } else { "IN" })
            })
            .collect();
        let (params, name) = (params.join(","), name_of(k));
        let (head, end) = match routine.gives {
            None => (format!("DEF {name}({params})"), "END"),
            Some(kind) => (format!("DEFFCT {} {name}({params})", type_of(kind)), "ENDFCT"),
        };
        self.line(0, &head);
        let array = |param: &Param| if param.is_array { "[]".to_owned() } else { String::new() };
        let given = routine.params.iter().map(|param| (param.name, param.kind, array(param)));
        let length = |length: Option<usize>| length.map(|length| format!("[{length}]")).unwrap_or_default();
        let own = routine.locals.iter().map(|(name, kind, many)| (*name, *kind, length(*many)));
        for (name, kind, length) in given.chain(own) {
            let decl = if self.dice.percent(60) { "DECL " } else { "" };
            let name = self.word(name);
            self.line(0, &format!("{decl}{} {name}{length}", type_of(kind)));
        }
        self.block(&routine.body, 1);
        self.line(0, end);
    }

    fn block(&mut self, block: &[Stmt], depth: usize) {
        for stmt in block {
            self.statement(stmt, depth);
        }
    }

    fn statement(&mut self, stmt: &Stmt, depth: usize) {
        let inner = depth + 1;
        match stmt {
            Stmt::Set(place, value) => {
                let (place, value) = (self.place(place), self.expr(value));
                let (left, right) = (self.blank(), self.blank());
                self.line(depth, &format!("{place}{left}={right}{value}"));
            }
            Stmt::System(system, value) => {
                let name = match system {
                    System::Base => "$BASE".into(),
                    System::Tool => "$TOOL".into(),
                    System::BasePart(place) => format!("$BASE.{}", part(Kind::Frame, *place)),
                    System::ToolPart(place) => format!("$TOOL.{}", part(Kind::Frame, *place)),
                    System::Speed => "$VEL.CP".into(),
                    System::Distance => "$APO.CDIS".into(),
                };
                let name = self.word(&name);
                let value = self.expr(value);
                self.line(depth, &format!("{name}={value}"));
            }
            Stmt::If(condition, yes, no) => {
                let (word, condition, then) = (self.word("IF"), self.expr(condition), self.word("THEN"));
                self.line(depth, &format!("{word} {condition} {then}"));
                self.block(yes, inner);
                if !no.is_empty() {
                    self.line(depth, "ELSE");
                    self.block(no, inner);
                }
                self.line(depth, "ENDIF");
            }
            Stmt::For { name, from, to, step, body } => {
                let (name, from, to) = (self.word(name), self.expr(from), self.expr(to));
                let step = step.map(|step| format!(" STEP {step}")).unwrap_or_default();
                self.line(depth, &format!("FOR {name}={from} TO {to}{step}"));
                self.block(body, inner);
                self.line(depth, "ENDFOR");
            }
            Stmt::While(condition, body) => {
                let condition = self.expr(condition);
                self.line(depth, &format!("WHILE {condition}"));
                self.block(body, inner);
                self.line(depth, "ENDWHILE");
            }
            Stmt::Repeat(body, until) => {
                self.line(depth, "REPEAT");
                self.block(body, inner);
                let until = self.expr(until);
                self.line(depth, &format!("UNTIL {until}"));
            }
            Stmt::Loop(body) => {
                self.line(depth, "LOOP");
                self.block(body, inner);
                self.line(depth, "ENDLOOP");
            }
            Stmt::Exit => self.line(depth, "EXIT"),
            Stmt::Switch(of, ways, otherwise) => {
                let of = self.expr(of);
                self.line(depth, &format!("SWITCH {of}"));
                for (values, body) in ways {
                    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                    self.line(depth, &format!("CASE {}", values.join(",")));
                    self.block(body, inner);
                }
                if let Some(otherwise) = otherwise {
                    self.line(depth, "DEFAULT");
                    self.block(otherwise, inner);
                }
                self.line(depth, "ENDSWITCH");
            }
            Stmt::Call(k, given) => {
                let call = self.call(*k, given);
                self.line(depth, &call);
            }
            Stmt::Return(None) => self.line(depth, "RETURN"),
            Stmt::Return(Some(value)) => {
                let value = self.expr(value);
                self.line(depth, &format!("RETURN {value}"));
            }
            Stmt::Quiet(line) => self.line(depth, line),
            Stmt::Skip(condition, body, label) => {
                let condition = self.expr(condition);
                self.line(depth, &format!("IF {condition} THEN"));
                self.line(inner, &format!("GOTO over{label}"));
                self.line(depth, "ENDIF");
                self.block(body, depth);
                self.line(depth, &format!("over{label}:"));
            }
            Stmt::Ptp(to) => self.motion(depth, "PTP", &[to], false),
            Stmt::PtpRelative(by) => self.motion(depth, "PTP_REL", &[by], false),
            Stmt::Lin(to, rounded) => self.motion(depth, "LIN", &[to], *rounded),
            Stmt::LinRelative(by, rounded) => self.motion(depth, "LIN_REL", &[by], *rounded),
            Stmt::Circ(via, to, rounded) => self.motion(depth, "CIRC", &[via, to], *rounded),
        }
    }

    fn motion(&mut self, depth: usize, word: &str, places: &[&Expr], rounded: bool) {
        let word = self.word(word);
        let places: Vec<String> = places.iter().map(|place| self.expr(place)).collect();
        let rounded = if rounded { " C_DIS" } else { "" };
        self.line(depth, &format!("{word} {}{rounded}", places.join(",")));
    }

    fn call(&mut self, k: usize, given: &[Expr]) -> String {
        let given: Vec<String> = given.iter().map(|value| self.expr(value)).collect();
        format!("{}({})", self.word(&name_of(k)), given.join(","))
    }

    fn place(&mut self, place: &Place) -> String {
        let mut text = self.word(place.name);
        if let Some(index) = &place.index {
            text += &format!("[{}]", self.expr(index));
        }
        if let Some((kind, of)) = place.part {
            text += &format!(".{}", self.word(part(kind, of)));
        }
        text
    }

    fn number(&mut self, number: f64) -> String {
        match self.dice.below(8) {
            0 if number.fract() == 0.0 => format!("{number:.0}."),
            1 => format!("{}E-1", number * 10.0),
            _ => format!("{number:?}"),
        }
    }

    fn expr(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Int(number) if *number >= 0 && self.dice.percent(3) => format!("'H{number:X}'"),
            Expr::Int(number) if *number >= 0 && self.dice.percent(3) => format!("'B{number:b}'"),
            Expr::Int(number) => number.to_string(),
            Expr::Real(number) => self.number(*number),
            Expr::Bool(truth) => self.word(if *truth { "TRUE" } else { "FALSE" }),
            Expr::At(place) => self.place(place),
            Expr::All(name) => format!("{}[]", self.word(name)),
            Expr::Input(number) => format!("$IN[{number}]"),
            Expr::Minus(inner) => {
                let inner = self.bracketed(inner, 0);
                if inner.starts_with('-') { format!("-({inner})") } else { format!("-{inner}") }
            }
            Expr::Not(inner) => format!("{} {}", self.word("NOT"), self.bracketed(inner, 0)),
            Expr::Two(op, left, right) => self.two(*op, left, right),
            Expr::Call(k, given) => self.call(*k, given),
            Expr::Six(kind, parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|(place, value)| format!("{} {}", part(*kind, *place), self.expr(value)))
                    .collect();
                format!("{{{}}}", parts.join(","))
            }
        }
    }

    fn two(&mut self, op: Op, left: &Expr, right: &Expr) -> String {
        let sign = match op {
            Op::Mul => "*",
            Op::Div => "/",
            Op::Add => "+",
            Op::Sub => "-",
            Op::And => "AND",
            Op::Exor => "EXOR",
            Op::Or => "OR",
            Op::Less => "<",
            Op::More => ">",
            Op::AtMost => "<=",
            Op::AtLeast => ">=",
            Op::Same => "==",
            Op::Other => "<>",
            Op::Chain => ":",
        };
        let level = priority(op);
        // Comparisons of comparisons are kept in brackets.
        let left = self.bracketed(left, if level == 7 { 6 } else { level });
        let is_chained = matches!(right, Expr::Two(Op::Chain, ..));
        let right = self.bracketed(right, level.saturating_sub(1));
        let right = if is_chained { format!("({right})") } else { right };
        if sign.as_bytes()[0].is_ascii_alphabetic() {
            return format!("{left} {} {right}", self.word(sign));
        }
        format!("{left}{}{sign}{}{right}", self.blank(), self.blank())
    }

    /// An operand, in brackets if it binds weaker than this.
    fn bracketed(&mut self, expr: &Expr, most: u8) -> String {
        let level = match expr {
            // What a sign before a number belongs to is not said.
            Expr::Minus(_) => 9,
            Expr::Int(number) if *number < 0 => 9,
            Expr::Real(number) if *number < 0.0 => 9,
            Expr::Not(_) => 1,
            Expr::Two(op, ..) => priority(*op),
            _ => 0,
        };
        let text = self.expr(expr);
        if level > most || self.dice.percent(3) && level > 0 { format!("({text})") } else { text }
    }
}
