//! Is a certificate of two moving bodies true? A few lines that share nothing with the search but the motions.
//!
//! Every region of the division is looked at with the corners of its triangles, one by one, and bodies inside one another are told
//! by solid angles. Where rounding is more than the gap, heights are multiplied out exactly: no polynomial is solved here.

use crate::heights;
use crate::inside::{closed_or_not, closed_pieces, winding};
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Course, Motion, Near, Span, together};

/// Why two bodies never touch: a division of all pairs of triangles and all times into regions, and a direction for each.
///
/// It is read from the front, one common piece of the motions after the other. A region is a range of triangles of each body (in the
/// given orders) and a span of time; the first of a piece is everything. A step says what to do with the region at hand: divide
/// it, and go on with its parts in order, or why it is free. So whatever the steps are, nothing is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodiesCertificate {
    /// The triangles of both bodies in the orders whose ranges are divided.
    pub orders: [Vec<u32>; 2],
    /// What the gap is more than, at all times.
    pub clearance: f64,
    /// The steps of each common piece of the two motions.
    pub pieces: Vec<Vec<BodiesStep>>,
}

/// What to do with a region.
#[derive(Clone, Debug, PartialEq)]
pub enum BodiesStep {
    /// Halve the time: first the early half, then the late one.
    Time,
    /// Divide the triangles of the first body at these places in its order.
    First(Vec<u32>),
    /// Divide those of the second.
    Second(Vec<u32>),
    /// It is free: all of the second body's triangles stay beyond all of the first's along a direction that turns from one vector
    /// to the other, linear in time. Neither is longer than about 1, nor is one of them much shorter.
    Free {
        /// At the start of the span.
        start: DVec3,
        /// At its end.
        end: DVec3,
    },
}

/// What a certificate proves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerifiedBodies {
    /// The gap is more than this at all times, in metres.
    pub clearance: f64,
    /// Regions with a direction that were checked.
    pub regions: usize,
    /// Those of them for which whole numbers were needed.
    pub exact: usize,
}

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum RefusedBodies {
    /// An order does not name every triangle of a body once.
    Order(usize),
    /// The clearance is negative or no number.
    Clearance(f64),
    /// There are not as many lists of steps as common pieces of the motions.
    Pieces {
        /// What is given.
        given: usize,
        /// What is needed.
        needed: usize,
    },
    /// A step is missing, or there are more than are needed.
    Length {
        /// The piece.
        piece: usize,
    },
    /// A step makes no sense, or its region is not free as it says.
    Step {
        /// The piece.
        piece: usize,
        /// The step in it.
        step: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// One body, or a piece of it, lies inside the other.
    Inside,
}

impl std::fmt::Display for RefusedBodies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Order(body) => {
                write!(f, "the order of body {} does not name every triangle once", ["A", "B"][body % 2])
            }
            Self::Clearance(c) => write!(f, "a clearance of {c} is no length"),
            Self::Pieces { given, needed } => {
                write!(f, "{given} lists of steps for {needed} pieces of the motions")
            }
            Self::Length { piece } => write!(f, "the steps of piece {piece} are too few or too many"),
            Self::Step { piece, step, why } => write!(f, "step {step} of piece {piece}: {why}"),
            Self::Inside => write!(f, "one body lies inside the other at the start"),
        }
    }
}

/// A range of triangles of each body and a span.
#[derive(Clone, Copy)]
struct Region {
    ranges: [[usize; 2]; 2],
    span: Span,
}

/// Re-checks a certificate.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify_bodies(
    meshes: [&Mesh; 2],
    motions: [&Motion; 2],
    certificate: &BodiesCertificate,
) -> Result<VerifiedBodies, RefusedBodies> {
    for (k, mesh) in meshes.iter().enumerate() {
        let mut seen = certificate.orders[k].clone();
        seen.sort_unstable();
        if seen.len() != mesh.triangles().len() || !seen.iter().zip(0..).all(|(&id, place)| id == place) {
            return Err(RefusedBodies::Order(k));
        }
    }
    if !(certificate.clearance >= 0.0) || certificate.clearance.is_infinite() {
        return Err(RefusedBodies::Clearance(certificate.clearance));
    }
    let corners: [Vec<[DVec3; 3]>; 2] = [0, 1].map(|k: usize| {
        let mesh = meshes[k];
        let corners = |&id: &u32| mesh.triangles()[id as usize].map(|v| mesh.vertices()[v as usize]);
        certificate.orders[k].iter().map(corners).collect()
    });
    let pieces = together(motions[0], motions[1]);
    if pieces.len() != certificate.pieces.len() {
        return Err(RefusedBodies::Pieces { given: certificate.pieces.len(), needed: pieces.len() });
    }
    let mut verified = VerifiedBodies { clearance: certificate.clearance, regions: 0, exact: 0 };
    for (piece, (steps, (_, both))) in certificate.pieces.iter().zip(&pieces).enumerate() {
        let mut open =
            vec![Region { ranges: [[0, corners[0].len()], [0, corners[1].len()]], span: Span::WHOLE }];
        let mut steps = steps.iter().enumerate();
        while let Some(region) = open.pop() {
            let Some((number, step)) = steps.next() else {
                return Err(RefusedBodies::Length { piece });
            };
            let wrong = |why: &'static str| RefusedBodies::Step { piece, step: number, why };
            let part = |k: usize| &corners[k][region.ranges[k][0]..region.ranges[k][1]];
            match step {
                BodiesStep::Time => {
                    let [early, late] = region.span.halves();
                    if !(early.length() > 0.0 && late.length() > 0.0) {
                        return Err(wrong("the span is too short to be halved"));
                    }
                    open.push(Region { span: late, ..region });
                    open.push(Region { span: early, ..region });
                }
                BodiesStep::First(cuts) | BodiesStep::Second(cuts) => {
                    let k = usize::from(matches!(step, BodiesStep::Second(_)));
                    let [first, end] = region.ranges[k];
                    let mut places = vec![first];
                    places.extend(cuts.iter().map(|&cut| cut as usize));
                    places.push(end);
                    if cuts.is_empty() || !places.windows(2).all(|pair| pair[0] < pair[1]) {
                        return Err(wrong("the triangles are not divided"));
                    }
                    for pair in places.windows(2).rev() {
                        let mut ranges = region.ranges;
                        ranges[k] = [pair[0], pair[1]];
                        open.push(Region { ranges, ..region });
                    }
                }
                BodiesStep::Free { start, end } => {
                    // Products with shorter ones might vanish, and so would what they are off by.
                    if !(start.length().max(end.length()) > 0.5 && start.length().max(end.length()) < 2.0) {
                        return Err(wrong("a direction is about a metre long"));
                    }
                    let near = [both[0].within(region.span), both[1].within(region.span)];
                    let (parts, directions) = ([part(0), part(1)], [*start, *end]);
                    let gap = least_height(parts, &near, directions);
                    verified.regions += 1;
                    if gap > certificate.clearance * (1.0 + 8.0 * f64::EPSILON) {
                        continue;
                    }
                    // Within rounding of a contact. Motions that are cubics are the same to the last digit for all.
                    let is_apart = match (both[0].controls(), both[1].controls()) {
                        (Some(a), Some(b)) if certificate.clearance == 0.0 => {
                            heights::positive(parts, [&a, &b], region.span, directions)
                        }
                        _ => false,
                    };
                    if !is_apart {
                        return Err(wrong("the direction does not keep them apart"));
                    }
                    verified.exact += 1;
                }
            }
        }
        if steps.next().is_some() {
            return Err(RefusedBodies::Length { piece });
        }
    }
    // Surfaces never meet: what is outside at the start stays outside.
    let placed = [0, 1].map(|k: usize| motions[k].at(0.0));
    for (outer, inner) in [(0, 1), (1, 0)] {
        let closed = closed_pieces(meshes[outer]);
        let mut corners = closed_or_not(meshes[inner]).into_iter();
        if corners.any(|corner| {
            let there = placed[outer].back(placed[inner] * corner);
            there.is_none_or(|there| winding(&closed, there).abs() > 0.5)
        }) {
            return Err(RefusedBodies::Inside);
        }
    }
    Ok(verified)
}

/// What the second's points are above the first's along a direction at least, through the span, with everything that may be off
/// taken off; divided by the length that the direction has at most.
///
/// Heights along a direction `n0 + s (n1 − n0)` of points on a cubic are of degree four; between their coefficients in Bernstein's
/// form.
fn least_height(parts: [&[[DVec3; 3]]; 2], near: &[Near; 2], [n0, n1]: [DVec3; 2]) -> f64 {
    let longest = n0.length().max(n1.length()) * (1.0 + 4.0 * f64::EPSILON);
    let directions = [n0 / longest, n1 / longest];
    // Per coefficient the lowest or highest point, and the most that any of them may be off.
    let extreme = |k: usize, sign: f64| {
        let mut least = [f64::INFINITY; 5];
        let mut off: f64 = 0.0;
        for &p in parts[k].iter().flatten() {
            let controls = near[k].controls.map(|control| control * p);
            for (j, least) in least.iter_mut().enumerate() {
                let early = if j < 4 { n0.dot(controls[j]) * (4 - j) as f64 } else { 0.0 };
                let late = if j > 0 { n1.dot(controls[j - 1]) * j as f64 } else { 0.0 };
                let height = sign * (early + late) * 0.25;
                // Not `min`, which would let NaN pass.
                if !(height >= *least) {
                    *least = height;
                }
            }
            off = off.max(near[k].slack.along(p, 0.0, directions));
        }
        (least, off)
    };
    let ((low, off_b), (minus_high, off_a)) = (extreme(1, 1.0), extreme(0, -1.0));
    let mut gap = f64::INFINITY;
    for j in 0..5 {
        let here = low[j] + minus_high[j];
        if !(here >= gap) {
            gap = here;
        }
    }
    gap / longest - off_a - off_b
}
