//! Bodies whose area, volume, faces and edges are known in closed form.

use kansho_geom::glam::DVec3;
use kansho_geom::mesh::{self, Mesh};
use kansho_geom::polygon;
use kansho_geom::primitive::{Primitive, Shape};
use std::f64::consts::TAU;

/// A plate with a star-shaped outline and a star-shaped hole through it, and what is known about it.
pub(crate) struct Plate {
    pub(crate) mesh: Mesh,
    pub(crate) area: f64,
    pub(crate) volume: f64,
    /// Corners of the outline and of the hole.
    pub(crate) corners: usize,
}

/// Outline radii in 1..2, hole radii below 0.8: they never meet.
pub(crate) fn plate(outer: &[f64], inner: &[f64], thickness: f64) -> Plate {
    let ring = |radii: &[f64], z: f64| -> Vec<DVec3> {
        let angle = |k: usize| TAU * k as f64 / radii.len() as f64;
        radii.iter().enumerate().map(|(k, r)| DVec3::new(r * angle(k).cos(), r * angle(k).sin(), z)).collect()
    };
    let (outline, hole) = (ring(outer, 0.0), ring(inner, 0.0));
    let filling = polygon::fill(&outline, &[&hole]).expect("stars can be filled");
    assert!(filling.simple);
    let corners = outer.len() + inner.len();
    let mut points = [outline.clone(), hole.clone()].concat();
    points.extend([ring(outer, thickness), ring(inner, thickness)].concat());
    let n = corners as u32;
    let mut triangles = Vec::new();
    for &[a, b, c] in &filling.triangles {
        triangles.push([a, c, b]); // Below, facing down.
        triangles.push([a + n, b + n, c + n]);
    }
    let walls = [(0, outer.len() as u32, false), (outer.len() as u32, inner.len() as u32, true)];
    let mut wall_area = 0.0;
    for (start, count, inward) in walls {
        for k in 0..count {
            let (a, b) = (start + k, start + (k + 1) % count);
            let (a, b) = if inward { (b, a) } else { (a, b) };
            triangles.extend([[a, b, b + n], [a, b + n, a + n]]);
            wall_area += points[a as usize].distance(points[b as usize]) * thickness;
        }
    }
    let base = (polygon::newell(&outline).length() - polygon::newell(&hole).length()) / 2.0;
    let mesh = mesh::weld(&points, &triangles, 0.0).expect("a plate is a mesh").mesh;
    Plate { mesh, area: 2.0 * base + wall_area, volume: base * thickness, corners }
}

/// The same surface, every triangle cut into four at the middles of its sides, as a soup without shared vertices.
pub(crate) fn subdivided_soup(mesh: &Mesh, times: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut corners: Vec<[DVec3; 3]> = mesh.corners().collect();
    for _ in 0..times {
        corners = corners
            .iter()
            .flat_map(|&[a, b, c]| {
                // The same expression from both sides, so that neighbours get the same point.
                let middle = |p: DVec3, q: DVec3| (p + q) * 0.5;
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    let points: Vec<DVec3> = corners.iter().flatten().copied().collect();
    let triangles = (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    (points, triangles)
}

/// A cube of 1 m.
pub(crate) fn cube() -> Mesh {
    let shape = Shape::Box { size: DVec3::ONE };
    Primitive::new(shape).expect("a cube").tessellated(1e-3).expect("a cube is bounded")
}

/// Several meshes in one, each shifted.
pub(crate) fn together(parts: &[(Mesh, DVec3)]) -> Mesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for (part, shift) in parts {
        let first = points.len() as u32;
        points.extend(part.vertices().iter().map(|&p| p + *shift));
        triangles.extend(part.triangles().iter().map(|t| t.map(|i| i + first)));
    }
    mesh::weld(&points, &triangles, 0.0).expect("the parts are meshes").mesh
}

/// The same body inside out.
pub(crate) fn turned(mesh: &Mesh) -> Mesh {
    let triangles: Vec<[u32; 3]> = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    mesh::weld(mesh.vertices(), &triangles, 0.0).expect("a mesh").mesh
}

/// The same mesh with its triangles in another order.
pub(crate) fn shuffled(mesh: &Mesh, seed: u64) -> Mesh {
    let mut random = noise(seed);
    let mut triangles: Vec<(f64, [u32; 3])> = mesh.triangles().iter().map(|&t| (random(), t)).collect();
    triangles.sort_by(|a, b| a.0.total_cmp(&b.0));
    let triangles: Vec<[u32; 3]> = triangles.into_iter().map(|(_, t)| t).collect();
    mesh::weld(mesh.vertices(), &triangles, 0.0).expect("a mesh").mesh
}

/// A square metre of `n` by `n` squares, its heights shaken.
pub(crate) fn height_field(n: u32, roughness: f64, seed: u64) -> Mesh {
    let mut random = noise(seed);
    let at = |k: u32| f64::from(k) / f64::from(n);
    let points: Vec<DVec3> = (0..=n)
        .flat_map(|i| (0..=n).map(move |j| (i, j)))
        .map(|(i, j)| DVec3::new(at(i), at(j), roughness * random()))
        .collect();
    let square = |i: u32, j: u32| {
        let a = i * (n + 1) + j;
        [[a, a + n + 1, a + n + 2], [a, a + n + 2, a + 1]]
    };
    let triangles: Vec<[u32; 3]> = (0..n).flat_map(|i| (0..n).flat_map(move |j| square(i, j))).collect();
    mesh::weld(&points, &triangles, 0.0).expect("a mesh").mesh
}

/// Two cubes that share one edge and nothing else.
pub(crate) fn cubes_sharing_an_edge() -> Mesh {
    together(&[(cube(), DVec3::ZERO), (cube(), DVec3::new(1.0, 1.0, 0.0))])
}

/// Points shifted by up to half of `amount` each way, the same for the same seed.
pub(crate) fn shaken(points: &[DVec3], amount: f64, seed: u64) -> Vec<DVec3> {
    let mut random = noise(seed);
    points.iter().map(|&p| p + DVec3::new(random(), random(), random()) * amount).collect()
}

/// Numbers from −0.5 to 0.5.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed | 1;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }
}

/// A column over an outline in the plane z = 0 that runs counter-clockwise.
pub(crate) fn column(outline: &[[f64; 2]], height: f64) -> Mesh {
    let ring: Vec<DVec3> = outline.iter().map(|&[x, y]| DVec3::new(x, y, 0.0)).collect();
    let filling = polygon::fill(&ring, &[]).expect("an outline");
    let n = ring.len() as u32;
    let mut points = ring.clone();
    points.extend(ring.iter().map(|&p| p + DVec3::Z * height));
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in filling.triangles {
        triangles.extend([[a, c, b], [a + n, b + n, c + n]]);
    }
    for a in 0..n {
        let b = (a + 1) % n;
        triangles.extend([[a, b, b + n], [a, b + n, a + n]]);
    }
    mesh::weld(&points, &triangles, 0.0).expect("a column is a mesh").mesh
}

/// A ring of `around` by `across` squares, in the plane z = 0.
pub(crate) fn torus(large: f64, small: f64, around: u32, across: u32) -> Mesh {
    let at = |i: u32, j: u32| {
        let (u, v) = (TAU * f64::from(i) / f64::from(around), TAU * f64::from(j) / f64::from(across));
        let r = large + small * v.cos();
        DVec3::new(r * u.cos(), r * u.sin(), small * v.sin())
    };
    let points: Vec<DVec3> = (0..around).flat_map(|i| (0..across).map(move |j| at(i, j))).collect();
    let index = |i: u32, j: u32| (i % around) * across + j % across;
    let square = |i: u32, j: u32| {
        let (a, b, c, d) = (index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1));
        [[a, b, c], [a, c, d]]
    };
    let triangles: Vec<[u32; 3]> =
        (0..around).flat_map(|i| (0..across).flat_map(move |j| square(i, j))).collect();
    mesh::weld(&points, &triangles, 0.0).expect("a ring is a mesh").mesh
}
