//! Where two bodies touch, as shapes: polygons with holes, segments, points.

use crate::part::{Facet, Part};
use crate::set::Contact;
use kansho_geom::glam::{DVec2, DVec3};

/// A connected place at which two bodies touch.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// Faces on each other.
    Polygon {
        /// Outlines, counter-clockwise seen from the moving side (along the normal), and holes, clockwise.
        loops: Vec<Vec<DVec3>>,
        /// From the fixed body to the moving one.
        normal: DVec3,
    },
    /// An edge on a face or along an edge.
    Segment([DVec3; 2]),
    /// A point.
    Point(DVec3),
}

/// The shapes of all contacts between two parts. `contacts` are those that were found between them.
#[must_use]
pub fn regions(moving: &Part, fixed: &Part, contacts: &[&Contact], touch: f64) -> Vec<Region> {
    let mut regions = Vec::new();
    for face in &fixed.faces {
        for over in &moving.faces {
            let opposite = over.normal.dot(face.normal) < 0.0
                && over.normal.cross(face.normal).length() <= 2.0 * over.angle.max(face.angle) + 1e-9;
            if opposite
                && boxes_meet(over, face, touch)
                && let loops = common(moving, over, fixed, face, touch)
                && !loops.is_empty()
            {
                regions.push(Region::Polygon { loops, normal: face.normal });
            }
        }
    }
    for (one, other) in [(moving, fixed), (fixed, moving)] {
        for edge in &one.edges {
            let [p, q] = one.ends(edge);
            for face in &other.faces {
                for [from, to] in inside_of(p, q, other, face, touch) {
                    let middle = from.midpoint(to);
                    let known = regions.iter().any(|region| region.holds(middle, 2.0 * touch));
                    if from.distance(to) > 4.0 * touch && !known {
                        regions.push(Region::Segment([from, to]));
                    }
                }
            }
        }
    }
    for contact in contacts {
        if !regions.iter().any(|region| region.holds(contact.point, 2.0 * touch)) {
            regions.push(Region::Point(contact.point));
        }
    }
    regions
}

impl Region {
    /// Area of a polygon, zero of the others.
    #[must_use]
    pub fn area(&self) -> f64 {
        match self {
            Self::Polygon { loops, normal } => {
                loops.iter().map(|ring| 0.5 * normal.dot(kansho_geom::polygon::newell(ring))).sum()
            }
            _ => 0.0,
        }
    }

    fn holds(&self, point: DVec3, tolerance: f64) -> bool {
        match self {
            Self::Point(p) => p.distance(point) <= tolerance,
            Self::Segment([p, q]) => to_segment(point, *p, *q) <= tolerance,
            Self::Polygon { loops, normal } => {
                let (u, v) = normal.any_orthonormal_pair();
                let flat = |p: DVec3| DVec2::new(u.dot(p - point), v.dot(p - point));
                let height = normal.dot(point - loops[0][0]).abs();
                let rings: Vec<Vec<DVec2>> =
                    loops.iter().map(|r| r.iter().map(|&p| flat(p)).collect()).collect();
                height <= tolerance && place(DVec2::ZERO, &rings, tolerance) != Place::Outside
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Inside,
    On,
    Outside,
}

/// Where a point is to some rings.
fn place(point: DVec2, rings: &[Vec<DVec2>], tolerance: f64) -> Place {
    let mut inside = false;
    for ring in rings {
        for (i, &a) in ring.iter().enumerate() {
            let (a, b) = (a - point, ring[(i + 1) % ring.len()] - point);
            let along = b - a;
            let t = (-a.dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            if (a + along * t).length() <= tolerance {
                return Place::On;
            }
            if (a.y > 0.0) != (b.y > 0.0) && a.x + along.x * (-a.y / along.y) > 0.0 {
                inside = !inside;
            }
        }
    }
    if inside { Place::Inside } else { Place::Outside }
}

/// The polygon that two faces on each other have in common: the parts of each outline inside the other, and those sides that
/// both have, joined to rings.
fn common(moving: &Part, over: &Facet, fixed: &Part, face: &Facet, touch: f64) -> Vec<Vec<DVec3>> {
    let [u, v] = face.axes();
    let origin = face.normal * face.offset;
    let flat = |p: DVec3| DVec2::new(u.dot(p - origin), v.dot(p - origin));
    let rings = |part: &Part, facet: &Facet| -> Vec<Vec<DVec2>> {
        facet.loops.iter().map(|ring| ring.iter().map(|&c| flat(part.at(c))).collect()).collect()
    };
    let low = rings(fixed, face);
    let mut high = rings(moving, over);
    high.iter_mut().for_each(|ring| ring.reverse());
    if over.loops.iter().flatten().any(|&c| (face.normal.dot(moving.at(c)) - face.offset).abs() > 4.0 * touch)
    {
        return Vec::new();
    }
    let mut pieces: Vec<[DVec2; 2]> = Vec::new();
    for (own, other, first) in [(&low, &high, true), (&high, &low, false)] {
        for ring in own {
            for (i, &a) in ring.iter().enumerate() {
                for [p, q] in split(a, ring[(i + 1) % ring.len()], other, touch) {
                    let middle = p.midpoint(q);
                    let keep = match place(middle, other, touch) {
                        Place::Inside => true,
                        Place::Outside => false,
                        // A common side counts once, and only if both faces lie on the same side of it.
                        Place::On => first && runs_along(middle, q - p, other, touch),
                    };
                    if keep {
                        pieces.push([p, q]);
                    }
                }
            }
        }
    }
    let lift = |p: DVec2| origin + u * p.x + v * p.y;
    chained(pieces, 3.0 * touch).into_iter().map(|ring| ring.into_iter().map(lift).collect()).collect()
}

/// Whether a side of some rings at a point runs in the same direction.
fn runs_along(point: DVec2, direction: DVec2, rings: &[Vec<DVec2>], tolerance: f64) -> bool {
    rings.iter().any(|ring| {
        ring.iter().enumerate().any(|(i, &a)| {
            let b = ring[(i + 1) % ring.len()];
            let along = b - a;
            let t = ((point - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            (a + along * t).distance(point) <= tolerance
                && along.dot(direction) > 0.9 * along.length() * direction.length()
        })
    })
}

/// A side cut where it meets sides or corners of rings.
fn split(a: DVec2, b: DVec2, rings: &[Vec<DVec2>], tolerance: f64) -> Vec<[DVec2; 2]> {
    let along = b - a;
    let length = along.length();
    let mut cuts = vec![0.0, 1.0];
    for ring in rings {
        for (i, &c) in ring.iter().enumerate() {
            let d = ring[(i + 1) % ring.len()];
            let t = (c - a).dot(along) / (length * length);
            if (a + along * t).distance(c) <= tolerance {
                cuts.push(t);
            }
            let other = d - c;
            let across = along.perp_dot(other);
            if across.abs() > 1e-12 * length * other.length() {
                let t = (c - a).perp_dot(other) / across;
                let s = (c - a).perp_dot(along) / across;
                if (0.0..=1.0).contains(&s) {
                    cuts.push(t);
                }
            }
        }
    }
    cuts.retain(|t| (0.0..=1.0).contains(t));
    cuts.sort_by(f64::total_cmp);
    let mut pieces = Vec::new();
    let mut from = 0.0;
    for &to in &cuts {
        if (to - from) * length > 2.0 * tolerance {
            pieces.push([a + along * from, a + along * to]);
            from = to;
        }
    }
    pieces
}

/// Sides joined to rings, each end to the nearest start; corners on straight lines are left out.
fn chained(mut pieces: Vec<[DVec2; 2]>, tolerance: f64) -> Vec<Vec<DVec2>> {
    let mut rings = Vec::new();
    while let Some([start, mut end]) = pieces.pop() {
        let mut ring = vec![start];
        while end.distance(start) > tolerance {
            let next = (0..pieces.len())
                .min_by(|&i, &j| pieces[i][0].distance(end).total_cmp(&pieces[j][0].distance(end)));
            let Some(next) = next.filter(|&i| pieces[i][0].distance(end) <= tolerance) else { break };
            let [from, to] = pieces.swap_remove(next);
            ring.push(from);
            end = to;
        }
        let count = ring.len();
        let bends = |i: usize| {
            let (before, here, after) = (ring[(i + count - 1) % count], ring[i], ring[(i + 1) % count]);
            (here - before).perp_dot(after - here).abs() > tolerance * (after - before).length()
        };
        let ring: Vec<DVec2> = (0..count).filter(|&i| bends(i)).map(|i| ring[i]).collect();
        if ring.len() >= 3 {
            rings.push(ring);
        }
    }
    // The outer ones first.
    rings.sort_by(|a, b| area(b).total_cmp(&area(a)));
    rings
}

fn area(ring: &[DVec2]) -> f64 {
    (0..ring.len()).map(|i| 0.5 * ring[i].perp_dot(ring[(i + 1) % ring.len()])).sum()
}

/// The parts of an edge that lie on a face.
fn inside_of(p: DVec3, q: DVec3, part: &Part, face: &Facet, touch: f64) -> Vec<[DVec3; 2]> {
    let height = |x: DVec3| face.normal.dot(x) - face.offset;
    // An edge that is not in the plane leaves it within a fraction of its length.
    if height(p).abs() > touch || height(q).abs() > touch {
        return Vec::new();
    }
    let [u, v] = face.axes();
    let flat = |x: DVec3| DVec2::new(u.dot(x - p), v.dot(x - p));
    let rings: Vec<Vec<DVec2>> =
        face.loops.iter().map(|ring| ring.iter().map(|&c| flat(part.at(c))).collect()).collect();
    split(flat(p), flat(q), &rings, touch)
        .into_iter()
        .filter(|[a, b]| place(a.midpoint(*b), &rings, touch) != Place::Outside)
        .map(|piece| piece.map(|x| p + u * x.x + v * x.y))
        .collect()
}

pub(crate) fn to_segment(point: DVec3, p: DVec3, q: DVec3) -> f64 {
    let along = q - p;
    let t = ((point - p).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    point.distance(p + along * t)
}

fn boxes_meet(a: &Facet, b: &Facet, touch: f64) -> bool {
    (b.aabb.min() - a.aabb.max()).max(a.aabb.min() - b.aabb.max()).max_element() <= touch
}
