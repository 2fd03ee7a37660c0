//! Bodies with formulas that share nothing with the code under test.

use crate::bodies::plate;
use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::mesh::{Mesh, weld};
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::triangle::closest;
use kansho_geom::{Pose, Solid};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Kinds of bodies: six primitives, a convex mesh and one that is not.
pub(crate) const KINDS: usize = 8;

pub(crate) struct Body {
    pub(crate) solid: Solid,
    pub(crate) shape: Option<Shape>,
    pub(crate) mesh: Option<Mesh>,
    pub(crate) is_convex: bool,
    /// Of its coordinates.
    pub(crate) reach: f64,
}

/// Numbers from 0 to 1, the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            random.unit();
        }
        random
    }

    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    /// Sometimes aligned with the axes, as parts in cells often are.
    pub(crate) fn pose(&mut self, reach: f64) -> Pose {
        let quarter = TAU / 4.0;
        let rpy = match (self.unit() * 4.0) as u32 {
            0 => DVec3::ZERO,
            1 => (self.vector() * 2.0).round() * quarter,
            _ => self.vector() * 3.2,
        };
        let shift = self.vector() * reach;
        let shift = if self.unit() < 0.2 { DVec3::new(0.0, 0.0, shift.z) } else { shift };
        Pose::from_rpy(shift, rpy)
    }
}

pub(crate) fn primitive(shape: Shape) -> Body {
    let primitive = Primitive::new(shape).expect("a shape");
    let mesh = match shape {
        Shape::Box { .. } => primitive.tessellated(1.0),
        _ => None,
    };
    let reach = match shape {
        Shape::HalfSpace { offset, .. } => offset.abs(),
        Shape::Sphere { radius } => radius,
        Shape::Capsule { radius, height } => radius + 0.5 * height,
        _ => primitive.aabb().expect("bounded").diagonal() * 0.5,
    };
    Body { solid: Solid::primitive(primitive), shape: Some(primitive.shape()), mesh, is_convex: true, reach }
}

pub(crate) fn mesh(mesh: Mesh, is_convex: bool) -> Body {
    let reach = mesh.vertices().iter().map(|p| p.length()).fold(0.0, f64::max);
    Body { solid: Solid::mesh(Arc::new(mesh.clone())), shape: None, mesh: Some(mesh), is_convex, reach }
}

/// A body of a kind, of about a size.
pub(crate) fn random(kind: usize, size: f64, random: &mut Random) -> Body {
    // Now and then ten or a hundred times as thick as long.
    let mut length = || size * 10f64.powf(random.between(-1.3, 0.3));
    let (radius, height) = (length(), length());
    match kind {
        0 => primitive(Shape::Box { size: DVec3::new(radius, height, length()) }),
        1 => primitive(Shape::Sphere { radius }),
        2 => primitive(Shape::Cylinder { radius, height }),
        3 => primitive(Shape::Capsule { radius, height }),
        4 => primitive(Shape::Cone { radius, height }),
        5 => {
            let normal = if random.unit() < 0.3 { DVec3::Z } else { random.vector() + DVec3::splat(1e-3) };
            primitive(Shape::HalfSpace { normal, offset: random.between(-1.0, 1.0) * size * normal.length() })
        }
        6 => {
            let shapes = [
                Shape::Sphere { radius },
                Shape::Cone { radius, height },
                Shape::Capsule { radius, height },
                Shape::Cylinder { radius, height },
            ];
            let shape = shapes[(random.unit() * 4.0) as usize];
            let convex = Primitive::new(shape).expect("a shape").tessellated(0.2 * radius).expect("bounded");
            mesh(convex, true)
        }
        _ => {
            let outer: Vec<f64> = (0..6).map(|_| random.between(1.0, 2.0)).collect();
            let flat = plate(&outer, &[0.5, 0.3, 0.6, 0.3], random.between(0.1, 0.8)).mesh;
            mesh(scaled(&flat, 0.5 * size, DVec3::ZERO), false)
        }
    }
}

pub(crate) fn scaled(mesh: &Mesh, scale: f64, shift: DVec3) -> Mesh {
    let points: Vec<DVec3> = mesh.vertices().iter().map(|p| *p * scale + shift).collect();
    weld(&points, mesh.triangles(), 0.0).expect("a mesh").mesh
}

impl Body {
    /// Distance of a point from the body; zero inside.
    pub(crate) fn outside(&self, p: DVec3) -> f64 {
        if let Some(mesh) = &self.mesh {
            if winding(mesh, p).abs() > 0.5 {
                return 0.0;
            }
            let gap_sq = |t: [DVec3; 3]| closest(&[p; 3], &t).distance_sq;
            return mesh.corners().map(gap_sq).fold(f64::INFINITY, f64::min).sqrt();
        }
        let flat = DVec2::new(p.truncate().length(), p.z);
        match self.shape.expect("a mesh or a shape") {
            Shape::Box { .. } => unreachable!("boxes have a mesh"),
            Shape::Sphere { radius } => (p.length() - radius).max(0.0),
            Shape::Capsule { radius, height } => {
                let z = p.z.clamp(-height / 2.0, height / 2.0);
                (p.distance(DVec3::Z * z) - radius).max(0.0)
            }
            Shape::Cylinder { radius, height } => outside_polygon(
                flat,
                &[(0.0, -0.5), (1.0, -0.5), (1.0, 0.5), (0.0, 0.5)]
                    .map(|(r, h)| DVec2::new(r * radius, h * height)),
            ),
            Shape::Cone { radius, height } => outside_polygon(
                flat,
                &[(0.0, -0.5), (1.0, -0.5), (0.0, 0.5)].map(|(r, h)| DVec2::new(r * radius, h * height)),
            ),
            Shape::HalfSpace { normal, offset } => (normal.dot(p) - offset).max(0.0),
        }
    }

    /// How far it reaches along a unit vector; infinite of most half-spaces. Of the hull if it is not convex.
    pub(crate) fn extent(&self, n: DVec3) -> f64 {
        if let Some(mesh) = &self.mesh {
            return mesh.vertices().iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max);
        }
        let flat = n.truncate().length();
        match self.shape.expect("a mesh or a shape") {
            Shape::Box { size } => 0.5 * n.abs().dot(size),
            Shape::Sphere { radius } => radius,
            Shape::Capsule { radius, height } => radius + 0.5 * height * n.z.abs(),
            Shape::Cylinder { radius, height } => radius * flat + 0.5 * height * n.z.abs(),
            Shape::Cone { radius, height } => (0.5 * height * n.z).max(radius * flat - 0.5 * height * n.z),
            Shape::HalfSpace { normal, offset } => {
                if normal.dot(n) > 0.9 && normal.cross(n).length() < 1e-7 {
                    offset
                } else {
                    f64::INFINITY
                }
            }
        }
    }
}

/// Distance from a convex polygon whose corners run counter-clockwise.
fn outside_polygon(p: DVec2, corners: &[DVec2]) -> f64 {
    let mut inside = true;
    let mut least = f64::INFINITY;
    for (k, &a) in corners.iter().enumerate() {
        let b = corners[(k + 1) % corners.len()];
        inside &= (b - a).perp_dot(p - a) >= 0.0;
        let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        least = least.min(p.distance(a + (b - a) * t));
    }
    if inside { 0.0 } else { least }
}

/// How often a surface winds round a point, by solid angles (van Oosterom and Strackee 1983).
fn winding(mesh: &Mesh, p: DVec3) -> f64 {
    let angle = |t: [DVec3; 3]| {
        let [a, b, c] = t.map(|q| q - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(below)
    };
    mesh.corners().map(angle).sum::<f64>() / (2.0 * TAU)
}
