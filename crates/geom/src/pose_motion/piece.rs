//! A smooth part of a motion: a cubic, a turn or a part of a spline.

use super::spline::SplinePiece;
use super::turn::Turn;
use super::{Affine, Course, Near, Slack, Span};
use glam::DVec3;

/// A smooth part of a motion, in `u` from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionPiece {
    pub(super) kind: Kind,
    /// The part of the kind's own time that it takes.
    pub(super) part: Span,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Bézier's control placements; cubic in time by definition.
    Cubic([Affine; 4]),
    Turn(Turn),
    Spline(SplinePiece),
}

impl Course for MotionPiece {
    /// Where it is.
    fn at(&self, u: f64) -> Affine {
        let u = self.part.at(u);
        match &self.kind {
            // Still things do not tremble by rounding.
            Kind::Cubic(controls) if self.is_still() => controls[0],
            Kind::Cubic(controls) => blossom(controls, u, u, u),
            Kind::Turn(turn) => turn.at(u),
            Kind::Spline(spline) => spline.at(u),
        }
    }

    /// The control placements, if it is a cubic by definition.
    fn controls(&self) -> Option<[Affine; 4]> {
        match &self.kind {
            Kind::Cubic(controls) => Some(part_of(controls, self.part)),
            _ => None,
        }
    }

    /// Whether it stands still.
    fn is_still(&self) -> bool {
        matches!(&self.kind, Kind::Cubic([a, b, c, d]) if a == b && a == c && a == d)
    }

    /// The cubic that it is, or is near, in a span.
    fn within(&self, span: Span) -> Near {
        let span = self.part.part(span);
        let (controls, slack) = match &self.kind {
            Kind::Cubic(whole) => {
                let controls = part_of(whole, span);
                (controls, Slack::rounding(whole))
            }
            Kind::Turn(turn) => turn.within(span),
            Kind::Spline(spline) => spline.within(span),
        };
        Near { controls, slack }
    }

    /// A bound above the length of the way of any point of a ball of the body in a span, rounded up.
    ///
    /// A cubic is no longer than the way along its control points.
    fn travel(&self, span: Span, centre: DVec3, radius: f64) -> f64 {
        let span = self.part.part(span);
        match &self.kind {
            Kind::Cubic(controls) => {
                if self.is_still() {
                    return 0.0;
                }
                let controls = part_of(controls, span);
                let leg = |k: usize| {
                    let step = controls[k + 1].mixed(1.0, &controls[k], -1.0);
                    (step * centre).length() + if radius > 0.0 { step.stretch() * radius } else { 0.0 }
                };
                let rounding = 3.0 * Slack::rounding(&controls).of_ball(centre, radius);
                (leg(0) + leg(1) + leg(2)) * (1.0 + 16.0 * f64::EPSILON) + rounding
            }
            Kind::Turn(turn) => turn.travel(span, centre, radius),
            Kind::Spline(spline) => spline.travel(span, centre, radius),
        }
    }
}

impl MotionPiece {
    /// A part of it as a piece of its own.
    #[must_use]
    pub(super) fn cut(&self, fractions: Span) -> Self {
        if fractions == Span::WHOLE {
            return *self;
        }
        Self { part: self.part.part(fractions), ..*self }.without_reversal()
    }

    /// A cubic has its controls for the part written out, so that they are what defines it.
    pub(super) fn without_reversal(self) -> Self {
        match self.kind {
            Kind::Cubic(controls) if self.part == Span::new(1.0, 0.0) => {
                let [a, b, c, d] = controls;
                Self { kind: Kind::Cubic([d, c, b, a]), part: Span::WHOLE }
            }
            Kind::Cubic(controls) => {
                Self { kind: Kind::Cubic(part_of(&controls, self.part)), part: Span::WHOLE }
            }
            Kind::Turn(turn) if self.part.start > self.part.end => {
                let from = turn.at(self.part.start);
                let length = self.part.start - self.part.end;
                let base = turn.base + turn.drift * self.part.start;
                Self {
                    kind: Kind::Turn(Turn {
                        axis: turn.axis,
                        angle: -turn.angle * length,
                        first: from.linear,
                        arm: from.shift - base,
                        base,
                        drift: -turn.drift * length,
                    }),
                    part: Span::WHOLE,
                }
            }
            _ => self,
        }
    }

    pub(super) fn shear(&self) -> f64 {
        let Some(controls) = self.controls() else { return 0.0 };
        if self.is_still() {
            return controls[0].shear();
        }
        // Entries of the product are of degree six in Bernstein's form, and so within their coefficients; parts make these tight.
        const PARTS: u32 = 16;
        let mut most: f64 = 0.0;
        for k in 0..PARTS {
            let part = Span::new(f64::from(k) / f64::from(PARTS), f64::from(k + 1) / f64::from(PARTS));
            let c = part_of(&controls, part);
            for i in 0..=6usize {
                let mut sum = glam::DMat3::ZERO;
                let mut weights = 0.0;
                for a in i.saturating_sub(3)..=i.min(3) {
                    let weight = [1.0, 3.0, 3.0, 1.0][a] * [1.0, 3.0, 3.0, 1.0][i - a];
                    sum += c[a].linear.transpose() * c[i - a].linear * weight;
                    weights += weight;
                }
                let excess = sum * (1.0 / weights) - glam::DMat3::IDENTITY;
                most = excess.to_cols_array().iter().fold(most, |most, entry| entry.abs().max(most));
            }
        }
        most
    }
}

/// Bézier's control placements of the cubic through four placements at 0, 1/3, 2/3 and 1.
pub(super) fn interpolated(placed: &[Affine; 4]) -> [Affine; 4] {
    let [a, b, c, d] = placed;
    if a == b && a == c && a == d {
        return *placed; // Still, exactly.
    }
    let inner = |a: &Affine, b: &Affine, c: &Affine, d: &Affine| {
        let outer = a.mixed(-5.0, d, 2.0);
        b.mixed(18.0, c, -9.0).mixed(1.0 / 6.0, &outer, 1.0 / 6.0)
    };
    [*a, inner(a, b, c, d), inner(d, c, b, a), *d]
}

/// The value of the symmetric function of three parameters that is the cubic where they are equal (Ramshaw 1989).
#[inline]
pub(super) fn blossom(controls: &[Affine; 4], r: f64, s: f64, t: f64) -> Affine {
    let [a, b, c, d] = controls;
    let step = |p: &Affine, q: &Affine, u: f64| match u {
        0.0 => *p,
        1.0 => *q,
        _ => p.mixed(1.0 - u, q, u),
    };
    let (ab, bc, cd) = (step(a, b, r), step(b, c, r), step(c, d, r));
    step(&step(&ab, &bc, s), &step(&bc, &cd, s), t)
}

/// Control placements of a part.
fn part_of(controls: &[Affine; 4], Span { start, end }: Span) -> [Affine; 4] {
    // What stands still does not tremble by rounding.
    if (start == 0.0 && end == 1.0) || controls[1..] == [controls[0]; 3] {
        return *controls;
    }
    [
        blossom(controls, start, start, start),
        blossom(controls, start, start, end),
        blossom(controls, start, end, end),
        blossom(controls, end, end, end),
    ]
}
