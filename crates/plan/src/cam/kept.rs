//! What a map has worked out, kept so that it need not be worked out again.
//!
//! Of each chunk of points: which postures are free, and the cells. Postures themselves are found again: that takes little.

use super::map::{MapCell, State};
use std::fmt;

/// Where chunks are kept. What is given back for a chunk is what was given for it; whoever implements this makes sure that it is about the
/// same job.
pub trait Kept: Sync + fmt::Debug {
    /// What is known of a chunk.
    fn known(&self, chunk: usize) -> Option<Vec<u8>>;
    /// A chunk is done.
    fn made(&self, chunk: usize, bytes: &[u8]);
}

/// Bytes of a cell.
const CELL: usize = 14;

const STATES: [State; 5] = [State::Unknown, State::OutOfReach, State::Limit, State::Collides, State::Free];

pub(super) fn encode(is_free: impl ExactSizeIterator<Item = bool>, cells: &[MapCell]) -> Vec<u8> {
    let mut bytes = (is_free.len() as u32).to_le_bytes().to_vec();
    let start = bytes.len();
    bytes.resize(start + is_free.len().div_ceil(8), 0);
    for (k, free) in is_free.enumerate() {
        bytes[start + k / 8] |= u8::from(free) << (k % 8);
    }
    for cell in cells {
        bytes.push(STATES.iter().position(|state| *state == cell.state).unwrap_or_default() as u8);
        bytes.extend_from_slice(&cell.reached.to_le_bytes());
        bytes.extend_from_slice(&cell.free.to_le_bytes());
        bytes.push(cell.about);
        bytes.extend_from_slice(&cell.pair.to_le_bytes());
        bytes.extend_from_slice(&cell.bound.to_le_bytes());
    }
    bytes
}

/// The same back, for a chunk with so many postures and cells; none if it is of another.
pub(super) fn decode(bytes: &[u8], postures: usize, cells: usize) -> Option<(Vec<bool>, Vec<MapCell>)> {
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    if u32::from_le_bytes(*count) as usize != postures || rest.len() != postures.div_ceil(8) + cells * CELL {
        return None;
    }
    let (bits, rest) = rest.split_at(postures.div_ceil(8));
    let is_free = (0..postures).map(|k| bits[k / 8] >> (k % 8) & 1 == 1).collect();
    let cell = |b: &[u8]| {
        Some(MapCell {
            state: *STATES.get(usize::from(b[0]))?,
            reached: u16::from_le_bytes([b[1], b[2]]),
            free: u16::from_le_bytes([b[3], b[4]]),
            about: b[5],
            pair: u32::from_le_bytes([b[6], b[7], b[8], b[9]]),
            bound: f32::from_le_bytes([b[10], b[11], b[12], b[13]]),
        })
    };
    Some((is_free, rest.chunks_exact(CELL).map(cell).collect::<Option<_>>()?))
}
