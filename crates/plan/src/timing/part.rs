//! Joints along a piece, as polynomials, so that their derivatives are known.

use super::course::{Piece, Shape};
use super::{TimeLimits, TimingFault, Why};
use crate::timing::law::Interval;
use kansho_cell::ik::{Followed, Ik, Solutions};
use std::sync::LazyLock;

/// Nodes of a polynomial: degree 8.
pub(super) const NODES: usize = 9;

/// How far polynomials may be from joints, in radians or metres.
const ACCURACY: f64 = 1e-9;

/// The shortest part that a piece is divided into, as a part of it.
const SHORTEST: f64 = 1.0 / 1024.0;

/// Bounds of derivatives between nodes, from those at nodes: by so much more.
const MORE: f64 = 1.05;

type Row = [f64; NODES];

/// Nodes between -1 and 1 (Chebyshev's points of the second kind), weights for values between them, and the matrix that takes values at
/// nodes to derivatives there.
struct Table {
    nodes: Row,
    weights: Row,
    derive: [Row; NODES],
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let last = NODES - 1;
    let nodes: Row = std::array::from_fn(|k| -(std::f64::consts::PI * k as f64 / last as f64).cos());
    let weights: Row = std::array::from_fn(|k| {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        if k == 0 || k == last { 0.5 * sign } else { sign }
    });
    let mut derive = [[0.0; NODES]; NODES];
    for i in 0..NODES {
        for j in (0..NODES).filter(|j| *j != i) {
            derive[i][j] = weights[j] / weights[i] / (nodes[i] - nodes[j]);
        }
        // Constants have no slope.
        derive[i][i] = -derive[i].iter().sum::<f64>();
    }
    Table { nodes, weights, derive }
});

impl Table {
    fn derivative(&self, values: &Row) -> Row {
        std::array::from_fn(|i| self.derive[i].iter().zip(values).map(|(d, v)| d * v).sum())
    }

    /// The value between nodes (barycentric form).
    fn value(&self, values: &Row, x: f64) -> f64 {
        let (mut above, mut below) = (0.0, 0.0);
        for ((value, node), weight) in values.iter().zip(&self.nodes).zip(&self.weights) {
            let off = x - node;
            if off == 0.0 {
                return *value;
            }
            above += weight / off * value;
            below += weight / off;
        }
        above / below
    }
}

/// A part of a piece, short enough that polynomials follow its joints.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Number of the piece in its stretch.
    pub(super) piece: usize,
    /// Where in the piece.
    pub(super) from: f64,
    pub(super) to: f64,
    /// Where in the stretch it begins, and how long it is.
    pub(super) start: f64,
    pub(super) length: f64,
    /// Coordinates that may move, with their values at nodes.
    pub(super) joints: Vec<(usize, Row)>,
    /// The tip's, where it is at work.
    tip: Option<[Row; 3]>,
}

/// Divides a piece, from a posture on, which becomes the one at its end.
pub(super) fn parts(
    ik: &Ik,
    piece: &Piece,
    number: usize,
    start: f64,
    posture: &mut Vec<f64>,
    into: &mut Vec<Part>,
) -> Result<(), TimingFault> {
    if let Shape::Joints([from, to]) = &piece.shape {
        let table = &*TABLE;
        let moves = (0..from.len()).filter(|k| from[*k] != to[*k]);
        let along = |k: usize| table.nodes.map(|x| from[k] + 0.5 * (x + 1.0) * (to[k] - from[k]));
        // Nodes are where speeds are chosen: enough of them for a ramp at each end.
        const CUTS: usize = 4;
        let joints: Vec<(usize, Row)> = moves.map(|k| (k, along(k))).collect();
        for cut in 0..CUTS {
            let [a, b] = [cut, cut + 1].map(|cut| cut as f64 / CUTS as f64);
            let shown = |row: &Row| {
                table.nodes.map(|x| table.value(row, 2.0 * (a + 0.5 * (x + 1.0) * (b - a)) - 1.0))
            };
            into.push(Part {
                piece: number,
                from: a,
                to: b,
                start: start + a * piece.length,
                length: (b - a) * piece.length,
                joints: joints.iter().map(|(k, row)| (*k, shown(row))).collect(),
                tip: None,
            });
        }
        posture.clone_from(to);
        return Ok(());
    }
    let mut open = vec![(0.0, 1.0)];
    let mut scratch = Solutions::default();
    let mut values = ik.values_in(posture);
    while let Some((from, to)) = open.pop() {
        let found = fitted(ik, piece, [from, to], &values, &mut scratch);
        let Some((rows, tip, last)) = found else {
            if to - from <= SHORTEST {
                return Err(TimingFault::Lost { of_move: piece.of_move });
            }
            let middle = 0.5 * (from + to);
            open.extend([(middle, to), (from, middle)]);
            continue;
        };
        let joints = ik.joints().iter().zip(rows).map(|(joint, row)| (joint.coordinate, row));
        into.push(Part {
            piece: number,
            from,
            to,
            start: start + from * piece.length,
            length: (to - from) * piece.length,
            joints: joints.collect(),
            tip: piece.is_work.then_some(tip),
        });
        values = last;
    }
    ik.put(&values, posture);
    Ok(())
}

type Fitted = (Vec<Row>, [Row; 3], Vec<f64>);

/// Joints at the nodes of a part; none if they cannot be followed, or are not what polynomials say between nodes.
fn fitted(
    ik: &Ik,
    piece: &Piece,
    [from, to]: [f64; 2],
    first: &[f64],
    scratch: &mut Solutions,
) -> Option<Fitted> {
    let table = &*TABLE;
    let mut rows = vec![[0.0; NODES]; first.len()];
    let mut tip = [[0.0; NODES]; 3];
    let mut values = first.to_vec();
    let pose = |x: f64| piece.pose(from + 0.5 * (x + 1.0) * (to - from));
    let follow = |x: f64, near: &[f64], scratch: &mut Solutions| match ik.follow(&pose(x)?, near, scratch) {
        Followed::On { values, .. } => Some(values),
        Followed::Ends(_) => None,
    };
    for k in 0..NODES {
        values = follow(table.nodes[k], &values, scratch)?;
        rows.iter_mut().zip(&values).for_each(|(row, value)| row[k] = *value);
        let place = pose(table.nodes[k])?.translation();
        tip.iter_mut().zip(place.to_array()).for_each(|(row, value)| row[k] = value);
    }
    for k in [0, NODES / 2, NODES - 2] {
        let x = 0.5 * (table.nodes[k] + table.nodes[k + 1]);
        let said: Vec<f64> = rows.iter().map(|row| table.value(row, x)).collect();
        let is = follow(x, &said, scratch)?;
        if said.iter().zip(&is).any(|(said, is)| !((said - is).abs() <= ACCURACY)) {
            return None;
        }
    }
    Some((rows, tip, values))
}

impl Part {
    /// Of each coordinate that moves, value and three derivatives by length, at a place in the part.
    pub(super) fn at(&self, s: f64) -> impl Iterator<Item = (usize, [f64; 4])> + '_ {
        let table = &*TABLE;
        let (x, k) = (2.0 * (s - self.start) / self.length - 1.0, 2.0 / self.length);
        self.joints.iter().map(move |(coordinate, row)| {
            let first = table.derivative(row);
            let second = table.derivative(&first);
            let third = table.derivative(&second);
            let [a, b, c, d] = [row, &first, &second, &third].map(|row| table.value(row, x));
            (*coordinate, [a, b * k, c * k * k, d * k.powi(3)])
        })
    }

    /// How fast the tip goes, as a part of how fast the length does.
    pub(super) fn tip_rate(&self, s: f64) -> Option<f64> {
        let table = &*TABLE;
        let x = 2.0 * (s - self.start) / self.length - 1.0;
        let rows = self.tip.as_ref()?;
        let sum: f64 = rows.iter().map(|row| table.value(&table.derivative(row), x).powi(2)).sum();
        Some(sum.sqrt() * 2.0 / self.length)
    }

    /// What is allowed between nodes, and which limit makes it so slow.
    ///
    /// With `q(s(t))`: `q' v ≤ V`; of `q' a + q'' v² ≤ A` the second takes half at most; of `q' j + 3 q'' v a + q''' v³ ≤ J` the second and
    /// third take a third each at most.
    pub(super) fn intervals(&self, limits: &TimeLimits, into: &mut Vec<(Interval, Why)>) {
        let table = &*TABLE;
        let k = 2.0 / self.length;
        let rows: Vec<(usize, [Row; 3])> = self
            .joints
            .iter()
            .map(|(coordinate, row)| {
                let first = table.derivative(row);
                let second = table.derivative(&first);
                let third = table.derivative(&second);
                (*coordinate, [first.map(|x| x * k), second.map(|x| x * k * k), third.map(|x| x * k.powi(3))])
            })
            .collect();
        let tip = self.tip.as_ref().map(|rows| {
            let slopes = rows.each_ref().map(|row| table.derivative(row).map(|x| x * k));
            std::array::from_fn::<f64, NODES, _>(|n| {
                slopes.iter().map(|row| row[n] * row[n]).sum::<f64>().sqrt()
            })
        });
        for n in 0..NODES - 1 {
            let most = |row: &Row| MORE * row[n].abs().max(row[n + 1].abs());
            let (mut speed, mut why) = match &tip {
                Some(rates) => (limits.tip_speed / rates[n].max(rates[n + 1]), Why::Wanted),
                None => (f64::INFINITY, Why::Wanted),
            };
            let bounds: Vec<(usize, [f64; 3])> =
                rows.iter().map(|(k, rows)| (*k, rows.each_ref().map(most))).collect();
            for (joint, [first, second, third]) in &bounds {
                let [v, a, j] = limits.of(*joint);
                for (bound, reason) in [
                    (v / first, Why::Speed(*joint)),
                    ((0.5 * a / second).sqrt(), Why::Acceleration(*joint)),
                    ((j / (3.0 * third)).cbrt(), Why::Jerk(*joint)),
                ] {
                    if bound < speed {
                        (speed, why) = (bound, reason);
                    }
                }
            }
            let mut acceleration = f64::INFINITY;
            for (joint, [first, second, _]) in &bounds {
                let [_, a, j] = limits.of(*joint);
                acceleration =
                    acceleration.min((a - second * speed * speed) / first).min(j / (9.0 * second * speed));
            }
            let mut jerk = f64::INFINITY;
            for (joint, [first, second, third]) in &bounds {
                let j = limits.of(*joint)[2];
                jerk = jerk.min((j - third * speed.powi(3) - 3.0 * second * speed * acceleration) / first);
            }
            let length = 0.5 * (table.nodes[n + 1] - table.nodes[n]) * self.length;
            into.push((Interval { length, speed, acceleration, jerk }, why));
        }
    }
}
