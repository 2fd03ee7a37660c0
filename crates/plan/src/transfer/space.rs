//! The postures of a cell: where they may be, and how far they are from each other.

use kansho_cell::{Cell, Quantity};
use kansho_geom::random::Random;
use std::f64::consts::{PI, TAU};

/// How far a length without limits is searched beyond the two ends, in metres.
const ROOM: f64 = 1.0;

/// The space of all postures.
#[derive(Clone, Debug)]
pub(super) struct Space {
    coordinates: Vec<Range>,
}

/// One coordinate.
#[derive(Clone, Copy, Debug)]
struct Range {
    /// Its limits, infinite if there are none.
    least: f64,
    most: f64,
    /// Whether a whole turn changes nothing.
    is_endless: bool,
    weight: f64,
}

impl Space {
    pub(super) fn new(cell: &Cell, weights: &[f64]) -> Self {
        assert!(
            weights.len() <= cell.coordinates().len(),
            "there are more weights than coordinates of the cell"
        );
        assert!(weights.iter().all(|weight| *weight > 0.0 && weight.is_finite()), "a weight is positive");
        let range = |(index, coordinate): (usize, &kansho_cell::Coordinate)| Range {
            least: coordinate.limits.map_or(f64::NEG_INFINITY, |limits| limits.lower),
            most: coordinate.limits.map_or(f64::INFINITY, |limits| limits.upper),
            is_endless: coordinate.limits.is_none()
                && coordinate.quantity == Quantity::Angle
                && !is_followed(cell, coordinate),
            weight: weights.get(index).copied().unwrap_or(1.0),
        };
        Self { coordinates: cell.coordinates().iter().enumerate().map(range).collect() }
    }

    /// How many coordinates there are.
    pub(super) fn count(&self) -> usize {
        self.coordinates.len()
    }

    /// The first coordinate that is outside its limits, or no number.
    pub(super) fn outside(&self, posture: &[f64]) -> Option<usize> {
        let is_within = |(range, &value): (&Range, &f64)| {
            value.is_finite() && range.least <= value && value <= range.most
        };
        self.coordinates.iter().zip(posture).position(|of_both| !is_within(of_both))
    }

    /// A posture anywhere within limits; where there are none, within a whole turn or not far from the two ends.
    pub(super) fn anywhere(&self, ends: [&[f64]; 2], random: &mut Random, into: &mut Vec<f64>) {
        into.clear();
        for (k, range) in self.coordinates.iter().enumerate() {
            let (low, high) = (ends[0][k].min(ends[1][k]), ends[0][k].max(ends[1][k]));
            let room = if range.is_endless { PI } else { ROOM.max(high - low) };
            let least = if range.least.is_finite() { range.least } else { low - room };
            let most = if range.most.is_finite() { range.most } else { high + room };
            into.push((least + (most - least) * random.fraction()).clamp(least, most));
        }
    }

    /// How to get from one value of a coordinate to another: the shorter turn, where there is one.
    fn change(&self, coordinate: usize, from: f64, to: f64) -> f64 {
        let change = to - from;
        if self.coordinates[coordinate].is_endless && !(change.abs() <= PI) {
            change - TAU * (change / TAU).round()
        } else {
            change
        }
    }

    /// How far it is from one posture to another.
    pub(super) fn distance(&self, from: &[f64], to: &[f64]) -> f64 {
        self.distance_sq(from, to).sqrt()
    }

    pub(super) fn distance_sq(&self, from: &[f64], to: &[f64]) -> f64 {
        let of = |(k, range): (usize, &Range)| {
            let change = range.weight * self.change(k, from[k], to[k]);
            change * change
        };
        self.coordinates.iter().enumerate().map(of).sum()
    }

    /// The posture at a fraction of the way from one to another. At 1 it is the other, whole turns aside.
    pub(super) fn toward(&self, from: &[f64], to: &[f64], fraction: f64, into: &mut Vec<f64>) {
        into.clear();
        into.extend((0..self.count()).map(|k| self.toward_value(k, from[k], to[k], fraction)));
    }

    /// The same of one coordinate.
    pub(super) fn toward_value(&self, coordinate: usize, from: f64, to: f64, fraction: f64) -> f64 {
        let change = self.change(coordinate, from, to);
        // Without whole turns the end is met exactly, and rounding leads nowhere beyond the two.
        if change == to - from {
            if fraction == 1.0 { to } else { (from + change * fraction).clamp(from.min(to), from.max(to)) }
        } else {
            from + change * fraction
        }
    }

    /// Adds whole turns to postures so that each follows the one before by the shorter turn.
    pub(super) fn unwind(&self, postures: &mut [Vec<f64>]) {
        for k in 1..postures.len() {
            let (before, after) = postures.split_at_mut(k);
            let (from, to) = (&before[k - 1], &mut after[0]);
            for (coordinate, (from, to)) in from.iter().zip(to).enumerate() {
                *to = self.toward_value(coordinate, *from, *to, 1.0);
            }
        }
    }

    /// The length of a way.
    pub(super) fn length(&self, postures: &[Vec<f64>]) -> f64 {
        postures.windows(2).map(|pair| self.distance(&pair[0], &pair[1])).sum()
    }
}

/// Whether another joint takes its value from a coordinate: then a whole turn of this one may be half a turn of that one.
fn is_followed(cell: &Cell, coordinate: &kansho_cell::Coordinate) -> bool {
    let of_robot = cell.robots().iter().find(|robot| robot.name == coordinate.robot);
    of_robot.is_some_and(|of_robot| {
        let joints = of_robot.robot.joints();
        let is_it = |joint: &kansho_cell::Joint| {
            joint.mimic.is_some_and(|mimic| {
                coordinate
                    .joint
                    .strip_prefix(joints[mimic.joint.0 as usize].name.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        // What follows a follower need not be looked for: the first of the row follows this one.
        joints.iter().any(is_it)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(ranges: &[(f64, f64, bool, f64)]) -> Space {
        let range = |&(least, most, is_endless, weight): &_| Range { least, most, is_endless, weight };
        Space { coordinates: ranges.iter().map(range).collect() }
    }

    #[test]
    fn the_shorter_turn_is_taken_where_there_is_no_end() {
        let endless = (f64::NEG_INFINITY, f64::INFINITY, true, 1.0);
        let space = space(&[endless, (-4.0, 4.0, false, 2.0)]);
        assert!((space.distance(&[3.0, 0.0], &[-3.0, 0.0]) - (TAU - 6.0)).abs() < 1e-15);
        assert_eq!(space.distance(&[0.0, 3.0], &[0.0, -3.0]), 12.0);
        let mut half = Vec::new();
        space.toward(&[3.0, 3.0], &[-3.0, -3.0], 0.5, &mut half);
        assert!((half[0] - PI).abs() < 1e-15 && half[1] == 0.0);
        // Many turns away, and back.
        let mut way =
            [vec![0.0, 0.0], vec![20.0 * TAU + 1.0, 1.0], vec![-9.0 * TAU - 2.5, 2.0], vec![0.5, 0.0]];
        space.unwind(&mut way);
        for pair in way.windows(2) {
            assert!((pair[1][0] - pair[0][0]).abs() <= PI);
        }
        assert!((way[1][0] - 1.0).abs() < 1e-12 && (way[2][0] - (TAU - 2.5)).abs() < 1e-12);
        assert!((way[3][0] - (TAU + 0.5)).abs() < 1e-12);
    }

    #[test]
    fn what_is_outside_is_named() {
        let space = space(&[(-1.0, 1.0, false, 1.0), (f64::NEG_INFINITY, f64::INFINITY, false, 1.0)]);
        let check = |posture: [f64; 2], outside| assert_eq!(space.outside(&posture), outside);
        check([1.0, 1e9], None);
        check([1.0 + 1e-15, 0.0], Some(0));
        check([f64::NAN, 0.0], Some(0));
        check([0.0, f64::NAN], Some(1));
        check([0.0, f64::INFINITY], Some(1));
    }

    #[test]
    fn lines_stay_between_their_ends() {
        let space = space(&[(-1.0, 1.0, false, 1.0)]);
        let mut random = Random::new(5);
        for _ in 0..10_000 {
            let (mut a, mut b, mut on) = (Vec::new(), Vec::new(), Vec::new());
            space.anywhere([&[0.0], &[0.0]], &mut random, &mut a);
            space.anywhere([&[0.0], &[0.0]], &mut random, &mut b);
            space.toward(&a, &b, random.fraction(), &mut on);
            assert!(a[0].min(b[0]) <= on[0] && on[0] <= a[0].max(b[0]));
            space.toward(&a, &b, 1.0, &mut on);
            assert_eq!(on, b);
        }
    }
}
