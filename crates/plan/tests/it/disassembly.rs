//! Assemblies that come apart, and some that do not.

use kansho_contact::{ContactOptions, Part};
use kansho_geom::glam::DVec3;
use kansho_geom::{Pose, Primitive, primitive::Shape};
use kansho_plan::disassembly::disassemble_parts;
use std::path::Path;
use std::sync::Arc;

fn block(size: [f64; 3], at: [f64; 3]) -> Part {
    let shape = Primitive::new(Shape::Box { size: DVec3::from_array(size) }).expect("a box");
    let mesh = Arc::new(shape.tessellated(1.0).expect("bounded"));
    Part::new(&mesh, None).expect("closed").placed(Pose::from_translation(DVec3::from_array(at)))
}

#[test]
fn a_stack_is_taken_from_the_top() {
    let parts = [
        block([4.0, 4.0, 1.0], [0.0, 0.0, -0.5]),
        block([1.0, 1.0, 1.0], [0.0, 0.0, 0.5]),
        block([1.0, 1.0, 1.0], [0.2, 0.1, 1.5]),
        block([1.0, 1.0, 1.0], [0.1, -0.1, 2.5]),
    ];
    let (_, plan) = disassemble_parts(&parts.iter().collect::<Vec<_>>(), &ContactOptions::default(), Some(0));
    let order: Vec<Vec<usize>> = plan.steps.iter().map(|s| s.parts.clone()).collect();
    assert_eq!((order, plan.left.clone()), (vec![vec![3], vec![2], vec![1]], vec![0]));
    assert!(plan.steps.iter().all(|s| s.direction.distance(DVec3::Z) < 1e-9));
}

/// A block between four walls, under a roof that does not touch it: contacts let it rise, but the way does not.
#[test]
fn a_roof_farther_up_is_seen() {
    let mut parts = vec![
        block([6.0, 6.0, 1.0], [0.0, 0.0, -0.5]),
        block([1.0, 1.0, 1.0], [0.0, 0.0, 0.5]),
        block([1.0, 3.0, 4.0], [-1.0, 0.0, 2.0]),
        block([1.0, 3.0, 4.0], [1.0, 0.0, 2.0]),
        block([1.0, 1.0, 4.0], [0.0, -1.0, 2.0]),
        block([1.0, 1.0, 4.0], [0.0, 1.0, 2.0]),
    ];
    let roof = block([3.0, 3.0, 1.0], [0.0, 0.0, 4.5]);
    parts.push(roof);
    let (_, plan) = disassemble_parts(&parts.iter().collect::<Vec<_>>(), &ContactOptions::default(), Some(0));
    let place = |part: usize| plan.steps.iter().position(|s| s.parts.contains(&part)).expect("it leaves");
    assert!(plan.is_complete());
    assert!(place(1) > [2, 3, 4, 5, 6].map(place).into_iter().min().expect("some"), "{:?}", plan.steps);
    for step in &plan.steps {
        assert_eq!(step.parts.len(), 1, "{:?}", plan.steps);
    }
}

#[test]
fn the_puzzle_comes_apart_upward() {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        eprintln!("skipped: KANSHO_DATA names no folder");
        return;
    };
    let folder = Path::new(&data).join("data/contact/fig19_puzzle_assembled");
    let read = |name: &str| {
        let path = folder.join(format!("{name}.obj"));
        let mesh =
            kansho_io::mesh::read(&path, &kansho_io::mesh::MeshOptions::default()).expect("an obj").mesh;
        Part::new(&Arc::new(mesh), None).expect("closed")
    };
    let parts = [read("middle"), read("left"), read("right")];
    let (assembly, plan) =
        disassemble_parts(&parts.iter().collect::<Vec<_>>(), &ContactOptions::default(), None);
    assert!(assembly.faults.is_empty() && plan.is_complete());
    assert_eq!(plan.steps[0].parts, [0]);
    assert!(plan.steps[0].direction.distance(DVec3::Z) < 1e-9);
}

/// What touches nothing is free to go, unless something is in its way wherever it goes.
#[test]
fn parts_that_do_not_touch_come_apart() {
    let apart =
        [block([1.0; 3], [0.0; 3]), block([1.0; 3], [1.5, 0.3, 0.0]), block([1.0; 3], [0.0, 0.0, 3.0])];
    for stays in [None, Some(0), Some(1), Some(2)] {
        let (assembly, plan) =
            disassemble_parts(&apart.iter().collect::<Vec<_>>(), &ContactOptions::default(), stays);
        assert!(assembly.pairs.is_empty() && plan.is_complete() && plan.steps.len() == 2, "{plan:?}");
        assert!(stays.is_none_or(|s| plan.left == [s]));
    }
    // Two in a tunnel along a slanted line: no axis leads out.
    let turn = Pose::turn(DVec3::new(1.0, 2.0, 2.0) / 3.0, 0.7);
    let tunnel = [
        block([9.0, 1.0, 3.5], [0.0, 1.2, 0.0]),
        block([9.0, 1.0, 3.5], [0.0, -1.2, 0.0]),
        block([9.0, 1.4, 1.0], [0.0, 0.0, 1.2]),
        block([9.0, 1.4, 1.0], [0.0, 0.0, -1.2]),
        block([1.0, 1.0, 1.0], [-1.0, 0.0, 0.0]),
        block([1.0, 1.0, 1.0], [1.5, 0.0, 0.0]),
    ]
    .map(|part| part.placed(turn));
    let (_, plan) = disassemble_parts(&tunnel.iter().collect::<Vec<_>>(), &ContactOptions::default(), None);
    assert!(plan.is_complete(), "{:?}", plan.left);
    // A loose block in a closed box touches nothing and stays in it; the lid, which touches, is glued on: it is one part.
    let outside = block([4.0; 3], [0.0; 3]);
    let inside = block([3.0; 3], [0.0; 3]);
    let hollow = hollow(&outside, &inside);
    let loose = block([1.0; 3], [0.2, 0.1, 0.0]);
    let (_, plan) = disassemble_parts(&[&hollow, &loose], &ContactOptions::default(), None);
    assert_eq!(plan.left, [0, 1], "{:?}", plan.steps);
}

/// The first with a cavity like the second.
fn hollow(outside: &Part, inside: &Part) -> Part {
    let (out, hole) = (outside.mesh(), inside.mesh());
    let mut points = out.vertices().to_vec();
    let first = points.len() as u32;
    points.extend(hole.vertices());
    let mut triangles = out.triangles().to_vec();
    triangles.extend(hole.triangles().iter().map(|&[a, b, c]| [first + a, first + c, first + b]));
    Part::new(&Arc::new(kansho_geom::mesh::weld(&points, &triangles, 0.0).expect("a mesh").mesh), None)
        .expect("a closed body")
}
