//! Moving bodies: closed forms, and dense sampling that must find nothing where the answer is free.

use kansho_check::moving_bodies::{
    AtStart, Body, Method, MovingOptions, MovingScratch, Report, Witness, gap, moving,
};
use kansho_check::verdict::Verdict;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Course, Motion};
use kansho_geom::primitive::Shape;
use kansho_geom::tree::Scratch;
use kansho_geom::{Mesh, Pose, Primitive, mesh};
use kansho_verify::bodies::{BodiesCertificate, BodiesStep, verify_bodies};
use proptest::prelude::*;
use std::sync::Arc;

fn block(size: [f64; 3]) -> Mesh {
    let shape = Shape::Box { size: DVec3::from_array(size) };
    Primitive::new(shape).expect("a box").tessellated(1.0).expect("a box has a mesh")
}

/// A prism over an L: concave.
fn angle_iron(size: f64) -> Mesh {
    let outline = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.2], [0.2, 0.2], [0.2, 1.0], [0.0, 1.0]];
    let corners: Vec<DVec3> =
        [-0.3, 0.3].iter().flat_map(|&z| outline.map(|[x, y]| DVec3::new(x, y, z) * size)).collect();
    let mut triangles = vec![[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 5, 4]];
    triangles.extend([[6, 7, 8], [6, 8, 9], [6, 9, 10], [6, 10, 11]]);
    for k in 0..6u32 {
        let next = (k + 1) % 6;
        triangles.extend([[k, next, next + 6], [k, next + 6, k + 6]]);
    }
    mesh::weld(&corners, &triangles, 0.0).expect("a solid").mesh
}

fn ball(radius: f64) -> Mesh {
    let shape = Shape::Sphere { radius };
    Primitive::new(shape).expect("a ball").tessellated(radius * 0.02).expect("a ball has a mesh")
}

fn body(mesh: Mesh) -> Body {
    Body::new(Arc::new(mesh))
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn answer(a: &Body, b: &Body, motions: [&Motion; 2], options: &MovingOptions) -> Report {
    moving([a, b], motions, options, &mut MovingScratch::default())
}

fn witness(report: &Report) -> &Witness {
    match &report.verdict {
        Verdict::Touches(witness) => witness,
        other => panic!("{other:?}"),
    }
}

const CERTIFIED: MovingOptions = MovingOptions {
    method: Method::Combined,
    clearance: 0.0,
    resolution: 1e-9,
    time_tolerance: 1e-9,
    certificate: true,
    most_regions: 300_000,
};

fn methods() -> [MovingOptions; 2] {
    [MovingOptions::default(), MovingOptions { method: Method::Intersect, ..MovingOptions::default() }]
}

#[test]
fn a_cube_that_reaches_another() {
    let cube = body(block([1.0; 3]));
    for options in methods() {
        for (motion, first) in [
            (Motion::linear(at(-3.0, 0.3, 0.2), at(3.0, 0.3, 0.2)), 1.0 / 3.0),
            (Motion::slerp(at(-3.0, 0.3, 0.2), at(5.0, 0.3, 0.2)), 0.25),
            (Motion::twist(at(-3.0, 0.3, 0.2), DVec3::X * 4.0, DVec3::ZERO).expect("finite"), 0.5),
        ] {
            let report = answer(&cube, &cube, [&Motion::still(Pose::IDENTITY), &motion], &options);
            let found = witness(&report);
            assert!((found.time.end - first).abs() < 1e-8, "{found:?}");
            assert!(found.time.start <= first && found.time.length() <= 2e-9, "{:?}", found.time);
            assert!(found.at_start.is_none());
            // Faces land on faces: whatever features are named, the points are on both.
            assert!((found.points[0].x + 0.5).abs() < 1e-7 && (found.points[1].x + 0.5).abs() < 1e-7);
        }
    }
}

#[test]
fn a_corner_on_a_face_has_a_normal() {
    let (table, cube) = (body(block([4.0, 4.0, 1.0])), body(block([1.0; 3])));
    let tilted = Pose::from_rpy(DVec3::new(0.0, 0.0, 3.0), DVec3::new(0.5, 0.6, 0.1));
    let end = Pose::from_rpy(DVec3::new(0.0, 0.0, 0.0), DVec3::new(0.5, 0.6, 0.1));
    let motion = Motion::linear(tilted, end);
    let report = answer(&table, &cube, [&Motion::still(Pose::IDENTITY), &motion], &MovingOptions::default());
    let found = witness(&report);
    let normal = found.normal.expect("a face has one");
    assert!(normal.distance(DVec3::Z) < 1e-9, "{normal}");
    assert!((found.points[0].z - 0.5).abs() < 1e-7);
    let lowest = cube.mesh().vertices().iter().map(|&p| (tilted * p).z).fold(f64::INFINITY, f64::min);
    assert!((found.time.end - (lowest - 0.5) / 3.0).abs() < 1e-8);
}

#[test]
fn a_body_inside_another_is_an_overlap_at_the_start() {
    let (large, small) = (body(block([1.0; 3])), body(block([0.1; 3])));
    let (still, inner) =
        (Motion::still(Pose::IDENTITY), Motion::linear(at(0.0, 0.0, 0.0), at(0.1, 0.0, 0.0)));
    let report = answer(&large, &small, [&still, &inner], &MovingOptions::default());
    assert_eq!(witness(&report).at_start, Some(AtStart::SecondInside));
    let report = answer(&small, &large, [&inner, &still], &MovingOptions::default());
    assert_eq!(witness(&report).at_start, Some(AtStart::FirstInside));
    let report = answer(&large, &large, [&still, &inner], &MovingOptions::default());
    assert_eq!(witness(&report).at_start, Some(AtStart::Touch));
}

/// A micrometre over a plane for a metre: one direction proves it.
#[test]
fn hovering_ends_quickly() {
    let (plane, cube) = (body(block([4.0, 4.0, 1.0])), body(block([0.2; 3])));
    let height = 0.5 + 0.1 + 1e-6;
    let still = Motion::still(Pose::IDENTITY);
    let turned = Pose::from_rpy(DVec3::new(0.5, 0.1, height), DVec3::new(0.0, 0.0, 2.0));
    for slide in [
        Motion::linear(at(-0.5, 0.0, height), at(0.5, 0.0, height)),
        Motion::slerp(at(-0.5, 0.0, height), turned),
        Motion::screw(at(-0.5, 0.0, height), DVec3::ZERO, DVec3::Z, 1.5, 0.0).expect("an axis"),
    ] {
        let report = answer(&plane, &cube, [&still, &slide], &CERTIFIED);
        let Verdict::Free(proof) = &report.verdict else { panic!("{:?}", report.verdict) };
        assert!(proof.clearance > 0.9e-6 && proof.clearance < 1.1e-6, "{}", proof.clearance);
        assert!(report.counters.regions <= 500, "{:?}", report.counters);
        let certificate = proof.certificate.as_ref().expect("asked for");
        verify_bodies([plane.mesh(), cube.mesh()], [&still, &slide], certificate).expect("true");
    }
}

/// Ten turns of a bar past posts: those within its reach are hit when their angle comes, those beyond never.
#[test]
fn a_bar_turns_past_posts() {
    let (bar, post) = (body(block([1.0, 0.02, 0.02])), body(block([0.02, 0.02, 0.2])));
    let turn = Motion::screw(at(0.5, 0.0, 0.0), DVec3::ZERO, DVec3::Z, 20.0 * std::f64::consts::PI, 0.0)
        .expect("an axis");
    for (distance, touches) in [(0.5, true), (0.98, true), (1.03, false)] {
        let place = Pose::turn(DVec3::Z, 1.0) * at(distance, 0.0, 0.0);
        let report = answer(&post, &bar, [&Motion::still(place), &turn], &CERTIFIED);
        assert_eq!(report.verdict.touches(), touches, "{distance}");
        if touches {
            // Both are 1 cm wide on either side.
            let angle = witness(&report).time.end * 20.0 * std::f64::consts::PI;
            assert!(angle < 1.0 && angle > 1.0 - 0.021 / distance, "{angle}");
        } else {
            let Verdict::Free(proof) = &report.verdict else { panic!("{:?}", report.verdict) };
            let certificate = proof.certificate.as_ref().expect("asked for");
            verify_bodies([post.mesh(), bar.mesh()], [&Motion::still(place), &turn], certificate)
                .expect("true");
        }
    }
}

/// In the plane of another's face, or less than rounding above it, a block slides until their sides meet, or past: nothing is gained by
/// ever shorter spans there, and the search ends all the same.
#[test]
fn sliding_in_the_plane_of_a_face_ends() {
    let (table, cube) = (body(block([1.0, 1.0, 0.5])), body(block([0.25; 3])));
    let still = Motion::still(Pose::IDENTITY);
    let turned = |x: f64, y: f64, z: f64| Pose::from_rpy(DVec3::new(x, y, z), DVec3::new(0.0, 0.0, 0.7));
    for above in [0.0, 1e-16, 1e-13, 1e-7] {
        let z = 0.375 + above;
        for slide in [
            Motion::linear(at(-2.0, 0.1, z), at(2.0, 0.1, z)),
            Motion::slerp(at(-2.0, 0.1, z), turned(2.0, 0.2, z)),
            Motion::screw(at(-2.0, 0.0, z), DVec3::Y * 8.0, DVec3::Z, 0.6, 0.0).expect("an axis"),
            Motion::cubic(&[at(-2.0, 0.1, z), turned(-1.0, 0.0, z), turned(1.0, 0.1, z), at(2.0, 0.0, z)])
                .expect("four poses"),
        ] {
            let report = answer(&table, &cube, [&still, &slide], &MovingOptions::default());
            assert!(report.counters.regions < 3000, "{above}: {:?}", report.counters);
            assert!(!matches!(report.verdict, Verdict::Undecided { .. }), "{above}");
            // In the plane it touches, more than the resolution above it is free, however it is looked at.
            if above == 0.0 || above > 1e-8 {
                let halved = answer(&table, &cube, [&still, &slide], &methods()[1]);
                let expected = if above == 0.0 { "touches" } else { "free" };
                assert_eq!((report.verdict.word(), halved.verdict.word()), (expected, expected), "{above}");
                if let (Verdict::Touches(x), Verdict::Touches(y)) = (&report.verdict, &halved.verdict) {
                    assert!((x.time.end - y.time.end).abs() < 1e-6, "{above}: {:?} {:?}", x.time, y.time);
                }
            }
        }
    }
}

fn shapes() -> impl Strategy<Value = (Mesh, f64)> {
    prop_oneof![
        prop::array::uniform3(0.05..0.8f64).prop_map(|size| (block(size), 0.7)),
        // As thin as a sheet.
        (0.1..0.8f64, 0.1..0.8f64).prop_map(|(x, y)| (block([x, y, 1e-3]), 0.6)),
        (0.2..0.6f64).prop_map(|size| (angle_iron(size), 0.9)),
        (0.1..0.4f64).prop_map(|radius| (ball(radius), 0.4)),
    ]
}

fn poses(n: usize) -> impl Strategy<Value = Vec<Pose>> {
    let place = prop::array::uniform3(-1.0..1.0f64);
    let turn = prop::array::uniform3(-1.5..1.5f64);
    prop::collection::vec((place, turn), n).prop_map(|all| {
        all.into_iter().map(|(p, r)| Pose::from_rpy(DVec3::from_array(p), DVec3::from_array(r))).collect()
    })
}

/// Motions of every kind, more or less through the middle.
fn motions() -> impl Strategy<Value = Motion> {
    prop_oneof![
        poses(4).prop_map(|p| Motion::cubic(&p).expect("four poses")),
        poses(7).prop_map(|p| Motion::cubic(&p).expect("seven poses")),
        poses(2).prop_map(|p| Motion::linear(p[0], p[1])),
        poses(2).prop_map(|p| Motion::slerp(p[0], p[1])),
        poses(3).prop_map(|p| Motion::spline(&p).expect("three poses")),
        (poses(1), prop::array::uniform3(-1.0..1.0f64), -9.0..9.0f64, -0.5..0.5f64).prop_map(
            |(p, axis, angle, advance)| {
                let axis = DVec3::from_array(axis) + DVec3::Z * 1.8;
                Motion::screw(p[0], DVec3::new(0.1, -0.2, 0.3), axis, angle, advance).expect("an axis")
            }
        ),
    ]
}

fn shifted(motion: &Motion, by: DVec3) -> Motion {
    motion.seen_from(Pose::from_translation(by)).unwrap_or_else(|| motion.clone())
}

/// The least gap of all instants on a grid, up to a time.
fn sampled(a: &Body, b: &Body, motions: [&Motion; 2], until: f64, count: u32) -> f64 {
    let mut scratch = Scratch::default();
    let gap_at = |k: u32| {
        let t = until * f64::from(k) / f64::from(count);
        let found = gap(a, b, &motions[0].at(t), &motions[1].at(t), &mut scratch);
        if found.overlap() { 0.0 } else { found.distance }
    };
    (0..=count).map(gap_at).fold(f64::INFINITY, f64::min)
}

/// Changes one thing of a certificate.
fn corrupted(certificate: &BodiesCertificate, which: usize, how: usize, by: f64) -> BodiesCertificate {
    let mut changed = certificate.clone();
    let piece = which % changed.pieces.len();
    let steps = &mut changed.pieces[piece];
    let at = (which / 7) % steps.len();
    match how {
        0 => {
            steps.remove(at);
        }
        1 => {
            let step = steps[at].clone();
            steps.insert(at, step);
        }
        2 => steps[at] = BodiesStep::Time,
        3 => {
            let order = &mut changed.orders[which % 2];
            order[0] = order[order.len() - 1];
        }
        4 => match &mut steps[at] {
            BodiesStep::Free { start, end } => (*start, *end) = (-*start, -*end),
            BodiesStep::First(cuts) | BodiesStep::Second(cuts) => cuts[0] += 1000,
            other => *other = BodiesStep::Free { start: DVec3::ZERO, end: DVec3::ZERO },
        },
        _ => match &mut steps[at] {
            BodiesStep::Free { start, .. } => *start += DVec3::new(by, -by, by * by),
            BodiesStep::First(cuts) | BodiesStep::Second(cuts) => cuts[0] += 1,
            other => *other = BodiesStep::Free { start: DVec3::X, end: DVec3::X },
        },
    }
    changed
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn free_means_that_dense_sampling_finds_nothing(
        a in shapes(), b in shapes(), moves in (motions(), motions()), apart in 0.0..1.5f64,
    ) {
        let ((a, _), (b, _)) = (a, b);
        let (a, b) = (body(a), body(b));
        let moves = [moves.0, shifted(&moves.1, DVec3::new(apart, apart * 0.5, 0.0))];
        let both = [&moves[0], &moves[1]];
        let report = answer(&a, &b, both, &CERTIFIED);
        // The other methods say the same.
        for options in methods() {
            let other = answer(&a, &b, both, &options);
            prop_assert_eq!(report.verdict.word(), other.verdict.word());
            if let (Verdict::Touches(x), Verdict::Touches(y)) = (&report.verdict, &other.verdict) {
                // Other motions have contacts up to the resolution, which the two searches reach at different instants.
                let is_exact = options.method == Method::Combined || both.iter().all(|motion| motion.is_cubic());
                let tolerance = if is_exact { 3e-9 } else { 1e-6 };
                prop_assert!((x.time.end - y.time.end).abs() < tolerance, "{:?} {:?}", x.time, y.time);
            }
        }
        {
            match &report.verdict {
                Verdict::Free(proof) => {
                    prop_assert!(sampled(&a, &b, both, 1.0, 60) > proof.clearance * (1.0 - 1e-9));
                    if let Some(certificate) = &proof.certificate {
                        let verified = verify_bodies([a.mesh(), b.mesh()], both, certificate);
                        prop_assert!(verified.is_ok(), "{verified:?}");
                    }
                }
                Verdict::Touches(found) if found.at_start.is_some() => {
                    prop_assert!(sampled(&a, &b, both, 0.0, 1) == 0.0);
                }
                Verdict::Touches(found) => {
                    prop_assert!(found.time.length() <= 2e-9, "{:?}", found.time);
                    prop_assert!(found.points[0].distance(found.points[1]) < 3e-8, "{found:?}");
                    let before = found.time.start - 1e-7;
                    if before > 0.0 {
                        prop_assert!(sampled(&a, &b, both, before, 40) > 0.0);
                    }
                }
                Verdict::Undecided { open } => prop_assert!(false, "{open:?}"),
            }
        }
    }

    /// The search for the first contact and that for certificates share little: they agree, near and far, small and large, with and
    /// without a clearance.
    #[test]
    fn both_searches_say_the_same(
        a in shapes(), b in shapes(), moves in (motions(), motions()), apart in 0.0..1.5f64,
        clearance in prop_oneof![Just(0.0), 1e-4..0.1f64], scale in prop_oneof![Just(1.0), Just(1e-3), Just(1e3)],
        far in prop_oneof![Just(0.0), Just(1e3)],
    ) {
        let scaled = |mesh: &Mesh| body(mesh.scaled(DVec3::splat(scale)).expect("in range").mesh);
        let (a, b) = (scaled(&a.0), scaled(&b.0));
        let place = |motion: &Motion, by: DVec3| {
            let scaled_controls = |p: &kansho_geom::pose_motion::MotionPiece| p.controls().map(|controls| controls.map(|mut c| {
                c.shift = (c.shift + by) * scale;
                c
            }));
            let controls: Option<Vec<_>> = motion.pieces().iter().map(scaled_controls).collect();
            match controls {
                Some(controls) => Motion::of_controls(&controls).expect("finite"),
                // Other motions stay as large as they are.
                None => shifted(motion, by),
            }
        };
        let moves = [place(&moves.0, DVec3::X * far), place(&moves.1, DVec3::new(far + apart, apart * 0.5, 0.0))];
        let both = [&moves[0], &moves[1]];
        let options = MovingOptions { clearance: clearance * scale, resolution: 1e-8 * scale, ..MovingOptions::default() };
        let soonest = answer(&a, &b, both, &options);
        prop_assert!(soonest.counters.regions < 20_000, "{:?}", soonest.counters);
        let halved = answer(&a, &b, both, &MovingOptions { method: Method::Intersect, ..options });
        prop_assert_eq!(soonest.verdict.word(), halved.verdict.word());
        match (&soonest.verdict, &halved.verdict) {
            (Verdict::Touches(x), Verdict::Touches(y)) => {
                prop_assert!((x.time.end - y.time.end).abs() < 1e-6, "{:?} {:?}", x.time, y.time);
                let near = options.clearance + 10.0 * options.resolution;
                prop_assert!(x.at_start.is_some() || x.points[0].distance(x.points[1]) < near);
            }
            (Verdict::Free(x), Verdict::Free(_)) => {
                prop_assert!(x.clearance >= options.clearance && sampled(&a, &b, both, 1.0, 60) >= x.clearance);
            }
            _ => {}
        }
    }

    /// With too few steps nothing is called free that is not proven, and no contact lies before what is left open.
    #[test]
    fn too_few_steps_prove_nothing(
        a in shapes(), b in shapes(), moves in (motions(), motions()), most in 0u64..80,
    ) {
        let (a, b) = (body(a.0), body(b.0));
        let moves = [moves.0, shifted(&moves.1, DVec3::new(1.0, 0.3, 0.0))];
        let both = [&moves[0], &moves[1]];
        let whole = answer(&a, &b, both, &MovingOptions::default());
        let cut = answer(&a, &b, both, &MovingOptions { most_regions: most, ..MovingOptions::default() });
        match (&cut.verdict, &whole.verdict) {
            (Verdict::Undecided { open }, Verdict::Touches(found)) => prop_assert!(open.start <= found.time.end),
            (Verdict::Undecided { .. }, _) => prop_assert!(whole.counters.regions > most),
            (Verdict::Touches(x), Verdict::Touches(y)) => prop_assert!(x.time.start <= y.time.end),
            (x, y) => prop_assert_eq!(x.word(), y.word()),
        }
    }

    #[test]
    fn backwards_and_seen_from_elsewhere_and_larger_it_is_the_same(
        a in shapes(), b in shapes(), poses in (poses(7), poses(4)), apart in 0.3..1.5f64, frame in poses(1),
    ) {
        let ((mesh_a, _), (mesh_b, _)) = (a, b);
        let (a, b) = (body(mesh_a.clone()), body(mesh_b.clone()));
        let one = Motion::cubic(&poses.0).expect("seven");
        let other = shifted(&Motion::cubic(&poses.1).expect("four"), DVec3::new(apart, 0.0, apart));
        let options = MovingOptions::default();
        let report = answer(&a, &b, [&one, &other], &options);
        let overlap = |report: &Report| matches!(&report.verdict, Verdict::Touches(w) if w.at_start.is_some());
        let backwards = answer(&a, &b, [&one.reversed(), &other.reversed()], &options);
        if !overlap(&report) && !overlap(&backwards) {
            prop_assert_eq!(report.verdict.word(), backwards.verdict.word());
            if let (Verdict::Touches(x), Verdict::Touches(y)) = (&report.verdict, &backwards.verdict) {
                prop_assert!(x.time.start <= 1.0 - y.time.start + 1e-9);
            }
        }
        // The same in other order, seen from another frame, and in millimetres.
        let swapped = answer(&b, &a, [&other, &one], &options);
        let [seen_one, seen_other] = [&one, &other].map(|m| m.seen_from(frame[0]).expect("a cubic"));
        let elsewhere = answer(&a, &b, [&seen_one, &seen_other], &options);
        let larger = |mesh: &Mesh| body(mesh.scaled(DVec3::splat(1000.0)).expect("in range").mesh);
        let scaled = |motion: &Motion| {
            let larger = |mut c: kansho_geom::pose_motion::Affine| {
                c.shift *= 1000.0;
                c
            };
            let controls: Vec<_> = motion.pieces().iter().map(|p| p.controls().expect("a cubic").map(larger)).collect();
            Motion::of_controls(&controls).expect("finite")
        };
        let in_mm = answer(&larger(&mesh_a), &larger(&mesh_b), [&scaled(&one), &scaled(&other)], &options);
        for (report, other) in [(&report, &swapped), (&report, &elsewhere), (&report, &in_mm)] {
            prop_assert_eq!(report.verdict.word(), other.verdict.word());
            if let (Verdict::Touches(x), Verdict::Touches(y)) = (&report.verdict, &other.verdict) {
                prop_assert!((x.time.end - y.time.end).abs() < 1e-6, "{:?} {:?}", x.time, y.time);
            }
        }
    }

    /// A certificate that is changed is refused, or what it says is still true; and no certificate is true of bodies that touch.
    #[test]
    fn corrupted_certificates_are_refused(
        a in shapes(), b in shapes(), moves in (motions(), motions()),
        which in 0usize..10_000, how in 0usize..6, by in -1.0..1.0f64,
    ) {
        let ((a, _), (b, _)) = (a, b);
        let (a, b) = (body(a), body(b));
        let far = Motion::linear(at(1.0, 2.0, 2.0), at(-1.0, 1.5, 2.5));
        for moves in [[moves.0.clone(), moves.1.clone()], [moves.0.clone(), far]] {
            let both = [&moves[0], &moves[1]];
            let Verdict::Free(proof) = answer(&a, &b, both, &CERTIFIED).verdict else { continue };
            let certificate = proof.certificate.expect("asked for");
            let changed = corrupted(&certificate, which, how, by);
            let refused = verify_bodies([a.mesh(), b.mesh()], both, &changed).is_err();
            // A step too many or too few, a triangle twice, a direction turned round or a cut outside cannot be true; other changes
            // may be, as another division or direction.
            prop_assert!(refused || how == 2 || how == 5 || changed == certificate, "{how}");
            // The same certificate for a motion through the other body.
            let through = [Motion::still(Pose::IDENTITY), Motion::linear(at(-2.0, 0.0, 0.0), at(2.0, 0.0, 0.0))];
            let through = [&through[0], &through[1]];
            if sampled(&a, &b, through, 1.0, 64) == 0.0 {
                for certificate in [&certificate, &changed] {
                    prop_assert!(verify_bodies([a.mesh(), b.mesh()], through, certificate).is_err());
                }
            }
        }
    }
}
