//! Cylinders among the facets of a mesh.

use super::{FIT_BY_NOISE, Kind, MOST_TURN, Round, corners};
use crate::linear::{least_squares, singular};
use crate::part::Part;
use kansho_geom::glam::DVec3;
use std::f64::consts::TAU;

/// A normal may be this far from across the axis, as a sine: corners of the two ends that are not over each other make facets lean.
const MOST_LEAN: f64 = 0.1;

pub(super) fn fit(part: &Part, group: &[u32], hollow: bool) -> Option<Round> {
    let normals: Vec<[f64; 3]> = group.iter().map(|&f| part.faces[f as usize].normal.to_array()).collect();
    let values = singular(&normals);
    let count = (group.len() as f64).sqrt();
    if values[2].0 > 0.1 * count || values[1].0 < 0.1 * count {
        return None;
    }
    let points = corners(part, group);
    let middle: DVec3 = points.iter().copied().sum::<DVec3>() / points.len() as f64;
    let mut axis = DVec3::from_array(values[2].1).try_normalize()?;
    let (mut u, mut v) = axis.any_orthonormal_pair();
    // A circle through the shadows: x² + y² = 2ax + 2by + c.
    let flat: Vec<[f64; 2]> = points.iter().map(|&p| [u.dot(p - middle), v.dot(p - middle)]).collect();
    let columns: Vec<Vec<f64>> = vec![
        flat.iter().map(|p| 2.0 * p[0]).collect(),
        flat.iter().map(|p| 2.0 * p[1]).collect(),
        vec![1.0; flat.len()],
    ];
    let squares: Vec<f64> = flat.iter().map(|p| p[0] * p[0] + p[1] * p[1]).collect();
    let found = least_squares(&columns, &[0, 1, 2], &squares)?;
    let mut centre = middle + u * found[0] + v * found[1];
    let mut radius = (found[2] + found[0] * found[0] + found[1] * found[1]).max(0.0).sqrt();
    // Then axis and all, by Gauss and Newton.
    for _ in 0..6 {
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 5];
        let mut off = Vec::with_capacity(points.len());
        for &p in &points {
            let q = p - centre;
            let across = q - axis * axis.dot(q);
            let distance = across.length();
            let e = across / distance.max(f64::MIN_POSITIVE);
            let height = axis.dot(q);
            let line = [-e.dot(u), -e.dot(v), -height * e.dot(u), -height * e.dot(v), -1.0];
            columns.iter_mut().zip(line).for_each(|(c, x)| c.push(x));
            off.push(radius - distance);
        }
        let step = least_squares(&columns, &[0, 1, 2, 3, 4], &off)?;
        centre += u * step[0] + v * step[1];
        axis = (axis + u * step[2] + v * step[3]).try_normalize()?;
        radius += step[4];
        (u, v) = axis.any_orthonormal_pair();
    }
    let limit = FIT_BY_NOISE * part.noise;
    let off = |p: DVec3| ((p - centre).reject_from_normalized(axis).length() - radius).abs();
    if !(radius > 0.0 && points.iter().all(|&p| off(p) <= limit)) {
        return None;
    }
    if group.iter().any(|&f| part.faces[f as usize].normal.dot(axis).abs() > MOST_LEAN) {
        return None;
    }
    // The ends, and how far round it goes. Cut askew, it does not reach from end to end all the way round.
    let heights = points.iter().map(|&p| axis.dot(p - centre));
    let (low, high) =
        heights.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let at_an_end = |h: f64| (h - low).min(high - h) <= 2.0 * limit;
    if !heights.clone().all(at_an_end) || !(high - low > 4.0 * limit) {
        return None;
    }
    let mut turns: Vec<f64> = points.iter().map(|&p| v.dot(p - centre).atan2(u.dot(p - centre))).collect();
    turns.sort_by(f64::total_cmp);
    turns.dedup_by(|a, b| (*a - *b).abs() <= 4.0 * limit / radius);
    let gaps: Vec<(f64, f64)> = (0..turns.len())
        .map(|i| {
            let next = if i + 1 < turns.len() { turns[i + 1] } else { turns[0] + TAU };
            (next - turns[i], turns[i])
        })
        .collect();
    let widest = gaps.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (arc, step) = if widest.0 <= MOST_TURN {
        (None, widest.0)
    } else {
        let half = 0.5 * (TAU - widest.0);
        let at = widest.1 + widest.0 + half;
        let others = gaps.iter().map(|g| g.0).filter(|g| *g < widest.0).fold(0.0, f64::max);
        (Some((u * at.cos() + v * at.sin(), half)), others)
    };
    let ends = [centre + axis * low, centre + axis * high];
    let sag = radius * (1.0 - (0.5 * step).cos());
    Some(Round {
        kind: Kind::Cylinder { ends, arc },
        radius,
        hollow,
        sag,
        faces: group.to_vec(),
        fans: Vec::new(),
    })
}
