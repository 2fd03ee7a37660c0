//! The way as pieces that are smooth, and stretches of them that can be passed without a stop.

use super::TimingFault;
use super::corner::Corner;
use crate::cam::PlannedRun;
use kansho_cell::ik::Tip;
use kansho_cell::route::{Blend, CurveKind, Law, MoveKind, PoseCurve, Route, RouteMotion, corner_radius};
use kansho_cell::{Cell, JointPiece};
use kansho_geom::Pose;
use kansho_geom::pose_motion::Span;

/// How a piece goes, for `u` from 0 to 1.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// All joints evenly between two postures.
    Joints([Vec<f64>; 2]),
    /// The tip along a part of a curve.
    Curve(PoseCurve, Span),
    /// The tip round a corner.
    Corner(Box<Corner>),
}

/// A smooth piece.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Which move of the run, from 0.
    pub(super) of_move: usize,
    pub(super) shape: Shape,
    /// The length that `u` goes with evenly: the tip's, if that moves, in metres; else that of turns, in radians.
    pub(super) length: f64,
    /// Whether the tip is at work, so that its speed counts.
    pub(super) is_work: bool,
}

impl Piece {
    /// Where the tip is, where it is led.
    pub(super) fn pose(&self, u: f64) -> Option<Pose> {
        match &self.shape {
            Shape::Joints(_) => None,
            Shape::Curve(curve, part) => Some(curve.at(part.at(u))),
            Shape::Corner(corner) => Some(corner.at(u)),
        }
    }
}

/// Lines that differ in direction and turning by no more than this, for each metre and radian, go on as one: rounding makes as much.
const STRAIGHT_ON: f64 = 1e-9;

/// Shorter pieces do not move, in metres or radians.
const NOTHING: f64 = 1e-12;

/// Stretches, each from rest to rest, and where the first begins.
pub(super) fn stretches(
    cell: &Cell,
    tip: Tip,
    run: &PlannedRun,
    blend: Blend,
) -> Result<(Vec<f64>, Vec<Vec<Piece>>), TimingFault> {
    match run {
        PlannedRun::Joints(motion) => {
            let corner = |piece: &JointPiece, k: usize| -> Vec<f64> {
                piece.controls().iter().map(|c| c[k]).collect()
            };
            let pieces = motion.pieces();
            let start = corner(&pieces[0], 0);
            let all = pieces.iter().enumerate();
            let stretches =
                all.filter_map(|(k, piece)| Some(vec![joints(k, corner(piece, 0), corner(piece, 3))?]));
            Ok((start, stretches.collect()))
        }
        PlannedRun::Tool { start, moves, ways } => {
            // Of laws that are both proven, the first is timed.
            let law = ways.first().map_or(Law::Slerp, |way| way.law);
            // Anything may happen in the corners, so they are chosen anew; elsewhere the way is what was proven.
            let plain: Vec<_> = match blend {
                Blend::Inside => moves.iter().map(|one| one.clone().with_zone(0.0)).collect(),
                Blend::Parabola | Blend::Within(_) => moves.clone(),
            };
            let start = start.clone();
            let legs = Route::new(cell, tip, start.clone(), &plain, law, Blend::Parabola)
                .map_err(|fault| TimingFault::Moves(fault.to_string()))?;
            let mut here = start.clone();
            let mut pieces: Vec<Option<Piece>> = Vec::new();
            for leg in legs.legs() {
                match &leg.way {
                    RouteMotion::Joints(to) => {
                        pieces.push(joints(leg.of_move, here.clone(), to.clone()));
                        here.clone_from(to);
                    }
                    RouteMotion::Tool { curve, part, arrives, .. } => {
                        pieces.push(curve_piece(leg.of_move, curve.clone(), *part));
                        if let Some(posture) = arrives.as_ref().or(moves[leg.of_move].arrives.as_ref()) {
                            here.clone_from(posture);
                        }
                    }
                }
            }
            let zones: Vec<f64> = match blend {
                Blend::Inside => moves.iter().map(|one| one.zone).collect(),
                Blend::Parabola | Blend::Within(_) => vec![0.0; moves.len()],
            };
            debug_assert!(moves.iter().all(|one| !matches!(one.kind, MoveKind::Spline(_))), "runs have none");
            Ok((start, joined(pieces.into_iter().flatten().collect(), &zones, law)))
        }
    }
}

fn joints(of_move: usize, from: Vec<f64>, to: Vec<f64>) -> Option<Piece> {
    let length = from.iter().zip(&to).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    (length > NOTHING).then_some(Piece { of_move, shape: Shape::Joints([from, to]), length, is_work: false })
}

fn curve_piece(of_move: usize, curve: PoseCurve, part: Span) -> Option<Piece> {
    let (length, turned) = (curve.length(part), curve.turned(part));
    let is_work = length > NOTHING;
    let length = if is_work { length } else { turned };
    (length > NOTHING).then_some(Piece { of_move, shape: Shape::Curve(curve, part), length, is_work })
}

/// Pieces as stretches; where corners are rounded, or nothing changes, without a stop.
fn joined(pieces: Vec<Piece>, zones: &[f64], law: Law) -> Vec<Vec<Piece>> {
    let mut all: Vec<Vec<Piece>> = Vec::new();
    // What the corner before took off the next line, as a part of it.
    let mut taken = 0.0;
    for (k, piece) in pieces.iter().enumerate() {
        let next = pieces.get(k + 1);
        let line = |piece: &Piece| match &piece.shape {
            Shape::Curve(curve, Span { start: 0.0, end: 1.0 })
                if curve.kind() == CurveKind::Line && piece.is_work =>
            {
                Some(curve.clone())
            }
            _ => None,
        };
        let mut cut = piece.clone();
        if taken > 0.0
            && let Shape::Curve(_, part) = &mut cut.shape
        {
            part.start = taken;
        }
        let goes_on_before = taken > 0.0 || k > 0 && is_straight_on(&pieces[k - 1], piece, law);
        taken = 0.0;
        let mut corner = None;
        if let Some(next) = next
            && let (Some(before), Some(after)) = (line(piece), line(next))
            && let radius = corner_radius(zones[piece.of_move], [piece.length, next.length])
            && radius > 0.0
        {
            let (end, start) = (1.0 - radius / piece.length, radius / next.length);
            if let Shape::Curve(_, part) = &mut cut.shape {
                part.end = end;
            }
            let shape = Shape::Corner(Box::new(Corner::new(&before, end, &after, start)));
            corner = Some(Piece { of_move: piece.of_move, shape, length: 2.0 * radius, is_work: true });
            taken = start;
        }
        if let Shape::Curve(_, part) = &cut.shape {
            cut.length = piece.length * if line(piece).is_some() { part.length() } else { 1.0 };
        }
        let left = (cut.length > NOTHING).then_some(cut);
        if !goes_on_before || all.is_empty() {
            all.push(Vec::new());
        }
        let stretch = all.last_mut().expect("one was pushed");
        stretch.extend(left.into_iter().chain(corner));
    }
    all.retain(|stretch| !stretch.is_empty());
    all
}

/// Whether one line goes on as the one before it, in direction and turning.
fn is_straight_on(before: &Piece, after: &Piece, law: Law) -> bool {
    let (Shape::Curve(a, _), Shape::Curve(b, _)) = (&before.shape, &after.shape) else { return false };
    if [a, b].iter().any(|curve| curve.kind() != CurveKind::Line) || law != Law::Slerp {
        return false;
    }
    let rates = |curve: &PoseCurve, length: f64| {
        let way = (curve.at(1.0).translation() - curve.at(0.0).translation()) / length;
        let turn = curve.turns().first().map(|turn| turn.axis * ((turn.angle[3] - turn.angle[0]) / length));
        (way, turn.unwrap_or_default())
    };
    let ((way, turn), (next_way, next_turn)) = (rates(a, before.length), rates(b, after.length));
    before.is_work
        && after.is_work
        && way.distance(next_way) <= STRAIGHT_ON
        && turn.distance(next_turn) <= STRAIGHT_ON * (1.0 + turn.length())
}
