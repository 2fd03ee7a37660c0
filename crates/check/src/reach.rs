//! How far can bodies move when joints do? Bounds from the chains of joints between them.
//!
//! Of two bodies, let `c` be the last frame that carries both. A joint `k` between `c` and one of them moves its points, seen from
//! `c`, by no more than its own movement times their distance from its axis. So when all joints move, the gap of the two changes by no
//! more than
//!
//! ```text
//! Σ movement(k) · reach(k)    over the joints from c to either body
//! ```
//!
//! where `reach(k)` is the largest distance from the axis over all postures (1 where the joint slides). It too is a sum: a ball
//! around the body is turned about the axes in between, whatever their angles, and shifted along the slides over their whole range.

use kansho_cell::{BodyId, Cell, FrameId, Geometry, JointKind};
use kansho_geom::glam::DVec3;
use std::collections::BTreeSet;

/// A joint that moves a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moved {
    /// The number of its coordinate in a posture, or of the first of several.
    pub(crate) first: usize,
    by: By,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Turn { per_radian: f64 },
    Slide { per_metre: f64 },
    Plane { reach: f64 },
    Space { reach: f64 },
}

impl Moved {
    /// How far it moves points of the body at most, when its coordinates move by so much; or how fast, at such speeds.
    pub(crate) fn travel(&self, of: impl Fn(usize) -> f64) -> f64 {
        let of = |k: usize| of(self.first + k).abs();
        match self.by {
            By::Turn { per_radian } => product(of(0), per_radian),
            By::Slide { per_metre } => of(0) * per_metre,
            By::Plane { reach } => of(0).hypot(of(1)) + product(of(2), reach),
            By::Space { reach } => {
                DVec3::new(of(0), of(1), of(2)).length() + product(of(3) + of(4) + of(5), reach)
            }
        }
    }

    /// The coordinates that it has.
    pub(crate) fn coordinates(&self) -> std::ops::Range<usize> {
        let count = match self.by {
            By::Turn { .. } | By::Slide { .. } => 1,
            By::Plane { .. } => 3,
            By::Space { .. } => 6,
        };
        self.first..self.first + count
    }

    /// For each of its coordinates, how far points of the body get when it moves by one.
    pub(crate) fn per_unit(&self) -> impl Iterator<Item = (usize, f64)> {
        let weights = match self.by {
            By::Turn { per_radian } => [per_radian, 0.0, 0.0, 0.0, 0.0, 0.0],
            By::Slide { per_metre } => [per_metre, 0.0, 0.0, 0.0, 0.0, 0.0],
            By::Plane { reach } => [1.0, 1.0, reach, 0.0, 0.0, 0.0],
            By::Space { reach } => [1.0, 1.0, 1.0, reach, reach, reach],
        };
        self.coordinates().zip(weights)
    }
}

/// What does not reach out is not moved, however fast.
fn product(rate: f64, reach: f64) -> f64 {
    if reach == 0.0 { 0.0 } else { rate * reach }
}

/// The way from some bodies of one frame to the world: after each frame, the joints passed so far.
#[derive(Clone, Debug)]
pub(crate) struct Climb {
    /// The frames, and how many joints were passed below each.
    frames: Vec<(FrameId, usize)>,
    moved: Vec<Moved>,
}

impl Climb {
    /// The joints between two groups of bodies.
    pub(crate) fn between(a: &Self, b: &Self) -> Vec<Moved> {
        // The first frame of one that the other reaches too. Both end at the world.
        let meet = a.frames.iter().find_map(|of_a| {
            let of_b = b.frames.iter().find(|of_b| of_b.0 == of_a.0)?;
            Some([&a.moved[..of_a.1], &b.moved[..of_b.1]].concat())
        });
        meet.expect("every frame hangs on the world")
    }
}

/// From the frame of some bodies to the world. Coordinates whose range it leans on are added to `ranged`.
pub(crate) fn climb(cell: &Cell, bodies: &[BodyId], ranged: &mut BTreeSet<usize>) -> Climb {
    let mut extent = Extent::Points(Vec::new());
    let mut frame = FrameId::WORLD;
    for body in bodies {
        let body = cell.body(*body);
        let in_frame = cell.in_frame(body.carrier);
        frame = in_frame.frame;
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
                        let corner = DVec3::new(
                            side(x, low.x, high.x),
                            side(y, low.y, high.y),
                            side(z, low.z, high.z),
                        );
                        frame_from_piece * corner
                    }));
                }
                _ => extent = Extent::EVERYWHERE,
            }
        }
    }
    let mut climb = Climb { frames: vec![(frame, 0)], moved: Vec::new() };
    while let Some(joint) = cell.frame_joint(frame) {
        let first = joint.first;
        match joint.kind {
            // It follows another, and does not.
            _ if joint.multiplier == 0.0 => {
                extent = extent.moved(|point| joint.kind.joint_from_child(&[joint.offset]) * point);
            }
            JointKind::Fixed => {}
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                let per_radian = joint.multiplier.abs() * extent.reach_across(axis);
                climb.moved.push(Moved { first, by: By::Turn { per_radian } });
                extent = extent.turned(axis);
            }
            JointKind::Prismatic { axis } => {
                climb.moved.push(Moved { first, by: By::Slide { per_metre: joint.multiplier.abs() } });
                extent = match cell.coordinates()[first].limits {
                    Some(limits) => {
                        ranged.insert(first);
                        let [from, to] =
                            [limits.lower, limits.upper].map(|q| joint.multiplier * q + joint.offset);
                        extent.slid(axis, from, to)
                    }
                    None => Extent::EVERYWHERE,
                };
            }
            JointKind::Planar { normal } => {
                climb.moved.push(Moved { first, by: By::Plane { reach: extent.reach_across(normal) } });
                extent = Extent::EVERYWHERE;
            }
            JointKind::Floating => {
                climb.moved.push(Moved { first, by: By::Space { reach: extent.reach_around() } });
                extent = Extent::EVERYWHERE;
            }
        }
        extent = extent.moved(|point| joint.parent_from_joint * point);
        frame = joint.parent;
        climb.frames.push((frame, climb.moved.len()));
    }
    climb
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
