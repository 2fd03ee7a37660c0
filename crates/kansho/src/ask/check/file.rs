//! The motion of a file: as a whole; or, of a robot program that is not understood or not proven as a whole, in parts.

use super::{CheckAnswer, CheckOptions, Checked, MotionVerdict, ReadMotion, motion, parts};
use crate::budget::Budget;
use kansho_cell::Cell;
use kansho_check::scene::Scene;
use kansho_io::motion_file::{self, LoadedMotion, MotionFileOptions, ProgramParts};
use kansho_io::{ReadError, Warning};
use std::path::Path;

/// What was read of a file.
pub enum FileMotion {
    /// All of it.
    Whole(Box<LoadedMotion>),
    /// Those parts of a robot program whose motion is known.
    Parts {
        /// The parts.
        parts: Box<ProgramParts>,
        /// Why the program as a whole is refused.
        refused: ReadError,
    },
}

impl FileMotion {
    /// Reads a file.
    ///
    /// # Errors
    /// It is refused, and no part of it has a motion that is known.
    pub fn read(path: &Path, cell: &Cell, options: &MotionFileOptions) -> Result<Self, ReadError> {
        let refused = match motion_file::read(path, cell, options) {
            Ok(loaded) => return Ok(Self::Whole(Box::new(loaded))),
            Err(refused) => refused,
        };
        match motion_file::read_parts(path, cell, options) {
            Ok(parts) if !parts.lengths().is_empty() => Ok(Self::Parts { parts: Box::new(parts), refused }),
            _ => Err(refused),
        }
    }

    /// What is odd about it.
    #[must_use]
    pub fn warnings(&self, path: &Path) -> Vec<Warning> {
        match self {
            Self::Whole(loaded) => ReadMotion { path, loaded }.warnings(),
            Self::Parts { parts, .. } => parts
                .notes
                .iter()
                .map(|fault| Warning { path: path.to_owned(), fault: fault.clone() })
                .collect(),
        }
    }
}

/// Proves the motion of a file free, or finds its first contact. Of a robot program that is refused or undecided as a whole, lines are proven one by
/// one: see [`PartialAnswer`](super::PartialAnswer). `as_read` is what the file was read with.
///
/// # Errors
/// The file is refused, and no line of it is proven or collides.
pub fn file(
    scene: &Scene,
    path: &Path,
    read: &FileMotion,
    as_read: &MotionFileOptions,
    options: &CheckOptions,
    budget: &Budget<'_>,
) -> Result<Checked, ReadError> {
    let in_parts = |program: &ProgramParts| Checked {
        answer: parts(scene, path, program, options, budget),
        certificate: None,
    };
    match read {
        FileMotion::Parts { parts, refused } => {
            let checked = in_parts(parts);
            if says_something(&checked.answer) { Ok(checked) } else { Err(refused.clone()) }
        }
        FileMotion::Whole(loaded) => {
            let whole = motion(scene, &ReadMotion { path, loaded }, options, budget);
            let is_open = match &whole {
                Ok(Checked { answer, .. }) => {
                    matches!(&answer.found, MotionVerdict::Undecided(open) if open.unreached.is_none())
                        && !budget.is_used_up()
                }
                Err(_) => true,
            };
            if is_open
                && loaded.program.is_some()
                && let Ok(program) = motion_file::read_parts(path, scene.cell(), as_read)
            {
                let checked = in_parts(&program);
                if says_something(&checked.answer) || whole.is_ok() {
                    return Ok(checked);
                }
            }
            whole
        }
    }
}

/// Whether any line is proven, or collides. Otherwise what was refused says more.
fn says_something(answer: &CheckAnswer) -> bool {
    answer.partial.as_ref().is_some_and(|partial| partial.proven > 0 || !partial.contacts.is_empty())
}
