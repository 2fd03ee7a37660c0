//! Sphere models of meshes and robots.

use crate::problems::{cell, rooms};
use crate::run::{Run, csv, kansho, real_data};
use kansho::cell::{BodyKind, BodyPiece, Geometry};
use kansho::geom::glam::DVec3;
use kansho::geom::primitive::Shape;
use kansho::geom::spheres::search::{Packed, SphereScratch, meet};
use kansho::geom::spheres::{CoverOptions, Hierarchy, Surface, cover};
use kansho::io::mesh::{self, MeshOptions};
use kansho::io::problems::Problem;
use kansho::io::urdf::{self, RobotOptions};
use std::ffi::OsString;
use std::path::Path;

fn spheres(file: &Path, more: &[&str]) -> Run {
    let more = more.iter().map(OsString::from);
    kansho(["spheres".into(), file.as_os_str().to_owned()].into_iter().chain(more))
}

/// A cube of 1 m.
const CUBE: &str = "v -.5 -.5 -.5\nv .5 -.5 -.5\nv -.5 .5 -.5\nv .5 .5 -.5\nv -.5 -.5 .5\nv .5 -.5 .5\nv -.5 .5 .5\nv .5 .5 .5\n\
                    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

const ROBOT: &str = r#"<robot name="r">
  <link name="base">
    <collision><origin xyz="0 0 1" rpy="0.3 0.2 0.1"/><geometry><mesh filename="cube.obj"/></geometry></collision>
    <collision><geometry><cylinder radius="0.2" length="1"/></geometry></collision>
    <inertial><mass value="1.50"/></inertial>
  </link>
  <link name="ball"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.7"/></geometry></collision></link>
  <link name="bare"/>
  <joint name="j" type="revolute"><parent link="base"/><child link="ball"/><limit lower="-1" upper="1" velocity="2" effort="3"/></joint>
  <joint name="k" type="fixed"><parent link="ball"/><child link="bare"/></joint>
</robot>
"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        std::fs::write(folder.at("cube.obj"), CUBE).expect("written");
        std::fs::write(folder.at("r.urdf"), ROBOT).expect("written");
        folder
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }
}

#[test]
fn a_mesh_gets_ranks_of_spheres() {
    let folder = Folder::new();
    let out = folder.at("spheres.csv");
    let path = out.to_str().expect("plain letters");
    let run = spheres(&folder.at("cube.obj"), &["--radius", "0.1", "--out", path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("rank  radius (m)    spheres\n   1  0.866025      1\n"), "{}", run.stdout);
    assert!(run.stdout.contains("within 2 (r_A + r_B): 0.400000 m"), "{}", run.stdout);
    let rows = csv(&out);
    let json = spheres(&folder.at("cube.obj"), &["--radius", "0.1", "--json"]).json();
    assert_eq!(json["spheres"].as_u64(), Some(rows.len() as u64));
    assert_eq!(json["ranks"].as_array().map(Vec::len), Some(4));
    assert!(rows.iter().all(|row| row["r"] == "0.1"));
    // Every rank with its parents.
    let run =
        spheres(&folder.at("cube.obj"), &["--radius", "0.1", "--all-ranks", "--ranks", "3", "--out", path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let rows = csv(&out);
    assert_eq!((rows[0]["rank"].as_str(), rows[0]["parent"].as_str()), ("1", ""));
    for row in &rows[1..] {
        let parent: usize = row["parent"].parse().expect("a row");
        let rank =
            |row: &std::collections::HashMap<String, String>| row["rank"].parse::<usize>().expect("a rank");
        assert_eq!(rank(&rows[parent - 1]) + 1, rank(row));
    }
    // A number of spheres instead of their size; threads change nothing.
    let json = |more: &[&str]| {
        spheres(&folder.at("cube.obj"), &[&["--count", "500", "--json"], more].concat()).json()
    };
    assert!((200..=500).contains(&json(&[])["spheres"].as_u64().expect("a number")));
    assert_eq!(json(&["--threads", "1"]), json(&["--threads", "3"]));
    // In millimetres it is smaller than a sphere.
    let run = spheres(&folder.at("cube.obj"), &["--radius", "0.1", "--units", "mm"]);
    assert!(run.code == 0 && run.stdout.contains("one sphere covers the whole mesh"), "{}", run.stdout);
}

#[test]
fn a_robot_is_spherized() {
    let folder = Folder::new();
    let out = folder.at("new.urdf");
    let path = out.to_str().expect("plain letters");
    let original = urdf::read(&folder.at("r.urdf"), &RobotOptions::default()).expect("a robot").robot;
    for size in [["--radius", "0.2"], ["--count", "30"], ["--count", "1"]] {
        let run = spheres(&folder.at("r.urdf"), &[&size[..], &["--out", path]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let text = std::fs::read_to_string(&out).expect("written");
        assert!(!text.contains("mesh") && !text.contains("cylinder"), "{text}");
        for kept in
            ["<mass value=\"1.50\"/>", "velocity=\"2\" effort=\"3\"/></joint>\n", "<link name=\"bare\"/>"]
        {
            assert!(text.contains(kept), "{text}");
        }
        let robot = urdf::read(&out, &RobotOptions::default()).expect("a robot").robot;
        let balls = balls(&robot.links()[0].pieces);
        match size[0] {
            "--radius" => assert!(balls.iter().all(|ball| ball.1 <= 0.2)),
            _ => assert_eq!(balls.len().to_string(), size[1]),
        }
        let [cube, cylinder] = &original.links()[0].pieces[..] else { panic!("two shapes") };
        for k in 0..20_000usize {
            let [u, v] =
                [0.754_877_666_246_692_7, 0.569_840_290_998_053_3].map(|a: f64| (a * k as f64).fract());
            let side = if k % 2 == 0 { 0.5 } else { -0.5 };
            let face = [[u - 0.5, v - 0.5, side], [side, u - 0.5, v - 0.5], [v - 0.5, side, u - 0.5]][k % 3];
            let turn = (std::f64::consts::TAU * u).sin_cos();
            let round = DVec3::new(0.2 * turn.1, 0.2 * turn.0, v - 0.5);
            for p in [cube.carrier_from_piece * DVec3::from(face), cylinder.carrier_from_piece * round] {
                assert!(balls.iter().any(|(centre, radius)| centre.distance(p) <= *radius), "{size:?} {p}");
            }
        }
        // What is a sphere stays one.
        assert_eq!(self::balls(&robot.links()[1].pieces), self::balls(&original.links()[1].pieces));
    }
}

fn balls(pieces: &[BodyPiece]) -> Vec<(DVec3, f64)> {
    let ball = |piece: &BodyPiece| match &piece.geometry {
        Geometry::Primitive(primitive) => match primitive.shape() {
            Shape::Sphere { radius } => (piece.carrier_from_piece.translation(), radius),
            other => panic!("{other:?} is no sphere"),
        },
        Geometry::Mesh(_) => panic!("a mesh is no sphere"),
    };
    pieces.iter().map(ball).collect()
}

#[test]
fn sizes_without_sense_are_refused() {
    let folder = Folder::new();
    for file in ["cube.obj", "r.urdf"] {
        for (size, what) in [
            (&["--radius", "0"][..], "greater than zero, not 0"),
            (&["--radius", "-1"], "greater than zero, not -1"),
            (&["--radius", "nan"], "greater than zero, not NaN"),
            (&["--radius", "1e-6"], "spheres of radius 0.000001 m would be about"),
            (&["--radius", "1e-15"], "too small for coordinates"),
            (&["--count", "0"], "takes one sphere at least"),
            (&["--count", "3", "--radius", "1"], "cannot be used with"),
            (&[], "required"),
        ] {
            let run = spheres(&folder.at(file), size);
            assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{file} {size:?}");
            assert!(run.stderr.contains(what), "{file} {size:?}: {}", run.stderr);
        }
        let itself = folder.at(file);
        let run = spheres(&itself, &["--radius", "0.3", "--out", itself.to_str().expect("plain letters")]);
        assert!(run.code == 3 && run.stderr.contains("not overwritten"), "{}", run.stderr);
    }
    let run = spheres(&folder.at("r.urdf"), &["--radius", "0.3", "--ratio", "2"]);
    assert!(run.code == 3 && run.stderr.contains("are for meshes"), "{}", run.stderr);
    let run = spheres(&folder.at("cube.obj"), &["--radius", "0.3", "--ratio", "1"]);
    assert!(run.code == 3 && run.stderr.contains("from 1.1 to 100"), "{}", run.stderr);
}

/// Whether a point lies in a smallest sphere below one, and in all on the way.
fn covered(hierarchy: &Hierarchy, p: DVec3, rank: usize, sphere: usize) -> bool {
    let this = &hierarchy.ranks()[rank];
    this.centres()[sphere].distance(p) <= this.radius()
        && (rank + 1 == hierarchy.ranks().len()
            || this.children(sphere).any(|child| covered(hierarchy, p, rank + 1, child)))
}

#[test]
fn fifty_real_meshes_are_covered_at_every_rank() {
    let Some(data) = real_data() else { return };
    let rows = csv(&data.join("MESHES.csv"));
    let mut looked_at = 0;
    for k in 0..50 {
        let file = data.join(&rows[k * rows.len() / 50]["file"]);
        let mesh = mesh::read(&file, &MeshOptions::default()).expect("a mesh").mesh;
        let radius = mesh.aabb().extent().max_element() / 30.0;
        let options = [CoverOptions::of_radius(radius), CoverOptions::as_in_patent(radius)][k % 2];
        let hierarchy = cover(&Surface::Mesh(&mesh), &options).expect("covered");
        // Points spread over the triangles, and as many triangles as time allows.
        let every = 1 + mesh.triangles().len() / 2000;
        for [a, b, c] in mesh.corners().step_by(every) {
            for [u, v] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.2, 0.3], [0.7, 0.1], [0.1, 0.8]]
            {
                let p = (a + (b - a) * u + (c - a) * v).clamp(a.min(b).min(c), a.max(b).max(c));
                assert!(covered(&hierarchy, p, 0, 0), "{p} of {}", file.display());
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 100_000, "{looked_at}");
}

/// Postures in which the spheres that are shipped with a robot are free of its room, though its meshes touch it, and in which
/// ours touch it: as a spherized robot against the shapes of the room, and as hierarchies of both.
fn found_by_spheres(data: &Path, name: &str) -> usize {
    let (robot, problems) = rooms(data, name);
    let file = data.join(&problems.urdf);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("spherized.urdf");
    let run = spheres(&file, &["--radius", "0.01", "--out", out.to_str().expect("plain letters")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let spherized = urdf::read(&out, &RobotOptions::default()).expect("a robot").robot;
    let options = CoverOptions::of_radius(0.01);
    let packed = |piece: &BodyPiece| {
        let surface = match &piece.geometry {
            Geometry::Mesh(mesh) => Surface::Mesh(mesh),
            Geometry::Primitive(primitive) => Surface::Primitive(primitive),
        };
        Packed::new(&cover(&surface, &options).expect("covered"))
    };
    let links: Vec<Vec<Packed>> =
        robot.links().iter().map(|link| link.pieces.iter().map(packed).collect()).collect();
    let mut count = 0;
    for row in csv(&data.join(format!("problems/{name}_configs.csv"))) {
        let clearance: f64 = row["sphere_env_clearance_m"].parse().expect("a number");
        if clearance <= 0.0 || row["mesh_env_collision_fcl"] != "1" {
            continue;
        }
        let index: u64 = row["index"].parse().expect("a number");
        let is_it = |room: &&Problem| room.category == row["category"] && room.index == index;
        let cell = cell(&robot, problems.list.iter().find(is_it).expect("it is there"));
        let posture: Vec<f64> =
            cell.coordinates().iter().map(|c| row[&c.joint].parse().expect("a number")).collect();
        let placed = cell.place(&posture);
        let objects = || {
            cell.bodies().iter().filter(|body| body.kind == BodyKind::Object).flat_map(|body| &body.pieces)
        };
        let room: Vec<Packed> = objects().map(packed).collect();
        let mut scratch = SphereScratch::default();
        let (mut by_balls, mut by_ranks) = (false, false);
        for (k, link) in robot.links().iter().enumerate() {
            let world_from_link = placed.world_from_link(kansho::cell::LinkId(k as u32));
            let balls = balls(&spherized.links()[k].pieces);
            for object in objects() {
                let Geometry::Primitive(shape) = &object.geometry else { panic!("rooms are of primitives") };
                let object_from_link = object.carrier_from_piece.inverse() * world_from_link;
                by_balls |= balls
                    .iter()
                    .any(|(centre, radius)| shape.signed_distance(object_from_link * *centre) <= *radius);
            }
            for (piece, packed) in link.pieces.iter().zip(&links[k]) {
                let piece_from_world = (world_from_link * piece.carrier_from_piece).inverse();
                by_ranks |= objects().zip(&room).any(|(object, packed_object)| {
                    meet(packed, packed_object, piece_from_world * object.carrier_from_piece, &mut scratch)
                });
            }
        }
        assert!(
            by_balls && by_ranks,
            "{name} {} {index} {}: {by_balls} {by_ranks}",
            row["category"],
            row["kind"]
        );
        count += 1;
    }
    count
}

#[test]
fn what_shipped_spheres_miss_ours_find() {
    let Some(data) = real_data() else { return };
    assert_eq!(["ur5", "panda"].map(|name| found_by_spheres(&data, name)), [5, 2]);
}
