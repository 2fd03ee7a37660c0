//! What all motions of a file share.

use crate::file::motion::pair_names;
use crate::file::print::CellPrint;
use kansho_cell::Cell;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What all motions of a file share. In the file, pairs are numbers of two bodies, and clearances stand once for all pairs in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "HeaderFile", into = "HeaderFile")]
pub struct BundleHeader {
    /// The version of kansho that wrote it.
    pub version: String,
    /// Whether it is about one motion, which is not one of a table.
    pub single: bool,
    /// The resolution that motions were looked at with, in metres.
    pub resolution: f64,
    /// What tells the cell from others.
    pub cell: CellPrint,
    /// Names of the coordinates, in order.
    pub coordinates: Vec<String>,
    /// The pairs that are checked, in order, and what their gaps are more than.
    pub clearances: Vec<(String, f64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderFile {
    version: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    single: bool,
    resolution: f64,
    cell: CellPrint,
    coordinates: Vec<String>,
    pairs: Vec<[usize; 2]>,
    /// How many pairs in a row, and the gap of each.
    clearances: Vec<(usize, f64)>,
}

/// The number of a body that a cell does not have: for a pair of which the name is none.
const NOWHERE: usize = usize::MAX;

impl From<BundleHeader> for HeaderFile {
    fn from(header: BundleHeader) -> Self {
        let BundleHeader { version, single, resolution, cell, coordinates, clearances } = header;
        let numbers: BTreeMap<&str, usize> =
            cell.bodies.iter().enumerate().map(|(number, (name, _))| (name.as_str(), number)).collect();
        // A name may have a bar of its own; whichever way it is read, it is the same name again.
        let numbers_of = |pair: &str| {
            let found = pair.match_indices('|').find_map(|(at, bar)| {
                Some([*numbers.get(&pair[..at])?, *numbers.get(&pair[at + bar.len()..])?])
            });
            found.unwrap_or([NOWHERE; 2])
        };
        let pairs = clearances.iter().map(|(pair, _)| numbers_of(pair)).collect();
        let mut runs: Vec<(usize, f64)> = Vec::new();
        for (_, clearance) in &clearances {
            match runs.last_mut() {
                Some((count, last)) if last.to_bits() == clearance.to_bits() => *count += 1,
                _ => runs.push((1, *clearance)),
            }
        }
        Self { version, single, resolution, coordinates, pairs, clearances: runs, cell }
    }
}

impl TryFrom<HeaderFile> for BundleHeader {
    type Error = &'static str;

    fn try_from(file: HeaderFile) -> Result<Self, Self::Error> {
        let HeaderFile { version, single, resolution, cell, coordinates, pairs, clearances: runs } = file;
        let name = |number: usize| cell.bodies.get(number).map(|(name, _)| name.as_str());
        let names = pairs.iter().map(|&[a, b]| Some(format!("{}|{}", name(a)?, name(b)?)));
        let names =
            names.collect::<Option<Vec<String>>>().ok_or("a pair is of bodies that it does not name")?;
        // No more than there are pairs, whatever a run says.
        let mut clearances = Vec::with_capacity(names.len());
        let mut names = names.into_iter();
        for (count, clearance) in runs {
            for _ in 0..count {
                let pair = names.next().ok_or("there are more clearances than pairs")?;
                clearances.push((pair, clearance));
            }
        }
        if names.next().is_some() {
            return Err("there are fewer clearances than pairs");
        }
        Ok(Self { version, single, resolution, cell, coordinates, clearances })
    }
}

impl BundleHeader {
    /// That of a cell.
    #[must_use]
    pub fn new(cell: &Cell, clearances: &[f64], resolution: f64) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            single: false,
            resolution,
            cell: CellPrint::of(cell),
            coordinates: cell.coordinates().iter().map(|c| c.full_name()).collect(),
            clearances: pair_names(cell).into_iter().zip(clearances.iter().copied()).collect(),
        }
    }
}
