//! Files for readers that take paths: a folder of this thread, in which only what a target puts there is found.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// A folder that lasts as long as the thread, filled once.
pub(crate) struct Folder(OnceCell<tempfile::TempDir>);

impl Folder {
    pub(crate) const fn new() -> Self {
        Self(OnceCell::new())
    }

    /// Its path; `fill` puts files into it the first time.
    pub(crate) fn path(&self, fill: impl FnOnce(&Path)) -> PathBuf {
        let made = self.0.get_or_init(|| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            fill(folder.path());
            folder
        });
        made.path().to_owned()
    }
}

/// Writes a file of a target.
pub(crate) fn put(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).expect("a file in a temporary folder");
}

/// An input that is two files: what comes before the first zero byte, and what comes after it.
pub(crate) fn two(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], Some(&bytes[at + 1..])),
        None => (bytes, None),
    }
}

/// A seed of two files.
pub(crate) fn joined(first: &[u8], second: &[u8]) -> Vec<u8> {
    [first, &[0], second].concat()
}
