//! The whole question: the best path through a map, with every motion of it proven.

use super::closed::{Bounds, Way};
use super::edge::{Edge, Edges};
use super::lane::Lane;
use super::map::all_turns;
use super::search::{Cost, Moves, Problem, Weights, rooms};
use super::{BranchCode, EdgeKind, FeasibleMap, State, Work};
use crate::free;
use kansho_cell::ik::Solutions;
use kansho_cell::work::{Stroke, WorkPoint};
use kansho_cell::{BodyId, FrameId, JointMotion, Piece};
use kansho_check::motion::{MotionScene, MotionWorkspace, RouteScene};
use kansho_check::scene::{PairId, Scene};
use kansho_geom::primitive::Shape;
use kansho_geom::solid::{self, Meeting, Solid};
use kansho_geom::tree::Scratch;
use kansho_geom::{Pose, Primitive};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::f64::consts::TAU;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What is wanted of a path, and how far to go for it.
#[derive(Clone, Copy, Debug)]
pub struct PlanOptions<'a> {
    /// How the controller moves from point to point.
    pub kind: EdgeKind,
    /// What is better and what is worse.
    pub weights: Weights,
    /// Whether the stance stays the same all along a stroke.
    pub constant: bool,
    /// Whether the branch may change within a stroke.
    pub change_branch: bool,
    /// Whether motions are proven. Without, a path may collide: for comparison only.
    pub unchecked: bool,
    /// Whether ways from each stroke to the next are planned.
    pub connect: bool,
    /// Searches of a stroke, at most: one more after each in which a motion was not proven.
    pub most_searches: usize,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Whether to stop now.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for PlanOptions<'_> {
    fn default() -> Self {
        Self {
            kind: EdgeKind::Ptp,
            weights: Weights::default(),
            constant: false,
            change_branch: false,
            unchecked: false,
            connect: true,
            most_searches: 500,
            deadline: None,
            stop: None,
        }
    }
}

impl PlanOptions<'_> {
    fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Planned {
    /// A path. Every motion of it is proven free, unless that was not wanted.
    Path(PlannedPath),
    /// There is none over these points and stances.
    NoPath(NoPath),
    /// The time was over, or as much was tried as allowed.
    Undecided(SearchEffort),
}

/// A robot path.
#[derive(Clone, Debug)]
pub struct PlannedPath {
    /// One for each stroke of the work.
    pub strokes: Vec<PlannedStroke>,
    /// Proven ways from the end of each stroke to the start of the next; none where none was found or wanted.
    pub links: Vec<Option<JointMotion>>,
    /// A bound below all gaps at every instant of all strokes, in metres: what the proofs needed.
    pub clearance: f64,
    /// What it took.
    pub effort: SearchEffort,
}

/// The path of a stroke.
#[derive(Clone, Debug)]
pub struct PlannedStroke {
    /// Number of its first point.
    pub first: usize,
    /// Whether it ends in the posture in which it begins.
    pub closed: bool,
    /// The stance at each point.
    pub stances: Vec<usize>,
    /// The branch at each point.
    pub branches: Vec<BranchCode>,
    /// The posture of the cell at each point.
    pub postures: Vec<Vec<f64>>,
    /// What it costs, and why.
    pub cost: Cost,
    /// The least measure of nearness to a singularity.
    pub nearness: f64,
    /// The least distance of a joint from a limit, in radians (metres, if it slides); infinite without limits.
    pub limit_margin: f64,
    /// The largest change of a joint between neighbours, in radians (metres).
    pub largest_step: f64,
}

impl PlannedStroke {
    /// The whole of it as one motion; with the way from the last point to the first if it is closed. None if it is a single point.
    #[must_use]
    pub fn motion(&self) -> Option<JointMotion> {
        let mut postures = self.postures.clone();
        if self.closed {
            postures.push(postures.first()?.clone());
        }
        JointMotion::lines(&postures).ok()
    }
}

/// Why there is no path.
#[derive(Clone, Debug)]
pub struct NoPath {
    /// The stroke, from 0.
    pub stroke: usize,
    /// Why.
    pub why: WhyNoPath,
    /// What it took.
    pub effort: SearchEffort,
}

/// Why there is no path.
#[derive(Clone, Debug, PartialEq)]
pub enum WhyNoPath {
    /// These points are free in no stance.
    Blocked(Vec<Blocked>),
    /// Every point is free in some stance, but no postures lead on from this point to the next, from wherever one starts.
    Between {
        /// Its number in the work path, from 0.
        point: usize,
    },
    /// Ways lead from the first point to the last, but none closes.
    NotClosed,
}

/// A point that is free in no stance.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocked {
    /// Its number, from 0.
    pub point: usize,
    /// How many stances are out of reach.
    pub out_of_reach: usize,
    /// How many would need joints beyond their limits.
    pub limit: usize,
    /// In how many stances which pair touches, most first.
    pub pairs: Vec<(PairId, usize)>,
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchEffort {
    /// States to choose from.
    pub states: usize,
    /// Times that costs were worked out from the first point to the last.
    pub passes: usize,
    /// Searches: one, and one more after each in which a motion was not proven.
    pub searches: usize,
    /// Motions that were asked for.
    pub edges: usize,
    /// Motions between free postures that touch.
    pub touching: usize,
    /// Motions of which nobody knows.
    pub undecided: usize,
}

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
            for Piece { geometry, carrier_from_piece } in &body.pieces {
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

/// The best path through a map, every motion proven; on all threads of the current pool.
#[must_use]
pub fn plan(
    scene: &MotionScene<'_>,
    work: &Work<'_>,
    map: &FeasibleMap,
    options: &PlanOptions<'_>,
) -> Planned {
    let mut effort = SearchEffort { states: map.states(), ..SearchEffort::default() };
    if !map.complete {
        return Planned::Undecided(effort);
    }
    // Who is led by other than six joints cannot be proven to go straight.
    let routes = match options.kind {
        EdgeKind::Lin(_) => RouteScene::new(scene, work.tip).ok(),
        EdgeKind::Ptp => None,
    };
    let (mut strokes, mut clearance) = (Vec::new(), f64::INFINITY);
    let mut first = 0;
    for (number, stroke) in work.path.strokes.iter().enumerate() {
        let routes = routes.as_ref();
        let mut planner = Planner { scene, routes, work, map, options, stroke, first, effort };
        let found = planner.run();
        effort = planner.effort;
        match found {
            Ok((stroke, proven)) => {
                strokes.push(stroke);
                clearance = clearance.min(proven);
            }
            Err(Some(why)) => return Planned::NoPath(NoPath { stroke: number, why, effort }),
            Err(None) => return Planned::Undecided(effort),
        }
        first += stroke.points.len();
    }
    let links = if options.connect && !options.unchecked {
        links(scene, work, &strokes, options)
    } else {
        vec![None; strokes.len() - 1]
    };
    Planned::Path(PlannedPath { strokes, links, clearance, effort })
}

/// Ways from each stroke to the next.
fn links(
    scene: &MotionScene<'_>,
    work: &Work<'_>,
    strokes: &[PlannedStroke],
    options: &PlanOptions<'_>,
) -> Vec<Option<JointMotion>> {
    let way = |pair: &[PlannedStroke]| {
        let from = if pair[0].closed { pair[0].postures.first() } else { pair[0].postures.last() };
        let (from, to) = (from?, pair[1].postures.first()?);
        if options.is_over() {
            return None;
        }
        let time_limit = options.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let wanted = free::WayOptions {
            clearance: work.clearance,
            most_edges: 20_000,
            time_limit,
            ..free::WayOptions::default()
        };
        match free::way(scene, from, to, &wanted) {
            free::Way::Found { motion, .. } => Some(motion),
            free::Way::NotFound { .. } => None,
        }
    };
    strokes.par_windows(2).map(way).collect()
}

/// Plans one stroke.
struct Planner<'a> {
    scene: &'a MotionScene<'a>,
    routes: Option<&'a RouteScene<'a>>,
    work: &'a Work<'a>,
    map: &'a FeasibleMap,
    options: &'a PlanOptions<'a>,
    stroke: &'a Stroke,
    /// Number of its first point.
    first: usize,
    effort: SearchEffort,
}

/// A way, the lane it is in, and the number of the states in that.
type Found = (usize, Way);

impl Planner<'_> {
    /// The path and the clearance that was proven; why there is none, or nothing if nobody knows.
    fn run(&mut self) -> Result<(PlannedStroke, f64), Option<WhyNoPath>> {
        let blocked = self.blocked();
        if !blocked.is_empty() {
            return Err(Some(WhyNoPath::Blocked(blocked)));
        }
        let joints = self.work.ik.joints().len();
        let together = self.options.change_branch.then(|| {
            let all: Vec<&Lane> = self.map.lanes.iter().collect();
            Lane::together(&all, joints)
        });
        let lanes: Vec<&Lane> = match &together {
            Some((lane, _)) => vec![lane],
            None => self.map.lanes.iter().filter(|lane| lane.len() > 0).collect(),
        };
        let moves = Moves::new(self.work.axis, self.work.ik, self.window(), self.options.weights.most);
        let mut forbidden: Vec<HashSet<(u32, u32)>> = vec![HashSet::new(); lanes.len()];
        let mut bounds: Option<Vec<Option<Bounds>>> = None;
        let mut known: Vec<BTreeMap<(u32, u32), f64>> = vec![BTreeMap::new(); lanes.len()];
        loop {
            self.effort.searches += 1;
            let (k, way) = self.search(&lanes, &moves, &forbidden, &mut bounds)?;
            let branch_of = |state: usize| match &together {
                Some((_, were)) => self.map.lanes[usize::from(were[state].0)].branch,
                None => lanes[k].branch,
            };
            let Some(found) = self.stroke_of(lanes[k], &way, branch_of) else { return Err(None) };
            if self.options.unchecked || found.postures.len() < 2 && !found.closed {
                return Ok((found, f64::INFINITY));
            }
            if self.prove(&way, &found, &mut forbidden[k], &mut known[k]) {
                let least = edges_of(&way, found.closed).map(|edge| known[k][&edge]);
                return Ok((found, least.fold(f64::INFINITY, f64::min)));
            }
            if self.options.is_over() || self.effort.searches >= self.options.most_searches {
                return Err(None);
            }
        }
    }

    /// Points without any free cell.
    fn blocked(&self) -> Vec<Blocked> {
        let of = |point: usize| {
            let cells = self.map.point(point);
            if cells.iter().any(|cell| cell.state == State::Free) {
                return None;
            }
            let count = |state: State| cells.iter().filter(|cell| cell.state == state).count();
            let mut pairs: BTreeMap<PairId, usize> = BTreeMap::new();
            cells
                .iter()
                .filter_map(super::MapCell::pair)
                .for_each(|pair| *pairs.entry(pair).or_default() += 1);
            let mut pairs: Vec<(PairId, usize)> = pairs.into_iter().collect();
            pairs.sort_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair));
            let (out_of_reach, limit) = (count(State::OutOfReach), count(State::Limit));
            Some(Blocked { point, out_of_reach, limit, pairs })
        };
        (self.first..self.first + self.stroke.points.len()).filter_map(of).collect()
    }

    /// How many steps of rotation the tool may turn from one point to the next.
    fn window(&self) -> usize {
        if self.options.constant {
            return 0;
        }
        let points = &self.stroke.points;
        let length: f64 = points.windows(2).map(|p| p[0].tip_in_world.distance(p[1].tip_in_world)).sum();
        let spacing = length / (points.len().max(2) - 1) as f64;
        let turn = self.options.weights.turn_per_metre * spacing;
        (turn / self.work.axis.step()).ceil().clamp(2.0, 3600.0) as usize
    }

    /// The best way of all lanes. Bounds are kept from one search to the next.
    fn search(
        &mut self,
        lanes: &[&Lane],
        moves: &Moves,
        forbidden: &[HashSet<(u32, u32)>],
        bounds: &mut Option<Vec<Option<Bounds>>>,
    ) -> Result<Found, Option<WhyNoPath>> {
        let options = self.options;
        let stop = || options.is_over();
        let layers = (self.first, self.first + self.stroke.points.len());
        let closed = self.stroke.closed && self.stroke.points.len() > 1;
        let problem =
            |k: usize| Problem { lane: lanes[k], layers, moves, forbidden: &forbidden[k], were: None };
        if bounds.is_none() {
            let of_lane = |k: usize| problem(k).bounds(closed, &stop);
            let found: Vec<Result<Bounds, usize>> = (0..lanes.len()).into_par_iter().map(of_lane).collect();
            self.effort.passes += lanes.len();
            if stop() {
                return Err(None);
            }
            if found.iter().all(Result::is_err) {
                let farthest = found.iter().filter_map(|found| found.as_ref().err()).max().copied();
                let reached = farthest.unwrap_or_default().max(1);
                return Err(Some(WhyNoPath::Between { point: self.first + reached - 1 }));
            }
            *bounds = Some(found.into_iter().map(Result::ok).collect());
        }
        let bounds = bounds.as_mut().expect("they were made");
        let least = |k: usize| bounds[k].as_ref().map_or(f64::INFINITY, |bounds| bounds.whole);
        let mut order: Vec<(f64, usize)> = (0..lanes.len()).map(|k| (least(k), k)).collect();
        order.retain(|(least, _)| least.is_finite());
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<Found> = None;
        for (least, k) in order {
            let most = best.as_ref().map_or(f64::INFINITY, |(_, best)| best.cost);
            if least >= most {
                break;
            }
            let of_lane = bounds[k].as_mut().expect("it is finite");
            if let Some(way) = problem(k).best_below(of_lane, closed, most, &mut self.effort.passes, &stop) {
                best = Some((k, way));
            }
        }
        if stop() {
            return Err(None);
        }
        best.ok_or_else(|| {
            // After motions were forbidden, ways may end on the way.
            let reached =
                (0..lanes.len()).map(|k| problem(k).forward(|_| true, &stop).reached).max().unwrap_or(1);
            let leads_through = reached == self.stroke.points.len();
            Some(match leads_through {
                true => WhyNoPath::NotClosed,
                false => WhyNoPath::Between { point: self.first + reached.max(1) - 1 },
            })
        })
    }

    /// A way with its postures in full.
    fn stroke_of(
        &self,
        lane: &Lane,
        way: &Way,
        branch_of: impl Fn(usize) -> BranchCode,
    ) -> Option<PlannedStroke> {
        let (ik, weights) = (self.work.ik, &self.options.weights);
        let joints = ik.joints().len();
        let mut solutions = Solutions::default();
        let mut turns = Vec::new();
        let mut found = PlannedStroke {
            first: self.first,
            closed: self.stroke.closed && self.stroke.points.len() > 1,
            stances: way.states.iter().map(|state| usize::from(lane.stance(*state))).collect(),
            branches: way.states.iter().map(|state| branch_of(*state)).collect(),
            postures: Vec::new(),
            cost: Cost::default(),
            nearness: f64::INFINITY,
            limit_margin: f64::INFINITY,
            largest_step: 0.0,
        };
        let most = (weights.border_margin / self.work.axis.step()).ceil() as usize + 2;
        let (mut there, mut room) = (vec![false; self.map.stances()], Vec::new());
        let mut last: Option<Vec<f64>> = None;
        for (k, &state) in way.states.iter().enumerate() {
            let pose = self.work.axis.world_from_tip(&self.stroke.points[k], found.stances[k]);
            ik.solve_into(&pose, None, &mut solutions);
            let branch = found.branches[k];
            let mut best: Option<(f64, Vec<f64>, f64)> = None;
            for solution in solutions.iter().filter(|s| BranchCode::of(s.branch) == branch) {
                all_turns(ik, solution.values, &mut turns);
                for turned in turns.chunks_exact(joints) {
                    let off = turned.iter().zip(lane.values(state)).map(|(x, y)| (x - f64::from(*y)).abs());
                    let off = off.fold(0.0, f64::max);
                    if best.as_ref().is_none_or(|(least, ..)| off < *least) {
                        best = Some((off, turned.to_vec(), solution.nearness.least()));
                    }
                }
            }
            let (_, mut values, nearness) = best.filter(|(off, ..)| *off < 1e-3)?;
            if let Some(last) = &last {
                // Joints that turn without end go on in the turn nearest to the last one.
                for ((joint, value), before) in ik.joints().iter().zip(&mut values).zip(last) {
                    if joint.limits.is_none() && joint.period.is_some() {
                        *value += TAU * ((before - *value) / TAU).round();
                    }
                }
                found.cost.motion += values.iter().zip(last).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
                let step = values.iter().zip(last).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                found.largest_step = found.largest_step.max(step);
            }
            found.cost.limits += weights.of_limits(ik, &values);
            found.cost.singular += weights.of_singularity(nearness);
            there.fill(false);
            let cells = self.map.point(self.first + k);
            cells.iter().zip(&mut there).for_each(|(cell, there)| {
                *there = cell.free_branches().any(|free| free == branch);
            });
            rooms(self.work.axis, &there, most, &mut room);
            found.cost.border += weights.of_border(self.work.axis, room[found.stances[k]].max(1));
            found.nearness = found.nearness.min(nearness);
            for (joint, value) in ik.joints().iter().zip(&values) {
                if let Some(limits) = joint.limits {
                    let margin = (value - limits.lower).min(limits.upper - value);
                    found.limit_margin = found.limit_margin.min(margin);
                }
            }
            let mut posture = self.scene.cell().zero_posture();
            ik.put(&values, &mut posture);
            found.postures.push(posture);
            last = Some(values);
        }
        if let (true, Some(first), Some(last)) = (found.closed, found.postures.first(), found.postures.last())
        {
            found.cost.motion += first.iter().zip(last).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        }
        Some(found)
    }

    /// Proves every motion of a way. Those that are not free are forbidden.
    fn prove(
        &mut self,
        way: &Way,
        stroke: &PlannedStroke,
        forbidden: &mut HashSet<(u32, u32)>,
        known: &mut BTreeMap<(u32, u32), f64>,
    ) -> bool {
        let edges = Edges {
            scene: self.scene,
            routes: self.routes,
            kind: self.options.kind,
            clearance: self.work.clearance,
            deadline: self.options.deadline,
        };
        let count = stroke.postures.len();
        let open: Vec<(usize, (u32, u32))> =
            edges_of(way, stroke.closed).enumerate().filter(|(_, edge)| !known.contains_key(edge)).collect();
        let prove = |workspace: &mut MotionWorkspace, &(k, _): &(usize, (u32, u32))| {
            if self.options.is_over() {
                return Edge::Undecided;
            }
            edges.prove(&stroke.postures[k], &stroke.postures[(k + 1) % count], workspace)
        };
        let answers: Vec<Edge> = open.par_iter().map_init(|| self.scene.workspace(), prove).collect();
        let mut all = true;
        for ((_, edge), answer) in open.into_iter().zip(answers) {
            self.effort.edges += 1;
            match answer {
                Edge::Free(clearance) => {
                    known.insert(edge, clearance);
                }
                Edge::Touches(_) | Edge::Undecided => {
                    forbidden.insert(edge);
                    all = false;
                    if answer == Edge::Undecided {
                        self.effort.undecided += 1;
                    } else {
                        self.effort.touching += 1;
                    }
                }
            }
        }
        all
    }
}

/// The states of a way that follow each other.
fn edges_of(way: &Way, closed: bool) -> impl Iterator<Item = (u32, u32)> {
    let count = way.states.len();
    let edges = if closed { count } else { count.saturating_sub(1) };
    (0..edges).map(move |k| (way.states[k] as u32, way.states[(k + 1) % count] as u32))
}
