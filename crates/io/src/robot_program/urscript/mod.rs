//! URScript of Universal Robots.

mod grammar;
mod motion;

use super::lexer::{Rules, Wrong};
use super::machine::{Act, Block, Loss, Machine, Reached, Stmt, called, hidden_late, root, written};
use super::parser::Expr;
use super::profile::Profile;
use super::value::Value;
use super::{RobotProgram, Run};
use grammar::Reader;
use motion::Ur;

const RULES: Rules = Rules {
    comment: b'#',
    fold: false,
    lines: true,
    equals: false,
    chain: false,
    doubled_quotes: false,
    joins_lines: true,
    poses: true,
    compares_last: false,
    first: 0,
};

pub(super) fn read(text: &[u8], profile: &Profile, run: Run<'_>) -> Result<RobotProgram, Wrong> {
    // Templates that a program adds to before it sends them end too soon: what stands there is read, and nothing is claimed of it.
    let mut whole;
    let (is_cut, (Reader { procs, order, .. }, outside)) = match Reader::read(text) {
        Ok(read) => (None, read),
        Err(wrong) if wrong.cut && wrong.what.contains("the file ends before") => {
            whole = text.to_vec();
            whole.extend(b"\nend\n");
            (Some(wrong.clone()), Reader::read(&whole).map_err(|_| wrong)?)
        }
        Err(wrong) => return Err(wrong),
    };
    let wrong = |what: String| Wrong { line: 1, what, cut: false };
    // What is sent as one definition is run by the controller. Of several, it runs each as a program of its own where they are sent, and none where a
    // program includes the file; where there are statements outside of them, only what these call.
    let mut open = None;
    let name = match (run.entry, &order[..]) {
        (Some(entry), _) => Some(entry.to_owned()),
        (None, [only]) if outside.is_empty() => Some(only.clone()),
        (None, []) if outside.is_empty() => return Err(wrong("there are no statements in this file".into())),
        (None, all) => {
            let called = called(&outside, &procs);
            let never = all.iter().find(|name| !called.contains(name.as_str()));
            if let Some(name) = never {
                open = Some(format!(
                    "whether '{name}' is run depends on how the file gets to the controller: say which function is run (⟦entry⟧); there are: {}",
                    all.join(", ")
                ));
            }
            None
        }
    };
    let body = match &name {
        Some(name) => match procs.get(name) {
            Some(chosen) => chosen.body.clone(),
            None => return Err(wrong(format!("there is no '{name}'; there are: {}", order.join(", ")))),
        },
        None => outside.clone(),
    };
    let mut machine = Machine::new(procs).without_declarations();
    let mut ur = Ur::new(profile);
    if let Some((name, first)) = name.as_ref().zip(outside.first()) {
        let moves = machine.could_move(&ur, &outside);
        machine.note(first.line, format!("what stands outside of '{name}' is not run"), moves);
    }
    if let Some(wrong) = is_cut {
        machine.note(wrong.line, wrong.what, true);
        machine.give_up();
    }
    if let Some(what) = open {
        machine.note(1, what, true);
        machine.give_up();
    }
    let body = with_globals(&body, name.as_deref(), &mut machine);
    machine.run_entry(&mut ur, &body, profile.repeats && !run.once);
    if !machine.is_stopped()
        && ur.stops_in_corner(&mut machine)
        && let Some(line) = ur.moves.last().map(|last| last.line)
    {
        let what = "the program ends as soon as the blend of this move begins, and the robot may stop anywhere from there on: give its last move r=0";
        machine.note_loss(line, what, true, Loss::Nothing);
    }
    let Reached { motions, reached, unreached, doubtful } =
        machine.tell_unreached(&ur, (name.as_deref(), &body), run.once);
    Ok(RobotProgram {
        language: super::Language::UrScript,
        name: name.unwrap_or_else(|| "program".into()),
        moves: ur.moves,
        statements: machine.statements,
        motions,
        reached,
        unreached,
        doubtful,
        notes: machine.notes,
        closing: machine.closing,
    })
}

/// The body of a program. Variables that are set on its first level belong to all, whether that is said or not (script manual of Universal Robots,
/// scoping rules), wherever else in it they are set. Of others that are set deeper in it, nobody says whose they are: a function that sets one of that
/// name may or may not set this one.
fn with_globals(body: &Block, entry: Option<&str>, machine: &mut Machine) -> Block {
    let first: Vec<String> = body
        .iter()
        .filter_map(|stmt| match &stmt.act {
            Act::Let(place, _) | Act::Global(place, _) => root(place),
            Act::Declare(name, _) => Some(name.clone()),
            _ => None,
        })
        .collect();
    for name in &first {
        machine.set_global(name.clone(), Value::unknown(format!("'{name}' was given no value")));
    }
    for (name, line) in written(body).into_iter().filter(|(name, _)| !first.contains(name)) {
        if let Some(other) = machine.sets_locally(&name, entry).map(str::to_owned) {
            let what = format!(
                "whether '{name}' here is what '{other}' sets is not known: give it a value on the first level of the program"
            );
            machine.note(line, what, true);
            machine.give_up();
        }
    }
    // The program itself is looked at below.
    for other in machine.bodies().iter().filter(|other| !std::rc::Rc::ptr_eq(other, body)) {
        if let Some((name, line)) = hidden_late(other, &first) {
            let what = format!(
                "'{name}' belongs to all, and becomes local here: which of them is meant before is not known"
            );
            machine.note(line, what, true);
            machine.give_up();
        }
    }
    globals(body, &first, true)
}

/// A block of a program with its variables of the first level as what they are.
fn globals(block: &Block, first: &[String], is_first: bool) -> Block {
    let deeper = |block: &Block| globals(block, first, false);
    let is_global = |name: &str| first.iter().any(|known| known == name);
    let of = |act: &Act| match act {
        Act::Let(place, value) if root(place).is_some_and(|name| is_global(&name)) => {
            Act::Global(place.clone(), value.clone())
        }
        Act::Declare(name, Some(value)) if is_first => Act::Global(Expr::Name(name.clone()), value.clone()),
        Act::Declare(name, _) if is_global(name) => Act::Strange {
            why: format!(
                "'{name}' is local here and belongs to all on the first level of the program: how long each counts is not known"
            ),
            moves: true,
        },
        Act::If(ways, otherwise) => Act::If(
            ways.iter().map(|(condition, body)| (condition.clone(), deeper(body))).collect(),
            deeper(otherwise),
        ),
        Act::While(condition, body) => Act::While(condition.clone(), deeper(body)),
        other => other.clone(),
    };
    block.iter().map(|stmt| Stmt { line: stmt.line, act: of(&stmt.act) }).collect()
}
