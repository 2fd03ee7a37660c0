//! The grammar of KRL: files, routines and declarations.

use super::RULES;
use crate::robot_program::blocks::{Grammar, block, keep_routine};
use crate::robot_program::lexer::{Token, Wrong};
use crate::robot_program::machine::{Act, Param, Proc, Stmt};
use crate::robot_program::parser::{Expr, Parser};
use crate::robot_program::value::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// Types of data that are taught with the program: where programs share them, they keep what the file says.
const KEPT: [&str; 12] = [
    "pos",
    "e6pos",
    "e3pos",
    "axis",
    "e6axis",
    "e3axis",
    "frame",
    "fdat",
    "ldat",
    "pdat",
    "load",
    "basis_sugg_t",
];

/// What a file says, as it stands there.
pub(super) struct Reader<'a> {
    pub(super) parser: Parser<'a>,
    pub(super) procs: HashMap<String, Rc<Proc>>,
    /// Routines in the order of the file.
    pub(super) order: Vec<String>,
    /// Declarations of a data list.
    pub(super) globals: Vec<Stmt>,
    /// Variables that hold whole numbers, and functions that give them.
    pub(super) whole: Vec<String>,
    /// Parts of structures that hold whole numbers.
    pub(super) whole_parts: Vec<String>,
    /// Names that stand for signals, and numbers and truth values of a data list that other programs may set: they change at any time.
    pub(super) volatile: Vec<String>,
    /// Variables that were said to belong to all programs.
    pub(super) shared: Vec<String>,
    /// Whether what is declared next was said to belong to all programs.
    is_shared: bool,
    /// Whether other programs can import the variables of this data list.
    pub(super) is_public: bool,
}

impl<'a> Grammar<'a> for Reader<'a> {
    const CLOSING: &'static [&'static str] =
        &["end", "endfct", "endif", "endfor", "endwhile", "endloop", "until", "endswitch", "enddat"];
    const END: Option<&'static str> = None;

    fn parser(&mut self) -> &mut Parser<'a> {
        &mut self.parser
    }

    fn statement(&mut self, depth: usize) -> Result<Vec<Act>, Wrong> {
        self.one(depth)
    }
}

impl<'a> Reader<'a> {
    /// Reads a program, or a data list.
    pub(super) fn read(text: &'a [u8], is_data: bool) -> Result<Self, Wrong> {
        let mut reader = Self {
            parser: Parser::new(text, RULES),
            procs: HashMap::new(),
            order: Vec::new(),
            globals: Vec::new(),
            whole: Vec::new(),
            whole_parts: Vec::new(),
            volatile: Vec::new(),
            shared: Vec::new(),
            is_shared: false,
            is_public: false,
        };
        reader.parser.step()?;
        reader.file(is_data)?;
        Ok(reader)
    }

    fn file(&mut self, is_data: bool) -> Result<(), Wrong> {
        loop {
            let p = &mut self.parser;
            let word = match &p.token {
                Token::End if is_data => return Ok(()),
                Token::End if self.order.is_empty() => {
                    return Err(p.wrong("there is no DEF in this file: it is no program of KRL"));
                }
                Token::End => return Ok(()),
                Token::Name(word) => word.clone(),
                Token::LineEnd => {
                    p.step()?;
                    continue;
                }
                // Lines for the editor begin with &.
                Token::Sign("&") => {
                    p.skip_line()?;
                    continue;
                }
                _ => return Err(p.wrong(format!("{} stands outside of DEF and END", p.shown()))),
            };
            match word.as_str() {
                "global" | "public" if is_data => {
                    p.step()?;
                    self.is_shared = word == "global";
                }
                "global" | "public" => p.step()?,
                "defdat" => {
                    while !matches!(self.parser.token, Token::LineEnd | Token::End) {
                        self.is_public |= self.parser.token == Token::Name("public".into());
                        self.parser.step()?;
                    }
                }
                "enddat" => {
                    p.skip_line()?;
                    while p.token == Token::LineEnd {
                        p.step()?;
                    }
                    if p.token != Token::End {
                        let what = format!("{} stands behind ENDDAT", p.shown());
                        return Err(Wrong { cut: true, ..p.wrong(what) });
                    }
                }
                "def" | "deffct" if !is_data => self.routine(word == "deffct")?,
                _ if is_data => {
                    let line = p.line;
                    match self.declaration() {
                        Ok(acts) => {
                            self.globals.extend(acts.into_iter().map(|act| Stmt { line, act: global(act) }))
                        }
                        Err(wrong) => {
                            let why = format!("in the .dat: {}", wrong.what);
                            self.globals.push(Stmt { line, act: Act::Strange { why, moves: true } });
                            self.parser.recover(None);
                        }
                    }
                }
                _ => return Err(p.wrong(format!("'{word}' stands before DEF"))),
            }
        }
    }

    fn routine(&mut self, is_function: bool) -> Result<(), Wrong> {
        let begin = self.parser.line;
        let p = &mut self.parser;
        p.step()?;
        let gives_whole = is_function && p.name()? == "int";
        // `DEFFCT CHAR[6] f()`: how many it gives.
        if is_function && p.take("[")? {
            while !p.take("]")? {
                if matches!(p.token, Token::End | Token::LineEnd) {
                    return Err(p.wrong("']' is missing in the type of a function"));
                }
                p.step()?;
            }
        }
        let name = p.name()?;
        if gives_whole {
            self.whole.push(name.clone());
        }
        let mut params: Vec<Param> = Vec::new();
        if p.take("(")? {
            while !p.take(")")? {
                match &p.token {
                    Token::End | Token::LineEnd => {
                        return Err(p.wrong(format!("the parameters of '{name}' do not end")));
                    }
                    // Unless it is said otherwise, what is put into a parameter is put into what was given.
                    Token::Name(word) if word == "in" => {
                        params.iter_mut().last().iter_mut().for_each(|last| last.is_reference = false);
                    }
                    Token::Name(word) if word != "out" => {
                        params.push(Param { name: word.clone(), is_reference: true, is_optional: false });
                    }
                    _ => {}
                }
                p.step()?;
            }
        }
        p.recover(None);
        let (body, _) = block(self, &[if is_function { "endfct" } else { "end" }], begin, 0)?;
        let p = &mut self.parser;
        p.step()?;
        if !matches!(p.token, Token::LineEnd | Token::End) {
            let what = format!("{} stands behind the end of '{name}'", p.shown());
            return Err(Wrong { cut: true, ..p.wrong(what) });
        }
        self.order.push(name.clone());
        keep_routine(&mut self.procs, name, Proc { params, body }, begin)
    }

    /// Variables of a routine.
    pub(super) fn locals(&mut self) -> Result<Vec<Act>, Wrong> {
        let local = |act: Act| match act {
            Act::Let(Expr::Name(name), value) => Act::Declare(name, Some(value)),
            other => other,
        };
        Ok(self.declaration()?.into_iter().map(local).collect())
    }

    /// `DECL E6POS XP1={...}`, `INT i, j`
    fn declaration(&mut self) -> Result<Vec<Act>, Wrong> {
        let p = &mut self.parser;
        let mut words = Vec::new();
        while let Token::Name(word) = &p.token {
            words.push(word.clone());
            p.step()?;
        }
        let is_shared = std::mem::take(&mut self.is_shared) || words.iter().any(|word| word == "global");
        if let Some(at) = words.iter().position(|word| word == "signal") {
            self.volatile.extend(words.get(at + 1).cloned());
        }
        if words.first().is_some_and(|word| word == "struc")
            || words.get(1).is_some_and(|word| word == "struc")
        {
            return self.structure(words).map(|()| Vec::new());
        }
        let quiet = ["ext", "extfct", "enum", "signal", "import"];
        if words.iter().any(|word| quiet.contains(&word.as_str())) {
            p.skip_line()?;
            return Ok(Vec::new());
        }
        let mut acts = Vec::new();
        let mut name = words.pop();
        let is_whole = words.last().is_some_and(|word| word == "int");
        let is_kept = words.iter().any(|word| KEPT.contains(&word.as_str()));
        while let Some(known) = name.take() {
            if is_shared {
                self.shared.push(known.clone());
            }
            if (is_shared || self.is_public) && !is_kept {
                self.volatile.push(known.clone());
            }
            if is_whole {
                self.whole.push(known.clone());
            }
            let p = &mut self.parser;
            let mut place = Expr::Name(known.clone());
            if p.take("[")? {
                let mut places = Vec::new();
                while !p.take("]")? {
                    places.push(p.expr()?);
                    p.take(",")?;
                }
                place = Expr::Element(Box::new(place), places);
            }
            // A data list may set a part of what stands above.
            let mut is_part = false;
            while p.take(".")? {
                is_part = true;
                place = Expr::Part(Box::new(place), p.name()?);
                if p.take("[")? {
                    let mut places = Vec::new();
                    while !p.take("]")? {
                        places.push(p.expr()?);
                        p.take(",")?;
                    }
                    place = Expr::Element(Box::new(place), places);
                }
            }
            if is_part && !p.is_sign("=") {
                return Err(p.wrong(format!("{} stands behind a part", p.shown())));
            }
            if p.take("=")? {
                acts.push(Act::Let(place, p.expr()?));
            } else {
                acts.push(Act::Declare(known, None));
            }
            if p.take(",")? {
                name = Some(p.name()?);
            }
        }
        let p = &mut self.parser;
        if !matches!(p.token, Token::LineEnd | Token::End) {
            return Err(p.wrong(format!("{} stands behind a declaration", p.shown())));
        }
        Ok(acts)
    }
}

impl Reader<'_> {
    /// `STRUC S INT N, REAL X[3]`: which of its parts hold whole numbers.
    fn structure(&mut self, words: Vec<String>) -> Result<(), Wrong> {
        // All words up to the first sign have been read: STRUC, the name, a type, the first part.
        let at = words.iter().position(|word| word == "struc").unwrap_or(0);
        let mut rest: Vec<String> = words.into_iter().skip(at + 2).collect();
        let p = &mut self.parser;
        let mut is_whole = false;
        loop {
            if rest.len() > 1 {
                is_whole = rest[rest.len() - 2] == "int";
            }
            if let Some(part) = rest.last().filter(|_| is_whole) {
                self.whole_parts.push(part.clone());
            }
            while !matches!(p.token, Token::LineEnd | Token::End) && !p.is_sign(",") {
                p.step()?;
            }
            if !p.take(",")? {
                return Ok(());
            }
            rest.clear();
            while let Token::Name(word) = &p.token {
                rest.push(word.clone());
                p.step()?;
            }
        }
    }
}

/// What a data list says belongs to all.
fn global(act: Act) -> Act {
    match act {
        Act::Let(place, value) => Act::Global(place, value),
        Act::Declare(name, None) => {
            let unknown = Value::unknown(format!("'{name}' was given no value"));
            Act::Global(Expr::Name(name), Expr::Const(unknown))
        }
        other => other,
    }
}
