//! Free postures of one branch, point by point.

use super::BranchCode;
use std::ops::Range;

/// States of a search: postures of the chain's joints, in layers, one for each point. Of a layer they are sorted by stance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lane {
    pub(super) branch: BranchCode,
    joints: usize,
    /// Where each layer begins, and where the last one ends.
    first: Vec<u32>,
    stance: Vec<u16>,
    /// Joint values, rounded: they only choose.
    values: Vec<f32>,
    /// What it costs to be there.
    cost: Vec<f32>,
}

impl Lane {
    pub(super) fn new(branch: BranchCode, joints: usize) -> Self {
        Self { branch, joints, first: vec![0], stance: Vec::new(), values: Vec::new(), cost: Vec::new() }
    }

    /// Adds a state to the layer that is not ended yet.
    pub(super) fn push(&mut self, stance: u16, values: impl Iterator<Item = f64>, cost: f32) {
        self.stance.push(stance);
        self.values.extend(values.map(|value| value as f32));
        self.cost.push(cost);
    }

    pub(super) fn end_layer(&mut self) {
        self.first.push(self.stance.len() as u32);
    }

    /// Adds the layers of another.
    pub(super) fn append(&mut self, other: &Self) {
        let shift = self.stance.len() as u32;
        self.first.extend(other.first[1..].iter().map(|first| first + shift));
        self.stance.extend_from_slice(&other.stance);
        self.values.extend_from_slice(&other.values);
        self.cost.extend_from_slice(&other.cost);
    }

    pub(super) fn layers(&self) -> usize {
        self.first.len() - 1
    }

    pub(super) fn len(&self) -> usize {
        self.stance.len()
    }

    pub(super) fn layer(&self, layer: usize) -> Range<usize> {
        self.first[layer] as usize..self.first[layer + 1] as usize
    }

    pub(super) fn stance(&self, state: usize) -> u16 {
        self.stance[state]
    }

    pub(super) fn values(&self, state: usize) -> &[f32] {
        &self.values[state * self.joints..][..self.joints]
    }

    pub(super) fn cost(&self, state: usize) -> f64 {
        f64::from(self.cost[state])
    }

    pub(super) fn add_cost(&mut self, state: usize, more: f32) {
        self.cost[state] += more;
    }

    /// Memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.first.len() + self.values.len() + self.cost.len()) + 2 * self.stance.len()
    }

    /// Some layers, and of those only what is kept; with the numbers that the states had.
    pub(super) fn part(&self, layers: Range<usize>, keep: impl Fn(usize) -> bool) -> (Self, Vec<u32>) {
        let mut part = Self::new(self.branch, self.joints);
        let mut were = Vec::new();
        for layer in layers {
            for state in self.layer(layer).filter(|state| keep(*state)) {
                part.stance.push(self.stance[state]);
                part.values.extend_from_slice(self.values(state));
                part.cost.push(self.cost[state]);
                were.push(state as u32);
            }
            part.end_layer();
        }
        (part, were)
    }

    /// Several in one, for ways that may change from one to another; with the lane and number that each state had.
    pub(super) fn together(lanes: &[&Self], joints: usize) -> (Self, Vec<(u8, u32)>) {
        let mut all = Self::new(BranchCode::UNKNOWN, joints);
        let mut were = Vec::new();
        let layers = lanes.first().map_or(0, |lane| lane.layers());
        let mut states: Vec<(u16, u8, u32)> = Vec::new();
        for layer in 0..layers {
            states.clear();
            for (k, lane) in lanes.iter().enumerate() {
                states.extend(lane.layer(layer).map(|state| (lane.stance[state], k as u8, state as u32)));
            }
            states.sort_unstable();
            for &(stance, k, state) in &states {
                let lane = lanes[usize::from(k)];
                all.stance.push(stance);
                all.values.extend_from_slice(lane.values(state as usize));
                all.cost.push(lane.cost[state as usize]);
                were.push((k, state));
            }
            all.end_layer();
        }
        (all, were)
    }
}
