//! Cones among the facets of a mesh: countersinks, drill points, chamfers, tapers.

use super::{FIT_BY_NOISE, Kind, MOST_TURN, Round, corners};
use crate::linear::{least_squares, singular};
use crate::part::Part;
use kansho_geom::glam::DVec3;
use std::f64::consts::{FRAC_PI_2, TAU};

/// How far the normal of a facet may be from that of the cone in its middle, in radians. A facet between two generators of a cone with
/// fourteen sides is off by 0.013; one whose corners at the two ends are not over each other is off by more.
pub(crate) const MOST_OFF: f64 = 0.1;

/// Half angles nearer than this to zero or a right angle are those of cylinders and planes.
const LEAST_SLANT: f64 = 1e-3;

/// A corner this near to the axis, as a fraction of the widest radius, is the apex: it tells where the axis is, too.
const NEAR_APEX: f64 = 1e-3;

/// A cone while it is fitted: the distance of a point from it is `cos θ · (distance from the axis) − sin θ · (height over the apex)`.
#[derive(Clone, Copy)]
struct Fitted {
    apex: DVec3,
    axis: DVec3,
    half_angle: f64,
}

impl Fitted {
    fn place(&self, p: DVec3) -> (f64, DVec3) {
        let from = p - self.apex;
        let height = self.axis.dot(from);
        (height, from - self.axis * height)
    }

    /// How far a point is from it; near the apex from that, for there the surface has no direction.
    fn off(&self, p: DVec3, near_apex: f64) -> f64 {
        let (height, across) = self.place(p);
        if across.length() <= near_apex {
            return p.distance(self.apex);
        }
        let (sin, cos) = self.half_angle.sin_cos();
        cos * across.length() - sin * height
    }
}

pub(super) fn fit(part: &Part, group: &[u32], hollow: bool) -> Option<Round> {
    let points = corners(part, group);
    let limit = FIT_BY_NOISE * part.noise;
    let guess = first_guess(part, group, &points)?;
    let widest = points.iter().map(|&p| guess.place(p).1.length()).fold(0.0, f64::max);
    let near_apex = NEAR_APEX * widest;
    let cone = refined(guess, &points, near_apex)?;
    let slant = cone.half_angle > LEAST_SLANT && cone.half_angle < FRAC_PI_2 - LEAST_SLANT;
    // Not a number is not within the limit.
    if !(slant && points.iter().all(|&p| cone.off(p, near_apex).abs() <= limit)) {
        return None;
    }
    let (sin, cos) = cone.half_angle.sin_cos();
    let heights = points.iter().map(|&p| cone.place(p).0);
    let (low, high) =
        heights.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    // Along the axis a corner is known by what it is known by across the surface, over the sine.
    let within = 2.0 * limit / sin.min(cos);
    let at_an_end = |h: f64| (h - low).min(high - h) <= within;
    if !(low >= -within && high - low > 4.0 * within && heights.clone().all(at_an_end)) {
        return None;
    }
    // It comes to a point within the limit, or its narrow end has corners all the way round, as its wide end has.
    let pointed = low * sin <= limit;
    let mut step = 0.0f64;
    for (end, other) in [(low, high), (high, low)] {
        if pointed && end == low {
            continue;
        }
        let rim = points.iter().map(|&p| cone.place(p)).filter(|(h, _)| (h - end).abs() < (h - other).abs());
        step = step.max(widest_step(rim.map(|(_, across)| across), cone.axis));
    }
    if !(step <= MOST_TURN) {
        return None;
    }
    let sign = if hollow { -1.0 } else { 1.0 };
    let faces_out = |&f: &u32| {
        let facet = &part.faces[f as usize];
        let ring = facet.loops.first().map_or(&[][..], Vec::as_slice);
        let middle: DVec3 = ring.iter().map(|&c| cone.place(part.at(c)).1).sum();
        let Some(across) = middle.try_normalize() else { return false };
        facet.loops.len() == 1 && (across * cos - cone.axis * sin).dot(facet.normal * sign) >= MOST_OFF.cos()
    };
    if !group.iter().all(faces_out) {
        return None;
    }
    let radius = high * cone.half_angle.tan();
    Some(Round {
        kind: Kind::Cone {
            apex: cone.apex,
            axis: cone.axis,
            half_angle: cone.half_angle,
            from_to: [if pointed { 0.0 } else { low }, high],
        },
        radius,
        hollow,
        sag: radius * cos * (1.0 - (0.5 * step).cos()),
        faces: group.to_vec(),
        fans: Vec::new(),
    })
}

/// The widest angle between neighbours about an axis.
fn widest_step(across: impl Iterator<Item = DVec3>, axis: DVec3) -> f64 {
    let (u, v) = axis.any_orthonormal_pair();
    let mut turns: Vec<f64> = across.map(|d| v.dot(d).atan2(u.dot(d))).collect();
    turns.sort_by(f64::total_cmp);
    let last = turns.first().map_or(f64::INFINITY, |first| first + TAU);
    turns.iter().skip(1).copied().chain([last]).zip(&turns).map(|(b, a)| b - a).fold(0.0, f64::max)
}

/// The axis is across the plane of the normals' tips; squares of distances from it are taken to be linear in the height, as they are for
/// corners at two heights.
fn first_guess(part: &Part, group: &[u32], points: &[DVec3]) -> Option<Fitted> {
    let normals: Vec<DVec3> = group.iter().map(|&f| part.faces[f as usize].normal).collect();
    let mean = normals.iter().copied().sum::<DVec3>() / normals.len() as f64;
    let spread: Vec<[f64; 3]> = normals.iter().map(|&n| (n - mean).to_array()).collect();
    let mut axis = DVec3::from_array(singular(&spread)[2].1).try_normalize()?;
    let middle: DVec3 = points.iter().copied().sum::<DVec3>() / points.len() as f64;
    let (u, v) = axis.any_orthonormal_pair();
    let flat = |p: DVec3| [u.dot(p - middle), v.dot(p - middle), axis.dot(p - middle)];
    let columns: Vec<Vec<f64>> = (0..4)
        .map(|i| points.iter().map(|&p| if i < 3 { 2.0 * flat(p)[i] } else { 1.0 }).collect())
        .collect();
    let squares: Vec<f64> = points.iter().map(|&p| flat(p)).map(|[x, y, _]| x * x + y * y).collect();
    let found = least_squares(&columns, &[0, 1, 2, 3], &squares)?;
    let on_axis = middle + u * found[0] + v * found[1];
    // The line of the distances over the heights.
    let over: Vec<[f64; 2]> = points
        .iter()
        .map(|&p| [axis.dot(p - on_axis), (p - on_axis).reject_from_normalized(axis).length()])
        .collect();
    let columns: Vec<Vec<f64>> = vec![over.iter().map(|o| o[0]).collect(), vec![1.0; over.len()]];
    let distances: Vec<f64> = over.iter().map(|o| o[1]).collect();
    let line = least_squares(&columns, &[0, 1], &distances)?;
    let apex = on_axis - axis * (line[1] / line[0]);
    if line[0] < 0.0 {
        axis = -axis;
    }
    apex.is_finite().then_some(Fitted { apex, axis, half_angle: line[0].abs().atan() })
}

/// The cone nearest to points, by Gauss and Newton.
fn refined(mut cone: Fitted, points: &[DVec3], near_apex: f64) -> Option<Fitted> {
    for _ in 0..8 {
        let (u, v) = cone.axis.any_orthonormal_pair();
        let (sin, cos) = cone.half_angle.sin_cos();
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 6];
        let mut off = Vec::with_capacity(points.len());
        for &p in points {
            let (height, across) = cone.place(p);
            let distance = across.length();
            if distance <= near_apex {
                for (k, direction) in [u, v, cone.axis].into_iter().enumerate() {
                    columns.iter_mut().enumerate().for_each(|(i, c)| c.push(f64::from(u8::from(i == k))));
                    off.push(direction.dot(p - cone.apex));
                }
                continue;
            }
            let e = across / distance;
            // Moving the apex by d changes the distance by −cos e · d + sin a · d; turning the axis by x u + y v changes height by the way across,
            // and the way across by minus the height.
            let turn = |d: DVec3| -cos * height * e.dot(d) - sin * across.dot(d);
            let line =
                [-cos * e.dot(u), -cos * e.dot(v), sin, turn(u), turn(v), -sin * distance - cos * height];
            columns.iter_mut().zip(line).for_each(|(c, x)| c.push(x));
            off.push(-cone.off(p, near_apex));
        }
        let step = least_squares(&columns, &[0, 1, 2, 3, 4, 5], &off)?;
        cone.apex += u * step[0] + v * step[1] + cone.axis * step[2];
        cone.axis = (cone.axis + u * step[3] + v * step[4]).try_normalize()?;
        cone.half_angle += step[5];
    }
    cone.apex.is_finite().then_some(cone)
}
