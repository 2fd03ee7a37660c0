//! Curves of poses: where is a tool at every instant of a move, and how is it turned?

use kansho_geom::glam::{DMat3, DQuat, DVec3};
use kansho_geom::pose_motion::Span;
use kansho_geom::{Pose, tolerance};
use std::f64::consts::{PI, TAU};
use std::fmt;

/// How a tool turns while it goes from one pose to another. Controllers differ, so a proof names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// About one axis that does not move, at a constant rate: slerp of quaternions.
    Slerp,
    /// The tool's z swivels in a plane, at a constant rate, and the tool twists about its z meanwhile, at a constant rate too.
    SwivelTwist,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Slerp => "slerp",
            Self::SwivelTwist => "swivel-twist",
        })
    }
}

/// One law of turning, or both: what is proven for controllers of which it is not known which one they follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Laws {
    /// About one axis.
    Slerp,
    /// The axis of the tool swivels while it twists about it.
    SwivelTwist,
    /// Each of them.
    Both,
}

impl Laws {
    /// The laws, one after the other.
    #[must_use]
    pub fn each(self) -> &'static [Law] {
        match self {
            Self::Slerp => &[Law::Slerp],
            Self::SwivelTwist => &[Law::SwivelTwist],
            Self::Both => &[Law::Slerp, Law::SwivelTwist],
        }
    }

    /// These and others.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        if self == others { self } else { Self::Both }
    }
}

impl fmt::Display for Laws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.each().iter().map(ToString::to_string).collect();
        f.write_str(&names.join(", "))
    }
}

/// What a curve is; it does not change what its formula says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveKind {
    /// Straight.
    Line,
    /// Part of a circle.
    Arc,
    /// A piece of a smooth curve through several poses.
    Spline,
    /// A corner that is rounded by a parabola.
    Corner,
}

impl fmt::Display for CurveKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "lin",
            Self::Arc => "circ",
            Self::Spline => "spline",
            Self::Corner => "corner",
        })
    }
}

/// Where the tip is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A cubic, by its control points (Bézier).
    Cubic([DVec3; 4]),
    /// On a circle: `centre + Rot(axis, angle · u) arm`.
    Arc {
        /// The middle of the circle.
        centre: DVec3,
        /// From there to where it begins.
        arm: DVec3,
        /// A unit vector across `arm`.
        axis: DVec3,
        /// How far it goes, less than a whole turn.
        angle: f64,
    },
}

/// A turn about an axis that does not move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveTurn {
    /// A unit vector in the world.
    pub axis: DVec3,
    /// The angle, a cubic by its coefficients in Bernstein's form.
    pub angle: [f64; 4],
}

/// A curve of poses in `u` from 0 to 1. The rotation is `Rot(turns[0]) · Rot(turns[1]) · … · first`.
///
/// ```
/// use kansho_cell::route::{Law, PoseCurve};
/// use kansho_geom::{Pose, glam::DVec3};
/// let from = Pose::IDENTITY;
/// let to = Pose::from_rpy(DVec3::X, DVec3::new(0.0, 0.0, 1.0));
/// let line = PoseCurve::line(&from, &to, Law::Slerp).expect("less than half a turn");
/// assert!(line.at(0.5).translation().abs_diff_eq(DVec3::X * 0.5, 1e-15));
/// assert!((line.at(0.5).rotation().x_axis.y - 0.5f64.sin()).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PoseCurve {
    kind: CurveKind,
    place: Place,
    first: DMat3,
    turns: Vec<CurveTurn>,
}

/// Why poses make no curve.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CurveFault {
    /// From one to the other the tool turns by half a turn, so that nothing says which way.
    #[error("the tool turns by half a turn, so that nothing says which way round it goes")]
    HalfTurn,
    /// The three points of an arc do not lie on one circle only.
    #[error(
        "the three points of the arc lie on a line, or two of them are the same, so that no circle goes through them"
    )]
    NoCircle,
    /// Nothing is curved through fewer.
    #[error("a smooth curve needs two poses, of which one is where it begins")]
    TooFew,
}

/// Turns that are nearer to half a turn have no axis that means anything, in radians: what is told by rounded poses.
pub const HALF_TURN: f64 = 1e-6;

/// The sine of the smallest angle of a triangle whose corners still fix a circle: with points known to 1e-9 of their distance, its axis
/// to a milliradian.
pub const FLAT: f64 = 1e-6;

/// The coefficients of Catmull and Rom's basis, summed up from the second, third and fourth pose on, in Bernstein's form.
const CUMULATIVE: [[f64; 4]; 3] =
    [[1.0, 7.0 / 6.0, 1.0, 1.0], [0.0, 1.0 / 6.0, 5.0 / 6.0, 1.0], [0.0, 0.0, -1.0 / 6.0, 0.0]];

impl PoseCurve {
    /// The tip goes straight.
    ///
    /// # Errors
    /// The tool turns by half a turn.
    pub fn line(from: &Pose, to: &Pose, law: Law) -> Result<Self, CurveFault> {
        let place = straight(from.translation(), to.translation());
        Ok(Self {
            kind: CurveKind::Line,
            place,
            first: from.rotation(),
            turns: turns(from.rotation(), to.rotation(), law)?,
        })
    }

    /// The tip goes on a circle, through a point on the way; the tool turns as on a line.
    ///
    /// # Errors
    /// The points fix no circle, or the tool turns by half a turn.
    pub fn arc(from: &Pose, via: DVec3, to: &Pose, law: Law) -> Result<Self, CurveFault> {
        let [a, b, c] = [from.translation(), via, to.translation()];
        let (ab, ac) = (b - a, c - a);
        let normal = ab.cross(ac);
        let longest = ab.length().max(ac.length()).max(b.distance(c));
        let shortest = ab.length().min(ac.length()).min(b.distance(c));
        // Twice the area of the triangle: the product of two sides and a sine.
        let enough = FLAT * longest * shortest;
        if !(enough > 0.0 && normal.length() > enough) {
            return Err(CurveFault::NoCircle);
        }
        let axis = normal.try_normalize().ok_or(CurveFault::NoCircle)?;
        let centre = a
            + (normal.cross(ab) * ac.length_squared() + ac.cross(normal) * ab.length_squared())
                / (2.0 * normal.length_squared());
        let arm = a - centre;
        let end = c - centre;
        // Seen along the normal of a, b, c, they come in this order, against the clock.
        let angle = axis.dot(arm.cross(end)).atan2(arm.dot(end)).rem_euclid(TAU);
        Ok(Self {
            kind: CurveKind::Arc,
            place: Place::Arc { centre, arm, axis, angle },
            first: from.rotation(),
            turns: turns(from.rotation(), to.rotation(), law)?,
        })
    }

    /// Smoothly through poses, at equal times: Catmull and Rom's cubics in the form that Kim, Kim and Shin (1995) gave to rotations. One
    /// curve from each pose to the next.
    ///
    /// # Errors
    /// There are fewer than two, or the tool turns by half a turn from one to the next.
    pub fn spline(poses: &[Pose]) -> Result<Vec<Self>, CurveFault> {
        if poses.len() < 2 {
            return Err(CurveFault::TooFew);
        }
        let last = poses.len() - 1;
        let piece = |k: usize| {
            let four = [k.saturating_sub(1), k, k + 1, (k + 2).min(last)].map(|row| &poses[row]);
            let first = four[0].rotation();
            let mut all = Vec::new();
            for (leg, sums) in CUMULATIVE.iter().enumerate() {
                let (from, to) = (four[leg].rotation(), four[leg + 1].rotation());
                // In the tool's own axes, so that it stands on the right of those before.
                let Some((axis, angle)) = axis_angle(from.transpose() * to)? else { continue };
                let axis = unit(first * axis).ok_or(CurveFault::HalfTurn)?;
                all.push(CurveTurn { axis, angle: sums.map(|sum| sum * angle) });
            }
            let [a, b, c, d] = four.map(Pose::translation);
            let place = Place::Cubic([b, b + (c - a) / 6.0, c - (d - b) / 6.0, c]);
            Ok(Self { kind: CurveKind::Spline, place, first, turns: all })
        };
        (0..last).map(piece).collect()
    }

    /// A corner: the tip on a parabola that leaves the first pose towards `corner` and arrives at the second from there; the tool turns
    /// about one axis.
    ///
    /// # Errors
    /// The tool turns by half a turn.
    pub fn corner(from: &Pose, corner: DVec3, to: &Pose) -> Result<Self, CurveFault> {
        let [a, c] = [from.translation(), to.translation()];
        let third = |p: DVec3| p + (corner - p) * (2.0 / 3.0);
        Ok(Self {
            kind: CurveKind::Corner,
            place: Place::Cubic([a, third(a), third(c), c]),
            first: from.rotation(),
            turns: turns(from.rotation(), to.rotation(), Law::Slerp)?,
        })
    }

    /// A curve by its formula; none if a number is not finite, a rotation or an axis is none, or an arc's arm is not across its axis.
    #[must_use]
    pub fn of_parts(kind: CurveKind, place: Place, first: DMat3, turns: Vec<CurveTurn>) -> Option<Self> {
        let is_unit = |v: DVec3| (v.length_squared() - 1.0).abs() < 1e-9;
        let is_small = |v: DVec3| v.is_finite() && v.abs().max_element() <= tolerance::COORDINATE_LIMIT;
        let is_place = match place {
            Place::Cubic(points) => points.into_iter().all(is_small),
            Place::Arc { centre, arm, axis, angle } => {
                is_small(centre)
                    && is_small(arm)
                    && is_unit(axis)
                    && angle.abs() <= TAU
                    && arm.dot(axis).abs() <= 1e-9 * (1.0 + arm.length())
            }
        };
        let off = first.transpose() * first - DMat3::IDENTITY;
        let is_rotation =
            off.to_cols_array().iter().all(|entry| entry.abs() < 1e-9) && first.determinant() > 0.0;
        let is_turn =
            |turn: &CurveTurn| is_unit(turn.axis) && turn.angle.iter().all(|a| a.abs() <= 2.0 * TAU);
        let is_curve = is_place && is_rotation && turns.len() <= 3 && turns.iter().all(is_turn);
        is_curve.then_some(Self { kind, place, first, turns })
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> CurveKind {
        self.kind
    }

    /// Where the tip is.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The rotation that all turns come after.
    #[must_use]
    pub fn first(&self) -> DMat3 {
        self.first
    }

    /// The turns; the last is the first to be applied.
    #[must_use]
    pub fn turns(&self) -> &[CurveTurn] {
        &self.turns
    }

    /// The pose at an instant.
    #[must_use]
    pub fn at(&self, u: f64) -> Pose {
        let rotation = self.turns.iter().rev().fold(self.first, |rotation, turn| {
            DMat3::from_axis_angle(turn.axis, bernstein(&turn.angle, u)) * rotation
        });
        let place = match &self.place {
            Place::Cubic([a, b, c, d]) => {
                let (ab, bc, cd) = (a.lerp(*b, u), b.lerp(*c, u), c.lerp(*d, u));
                ab.lerp(bc, u).lerp(bc.lerp(cd, u), u)
            }
            Place::Arc { centre, arm, axis, angle } => {
                *centre + DMat3::from_axis_angle(*axis, angle * u) * *arm
            }
        };
        Pose::of_rotation(rotation, place)
    }

    /// The length of the tip's way between two instants; of cubics, by 64 chords.
    #[must_use]
    pub fn length(&self, span: Span) -> f64 {
        match (&self.place, self.kind) {
            (Place::Arc { arm, angle, .. }, _) => arm.length() * angle.abs() * span.length(),
            (Place::Cubic([a, .., d]), CurveKind::Line) => a.distance(*d) * span.length(),
            (Place::Cubic(_), _) => {
                let at = |k: i32| self.at(span.at(f64::from(k) / 64.0)).translation();
                (0..64).map(|k| at(k).distance(at(k + 1))).sum()
            }
        }
    }

    /// The angle by which the tool turns between two instants, all turns counted: a bound above.
    #[must_use]
    pub fn turned(&self, span: Span) -> f64 {
        let most = |turn: &CurveTurn| {
            let c = part(&turn.angle, span);
            c.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum::<f64>()
        };
        self.turns.iter().map(most).sum()
    }
}

/// A cubic in Bernstein's form.
pub(crate) fn bernstein(c: &[f64; 4], u: f64) -> f64 {
    let mix = |a: f64, b: f64| a + (b - a) * u;
    let (ab, bc, cd) = (mix(c[0], c[1]), mix(c[1], c[2]), mix(c[2], c[3]));
    mix(mix(ab, bc), mix(bc, cd))
}

/// The coefficients of a part of a cubic in Bernstein's form.
fn part(c: &[f64; 4], span: Span) -> [f64; 4] {
    let blossom = |r: f64, s: f64, t: f64| {
        let mix = |a: f64, b: f64, u: f64| a + (b - a) * u;
        let (ab, bc, cd) = (mix(c[0], c[1], r), mix(c[1], c[2], r), mix(c[2], c[3], r));
        mix(mix(ab, bc, s), mix(bc, cd, s), t)
    };
    let Span { start, end } = span;
    [
        blossom(start, start, start),
        blossom(start, start, end),
        blossom(start, end, end),
        blossom(end, end, end),
    ]
}

fn straight(from: DVec3, to: DVec3) -> Place {
    let third = (to - from) / 3.0;
    Place::Cubic([from, from + third, to - third, to])
}

/// A unit vector, to the last digits, so that turns about it are rotations.
fn unit(v: DVec3) -> Option<DVec3> {
    (v / v.abs().max_element()).try_normalize()
}

/// A rotation as an axis and an angle from 0 to π; nothing if it does not turn.
fn axis_angle(rotation: DMat3) -> Result<Option<(DVec3, f64)>, CurveFault> {
    let quat = DQuat::from_mat3(&rotation);
    let quat = if quat.w < 0.0 { -quat } else { quat };
    let angle = 2.0 * quat.xyz().length().atan2(quat.w);
    if !(angle < PI - HALF_TURN) {
        return Err(CurveFault::HalfTurn);
    }
    Ok(unit(quat.xyz()).filter(|_| angle > 0.0).map(|axis| (axis, angle)))
}

fn evenly(axis: DVec3, angle: f64) -> CurveTurn {
    CurveTurn { axis, angle: [0.0, angle / 3.0, 2.0 * angle / 3.0, angle] }
}

fn turns(from: DMat3, to: DMat3, law: Law) -> Result<Vec<CurveTurn>, CurveFault> {
    match law {
        Law::Slerp => Ok(axis_angle(to * from.transpose())?
            .map(|(axis, angle)| evenly(axis, angle))
            .into_iter()
            .collect()),
        Law::SwivelTwist => {
            let (before, after) = (from.z_axis, to.z_axis);
            let across = before.cross(after);
            let swivel = across.length().atan2(before.dot(after));
            if !(swivel < PI - HALF_TURN) {
                return Err(CurveFault::HalfTurn);
            }
            let mut all = Vec::new();
            let mut swivelled = from;
            if let Some(axis) = unit(across).filter(|_| swivel > 0.0) {
                all.push(evenly(axis, swivel));
                swivelled = DMat3::from_axis_angle(axis, swivel) * from;
            }
            let [x, y] = [swivelled.x_axis.dot(to.x_axis), swivelled.y_axis.dot(to.x_axis)];
            let twist = y.atan2(x);
            if !(twist.abs() < PI - HALF_TURN) {
                return Err(CurveFault::HalfTurn);
            }
            if let Some(axis) = unit(before).filter(|_| twist != 0.0) {
                // About the tool's own z, before it swivels.
                all.push(evenly(axis, twist));
            }
            Ok(all)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pose() -> impl Strategy<Value = Pose> {
        ([-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64], [-3.0..3.0f64, -1.5..1.5f64, -3.0..3.0f64])
            .prop_map(|(xyz, rpy)| Pose::from_rpy(xyz.into(), rpy.into()))
    }

    fn angle_between(a: &Pose, b: &Pose) -> f64 {
        let quat = DQuat::from_mat3(&(a.rotation().transpose() * b.rotation()));
        2.0 * quat.xyz().length().atan2(quat.w.abs())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Both laws begin and end where they should, straight and at constant rates.
        #[test]
        fn lines_go_from_one_to_the_other(from in pose(), to in pose(), u in 0.0..1.0f64) {
            for law in [Law::Slerp, Law::SwivelTwist] {
                let Ok(line) = PoseCurve::line(&from, &to, law) else { continue };
                for (at, wanted) in [(0.0, &from), (1.0, &to)] {
                    let there = line.at(at);
                    prop_assert!(there.translation().distance(wanted.translation()) < 1e-14);
                    prop_assert!(angle_between(&there, wanted) < 3e-8 && (there.rotation() - wanted.rotation()).to_cols_array().iter().all(|d| d.abs() < 1e-13));
                }
                let there = line.at(u);
                let wanted = from.translation().lerp(to.translation(), u);
                prop_assert!(there.translation().distance(wanted) < 1e-14);
                // The closed forms: quaternions for slerp; the angle of z for the other.
                if law == Law::Slerp {
                    let whole = angle_between(&from, &to);
                    prop_assert!((angle_between(&from, &there) - whole * u).abs() < 1e-7);
                    prop_assert!((angle_between(&there, &to) - whole * (1.0 - u)).abs() < 1e-7);
                } else {
                    let z = |pose: &Pose| pose.rotation().z_axis;
                    let whole = z(&from).angle_between(z(&to));
                    prop_assert!((z(&from).angle_between(z(&there)) - whole * u).abs() < 1e-7);
                    prop_assert!((z(&to).angle_between(z(&there)) - whole * (1.0 - u)).abs() < 1e-7);
                }
            }
        }

        /// An arc stays at one distance from its middle, in one plane, and passes through all three points, the middle one in between.
        #[test]
        fn arcs_go_through_three_points(from in pose(), via in pose(), to in pose()) {
            let via = via.translation();
            prop_assume!((via - from.translation()).cross(to.translation() - from.translation()).length() > 1e-2);
            let Ok(arc) = PoseCurve::arc(&from, via, &to, Law::Slerp) else { return Ok(()) };
            let Place::Arc { centre, arm, axis, angle } = *arc.place() else { panic!("an arc") };
            prop_assert!(angle > 0.0 && angle < TAU);
            prop_assert!(arc.at(0.0).translation().distance(from.translation()) < 1e-10 * (1.0 + arm.length()));
            prop_assert!(arc.at(1.0).translation().distance(to.translation()) < 1e-10 * (1.0 + arm.length()));
            let place = axis.dot(arm.cross(via - centre)).atan2(arm.dot(via - centre)).rem_euclid(TAU) / angle;
            prop_assert!(place > 0.0 && place < 1.0);
            prop_assert!(arc.at(place).translation().distance(via) < 1e-9 * (1.0 + arm.length()));
        }

        /// Curves through poses pass through them.
        #[test]
        fn splines_pass_through_poses(poses in prop::collection::vec(pose(), 2..6)) {
            let Ok(curves) = PoseCurve::spline(&poses) else { return Ok(()) };
            for (k, curve) in curves.iter().enumerate() {
                for (u, wanted) in [(0.0, &poses[k]), (1.0, &poses[k + 1])] {
                    let there = curve.at(u);
                    prop_assert!(there.translation().distance(wanted.translation()) < 1e-14);
                    prop_assert!((there.rotation() - wanted.rotation()).to_cols_array().iter().all(|d| d.abs() < 1e-12));
                }
            }
            for pair in curves.windows(2) {
                // Without a jump of speed.
                let h = 1e-5;
                let before = (pair[0].at(1.0).translation() - pair[0].at(1.0 - h).translation()) / h;
                let after = (pair[1].at(h).translation() - pair[1].at(0.0).translation()) / h;
                prop_assert!(before.distance(after) < 1e-3);
                let rate = |a: &Pose, b: &Pose| ((b.rotation() - a.rotation()) * (1.0 / h)).to_cols_array();
                let (r, s) = (rate(&pair[0].at(1.0 - h), &pair[0].at(1.0)), rate(&pair[1].at(0.0), &pair[1].at(h)));
                prop_assert!(r.iter().zip(s).all(|(x, y)| (x - y).abs() < 1e-2));
            }
        }
    }

    /// The two laws differ as known: 40 degrees of swivel with 60 of twist differ by some 5 degrees half-way.
    #[test]
    fn laws_differ() {
        let from = Pose::IDENTITY;
        let to = Pose::from_rpy(DVec3::ZERO, DVec3::new(0.0, 40f64.to_radians(), 0.0))
            * Pose::turn(DVec3::Z, 60f64.to_radians());
        let [slerp, swivel] = [Law::Slerp, Law::SwivelTwist]
            .map(|law| PoseCurve::line(&from, &to, law).expect("less than half a turn").at(0.5));
        let apart = angle_between(&slerp, &swivel).to_degrees();
        assert!((4.0..6.0).contains(&apart), "{apart}");
    }

    #[test]
    fn what_is_no_curve_is_refused() {
        let from = Pose::IDENTITY;
        let half = Pose::from_rpy(DVec3::X, DVec3::new(PI, 0.0, 0.0));
        for law in [Law::Slerp, Law::SwivelTwist] {
            assert_eq!(PoseCurve::line(&from, &half, law), Err(CurveFault::HalfTurn));
        }
        let twisted = Pose::from_rpy(DVec3::X, DVec3::new(0.0, 0.0, PI));
        assert_eq!(PoseCurve::line(&from, &twisted, Law::SwivelTwist), Err(CurveFault::HalfTurn));
        let to = Pose::from_translation(DVec3::X);
        for via in [DVec3::X * 0.5, DVec3::ZERO, DVec3::X, DVec3::new(0.5, 1e-8, 0.0)] {
            assert_eq!(PoseCurve::arc(&from, via, &to, Law::Slerp), Err(CurveFault::NoCircle), "{via}");
        }
        assert_eq!(PoseCurve::spline(&[from]), Err(CurveFault::TooFew));
    }
}
