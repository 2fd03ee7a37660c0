//! Real roots one after the other, and the signs of other polynomials at them.

use super::Stop;
use super::bernstein::Signs;
use super::bracket::Bracket;
use super::common::{common_factor, squarefree};
use super::exact::{Poly, Span};
use super::whole::Whole;
use std::cmp::Ordering;

/// How often a span may be halved. Different roots of polynomials with some hundred bits and degree nine are farther apart than
/// that, except for input made for the purpose.
pub(crate) const DEEPEST: usize = 4000;

/// A root of a polynomial.
#[derive(Clone, Debug)]
pub(crate) struct Root<I> {
    span: Span,
    place: Place<I>,
}

#[derive(Clone, Debug)]
enum Place<I> {
    /// The start of the span.
    Start,
    /// The end of the span.
    End,
    /// Between its ends, where this polynomial (over the span) has one root, and its sign before that.
    Inside(Poly<I>, Ordering),
}

/// The roots of a polynomial in a closed span, in order.
pub(crate) struct Roots<I> {
    /// A polynomial in which these are simple roots.
    whole: Poly<I>,
    /// The next one on top.
    open: Vec<Open<I>>,
}

enum Open<I> {
    Found(Root<I>),
    /// Between the ends of a span, the polynomial over it, which has no multiple root.
    Between(Span, Poly<I>),
}

impl<I: Whole> Roots<I> {
    /// Of a polynomial that is not zero everywhere.
    pub(crate) fn of(poly: &Poly<I>, span: &Span) -> Result<Self, Stop> {
        let part = poly.over(span)?;
        if part.between()?.changes > 1 {
            // A multiple root would be halved forever.
            return Self::of_simple(squarefree(poly)?, span);
        }
        Self::with(poly.clone(), part, span)
    }

    /// Of a polynomial that is not zero everywhere and has no multiple roots.
    pub(crate) fn of_simple(poly: Poly<I>, span: &Span) -> Result<Self, Stop> {
        let part = poly.over(span)?;
        Self::with(poly, part, span)
    }

    fn with(whole: Poly<I>, part: Poly<I>, span: &Span) -> Result<Self, Stop> {
        let mut open = Vec::new();
        if part.at_end()? == Ordering::Equal {
            open.push(Open::Found(Root { span: span.clone(), place: Place::End }));
        }
        let starts = part.at_start() == Ordering::Equal;
        open.push(Open::Between(span.clone(), part));
        if starts {
            open.push(Open::Found(Root { span: span.clone(), place: Place::Start }));
        }
        Ok(Self { whole, open })
    }

    /// The next root.
    pub(crate) fn next(&mut self) -> Result<Option<Root<I>>, Stop> {
        while let Some(open) = self.open.pop() {
            let (span, part) = match open {
                Open::Found(root) => return Ok(Some(root)),
                Open::Between(span, part) => (span, part),
            };
            let between = part.between()?;
            match between.changes {
                0 => {}
                1 => return Ok(Some(Root { span, place: Place::Inside(part, between.after_start) })),
                _ => {
                    let (early, late) = (part.half(false)?, part.half(true)?);
                    let (early_span, late_span) = (span.half(false)?, span.half(true)?);
                    let middle = late.at_start() == Ordering::Equal;
                    self.open.push(Open::Between(late_span.clone(), late));
                    if middle {
                        self.open.push(Open::Found(Root { span: late_span, place: Place::Start }));
                    }
                    self.open.push(Open::Between(early_span, early));
                }
            }
        }
        Ok(None)
    }

    /// The sign of another polynomial at one of the roots.
    pub(crate) fn sign(&self, root: &mut Root<I>, other: &Poly<I>) -> Result<Ordering, Stop> {
        if other.is_zero() {
            return Ok(Ordering::Equal);
        }
        let mut part = other.over(&root.span)?;
        let mut differs = false;
        loop {
            match root.place {
                Place::Start => return Ok(part.at_start()),
                Place::End => return part.at_end(),
                Place::Inside(..) => {}
            }
            let between = part.between()?;
            if between.changes == 0 {
                return Ok(between.after_start);
            }
            if !differs {
                if let Some(factor) = common_factor(&self.whole, other)? {
                    // The factor has at most this one root here, and a simple one. So the signs at the ends tell.
                    let factor = factor.over(&root.span)?.between()?;
                    if factor.after_start != factor.before_end {
                        return Ok(Ordering::Equal);
                    }
                }
                differs = true; // There is a sign, and halving finds it.
            }
            part = part.half(root.narrow()?)?;
        }
    }
}

impl<I: Whole> Root<I> {
    /// The start of a span.
    pub(crate) fn start_of(span: &Span) -> Self {
        Self { span: span.clone(), place: Place::Start }
    }

    /// Two times with the root between, ends included, at most so far apart (or 2⁻⁵¹).
    pub(crate) fn time(&mut self, tolerance: f64) -> Result<[f64; 2], Stop> {
        let tolerance = tolerance.max(f64::EPSILON * 2.0);
        loop {
            let part = match &self.place {
                Place::Start => return Ok(self.span.end(false)),
                Place::End => return Ok(self.span.end(true)),
                Place::Inside(part, _) => part,
            };
            let [start, end] = self.span.ends();
            if end - start <= tolerance {
                return Ok([start, end]);
            }
            // A simple root is soon found in `f64`.
            let rounded = part.rounded()?;
            if rounded.signs() == Signs::Crosses {
                let mut bracket = Bracket::new(&rounded);
                if bracket.narrow(0.5 * tolerance / (end - start))
                    && let Some(narrow) = self.span.part(bracket.ends())
                    && let [start, end] = narrow.ends()
                    && end - start <= tolerance
                {
                    return Ok([start, end]);
                }
            }
            self.narrow()?;
        }
    }

    /// Halves the span around the root, which is inside; true if it is in the later half.
    fn narrow(&mut self) -> Result<bool, Stop> {
        let Place::Inside(part, before) = &self.place else {
            unreachable!("only spans with a root inside are narrowed");
        };
        let late = part.half(true)?;
        let middle = late.at_start();
        // The middle itself is the start of the later half.
        let later = middle == *before || middle == Ordering::Equal;
        let place = match (middle, later) {
            (Ordering::Equal, _) => Place::Start,
            (_, true) => Place::Inside(late, *before),
            (_, false) => Place::Inside(part.half(false)?, *before),
        };
        self.span = self.span.half(later)?;
        self.place = place;
        Ok(later)
    }
}
