//! Certificates of moving cells as JSON: the motion and why it is free, and of the cell what tells it from any other.
//!
//! ```json
//! { "kansho": "motion certificate 1", "resolution": 1e-6, "rules": ["direction", "time", "triangles"],
//!   "cell": { "bodies": [["arm/link_1", "hash"], ...], "kinematics": "hash", "pairs": "hash" },
//!   "coordinates": ["arm/joint_1", ...], "motion": [[[4 numbers], for each coordinate], for each piece], "motion_hash": "hash",
//!   "clearances": [["arm/link_1|floor", 0.0], for each pair that is checked],
//!   "orders": [[0, ...], for each shape],
//!   "pieces": [["t", [0, 0, 1], { "a": [8, 16] }, { "b": [4] }, ...], for each piece of the motion] }
//! ```
//!
//! Metres and radians. A coordinate of a piece is a cubic by its coefficients in Bernstein's form. Steps: `"t"` halves time, `a` and `b`
//! divide triangles, three numbers are a direction that keeps all of the first from all of the second.
//!
//! Hashes are BLAKE3: of every body its shapes (each vertex and triangle, or the sizes of a formula), where they are and what carries
//! them; of the kinematics every joint with its place, kind, axis, factor and offset; of the pairs those that are checked, in order; of
//! the motion its coefficients, names and clearances. So a proof that leans on another cell is refused before it is looked at.

use super::CertificateFault as Fault;
use super::print::{CellPrint, hashed};
use crate::motion::{MotionCertificate, MotionStep, RefusedMotion, VerifiedMotion, verify_motion};
use kansho_cell::{Cell, JointMotion};
use kansho_geom::glam::DVec3;
use serde::{Deserialize, Serialize};

const KIND: &str = "motion certificate 1";

/// A motion of a cell and why it is free.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifiedMotion {
    /// What tells the cell from others.
    pub cell: CellPrint,
    /// Names of the coordinates, in order.
    pub coordinates: Vec<String>,
    /// Names of the pairs, in order.
    pub pairs: Vec<String>,
    /// The motion.
    pub motion: JointMotion,
    /// The resolution that it was looked at with, in metres.
    pub resolution: f64,
    /// Why it is free.
    pub certificate: MotionCertificate,
}

/// Why a certificate proves nothing of a cell.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RefusedCertificate {
    /// It is about another cell.
    #[error("it is about another cell: {0}")]
    OtherCell(String),
    /// The check itself says no.
    #[error(transparent)]
    Check(#[from] RefusedMotion),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kansho: String,
    resolution: f64,
    rules: Vec<String>,
    cell: CellPrint,
    coordinates: Vec<String>,
    motion: Vec<Vec<[f64; 4]>>,
    motion_hash: String,
    clearances: Vec<(String, f64)>,
    orders: Vec<Vec<u32>>,
    pieces: Vec<Vec<Entry>>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Entry {
    Word(String),
    Direction([f64; 3]),
    First { a: Vec<u32> },
    Second { b: Vec<u32> },
}

impl CertifiedMotion {
    /// A certificate with what it is about.
    #[must_use]
    pub fn new(cell: &Cell, motion: JointMotion, resolution: f64, certificate: MotionCertificate) -> Self {
        let coordinates = cell.coordinates().iter().map(|c| c.full_name()).collect();
        Self {
            cell: CellPrint::of(cell),
            coordinates,
            pairs: pair_names(cell),
            motion,
            resolution,
            certificate,
        }
    }

    /// Re-checks it for a cell, by the verifier that shares only forward kinematics with the search.
    ///
    /// # Errors
    /// It is about another cell, or its steps do not prove what it says.
    pub fn verify(&self, cell: &Cell) -> Result<VerifiedMotion, RefusedCertificate> {
        if let Some(difference) = self.cell.difference(&CellPrint::of(cell)) {
            return Err(RefusedCertificate::OtherCell(difference));
        }
        if !self.coordinates.iter().eq(&cell.coordinates().iter().map(|c| c.full_name()).collect::<Vec<_>>())
        {
            return Err(RefusedCertificate::OtherCell("its coordinates have other names".into()));
        }
        if self.pairs != pair_names(cell) {
            return Err(RefusedCertificate::OtherCell("other pairs are checked".into()));
        }
        Ok(verify_motion(cell, &self.motion, &self.certificate)?)
    }

    /// It as JSON. Numbers are written so that they come back to the last bit.
    #[must_use]
    pub fn to_json(&self) -> String {
        let clearances: Vec<(String, f64)> =
            self.pairs.iter().cloned().zip(self.certificate.clearances.iter().copied()).collect();
        let motion: Vec<Vec<[f64; 4]>> =
            self.motion.pieces().iter().map(|piece| piece.controls().to_vec()).collect();
        let file = File {
            kansho: KIND.into(),
            resolution: self.resolution,
            rules: rules(&self.certificate.pieces),
            cell: self.cell.clone(),
            motion_hash: motion_hash(&self.coordinates, &motion, &clearances, self.resolution),
            coordinates: self.coordinates.clone(),
            motion,
            clearances,
            orders: self.certificate.orders.clone(),
            pieces: self.certificate.pieces.iter().map(|steps| steps.iter().map(entry).collect()).collect(),
        };
        serde_json::to_string(&file).expect("numbers and lists can be written") + "\n"
    }
}

/// Reads one from memory.
///
/// # Errors
/// The file is none, was changed or cut short.
pub fn parse(bytes: &[u8]) -> Result<CertifiedMotion, Fault> {
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| Fault::new(format!("this is no certificate of a moving cell: {error}")))?;
    if file.kansho != KIND {
        return Err(Fault::new(format!("'{}' is not '{KIND}'", file.kansho)));
    }
    if file.motion_hash != motion_hash(&file.coordinates, &file.motion, &file.clearances, file.resolution) {
        let what =
            "the motion, its names, the clearances or the resolution were changed: their hash is another";
        return Err(Fault::new(what));
    }
    if !(file.resolution > 0.0 && file.resolution.is_finite()) {
        return Err(Fault::new(format!("the resolution {} is no length", file.resolution)));
    }
    let motion = JointMotion::of_controls(file.motion)
        .ok_or_else(|| Fault::new("the motion has no pieces, or they do not make one"))?;
    let pieces: Vec<Vec<MotionStep>> = file
        .pieces
        .iter()
        .map(|steps| steps.iter().map(step).collect::<Result<_, _>>())
        .collect::<Result<_, _>>()?;
    if rules(&pieces) != file.rules {
        return Err(Fault::new("the steps follow other rules than those that are named"));
    }
    let (pairs, clearances) = file.clearances.into_iter().unzip();
    Ok(CertifiedMotion {
        cell: file.cell,
        coordinates: file.coordinates,
        pairs,
        motion,
        resolution: file.resolution,
        certificate: MotionCertificate { clearances, orders: file.orders, pieces },
    })
}

/// Which kinds of steps there are, sorted.
pub(crate) fn rules(pieces: &[Vec<MotionStep>]) -> Vec<String> {
    let name = |step: &MotionStep| match step {
        MotionStep::Time => "time",
        MotionStep::First(_) | MotionStep::Second(_) => "triangles",
        MotionStep::Free(_) => "direction",
    };
    let names: std::collections::BTreeSet<&str> = pieces.iter().flatten().map(name).collect();
    names.into_iter().map(str::to_owned).collect()
}

pub(crate) fn entry(step: &MotionStep) -> Entry {
    match step {
        MotionStep::Time => Entry::Word("t".into()),
        MotionStep::First(cuts) => Entry::First { a: cuts.clone() },
        MotionStep::Second(cuts) => Entry::Second { b: cuts.clone() },
        MotionStep::Free(n) => Entry::Direction(n.to_array()),
    }
}

pub(crate) fn step(entry: &Entry) -> Result<MotionStep, Fault> {
    Ok(match entry {
        Entry::Word(word) if word == "t" => MotionStep::Time,
        Entry::Word(word) => return Err(Fault::new(format!("'{word}' is no step of a certificate"))),
        Entry::Direction(n) => MotionStep::Free(DVec3::from_array(*n)),
        Entry::First { a } => MotionStep::First(a.clone()),
        Entry::Second { b } => MotionStep::Second(b.clone()),
    })
}

pub(crate) fn pair_names(cell: &Cell) -> Vec<String> {
    let name = |&[a, b]: &[kansho_cell::BodyId; 2]| format!("{}|{}", cell.body(a).name, cell.body(b).name);
    cell.pairs().checked().iter().map(name).collect()
}

fn motion_hash(
    coordinates: &[String],
    motion: &[Vec<[f64; 4]>],
    clearances: &[(String, f64)],
    resolution: f64,
) -> String {
    hashed(|print| {
        print.count(coordinates.len());
        coordinates.iter().for_each(|name| print.text(name));
        print.count(motion.len());
        for piece in motion {
            print.count(piece.len());
            piece.iter().flatten().for_each(|value| print.number(*value));
        }
        print.count(clearances.len());
        for (pair, clearance) in clearances {
            print.text(pair);
            print.number(*clearance);
        }
        print.number(resolution);
    })
}
