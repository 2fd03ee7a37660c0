//! Statements of RAPID.

use super::RULES;
use super::grammar::Reader;
use crate::robot_program::blocks::{block, chosen};
use crate::robot_program::lexer::{Token, Wrong};
use crate::robot_program::machine::{Act, Block, HandlerEnd, Loop, Stmt};
use crate::robot_program::parser::Expr;
use std::rc::Rc;

/// What ends an error handler: the end of its routine, or another handler.
const HANDLER_ENDS: &[&str] = &["error", "undo", "backward", "endproc", "endfunc", "endtrap"];

impl Reader<'_> {
    pub(super) fn one(&mut self, depth: usize) -> Result<Option<Act>, Wrong> {
        let line = self.parser.line;
        let p = &mut self.parser;
        if p.take(";")? {
            return Ok(None);
        }
        let word = match &p.token {
            Token::Name(word) => word.clone(),
            _ => return Err(p.wrong(format!("{} begins no statement", p.shown()))),
        };
        if self.is_handler && depth == self.handler_depth {
            self.handler_last.clone_from(&word);
        }
        // What begins a block has to be understood: otherwise nobody knows what its end belongs to.
        if ["if", "for", "while", "test"].contains(&word.as_str()) {
            let read = self.branch(&word, line, depth);
            return read.map(Some).map_err(|wrong| Wrong { cut: true, ..wrong });
        }
        match word.as_str() {
            "var" | "pers" | "const" => {
                let (name, value) = self.declaration()?;
                Ok(Some(Act::Declare(name, value)))
            }
            "return" => {
                p.step()?;
                let value = if p.is_sign(";") { None } else { Some(p.expr()?) };
                p.expect(";")?;
                if self.is_handler {
                    self.handler_ways.push(word);
                }
                Ok(Some(Act::Return(value)))
            }
            "goto" | "raise" | "retry" | "trynext" => {
                p.recover(Some(";"));
                // In a handler they try again or give up.
                if self.is_handler && word != "goto" {
                    self.handler_ways.push(word);
                    return Ok(None);
                }
                let why = format!("{} is not followed", word.to_ascii_uppercase());
                Ok(Some(Act::Strange { why, moves: true }))
            }
            "error" => {
                p.step()?;
                // Numbers of faults that it is for.
                if p.take("(")? {
                    while !p.take(")")? {
                        if p.token == Token::End {
                            return Err(p.wrong("the file ends in an error handler: it may be cut short"));
                        }
                        p.step()?;
                    }
                }
                let (body, end) = self.handler(line, depth)?;
                Ok(Some(Act::AfterFault(body, end)))
            }
            "undo" => {
                p.step()?;
                let (body, _) = self.handler(line, depth)?;
                Ok(Some(Act::AfterFault(body, HandlerEnd::GivesUp)))
            }
            "connect" => {
                // CONNECT interrupt WITH trap;
                p.step()?;
                p.expr()?;
                if !p.take_word("with")? {
                    return Err(p.wrong("WITH is missing"));
                }
                let name = p.name()?;
                p.expect(";")?;
                Ok(Some(Act::Whenever(name)))
            }
            _ => self.simple(word),
        }
    }

    /// A branch or a loop.
    fn branch(&mut self, word: &str, line: u32, depth: usize) -> Result<Act, Wrong> {
        let p = &mut self.parser;
        match word {
            "if" => {
                p.step()?;
                let mut ways = Vec::new();
                let condition = p.expr()?;
                if !p.take_word("then")? {
                    // The short form: one statement.
                    let line = p.line;
                    let act = match self.one(depth + 1) {
                        Err(wrong) if !wrong.cut => {
                            self.parser.recover(Some(";"));
                            Some(Act::Strange { why: wrong.what, moves: true })
                        }
                        act => act?,
                    };
                    let body: Vec<Stmt> = act.into_iter().map(|act| Stmt { line, act }).collect();
                    return Ok(Act::If(vec![(condition, body.into())], Rc::from([])));
                }
                let mut condition = condition;
                loop {
                    let (body, end) = block(self, &["elseif", "else", "endif"], line, depth + 1)?;
                    ways.push((condition, body));
                    self.parser.step()?;
                    match end.as_str() {
                        "elseif" => {
                            condition = self.parser.expr()?;
                            if !self.parser.take_word("then")? {
                                return Err(self.parser.wrong("THEN is missing"));
                            }
                        }
                        "else" => {
                            let (otherwise, _) = block(self, &["endif"], line, depth + 1)?;
                            self.parser.step()?;
                            return Ok(Act::If(ways, otherwise));
                        }
                        _ => return Ok(Act::If(ways, Rc::from([]))),
                    }
                }
            }
            "for" => {
                p.step()?;
                let name = p.name()?;
                let mut bounds = Vec::new();
                for word in ["from", "to"] {
                    if !p.take_word(word)? {
                        return Err(p.wrong(format!("{} is missing", word.to_ascii_uppercase())));
                    }
                    bounds.push(p.expr()?);
                }
                let step = if p.take_word("step")? { Some(p.expr()?) } else { None };
                if !p.take_word("do")? {
                    return Err(p.wrong("DO is missing"));
                }
                let (body, _) = block(self, &["endfor"], line, depth + 1)?;
                self.parser.step()?;
                let to = bounds.pop().expect("two were pushed");
                let from = bounds.pop().expect("two were pushed");
                Ok(Act::For(Box::new(Loop { name, from, to, step, body, is_own: true })))
            }
            "while" => {
                p.step()?;
                let condition = p.expr()?;
                if !p.take_word("do")? {
                    return Err(p.wrong("DO is missing"));
                }
                let (body, _) = block(self, &["endwhile"], line, depth + 1)?;
                self.parser.step()?;
                Ok(Act::While(condition, body))
            }
            _ => self.test(line, depth),
        }
    }

    /// What is done after a fault, and how that ends.
    fn handler(&mut self, line: u32, depth: usize) -> Result<(Block, HandlerEnd), Wrong> {
        self.is_handler = true;
        self.handler_ways.clear();
        self.handler_last = String::new();
        self.handler_depth = depth + 1;
        let read = block(self, HANDLER_ENDS, line, depth + 1);
        self.is_handler = false;
        let (body, _) = read?;
        let has = |way: &str| self.handler_ways.iter().any(|word| word == way);
        let end = match self.handler_last.as_str() {
            _ if has("trynext") || has("return") => HandlerEnd::Leaves,
            "exit" | "raise" if !has("retry") => HandlerEnd::Stops,
            "exit" | "raise" | "retry" => HandlerEnd::Retries,
            // It comes to its end, which is that of the routine.
            _ => HandlerEnd::Leaves,
        };
        Ok((body, end))
    }

    /// An assignment or a call.
    fn simple(&mut self, word: String) -> Result<Option<Act>, Wrong> {
        let p = &mut self.parser;
        let mut before = p.clone();
        p.step()?;
        if p.is_sign(":=") || p.is_sign(".") || p.is_sign("{") {
            before.rules = RULES;
            let place = before.expr()?;
            *p = before;
            p.expect(":=")?;
            let value = p.expr()?;
            p.expect(";")?;
            return Ok(Some(Act::Let(place, value)));
        }
        if p.take(":")? {
            return Ok(Some(Act::Strange { why: "a label: jumps are not followed".into(), moves: false }));
        }
        let mut args = Vec::new();
        while !p.is_sign(";") {
            args.push(p.arg()?);
            if !p.take(",")? && !p.is_sign("\\") && !p.is_sign(";") {
                return Err(p.wrong(format!("';' is missing before {}", p.shown())));
            }
        }
        p.step()?;
        Ok(Some(Act::Call(word, args)))
    }

    fn test(&mut self, line: u32, depth: usize) -> Result<Act, Wrong> {
        self.parser.step()?;
        let of = self.parser.expr()?;
        let (mut ways, mut otherwise): (Vec<(Vec<Expr>, Block)>, Block) = (Vec::new(), Rc::from([]));
        loop {
            let word = match &self.parser.token {
                Token::Name(word) => word.clone(),
                _ => return Err(self.parser.wrong("CASE is missing")),
            };
            self.parser.step()?;
            let mut values = Vec::new();
            match word.as_str() {
                "case" => {
                    loop {
                        values.push(self.parser.expr()?);
                        if !self.parser.take(",")? {
                            break;
                        }
                    }
                    self.parser.expect(":")?;
                }
                "default" => self.parser.expect(":")?,
                "endtest" => return Ok(chosen(of, ways, otherwise, line, depth)),
                _ => return Err(self.parser.wrong("CASE is missing")),
            }
            let (body, _) = block(self, &["case", "default", "endtest"], line, depth + 1)?;
            if values.is_empty() {
                otherwise = body;
            } else {
                ways.push((values, body));
            }
        }
    }
}
