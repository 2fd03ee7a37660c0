//! A six-axis arm of the 20 kg class with a spherical wrist, drawn for this project.

use super::housings;
use crate::body::{BodyPiece, Geometry};
use crate::joint::{JointKind, Limits};
use crate::robot::{JointDraft, Link, Robot, RobotDraft};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::Mesh;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

/// Where the axes are, with the letters of Brandstötter, Angerer and Hofbaur (2014) for arms with an ortho-parallel
/// basis and a spherical wrist. Their `b`, a sideways offset of the arm, is zero.
///
/// With all joints at zero the upper arm stands upright and the forearm points along x. Their third angle is ours and
/// 90 degrees, their other angles are ours. Where the last three axes meet, the wrist, is with `q23 = q2 + q3`
///
/// ```text
/// Rz(q1) · (a1 + c2 sin q2 − a2 sin q23 + c3 cos q23,  0,  c1 + c2 cos q2 − a2 cos q23 − c3 sin q23)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmDimensions {
    /// From the first axis forward to the second.
    pub a1: f64,
    /// From the third axis to that of the forearm: negative, because the forearm lies above the elbow.
    pub a2: f64,
    /// From the floor up to the second axis.
    pub c1: f64,
    /// From the second axis to the third: the upper arm.
    pub c2: f64,
    /// From the third axis to the wrist, along the forearm.
    pub c3: f64,
    /// From the wrist to the flange.
    pub c4: f64,
}

impl Default for ArmDimensions {
    fn default() -> Self {
        Self { a1: 0.16, a2: -0.20, c1: 0.50, c2: 0.80, c3: 0.84, c4: 0.10 }
    }
}

/// What is typical of the class, in degrees and degrees per second: lower limit, upper limit, speed of each joint.
const RANGES_DEG: [(f64, f64, f64); 6] = [
    (-170.0, 170.0, 180.0),
    (-95.0, 150.0, 175.0),
    (-190.0, 80.0, 180.0),
    (-190.0, 190.0, 360.0),
    (-125.0, 125.0, 360.0),
    (-350.0, 350.0, 540.0),
];

/// The arm: links `base_link`, `link_1` to `link_6`, `flange` and `tool0`, joints `joint_1` to `joint_6`, axes z, y, y,
/// x, y, x.
///
/// z of `tool0` points out of the flange. Each link is a few closed meshes, in its own frame.
///
/// # Panics
/// If a length leaves the housings no room: `a1` below 0.1, `a2` above −0.15 or below −0.3, `c1` below 0.4, `c2` below
/// 0.5, `c3` below 0.6, or `c4` below 0.09 or above 0.2.
#[must_use]
pub fn arm(dimensions: &ArmDimensions) -> Robot {
    let &ArmDimensions { a1, a2, c1, c2, c3, c4 } = dimensions;
    let roomy = a1 >= 0.1
        && (-0.3..=-0.15).contains(&a2)
        && c1 >= 0.4
        && c2 >= 0.5
        && c3 >= 0.6
        && (0.09..=0.2).contains(&c4);
    assert!(roomy, "the housings of the arm do not fit {dimensions:?}");

    let bodies = [
        ("base_link", housings::base(c1)),
        ("link_1", housings::turret(a1)),
        ("link_2", housings::upper_arm(c2)),
        ("link_3", housings::elbow(-a2)),
        ("link_4", housings::forearm(c3)),
        ("link_5", housings::wrist(c4)),
        ("link_6", housings::flange()),
        ("flange", Vec::new()),
        ("tool0", Vec::new()),
    ];
    let links = bodies.map(|(name, meshes)| Link { name: name.to_owned(), pieces: pieces(meshes) });
    let turning: [(DVec3, DVec3); 6] = [
        (DVec3::new(0.0, 0.0, c1), DVec3::Z),
        (DVec3::new(a1, 0.0, 0.0), DVec3::Y),
        (DVec3::new(0.0, 0.0, c2), DVec3::Y),
        (DVec3::new(0.0, 0.0, -a2), DVec3::X),
        (DVec3::new(c3, 0.0, 0.0), DVec3::Y),
        (DVec3::new(c4, 0.0, 0.0), DVec3::X),
    ];
    let turning = turning.iter().zip(RANGES_DEG).enumerate().map(|(index, (&(at, axis), range_deg))| {
        let (lower_deg, upper_deg, speed_deg) = range_deg;
        JointDraft {
            name: format!("joint_{}", index + 1),
            kind: JointKind::Revolute { axis },
            parent: links[index].name.clone(),
            child: links[index + 1].name.clone(),
            parent_from_joint: Pose::from_translation(at),
            limits: Some(Limits { lower: lower_deg.to_radians(), upper: upper_deg.to_radians() }),
            max_speed: Some(speed_deg.to_radians()),
            mimic: None,
        }
    });
    let fixed = |name: &str, parent: &str, child: &str, parent_from_joint: Pose| JointDraft {
        name: name.to_owned(),
        kind: JointKind::Fixed,
        parent: parent.to_owned(),
        child: child.to_owned(),
        parent_from_joint,
        limits: None,
        max_speed: None,
        mimic: None,
    };
    let flange_from_tool0 = Pose::from_rpy(DVec3::ZERO, DVec3::new(0.0, FRAC_PI_2, 0.0));
    let joints = turning
        .chain([
            fixed("joint_6-flange", "link_6", "flange", Pose::IDENTITY),
            fixed("flange-tool0", "flange", "tool0", flange_from_tool0),
        ])
        .collect();
    let draft = RobotDraft { name: "kansho_arm".to_owned(), links: links.into(), joints };
    Robot::new(draft).expect("the arm is a chain with valid joints")
}

/// Meshes as pieces that stand in the frame of what carries them.
pub(super) fn pieces(meshes: Vec<Mesh>) -> Vec<BodyPiece> {
    pieces_at(Pose::IDENTITY, meshes)
}

/// Meshes as pieces in a frame of their own.
pub(super) fn pieces_at(carrier_from_piece: Pose, meshes: Vec<Mesh>) -> Vec<BodyPiece> {
    let piece = |mesh| BodyPiece { geometry: Geometry::Mesh(Arc::new(mesh)), carrier_from_piece };
    meshes.into_iter().map(piece).collect()
}
