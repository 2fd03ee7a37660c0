//! The one encoding of a cell: every field, in one order, as bytes that can be read back to the last bit.
//!
//! Fingerprints and certificates are hashes of it, and `kansho-verify` reads a cell from it: so a certificate can be checked by a
//! program in which there is no reader of URDF, SRDF or meshes.
//!
//! | part | bytes |
//! |---|---|
//! | count | 8, little endian |
//! | number | the 8 of a double, little endian |
//! | text | a count, then UTF-8 |
//! | vector, pose | 3 numbers; 12, as [`Pose::to_rows`](kansho_geom::Pose::to_rows) gives them |
//! | list | a count, then its parts |
//! | something that may be missing | a count of 0 or 1, then it |
//! | mesh | 0, vertices as vectors, triangles as three indices of 4 bytes |
//! | formula | its kind from 1 on ([`write`](Canonical::geometry)), then four numbers |
//!
//! Lists and texts come after their length, so no two different things are the same bytes.

mod read;
mod write;

pub use read::{EncodingFault, read};
pub use write::Canonical;

use crate::cell::Cell;

/// The first text of an encoding: what it is, and which version.
const KIND: &str = "kansho cell 1";

/// A cell as bytes.
#[must_use]
pub fn write(cell: &Cell) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut sink = |more: &[u8]| bytes.extend_from_slice(more);
    let mut canonical = Canonical::new(&mut sink);
    canonical.cell(cell);
    drop(canonical);
    bytes
}

#[cfg(test)]
mod tests;
