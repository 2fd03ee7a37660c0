//! Postures that are reached from a root by proven lines.

use super::space::Space;

/// A point of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point(usize);

/// A tree.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// All postures, one after the other.
    values: Vec<f64>,
    /// Of each but the root, where its line comes from.
    from: Vec<Point>,
    /// How long a step of each is: longer where there was room, shorter where there was none.
    steps: Vec<f64>,
    count: usize,
}

impl Tree {
    pub(super) const ROOT: Point = Point(0);

    pub(super) fn new(root: &[f64], step: f64) -> Self {
        Self { values: root.to_vec(), from: vec![Self::ROOT], steps: vec![step], count: root.len() }
    }

    pub(super) fn len(&self) -> usize {
        self.from.len()
    }

    pub(super) fn posture(&self, point: Point) -> &[f64] {
        &self.values[point.0 * self.count..(point.0 + 1) * self.count]
    }

    pub(super) fn add(&mut self, posture: &[f64], from: Point, step: f64) -> Point {
        self.values.extend_from_slice(posture);
        self.from.push(from);
        self.steps.push(step);
        Point(self.from.len() - 1)
    }

    pub(super) fn step(&mut self, point: Point) -> &mut f64 {
        &mut self.steps[point.0]
    }

    /// The point nearest to a posture, and the first of several; with its distance.
    ///
    /// Trees are small, and a line takes as long as a look at thousands of points.
    pub(super) fn nearest(&self, space: &Space, posture: &[f64]) -> (Point, f64) {
        let of = |(k, values): (usize, &[f64])| (k, space.distance_sq(values, posture));
        let all = self.values.chunks_exact(self.count.max(1)).enumerate().map(of);
        let (k, distance_sq) =
            all.fold((0, f64::INFINITY), |best, other| if other.1 < best.1 { other } else { best });
        (Point(k), distance_sq.sqrt())
    }

    /// The postures from a point to the root.
    pub(super) fn to_root(&self, mut point: Point) -> Vec<Vec<f64>> {
        let mut postures = vec![self.posture(point).to_vec()];
        while point != Self::ROOT {
            point = self.from[point.0];
            postures.push(self.posture(point).to_vec());
        }
        postures
    }
}
