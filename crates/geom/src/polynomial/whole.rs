//! What is asked of whole numbers, and the ones of any length.

use dashu_int::{IBig, Sign, UBig};
use std::cmp::Ordering;

/// 2⁶¹ − 1, a prime by which remainders are easy.
pub(crate) const PRIME: u64 = (1 << 61) - 1;

/// The remainder by [`PRIME`]: 2⁶¹ is 1 there, so pieces of 61 bits add up.
#[inline]
pub(crate) fn reduced(number: u128) -> u64 {
    let folded = (number & u128::from(PRIME)) + (number >> 61);
    let folded = (folded as u64 & PRIME) + (folded >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

/// `2^(up − down)`, or zero where that is much too small.
#[inline]
pub(crate) fn power_of_two(up: usize, down: usize) -> f64 {
    if up >= down { 2.0_f64.powi((up - down) as i32) } else { 0.5_f64.powi((down - up).min(1100) as i32) }
}

/// A signed whole number.
pub(crate) trait Whole: Clone {
    /// Bits that a magnitude can have.
    const CAPACITY: usize;

    /// Zero.
    fn zero() -> Self;
    /// `mantissa · 2^shift`.
    fn dyadic(mantissa: i64, shift: usize) -> Self;
    /// The same number.
    fn from_i128(number: i128) -> Self;
    /// The same number, if it is as short.
    fn to_i64(&self) -> Option<i64>;
    /// How it compares with zero.
    fn sign(&self) -> Ordering;
    /// Bits of the magnitude.
    fn bits(&self) -> usize;
    /// Adds `b`.
    fn add(&mut self, b: &Self);
    /// Subtracts `b`.
    fn subtract(&mut self, b: &Self);
    /// Adds `a · b`.
    fn add_product(&mut self, a: &Self, b: &Self);
    /// Subtracts `a · b`.
    fn subtract_product(&mut self, a: &Self, b: &Self);
    /// Adds `a · b`.
    fn add_multiple(&mut self, a: &Self, b: i64);
    /// Multiplies by `b`.
    fn multiply(&mut self, b: u64);
    /// Multiplies by `2^bits`.
    fn shift_left(&mut self, bits: usize);
    /// The quotient by a divisor that is not zero, if it is whole.
    fn divided(&self, by: i64) -> Option<Self>;
    /// The remainder by [`PRIME`].
    fn modulo(&self) -> u64;
    /// About `self / 2^bits`, off by at most 2⁻⁵² of itself; no more than 1 if there are no more bits.
    fn scaled(&self, bits: usize) -> f64;
    /// The same number at any length.
    fn to_big(&self) -> IBig;
    /// The same number, if it fits.
    fn from_big(big: &IBig) -> Option<Self>;
}

impl Whole for IBig {
    const CAPACITY: usize = usize::MAX;

    fn zero() -> Self {
        Self::ZERO
    }

    fn dyadic(mantissa: i64, shift: usize) -> Self {
        Self::from(mantissa) << shift
    }

    fn from_i128(number: i128) -> Self {
        Self::from(number)
    }

    fn to_i64(&self) -> Option<i64> {
        i64::try_from(self).ok()
    }

    fn sign(&self) -> Ordering {
        self.cmp(&Self::ZERO)
    }

    fn bits(&self) -> usize {
        let (_, words) = self.as_sign_words();
        words
            .last()
            .map_or(0, |top| words.len() * dashu_int::Word::BITS as usize - top.leading_zeros() as usize)
    }

    fn add(&mut self, b: &Self) {
        *self += b;
    }

    fn subtract(&mut self, b: &Self) {
        *self -= b;
    }

    fn add_product(&mut self, a: &Self, b: &Self) {
        *self += a * b;
    }

    fn subtract_product(&mut self, a: &Self, b: &Self) {
        *self -= a * b;
    }

    fn add_multiple(&mut self, a: &Self, b: i64) {
        *self += a * Self::from(b);
    }

    fn multiply(&mut self, b: u64) {
        *self *= Self::from(b);
    }

    fn shift_left(&mut self, bits: usize) {
        *self <<= bits;
    }

    fn divided(&self, by: i64) -> Option<Self> {
        let by = Self::from(by);
        let quotient = self / &by;
        (&quotient * by == *self).then_some(quotient)
    }

    fn modulo(&self) -> u64 {
        let (sign, words) = self.as_sign_words();
        let rest = UBig::from_words(words) % UBig::from(PRIME);
        let rest = u64::try_from(rest).expect("a remainder is less than its modulus");
        if sign == Sign::Negative && rest > 0 { PRIME - rest } else { rest }
    }

    fn scaled(&self, bits: usize) -> f64 {
        let spare = Whole::bits(self).saturating_sub(62);
        let top = i64::try_from(self >> spare).expect("62 bits and a sign");
        top as f64 * power_of_two(spare, bits)
    }

    fn to_big(&self) -> IBig {
        self.clone()
    }

    fn from_big(big: &IBig) -> Option<Self> {
        Some(big.clone())
    }
}
