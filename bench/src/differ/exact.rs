//! Do two meshes touch, decided slowly and plainly in whole numbers: every pair of triangles, by directions that could separate them, and
//! rays for what lies inside. Shares nothing with the library but the corners as they are placed.

use super::random::Random;
use dashu_int::IBig;
use kansho::geom::glam::DVec3;
use std::cmp::Ordering;
use std::collections::BTreeMap;

type Vector = [IBig; 3];
type Triangle = [DVec3; 3];

/// Which triangles of a mesh are of closed pieces, and a corner of every connected piece.
pub(crate) struct Pieces {
    closed: Vec<bool>,
    corners: Vec<u32>,
}

/// Triangles in one frame.
pub(crate) struct Surface<'a> {
    pub(crate) triangles: Vec<Triangle>,
    pieces: &'a Pieces,
    /// A corner of every connected piece.
    corners: Vec<DVec3>,
}

/// What is the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Apart,
    /// Two triangles have a common point.
    Touch,
    /// No two triangles have, but a piece of one is inside the closed pieces of the other.
    Inside,
}

impl Pieces {
    pub(crate) fn of(triangles: &[[u32; 3]]) -> Self {
        // Pieces are joined along edges; one is closed if each of its edges is run along as often one way as the other.
        let mut sides: BTreeMap<[u32; 2], Vec<(usize, bool)>> = BTreeMap::new();
        for (index, t) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (p, q) = (t[k], t[(k + 1) % 3]);
                sides.entry([p.min(q), p.max(q)]).or_default().push((index, p < q));
            }
        }
        let mut piece: Vec<usize> = (0..triangles.len()).collect();
        fn root(piece: &mut [usize], mut of: usize) -> usize {
            while piece[of] != of {
                piece[of] = piece[piece[of]];
                of = piece[of];
            }
            of
        }
        for along in sides.values() {
            for (index, _) in along {
                let (p, q) = (root(&mut piece, along[0].0), root(&mut piece, *index));
                piece[p] = q;
            }
        }
        let roots: Vec<usize> = (0..triangles.len()).map(|t| root(&mut piece, t)).collect();
        let mut is_closed = vec![true; triangles.len()];
        for along in sides.values() {
            let balance: i64 = along.iter().map(|(_, forward)| if *forward { 1 } else { -1 }).sum();
            is_closed[roots[along[0].0]] &= balance == 0;
        }
        let corners = (0..triangles.len()).filter(|&t| roots[t] == t).map(|t| triangles[t][0]).collect();
        Self { closed: roots.iter().map(|&r| is_closed[r]).collect(), corners }
    }
}

impl<'a> Surface<'a> {
    pub(crate) fn new(vertices: &[DVec3], triangles: &[[u32; 3]], pieces: &'a Pieces) -> Self {
        let at = |v: u32| vertices[v as usize];
        Self {
            triangles: triangles.iter().map(|t| t.map(at)).collect(),
            pieces,
            corners: pieces.corners.iter().map(|&v| at(v)).collect(),
        }
    }

    /// Whether the closed pieces hold a point.
    pub(crate) fn holds(&self, point: DVec3) -> bool {
        if !self.pieces.closed.contains(&true) {
            return false;
        }
        let far = self.triangles.iter().flatten().map(|p| p.distance(point)).fold(0.0, f64::max);
        let mut random = Random::of(5, 7);
        for _ in 0..100 {
            let end = point + random.direction() * (4.0 * far);
            if let Some(winding) = self.winding(point, end) {
                return winding != 0;
            }
        }
        panic!("no ray from {point} could be followed")
    }

    fn winding(&self, from: DVec3, to: DVec3) -> Option<i64> {
        let low = from.min(to);
        let high = from.max(to);
        let mut sum = 0;
        for (t, _) in self.triangles.iter().zip(&self.pieces.closed).filter(|(_, closed)| **closed) {
            let (t_low, t_high) = limits(t);
            if (t_low.cmpgt(high) | low.cmpgt(t_high)).any() {
                continue;
            }
            sum += crossing(from, to, t)?;
        }
        Some(sum)
    }
}

/// What two surfaces do, both given in one frame.
pub(crate) fn truth(a: &Surface<'_>, b: &Surface<'_>) -> Truth {
    if touching(&a.triangles, &b.triangles) {
        return Truth::Touch;
    }
    let inside = b.corners.iter().any(|&p| a.holds(p)) || a.corners.iter().any(|&p| b.holds(p));
    if inside { Truth::Inside } else { Truth::Apart }
}

fn touching(a: &[Triangle], b: &[Triangle]) -> bool {
    let boxed = |all: &[Triangle]| all.iter().map(|t| (limits(t), *t)).collect::<Vec<_>>();
    let (a, mut b) = (boxed(a), boxed(b));
    b.sort_by(|((p, _), _), ((q, _), _)| p.x.total_cmp(&q.x));
    a.iter().any(|((low, high), t)| {
        b.iter()
            .take_while(|((other, _), _)| other.x <= high.x)
            .filter(|((l, h), _)| !(l.cmpgt(*high) | low.cmpgt(*h)).any())
            .any(|(_, u)| triangles_touch(t, u))
    })
}

fn limits(t: &Triangle) -> (DVec3, DVec3) {
    (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]))
}

/// Whether two triangles have a common point: whether no direction separates them, of those that could be normals of a face of all their
/// differences. More directions than needed do no harm, and triangles without area need more.
pub(crate) fn triangles_touch(a: &Triangle, b: &Triangle) -> bool {
    let [a, b] = whole([a, b]);
    let sides = |t: &[Vector; 3]| -> [Vector; 3] { std::array::from_fn(|k| minus(&t[(k + 1) % 3], &t[k])) };
    let (e, f) = (sides(&a), sides(&b));
    let (n, m) = (cross(&e[0], &e[1]), cross(&f[0], &f[1]));
    let apart = |axis: &Vector| separates(axis, &a, &b);
    if apart(&n) || apart(&m) {
        return false;
    }
    for p in &e {
        for q in &f {
            let across = cross(p, q);
            if apart(&across) || apart(&cross(&across, p)) || apart(&cross(&across, q)) {
                return false;
            }
        }
    }
    for normal in [&n, &m] {
        if e.iter().chain(&f).any(|side| apart(&cross(normal, side))) {
            return false;
        }
    }
    if is_zero(&n) || is_zero(&m) {
        // Segments and points.
        let between = minus(&b[0], &a[0]);
        for side in e.iter().chain(&f) {
            if apart(side) || apart(&cross(side, &cross(side, &between))) {
                return false;
            }
        }
        return !apart(&between);
    }
    true
}

fn separates(axis: &Vector, a: &[Vector; 3], b: &[Vector; 3]) -> bool {
    let along = |t: &[Vector; 3]| {
        let mut all = [dot(axis, &t[0]), dot(axis, &t[1]), dot(axis, &t[2])];
        all.sort();
        all
    };
    let (p, q) = (along(a), along(b));
    p[2] < q[0] || q[2] < p[0]
}

/// +1 if a segment leaves through a triangle, -1 if it enters, 0 if it misses; none if that hangs on an edge.
fn crossing(from: DVec3, to: DVec3, t: &Triangle) -> Option<i64> {
    let [[p, q, _], corners] = whole([&[from, to, to], t]);
    let side = |a: &Vector, b: &Vector, c: &Vector, d: &Vector| {
        dot(&cross(&minus(b, a), &minus(c, a)), &minus(d, a)).cmp(&IBig::ZERO)
    };
    let [a, b, c] = &corners;
    let (start, end) = (side(a, b, c, &p), side(a, b, c, &q));
    if start == end && start != Ordering::Equal {
        return Some(0);
    }
    let sides = [side(&p, &q, a, b), side(&p, &q, b, c), side(&p, &q, c, a)];
    if sides.contains(&Ordering::Less) && sides.contains(&Ordering::Greater) {
        return Some(0);
    }
    if sides.contains(&Ordering::Equal) || start == Ordering::Equal || end == Ordering::Equal {
        return None;
    }
    Some(if start == Ordering::Less { 1 } else { -1 })
}

/// The same points, as whole multiples of one power of two.
fn whole<const N: usize>(triangles: [&Triangle; N]) -> [[Vector; 3]; N] {
    let parts = |x: f64| {
        let bits = x.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i64;
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let (mantissa, exponent) =
            if exponent == 0 { (fraction, -1074) } else { (fraction | (1 << 52), exponent - 1075) };
        (if x < 0.0 { -mantissa } else { mantissa }, exponent)
    };
    let numbers = || triangles.iter().flat_map(|t| t.iter()).flat_map(|p| p.to_array());
    let least = numbers().filter(|x| *x != 0.0).map(|x| parts(x).1).min().unwrap_or(0);
    let shifted = |x: f64| {
        let (mantissa, exponent) = parts(x);
        if mantissa == 0 { IBig::ZERO } else { IBig::from(mantissa) << (exponent - least) as usize }
    };
    triangles.map(|t| t.map(|p| p.to_array().map(shifted)))
}

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn dot(a: &Vector, b: &Vector) -> IBig {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| {
        let (y, z) = ((k + 1) % 3, (k + 2) % 3);
        &a[y] * &b[z] - &a[z] * &b[y]
    })
}

fn is_zero(a: &Vector) -> bool {
    a.iter().all(|x| *x == IBig::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(corners: [[f64; 3]; 3]) -> Triangle {
        corners.map(DVec3::from_array)
    }

    #[test]
    fn triangles_that_everyone_can_judge() {
        let flat = at([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let lifted = |z: f64| flat.map(|p| p + DVec3::Z * z);
        assert!(triangles_touch(&flat, &flat));
        assert!(!triangles_touch(&flat, &lifted(1e-300)));
        // A corner on the face, then the last bit above it.
        let needle = |z: f64| at([[0.25, 0.25, z], [0.25, 0.25, 1.0], [0.3, 0.25, 1.0]]);
        assert!(triangles_touch(&flat, &needle(0.0)) && triangles_touch(&flat, &needle(-0.5)));
        assert!(!triangles_touch(&flat, &needle(f64::from_bits(1))));
        // In one plane: beside each other, a common corner, one within the other.
        let beside = |x: f64| flat.map(|p| p * 0.25 + DVec3::X * x);
        assert!(triangles_touch(&flat, &beside(1.0)) && !triangles_touch(&flat, &beside(1.0f64.next_up())));
        assert!(triangles_touch(&flat, &beside(0.1)));
        // Without area: segments and points.
        let segment = |z: f64| at([[0.25, 0.25, z], [0.25, 0.25, z + 1.0], [0.25, 0.25, z + 0.5]]);
        assert!(triangles_touch(&flat, &segment(-0.5)) && !triangles_touch(&flat, &segment(0.01)));
        assert!(
            triangles_touch(&segment(0.0), &segment(1.0)) && !triangles_touch(&segment(0.0), &segment(1.01))
        );
        let aside = segment(0.0).map(|p| p + DVec3::X * 1e-9);
        assert!(!triangles_touch(&segment(0.0), &aside));
        let point = [DVec3::new(0.25, 0.25, 0.0); 3];
        assert!(triangles_touch(&flat, &point) && triangles_touch(&point, &point));
        assert!(!triangles_touch(&point, &point.map(|p| p + DVec3::Y)));
    }

    #[test]
    fn a_point_is_inside_what_is_closed_only() {
        let corners: Vec<DVec3> = (0..4u8)
            .map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1), f64::from(u8::from(k == 3))))
            .collect();
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let middle = corners.iter().sum::<DVec3>() * 0.25;
        let (whole, lacking) = (Pieces::of(&faces), Pieces::of(&faces[..3]));
        let solid = Surface::new(&corners, &faces, &whole);
        assert!(solid.holds(middle) && !solid.holds(middle + DVec3::X * 3.0));
        assert!(!Surface::new(&corners, &faces[..3], &lacking).holds(middle));
    }
}
