//! Filling an outline with triangles.

use crate::sign::{Side, orient2d};
use glam::{DVec2, DVec3};

/// Corners that one outline with its holes may have.
///
/// Clipping ears takes quadratic time in the worst case: this many take about a second, so no file can hang a reader.
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
    /// Side tests it took, for callers that must bound their time.
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
}

/// Fills a polygon in space, concave or not, with holes or without, keeping its turning sense.
///
/// The outline is looked at along the coordinate axis nearest to its normal (Newell's), where dropping a coordinate
/// keeps the others exact, so every side test is exact. Ears are clipped (Meisters 1975) after holes have been tied to
/// the outline by a cut that crosses nothing. The turning sense of the holes does not matter.
///
/// # Errors
/// Too few or too many corners.
pub fn fill(outline: &[DVec3], holes: &[&[DVec3]]) -> Result<Filling, OutlineFault> {
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
    let mut filling = Filling { triangles: Vec::with_capacity(count), simple: true, effort: 0 };
    let merged = tie_holes(loops, &flat, &mut filling);
    clip_ears(&merged, &flat, &mut filling);
    Ok(filling)
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

/// Joins each hole to the outline by a doubled cut between two corners that see each other.
///
/// Holes are taken from the right: what lies right of a hole's rightmost corner then belongs to the outline already,
/// so that corner sees some corner of it (Eberly, "Triangulation by ear clipping").
fn tie_holes(loops: Vec<Vec<u32>>, flat: &[DVec2], filling: &mut Filling) -> Vec<u32> {
    let at = |i: u32| flat[i as usize];
    let rightward = |a: &u32, b: &u32| at(*a).x.total_cmp(&at(*b).x);
    let mut loops = loops.into_iter();
    let mut merged = loops.next().expect("the outline is the first loop");
    let mut holes: Vec<(u32, Vec<u32>)> = loops
        .map(|hole| (hole.iter().copied().max_by(rightward).expect("a hole has corners"), hole))
        .collect();
    holes.sort_by(|a, b| rightward(&a.0, &b.0));
    while let Some((from, mut hole)) = holes.pop() {
        let mut nearest: Vec<usize> = (0..merged.len()).collect();
        let distance_sq = |j: &usize| at(from).distance_squared(at(merged[*j]));
        nearest.sort_by(|a, b| distance_sq(a).total_cmp(&distance_sq(b)));
        let effort = &mut filling.effort;
        let sees = |j: &usize| {
            *effort += flat.len() as u64;
            let crossed = |ring: &[u32]| {
                let side = |k: usize| (at(ring[k]), at(ring[(k + 1) % ring.len()]));
                (0..ring.len()).map(side).any(|(a, b)| crosses(at(from), at(merged[*j]), a, b))
            };
            !crossed(&merged) && !crossed(&hole) && !holes.iter().any(|(_, other)| crossed(other))
        };
        let seen = nearest.iter().copied().find(sees);
        filling.simple &= seen.is_some();
        let cut = seen.unwrap_or(nearest[0]);
        let first = hole.iter().position(|&i| i == from).expect("the hole has this corner");
        hole.rotate_left(first);
        let tail = merged.split_off(cut + 1);
        let back = [from, merged[cut]];
        merged.extend(hole.into_iter().chain(back).chain(tail));
    }
    merged
}

/// Whether two segments meet anywhere but in a common end.
fn crosses(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    let shares_end = a == c || a == d || b == c || b == d;
    let (c_side, d_side) = (orient2d(a, b, c), orient2d(a, b, d));
    let (a_side, b_side) = (orient2d(c, d, a), orient2d(c, d, b));
    if shares_end {
        // They overlap only if they leave the common end in the same direction.
        let (common, p, q) = if a == c {
            (a, b, d)
        } else if a == d {
            (a, b, c)
        } else if b == c {
            (b, a, d)
        } else {
            (b, a, c)
        };
        return orient2d(common, p, q) == Side::On && (p - common).dot(q - common) > 0.0;
    }
    let within = |p: DVec2, q: DVec2, r: DVec2| r.cmpge(p.min(q)).all() && r.cmple(p.max(q)).all();
    (c_side != d_side && a_side != b_side)
        || (c_side == Side::On && within(a, b, c))
        || (d_side == Side::On && within(a, b, d))
        || (a_side == Side::On && within(c, d, a))
        || (b_side == Side::On && within(c, d, b))
}

fn clip_ears(ring: &[u32], flat: &[DVec2], filling: &mut Filling) {
    let n = ring.len();
    let at = |k: usize| flat[ring[k] as usize];
    let mut next: Vec<usize> = (0..n).map(|k| (k + 1) % n).collect();
    let mut previous: Vec<usize> = (0..n).map(|k| (k + n - 1) % n).collect();
    let turn = |p: usize, k: usize, q: usize| orient2d(at(p), at(k), at(q));
    // Only corners that do not turn left can lie in an ear.
    let mut blunt: Vec<bool> = (0..n).map(|k| turn(previous[k], k, next[k]) != Side::Above).collect();
    let mut left = n;
    let mut here = 0;
    let mut since_clip = 0;
    while left > 3 {
        let (before, after) = (previous[here], next[here]);
        let is_ear = !blunt[here] && {
            let (a, b, c) = (at(before), at(here), at(after));
            let mut k = next[after];
            let mut free = true;
            while free && k != before {
                filling.effort += 1;
                let p = at(k);
                free = !blunt[k]
                    || p == a
                    || p == b
                    || p == c
                    || orient2d(a, b, p) == Side::Below
                    || orient2d(b, c, p) == Side::Below
                    || orient2d(c, a, p) == Side::Below;
                k = next[k];
            }
            free
        };
        // A whole round without an ear: corners on a line are all that is left of a simple outline; clip one of those
        // first, else anything, and say so.
        let stuck = since_clip > left;
        let straight = || turn(before, here, after) == Side::On;
        if is_ear || (stuck && (straight() || since_clip > 2 * left)) {
            filling.simple &= is_ear || straight();
            filling.triangles.push([ring[before], ring[here], ring[after]]);
            next[before] = after;
            previous[after] = before;
            left -= 1;
            since_clip = 0;
            for k in [before, after] {
                blunt[k] = turn(previous[k], k, next[k]) != Side::Above;
            }
            here = after; // Not `before`: going on keeps the triangles from fanning out of one corner.
        } else {
            since_clip += 1;
            here = after;
        }
    }
    if left == 3 {
        filling.simple &= turn(previous[here], here, next[here]) != Side::Below;
        filling.triangles.push([ring[previous[here]], ring[here], ring[next[here]]]);
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

    proptest! {
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
