//! Time laws: limits hold by differences of postures alone, and the way stays where it was proven.

use crate::cam::Setting;
use kansho_cell::route::{Blend, Laws, MoveKind};
use kansho_check::motion::MotionScene;
use kansho_geom::glam::DVec3;
use kansho_plan::cam::{EdgeKind, PlanOptions, Planned, PlannedRun, plan};
use kansho_plan::timing::{TimeLimits, Timed, TimingFault, Why, timed};

fn limits(setting: &Setting, acceleration: f64, jerk: f64, tip_speed: f64) -> TimeLimits {
    let coordinates = setting.scene.cell().coordinates();
    TimeLimits {
        speed: coordinates.iter().map(|one| one.max_speed.expect("the arm has them")).collect(),
        acceleration: vec![acceleration; coordinates.len()],
        jerk: vec![jerk; coordinates.len()],
        tip_speed,
    }
}

fn run(setting: &Setting, kind: EdgeKind, zone: f64) -> PlannedRun {
    let scene = MotionScene::new(&setting.scene);
    let options = PlanOptions { kind, zone, ..PlanOptions::default() };
    let Planned::Path(mut path) = plan(&scene, &setting.work(0.0), &setting.map(), &options) else {
        panic!("there is a path")
    };
    path.runs.remove(0)
}

/// What corners are rounded by, in metres.
const ZONE: f64 = 0.0005;

fn some_points() -> Setting {
    let mut setting = Setting::new(180, 6.0, false);
    setting.path.strokes[0].points.truncate(40);
    setting
}

/// Differences of postures at equal times are means of derivatives: they keep to every limit that these keep to.
fn keeps_limits(timed: &Timed<'_>, limits: &TimeLimits) -> Vec<Vec<f64>> {
    const ROWS: usize = 20_000;
    let duration = timed.duration();
    let h = duration / ROWS as f64;
    let rows: Vec<Vec<f64>> =
        (0..=ROWS).map(|k| timed.at(h * k as f64).expect("a posture").posture).collect();
    for joint in 0..rows[0].len() {
        let q: Vec<f64> = rows.iter().map(|row| row[joint]).collect();
        let noise = 1e-13;
        let most = |list: &mut dyn Iterator<Item = f64>| list.fold(0.0f64, |most, x| most.max(x.abs()));
        let speed = most(&mut q.windows(2).map(|q| (q[1] - q[0]) / h));
        let change = most(&mut q.windows(3).map(|q| (q[2] - 2.0 * q[1] + q[0]) / (h * h)));
        let jerk = most(&mut q.windows(4).map(|q| (q[3] - 3.0 * q[2] + 3.0 * q[1] - q[0]) / h.powi(3)));
        assert!(speed <= limits.speed[joint] * (1.0 + 1e-6), "joint {joint}: {speed}");
        assert!(
            change <= limits.acceleration[joint] * (1.0 + 1e-3) + 4.0 * noise / h.powi(2),
            "joint {joint}: {change}"
        );
        assert!(jerk <= limits.jerk[joint] * (1.0 + 1e-2) + 8.0 * noise / h.powi(3), "joint {joint}: {jerk}");
    }
    rows
}

fn distance_from_line(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    p.distance(a.lerp(b, along))
}

/// Rounded corners are passed without a stop, at the speed that is wanted over most of the way, and no farther from the lines than their
/// triangles reach.
#[test]
fn rounded_corners_are_passed() {
    let setting = some_points();
    let zone = ZONE;
    let run = run(&setting, EdgeKind::Lin(Laws::Slerp), zone);
    for (acceleration, jerk) in [(20.0, 400.0), (4.0, 40.0)] {
        let limits = limits(&setting, acceleration, jerk, 0.02);
        let timed = timed(setting.scene.cell(), setting.tip, &setting.ik, &run, Blend::Inside, &limits)
            .expect("a law");
        let rows = keeps_limits(&timed, &limits);
        assert_eq!(timed.stops, 0);
        assert!(timed.work[1] > 0.5 * timed.work[0], "{:?}", timed.work);
        assert_eq!(timed.slow[0].why, Why::Stop);
        let PlannedRun::Tool { start, moves, .. } = &run else { panic!("lines of the tool") };
        let places: Vec<DVec3> = [setting.tip.placed(setting.scene.cell(), start).translation()]
            .into_iter()
            .chain(moves.iter().map(|one| match &one.kind {
                MoveKind::Line(to) => to.translation(),
                other => panic!("{other:?}"),
            }))
            .collect();
        for row in rows.iter().step_by(50) {
            let tip = setting.tip.placed(setting.scene.cell(), row).translation();
            let off =
                places.windows(2).map(|p| distance_from_line(tip, p[0], p[1])).fold(f64::INFINITY, f64::min);
            // The corner itself is at most the zone away, and the curve at most half of that from a line.
            assert!(off <= 0.5 * zone, "{off}");
        }
        let fastest = (0..=2000)
            .filter_map(|k| timed.at(timed.duration() * f64::from(k) / 2000.0)?.tip_speed)
            .fold(0.0, f64::max);
        assert!(fastest <= 0.02 * (1.0 + 1e-6) && fastest > 0.0199, "{fastest}");
    }
}

/// Without rounding it stops at every corner, exactly at the point; the tip is on the lines all the time.
#[test]
fn corners_that_are_not_rounded_are_stops() {
    let setting = Setting::new(24, 6.0, false);
    for kind in [EdgeKind::Lin(Laws::Slerp), EdgeKind::Ptp] {
        let run = run(&setting, kind, 0.0);
        let limits = limits(&setting, 10.0, 100.0, 0.05);
        let timed = timed(setting.scene.cell(), setting.tip, &setting.ik, &run, Blend::Inside, &limits)
            .expect("a law");
        let rows = keeps_limits(&timed, &limits);
        assert_eq!(timed.stops, 22);
        if let PlannedRun::Tool { .. } = run {
            let points: Vec<DVec3> = setting.path.points().map(|point| point.tip_in_world).collect();
            for row in rows.iter().step_by(50) {
                let tip = setting.tip.placed(setting.scene.cell(), row).translation();
                let off = points
                    .windows(2)
                    .map(|p| distance_from_line(tip, p[0], p[1]))
                    .fold(f64::INFINITY, f64::min);
                assert!(off < 1e-9, "{off}");
            }
            for point in points {
                let near = rows
                    .iter()
                    .map(|row| setting.tip.placed(setting.scene.cell(), row).translation().distance(point));
                assert!(near.fold(f64::INFINITY, f64::min) < 1e-5);
            }
        }
    }
}

/// Slower joints are named.
#[test]
fn the_joint_that_is_too_slow_is_named() {
    let setting = some_points();
    let run = run(&setting, EdgeKind::Lin(Laws::Slerp), ZONE);
    let mut limits = limits(&setting, 20.0, 400.0, 0.05);
    limits.speed[0] = 0.01;
    let timed_run =
        timed(setting.scene.cell(), setting.tip, &setting.ik, &run, Blend::Inside, &limits).expect("a law");
    keeps_limits(&timed_run, &limits);
    assert!(timed_run.slow.iter().any(|slow| slow.why == Why::Speed(0)), "{:?}", timed_run.slow);
    limits.jerk[3] = 0.0;
    let none = timed(setting.scene.cell(), setting.tip, &setting.ik, &run, Blend::Inside, &limits);
    assert_eq!(none.err(), Some(TimingFault::Limits));
}
