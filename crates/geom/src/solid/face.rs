use super::along::{Spine, least_along};
use super::core::{Core, Near};
use crate::triangle::{Feature, Triangle};
use glam::{DVec2, DVec3};

/// The point of a triangle nearest to a core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Least {
    pub(super) point: DVec3,
    pub(super) near: Near,
    pub(super) feature: Feature,
}

/// The point of a triangle nearest to a core, in the frame of the core; none if it is proven to be beyond `cut`.
///
/// Inside the face, the core's nearest point is farthest along the normal, or the plane cuts the core. Where all of an edge
/// or a face of the core is as near, any of its points will do: either it lies over the triangle, or it crosses a side, and
/// then that is as near. A plane that cuts the core does so in a convex set: if that meets no side it lies wholly inside
/// the triangle or outside, and one of its points tells. Otherwise a side is nearest. A triangle without area is its sides.
pub(super) fn least_on_triangle(core: &Core, triangle: &Triangle, cut: f64) -> Option<Least> {
    // A plane that has the core beyond it, and is likely to have the triangle before it.
    let middle = core.nearest((triangle[0] + triangle[1] + triangle[2]) / 3.0);
    if triangle.iter().all(|corner| (*corner - middle.point).dot(middle.away) > cut) {
        return None;
    }
    if let Some(face) = Face::of(triangle) {
        let over = core.over_plane(face.origin, face.normal, cut)?;
        if let Some(point) = face.foot_inside(over) {
            return Some(Least { point, near: core.nearest(point), feature: Feature::Face });
        }
    }
    let corners = triangle.map(|corner| core.nearest(corner));
    let mut best: Option<Least> = None;
    let mut limit = cut;
    for k in 0..3u8 {
        let (i, j) = (k as usize, (k as usize + 1) % 3);
        let spine = Spine { ends: [triangle[i], triangle[j]], radii: [0.0; 2] };
        let Some(found) = least_along(core, &spine, [corners[i], corners[j]], limit) else { continue };
        if best.is_none_or(|best| found.gap < best.near.distance) {
            let feature = match found.t {
                0.0 => Feature::Corner(k),
                1.0 => Feature::Corner((k + 1) % 3),
                _ => Feature::Side(k),
            };
            best = Some(Least { point: found.point, near: found.near, feature });
            limit = limit.min(found.gap);
        }
    }
    best
}

/// A triangle with area, along its longest side.
struct Face {
    origin: DVec3,
    along: DVec3,
    across: DVec3,
    normal: DVec3,
    longest: f64,
    tip: DVec2,
}

impl Face {
    fn of(triangle: &Triangle) -> Option<Self> {
        let length_sq = |k: usize| triangle[k].distance_squared(triangle[(k + 1) % 3]);
        let k = (1..3).fold(0, |best, k| if length_sq(k) > length_sq(best) { k } else { best });
        let origin = triangle[k];
        let (base, side) = (triangle[(k + 1) % 3] - origin, triangle[(k + 2) % 3] - origin);
        let mut cross = base.cross(side);
        // Below a tenth of a radian rounding would turn the normal.
        if cross.length_squared() < 0.01 * base.length_squared() * side.length_squared() {
            cross = accurate_cross(base, side);
        }
        let normal = cross.try_normalize()?;
        let longest = base.length();
        let along = base / longest;
        let across = normal.cross(along);
        Some(Self {
            origin,
            along,
            across,
            normal,
            longest,
            tip: DVec2::new(side.dot(along), cross.length() / longest),
        })
    }

    /// The foot of a point, if it lies in the triangle.
    fn foot_inside(&self, p: DVec3) -> Option<DVec3> {
        let from = p - self.origin;
        let (x, y) = (from.dot(self.along), from.dot(self.across));
        let tip = self.tip;
        let inside =
            y >= 0.0 && x * tip.y >= tip.x * y && (self.longest - x) * tip.y >= (self.longest - tip.x) * y;
        inside.then(|| self.origin + self.along * x + self.across * y)
    }
}

/// A cross product whose coordinates are accurate to the last digits, however nearly parallel the vectors.
fn accurate_cross(a: DVec3, b: DVec3) -> DVec3 {
    // Kahan's difference of two products: the rounding of the second is added back.
    let difference = |p: f64, q: f64, r: f64, s: f64| {
        let product = r * s;
        let lost = (-r).mul_add(s, product);
        p.mul_add(q, -product) + lost
    };
    DVec3::new(difference(a.y, b.z, a.z, b.y), difference(a.z, b.x, a.x, b.z), difference(a.x, b.y, a.y, b.x))
}
