//! Normals for the eye: smooth where a surface is nearly smooth, sharp at its edges.

use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use std::collections::HashMap;

/// Neighbours that are bent by less than this are drawn as one round surface: cosine of 35 degrees.
const SMOOTH: f64 = 0.819_152;

/// Corners where more triangles meet are drawn with the flat normals of each, so that time stays in proportion.
const MOST_AROUND: usize = 64;

/// A surface as graphics hardware takes it. Triangles are in the order of the mesh.
pub struct Shaded {
    /// Three numbers for each corner, in metres.
    pub positions: Vec<f32>,
    /// Three bytes for each corner and one that is empty: 127 is one.
    pub normals: Vec<i8>,
    /// Three numbers of corners for each triangle.
    pub corners: Vec<u32>,
}

/// Puts normals at all corners; one that is needed with two normals becomes two.
#[must_use]
pub fn shade(mesh: &Mesh) -> Shaded {
    let across: Vec<DVec3> = mesh.corners().map(|[a, b, c]| (b - a).cross(c - a)).collect();
    let flat: Vec<DVec3> = across.iter().map(|n| n.normalize_or_zero()).collect();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); mesh.vertices().len()];
    for (index, triangle) in (0u32..).zip(mesh.triangles()) {
        triangle.iter().for_each(|corner| around[*corner as usize].push(index));
    }
    let mut known: HashMap<(u32, [i8; 3]), u32> = HashMap::new();
    let mut shaded = Shaded { positions: Vec::new(), normals: Vec::new(), corners: Vec::new() };
    for (index, triangle) in mesh.triangles().iter().enumerate() {
        for corner in triangle {
            let near = &around[*corner as usize];
            let normal = if near.len() > MOST_AROUND {
                flat[index]
            } else {
                let is_smooth = |other: &&u32| flat[**other as usize].dot(flat[index]) >= SMOOTH;
                near.iter().filter(is_smooth).map(|other| across[*other as usize]).sum::<DVec3>()
            };
            let normal = normal.try_normalize().unwrap_or(flat[index]);
            let short = (normal * 127.0).round().to_array().map(|x| x as i8);
            let next = known.len() as u32;
            let place = *known.entry((*corner, short)).or_insert_with(|| {
                let point = mesh.vertices()[*corner as usize];
                shaded.positions.extend(point.to_array().map(|x| x as f32));
                shaded.normals.extend([short[0], short[1], short[2], 0]);
                next
            });
            shaded.corners.push(place);
        }
    }
    shaded
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_geom::primitive::{Primitive, Shape};

    fn shaded(shape: Shape) -> (Mesh, Shaded) {
        let mesh = Primitive::new(shape).expect("a shape").tessellated(1e-3).expect("bounded");
        let shaded = shade(&mesh);
        (mesh, shaded)
    }

    #[test]
    fn a_box_has_three_normals_at_each_corner_and_a_ball_one() {
        let (_, block) = shaded(Shape::Box { size: DVec3::ONE });
        assert_eq!((block.positions.len() / 3, block.corners.len()), (24, 36));
        let (mesh, ball) = shaded(Shape::Sphere { radius: 0.1 });
        assert_eq!(ball.positions.len() / 3, mesh.vertices().len());
        for (p, n) in ball.positions.chunks_exact(3).zip(ball.normals.chunks_exact(4)) {
            let away: f64 = (0..3).map(|k| f64::from(p[k]) * 10.0 * f64::from(n[k]) / 127.0).sum();
            assert!(away > 0.98, "{away}");
        }
    }

    #[test]
    fn triangles_keep_their_order() {
        let (mesh, shaded) = shaded(Shape::Cylinder { radius: 0.1, height: 0.3 });
        for (corners, triangle) in mesh.corners().zip(shaded.corners.chunks_exact(3)) {
            for (corner, place) in corners.iter().zip(triangle) {
                let drawn = &shaded.positions[3 * *place as usize..][..3];
                assert_eq!(drawn, corner.to_array().map(|x| x as f32));
            }
        }
    }
}
