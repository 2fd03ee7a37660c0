//! Tests on eight boxes or triangles at once, in single precision.
//!
//! They answer only "apart, by more than the margin": what is not proven apart counts as met. The margin is the caller's
//! and must cover all rounding. Everything here is an inline function, so that it takes on the instructions of the caller.

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask, f32x8, mask32x8};
use glam::{Mat3, Vec3};

/// Lanes.
pub(crate) const LANES: usize = 8;

/// Numbers of eight things, aligned for loading.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Eight([f32; LANES]);

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
}

/// Up to eight triangles.
#[derive(Clone, Debug)]
pub(crate) struct Triangles {
    /// `corners[i][k]`: coordinate `k` of corner `i`.
    corners: [[Eight; 3]; 3],
    /// Unit normals; zero where there is none.
    normal: [Eight; 3],
}

impl Triangles {
    pub(crate) fn of(triangles: &[[Vec3; 3]]) -> Self {
        let at = |lane: usize| triangles.get(lane).unwrap_or(&triangles[0]);
        let normals: [Vec3; LANES] = std::array::from_fn(|lane| {
            let [a, b, c] = *at(lane);
            (b - a).cross(c - a).try_normalize().unwrap_or(Vec3::ZERO)
        });
        Self {
            corners: std::array::from_fn(|i| {
                std::array::from_fn(|k| Eight(std::array::from_fn(|lane| at(lane)[i][k])))
            }),
            normal: std::array::from_fn(|k| Eight(std::array::from_fn(|lane| normals[lane][k]))),
        }
    }

    #[inline(always)]
    pub(crate) fn triangle(&self, lane: usize) -> [Vec3; 3] {
        std::array::from_fn(|i| Vec3::from_array(std::array::from_fn(|k| self.corners[i][k].0[lane])))
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, eight: &Eight) -> f32x8<S> {
    f32x8::from_slice(simd, &eight.0)
}

#[inline(always)]
fn load3<S: Simd>(simd: S, eights: &[Eight; 3]) -> [f32x8<S>; 3] {
    [load(simd, &eights[0]), load(simd, &eights[1]), load(simd, &eights[2])]
}

#[inline(always)]
fn dot<S: Simd>(a: &[f32x8<S>; 3], b: &[f32x8<S>; 3]) -> f32x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Dot product with one vector.
#[inline(always)]
fn dot1<S: Simd>(a: &[f32x8<S>; 3], b: Vec3) -> f32x8<S> {
    a[0] * b.x + a[1] * b.y + a[2] * b.z
}

/// Dot products with the columns of a matrix.
#[inline(always)]
fn dots<S: Simd>(a: &[f32x8<S>; 3], matrix: &Mat3) -> [f32x8<S>; 3] {
    [dot1(a, matrix.x_axis), dot1(a, matrix.y_axis), dot1(a, matrix.z_axis)]
}

#[inline(always)]
fn abs3<S: Simd>(a: &[f32x8<S>; 3]) -> [f32x8<S>; 3] {
    [a[0].abs(), a[1].abs(), a[2].abs()]
}

/// Which of eight boxes are not apart from one by more than the margin, as bits, and a key that is smaller the nearer
/// their middles are.
///
/// The fifteen axes of Gottschalk, Lin and Manocha (1996): the axes of both boxes and their products. Products are not
/// of unit length but at most that, so the margin is large enough for them too; where axes are parallel they vanish and
/// prove nothing.
#[inline(always)]
pub(crate) fn boxes_met<S: Simd>(simd: S, boxes: &Boxes, one: &Single, margin: f32) -> (u32, [f32; LANES]) {
    let half = load3(simd, &boxes.half);
    let axes = [load3(simd, &boxes.axes[0]), load3(simd, &boxes.axes[1]), load3(simd, &boxes.axes[2])];
    let centre = load3(simd, &boxes.centre);
    let between = [-(centre[0] - one.centre.x), -(centre[1] - one.centre.y), -(centre[2] - one.centre.z)];
    let key = dot(&between, &between);
    // r[i][j]: axis i of the eight against axis j of the one; t[i]: the distance of the middles along axis i.
    let r = [dots(&axes[0], &one.axes), dots(&axes[1], &one.axes), dots(&axes[2], &one.axes)];
    let t = [dot(&axes[0], &between), dot(&axes[1], &between), dot(&axes[2], &between)];
    let abs = [abs3(&r[0]), abs3(&r[1]), abs3(&r[2])];
    let h = one.half;
    let margin = f32x8::splat(simd, margin);
    let mut gap = f32x8::splat(simd, f32::NEG_INFINITY);
    for i in 0..3 {
        let reach = half[i] + abs[i][0] * h.x + abs[i][1] * h.y + abs[i][2] * h.z;
        gap = gap.max(t[i].abs() - reach);
    }
    for j in 0..3 {
        let distance = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
        let reach = half[0] * abs[0][j] + half[1] * abs[1][j] + half[2] * abs[2][j] + h[j];
        gap = gap.max(distance.abs() - reach);
    }
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let distance = t[i2] * r[i1][j] - t[i1] * r[i2][j];
            let reach =
                half[i1] * abs[i2][j] + half[i2] * abs[i1][j] + abs[i][j2] * h[j1] + abs[i][j1] * h[j2];
            gap = gap.max(distance.abs() - reach);
        }
    }
    let met: mask32x8<S> = gap.simd_le(margin);
    let mut keys = [0.0; LANES];
    key.store_slice(&mut keys);
    (met.to_bitmask() as u32 & boxes.used, keys)
}

/// Which of eight triangles are not apart from a box by more than the margin, as bits: along the axes of the box and the
/// normals of the triangles.
#[inline(always)]
pub(crate) fn triangles_in_box<S: Simd>(simd: S, triangles: &Triangles, one: &Single, margin: f32) -> u32 {
    let corners = [
        from_centre(simd, &triangles.corners[0], one.centre),
        from_centre(simd, &triangles.corners[1], one.centre),
        from_centre(simd, &triangles.corners[2], one.centre),
    ];
    let shadows = [dots(&corners[0], &one.axes), dots(&corners[1], &one.axes), dots(&corners[2], &one.axes)];
    let half = one.half;
    let mut gap = f32x8::splat(simd, f32::NEG_INFINITY);
    for j in 0..3 {
        let low = shadows[0][j].min(shadows[1][j]).min(shadows[2][j]);
        let high = shadows[0][j].max(shadows[1][j]).max(shadows[2][j]);
        gap = gap.max(low.max(-high) - half[j]);
    }
    let normal = load3(simd, &triangles.normal);
    let tilt = abs3(&dots(&normal, &one.axes));
    let height = dot(&normal, &corners[0]).abs();
    gap = gap.max(height - (tilt[0] * half.x + tilt[1] * half.y + tilt[2] * half.z));
    gap.simd_le(f32x8::splat(simd, margin)).to_bitmask() as u32
}

#[inline(always)]
fn from_centre<S: Simd>(simd: S, points: &[Eight; 3], centre: Vec3) -> [f32x8<S>; 3] {
    [load(simd, &points[0]) - centre.x, load(simd, &points[1]) - centre.y, load(simd, &points[2]) - centre.z]
}

/// Which of eight triangles are not apart from one by more than the margin, as bits.
///
/// Planes of both, then the products of their sides. A product `L` is not of unit length: the margin is multiplied by the
/// sum of its absolute coordinates, which is at least its length.
#[inline(always)]
pub(crate) fn triangles_met<S: Simd>(simd: S, triangles: &Triangles, one: &[Vec3; 3], margin: f32) -> u32 {
    let corners = [
        load3(simd, &triangles.corners[0]),
        load3(simd, &triangles.corners[1]),
        load3(simd, &triangles.corners[2]),
    ];
    let normal = load3(simd, &triangles.normal);
    let wide_margin = f32x8::splat(simd, margin);
    // Corners of the one over the planes of the eight.
    let offset = dot(&normal, &corners[0]);
    let heights =
        [dot1(&normal, one[0]) - offset, dot1(&normal, one[1]) - offset, dot1(&normal, one[2]) - offset];
    let low = heights[0].min(heights[1]).min(heights[2]);
    let high = heights[0].max(heights[1]).max(heights[2]);
    let mut gap = low.max(-high);
    // Corners of the eight over the plane of the one.
    let sides = [one[1] - one[0], one[2] - one[1], one[0] - one[2]];
    let plane = sides[0].cross(sides[1]).try_normalize().unwrap_or(Vec3::ZERO);
    let offset = plane.dot(one[0]);
    let heights = [
        dot1(&corners[0], plane) - offset,
        dot1(&corners[1], plane) - offset,
        dot1(&corners[2], plane) - offset,
    ];
    let low = heights[0].min(heights[1]).min(heights[2]);
    let high = heights[0].max(heights[1]).max(heights[2]);
    gap = gap.max(low.max(-high));
    let mut met = gap.simd_le(wide_margin).to_bitmask() as u32;
    if met == 0 {
        return 0;
    }
    for i in 0..3 {
        let j = (i + 1) % 3;
        let side =
            [corners[j][0] - corners[i][0], corners[j][1] - corners[i][1], corners[j][2] - corners[i][2]];
        for other in sides {
            let axis = [
                side[1] * other.z - side[2] * other.y,
                side[2] * other.x - side[0] * other.z,
                side[0] * other.y - side[1] * other.x,
            ];
            let allowed = (axis[0].abs() + axis[1].abs() + axis[2].abs()) * margin;
            // A side's two ends have the same shadow, so two corners of each are enough; three are as quick.
            let mine = [dot1(&axis, one[0]), dot1(&axis, one[1]), dot1(&axis, one[2])];
            let theirs = [dot(&axis, &corners[0]), dot(&axis, &corners[1]), dot(&axis, &corners[2])];
            let my_low = mine[0].min(mine[1]).min(mine[2]);
            let my_high = mine[0].max(mine[1]).max(mine[2]);
            let their_low = theirs[0].min(theirs[1]).min(theirs[2]);
            let their_high = theirs[0].max(theirs[1]).max(theirs[2]);
            let gap = (my_low - their_high).max(their_low - my_high);
            met &= gap.simd_le(allowed).to_bitmask() as u32;
        }
    }
    met
}

/// For each of eight boxes a bound below its distance from one, up to the margin of single precision; infinite for lanes
/// that are not in use.
///
/// In the frame of one box the other's enclosing box is that far away along each axis, so the root of the squares of the
/// gaps bounds the distance; and every axis of [`boxes_met`] bounds it by its own gap.
#[inline(always)]
pub(crate) fn box_distances<S: Simd>(simd: S, boxes: &Boxes, one: &Single) -> [f32; LANES] {
    let half = load3(simd, &boxes.half);
    let axes = [load3(simd, &boxes.axes[0]), load3(simd, &boxes.axes[1]), load3(simd, &boxes.axes[2])];
    let centre = load3(simd, &boxes.centre);
    let between = [-(centre[0] - one.centre.x), -(centre[1] - one.centre.y), -(centre[2] - one.centre.z)];
    let r = [dots(&axes[0], &one.axes), dots(&axes[1], &one.axes), dots(&axes[2], &one.axes)];
    let t = [dot(&axes[0], &between), dot(&axes[1], &between), dot(&axes[2], &between)];
    let abs = [abs3(&r[0]), abs3(&r[1]), abs3(&r[2])];
    let h = one.half;
    let zero = f32x8::splat(simd, 0.0);
    let mut of_eight = zero;
    for i in 0..3 {
        let reach = half[i] + abs[i][0] * h.x + abs[i][1] * h.y + abs[i][2] * h.z;
        let gap = (t[i].abs() - reach).max(zero);
        of_eight += gap * gap;
    }
    let mut of_one = zero;
    for j in 0..3 {
        let distance = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
        let reach = half[0] * abs[0][j] + half[1] * abs[1][j] + half[2] * abs[2][j] + h[j];
        let gap = (distance.abs() - reach).max(zero);
        of_one += gap * gap;
    }
    let mut bound_sq = of_eight.max(of_one);
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let distance = t[i2] * r[i1][j] - t[i1] * r[i2][j];
            let reach =
                half[i1] * abs[i2][j] + half[i2] * abs[i1][j] + abs[i][j2] * h[j1] + abs[i][j1] * h[j2];
            let gap = (distance.abs() - reach).max(zero);
            // The axis has length sin = sqrt(1 - r²); where that is small it is noise and is made to prove little.
            let sine_sq = (-(r[i][j] * r[i][j]) + 1.0).max(f32x8::splat(simd, 0.01));
            bound_sq = bound_sq.max(gap * gap / sine_sq);
        }
    }
    let mut bounds = [0.0; LANES];
    bound_sq.sqrt().store_slice(&mut bounds);
    for (lane, bound) in bounds.iter_mut().enumerate() {
        if boxes.used & (1 << lane) == 0 {
            *bound = f32::INFINITY;
        }
    }
    bounds
}

/// For each of eight triangles a bound below its distance from a box, up to the margin of single precision.
#[inline(always)]
pub(crate) fn triangle_box_distances<S: Simd>(simd: S, triangles: &Triangles, one: &Single) -> [f32; LANES] {
    let corners = [
        from_centre(simd, &triangles.corners[0], one.centre),
        from_centre(simd, &triangles.corners[1], one.centre),
        from_centre(simd, &triangles.corners[2], one.centre),
    ];
    let shadows = [dots(&corners[0], &one.axes), dots(&corners[1], &one.axes), dots(&corners[2], &one.axes)];
    let half = one.half;
    let zero = f32x8::splat(simd, 0.0);
    let mut bound_sq = zero;
    for j in 0..3 {
        let low = shadows[0][j].min(shadows[1][j]).min(shadows[2][j]);
        let high = shadows[0][j].max(shadows[1][j]).max(shadows[2][j]);
        let gap = (low.max(-high) - half[j]).max(zero);
        bound_sq += gap * gap;
    }
    let normal = load3(simd, &triangles.normal);
    let tilt = abs3(&dots(&normal, &one.axes));
    let gap = dot(&normal, &corners[0]).abs() - (tilt[0] * half.x + tilt[1] * half.y + tilt[2] * half.z);
    let mut bounds = [0.0; LANES];
    bound_sq.sqrt().max(gap).store_slice(&mut bounds);
    bounds
}

/// For each of eight triangles the square of its distance from one, as single precision has it: where sides are nearly
/// parallel it may be too large by some 2⁻²⁰ of the squares of their lengths. Touching ones may give anything small.
#[inline(always)]
pub(crate) fn triangle_distances_sq<S: Simd>(
    simd: S,
    triangles: &Triangles,
    one: &[Vec3; 3],
) -> [f32; LANES] {
    let corners = [
        load3(simd, &triangles.corners[0]),
        load3(simd, &triangles.corners[1]),
        load3(simd, &triangles.corners[2]),
    ];
    let sides =
        [minus(&corners[1], &corners[0]), minus(&corners[2], &corners[1]), minus(&corners[0], &corners[2])];
    let my_sides = [one[1] - one[0], one[2] - one[1], one[0] - one[2]];
    let tiny = f32x8::splat(simd, f32::MIN_POSITIVE);
    let (zero, full) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let mut best = f32x8::splat(simd, f32::INFINITY);
    for i in 0..3 {
        let e = dot(&sides[i], &sides[i]).max(tiny);
        for (j, &mine) in my_sides.iter().enumerate() {
            // Ericson (2005), 5.1.9, both clamped in turn.
            let a = mine.length_squared().max(f32::MIN_POSITIVE);
            let w = from(&corners[i], one[j]); // From their corner to mine.
            let (b, c, f) = (dot1(&sides[i], mine), dot1(&w, mine), dot(&sides[i], &w));
            let determinant = (e * a - b * b).max(tiny);
            let u = ((b * f - c * e) / determinant).max(zero).min(full);
            let v = ((b * u + f) / e).max(zero).min(full);
            let u = ((b * v - c) / a).max(zero).min(full);
            let gap = [
                w[0] + u * mine.x - v * sides[i][0],
                w[1] + u * mine.y - v * sides[i][1],
                w[2] + u * mine.z - v * sides[i][2],
            ];
            best = best.min(dot(&gap, &gap));
        }
    }
    // My corners over their faces.
    let normal = load3(simd, &triangles.normal);
    for &corner in one {
        let w = [from(&corners[0], corner), from(&corners[1], corner), from(&corners[2], corner)];
        let height = dot(&normal, &w[0]);
        let inside = triple(&normal, &sides[0], &w[0])
            .min(triple(&normal, &sides[1], &w[1]))
            .min(triple(&normal, &sides[2], &w[2]));
        let far = f32x8::splat(simd, f32::INFINITY);
        best = best.min(inside.simd_ge(zero).select(height * height, far));
    }
    // Their corners over my face.
    let plane = my_sides[0].cross(my_sides[1]).try_normalize().unwrap_or(Vec3::ZERO);
    if plane != Vec3::ZERO {
        for theirs in &corners {
            let w = [from(theirs, one[0]), from(theirs, one[1]), from(theirs, one[2])];
            let height = dot1(&w[0], plane);
            // `w` points from their corner to mine: inside my sides it is on the other hand.
            let inside = (dot1(&w[0], plane.cross(my_sides[0])))
                .max(dot1(&w[1], plane.cross(my_sides[1])))
                .max(dot1(&w[2], plane.cross(my_sides[2])));
            let far = f32x8::splat(simd, f32::INFINITY);
            best = best.min(inside.simd_le(zero).select(height * height, far));
        }
    }
    let mut squares = [0.0; LANES];
    best.store_slice(&mut squares);
    squares
}

#[inline(always)]
fn minus<S: Simd>(a: &[f32x8<S>; 3], b: &[f32x8<S>; 3]) -> [f32x8<S>; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// From each of eight points to one.
#[inline(always)]
fn from<S: Simd>(a: &[f32x8<S>; 3], to: Vec3) -> [f32x8<S>; 3] {
    [-(a[0] - to.x), -(a[1] - to.y), -(a[2] - to.z)]
}

/// `n · (s × w)`: positive if `w` is to the left of `s` seen against `n`.
#[inline(always)]
fn triple<S: Simd>(n: &[f32x8<S>; 3], s: &[f32x8<S>; 3], w: &[f32x8<S>; 3]) -> f32x8<S> {
    n[0] * (s[1] * w[2] - s[2] * w[1])
        + n[1] * (s[2] * w[0] - s[0] * w[2])
        + n[2] * (s[0] * w[1] - s[1] * w[0])
}
