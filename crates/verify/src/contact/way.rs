//! Straight lines and turns: where a body is, and the heights of its points, with bounds that hold.

use super::interval::{Interval, Vector};
use kansho_geom::glam::{DMat3, DVec3};
use kansho_geom::pose_motion::Affine;

/// How a body goes from one place to another at a constant rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactWay {
    /// Without turning: a point `p` of the body is at `from p + t by`.
    Straight {
        /// Where it begins.
        from: Affine,
        /// How far it goes, in the world.
        by: DVec3,
    },
    /// About a line in the world: a point `p` of the body is at `c + R (from p − c)`, where R turns by `t angle` about the axis.
    Turn {
        /// Where it begins.
        from: Affine,
        /// A point c of the line.
        point: DVec3,
        /// Along the line, about 1 long: what counts is its direction.
        axis: DVec3,
        /// By how much, right-handed about the axis, in radians.
        angle: f64,
    },
}

/// Turns by more than this are none, in radians: five turns.
const MOST_TURN: f64 = 32.0;

/// Sines and cosines of the library are off by less than this. They are known to be by less than 1.2e-16; this leaves room for others.
const TRIGONOMETRY: f64 = 1e-15;

/// Less than half a turn.
const HALF_A_TURN: f64 = 3.125;

/// A placement may be off a rigid one by this much.
const NOT_RIGID: f64 = 1e-11;

/// No coordinate is larger, in metres: products of a few stay finite.
pub(super) const FARTHEST: f64 = 1e9;

impl ContactWay {
    /// Where it begins.
    #[must_use]
    pub fn from(&self) -> Affine {
        match *self {
            Self::Straight { from, .. } | Self::Turn { from, .. } => from,
        }
    }

    /// Where the body is at a fraction of the way, up to rounding.
    #[must_use]
    pub fn at(&self, t: f64) -> Affine {
        match *self {
            Self::Straight { from, by } => Affine { shift: from.shift + by * t, ..from },
            Self::Turn { from, point, .. } => {
                let turn = self.turn(t);
                Affine { linear: turn * from.linear, shift: turn * (from.shift - point) + point }
            }
        }
    }

    /// What is turned by a fraction of the way, up to rounding.
    #[must_use]
    pub fn turn(&self, t: f64) -> DMat3 {
        match *self {
            Self::Straight { .. } => DMat3::IDENTITY,
            Self::Turn { axis, angle, .. } => {
                axis.try_normalize().map_or(DMat3::IDENTITY, |axis| DMat3::from_axis_angle(axis, angle * t))
            }
        }
    }

    /// Why it is none.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let is_near = |v: DVec3| v.abs().max_element() <= FARTHEST;
        let from = self.from();
        let m = from.linear;
        let off = m.transpose() * m - DMat3::IDENTITY;
        let worst = off
            .to_cols_array()
            .into_iter()
            .fold(0.0, |worst, x| if x.abs() <= worst { worst } else { x.abs() });
        if !(worst <= NOT_RIGID && m.determinant() > 0.5) {
            return Some("a body is placed by what is no rotation");
        }
        let mut vectors = vec![from.shift];
        match *self {
            Self::Straight { by, .. } => vectors.push(by),
            Self::Turn { point, axis, angle, .. } => {
                vectors.push(point);
                if !((axis.length() - 1.0).abs() <= 1e-9) {
                    return Some("an axis is about 1 long");
                }
                if !(angle.abs() <= MOST_TURN) {
                    return Some("it turns too far");
                }
            }
        }
        (!vectors.into_iter().all(is_near)).then_some("it goes too far out")
    }
}

/// A height over time: `fixed + slope t + cosine cos θ + sine sin θ`, with `θ = t angle`. Slope or cosine and sine are zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wave {
    fixed: Interval,
    slope: Interval,
    cosine: Interval,
    sine: Interval,
}

impl Wave {
    pub(super) fn of(fixed: Interval) -> Self {
        Self { fixed, slope: Interval::ZERO, cosine: Interval::ZERO, sine: Interval::ZERO }
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        Self {
            fixed: self.fixed - other.fixed,
            slope: self.slope - other.slope,
            cosine: self.cosine - other.cosine,
            sine: self.sine - other.sine,
        }
    }

    pub(super) fn negated(&self) -> Self {
        Self { fixed: -self.fixed, slope: -self.slope, cosine: -self.cosine, sine: -self.sine }
    }
}

/// A way with all that bounds of heights need, as intervals.
#[derive(Clone, Debug)]
pub struct WayBounds {
    way: ContactWay,
    linear: [Vector; 3],
    /// From the reference point (of the axis, or the origin) to the body's origin.
    shift: Vector,
    reference: Vector,
    by: Vector,
    /// Of length 1.
    axis: Vector,
    angle: f64,
}

/// A span of a way: its ends, and sines and cosines there.
#[derive(Clone, Debug)]
pub struct SpanBounds {
    /// From here to there.
    pub span: [f64; 2],
    t: [Interval; 2],
    cosine: [Interval; 2],
    sine: [Interval; 2],
    /// Whether it turns by at most half a turn.
    is_short: bool,
    turns: bool,
}

impl WayBounds {
    /// Of a way that is one.
    #[must_use]
    pub fn new(way: &ContactWay) -> Self {
        let from = way.from();
        let columns = [from.linear.x_axis, from.linear.y_axis, from.linear.z_axis].map(Vector::exact);
        let (reference, by, axis, angle) = match *way {
            ContactWay::Straight { by, .. } => (DVec3::ZERO, by, Vector::exact(DVec3::ZERO), 0.0),
            ContactWay::Turn { point, axis, angle, .. } => {
                let axis = Vector::exact(axis);
                (point, DVec3::ZERO, axis.times(axis.length().inverse()), angle)
            }
        };
        let reference = Vector::exact(reference);
        Self {
            way: *way,
            linear: columns,
            shift: Vector::exact(from.shift) - reference,
            reference,
            by: Vector::exact(by),
            axis,
            angle,
        }
    }

    /// The way.
    #[must_use]
    pub fn way(&self) -> &ContactWay {
        &self.way
    }

    pub(super) fn turns(&self) -> bool {
        matches!(self.way, ContactWay::Turn { .. })
    }

    /// A span of it.
    #[must_use]
    pub fn span(&self, span: [f64; 2]) -> SpanBounds {
        // Halves of halves are exact; the angle of an end is a product.
        let mut angles = span.map(|t| Interval::exact(t) * Interval::exact(self.angle));
        if self.angle < 0.0 {
            angles.swap(0, 1);
        }
        let near = |angle: Interval, f: fn(f64) -> f64| {
            // Neither changes faster than the angle.
            Interval::near(f(angle.low), TRIGONOMETRY + (angle.high - angle.low).next_up())
        };
        SpanBounds {
            span,
            t: span.map(Interval::exact),
            cosine: angles.map(|angle| near(angle, f64::cos)),
            sine: angles.map(|angle| near(angle, f64::sin)),
            is_short: (angles[1] - angles[0]).high <= HALF_A_TURN,
            turns: self.turns(),
        }
    }

    /// A direction or point of the body in the world when the way begins, a point seen from the reference point.
    pub(super) fn point(&self, p: DVec3) -> Vector {
        self.direction(p) + self.shift
    }

    pub(super) fn direction(&self, v: DVec3) -> Vector {
        let [x, y, z] = v.to_array().map(Interval::exact);
        let [a, b, c] = self.linear;
        a.times(x) + b.times(y) + c.times(z)
    }

    /// A point of the world, seen from the reference point.
    pub(super) fn fixed(&self, q: DVec3) -> Vector {
        Vector::exact(q) - self.reference
    }

    /// `u · R(θ) v`: with the unit vector k of the axis, `R v = k (k · v) + (v − k (k · v)) cos θ + (k × v) sin θ`.
    pub(super) fn turned(&self, u: Vector, v: Vector) -> Wave {
        if !self.turns() {
            return Wave::of(u.dot(v));
        }
        let along = u.dot(self.axis) * self.axis.dot(v);
        Wave {
            fixed: along,
            slope: Interval::ZERO,
            cosine: u.dot(v) - along,
            sine: u.dot(self.axis.cross(v)),
        }
    }

    /// The height of a point that moves with the body, along a direction of the world.
    pub(super) fn moving(&self, u: Vector, point: Vector) -> Wave {
        let turned = self.turned(u, point);
        Wave { slope: u.dot(self.by), ..turned }
    }
}

impl SpanBounds {
    /// A number that is below a height at every instant of the span.
    ///
    /// Straight lines are lowest at one of their ends. So are waves over at most half a turn, unless they fall at the start and rise at
    /// the end: their slope is a wave, too, and changes its sign once at most. Otherwise no wave is below its middle less its amplitude.
    pub(super) fn lowest(&self, wave: &Wave) -> f64 {
        let lower = |a: f64, b: f64| if a.is_nan() || a < b { a } else { b };
        if !self.turns {
            let [a, b] = self.t.map(|t| (wave.fixed + t * wave.slope).low);
            return lower(a, b);
        }
        let falls = |k: usize| wave.sine * self.cosine[k] - wave.cosine * self.sine[k];
        if self.is_short && (falls(0).low >= 0.0 || falls(1).high <= 0.0) {
            let [a, b] =
                [0, 1].map(|k| (wave.fixed + wave.cosine * self.cosine[k] + wave.sine * self.sine[k]).low);
            return lower(a, b);
        }
        let amplitude = (wave.cosine.squared() + wave.sine.squared()).sqrt();
        (wave.fixed - Interval::exact(amplitude.high)).low
    }

    /// No height of the span is farther from zero.
    pub(super) fn most(&self, wave: &Wave) -> f64 {
        let (a, b) = (-self.lowest(wave), -self.lowest(&wave.negated()));
        if a.is_nan() || a > b { a } else { b }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways() -> Vec<ContactWay> {
        let from = Affine {
            linear: DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 0.7),
            shift: DVec3::new(0.3, -0.2, 0.5),
        };
        let axis = DVec3::new(2.0, -1.0, 2.0) / 3.0;
        let point = DVec3::new(-0.4, 0.1, 0.2);
        let turn = |angle: f64| ContactWay::Turn { from, point, axis, angle };
        vec![ContactWay::Straight { from, by: DVec3::new(0.1, -0.7, 0.2) }, turn(0.3), turn(-2.9), turn(6.0)]
    }

    /// Heights at many instants are above the bound of their span, and the bound is no lower than sampling explains.
    #[test]
    fn bounds_are_below_all_heights_and_tight() {
        for way in ways() {
            assert_eq!(way.fault(), None);
            let bounds = WayBounds::new(&way);
            for k in 0..40 {
                let x = f64::from(k);
                let n = DVec3::new((x * 1.3).sin(), (x * 2.1).cos(), (x * 0.7).sin());
                let p = DVec3::new((x * 0.9).cos(), (x * 1.7).sin(), 0.3);
                let wave = bounds.moving(Vector::exact(n), bounds.point(p));
                let reference = match way {
                    ContactWay::Turn { point, .. } => point,
                    ContactWay::Straight { .. } => DVec3::ZERO,
                };
                for (start, end) in [(0.0, 1.0), (0.25, 0.5), (0.5, 0.5 + 1.0 / 1024.0)] {
                    let lowest = bounds.span([start, end]).lowest(&wave);
                    let least = (0..=2000)
                        .map(|i| n.dot(way.at(start + (end - start) * f64::from(i) / 2000.0) * p - reference))
                        .fold(f64::INFINITY, f64::min);
                    assert!(lowest <= least + 1e-14, "{way:?}");
                    let is_whole_turn = way.turn(end).is_finite()
                        && (end - start) > 0.5
                        && matches!(way, ContactWay::Turn { angle, .. } if angle > 3.0);
                    assert!(least - lowest < 2e-5 || is_whole_turn, "{way:?} {lowest} {least}");
                }
            }
        }
    }

    /// The sines and cosines of the library against a series in exact bounds.
    #[test]
    fn sines_and_cosines_are_as_good_as_said() {
        for k in -400..=400 {
            let x = f64::from(k) * 0.0177;
            let (mut term, mut sums) = (Interval::exact(1.0), [Interval::ZERO; 2]);
            for n in 0..60u32 {
                let part = if n % 4 < 2 { term } else { -term };
                sums[(n % 2) as usize] = sums[(n % 2) as usize] + part;
                term = term * Interval::exact(x) * Interval::exact(f64::from(n + 1)).inverse();
            }
            for (series, found) in sums.into_iter().zip([x.cos(), x.sin()]) {
                let room = TRIGONOMETRY + 1e-30;
                assert!(found + room >= series.low && found - room <= series.high, "{x}");
            }
        }
    }

    #[test]
    fn what_is_no_way_has_a_fault() {
        let from = Affine::IDENTITY;
        let stretched = Affine { linear: DMat3::from_diagonal(DVec3::new(1.0, 1.0, 1.0 + 1e-9)), ..from };
        let mirrored = Affine { linear: DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0)), ..from };
        for way in [
            ContactWay::Straight { from: stretched, by: DVec3::X },
            ContactWay::Straight { from: mirrored, by: DVec3::X },
            ContactWay::Straight { from, by: DVec3::NAN },
            ContactWay::Straight { from, by: DVec3::X * 1e300 },
            ContactWay::Turn { from, point: DVec3::ZERO, axis: DVec3::ZERO, angle: 1.0 },
            ContactWay::Turn { from, point: DVec3::ZERO, axis: DVec3::X, angle: f64::INFINITY },
        ] {
            assert!(way.fault().is_some(), "{way:?}");
        }
    }
}
