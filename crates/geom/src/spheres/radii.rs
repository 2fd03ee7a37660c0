//! How large the spheres of each rank are.

/// How many ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ranks {
    /// Large, medium and small: `r_m = sqrt(r_l r_s)` (first embodiment).
    Three,
    /// As many as make each rank about that many times smaller than the one before (second embodiment).
    Ratio(f64),
}

/// Why radii make no sense.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RadiiFault {
    /// The smallest radius is zero, negative or no number.
    #[error("the smallest radius must be greater than zero, not {0}")]
    NotPositive(f64),
    /// The ratio does not make spheres smaller, or hardly.
    #[error("the ratio of radii must be from 1.1 to 100, not {0}")]
    Ratio(f64),
}

/// Radii from the largest, which encloses the body, to the smallest. A body that fits into a smallest sphere gets that one alone.
///
/// ```text
/// n = round((log r1 − log rn) / log ρ) + 1, at least 2        r_i = rn (r1 / rn)^((n − i) / (n − 1))
/// ```
///
/// # Errors
/// The smallest radius or the ratio is out of range.
pub fn radii(largest: f64, smallest: f64, ranks: Ranks) -> Result<Vec<f64>, RadiiFault> {
    if !(smallest > 0.0) || !smallest.is_finite() {
        return Err(RadiiFault::NotPositive(smallest));
    }
    if let Ranks::Ratio(ratio) = ranks
        && !(1.1..=100.0).contains(&ratio)
    {
        return Err(RadiiFault::Ratio(ratio));
    }
    if largest <= smallest {
        return Ok(vec![largest]);
    }
    let count = match ranks {
        Ranks::Three => 3,
        Ranks::Ratio(ratio) => (((largest / smallest).ln() / ratio.ln()).round() as usize + 1).max(2),
    };
    let radius = |i: usize| match i {
        0 => largest,
        i if i + 1 == count => smallest,
        i => smallest * (largest / smallest).powf((count - 1 - i) as f64 / (count - 1) as f64),
    };
    Ok((0..count).map(radius).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_formulas_say() {
        let check = |found: Result<Vec<f64>, RadiiFault>, expected: &[f64]| {
            let found = found.expect("they make sense");
            assert!(found.len() == expected.len(), "{found:?}");
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?}");
        };
        check(radii(4.0, 1.0, Ranks::Three), &[4.0, 2.0, 1.0]);
        check(radii(8.0, 1.0, Ranks::Ratio(2.0)), &[8.0, 4.0, 2.0, 1.0]);
        // log2 11 = 3.46 counts as 3, log2 12 = 3.58 as 4.
        assert_eq!(radii(11.0, 1.0, Ranks::Ratio(2.0)).map(|r| r.len()), Ok(4));
        assert_eq!(radii(12.0, 1.0, Ranks::Ratio(2.0)).map(|r| r.len()), Ok(5));
        assert_eq!(radii(1.2, 1.0, Ranks::Ratio(2.0)), Ok(vec![1.2, 1.0]));
        assert_eq!(radii(0.5, 1.0, Ranks::Three), Ok(vec![0.5]));
        assert_eq!(radii(1.0, 0.0, Ranks::Three), Err(RadiiFault::NotPositive(0.0)));
        assert_eq!(radii(1.0, 0.1, Ranks::Ratio(1.0)), Err(RadiiFault::Ratio(1.0)));
        assert!(radii(1.0, f64::NAN, Ranks::Three).is_err());
    }
}
