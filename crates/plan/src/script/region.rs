//! Where features in one plane or on one line touch, and on which parts of a straight way.

use super::body::{Member, from_segment, from_triangle};
use kansho_geom::Pose;
use kansho_geom::glam::{DVec2, DVec3};

/// Corners of what two features have in common, in the world, if they lie in one plane or on one line; nothing if they have
/// nothing in common within the tolerance.
pub(super) fn common(m: &Member, f: &Member, pose: Pose, tolerance: f64) -> Vec<DVec3> {
    if let (Member::Axis { .. }, _) | (_, Member::Axis { .. }) = (m, f) {
        // A line without ends.
        return match m {
            Member::Axis { ends } | Member::Edge(super::body::Line { ends, .. }) => {
                ends.map(|p| pose * p).to_vec()
            }
            Member::Vertex(corner) => vec![pose * corner.point],
            Member::Face(_) => Vec::new(),
        };
    }
    let (own, other) = (pieces(m, pose), pieces(f, Pose::IDENTITY));
    let frame = frame(m, f, pose);
    let mut points: Vec<DVec3> = Vec::new();
    for a in &own {
        for b in &other {
            let flat =
                |piece: &[DVec3]| -> Vec<DVec2> { piece.iter().map(|&p| flattened(p, &frame)).collect() };
            for p in clipped(&flat(a), &flat(b), tolerance) {
                let back = frame[0] + frame[1] * p.x + frame[2] * p.y;
                // Shadows may overlap where the features do not.
                let there = is_near(back, a, tolerance) && is_near(back, b, tolerance);
                if there && !points.iter().any(|known| known.distance(back) <= tolerance) {
                    points.push(back);
                }
            }
        }
    }
    points
}

/// Parts of a straight way on which two features have points in common, up to a tolerance, if they are in one plane all the while. Convex pieces touch in
/// intervals that have a closed form: along every normal of a side of either, shadows must overlap.
pub(super) fn intervals(m: &Member, f: &Member, from: Pose, by: DVec3, tolerance: f64) -> Vec<[f64; 2]> {
    if let (Member::Axis { .. }, _) | (_, Member::Axis { .. }) = (m, f) {
        return vec![[0.0, 1.0]];
    }
    let frame = frame(m, f, from);
    let flat = |piece: &[DVec3]| -> Vec<DVec2> { piece.iter().map(|&p| flattened(p, &frame)).collect() };
    let shift = DVec2::new(frame[1].dot(by), frame[2].dot(by));
    let mut found = Vec::new();
    for a in pieces(m, from) {
        for b in pieces(f, Pose::IDENTITY) {
            found.extend(interval(&flat(&a), &flat(&b), shift, tolerance));
        }
    }
    found
}

/// How far a point that is on a face goes straight on until it leaves it, as a fraction of the way; none if it does not.
pub(super) fn leaves(point: DVec3, face: &Member, by: DVec3, tolerance: f64) -> Option<f64> {
    let own =
        Member::Vertex(super::body::Corner { point, patch: kansho_check::sliding_contact::Patch::default() });
    let mut all = intervals(&own, face, Pose::IDENTITY, by, tolerance);
    all.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut reached = 0.0;
    for [start, end] in all {
        if start <= reached && end > reached {
            reached = end;
        }
    }
    (reached < 1.0).then_some(reached)
}

/// The part of the way on which two convex pieces overlap.
fn interval(a: &[DVec2], b: &[DVec2], shift: DVec2, tolerance: f64) -> Option<[f64; 2]> {
    let mut axes = vec![DVec2::X, DVec2::Y];
    for piece in [a, b] {
        for k in 0..piece.len() {
            let side = piece[(k + 1) % piece.len()] - piece[k];
            if let Some(unit) = side.try_normalize() {
                axes.extend([unit, unit.perp()]);
            }
        }
    }
    let (mut start, mut end) = (0.0f64, 1.0f64);
    for axis in axes {
        let shadow = |piece: &[DVec2]| {
            piece
                .iter()
                .map(|p| axis.dot(*p))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
        };
        let ((a_low, a_high), (b_low, b_high)) = (shadow(a), shadow(b));
        let rate = axis.dot(shift);
        // a_low + rate t <= b_high + tolerance, and a_high + rate t >= b_low - tolerance.
        let (before, after) = (b_low - tolerance - a_high, b_high + tolerance - a_low);
        if rate.abs() <= 1e-12 * shift.length() || rate == 0.0 {
            if before > 0.0 || after < 0.0 {
                return None;
            }
            continue;
        }
        let (first, last) =
            if rate > 0.0 { (before / rate, after / rate) } else { (after / rate, before / rate) };
        (start, end) = (start.max(first), end.min(last));
    }
    (start <= end).then_some([start, end])
}

/// Whether a point of both shadows is at a piece: shadows are wider than pieces by the tolerance along two directions, and pieces are off the plane
/// by as much.
fn is_near(p: DVec3, piece: &[DVec3], tolerance: f64) -> bool {
    let distance = match *piece {
        [q] => p.distance(q),
        [q, r] => from_segment(p, [q, r]),
        [q, r, s] => from_triangle(p, &[q, r, s]),
        _ => f64::INFINITY,
    };
    distance <= 4.0 * tolerance
}

/// Convex pieces of a feature in the world: triangles, a segment, a point.
fn pieces(member: &Member, pose: Pose) -> Vec<Vec<DVec3>> {
    match member {
        Member::Face(facet) => facet.triangles.iter().map(|t| t.map(|p| pose * p).to_vec()).collect(),
        Member::Edge(line) => vec![line.ends.map(|p| pose * p).to_vec()],
        Member::Vertex(corner) => vec![vec![pose * corner.point]],
        Member::Axis { ends } => vec![ends.map(|p| pose * p).to_vec()],
    }
}

/// A point and two directions that span the plane in which two features meet.
fn frame(m: &Member, f: &Member, pose: Pose) -> [DVec3; 3] {
    let of_plane = |origin: DVec3, n: DVec3| {
        let (u, v) = n.any_orthonormal_pair();
        [origin, u, v]
    };
    let of_line = |[a, b]: [DVec3; 2]| {
        let along = (b - a).normalize_or(DVec3::X);
        [a, along, along.any_orthonormal_vector()]
    };
    match (m, f) {
        (_, Member::Face(facet)) => of_plane(facet.loops[0][0], facet.normal),
        (Member::Face(facet), f) => {
            let origin = match f {
                Member::Edge(line) => line.ends[0],
                Member::Vertex(corner) => corner.point,
                _ => pose * facet.loops[0][0],
            };
            of_plane(origin, pose.rotate(facet.normal))
        }
        // Edges that cross span a plane.
        (Member::Edge(own), Member::Edge(line)) => {
            let [origin, along, other] = of_line(line.ends);
            let e = pose.rotate(own.ends[1] - own.ends[0]).normalize_or_zero();
            let across = e - along * along.dot(e);
            let crosses = across.length() > super::touch::PARALLEL;
            [origin, along, if crosses { across.normalize() } else { other }]
        }
        (_, Member::Edge(line)) => of_line(line.ends),
        (Member::Edge(line), _) => of_line(line.ends.map(|p| pose * p)),
        (_, Member::Vertex(corner)) => of_plane(corner.point, DVec3::Z),
        (_, Member::Axis { ends }) => of_line(*ends),
    }
}

fn flattened(p: DVec3, frame: &[DVec3; 3]) -> DVec2 {
    DVec2::new(frame[1].dot(p - frame[0]), frame[2].dot(p - frame[0]))
}

/// What two convex pieces have in common, up to the tolerance.
fn clipped(a: &[DVec2], b: &[DVec2], tolerance: f64) -> Vec<DVec2> {
    match b {
        [point] => match a {
            [own] => {
                if own.distance(*point) <= tolerance {
                    vec![*own]
                } else {
                    Vec::new()
                }
            }
            _ => clipped(b, a, tolerance),
        },
        [from, to] => {
            let Some(along) = (*to - *from).try_normalize() else { return Vec::new() };
            let mut points = a.to_vec();
            // Along the segment, and beside it.
            for (n, offset) in [
                (along, along.dot(*from)),
                (-along, -along.dot(*to)),
                (along.perp(), along.perp().dot(*from)),
                (-along.perp(), -along.perp().dot(*from)),
            ] {
                points = cut(&points, n, offset - tolerance);
            }
            points
        }
        _ => {
            let around: f64 = (0..b.len()).map(|k| b[k].perp_dot(b[(k + 1) % b.len()])).sum();
            let mut points = a.to_vec();
            for k in 0..b.len() {
                let side = b[(k + 1) % b.len()] - b[k];
                let Some(n) = side.perp().try_normalize() else { continue };
                let n = n * around.signum();
                points = cut(&points, n, n.dot(b[k]) - tolerance);
            }
            points
        }
    }
}

/// The part of a convex piece where `n · p >= offset`.
fn cut(points: &[DVec2], n: DVec2, offset: f64) -> Vec<DVec2> {
    let height = |p: DVec2| n.dot(p) - offset;
    let mut kept = Vec::with_capacity(points.len() + 2);
    for (k, &p) in points.iter().enumerate() {
        if height(p) >= 0.0 {
            kept.push(p);
        }
        // A segment has one side, a point none.
        let closes = k + 1 < points.len() || points.len() > 2;
        if closes {
            let q = points[(k + 1) % points.len()];
            let (x, y) = (height(p), height(q));
            if (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0) {
                kept.push(p + (q - p) * (x / (x - y)));
            }
        }
    }
    // Cut twice, a segment is in order again only if its first point comes first.
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    #[test]
    fn pieces_are_clipped() {
        let triangle = [v(0.0, 0.0), v(4.0, 0.0), v(0.0, 4.0)];
        let check = |a: &[DVec2], b: &[DVec2], count: usize, area: f64| {
            let found = clipped(a, b, 1e-9);
            assert_eq!(found.len(), count, "{found:?}");
            let twice: f64 =
                (0..found.len()).map(|k| found[k].perp_dot(found[(k + 1) % found.len().max(1)])).sum();
            assert!((twice.abs() * 0.5 - area).abs() < 1e-6, "{found:?}");
        };
        check(&triangle, &triangle, 3, 8.0);
        check(&[v(1.0, 1.0), v(3.0, 1.0), v(1.0, 3.0)], &triangle, 3, 2.0);
        check(&[v(1.0, 1.0)], &triangle, 1, 0.0);
        check(&[v(3.0, 3.0)], &triangle, 0, 0.0);
        check(&[v(-1.0, 1.0), v(9.0, 1.0)], &triangle, 2, 0.0);
        check(&triangle, &[v(-1.0, 1.0), v(9.0, 1.0)], 4, 0.0);
        check(&[v(0.0, 1.0), v(2.0, 1.0)], &[v(1.0, 1.0), v(5.0, 1.0)], 2, 0.0);
    }

    #[test]
    fn overlaps_end_when_the_last_points_part() {
        let square = [v(0.0, 0.0), v(1.0, 0.0), v(1.0, 1.0), v(0.0, 1.0)];
        let found = interval(&square, &square, v(4.0, 0.0), 0.0).expect("they overlap at first");
        assert!((found[0] - 0.0).abs() < 1e-12 && (found[1] - 0.25).abs() < 1e-12);
        assert_eq!(interval(&square, &[v(3.0, 3.0)], v(4.0, 0.0), 0.0), None);
        let found = interval(&square, &[v(3.0, 0.5)], v(4.0, 0.0), 0.0).expect("it passes over the point");
        assert!((found[0] - 0.5).abs() < 1e-12 && (found[1] - 0.75).abs() < 1e-12);
    }
}
