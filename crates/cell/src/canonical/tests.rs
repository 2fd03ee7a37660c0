use super::{read, write};
use crate::{BodyPiece, Cell, CellDraft, Geometry, ObjectDraft, builtin};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use std::sync::Arc;

/// A block and a mesh: small enough to look at every byte.
fn small() -> Cell {
    let block = Primitive::new(Shape::Box { size: DVec3::ONE }).expect("sizes are positive");
    let mesh = Arc::new(block.tessellated(1.0).expect("a box is bounded"));
    let object = |name: &str, geometry, x| ObjectDraft {
        name: name.to_owned(),
        pieces: vec![BodyPiece { geometry, carrier_from_piece: Pose::from_translation(DVec3::X * x) }],
        on: None,
    };
    let objects =
        vec![object("block", Geometry::Primitive(block), 0.0), object("mesh", Geometry::Mesh(mesh), 3.0)];
    Cell::new(CellDraft { objects, ..CellDraft::default() }).expect("a cell")
}

#[test]
fn the_built_in_cell_comes_back_to_the_last_bit() {
    let bytes = write(&builtin::cell());
    let again = read(&bytes).expect("a cell");
    assert_eq!(write(&again), bytes);
    assert_eq!(format!("{:?}", again.pairs()), format!("{:?}", builtin::cell().pairs()));
}

#[test]
fn what_is_cut_short_or_changed_is_never_the_same_cell() {
    // All of a small cell; of the built-in one, which has meshes of some thousand triangles, a part.
    for (bytes, step) in [(write(&small()), 1), (write(&builtin::cell()), 4001)] {
        for end in (0..bytes.len()).step_by(step).chain(bytes.len() - 16..bytes.len()) {
            assert!(read(&bytes[..end]).is_err(), "{end} bytes of {}", bytes.len());
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(read(&longer).is_err());
        for (at, flip) in (0..bytes.len()).step_by(step).zip([1u8, 0x80, 0xff, 0x10].into_iter().cycle()) {
            let mut other = bytes.clone();
            other[at] ^= flip;
            if let Ok(cell) = read(&other) {
                assert_eq!(write(&cell), other, "byte {at}");
            }
        }
    }
}

#[test]
fn counts_that_promise_too_much_are_refused_at_once() {
    let mut bytes = write(&builtin::cell())[..8 + super::KIND.len()].to_vec();
    bytes.extend_from_slice(&u64::MAX.to_le_bytes());
    assert!(read(&bytes).is_err());
    assert!(read(b"solid cube").is_err());
    assert!(read(b"").is_err());
}
