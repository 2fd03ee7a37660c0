//! Why nobody knows whether there is a path: each answer names its own reason, and how near a path comes is enclosed.

use crate::cam::Setting;
use kansho_cell::ik::{Ik, IkOptions, Tip};
use kansho_cell::route::{Blend, Laws};
use kansho_cell::{Cell, builtin};
use kansho_check::motion::{MotionOptions, MotionScene, RouteScene};
use kansho_check::scene::Scene;
use kansho_plan::cam::{
    EdgeKind, MapOptions, PlanOptions, Planned, PlannedRun, WhyUndecided, feasible, path_gaps, plan,
};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn why(setting: &Setting, options: &PlanOptions<'_>) -> WhyUndecided {
    let scene = MotionScene::new(&setting.scene);
    match plan(&scene, &setting.work(0.0), &setting.map(), options) {
        Planned::Undecided(undecided) => undecided.why,
        other => panic!("it is undecided: {other:?}"),
    }
}

const LINES: EdgeKind = EdgeKind::Lin(Laws::Slerp);

#[test]
fn time_is_blamed_only_when_it_was_over() {
    let setting = Setting::new(10, 30.0, true);
    let stop = AtomicBool::new(true);
    let work = setting.work(0.0);
    let map = feasible(&setting.scene, &work, &MapOptions { stop: Some(&stop), ..MapOptions::default() });
    let scene = MotionScene::new(&setting.scene);
    let Planned::Undecided(undecided) = plan(&scene, &work, &map, &PlanOptions::default()) else {
        panic!("the map is not complete")
    };
    assert_eq!(undecided.why, WhyUndecided::Time);
    let options = PlanOptions { stop: Some(&stop), ..PlanOptions::default() };
    assert_eq!(why(&setting, &options), WhyUndecided::Time);
}

#[test]
fn rounded_corners_of_joint_moves_are_named() {
    let setting = Setting::new(10, 30.0, true);
    let options = PlanOptions { zone: 0.002, ..PlanOptions::default() };
    assert_eq!(why(&setting, &options), WhyUndecided::RoundedJointMoves);
}

#[test]
fn an_arm_that_cannot_go_straight_is_named() {
    let mut setting = Setting::new(4, 90.0, false);
    let mut draft = builtin::draft();
    draft.robots[0].hold.push(("joint_6".into(), 0.0));
    let cell = Cell::new(draft).expect("a cell");
    setting.tip = Tip::tool(&cell, "arm").expect("a tool");
    setting.ik = Ik::new(&cell, &setting.tip, &IkOptions::default()).expect("joints move it");
    setting.scene = Scene::new(Arc::new(cell));
    let options = PlanOptions { kind: LINES, ..PlanOptions::default() };
    match why(&setting, &options) {
        WhyUndecided::Arm(what) => assert!(what.contains('5') || what.contains("five"), "{what}"),
        other => panic!("five joints: {other:?}"),
    }
}

/// Points so far apart that the first path found has a motion that is not free.
#[test]
fn a_limit_of_searches_is_named_with_the_stroke() {
    let setting = Setting::new(7, 10.0, true);
    let options = PlanOptions { most_searches: 1, ..PlanOptions::default() };
    assert_eq!(why(&setting, &options), WhyUndecided::Searches { stroke: 0, most: 1 });
}

/// Rounded far from the points, between lines that turn the tool by much: no bound holds there.
#[test]
fn corners_that_are_not_proven_are_named_by_their_points() {
    let setting = Setting::new(24, 10.0, false);
    let options = PlanOptions { kind: LINES, zone: 0.05, blend: Blend::Inside, ..PlanOptions::default() };
    match why(&setting, &options) {
        WhyUndecided::Corners { points, .. } => {
            assert!(!points.is_empty() && points.iter().all(|point| *point < 24), "{points:?}");
        }
        other => panic!("corners: {other:?}"),
    }
}

/// How near a path comes, against samples: what is proven is below all of them, what was measured is met by some.
#[test]
fn gaps_of_a_path_enclose_what_samples_find() {
    for kind in [EdgeKind::Ptp, LINES] {
        let setting = Setting::new(40, 10.0, false);
        let scene = MotionScene::new(&setting.scene);
        let options = PlanOptions { kind, ..PlanOptions::default() };
        let Planned::Path(path) = plan(&scene, &setting.work(0.0), &setting.map(), &options) else {
            panic!("there is a path")
        };
        let gaps = path_gaps(&scene, &path, &MotionOptions::default()).expect("things move");
        let mut workspace = setting.scene.workspace();
        let mut least = f64::INFINITY;
        let mut of_pair = vec![f64::INFINITY; gaps.pairs.len()];
        for run in &path.runs {
            let (motion, margin) = match run {
                PlannedRun::Joints(motion) => (motion.clone(), 0.0),
                PlannedRun::Tool { ways, .. } => {
                    let routes = RouteScene::new(&scene, ways[0].route.tip()).expect("six joints");
                    routes.shown(&ways[0].route).expect("it is followed")
                }
            };
            assert!(margin < 1e-5, "{margin}");
            for k in 0..=2000 {
                let posture = motion.at(f64::from(k) / 2000.0);
                let gap =
                    setting.scene.least_gap(&posture, f64::INFINITY, &mut workspace).expect("moves").gap;
                least = least.min(gap);
                for (row, found) in gaps.pairs.iter().zip(&mut of_pair) {
                    *found = found.min(setting.scene.gap_of_pair(&posture, row.pair, &mut workspace));
                }
            }
        }
        assert!(gaps.proven <= least + 1e-5 && gaps.proven > 0.5 * least, "{gaps:?} {least}");
        assert!((gaps.measured.0 - least).abs() < 1e-4, "{gaps:?} {least}");
        for (row, found) in gaps.pairs.iter().zip(of_pair) {
            assert!(row.proven <= found + 1e-5 && row.proven <= row.measured, "{row:?} {found}");
            assert!(row.measured <= found + 1e-4, "{row:?} {found}");
        }
        assert!(gaps.pairs.windows(2).all(|two| two[0].measured <= two[1].measured));
    }
}
