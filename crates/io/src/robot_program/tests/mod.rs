//! Programs by hand with answers by hand, bad input, and round trips through every language.

mod attacks;
mod configs;
mod controllers;
mod differences_krl_ur;
mod differences_ls_jbi;
mod files;
mod krl;
mod lines;
mod misread;
mod naive;
mod partial;
mod rapid;
mod round_trips;
mod urscript;

use super::{Language, Profile, ProgramMove, RobotProgram, Run, Target, parse};

/// One round of a program.
fn read(language: Language, text: &str) -> Result<RobotProgram, String> {
    run(language, text, Run::ONCE)
}

fn run(language: Language, text: &str, run: Run<'_>) -> Result<RobotProgram, String> {
    let found = parse(text.as_bytes(), None, language, &Profile::of(language), run);
    found.map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn good(language: Language, text: &str) -> RobotProgram {
    read(language, text).unwrap_or_else(|faults| panic!("{faults}\nin\n{text}"))
}

/// A program as its controller runs it, again and again.
fn cycled(language: Language, text: &str) -> RobotProgram {
    run(language, text, Run::default()).unwrap_or_else(|faults| panic!("{faults}\nin\n{text}"))
}

/// Places of all targets, in millimetres, rounded.
fn places(program: &RobotProgram) -> Vec<[i64; 3]> {
    let place = |one: &ProgramMove| match &one.to {
        Target::Pose(pose, _) => {
            let p = pose.translation() * 1e3;
            [p.x, p.y, p.z].map(|mm| mm.round() as i64)
        }
        Target::Joints(joints) => [0, 1, 2].map(|k| joints[k].to_degrees().round() as i64),
    };
    program.moves.iter().map(place).collect()
}

fn notes(program: &RobotProgram, moving: bool) -> Vec<String> {
    let chosen = program.notes.iter().filter(|note| note.moves == moving);
    chosen.map(|note| format!("{}: {}", note.line, note.what)).collect()
}
