//! Straight lines and turns about a line: ways on which heights have formulas.

use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DVec3};
use kansho_geom::pose_motion::{Motion, Span};

/// How a body goes from one pose to another at a constant rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SlidingMotion {
    /// Without turning.
    Straight {
        /// Where it begins.
        from: Pose,
        /// How far it goes, in the world.
        by: DVec3,
    },
    /// About a line in the world.
    Turn {
        /// Where it begins.
        from: Pose,
        /// A point of the line.
        point: DVec3,
        /// A unit vector along the line.
        axis: DVec3,
        /// By how much, right-handed about the axis.
        angle: f64,
    },
}

/// Room for the roundings of a height: some twenty operations of 2⁻⁵³ each.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

impl SlidingMotion {
    /// Where it begins.
    #[must_use]
    pub fn from(&self) -> Pose {
        match *self {
            Self::Straight { from, .. } | Self::Turn { from, .. } => from,
        }
    }

    /// Where the body is at a fraction of the way.
    #[must_use]
    pub fn at(&self, t: f64) -> Pose {
        match *self {
            Self::Straight { from, by } => Pose::of_rotation(from.rotation(), from.translation() + by * t),
            Self::Turn { from, point, axis, angle } => {
                let turn = DMat3::from_axis_angle(axis, angle * t);
                Pose::of_rotation(turn * from.rotation(), turn * (from.translation() - point) + point)
            }
        }
    }

    /// Where it ends.
    #[must_use]
    pub fn to(&self) -> Pose {
        self.at(1.0)
    }

    /// The same for the provers of motions.
    #[must_use]
    pub fn motion(&self) -> Motion {
        match *self {
            Self::Straight { from, .. } => Motion::linear(from, self.to()),
            Self::Turn { from, point, axis, angle } => {
                Motion::screw(from, point, axis, angle, 0.0).unwrap_or_else(|| Motion::still(from))
            }
        }
    }

    /// How far it turns, in radians.
    #[must_use]
    pub fn turned(&self) -> f64 {
        match *self {
            Self::Straight { .. } => 0.0,
            Self::Turn { angle, .. } => angle.abs(),
        }
    }

    /// A bound above the speed of a point of the body, per fraction of the way, rounded up.
    #[must_use]
    pub fn speed(&self, point_of_body: DVec3) -> f64 {
        let speed = match *self {
            Self::Straight { by, .. } => by.length(),
            Self::Turn { from, point, axis, angle } => {
                let arm = from * point_of_body - point;
                angle.abs() * (axis.cross(arm).length() + ROUNDINGS * arm.length())
            }
        };
        speed * (1.0 + ROUNDINGS)
    }

    /// The height of a point of the body along a direction of the world.
    #[must_use]
    pub fn height(&self, point_of_body: DVec3, direction: DVec3) -> Wave {
        match *self {
            Self::Straight { from, by } => {
                let start = from * point_of_body;
                Wave {
                    cosine: 0.0,
                    sine: 0.0,
                    fixed: direction.dot(start),
                    slope: direction.dot(by),
                    angle: 0.0,
                    scale: direction.length() * (start.length() + by.length() + from.translation().length()),
                }
            }
            Self::Turn { from, point, axis, angle } => {
                let arm = from * point_of_body - point;
                Wave::turned(direction, axis, arm, angle).raised(
                    direction.dot(point),
                    direction.length() * (point.length() + from.translation().length()),
                )
            }
        }
    }

    /// The height of a point of the world along a direction of the body, above the body's origin.
    #[must_use]
    pub fn height_in_body(&self, point_of_world: DVec3, direction_of_body: DVec3) -> Wave {
        let normal = self.from().rotate(direction_of_body);
        match *self {
            Self::Straight { from, by } => {
                let away = point_of_world - from.translation();
                Wave {
                    cosine: 0.0,
                    sine: 0.0,
                    fixed: normal.dot(away),
                    slope: -normal.dot(by),
                    angle: 0.0,
                    scale: normal.length()
                        * (point_of_world.length() + from.translation().length() + by.length()),
                }
            }
            // R n · (x − R (o − c) − c) = R n · (x − c) − n · (o − c).
            Self::Turn { from, point, axis, angle } => {
                let origin = from.translation() - point;
                let scale = point_of_world.length() + 2.0 * point.length() + from.translation().length();
                Wave::turned(point_of_world - point, axis, normal, angle)
                    .raised(-normal.dot(origin), normal.length() * scale)
            }
        }
    }

    /// `(x − p) · (e × f)` for a point and a direction `e` of the body, and a point `p` and a direction `f` of the world: how far
    /// apart two lines are, times the sine between them.
    #[must_use]
    pub fn height_across(&self, point_of_body: DVec3, along_body: DVec3, point: DVec3, along: DVec3) -> Wave {
        let e = self.from().rotate(along_body);
        match self {
            Self::Straight { .. } => {
                let normal = e.cross(along);
                self.height(point_of_body, normal)
                    .raised(-normal.dot(point), normal.length() * point.length())
            }
            // With c on the axis and q = x − c: R q · (R e × f) + (c − p) · (R e × f) = f · R (q × e) + R e · (f × (c − p)).
            Self::Turn { from, point: centre, axis, angle } => {
                let arm = *from * point_of_body - *centre;
                let twisted = Wave::turned(along, *axis, arm.cross(e), *angle);
                let shifted = Wave::turned(along.cross(*centre - point), *axis, e, *angle);
                let scale = along.length()
                    * e.length()
                    * (point.length() + centre.length() + arm.length() + from.translation().length());
                Wave { scale, ..twisted.plus(&shifted) }
            }
        }
    }

    /// `(x − p) · (e × f)` for a point `x` of the world.
    #[must_use]
    pub fn height_of_fixed_across(&self, x: DVec3, along_body: DVec3, point: DVec3, along: DVec3) -> Wave {
        let e = self.from().rotate(along_body);
        let across = along.cross(x - point);
        let scale = along.length() * e.length() * (x.length() + point.length());
        match self {
            Self::Straight { .. } => {
                Wave { cosine: 0.0, sine: 0.0, fixed: across.dot(e), slope: 0.0, angle: 0.0, scale }
            }
            Self::Turn { axis, angle, .. } => Wave { scale, ..Wave::turned(across, *axis, e, *angle) },
        }
    }
}

/// `cosine · cos(angle t) + sine · sin(angle t) + fixed + slope · t`, with one of angle and slope zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// Of the cosine.
    pub cosine: f64,
    /// Of the sine.
    pub sine: f64,
    /// Always there.
    pub fixed: f64,
    /// Per fraction of the way.
    pub slope: f64,
    /// Turned on the whole way.
    pub angle: f64,
    /// Size of the numbers that it was made of: roundings are fractions of it.
    pub scale: f64,
}

impl Wave {
    /// `direction · R(t) arm`.
    fn turned(direction: DVec3, axis: DVec3, arm: DVec3, angle: f64) -> Self {
        let along = axis * axis.dot(arm);
        Self {
            cosine: direction.dot(arm - along),
            sine: direction.dot(axis.cross(arm)),
            fixed: direction.dot(along),
            slope: 0.0,
            angle,
            scale: direction.length() * arm.length(),
        }
    }

    fn raised(self, by: f64, scale: f64) -> Self {
        Self { fixed: self.fixed + by, scale: self.scale + scale, ..self }
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            cosine: self.cosine + other.cosine,
            sine: self.sine + other.sine,
            fixed: self.fixed + other.fixed,
            slope: self.slope + other.slope,
            angle: self.angle,
            scale: self.scale + other.scale,
        }
    }

    /// The value at a fraction of the way.
    #[must_use]
    pub fn at(&self, t: f64) -> f64 {
        let (sin, cos) = (self.angle * t).sin_cos();
        self.cosine * cos + self.sine * sin + self.fixed + self.slope * t
    }

    /// What roundings may hide; the angle itself is rounded, too.
    #[must_use]
    pub fn rounding(&self) -> f64 {
        ROUNDINGS
            * (1.0 + self.angle.abs())
            * (self.scale + self.fixed.abs() + self.cosine.abs() + self.sine.abs() + self.slope.abs())
    }

    /// Bounds of it in a span, rounded outward.
    #[must_use]
    pub fn range(&self, span: Span) -> [f64; 2] {
        let ends = [self.at(span.start), self.at(span.end)];
        let (mut low, mut high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        if self.angle != 0.0 {
            // Tops and bottoms are where the angle is that of (cosine, sine), and half a turn on.
            let (from, to) = {
                let (a, b) = (self.angle * span.start, self.angle * span.end);
                (a.min(b), a.max(b))
            };
            let reach = self.cosine.hypot(self.sine);
            let top = self.sine.atan2(self.cosine);
            let holds = |peak: f64| {
                let turns = ((from - peak) / std::f64::consts::TAU).ceil();
                // A peak just outside counts as inside: that only widens the bounds.
                peak + turns * std::f64::consts::TAU <= to + 1e-9
                    || peak + (turns - 1.0) * std::f64::consts::TAU >= from - 1e-9
            };
            if holds(top) {
                high = high.max(self.fixed + reach);
            }
            if holds(top + std::f64::consts::PI) {
                low = low.min(self.fixed - reach);
            }
        }
        let room = self.rounding();
        [low - room, high + room]
    }

    /// Where it is zero, in turns up to `most` radians or ways up to `most` of the slope's unit, in order, as angles or fractions; the
    /// formula has `A cos θ + B sin θ = C` two solutions in a turn. Nothing if it is zero all along or never.
    #[must_use]
    pub fn zeros(&self) -> Vec<f64> {
        if self.angle == 0.0 {
            return if self.slope == 0.0 { Vec::new() } else { vec![-self.fixed / self.slope] };
        }
        let reach = self.cosine.hypot(self.sine);
        let room = self.rounding();
        if !(reach > room) || self.fixed.abs() > reach + room {
            return Vec::new();
        }
        let middle = self.sine.atan2(self.cosine);
        let half = (-self.fixed / reach).clamp(-1.0, 1.0).acos();
        let mut found: Vec<f64> = [middle - half, middle + half]
            .iter()
            .flat_map(|&zero| {
                let turns = std::f64::consts::TAU;
                // All that lie within a turn either way of the angle's sense.
                [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| (zero + k * turns) / self.angle)
            })
            .collect();
        found.sort_by(f64::total_cmp);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways() -> Vec<SlidingMotion> {
        let from = Pose::from_rpy(DVec3::new(0.3, -0.2, 0.5), DVec3::new(0.4, -0.3, 0.9));
        let axis = DVec3::new(0.2, 0.9, -0.4).normalize();
        let point = DVec3::new(0.1, 0.2, 0.3);
        vec![
            SlidingMotion::Straight { from, by: DVec3::new(0.4, -0.1, 0.2) },
            SlidingMotion::Turn { from, point, axis, angle: 1.3 },
            SlidingMotion::Turn { from, point, axis, angle: -2.9 },
            SlidingMotion::Turn { from, point, axis, angle: 6.0 },
        ]
    }

    #[test]
    fn formulas_agree_with_poses() {
        let (p, n, x) = (DVec3::new(0.2, 0.1, -0.3), DVec3::new(0.5, -0.7, 0.1), DVec3::new(-0.3, 0.8, 0.2));
        let (e, q, f) = (DVec3::new(0.1, 0.6, 0.2), DVec3::new(0.4, 0.1, 0.6), DVec3::new(-0.2, 0.3, 0.9));
        for way in ways() {
            for k in 0..=50 {
                let t = f64::from(k) / 50.0;
                let pose = way.at(t);
                let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{way:?} {t}: {a} {b}");
                close(way.height(p, n).at(t), n.dot(pose * p));
                close(way.height_in_body(x, n).at(t), n.dot(pose.inverse() * x));
                let across = pose.rotate(e).cross(f);
                close(way.height_across(p, e, q, f).at(t), (pose * p - q).dot(across));
                close(way.height_of_fixed_across(x, e, q, f).at(t), (x - q).dot(across));
                let (a, b) = (way.motion().at(t) * p, pose * p);
                assert!(a.distance(b) < 1e-14);
            }
        }
    }

    /// Every value lies in its range, and ranges are no wider than values by more than sampling explains.
    #[test]
    fn ranges_hold_every_value_and_are_tight() {
        let (p, n) = (DVec3::new(0.2, 0.1, -0.3), DVec3::new(0.5, -0.7, 0.1));
        for way in ways() {
            let wave = way.height(p, n);
            for i in 0..20 {
                for j in i + 1..=20 {
                    let span = Span::new(f64::from(i) / 20.0, f64::from(j) / 20.0);
                    let [low, high] = wave.range(span);
                    let values: Vec<f64> =
                        (0..=2000).map(|k| wave.at(span.at(f64::from(k) / 2000.0))).collect();
                    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
                    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    assert!(low <= least && most <= high);
                    assert!(least - low < 1e-5 && high - most < 1e-5, "{span:?}");
                }
            }
        }
    }

    #[test]
    fn zeros_are_zeros_and_none_is_missed() {
        for way in ways() {
            for k in 0..40 {
                let n = DVec3::new(f64::from(k).sin(), f64::from(k * 3).cos(), f64::from(k * 7).sin());
                let wave = way.height(DVec3::new(0.3, 0.1, 0.2), n);
                let wave = Wave { fixed: wave.fixed - 0.3, ..wave };
                let zeros: Vec<f64> = wave.zeros().into_iter().filter(|t| (0.0..=1.0).contains(t)).collect();
                assert!(zeros.iter().all(|&t| wave.at(t).abs() < 1e-14));
                let changes = (0..10_000)
                    .filter(|&i| {
                        let [a, b] = [i, i + 1].map(|i| wave.at(f64::from(i) / 10_000.0));
                        (a > 0.0) != (b > 0.0)
                    })
                    .count();
                assert!(
                    zeros.len() >= changes
                        && zeros.len() <= changes + 2
                        && (zeros.len() - changes).is_multiple_of(2),
                    "{zeros:?} {changes}"
                );
            }
        }
    }
}
