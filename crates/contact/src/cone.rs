//! Generators of a cone of inequalities, by double description.

use crate::linear::{dot, norm, singular};

/// The solutions of `row · x ≥ 0` for all rows: any sum of multiples of `lineality` and non-negative multiples of `rays`.
#[derive(Clone, Debug, PartialEq)]
pub struct Generators<const N: usize> {
    /// Orthonormal.
    pub lineality: Vec<[f64; N]>,
    /// Unit vectors, orthogonal to the lineality.
    pub rays: Vec<[f64; N]>,
    /// Whether the tolerance decided something that a slightly different one would not: a singular value sits at the
    /// threshold, or a ray misses a row.
    pub ambiguous: bool,
}

/// How near to the threshold, as a factor, a singular value is not told from zero.
const MARGIN: f64 = 3.0;

/// Generators of the cone of some unit rows, each known to within `tolerance`.
///
/// What all rows leave free comes first, by singular values: a direction that the rows feel by no more than their own
/// uncertainty is free both ways. Double description follows in what is left, from the most independent rows on; "zero"
/// means within the tolerance, so that two walls that face each other with some noise leave no sliver between them. In the
/// end every ray is fitted to the rows it lies on, and compared with all.
#[must_use]
pub fn generators<const N: usize>(rows: &[[f64; N]], tolerance: f64) -> Generators<N> {
    let mut distinct: Vec<[f64; N]> = Vec::with_capacity(rows.len());
    for row in rows {
        let near =
            |other: &[f64; N]| (0..N).map(|i| (row[i] - other[i]).powi(2)).sum::<f64>().sqrt() <= tolerance;
        if !distinct.iter().any(near) {
            distinct.push(*row);
        }
    }
    let threshold = tolerance * (distinct.len() as f64).sqrt();
    let values = singular(&distinct);
    let ambiguous = values.iter().any(|&(s, _)| s > threshold / MARGIN && s < threshold * MARGIN);
    let lineality: Vec<[f64; N]> = values.iter().filter(|v| v.0 <= threshold).map(|v| v.1).collect();
    let basis: Vec<[f64; N]> = values.iter().filter(|v| v.0 > threshold).map(|v| v.1).collect();
    let mut found = Generators { lineality, rays: Vec::new(), ambiguous };
    if basis.is_empty() {
        return found;
    }
    let inside: Vec<Vec<f64>> =
        distinct.iter().map(|row| basis.iter().map(|b| dot(row, b)).collect()).collect();
    for ray in double_description(&inside, basis.len(), tolerance) {
        let ray: [f64; N] = std::array::from_fn(|i| ray.iter().zip(&basis).map(|(x, b)| x * b[i]).sum());
        // Fitted to the rows it lies on.
        let on: Vec<[f64; N]> = found
            .lineality
            .iter()
            .copied()
            .chain(distinct.iter().copied().filter(|row| dot(row, &ray).abs() <= MARGIN * tolerance))
            .collect();
        let values = singular(&on);
        if N > 1 && values[N - 2].0 <= threshold {
            continue; // On a larger face of the cone: the sum of others.
        }
        let sign = dot(&values[N - 1].1, &ray).signum();
        let fitted = values[N - 1].1.map(|x| x * sign);
        let kept = distinct.iter().all(|row| dot(row, &fitted) >= -MARGIN * tolerance);
        found.ambiguous |= !kept;
        let apart = |other: &[f64; N]| (0..N).map(|i| (fitted[i] - other[i]).powi(2)).sum::<f64>().sqrt();
        if kept && !found.rays.iter().any(|other| apart(other) <= 4.0 * tolerance) {
            found.rays.push(fitted);
        }
    }
    found
}

/// A ray and the rows it lies on.
struct Ray {
    x: Vec<f64>,
    zero: Vec<u64>,
}

/// Extreme rays of a pointed cone in `dimension` dimensions, which the rows span.
fn double_description(rows: &[Vec<f64>], dimension: usize, tolerance: f64) -> Vec<Vec<f64>> {
    let words = rows.len().div_ceil(64);
    let (first, inverse) = independent(rows, dimension);
    let mut rays: Vec<Ray> = (0..dimension)
        .map(|i| {
            let mut zero = vec![0; words];
            first
                .iter()
                .enumerate()
                .filter(|&(j, _)| j != i)
                .for_each(|(_, &row)| zero[row / 64] |= 1 << (row % 64));
            Ray { x: unit(inverse[i].clone()), zero }
        })
        .collect();
    for (number, row) in rows.iter().enumerate().filter(|(number, _)| !first.contains(number)) {
        let heights: Vec<f64> = rays.iter().map(|ray| dot(row, &ray.x)).collect();
        let mut next: Vec<Ray> = Vec::new();
        for (p, &above) in heights.iter().enumerate().filter(|&(_, &h)| h > tolerance) {
            for (n, &below) in heights.iter().enumerate().filter(|&(_, &h)| h < -tolerance) {
                let common: Vec<u64> = rays[p].zero.iter().zip(&rays[n].zero).map(|(a, b)| a & b).collect();
                let count: u32 = common.iter().map(|w| w.count_ones()).sum();
                let holds = |ray: &Ray| common.iter().zip(&ray.zero).all(|(c, z)| c & !z == 0);
                let adjacent = count as usize + 2 >= dimension
                    && !rays.iter().enumerate().any(|(i, ray)| i != p && i != n && holds(ray));
                if adjacent {
                    let x = rays[p].x.iter().zip(&rays[n].x).map(|(a, b)| -below * a + above * b).collect();
                    let mut zero = common;
                    zero[number / 64] |= 1 << (number % 64);
                    next.push(Ray { x: unit(x), zero });
                }
            }
        }
        for (mut ray, height) in rays.into_iter().zip(heights) {
            if height.abs() <= tolerance {
                ray.zero[number / 64] |= 1 << (number % 64);
            }
            if height >= -tolerance {
                next.push(ray);
            }
        }
        rays = next;
    }
    rays.into_iter().map(|ray| ray.x).collect()
}

fn unit(mut x: Vec<f64>) -> Vec<f64> {
    let length = norm(&x);
    x.iter_mut().for_each(|x| *x /= length);
    x
}

/// The most independent rows, and vectors that are 1 on one of them and 0 on the others.
fn independent(rows: &[Vec<f64>], dimension: usize) -> (Vec<usize>, Vec<Vec<f64>>) {
    let mut left: Vec<Vec<f64>> = rows.to_vec();
    let mut chosen: Vec<usize> = Vec::with_capacity(dimension);
    for _ in 0..dimension {
        let best = (0..rows.len())
            .filter(|i| !chosen.contains(i))
            .max_by(|&i, &j| norm(&left[i]).total_cmp(&norm(&left[j])).then(j.cmp(&i)))
            .expect("the rows span the space");
        let axis = unit(left[best].clone());
        chosen.push(best);
        for row in &mut left {
            let along = dot(row, &axis);
            row.iter_mut().zip(&axis).for_each(|(x, a)| *x -= along * a);
        }
    }
    // Gauss and Jordan with pivots on [M | I]; columns of the inverse.
    let n = dimension;
    let mut table: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut line = rows[chosen[i]].clone();
            line.extend((0..n).map(|j| f64::from(u8::from(i == j))));
            line
        })
        .collect();
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&i, &j| table[i][column].abs().total_cmp(&table[j][column].abs()))
            .expect("there is a row");
        table.swap(column, pivot);
        let by = table[column][column];
        table[column].iter_mut().for_each(|x| *x /= by);
        let line = table[column].clone();
        for (i, other) in table.iter_mut().enumerate().filter(|&(i, _)| i != column) {
            let by = other[column];
            debug_assert!(i != column);
            other.iter_mut().zip(&line).for_each(|(x, l)| *x -= by * l);
        }
    }
    let inverse = (0..n).map(|j| (0..n).map(|i| table[i][n + j]).collect()).collect();
    (chosen, inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_octant_a_wedge_and_nothing() {
        let octant = generators(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 1e-9);
        assert_eq!((octant.lineality.len(), octant.rays.len(), octant.ambiguous), (0, 3, false));
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let wedge = generators(&[[half, half, 0.0], [half, -half, 0.0]], 1e-9);
        assert_eq!((wedge.lineality.len(), wedge.rays.len()), (1, 2));
        let none = generators(&[[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [half, -half], [-half, -half]], 1e-9);
        assert_eq!((none.lineality.len(), none.rays.len()), (0, 0));
        let free = generators::<3>(&[], 1e-9);
        assert_eq!((free.lineality.len(), free.rays.len()), (3, 0));
    }

    #[test]
    fn a_value_at_the_threshold_is_ambiguous() {
        assert!(generators(&[[1.0, 0.0], [1.0, 1.5e-3]], 1e-3).ambiguous);
        assert!(!generators(&[[1.0, 0.0], [1.0, 1.5e-1]], 1e-3).ambiguous);
    }

    proptest! {
        /// Every subset of three rows out of all, the slow way.
        #[test]
        fn rays_are_those_of_brute_force(numbers in prop::collection::vec(-3i8..4, 12..40)) {
            let rows: Vec<[f64; 4]> = numbers
                .chunks_exact(4)
                .map(|c| [c[0], c[1], c[2], c[3]].map(f64::from))
                .filter(|r| norm(r) > 0.0)
                .map(|r| r.map(|x| x / norm(&r)))
                .collect();
            let found = generators(&rows, 1e-9);
            let values = singular(&rows);
            prop_assert_eq!(found.lineality.len(), values.iter().filter(|v| v.0 < 1e-9).count());
            let mut rays: Vec<[f64; 4]> = Vec::new();
            let rank = 4 - found.lineality.len();
            if rank > 0 {
                for set in 0u32..1 << rows.len() {
                    if set.count_ones() as usize != rank - 1 {
                        continue;
                    }
                    let mut on: Vec<[f64; 4]> = (0..rows.len()).filter(|i| set >> i & 1 == 1).map(|i| rows[i]).collect();
                    on.extend(&found.lineality);
                    let values = singular(&on);
                    if values[2].0 < 1e-9 {
                        continue;
                    }
                    for ray in [values[3].1, values[3].1.map(|x| -x)] {
                        let new = !rays.iter().any(|r| dot(r, &ray) > 1.0 - 1e-9);
                        if new && rows.iter().all(|row| dot(row, &ray) > -1e-9) {
                            rays.push(ray);
                        }
                    }
                }
            }
            prop_assert_eq!(found.rays.len(), rays.len());
            for ray in &rays {
                prop_assert!(found.rays.iter().any(|r| dot(r, ray) > 1.0 - 1e-9));
            }
        }
    }
}
