//! A motion of a whole cell: proven free at every instant, or its first contact.
//!
//! | part | answers |
//! |---|---|
//! | [`MotionScene::motion`] | one motion |
//! | [`MotionScene::motions`] | many motions, on all threads |
//! | `asked` | what is asked, and what is answered |
//! | `spans` | where is everything in the middle of a span? |
//! | `axes` | how far can points get in a span, seen from another body? |
//! | `walk` | which balls are not proven free by fields, and when? |
//! | `jobs` | which shapes are left after that, and when? |
//! | `exact` | two shapes in a span, exactly |
//! | `witness` | what touches, and where? |
//! | `certify` | a proof that others can check |
//! | `boxes` | along which direction are two boxes farthest apart? |
//! | [`RouteScene`] | routes of a tool: lines, arcs, smooth curves and rounded corners |
//! | `clearance` | how near do bodies come on the way? |
//! | `enclosure` | the same as one enclosure for all who show it, also pair by pair |
//!
//! # How
//!
//! Groups of bodies are as for postures ([`models`](super::models)): of each pair one is a field, the other balls. A ball is free through
//! a span if one that is larger by its way is free in the middle; otherwise the span is halved or the ball is opened, whichever is
//! longer. What is left of a pair of shapes is decided in the spans in which it is, early first: the gap at an instant clears the time around
//! it as far as points do not get farther, or as far as its direction keeps the shapes apart; where a contact comes, instants approach
//! it. Meshes that take many instants go to the search for moving meshes ([`moving`](crate::moving_bodies)).
//!
//! That surfaces do not meet at any instant, and that no body is inside another at the start, means that none is later.

mod asked;
mod axes;
mod boxes;
mod certify;
mod clearance;
mod enclosure;
mod exact;
mod jobs;
mod route;
mod spans;
mod walk;
mod witness;

use super::{PairId, Part, Scene, Workspace};
use crate::moving_bodies::Body;
use crate::order::Ranks;
use crate::verdict::Verdict;
pub use asked::{Contact, MotionCounters, MotionOptions, MotionProof, MotionReport, MotionWitness};
pub use certify::Uncertified;
pub use clearance::LeastGap;
pub use enclosure::PairGap;
pub use route::{
    JointCorner, LawReport, LawsWanted, RouteProof, RouteReport, RouteScene, Stop, Stopped, unbounded_corner,
    worst_law,
};

use axes::{Axes, between, chain};
use exact::{Ended, ExactScratch, Reach, Two};
use jobs::Job;
use kansho_cell::{BodyId, BodyPiece, Cell, FrameId, Geometry, JointMotion, JointPiece};
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Span;
use kansho_geom::{Ball, Primitive};
use kansho_verify::motion::CellTrees;
use rayon::prelude::*;
use spans::Spans;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use walk::{PairWalk, PutOff, WalkScratch};

/// A scene prepared for motions. All threads share it.
#[derive(Debug)]
pub struct MotionScene<'a> {
    scene: &'a Scene,
    prepared: Arc<Prepared>,
}

/// What a scene has prepared for motions: once, for all who ask.
#[derive(Debug)]
pub(super) struct Prepared {
    /// For each pair of groups, the joints between them.
    axes: Vec<Axes>,
    /// For each part its formula, if it has one.
    formulas: Vec<Option<Primitive>>,
    pair_of: HashMap<[BodyId; 2], PairId>,
    ranks: Ranks,
    /// The verifier's trees, made when the first certificate is asked for.
    trees: OnceLock<CellTrees>,
}

/// Memory that questions use again. One for each thread.
#[derive(Debug)]
pub struct MotionWorkspace {
    of_scene: Workspace,
    spans: Spans,
    walk: WalkScratch,
    exact: ExactScratch,
    jobs: Vec<Job>,
    /// Jobs that are done, of one pair of groups: free in their windows.
    cleared: Vec<Job>,
    windows: Vec<PutOff>,
    posture: Vec<f64>,
}

/// The earliest of what was found in a piece.
#[derive(Clone, Copy, Debug)]
struct Found {
    time: Span,
    pair: PairId,
}

/// Instants of a piece that are looked at before anything is decided exactly: many contacts last long enough to be met there.
const EARLY_FIRST: [f64; 3] = [0.25, 0.5, 0.75];
const MIDDLE_FIRST: [f64; 3] = [0.5, 0.25, 0.75];

/// What is known of a piece.
#[derive(Clone, Copy, Debug)]
struct SoFar {
    /// The earliest contact.
    found: Option<Found>,
    /// An instant at which something touches.
    met: Option<f64>,
    /// The earliest span of which nothing is known.
    open: Option<Span>,
    /// A bound below the gaps that were looked at, margins taken off.
    clearance: f64,
}

impl Default for SoFar {
    fn default() -> Self {
        Self { found: None, met: None, open: None, clearance: f64::INFINITY }
    }
}

impl SoFar {
    /// Nothing from here on matters.
    fn limit(&self) -> f64 {
        self.found.map_or(1.0, |found| found.time.start).min(self.met.unwrap_or(1.0))
    }

    /// Whether there is nothing left to find.
    fn is_over(&self, wanted: Contact) -> bool {
        wanted == Contact::Any && self.found.is_some()
    }
}

impl Prepared {
    fn of(scene: &Scene) -> Self {
        let axes = scene.models().map_or_else(Vec::new, |models| {
            let frame = |group: u32| models.groups[group as usize].frame;
            let axes = |pair: &super::models::GroupPair| {
                Axes::new(&scene.cell, frame(pair.field), frame(pair.balls))
            };
            models.pairs.iter().map(axes).collect()
        });
        let pair_of = (0u32..).zip(scene.cell.pairs().checked()).map(|(id, &bodies)| (bodies, PairId(id)));
        let pieces = scene.cell.bodies().iter().flat_map(|body| &body.pieces);
        let formula = |piece: &BodyPiece| match &piece.geometry {
            Geometry::Primitive(primitive) => Some(*primitive),
            Geometry::Mesh(_) => None,
        };
        Self {
            axes,
            formulas: pieces.map(formula).collect(),
            pair_of: pair_of.collect(),
            ranks: scene.listed(),
            trees: OnceLock::new(),
        }
    }
}

impl<'a> MotionScene<'a> {
    /// Prepares a scene, which should have models.
    #[must_use]
    pub fn new(scene: &'a Scene) -> Self {
        let prepared = Arc::clone(scene.for_motions.get_or_init(|| Arc::new(Prepared::of(scene))));
        Self { scene, prepared }
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// The cell.
    #[must_use]
    pub fn cell(&self) -> &Cell {
        &self.scene.cell
    }

    /// Memory for the questions of one thread.
    #[must_use]
    pub fn workspace(&self) -> MotionWorkspace {
        MotionWorkspace {
            of_scene: self.scene.workspace(),
            spans: Spans::default(),
            walk: WalkScratch::default(),
            exact: ExactScratch::default(),
            jobs: Vec::new(),
            cleared: Vec::new(),
            windows: Vec::new(),
            posture: Vec::new(),
        }
    }

    /// Whether a motion is free, or where it first touches.
    ///
    /// # Panics
    /// If the motion does not have one number per coordinate of the cell.
    #[must_use]
    pub fn motion(
        &self,
        motion: &JointMotion,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> MotionReport {
        let before = workspace.counters();
        let verdict = self.decide(motion, options, workspace);
        let counters = workspace.counters().since(before);
        MotionReport { verdict, counters }
    }

    fn decide(
        &self,
        motion: &JointMotion,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> Verdict<MotionProof, MotionWitness> {
        if !options.is_good() {
            return Verdict::Undecided { open: Span::WHOLE };
        }
        // Answers do not depend on what was asked before.
        workspace.exact.forget();
        let start = motion.at(0.0);
        if self.scene.touches(&start, &mut workspace.of_scene) {
            return Verdict::Touches(self.start(start, workspace));
        }
        let mut clearance = f64::INFINITY;
        for (k, piece) in motion.pieces().iter().enumerate() {
            let SoFar { found, open, met, clearance: proven } =
                self.piece(piece, options, &|_| 0.0, workspace);
            clearance = clearance.min(proven);
            // What was met is found as a pair, or nobody knows; what comes after it was not looked at.
            let open = if found.is_none() && met.is_some() { open.or(Some(Span::WHOLE)) } else { open };
            match (found, open) {
                (None, None) => {}
                _ => {
                    let whole = Span::new(motion.time(k, 0.0), motion.time(k, 1.0));
                    return match (found, open) {
                        (Some(found), open) => {
                            // What is open before may hold an earlier one.
                            let start =
                                open.map_or(found.time.start, |open| open.start.min(found.time.start));
                            let time = Span::new(start, found.time.end);
                            let witness = self.witness(piece, k, time, found.pair, options, workspace);
                            Verdict::Touches(MotionWitness { time: whole.part(time), ..witness })
                        }
                        (None, open) => Verdict::Undecided { open: whole.part(open.unwrap_or(Span::WHOLE)) },
                    };
                }
            }
        }
        Verdict::Free(MotionProof { clearance })
    }

    /// What is known of a piece, where bodies of two frames may be off by a margin.
    fn piece(
        &self,
        piece: &JointPiece,
        options: &MotionOptions<'_>,
        margin: &dyn Fn([FrameId; 2]) -> f64,
        workspace: &mut MotionWorkspace,
    ) -> SoFar {
        workspace.spans.begin(&self.scene.cell, piece);
        let mut sofar = SoFar::default();
        match self.scene.models() {
            None => {
                workspace.jobs.clear();
                workspace.cleared.clear();
                self.all_jobs(&mut workspace.jobs);
                self.finish(piece, options, margin, &mut sofar, workspace);
            }
            Some(models) => {
                let mut is_probed = false;
                for (index, pair) in models.pairs.iter().enumerate() {
                    if sofar.is_over(options.contact) {
                        break;
                    }
                    if options.is_late() {
                        sofar.open = Some(Span::WHOLE);
                        break;
                    }
                    let margin_of_pair =
                        margin([pair.field, pair.balls].map(|group| models.groups[group as usize].frame));
                    workspace.walk.clearance = f64::INFINITY;
                    let mut walk = PairWalk {
                        cell: &self.scene.cell,
                        piece,
                        models,
                        pair,
                        axes: &self.prepared.axes[index],
                        clearance: self.largest_clearance(pair, models, options) + margin_of_pair,
                        limit: sofar.limit(),
                    };
                    workspace.cleared.clear();
                    walk.begin(&workspace.spans, &mut workspace.walk);
                    loop {
                        let spans = &mut workspace.spans;
                        let is_done = walk.run(spans, &mut workspace.walk, &mut workspace.of_scene.scratch);
                        if !is_probed && !workspace.walk.put_off.is_empty() {
                            is_probed = true;
                            self.probe(piece, options, &mut sofar, workspace);
                        }
                        if sofar.is_over(options.contact) {
                            break;
                        }
                        workspace.jobs.clear();
                        self.jobs(pair, models, walk.clearance, workspace);
                        self.finish(piece, options, margin, &mut sofar, workspace);
                        if is_done || sofar.is_over(options.contact) {
                            break;
                        }
                        walk.limit = sofar.limit();
                    }
                    sofar.clearance = sofar.clearance.min(workspace.walk.clearance - margin_of_pair);
                }
            }
        }
        if let (None, Some(met)) = (sofar.found, sofar.met) {
            // Nothing was found before it, so it is the first, but for what is open.
            let start = sofar.open.map_or(met, |open| open.start.min(met));
            let pair = self.pair_at(piece, met, workspace);
            sofar.found = pair.map(|pair| Found { time: Span::new(start, met), pair });
        }
        // What is open after the contact does not matter.
        sofar.open = sofar.open.filter(|open| sofar.found.is_none_or(|found| open.start < found.time.end));
        sofar
    }

    /// Looks for a contact at some instants.
    fn probe(
        &self,
        piece: &JointPiece,
        options: &MotionOptions<'_>,
        sofar: &mut SoFar,
        workspace: &mut MotionWorkspace,
    ) {
        let instants = match options.contact {
            Contact::First => EARLY_FIRST,
            Contact::Any => MIDDLE_FIRST,
        };
        let mut posture = std::mem::take(&mut workspace.posture);
        for instant in instants {
            if instant >= sofar.limit() {
                continue;
            }
            piece.at(instant, &mut posture);
            if self.scene.touches(&posture, &mut workspace.of_scene) {
                sofar.met = Some(instant);
                break;
            }
        }
        workspace.posture = posture;
        if let (Contact::Any, Some(met)) = (options.contact, sofar.met) {
            let pair = self.pair_at(piece, met, workspace);
            sofar.found = pair.map(|pair| Found { time: Span::new(0.0, met), pair });
        }
    }

    /// A pair that touches at an instant.
    fn pair_at(&self, piece: &JointPiece, instant: f64, workspace: &mut MotionWorkspace) -> Option<PairId> {
        let mut posture = Vec::new();
        piece.at(instant, &mut posture);
        self.scene.first_hit(&posture, &self.prepared.ranks, None, &mut workspace.of_scene)
    }

    /// Decides what is left of some pairs, early first.
    fn finish(
        &self,
        piece: &JointPiece,
        options: &MotionOptions<'_>,
        margin: &dyn Fn([FrameId; 2]) -> f64,
        sofar: &mut SoFar,
        workspace: &mut MotionWorkspace,
    ) {
        let mut jobs = std::mem::take(&mut workspace.jobs);
        jobs.sort_by(|x, y| x.window.start.total_cmp(&y.window.start).then(x.parts.cmp(&y.parts)));
        for job in &jobs {
            let limit = sofar.limit();
            if job.window.start >= limit && sofar.found.is_some() {
                break;
            }
            let window = Span::new(job.window.start, job.window.end.min(limit));
            let margin = margin(job.parts.map(|part| self.part(part).frame));
            let ended = if options.is_late() {
                Ended::Undecided(Span::WHOLE)
            } else {
                self.exactly(piece, job, window, (options, margin), workspace)
            };
            match ended {
                Ended::Free(gap) => {
                    sofar.clearance = sofar.clearance.min(gap - margin);
                    let region = if workspace.exact.is_local { job.region } else { None };
                    workspace.cleared.push(Job { window, region, ..*job });
                }
                Ended::Touches(time) => {
                    let time = window.part(time);
                    let region = if workspace.exact.is_local { job.region } else { None };
                    let window = Span::new(window.start, time.start);
                    workspace.cleared.push(Job { window, region, ..*job });
                    if sofar.found.is_none_or(|found| time.end < found.time.end) {
                        sofar.found = Some(Found { time, pair: job.pair });
                    }
                    if sofar.is_over(options.contact) {
                        break;
                    }
                }
                Ended::Undecided(span) => {
                    let span = window.part(span);
                    if sofar.open.is_none_or(|open| span.start < open.start) {
                        sofar.open = Some(span);
                    }
                }
            }
        }
        workspace.jobs = jobs;
    }

    /// The largest gap that is wanted of any pair of two groups.
    fn largest_clearance(
        &self,
        pair: &super::models::GroupPair,
        models: &super::models::Models,
        options: &MotionOptions<'_>,
    ) -> f64 {
        let of = |group: u32| &models.groups[group as usize].parts;
        let is_in = |body: BodyId, group: u32| {
            of(group).iter().any(|part| self.scene.parts[*part as usize].body == body)
        };
        let concerned = |&&(id, _): &&(PairId, f64)| {
            let [a, b] = self.scene.bodies(id);
            (is_in(a, pair.field) && is_in(b, pair.balls)) || (is_in(b, pair.field) && is_in(a, pair.balls))
        };
        options.of_pairs.iter().filter(concerned).map(|(_, gap)| *gap).fold(options.clearance, f64::max)
    }

    fn part(&self, part: u32) -> &Part {
        &self.scene.parts[part as usize]
    }

    fn pair_of_parts(&self, parts: [u32; 2]) -> PairId {
        let [a, b] = parts.map(|part| self.part(part).body);
        self.prepared.pair_of[&[a.min(b), a.max(b)]]
    }

    /// Two parts in a window, exactly.
    fn exactly(
        &self,
        piece: &JointPiece,
        job: &Job,
        window: Span,
        (options, margin): (&MotionOptions<'_>, f64),
        workspace: &mut MotionWorkspace,
    ) -> Ended {
        let clearance = options.of(job.pair) + margin;
        let parts = job.parts.map(|part| self.part(part));
        let (_, frames) = between(&self.scene.cell, parts[0].frame, parts[1].frame);
        let chains = [0, 1].map(|k: usize| {
            let about = parts[k].solid.aabb().map_or(DVec3::ZERO, |aabb| aabb.centre());
            chain(&self.scene.cell, piece, &frames[k], parts[k].frame_from_part, about).cut(window)
        });
        workspace.exact.jobs += 1;
        let reaches = job.parts.map(|part| match self.part(part).moving_body() {
            Some(body) => Reach::Mesh(body),
            None => Reach::Formula(
                self.prepared.formulas[part as usize].as_ref().expect("what is no mesh is a formula"),
            ),
        });
        let solids = parts.map(|part| &*part.solid);
        let places = job.region.map(|region| {
            [0, 1].map(|k: usize| {
                let around = &region.0[k];
                let centre = parts[k].frame_from_part.inverse() * around.centre();
                Ball::new(centre, 0.5 * around.diagonal() * (1.0 + 1e-9) + 1e-12 * centre.length())
            })
        });
        let two = Two { parts: job.parts, solids, reaches, places, chains, clearance };
        two.decide(options, &mut workspace.exact, &mut workspace.of_scene.scratch)
    }

    /// Many motions, on all threads of the current pool. The answers do not depend on their number.
    #[must_use]
    pub fn motions(&self, motions: &[JointMotion], options: &MotionOptions<'_>) -> Vec<MotionReport> {
        let one =
            |workspace: &mut MotionWorkspace, motion: &JointMotion| self.motion(motion, options, workspace);
        motions.par_iter().map_init(|| self.workspace(), one).collect()
    }
}

impl MotionWorkspace {
    fn counters(&self) -> MotionCounters {
        MotionCounters {
            instants: self.spans.made,
            nodes: self.walk.nodes(),
            exact: self.exact.jobs,
            regions: self.exact.counters.regions,
        }
    }
}

impl Part {
    /// It as a mesh that moves; made when first asked for.
    fn moving_body(&self) -> Option<&Body> {
        self.moving.get_or_init(|| Body::of_solid(std::sync::Arc::clone(&self.solid))).as_ref()
    }
}
