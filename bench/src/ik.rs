//! Inverse kinematics: from postures to poses and back.

use crate::clock::thread_secs;
use kansho::cell::ik::{Ik, IkOptions, LeftOut, Method, Solutions, Tip};
use kansho::cell::{Cell, CellDraft, RobotDraftInCell};
use kansho::geom::Pose;
use kansho::io::urdf::{self, RobotOptions};
use std::f64::consts::TAU;
use std::path::Path;

/// Six-axis robots, and the link that is the tip.
const ROBOTS: [(&str, &str); 8] = [
    ("abb_irb2400_support/urdf/irb2400.urdf", "tool0"),
    ("fanuc_m10ia_support/urdf/m10ia.urdf", "tool0"),
    ("kuka_kr6_support/urdf/kr6r900sixx.urdf", "tool0"),
    ("motoman_ma2010_support/urdf/ma2010.urdf", "tool0"),
    ("staubli_tx2_60_support/urdf/tx2_60l.urdf", "tool0"),
    ("tesseract/support/urdf/abb_irb2400_external_positioner.urdf", "tool0"),
    ("ur_description/urdf/ur5e.urdf", "tool0"),
    ("vamp_ur5/ur5.urdf", "tool0"),
];

/// Other chains, solved numerically.
const OTHERS: [(&str, &str); 2] = [
    ("moveit_resources_panda_description/urdf/panda.urdf", "panda_link8"),
    ("tesseract/support/urdf/abb_irb2400_on_positioner.urdf", "tool0"),
];

const POSTURES: usize = 100_000;

/// Every posture of every robot.
pub(crate) fn all(data: &Path) {
    println!("inverse kinematics, {POSTURES} postures within limits of each robot, one thread");
    println!(
        "robot: microseconds a pose, solutions a pose; not verified, worst misfit, without solution; not found again near a singularity, elsewhere"
    );
    for (file, tip) in ROBOTS {
        round_trips(&data.join("robots").join(file), tip, POSTURES);
    }
    for (file, tip) in OTHERS {
        round_trips(&data.join("robots").join(file), tip, POSTURES / 1000);
    }
}

fn round_trips(file: &Path, tip: &str, count: usize) {
    let robot = urdf::read(file, &RobotOptions::default()).expect("the robot is good").robot;
    let name = robot.name().to_owned();
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
    let mut state = 1u64;
    let postures: Vec<Vec<f64>> = (0..count)
        .map(|_| {
            let joint = |joint: &kansho::cell::ik::ChainJoint| {
                let (lower, upper) = joint.limits.map_or((-3.0, 3.0), |limits| (limits.lower, limits.upper));
                lower + (upper - lower) * random(&mut state)
            };
            ik.joints().iter().map(joint).collect()
        })
        .collect();
    let mut all = cell.zero_posture();
    let mut placed = cell.place(&all);
    let mut at = |values: &[f64]| {
        ik.put(values, &mut all);
        cell.place_into(&all, &mut placed);
        placed.world_from_link(tip.link)
    };
    let poses: Vec<Pose> = postures.iter().map(|values| at(values)).collect();

    let mut solutions = Solutions::default();
    let mut found = 0;
    let start = thread_secs();
    for pose in &poses {
        ik.solve_into(pose, None, &mut solutions);
        found += solutions.len();
    }
    let micros = (thread_secs() - start) * 1e6 / count as f64;

    let (mut near_singular, mut lost, mut not_verified, mut none) = (0, 0, 0, 0);
    let mut worst: f64 = 0.0;
    for (values, pose) in postures.iter().zip(&poses) {
        ik.solve_into(pose, None, &mut solutions);
        none += usize::from(solutions.is_empty());
        for solution in solutions.iter() {
            let back = at(solution.values);
            let turned =
                (back.rotation() - pose.rotation()).to_cols_array().iter().map(|x| x * x).sum::<f64>();
            worst = worst.max(back.translation().distance(pose.translation())).max((turned * 0.5).sqrt());
        }
        not_verified +=
            solutions.left_out().iter().filter(|left| matches!(left, LeftOut::NotVerified { .. })).count();
        let same = |solution: kansho::cell::ik::Solution<'_>| {
            solution.values.iter().zip(values).all(|(x, y)| {
                let apart = x - y;
                (apart - TAU * (apart / TAU).round()).abs() < 1e-6
            })
        };
        if !solutions.iter().any(same) {
            if ik.branch(values).1.least() < 1e-3 {
                near_singular += 1;
            } else {
                lost += 1;
            }
        }
    }
    let per_pose = found as f64 / count as f64;
    let method = match ik.method() {
        Method::SphericalWrist => "spherical wrist",
        Method::ThreeParallel => "three parallel axes",
        Method::Numerical(_) => "numerical",
    };
    println!(
        "{name} ({method}, {count}): {micros:.2} us, {per_pose:.2}; {not_verified}, {worst:.1e}, {none}; {}",
        {
            // A search does not list all, and of more than six axes there are infinitely many.
            if ik.solve(&poses[0]).complete() { format!("{near_singular}, {lost}") } else { "-".to_owned() }
        }
    );
}

/// A number from 0 to 1 (Marsaglia's xorshift).
fn random(state: &mut u64) -> f64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as f64 / (1u64 << 53) as f64
}
