//! The whole question: the best path through a map, with every motion of it proven.

use super::closed::{Bounds, ClosedPath};
use super::edge::{Edge, Edges};
use super::lane::Lane;
use super::map::all_turns;
use super::planned::{
    Blocked, NoPath, PlanOptions, Planned, PlannedPath, PlannedStroke, SearchEffort, Undecided, WhyNoPath,
    WhyUndecided,
};
use super::run::{NotProven, lifts, links, runs};
use super::search::{Cost, Moves, Problem, rooms};
use super::{BranchCode, EdgeKind, FeasibleMap, State, Work};
use kansho_cell::JointMotion;
use kansho_cell::ik::{ChainJoint, Ik, Solutions};
use kansho_cell::work::Stroke;
use kansho_check::motion::{MotionScene, MotionWorkspace, RouteScene};
use kansho_check::scene::PairId;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::f64::consts::TAU;
use std::sync::atomic::Ordering;

/// The best path through a map, every motion proven; on all threads of the current pool.
#[must_use]
pub fn plan(
    scene: &MotionScene<'_>,
    work: &Work<'_>,
    map: &FeasibleMap,
    options: &PlanOptions<'_>,
) -> Planned {
    let mut effort = SearchEffort { states: map.states(), ..SearchEffort::default() };
    let undecided = |why: WhyUndecided, effort: SearchEffort| Planned::Undecided(Undecided { why, effort });
    if !map.complete {
        return undecided(WhyUndecided::Time, effort);
    }
    // Who is led by other than six joints cannot be proven to go straight; nor can corners of joint motions be rounded.
    let routes = match options.kind {
        EdgeKind::Lin(_) => match RouteScene::new(scene, work.tip) {
            Ok(routes) => Some(routes),
            Err(fault) => return undecided(WhyUndecided::Arm(fault.to_string()), effort),
        },
        EdgeKind::Ptp if options.zone > 0.0 => return undecided(WhyUndecided::RoundedJointMoves, effort),
        EdgeKind::Ptp => None,
    };
    let edges = Edges {
        scene,
        routes: routes.as_ref(),
        kind: options.kind,
        clearance: work.clearance,
        deadline: options.deadline,
    };
    // Points that are free in no stance, of all strokes at once: who mends one wants to know of the others.
    let mut first = 0;
    let (mut all_blocked, mut stroke_of_first) = (Vec::new(), None);
    for (number, stroke) in work.path.strokes.iter().enumerate() {
        let blocked = blocked(map, first..first + stroke.points.len());
        if !blocked.is_empty() {
            stroke_of_first.get_or_insert(number);
            all_blocked.extend(blocked);
        }
        first += stroke.points.len();
    }
    if let Some(stroke) = stroke_of_first {
        return Planned::NoPath(NoPath { stroke, why: WhyNoPath::Blocked(all_blocked), effort });
    }
    let mut strokes = Vec::new();
    let mut first = 0;
    for (number, stroke) in work.path.strokes.iter().enumerate() {
        let mut planner = Planner {
            edges,
            work,
            map,
            options,
            stroke,
            first,
            effort,
            is_unclear: false,
            is_given_up: false,
        };
        let found = planner.run();
        effort = planner.effort;
        match found {
            Ok(stroke) => strokes.push(stroke),
            Err(Some(why)) => return Planned::NoPath(NoPath { stroke: number, why, effort }),
            Err(None) if options.is_over() => return undecided(WhyUndecided::Time, effort),
            Err(None) if planner.is_given_up => {
                let why = WhyUndecided::Searches { stroke: number, most: options.most_searches };
                return undecided(why, effort);
            }
            Err(None) => return undecided(WhyUndecided::Motions { stroke: number }, effort),
        }
        first += stroke.points.len();
    }
    if options.unchecked {
        let links = vec![None; strokes.len() - 1];
        let lifts = vec![[None, None]; strokes.len()];
        return Planned::Path(PlannedPath {
            strokes,
            lifts,
            links,
            runs: Vec::new(),
            clearance: 0.0,
            effort,
        });
    }
    let mut lifts = lifts(&edges, work, &strokes, options);
    let links = if options.connect {
        links(scene, work, &mut strokes, &mut lifts, options)
    } else {
        vec![None; strokes.len() - 1]
    };
    let links: Vec<Option<JointMotion>> = links.into_iter().map(|link| Some(link?.0)).collect();
    // What leaves is proven as it is: joined, with corners, with whole turns.
    match runs(&edges, work, &strokes, &lifts, &links, options) {
        Ok((runs, clearance)) => {
            Planned::Path(PlannedPath { strokes, lifts, links, runs, clearance, effort })
        }
        Err(_) if options.is_over() => undecided(WhyUndecided::Time, effort),
        Err(NotProven { points, what }) => undecided(WhyUndecided::Corners { points, what }, effort),
    }
}

/// Plans one stroke.
struct Planner<'a> {
    edges: Edges<'a, 'a>,
    work: &'a Work<'a>,
    map: &'a FeasibleMap,
    options: &'a PlanOptions<'a>,
    stroke: &'a Stroke,
    /// Number of its first point.
    first: usize,
    effort: SearchEffort,
    /// Whether a motion was left out of which nobody knows.
    is_unclear: bool,
    /// Whether as many searches were made as allowed.
    is_given_up: bool,
}

/// A way, the lane it is in, and the number of the states in that.
type Found = (usize, ClosedPath);

impl Planner<'_> {
    /// The path; why there is none, or nothing if nobody knows.
    fn run(&mut self) -> Result<PlannedStroke, Option<WhyNoPath>> {
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
        let mut known: Vec<HashSet<(u32, u32)>> = vec![HashSet::new(); lanes.len()];
        loop {
            self.effort.searches += 1;
            let (k, way) = self
                .search(&lanes, &moves, &forbidden, &mut bounds)
                // Without a motion of which nobody knows there may be no path, with it there may be one.
                .map_err(|why| why.filter(|_| !self.is_unclear))?;
            let branch_of = |state: usize| match &together {
                Some((_, were)) => self.map.lanes[usize::from(were[state].0)].branch,
                None => lanes[k].branch,
            };
            let Some(found) = self.stroke_of(lanes[k], &way, branch_of) else { return Err(None) };
            if self.options.unchecked || found.postures.len() < 2 && !found.closed {
                return Ok(found);
            }
            if self.prove(&way, &found, &mut forbidden[k], &mut known[k]) {
                return Ok(found);
            }
            self.is_given_up = self.effort.searches >= self.options.most_searches;
            if self.options.is_over() || self.is_given_up {
                return Err(None);
            }
        }
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
        way: &ClosedPath,
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
            end: Vec::new(),
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
                unwind(ik, &mut values, last);
                found.cost.motion += values.iter().zip(last).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
                let step = values.iter().zip(last).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                found.largest_step = found.largest_step.max(step);
            }
            found.cost.limits += weights.of_limits(ik, &values);
            found.cost.middle += weights.of_middle(ik, &values);
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
            let mut posture = self.edges.scene.cell().zero_posture();
            ik.put(&values, &mut posture);
            found.postures.push(posture);
            last = Some(values);
        }
        let last = last?;
        found.end = found.postures.last()?.clone();
        if found.closed {
            let mut values = ik.values_in(&found.postures[0]);
            unwind(ik, &mut values, &last);
            ik.put(&values, &mut found.end);
            found.cost.motion += values.iter().zip(&last).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
            let step = values.iter().zip(&last).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            found.largest_step = found.largest_step.max(step);
        }
        Some(found)
    }

    /// Proves every motion of a way. Those that are not free are forbidden.
    fn prove(
        &mut self,
        way: &ClosedPath,
        stroke: &PlannedStroke,
        forbidden: &mut HashSet<(u32, u32)>,
        known: &mut HashSet<(u32, u32)>,
    ) -> bool {
        let edges = self.edges;
        // With joints that turn without end, the same states may be turns apart: those are asked about again.
        if self.work.ik.joints().iter().any(is_endless) {
            known.clear();
        }
        let postures: Vec<&Vec<f64>> = stroke.way().collect();
        let open: Vec<(usize, (u32, u32))> =
            edges_of(way, stroke.closed).enumerate().filter(|(_, edge)| !known.contains(edge)).collect();
        if let Some(done) = self.options.done {
            done.store(self.first + postures.len() - 1 - open.len(), Ordering::Relaxed);
        }
        let prove = |workspace: &mut MotionWorkspace, &(k, _): &(usize, (u32, u32))| {
            if self.options.is_over() {
                return Edge::Undecided;
            }
            let answer = edges.prove(postures[k], postures[k + 1], workspace);
            if let Some(done) = self.options.done {
                done.fetch_add(1, Ordering::Relaxed);
            }
            answer
        };
        let answers: Vec<Edge> = open.par_iter().map_init(|| edges.scene.workspace(), prove).collect();
        let mut all = true;
        for ((_, edge), answer) in open.into_iter().zip(answers) {
            self.effort.edges += 1;
            match answer {
                Edge::Free => {
                    known.insert(edge);
                }
                Edge::Touches | Edge::Undecided => {
                    forbidden.insert(edge);
                    all = false;
                    if answer == Edge::Undecided {
                        self.effort.undecided += 1;
                        self.is_unclear = true;
                    } else {
                        self.effort.touching += 1;
                    }
                }
            }
        }
        all
    }
}

/// Points without any free cell.
fn blocked(map: &FeasibleMap, points: std::ops::Range<usize>) -> Vec<Blocked> {
    let of = |point: usize| {
        let cells = map.point(point);
        if cells.iter().any(|cell| cell.state == State::Free) {
            return None;
        }
        let count = |state: State| cells.iter().filter(|cell| cell.state == state).count();
        let mut pairs: BTreeMap<PairId, usize> = BTreeMap::new();
        cells.iter().filter_map(super::MapCell::pair).for_each(|pair| *pairs.entry(pair).or_default() += 1);
        let mut pairs: Vec<(PairId, usize)> = pairs.into_iter().collect();
        pairs.sort_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair));
        let (out_of_reach, limit) = (count(State::OutOfReach), count(State::Limit));
        Some(Blocked { point, out_of_reach, limit, pairs })
    };
    points.filter_map(of).collect()
}

/// The states of a way that follow each other.
fn edges_of(way: &ClosedPath, closed: bool) -> impl Iterator<Item = (u32, u32)> {
    let count = way.states.len();
    let edges = if closed { count } else { count.saturating_sub(1) };
    (0..edges).map(move |k| (way.states[k] as u32, way.states[(k + 1) % count] as u32))
}

/// Whether a joint turns without end.
fn is_endless(joint: &ChainJoint) -> bool {
    joint.limits.is_none() && joint.period.is_some()
}

/// Joints that turn without end go on in the turn nearest to the last one.
fn unwind(ik: &Ik, values: &mut [f64], last: &[f64]) {
    for ((joint, value), before) in ik.joints().iter().zip(values).zip(last) {
        if is_endless(joint) {
            *value += TAU * ((before - *value) / TAU).round();
        }
    }
}
