//! Placements as a reader of manuals would reckon with them, in millimetres and degrees.

use kansho_geom::Pose;

/// A turn, by rows, and a place in millimetres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::robot_program::tests) struct Frame {
    pub(super) turn: [[f64; 3]; 3],
    pub(super) at: [f64; 3],
}

impl Frame {
    pub(super) const ZERO: Self =
        Self { turn: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], at: [0.0; 3] };

    pub(super) fn of(pose: &Pose) -> Self {
        let m = pose.rotation();
        let row = |k: usize| [m.x_axis[k], m.y_axis[k], m.z_axis[k]];
        Self { turn: [row(0), row(1), row(2)], at: (pose.translation() * 1e3).into() }
    }

    pub(super) fn to(at: [f64; 3]) -> Self {
        Self { at, ..Self::ZERO }
    }

    /// A turn about axis 0, 1 or 2 by degrees.
    pub(super) fn about(axis: usize, degrees: f64) -> Self {
        let (s, c) = degrees.to_radians().sin_cos();
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut turn = Self::ZERO.turn;
        turn[i][i] = c;
        turn[j][j] = c;
        turn[i][j] = -s;
        turn[j][i] = s;
        Self { turn, at: [0.0; 3] }
    }

    /// Turned about fixed X, then Y, then Z, in degrees: W, P, R of FANUC, and Rx, Ry, Rz of Yaskawa.
    pub(super) fn fixed(at: [f64; 3], [w, p, r]: [f64; 3]) -> Self {
        let turned = Self::about(2, r).then(&Self::about(1, p)).then(&Self::about(0, w));
        Self { at, ..turned }
    }

    /// A quaternion, the scalar first, which need not have the length 1.
    pub(super) fn quaternion(at: [f64; 3], q: [f64; 4]) -> Self {
        let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [w, x, y, z] = q.map(|part| part / n);
        let turn = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        Self { turn, at }
    }

    /// This one, and the other in it.
    pub(super) fn then(&self, other: &Self) -> Self {
        let sum = |row: [f64; 3], column: [f64; 3]| row.iter().zip(column).map(|(a, b)| a * b).sum::<f64>();
        let column = |j: usize| [other.turn[0][j], other.turn[1][j], other.turn[2][j]];
        let turn = self.turn.map(|row| [0, 1, 2].map(|j| sum(row, column(j))));
        let at = [0, 1, 2].map(|i| self.at[i] + sum(self.turn[i], other.at));
        Self { turn, at }
    }

    pub(super) fn is_near(&self, other: &Self, millimetres: f64) -> bool {
        let turns = self.turn.as_flattened().iter().zip(other.turn.as_flattened());
        turns.into_iter().all(|(a, b)| (a - b).abs() < 1e-4)
            && self.at.iter().zip(other.at).all(|(a, b)| (a - b).abs() <= millimetres)
    }
}
