//! Pairs of kinds. Every pair is asked in one order; the other way round is swapped.

use super::core::Round;
use super::face::{Least, least_on_triangle};
use super::pair::closest;
use super::plane::Plane;
use super::{Asked, Gap, Kind, Meeting, On, Solid};
use crate::bounds::Aabb;
use crate::pose::Pose;
use crate::tolerance;
use crate::tree::{self, Around, Scratch, Tree};
use crate::triangle::{Feature, Triangle};
use glam::DVec3;

/// The gap between the surface of a mesh, or the solid of a formula, and another; if it is below what is asked. Not positive
/// where they overlap, and then both points are a common one.
pub(super) fn surfaces(
    a: &Solid,
    b: &Solid,
    a_from_b: Pose,
    asked: &Asked,
    scratch: &mut Scratch,
) -> Option<Gap> {
    match (&a.kind, &b.kind) {
        (Kind::Mesh(a), Kind::Mesh(b)) if asked.enough <= 0.0 => {
            // Only that they touch is asked; `distance` tells where.
            tree::hit(a, b, a_from_b, scratch).map(|_| Gap::common(DVec3::NAN, [On::Surface; 2]))
        }
        (Kind::Mesh(a), Kind::Mesh(b)) => meshes(a, b, a_from_b, asked.below, scratch),
        (Kind::Mesh(a), Kind::Round(b)) => mesh_and_round(a, b, a_from_b, asked, scratch),
        (Kind::Mesh(a), Kind::Plane(b)) => mesh_and_plane(a, &b.placed(a_from_b), asked, scratch),
        (Kind::Round(a), Kind::Round(b)) if a.core.rank() <= b.core.rank() => {
            rounds(a, b, a_from_b.inverse(), asked).map(|gap| gap.placed(a_from_b))
        }
        (Kind::Round(a), Kind::Plane(b)) => round_and_plane(a, &b.placed(a_from_b), asked),
        (Kind::Plane(a), Kind::Plane(b)) => planes(a, &b.placed(a_from_b), asked),
        _ => surfaces(b, a, a_from_b.inverse(), asked, scratch).map(|gap| gap.swapped(a_from_b)),
    }
}

/// Whether one lies inside the other, where nothing was found on the surfaces, and a common point.
pub(super) fn contained(
    a: &Solid,
    b: &Solid,
    a_from_b: Pose,
    scratch: &mut Scratch,
) -> Option<(Meeting, DVec3)> {
    match (&a.kind, &b.kind) {
        (Kind::Mesh(a), Kind::Mesh(b)) => {
            let (meeting, point) = tree::inside(a, b, a_from_b, scratch)?;
            let second = meeting == tree::Meeting::SecondInside;
            Some((if second { Meeting::SecondInside } else { Meeting::FirstInside }, point))
        }
        // No triangle has a point in the formula, so its middle tells of all of it.
        (Kind::Mesh(a), Kind::Round(_)) => {
            let middle = a_from_b.translation();
            a.encloses(middle, scratch).then_some((Meeting::SecondInside, middle))
        }
        (Kind::Round(_), Kind::Mesh(b)) => b
            .encloses(a_from_b.inverse().translation(), scratch)
            .then_some((Meeting::FirstInside, DVec3::ZERO)),
        _ => None, // Formulas are solid: what lies inside has no gap.
    }
}

/// How two bodies overlap for which `surfaces` found a gap within the band.
pub(super) fn overlap(a: &Solid, b: &Solid, a_from_b: Pose, band: f64, scratch: &mut Scratch) -> Meeting {
    let first_inside = match (&a.kind, &b.kind) {
        (Kind::Mesh(tree), Kind::Round(b)) => {
            let aabb = a.aabb.expect("a mesh is bounded");
            mesh_in_round(tree, &aabb, b, a_from_b, band, scratch)
        }
        (Kind::Mesh(a), Kind::Plane(b)) => {
            let up = b.placed(a_from_b).turned();
            a.lowest(up.normal, up.offset, band.next_up(), band, scratch).is_none()
        }
        (Kind::Round(a), Kind::Round(b)) => {
            if a.encloses(b, |p| a_from_b * p, band) {
                return Meeting::SecondInside;
            }
            let b_from_a = a_from_b.inverse();
            b.encloses(a, |p| b_from_a * p, band)
        }
        (Kind::Round(a), Kind::Plane(b)) => b.placed(a_from_b).turned().lowest(a).1 > band,
        (Kind::Plane(a), Kind::Plane(b)) => {
            let b = b.placed(a_from_b);
            if a.normal == b.normal && b.offset < a.offset - band {
                return Meeting::SecondInside;
            }
            a.normal == b.normal && a.offset < b.offset - band
        }
        (Kind::Mesh(_), Kind::Mesh(_)) => false,
        _ => {
            return match overlap(b, a, a_from_b.inverse(), band, scratch) {
                Meeting::FirstInside => Meeting::SecondInside,
                Meeting::SecondInside => Meeting::FirstInside,
                same => same,
            };
        }
    };
    if first_inside { Meeting::FirstInside } else { Meeting::Touch }
}

pub(super) fn meshes(a: &Tree, b: &Tree, a_from_b: Pose, below: f64, scratch: &mut Scratch) -> Option<Gap> {
    let found = tree::distance(a, b, a_from_b, below, scratch)?;
    let on = |k: usize| On::Triangle { index: found.triangles[k], feature: found.closest.features[k] };
    Some(Gap { gap: found.gap(), points: found.closest.points, on: [on(0), on(1)] })
}

fn around(round: &Round, tree_from_it: Pose) -> Around<impl Fn(DVec3) -> (f64, DVec3)> {
    let nearest = |p: DVec3| {
        let near = round.core.nearest(p);
        (near.distance, near.away)
    };
    Around { tree_from_it, half: round.core.half_extents(), radius: round.radius, nearest }
}

fn mesh_and_round(
    tree: &Tree,
    round: &Round,
    tree_from_round: Pose,
    asked: &Asked,
    scratch: &mut Scratch,
) -> Option<Gap> {
    let round_from_tree = tree_from_round.inverse();
    let mut best: Option<(u32, Least)> = None;
    let mut limit = asked.below;
    let mut show = |index: u32, triangle: &Triangle| {
        let triangle = triangle.map(|p| round_from_tree * p);
        // The order in which triangles are shown hangs on single precision, and so on the processor. Of those that are as near, as two at
        // one edge are, the first in the mesh counts; so what is as near must not be cut off by rounding.
        let cut = (limit + round.radius) * (1.0 + tolerance::ROUND);
        if let Some(least) = least_on_triangle(&round.core, &triangle, cut) {
            let gap = least.near.distance - round.radius;
            if gap < limit || (gap == limit && best.is_some_and(|(known, _)| index < known)) {
                limit = gap;
                best = Some((index, least));
            }
        }
        // Nothing is nearer than what touches.
        if limit <= asked.enough || limit <= 0.0 { f64::NEG_INFINITY } else { limit }
    };
    tree.near(&around(round, tree_from_round), asked.below, scratch, &mut show);
    let (index, least) = best?;
    let on = [On::Triangle { index, feature: least.feature }, On::Surface];
    let point = tree_from_round * least.point;
    let gap = least.near.distance - round.radius;
    if gap <= 0.0 {
        return Some(Gap { gap, points: [point; 2], on });
    }
    let on_round = tree_from_round * (least.near.point + least.near.away * round.radius);
    Some(Gap { gap, points: [point, on_round], on })
}

/// Whether all triangles of a mesh that are not apart from a round body lie inside it.
fn mesh_in_round(
    tree: &Tree,
    aabb: &Aabb,
    round: &Round,
    tree_from_round: Pose,
    band: f64,
    scratch: &mut Scratch,
) -> bool {
    let round_from_tree = tree_from_round.inverse();
    let corner = |i: u8| {
        let pick = |axis: usize| if i >> axis & 1 == 0 { aabb.min()[axis] } else { aabb.max()[axis] };
        round_from_tree * DVec3::new(pick(0), pick(1), pick(2))
    };
    if (0..8).all(|i| round.depth(corner(i)) > band) {
        return true;
    }
    // A connected piece that is deep somewhere and not everywhere passes through the surface.
    if tree.is_one_piece() {
        return tree.mesh().vertices().iter().all(|&p| round.depth(round_from_tree * p) > band);
    }
    let mut inside = true;
    let mut show = |_: u32, triangle: &Triangle| {
        let triangle = triangle.map(|p| round_from_tree * p);
        // The depth is concave: three deep corners are a deep triangle.
        if !triangle.iter().all(|&p| round.depth(p) > band) {
            let least = least_on_triangle(&round.core, &triangle, band + round.radius);
            if least.is_some_and(|least| least.near.distance - round.radius <= band) {
                inside = false;
                return f64::NEG_INFINITY;
            }
        }
        band
    };
    tree.near(&around(round, tree_from_round), band, scratch, &mut show);
    inside
}

fn mesh_and_plane(tree: &Tree, plane: &Plane, asked: &Asked, scratch: &mut Scratch) -> Option<Gap> {
    let enough = asked.enough.max(0.0);
    let found = tree.lowest(plane.normal, plane.offset, asked.below, enough, scratch)?;
    let on = [On::Triangle { index: found.triangle, feature: Feature::Corner(found.corner) }, On::Surface];
    let foot = if found.height > 0.0 { plane.foot(found.point) } else { found.point };
    Some(Gap { gap: found.height, points: [found.point, foot], on })
}

/// Answers in the frame of the second.
fn rounds(one: &Round, other: &Round, other_from_one: Pose, asked: &Asked) -> Option<Gap> {
    let radii = one.radius + other.radius;
    let apart = other_from_one.translation().length() - one.reach() - other.reach();
    if apart > asked.below + 1e-12 * (one.reach() + other.reach()) {
        return None;
    }
    let found = closest(&one.core, &other.core, other_from_one, asked.below + radii)?;
    let gap = found.distance - radii;
    if !(gap < asked.below) {
        return None;
    }
    let [on_one, on_other] = found.points;
    let on = [On::Surface; 2];
    if gap <= 0.0 {
        let common = on_other + found.away * other.radius.min(found.distance);
        return Some(Gap { gap, points: [common; 2], on });
    }
    let points = [on_one - found.away * one.radius, on_other + found.away * other.radius];
    Some(Gap { gap, points, on })
}

fn round_and_plane(round: &Round, plane: &Plane, asked: &Asked) -> Option<Gap> {
    let (point, height) = plane.lowest(round);
    let foot = if height > 0.0 { plane.foot(point) } else { point };
    (height < asked.below).then_some(Gap { gap: height, points: [point, foot], on: [On::Surface; 2] })
}

fn planes(a: &Plane, b: &Plane, asked: &Asked) -> Option<Gap> {
    let on = [On::Surface; 2];
    match a.gap(b) {
        Some(gap) => {
            let points = [a.normal * a.offset, b.normal * b.offset];
            (gap < asked.below).then_some(Gap { gap, points, on })
        }
        None => Some(Gap::common(a.common(b), on)),
    }
}

impl Gap {
    fn placed(self, a_from_b: Pose) -> Self {
        Self { points: self.points.map(|p| a_from_b * p), ..self }
    }
}
