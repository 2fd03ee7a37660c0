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
