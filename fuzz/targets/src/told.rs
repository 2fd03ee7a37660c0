//! What every fault must say: a cause in words, and a place that is in the file.

use kansho_io::fault::{Plain, message};
use kansho_io::{Fault, Place, ReadError};
use std::path::Path;

/// Faults of a file that was refused: at least one.
pub(crate) fn refused(bytes: &[u8], faults: &[Fault]) {
    assert!(!faults.is_empty(), "refused without a fault");
    faults.iter().for_each(|fault| fault_is_told(bytes, fault));
}

/// Faults of several files, of which `bytes` is one or the longest.
pub(crate) fn files_refused(bytes: &[u8], errors: &[ReadError]) {
    assert!(!errors.is_empty(), "refused without an error");
    for error in errors {
        refused(bytes, &error.faults);
    }
}

/// A fault or a warning.
pub(crate) fn fault_is_told(bytes: &[u8], fault: &Fault) {
    assert!(!fault.what.trim().is_empty(), "a fault without a cause: {fault:?}");
    // A message goes to a terminal: control characters would be commands to it.
    let text = message("error", Path::new("file"), fault, &Plain);
    assert!(text.ends_with('\n') && text.lines().count() >= 2);
    assert!(
        !text.contains(|c: char| c.is_control() && c != '\n'),
        "control characters in a message: {text:?}"
    );
    assert!(!fault.to_string().contains(char::is_control), "control characters in {fault:?}");
    match &fault.place {
        Place::File => {}
        Place::Line { line, column, length, quote, mark } => {
            assert!(*line >= 1 && *column >= 1 && *length >= 1, "{fault:?}");
            assert!((*line as usize) <= bytes.len().max(SHORTEST) + 1, "a line that is not there: {fault:?}");
            assert!((*mark as usize) <= quote.chars().count(), "marked outside the quote: {fault:?}");
        }
        Place::Byte(byte) => {
            assert!(*byte <= bytes.len().max(SHORTEST) as u64, "a byte that is not there: {fault:?}");
        }
        Place::Part(part) => assert!(!part.is_empty(), "{fault:?}"),
    }
}

/// Bytes of the longest of our own files that faults may be in, too.
const SHORTEST: usize = 4096;
