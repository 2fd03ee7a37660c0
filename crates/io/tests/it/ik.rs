//! Inverse kinematics of real robots: from postures to poses and back.

use crate::real_data;
use kansho_cell::ik::{ACCURACY, Ik, IkOptions, LeftOut, Method, Solutions, Tip, WhyNumerical};
use kansho_cell::{Cell, CellDraft, RobotDraftInCell};
use kansho_geom::Pose;
use kansho_io::urdf::{self, RobotOptions};
use std::f64::consts::TAU;
use std::path::Path;

fn solver(robots: &Path, file: &str, tip: &str) -> (Cell, Tip, Ik) {
    let robot = urdf::read(&robots.join(file), &RobotOptions::default()).expect("the robot is good").robot;
    let draft = RobotDraftInCell {
        name: "r".into(),
        robot,
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let cell =
        Cell::new(CellDraft { robots: vec![draft], ..CellDraft::default() }).expect("the cell is good");
    let tip = Tip::link(&cell, &format!("r/{tip}")).expect("the robot has the link");
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("joints move it");
    (cell, tip, ik)
}

/// A posture of the chain; the same in every run.
fn values(ik: &Ik, i: u64) -> Vec<f64> {
    let value = |(k, joint): (u64, &kansho_cell::ik::ChainJoint)| {
        let (lower, upper) = joint.limits.map_or((-3.0, 3.0), |limits| (limits.lower, limits.upper));
        let part = (7919 * i + 104_729 * (k + 1) + 31 * i * i * (k + 1)) % 1_000_003;
        lower + (upper - lower) * part as f64 / 1_000_003.0
    };
    (0u64..).zip(ik.joints()).map(value).collect()
}

fn same(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(x, y)| (x - y - TAU * ((x - y) / TAU).round()).abs() < tolerance)
}

fn misfit(a: &Pose, b: &Pose) -> f64 {
    let turned = (a.rotation() - b.rotation()).to_cols_array().iter().map(|x| x * x).sum::<f64>();
    a.translation().distance(b.translation()).max((turned * 0.5).sqrt())
}

#[test]
fn six_axis_robots_come_back_to_every_posture() {
    let Some(data) = real_data() else { return };
    let robots = data.join("robots");
    let list = [
        ("abb_irb2400_support/urdf/irb2400.urdf", Method::SphericalWrist),
        ("fanuc_m10ia_support/urdf/m10ia.urdf", Method::SphericalWrist),
        ("kuka_kr6_support/urdf/kr6r900sixx.urdf", Method::SphericalWrist),
        ("motoman_ma2010_support/urdf/ma2010.urdf", Method::SphericalWrist),
        ("staubli_tx2_60_support/urdf/tx2_60l.urdf", Method::SphericalWrist),
        ("tesseract/support/urdf/abb_irb2400_external_positioner.urdf", Method::SphericalWrist),
        ("ur_description/urdf/ur5e.urdf", Method::ThreeParallel),
        ("vamp_ur5/ur5.urdf", Method::ThreeParallel),
    ];
    let mut solutions = Solutions::default();
    for (file, method) in list {
        let (cell, tip, ik) = solver(&robots, file, "tool0");
        assert_eq!(ik.method(), method, "{file}");
        let mut posture = cell.zero_posture();
        let mut regular = 0;
        for i in 0..2000 {
            let values = values(&ik, i);
            ik.put(&values, &mut posture);
            let wanted = cell.place(&posture).world_from_link(tip.link);
            ik.solve_into(&wanted, None, &mut solutions);
            for solution in solutions.iter() {
                ik.put(solution.values, &mut posture);
                let off = misfit(&cell.place(&posture).world_from_link(tip.link), &wanted);
                assert!(off <= ACCURACY, "{file} {i}: {off:e} {solution:?}");
                assert_eq!(cell.outside_limits(&posture).count(), 0);
            }
            let unverified = |left: &LeftOut| matches!(left, LeftOut::NotVerified { .. });
            assert!(!solutions.left_out().iter().any(unverified), "{file} {i}: {solutions:?}");
            let (_, nearness) = ik.branch(&values);
            if nearness.least() > 1e-3 {
                let back = solutions.iter().find(|solution| same(solution.values, &values, 1e-6));
                let back =
                    back.unwrap_or_else(|| panic!("{file} {i}: {values:?} {nearness:?} {solutions:?}"));
                assert!(
                    ik.turns(back.values)
                        .any(|turn| turn.iter().zip(&values).all(|(x, y)| (x - y).abs() < 1e-6))
                );
                regular += 1;
            }
        }
        assert!(regular > 1900, "{file}: {regular}");
    }
}

#[test]
fn seven_axes_are_solved_numerically_and_honestly() {
    let Some(data) = real_data() else { return };
    let robots = data.join("robots");
    let panda = "moveit_resources_panda_description/urdf/panda.urdf";
    for (file, tip) in [(panda, "panda_link8"), ("vamp_panda/panda.urdf", "panda_grasptarget")] {
        let (cell, tip, ik) = solver(&robots, file, tip);
        assert_eq!(ik.method(), Method::Numerical(WhyNumerical::Count(7)), "{file}");
        let mut posture = cell.zero_posture();
        for i in 0..30 {
            let values = values(&ik, i);
            ik.put(&values, &mut posture);
            let wanted = cell.place(&posture).world_from_link(tip.link);
            let solutions = ik.solve(&wanted);
            assert!(!solutions.complete() && !solutions.is_empty(), "{file} {i}: {:?}", solutions.why_none());
            for solution in solutions.iter() {
                ik.put(solution.values, &mut posture);
                assert!(misfit(&cell.place(&posture).world_from_link(tip.link), &wanted) <= ACCURACY);
                assert_eq!(cell.outside_limits(&posture).count(), 0);
            }
        }
    }
    // A six-axis arm on a positioner: with that held, it has a closed form.
    let (cell, tip, ik) = solver(&robots, "tesseract/support/urdf/abb_irb2400_on_positioner.urdf", "tool0");
    assert_eq!(ik.joints().len(), 7);
    for i in 0..200 {
        let values = values(&ik, i);
        let mut posture = cell.zero_posture();
        ik.put(&values, &mut posture);
        let wanted = cell.place(&posture).world_from_link(tip.link);
        let held = ik.with_held(0, values[0]).expect("within its limits");
        assert_eq!(held.method(), Method::SphericalWrist);
        let solutions = held.solve(&wanted);
        let singular = held.branch(&values[1..]).1.least() < 1e-3;
        assert!(singular || solutions.iter().any(|solution| same(solution.values, &values[1..], 1e-6)));
    }
}
