//! Do two bodies touch? Slow and exact: every triangle against every triangle whose box meets its own.
//!
//! The placed corners are rounded once; about those, every answer is exact.

use crate::body::{Body, BodyId, Carrier, Geometry};
use crate::cell::Cell;
use crate::kinematics::Placed;
use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::primitive::Shape;
use kansho_geom::sign::{Side, collinear, orient2d, orient3d};
use kansho_geom::{Aabb, Pose};

/// Answers for many postures of one cell; what stands still is placed once.
pub(super) struct Oracle<'a> {
    cell: &'a Cell,
    /// By body; nothing of those that move.
    standing: Vec<Option<Vec<Solid>>>,
}

impl<'a> Oracle<'a> {
    pub(super) fn new(cell: &'a Cell) -> Self {
        let placed = cell.place(&cell.zero_posture());
        let standing = cell
            .bodies()
            .iter()
            .map(|body| (body.carrier == Carrier::World).then(|| solids(body, &placed)))
            .collect();
        Self { cell, standing }
    }

    /// The first checked pair that touches in a posture, by name.
    pub(super) fn touching(&self, posture: &[f64]) -> Option<[String; 2]> {
        let placed = self.cell.place(posture);
        let moved: Vec<Vec<Solid>> = self
            .cell
            .bodies()
            .iter()
            .zip(&self.standing)
            .map(|(body, standing)| if standing.is_some() { Vec::new() } else { solids(body, &placed) })
            .collect();
        let shape = |id: BodyId| self.standing[id.0 as usize].as_ref().unwrap_or(&moved[id.0 as usize]);
        let pair = self.cell.pairs().checked().iter().find(|&&[a, b]| touch(shape(a), shape(b)))?;
        Some(pair.map(|id| self.cell.body(id).name.clone()))
    }

    /// Whether two bodies touch in a posture, be they checked or not.
    pub(super) fn bodies_touch(&self, posture: &[f64], names: [&str; 2]) -> bool {
        let placed = self.cell.place(posture);
        let [a, b] = names.map(|name| {
            let body = self.cell.bodies().iter().find(|body| body.name == name);
            solids(body.expect("the cell has a body of that name"), &placed)
        });
        touch(&a, &b)
    }
}

/// A placed piece.
enum Solid {
    Mesh { triangles: Vec<Boxed>, aabb: Aabb },
    Below { normal: DVec3, offset: f64 },
}

/// A triangle and its box.
struct Boxed {
    aabb: Aabb,
    corners: [DVec3; 3],
}

fn solids(body: &Body, placed: &Placed) -> Vec<Solid> {
    let world_from_carrier = placed.world_from_carrier(body);
    let place = |geometry: &Geometry, world_from_piece: Pose| match geometry {
        Geometry::Mesh(mesh) => {
            let vertices: Vec<DVec3> = mesh.vertices().iter().map(|&p| world_from_piece * p).collect();
            let boxed = |t: &[u32; 3]| {
                let corners = t.map(|i| vertices[i as usize]);
                Boxed { aabb: Aabb::of_points(corners).expect("three points"), corners }
            };
            Solid::Mesh {
                triangles: mesh.triangles().iter().map(boxed).collect(),
                aabb: Aabb::of_points(vertices.iter().copied()).expect("a mesh has vertices"),
            }
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

fn touch(a: &[Solid], b: &[Solid]) -> bool {
    a.iter().any(|one| b.iter().any(|other| one.touches(other)))
}

impl Solid {
    fn touches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mesh { triangles: a, aabb: a_box }, Self::Mesh { triangles: b, aabb: b_box }) => {
                let corner = |triangles: &[Boxed]| triangles[0].corners[0];
                meet(a_box, b_box)
                    && (surfaces_touch((a, a_box), (b, b_box))
                        || b_box.contains(corner(a)) && inside(corner(a), b.iter().map(|t| t.corners))
                        || a_box.contains(corner(b)) && inside(corner(b), a.iter().map(|t| t.corners)))
            }
            (Self::Mesh { triangles, .. }, &Self::Below { normal, offset })
            | (&Self::Below { normal, offset }, Self::Mesh { triangles, .. }) => {
                triangles.iter().flat_map(|t| t.corners).any(|p| normal.dot(p) <= offset)
            }
            (Self::Below { .. }, Self::Below { .. }) => true,
        }
    }
}

fn meet(a: &Aabb, b: &Aabb) -> bool {
    a.min().cmple(b.max()).all() && b.min().cmple(a.max()).all()
}

/// Sorted by their lowest x, a triangle meets only those that begin before it ends.
fn surfaces_touch((a, a_whole): (&[Boxed], &Aabb), (b, b_whole): (&[Boxed], &Aabb)) -> bool {
    // Only triangles that meet the box of the other piece matter.
    fn near<'a>(triangles: &'a [Boxed], other: &Aabb) -> Vec<&'a Boxed> {
        let mut near: Vec<&Boxed> = triangles.iter().filter(|t| meet(&t.aabb, other)).collect();
        near.sort_by(|one, next| one.aabb.min().x.total_cmp(&next.aabb.min().x));
        near
    }
    // Each pair is found from the one that begins first.
    let sweep = |a: &[&Boxed], b: &[&Boxed]| {
        a.iter().any(|one| {
            let first = b.partition_point(|other| other.aabb.min().x < one.aabb.min().x);
            b[first..]
                .iter()
                .take_while(|other| other.aabb.min().x <= one.aabb.max().x)
                .any(|other| meet(&one.aabb, &other.aabb) && triangles_touch(&one.corners, &other.corners))
        })
    };
    let (a, b) = (near(a, b_whole), near(b, a_whole));
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
pub(super) fn inside(point: DVec3, surface: impl Iterator<Item = [DVec3; 3]> + Clone) -> bool {
    // Directions without meaning, so that one of them passes no edge.
    const DIRECTIONS: [DVec3; 4] = [
        DVec3::new(97.13, 3.71, 5.93),
        DVec3::new(-7.77, 91.3, 11.19),
        DVec3::new(13.7, -17.1, 89.9),
        DVec3::new(-71.3, -61.7, 23.9),
    ];
    let crossings = |far: DVec3| {
        let mut count = 0;
        for [a, b, c] in surface.clone() {
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
