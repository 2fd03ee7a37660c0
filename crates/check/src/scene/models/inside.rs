//! Which bodies of a field might be wholly inside others? Where surfaces do not meet, one point of each connected piece tells.

use super::super::{Extent, Part};
use kansho_geom::crowd::{Crowd, Outer};
use kansho_geom::glam::DVec3;
use kansho_geom::{Ball, Pose, Solid};

/// For parts with balls, points of pieces of the field that are small enough to be inside.
#[derive(Clone, Debug, Default)]
pub(super) struct Holders(Vec<Holder>);

#[derive(Clone, Debug)]
struct Holder {
    part: u32,
    /// Its place among the parts of its group that have balls around them.
    tree: Option<usize>,
    /// Its box in its own coordinates.
    part_from_frame: Pose,
    low: DVec3,
    high: DVec3,
    /// Around that box, in its frame.
    ball: Ball,
    /// A part of the field, and a point of one of its pieces in the frame of the field.
    points: Vec<(u32, DVec3)>,
    /// The same points.
    crowd: Crowd,
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
    /// Of the pieces of a field, those that might be inside some parts, each with its place among those that have balls around them.
    pub(super) fn new<'a>(
        parts: impl Iterator<Item = (u32, Option<usize>, &'a Part)>,
        pieces: &[Piece],
    ) -> Self {
        let of_part = |(id, tree, part): (u32, Option<usize>, &Part)| {
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
            if points.is_empty() {
                return None;
            }
            let mut crowd = Crowd::new(points.len());
            for (k, (_, point)) in points.iter().enumerate() {
                crowd.set(k, &Outer::around(*point, DVec3::ZERO, 0.0));
            }
            let centre = part.frame_from_part * aabb.centre();
            let room = 1e-9 * (diagonal + centre.length());
            Some(Holder {
                part: id,
                tree,
                part_from_frame: part.frame_from_part.inverse(),
                low: aabb.min(),
                high: aabb.max(),
                ball: Ball::new(centre, 0.5 * diagonal + room),
                points,
                crowd,
            })
        };
        Self(parts.filter_map(of_part).collect())
    }

    /// Collects parts with balls and parts of the field that may be inside, as the groups are placed now. `asked` is used for bits.
    ///
    /// A part whose ball is free, of those that have one (`gaps`), holds nothing: its inside is in the ball.
    pub(super) fn candidates(
        &self,
        field_from_balls: Pose,
        gaps: &[f32],
        asked: &mut Vec<u8>,
        into: &mut Vec<(u32, u32)>,
    ) {
        into.clear();
        for holder in self.0.iter().filter(|holder| !holder.tree.is_some_and(|tree| gaps[tree] > 0.0)) {
            let centre = field_from_balls * holder.ball.centre();
            let room = 1e-9 * (holder.ball.radius() + centre.abs().max_element());
            asked.clear();
            asked.resize(holder.crowd.blocks(), u8::MAX);
            let spare = holder.crowd.blocks() * 8 - holder.points.len();
            asked.last_mut().into_iter().for_each(|last| *last = u8::MAX >> spare);
            if !holder.crowd.near_ball(centre, holder.ball.radius() + room, asked) {
                continue;
            }
            let part_from_field = holder.part_from_frame * field_from_balls.inverse();
            for (k, &(part, point)) in holder.points.iter().enumerate() {
                if asked[k / 8] >> (k % 8) & 1 == 0 {
                    continue;
                }
                let p = part_from_field * point;
                // Placing it has rounded it. Not `p >= low`: what is no number may be inside.
                let room = room + 1e-9 * point.abs().max_element();
                let outside = p.cmplt(holder.low - room).any() || p.cmpgt(holder.high + room).any();
                if !outside {
                    into.push((holder.part, part));
                }
            }
        }
    }
}

fn has_inside(solid: &Solid) -> bool {
    solid.tree().is_none_or(|tree| tree.has_inside())
}
