//! Fields of distances and models of real cells: bounds that hold, and the answers of the triangles.

use crate::problems::{cell, rooms};
use crate::run::{csv, real_data};
use kansho::cell::{Cell, FrameId, Geometry};
use kansho::check::scene::Scene;
use kansho::geom::field::{Field, FieldOptions, FieldPart};
use kansho::geom::glam::DVec3;
use kansho::geom::mesh::Mesh;
use kansho::geom::tree::Scratch;
use kansho::geom::{Aabb, Pose, Primitive, Solid, triangle};
use kansho::io::cell::{self as cells, CellOptions};
use kansho::io::mesh::{self, MeshOptions};
use kansho::io::postures;
use kansho::io::units::Units;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Numbers from 0 to 1 that are the same every time (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.roll(), self.roll(), self.roll())
    }
}

/// A body that stands in a scene.
struct Body {
    part: FieldPart,
    /// Triangles on it, in the scene: of a formula, nearly.
    triangles: Vec<[DVec3; 3]>,
    formula: Option<(Primitive, Pose)>,
}

fn of_mesh(mesh: &Arc<Mesh>, at: Pose) -> Body {
    let part = FieldPart::mesh(Arc::new(Solid::mesh(Arc::clone(mesh))), at).expect("a mesh");
    Body { part, triangles: mesh.corners().map(|t| t.map(|p| at * p)).collect(), formula: None }
}

/// What stands in a cell; and its robots in their first posture, as if they stood too.
fn bodies(cell: &Cell) -> Vec<Body> {
    let placed = cell.place(&cell.zero_posture());
    let mut bodies = Vec::new();
    for body in cell.bodies() {
        let in_frame = cell.in_frame(body.carrier);
        for piece in &body.pieces {
            let at = placed.world_from_frame(in_frame.frame)
                * (in_frame.frame_from_link * piece.carrier_from_piece);
            bodies.push(match &piece.geometry {
                Geometry::Mesh(mesh) => of_mesh(mesh, at),
                Geometry::Primitive(primitive) => Body {
                    part: FieldPart::formula(*primitive, at),
                    triangles: primitive
                        .tessellated(1e-3)
                        .map_or(Vec::new(), |mesh| mesh.corners().map(|t| t.map(|p| at * p)).collect()),
                    formula: Some((*primitive, at)),
                },
            });
        }
    }
    assert!(cell.bodies().iter().any(|body| cell.in_frame(body.carrier).frame == FrameId::WORLD));
    bodies
}

/// Ten scenes: cells with their robots, rooms, and single parts, open and closed.
fn scenes(data: &Path) -> Vec<(String, Vec<Body>)> {
    let of_cell = |file: &str| {
        let read = cells::read(&data.join(file), &CellOptions::default()).expect("the cell is good").cell;
        (file.to_owned(), bodies(&read))
    };
    let of_file = |file: &str| {
        let read = mesh::read(&data.join(file), &MeshOptions::default()).expect("the mesh is good");
        (file.to_owned(), vec![of_mesh(&Arc::new(read.mesh), Pose::IDENTITY)])
    };
    let mut scenes: Vec<(String, Vec<Body>)> =
        ["../bench/data/ur5_boxes.toml", "../bench/data/ur5_mixed.toml", "../bench/data/ur5_plate.toml"]
            .map(of_cell)
            .into();
    scenes.extend(["windshield/E/cell.toml", "windshield/H/cell.toml"].map(of_cell));
    for name in ["ur5", "panda"] {
        let (robot, problems) = rooms(data, name);
        let room = problems.list.iter().find(|room| room.category == "bookshelf_small");
        scenes.push((name.to_owned(), bodies(&cell(&robot, room.expect("there is one")))));
    }
    scenes.extend(
        [
            "parts/cycloidal.ply",
            "environment/cabinet.STL",
            "assembly/factory_insertion/rectangular_hole_16mm.obj",
        ]
        .map(of_file),
    );
    assert_eq!(scenes.len(), 10);
    scenes
}

/// Looks at points all over a scene and next to its surfaces: bounds below and above the distance, coarse and fine. Gives how many
/// bounds were looked at, and how far below the distance the fine ones are on average, in cells, where something is known.
fn bounds_hold(name: &str, bodies: &[Body], count: usize, dice: &mut Dice) -> (usize, f64) {
    let corners = bodies.iter().flat_map(|body| body.triangles.iter().flatten().copied());
    let around = Aabb::of_points(corners).expect("there is something");
    let room = around.extent() * 0.1 + 0.01 * around.diagonal();
    let region = Aabb::of_points([around.min() - room, around.max() + room]).expect("two points");
    let options = FieldOptions { cell: 0.005 * around.diagonal(), bytes: 32 << 20 };
    let parts: Vec<FieldPart> = bodies.iter().map(|body| body.part.clone()).collect();
    let field = Field::new(parts, region, &options);
    let surfaces: Vec<&Body> = bodies.iter().filter(|body| !body.triangles.is_empty()).collect();
    let mut scratch = Scratch::default();
    let (mut looked_at, mut lost, mut known) = (0, 0.0, 0);
    for k in 0..count {
        let point = if k % 2 == 0 {
            region.min() + region.extent() * dice.vector()
        } else {
            let body = surfaces[(dice.roll() * surfaces.len() as f64) as usize];
            let [a, b, c] = body.triangles[(dice.roll() * body.triangles.len() as f64) as usize];
            let (u, v) = (dice.roll().sqrt(), dice.roll());
            let on = a * (1.0 - u) + b * (u * (1.0 - v)) + c * (u * v);
            on + (dice.vector() - 0.5) * (field.cell() * 10f64.powf(1.0 - 8.0 * dice.roll()))
        };
        let exact = field.distance(point, &mut scratch);
        let rounding = 1e-13 * (point.length() + around.diagonal() + around.centre().length());
        if k % 1000 == 0 {
            // By a plain loop: no less than the distance from the surface, or inside.
            let plain = |body: &Body| match &body.formula {
                Some((primitive, at)) => primitive.signed_distance(at.inverse() * point).max(0.0),
                None => body
                    .triangles
                    .iter()
                    .map(|t| triangle::nearest(point, t).distance(point))
                    .fold(f64::INFINITY, f64::min),
            };
            let plain = bodies.iter().map(plain).fold(f64::INFINITY, f64::min);
            assert!(exact <= plain + rounding, "{name} {point}: {exact:e} {plain:e}");
            assert!(exact == 0.0 || exact >= plain - rounding, "{name} {point}: {exact:e} {plain:e}");
        }
        for fine in [false, true] {
            let Some([below, above]) = field.bounds(point, fine, &mut scratch) else { continue };
            assert!(below <= exact + rounding, "{name} {point} {fine}: {below:e} above {exact:e}");
            assert!(above >= exact - rounding, "{name} {point} {fine}: {above:e} below {exact:e}");
            looked_at += 1;
            if fine && below > 0.0 && exact < 50.0 * field.cell() {
                lost += (exact - below) / field.cell();
                known += 1;
            }
        }
        assert!(field.roughly(point, &mut scratch) <= exact + rounding, "{name} {point}");
    }
    assert!(looked_at > count && known > count / 10, "{name}: {looked_at} {known}");
    (looked_at, lost / f64::from(known as u32))
}

/// The same over all scenes; `count` points each.
fn all_bounds_hold(count: usize) {
    let Some(data) = real_data() else { return };
    let mut dice = Dice(6);
    for (name, bodies) in scenes(&data) {
        let (looked_at, lost) = bounds_hold(&name, &bodies, count, &mut dice);
        // Planes lose next to nothing over flat faces, and some over others.
        assert!(lost < 0.5, "{name}: {lost} cells lost");
        say(&format!("{name}: {} parts, {looked_at} bounds, {lost:.4} cells lost", bodies.len()));
    }
}

#[expect(clippy::print_stderr, reason = "figures of a long test")]
fn say(line: &str) {
    eprintln!("{line}");
}

/// Whether what takes minutes is asked for: `KANSHO_LONG=1`.
fn is_long() -> bool {
    std::env::var_os("KANSHO_LONG").is_some()
}

#[test]
fn bounds_of_fields_hold_in_ten_scenes() {
    all_bounds_hold(if is_long() { 100_000 } else { 10_000 });
}

/// Postures of a scene that touch, by models in the order that is given, and without.
fn touching(scene: Scene, postures: &[Vec<f64>]) -> usize {
    let mut workspace = scene.workspace();
    let exact: Vec<bool> = postures
        .iter()
        .map(|posture| scene.first_hit(posture, &scene.listed(), None, &mut workspace).is_some())
        .collect();
    let scene = scene.with_models();
    let mut workspace = scene.workspace();
    for (posture, exact) in postures.iter().zip(&exact) {
        assert_eq!(scene.touches(posture, &mut workspace), *exact, "{posture:?}");
    }
    exact.iter().filter(|hit| **hit).count()
}

/// As many as another program found.
#[test]
fn models_agree_on_random_postures() {
    let Some(data) = real_data() else { return };
    let bench = data.join("../bench/data");
    for kind in ["boxes", "mixed"] {
        let file = bench.join(format!("ur5_{kind}.toml"));
        let scene = Scene::new(Arc::new(cells::read(&file, &CellOptions::default()).expect("a cell").cell));
        let rows = postures::read(&bench.join("w3_configs.csv"), scene.cell(), &Units::default());
        let columns = scene.cell().coordinates().len();
        let rows: Vec<Vec<f64>> =
            rows.expect("postures").values().chunks_exact(columns).map(<[f64]>::to_vec).collect();
        let truth = std::fs::read_to_string(bench.join(format!("w3_truth_{kind}.csv"))).expect("the truth");
        assert_eq!(touching(scene, &rows), truth.lines().filter(|line| *line == "1").count());
    }
}

/// Robots in every so many of their rooms, in the postures that are given for it. Gives the postures, and those that touch.
fn rooms_agree(data: &Path, name: &str, every: usize) -> [usize; 2] {
    let (robot, problems) = rooms(data, name);
    let mut rows: HashMap<(String, u64), Vec<HashMap<String, String>>> = HashMap::new();
    for row in csv(&data.join(format!("problems/{name}_configs.csv"))) {
        rows.entry((row["category"].clone(), row["index"].parse().expect("a number"))).or_default().push(row);
    }
    let mut found = [0; 2];
    for of_kind in problems.list.chunk_by(|a, b| a.category == b.category) {
        for problem in of_kind.iter().step_by(every) {
            let mut draft = problem.draft(&robot, &[]);
            let plain = Cell::new(draft.clone()).expect("a cell");
            let joints = plain.coordinates().to_vec();
            let posture = |row: &HashMap<String, String>| -> Vec<f64> {
                joints.iter().map(|joint| row[&joint.joint].parse().expect("a number")).collect()
            };
            let given: Vec<Vec<f64>> =
                rows[&(problem.category.clone(), problem.index)].iter().map(posture).collect();
            // Links that touch each other in the first posture do so in most.
            let scene = Scene::new(Arc::new(plain));
            let name = |body| scene.cell().body(body).name.clone();
            let touching_first = scene.all_hits(&given[0], &mut scene.workspace()).into_iter();
            draft.allow = touching_first.map(|pair| scene.bodies(pair).map(name)).collect();
            let scene = scene.with_cell(Arc::new(Cell::new(draft).expect("a cell")));
            // And on the way from each to the next.
            let between = |pair: &[Vec<f64>]| -> Vec<Vec<f64>> {
                let at = |t: f64| pair[0].iter().zip(&pair[1]).map(|(x, y)| x + (y - x) * t).collect();
                (0..20).map(|k| at(f64::from(k) * 0.05)).collect()
            };
            let mut postures: Vec<Vec<f64>> = given.windows(2).flat_map(between).collect();
            postures.extend(given);
            found[0] += postures.len();
            found[1] += touching(scene, &postures);
        }
    }
    found
}

fn all_rooms_agree(every: usize) {
    let Some(data) = real_data() else { return };
    for name in ["ur5", "panda"] {
        let [postures, hits] = rooms_agree(&data, name, every);
        assert!(hits > postures / 20 && hits < postures, "{name}: {hits} of {postures}");
        say(&format!("{name}: {hits} of {postures} postures touch"));
    }
}

#[test]
fn models_agree_in_rooms() {
    all_rooms_agree(if is_long() { 1 } else { 100 });
}
