//! The grammar of URScript.

use super::RULES;
use crate::robot_program::blocks::{Grammar, block, keep_routine};
use crate::robot_program::lexer::{Token, Wrong};
use crate::robot_program::machine::{Act, Block, Param, Proc};
use crate::robot_program::parser::{Expr, Parser};
use crate::robot_program::value::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// What a file says, as it stands there.
pub(super) struct Reader<'a> {
    parser: Parser<'a>,
    pub(super) procs: HashMap<String, Rc<Proc>>,
    /// Functions that stand in no other one, in the order of the file.
    pub(super) order: Vec<String>,
}

impl<'a> Grammar<'a> for Reader<'a> {
    const CLOSING: &'static [&'static str] = &["end", "elif", "else"];
    const END: Option<&'static str> = None;

    fn parser(&mut self) -> &mut Parser<'a> {
        &mut self.parser
    }

    fn statement(&mut self, depth: usize) -> Result<Vec<Act>, Wrong> {
        self.one(depth)
    }
}

impl<'a> Reader<'a> {
    /// Reads a file: what it defines, and the statements outside of all that.
    pub(super) fn read(text: &'a [u8]) -> Result<(Self, Block), Wrong> {
        let parser = Parser::new(text, RULES);
        let mut reader = Self { parser, procs: HashMap::new(), order: Vec::new() };
        reader.parser.step()?;
        let (body, _) = block(&mut reader, &[], 1, 0)?;
        Ok((reader, body))
    }

    fn one(&mut self, depth: usize) -> Result<Vec<Act>, Wrong> {
        let line = self.parser.line;
        let p = &mut self.parser;
        let word = match &p.token {
            Token::Name(word) => word.clone(),
            _ => return Err(p.wrong(format!("{} begins no statement", p.shown()))),
        };
        match word.as_str() {
            "def" | "sec" => {
                p.step()?;
                let name = p.name()?;
                let args = p.args_in_brackets()?;
                let params = args.iter().filter_map(|arg| match (&arg.name, &arg.value) {
                    (Some(name), _) | (None, Some(Expr::Name(name))) => {
                        Some(Param { name: name.clone(), is_reference: false, is_optional: false })
                    }
                    _ => None,
                });
                let params = params.collect();
                p.take(":")?;
                let (body, _) = block(self, &["end"], line, depth + 1)?;
                self.parser.step()?;
                if depth == 0 {
                    self.order.push(name.clone());
                }
                keep_routine(&mut self.procs, name, Proc { params, body }, line)?;
                Ok(Vec::new())
            }
            "thread" => {
                p.step()?;
                let name = p.name()?;
                p.args_in_brackets()?;
                p.take(":")?;
                let (body, _) = block(self, &["end"], line, depth + 1)?;
                self.parser.step()?;
                let name = thread(&name);
                keep_routine(&mut self.procs, name, Proc { params: Vec::new(), body }, line)?;
                Ok(Vec::new())
            }
            "run" => Ok(vec![self.started()?]),
            // A line of the editor of programs: `$ 57 "label"`.
            "$" => {
                p.skip_line()?;
                Ok(Vec::new())
            }
            "if" => {
                let mut ways = Vec::new();
                p.step()?;
                let mut condition = condition(p)?;
                loop {
                    begun(&mut self.parser)?;
                    let (body, end) = block(self, &["elif", "else", "end"], line, depth + 1)?;
                    ways.push((condition, body));
                    self.parser.step()?;
                    match end.as_str() {
                        "elif" => condition = self::condition(&mut self.parser)?,
                        "else" => {
                            begun(&mut self.parser)?;
                            let (otherwise, _) = block(self, &["end"], line, depth + 1)?;
                            self.parser.step()?;
                            return Ok(vec![Act::If(ways, otherwise)]);
                        }
                        _ => return Ok(vec![Act::If(ways, Rc::from([]))]),
                    }
                }
            }
            "while" => {
                p.step()?;
                let condition = condition(p)?;
                begun(p)?;
                let (body, _) = block(self, &["end"], line, depth + 1)?;
                self.parser.step()?;
                Ok(vec![Act::While(condition, body)])
            }
            "return" => {
                p.step()?;
                let value =
                    if matches!(p.token, Token::LineEnd | Token::End) { None } else { Some(p.expr()?) };
                Ok(vec![Act::Return(value)])
            }
            "kill" | "join" | "enter_critical" | "exit_critical" => {
                // Threads neither move the robot nor set what is known: whether they go on makes no difference.
                p.skip_line()?;
                Ok(Vec::new())
            }
            "break" | "continue" => {
                p.skip_line()?;
                Ok(vec![Act::Strange { why: format!("'{word}' is not followed"), moves: true }])
            }
            "switch" | "case" | "default" => {
                // Its 'end' would end something else.
                let what = format!("'{word}' is not understood, and what follows cannot be told from it");
                Err(Wrong { line, what, cut: true })
            }
            "global" | "local" => {
                p.step()?;
                let place = p.expr()?;
                p.expect("=")?;
                let run = if p.is_word("run") { Some(self.started()?) } else { None };
                let p = &mut self.parser;
                let value = match &run {
                    Some(_) => Expr::Const(Value::unknown("the number of a thread is not known")),
                    None => p.expr()?,
                };
                let act = match place {
                    place if word == "global" => Act::Global(place, value),
                    Expr::Name(name) => Act::Declare(name, Some(value)),
                    _ => return Err(p.wrong("a name is missing")),
                };
                Ok(run.into_iter().chain([act]).collect())
            }
            _ => {
                let place = p.expr()?;
                if p.take("=")? {
                    if p.is_word("run") {
                        let run = self.started()?;
                        let number = Value::unknown("the number of a thread is not known");
                        return Ok(vec![run, Act::Let(place, Expr::Const(number))]);
                    }
                    let value = p.expr()?;
                    return Ok(vec![Act::Let(place, value)]);
                }
                match place {
                    Expr::Call(name, args) => Ok(vec![Act::Call(name, args)]),
                    // A word of the language, written without brackets.
                    Expr::Name(name) if name == "halt" => Ok(vec![Act::Call(name, Vec::new())]),
                    _ => Err(p.wrong("this is no statement that is known")),
                }
            }
        }
    }
}

impl Reader<'_> {
    /// `run Thread()`
    fn started(&mut self) -> Result<Act, Wrong> {
        let p = &mut self.parser;
        p.step()?;
        let name = p.name()?;
        if !p.args_in_brackets()?.is_empty() {
            return Err(p.wrong("a thread takes no arguments"));
        }
        Ok(Act::Whenever(thread(&name)))
    }
}

/// Under which name a thread is kept: no function can have it.
fn thread(name: &str) -> String {
    format!("thread {name}")
}

/// What a branch or a loop asks for. What is not understood of it stays in its line, so that its `end` is found.
fn condition(parser: &mut Parser<'_>) -> Result<Expr, Wrong> {
    let mut ahead = parser.clone();
    match ahead.expr() {
        Ok(found) => {
            *parser = ahead;
            Ok(found)
        }
        Err(wrong) => Err(Wrong { cut: true, ..wrong }),
    }
}

/// The sign behind a condition, which begins a block. What stands there else belongs to the condition, and is not understood.
fn begun(parser: &mut Parser<'_>) -> Result<(), Wrong> {
    parser.expect(":").map_err(|wrong| Wrong { cut: true, ..wrong })
}
