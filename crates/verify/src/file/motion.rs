//! Certificates of moving cells as JSON: the motion and why it is free, and of the cell what tells it from any other.
//!
//! ```json
//! { "kansho": "motion certificate 2", "resolution": 1e-6,
//!   "cell": { "bodies": [["arm/link_1", "hash"], ...], "kinematics": "hash", "pairs": "hash" },
//!   "coordinates": ["arm/joint_1", ...], "motion": [[[4 numbers], for each coordinate], for each piece], "motion_hash": "hash",
//!   "clearances": [["arm/link_1|floor", 0.0], for each pair that is checked],
//!   "pieces": ["ctcaccbxd...", for each piece of the motion] }
//! ```
//!
//! Metres and radians. A coordinate of a piece is a cubic by its coefficients in Bernstein's form. The letters are those of
//! [`steps`](crate::motion::steps).
//!
//! A long one is a `motion certificate 3`: the motion and the letters stand in blocks, `"packed": ["letters", ...]`, in a tenth of the size
//! (`packed.rs`).
//!
//! Hashes are BLAKE3: of every body its shapes (each vertex and triangle, or the sizes of a formula), where they are and what carries
//! them; of the kinematics every joint with its place, kind, axis, factor and offset; of the pairs those that are checked, in order; of
//! the motion its coefficients, names and clearances. So a proof that leans on another cell is refused before it is looked at.

mod rows;

use super::CertificateFault as Fault;
use super::print::{CellPrint, hashed};
use crate::motion::{
    CellTrees, MotionCertificate, PairProof, RefusedMotion, VerifiedMotion, explain, verify_motion,
    verify_on_trees,
};
use kansho_cell::{Cell, JointMotion};
use serde::{Deserialize, Serialize};

const KIND: &str = "motion certificate 2";

/// The same with packed pieces.
const PACKED: &str = "motion certificate 3";

/// Motions with more pieces than this are packed.
const MANY: usize = 64;

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
    cell: CellPrint,
    coordinates: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    motion: Vec<Vec<[f64; 4]>>,
    motion_hash: String,
    clearances: Vec<(String, f64)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    packed: Option<Vec<String>>,
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
        self.refuse_other(cell, &CellPrint::of(cell))?;
        Ok(verify_motion(cell, &self.motion, &self.certificate)?)
    }

    /// The same for many certificates of one cell, with its print and trees made once.
    ///
    /// # Errors
    /// As [`CertifiedMotion::verify`].
    pub fn verify_on(
        &self,
        cell: &Cell,
        print: &CellPrint,
        trees: &CellTrees,
    ) -> Result<VerifiedMotion, RefusedCertificate> {
        self.refuse_other(cell, print)?;
        Ok(verify_on_trees(cell, trees, &self.motion, &self.certificate)?)
    }

    fn refuse_other(&self, cell: &Cell, print: &CellPrint) -> Result<(), RefusedCertificate> {
        let other = |what: String| Err(RefusedCertificate::OtherCell(what));
        if let Some(difference) = self.cell.difference(print) {
            return other(difference);
        }
        let names = cell.coordinates().iter().map(|c| c.full_name()).collect::<Vec<_>>();
        if self.coordinates != names {
            return other("its coordinates have other names".into());
        }
        if self.pairs != pair_names(cell) {
            return other("other pairs are checked".into());
        }
        Ok(())
    }

    /// A hash of the motion, the clearances and the resolution.
    #[must_use]
    pub fn program(&self) -> String {
        let clearances: Vec<(String, f64)> =
            self.pairs.iter().cloned().zip(self.certificate.clearances.iter().copied()).collect();
        let motion: Vec<Vec<[f64; 4]>> =
            self.motion.pieces().iter().map(|piece| piece.controls().to_vec()).collect();
        motion_hash(&self.coordinates, &motion, &clearances, self.resolution)
    }

    /// What it shows of each pair.
    ///
    /// # Errors
    /// As [`CertifiedMotion::verify`].
    pub fn explain(&self, cell: &Cell) -> Result<Vec<PairProof>, RefusedCertificate> {
        self.verify(cell)?;
        Ok(explain(cell, &self.motion, &self.certificate, &|_, _| 0.0)?)
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
            cell: self.cell.clone(),
            motion_hash: motion_hash(&self.coordinates, &motion, &clearances, self.resolution),
            coordinates: self.coordinates.clone(),
            motion,
            clearances,
            pieces: self.certificate.pieces.clone(),
            packed: None,
        };
        let file = rows::pack(file);
        serde_json::to_string(&file).expect("numbers and lists can be written") + "\n"
    }
}

/// Reads one from memory.
///
/// # Errors
/// The file is none, was changed or cut short.
pub fn parse(bytes: &[u8]) -> Result<CertifiedMotion, Fault> {
    super::current(bytes, &[KIND, PACKED])?;
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| Fault::new(format!("this is no certificate of a moving cell: {error}")))?;
    if (file.kansho == PACKED) != file.packed.is_some() {
        return Err(Fault::new(format!("only a '{PACKED}' has packed pieces, and each does")));
    }
    let file = rows::unpack(file).map_err(|what| Fault::of_part("packed".into(), what))?;
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
    let (pairs, clearances) = file.clearances.into_iter().unzip();
    Ok(CertifiedMotion {
        cell: file.cell,
        coordinates: file.coordinates,
        pairs,
        motion,
        resolution: file.resolution,
        certificate: MotionCertificate { clearances, pieces: file.pieces },
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
