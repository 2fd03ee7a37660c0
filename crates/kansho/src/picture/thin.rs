//! Surfaces with fewer triangles, for the eye while things move: where there is no graphics hardware, the time of a picture is in proportion
//! to them.
//!
//! Corners within one cell of a grid become one, in their middle, with a normal for each of the six sides that they face; triangles with
//! two corners in one cell are left out. What was closed stays closed, and nothing moves by more than the diagonal of a cell.

use super::shade::{Shaded, shade};
use super::shapes::Shapes;
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// Triangles of a whole cell, about. Those of a surface are as many of them as its part of all.
const TRIANGLES: usize = 50_000;

/// Surfaces with no more than this stay as they are.
const FEW: usize = 1000;

/// Grids that are tried, at most.
const ROUNDS: usize = 5;

/// Every surface, those with many triangles with fewer.
#[must_use]
pub fn light(shapes: &Shapes) -> Vec<Shaded> {
    let thin = thin(shapes);
    thin.into_par_iter().zip(&shapes.list).map(|(of, (mesh, _))| of.unwrap_or_else(|| shade(mesh))).collect()
}

/// For each surface one with fewer triangles, or nothing if it stays as it is.
#[must_use]
pub fn thin(shapes: &Shapes) -> Vec<Option<Shaded>> {
    let mut uses = vec![0_usize; shapes.list.len()];
    shapes.of_pieces.iter().flatten().flatten().for_each(|surface| uses[*surface] += 1);
    let count = |surface: usize| shapes.list[surface].0.triangles().len();
    let drawn: usize = uses.iter().enumerate().map(|(surface, uses)| uses * count(surface)).sum();
    shapes
        .list
        .par_iter()
        .map(|(mesh, _)| {
            let own = mesh.triangles().len();
            let wanted = (own as f64 * (TRIANGLES as f64 / drawn as f64)).max(FEW as f64);
            (own as f64 > wanted).then(|| thinned(mesh, wanted))
        })
        .collect()
}

/// A surface with about so many triangles.
fn thinned(mesh: &Mesh, wanted: f64) -> Shaded {
    let full = shade(mesh);
    // A surface that crosses cells of edge h has some three triangles for each h² of it.
    let mut edge = (3.0 * mesh.area() / wanted).sqrt();
    let mut thin = merged(&full, edge);
    for _ in 1..ROUNDS {
        let count = (thin.corners.len() / 3) as f64;
        if count <= 1.1 * wanted {
            break;
        }
        edge *= (count / wanted).sqrt().max(1.05);
        thin = merged(&full, edge);
    }
    thin
}

/// Corners that became one.
#[derive(Default)]
struct Heap {
    sum: DVec3,
    count: f64,
}

impl Heap {
    fn add(&mut self, vector: DVec3) {
        self.sum += vector;
        self.count += 1.0;
    }
}

fn merged(full: &Shaded, edge: f64) -> Shaded {
    let mut cells: HashMap<[i64; 3], usize> = HashMap::new();
    let mut middles: Vec<Heap> = Vec::new();
    let mut corners: HashMap<(usize, u8), u32> = HashMap::new();
    let mut normals: Vec<(usize, Heap)> = Vec::new();
    let of_corners: Vec<(usize, u32)> = full
        .positions
        .chunks_exact(3)
        .zip(full.normals.chunks_exact(4))
        .map(|(p, n)| {
            let point = DVec3::new(p[0].into(), p[1].into(), p[2].into());
            let normal = DVec3::new(n[0].into(), n[1].into(), n[2].into()) / 127.0;
            let key = (point / edge).floor().to_array().map(|x| x as i64);
            let cell = *cells.entry(key).or_insert_with(|| {
                middles.push(Heap::default());
                middles.len() - 1
            });
            middles[cell].add(point);
            let corner = *corners.entry((cell, side(normal))).or_insert_with(|| {
                normals.push((cell, Heap::default()));
                normals.len() as u32 - 1
            });
            normals[corner as usize].1.add(normal);
            (cell, corner)
        })
        .collect();
    let mut known: HashSet<[usize; 3]> = HashSet::new();
    let mut thin = Shaded { positions: Vec::new(), normals: Vec::new(), corners: Vec::new() };
    for triangle in full.corners.chunks_exact(3) {
        let [a, b, c] = [0, 1, 2].map(|k| of_corners[triangle[k] as usize]);
        if a.0 == b.0 || b.0 == c.0 || c.0 == a.0 {
            continue;
        }
        // The same triangle begins with its least corner, whichever way it was found.
        let turned = [[a.0, b.0, c.0], [b.0, c.0, a.0], [c.0, a.0, b.0]];
        if known.insert(turned.into_iter().min().expect("three of them")) {
            thin.corners.extend([a.1, b.1, c.1]);
        }
    }
    for (cell, heap) in &normals {
        let middle = middles[*cell].sum / middles[*cell].count;
        thin.positions.extend(middle.to_array().map(|x| x as f32));
        let normal = heap.sum.try_normalize().unwrap_or(DVec3::Z) * 127.0;
        let [x, y, z] = normal.round().to_array().map(|x| x as i8);
        thin.normals.extend([x, y, z, 0]);
    }
    thin
}

/// Which of six sides a normal faces most.
fn side(normal: DVec3) -> u8 {
    let size = normal.abs();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    2 * axis + u8::from(normal[axis as usize] < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_geom::primitive::{Primitive, Shape};
    use std::collections::BTreeMap;

    fn points(shaded: &Shaded) -> Vec<DVec3> {
        shaded.positions.chunks_exact(3).map(|p| DVec3::new(p[0].into(), p[1].into(), p[2].into())).collect()
    }

    #[test]
    fn a_ball_with_fewer_triangles_is_closed_and_as_round() {
        let ball = Primitive::new(Shape::Sphere { radius: 0.5 }).expect("a ball");
        let mesh = ball.tessellated(1e-5).expect("it has an end");
        assert!(mesh.triangles().len() > 40_000);
        let thin = thinned(&mesh, 5000.0);
        let (count, places) = (thin.corners.len() / 3, points(&thin));
        assert!((2000..=5500).contains(&count), "{count} triangles");
        let edge = (3.0 * mesh.area() / 5000.0).sqrt();
        for (p, n) in places.iter().zip(thin.normals.chunks_exact(4)) {
            assert!((p.length() - 0.5).abs() < edge, "{p}");
            let normal = DVec3::new(n[0].into(), n[1].into(), n[2].into()) / 127.0;
            assert!(normal.dot(p.normalize()) > 0.8, "{p}: {normal}");
        }
        // Each edge is there as often one way as the other.
        let name = |corner: u32| places[corner as usize].to_array().map(f64::to_bits);
        let mut ways = BTreeMap::new();
        for triangle in thin.corners.chunks_exact(3) {
            for k in 0..3 {
                let (a, b) = (name(triangle[k]), name(triangle[(k + 1) % 3]));
                *ways.entry(if a < b { (a, b) } else { (b, a) }).or_insert(0) += if a < b { 1 } else { -1 };
            }
        }
        let open = ways.values().filter(|ways| **ways != 0).count();
        assert!(open * 50 <= ways.len(), "{open} of {} edges are open", ways.len());
    }

    #[test]
    fn a_cell_with_few_triangles_stays_as_it_is() {
        let shapes = Shapes::of(&kansho_cell::builtin::cell());
        assert!(thin(&shapes).iter().all(Option::is_none));
    }
}
