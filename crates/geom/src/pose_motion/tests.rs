use super::piece::blossom;
use super::*;
use proptest::prelude::*;
use std::f64::consts::PI;

fn pose(numbers: [f64; 6]) -> Pose {
    let [x, y, z, r, p, w] = numbers;
    Pose::from_rpy(DVec3::new(x, y, z), DVec3::new(r, p, w))
}

fn numbers() -> impl Strategy<Value = [f64; 6]> {
    prop::array::uniform6(-3.0..3.0f64)
}

/// Every kind of motion.
fn motions() -> impl Strategy<Value = Motion> {
    let poses = |n: usize| prop::collection::vec(numbers(), n);
    prop_oneof![
        numbers().prop_map(|n| Motion::still(pose(n))),
        poses(7).prop_map(|p| {
            let poses: Vec<Pose> = p.into_iter().map(pose).collect();
            Motion::cubic(&poses).expect("seven poses")
        }),
        (numbers(), numbers()).prop_map(|(a, b)| Motion::linear(pose(a), pose(b))),
        (numbers(), prop::array::uniform3(-1.0..1.0f64), -20.0..20.0f64, -1.0..1.0f64).prop_map(
            |(a, axis, angle, advance)| {
                let axis = DVec3::from_array(axis) + DVec3::Z * 1.8;
                Motion::screw(pose(a), DVec3::new(0.3, -2.0, 1.0), axis, angle, advance).expect("an axis")
            }
        ),
        (numbers(), numbers()).prop_map(|(a, b)| Motion::twist(
            pose(a),
            DVec3::from_slice(&b[..3]),
            DVec3::from_slice(&b[3..])
        )
        .expect("finite")),
        (numbers(), numbers()).prop_map(|(a, b)| Motion::slerp(pose(a), pose(b))),
        poses(5).prop_map(|p| {
            let poses: Vec<Pose> = p.into_iter().map(pose).collect();
            Motion::spline(&poses).expect("five poses")
        }),
    ]
}

fn spans() -> impl Strategy<Value = Span> {
    (0.0..1.0f64, 0.0..1.0f64, 0u32..8).prop_map(|(a, b, k)| {
        let (start, end) = (a.min(b), a.max(b));
        Span::new(start, start + (end - start) * 0.5f64.powi(k as i32))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn points_stay_as_near_to_the_cubic_as_promised(motion in motions(), span in spans(), x in prop::array::uniform3(-2.0..2.0f64)) {
        let x = DVec3::from_array(x);
        for piece in motion.pieces() {
            let Near { controls, slack } = piece.within(span);
            let limit = slack.of_ball(x, 0.0);
            for k in 0..=40 {
                let v = f64::from(k) / 40.0;
                let true_point = piece.at(span.start + v * span.length()) * x;
                let near = blossom(&controls, v, v, v) * x;
                prop_assert!(true_point.distance(near) <= limit, "{} {limit}", true_point.distance(near));
                for n in [DVec3::X, DVec3::Y, DVec3::Z, slack.axis, (slack.axis + DVec3::X * 0.1).normalize()] {
                    let off = (true_point - near).dot(n).abs();
                    prop_assert!(off <= slack.along(x, 0.0, [n, n]), "{off} along {n}");
                }
            }
        }
    }

    #[test]
    fn ways_are_no_longer_than_the_bound(
        motion in motions(), span in spans(), x in prop::array::uniform3(-2.0..2.0f64), away in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let centre = DVec3::from_array(x);
        let point = centre + DVec3::from_array(away).clamp_length_max(1.0) * 0.3;
        let places: Vec<DVec3> = (0..=200).map(|k| motion.at(span.at(f64::from(k) / 200.0)) * point).collect();
        let length: f64 = places.windows(2).map(|p| p[0].distance(p[1])).sum();
        let bound = motion.travel(span, centre, 0.3);
        prop_assert!(length <= bound + 1e-12, "{length} {bound}");
        prop_assert!(motion.travel(span, point, 0.0) <= bound * (1.0 + 1e-9) + 1e-12);
    }

    #[test]
    fn backwards_passes_the_same_places(motion in motions(), t in 0.0..1.0f64) {
        let x = DVec3::new(0.3, -0.4, 0.5);
        prop_assert!((motion.reversed().at(1.0 - t) * x).distance(motion.at(t) * x) < 1e-12);
    }

    #[test]
    fn common_pieces_are_both_motions(a in motions(), b in motions(), v in 0.0..1.0f64) {
        let x = DVec3::new(0.3, -0.4, 0.5);
        for (span, pieces) in together(&a, &b) {
            for (motion, piece) in [&a, &b].into_iter().zip(pieces) {
                prop_assert!((piece.at(v) * x).distance(motion.at(span.at(v)) * x) < 1e-11);
            }
        }
    }

    #[test]
    fn cubics_keep_epsilon(motion in motions(), t in 0.0..1.0f64) {
        let (cubic, bound) = motion.cubics(DVec3::ZERO, 1.0, 1e-6).expect("few enough");
        prop_assert!(bound <= 1e-6 && cubic.is_cubic());
        for x in [DVec3::X, DVec3::Y, DVec3::NEG_Z] {
            let off = (cubic.at(t) * x).distance(motion.at(t) * x);
            prop_assert!(off <= bound + 1e-12, "{off} {bound}");
        }
    }
}

/// The table of spec A2: what a point a metre from the axis is off by, against the bound.
#[test]
fn a_turn_taken_as_one_cubic_is_off_by_what_is_known() {
    for (degrees, off_mm) in [(30.0f64, 0.039), (60.0, 0.61), (90.0, 3.05), (180.0, 45.0)] {
        let motion =
            Motion::screw(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, degrees.to_radians(), 0.0).expect("an axis");
        let near = motion.pieces()[0].within(Span::WHOLE);
        let off = (0..=1000)
            .map(|k| {
                let v = f64::from(k) / 1000.0;
                (blossom(&near.controls, v, v, v) * DVec3::X).distance(motion.at(v) * DVec3::X)
            })
            .fold(0.0, f64::max);
        assert!((off * 1000.0 / off_mm - 1.0).abs() < 0.02, "{degrees} {off}");
        let bound = degrees.to_radians().powi(4) / 1944.0;
        assert!(off <= bound && near.slack.of_ball(DVec3::X, 0.0) <= bound * 1.0001 + 1e-12);
    }
}

#[test]
fn how_far_from_rigid_is_bounded_tightly() {
    let poses: Vec<Pose> = (0..4).map(|k| Pose::turn(DVec3::Z, f64::from(k) * PI / 6.0)).collect();
    let motion = Motion::cubic(&poses).expect("four poses");
    let seen = (0..=1000).map(|k| motion.at(f64::from(k) / 1000.0).shear()).fold(0.0, f64::max);
    assert!(seen <= motion.shear() && motion.shear() < seen * 1.2, "{seen} {}", motion.shear());
    assert_eq!(Motion::still(Pose::IDENTITY).shear(), 0.0);
}

#[test]
fn numbers_of_poses_that_make_no_cubics() {
    let poses = [Pose::IDENTITY; 8];
    assert_eq!(Motion::cubic(&poses[..3]), Err(MotionFault::TooFew(3)));
    assert_eq!(Motion::cubic(&poses[..5]), Err(MotionFault::NotThreeMore(5)));
    assert_eq!(Motion::spline(&poses[..1]), Err(MotionFault::NotTwo(1)));
    assert!(Motion::cubic(&poses[..7]).is_ok());
}

/// Legs of every kind go through all poses, a screw's points keep their distance from its axis, and the numbers of a motion make it
/// again.
#[test]
fn legs_go_through_their_poses() {
    let poses: Vec<Pose> = (0..5)
        .map(|k| {
            let k = f64::from(k);
            Pose::from_rpy(DVec3::new(k, k * k * 0.1, -k), DVec3::new(0.3 * k, 1.0 - k * 0.2, k * 0.7))
        })
        .collect();
    for leg in [Leg::Linear, Leg::Slerp, Leg::Screw] {
        let motion = Motion::legs(&poses, leg).expect("five");
        for (k, pose) in poses.iter().enumerate() {
            for p in [DVec3::ZERO, DVec3::new(0.3, -0.7, 1.1)] {
                let there = motion.at(k as f64 / 4.0) * p;
                assert!(there.distance(*pose * p) < 1e-12, "{leg:?} {k}: {there}");
            }
        }
        assert_eq!(Motion::of_forms(&motion.forms().expect("whole pieces")), Some(motion));
    }
    let spline = Motion::spline(&poses).expect("five");
    assert_eq!(Motion::of_forms(&spline.forms().expect("whole pieces")), Some(spline));
    assert!(Motion::of_forms(&[]).is_none() && Motion::legs(&poses[..1], Leg::Slerp).is_err());
    // The screw between two poses is one: half of it twice is all of it.
    let [from, to] = [poses[1], poses[3]];
    let screw = Motion::screw_to(from, to);
    let rigid = |placed: Affine| Pose::from_rows(&placed.to_rows()).expect("rigid");
    let half = rigid(screw.at(0.5)) * from.inverse();
    assert!((half * (half * from) * DVec3::X).distance(to * DVec3::X) < 1e-12);
    // Where there is no turn, it is a straight line.
    let line = Motion::screw_to(Pose::IDENTITY, Pose::from_translation(DVec3::X));
    assert!((line.at(0.5) * DVec3::Y).distance(DVec3::new(0.5, 1.0, 0.0)) < 1e-15);
    // Numbers that are no motion.
    let Form::Turn { axis, angle, start, base, drift } = screw.forms().expect("whole")[0] else {
        panic!("a turn")
    };
    let sheared = Affine { linear: start.linear * 1.1, ..start };
    for form in [
        Form::Turn { axis: axis * 1.1, angle, start, base, drift },
        Form::Turn { axis, angle: f64::NAN, start, base, drift },
        Form::Turn { axis, angle, start: sheared, base, drift },
    ] {
        assert!(Motion::of_forms(&[form]).is_none());
    }
}
