//! The other shapes that stand for a body: merged faces, ranks of spheres, boxes of boxes. For each surface of the cell, in its own frame.

use crate::pack::Pack;
use kansho::cell::{Cell, Geometry};
use kansho::geom::Mesh;
use kansho::geom::glam::{DQuat, DVec3};
use kansho::geom::polyhedron::{MergeOptions, Polyhedron};
use kansho::geom::spheres::{CoverOptions, Hierarchy, Rank, Surface, cover};
use kansho::geom::tree::{BoxContent, Tree};
use kansho::picture::Shapes;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

/// Smallest spheres of a cell, about; those of one surface are a third of it at most.
const SPHERES: f64 = 12_000.0;

/// Boxes of one surface, at most: what no eye could tell apart is not sent.
const BOXES: usize = 4096;

/// Merged faces: for each triangle the face that it belongs to, and the edges between faces as segments.
pub(crate) fn faces(cell: &Cell) -> Vec<u8> {
    let shapes = Shapes::of(cell);
    let found: Vec<(Vec<u32>, Vec<f32>, usize)> =
        shapes.list.par_iter().map(|(mesh, _)| merged(mesh)).collect();
    let mut pack = Pack::default();
    let list: Vec<Value> = found
        .into_iter()
        .map(|(of_triangles, edges, faces)| {
            json!({ "of_triangles": pack.whole(of_triangles), "edges": pack.floats(edges), "faces": faces })
        })
        .collect();
    pack.with_header(&json!({ "meshes": list }))
}

fn merged(mesh: &Mesh) -> (Vec<u32>, Vec<f32>, usize) {
    let body = Polyhedron::from_mesh(mesh, &MergeOptions::default());
    let mut of_triangles = vec![0; mesh.triangles().len()];
    for (face, merged) in (0u32..).zip(body.faces()) {
        merged.triangles.iter().for_each(|triangle| of_triangles[*triangle as usize] = face);
    }
    let ends = body.edges().iter().flat_map(|edge| edge.ends);
    let edges = ends.flat_map(|end| body.vertex(end).to_array().map(|x| x as f32)).collect();
    (of_triangles, edges, body.faces().len())
}

/// Ranks of spheres, the largest first: middle and radius of each.
pub(crate) fn spheres(cell: &Cell) -> Vec<u8> {
    let shapes = Shapes::of(cell);
    let areas: Vec<f64> = shapes.list.iter().map(|(mesh, _)| mesh.area()).collect();
    let all: f64 = areas.iter().sum();
    // A sphere of radius r covers a square of 2 r / sqrt(3), and about every second one is there for the border of another.
    let radius = |area: f64, count: f64| (1.5 * area / count).sqrt();
    let of = |(shape, area): (&(Arc<Mesh>, Geometry), &f64)| {
        let wanted = radius(all, SPHERES).max(radius(*area, SPHERES / 3.0));
        let options = CoverOptions::of_radius(wanted.max(1e-6 * shape.0.aabb().diagonal()));
        let surface = match &shape.1 {
            Geometry::Mesh(mesh) => Surface::Mesh(mesh),
            Geometry::Primitive(primitive) => Surface::Primitive(primitive),
        };
        cover(&surface, &options).ok()
    };
    let found: Vec<Option<Hierarchy>> = shapes.list.par_iter().zip(&areas).map(of).collect();
    let mut pack = Pack::default();
    let list: Vec<Value> = found
        .iter()
        .map(|hierarchy| {
            let ranks = hierarchy.iter().flat_map(Hierarchy::ranks);
            json!(ranks.map(|rank| pack.floats(balls(rank))).collect::<Vec<_>>())
        })
        .collect();
    pack.with_header(&json!({ "meshes": list }))
}

fn balls(rank: &Rank) -> Vec<f32> {
    let numbers = |centre: DVec3, radius: f64| [centre.x, centre.y, centre.z, radius].map(|x| x as f32);
    match rank.fitted() {
        [] => rank.centres().iter().flat_map(|centre| numbers(*centre, rank.radius())).collect(),
        fitted => fitted.iter().flat_map(|ball| numbers(ball.centre(), ball.radius())).collect(),
    }
}

/// Boxes of boxes, the largest first: middle, half edges, and a quaternion (x, y, z, w) of each. What is not divided further stays.
pub(crate) fn boxes(cell: &Cell) -> Vec<u8> {
    let shapes = Shapes::of(cell);
    let found: Vec<Vec<Vec<f32>>> = shapes.list.par_iter().map(|(mesh, _)| levels(mesh)).collect();
    let mut pack = Pack::default();
    let list: Vec<Value> = found
        .into_iter()
        .map(|levels| json!(levels.into_iter().map(|level| pack.floats(level)).collect::<Vec<_>>()))
        .collect();
    pack.with_header(&json!({ "meshes": list }))
}

fn levels(mesh: &Arc<Mesh>) -> Vec<Vec<f32>> {
    let tree = Tree::new(Arc::clone(mesh));
    let mut level = vec![Tree::ROOT];
    let mut levels = Vec::new();
    loop {
        levels.push(level.iter().flat_map(|slot| numbers(&tree, *slot)).collect());
        let below = |slot: &u32| match tree.content(*slot) {
            BoxContent::Boxes(boxes) => boxes,
            BoxContent::Triangles(_) => vec![*slot],
        };
        let next: Vec<u32> = level.iter().flat_map(below).collect();
        if next.len() == level.len() || next.len() > BOXES {
            return levels;
        }
        level = next;
    }
}

fn numbers(tree: &Tree, slot: u32) -> [f32; 10] {
    let [centre, half] = tree.extent(slot);
    let mut axes = tree.axes(slot);
    if axes.determinant() < 0.0 {
        // The same box, with one edge seen the other way.
        axes.z_axis = -axes.z_axis;
    }
    let turn = DQuat::from_mat3(&axes).normalize();
    let numbers = [centre.x, centre.y, centre.z, half.x, half.y, half.z, turn.x, turn.y, turn.z, turn.w];
    numbers.map(|x| x as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho::cell::builtin;
    use kansho::geom::mesh;

    /// Header and arrays of a pack.
    fn opened(bytes: &[u8]) -> (Value, Vec<u8>) {
        let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
        (serde_json::from_slice(&bytes[4..4 + length]).expect("JSON"), bytes[4 + length..].to_vec())
    }

    fn floats(data: &[u8], place: &Value) -> Vec<f32> {
        let [at, count] = [0, 1].map(|k| place[k].as_u64().expect("a number") as usize);
        let four = data[at..at + 4 * count].chunks_exact(4);
        four.map(|four| f32::from_le_bytes(four.try_into().expect("four bytes"))).collect()
    }

    #[test]
    fn every_corner_lies_in_a_sphere_of_every_rank_and_in_a_box_of_every_level() {
        let cell = builtin::cell();
        let shapes = Shapes::of(&cell);
        let (ranks, balls) = opened(&spheres(&cell));
        let (levels, blocks) = opened(&boxes(&cell));
        let mut counts = Vec::new();
        for (k, (mesh, _)) in shapes.list.iter().enumerate() {
            let some: Vec<DVec3> =
                mesh.vertices().iter().step_by(1 + mesh.vertices().len() / 200).copied().collect();
            for rank in ranks["meshes"][k].as_array().expect("ranks") {
                let balls = floats(&balls, rank);
                counts.push(balls.len() / 4);
                let holds = |p: &DVec3| {
                    balls.chunks_exact(4).any(|b| {
                        let centre = DVec3::new(b[0].into(), b[1].into(), b[2].into());
                        centre.distance(*p) <= f64::from(b[3]) + 1e-6
                    })
                };
                assert!(some.iter().all(holds));
            }
            for level in levels["meshes"][k].as_array().expect("levels") {
                let blocks = floats(&blocks, level);
                let holds = |p: &DVec3| {
                    blocks.chunks_exact(10).any(|b| {
                        let of = |k: usize| DVec3::new(b[k].into(), b[k + 1].into(), b[k + 2].into());
                        let turn = DQuat::from_xyzw(b[6].into(), b[7].into(), b[8].into(), b[9].into());
                        (turn.inverse() * (*p - of(0))).abs().cmple(of(3) + 1e-5).all()
                    })
                };
                assert!(some.iter().all(holds));
            }
        }
        assert!(counts.iter().any(|count| *count > 100), "{counts:?}");
    }

    #[test]
    fn faces_of_a_box_are_six() {
        let block = mesh_of_box();
        let (of_triangles, edges, faces) = merged(&block);
        assert_eq!((faces, edges.len()), (6, 12 * 6));
        let mut seen = of_triangles.clone();
        seen.sort_unstable();
        assert_eq!(seen, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }

    fn mesh_of_box() -> Mesh {
        use kansho::geom::primitive::{Primitive, Shape};
        let shape = Primitive::new(Shape::Box { size: DVec3::ONE }).expect("a box");
        let block = shape.tessellated(1.0).expect("bounded");
        mesh::weld(block.vertices(), block.triangles(), 0.0).expect("a mesh").mesh
    }
}
