//! The cell as the page takes it.

use crate::pack::Pack;
use crate::shade::{Shaded, shade};
use crate::shown::Loaded;
use kansho::cell::{Body, BodyKind, Carrier, Cell, Elementary, FrameId, Geometry, InFrame, Quantity};
use kansho::geom::primitive::Shape;
use kansho::geom::{Mesh, Pose, Primitive};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// How far flat faces that stand for round ones may lie inside, as a fraction of the size: not visible on a screen.
const ROUND: f64 = 5e-4;

/// Shapes of a cell, each once.
pub(crate) struct Shapes {
    /// Surfaces to draw, and where they came from.
    pub(crate) list: Vec<(Arc<Mesh>, Geometry)>,
    /// For each body and each of its pieces the number of its surface; none of a half-space.
    pub(crate) of_pieces: Vec<Vec<Option<usize>>>,
}

impl Shapes {
    /// Meshes that stand several times in the cell are listed once. Those of boxes have the triangles that the cell is checked with.
    pub(crate) fn of(cell: &Cell) -> Self {
        let mut known: HashMap<*const Mesh, usize> = HashMap::new();
        let mut list: Vec<(Arc<Mesh>, Geometry)> = Vec::new();
        let mut piece = |geometry: &Geometry| match geometry {
            Geometry::Mesh(mesh) => Some(*known.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                list.push((Arc::clone(mesh), geometry.clone()));
                list.len() - 1
            })),
            Geometry::Primitive(primitive) => {
                list.push((Arc::new(flat(primitive)?), geometry.clone()));
                Some(list.len() - 1)
            }
        };
        let of_body =
            |body: &Body| body.pieces.iter().map(|p| piece(&p.geometry)).collect::<Vec<Option<usize>>>();
        let of_pieces = cell.bodies().iter().map(of_body).collect();
        Self { list, of_pieces }
    }
}

fn flat(primitive: &Primitive) -> Option<Mesh> {
    primitive.tessellated(ROUND * primitive.aabb()?.diagonal())
}

/// The cell in words and numbers, and its shapes.
pub(crate) fn cell(loaded: &Loaded) -> (Value, Vec<u8>) {
    let cell = &*loaded.cell;
    let shapes = Shapes::of(cell);
    let mut pack = Pack::default();
    let shaded: Vec<Shaded> = shapes.list.par_iter().map(|(mesh, _)| shade(mesh)).collect();
    let meshes: Vec<Value> = shaded.into_iter().map(|of| of.packed(&mut pack)).collect();
    let motions: Vec<Value> = loaded
        .motions
        .iter()
        .map(|named| {
            let pieces = named.motion.pieces();
            let controls = pieces.iter().flat_map(|piece| piece.controls().iter().flatten().copied());
            json!({
                "name": named.name, "pieces": pieces.len(), "controls": pack.doubles(controls), "times": named.times.told(),
            })
        })
        .collect();
    let bytes = pack.with_header(&json!({ "meshes": meshes, "motions": motions }));
    (words(loaded, &shapes), bytes)
}

/// The cell in words and numbers.
pub(crate) fn words(loaded: &Loaded, shapes: &Shapes) -> Value {
    let cell = &*loaded.cell;
    json!({
        "title": loaded.title,
        "version": env!("CARGO_PKG_VERSION"),
        "warnings": loaded.warnings,
        "coordinates": coordinates(cell),
        "frames": frames(cell),
        "bodies": cell.bodies().iter().zip(&shapes.of_pieces).map(|(body, of)| of_body(cell, body, of)).collect::<Vec<_>>(),
        "tools": tools(cell),
        "pairs": { "checked": cell.pairs().checked().len(), "not": cell.pairs().not_checked().len() },
        "posture": cell.zero_posture(),
        "job": loaded.task.is_some(),
        "live": loaded.live.is_some(),
        "busy": loaded.busy.is_some(),
        "tour": loaded.tour,
        "script": loaded.words.as_ref().map(|words| words.script.text()),
    })
}

fn coordinates(cell: &Cell) -> Vec<Value> {
    cell.coordinates()
        .iter()
        .map(|c| {
            json!({
                "name": c.full_name(),
                "angle": c.quantity == Quantity::Angle,
                "limits": c.limits.map(|limits| [limits.lower, limits.upper]),
                "speed": c.max_speed,
            })
        })
        .collect()
}

/// How each frame but the world moves: turns about z and slides, one after the other.
fn frames(cell: &Cell) -> Vec<Value> {
    (1..)
        .map_while(|id| cell.frame_joint(FrameId(id)))
        .map(|joint| {
            let (elements, after) = joint.elements();
            let element = |e: &Elementary| {
                json!({
                    "before": e.before.to_rows(), "slide": e.slide.map(|s| s.to_array()),
                    "coordinate": e.coordinate, "multiplier": e.multiplier, "offset": e.offset,
                })
            };
            json!({
                "parent": joint.parent.0,
                "elements": elements.iter().map(element).collect::<Vec<_>>(),
                "after": after.to_rows(),
            })
        })
        .collect()
}

fn of_body(cell: &Cell, body: &Body, surfaces: &[Option<usize>]) -> Value {
    let InFrame { frame, frame_from_link } = cell.in_frame(body.carrier);
    let pieces: Vec<Value> = body
        .pieces
        .iter()
        .zip(surfaces)
        .map(|(piece, surface)| {
            let at: Pose = frame_from_link * piece.carrier_from_piece;
            let plane = match &piece.geometry {
                Geometry::Primitive(primitive) => match primitive.shape() {
                    Shape::HalfSpace { normal, offset } => Some(json!([normal.to_array(), offset])),
                    _ => None,
                },
                Geometry::Mesh(_) => None,
            };
            json!({ "mesh": surface, "plane": plane, "at": at.to_rows() })
        })
        .collect();
    let kind = match body.kind {
        BodyKind::Link => "link",
        BodyKind::Tool => "tool",
        BodyKind::Object => "object",
    };
    let triangles: usize = body.pieces.iter().map(|piece| piece.geometry.triangles()).sum();
    let stands = body.kind == BodyKind::Object && body.carrier == Carrier::World;
    json!({ "name": body.name, "kind": kind, "frame": frame.0, "stands": stands, "triangles": triangles, "pieces": pieces })
}

fn tools(cell: &Cell) -> Vec<Value> {
    let tool = |robot: &kansho::cell::InCell| {
        let tool = robot.tool?;
        let InFrame { frame, frame_from_link } = cell.in_frame(Carrier::Link(tool.on));
        Some(
            json!({ "robot": robot.name, "frame": frame.0, "at": (frame_from_link * tool.link_from_tcp).to_rows() }),
        )
    };
    cell.robots().iter().filter_map(tool).collect()
}
