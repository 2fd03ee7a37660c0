//! URScript of Universal Robots.

mod grammar;
mod motion;

use super::RobotProgram;
use super::lexer::{Rules, Wrong};
use super::machine::Machine;
use super::profile::Profile;
use grammar::Reader;
use motion::Ur;

const RULES: Rules = Rules {
    comment: b'#',
    fold: false,
    lines: true,
    equals: false,
    chain: false,
    poses: true,
    compares_last: false,
    first: 0,
};

pub(super) fn read(text: &[u8], profile: &Profile, entry: Option<&str>) -> Result<RobotProgram, Wrong> {
    let (Reader { procs, order, .. }, mut body) = Reader::read(text)?;
    let name = entry.map(str::to_owned).or_else(|| order.last().cloned());
    // What is sent as one definition is run by the controller.
    if entry.is_some() || body.is_empty() {
        let chosen = name.as_ref().and_then(|name| procs.get(name));
        let Some(chosen) = chosen else {
            let what = if order.is_empty() {
                "there are no statements in this file".into()
            } else {
                format!("there is no '{}'; there are: {}", name.unwrap_or_default(), order.join(", "))
            };
            return Err(Wrong { line: 1, what, cut: false });
        };
        body = chosen.body.clone();
    }
    let mut machine = Machine::new(procs);
    let mut ur = Ur::new(profile);
    machine.run(&mut ur, &body);
    Ok(RobotProgram {
        language: super::Language::UrScript,
        name: name.unwrap_or_else(|| "program".into()),
        moves: ur.moves,
        statements: machine.statements,
        notes: machine.notes,
    })
}
