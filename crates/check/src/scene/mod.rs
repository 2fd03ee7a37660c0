//! A whole cell prepared for questions about postures.
//!
//! Bodies are made of parts, one for each shape. Parts that move relative to each other and are to be checked are told apart
//! first by their boxes along the axes of the world ([`kansho_geom::crowd`]), then exactly ([`kansho_geom::solid`]). What
//! never moves relative to each other is decided once, when the scene is made.

mod depth;
mod gap;
mod hits;
mod look;
pub mod models;
pub mod motion;
pub mod rough;

pub use gap::CellGap;
pub use look::Touched;

use crate::moving_bodies::Body;
use crate::order::Ranks;
use kansho_cell::{BodyId, Cell, FrameId, Geometry, InFrame, Placed};
use kansho_geom::crowd::{Crowd, Outer};
use kansho_geom::primitive::Shape;
use kansho_geom::solid::{self, On, Solid};
use kansho_geom::tree::Scratch;
use kansho_geom::{Aabb, Mesh, Pose, glam::DVec3, tolerance};
use models::{ModelScratch, Models};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// A pair of bodies that is checked, by its place in [`kansho_cell::Pairs::checked`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairId(pub u32);

/// Which pairs are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SomePairs {
    /// All of them.
    All,
    /// What moves with this frame against what stands still: that depends on where the frame is and on nothing else.
    OfFrame(FrameId),
    /// All others.
    NotOfFrame(FrameId),
}

/// A cell prepared for questions. Making it takes some time; afterwards all threads share it.
#[derive(Clone, Debug)]
pub struct Scene {
    cell: Arc<Cell>,
    parts: Vec<Part>,
    /// Parts that move, and what each is checked against.
    rows: Vec<Row>,
    /// The parts of each body: it begins there, and ends where the next begins.
    first_part: Vec<u32>,
    /// Boxes of what stands still; what moves is everywhere.
    standing: Crowd,
    always: Vec<Always>,
    models: Option<Arc<Models>>,
    /// Of this scene with these models, made when first asked for.
    for_motions: OnceLock<Arc<motion::Prepared>>,
}

/// Two bodies of one frame that touch, and where.
#[derive(Clone, Copy, Debug)]
struct Always {
    pair: PairId,
    frame: FrameId,
    points_in_frame: [DVec3; 2],
    on: [On; 2],
}

/// One shape of a body.
#[derive(Clone, Debug)]
struct Part {
    solid: Arc<Solid>,
    extent: Extent,
    body: BodyId,
    frame: FrameId,
    frame_from_part: Pose,
    /// For motions, made when first asked for; shared as the solid is.
    moving: Arc<OnceLock<Option<Body>>>,
}

/// Where a part is, roughly, in its own frame.
#[derive(Clone, Copy, Debug)]
enum Extent {
    Box(Aabb),
    HalfSpace { normal: DVec3, offset: f64 },
}

/// A part that moves.
#[derive(Clone, Debug)]
struct Row {
    part: u32,
    /// For each block of eight parts, which are checked against it, as bits: of two parts that move, only in the row of the
    /// first.
    asked: Vec<u8>,
    /// For each part the pair, where it is checked.
    pair: Vec<PairId>,
}

/// Memory that questions use again. One for each thread; made by [`Scene::workspace`].
#[derive(Debug)]
pub struct Workspace {
    placed: Placed,
    world_from_part: Vec<Pose>,
    crowd: Crowd,
    asked: Vec<u8>,
    candidates: Vec<hits::Candidate>,
    bounds: Vec<gap::Bound>,
    /// Those of them that are nearer than what was found.
    near: Vec<gap::Bound>,
    scratch: Scratch,
    /// Pairs of parts that their boxes did not tell apart, so far.
    pub narrow: u64,
    models: Option<Box<ModelScratch>>,
}

impl Workspace {
    /// How postures were decided so far, where there are models.
    #[must_use]
    pub fn stages(&self) -> models::Stages {
        self.models.as_ref().map_or_else(models::Stages::default, |models| models.stages)
    }

    /// After [`Scene::touches`] has answered no: a bound below all gaps of the pairs that are asked for, in metres; zero where all that is known is
    /// that they do not touch. What was asked before may make it larger or smaller.
    #[must_use]
    pub fn proven_gap(&self) -> f64 {
        self.models.as_ref().map_or(0.0, |models| models.least_gap())
    }

    /// Nodes of eight balls that were looked at so far.
    #[must_use]
    pub fn walked(&self) -> u64 {
        self.models.as_ref().map_or(0, |models| models.walked())
    }
}

impl Scene {
    /// Prepares a cell, on all threads of the current pool.
    #[must_use]
    pub fn new(cell: Arc<Cell>) -> Self {
        Self::sharing(cell, &[])
    }

    /// Prepares a cell that has meshes in common with this one, and shares what was prepared of them.
    #[must_use]
    pub fn with_cell(&self, cell: Arc<Cell>) -> Self {
        Self::sharing(cell, &self.parts)
    }

    fn sharing(cell: Arc<Cell>, known: &[Part]) -> Self {
        let solids = solids(&cell, known);
        let mut parts = Vec::new();
        let mut moving: HashMap<*const Solid, Arc<OnceLock<Option<Body>>>> =
            known.iter().map(|part| (Arc::as_ptr(&part.solid), Arc::clone(&part.moving))).collect();
        let mut first_part = Vec::new();
        for (id, body) in (0u32..).zip(cell.bodies()) {
            first_part.push(parts.len() as u32);
            let InFrame { frame, frame_from_link } = cell.in_frame(body.carrier);
            for piece in &body.pieces {
                let solid = Arc::clone(&solids[parts.len()]);
                parts.push(Part {
                    extent: extent(&piece.geometry),
                    moving: Arc::clone(moving.entry(Arc::as_ptr(&solid)).or_default()),
                    solid,
                    body: BodyId(id),
                    frame,
                    frame_from_part: frame_from_link * piece.carrier_from_piece,
                });
            }
        }
        first_part.push(parts.len() as u32);
        let mut standing = Crowd::new(parts.len());
        for (index, part) in parts.iter().enumerate().filter(|(_, part)| part.frame == FrameId::WORLD) {
            standing.set(index, &part.extent.outer(part.frame_from_part));
        }
        let (rows, always, for_motions) = (Vec::new(), Vec::new(), OnceLock::new());
        let mut scene = Self { cell, parts, rows, first_part, standing, always, models: None, for_motions };
        scene.sort_pairs();
        scene
    }

    /// The same scene with models, which give the same answers sooner.
    #[must_use]
    pub fn with_models(mut self) -> Self {
        self.models = Models::new(&self).map(Arc::new);
        self.for_motions = OnceLock::new();
        self
    }

    /// Its models.
    #[must_use]
    pub fn models(&self) -> Option<&Models> {
        self.models.as_deref()
    }

    /// Whether anything touches in a posture.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn touches(&self, posture: &[f64], workspace: &mut Workspace) -> bool {
        match &self.models {
            Some(models) => models.touches(self, posture, workspace),
            None => self.first_hit(posture, &self.listed(), None, workspace).is_some(),
        }
    }

    /// The cell.
    #[must_use]
    pub fn cell(&self) -> &Arc<Cell> {
        &self.cell
    }

    /// Pairs that touch in every posture, because they never move relative to each other.
    #[must_use]
    pub fn always(&self) -> impl ExactSizeIterator<Item = PairId> {
        self.always.iter().map(|touch| touch.pair)
    }

    /// The bodies of a pair.
    #[must_use]
    pub fn bodies(&self, pair: PairId) -> [BodyId; 2] {
        self.cell.pairs().checked()[pair.0 as usize]
    }

    /// A pair as `a|b`.
    #[must_use]
    pub fn pair_name(&self, pair: PairId) -> String {
        let [a, b] = self.bodies(pair).map(|body| &self.cell.body(body).name);
        format!("{a}|{b}")
    }

    /// Bodies that have open parts, which have no inside.
    pub fn open_bodies(&self) -> impl Iterator<Item = BodyId> {
        let is_open = |id: &BodyId| self.parts_of(*id).any(|part| !self.parts[part].solid.is_closed());
        (0..self.cell.bodies().len() as u32).map(BodyId).filter(is_open)
    }

    /// Memory that the shapes take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let mut seen = std::collections::HashSet::new();
        self.parts
            .iter()
            .filter(|part| seen.insert(Arc::as_ptr(&part.solid)))
            .map(|part| part.solid.bytes())
            .sum()
    }

    /// Memory for the questions of one thread.
    #[must_use]
    pub fn workspace(&self) -> Workspace {
        let placed = self.cell.place(&self.cell.zero_posture());
        let world_from_part = self.parts.iter().map(|part| part.world_from_part(&placed)).collect();
        Workspace {
            placed,
            world_from_part,
            crowd: self.standing.clone(),
            asked: vec![0; self.standing.blocks()],
            candidates: Vec::new(),
            bounds: Vec::new(),
            near: Vec::new(),
            scratch: Scratch::default(),
            narrow: 0,
            models: None,
        }
    }

    /// As [`Scene::workspace`], for some pairs only: [`Scene::touches`] then looks at these, and at what never moves. Without models it looks at
    /// all of them, whatever is asked for. Where models do not tell, it is also asked whether shapes are farther apart than margins, in metres, so that
    /// [`Workspace::proven_gap`] is not zero for them.
    #[must_use]
    pub fn workspace_of(&self, pairs: SomePairs, margins: &[f64]) -> Workspace {
        let mut workspace = self.workspace();
        if let Some(models) = &self.models {
            workspace.models =
                Some(Box::new(ModelScratch::of_pairs(self.parts.len(), models, pairs, margins)));
        }
        workspace
    }

    /// Triangles of a body, and the area of their surface; nothing of primitives.
    pub(crate) fn surface(&self, body: BodyId) -> (usize, f64) {
        let trees = self.parts_of(body).filter_map(|part| self.parts[part].solid.tree());
        trees.fold((0, 0.0), |(count, area), tree| {
            (count + tree.mesh().triangles().len(), area + tree.mesh().area())
        })
    }

    fn parts_of(&self, body: BodyId) -> std::ops::Range<usize> {
        self.first_part[body.0 as usize] as usize..self.first_part[body.0 as usize + 1] as usize
    }

    /// Decides pairs that never move relative to each other, and makes the rows of the others.
    fn sort_pairs(&mut self) {
        let cell = Arc::clone(&self.cell);
        let mut row_of: Vec<Option<usize>> = vec![None; self.parts.len()];
        for (index, _) in self.parts.iter().enumerate().filter(|(_, part)| part.frame != FrameId::WORLD) {
            row_of[index] = Some(self.rows.len());
            self.rows.push(Row {
                part: index as u32,
                asked: vec![0; self.standing.blocks()],
                pair: vec![PairId(u32::MAX); self.parts.len()],
            });
        }
        let mut constant = Vec::new();
        for (id, &[a, b]) in (0u32..).zip(cell.pairs().checked()) {
            let frame = |body: BodyId| cell.in_frame(cell.body(body).carrier).frame;
            if frame(a) == frame(b) {
                constant.push(PairId(id));
                continue;
            }
            for i in self.parts_of(a) {
                for j in self.parts_of(b) {
                    let (row, partner) = match row_of[i] {
                        Some(row) => (row, j),
                        None => (row_of[j].expect("one of two that move relative to each other moves"), i),
                    };
                    self.rows[row].asked[partner / 8] |= 1 << (partner % 8);
                    self.rows[row].pair[partner] = PairId(id);
                }
            }
        }
        let touch = |scratch: &mut Scratch, pair: &PairId| {
            let [a, b] = self.bodies(*pair);
            let mut of_parts = self.parts_of(a).flat_map(|i| self.parts_of(b).map(move |j| (i, j)));
            of_parts.find_map(|(i, j)| {
                let (first, second) = (&self.parts[i], &self.parts[j]);
                let a_from_b = first.frame_from_part.inverse() * second.frame_from_part;
                let found = solid::distance(&first.solid, &second.solid, a_from_b, f64::INFINITY, scratch);
                let found = found.filter(|found| found.gap == 0.0)?;
                let points_in_frame = found.points.map(|point| first.frame_from_part * point);
                Some(Always { pair: *pair, frame: first.frame, points_in_frame, on: found.on })
            })
        };
        let touching: Vec<Option<Always>> = constant.par_iter().map_init(Scratch::default, touch).collect();
        self.always = touching.into_iter().flatten().collect();
    }

    /// Places everything that moves.
    fn place(&self, posture: &[f64], workspace: &mut Workspace) {
        self.cell.place_into(posture, &mut workspace.placed);
        for row in &self.rows {
            let index = row.part as usize;
            let part = &self.parts[index];
            let world_from_part = part.world_from_part(&workspace.placed);
            workspace.world_from_part[index] = world_from_part;
            workspace.crowd.set(index, &part.extent.outer(world_from_part));
        }
    }

    /// The pose of a part in the frame of another.
    fn relative(workspace: &Workspace, a: usize, b: usize) -> Pose {
        workspace.world_from_part[a].inverse() * workspace.world_from_part[b]
    }

    /// Pairs in the order in which the cell lists them.
    #[must_use]
    pub fn listed(&self) -> Ranks {
        Ranks::listed(self.cell.pairs().checked().len())
    }
}

/// A solid for each piece of each body, in order; shared where the mesh is, also with parts that are known.
fn solids(cell: &Cell, known: &[Part]) -> Vec<Arc<Solid>> {
    let known: HashMap<*const Mesh, &Arc<Solid>> =
        known.iter().filter_map(|part| Some((Arc::as_ptr(part.solid.tree()?.mesh()), &part.solid))).collect();
    let geometries: Vec<&Geometry> =
        cell.bodies().iter().flat_map(|body| body.pieces.iter().map(|piece| &piece.geometry)).collect();
    // The first of those that share a mesh makes it.
    let mut first: HashMap<*const Mesh, usize> = HashMap::new();
    let source: Vec<usize> = geometries
        .iter()
        .enumerate()
        .map(|(index, geometry)| match geometry {
            Geometry::Mesh(mesh) => *first.entry(Arc::as_ptr(mesh)).or_insert(index),
            Geometry::Primitive(_) => index,
        })
        .collect();
    let shared: Vec<Option<&Arc<Solid>>> = geometries
        .iter()
        .map(|geometry| match geometry {
            Geometry::Mesh(mesh) => known.get(&Arc::as_ptr(mesh)).copied(),
            Geometry::Primitive(_) => None,
        })
        .collect();
    let make = |(index, geometry): (usize, &&Geometry)| match (geometry, shared[index]) {
        (_, Some(solid)) => Some(Arc::clone(solid)),
        _ if source[index] != index => None,
        (Geometry::Mesh(mesh), _) => Some(Arc::new(Solid::mesh(Arc::clone(mesh)))),
        (Geometry::Primitive(primitive), _) => Some(Arc::new(Solid::primitive(*primitive))),
    };
    let made: Vec<Option<Arc<Solid>>> = geometries.par_iter().enumerate().map(make).collect();
    source.iter().map(|&index| Arc::clone(made[index].as_ref().expect("the first was made"))).collect()
}

impl Part {
    fn world_from_part(&self, placed: &Placed) -> Pose {
        placed.world_from_frame(self.frame) * self.frame_from_part
    }
}

fn extent(geometry: &Geometry) -> Extent {
    let aabb = match geometry {
        Geometry::Mesh(mesh) => Some(mesh.aabb()),
        Geometry::Primitive(primitive) => match primitive.shape() {
            Shape::HalfSpace { normal, offset } => return Extent::HalfSpace { normal, offset },
            _ => primitive.aabb(),
        },
    };
    Extent::Box(aabb.expect("only half-spaces have no box"))
}

impl Extent {
    /// A box in the world around it. It has room for the rounding of its place, and for the band within which round shapes
    /// touch: both are parts of the coordinates that are added up, its own and those of its place.
    fn outer(&self, world_from_part: Pose) -> Outer {
        let away = world_from_part.translation().abs().max_element();
        let room = |own: f64| 4.0 * (tolerance::ROUND + 16.0 * f64::EPSILON) * (own + away);
        match *self {
            Self::Box(aabb) => {
                let half = aabb.extent() * 0.5;
                let axes = world_from_part.rotation();
                let reach =
                    axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
                let own = aabb.min().abs().max(aabb.max().abs()).max_element();
                Outer::around(world_from_part * aabb.centre(), reach, room(own))
            }
            Self::HalfSpace { normal, offset } => {
                let normal = world_from_part.rotate(normal);
                let at = offset + normal.dot(world_from_part.translation());
                let room = room(offset.abs());
                // Across a coordinate axis it has a side; otherwise it goes on for ever each way.
                (0..3).zip(DVec3::AXES).fold(Outer::EVERYWHERE, |outer, (axis, unit)| match normal {
                    up if up == unit => outer.cut(axis, at, true, room),
                    down if down == -unit => outer.cut(axis, -at, false, room),
                    _ => outer,
                })
            }
        }
    }
}
