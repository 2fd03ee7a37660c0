//! Polynomials with whole coefficients; the part of one over a span.

use super::Stop;
use super::bernstein::{Bernstein, ROUNDING};
use super::whole::Whole;
use std::cmp::Ordering;

/// Coefficients of `1, t, t², …`; the last one is not zero. None at all: the polynomial is zero everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Poly<I>(Vec<I>);

/// A part of `[0, 1]`: from `start / 2⁵²` on, `width / 2⁵²` wide, and then halved: `true` turns to the later half.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    start: u64,
    width: u64,
    turns: Vec<bool>,
}

/// How far behind the point the binary digits of a [`Span`] without turns reach.
const DIGITS: u32 = 52;

impl Span {
    /// The span from `start` to `end` in `[0, 1]`, whose ends are multiples of 2⁻⁵².
    pub(crate) fn between([start, end]: [f64; 2]) -> Self {
        let whole = |t: f64| (t * (1_u64 << DIGITS) as f64) as u64;
        Self { start: whole(start), width: whole(end) - whole(start), turns: Vec::new() }
    }

    /// One of its halves, or nothing if it has been halved too often.
    pub(crate) fn half(&self, later: bool) -> Result<Self, Stop> {
        let mut half = self.clone();
        if self.turns.is_empty() && self.width.is_multiple_of(2) {
            half.width /= 2;
            half.start += if later { half.width } else { 0 };
        } else if self.turns.len() < super::roots::DEEPEST {
            half.turns.push(later);
        } else {
            return Err(Stop::TooDeep);
        }
        Ok(half)
    }

    /// The part between two fractions of it, which are multiples of 2⁻⁴⁰, or slightly more; none where it has been halved so
    /// often that this makes no difference.
    pub(crate) fn part(&self, [start, end]: [f64; 2]) -> Option<Self> {
        if !self.turns.is_empty() {
            return None;
        }
        let units = |s: f64| u128::from((s * (1_u64 << 40) as f64) as u64) * u128::from(self.width);
        let (start, end) = ((units(start) >> 40) as u64, units(end).div_ceil(1 << 40) as u64);
        Some(Self { start: self.start + start, width: end - start, turns: Vec::new() })
    }

    /// The multiples of 2⁻⁵² next to its ends: below the start and above the end, or equal to them.
    pub(crate) fn ends(&self) -> [f64; 2] {
        let [start, width] = self.fine();
        [below(start), above(start + width)]
    }

    /// The multiples of 2⁻⁵² next to its start, or to its end.
    pub(crate) fn end(&self, later: bool) -> [f64; 2] {
        if self.turns.len() > FINER as usize {
            return self.ends();
        }
        let [start, width] = self.fine();
        let end = if later { start + width } else { start };
        [below(end), above(end)]
    }

    /// Start and width in units of 2⁻¹¹⁵; of the span before where it has been halved more often than that shows.
    fn fine(&self) -> [u128; 2] {
        let (mut start, mut width) = (u128::from(self.start) << FINER, u128::from(self.width) << FINER);
        for &later in self.turns.iter().take(FINER as usize) {
            width /= 2;
            start += if later { width } else { 0 };
        }
        [start, width]
    }
}

/// Digits of [`Span::fine`] beyond those of a span without turns.
const FINER: u32 = 63;

fn below(fine: u128) -> f64 {
    (fine >> FINER) as u64 as f64 / (1_u64 << DIGITS) as f64
}

fn above(fine: u128) -> f64 {
    below(fine + ((1 << FINER) - 1))
}

/// Bits of a product for which sums of 2⁸ of them are still native numbers.
const SHORT: usize = 118;

impl<I: Whole> Poly<I> {
    pub(crate) fn new(coefficients: Vec<I>) -> Self {
        let mut poly = Self(coefficients);
        while poly.0.last().is_some_and(|last| last.sign() == Ordering::Equal) {
            poly.0.pop();
        }
        poly
    }

    pub(crate) fn coefficients(&self) -> &[I] {
        &self.0
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(crate) fn bits(&self) -> usize {
        self.0.iter().map(Whole::bits).max().unwrap_or(0)
    }

    fn room_for(&self, bits: usize) -> Result<(), Stop> {
        if self.bits().saturating_add(bits) > I::CAPACITY { Err(Stop::TooWide) } else { Ok(()) }
    }

    /// The sum of `sign · a · b` over the terms.
    pub(crate) fn products(terms: &[(&Self, &Self, bool)]) -> Result<Self, Stop> {
        let zero = |(a, b, _): &&(&Self, &Self, bool)| !a.is_zero() && !b.is_zero();
        let most = terms.iter().filter(zero).map(|(a, b, _)| (a.degree() + b.degree(), a.bits() + b.bits()));
        let Some((degree, bits)) = most.reduce(|x, y| (x.0.max(y.0), x.1.max(y.1))) else {
            return Ok(Self::new(Vec::new()));
        };
        // At most 2⁸ products meet in one coefficient.
        if bits + 8 > I::CAPACITY {
            return Err(Stop::TooWide);
        }
        if bits <= SHORT
            && let Some(sum) = Self::short_products(terms, degree)
        {
            return Ok(sum);
        }
        let mut sum = vec![I::zero(); degree + 1];
        for (a, b, plus) in terms {
            for (i, x) in a.0.iter().enumerate() {
                for (j, y) in b.0.iter().enumerate() {
                    if *plus {
                        sum[i + j].add_product(x, y);
                    } else {
                        sum[i + j].subtract_product(x, y);
                    }
                }
            }
        }
        Ok(Self::new(sum))
    }

    /// The same where nothing has more than [`SHORT`] bits.
    fn short_products(terms: &[(&Self, &Self, bool)], degree: usize) -> Option<Self> {
        let mut sum = vec![0_i128; degree + 1];
        for (a, b, plus) in terms {
            for (i, x) in a.0.iter().enumerate() {
                let x = x.to_i64()?;
                for (j, y) in b.0.iter().enumerate() {
                    let product = i128::from(x) * i128::from(y.to_i64()?);
                    sum[i + j] += if *plus { product } else { -product };
                }
            }
        }
        Some(Self::new(sum.into_iter().map(I::from_i128).collect()))
    }

    pub(crate) fn derivative(&self) -> Result<Self, Stop> {
        self.room_for(8)?;
        let mut coefficients = self.0.get(1..).unwrap_or_default().to_vec();
        for (i, coefficient) in coefficients.iter_mut().enumerate() {
            coefficient.multiply(i as u64 + 1);
        }
        Ok(Self::new(coefficients))
    }

    /// The polynomial over a span, as one in `y` that runs from 0 to 1 there, times a positive number.
    pub(crate) fn over(&self, span: &Span) -> Result<Self, Stop> {
        let n = self.degree();
        let spare = (span.start | span.width).trailing_zeros().min(DIGITS);
        let (start, width, digits) = (span.start >> spare, span.width >> spare, (DIGITS - spare) as usize);
        // With t = (start + width·y) / 2^digits, times 2^(n·digits): no coefficient has more than n·digits + 2n bits more,
        // at any step.
        self.room_for(n * digits + 2 * n)?;
        let mut part = self.clone();
        if digits > 0 {
            for (i, coefficient) in part.0.iter_mut().enumerate() {
                coefficient.shift_left(digits * (n - i));
            }
        }
        part.translate(start);
        if width != 1 {
            for (i, coefficient) in part.0.iter_mut().enumerate() {
                (0..i).for_each(|_| coefficient.multiply(width));
            }
        }
        for &later in &span.turns {
            part = part.half(later)?;
        }
        Ok(part)
    }

    /// Puts `y + by` for `y`.
    fn translate(&mut self, by: u64) {
        if by == 0 {
            return;
        }
        let n = self.degree();
        for j in 0..n {
            for i in (j..n).rev() {
                let (below, above) = self.0.split_at_mut(i + 1);
                match by {
                    1 => below[i].add(&above[0]),
                    _ => below[i].add_multiple(&above[0], by as i64),
                }
            }
        }
    }

    /// The earlier or later half, again over 0 to 1.
    pub(crate) fn half(&self, later: bool) -> Result<Self, Stop> {
        let n = self.degree();
        self.room_for(2 * n)?;
        let mut half = self.clone();
        for (i, coefficient) in half.0.iter_mut().enumerate() {
            coefficient.shift_left(n - i);
        }
        half.translate(u64::from(later));
        Ok(half)
    }

    /// The sign at 0.
    pub(crate) fn at_start(&self) -> Ordering {
        self.0.first().map_or(Ordering::Equal, Whole::sign)
    }

    /// The sign at 1.
    pub(crate) fn at_end(&self) -> Result<Ordering, Stop> {
        self.room_for(8)?;
        let mut sum = I::zero();
        self.0.iter().for_each(|coefficient| sum.add(coefficient));
        Ok(sum.sign())
    }

    /// Bernstein coefficients times binomials, the last one first.
    fn bernstein(&self) -> Result<Vec<I>, Stop> {
        self.room_for(self.degree() + 4)?;
        // Σ q_i yⁱ with y = x/(1 + x), times (1 + x)ⁿ: the reverse of the translated reverse.
        let mut reverse = Self(self.0.iter().rev().cloned().collect());
        reverse.translate(1);
        Ok(reverse.0)
    }

    /// The signs between 0 and 1: just after 0, just before 1, and how often the Bernstein coefficients change theirs.
    ///
    /// By Descartes' rule there are as many roots between, or fewer by an even number, multiple ones counted as often.
    pub(crate) fn between(&self) -> Result<Between, Stop> {
        let mut between = Between { after_start: Ordering::Equal, before_end: Ordering::Equal, changes: 0 };
        for coefficient in self.bernstein()?.iter().rev() {
            let sign = coefficient.sign();
            if sign == Ordering::Equal {
                continue;
            }
            if between.after_start == Ordering::Equal {
                between.after_start = sign;
            } else if between.before_end != sign {
                between.changes += 1;
            }
            between.before_end = sign;
        }
        Ok(between)
    }

    /// The polynomial in `f64`, scaled; its degree is at most nine.
    pub(crate) fn rounded(&self) -> Result<Bernstein<10>, Stop> {
        let whole = self.bernstein()?;
        let bits = whole.iter().map(Whole::bits).max().unwrap_or(0);
        let mut coefficients = [0.0; 10];
        let mut choose = 1.0;
        let degree = self.degree();
        for k in 0..=degree {
            coefficients[k] = whole[degree - k].scaled(bits) / choose;
            choose = choose * (degree - k) as f64 / (k as f64 + 1.0);
        }
        // The same as a polynomial of one degree more: averages of neighbours.
        for n in degree + 1..10 {
            for k in (0..=n).rev() {
                let share = k as f64 / n as f64;
                let before = if k > 0 { share * coefficients[k - 1] } else { 0.0 };
                coefficients[k] = before + (1.0 - share) * coefficients[k];
            }
        }
        // Two roundings and four for each of at most nine elevations, of numbers that are at most 1.
        Ok(Bernstein { coefficients, error: 64.0 * ROUNDING })
    }
}

/// What is known of the signs of a polynomial between 0 and 1. All equal: it is zero everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Between {
    pub(crate) after_start: Ordering,
    pub(crate) before_end: Ordering,
    pub(crate) changes: usize,
}
