//! Cells that the fields of a cell have worked out, kept for the next time.
//!
//! ```text
//! 16 bytes   "kansho fields 1\n"
//! u32        number of fields, then for each field
//!   32 bytes   hash of its bodies, their places and its grid, as `Field::describe` tells them
//!   u32        number of bricks, then for each brick
//!     u32        2 * index, and 1 more for the small cells
//!     64 bytes   which of its 512 cells are known, as bits
//!     u64        for each of those
//! 32 bytes   hash (BLAKE3) of everything before
//! ```
//!
//! Numbers begin with their lowest byte. Such a file is never needed: one that is cut short, damaged, written by another version or for
//! other bodies is left alone, with a notice, and the cells are worked out anew.

use crate::fault::{Fault, Warning, WriteError};
use kansho_geom::field::{BRICK_CELLS, Field, SavedBrick};
use kansho_geom::tree::Scratch;
use std::collections::HashMap;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The beginning of a file; its number changes with the format.
const MAGIC: &[u8; 16] = b"kansho fields 1\n";
const HASH: usize = 32;
const BITS: usize = BRICK_CELLS / 8;

/// What a file of fields gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// Cells that need not be worked out again.
    pub cells: usize,
    /// Why the file, or some of it, was left alone; nothing if there is no file.
    pub notice: Option<Warning>,
}

/// Gives fields the cells that a file has for them. Whatever is wrong with the file, it is no error.
#[must_use]
pub fn read(path: &Path, fields: &[&Field]) -> Restored {
    let ignored = |why: String| {
        let fault = Fault::of_file(why).with_help("what it should hold is worked out anew");
        Some(Warning { path: path.to_owned(), fault })
    };
    let bytes = match bytes_of(path, fields) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Restored::default(),
        Err(why) => return Restored { cells: 0, notice: ignored(why) },
    };
    let saved = match opened(&bytes) {
        Ok(saved) => saved,
        Err(why) => return Restored { cells: 0, notice: ignored(why.into()) },
    };
    let (mut restored, mut scratch) = (Restored::default(), Scratch::default());
    let (mut stale, mut wrong) = (0, 0);
    for field in fields {
        match saved.get(&key(field)) {
            None => stale += 1,
            Some(bricks) if field.restore(*bricks, &mut scratch) => restored.cells += field.known_cells(),
            Some(_) => wrong += 1,
        }
    }
    if wrong > 0 {
        restored.notice = ignored("saved fields are not what they should be, and are not used".into());
    } else if stale > 0 {
        let all = fields.len();
        let why = format!("{stale} of {all} saved fields belong to other shapes or places, and are not used");
        restored.notice = ignored(why);
    }
    restored
}

/// Writes what fields have worked out, the whole file or nothing.
pub fn write(path: &Path, fields: &[&Field]) -> Result<(), WriteError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend((fields.len() as u32).to_le_bytes());
    for field in fields {
        bytes.extend(key(field));
        let count_at = bytes.len();
        bytes.extend([0; 4]);
        let mut count = 0u32;
        for brick in field.saved() {
            count += 1;
            bytes.extend((brick.index << 1 | u32::from(brick.fine)).to_le_bytes());
            let mut known = [0u8; BITS];
            let cells = || brick.cells.iter().enumerate().filter(|(_, word)| **word != 0);
            cells().for_each(|(cell, _)| known[cell / 8] |= 1 << (cell % 8));
            bytes.extend(known);
            cells().for_each(|(_, word)| bytes.extend(word.to_le_bytes()));
        }
        bytes[count_at..count_at + 4].copy_from_slice(&count.to_le_bytes());
    }
    let checksum = blake3::hash(&bytes);
    bytes.extend(checksum.as_bytes());
    crate::whole_file(path, &bytes)
}

/// The hash of all that the cells of a field depend on. Another version of this program may work them out in another way.
fn key(field: &Field) -> [u8; HASH] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(MAGIC);
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    let mut some = Vec::with_capacity(1 << 16);
    field.describe(&mut |bytes| {
        some.extend_from_slice(bytes);
        if some.len() >= 1 << 15 {
            hasher.update(&some);
            some.clear();
        }
    });
    hasher.update(&some);
    *hasher.finalize().as_bytes()
}

/// The content of a file, if there is one, and no larger than it could be.
fn bytes_of(path: &Path, fields: &[&Field]) -> Result<Option<Vec<u8>>, String> {
    let of_field = |field: &&Field| HASH + 4 + field.most_bricks() * (4 + BITS + 8 * BRICK_CELLS);
    let most = (MAGIC.len() + 4 + fields.iter().map(of_field).sum::<usize>() + HASH) as u64;
    match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
        Ok(about) if !about.is_file() => return Err("this is no regular file, and is not read".into()),
        Ok(_) => {}
    }
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > most {
        return Err("this is larger than the saved fields of this cell could be, and is not used".into());
    }
    Ok(Some(bytes))
}

/// The fields in a file by their hashes, once its form is known to be right.
fn opened(bytes: &[u8]) -> Result<HashMap<[u8; HASH], Bricks<'_>>, &'static str> {
    const DAMAGED: &str = "this is cut short or damaged, and is not used";
    let Some((content, checksum)) = bytes.split_last_chunk::<HASH>() else { return Err(DAMAGED) };
    let Some(mut rest) = content.strip_prefix(MAGIC) else {
        // The number of the version is before the end of the line.
        return Err(if bytes.starts_with(&MAGIC[..14]) {
            "this was saved by another version, and is not used"
        } else {
            "these are no saved fields, or damaged ones; they are not used"
        });
    };
    if blake3::hash(content) != *checksum {
        return Err(DAMAGED);
    }
    let mut saved = HashMap::new();
    // Counts are only believed as far as there are bytes.
    for _ in 0..number(&mut rest).ok_or(DAMAGED)? {
        let (key, after) = rest.split_first_chunk::<HASH>().ok_or(DAMAGED)?;
        rest = after;
        let count = number(&mut rest).ok_or(DAMAGED)?;
        let mut bricks = Bricks { rest, count };
        let first = bricks;
        for _ in 0..count {
            bricks.next().ok_or(DAMAGED)?;
        }
        rest = bricks.rest;
        saved.insert(*key, first);
    }
    if rest.is_empty() { Ok(saved) } else { Err(DAMAGED) }
}

/// Takes a number off the front.
fn number(rest: &mut &[u8]) -> Option<u32> {
    let (number, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_le_bytes(*number))
}

/// The bricks of a field, one after the other. Ends early where bytes are missing.
#[derive(Clone, Copy)]
struct Bricks<'a> {
    rest: &'a [u8],
    count: u32,
}

impl Iterator for Bricks<'_> {
    type Item = SavedBrick;

    fn next(&mut self) -> Option<SavedBrick> {
        self.count = self.count.checked_sub(1)?;
        let index = number(&mut self.rest)?;
        let (known, mut rest) = self.rest.split_first_chunk::<BITS>()?;
        let mut cells = Box::new([0; BRICK_CELLS]);
        for cell in (0..BRICK_CELLS).filter(|cell| known[cell / 8] >> (cell % 8) & 1 == 1) {
            let (word, after) = rest.split_first_chunk::<8>()?;
            rest = after;
            cells[cell] = u64::from_le_bytes(*word);
        }
        self.rest = rest;
        Some(SavedBrick { fine: index & 1 == 1, index: index >> 1, cells })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_geom::field::{FieldOptions, FieldPart};
    use kansho_geom::glam::DVec3;
    use kansho_geom::primitive::{Primitive, Shape};
    use kansho_geom::{Aabb, Pose};

    fn field(radius: f64) -> Field {
        let ball = Primitive::new(Shape::Sphere { radius }).expect("a ball");
        let region = Aabb::of_points([DVec3::splat(-1.0), DVec3::splat(1.0)]).expect("a region");
        let options = FieldOptions { cell: 0.02, bytes: 8 << 20 };
        Field::new(vec![FieldPart::formula(ball, Pose::IDENTITY)], region, &options)
    }

    /// Asks about some points.
    fn asked(field: &Field) -> Vec<Option<[f64; 2]>> {
        let mut scratch = Scratch::default();
        let point =
            |k: u32| DVec3::new(f64::from(k % 7) - 3.0, f64::from(k % 11) - 5.0, f64::from(k % 5)) * 0.1;
        (0..400).map(|k| field.bounds(point(k), k % 3 > 0, &mut scratch)).collect()
    }

    fn why(restored: &Restored) -> &str {
        restored.notice.as_ref().map_or("", |warning| warning.fault.what.as_str())
    }

    #[test]
    fn fields_come_back_and_nothing_is_worked_out_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("cell.toml.fields");
        let (first, other) = (field(0.5), field(0.4));
        assert_eq!(read(&path, &[&first]), Restored::default(), "there is no file yet");
        let expected = [asked(&first), asked(&other)];
        let known = first.known_cells() + other.known_cells();
        write(&path, &[&first, &other]).expect("written");
        let (second, third) = (field(0.4), field(0.5));
        let restored = read(&path, &[&second, &third]);
        assert_eq!(restored, Restored { cells: known, notice: None }, "found by hash, not by place");
        assert_eq!([asked(&third), asked(&second)], expected);
        assert_eq!(second.known_cells() + third.known_cells(), known);
        // One that is new is worked out; the others are used.
        let (second, new) = (field(0.4), field(0.41));
        let restored = read(&path, &[&second, &new]);
        assert_eq!((restored.cells, new.known_cells()), (second.known_cells(), 0));
        assert!(why(&restored).starts_with("1 of 2 saved fields belong to other shapes"), "{restored:?}");
    }

    #[test]
    fn what_is_wrong_is_left_alone_with_a_notice() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("fields");
        let first = field(0.5);
        asked(&first);
        write(&path, &[&first]).expect("written");
        let right = std::fs::read(&path).expect("there");
        let refused = |bytes: &[u8], expected: &str| {
            std::fs::write(&path, bytes).expect("written");
            let second = field(0.5);
            let restored = read(&path, &[&second]);
            assert_eq!((restored.cells, second.known_cells()), (0, 0));
            assert!(why(&restored).contains(expected), "{expected}: {restored:?}");
        };
        let with_checksum = |mut content: Vec<u8>| {
            let checksum = blake3::hash(&content);
            content.extend(checksum.as_bytes());
            content
        };
        let content = &right[..right.len() - HASH];
        for length in [0, 10, 16, 40, 56, right.len() / 2, right.len() - 1] {
            refused(&right[..length], if length < 48 { "" } else { "cut short or damaged" });
        }
        for byte in (0..right.len()).step_by(right.len() / 97 + 1) {
            let mut bytes = right.clone();
            bytes[byte] ^= 1 << (byte % 8);
            refused(&bytes, "not used");
        }
        let mut newer = content.to_vec();
        newer[14] = b'2';
        refused(&with_checksum(newer), "another version");
        refused(b"solid cube\n", "damaged");
        refused(&[right.clone(), vec![0]].concat(), "damaged");
        // Forged with a right checksum: counts beyond the bytes, cells of nowhere, words of no cell, wrong cells.
        let forged = |at: usize, value: &[u8]| {
            let mut bytes = content.to_vec();
            bytes[at..at + value.len()].copy_from_slice(value);
            with_checksum(bytes)
        };
        refused(&forged(16, &[255; 4]), "damaged");
        refused(&forged(52, &[255; 4]), "damaged");
        refused(&forged(56, &[254, 255, 255, 255]), "not what they should be");
        refused(&forged(124, &[255; 8]), "not what they should be");
        let mut word = content[124..132].to_vec();
        word[0] ^= 64;
        refused(&forged(124, &word), "not what they should be");
        let most = first.most_bricks() * (4 + BITS + 8 * BRICK_CELLS) + 200;
        refused(&vec![7; most], "larger than");
        std::fs::remove_file(&path).expect("removed");
        std::fs::create_dir(&path).expect("made");
        assert_eq!(why(&read(&path, &[&first])), "this is no regular file, and is not read");
    }
}
