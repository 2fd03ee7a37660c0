//! From the start of time on: what is certain in `f64`, and whole numbers where that is not enough.

use super::exact::{System, Unit};
use super::rounded::{Hold, Rounded};
use super::{First, Path, Scratch, Wanted};
use crate::polynomial::Stop;
use crate::polynomial::bernstein::{Bernstein, Signs};
use crate::polynomial::bracket::Bracket;
use crate::polynomial::exact::{Poly, Span};
use crate::polynomial::fixed::Fixed;
use crate::polynomial::whole::Whole;
use dashu_int::IBig;

/// How often a span is halved before whole numbers decide. Roots as near as that are mostly double.
const DEEPEST: u32 = 8;

/// Corners of a moving polygon as differences of two moving points.
pub(super) type Corners<'a, const N: usize, const M: usize> = [[&'a Path<N>; 2]; M];

/// The first time at which the polygon holds the origin. `Q` and `D` are the numbers of coefficients of products of two and three
/// coordinates.
pub(super) fn first<const N: usize, const Q: usize, const D: usize, const M: usize>(
    corners: &Corners<N, M>,
    wanted: &Wanted,
    scratch: &mut Scratch,
) -> First {
    scratch.queries += 1;
    let rounded = Rounded::<N, M>::new(|j, axis, i| corners[j][0].0[i][axis] - corners[j][1].0[i][axis]);
    if !rounded.is_finite() {
        // Not finite, or so large that differences overflow.
        return Exact::new(corners).map_or(First::Undecided, |mut exact| {
            scratch.exact += 1;
            answer(exact.first([0.0, 1.0], false, wanted).map(|found| found.map(|time| First::At { time })))
        });
    }
    if rounded.is_beside() {
        return First::Never;
    }
    let mut search = Search::<N, M> { corners, rounded, wanted, exact: None };
    let volume = search.rounded.volume::<Q, D>();
    let found = search.walk(volume);
    scratch.exact += u64::from(search.exact.is_some());
    answer(found)
}

fn answer(found: Result<Option<First>, Stop>) -> First {
    match found {
        Ok(Some(first)) => first,
        Ok(None) => First::Never,
        Err(Stop::TooWide | Stop::TooDeep) => First::Undecided,
    }
}

struct Search<'a, const N: usize, const M: usize> {
    corners: &'a Corners<'a, N, M>,
    rounded: Rounded<N, M>,
    wanted: &'a Wanted,
    exact: Option<Exact<'a, N, M>>,
}

/// A span that is still open, with the volume over it.
struct Open<const D: usize> {
    span: [f64; 2],
    depth: u32,
    inside: bool,
    volume: Bernstein<D>,
}

impl<const N: usize, const M: usize> Search<'_, N, M> {
    fn walk<const D: usize>(&mut self, volume: Bernstein<D>) -> Result<Option<First>, Stop> {
        let mut later: Vec<Open<D>> = Vec::new();
        let mut next = Some(Open { span: [0.0, 1.0], depth: 0, inside: false, volume });
        while let Some(mut open) = next.or_else(|| later.pop()) {
            next = None;
            if open.span[0] > self.wanted.until {
                break;
            }
            let signs = open.volume.signs();
            match signs {
                Signs::Positive | Signs::Negative => continue,
                Signs::Crosses => {
                    if let Some(time) = self.crossing(&open)? {
                        return Ok(Some(First::At { time }));
                    }
                    continue;
                }
                Signs::Unknown => {}
            }
            if !open.inside {
                match self.rounded.hold(open.span) {
                    Hold::Apart => continue,
                    Hold::Inside => open.inside = true,
                    Hold::Unknown => {}
                }
            }
            // Halving does not help where nothing is certain.
            if open.depth == DEEPEST || !(open.volume.size() > open.volume.error) {
                if let Some(time) = self.exactly(open.span, open.inside)? {
                    return Ok(Some(First::At { time }));
                }
                continue;
            }
            let middle = 0.5 * (open.span[0] + open.span[1]);
            let [early, late] = open.volume.halves();
            let half = |span, volume| Open { span, depth: open.depth + 1, inside: open.inside, volume };
            later.push(half([middle, open.span[1]], late));
            next = Some(half([open.span[0], middle], early));
        }
        Ok(None)
    }

    /// The contact at the only root of the volume in a span, where it certainly changes its sign.
    fn crossing<const D: usize>(&mut self, open: &Open<D>) -> Result<Option<[f64; 2]>, Stop> {
        let length = open.span[1] - open.span[0];
        let mut bracket = Bracket::new(&open.volume);
        let mut inside = open.inside;
        // First so narrow that it mostly shows whether the origin is inside.
        let mut width = if inside { self.wanted.tolerance / length } else { 1.0 / 1024.0 };
        loop {
            let narrow = bracket.narrow(width);
            let span = bracket.ends().map(|s| open.span[0] + s * length);
            if !inside {
                match self.rounded.hold(span) {
                    Hold::Apart => return Ok(None),
                    Hold::Inside => inside = true,
                    Hold::Unknown => {}
                }
            }
            if inside && span[1] - span[0] <= self.wanted.tolerance {
                return Ok(Some(span));
            }
            if !narrow || (!inside && width < 1e-8) {
                return self.exactly(span, inside);
            }
            width = if inside { self.wanted.tolerance / length } else { width / 8192.0 };
        }
    }

    fn exactly(&mut self, span: [f64; 2], inside: bool) -> Result<Option<[f64; 2]>, Stop> {
        let exact = self.exact.get_or_insert_with(|| {
            Exact::new(self.corners).expect("differences of numbers are finite only if the numbers are")
        });
        exact.first(span, inside, self.wanted)
    }
}

/// The polynomials in whole numbers, made when they are needed.
struct Exact<'a, const N: usize, const M: usize> {
    corners: &'a Corners<'a, N, M>,
    unit: Unit,
    short: Option<System<Fixed, M>>,
    long: Option<System<IBig, M>>,
}

impl<'a, const N: usize, const M: usize> Exact<'a, N, M> {
    /// None if a number is not finite.
    fn new(corners: &'a Corners<'a, N, M>) -> Option<Self> {
        let numbers = corners.iter().flatten().flat_map(|path| path.0).flat_map(|point| point.to_array());
        Some(Self { corners, unit: Unit::of(numbers)?, short: None, long: None })
    }

    fn first(&mut self, span: [f64; 2], inside: bool, wanted: &Wanted) -> Result<Option<[f64; 2]>, Stop> {
        let span = Span::between(span);
        match self.short(&span, inside, wanted) {
            Err(Stop::TooWide) => {}
            found => return found,
        }
        let system = match self.long.take() {
            Some(system) => system,
            None => System::new(self.corners()?)?,
        };
        self.long.insert(system).first(&span, inside, wanted)
    }

    fn short(&mut self, span: &Span, inside: bool, wanted: &Wanted) -> Result<Option<[f64; 2]>, Stop> {
        let system = match self.short.take() {
            Some(system) => system,
            None => System::new(self.corners()?)?,
        };
        self.short.insert(system).first(span, inside, wanted)
    }

    fn corners<I: Whole>(&self) -> Result<[[Poly<I>; 3]; M], Stop> {
        let mut corners = Vec::with_capacity(M);
        for [plus, minus] in self.corners {
            let path = |axis| {
                self.unit.difference(std::array::from_fn::<_, N, _>(|i| [plus.0[i][axis], minus.0[i][axis]]))
            };
            corners.push([path(0)?, path(1)?, path(2)?]);
        }
        Ok(corners.try_into().ok().expect("M of them"))
    }
}

/// The first contact by whole numbers alone, of one kind.
#[cfg(test)]
pub(super) fn first_exactly<I: Whole, const N: usize, const M: usize>(
    corners: &Corners<N, M>,
    wanted: &Wanted,
) -> Result<Option<[f64; 2]>, Stop> {
    let exact = Exact::new(corners).expect("finite");
    System::<I, M>::new(exact.corners()?)?.first(&Span::between([0.0, 1.0]), false, wanted)
}

/// The corners in whole numbers of any length, and the exponent of their unit.
#[cfg(test)]
pub(super) fn corners_exactly<const N: usize, const M: usize>(
    corners: &Corners<N, M>,
) -> ([[Poly<IBig>; 3]; M], i32) {
    let exact = Exact::new(corners).expect("finite");
    (exact.corners().expect("long numbers fit"), exact.unit.exponent)
}
