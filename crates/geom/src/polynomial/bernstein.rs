//! Polynomials in Bernstein form in `f64`, with a bound of the error of every coefficient.
//!
//! Bernstein coefficients enclose the values of the polynomial, and averages of them (de Casteljau's halving) do not enlarge
//! an error. So one bound for all coefficients, which grows by the rounding of each halving, is enough.
#![expect(clippy::needless_range_loop, reason = "formulas run over several arrays at once")]

/// Half the distance from 1 to the next larger number: the relative error of one rounding.
pub(crate) const ROUNDING: f64 = f64::EPSILON / 2.0;

/// The largest coordinate for which nothing here overflows, and what is lost to underflow stays below [`UNDERFLOW`].
pub(crate) const LARGEST: f64 = 1e30;

/// More than all products that underflow, times what they are multiplied with, can add up to: a few hundred times 2⁻¹⁰⁷⁴ times
/// the square of [`LARGEST`].
pub(crate) const UNDERFLOW: f64 = 1e-250;

/// Bernstein coefficients over a span, of which none is off by more than `error`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bernstein<const K: usize> {
    pub(crate) coefficients: [f64; K],
    pub(crate) error: f64,
}

/// What certain signs of the coefficients tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signs {
    /// Positive everywhere, ends included.
    Positive,
    /// Negative everywhere, ends included.
    Negative,
    /// Of different signs at the ends, and one root between.
    Crosses,
    /// Anything.
    Unknown,
}

/// `K − 1` over `k`.
pub(crate) const fn binomials<const K: usize>() -> [f64; K] {
    let mut row = [1.0; K];
    let mut k = 1;
    while k < K {
        row[k] = row[k - 1] * (K - k) as f64 / k as f64;
        k += 1;
    }
    row
}

impl<const K: usize> Bernstein<K> {
    #[inline]
    pub(crate) fn signs(&self) -> Signs {
        let (mut positive, mut negative) = (0_u32, 0_u32);
        for (k, &coefficient) in self.coefficients.iter().enumerate() {
            positive |= u32::from(coefficient > self.error) << k;
            negative |= u32::from(coefficient < -self.error) << k;
        }
        let all = (1 << K) - 1;
        if positive == all {
            return Signs::Positive;
        }
        if negative == all {
            return Signs::Negative;
        }
        // All of one sign before all of the other, and what is uncertain between them: one change in any case.
        let crosses = |first: u32, then: u32| {
            first & 1 == 1 && then >> (K - 1) == 1 && first.ilog2() < then.trailing_zeros() && {
                let between = all & !(first | then);
                between == 0
                    || (between.trailing_zeros() > first.ilog2() && between.ilog2() < then.trailing_zeros())
            }
        };
        if crosses(positive, negative) || crosses(negative, positive) {
            Signs::Crosses
        } else {
            Signs::Unknown
        }
    }

    /// The largest coefficient.
    pub(crate) fn size(&self) -> f64 {
        self.coefficients.iter().fold(0.0, |size, c| c.abs().max(size))
    }

    /// Both halves.
    #[inline]
    pub(crate) fn halves(&self) -> [Self; 2] {
        let mut late = self.coefficients;
        let mut early = late;
        for k in 1..K {
            for i in 0..K - k {
                late[i] = 0.5 * (late[i] + late[i + 1]);
            }
            early[k] = late[0];
        }
        // One rounding for each of the K − 1 averages, of numbers no larger than the largest.
        let error = self.error + K as f64 * ROUNDING * self.size() + UNDERFLOW;
        [Self { coefficients: early, error }, Self { coefficients: late, error }]
    }

    /// Most that [`Self::value`] can be off.
    pub(crate) fn value_error(&self) -> f64 {
        // Each term has at most K − 1 factors 1 − s (rounded once each, times once each), as many additions, K − 1 factors s, a
        // binomial and a coefficient; the terms' sizes add up to at most the largest coefficient.
        self.error + (4 * K + 8) as f64 * ROUNDING * self.size() + UNDERFLOW
    }

    /// The value at `s` in `[0, 1]`.
    #[inline]
    pub(crate) fn value(&self, s: f64) -> f64 {
        let binomials = const { binomials::<K>() };
        let rest = 1.0 - s;
        let mut power = 1.0;
        let mut value = self.coefficients[0];
        for k in 1..K {
            power *= s;
            value = value * rest + binomials[k] * power * self.coefficients[k];
        }
        value
    }
}

/// The product of two polynomials whose coefficients are multiplied by their binomials, added to a third such.
#[inline]
pub(crate) fn add_product<const A: usize, const B: usize, const C: usize>(
    sum: &mut [f64; C],
    a: &[f64; A],
    b: &[f64; B],
) {
    debug_assert_eq!(A + B, C + 1);
    for i in 0..A {
        for j in 0..B {
            sum[i + j] += a[i] * b[j];
        }
    }
}
