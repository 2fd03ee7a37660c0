//! KUKA KRL: a program (`.src`) and the data beside it (`.dat`).

mod frames;
mod grammar;
mod motion;
mod statements;

use super::lexer::{Rules, Wrong};
use super::machine::{Act, Machine, Reached, Stmt, root};
use super::profile::Profile;
use super::value::Value;
use super::{RobotProgram, Run};
use grammar::Reader;
use motion::Krl;
use std::rc::Rc;

const RULES: Rules = Rules {
    comment: b';',
    fold: true,
    lines: true,
    equals: false,
    chain: true,
    doubled_quotes: false,
    joins_lines: false,
    poses: false,
    compares_last: true,
    first: 1,
};

pub(super) fn read(
    text: &[u8],
    data: Option<&[u8]>,
    profile: &Profile,
    run: Run<'_>,
) -> Result<RobotProgram, Wrong> {
    let Reader { mut procs, order, mut globals, mut whole, mut whole_parts, mut volatile, .. } =
        Reader::read(text, false)?;
    let (mut shared, mut is_public) = (Vec::new(), false);
    if let Some(data) = data {
        let data = crate::text::decoded(data);
        let of_data = Reader::read(&data, true).map_err(|wrong| Wrong {
            what: format!("in the .dat beside it, line {}: {}", wrong.line, wrong.what),
            line: 1,
            ..wrong
        })?;
        globals.extend(of_data.globals);
        whole.extend(of_data.whole);
        whole_parts.extend(of_data.whole_parts);
        volatile.extend(of_data.volatile);
        shared = of_data.shared;
        is_public = of_data.is_public;
    }
    // Data lists of the controller, such as $config.dat. What stands in the one beside the program comes after them.
    let mut of_controller = Vec::new();
    for text in run.with {
        let text = crate::text::decoded(text);
        if let Ok(mut other) = Reader::read(&text, true) {
            of_controller.append(&mut other.globals);
            whole.extend(other.whole);
            whole_parts.extend(other.whole_parts);
            volatile.extend(other.volatile);
        }
    }
    let of_config = names_of(&of_controller);
    let own = std::mem::replace(&mut globals, of_controller);
    let is_kept = |stmt: &Stmt| !matches!(stmt.act, Act::Strange { .. });
    globals.retain(is_kept);
    globals.extend(own);
    let chosen = run.entry.map(str::to_ascii_lowercase).or_else(|| order.first().cloned());
    let Some(main) = chosen.as_ref().and_then(|chosen| procs.remove(chosen)) else {
        let what = match chosen {
            Some(chosen) => format!("there is no '{chosen}'; there are: {}", order.join(", ")),
            None => "there is no DEF in this file".into(),
        };
        return Err(Wrong { line: 1, what, cut: false });
    };
    let mut machine = Machine::new(procs);
    let mut krl = Krl::new(profile, whole, whole_parts);
    machine.set_at_any_time(volatile);
    if !of_config.is_empty() {
        machine.note(1, "assumed: tools, bases and positions of the controller are as in $config.dat", false);
    }
    let of_file = names_of(&globals);
    for stmt in globals {
        machine.run(&mut krl, &Rc::from([stmt]));
    }
    // The controller writes what a program sets back into the data list, and keeps its frames: a later run begins with that.
    let set = machine.set_anywhere(&krl, &main.body);
    for name in of_file
        .iter()
        .map(String::as_str)
        .chain(["base_data", "tool_data"])
        .filter(|name| set.contains(*name))
    {
        let why = format!(
            "'{name}' is set by the program: what it holds when a run begins is what an earlier one left"
        );
        machine.set_global(name.into(), Value::unknown(why));
    }
    // What other programs cannot import, and this one does not set, stays as it is.
    let fixed = of_file.iter().filter(|name| {
        !is_public && !of_config.contains(name) && !shared.contains(name) && !set.contains(*name)
    });
    machine.keep_fixed(fixed.cloned());
    machine.run_entry(&mut krl, &main.body, profile.repeats && !run.once);
    let Reached { motions, reached, unreached, doubtful } =
        machine.tell_unreached(&krl, (None, &main.body), run.once);
    Ok(RobotProgram {
        language: super::Language::Krl,
        name: chosen.unwrap_or_default(),
        moves: krl.moves,
        statements: machine.statements,
        motions,
        reached,
        unreached,
        doubtful,
        notes: machine.notes,
        closing: machine.closing,
    })
}

/// Variables of a data list.
fn names_of(globals: &[Stmt]) -> Vec<String> {
    let name = |stmt: &Stmt| match &stmt.act {
        Act::Global(place, _) => root(place),
        _ => None,
    };
    globals.iter().filter_map(name).collect()
}
