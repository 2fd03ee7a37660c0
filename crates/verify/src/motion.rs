//! Is a certificate of a moving cell true? Shares nothing with the search but forward kinematics.
//!
//! A region is a range of triangles of each of two shapes and a span of time. Seen from the last frame that carries both, a point of a
//! shape has the height `h(t) = n · P(t) x` along a direction `n`. A cubic through four placements gives it at every instant up to
//! `max |h''''| / 1944`; the coefficients of that cubic in Bernstein's form are linear in `x`, so the least of all points of a
//! range is the least product of four vectors with its corners. The derivatives are bounded through the joints (Leibniz' rule).

use crate::inside::{closed_or_not, closed_pieces, winding};
use kansho_cell::{BodyId, Cell, Elementary, FrameId, Geometry, JointMotion, JointPiece, Placed};
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Span;
use kansho_geom::primitive::Shape;
use kansho_geom::{Ball, Pose};
use rayon::prelude::*;

/// Why a motion of a cell is free: for each piece of the motion, for each pair of bodies in the order in which the cell lists them, for
/// each shape of the first with each of the second, a division of all pairs of triangles and all times, with a direction for each region.
///
/// Steps are read from the front. A step says what to do with the region at hand: divide it, and go on with its parts in order, or
/// why it is free. So whatever the steps are, nothing is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionCertificate {
    /// The gap of each pair of bodies, in the order of [`kansho_cell::Pairs::checked`], is more than this at all times.
    pub clearances: Vec<f64>,
    /// For each shape, in the order of bodies and their pieces, its triangles in the order whose ranges are divided; empty for formulas.
    pub orders: Vec<Vec<u32>>,
    /// The steps of each piece of the motion.
    pub pieces: Vec<Vec<MotionStep>>,
}

/// What to do with a region.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionStep {
    /// Halve the time: first the early half, then the late one.
    Time,
    /// Divide the triangles of the first shape at these places in its order.
    First(Vec<u32>),
    /// Divide those of the second.
    Second(Vec<u32>),
    /// It is free: all of the second stays beyond all of the first along this direction, seen from the last frame that carries both.
    /// Beyond a half-space it is its normal, whatever stands here.
    Free(DVec3),
}

/// What a certificate proves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerifiedMotion {
    /// All gaps of bodies that move relative to each other are more than this at all times, in metres; infinite if there are none.
    /// Others are more than zero.
    pub clearance: f64,
    /// Regions that were checked.
    pub regions: usize,
}

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RefusedMotion {
    /// There are not as many clearances as pairs, or one is no length.
    #[error("the clearances are not those of the pairs of this cell")]
    Clearances,
    /// An order does not name every triangle of a shape once.
    #[error("the order of shape {0} does not name every triangle once")]
    Order(usize),
    /// The motion has another number of coordinates than the cell.
    #[error("the motion is not one of this cell")]
    Coordinates,
    /// There are not as many lists of steps as pieces of the motion.
    #[error("{given} lists of steps for {needed} pieces of the motion")]
    Pieces {
        /// What is given.
        given: usize,
        /// What is needed.
        needed: usize,
    },
    /// A step is missing, or there are more than are needed.
    #[error("the steps of piece {piece} are too few or too many")]
    Length {
        /// The piece.
        piece: usize,
    },
    /// A step makes no sense, or its region is not free as it says.
    #[error("step {step} of piece {piece} ({pair}): {why}")]
    Step {
        /// The piece.
        piece: usize,
        /// The step in it.
        step: usize,
        /// The bodies.
        pair: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A body lies inside another.
    #[error("{0}: one lies inside the other at the start")]
    Inside(String),
}

/// Whether two bodies move relative to each other. Of others only touching is asked, for no motion could do better.
#[must_use]
pub fn moves(cell: &Cell, bodies: [BodyId; 2]) -> bool {
    let [a, b] = bodies.map(|body| cell.in_frame(cell.body(body).carrier).frame);
    a != b
}

/// One shape of a cell.
pub struct Piece<'a> {
    geometry: &'a Geometry,
    body: BodyId,
    frame: FrameId,
    frame_from_piece: Pose,
    /// Around it, in its own frame; none of half-spaces.
    ball: Option<Ball>,
    /// Corners of its triangles in the order of the certificate.
    corners: Vec<[DVec3; 3]>,
}

/// All shapes of a cell, their triangles in given orders.
pub fn pieces<'a>(cell: &'a Cell, orders: &[Vec<u32>]) -> Result<Vec<Piece<'a>>, RefusedMotion> {
    let mut pieces = Vec::new();
    for (id, body) in (0..).map(BodyId).zip(cell.bodies()) {
        let place = cell.in_frame(body.carrier);
        for piece in &body.pieces {
            let number = pieces.len();
            let order = orders.get(number).map_or(&[][..], |order| order);
            let mut seen = order.to_vec();
            seen.sort_unstable();
            let count = match &piece.geometry {
                Geometry::Mesh(mesh) => mesh.triangles().len(),
                Geometry::Primitive(_) => 0,
            };
            if seen.len() != count || !seen.iter().zip(0..).all(|(&id, place)| id == place) {
                return Err(RefusedMotion::Order(number));
            }
            let (ball, corners) = match &piece.geometry {
                Geometry::Mesh(mesh) => {
                    let corners =
                        |&id: &u32| mesh.triangles()[id as usize].map(|v| mesh.vertices()[v as usize]);
                    (Some(mesh.ball()), order.iter().map(corners).collect())
                }
                Geometry::Primitive(primitive) => {
                    let around = |aabb: kansho_geom::Aabb| {
                        Ball::new(aabb.centre(), 0.5 * aabb.diagonal() * (1.0 + 1e-12))
                    };
                    (primitive.aabb().map(around), Vec::new())
                }
            };
            pieces.push(Piece {
                geometry: &piece.geometry,
                body: id,
                frame: place.frame,
                frame_from_piece: place.frame_from_link * piece.carrier_from_piece,
                ball,
                corners,
            });
        }
    }
    if orders.len() != pieces.len() {
        return Err(RefusedMotion::Order(pieces.len()));
    }
    Ok(pieces)
}

impl Piece<'_> {
    /// How many triangles it has; none if it is a formula.
    fn triangles(&self) -> usize {
        self.corners.len()
    }

    /// The least product of a vector with a point of a range.
    fn lowest(&self, m: DVec3, [first, end]: [usize; 2]) -> f64 {
        let Geometry::Primitive(primitive) = self.geometry else {
            let mut least = f64::INFINITY;
            for corner in self.corners[first..end].iter().flatten() {
                least = lower(least, corner.dot(m));
            }
            return least;
        };
        match primitive.shape() {
            // Its normal, either way, is the only direction in which it ends.
            Shape::HalfSpace { offset, .. } => -offset * m.length(),
            _ => primitive.lowest(m),
        }
    }
}

/// Two shapes, seen from the last frame that carries both.
pub struct Two<'a> {
    cell: &'a Cell,
    sides: [&'a Piece<'a>; 2],
    common: FrameId,
    /// The turns and slides from there to each.
    joints: [Vec<(FrameId, Vec<Elementary>)>; 2],
    /// Frames between the world and the farther one of the two, and one.
    depth: f64,
}

impl<'a> Two<'a> {
    /// A shape of one body and a shape of another.
    #[must_use]
    pub fn new(cell: &'a Cell, sides: [&'a Piece<'a>; 2]) -> Self {
        let up = |frame: FrameId| -> Vec<FrameId> {
            std::iter::successors(Some(frame), |frame| Some(cell.frame_joint(*frame)?.parent)).collect()
        };
        let mut paths = sides.map(|side| up(side.frame));
        let depth = 1.0 + paths.iter().map(Vec::len).max().unwrap_or(0) as f64;
        let mut common = FrameId::WORLD;
        while let [Some(a), Some(b)] = paths.each_ref().map(|path| path.last().copied())
            && a == b
        {
            common = a;
            paths.iter_mut().for_each(|path| path.truncate(path.len() - 1));
        }
        let joint = |frame: &FrameId| {
            let joint = cell.frame_joint(*frame).expect("only the world has none");
            (joint.parent, joint.elements().0)
        };
        let joints = paths.map(|path| path.iter().rev().map(joint).collect());
        Self { cell, sides, common, joints, depth }
    }

    /// What the second is beyond the first along a direction, at least, through a span of a piece of the motion; whatever may be off is
    /// taken off. Minus infinity if nothing can be said.
    #[must_use]
    pub fn beyond(&self, motion: &JointPiece, span: Span, ranges: [[usize; 2]; 2], n: DVec3) -> f64 {
        let placed: [Placed; 4] = std::array::from_fn(|k| {
            let mut posture = Vec::new();
            motion.at(span.at(k as f64 / 3.0), &mut posture);
            self.cell.place(&posture)
        });
        let poses = self.sides.map(|side| {
            placed.each_ref().map(|placed| {
                placed.world_from_frame(self.common).inverse()
                    * placed.world_from_frame(side.frame)
                    * side.frame_from_piece
            })
        });
        let mut n = n;
        let mut planes = 0;
        for (k, side) in self.sides.iter().enumerate() {
            if let Geometry::Primitive(primitive) = side.geometry
                && let Shape::HalfSpace { normal, .. } = primitive.shape()
            {
                // It must stand still, seen from the common frame; and of two, no direction is the normal of both.
                planes += 1;
                if !self.joints[k].is_empty() || planes > 1 {
                    return f64::NEG_INFINITY;
                }
                n = poses[k][0].rotate(normal) * if k == 0 { 1.0 } else { -1.0 };
            }
        }
        // By its largest coordinate first: squares of tiny ones have too few digits left for a length.
        let Some(n) = (n / n.abs().max_element()).try_normalize() else { return f64::NEG_INFINITY };
        // No longer than 1, so that heights along it are no larger than distances.
        let n = n * (1.0 - 4.0 * f64::EPSILON);
        let mut least = [0.0; 4];
        let mut off = 0.0;
        for (k, sign) in [(0, -1.0), (1, 1.0)] {
            let side = self.sides[k];
            let heights = poses[k]
                .map(|pose| (pose.rotation().transpose() * n * sign, pose.translation().dot(n) * sign));
            for (j, weights) in BERNSTEIN.iter().enumerate() {
                let sum =
                    |acc: (DVec3, f64), (w, h): (&f64, &(DVec3, f64))| (acc.0 + h.0 * *w, acc.1 + h.1 * w);
                let (m, fixed) = weights.iter().zip(&heights).fold((DVec3::ZERO, 0.0), sum);
                least[j] += side.lowest(m, ranges[k]) + fixed;
            }
            off += self.off(k, motion, span, poses[k][0]);
        }
        // Placements are taken from the world to the common frame, and round as their coordinates there do; rotations are products of
        // as many as there are joints, and their inverse is their transpose up to what those have rounded.
        let away = |placed: &Placed| {
            let of = |frame: FrameId| placed.world_from_frame(frame).translation().length();
            of(self.common) + of(self.sides[0].frame) + of(self.sides[1].frame)
        };
        off += ROUNDING * self.depth * placed.iter().map(away).fold(0.0, higher);
        least.into_iter().fold(f64::INFINITY, lower) - off
    }

    /// How far heights of a side may be from the cubics, rounding included, rounded up.
    ///
    /// What rounds, and by how much of [`ROUNDING`]; `docs/verifier.md` has the list, with a test of extreme values for each term:
    ///
    /// - coordinates of the shape and of its place: their size;
    /// - each joint between: its angle by `|multiplier q| + |offset|`, and the product of rotations by 1, both times the lever, from the
    ///   axis to the farthest point of the shape; its slide by `|multiplier q| + |offset|` metres;
    /// - `q` itself is a mixture of coefficients, and rounds as the largest of them does, however small the mixture is.
    fn off(&self, k: usize, motion: &JointPiece, span: Span, pose: Pose) -> f64 {
        let size_of = |ball: &Ball| ball.centre().length() + ball.radius();
        let own = match (self.sides[k].geometry, self.sides[k].ball) {
            (Geometry::Primitive(primitive), None) => match primitive.shape() {
                Shape::HalfSpace { offset, .. } => 1.0 + offset.abs(),
                _ => f64::INFINITY,
            },
            (_, ball) => ball.as_ref().map_or(f64::INFINITY, size_of),
        };
        let mut size = own + pose.translation().length();
        let (Some(ball), false) = (self.sides[k].ball, self.joints[k].is_empty()) else {
            return ROUNDING * size;
        };
        let mut posture = Vec::new();
        motion.at(span.middle(), &mut posture);
        let placed = self.cell.place(&posture);
        let side = self.sides[k];
        let centre = placed.world_from_frame(side.frame) * side.frame_from_piece * ball.centre();
        // Bounds on the first four derivatives in the span, of the centre and of a vector of length 1 that is fixed to the shape.
        let (mut of_centre, mut of_vector) = ([0.0; 4], [0.0; 4]);
        for (parent, elements) in self.joints[k].iter().rev() {
            let mut here = placed.world_from_frame(*parent);
            let mut axes = Vec::new();
            for element in elements {
                here = here * element.before;
                axes.push((here.translation(), here.rotation().z_axis));
                let value = element.multiplier * posture[element.coordinate] + element.offset;
                here = match element.slide {
                    None => here.turned_about_z(value),
                    Some(along) => here * Pose::from_translation(along * value),
                };
            }
            for (element, (origin, axis)) in elements.iter().zip(axes).rev() {
                let four: [f64; 4] = std::array::from_fn(|i| {
                    let mut posture = Vec::new();
                    motion.at(span.at(i as f64 / 3.0), &mut posture);
                    element.multiplier * posture[element.coordinate]
                });
                let controls = &motion.controls()[element.coordinate];
                let largest = controls.iter().map(|c| c.abs()).fold(0.0, higher) * element.multiplier.abs();
                let d = derivatives(&four, largest);
                let value = largest + element.offset.abs();
                let lever = origin.distance(centre) + ball.radius() + 0.5 * of_centre[0];
                if element.slide.is_some() {
                    size += lever + value;
                    of_centre.iter_mut().zip(d).for_each(|(m, d)| *m += d);
                } else {
                    size += lever * (1.0 + value);
                    // The distance from the axis is worked out from places that are rounded as all others here.
                    let arm = (centre - origin).cross(axis).length() + 0.5 * of_centre[0] + ROUNDING * size;
                    let turn = of_turn(&d);
                    of_centre = through(&turn, &of_centre, arm * (1.0 + 1e-9));
                    of_vector = through(&turn, &of_vector, 1.0);
                }
            }
        }
        (of_centre[3] + of_vector[3] * ball.radius()) / 1944.0 * (1.0 + 1e-9) + ROUNDING * size
    }
}

/// The lower of two numbers, and no number if one is none, which `min` would let pass.
fn lower(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

/// The higher of two numbers likewise.
fn higher(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// What rounding of placements and heights may be, as a part of the coordinates: 450 units in the last place, for some hundred operations.
const ROUNDING: f64 = 1e-13;

/// A cubic's coefficients in Bernstein's form from its values at 0, 1/3, 2/3 and 1.
const BERNSTEIN: [[f64; 4]; 4] = [
    [1.0, 0.0, 0.0, 0.0],
    [-5.0 / 6.0, 3.0, -1.5, 1.0 / 3.0],
    [1.0 / 3.0, -1.5, 3.0, -5.0 / 6.0],
    [0.0, 0.0, 0.0, 1.0],
];

/// Bounds on the derivatives of a cubic with these values at 0, 1/3, 2/3 and 1, which are mixtures of numbers no larger than `largest`.
fn derivatives(four: &[f64; 4], largest: f64) -> [f64; 4] {
    let b = BERNSTEIN.map(|weights| weights.iter().zip(four).map(|(w, v)| w * v).sum::<f64>());
    let most = |d: &[f64]| d.iter().map(|v| v.abs()).fold(0.0, higher);
    let lost = 64.0 * f64::EPSILON * higher(most(four), largest);
    let first = [b[1] - b[0], b[2] - b[1], b[3] - b[2]];
    let second = [first[1] - first[0], first[2] - first[1]];
    let most = |d: &[f64]| most(d) + lost;
    [3.0 * most(&first), 6.0 * most(&second), 6.0 * most(&[second[1] - second[0]]), 0.0]
}

/// Bounds on the derivatives of the rotation by an angle with these (Faà di Bruno).
fn of_turn(&[a, b, c, _]: &[f64; 4]) -> [f64; 4] {
    [a, a * a + b, a.powi(3) + 3.0 * a * b + c, a.powi(4) + 6.0 * a * a * b + 3.0 * b * b + 4.0 * a * c]
}

/// Bounds on the derivatives of a turned vector of a length whose own derivatives have bounds (Leibniz).
fn through(turn: &[f64; 4], own: &[f64; 4], length: f64) -> [f64; 4] {
    const CHOOSE: [[f64; 5]; 5] = [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 0.0, 0.0],
        [1.0, 2.0, 1.0, 0.0, 0.0],
        [1.0, 3.0, 3.0, 1.0, 0.0],
        [1.0, 4.0, 6.0, 4.0, 1.0],
    ];
    std::array::from_fn(|k| {
        let order = k + 1;
        let of = |j: usize| {
            let turned = if j == 0 { 1.0 } else { turn[j - 1] };
            let rest = if j == order { length } else { own[order - j - 1] };
            CHOOSE[order][j] * turned * rest
        };
        (0..=order).map(of).sum()
    })
}

/// Re-checks a certificate of a motion, on all threads of the current pool.
///
/// # Errors
/// What is wrong; of several pieces, of the first.
pub fn verify_motion(
    cell: &Cell,
    motion: &JointMotion,
    certificate: &MotionCertificate,
) -> Result<VerifiedMotion, RefusedMotion> {
    verify_with_margins(cell, motion, certificate, &|_, _| 0.0)
}

/// The same of a motion of which each piece may be off by a margin, in metres, that the frames of two bodies decide: those that move relative
/// to each other must be apart by that, too.
pub(crate) fn verify_with_margins(
    cell: &Cell,
    motion: &JointMotion,
    certificate: &MotionCertificate,
    margin: &(dyn Fn(usize, [FrameId; 2]) -> f64 + Sync),
) -> Result<VerifiedMotion, RefusedMotion> {
    let checked = cell.pairs().checked();
    let is_length = |c: &f64| *c >= 0.0 && c.is_finite();
    if certificate.clearances.len() != checked.len() || !certificate.clearances.iter().all(is_length) {
        return Err(RefusedMotion::Clearances);
    }
    if motion.pieces().iter().any(|piece| piece.controls().len() != cell.coordinates().len()) {
        return Err(RefusedMotion::Coordinates);
    }
    let (given, needed) = (certificate.pieces.len(), motion.pieces().len());
    if given != needed {
        return Err(RefusedMotion::Pieces { given, needed });
    }
    let pieces = pieces(cell, &certificate.orders)?;
    let regions: Vec<Result<usize, RefusedMotion>> = (0..needed)
        .into_par_iter()
        .map(|number| {
            let margin = |frames: [FrameId; 2]| margin(number, frames);
            verify_piece(cell, &motion.pieces()[number], (number, &margin), &pieces, certificate)
        })
        .collect();
    let mut verified = VerifiedMotion {
        clearance: certificate
            .clearances
            .iter()
            .zip(checked)
            .filter(|(_, bodies)| moves(cell, **bodies))
            .map(|(clearance, _)| *clearance)
            .fold(f64::INFINITY, f64::min),
        regions: 0,
    };
    for regions in regions {
        verified.regions += regions?;
    }
    Ok(verified)
}

fn verify_piece(
    cell: &Cell,
    motion: &JointPiece,
    (number, margin): (usize, &dyn Fn([FrameId; 2]) -> f64),
    pieces: &[Piece<'_>],
    certificate: &MotionCertificate,
) -> Result<usize, RefusedMotion> {
    let mut steps = certificate.pieces[number].iter().enumerate();
    let mut regions = 0;
    for (&bodies, &clearance) in cell.pairs().checked().iter().zip(&certificate.clearances) {
        let frames = bodies.map(|body| cell.in_frame(cell.body(body).carrier).frame);
        let clearance = if moves(cell, bodies) { clearance + margin(frames) } else { clearance };
        let name = || format!("{}|{}", cell.body(bodies[0]).name, cell.body(bodies[1]).name);
        let [of_a, of_b] = bodies.map(|body| pieces.iter().filter(move |piece| piece.body == body));
        for a in of_a {
            for b in of_b.clone() {
                let two = Two::new(cell, [a, b]);
                let everything = ([[0, a.triangles()], [0, b.triangles()]], Span::WHOLE);
                let mut open = vec![everything];
                let mut is_divided = false;
                while let Some((ranges, span)) = open.pop() {
                    let Some((step, what)) = steps.next() else {
                        return Err(RefusedMotion::Length { piece: number });
                    };
                    let wrong = |why| Err(RefusedMotion::Step { piece: number, step, pair: name(), why });
                    match what {
                        MotionStep::Time => {
                            let [early, late] = span.halves();
                            if !(early.length() > 0.0 && late.length() > 0.0) {
                                return wrong("the span is too short to be halved");
                            }
                            open.extend([(ranges, late), (ranges, early)]);
                        }
                        MotionStep::First(cuts) | MotionStep::Second(cuts) => {
                            let k = usize::from(matches!(what, MotionStep::Second(_)));
                            let [first, end] = ranges[k];
                            let cuts = cuts.iter().map(|&cut| cut as usize);
                            let places: Vec<usize> = [first].into_iter().chain(cuts).chain([end]).collect();
                            if places.len() < 3 || !places.windows(2).all(|pair| pair[0] < pair[1]) {
                                return wrong("the triangles are not divided");
                            }
                            is_divided = true;
                            for pair in places.windows(2).rev() {
                                let mut ranges = ranges;
                                ranges[k] = [pair[0], pair[1]];
                                open.push((ranges, span));
                            }
                        }
                        MotionStep::Free(n) => {
                            if !(two.beyond(motion, span, ranges, *n)
                                > clearance * (1.0 + 8.0 * f64::EPSILON))
                            {
                                return wrong("the direction does not keep them apart");
                            }
                            regions += 1;
                        }
                    }
                }
                // What one direction keeps apart as a whole is not inside; and what is outside at the start of a piece and crosses no
                // surface stays so.
                if is_divided && is_inside(cell, motion, [a, b]) {
                    return Err(RefusedMotion::Inside(name()));
                }
            }
        }
    }
    if steps.next().is_some() { Err(RefusedMotion::Length { piece: number }) } else { Ok(regions) }
}

/// Whether a shape, or a connected piece of it, lies inside another at the start; told by solid angles, and by formulas.
fn is_inside(cell: &Cell, motion: &JointPiece, sides: [&Piece<'_>; 2]) -> bool {
    let mut posture = Vec::new();
    motion.at(0.0, &mut posture);
    let placed = cell.place(&posture);
    let pose = |side: &Piece<'_>| placed.world_from_frame(side.frame) * side.frame_from_piece;
    [[0, 1], [1, 0]].iter().any(|&[outer, inner]| {
        let (outer, inner) = (sides[outer], sides[inner]);
        let outer_from_inner = pose(outer).inverse() * pose(inner);
        let points = match inner.geometry {
            Geometry::Mesh(mesh) => closed_or_not(mesh),
            Geometry::Primitive(primitive) if primitive.aabb().is_some() => vec![DVec3::ZERO],
            // A half-space is inside nothing that ends.
            Geometry::Primitive(_) => Vec::new(),
        };
        let mut points = points.into_iter().map(|point| outer_from_inner * point);
        match outer.geometry {
            Geometry::Mesh(mesh) => {
                let closed = closed_pieces(mesh);
                points.any(|point| !(winding(&closed, point).abs() <= 0.5))
            }
            Geometry::Primitive(primitive) => points.any(|point| primitive.contains(point)),
        }
    })
}
