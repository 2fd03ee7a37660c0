//! Files of certificates; [`kansho_verify::file`] says what is in them.

use crate::fault::{Fault, ReadError};
use crate::load::bytes_of;
use kansho_verify::AnyCertificate;
use kansho_verify::file::CertificateFault;
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

impl From<CertificateFault> for Fault {
    fn from(fault: CertificateFault) -> Self {
        match fault.part {
            Some(part) => Self::of_part(part, fault.what),
            None => Self::of_file(fault.what),
        }
    }
}
