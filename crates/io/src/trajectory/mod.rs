//! Trajectories of ROS.
//!
//! | part | does |
//! |---|---|
//! | [`JointTrajectory`] | joint trajectories (YAML): positions, perhaps velocities, and times |
//! | [`Sequences`] | sequences of PTP, LIN and CIRC of Pilz's planner (XML) |

mod joints;
mod pilz;
mod yaml;

pub use joints::{Between, JointTrajectory, TrajectoryPoint, parse as parse_joints};
pub use pilz::{
    Command, CommandKind, LinkPose, PilzMotion, PilzStep, Position, Sequence, Sequences,
    parse as parse_sequences,
};

use crate::fault::{Fault, ReadError};
use crate::load::bytes_of;
use std::path::Path;

/// Largest trajectory that is read, in bytes.
const MAX_BYTES: usize = 1 << 28;

/// A trajectory of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Trajectory {
    /// Points of joints, by time.
    Joints(JointTrajectory),
    /// Named moves, put together to sequences.
    Sequences(Sequences),
}

/// Whether the name of a file ends as trajectories do.
#[must_use]
pub fn is_meant(path: &Path) -> bool {
    let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    matches!(end.as_deref(), Some("yaml" | "yml" | "xml"))
}

/// Reads a trajectory: YAML or XML, by how the name ends. Its text comes along, to be quoted. `entry` names the message of a YAML file that
/// has several, by its number.
///
/// # Errors
/// What is none, with its line.
pub fn read(path: &Path, entry: Option<&str>) -> Result<(Trajectory, Vec<u8>), ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    if bytes.len() > MAX_BYTES {
        let what = format!("trajectories of more than {MAX_BYTES} bytes are not read");
        return Err(fail(vec![Fault::of_file(what)]));
    }
    let is_xml = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("xml"));
    let read = if is_xml {
        pilz::parse(&bytes).map(Trajectory::Sequences)
    } else {
        joints::parse(&bytes, entry).map(Trajectory::Joints)
    };
    Ok((read.map_err(fail)?, bytes))
}

#[cfg(test)]
mod tests;
