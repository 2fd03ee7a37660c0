//! Chains of joints that move: turns and slides, one after the other, each value a cubic of time.
//!
//! With `x` for a point beyond a joint and `R` for its turn, the point before it is `R x` and a shift. By Leibniz' rule its derivatives
//! are sums of products of those of `R` and of `x`, so bounds on them run through the chain from the end to the beginning:
//!
//! ```text
//! m'(n) = m(n) + Σ C(n, j) D(j) m(n−j) + D(n) ρ        j from 1 to n − 1
//! ```
//!
//! where `m(n)` bounds the n-th derivative of the point, `ρ` its distance from the axis, and `D(j)` the j-th derivative of the turn, as
//! a factor of that distance. For an angle `θ(t)` (Faà di Bruno)
//!
//! ```text
//! D(1) = |θ'|    D(2) = θ'² + |θ''|    D(3) = |θ'|³ + 3|θ'θ''| + |θ'''|    D(4) = θ'⁴ + 6θ'²|θ''| + 3θ''² + 4|θ'θ'''|
//! ```

use super::{Affine, Course, Near, Slack, Span, interpolated};
use crate::pose::Pose;
use glam::DVec3;

/// How a joint moves what hangs on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChainKind {
    /// Turns it about z.
    Turn,
    /// Shifts it along a unit vector.
    Slide(DVec3),
}

/// One joint of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainStep {
    /// Where the joint is in what it hangs on.
    pub parent_from_joint: Pose,
    /// How it moves.
    pub kind: ChainKind,
    /// The coefficients of its value in Bernstein's form: radians or metres.
    pub value: [f64; 4],
    /// The largest number that went into a coefficient: it rounds as that does, however small it came out.
    pub largest: f64,
}

/// A body at the end of a chain of joints, in `u` from 0 to 1. Without joints it stands still.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    steps: Vec<ChainStep>,
    end_from_body: Pose,
    /// A point in the middle of the body.
    about: DVec3,
    /// All offsets and slides: no point is farther from the beginning than this, and its distance from `about`.
    size: f64,
    /// The part of the joints' time that it takes.
    part: Span,
}

/// Derivatives that are looked at: the first four.
const ORDERS: usize = 4;

/// What rounding of bounds may lose, as a fraction of them: a few hundred operations.
const UP: f64 = 1.0 + 1e-12;

/// Bounds on derivatives in a span, with time in units of the span.
#[derive(Clone, Copy, Debug)]
struct Rates {
    /// Of the point `about`, from the first on.
    at_about: [f64; ORDERS],
    /// Of the rotation: for each metre from that point.
    per_metre: [f64; ORDERS],
}

impl Chain {
    /// A body on joints, the first of them nearest to the frame in which it is placed. `about` is a point in the middle of the body.
    #[must_use]
    pub fn new(steps: Vec<ChainStep>, end_from_body: Pose, about: DVec3) -> Self {
        let most = |value: &[f64; 4]| value.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let slides = |step: &ChainStep| match step.kind {
            ChainKind::Turn => 0.0,
            ChainKind::Slide(_) => most(&step.value).max(step.largest),
        };
        let offsets: f64 =
            steps.iter().map(|step| step.parent_from_joint.translation().length() + slides(step)).sum();
        let size = offsets + end_from_body.translation().length() + about.length();
        Self { steps, end_from_body, about, size, part: Span::WHOLE }
    }

    /// A part of it as a motion of its own.
    #[must_use]
    pub fn cut(mut self, fractions: Span) -> Self {
        self.part = self.part.part(fractions);
        self
    }

    /// Where the body is.
    #[must_use]
    pub fn pose(&self, u: f64) -> Pose {
        let u = self.part.at(u);
        let moved = |pose: Pose, step: &ChainStep| {
            let joint = pose * step.parent_from_joint;
            let value = value(&step.value, u);
            match step.kind {
                ChainKind::Turn => joint.turned_about_z(value),
                ChainKind::Slide(axis) => joint * Pose::from_translation(axis * value),
            }
        };
        self.steps.iter().fold(Pose::IDENTITY, moved) * self.end_from_body
    }

    /// What the values of its joints may round a place by, in metres, for a point so far from `about`: each as the largest number that went
    /// into it does, times its lever if it is an angle.
    #[must_use]
    pub fn rounding_of_values(&self, away: f64) -> f64 {
        let largest =
            |step: &ChainStep| step.value.iter().fold(step.largest, |most: f64, v| most.max(v.abs()));
        let turned: f64 = self.steps.iter().filter(|step| step.kind == ChainKind::Turn).map(largest).sum();
        16.0 * f64::EPSILON * (1.0 + turned) * (self.size + away)
    }

    /// How it moves at an instant: a point that is at `x` then has the speed `turn × x + shift`.
    #[must_use]
    pub fn speed(&self, u: f64) -> (DVec3, DVec3) {
        let length = self.part.length();
        let u = self.part.at(u);
        let (mut turn, mut shift) = (DVec3::ZERO, DVec3::ZERO);
        let mut pose = Pose::IDENTITY;
        for step in &self.steps {
            pose = pose * step.parent_from_joint;
            let rate = rate(&step.value, u) * length;
            let value = value(&step.value, u);
            match step.kind {
                ChainKind::Turn => {
                    let axis = pose.rotation().z_axis * rate;
                    turn += axis;
                    shift += pose.translation().cross(axis);
                    pose = pose.turned_about_z(value);
                }
                ChainKind::Slide(axis) => {
                    shift += pose.rotate(axis) * rate;
                    pose = pose * Pose::from_translation(axis * value);
                }
            }
        }
        (turn, shift)
    }

    /// A bound above the acceleration of any point of a ball of the body in a span, with time in units of the span, rounded up.
    #[must_use]
    pub fn acceleration(&self, span: Span, centre: DVec3, radius: f64) -> f64 {
        let rates = self.rates(self.part.part(span));
        (rates.at_about[1] + rates.per_metre[1] * (centre.distance(self.about) + radius)) * UP
    }

    /// Bounds on derivatives in a span of its own time.
    fn rates(&self, span: Span) -> Rates {
        let middle = span.middle();
        let mut point = self.end_from_body * self.about;
        let mut m = [0.0; ORDERS];
        let mut l = [0.0; ORDERS];
        for step in self.steps.iter().rev() {
            let derivatives = derivatives(&step.value, span);
            let now = value(&step.value, middle);
            match step.kind {
                ChainKind::Turn => {
                    // In the middle, and as far as it gets from there. Rounding is part of the sizes that were added up.
                    let reach = point.truncate().length() + 0.5 * m[0] + 1e-12 * self.size;
                    let d = of_turn(&derivatives);
                    m = leibniz(&d, &m, reach);
                    l = leibniz(&d, &l, 1.0);
                    point = step.parent_from_joint * (Pose::turn(DVec3::Z, now) * point);
                }
                ChainKind::Slide(axis) => {
                    m.iter_mut().zip(derivatives).for_each(|(m, d)| *m += d);
                    point = step.parent_from_joint * (point + axis * now);
                }
            }
        }
        Rates { at_about: m.map(|m| m * UP), per_metre: l.map(|l| l * UP) }
    }
}

impl Course for Chain {
    fn at(&self, u: f64) -> Affine {
        self.pose(u).into()
    }

    fn controls(&self) -> Option<[Affine; 4]> {
        None
    }

    fn is_still(&self) -> bool {
        self.steps.iter().all(|step| step.value.iter().all(|v| *v == step.value[0]))
    }

    /// The cubic through four placements. It is off by at most `max |x''''| / 1944`.
    fn within(&self, span: Span) -> Near {
        let placed: [Affine; 4] = std::array::from_fn(|k| self.at(span.at(k as f64 / 3.0)));
        let controls = interpolated(&placed);
        let rates = self.rates(self.part.part(span));
        let rounding = Slack::rounding(&controls);
        // Every joint rounds a placement by a few 2⁻⁵² of its size, and its angle by as much of that; mixing four of them makes at
        // most six times that.
        let turned: f64 = self
            .steps
            .iter()
            .map(|step| 1.0 + step.value.iter().fold(step.largest, |most: f64, v| most.max(v.abs())))
            .sum();
        let lost = 64.0 * 6.0 * f64::EPSILON * (1.0 + turned);
        let slack = Slack {
            about: self.about,
            per_metre: rounding.per_metre + lost + rates.per_metre[3] / 1944.0 * UP,
            fixed: rounding.fixed
                + rounding.per_metre * self.about.length()
                + lost * self.size
                + rates.at_about[3] / 1944.0 * UP,
            across: 0.0,
            axis: DVec3::ZERO,
        };
        Near { controls, slack }
    }

    fn travel(&self, span: Span, centre: DVec3, radius: f64) -> f64 {
        let rates = self.rates(self.part.part(span));
        let away = centre.distance(self.about) + radius;
        (rates.at_about[0] + rates.per_metre[0] * away) * UP
    }
}

/// A cubic in Bernstein's form; its ends exactly.
fn value(c: &[f64; 4], u: f64) -> f64 {
    blossom(c, u, u, u)
}

fn blossom(c: &[f64; 4], r: f64, s: f64, t: f64) -> f64 {
    // Exact at both ends, and where all coefficients are equal.
    let mix = |p: f64, q: f64, u: f64| if u == 1.0 { q } else { p + (q - p) * u };
    let (ab, bc, cd) = (mix(c[0], c[1], r), mix(c[1], c[2], r), mix(c[2], c[3], r));
    mix(mix(ab, bc, s), mix(bc, cd, s), t)
}

/// The derivative of a cubic in Bernstein's form.
fn rate(c: &[f64; 4], u: f64) -> f64 {
    let r = 1.0 - u;
    3.0 * ((c[1] - c[0]) * r * r + 2.0 * (c[2] - c[1]) * r * u + (c[3] - c[2]) * u * u)
}

/// Bounds on the first four derivatives of a cubic in a span, with time in units of the span.
fn derivatives(c: &[f64; 4], Span { start, end }: Span) -> [f64; ORDERS] {
    let c = [
        blossom(c, start, start, start),
        blossom(c, start, start, end),
        blossom(c, start, end, end),
        blossom(c, end, end, end),
    ];
    let first = [c[1] - c[0], c[2] - c[1], c[3] - c[2]];
    let second = [first[1] - first[0], first[2] - first[1]];
    let third = second[1] - second[0];
    // What the differences have lost to rounding.
    let lost = 32.0 * f64::EPSILON * c.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let most = |d: &[f64]| d.iter().fold(0.0, |most: f64, v| most.max(v.abs())) + lost;
    [3.0 * most(&first), 6.0 * most(&second), 6.0 * most(&[third]), 0.0]
}

/// Bounds on the derivatives of a turn by an angle with these.
fn of_turn(&[d1, d2, d3, _]: &[f64; ORDERS]) -> [f64; ORDERS] {
    [
        d1,
        d1 * d1 + d2,
        d1 * d1 * d1 + 3.0 * d1 * d2 + d3,
        d1.powi(4) + 6.0 * d1 * d1 * d2 + 3.0 * d2 * d2 + 4.0 * d1 * d3,
    ]
}

/// Bounds on the derivatives of a product, of which the second factor has the size `reach`.
fn leibniz(d: &[f64; ORDERS], m: &[f64; ORDERS], reach: f64) -> [f64; ORDERS] {
    [
        m[0] + d[0] * reach,
        m[1] + 2.0 * d[0] * m[0] + d[1] * reach,
        m[2] + 3.0 * d[0] * m[1] + 3.0 * d[1] * m[0] + d[2] * reach,
        m[3] + 4.0 * d[0] * m[2] + 6.0 * d[1] * m[1] + 4.0 * d[2] * m[0] + d[3] * reach,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = DVec3> {
        [-size..size, -size..size, -size..size].prop_map(DVec3::from)
    }

    fn step() -> impl Strategy<Value = ChainStep> {
        let kind = prop_oneof![
            3 => Just(ChainKind::Turn),
            1 => vector(1.0).prop_filter_map("a direction", |v| Some(ChainKind::Slide(v.try_normalize()?))),
        ];
        let line =
            (-4.0..4.0f64, -4.0..4.0f64).prop_map(|(a, b)| [a, (2.0 * a + b) / 3.0, (a + 2.0 * b) / 3.0, b]);
        let value = prop_oneof![
            2 => line,
            1 => [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
            1 => (-3.0..3.0f64).prop_map(|v| [v; 4]),
        ];
        (vector(1.0), vector(3.0), kind, value).prop_map(|(shift, rpy, kind, value)| ChainStep {
            parent_from_joint: Pose::from_rpy(shift, rpy),
            kind,
            value,
            largest: 0.0,
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Points are as near to the cubic, and go no farther, than the bounds say.
        #[test]
        fn bounds_hold(
            steps in prop::collection::vec(step(), 0..6),
            about in vector(0.5),
            x in vector(0.5),
            ends in (0.0..1.0f64, 0.0..1.0f64),
            far in prop_oneof![Just(0.0f64), Just(1e4f64)],
        ) {
            let span = Span::new(ends.0.min(ends.1), ends.0.max(ends.1));
            let end = Pose::from_rpy(DVec3::splat(0.1), DVec3::new(0.3, far.min(1.0), 1.0));
            let mut steps = steps;
            if let Some(first) = steps.first_mut() {
                first.parent_from_joint = Pose::from_translation(DVec3::splat(far)) * first.parent_from_joint;
            }
            let chain = Chain::new(steps, end, about);
            let near = chain.within(span);
            let off = near.slack.of_ball(x, 0.0);
            let travel = chain.travel(span, x, 0.0);
            let mut way = 0.0;
            let mut last = chain.pose(span.start) * x;
            for k in 0..=60 {
                let s = f64::from(k) / 60.0;
                let there = chain.pose(span.at(s)) * x;
                let [a, b, c, d] = near.controls.map(|control| control * x);
                let r = 1.0 - s;
                let cubic = a * r * r * r + b * 3.0 * r * r * s + c * 3.0 * r * s * s + d * s * s * s;
                prop_assert!(cubic.distance(there) <= off, "{} of {off}", cubic.distance(there));
                way += last.distance(there);
                last = there;
            }
            prop_assert!(way <= travel + 1e-12 * far, "{way} of {travel}");
        }
    }

    #[test]
    fn one_joint_is_off_as_a_turn_is() {
        let angle = std::f64::consts::FRAC_PI_6;
        let value = [0.0, angle / 3.0, 2.0 * angle / 3.0, angle];
        let step =
            ChainStep { parent_from_joint: Pose::IDENTITY, kind: ChainKind::Turn, value, largest: 0.0 };
        let chain = Chain::new(vec![step], Pose::IDENTITY, DVec3::X);
        let off = chain.within(Span::WHOLE).slack.of_ball(DVec3::X, 0.0);
        assert!((off / (angle.powi(4) / 1944.0) - 1.0).abs() < 1e-6, "{off}");
        assert!((chain.travel(Span::WHOLE, DVec3::X, 0.0) / angle - 1.0).abs() < 1e-6);
    }
}
