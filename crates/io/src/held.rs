//! Joints that files name and that no posture has: those that the cell holds, and those that follow others.

use crate::limits;
use kansho_cell::{Cell, Quantity};

/// How far a file may be from where the cell holds a joint, in radians or metres: what six digits leave open. With an arm of two metres that
/// is a five-hundredth of a millimetre.
pub(crate) const SAME: f64 = 1e-6;

/// A joint that the cell holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    /// `robot/joint`.
    pub(crate) name: String,
    pub(crate) quantity: Quantity,
    /// Where, in metres or radians.
    pub(crate) value: f64,
}

impl Held {
    /// The one that a name means, `robot/joint` or `joint` where that is clear.
    pub(crate) fn named(cell: &Cell, name: &str) -> Option<Self> {
        let mut found = Self::all(cell).filter(|held| held.is_named(name));
        found.next().filter(|_| found.next().is_none())
    }

    /// All of a cell.
    pub(crate) fn all(cell: &Cell) -> impl Iterator<Item = Self> + '_ {
        cell.robots().iter().flat_map(|robot| {
            robot.hold.iter().filter_map(|(joint, value)| {
                let id = robot.robot.joint(joint)?;
                let quantity = limits::quantity(&robot.robot.joints()[id.0 as usize]);
                Some(Self { name: format!("{}/{joint}", robot.name), quantity, value: *value })
            })
        })
    }

    /// Whether a name means this joint: its own, or with the robot's.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name == name || self.name.split_once('/').is_some_and(|(_, joint)| joint == name)
    }

    /// Whether a file says what the cell holds.
    ///
    /// # Errors
    /// It says something else.
    pub(crate) fn agrees(&self, value: f64) -> Result<(), String> {
        if (value - self.value).abs() <= SAME {
            return Ok(());
        }
        Err(format!(
            "\"{}\" is held at {} by the cell, and is at {} here, {} away: leave it out, or hold it there",
            self.name,
            limits::shown(self.quantity, self.value),
            limits::shown(self.quantity, value),
            limits::apart(self.quantity, value, self.value)
        ))
    }
}

/// Why a joint that the cell has is no part of a posture, if it has one of this name.
pub(crate) fn why_none(cell: &Cell, name: &str) -> Option<String> {
    if let Some(held) = Held::named(cell, name) {
        let at = limits::shown(held.quantity, held.value);
        return Some(format!("\"{}\" is held at {at} by the cell: leave it out", held.name));
    }
    for robot in cell.robots() {
        let is_meant = |joint: &str| joint == name || format!("{}/{joint}", robot.name) == name;
        let Some(joint) = robot.robot.joints().iter().find(|joint| is_meant(&joint.name)) else { continue };
        let full = format!("{}/{}", robot.name, joint.name);
        if let Some(mimic) = joint.mimic {
            let leader = &robot.robot.joints()[mimic.joint.0 as usize].name;
            return Some(format!("\"{full}\" follows \"{leader}\" (<mimic>): leave it out"));
        }
        if joint.kind.coordinates().is_empty() {
            return Some(format!("\"{full}\" is a fixed joint: leave it out"));
        }
    }
    None
}
