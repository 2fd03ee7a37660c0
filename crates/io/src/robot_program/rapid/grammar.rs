//! The grammar of RAPID: modules, declarations, routines and statements.

use super::RULES;
use crate::robot_program::blocks::{Grammar, block};
use crate::robot_program::lexer::{Token, Wrong};
use crate::robot_program::machine::{Act, Block, Loop, Param, Proc, Stmt};
use crate::robot_program::parser::{Expr, Op, Parser};
use crate::robot_program::value::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// What a file says, as it stands there.
pub(super) struct Reader<'a> {
    parser: Parser<'a>,
    pub(super) procs: HashMap<String, Rc<Proc>>,
    /// Procedures in the order of the file.
    pub(super) order: Vec<String>,
    pub(super) globals: Vec<(String, Option<Expr>)>,
    /// What is no declaration.
    pub(super) strange: Vec<Wrong>,
    /// Types that the module defines: names and types of their parts.
    pub(super) records: HashMap<String, Vec<(String, String)>>,
    pub(super) name: Option<String>,
    /// Whether an error handler is read.
    is_handler: bool,
}

impl<'a> Grammar<'a> for Reader<'a> {
    const CLOSING: &'static [&'static str] =
        &["endproc", "endfunc", "endtrap", "endmodule", "endif", "endfor", "endwhile", "endtest"];
    const END: Option<&'static str> = Some(";");

    fn parser(&mut self) -> &mut Parser<'a> {
        &mut self.parser
    }

    fn statement(&mut self, depth: usize) -> Result<Vec<Act>, Wrong> {
        self.one(depth).map(|act| act.into_iter().collect())
    }
}

impl<'a> Reader<'a> {
    /// Reads a module.
    pub(super) fn read(text: &'a [u8]) -> Result<Self, Wrong> {
        let mut reader = Self {
            parser: Parser::new(text, RULES),
            procs: HashMap::new(),
            order: Vec::new(),
            globals: Vec::new(),
            strange: Vec::new(),
            records: HashMap::new(),
            name: None,
            is_handler: false,
        };
        reader.parser.step()?;
        reader.module()?;
        Ok(reader)
    }

    fn module(&mut self) -> Result<(), Wrong> {
        // Files of a whole task begin with a header.
        while self.parser.is_sign("%") {
            while !matches!(self.parser.token, Token::End) && !self.parser.is_word("module") {
                self.parser.step()?;
            }
        }
        loop {
            let p = &mut self.parser;
            let Token::Name(word) = &p.token else {
                if p.token == Token::End {
                    return if self.name.is_none() {
                        Err(p.wrong("this is no module of RAPID"))
                    } else {
                        Err(Wrong {
                            line: p.line,
                            what:
                                "the module does not end: ENDMODULE is missing, so the file may be cut short"
                                    .into(),
                            cut: true,
                        })
                    };
                }
                let wrong = p.wrong(format!("{} stands where a declaration is wanted", p.shown()));
                if self.name.is_none() {
                    return Err(wrong);
                }
                self.strange.push(wrong);
                p.recover(Some(";"));
                continue;
            };
            match word.as_str() {
                "module" => {
                    p.step()?;
                    self.name = Some(p.name()?);
                    if p.is_sign("(") {
                        while !p.take(")")? {
                            if p.token == Token::End {
                                return Err(p.wrong("the module has no end"));
                            }
                            p.step()?;
                        }
                    }
                }
                "endmodule" => return Ok(()),
                "local" | "task" => p.step()?,
                "record" => {
                    p.step()?;
                    let name = p.name()?;
                    let mut parts = Vec::new();
                    while !p.take_word("endrecord")? {
                        if p.token == Token::End {
                            return Err(p.wrong("ENDRECORD is missing"));
                        }
                        let kind = p.name()?;
                        parts.push((p.name()?, kind));
                        p.expect(";")?;
                    }
                    self.records.insert(name, parts);
                }
                "const" | "var" | "pers" | "alias" => match self.declaration() {
                    Ok((name, value)) => self.globals.push((name, value)),
                    Err(wrong) if wrong.cut => return Err(wrong),
                    Err(wrong) => {
                        self.strange.push(wrong);
                        self.parser.recover(Some(";"));
                    }
                },
                "proc" | "func" | "trap" => self.routine()?,
                _ => {
                    let wrong = p.wrong(format!("'{word}' begins no declaration"));
                    if self.name.is_none() {
                        return Err(wrong);
                    }
                    self.strange.push(wrong);
                    p.recover(Some(";"));
                }
            }
        }
    }

    /// `CONST robtarget p0 := [...];`
    fn declaration(&mut self) -> Result<(String, Option<Expr>), Wrong> {
        let p = &mut self.parser;
        let is_variable = p.is_word("var");
        p.step()?;
        let kind = p.name()?;
        let name = p.name()?;
        let mut is_array = false;
        if p.take("{")? {
            is_array = true;
            while !p.take("}")? {
                p.expr()?;
                p.take(",")?;
            }
        }
        let value = if p.take(":=")? { Some(p.expr()?) } else { None };
        // Variables begin as zero, false or empty; what persists is as the controller left it.
        let value = match value {
            None if is_variable && !is_array => self.initial(&kind, 0).map(Expr::Const),
            value => value,
        };
        let p = &mut self.parser;
        p.expect(";")?;
        Ok((name, value))
    }

    /// What a variable of a type is before it is set; none of types that are not known.
    fn initial(&self, kind: &str, depth: usize) -> Option<Value> {
        match kind {
            "num" | "dnum" => Some(Value::Number(0.0)),
            "bool" => Some(Value::Truth(false)),
            "string" => Some(Value::Text(String::new())),
            _ => {
                let parts = self.records.get(kind).filter(|_| depth < 20)?;
                let part = |(name, kind): &(String, String)| {
                    let value = self.initial(kind, depth + 1);
                    (
                        name.clone(),
                        value.unwrap_or_else(|| Value::unknown(format!("'{name}' was given no value"))),
                    )
                };
                Some(Value::Record(parts.iter().map(part).collect()))
            }
        }
    }

    fn routine(&mut self) -> Result<(), Wrong> {
        let begin = self.parser.line;
        let is_func = self.parser.is_word("func");
        let end = if is_func {
            "endfunc"
        } else if self.parser.is_word("trap") {
            "endtrap"
        } else {
            "endproc"
        };
        let p = &mut self.parser;
        p.step()?;
        if is_func {
            p.name()?;
        }
        let name = p.name()?;
        let mut params = Vec::new();
        if p.take("(")? {
            let (mut last, mut is_reference) = (None, false);
            loop {
                match std::mem::replace(&mut p.token, Token::LineEnd) {
                    Token::Name(word) if ["inout", "var", "pers"].contains(&word.as_str()) => {
                        is_reference = true
                    }
                    Token::Name(word) => last = Some(word),
                    Token::Sign("," | "\\" | "|") => {
                        params.extend(last.take().map(|name| Param { name, is_reference }));
                        is_reference = false;
                    }
                    Token::Sign(")") => {
                        params.extend(last.take().map(|name| Param { name, is_reference }));
                        p.step()?;
                        break;
                    }
                    Token::End => {
                        return Err(Wrong {
                            line: begin,
                            what: format!("the parameters of '{name}' do not end"),
                            cut: true,
                        });
                    }
                    _ => {}
                }
                p.step()?;
            }
        }
        let (body, _) = block(self, &[end], begin, 0)?;
        self.parser.step()?;
        if end == "endproc" {
            self.order.push(name.clone());
        }
        self.procs.insert(name, Rc::new(Proc { params, body }));
        Ok(())
    }

    fn one(&mut self, depth: usize) -> Result<Option<Act>, Wrong> {
        let line = self.parser.line;
        let p = &mut self.parser;
        if p.take(";")? {
            return Ok(None);
        }
        let word = match &p.token {
            Token::Name(word) => word.clone(),
            _ => return Err(p.wrong(format!("{} begins no statement", p.shown()))),
        };
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
                Ok(Some(Act::Return(value)))
            }
            "goto" | "raise" | "retry" | "trynext" => {
                p.recover(Some(";"));
                // In a handler they try again or give up.
                if self.is_handler && word != "goto" {
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
                let body = self.handler(line, depth)?;
                Ok(Some(Act::AfterFault(body)))
            }
            "undo" => {
                p.step()?;
                let body = self.handler(line, depth)?;
                Ok(Some(Act::AfterFault(body)))
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

    /// What is done after a fault.
    fn handler(&mut self, line: u32, depth: usize) -> Result<Block, Wrong> {
        self.is_handler = true;
        let read = block(self, HANDLER_ENDS, line, depth + 1);
        self.is_handler = false;
        Ok(read?.0)
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
        let (mut ways, mut otherwise): (Vec<(Expr, Block)>, Block) = (Vec::new(), Rc::from([]));
        loop {
            let word = match &self.parser.token {
                Token::Name(word) => word.clone(),
                _ => return Err(self.parser.wrong("CASE is missing")),
            };
            self.parser.step()?;
            let mut condition: Option<Expr> = None;
            match word.as_str() {
                "case" => {
                    loop {
                        let value = self.parser.expr()?;
                        let same = Expr::Two(Op::Same, Box::new(of.clone()), Box::new(value));
                        condition = Some(match condition {
                            None => same,
                            Some(other) => Expr::Two(Op::Or, Box::new(other), Box::new(same)),
                        });
                        if !self.parser.take(",")? {
                            break;
                        }
                    }
                    self.parser.expect(":")?;
                }
                "default" => self.parser.expect(":")?,
                "endtest" => return Ok(Act::If(ways, otherwise)),
                _ => return Err(self.parser.wrong("CASE is missing")),
            }
            let (body, _) = block(self, &["case", "default", "endtest"], line, depth + 1)?;
            match condition {
                Some(condition) => ways.push((condition, body)),
                None => otherwise = body,
            }
        }
    }
}

/// What ends an error handler: the end of its routine, or another handler.
const HANDLER_ENDS: &[&str] = &["error", "undo", "backward", "endproc", "endfunc", "endtrap"];
