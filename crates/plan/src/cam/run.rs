//! Strokes and the ways between them, as the robot goes.

use super::edge::{Edge, Edges};
use super::planned::{Lift, PlanOptions, PlannedStroke};
use super::{EdgeKind, Work};
use crate::transfer;
use kansho_cell::ik::{Followed, Solutions};
use kansho_cell::route::{Law, Laws, Move, Route};
use kansho_cell::{JointMotion, JointPiece};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::verdict::Verdict;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_verify::route::RoutePiece;
use std::time::Instant;

/// What a robot does without a break. Proven as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum PlannedRun {
    /// All joints evenly from posture to posture.
    Joints(JointMotion),
    /// Lines of the tool, and moves of joints between strokes.
    Tool {
        /// Where it begins.
        start: Vec<f64>,
        /// The moves that it is made of, after the start.
        moves: Vec<Move>,
        /// The same as legs, for each law of turning; at least one.
        ways: Vec<ProvenWay>,
    },
}

/// The way of a tool by one law of turning, which was proven.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvenWay {
    /// How the tool turns on lines.
    pub law: Law,
    /// The legs.
    pub route: Route,
    /// The cubics that it was proven with.
    pub pieces: Vec<RoutePiece>,
}

/// A way between strokes, and a bound below its gaps.
type Link = Option<(JointMotion, f64)>;

/// Parts of the wanted height that are tried, one after the other.
const HEIGHTS: [f64; 4] = [1.0, 0.5, 0.25, 0.1];

/// Where the tool gets to when it is lifted off each stroke, against its axis, before it begins and after it ends: as high as wanted, or
/// less where only that is proven free.
pub(super) fn lifts(
    edges: &Edges<'_, '_>,
    work: &Work<'_>,
    strokes: &[PlannedStroke],
    options: &PlanOptions<'_>,
) -> Vec<[Option<Lift>; 2]> {
    let (mut workspace, mut scratch) = (edges.scene.workspace(), Solutions::default());
    let mut lift = |posture: &Vec<f64>, is_start: bool| {
        let tip = work.tip.placed(edges.scene.cell(), posture);
        HEIGHTS.iter().filter(|_| options.lift > 0.0).find_map(|part| {
            let by = part * options.lift;
            let lifted = tip * Pose::from_translation(DVec3::NEG_Z * by);
            let near = work.ik.values_in(posture);
            let Followed::On { values, .. } = work.ik.follow(&lifted, &near, &mut scratch) else {
                return None;
            };
            let mut above = posture.clone();
            work.ik.put(&values, &mut above);
            let (from, to) = if is_start { (&above, posture) } else { (posture, &above) };
            let is_free = edges.prove(from, to, &mut workspace) == Edge::Free;
            is_free.then(|| Lift { by, posture: above.clone() })
        })
    };
    strokes.iter().map(|stroke| [lift(&stroke.postures[0], true), lift(&stroke.end, false)]).collect()
}

/// Plans ways from each stroke to the next, from above the one to above the other where the tool is lifted. A joint that turns without
/// end may get to the next stroke some turns away from where it was planned: then that stroke is moved by as many turns.
pub(super) fn links(
    scene: &MotionScene<'_>,
    work: &Work<'_>,
    strokes: &mut [PlannedStroke],
    lifts: &mut [[Option<Lift>; 2]],
    options: &PlanOptions<'_>,
) -> Vec<Link> {
    let mut all = Vec::new();
    for k in 1..strokes.len() {
        let from = lifts[k - 1][1].as_ref().map_or(&strokes[k - 1].end, |lift| &lift.posture);
        let to = lifts[k][0].as_ref().map_or(&strokes[k].postures[0], |lift| &lift.posture);
        let link = link(scene, work, from, to, options);
        if let Some((motion, _)) = &link {
            let last = motion.pieces().last().map(|piece| piece.controls().iter().map(|c| c[3]).collect());
            let there: Vec<f64> = last.unwrap_or_default();
            let off: Vec<f64> = there.iter().zip(to).map(|(a, b)| a - b).collect();
            if off.iter().any(|off| *off != 0.0) {
                let moved = |posture: &mut Vec<f64>| {
                    posture.iter_mut().zip(&off).for_each(|(value, off)| *value += off);
                };
                strokes[k].postures.iter_mut().for_each(moved);
                moved(&mut strokes[k].end);
                lifts[k].iter_mut().flatten().for_each(|lift| moved(&mut lift.posture));
                match &mut lifts[k][0] {
                    Some(lift) => lift.posture = there,
                    None => strokes[k].postures[0] = there,
                }
            }
        }
        all.push(link);
    }
    all
}

fn link(
    scene: &MotionScene<'_>,
    work: &Work<'_>,
    from: &[f64],
    to: &[f64],
    options: &PlanOptions<'_>,
) -> Link {
    if options.is_over() {
        return None;
    }
    let time_limit = options.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let wanted = transfer::TransferOptions {
        clearance: work.clearance,
        most_edges: 20_000,
        time_limit,
        ..transfer::TransferOptions::default()
    };
    match transfer::find_transfer(scene, from, to, &wanted) {
        transfer::Transfer::Found { motion, proof, .. } => Some((motion, proof.clearance)),
        transfer::Transfer::NotFound { .. } => None,
    }
}

/// One thing after the other.
enum Item<'a> {
    Stroke(&'a PlannedStroke),
    /// To a posture above a stroke, or from there to the stroke, both of which are given.
    Lift([&'a Vec<f64>; 2]),
    Link(&'a JointMotion),
}

/// Why a run as a whole is not proven.
pub(super) struct NotProven {
    /// Points of the work path near which that is, from 0; empty if it is not known.
    pub(super) points: Vec<usize>,
    pub(super) what: String,
}

impl NotProven {
    fn nowhere(what: impl Into<String>) -> Self {
        Self { points: Vec::new(), what: what.into() }
    }
}

/// Strokes and ways between them as runs, each proven as a whole, and a bound below all their gaps; what is not proven otherwise.
pub(super) fn runs(
    edges: &Edges<'_, '_>,
    work: &Work<'_>,
    strokes: &[PlannedStroke],
    lifts: &[[Option<Lift>; 2]],
    links: &[Option<JointMotion>],
    options: &PlanOptions<'_>,
) -> Result<(Vec<PlannedRun>, f64), NotProven> {
    let mut lists: Vec<Vec<Item<'_>>> = vec![Vec::new()];
    for (k, stroke) in strokes.iter().enumerate() {
        let [before, after] = &lifts[k];
        let list = lists.last_mut().expect("there is one from the start");
        list.extend(before.as_ref().map(|lift| Item::Lift([&lift.posture, &stroke.postures[0]])));
        list.push(Item::Stroke(stroke));
        list.extend(after.as_ref().map(|lift| Item::Lift([&stroke.end, &lift.posture])));
        match links.get(k) {
            Some(Some(link)) => list.push(Item::Link(link)),
            Some(None) => lists.push(Vec::new()),
            None => {}
        }
    }
    let (mut runs, mut clearance) = (Vec::new(), f64::INFINITY);
    for items in lists {
        let run = match options.kind {
            EdgeKind::Ptp => joints(edges, &items),
            EdgeKind::Lin(laws) => tool(edges, work, &items, laws, options),
        };
        if let Some((run, proven)) = run? {
            runs.push(run);
            clearance = clearance.min(proven);
        }
    }
    Ok((runs, clearance))
}

/// A run that is proven, and a bound below its gaps; none if nothing moves.
type Proven = Result<Option<(PlannedRun, f64)>, NotProven>;

fn options<'a>(edges: &Edges<'_, '_>) -> MotionOptions<'a> {
    MotionOptions { clearance: edges.clearance, deadline: edges.deadline, ..MotionOptions::default() }
}

fn joints(edges: &Edges<'_, '_>, items: &[Item<'_>]) -> Proven {
    let mut pieces: Vec<JointPiece> = Vec::new();
    for item in items {
        match item {
            Item::Stroke(stroke) => {
                let way: Vec<&Vec<f64>> = stroke.way().collect();
                pieces.extend(way.windows(2).map(|pair| JointPiece::line(pair[0], pair[1])));
            }
            Item::Lift([from, to]) => pieces.push(JointPiece::line(from, to)),
            Item::Link(link) => pieces.extend_from_slice(link.pieces()),
        }
    }
    if pieces.is_empty() {
        return Ok(None);
    }
    let motion =
        JointMotion::of_pieces(pieces).ok_or_else(|| NotProven::nowhere("its motions do not join"))?;
    match edges.scene.motion(&motion, &options(edges), &mut edges.scene.workspace()).verdict {
        Verdict::Free(proof) => Ok(Some((PlannedRun::Joints(motion), proof.clearance))),
        _ => Err(NotProven::nowhere("the motions are free one by one, but not proven as a whole")),
    }
}

fn tool(
    edges: &Edges<'_, '_>,
    work: &Work<'_>,
    items: &[Item<'_>],
    laws: Laws,
    wanted: &PlanOptions<'_>,
) -> Proven {
    let cell = edges.scene.cell();
    let mut start: Option<Vec<f64>> = None;
    let mut moves: Vec<Move> = Vec::new();
    // The point of the work path in which each move ends, if it does.
    let mut ends: Vec<Option<usize>> = Vec::new();
    for item in items {
        match item {
            Item::Stroke(stroke) => {
                let mut way = stroke.way();
                let first = way.next().ok_or_else(|| NotProven::nowhere("a stroke has no points"))?;
                start.get_or_insert_with(|| first.clone());
                let lines: Vec<&Vec<f64>> = way.collect();
                for (k, posture) in lines.iter().enumerate() {
                    ends.push(Some(stroke.first + (k + 1) % stroke.postures.len()));
                    // What follows the last line is no line.
                    let zone = if k + 1 < lines.len() { wanted.zone } else { 0.0 };
                    let to = work.tip.placed(cell, posture);
                    moves.push(Move::line(to).arriving_at((*posture).clone()).with_zone(zone));
                }
            }
            Item::Lift([from, to]) => {
                start.get_or_insert_with(|| (*from).clone());
                ends.push(None);
                moves.push(Move::line(work.tip.placed(cell, to)).arriving_at((*to).clone()));
            }
            Item::Link(link) => {
                ends.extend(link.pieces().iter().map(|_| None));
                moves.extend(
                    link.pieces()
                        .iter()
                        .map(|piece| Move::joints(piece.controls().iter().map(|c| c[3]).collect())),
                );
            }
        }
    }
    if moves.is_empty() {
        return Ok(None);
    }
    let start = start.ok_or_else(|| NotProven::nowhere("it begins nowhere"))?;
    let routes = edges.routes.ok_or_else(|| NotProven::nowhere("the tool cannot be led along lines"))?;
    let (mut ways, mut clearance) = (Vec::new(), f64::INFINITY);
    for &law in laws.each() {
        let route =
            Route::new(cell, work.tip, start.clone(), &moves, law, wanted.blend).map_err(|fault| {
                let point = fault.number.checked_sub(1).and_then(|k| *ends.get(k)?);
                NotProven { points: point.into_iter().collect(), what: fault.to_string() }
            })?;
        // The points at the ends of the move that a leg belongs to.
        let near = |leg: usize| -> Vec<usize> {
            let found = route.legs().get(leg).map_or(0, |leg| leg.of_move);
            let mut points: Vec<usize> = [found.checked_sub(1), Some(found)]
                .into_iter()
                .flatten()
                .filter_map(|k| *ends.get(k)?)
                .collect();
            points.sort_unstable();
            points.dedup();
            points
        };
        let leg_at = |time: f64| (time * route.legs().len() as f64) as usize;
        let found = routes
            .route(&route, &options(edges), &mut edges.scene.workspace())
            .map_err(|stopped| NotProven { points: near(stopped.leg), what: stopped.words(cell, law) })?;
        match found.verdict {
            Verdict::Free(proof) => {
                ways.push(ProvenWay { law, route, pieces: proof.pieces });
                clearance = clearance.min(proof.clearance);
            }
            Verdict::Touches(witness) => {
                let points = near(leg_at(witness.time.end));
                let pair = edges.scene.scene().pair_name(witness.pair);
                let what = format!("{pair} come too near where the controller rounds the corner");
                return Err(NotProven { points, what });
            }
            Verdict::Undecided { open } => {
                let points = near(leg_at(open.start));
                return Err(NotProven { points, what: "the rounded corner is not proven free".into() });
            }
        }
    }
    Ok(Some((PlannedRun::Tool { start, moves, ways }, clearance)))
}
