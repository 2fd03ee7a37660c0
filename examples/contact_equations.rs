//! The wedge of the contact paper's Fig. 17, and its equations (21) to (24): a corner on a corner, a corner on an edge, and two
//! corners on the floor.
//!
//! `cargo run --release -p kansho --example contact_equations`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use kansho::contact::branch::Side;
use kansho::contact::{ContactOptions, Part, contacts};
use kansho::geom::glam::DVec3;
use kansho::geom::{mesh, polygon};
use std::sync::Arc;

/// A prism over an outline, from one height to another.
fn prism(outline: &[[f64; 2]], from: f64, to: f64) -> Part {
    let n = outline.len();
    let ring = |z: f64| outline.iter().map(move |[x, y]| DVec3::new(*x, *y, z));
    let points: Vec<DVec3> = ring(from).chain(ring(to)).collect();
    let top: Vec<DVec3> = ring(to).collect();
    let filling = polygon::fill(&top, &[]).expect("a simple outline").triangles;
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in filling {
        triangles.push([a, b, c].map(|i| i + n as u32));
        triangles.push([a, c, b]);
    }
    for i in 0..n as u32 {
        let (j, n) = ((i + 1) % n as u32, n as u32);
        triangles.push([i, j, j + n]);
        triangles.push([i, j + n, i + n]);
    }
    part(&points, &triangles)
}

fn part(points: &[DVec3], triangles: &[[u32; 3]]) -> Part {
    let mesh = mesh::weld(points, triangles, 0.0).expect("a mesh").mesh;
    Part::new(&Arc::new(mesh), None).expect("a closed body")
}

fn main() {
    // In millimetres, as in the paper. The wedge leans on the corner of a tower of L-shape and on an edge of it.
    let floor = prism(&[[-200.0, -200.0], [200.0, -200.0], [200.0, 200.0], [-200.0, 200.0]], -50.0, 0.0);
    let tower = prism(
        &[[-100.0, -100.0], [50.0, -100.0], [50.0, 0.0], [0.0, 0.0], [0.0, 100.0], [-100.0, 100.0]],
        0.0,
        100.0,
    );
    let (near, far) = (70.71, 120.71);
    let wedge = [
        [50.0, 0.0, 100.0],
        [far, near, 0.0],
        [far, near, 200.0],
        [0.0, 50.0, 100.0],
        [near, far, 0.0],
        [near, far, 200.0],
    ]
    .map(DVec3::from_array);
    let wedge = part(
        &wedge,
        &[[0, 1, 2], [5, 4, 3], [3, 4, 1], [3, 1, 0], [4, 5, 2], [4, 2, 1], [5, 3, 0], [5, 0, 2]],
    );

    let found = contacts(&wedge, &[&tower, &floor], &ContactOptions::default());
    let mut contacts = found.set.contacts.clone();
    contacts.sort_by_key(|c| std::cmp::Reverse(c.conditions[0].len()));
    for (number, contact) in (21..).zip(&contacts) {
        let p = contact.point;
        let [x, y, z] = p.to_array().map(|x| (100.0 * x).round() / 100.0 + 0.0);
        println!("({number})  at ({x}, {y}, {z}), one of these must hold:");
        for row in contact.conditions.iter().flatten() {
            // The paper writes the moment of a rotation about the origin of the world.
            let numbers = row.numbers().map(|x| format!("{:>9.4}", if x.abs() < 1e-9 { 0.0 } else { x }));
            println!("      ( {} ) (dX, W) >= 0", numbers.join(" "));
        }
    }
    let branches = found.set.branches(Side::Inner).list;
    println!("{} ways to choose; each leaves:", branches.len());
    for branch in &branches {
        println!("  {} motions both ways, {} one way", branch.lineality.len(), branch.rays.len());
    }
}
