//! Arms whose kinds are known, and what every answer has to keep.

use crate::drafts::{cell_of, placed_robot};
use kansho_cell::ik::{ACCURACY, Ik, IkOptions, Solutions, Tip};
use kansho_cell::{Cell, JointDraft, JointKind, Limits, LinkDraft, Robot, RobotDraft};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::f64::consts::{PI, TAU};

/// A joint: where it is in the link before, and its axis there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    pub(crate) at: Pose,
    pub(crate) axis: DVec3,
    pub(crate) slides: bool,
    pub(crate) limits: (f64, f64),
}

pub(crate) fn turn(x: f64, y: f64, z: f64, axis: DVec3) -> Spec {
    Spec { at: Pose::from_translation(DVec3::new(x, y, z)), axis, slides: false, limits: (-PI, PI) }
}

/// A chain of links `l0` and on with joints `j1` and on, and a fixed link `tip` behind it.
pub(crate) fn serial(specs: &[Spec], last_from_tip: Pose) -> Robot {
    let names: Vec<String> = (0..=specs.len()).map(|k| format!("l{k}")).chain(["tip".to_owned()]).collect();
    let draft = |k: usize, kind: JointKind, at: Pose, limits: Option<Limits>| JointDraft {
        name: format!("j{}", k + 1),
        kind,
        parent: names[k].clone(),
        child: names[k + 1].clone(),
        parent_from_joint: at,
        limits,
        max_speed: None,
        mimic: None,
    };
    let mut joints: Vec<JointDraft> = specs
        .iter()
        .enumerate()
        .map(|(k, spec)| {
            let kind = if spec.slides {
                JointKind::Prismatic { axis: spec.axis }
            } else {
                JointKind::Revolute { axis: spec.axis }
            };
            draft(k, kind, spec.at, Some(Limits { lower: spec.limits.0, upper: spec.limits.1 }))
        })
        .collect();
    joints.push(draft(specs.len(), JointKind::Fixed, last_from_tip, None));
    let links = names.iter().map(|name| LinkDraft { name: name.clone(), pieces: Vec::new() }).collect();
    Robot::new(RobotDraft { name: "r".into(), links, joints }).expect("a good robot")
}

/// Offsets at shoulder and elbow, sideways too, axes the wrong way round, a tool that is tilted.
pub(crate) fn industrial() -> Vec<Spec> {
    let mut specs = vec![
        turn(0.0, 0.0, 0.4, -DVec3::Z),
        turn(0.15, 0.05, 0.1, DVec3::Y),
        turn(0.0, -0.02, 0.6, -DVec3::Y),
        turn(0.1, 0.03, 0.13, -DVec3::X),
        turn(0.5, 0.0, 0.0, DVec3::Y),
        turn(0.0, 0.0, 0.0, -DVec3::X),
    ];
    // Frames that are turned about on the way must not matter.
    specs[2].at = Pose::from_rpy(specs[2].at.translation(), DVec3::new(0.0, 0.7, 0.0));
    specs[3].at = Pose::from_rpy(DVec3::new(0.05, 0.03, 0.2), DVec3::new(0.0, -0.4, 0.3));
    specs[4].at = Pose::from_rpy(DVec3::new(0.5, 0.0, 0.0), DVec3::new(1.1, 0.0, 0.0));
    specs
}

/// As those of Universal Robots, with dimensions of our own.
pub(crate) fn three_parallel() -> Vec<Spec> {
    vec![
        turn(0.0, 0.0, 0.15, DVec3::Z),
        turn(0.0, 0.13, 0.0, DVec3::Y),
        turn(0.0, -0.1, 0.45, DVec3::Y),
        turn(0.0, 0.0, 0.4, -DVec3::Y),
        turn(0.0, 0.1, 0.0, DVec3::Z),
        turn(0.0, 0.0, 0.09, DVec3::Y),
    ]
}

/// Nothing parallel, nothing meets.
pub(crate) fn generic(count: usize) -> Vec<Spec> {
    let axes = [
        DVec3::new(0.1, 0.0, 1.0),
        DVec3::new(0.2, 1.0, 0.1),
        DVec3::new(1.0, 0.3, -0.2),
        DVec3::new(-0.3, 0.2, 1.0),
        DVec3::new(0.1, -1.0, 0.4),
        DVec3::new(0.9, 0.1, 0.5),
        DVec3::new(0.3, 0.8, 0.6),
    ];
    let at = |k: usize| DVec3::new(0.1 + 0.03 * k as f64, 0.02 * k as f64 - 0.05, 0.3 - 0.02 * k as f64);
    let spec = |k: usize| turn(at(k).x, at(k).y, at(k).z, axes[k % 7]);
    (0..count).map(spec).collect()
}

pub(crate) fn tilted_tool() -> Pose {
    Pose::from_rpy(DVec3::new(0.11, 0.02, -0.07), DVec3::new(0.3, 0.9, -0.4))
}

pub(crate) struct Arm {
    pub(crate) cell: Cell,
    pub(crate) ik: Ik,
}

impl Arm {
    pub(crate) fn new(specs: &[Spec], tip: Pose, world_from_root: Pose) -> Self {
        Self::of(serial(specs, tip), world_from_root, "r/tip")
    }

    pub(crate) fn of(robot: Robot, world_from_root: Pose, tip: &str) -> Self {
        let mut draft = cell_of(placed_robot("r", robot));
        draft.robots[0].world_from_root = world_from_root;
        let cell = Cell::new(draft).expect("a good cell");
        let tip = Tip::link(&cell, tip).expect("it has a tip");
        let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("it moves");
        Self { cell, ik }
    }

    /// Values from numbers between 0 and 1.
    pub(crate) fn values(&self, parts: &[f64]) -> Vec<f64> {
        let of = |(joint, part): (&kansho_cell::ik::ChainJoint, &f64)| {
            let (lower, upper) = joint.limits.map_or((-PI, PI), |limits| (limits.lower, limits.upper));
            lower + (upper - lower) * part
        };
        self.ik.joints().iter().zip(parts).map(of).collect()
    }

    /// Where the tip is, by the cell's forward kinematics.
    pub(crate) fn placed(&self, values: &[f64], tip: &str) -> Pose {
        let mut posture = self.cell.zero_posture();
        self.ik.put(values, &mut posture);
        let index = self.cell.link_names().iter().position(|name| name == tip).expect("the link is there");
        self.cell.place(&posture).world_from_link(kansho_cell::LinkId(index as u32))
    }

    /// Every solution reproduces the pose, is within limits, and says its own branch.
    pub(crate) fn check(&self, wanted: &Pose, solutions: &Solutions, rounding: f64) {
        for solution in solutions.iter() {
            let found = self.placed(solution.values, "r/tip");
            let shift = found.translation().distance(wanted.translation());
            let turn = angle_between(&found, wanted);
            assert!(
                shift <= ACCURACY + rounding && turn <= ACCURACY,
                "{shift:e} m, {turn:e} rad: {solution:?}"
            );
            for (value, joint) in solution.values.iter().zip(self.ik.joints()) {
                assert!(joint.limits.is_none_or(|limits| limits.contain(*value)), "{solution:?}");
            }
            let (branch, nearness) = self.ik.branch(solution.values);
            assert!(
                nearness.least() < 1e-4 || branch == solution.branch,
                "{solution:?}: {branch:?} {nearness:?}"
            );
        }
        for left in solutions.left_out() {
            let limit = |c: usize| self.cell.coordinates()[c].limits;
            if let kansho_cell::ik::LeftOut::Limit { coordinate, beyond, .. } = *left {
                assert!(limit(coordinate).is_some() && beyond > 0.0);
            }
        }
    }
}

pub(crate) fn angle_between(a: &Pose, b: &Pose) -> f64 {
    let apart = a.rotation() - b.rotation();
    apart.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt() / 2f64.sqrt()
}

/// The largest difference of two postures, whole turns aside.
pub(crate) fn apart(a: &[f64], b: &[f64]) -> f64 {
    let one = |(x, y): (&f64, &f64)| {
        let d: f64 = x - y;
        (d - TAU * (d / TAU).round()).abs()
    };
    a.iter().zip(b).map(one).fold(0.0, f64::max)
}
