//! Motions that say where a tool goes: lines, arcs, smooth curves, and moves of joints between them.
//!
//! | part | answers |
//! |---|---|
//! | [`PoseCurve`] | where is the tool at an instant of a move, and how is it turned? |
//! | [`Law`] | how does a tool turn from one pose to another? |
//! | [`Move`] | one move, as a program says it |
//! | [`Blend`] | what does a controller do where a corner is rounded? |
//! | [`Route`] | all moves, corners included, as legs that follow one another |
//!
//! Which joints follow a tool is a matter of inverse kinematics on one branch; what proves a route finds them.
//!
//! ```
//! use kansho_cell::builtin;
//! use kansho_cell::ik::Tip;
//! use kansho_cell::route::{Blend, Law, Move, Route};
//! use kansho_geom::{Pose, glam::DVec3};
//! let cell = builtin::cell();
//! let tip = Tip::tool(&cell, "arm").expect("the arm has a tool");
//! let here = tip.placed(&cell, &builtin::home());
//! let aside = Pose::from_translation(DVec3::Y * 0.1) * here;
//! let up = Pose::from_translation(DVec3::Z * 0.1) * aside;
//! let moves = [Move::line(aside).with_zone(0.02), Move::line(up)];
//! let route = Route::new(&cell, tip, builtin::home(), &moves, Law::Slerp, Blend::Parabola).expect("two lines");
//! assert_eq!(route.legs().len(), 3);
//! ```

mod curve;

pub use curve::{CurveFault, CurveKind, CurveTurn, FLAT, HALF_TURN, Law, Laws, Place, PoseCurve};

use crate::cell::Cell;
use crate::ik::Tip;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Span;
use std::fmt;

/// One move, as a program says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// How it goes, and where to.
    pub kind: MoveKind,
    /// The corner at its end is rounded within this distance of it, in metres; zero is exact. At the last move nothing follows.
    pub zone: f64,
    /// The posture in which it should end, one number per coordinate; any on the same branch if there is none.
    pub arrives: Option<Vec<f64>>,
}

/// How a move goes, and where to.
#[derive(Clone, Debug, PartialEq)]
pub enum MoveKind {
    /// All joints evenly to a posture: one number per coordinate of the cell (PTP).
    Joints(Vec<f64>),
    /// The tip straight to a pose (LIN).
    Line(Pose),
    /// The tip on a circle through a point to a pose (CIRC).
    Arc {
        /// A point on the way.
        via: DVec3,
        /// Where it ends.
        to: Pose,
    },
    /// Smoothly through poses, at equal times.
    Spline(Vec<Pose>),
}

impl Move {
    /// All joints evenly to a posture.
    #[must_use]
    pub fn joints(to: Vec<f64>) -> Self {
        Self { kind: MoveKind::Joints(to), zone: 0.0, arrives: None }
    }

    /// Straight to a pose.
    #[must_use]
    pub fn line(to: Pose) -> Self {
        Self { kind: MoveKind::Line(to), zone: 0.0, arrives: None }
    }

    /// On a circle through a point to a pose.
    #[must_use]
    pub fn arc(via: DVec3, to: Pose) -> Self {
        Self { kind: MoveKind::Arc { via, to }, zone: 0.0, arrives: None }
    }

    /// Smoothly through poses.
    #[must_use]
    pub fn spline(through: Vec<Pose>) -> Self {
        Self { kind: MoveKind::Spline(through), zone: 0.0, arrives: None }
    }

    /// The same with its end rounded.
    #[must_use]
    pub fn with_zone(mut self, zone: f64) -> Self {
        self.zone = zone;
        self
    }

    /// The same with the posture in which it should end.
    #[must_use]
    pub fn arriving_at(mut self, posture: Vec<f64>) -> Self {
        self.arrives = Some(posture);
        self
    }
}

/// What a controller does where a corner is rounded. A corner begins and ends at the distance of its zone from the waypoint, or at half of
/// the shorter of its two lines, whichever is less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blend {
    /// The tip goes on the parabola that touches both lines, and the tool turns about one axis meanwhile.
    Parabola,
    /// Anything: the tip stays in the triangle that is cut off, the tool between the rotations that it has there.
    Inside,
    /// The tip stays within so many metres of the parabola, the tool between the rotations that it has there.
    Within(f64),
}

/// How far poses may be from a curve, for the proof to hold of all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loose {
    /// The tip, in metres.
    pub place: f64,
    /// The rotation, in radians.
    pub turn: f64,
}

/// A part of a route.
#[derive(Clone, Debug, PartialEq)]
pub struct Leg {
    /// Which move it belongs to, from 0; corners belong to the move before them.
    pub of_move: usize,
    /// How it goes.
    pub way: RouteMotion,
}

/// How a leg goes.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a route has few legs, and most of them lead the tool")]
pub enum RouteMotion {
    /// All joints evenly to a posture.
    Joints(Vec<f64>),
    /// The tip along a part of a curve; joints that do not move the tip stand still.
    Tool {
        /// The curve.
        curve: PoseCurve,
        /// Which part of it.
        part: Span,
        /// What may be off.
        loose: Loose,
        /// The posture in which it should end.
        arrives: Option<Vec<f64>>,
    },
}

/// How far a pose in a rounded corner may be from the nearest parabola that is looked at, in metres: what joints of common arms are
/// bounded for without trouble.
const FAN: f64 = 1e-4;

/// Parabolas that are looked at in one corner, at most.
const MOST_WAYS: usize = 399;

/// All moves as legs that follow one another, each in the same time. Where anything may happen in a corner, legs go through it several
/// times, forth and back, side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    tip: Tip,
    start: Vec<f64>,
    legs: Vec<Leg>,
}

/// The number of a move as people count it, in all that is printed and written: the number of the waypoint, row or entry that the move leads
/// to, from 1. The first entry is the start, so the first move has number 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveNumber(usize);

impl MoveNumber {
    /// Of a move, by its place in a list of moves without the start, from 0.
    #[must_use]
    pub fn of_move(index: usize) -> Self {
        Self(index + 2)
    }

    /// Of a piece of a joint motion, from 0: each leads to one waypoint.
    #[must_use]
    pub fn of_piece(index: usize) -> Self {
        Self(index + 2)
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> usize {
        self.0
    }
}

impl fmt::Display for MoveNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why moves make no route.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("move {}: {fault}", number + 1)]
pub struct RouteFault {
    /// Which move, from 1; 0 is the start.
    pub number: usize,
    /// What is wrong.
    pub fault: MoveFault,
}

/// What is wrong with a move.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MoveFault {
    /// A posture has another number of coordinates than the cell.
    #[error("{found} numbers, but a posture of this cell has {wanted}")]
    Length {
        /// What it has.
        found: usize,
        /// What the cell has.
        wanted: usize,
    },
    /// A number is not finite.
    #[error("a number is not finite")]
    NotFinite,
    /// A zone is no length.
    #[error("the zone {0} is no length")]
    Zone(f64),
    /// A corner is rounded that is not between two lines.
    #[error("only corners between two straight lines of the tool can be rounded: set the zone to 0")]
    NoCorner,
    /// A margin of corners is no length.
    #[error("the margin {0} of rounded corners is no length")]
    Margin(f64),
    /// The poses make no curve.
    #[error(transparent)]
    Curve(#[from] CurveFault),
    /// There are no moves.
    #[error("there are no moves")]
    None,
}

impl Tip {
    /// Where it is in a posture of the cell.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    #[must_use]
    pub fn placed(&self, cell: &Cell, posture: &[f64]) -> Pose {
        cell.place(posture).world_from_link(self.link) * self.link_from_tip
    }
}

impl Route {
    /// Puts moves together, from a posture on.
    ///
    /// # Errors
    /// The first move that does not fit.
    pub fn new(
        cell: &Cell,
        tip: Tip,
        start: Vec<f64>,
        moves: &[Move],
        law: Law,
        blend: Blend,
    ) -> Result<Self, RouteFault> {
        let wanted = cell.coordinates().len();
        let is_good = |posture: &[f64]| {
            if posture.len() != wanted {
                return Err(MoveFault::Length { found: posture.len(), wanted });
            }
            if posture.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(MoveFault::NotFinite) }
        };
        is_good(&start).map_err(|fault| RouteFault { number: 0, fault })?;
        if moves.is_empty() {
            return Err(RouteFault { number: 0, fault: MoveFault::None });
        }
        if let Blend::Within(margin) = blend
            && !(margin >= 0.0 && margin.is_finite())
        {
            return Err(RouteFault { number: 0, fault: MoveFault::Margin(margin) });
        }
        let mut legs = Vec::new();
        let mut here = tip.placed(cell, &start);
        for (k, one) in moves.iter().enumerate() {
            let fail = |fault| RouteFault { number: k + 1, fault };
            if !(one.zone >= 0.0 && one.zone.is_finite()) {
                return Err(fail(MoveFault::Zone(one.zone)));
            }
            if let Some(posture) = &one.arrives {
                is_good(posture).map_err(fail)?;
            }
            let tool = |curve: PoseCurve, arrives: Option<Vec<f64>>| Leg {
                of_move: k,
                way: RouteMotion::Tool { curve, part: Span::WHOLE, loose: Loose::default(), arrives },
            };
            match &one.kind {
                MoveKind::Joints(to) => {
                    is_good(to).map_err(fail)?;
                    legs.push(Leg { of_move: k, way: RouteMotion::Joints(to.clone()) });
                    here = tip.placed(cell, to);
                }
                MoveKind::Line(to) => {
                    let line = PoseCurve::line(&here, to, law).map_err(|fault| fail(fault.into()))?;
                    legs.push(tool(line, one.arrives.clone()));
                    here = *to;
                }
                MoveKind::Arc { via, to } => {
                    let arc = PoseCurve::arc(&here, *via, to, law).map_err(|fault| fail(fault.into()))?;
                    legs.push(tool(arc, one.arrives.clone()));
                    here = *to;
                }
                MoveKind::Spline(through) => {
                    let poses: Vec<Pose> = [here].into_iter().chain(through.iter().copied()).collect();
                    let curves = PoseCurve::spline(&poses).map_err(|fault| fail(fault.into()))?;
                    let last = curves.len() - 1;
                    for (number, curve) in curves.into_iter().enumerate() {
                        legs.push(tool(curve, one.arrives.clone().filter(|_| number == last)));
                    }
                    here = poses[poses.len() - 1];
                }
            }
        }
        let legs = rounded(legs, moves, blend)?;
        Ok(Self { tip, start, legs })
    }

    /// A route by its legs, as a certificate holds it; none if there are none.
    #[must_use]
    pub fn of_legs(tip: Tip, start: Vec<f64>, legs: Vec<Leg>) -> Option<Self> {
        (!legs.is_empty()).then_some(Self { tip, start, legs })
    }

    /// What is moved along the curves.
    #[must_use]
    pub fn tip(&self) -> Tip {
        self.tip
    }

    /// The posture in which it begins.
    #[must_use]
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// The legs, in order.
    #[must_use]
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// Whether this covers another, which goes through the same poses and postures, up to a tolerance in metres and radians: at the ends of every leg and
    /// at instants between, unevenly, and more than curves with three cubic turns could agree at by chance.
    #[must_use]
    pub fn is_near(&self, other: &Self, tolerance: f64) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= tolerance;
        let same = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(*a, *b));
        let is_leg = |(a, b): (&Leg, &Leg)| match (&a.way, &b.way) {
            (RouteMotion::Joints(a), RouteMotion::Joints(b)) => same(a, b),
            (
                RouteMotion::Tool { curve, part, loose, arrives },
                RouteMotion::Tool { curve: curve_b, part: part_b, loose: loose_b, arrives: arrives_b },
            ) => {
                let poses = |k: i32| {
                    // The golden section never comes back to where it was.
                    let u =
                        if k < 2 { f64::from(k) } else { (f64::from(k) * 0.618_033_988_749_894_9).fract() };
                    let (p, q) = (curve.at(part.at(u)).to_rows(), curve_b.at(part_b.at(u)).to_rows());
                    same(&p, &q)
                };
                // Who does not say in which posture it arrives follows the same poses from the same start, so arrives in the same.
                let arrive = match (arrives, arrives_b) {
                    (Some(a), Some(b)) => same(a, b),
                    (None, Some(_)) => false,
                    (_, None) => true,
                };
                // What is looser covers more.
                let covers =
                    loose.place + tolerance >= loose_b.place && loose.turn + tolerance >= loose_b.turn;
                curve.kind() == curve_b.kind() && (0..=64).all(poses) && covers && arrive
            }
            _ => false,
        };
        let is_same = same(&self.start, &other.start) && self.legs.len() == other.legs.len();
        let [tip, other_tip] = [self.tip, other.tip].map(|tip| tip.link_from_tip.to_rows());
        is_same
            && self.tip.link == other.tip.link
            && same(&tip, &other_tip)
            && self.legs.iter().zip(&other.legs).all(is_leg)
    }

    /// The part of the route that an instant of a leg is.
    #[must_use]
    pub fn time(&self, leg: usize, u: f64) -> f64 {
        (leg as f64 + u) / self.legs.len() as f64
    }

    /// How far along its move an instant of a leg is: corners that are cut leave only a part of it.
    ///
    /// # Panics
    /// If there is no such leg.
    #[must_use]
    pub fn fraction(&self, leg: usize, u: f64) -> f64 {
        match &self.legs[leg].way {
            RouteMotion::Joints(_) => u,
            RouteMotion::Tool { part, .. } => part.at(u),
        }
    }
}

/// What a corner takes of both its lines, whose lengths are given: its zone, or half of the shorter one.
#[must_use]
pub fn corner_radius(zone: f64, lengths: [f64; 2]) -> f64 {
    zone.min(0.5 * lengths[0]).min(0.5 * lengths[1])
}

/// Cuts corners.
fn rounded(mut legs: Vec<Leg>, moves: &[Move], blend: Blend) -> Result<Vec<Leg>, RouteFault> {
    // What each leg loses at its end, in metres: of its zone, no more than half of the shorter line.
    let length = |leg: &Leg| match &leg.way {
        RouteMotion::Tool { curve, .. } if curve.kind() == CurveKind::Line => Some(curve.length(Span::WHOLE)),
        _ => None,
    };
    let mut corners: Vec<Option<f64>> = vec![None; legs.len()];
    for k in 0..legs.len().saturating_sub(1) {
        let of_move = legs[k].of_move;
        let zone = moves[of_move].zone;
        if zone == 0.0 || legs[k + 1].of_move == of_move {
            continue;
        }
        let (Some(before), Some(after)) = (length(&legs[k]), length(&legs[k + 1])) else {
            return Err(RouteFault { number: of_move + 1, fault: MoveFault::NoCorner });
        };
        corners[k] = Some(corner_radius(zone, [before, after])).filter(|radius| *radius > 0.0);
    }
    let mut all = Vec::new();
    for k in 0..legs.len() {
        let Some(radius) = corners[k] else {
            all.push(legs[k].clone());
            continue;
        };
        let (now, later) = legs.split_at_mut(k + 1);
        let lengths = [length(&now[k]), length(&later[0])].map(|length| length.expect("both are lines"));
        let (
            RouteMotion::Tool { curve, part, arrives, .. },
            RouteMotion::Tool { curve: next, part: next_part, .. },
        ) = (&mut now[k].way, &mut later[0].way)
        else {
            unreachable!("both are lines")
        };
        let of_move = now[k].of_move;
        part.end = 1.0 - radius / lengths[0];
        next_part.start = radius / lengths[1];
        *arrives = None;
        let (from, corner, to) = (curve.at(part.end), curve.at(1.0).translation(), next.at(next_part.start));
        let turn = curve.turned(Span::new(part.end, 1.0)) + next.turned(Span::new(0.0, next_part.start));
        let middle = 0.5 * (from.translation() + to.translation());
        let turn = turn * (1.0 + 1e-9);
        let (ways, loose) = match blend {
            Blend::Parabola => (1, Loose::default()),
            Blend::Within(margin) => (1, Loose { place: margin, turn }),
            Blend::Inside => {
                // From the chord to beyond the corner, parabolas side by side: along the line from the middle of the chord to the corner they
                // are farthest apart, by half of what their control points are, and no point between is farther from one than half of that.
                let height = corner.distance(middle);
                let ways = (((height / (2.0 * FAN)).ceil() as usize).clamp(1, MOST_WAYS)) | 1;
                (ways, Loose { place: height / (2 * ways) as f64 * (1.0 + 1e-9), turn })
            }
        };
        let mut corners = Vec::new();
        for number in 0..ways {
            // One parabola is the one that touches both lines. Of several, every other one leads back, so that they follow one another.
            let control = middle + (corner - middle) * ((2 * number + 1) as f64 / ways as f64);
            let (from, to) = if number.is_multiple_of(2) { (&from, &to) } else { (&to, &from) };
            let curve = PoseCurve::corner(from, control, to)
                .map_err(|fault| RouteFault { number: of_move + 1, fault: fault.into() })?;
            let way = RouteMotion::Tool { curve, part: Span::WHOLE, loose, arrives: None };
            corners.push(Leg { of_move, way });
        }
        let before = now[k].clone();
        if !matches!(&before.way, RouteMotion::Tool { part, .. } if part.length() <= 0.0) {
            all.push(before);
        }
        all.extend(corners);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    fn at(x: f64, y: f64) -> Pose {
        Pose::from_translation(DVec3::new(x, y, 0.0))
    }

    fn route(moves: &[Move], blend: Blend) -> Result<Route, RouteFault> {
        let cell = builtin::cell();
        let tip = Tip::tool(&cell, "arm").expect("a tool");
        let home = builtin::home();
        let here = tip.placed(&cell, &home);
        let moved: Vec<Move> = moves
            .iter()
            .map(|one| {
                let kind = match &one.kind {
                    MoveKind::Line(to) => MoveKind::Line(*to * here),
                    MoveKind::Arc { via, to } => {
                        MoveKind::Arc { via: here.translation() + *via, to: *to * here }
                    }
                    other => other.clone(),
                };
                Move { kind, ..one.clone() }
            })
            .collect();
        Route::new(&cell, tip, home, &moved, Law::Slerp, blend)
    }

    /// A right angle: the parabola passes the corner at r/2 · sin 45°, is at most r/4 from the lines, and the zone is cut to half of a line.
    #[test]
    fn corners_are_parabolas() {
        for (zone, radius) in [(0.02, 0.02), (0.5, 0.05)] {
            let moves = [Move::line(at(0.1, 0.0)).with_zone(zone), Move::line(at(0.1, 0.2))];
            let found = route(&moves, Blend::Inside).expect("a corner");
            let legs = found.legs();
            let (ways, middle) = (legs.len() - 2, legs.len() / 2);
            assert!(ways % 2 == 1);
            let RouteMotion::Tool { curve, loose, .. } = &legs[middle].way else { panic!("a corner") };
            let fan: Vec<DVec3> = legs[1..=ways]
                .iter()
                .flat_map(|leg| {
                    let RouteMotion::Tool { curve, .. } = &leg.way else { panic!("a corner") };
                    (0..=400).map(|k| curve.at(f64::from(k) / 400.0).translation())
                })
                .collect();
            let RouteMotion::Tool { curve: first, .. } = &legs[0].way else { panic!("a line") };
            let corner = first.at(1.0).translation();
            let nearest = (0..=1000)
                .map(|k| curve.at(f64::from(k) / 1000.0).translation().distance(corner))
                .fold(f64::INFINITY, f64::min);
            let expected = 0.5 * radius * std::f64::consts::FRAC_1_SQRT_2;
            assert!((nearest - expected).abs() < 1e-12, "{nearest}");
            assert!((loose.place * ways as f64 - expected).abs() < 1e-9 && loose.place <= FAN * 1.01);
            assert!(legs.windows(2).all(|pair| {
                let (
                    RouteMotion::Tool { curve: a, part: p, .. },
                    RouteMotion::Tool { curve: b, part: q, .. },
                ) = (&pair[0].way, &pair[1].way)
                else {
                    panic!("tools")
                };
                a.at(p.end).translation().distance(b.at(q.start).translation()) < 1e-14
            }));
            // Every point of the triangle is as near to a parabola as is said.
            let [a, c] = [0.0, 1.0].map(|u| curve.at(u).translation());
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let (i, j) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    let point = a * i + c * j + corner * (1.0 - i - j);
                    let off = fan.iter().map(|at| at.distance(point)).fold(f64::INFINITY, f64::min);
                    assert!(off <= loose.place + 1e-5, "{off}");
                }
            }
        }
    }

    #[test]
    fn faults_name_their_move() {
        let line = || Move::line(at(0.1, 0.0));
        let arc = Move::arc(DVec3::new(0.1, 0.1, 0.0), at(0.2, 0.0));
        for (moves, blend, number, fault) in [
            (vec![], Blend::Parabola, 0, MoveFault::None),
            (vec![line(), line().with_zone(-1.0)], Blend::Parabola, 2, MoveFault::Zone(-1.0)),
            (vec![line().with_zone(0.01), arc], Blend::Parabola, 1, MoveFault::NoCorner),
            (vec![Move::joints(vec![0.0; 3])], Blend::Parabola, 1, MoveFault::Length { found: 3, wanted: 6 }),
            (vec![Move::joints(vec![f64::NAN; 6])], Blend::Parabola, 1, MoveFault::NotFinite),
            (vec![line()], Blend::Within(-0.1), 0, MoveFault::Margin(-0.1)),
            (
                vec![line(), Move::arc(DVec3::new(0.05, 0.0, 0.0), at(0.2, 0.0))],
                Blend::Parabola,
                2,
                MoveFault::Curve(CurveFault::NoCircle),
            ),
        ] {
            assert_eq!(route(&moves, blend), Err(RouteFault { number, fault }));
        }
        assert!(route(&[line().with_zone(0.1)], Blend::Parabola).is_ok_and(|route| route.legs().len() == 1));
    }
}
