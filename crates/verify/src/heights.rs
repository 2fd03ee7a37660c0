//! Heights along a direction without any rounding, in whole numbers.

use dashu_int::IBig;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Affine, Span};

/// Whether, through a span, all points of the second part are beyond all of the first along a direction that turns from one vector to
/// the other, linear in time.
///
/// Corners run on the cubics of their control points as these are in double precision: the same motion for which contacts are decided.
/// Every number is a whole multiple of a power of two, and so is every coefficient in Bernstein's form of the heights over the span
///
/// ```text
/// 4 c_j = (4 − j) n0 · B_j + j n1 · B_(j−1),   B_j the control points for the span
/// ```
///
/// Where all coefficients of one part are above all of the other, the heights are. That is enough, not needed.
#[must_use]
pub fn positive(
    parts: [&[[DVec3; 3]]; 2],
    controls: [&[Affine; 4]; 2],
    span: Span,
    directions: [DVec3; 2],
) -> bool {
    let points = |k: usize| parts[k].iter().flatten().map(move |&p| controls[k].map(|control| control * p));
    let all: [Vec<[DVec3; 4]>; 2] = [points(0).collect(), points(1).collect()];
    let lengths = all.iter().flatten().flatten().flat_map(DVec3::to_array);
    let (Some(length), Some(slope), Some(time)) = (
        unit(lengths),
        unit(directions.iter().flat_map(DVec3::to_array)),
        unit([span.start, span.end, 1.0].into_iter()),
    ) else {
        return false;
    };
    let [start, end, one] = [span.start, span.end, 1.0].map(|t| whole(t, time));
    let directions = directions.map(|n| n.to_array().map(|x| whole(x, slope)));
    let coefficients = |controls: &[DVec3; 4]| -> [IBig; 5] {
        let control = |i: usize| controls[i].to_array().map(|x| whole(x, length));
        let given = [control(0), control(1), control(2), control(3)];
        // The control point for the instants r, s and t; not divided by `one` cubed, which is the same for all.
        let blossom = |r: &IBig, s: &IBig, t: &IBig| -> [IBig; 3] {
            std::array::from_fn(|axis| {
                let step = |p: &IBig, q: &IBig, u: &IBig| p * (&one - u) + q * u;
                let [a, b, c, d] = given.each_ref().map(|p| &p[axis]);
                let (ab, bc, cd) = (step(a, b, r), step(b, c, r), step(c, d, r));
                step(&step(&ab, &bc, s), &step(&bc, &cd, s), t)
            })
        };
        let part = [
            blossom(&start, &start, &start),
            blossom(&start, &start, &end),
            blossom(&start, &end, &end),
            blossom(&end, &end, &end),
        ];
        let along = |n: &[IBig; 3], p: &[IBig; 3]| &n[0] * &p[0] + &n[1] * &p[1] + &n[2] * &p[2];
        std::array::from_fn(|j| {
            let early = if j < 4 { along(&directions[0], &part[j]) * (4 - j) } else { IBig::ZERO };
            let late = if j > 0 { along(&directions[1], &part[j - 1]) * j } else { IBig::ZERO };
            early + late
        })
    };
    let of = |k: usize| -> Vec<[IBig; 5]> { all[k].iter().map(coefficients).collect() };
    let (low, high) = (of(1), of(0));
    (0..5).all(|j| {
        let (lowest, highest) = (low.iter().map(|c| &c[j]).min(), high.iter().map(|c| &c[j]).max());
        matches!((lowest, highest), (Some(low), Some(high)) if low > high)
    })
}

/// The exponent of the largest power of two of which all numbers are whole multiples; none if one is not finite.
fn unit(numbers: impl Iterator<Item = f64>) -> Option<i32> {
    let mut least = 0;
    for x in numbers {
        if !x.is_finite() {
            return None;
        }
        least = least.min(parts(x).1);
    }
    Some(least)
}

/// A number as a multiple of a power of two that it is one of.
fn whole(x: f64, unit: i32) -> IBig {
    let (mantissa, exponent) = parts(x);
    IBig::from(mantissa) << (exponent - unit) as usize
}

/// Odd mantissa and exponent; zero has the exponent zero.
fn parts(x: f64) -> (i64, i32) {
    let bits = x.abs().to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32, (bits & ((1 << 52) - 1)) as i64);
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    (if x < 0.0 { -mantissa } else { mantissa }, exponent.max(1) - 1075 + zeros as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_apart() {
        for x in [0.0, 1.0, -3.0, 0.1, -1e-300, 5e-324, 1e300, 0.75] {
            let (mantissa, exponent) = parts(x);
            let (half, rest) = (exponent / 2, exponent - exponent / 2);
            assert_eq!(mantissa as f64 * 2f64.powi(half) * 2f64.powi(rest), x);
            assert!(mantissa == 0 || mantissa % 2 != 0);
        }
    }

    /// Two triangles that slide along each other as near as numbers can be, and in the same plane.
    #[test]
    fn the_last_digit_decides() {
        let triangle = [[DVec3::ZERO, DVec3::X, DVec3::Y]];
        let still = [Affine::IDENTITY; 4];
        let slide = |z: f64| {
            std::array::from_fn(|k| Affine { shift: DVec3::new(k as f64 / 3.0, 0.1, z), ..Affine::IDENTITY })
        };
        let proven = |z: f64, n: DVec3| {
            positive([&triangle, &triangle], [&still, &slide(z)], Span::new(0.25, 0.5), [n, n])
        };
        assert!(proven(1e-300, DVec3::Z) && proven(f64::EPSILON, DVec3::Z * 0.5));
        assert!(!proven(0.0, DVec3::Z) && !proven(-1e-300, DVec3::Z) && !proven(1e-300, -DVec3::Z));
        assert!(!proven(1.0, DVec3::ZERO) && !proven(1.0, DVec3::NAN) && !proven(f64::INFINITY, DVec3::Z));
        // A slope that takes more than the height.
        assert!(!proven(1e-9, DVec3::new(1e-8, 0.0, 1.0)) && proven(1e-9, DVec3::new(1e-10, 0.0, 1.0)));
    }
}
