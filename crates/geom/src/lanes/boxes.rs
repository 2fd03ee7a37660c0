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

    /// Whether another box is not apart by more than the margin: the fifteen axes of [`boxes_met`], one by one.
    #[inline]
    pub(crate) fn meets(&self, other: &Self, margin: f32) -> bool {
        let between = other.centre - self.centre;
        let turn = self.axes.transpose() * other.axes; // Columns: axes of the other along mine.
        let abs = Mat3::from_cols(turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs());
        let along = self.axes.transpose() * between;
        if (along.abs() - self.half - abs * other.half).max_element() > margin
            || ((other.axes.transpose() * between).abs() - other.half - abs.transpose() * self.half)
                .max_element()
                > margin
        {
            return false;
        }
        for j in 0..3 {
            // My axis i times axis j of the other, along my axes: unit i × column j.
            let (column, reach_of_mine) = (turn.col(j), abs.col(j));
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            for i in 0..3 {
                let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
                let gap = (along[i2] * column[i1] - along[i1] * column[i2]).abs();
                let mine = self.half[i1] * reach_of_mine[i2] + self.half[i2] * reach_of_mine[i1];
                let its = other.half[j1] * abs.col(j2)[i] + other.half[j2] * abs.col(j1)[i];
                if gap - mine - its > margin {
                    return false;
                }
            }
        }
        true
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
        self.along[i].abs() - (self.half[i] + dot1(&self.abs[i], h))
    }

    /// The gap along axis `j` of the one.
    #[inline(always)]
    fn gap_of_one(&self, j: usize) -> f32x8<S> {
        let (t, r, abs, half) = (&self.along, &self.turn, &self.abs, &self.half);
        let distance = dot(t, &[r[0][j], r[1][j], r[2][j]]);
        let reach = dot(half, &[abs[0][j], abs[1][j], abs[2][j]]) + self.one_half[j];
        distance.abs() - reach
    }

    /// The reach of both boxes along the line of the middles, times the distance of the middles.
    #[inline(always)]
    fn reach_between(&self) -> f32x8<S> {
        let (t, r, h) = (&self.along, &self.turn, self.one_half);
        let of_one = [
            dot(t, &[r[0][0], r[1][0], r[2][0]]).abs(),
            dot(t, &[r[0][1], r[1][1], r[2][1]]).abs(),
            dot(t, &[r[0][2], r[1][2], r[2][2]]).abs(),
        ];
        dot(&self.half, &abs3(t)) + dot1(&of_one, h)
    }

    /// The gap along the product of axis `i` of the eight and axis `j` of the one, times the length of that product, which is
    /// at most 1.
    #[inline(always)]
    fn gap_of_product(&self, i: usize, j: usize) -> f32x8<S> {
        let (t, r, abs, half, h) = (&self.along, &self.turn, &self.abs, &self.half, self.one_half);
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let distance = t[i2].mul_sub(r[i1][j], t[i1] * r[i2][j]);
        let of_eight = half[i1].mul_add(abs[i2][j], half[i2] * abs[i1][j]);
        let reach = abs[i][j2].mul_add(h[j1], abs[i][j1].mul_add(h[j2], of_eight));
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

/// For each of eight boxes a bound below its distance from one, up to the margin of single precision, and
/// which may be nearer than `cut`, as bits.
///
/// In the frame of one box the other's enclosing box is that far away along each axis, so the root of the squares of the gaps
/// bounds the distance; and every product of axes bounds it by its own gap, as does the line of the middles.
#[inline(always)]
pub(crate) fn box_distances<S: Simd>(simd: S, boxes: &Boxes, one: &Single, cut: f32) -> ([f32; LANES], u32) {
    let relative = Relative::of(simd, boxes, one);
    let zero = f32x8::splat(simd, 0.0);
    let (mut of_eight, mut of_one) = (zero, zero);
    for k in 0..3 {
        let (theirs, mine) = (relative.gap_of_eight(k).max(zero), relative.gap_of_one(k).max(zero));
        of_eight = theirs.mul_add(theirs, of_eight);
        of_one = mine.mul_add(mine, of_one);
    }
    let mut bound_sq = of_eight.max(of_one);
    for i in 0..3 {
        for j in 0..3 {
            let gap = relative.gap_of_product(i, j).max(zero);
            // The product has length sin = sqrt(1 - cos²), and 1 / sin² is at least 1 + cos² + cos⁴: close enough where
            // it counts, and little where axes are nearly parallel and their product is noise.
            let cosine_sq = relative.turn[i][j] * relative.turn[i][j];
            let per_sine_sq = cosine_sq.mul_add(cosine_sq, cosine_sq) + 1.0;
            bound_sq = bound_sq.max(gap * gap * per_sine_sq);
        }
    }
    // Along the line of the middles.
    let middles_sq = dot(&relative.between, &relative.between);
    let gap = (middles_sq - relative.reach_between()).max(zero);
    bound_sq = bound_sq.max(gap * gap / middles_sq.max(f32x8::splat(simd, f32::MIN_POSITIVE)));
    let bound = bound_sq.sqrt();
    let mut bounds = [0.0; LANES];
    bound.store_slice(&mut bounds);
    (bounds, not_beyond(bound, f32x8::splat(simd, cut)) & boxes.used)
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

/// For each of eight boxes how far up a direction its lowest point lies; infinite for lanes that are not in use.
#[inline(always)]
pub(crate) fn box_heights<S: Simd>(simd: S, boxes: &Boxes, up: Vec3) -> [f32; LANES] {
    let mut height = dot1(&load3(simd, &boxes.centre), up);
    for (axis, half) in boxes.axes.iter().zip(&boxes.half) {
        height -= dot1(&load3(simd, axis), up).abs() * load(simd, half);
    }
    boxes.bounds(height)
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
