//! The steps of a proof as letters: what to do with the region at hand.
//!
//! A region is a node of the first body, a node of the second and a span of time. Steps are read from the front; parts of a divided region
//! come next, in order. So whatever the letters are, no part of space and time is left out.
//!
//! | letters | the region |
//! |---|---|
//! | `t` | halve the time: first the early half, then the late one |
//! | `a`, `b` | open the node of the first or of the second body: first its first child, then its second |
//! | `c` | is free along the line from the middle of the first node to that of the second |
//! | `x`, `y`, `z` | is free along an axis of the first body, towards the second |
//! | `X`, `Y`, `Z` | the same along an axis of the second |
//! | `r` | is free along the direction of the last free region of this pair |
//! | `d` and 6 digits | is free along a direction, rounded to 18 bits on each side of an octahedron |
//! | `f` and 33 digits | is free along a direction of three numbers in double precision |
//!
//! Middles and axes are those in the middle of the span, seen from the last frame that carries both bodies. Digits have 6 bits each:
//! `A` to `Z`, `a` to `z`, `0` to `9`, `-` and `_`.

use kansho_geom::glam::DVec3;

/// What to do with a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RegionStep {
    /// Halve the time.
    Time,
    /// Open the node of the first body, or of the second.
    Open(usize),
    /// All of the second is beyond all of the first along this direction.
    Free(FreeAlong),
}

/// How a certificate names a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FreeAlong {
    /// From the middle of the first node to that of the second.
    Middles,
    /// An axis of the first body (0) or of the second (1), towards the second.
    Axis(usize, usize),
    /// The direction of the last free region of this pair.
    Last,
    /// A direction of its own.
    Direction(DVec3),
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The middle of 18 bits: so that 0 and both ends are met exactly.
const MIDDLE: u32 = (1 << 17) - 1;

pub(crate) fn push_digits(into: &mut String, value: u64, count: u32) {
    for k in (0..count).rev() {
        // Eleven digits have two bits more than a number has.
        let digit = if 6 * k < 64 { value >> (6 * k) & 63 } else { 0 };
        into.push(char::from(DIGITS[digit as usize]));
    }
}

pub(crate) fn digits(bytes: &[u8]) -> Option<u64> {
    let mut value: u64 = 0;
    for byte in bytes {
        let digit = DIGITS.iter().position(|digit| digit == byte)? as u64;
        if value >> 58 != 0 {
            return None;
        }
        value = value << 6 | digit;
    }
    Some(value)
}

/// Writes the letters of a step.
pub fn write(step: RegionStep, into: &mut String) {
    match step {
        RegionStep::Time => into.push('t'),
        RegionStep::Open(0) => into.push('a'),
        RegionStep::Open(_) => into.push('b'),
        RegionStep::Free(FreeAlong::Middles) => into.push('c'),
        RegionStep::Free(FreeAlong::Axis(side, axis)) => {
            into.push([['x', 'y', 'z'], ['X', 'Y', 'Z']][side.min(1)][axis.min(2)]);
        }
        RegionStep::Free(FreeAlong::Last) => into.push('r'),
        RegionStep::Free(FreeAlong::Direction(n)) => match code(n) {
            Some(code) if decoded(code) == n => {
                into.push('d');
                push_digits(into, code, 6);
            }
            _ => {
                into.push('f');
                n.to_array().iter().for_each(|x| push_digits(into, x.to_bits(), 11));
            }
        },
    }
}

/// The nearest direction that takes six digits; none if there is no direction.
#[must_use]
pub fn rounded(n: DVec3) -> Option<DVec3> {
    code(n).map(decoded)
}

/// The six digits of the nearest direction that takes them.
pub(crate) fn rounded_code(n: DVec3) -> Option<u64> {
    code(n)
}

/// The direction of six digits.
pub(crate) fn octahedron(code: u64) -> DVec3 {
    decoded(code)
}

fn code(n: DVec3) -> Option<u64> {
    let n = n / n.abs().max_element();
    let n = n / (n.x.abs() + n.y.abs() + n.z.abs());
    if !n.is_finite() {
        return None;
    }
    // The lower half of the octahedron is folded outwards.
    let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
    let (u, v) =
        if n.z < 0.0 { ((1.0 - n.y.abs()) * sign(n.x), (1.0 - n.x.abs()) * sign(n.y)) } else { (n.x, n.y) };
    let whole = |u: f64| (u * f64::from(MIDDLE)).round() as i64 + i64::from(MIDDLE);
    Some((whole(u) as u64) << 18 | whole(v) as u64)
}

fn decoded(code: u64) -> DVec3 {
    let part = |bits: u64| (bits as f64 - f64::from(MIDDLE)) / f64::from(MIDDLE);
    let (u, v) = (part(code >> 18 & 0x3_ffff), part(code & 0x3_ffff));
    let z = 1.0 - u.abs() - v.abs();
    let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
    if z < 0.0 {
        DVec3::new((1.0 - v.abs()) * sign(u), (1.0 - u.abs()) * sign(v), z)
    } else {
        DVec3::new(u, v, z)
    }
}

/// Reads steps from the front.
#[derive(Clone, Debug)]
pub struct StepReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> StepReader<'a> {
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
    pub fn step(&mut self) -> Option<RegionStep> {
        let letter = *self.bytes.get(self.at)?;
        self.at += 1;
        let axis = |side, axis| Some(RegionStep::Free(FreeAlong::Axis(side, axis)));
        match letter {
            b't' => Some(RegionStep::Time),
            b'a' => Some(RegionStep::Open(0)),
            b'b' => Some(RegionStep::Open(1)),
            b'c' => Some(RegionStep::Free(FreeAlong::Middles)),
            b'r' => Some(RegionStep::Free(FreeAlong::Last)),
            b'x' => axis(0, 0),
            b'y' => axis(0, 1),
            b'z' => axis(0, 2),
            b'X' => axis(1, 0),
            b'Y' => axis(1, 1),
            b'Z' => axis(1, 2),
            b'd' => self.number(6).map(|code| RegionStep::Free(FreeAlong::Direction(decoded(code)))),
            b'f' => {
                let mut number = || self.number(11).map(f64::from_bits);
                let n = DVec3::new(number()?, number()?, number()?);
                Some(RegionStep::Free(FreeAlong::Direction(n)))
            }
            _ => None,
        }
    }

    fn number(&mut self, count: usize) -> Option<u64> {
        let value = digits(self.bytes.get(self.at..self.at + count)?)?;
        self.at += count;
        Some(value)
    }
}

/// How many regions these letters say are free, and how many divisions there are: counted, not checked.
#[must_use]
pub fn count(letters: &str) -> usize {
    let mut reader = StepReader::new(letters);
    std::iter::from_fn(|| reader.step()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_back() {
        let mut letters = String::new();
        let mut steps = vec![
            RegionStep::Time,
            RegionStep::Open(0),
            RegionStep::Open(1),
            RegionStep::Free(FreeAlong::Middles),
            RegionStep::Free(FreeAlong::Last),
        ];
        for side in 0..2 {
            steps.extend((0..3).map(|axis| RegionStep::Free(FreeAlong::Axis(side, axis))));
        }
        let odd = DVec3::new(1.0 / 3.0, -f64::MIN_POSITIVE, 1e300);
        for n in [DVec3::X, -DVec3::Y, -DVec3::Z, DVec3::new(0.5, 0.25, -0.25), odd, -odd, DVec3::ZERO] {
            steps.push(RegionStep::Free(FreeAlong::Direction(n)));
            steps.extend(rounded(n).map(|n| RegionStep::Free(FreeAlong::Direction(n))));
        }
        steps.iter().for_each(|step| write(*step, &mut letters));
        let mut reader = StepReader::new(&letters);
        for step in &steps {
            assert_eq!(reader.step(), Some(*step), "{letters}");
        }
        assert!(reader.is_done() && reader.step().is_none());
        assert_eq!(count(&letters), steps.len());
    }

    #[test]
    fn directions_round_by_little_and_axes_not_at_all() {
        for n in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z] {
            assert_eq!(rounded(n), Some(n));
        }
        for k in 0..1000 {
            let t = f64::from(k);
            let n = DVec3::new((t * 1.3).sin(), (t * 2.7).cos(), (t * 0.9).sin() - 0.1).normalize();
            let near = rounded(n).expect("a direction").normalize();
            assert!(near.distance(n) < 2e-5, "{n} {near}");
        }
        assert!(rounded(DVec3::ZERO).is_none() && rounded(DVec3::NAN).is_none());
    }

    #[test]
    fn what_is_no_step_is_none() {
        for letters in ["", "q", "d", "dAAAAA", "dAAAAA.", "fAAA", "é"] {
            assert!(StepReader::new(letters).step().is_none(), "{letters}");
        }
        // Eleven digits that are more than a number holds.
        let large = format!("f{}", "_".repeat(33));
        assert!(StepReader::new(&large).step().is_none());
    }
}
