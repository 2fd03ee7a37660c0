//! Filling an outline with triangles.

use crate::sign::{Side, orient2d};
use glam::{DVec2, DVec3};
use std::collections::VecDeque;

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

/// The triangles of a ring, and whether it was simple.
///
/// Clipping an ear of a simple ring makes or unmakes ears of its two neighbours only, so each corner is tried once and
/// again after a neighbour was clipped: a number of tries in proportion to the corners, whatever the ring.
fn clip_ears(
    ring: &[u32],
    flat: &[DVec2],
    effort: &mut Effort,
) -> Result<(Vec<[u32; 3]>, bool), OutlineFault> {
    let n = ring.len() as u32;
    let mut simple = true;
    let mut clipper = Clipper::new(ring, flat);
    // Not from 0: a convex ring becomes a fan about its first corner.
    clipper.open = (1..n).chain([0]).collect();
    let mut rounds = 0;
    while clipper.left > 3 {
        if let Some(k) = clipper.open.pop_front() {
            clipper.is_open[k as usize] = false;
            if clipper.is_ear(k, effort)? {
                clipper.clip(k);
            }
            continue;
        }
        // No ears. Cuts that touch each other may leave some all the same; so may corners on a line, which are clipped
        // without changing the area.
        rounds += 1;
        if rounds <= 2 {
            effort.spend(ring.len(), 0)?;
            if rounds == 2 {
                (0..n).for_each(|k| clipper.clip_if_straight(k));
            }
            (0..n).for_each(|k| clipper.try_again(k));
            continue;
        }
        simple = false;
        clipper.clip_anything(effort)?;
    }
    let last = clipper.some_corner;
    if clipper.left == 3 {
        simple &= clipper.turn(last) != Side::Below;
        clipper.triangles.push(clipper.triangle(last));
    }
    Ok((clipper.triangles, simple))
}

/// A corner of a ring that is being clipped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Corner {
    /// Turns left.
    Sharp,
    /// Does not: only such corners can lie in an ear.
    Blunt,
    Clipped,
}

struct Clipper<'a> {
    ring: &'a [u32],
    flat: &'a [DVec2],
    corners: Vec<Corner>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// The axis along which the ring is longer, and all blunt corners along it; some are blunt no more.
    axis: usize,
    sorted: Vec<u32>,
    /// Corners to be tried, each once.
    open: VecDeque<u32>,
    is_open: Vec<bool>,
    /// Corners that are not clipped, and one of them.
    left: usize,
    some_corner: u32,
    triangles: Vec<[u32; 3]>,
}

impl<'a> Clipper<'a> {
    fn new(ring: &'a [u32], flat: &'a [DVec2]) -> Self {
        let n = ring.len() as u32;
        let (low, high) = ring.iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), &i| {
            (low.min(flat[i as usize]), high.max(flat[i as usize]))
        });
        let axis = (high - low).max_position();
        let mut clipper = Self {
            ring,
            flat,
            corners: Vec::new(),
            next: (0..n).map(|k| (k + 1) % n).collect(),
            previous: (0..n).map(|k| (k + n - 1) % n).collect(),
            axis,
            sorted: Vec::new(),
            open: VecDeque::new(),
            is_open: vec![true; ring.len()],
            left: ring.len(),
            some_corner: 0,
            triangles: Vec::with_capacity(ring.len()),
        };
        clipper.corners = (0..n).map(|k| clipper.kind(k)).collect();
        let mut blunt: Vec<u32> = (0..n).filter(|&k| clipper.corners[k as usize] == Corner::Blunt).collect();
        blunt.sort_by(|&j, &k| clipper.along(j).total_cmp(&clipper.along(k)));
        clipper.sorted = blunt;
        clipper
    }

    fn at(&self, k: u32) -> DVec2 {
        self.flat[self.ring[k as usize] as usize]
    }

    fn along(&self, k: u32) -> f64 {
        self.at(k)[self.axis]
    }

    fn neighbours(&self, k: u32) -> (u32, u32) {
        (self.previous[k as usize], self.next[k as usize])
    }

    fn turn(&self, k: u32) -> Side {
        let (before, after) = self.neighbours(k);
        orient2d(self.at(before), self.at(k), self.at(after))
    }

    fn kind(&self, k: u32) -> Corner {
        if self.turn(k) == Side::Above { Corner::Sharp } else { Corner::Blunt }
    }

    fn triangle(&self, k: u32) -> [u32; 3] {
        let (before, after) = self.neighbours(k);
        [before, k, after].map(|k| self.ring[k as usize])
    }

    fn is_ear(&self, k: u32, effort: &mut Effort) -> Result<bool, OutlineFault> {
        if self.corners[k as usize] != Corner::Sharp {
            return Ok(false);
        }
        let (before, after) = self.neighbours(k);
        let (a, b, c) = (self.at(before), self.at(k), self.at(after));
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let begin = self.sorted.partition_point(|&j| self.along(j) < low[self.axis]);
        let (mut tests, mut glances) = (0, 0);
        let mut blocked = false;
        for &j in &self.sorted[begin..] {
            let p = self.at(j);
            if blocked || p[self.axis] > high[self.axis] {
                break;
            }
            glances += 1;
            if self.corners[j as usize] == Corner::Blunt
                && p.cmpge(low).all()
                && p.cmple(high).all()
                && ![a, b, c].contains(&p)
            {
                tests += 3;
                blocked =
                    ![(a, b), (b, c), (c, a)].iter().any(|&(from, to)| orient2d(from, to, p) == Side::Below);
            }
        }
        effort.spend(1 + tests, glances)?;
        Ok(!blocked)
    }

    fn clip(&mut self, k: u32) {
        self.triangles.push(self.triangle(k));
        let (before, after) = self.neighbours(k);
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
        self.corners[k as usize] = Corner::Clipped;
        self.left -= 1;
        self.some_corner = after;
        for k in [before, after] {
            let (was, is) = (self.corners[k as usize], self.kind(k));
            self.corners[k as usize] = is;
            if is == Corner::Blunt && was == Corner::Sharp {
                let place = self.sorted.partition_point(|&j| self.along(j) < self.along(k));
                self.sorted.insert(place, k);
            }
            self.try_again(k);
        }
    }

    fn try_again(&mut self, k: u32) {
        if !self.is_open[k as usize] && self.corners[k as usize] != Corner::Clipped {
            self.is_open[k as usize] = true;
            self.open.push_back(k);
        }
    }

    fn clip_if_straight(&mut self, k: u32) {
        if self.left > 3 && self.corners[k as usize] == Corner::Blunt && self.turn(k) == Side::On {
            self.clip(k);
        }
    }

    /// Clips the next sharp corner, or any if there is none.
    fn clip_anything(&mut self, effort: &mut Effort) -> Result<(), OutlineFault> {
        let mut k = self.some_corner;
        let mut glances = 1;
        while self.corners[k as usize] == Corner::Blunt && glances < self.left {
            glances += 1;
            k = self.next[k as usize];
        }
        // Corners that were sharp may turn blunt now, and are put among the sorted ones.
        effort.spend(1, glances + self.sorted.len() / 16)?;
        self.clip(k);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn area(points: &[DVec3], filling: &Filling) -> f64 {
        let corner = |i: u32| points[i as usize];
        let doubled: f64 = filling
            .triangles
            .iter()
            .map(|&[a, b, c]| (corner(b) - corner(a)).cross(corner(c) - corner(a)).length())
            .sum();
        doubled / 2.0
    }

    fn flat(points: &[[f64; 2]]) -> Vec<DVec3> {
        points.iter().map(|p| DVec3::new(p[0], p[1], 0.0)).collect()
    }

    #[test]
    fn concave_outlines_keep_their_area_and_sense() {
        let arrow = flat(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.5], [0.0, 2.0]]);
        let filling = fill(&arrow, &[]).expect("five corners");
        assert!(filling.simple);
        assert_eq!(filling.triangles.len(), 3);
        assert_eq!(area(&arrow, &filling), 2.5);
        for [a, b, c] in filling.triangles {
            let [a, b, c] = [a, b, c].map(|i| arrow[i as usize].truncate());
            assert_eq!(orient2d(a, b, c), Side::Above);
        }
    }

    #[test]
    fn holes_are_left_out_whichever_way_they_turn() {
        let outer = flat(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]);
        let mut left = flat(&[[1.0, 1.0], [1.5, 1.0], [1.5, 3.0], [1.0, 3.0]]);
        let right = flat(&[[2.0, 1.0], [2.0, 3.0], [3.0, 3.0], [3.0, 1.0]]);
        for _ in 0..2 {
            let filling = fill(&outer, &[&left, &right]).expect("twelve corners");
            let all: Vec<DVec3> = [outer.clone(), left.clone(), right.clone()].concat();
            assert!(filling.simple);
            assert_eq!(filling.triangles.len(), 12 - 2 + 2 * 2);
            assert_eq!(area(&all, &filling), 16.0 - 1.0 - 2.0);
            left.reverse();
        }
    }

    #[test]
    fn corners_on_a_line_and_no_area_at_all_are_filled_too() {
        let square = flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0], [0.0, 2.0]]);
        let filling = fill(&square, &[]).expect("six corners");
        assert!(filling.simple);
        assert_eq!((filling.triangles.len(), area(&square, &filling)), (4, 4.0));
        let line = flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]);
        assert_eq!(fill(&line, &[]).expect("four corners").triangles.len(), 2);
    }

    #[test]
    fn crossing_outlines_are_called_so() {
        let bow = flat(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 3.0]]);
        let filling = fill(&bow, &[]).expect("four corners");
        assert!(!filling.simple);
        assert_eq!(filling.triangles.len(), 2);
    }

    #[test]
    fn faults() {
        assert_eq!(fill(&flat(&[[0.0, 0.0], [1.0, 0.0]]), &[]), Err(OutlineFault::TooFew(2)));
        let many = vec![DVec3::ZERO; MAX_CORNERS + 1];
        assert_eq!(fill(&many, &[]), Err(OutlineFault::TooMany(MAX_CORNERS + 1)));
    }

    #[test]
    fn convex_outlines_become_a_fan_about_their_first_corner() {
        let square = flat(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert_eq!(fill(&square, &[]).expect("four corners").triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn unevenness_is_a_fraction_of_the_size() {
        let mut square = flat(&[[0.0, 0.0], [3.0, 0.0], [3.0, 4.0], [0.0, 4.0]]);
        assert_eq!(unevenness(&square), 0.0);
        square[2].z = 0.1;
        let uneven = unevenness(&square);
        assert!((0.004..0.006).contains(&uneven), "{uneven}");
        assert_eq!(unevenness(&[DVec3::ONE; 4]), 0.0);
    }

    /// A star that winds about its middle many times, and a few corners in it.
    fn tangle(n: usize) -> Vec<DVec3> {
        let step = std::f64::consts::TAU * (n / 3 + 1) as f64 / n as f64;
        let mut corners: Vec<[f64; 2]> = (0..n)
            .map(|i| (i as f64 * step).sin_cos().into())
            .map(|[sin, cos]: [f64; 2]| [cos, sin])
            .collect();
        (0..30).for_each(|i| corners.insert(n / 2 + 5 * i, [1e-3 * i as f64, 2e-3]));
        flat(&corners)
    }

    #[test]
    fn tangled_outlines_take_quadratic_time_at_worst_and_stop_at_the_budget() {
        for n in [300, 900, 2700] {
            let tangle = tangle(n);
            let filling = fill(&tangle, &[]).expect("enough corners");
            assert!(!filling.simple);
            assert_eq!(filling.triangles.len(), tangle.len() - 2);
            assert!(filling.effort < 10 * (n * n) as u64, "{n} corners took {}", filling.effort);
            assert_eq!(fill_within(&tangle, &[], filling.effort), Ok(filling.clone()));
            assert_eq!(fill_within(&tangle, &[], filling.effort - 1), Err(OutlineFault::TooLong));
        }
    }

    /// A plate with rows of triangular holes, moved by `shift`, and its area.
    fn plate(rows: usize, shift: impl Fn(usize) -> [f64; 2]) -> (Vec<DVec3>, Vec<Vec<DVec3>>, f64) {
        let side = rows as f64;
        let hole = |i: usize| {
            let [dx, dy] = shift(i);
            let (x, y) = ((i % rows) as f64 + dx, (i / rows) as f64 + dy);
            flat(&[[x + 0.25, y + 0.25], [x + 0.5, y + 0.25], [x + 0.25, y + 0.5]])
        };
        let outline = flat(&[[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]]);
        (outline, (0..rows * rows).map(hole).collect(), side * side * (1.0 - 1.0 / 32.0))
    }

    fn check_plate(outline: &[DVec3], holes: &[Vec<DVec3>], expected: f64) -> Filling {
        let slices: Vec<&[DVec3]> = holes.iter().map(Vec::as_slice).collect();
        let filling = fill(outline, &slices).expect("few corners");
        let all: Vec<DVec3> = outline.iter().chain(holes.iter().flatten()).copied().collect();
        assert!(filling.simple);
        assert_eq!(filling.triangles.len(), all.len() - 2 + 2 * holes.len());
        assert!((area(&all, &filling) - expected).abs() < 1e-9 * expected);
        filling
    }

    #[test]
    fn plates_with_holes_in_rows_are_filled_quickly() {
        let (outline, holes, expected) = plate(40, |_| [0.0; 2]);
        let effort = check_plate(&outline, &holes, expected).effort;
        assert!(effort < 10_000_000, "{effort}");
    }

    #[test]
    fn holes_that_overlap_or_lie_outside_are_called_so() {
        let (outline, mut holes, _) = plate(4, |_| [0.0; 2]);
        holes[5] = holes[6].iter().map(|&p| p + DVec3::X * 0.1).collect();
        holes[9] = holes[9].iter().map(|&p| p + DVec3::X * 100.0).collect();
        let slices: Vec<&[DVec3]> = holes.iter().map(Vec::as_slice).collect();
        let filling = fill(&outline, &slices).expect("few corners");
        assert!(!filling.simple);
        assert_eq!(filling.triangles.len(), 4 + 48 - 2 + 32);
    }

    proptest! {
        /// Holes anywhere in the cells of a grid, on as few different coordinates as make rays meet corners.
        #[test]
        fn plates_keep_their_area(shifts in prop::collection::vec([0..5_u8, 0..5_u8], 36)) {
            let (outline, holes, expected) = plate(6, |i| shifts[i].map(|s| f64::from(s) / 10.0 - 0.2));
            check_plate(&outline, &holes, expected);
        }

        /// Star-shaped outlines in a tilted plane: their area is known from the vector area.
        #[test]
        fn stars_keep_their_area(radii in prop::collection::vec(0.05..1.0f64, 3..60), tilt in 0.0..6.0f64) {
            let n = radii.len() as f64;
            let pose = crate::Pose::from_rpy(DVec3::new(3.0, -1.0, 2.0), DVec3::new(tilt, tilt * 0.7, 1.0));
            let star: Vec<DVec3> = radii.iter().enumerate().map(|(i, &r)| {
                let angle = std::f64::consts::TAU * (i as f64) / n;
                pose * DVec3::new(r * angle.cos(), r * angle.sin(), 0.0)
            }).collect();
            let filling = fill(&star, &[]).expect("enough corners");
            let expected = newell(&star).length() / 2.0;
            prop_assert!(filling.simple);
            prop_assert_eq!(filling.triangles.len(), star.len() - 2);
            prop_assert!((area(&star, &filling) - expected).abs() < 1e-12);
        }
    }
}
