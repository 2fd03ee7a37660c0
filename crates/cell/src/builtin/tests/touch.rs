//! Do two bodies touch? Slow and exact: every triangle against every triangle whose box meets its own.
//!
//! The placed corners are rounded once; about those, every answer is exact.

use crate::body::{Body, Geometry};
use crate::cell::Cell;
use crate::kinematics::Placed;
use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::primitive::Shape;
use kansho_geom::sign::{Side, collinear, orient2d, orient3d};
use kansho_geom::{Aabb, Pose};

/// The first checked pair that touches in a posture, by name.
pub(super) fn touching(cell: &Cell, posture: &[f64]) -> Option<[String; 2]> {
    let placed = cell.place(posture);
    let bodies: Vec<Vec<Solid>> = cell.bodies().iter().map(|body| solids(body, &placed)).collect();
    let touch = |&&[a, b]: &&[crate::BodyId; 2]| {
        let (a, b) = (&bodies[a.0 as usize], &bodies[b.0 as usize]);
        a.iter().any(|one| b.iter().any(|other| one.touches(other)))
    };
    let pair = cell.pairs().checked().iter().find(touch)?;
    Some(pair.map(|id| cell.body(id).name.clone()))
}

/// Whether two bodies touch in a posture, be they checked or not.
pub(super) fn bodies_touch(cell: &Cell, posture: &[f64], names: [&str; 2]) -> bool {
    let placed = cell.place(posture);
    let [a, b] = names.map(|name| {
        let body = cell.bodies().iter().find(|body| body.name == name);
        solids(body.expect("the cell has a body of that name"), &placed)
    });
    a.iter().any(|one| b.iter().any(|other| one.touches(other)))
}

/// A placed piece.
enum Solid {
    Mesh { triangles: Vec<[DVec3; 3]>, aabb: Aabb },
    Below { normal: DVec3, offset: f64 },
}

fn solids(body: &Body, placed: &Placed) -> Vec<Solid> {
    let world_from_carrier = placed.world_from_carrier(body);
    let place = |geometry: &Geometry, world_from_piece: Pose| match geometry {
        Geometry::Mesh(mesh) => {
            let triangles: Vec<_> = mesh.corners().map(|t| t.map(|p| world_from_piece * p)).collect();
            let aabb = Aabb::of_points(triangles.iter().flatten().copied()).expect("a mesh has triangles");
            Solid::Mesh { triangles, aabb }
        }
        Geometry::Primitive(primitive) => match primitive.shape() {
            Shape::HalfSpace { normal, offset } => Solid::Below { normal, offset },
            other => panic!("the cell has no {other:?}"),
        },
    };
    body.pieces
        .iter()
        .map(|piece| place(&piece.geometry, world_from_carrier * piece.carrier_from_piece))
        .collect()
}

impl Solid {
    fn touches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mesh { triangles: a, aabb: a_box }, Self::Mesh { triangles: b, aabb: b_box }) => {
                meet(a_box, b_box) && (surfaces_touch(a, b) || inside(a[0][0], b) || inside(b[0][0], a))
            }
            (Self::Mesh { triangles, .. }, &Self::Below { normal, offset })
            | (&Self::Below { normal, offset }, Self::Mesh { triangles, .. }) => {
                triangles.iter().flatten().any(|p| normal.dot(*p) <= offset)
            }
            (Self::Below { .. }, Self::Below { .. }) => true,
        }
    }
}

fn meet(a: &Aabb, b: &Aabb) -> bool {
    a.min().cmple(b.max()).all() && b.min().cmple(a.max()).all()
}

/// Sorted by their lowest x, a triangle meets only those that begin before it ends.
fn surfaces_touch(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> bool {
    let boxed = |t: &[DVec3; 3]| (Aabb::of_points(*t).expect("three points"), *t);
    let whole = |t: &[[DVec3; 3]]| Aabb::of_points(t.iter().flatten().copied()).expect("there are triangles");
    // Only triangles that meet the box of the other body matter.
    let (a_whole, b_whole) = (whole(a), whole(b));
    let near = |t: &[[DVec3; 3]], other: &Aabb| {
        let mut near: Vec<_> = t.iter().map(boxed).filter(|(aabb, _)| meet(aabb, other)).collect();
        near.sort_by(|(one, _), (next, _)| one.min().x.total_cmp(&next.min().x));
        near
    };
    let (a, b) = (near(a, &b_whole), near(b, &a_whole));
    // Each pair is found from the one that begins first.
    let sweep = |a: &[(Aabb, [DVec3; 3])], b: &[(Aabb, [DVec3; 3])]| {
        a.iter().any(|(a_box, one)| {
            let first = b.partition_point(|(b_box, _)| b_box.min().x < a_box.min().x);
            b[first..]
                .iter()
                .take_while(|(b_box, _)| b_box.min().x <= a_box.max().x)
                .any(|(b_box, other)| meet(a_box, b_box) && triangles_touch(one, other))
        })
    };
    sweep(&a, &b) || sweep(&b, &a)
}

/// Triangles touch if and only if an edge of one touches the other.
pub(super) fn triangles_touch(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let edges = |t: &[DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    edges(a).iter().any(|edge| edge_touches(edge, b)) || edges(b).iter().any(|edge| edge_touches(edge, a))
}

fn edge_touches(&[p, q]: &[DVec3; 2], &[a, b, c]: &[DVec3; 3]) -> bool {
    if collinear(a, b, c) {
        // No area: three edges on one line.
        return [[a, b], [b, c], [c, a]].iter().any(|&[a, b]| segments_touch([p, q], [a, b]));
    }
    match (orient3d(a, b, c, p), orient3d(a, b, c, q)) {
        (Side::On, Side::On) => in_plane_touches([p, q], [a, b, c]),
        (Side::Above, Side::Above) | (Side::Below, Side::Below) => false,
        _ => {
            // The line through p and q passes the three edges on one side, or meets them.
            let sides = [(a, b), (b, c), (c, a)].map(|(one, next)| orient3d(p, q, one, next));
            !(sides.contains(&Side::Above) && sides.contains(&Side::Below))
        }
    }
}

/// All five points in one plane, looked at along an axis in which the triangle keeps its area.
fn in_plane_touches(edge: [DVec3; 2], triangle: [DVec3; 3]) -> bool {
    let dropped = |axis: usize| move |p: DVec3| DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3]);
    let flat = (0..3).find(|&axis| {
        let [a, b, c] = triangle.map(dropped(axis));
        orient2d(a, b, c) != Side::On
    });
    let axis = flat.expect("a triangle with area keeps it along some axis");
    let ([p, q], [a, b, c]) = (edge.map(dropped(axis)), triangle.map(dropped(axis)));
    let sides = [(a, b), (b, c), (c, a)].map(|(one, next)| orient2d(one, next, p));
    let p_inside = !(sides.contains(&Side::Above) && sides.contains(&Side::Below));
    p_inside || [[a, b], [b, c], [c, a]].iter().any(|&side| flat_segments_touch([p, q], side))
}

fn flat_segments_touch([p, q]: [DVec2; 2], [a, b]: [DVec2; 2]) -> bool {
    let apart = |one: Side, other: Side| one == other && one != Side::On;
    let boxes_meet = p.min(q).cmple(a.max(b)).all() && a.min(b).cmple(p.max(q)).all();
    boxes_meet && !apart(orient2d(a, b, p), orient2d(a, b, q)) && !apart(orient2d(p, q, a), orient2d(p, q, b))
}

fn segments_touch([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    // Segments in space touch if their shadows on all three planes do and they lie in one plane.
    let shadows = (0..3).all(|axis| {
        let dropped = |p: DVec3| DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3]);
        flat_segments_touch([dropped(p), dropped(q)], [dropped(a), dropped(b)])
    });
    shadows && orient3d(p, q, a, b) == Side::On
}

/// Whether a point is inside a closed surface: a ray out of it crosses the surface an odd number of times.
pub(super) fn inside(point: DVec3, surface: &[[DVec3; 3]]) -> bool {
    // Directions without meaning, so that one of them passes no edge.
    const DIRECTIONS: [DVec3; 4] = [
        DVec3::new(97.13, 3.71, 5.93),
        DVec3::new(-7.77, 91.3, 11.19),
        DVec3::new(13.7, -17.1, 89.9),
        DVec3::new(-71.3, -61.7, 23.9),
    ];
    let crossings = |far: DVec3| {
        let mut count = 0;
        for &[a, b, c] in surface {
            match (orient3d(a, b, c, point), orient3d(a, b, c, far)) {
                (Side::On, _) | (_, Side::On) => return None,
                (one, other) if one == other => continue,
                _ => {}
            }
            let sides = [(a, b), (b, c), (c, a)].map(|(one, next)| orient3d(point, far, one, next));
            if sides.contains(&Side::On) && !(sides.contains(&Side::Above) && sides.contains(&Side::Below)) {
                return None;
            }
            count += usize::from(sides[0] == sides[1] && sides[1] == sides[2]);
        }
        Some(count % 2 == 1)
    };
    DIRECTIONS.iter().find_map(|&d| crossings(point + d)).expect("one of four rays passes no edge")
}
