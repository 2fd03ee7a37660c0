//! Nasty motions against plain brute force: every pair of triangles by its exact first contact, and overlaps at the start.

use kansho_check::moving_bodies::{AtStart, Body, Method, MovingOptions, MovingScratch, Report, gap, moving};
use kansho_check::verdict::Verdict;
use kansho_geom::glam::DVec3;
use kansho_geom::moving_features::{First, Path, Scratch, Wanted, edge_edge, vertex_face};
use kansho_geom::pose_motion::{Affine, Course, Motion, together};
use kansho_geom::primitive::Shape;
use kansho_geom::tree;
use kansho_geom::{Mesh, Pose, Primitive, mesh, triangle};
use kansho_verify::bodies::{BodiesCertificate, BodiesStep, verify_bodies};
use proptest::prelude::*;
use std::sync::Arc;

fn block(size: [f64; 3]) -> Mesh {
    let shape = Shape::Box { size: DVec3::from_array(size) };
    Primitive::new(shape).expect("a box").tessellated(1.0).expect("a box has a mesh")
}

fn body(mesh: &Mesh) -> Body {
    Body::new(Arc::new(mesh.clone()))
}

fn methods() -> [MovingOptions; 2] {
    [MovingOptions::default(), MovingOptions { method: Method::Intersect, ..MovingOptions::default() }]
}

/// The first contact of two surfaces on cubics, by all pairs of triangles.
fn brute_force(meshes: [&Mesh; 2], motions: [&Motion; 2]) -> Option<[f64; 2]> {
    let mut scratch = Scratch::default();
    for (span, pieces) in together(motions[0], motions[1]) {
        let paths = |k: usize| -> Vec<[Path<4>; 3]> {
            let controls = pieces[k].controls().expect("a cubic");
            meshes[k].corners().map(|t| t.map(|p| Path(controls.map(|control| control * p)))).collect()
        };
        let (all_a, all_b) = (paths(0), paths(1));
        let mut first: Option<[f64; 2]> = None;
        let mut offer = |found: First| match found {
            First::At { time: [start, end] } => {
                first = Some(first.map_or([start, end], |known| [known[0].min(start), known[1].min(end)]));
            }
            First::Never => {}
            First::Undecided => panic!("finite numbers"),
        };
        let wanted = Wanted::default();
        for a in &all_a {
            for b in &all_b {
                let at_start = |t: &[Path<4>; 3]| t.map(|path| path.0[0]);
                if triangle::touch(&at_start(a), &at_start(b)) {
                    offer(First::At { time: [0.0; 2] });
                    continue;
                }
                for i in 0..3 {
                    offer(vertex_face(&a[i], b, &wanted, &mut scratch));
                    offer(vertex_face(&b[i], a, &wanted, &mut scratch));
                    for j in 0..3 {
                        let sides = ([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
                        offer(edge_edge(&sides.0, &sides.1, &wanted, &mut scratch));
                    }
                }
            }
        }
        if let Some(time) = first {
            return Some(time.map(|u| span.at(u)));
        }
    }
    None
}

/// How far apart two surfaces are at the start.
fn start_gap(meshes: [&Mesh; 2], motions: [&Motion; 2]) -> f64 {
    let placed = |k: usize| -> Vec<[DVec3; 3]> {
        let start = motions[k].at(0.0);
        meshes[k].corners().map(|t| t.map(|p| start * p)).collect()
    };
    let (all_a, all_b) = (placed(0), placed(1));
    let pairs = all_a.iter().flat_map(|a| all_b.iter().map(move |b| triangle::closest(a, b).distance_sq));
    pairs.fold(f64::INFINITY, f64::min).sqrt()
}

fn agree(report: &Report, truth: Option<[f64; 2]>) -> Result<(), TestCaseError> {
    match (&report.verdict, truth) {
        (Verdict::Free(_), None) => {}
        (Verdict::Touches(found), Some([start, end])) => {
            prop_assert!(
                found.time.start <= end + 1e-12 && found.time.end >= start - 1e-12,
                "{:?}: {start} {end}",
                found.time
            );
            prop_assert!(found.time.length() <= 2e-9, "{:?}", found.time);
        }
        // The inside of a body is a contact without one of surfaces.
        (Verdict::Touches(found), None) if found.at_start.is_some() => {}
        (other, truth) => prop_assert!(false, "{} but {truth:?}", other.word()),
    }
    Ok(())
}

fn turned() -> impl Strategy<Value = Pose> {
    let place = prop::array::uniform3(-1.0..1.0f64);
    let turn = prop::array::uniform3(-3.0..3.0f64);
    (place, turn).prop_map(|(p, r)| Pose::from_rpy(DVec3::from_array(p), DVec3::from_array(r)))
}

fn unshifted(pose: &Pose) -> Pose {
    Pose::from_translation(-pose.translation()) * *pose
}

fn moved(pose: &Pose, by: DVec3) -> Pose {
    Pose::from_translation(by) * *pose
}

/// A tetrahedron with small whole corners: everything that can be coplanar or coincident is, sooner or later.
fn lattice_tetrahedron() -> impl Strategy<Value = Mesh> {
    prop::array::uniform4(prop::array::uniform3(-2i32..3)).prop_filter_map("a flat one", |corners| {
        let p = corners.map(|c| DVec3::from_array(c.map(f64::from)));
        let volume = (p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]);
        let flip = volume < 0.0;
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
            .map(|[a, b, c]| if flip { [a, c, b] } else { [a, b, c] });
        (volume != 0.0).then(|| mesh::weld(&p, &faces, 0.0).expect("a tetrahedron").mesh)
    })
}

/// Bézier's control placements on a lattice, that shift or turn by quarter turns, in one to three segments.
fn lattice_motion() -> impl Strategy<Value = Motion> {
    let quarter = |k: i32| {
        let [c, s] = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]][k as usize];
        [c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0]
    };
    let control = (prop::array::uniform3(-6i32..7), prop_oneof![4 => Just(0), 1 => 0..4i32]).prop_map(
        move |(shift, k)| {
            let mut rows = [0.0; 12];
            rows[..9].copy_from_slice(&quarter(k));
            rows[9..].copy_from_slice(&shift.map(f64::from));
            Affine::from_rows(&rows)
        },
    );
    (prop::collection::vec(control, 10), 1usize..4).prop_map(|(all, segments)| {
        let controls: Vec<[Affine; 4]> =
            (0..segments).map(|k| std::array::from_fn(|i| all[3 * k + i])).collect();
        Motion::of_controls(&controls).expect("finite")
    })
}

/// Triangles with small whole corners, many of them flat or joined to one another: no solid.
fn lattice_soup() -> impl Strategy<Value = Mesh> {
    let corners = prop::collection::vec(prop::array::uniform3(-2i32..3), 4..8);
    (corners, prop::collection::vec(prop::array::uniform3(0u32..8), 1..5)).prop_filter_map(
        "nothing",
        |(corners, triangles)| {
            let count = corners.len() as u32;
            let points: Vec<DVec3> = corners.iter().map(|c| DVec3::from_array(c.map(f64::from))).collect();
            let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v % count)).collect();
            Some(mesh::weld(&points, &triangles, 0.0).ok()?.mesh)
        },
    )
}

fn certified(meshes: [&Mesh; 2], motions: [&Motion; 2]) -> (Report, Option<BodiesCertificate>) {
    let options = MovingOptions { certificate: true, most_regions: 300_000, ..MovingOptions::default() };
    let report =
        moving([&body(meshes[0]), &body(meshes[1])], motions, &options, &mut MovingScratch::default());
    let certificate = match &report.verdict {
        Verdict::Free(proof) => proof.certificate.clone(),
        _ => None,
    };
    (report, certificate)
}

/// However near they come, the answer is the same with a certificate and without, and the certificate is true.
#[test]
fn hovering_less_than_rounding_above_a_plane_has_a_certificate() {
    let (plane, cube) = (block([4.0, 4.0, 1.0]), block([0.2; 3]));
    for gap in [1e-6, 1e-9, 1e-12, 1e-13, 1e-14, 2.3e-16] {
        let at =
            |x: f64, yaw: f64| Pose::from_rpy(DVec3::new(x, 0.1 * x, 0.6 + gap), DVec3::new(0.0, 0.0, yaw));
        let still = Motion::still(Pose::IDENTITY);
        for turn in [0.0, 0.4] {
            let slide = Motion::cubic(&[at(-0.5, 0.0), at(-0.2, turn), at(0.1, turn), at(0.5, 2.0 * turn)])
                .expect("four");
            let motions = [&still, &slide];
            let (report, certificate) = certified([&plane, &cube], motions);
            let plain = moving(
                [&body(&plane), &body(&cube)],
                motions,
                &MovingOptions::default(),
                &mut MovingScratch::default(),
            );
            assert_eq!((report.verdict.word(), plain.verdict.word()), ("free", "free"), "{gap}");
            let certificate = certificate.unwrap_or_else(|| panic!("{gap} {turn}: none"));
            let verified = verify_bodies([&plane, &cube], motions, &certificate).expect("true");
            assert!(verified.exact > 0 || gap > 1e-14, "{gap}: {verified:?}");
        }
    }
}

/// Directions so short that their products vanish, or so long that they overflow, prove nothing.
#[test]
fn directions_without_length_are_refused() {
    let cube = block([1.0; 3]);
    let (still, pass) = (
        Motion::still(Pose::IDENTITY),
        Motion::linear(
            moved(&Pose::IDENTITY, DVec3::new(1.5, 0.0, 0.0)),
            moved(&Pose::IDENTITY, DVec3::new(1.5, 1.0, 0.0)),
        ),
    );
    let motions = [&still, &pass];
    let certificate = certified([&cube, &cube], motions).1.expect("free");
    verify_bodies([&cube, &cube], motions, &certificate).expect("true");
    for (factor, clearance) in [
        (1e-200, 0.0),
        (1e-200, 100.0),
        (0.0, 0.0),
        (1e200, 0.0),
        (f64::NAN, 0.0),
        (1.0, 0.51),
        (1.0, f64::NAN),
    ] {
        let mut changed = BodiesCertificate { clearance, ..certificate.clone() };
        for step in changed.pieces.iter_mut().flatten() {
            if let BodiesStep::Free { start, end } = step {
                (*start, *end) = (*start * factor, *end * factor);
            }
        }
        assert!(verify_bodies([&cube, &cube], motions, &changed).is_err(), "{factor} {clearance}");
    }
}

/// What is no length is not wanted of anybody, and proves nothing.
#[test]
fn clearances_that_are_none() {
    let cube = block([1.0; 3]);
    let (still, pass) = (
        Motion::still(Pose::IDENTITY),
        Motion::linear(moved(&Pose::IDENTITY, DVec3::X * 3.0), moved(&Pose::IDENTITY, DVec3::X * 0.9)),
    );
    for clearance in [-1.0, -1e-3, f64::NEG_INFINITY, f64::NAN] {
        for method in [Method::Combined, Method::Intersect] {
            let options =
                MovingOptions { clearance, method, most_regions: 10_000, ..MovingOptions::default() };
            let report = moving(
                [&body(&cube), &body(&cube)],
                [&still, &pass],
                &options,
                &mut MovingScratch::default(),
            );
            assert!(!report.verdict.is_free(), "{clearance}");
        }
    }
}

/// A hollow block with a small one in its cavity: free while it stays there, and it meets the inner wall where that is.
#[test]
fn in_a_cavity() {
    let outer = block([2.0; 3]);
    let inner = block([1.0; 3]);
    let count = outer.vertices().len() as u32;
    let points: Vec<DVec3> = outer.vertices().iter().chain(inner.vertices()).copied().collect();
    let inverted = inner.triangles().iter().map(|&[a, b, c]| [a + count, c + count, b + count]);
    let triangles: Vec<[u32; 3]> = outer.triangles().iter().copied().chain(inverted).collect();
    let hollow = mesh::weld(&points, &triangles, 0.0).expect("a solid").mesh;
    let small = block([0.2; 3]);
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.1, 0.0));
    let common =
        |x: f64, k: f64| Pose::from_rpy(DVec3::new(k, -k, 0.5 * k), DVec3::new(0.3 * k, 0.0, k)) * at(x);
    for frame in [0.0, 1.0] {
        let carried = |x: [f64; 4]| {
            Motion::cubic(&[
                common(x[0], 0.0),
                common(x[1], frame / 30.0),
                common(x[2], frame / 15.0),
                common(x[3], frame / 10.0),
            ])
            .expect("four")
        };
        let case = carried([0.0; 4]).seen_from(Pose::IDENTITY).expect("cubic");
        let wall = Motion::cubic(
            &[0.0, 1.0 / 30.0, 1.0 / 15.0, 0.1].map(|k| common(0.0, k * frame) * at(0.0).inverse()),
        )
        .expect("four");
        let (report, certificate) = certified([&hollow, &small], [&wall, &case]);
        assert_eq!(report.verdict.word(), "free", "{frame}");
        verify_bodies([&hollow, &small], [&wall, &case], &certificate.expect("far from rounding"))
            .expect("true");
        // To the wall, 0.4 m away.
        let hit = carried([0.0, 0.2, 0.4, 0.6]);
        let report = moving(
            [&body(&hollow), &body(&small)],
            [&wall, &hit],
            &MovingOptions::default(),
            &mut MovingScratch::default(),
        );
        let Verdict::Touches(found) = &report.verdict else { panic!("{}", report.verdict.word()) };
        assert!((found.time.end - 2.0 / 3.0).abs() < 1e-3 && found.at_start.is_none(), "{found:?}");
        // In the wall, it is inside.
        let inside = carried([0.75; 4]);
        let report = moving(
            [&body(&hollow), &body(&small)],
            [&wall, &inside],
            &MovingOptions::default(),
            &mut MovingScratch::default(),
        );
        assert!(
            matches!(&report.verdict, Verdict::Touches(found) if found.at_start == Some(AtStart::SecondInside))
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 400, ..ProptestConfig::default() })]

    /// Touching, coplanar, vertex on vertex, edge along edge, at ends of segments: all of it, exactly.
    #[test]
    fn on_a_lattice(a in lattice_tetrahedron(), b in lattice_tetrahedron(), moves in (lattice_motion(), lattice_motion())) {
        let both = [&moves.0, &moves.1];
        let truth = brute_force([&a, &b], both);
        for options in methods() {
            agree(&moving([&body(&a), &body(&b)], both, &options, &mut MovingScratch::default()), truth)?;
        }
    }

    /// A corner that starts on a face, up to rounding, on either side of it, and goes through: never free.
    #[test]
    fn a_start_within_rounding_of_contact(
        placed in turned(), turn in turned(), off in -4i32..5, far in prop_oneof![Just(0.0), Just(1.0), Just(1e4)],
        speed in prop_oneof![Just(1.0), Just(1e-3)], size in prop_oneof![Just(1.0), Just(1e-6), Just(100.0)],
    ) {
        let (a, b) = (block([2.0 * size; 3]), block([size; 3]));
        let placed = Pose::from_translation(placed.translation() * size + DVec3::X * far) * unshifted(&placed);
        let normal = placed.rotation() * DVec3::Z;
        let turn = unshifted(&turn);
        // The corner of b that goes first.
        let corner = *b.vertices().iter().min_by(|p, q| (turn * **p).dot(normal).total_cmp(&(turn * **q).dot(normal))).expect("eight");
        let on_face = placed * (DVec3::new(0.1, -0.2, 1.0) * size);
        let start = Pose::from_translation(on_face - turn * corner + normal * (f64::from(off) * 1e-17 * (far + size))) * turn;
        let go = |k: f64| moved(&start, normal * (-k * speed * size / 3.0));
        let motion = Motion::cubic(&[go(0.0), go(1.0), go(2.0), go(3.0)]).expect("four");
        let still = Motion::still(placed);
        for options in methods() {
            let report = moving([&body(&a), &body(&b)], [&still, &motion], &options, &mut MovingScratch::default());
            prop_assert!(report.verdict.touches(), "{}", report.verdict.word());
        }
    }

    #[test]
    fn flat_triangles_on_a_lattice(a in lattice_soup(), b in lattice_soup(), moves in (lattice_motion(), lattice_motion())) {
        let both = [&moves.0, &moves.1];
        let truth = brute_force([&a, &b], both);
        for options in methods() {
            agree(&moving([&body(&a), &body(&b)], both, &options, &mut MovingScratch::default()), truth)?;
        }
        let (report, certificate) = certified([&a, &b], both);
        agree(&report, truth)?;
        if let Some(certificate) = certificate {
            let verified = verify_bodies([&a, &b], both, &certificate);
            prop_assert!(verified.is_ok(), "{verified:?}");
        }
    }
}

/// Four poses that pass by, shifted along a direction by what is asked.
fn passing(poses: &[Pose], along: DVec3, by: f64, size: f64, far: DVec3) -> [Pose; 4] {
    std::array::from_fn(|k| {
        let pose = &poses[k];
        let place =
            pose.translation() * size + DVec3::X * (size * (k as f64 - 1.5)) + along * (by * size) + far;
        Pose::from_translation(place) * unshifted(pose)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 30, ..ProptestConfig::default() })]

    /// A pass that is shifted until the last digit decides whether it grazes: brute force says the same of both neighbours, of any
    /// size and anywhere.
    #[test]
    fn grazing_to_the_last_digit(
        poses in prop::collection::vec(turned(), 4), turn in turned(), along in turned(),
        size in prop_oneof![Just(1.0), Just(1e-6), Just(1e3)], far in prop_oneof![Just(0.0), Just(1e4)],
    ) {
        let (a, b) = (block([size, size * 0.7, size * 0.1]), block([0.4 * size, 0.3 * size, 0.2 * size]));
        let (body_a, body_b) = (body(&a), body(&b));
        let far = DVec3::new(far, -far, 0.5 * far);
        let along = along.rotation() * DVec3::Z;
        let still = Motion::still(Pose::from_translation(far) * unshifted(&turn));
        let motion = |by: f64| Motion::cubic(&passing(&poses, along, by, size, far)).expect("four");
        let touches = |by: f64, options: &MovingOptions| {
            moving([&body_a, &body_b], [&still, &motion(by)], options, &mut MovingScratch::default())
        };
        let options = MovingOptions::default();
        let (mut near, mut away) = (0.0, 4.0);
        prop_assume!(touches(near, &options).verdict.touches() && touches(away, &options).verdict.is_free());
        for _ in 0..60 {
            let middle: f64 = 0.5 * (near + away);
            match touches(middle, &options).verdict {
                Verdict::Free(_) => away = middle,
                Verdict::Touches(_) => near = middle,
                Verdict::Undecided { open } => prop_assert!(false, "{open:?}"),
            }
        }
        for by in [near, away] {
            let motion = motion(by);
            let truth = brute_force([&a, &b], [&still, &motion]);
            if truth.is_none() && let Verdict::Touches(found) = touches(by, &options).verdict && found.at_start.is_some() {
                // The start is looked at in the frame of the first body, which rounds otherwise than the world does: by no more than that.
                let off = start_gap([&a, &b], [&still, &motion]);
                prop_assert!(off <= 8.0 * f64::EPSILON * (far.length() + size), "{off}");
                return Ok(());
            }
            prop_assert_eq!(truth.is_some(), by == near);
            for options in methods() {
                let report = touches(by, &options);
                agree(&report, truth)?;
                // Of a speck far out, coordinates are known to a millionth of its size: more has to be looked at before exact signs decide.
                let most = if size < 1e-3 && far.length() > 0.0 { 100_000 } else { 20_000 };
                prop_assert!(report.counters.regions < most, "{:?}", report.counters);
            }
            let (report, certificate) = certified([&a, &b], [&still, &motion]);
            agree(&report, truth)?;
            if let Some(certificate) = certificate {
                let verified = verify_bodies([&a, &b], [&still, &motion], &certificate);
                prop_assert!(verified.is_ok(), "{verified:?}");
            }
        }
    }

    /// The same on motions that are no cubics: what is free has no contact on any grid, what touches is within the resolution of it.
    #[test]
    fn grazing_on_other_motions(
        poses in prop::collection::vec(turned(), 3), turn in turned(), along in turned(), kind in 0..3,
        clearance in prop_oneof![Just(0.0), Just(0.01)], far in prop_oneof![Just(0.0), Just(1e3)],
    ) {
        let (body_a, body_b) = (body(&block([1.0, 0.7, 0.1])), body(&block([0.4, 0.3, 0.2])));
        let far = DVec3::new(far, -far, 0.5 * far);
        let along = along.rotation() * DVec3::Z;
        let still = Motion::still(Pose::from_translation(far) * unshifted(&turn));
        let motion = |by: f64| {
            let moved: Vec<Pose> = poses.iter().zip([-1.5, 0.0, 1.5]).map(|(p, x)| moved(p, far + along * by + DVec3::X * x)).collect();
            match kind {
                0 => Motion::slerp(moved[0], moved[2]),
                1 => Motion::spline(&moved).expect("three"),
                _ => Motion::screw(moved[0], far + along * by, poses[1].rotation() * DVec3::X, 17.0, 0.4).expect("an axis"),
            }
        };
        let options = MovingOptions { clearance, ..MovingOptions::default() };
        let asked = |by: f64| moving([&body_a, &body_b], [&still, &motion(by)], &options, &mut MovingScratch::default());
        let (mut near, mut away) = (0.0, 5.0);
        prop_assume!(asked(near).verdict.touches() && asked(away).verdict.is_free());
        for _ in 0..45 {
            let middle: f64 = 0.5 * (near + away);
            if asked(middle).verdict.is_free() { away = middle } else { near = middle }
        }
        let gap_at = |motion: &Motion, t: f64| {
            let found = gap(&body_a, &body_b, &still.at(t), &motion.at(t), &mut tree::Scratch::default());
            if found.overlap() { 0.0 } else { found.distance }
        };
        let passes = motion(away);
        prop_assert!(asked(away).verdict.is_free());
        for k in 0..=400 {
            prop_assert!(gap_at(&passes, f64::from(k) / 400.0) > clearance);
        }
        let grazes = motion(near);
        match asked(near).verdict {
            Verdict::Touches(found) if found.at_start.is_none() => {
                prop_assert!(gap_at(&grazes, found.time.end) <= clearance + 2e-9 + 1e-12);
                for k in 0..200 {
                    prop_assert!(gap_at(&grazes, found.time.start * f64::from(k) / 200.0) > clearance);
                }
            }
            Verdict::Touches(_) => {}
            // Far out, rounding is more than the resolution.
            Verdict::Undecided { open } => prop_assert!(far != DVec3::ZERO, "{open:?} {} {:?}", gap_at(&grazes, open.start), asked(near).counters),
            Verdict::Free(_) => prop_assert!(false),
        }
    }
}
