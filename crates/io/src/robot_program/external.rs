//! External axes that stand still: rails that carry a robot, and that the cell holds.
//!
//! A controller that knows of such an axis counts poses from where the robot's base is with the axis at zero, and every target says where the
//! axis is. So what is held is written, and what a program says of it has to be what the cell holds.

use super::{ControlArm, Language};
use kansho_cell::{Cell, InCell, Joint, JointKind, LinkId, Quantity};
use kansho_geom::Pose;

/// External axes of a target, as the controller counts them: millimetres or degrees; none where the target says nothing.
pub type External = [Option<f64>; 6];

/// How far a program may be from where the cell holds an axis, in millimetres or degrees: what six digits leave open. At ten metres from a rotary axis
/// that is less than 0.2 micrometres.
const SAME: f64 = 1.001e-6;

/// A joint between the root of a robot and the base of its arm, which the cell holds.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldAxis {
    /// The joint.
    pub joint: String,
    /// Whether it slides or turns.
    pub quantity: Quantity,
    /// Where it is held, in metres or radians.
    pub value: f64,
}

impl HeldAxis {
    /// In millimetres or degrees.
    #[must_use]
    pub fn printed(&self) -> f64 {
        match self.quantity {
            Quantity::Length => self.value * 1e3,
            Quantity::Angle => self.value.to_degrees(),
        }
    }

    /// In metres or radians, of millimetres or degrees.
    fn of_printed(&self, value: f64) -> f64 {
        match self.quantity {
            Quantity::Length => value * 1e-3,
            Quantity::Angle => value.to_radians(),
        }
    }

    /// Where it is held, in words.
    pub(super) fn told(&self) -> String {
        format!("\"{}\" at {} {}", self.joint, (self.printed() * 1e6).round() / 1e6, self.unit())
    }

    /// Its unit, as controllers write it.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        match self.quantity {
            Quantity::Length => "mm",
            Quantity::Angle => "deg",
        }
    }
}

/// Joints that the cell holds and that do not carry the arm, with their robots, such as those of a positioner.
pub(super) fn other_held(cell: &Cell, robot: &str, carrying: &[HeldAxis]) -> Vec<HeldAxis> {
    let mut found = Vec::new();
    for other in cell.robots() {
        for (name, value) in &other.hold {
            let is_carrying = other.name == robot && carrying.iter().any(|axis| axis.joint == *name);
            let joint = other.robot.joints().iter().find(|joint| joint.name == *name);
            let quantity = match joint.map(|joint| joint.kind) {
                Some(JointKind::Prismatic { .. }) => Quantity::Length,
                Some(JointKind::Revolute { .. } | JointKind::Continuous { .. }) => Quantity::Angle,
                _ => continue,
            };
            if !is_carrying {
                found.push(HeldAxis { joint: format!("{}/{name}", other.name), quantity, value: *value });
            }
        }
    }
    found
}

/// The held joints from a robot's root to a link, and where that link would be with all of them at zero, in the world.
pub(super) fn held_axes(robot: &InCell, base: LinkId) -> (Vec<HeldAxis>, Pose) {
    let mut path = Vec::new();
    let mut link = base;
    while let Some(joint) = robot.robot.joints().iter().find(|joint| joint.child == link) {
        path.push(joint);
        link = joint.parent;
    }
    let (mut held, mut at_zero) = (Vec::new(), robot.world_from_root);
    for joint in path.into_iter().rev() {
        at_zero = at_zero * joint.parent_from_joint;
        let Some((_, value)) = robot.hold.iter().find(|(name, _)| *name == joint.name) else { continue };
        let quantity = match joint.kind {
            JointKind::Prismatic { .. } => Quantity::Length,
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => Quantity::Angle,
            // Joints of several coordinates are no axes of a controller: they stay where they are held.
            JointKind::Fixed | JointKind::Planar { .. } | JointKind::Floating => continue,
        };
        held.push(HeldAxis { joint: joint.name.clone(), quantity, value: *value });
    }
    (held, at_zero)
}

/// The link that an arm stands on: what held joints carry; the root of the robot if there are none of these.
///
/// Fixed joints may lie between the last held joint and the first that moves. A link of the usual name comes first then, and otherwise the one
/// that the first joint hangs on.
pub(super) fn foot(robot: &InCell, flange: LinkId) -> LinkId {
    let links = &robot.robot;
    let mut path = Vec::new();
    let mut link = flange;
    while let Some(joint) = links.joints().iter().find(|joint| joint.child == link) {
        path.push(joint);
        link = joint.parent;
    }
    path.reverse();
    let is_fixed = |joint: &Joint| matches!(joint.kind, JointKind::Fixed);
    let is_held = |joint: &Joint| !is_fixed(joint) && robot.hold.iter().any(|(name, _)| *name == joint.name);
    let arm = path.iter().position(|joint| !is_fixed(joint) && !is_held(joint)).unwrap_or(path.len());
    let Some(last) = path[..arm].iter().rposition(|joint| is_held(joint)) else { return links.root() };
    let mut carried = path[last..arm].iter().map(|joint| joint.child);
    let usual = carried.clone().find(|link| links.links()[link.0 as usize].name == "base_link");
    usual.or_else(|| carried.next_back()).unwrap_or(links.root())
}

impl Language {
    /// Whether targets of this language say where external axes are.
    #[must_use]
    pub fn has_external_axes(self) -> bool {
        matches!(self, Self::Rapid | Self::Krl | Self::Fanuc)
    }
}

impl ControlArm<'_> {
    /// Whether what a target says of external axes is what the cell holds; a note if it says nothing of one that is held.
    ///
    /// # Errors
    /// It says something else.
    pub(super) fn external(&self, said: &External) -> Result<Option<String>, String> {
        let held = self.held();
        let mut silent = None;
        for (k, said) in said.iter().enumerate() {
            match (said, held.get(k)) {
                (None, None) => {}
                // KUKA writes zero for axes that are not there; whoever else says zero means it.
                (Some(0.0), None)
                    if self.profile().language == Language::Krl
                        || self.other_held().iter().all(|axis| axis.value == 0.0) => {}
                (Some(value), None) => {
                    let others: Vec<String> = self.other_held().iter().map(HeldAxis::told).collect();
                    if !others.is_empty() {
                        return Err(format!(
                            "external axis {} is at {value}, and no held joint carries the robot there; which joint of the cell that is ({}) is not known: write 9E9, or leave it out, for axes that do not carry the robot",
                            k + 1,
                            others.join(", ")
                        ));
                    }
                    return Err(format!(
                        "external axis {} is at {value}, and the cell holds no such axis: add the rail to the robot and hold it, as in hold = {{ rail = 0.3 }}",
                        k + 1
                    ));
                }
                (Some(value), Some(axis)) => {
                    let (wanted, unit) = (axis.printed(), axis.unit());
                    if !((value - wanted).abs() <= SAME) {
                        return Err(format!(
                            "external axis {} is at {value} {unit}, and the cell holds \"{}\" at {wanted} {unit}: a program that moves it is not understood; if it stands still, hold = {{ {} = {} }} holds it there",
                            k + 1,
                            axis.joint,
                            axis.joint,
                            axis.of_printed(*value)
                        ));
                    }
                }
                (None, Some(axis)) => {
                    silent.get_or_insert_with(|| {
                        format!(
                            "the program says nothing of \"{}\", which the cell holds at {} {}: it is taken to stand there",
                            axis.joint,
                            axis.printed(),
                            axis.unit()
                        )
                    });
                }
            }
        }
        Ok(silent)
    }
}
