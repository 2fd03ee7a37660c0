//! ABB RAPID: modules, procedures, motion statements and the data they need.

mod data;
mod grammar;
mod motion;
mod statements;

use super::lexer::{Rules, Wrong};
use super::machine::{Block, Machine, Reached};
use super::parser::Expr;
use super::profile::{Profile, Setting};
use super::value::Value;
use super::{RobotProgram, Run};
use grammar::Reader;
use motion::Rapid;
use std::rc::Rc;

const RULES: Rules = Rules {
    comment: b'!',
    fold: true,
    lines: false,
    equals: true,
    chain: false,
    doubled_quotes: true,
    joins_lines: false,
    poses: false,
    compares_last: false,
    first: 1,
};

/// Persistent data that are named in one note, at most.
const NAMED: usize = 8;

pub(super) fn read(text: &[u8], profile: &Profile, run: Run<'_>) -> Result<RobotProgram, Wrong> {
    let reader = Reader::read(text)?;
    let foreign = reader.of_foreign_types();
    let Reader { procs, order, globals, mut shared, kept, constants, own, strange, records, name, .. } =
        reader;
    let chosen = match run.entry {
        Some(entry) => Some(entry.to_ascii_lowercase()),
        None if procs.contains_key("main") => Some("main".into()),
        None => match &order[..] {
            [only] => Some(only.clone()),
            _ => None,
        },
    };
    let body = chosen.as_ref().and_then(|chosen| procs.get(chosen)).map(|proc| proc.body.clone());
    let without_main = match (&chosen, order.is_empty()) {
        _ if body.is_some() => None,
        (Some(chosen), _) => {
            let what = format!("there is no procedure '{chosen}'; there are: {}", order.join(", "));
            return Err(Wrong { line: 1, what, cut: false });
        }
        (None, true) => Some("there is no procedure in this module".to_owned()),
        (None, false) => Some(format!(
            "there is no procedure 'main': say which is run (⟦entry⟧); there are: {}",
            order.join(", ")
        )),
    };
    // Without a main one, each procedure is looked at by itself.
    let alone: Vec<Block> = match &without_main {
        Some(_) => {
            let all = order.iter().filter_map(|name| procs.get(name));
            all.filter(|proc| proc.params.is_empty()).map(|proc| proc.body.clone()).collect()
        }
        None => Vec::new(),
    };
    let body = body.unwrap_or_else(|| Rc::from([]));
    let mut machine = Machine::new(procs);
    // Whoever says what such a variable holds says that nothing else sets it.
    let said =
        |name: &str| profile.values.iter().find(|(known, _)| known == name).map(|(_, setting)| setting);
    let given: Vec<String> = shared.extract_if(.., |name| said(name).is_some()).collect();
    let mut rapid = Rapid::new(profile, &records, shared);
    machine.set_at_any_time(foreign);
    for (name, _) in profile.values.iter().filter(|(name, _)| !given.contains(name)) {
        let what = format!(
            "'{name}' is no persistent variable of this module: what the profile says of it counts for nothing"
        );
        machine.note(1, what, false);
    }
    if let Some((_, line)) = kept.first() {
        let named: Vec<&str> = kept.iter().take(NAMED).map(|(name, _)| name.as_str()).collect();
        let more =
            if kept.len() > NAMED { format!(" and {} more", kept.len() - NAMED) } else { String::new() };
        let what = format!(
            "assumed: the controller's persistent data are as in this file, and no other task, module or panel changes them: {}{more}",
            named.join(", ")
        );
        machine.note(*line, what, false);
    }
    machine.look_for_handlers(&rapid);
    let set = machine.set_anywhere(&rapid, &body);
    for wrong in strange {
        machine.note(wrong.line, wrong.what, true);
    }
    for text in run.with {
        data_of(text, &mut machine, &mut rapid, run.with);
    }
    for (name, value) in globals {
        let value = match value {
            _ if rapid.is_shared(&name) => rapid.shared(&name),
            _ if kept.iter().any(|(known, _)| *known == name) && set.contains(&name) => {
                Value::unknown(format!(
                    "'{name}' is PERS and set by this module: what it holds when a run begins is what an earlier one left"
                ))
            }
            _ if given.contains(&name) => match said(&name) {
                Some(Setting::Number(number)) => Value::Number(*number),
                Some(Setting::Truth(truth)) => Value::Truth(*truth),
                Some(Setting::Text(text)) => Value::Text(text.clone()),
                None => unreachable!("it is said"),
            },
            None => Value::unknown(format!("'{name}' was given no value")),
            // Moved, not copied: of these there may be a million.
            Some(Expr::Const(value)) => value,
            Some(expr) => machine.value_of(&mut rapid, &expr),
        };
        machine.set_global(name, value);
    }
    machine.keep_fixed(
        own.into_iter().chain(kept.into_iter().map(|(name, _)| name)).filter(|name| !set.contains(name)),
    );
    machine.keep_constant(constants);
    if let Some(what) = without_main {
        machine.note(1, what, true);
        for body in alone {
            machine.run_alone(&mut rapid, &body);
        }
    }
    // Only main is started again; what is chosen instead of it is called by something else.
    let repeats = profile.repeats && !run.once && chosen.as_deref() == Some("main");
    machine.run_entry(&mut rapid, &body, repeats);
    let Reached { motions, reached, unreached, doubtful } =
        machine.tell_unreached(&rapid, (chosen.as_deref(), &body), run.once);
    Ok(RobotProgram {
        language: super::Language::Rapid,
        name: name.unwrap_or_else(|| "module".into()),
        moves: rapid.moves,
        statements: machine.statements,
        motions,
        reached,
        unreached,
        doubtful,
        notes: machine.notes,
        closing: machine.closing,
    })
}

/// Constants, and tools, work objects and targets that persist, of another module that stands beside the program. What any of these modules sets is not
/// known.
fn data_of(text: &[u8], machine: &mut Machine, rapid: &mut Rapid<'_>, all: &[Vec<u8>]) {
    let text = crate::text::decoded(text);
    let Ok(other) = Reader::read(&text) else {
        machine.note(1, "another file that was given (⟦with⟧) is no module that is understood", false);
        return;
    };
    let mut set = std::collections::HashSet::new();
    for text in all {
        let text = crate::text::decoded(text);
        if let Ok(Reader { procs, .. }) = Reader::read(&text) {
            set.extend(Machine::new(procs).set_anywhere(rapid, &Rc::from([])));
        }
    }
    let mut taken: Vec<String> = Vec::new();
    for (name, value) in other.globals {
        let is_constant = other.constants.contains(&name);
        let is_kept = other.kept.iter().any(|(known, _)| *known == name) && !set.contains(&name);
        if other.own.contains(&name) || !(is_constant || is_kept) {
            continue;
        }
        if let Some(expr) = value {
            let value = machine.value_of(rapid, &expr);
            machine.set_global(name.clone(), value);
            if is_constant {
                machine.keep_constant([name.clone()]);
            } else {
                machine.keep_fixed([name.clone()]);
            }
            taken.push(name);
        }
    }
    if !taken.is_empty() {
        taken.truncate(NAMED);
        let what = format!(
            "assumed: persistent data of module '{}' are as in its file: {}",
            other.name.unwrap_or_default(),
            taken.join(", ")
        );
        machine.note(1, what, false);
    }
}
