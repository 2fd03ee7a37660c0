use crate::bounds::Aabb;
use crate::pose::Pose;
use crate::primitive::{Primitive, Shape};
use crate::solid::Solid;
use crate::tree::{Scratch, Side, Tree};
use glam::DVec3;
use std::sync::Arc;

/// A body of a field.
#[derive(Clone, Debug)]
pub struct FieldPart {
    kind: Kind,
    frame_from_part: Pose,
    part_from_frame: Pose,
    /// Its box in the frame, rounded outward; unbounded for a half-space, and where its place is no number.
    extent: [DVec3; 2],
    /// Size of its coordinates, its own and those of its place.
    size: f64,
}

#[derive(Clone, Debug)]
enum Kind {
    Mesh(Arc<Solid>),
    Formula(Primitive),
}

/// The nearest of some bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    /// How far away its surface is; negative inside a formula.
    pub(super) distance: f64,
    /// Unit vector from there to the point; of a formula, straight outward.
    pub(super) away: DVec3,
    /// Whether the point is in a closed mesh.
    pub(super) side: Side,
    /// How deep the point is inside a body: the distance to the surface of that body. Zero outside.
    pub(super) depth: f64,
}

impl Near {
    /// The distance from the solid.
    pub(super) fn solid(&self) -> f64 {
        if self.side == Side::Inside { 0.0 } else { self.distance.max(0.0) }
    }
}

impl FieldPart {
    /// A mesh that was prepared.
    #[must_use]
    pub fn mesh(solid: Arc<Solid>, frame_from_part: Pose) -> Option<Self> {
        let aabb = solid.tree()?.mesh().aabb();
        Some(Self::new(Kind::Mesh(solid), Some(aabb), frame_from_part))
    }

    /// A primitive.
    #[must_use]
    pub fn formula(primitive: Primitive, frame_from_part: Pose) -> Self {
        Self::new(Kind::Formula(primitive), primitive.aabb(), frame_from_part)
    }

    fn new(kind: Kind, aabb: Option<Aabb>, frame_from_part: Pose) -> Self {
        // Where it is no number, it may be anywhere.
        let aabb = aabb.filter(|_| is_finite(frame_from_part));
        let extent = aabb.map_or([DVec3::NEG_INFINITY, DVec3::INFINITY], |aabb| {
            let (axes, half) = (frame_from_part.rotation(), aabb.extent() * 0.5);
            let reach = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
            let centre = frame_from_part * aabb.centre();
            let size = centre.abs() + reach + aabb.centre().abs() + frame_from_part.translation().abs();
            let room = 32.0 * f64::EPSILON * size.max_element();
            [centre - reach - room, centre + reach + room]
        });
        let own = match &kind {
            Kind::Mesh(solid) => solid.tree().map_or(0.0, Tree::reach_of_origin),
            Kind::Formula(primitive) => match primitive.shape() {
                Shape::HalfSpace { offset, .. } => offset.abs(),
                _ => primitive.aabb().map_or(0.0, |aabb| aabb.diagonal()),
            },
        };
        let size = own + frame_from_part.translation().abs().max_element();
        Self { kind, frame_from_part, part_from_frame: frame_from_part.inverse(), extent, size }
    }

    /// Where it is in the frame: lowest and highest coordinates.
    #[must_use]
    pub fn extent(&self) -> [DVec3; 2] {
        self.extent
    }

    /// The way from its own coordinates to the frame.
    #[must_use]
    pub fn frame_from_part(&self) -> Pose {
        self.frame_from_part
    }

    /// Tells its shape and its place as bytes, for a hash.
    pub(super) fn describe(&self, tell: &mut impl FnMut(&[u8])) {
        let numbers = |kind: u8, numbers: &[f64], tell: &mut dyn FnMut(&[u8])| {
            tell(&[kind]);
            numbers.iter().for_each(|x| tell(&x.to_le_bytes()));
        };
        numbers(0, &self.frame_from_part.to_rows(), tell);
        match &self.kind {
            Kind::Mesh(solid) => {
                let mesh = solid.tree().expect("a mesh has a tree").mesh();
                tell(&[1]);
                // Lengths first, so that no two meshes give the same bytes.
                tell(&(mesh.vertices().len() as u64).to_le_bytes());
                tell(&(mesh.triangles().len() as u64).to_le_bytes());
                mesh.vertices().iter().flat_map(DVec3::to_array).for_each(|x| tell(&x.to_le_bytes()));
                mesh.triangles().iter().flatten().for_each(|corner| tell(&corner.to_le_bytes()));
            }
            Kind::Formula(primitive) => match primitive.shape() {
                Shape::Box { size } => numbers(2, &size.to_array(), tell),
                Shape::Sphere { radius } => numbers(3, &[radius], tell),
                Shape::Cylinder { radius, height } => numbers(4, &[radius, height], tell),
                Shape::Capsule { radius, height } => numbers(5, &[radius, height], tell),
                Shape::Cone { radius, height } => numbers(6, &[radius, height], tell),
                Shape::HalfSpace { normal, offset } => {
                    numbers(7, &[normal.x, normal.y, normal.z, offset], tell);
                }
            },
        }
    }

    /// Whether it has an inside everywhere.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        match &self.kind {
            Kind::Mesh(solid) => solid.is_closed(),
            Kind::Formula(_) => true,
        }
    }

    /// Whether its place is made of numbers.
    pub(super) fn is_placed(&self) -> bool {
        is_finite(self.frame_from_part)
    }

    /// Whether it is a formula, which are all of convex solids.
    pub(super) fn is_convex(&self) -> bool {
        matches!(self.kind, Kind::Formula(_))
    }

    /// A bound below the distance from a point in the frame.
    pub(super) fn box_distance(&self, point: DVec3) -> f64 {
        (self.extent[0] - point).max(point - self.extent[1]).max(DVec3::ZERO).length() * (1.0 - 1e-14)
    }

    /// What distances in double precision may be off by at a point in the frame.
    pub(super) fn rounding(&self, point: DVec3) -> f64 {
        64.0 * f64::EPSILON * (self.size + point.abs().max_element())
    }

    /// Its surface as seen from a point in the frame; and whether the point is inside.
    pub(super) fn near(&self, point: DVec3, scratch: &mut Scratch) -> Near {
        let p = self.part_from_frame * point;
        match &self.kind {
            Kind::Mesh(solid) => {
                let tree = solid.tree().expect("a mesh has a tree");
                let between = p - tree.nearest_point(p, scratch);
                let distance = between.length();
                let away = self.frame_from_part.rotate(between.normalize_or_zero());
                let side = tree.side(p, scratch);
                Near { distance, away, side, depth: if side == Side::Inside { distance } else { 0.0 } }
            }
            Kind::Formula(primitive) => {
                let distance = primitive.signed_distance(p);
                let away = self.frame_from_part.rotate(primitive.outward(p));
                Near { distance, away, side: Side::Outside, depth: (-distance).max(0.0) }
            }
        }
    }

    /// The least of `least` and the terms of its pieces, as in [`Tree::tangent`].
    pub(super) fn tangent(
        &self,
        point: DVec3,
        radius: f64,
        g: DVec3,
        least: f64,
        scratch: &mut Scratch,
    ) -> f64 {
        let (p, g) = (self.part_from_frame * point, self.part_from_frame.rotate(g));
        let rounding = self.rounding(point);
        match &self.kind {
            // Placing the point has rounded it, and the direction.
            Kind::Mesh(solid) => {
                let tree = solid.tree().expect("a mesh has a tree");
                tree.tangent(p, radius, g, least + rounding, scratch) - rounding
            }
            Kind::Formula(primitive) => {
                let (distance, away) = (primitive.signed_distance(p), primitive.outward(p));
                let term = distance - radius * (away - g).length() - rounding;
                // What is no number counts as near: `min` would leave it out.
                if term.is_nan() { f64::NEG_INFINITY } else { least.min(term) }
            }
        }
        .min(least)
    }
}

fn is_finite(pose: Pose) -> bool {
    pose.translation().is_finite() && pose.rotation().is_finite()
}
