//! What holds the sheet: a frame on legs, pads below the sheet, clamps over its edge.

use super::sheet::{HALF_DEPTH, HALF_WIDTH, THICKNESS, face, face_normal, tapered};
use super::solids::{Outline, block, sawn, swept};
use kansho_geom::Pose;
use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::mesh::Mesh;
use std::f64::consts::FRAC_PI_2;

/// Height of the floor in the frame of the sheet.
const FLOOR: f64 = -super::SHEET_HEIGHT;
/// Upper side of the frame that carries everything.
const FRAME_TOP: f64 = -0.14;
/// Half the width of its bars.
const BAR: f64 = 0.03;
/// Half the distance of its long bars and its short ones.
const FRAME: DVec2 = DVec2::new(0.60, 0.30);

/// A clamp: where on the edge, how far its post rises over the edge, and whether it is driven from a block at the top.
struct Clamp {
    angle_deg: f64,
    rise: f64,
    driven: bool,
}

/// High and driven ones left, right and toward the arm, so that no single rotation of the tool about its axis passes them
/// all; low ones on the far side.
const CLAMPS: [Clamp; 7] = [
    Clamp { angle_deg: 4.0, rise: 0.170, driven: true },
    Clamp { angle_deg: 62.0, rise: 0.160, driven: true },
    Clamp { angle_deg: 122.0, rise: 0.160, driven: true },
    Clamp { angle_deg: 180.0, rise: 0.190, driven: true },
    Clamp { angle_deg: 236.0, rise: 0.035, driven: false },
    Clamp { angle_deg: 270.0, rise: 0.080, driven: false },
    Clamp { angle_deg: 306.0, rise: 0.035, driven: false },
];

/// The fixture as closed meshes in the frame of the sheet.
#[must_use]
pub fn fixture() -> Vec<Mesh> {
    let mut parts = frame();
    for place in [[-0.46, -0.22], [0.46, -0.22], [-0.38, 0.22], [0.38, 0.22], [0.0, -0.24], [0.0, 0.24]] {
        parts.extend(support(DVec2::from_array(place)));
    }
    CLAMPS.iter().for_each(|clamp| parts.extend(clamped(clamp)));
    parts
}

/// Four bars and four legs with feet.
fn frame() -> Vec<Mesh> {
    let middle = FRAME_TOP - BAR;
    let beam = |centre: DVec3, half: DVec3| block(Pose::from_translation(centre), half, 0.006);
    let mut parts = Vec::new();
    for side in [-1.0, 1.0] {
        let along = DVec3::new(FRAME.x + BAR, BAR, BAR);
        let across = DVec3::new(BAR, FRAME.y + BAR, BAR);
        parts.push(beam(DVec3::new(0.0, side * FRAME.y, middle), along));
        parts.push(beam(DVec3::new(side * FRAME.x, 0.0, middle), across));
        for end in [-1.0, 1.0] {
            let foot = DVec2::new(side * FRAME.x, end * FRAME.y);
            let length = middle - FLOOR;
            parts.push(beam(
                foot.extend(FLOOR + length / 2.0 + 0.005),
                DVec3::new(0.028, 0.028, length / 2.0 - 0.005),
            ));
            parts.push(sawn(
                Pose::from_translation(foot.extend(FLOOR)),
                &Outline::circle(0.055),
                [0.0, 0.014],
                0.004,
            ));
        }
    }
    // A shelf under the middle, to which the inner supports go.
    parts.push(beam(DVec3::new(0.0, 0.0, middle), DVec3::new(BAR, FRAME.y, BAR * 0.8)));
    parts
}

/// A post on a bracket, with a pad that lies against the sheet from below.
fn support(plan: DVec2) -> Vec<Mesh> {
    let normal = face_normal(plan);
    let below = face(plan) - normal * THICKNESS;
    let pad = Pose::from_translation(below) * turned_to(normal);
    let post_end = below - normal * 0.02;
    let carried = DVec2::new(plan.x, plan.y.signum() * FRAME.y);
    let bracket = Outline(vec![(post_end.truncate(), 0.028), (carried, 0.028)]);
    vec![
        sawn(pad, &Outline::circle(0.030), [-0.016, 0.0], 0.003),
        sawn(
            Pose::from_translation(post_end),
            &Outline::circle(0.014),
            [FRAME_TOP - post_end.z, 0.004],
            0.002,
        ),
        sawn(Pose::IDENTITY, &bracket, [FRAME_TOP - 0.01, FRAME_TOP + 0.012], 0.003),
    ]
}

/// A post beside the sheet, on a root that comes out of the frame, with a finger over the edge.
fn clamped(clamp: &Clamp) -> Vec<Mesh> {
    /// From the edge out to the middle of the post.
    const BESIDE: f64 = 0.034;
    /// From the edge in to the tip of the finger: well before the bead.
    const FINGER: f64 = 0.006;
    let half = DVec2::new(HALF_WIDTH, HALF_DEPTH);
    let edge_at = |angle: f64| tapered(half, DVec2::from_angle(angle) / half, 1.0);
    let angle = clamp.angle_deg.to_radians();
    let edge = edge_at(angle);
    // Square to the line between points of the edge a little to both sides.
    let outward = -(edge_at(angle + 1e-3) - edge_at(angle - 1e-3)).perp();
    let outward = outward.try_normalize().expect("the outline is smooth");
    let post = edge + outward * BESIDE;
    let top = face(edge).z + clamp.rise;
    let post_half = DVec3::new(0.013, 0.018, (top - FRAME_TOP) / 2.0);
    let facing = Pose::turn(DVec3::Z, outward.to_angle());
    // The root: from the frame out to the foot of the post.
    let inside = post.clamp(-FRAME, FRAME);
    let root = Outline(vec![(inside, 0.026), (post, 0.022)]);
    let upright = |height: f64| Pose::from_translation(post.extend(height)) * facing;
    let mut parts = vec![
        block(upright((FRAME_TOP + top) / 2.0), post_half, 0.004),
        sawn(Pose::IDENTITY, &root, [FRAME_TOP - 0.02, FRAME_TOP + 0.01], 0.003),
        finger(post, outward, BESIDE + FINGER, face(edge).z.max(face(edge - outward * FINGER).z)),
    ];
    if clamp.driven {
        let half = DVec3::new(0.019, 0.042, 0.052);
        parts.push(block(upright(top + 0.004 - half.z), half, 0.006));
        parts.push(sawn(upright(top), &Outline::circle(0.014), [0.0, 0.03], 0.004));
    }
    parts
}

/// From a post inward over the edge, thinner toward its tip, a millimetre over a height.
fn finger(post: DVec2, outward: DVec2, reach: f64, over: f64) -> Mesh {
    let outward_turn = Pose::turn(DVec3::Z, outward.to_angle());
    // The middle of a section lies half its height over the lower side; z of its frame points inward.
    let section = |along: f64, half: DVec2, rounding: f64| {
        let at = (post - outward * along).extend(over + 0.001 + half.x);
        let frame = Pose::from_translation(at) * outward_turn * Pose::turn(DVec3::Y, -FRAC_PI_2);
        (frame, Outline::rectangle(half, rounding))
    };
    let sections = [
        section(-0.006, DVec2::new(0.012, 0.012), 0.004),
        section(0.012, DVec2::new(0.012, 0.012), 0.004),
        section(reach - 0.012, DVec2::new(0.005, 0.010), 0.003),
        section(reach, DVec2::new(0.004, 0.008), 0.003),
    ];
    swept(&sections, 16)
}

/// The shortest turn of z to a direction that points upward.
fn turned_to(up: DVec3) -> Pose {
    Pose::from_axis_angle(DVec3::Z.cross(up), DVec3::Z.angle_between(up)).unwrap_or(Pose::IDENTITY)
}
