use super::KIND;
use crate::body::{BodyPiece, Geometry};
use crate::cell::{Cell, CellDraft, DisabledPair, ObjectDraft, RobotDraftInCell, ToolDraft};
use crate::joint::{JointKind, Limits};
use crate::robot::{JointDraft, Link, MimicDraft, Robot, RobotDraft};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Pose, mesh, tolerance};
use std::fmt::Display;
use std::sync::Arc;

/// Why bytes are no cell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {what}")]
pub struct EncodingFault {
    /// Where reading ended.
    pub at: usize,
    /// What is wrong there.
    pub what: String,
}

/// Reads a cell that [`super::write`] wrote. Nothing is repaired, rounded or left out: it writes the same bytes again.
///
/// # Errors
/// The bytes are cut short, go on behind the cell, or are not those of a valid cell.
pub fn read(bytes: &[u8]) -> Result<Cell, EncodingFault> {
    let mut from = Decoder { bytes, at: 0 };
    // A length first, so a file of another kind is told as one, not as one that is cut short.
    if !bytes.starts_with(&(KIND.len() as u64).to_le_bytes()) || from.text()? != KIND {
        return Err(from.fault("this is no encoding of a cell"));
    }
    let robots = from.list(Decoder::robot_in_cell)?;
    let objects = from.list(|from| {
        Ok(ObjectDraft { name: from.text()?, pieces: from.pieces()?, on: from.maybe(Decoder::text)? })
    })?;
    let allow = from.list(|from| Ok([from.text()?, from.text()?]))?;
    if from.at < bytes.len() {
        return Err(from.fault("the cell ends here, and the bytes go on"));
    }
    Cell::new(CellDraft { robots, objects, allow }).map_err(|faults| from.all(&faults))
}

/// Bytes, and how many of them were read.
struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
}

type Read<T> = Result<T, EncodingFault>;

impl Decoder<'_> {
    fn fault(&self, what: impl Display) -> EncodingFault {
        EncodingFault { at: self.at, what: what.to_string() }
    }

    fn all(&self, faults: &[impl Display]) -> EncodingFault {
        let faults: Vec<String> = faults.iter().take(8).map(ToString::to_string).collect();
        self.fault(faults.join("; "))
    }

    fn take<const N: usize>(&mut self) -> Read<[u8; N]> {
        let taken = self.bytes[self.at..].first_chunk().ok_or_else(|| self.fault("it is cut short"))?;
        self.at += N;
        Ok(*taken)
    }

    fn count(&mut self) -> Read<usize> {
        let count = u64::from_le_bytes(self.take()?);
        usize::try_from(count).map_err(|_| self.fault("a count is too large"))
    }

    /// How many parts follow, of which each takes `least` bytes at least.
    fn length(&mut self, least: usize) -> Read<usize> {
        let count = self.count()?;
        if count > (self.bytes.len() - self.at) / least {
            return Err(self.fault("it is cut short: more parts are announced than there are bytes"));
        }
        Ok(count)
    }

    fn number(&mut self) -> Read<f64> {
        Ok(f64::from_bits(u64::from_le_bytes(self.take()?)))
    }

    fn numbers<const N: usize>(&mut self) -> Read<[f64; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Ok(numbers)
    }

    fn text(&mut self) -> Read<String> {
        let length = self.length(1)?;
        let text = std::str::from_utf8(&self.bytes[self.at..self.at + length])
            .map_err(|_| self.fault("a text is not UTF-8"))?;
        self.at += length;
        Ok(text.to_owned())
    }

    fn pose(&mut self) -> Read<Pose> {
        let numbers = self.numbers()?;
        Pose::from_stored(&numbers).map_err(|why| self.fault(why))
    }

    fn list<T>(&mut self, part: impl Fn(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        // The least part of a list is a count.
        let length = self.length(8)?;
        (0..length).map(|_| part(self)).collect()
    }

    fn maybe<T>(&mut self, part: impl Fn(&mut Self) -> Read<T>) -> Read<Option<T>> {
        match self.count()? {
            0 => Ok(None),
            1 => part(self).map(Some),
            _ => Err(self.fault("something is neither there nor missing")),
        }
    }

    fn robot_in_cell(&mut self) -> Read<RobotDraftInCell> {
        Ok(RobotDraftInCell {
            name: self.text()?,
            robot: self.robot()?,
            world_from_root: self.pose()?,
            hold: self.list(|from| Ok((from.text()?, from.number()?)))?,
            tool: self.maybe(|from| {
                Ok(ToolDraft { on: from.text()?, pieces: from.pieces()?, link_from_tcp: from.pose()? })
            })?,
            disabled: self.list(|from| {
                Ok(DisabledPair { links: [from.text()?, from.text()?], reason: from.text()? })
            })?,
        })
    }

    fn robot(&mut self) -> Read<Robot> {
        let name = self.text()?;
        let links = self.list(|from| Ok(Link { name: from.text()?, pieces: from.pieces()? }))?;
        let link = |from: &mut Self| {
            let index = from.count()?;
            let link =
                links.get(index).ok_or_else(|| from.fault("a joint names a link that is not there"))?;
            Ok(link.name.clone())
        };
        let joints = self.list(|from| {
            let name = from.text()?;
            let (kind, parent, child) = (from.kind()?, link(from)?, link(from)?);
            let draft = JointDraft {
                name,
                kind,
                parent,
                child,
                parent_from_joint: from.pose()?,
                limits: from.maybe(|from| Ok(Limits { lower: from.number()?, upper: from.number()? }))?,
                max_speed: from.maybe(Self::number)?,
                mimic: None,
            };
            let mimic = from.maybe(|from| Ok((from.count()?, from.number()?, from.number()?)))?;
            Ok((draft, mimic))
        })?;
        let names: Vec<String> = joints.iter().map(|(joint, _)| joint.name.clone()).collect();
        let joints = joints.into_iter().map(|(joint, mimic)| {
            let Some((index, multiplier, offset)) = mimic else { return Ok(joint) };
            let of = names.get(index).ok_or_else(|| self.fault("a joint follows one that is not there"))?;
            Ok(JointDraft { mimic: Some(MimicDraft { joint: of.clone(), multiplier, offset }), ..joint })
        });
        let joints = joints.collect::<Read<Vec<JointDraft>>>()?;
        let kinds: Vec<JointKind> = joints.iter().map(|joint| joint.kind).collect();
        let limited: Vec<bool> = joints.iter().map(|joint| joint.limits.is_some()).collect();
        let mut robot = Robot::new(RobotDraft { name, links, joints }).map_err(|faults| self.all(&faults))?;
        for ((joint, kind), limited) in robot.joints.iter_mut().zip(kinds).zip(limited) {
            if limited != joint.limits.is_some() {
                return Err(self.fault(format!("joint \"{}\" has limits that mean nothing", joint.name)));
            }
            // A unit vector that is made one again may change in its last bit.
            joint.kind = kind;
        }
        Ok(robot)
    }

    fn kind(&mut self) -> Read<JointKind> {
        let (kind, axis) = (self.count()?, DVec3::from_array(self.numbers()?));
        let is_none = axis.to_array().iter().all(|x| x.to_bits() == 0);
        let is_unit = (axis.length() - 1.0).abs() <= tolerance::STORED;
        match kind {
            0 if is_none => Ok(JointKind::Fixed),
            1 if is_unit => Ok(JointKind::Revolute { axis }),
            2 if is_unit => Ok(JointKind::Continuous { axis }),
            3 if is_unit => Ok(JointKind::Prismatic { axis }),
            4 if is_unit => Ok(JointKind::Planar { normal: axis }),
            5 if is_none => Ok(JointKind::Floating),
            _ => Err(self.fault("a joint is of no kind, or its axis is no unit vector")),
        }
    }

    fn pieces(&mut self) -> Read<Vec<BodyPiece>> {
        self.list(|from| {
            let carrier_from_piece = from.pose()?;
            Ok(BodyPiece { carrier_from_piece, geometry: from.geometry()? })
        })
    }

    fn geometry(&mut self) -> Read<Geometry> {
        let kind = self.count()?;
        if kind == 0 {
            return self.mesh();
        }
        let sizes @ [a, b, c, d] = self.numbers()?;
        let (shape, used) = match kind {
            1 => (Shape::Box { size: DVec3::new(a, b, c) }, 3),
            2 => (Shape::Sphere { radius: a }, 1),
            3 => (Shape::Cylinder { radius: a, height: b }, 2),
            4 => (Shape::Capsule { radius: a, height: b }, 2),
            5 => (Shape::Cone { radius: a, height: b }, 2),
            6 => (Shape::HalfSpace { normal: DVec3::new(a, b, c), offset: d }, 4),
            _ => return Err(self.fault("a shape is of no kind")),
        };
        if sizes[used..].iter().any(|size| size.to_bits() != 0) {
            return Err(self.fault("a shape has more sizes than it needs"));
        }
        Primitive::from_stored(shape).map(Geometry::Primitive).map_err(|why| self.fault(why))
    }

    /// A mesh as it was written: what welding would change was never a mesh of ours.
    fn mesh(&mut self) -> Read<Geometry> {
        let count = self.length(24)?;
        let vertices: Vec<DVec3> =
            (0..count).map(|_| Ok(DVec3::from_array(self.numbers()?))).collect::<Read<_>>()?;
        let count = self.length(12)?;
        let mut triangles = Vec::with_capacity(count);
        for _ in 0..count {
            let mut corners = [0; 3];
            for corner in &mut corners {
                *corner = u32::from_le_bytes(self.take()?);
                if *corner as usize >= vertices.len() {
                    return Err(self.fault("a triangle names a vertex that is not there"));
                }
            }
            triangles.push(corners);
        }
        let welded = mesh::weld(&vertices, &triangles, 0.0).map_err(|why| self.fault(why))?.mesh;
        let bits = |v: &DVec3| v.to_array().map(f64::to_bits);
        if !welded.vertices().iter().map(bits).eq(vertices.iter().map(bits))
            || welded.triangles() != triangles
        {
            return Err(self.fault("a mesh is none as kansho makes them"));
        }
        Ok(Geometry::Mesh(Arc::new(welded)))
    }
}
