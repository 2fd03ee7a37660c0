//! Contacts: every stored case, the wall of bricks, and real pegs in their holes.

use crate::clock::thread_secs;
use kansho::contact::branch::Side;
use kansho::contact::{Assembly, ContactOptions, Part, Twist, contacts};
use kansho::geom::glam::DVec3;
use kansho::geom::{Mesh, Pose, mesh, polygon};
use kansho::io::mesh::{MeshOptions, read};
use kansho::plan::disassembly::disassemble;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The clock has steps of some milliseconds.
const ROUNDS: usize = 100;

/// Times all of it; `data` holds `contact` and `assembly`.
pub(crate) fn all(data: &Path) {
    cases(&data.join("contact"));
    wall(&data.join("assembly/brick_wall/08_wall_interfaces.json"));
    pegs(&data.join("assembly/factory_insertion"));
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("the file is there")).expect("it is JSON")
}

fn triangles(path: &Path) -> Arc<Mesh> {
    Arc::new(read(path, &MeshOptions::default()).expect("the mesh is good").mesh)
}

/// Mean seconds of a call.
fn timed(rounds: usize, mut call: impl FnMut()) -> f64 {
    let start = thread_secs();
    (0..rounds).for_each(|_| call());
    (thread_secs() - start) / rounds as f64
}

fn cases(folder: &Path) {
    println!(
        "contact cases: ms from triangles to parts, ms from parts to contacts and generators; points, conditions, branches"
    );
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder")
        .flatten()
        .filter(|e| e.path().is_dir())
        .map(|e| e.path())
        .collect();
    names.sort();
    for case in names {
        let expected = json(&case.join("expected.json"));
        let mesh = |name: &Value| triangles(&case.join(format!("{}.obj", name.as_str().expect("a name"))));
        let moving = mesh(&expected["moving"]);
        let fixed: Vec<Arc<Mesh>> = expected["fixed"].as_array().expect("parts").iter().map(mesh).collect();
        let part = |mesh: &Arc<Mesh>| Part::new(mesh, None).expect("a closed body");
        let prepare = timed(ROUNDS, || {
            std::hint::black_box((part(&moving), fixed.iter().map(part).collect::<Vec<_>>()));
        });
        let (moving, fixed) = (part(&moving), fixed.iter().map(part).collect::<Vec<_>>());
        let others: Vec<&Part> = fixed.iter().collect();
        let ask = || {
            let found = contacts(&moving, &others, &ContactOptions::default());
            let branches = found.set.branches(Side::Outer).list.len();
            (found.set.contacts.len(), found.set.count(), branches)
        };
        let (points, conditions, branches) = ask();
        let find = timed(ROUNDS, || {
            std::hint::black_box(ask());
        });
        let name = case.file_name().expect("a name").to_string_lossy().into_owned();
        println!("{name:<26} {:>7.3} {:>7.3}; {points}, {conditions}, {branches}", 1e3 * prepare, 1e3 * find);
    }
}

fn wall(path: &Path) {
    let file = json(path);
    let number = |v: &Value, axis: &str| v[axis].as_f64().expect("a coordinate");
    let start = thread_secs();
    let mut parts = Vec::new();
    for block in file["blocks"].as_object().expect("blocks").values() {
        let vertices = block["vertex"].as_object().expect("vertices");
        let at = |name: &Value| {
            let v = &vertices[name.as_str().expect("a name")];
            DVec3::new(number(v, "x"), number(v, "y"), number(v, "z"))
        };
        let mut rings: Vec<Vec<DVec3>> = block["face"]
            .as_object()
            .expect("faces")
            .values()
            .map(|f| f.as_array().expect("a face").iter().map(at).collect())
            .collect();
        if let [floor] = &rings[..] {
            // The floor is a sheet: it becomes a slab.
            let (top, below) = (floor.clone(), DVec3::Z * -0.1);
            rings.push(top.iter().rev().map(|&p| p + below).collect());
            rings.extend((0..4).map(|i| {
                let (a, b) = (top[i], top[(i + 1) % 4]);
                vec![b, a, a + below, b + below]
            }));
        }
        let (mut points, mut list) = (Vec::new(), Vec::new());
        for ring in &rings {
            let first = points.len() as u32;
            list.extend(
                polygon::fill(ring, &[]).expect("a face").triangles.iter().map(|t| t.map(|i| i + first)),
            );
            points.extend(ring);
        }
        let mesh = mesh::weld(&points, &list, 0.0).expect("a mesh").mesh;
        parts.push(Part::new(&Arc::new(mesh), None).expect("a closed body"));
    }
    let prepared = thread_secs();
    let parts: Vec<&Part> = parts.iter().collect();
    let assembly = Assembly::of(&parts, &ContactOptions::default());
    let faces = assembly.pairs.iter().flat_map(|p| &p.regions).filter(|r| r.area() > 0.0).count();
    let conditions: usize = assembly.pairs.iter().map(|p| p.set.count()).sum();
    let found = thread_secs();
    let blocked: usize = assembly
        .directions()
        .iter()
        .map(|&v| assembly.blocking_graph(&Twist { v, w: DVec3::ZERO }).iter().map(Vec::len).sum::<usize>())
        .sum();
    let graphed = thread_secs();
    let plan = disassemble(&parts, &assembly, None);
    let planned = thread_secs();
    println!(
        "wall of {} blocks: {faces} faces on each other, {conditions} conditions; ms: parts {:.1}, contacts {:.1}, blocking graphs {:.1} ({blocked} arcs), order of {} proven steps {:.1}",
        parts.len(),
        1e3 * (prepared - start),
        1e3 * (found - prepared),
        1e3 * (graphed - found),
        plan.steps.len(),
        1e3 * (planned - graphed)
    );
}

fn pegs(folder: &Path) {
    println!("pegs in holes: ms from triangles to parts, ms to contacts; state, conditions");
    let options = ContactOptions { touch: Some(3e-6) };
    for (peg, hole, room) in [
        ("round_peg_8mm_tight", "round_hole_8mm", 0.0000525),
        ("round_peg_16mm_tight", "round_hole_16mm", 0.000253),
        ("rectangular_peg_8mm_tight", "rectangular_hole_8mm", 0.0000722),
        ("rectangular_peg_16mm_tight", "rectangular_hole_16mm", 0.0001091),
    ] {
        let [of_peg, of_hole] = [peg, hole].map(|name| triangles(&folder.join(format!("{name}.obj"))));
        for (label, by) in [("centred", 0.0), ("at the wall", room)] {
            let start = thread_secs();
            // Printed to a micrometre.
            let [moving, fixed] =
                [&of_peg, &of_hole].map(|m| Part::new(m, Some(1e-6)).expect("a closed body"));
            let prepared = thread_secs();
            let moving = moving.placed(Pose::from_translation(DVec3::X * by));
            let found = contacts(&moving, &[&fixed], &options);
            let freedoms = found.set.freedoms();
            println!(
                "{peg:<26} {label:<12} {:>6.1} {:>6.1}; {}, {}",
                1e3 * (prepared - start),
                1e3 * (thread_secs() - prepared),
                found.set.count(),
                if found.set.count() == 0 { format!("{:?}", found.between[0]) } else { freedoms }
            );
        }
    }
}
