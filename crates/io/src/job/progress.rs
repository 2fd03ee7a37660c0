//! How far a plan has got, in a file, so that another run can go on.
//!
//! ```text
//! 16 bytes   "kansho progress\n"
//! 32 bytes   fingerprint of the job: all that it holds, its cell, and the version of this program
//! then, for each chunk that is done
//!  4 bytes   its number          (little endian, as all that follows)
//!  4 bytes   how many bytes it has
//! 32 bytes   hash of number, length and bytes
//!            the bytes
//! ```
//!
//! Chunks are added as they are done. A run that is killed leaves at most one that is not whole: that is cut off.

use super::LoadedJob;
use crate::fault::{Fault, ReadError};
use crate::fingerprint::{HASH, hash_of_job};
use kansho_plan::cam::Kept;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const MAGIC: &[u8; 16] = b"kansho progress\n";

/// Largest chunk that is believed, in bytes.
const MOST: usize = 1 << 30;

/// A file with what is done.
#[derive(Debug)]
pub struct ProgressFile {
    path: PathBuf,
    /// Where in the file which chunk is.
    known: BTreeMap<usize, (u64, usize)>,
    file: Mutex<File>,
    /// What went wrong when something was added, if anything did.
    fault: Mutex<Option<String>>,
}

impl ProgressFile {
    /// Opens it, or makes it if it is not there.
    ///
    /// # Errors
    /// It is of another job, no such file at all, or cannot be read or written.
    pub fn open(path: &Path, job: &LoadedJob) -> Result<Self, ReadError> {
        let fail = |what: String| ReadError { path: path.to_owned(), faults: vec![Fault::of_file(what)] };
        let of_io = |error: std::io::Error| fail(error.to_string());
        if path.exists() && !path.is_file() {
            return Err(fail("this is no file, so no progress can be kept in it".into()));
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(of_io)?;
        let key = *hash_of_job(job).as_bytes();
        let length = file.metadata().map_err(of_io)?.len();
        let mut known = BTreeMap::new();
        let mut at = (MAGIC.len() + HASH) as u64;
        if length < at {
            let mut some = Vec::new();
            file.read_to_end(&mut some).map_err(of_io)?;
            // A start that was cut off is a start; anything else is somebody's.
            if !MAGIC.starts_with(&some[..some.len().min(MAGIC.len())]) {
                return Err(fail("this is no progress of a plan, and is not written over".into()));
            }
            file.set_len(0).map_err(of_io)?;
            file.seek(SeekFrom::Start(0)).map_err(of_io)?;
            file.write_all(&[&MAGIC[..], &key].concat()).map_err(of_io)?;
        } else {
            let mut head = [0; MAGIC.len() + HASH];
            file.read_exact(&mut head).map_err(of_io)?;
            if head[..MAGIC.len()] != MAGIC[..] {
                return Err(fail("this is no progress of a plan, and is not written over".into()));
            }
            if head[MAGIC.len()..] != key {
                return Err(ReadError {
                    path: path.to_owned(),
                    faults: vec![
                        Fault::of_file(
                            "this is the progress of another job, or of this one before it was changed",
                        )
                        .with_help("remove it to begin anew, or write to another folder with ⟦out⟧"),
                    ],
                });
            }
            while let Some((number, place, count)) = next(&mut file, at, length) {
                known.insert(number, (place, count));
                at = place + count as u64;
            }
            file.set_len(at).map_err(of_io)?;
        }
        Ok(Self { path: path.to_owned(), known, file: Mutex::new(file), fault: Mutex::new(None) })
    }

    /// How many chunks were there when it was opened.
    #[must_use]
    pub fn known_chunks(&self) -> usize {
        self.known.len()
    }

    /// What kept it from being written, if anything did: then another run begins earlier.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All is done, and the file is not needed any more.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(self) -> std::io::Result<()> {
        drop(self.file);
        std::fs::remove_file(self.path)
    }
}

/// The chunk that begins at a place, if it is there as a whole: its number, where its bytes are, and how many.
fn next(file: &mut File, at: u64, length: u64) -> Option<(usize, u64, usize)> {
    const HEAD: usize = 8 + HASH;
    let mut head = [0; HEAD];
    file.seek(SeekFrom::Start(at)).ok()?;
    file.read_exact(&mut head).ok()?;
    let number = |k: usize| u32::from_le_bytes([head[k], head[k + 1], head[k + 2], head[k + 3]]) as usize;
    let (index, count) = (number(0), number(4));
    let place = at + HEAD as u64;
    if count > MOST || place + count as u64 > length {
        return None;
    }
    let mut bytes = vec![0; count];
    file.read_exact(&mut bytes).ok()?;
    (hash(index, &bytes)[..] == head[8..]).then_some((index, place, count))
}

fn hash(index: usize, bytes: &[u8]) -> [u8; HASH] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(index as u32).to_le_bytes());
    hasher.update(&(bytes.len() as u32).to_le_bytes());
    hasher.update(bytes);
    *hasher.finalize().as_bytes()
}

impl Kept for ProgressFile {
    fn known(&self, chunk: usize) -> Option<Vec<u8>> {
        let (place, count) = *self.known.get(&chunk)?;
        let mut bytes = vec![0; count];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(place)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    fn made(&self, chunk: usize, bytes: &[u8]) {
        let record = [
            &(chunk as u32).to_le_bytes()[..],
            &(bytes.len() as u32).to_le_bytes(),
            &hash(chunk, bytes),
            bytes,
        ]
        .concat();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(&record));
        if let Err(error) = written {
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        }
    }
}
