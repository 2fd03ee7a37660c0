//! Clipping ears: the triangles of a ring, one corner after the other.

use super::{Effort, OutlineFault};
use crate::sign::{Side, orient2d};
use glam::DVec2;
use std::collections::VecDeque;

/// The triangles of a ring, and whether it was simple.
///
/// Clipping an ear of a simple ring makes or unmakes ears of its two neighbours only, so each corner is tried once and
/// again after a neighbour was clipped: a number of tries in proportion to the corners, whatever the ring.
pub(super) fn clip_ears(
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
