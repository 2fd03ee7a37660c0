//! Cones in cones, on circular edges and on planes, balls in cones.
//!
//! All but a cone on a plane touch all the way round a circle, or two of them with all that is between. The normals there go through one point of the axis, and
//! at the circles between two others the motion of that point is between those of theirs: so the two at the ends say all ([`Ring`]).

use super::Fit;
use crate::local::Feature;
use crate::part::{Facet, Part};
use crate::round::{Kind, Round};
use crate::set::{RING_SIDES, Ring};
use kansho_geom::glam::DVec3;
use kansho_geom::polyhedron::Bend;

/// How much a face beside a circular edge must turn away from the cone that the edge is on, as a sine: far more than rounding. Less is an edge of which nobody
/// can tell whether the face beside it touches.
const CLEAR_OF: f64 = 1e-3;

/// A cone as a round face has it.
#[derive(Clone, Copy)]
struct Cone {
    apex: DVec3,
    axis: DVec3,
    sin: f64,
    cos: f64,
    from_to: [f64; 2],
    hollow: bool,
}

impl Cone {
    fn of(round: &Round) -> Option<Self> {
        let Kind::Cone { apex, axis, half_angle, from_to } = round.kind else { return None };
        let (sin, cos) = half_angle.sin_cos();
        Some(Self { apex, axis, sin, cos, from_to, hollow: round.hollow })
    }

    /// The normal out of the body on the side of a unit vector across the axis.
    fn normal(&self, across: DVec3) -> DVec3 {
        let out = across * self.cos - self.axis * self.sin;
        if self.hollow { -out } else { out }
    }

    fn centre(&self, height: f64) -> DVec3 {
        self.apex + self.axis * height
    }

    fn radius(&self, height: f64) -> f64 {
        height * self.sin / self.cos
    }

    /// What the circle at a height says. `is_fixed` is whether the cone is on the fixed body, so that its normals are those that push.
    fn ring(&self, height: f64, is_fixed: bool, fixed: usize, on: [Feature; 2]) -> Ring {
        // Out of a hollow cone normals point to where it is wider.
        let sign = if self.hollow == is_fixed { 1.0 } else { -1.0 };
        Ring {
            fixed,
            pole: self.centre(height / (self.cos * self.cos)),
            axis: self.axis * sign,
            sine: self.sin,
            reach: -sign * self.radius(height) / self.cos,
            on,
            contacts: [0, 0],
        }
    }
}

/// The ends of the line along which a cone lies on the plane of a face; none if it does not.
pub(super) fn line_on(round: &Round, face: &Facet, touch: f64) -> Option<[DVec3; 2]> {
    let cone = Cone::of(round)?;
    let across = -face.normal.reject_from_normalized(cone.axis).try_normalize()?;
    // Only where the cone's normal is against the face's, not on the other side of the axis.
    (cone.normal(across).dot(face.normal) < 0.0).then_some(())?;
    let line = cone.from_to.map(|h| cone.centre(h) + across * cone.radius(h));
    line.iter().all(|&p| (face.normal.dot(p) - face.offset).abs() <= touch).then_some(line)
}

/// All rings of two bodies.
pub(super) fn fits(moving: &Part, fixed: &Part, number: usize, touch: f64) -> Vec<Fit> {
    let mut fits = Vec::new();
    for (one, other, swapped) in [(moving, fixed, false), (fixed, moving, true)] {
        for (i, round) in (0u32..).zip(&one.rounds) {
            let Some(cone) = Cone::of(round) else { continue };
            for (j, with) in (0u32..).zip(&other.rounds) {
                let in_order = |on: [Feature; 2]| if swapped { [on[1], on[0]] } else { on };
                let on = in_order([Feature::Round(i), Feature::Round(j)]);
                let ring = |height: f64| cone.ring(height, swapped, number, on);
                // Each pair of cones once: by the one that is hollow.
                let encloses = cone.hollow && !with.hollow;
                let band = in_cone(&cone, with, touch).filter(|_| encloses);
                let rings: Vec<Ring> = match (with.kind, band) {
                    (_, Some(band)) => band.map(ring).to_vec(),
                    (Kind::Sphere { centre }, _) if encloses => {
                        ball(&cone, centre, with, touch).map(ring).into_iter().collect()
                    }
                    (Kind::Cylinder { arc: None, .. } | Kind::Cone { .. }, _) => {
                        edges(&cone, other, with, touch).map(ring).collect()
                    }
                    _ => Vec::new(),
                };
                if !rings.is_empty() {
                    let mut faces = [round.faces.clone(), with.faces.clone()];
                    if swapped {
                        faces.reverse();
                    }
                    fits.push(Fit { faces, contacts: Vec::new(), rings, sag: round.sag + with.sag });
                }
            }
        }
    }
    fits
}

/// Where a cone lies in another along all that they have in common, as heights of the outer one; none if it does not.
fn in_cone(outer: &Cone, round: &Round, touch: f64) -> Option<[f64; 2]> {
    let inner = Cone::of(round)?;
    if !(outer.axis.dot(inner.axis) > 0.0) {
        return None;
    }
    let height = |x: DVec3| outer.axis.dot(x - outer.apex);
    let [low, high] = inner.from_to.map(|h| height(inner.centre(h)));
    let band = [low.max(outer.from_to[0]), high.min(outer.from_to[1])];
    let lies = |h: f64| {
        // The circle of the inner cone whose centre is at this height.
        let own = (h - height(inner.apex)) / outer.axis.dot(inner.axis);
        is_on(outer, inner.centre(own), inner.axis, inner.radius(own), touch)
    };
    (band[1] - band[0] > 2.0 * touch && band.iter().all(|&h| lies(h))).then_some(band)
}

/// Whether a circle about an axis lies on a cone.
fn is_on(cone: &Cone, centre: DVec3, axis: DVec3, radius: f64, touch: f64) -> bool {
    let height = cone.axis.dot(centre - cone.apex);
    let off = (centre - cone.apex).reject_from_normalized(cone.axis).length();
    let tilt = axis.cross(cone.axis).length() * radius;
    let gap = (radius - cone.radius(height)).abs() * cone.cos;
    off + tilt + gap <= touch
}

/// The height at which a ball touches a hollow cone all the way round.
fn ball(cone: &Cone, centre: DVec3, round: &Round, touch: f64) -> Option<f64> {
    let height = cone.axis.dot(centre - cone.apex);
    let off = (centre - cone.apex).reject_from_normalized(cone.axis).length();
    let gap = (height * cone.sin - round.radius).abs();
    let at = height * cone.cos * cone.cos;
    let [from, to] = cone.from_to;
    let (u, v) = cone.axis.any_orthonormal_pair();
    let is_there = (0..RING_SIDES).all(|k| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / RING_SIDES as f64).sin_cos();
        round.is_there(-cone.normal(u * cos + v * sin))
    });
    (off + gap <= touch && at > from + touch && at < to - touch && is_there).then_some(at)
}

/// The heights at which circular edges of a round face of another body lie on a cone, away from its ends, and nothing but the edge does.
fn edges<'a>(
    cone: &'a Cone,
    other: &'a Part,
    round: &'a Round,
    touch: f64,
) -> impl Iterator<Item = f64> + 'a {
    let circles = match round.kind {
        Kind::Cylinder { ends: [p, q], .. } => {
            (q - p).try_normalize().map(|axis| [(p, axis, round.radius), (q, axis, round.radius)])
        }
        Kind::Cone { .. } => {
            Cone::of(round).map(|own| own.from_to.map(|h| (own.centre(h), own.axis, own.radius(h))))
        }
        Kind::Sphere { .. } => None,
    };
    circles.into_iter().flatten().filter_map(move |(centre, axis, radius)| {
        let height = cone.axis.dot(centre - cone.apex);
        let inside = height > cone.from_to[0] + touch && height < cone.from_to[1] - touch;
        (radius > 2.0 * touch
            && inside
            && is_on(cone, centre, axis, radius, touch)
            && is_sharp(cone, other, round, (centre, axis, radius), touch))
        .then_some(height)
    })
}

/// Whether the edge of a round face along a circle is convex, and both faces beside it lead away from a cone that it is on.
fn is_sharp(
    cone: &Cone,
    part: &Part,
    round: &Round,
    (centre, axis, radius): (DVec3, DVec3, f64),
    touch: f64,
) -> bool {
    let at_rim = |p: DVec3| {
        let from = p - centre;
        axis.dot(from).abs() <= 4.0 * touch
            && (from.reject_from_normalized(axis).length() - radius).abs() <= 4.0 * touch
    };
    let mut rim = part
        .edges
        .iter()
        .filter(|e| e.faces.iter().filter(|f| round.faces.contains(f)).count() == 1)
        .filter(|e| part.ends(e).iter().all(|&p| at_rim(p)))
        .peekable();
    let clear = |edge: &crate::part::Side| {
        let [p, q] = part.ends(edge);
        let middle = p.midpoint(q);
        let Some(across) = (middle - centre).reject_from_normalized(cone.axis).try_normalize() else {
            return false;
        };
        let away = cone.normal(across);
        // Into each face from the edge, across it: the face on the left of the edge is on the left seen from outside.
        let [left, right] = edge.faces.map(|f| (f, part.faces[f as usize].normal));
        let into = [(left, q - p), (right, p - q)].map(|((f, normal), along)| {
            let flat = normal.cross(along).normalize_or_zero();
            part.round_of[f as usize]
                .and_then(|r| generator(&part.rounds[r as usize], across, flat))
                .unwrap_or(flat)
        });
        edge.bend == Bend::Convex && into.iter().all(|t| t.dot(away) > CLEAR_OF)
    };
    rim.peek().is_some() && rim.all(clear)
}

/// The direction of the straight line of a round face on the side of a vector across its axis, as near as can be to a direction.
fn generator(round: &Round, across: DVec3, near: DVec3) -> Option<DVec3> {
    let line = match round.kind {
        Kind::Cylinder { ends: [p, q], .. } => (q - p).try_normalize()?,
        Kind::Cone { .. } => {
            let cone = Cone::of(round)?;
            cone.axis * cone.cos + across * cone.sin
        }
        Kind::Sphere { .. } => return None,
    };
    Some(if line.dot(near) < 0.0 { -line } else { line })
}
