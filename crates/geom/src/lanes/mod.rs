//! Tests on eight boxes or triangles at once, in single precision.
//!
//! They answer only "apart, by more than the margin": what is not proven apart counts as met. The margin is the caller's
//! and must cover all rounding. Everything here is an inline function, so that it takes on the instructions of the caller;
//! closures would lose them.

mod boxes;
mod level;
mod pairs;
mod rigid;
mod triangles;

pub(crate) use boxes::{
    Boxes, Single, box_distances, box_heights, boxes_met, boxes_met_by_segment, point_box_distances,
};
pub(crate) use level::level;
pub use level::{SIMD_CHOICES, SIMD_VARIABLE};
pub(crate) use pairs::{Pairs, pair_distances_sq};
pub(crate) use rigid::Rigid;
pub(crate) use triangles::{
    One, Tangent, Triangles, tangents_below, triangle_box_distances, triangles_in_box, triangles_met,
    triangles_near_box, triangles_within,
};

use fearless_simd::{Simd, SimdBase, SimdFloat, SimdMask, f32x8};
use glam::{Mat3, Vec3};

/// Lanes.
pub(crate) const LANES: usize = 8;

/// Numbers of eight things, aligned for loading.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Eight(pub(crate) [f32; LANES]);

/// Eight vectors, coordinate by coordinate.
pub(crate) type Vectors<S> = [f32x8<S>; 3];

#[inline(always)]
pub(crate) fn load<S: Simd>(simd: S, eight: &Eight) -> f32x8<S> {
    f32x8::from_slice(simd, &eight.0)
}

#[inline(always)]
pub(crate) fn load3<S: Simd>(simd: S, eights: &[Eight; 3]) -> Vectors<S> {
    [load(simd, &eights[0]), load(simd, &eights[1]), load(simd, &eights[2])]
}

#[inline(always)]
fn dot<S: Simd>(a: &Vectors<S>, b: &Vectors<S>) -> f32x8<S> {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

#[inline(always)]
fn cross<S: Simd>(a: &Vectors<S>, b: &Vectors<S>) -> Vectors<S> {
    [a[1].mul_sub(b[2], a[2] * b[1]), a[2].mul_sub(b[0], a[0] * b[2]), a[0].mul_sub(b[1], a[1] * b[0])]
}

/// Dot product with one vector.
#[inline(always)]
fn dot1<S: Simd>(a: &Vectors<S>, b: Vec3) -> f32x8<S> {
    a[0].mul_add(b.x, a[1].mul_add(b.y, a[2] * b.z))
}

/// Dot products with the columns of a matrix.
#[inline(always)]
fn dots<S: Simd>(a: &Vectors<S>, matrix: &Mat3) -> Vectors<S> {
    [dot1(a, matrix.x_axis), dot1(a, matrix.y_axis), dot1(a, matrix.z_axis)]
}

#[inline(always)]
fn store3<S: Simd>(a: &Vectors<S>, into: &mut [Eight; 3]) {
    for k in 0..3 {
        a[k].store_slice(&mut into[k].0);
    }
}

#[inline(always)]
fn abs3<S: Simd>(a: &Vectors<S>) -> Vectors<S> {
    [a[0].abs(), a[1].abs(), a[2].abs()]
}

#[inline(always)]
fn minus<S: Simd>(a: &Vectors<S>, b: &Vectors<S>) -> Vectors<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// From one point to each of eight.
#[inline(always)]
fn from_one<S: Simd>(one: Vec3, eight: &Vectors<S>) -> Vectors<S> {
    [eight[0] - one.x, eight[1] - one.y, eight[2] - one.z]
}

/// From each of eight points to one.
#[inline(always)]
fn to_one<S: Simd>(eight: &Vectors<S>, one: Vec3) -> Vectors<S> {
    [-(eight[0] - one.x), -(eight[1] - one.y), -(eight[2] - one.z)]
}

/// Lanes that are not proven to be beyond a limit, as bits. A lane that is no number proves nothing, and so is among them.
#[inline(always)]
pub(crate) fn not_beyond<S: Simd>(gap: f32x8<S>, limit: f32x8<S>) -> u32 {
    !(gap.simd_gt(limit).to_bitmask() as u32) & ((1 << LANES) - 1)
}

/// The least and the largest of three.
#[inline(always)]
fn range<S: Simd>(numbers: &Vectors<S>) -> (f32x8<S>, f32x8<S>) {
    (numbers[0].min(numbers[1]).min(numbers[2]), numbers[0].max(numbers[1]).max(numbers[2]))
}

/// How far three numbers all stay on one side of zero; negative if they do not.
#[inline(always)]
fn one_side<S: Simd>(numbers: &Vectors<S>) -> f32x8<S> {
    let (low, high) = range(numbers);
    low.max(-high)
}
