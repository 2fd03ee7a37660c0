//! Pieces of a motion as rows that are packed.

use super::{File, MANY, PACKED};
use crate::file::packed::{Row, packed, unpacked};
use kansho_cell::JointPiece;

/// How a piece is written: its cubics; the last three numbers of each, which begins where the one before ended; or the last one alone, to which it
/// goes evenly.
const WHOLE: u64 = 0;
const GOES_ON: u64 = 1;
const EVENLY: u64 = 2;

/// The same with packed pieces, if it has many, and they come back as they are.
pub(super) fn pack(file: File) -> File {
    if file.motion.len() <= MANY || file.motion.len() != file.pieces.len() {
        return file;
    }
    let mut last: &[[f64; 4]] = &[];
    let mut rows = Vec::with_capacity(file.motion.len());
    for (piece, letters) in file.motion.iter().zip(&file.pieces) {
        let goes_on = piece.len() == last.len()
            && piece.iter().zip(last).all(|(c, last)| c[0].to_bits() == last[3].to_bits());
        let form = match (goes_on, is_even(piece)) {
            (true, true) => EVENLY,
            (true, false) => GOES_ON,
            (false, _) => WHOLE,
        };
        let from = [0, 1, 3][form as usize];
        rows.push(Row {
            counts: vec![form, piece.len() as u64],
            numbers: piece.iter().flat_map(|c| &c[from..]).copied().collect(),
            letters: letters.clone(),
        });
        last = piece;
    }
    match packed(&[rows]) {
        Some(blocks) => File {
            kansho: PACKED.into(),
            motion: Vec::new(),
            pieces: Vec::new(),
            packed: Some(blocks),
            ..file
        },
        None => file,
    }
}

fn is_even(piece: &[[f64; 4]]) -> bool {
    let [from, to] = [0, 3].map(|k| piece.iter().map(|c| c[k]).collect::<Vec<f64>>());
    let bits = |piece: &[[f64; 4]]| piece.iter().flatten().map(|x| x.to_bits()).collect::<Vec<u64>>();
    bits(JointPiece::line(&from, &to).controls()) == bits(piece)
}

/// The same with the motion where it is packed.
pub(super) fn unpack(file: File) -> Result<File, &'static str> {
    let Some(blocks) = &file.packed else { return Ok(file) };
    if !file.motion.is_empty() || !file.pieces.is_empty() {
        return Err("pieces are packed, and stand beside it as well");
    }
    let rows = unpacked(blocks, 1)?.pop().unwrap_or_default();
    let (mut motion, mut pieces) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    let mut last: Vec<f64> = Vec::new();
    for row in rows {
        let piece = piece(&row, &last).ok_or("a row is no piece")?;
        last = piece.iter().map(|c| c[3]).collect();
        motion.push(piece);
        pieces.push(row.letters);
    }
    Ok(File { motion, pieces, packed: None, ..file })
}

fn piece(row: &Row, last: &[f64]) -> Option<Vec<[f64; 4]>> {
    let [form, count] = row.counts[..] else { return None };
    let numbers = &row.numbers;
    let goes_on = count == last.len() as u64;
    let piece: Vec<[f64; 4]> = match form {
        WHOLE => numbers.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect(),
        GOES_ON if goes_on => {
            numbers.chunks_exact(3).zip(last).map(|(c, from)| [*from, c[0], c[1], c[2]]).collect()
        }
        EVENLY if goes_on && numbers.len() == last.len() => {
            JointPiece::line(last, numbers).controls().to_vec()
        }
        _ => return None,
    };
    let each = [4, 3, 1][form as usize];
    (piece.len() as u64 == count && numbers.len() == piece.len() * each).then_some(piece)
}
