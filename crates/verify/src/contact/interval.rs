//! Numbers between two bounds: every operation is rounded outward, so no bound of a proof hangs on an estimate of roundings.
//!
//! A sum, product or root in double precision is the nearest number to the true one, so the next number down and the next one up hold it.

use kansho_geom::glam::DVec3;
use std::ops::{Add, Mul, Neg, Sub};

/// All numbers from `low` to `high`. What is no number is in no comparison, and so proves nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    pub(super) const ZERO: Self = Self { low: 0.0, high: 0.0 };

    pub(super) const fn exact(x: f64) -> Self {
        Self { low: x, high: x }
    }

    /// No farther than `off` from a number.
    pub(super) fn near(x: f64, off: f64) -> Self {
        Self { low: (x - off).next_down(), high: (x + off).next_up() }
    }

    pub(super) fn is_zero(self) -> bool {
        self.low == 0.0 && self.high == 0.0
    }

    /// No number in it is farther from zero than this.
    pub(super) fn most(self) -> f64 {
        if self.low.is_nan() || self.high.is_nan() { f64::NAN } else { (-self.low).max(self.high) }
    }

    pub(super) fn squared(self) -> Self {
        let most = self.most();
        Self { low: 0.0, high: (most * most).next_up() }
    }

    /// The root of a number that is not negative.
    pub(super) fn sqrt(self) -> Self {
        Self { low: self.low.max(0.0).sqrt().next_down().max(0.0), high: self.high.sqrt().next_up() }
    }

    /// One over it; all numbers if it holds zero.
    pub(super) fn inverse(self) -> Self {
        if !(self.low > 0.0 || self.high < 0.0) {
            return Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        Self { low: (1.0 / self.high).next_down(), high: (1.0 / self.low).next_up() }
    }
}

impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        // Adding an exact zero changes nothing, and so widens nothing.
        if other.is_zero() {
            return self;
        }
        if self.is_zero() {
            return other;
        }
        Self { low: (self.low + other.low).next_down(), high: (self.high + other.high).next_up() }
    }
}

impl Neg for Interval {
    type Output = Self;

    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Sub for Interval {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            // Only numbers with an end are multiplied: inputs are bounded.
            return if (self.most() + other.most()).is_finite() { Self::ZERO } else { Self::exact(f64::NAN) };
        }
        let [a, b, c, d] =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        if (a + b + c + d).is_nan() {
            return Self::exact(f64::NAN);
        }
        Self { low: a.min(b).min(c.min(d)).next_down(), high: a.max(b).max(c.max(d)).next_up() }
    }
}

/// A vector of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vector(pub(super) [Interval; 3]);

impl Vector {
    pub(super) fn exact(v: DVec3) -> Self {
        Self(v.to_array().map(Interval::exact))
    }

    pub(super) fn dot(self, other: Self) -> Interval {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        a * d + b * e + c * f
    }

    pub(super) fn cross(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }

    pub(super) fn times(self, by: Interval) -> Self {
        Self(self.0.map(|x| x * by))
    }

    pub(super) fn length(self) -> Interval {
        // Squares of the parts nearest to zero are left out of the lower bound by `squared`; here both bounds matter.
        let square = |x: Interval| {
            let least = if x.low > 0.0 {
                x.low
            } else if x.high < 0.0 {
                -x.high
            } else {
                0.0
            };
            Interval { low: (least * least).next_down().max(0.0), high: x.squared().high }
        };
        let [x, y, z] = self.0.map(square);
        (x + y + z).sqrt()
    }
}

impl Add for Vector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl Neg for Vector {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

impl Sub for Vector {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums and products of thirds: the exact ones are between the bounds, as fractions in whole numbers say.
    #[test]
    fn bounds_hold_the_exact_answers() {
        // Halves and small whole numbers are exact, so the exact answer is at hand.
        for (x, y) in [(1.5, -2.25), (1e16, 1.0), (3.0, 1.0 / 3.0), (-7.0, 0.1)] {
            let (a, b) = (Interval::exact(x), Interval::exact(y));
            let (sum, product) = (a + b, a * b);
            assert!(
                sum.low < x + y
                    && x + y < sum.high
                    && sum.high - sum.low <= 4.0 * f64::EPSILON * (x + y).abs().max(1e-300)
            );
            assert!(product.low < x * y && x * y < product.high);
            assert!((a - a).low <= 0.0 && (a - a).high >= 0.0);
        }
        let third = Interval::exact(3.0).inverse();
        assert!((third + third + third).low < 1.0 && (third + third + third).high > 1.0);
        let root = Interval::exact(2.0).sqrt();
        assert!((root * root).low < 2.0 && (root * root).high > 2.0);
    }

    #[test]
    fn what_is_no_number_proves_nothing() {
        let none = Interval::exact(f64::NAN);
        for x in [none + Interval::exact(1.0), none * Interval::exact(0.0), none * Interval::exact(2.0)] {
            assert!(!(x.low > 0.0) && !(x.high < 0.0));
        }
        let all = Interval { low: -1.0, high: 1.0 }.inverse();
        assert!(!((all * Interval::ZERO).low >= 0.0));
    }
}
