//! Which bodies of a field might be wholly inside others? Where surfaces do not meet, one point of each connected piece tells.

use super::super::{Extent, Part};
use kansho_geom::glam::DVec3;
use kansho_geom::{Ball, Pose, Solid};

/// For parts with balls, points of pieces of the field that are small enough to be inside.
#[derive(Clone, Debug, Default)]
pub(super) struct Holders(Vec<Holder>);

#[derive(Clone, Debug)]
struct Holder {
    part: u32,
    part_from_frame: Pose,
    low: DVec3,
    high: DVec3,
    /// Around that box.
    ball: Ball,
    /// A part of the field, and a point of one of its pieces in the frame of the field.
    points: Vec<(u32, DVec3)>,
}

/// A connected piece of a part.
pub(super) struct Piece {
    pub(super) part: u32,
    /// Two points of it in the frame.
    pub(super) ends: [DVec3; 2],
    /// A ball of this radius is inside of it.
    pub(super) inner: f64,
}

impl Holders {
    /// Of the pieces of a field, those that might be inside some parts.
    pub(super) fn new<'a>(parts: impl Iterator<Item = (u32, &'a Part)>, pieces: &[Piece]) -> Self {
        let of_part = |(id, part): (u32, &Part)| {
            // Only what is closed has an inside; a half-space is no part with balls.
            let Extent::Box(aabb) = part.extent else { return None };
            if !has_inside(&part.solid) {
                return None;
            }
            let (diagonal, thickness) =
                (aabb.diagonal() * (1.0 + 1e-9), aabb.extent().min_element() * (1.0 + 1e-9));
            let fits = |piece: &&Piece| {
                piece.ends[0].distance(piece.ends[1]) <= diagonal && 2.0 * piece.inner <= thickness
            };
            let points: Vec<(u32, DVec3)> =
                pieces.iter().filter(fits).map(|piece| (piece.part, piece.ends[0])).collect();
            // Points are placed with some rounding.
            let room = 1e-9 * (diagonal + aabb.centre().length()) + 1e-12;
            let part_from_frame = part.frame_from_part.inverse();
            let (low, high) = (aabb.min() - room, aabb.max() + room);
            (!points.is_empty()).then_some(Holder {
                part: id,
                part_from_frame,
                low,
                high,
                ball: Ball::new((low + high) * 0.5, 0.5 * low.distance(high) + room),
                points,
            })
        };
        Self(parts.filter_map(of_part).collect())
    }

    /// Parts with balls and parts of the field that may be inside, as the groups are placed now.
    pub(super) fn candidates(&self, balls_from_field: Pose) -> impl Iterator<Item = (u32, u32)> {
        self.0.iter().flat_map(move |holder| {
            let part_from_field = holder.part_from_frame * balls_from_field;
            let centre = part_from_field.inverse() * holder.ball.centre();
            holder.points.iter().filter_map(move |&(part, point)| {
                if centre.distance_squared(point) > holder.ball.radius() * holder.ball.radius() {
                    return None;
                }
                let p = part_from_field * point;
                // Not `p >= low`: what is no number may be inside.
                let outside = p.cmplt(holder.low).any() || p.cmpgt(holder.high).any();
                (!outside).then_some((holder.part, part))
            })
        })
    }
}

fn has_inside(solid: &Solid) -> bool {
    solid.tree().is_none_or(|tree| tree.has_inside())
}
