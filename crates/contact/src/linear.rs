//! Small dense linear algebra: singular values and non-negative least squares.
//!
//! Every linear program of this crate asks "is this vector in the cone of those?". Non-negative least squares (Lawson and Hanson 1974) answer
//! with a proof either way: the coefficients, or a direction with a positive product with the vector and no positive one with any other
//! (Farkas). Implied rows, form closure, second order, standing under gravity and the nearest allowed motion are all such questions.

/// Singular values in descending order, each with its right vector.
///
/// One-sided Jacobi: columns are rotated until they are orthogonal, so small values keep their digits, as products
/// `AᵀA` would not.
pub(crate) fn singular<const N: usize>(rows: &[[f64; N]]) -> [(f64, [f64; N]); N] {
    // Columns of A, and of V.
    let mut a: [Vec<f64>; N] = std::array::from_fn(|j| rows.iter().map(|row| row[j]).collect());
    let mut v: [[f64; N]; N] = std::array::from_fn(|j| std::array::from_fn(|i| f64::from(u8::from(i == j))));
    const SWEEPS: usize = 60; // Six columns need some eight; the bound is for numbers that are not finite.
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..N {
            for q in p + 1..N {
                let (pp, qq, pq) = (dot(&a[p], &a[p]), dot(&a[q], &a[q]), dot(&a[p], &a[q]));
                if !(pq.abs() > 1e-15 * (pp * qq).sqrt()) || pq == 0.0 {
                    continue;
                }
                turned = true;
                let zeta = (qq - pp) / (2.0 * pq);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = c * t;
                let (left, right) = a.split_at_mut(q);
                rotate(&mut left[p], &mut right[0], c, s);
                let (left, right) = v.split_at_mut(q);
                rotate(&mut left[p], &mut right[0], c, s);
            }
        }
        if !turned {
            break;
        }
    }
    let mut found: [(f64, [f64; N]); N] = std::array::from_fn(|j| (dot(&a[j], &a[j]).sqrt(), v[j]));
    found.sort_by(|x, y| y.0.total_cmp(&x.0));
    found
}

fn rotate(p: &mut [f64], q: &mut [f64], c: f64, s: f64) {
    for (x, y) in p.iter_mut().zip(q) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// The nearest point of a cone to a target: `min |target − Σ λᵢ generatorᵢ|` over `λ ≥ 0`.
#[derive(Clone, Debug)]
pub(crate) struct Nearest {
    /// How much of each generator.
    pub(crate) parts: Vec<f64>,
    /// What is left of the target. If it is not zero it proves that the target is outside: its product with every generator
    /// is at most zero, and with the target positive.
    pub(crate) rest: Vec<f64>,
}

/// Non-negative least squares by the active-set method of Lawson and Hanson.
///
/// Linear programs of this crate are questions of the form "is a vector in the cone of these?"; this answers them with a
/// certificate either way, and the nearest point for those who want it.
pub(crate) fn nearest_in_cone(generators: &[Vec<f64>], target: &[f64]) -> Nearest {
    let scale = norm(target).max(f64::MIN_POSITIVE);
    let lengths: Vec<f64> = generators.iter().map(|g| norm(g)).collect();
    let mut parts = vec![0.0; generators.len()];
    let mut active: Vec<usize> = Vec::new();
    let mut rest = target.to_vec();
    let mut refused = vec![false; generators.len()];
    for _ in 0..20 * (generators.len() + target.len()) + 20 {
        let gain = |i: usize| dot(&generators[i], &rest) / lengths[i];
        let best = (0..generators.len())
            .filter(|&i| !refused[i] && lengths[i] > 0.0 && !active.contains(&i))
            .map(|i| (gain(i), i))
            .fold((1e-12 * scale, None), |best, (g, i)| if g > best.0 { (g, Some(i)) } else { best });
        let (_, Some(enter)) = best else { break };
        active.push(enter);
        loop {
            let Some(wanted) = least_squares(generators, &active, target) else {
                // It depends on those that are in already: it cannot help now.
                active.retain(|&i| i != enter);
                refused[enter] = true;
                break;
            };
            if wanted.iter().all(|&x| x > 0.0) {
                active.iter().zip(&wanted).for_each(|(&i, &x)| parts[i] = x);
                refused.iter_mut().for_each(|r| *r = false);
                break;
            }
            // As far as all stay non-negative, then without those that reach zero.
            let step =
                active.iter().zip(&wanted).filter(|&(_, &x)| x <= 0.0).fold(1.0f64, |step, (&i, &x)| {
                    let way = parts[i] - x;
                    step.min(if way > 0.0 { parts[i] / way } else { 0.0 })
                });
            for (&i, &x) in active.iter().zip(&wanted) {
                parts[i] += step * (x - parts[i]);
                if parts[i] <= 1e-14 * scale / lengths[i] && x <= 0.0 {
                    parts[i] = 0.0;
                }
            }
            let before = active.len();
            active.retain(|&i| parts[i] > 0.0);
            if active.len() == before || active.is_empty() {
                refused[enter] = true;
                break;
            }
        }
        rest.copy_from_slice(target);
        for (i, &x) in parts.iter().enumerate().filter(|&(_, &x)| x > 0.0) {
            rest.iter_mut().zip(&generators[i]).for_each(|(r, g)| *r -= x * g);
        }
        if norm(&rest) <= 1e-14 * scale {
            break;
        }
    }
    Nearest { parts, rest }
}

/// Coefficients of the columns that come nearest to the target; none if they depend on one another.
pub(crate) fn least_squares(columns: &[Vec<f64>], which: &[usize], target: &[f64]) -> Option<Vec<f64>> {
    // Gram–Schmidt, twice for full precision.
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(which.len());
    let mut upper: Vec<Vec<f64>> = Vec::with_capacity(which.len());
    for &i in which {
        let mut column = columns[i].clone();
        let length = norm(&column);
        let mut factors = vec![0.0; basis.len()];
        for _ in 0..2 {
            for (factor, unit) in factors.iter_mut().zip(&basis) {
                let along = dot(&column, unit);
                *factor += along;
                column.iter_mut().zip(unit).for_each(|(c, u)| *c -= along * u);
            }
        }
        let left = norm(&column);
        if !(left > 1e-10 * length) {
            return None;
        }
        column.iter_mut().for_each(|c| *c /= left);
        factors.push(left);
        basis.push(column);
        upper.push(factors);
    }
    let mut rest = target.to_vec();
    let mut solution = vec![0.0; which.len()];
    for (x, unit) in solution.iter_mut().zip(&basis) {
        *x = dot(&rest, unit);
        rest.iter_mut().zip(unit).for_each(|(r, u)| *r -= *x * u);
    }
    for i in (0..which.len()).rev() {
        let known: f64 = (i + 1..which.len()).map(|j| upper[j][i] * solution[j]).sum();
        solution[i] = (solution[i] - known) / upper[i][i];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn singular_values_of_a_stretched_box() {
        let found = singular(&[[3.0, 0.0, 0.0], [0.0, 0.0, 2e-9], [0.0, 5.0, 0.0], [0.0, 0.0, 0.0]]);
        assert!((found[0].0 - 5.0).abs() < 1e-14 && (found[1].0 - 3.0).abs() < 1e-14);
        assert!((found[2].0 - 2e-9).abs() < 1e-20 && found[2].1[2].abs() == 1.0);
    }

    proptest! {
        #[test]
        fn vectors_have_their_values(numbers in prop::collection::vec(-1.0..1.0f64, 48)) {
            let rows: Vec<[f64; 6]> = numbers.chunks(6).map(|c| c.try_into().expect("six")).collect();
            let found = singular(&rows);
            for (value, vector) in &found {
                let image: Vec<f64> = rows.iter().map(|row| dot(row, vector)).collect();
                prop_assert!((norm(&image) - value).abs() < 1e-12);
                prop_assert!((norm(vector) - 1.0).abs() < 1e-12);
            }
            let all: f64 = found.iter().map(|(value, _)| value * value).sum();
            let entries: f64 = numbers.iter().map(|x| x * x).sum();
            prop_assert!((all - entries).abs() < 1e-12);
        }

        /// The conditions of Karush, Kuhn and Tucker, which only the nearest point meets.
        #[test]
        fn nearest_point_is_the_nearest(
            numbers in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), Just(-1.0), -1.0..1.0f64], 6..96),
            target in prop::collection::vec(-1.0..1.0f64, 6),
        ) {
            let generators: Vec<Vec<f64>> = numbers.chunks_exact(6).map(<[f64]>::to_vec).collect();
            let found = nearest_in_cone(&generators, &target);
            prop_assert!(found.parts.iter().all(|&x| x >= 0.0));
            let near: Vec<f64> = target.iter().zip(&found.rest).map(|(t, r)| t - r).collect();
            prop_assert!(dot(&near, &found.rest).abs() < 1e-9);
            for g in &generators {
                prop_assert!(dot(g, &found.rest) < 1e-9 * (1.0 + norm(g)));
            }
        }
    }
}
