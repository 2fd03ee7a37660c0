//! Is a certificate of a route true? Shares only forward kinematics and the formulas of curves with the search.
//!
//! Joints that lead a tool along a curve have no formula that can be proven with. A certificate gives cubics instead, and for each a margin
//! that is taken off every gap. What is re-checked: that cubics cover every leg without a gap and without a jump, that the joints which
//! follow the curve are nowhere so far from them that a body would be off by more than the margin ([`joint_error`]), and that bodies on
//! the cubics stay apart by the clearance and the margin ([`verify_motion`](super::motion::verify_motion)).

mod arm;
mod contraction;
mod error;
mod off;

pub use arm::{Arm, ArmFault, JOINTS, Posed};
pub use contraction::inverse;
pub use error::{JointError, at, joint_error};

use super::motion::{CellTrees, MotionCertificate, RefusedMotion, VerifiedMotion, verify_with_margins};
use kansho_cell::route::{Route, RouteMotion};
use kansho_cell::{Cell, FrameId, JointMotion, JointPiece};
use kansho_geom::pose_motion::Span;

/// Cubics that stand for a part of a leg.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutePiece {
    /// Which leg of the route, from 0.
    pub leg: usize,
    /// Which part of its curve; all of it, if joints move evenly.
    pub part: Span,
    /// The cubics of all coordinates of the cell.
    pub piece: JointPiece,
    /// By how much bodies may be off.
    pub margins: Margins,
}

/// By how much bodies may be off relative to each other, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margins {
    /// What moves with the tip, relative to what stands still: however joints are off, the tip is on its curve.
    pub of_tip: f64,
    /// All others: what joints are off by, times their levers.
    pub of_joints: f64,
}

impl Margins {
    /// The same for all.
    #[must_use]
    pub fn same(margin: f64) -> Self {
        Self { of_tip: margin, of_joints: margin }
    }

    /// Of bodies in two frames.
    #[must_use]
    pub fn of(self, arm: &Arm, frames: [FrameId; 2]) -> f64 {
        if arm.is_of_tip(frames) { self.of_tip } else { self.of_joints }
    }
}

/// How near to a wanted posture a leg has to end, in radians or metres: what six digits of degrees are.
pub const ARRIVED: f64 = 1e-6;

/// Why a certificate of a route proves nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RefusedRoute {
    /// The joints do not follow from poses of the tip.
    #[error(transparent)]
    Arm(#[from] ArmFault),
    /// A piece is not what the route needs there.
    #[error("piece {piece}: {why}")]
    Piece {
        /// Which, from 0.
        piece: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// Pieces end before the route does.
    #[error("the pieces end before the route does")]
    Short,
    /// Bodies do not stay apart.
    #[error(transparent)]
    Motion(#[from] RefusedMotion),
}

/// Re-checks a certificate of a route, on all threads of the current pool.
///
/// # Errors
/// What is wrong; of several pieces, of the first.
pub fn verify_route(
    cell: &Cell,
    route: &Route,
    pieces: &[RoutePiece],
    certificate: &MotionCertificate,
) -> Result<VerifiedMotion, RefusedRoute> {
    follows(cell, route, pieces)?;
    let motion = JointMotion::of_pieces(pieces.iter().map(|piece| piece.piece.clone()).collect());
    let motion = motion.ok_or(RefusedRoute::Short)?;
    let arm = Arm::new(cell, &route.tip())?;
    let margin = |piece: usize, frames: [FrameId; 2]| pieces[piece].margins.of(&arm, frames);
    Ok(verify_with_margins(cell, &CellTrees::new(cell), &motion, certificate, &margin)?)
}

/// Whether pieces follow a route, each within its margin.
///
/// # Errors
/// The first that does not.
pub fn follows(cell: &Cell, route: &Route, pieces: &[RoutePiece]) -> Result<(), RefusedRoute> {
    let coordinates = cell.coordinates().len();
    let mut arm = None;
    let mut here = route.start().to_vec();
    let mut given = pieces.iter().enumerate().peekable();
    let mut before: Option<JointError> = None;
    for (number, leg) in route.legs().iter().enumerate() {
        match &leg.way {
            RouteMotion::Joints(to) => {
                let Some((index, found)) = given.next() else { return Err(RefusedRoute::Short) };
                let wrong = |why| Err(RefusedRoute::Piece { piece: index, why });
                if to.len() != coordinates || here.len() != coordinates {
                    return wrong("its posture is not one of this cell");
                }
                if found.leg != number || found.part != Span::WHOLE {
                    return wrong("it stands for another part of the route");
                }
                if found.piece != JointPiece::line(&here, to) {
                    return wrong("the joints do not move evenly to where they should");
                }
                let least = at_start(arm.as_ref(), before.as_ref());
                if !(found.margins.of_tip >= least && found.margins.of_joints >= least) {
                    return wrong("joints may begin farther off than the margin, after the curve before");
                }
                here.clone_from(to);
                before = None;
            }
            RouteMotion::Tool { curve, part, loose, arrives } => {
                if arm.is_none() {
                    arm = Some(Arm::new(cell, &route.tip())?);
                }
                let arm = arm.as_ref().expect("it has just been made");
                let mut reached = part.start;
                while reached < part.end {
                    let Some((index, found)) = given.next() else { return Err(RefusedRoute::Short) };
                    let wrong = |why| Err(RefusedRoute::Piece { piece: index, why });
                    let is_next = found.leg == number
                        && found.part.start == reached
                        && found.part.end > reached
                        && found.part.end <= part.end;
                    if !is_next {
                        return wrong("it stands for another part of the route");
                    }
                    let controls = found.piece.controls();
                    if controls.len() != coordinates || here.len() != coordinates {
                        return wrong("it is no posture of this cell");
                    }
                    if !controls.iter().zip(&here).all(|(c, from)| c[0] == *from) {
                        return wrong("it does not begin where the last one ended");
                    }
                    let of_arm = arm.coordinates();
                    let stands =
                        |(k, c): (usize, &[f64; 4])| of_arm.contains(&k) || c.iter().all(|v| *v == c[0]);
                    if !controls.iter().enumerate().all(stands) {
                        return wrong("a joint moves that does not move the tip");
                    }
                    if !(0..4).all(|k| arm.bounds(controls.iter().map(|c| c[k]))) {
                        return wrong("a slide is outside its limits");
                    }
                    let of_joints = of_arm.map(|k| controls[k]);
                    let Some(error) = joint_error(arm, curve, found.part, *loose, &of_joints) else {
                        return wrong("nothing shows that joints follow the curve near these cubics");
                    };
                    let least = arm.margins(&error);
                    if !(least.of_joints <= found.margins.of_joints && least.of_tip <= found.margins.of_tip) {
                        return wrong("joints that follow the curve may be farther off than the margin");
                    }
                    if let Some(before) = &before
                        && !is_same(before, &error)
                    {
                        return wrong("nothing shows that it is on the branch of the one before");
                    }
                    before = Some(error);
                    here = controls.iter().map(|c| c[3]).collect();
                    reached = found.part.end;
                }
                let arrived = |posture: &Vec<f64>| {
                    posture.len() == here.len()
                        && posture.iter().zip(&here).all(|(a, b)| (a - b).abs() <= ARRIVED)
                };
                if arrives.as_ref().is_some_and(|posture| !arrived(posture)) {
                    let index = given.peek().map_or(pieces.len(), |(index, _)| *index);
                    return Err(RefusedRoute::Piece {
                        piece: index,
                        why: "the leg before it ends elsewhere",
                    });
                }
            }
        }
    }
    match given.next() {
        Some((index, _)) => Err(RefusedRoute::Piece { piece: index, why: "the route has ended before" }),
        None => Ok(()),
    }
}

/// By how much bodies may be off where a curve ends and joints go on by themselves. From there on it gets less.
#[must_use]
pub fn at_start(arm: Option<&Arm>, before: Option<&JointError>) -> f64 {
    arm.zip(before).map_or(0.0, |(arm, before)| arm.margin(&before.ends[1]))
}

/// Whether the posture at the end of a piece is that at the start of the next: it is where one of them knows it to be alone.
#[must_use]
pub fn is_same(before: &JointError, after: &JointError) -> bool {
    let within = |ends: &[f64; JOINTS], alone: &[f64; JOINTS]| ends.iter().zip(alone).all(|(e, a)| e <= a);
    // Both within what is alone for one.
    (within(&before.ends[1], &after.alone) && within(&after.ends[0], &after.alone))
        || (within(&after.ends[0], &before.alone) && within(&before.ends[1], &before.alone))
}
