//! Exact tests in the plane. All sets are closed.

use crate::sign::{Side, orient2d};
use glam::DVec2;

/// Whether two segments have a common point.
pub(super) fn segments_touch(p: DVec2, q: DVec2, r: DVec2, s: DVec2) -> bool {
    let (r_side, s_side) = (orient2d(p, q, r), orient2d(p, q, s));
    let (p_side, q_side) = (orient2d(r, s, p), orient2d(r, s, q));
    let crosses = r_side != s_side
        && p_side != q_side
        && [r_side, s_side, p_side, q_side].iter().all(|s| *s != Side::On);
    crosses
        || (r_side == Side::On && in_box(p, q, r))
        || (s_side == Side::On && in_box(p, q, s))
        || (p_side == Side::On && in_box(r, s, p))
        || (q_side == Side::On && in_box(r, s, q))
}

/// Whether a segment and a triangle with area have a common point.
pub(super) fn segment_touches_triangle(p: DVec2, q: DVec2, [a, b, c]: [DVec2; 3]) -> bool {
    contains([a, b, c], p)
        || segments_touch(p, q, a, b)
        || segments_touch(p, q, b, c)
        || segments_touch(p, q, c, a)
}

/// Whether a triangle with area contains a point.
fn contains([a, b, c]: [DVec2; 3], p: DVec2) -> bool {
    let sides = [orient2d(a, b, p), orient2d(b, c, p), orient2d(c, a, p)];
    !(sides.contains(&Side::Above) && sides.contains(&Side::Below))
}

/// Whether a point of the line through two points lies between them.
fn in_box(p: DVec2, q: DVec2, r: DVec2) -> bool {
    r.cmpge(p.min(q)).all() && r.cmple(p.max(q)).all()
}
