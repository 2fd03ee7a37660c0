//! The shapes of the links of the arm, each in the frame of its link.
//!
//! Seen from the front, the turret, the forearm and the wrist are in the middle plane; the upper arm runs along the right
//! of it (negative y), the motors of joints 2 and 3 sit on the left. So the forearm folds past the upper arm. The wrist
//! hangs in a fork, deep enough for the flange to turn to either side by the whole range of joint 5.

use super::solids::{Outline, along_x, along_y, block, extruded, side_view, swept, turned};
use kansho_geom::Pose;
use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::mesh::Mesh;

/// Sides of large round parts.
const LARGE: usize = 48;
/// Sides of small round parts.
const SMALL: usize = 24;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// A motor along the z of a frame: flange, barrel, cover.
fn motor(carrier_from_motor: Pose, radius: f64, length: f64) -> Mesh {
    let neck = radius * 0.86;
    let profile = [
        (-0.01, radius * 0.9),
        (0.012, radius),
        (0.022, radius),
        (0.028, neck),
        (length * 0.62, neck),
        (length * 0.62 + 0.004, radius * 0.95),
        (length - 0.012, radius * 0.95),
        (length, radius * 0.75),
        (length, 0.0),
    ];
    turned(carrier_from_motor, &profile, SMALL)
}

/// Standing on the floor, up to the bearing of the first axis.
pub(super) fn base(c1: f64) -> Vec<Mesh> {
    let top = c1 - 0.245;
    let foot = Outline::rectangle(DVec2::new(0.215, 0.205), 0.05);
    let column = [
        (0.02, 0.19),
        (0.05, 0.186),
        (0.085, 0.165),
        (top - 0.06, 0.155),
        (top - 0.035, 0.172),
        (top - 0.008, 0.172),
        (top, 0.164),
        (top, 0.0),
    ];
    vec![
        extruded(Pose::IDENTITY, &foot, [0.0, 0.032], 0.006, LARGE),
        turned(Pose::IDENTITY, &[&[(0.02, 0.0)], &column[..]].concat(), LARGE),
        block(at(-0.185, 0.0, 0.125), DVec3::new(0.055, 0.085, 0.075), 0.012), // Where the cables come in.
    ]
}

/// Turns on the base and bears the second axis.
pub(super) fn turret(a1: f64) -> Vec<Mesh> {
    let ring = [
        (-0.24, 0.0),
        (-0.24, 0.168),
        (-0.232, 0.178),
        (-0.19, 0.178),
        (-0.165, 0.165),
        (-0.13, 0.15),
        (-0.10, 0.13),
        (-0.10, 0.0),
    ];
    let shoulder = Outline(vec![
        (side_view(a1, 0.0), 0.118),
        (side_view(0.02, -0.10), 0.085),
        (side_view(-0.085, -0.115), 0.07),
        (side_view(-0.03, -0.02), 0.07),
        (side_view(a1 - 0.02, -0.075), 0.06),
    ]);
    let gear = [(-0.095, 0.0), (-0.095, 0.10), (-0.088, 0.108), (-0.07, 0.108), (-0.07, 0.0)];
    vec![
        turned(Pose::IDENTITY, &ring, LARGE),
        extruded(along_y(DVec3::ZERO), &shoulder, [-0.08, 0.09], 0.018, LARGE),
        turned(along_y(DVec3::X * a1), &gear, LARGE),
        motor(along_y(DVec3::new(a1, 0.085, 0.0)), 0.078, 0.175),
        motor(at(-0.085, 0.0, -0.06), 0.066, 0.19),
    ]
}

/// From the second axis to the third, on the right, bent backward.
pub(super) fn upper_arm(c2: f64) -> Vec<Mesh> {
    /// Middle of the bar in y.
    const SIDE: f64 = -0.150;
    /// How far the bar bends back.
    const BOW: f64 = 0.045;
    const STATIONS: usize = 14;
    let stations: Vec<(Pose, Outline)> = (0..=STATIONS)
        .map(|station| {
            let s = station as f64 / STATIONS as f64;
            // A parabola through both axes, and the slope of it.
            let x = -4.0 * BOW * s * (1.0 - s);
            let slope = -4.0 * BOW * (1.0 - 2.0 * s) / c2;
            let waist = 1.0 - 0.22 * (std::f64::consts::PI * s).sin();
            let half = DVec2::new((0.115 - 0.028 * s) * waist, 0.052 - 0.006 * s);
            let rounding = half.y * 0.75;
            let frame = at(x, SIDE, c2 * s) * Pose::turn(DVec3::Y, slope.atan());
            (frame, Outline::rectangle(half, rounding))
        })
        .collect();
    let cap = |radius: f64, inner: f64, outer: f64| {
        [
            (inner, 0.0),
            (inner, radius * 0.92),
            (inner - 0.008, radius),
            (outer + 0.025, radius),
            (outer + 0.006, radius * 0.9),
            (outer, radius * 0.72),
            (outer, 0.0),
        ]
    };
    vec![
        swept(&stations, 40),
        turned(along_y(DVec3::ZERO), &cap(0.128, -0.097, -0.212), LARGE),
        turned(along_y(DVec3::Z * c2), &cap(0.098, -0.088, -0.205), LARGE),
    ]
}

/// Turns about the third axis and bears the forearm, `rise` above it.
pub(super) fn elbow(rise: f64) -> Vec<Mesh> {
    let housing = Outline(vec![
        (side_view(0.0, 0.0), 0.092),
        (side_view(-0.02, rise), 0.088),
        (side_view(0.12, rise), 0.085),
        (side_view(0.06, rise * 0.35), 0.05),
    ]);
    let gear = [(-0.086, 0.0), (-0.086, 0.080), (-0.07, 0.086), (-0.06, 0.086), (-0.06, 0.0)];
    let neck = [
        (0.14, 0.0),
        (0.14, 0.088),
        (0.205, 0.088),
        (0.222, 0.094),
        (0.252, 0.094),
        (0.258, 0.088),
        (0.258, 0.0),
    ];
    let backward = |y: f64, z: f64| {
        Pose::from_translation(DVec3::new(-0.085, y, z)) * Pose::turn(DVec3::Y, -std::f64::consts::FRAC_PI_2)
    };
    vec![
        extruded(along_y(DVec3::ZERO), &housing, [-0.078, 0.078], 0.022, LARGE),
        turned(along_y(DVec3::ZERO), &gear, LARGE),
        motor(along_y(DVec3::Y * 0.074), 0.066, 0.15),
        turned(along_x(DVec3::Z * rise), &neck, LARGE),
        motor(backward(0.0, rise + 0.036), 0.040, 0.135),
        motor(backward(-0.042, rise - 0.038), 0.036, 0.12),
        motor(backward(0.042, rise - 0.038), 0.036, 0.12),
    ]
}

/// Turns about its own length and ends in the fork of the wrist.
pub(super) fn forearm(c3: f64) -> Vec<Mesh> {
    let square = |x: f64, half: f64, rounding: f64| {
        (along_x(DVec3::X * x), Outline::rectangle(DVec2::splat(half), rounding))
    };
    let end = c3 - 0.135;
    let middle = |s: f64| 0.30 + (end - 0.06 - 0.30) * s;
    let tube = [
        square(0.262, 0.084, 0.0835),
        square(0.275, 0.090, 0.0895),
        square(0.295, 0.090, 0.085),
        square(middle(0.2), 0.078, 0.062),
        square(middle(0.6), 0.070, 0.050),
        square(middle(0.9), 0.068, 0.044),
        (along_x(DVec3::X * (end - 0.05)), Outline::rectangle(DVec2::new(0.068, 0.078), 0.040)),
        (along_x(DVec3::X * (end - 0.025)), Outline::rectangle(DVec2::new(0.068, 0.092), 0.036)),
        (along_x(DVec3::X * (end - 0.010)), Outline::rectangle(DVec2::new(0.066, 0.092), 0.034)),
        (along_x(DVec3::X * end), Outline::rectangle(DVec2::new(0.058, 0.084), 0.030)),
    ];
    let cheek = Outline(vec![
        (side_view(c3, 0.0), 0.062),
        (side_view(end - 0.01, 0.028), 0.036),
        (side_view(end - 0.01, -0.028), 0.036),
    ]);
    let cover = |outward: f64| {
        let profile = [(0.088, 0.0), (0.088, 0.050), (0.096, 0.050), (0.102, 0.042), (0.102, 0.0)];
        let profile = profile.map(|(height, radius)| (outward * height, radius));
        turned(along_y(DVec3::X * c3), &profile, SMALL)
    };
    vec![
        swept(&tube, 40),
        extruded(along_y(DVec3::ZERO), &cheek, [0.058, 0.092], 0.010, 40),
        extruded(along_y(DVec3::ZERO), &cheek, [-0.092, -0.058], 0.010, 40),
        cover(1.0),
        cover(-1.0),
    ]
}

/// Tilts in the fork; `c4` is the way from its axis to the flange.
pub(super) fn wrist(c4: f64) -> Vec<Mesh> {
    let snout = [
        (0.0, 0.0),
        (0.0, 0.048),
        (c4 - 0.052, 0.048),
        (c4 - 0.042, 0.045),
        (c4 - 0.037, 0.040),
        (c4 - 0.037, 0.0),
    ];
    vec![
        extruded(along_y(DVec3::ZERO), &Outline::circle(0.056), [-0.055, 0.055], 0.010, LARGE),
        turned(along_x(DVec3::ZERO), &snout, LARGE),
    ]
}

/// What tools are screwed to, behind the origin.
pub(super) fn flange() -> Vec<Mesh> {
    let profile = [
        (-0.035, 0.0),
        (-0.035, 0.038),
        (-0.032, 0.040),
        (-0.016, 0.040),
        (-0.013, 0.0315),
        (-0.002, 0.0315),
        (0.0, 0.0295),
        (0.0, 0.016),
        (-0.006, 0.0155),
        (-0.006, 0.0),
    ];
    vec![turned(along_x(DVec3::ZERO), &profile, LARGE)]
}
