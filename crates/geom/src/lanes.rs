//! Tests on eight boxes or triangles at once, in single precision.
//!
//! They answer only "apart, by more than the margin": what is not proven apart counts as met. The margin is the caller's
//! and must cover all rounding. Everything here is an inline function, so that it takes on the instructions of the caller.

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask, f32x8, mask32x8};
use glam::{DVec3, Mat3, Vec3};

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
    /// Unit normals, accurate to the last digits; zero where there is none.
    normal: [Eight; 3],
    /// Lanes of triangles that are not slivers, as bits: no height is less than an eighth of the longest side.
    fat: u32,
}

impl Triangles {
    pub(crate) fn of(triangles: &[[DVec3; 3]]) -> Self {
        /// Doubled area over the square of the longest side below which a triangle has no normal worth having.
        const NO_NORMAL: f64 = 1e-9;
        let at = |lane: usize| triangles.get(lane).unwrap_or(&triangles[0]);
        let shape = |lane: usize| {
            let [a, b, c] = *at(lane);
            let longest_sq =
                [b - a, c - b, a - c].iter().map(|side| side.length_squared()).fold(0.0, f64::max);
            let cross = (b - a).cross(c - a);
            let flatness = cross.length() / longest_sq; // The least height over the longest side; NaN of a point.
            let normal = cross.try_normalize().filter(|_| flatness > NO_NORMAL).unwrap_or(DVec3::ZERO);
            (normal.as_vec3(), flatness > 0.125)
        };
        let shapes: [(Vec3, bool); LANES] = std::array::from_fn(shape);
        let eight = |number: &dyn Fn(usize) -> f32| Eight(std::array::from_fn(number));
        Self {
            corners: std::array::from_fn(|i| std::array::from_fn(|k| eight(&|lane| at(lane)[i][k] as f32))),
            normal: std::array::from_fn(|k| eight(&|lane| shapes[lane].0[k])),
            fat: (0..LANES).fold(0, |bits, lane| bits | u32::from(shapes[lane].1) << lane),
        }
    }

    /// Whether a triangle is no sliver.
    #[inline(always)]
    pub(crate) fn is_fat(&self, lane: usize) -> bool {
        self.fat & (1 << lane) != 0
    }

    /// The unit normal of a triangle; zero if it has none.
    #[inline(always)]
    pub(crate) fn normal(&self, lane: usize) -> Vec3 {
        Vec3::new(self.normal[0].0[lane], self.normal[1].0[lane], self.normal[2].0[lane])
    }

    #[inline(always)]
    pub(crate) fn triangle(&self, lane: usize) -> [Vec3; 3] {
        let corner = |i: usize| {
            Vec3::new(self.corners[i][0].0[lane], self.corners[i][1].0[lane], self.corners[i][2].0[lane])
        };
        [corner(0), corner(1), corner(2)]
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

/// For each of eight triangles two squares: of a bound below its distance from one, and of the distance of two of their
/// points, as single precision has them.
///
/// The bound below may be too large by some 2⁻²⁰ of the squares of the sides where sides are nearly parallel. The bound
/// above holds up to the margin: points on sides are on the triangles however badly they were computed, and those inside
/// faces count only where neither triangle is a sliver, on whose tip rounding could lead far off.
#[inline(always)]
pub(crate) fn triangle_distances_sq<S: Simd>(
    simd: S,
    triangles: &Triangles,
    one: &[Vec3; 3],
    plane: Vec3,
    one_is_fat: bool,
) -> ([f32; LANES], [f32; LANES]) {
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
    let far = f32x8::splat(simd, f32::INFINITY);
    let mut of_sides = far;
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
            of_sides = of_sides.min(dot(&gap, &gap));
        }
    }
    let mut of_faces = far;
    // My corners over their faces.
    let normal = load3(simd, &triangles.normal);
    for &corner in one {
        let w = [from(&corners[0], corner), from(&corners[1], corner), from(&corners[2], corner)];
        let height = dot(&normal, &w[0]);
        let inside = triple(&normal, &sides[0], &w[0])
            .min(triple(&normal, &sides[1], &w[1]))
            .min(triple(&normal, &sides[2], &w[2]));
        of_faces = of_faces.min(inside.simd_ge(zero).select(height * height, far));
    }
    // Their corners over my face.
    if plane != Vec3::ZERO {
        let across = [plane.cross(my_sides[0]), plane.cross(my_sides[1]), plane.cross(my_sides[2])];
        for theirs in &corners {
            let w = [from(theirs, one[0]), from(theirs, one[1]), from(theirs, one[2])];
            let height = dot1(&w[0], plane);
            // `w` points from their corner to mine: inside my sides it is on the other hand.
            let inside = dot1(&w[0], across[0]).max(dot1(&w[1], across[1])).max(dot1(&w[2], across[2]));
            of_faces = of_faces.min(inside.simd_le(zero).select(height * height, far));
        }
    }
    let fat = if one_is_fat { triangles.fat } else { 0 };
    let sure_faces = mask32x8::from_bitmask(simd, u64::from(fat)).select(of_faces, far);
    let (mut below, mut above) = ([0.0; LANES], [0.0; LANES]);
    of_sides.min(of_faces).store_slice(&mut below);
    of_sides.min(sure_faces).store_slice(&mut above);
    (below, above)
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

/// For each of eight boxes its distance from a point; infinite for lanes that are not in use.
#[inline(always)]
pub(crate) fn point_box_distances<S: Simd>(simd: S, boxes: &Boxes, point: Vec3) -> [f32; LANES] {
    let half = load3(simd, &boxes.half);
    let centre = load3(simd, &boxes.centre);
    let between = [-(centre[0] - point.x), -(centre[1] - point.y), -(centre[2] - point.z)];
    let zero = f32x8::splat(simd, 0.0);
    let mut sum = zero;
    for (axis, half) in boxes.axes.iter().zip(half) {
        let gap = (dot(&load3(simd, axis), &between).abs() - half).max(zero);
        sum += gap * gap;
    }
    let mut distances = [0.0; LANES];
    sum.sqrt().store_slice(&mut distances);
    for (lane, distance) in distances.iter_mut().enumerate() {
        if boxes.used & (1 << lane) == 0 {
            *distance = f32::INFINITY;
        }
    }
    distances
}

/// Which of eight triangles may be within `cut` of one, as bits: a quick look before [`triangle_distances_sq`].
///
/// Their boxes along the coordinate axes, and the planes of both.
#[inline(always)]
pub(crate) fn triangles_within<S: Simd>(
    simd: S,
    triangles: &Triangles,
    one: &[Vec3; 3],
    plane: Vec3,
    cut: f32,
) -> u32 {
    let corners = [
        load3(simd, &triangles.corners[0]),
        load3(simd, &triangles.corners[1]),
        load3(simd, &triangles.corners[2]),
    ];
    let zero = f32x8::splat(simd, 0.0);
    let (min, max) = (one[0].min(one[1]).min(one[2]), one[0].max(one[1]).max(one[2]));
    let mut boxes_sq = zero;
    for k in 0..3 {
        let low = corners[0][k].min(corners[1][k]).min(corners[2][k]);
        let high = corners[0][k].max(corners[1][k]).max(corners[2][k]);
        let gap = (low - max[k]).max(-(high - min[k])).max(zero);
        boxes_sq += gap * gap;
    }
    let normal = load3(simd, &triangles.normal);
    let offset = dot(&normal, &corners[0]);
    let heights =
        [dot1(&normal, one[0]) - offset, dot1(&normal, one[1]) - offset, dot1(&normal, one[2]) - offset];
    let low = heights[0].min(heights[1]).min(heights[2]);
    let high = heights[0].max(heights[1]).max(heights[2]);
    let mut planes = low.max(-high);
    let offset = plane.dot(one[0]);
    let heights = [
        dot1(&corners[0], plane) - offset,
        dot1(&corners[1], plane) - offset,
        dot1(&corners[2], plane) - offset,
    ];
    let low = heights[0].min(heights[1]).min(heights[2]);
    let high = heights[0].max(heights[1]).max(heights[2]);
    planes = planes.max(low.max(-high));
    let near = boxes_sq.simd_le(f32x8::splat(simd, cut * cut)) & planes.simd_le(f32x8::splat(simd, cut));
    near.to_bitmask() as u32
}

/// Which of eight boxes a segment, given by its middle and half of it, may meet, as bits: along the axes of the boxes.
#[inline(always)]
pub(crate) fn boxes_met_by_segment<S: Simd>(
    simd: S,
    boxes: &Boxes,
    middle: Vec3,
    half: Vec3,
    margin: f32,
) -> u32 {
    let centre = load3(simd, &boxes.centre);
    let between = [-(centre[0] - middle.x), -(centre[1] - middle.y), -(centre[2] - middle.z)];
    let mut gap = f32x8::splat(simd, f32::NEG_INFINITY);
    for (axis, reach) in boxes.axes.iter().zip(&boxes.half) {
        let axis = load3(simd, axis);
        gap = gap.max(dot(&axis, &between).abs() - load(simd, reach) - dot1(&axis, half).abs());
    }
    gap.simd_le(f32x8::splat(simd, margin)).to_bitmask() as u32 & boxes.used
}
