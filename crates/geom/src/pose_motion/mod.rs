//! Motions of a rigid thing: where is it at every instant, how far do its points travel, and which cubic is near?
//!
//! | part | answers |
//! |---|---|
//! | [`Motion`] | where is it? In pieces; poses joined by cubics, screws, straight lines with slerp, splines |
//! | [`MotionPiece::within`] | which cubic in time is it near in a span, and how near, proven? |
//! | [`MotionPiece::travel`] | how long is the way of its points, at most? |
//! | [`Affine`] | a placement that need not be rigid |
//! | [`Chain`] | the same of a body at the end of joints that move |
//! | [`Course`] | what searches need to know of a piece, or of a chain |
//! | [`together`] | two motions in common pieces |
//!
//! Four poses at 0, 1/3, 2/3 and 1 make a cubic of every entry of the matrix (Shimada, Okano and Kawabe 1987). Such entries are
//! no rotation: points leave the true motion by at most `max |x''''| / 1944`, for a turn by `θ` at a distance `ρ` from its axis
//! `ρ θ⁴ / 1944`. Bare poses have no other motion: then the cubic is the motion, and [`Motion::shear`] says how far from rigid it
//! is.

mod affine;
mod chain;
mod course;
mod piece;
mod span;
mod spline;
mod turn;

pub use affine::Affine;
pub use chain::{Chain, ChainKind, ChainStep};
pub use course::{Course, Near, Slack};
pub use piece::MotionPiece;
pub use span::Span;

use crate::pose::Pose;
use glam::DVec3;
use piece::{Kind, interpolated};
use spline::SplinePiece;
use turn::Turn;

/// A motion of a rigid thing in `t` from 0 to 1, in pieces.
///
/// ```
/// use kansho_geom::{Pose, glam::DVec3, pose_motion::Motion};
/// let twice_round = Motion::screw(Pose::from_translation(DVec3::X), DVec3::ZERO, DVec3::Z, 4.0 * std::f64::consts::PI, 0.1)
///     .expect("the axis has a direction");
/// let end = twice_round.at(1.0) * DVec3::ZERO;
/// assert!(end.abs_diff_eq(DVec3::new(1.0, 0.0, 0.1), 1e-12));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Where pieces begin, and 1.
    knots: Vec<f64>,
    pieces: Vec<MotionPiece>,
}

/// Why poses make no motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MotionFault {
    /// Too few.
    #[error("{0} poses: a cubic needs four")]
    TooFew(usize),
    /// Too few for any motion.
    #[error("{0} poses: a motion needs two")]
    NotTwo(usize),
    /// Some are left over.
    #[error("{0} poses: cubics that follow one another need 3n+1, that is 4, 7, 10 and so on")]
    NotThreeMore(usize),
}

/// How to go from one pose to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// Every point on a straight line.
    Linear,
    /// The origin on a straight line, the rotation at a constant rate.
    Slerp,
    /// About and along one axis.
    Screw,
}

/// The numbers that define a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// Bézier's control placements.
    Cubic([Affine; 4]),
    /// A point `x` of the body is at `Rot(axis, angle · u) (start · x) + base + drift · u`.
    Turn {
        /// A unit vector.
        axis: DVec3,
        /// Any number of turns.
        angle: f64,
        /// Before the turn.
        start: Affine,
        /// What it turns about.
        base: DVec3,
        /// Where that goes.
        drift: DVec3,
    },
    /// `start` times three turns and three shifts that come in one after the other; see `spline.rs`.
    Spline {
        /// The first of four poses.
        start: Affine,
        /// From each to the next, as an axis times an angle.
        turns: [DVec3; 3],
        /// From each to the next.
        shifts: [DVec3; 3],
    },
}

impl Motion {
    /// No motion.
    #[must_use]
    pub fn still(pose: Pose) -> Self {
        Self::of(Kind::Cubic([pose.into(); 4]))
    }

    /// Every entry of the matrix a cubic of time through four poses, at 0, 1/3, 2/3 and 1; then the next from the last of them.
    ///
    /// The control placements are rounded to double precision, and what they make is the motion.
    ///
    /// # Errors
    /// Fewer than four poses, or not 3n+1.
    pub fn cubic(poses: &[Pose]) -> Result<Self, MotionFault> {
        let count = poses.len();
        if count < 4 {
            return Err(MotionFault::TooFew(count));
        }
        if count % 3 != 1 {
            return Err(MotionFault::NotThreeMore(count));
        }
        let segments = (count - 1) / 3;
        let pieces = (0..segments)
            .map(|k| {
                let placed = std::array::from_fn(|i| Affine::from(poses[3 * k + i]));
                MotionPiece { kind: Kind::Cubic(interpolated(&placed)), part: Span::WHOLE }
            })
            .collect();
        Ok(Self { knots: even_knots(segments), pieces })
    }

    /// A motion given by Bézier's control placements, four for each piece. Cubic and exact for these numbers.
    #[must_use]
    pub fn of_controls(controls: &[[Affine; 4]]) -> Option<Self> {
        let finite = controls.iter().flatten().all(Affine::is_finite);
        (finite && !controls.is_empty()).then(|| Self {
            knots: even_knots(controls.len()),
            pieces: controls
                .iter()
                .map(|&c| MotionPiece { kind: Kind::Cubic(c), part: Span::WHOLE })
                .collect(),
        })
    }

    /// Every point on a straight line, at its own constant speed.
    #[must_use]
    pub fn linear(from: Pose, to: Pose) -> Self {
        let (from, to) = (Affine::from(from), Affine::from(to));
        let between = |k: f64| from.mixed((3.0 - k) / 3.0, &to, k / 3.0);
        Self::of(Kind::Cubic([from, between(1.0), between(2.0), to]))
    }

    /// A turn by any angle about a line in the world, with a shift along it, both at a constant rate; none if the axis has no
    /// direction.
    #[must_use]
    pub fn screw(start: Pose, on_axis: DVec3, axis: DVec3, angle: f64, advance: f64) -> Option<Self> {
        let axis = axis.try_normalize()?;
        let finite = on_axis.is_finite() && angle.is_finite() && advance.is_finite();
        finite.then(|| {
            Self::of(Kind::Turn(Turn {
                axis,
                angle,
                first: start.rotation(),
                arm: start.translation() - on_axis,
                base: on_axis,
                drift: axis * advance,
            }))
        })
    }

    /// A constant twist in the world: a point at `x` has the speed `velocity + angular × x`. None if a number is not finite.
    #[must_use]
    pub fn twist(start: Pose, velocity: DVec3, angular: DVec3) -> Option<Self> {
        if !velocity.is_finite() || !angular.is_finite() {
            return None;
        }
        let Some(axis) = angular.try_normalize() else {
            return Some(Self::of(Kind::Turn(Turn {
                axis: DVec3::Z,
                angle: 0.0,
                first: start.rotation(),
                arm: DVec3::ZERO,
                base: start.translation(),
                drift: velocity,
            })));
        };
        let on_axis = angular.cross(velocity) / angular.length_squared();
        Self::screw(start, on_axis, axis, angular.length(), velocity.dot(axis))
    }

    /// The origin on a straight line, the rotation at a constant rate the short way round.
    #[must_use]
    pub fn slerp(from: Pose, to: Pose) -> Self {
        let turn = to.quat() * from.quat().inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn }.normalize();
        let (axis, angle) = turn.to_axis_angle();
        Self::of(Kind::Turn(Turn {
            axis,
            angle,
            first: from.rotation(),
            arm: DVec3::ZERO,
            base: from.translation(),
            drift: to.translation() - from.translation(),
        }))
    }

    /// A smooth motion through at least two poses, at equal times: the cubics of Catmull and Rom.
    ///
    /// # Errors
    /// Fewer than two poses.
    pub fn spline(poses: &[Pose]) -> Result<Self, MotionFault> {
        if poses.len() < 2 {
            return Err(MotionFault::NotTwo(poses.len()));
        }
        let last = poses.len() - 1;
        let pieces = (0..last).map(|k| {
            let four = [k.saturating_sub(1), k, k + 1, (k + 2).min(last)].map(|i| poses[i]);
            MotionPiece { kind: Kind::Spline(SplinePiece::of(four)), part: Span::WHOLE }
        });
        Ok(Self { knots: even_knots(last), pieces: pieces.collect() })
    }

    /// From each of at least two poses to the next, at equal times.
    ///
    /// # Errors
    /// Fewer than two poses.
    pub fn legs(poses: &[Pose], leg: Leg) -> Result<Self, MotionFault> {
        if poses.len() < 2 {
            return Err(MotionFault::NotTwo(poses.len()));
        }
        let motions = poses.windows(2).map(|pair| match leg {
            Leg::Linear => Self::linear(pair[0], pair[1]),
            Leg::Slerp => Self::slerp(pair[0], pair[1]),
            Leg::Screw => Self::screw_to(pair[0], pair[1]),
        });
        Ok(Self {
            knots: even_knots(poses.len() - 1),
            pieces: motions.flat_map(|motion| motion.pieces).collect(),
        })
    }

    /// The screw from one pose to another, the short way round. A turn of less than a microradian has its axis so far out that it is
    /// taken as a straight line with slerp, which leaves the screw by no more than an eighth of that of its length.
    #[must_use]
    pub fn screw_to(from: Pose, to: Pose) -> Self {
        let turn = to.quat() * from.quat().inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn }.normalize();
        let (axis, angle) = turn.to_axis_angle();
        let way = to.translation() - from.translation();
        let along = way.dot(axis);
        let across = way - axis * along;
        if angle < 1e-6 {
            return Self::slerp(from, to);
        }
        let on_axis = from.translation() + 0.5 * (across + axis.cross(across) / (0.5 * angle).tan());
        Self::screw(from, on_axis, axis, angle, along).unwrap_or_else(|| Self::slerp(from, to))
    }

    /// The numbers that define each piece, for files; none if pieces are not of equal length, or parts of others.
    #[must_use]
    pub fn forms(&self) -> Option<Vec<Form>> {
        let form = |piece: &MotionPiece| {
            (piece.part == Span::WHOLE).then_some(match piece.kind {
                Kind::Cubic(controls) => Form::Cubic(controls),
                Kind::Turn(Turn { axis, angle, first, arm, base, drift }) => {
                    Form::Turn { axis, angle, start: Affine { linear: first, shift: arm }, base, drift }
                }
                Kind::Spline(SplinePiece { first, turns, shifts }) => {
                    Form::Spline { start: first, turns, shifts }
                }
            })
        };
        let is_even = self.knots == even_knots(self.pieces.len());
        if is_even { self.pieces.iter().map(form).collect() } else { None }
    }

    /// The motion of such numbers; none if there are no pieces, a number is not finite, an axis is not a unit vector, or a rotation is
    /// none.
    #[must_use]
    pub fn of_forms(forms: &[Form]) -> Option<Self> {
        let is_rotation = |start: &Affine| start.is_finite() && start.shear() <= spline::NEARLY_RIGID;
        let kind = |form: &Form| match *form {
            Form::Cubic(controls) => controls.iter().all(Affine::is_finite).then_some(Kind::Cubic(controls)),
            Form::Turn { axis, angle, start, base, drift } => {
                let is_unit = (axis.length() - 1.0).abs() <= 8.0 * f64::EPSILON;
                let finite = angle.is_finite() && base.is_finite() && drift.is_finite();
                let turn = Turn { axis, angle, first: start.linear, arm: start.shift, base, drift };
                (is_unit && finite && is_rotation(&start)).then_some(Kind::Turn(turn))
            }
            Form::Spline { start, turns, shifts } => {
                let finite = turns.iter().chain(&shifts).all(|v| v.is_finite());
                (finite && is_rotation(&start)).then_some(Kind::Spline(SplinePiece {
                    first: start,
                    turns,
                    shifts,
                }))
            }
        };
        let piece = |form: &Form| Some(MotionPiece { kind: kind(form)?, part: Span::WHOLE });
        let pieces: Vec<MotionPiece> = forms.iter().map(piece).collect::<Option<_>>()?;
        (!pieces.is_empty()).then(|| Self { knots: even_knots(pieces.len()), pieces })
    }

    fn of(kind: Kind) -> Self {
        Self { knots: vec![0.0, 1.0], pieces: vec![MotionPiece { kind, part: Span::WHOLE }] }
    }

    /// The same backwards.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let backwards = |piece: &MotionPiece| {
            MotionPiece { part: Span::new(piece.part.end, piece.part.start), ..*piece }.without_reversal()
        };
        Self {
            knots: self.knots.iter().rev().map(|knot| 1.0 - knot).collect(),
            pieces: self.pieces.iter().rev().map(backwards).collect(),
        }
    }

    /// The same seen from another frame, cubics only: the controls are multiplied, and rounded.
    #[must_use]
    pub fn seen_from(&self, other_from_world: Pose) -> Option<Self> {
        let controls: Option<Vec<[Affine; 4]>> = self.pieces.iter().map(MotionPiece::controls).collect();
        let moved = |c: Affine| Affine {
            linear: other_from_world.rotation() * c.linear,
            shift: other_from_world * c.shift,
        };
        let pieces =
            controls?.into_iter().map(|c| MotionPiece { kind: Kind::Cubic(c.map(moved)), part: Span::WHOLE });
        Some(Self { knots: self.knots.clone(), pieces: pieces.collect() })
    }

    /// Where pieces begin, and 1.
    #[must_use]
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The pieces.
    #[must_use]
    pub fn pieces(&self) -> &[MotionPiece] {
        &self.pieces
    }

    /// Whether every piece is a cubic, and so its own definition.
    #[must_use]
    pub fn is_cubic(&self) -> bool {
        self.pieces.iter().all(|piece| piece.controls().is_some())
    }

    /// Where it is; before 0 and after 1, as at the ends.
    #[must_use]
    pub fn at(&self, t: f64) -> Affine {
        let last = self.pieces.len() - 1;
        let k = self.knots[1..].iter().position(|&knot| t < knot).unwrap_or(last);
        let (from, to) = (self.knots[k], self.knots[k + 1]);
        self.pieces[k].at(((t - from) / (to - from)).clamp(0.0, 1.0))
    }

    /// A bound above the length of the way of any point of a ball of the body in a span, rounded up.
    #[must_use]
    pub fn travel(&self, span: Span, centre: DVec3, radius: f64) -> f64 {
        let mut sum = 0.0;
        for (k, piece) in self.pieces.iter().enumerate() {
            let (from, to) = (self.knots[k], self.knots[k + 1]);
            let (start, end) = (span.start.max(from), span.end.min(to));
            if start < end {
                // Rounded outward, by more than the three roundings.
                let fraction = |t: f64, out: f64| ((t - from) / (to - from) + out).clamp(0.0, 1.0);
                let part = Span::new(fraction(start, -4.0 * f64::EPSILON), fraction(end, 4.0 * f64::EPSILON));
                sum += piece.travel(part, centre, radius);
            }
        }
        sum * (1.0 + self.pieces.len() as f64 * f64::EPSILON)
    }

    /// A bound above the largest entry of `RᵀR − I` on the way: how far a cubic through poses is from rigid.
    #[must_use]
    pub fn shear(&self) -> f64 {
        self.pieces.iter().map(MotionPiece::shear).fold(0.0, f64::max)
    }

    /// Cubics that stay within `epsilon` metres of it for every point of a ball of the body, and the bound that they keep: pieces
    /// are halved until their bound is below. None if that takes more than a million pieces.
    #[must_use]
    pub fn cubics(&self, centre: DVec3, radius: f64, epsilon: f64) -> Option<(Self, f64)> {
        let mut found = Self { knots: vec![0.0], pieces: Vec::new() };
        let mut bound: f64 = 0.0;
        for (k, piece) in self.pieces.iter().enumerate() {
            let whole = Span::new(self.knots[k], self.knots[k + 1]);
            let mut open = vec![Span::WHOLE];
            while let Some(span) = open.pop() {
                let near = piece.within(span);
                let off = near.slack.of_ball(centre, radius);
                if off <= epsilon || (piece.controls().is_some() && span == Span::WHOLE) {
                    bound = if piece.controls().is_some() { bound } else { bound.max(off) };
                    found.knots.push(whole.at(span.end));
                    found.pieces.push(MotionPiece { kind: Kind::Cubic(near.controls), part: Span::WHOLE });
                } else if found.pieces.len() + open.len() > 1_000_000 || span.length() < 1e-12 {
                    return None;
                } else {
                    let [early, late] = span.halves();
                    open.extend([late, early]);
                }
            }
        }
        Some((found, bound))
    }
}

/// Two motions in common pieces: the span of each, and both in it.
#[must_use]
pub fn together(a: &Motion, b: &Motion) -> Vec<(Span, [MotionPiece; 2])> {
    let mut knots: Vec<f64> = a.knots.iter().chain(&b.knots).copied().collect();
    knots.sort_unstable_by(f64::total_cmp);
    knots.dedup();
    let piece = |motion: &Motion, span: Span| {
        let k =
            motion.knots[1..].iter().position(|&knot| span.start < knot).expect("spans lie in the motion");
        let whole = Span::new(motion.knots[k], motion.knots[k + 1]);
        let fraction = |t: f64| ((t - whole.start) / whole.length()).clamp(0.0, 1.0);
        motion.pieces[k].cut(Span::new(fraction(span.start), fraction(span.end)))
    };
    let spans = knots.windows(2).map(|pair| Span::new(pair[0], pair[1]));
    spans.map(|span| (span, [piece(a, span), piece(b, span)])).collect()
}

fn even_knots(pieces: usize) -> Vec<f64> {
    (0..=pieces).map(|k| k as f64 / pieces as f64).collect()
}
#[cfg(test)]
mod tests;
