//! Triangles on a small grid, where nearly every contact is a special case, against integer arithmetic.

use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DVec3};
use kansho_geom::triangle::{Feature, Triangle, closest, touch};
use proptest::prelude::*;

pub(crate) type Point = [i64; 3];

fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Point, b: Point) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Two closed convex sets are apart exactly if some direction has a gap; for triangles with area it is a normal, a
/// product of two sides, or a normal in a plane to a side.
pub(crate) fn apart(a: &[Point; 3], b: &[Point; 3]) -> bool {
    let sides = |t: &[Point; 3]| [sub(t[1], t[0]), sub(t[2], t[1]), sub(t[0], t[2])];
    let (sa, sb) = (sides(a), sides(b));
    let (na, nb) = (cross(sa[0], sa[1]), cross(sb[0], sb[1]));
    let mut directions = vec![na, nb];
    for e in sa {
        directions.push(cross(na, e));
        directions.extend(sb.iter().map(|f| cross(e, *f)));
    }
    directions.extend(sb.iter().map(|f| cross(nb, *f)));
    directions.iter().any(|d| {
        let range = |t: &[Point; 3]| {
            let shadow = t.map(|p| dot(p, *d));
            (shadow.into_iter().min(), shadow.into_iter().max())
        };
        let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
        high_a < low_b || high_b < low_a
    })
}

pub(crate) fn real(t: &[Point; 3]) -> Triangle {
    t.map(|p| DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64))
}

pub(crate) fn has_area(t: &[Point; 3]) -> bool {
    cross(sub(t[1], t[0]), sub(t[2], t[0])) != [0, 0, 0]
}

pub(crate) fn grid(size: i64) -> impl Strategy<Value = [Point; 3]> {
    prop::array::uniform3(prop::array::uniform3(-size..=size))
}

fn triangles() -> impl Strategy<Value = Triangle> {
    prop::array::uniform3(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn touching_agrees_with_integers(
        a in grid(2).prop_filter("area", has_area),
        b in grid(2).prop_filter("area", has_area),
    ) {
        prop_assert_eq!(touch(&real(&a), &real(&b)), !apart(&a, &b));
    }

    #[test]
    fn degenerate_ones_too(a in grid(1), b in grid(2), cut in 0usize..4) {
        // A triangle shrunk to a side, or to a corner, touches what that side or corner touches.
        let mut a = a;
        if cut > 0 {
            a[2] = a[cut % 2];
        }
        if cut > 2 {
            a[1] = a[0];
        }
        let (a, b) = (real(&a), real(&b));
        let found = closest(&a, &b);
        prop_assert_eq!(touch(&a, &b), touch(&b, &a));
        // Where they touch there is a common point, and where they do not the nearest points are apart.
        prop_assert_eq!(touch(&a, &b), found.points[0].distance(found.points[1]) < 1e-4);
        for (t, p) in [(&a, found.points[0]), (&b, found.points[1])] {
            prop_assert!(closest(t, &[p; 3]).distance_sq < 1e-24);
        }
    }

    #[test]
    fn distances_on_the_grid_are_roots_of_rationals(a in grid(2), b in grid(2)) {
        // The square of the distance of grid features is a fraction with a denominator below 1e5: never tiny but zero.
        let found = closest(&real(&a), &real(&b));
        prop_assert_eq!(found.distance_sq == 0.0, touch(&real(&a), &real(&b)));
        prop_assert!(found.distance_sq == 0.0 || found.distance_sq > 1e-6);
    }

    #[test]
    fn order_of_corners_and_triangles_does_not_matter(a in grid(2), b in grid(2), turn in 0usize..6) {
        let (a, b) = (real(&a), real(&b));
        let mut c = a;
        c.rotate_left(turn % 3);
        if turn > 2 {
            c.swap(0, 1);
        }
        prop_assert_eq!(touch(&a, &b), touch(&c, &b));
        prop_assert_eq!(touch(&a, &b), touch(&b, &a));
        prop_assert!((closest(&a, &b).distance_sq - closest(&b, &c).distance_sq).abs() < 1e-12);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn witnesses_lie_on_both_and_nothing_is_nearer(a in triangles(), b in triangles(), seed in any::<u64>()) {
        let found = closest(&a, &b);
        let distance = found.distance_sq.sqrt();
        prop_assert!((found.points[0].distance(found.points[1]) - distance).abs() < 1e-12);
        for (t, p, feature) in [(&a, found.points[0], found.features[0]), (&b, found.points[1], found.features[1])] {
            let point = [p, p, p];
            prop_assert!(closest(t, &point).distance_sq < 1e-24, "{} not on {:?}", p, t);
            if let Feature::Corner(k) = feature {
                prop_assert_eq!(p, t[k as usize]);
            }
        }
        let mut state = seed | 1;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..50 {
            let mut sample = |t: &Triangle| {
                let (u, v) = (random(), random());
                let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
                t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v
            };
            let (p, q) = (sample(&a), sample(&b));
            prop_assert!(p.distance(q) >= distance - 1e-12);
        }
    }

    #[test]
    fn moving_both_changes_nothing(a in triangles(), b in triangles(), rpy in prop::array::uniform3(-3.0..3.0f64), shift in prop::array::uniform3(-1.0..1.0f64)) {
        let pose = Pose::from_rpy(DVec3::from_array(shift), DVec3::from_array(rpy));
        let here = closest(&a, &b).distance_sq.sqrt();
        let there = closest(&a.map(|p| pose * p), &b.map(|p| pose * p)).distance_sq.sqrt();
        prop_assert!((here - there).abs() < 1e-13 || here.max(there) < 1e-13);
    }
}

#[test]
fn a_hair_apart_is_apart_and_a_hair_deep_is_a_touch() {
    let flat = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let spike = |z: f64| [DVec3::new(0.3, 0.3, z), DVec3::new(0.0, 0.0, 1.0), DVec3::new(1.0, 0.0, 1.0)];
    let hair = f64::MIN_POSITIVE.sqrt();
    assert!(touch(&flat, &spike(0.0)));
    assert!(touch(&flat, &spike(-hair)));
    assert!(!touch(&flat, &spike(hair)));
    assert!(closest(&flat, &spike(hair)).distance_sq > 0.0);
    assert_eq!(closest(&flat, &spike(0.0)).distance_sq, 0.0);
}

/// Two sides that cross under a tiny angle, one just above the other: their least distance is where they cross, however
/// small the angle.
#[test]
fn nearly_parallel_sides_are_as_near_as_where_they_cross() {
    for k in 1..16 {
        let tilt = 10f64.powi(-k);
        for gap in [1e-3, 1e-6, 1e-9, 1e-12] {
            let low = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.0, -1.0)];
            let high = [
                DVec3::new(0.0, -0.4 * tilt, gap),
                DVec3::new(1.0, 0.6 * tilt, gap),
                DVec3::new(0.5, 0.0, 1.0),
            ];
            let found = closest(&low, &high).distance_sq.sqrt();
            assert!((found - gap).abs() < 1e-15, "{tilt} {gap}: {found}");
        }
    }
}

/// Where touching triangles share a plane up to rounding, the common point is still one of both.
#[test]
fn a_common_point_is_common() {
    for k in 0..200 {
        let turn = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), f64::from(k) * 0.1);
        let one = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| turn * p);
        let other = [DVec3::new(0.2, 0.2, 0.0), DVec3::new(0.9, 0.9, 0.0), DVec3::new(0.2, 3.0, 0.0)]
            .map(|p| turn * p);
        let found = closest(&one, &other);
        if found.distance_sq == 0.0 {
            let [p, q] = found.points;
            assert_eq!(p, q);
            for t in [one, other] {
                assert!(closest(&[p; 3], &t).distance_sq.sqrt() < 1e-15, "{k}: {p}");
            }
        }
    }
}
