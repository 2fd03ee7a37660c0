//! Free intervals of rotation against single postures, and depths of what collides.

use crate::cam::Setting;
use kansho_cell::ik::BranchEnd;
use kansho_cell::work::{ToolAxis, WorkPoint};
use kansho_check::motion::{MotionScene, RouteScene};
use kansho_check::scene::{PairId, Scene};
use kansho_geom::glam::DVec3;
use kansho_plan::cam::{
    BranchCode, FreeInterval, IntervalEnd, MapOptions, State, all_free_somewhere, depths, feasible,
    free_intervals, least_depths,
};
use std::f64::consts::TAU;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How narrow bounds of depths are, in metres.
const FINE: f64 = 1e-4;

/// The gap in a branch at a rotation, with its pair; none without a posture.
fn gap(
    setting: &Setting,
    bare: &Scene,
    point: &WorkPoint,
    branch: BranchCode,
    angle: f64,
) -> Option<(f64, PairId)> {
    let solutions = setting.ik.solve(&setting.axis.world_from_tip_at(point, 0, angle));
    let of_branch = |name: &str| branch.to_string() == name;
    let solution =
        solutions.iter().find(|solution| of_branch(&solution.branch.expect("a closed form").to_string()))?;
    let mut posture = bare.cell().zero_posture();
    setting.ik.put(solution.values, &mut posture);
    let found = bare.least_gap(&posture, f64::INFINITY, &mut bare.workspace()).expect("things move");
    Some((found.gap, found.pair))
}

/// Within, every posture is free; beyond an end is what it says. Every free cell of the map is in an interval.
#[test]
fn intervals_are_what_single_postures_say() {
    for clearance in [0.0, 0.002] {
        let setting = Setting::new(9, 15.0, true);
        let work = setting.work(clearance);
        let map = feasible(&setting.scene, &work, &MapOptions::default());
        let prepared = MotionScene::new(&setting.scene);
        let routes = RouteScene::new(&prepared, setting.tip).expect("six joints");
        let found = free_intervals(&routes, &work, &map, &MapOptions::default());
        let bare = Scene::new(Arc::clone(setting.scene.cell()));
        let (mut contacts, mut limits) = (0, 0);
        for (k, point) in setting.path.points().enumerate() {
            for FreeInterval { branch, from, to, ends, tilt } in &found[k] {
                assert!(*tilt == 0 && from <= to && to - from <= TAU + 1e-12);
                for part in 0..=60 {
                    let angle = from + (to - from) * f64::from(part) / 60.0;
                    let (gap, _) = gap(&setting, &bare, point, *branch, angle).expect("the branch is there");
                    assert!(gap > clearance, "point {k}, {branch}, {}: {gap}", angle.to_degrees());
                }
                for (end, beyond) in [(ends[0], from - 1e-5), (ends[1], to + 1e-5)] {
                    let there = gap(&setting, &bare, point, *branch, beyond);
                    match end {
                        IntervalEnd::Touches(pair) => {
                            contacts += 1;
                            let (gap, found) = there.expect("the branch goes on");
                            // By the resolution of the prover, and what moves in 1e-5 radians.
                            assert!(gap <= clearance + 2e-5 && found == pair, "point {k}, {branch}: {gap}");
                        }
                        IntervalEnd::Branch(BranchEnd::Limit { .. }) => limits += 1,
                        IntervalEnd::Branch(_) => {}
                        other => panic!("point {k}, {branch}: {other:?}"),
                    }
                }
            }
            for (stance, cell) in map.point(k).iter().enumerate() {
                for branch in cell.free_branches() {
                    let angle = setting.axis.rotation(stance);
                    let holds = |found: &&FreeInterval| {
                        let on = (angle - found.from).rem_euclid(TAU);
                        found.branch == branch && (on <= found.to - found.from + 1e-9 || on > TAU - 1e-9)
                    };
                    assert!(
                        found[k].iter().any(|found| holds(&found)),
                        "point {k}, stance {stance}, {branch}"
                    );
                }
            }
        }
        assert!(contacts > 50 && limits > 3, "both kinds are met: {contacts} {limits}");
    }
}

/// Rotations that do not go round end where they are said to.
#[test]
fn a_range_ends_where_it_ends_and_a_stop_leaves_nothing() {
    let mut setting = Setting::new(5, 15.0, true);
    let range = [100f64.to_radians(), 200f64.to_radians(), 10f64.to_radians()];
    setting.axis = ToolAxis::new(range, DVec3::X, 0.0).expect("good");
    let (work, map) = (setting.work(0.0), setting.map());
    let prepared = MotionScene::new(&setting.scene);
    let routes = RouteScene::new(&prepared, setting.tip).expect("six joints");
    let found = free_intervals(&routes, &work, &map, &MapOptions::default()).concat();
    let at_ends = found.iter().flat_map(|found| [(found.from, found.ends[0]), (found.to, found.ends[1])]);
    let mut ranges = 0;
    for (angle, end) in at_ends {
        assert!(angle >= range[0] - 1e-12 && angle <= range[1] + 1e-12);
        if end == IntervalEnd::Range {
            assert!((angle - range[0]).abs() < 1e-12 || (angle - range[1]).abs() < 1e-12);
            ranges += 1;
        }
    }
    assert!(ranges > 3, "{found:?}");
    let stop = AtomicBool::new(true);
    let options = MapOptions { stop: Some(&stop), ..MapOptions::default() };
    assert!(free_intervals(&routes, &work, &map, &options).iter().all(Vec::is_empty));
}

/// Depths are there where cells collide and nowhere else, between bounds that are near each other.
#[test]
fn depths_are_bounds_of_what_collides() {
    let setting = Setting::new(9, 30.0, true);
    let (work, map) = (setting.work(0.0), setting.map());
    let found = depths(&setting.scene, &work, &map, &[0, 4], FINE, &MapOptions::default());
    let (mut deep, mut pairs) = (0, 0);
    for (found, point) in found.iter().zip([0, 4]) {
        for (depth, cell) in found.iter().zip(map.point(point)) {
            let Some([least, most]) = depth else { continue };
            assert_eq!(cell.state, State::Collides);
            assert!(*least >= 0.0 && least <= most && most - least <= 2.0 * FINE, "{least} {most}");
            deep += usize::from(*least > 0.0);
        }
        let collide = map.point(point).iter().filter(|cell| cell.state == State::Collides).count();
        assert!(found.iter().flatten().count() <= collide);
        // The least of each pair is the least of all its stances.
        for (pair, stance, [low, high]) in least_depths(&setting.scene, &work, &map, point, FINE) {
            let of_pair = found.iter().zip(map.point(point)).filter(|(_, cell)| cell.pair() == Some(pair));
            let least =
                of_pair.filter_map(|(depth, _)| *depth).map(|depth| depth[0]).fold(f64::INFINITY, f64::min);
            assert!(high >= least && low <= least + 2.0 * FINE, "{low} {high} of {least}");
            assert_eq!(map.point(point)[stance].pair(), Some(pair));
            pairs += 1;
        }
    }
    assert!(deep > 0 && pairs > 1, "{found:?}");
}

/// The same as the map says.
#[test]
fn points_that_are_free_somewhere_are_known_sooner() {
    let setting = Setting::new(9, 30.0, true);
    let bare = Scene::new(Arc::clone(setting.scene.cell()));
    for clearance in [0.0, 0.002] {
        let work = setting.work(clearance);
        let map = feasible(&setting.scene, &work, &MapOptions::default());
        let mut points: Vec<WorkPoint> = setting.path.points().copied().collect();
        for (k, point) in points.iter().enumerate() {
            let is_free = map.point(k).iter().any(|cell| cell.state == State::Free);
            assert_eq!(all_free_somewhere(&bare, &work, &[*point]), is_free, "{k}");
        }
        assert!(all_free_somewhere(&bare, &work, &points));
        points[3].tip_in_world.z -= 5.0;
        assert!(!all_free_somewhere(&bare, &work, &points));
    }
}
