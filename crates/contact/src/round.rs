//! Cylinders and spheres that meshes stand for.
//!
//! Many narrow faces that turn by a little from one to the next, all of whose corners lie on one cylinder or sphere, are that
//! cylinder or sphere. Taken as flat they would have edges that are not there, and a round peg in a round hole with other
//! facets would overlap it.

use crate::linear::{least_squares, singular};
use crate::part::Part;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::polyhedron::Bend;
use std::f64::consts::TAU;

/// Most that the surface turns, in radians, from one face to the next of something round: fourteen sides have less.
const MOST_TURN: f64 = 0.46;

/// Least number of faces of something round.
const LEAST_FACES: usize = 5;

/// Corners may lie this many times the noise from the cylinder or sphere: their own noise, and that of the fit.
const FIT_BY_NOISE: f64 = 4.0;

/// A face that is not flat.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// What it is.
    pub kind: Kind,
    /// Its radius.
    pub radius: f64,
    /// Whether the body is outside of it, as at a hole.
    pub hollow: bool,
    /// How far the middles of its flat faces are from it.
    pub sag: f64,
    /// Its flat faces.
    pub(crate) faces: Vec<u32>,
    /// Of a sphere, the directions from its centre to the corners of each of them, in turn.
    pub(crate) fans: Vec<Vec<DVec3>>,
}

/// A direction counts as one of a face up to this sine beyond its sides: rounding.
const BESIDE: f64 = 1e-9;

/// Kinds of round faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A cylinder.
    Cylinder {
        /// The ends of its axis.
        ends: [DVec3; 2],
        /// The middle of the arc that it covers, a unit vector across the axis, and half of the arc in radians; none if it
        /// goes all the way round.
        arc: Option<(DVec3, f64)>,
    },
    /// A sphere.
    Sphere {
        /// Its centre.
        centre: DVec3,
    },
}

impl Round {
    pub(crate) fn placed(&self, pose: Pose) -> Self {
        let kind = match self.kind {
            Kind::Cylinder { ends, arc } => Kind::Cylinder {
                ends: ends.map(|p| pose * p),
                arc: arc.map(|(m, half)| (pose.rotate(m), half)),
            },
            Kind::Sphere { centre } => Kind::Sphere { centre: pose * centre },
        };
        let fans = self.fans.iter().map(|fan| fan.iter().map(|&d| pose.rotate(d)).collect()).collect();
        Self { kind, fans, ..self.clone() }
    }

    /// Whether there is some of it in a direction, a unit vector: from the centre of a sphere, or across the axis of a cylinder.
    pub(crate) fn is_there(&self, direction: DVec3) -> bool {
        match self.kind {
            Kind::Cylinder { arc, .. } => {
                arc.is_none_or(|(middle, half)| direction.angle_between(middle) <= half + BESIDE)
            }
            Kind::Sphere { .. } => self.fans.iter().any(|fan| {
                let next = fan.iter().cycle().skip(1);
                let sides = fan.iter().zip(next).map(|(a, b)| a.cross(*b).normalize_or_zero().dot(direction));
                let (low, high) =
                    sides.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
                // On the same side of all, and not opposite.
                (low >= -BESIDE || high <= BESIDE) && fan.iter().any(|d| d.dot(direction) > 0.0)
            }),
        }
    }

    /// The directions in which two spheres of the same centre and radius lie on each other: those of the one that is wholly within the
    /// other. None if neither is.
    pub(crate) fn common(&self, other: &Self) -> Option<Vec<DVec3>> {
        let within = |one: &Self, of: &Self| one.fans.iter().flatten().all(|&d| of.is_there(d));
        let of = [(self, other), (other, self)].into_iter().find(|(one, of)| within(one, of))?.0;
        let mut all: Vec<DVec3> = of.fans.iter().flatten().copied().collect();
        all.sort_by(|a, b| a.to_array().partial_cmp(&b.to_array()).unwrap_or(std::cmp::Ordering::Equal));
        all.dedup();
        Some(all)
    }
}

/// Finds what is round in a part.
pub(crate) fn recognise(part: &Part) -> Vec<Round> {
    let mut beside: Vec<Vec<(u32, Bend)>> = vec![Vec::new(); part.faces.len()];
    for edge in &part.edges {
        let [a, b] = edge.faces;
        let turn = part.faces[a as usize].normal.angle_between(part.faces[b as usize].normal);
        if a != b && turn <= MOST_TURN {
            beside[a as usize].push((b, edge.bend));
            beside[b as usize].push((a, edge.bend));
        }
    }
    let mut seen = vec![false; part.faces.len()];
    let mut rounds = Vec::new();
    for start in 0..part.faces.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut group = vec![start as u32];
        let mut bends: Vec<Bend> = Vec::new();
        let mut next = 0;
        while let Some(&f) = group.get(next) {
            next += 1;
            for &(other, bend) in &beside[f as usize] {
                bends.push(bend);
                if !seen[other as usize] {
                    seen[other as usize] = true;
                    group.push(other);
                }
            }
        }
        let (convex, concave) = (bends.contains(&Bend::Convex), bends.contains(&Bend::Concave));
        if group.len() >= LEAST_FACES && convex != concave {
            group.sort_unstable();
            rounds.extend(cylinder(part, &group, concave).or_else(|| sphere(part, &group, concave)));
        }
    }
    rounds
}

fn corners(part: &Part, group: &[u32]) -> Vec<DVec3> {
    let mut list: Vec<u32> =
        group.iter().flat_map(|&f| part.faces[f as usize].loops.iter().flatten().copied()).collect();
    list.sort_unstable();
    list.dedup();
    list.into_iter().map(|c| part.at(c)).collect()
}

fn cylinder(part: &Part, group: &[u32], hollow: bool) -> Option<Round> {
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
    // The ends, and how far round it goes.
    let heights = points.iter().map(|&p| axis.dot(p - centre));
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
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

fn sphere(part: &Part, group: &[u32], hollow: bool) -> Option<Round> {
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
