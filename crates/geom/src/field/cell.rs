use super::part::{FieldPart, Near};
use crate::tree::{Scratch, Side};
use glam::DVec3;

/// What is known of a cell, in units of its edge: a plane below the distance, and from above the signed distance of its centre: to the
/// nearest body outside of all, and inside one minus the distance to its surface.
///
/// In 64 bits: whether it is known (1), the distance from above (16), three slopes (6 each) and the plane's height (14). The word of the
/// plane is never zero, for no unit vector has three slopes of -1, and neither is that of the distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known(u64);

/// Steps of a height in an edge.
pub(super) const STEPS: f32 = 256.0;
/// A height of nothing, in steps: lower ones down to four edges below the surface are kept too.
pub(super) const ZERO: u32 = 1024;
/// Steps of a slope from 0 to 1.
pub(super) const SLOPES: f32 = 31.0;
const HEIGHT_BITS: u32 = 14;
const SLOPE_BITS: u32 = 6;
const MOST: u64 = (1 << HEIGHT_BITS) - 1;
const MOST_ABOVE: u64 = (1 << 16) - 1;
/// A signed distance of nothing, in steps: inside, down to 64 edges are kept.
const ZERO_ABOVE: u64 = 1 << 14;
const KNOWN: u64 = 1 << 63;

/// The height in a word of 32 bits.
pub(super) const HEIGHT_MASK: u32 = (1 << HEIGHT_BITS) - 1;
/// A slope in a word of 32 bits, counted from the lowest bit.
pub(super) const fn slope_shift(axis: u32) -> u32 {
    HEIGHT_BITS + SLOPE_BITS * axis
}
pub(super) const SLOPE_MASK: u32 = (1 << SLOPE_BITS) - 1;
/// Added to a slope before it is kept, so that it is not negative.
pub(super) const SLOPE_OFFSET: i32 = 31;

/// A signed distance from above in steps, from its word; infinite if it is beyond all that can be kept.
#[inline(always)]
pub(super) fn steps_above(word: u16) -> f32 {
    if u64::from(word) == MOST_ABOVE { f32::INFINITY } else { f32::from(word) - ZERO_ABOVE as f32 }
}

/// A bound below the distance at a point of a cell, given from its centre, by the plane; negative if nothing is known.
#[inline]
pub(super) fn below(plane: u32, cell: f64, from_centre: DVec3) -> f64 {
    let slope = |axis: u32| f64::from((plane >> slope_shift(axis) & SLOPE_MASK) as i32 - SLOPE_OFFSET);
    let tilt = slope(0) * from_centre.x + slope(1) * from_centre.y + slope(2) * from_centre.z;
    let height = f64::from((plane & HEIGHT_MASK) as i32 - ZERO as i32);
    // Where nothing is known the plane is flat, and far below.
    height * (cell * f64::from(1.0 / STEPS)) + tilt * f64::from(1.0 / SLOPES)
}

impl Known {
    /// From its two words; none if one is not known.
    #[inline(always)]
    pub(super) fn of(plane: u32, above: u16) -> Option<Self> {
        (plane != 0 && above != 0).then_some(Self(KNOWN | u64::from(above) << 32 | u64::from(plane)))
    }

    /// From bits that are such as [`Known::pack`] makes.
    pub(super) fn of_bits(bits: u64) -> Option<Self> {
        Self::is_valid(bits).then_some(Self(bits))
    }

    /// Whether bits are such as [`Known::pack`] makes: nothing between its fields, and slopes of -1 to 1.
    pub(super) fn is_valid(bits: u64) -> bool {
        let slopes = (0..3).map(|axis| (bits >> slope_shift(axis)) as u32 & SLOPE_MASK);
        bits & KNOWN != 0
            && bits & !KNOWN & !(MOST_ABOVE << 32) <= u64::from(u32::MAX)
            && bits as u32 != 0
            && bits >> 32 & MOST_ABOVE != 0
            && slopes.into_iter().all(|slope| slope as i32 <= 2 * SLOPE_OFFSET)
    }

    pub(super) fn bits(self) -> u64 {
        self.0
    }

    /// The plane below, as 32 bits.
    pub(super) fn plane(self) -> u32 {
        self.0 as u32
    }

    /// The signed distance of the centre from above, in steps; none if it is beyond all that can be kept.
    pub(super) fn above(self) -> Option<f32> {
        let above = steps_above(self.above_word());
        above.is_finite().then_some(above)
    }

    /// The same as it is kept.
    pub(super) fn above_word(self) -> u16 {
        (self.0 >> 32 & MOST_ABOVE) as u16
    }

    /// A bound below the distance at a point of the cell, given from its centre; negative if nothing is known.
    pub(super) fn below(self, cell: f64, from_centre: DVec3) -> f64 {
        below(self.plane(), cell, from_centre)
    }

    /// A bound above the signed distance: none is longer than the way to the centre and on.
    pub(super) fn above_at(self, cell: f64, from_centre: DVec3) -> f64 {
        let step = cell / f64::from(STEPS);
        self.above().map_or(f64::INFINITY, |above| f64::from(above) * step + from_centre.length())
    }

    /// Works out what holds in the cell around a centre. The same whoever does it.
    pub(super) fn work_out(parts: &[FieldPart], centre: DVec3, cell: f64, scratch: &mut Scratch) -> Self {
        if !parts.iter().all(FieldPart::is_placed) {
            return Self::pack(0, DVec3::ZERO, MOST_ABOVE);
        }
        // Points whose cell is found with rounding may lie a little beyond it.
        let reach = 0.5 * 3f64.sqrt() * cell * (1.0 + 1e-4);
        let step = cell / f64::from(STEPS);
        // Farther away than can be kept is far.
        let far = cell * (MOST as f64 / f64::from(STEPS) + 8.0);
        let near = nearest(parts, centre, far, scratch);
        let rounding = parts.iter().map(|part| part.rounding(centre)).fold(0.0, f64::max);
        let signed = if near.depth > 0.0 { -near.depth } else { near.solid() };
        let above = ((signed + rounding) / step).ceil() + 1.0 + ZERO_ABOVE as f64;
        // What is deeper than can be kept is kept as less deep, what is farther away as unknown.
        let above = if above < MOST_ABOVE as f64 { above.max(1.0) as u64 } else { MOST_ABOVE };
        let never = Self::pack(0, DVec3::ZERO, above);
        if near.distance == f64::INFINITY {
            return match near.side {
                Side::Outside => Self::pack(MOST, DVec3::ZERO, MOST_ABOVE),
                Side::Inside | Side::Unknown => never,
            };
        }
        // A tangent to meshes must start outside of them: then the plane is no higher than zero where the way from there enters a
        // solid, and so beyond. From a point inside, or nearly on the surface, one starts above the nearest face.
        let from = match near.side {
            Side::Outside if near.distance.abs() > 1e-3 * cell => centre,
            _ if near.distance > reach => return never,
            _ => {
                let outward = if near.side == Side::Outside { near.away } else { -near.away };
                let to_surface = if near.side == Side::Outside { -near.distance } else { near.distance };
                centre + outward * (to_surface + 0.25 * cell)
            }
        };
        let moved = from.distance(centre);
        let start = if moved > 0.0 { nearest(parts, from, far, scratch) } else { near };
        if start.side != Side::Outside {
            return never;
        }
        let slope = (start.away * f64::from(SLOPES)).round() / f64::from(SLOPES);
        let radius = (reach + moved) * (1.0 + 1e-12);
        // The nearest piece is one of them: to begin with its term leaves out most others.
        let of_nearest = start.distance - radius * (start.away - slope).length();
        let mut least = if of_nearest.is_finite() { of_nearest } else { f64::INFINITY };
        for part in parts {
            // Of unit vectors and slopes, none differ by more than 2.1.
            if part.box_distance(from) - 2.1 * radius <= least {
                least = part.tangent(from, radius, slope, least, scratch);
            }
        }
        if !(least > 0.0) && !parts.iter().all(FieldPart::is_convex) {
            return never;
        }
        // Down by a step for the rounding of whoever evaluates it.
        let height = least + slope.dot(centre - from);
        let height = ((height - rounding) / step).floor() - 1.0 + f64::from(ZERO);
        if !(height >= 1.0) {
            return never;
        }
        Self::pack(if height < MOST as f64 { height as u64 } else { MOST }, slope, above)
    }

    fn pack(height: u64, slope: DVec3, above: u64) -> Self {
        let slopes = slope.to_array().map(|s| ((s * f64::from(SLOPES)).round() as i32 + SLOPE_OFFSET) as u64);
        let [x, y, z] = [0, 1, 2].map(|axis| slopes[axis] << slope_shift(axis as u32));
        Self(KNOWN | above << 32 | x | y | z | height)
    }
}

/// The nearest of some bodies as seen from a point, and whether that is inside of one of them. At an infinite distance if all
/// surfaces are beyond a limit.
pub(super) fn nearest(parts: &[FieldPart], point: DVec3, limit: f64, scratch: &mut Scratch) -> Near {
    let mut best = Near { distance: f64::INFINITY, away: DVec3::ZERO, side: Side::Outside, depth: 0.0 };
    for part in parts {
        let limit = limit.min(best.distance);
        // Even if something nearer is known, the point may be inside.
        if part.box_distance(point) > limit.max(0.0) {
            continue;
        }
        let near = part.near(point, scratch);
        best.side = match (best.side, near.side) {
            (Side::Inside, _) | (_, Side::Inside) => Side::Inside,
            (Side::Unknown, _) | (_, Side::Unknown) => Side::Unknown,
            _ => Side::Outside,
        };
        best.depth = best.depth.max(near.depth);
        if near.distance < limit {
            best = Near { side: best.side, depth: best.depth, ..near };
        }
    }
    best
}
