//! Whether anything touches, by models first.

use super::kept::Kept;
use super::{Group, GroupPair, Models, Stages};
use crate::scene::{Scene, SomePairs, Workspace};
use kansho_cell::FrameId;
use kansho_geom::field::{BallTree, Field, Look, Walk, Walked};
use kansho_geom::glam::DVec3;
use kansho_geom::solid::{self, Meeting};
use kansho_geom::tree::Scratch;
use kansho_geom::{Ball, Pose};

/// Nodes of eight balls that are looked at for a part before the triangles are asked.
const MOST_NODES: u64 = 24;

/// Smallest balls that are not free of which it is asked whether they are inside a body.
const MOST_OPEN: u32 = 12;

/// Who asks by balls alone is told that something may touch if a surface is certainly nearer than this many smallest radii. It is what
/// [`RoughScene::accuracy`](crate::rough::RoughScene::accuracy) promises.
const NEAR: f64 = 4.0;

/// How what balls do not tell is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// By the triangles and formulas.
    Exactly,
    /// Not: it may touch.
    ByBalls,
}

/// Memory that models use again.
#[derive(Debug, Default)]
pub(in crate::scene) struct ModelScratch {
    walk: Walk,
    /// Centres of the balls around groups, in the world.
    centres: Vec<DVec3>,
    /// Of pairs of which one stands still, a bound below how far the centre of the other is from it.
    away: Vec<f32>,
    /// Pairs of groups in the order in which they are looked at, and those that are near each other.
    order: Vec<u32>,
    near: Vec<u32>,
    /// Bounds below the gaps of the parts of a group.
    gaps: Vec<f32>,
    /// Parts of the balls' sides of pairs that are left to the exact test.
    open: Vec<(u32, u32)>,
    /// Parts that may hold parts of the field, and bits to find them.
    held: Vec<(u32, u32)>,
    bits: Vec<u8>,
    /// Parts that are placed in this posture: the number of the posture in which they were.
    placed: Vec<u64>,
    posture: u64,
    kept: Kept,
    /// Pairs of groups that are not asked for; none is if it is empty.
    left_out: Vec<bool>,
    /// Where the shapes themselves have to tell, it is also asked whether they are farther apart than one of these, in metres, the largest first.
    margins: Vec<f64>,
    /// A bound below the gaps of all shapes that were asked so, in this posture.
    by_shapes: f64,
    /// A bound below the gaps of all parts that balls proved free, in this posture.
    by_balls: f32,
    /// How often each pair of groups was found to touch.
    hits: Vec<u32>,
    /// Whether it pays to look at the balls inside of each.
    inner: Vec<Worth>,
    pub(in crate::scene) stages: Stages,
}

/// Whether a question is worth asking: not if it was asked often and hardly ever answered yes.
#[derive(Clone, Copy, Debug, Default)]
struct Worth {
    asked: u32,
    paid: u32,
    pause: u32,
}

impl Worth {
    /// Times after which it is looked at whether it pays, times it must have paid until then, and times it is left out if not.
    const TIMES: u32 = 256;
    const LEAST: u32 = 8;
    const PAUSE: u32 = 8192;

    fn is_asked(&mut self) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        if self.asked == Self::TIMES {
            let pause = if self.paid < Self::LEAST { Self::PAUSE } else { 0 };
            *self = Self { pause, ..Self::default() };
        }
        self.asked += 1;
        true
    }
}

impl ModelScratch {
    pub(in crate::scene) fn new(parts: usize) -> Self {
        Self { placed: vec![0; parts], ..Self::default() }
    }

    /// For some pairs only.
    pub(in crate::scene) fn of_pairs(
        parts: usize,
        models: &Models,
        pairs: SomePairs,
        margins: &[f64],
    ) -> Self {
        let is_left_out = |pair: &GroupPair| {
            let frames = [pair.field, pair.balls].map(|group| models.groups[group as usize].frame);
            let is_of =
                |frame: FrameId| frames == [FrameId::WORLD, frame] || frames == [frame, FrameId::WORLD];
            match pairs {
                SomePairs::All => false,
                SomePairs::OfFrame(frame) => !is_of(frame),
                SomePairs::NotOfFrame(frame) => is_of(frame),
            }
        };
        let left_out = models.pairs.iter().map(is_left_out).collect();
        let mut margins: Vec<f64> = margins.iter().copied().filter(|margin| *margin > 0.0).collect();
        margins.sort_by(|a, b| b.total_cmp(a));
        Self { left_out, margins, ..Self::new(parts) }
    }

    /// After a posture that does not touch: a bound below all gaps.
    pub(in crate::scene) fn least_gap(&self) -> f64 {
        self.kept.least()
    }

    /// Nodes of eight balls that were looked at so far.
    pub(in crate::scene) fn walked(&self) -> u64 {
        self.walk.nodes
    }
}

impl Models {
    /// Whether anything touches in a posture.
    pub(in crate::scene) fn touches(
        &self,
        scene: &Scene,
        posture: &[f64],
        workspace: &mut Workspace,
    ) -> bool {
        self.asked(scene, posture, How::Exactly, workspace)
    }

    /// Whether anything may touch in a posture: not if all balls are free. If so, some surface is within four times the radius of the
    /// smallest balls of another body.
    pub(in crate::scene) fn may_touch(
        &self,
        scene: &Scene,
        posture: &[f64],
        workspace: &mut Workspace,
    ) -> bool {
        self.asked(scene, posture, How::ByBalls, workspace)
    }

    fn asked(&self, scene: &Scene, posture: &[f64], how: How, workspace: &mut Workspace) -> bool {
        let mut scratch =
            workspace.models.take().unwrap_or_else(|| Box::new(ModelScratch::new(scene.parts.len())));
        let touches = self.decide(scene, posture, how, &mut scratch, workspace);
        workspace.models = Some(scratch);
        touches
    }

    fn decide(
        &self,
        scene: &Scene,
        posture: &[f64],
        how: How,
        scratch: &mut ModelScratch,
        workspace: &mut Workspace,
    ) -> bool {
        scratch.posture += 1;
        if !scene.always.is_empty() {
            scratch.stages.always += 1;
            return true;
        }
        if self.begin(scene, posture, scratch) {
            scratch.stages.kept += 1;
            return false;
        }
        scene.cell.place_into(posture, &mut workspace.placed);
        self.place_balls(scratch, workspace);
        let within = match how {
            How::Exactly => 0.0,
            // That near is near enough to tell.
            How::ByBalls => self.radius as f32,
        };
        // What stands still is hit most often, and deeply: there balls inside of bodies tell soonest.
        for at in 0..scratch.order.len() {
            let index = scratch.order[at];
            let pair = &self.pairs[index as usize];
            let (group, other) = (&self.groups[pair.balls as usize], &self.groups[pair.field as usize]);
            if !self.is_near(index, scratch, workspace) {
                continue;
            }
            scratch.near.push(index);
            if group.inner.is_empty()
                || other.frame != FrameId::WORLD
                || !scratch.inner[index as usize].is_asked()
            {
                continue;
            }
            let field = other.field.as_ref().expect("the field of a pair has one");
            let look = Look::new(field, workspace.placed.world_from_frame(group.frame), group.inner.reach());
            if scratch.walk.hit(&group.inner, field, &look, within, &mut workspace.scratch) {
                scratch.stages.inner += 1;
                scratch.hits[index as usize] += 1;
                scratch.inner[index as usize].paid += 1;
                return true;
            }
        }
        // Of all pairs first what balls tell: what takes the exact test waits.
        let before = scratch.stages.exact_pairs;
        scratch.open.clear();
        (scratch.by_shapes, scratch.by_balls) = (f64::INFINITY, f32::INFINITY);
        for at in 0..scratch.near.len() {
            let index = scratch.near[at];
            match self.pair(scene, index, how, scratch, workspace) {
                Some(gap) => scratch.kept.set(index, gap),
                None => {
                    scratch.hits[index as usize] += 1;
                    if scratch.stages.exact_pairs == before {
                        scratch.stages.inner += 1;
                    } else {
                        scratch.stages.exact_hit += 1;
                    }
                    return true;
                }
            }
        }
        for at in 0..scratch.open.len() {
            let (index, part) = scratch.open[at];
            let other = &self.groups[self.pairs[index as usize].field as usize];
            if self.exactly(scene, part, other, scratch, workspace) {
                scratch.hits[index as usize] += 1;
                scratch.stages.exact_hit += 1;
                return true;
            }
        }
        if scratch.stages.exact_pairs == before {
            scratch.stages.spheres += 1;
        } else {
            scratch.stages.exact_free += 1;
        }
        if !scratch.margins.is_empty() {
            // What was looked at by shapes is no nearer than that; other parts of the same pairs have the bound of their balls.
            scratch.kept.at_least(scratch.by_shapes.min(f64::from(scratch.by_balls)));
        }
        false
    }

    /// Prepares for a posture. Whether all pairs still have a gap.
    fn begin(&self, scene: &Scene, posture: &[f64], scratch: &mut ModelScratch) -> bool {
        let in_range =
            |&k: &usize| scene.cell.coordinates()[k].limits.is_some_and(|limits| limits.contain(posture[k]));
        scratch.kept.go_on(self, posture, self.ranged.iter().all(in_range));
        scratch.kept.leave_out(&scratch.left_out);
        scratch.hits.resize(self.pairs.len(), 0);
        scratch.inner.resize(self.pairs.len(), Worth::default());
        if scratch.order.is_empty() || scratch.posture.is_multiple_of(256) {
            // Pairs that hit most often first.
            let (order, hits) = (&mut scratch.order, &scratch.hits);
            order.clear();
            order.extend(0..self.pairs.len() as u32);
            order.sort_by_key(|pair| std::cmp::Reverse(hits[*pair as usize]));
        }
        scratch.near.clear();
        scratch.kept.have_gaps()
    }

    /// Places the balls around groups.
    fn place_balls(&self, scratch: &mut ModelScratch, workspace: &mut Workspace) {
        let centre = |group: &Group| {
            let ball = group.ball?;
            Some(workspace.placed.world_from_frame(group.frame) * ball.centre())
        };
        scratch.centres.clear();
        scratch.centres.extend(self.groups.iter().map(|group| centre(group).unwrap_or(DVec3::NAN)));
        scratch.away.resize(self.pairs.len(), 0.0);
        for together in &self.still {
            let mut points = [DVec3::ZERO; 8];
            for (point, pair) in points.iter_mut().zip(together) {
                *point = scratch.centres[self.pairs[*pair as usize].balls as usize];
            }
            let group = &self.groups[self.pairs[together[0] as usize].field as usize];
            let field = group.field.as_ref().expect("the field of a pair has one");
            let away = scratch.walk.roughly(field, &points[..together.len()], &mut workspace.scratch);
            for (pair, away) in together.iter().zip(away) {
                scratch.away[*pair as usize] = away;
            }
        }
    }

    /// Whether a pair of groups is not proven apart by what is known of an earlier posture, or by the balls around them.
    fn is_near(&self, index: u32, scratch: &mut ModelScratch, workspace: &mut Workspace) -> bool {
        let pair = &self.pairs[index as usize];
        if scratch.left_out.get(index as usize).is_some_and(|left_out| *left_out) {
            return false;
        }
        if scratch.kept.wants() && scratch.kept.is_skipped(index) {
            return false;
        }
        let (field, balls) = (pair.field as usize, pair.balls as usize);
        let [of_field, of_balls] = [&self.groups[field], &self.groups[balls]];
        let Some(ball) = of_balls.ball else { return true };
        let (centre, other) = (scratch.centres[balls], scratch.centres[field]);
        // Rounding of both placements, generously.
        let room = 1e-9 * (centre.abs().max_element() + ball.radius());
        let reach = ball.radius() + room;
        let field = of_field.field.as_ref().expect("the field of a pair has one");
        let gap = if of_field.frame == FrameId::WORLD {
            f64::from(scratch.away[index as usize]) - reach
        } else {
            // Their balls may be so far apart that there is nothing to look up. Who keeps gaps wants to know how far.
            let both = of_field.ball.map_or(f64::INFINITY, |of_field| {
                reach + of_field.radius() * (1.0 + 1e-9) + 1e-9 * other.abs().max_element()
            });
            let apart_sq = centre.distance_squared(other);
            let wants = scratch.kept.wants();
            if !wants && apart_sq > both * both {
                return false;
            }
            let beside = if wants { apart_sq.sqrt() * (1.0 - 1e-15) - both } else { f64::NEG_INFINITY };
            if beside > ball.radius() {
                beside
            } else {
                let in_field = workspace.placed.world_from_frame(of_field.frame).inverse() * centre;
                beside.max(field.roughly(in_field, &mut workspace.scratch) - reach)
            }
        };
        if gap > 0.0 {
            scratch.kept.set(index, gap);
        }
        !(gap > 0.0)
    }

    /// A bound below the gap of two groups, zero if all that is known is that they do not touch; none if they touch.
    fn pair(
        &self,
        scene: &Scene,
        index: u32,
        how: How,
        scratch: &mut ModelScratch,
        workspace: &mut Workspace,
    ) -> Option<f64> {
        let pair = &self.pairs[index as usize];
        let (group, other) = (&self.groups[pair.balls as usize], &self.groups[pair.field as usize]);
        let world_from_balls = workspace.placed.world_from_frame(group.frame);
        let is_still = other.frame == FrameId::WORLD;
        let field_from_balls = if is_still {
            world_from_balls
        } else {
            workspace.placed.world_from_frame(other.frame).inverse() * world_from_balls
        };
        let field = other.field.as_ref().expect("the field of a pair has one");
        let first_open = scratch.open.len();
        scratch.open.extend(group.bare.iter().map(|part| (index, *part)));
        let look = Look::new(field, field_from_balls, group.roots.reach());
        if let [_] = &group.trees[..] {
            // Its ball is that of the group.
            scratch.gaps.clear();
            scratch.gaps.push(0.0);
        } else {
            scratch.walk.roots(&group.roots, field, &look, &mut workspace.scratch, &mut scratch.gaps);
        }
        let mut least = if group.bare.is_empty() { f32::INFINITY } else { 0.0 };
        // What stands still was looked at with balls inside bodies before.
        let mut inner = is_still || group.inner.is_empty();
        for (k, (part, tree)) in group.trees.iter().enumerate() {
            let gap = scratch.gaps[k];
            if gap > 0.0 {
                least = least.min(gap);
                scratch.by_balls = scratch.by_balls.min(gap);
                continue;
            }
            scratch.walk.wants_gap = scratch.kept.wants();
            scratch.walk.begin();
            let walked = match how {
                How::Exactly => scratch.walk.next(tree, field, &look, MOST_NODES, &mut workspace.scratch),
                How::ByBalls => {
                    let within = NEAR * self.radius;
                    to_field(scratch, tree, field, &look, (field_from_balls, within), &mut workspace.scratch)
                }
            };
            if walked == Walked::Free {
                least = least.min(scratch.walk.gap);
                scratch.by_balls = scratch.by_balls.min(scratch.walk.gap);
                continue;
            }
            if how == How::ByBalls {
                return None;
            }
            // Of the balls that are open, some may be inside a body of the field: then they touch.
            let mut open = walked;
            for _ in 0..MOST_OPEN {
                let Walked::Open(ball) = open else { break };
                if is_inside(field, &ball, field_from_balls, &mut workspace.scratch) {
                    return None;
                }
                open = scratch.walk.next(tree, field, &look, 2, &mut workspace.scratch);
            }
            if !inner {
                inner = true;
                let look = Look::new(field, field_from_balls, group.inner.reach());
                if scratch.walk.hit(&group.inner, field, &look, 0.0, &mut workspace.scratch) {
                    return None;
                }
            }
            scratch.open.push((index, *part));
            least = 0.0;
        }
        let mut held = std::mem::take(&mut scratch.held);
        pair.holders.candidates(field_from_balls, &scratch.gaps, &mut scratch.bits, &mut held);
        let mut touches = false;
        for (holder, held) in held.iter().copied() {
            // The exact test finds what is inside, too.
            if !scratch.open[first_open..].iter().any(|(_, part)| *part == holder) {
                least = 0.0;
                touches |= self.meet(scene, holder, held, scratch, workspace);
            }
        }
        scratch.held = held;
        if touches {
            return None;
        }
        Some(f64::from(least))
    }

    /// Whether a part touches a group, exactly.
    fn exactly(
        &self,
        scene: &Scene,
        part: u32,
        group: &Group,
        scratch: &mut ModelScratch,
        workspace: &mut Workspace,
    ) -> bool {
        place(scene, part, scratch, workspace);
        if group.frame != FrameId::WORLD {
            group.parts.iter().for_each(|other| place(scene, *other, scratch, workspace));
        }
        let mut asked = std::mem::take(&mut workspace.asked);
        asked.copy_from_slice(&group.mask);
        // Boxes tell what is apart, but not by how much.
        if scratch.margins.is_empty() {
            workspace.crowd.near_of(&workspace.crowd.get(part as usize), &mut asked);
        }
        let mut touches = false;
        'all: for (block, &near) in (0u32..).zip(&asked) {
            let mut left = u32::from(near);
            while left != 0 {
                let other = block * 8 + left.trailing_zeros();
                left &= left - 1;
                touches = self.meet(scene, part, other, scratch, workspace);
                if touches {
                    break 'all;
                }
            }
        }
        workspace.asked = asked;
        touches
    }

    fn meet(
        &self,
        scene: &Scene,
        i: u32,
        j: u32,
        scratch: &mut ModelScratch,
        workspace: &mut Workspace,
    ) -> bool {
        place(scene, i, scratch, workspace);
        place(scene, j, scratch, workspace);
        scratch.stages.exact_pairs += 1;
        // In the order of the rows of the scene: the other way round the placement rounds to another place, and what touches by a
        // hair there may not here.
        let both_move = scene.parts[j as usize].frame != FrameId::WORLD;
        let (i, j) = if both_move { (i.min(j), i.max(j)) } else { (i, j) };
        let (i, j) = (i as usize, j as usize);
        let i_from_j = Scene::relative(workspace, i, j);
        let (a, b) = (&scene.parts[i].solid, &scene.parts[j].solid);
        if !scratch.margins.is_empty() {
            let is_farther = |margin: &&f64| !solid::within(a, b, i_from_j, **margin, &mut workspace.scratch);
            let margin = scratch.margins.iter().find(is_farther).copied();
            scratch.by_shapes = scratch.by_shapes.min(margin.unwrap_or(0.0));
            if margin.is_some() {
                return false;
            }
        }
        solid::meet(a, b, i_from_j, &mut workspace.scratch) != Meeting::Apart
    }
}

/// Whether a smallest ball is certainly inside a body of the field: there is surface in it, and that is then inside too.
fn is_inside(field: &Field, ball: &Ball, field_from_balls: Pose, of_trees: &mut Scratch) -> bool {
    let centre = field_from_balls * ball.centre();
    // Placing it has rounded it.
    let room = 1e-9 * (ball.radius() + centre.abs().max_element());
    field.holds(&Ball::new(centre, ball.radius() + room), of_trees)
}

/// Goes on to a smallest ball that does reach the field: a field tells less than it could where it is not flat. Or to one whose surface
/// is certainly within a length of the field.
fn to_field(
    scratch: &mut ModelScratch,
    tree: &BallTree,
    field: &Field,
    look: &Look,
    (field_from_balls, within): (Pose, f64),
    of_trees: &mut Scratch,
) -> Walked {
    let mut all_by_field = true;
    loop {
        match scratch.walk.next(tree, field, look, u64::MAX, of_trees) {
            Walked::Open(ball) => {
                let centre = field_from_balls * ball.centre();
                // Some surface is in the ball. Who is that near is near: rounding does not matter.
                if field.not_beyond(centre, of_trees) + ball.radius() <= within {
                    return Walked::Open(ball);
                }
                // Distances are right to 1e-15 of the coordinates; what is no number is near.
                let room = 1e-9 * (ball.radius() + centre.abs().max_element());
                if !(field.distance(centre, of_trees) > ball.radius() + room) {
                    return Walked::Open(ball);
                }
                all_by_field = false;
            }
            Walked::Free => {
                if !all_by_field {
                    scratch.walk.gap = 0.0;
                }
                return Walked::Free;
            }
            Walked::TooLong => return Walked::TooLong,
        }
    }
}

/// Places a part that moves, once in a posture.
fn place(scene: &Scene, part: u32, scratch: &mut ModelScratch, workspace: &mut Workspace) {
    let index = part as usize;
    let of = &scene.parts[index];
    if of.frame == FrameId::WORLD || scratch.placed[index] == scratch.posture {
        return;
    }
    scratch.placed[index] = scratch.posture;
    let world_from_part = of.world_from_part(&workspace.placed);
    workspace.world_from_part[index] = world_from_part;
    workspace.crowd.set(index, &of.extent.outer(world_from_part));
}
