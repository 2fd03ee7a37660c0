//! What touches: the pair, its gap and the points, worked out anew where a contact was found.

use super::{MotionOptions, MotionScene, MotionWitness, MotionWorkspace, PairId};
use kansho_cell::JointPiece;
use kansho_geom::pose_motion::Span;
use kansho_geom::{Pose, solid};

impl MotionScene<'_> {
    /// What touches, at the end of a span.
    pub(super) fn witness(
        &self,
        piece: &JointPiece,
        index: usize,
        time: Span,
        pair: PairId,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> MotionWitness {
        let mut posture = Vec::new();
        piece.at(time.end, &mut posture);
        let placed = self.scene.cell.place(&posture);
        // Other parts of the same bodies may be nearer by now: the gap is that of the bodies.
        let [first, second] = self.scene.bodies(pair).map(|body| self.scene.parts_of(body));
        let mut nearest = |below: f64| {
            let mut nearest: Option<(solid::Gap, Pose)> = None;
            for (a, b) in first.clone().flat_map(|a| second.clone().map(move |b| (a, b))) {
                let [a, b] = [a, b].map(|part| &self.scene.parts[part]);
                let [world_from_a, world_from_b] = [a, b].map(|part| part.world_from_part(&placed));
                let a_from_b = world_from_a.inverse() * world_from_b;
                let below = nearest.as_ref().map_or(below, |(nearest, _)| nearest.gap);
                let scratch = &mut workspace.of_scene.scratch;
                if let Some(found) = solid::distance(&a.solid, &b.solid, a_from_b, below, scratch)
                    && found.gap < below
                {
                    nearest = Some((found, world_from_a));
                }
            }
            nearest
        };
        // It is known to be small, but for rounding.
        let small = 2.0 * (options.of(pair) + options.resolution);
        let nearest = nearest(small).or_else(|| nearest(f64::INFINITY));
        let (gap, world_from_first) = nearest.expect("there is a distance below infinity");
        MotionWitness {
            time,
            piece: index,
            in_piece: time.end,
            posture,
            pair,
            gap: gap.gap,
            points: gap.points.map(|point| world_from_first * point),
            on: gap.on,
            at_start: index == 0 && time.end == 0.0,
        }
    }

    /// What touches at the start.
    pub(super) fn start(&self, posture: Vec<f64>, workspace: &mut MotionWorkspace) -> MotionWitness {
        let found = self.scene.least_gap(&posture, f64::INFINITY, &mut workspace.of_scene);
        let found = found.expect("something touches");
        MotionWitness {
            time: Span::new(0.0, 0.0),
            piece: 0,
            in_piece: 0.0,
            posture,
            pair: found.pair,
            gap: found.gap,
            points: found.points,
            on: found.on,
            at_start: true,
        }
    }
}
