//! Shapes with a formula: boxes, balls, cylinders, capsules, cones, half-spaces.

use crate::bounds::Aabb;
use crate::mesh::{self, Mesh};
use crate::tolerance;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// A shape with a formula, in its own frame: centred at the origin, its axis along z. Its sizes are valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primitive(Shape);

/// Sizes of a [`Primitive`], in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A block with these edge lengths.
    Box {
        /// Edge lengths.
        size: DVec3,
    },
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Height.
        height: f64,
    },
    /// All points within the radius of a segment.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length of the segment: the distance of the two centres.
        height: f64,
    },
    /// A cone with its base at `z = -height/2` and its tip at `z = height/2`.
    Cone {
        /// Radius of the base.
        radius: f64,
        /// Height.
        height: f64,
    },
    /// Everything below a plane: solid where `normal · x < offset`.
    HalfSpace {
        /// Normal, out of the solid; made a unit vector, and `offset` with it.
        normal: DVec3,
        /// Distance of the plane from the origin along the normal.
        offset: f64,
    },
}

/// Why sizes are not a shape.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeFault {
    /// A size is zero, negative or not finite.
    #[error("{name} must be greater than zero, not {value}")]
    NotPositive {
        /// Which size.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A size is beyond [`tolerance::COORDINATE_LIMIT`].
    #[error("{name} is {value:e} m, beyond the limit of {limit:e} m", limit = tolerance::COORDINATE_LIMIT)]
    TooLarge {
        /// Which size.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The normal of a half-space has no direction.
    #[error("the normal of a plane must be a direction, not {0}")]
    NoNormal(DVec3),
}

impl Primitive {
    /// A shape of valid sizes.
    ///
    /// # Errors
    /// The first size that is not positive and finite, or too large.
    pub fn new(shape: Shape) -> Result<Self, ShapeFault> {
        let check = |sizes: &[(&'static str, f64)]| {
            for &(name, value) in sizes {
                if !(value > 0.0) {
                    return Err(ShapeFault::NotPositive { name, value });
                }
                if value > tolerance::COORDINATE_LIMIT {
                    return Err(ShapeFault::TooLarge { name, value });
                }
            }
            Ok(Self(shape))
        };
        match shape {
            Shape::Box { size } => {
                check(&[("the x size", size.x), ("the y size", size.y), ("the z size", size.z)])
            }
            Shape::Sphere { radius } => check(&[("the radius", radius)]),
            Shape::Cylinder { radius, height }
            | Shape::Capsule { radius, height }
            | Shape::Cone { radius, height } => check(&[("the radius", radius), ("the height", height)]),
            Shape::HalfSpace { normal, offset } => {
                let unit = normal.try_normalize().ok_or(ShapeFault::NoNormal(normal))?;
                let offset = offset / normal.length();
                if !(offset.abs() <= tolerance::COORDINATE_LIMIT) {
                    return Err(ShapeFault::TooLarge { name: "the offset", value: offset });
                }
                Ok(Self(Shape::HalfSpace { normal: unit, offset }))
            }
        }
    }

    /// The primitive of which [`Primitive::shape`] gave this shape, to the last bit.
    ///
    /// # Errors
    /// As [`Primitive::new`]; and a normal of a half-space that is no unit vector within [`tolerance::STORED`].
    pub fn from_stored(shape: Shape) -> Result<Self, ShapeFault> {
        Self::new(shape)?;
        match shape {
            Shape::HalfSpace { normal, .. } if !((normal.length() - 1.0).abs() <= tolerance::STORED) => {
                Err(ShapeFault::NoNormal(normal))
            }
            _ => Ok(Self(shape)),
        }
    }

    /// Its sizes.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.0
    }

    /// The enclosing box; none of a half-space.
    #[must_use]
    pub fn aabb(&self) -> Option<Aabb> {
        Some(Aabb::centred(match self.0 {
            Shape::Box { size } => size * 0.5,
            Shape::Sphere { radius } => DVec3::splat(radius),
            Shape::Cylinder { radius, height } | Shape::Cone { radius, height } => {
                DVec3::new(radius, radius, height * 0.5)
            }
            Shape::Capsule { radius, height } => DVec3::new(radius, radius, height * 0.5 + radius),
            Shape::HalfSpace { .. } => return None,
        }))
    }

    /// Volume; infinite of a half-space.
    #[must_use]
    pub fn volume(&self) -> f64 {
        let ball = |radius: f64| 4.0 / 3.0 * PI * radius.powi(3);
        let column = |radius: f64, height: f64| PI * radius * radius * height;
        match self.0 {
            Shape::Box { size } => size.x * size.y * size.z,
            Shape::Sphere { radius } => ball(radius),
            Shape::Cylinder { radius, height } => column(radius, height),
            Shape::Capsule { radius, height } => column(radius, height) + ball(radius),
            Shape::Cone { radius, height } => column(radius, height) / 3.0,
            Shape::HalfSpace { .. } => f64::INFINITY,
        }
    }

    /// Surface area; infinite of a half-space.
    #[must_use]
    pub fn area(&self) -> f64 {
        let disc = |radius: f64| PI * radius * radius;
        match self.0 {
            Shape::Box { size } => 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x),
            Shape::Sphere { radius } => 4.0 * disc(radius),
            Shape::Cylinder { radius, height } => 2.0 * PI * radius * height + 2.0 * disc(radius),
            Shape::Capsule { radius, height } => 2.0 * PI * radius * height + 4.0 * disc(radius),
            Shape::Cone { radius, height } => disc(radius) + PI * radius * radius.hypot(height),
            Shape::HalfSpace { .. } => f64::INFINITY,
        }
    }

    /// Whether the point lies inside or on the surface, as exactly as the formula in `f64` tells.
    #[must_use]
    pub fn contains(&self, p: DVec3) -> bool {
        let from_axis = p.truncate().length();
        match self.0 {
            Shape::Box { size } => p.abs().cmple(size * 0.5).all(),
            Shape::Sphere { radius } => p.length() <= radius,
            Shape::Cylinder { radius, height } => from_axis <= radius && p.z.abs() <= height * 0.5,
            Shape::Capsule { radius, height } => {
                let along = p.z.clamp(-height * 0.5, height * 0.5);
                p.distance(DVec3::Z * along) <= radius
            }
            Shape::Cone { radius, height } => {
                p.z.abs() <= height * 0.5 && from_axis <= radius * (0.5 - p.z / height)
            }
            Shape::HalfSpace { normal, offset } => normal.dot(p) <= offset,
        }
    }

    /// Distance of a point from the surface, negative inside, accurate to some 1e-15 of the coordinates.
    #[must_use]
    pub fn signed_distance(&self, p: DVec3) -> f64 {
        let from_axis = p.truncate().length();
        // How far outside along each direction; inside, the nearest of the sides counts.
        let of_sides = |sides: &[f64]| {
            let outside = sides.iter().map(|side| side.max(0.0).powi(2)).sum::<f64>().sqrt();
            outside + sides.iter().copied().fold(f64::NEG_INFINITY, f64::max).min(0.0)
        };
        match self.0 {
            Shape::Box { size } => of_sides(&(p.abs() - size * 0.5).to_array()),
            Shape::Sphere { radius } => p.length() - radius,
            Shape::Cylinder { radius, height } => of_sides(&[from_axis - radius, p.z.abs() - height * 0.5]),
            Shape::Capsule { radius, height } => {
                p.distance(DVec3::Z * p.z.clamp(-height * 0.5, height * 0.5)) - radius
            }
            Shape::Cone { radius, height } => {
                // In the half-plane through the point: the base, and the slant from its rim to the tip.
                let (q, rim, tip) = (
                    DVec2::new(from_axis, p.z),
                    DVec2::new(radius, -height * 0.5),
                    DVec2::new(0.0, height * 0.5),
                );
                let to_base = q.distance(DVec2::new(from_axis.min(radius), -height * 0.5));
                let along = ((q - rim).dot(tip - rim) / (tip - rim).length_squared()).clamp(0.0, 1.0);
                let to_slant = q.distance(rim + (tip - rim) * along);
                let distance = to_base.min(to_slant);
                if self.contains(p) { -distance } else { distance }
            }
            Shape::HalfSpace { normal, offset } => normal.dot(p) - offset,
        }
    }

    /// The direction in which [`Primitive::signed_distance`] grows: a unit vector. Where it grows in several ways, one of them.
    ///
    /// The signed distance of a convex shape is a convex function, so it is nowhere below its tangent at a point.
    #[must_use]
    pub fn outward(&self, p: DVec3) -> DVec3 {
        let across = DVec2::new(p.x, p.y).normalize_or(DVec2::X);
        // In the half-plane through the point: across the axis, and along it.
        let turned = |q: DVec2| (across * q.x).extend(q.y);
        let q = DVec2::new(p.truncate().length(), p.z);
        match self.0 {
            Shape::Box { size } => {
                let sides = p.abs() - size * 0.5;
                let axis = if sides.max_element() > 0.0 {
                    sides.max(DVec3::ZERO)
                } else {
                    DVec3::AXES[sides.max_position()]
                };
                (axis * p.signum()).normalize()
            }
            Shape::Sphere { .. } => p.normalize_or(DVec3::X),
            Shape::Cylinder { radius, height } => {
                let sides = DVec2::new(q.x - radius, q.y.abs() - height * 0.5);
                let axis = if sides.max_element() > 0.0 {
                    sides.max(DVec2::ZERO)
                } else {
                    DVec2::AXES[sides.max_position()]
                };
                turned((axis * DVec2::new(1.0, q.y.signum())).normalize())
            }
            Shape::Capsule { height, .. } => {
                let on_axis = DVec3::Z * p.z.clamp(-height * 0.5, height * 0.5);
                (p - on_axis).normalize_or(DVec3::X)
            }
            Shape::Cone { radius, height } => {
                let (rim, tip) = (DVec2::new(radius, -height * 0.5), DVec2::new(0.0, height * 0.5));
                let slant_normal = DVec2::new(height, radius).normalize();
                let (from_base, from_slant) = (rim.y - q.y, slant_normal.dot(q - rim));
                if from_base.max(from_slant) <= 0.0 {
                    return turned(if from_base > from_slant { -DVec2::Y } else { slant_normal });
                }
                // Next to a face the difference to the nearest point is all rounding, and leads anywhere: there it is the normal.
                if from_base >= 0.0 && q.x <= radius {
                    return turned(-DVec2::Y);
                }
                let along = (q - rim).dot(tip - rim) / (tip - rim).length_squared();
                turned(if along <= 0.0 {
                    (q - rim).normalize_or(slant_normal)
                } else if along >= 1.0 {
                    (q - tip).normalize_or(slant_normal)
                } else {
                    slant_normal
                })
            }
            Shape::HalfSpace { normal, .. } => normal,
        }
    }

    /// The least product of a vector with a point of it; minus infinity of a half-space.
    ///
    /// ```
    /// use kansho_geom::{Primitive, glam::DVec3, primitive::Shape};
    /// let rod = Primitive::new(Shape::Capsule { radius: 0.5, height: 2.0 })?;
    /// assert_eq!(rod.lowest(DVec3::Z), -1.5);
    /// # Ok::<(), kansho_geom::primitive::ShapeFault>(())
    /// ```
    #[must_use]
    pub fn lowest(&self, m: DVec3) -> f64 {
        let across = m.truncate().length();
        match self.0 {
            Shape::Box { size } => -0.5 * size.dot(m.abs()),
            Shape::Sphere { radius } => -radius * m.length(),
            Shape::Cylinder { radius, height } => -0.5 * height * m.z.abs() - radius * across,
            Shape::Capsule { radius, height } => -0.5 * height * m.z.abs() - radius * m.length(),
            Shape::Cone { radius, height } => (0.5 * height * m.z).min(-0.5 * height * m.z - radius * across),
            Shape::HalfSpace { .. } => f64::NEG_INFINITY,
        }
    }

    /// A closed mesh for looking at: its corners lie on the surface, and it stays within `deviation` metres inside it
    /// (as far as 2,048 sides allow). None of a half-space.
    ///
    /// It is smaller than the shape, so it proves nothing about what is free.
    #[must_use]
    pub fn tessellated(&self, deviation: f64) -> Option<Mesh> {
        let rings = match self.0 {
            Shape::Box { size } => return Some(block(size)),
            Shape::HalfSpace { .. } => return None,
            Shape::Cylinder { radius, height } => vec![(radius, -height * 0.5), (radius, height * 0.5)],
            Shape::Cone { radius, height } => vec![(radius, -height * 0.5), (0.0, height * 0.5)],
            Shape::Sphere { radius } => dome_rings(radius, 0.0, deviation),
            Shape::Capsule { radius, height } => dome_rings(radius, height, deviation),
        };
        let radius = rings.iter().fold(0.0, |most: f64, ring| most.max(ring.0));
        // Round faces use up half the deviation around and half along.
        Some(lathe(&rings, sides_for(radius, deviation * 0.5)))
    }
}

/// Sides of a regular polygon in a circle that stays within `deviation` of it: `r (1 − cos(π/n)) ≤ deviation`.
fn sides_for(radius: f64, deviation: f64) -> usize {
    let cosine = (1.0 - deviation / radius).clamp(-1.0, 1.0);
    let sides = (PI / cosine.acos()).ceil();
    // A multiple of four keeps the extreme points along x and y.
    ((sides.clamp(8.0, 2048.0) as usize).div_ceil(4)) * 4
}

/// Radius and height of rings around a ball that is pulled apart by `height`, from the lower pole to the upper.
fn dome_rings(radius: f64, height: f64, deviation: f64) -> Vec<(f64, f64)> {
    let quarter = sides_for(radius, deviation * 0.5) / 4;
    let latitude = |i: usize| 0.5 * PI * i as f64 / quarter as f64;
    let upper = |i: usize| {
        let angle = latitude(i);
        (if i == quarter { 0.0 } else { radius * angle.cos() }, height * 0.5 + radius * angle.sin())
    };
    let lower = (0..=quarter).rev().map(upper).map(|(r, z)| (r, -z));
    let skip_doubled_equator = usize::from(height == 0.0);
    lower.chain((skip_doubled_equator..=quarter).map(upper)).collect()
}

/// A closed surface of revolution about z through rings of (radius, height), from below; ends are closed.
fn lathe(rings: &[(f64, f64)], sides: usize) -> Mesh {
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    let mut ring_start = Vec::new();
    for &(radius, z) in rings {
        ring_start.push(points.len() as u32);
        for k in 0..sides {
            let angle = 2.0 * PI * k as f64 / sides as f64;
            points.push(DVec3::new(radius * angle.cos(), radius * angle.sin(), z));
        }
    }
    for pair in ring_start.windows(2) {
        for k in 0..sides as u32 {
            let next = (k + 1) % sides as u32;
            let [a, b, c, d] = [pair[0] + k, pair[0] + next, pair[1] + next, pair[1] + k];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    for (ring, up) in [(0, false), (rings.len() - 1, true)] {
        let (radius, z) = rings[ring];
        if radius > 0.0 {
            let centre = points.len() as u32;
            points.push(DVec3::new(0.0, 0.0, z));
            for k in 0..sides as u32 {
                let [a, b] = [ring_start[ring] + k, ring_start[ring] + (k + 1) % sides as u32];
                triangles.push(if up { [a, b, centre] } else { [b, a, centre] });
            }
        }
    }
    // At a pole all points of the ring coincide; welding joins them and drops the collapsed triangles.
    mesh::weld(&points, &triangles, 0.0).expect("a lathe makes a mesh").mesh
}

fn block(size: DVec3) -> Mesh {
    let corner = |i: u32| {
        let sign = DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)) - 0.5;
        sign * size
    };
    let points: Vec<DVec3> = (0..8).map(corner).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    mesh::weld(&points, &triangles, 0.0).expect("a block is a mesh").mesh
}
