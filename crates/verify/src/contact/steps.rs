//! The steps of a proof in contact as letters: what to do with the region at hand.
//!
//! A region is a node of the moving body, a node of the fixed one and a span of time. As for motions of cells
//! ([`motion::steps`](crate::motion::steps)), steps are read from the front, and parts of a divided region come next, in order.
//!
//! | letters | the region |
//! |---|---|
//! | `t` | halve the time: first the early half, then the late one |
//! | `a`, `b` | open the node of the moving or of the fixed body: first its first child, then its second |
//! | a direction | is free: the moving node stays above the fixed one along it |
//! | `k`, 2 digits and a direction | two triangles with corners of the features of this pair that may touch: above, but for these |
//!
//! | letters | the direction |
//! |---|---|
//! | `c` | from the middle of the fixed node to that of the moving one |
//! | `x`, `y`, `z`, `X`, `Y`, `Z` | an axis of the moving body, or of the world, on the side of the moving node |
//! | `n`, `N` | the normal of the fixed triangle, or that of the moving one turned round |
//! | `f` and 33 digits, `d` and 6 digits | three numbers in double precision, or rounded to 18 bits on each side of an octahedron |
//! | `g` and one of these | the same direction, but it goes with the body as it turns |
//! | `e` and 66 digits | across a line of the body, as it is where the way begins, and a line of the world |
//! | `r` | the last one of this pair of bodies |
//!
//! Middles and axes are those in the middle of the span.

use crate::motion::steps::{digits, octahedron, push_digits, rounded, rounded_code};
use kansho_geom::glam::DVec3;

/// What to do with a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactStep {
    /// Halve the time.
    Time,
    /// Open the node of the moving body (0), or of the fixed one (1).
    Open(usize),
    /// The moving node is above the fixed one along a direction; but for the features of a pair, if one is named.
    Above {
        /// The number of the pair of features.
        kept: Option<usize>,
        /// Along this.
        along: Along,
    },
}

/// How a certificate names a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Along {
    /// One that stands still.
    Still(Named),
    /// One that goes with the body: equal to that in the middle of the span.
    WithBody(Named),
    /// Across a line of the body, as it is where the way begins, and a line of the world.
    Across(DVec3, DVec3),
    /// The last one of this pair of bodies.
    Last,
}

/// A direction at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Named {
    /// From the middle of the fixed node to that of the moving one.
    Middles,
    /// An axis of the moving body (0) or of the world (1), on the side of the moving node.
    Axis(usize, usize),
    /// The normal of the fixed triangle, or that of the moving one turned round (0).
    Normal(usize),
    /// Numbers.
    Direction(DVec3),
}

/// Pairs of features have two digits.
pub const MOST_PAIRS: usize = 1 << 12;

/// Writes the letters of a step.
pub fn write(step: &ContactStep, into: &mut String) {
    match *step {
        ContactStep::Time => into.push('t'),
        ContactStep::Open(0) => into.push('a'),
        ContactStep::Open(_) => into.push('b'),
        ContactStep::Above { kept, along } => {
            if let Some(pair) = kept {
                into.push('k');
                push_digits(into, pair as u64, 2);
            }
            match along {
                Along::Last => into.push('r'),
                Along::Still(named) => write_named(named, into),
                Along::WithBody(named) => {
                    into.push('g');
                    write_named(named, into);
                }
                Along::Across(e, f) => {
                    into.push('e');
                    e.to_array().iter().chain(&f.to_array()).for_each(|x| push_digits(into, x.to_bits(), 11));
                }
            }
        }
    }
}

fn write_named(named: Named, into: &mut String) {
    match named {
        Named::Middles => into.push('c'),
        Named::Axis(side, axis) => into.push([['x', 'y', 'z'], ['X', 'Y', 'Z']][side.min(1)][axis.min(2)]),
        Named::Normal(side) => into.push(['N', 'n'][side.min(1)]),
        Named::Direction(n) => {
            if rounded(n) == Some(n) {
                into.push('d');
                push_digits(into, rounded_code(n).unwrap_or_default(), 6);
            } else {
                into.push('f');
                n.to_array().iter().for_each(|x| push_digits(into, x.to_bits(), 11));
            }
        }
    }
}

/// Reads steps from the front.
#[derive(Clone, Debug)]
pub struct ContactStepReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ContactStepReader<'a> {
    /// Reads these letters.
    #[must_use]
    pub fn new(letters: &'a str) -> Self {
        Self { bytes: letters.as_bytes(), at: 0 }
    }

    /// How many letters have been read.
    #[must_use]
    pub fn place(&self) -> usize {
        self.at
    }

    /// Whether there are no more.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next step; none if there is none, or if the letters are none.
    pub fn step(&mut self) -> Option<ContactStep> {
        Some(match self.letter()? {
            b't' => ContactStep::Time,
            b'a' => ContactStep::Open(0),
            b'b' => ContactStep::Open(1),
            b'k' => {
                let pair = self.number(2)? as usize;
                let letter = self.letter()?;
                ContactStep::Above { kept: Some(pair), along: self.along(letter)? }
            }
            letter => ContactStep::Above { kept: None, along: self.along(letter)? },
        })
    }

    fn along(&mut self, letter: u8) -> Option<Along> {
        Some(match letter {
            b'r' => Along::Last,
            b'e' => Along::Across(self.vector()?, self.vector()?),
            b'g' => {
                let letter = self.letter()?;
                Along::WithBody(self.named(letter)?)
            }
            letter => Along::Still(self.named(letter)?),
        })
    }

    fn named(&mut self, letter: u8) -> Option<Named> {
        Some(match letter {
            b'c' => Named::Middles,
            b'x' => Named::Axis(0, 0),
            b'y' => Named::Axis(0, 1),
            b'z' => Named::Axis(0, 2),
            b'X' => Named::Axis(1, 0),
            b'Y' => Named::Axis(1, 1),
            b'Z' => Named::Axis(1, 2),
            b'N' => Named::Normal(0),
            b'n' => Named::Normal(1),
            b'd' => Named::Direction(octahedron(self.number(6)?)),
            b'f' => Named::Direction(self.vector()?),
            _ => return None,
        })
    }

    fn vector(&mut self) -> Option<DVec3> {
        let mut number = || self.number(11).map(f64::from_bits);
        Some(DVec3::new(number()?, number()?, number()?))
    }

    fn letter(&mut self) -> Option<u8> {
        let letter = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(letter)
    }

    fn number(&mut self, count: usize) -> Option<u64> {
        let value = digits(self.bytes.get(self.at..self.at + count)?)?;
        self.at += count;
        Some(value)
    }
}

/// How many steps there are: counted, not checked.
#[must_use]
pub fn count(letters: &str) -> usize {
    let mut reader = ContactStepReader::new(letters);
    std::iter::from_fn(|| reader.step()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_back() {
        let odd = DVec3::new(1.0 / 3.0, -0.0, 1e300);
        let mut named = vec![Named::Middles, Named::Normal(0), Named::Normal(1), Named::Direction(odd)];
        named.extend((0..6).map(|k| Named::Axis(k / 3, k % 3)));
        named.push(Named::Direction(rounded(odd).expect("a direction")));
        let mut along = vec![Along::Last, Along::Across(odd, DVec3::X)];
        along.extend(named.iter().flat_map(|&named| [Along::Still(named), Along::WithBody(named)]));
        let mut steps = vec![ContactStep::Time, ContactStep::Open(0), ContactStep::Open(1)];
        for along in along {
            steps.extend([None, Some(0), Some(4095)].map(|kept| ContactStep::Above { kept, along }));
        }
        let mut letters = String::new();
        steps.iter().for_each(|step| write(step, &mut letters));
        let mut reader = ContactStepReader::new(&letters);
        for step in &steps {
            assert_eq!(reader.step(), Some(*step), "{letters}");
        }
        assert!(reader.is_done() && reader.step().is_none());
        assert_eq!(count(&letters), steps.len());
        for none in ["", "q", "k", "kA", "kAA", "kAAk", "kAAt", "g", "gr", "ge", "gg", "e", "fA", "d", "é"] {
            assert!(ContactStepReader::new(none).step().is_none(), "{none}");
        }
    }
}
