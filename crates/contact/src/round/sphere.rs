//! Spheres among the facets of a mesh.

use super::{FIT_BY_NOISE, Kind, Round, corners};
use crate::linear::least_squares;
use crate::part::Part;
use kansho_geom::glam::DVec3;

/// How far a corner of a facet may be from the facet's normal, in radians as seen from the centre: half of the diagonal of a square facet, to whose neighbours the
/// surface turns by the most that it may.
pub(crate) const MOST_WIDE: f64 = 0.33;

/// Least number of facets: a cap of two rings with six meridians has them.
pub(crate) const LEAST_FACETS: usize = 12;

/// Heights that differ by less than this fraction of all are those of one plane. Of three rings of a sphere, with equal angles between
/// them, two differ by a quarter at least.
const SAME_HEIGHT: f64 = 0.05;

pub(super) fn fit(part: &Part, group: &[u32], hollow: bool) -> Option<Round> {
    let points = corners(part, group);
    let middle: DVec3 = points.iter().copied().sum::<DVec3>() / points.len() as f64;
    let columns: Vec<Vec<f64>> = (0..4)
        .map(|i| points.iter().map(|&p| if i < 3 { 2.0 * (p - middle)[i] } else { 1.0 }).collect())
        .collect();
    let squares: Vec<f64> = points.iter().map(|&p| (p - middle).length_squared()).collect();
    let found = least_squares(&columns, &[0, 1, 2, 3], &squares)?;
    let by = DVec3::new(found[0], found[1], found[2]);
    let radius = (found[3] + by.length_squared()).max(0.0).sqrt();
    let centre = middle + by;
    if !points.iter().all(|p| (p.distance(centre) - radius).abs() <= FIT_BY_NOISE * part.noise) {
        return None;
    }
    let sign = if hollow { -1.0 } else { 1.0 };
    let faces_out = |&f: &u32| {
        let facet = &part.faces[f as usize];
        let out = facet.normal * sign;
        let least = MOST_WIDE.cos() * radius;
        facet.loops.iter().flatten().all(|&c| out.dot(part.at(c) - centre) >= least)
    };
    if group.len() < LEAST_FACETS || !group.iter().all(faces_out) || are_in_two_planes(&points) {
        return None;
    }
    // The middle of a face is nearest to the centre.
    let sag = group
        .iter()
        .map(|&f| &part.faces[f as usize])
        .map(|f| radius - (f.normal.dot(centre) - f.offset).abs())
        .fold(0.0, f64::max);
    let fan = |&f: &u32| -> Vec<DVec3> {
        let outer = part.faces[f as usize].loops.first().into_iter().flatten();
        outer.map(|&c| (part.at(c) - centre).normalize_or_zero()).collect()
    };
    let fans = group.iter().map(fan).collect();
    Some(Round { kind: Kind::Sphere { centre }, radius, hollow, sag, faces: group.to_vec(), fans })
}

/// Whether all points of a sphere lie in two parallel planes, or in one but for one point: so do those of every cone.
///
/// Of five points three lie in the same of two planes, so the planes through three of any five are all there is to try. Points that
/// are far from each other make the planes sure.
fn are_in_two_planes(points: &[DVec3]) -> bool {
    let mut five: Vec<DVec3> = points.first().copied().into_iter().collect();
    while five.len() < 5 {
        let apart = |p: &DVec3| five.iter().map(|q| q.distance(*p)).fold(f64::INFINITY, f64::min);
        let Some(&next) = points.iter().max_by(|p, q| apart(p).total_cmp(&apart(q))) else { return true };
        five.push(next);
    }
    let heights_are_two = |normal: DVec3| {
        let heights = points.iter().map(|p| p.dot(normal));
        let (low, high) =
            heights.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        heights.clone().all(|h| (h - low).min(high - h) <= SAME_HEIGHT * (high - low))
    };
    (0..5).any(|i| {
        (i + 1..5).any(|j| {
            (j + 1..5).any(|k| {
                let across = (five[j] - five[i]).cross(five[k] - five[i]);
                across.try_normalize().is_some_and(heights_are_two)
            })
        })
    })
}
