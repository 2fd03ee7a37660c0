//! Shapes and motions in few bytes: positions in sixteen bits of their box, corners in sixteen where these do, postures in single precision.

use crate::pack::Pack;
use kansho::picture::Shaded;
use serde_json::{Value, json};

/// All of it, with a header that says where what is.
pub(super) fn packed<'a>(
    surfaces: &[Shaded],
    motions: impl Iterator<Item = (&'a str, Vec<Vec<f64>>)>,
    joints: usize,
) -> Vec<u8> {
    let mut pack = Pack::default();
    let meshes: Vec<Value> = surfaces.iter().map(|surface| of_surface(surface, &mut pack)).collect();
    let motions: Vec<Value> = motions
        .map(|(name, postures)| {
            let numbers = postures.iter().flatten().map(|value| *value as f32);
            json!({ "name": name, "joints": joints, "count": postures.len(), "postures": pack.floats(numbers) })
        })
        .collect();
    pack.with_header(&json!({ "meshes": meshes, "motions": motions }))
}

fn of_surface(surface: &Shaded, pack: &mut Pack) -> Value {
    let (low, size) = bounds(&surface.positions);
    let short = |(k, value): (usize, &f32)| {
        let part = if size[k % 3] > 0.0 { (value - low[k % 3]) / size[k % 3] } else { 0.0 };
        (part.clamp(0.0, 1.0) * 65_535.0).round() as u16
    };
    let few = surface.positions.len() / 3 <= 65_536;
    let corners = if few {
        pack.short(surface.corners.iter().map(|corner| *corner as u16))
    } else {
        pack.whole(surface.corners.iter().copied())
    };
    let normals = surface.normals.chunks_exact(4).flat_map(|n| [n[0], n[1], n[2]]);
    json!({
        "low": low, "size": size, "few": few, "corners": corners,
        "positions": pack.short(surface.positions.iter().enumerate().map(short)),
        "normals": pack.small(normals),
    })
}

/// The least coordinates, and how far the largest are from these.
fn bounds(positions: &[f32]) -> ([f32; 3], [f32; 3]) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for (k, value) in positions.iter().enumerate() {
        low[k % 3] = low[k % 3].min(*value);
        high[k % 3] = high[k % 3].max(*value);
    }
    if positions.is_empty() {
        return ([0.0; 3], [0.0; 3]);
    }
    (low, [0, 1, 2].map(|k| high[k] - low[k]))
}
