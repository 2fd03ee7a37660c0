//! Oriented boxes.

use super::{Eight, LANES, Vectors, abs3, dot, dot1, dots, load, load3, not_beyond, to_one};
use fearless_simd::{Simd, SimdBase, SimdFloat, f32x8};
use glam::{Mat3, Vec3};

/// One oriented box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    /// Axes as columns.
    pub(crate) axes: Mat3,
    pub(crate) centre: Vec3,
    pub(crate) half: Vec3,
}

impl Single {
    /// How large a box is, to choose which to open.
    #[inline(always)]
    pub(crate) fn size(&self) -> f32 {
        self.half.x + self.half.y + self.half.z
    }
}

/// Up to eight oriented boxes.
#[derive(Clone, Debug)]
pub(crate) struct Boxes {
    centre: [Eight; 3],
    half: [Eight; 3],
    /// `axes[i][k]`: coordinate `k` of axis `i`.
    axes: [[Eight; 3]; 3],
    used: u32,
}

impl Boxes {
    pub(crate) fn of(boxes: &[Single]) -> Self {
        let eight = |number: &dyn Fn(&Single) -> f32| {
            Eight(std::array::from_fn(|lane| boxes.get(lane).or(boxes.first()).map_or(0.0, number)))
        };
        Self {
            centre: std::array::from_fn(|k| eight(&|b| b.centre[k])),
            half: std::array::from_fn(|k| eight(&|b| b.half[k])),
            axes: std::array::from_fn(|i| std::array::from_fn(|k| eight(&|b| b.axes.col(i)[k]))),
            used: (1 << boxes.len()) - 1,
        }
    }

    /// Lanes in use, as bits.
    pub(crate) fn used(&self) -> u32 {
        self.used
    }

    /// Eight bounds, infinite for lanes that are not in use.
    #[inline(always)]
    fn bounds<S: Simd>(&self, bounds: f32x8<S>) -> [f32; LANES] {
        let mut all = [0.0; LANES];
        bounds.store_slice(&mut all);
        for (lane, bound) in all.iter_mut().enumerate() {
            if self.used & (1 << lane) == 0 {
                *bound = f32::INFINITY;
            }
        }
        all
    }
}

/// How eight boxes lie relative to one.
///
/// The fifteen axes of Gottschalk, Lin and Manocha (1996) are the axes of both boxes and their products. Along each, the gap is
/// the distance of the middles less the reach of both boxes.
struct Relative<S: Simd> {
    half: Vectors<S>,
    /// `turn[i][j]`: axis `i` of the eight against axis `j` of the one; and its absolute value.
    turn: [Vectors<S>; 3],
    abs: [Vectors<S>; 3],
    /// From the eight middles to the one, and the same along the axes of the eight.
    between: Vectors<S>,
    along: Vectors<S>,
    one_half: Vec3,
}

impl<S: Simd> Relative<S> {
    #[inline(always)]
    fn of(simd: S, boxes: &Boxes, one: &Single) -> Self {
        let axes = [load3(simd, &boxes.axes[0]), load3(simd, &boxes.axes[1]), load3(simd, &boxes.axes[2])];
        let between = to_one(&load3(simd, &boxes.centre), one.centre);
        let turn = [dots(&axes[0], &one.axes), dots(&axes[1], &one.axes), dots(&axes[2], &one.axes)];
        Self {
            half: load3(simd, &boxes.half),
            abs: [abs3(&turn[0]), abs3(&turn[1]), abs3(&turn[2])],
            turn,
            along: [dot(&axes[0], &between), dot(&axes[1], &between), dot(&axes[2], &between)],
            between,
            one_half: one.half,
        }
    }

    /// The gap along axis `i` of the eight.
    #[inline(always)]
    fn gap_of_eight(&self, i: usize) -> f32x8<S> {
        let h = self.one_half;
        let reach = self.half[i] + self.abs[i][0] * h.x + self.abs[i][1] * h.y + self.abs[i][2] * h.z;
        self.along[i].abs() - reach
    }

    /// The gap along axis `j` of the one.
    #[inline(always)]
    fn gap_of_one(&self, j: usize) -> f32x8<S> {
        let (t, r, abs, half) = (&self.along, &self.turn, &self.abs, &self.half);
        let distance = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
        let reach = half[0] * abs[0][j] + half[1] * abs[1][j] + half[2] * abs[2][j] + self.one_half[j];
        distance.abs() - reach
    }

    /// The gap along the product of axis `i` of the eight and axis `j` of the one, times the length of that product, which is
    /// at most 1.
    #[inline(always)]
    fn gap_of_product(&self, i: usize, j: usize) -> f32x8<S> {
        let (t, r, abs, half, h) = (&self.along, &self.turn, &self.abs, &self.half, self.one_half);
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let distance = t[i2] * r[i1][j] - t[i1] * r[i2][j];
        let reach = half[i1] * abs[i2][j] + half[i2] * abs[i1][j] + abs[i][j2] * h[j1] + abs[i][j1] * h[j2];
        distance.abs() - reach
    }
}

/// Which of eight boxes are not apart from one by more than the margin, as bits, and a key that is smaller the nearer their
/// middles are.
///
/// Products of axes are not of unit length but at most that, so the margin is large enough for them too; where axes are
/// parallel they vanish and prove nothing.
#[inline(always)]
pub(crate) fn boxes_met<S: Simd>(simd: S, boxes: &Boxes, one: &Single, margin: f32) -> (u32, [f32; LANES]) {
    let relative = Relative::of(simd, boxes, one);
    let mut gap = f32x8::splat(simd, f32::NEG_INFINITY);
    for k in 0..3 {
        gap = gap.max(relative.gap_of_eight(k)).max(relative.gap_of_one(k));
    }
    for i in 0..3 {
        for j in 0..3 {
            gap = gap.max(relative.gap_of_product(i, j));
        }
    }
    let mut keys = [0.0; LANES];
    dot(&relative.between, &relative.between).store_slice(&mut keys);
    (not_beyond(gap, f32x8::splat(simd, margin)) & boxes.used, keys)
}

/// For each of eight boxes a bound below its distance from one, up to the margin of single precision; infinite for lanes that
/// are not in use.
///
/// In the frame of one box the other's enclosing box is that far away along each axis, so the root of the squares of the gaps
/// bounds the distance; and every product of axes bounds it by its own gap.
#[inline(always)]
pub(crate) fn box_distances<S: Simd>(simd: S, boxes: &Boxes, one: &Single) -> [f32; LANES] {
    let relative = Relative::of(simd, boxes, one);
    let zero = f32x8::splat(simd, 0.0);
    let (mut of_eight, mut of_one) = (zero, zero);
    for k in 0..3 {
        let (theirs, mine) = (relative.gap_of_eight(k).max(zero), relative.gap_of_one(k).max(zero));
        of_eight += theirs * theirs;
        of_one += mine * mine;
    }
    let mut bound_sq = of_eight.max(of_one);
    for i in 0..3 {
        for j in 0..3 {
            let gap = relative.gap_of_product(i, j).max(zero);
            // The product has length sin = sqrt(1 - cos²); where that is small it is noise and is made to prove little.
            let cosine = relative.turn[i][j];
            let sine_sq = (-(cosine * cosine) + 1.0).max(f32x8::splat(simd, 0.01));
            bound_sq = bound_sq.max(gap * gap / sine_sq);
        }
    }
    boxes.bounds(bound_sq.sqrt())
}

/// For each of eight boxes its distance from a point; infinite for lanes that are not in use.
#[inline(always)]
pub(crate) fn point_box_distances<S: Simd>(simd: S, boxes: &Boxes, point: Vec3) -> [f32; LANES] {
    let between = to_one(&load3(simd, &boxes.centre), point);
    let zero = f32x8::splat(simd, 0.0);
    let mut sum = zero;
    for (axis, half) in boxes.axes.iter().zip(&boxes.half) {
        let gap = (dot(&load3(simd, axis), &between).abs() - load(simd, half)).max(zero);
        sum += gap * gap;
    }
    boxes.bounds(sum.sqrt())
}

/// Which of eight boxes a segment, given by its middle and half of it, may meet, as bits: along the axes of the boxes, and
/// along their products with the segment.
///
/// A product is not of unit length but at most as long as half the segment, by which the margin is multiplied.
#[inline(always)]
pub(crate) fn boxes_met_by_segment<S: Simd>(
    simd: S,
    boxes: &Boxes,
    middle: Vec3,
    half: Vec3,
    margin: f32,
) -> u32 {
    let between = to_one(&load3(simd, &boxes.centre), middle);
    let axes = [load3(simd, &boxes.axes[0]), load3(simd, &boxes.axes[1]), load3(simd, &boxes.axes[2])];
    let reach = load3(simd, &boxes.half);
    let along = [dot(&axes[0], &between), dot(&axes[1], &between), dot(&axes[2], &between)];
    let segment = [dot1(&axes[0], half), dot1(&axes[1], half), dot1(&axes[2], half)];
    let length = abs3(&segment);
    let mut gap = f32x8::splat(simd, f32::NEG_INFINITY);
    let mut gap_of_products = gap;
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        gap = gap.max(along[i].abs() - reach[i] - length[i]);
        let distance = (along[j] * segment[k] - along[k] * segment[j]).abs();
        gap_of_products = gap_of_products.max(distance - reach[j] * length[k] - reach[k] * length[j]);
    }
    not_beyond(gap, f32x8::splat(simd, margin))
        & not_beyond(gap_of_products, f32x8::splat(simd, margin * half.length()))
        & boxes.used
}
