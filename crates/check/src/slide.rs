//! Can a body be pushed straight along a direction, sliding along what it touches?
//!
//! A motion that begins in contact and keeps it cannot be proven free by gaps. For a straight push there is another proof.
//! Look along the direction: over every line parallel to it, the body collides if and only if a face that it leaves through (a
//! front of it) lies before a face through which the line enters the other body (a back of that), nearer than the way. So
//! the push is free if no front and back that lie over each other, over more than a line, are in that order.
//!
//! Contacts may be named by their triangles. Named pairs of faces that are almost parallel to the way, so that seen along it
//! they are narrower than the tolerance, may slide along each other, and overlap by no more than that. All others are
//! checked.

use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::mesh::{self, Edges};
use kansho_geom::{Mesh, Pose};

/// A body in its place.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// Its triangles.
    pub mesh: &'a Mesh,
    /// Where they are.
    pub world_from_mesh: Pose,
}

/// A contact that may stay: faces of the moving and of the fixed body, each as all of its triangles.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// Triangles of one face of the moving body.
    pub moving: Vec<u32>,
    /// Triangles of one face of the fixed body.
    pub fixed: Vec<u32>,
}

/// What a push comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Push {
    /// Proven: on the whole way the insides have no common point, but for named contacts that overlap by at most the
    /// tolerance.
    Free,
    /// The bodies collide.
    Touches {
        /// After this way.
        after: f64,
        /// With these triangles of the moving and the fixed body.
        triangles: [u32; 2],
        /// Here, on the fixed body.
        point: DVec3,
    },
    /// Nothing is known: the direction is none, a length is no length, a surface is open, or the bodies are so far out that
    /// their areas are no numbers.
    Undecided,
}

/// Coordinates from here on are not looked at, in metres: areas of triangles would not be finite numbers.
const FARTHEST: f64 = 1e100;

/// Overlaps that are narrower than this fraction of the coordinates are roundings of faces that end at the same line.
///
/// Corners are placed and projected with some ten roundings of 2⁻⁵³ each.
pub const ROUNDING: f64 = 1e-13;

/// Pushes a body along a unit vector for `length` metres, among named contacts that may overlap by `tolerance`.
///
/// The bodies must not be in each other deeper than the tolerance to begin with; the answer is about the way. Both must be closed,
/// but for cracks narrower than the tolerance: what a line enters it must leave. Of open ones nothing is known.
#[must_use]
pub fn push(
    moving: Placed,
    fixed: Placed,
    direction: DVec3,
    length: f64,
    named: &[Named],
    tolerance: f64,
) -> Push {
    let Some(direction) = direction.try_normalize() else {
        return Push::Undecided;
    };
    if ![length, tolerance].iter().all(|asked| (0.0..FARTHEST).contains(asked)) {
        return Push::Undecided;
    }
    if ![moving.mesh, fixed.mesh].iter().all(|mesh| is_closed(mesh, tolerance)) {
        return Push::Undecided;
    }
    let (u, v) = direction.any_orthonormal_pair();
    let seen = |body: &Placed| -> Vec<Seen> {
        (0u32..)
            .zip(body.mesh.corners())
            .map(|(number, corners)| {
                let corners = corners.map(|p| body.world_from_mesh * p);
                Seen::of(
                    number,
                    corners.map(|p| DVec2::new(u.dot(p), v.dot(p))),
                    corners.map(|p| direction.dot(p)),
                )
            })
            .collect()
    };
    let (of_moving, of_fixed) = (seen(&moving), seen(&fixed));
    let numbers = of_moving.iter().chain(&of_fixed).flat_map(Seen::numbers);
    // Also what is no number: `max` would drop it.
    if !numbers.clone().all(|x| x.abs() < FARTHEST) {
        return Push::Undecided;
    }
    let reach = numbers.fold(0.0f64, |most, x| most.max(x.abs()));
    let rounding = ROUNDING * reach;
    // Faces that are narrow as seen along the way; the whole face, not its triangles one by one.
    let narrow = |triangles: &[u32], all: &[Seen]| width(triangles, all) <= tolerance;
    let may_slide: Vec<&Named> =
        named.iter().filter(|n| narrow(&n.moving, &of_moving) || narrow(&n.fixed, &of_fixed)).collect();
    let fronts: Vec<&Seen> = of_moving.iter().filter(|t| t.area() > 0.0).collect();
    let backs: Vec<&Seen> = of_fixed.iter().filter(|t| t.area() < 0.0).collect();
    let touch = tolerance.max(rounding);
    let mut first: Option<(f64, [u32; 2], DVec3)> = None;
    for front in fronts {
        for back in &backs {
            if front.across(back.top() - front.bottom(), back) < -DEEPER * touch
                || back.bottom() - front.top() > length
            {
                continue;
            }
            if !front.boxes_overlap(back) {
                continue;
            }
            let overlap = common(&front.flat, &back.flat);
            if !(inner_width(&overlap) > rounding) {
                continue;
            }
            let pair = |n: &&Named| n.moving.contains(&front.number) && n.fixed.contains(&back.number);
            if may_slide.iter().any(pair) {
                continue;
            }
            let ways: Vec<f64> = overlap.iter().map(|&p| back.height_at(p) - front.height_at(p)).collect();
            let least = ways.iter().copied().fold(f64::INFINITY, f64::min);
            if least >= length || is_behind(front, back, &overlap, &ways, touch) {
                continue;
            }
            let after = least.max(0.0);
            if first.is_none_or(|(known, ..)| after < known) {
                let middle = overlap.iter().copied().sum::<DVec2>() / overlap.len() as f64;
                let point = u * middle.x + v * middle.y + direction * back.height_at(middle);
                first = Some((after, [front.number, back.number], point));
            }
        }
    }
    first.map_or(Push::Free, |(after, triangles, point)| Push::Touches { after, triangles, point })
}

/// A front that is farther than this many tolerances before a back, across the faces, is not in it, for bodies are not that deep in
/// each other to begin with: more than one, because at the border of what they have in common other faces are near.
const DEEPER: f64 = 2.0;

/// Whether a back lies behind a front, so that the body moves away from it.
///
/// They may touch along an edge or at a corner of what they have in common, and noise may put them in the wrong order near it, but no
/// farther from where the order is right than the tolerance, as seen along the way. What is behind all over must be so by
/// more than bodies may be in each other to begin with, measured across the faces: a steep contact that is in the way may be
/// deep as measured along it. Numbers that are not finite prove nothing.
fn is_behind(front: &Seen, back: &Seen, overlap: &[DVec2], ways: &[f64], touch: f64) -> bool {
    let corners = || overlap.iter().zip(ways);
    let Some((&lowest, &least)) = corners().min_by(|a, b| a.1.total_cmp(b.1)) else { return false };
    // The distance from the convex set of points in the right order is a convex function, so it is largest at a corner; the
    // line to the lowest corner has a point of the set.
    let near = |(p, way): (&DVec2, &f64)| *way <= 0.0 || p.distance(lowest) * way / (way - least) <= touch;
    front.across(least, back) < -DEEPER * touch && corners().all(near)
}

/// Whether a line leaves what it enters: every edge has as many triangles one way as the other, if need be after cracks up to the
/// tolerance are closed.
fn is_closed(mesh: &Mesh, tolerance: f64) -> bool {
    let holds = |mesh: &Mesh| {
        Edges::of(mesh).iter().all(|([from, _], sides)| {
            2 * sides.iter().filter(|side| side.ends(mesh.triangles())[0] == from).count() == sides.len()
        })
    };
    holds(mesh)
        || mesh::weld(mesh.vertices(), mesh.triangles(), tolerance).is_ok_and(|welded| holds(&welded.mesh))
}

/// A triangle as seen along the way.
struct Seen {
    number: u32,
    flat: [DVec2; 3],
    height: [f64; 3],
    /// Of its area, the share that is seen along the way: the cosine between its normal and the way.
    share: f64,
}

impl Seen {
    fn of(number: u32, flat: [DVec2; 3], height: [f64; 3]) -> Self {
        let corners: [DVec3; 3] = std::array::from_fn(|k| flat[k].extend(height[k]));
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let share = normal.z.abs() / normal.length().max(f64::MIN_POSITIVE);
        Self { number, flat, height, share }
    }

    /// A way between this face and another, as measured across the flatter of the two.
    fn across(&self, way: f64, other: &Self) -> f64 {
        way * self.share.max(other.share)
    }

    /// Twice the area; positive of a front.
    fn area(&self) -> f64 {
        let [a, b, c] = self.flat;
        (b - a).perp_dot(c - a)
    }

    fn numbers(&self) -> [f64; 9] {
        let [a, b, c] = self.flat;
        let [x, y, z] = self.height;
        [a.x, a.y, b.x, b.y, c.x, c.y, x, y, z]
    }

    fn top(&self) -> f64 {
        self.height.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    fn bottom(&self) -> f64 {
        self.height.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn boxes_overlap(&self, other: &Self) -> bool {
        let low = |t: &Self| t.flat[0].min(t.flat[1]).min(t.flat[2]);
        let high = |t: &Self| t.flat[0].max(t.flat[1]).max(t.flat[2]);
        let (a, b) = (low(self).max(low(other)), high(self).min(high(other)));
        a.x <= b.x && a.y <= b.y
    }

    /// Height of its plane over a point of its shadow.
    fn height_at(&self, p: DVec2) -> f64 {
        let [a, b, c] = self.flat;
        let whole = self.area();
        let (s, t) = ((p - a).perp_dot(c - a) / whole, (b - a).perp_dot(p - a) / whole);
        // Kept within the corners: of a sliver the plane is steep, but the triangle is not.
        (self.height[0] + s * (self.height[1] - self.height[0]) + t * (self.height[2] - self.height[0]))
            .clamp(self.bottom(), self.top())
    }
}

/// How wide a set of triangles is as seen along the way: its shadow's extent across its longest direction.
fn width(triangles: &[u32], all: &[Seen]) -> f64 {
    let points: Vec<DVec2> =
        triangles.iter().filter_map(|&t| all.get(t as usize)).flat_map(|t| t.flat).collect();
    let far =
        |from: DVec2| points.iter().copied().max_by(|p, q| p.distance(from).total_cmp(&q.distance(from)));
    let Some(a) = points.first().and_then(|&p| far(p)) else { return f64::INFINITY };
    let Some(b) = far(a) else { return f64::INFINITY };
    let Some(along) = (b - a).try_normalize() else { return 0.0 };
    let across = points.iter().map(|&p| along.perp_dot(p - a));
    let (low, high) = across.fold((0.0f64, 0.0f64), |(l, h), x| (l.min(x), h.max(x)));
    high - low
}

/// What two shadows have in common: a convex polygon.
fn common(front: &[DVec2; 3], back: &[DVec2; 3]) -> Vec<DVec2> {
    let [a, b, c] = *back;
    let clip = [a, c, b]; // A back is seen from behind: turned round it runs counter-clockwise.
    let mut polygon: Vec<DVec2> = front.to_vec();
    for i in 0..3 {
        let (from, along) = (clip[i], clip[(i + 1) % 3] - clip[i]);
        let inside = |p: DVec2| along.perp_dot(p - from);
        let mut next = Vec::with_capacity(polygon.len() + 1);
        for (k, &p) in polygon.iter().enumerate() {
            let q = polygon[(k + 1) % polygon.len()];
            let (x, y) = (inside(p), inside(q));
            if x >= 0.0 {
                next.push(p);
            }
            if (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0) {
                next.push(p + (q - p) * (x / (x - y)));
            }
        }
        polygon = next;
    }
    polygon
}

/// Twice the area over the longest distance: no more than twice how wide a convex polygon is.
fn inner_width(polygon: &[DVec2]) -> f64 {
    if polygon.len() < 3 {
        return 0.0;
    }
    let area: f64 =
        (1..polygon.len() - 1).map(|i| (polygon[i] - polygon[0]).perp_dot(polygon[i + 1] - polygon[0])).sum();
    let longest =
        polygon.iter().flat_map(|p| polygon.iter().map(move |q| p.distance(*q))).fold(0.0, f64::max);
    if longest > 0.0 { area.abs() / longest } else { 0.0 }
}
