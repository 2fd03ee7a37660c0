//! Polynomials with whole coefficients; the part of one over a span.

use super::Stop;
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

    /// The same halved, or nothing if it has been halved too often.
    pub(crate) fn half(&self, later: bool) -> Result<Self, Stop> {
        if self.turns.len() >= super::roots::DEEPEST {
            return Err(Stop::TooDeep);
        }
        let mut half = self.clone();
        half.turns.push(later);
        Ok(half)
    }

    /// The halvings after the first.
    pub(crate) fn turns(&self) -> &[bool] {
        &self.turns
    }

    /// Whether its ends are multiples of 2⁻⁵².
    pub(crate) fn is_short(&self) -> bool {
        self.turns.len() as u32 <= self.width.trailing_zeros()
    }

    /// Whether the ends of its halves are.
    pub(crate) fn is_even(&self) -> bool {
        (self.turns.len() as u32) < self.width.trailing_zeros()
    }

    /// Its ends, or those of a slightly larger span where its own are no multiples of 2⁻⁵².
    pub(crate) fn ends(&self) -> [f64; 2] {
        let (mut start, mut width) = (self.start, self.width);
        for &later in &self.turns {
            if !width.is_multiple_of(2) {
                break;
            }
            width /= 2;
            start += if later { width } else { 0 };
        }
        [start, start + width].map(|digits| digits as f64 / (1_u64 << DIGITS) as f64)
    }
}

impl<I: Whole> Poly<I> {
    pub(crate) fn new(coefficients: Vec<I>) -> Self {
        let mut poly = Self(coefficients);
        while poly.0.last().is_some_and(|last| last.sign() == Ordering::Equal) {
            poly.0.pop();
        }
        poly
    }

    /// From control values of a Bézier curve, at most four.
    pub(crate) fn from_controls(controls: &[I]) -> Self {
        // b₀, n(b₁ − b₀), …: differences of order k times n over k.
        let mut differences = controls.to_vec();
        let degree = controls.len() - 1;
        let mut choose = 1;
        for k in 1..=degree {
            for i in (k..=degree).rev() {
                let before = differences[i - 1].clone();
                differences[i].subtract(&before);
            }
        }
        for (k, difference) in differences.iter_mut().enumerate() {
            difference.multiply(choose);
            choose = choose * (degree - k) as u64 / (k as u64 + 1);
        }
        Self::new(differences)
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

    /// The signs between 0 and 1: just after 0, just before 1, and how often the Bernstein coefficients change theirs.
    ///
    /// By Descartes' rule there are as many roots between, or fewer by an even number, multiple ones counted as often.
    pub(crate) fn between(&self) -> Result<Between, Stop> {
        self.room_for(self.degree() + 4)?;
        // Σ q_i yⁱ with y = x/(1 + x), times (1 + x)ⁿ: the reverse of the translated reverse.
        let mut reverse = Self(self.0.iter().rev().cloned().collect());
        reverse.translate(1);
        let mut between = Between { after_start: Ordering::Equal, before_end: Ordering::Equal, changes: 0 };
        for coefficient in reverse.0.iter().rev() {
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
}

/// What is known of the signs of a polynomial between 0 and 1. All equal: it is zero everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Between {
    pub(crate) after_start: Ordering,
    pub(crate) before_end: Ordering,
    pub(crate) changes: usize,
}
