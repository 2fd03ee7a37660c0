//! What is left after the walk over balls: pairs of parts, in the spans in which they may touch.

use super::walk::{Near, PutOff};
use super::{MotionScene, MotionWorkspace, PairId};
use kansho_geom::Aabb;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Span;

/// Two parts in a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) parts: [u32; 2],
    pub(super) pair: PairId,
    pub(super) window: Span,
    /// Where they may touch; anywhere if there is none.
    pub(super) region: Option<Region>,
}

/// Boxes around where two parts may touch: in the frame of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region(pub(super) [Aabb; 2]);

impl Region {
    fn of(near: &Near) -> Self {
        Self([&near.own, &near.in_field].map(|ball| {
            let corners = [ball.centre() - ball.radius(), ball.centre() + ball.radius()];
            Aabb::of_points(corners).expect("a ball has an extent")
        }))
    }

    fn with(&self, near: &Near) -> Self {
        let Self([own, in_field]) = Self::of(near);
        Self([self.0[0].union(&own), self.0[1].union(&in_field)])
    }
}

impl Job {
    /// Whether this is about all places that another is about.
    fn covers(&self, other: &Self) -> bool {
        match (self.region, other.region) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(mine), Some(theirs)) => mine.0.iter().zip(&theirs.0).all(|(x, y)| x.union(y) == *x),
        }
    }
}

impl MotionScene<'_> {
    /// Pairs of parts that are left, in the spans in which they are.
    pub(super) fn jobs(
        &self,
        pair: &super::super::models::GroupPair,
        models: &super::super::models::Models,
        wanted: f64,
        workspace: &mut MotionWorkspace,
    ) {
        if workspace.walk.put_off.is_empty() {
            return;
        }
        let other = &models.groups[pair.field as usize];
        let extents: Vec<[DVec3; 2]> = match &other.field {
            Some(field) => field.parts().iter().map(|part| part.extent()).collect(),
            None => Vec::new(),
        };
        let windows = &mut workspace.windows;
        // What of the proven gaps is told here: a part of the field that a ball does not reach is farther than the wanted gap.
        let mut clearance = f64::INFINITY;
        for (k, &field_part) in other.parts.iter().enumerate() {
            windows.clear();
            let mut near = |off: &&PutOff| match off.near {
                None => true,
                Some(Near { in_field: ball, .. }) => {
                    let [low, high] = extents[k];
                    let beyond = (low - ball.centre()).max(ball.centre() - high).max(DVec3::ZERO);
                    // Rounding, generously; what is no number is near.
                    let room = beyond.length()
                        - (ball.radius() * (1.0 + 1e-9) + 1e-9 * ball.centre().abs().max_element());
                    if room > 0.0 {
                        clearance = clearance.min(wanted + room);
                    }
                    !(room > 0.0)
                }
            };
            windows.extend(workspace.walk.put_off.iter().filter(&mut near));
            windows.sort_by(|x, y| x.part.cmp(&y.part).then(x.span.start.total_cmp(&y.span.start)));
            let mut last: Option<Job> = None;
            for off in windows.iter() {
                match &mut last {
                    Some(job) if job.parts[0] == off.part && off.span.start <= job.window.end => {
                        job.window.end = job.window.end.max(off.span.end);
                        job.region = job.region.zip(off.near).map(|(region, near)| region.with(&near));
                    }
                    last => {
                        workspace.jobs.extend(*last);
                        let parts = [off.part, field_part];
                        let pair = self.pair_of_parts(parts);
                        let region = off.near.map(|near| Region::of(&near));
                        *last = Some(Job { parts, pair, window: off.span, region });
                    }
                }
            }
            workspace.jobs.extend(last);
        }
        workspace.walk.clearance = workspace.walk.clearance.min(clearance);
        // What was decided before, of the same two parts.
        let cleared = &workspace.cleared;
        workspace.jobs.retain_mut(|job| {
            let whole = *job;
            for done in cleared.iter().filter(|done| done.parts == whole.parts && done.covers(&whole)) {
                if done.window.start <= job.window.start {
                    job.window.start = job.window.start.max(done.window.end);
                }
                if done.window.end >= job.window.end {
                    job.window.end = job.window.end.min(done.window.start);
                }
            }
            job.window.start < job.window.end
        });
    }

    /// All pairs of parts, all the time.
    pub(super) fn all_jobs(&self, jobs: &mut Vec<Job>) {
        for row in &self.scene.rows {
            for (block, &asked) in row.asked.iter().enumerate() {
                for lane in (0..8).filter(|lane| asked >> lane & 1 == 1) {
                    let partner = block * 8 + lane;
                    let parts = [row.part, partner as u32];
                    jobs.push(Job { parts, pair: row.pair[partner], window: Span::WHOLE, region: None });
                }
            }
        }
    }
}
