//! The three ways to an answer agree: `f64` first, short whole numbers alone, long ones alone.

use super::*;
use crate::polynomial::Stop;
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
