//! The first time at which a moving polygon holds the origin, in whole numbers.

use super::Wanted;
use crate::polynomial::Stop;
use crate::polynomial::exact::{Poly, Span};
use crate::polynomial::roots::{Root, Roots};
use crate::polynomial::whole::Whole;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// The polynomials of a polygon with `M` corners `c`; see [`super`] for what they tell.
pub(super) struct System<I, const M: usize> {
    /// The volume that three of the corners span: zero when the origin is in the plane of the polygon.
    volume: Poly<I>,
    /// `c_j × c_(j+1)`.
    cross: [[Poly<I>; 3]; M],
    /// `c_j · c_(j+1)`.
    dot: [Poly<I>; M],
}

impl<I: Whole, const M: usize> System<I, M> {
    /// From the coordinates of the corners.
    pub(super) fn new(corners: &[[Poly<I>; 3]; M]) -> Result<Self, Stop> {
        let mut cross = Vec::with_capacity(M);
        let mut dot = Vec::with_capacity(M);
        for j in 0..M {
            let (a, b) = (&corners[j], &corners[(j + 1) % M]);
            let component =
                |x: usize, y: usize| Poly::products(&[(&a[x], &b[y], true), (&a[y], &b[x], false)]);
            cross.push([component(1, 2)?, component(2, 0)?, component(0, 1)?]);
            dot.push(inner(a, b)?);
        }
        let volume = inner(&corners[1], &cross[M - 1])?;
        let cross = cross.try_into().ok().expect("one for each corner");
        Ok(Self { volume, cross, dot: dot.try_into().ok().expect("one for each corner") })
    }

    /// The first contact in a closed span. `inside` says that the polygon is known to hold every point of its plane that is
    /// met there.
    pub(super) fn first(&self, span: &Span, inside: bool, wanted: &Wanted) -> Result<Option<[f64; 2]>, Stop> {
        if self.volume.is_zero() {
            return self.first_in_plane(span, wanted);
        }
        let mut roots = Roots::of(&self.volume, span)?;
        while let Some(mut root) = roots.next()? {
            if inside || self.holds(&roots, &mut root)? {
                return root.time(wanted.tolerance).map(Some);
            }
        }
        Ok(None)
    }

    /// Whether the origin, which is in the plane, is in the polygon.
    fn holds(&self, roots: &Roots<I>, root: &mut Root<I>) -> Result<bool, Stop> {
        for k in 0..3 {
            let mut seen = [false; 3];
            for cross in &self.cross {
                seen[index(roots.sign(root, &cross[k])?)] = true;
                if seen[index(Less)] && seen[index(Greater)] {
                    return Ok(false);
                }
            }
            if !seen[index(Equal)] {
                return Ok(true);
            }
        }
        for j in 0..M {
            if self.on_side(j, roots, root)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the origin is on a side of the polygon.
    fn on_side(&self, j: usize, roots: &Roots<I>, root: &mut Root<I>) -> Result<bool, Stop> {
        for component in &self.cross[j] {
            if roots.sign(root, component)? != Equal {
                return Ok(false);
            }
        }
        Ok(roots.sign(root, &self.dot[j])? != Greater)
    }

    /// The first contact where the origin is always in the plane: at the start, or when it comes to a side. (Where the
    /// inside of the polygon begins to hold it, it is on a side, or this is the start.)
    fn first_in_plane(&self, span: &Span, wanted: &Wanted) -> Result<Option<[f64; 2]>, Stop> {
        let mut start = Root::start_of(span);
        let nowhere = Roots::of(&Poly::new(vec![I::dyadic(1, 0)]), span)?;
        if self.holds(&nowhere, &mut start)? {
            return start.time(wanted.tolerance).map(Some);
        }
        let mut first: Option<[f64; 2]> = None;
        for j in 0..M {
            let leads = self.cross[j].iter().find(|component| !component.is_zero());
            // Always on the line of the side: then it comes to the side when an end of it does.
            let leads = leads.unwrap_or(&self.dot[j]);
            if leads.is_zero() {
                continue; // One of the two corners is always the origin, so it was at the start.
            }
            let mut roots = Roots::of(leads, span)?;
            while let Some(mut root) = roots.next()? {
                if self.on_side(j, &roots, &mut root)? {
                    // The earliest of several times is between the earliest ends of what they are between.
                    let time = root.time(wanted.tolerance)?;
                    first = Some(first.map_or(time, |first| [first[0].min(time[0]), first[1].min(time[1])]));
                    break;
                }
            }
        }
        Ok(first)
    }
}

fn inner<I: Whole>(a: &[Poly<I>; 3], b: &[Poly<I>; 3]) -> Result<Poly<I>, Stop> {
    Poly::products(&[(&a[0], &b[0], true), (&a[1], &b[1], true), (&a[2], &b[2], true)])
}

fn index(sign: Ordering) -> usize {
    (sign as i8 + 1) as usize
}

/// Coordinates of some points as whole numbers of one unit, a power of two. None if one is not finite.
pub(super) struct Unit {
    /// The exponent of the unit.
    exponent: i32,
    /// Bits of the largest coordinate.
    pub(super) bits: usize,
}

impl Unit {
    /// The largest unit of which all coordinates are multiples.
    pub(super) fn of(coordinates: impl Iterator<Item = f64>) -> Option<Self> {
        let (mut exponent, mut top) = (i32::MAX, i32::MIN);
        for coordinate in coordinates {
            if !coordinate.is_finite() {
                return None;
            }
            let (mantissa, own) = parts(coordinate);
            if mantissa != 0 {
                exponent = exponent.min(own);
                top = top.max(own + (64 - mantissa.unsigned_abs().leading_zeros() as i32));
            }
        }
        if exponent == i32::MAX {
            return Some(Self { exponent: 0, bits: 0 });
        }
        Some(Self { exponent, bits: (top - exponent) as usize })
    }

    pub(super) fn whole<I: Whole>(&self, coordinate: f64) -> I {
        match parts(coordinate) {
            (0, _) => I::zero(),
            (mantissa, exponent) => I::dyadic(mantissa, (exponent - self.exponent) as usize),
        }
    }
}

/// An odd mantissa (or zero) and an exponent.
fn parts(number: f64) -> (i64, i32) {
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, (bits & ((1 << 52) - 1)) as i64);
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    (if number < 0.0 { -mantissa } else { mantissa }, exponent.max(1) - 1075 + zeros as i32)
}
