//! Pyramids, prisms, frusta and chamfers for oracles: profiles that are turned about z with some number of sides.

use crate::cases::Random;
use kansho_geom::glam::DVec3;
use kansho_geom::{Mesh, Pose, mesh};
use std::f64::consts::TAU;
use std::sync::Arc;

/// What is turned on a lathe: radius and height, from a point on the axis to another, the body on the left (from low to high: outside of the
/// axis). `turn` is where the first corner is.
pub(crate) fn turned(profile: &[[f64; 2]], sides: usize, turn: f64) -> Arc<Mesh> {
    let at = |[r, z]: [f64; 2], k: usize| {
        let (sin, cos) = (TAU * (k % sides) as f64 / sides as f64 + turn).sin_cos();
        DVec3::new(r * cos, r * sin, z)
    };
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let mut add = |t: [DVec3; 3]| {
        let first = points.len() as u32;
        points.extend(t);
        triangles.push([first, first + 1, first + 2]);
    };
    for two in profile.windows(2) {
        for k in 0..sides {
            let [a, b] = [at(two[0], k), at(two[0], k + 1)];
            let [c, d] = [at(two[1], k), at(two[1], k + 1)];
            if two[0][0] > 0.0 {
                add([a, b, d]);
            }
            if two[1][0] > 0.0 {
                add([a, d, c]);
            }
        }
    }
    Arc::new(mesh::weld(&points, &triangles, 0.0).expect("a mesh").mesh)
}

/// The outline of a body, from its lowest point on the axis to the highest.
pub(crate) fn outline(random: &mut Random) -> Vec<[f64; 2]> {
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let r = between(0.3, 1.0);
    // Low ones too: their faces turn by so little that they may be taken for something round.
    let h = between(0.3, 1.5) * if between(0.0, 1.0) < 0.5 { 1.0 } else { between(0.05, 0.4) };
    let part = between(0.2, 0.8);
    let narrow = between(0.3, 0.95);
    let top = h + between(0.2, 1.0);
    match (between(0.0, 7.0)) as usize {
        0 => vec![[0.0, 0.0], [r, h], [0.0, h]],
        1 => vec![[0.0, 0.0], [r, 0.0], [r, h], [0.0, h]],
        2 => vec![[0.0, 0.0], [r * narrow, 0.0], [r, h], [0.0, h]],
        3 => vec![[0.0, 0.0], [r * narrow, 0.0], [r, part * h], [r, top], [0.0, top]],
        4 => vec![[0.0, 0.0], [r, h], [r, top], [0.0, top]],
        5 => vec![[0.0, 0.0], [r, part * h], [0.0, h]],
        _ => vec![[0.0, 0.0], [r * narrow * 0.5, part * h * 0.3], [r, h], [r, top], [0.0, top]],
    }
}

/// A block with a pit of the lower part of an outline, its mouth at the height of the widest place or below.
pub(crate) fn pit(outline: &[[f64; 2]], sides: usize, turn: f64, random: &mut Random) -> Arc<Mesh> {
    let widest = outline.iter().map(|p| p[0]).fold(0.0, f64::max);
    let end = outline.iter().position(|p| p[0] == widest).expect("a widest place");
    let mut profile: Vec<[f64; 2]> = outline[..=end].to_vec();
    let count = profile.len();
    // The mouth may be lower than where the outline ends.
    if random.unit() < 0.5 && profile[count - 1][1] > profile[count - 2][1] {
        let t = 0.3 + 0.6 * random.unit();
        let [p, q] = [profile[count - 2], profile[count - 1]];
        profile[count - 1] = [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
    }
    let mouth = profile[count - 1];
    let (outside, bottom) = (1.5 * widest, outline[0][1] - 0.5);
    if mouth[1] <= outline[0][1] + 1e-3 {
        profile = vec![outline[0]];
    }
    let height = profile[profile.len() - 1][1];
    profile.extend([[outside, height], [outside, bottom], [0.0, bottom]]);
    profile.reverse();
    turned(&profile, sides, turn)
}

/// The same mesh elsewhere.
pub(crate) fn moved(mesh: &Mesh, pose: Pose) -> Arc<Mesh> {
    let points: Vec<DVec3> = mesh.vertices().iter().map(|&p| pose * p).collect();
    Arc::new(mesh::weld(&points, mesh.triangles(), 0.0).expect("a mesh").mesh)
}

/// A plate whose top is at zero.
pub(crate) fn plate(half: f64) -> Arc<Mesh> {
    let r = half * 2f64.sqrt();
    turned(&[[0.0, -1.0], [r, -1.0], [r, 0.0], [0.0, 0.0]], 4, TAU / 8.0)
}

pub(crate) fn any_direction(random: &mut Random) -> DVec3 {
    loop {
        let d = DVec3::new(random.signed(), random.signed(), random.signed());
        if d.length() > 0.1 && d.length() <= 1.0 {
            return d.normalize();
        }
    }
}

/// The turn that brings a direction to another.
pub(crate) fn bring(from: DVec3, to: DVec3) -> Pose {
    let axis = from.cross(to);
    if axis.length() < 1e-12 {
        let across = from.any_orthonormal_vector();
        return if from.dot(to) > 0.0 { Pose::IDENTITY } else { Pose::turn(across, TAU / 2.0) };
    }
    Pose::turn(axis.normalize(), axis.length().atan2(from.dot(to)))
}
