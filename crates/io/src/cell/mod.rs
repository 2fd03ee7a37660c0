//! Cells: robots, tools and objects, from `cell.toml` and back.
//!
//! | part | does |
//! |---|---|
//! | [`read`] | a cell file and all the files it names become a [`kansho_cell::Cell`], or every fault is told with its line |
//! | [`write()`] | a cell becomes a folder of files that [`read`] takes back |
//! | [`schema`] | the JSON schema of the file, for editors |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use kansho_io::cell::{self, CellOptions};
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("cell.toml");
//! std::fs::write(&path, "units = \"mm\"\n[[object]]\nname = \"crate\"\nbox = [400, 300, 200]\n")?;
//! let loaded = cell::read(&path, &CellOptions::default()).expect("a good cell");
//! assert_eq!(loaded.cell.bodies()[0].name, "crate");
//!
//! std::fs::write(&path, "[[object]]\nname = \"crate\"\nbox = [0.4, 0.3]\n")?;
//! let refused = cell::read(&path, &CellOptions::default()).expect_err("a box has three sizes");
//! assert!(refused[0].to_string().ends_with("cell.toml: line 3, column 7: expected 3 numbers, found 2"));
//! # Ok(())
//! # }
//! ```

mod given;
pub(crate) use given::up_of;
mod read;
pub(crate) mod schema;
pub(crate) mod toml;
mod write;

#[cfg(test)]
mod tests;

pub use read::{CellOptions, LoadedCell, LoadedRobotInfo, read};
pub use schema::schema;
pub use write::write;

/// A unit of length: `metres = length · times / per`.
///
/// Two whole numbers, because one division rounds once: 1100 mm is exactly the 1.1 m that is written as such.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LengthUnit {
    pub(crate) name: &'static str,
    times: f64,
    per: f64,
}

/// Units that a cell file may name; the first is the default.
pub(crate) const UNITS: [LengthUnit; 4] = [
    LengthUnit { name: "m", times: 1.0, per: 1.0 },
    LengthUnit { name: "mm", times: 1.0, per: 1000.0 },
    LengthUnit { name: "cm", times: 1.0, per: 100.0 },
    LengthUnit { name: "in", times: 127.0, per: 5000.0 },
];

impl LengthUnit {
    pub(crate) fn metres(self, length: f64) -> f64 {
        length * self.times / self.per
    }
}

/// Why a robot or an object cannot have this name, if it cannot.
fn bad_name(name: &str) -> Option<String> {
    if name.trim().is_empty() {
        return Some("a name must not be empty".into());
    }
    if let Some(c) = name.chars().find(|c| matches!(c, '|' | '/')) {
        return Some(format!("a name must not contain '{c}': a link is written robot/link, a pair a|b"));
    }
    name.chars().any(char::is_control).then(|| "a name must not contain control characters".into())
}
