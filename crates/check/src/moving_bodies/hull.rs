//! Until when does a polynomial stay above a level?

/// The part of the span from 0 to 1 in which a polynomial with these coefficients in Bernstein's form is certainly above a level that
/// its first coefficient is above; all of it, 1, if all coefficients are.
///
/// The polynomial lies in the hull of the points `(k/n, c_k)`. At an instant `s` the lowest point of the hull is on a line between two
/// of them, one on each side of `s`. Where both are above the level, so is the line. A line down from `j` to `k` reaches the level at
///
/// ```text
/// j/n + (k − j)/n · (c_j − level) / (c_j − c_k)
/// ```
///
/// and the first of these instants is what is left. It is not enough to look at the lines from the first point: others that start lower
/// come down sooner.
pub(super) fn stays_above(c: &[f64], level: f64) -> f64 {
    let at = |k: usize| k as f64 / (c.len() - 1) as f64;
    let mut until: f64 = 1.0;
    for k in (1..c.len()).filter(|k| !(c[*k] > level)) {
        for j in (0..k).filter(|j| c[*j] > level) {
            let down = at(j) + (at(k) - at(j)) * ((c[j] - level) / (c[j] - c[k]));
            // What is no number proves nothing.
            until = if down >= 0.0 { until.min(down) } else { 0.0 };
        }
    }
    until
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By de Casteljau.
    fn value(c: &[f64], s: f64) -> f64 {
        let mut points = c.to_vec();
        while points.len() > 1 {
            points = points.windows(2).map(|p| p[0] * (1.0 - s) + p[1] * s).collect();
        }
        points[0]
    }

    #[test]
    fn lines_that_start_lower_come_down_sooner() {
        // The line from the first point reaches zero only at 0.99; the polynomial is negative before.
        let c = [1.0, 0.01, 0.005, -0.01];
        assert!(value(&c, 0.9) < 0.0);
        let until = stays_above(&c, 0.0);
        assert!(until < 0.9 && until > 0.5, "{until}");
        assert_eq!(stays_above(&[1.0, 0.5, 0.25, 0.1], 0.0), 1.0);
        assert_eq!(stays_above(&[1.0, f64::NAN, 1.0], 0.0), 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn until_then_it_is_above(
            rest in prop::collection::vec((-1.0..1.0f64, 0i32..8), 1..5),
            level in 0.0..0.5f64,
        ) {
            // Of very different sizes.
            let c: Vec<f64> = std::iter::once(1.0).chain(rest.iter().map(|(x, small)| x * 0.2f64.powi(*small))).collect();
            let until = stays_above(&c, level);
            prop_assert!((0.0..=1.0).contains(&until));
            for k in 0..=200 {
                let s = until * f64::from(k) / 200.0;
                prop_assert!(value(&c, s) >= level - 1e-12, "{c:?}: {} at {s}", value(&c, s));
            }
        }
    }
}
