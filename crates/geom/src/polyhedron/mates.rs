use crate::mesh::{Edges, HalfEdge, Mesh};
use crate::sign::{Side, collinear, orient2d, orient3d};
use glam::{DVec2, DVec3};
use std::cmp::Ordering;

/// For each side of each triangle, the side of its neighbour along the same edge.
pub(super) struct Mates {
    of: Vec<Option<HalfEdge>>,
    /// Edges at which the triangles do not say what is inside: there, none has a mate.
    pub(super) unclear: Vec<[u32; 2]>,
}

impl Mates {
    pub(super) fn find(mesh: &Mesh, edges: &Edges, tolerances: &[f64]) -> Self {
        let mut mates = Self { of: vec![None; mesh.triangles().len() * 3], unclear: Vec::new() };
        for (ends, sides) in edges.iter() {
            let is_forward = |h: &HalfEdge| h.ends(mesh.triangles()) == ends;
            match sides {
                [_] => {}
                [a, b] if is_forward(a) != is_forward(b) => mates.join(*a, *b),
                _ => match around_edge(mesh, ends, sides, tolerances[sides[0].triangle()]) {
                    Some(pairs) => pairs.into_iter().for_each(|[a, b]| mates.join(a, b)),
                    None => mates.unclear.push(ends),
                },
            }
        }
        mates
    }

    pub(super) fn of(&self, side: HalfEdge) -> Option<HalfEdge> {
        self.of[side.index()]
    }

    fn join(&mut self, a: HalfEdge, b: HalfEdge) {
        self.of[a.index()] = Some(b);
        self.of[b.index()] = Some(a);
    }
}

/// Pairs the sides along a crowded edge so that each pair bounds a wedge of material, if they can be.
///
/// Look at the edge with its upper vertex toward you. A triangle that runs forward has its outside just
/// counter-clockwise of it, one that runs backward just clockwise. So material lies between a backward triangle and
/// the next forward one counter-clockwise; the two kinds must alternate.
///
/// Angles are compared exactly. Triangles that lie on each other, within the tolerance, may stand in any order, and those
/// without area anywhere: they are placed so that the kinds alternate, if that can be. Where everything stands back to
/// back, as along the edges inside a sheet with two sides, both orders would do; then the sides of neighbouring sheets
/// are paired, not the two of one.
fn around_edge(
    mesh: &Mesh,
    ends: [u32; 2],
    sides: &[HalfEdge],
    tolerance: f64,
) -> Option<Vec<[HalfEdge; 2]>> {
    let at = |v: u32| mesh.vertices()[v as usize];
    let axis = ends.map(at);
    let third = |h: HalfEdge| at(h.opposite(mesh.triangles()));
    let is_forward = |h: HalfEdge| h.ends(mesh.triangles()) == ends;
    let (flat, fan): (Vec<HalfEdge>, Vec<HalfEdge>) =
        sides.iter().partition(|&&h| collinear(axis[0], axis[1], third(h)));
    let mut flat: [Vec<HalfEdge>; 2] =
        [false, true].map(|forward| flat.iter().copied().filter(|&h| is_forward(h) == forward).collect());

    let mut groups = groups_by_angle(axis, fan, third, tolerance);
    // Begin where one kind prevails; the rest then follows.
    let excess = |group: &[HalfEdge]| group.iter().map(|&h| if is_forward(h) { 1 } else { -1 }).sum::<i32>();
    let begin = groups.iter().position(|group| excess(group) != 0).unwrap_or(0);
    groups.rotate_left(begin);
    let first_is_forward = groups.first().is_none_or(|group| excess(group) >= 0);
    let mut wanted = first_is_forward;
    let mut order = Vec::with_capacity(sides.len());
    for group in &groups {
        if excess(group) != 0 && (excess(group) > 0) != wanted {
            order.push(flat[usize::from(wanted)].pop()?);
            wanted = !wanted;
        }
        let mut kinds =
            [false, true].map(|forward| group.iter().copied().filter(move |&h| is_forward(h) == forward));
        while let Some(next) = kinds[usize::from(wanted)].next() {
            order.push(next);
            wanted = !wanted;
        }
    }
    while let Some(next) = flat[usize::from(wanted)].pop() {
        order.push(next);
        wanted = !wanted;
    }
    let alternates = wanted == first_is_forward && order.len() == sides.len();
    let wedge = |i: usize| [order[i], order[(i + 1) % order.len()]];
    alternates.then(|| (0..order.len()).filter(|&i| !is_forward(order[i])).map(wedge).collect())
}

/// Sides around an edge, counter-clockwise, those together that lie on each other.
fn groups_by_angle(
    axis: [DVec3; 2],
    mut fan: Vec<HalfEdge>,
    third: impl Fn(HalfEdge) -> DVec3,
    tolerance: f64,
) -> Vec<Vec<HalfEdge>> {
    let Some(zero) = fan.first().map(|&h| third(h)) else { return Vec::new() };
    fan.sort_by(|&a, &b| by_angle(axis, zero, third(a), third(b)));
    let together = |a: HalfEdge, b: HalfEdge| {
        by_angle(axis, zero, third(a), third(b)).is_eq() || coincide(axis, third(a), third(b), tolerance)
    };
    // Let the circle begin between two groups.
    let begin = (1..fan.len()).find(|&i| !together(fan[i - 1], fan[i])).unwrap_or(0);
    fan.rotate_left(begin);
    let mut groups: Vec<Vec<HalfEdge>> =
        fan.chunk_by(|&a, &b| together(a, b)).map(<[HalfEdge]>::to_vec).collect();
    let height = |h: HalfEdge| third(h).distance_squared(axis[0]);
    for group in &mut groups {
        group.sort_by(|&a, &b| height(a).total_cmp(&height(b)));
    }
    groups
}

/// Whether two triangles on a common edge lie on each other: the angle between them is no more than the tolerance makes
/// of their heights.
fn coincide([from, to]: [DVec3; 2], p: DVec3, q: DVec3, tolerance: f64) -> bool {
    let Some(along) = (to - from).try_normalize() else { return false };
    let [p, q] = [p, q].map(|p| (p - from).reject_from_normalized(along));
    p.dot(q) > 0.0 && p.cross(q).length() <= tolerance * (p.length() + q.length())
}

/// Compares the angles of two points about an axis, counted from `zero` and decided exactly. None
/// of the three may lie on the line.
fn by_angle([from, to]: [DVec3; 2], zero: DVec3, p: DVec3, q: DVec3) -> Ordering {
    // Same direction, first half turn, opposite direction, second half turn.
    let quarter = |p: DVec3| match orient3d(from, to, zero, p) {
        Side::Above => 1,
        Side::Below => 3,
        Side::On if same_side_of_line(from, to, zero, p) => 0,
        Side::On => 2,
    };
    quarter(p).cmp(&quarter(q)).then_with(|| match orient3d(from, to, p, q) {
        Side::Above => Ordering::Less,
        Side::On => Ordering::Equal,
        Side::Below => Ordering::Greater,
    })
}

/// Whether two points in one plane with a line lie on the same side of it; neither may lie on it.
fn same_side_of_line(from: DVec3, to: DVec3, p: DVec3, q: DVec3) -> bool {
    let side = |p: DVec3, axis: usize| {
        let shadow = |p: DVec3| DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3]);
        orient2d(shadow(from), shadow(to), shadow(p))
    };
    (0..3)
        .map(|axis| (side(p, axis), side(q, axis)))
        .find(|(p, _)| *p != Side::On)
        .is_some_and(|(p, q)| p == q)
}
