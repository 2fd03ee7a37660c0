//! Are the meshes solids of the right size, and is the path where the formula says?

use crate::body::Geometry;
use crate::builtin::*;
use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::mesh::audit;
use std::f64::consts::TAU;

/// All meshes of the cell with the name of their body.
fn meshes(cell: &Cell) -> impl Iterator<Item = (&str, &Mesh)> {
    cell.bodies().iter().flat_map(|body| {
        body.pieces.iter().filter_map(|piece| match &piece.geometry {
            Geometry::Mesh(mesh) => Some((body.name.as_str(), mesh.as_ref())),
            Geometry::Primitive(_) => None,
        })
    })
}

#[track_caller]
fn assert_sound(name: &str, mesh: &Mesh) {
    let found = audit(mesh);
    assert!(found.is_solid(), "{name}: {found:?}");
    assert!(found.volume > Some(0.0), "{name} is inside out: {found:?}");
    assert_eq!((found.pieces, found.flat_triangles.count, found.crowded_edges.count), (1, 0, 0), "{name}");
    for p in mesh.vertices() {
        assert_eq!(p.as_vec3().as_dvec3(), *p, "{name}: an STL file would round this vertex");
    }
}

#[test]
fn every_mesh_is_one_solid_that_files_hold_exactly() {
    meshes(&cell()).for_each(|(name, mesh)| assert_sound(name, mesh));
}

#[test]
fn links_have_enough_triangles_to_look_at_and_not_too_many() {
    let cell = cell();
    for body in cell.bodies().iter().filter(|body| body.name.starts_with("arm/")) {
        let triangles: usize = body.pieces.iter().map(|piece| piece.geometry.triangles()).sum();
        assert!((500..=3_000).contains(&triangles), "{} has {triangles} triangles", body.name);
    }
}

#[test]
fn other_arms_and_tools_are_solid_too() {
    let long = ArmDimensions { a1: 0.3, a2: -0.25, c1: 0.8, c2: 1.3, c3: 1.5, c4: 0.15 };
    let short = ArmDimensions { a1: 0.1, a2: -0.15, c1: 0.4, c2: 0.5, c3: 0.6, c4: 0.09 };
    for dimensions in [long, short] {
        for link in arm(&dimensions).links() {
            for piece in &link.pieces {
                let Geometry::Mesh(mesh) = &piece.geometry else { panic!("links are meshes") };
                assert_sound(&link.name, mesh);
            }
        }
    }
    for bend_deg in [45.0, 60.0, 90.0, 105.0_f64] {
        let tool = Nozzle { length: 0.06, bend: bend_deg.to_radians() };
        nozzle(&tool).iter().for_each(|mesh| assert_sound("tool", mesh));
    }
    for grid in [2, 4, 30] {
        let mesh = sheet(grid);
        assert_sound("sheet", &mesh);
        assert_eq!(mesh.triangles().len(), 4 * grid * grid + 8 * grid);
    }
}

/// Sum over the plan of the sheet, in polar coordinates of the outline as the formula writes it: `r(t)` and taper.
///
/// The trapezoid rule in `t` (periodic) and Simpson's in the fraction of the radius.
fn over_the_plan(density: impl Fn(DVec2) -> f64) -> f64 {
    const AROUND: usize = 2_000;
    const OUTWARD: usize = 100;
    let (a, b) = (0.65_f64, 0.40_f64);
    let point = |t: f64, fraction: f64| {
        let r = fraction * ((t.cos() / a).abs().powi(4) + (t.sin() / b).abs().powi(4)).powf(-0.25);
        let y = r * t.sin();
        (DVec2::new(r * t.cos() * (1.0 - 0.15 * y / b), y), r, y)
    };
    let mut sum = 0.0;
    for around in 0..AROUND {
        let t = TAU * around as f64 / AROUND as f64;
        let rim = point(t, 1.0).1;
        for outward in 0..=OUTWARD {
            let fraction = outward as f64 / OUTWARD as f64;
            let weight = match outward {
                0 | OUTWARD => 1.0,
                odd if odd % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let (plan, r, y) = point(t, fraction);
            // The taper scales x by a factor that depends on y alone: it is the determinant.
            let stretch = 1.0 - 0.15 * y / b;
            sum += weight * density(plan) * r * rim * stretch;
        }
    }
    sum / 3.0 / OUTWARD as f64 * TAU / AROUND as f64
}

#[test]
fn the_sheet_has_the_area_and_the_volume_of_the_formula() {
    let steepness = |p: DVec2| (1.0 + (p.x / 1.2).powi(2) + (p.y / 4.0).powi(2)).sqrt();
    let upper = over_the_plan(steepness);
    // Below a face of mean curvature H and Gaussian curvature K the sheet of thickness h holds h − h²·H + h³·K/3 per
    // area: on the upper, hollow side the parallel faces grow wider downward, so H counts negative here.
    let h = THICKNESS;
    let volume = over_the_plan(|p| {
        let (fx, fy, fxx, fyy) = (p.x / 1.2, p.y / 4.0, 1.0 / 1.2, 1.0 / 4.0);
        let w = steepness(p);
        let mean = ((1.0 + fy * fy) * fxx + (1.0 + fx * fx) * fyy) / (2.0 * w.powi(3));
        let gauss = fxx * fyy / w.powi(4);
        (h + h * h * mean + h * h * h * gauss / 3.0) * w
    });
    let mesh = sheet(GRID);
    // The corners of the upper face come first.
    let above = |t: &[u32; 3]| t.iter().all(|&corner| (corner as usize) < mesh.vertices().len() / 2);
    let upper_triangles = mesh.triangles().iter().zip(mesh.corners()).filter(|(t, _)| above(t));
    let meshed_upper: f64 = upper_triangles.map(|(_, [a, b, c])| 0.5 * (b - a).cross(c - a).length()).sum();
    // The rim is a polygon of 208 sides inside the outline: it cuts off about a thousandth, chiefly at the corners.
    assert!((meshed_upper / upper - 1.0).abs() < 2e-3, "{meshed_upper} is not {upper}");
    assert!((mesh.volume() / volume - 1.0).abs() < 2e-3, "{} is not {volume}", mesh.volume());
    assert!(meshed_upper < upper && mesh.volume() < volume);
}

#[test]
fn the_sheet_is_equally_thick() {
    let mesh = sheet(GRID);
    let half = mesh.vertices().len() / 2;
    for (above, below) in mesh.vertices()[..half].iter().zip(&mesh.vertices()[half..]) {
        let normal = face_normal(above.truncate());
        // f32 rounds coordinates below one metre by at most 3e-8.
        assert!((*above - *below - normal * THICKNESS).length() < 2e-7, "{above} {below}");
        assert!((face(above.truncate()) - *above).length() < 1e-7);
    }
}

#[test]
fn points_of_the_path_are_equally_spaced() {
    for points in [POINTS, 10, 1_000] {
        let path = path(points);
        assert_eq!(path.len(), points);
        // Length between neighbours by a rule of its own: many chords between points of the formula, extrapolated.
        let angles: Vec<f64> = path.iter().map(|p| untapered_angle(p.face_in_sheet)).collect();
        let step = |k: usize| {
            let (from, to) = (angles[k], if k + 1 < points { angles[k + 1] } else { TAU });
            chords(from, to, points, bead)
        };
        let spacing = whole(bead) / points as f64;
        for k in 0..points {
            assert!((step(k) - spacing).abs() < 1e-9, "after point {k}: {} is not {spacing}", step(k));
        }
    }
}

#[test]
fn the_path_has_its_length_on_the_face_and_at_the_tool() {
    let close = |length: f64, expected: f64| (length - expected).abs() < 0.5e-4;
    let tcp = |t: f64| {
        let face_in_sheet = bead(t);
        face_in_sheet + face_normal(face_in_sheet.truncate()) * STANDOFF
    };
    assert!(close(whole(bead), 3.7167), "{}", whole(bead));
    assert!(close(whole(tcp), 3.7104), "{}", whole(tcp));
    let path = path(POINTS);
    let polygon = |at: fn(&PathPoint) -> DVec3| -> f64 {
        (0..POINTS).map(|k| at(&path[k]).distance(at(&path[(k + 1) % POINTS]))).sum()
    };
    assert!(close(polygon(|p| p.face_in_sheet), 3.7167));
    assert!(close(polygon(|p| p.tcp_in_sheet), 3.7104));
}

/// The bead as the formula writes it.
fn bead(t: f64) -> DVec3 {
    let (a, b) = (0.65_f64 - 0.015, 0.40_f64 - 0.015);
    let r = ((t.cos() / a).abs().powi(4) + (t.sin() / b).abs().powi(4)).powf(-0.25);
    let y = r * t.sin();
    let x = r * t.cos() * (1.0 - 0.15 * y / b);
    DVec3::new(x, y, x * x / 2.4 + y * y / 8.0)
}

/// The polar angle of a point of the bead before its taper, from 0 to a whole turn.
fn untapered_angle(face_in_sheet: DVec3) -> f64 {
    let x = face_in_sheet.x / (1.0 - 0.15 * face_in_sheet.y / (0.40 - 0.015));
    let angle = face_in_sheet.y.atan2(x);
    if angle < 0.0 { angle + TAU } else { angle }
}

/// Length of a curve by chords, with Richardson's extrapolation; finer where `parts` of the whole are fewer.
fn chords(from: f64, to: f64, parts: usize, curve: impl Fn(f64) -> DVec3) -> f64 {
    let sum = |n: usize| -> f64 {
        let at = |k: usize| curve(from + (to - from) * k as f64 / n as f64);
        (0..n).map(|k| at(k).distance(at(k + 1))).sum()
    };
    let n = 20_000 / parts + 4;
    (4.0 * sum(2 * n) - sum(n)) / 3.0
}

fn whole(curve: impl Fn(f64) -> DVec3) -> f64 {
    chords(0.0, TAU, 1, curve)
}

#[test]
fn the_path_keeps_its_distance_from_the_meshed_sheet() {
    let mesh = sheet(GRID);
    // Between its corners the mesh bridges the hollow face: at most an eighth of curvature times the squared sides of a
    // grid square, which are up to 30 mm and 19 mm long.
    let bridged = (0.030_f64.powi(2) / 1.2 + 0.019_f64.powi(2) / 4.0) / 8.0;
    for point in path(POINTS).iter().step_by(97) {
        let nearest = mesh
            .corners()
            .map(|triangle| distance_to_triangle(point.tcp_in_sheet, triangle))
            .fold(f64::INFINITY, f64::min);
        let short = STANDOFF - nearest;
        assert!(short > -1e-7 && short < bridged, "{short} of {bridged} at {point:?}");
        let foot = point.tcp_in_sheet + point.direction_in_sheet * STANDOFF;
        assert!(foot.distance(point.face_in_sheet) < 1e-15);
        assert!((point.direction_in_sheet.length() - 1.0).abs() < 1e-15);
    }
}

/// Distance to a triangle: to its plane if the foot is inside, otherwise to its edges.
fn distance_to_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let within =
        [(a, b), (b, c), (c, a)].iter().all(|&(one, next)| normal.cross(next - one).dot(p - one) >= 0.0);
    if within {
        return (p - a).dot(normal).abs() / normal.length();
    }
    let to_edge = |(one, next): (DVec3, DVec3)| {
        let along = next - one;
        let t = ((p - one).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        p.distance(one + along * t)
    };
    [(a, b), (b, c), (c, a)].map(to_edge).into_iter().fold(f64::INFINITY, f64::min)
}
