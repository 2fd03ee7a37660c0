//! Motions of robot programs.

use super::lead::{LawName, LeadArguments};
use super::{Loaded, Moved};
use clap::Args;
use kansho::cell::{Cell, JointMotion};
use kansho::io::robot_program::resolve::{ResolveOptions, Resolved, resolve};
use kansho::io::robot_program::{
    self, ControlArm, Language, Note, OrientationLaw, Profile, fault_at, notes_of,
};
use kansho::io::{Fault, ReadError};
use std::path::{Path, PathBuf};

/// How a robot program is understood.
#[derive(Args, Clone)]
pub(crate) struct ProgramArguments {
    /// What the controller of a robot program does, and how it sees its robot (TOML; kansho schema profile), instead of what is usual
    #[arg(long, value_name = "TOML")]
    profile: Option<PathBuf>,

    /// The robot that a program is for, where the cell has several
    #[arg(long, value_name = "NAME")]
    robot: Option<String>,

    /// The procedure of a program that is run, instead of its main one
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,

    /// Take corners of a robot program whose rounding cannot be bounded as if the robot stopped there, with a warning, instead of refusing
    #[arg(long)]
    fine: bool,
}

/// Where the moves of a program stand in its text, and how long they take.
pub(crate) struct Told {
    pub(super) text: Vec<u8>,
    pub(super) lines: Vec<u32>,
    pub(super) seconds: Vec<Option<f64>>,
    pub(crate) notes: Vec<Fault>,
}

/// A program that was read, with its text.
pub(crate) struct Read {
    pub(crate) program: robot_program::RobotProgram,
    pub(crate) text: Vec<u8>,
    pub(crate) profile: Profile,
}

impl ProgramArguments {
    pub(crate) fn profile(&self, language: Language) -> Result<Profile, ReadError> {
        let Some(path) = &self.profile else { return Ok(Profile::of(language)) };
        let profile = Profile::read(path)?;
        if profile.language != language {
            let what = format!(
                "this profile is of {}, and the program is in {}",
                profile.language.name(),
                language.name()
            );
            return Err(ReadError { path: path.clone(), faults: vec![Fault::of_file(what)] });
        }
        Ok(profile)
    }

    pub(crate) fn robot(&self) -> Option<&str> {
        self.robot.as_deref()
    }

    /// The procedure or the sequence that is meant.
    pub(super) fn entry(&self) -> Option<&str> {
        self.entry.as_deref()
    }

    /// Whether corners that cannot be bounded are taken as stops.
    pub(super) fn is_fine(&self) -> bool {
        self.fine
    }

    /// Reads what a program says.
    pub(crate) fn load(&self, path: &Path, language: Language) -> Result<Read, ReadError> {
        let profile = self.profile(language)?;
        let program = robot_program::read(path, &profile, self.entry.as_deref())?;
        // Read again to quote its lines; if that fails, lines are named without being quoted.
        let text = std::fs::read(path).unwrap_or_default();
        Ok(Read { program, text, profile })
    }

    pub(crate) fn resolved(
        &self,
        path: &Path,
        read: &Read,
        arm: &ControlArm<'_>,
        lead: &LeadArguments,
    ) -> Result<Resolved, ReadError> {
        let (branch, smooth) = lead.wishes();
        let options = ResolveOptions { fine: self.fine, smooth, branch, postures: false };
        resolve(&read.program, arm, &options).map_err(|notes: Vec<Note>| {
            let more = notes.len().saturating_sub(SHOWN);
            let mut faults: Vec<Fault> = notes
                .iter()
                .take(SHOWN)
                .map(|note| fault_at(&read.text, note.line, note.what.clone()))
                .collect();
            if more > 0 {
                faults.push(Fault::of_file(format!("and {more} more faults")));
            }
            ReadError { path: path.to_owned(), faults }
        })
    }

    /// Reads the motion of a program.
    pub(super) fn read(&self, path: &Path, cell: &Cell, lead: &LeadArguments) -> Result<Loaded, ReadError> {
        let fail = |what: String| ReadError { path: path.to_owned(), faults: vec![Fault::of_file(what)] };
        let language = Language::of_file(path).ok_or_else(|| fail("this is no robot program".into()))?;
        if let Some(option) = lead.not_of_programs() {
            return Err(fail(format!("{option} is no matter of robot programs: they say it themselves")));
        }
        let read = self.load(path, language)?;
        let arm = ControlArm::new(cell, self.robot(), read.profile.clone())
            .map_err(|fault| fail(fault.to_string()))?;
        let resolved = self.resolved(path, &read, &arm, lead)?;
        if resolved.moves.is_empty() {
            return Err(fail("there is only one target in this program, and no way to it is known".into()));
        }
        let first = resolved.lines.first().copied().unwrap_or(1);
        let mut notes = notes_of(&read.program, &read.text, false);
        notes.extend(
            resolved.notes.iter().take(SHOWN).map(|note| fault_at(&read.text, note.line, note.what.clone())),
        );
        notes.push(fault_at(&read.text, first, "the motion begins here: the way to this target, from wherever the robot stands, is not looked at"));
        if cell.robots().len() > 1 {
            let what = "the other robots of the cell are taken to stand still, with all joints at zero";
            notes.push(Fault::of_file(what));
        }
        let law = match read.profile.law {
            OrientationLaw::Slerp => LawName::Slerp,
            OrientationLaw::SwivelTwist => LawName::SwivelTwist,
            OrientationLaw::Unknown => LawName::Both,
        };
        let told = Told { text: read.text, lines: resolved.lines, seconds: resolved.seconds, notes };
        let motion = if arm.axes() == 6 {
            lead.routes(path, cell, resolved.tip, &resolved.start, &resolved.moves, law, |number| {
                told.fault(number, String::new())
            })?
        } else {
            joints(&resolved.start, &resolved.moves).map_err(fail)?
        };
        Ok(Loaded { motion, outside: Vec::new(), program: Some(told) })
    }
}

/// Moves of joints alone, of any arm.
fn joints(start: &[f64], moves: &[kansho::cell::route::Move]) -> Result<Moved, String> {
    use kansho::cell::route::MoveKind;
    let mut postures = vec![start.to_vec()];
    for one in moves {
        match &one.kind {
            MoveKind::Joints(to) => postures.push(to.clone()),
            _ => return Err("lines of the tool take an arm of six joints: hold others in the cell".into()),
        }
    }
    JointMotion::lines(&postures).map(Moved::Joints).map_err(|fault| fault.to_string())
}

/// Faults of a program that are shown, at most.
const SHOWN: usize = 20;

impl Told {
    /// The line of a move, by its number from 1.
    pub(super) fn line(&self, number: usize) -> u32 {
        self.lines.get(number - 1).copied().unwrap_or(0)
    }

    /// A fault of a move, with its line quoted.
    pub(super) fn fault(&self, number: usize, what: String) -> Fault {
        fault_at(&self.text, self.line(number.max(1)), what)
    }

    /// Seconds from the first target on, at the speeds that are programmed; none where a speed is not known.
    pub(super) fn seconds_at(&self, number: usize, fraction: f64) -> Option<f64> {
        let before: Option<f64> = self.seconds.iter().take(number.saturating_sub(2)).copied().sum();
        Some(before? + self.seconds.get(number.checked_sub(2)?).copied().flatten()? * fraction)
    }

    pub(super) fn words(&self, number: usize, fraction: f64) -> String {
        let seconds =
            self.seconds_at(number, fraction).map_or(String::new(), |secs| format!(" after {secs:.3} s"));
        format!("line {}{seconds}: ", self.line(number))
    }
}
