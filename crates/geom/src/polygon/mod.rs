//! Filling an outline with triangles.

mod ears;

use crate::sign::{Side, orient2d};
use ears::clip_ears;
use glam::{DVec2, DVec3};

/// Corners that one outline with its holes may have.
///
/// Filling takes quadratic time in the worst case, which callers bound with [`fill_within`]; most outlines of this size
/// take a fraction of a second.
pub const MAX_CORNERS: usize = 16_384;

/// The triangles of a filled outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filling {
    /// Corners as indices into the outline, then the holes one after the other. Two triangles fewer than corners, and
    /// two more per hole.
    pub triangles: Vec<[u32; 3]>,
    /// Whether the outline was simple. If it crosses or touches itself the triangles still use every corner, but which
    /// area is meant nobody can say.
    pub simple: bool,
    /// Side tests it took.
    pub effort: u64,
}

/// Why an outline cannot be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutlineFault {
    /// Fewer than three corners in the outline or in a hole.
    #[error("an outline needs three corners, this has {0}")]
    TooFew(usize),
    /// More than [`MAX_CORNERS`].
    #[error("an outline of {0} corners is beyond the limit of {MAX_CORNERS}")]
    TooMany(usize),
    /// More side tests than the caller allows.
    #[error("filling this outline takes too long")]
    TooLong,
}

/// Fills a polygon in space, concave or not, with holes or without, keeping its turning sense.
///
/// The outline is looked at along the coordinate axis nearest to its normal (Newell's), where dropping a coordinate
/// keeps the others exact, so every side test is exact. Ears are clipped (Meisters 1975) after holes have been tied to
/// the outline by a cut that crosses nothing. The turning sense of the holes does not matter. A convex outline becomes
/// a fan about its first corner, as most programs cut it.
///
/// # Errors
/// Too few or too many corners.
pub fn fill(outline: &[DVec3], holes: &[&[DVec3]]) -> Result<Filling, OutlineFault> {
    fill_within(outline, holes, u64::MAX)
}

/// As [`fill`], with a limit to the side tests it may take.
///
/// # Errors
/// As [`fill`], and [`OutlineFault::TooLong`] as soon as the limit is passed.
pub fn fill_within(outline: &[DVec3], holes: &[&[DVec3]], budget: u64) -> Result<Filling, OutlineFault> {
    let rings: Vec<&[DVec3]> = std::iter::once(outline).chain(holes.iter().copied()).collect();
    if let Some(ring) = rings.iter().find(|ring| ring.len() < 3) {
        return Err(OutlineFault::TooFew(ring.len()));
    }
    let count = rings.iter().map(|ring| ring.len()).sum();
    if count > MAX_CORNERS {
        return Err(OutlineFault::TooMany(count));
    }
    let normal = viewing_direction(outline);
    let flat: Vec<DVec2> = rings.iter().flat_map(|ring| ring.iter()).map(|&p| shadow(p, normal)).collect();
    let mut start = 0;
    let mut loops: Vec<Vec<u32>> = Vec::with_capacity(rings.len());
    for ring in &rings {
        loops.push((start..start + ring.len() as u32).collect());
        start += ring.len() as u32;
    }
    for hole in &mut loops[1..] {
        if doubled_area(hole, &flat) > 0.0 {
            hole.reverse();
        }
    }
    let mut effort = Effort { spent: 0, budget };
    let (merged, holes_fit) = tie_holes(loops, &flat, &mut effort)?;
    let (triangles, simple) = clip_ears(&merged, &flat, &mut effort)?;
    Ok(Filling { triangles, simple: simple && holes_fit, effort: effort.spent })
}

/// How far the corners of an outline leave its mean plane, as a fraction of its size. Beyond rounding, where it is cut
/// decides what surface it is.
#[must_use]
pub fn unevenness(outline: &[DVec3]) -> f64 {
    let Some(&first) = outline.first() else { return 0.0 };
    let (low, high) = outline.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p)));
    let Some(normal) = viewing_direction(outline).try_normalize() else { return 0.0 };
    let heights = outline.iter().map(|&p| normal.dot(p - first));
    let (least, most, sum) = heights.fold((0.0_f64, 0.0_f64, 0.0), |(least, most, sum), height| {
        (least.min(height), most.max(height), sum + height)
    });
    let mean = sum / outline.len() as f64;
    (most - mean).max(mean - least) / low.distance(high)
}

/// Twice the vector area of a closed outline: its direction is the normal, its length twice the area.
#[must_use]
pub fn newell(outline: &[DVec3]) -> DVec3 {
    let Some(&origin) = outline.first() else { return DVec3::ZERO };
    outline.windows(2).map(|w| (w[0] - origin).cross(w[1] - origin)).sum()
}

/// The outline's normal; or, where its parts cancel as in a figure of eight, that of its sharpest corner.
fn viewing_direction(outline: &[DVec3]) -> DVec3 {
    let n = outline.len();
    let corner = |k: usize| (outline[k] - outline[(k + n - 1) % n]).cross(outline[(k + 1) % n] - outline[k]);
    let sharpest = (0..n)
        .map(corner)
        .fold(DVec3::ZERO, |a, b| if b.length_squared() > a.length_squared() { b } else { a });
    let normal = newell(outline);
    // Below this fraction the direction of the sum is rounding noise.
    if normal.length() > 1e-9 * sharpest.length() { normal } else { sharpest }
}

/// Drops the coordinate along which the normal is longest, so that the outline turns counter-clockwise.
fn shadow(p: DVec3, normal: DVec3) -> DVec2 {
    let axis = normal.abs().max_position();
    let (u, v) = (p[(axis + 1) % 3], p[(axis + 2) % 3]);
    if normal[axis] < 0.0 { DVec2::new(v, u) } else { DVec2::new(u, v) }
}

fn doubled_area(ring: &[u32], flat: &[DVec2]) -> f64 {
    let origin = flat[ring[0] as usize];
    ring.windows(2).map(|w| (flat[w[0] as usize] - origin).perp_dot(flat[w[1] as usize] - origin)).sum()
}

/// Side tests that were taken, and how many may be.
struct Effort {
    spent: u64,
    budget: u64,
}

impl Effort {
    /// Corners that are passed over by comparing numbers in the time that a side test takes.
    const GLANCES: usize = 8;

    fn spend(&mut self, tests: usize, glances: usize) -> Result<(), OutlineFault> {
        self.spent += (tests + glances / Self::GLANCES) as u64;
        if self.spent > self.budget { Err(OutlineFault::TooLong) } else { Ok(()) }
    }
}

/// Joins each hole to the outline by a doubled cut between two corners that see each other. Answers also whether that
/// was possible.
///
/// Holes are taken from the right: what lies right of a hole's rightmost corner then belongs to the outline already,
/// so that corner sees some corner of it (Eberly, "Triangulation by ear clipping").
fn tie_holes(
    loops: Vec<Vec<u32>>,
    flat: &[DVec2],
    effort: &mut Effort,
) -> Result<(Vec<u32>, bool), OutlineFault> {
    let at = |i: u32| flat[i as usize];
    let rightward = |a: &u32, b: &u32| {
        let (a, b) = (at(*a), at(*b));
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y))
    };
    let mut loops = loops.into_iter();
    let mut merged = loops.next().expect("the outline is the first loop");
    let mut holes: Vec<(u32, Vec<u32>)> = loops
        .map(|hole| (hole.iter().copied().max_by(rightward).expect("a hole has corners"), hole))
        .collect();
    holes.sort_by(|a, b| rightward(&a.0, &b.0));
    let mut all_fit = true;
    while let Some((from, mut hole)) = holes.pop() {
        let points: Vec<DVec2> = merged.iter().map(|&i| at(i)).collect();
        let seen = seen_to_the_right(&points, at(from), effort)?;
        all_fit &= seen.is_some();
        let cut = seen.unwrap_or_else(|| {
            let distance_sq = |k: &usize| at(from).distance_squared(points[*k]);
            let nearest = (0..points.len()).min_by(|a, b| distance_sq(a).total_cmp(&distance_sq(b)));
            nearest.expect("an outline has corners")
        });
        let first = hole.iter().position(|&i| i == from).expect("the hole has this corner");
        hole.rotate_left(first);
        let tail = merged.split_off(cut + 1);
        let back = [from, merged[cut]];
        merged.extend(hole.into_iter().chain(back).chain(tail));
    }
    Ok((merged, all_fit))
}

/// A corner of a counter-clockwise ring that is seen from `eye`, if nothing but the ring lies to the right of `eye`.
/// `None` if there is no ring to the right.
///
/// The ray rightward from `eye` meets a side first. If the triangle between the ray, that side and the line to the
/// side's right end holds no corner, that end is seen; otherwise the corner in it that is nearest to the ray in angle.
/// The ray is taken to lie higher than `eye` by less than any difference of coordinates, so that it meets no corner.
fn seen_to_the_right(ring: &[DVec2], eye: DVec2, effort: &mut Effort) -> Result<Option<usize>, OutlineFault> {
    let n = ring.len();
    let mut tests = 0;
    let mut first_side: Option<[DVec2; 2]> = None;
    for (k, &low) in ring.iter().enumerate() {
        let high = ring[if k + 1 < n { k + 1 } else { 0 }];
        // Sides that turn their inside to the eye lead up.
        if low.y <= eye.y && eye.y < high.y && low.x.max(high.x) >= eye.x {
            tests += 3;
            if orient2d(low, high, eye) != Side::Below
                && first_side.is_none_or(|side| is_left_of([low, high], side))
            {
                first_side = Some([low, high]);
            }
        }
    }
    effort.spend(tests, n)?;
    let Some([low, high]) = first_side else { return Ok(None) };
    let (end, toward_ray) = if low.x > high.x { (low, Side::Above) } else { (high, Side::Below) };
    let mut seen = end;
    tests = 0;
    for &p in ring {
        let beyond_ray = (p.y > eye.y) != (toward_ray == Side::Below);
        if beyond_ray || p.x < eye.x || p.x > end.x {
            continue;
        }
        tests += 2;
        let nearer = match orient2d(eye, seen, p) {
            Side::On => p.x < seen.x || (p.x == seen.x && (p.y - eye.y).abs() < (seen.y - eye.y).abs()),
            side => side == toward_ray,
        };
        if nearer && orient2d(low, high, p) != Side::Below {
            seen = p;
        }
    }
    // Where cuts end, several corners of the ring lie in one place: the one is meant that opens toward the eye.
    let opens = |k: &usize| {
        let (before, after) = (ring[(k + n - 1) % n], ring[(k + 1) % n]);
        let left_of_arrival = orient2d(before, seen, eye) == Side::Above;
        let left_of_departure = orient2d(seen, after, eye) == Side::Above;
        if orient2d(before, seen, after) == Side::Above {
            left_of_arrival && left_of_departure
        } else {
            left_of_arrival || left_of_departure
        }
    };
    let copies = || (0..n).filter(|&k| ring[k] == seen);
    effort.spend(tests + 3 * copies().count(), 2 * n)?;
    Ok(copies().find(opens).or_else(|| copies().next()))
}

/// Whether a side lies left of another. Both lead up and share some height; they do not cross.
fn is_left_of([low, high]: [DVec2; 2], [other_low, other_high]: [DVec2; 2]) -> bool {
    let by_low = if low.y >= other_low.y {
        orient2d(other_low, other_high, low)
    } else {
        orient2d(low, high, other_low).opposite()
    };
    let by_high = || {
        if high.y <= other_high.y {
            orient2d(other_low, other_high, high)
        } else {
            orient2d(low, high, other_high).opposite()
        }
    };
    by_low == Side::Above || (by_low == Side::On && by_high() == Side::Above)
}

#[cfg(test)]
mod tests;
