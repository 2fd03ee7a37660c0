//! The three ways to an answer agree: `f64` first, short whole numbers alone, long ones alone.

use super::*;
use crate::polynomial::Stop;
use crate::polynomial::exact::{Poly, Span};
use crate::polynomial::fixed::Fixed;
use dashu_int::IBig;
use proptest::prelude::*;

/// Points of small whole numbers, or of all digits; then perhaps all in a plane, or the last one on the way of the others.
fn four<const N: usize>() -> impl Strategy<Value = [Path<N>; 4]> {
    let small = || (-2..=2_i32).prop_map(f64::from);
    let coordinate = || prop_oneof![2 => small(), 1 => -1.0..1.0_f64];
    let point = move || [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array);
    let path =
        move || proptest::collection::vec(point(), N).prop_map(|p| Path(p.try_into().expect("N points")));
    ([path(), path(), path(), path()], 0..4_u32).prop_map(|(mut p, how)| {
        for i in 0..N {
            match how {
                0 => p.iter_mut().for_each(|path| path.0[i].z = path.0[i].x),
                1 => p[3].0[i] = 0.5 * (p[0].0[i] + p[1].0[i]),
                _ => {}
            }
        }
        p
    })
}

fn check<const N: usize, const M: usize>(corners: &search::Corners<N, M>) -> Result<(), TestCaseError> {
    let wanted = Wanted::default();
    let quick = first(corners, &wanted, &mut Scratch::default());
    let long = search::first_exactly::<IBig, N, M>(corners, &wanted).expect("long numbers suffice");
    match (quick, long) {
        (First::Never, None) => {}
        (First::At { time: [start, end] }, Some([low, high])) => {
            prop_assert!(end - start <= wanted.tolerance && high - low <= wanted.tolerance);
            prop_assert!(start <= high && low <= end, "{start} to {end}, but {low} to {high}");
        }
        other => prop_assert!(false, "{other:?}"),
    }
    match search::first_exactly::<Fixed, N, M>(corners, &wanted) {
        Err(Stop::TooWide) => {}
        short => prop_assert_eq!(short, Ok(long)),
    }
    Ok(())
}

fn check_both<const N: usize>(p: &[Path<N>; 4]) -> Result<(), TestCaseError> {
    let [a, b, c, d] = p;
    check(&[[a, d], [b, d], [c, d]])?;
    check(&[[c, a], [c, b], [d, b], [d, a]])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn straight_paths(p in four::<2>()) {
        check_both(&p)?;
    }

    #[test]
    fn cubic_paths(p in four::<4>()) {
        check_both(&p)?;
    }
}

/// A double in units of 2^−3600, in which every double and every product of three coordinates is whole.
fn fine(number: f64) -> IBig {
    let (mantissa, exponent) = exact::parts(number);
    IBig::from(mantissa) << (exponent + 3600) as usize
}

/// Every Bernstein coefficient of the volume is as near to the truth as it says.
fn check_errors<const N: usize, const Q: usize, const D: usize, const M: usize>(
    corners: &search::Corners<N, M>,
) -> Result<(), TestCaseError> {
    let rounded =
        rounded::Rounded::<N, M>::new(|j, axis, i| corners[j][0].0[i][axis] - corners[j][1].0[i][axis]);
    let volume = rounded.volume::<Q, D>();
    let (whole, exponent) = search::corners_exactly(corners);
    let cross = |x: usize, y: usize| {
        let (a, b) = (&whole[M - 1], &whole[0]);
        Poly::products(&[(&a[x], &b[y], true), (&a[y], &b[x], false)]).expect("long numbers fit")
    };
    let cross = [cross(1, 2), cross(2, 0), cross(0, 1)];
    let terms: [(&Poly<IBig>, &Poly<IBig>, bool); 3] =
        std::array::from_fn(|k| (&whole[1][k], &cross[k], true));
    let exact = Poly::products(&terms).expect("long numbers fit");
    let mut halves = [volume; 1].to_vec();
    halves.extend(volume.halves());
    let spans = [[0.0, 1.0], [0.0, 0.5], [0.5, 1.0]];
    for (bernstein, span) in halves.iter().zip(spans) {
        // Over half of the time the polynomial comes out times 2^degree.
        let part = exact.over(&Span::between(span)).expect("long numbers fit");
        let half = if span == [0.0, 1.0] { 0 } else { exact.degree() };
        for (k, &coefficient) in bernstein.coefficients.iter().enumerate() {
            // Σ_i (k over i) / (n over i) p_i, times what makes it whole.
            let n = D - 1;
            let choose =
                |n: usize, k: usize| (0..k).fold(IBig::ONE, |c, i| c * IBig::from(n - i) / IBig::from(i + 1));
            let scale = (0..=n).fold(IBig::ONE, |product, i| product * choose(n, i));
            let true_value = part
                .coefficients()
                .iter()
                .enumerate()
                .filter(|(i, _)| *i <= k)
                .fold(IBig::ZERO, |sum, (i, p)| sum + p * choose(k, i) * (&scale / choose(n, i)));
            let true_value: IBig = true_value << (3 * exponent + 3600) as usize;
            let off: IBig = ((fine(coefficient) * &scale) << half) - true_value;
            let most: IBig = (fine(bernstein.error) * &scale) << half;
            let within = off <= most && -off <= most;
            prop_assert!(within, "coefficient {k} over {span:?}");
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn errors_of_coefficients_are_bounded(p in four::<4>(), q in four::<2>(), shift in -3..3_i32) {
        // Far from the origin, coordinates cancel.
        let far = DVec3::new(0.1, -0.7, 0.3) * 1000.0_f64.powi(shift);
        let [a, b, c, d] = &p.map(|path| Path(path.0.map(|point| point + far)));
        check_errors::<4, 7, 10, 3>(&[[a, d], [b, d], [c, d]])?;
        check_errors::<4, 7, 10, 4>(&[[c, a], [c, b], [d, b], [d, a]])?;
        let [a, b, c, d] = &q.map(|path| Path(path.0.map(|point| point + far)));
        check_errors::<2, 3, 4, 3>(&[[a, d], [b, d], [c, d]])?;
    }
}
