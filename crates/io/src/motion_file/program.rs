//! Motions of robot programs.

use super::lead::{Laws, LeadOptions, Led};
use super::{LoadedMotion, Moved};
use crate::fault::{Fault, ReadError, listed};
use crate::robot_program::resolve::{
    CornerOfJoints, ResolveOptions, Resolved, ResolvedParts, resolve, resolve_parts,
};
use crate::robot_program::{
    self, ControlArm, Language, Note, Profile, RobotProgram, Run, fault_at, notes_of,
};
use kansho_cell::route::{Move, MoveKind, Route};
use kansho_cell::{Cell, JointMotion};
use kansho_check::motion::{JointCorner, unbounded_corner};
use std::path::{Path, PathBuf};

/// How a robot program is understood.
#[derive(Clone, Debug, Default)]
pub struct RobotProgramOptions {
    /// What the controller does, and how it sees its robot (TOML), instead of what is usual.
    pub profile: Option<PathBuf>,
    /// The robot that a program is for, where the cell has several.
    pub robot: Option<String>,
    /// The procedure of a program that is run, instead of its main one; or the sequence.
    pub entry: Option<String>,
    /// Whether a program is run once, although its controller starts it again at its end.
    pub once: bool,
    /// Whether a tool that a program only names is taken to be that of the cell, with a warning, instead of being refused.
    pub tool_of_cell: bool,
    /// Whether moves that are never reached are told in [`ProgramText::unreached`], so that nothing is known of the program as a whole, instead
    /// of being refused.
    pub unreached: bool,
    /// Corners whose rounding cannot be bounded are taken as if the robot stopped there, with a warning, instead of being refused.
    pub fine: bool,
    /// Other files of the same controller, or folders of them: modules with data (RAPID), data lists (KRL).
    pub with: Vec<PathBuf>,
    /// Whether the caller proves rounded corners between two moves of all joints ([`LoadedMotion::joint_corners`]); otherwise they are refused.
    pub joint_corners: bool,
}

/// Where the moves of a program stand in its text, and how long they take.
#[derive(Clone, Debug)]
pub struct ProgramText {
    pub(super) text: Vec<u8>,
    pub(super) lines: Vec<u32>,
    pub(super) seconds: Vec<Option<f64>>,
    /// What was passed over or assumed.
    pub notes: Vec<Fault>,
    /// Moves that the program could make, and that were never reached.
    pub unreached: Vec<Fault>,
}

/// The parts of a robot program whose motion is known.
#[derive(Clone, Debug)]
pub struct ProgramParts {
    parts: Vec<Resolved>,
    /// What is not proven, with the reason.
    pub open: Vec<Note>,
    /// What was passed over or assumed.
    pub notes: Vec<Fault>,
    /// Motion statements in the program.
    pub motions: usize,
    text: Vec<u8>,
    law: Laws,
    is_six: bool,
    lead: LeadOptions,
    path: PathBuf,
}

/// Why a stretch of a program is no motion: the number of a move in it, from 0, and the reason.
pub type NoStretch = (usize, String);

impl ProgramParts {
    /// How many moves lie behind the first target of each part.
    #[must_use]
    pub fn lengths(&self) -> Vec<usize> {
        self.parts.iter().map(|part| part.moves.len()).collect()
    }

    /// The line of a target of a part, counted from 0.
    #[must_use]
    pub fn line(&self, part: usize, target: usize) -> u32 {
        self.parts[part].lines[target]
    }

    /// The motion from one target of a part to another.
    ///
    /// # Errors
    /// A move of it that is none.
    pub fn stretch(
        &self,
        cell: &Cell,
        part: usize,
        from: usize,
        to: usize,
    ) -> Result<LoadedMotion, NoStretch> {
        let part = &self.parts[part];
        let start = part.postures[from]
            .as_ref()
            .ok_or((0, "in which posture the robot begins here is not known".to_owned()))?;
        let mut moves = part.moves[from..to].to_vec();
        if let Some(last) = moves.last_mut() {
            last.zone = 0.0;
        }
        let motion = if self.is_six {
            let led = Led { tip: part.tip, start, moves: &moves, law: self.law };
            let number = std::cell::Cell::new(1);
            let made = self.lead.routes(&self.path, cell, led, |of_move| {
                number.set(of_move);
                Fault::of_file(String::new())
            });
            let words =
                |fault: ReadError| fault.faults.first().map_or(String::new(), |fault| fault.what.clone());
            made.map_err(|fault| (number.get().saturating_sub(2), words(fault)))?
        } else {
            joints(start, &moves).map_err(|what| (0, what))?
        };
        let text = ProgramText {
            text: self.text.clone(),
            lines: part.lines[from..=to].to_vec(),
            seconds: part.seconds[from..to].to_vec(),
            notes: Vec::new(),
            unreached: Vec::new(),
        };
        let joint_corners =
            corners(part, from, to).map_err(|target| (target - from - 1, NO_POSTURES.to_owned()))?;
        if !self.is_six && !joint_corners.is_empty() {
            let first = joint_corners[0].number - 2;
            return Err((first, "rounded corners between joint moves take an arm of six joints".to_owned()));
        }
        Ok(LoadedMotion {
            motion,
            outside: Vec::new(),
            notes: Vec::new(),
            program: Some(text),
            joint_corners,
        })
    }
}

/// A program that was read, with its text.
struct Read {
    program: RobotProgram,
    text: Vec<u8>,
    profile: Profile,
}

impl RobotProgramOptions {
    fn profile(&self, language: Language) -> Result<Profile, ReadError> {
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

    /// Texts of other files of the controller.
    fn others(&self, path: &Path, language: Language) -> Result<Vec<Vec<u8>>, ReadError> {
        let ends: &[&str] = match language {
            Language::Rapid => &["mod", "modx", "sys", "sysx"],
            Language::Krl => &["dat"],
            _ => &[],
        };
        let is_meant = |file: &Path| {
            let end = file.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
            // Other data lists of KUKA belong to their own programs.
            let name = file.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
            let is_config = name.is_some_and(|name| name.ends_with("$config.dat"));
            end.is_some_and(|end| ends.contains(&end.as_str())) && (language != Language::Krl || is_config)
        };
        let mut files = Vec::new();
        for given in &self.with {
            if given.is_dir() {
                let fail =
                    |what: String| ReadError { path: given.clone(), faults: vec![Fault::of_file(what)] };
                let found = std::fs::read_dir(given).map_err(|why| fail(why.to_string()))?;
                files.extend(found.flatten().map(|entry| entry.path()).filter(|file| is_meant(file)));
            } else {
                files.push(given.clone());
            }
        }
        files.sort();
        let is_other = |file: &PathBuf| {
            let same = |a: &Path, b: &Path| {
                a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b)
            };
            is_meant(file) && !same(file, path)
        };
        let read = |file: &PathBuf| {
            crate::load::bytes_of(file)
                .map_err(|what| ReadError { path: file.clone(), faults: vec![Fault::of_file(what)] })
        };
        files.iter().filter(|file| is_other(file)).map(read).collect()
    }

    /// Reads what a program says.
    fn load(&self, path: &Path, language: Language) -> Result<Read, ReadError> {
        let profile = self.profile(language)?;
        let with = self.others(path, language)?;
        let run = Run { entry: self.entry.as_deref(), once: self.once, with: &with };
        let program = robot_program::read(path, &profile, run)?;
        // Read again to quote its lines; if that fails, lines are named without being quoted.
        let text = std::fs::read(path).unwrap_or_default();
        Ok(Read { program, text, profile })
    }

    fn resolved(
        &self,
        path: &Path,
        read: &Read,
        arm: &ControlArm<'_>,
        lead: &LeadOptions,
        outside_limits: bool,
    ) -> Result<Resolved, ReadError> {
        let options = self.resolve_options(lead, outside_limits);
        resolve(&read.program, arm, &options).map_err(|notes: Vec<Note>| {
            let place = |note: &Note| fault_at(&read.text, note.line, note.what.clone());
            ReadError { path: path.to_owned(), faults: listed(notes.iter(), place) }
        })
    }

    /// A program, and the arm that it is for.
    fn open<'a>(
        &self,
        path: &Path,
        cell: &'a Cell,
        lead: &LeadOptions,
    ) -> Result<(Read, ControlArm<'a>), ReadError> {
        let fail = |what: String| ReadError { path: path.to_owned(), faults: vec![Fault::of_file(what)] };
        let language = Language::of_file(path).ok_or_else(|| fail("this is no robot program".into()))?;
        if let Some(option) = lead.not_of_programs() {
            return Err(fail(format!("{option} is no matter of robot programs: they say it themselves")));
        }
        let read = self.load(path, language)?;
        let arm = ControlArm::new(cell, self.robot.as_deref(), read.profile.clone())
            .map_err(|fault| fail(fault.to_string()))?;
        Ok((read, arm))
    }

    /// Reads those parts of a program whose motion is known, although something in it is not understood.
    pub(super) fn read_parts(
        &self,
        path: &Path,
        cell: &Cell,
        lead: &LeadOptions,
        outside_limits: bool,
    ) -> Result<ProgramParts, ReadError> {
        let (read, arm) = self.open(path, cell, lead)?;
        let options = self.resolve_options(lead, outside_limits);
        let ResolvedParts { parts, open } = resolve_parts(&read.program, &arm, &options);
        let mut notes = notes_of(&read.program, &read.text, false);
        let said = parts.iter().flat_map(|part| &part.notes).take(SHOWN);
        notes.extend(said.map(|note| fault_at(&read.text, note.line, note.what.clone())));
        let law = read.profile.law.laws();
        let (motions, is_six) = (read.program.motions, arm.axes() == 6);
        Ok(ProgramParts {
            parts,
            open,
            text: read.text,
            notes,
            motions,
            law,
            is_six,
            lead: lead.clone(),
            path: path.to_owned(),
        })
    }

    fn resolve_options(&self, lead: &LeadOptions, outside_limits: bool) -> ResolveOptions {
        ResolveOptions {
            fine: self.fine,
            tool_of_cell: self.tool_of_cell,
            unreached: self.unreached,
            smooth: lead.blend_margin,
            branch: lead.branch,
            postures: false,
            joint_corners: self.joint_corners,
            outside_limits,
        }
    }

    /// Reads the motion of a program.
    pub(super) fn read(
        &self,
        path: &Path,
        cell: &Cell,
        lead: &LeadOptions,
        outside_limits: bool,
    ) -> Result<LoadedMotion, ReadError> {
        let fail = |what: String| ReadError { path: path.to_owned(), faults: vec![Fault::of_file(what)] };
        let (read, arm) = self.open(path, cell, lead)?;
        let resolved = self.resolved(path, &read, &arm, lead, outside_limits)?;
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
            let what = "the other robots of the cell are taken to stand still: joints that the cell holds where it holds them, all others at zero";
            notes.push(Fault::of_file(what));
        }
        if self.once && read.profile.repeats {
            let what = "one round of the program is looked at (⟦once⟧): that the controller starts it again at its end is not";
            notes.push(Fault::of_file(what));
        }
        let law = read.profile.law.laws();
        let unreached =
            listed(read.program.unreached.iter(), |note| fault_at(&read.text, note.line, note.what.clone()));
        let mut told = ProgramText {
            text: read.text,
            lines: resolved.lines.clone(),
            seconds: resolved.seconds.clone(),
            notes,
            unreached,
        };
        let joint_corners = corners(&resolved, 0, resolved.moves.len()).map_err(|target| {
            let line = resolved.lines.get(target).copied().unwrap_or(1);
            let fault = fault_at(&told.text, line, NO_POSTURES);
            ReadError { path: path.to_owned(), faults: vec![fault] }
        })?;
        if arm.axes() != 6 && !joint_corners.is_empty() {
            return Err(fail("rounded corners between joint moves take an arm of six joints: hold others in the cell, or take them as stops (⟦fine⟧)".into()));
        }
        let mut moves = resolved.moves.clone();
        let motion = if arm.axes() == 6 {
            loop {
                let led = Led { tip: resolved.tip, start: &resolved.start, moves: &moves, law };
                let motion = lead.routes(path, cell, led, |number| told.fault(number, String::new()))?;
                let Some(corner) = self.fine.then(|| open_corner(cell, &motion)).flatten() else {
                    break motion;
                };
                // What its help promises: a corner that cannot be bounded is a stop.
                moves[corner].zone = 0.0;
                let what = "the corner at this target may be rounded in more ways than can be bounded, and is taken as if the robot stopped there (⟦fine⟧): how it is rounded is not proven";
                let note = told.fault(corner + 2, what.into());
                told.notes.push(note);
            }
        } else {
            joints(&resolved.start, &moves).map_err(fail)?
        };
        Ok(LoadedMotion {
            motion,
            outside: Vec::new(),
            notes: Vec::new(),
            program: Some(told),
            joint_corners,
        })
    }
}

/// The first move (from 0) whose rounded corner cannot be bounded with one of the laws.
fn open_corner(cell: &Cell, motion: &Moved) -> Option<usize> {
    let Moved::Tool(routes) = motion else { return None };
    let corner = |route: &Route| unbounded_corner(cell, route).ok().flatten();
    routes.iter().filter_map(|(_, route)| corner(route)).min()
}

/// Rounded corners between moves of all joints, in a stretch from one target to another; the target of one whose postures are not known.
fn corners(resolved: &Resolved, from: usize, to: usize) -> Result<Vec<JointCorner>, usize> {
    let inside = resolved.joint_corners.iter().filter(|corner| corner.target > from && corner.target < to);
    let made = inside.map(|corner| {
        let CornerOfJoints { target, radius, most, tip } = *corner;
        let posture = |target: usize| resolved.postures.get(target).cloned().flatten();
        let postures = [posture(target - 1), posture(target), posture(target + 1)];
        let [Some(before), Some(at), Some(behind)] = postures else { return Err(target) };
        Ok(JointCorner { number: target - from + 1, postures: [before, at, behind], radius, most, tip })
    });
    made.collect()
}

/// Moves of joints alone, of any arm.
fn joints(start: &[f64], moves: &[Move]) -> Result<Moved, String> {
    let mut postures = vec![start.to_vec()];
    for one in moves {
        match &one.kind {
            MoveKind::Joints(to) => postures.push(to.clone()),
            _ => return Err("lines of the tool take an arm of six joints: hold others in the cell".into()),
        }
    }
    JointMotion::lines(&postures).map(Moved::Joints).map_err(|fault| fault.to_string())
}

/// Why a corner between joint moves is not proven.
const NO_POSTURES: &str = "the corner at this target is rounded, and in which postures the moves beside it begin and end is not known";

/// Faults of a program that are shown, at most.
const SHOWN: usize = 20;

impl ProgramText {
    /// The line of a move, by its number from 1.
    #[must_use]
    pub fn line(&self, number: usize) -> u32 {
        self.lines.get(number - 1).copied().unwrap_or(0)
    }

    /// A fault of a move, with its line quoted.
    #[must_use]
    pub fn fault(&self, number: usize, what: String) -> Fault {
        fault_at(&self.text, self.line(number.max(1)), what)
    }

    /// Seconds from the first target on, at the speeds that are programmed; none where a speed is not known.
    #[must_use]
    pub fn seconds_at(&self, number: usize, fraction: f64) -> Option<f64> {
        let before: Option<f64> = self.seconds.iter().take(number.saturating_sub(2)).copied().sum();
        Some(before? + self.seconds.get(number.checked_sub(2)?).copied().flatten()? * fraction)
    }

    /// Line and seconds in words, to stand before what is there.
    #[must_use]
    pub fn words(&self, number: usize, fraction: f64) -> String {
        let seconds =
            self.seconds_at(number, fraction).map_or(String::new(), |secs| format!(" after {secs:.3} s"));
        format!("line {}{seconds}: ", self.line(number))
    }
}
