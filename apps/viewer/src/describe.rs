//! The cell as the page takes it.

use crate::api::{
    CellDescription, CoarseHeader, GeometryHeader, MotionHeader, MotionTimes, PairCounts, ShownBody,
    ShownCoordinate, ShownElement, ShownFrame, ShownKind, ShownPiece, ShownTool, SurfaceHeader,
};
use crate::pack::Pack;
use crate::shown::Loaded;
use kansho::cell::{
    Body, BodyKind, BodyPiece, Carrier, Cell, Coordinate, Elementary, FrameId, FrameJoint, Geometry, InCell,
    InFrame, Quantity,
};
use kansho::geom::primitive::Shape;
use kansho::picture::{Shaded, Shapes, shade, thin};
use kansho::shown::{NamedMotion, TimeBase};
use rayon::prelude::*;

/// The cell in words and numbers, and its shapes.
pub(crate) fn cell(loaded: &Loaded, edition: u64) -> (CellDescription, Vec<u8>) {
    let shapes = Shapes::of(&loaded.cell);
    let mut pack = Pack::default();
    let shaded: Vec<Shaded> = shapes.list.par_iter().map(|(mesh, _)| shade(mesh)).collect();
    let meshes = shaded.into_iter().map(|of| surface(of, &mut pack)).collect();
    let motion = |named: &NamedMotion| {
        let pieces = named.motion.pieces();
        let controls = pieces.iter().flat_map(|piece| piece.controls().iter().flatten().copied());
        MotionHeader {
            name: named.name.clone(),
            pieces: pieces.len(),
            controls: pack.doubles(controls),
            times: times(&named.times),
        }
    };
    let motions = loaded.motions.iter().map(motion).collect();
    let bytes = pack.with_header(&GeometryHeader { meshes, motions });
    (words(loaded, &shapes, edition), bytes)
}

/// Puts a surface into a pack, and says where it is.
fn surface(shaded: Shaded, pack: &mut Pack) -> SurfaceHeader {
    SurfaceHeader {
        positions: pack.floats(shaded.positions),
        normals: pack.small(shaded.normals),
        corners: pack.whole(shaded.corners),
    }
}

/// For each surface of the cell one with fewer triangles, or nothing if it stays as it is.
pub(crate) fn coarse(cell: &Cell) -> Vec<u8> {
    let mut pack = Pack::default();
    let meshes = thin(&Shapes::of(cell)).into_iter().map(|of| of.map(|of| surface(of, &mut pack))).collect();
    pack.with_header(&CoarseHeader { meshes })
}

fn times(base: &TimeBase) -> Option<MotionTimes> {
    match base {
        TimeBase::Unknown => None,
        TimeBase::Pieces { seconds, says } => {
            Some(MotionTimes { pieces: Some(seconds.clone()), whole: None, says: says.clone() })
        }
        TimeBase::Whole { seconds, says } => {
            Some(MotionTimes { pieces: None, whole: Some(*seconds), says: says.clone() })
        }
    }
}

/// The cell in words and numbers.
pub(crate) fn words(loaded: &Loaded, shapes: &Shapes, edition: u64) -> CellDescription {
    let cell = &*loaded.cell;
    let bodies = cell.bodies().iter().zip(&shapes.of_pieces);
    CellDescription {
        edition,
        title: loaded.title.clone(),
        version: env!("CARGO_PKG_VERSION"),
        warnings: loaded.warnings.clone(),
        coordinates: coordinates(cell),
        frames: frames(cell),
        bodies: bodies.map(|(body, of)| of_body(cell, body, of)).collect(),
        tools: tools(cell),
        pairs: PairCounts { checked: cell.pairs().checked().len(), not: cell.pairs().not_checked().len() },
        posture: cell.zero_posture(),
        job: loaded.task.is_some(),
        live: loaded.live.is_some(),
        busy: loaded.busy.is_some(),
        tour: loaded.tour,
        script: loaded.words.as_ref().map(|script| script.text().to_owned()),
    }
}

fn coordinates(cell: &Cell) -> Vec<ShownCoordinate> {
    let of = |c: &Coordinate| ShownCoordinate {
        name: c.full_name(),
        angle: c.quantity == Quantity::Angle,
        limits: c.limits.map(|limits| [limits.lower, limits.upper]),
        speed: c.max_speed,
    };
    cell.coordinates().iter().map(of).collect()
}

/// How each frame but the world moves: turns about z and slides, one after the other.
fn frames(cell: &Cell) -> Vec<ShownFrame> {
    let element = |e: &Elementary| ShownElement {
        before: e.before.to_rows(),
        slide: e.slide.map(|s| s.to_array()),
        coordinate: e.coordinate,
        multiplier: e.multiplier,
        offset: e.offset,
    };
    let of = |joint: FrameJoint| {
        let (elements, after) = joint.elements();
        ShownFrame {
            parent: joint.parent.0,
            elements: elements.iter().map(element).collect(),
            after: after.to_rows(),
        }
    };
    (1..).map_while(|id| cell.frame_joint(FrameId(id))).map(of).collect()
}

fn of_body(cell: &Cell, body: &Body, surfaces: &[Option<usize>]) -> ShownBody {
    let InFrame { frame, frame_from_link } = cell.in_frame(body.carrier);
    let piece = |(piece, surface): (&BodyPiece, &Option<usize>)| ShownPiece {
        mesh: *surface,
        plane: match &piece.geometry {
            Geometry::Primitive(primitive) => match primitive.shape() {
                Shape::HalfSpace { normal, offset } => Some((normal.to_array(), offset)),
                _ => None,
            },
            Geometry::Mesh(_) => None,
        },
        at: (frame_from_link * piece.carrier_from_piece).to_rows(),
    };
    ShownBody {
        name: body.name.clone(),
        kind: match body.kind {
            BodyKind::Link => ShownKind::Link,
            BodyKind::Tool => ShownKind::Tool,
            BodyKind::Object => ShownKind::Object,
        },
        frame: frame.0,
        stands: body.kind == BodyKind::Object && body.carrier == Carrier::World,
        triangles: body.pieces.iter().map(|piece| piece.geometry.triangles()).sum(),
        pieces: body.pieces.iter().zip(surfaces).map(piece).collect(),
    }
}

fn tools(cell: &Cell) -> Vec<ShownTool> {
    let tool = |robot: &InCell| {
        let tool = robot.tool?;
        let InFrame { frame, frame_from_link } = cell.in_frame(Carrier::Link(tool.on));
        let at = (frame_from_link * tool.link_from_tcp).to_rows();
        Some(ShownTool { robot: robot.name.clone(), frame: frame.0, at })
    };
    cell.robots().iter().filter_map(tool).collect()
}
