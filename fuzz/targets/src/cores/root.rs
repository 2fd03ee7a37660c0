//! The first root of a cubic: a point goes up and down over a plane, and when is it in it?
//!
//! Heights are any numbers, nearly equal ones and ones of very different sizes, or such that roots are where a byte wants them, to
//! the last digit. The truth is found by halving Bernstein's form in whole numbers.

use crate::numbers::Numbers;
use dashu_int::IBig;
use kansho_geom::glam::DVec3;
use kansho_geom::moving_features::{First, Path, Scratch, Wanted, vertex_face};
use std::cmp::Ordering;

pub(super) fn run(bytes: &[u8]) {
    let mut numbers = Numbers(bytes);
    let heights = match numbers.below(3) {
        0 => [(); 4].map(|()| any(&mut numbers)),
        1 => with_roots([(); 3].map(|()| f64::from(numbers.byte()) / 128.0), &mut numbers),
        _ => with_roots([(); 3].map(|()| any(&mut numbers)), &mut numbers),
    };
    let corner = |x: f64, y: f64| Path([DVec3::new(x, y, 0.0); 4]);
    let face = [corner(-1.0, -1.0), corner(2.0, -1.0), corner(-1.0, 2.0)];
    let vertex = Path(heights.map(|z| DVec3::new(0.0, 0.0, z)));
    let wanted = Wanted::default();
    let found = vertex_face(&vertex, &face, &wanted, &mut Scratch::default());
    let truth = first_root(whole(heights));
    match (found, truth) {
        (First::Never, Truth::Never | Truth::Perhaps { .. }) => {}
        (First::At { time: [start, end] }, Truth::At { low, high }) => {
            assert!(end - start <= wanted.tolerance, "{start} to {end} is too wide: {heights:?}");
            assert!(start <= high && low <= end, "{low} to {high} is not in {start} to {end}: {heights:?}");
        }
        // Two roots, or nearly so: either there is one here, or the first is later.
        (First::At { time: [_, end] }, Truth::Perhaps { low }) => {
            assert!(end >= low, "{end} is before {low}: {heights:?}")
        }
        _ => panic!("{found:?}, but the truth is {truth:?}: {heights:?}"),
    }
}

/// A number of any size that lengths have, or zero.
fn any(numbers: &mut Numbers<'_>) -> f64 {
    let digits = numbers.whole() as f64;
    match numbers.byte() {
        0..=127 => digits,
        128..=191 => digits * (1.0 + f64::EPSILON * f64::from(numbers.byte() % 4)),
        power => digits * 2f64.powi(i32::from(power) - 224),
    }
}

/// Bernstein's form of `(t − a)(t − b)(t − c)`, rounded, and changed in the last digits.
fn with_roots([a, b, c]: [f64; 3], numbers: &mut Numbers<'_>) -> [f64; 4] {
    let at = |x: f64, y: f64, z: f64| (x - a) * (y - b) * (z - c);
    let mixed = |p: [f64; 3], q: [f64; 3], r: [f64; 3]| {
        [p, q, r].iter().map(|v| at(v[0], v[1], v[2])).sum::<f64>() / 3.0
    };
    let exact = [
        at(0.0, 0.0, 0.0),
        mixed([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
        mixed([1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]),
        at(1.0, 1.0, 1.0),
    ];
    exact.map(|z| z * (1.0 + f64::EPSILON * f64::from(numbers.byte() % 3)))
}

/// Where the first root is.
#[derive(Clone, Copy, Debug)]
enum Truth {
    Never,
    /// Between these, ends included.
    At {
        low: f64,
        high: f64,
    },
    /// There are two from here on, within 2⁻¹⁰⁰ of the motion, or none.
    Perhaps {
        low: f64,
    },
}

/// The same heights times a power of two, as whole numbers.
fn whole(heights: [f64; 4]) -> [IBig; 4] {
    let parts = heights.map(|z| {
        let bits = z.abs().to_bits();
        let (power, digits) = ((bits >> 52) as i32, (bits & ((1 << 52) - 1)) as i64);
        let digits = if power == 0 { digits } else { digits | (1 << 52) };
        (if z < 0.0 { -digits } else { digits }, power.max(1))
    });
    let least = parts.iter().filter(|(digits, _)| *digits != 0).map(|(_, power)| *power).min().unwrap_or(1);
    parts.map(|(digits, power)| IBig::from(digits) << (power - least).max(0) as usize)
}

fn first_root(heights: [IBig; 4]) -> Truth {
    // Spans that are left, the earliest last: Bernstein's form, beginning and length as powers of one half.
    let mut open = vec![(heights, IBig::ZERO, 0_usize)];
    let time = |numerator: &IBig, digits: usize| {
        // Rounded to 2⁻⁶².
        let scaled = if digits <= 62 { numerator << (62 - digits) } else { numerator >> (digits - 62) };
        i64::try_from(scaled).expect("at most one") as f64 / (1_i64 << 62) as f64
    };
    while let Some((form, begin, digits)) = open.pop() {
        let signs: Vec<Ordering> = form.iter().map(|z| z.cmp(&IBig::ZERO)).collect();
        if signs[0] == Ordering::Equal {
            return Truth::At { low: time(&begin, digits), high: time(&begin, digits) };
        }
        let end = &begin + IBig::ONE;
        let different: Vec<Ordering> =
            signs.iter().copied().filter(|sign| *sign != Ordering::Equal).collect();
        let changes = different.windows(2).filter(|two| two[0] != two[1]).count();
        if changes == 0 {
            // No root before the end, and one there if that is zero: the span after it begins with it, but the last has none after it.
            if signs[3] == Ordering::Equal && open.is_empty() {
                return Truth::At { low: time(&end, digits), high: time(&end, digits) };
            }
            continue;
        }
        if changes == 1 && digits >= 60 {
            return Truth::At { low: time(&begin, digits), high: time(&end, digits) + 2f64.powi(-61) };
        }
        if digits >= 100 {
            return Truth::Perhaps { low: time(&begin, digits) };
        }
        let [a, b, c, d] = form;
        // de Casteljau in the middle, times eight.
        let (ab, bc, cd) = (&a + &b, &b + &c, &c + &d);
        let (abc, bcd) = (&ab + &bc, &bc + &cd);
        let middle = &abc + &bcd;
        let first = [a << 3, ab << 2, abc << 1, middle.clone()];
        let second = [middle, bcd << 1, cd << 2, d << 3];
        let begin: IBig = begin << 1;
        let half = &begin + IBig::ONE;
        open.push((second, half, digits + 1));
        open.push((first, begin, digits + 1));
    }
    Truth::Never
}
