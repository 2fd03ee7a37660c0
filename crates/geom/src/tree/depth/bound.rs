//! How deep can a part of a triangle be in a body?

use super::cover::{Plane, below, covers};
use super::game::{MOST, Table};
use crate::tree::faces::{distance_to, faces_within, nearest_face};
use crate::tree::inside::contains;
use crate::tree::{Scratch, Tree};
use glam::DVec3;

/// Most faces near a triangle for which it is cut at their planes: of more, the parts of it have fewer.
const MOST_NEAR: usize = 32;

/// A point and what is known about it.
#[derive(Clone, Copy)]
pub(super) struct Probe {
    pub(super) point: DVec3,
    /// Distance to the surface of the body, and the face where it is.
    pub(super) distance: f64,
    pub(super) face: u32,
    /// Whether the body contains it, once that was asked.
    pub(super) inside: Option<bool>,
}

/// The body in which something is.
pub(super) struct Target<'a> {
    pub(super) tree: &'a Tree,
    /// What coordinates may be off by.
    pub(super) rounding: f64,
    /// How far from a plane triangles still count as parts of one flat face.
    pub(super) flat: f64,
    pub(super) scratch: &'a mut Scratch,
    /// Memory for the faces near a triangle.
    pub(super) near: &'a mut Vec<u32>,
}

impl Target<'_> {
    /// Measures a point. `likely` is any face: the search is short if it is near.
    pub(super) fn probe(&mut self, point: DVec3, likely: u32) -> Probe {
        let nearest = nearest_face(self.tree, point, likely, self.scratch);
        Probe { point, distance: nearest.distance, face: nearest.face, inside: None }
    }

    /// Whether the body contains a point, exactly; none on its surface.
    pub(super) fn is_inside(&mut self, probe: &mut Probe) -> Option<bool> {
        if probe.inside.is_none() {
            probe.inside = contains(self.tree, probe.point, self.scratch);
        }
        probe.inside
    }
}

/// What is known about a triangle.
pub(super) struct Bound {
    /// No point of it that is inside is deeper.
    pub(super) at_most: f64,
    /// Whether it is wholly inside.
    pub(super) inside: bool,
    /// Where it may be deepest.
    pub(super) likely: Vec<Probe>,
}

/// Bounds the depth of a triangle. Less care is taken where it is not deeper than `floor`.
///
/// If `p` is inside, its depth is at most its distance to any face, and so at most any mixture of distances to several. That
/// is a convex function of `p`: over what is left of the triangle it is largest at a corner. The best mixture is found as in a
/// game against the corners. The mixture of corners that holds best against it is a point: where that point is nearer to
/// another face, this face joins the game.
pub(super) fn bound(target: &mut Target, corners: &mut [Probe; 3], mut inside: bool, floor: f64) -> Bound {
    let middle = (corners[0].point + corners[1].point + corners[2].point) / 3.0;
    let radius = corners.iter().map(|c| c.point.distance(middle)).fold(0.0, f64::max);
    let mut centre = target.probe(middle, corners[0].face);
    centre.inside = inside.then_some(true);
    // No face comes near: one point tells for all.
    if !inside && centre.distance > radius + target.rounding {
        match target.is_inside(&mut centre) {
            Some(false) => return Bound { at_most: 0.0, inside: false, likely: Vec::new() },
            Some(true) => inside = true,
            None => {}
        }
    }
    let mut faces = Vec::with_capacity(MOST);
    for probe in corners.iter().chain([&centre]) {
        if !faces.contains(&probe.face) {
            faces.push(probe.face);
        }
    }
    let mut hull: Vec<DVec3> = corners.iter().map(|c| c.point).collect();
    if !inside {
        cut_off_outside(target, corners, middle, radius, &mut hull);
    }
    let mut likely = vec![centre];
    let at_most = deepest(target, &hull, &mut faces, inside, floor, &mut likely);
    Bound { at_most, inside, likely }
}

/// The most that the least distance to some faces can be over the hull of some points, at most [`MOST`].
fn deepest(
    target: &mut Target,
    hull: &[DVec3],
    faces: &mut Vec<u32>,
    inside: bool,
    floor: f64,
    likely: &mut Vec<Probe>,
) -> f64 {
    if hull.is_empty() {
        return 0.0;
    }
    let mut table = Table { numbers: [[0.0; MOST]; MOST], rows: hull.len(), columns: 0 };
    let mut flattened = false;
    loop {
        for (j, &face) in faces.iter().enumerate().skip(table.columns) {
            for (i, &corner) in hull.iter().enumerate() {
                table.numbers[i][j] = distance_to(target.tree, corner, face);
            }
        }
        table.columns = faces.len();
        let answer = table.play();
        if !(answer.bound > floor) {
            return answer.bound;
        }
        let at: DVec3 = hull.iter().zip(answer.weights).map(|(&corner, weight)| corner * weight).sum();
        let mut probe = target.probe(at, faces[0]);
        probe.inside = inside.then_some(true);
        let (face, gain) = (probe.face, answer.bound - probe.distance);
        likely.push(probe);
        if !faces.contains(&face) && faces.len() < MOST {
            faces.push(face);
        } else if gain > target.flat && !flattened {
            flattened = true; // Once: all faces are tried.
            if !flatten(target, hull, faces, &mut table) {
                return answer.bound;
            }
        } else {
            return answer.bound;
        }
    }
}

/// Replaces distances to triangles by distances to the flat face that they are part of, wherever this covers all; false if
/// nowhere.
///
/// A triangle of a flat face is far from what lies over its neighbour, and no mixture makes up for that.
fn flatten(target: &mut Target, hull: &[DVec3], faces: &[u32], table: &mut Table) -> bool {
    let tree = target.tree;
    let mut some = false;
    for (j, &face) in faces.iter().enumerate() {
        let Some(plane) = Plane::of(tree.triangle(face)) else {
            continue;
        };
        let beside = |&other: &u32| {
            other != face && tree.triangle(other).iter().all(|&p| plane.height(p).abs() <= target.flat)
        };
        if !faces.iter().any(beside) {
            continue;
        }
        let feet: Vec<DVec3> = hull.iter().map(|&p| plane.foot(p)).collect();
        let middle = feet.iter().sum::<DVec3>() / feet.len() as f64;
        let radius = feet.iter().map(|p| p.distance(middle)).fold(0.0, f64::max) + target.rounding;
        if !faces_within(tree, middle, radius, MOST_NEAR, target.scratch, target.near) {
            continue;
        }
        let triangles = target.near.iter().map(|&id| tree.triangle(id));
        if covers(triangles, &plane, feet, target.flat) {
            for (i, &corner) in hull.iter().enumerate() {
                let over = plane.height(corner).abs() + 2.0 * target.flat;
                table.numbers[i][j] = table.numbers[i][j].min(over);
            }
            some = true;
        }
    }
    some
}

/// Cuts off what is known to be outside, beyond the planes of faces near the triangle.
///
/// If no face near the triangle reaches beyond a plane, what of the triangle does is cut by no face. It is one piece, and one
/// of its points, a corner of the triangle, tells on which side of the surface all of it is. Without this, a surface that just
/// touches the body, or just enters it, would have to be cut up all along the line where it does.
fn cut_off_outside(
    target: &mut Target,
    corners: &mut [Probe; 3],
    middle: DVec3,
    radius: f64,
    hull: &mut Vec<DVec3>,
) {
    let mut near = std::mem::take(target.near);
    let wide = radius + target.rounding;
    if faces_within(target.tree, middle, wide, MOST_NEAR, target.scratch, &mut near) {
        for &face in &near {
            let Some(plane) = Plane::of(target.tree.triangle(face)) else {
                continue;
            };
            let height = |p: DVec3| plane.height(p);
            // Whatever the plane, it is right to cut at it if all faces are seen to stay below it.
            let level = 2.0 * target.rounding;
            let cuts = hull.iter().any(|&p| height(p) > level);
            let stays = |&face: &u32| target.tree.triangle(face).iter().all(|&p| height(p) <= 0.5 * level);
            if !(cuts && near.iter().all(stays)) {
                continue;
            }
            let Some(beyond) = corners.iter_mut().find(|corner| height(corner.point) > level) else {
                continue;
            };
            if target.is_inside(beyond) == Some(false) {
                let kept = below(hull, |p| height(p) - level);
                if kept.len() <= MOST {
                    *hull = kept;
                }
            }
        }
    }
    *target.near = near;
}
