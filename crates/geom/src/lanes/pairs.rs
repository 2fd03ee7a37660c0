//! Pairs of triangles, eight at a time.

use super::triangles::{One, Triangles};
use super::{Eight, LANES, Vectors, cross, dot, load, load3, minus};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, f32x8};

/// Eight pairs of triangles from anywhere, in one frame.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    mine: Side,
    theirs: Side,
    /// 1 where neither triangle is a sliver.
    fat: Eight,
}

/// One triangle of each pair.
#[derive(Clone, Debug)]
struct Side {
    /// `corners[i][k]`: coordinate `k` of corner `i`.
    corners: [[Eight; 3]; 3],
    normal: [Eight; 3],
}

const NONE: Side = Side { corners: [[Eight([0.0; LANES]); 3]; 3], normal: [Eight([0.0; LANES]); 3] };

impl Pairs {
    /// Eight pairs of points.
    pub(crate) const EMPTY: Self = Self { mine: NONE, theirs: NONE, fat: Eight([0.0; LANES]) };

    /// Puts a triangle and one of eight into a lane.
    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, one: &One, triangles: &Triangles, k: usize) {
        let (lane, k) = (lane % LANES, k % LANES); // In range, so that no bounds are checked in the loops.
        for (i, corner) in one.corners.iter().enumerate() {
            for (axis, number) in corner.to_array().into_iter().enumerate() {
                self.mine.corners[i][axis].0[lane] = number;
                self.theirs.corners[i][axis].0[lane] = triangles.corners[i][axis].0[k];
            }
        }
        for (axis, number) in one.normal.to_array().into_iter().enumerate() {
            self.mine.normal[axis].0[lane] = number;
            self.theirs.normal[axis].0[lane] = triangles.normal[axis].0[k];
        }
        self.fat.0[lane] = f32::from(u8::from(one.is_fat && triangles.is_fat(k)));
    }
}

/// A triangle in each lane, with its sides.
struct Loaded<S: Simd> {
    corners: [Vectors<S>; 3],
    sides: [Vectors<S>; 3],
    normal: Vectors<S>,
    /// One over the squares of the sides; of a side without length some large number.
    per_sq: [f32x8<S>; 3],
    squares: [f32x8<S>; 3],
}

impl Side {
    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> Loaded<S> {
        let [p, q, r] =
            [load3(simd, &self.corners[0]), load3(simd, &self.corners[1]), load3(simd, &self.corners[2])];
        let sides = [minus(&q, &p), minus(&r, &q), minus(&p, &r)];
        let tiny = f32x8::splat(simd, f32::MIN_POSITIVE);
        let squares = [
            dot(&sides[0], &sides[0]).max(tiny),
            dot(&sides[1], &sides[1]).max(tiny),
            dot(&sides[2], &sides[2]).max(tiny),
        ];
        let one = f32x8::splat(simd, 1.0);
        let per_sq = [one / squares[0], one / squares[1], one / squares[2]];
        Loaded { corners: [p, q, r], sides, normal: load3(simd, &self.normal), per_sq, squares }
    }
}

/// For each of eight pairs two squares: of a bound below their distance, and of the distance of two of their points, as
/// single precision has them.
///
/// The bound below may be too large by some 2⁻²⁰ of the squares of the sides where sides are nearly parallel. The bound
/// above holds up to the margin: points on sides are on the triangles however badly they were computed, and those inside
/// faces count only where neither triangle is a sliver, on whose tip rounding could lead far off.
#[inline(always)]
pub(crate) fn pair_distances_sq<S: Simd>(simd: S, pairs: &Pairs) -> ([f32; LANES], [f32; LANES]) {
    let (mine, theirs) = (pairs.mine.load(simd), pairs.theirs.load(simd));
    let far = f32x8::splat(simd, f32::INFINITY);
    let mut of_sides = far;
    for i in 0..3 {
        for j in 0..3 {
            of_sides = of_sides.min(sides_sq(simd, &mine, i, &theirs, j));
        }
    }
    let of_faces = face_sq(simd, &mine, &theirs).min(face_sq(simd, &theirs, &mine));
    let fat = load(simd, &pairs.fat).simd_gt(f32x8::splat(simd, 0.0));
    let (mut below, mut above) = ([0.0; LANES], [0.0; LANES]);
    of_sides.min(of_faces).store_slice(&mut below);
    of_sides.min(fat.select(of_faces, far)).store_slice(&mut above);
    (below, above)
}

/// The squares of the distances of two sides (Ericson 2005, 5.1.9, both ends clamped in turn).
///
/// Divided by a square of a side first, so that no product of four lengths can vanish.
#[inline(always)]
fn sides_sq<S: Simd>(simd: S, mine: &Loaded<S>, i: usize, theirs: &Loaded<S>, j: usize) -> f32x8<S> {
    let tiny = f32x8::splat(simd, f32::MIN_POSITIVE);
    let (s, t) = (&mine.sides[i], &theirs.sides[j]);
    let w = minus(&mine.corners[i], &theirs.corners[j]); // From their corner to mine.
    let (b, c) = (dot(s, t), dot(s, &w));
    let (b_per, f_per) = (b * theirs.per_sq[j], dot(t, &w) * theirs.per_sq[j]);
    let determinant = (-b).mul_add(b_per, mine.squares[i]).max(tiny);
    let u = clamp(simd, b.mul_sub(f_per, c) / determinant);
    let v = clamp(simd, b_per.mul_add(u, f_per));
    let u = clamp(simd, b.mul_sub(v, c) * mine.per_sq[i]);
    let gap = [
        u.mul_add(s[0], (-v).mul_add(t[0], w[0])),
        u.mul_add(s[1], (-v).mul_add(t[1], w[1])),
        u.mul_add(s[2], (-v).mul_add(t[2], w[2])),
    ];
    dot(&gap, &gap)
}

/// The least square of the heights of my corners over their faces; infinite if none is over one, or a triangle has no
/// normal: then its sides are as close.
#[inline(always)]
fn face_sq<S: Simd>(simd: S, mine: &Loaded<S>, theirs: &Loaded<S>) -> f32x8<S> {
    let (zero, far) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, f32::INFINITY));
    // In the plane, pointing inward from each side.
    let inward = [
        cross(&theirs.normal, &theirs.sides[0]),
        cross(&theirs.normal, &theirs.sides[1]),
        cross(&theirs.normal, &theirs.sides[2]),
    ];
    let mut least = far;
    for corner in &mine.corners {
        let w = [
            minus(corner, &theirs.corners[0]),
            minus(corner, &theirs.corners[1]),
            minus(corner, &theirs.corners[2]),
        ];
        let height = dot(&theirs.normal, &w[0]);
        let inside = dot(&inward[0], &w[0]).min(dot(&inward[1], &w[1])).min(dot(&inward[2], &w[2]));
        least = least.min(inside.simd_gt(zero).select(height * height, far));
    }
    least
}

#[inline(always)]
fn clamp<S: Simd>(simd: S, x: f32x8<S>) -> f32x8<S> {
    x.max(f32x8::splat(simd, 0.0)).min(f32x8::splat(simd, 1.0))
}
