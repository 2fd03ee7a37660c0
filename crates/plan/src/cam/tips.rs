//! Is a point of a path where a tip can be at all?

use super::Work;
use kansho_cell::work::WorkPoint;
use kansho_cell::{BodyId, BodyPiece, FrameId};
use kansho_check::scene::Scene;
use kansho_geom::primitive::Shape;
use kansho_geom::solid::{self, Meeting, Solid};
use kansho_geom::tree::Scratch;
use kansho_geom::{Pose, Primitive};
use rayon::prelude::*;
use std::sync::Arc;

/// Points whose tips are inside a body that stands still, or touch it: no tool could work there. With the body.
#[must_use]
pub fn tips_inside(scene: &Scene, work: &Work<'_>) -> Vec<(usize, BodyId)> {
    let cell = scene.cell();
    let point = Primitive::new(Shape::Sphere { radius: TIP }).expect("a small ball is a shape");
    let tip = Solid::primitive(point);
    let mut bodies = Vec::new();
    for (id, body) in (0u32..).map(BodyId).zip(cell.bodies()) {
        let place = cell.in_frame(body.carrier);
        if place.frame == FrameId::WORLD && body.kind == kansho_cell::BodyKind::Object {
            for BodyPiece { geometry, carrier_from_piece } in &body.pieces {
                let solid = match geometry {
                    kansho_cell::Geometry::Mesh(mesh) => Solid::mesh(Arc::clone(mesh)),
                    kansho_cell::Geometry::Primitive(primitive) => Solid::primitive(*primitive),
                };
                bodies.push((id, solid, (place.frame_from_link * *carrier_from_piece).inverse()));
            }
        }
    }
    let points: Vec<&WorkPoint> = work.path.points().collect();
    let is_inside = |scratch: &mut Scratch, (k, point): (usize, &&WorkPoint)| {
        let world_from_tip = Pose::from_translation(point.tip_in_world);
        let found = bodies.iter().find(|(_, solid, part_from_world)| {
            solid::meet(solid, &tip, *part_from_world * world_from_tip, scratch) != Meeting::Apart
        });
        found.map(|(id, _, _)| (k, *id))
    };
    points.par_iter().enumerate().map_init(Scratch::default, is_inside).flatten().collect()
}

/// A tip is a ball of this radius, in metres: less than any robot repeats to.
const TIP: f64 = 1e-9;
