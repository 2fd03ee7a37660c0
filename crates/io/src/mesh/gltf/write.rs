use super::container::{BIN_CHUNK, JSON_CHUNK};
use crate::mesh::load::Up;
use kansho_geom::Mesh;
use kansho_geom::glam::{DMat4, DVec3};
use serde_json::json;

/// The mesh as GLB.
///
/// The format holds positions in single precision and wants Y up. Positions are therefore written relative to a point
/// in the middle of the mesh and Z-up as they are; the matrix of the only node moves them there and turns them. It is
/// made of numbers that single precision holds too, because that is what many readers keep it in. A mesh whose
/// coordinates are all of single precision is written as it is, without any loss. Coordinates that were left as in a
/// file are moved, but not turned.
pub(crate) fn write(mesh: &Mesh, up: Up) -> Vec<u8> {
    let middle = middle(mesh);
    let positions: Vec<[f32; 3]> = mesh.vertices().iter().map(|&p| single(p - middle)).collect();
    let position_bytes = positions.len() * 12;
    let index_bytes = mesh.triangles().len() * 12;
    let matrix = match up {
        Up::TurnToZ => y_up_from_z_up(middle),
        Up::AsInFile => DMat4::from_translation(middle).to_cols_array(),
    };
    let mut json = document(mesh, &positions, &matrix, position_bytes, index_bytes).to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');

    let length = 12 + 8 + json.len() + 8 + position_bytes + index_bytes;
    let mut glb = Vec::with_capacity(length);
    let put = |number: usize| {
        let number = u32::try_from(number).expect("meshes are too small for a GLB of 4 GiB");
        number.to_le_bytes()
    };
    glb.extend(b"glTF");
    glb.extend(put(2));
    glb.extend(put(length));
    glb.extend(put(json.len()));
    glb.extend(JSON_CHUNK.to_le_bytes());
    glb.extend(json);
    glb.extend(put(position_bytes + index_bytes)); // A multiple of four: no padding.
    glb.extend(BIN_CHUNK.to_le_bytes());
    glb.extend(positions.iter().flatten().flat_map(|number| number.to_le_bytes()));
    glb.extend(mesh.triangles().iter().flatten().flat_map(|index| index.to_le_bytes()));
    glb
}

fn document(
    mesh: &Mesh,
    positions: &[[f32; 3]],
    matrix: &[f64; 16],
    position_bytes: usize,
    index_bytes: usize,
) -> serde_json::Value {
    let bound = |pick: fn(f32, f32) -> f32| {
        let bound = positions.iter().copied().reduce(|a, b| [0, 1, 2].map(|axis| pick(a[axis], b[axis])));
        bound.expect("a mesh has vertices").map(f64::from)
    };
    const ARRAY_BUFFER: u32 = 34962;
    const ELEMENT_ARRAY_BUFFER: u32 = 34963;
    const UNSIGNED_INT: u32 = 5125;
    const FLOAT: u32 = 5126;
    json!({
        "asset": { "version": "2.0", "generator": "kansho" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "matrix": matrix }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "accessors": [
            {
                "bufferView": 0, "componentType": FLOAT, "type": "VEC3", "count": positions.len(),
                "min": bound(f32::min), "max": bound(f32::max),
            },
            {
                "bufferView": 1, "componentType": UNSIGNED_INT, "type": "SCALAR",
                "count": 3 * mesh.triangles().len(),
            },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": position_bytes, "target": ARRAY_BUFFER },
            {
                "buffer": 0, "byteOffset": position_bytes, "byteLength": index_bytes,
                "target": ELEMENT_ARRAY_BUFFER,
            },
        ],
        "buffers": [{ "byteLength": position_bytes + index_bytes }],
    })
}

/// The matrix, column by column, that moves a point by `middle` and then turns (x, y, z) into (x, z, -y).
#[rustfmt::skip]
fn y_up_from_z_up(middle: DVec3) -> [f64; 16] {
    [
        1.0, 0.0, 0.0, 0.0,
        0.0, 0.0, -1.0, 0.0,
        0.0, 1.0, 0.0, 0.0,
        middle.x, middle.z, 0.0 - middle.y, 1.0, // Not `-middle.y`, which would write -0.
    ]
}

/// The point that positions are relative to.
fn middle(mesh: &Mesh) -> DVec3 {
    let fits = |p: &DVec3| single(*p).map(f64::from) == p.to_array();
    if mesh.vertices().iter().all(fits) {
        return DVec3::ZERO;
    }
    DVec3::from(single(mesh.aabb().centre()).map(f64::from))
}

fn single(p: DVec3) -> [f32; 3] {
    p.as_vec3().to_array()
}
