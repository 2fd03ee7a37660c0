//! Statements one after the other, which robot languages have in common.

use super::lexer::{Token, Wrong};
use super::machine::{Act, Block, Proc, Stmt};
use super::parser::{Expr, Op, Parser};
use super::value::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// How deep blocks may be in each other.
const DEPTH: usize = 60;

/// What a language adds to read its statements.
pub(super) trait Grammar<'a> {
    /// Words that end some block, so that one that is met too soon tells what is missing.
    const CLOSING: &'static [&'static str];
    /// What ends a statement; none if that is the end of its line.
    const END: Option<&'static str>;
    /// The words and signs that are read.
    fn parser(&mut self) -> &mut Parser<'a>;
    /// One statement, which may be several acts or none.
    fn statement(&mut self, depth: usize) -> Result<Vec<Act>, Wrong>;
}

/// Keeps a routine. One of the same name is refused: which of them a call means is not known.
pub(super) fn keep_routine(
    procs: &mut HashMap<String, Rc<Proc>>,
    name: String,
    proc: Proc,
    line: u32,
) -> Result<(), Wrong> {
    let what = format!("'{name}' is defined a second time: which of them is called is not known");
    match procs.insert(name, Rc::new(proc)) {
        None => Ok(()),
        Some(_) => Err(Wrong { line, what, cut: true }),
    }
}

/// `TEST` of ABB, `SWITCH` of KUKA: what is asked for is worked out once, kept under a name that no program can have, and compared with the values of each way.
pub(super) fn chosen(
    of: Expr,
    ways: Vec<(Vec<Expr>, Block)>,
    otherwise: Block,
    line: u32,
    depth: usize,
) -> Act {
    let name = format!("what is chosen by in line {line}, {depth}");
    let is = |value: Expr| Expr::Two(Op::Same, Box::new(Expr::Name(name.clone())), Box::new(value));
    let ways = ways.into_iter().map(|(values, block)| {
        let any = values.into_iter().map(is).reduce(|a, b| Expr::Two(Op::Or, Box::new(a), Box::new(b)));
        (any.unwrap_or(Expr::Const(Value::Truth(false))), block)
    });
    let acts = [Act::If(ways.collect(), otherwise)];
    let acts = [Act::Declare(name.clone(), Some(of))].into_iter().chain(acts);
    let both: Vec<Stmt> = acts.map(|act| Stmt { line, act }).collect();
    Act::If(vec![(Expr::Const(Value::Truth(true)), both.into())], Rc::from([]))
}

/// Statements up to one of some words, which is left standing; up to the end of the file if there are none.
///
/// What is not understood stays in its place as something that could move the robot.
pub(super) fn block<'a, G: Grammar<'a>>(
    grammar: &mut G,
    ends: &[&str],
    begin: u32,
    depth: usize,
) -> Result<(Block, String), Wrong> {
    if depth > DEPTH {
        return Err(grammar.parser().wrong("blocks are too deep in each other"));
    }
    let mut all = Vec::new();
    loop {
        let p = grammar.parser();
        let missing = || ends.last().copied().unwrap_or_default().to_ascii_uppercase();
        match &p.token {
            Token::LineEnd => {
                p.recover(None);
                continue;
            }
            Token::End if ends.is_empty() => return Ok((all.into(), String::new())),
            Token::End => {
                let what = format!("the file ends before {} of line {begin}: it may be cut short", missing());
                return Err(Wrong { line: p.line, what, cut: true });
            }
            Token::Name(word) if ends.contains(&word.as_str()) => {
                let word = word.clone();
                return Ok((all.into(), word));
            }
            Token::Name(word) if G::CLOSING.contains(&word.as_str()) => {
                let what = match ends.is_empty() {
                    true => format!("{} ends nothing that was begun", word.to_ascii_uppercase()),
                    false => format!(
                        "{} of line {begin} is missing before {}",
                        missing(),
                        word.to_ascii_uppercase()
                    ),
                };
                return Err(Wrong { line: p.line, what, cut: true });
            }
            _ => {}
        }
        let line = p.line;
        let acts = match grammar.statement(depth) {
            Ok(acts) => acts,
            Err(wrong) if wrong.cut => return Err(wrong),
            Err(wrong) => {
                all.push(Stmt { line: wrong.line, act: Act::Strange { why: wrong.what, moves: true } });
                grammar.parser().recover(G::END);
                continue;
            }
        };
        let p = grammar.parser();
        let ended = matches!(&p.token, Token::LineEnd | Token::End)
            || matches!(&p.token, Token::Name(word) if ends.contains(&word.as_str()));
        if G::END.is_none() && !ended {
            // It belongs to the statement, which is therefore another one than what was read of it.
            let why = format!("{} stands behind a statement", p.shown());
            all.push(Stmt { line, act: Act::Strange { why, moves: true } });
            p.recover(None);
            continue;
        }
        all.extend(acts.into_iter().map(|act| Stmt { line, act }));
    }
}
