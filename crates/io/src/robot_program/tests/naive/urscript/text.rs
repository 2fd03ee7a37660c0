//! Programs of URScript as they may be written: blanks, comments, and few brackets.

use super::{Belongs, Dice, Expr, Function, Kind, Motion, Op, Program, Stmt};

/// The manual's examples compare before they join, and join by `and` before `or`; brackets part `xor` from both.
fn priority(op: Op) -> u8 {
    match op {
        Op::Mul | Op::Div | Op::Mod => 1,
        Op::Add | Op::Sub => 2,
        Op::And => 5,
        Op::Or => 6,
        Op::Xor => 7,
        _ => 3,
    }
}

struct Writer<'a> {
    dice: &'a mut Dice,
    out: String,
}

impl Program {
    pub(super) fn text(&self, dice: &mut Dice) -> String {
        let mut writer = Writer { dice, out: String::new() };
        writer.line(0, "def program():");
        // Functions stand before the variables of the program or behind them.
        let is_before = writer.dice.percent(30);
        if !is_before {
            writer.block(&self.first, 1);
        }
        for (k, function) in self.functions.iter().enumerate() {
            writer.function(k, function);
        }
        if is_before {
            writer.block(&self.first, 1);
        }
        writer.block(&self.body, 1);
        writer.line(0, "end");
        writer.out
    }
}

impl Writer<'_> {
    fn blank(&mut self) -> &'static str {
        ["", " ", " ", "  "][self.dice.below(4)]
    }

    fn line(&mut self, depth: usize, line: &str) {
        if self.dice.percent(4) {
            self.out += "# movej([0,0,0,0,0,0])\n";
        }
        if self.dice.percent(4) {
            self.out += "\n";
        }
        self.out += &"  ".repeat(depth);
        self.out += line;
        if self.dice.percent(5) {
            self.out += " # end";
        }
        self.out += "\n";
    }

    fn function(&mut self, k: usize, function: &Function) {
        let params: Vec<&str> = function.params.iter().map(|(name, _)| *name).collect();
        self.line(1, &format!("def f{k}({}):", params.join(", ")));
        self.block(&function.body, 2);
        self.line(1, "end");
    }

    fn block(&mut self, block: &[Stmt], depth: usize) {
        for stmt in block {
            self.statement(stmt, depth);
        }
    }

    fn statement(&mut self, stmt: &Stmt, depth: usize) {
        match stmt {
            Stmt::Set(belongs, name, index, value) => {
                let belongs = match belongs {
                    Belongs::Unsaid => "",
                    Belongs::Local => "local ",
                    Belongs::Global => "global ",
                };
                let index = index.as_ref().map(|index| format!("[{}]", self.expr(index))).unwrap_or_default();
                let value = self.expr(value);
                let (left, right) = (self.blank(), self.blank());
                self.line(depth, &format!("{belongs}{name}{index}{left}={right}{value}"));
            }
            Stmt::If(ways, otherwise) => {
                for (k, (condition, body)) in ways.iter().enumerate() {
                    let condition = self.expr(condition);
                    let condition = if self.dice.percent(30) { format!("({condition})") } else { condition };
                    self.line(depth, &format!("{} {condition}:", if k == 0 { "if" } else { "elif" }));
                    self.block(body, depth + 1);
                }
                if !otherwise.is_empty() {
                    self.line(depth, "else:");
                    self.block(otherwise, depth + 1);
                }
                self.line(depth, "end");
            }
            Stmt::While(condition, body) => {
                let condition = self.expr(condition);
                self.line(depth, &format!("while {condition}:"));
                self.block(body, depth + 1);
                self.line(depth, "end");
            }
            Stmt::Break => self.line(depth, "break"),
            Stmt::Continue => self.line(depth, "continue"),
            Stmt::Call(k, given) => {
                let call = self.call(&format!("f{k}"), given);
                self.line(depth, &call);
            }
            Stmt::Return(None) => self.line(depth, "return None"),
            Stmt::Return(Some(value)) => {
                let value = self.expr(value);
                self.line(depth, &format!("return {value}"));
            }
            Stmt::Halt => self.line(depth, "halt"),
            Stmt::Tool(pose) => {
                let pose = self.expr(pose);
                self.line(depth, &format!("set_tcp({pose})"));
            }
            Stmt::Move(motion) => self.motion(motion, depth),
        }
    }

    fn motion(&mut self, motion: &Motion, depth: usize) {
        let mut given: Vec<String> = motion.via.iter().map(|via| self.expr(via)).collect();
        given.push(self.expr(&motion.to));
        for (k, (name, value)) in motion.settings.iter().enumerate() {
            let value = self.expr(value);
            given.push(if k < motion.placed { value } else { format!("{name}={value}") });
        }
        let comma = [",", ", "][self.dice.below(2)];
        self.line(depth, &format!("{}({})", motion.name, given.join(comma)));
    }

    fn call(&mut self, name: &str, given: &[Expr]) -> String {
        let given: Vec<String> = given.iter().map(|value| self.expr(value)).collect();
        format!("{name}({})", given.join(", "))
    }

    fn expr(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Int(number) => number.to_string(),
            Expr::Float(number) => format!("{number:?}"),
            Expr::Bool(truth) => if *truth { "True" } else { "False" }.into(),
            Expr::Name(name) => (*name).into(),
            Expr::Element(name, index) => format!("{name}[{}]", self.expr(index)),
            Expr::Input(number) => format!("get_standard_digital_in({number})"),
            Expr::Minus(inner) => format!("-{}", self.bracketed(inner, 0)),
            Expr::Not(inner) => format!("not {}", self.bracketed(inner, 3)),
            Expr::Call(k, given) => self.call(&format!("f{k}"), given),
            Expr::Six(kind, numbers) => {
                let numbers: Vec<String> = numbers.iter().map(|number| self.expr(number)).collect();
                let comma = [",", ", "][self.dice.below(2)];
                format!("{}[{}]", if *kind == Kind::Pose { "p" } else { "" }, numbers.join(comma))
            }
            Expr::Pose(name, given) => self.call(name, given),
            Expr::Two(op, left, right) => {
                let sign = match op {
                    Op::Mul => "*",
                    Op::Div => "/",
                    Op::Mod => "%",
                    Op::Add => "+",
                    Op::Sub => "-",
                    Op::Less => "<",
                    Op::More => ">",
                    Op::AtMost => "<=",
                    Op::AtLeast => ">=",
                    Op::Same => "==",
                    Op::Other => "!=",
                    Op::And => "and",
                    Op::Xor => "xor",
                    Op::Or => "or",
                };
                let level = priority(*op);
                let (most, right_most) = match op {
                    Op::Xor => (3, 3),
                    _ if level == 3 => (2, 2),
                    _ => (level, level - 1),
                };
                let (left, right) = (self.bracketed(left, most), self.bracketed(right, right_most));
                let blank = if level > 3 { " " } else { self.blank() };
                format!("{left}{blank}{sign}{blank}{right}")
            }
        }
    }

    /// An operand, in brackets if it binds weaker than this.
    fn bracketed(&mut self, expr: &Expr, most: u8) -> String {
        let level = match expr {
            // What a sign before a number belongs to is not said.
            Expr::Minus(_) => 9,
            Expr::Int(number) if *number < 0 => 9,
            Expr::Float(number) if *number < 0.0 => 9,
            Expr::Not(_) => 4,
            Expr::Two(op, ..) => priority(*op),
            _ => 0,
        };
        let text = self.expr(expr);
        if level > most || self.dice.percent(3) && level > 0 { format!("({text})") } else { text }
    }
}
