//! Two trees that grow toward each other.

use super::WayOptions;
use super::prover::{Line, Prover, Stop};
use super::random::Random;
use super::space::Space;
use super::tree::{Point, Tree};

/// How much of the way to a contact a tree goes.
const SHY: f64 = 0.8;

/// A line that is shorter than this part of a step is not worth a point, and steps do not get shorter.
const SHORT: f64 = 0.01;

/// One of so many times the larger tree grows: the smaller one may be where there is no way out.
const OTHER: usize = 8;

/// A way from the first of two ends to the second, over proven lines. Neighbours are apart by the shorter turn.
pub(super) fn search(
    space: &Space,
    ends: [&[f64]; 2],
    options: &WayOptions,
    random: &mut Random,
    prover: &mut Prover<'_, '_>,
) -> Result<Vec<Vec<f64>>, Stop> {
    let mut search =
        Search { space, step: options.step, trees: ends.map(|end| Tree::new(end, options.step)), prover, aim: Vec::new() };
    let found = search.run(ends, options, random);
    let points = search.trees.iter().map(Tree::len).sum::<usize>();
    prover.effort.points += points;
    found
}

struct Search<'x, 'y, 's, 'a> {
    space: &'x Space,
    step: f64,
    trees: [Tree; 2],
    prover: &'y mut Prover<'s, 'a>,
    aim: Vec<f64>,
}

impl Search<'_, '_, '_, '_> {
    fn run(
        &mut self,
        ends: [&[f64]; 2],
        options: &WayOptions,
        random: &mut Random,
    ) -> Result<Vec<Vec<f64>>, Stop> {
        if let Some(meeting) = self.connect(1, Tree::ROOT)? {
            return Ok(self.way(meeting));
        }
        let mut sample = Vec::new();
        loop {
            // The smaller tree grows, so that both do.
            let smaller = usize::from(self.trees[1].len() < self.trees[0].len());
            let growing = if self.prover.effort.samples % OTHER == 0 { 1 - smaller } else { smaller };
            if self.prover.effort.samples >= options.most_samples
                || self.prover.effort.edges >= options.most_edges
            {
                return Err(Stop::Enough);
            }
            self.prover.effort.samples += 1;
            self.prover.in_time()?;
            self.space.anywhere(ends, random, &mut sample);
            let Some(new) = self.grow(growing, &sample)? else { continue };
            if let Some(meeting) = self.connect(growing, new)? {
                return Ok(self.way(meeting));
            }
        }
    }

    /// A step of a tree toward a posture.
    fn grow(&mut self, tree: usize, sample: &[f64]) -> Result<Option<Point>, Stop> {
        let (near, distance) = self.trees[tree].nearest(self.space, sample);
        if !(distance > 0.0) {
            return Ok(None);
        }
        let fraction = (*self.trees[tree].step(near) / distance).min(1.0);
        let mut aim = std::mem::take(&mut self.aim);
        self.space.toward(self.trees[tree].posture(near), sample, fraction, &mut aim);
        let point = self.go(tree, near, &aim);
        self.aim = aim;
        Ok(point?.map(|(point, _)| point))
    }

    /// A line of a tree toward a posture, up to just before a contact. Answers also whether it got there.
    fn go(&mut self, tree: usize, from: Point, to: &[f64]) -> Result<Option<(Point, bool)>, Stop> {
        let at = self.trees[tree].posture(from).to_vec();
        let step = *self.trees[tree].step(from);
        let distance = self.space.distance(&at, to);
        let shorter = (0.5 * step.min(distance)).max(SHORT * self.step);
        // What is beyond a posture that touches is not worth a proof.
        let part = self.prover.looks_free_until(self.space, &at, to);
        let is_whole = part == 1.0;
        if !is_whole && !(part * distance > SHORT * self.step) {
            *self.trees[tree].step(from) = shorter;
            return Ok(None);
        }
        let mut on = Vec::new();
        self.space.toward(&at, to, part, &mut on);
        match self.prover.line(&at, &on)? {
            Line::Free => {
                let next = if is_whole { (2.0 * step).min(self.step) } else { shorter };
                Ok(Some((self.trees[tree].add(&on, from, next), is_whole)))
            }
            Line::Until(until) => {
                let part = until * part * SHY;
                *self.trees[tree].step(from) = shorter;
                if !(part * distance > SHORT * self.step) {
                    return Ok(None);
                }
                self.space.toward(&at, to, part, &mut on);
                Ok(Some((self.trees[tree].add(&on, from, shorter), false)))
            }
        }
    }

    /// Lets the other tree go to a new point of one. Where they meet, as points of the first and the second tree.
    fn connect(&mut self, tree: usize, new: Point) -> Result<Option<[Point; 2]>, Stop> {
        let other = 1 - tree;
        let aim = self.trees[tree].posture(new).to_vec();
        let (near, _) = self.trees[other].nearest(self.space, &aim);
        let mut there = Vec::new();
        self.space.toward(self.trees[other].posture(near), &aim, 1.0, &mut there);
        match self.go(other, near, &there)? {
            Some((met, true)) => Ok(Some(if tree == 0 { [new, met] } else { [met, new] })),
            _ => Ok(None),
        }
    }

    /// From root to root.
    fn way(&self, [first, second]: [Point; 2]) -> Vec<Vec<f64>> {
        let mut postures = self.trees[0].to_root(first);
        postures.reverse();
        // Where they meet is a point of both.
        postures.extend(self.trees[1].to_root(second).into_iter().skip(1));
        if postures.len() == 1 {
            postures.push(postures[0].clone());
        }
        self.space.unwind(&mut postures);
        postures
    }
}
