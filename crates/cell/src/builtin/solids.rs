//! Closed meshes of the shapes that machines are made of: turned, extruded, swept.
//!
//! All of them are one thing: rings of points, joined one to the next and closed at both ends.

use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::mesh::{self, Mesh};
use kansho_geom::{Pose, polygon};
use std::f64::consts::{FRAC_PI_2, TAU};

/// A convex outline without corners: the hull of discs, each given by its centre and radius.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outline(pub(super) Vec<(DVec2, f64)>);

impl Outline {
    pub(super) fn circle(radius: f64) -> Self {
        Self(vec![(DVec2::ZERO, radius)])
    }

    /// A rectangle around the origin that reaches `half` each way, its corners rounded.
    pub(super) fn rectangle(half: DVec2, radius: f64) -> Self {
        let c = half - radius;
        Self(
            [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
                .map(|(x, y)| (c * DVec2::new(x, y), radius))
                .into(),
        )
    }

    /// Points counter-clockwise on the outline after all discs have shrunk by `inset`.
    ///
    /// The points are those with evenly spread normals. Shrinking all discs alike does not change which of them is
    /// outermost in a direction, so the points of two insets correspond. No normal points along an axis, so flat sides
    /// fall short of their place by `radius · (1 − cos(π / sides))`.
    fn points(&self, inset: f64, sides: usize) -> impl Iterator<Item = DVec2> {
        (0..sides).map(move |side| {
            let normal = DVec2::from_angle(TAU * (side as f64 + 0.5) / sides as f64);
            let reach = |&(centre, radius): &(DVec2, f64)| centre.dot(normal) + radius;
            let outermost = self.0.iter().max_by(|a, b| reach(a).total_cmp(&reach(b)));
            let &(centre, radius) = outermost.expect("an outline has a disc");
            centre + normal * (radius - inset)
        })
    }
}

/// A frame with its z along the carrier's x, its x along −z, at a point.
pub(super) fn along_x(at: DVec3) -> Pose {
    Pose::from_translation(at) * Pose::turn(DVec3::Y, FRAC_PI_2)
}

/// A frame with its z along the carrier's y, its x along x, at a point. Outlines in it are drawn with [`side_view`].
pub(super) fn along_y(at: DVec3) -> Pose {
    Pose::from_translation(at) * Pose::turn(DVec3::X, -FRAC_PI_2)
}

/// The point (x, z) of the carrier in the plane of [`along_y`].
pub(super) fn side_view(x: f64, z: f64) -> DVec2 {
    DVec2::new(x, -z)
}

/// What a lathe makes of a profile of (height along z, radius) pairs. A radius of zero is a tip.
pub(super) fn turned(carrier_from_axis: Pose, profile: &[(f64, f64)], sides: usize) -> Mesh {
    let stations: Vec<(Pose, Outline)> = profile
        .iter()
        .map(|&(height, radius)| {
            (carrier_from_axis * Pose::from_translation(DVec3::Z * height), Outline::circle(radius))
        })
        .collect();
    swept(&stations, sides)
}

/// An outline in the x-y plane extruded along z from `from` to `to`, its edges rounded.
pub(super) fn extruded(
    carrier_from_plane: Pose,
    outline: &Outline,
    ends: [f64; 2],
    rounding: f64,
    sides: usize,
) -> Mesh {
    edged(carrier_from_plane, outline, ends, rounding, 2, sides)
}

/// As [`extruded`], its edges chamfered and its sides fewer: for parts that nobody looks at closely.
pub(super) fn sawn(carrier_from_plane: Pose, outline: &Outline, ends: [f64; 2], chamfer: f64) -> Mesh {
    edged(carrier_from_plane, outline, ends, chamfer, 1, 20)
}

/// A block around the origin of a frame: `half` each way, with all edges chamfered.
pub(super) fn block(carrier_from_block: Pose, half: DVec3, chamfer: f64) -> Mesh {
    // Eight sides: two of them stand for each edge along z, and the line between them is the chamfer.
    let outline = Outline::rectangle(half.truncate(), chamfer);
    edged(carrier_from_block, &outline, [-half.z, half.z], chamfer, 1, 8)
}

/// As [`extruded`]; `flats` stand for the quarter circle of a rounded edge, one for a chamfer.
fn edged(
    carrier_from_plane: Pose,
    outline: &Outline,
    [from, to]: [f64; 2],
    rounding: f64,
    flats: usize,
    sides: usize,
) -> Mesh {
    // How far inside the end face, and how far inside the outline.
    let edge = (0..=flats).map(|flat| {
        let (sin, cos) = (FRAC_PI_2 * flat as f64 / flats as f64).sin_cos();
        (rounding * (1.0 - cos), rounding * (1.0 - sin))
    });
    let bottom = edge.clone().map(|(depth, inset)| (from + depth, inset));
    let top = edge.rev().map(|(depth, inset)| (to - depth, inset));
    let rings: Vec<Vec<DVec3>> = bottom
        .chain(top)
        .map(|(height, inset)| {
            outline.points(inset, sides).map(|p| carrier_from_plane * p.extend(height)).collect()
        })
        .collect();
    lofted(&rings)
}

/// Outlines that follow each other along a spine, each in the x-y plane of its frame.
pub(super) fn swept(stations: &[(Pose, Outline)], sides: usize) -> Mesh {
    let rings: Vec<Vec<DVec3>> = stations
        .iter()
        .map(|(carrier_from_station, outline)| {
            outline.points(0.0, sides).map(|p| *carrier_from_station * p.extend(0.0)).collect()
        })
        .collect();
    lofted(&rings)
}

/// The solid between rings of equally many points, the first and the last filled.
///
/// A ring may shrink to a point. Whichever way the rings turn, the triangles face outward.
pub(super) fn lofted(rings: &[Vec<DVec3>]) -> Mesh {
    let sides = rings[0].len() as u32;
    let mut triangles = Vec::new();
    for below in (0..rings.len() as u32 - 1).map(|ring| ring * sides) {
        for (one, next) in (0..sides).map(|side| (below + side, below + (side + 1) % sides)) {
            triangles.extend([[one, next, next + sides], [one, next + sides, one + sides]]);
        }
    }
    let (first, last) = (&rings[0], &rings[rings.len() - 1]);
    let last_start = (rings.len() as u32 - 1) * sides;
    for (ring, start, turned_round) in [(first, 0, true), (last, last_start, false)] {
        let filling = polygon::fill(ring, &[]).expect("a ring has at least three points, and few");
        triangles.extend(filling.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|corner| corner + start);
            if turned_round { [a, c, b] } else { [a, b, c] }
        }));
    }
    solid(&rings.concat(), triangles)
}

/// The mesh of a closed surface: points rounded to what an STL file can hold, triangles facing outward.
pub(super) fn solid(points: &[DVec3], mut triangles: Vec<[u32; 3]>) -> Mesh {
    let points: Vec<DVec3> = points.iter().map(|p| p.as_vec3().as_dvec3()).collect();
    let weld = |triangles: &[[u32; 3]]| {
        mesh::weld(&points, triangles, 0.0).expect("points are finite and span a solid").mesh
    };
    let mesh = weld(&triangles);
    if mesh.volume() > 0.0 {
        return mesh;
    }
    triangles.iter_mut().for_each(|t| t.swap(1, 2));
    weld(&triangles)
}
