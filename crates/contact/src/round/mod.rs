//! Cylinders, cones and spheres that meshes stand for.
//!
//! Taken as flat, the facets of a round face would have edges that are not there, and a round peg in a round hole with other
//! facets would overlap it. But what is taken for round and is not gets wrong freedoms, which is worse. So all of this must hold:
//!
//! | of | corners | facets | shape |
//! |---|---|---|---|
//! | all | within `FIT_BY_NOISE` times the noise of the surface | neighbours turn by at most `MOST_TURN`, all of them convex or all concave | connected |
//! | cylinder | at one of its two ends | normals across the axis | at least `LEAST_FACES` facets; an arc or all the way round |
//! | cone | at one of its two ends, or at the apex | normals as the cone has them, within `cone::MOST_OFF` | all the way round, in steps of at most `MOST_TURN` about the axis: fourteen sides or more |
//! | sphere | not all in two parallel planes | every corner of a facet, seen from the centre, within `sphere::MOST_WIDE` of the facet's normal | at least `sphere::LEAST_FACETS` facets |
//!
//! The last two rules tell cones from spheres: an apex and a circle about the same axis, or two such circles, always lie on a sphere, too, whatever the
//! number of sides. All else stays the polyhedron that it is: pyramids, prisms and frusta of up to thirteen sides, whatever is cut askew, fillets.

pub(crate) mod cone;
mod cylinder;
mod sphere;

use crate::part::Part;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::polyhedron::Bend;

/// Most that the surface turns, in radians, from one face to the next of something round: fourteen sides have less.
const MOST_TURN: f64 = 0.46;

/// Least number of faces of something round.
const LEAST_FACES: usize = 5;

/// Corners may lie this many times the noise from a round surface: their own noise, and that of the fit.
const FIT_BY_NOISE: f64 = 4.0;

/// A face that is not flat.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// What it is.
    pub kind: Kind,
    /// Its radius; of a cone that of the wider end.
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
    /// A cone, all the way round.
    Cone {
        /// Where it comes to a point, or would.
        apex: DVec3,
        /// From there to where it is wider, a unit vector.
        axis: DVec3,
        /// The angle between the axis and the surface, in radians.
        half_angle: f64,
        /// Where it begins and ends: distances from the apex along the axis.
        from_to: [f64; 2],
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
            Kind::Cone { apex, axis, half_angle, from_to } => {
                Kind::Cone { apex: pose * apex, axis: pose.rotate(axis), half_angle, from_to }
            }
            Kind::Sphere { centre } => Kind::Sphere { centre: pose * centre },
        };
        let fans = self.fans.iter().map(|fan| fan.iter().map(|&d| pose.rotate(d)).collect()).collect();
        Self { kind, fans, ..self.clone() }
    }

    /// Whether there is some of it in a direction, a unit vector: from the centre of a sphere, or across the axis of a cylinder or a cone.
    pub(crate) fn is_there(&self, direction: DVec3) -> bool {
        match self.kind {
            Kind::Cylinder { arc, .. } => {
                arc.is_none_or(|(middle, half)| direction.angle_between(middle) <= half + BESIDE)
            }
            Kind::Cone { .. } => true,
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
            rounds.extend(
                cylinder::fit(part, &group, concave)
                    .or_else(|| cone::fit(part, &group, concave))
                    .or_else(|| sphere::fit(part, &group, concave)),
            );
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
