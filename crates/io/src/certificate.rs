//! Files of certificates; [`kansho_verify::file`] says what is in them.

use crate::fault::{Fault, ReadError};
use crate::load::bytes_of;
use kansho_verify::AnyCertificate;
use kansho_verify::file::CertificateFault;
use kansho_verify::file::bundle::{BundleReader, MAGIC};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Reads a certificate of any kind.
///
/// # Errors
/// The file is none, was changed or cut short.
pub fn read(path: &Path) -> Result<AnyCertificate, ReadError> {
    let fail = |fault| ReadError { path: path.to_owned(), faults: vec![fault] };
    let bytes = bytes_of(path).map_err(|what| fail(Fault::of_file(what)))?;
    match AnyCertificate::parse(&bytes) {
        Some(found) => found.map_err(|fault| fail(fault.into())),
        None => Err(fail(
            Fault::of_file("this is no certificate")
                .with_help("a check of a motion writes one (⟦certificate=FILE⟧), and so does a plan"),
        )),
    }
}

/// Whether a file says that it is a certificate, though it may be one that is changed, cut short or old.
#[must_use]
pub fn is_one(path: &Path) -> bool {
    bytes_of(path).is_ok_and(|bytes| AnyCertificate::parse(&bytes).is_some())
}

/// A file of certificates of many motions, to be read one after the other; none if the file is about one motion, or of another kind.
///
/// # Errors
/// It cannot be read, was changed or cut short.
pub fn bundle(path: &Path) -> Result<Option<BundleReader<BufReader<File>>>, ReadError> {
    let fail = |fault| ReadError { path: path.to_owned(), faults: vec![fault] };
    let because = |error: std::io::Error| fail(Fault::of_file(error.to_string()));
    let mut file = BufReader::new(File::open(path).map_err(because)?);
    if !file.fill_buf().map_err(because)?.starts_with(MAGIC) {
        return Ok(None);
    }
    let reader = BundleReader::new(file).map_err(|fault| fail(fault.into()))?;
    Ok(if reader.header().single { None } else { Some(reader) })
}

impl From<CertificateFault> for Fault {
    fn from(fault: CertificateFault) -> Self {
        match fault.part {
            Some(part) => Self::of_part(part, fault.what),
            None => Self::of_file(fault.what),
        }
    }
}
