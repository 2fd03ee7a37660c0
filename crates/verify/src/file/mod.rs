//! Certificates as JSON: what they are about, and the proof.

pub mod bodies;
pub mod bundle;
mod bytes;
pub mod contact;
pub mod motion;
mod packed;
mod print;
pub mod route;

pub use bodies::CertifiedBodies;
pub use bytes::base64;
pub use motion::{CertifiedMotion, RefusedCertificate};
pub use print::CellPrint;
pub use route::{CertifiedRoute, OneRoute, RefusedRoutes};

use crate::contact::{self as in_contact, ContactCertificate};
use crate::motion::steps;
use serde::Deserialize;
use std::fmt;

/// Why a file is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFault {
    /// The part of the file, such as `leg 3`, if it is one.
    pub part: Option<String>,
    /// What is wrong, in one sentence without a full stop.
    pub what: String,
}

impl CertificateFault {
    fn new(what: impl Into<String>) -> Self {
        Self { part: None, what: what.into() }
    }

    fn of_part(part: String, what: &str) -> Self {
        Self { part: Some(part), what: what.into() }
    }
}

impl fmt::Display for CertificateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(part) = &self.part {
            write!(f, "{part}: ")?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for CertificateFault {}

/// A certificate of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyCertificate {
    /// Of two bodies.
    Bodies(Box<CertifiedBodies>),
    /// Of a cell.
    Cell(Box<CertifiedMotion>),
    /// Of a cell in which a tool is led.
    Route(Box<CertifiedRoute>),
    /// Of bodies that move in contact.
    Contact(Box<ContactCertificate>),
}

/// What says which kind a file is.
#[derive(Deserialize)]
struct Head {
    kansho: String,
}

/// The line of a record, of hashes in hexadecimal digits: 128 bits of each.
fn record(cell: &str, program: Option<&str>, whole: &str) -> String {
    let program = program.map_or(String::new(), |program| format!(" program {:.32}", program));
    format!("kansho {} cell {cell:.32}{program} certificate {whole:.32}", env!("CARGO_PKG_VERSION"))
}

/// Whether a file that is JSON says that it is of one of these kinds and versions: asked before anything else is read of it.
fn current(bytes: &[u8], kinds: &[&str]) -> Result<(), CertificateFault> {
    match serde_json::from_slice::<Head>(bytes) {
        Ok(head) if kinds.contains(&&*head.kansho) => Ok(()),
        Ok(head) => Err(CertificateFault::new(format!(
            "this is a '{}', and this version of kansho verifies a '{}': make the certificate again, or verify it with the version that wrote it",
            head.kansho,
            kinds.join("' or a '")
        ))),
        // Not JSON: whoever reads it says where.
        Err(_) => Ok(()),
    }
}

impl AnyCertificate {
    /// Reads a certificate of any kind from memory; none if the bytes do not even say that they are one.
    ///
    /// # Errors
    /// The file was changed or cut short.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Result<Self, CertificateFault>> {
        if bytes.starts_with(bundle::MAGIC) {
            return Some(bundle::parse_one(bytes).map(|found| Self::Cell(Box::new(found))));
        }
        let kinds = ["motion certificate", "route certificate", "moving certificate", "contact certificate"];
        let kind = match serde_json::from_slice::<Head>(bytes) {
            Ok(head) => kinds.into_iter().find(|kind| head.kansho.starts_with(kind)),
            // A file that is cut short says what it was at its beginning.
            Err(_) => kinds.into_iter().find(|kind| {
                let word = format!("\"{kind}");
                bytes.windows(word.len()).any(|window| window == word.as_bytes())
            }),
        }?;
        Some(match kind {
            "motion certificate" => motion::parse(bytes).map(|found| Self::Cell(Box::new(found))),
            "route certificate" => route::parse(bytes).map(|found| Self::Route(Box::new(found))),
            "contact certificate" => contact::parse(bytes).map(|found| Self::Contact(Box::new(found))),
            _ => bodies::parse(bytes).map(|found| Self::Bodies(Box::new(found))),
        })
    }

    /// Whether it is about bodies that it holds, and about no cell.
    #[must_use]
    pub fn is_of_bodies(&self) -> bool {
        matches!(self, Self::Bodies(_) | Self::Contact(_))
    }

    /// One line for a record: hashes of the cell, of what moves and of the whole certificate, and the version that says so; none of two bodies.
    ///
    /// Who has the line and is given a certificate knows whether it is the same one, about the same cell and program.
    #[must_use]
    pub fn record(&self) -> Option<String> {
        let (cell, program) = match self {
            Self::Bodies(_) => return None,
            Self::Cell(certified) => (&certified.cell, certified.program()),
            Self::Route(certified) => (&certified.cell, certified.program()),
            Self::Contact(held) => {
                let whole = blake3::hash(self.to_json()?.as_bytes()).to_hex();
                let line = record(&contact::bodies_hash(held), Some(&contact::program_hash(held)), &whole);
                return Some(line.replacen(" cell ", " bodies ", 1));
            }
        };
        let whole = blake3::hash(self.to_json()?.as_bytes()).to_hex();
        Some(record(&cell.fingerprint(), Some(&program), &whole))
    }

    /// How many steps its proof has; not counted of two bodies.
    #[must_use]
    pub fn steps(&self) -> usize {
        match self {
            Self::Bodies(_) => 0,
            Self::Cell(certified) => {
                certified.certificate.pieces.iter().map(|letters| steps::count(letters)).sum()
            }
            Self::Contact(held) => {
                let pairs = held.moves.iter().flat_map(|one| &one.pairs);
                pairs.map(|pair| in_contact::steps::count(&pair.letters)).sum()
            }
            Self::Route(certified) => {
                let pieces = certified.routes.iter().flat_map(|one| &one.certificate.pieces);
                pieces.map(|letters| steps::count(letters)).sum()
            }
        }
    }

    /// It as a binary file ([`bundle`]), smaller than JSON and faster to read; none of what has no such form, or is too large.
    #[must_use]
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Cell(certified) => bundle::of_one(certified).ok(),
            Self::Bodies(_) | Self::Route(_) | Self::Contact(_) => None,
        }
    }

    /// It as JSON; none of two bodies, which stays in its file.
    #[must_use]
    pub fn to_json(&self) -> Option<String> {
        match self {
            Self::Bodies(_) => None,
            Self::Cell(certified) => Some(certified.to_json()),
            Self::Route(certified) => Some(certified.to_json()),
            Self::Contact(held) => Some(contact::to_json(held)),
        }
    }
}
