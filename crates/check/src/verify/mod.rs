//! Is a certificate of two moving bodies true? A few lines that share nothing with the search but the motions.
//!
//! Every region of the division is looked at with the corners of its triangles, one by one, and bodies inside one another are told
//! by solid angles. Where rounding is more than the gap, heights are multiplied out exactly: no polynomial is solved here.

pub(crate) mod heights;
pub mod motion;
pub mod route;

use crate::moving::{Certificate, Step};
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use kansho_geom::motion::{Course, Motion, Near, Span, together};

/// What a certificate proves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verified {
    /// The gap is more than this at all times, in metres.
    pub clearance: f64,
    /// Regions with a direction that were checked.
    pub regions: usize,
    /// Those of them for which whole numbers were needed.
    pub exact: usize,
}

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Refused {
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

impl std::fmt::Display for Refused {
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
pub fn verify(
    meshes: [&Mesh; 2],
    motions: [&Motion; 2],
    certificate: &Certificate,
) -> Result<Verified, Refused> {
    for (k, mesh) in meshes.iter().enumerate() {
        let mut seen = certificate.orders[k].clone();
        seen.sort_unstable();
        if seen.len() != mesh.triangles().len() || !seen.iter().zip(0..).all(|(&id, place)| id == place) {
            return Err(Refused::Order(k));
        }
    }
    if !(certificate.clearance >= 0.0) || certificate.clearance.is_infinite() {
        return Err(Refused::Clearance(certificate.clearance));
    }
    let corners: [Vec<[DVec3; 3]>; 2] = [0, 1].map(|k: usize| {
        let mesh = meshes[k];
        let corners = |&id: &u32| mesh.triangles()[id as usize].map(|v| mesh.vertices()[v as usize]);
        certificate.orders[k].iter().map(corners).collect()
    });
    let pieces = together(motions[0], motions[1]);
    if pieces.len() != certificate.pieces.len() {
        return Err(Refused::Pieces { given: certificate.pieces.len(), needed: pieces.len() });
    }
    let mut verified = Verified { clearance: certificate.clearance, regions: 0, exact: 0 };
    for (piece, (steps, (_, both))) in certificate.pieces.iter().zip(&pieces).enumerate() {
        let mut open =
            vec![Region { ranges: [[0, corners[0].len()], [0, corners[1].len()]], span: Span::WHOLE }];
        let mut steps = steps.iter().enumerate();
        while let Some(region) = open.pop() {
            let Some((number, step)) = steps.next() else {
                return Err(Refused::Length { piece });
            };
            let wrong = |why: &'static str| Refused::Step { piece, step: number, why };
            let part = |k: usize| &corners[k][region.ranges[k][0]..region.ranges[k][1]];
            match step {
                Step::Time => {
                    let [early, late] = region.span.halves();
                    if !(early.length() > 0.0 && late.length() > 0.0) {
                        return Err(wrong("the span is too short to be halved"));
                    }
                    open.push(Region { span: late, ..region });
                    open.push(Region { span: early, ..region });
                }
                Step::First(cuts) | Step::Second(cuts) => {
                    let k = usize::from(matches!(step, Step::Second(_)));
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
                Step::Free { start, end } => {
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
            return Err(Refused::Length { piece });
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
            return Err(Refused::Inside);
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

/// For each triangle the first triangle that it is joined to by common corners.
fn joined(mesh: &Mesh) -> Vec<usize> {
    let mut owner: Vec<usize> = (0..mesh.vertices().len()).collect();
    fn root(owner: &mut [usize], mut k: usize) -> usize {
        while owner[k] != k {
            owner[k] = owner[owner[k]];
            k = owner[k];
        }
        k
    }
    for [a, b, c] in mesh.triangles() {
        for (x, y) in [(a, b), (b, c)] {
            let (x, y) = (root(&mut owner, *x as usize), root(&mut owner, *y as usize));
            owner[x.max(y)] = x.min(y);
        }
    }
    mesh.triangles().iter().map(|t| root(&mut owner, t[0] as usize)).collect()
}

/// A corner of each connected piece.
pub(crate) fn closed_or_not(mesh: &Mesh) -> Vec<DVec3> {
    let mut roots = joined(mesh);
    roots.sort_unstable();
    roots.dedup();
    roots.into_iter().map(|vertex| mesh.vertices()[vertex]).collect()
}

/// The triangles of the pieces that are closed: every side is run along as often one way as the other.
pub(crate) fn closed_pieces(mesh: &Mesh) -> Vec<[DVec3; 3]> {
    let roots = joined(mesh);
    let mut balance: std::collections::BTreeMap<(u32, u32), (i64, usize)> = std::collections::BTreeMap::new();
    for ([a, b, c], &root) in mesh.triangles().iter().zip(&roots) {
        for (x, y) in [(a, b), (b, c), (c, a)] {
            let entry = balance.entry((*x.min(y), *x.max(y))).or_insert((0, root));
            entry.0 += if x < y { 1 } else { -1 };
        }
    }
    let open: std::collections::BTreeSet<usize> =
        balance.values().filter(|(sum, _)| *sum != 0).map(|(_, root)| *root).collect();
    mesh.corners().zip(&roots).filter(|(_, root)| !open.contains(root)).map(|(corners, _)| corners).collect()
}

/// How often closed surfaces wind around a point: the sum of the solid angles of their triangles (Van Oosterom and Strackee 1983).
pub(crate) fn winding(triangles: &[[DVec3; 3]], p: DVec3) -> f64 {
    let angle = |t: &[DVec3; 3]| {
        let [a, b, c] = t.map(|corner| corner - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let over = a.dot(b.cross(c));
        let under = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * over.atan2(under)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}
