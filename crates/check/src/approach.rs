//! How soon could anything touch?
//!
//! Two answers that must not be taken for each other: a bound that holds whatever the joints do within their speed limits
//! ([`Approach`]), and an estimate that supposes that they go on as they do now ([`estimate`]).

use crate::scene::{CellGap, PairId, Scene, Workspace};
use kansho_cell::{BodyId, Cell, Coordinate, FrameId, Geometry, JointKind};
use kansho_geom::glam::DVec3;
use std::collections::BTreeSet;

/// What a computed gap may be too large by, in metres: distances are right to 1e-13 of the coordinates, and those are below
/// some 1e6 m. It costs less than a microsecond at one metre per second.
const GAP_SLACK: f64 = 1e-6;

/// What rounding may have taken from a speed, as a fraction of it: a few dozen operations.
const SPEED_SLACK: f64 = 1e-9;

/// How fast bodies can approach each other while every coordinate stays below its speed limit.
///
/// Of two bodies, let `c` be the last frame that carries both. A joint `k` between `c` and one of them moves its points, seen
/// from `c`, no faster than the joint's speed times their distance from its axis. So the gap shrinks by no more than
///
/// ```text
/// Σ speed(k) · reach(k)    over the joints from c to either body
/// ```
///
/// a second, where `reach(k)` is the largest distance from the axis over all postures (1 where the joint slides). It too is a
/// sum: a ball around the body is turned about the axes in between, whatever their angles, and shifted along the slides over
/// their whole range. Too large a speed makes the bound weak; too small would make it wrong.
#[derive(Clone, Debug)]
pub struct Approach {
    /// For every pair.
    speeds: Vec<f64>,
    largest: f64,
    /// Coordinates whose range the bound leans on.
    ranged: BTreeSet<usize>,
    /// Coordinates that move something and have no speed limit.
    unlimited: BTreeSet<usize>,
}

/// What is known of a posture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The least gap; none if no pair moves.
    pub least: Option<CellGap>,
    /// Proven: nothing touches before this many seconds have passed. Infinite if nothing ever can.
    pub time_to_contact: f64,
}

impl Approach {
    /// Works out the speeds of a cell.
    #[must_use]
    pub fn new(cell: &Cell) -> Self {
        let (mut ranged, mut unlimited) = (BTreeSet::new(), BTreeSet::new());
        let climbs: Vec<Vec<Climb>> = (0..cell.bodies().len() as u32)
            .map(|body| climb(cell, BodyId(body), &mut ranged, &mut unlimited))
            .collect();
        let speed = |[a, b]: &[BodyId; 2]| {
            let (a, b) = (&climbs[a.0 as usize], &climbs[b.0 as usize]);
            // The first frame of one that the other reaches too. Both end at the world.
            let meet = a.iter().find_map(|of_a| {
                b.iter().find(|of_b| of_b.frame == of_a.frame).map(|of_b| of_a.speed + of_b.speed)
            });
            meet.expect("every frame hangs on the world") * (1.0 + SPEED_SLACK)
        };
        let speeds: Vec<f64> = cell.pairs().checked().iter().map(speed).collect();
        let largest = speeds.iter().copied().fold(0.0, f64::max);
        Self { speeds, largest, ranged, unlimited }
    }

    /// The most by which the gap of a pair can shrink in a second; infinite without speed limits.
    #[must_use]
    pub fn speed(&self, pair: PairId) -> f64 {
        self.speeds[pair.0 as usize]
    }

    /// Coordinates that have no speed limit, by index: what they move can be anywhere at once, so the bound is zero.
    pub fn unlimited(&self) -> impl Iterator<Item = usize> {
        self.unlimited.iter().copied()
    }

    /// Whether a posture keeps the limits that the bound leans on: those of slides that carry other bodies round.
    #[must_use]
    pub fn covers(&self, cell: &Cell, posture: &[f64]) -> bool {
        let within = |&index: &usize| {
            cell.coordinates()[index].limits.is_some_and(|limits| limits.contain(posture[index]))
        };
        self.ranged.iter().all(within)
    }

    /// Proven: if every pair is at least this far apart, nothing touches before so many seconds have passed.
    #[must_use]
    pub fn time_of(&self, least_gap: f64) -> f64 {
        time(least_gap, self.largest)
    }

    /// The least gap of a posture, and how soon it could close.
    ///
    /// Pairs whose boxes are far apart, or that approach slowly, take longer than the least gap at the greatest speed; all are
    /// looked at, each with the better of the two gaps that are known of it.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn look(&self, scene: &Scene, posture: &[f64], workspace: &mut Workspace) -> Look {
        let least = scene.least_gap(posture, f64::INFINITY, workspace);
        let time_to_contact = match least {
            Some(found) if found.gap == 0.0 || !self.covers(scene.cell(), posture) => 0.0,
            Some(found) => scene
                .last_bounds(workspace)
                .map(|(pair, bound)| time(found.gap.max(bound), self.speed(pair)))
                .fold(f64::INFINITY, f64::min),
            None => f64::INFINITY,
        };
        Look { least, time_to_contact }
    }
}

/// Seconds that a gap lasts at a closing speed, rounded down.
fn time(gap: f64, speed: f64) -> f64 {
    let gap = gap - GAP_SLACK;
    if !(gap > 0.0) {
        0.0
    } else if speed == 0.0 {
        f64::INFINITY
    } else {
        gap / speed * (1.0 - SPEED_SLACK)
    }
}

/// How fast a body's points move, seen from a frame that carries it.
struct Climb {
    frame: FrameId,
    speed: f64,
}

/// From the frame of a body to the world.
fn climb(
    cell: &Cell,
    body: BodyId,
    ranged: &mut BTreeSet<usize>,
    unlimited: &mut BTreeSet<usize>,
) -> Vec<Climb> {
    let body = cell.body(body);
    let in_frame = cell.in_frame(body.carrier);
    let mut frame = in_frame.frame;
    let mut climbs = vec![Climb { frame, speed: 0.0 }];
    let mut extent = Extent::Points(Vec::new());
    for piece in &body.pieces {
        let aabb = match &piece.geometry {
            Geometry::Mesh(mesh) => Some(mesh.aabb()),
            Geometry::Primitive(primitive) => primitive.aabb(),
        };
        match (&mut extent, aabb) {
            (Extent::Points(points), Some(aabb)) => {
                let frame_from_piece = in_frame.frame_from_link * piece.carrier_from_piece;
                let (low, high) = (aabb.min(), aabb.max());
                let side = |bit: bool, low, high| if bit { high } else { low };
                points.extend((0..8u8).map(|corner| {
                    let [x, y, z] = [1, 2, 4].map(|bit| corner & bit != 0);
                    let corner =
                        DVec3::new(side(x, low.x, high.x), side(y, low.y, high.y), side(z, low.z, high.z));
                    frame_from_piece * corner
                }));
            }
            _ => extent = Extent::EVERYWHERE,
        }
    }
    let mut speed = 0.0;
    while let Some(joint) = cell.frame_joint(frame) {
        let coordinates = &cell.coordinates()[joint.first..];
        let mut rate = |index: usize| {
            let coordinate: &Coordinate = &coordinates[index];
            // A limit of zero is a limit that somebody left out.
            coordinate.max_speed.filter(|speed| *speed > 0.0).unwrap_or_else(|| {
                unlimited.insert(joint.first + index);
                f64::INFINITY
            })
        };
        match joint.kind {
            // It follows another, and does not.
            _ if joint.multiplier == 0.0 => {
                extent = extent.moved(|point| joint.kind.joint_from_child(&[joint.offset]) * point);
            }
            JointKind::Fixed => {}
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                speed += product(rate(0) * joint.multiplier.abs(), extent.reach_across(axis));
                extent = extent.turned(axis);
            }
            JointKind::Prismatic { axis } => {
                speed += rate(0) * joint.multiplier.abs();
                extent = match coordinates[0].limits {
                    Some(limits) => {
                        ranged.insert(joint.first);
                        let [from, to] =
                            [limits.lower, limits.upper].map(|q| joint.multiplier * q + joint.offset);
                        extent.slid(axis, from, to)
                    }
                    None => Extent::EVERYWHERE,
                };
            }
            JointKind::Planar { normal } => {
                speed += rate(0).hypot(rate(1)) + product(rate(2), extent.reach_across(normal));
                extent = Extent::EVERYWHERE;
            }
            JointKind::Floating => {
                let turning = rate(3) + rate(4) + rate(5);
                let shifting = DVec3::new(rate(0), rate(1), rate(2)).length();
                speed += shifting + product(turning, extent.reach_around());
                extent = Extent::EVERYWHERE;
            }
        }
        extent = extent.moved(|point| joint.parent_from_joint * point);
        frame = joint.parent;
        climbs.push(Climb { frame, speed });
    }
    debug_assert!(!speed.is_nan(), "rates and reaches are positive or infinite");
    climbs
}

/// What does not reach out is not moved, however fast.
fn product(rate: f64, reach: f64) -> f64 {
    if reach == 0.0 { 0.0 } else { rate * reach }
}

/// Around a body, wherever the joints that have been passed have put it.
enum Extent {
    /// The hull of some points.
    Points(Vec<DVec3>),
    Ball {
        centre: DVec3,
        radius: f64,
    },
}

impl Extent {
    const EVERYWHERE: Self = Self::Ball { centre: DVec3::ZERO, radius: f64::INFINITY };

    fn reach_across(&self, axis: DVec3) -> f64 {
        // The distance from an axis is convex, so the corners of a hull are farthest.
        let across = |point: DVec3| (point - axis * point.dot(axis)).length();
        match self {
            Self::Points(points) => points.iter().map(|point| across(*point)).fold(0.0, f64::max),
            Self::Ball { centre, radius } => across(*centre) + radius,
        }
    }

    fn reach_around(&self) -> f64 {
        match self {
            Self::Points(points) => points.iter().map(|point| point.length()).fold(0.0, f64::max),
            Self::Ball { centre, radius } => centre.length() + radius,
        }
    }

    fn ball(&self) -> (DVec3, f64) {
        match self {
            Self::Points(points) => {
                let least = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
                let most = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
                let centre = (least + most) * 0.5;
                (centre, points.iter().map(|point| point.distance(centre)).fold(0.0, f64::max))
            }
            Self::Ball { centre, radius } => (*centre, *radius),
        }
    }

    /// Turned about an axis through the origin, by any angle: the middle of that lies on the axis.
    fn turned(self, axis: DVec3) -> Self {
        let (centre, radius) = self.ball();
        let on_axis = axis * centre.dot(axis);
        // A hull on both sides of the axis does better with its own distances than with those of its ball.
        let radius = match &self {
            Self::Points(points) => points.iter().map(|point| point.distance(on_axis)).fold(0.0, f64::max),
            Self::Ball { .. } => centre.distance(on_axis) + radius,
        };
        Self::Ball { centre: on_axis, radius }
    }

    fn slid(self, axis: DVec3, from: f64, to: f64) -> Self {
        let (centre, radius) = self.ball();
        let radius = radius + 0.5 * (to - from).abs();
        Self::Ball { centre: centre + axis * (0.5 * (from + to)), radius }
    }

    fn moved(self, rigidly: impl Fn(DVec3) -> DVec3) -> Self {
        match self {
            Self::Points(points) => Self::Points(points.into_iter().map(rigidly).collect()),
            Self::Ball { centre, radius } => Self::Ball { centre: rigidly(centre), radius },
        }
    }
}

/// How often [`estimate`] asks for a gap.
pub const ESTIMATE_QUERIES: usize = 3;

/// Farther ahead than this, in seconds, nothing is estimated.
pub const ESTIMATE_HORIZON: f64 = 60.0;

/// When a gap would be gone that shrinks by `closing` a second now. `gap_after` says how large it is after some seconds of
/// going on as now; it is asked a few times.
///
/// This is no proof: joints may brake or speed up, and what comes and goes between the questions is not seen.
pub fn estimate(gap: f64, closing: f64, mut gap_after: impl FnMut(f64) -> f64) -> Option<f64> {
    if !(gap > 0.0) {
        return Some(0.0);
    }
    let (mut free, mut free_gap) = (0.0, gap);
    let mut touching: Option<f64> = None;
    let mut guess = gap / closing;
    for _ in 0..ESTIMATE_QUERIES {
        // Also if nothing is closing, or by no number.
        if !(guess > free && guess <= ESTIMATE_HORIZON) {
            break;
        }
        let here = gap_after(guess);
        if here == 0.0 {
            touching = Some(guess);
            guess = 0.5 * (free + guess);
            continue;
        }
        let slope = (free_gap - here) / (guess - free);
        (free, free_gap) = (guess, here);
        let ahead = free + free_gap / slope;
        guess = match touching {
            // Both ways lead to the same instant.
            Some(touching) if (ahead - touching).abs() <= 1e-6 * touching => return Some(touching),
            Some(touching) if !(slope > 0.0 && ahead < touching) => 0.5 * (free + touching),
            _ if slope > 0.0 => ahead,
            _ => return None,
        };
    }
    if touching.is_some() || (guess > 0.0 && guess <= ESTIMATE_HORIZON) { Some(guess) } else { None }
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn estimates_of_known_courses() {
        let check = |gap: f64, closing: f64, after: fn(f64) -> f64, expected: Option<f64>| {
            let found = estimate(gap, closing, after);
            let same = match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() <= 0.3 * expected,
                (found, expected) => found == expected,
            };
            assert!(same, "{found:?} instead of {expected:?}");
        };
        check(0.0, 1.0, |_| 0.0, Some(0.0));
        check(1.0, 0.5, |t| (1.0 - 0.5 * t).max(0.0), Some(2.0));
        check(1.0, 0.0, |_| 1.0, None);
        check(1.0, -1.0, |t| 1.0 + t, None);
        check(1.0, f64::NAN, |_| 1.0, None);
        check(1.0, 1e-9, |_| 1.0, None);
        // It speeds up, slows down, and turns round.
        check(1.0, 0.5, |t| (1.0 - 0.5 * t - t * t).max(0.0), Some(0.78));
        check(1.0, 1.0, |t| (1.0 - t + 0.1 * t * t).max(0.0), Some(1.127));
        check(1.0, 1.0, |t| 1.0 - t + t * t, None);
    }
}
