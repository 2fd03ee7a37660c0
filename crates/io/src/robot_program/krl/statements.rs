//! Statements of KRL.

use super::grammar::Reader;
use super::motion::{LATER, MOTIONS, is_settable};
use crate::robot_program::blocks::{block, chosen};
use crate::robot_program::lexer::{Token, Wrong};
use crate::robot_program::machine::{Act, Block, Loop, root};
use crate::robot_program::parser::{Arg, Expr, Parser};
use crate::robot_program::value::Value;
use std::rc::Rc;

/// Words that begin a statement in which nothing moves.
const QUIET: [&str; 12] = [
    "ext", "extfct", "extp", "extfctp", "signal", "import", "wait", "halt", "continue", "pulse", "enum",
    "brake",
];

const TYPES: [&str; 17] = [
    "int",
    "real",
    "bool",
    "char",
    "frame",
    "pos",
    "e6pos",
    "axis",
    "e6axis",
    "e3pos",
    "e3axis",
    "pdat",
    "fdat",
    "ldat",
    "load",
    "basis_sugg_t",
    "date",
];

impl Reader<'_> {
    pub(super) fn one(&mut self, depth: usize) -> Result<Vec<Act>, Wrong> {
        let line = self.parser.line;
        let p = &mut self.parser;
        let word = match &p.token {
            Token::Name(word) => word.clone(),
            Token::Sign("&") => {
                p.skip_line()?;
                return Ok(Vec::new());
            }
            _ => return Err(p.wrong(format!("{} begins no statement", p.shown()))),
        };
        let strange = |p: &mut Parser<'_>, why: &str, moves: bool| {
            p.skip_line()?;
            Ok::<_, Wrong>(vec![Act::Strange { why: why.into(), moves }])
        };
        match word.as_str() {
            // What is run behind such a word would not be known, wherever it stands.
            _ if is_of_branches(&word) && !is_used_as_name(p)? => {
                let word = word.to_ascii_uppercase();
                let what = format!("{word} is no word of KRL here: what is run behind it is not known");
                Err(Wrong { cut: true, ..p.wrong(what) })
            }
            "global" => {
                p.step()?;
                self.one(depth)
            }
            "decl" | "struc" => self.locals(),
            _ if TYPES.contains(&word.as_str()) => self.locals(),
            "interrupt" => self.interrupt(),
            "trigger" => self.trigger(),
            "anin" | "digin" => strange(p, "a variable that follows an input is not followed", true),
            "resume" => strange(p, "RESUME is not followed", true),
            "anout" | "channel" => {
                let names = called_in_line(p)?;
                let why = "outputs that follow variables are not looked at".into();
                Ok(vec![Act::Strange { why, moves: false }, Act::Aside(names)])
            }
            "signal" => {
                p.step()?;
                if let Token::Name(name) = &p.token {
                    self.volatile.push(name.clone());
                }
                self.parser.skip_line()?;
                Ok(Vec::new())
            }
            "goto" => strange(p, "GOTO is not followed", true),
            "spline" | "ptp_spline" | "endspline" => strange(p, "blocks of splines are not understood", true),
            "exit" => strange(p, "EXIT is not followed", true),
            "wait" => {
                p.step()?;
                // WAIT FOR a condition: worked out, for what is never so something else has to bring about.
                let mut ahead = p.clone();
                let condition = if ahead.take_word("for")? { ahead.expr().ok() } else { None };
                let is_all = matches!(ahead.token, Token::LineEnd | Token::End);
                let mut acts = vec![Act::Aside(called_in_line(p)?)];
                if let Some(value) = condition.filter(|_| is_all) {
                    let args = vec![Arg { name: None, value: Some(value) }];
                    acts.push(Act::Call("wait for".into(), args));
                }
                Ok(acts)
            }
            _ if QUIET.contains(&word.as_str()) => Ok(vec![Act::Aside(called_in_line(p)?)]),
            "return" => {
                p.step()?;
                let value =
                    if matches!(p.token, Token::LineEnd | Token::End) { None } else { Some(p.expr()?) };
                Ok(vec![Act::Return(value)])
            }
            "if" => {
                p.step()?;
                let condition = p.expr()?;
                if !p.take_word("then")? {
                    let what = format!("{} stands where THEN should: this is not understood", p.shown());
                    return Err(Wrong { cut: true, ..p.wrong(what) });
                }
                p.line_ends()?;
                let (body, end) = block(self, &["else", "endif"], line, depth + 1)?;
                self.parser.step()?;
                let otherwise = if end == "else" {
                    self.parser.line_ends()?;
                    let (otherwise, _) = block(self, &["endif"], line, depth + 1)?;
                    self.parser.step()?;
                    otherwise
                } else {
                    Rc::from([])
                };
                Ok(vec![Act::If(vec![(condition, body)], otherwise)])
            }
            "for" => {
                p.step()?;
                let name = p.name()?;
                p.expect("=")?;
                let from = p.expr()?;
                if !p.take_word("to")? {
                    return Err(p.wrong("TO is missing"));
                }
                let to = p.expr()?;
                let step = if p.take_word("step")? { p.expr()? } else { Expr::Const(Value::Number(1.0)) };
                p.line_ends()?;
                let (body, _) = block(self, &["endfor"], line, depth + 1)?;
                self.parser.step()?;
                Ok(vec![Act::For(Box::new(Loop { name, from, to, step: Some(step), body, is_own: false }))])
            }
            "while" => {
                p.step()?;
                let condition = p.expr()?;
                p.line_ends()?;
                let (body, _) = block(self, &["endwhile"], line, depth + 1)?;
                self.parser.step()?;
                Ok(vec![Act::While(condition, body)])
            }
            "loop" => {
                p.step()?;
                p.line_ends()?;
                let (body, _) = block(self, &["endloop"], line, depth + 1)?;
                self.parser.step()?;
                Ok(vec![Act::While(Expr::Const(Value::Truth(true)), body)])
            }
            "repeat" => {
                p.step()?;
                p.line_ends()?;
                let (body, _) = block(self, &["until"], line, depth + 1)?;
                self.parser.step()?;
                let until = self.parser.expr()?;
                // Once, and then as long as is said.
                let once = Act::If(vec![(Expr::Const(Value::Truth(true)), Rc::clone(&body))], Rc::from([]));
                Ok(vec![once, Act::While(Expr::Not(Box::new(until)), body)])
            }
            "switch" => self.switch(line, depth),
            _ if MOTIONS.contains(&word.as_str()) => self.motion(word),
            _ => self.simple(),
        }
    }

    fn switch(&mut self, line: u32, depth: usize) -> Result<Vec<Act>, Wrong> {
        self.parser.step()?;
        let of = self.parser.expr()?;
        self.parser.line_ends()?;
        let (mut ways, mut otherwise): (Vec<(Vec<Expr>, Block)>, Block) = (Vec::new(), Rc::from([]));
        let (before, mut end) = block(self, &["case", "default", "endswitch"], line, depth + 1)?;
        if let Some(stmt) = before.first() {
            let what = "this stands between SWITCH and CASE".into();
            return Err(Wrong { line: stmt.line, what, cut: false });
        }
        loop {
            self.parser.step()?;
            let mut values = Vec::new();
            match end.as_str() {
                "endswitch" => return Ok(vec![chosen(of, ways, otherwise, line, depth)]),
                "case" => loop {
                    values.push(self.parser.expr()?);
                    if !self.parser.take(",")? {
                        break;
                    }
                },
                _ => {}
            }
            self.parser.line_ends()?;
            let (body, next) = block(self, &["case", "default", "endswitch"], line, depth + 1)?;
            if values.is_empty() {
                otherwise = body;
            } else {
                ways.push((values, body));
            }
            end = next;
        }
    }

    /// `INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO ir_stopm()`, `INTERRUPT ON 3`
    fn interrupt(&mut self) -> Result<Vec<Act>, Wrong> {
        let p = &mut self.parser;
        p.step()?;
        if !p.is_word("decl") {
            return Ok(vec![Act::Aside(called_in_line(p)?)]);
        }
        self.aside()
    }

    /// `TRIGGER WHEN DISTANCE=0 DELAY=20 DO $OUT[1]=TRUE`, or a call.
    fn trigger(&mut self) -> Result<Vec<Act>, Wrong> {
        let mut acts = self.aside()?;
        if acts.iter().all(|act| matches!(act, Act::Aside(_))) {
            let why = "an output that is set on the way (TRIGGER) is not looked at".into();
            acts.push(Act::Strange { why, moves: false });
        }
        Ok(acts)
    }

    /// The routine behind DO, which is run when something happens; none if it is an output that is set.
    fn aside(&mut self) -> Result<Vec<Act>, Wrong> {
        let p = &mut self.parser;
        let mut names = Vec::new();
        while !p.is_word("do") {
            if matches!(p.token, Token::LineEnd | Token::End) {
                return Err(p.wrong("DO is missing"));
            }
            let word = p.token.clone();
            p.step()?;
            names.extend(called_by(word, p));
        }
        p.step()?;
        let what = p.expr()?;
        let mut acts = match what {
            Expr::Call(name, args) if args.is_empty() => vec![Act::Whenever(name)],
            Expr::Element(of, _) if matches!(&*of, Expr::Name(name) if name == "$out" || name == "$anout") => {
                Vec::new()
            }
            _ => vec![Act::Call(LATER.into(), Vec::new())],
        };
        names.extend(called_in_line(p)?);
        acts.push(Act::Aside(names));
        Ok(acts)
    }

    /// `PTP XP1 C_PTP`, `CIRC via, to, CA 90 C_DIS`
    fn motion(&mut self, word: String) -> Result<Vec<Act>, Wrong> {
        let p = &mut self.parser;
        p.step()?;
        let mut args = Vec::new();
        loop {
            match &p.token {
                Token::LineEnd | Token::End => break,
                Token::Name(name) if name == "ca" => {
                    p.step()?;
                    args.push(Arg { name: Some("ca".into()), value: Some(p.expr()?) });
                }
                Token::Name(name)
                    if ["c_ptp", "c_dis", "c_vel", "c_ori", "c_spl"].contains(&name.as_str()) =>
                {
                    args.push(Arg { name: Some(name.clone()), value: None });
                    p.step()?;
                }
                Token::Sign(",") => p.step()?,
                Token::Name(name) if name == "with" => return Err(p.wrong("WITH is not understood")),
                _ => args.push(Arg { name: None, value: Some(p.expr()?) }),
            }
        }
        Ok(vec![Act::Call(word, args)])
    }

    fn simple(&mut self) -> Result<Vec<Act>, Wrong> {
        let p = &mut self.parser;
        let place = p.expr()?;
        if p.take("=")? {
            let value = p.expr()?;
            return Ok(vec![match root(&place).filter(|name| name.starts_with('$') && !is_settable(name)) {
                Some(name) => Act::Call(name, vec![Arg { name: None, value: Some(value) }]),
                None => Act::Let(place, value),
            }]);
        }
        match place {
            Expr::Call(name, args) => Ok(vec![Act::Call(name, args)]),
            Expr::Name(name) if p.is_sign(":") => {
                p.step()?;
                Ok(vec![Act::Strange {
                    why: format!("'{name}' is a label: jumps are not followed"),
                    moves: false,
                }])
            }
            _ => Err(p.wrong("this is no statement that is known")),
        }
    }
}

/// Whether a word belongs to branches and loops, or is meant to: `ELSEIF`, `ELSIF`, `END_IF`.
fn is_of_branches(word: &str) -> bool {
    let is_end = word.starts_with("end") && word != "endspline";
    is_end || word.starts_with("els") || ["elif", "case", "default", "then"].contains(&word)
}

/// Whether what stands behind a word makes it the name of a variable or a routine.
fn is_used_as_name(p: &Parser<'_>) -> Result<bool, Wrong> {
    let mut ahead = p.clone();
    ahead.step()?;
    Ok(["=", "(", "[", ".", ":"].iter().any(|sign| ahead.is_sign(sign)))
}

/// The name of a routine that is called, as far as that can be told from a word and what stands behind it.
fn called_by(word: Token, behind: &Parser<'_>) -> Option<String> {
    match word {
        Token::Name(name) if behind.is_sign("(") => Some(name),
        _ => None,
    }
}

/// Passes over the rest of a line, and tells what is called in it.
fn called_in_line(p: &mut Parser<'_>) -> Result<Vec<String>, Wrong> {
    let mut names = Vec::new();
    while !matches!(p.token, Token::LineEnd | Token::End) {
        let word = p.token.clone();
        p.step()?;
        names.extend(called_by(word, p));
    }
    Ok(names)
}
