//! A nozzle on a bent tube, with its valve.

use super::solids::{Outline, block, sawn, swept, turned};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::Mesh;

/// The tool: how far the nozzle is bent, and how long it is after the bend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nozzle {
    /// Length of the last straight part, from 0.03.
    pub length: f64,
    /// Angle between the axis of the flange and the nozzle, from 45 to 105 degrees.
    pub bend: f64,
}

impl Default for Nozzle {
    fn default() -> Self {
        Self { length: 0.050, bend: 75_f64.to_radians() }
    }
}

impl Nozzle {
    /// Where the point that works is: its z along the nozzle, its origin at the opening.
    #[must_use]
    pub fn tool0_from_tcp(&self) -> Pose {
        let (sin, cos) = self.bend.sin_cos();
        let tcp_in_tool0 = DVec3::new(OFFSET + self.length * sin, 0.0, RISE + self.length * cos);
        Pose::from_rpy(tcp_in_tool0, DVec3::new(0.0, self.bend, 0.0))
    }
}

/// The straight part begins this far beside the axis of the flange,
const OFFSET: f64 = 0.05;
/// and this far in front of it.
const RISE: f64 = 0.20;
/// Radius of the bend, of the middle line of the tube.
const BEND_RADIUS: f64 = 0.045;
/// The holder ends here.
const HOLDER: f64 = 0.115;

/// The tool as closed meshes in the frame `tool0`.
///
/// The tube leaves the holder along z, bends, and runs straight into the opening, which is a disc of 2 mm radius around
/// the origin of the working frame: nothing reaches beyond it.
///
/// # Panics
/// If the nozzle is shorter or bent otherwise than [`Nozzle`] allows.
#[must_use]
pub fn nozzle(nozzle: &Nozzle) -> Vec<Mesh> {
    let fits = nozzle.length >= 0.03 && (45_f64.to_radians()..=105_f64.to_radians()).contains(&nozzle.bend);
    assert!(fits, "the tube cannot be bent like {nozzle:?}");
    let plate = [
        (0.0, 0.0),
        (0.0, 0.044),
        (0.003, 0.047),
        (0.011, 0.047),
        (0.014, 0.044),
        (0.014, 0.030),
        (0.014, 0.0),
    ];
    let holder = [
        (0.010, 0.0),
        (0.010, 0.030),
        (0.055, 0.030),
        (0.060, 0.026),
        (0.088, 0.026),
        (0.094, 0.020),
        (0.108, 0.018),
        (HOLDER, 0.014),
        (HOLDER, 0.0),
    ];
    let beside = |x: f64, z: f64| Pose::from_translation(DVec3::new(x, 0.0, z));
    vec![
        turned(Pose::IDENTITY, &plate, 40),
        turned(Pose::IDENTITY, &holder, 32),
        block(beside(-0.052, 0.052), DVec3::new(0.030, 0.024, 0.034), 0.005), // The valve,
        sawn(beside(-0.060, 0.0), &Outline::circle(0.014), [0.080, 0.128], 0.003), // and its drive.
        tube(nozzle),
    ]
}

/// The bent tube, round all along, thinner toward the opening.
fn tube(nozzle: &Nozzle) -> Mesh {
    const SIDES: usize = 24;
    const ARC_STEPS: usize = 12;
    let tool0_from_tcp = nozzle.tool0_from_tcp();
    // The line of the nozzle meets the axis of the flange here; the arc touches both, a tangent's length away.
    let meeting_height = RISE - OFFSET / nozzle.bend.tan();
    let tangent = BEND_RADIUS * (nozzle.bend / 2.0).tan();
    let arc_start = DVec3::Z * (meeting_height - tangent);
    let arc_centre = arc_start + DVec3::X * BEND_RADIUS;
    let arc = (0..=ARC_STEPS).map(|step| {
        let angle = nozzle.bend * step as f64 / ARC_STEPS as f64;
        let turn = Pose::turn(DVec3::Y, angle);
        (Pose::from_translation(arc_centre) * turn * Pose::from_translation(-DVec3::X * BEND_RADIUS), 0.008)
    });
    let before_tcp = |distance: f64| tool0_from_tcp * Pose::from_translation(DVec3::NEG_Z * distance);
    let stations: Vec<(Pose, Outline)> =
        std::iter::once((Pose::from_translation(DVec3::Z * (HOLDER - 0.01)), 0.008))
            .chain(arc)
            .chain([
                (before_tcp(0.026), 0.008),
                (before_tcp(0.025), 0.0095), // The nut that holds the tip.
                (before_tcp(0.017), 0.0095),
                (before_tcp(0.016), 0.006),
                (before_tcp(0.0), 0.002),
            ])
            .map(|(tool0_from_station, radius)| (tool0_from_station, Outline::circle(radius)))
            .collect();
    swept(&stations, SIDES)
}
