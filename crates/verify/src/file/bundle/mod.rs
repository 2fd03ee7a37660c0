//! Certificates of many motions of one cell in one binary file, written and verified one after the other.
//!
//! ```text
//! "kansho bundle 1\n"                                   16 bytes
//! block: kind, length, contents, check                  1 byte, 4 bytes (the least first), so many bytes, 16 bytes
//!   'H'  what all share, as JSON: cell, coordinates, clearances, resolution, version     once, first
//!   'M'  a motion and why it is free                                                     any number
//!   'E'  how many motions there are, 8 bytes                                             once, last
//! ```
//!
//! A motion is its number, 0 for lines between waypoints or 1 for cubics, how many pieces it has and how many coordinates (whole numbers of
//! 7 bits a byte, the least first, the eighth bit for more); then numbers in double precision, waypoints or four coefficients for each
//! coordinate of each piece; then for each piece how many letters it has, and the letters of [`steps`](crate::motion::steps).
//!
//! The check of a block is the beginning of the BLAKE3 of the hash before it, its kind, its length and its contents: so no block can be
//! changed, left out or moved. The last hash is the fingerprint of the file. A reader allocates no more than what it has read.

mod contents;
mod header;

pub use header::BundleHeader;

use super::CertificateFault as Fault;
use super::motion::CertifiedMotion;
use crate::motion::{CellTrees, MotionCertificate, RefusedMotion, verify_on_trees};
use contents::{contents, motion};
use kansho_cell::{Cell, JointMotion};
use rayon::prelude::*;
use std::io::{Read, Write};

/// What such a file begins with.
pub const MAGIC: &[u8; 16] = b"kansho bundle 1\n";

/// Bytes of a block, at most.
const MOST: u32 = 1 << 28;

/// What of a hash stands behind a block.
const CHECK: usize = 16;

/// Motions that are verified together, and bytes after which there are enough of them.
const TOGETHER: usize = 512;
const TOGETHER_BYTES: usize = 1 << 23;

/// A certificate of one motion as such a file.
///
/// # Errors
/// It has more steps than a block may hold.
pub fn of_one(certified: &CertifiedMotion) -> std::io::Result<Vec<u8>> {
    let clearances = certified.certificate.clearances.iter().copied();
    let header = BundleHeader {
        version: env!("CARGO_PKG_VERSION").into(),
        single: true,
        resolution: certified.resolution,
        cell: certified.cell.clone(),
        coordinates: certified.coordinates.clone(),
        clearances: certified.pairs.iter().cloned().zip(clearances).collect(),
    };
    let (motion, letters) = (certified.motion.clone(), certified.certificate.pieces.clone());
    let mut bytes = Vec::new();
    let mut writer = BundleWriter::new(&mut bytes, &header)?;
    writer.push(&BundledMotion { number: 0, motion, letters })?;
    writer.finish()?;
    Ok(bytes)
}

/// Reads a certificate of one motion.
///
/// # Errors
/// The file is none, is about a table of motions, was changed or cut short.
pub fn parse_one(bytes: &[u8]) -> Result<CertifiedMotion, Fault> {
    let mut reader = BundleReader::new(bytes)?;
    let first = reader.next_motion()?;
    let header = reader.header().clone();
    match (first, reader.next_motion()?) {
        (Some(one), None) if header.single => {
            let (pairs, clearances) = header.clearances.into_iter().unzip();
            Ok(CertifiedMotion {
                cell: header.cell,
                coordinates: header.coordinates,
                pairs,
                motion: one.motion,
                resolution: header.resolution,
                certificate: MotionCertificate { clearances, pieces: one.letters },
            })
        }
        _ => Err(Fault::new("this is about a table of motions, and not about one")),
    }
}

/// One motion of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct BundledMotion {
    /// Which motion it is: of a table, its row from 0.
    pub number: u64,
    /// The motion.
    pub motion: JointMotion,
    /// The letters of each of its pieces.
    pub letters: Vec<String>,
}

/// Writes a file, motion by motion.
#[derive(Debug)]
pub struct BundleWriter<W: Write> {
    out: W,
    chain: blake3::Hash,
    count: u64,
}

impl<W: Write> BundleWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(mut out: W, header: &BundleHeader) -> std::io::Result<Self> {
        out.write_all(MAGIC)?;
        let mut writer = Self { out, chain: blake3::hash(MAGIC), count: 0 };
        writer.block(b'H', &serde_json::to_vec(header)?)?;
        Ok(writer)
    }

    /// Adds a motion.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn push(&mut self, one: &BundledMotion) -> std::io::Result<()> {
        self.count += 1;
        self.block(b'M', &contents(one))
    }

    /// Ends the file, and tells its fingerprint.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> std::io::Result<String> {
        self.block(b'E', &self.count.to_le_bytes())?;
        self.out.flush()?;
        Ok(self.chain.to_hex().to_string())
    }

    fn block(&mut self, kind: u8, contents: &[u8]) -> std::io::Result<()> {
        let length = u32::try_from(contents.len()).ok().filter(|length| *length <= MOST);
        let Some(length) = length else {
            return Err(std::io::Error::other("a motion has more steps than a file may hold"));
        };
        self.chain = chained(self.chain, kind, contents);
        self.out.write_all(&[kind])?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(contents)?;
        self.out.write_all(&self.chain.as_bytes()[..CHECK])
    }
}

fn chained(before: blake3::Hash, kind: u8, contents: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before.as_bytes());
    hasher.update(&[kind]);
    hasher.update(&(contents.len() as u64).to_le_bytes());
    hasher.update(contents);
    hasher.finalize()
}

/// Reads a file, motion by motion.
#[derive(Debug)]
pub struct BundleReader<R: Read> {
    from: R,
    chain: blake3::Hash,
    header: BundleHeader,
    count: u64,
    is_done: bool,
}

impl<R: Read> BundleReader<R> {
    /// Reads what all motions share.
    ///
    /// # Errors
    /// The file is none, was changed or cut short.
    pub fn new(mut from: R) -> Result<Self, Fault> {
        let mut magic = [0; MAGIC.len()];
        from.read_exact(&mut magic).map_err(|_| Fault::new("this is no bundle of certificates"))?;
        if magic != *MAGIC {
            return Err(Fault::new("this is no bundle of certificates that this version of kansho reads"));
        }
        let mut chain = blake3::hash(MAGIC);
        let (kind, contents) = block(&mut from, &mut chain)?;
        if kind != b'H' {
            return Err(Fault::new("it does not say what it is about"));
        }
        let header: BundleHeader = serde_json::from_slice(&contents)
            .map_err(|error| Fault::new(format!("what it is about cannot be read: {error}")))?;
        if !(header.resolution > 0.0 && header.resolution.is_finite()) {
            return Err(Fault::new(format!("the resolution {} is no length", header.resolution)));
        }
        Ok(Self { from, chain, header, count: 0, is_done: false })
    }

    /// What all motions share.
    #[must_use]
    pub fn header(&self) -> &BundleHeader {
        &self.header
    }

    /// The next motion; none after the last, once the end of the file has been read.
    ///
    /// # Errors
    /// The file was changed or cut short.
    pub fn next_motion(&mut self) -> Result<Option<BundledMotion>, Fault> {
        if self.is_done {
            return Ok(None);
        }
        let (kind, contents) = block(&mut self.from, &mut self.chain)?;
        match kind {
            b'M' => {
                let part = format!("motion {}", self.count);
                self.count += 1;
                let one = motion(&contents, self.header.coordinates.len());
                one.map(Some).map_err(|what| Fault::of_part(part, what))
            }
            b'E' if contents == self.count.to_le_bytes() => {
                self.is_done = true;
                match self.from.read(&mut [0]) {
                    Ok(0) => Ok(None),
                    _ => Err(Fault::new("there is more behind its end")),
                }
            }
            b'E' => Err(Fault::new("it has another number of motions than it says")),
            _ => Err(Fault::new("a block is of no known kind")),
        }
    }

    /// The fingerprint of all that has been read: of the file, after its end.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.chain.to_hex().to_string()
    }
}

fn block(from: &mut impl Read, chain: &mut blake3::Hash) -> Result<(u8, Vec<u8>), Fault> {
    let short = |_| Fault::new("it is cut short");
    let mut head = [0; 5];
    from.read_exact(&mut head).map_err(short)?;
    let [kind, length @ ..] = head;
    let length = u32::from_le_bytes(length);
    if length > MOST {
        return Err(Fault::new("a block is larger than any can be"));
    }
    // It grows with what there is, whatever the length says.
    let mut contents = Vec::new();
    let read = from.take(u64::from(length)).read_to_end(&mut contents).map_err(short)?;
    let mut check = [0; CHECK];
    from.read_exact(&mut check).map_err(short)?;
    *chain = chained(*chain, kind, &contents);
    if read != length as usize || check != chain.as_bytes()[..CHECK] {
        return Err(Fault::new("it was changed: a hash is another"));
    }
    Ok((kind, contents))
}

/// What a file proves.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedBundle {
    /// All gaps of bodies that move relative to each other are more than this, in metres; infinite if there are none.
    pub clearance: f64,
    /// Motions that are proven.
    pub motions: u64,
    /// Regions that were checked.
    pub regions: usize,
    /// What tells the file from any other, and with it cell, motions and version.
    pub fingerprint: String,
    /// A hash of the cell.
    pub cell: String,
}

impl VerifiedBundle {
    /// One line for a record, as [`AnyCertificate::record`](super::AnyCertificate::record).
    #[must_use]
    pub fn record(&self) -> String {
        super::record(&self.cell, None, &self.fingerprint)
    }
}

/// Why a file proves nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RefusedBundle {
    /// It was changed or cut short.
    #[error("{0}")]
    File(Fault),
    /// It is about another cell.
    #[error("it is about another cell: {0}")]
    OtherCell(String),
    /// A motion is not shown to be free.
    #[error("motion {number}: {why}")]
    Motion {
        /// Its number.
        number: u64,
        /// What is wrong.
        why: RefusedMotion,
    },
}

/// Verifies all motions of a file, on all threads of the current pool, with memory for some of them at a time. `each` hears of every motion
/// that is proven, in order; none of them counts unless the whole file is accepted.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify_bundle<R: Read>(
    reader: &mut BundleReader<R>,
    cell: &Cell,
    each: &mut dyn FnMut(&BundledMotion),
) -> Result<VerifiedBundle, RefusedBundle> {
    let header = reader.header().clone();
    let (pairs, clearances): (Vec<String>, Vec<f64>) = header.clearances.iter().cloned().unzip();
    let same = BundleHeader::new(cell, &clearances, header.resolution);
    let other = if let Some(difference) = header.cell.difference(&same.cell) {
        Some(difference)
    } else if header.coordinates != same.coordinates {
        Some("its coordinates have other names".into())
    } else if pairs.len() != cell.pairs().checked().len() || pairs != super::motion::pair_names(cell) {
        Some("other pairs are checked".into())
    } else {
        None
    };
    if let Some(other) = other {
        return Err(RefusedBundle::OtherCell(other));
    }
    let trees = CellTrees::new(cell);
    let mut verified = VerifiedBundle {
        clearance: f64::INFINITY,
        motions: 0,
        regions: 0,
        fingerprint: String::new(),
        cell: header.cell.fingerprint(),
    };
    loop {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < TOGETHER && bytes < TOGETHER_BYTES {
            let Some(one) = reader.next_motion().map_err(RefusedBundle::File)? else { break };
            bytes += one.letters.iter().map(String::len).sum::<usize>();
            batch.push(one);
        }
        if batch.is_empty() {
            break;
        }
        let of_one = |one: &BundledMotion| {
            let certificate =
                MotionCertificate { clearances: clearances.clone(), pieces: one.letters.clone() };
            verify_on_trees(cell, &trees, &one.motion, &certificate)
        };
        let found: Vec<_> = batch.par_iter().map(of_one).collect();
        for (one, found) in batch.iter().zip(found) {
            let found = found.map_err(|why| RefusedBundle::Motion { number: one.number, why })?;
            verified.clearance = verified.clearance.min(found.clearance);
            verified.regions += found.regions;
            verified.motions += 1;
            each(one);
        }
    }
    verified.fingerprint = reader.fingerprint();
    Ok(verified)
}
