//! First contacts of moving features, against an oracle, by construction, and under what must not change them.

use crate::contact_oracle::{self, Controls};
use kansho_geom::glam::{DVec3, Vec3Swizzles};
use kansho_geom::moving_features::{First, Path, Scratch, Wanted, edge_edge, vertex_face};
use proptest::prelude::*;

/// Four moving points: a vertex and a face, or two edges.
type Four<const N: usize> = [Path<N>; 4];

/// The same with whole coordinates.
type Grid<const N: usize> = [[[i64; 3]; N]; 4];

#[derive(Clone, Copy, Debug)]
enum Kind {
    VertexFace,
    EdgeEdge,
}

const KINDS: [Kind; 2] = [Kind::VertexFace, Kind::EdgeEdge];

fn ask<const N: usize>(kind: Kind, p: &Four<N>, wanted: &Wanted) -> First {
    let mut scratch = Scratch::default();
    match kind {
        Kind::VertexFace => vertex_face(&p[0], &[p[1], p[2], p[3]], wanted, &mut scratch),
        Kind::EdgeEdge => edge_edge(&[p[0], p[1]], &[p[2], p[3]], wanted, &mut scratch),
    }
}

fn first<const N: usize>(kind: Kind, p: &Four<N>) -> First {
    ask(kind, p, &Wanted::default())
}

fn touches<const N: usize>(kind: Kind, p: &Four<N>) -> bool {
    match first(kind, p) {
        First::Never => false,
        First::At { .. } => true,
        First::Undecided => panic!("undecided: {kind:?} {p:?}"),
    }
}

fn truth<const N: usize>(kind: Kind, p: &Grid<N>) -> Option<f64> {
    let c: [Controls; 4] = p.map(|controls| controls.to_vec());
    let [p, q, r, s] = c;
    match kind {
        Kind::VertexFace => contact_oracle::vertex_face(&p, &[q, r, s]),
        Kind::EdgeEdge => contact_oracle::edge_edge(&[p, q], &[r, s]),
    }
}

fn paths<const N: usize>(p: &Grid<N>, scale: f64) -> Four<N> {
    p.map(|controls| Path(controls.map(|c| DVec3::from_array(c.map(|x| x as f64)) * scale)))
}

fn mapped<const N: usize>(p: &Four<N>, change: impl Fn(DVec3) -> DVec3) -> Four<N> {
    p.map(|path| Path(path.0.map(&change)))
}

fn check_against_the_oracle<const N: usize>(p: &Grid<N>) -> Result<(), TestCaseError> {
    for kind in KINDS {
        let found = first(kind, &paths(p, 1.0));
        let expected = truth(kind, p);
        match (found, expected) {
            (First::Never, None) => {}
            (First::At { time: [start, end] }, Some(t)) => {
                prop_assert!(end - start <= 1e-9, "{kind:?}: {start} to {end} is too wide");
                // The truth is rounded to a double.
                prop_assert!(
                    start <= t + 1e-15 && t - 1e-15 <= end,
                    "{kind:?}: {t} is not in {start} to {end}"
                );
            }
            _ => prop_assert!(false, "{kind:?}: {found:?}, but the truth is {expected:?}"),
        }
    }
    Ok(())
}

/// Four moving points on a small grid, so that much of what is special happens often.
fn grid<const N: usize>(most: i64) -> impl Strategy<Value = Grid<N>> {
    let coordinate = move || -most..=most;
    let point = move || [coordinate(), coordinate(), coordinate()];
    let path =
        move || proptest::collection::vec(point(), N).prop_map(|p| <[[i64; 3]; N]>::try_from(p).expect("N"));
    [path(), path(), path(), path()]
}

/// As [`grid`], and then: all in one plane, on one line, some standing still, some the same.
fn special<const N: usize>(most: i64) -> impl Strategy<Value = Grid<N>> {
    (grid::<N>(most), 0..8_u32, 0..8_u32, 0..8_u32).prop_map(|(mut p, flat, still, same)| {
        for (i, path) in p.iter_mut().enumerate() {
            let start = path[0];
            for point in path.iter_mut() {
                if still & 1 << (i % 3) != 0 {
                    *point = start;
                }
                match flat {
                    0..=2 => point[2] = point[0] - point[1],
                    3 => *point = [point[0], 2 * point[0], -point[0]],
                    4 => *point = [point[0], 1, 1],
                    5 => point[2] = 1,
                    _ => {}
                }
            }
        }
        match same {
            0 => p[1] = p[0],
            1 => p[3] = p[2],
            2 => p[2] = p[1],
            // Parallel edges, or a point that moves with the face.
            3 => {
                p[3] = std::array::from_fn(|i| std::array::from_fn(|k| p[2][i][k] + p[1][i][k] - p[0][i][k]))
            }
            _ => {}
        }
        p
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn straight_paths_agree_with_the_oracle(p in grid::<2>(4)) {
        check_against_the_oracle(&p)?;
    }

    #[test]
    fn special_straight_paths_agree_with_the_oracle(p in special::<2>(3)) {
        check_against_the_oracle(&p)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn cubic_paths_agree_with_the_oracle(p in grid::<4>(3)) {
        check_against_the_oracle(&p)?;
    }

    #[test]
    fn special_cubic_paths_agree_with_the_oracle(p in special::<4>(2)) {
        check_against_the_oracle(&p)?;
    }

    #[test]
    fn parabolas_agree_with_the_oracle(p in special::<3>(3)) {
        check_against_the_oracle(&p)?;
    }

    #[test]
    fn what_stands_still_agrees_with_the_oracle(p in special::<1>(2)) {
        check_against_the_oracle(&p)?;
    }
}

/// Any numbers, far apart in size, with long mantissas.
fn numbers<const N: usize>() -> impl Strategy<Value = Four<N>> {
    let coordinate =
        || prop_oneof![4 => -1.0..1.0_f64, 1 => -1e-9..1e-9_f64, 1 => Just(0.25), 1 => Just(0.0)];
    let point = move || [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array);
    let path =
        move || proptest::collection::vec(point(), N).prop_map(|p| Path(p.try_into().expect("N points")));
    [path(), path(), path(), path()]
}

/// A weight in `[0, 1]` with few digits, so that mixtures of small numbers are exact.
fn eighths(k: u32) -> f64 {
    f64::from(k) / 8.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_planted_contact_is_found(
        p in grid::<2>(9), weights in [0..=8_u32, 0..=8_u32], when in 0..=16_u32, nudge in [-6..7_i32, -6..7_i32, -6..7_i32],
    ) {
        // Where is the other feature's point at that time? Then the last point's path is moved to be there, at both ends alike.
        let t = f64::from(when) / 16.0;
        let mut p = paths(&p, 1.0);
        let at = |path: &Path<2>| path.0[0] * (1.0 - t) + path.0[1] * t;
        let [u, v] = weights.map(eighths);
        // Nudged along with everything: contacts far from round numbers.
        let nudge = DVec3::from_array(nudge.map(|n| f64::from(n) * (1.0 / 1024.0)));
        let (v_in_face, w) = if u + v > 1.0 { (1.0 - u, u + v - 1.0) } else { (v, 1.0 - u - v) };
        let u_in_face = 1.0 - v_in_face - w;
        let on_face = at(&p[1]) * u_in_face + at(&p[2]) * v_in_face + at(&p[3]) * w;
        let mut vertex = p;
        let shift = on_face - at(&p[0]);
        vertex[0] = Path(p[0].0.map(|c| c + shift));
        check_found(Kind::VertexFace, &mapped(&vertex, |c| c + nudge), t)?;
        let (on_a, on_b) = (at(&p[0]) * (1.0 - u) + at(&p[1]) * u, at(&p[2]) * (1.0 - v) + at(&p[3]) * v);
        for path in &mut p[..2] {
            *path = Path(path.0.map(|c| c + (on_b - on_a)));
        }
        check_found(Kind::EdgeEdge, &mapped(&p, |c| c + nudge), t)?;
    }

    #[test]
    fn a_separating_plane_that_moves_is_believed(p in grid::<4>(9), along in 0..3_usize, lift in 1..5_i32) {
        // Above and below a plane that moves like a cubic of its own, by as little as 2⁻⁴⁸: sums of coordinates below 32 keep that.
        let gap = f64::from(lift) * 0.5_f64.powi(48);
        let base = paths(&p, 1.0);
        for (kind, above) in [(Kind::VertexFace, 1), (Kind::EdgeEdge, 2)] {
            let mut moved = base;
            for (i, path) in moved.iter_mut().enumerate() {
                for (k, point) in path.0.iter_mut().enumerate() {
                    let plane = base[3].0[k][along];
                    let away = (point[along] - plane).abs();
                    point[along] = if i < above { plane + away + gap } else { plane - away };
                }
            }
            prop_assert_eq!(first(kind, &moved), First::Never);
        }
    }

    #[test]
    fn laws_of_straight_paths(p in numbers::<2>(), q in special::<2>(3), exponent in -40..40_i32) {
        check_laws(&p, exponent)?;
        check_laws(&paths(&q, 1.0), exponent)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn laws_of_cubic_paths(p in numbers::<4>(), q in special::<4>(2), exponent in -40..40_i32) {
        check_laws(&p, exponent)?;
        check_laws(&paths(&q, 1.0), exponent)?;
    }
}

fn check_found(kind: Kind, p: &Four<2>, t: f64) -> Result<(), TestCaseError> {
    match first(kind, p) {
        First::At { time: [start, end] } => {
            prop_assert!(start <= t, "{kind:?}: {start} to {end} is later than {t}");
            prop_assert!(start >= 0.0 && end <= 1.0 && end - start <= 1e-9);
        }
        other => prop_assert!(false, "{kind:?}: {other:?}, but there is a contact at {t}"),
    }
    Ok(())
}

fn check_laws<const N: usize>(p: &Four<N>, exponent: i32) -> Result<(), TestCaseError> {
    let reversed = p.map(|path| {
        let mut controls = path.0;
        controls.reverse();
        Path(controls)
    });
    let [a, b, c, d] = *p;
    for kind in KINDS {
        let found = first(kind, p);
        prop_assert!(found != First::Undecided);
        prop_assert_eq!(touches(kind, &reversed), found != First::Never, "{:?} in reverse", kind);
        // A power of two changes no digit.
        let scale = 2.0_f64.powi(exponent);
        prop_assert_eq!(first(kind, &mapped(p, |c| c * scale)), found, "{:?} times {}", kind, scale);
        prop_assert_eq!(
            touches(kind, &mapped(p, |c| -c.zxy())),
            found != First::Never,
            "{:?} mirrored",
            kind
        );
        // A contact that is merely asked for, and one that comes too late.
        let asked = ask(kind, p, &Wanted { tolerance: 1.0, ..Wanted::default() });
        match (asked, found) {
            (First::Never, First::Never) => {}
            (First::At { time: [low, high] }, First::At { time: [start, end] }) => {
                prop_assert!(low <= end && start <= high);
                let until = 0.5 * start;
                match ask(kind, p, &Wanted { until, ..Wanted::default() }) {
                    First::Never => prop_assert!(start > until || end > until),
                    First::At { time } => prop_assert!(time[0] <= end && start <= time[1]),
                    First::Undecided => prop_assert!(false, "undecided"),
                }
            }
            _ => prop_assert!(false, "{kind:?}: {asked:?} and {found:?}"),
        }
    }
    for others in [[a, c, b, d], [a, d, c, b], [a, c, d, b]] {
        prop_assert_eq!(
            touches(Kind::VertexFace, &others),
            touches(Kind::VertexFace, p),
            "corners in another order"
        );
    }
    for others in [[b, a, c, d], [a, b, d, c], [c, d, a, b]] {
        prop_assert_eq!(
            touches(Kind::EdgeEdge, &others),
            touches(Kind::EdgeEdge, p),
            "ends in another order"
        );
    }
    Ok(())
}

/// Where a translation leaves all digits alone, it leaves the answer alone.
#[test]
fn a_common_translation_changes_nothing() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = (special::<2>(3), special::<4>(3), [-1000..1000_i32, -1000..1000_i32, -1000..1000_i32]);
    let law = |(p, q, by): (Grid<2>, Grid<4>, [i32; 3])| {
        let by = DVec3::from_array(by.map(|x| f64::from(x) * 1024.0));
        for kind in KINDS {
            let (p, q) = (paths(&p, 0.125), paths(&q, 0.125));
            prop_assert_eq!(touches(kind, &p), touches(kind, &mapped(&p, |c| c + by)));
            prop_assert_eq!(touches(kind, &q), touches(kind, &mapped(&q, |c| c + by)));
        }
        Ok(())
    };
    runner.run(&strategy, law).expect("the law holds");
}

/// A vertex that comes down on a triangle, touches it at one time only, and goes up again: the height is `(t - r)²` times
/// what stays positive.
#[test]
fn grazing_is_contact_and_missing_by_the_last_digit_is_not() {
    let face = [[-4.0, -4.0], [8.0, -4.0], [-4.0, 8.0]].map(|[x, y]| Path([DVec3::new(x, y, 0.0); 4]));
    // Heights of (4 t - 1)² in Bernstein form.
    let parabola = [1.0, -5.0 / 3.0, 1.0, 9.0].map(|z| 3.0 * z);
    let touch = |heights: [f64; 4]| {
        let vertex = Path(heights.map(|z| DVec3::new(0.1, 0.2, z)));
        vertex_face(&vertex, &face, &Wanted::default(), &mut Scratch::default())
    };
    match touch(parabola) {
        First::At { time: [start, end] } => assert!(start <= 0.25 && 0.25 <= end && end - start <= 1e-9),
        other => panic!("{other:?}"),
    }
    let mut above = parabola;
    above[1] = above[1].next_up();
    assert_eq!(touch(above), First::Never);
    let mut below = parabola;
    below[1] = below[1].next_down();
    match touch(below) {
        First::At { time: [start, end] } => assert!(end < 0.25 && end > 0.249 && start < end),
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_that_are_not_finite_or_very_large_or_very_small() {
    let unit = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|corner| Path([corner; 2]));
    let falling =
        |scale: f64| Path([DVec3::new(0.25, 0.25, 1.0) * scale, DVec3::new(0.25, 0.25, -1.0) * scale]);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let vertex = Path([DVec3::new(0.0, 0.0, 5.0), DVec3::new(0.0, bad, 6.0)]);
        let found = vertex_face(&vertex, &unit, &Wanted::default(), &mut Scratch::default());
        assert_eq!(found, First::Undecided);
    }
    for exponent in [-1072, -1060, -1000, -400, -100, 100, 340, 1000, 1022] {
        // 2¹⁰²² and its negative differ by more than the largest number; 2⁻¹⁰⁷⁴ is the smallest there is.
        let scale =
            if exponent < -1022 { f64::from_bits(1 << (exponent + 1074)) } else { 2.0_f64.powi(exponent) };
        let face = unit.map(|path| Path(path.0.map(|c| c * scale)));
        let found = vertex_face(&falling(scale), &face, &Wanted::default(), &mut Scratch::default());
        let half = |t: [f64; 2]| t[0] <= 0.5 && 0.5 <= t[1] && t[1] - t[0] <= 1e-9;
        assert!(matches!(found, First::At { time } if half(time)), "2^{exponent}: {found:?}");
        let beside = Path(falling(scale).0.map(|c| c + DVec3::new(scale, 0.0, 0.0)));
        let found = vertex_face(&beside, &face, &Wanted::default(), &mut Scratch::default());
        assert_eq!(found, First::Never, "2^{exponent}");
    }
}
