//! What a viewer shows of a path on the command line: a cell, a robot, a job with its plan, or the folder of a plan.

use super::place::{self, Place};
use super::{NamedMotion, times};
use crate::ask::path_edit::Task;
use crate::load;
use kansho_cell::Cell;
use kansho_io::motion_file::{self, LoadedMotion, MotionFileOptions};
use kansho_io::{Fault, ReadError};
use std::path::{Path, PathBuf};

/// A cell with its motions, as it was read.
pub struct ShownFiles {
    /// The cell.
    pub cell: Cell,
    /// Motions of it.
    pub motions: Vec<NamedMotion>,
    /// What is odd about the files, in words.
    pub warnings: Vec<String>,
    /// The job that its motions were planned for, if that is known.
    pub task: Option<Task>,
}

/// Reads what lies at a path, and motions besides. `is_planned`: a plan below a folder is complete, and shown with it.
///
/// # Errors
/// Every fault that was found.
pub fn shown_files(
    path: &Path,
    motions: &[PathBuf],
    packages: &[PathBuf],
    options: &MotionFileOptions,
    is_planned: bool,
) -> Result<ShownFiles, Vec<ReadError>> {
    let place = Place::of(path, packages, is_planned)?;
    let folder = place.plan.clone();
    let speed = place.job.as_ref().map(|job| (job.job.robot.clone(), job.job.speed));
    let (cell, task, mut warnings) = match place.job {
        Some(job) => {
            let odd = job.cell_warnings.iter().chain(&job.warnings).map(ToString::to_string).collect();
            let task = place.plan.as_ref().map(|plan| place::task(&job, plan)).transpose()?;
            (job.job.cell, task, odd)
        }
        None => {
            let (cell, odd) = load::cell_or_robot(&place.cell, packages)?;
            (cell, None, odd.iter().map(ToString::to_string).collect::<Vec<_>>())
        }
    };
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    for path in place.motions.iter().chain(motions) {
        match motions_of_file(path, &cell, options) {
            Ok((mut named, odd)) => {
                let is_planned = folder.as_deref().is_some_and(|folder| path.parent() == Some(folder));
                if let Some((robot, speed)) = speed.as_ref().filter(|_| is_planned) {
                    times::of_plan(&mut named, path, &cell, robot, *speed);
                }
                warnings.extend(odd.iter().map(|fault| format!("{}: {fault}", path.display())));
                all.extend(named);
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(ShownFiles { cell, motions: all, warnings, task }) } else { Err(errors) }
}

/// The motions of a file: one, or one for each orientation interpolation.
fn motions_of_file(
    path: &Path,
    cell: &Cell,
    options: &MotionFileOptions,
) -> Result<(Vec<NamedMotion>, Vec<Fault>), ReadError> {
    let LoadedMotion { motion, outside, program, .. } = motion_file::read(path, cell, options)?;
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let is_planned = path.parent().is_some_and(|folder| folder.ends_with("plan"));
    let name = if is_planned { format!("plan/{stem}") } else { stem };
    let mut motions = NamedMotion::of(&name, &motion, cell, path)?;
    if let ([one], Some(program)) = (&mut motions[..], &program) {
        one.times = times::of_program(one, program);
    }
    Ok((motions, outside))
}
