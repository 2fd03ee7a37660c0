//! Gaps of all pairs at instants, by a plain loop over their shapes, and what they say about an answer.

use kansho_cell::{BodyId, Cell, FrameId, Geometry, JointMotion};
use kansho_check::motion::{Contact, MotionOptions, MotionReport, MotionScene, MotionWorkspace};
use kansho_check::scene::{PairId, Scene};
use kansho_check::verdict::Verdict;
use kansho_geom::solid::{self, Solid};
use kansho_geom::tree::Scratch;
use kansho_geom::{Ball, Pose};
use std::sync::Arc;

struct Shape {
    solid: Arc<Solid>,
    ball: Option<Ball>,
    frame: FrameId,
    frame_from_shape: Pose,
}

/// Where a gap is measured it is right to this, as a part of the coordinates.
const ROUNDING: f64 = 1e-11;

pub(super) struct Oracle {
    pub(super) cell: Arc<Cell>,
    /// Shapes of each body.
    bodies: Vec<Vec<Shape>>,
    /// Size of coordinates.
    pub(super) size: f64,
    scratch: Scratch,
}

/// How often each answer came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) free: usize,
    pub(super) touching: usize,
    pub(super) at_start: usize,
    pub(super) undecided: usize,
    /// Least of what sampling found between a free motion and a contact.
    pub(super) closest: f64,
}

impl Oracle {
    pub(super) fn new(cell: &Arc<Cell>) -> Self {
        let mut size: f64 = 1e-3;
        let shape = |id: u32| {
            let body = cell.body(BodyId(id));
            let place = cell.in_frame(body.carrier);
            let of = |piece: &kansho_cell::BodyPiece| {
                let solid = match &piece.geometry {
                    Geometry::Mesh(mesh) => Solid::mesh(Arc::clone(mesh)),
                    Geometry::Primitive(primitive) => Solid::primitive(*primitive),
                };
                let ball = solid.aabb().map(|aabb| Ball::new(aabb.centre(), 0.5 * aabb.diagonal()));
                let frame_from_shape = place.frame_from_link * piece.carrier_from_piece;
                Shape { solid: Arc::new(solid), ball, frame: place.frame, frame_from_shape }
            };
            body.pieces.iter().map(of).collect()
        };
        let bodies: Vec<Vec<Shape>> = (0..cell.bodies().len() as u32).map(shape).collect();
        let placed = cell.place(&cell.zero_posture());
        for shape in bodies.iter().flatten() {
            let at = placed.world_from_frame(shape.frame) * shape.frame_from_shape;
            let own = shape.ball.map_or(0.0, |ball| ball.centre().length() + ball.radius());
            size = size.max(at.translation().length() + own);
        }
        Self { cell: Arc::clone(cell), bodies, size, scratch: Scratch::default() }
    }

    /// The gap of a pair in a posture, if it is less than `below`.
    pub(super) fn gap(&mut self, posture: &[f64], pair: PairId, below: f64) -> f64 {
        let placed = self.cell.place(posture);
        self.gap_placed(&placed, pair, below)
    }

    fn gap_placed(&mut self, placed: &kansho_cell::Placed, pair: PairId, below: f64) -> f64 {
        let [a, b] = self.cell.pairs().checked()[pair.0 as usize];
        let mut least = below;
        for x in &self.bodies[a.0 as usize] {
            for y in &self.bodies[b.0 as usize] {
                let [at_x, at_y] = [x, y].map(|s| placed.world_from_frame(s.frame) * s.frame_from_shape);
                if let (Some(p), Some(q)) = (x.ball, y.ball)
                    && (at_x * p.centre()).distance(at_y * q.centre())
                        > p.radius() + q.radius() + least + 1e-9 * self.size
                {
                    continue;
                }
                let found =
                    solid::distance(&x.solid, &y.solid, at_x.inverse() * at_y, least, &mut self.scratch);
                least = found.map_or(least, |found| found.gap.min(least));
            }
        }
        least
    }

    /// What the gaps of all pairs that move exceed the wanted ones by, at least, if it is less than `below`; and the least gap.
    pub(super) fn excess(&mut self, posture: &[f64], options: &MotionOptions<'_>, below: f64) -> (f64, f64) {
        let placed = self.cell.place(posture);
        let cell = Arc::clone(&self.cell);
        let (mut least, mut gap) = (below, f64::INFINITY);
        for (k, bodies) in (0..).zip(cell.pairs().checked()) {
            let [f, g] = bodies.map(|body| cell.in_frame(cell.body(body).carrier).frame);
            if f == g {
                continue;
            }
            let wanted = wanted(options, PairId(k));
            let below = gap.max(least + wanted);
            let found = self.gap_placed(&placed, PairId(k), below);
            if found < below {
                least = least.min(found - wanted);
                gap = gap.min(found);
            }
        }
        (least, gap)
    }

    /// Whether an answer agrees with samples: evenly many, and more where they come close.
    pub(super) fn check(
        &mut self,
        motion: &JointMotion,
        report: &MotionReport,
        options: &MotionOptions<'_>,
        samples: usize,
        tally: &mut Tally,
    ) {
        let tolerance = 1e-9f64.min(1e-6 * self.size) + ROUNDING * self.size;
        let (until, proven) = match &report.verdict {
            Verdict::Free(proof) => {
                tally.free += 1;
                (1.0, Some(proof.clearance))
            }
            Verdict::Touches(witness) => {
                tally.touching += 1;
                tally.at_start += usize::from(witness.at_start);
                let gap = self.gap(&witness.posture, witness.pair, f64::INFINITY);
                let wanted = wanted(options, witness.pair);
                assert!(gap <= wanted + options.resolution + tolerance, "{gap} is no contact: {witness:?}");
                assert!((gap - witness.gap).abs() <= tolerance, "{gap} instead of {witness:?}");
                assert!(witness.time.start <= witness.time.end);
                let there = motion.at(witness.time.end);
                let off = there.iter().zip(&witness.posture).map(|(x, y)| (x - y).abs() / (1.0 + x.abs()));
                assert!(off.fold(0.0, f64::max) < 1e-9, "{there:?} {witness:?}");
                assert!(!witness.at_start || witness.time.end == 0.0);
                let apart = witness.points[0].distance(witness.points[1]);
                assert!((apart - gap).abs() <= tolerance.max(1e-9 * self.size), "{apart} {gap} {witness:?}");
                (witness.time.start, None)
            }
            Verdict::Undecided { open } => {
                tally.undecided += 1;
                (open.start, None)
            }
        };
        if let Some(proven) = proven {
            assert!(
                proven
                    >= options
                        .clearance
                        .min(options.of_pairs.iter().map(|(_, c)| *c).fold(f64::INFINITY, f64::min))
            );
        }
        let mut all: Vec<(f64, f64)> = Vec::new();
        let mut look = |t: f64, all: &mut Vec<(f64, f64)>| {
            let posture = motion.at(t);
            let (excess, gap) = self.excess(&posture, options, f64::INFINITY);
            assert!(excess > -tolerance, "{excess} at {t} of {until}: {:?} in {motion:?}", report.verdict);
            if let Some(proven) = proven {
                assert!(gap >= proven - tolerance, "{gap} at {t} where {proven} is proven in {motion:?}");
            }
            all.push((t, excess));
            excess
        };
        if until <= 0.0 {
            return;
        }
        let last = until * (1.0 - 1e-12) - 1e-12;
        for k in 0..=samples {
            look((last * k as f64 / samples as f64).max(0.0), &mut all);
        }
        // Around the least of them, closer and closer.
        let mut by_excess: Vec<usize> = (0..=samples).collect();
        by_excess.sort_by(|x, y| all[*x].1.total_cmp(&all[*y].1));
        for &k in by_excess.iter().take(2) {
            let (mut low, mut high) = (all[k.saturating_sub(1)].0, all[(k + 1).min(samples)].0);
            for _ in 0..20 {
                let [p, q] = [low + 0.382 * (high - low), low + 0.618 * (high - low)];
                if look(p, &mut all) < look(q, &mut all) { high = q } else { low = p }
            }
        }
        if proven.is_some() {
            let least = all.iter().map(|(_, excess)| *excess).fold(f64::INFINITY, f64::min);
            tally.closest = tally.closest.min(least);
        }
    }
}

pub(super) fn wanted(options: &MotionOptions<'_>, pair: PairId) -> f64 {
    options.of_pairs.iter().find(|(id, _)| *id == pair).map_or(options.clearance, |(_, gap)| *gap)
}

/// Both kinds of scene of a cell, and the oracle.
pub(super) struct Scenes {
    pub(super) plain: Scene,
    pub(super) quick: Scene,
}

impl Scenes {
    pub(super) fn new(cell: Cell) -> (Self, Oracle) {
        let cell = Arc::new(cell);
        let oracle = Oracle::new(&cell);
        (Self { plain: Scene::new(Arc::clone(&cell)), quick: Scene::new(cell).with_models() }, oracle)
    }
}

/// Both scenes prepared.
pub(super) struct Ready<'a> {
    pub(super) plain: MotionScene<'a>,
    pub(super) quick: MotionScene<'a>,
    by_plain: MotionWorkspace,
    by_quick: MotionWorkspace,
}

impl<'a> Ready<'a> {
    pub(super) fn new(scenes: &'a Scenes) -> Self {
        let (plain, quick) = (MotionScene::new(&scenes.plain), MotionScene::new(&scenes.quick));
        let (by_plain, by_quick) = (plain.workspace(), quick.workspace());
        Self { plain, quick, by_plain, by_quick }
    }

    /// The answer, checked by samples; the same without models, backwards, and if any contact will do.
    pub(super) fn ask(
        &mut self,
        oracle: &mut Oracle,
        motion: &JointMotion,
        options: &MotionOptions<'_>,
        samples: usize,
        tally: &mut Tally,
    ) -> MotionReport {
        let quick = self.quick.motion(motion, options, &mut self.by_quick);
        oracle.check(motion, &quick, options, samples, tally);
        let mut other = Tally::default();
        let plain = self.plain.motion(motion, options, &mut self.by_plain);
        oracle.check(motion, &plain, options, samples / 4, &mut other);
        let back = self.quick.motion(&motion.reversed(), options, &mut self.by_quick);
        oracle.check(&motion.reversed(), &back, options, samples / 4, &mut other);
        let whether = MotionOptions { contact: Contact::Any, ..*options };
        let any = self.quick.motion(motion, &whether, &mut self.by_quick);
        oracle.check(motion, &any, options, samples / 4, &mut other);
        let any_plain = self.plain.motion(motion, &whether, &mut self.by_plain);
        oracle.check(motion, &any_plain, options, samples / 4, &mut other);
        for another in [&plain, &back, &any, &any_plain] {
            // Only between the clearance and the resolution may answers differ.
            let witness = match (&quick.verdict, &another.verdict) {
                (Verdict::Touches(witness), Verdict::Free(_))
                | (Verdict::Free(_), Verdict::Touches(witness)) => witness,
                _ => continue,
            };
            assert!(
                witness.gap > wanted(options, witness.pair) - 1e-9,
                "{quick:?} {another:?} of {motion:?}"
            );
        }
        if let (Verdict::Touches(x), Verdict::Touches(y)) = (&quick.verdict, &plain.verdict) {
            // No contact of one before all that the other proves free.
            for (x, y) in [(x, y), (y, x)] {
                let deep = x.gap <= wanted(options, x.pair) - 1e-9;
                assert!(!deep || x.time.end >= y.time.start - 1e-9, "{x:?} {y:?}");
            }
        }
        quick
    }
}
