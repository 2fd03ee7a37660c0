//! Certificates of what is free are accepted; corrupted and forged ones are not.

use super::oracle::{Oracle, Ready, Scenes, Tally};
use super::random::motion;
use super::{SLIDE, TURN, at, cell_of, mesh, object, of_mesh, row};
use crate::models::{Dice, block, cell};
use kansho_cell::{BodyPiece, Cell, Geometry, JointKind, JointMotion, JointPiece, builtin};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::Scene;
use kansho_check::verdict::Verdict;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use kansho_verify::motion::steps::{self, FreeAlong, RegionStep, StepReader};
use kansho_verify::motion::{MotionCertificate, RefusedMotion, verify_motion};
use std::sync::Arc;

/// Every corruption of the steps is refused; the place of the letter that was changed matters.
fn corrupt(cell: &Cell, motion: &JointMotion, good: &MotionCertificate, dice: &mut Dice) -> usize {
    let piece = dice.below(good.pieces.len());
    let count = good.pieces[piece].len();
    if count == 0 {
        return 0;
    }
    // A place where a step begins.
    let mut begins = Vec::new();
    let mut reader = StepReader::new(&good.pieces[piece]);
    while !reader.is_done() {
        begins.push(reader.place());
        reader.step().expect("a step");
    }
    let step = begins[dice.below(begins.len())];
    let refused = |what: &str, change: &dyn Fn(&mut MotionCertificate)| {
        let mut bad = good.clone();
        change(&mut bad);
        assert!(verify_motion(cell, motion, &bad).is_err(), "{what} at {step} of {piece} in {motion:?}");
    };
    refused("cut short", &|bad| bad.pieces[piece].truncate(step));
    refused("a step more", &|bad| bad.pieces[piece].push('c'));
    refused("halved once more", &|bad| bad.pieces[piece].insert(step, 't'));
    refused("opened once more", &|bad| bad.pieces[piece].insert(step, 'a'));
    refused("no step", &|bad| bad.pieces[piece].insert(step, '!'));
    refused("a piece less", &|bad| {
        bad.pieces.pop();
    });
    refused("a piece more", &|bad| bad.pieces.push(String::new()));
    refused("a negative clearance", &|bad| bad.clearances[0] = -1.0);
    refused("no clearance", &|bad| bad.clearances[0] = f64::NAN);
    refused("a clearance less", &|bad| {
        bad.clearances.pop();
    });
    refused("too large a clearance", &|bad| bad.clearances.iter_mut().for_each(|c| *c += 1e3));
    count
}

/// Directions that cannot be right. Of half-spaces the direction does not matter.
fn turn_over(cell: &Cell, motion: &JointMotion, good: &MotionCertificate, dice: &mut Dice) {
    let piece = dice.below(good.pieces.len());
    let mut frees = Vec::new();
    let mut reader = StepReader::new(&good.pieces[piece]);
    while !reader.is_done() {
        let begin = reader.place();
        if let Some(RegionStep::Free(FreeAlong::Direction(n))) = reader.step() {
            frees.push((begin, reader.place(), n));
        }
    }
    if frees.is_empty() {
        return;
    }
    let (begin, end, n) = frees[dice.below(frees.len())];
    for bad_n in [-n, DVec3::ZERO, DVec3::NAN, DVec3::INFINITY, DVec3::new(n.x, f64::NAN, n.z)] {
        let mut letters = String::new();
        steps::write(RegionStep::Free(FreeAlong::Direction(bad_n)), &mut letters);
        let mut bad = good.clone();
        bad.pieces[piece].replace_range(begin..end, &letters);
        assert!(verify_motion(cell, motion, &bad).is_err(), "{bad_n} for {n} at {begin}");
    }
}

#[test]
fn all_that_is_free_is_certified() {
    let mut dice = Dice(31);
    let (mut certified, mut free, mut corrupted) = (0, 0, 0);
    for k in 0..24 {
        let cell =
            if k == 0 { builtin::cell() } else { cell(&mut dice, [1.0, 1e-3, 100.0][k % 3], DVec3::ZERO) };
        let endless =
            |piece: &BodyPiece| matches!(&piece.geometry, Geometry::Primitive(p) if p.aabb().is_none());
        let has_floor = cell.bodies().iter().flat_map(|body| &body.pieces).any(endless);
        let scene = Scene::new(Arc::new(cell)).with_models();
        let prepared = MotionScene::new(&scene);
        let mut workspace = prepared.workspace();
        for _ in 0..8 {
            let motion = motion(scene.cell(), &mut dice);
            let clearance = [0.0, 1e-4, 1e-3][dice.below(3)];
            let options = MotionOptions { clearance, ..MotionOptions::default() };
            let Verdict::Free(proof) = prepared.motion(&motion, &options, &mut workspace).verdict else {
                continue;
            };
            free += 1;
            let certificate = prepared
                .certify(&motion, &options)
                .unwrap_or_else(|why| panic!("{why} where {} is proven of {clearance}", proof.clearance));
            let verified = verify_motion(scene.cell(), &motion, &certificate).expect("it is accepted");
            assert!(verified.clearance >= clearance, "{verified:?}");
            certified += 1;
            corrupted += corrupt(scene.cell(), &motion, &certificate, &mut dice).min(1);
            if !has_floor {
                turn_over(scene.cell(), &motion, &certificate, &mut dice);
            }
        }
    }
    assert!(free > 60 && corrupted > 40, "{free} {corrupted}");
    assert!(certified == free, "{certified} of {free}");
}

/// A block that slides over a table, `over` metres above it.
fn over_a_table(over: f64, moved: DVec3) -> Cell {
    let tool = Shape::Box { size: DVec3::new(0.2, 0.1, 0.1) };
    let table = Shape::Box { size: DVec3::new(2.0, 1.0, 0.2) };
    let robot = row(
        &[(SLIDE, at(0.0, 0.0, 0.0))],
        vec![vec![], vec![mesh(tool, at(0.0, 0.0, 0.05 + over))]],
        at(0.0, 0.0, 0.0),
    );
    cell_of(vec![robot], vec![object("table", vec![mesh(table, at(moved.x, moved.y, -0.1 + moved.z))])])
}

fn slide() -> JointMotion {
    JointMotion::lines(&[vec![-0.5], vec![0.5]]).expect("two postures")
}

/// The letters of one free region.
fn along(n: DVec3) -> String {
    let mut letters = String::new();
    steps::write(RegionStep::Free(FreeAlong::Direction(n)), &mut letters);
    letters
}

/// What a certificate for one direction says of the block over the table.
fn says(cell: &Cell, n: DVec3, clearance: f64) -> bool {
    let certificate = MotionCertificate {
        clearances: vec![clearance; cell.pairs().checked().len()],
        pieces: vec![along(n)],
    };
    verify_motion(cell, &slide(), &certificate).is_ok()
}

#[test]
fn no_length_of_a_direction_makes_a_gap_larger() {
    let cell = over_a_table(0.1, DVec3::ZERO);
    // The link is the first body, the table the second: the table is below.
    let n = -DVec3::Z;
    assert!(says(&cell, n, 0.0999999) && !says(&cell, n, 0.1000001) && !says(&cell, -n, 0.0));
    for k in 0..2000 {
        // Among them those whose squares have one digit left.
        let size = 10f64.powf(-330.0 + 0.32 * f64::from(k));
        assert!(!says(&cell, n * size, 0.1000001), "{size}");
    }
    for size in [1.5e-162, 2.2e-162, 2.7e-162, 3.5e-162, 5e-324, 1e154, 1e300, f64::MAX] {
        assert!(!says(&cell, n * size, 0.1000001), "{size}");
    }
}

#[test]
fn another_cell_or_motion_is_refused() {
    let cell = Arc::new(over_a_table(0.01, DVec3::ZERO));
    let scene = Scene::new(Arc::clone(&cell)).with_models();
    let prepared = MotionScene::new(&scene);
    let options = MotionOptions { clearance: 0.005, ..MotionOptions::default() };
    let good = prepared.certify(&slide(), &options).expect("a certificate");
    assert!(verify_motion(&cell, &slide(), &good).is_ok());
    // The table a little higher: still free, but not as far.
    assert!(verify_motion(&over_a_table(0.01, DVec3::Z * 0.004), &slide(), &good).is_ok());
    assert!(verify_motion(&over_a_table(0.01, DVec3::Z * 0.006), &slide(), &good).is_err());
    assert!(verify_motion(&over_a_table(0.004, DVec3::ZERO), &slide(), &good).is_err());
    assert!(verify_motion(&over_a_table(-0.01, DVec3::ZERO), &slide(), &good).is_err());
    // A mesh with more triangles, and no motion of this cell.
    let round = Shape::Cylinder { radius: 0.1, height: 0.1 };
    let robot = row(
        &[(SLIDE, at(0.0, 0.0, 0.0))],
        vec![vec![], vec![mesh(round, at(0.0, 0.0, 0.06))]],
        at(0.0, 0.0, 0.0),
    );
    let table = Shape::Box { size: DVec3::new(2.0, 1.0, 0.2) };
    let other = cell_of(vec![robot], vec![object("table", vec![mesh(table, at(0.0, 0.0, -0.1))])]);
    // What the regions show holds for them, too: the cylinder stands as high as the box, and the same line keeps it apart.
    assert!(verify_motion(&other, &slide(), &good).is_ok());
    let two = JointMotion::lines(&[vec![0.0, 0.0], vec![1.0, 0.0]]).expect("two postures");
    assert!(matches!(verify_motion(&cell, &two, &good), Err(RefusedMotion::Coordinates)));
    let more = JointMotion::lines(&[vec![0.0], vec![0.5], vec![1.0]]).expect("three postures");
    assert!(matches!(verify_motion(&cell, &more, &good), Err(RefusedMotion::Pieces { .. })));
    for far in [f64::NAN, f64::INFINITY, 1e308] {
        let motion = JointMotion::of_piece(JointPiece::line(&[-far], &[far]));
        assert!(verify_motion(&cell, &motion, &good).is_err(), "{far}");
        let report = prepared.motion(&motion, &options, &mut prepared.workspace());
        assert!(!matches!(report.verdict, Verdict::Free(_)), "{far}: {report:?}");
    }
}

/// Surfaces that never meet are not enough: one body holds the other.
#[test]
fn what_is_inside_is_refused() {
    let robot = row(
        &[(SLIDE, at(0.0, 0.0, 0.0))],
        vec![vec![], vec![of_mesh(block(0.2), at(0.0, 0.0, 0.0))]],
        at(0.0, 0.0, 0.0),
    );
    let cell =
        Arc::new(cell_of(vec![robot], vec![object("hall", vec![of_mesh(block(3.0), at(0.0, 0.0, 0.0))])]));
    let scene = Scene::new(Arc::clone(&cell)).with_models();
    let prepared = MotionScene::new(&scene);
    let options = MotionOptions::default();
    let report = prepared.motion(&slide(), &options, &mut prepared.workspace());
    assert!(matches!(&report.verdict, Verdict::Touches(witness) if witness.at_start), "{report:?}");
    if let Ok(certificate) = prepared.certify(&slide(), &options) {
        let refused = verify_motion(&cell, &slide(), &certificate);
        assert!(matches!(refused, Err(RefusedMotion::Inside(_))), "{refused:?}");
    }
}

/// Links of one frame that stand nearer to each other than the clearance do not hinder a certificate: no motion changes that.
#[test]
fn what_never_moves_is_only_kept_from_touching() {
    let cube = || of_mesh(block(0.2), at(0.0, 0.0, 0.0));
    let robot = row(
        &[(TURN, at(0.0, 0.0, 0.0))],
        vec![vec![cube()], vec![of_mesh(block(0.1), at(1.0, 0.0, 0.0))]],
        at(0.0, 0.0, 0.0),
    );
    let near = object("near", vec![of_mesh(block(0.2), at(0.0, 0.0, 0.201))]);
    let cell = Arc::new(cell_of(vec![robot], vec![near]));
    let (scenes, _) = Scenes::new(cell.as_ref().clone());
    let mut ready = Ready::new(&scenes);
    let options = MotionOptions { clearance: 0.05, ..MotionOptions::default() };
    let motion = JointMotion::lines(&[vec![0.0], vec![3.0]]).expect("two postures");
    let report = ready.ask(&mut Oracle::new(&cell), &motion, &options, 50, &mut Tally::default());
    assert!(matches!(report.verdict, Verdict::Free(_)), "{report:?}");
    let certificate = ready.quick.certify(&motion, &options).expect("a certificate");
    let verified = verify_motion(&cell, &motion, &certificate).expect("it is true");
    assert!(verified.clearance == 0.05, "{verified:?}");
}

/// The least height of a link over another along a direction, by samples, is never less than what the verifier accepts; where the motion
/// is small it accepts nearly as much.
#[test]
fn heights_that_are_accepted_hold() {
    let mut dice = Dice(33);
    let (mut tried, mut sharp) = (0, 0);
    for k in 0..3000 {
        let kinds = [0; 4].map(|_| match dice.below(4) {
            0 => JointKind::Prismatic { axis: dice.vector(1.0) },
            1 => JointKind::Planar { normal: dice.vector(1.0) },
            2 if k % 7 == 0 => JointKind::Floating,
            _ => JointKind::Continuous { axis: dice.vector(1.0) },
        });
        let joints = kinds.map(|kind| (kind, Pose::from_rpy(dice.vector(0.4), dice.vector(3.0))));
        let cube = |dice: &mut Dice| of_mesh(block(0.2), Pose::from_rpy(dice.vector(0.5), dice.vector(3.0)));
        let pieces = vec![vec![], vec![cube(&mut dice)], vec![], vec![], vec![cube(&mut dice)]];
        let far = [0.0, 1e5][k % 2];
        let cell = cell_of(vec![row(&joints, pieces, at(far, -far, far))], Vec::new());
        let size = 10f64.powf(dice.between(-4.0, 0.3));
        let from: Vec<f64> = cell.coordinates().iter().map(|_| dice.between(-2.0, 2.0)).collect();
        let postures: Vec<Vec<f64>> =
            (0..3).map(|_| from.iter().map(|v| v + dice.between(-size, size)).collect()).collect();
        let motion = JointMotion::spline(&postures).expect("three postures");
        let places = cell.pairs().checked()[0].map(|body| cell.in_frame(cell.body(body).carrier));
        let corners = cell.pairs().checked()[0].map(|body| {
            let piece = &cell.body(body).pieces[0];
            let Geometry::Mesh(mesh) = &piece.geometry else { unreachable!() };
            let points = mesh.vertices().iter().map(|p| piece.carrier_from_piece * *p);
            points.collect::<Vec<DVec3>>()
        });
        // Seen from the first link, which carries both.
        let n = {
            let placed = cell.place(&motion.at(0.5));
            let [a, b] = [0, 1].map(|k: usize| {
                let pose = placed.world_from_frame(places[0].frame).inverse()
                    * placed.world_from_frame(places[k].frame);
                pose * (places[k].frame_from_link
                    * (corners[k].iter().sum::<DVec3>() / corners[k].len() as f64))
            });
            (b - a).normalize()
        };
        let mut least = f64::INFINITY;
        for i in 0..=200 {
            let placed = cell.place(&motion.at(f64::from(i) / 200.0));
            let heights = [0, 1].map(|k: usize| {
                let pose = placed.world_from_frame(places[0].frame).inverse()
                    * placed.world_from_frame(places[k].frame)
                    * places[k].frame_from_link;
                corners[k].iter().map(|p| (pose * *p).dot(n)).collect::<Vec<f64>>()
            });
            let top = heights[0].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            least = least.min(heights[1].iter().copied().fold(f64::INFINITY, f64::min) - top);
        }
        if !(least > 1e-3) {
            continue;
        }
        tried += 1;
        let accepts = |clearance: f64| {
            let certificate = MotionCertificate { clearances: vec![clearance], pieces: vec![along(n); 2] };
            verify_motion(&cell, &motion, &certificate).is_ok()
        };
        assert!(!accepts(least + 1e-14 * (1.0 + far)), "{least} {motion:?}");
        sharp += usize::from(accepts(least - 1e-6));
    }
    assert!(tried > 500 && sharp > 100, "{tried} {sharp}");
}
