//! What tells the cell of a proof from others: hashes of all that the proof leans on, and of nothing else.

use kansho_cell::canonical::Canonical;
use kansho_cell::{Body, Cell, FrameId, JointKind};
use kansho_geom::glam::DVec3;
use serde::{Deserialize, Serialize};

/// What tells a cell from others: hashes of all that a proof leans on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellPrint {
    /// Names of the bodies, and hashes of their shapes, places and carriers.
    pub bodies: Vec<(String, String)>,
    /// A hash of all joints.
    pub kinematics: String,
    /// A hash of the pairs that are checked.
    pub pairs: String,
}

impl CellPrint {
    /// That of a cell.
    #[must_use]
    pub fn of(cell: &Cell) -> Self {
        Self { bodies: bodies(cell), kinematics: kinematics(cell), pairs: pairs(cell) }
    }

    /// All of it as one hash.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        hashed(|print| {
            print.count(self.bodies.len());
            for (name, hash) in &self.bodies {
                print.text(name);
                print.text(hash);
            }
            print.text(&self.kinematics);
            print.text(&self.pairs);
        })
    }

    /// How a cell differs from the one that this is of.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let names = |print: &Self| print.bodies.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        if names(self) != names(other) {
            let missing = self.bodies.iter().find(|(name, _)| !names(other).contains(name));
            let more = other.bodies.iter().find(|(name, _)| !names(self).contains(name));
            return Some(match (missing, more) {
                (Some((name, _)), _) => format!("the cell has no \"{name}\""),
                (None, Some((name, _))) => format!("the cell has \"{name}\", too"),
                (None, None) => "its bodies come in another order".into(),
            });
        }
        let changed = self.bodies.iter().zip(&other.bodies).find(|(mine, theirs)| mine.1 != theirs.1);
        if let Some(((name, _), _)) = changed {
            return Some(format!("\"{name}\" has other shapes, or is elsewhere"));
        }
        if self.kinematics != other.kinematics {
            return Some("its joints are others, or elsewhere".into());
        }
        (self.pairs != other.pairs).then(|| "other pairs are checked".into())
    }
}

/// The BLAKE3 of parts in the canonical encoding, in hexadecimal digits.
pub(super) fn hashed(add: impl FnOnce(&mut Canonical<'_>)) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut sink = |bytes: &[u8]| {
        hasher.update(bytes);
    };
    add(&mut Canonical::new(&mut sink));
    hasher.finalize().to_hex().to_string()
}

fn bodies(cell: &Cell) -> Vec<(String, String)> {
    let of = |body: &Body| {
        let place = cell.in_frame(body.carrier);
        let hash = hashed(|print| {
            print.count(place.frame.0 as usize);
            print.pose(place.frame_from_link);
            print.count(body.pieces.len());
            for piece in &body.pieces {
                print.pose(piece.carrier_from_piece);
                print.geometry(&piece.geometry);
            }
        });
        (body.name.clone(), hash)
    };
    cell.bodies().iter().map(of).collect()
}

fn kinematics(cell: &Cell) -> String {
    hashed(|print| {
        print.count(cell.coordinates().len());
        for coordinate in cell.coordinates() {
            print.text(&coordinate.full_name());
        }
        let joints: Vec<_> = (1..).map_while(|frame| cell.frame_joint(FrameId(frame))).collect();
        print.count(joints.len());
        for joint in joints {
            print.count(joint.parent.0 as usize);
            print.pose(joint.parent_from_joint);
            let (kind, axis) = match joint.kind {
                JointKind::Fixed => (0, DVec3::ZERO),
                JointKind::Revolute { axis } | JointKind::Continuous { axis } => (1, axis),
                JointKind::Prismatic { axis } => (2, axis),
                JointKind::Planar { normal } => (3, normal),
                JointKind::Floating => (4, DVec3::ZERO),
            };
            print.count(kind);
            print.vector(axis);
            print.count(joint.first);
            print.number(joint.multiplier);
            print.number(joint.offset);
        }
    })
}

fn pairs(cell: &Cell) -> String {
    hashed(|print| {
        print.count(cell.pairs().checked().len());
        cell.pairs().checked().iter().flatten().for_each(|body| print.count(body.0 as usize));
    })
}
