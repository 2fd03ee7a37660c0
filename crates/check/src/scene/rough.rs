//! A whole cell by its spheres: quick, and rough by a length that is known.
//!
//! Meshes that move, and meshes that stand still, are covered by hierarchies of spheres ([`kansho_geom::spheres`]); primitives
//! are taken as they are. A contact is never missed: where no smallest spheres meet, surfaces are apart, and a body that lies
//! inside another is looked for. What is reported as a contact may be a gap of up to [`RoughScene::accuracy`].

use super::models::Models;
use super::{PairId, Part, Scene, Workspace};
use kansho_cell::{BodyId, FrameId, Geometry, Placed};
use kansho_geom::crowd::Crowd;
use kansho_geom::glam::DVec3;
use kansho_geom::solid;
use kansho_geom::spheres::against::gap_to_primitive;
use kansho_geom::spheres::search::{self, Packed, SphereScratch};
use kansho_geom::spheres::{CoverFault, CoverOptions, Surface, cover};
use kansho_geom::tree::Scratch;
use kansho_geom::{Aabb, Pose, Primitive, tolerance};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

/// A scene with models of spheres. All threads share one.
#[derive(Clone, Debug)]
pub struct RoughScene {
    scene: Arc<Scene>,
    radius: f64,
    /// One for each part of the scene.
    models: Vec<Model>,
    /// Parts that stand still, by their number in the scene.
    standing: Vec<u32>,
    crowd: Crowd,
    /// Frames that move.
    frames: Vec<FrameModel>,
    /// Pairs of frames that move, and the parts of each that are checked.
    between: Vec<Between>,
    /// To tell soon that nothing touches.
    quick: Arc<Models>,
}

/// A part in the coordinates of its frame.
#[derive(Clone, Debug)]
struct Model {
    shape: Shape,
    /// The ball around it; infinite around a half-space.
    centre: DVec3,
    radius: f64,
}

#[derive(Clone, Debug)]
enum Shape {
    Spheres(Packed),
    Formula { primitive: Primitive, frame_from_it: Pose },
}

/// All that moves as one.
#[derive(Clone, Debug)]
struct FrameModel {
    frame: FrameId,
    /// The ball around it all.
    centre: DVec3,
    radius: f64,
    /// What stands still and is checked against some part of it, as bits in blocks of eight.
    asked: Vec<u8>,
    /// Its parts: the number in the scene, what stands still and is checked against it, and the pairs.
    parts: Vec<(u32, Vec<u8>, Vec<PairId>)>,
}

#[derive(Clone, Debug)]
struct Between {
    /// Places in `frames`.
    frames: [u32; 2],
    /// A part of each, and their pair.
    parts: Vec<([u32; 2], PairId)>,
}

/// Memory that questions use again. One for each thread; made by [`RoughScene::workspace`].
#[derive(Debug)]
pub struct RoughWorkspace {
    placed: Placed,
    world_from_frame: Vec<Pose>,
    centres: Vec<DVec3>,
    asked: Vec<u8>,
    of_part: Vec<u8>,
    /// Pairs of parts by a bound below their gap, the least on top. Bounds are not negative, so their bits are in their order.
    bounds: BinaryHeap<Reverse<(u64, PairId, [u32; 2])>>,
    /// For searches, with what they counted.
    pub spheres: SphereScratch,
    scratch: Scratch,
    quick: Workspace,
}

/// A contact of models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoughHit {
    /// The bodies.
    pub pair: PairId,
    /// Where, in the world: within the accuracy.
    pub point: DVec3,
}

/// The least gap of models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoughGap {
    /// The true gap is at least that, and larger by at most the accuracy.
    pub gap: f64,
    /// The bodies.
    pub pair: PairId,
    /// Where, in the world: a point near each.
    pub points: [DVec3; 2],
}

impl RoughScene {
    /// Covers the meshes of a scene with spheres of a smallest radius, on all threads of the current pool.
    ///
    /// # Errors
    /// The radius is not positive, or too small.
    pub fn new(scene: Arc<Scene>, radius: f64) -> Result<Self, CoverFault> {
        let models = models(&scene, radius)?;
        let standing: Vec<u32> = (0u32..)
            .zip(&scene.parts)
            .filter(|(_, part)| part.frame == FrameId::WORLD)
            .map(|(k, _)| k)
            .collect();
        let mut crowd = Crowd::new(standing.len());
        for (k, &part) in standing.iter().enumerate() {
            let Part { extent, frame_from_part, .. } = &scene.parts[part as usize];
            crowd.set(k, &extent.outer(*frame_from_part));
        }
        let mut rough = {
            let quick = Arc::new(Models::of_radius(&scene, radius, false)?);
            let (frames, between) = (Vec::new(), Vec::new());
            Self { radius, models, standing, crowd, frames, between, quick, scene }
        };
        rough.sort_pairs();
        Ok(rough)
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// What is reported as a contact is no farther apart than this, up to the rounding of the coordinates. Zero if no body that is checked
    /// has spheres: shapes that are formulas are looked at as they are.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        let has_spheres = |body: BodyId| {
            self.scene.parts_of(body).any(|part| matches!(self.models[part].shape, Shape::Spheres(_)))
        };
        let both = |bodies: &[BodyId; 2]| bodies.iter().filter(|body| has_spheres(**body)).count();
        let most = self.scene.cell().pairs().checked().iter().map(both).max().unwrap_or(0);
        // Two surfaces that each lie within twice the radius of a point of their spheres: 2 (r_A + r_B).
        2.0 * most as f64 * self.radius * (1.0 + 1e-9)
    }

    /// What [`RoughScene::may_touch`] reports is no farther apart than this: there every shape has spheres, formulas too.
    #[must_use]
    pub fn quick_accuracy(&self) -> f64 {
        4.0 * self.radius * (1.0 + 1e-9)
    }

    /// Memory for the questions of one thread.
    #[must_use]
    pub fn workspace(&self) -> RoughWorkspace {
        let cell = self.scene.cell();
        RoughWorkspace {
            placed: cell.place(&cell.zero_posture()),
            world_from_frame: Vec::new(),
            centres: Vec::new(),
            asked: vec![0; self.crowd.blocks()],
            of_part: vec![0; self.crowd.blocks()],
            bounds: BinaryHeap::new(),
            spheres: SphereScratch::default(),
            scratch: Scratch::default(),
            quick: self.scene.workspace(),
        }
    }

    /// Whether anything may touch in a posture; false by proof. If so, surfaces are no farther apart than
    /// [`RoughScene::quick_accuracy`].
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn may_touch(&self, posture: &[f64], workspace: &mut RoughWorkspace) -> bool {
        self.quick.may_touch(&self.scene, posture, &mut workspace.quick)
    }

    /// A pair of bodies whose models meet in a posture; none if nothing touches, by proof.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn first_hit(&self, posture: &[f64], workspace: &mut RoughWorkspace) -> Option<RoughHit> {
        if !self.may_touch(posture, workspace) {
            return None;
        }
        self.place(posture, workspace);
        if let Some(touch) = self.scene.always.first() {
            let world_from_frame = workspace.placed.world_from_frame(touch.frame);
            return Some(RoughHit { pair: touch.pair, point: world_from_frame * touch.points_in_frame[0] });
        }
        (0..self.frames.len())
            .find_map(|frame| self.hit_of_frame(frame, workspace))
            .or_else(|| self.between.iter().find_map(|between| self.hit_between(between, workspace)))
    }

    /// The least gap of models in a posture; none if no pair moves.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn least_gap(&self, posture: &[f64], workspace: &mut RoughWorkspace) -> Option<RoughGap> {
        self.place(posture, workspace);
        if let Some(touch) = self.scene.always.first() {
            let world_from_frame = workspace.placed.world_from_frame(touch.frame);
            let points = touch.points_in_frame.map(|point| world_from_frame * point);
            return Some(RoughGap { gap: 0.0, pair: touch.pair, points });
        }
        let mut bounds = std::mem::take(&mut workspace.bounds);
        bounds.clear();
        self.gather_bounds(&mut bounds, workspace);
        let mut best: Option<RoughGap> = None;
        while let Some(Reverse((bound, pair, parts))) = bounds.pop() {
            let bound = f64::from_bits(bound);
            let limit = best.map_or(f64::INFINITY, |best| best.gap);
            if !(bound < limit) {
                break;
            }
            let world =
                parts.map(|part| workspace.placed.world_from_frame(self.scene.parts[part as usize].frame));
            if let Some((gap, points)) = self.gap_of_parts(parts, world, limit, workspace)
                && gap < limit
            {
                best = Some(RoughGap { gap, pair, points });
                if gap == 0.0 {
                    break;
                }
            }
        }
        workspace.bounds = bounds;
        best
    }

    fn place(&self, posture: &[f64], workspace: &mut RoughWorkspace) {
        self.scene.cell.place_into(posture, &mut workspace.placed);
        workspace.world_from_frame.clear();
        workspace.centres.clear();
        for frame in &self.frames {
            let world_from_frame = workspace.placed.world_from_frame(frame.frame);
            workspace.world_from_frame.push(world_from_frame);
            workspace.centres.push(world_from_frame * frame.centre);
        }
    }

    /// A frame against what stands still.
    fn hit_of_frame(&self, index: usize, workspace: &mut RoughWorkspace) -> Option<RoughHit> {
        let frame = &self.frames[index];
        workspace.asked.copy_from_slice(&frame.asked);
        if !self.crowd.near_ball(workspace.centres[index], frame.radius, &mut workspace.asked) {
            return None;
        }
        let world_from_frame = workspace.world_from_frame[index];
        for (part, asked, pairs) in &frame.parts {
            let model = &self.models[*part as usize];
            let mut some = 0;
            for ((of_part, asked), of_frame) in workspace.of_part.iter_mut().zip(asked).zip(&workspace.asked)
            {
                *of_part = asked & of_frame;
                some |= *of_part;
            }
            let centre = world_from_frame * model.centre;
            if some == 0 || !self.crowd.near_ball(centre, model.radius, &mut workspace.of_part) {
                continue;
            }
            for block in 0..workspace.of_part.len() {
                let mut left = u32::from(workspace.of_part[block]);
                while left != 0 {
                    let k = block * 8 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    let other = self.standing[k];
                    let world = [world_from_frame, Pose::IDENTITY];
                    if let Some(point) = self.meet([*part, other], world, workspace) {
                        return Some(RoughHit { pair: pairs[k], point });
                    }
                }
            }
        }
        None
    }

    fn hit_between(&self, between: &Between, workspace: &mut RoughWorkspace) -> Option<RoughHit> {
        let [i, j] = between.frames.map(|frame| frame as usize);
        let (a, b) = (&self.frames[i], &self.frames[j]);
        let world = [workspace.world_from_frame[i], workspace.world_from_frame[j]];
        let room = room(world, [(a.centre, a.radius), (b.centre, b.radius)]);
        let between_centres = workspace.centres[i].distance(workspace.centres[j]);
        if between_centres > a.radius + b.radius + room {
            return None;
        }
        for (parts, pair) in &between.parts {
            if self.balls_gap(*parts, world) == 0.0
                && let Some(point) = self.meet(*parts, world, workspace)
            {
                return Some(RoughHit { pair: *pair, point });
            }
        }
        None
    }

    /// Where two parts meet, in the world.
    fn meet(&self, parts: [u32; 2], world: [Pose; 2], workspace: &mut RoughWorkspace) -> Option<DVec3> {
        let (gap, points) = self.gap_of_parts(parts, world, 0.0, workspace)?;
        (gap == 0.0).then_some(points[0])
    }

    /// The gap of two models if it is at most a limit, and points near it in the world. What is within rounding of each other
    /// touches.
    fn gap_of_parts(
        &self,
        parts: [u32; 2],
        [world_from_a, world_from_b]: [Pose; 2],
        limit: f64,
        workspace: &mut RoughWorkspace,
    ) -> Option<(f64, [DVec3; 2])> {
        let [a, b] = parts.map(|part| &self.models[part as usize]);
        let room = room([world_from_a, world_from_b], [(a.centre, a.radius), (b.centre, b.radius)]);
        let b_from_a = world_from_b.inverse() * world_from_a;
        let a_from_b = b_from_a.inverse();
        let spheres = &mut workspace.spheres;
        let on_ball = |centre: DVec3, toward: DVec3, radius: f64| {
            centre + (toward - centre).normalize_or_zero() * radius.min(centre.distance(toward))
        };
        let found = match (&a.shape, &b.shape) {
            (Shape::Spheres(x), Shape::Spheres(y)) => {
                search::gap(x, y, a_from_b, limit + room, spheres).map(|(gap, [i, j])| {
                    let (p, q) = (x.centre(i), a_from_b * y.centre(j));
                    (gap, [on_ball(p, q, x.radius(i)), on_ball(q, p, y.radius(j))])
                })
            }
            (Shape::Spheres(x), Shape::Formula { primitive, frame_from_it }) => {
                let it_from_a = frame_from_it.inverse() * b_from_a;
                gap_to_primitive(x, primitive, it_from_a, limit + room, spheres)
                    .map(|(gap, i)| (gap, [x.centre(i); 2]))
            }
            (Shape::Formula { primitive, frame_from_it }, Shape::Spheres(y)) => {
                let it_from_b = frame_from_it.inverse() * a_from_b;
                gap_to_primitive(y, primitive, it_from_b, limit + room, spheres)
                    .map(|(gap, j)| (gap, [a_from_b * y.centre(j); 2]))
            }
            (Shape::Formula { .. }, Shape::Formula { .. }) => {
                let [x, y] = parts.map(|part| &self.scene.parts[part as usize]);
                let x_from_y = x.frame_from_part.inverse() * a_from_b * y.frame_from_part;
                let below = (limit + room).next_up();
                let found = solid::distance(&x.solid, &y.solid, x_from_y, below, &mut workspace.scratch);
                found.map(|found| (found.gap, found.points.map(|point| x.frame_from_part * point)))
            }
        };
        let found = found.map(|(gap, points)| ((gap - room).max(0.0), points.map(|p| world_from_a * p)));
        if found.is_some_and(|(gap, _)| gap == 0.0) {
            return found;
        }
        // Surfaces are apart; of bodies that may be one inside the other there is no gap.
        let inside = self.balls_gap(parts, [world_from_a, world_from_b]) == 0.0 && {
            let [x, y] = parts.map(|part| &self.scene.parts[part as usize]);
            let x_from_y = x.frame_from_part.inverse() * a_from_b * y.frame_from_part;
            solid::contained(&x.solid, &y.solid, x_from_y, &mut workspace.scratch)
        };
        if inside { Some((0.0, [world_from_a * a.centre; 2])) } else { found }
    }

    /// A bound below the gap of two parts, by the balls around them. Zero if nothing is known, as of what is no number.
    fn balls_gap(&self, parts: [u32; 2], [world_from_a, world_from_b]: [Pose; 2]) -> f64 {
        let [a, b] = parts.map(|part| &self.models[part as usize]);
        let room = room([world_from_a, world_from_b], [(a.centre, a.radius), (b.centre, b.radius)]);
        let between_centres = (world_from_a * a.centre).distance(world_from_b * b.centre);
        let gap = between_centres - a.radius - b.radius - room;
        if gap > 0.0 { gap } else { 0.0 }
    }

    /// For every pair of parts a bound below the gap, by the balls around them.
    fn gather_bounds(
        &self,
        bounds: &mut BinaryHeap<Reverse<(u64, PairId, [u32; 2])>>,
        workspace: &RoughWorkspace,
    ) {
        let world_from_part =
            |part: u32| workspace.placed.world_from_frame(self.scene.parts[part as usize].frame);
        let bound = |parts: [u32; 2], pair: PairId| {
            Reverse((self.balls_gap(parts, parts.map(world_from_part)).to_bits(), pair, parts))
        };
        for frame in &self.frames {
            for (part, asked, pairs) in &frame.parts {
                let is_asked = |k: &usize| asked[k / 8] >> (k % 8) & 1 == 1;
                let standing = (0..self.standing.len()).filter(is_asked);
                bounds.extend(standing.map(|k| bound([*part, self.standing[k]], pairs[k])));
            }
        }
        for between in &self.between {
            bounds.extend(between.parts.iter().map(|(parts, pair)| bound(*parts, *pair)));
        }
    }

    /// Sorts the pairs of the scene by frames.
    fn sort_pairs(&mut self) {
        let scene = Arc::clone(&self.scene);
        let blocks = self.crowd.blocks();
        let mut place_of: HashMap<FrameId, usize> = HashMap::new();
        let mut standing_of = vec![usize::MAX; scene.parts.len()];
        self.standing.iter().enumerate().for_each(|(k, &part)| standing_of[part as usize] = k);
        let mut between: HashMap<[u32; 2], Vec<([u32; 2], PairId)>> = HashMap::new();
        for row in &scene.rows {
            let part = &scene.parts[row.part as usize];
            let place = *place_of.entry(part.frame).or_insert_with(|| {
                self.frames.push(FrameModel {
                    frame: part.frame,
                    centre: DVec3::ZERO,
                    radius: 0.0,
                    asked: vec![0; blocks],
                    parts: Vec::new(),
                });
                self.frames.len() - 1
            });
            let mut asked = vec![0; blocks];
            let mut pairs = vec![PairId(u32::MAX); self.standing.len()];
            for (k, &other) in self.standing.iter().enumerate() {
                if row.asked[other as usize / 8] >> (other % 8) & 1 == 1 {
                    asked[k / 8] |= 1 << (k % 8);
                    pairs[k] = row.pair[other as usize];
                }
            }
            let frame = &mut self.frames[place];
            frame.asked.iter_mut().zip(&asked).for_each(|(all, of_part)| *all |= of_part);
            frame.parts.push((row.part, asked, pairs));
        }
        for row in &scene.rows {
            for other in (0..scene.parts.len()).filter(|other| row.asked[other / 8] >> (other % 8) & 1 == 1) {
                if standing_of[other] == usize::MAX {
                    let frames =
                        [row.part as usize, other].map(|part| place_of[&scene.parts[part].frame] as u32);
                    between.entry(frames).or_default().push(([row.part, other as u32], row.pair[other]));
                }
            }
        }
        self.between = between.into_iter().map(|(frames, parts)| Between { frames, parts }).collect();
        self.between.sort_by_key(|between| between.frames);
        for frame in &mut self.frames {
            let balls: Vec<(DVec3, f64)> = frame
                .parts
                .iter()
                .map(|(part, ..)| (self.models[*part as usize].centre, self.models[*part as usize].radius))
                .collect();
            let corners = balls.iter().flat_map(|(c, r)| [*c - DVec3::splat(*r), *c + DVec3::splat(*r)]);
            let aabb = Aabb::of_points(corners).expect("a frame has parts");
            frame.centre = aabb.centre();
            frame.radius =
                balls.iter().map(|(c, r)| c.distance(frame.centre) + r).fold(0.0, f64::max) * (1.0 + 1e-12);
        }
    }
}

/// What rounding may do to the gap of two things: places and balls are sums of coordinates, their own and those of their
/// frames. It covers the band within which round shapes touch, too, so that what is free here is free by the shapes.
fn room(world: [Pose; 2], balls: [(DVec3, f64); 2]) -> f64 {
    let of_frame = |pose: Pose| pose.translation().length();
    let of_ball =
        |(centre, radius): (DVec3, f64)| centre.length() + if radius.is_finite() { radius } else { 0.0 };
    let coordinates = world.map(of_frame).iter().sum::<f64>() + balls.map(of_ball).iter().sum::<f64>();
    4.0 * (tolerance::ROUND + 16.0 * f64::EPSILON) * coordinates
}

/// A model for each part of a scene.
fn models(scene: &Scene, radius: f64) -> Result<Vec<Model>, CoverFault> {
    let options = CoverOptions::of_radius(radius);
    // Radii are checked even if there is nothing to cover.
    kansho_geom::spheres::radii::radii(1.0, radius, options.ranks)?;
    let geometries: Vec<&Geometry> =
        scene.cell.bodies().iter().flat_map(|body| body.pieces.iter().map(|piece| &piece.geometry)).collect();
    let model = |(part, geometry): (&Part, &&Geometry)| {
        let frame_from_part = part.frame_from_part;
        match geometry {
            Geometry::Mesh(mesh) => {
                let packed = Packed::fitted(&cover(&Surface::Mesh(mesh), &options)?).placed(frame_from_part);
                let (centre, radius) = packed.first();
                Ok(Model { shape: Shape::Spheres(packed), centre, radius })
            }
            Geometry::Primitive(primitive) => {
                let aabb = primitive.aabb();
                Ok(Model {
                    centre: frame_from_part * aabb.map_or(DVec3::ZERO, |aabb| aabb.centre()),
                    radius: aabb.map_or(f64::INFINITY, |aabb| 0.5 * aabb.diagonal() * (1.0 + 1e-12)),
                    shape: Shape::Formula { primitive: *primitive, frame_from_it: frame_from_part },
                })
            }
        }
    };
    scene.parts.par_iter().zip(&geometries).map(model).collect()
}
