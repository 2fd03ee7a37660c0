//! ABB RAPID: modules, procedures, motion statements and the data they need.

mod data;
mod grammar;
mod motion;
mod statements;

use super::RobotProgram;
use super::lexer::{Rules, Wrong};
use super::machine::Machine;
use super::parser::Expr;
use super::profile::Profile;
use super::value::Value;
use grammar::Reader;
use motion::Rapid;

const RULES: Rules = Rules {
    comment: b'!',
    fold: true,
    lines: false,
    equals: true,
    chain: false,
    poses: false,
    compares_last: false,
    first: 1,
};

pub(super) fn read(text: &[u8], profile: &Profile, entry: Option<&str>) -> Result<RobotProgram, Wrong> {
    let Reader { procs, order, globals, strange, records, name, .. } = Reader::read(text)?;
    let chosen = match entry {
        Some(entry) => Some(entry.to_ascii_lowercase()),
        None if procs.contains_key("main") => Some("main".into()),
        None => match &order[..] {
            [only] => Some(only.clone()),
            _ => None,
        },
    };
    let Some(body) = chosen.as_ref().and_then(|chosen| procs.get(chosen)).map(|proc| proc.body.clone())
    else {
        let what = match (&chosen, order.is_empty()) {
            (_, true) => "there is no procedure in this module".to_owned(),
            (Some(chosen), _) => format!("there is no procedure '{chosen}'; there are: {}", order.join(", ")),
            (None, _) => format!(
                "there is no procedure 'main': say which is run (--entry); there are: {}",
                order.join(", ")
            ),
        };
        return Err(Wrong { line: 1, what, cut: false });
    };
    let mut machine = Machine::new(procs);
    let mut rapid = Rapid::new(profile, &records);
    for wrong in strange {
        machine.note(wrong.line, wrong.what, true);
    }
    for (name, value) in globals {
        let value = match value {
            None => Value::unknown(format!("'{name}' was given no value")),
            // Moved, not copied: of these there may be a million.
            Some(Expr::Const(value)) => value,
            Some(expr) => machine.value_of(&mut rapid, &expr),
        };
        machine.set_global(name, value);
    }
    machine.run(&mut rapid, &body);
    Ok(RobotProgram {
        language: super::Language::Rapid,
        name: name.unwrap_or_else(|| "module".into()),
        moves: rapid.moves,
        statements: machine.statements,
        notes: machine.notes,
    })
}
