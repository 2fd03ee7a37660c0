//! Triangles.

use super::boxes::Single;
use super::{
    Eight, LANES, Rigid, Vectors, abs3, cross, dot, dot1, dots, from_one, load3, minus, not_beyond, one_side,
    range, store3, to_one,
};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask, f32x8};
use glam::{DVec3, Vec3};

/// Up to eight triangles.
#[derive(Clone, Debug)]
pub(crate) struct Triangles {
    /// `corners[i][k]`: coordinate `k` of corner `i`.
    pub(super) corners: [[Eight; 3]; 3],
    /// Unit normals, accurate to the last digits; zero where there is none.
    pub(super) normal: [Eight; 3],
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
    fn load<S: Simd>(&self, simd: S) -> [Vectors<S>; 3] {
        [load3(simd, &self.corners[0]), load3(simd, &self.corners[1]), load3(simd, &self.corners[2])]
    }

    /// The same triangles elsewhere.
    #[inline(always)]
    pub(crate) fn placed<S: Simd>(&self, simd: S, place: &Rigid) -> Self {
        const ZERO: [Eight; 3] = [Eight([0.0; LANES]); 3];
        let mut placed = Self { corners: [ZERO; 3], normal: ZERO, fat: self.fat };
        for i in 0..3 {
            store3(&place.points(&load3(simd, &self.corners[i])), &mut placed.corners[i]);
        }
        store3(&place.vectors(&load3(simd, &self.normal)), &mut placed.normal);
        placed
    }

    /// A triangle to be compared with eight.
    #[inline(always)]
    pub(crate) fn one(&self, lane: usize) -> One {
        One { corners: self.triangle(lane), normal: self.normal(lane), is_fat: self.is_fat(lane) }
    }

    /// The corners of a triangle.
    #[inline(always)]
    pub(crate) fn triangle(&self, lane: usize) -> [Vec3; 3] {
        let corner = |i: usize| {
            Vec3::new(self.corners[i][0].0[lane], self.corners[i][1].0[lane], self.corners[i][2].0[lane])
        };
        [corner(0), corner(1), corner(2)]
    }
}

/// A triangle that is compared with eight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct One {
    pub(crate) corners: [Vec3; 3],
    /// Unit normal; zero if there is none.
    pub(crate) normal: Vec3,
    /// Whether it is no sliver.
    pub(crate) is_fat: bool,
}

/// How far each of eight triangles lies on one side of the plane of one, or the other way round; negative if on both.
#[inline(always)]
fn gap_of_planes<S: Simd>(corners: &[Vectors<S>; 3], normal: &Vectors<S>, one: &One) -> f32x8<S> {
    let offset = dot(normal, &corners[0]);
    let [p, q, r] = one.corners;
    let of_one = [dot1(normal, p) - offset, dot1(normal, q) - offset, dot1(normal, r) - offset];
    let offset = one.normal.dot(p);
    let of_eight = [
        dot1(&corners[0], one.normal) - offset,
        dot1(&corners[1], one.normal) - offset,
        dot1(&corners[2], one.normal) - offset,
    ];
    one_side(&of_one).max(one_side(&of_eight))
}

/// Which of eight triangles are not apart from a box by more than the margin, as bits: along the axes of the box and the
/// normals of the triangles.
#[inline(always)]
pub(crate) fn triangles_in_box<S: Simd>(simd: S, triangles: &Triangles, one: &Single, margin: f32) -> u32 {
    let (gaps, of_normal) = gaps_of_box(simd, triangles, one);
    let gap = gaps[0].max(gaps[1]).max(gaps[2]).max(of_normal);
    not_beyond(gap, f32x8::splat(simd, margin))
}

/// Which of eight triangles may be within each of two distances of a box, as bits.
#[inline(always)]
pub(crate) fn triangles_near_box<S: Simd>(
    simd: S,
    triangles: &Triangles,
    one: &Single,
    distances: [f32; 2],
) -> [u32; 2] {
    let bound = distances_of_box(simd, triangles, one);
    [not_beyond(bound, f32x8::splat(simd, distances[0])), not_beyond(bound, f32x8::splat(simd, distances[1]))]
}

/// For each of eight triangles a bound below its distance from a box, up to the margin of single precision.
#[inline(always)]
pub(crate) fn triangle_box_distances<S: Simd>(simd: S, triangles: &Triangles, one: &Single) -> [f32; LANES] {
    let mut bounds = [0.0; LANES];
    distances_of_box(simd, triangles, one).store_slice(&mut bounds);
    bounds
}

#[inline(always)]
fn distances_of_box<S: Simd>(simd: S, triangles: &Triangles, one: &Single) -> f32x8<S> {
    let (gaps, of_normal) = gaps_of_box(simd, triangles, one);
    let zero = f32x8::splat(simd, 0.0);
    let gaps = [gaps[0].max(zero), gaps[1].max(zero), gaps[2].max(zero)];
    dot(&gaps, &gaps).sqrt().max(of_normal)
}

/// Gaps between eight triangles and a box along the axes of the box, and along the normals of the triangles.
#[inline(always)]
fn gaps_of_box<S: Simd>(simd: S, triangles: &Triangles, one: &Single) -> (Vectors<S>, f32x8<S>) {
    let [a, b, c] = triangles.load(simd);
    let corners = [from_one(one.centre, &a), from_one(one.centre, &b), from_one(one.centre, &c)];
    let shadows = [dots(&corners[0], &one.axes), dots(&corners[1], &one.axes), dots(&corners[2], &one.axes)];
    let half = one.half;
    let gaps = [
        one_side(&[shadows[0][0], shadows[1][0], shadows[2][0]]) - half.x,
        one_side(&[shadows[0][1], shadows[1][1], shadows[2][1]]) - half.y,
        one_side(&[shadows[0][2], shadows[1][2], shadows[2][2]]) - half.z,
    ];
    let normal = load3(simd, &triangles.normal);
    let tilt = abs3(&dots(&normal, &one.axes));
    let height = dot(&normal, &corners[0]).abs();
    (gaps, height - (tilt[0] * half.x + tilt[1] * half.y + tilt[2] * half.z))
}

/// Which of eight triangles are not apart from one by more than the margin, as bits.
///
/// Planes of both, then the products of their sides. A product `L` is not of unit length: the margin is multiplied by the sum
/// of its absolute coordinates, which is at least its length.
#[inline(always)]
pub(crate) fn triangles_met<S: Simd>(simd: S, triangles: &Triangles, one: &One, margin: f32) -> u32 {
    let corners = triangles.load(simd);
    let gap = gap_of_planes(&corners, &load3(simd, &triangles.normal), one);
    let mut met = not_beyond(gap, f32x8::splat(simd, margin));
    if met == 0 {
        return 0;
    }
    let [p, q, r] = one.corners;
    let my_sides = [q - p, r - q, p - r];
    for i in 0..3 {
        let side = minus(&corners[(i + 1) % 3], &corners[i]);
        for other in my_sides {
            let axis = [
                side[1].mul_sub(other.z, side[2] * other.y),
                side[2].mul_sub(other.x, side[0] * other.z),
                side[0].mul_sub(other.y, side[1] * other.x),
            ];
            // Below the normal numbers products are rounded by more than a part of them.
            let allowed = (axis[0].abs() + axis[1].abs() + axis[2].abs()) * margin + f32::MIN_POSITIVE;
            let (my_low, my_high) = range(&[dot1(&axis, p), dot1(&axis, q), dot1(&axis, r)]);
            let (low, high) =
                range(&[dot(&axis, &corners[0]), dot(&axis, &corners[1]), dot(&axis, &corners[2])]);
            let gap = (my_low - high).max(low - my_high);
            met &= not_beyond(gap, allowed);
        }
    }
    met
}

/// Which of eight triangles may be within `cut` of one, as bits: a quick look before [`super::pair_distances_sq`].
///
/// Their boxes along the coordinate axes, and the planes of both.
#[inline(always)]
pub(crate) fn triangles_within<S: Simd>(simd: S, triangles: &Triangles, one: &One, cut: f32) -> u32 {
    let corners = triangles.load(simd);
    let zero = f32x8::splat(simd, 0.0);
    let [p, q, r] = one.corners;
    let (min, max) = (p.min(q).min(r), p.max(q).max(r));
    let mut boxes_sq = zero;
    for k in 0..3 {
        let (low, high) = range(&[corners[0][k], corners[1][k], corners[2][k]]);
        let gap = (low - max[k]).max(-(high - min[k])).max(zero);
        boxes_sq = gap.mul_add(gap, boxes_sq);
    }
    let planes = gap_of_planes(&corners, &load3(simd, &triangles.normal), one);
    not_beyond(boxes_sq, f32x8::splat(simd, cut * cut)) & not_beyond(planes, f32x8::splat(simd, cut))
}

/// What [tangents](crate::tree::Tree) are asked of at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tangent {
    pub(crate) point: Vec3,
    /// How far from there it shall hold.
    pub(crate) radius: f32,
    /// Its slope.
    pub(crate) slope: Vec3,
    /// What single precision may do to a distance.
    pub(crate) margin: f32,
}

/// For which of eight triangles `d - radius · |n - slope|` may be no more than `least`, as bits, where `d` is the distance of the point
/// and `n` the unit vector from the triangle to it.
///
/// The nearest point is on a side, or it is the foot of the perpendicular if that is in the triangle: where rounding leaves that open,
/// either must be beyond. What is found is a point within the margin `m` of the triangle, at a distance of at most `d + m`. Of a convex set
/// such a point is within `e = m + sqrt(2 d m + m²)` of the nearest one, and so `n` is off by `2 e / d` at most. Squares of lengths must not
/// vanish: for things so small the margin is infinite.
#[inline(always)]
pub(crate) fn tangents_below<S: Simd>(simd: S, triangles: &Triangles, asked: &Tangent, least: f32) -> u32 {
    let zero = f32x8::splat(simd, 0.0);
    let corners = triangles.load(simd);
    let normal = load3(simd, &triangles.normal);
    let to_point = [
        to_one(&corners[0], asked.point),
        to_one(&corners[1], asked.point),
        to_one(&corners[2], asked.point),
    ];
    let tiny = f32x8::splat(simd, f32::MIN_POSITIVE);
    let mut nearest = to_point[0];
    let mut nearest_sq = f32x8::splat(simd, f32::INFINITY);
    let mut outside = 0;
    for i in 0..3 {
        let side = minus(&corners[(i + 1) % 3], &corners[i]);
        let along = dot(&to_point[i], &side) / dot(&side, &side).max(tiny);
        let along = along.max(zero).min(f32x8::splat(simd, 1.0));
        let from_side = [
            (-along).mul_add(side[0], to_point[i][0]),
            (-along).mul_add(side[1], to_point[i][1]),
            (-along).mul_add(side[2], to_point[i][2]),
        ];
        let square = dot(&from_side, &from_side);
        let is_nearer = square.simd_lt(nearest_sq);
        nearest_sq = is_nearer.select(square, nearest_sq);
        for k in 0..3 {
            nearest[k] = is_nearer.select(from_side[k], nearest[k]);
        }
        // In the plane, inward from the side.
        let inward = cross(&normal, &side);
        let allowed = (inward[0].abs() + inward[1].abs() + inward[2].abs()) * asked.margin;
        outside |= (-dot(&inward, &to_point[i])).simd_gt(allowed).to_bitmask() as u32;
    }
    let height = dot(&normal, &to_point[0]);
    let upright = [normal[0] * height, normal[1] * height, normal[2] * height];
    let limit = f32x8::splat(simd, least);
    not_beyond(tangent_term(&nearest, asked), limit)
        | (not_beyond(tangent_term(&upright, asked), limit) & !outside)
}

/// A bound below what a triangle whose nearest point is so far `away` adds to a tangent; no number if that is nothing.
#[inline(always)]
fn tangent_term<S: Simd>(away: &Vectors<S>, asked: &Tangent) -> f32x8<S> {
    let distance = dot(away, away).sqrt();
    let unit = [away[0] / distance, away[1] / distance, away[2] / distance];
    let turned = from_one(asked.slope, &unit);
    let turned = dot(&turned, &turned).sqrt();
    let off = ((distance * (2.0 * asked.margin) + asked.margin * asked.margin).sqrt() + asked.margin) * 2.0;
    // Twice the margin for the distance and for `least`; rounding of directions is covered by what they may be off.
    distance - (turned + off / distance) * asked.radius - 2.0 * asked.margin
}
