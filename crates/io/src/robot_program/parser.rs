//! Expressions, which robot languages have in common.

use super::lexer::{Lexer, Rules, Token, Wrong};
use super::value::Value;

/// What methods of URScript are called by: no function can have that name.
pub(super) const METHOD: &str = "a method";

/// How deep brackets may be in each other.
const DEPTH: usize = 60;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    Const(Value),
    Name(String),
    Part(Box<Expr>, String),
    /// Places as they are written.
    Element(Box<Expr>, Vec<Expr>),
    Call(String, Vec<Arg>),
    List(Vec<Expr>),
    Record(Vec<(String, Expr)>),
    Minus(Box<Expr>),
    Not(Box<Expr>),
    Two(Op, Box<Expr>, Box<Expr>),
}

/// An argument, perhaps by name: `\WObj:=w`, `r=0.1`, `\On`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arg {
    pub(super) name: Option<String>,
    pub(super) value: Option<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    IntDiv,
    Mod,
    And,
    Xor,
    Or,
    Same,
    Other,
    Less,
    More,
    AtMost,
    AtLeast,
    Chain,
}

#[derive(Clone)]
pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    pub(super) rules: Rules,
    pub(super) token: Token,
    /// The line in which the token stands.
    pub(super) line: u32,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a [u8], rules: Rules) -> Self {
        let lexer = Lexer::new(text, rules);
        Self { lexer, rules, token: Token::LineEnd, line: 1, depth: 0 }
    }

    /// Goes on to the next token.
    pub(super) fn step(&mut self) -> Result<(), Wrong> {
        // The end of a line belongs to the line that it ends.
        let before = self.lexer.line();
        self.token = self.lexer.next()?;
        self.line = if self.token == Token::LineEnd { before } else { self.lexer.line() };
        Ok(())
    }

    /// Passes over all of this line.
    pub(super) fn skip_line(&mut self) -> Result<(), Wrong> {
        if !matches!(self.token, Token::LineEnd | Token::End) {
            self.lexer.skip_line();
            self.step()?;
        }
        Ok(())
    }

    /// Goes on behind a sign, or behind the end of the line, whatever is between.
    pub(super) fn recover(&mut self, sign: Option<&str>) {
        loop {
            let is_end = match (&self.token, sign) {
                (Token::End, _) => return,
                (Token::LineEnd, None) => true,
                (Token::Sign(found), Some(sign)) => *found == sign,
                _ => false,
            };
            let stepped = self.step();
            if is_end && (stepped.is_ok() || sign.is_none()) {
                return;
            }
        }
    }

    pub(super) fn wrong(&self, what: impl Into<String>) -> Wrong {
        Wrong { line: self.line, what: what.into(), cut: self.token == Token::End }
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(&self.token, Token::Sign(found) if *found == sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(&self.token, Token::Name(found) if found == word)
    }

    pub(super) fn take(&mut self, sign: &str) -> Result<bool, Wrong> {
        let is_it = self.is_sign(sign);
        if is_it {
            self.step()?;
        }
        Ok(is_it)
    }

    pub(super) fn take_word(&mut self, word: &str) -> Result<bool, Wrong> {
        let is_it = self.is_word(word);
        if is_it {
            self.step()?;
        }
        Ok(is_it)
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), Wrong> {
        if self.take(sign)? {
            Ok(())
        } else {
            Err(self.wrong(format!("'{sign}' is missing before {}", self.shown())))
        }
    }

    /// Nothing more may stand in this line: it would belong to what was read of it, and a block begins behind it.
    pub(super) fn line_ends(&self) -> Result<(), Wrong> {
        match self.token {
            Token::LineEnd | Token::End => Ok(()),
            _ => {
                let what =
                    format!("{} stands where the line should end: this is not understood", self.shown());
                Err(Wrong { cut: true, ..self.wrong(what) })
            }
        }
    }

    pub(super) fn name(&mut self) -> Result<String, Wrong> {
        match std::mem::replace(&mut self.token, Token::LineEnd) {
            Token::Name(name) => {
                self.step()?;
                Ok(name)
            }
            other => {
                self.token = other;
                Err(self.wrong(format!("a name is missing before {}", self.shown())))
            }
        }
    }

    pub(super) fn shown(&self) -> String {
        match &self.token {
            Token::Name(name) => format!("'{name}'"),
            Token::Number(number) => format!("{number}"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Sign(sign) => format!("'{sign}'"),
            Token::LineEnd => "the end of the line".into(),
            Token::End => "the end of the file".into(),
        }
    }

    pub(super) fn expr(&mut self) -> Result<Expr, Wrong> {
        self.level(0)
    }

    fn level(&mut self, level: usize) -> Result<Expr, Wrong> {
        if level == 6 {
            return self.unary();
        }
        // In RAPID, NOT at the beginning of an expression goes as far as AND does (technical reference manual RAPID kernel, 3).
        let is_not = level == 0 && self.rules.equals && self.take_word("not")?;
        let mut left = self.level(level + 1)?;
        if is_not {
            left = Expr::Not(Box::new(left));
        }
        while let Some(op) = self.op(level) {
            self.step()?;
            let right = self.level(level + 1)?;
            left = Expr::Two(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn op(&self, level: usize) -> Option<Op> {
        // KRL compares last of all; the others before they join what is true or false.
        let level = if self.rules.compares_last { [3, 0, 1, 2, 4, 5][level] } else { level };
        let all: &[(&str, Op)] = match level {
            0 => &[("or", Op::Or)],
            1 => &[("exor", Op::Xor)],
            2 => &[("and", Op::And)],
            3 => &[
                ("==", Op::Same),
                ("<>", Op::Other),
                ("!=", Op::Other),
                ("<=", Op::AtMost),
                (">=", Op::AtLeast),
                ("<", Op::Less),
                (">", Op::More),
                ("=", Op::Same),
            ],
            4 => &[("+", Op::Add), ("-", Op::Sub)],
            _ => &[("*", Op::Mul), ("/", Op::Div), ("div", Op::IntDiv), ("mod", Op::Mod), (":", Op::Chain)],
        };
        let found = all.iter().find(|(word, _)| self.is_sign(word) || self.is_word(word))?;
        match found.0 {
            "=" if !self.rules.equals => None,
            ":" if !self.rules.chain => None,
            "exor" if !self.rules.compares_last => None,
            _ => Some(found.1),
        }
    }

    fn unary(&mut self) -> Result<Expr, Wrong> {
        self.depth += 1;
        let found = if self.depth > DEPTH {
            Err(self.wrong("brackets are too deep in each other"))
        } else if self.take("-")? {
            self.unary().map(|inner| match inner {
                Expr::Const(Value::Number(number)) => Expr::Const(Value::Number(-number)),
                inner => Expr::Minus(Box::new(inner)),
            })
        } else if self.take("+")? {
            self.unary()
        } else if self.take_word("not")? {
            let inner = if self.rules.compares_last { self.unary() } else { self.level(3) };
            // RAPID has no NOT in the middle of an expression.
            if self.rules.equals && self.is_word("and") {
                Err(self.wrong("NOT stands before AND without brackets: what it belongs to is not clear"))
            } else {
                inner.map(|inner| Expr::Not(Box::new(inner)))
            }
        } else {
            self.primary()
        };
        self.depth -= 1;
        let mut found = found?;
        loop {
            if self.is_sign(".") {
                self.step()?;
                let name = self.name()?;
                // `server.ask(1)` of URScript: what it is handed may come back changed, and so may the server.
                found = if self.rules.poses && self.is_sign("(") {
                    let mut args = vec![Arg { name: None, value: Some(found) }];
                    args.extend(self.args_in_brackets()?);
                    Expr::Call(METHOD.into(), args)
                } else {
                    Expr::Part(Box::new(found), name)
                };
            } else if self.is_sign("{") && self.rules.equals {
                found = Expr::Element(Box::new(found), self.elements("}")?);
            } else if self.is_sign("[") && !self.rules.equals {
                found = Expr::Element(Box::new(found), self.elements("]")?);
            } else {
                return Ok(found);
            }
        }
    }

    fn elements(&mut self, end: &str) -> Result<Vec<Expr>, Wrong> {
        self.step()?;
        let mut all = Vec::new();
        while !self.is_sign(end) {
            all.push(self.expr()?);
            if !self.take(",")? {
                break;
            }
        }
        self.expect(end)?;
        Ok(all)
    }

    fn primary(&mut self) -> Result<Expr, Wrong> {
        match std::mem::replace(&mut self.token, Token::LineEnd) {
            Token::Number(number) => {
                self.step()?;
                Ok(Expr::Const(Value::Number(number)))
            }
            Token::Text(text) => {
                self.step()?;
                Ok(Expr::Const(Value::Text(text)))
            }
            Token::Name(name) => {
                self.step()?;
                if name.eq_ignore_ascii_case("true") || name.eq_ignore_ascii_case("false") {
                    return Ok(Expr::Const(Value::Truth(name.eq_ignore_ascii_case("true"))));
                }
                if self.rules.poses && name == "p" && self.is_sign("[") {
                    let parts = self.elements("]")?;
                    let names = ["x", "y", "z", "rx", "ry", "rz"];
                    if parts.len() != names.len() {
                        return Err(self.wrong(format!("a pose has six numbers, not {}", parts.len())));
                    }
                    let parts =
                        names.iter().zip(parts).map(|(name, part)| ((*name).to_owned(), part)).collect();
                    return Ok(folded(Expr::Record(parts)));
                }
                if self.is_sign("(") {
                    let args = self.args_in_brackets()?;
                    return Ok(Expr::Call(name, args));
                }
                Ok(Expr::Name(name))
            }
            other => {
                self.token = other;
                if self.take("(")? {
                    let inner = self.expr()?;
                    self.expect(")")?;
                    return Ok(inner);
                }
                if self.is_sign("[") {
                    return Ok(folded(Expr::List(self.elements("]")?)));
                }
                if self.take("#")? {
                    return Ok(Expr::Const(Value::Text(format!("#{}", self.name()?))));
                }
                if self.is_sign("{") {
                    return self.record();
                }
                Err(self.wrong(format!("a value is missing before {}", self.shown())))
            }
        }
    }

    /// `{E6POS: X 1.0, Y 2.0}`
    fn record(&mut self) -> Result<Expr, Wrong> {
        self.step()?;
        let mut parts = Vec::new();
        while !self.is_sign("}") {
            let name = self.name()?;
            if self.take(":")? {
                continue;
            }
            // An array within a structure has its place in brackets.
            if self.is_sign("[") {
                self.elements("]")?;
            }
            parts.push((name, self.level(4)?));
            if !self.take(",")? {
                break;
            }
        }
        self.expect("}")?;
        Ok(folded(Expr::Record(parts)))
    }

    pub(super) fn args_in_brackets(&mut self) -> Result<Vec<Arg>, Wrong> {
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.is_sign(")") {
            args.push(self.arg()?);
            if !self.take(",")? && !self.is_sign("\\") {
                break;
            }
        }
        self.expect(")")?;
        Ok(args)
    }

    pub(super) fn arg(&mut self) -> Result<Arg, Wrong> {
        if self.take("\\")? {
            let name = self.name()?;
            let value = if self.take(":=")? { Some(self.expr()?) } else { None };
            return Ok(Arg { name: Some(name), value });
        }
        let value = self.expr()?;
        if self.rules.poses
            && let Expr::Name(name) = &value
            && self.is_sign("=")
        {
            let name = name.clone();
            self.step()?;
            return Ok(Arg { name: Some(name), value: Some(self.expr()?) });
        }
        Ok(Arg { name: None, value: Some(value) })
    }
}

/// Lists and structures of constants are constants: thousands of points are then not kept twice.
fn folded(expr: Expr) -> Expr {
    let is_const = |expr: &Expr| matches!(expr, Expr::Const(_));
    let value = |expr: Expr| match expr {
        Expr::Const(value) => value,
        _ => unreachable!("all are constants"),
    };
    match expr {
        Expr::List(all) if all.iter().all(is_const) => {
            let mut values: Vec<Value> = all.into_iter().map(value).collect();
            // The room of expressions is more than values need.
            values.shrink_to_fit();
            Expr::Const(Value::List(values))
        }
        Expr::Record(all) if all.iter().all(|(_, part)| is_const(part)) => {
            let mut parts: Vec<(String, Value)> =
                all.into_iter().map(|(name, part)| (name, value(part))).collect();
            parts.shrink_to_fit();
            Expr::Const(Value::Record(parts))
        }
        other => other,
    }
}
