//! Moving bodies: free means that no instant touches, and a first contact is the first.
//!
//! Bodies of whole coordinates go straight between whole places, so at every instant `k / INSTANTS` the truth is in whole numbers: all
//! pairs of triangles, and whether a corner of one is in the other, which are convex.

use super::integers::{Point, add, apart, cross, dot, scaled, sub};
use crate::numbers::Numbers;
use kansho_check::moving_bodies::{AtStart, Body, Method, MovingOptions, MovingScratch, moving};
use kansho_check::verdict::Verdict;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Affine, Motion};
use kansho_geom::{Mesh, Pose, mesh};
use kansho_verify::bodies::verify_bodies;
use std::sync::Arc;

/// A power of two, so that instants are exact.
const INSTANTS: i128 = 32;

pub(super) fn run(bytes: &[u8]) {
    let mut numbers = Numbers(bytes);
    let wants = numbers.byte();
    let (Some(a), Some(b)) = (convex(&mut numbers), convex(&mut numbers)) else { return };
    let mut place = |most: i64| [(); 3].map(|()| i128::from(numbers.whole().clamp(-most, most)));
    // Thirds of the ways are whole, so that the cubics which the library has them as are the ways themselves, to the last digit.
    let mut way = || {
        let (from, third) = (place(40), place(14));
        [from, add(from, scaled(third, 3))]
    };
    let ways = [way(), way()];
    let real = |p: Point| DVec3::from_array(p.map(|x| x as f64));
    let meshes = [&a, &b].map(|solid| solid.mesh());
    let bodies = meshes.clone().map(|mesh| Body::new(Arc::new(mesh)));
    let motions = ways.map(|[from, to]| {
        let third = real(sub(to, from)) / 3.0;
        let control = |k: f64| Affine::from(Pose::from_translation(real(from) + third * k));
        Motion::of_controls(&[[0.0, 1.0, 2.0, 3.0].map(control)]).expect("finite")
    });
    let options = MovingOptions {
        method: if wants & 1 == 0 { Method::Combined } else { Method::Intersect },
        certificate: wants & 2 != 0,
        ..MovingOptions::default()
    };
    let report = moving(bodies.each_ref(), motions.each_ref(), &options, &mut MovingScratch::default());
    // All times `INSTANTS`, so that places are whole.
    let at = |way: &[Point; 2], k: i128| add(scaled(way[0], INSTANTS - k), scaled(way[1], k));
    let touching = |k: i128| a.meets(at(&ways[0], k), &b, at(&ways[1], k));
    let first = (0..=INSTANTS).find(|k| touching(*k));
    let say = || format!("{a:?} {b:?} {ways:?} {options:?}");
    match (&report.verdict, first) {
        (Verdict::Free(proof), None) => {
            if let Some(certificate) = &proof.certificate {
                let accepted = verify_bodies(meshes.each_ref(), motions.each_ref(), certificate);
                assert!(accepted.is_ok(), "a certificate is refused: {accepted:?} {}", say());
            }
        }
        (Verdict::Free(_), Some(k)) => panic!("free, but at {k}/{INSTANTS} they touch: {}", say()),
        (Verdict::Touches(found), first) => {
            assert!(found.time.length() <= 2.0 * options.time_tolerance, "{:?}: {}", found.time, say());
            let first = first.map_or(f64::INFINITY, |k| k as f64 / INSTANTS as f64);
            assert!(
                found.time.start <= first,
                "first contact at {:?}, but at {first} they touch: {}",
                found.time,
                say()
            );
            // The contact itself, if it is one of surfaces: points are no farther apart than the bodies go in what the time may be off.
            if !matches!(found.at_start, Some(AtStart::FirstInside | AtStart::SecondInside)) {
                let speed = real(sub(sub(ways[0][1], ways[0][0]), sub(ways[1][1], ways[1][0]))).length();
                let off = found.points[0].distance(found.points[1]);
                let way = speed * found.time.length() + 1e-9;
                assert!(off <= way, "points of a contact are {off} apart: {}", say());
            }
        }
        (Verdict::Undecided { .. }, _) => panic!("undecided: {}", say()),
    }
}

/// A tetrahedron or a box, its faces as triangles that look outward.
#[derive(Debug)]
struct Convex {
    corners: Vec<Point>,
    triangles: Vec<[usize; 3]>,
}

fn convex(numbers: &mut Numbers<'_>) -> Option<Convex> {
    if numbers.byte().is_multiple_of(2) {
        let mut corners = [(); 4].map(|()| [(); 3].map(|()| i128::from(numbers.small())));
        let [a, b, c, d] = corners;
        match dot(cross(sub(b, a), sub(c, a)), sub(d, a)) {
            0 => return None,
            volume if volume > 0 => corners.swap(0, 1),
            _ => {}
        }
        // The fourth corner is now behind the first three.
        let triangles = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        return Some(Convex { corners: corners.to_vec(), triangles });
    }
    let size = [(); 3].map(|()| 1 + i128::from(numbers.small().abs()));
    let corners =
        (0..8).map(|k| std::array::from_fn(|axis| if k >> axis & 1 == 1 { size[axis] } else { 0 })).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Some(Convex { corners, triangles })
}

impl Convex {
    fn mesh(&self) -> Mesh {
        let corners: Vec<DVec3> =
            self.corners.iter().map(|p| DVec3::from_array(p.map(|x| x as f64))).collect();
        let triangles: Vec<[u32; 3]> = self.triangles.iter().map(|t| t.map(|v| v as u32)).collect();
        mesh::weld(&corners, &triangles, 0.0).expect("a solid").mesh
    }

    /// Its triangles, `INSTANTS` times as large, at a place.
    fn at(&self, place: Point) -> Vec<[Point; 3]> {
        self.triangles.iter().map(|t| t.map(|v| add(scaled(self.corners[v], INSTANTS), place))).collect()
    }

    fn meets(&self, here: Point, other: &Self, there: Point) -> bool {
        let (mine, theirs) = (self.at(here), other.at(there));
        let holds = |triangles: &[[Point; 3]], point: Point| {
            triangles.iter().all(|[a, b, c]| dot(cross(sub(*b, *a), sub(*c, *a)), sub(point, *a)) <= 0)
        };
        mine.iter().any(|a| theirs.iter().any(|b| !apart(a, b)))
            || holds(&mine, theirs[0][0])
            || holds(&theirs, mine[0][0])
    }
}
