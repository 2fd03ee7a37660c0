//! Games on small tables: the best mixture of columns against the worst row.

/// Most rows and columns of a table.
pub(super) const MOST: usize = 8;

/// Numbers that are not negative, in rows and columns.
pub(super) struct Table {
    pub(super) numbers: [[f64; MOST]; MOST],
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// A mixture of columns, and the mixture of rows that holds against it.
pub(super) struct Answer {
    /// The largest sum of a row, columns weighted by the best mixture found: an upper bound on the least number of the columns
    /// at any mixture of the rows, whether or not a better mixture exists.
    pub(super) bound: f64,
    /// Weights of rows, of sum 1, at which the columns come up to the bound, up to rounding.
    pub(super) weights: [f64; MOST],
}

impl Table {
    /// Plays by the simplex method: maximise `Σ x` with `M x ≤ 1`, `x ≥ 0` for the table made positive; the value of the game
    /// is `1 / Σ x`.
    ///
    /// Rounding may spoil how good the mixture is, not that its bound holds: that is computed anew from the weights.
    pub(super) fn play(&self) -> Answer {
        let (m, n) = (self.rows, self.columns);
        let largest =
            self.numbers[..m].iter().flat_map(|row| &row[..n]).fold(0.0, |most: f64, &x| most.max(x));
        if !(largest > 0.0) {
            return self.answer([1.0; MOST], [1.0; MOST]);
        }
        // One row more for the goal, one column more for the limits. Basic variables stand for rows: first the slacks,
        // numbered from `MOST`.
        let mut t = [[0.0; MOST + 1]; MOST + 1];
        for (row, numbers) in t.iter_mut().zip(&self.numbers[..m]) {
            for (x, number) in row.iter_mut().zip(&numbers[..n]) {
                *x = 1.0 + number / largest;
            }
            row[n] = 1.0;
        }
        t[m][..n].fill(-1.0);
        let mut of_row: [usize; MOST] = std::array::from_fn(|i| MOST + i);
        let mut of_column: [usize; MOST] = std::array::from_fn(|j| j);
        // A table of this size takes a handful of exchanges; more are circles that rounding leads in.
        for _ in 0..4 * MOST {
            let Some(s) = (0..n).filter(|&j| t[m][j] < -1e-12).min_by(|&i, &j| t[m][i].total_cmp(&t[m][j]))
            else {
                break;
            };
            let room = |i: usize| t[i][n] / t[i][s];
            let rows = (0..m).filter(|&i| t[i][s] > 1e-12);
            let Some(r) = rows.min_by(|&i, &j| room(i).total_cmp(&room(j))) else {
                break;
            };
            let pivot = 1.0 / t[r][s];
            for i in (0..=m).filter(|&i| i != r) {
                let times = t[i][s] * pivot;
                for j in (0..=n).filter(|&j| j != s) {
                    t[i][j] -= times * t[r][j];
                }
                t[i][s] = -times;
            }
            t[r][..=n].iter_mut().for_each(|x| *x *= pivot);
            t[r][s] = pivot;
            std::mem::swap(&mut of_row[r], &mut of_column[s]);
        }
        let (mut columns, mut rows) = ([0.0; MOST], [0.0; MOST]);
        for i in 0..m {
            if of_row[i] < MOST {
                columns[of_row[i]] = t[i][n].max(0.0);
            }
        }
        for j in 0..n {
            if of_column[j] >= MOST {
                rows[of_column[j] - MOST] = t[m][j].max(0.0);
            }
        }
        self.answer(columns, rows)
    }

    fn answer(&self, columns: [f64; MOST], rows: [f64; MOST]) -> Answer {
        let (m, n) = (self.rows, self.columns);
        let shares = |weights: [f64; MOST], count: usize| {
            let sum: f64 = weights[..count].iter().sum();
            // Equal ones will do where there are none.
            let good = sum > 0.0 && sum.is_finite();
            std::array::from_fn(|k| match (k < count, good) {
                (false, _) => 0.0,
                (true, true) => weights[k] / sum,
                (true, false) => 1.0 / count as f64,
            })
        };
        let (columns, weights): ([f64; MOST], _) = (shares(columns, n), shares(rows, m));
        let row = |i: usize| (0..n).map(|j| columns[j] * self.numbers[i][j]).sum::<f64>();
        Answer { bound: (0..m).map(row).fold(0.0, f64::max), weights }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(rows: usize, columns: usize, numbers: &[f64]) -> Table {
        let at = |i: usize, j: usize| if i < rows && j < columns { numbers[i * columns + j] } else { 0.0 };
        Table { numbers: std::array::from_fn(|i| std::array::from_fn(|j| at(i, j))), rows, columns }
    }

    #[test]
    fn known_games() {
        assert_eq!(table(1, 2, &[3.0, 2.0]).play().bound, 2.0);
        assert_eq!(table(2, 1, &[3.0, 2.0]).play().bound, 3.0);
        assert!((table(2, 2, &[0.0, 1.0, 1.0, 0.0]).play().bound - 0.5).abs() < 1e-15);
        assert!(
            (table(3, 3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).play().bound - 1.0 / 3.0).abs()
                < 1e-15
        );
        assert_eq!(table(2, 2, &[0.0; 4]).play().bound, 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// What the columns have for the rows' mixture is below every game's value, the bound above: they meet.
        #[test]
        fn both_mixtures_are_best(
            rows in 1..=MOST,
            columns in 1..=MOST,
            numbers in prop::collection::vec(prop_oneof![0.0..1.0f64, (0i32..3).prop_map(f64::from)], 64),
            size in prop::sample::select(vec![1e-6, 1.0, 1e5]),
        ) {
            let numbers: Vec<f64> = numbers.iter().map(|x| x * size).collect();
            let table = table(rows, columns, &numbers);
            let answer = table.play();
            let column = |j: usize| (0..rows).map(|i| answer.weights[i] * table.numbers[i][j]).sum::<f64>();
            let below = (0..columns).map(column).fold(f64::INFINITY, f64::min);
            prop_assert!((answer.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!((answer.bound - below).abs() < 1e-9 * size, "{} {below}", answer.bound);
        }
    }
}
