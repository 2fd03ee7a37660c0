use super::Field;
use super::balls::Walk;
use super::cell::{HEIGHT_MASK, SLOPE_MASK, SLOPE_OFFSET, SLOPES, STEPS, ZERO, slope_shift, steps_above};
use super::grid::{EDGE, Grid, SPREAD, Single};
use crate::bounds::Ball;
use crate::lanes::{Eight, LANES, Vectors, load, load3};
use crate::pose::Pose;
use crate::tree::Scratch;
use fearless_simd::{Simd, SimdBase, SimdFloat, SimdInt, SimdMask, dispatch, f32x8, u32x8};
use glam::{DVec3, Mat3, Vec3};

/// Balls, where they are and how large, coordinate by coordinate.
#[derive(Clone, Debug)]
pub(crate) struct Balls {
    pub(crate) centre: [Eight; 3],
    pub(crate) radius: Eight,
    largest: f32,
}

impl Balls {
    /// Up to eight balls as seen from a middle. The radii make up for what single precision does to the centres; lanes that are left
    /// over repeat the last one.
    pub(crate) fn around(balls: &[Ball], middle: DVec3) -> Self {
        let ball = |k: usize| balls[k.min(balls.len() - 1)];
        let from_middle = |k: usize| ball(k).centre() - middle;
        let radius = |k: usize| {
            let centre = from_middle(k);
            let lost =
                centre.distance(centre.as_vec3().as_dvec3()) + 4.0 * f64::EPSILON * ball(k).centre().length();
            (ball(k).radius() + lost) as f32 * (1.0 + f32::EPSILON)
        };
        let radius = std::array::from_fn(radius);
        Self {
            centre: std::array::from_fn(|axis| Eight(std::array::from_fn(|k| from_middle(k)[axis] as f32))),
            radius: Eight(radius),
            largest: radius.into_iter().fold(0.0, f32::max),
        }
    }

    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S) -> Loaded<S> {
        let centre = load3(simd, &self.centre);
        Loaded { centre, radius: load(simd, &self.radius), largest: self.largest }
    }
}

/// Eight balls as they are looked up.
pub(crate) struct Loaded<S: Simd> {
    pub(super) centre: Vectors<S>,
    pub(super) radius: f32x8<S>,
    /// The largest radius.
    pub(super) largest: f32,
}

/// Where balls are that are looked up together: in double precision a middle, and in single precision how far they are from there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The middle, in the frame of the balls.
    pub middle: DVec3,
    /// Everything is within this of it.
    pub reach: f64,
}

/// Balls as they lie in a field.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    turn: Mat3,
    shift: Vec3,
    /// Metres that cover all rounding of single precision, and that of the placement in double precision.
    margin: f32,
}

/// What was found of eight balls.
pub(crate) struct Freed<S: Simd> {
    /// Those that are not proven free, as bits.
    pub(crate) open: u32,
    /// A bound below the gap of those that are.
    pub(crate) gaps: f32x8<S>,
}

impl Look {
    /// Balls placed in the frame of a field.
    #[must_use]
    pub fn new(field: &Field, field_from_balls: Pose, balls: &Reach) -> Self {
        let shift: DVec3 = field_from_balls * balls.middle - field.origin;
        // Points are sums of a few products of numbers of this size, each rounded by 2⁻²⁴; cells are found by one subtraction
        // and one product more.
        let size = shift.length() + balls.reach + field.size;
        let farthest = |p: DVec3| p.abs().max_element();
        let coordinates =
            field.away + farthest(balls.middle) + farthest(field_from_balls.translation()) + size;
        let margin = size * 32.0 * 2f64.powi(-24) + 32.0 * f64::EPSILON * coordinates;
        Self {
            turn: field_from_balls.rotation().as_mat3(),
            shift: shift.as_vec3(),
            margin: margin as f32 * (1.0 + f32::EPSILON),
        }
    }

    /// Where eight balls are, from the origin of the field.
    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, c: &Vectors<S>) -> Vectors<S> {
        let along = |k: usize| {
            let [x, y, z] = [self.turn.x_axis[k], self.turn.y_axis[k], self.turn.z_axis[k]];
            let shift = f32x8::splat(simd, self.shift[k]);
            c[0].mul_add(
                f32x8::splat(simd, x),
                c[1].mul_add(f32x8::splat(simd, y), c[2].mul_add(f32x8::splat(simd, z), shift)),
            )
        };
        [along(0), along(1), along(2)]
    }

    /// Which of eight balls are not proven free.
    #[inline(always)]
    pub(crate) fn free<S: Simd>(
        &self,
        simd: S,
        field: &Field,
        balls: &Loaded<S>,
        asked: u32,
        scratch: &mut Scratch,
    ) -> Freed<S> {
        self.free_of(simd, field, balls, balls.radius, asked, scratch)
    }

    /// Which of eight balls are not proven free, if they reach so far about their centres.
    #[inline(always)]
    pub(super) fn free_of<S: Simd>(
        &self,
        simd: S,
        field: &Field,
        balls: &Loaded<S>,
        reach: f32x8<S>,
        asked: u32,
        scratch: &mut Scratch,
    ) -> Freed<S> {
        let p = self.place(simd, &balls.centre);
        let reach = reach + self.margin;
        // Beyond the boxes of all bodies.
        let beyond = beyond(simd, field, &p);
        let mut gaps = beyond - reach;
        let mut open = asked & !positive(gaps);
        if open == 0 {
            return Freed { open, gaps };
        }
        // Large balls are told by coarse cells, and where those nearly do by fine ones too. Small balls are looked at where coarse cells
        // are too coarse.
        if balls.largest >= 0.25 * field.coarse.single().cell {
            let found = heights(simd, field, &field.coarse, &p, open, scratch) - reach;
            gaps = gaps.max(found);
            open &= !positive(gaps);
            let hopeful = found.simd_gt(f32x8::splat(simd, -0.5 * field.coarse.single().cell));
            if open & hopeful.to_bitmask() as u32 == 0 {
                return Freed { open, gaps };
            }
        }
        gaps = gaps.max(heights(simd, field, &field.fine, &p, open, scratch) - reach);
        open &= !positive(gaps);
        Freed { open, gaps }
    }

    /// Whether one of eight balls reaches a body for certain, or comes nearer than a length.
    #[inline(always)]
    pub(crate) fn hit<S: Simd>(
        &self,
        simd: S,
        field: &Field,
        (balls, asked): (&Balls, u32),
        within: f32,
        scratch: &mut Scratch,
    ) -> bool {
        let Loaded { centre, radius, .. } = balls.load(simd);
        let radius = radius + within;
        let p = self.place(simd, &centre);
        let outside = beyond(simd, field, &p);
        let mut open = asked & !positive(outside - radius);
        let inner = radius - self.margin;
        for grid in [&field.coarse, &field.fine] {
            if open == 0 {
                return false;
            }
            let cells = Cells::of(simd, grid, &p, open);
            let [x, y, z] = cells.within;
            let from_centre = (x * x + y * y + z * z).sqrt() * (grid.single().cell * (1.0 + 1e-6));
            let above = load(simd, &cells.above(field, grid, scratch)) * (grid.single().cell / STEPS);
            // Rounding, also of what is below zero.
            let sure = above + above.abs() * 1e-6;
            if positive(inner - (sure + from_centre)) & cells.inside != 0 {
                return true;
            }
            // The bound from above is nearly the distance of the centre, so some are far enough away; and of others the plane says so.
            // Nothing leans on that: what is left out here is found later.
            open = cells.inside & !positive(above - from_centre - radius);
            if open != 0 && grid.cell() > field.fine.cell() {
                let planes = cells.planes(field, grid, open, scratch);
                open &= !positive(of_planes(simd, &planes, grid, &cells.within) - radius);
            }
        }
        false
    }
}

impl Walk {
    /// Bounds below the distances of up to eight points, as the coarse cells know them; outside of the region, as the box around all
    /// bodies does. What is no number is not known to be away.
    pub fn roughly(&self, field: &Field, points: &[DVec3], scratch: &mut Scratch) -> [f32; LANES] {
        let mut from_origin = [Eight([0.0; LANES]); 3];
        let mut farthest: f64 = 0.0;
        for (lane, point) in points.iter().enumerate() {
            let p = *point - field.origin;
            farthest = farthest.max(point.abs().max_element());
            (0..3).for_each(|axis| from_origin[axis].0[lane] = p[axis] as f32);
        }
        // As for balls: a few roundings of single precision, and those of the placement.
        let size = farthest + field.away + field.size;
        let margin = (size * 32.0 * 2f64.powi(-24)) as f32 * (1.0 + f32::EPSILON);
        let asked = (1 << points.len()) - 1;
        let level = self.level;
        let mut gaps = [0.0; LANES];
        dispatch!(level, simd => {
            let p = load3(simd, &from_origin);
            let known = heights(simd, field, &field.coarse, &p, asked, scratch);
            (beyond(simd, field, &p).max(known) - margin).store_slice(&mut gaps);
        });
        gaps
    }
}

/// How far beyond the boxes of all bodies.
#[inline(always)]
fn beyond<S: Simd>(simd: S, field: &Field, p: &Vectors<S>) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let [low, high] = field.single.extent;
    let side = |k: usize| (f32x8::splat(simd, low[k]) - p[k]).max(p[k] - high[k]).max(zero);
    let [x, y, z] = [side(0), side(1), side(2)];
    (x * x + y * y + z * z).sqrt() * (1.0 - 1e-6)
}

/// Lanes that are positive for certain, as bits.
#[inline(always)]
fn positive<S: Simd>(x: f32x8<S>) -> u32 {
    x.simd_gt(f32x8::splat(x.simd, 0.0)).to_bitmask() as u32
}

/// Bounds below the distance of the points that are asked about; negative where nothing is known.
#[inline(always)]
fn heights<S: Simd>(
    simd: S,
    field: &Field,
    grid: &Grid,
    p: &Vectors<S>,
    asked: u32,
    scratch: &mut Scratch,
) -> f32x8<S> {
    let cells = Cells::of(simd, grid, p, asked);
    of_planes(simd, &cells.planes(field, grid, asked, scratch), grid, &cells.within)
}

/// The cells of eight points.
struct Cells<S: Simd> {
    /// Lanes that have one, as bits.
    inside: u32,
    index: [u32; LANES],
    /// From the centre of the cell, in units of its edge.
    within: Vectors<S>,
}

impl<S: Simd> Cells<S> {
    #[inline(always)]
    fn of(simd: S, grid: &Grid, p: &Vectors<S>, asked: u32) -> Self {
        let Single { low, per_metre, count, bricks, .. } = *grid.single();
        let at = |k: usize| (p[k] - low[k]) * per_metre;
        let [x, y, z] = [at(0), at(1), at(2)];
        let zero = f32x8::splat(simd, 0.0);
        let is_in = |q: f32x8<S>, n: f32| q.simd_ge(zero) & q.simd_lt(f32x8::splat(simd, n));
        let inside = (is_in(x, count.x) & is_in(y, count.y) & is_in(z, count.z)).to_bitmask() as u32 & asked;
        let floor = [x.floor(), y.floor(), z.floor()];
        let whole = |k: usize| -> u32x8<S> { floor[k].to_int() };
        let [i, j, k] = [whole(0), whole(1), whole(2)];
        let brick = ((k >> 3) * bricks.y + (j >> 3)) * bricks.x + (i >> 3);
        // The bits of the three places in a brick in turns: so cells that are neighbours share a line of the cache.
        let spread = |v: u32x8<S>| {
            let v = v & u32x8::splat(simd, EDGE - 1);
            (v | (v << 2) | (v << 4)) & u32x8::splat(simd, SPREAD)
        };
        let index = (brick << 9) + (spread(i) | (spread(j) << 1) | (spread(k) << 2));
        let mut cells = Self {
            inside,
            index: [0; LANES],
            within: [x - floor[0] - 0.5, y - floor[1] - 0.5, z - floor[2] - 0.5],
        };
        index.store_slice(&mut cells.index);
        cells
    }

    /// The planes of the cells of some lanes.
    #[inline(always)]
    fn planes(&self, field: &Field, grid: &Grid, asked: u32, scratch: &mut Scratch) -> [u32; LANES] {
        let mut planes = [NOTHING; LANES];
        let mut left = self.inside & asked;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            planes[lane] = field.plane(grid, self.index[lane], scratch);
        }
        planes
    }

    /// Bounds above the signed distances of the centres of all cells, in steps; infinite where nothing is known.
    #[inline(always)]
    fn above(&self, field: &Field, grid: &Grid, scratch: &mut Scratch) -> Eight {
        let mut above = Eight([f32::INFINITY; LANES]);
        let mut left = self.inside;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            above.0[lane] = steps_above(field.above(grid, self.index[lane], scratch));
        }
        above
    }
}

/// Flat, and far below any surface.
const NOTHING: u32 = (SLOPE_OFFSET as u32) << slope_shift(0)
    | (SLOPE_OFFSET as u32) << slope_shift(1)
    | (SLOPE_OFFSET as u32) << slope_shift(2);

/// Bounds below the distances of points in their cells, by their planes.
#[inline(always)]
fn of_planes<S: Simd>(simd: S, planes: &[u32; LANES], grid: &Grid, within: &Vectors<S>) -> f32x8<S> {
    let plane = u32x8::from_slice(simd, planes);
    let height: f32x8<S> = (plane & u32x8::splat(simd, HEIGHT_MASK)).to_float();
    let mut sum = (height - ZERO as f32) * (1.0 / STEPS);
    for (axis, within) in (0u32..).zip(within) {
        let kept: f32x8<S> = ((plane >> slope_shift(axis)) & u32x8::splat(simd, SLOPE_MASK)).to_float();
        sum += (kept - SLOPE_OFFSET as f32) * (1.0 / SLOPES) * *within;
    }
    sum * grid.single().cell
}
