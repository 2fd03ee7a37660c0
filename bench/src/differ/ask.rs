//! Questions in families: two shapes pushed together until they just touch, and then a little more or less; a robot between a
//! posture that is free and one that is not.

use super::bodies::{FAR, Item, Robot};
use super::random::Random;
use kansho::cell::Limits;
use kansho::check::scene::{Scene, Workspace};
use kansho::geom::Pose;
use kansho::geom::glam::DVec3;
use kansho::geom::solid::{self, Meeting};
use kansho::geom::tree::Scratch;

/// Questions of one family.
pub(crate) const FAMILY: usize = 64;

/// Poses of `b` in the frame of `a` that are often nearly touching.
pub(crate) fn poses(a: &Item, b: &Item, far: bool, random: &mut Random, scratch: &mut Scratch) -> Vec<Pose> {
    let size = a.radius + b.radius;
    let turn = random.rotation();
    let point = |item: &Item, random: &mut Random| {
        item.solid.tree().filter(|_| random.below(3) > 0).map_or(item.middle, |tree| {
            let vertices = tree.mesh().vertices();
            vertices[random.below(vertices.len())]
        })
    };
    let (in_a, in_b) = (point(a, random), point(b, random));
    let mut away = random.direction();
    if let Some(kansho::geom::primitive::Shape::HalfSpace { normal, .. }) = a.round() {
        away = (normal + 0.5 * away).normalize();
    }
    let at = |s: f64| {
        let shift = in_a - turn * in_b + away * s;
        Pose::from_quat(turn, shift).expect("a rotation")
    };
    let mut meets = |s: f64| solid::meet(&a.solid, &b.solid, at(s), scratch) != Meeting::Apart;
    let anywhere = |random: &mut Random| {
        let centre = if far { FAR } else { a.middle };
        let pose = random.pose(DVec3::ZERO);
        let shift = centre - pose * b.middle + random.direction() * (size * random.between(0.0, 1.2));
        Pose::from_translation(shift) * pose
    };
    let start = [0.0, -0.05, 0.05].map(|share| share * size).into_iter().find(|&s| meets(s));
    let (Some(mut low), mut high) = (start, 2.2 * size) else {
        return (0..FAMILY).map(|_| anywhere(random)).collect();
    };
    if meets(high) {
        return (0..FAMILY).map(|_| anywhere(random)).collect();
    }
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        *if meets(middle) { &mut low } else { &mut high } = middle;
    }
    (0..FAMILY)
        .map(|k| {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            match k {
                0 => at(low),
                1 => at(high),
                2..7 => at(low + sign * size * 10f64.powf(random.between(-16.0, -6.0))),
                7..29 => at(low + sign * size * 10f64.powf(random.between(-6.0, -1.0))),
                _ => anywhere(random),
            }
        })
        .collect()
}

/// A posture within limits.
pub(crate) fn posture(scene: &Scene, random: &mut Random) -> Vec<f64> {
    let range = |limits: Option<Limits>| limits.unwrap_or(Limits { lower: -3.0, upper: 3.0 });
    let coordinates = scene.cell().coordinates();
    coordinates.iter().map(|c| range(c.limits)).map(|l| random.between(l.lower, l.upper)).collect()
}

pub(crate) fn between(p: &[f64], q: &[f64], u: f64) -> Vec<f64> {
    p.iter().zip(q).map(|(x, y)| x + (y - x) * u).collect()
}

/// Postures that are often nearly touching.
pub(crate) fn postures(robot: &Robot, random: &mut Random, workspace: &mut Workspace) -> Vec<Vec<f64>> {
    let scene = &robot.plain;
    let from = posture(scene, random);
    let first = scene.touches(&from, workspace);
    let other = (0..12).map(|_| posture(scene, random)).find(|to| scene.touches(to, workspace) != first);
    let Some(to) = other else {
        return (0..FAMILY).map(|_| posture(scene, random)).collect();
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        *if scene.touches(&between(&from, &to, middle), workspace) == first { &mut low } else { &mut high } =
            middle;
    }
    (0..FAMILY)
        .map(|k| {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            match k {
                0 => between(&from, &to, low),
                1 => between(&from, &to, high),
                2..6 => between(
                    &from,
                    &to,
                    (low + sign * 10f64.powf(random.between(-16.0, -6.0))).clamp(0.0, 1.0),
                ),
                6..24 => {
                    between(&from, &to, (low + sign * 10f64.powf(random.between(-6.0, -1.0))).clamp(0.0, 1.0))
                }
                _ => posture(scene, random),
            }
        })
        .collect()
}
