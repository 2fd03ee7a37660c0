//! How far heights of a body may be from the cubics through four of its placements, rounding included.

use super::tree::BodyTree;
use kansho_cell::{Elementary, FrameId, JointPiece, Placed};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;

/// What rounding of placements and heights may be, as a part of the coordinates: 450 units in the last place, for some hundred operations.
pub(super) const ROUNDING: f64 = 1e-13;

/// A cubic's coefficients in Bernstein's form from its values at 0, 1/3, 2/3 and 1.
pub(super) const BERNSTEIN: [[f64; 4]; 4] = [
    [1.0, 0.0, 0.0, 0.0],
    [-5.0 / 6.0, 3.0, -1.5, 1.0 / 3.0],
    [1.0 / 3.0, -1.5, 3.0, -5.0 / 6.0],
    [0.0, 0.0, 0.0, 1.0],
];

/// The lower of two numbers, and no number if one is none, which `min` would let pass.
pub(super) fn lower(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

/// The higher of two numbers likewise.
pub(super) fn higher(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The joints between a frame and one that carries it, and what they do in a span.
pub(super) struct Moved<'a> {
    /// From the carrier on.
    pub(super) joints: &'a [(FrameId, Vec<Elementary>)],
    pub(super) motion: &'a JointPiece,
    /// Postures at 0, 1/3, 2/3 and 1 of the span.
    pub(super) postures: [&'a [f64]; 4],
    /// The posture in the middle, and where everything is in it.
    pub(super) middle: &'a [f64],
    pub(super) placed: &'a Placed,
}

/// What a body that does not move, `far` from the origin of the common frame, rounds by: coordinates of its shapes and of its place, by their size.
pub(super) fn of_still(tree: &BodyTree, far: f64) -> f64 {
    ROUNDING * own(tree, far)
}

fn own(tree: &BodyTree, far: f64) -> f64 {
    let (centre, _, radius) = tree.extent(BodyTree::ROOT);
    // The size is all there is of what has no end: it stands still.
    let ball = if radius.is_finite() { centre.length() + radius } else { 0.0 };
    tree.size + ball + far
}

/// How far heights of a moving body, up to `far` from the origin of the common frame, may be from the cubics, rounding included, rounded
/// up; infinite if it has no end.
///
/// What rounds, and by how much of [`ROUNDING`]; `docs/verifier.md` has the list, with a test of extreme values for each term:
///
/// - coordinates of the shapes and of their places: their size;
/// - each joint between: its angle by `|multiplier q| + |offset|`, and the product of rotations by 1, both times the lever, from the
///   axis to the farthest point of the body; its slide by `|multiplier q| + |offset|` metres;
/// - `q` itself is a mixture of coefficients, and rounds as the largest of them does, however small the mixture is.
pub(super) fn of_moving(tree: &BodyTree, far: f64, moved: &Moved<'_>) -> f64 {
    let mut size = own(tree, far);
    let (ball_centre, _, radius) = tree.extent(BodyTree::ROOT);
    if !radius.is_finite() {
        return f64::INFINITY;
    }
    // Corners of all shapes but the first were placed in the coordinates of the body, which rounds.
    let radius = radius + ROUNDING * tree.size;
    let Moved { joints, motion, postures, middle, placed } = moved;
    let centre = placed.world_from_frame(tree.frame) * tree.frame_from_body * ball_centre;
    // Bounds on the first four derivatives in the span, of the centre and of a vector of length 1 that is fixed to the body.
    let (mut of_centre, mut of_vector) = ([0.0; 4], [0.0; 4]);
    for (parent, elements) in joints.iter().rev() {
        let mut here = placed.world_from_frame(*parent);
        let mut axes: Vec<(DVec3, DVec3)> = Vec::with_capacity(elements.len());
        for element in elements {
            here = here * element.before;
            axes.push((here.translation(), here.rotation().z_axis));
            let value = element.multiplier * middle[element.coordinate] + element.offset;
            here = match element.slide {
                None => here.turned_about_z(value),
                Some(along) => here * Pose::from_translation(along * value),
            };
        }
        for (element, (origin, axis)) in elements.iter().zip(axes).rev() {
            let four = postures.map(|posture| element.multiplier * posture[element.coordinate]);
            let controls = &motion.controls()[element.coordinate];
            let largest = controls.iter().map(|c| c.abs()).fold(0.0, higher) * element.multiplier.abs();
            let d = derivatives(&four, largest);
            let value = largest + element.offset.abs();
            let lever = origin.distance(centre) + radius + 0.5 * of_centre[0];
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
    (of_centre[3] + of_vector[3] * radius) / 1944.0 * (1.0 + 1e-9) + ROUNDING * size
}

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
