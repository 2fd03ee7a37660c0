//! Shortest ways through layers of states.

use super::lane::Lane;
use kansho_cell::ik::{ChainJoint, Ik};
use kansho_cell::work::ToolAxis;
use std::collections::HashSet;
use std::f32::consts::TAU;
use std::ops::Range;

/// What is wanted of a path beside being free. A joint that turns by `d` radians from one point to the next costs `d²`; all else is
/// compared with that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// What a point costs where a joint is at a limit, in squared radians.
    pub limit: f64,
    /// From how far on a limit costs, in radians: from nothing there to all of it at the limit, with the square.
    pub limit_margin: f64,
    /// What a point costs in a singularity, in squared radians.
    pub singular: f64,
    /// From which nearness on ([`kansho_cell::ik::Nearness`], no unit).
    pub singular_margin: f64,
    /// What a point costs beside a stance that is not free, in squared radians.
    pub border: f64,
    /// From how far on, in radians of rotation.
    pub border_margin: f64,
    /// What a point costs for each joint that is half a turn from the middle of its range (a sliding joint at its limit), with the square of how far, in
    /// squared radians. So small that it decides between postures whole turns apart, and hardly between others.
    pub middle: f64,
    /// A joint may turn by so much from one point to the next, in radians (metres, if it slides).
    pub most: f64,
    /// The tool may turn about its axis by so much per metre of the path, in radians.
    pub turn_per_metre: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            limit: 1e-4,
            limit_margin: 10f64.to_radians(),
            singular: 1e-4,
            singular_margin: 0.1,
            border: 1e-3,
            border_margin: 5f64.to_radians(),
            middle: 1e-5,
            most: 1.0,
            turn_per_metre: 40.0,
        }
    }
}

/// What a path costs, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Squares of what joints turn between points.
    pub motion: f64,
    /// Joints near their limits.
    pub limits: f64,
    /// Postures near singularities.
    pub singular: f64,
    /// Stances beside others that are not free.
    pub border: f64,
    /// Joints off the middle of their ranges: hoses wind up.
    pub middle: f64,
}

impl Cost {
    /// All of it.
    #[must_use]
    pub fn whole(&self) -> f64 {
        self.motion + self.limits + self.singular + self.border + self.middle
    }
}

fn square_below(margin: f64, value: f64) -> f64 {
    let part = ((margin - value) / margin).clamp(0.0, 1.0);
    part * part
}

impl Weights {
    /// What joints near their limits cost.
    pub(super) fn of_limits(&self, ik: &Ik, values: &[f64]) -> f64 {
        let of = |(joint, value): (&ChainJoint, &f64)| {
            joint.limits.map_or(0.0, |limits| {
                square_below(self.limit_margin, (value - limits.lower).min(limits.upper - value))
            })
        };
        self.limit * ik.joints().iter().zip(values).map(of).sum::<f64>()
    }

    /// What joints off the middle of their ranges cost; joints without limits have none.
    pub(super) fn of_middle(&self, ik: &Ik, values: &[f64]) -> f64 {
        let of = |(joint, value): (&ChainJoint, &f64)| {
            joint.limits.map_or(0.0, |limits| {
                let half = match joint.period {
                    Some(period) => 0.5 * period,
                    None => 0.5 * (limits.upper - limits.lower).max(f64::MIN_POSITIVE),
                };
                ((value - f64::midpoint(limits.lower, limits.upper)) / half).powi(2)
            })
        };
        self.middle * ik.joints().iter().zip(values).map(of).sum::<f64>()
    }

    /// What a posture near a singularity costs.
    pub(super) fn of_singularity(&self, nearness: f64) -> f64 {
        self.singular * square_below(self.singular_margin, nearness)
    }

    pub(super) fn of_state(&self, ik: &Ik, values: &[f64], nearness: f32) -> f32 {
        let of_joints = self.of_limits(ik, values) + self.of_middle(ik, values);
        (of_joints + self.of_singularity(f64::from(nearness))) as f32
    }

    /// What it costs to be so many stances away from one that is not free.
    pub(super) fn of_border(&self, axis: &ToolAxis, room: usize) -> f64 {
        self.border * square_below(self.border_margin, (room - 1) as f64 * axis.step())
    }
}

/// For each stance of a layer, how many steps of rotation it is from one that is not there: 1 beside it. Where a range of rotations
/// ends, nothing is in the way.
pub(super) fn rooms(axis: &ToolAxis, there: &[bool], most: usize, rooms: &mut Vec<usize>) {
    let count = axis.rotations().len();
    rooms.clear();
    rooms.resize(there.len(), most);
    for (tilt, there) in there.chunks_exact(count).enumerate() {
        let rooms = &mut rooms[tilt * count..][..count];
        let rounds = if axis.wraps() { 2 } else { 1 };
        for backwards in [false, true] {
            let mut room = most;
            for k in 0..count * rounds {
                let k = if backwards { count - 1 - k % count } else { k % count };
                room = if there[k] { (room + 1).min(most) } else { 0 };
                rooms[k] = rooms[k].min(room);
            }
        }
    }
}

/// Adds what the borders of the map cost.
pub(super) fn add_borders(lane: &mut Lane, axis: &ToolAxis, weights: &Weights) {
    let most = (weights.border_margin / axis.step()).ceil() as usize + 2;
    let (mut there, mut room) = (vec![false; axis.stances()], Vec::new());
    for layer in 0..lane.layers() {
        there.fill(false);
        lane.layer(layer).for_each(|state| there[usize::from(lane.stance(state))] = true);
        rooms(axis, &there, most, &mut room);
        for state in lane.layer(layer) {
            let cost = weights.of_border(axis, room[usize::from(lane.stance(state))].max(1));
            lane.add_cost(state, cost as f32);
        }
    }
}

/// Which states may follow each other, and what that costs.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    rotations: usize,
    tilts: usize,
    wraps: bool,
    /// Steps of rotation from one point to the next, at most.
    pub(super) window: usize,
    most: f32,
    /// Joints that turn without end: the shorter turn counts.
    endless: Vec<bool>,
    any_endless: bool,
}

impl Moves {
    pub(super) fn new(axis: &ToolAxis, ik: &Ik, window: usize, most: f64) -> Self {
        let endless: Vec<bool> =
            ik.joints().iter().map(|joint| joint.limits.is_none() && joint.period.is_some()).collect();
        let any_endless = endless.contains(&true);
        let rotations = axis.rotations().len();
        // Not twice the same.
        let window = window.min(if axis.wraps() { (rotations - 1) / 2 } else { rotations });
        Self {
            rotations,
            tilts: axis.tilts(),
            wraps: axis.wraps(),
            window,
            most: most as f32,
            endless,
            any_endless,
        }
    }

    /// What it costs to go from one posture to another; infinite if a joint would jump.
    #[inline]
    fn cost(&self, from: &[f32], to: &[f32]) -> f32 {
        let mut sum = 0.0;
        let mut largest: f32 = 0.0;
        if self.any_endless {
            for ((a, b), endless) in from.iter().zip(to).zip(&self.endless) {
                let change = b - a;
                let change = if *endless { change - TAU * (change / TAU).round() } else { change };
                sum += change * change;
                largest = largest.max(change.abs());
            }
        } else {
            for (a, b) in from.iter().zip(to) {
                let change = b - a;
                sum += change * change;
                largest = largest.max(change.abs());
            }
        }
        if largest <= self.most { sum } else { f32::INFINITY }
    }

    /// Stances from which one can be reached, each with its rotation within the window.
    fn stances_near(&self, stance: usize, mut each: impl FnMut(usize)) {
        let (tilt, rotation) = (stance / self.rotations, stance % self.rotations);
        for other in 0..self.tilts {
            // Upright, and along the ring.
            let ring = self.tilts.max(2) - 1;
            let apart = |a: usize, b: usize| ((a + ring - b) % ring).min((b + ring - a) % ring);
            let is_near = other == tilt || other == 0 || tilt == 0 || apart(other - 1, tilt - 1) <= 1;
            if !is_near {
                continue;
            }
            let base = other * self.rotations;
            let low = rotation as isize - self.window as isize;
            for k in low..=rotation as isize + self.window as isize {
                let count = self.rotations as isize;
                if self.wraps {
                    each(base + k.rem_euclid(count) as usize);
                } else if (0..count).contains(&k) {
                    each(base + k as usize);
                }
            }
        }
    }
}

/// Layers of a lane, and what must not follow what.
#[derive(Clone, Copy)]
pub(super) struct Problem<'a> {
    pub(super) lane: &'a Lane,
    pub(super) layers: (usize, usize),
    pub(super) moves: &'a Moves,
    /// States that must not follow each other, by the numbers that they had.
    pub(super) forbidden: &'a HashSet<(u32, u32)>,
    pub(super) were: Option<&'a [u32]>,
}

/// No state.
pub(super) const NONE: u32 = u32::MAX;

/// Costs from some starts to every state, and where each comes from.
pub(super) struct Forward {
    /// The number of the first state that is counted.
    base: usize,
    pub(super) costs: Vec<f64>,
    parents: Vec<u32>,
    /// Layers that were reached.
    pub(super) reached: usize,
}

impl Forward {
    pub(super) fn cost(&self, state: usize) -> f64 {
        self.costs[state - self.base]
    }

    /// The states from the first layer up to one.
    pub(super) fn way_to(&self, state: usize) -> Vec<usize> {
        let mut way = vec![state];
        let mut here = state;
        loop {
            let parent = self.parents[here - self.base];
            if parent == NONE {
                break;
            }
            here = parent as usize;
            way.push(here);
        }
        way.reverse();
        way
    }
}

impl Problem<'_> {
    pub(super) fn layer(&self, k: usize) -> Range<usize> {
        self.lane.layer(self.layers.0 + k)
    }

    pub(super) fn count(&self) -> usize {
        self.layers.1 - self.layers.0
    }

    fn all(&self) -> Range<usize> {
        self.lane.layer(self.layers.0).start..self.lane.layer(self.layers.1 - 1).end
    }

    fn is_forbidden(&self, from: usize, to: usize) -> bool {
        let was = |state: usize| self.were.map_or(state as u32, |were| were[state]);
        !self.forbidden.is_empty() && self.forbidden.contains(&(was(from), was(to)))
    }

    /// From the starts on, layer by layer. Of ways that cost the same, the one through the lower state.
    pub(super) fn forward(&self, is_start: impl Fn(usize) -> bool, stop: &dyn Fn() -> bool) -> Forward {
        let all = self.all();
        let base = all.start;
        let mut costs = vec![f64::INFINITY; all.len()];
        let mut parents = vec![NONE; all.len()];
        let mut starts = 0;
        for state in self.layer(0).filter(|state| is_start(*state)) {
            costs[state - base] = self.lane.cost(state);
            starts += 1;
        }
        let mut reached = usize::from(starts > 0);
        let mut table = Table::new(self.moves);
        for k in 1..self.count() {
            if reached < k || (k.is_multiple_of(64) && stop()) {
                break;
            }
            let before = self.layer(k - 1);
            table.fill(self.lane, before.clone(), |state| costs[state - base].is_finite());
            let mut any = false;
            for state in self.layer(k) {
                let (cost, parent) = self.best(state, &table, &costs, base, |from, to| (from, to));
                if cost.is_finite() {
                    costs[state - base] = cost + self.lane.cost(state);
                    parents[state - base] = parent as u32;
                    any = true;
                }
            }
            reached += usize::from(any);
        }
        Forward { base, costs, parents, reached }
    }

    /// What it costs to close: for each state of the first layer, from the last layer on, and from which state.
    pub(super) fn closing(&self, forward: &Forward) -> Vec<(f64, usize)> {
        let last = self.layer(self.count() - 1);
        let mut table = Table::new(self.moves);
        table.fill(self.lane, last, |state| forward.cost(state).is_finite());
        self.layer(0)
            .map(|s| self.best(s, &table, &forward.costs, forward.base, |from, to| (from, to)))
            .collect()
    }

    /// For every state, what it costs from there to an end in the first layer if the way is closed, otherwise to any in the last; states
    /// of their own cost not counted.
    pub(super) fn backward(
        &self,
        closed: bool,
        is_end: impl Fn(usize) -> bool,
        stop: &dyn Fn() -> bool,
    ) -> Vec<f64> {
        let all = self.all();
        let base = all.start;
        let mut costs = vec![f64::INFINITY; all.len()];
        let mut table = Table::new(self.moves);
        let last = self.layer(self.count() - 1);
        if closed {
            let mut ends = vec![f64::INFINITY; self.layer(0).len()];
            self.layer(0).filter(|state| is_end(*state)).for_each(|state| ends[state - base] = 0.0);
            table.fill(self.lane, self.layer(0), |state| ends[state - base].is_finite());
            for state in last {
                costs[state - base] = self.best(state, &table, &ends, base, |from, to| (to, from)).0;
            }
        } else {
            last.filter(|state| is_end(*state)).for_each(|state| costs[state - base] = 0.0);
        }
        let mut with_own = vec![f64::INFINITY; all.len()];
        for k in (0..self.count() - 1).rev() {
            if k.is_multiple_of(64) && stop() {
                break;
            }
            let after = self.layer(k + 1);
            for state in after.clone() {
                with_own[state - base] = costs[state - base] + self.lane.cost(state);
            }
            table.fill(self.lane, after, |state| with_own[state - base].is_finite());
            for state in self.layer(k) {
                costs[state - base] = self.best(state, &table, &with_own, base, |from, to| (to, from)).0;
            }
        }
        costs
    }

    /// The best neighbour of a state in another layer.
    #[inline]
    fn best(
        &self,
        state: usize,
        table: &Table,
        costs: &[f64],
        base: usize,
        edge: impl Fn(usize, usize) -> (usize, usize),
    ) -> (f64, usize) {
        let mut best = (f64::INFINITY, usize::MAX);
        let values = self.lane.values(state);
        self.moves.stances_near(usize::from(self.lane.stance(state)), |stance| {
            for other in table.range(stance) {
                let before = costs[other - base];
                if before >= best.0 {
                    continue;
                }
                let cost = before + f64::from(self.moves.cost(self.lane.values(other), values));
                let is_better = cost < best.0 || (cost == best.0 && cost.is_finite() && other < best.1);
                if is_better {
                    let (from, to) = edge(other, state);
                    if !self.is_forbidden(from, to) {
                        best = (cost, other);
                    }
                }
            }
        });
        best
    }
}

/// For each stance, the states of a layer.
struct Table {
    ranges: Vec<[u32; 2]>,
}

impl Table {
    fn new(moves: &Moves) -> Self {
        Self { ranges: vec![[0, 0]; moves.rotations * moves.tilts] }
    }

    fn fill(&mut self, lane: &Lane, layer: Range<usize>, is_there: impl Fn(usize) -> bool) {
        self.ranges.fill([0, 0]);
        for state in layer {
            let range = &mut self.ranges[usize::from(lane.stance(state))];
            if is_there(state) {
                // States of a stance follow each other; those between that are not there cost infinity.
                if range[1] == 0 {
                    range[0] = state as u32;
                }
                range[1] = state as u32 + 1;
            }
        }
    }

    #[inline]
    fn range(&self, stance: usize) -> Range<usize> {
        let [start, end] = self.ranges[stance];
        start as usize..end as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_geom::glam::DVec3;

    #[test]
    fn rooms_are_counted_both_ways_and_round() {
        let axis = |to: f64| ToolAxis::new([0.0, to, 1.0_f64.to_radians()], DVec3::X, 0.0).expect("good");
        let round = axis(359f64.to_radians());
        let mut there = vec![true; 360];
        there[10] = false;
        let mut found = Vec::new();
        rooms(&round, &there, 20, &mut found);
        assert_eq!([found[10], found[11], found[9], found[0], found[351], found[200]], [0, 1, 1, 10, 19, 20]);
        let part = axis(9f64.to_radians());
        rooms(&part, &[true; 10], 20, &mut found);
        assert_eq!(found, [20; 10]);
        let mut there = [true; 10];
        there[0] = false;
        rooms(&part, &there, 20, &mut found);
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
}
