//! What is round: a convex core and a radius around it.

use crate::primitive::{Primitive, Shape};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// All points within a radius of a core. Balls and capsules have a core without volume; cylinders and cones are their own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) core: Core,
    pub(super) radius: f64,
}

/// A convex set centred at the origin, its axis along z.
#[derive(Clone, Copy, Debug)]
pub(super) enum Core {
    Point,
    Segment {
        half: f64,
    },
    Cylinder {
        radius: f64,
        half: f64,
    },
    /// Base at `-half`, tip at `half`; the slant is the way from the tip to the rim of the base.
    Cone {
        radius: f64,
        half: f64,
        slant: f64,
    },
}

/// The nearest point of a convex set to a given one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) distance: f64,
    pub(super) point: DVec3,
    /// Unit vector away from the set, the gradient of the distance; zero inside. On flat and round faces it comes from the
    /// face and not from the difference of two points, so it is as accurate close to the set as far away.
    pub(super) away: DVec3,
}

impl Round {
    /// None of boxes, which are meshes, and of half-spaces.
    pub(super) fn of(primitive: &Primitive) -> Option<Self> {
        let (core, radius) = match primitive.shape() {
            Shape::Sphere { radius } => (Core::Point, radius),
            Shape::Capsule { radius, height } => (Core::Segment { half: height * 0.5 }, radius),
            Shape::Cylinder { radius, height } => (Core::Cylinder { radius, half: height * 0.5 }, 0.0),
            Shape::Cone { radius, height } => {
                (Core::Cone { radius, half: height * 0.5, slant: radius.hypot(height) }, 0.0)
            }
            Shape::Box { .. } | Shape::HalfSpace { .. } => return None,
        };
        Some(Self { core, radius })
    }

    /// How deep a point lies inside: the distance to the surface; not positive outside. Concave, so the least of a convex
    /// set is at one of its corners.
    pub(super) fn depth(&self, p: DVec3) -> f64 {
        self.core.depth(p) + self.radius
    }

    /// Distance from the origin within which it lies.
    pub(super) fn reach(&self) -> f64 {
        self.core.half_extents().length() + self.radius
    }

    /// Whether another, placed by a pose, is proven to lie inside with some room: the corners of a solid around its core
    /// are deep enough.
    pub(super) fn encloses(&self, other: &Self, place: impl Fn(DVec3) -> DVec3, room: f64) -> bool {
        other.core.hull().all(|corner| self.depth(place(corner)) > other.radius + room)
    }
}

impl Core {
    /// Half the size of the enclosing box.
    pub(super) fn half_extents(&self) -> DVec3 {
        match *self {
            Self::Point => DVec3::ZERO,
            Self::Segment { half } => DVec3::new(0.0, 0.0, half),
            Self::Cylinder { radius, half } | Self::Cone { radius, half, .. } => {
                DVec3::new(radius, radius, half)
            }
        }
    }

    /// Pairs are asked with the lower rank first.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Point => 0,
            Self::Segment { .. } => 1,
            Self::Cylinder { .. } => 2,
            Self::Cone { .. } => 3,
        }
    }

    pub(super) fn nearest(&self, p: DVec3) -> Near {
        match *self {
            Self::Point => from_point(p, DVec3::ZERO),
            Self::Segment { half } => {
                let point = DVec3::new(0.0, 0.0, p.z.clamp(-half, half));
                from_point(p, point)
            }
            Self::Cylinder { radius, half } => {
                let (from_axis, out) = polar(p);
                let beyond = DVec2::new(
                    (from_axis - radius).max(0.0),
                    (p.z.abs() - half).max(0.0).copysign(p.z), // Exactly zero between the caps.
                );
                let at = DVec2::new(from_axis.min(radius), p.z.clamp(-half, half));
                around(p, at, beyond, out)
            }
            Self::Cone { radius, half, slant } => {
                let (from_axis, out) = polar(p);
                let height = 2.0 * half;
                let below_tip = half - p.z;
                // Height over the slant, and the way along it from the tip.
                let over = (from_axis * height - below_tip * radius) / slant;
                let along = (from_axis * radius + below_tip * height) / slant;
                let q = DVec2::new(from_axis, p.z);
                if p.z < -half {
                    let at = DVec2::new(from_axis.min(radius), -half);
                    around(p, at, DVec2::new((from_axis - radius).max(0.0), p.z + half), out)
                } else if over <= 0.0 {
                    Near { distance: 0.0, point: p, away: DVec3::ZERO }
                } else if along <= 0.0 {
                    around(p, DVec2::new(0.0, half), DVec2::new(from_axis, -below_tip), out)
                } else if along >= slant {
                    let rim = DVec2::new(radius, -half);
                    around(p, rim, q - rim, out)
                } else {
                    let normal = DVec2::new(height, radius) / slant;
                    let at = DVec2::new(radius, -height) * (along / slant) + DVec2::new(0.0, half);
                    Near {
                        distance: over,
                        point: (out * at.x).extend(at.y),
                        away: (out * normal.x).extend(normal.y),
                    }
                }
            }
        }
    }

    /// How deep a point lies inside: the distance to the surface; not positive outside.
    pub(super) fn depth(&self, p: DVec3) -> f64 {
        match *self {
            Self::Point | Self::Segment { .. } => -self.nearest(p).distance,
            Self::Cylinder { radius, half } => (radius - polar(p).0).min(half - p.z.abs()),
            Self::Cone { radius, half, slant } => {
                let height = 2.0 * half;
                (((half - p.z) * radius - polar(p).0 * height) / slant).min(p.z + half)
            }
        }
    }

    /// A point that is nearest to a plane, or one that the plane cuts; none if the plane is proven to be beyond `cut`.
    pub(super) fn over_plane(&self, origin: DVec3, normal: DVec3, cut: f64) -> Option<DVec3> {
        let (above, below) = (self.support(normal), self.support(-normal));
        let (high, low) = ((above - origin).dot(normal), (below - origin).dot(normal));
        if low > cut || -high > cut {
            return None;
        }
        Some(if low > 0.0 {
            below
        } else if high < 0.0 {
            above
        } else if high > low {
            above + (below - above) * (high / (high - low))
        } else {
            above // In the plane, all of it.
        })
    }

    /// A point that lies farthest along a direction.
    pub(super) fn support(&self, direction: DVec3) -> DVec3 {
        // The middle where all of an edge is as far: its foot is likelier to lie inside a face.
        let end = |half: f64| {
            if direction.z > 0.0 {
                half
            } else if direction.z < 0.0 {
                -half
            } else {
                0.0
            }
        };
        let out = || direction.truncate().try_normalize().unwrap_or(DVec2::ZERO);
        match *self {
            Self::Point => DVec3::ZERO,
            Self::Segment { half } => DVec3::new(0.0, 0.0, end(half)),
            Self::Cylinder { radius, half } => (out() * radius).extend(end(half)),
            Self::Cone { radius, half, .. } => {
                let flat = direction.truncate().length();
                if direction.z * 2.0 * half >= radius * flat {
                    DVec3::new(0.0, 0.0, half)
                } else {
                    (out() * radius).extend(-half)
                }
            }
        }
    }

    /// Corners of a solid that encloses it: the points of a segment; sixteen around a circle.
    fn hull(&self) -> impl Iterator<Item = DVec3> {
        const SIDES: u32 = 16;
        let ring = |radius: f64, k: u32| {
            // The sides of the polygon touch the circle, so its corners are farther out.
            let step = PI / f64::from(SIDES);
            DVec2::from_angle(2.0 * step * f64::from(k)) * (radius / step.cos() * (1.0 + 4.0 * f64::EPSILON))
        };
        let core = *self;
        let count = match core {
            Self::Point => 1,
            Self::Segment { .. } => 2,
            Self::Cylinder { .. } => 2 * SIDES,
            Self::Cone { .. } => 1 + SIDES,
        };
        (0..count).map(move |k| match core {
            Self::Point => DVec3::ZERO,
            Self::Segment { half } => DVec3::new(0.0, 0.0, if k == 0 { -half } else { half }),
            Self::Cylinder { radius, half } => ring(radius, k).extend(if k < SIDES { -half } else { half }),
            Self::Cone { half, .. } if k == 0 => DVec3::new(0.0, 0.0, half),
            Self::Cone { radius, half, .. } => ring(radius, k).extend(-half),
        })
    }
}

/// Distance from the axis, and the unit vector out from it; some unit vector on the axis.
fn polar(p: DVec3) -> (f64, DVec2) {
    let flat = p.truncate();
    let length = flat.length();
    (length, if length > 0.0 { flat / length } else { DVec2::X })
}

fn from_point(p: DVec3, point: DVec3) -> Near {
    let between = p - point;
    let distance = between.length();
    Near { distance, point, away: if distance > 0.0 { between / distance } else { DVec3::ZERO } }
}

/// A nearest point of a body of revolution, in its half-plane: where it is, and how far `p` is beyond it out and up.
fn around(p: DVec3, at: DVec2, beyond: DVec2, out: DVec2) -> Near {
    let distance = if beyond.x == 0.0 {
        beyond.y.abs()
    } else if beyond.y == 0.0 {
        beyond.x
    } else {
        beyond.length()
    };
    if distance > 0.0 {
        let away = beyond / distance;
        Near { distance, point: (out * at.x).extend(at.y), away: (out * away.x).extend(away.y) }
    } else {
        // Not `distance == 0`: what is no number is inside, and so never apart.
        Near { distance: 0.0, point: p, away: DVec3::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores() -> [Core; 4] {
        [
            Core::Point,
            Core::Segment { half: 0.7 },
            Core::Cylinder { radius: 0.6, half: 0.4 },
            Core::Cone { radius: 0.6, half: 0.4, slant: 0.6f64.hypot(0.8) },
        ]
    }

    /// Points in and around the cores, some on axes, faces and rims.
    fn grid() -> impl Iterator<Item = DVec3> {
        let at = |k: i32| f64::from(k) * 0.2;
        (-6..=6).flat_map(move |x| {
            (-6..=6).flat_map(move |y| (-6..=6).map(move |z| DVec3::new(at(x), at(y), at(z))))
        })
    }

    /// The plane across the way to the nearest point has the whole core beyond it: so nothing is nearer.
    #[test]
    fn the_nearest_point_is_nearest() {
        for core in cores() {
            for p in grid() {
                let near = core.nearest(p);
                assert!((p.distance(near.point) - near.distance).abs() < 1e-15, "{core:?} {p}");
                assert!(core.nearest(near.point).distance < 1e-15, "{core:?} {p}");
                if near.distance > 0.0 {
                    assert!((near.away.length() - 1.0).abs() < 1e-15, "{core:?} {p}");
                    let over = (core.support(near.away) - near.point).dot(near.away);
                    assert!(over < 1e-15, "{core:?} {p}: {over}");
                }
            }
        }
    }

    #[test]
    fn depth_is_the_distance_to_the_surface() {
        for core in cores() {
            for p in grid() {
                let (depth, outside) = (core.depth(p), core.nearest(p).distance);
                assert!((depth > 1e-15) <= (outside == 0.0), "{core:?} {p}");
                // Every tangent plane is at least as far away, and one is as far.
                if depth > 0.0 {
                    let planes = (0..200).flat_map(|i| (0..100).map(move |j| (i, j))).map(|(i, j)| {
                        let out = DVec2::from_angle(f64::from(i) * PI / 100.0);
                        let (sin, cos) = (f64::from(j) * PI / 99.0).sin_cos();
                        let n = (out * sin).extend(cos);
                        n.dot(core.support(n) - p)
                    });
                    let least = planes.fold(f64::INFINITY, f64::min);
                    assert!(depth <= least + 1e-15 && depth > least - 0.02, "{core:?} {p}: {depth} {least}");
                }
            }
        }
    }

    #[test]
    fn a_hull_holds_its_core() {
        for core in cores() {
            for n in grid() {
                let hull = core.hull().map(|corner| corner.dot(n)).fold(f64::NEG_INFINITY, f64::max);
                assert!(hull >= core.support(n).dot(n), "{core:?} {n}");
            }
        }
    }
}
