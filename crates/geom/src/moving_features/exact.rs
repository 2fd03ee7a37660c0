//! The first time at which a moving polygon holds the origin, in whole numbers.

use super::Wanted;
use crate::polynomial::Stop;
use crate::polynomial::common::squarefree;
use crate::polynomial::exact::{Poly, Span};
use crate::polynomial::roots::{Root, Roots};
use crate::polynomial::whole::Whole;
use std::cell::OnceCell;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// The polynomials of a polygon with `M` corners `c`; see [`super`] for what they tell.
pub(super) struct System<I, const M: usize> {
    corners: [[Poly<I>; 3]; M],
    /// The volume that three of the corners span: zero when the origin is in the plane of the polygon. Without multiple roots:
    /// where this is needed, double ones are the most likely reason.
    volume: Poly<I>,
    /// `c_j × c_(j+1)`, when needed.
    cross: [[OnceCell<Poly<I>>; 3]; M],
    /// `c_j · c_(j+1)`, when needed.
    dot: [OnceCell<Poly<I>>; M],
}

impl<I: Whole, const M: usize> System<I, M> {
    /// From the coordinates of the corners.
    pub(super) fn new(corners: [[Poly<I>; 3]; M]) -> Result<Self, Stop> {
        let mut system = Self {
            corners,
            volume: Poly::new(Vec::new()),
            cross: std::array::from_fn(|_| Default::default()),
            dot: std::array::from_fn(|_| OnceCell::new()),
        };
        let cross = [system.cross(M - 1, 0)?, system.cross(M - 1, 1)?, system.cross(M - 1, 2)?];
        system.volume = squarefree(&inner(system.corners[1].each_ref(), cross)?)?;
        Ok(system)
    }

    fn cross(&self, j: usize, axis: usize) -> Result<&Poly<I>, Stop> {
        let cell = &self.cross[j][axis];
        if cell.get().is_none() {
            let (a, b) = (&self.corners[j], &self.corners[(j + 1) % M]);
            let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
            let _ = cell.set(Poly::products(&[(&a[y], &b[z], true), (&a[z], &b[y], false)])?);
        }
        Ok(cell.get().expect("just set"))
    }

    fn dot(&self, j: usize) -> Result<&Poly<I>, Stop> {
        let cell = &self.dot[j];
        if cell.get().is_none() {
            let _ = cell.set(inner(self.corners[j].each_ref(), self.corners[(j + 1) % M].each_ref())?);
        }
        Ok(cell.get().expect("just set"))
    }

    /// The first contact in a closed span. `inside` says that the polygon is known to hold every point of its plane that is
    /// met there.
    pub(super) fn first(&self, span: &Span, inside: bool, wanted: &Wanted) -> Result<Option<[f64; 2]>, Stop> {
        if self.volume.is_zero() {
            return self.first_in_plane(span, wanted);
        }
        let mut roots = Roots::of_simple(self.volume.clone(), span)?;
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
            for j in 0..M {
                seen[index(roots.sign(root, self.cross(j, k)?)?)] = true;
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
        for axis in 0..3 {
            if roots.sign(root, self.cross(j, axis)?)? != Equal {
                return Ok(false);
            }
        }
        Ok(roots.sign(root, self.dot(j)?)? != Greater)
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
            // If it is always on the line of the side, it comes to the side when an end of it does.
            let mut leads = self.dot(j)?;
            for axis in 0..3 {
                let component = self.cross(j, axis)?;
                leads = if component.is_zero() { leads } else { component };
            }
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

fn inner<I: Whole>(a: [&Poly<I>; 3], b: [&Poly<I>; 3]) -> Result<Poly<I>, Stop> {
    Poly::products(&[(a[0], b[0], true), (a[1], b[1], true), (a[2], b[2], true)])
}

fn index(sign: Ordering) -> usize {
    (sign as i8 + 1) as usize
}

/// Coordinates of some points as whole numbers of one unit, a power of two. None if one is not finite.
pub(super) struct Unit {
    /// The exponent of the unit.
    pub(super) exponent: i32,
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

    /// The path of a difference of two points, by control values.
    pub(super) fn difference<I: Whole, const N: usize>(
        &self,
        controls: [[f64; 2]; N],
    ) -> Result<Poly<I>, Stop> {
        // A difference has one bit more, and the coefficients of a cubic of such at most four (3 · (1 + 2 + 1) < 16).
        let bits = self.bits + 5;
        if bits > I::CAPACITY {
            return Err(Stop::TooWide);
        }
        if bits < 127 {
            let whole = |coordinate: f64| {
                let (mantissa, exponent) = parts(coordinate);
                if mantissa == 0 { 0 } else { i128::from(mantissa) << (exponent - self.exponent) }
            };
            let powers =
                powers(controls.map(|[plus, minus]| whole(plus) - whole(minus)), |a, b| a - b, |a, k| a * k);
            return Ok(Poly::new(powers.into_iter().map(I::from_i128).collect()));
        }
        let whole = |coordinate: f64| match parts(coordinate) {
            (0, _) => I::zero(),
            (mantissa, exponent) => I::dyadic(mantissa, (exponent - self.exponent) as usize),
        };
        let minus = |mut a: I, b: I| {
            a.subtract(&b);
            a
        };
        let times = |mut a: I, k: i128| {
            a.multiply(k as u64);
            a
        };
        let differences = controls.map(|[a, b]| minus(whole(a), whole(b)));
        Ok(Poly::new(powers(differences, minus, times).into_iter().collect()))
    }
}

/// Coefficients of powers from control values: `b₀, n (b₁ − b₀), …`, differences of order k times n over k.
fn powers<T: Clone, const N: usize>(
    mut controls: [T; N],
    minus: impl Fn(T, T) -> T,
    times: impl Fn(T, i128) -> T,
) -> [T; N] {
    for k in 1..N {
        for i in (k..N).rev() {
            controls[i] = minus(controls[i].clone(), controls[i - 1].clone());
        }
    }
    let mut choose = 1;
    for (k, control) in controls.iter_mut().enumerate().skip(1) {
        choose = choose * (N - k) as i128 / k as i128;
        *control = times(control.clone(), choose);
    }
    controls
}

/// An odd mantissa (or zero) and an exponent.
pub(super) fn parts(number: f64) -> (i64, i32) {
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
