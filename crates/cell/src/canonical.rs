//! The one encoding of a cell that fingerprints are made of: every field, in one order.
//!
//! Structures are taken apart without `..`, so a new field does not compile until somebody says what it means here. Small parts are
//! written as their `Debug` text, which the compiler derives from all their fields; numbers in it are the shortest that read back to the same
//! bits. Shapes are written as bytes.

use crate::body::{Body, Geometry, Piece};
use crate::cell::{Cell, InCell};
use crate::robot::{Link, Robot};
use std::fmt::{Debug, Write};

/// Where an encoding goes. Parts come after their lengths, so no two different things are the same bytes.
pub struct Canonical<'a> {
    sink: &'a mut dyn FnMut(&[u8]),
    text: String,
}

impl<'a> Canonical<'a> {
    /// Bytes go to `sink`, in order.
    pub fn new(sink: &'a mut dyn FnMut(&[u8])) -> Self {
        Self { sink, text: String::new() }
    }

    /// Adds a part by its `Debug` text. It must not depend on the order of a hash map, nor on the machine.
    pub fn debug(&mut self, part: &impl Debug) {
        self.text.clear();
        write!(self.text, "{part:?}").expect("a string takes all");
        (self.sink)(&(self.text.len() as u64).to_le_bytes());
        (self.sink)(self.text.as_bytes());
    }

    fn count(&mut self, count: usize) {
        (self.sink)(&(count as u64).to_le_bytes());
    }

    /// Adds a cell.
    pub fn cell(&mut self, cell: &Cell) {
        // The chain of frames is worked out from robots, and knows the processor's instructions.
        let Cell { robots, link_names, bodies, coordinates, chain: _, pairs } = cell;
        self.count(robots.len());
        for InCell { name, robot, world_from_root, hold, tool, first_link } in robots {
            self.debug(&(name, world_from_root, hold, tool, first_link));
            self.robot(robot);
        }
        self.debug(link_names);
        self.count(bodies.len());
        for Body { name, kind, carrier, pieces } in bodies {
            self.debug(&(name, kind, carrier));
            self.pieces(pieces);
        }
        self.debug(coordinates);
        self.debug(pairs);
    }

    fn robot(&mut self, robot: &Robot) {
        let Robot { name, links, joints, root, outward } = robot;
        self.debug(&(name, joints, root, outward));
        self.count(links.len());
        for Link { name, pieces } in links {
            self.debug(name);
            self.pieces(pieces);
        }
    }

    fn pieces(&mut self, pieces: &[Piece]) {
        self.count(pieces.len());
        for Piece { geometry, carrier_from_piece } in pieces {
            self.debug(carrier_from_piece);
            match geometry {
                Geometry::Primitive(primitive) => self.debug(primitive),
                Geometry::Mesh(mesh) => {
                    let mut bytes = Vec::with_capacity(mesh.vertices().len() * 24);
                    for v in mesh.vertices() {
                        v.to_array().iter().for_each(|x| bytes.extend_from_slice(&x.to_bits().to_le_bytes()));
                    }
                    self.count(mesh.vertices().len());
                    (self.sink)(&bytes);
                    bytes.clear();
                    for corner in mesh.triangles().iter().flatten() {
                        bytes.extend_from_slice(&corner.to_le_bytes());
                    }
                    self.count(mesh.triangles().len());
                    (self.sink)(&bytes);
                }
            }
        }
    }
}
