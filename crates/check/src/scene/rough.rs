//! A whole cell by its spheres: quick, and rough by a length that is known.
//!
//! Meshes that move, and meshes that stand still, are covered by hierarchies of spheres ([`kansho_geom::spheres`]); primitives
//! are taken as they are. A contact is never missed: where no smallest spheres meet, surfaces are apart, and a body that lies
//! inside another is looked for. What is reported as a contact may be a gap of up to [`RoughScene::accuracy`].

use super::{PairId, Part, Scene};
use kansho_cell::{FrameId, Geometry, Placed};
use kansho_geom::crowd::Crowd;
use kansho_geom::glam::DVec3;
use kansho_geom::solid;
use kansho_geom::spheres::against::{gap_to_primitive, meets_primitive};
use kansho_geom::spheres::search::{self, Packed, SphereScratch};
use kansho_geom::spheres::{CoverFault, CoverOptions, Surface, cover};
use kansho_geom::tree::Scratch;
use kansho_geom::{Aabb, Pose, Primitive};
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
}

/// A part in the coordinates of its frame.
#[derive(Clone, Debug)]
struct Model {
    shape: Shape,
    /// The ball around it; infinite around a half-space.
    centre: DVec3,
    radius: f64,
    /// Half its longest side: it fits into no smaller ball.
    span: f64,
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
    part_centres: Vec<DVec3>,
    /// For searches, with what they counted.
    pub spheres: SphereScratch,
    scratch: Scratch,
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
            // Spheres reach out of the box that they cover.
            crowd.set(k, &extent.outer(*frame_from_part).grown(2.0 * radius));
        }
        let mut rough =
            Self { radius, models, standing, crowd, frames: Vec::new(), between: Vec::new(), scene };
        rough.sort_pairs();
        Ok(rough)
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// What is reported as a contact is no farther apart than this.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        // Two surfaces that each lie within twice the radius of a point of their spheres: 2 (r_A + r_B).
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
            part_centres: Vec::new(),
            spheres: SphereScratch::default(),
            scratch: Scratch::default(),
        }
    }

    /// A pair of bodies whose models meet in a posture; none if nothing touches, by proof.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn first_hit(&self, posture: &[f64], workspace: &mut RoughWorkspace) -> Option<RoughHit> {
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
            if let Some((gap, points)) = self.gap_of_parts(parts, limit, workspace)
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
                    if let Some(point) = self.meet([*part, other], world_from_frame, workspace) {
                        return Some(RoughHit { pair: pairs[k], point: world_from_frame * point });
                    }
                }
            }
        }
        None
    }

    fn hit_between(&self, between: &Between, workspace: &mut RoughWorkspace) -> Option<RoughHit> {
        let [i, j] = between.frames.map(|frame| frame as usize);
        let (a, b) = (&self.frames[i], &self.frames[j]);
        let reach = a.radius + b.radius;
        if workspace.centres[i].distance_squared(workspace.centres[j]) > reach * reach * (1.0 + 1e-12) {
            return None;
        }
        let (world_from_a, world_from_b) = (workspace.world_from_frame[i], workspace.world_from_frame[j]);
        let b_from_a = world_from_b.inverse() * world_from_a;
        for (parts, pair) in &between.parts {
            let [x, y] = parts.map(|part| &self.models[part as usize]);
            let reach = x.radius + y.radius;
            if (b_from_a * x.centre).distance_squared(y.centre) <= reach * reach * (1.0 + 1e-12)
                && let Some(point) = self.meet(*parts, b_from_a, workspace)
            {
                return Some(RoughHit { pair: *pair, point: world_from_a * point });
            }
        }
        None
    }

    /// Where two parts meet, in the frame of the first.
    fn meet(&self, parts: [u32; 2], b_from_a: Pose, workspace: &mut RoughWorkspace) -> Option<DVec3> {
        let [a, b] = parts.map(|part| &self.models[part as usize]);
        let spheres = &mut workspace.spheres;
        let found = match (&a.shape, &b.shape) {
            (Shape::Spheres(x), Shape::Spheres(y)) => {
                search::gap(y, x, b_from_a, 0.0, spheres).map(|(_, [_, sphere])| x.centre(sphere))
            }
            (Shape::Spheres(x), Shape::Formula { primitive, frame_from_it }) => {
                let it_from_a = frame_from_it.inverse() * b_from_a;
                meets_primitive(x, primitive, it_from_a, spheres).map(|sphere| x.centre(sphere))
            }
            (Shape::Formula { primitive, frame_from_it }, Shape::Spheres(y)) => {
                let a_from_b = b_from_a.inverse();
                meets_primitive(y, primitive, frame_from_it.inverse() * a_from_b, spheres)
                    .map(|sphere| a_from_b * y.centre(sphere))
            }
            (Shape::Formula { .. }, Shape::Formula { .. }) => {
                let found = self.exact_gap(parts, b_from_a, f64::MIN_POSITIVE, workspace)?;
                return Some(found.1[0]);
            }
        };
        found.or_else(|| self.contained(parts, b_from_a, workspace).then_some(a.centre))
    }

    /// Whether one part lies inside the other, of two whose surfaces are apart.
    fn contained(&self, parts: [u32; 2], b_from_a: Pose, workspace: &mut RoughWorkspace) -> bool {
        let [a, b] = parts.map(|part| &self.models[part as usize]);
        if a.span > b.radius && b.span > a.radius {
            return false;
        }
        let [x, y] = parts.map(|part| &self.scene.parts[part as usize]);
        let x_from_y = x.frame_from_part.inverse() * b_from_a.inverse() * y.frame_from_part;
        solid::contained(&x.solid, &y.solid, x_from_y, &mut workspace.scratch)
    }

    /// The gap of two parts if it is less than a limit, and the closest points in the frame of the first.
    fn exact_gap(
        &self,
        parts: [u32; 2],
        b_from_a: Pose,
        below: f64,
        workspace: &mut RoughWorkspace,
    ) -> Option<(f64, [DVec3; 2])> {
        let [x, y] = parts.map(|part| &self.scene.parts[part as usize]);
        let x_from_y = x.frame_from_part.inverse() * b_from_a.inverse() * y.frame_from_part;
        let found = solid::distance(&x.solid, &y.solid, x_from_y, below, &mut workspace.scratch)?;
        Some((found.gap, found.points.map(|point| x.frame_from_part * point)))
    }

    /// The gap of two models if it is at most a limit, and points near it in the world.
    fn gap_of_parts(
        &self,
        parts: [u32; 2],
        limit: f64,
        workspace: &mut RoughWorkspace,
    ) -> Option<(f64, [DVec3; 2])> {
        let [a, b] = parts.map(|part| &self.models[part as usize]);
        let [world_from_a, world_from_b] =
            parts.map(|part| workspace.placed.world_from_frame(self.scene.parts[part as usize].frame));
        let b_from_a = world_from_b.inverse() * world_from_a;
        let a_from_b = b_from_a.inverse();
        // Containment first, where balls allow it: then there is a gap of surfaces, but none of bodies.
        let may_contain = (b_from_a * a.centre).distance(b.centre) <= a.radius.max(b.radius) * (1.0 + 1e-12);
        if may_contain && self.contained(parts, b_from_a, workspace) {
            return Some((0.0, [world_from_a * a.centre; 2]));
        }
        let spheres = &mut workspace.spheres;
        let on_ball = |centre: DVec3, toward: DVec3, radius: f64| {
            centre + (toward - centre).normalize_or_zero() * radius.min(centre.distance(toward))
        };
        let (gap, points) = match (&a.shape, &b.shape) {
            (Shape::Spheres(x), Shape::Spheres(y)) => {
                let (gap, [i, j]) = search::gap(x, y, a_from_b, limit, spheres)?;
                let (p, q) = (x.centre(i), a_from_b * y.centre(j));
                (gap, [on_ball(p, q, x.radius(i)), on_ball(q, p, y.radius(j))])
            }
            (Shape::Spheres(x), Shape::Formula { primitive, frame_from_it }) => {
                let it_from_a = frame_from_it.inverse() * b_from_a;
                let (gap, i) = gap_to_primitive(x, primitive, it_from_a, limit, false, spheres)?;
                (gap, [x.centre(i); 2])
            }
            (Shape::Formula { primitive, frame_from_it }, Shape::Spheres(y)) => {
                let it_from_b = frame_from_it.inverse() * a_from_b;
                let (gap, j) = gap_to_primitive(y, primitive, it_from_b, limit, false, spheres)?;
                (gap, [a_from_b * y.centre(j); 2])
            }
            (Shape::Formula { .. }, Shape::Formula { .. }) => {
                self.exact_gap(parts, b_from_a, limit.next_up(), workspace)?
            }
        };
        Some((gap, points.map(|p| world_from_a * p)))
    }

    /// For every pair of parts a bound below the gap, by the balls around them.
    fn gather_bounds(
        &self,
        bounds: &mut BinaryHeap<Reverse<(u64, PairId, [u32; 2])>>,
        workspace: &mut RoughWorkspace,
    ) {
        let RoughWorkspace { placed, part_centres, .. } = workspace;
        part_centres.clear();
        part_centres.extend(
            self.models
                .iter()
                .zip(&self.scene.parts)
                .map(|(model, part)| placed.world_from_frame(part.frame) * model.centre),
        );
        let bound = |parts: [u32; 2], pair: PairId| {
            let [a, b] = parts.map(|part| part as usize);
            let reach = self.models[a].radius + self.models[b].radius;
            let gap = part_centres[a].distance(part_centres[b]) - reach;
            Reverse((if gap > 0.0 { gap * (1.0 - 1e-12) } else { 0.0 }.to_bits(), pair, parts))
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
                let span = 0.5 * mesh.aabb().extent().max_element();
                Ok(Model { shape: Shape::Spheres(packed), centre, radius, span })
            }
            Geometry::Primitive(primitive) => {
                let aabb = primitive.aabb();
                Ok(Model {
                    centre: frame_from_part * aabb.map_or(DVec3::ZERO, |aabb| aabb.centre()),
                    radius: aabb.map_or(f64::INFINITY, |aabb| 0.5 * aabb.diagonal() * (1.0 + 1e-12)),
                    span: aabb.map_or(f64::INFINITY, |aabb| 0.5 * aabb.extent().max_element()),
                    shape: Shape::Formula { primitive: *primitive, frame_from_it: frame_from_part },
                })
            }
        }
    };
    scene.parts.par_iter().zip(&geometries).map(model).collect()
}
