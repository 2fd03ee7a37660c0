//! Routes of a tool: bounds against Newton's method, verdicts against dense sampling, certificates against attacks.

use kansho_cell::ik::{BranchEnd, Ik, IkOptions, Tip};
use kansho_cell::route::{Blend, Law, Loose, Move, PoseCurve, Route, RouteMotion};
use kansho_cell::{Cell, FrameId, JointPiece, builtin};
use kansho_check::motion::{MotionOptions, MotionScene, RouteScene, Stop};
use kansho_check::scene::Scene;
use kansho_check::verdict::Verdict;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Span;
use kansho_verify::route::{
    Arm, JOINTS, Margins, RefusedRoute, RoutePiece, follows, joint_error, verify_route,
};
use std::sync::Arc;

/// SplitMix64: the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    /// A posture near that of the demo.
    fn posture(&mut self, size: f64) -> Vec<f64> {
        builtin::home().iter().map(|q| q + self.between(-size, size)).collect()
    }

    /// A pose some way from another.
    fn pose(&mut self, from: &Pose, way: f64, turn: f64) -> Pose {
        Pose::from_rpy(from.translation() + self.vector(way), DVec3::ZERO)
            * Pose::from_rpy(DVec3::ZERO, self.vector(turn))
            * Pose::from_translation(-from.translation())
            * *from
    }
}

fn cell() -> (Arc<Cell>, Tip) {
    let cell = builtin::cell();
    let tip = Tip::tool(&cell, "arm").expect("a tool");
    (Arc::new(cell), tip)
}

/// A route of a kind: a line, an arc, a curve through poses, two lines with a corner; all of both laws.
fn route(
    cell: &Cell,
    tip: Tip,
    random: &mut Random,
    kind: usize,
    [low, high]: [f64; 2],
    blend: Blend,
) -> Option<Route> {
    let start = random.posture(0.5);
    let here = tip.placed(cell, &start);
    let way = 10f64.powf(random.between(low, high));
    let turn = if kind.is_multiple_of(3) { 0.0 } else { way * 3.0 };
    let mut next = here;
    let mut pose = |random: &mut Random| {
        next = random.pose(&next, way, turn);
        next
    };
    let law = [Law::Slerp, Law::SwivelTwist][kind % 2];
    let moves = match kind / 2 % 4 {
        0 => vec![Move::line(pose(random))],
        1 => vec![Move::arc(pose(random).translation(), pose(random))],
        2 => vec![Move::spline(vec![pose(random), pose(random)])],
        _ => vec![Move::line(pose(random)).with_zone(0.5 * way), Move::line(pose(random))],
    };
    Route::new(cell, tip, start, &moves, law, blend).ok()
}

/// Newton's method on the Jacobian of inverse kinematics, which shares nothing with the bound.
fn on_curve(ik: &Ik, wanted: &Pose, near: &[f64]) -> Vec<f64> {
    let mut values = ik.values_in(near);
    let mut scratch = kansho_cell::ik::Solutions::default();
    ik.solve_into(wanted, Some(&values), &mut scratch);
    let nearest = scratch.iter().min_by(|a, b| {
        let apart = |s: &[f64]| s.iter().zip(&values).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        apart(a.values).total_cmp(&apart(b.values))
    });
    values = nearest.expect("the pose is reached").values.to_vec();
    let mut posture = near.to_vec();
    ik.put(&values, &mut posture);
    posture
}

/// Joints that follow the curve are within the bound of the cubics, from long pieces to short ones, and bodies within the margin.
#[test]
fn bounds_on_joints_hold() {
    let (cell, tip) = cell();
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("an arm");
    let scene = Scene::new(Arc::clone(&cell));
    let prepared = MotionScene::new(&scene);
    let routes = RouteScene::new(&prepared, tip).expect("six joints");
    let mut random = Random(7);
    let (mut pieces, mut samples, mut tight) = (0, 0, 0);
    let mut of_tip = 0.0f64;
    for kind in 0..400 {
        let Some(route) = route(&cell, tip, &mut random, kind, [-2.5, -0.4], Blend::Parabola) else {
            continue;
        };
        let margin = [1e-2, 1e-3, 1e-5, 1e-7][kind / 8 % 4];
        let Ok(found) = routes.trace(&route, margin) else { continue };
        follows(&cell, &route, &found).expect("what is traced is accepted");
        for piece in &found {
            pieces += 1;
            let RouteMotion::Tool { curve, .. } = &route.legs()[piece.leg].way else { panic!("a tool") };
            let controls = routes.arm().coordinates().map(|k| piece.piece.controls()[k]);
            let error =
                joint_error(routes.arm(), curve, piece.part, Loose::default(), &controls).expect("it was");
            // Rounding leaves some 1e-10, more where joints are fast.
            assert!(piece.margins.of_joints <= margin.max(1e-7), "{:?} of {margin}", piece.margins);
            let mut near = Vec::new();
            for _ in 0..3 {
                let v = random.next();
                piece.piece.at(v, &mut near);
                let exact = on_curve(&ik, &curve.at(piece.part.at(v)), &near);
                samples += 1;
                for (k, most) in routes.arm().coordinates().into_iter().zip(error.most) {
                    let off = (exact[k] - near[k]).abs();
                    // Inverse kinematics are right to 1e-9 of the pose; some 1e-8 of joints.
                    assert!(off <= most + 1e-8, "{off} of {most} at {v} of {piece:?}");
                    tight += usize::from(off > 0.02 * most && most > 1e-6);
                }
                let (a, b) = (cell.place(&exact), cell.place(&near));
                for body in cell.bodies() {
                    for part in &body.pieces {
                        if let kansho_cell::Geometry::Mesh(mesh) = &part.geometry {
                            for vertex in mesh.vertices().iter().step_by(7) {
                                let [p, q] = [&a, &b].map(|placed| {
                                    placed.world_from_carrier(body) * (part.carrier_from_piece * *vertex)
                                });
                                let frame = cell.in_frame(body.carrier).frame;
                                let most = piece.margins.of(routes.arm(), [frame, FrameId::WORLD]);
                                assert!(p.distance(q) <= most + 1e-8, "{} of {most}", p.distance(q));
                                if most < piece.margins.of_joints && most > 1e-6 {
                                    of_tip = of_tip.max(p.distance(q) / most);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(pieces > 1000 && samples > 3000, "{pieces} {samples}");
    // Bounds are no good if they are never near the truth.
    assert!(tight > 200, "{tight} of {samples}");
    assert!(of_tip > 0.05, "{of_tip}");
}

/// With what is loose, joints of poses off the curve are within the bound.
#[test]
fn loose_bounds_hold() {
    let (cell, tip) = cell();
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("an arm");
    let arm = Arm::new(&cell, &tip).expect("six joints");
    let scene = Scene::new(Arc::clone(&cell));
    let prepared = MotionScene::new(&scene);
    let routes = RouteScene::new(&prepared, tip).expect("six joints");
    let mut random = Random(8);
    let mut count = 0;
    for kind in (6..800).step_by(8) {
        let Some(route) = route(&cell, tip, &mut random, kind, [-2.5, -0.7], Blend::Inside) else { continue };
        let Ok(found) = routes.trace(&route, 1e-4) else { continue };
        for piece in &found {
            let RouteMotion::Tool { curve, loose, .. } = &route.legs()[piece.leg].way else {
                panic!("a tool")
            };
            let controls = arm.coordinates().map(|k| piece.piece.controls()[k]);
            let error = joint_error(&arm, curve, piece.part, *loose, &controls).expect("it was");
            for _ in 0..5 {
                let v = random.next();
                let pose = curve.at(piece.part.at(v));
                let shift = random.vector(1.0).normalize_or_zero() * loose.place * random.next();
                let axis = random.vector(1.0).try_normalize().unwrap_or(DVec3::X);
                let turned = Pose::turn(axis, loose.turn * random.next());
                let pose = Pose::of_rotation(turned.rotation() * pose.rotation(), pose.translation() + shift);
                let mut near = Vec::new();
                piece.piece.at(v, &mut near);
                let exact = on_curve(&ik, &pose, &near);
                count += usize::from(loose.place > 0.0);
                for (k, most) in arm.coordinates().into_iter().zip(error.most) {
                    assert!((exact[k] - near[k]).abs() <= most + 1e-8);
                }
            }
        }
    }
    assert!(count > 200, "{count}");
}

/// What is proven free is free at every sample on the curve; contacts are contacts there, and nothing touches before.
#[test]
fn verdicts_agree_with_samples() {
    let (cell, tip) = cell();
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("an arm");
    let scene = Scene::new(Arc::clone(&cell)).with_models();
    let prepared = MotionScene::new(&scene);
    let routes = RouteScene::new(&prepared, tip).expect("six joints");
    let mut workspace = prepared.workspace();
    let mut of_scene = scene.workspace();
    let mut random = Random(9);
    let (mut free, mut touching, mut stopped) = (0, 0, 0);
    let count = crate::cases(400, 160);
    for kind in 0..count {
        let Some(route) = route(&cell, tip, &mut random, kind, [-1.2, 0.0], Blend::Parabola) else {
            continue;
        };
        if scene.touches(route.start(), &mut of_scene) {
            continue;
        }
        let clearance = [0.0, 0.0, 0.003][kind % 3];
        let options = MotionOptions { clearance, ..MotionOptions::default() };
        let Ok(report) = routes.route(&route, &options, &mut workspace) else {
            stopped += 1;
            continue;
        };
        let until = match &report.verdict {
            Verdict::Free(proof) => {
                follows(&cell, &route, &proof.pieces).expect("the pieces follow the route");
                free += 1;
                1.0
            }
            Verdict::Touches(witness) => {
                touching += 1;
                let gap =
                    scene.least_gap(&witness.posture, f64::INFINITY, &mut of_scene).expect("bodies").gap;
                assert!(gap <= clearance + options.resolution + 1e-9, "{gap}");
                let RouteMotion::Tool { curve, part, .. } = &route.legs()[witness.piece].way else {
                    panic!("a tool")
                };
                let there = tip.placed(&cell, &witness.posture);
                let wanted = curve.at(part.at(witness.in_piece));
                assert!(there.translation().distance(wanted.translation()) < 1e-9);
                witness.time.start
            }
            Verdict::Undecided { open } => panic!("{open:?} of {route:?}"),
        };
        let traced = routes.trace(&route, 1e-3).expect("it was followed");
        for piece in &traced {
            let RouteMotion::Tool { curve, part, .. } = &route.legs()[piece.leg].way else {
                panic!("a tool")
            };
            let mut near = Vec::new();
            for k in 0..20 {
                let v = f64::from(k) / 20.0;
                let u = piece.part.at(v);
                let t = route.time(piece.leg, (u - part.start) / part.length());
                if t >= until {
                    continue;
                }
                piece.piece.at(v, &mut near);
                let posture = on_curve(&ik, &curve.at(u), &near);
                let gap = scene.least_gap(&posture, f64::INFINITY, &mut of_scene).expect("bodies").gap;
                assert!(gap > clearance - 1e-8, "{gap} at {t} of {until} in {route:?}");
            }
        }
    }
    assert!(
        free > 3 * count / 20 && touching > count / 20,
        "{free} free, {touching} touching, {stopped} stopped"
    );
}

/// Certificates are accepted, and refused as soon as anything in them is changed for the worse.
#[test]
fn certificates_are_checked() {
    let (cell, tip) = cell();
    let scene = Scene::new(Arc::clone(&cell)).with_models();
    let prepared = MotionScene::new(&scene);
    let routes = RouteScene::new(&prepared, tip).expect("six joints");
    let mut workspace = prepared.workspace();
    let home = builtin::home();
    let here = tip.placed(&cell, &home);
    let shifted = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)) * here;
    let mut aside = home.clone();
    aside[0] += 0.1;
    let moves = [
        Move::line(shifted(0.0, 0.1, 0.0)).with_zone(0.01),
        Move::line(shifted(0.0, 0.1, 0.05)),
        Move::arc(shifted(0.02, 0.05, 0.08).translation(), shifted(0.0, 0.0, 0.05)),
        Move::joints(aside),
    ];
    let route = Route::new(&cell, tip, home, &moves, Law::Slerp, Blend::Inside).expect("four moves");
    let options = MotionOptions::default();
    let report = routes.route(&route, &options, &mut workspace).expect("within reach");
    let Verdict::Free(proof) = report.verdict else { panic!("{:?}", report.verdict) };
    let certificate = routes.certify(&proof.pieces, &options).expect("there is room");
    verify_route(&cell, &route, &proof.pieces, &certificate).expect("it is true");
    let attack = |spoil: &dyn Fn(&mut Vec<RoutePiece>), expected: &str| {
        let mut pieces = proof.pieces.clone();
        spoil(&mut pieces);
        let refused = verify_route(&cell, &route, &pieces, &certificate).expect_err(expected).to_string();
        assert!(refused.contains(expected), "{refused}");
    };
    let with = |piece: &mut RoutePiece, change: &dyn Fn(&mut Vec<[f64; 4]>)| {
        let mut controls = piece.piece.controls().to_vec();
        change(&mut controls);
        piece.piece = JointPiece::of_controls(controls).expect("finite");
    };
    attack(&|p| p[1].margins.of_joints *= 0.4, "farther off than the margin");
    attack(&|p| p[1].margins.of_joints = f64::NAN, "farther off than the margin");
    attack(&|p| p[1].margins.of_tip *= 0.4, "farther off than the margin");
    attack(&|p| p[1].margins.of_tip = f64::NAN, "farther off than the margin");
    attack(&|p| drop(p.pop()), "the pieces end before");
    attack(&|p| p.push(p[0].clone()), "the route has ended");
    attack(&|p| drop(p.remove(1)), "another part of the route");
    attack(&|p| p[0].part.end *= 0.5, "nothing shows that joints follow");
    attack(&|p| with(&mut p[0], &|c| c[2][1] += 1e-3), "piece 0:");
    attack(&|p| with(&mut p[1], &|c| c[2][0] += 1e-9), "does not begin where");
    attack(
        &|p| {
            let last = p.len() - 1;
            with(&mut p[last], &|c| c[2][1] += 1e-9)
        },
        "do not move evenly",
    );
    let mut other = moves.clone();
    other[1] = Move::line(shifted(0.0, 0.1, 0.0501));
    let other =
        Route::new(&cell, tip, builtin::home(), &other, Law::Slerp, Blend::Inside).expect("four moves");
    assert!(matches!(
        verify_route(&cell, &other, &proof.pieces, &certificate),
        Err(RefusedRoute::Piece { .. })
    ));
    // Larger margins are claims about gaps, which then have to be shown.
    let mut wide = proof.pieces.clone();
    wide[0].margins = Margins::same(0.5);
    assert!(matches!(verify_route(&cell, &route, &wide, &certificate), Err(RefusedRoute::Motion(_))));
}

/// A claim that is false by little, with one thing of its proof changed at a time: no change makes it true.
#[test]
fn forged_certificates_of_routes_are_refused() {
    let (cell, tip) = cell();
    let scene = Scene::new(Arc::clone(&cell)).with_models();
    let prepared = MotionScene::new(&scene);
    let routes = RouteScene::new(&prepared, tip).expect("six joints");
    let mut workspace = prepared.workspace();
    let home = builtin::home();
    let aside = Pose::from_translation(DVec3::new(0.0, 0.1, 0.02)) * tip.placed(&cell, &home);
    let route =
        Route::new(&cell, tip, home, &[Move::line(aside)], Law::Slerp, Blend::Inside).expect("a move");
    let options = MotionOptions::default();
    let report = routes.route(&route, &options, &mut workspace).expect("within reach");
    let Verdict::Free(proof) = report.verdict else { panic!("{:?}", report.verdict) };
    let least = routes.least_gap(&route, &options, proof.clearance, &mut workspace).expect("followed");
    let measured = least.measured.expect("something moves").1.gap;
    let certificate = routes.certify(&proof.pieces, &options).expect("there is room");
    verify_route(&cell, &route, &proof.pieces, &certificate).expect("it is true");
    let mut dice = crate::models::Dice(5);
    for _ in 0..400 {
        let (mut pieces, mut bad) = (proof.pieces.clone(), certificate.clone());
        for (gap, pair) in bad.clearances.iter_mut().zip(cell.pairs().checked()) {
            *gap = if kansho_verify::motion::moves(&cell, *pair) { measured * (1.0 + 1e-6) } else { 0.0 };
        }
        let k = dice.below(pieces.len());
        match dice.below(4) {
            0 => {
                let factor = [0.0, 0.5, 0.999_999, 1.0 - f64::EPSILON, -1.0, f64::NAN][dice.below(6)];
                let margins = &mut pieces[k].margins;
                (margins.of_tip, margins.of_joints) = (margins.of_tip * factor, margins.of_joints * factor);
            }
            1 => {
                let mut controls = pieces[k].piece.controls().to_vec();
                let joint = dice.below(controls.len());
                controls[joint][dice.below(4)] += dice.between(-1e-3, 1e-3);
                pieces[k].piece = JointPiece::of_controls(controls).expect("finite");
            }
            2 => pieces[k].part.end = dice.between(0.0, 1.0),
            _ => {
                let at = dice.below(bad.pieces[k].len());
                bad.pieces[k].replace_range(at..=at, ["c", "r", "t", "x", "Z", ""][dice.below(6)]);
            }
        }
        assert!(verify_route(&cell, &route, &pieces, &bad).is_err(), "{pieces:?} {bad:?}");
    }
}

/// Routes that cannot be followed say where and why.
#[test]
fn routes_stop_where_they_must() {
    let (cell, tip) = cell();
    let scene = Scene::new(Arc::clone(&cell));
    let prepared = MotionScene::new(&scene);
    let routes = RouteScene::new(&prepared, tip).expect("six joints");
    let home = builtin::home();
    let here = tip.placed(&cell, &home);
    let route = |start: Vec<f64>, moves: &[Move]| {
        Route::new(&cell, tip, start, moves, Law::Slerp, Blend::Inside).expect("moves")
    };
    let far = Pose::from_translation(DVec3::X * 3.0) * here;
    let stopped = routes.trace(&route(home.clone(), &[Move::line(far)]), 1e-3).expect_err("out of reach");
    assert!(stopped.fraction > 0.0 && stopped.fraction < 1.0 && stopped.of_move == 0, "{stopped:?}");
    assert!((stopped.length - 3.0 * stopped.fraction).abs() < 1e-9);
    // There, a little farther on there is nothing on this branch any more.
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("an arm");
    assert!(
        !ik.solve(&stopped.pose).is_empty() || matches!(stopped.why, Stop::Branch(BranchEnd::Limit { .. }))
    );
    // The wrist is straight: a singular start.
    let mut straight = home.clone();
    straight[4] = 0.0;
    let there = tip.placed(&cell, &straight);
    let line = Move::line(Pose::from_translation(DVec3::Y * 0.1) * there);
    let stopped = routes.trace(&route(straight, &[line]), 1e-3).expect_err("singular");
    assert!(stopped.fraction == 0.0, "{stopped:?}");
    assert!(matches!(stopped.why, Stop::Branch(BranchEnd::StartSingular(_))), "{stopped:?}");
    // A posture on another branch is not arrived at.
    let aside = Pose::from_translation(DVec3::Y * 0.1) * here;
    let other = ik.solve(&aside);
    let arrives: Vec<Vec<f64>> = other.iter().map(|s| s.values.to_vec()).collect();
    let results: Vec<bool> = arrives
        .iter()
        .map(|posture| {
            let line = Move::line(aside).arriving_at(posture.clone());
            routes.trace(&route(home.clone(), &[line]), 1e-3).is_ok()
        })
        .collect();
    assert_eq!(results.iter().filter(|ok| **ok).count(), 1, "{results:?}");
}

/// A tip on the last axis, and one where the axes of the wrist meet, can be led, too: some joints do not move it at all.
#[test]
fn tips_on_axes_are_led() {
    let cell = builtin::cell();
    let scene = Scene::new(Arc::new(cell.clone()));
    let prepared = MotionScene::new(&scene);
    let mut led = 0;
    for link in (0..cell.link_names().len()).map(|k| kansho_cell::LinkId(k as u32)) {
        let tip = Tip { link, link_from_tip: Pose::IDENTITY };
        let Ok(routes) = RouteScene::new(&prepared, tip) else { continue };
        let home = builtin::home();
        let aside = Pose::from_translation(DVec3::new(0.0, 0.05, 0.01)) * tip.placed(&cell, &home);
        let route =
            Route::new(&cell, tip, home, &[Move::line(aside)], Law::Slerp, Blend::Inside).expect("a line");
        let pieces = routes.trace(&route, 1e-4).unwrap_or_else(|stopped| panic!("{stopped:?}"));
        follows(&cell, &route, &pieces).expect("what is traced is accepted");
        led += 1;
    }
    assert!(led >= 2, "{led}");
}

#[test]
fn cubics_elsewhere_have_no_bound() {
    let curve =
        PoseCurve::line(&Pose::IDENTITY, &Pose::from_translation(DVec3::X), Law::Slerp).expect("a line");
    let (cell, tip) = cell();
    let arm = Arm::new(&cell, &tip).expect("six joints");
    // Cubics that do not follow a curve have no bound.
    assert_eq!(joint_error(&arm, &curve, Span::WHOLE, Loose::default(), &[[f64::NAN; 4]; JOINTS]), None);
    assert_eq!(joint_error(&arm, &curve, Span::WHOLE, Loose::default(), &[[0.3; 4]; JOINTS]), None);
}

/// Joints that go on by themselves after a line begin where the line ended, not where cubics that were bent say.
#[test]
fn joints_after_a_line_begin_where_it_ended() {
    let (cell, tip) = cell();
    let scene = Scene::new(Arc::clone(&cell)).with_models();
    let prepared = MotionScene::new(&scene);
    let routes = RouteScene::new(&prepared, tip).expect("six joints");
    let home = builtin::home();
    let mut aside = home.clone();
    aside[0] += 0.1;
    let line = Move::line(Pose::from_translation(DVec3::Y * 0.05) * tip.placed(&cell, &home));
    let moves = [line, Move::joints(aside.clone())];
    let route = Route::new(&cell, tip, home, &moves, Law::Slerp, Blend::Inside).expect("two moves");
    let mut bounded = 0;
    for shift in [1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6] {
        let mut pieces = routes.trace(&route, 1e-5).expect("it is followed");
        follows(&cell, &route, &pieces).expect("what is traced is accepted");
        let last = pieces.len() - 2;
        let mut controls = pieces[last].piece.controls().to_vec();
        controls[0][2] += shift;
        controls[0][3] += shift;
        let piece = JointPiece::of_controls(controls).expect("finite");
        let RouteMotion::Tool { curve, .. } = &route.legs()[0].way else { panic!("a line") };
        let of_arm = routes.arm().coordinates().map(|k| piece.controls()[k]);
        let error = joint_error(routes.arm(), curve, pieces[last].part, Loose::default(), &of_arm);
        let Some(error) = error else { continue };
        bounded += 1;
        let end: Vec<f64> = piece.controls().iter().map(|c| c[3]).collect();
        // An honest margin for the line, and what it was for the joints.
        pieces[last] = RoutePiece { margins: routes.arm().margins(&error), piece, ..pieces[last].clone() };
        pieces[last + 1] = RoutePiece { piece: JointPiece::line(&end, &aside), ..pieces[last + 1].clone() };
        let wrong = follows(&cell, &route, &pieces);
        assert!(
            matches!(wrong, Err(RefusedRoute::Piece { piece, .. }) if piece == last + 1),
            "{shift}: {wrong:?}"
        );
        pieces[last + 1].margins = Margins::same(2.0 * routes.arm().margin(&error.ends[1]));
        follows(&cell, &route, &pieces).expect("with a margin for it, it is");
    }
    assert!(bounded >= 3, "{bounded}");
}

/// Angles whose rounding is more than what Jacobians allow for have no bound: the certificate is refused, and not believed. On the same curve
/// in a turn near zero there is one.
#[test]
fn angles_that_round_too_much_are_not_followed() {
    let (cell, tip) = cell();
    let arm = Arm::new(&cell, &tip).expect("six joints");
    let start = builtin::home();
    let from = tip.placed(&cell, &start);
    let to = Pose::from_translation(DVec3::new(0.0, 1e-4, 0.0)) * from;
    let route =
        Route::new(&cell, tip, start.clone(), &[Move::line(to)], Law::Slerp, Blend::Inside).expect("a line");
    let RouteMotion::Tool { curve, .. } = &route.legs()[0].way else { panic!("a tool") };
    let scene = Scene::new(Arc::clone(&cell));
    let prepared = MotionScene::new(&scene);
    let routes = RouteScene::new(&prepared, tip).expect("six joints");
    let piece = &routes.trace(&route, 1e-3).expect("it is within reach")[0];
    let controls = arm.coordinates().map(|k| piece.piece.controls()[k]);
    assert!(joint_error(&arm, curve, piece.part, Loose::default(), &controls).is_some());
    // The last joint by whole turns: the same poses, but for rounding.
    for (turns, is_bounded) in [(1.0, true), (20.0, true), (1e4, false), (1e9, false), (1e15, false)] {
        let mut turned = controls;
        turned[5].iter_mut().for_each(|value| *value += turns * std::f64::consts::TAU);
        let found = joint_error(&arm, curve, piece.part, Loose::default(), &turned);
        assert_eq!(found.is_some(), is_bounded, "{turns} turns");
    }
}
