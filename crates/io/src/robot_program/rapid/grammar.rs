//! The grammar of RAPID: modules, declarations and routines.

use super::RULES;
use crate::robot_program::blocks::{Grammar, block, keep_routine};
use crate::robot_program::lexer::{Token, Wrong};
use crate::robot_program::machine::{Act, Param, Proc};
use crate::robot_program::parser::{Expr, Parser};
use crate::robot_program::value::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// What a file says, as it stands there.
pub(super) struct Reader<'a> {
    pub(super) parser: Parser<'a>,
    pub(super) procs: HashMap<String, Rc<Proc>>,
    /// Procedures in the order of the file.
    pub(super) order: Vec<String>,
    pub(super) globals: Vec<(String, Option<Expr>)>,
    /// What persists, but for [`KEPT`]: other tasks, panels and computers may set it.
    pub(super) shared: Vec<String>,
    /// The others that persist, with the line of each.
    pub(super) kept: Vec<(String, u32)>,
    /// Constants of the module.
    pub(super) constants: Vec<String>,
    /// Data that only this module comes by (LOCAL).
    pub(super) own: Vec<String>,
    /// What is no declaration.
    pub(super) strange: Vec<Wrong>,
    /// Types that the module defines: names and types of their parts.
    pub(super) records: HashMap<String, Vec<(String, String)>>,
    /// Variables with their types, and new names of types with what they stand for.
    typed: Vec<(String, String)>,
    pub(super) name: Option<String>,
    /// Whether an error handler is read; how deep its statements are, which of them came last, and how it can be left.
    pub(super) is_handler: bool,
    pub(super) handler_depth: usize,
    pub(super) handler_last: String,
    pub(super) handler_ways: Vec<String>,
}

/// Types of persistent data that are taught with the program and keep what it says: tools, work objects, targets and their parts, speeds and zones.
const KEPT: [&str; 14] = [
    "tooldata",
    "wobjdata",
    "loaddata",
    "robtarget",
    "jointtarget",
    "pose",
    "pos",
    "orient",
    "confdata",
    "robjoint",
    "extjoint",
    "speeddata",
    "zonedata",
    "stoppointdata",
];

/// Types that every controller has and whose parts are known, or that have none.
const PLAIN: [&str; 6] = ["num", "dnum", "bool", "string", "byte", "errnum"];

impl Reader<'_> {
    /// Variables whose types other modules define: nobody knows which part of them stands where.
    pub(super) fn of_foreign_types(&self) -> Vec<String> {
        let is_known = |kind: &str| {
            // A new name of a type may stand for another one.
            let mut kind = kind;
            for _ in 0..20 {
                match self.typed.iter().find(|(name, _)| name == kind) {
                    Some((_, stands_for)) => kind = stands_for,
                    None => break,
                }
            }
            KEPT.contains(&kind) || PLAIN.contains(&kind) || self.records.contains_key(kind)
        };
        self.typed.iter().filter(|(_, kind)| !is_known(kind)).map(|(name, _)| name.clone()).collect()
    }
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
            shared: Vec::new(),
            kept: Vec::new(),
            constants: Vec::new(),
            own: Vec::new(),
            strange: Vec::new(),
            records: HashMap::new(),
            typed: Vec::new(),
            name: None,
            is_handler: false,
            handler_depth: 0,
            handler_last: String::new(),
            handler_ways: Vec::new(),
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
        let mut is_own = false;
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
                "endmodule" => {
                    p.step()?;
                    if p.token != Token::End {
                        let what = format!(
                            "{} stands behind ENDMODULE: only the first module of a file is read, so save each in a file of its own",
                            p.shown()
                        );
                        self.strange.push(p.wrong(what));
                    }
                    return Ok(());
                }
                "local" | "task" => {
                    is_own = word == "local";
                    p.step()?;
                    continue;
                }
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
                "const" | "var" | "pers" | "alias" => match (word == "const", self.declaration()) {
                    (is_constant, Ok((name, value))) => {
                        if is_constant {
                            self.constants.push(name.clone());
                        }
                        if is_own {
                            self.own.push(name.clone());
                        }
                        self.globals.push((name, value));
                    }
                    (_, Err(wrong)) if wrong.cut => return Err(wrong),
                    (_, Err(wrong)) => {
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
            is_own = false;
        }
    }

    /// `CONST robtarget p0 := [...];`
    pub(super) fn declaration(&mut self) -> Result<(String, Option<Expr>), Wrong> {
        let p = &mut self.parser;
        let (is_variable, is_persistent) = (p.is_word("var"), p.is_word("pers"));
        p.step()?;
        let kind = p.name()?;
        let name = p.name()?;
        self.typed.push((name.clone(), kind.clone()));
        match is_persistent {
            true if KEPT.contains(&kind.as_str()) => self.kept.push((name.clone(), p.line)),
            true => self.shared.push(name.clone()),
            false => {}
        }
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
            let (mut last, mut is_reference, mut is_optional) = (None, false, false);
            loop {
                match std::mem::replace(&mut p.token, Token::LineEnd) {
                    Token::Name(word) if ["inout", "var", "pers"].contains(&word.as_str()) => {
                        is_reference = true
                    }
                    Token::Name(word) => last = Some(word),
                    Token::Sign(sign @ ("," | "\\" | "|")) => {
                        params.extend(last.take().map(|name| Param { name, is_reference, is_optional }));
                        is_reference = false;
                        // Those behind \ are given by name, or not at all; | parts those of which one can be given.
                        is_optional = sign == "\\" || sign == "|" && is_optional;
                    }
                    Token::Sign(")") => {
                        params.extend(last.take().map(|name| Param { name, is_reference, is_optional }));
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
        keep_routine(&mut self.procs, name, Proc { params, body }, begin)
    }
}
