//! Common factors of polynomials with whole coefficients.
//!
//! First modulo a prime: if there is no common factor there, there is none (the degree of the greatest common divisor can
//! only grow modulo a prime that does not divide a leading coefficient). Otherwise its coefficients modulo the prime are
//! mostly those of small fractions, which divisions then prove right. Else by Euclid's algorithm on long numbers.

use super::Stop;
use super::exact::Poly;
use super::whole::{PRIME, Whole, reduced};
use dashu_int::IBig;
use dashu_int::ops::Gcd;
use std::cmp::Ordering;

/// The common factor of two polynomials of which neither is zero; nothing if they have no common root, real or complex.
pub(crate) fn common_factor<I: Whole>(a: &Poly<I>, b: &Poly<I>) -> Result<Option<Poly<I>>, Stop> {
    match common(a, b)? {
        Common::None => Ok(None),
        Common::Small(small, _) => {
            Ok(Some(Poly::new(small.iter().map(|&coefficient| I::dyadic(coefficient, 0)).collect())))
        }
        Common::Long(factor) => short(&factor).map(Some),
    }
}

/// A polynomial with the same roots, each of them once.
pub(crate) fn squarefree<I: Whole>(a: &Poly<I>) -> Result<Poly<I>, Stop> {
    if a.degree() < 2 {
        return Ok(a.clone());
    }
    match common(a, &a.derivative()?)? {
        Common::None => Ok(a.clone()),
        Common::Small(_, quotient) => Ok(quotient),
        Common::Long(factor) => divided(a, &factor),
    }
}

enum Common<I> {
    None,
    /// With small coefficients; and the quotient of the first polynomial.
    Small(Vec<i64>, Poly<I>),
    Long(Poly<IBig>),
}

fn common<I: Whole>(a: &Poly<I>, b: &Poly<I>) -> Result<Common<I>, Stop> {
    if a.degree() == 0 || b.degree() == 0 {
        return Ok(Common::None);
    }
    if let Some(modular) = modular(a, b) {
        if modular.len() == 1 {
            return Ok(Common::None);
        }
        if let Some(small) = small_fractions(&modular)
            && let Some(quotient) = divided_small(a, &small)?
            && divided_small(b, &small)?.is_some()
        {
            return Ok(Common::Small(small, quotient));
        }
    }
    let factor = euclid(&big(a), &big(b));
    Ok(if factor.degree() == 0 { Common::None } else { Common::Long(factor) })
}

/// The quotient by a factor with long coefficients, times a number.
fn divided<I: Whole>(a: &Poly<I>, factor: &Poly<IBig>) -> Result<Poly<I>, Stop> {
    // Primitive polynomials divide without fractions (Gauss).
    let mut rest = primitive(big(a)).coefficients().to_vec();
    let factor = primitive(factor.clone());
    let (last, degree) = (&factor.coefficients()[factor.degree()], factor.degree());
    let mut quotient = vec![IBig::ZERO; rest.len() - degree];
    for i in (0..quotient.len()).rev() {
        quotient[i] = &rest[i + degree] / last;
        for (j, coefficient) in factor.coefficients().iter().enumerate() {
            rest[i + j] -= &quotient[i] * coefficient;
        }
    }
    debug_assert!(rest.iter().all(|coefficient| *coefficient == IBig::ZERO));
    short(&Poly::new(quotient))
}

fn big<I: Whole>(a: &Poly<I>) -> Poly<IBig> {
    Poly::new(a.coefficients().iter().map(Whole::to_big).collect())
}

fn short<I: Whole>(a: &Poly<IBig>) -> Result<Poly<I>, Stop> {
    let short: Option<Vec<I>> = a.coefficients().iter().map(I::from_big).collect();
    short.map(Poly::new).ok_or(Stop::TooWide)
}

/// The greatest common divisor modulo [`PRIME`], with the leading coefficient 1, if the prime tells anything.
fn modular<I: Whole>(a: &Poly<I>, b: &Poly<I>) -> Option<Vec<u64>> {
    let modulo = |poly: &Poly<I>| poly.coefficients().iter().map(Whole::modulo).collect::<Vec<u64>>();
    let (mut a, mut b) = (modulo(a), modulo(b));
    if *a.last()? == 0 || *b.last()? == 0 {
        return None;
    }
    let times = |x: u64, y: u64| reduced(u128::from(x) * u128::from(y));
    if a.len() < b.len() {
        std::mem::swap(&mut a, &mut b);
    }
    while b.len() > 1 {
        // Remainders times what spares an inverse in every round.
        let lead = *b.last()?;
        while a.len() >= b.len() {
            let factor = PRIME - a.pop()?;
            let shift = a.len() + 1 - b.len();
            a[..shift].iter_mut().for_each(|x| *x = times(*x, lead));
            for (x, &y) in a[shift..].iter_mut().zip(&b) {
                *x = reduced(u128::from(factor) * u128::from(y) + u128::from(*x) * u128::from(lead));
            }
            while a.last() == Some(&0) {
                a.pop();
            }
        }
        if a.is_empty() {
            let inverse = inverse(lead);
            b.iter_mut().for_each(|coefficient| *coefficient = times(*coefficient, inverse));
            return Some(b);
        }
        std::mem::swap(&mut a, &mut b);
    }
    Some(vec![1])
}

/// The inverse modulo [`PRIME`] of what is not zero, by Euclid's algorithm.
fn inverse(of: u64) -> u64 {
    let (mut r, mut next_r) = (PRIME as i64, of as i64);
    let (mut s, mut next_s) = (0_i64, 1_i64);
    while next_r != 0 {
        let quotient = r / next_r;
        (r, next_r) = (next_r, r - quotient * next_r);
        (s, next_s) = (next_s, s - quotient * next_s);
    }
    s.rem_euclid(PRIME as i64) as u64
}

/// Numerators and denominators below this are found from a remainder: two fractions of such numbers differ by less than
/// a part of the prime.
const MOST: u64 = 1 << 30;

/// The polynomial with small coefficients that is a multiple of this one modulo [`PRIME`], if there is one.
fn small_fractions(modular: &[u64]) -> Option<Vec<i64>> {
    let mut denominator: u64 = 1;
    for &coefficient in modular.iter().rev() {
        let scaled = reduced(u128::from(coefficient) * u128::from(denominator));
        denominator *= fraction(scaled)?;
        if denominator >= MOST {
            return None;
        }
    }
    let signed = |coefficient: &u64| {
        let scaled = reduced(u128::from(*coefficient) * u128::from(denominator));
        if scaled > PRIME / 2 { -((PRIME - scaled) as i64) } else { scaled as i64 }
    };
    let small: Vec<i64> = modular.iter().map(signed).collect();
    small.iter().all(|c| c.unsigned_abs() < MOST).then_some(small)
}

/// The denominator of a fraction of small numbers with this remainder (Wang).
fn fraction(remainder: u64) -> Option<u64> {
    let (mut r, mut next_r) = (PRIME as i64, remainder as i64);
    let (mut s, mut next_s) = (0_i64, 1_i64);
    while next_r.unsigned_abs() >= MOST {
        let quotient = r / next_r;
        (r, next_r) = (next_r, r - quotient * next_r);
        (s, next_s) = (next_s, s - quotient * next_s);
    }
    (next_s != 0 && next_s.unsigned_abs() < MOST).then_some(next_s.unsigned_abs())
}

/// The quotient by a polynomial with small coefficients, if it has whole coefficients and nothing is left.
fn divided_small<I: Whole>(a: &Poly<I>, by: &[i64]) -> Result<Option<Poly<I>>, Stop> {
    let degree = by.len() - 1;
    if a.coefficients().len() < by.len() {
        return Ok(None);
    }
    let steps = a.coefficients().len() - degree;
    let mut rest = a.coefficients().to_vec();
    let mut quotient = vec![I::zero(); steps];
    for i in (0..steps).rev() {
        let Some(coefficient) = rest[i + degree].divided(by[degree]) else { return Ok(None) };
        let mut bits = coefficient.bits() + 31; // `MOST` and one more.
        for (j, &factor) in by.iter().enumerate() {
            bits = bits.max(rest[i + j].bits());
            if bits.saturating_add(1) > I::CAPACITY {
                return Err(Stop::TooWide);
            }
            rest[i + j].add_multiple(&coefficient, -factor);
        }
        quotient[i] = coefficient;
    }
    let clean = rest.iter().all(|coefficient| coefficient.sign() == Ordering::Equal);
    Ok(clean.then(|| Poly::new(quotient)))
}

/// Euclid's algorithm with pseudo-remainders whose common divisors are taken out.
fn euclid(a: &Poly<IBig>, b: &Poly<IBig>) -> Poly<IBig> {
    let (mut a, mut b) = (primitive(a.clone()), primitive(b.clone()));
    if a.degree() < b.degree() {
        std::mem::swap(&mut a, &mut b);
    }
    while !b.is_zero() {
        if b.degree() == 0 {
            return b;
        }
        let mut rest = a.coefficients().to_vec();
        let divisor = b.coefficients();
        let last = &divisor[b.degree()];
        while rest.len() >= divisor.len() {
            let top = rest.pop().expect("it is at least as long as the divisor");
            let shift = rest.len() + 1 - divisor.len();
            rest.iter_mut().for_each(|coefficient| *coefficient *= last);
            for (j, factor) in divisor[..b.degree()].iter().enumerate() {
                rest[shift + j] -= &top * factor;
            }
        }
        a = b;
        b = primitive(Poly::new(rest));
    }
    a
}

fn primitive(a: Poly<IBig>) -> Poly<IBig> {
    let content =
        a.coefficients().iter().filter(|c| **c != IBig::ZERO).fold(None, |content, c| match content {
            None => Some(c.clone()),
            Some(content) => Some(IBig::from((&content).gcd(c))),
        });
    match content {
        None => a,
        Some(content) => Poly::new(a.coefficients().iter().map(|c| c / &content).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polynomial::fixed::Fixed;
    use proptest::prelude::*;

    fn product(a: &[i64], b: &[i64]) -> Poly<IBig> {
        let poly = |c: &[i64]| Poly::new(c.iter().map(|&c| IBig::from(c)).collect());
        Poly::products(&[(&poly(a), &poly(b), true)]).expect("long numbers fit")
    }

    fn check<I: Whole>(a: &Poly<IBig>, b: &Poly<IBig>, degree: usize) {
        let (a, b): (Poly<I>, Poly<I>) = (short(a).expect("short"), short(b).expect("short"));
        let found = common_factor(&a, &b).expect("it fits");
        assert_eq!(found.map_or(0, |factor| factor.degree()), degree, "{:?} {:?}", big(&a), big(&b));
    }

    #[test]
    fn common_factors_of_known_products() {
        // (2t - 1)(t + 3) and (2t - 1)(t - 5); (t² - 2)² and its derivative; nothing in common.
        check::<Fixed>(&product(&[-1, 2], &[3, 1]), &product(&[-1, 2], &[-5, 1]), 1);
        let square = product(&[-2, 0, 1], &[-2, 0, 1]);
        check::<Fixed>(&square, &square.derivative().expect("fits"), 2);
        check::<IBig>(&square, &square.derivative().expect("fits"), 2);
        check::<Fixed>(&product(&[-1, 2], &[3, 1]), &product(&[1, 2], &[-5, 1]), 0);
        // The leading coefficient is the prime itself: modulo it nothing can be told.
        check::<IBig>(&product(&[1, PRIME as i64], &[3, 1]), &product(&[1, PRIME as i64], &[4, 1]), 1);
        // Coefficients too long for small fractions.
        check::<IBig>(
            &product(&[1 << 50, 12_345_678_987], &[3, 1]),
            &product(&[1 << 50, 12_345_678_987], &[4, 1]),
            1,
        );
    }

    proptest! {
        #[test]
        fn squarefree_parts_keep_all_roots(
            roots in proptest::collection::vec((-40_i64..40, 1_i64..9, 1_usize..4), 1..4), long in any::<bool>(),
        ) {
            let scale = if long { (1 << 40) + 15 } else { 1 };
            let mut whole = product(&[7], &[1]);
            for &(p, q, times) in &roots {
                for _ in 0..times {
                    let factor = product(&[-p * scale - 1, q], &[1]);
                    whole = Poly::products(&[(&whole, &factor, true)]).expect("fits");
                }
            }
            let part = squarefree(&whole).expect("long numbers fit");
            let mut distinct: Vec<_> = roots.iter().map(|&(p, q, _)| (p * scale + 1, q)).collect();
            distinct.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
            distinct.dedup_by(|a, b| a.0 * b.1 == b.0 * a.1);
            prop_assert_eq!(part.degree(), distinct.len());
            for (p, q) in distinct {
                let (p, q) = (IBig::from(p), IBig::from(q));
                let value = part.coefficients().iter().rev().fold((IBig::ZERO, IBig::ONE), |(sum, power), c| {
                    (sum * &p + c * &power, power * &q)
                });
                prop_assert_eq!(value.0, IBig::ZERO);
            }
        }
    }
}
