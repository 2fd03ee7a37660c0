//! Two trees that grow toward each other.

use super::prover::{Line, Prover, Stop};
use super::space::Space;
use super::tree::{Point, Tree};
use super::{Effort, TransferOptions};
use kansho_geom::random::Random;

/// How much of the way to a contact a tree goes.
const SHY: f64 = 0.8;

/// A line that is shorter than this part of a step is not worth a point, and steps do not get shorter. By turns: one is better where there is
/// room, the other where it is narrow.
const SHORT: [f64; 2] = [0.05, 0.01];

/// After so much work two new trees begin, and after twice as much every second time: now and then trees grow where there is no way, and new
/// ones are sooner through than more of these.
const PATIENCE: usize = 300;

/// So many postures are the work of a line.
const POSTURES_OF_A_LINE: usize = 20;

/// One of so many times the larger tree grows: the smaller one may be where there is no way out.
const OTHER: usize = 8;

/// A way from the first of two ends to the second, over proven lines. Neighbours are apart by the shorter turn.
pub(super) fn search(
    space: &Space,
    ends: [&[f64]; 2],
    options: &TransferOptions,
    random: &mut Random,
    prover: &mut Prover<'_, '_>,
) -> Result<Vec<Vec<f64>>, Stop> {
    for round in 0.. {
        let trees = ends.map(|end| Tree::new(end, options.step));
        let short = SHORT[round % 2] * options.step;
        let mut search = Search { space, step: options.step, short, trees, prover, aim: Vec::new() };
        let patience = PATIENCE << (round / 2).min(20);
        let found = search.run(ends, options, patience, random);
        let points = search.trees.iter().map(Tree::len).sum::<usize>();
        prover.effort.points += points;
        if let Some(way) = found? {
            return Ok(way);
        }
    }
    Err(Stop::Enough)
}

struct Search<'x, 'y, 's, 'a> {
    space: &'x Space,
    step: f64,
    short: f64,
    trees: [Tree; 2],
    prover: &'y mut Prover<'s, 'a>,
    aim: Vec<f64>,
}

impl Search<'_, '_, '_, '_> {
    /// A way; none if that took too much work.
    fn run(
        &mut self,
        ends: [&[f64]; 2],
        options: &TransferOptions,
        patience: usize,
        random: &mut Random,
    ) -> Result<Option<Vec<Vec<f64>>>, Stop> {
        if let Some(meeting) = self.connect(1, Tree::ROOT)? {
            return Ok(Some(self.way(meeting)));
        }
        let mut sample = Vec::new();
        let begun = self.work();
        while self.work() - begun < patience {
            let Effort { samples, edges, .. } = self.prover.effort;
            if samples >= options.most_samples || edges >= options.most_edges {
                return Err(Stop::Enough);
            }
            self.prover.effort.samples += 1;
            self.prover.in_time()?;
            // The smaller tree grows, so that both do.
            let smaller = usize::from(self.trees[1].len() < self.trees[0].len());
            let growing = if samples % OTHER == 0 { 1 - smaller } else { smaller };
            self.space.anywhere(ends, random, &mut sample);
            let Some(new) = self.grow(growing, &sample)? else { continue };
            if let Some(meeting) = self.connect(growing, new)? {
                return Ok(Some(self.way(meeting)));
            }
        }
        Ok(None)
    }

    /// What it took so far, in lines. Every sample asks a posture or a line, so it grows; where none does, the number of samples ends it.
    fn work(&self) -> usize {
        let Effort { edges, postures, samples, .. } = self.prover.effort;
        edges + postures.max(samples) / POSTURES_OF_A_LINE
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
        let shorter = (0.5 * step.min(distance)).max(self.short);
        // What is beyond a posture that touches is not worth a proof.
        let part = self.prover.looks_free_until(self.space, &at, to);
        let is_whole = part == 1.0;
        if !is_whole && !(part * distance > self.short) {
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
                if !(part * distance > self.short) {
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
