//! How far apart are two bodies at an instant, when their placements need not be rigid?

use super::body::{Body, Part};
use super::separate::{best_direction, clear_at};
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Affine;
use kansho_geom::tree::Scratch;
use kansho_geom::triangle::{self, Feature};

/// The least distance of two surfaces at an instant and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// The distance; zero if and only if they touch, for corners placed in double precision.
    pub distance: f64,
    /// What it may be off by, for everything is rounded.
    pub rounding: f64,
    /// The closest points in the world.
    pub points: [DVec3; 2],
    /// The triangles that they lie on, numbered as in the meshes.
    pub triangles: [u32; 2],
    /// The feature of each on which they were found.
    pub features: [Feature; 2],
    /// Whether one lies in the other; then the distance is that of the surfaces.
    pub inside: bool,
}

impl Gap {
    /// Whether the bodies have a common point.
    #[must_use]
    pub fn overlap(&self) -> bool {
        self.inside || self.distance == 0.0
    }

    /// A bound below the distance of the bodies.
    #[must_use]
    pub fn at_least(&self) -> f64 {
        if self.overlap() { 0.0 } else { (self.distance - self.rounding).max(0.0) }
    }
}

/// The least distance of two bodies.
#[must_use]
pub fn gap(a: &Body, b: &Body, world_from_a: &Affine, world_from_b: &Affine, scratch: &mut Scratch) -> Gap {
    let mut found = surfaces(a, b, world_from_a, world_from_b);
    found.inside = found.distance > 0.0 && inside(a, b, world_from_a, world_from_b, scratch);
    found
}

/// Whether a piece of one lies inside the other, of two whose surfaces do not touch.
pub(super) fn inside(
    a: &Body,
    b: &Body,
    world_from_a: &Affine,
    world_from_b: &Affine,
    scratch: &mut Scratch,
) -> bool {
    let mut holds = |outer: &Body, world_from_outer: &Affine, inner: &Body, world_from_inner: &Affine| {
        inner.tree().piece_corners().any(|corner| {
            let there = world_from_outer.back(*world_from_inner * corner);
            // A placement that is flat has no inside.
            there.is_some_and(|there| outer.tree().holds(there, scratch))
        })
    };
    holds(a, world_from_a, b, world_from_b) || holds(b, world_from_b, a, world_from_a)
}

/// The least distance of the surfaces, nearest boxes first.
///
/// The direction that keeps two boxes farthest apart bounds their distance from below, if it is right for the boxes as placed: so
/// heights along it are measured on them.
fn surfaces(a: &Body, b: &Body, world_from_a: &Affine, world_from_b: &Affine) -> Gap {
    let reach = |placed: &Affine, body: &Body| {
        let ball = body.ball();
        placed.stretch() * (ball.centre().length() + ball.radius()) + placed.shift.length()
    };
    let rounding = 64.0 * f64::EPSILON * (reach(world_from_a, a) + reach(world_from_b, b));
    let mut best: Option<Gap> = None;
    let mut open = vec![(0.0, a.root(), b.root())];
    let place = |placed: &Affine, body: &Body, k: u32| body.corners(k).map(|p| *placed * p);
    while let Some((bound, part_a, part_b)) = open.pop() {
        if best.is_some_and(|best| bound > best.distance + 2.0 * rounding) {
            continue;
        }
        if let (Part::Triangle(i), Part::Triangle(j)) = (part_a, part_b) {
            let closest = triangle::closest(&place(world_from_a, a, i), &place(world_from_b, b, j));
            let distance = closest.distance_sq.sqrt();
            let triangles = [a.order()[i as usize], b.order()[j as usize]];
            let rank = (distance, triangles);
            if best.is_none_or(|best| rank < (best.distance, best.triangles)) {
                let (points, features) = (closest.points, closest.features);
                best = Some(Gap { distance, rounding, points, triangles, features, inside: false });
            }
            if distance == 0.0 {
                break; // Nothing is nearer.
            }
            continue;
        }
        let first = open.len();
        let open_a = match (part_a, part_b) {
            (Part::Triangle(_), _) => false,
            (_, Part::Triangle(_)) => true,
            _ => a.bounds(part_a).radius >= b.bounds(part_b).radius,
        };
        let bound_of = |part_a: Part, part_b: Part| {
            let (_, n) = best_direction(a.bounds(part_a), world_from_a, b.bounds(part_b), world_from_b);
            clear_at((a, part_a, world_from_a), (b, part_b, world_from_b), n)
        };
        if open_a {
            open.extend(a.parts(part_a).map(|part| (bound_of(part, part_b), part, part_b)));
        } else {
            open.extend(b.parts(part_b).map(|part| (bound_of(part_a, part), part_a, part)));
        }
        // The nearest last, so that it is taken first.
        open[first..].sort_unstable_by(|x, y| y.0.total_cmp(&x.0));
    }
    best.expect("both have triangles")
}
