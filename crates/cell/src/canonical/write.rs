use super::KIND;
use crate::body::{BodyPiece, Geometry};
use crate::cell::{Cell, CellDraft, DisabledPair, ObjectDraft, RobotDraftInCell, ToolDraft};
use crate::joint::{Joint, JointKind, Limits, Mimic};
use crate::robot::{Link, Robot};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use std::fmt::{Debug, Write};

/// Bytes that are gathered before they go on: hashing is quicker in large portions.
const PORTION: usize = 1 << 15;

/// Where an encoding goes.
///
/// Structures are taken apart without `..`, so a new field does not compile until somebody says what it means here.
pub struct Canonical<'a> {
    sink: &'a mut dyn FnMut(&[u8]),
    some: Vec<u8>,
    text: String,
}

impl Drop for Canonical<'_> {
    fn drop(&mut self) {
        (self.sink)(&self.some);
    }
}

impl<'a> Canonical<'a> {
    /// Bytes go to `sink`, in order; the last of them when this is dropped.
    pub fn new(sink: &'a mut dyn FnMut(&[u8])) -> Self {
        Self { sink, some: Vec::with_capacity(PORTION), text: String::new() }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.some.extend_from_slice(bytes);
        if self.some.len() >= PORTION {
            (self.sink)(&self.some);
            self.some.clear();
        }
    }

    /// Adds a count or an index.
    pub fn count(&mut self, count: usize) {
        self.bytes(&(count as u64).to_le_bytes());
    }

    /// Adds a number.
    pub fn number(&mut self, number: f64) {
        self.bytes(&number.to_bits().to_le_bytes());
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    /// Adds three numbers.
    pub fn vector(&mut self, v: DVec3) {
        v.to_array().into_iter().for_each(|x| self.number(x));
    }

    /// Adds a placement.
    pub fn pose(&mut self, pose: Pose) {
        pose.to_rows().into_iter().for_each(|x| self.number(x));
    }

    /// Adds a part by its `Debug` text, which the compiler derives from all its fields; numbers in it are the shortest that read back to the
    /// same bits. It must not depend on the order of a hash map, nor on the machine. It cannot be read back.
    pub fn debug(&mut self, part: &impl Debug) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        write!(text, "{part:?}").expect("a string takes all");
        self.text(&text);
        self.text = text;
    }

    fn list<T>(&mut self, parts: &[T], mut add: impl FnMut(&mut Self, &T)) {
        self.count(parts.len());
        parts.iter().for_each(|part| add(self, part));
    }

    fn maybe<T>(&mut self, part: Option<&T>, add: impl FnOnce(&mut Self, &T)) {
        self.count(usize::from(part.is_some()));
        if let Some(part) = part {
            add(self, part);
        }
    }

    /// Adds a cell.
    pub fn cell(&mut self, cell: &Cell) {
        // All else is worked out from the draft.
        let CellDraft { robots, objects, allow } = cell.draft();
        self.text(KIND);
        self.list(robots, Self::robot_in_cell);
        self.list(objects, |to, ObjectDraft { name, pieces, on }| {
            to.text(name);
            to.pieces(pieces);
            to.maybe(on.as_ref(), |to, link| to.text(link));
        });
        self.list(allow, |to, pair| pair.iter().for_each(|name| to.text(name)));
    }

    fn robot_in_cell(&mut self, robot: &RobotDraftInCell) {
        let RobotDraftInCell { name, robot, world_from_root, hold, tool, disabled } = robot;
        self.text(name);
        self.robot(robot);
        self.pose(*world_from_root);
        self.list(hold, |to, (joint, value)| {
            to.text(joint);
            to.number(*value);
        });
        self.maybe(tool.as_ref(), |to, ToolDraft { on, pieces, link_from_tcp }| {
            to.text(on);
            to.pieces(pieces);
            to.pose(*link_from_tcp);
        });
        self.list(disabled, |to, DisabledPair { links, reason }| {
            links.iter().for_each(|link| to.text(link));
            to.text(reason);
        });
    }

    fn robot(&mut self, robot: &Robot) {
        // The root, and the order from it outward, follow from the joints.
        let Robot { name, links, joints, root: _, outward: _ } = robot;
        self.text(name);
        self.list(links, |to, Link { name, pieces }| {
            to.text(name);
            to.pieces(pieces);
        });
        self.list(joints, |to, joint| {
            let Joint { name, kind, parent, child, parent_from_joint, limits, max_speed, mimic } = joint;
            to.text(name);
            let (kind, axis) = match *kind {
                JointKind::Fixed => (0, DVec3::ZERO),
                JointKind::Revolute { axis } => (1, axis),
                JointKind::Continuous { axis } => (2, axis),
                JointKind::Prismatic { axis } => (3, axis),
                JointKind::Planar { normal } => (4, normal),
                JointKind::Floating => (5, DVec3::ZERO),
            };
            to.count(kind);
            to.vector(axis);
            to.count(parent.0 as usize);
            to.count(child.0 as usize);
            to.pose(*parent_from_joint);
            to.maybe(limits.as_ref(), |to, Limits { lower, upper }| {
                to.number(*lower);
                to.number(*upper);
            });
            to.maybe(max_speed.as_ref(), |to, speed| to.number(*speed));
            to.maybe(mimic.as_ref(), |to, Mimic { joint, multiplier, offset }| {
                to.count(joint.0 as usize);
                to.number(*multiplier);
                to.number(*offset);
            });
        });
    }

    fn pieces(&mut self, pieces: &[BodyPiece]) {
        self.list(pieces, |to, BodyPiece { geometry, carrier_from_piece }| {
            to.pose(*carrier_from_piece);
            to.geometry(geometry);
        });
    }

    /// Adds a shape.
    pub fn geometry(&mut self, geometry: &Geometry) {
        match geometry {
            Geometry::Mesh(mesh) => {
                self.count(0);
                self.count(mesh.vertices().len());
                mesh.vertices().iter().for_each(|v| self.vector(*v));
                self.count(mesh.triangles().len());
                mesh.triangles().iter().flatten().for_each(|v| self.bytes(&v.to_le_bytes()));
            }
            Geometry::Primitive(primitive) => {
                let (kind, sizes) = match primitive.shape() {
                    Shape::Box { size } => (1, [size.x, size.y, size.z, 0.0]),
                    Shape::Sphere { radius } => (2, [radius, 0.0, 0.0, 0.0]),
                    Shape::Cylinder { radius, height } => (3, [radius, height, 0.0, 0.0]),
                    Shape::Capsule { radius, height } => (4, [radius, height, 0.0, 0.0]),
                    Shape::Cone { radius, height } => (5, [radius, height, 0.0, 0.0]),
                    Shape::HalfSpace { normal, offset } => (6, [normal.x, normal.y, normal.z, offset]),
                };
                self.count(kind);
                sizes.into_iter().for_each(|size| self.number(size));
            }
        }
    }
}
