//! The bisection method of Shimada, Okano and Kawabe (1987): distances at instants and ways in spans.
//!
//! With `d` the least distance at an instant and `l` the longest way of any point in a span, nothing comes as near as `c` in
//! `[ts, te]` if
//!
//! ```text
//! d(ts) > lA + lB + c   or   d(te) > lA + lB + c        the paper's rule
//! d(ts) + d(te) > lA + lB + 2c                          the sum rule
//! ```
//!
//! The second: a pair of points that is `c` apart at `t` was at least `d(ts)` apart at `ts` and will be at least `d(te)` at `te`, so
//! their ways before and after `t` add up to at least `d(ts) + d(te) − 2c`. The paper leaves out `c`.

use kansho_geom::pose_motion::Span;
use std::collections::BTreeMap;

/// Which condition proves a span free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// Both ends together; and an answer is followed back to the first contact.
    #[default]
    Sum,
    /// Either end alone, and the first `A` is the answer, as printed.
    Paper,
}

/// What the paper's `STATUS` says of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A contact at its end: apart, but within `D_col`.
    A,
    /// Proven free.
    B,
    /// A contact is possible.
    C,
    /// A contact is certain: they overlap at its end.
    D,
}

/// What is measured at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// A bound below the distance; zero where they overlap.
    pub at_least: f64,
    /// A bound above it.
    pub at_most: f64,
    /// Whether they overlap.
    pub overlap: bool,
}

/// How to bisect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BisectOptions {
    /// The condition.
    pub rule: Rule,
    /// `D_col`: as near as this is a contact.
    pub contact: f64,
    /// Spans shorter than this are not halved.
    pub shortest: f64,
    /// Most spans to look at.
    pub most_spans: usize,
}

impl Default for BisectOptions {
    fn default() -> Self {
        Self { rule: Rule::Sum, contact: 1e-3, shortest: 1e-9, most_spans: 1_000_000 }
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// Every span is proven free; they are never nearer than the clearance, which is more than `D_col`.
    Free {
        /// A bound below the least distance at any instant.
        clearance: f64,
    },
    /// A contact at the end of this span, and none before it begins: the first contact lies in it. Only by the paper's rule may the span be long.
    Contact(Span),
    /// They overlap, or are within `D_col`, from the start.
    AtStart,
    /// Neither, here.
    Undecided(Span),
}

/// An answer with what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Bisected {
    /// How it ended.
    pub ending: Ending,
    /// Every span looked at, in order, with its status.
    pub trace: Vec<(Span, Status)>,
    /// Distinct instants at which the distance was measured.
    pub instants: usize,
}

/// The paper's `COLLISION(0, 1)`: spans are halved, the first half first, until all are proven free or one has a contact.
///
/// `gap` measures at an instant, `travel` bounds the ways of both bodies together in a span from above.
///
/// ```
/// use kansho_check::moving_bodies::bisect::{BisectOptions, Ending, Measured, collision};
/// // A point comes from 2 m away to 1 m.
/// let gap = |t: f64| Measured { at_least: 2.0 - t, at_most: 2.0 - t, overlap: false };
/// let answer = collision(gap, |span| span.length(), &BisectOptions::default());
/// assert!(matches!(answer.ending, Ending::Free { clearance } if clearance <= 1.0));
/// assert_eq!((answer.trace.len(), answer.instants), (1, 2));
/// ```
pub fn collision(
    mut gap: impl FnMut(f64) -> Measured,
    mut travel: impl FnMut(Span) -> f64,
    options: &BisectOptions,
) -> Bisected {
    // Instants by their bits, which for numbers from 0 on are in the same order.
    let mut known: BTreeMap<u64, Measured> = BTreeMap::new();
    let mut measure = |t: f64| *known.entry(t.to_bits()).or_insert_with(|| gap(t));
    let mut trace = Vec::new();
    let mut clearance = f64::INFINITY;
    let is_contact = |m: &Measured| m.overlap || !(m.at_most > options.contact);
    let start = measure(0.0);
    let mut open = vec![Span::WHOLE];
    let ending = if is_contact(&start) {
        Ending::AtStart
    } else {
        loop {
            let Some(span) = open.pop() else {
                break Ending::Free { clearance };
            };
            if trace.len() >= options.most_spans {
                break Ending::Undecided(span);
            }
            let (first, last) = (measure(span.start), measure(span.end));
            let way = travel(span);
            let status = status(&first, &last, way, options);
            trace.push((span, status));
            let is_shortest = span.length() <= options.shortest;
            match status {
                Status::A if options.rule == Rule::Paper => break Ending::Contact(span),
                Status::B => {
                    let proven = match options.rule {
                        Rule::Sum => (first.at_least + last.at_least - way) * 0.5,
                        Rule::Paper => first.at_least.max(last.at_least) - way,
                    };
                    clearance = clearance.min(proven.min(first.at_least).min(last.at_least));
                }
                Status::A | Status::D if is_shortest => break Ending::Contact(span),
                Status::C if is_shortest => break Ending::Undecided(span),
                // An `A` may have an earlier contact in its span: looked for as in the others.
                _ => {
                    let [early, late] = span.halves();
                    open.extend([late, early]);
                }
            }
        }
    };
    Bisected { ending, trace, instants: known.len() }
}

/// The paper's `STATUS(ts, te)`. Distances are rounded down and ways up, so that `B` is proven. What is no number proves
/// nothing.
#[must_use]
pub fn status(first: &Measured, last: &Measured, travel: f64, options: &BisectOptions) -> Status {
    let c = options.contact;
    if last.overlap {
        return Status::D;
    }
    if !(last.at_most > c) {
        return Status::A;
    }
    // Each side is rounded a few times; the ways were rounded up by more than that.
    let up = 1.0 + 4.0 * f64::EPSILON;
    let free = match options.rule {
        Rule::Paper => first.at_least > (travel + c) * up || last.at_least > (travel + c) * up,
        Rule::Sum => first.at_least + last.at_least > (travel + 2.0 * c) * up,
    };
    if free { Status::B } else { Status::C }
}
