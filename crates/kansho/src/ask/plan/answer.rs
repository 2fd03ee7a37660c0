//! What came of a plan, for programs.

use super::Planned;
use super::relax::RelaxedAnswer;
use super::times::TimesAnswer;
use super::work::NAMED;
use crate::answer::{ExitCode, FORMAT, Message};
use kansho_check::scene::PairId;
use kansho_plan::cam::{
    Blocked, NoPath, PlannedPath, PlannedRun, PlannedStroke, SearchEffort, State, Undecided, Weights,
    WhyNoPath, WhyUndecided,
};
use kansho_verify::AnyCertificate;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What came of a job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanAnswer {
    /// The version of this answer.
    pub format: u32,
    /// Whether there is a path.
    pub verdict: PlanVerdict,
    /// Where the tool is free.
    pub map: MapAnswer,
    /// `lin` or `ptp`: how the controller moves from point to point of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<String>,
    /// Orientation interpolations for which linear moves are proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub laws: Option<Vec<String>>,
    /// The path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathAnswer>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_path: Option<NoPathAnswer>,
    /// Why nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<UndecidedAnswer>,
    /// What the search took.
    pub effort: EffortAnswer,
    /// What would help, if that was asked and there is no path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relaxed: Option<RelaxedAnswer>,
    /// What took how many seconds.
    pub seconds: BTreeMap<String, f64>,
    /// The folder that files were written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// The files in it.
    pub files: Vec<String>,
    /// What is odd about the files.
    pub warnings: Vec<Message>,
}

/// Whether there is a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanVerdict {
    /// A path, proven free.
    Path,
    /// There is none over these points and rotations.
    NoPath,
    /// Neither is known.
    Undecided,
}

impl PlanVerdict {
    /// As answers spell it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::NoPath => "no_path",
            Self::Undecided => "undecided",
        }
    }
}

/// Where the tool is free.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MapAnswer {
    /// Points times tool rotations.
    pub cells: usize,
    /// Points of the work path.
    pub points: usize,
    /// Tool rotations at each point.
    pub stances: usize,
    /// Postures that were looked at.
    pub postures: usize,
    /// Cells in which the tool is free.
    pub free: usize,
    /// Cells in which it collides.
    pub collides: usize,
    /// Cells beyond joint limits.
    pub limit: usize,
    /// Cells out of reach.
    pub out_of_reach: usize,
    /// Cells of which nobody knows.
    pub unknown: usize,
    /// Rotations that are free at every point, in degrees.
    pub constant_rotations_deg: Vec<f64>,
    /// Degrees from one rotation to the next.
    pub rotation_step_deg: f64,
    /// Memory that the map takes.
    pub bytes: usize,
}

/// A path, proven free.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PathAnswer {
    /// One for each stroke of the work.
    pub strokes: Vec<StrokeAnswer>,
    /// What it costs, in rad².
    pub cost: CostAnswer,
    /// How far the tool is lifted off strokes, in metres, if the job asks for it.
    pub lift: f64,
    /// How far it is lifted before and after each stroke, in metres; null where that is not free.
    pub lifts: Vec<[Option<f64>; 2]>,
    /// How many transfer paths between strokes are proven.
    pub ways: usize,
    /// How many were not found.
    pub ways_not_found: usize,
    /// A bound below all gaps at every instant, in metres: what the proofs needed.
    pub clearance: Option<f64>,
    /// How near bodies come; null if there was no time to find out.
    pub least_gap: Option<LeastGapAnswer>,
    /// Certificates of the runs.
    pub certificates: Vec<ProofAnswer>,
    /// Times of the runs, if the job asks for them.
    pub times: Vec<TimesAnswer>,
}

/// The path of a stroke.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StrokeAnswer {
    /// How many points it has.
    pub points: usize,
    /// Whether it ends in the posture in which it begins.
    pub closed: bool,
    /// Branches of the inverse kinematics, in the order in which they are used.
    pub branches: Vec<String>,
    /// The least and the largest rotation, in degrees.
    pub rotation_deg: [f64; 2],
    /// The least distance of a joint from a limit, in radians; null without limits.
    pub limit_margin: Option<f64>,
    /// The least measure of nearness to a singularity.
    pub nearness: f64,
    /// The largest change of a joint from point to point, in radians.
    pub largest_step: f64,
}

/// What a path costs, in rad².
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct CostAnswer {
    /// For joints that move.
    pub motion: f64,
    /// For joints near limits.
    pub limits: f64,
    /// For postures near singularities.
    pub singularities: f64,
    /// For places near borders of the map.
    pub borders: f64,
    /// For joints off the middle of their ranges.
    pub middles: f64,
}

/// The least gap on a path, enclosed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeastGapAnswer {
    /// Proven at every instant, in metres.
    pub proven: f64,
    /// Measured at one instant, in metres.
    pub measured: f64,
    /// Between which bodies.
    pub pair: String,
    /// The same for other pairs.
    pub pairs: Vec<GapOfPair>,
}

/// The least gap of a pair, enclosed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GapOfPair {
    /// Which.
    pub pair: String,
    /// Proven at every instant, in metres.
    pub proven: f64,
    /// Measured at one instant, in metres.
    pub measured: f64,
}

/// The certificate of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProofAnswer {
    /// Motions from point to point.
    pub motions: usize,
    /// Steps of the certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<usize>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub none: Option<String>,
}

/// Why there is no path.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum NoPathAnswer {
    /// At some points the tool is free in no rotation.
    Blocked {
        /// These points.
        points: Vec<BlockedPoint>,
        /// How many points the work path has.
        of: usize,
        /// The required gap, in metres.
        clearance: f64,
        /// Over all these points, the pairs that collide, those of the most rotations first.
        pairs: Vec<BlockingPair>,
        /// What may be wrong with the job.
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<BlockedHint>,
    },
    /// Every point is free in some rotation, but no motion leads on from this one.
    Between {
        /// Its number.
        point: usize,
        /// Its line in the file.
        line: u32,
        /// How far joints may turn from point to point, in degrees.
        most_deg: f64,
    },
    /// Ways lead along the stroke, but none comes back to the posture in which it began.
    NotClosed,
}

/// What may be wrong with a job of which many points are blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockedHint {
    /// No point can be reached: the units or the frame of the path.
    UnitsOrFrame,
    /// The tool would be free if it came from the other side: its direction.
    Flip,
}

/// A point at which the tool is free in no rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BlockedPoint {
    /// Its number.
    pub point: usize,
    /// Its line in the file.
    pub line: u32,
    /// Rotations that are out of reach.
    pub out_of_reach: usize,
    /// Rotations beyond joint limits.
    pub limit: usize,
    /// Pairs that collide, in how many rotations.
    pub pairs: Vec<BlockedPair>,
}

/// A pair that collides at a point.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BlockedPair {
    /// Which.
    pub pair: String,
    /// In how many rotations.
    pub stances: usize,
    /// Where it is least deep, how deep: a bound below and one above, in metres; negative for a gap.
    pub least_depth: Option<[f64; 2]>,
    /// At which rotation that is, in degrees.
    pub at_deg: Option<f64>,
}

/// A pair that collides, over all points that are blocked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BlockingPair {
    /// Which.
    pub pair: String,
    /// At how many of these points it collides in some rotation.
    pub points: usize,
    /// In how many rotations of all of them.
    pub stances: usize,
}

/// Why nobody knows whether there is a path.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum UndecidedAnswer {
    /// The time limit was reached.
    Time,
    /// The arm cannot make linear moves.
    Arm {
        /// Why.
        what: String,
    },
    /// How controllers round corners between joint moves is not known.
    RoundedJointMoves,
    /// So many searches found no path whose motions are all free.
    Searches {
        /// Of which stroke, from 0.
        stroke: usize,
        /// How many.
        searches: usize,
    },
    /// Every path that is left has a motion that is not decided.
    Motions {
        /// Of which stroke, from 0.
        stroke: usize,
    },
    /// The controller's motion along the path is not proven.
    Corners {
        /// At which points.
        points: Vec<usize>,
        /// What is open.
        what: String,
        /// Whether points are rounded off.
        rounded: bool,
    },
}

/// What a search took.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct EffortAnswer {
    /// States of the map.
    pub states: usize,
    /// Passes over them.
    pub passes: usize,
    /// Searches for a path.
    pub searches: usize,
    /// Motions that were asked about.
    pub motions: usize,
    /// Of these, motions that touch.
    pub touching: usize,
    /// Of these, motions that are not decided.
    pub undecided: usize,
}

impl PlanAnswer {
    /// 0 for a path, 1 for none, 2 where nobody knows.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self.verdict {
            PlanVerdict::Path => ExitCode::Done,
            PlanVerdict::NoPath => ExitCode::No,
            PlanVerdict::Undecided => ExitCode::Undecided,
        }
    }
}

impl Planned<'_> {
    /// The answer; files and what would help are added by whoever asks for them.
    #[must_use]
    pub fn answer(&self) -> PlanAnswer {
        let mut answer = PlanAnswer {
            format: FORMAT,
            verdict: PlanVerdict::Undecided,
            map: self.of_map(),
            motion: None,
            laws: None,
            path: None,
            no_path: None,
            undecided: None,
            effort: EffortAnswer::of(self.effort()),
            relaxed: None,
            seconds: self.work.seconds.iter().map(|(what, secs)| ((*what).to_owned(), *secs)).collect(),
            out: None,
            files: Vec::new(),
            warnings: Message::of_warnings(&self.work.warnings),
        };
        match &self.work.planned {
            kansho_plan::cam::Planned::Path(path) => {
                answer.verdict = PlanVerdict::Path;
                answer.motion = Some(if self.work.is_lin { "lin" } else { "ptp" }.to_owned());
                let laws = self.job.job.laws.each();
                answer.laws = self.work.is_lin.then(|| laws.iter().map(ToString::to_string).collect());
                answer.path = Some(self.of_path(path));
            }
            kansho_plan::cam::Planned::NoPath(none) => {
                answer.verdict = PlanVerdict::NoPath;
                answer.no_path = Some(self.of_none(none));
            }
            kansho_plan::cam::Planned::Undecided(Undecided { why, .. }) => {
                answer.undecided = Some(UndecidedAnswer::of(why, self.job.job.zone > 0.0));
            }
        }
        answer
    }

    fn effort(&self) -> &SearchEffort {
        match &self.work.planned {
            kansho_plan::cam::Planned::Path(path) => &path.effort,
            kansho_plan::cam::Planned::NoPath(none) => &none.effort,
            kansho_plan::cam::Planned::Undecided(undecided) => &undecided.effort,
        }
    }

    fn of_map(&self) -> MapAnswer {
        let (map, axis) = (&self.work.map, &self.job.job.axis);
        let count = |state: State| map.cells().iter().filter(|cell| cell.state == state).count();
        let constant = map.constant();
        let mut degrees: Vec<f64> =
            constant.iter().map(|(_, stance)| axis.rotation(*stance).to_degrees().round()).collect();
        degrees.sort_by(f64::total_cmp);
        degrees.dedup();
        MapAnswer {
            cells: map.cells().len(),
            points: map.points(),
            stances: map.stances(),
            postures: map.postures,
            free: count(State::Free),
            collides: count(State::Collides),
            limit: count(State::Limit),
            out_of_reach: count(State::OutOfReach),
            unknown: count(State::Unknown),
            constant_rotations_deg: degrees,
            rotation_step_deg: axis.step().to_degrees(),
            bytes: map.bytes(),
        }
    }

    fn of_path(&self, path: &PlannedPath) -> PathAnswer {
        let missing = path.links.iter().filter(|link| link.is_none()).count();
        let cost = path.strokes.iter().fold(CostAnswer::default(), |sum, stroke| CostAnswer {
            motion: sum.motion + stroke.cost.motion,
            limits: sum.limits + stroke.cost.limits,
            singularities: sum.singularities + stroke.cost.singular,
            borders: sum.borders + stroke.cost.border,
            middles: sum.middles + stroke.cost.middle,
        });
        let least_gap = self.work.gaps.as_ref().map(|gaps| LeastGapAnswer {
            proven: gaps.proven,
            measured: gaps.measured.0,
            pair: self.pair_name(gaps.measured.1),
            pairs: gaps
                .pairs
                .iter()
                .map(|row| GapOfPair {
                    pair: self.pair_name(row.pair),
                    proven: row.proven,
                    measured: row.measured,
                })
                .collect(),
        });
        PathAnswer {
            strokes: path.strokes.iter().map(|stroke| self.of_stroke(stroke)).collect(),
            cost,
            lift: self.job.job.lift,
            lifts: path
                .lifts
                .iter()
                .map(|of| of.each_ref().map(|lift| lift.as_ref().map(|lift| lift.by)))
                .collect(),
            ways: path.links.len() - missing,
            ways_not_found: missing,
            clearance: finite(path.clearance),
            least_gap,
            certificates: path.runs.iter().zip(&self.work.certificates).map(ProofAnswer::of).collect(),
            times: self.work.timed.iter().map(|timed| TimesAnswer::of(&self.job.job, timed)).collect(),
        }
    }

    fn of_stroke(&self, stroke: &PlannedStroke) -> StrokeAnswer {
        let mut branches: Vec<String> = stroke.branches.iter().map(ToString::to_string).collect();
        branches.dedup();
        let axis = &self.job.job.axis;
        let degrees = || stroke.stances.iter().map(|stance| axis.rotation(*stance).to_degrees());
        StrokeAnswer {
            points: stroke.postures.len(),
            closed: stroke.closed,
            branches,
            rotation_deg: [
                degrees().fold(f64::INFINITY, f64::min),
                degrees().fold(f64::NEG_INFINITY, f64::max),
            ],
            limit_margin: finite(stroke.limit_margin),
            nearness: stroke.nearness,
            largest_step: stroke.largest_step,
        }
    }

    fn of_none(&self, none: &NoPath) -> NoPathAnswer {
        let lines: Vec<u32> = self.job.job.path.points().map(|point| point.line).collect();
        match &none.why {
            WhyNoPath::Blocked(blocked) => NoPathAnswer::Blocked {
                points: blocked.iter().map(|at| self.of_blocked(at, lines[at.point])).collect(),
                of: lines.len(),
                clearance: self.job.job.clearance,
                pairs: self.blocking_pairs(blocked),
                hint: self.hint(blocked),
            },
            WhyNoPath::Between { point } => NoPathAnswer::Between {
                point: *point,
                line: lines[*point],
                most_deg: Weights::default().most.to_degrees(),
            },
            WhyNoPath::NotClosed => NoPathAnswer::NotClosed,
        }
    }

    fn of_blocked(&self, at: &Blocked, line: u32) -> BlockedPoint {
        let of_pair = |(pair, stances): &(PairId, usize)| {
            let least = self.least_depth(at.point, *pair);
            BlockedPair {
                pair: self.pair_name(*pair),
                stances: *stances,
                least_depth: least.map(|(_, depth)| depth),
                at_deg: least.map(|(stance, _)| self.job.job.axis.rotation(stance).to_degrees()),
            }
        };
        BlockedPoint {
            point: at.point,
            line,
            out_of_reach: at.out_of_reach,
            limit: at.limit,
            pairs: at.pairs.iter().map(of_pair).collect(),
        }
    }

    /// Where at a point a pair is least deep, and how deep.
    fn least_depth(&self, point: usize, pair: PairId) -> Option<(usize, [f64; 2])> {
        let found = self.work.least_depths.get(&point)?.iter().find(|(of, ..)| *of == pair)?;
        Some((found.1, found.2))
    }

    /// Perhaps the path is elsewhere, if no point can be reached; or the tool points the wrong way, if the other one would be free.
    fn hint(&self, blocked: &[Blocked]) -> Option<BlockedHint> {
        let is_all = blocked.len() == self.job.job.path.len();
        if is_all && blocked.iter().all(|at| at.pairs.is_empty()) && !self.work.flip_helps {
            return Some(BlockedHint::UnitsOrFrame);
        }
        self.work.flip_helps.then_some(BlockedHint::Flip)
    }

    /// In how many stances of all blocked points each pair collides, most first.
    fn blocking_pairs(&self, blocked: &[Blocked]) -> Vec<BlockingPair> {
        let mut all: BTreeMap<PairId, [usize; 2]> = BTreeMap::new();
        for (pair, stances) in blocked.iter().flat_map(|at| &at.pairs) {
            let [points, all] = all.entry(*pair).or_default();
            *points += 1;
            *all += stances;
        }
        let mut all: Vec<(PairId, [usize; 2])> = all.into_iter().collect();
        all.sort_by_key(|(pair, [_, stances])| (std::cmp::Reverse(*stances), *pair));
        let named = |(pair, [points, stances]): (PairId, [usize; 2])| BlockingPair {
            pair: self.pair_name(pair),
            points,
            stances,
        };
        all.into_iter().map(named).collect()
    }
}

impl ProofAnswer {
    fn of((run, certified): (&PlannedRun, &Result<AnyCertificate, String>)) -> Self {
        let motions = match run {
            PlannedRun::Joints(motion) => motion.pieces().len(),
            PlannedRun::Tool { moves, .. } => moves.len(),
        };
        let steps = certified.as_ref().ok().map(AnyCertificate::steps);
        Self { motions, steps, none: certified.as_ref().err().cloned() }
    }
}

impl UndecidedAnswer {
    fn of(why: &WhyUndecided, rounded: bool) -> Self {
        match why {
            WhyUndecided::Time => Self::Time,
            WhyUndecided::Arm(what) => Self::Arm { what: what.clone() },
            WhyUndecided::RoundedJointMoves => Self::RoundedJointMoves,
            WhyUndecided::Searches { stroke, most } => Self::Searches { stroke: *stroke, searches: *most },
            WhyUndecided::Motions { stroke } => Self::Motions { stroke: *stroke },
            WhyUndecided::Corners { points, what } => {
                Self::Corners { points: points.clone(), what: what.clone(), rounded }
            }
        }
    }
}

impl EffortAnswer {
    fn of(effort: &SearchEffort) -> Self {
        Self {
            states: effort.states,
            passes: effort.passes,
            searches: effort.searches,
            motions: effort.edges,
            touching: effort.touching,
            undecided: effort.undecided,
        }
    }

    /// Motions that were proven free.
    #[must_use]
    pub fn proven(&self) -> usize {
        self.motions - self.touching - self.undecided
    }
}

impl NoPathAnswer {
    /// Points that are named one by one.
    pub(super) fn named(&self) -> &[BlockedPoint] {
        match self {
            Self::Blocked { points, .. } => &points[..points.len().min(NAMED)],
            Self::Between { .. } | Self::NotClosed => &[],
        }
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
