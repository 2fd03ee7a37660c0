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

use crate::certificate::{self, Certified};
use crate::door::bytes_of;
use crate::fault::{Fault, ReadError};
use crate::route_certificate::{self, CertifiedRoute};
use kansho_cell::{Cell, FrameId, Geometry, JointKind, JointMotion};
use kansho_check::verify::motion::{
    MotionCertificate, MotionStep, RefusedMotion, VerifiedMotion, verify_motion,
};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use serde::{Deserialize, Serialize};
use std::path::Path;

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

/// What tells a cell from others: hashes of all that a proof leans on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellPrint {
    /// Names of the bodies, and hashes of their shapes, places and carriers.
    pub bodies: Vec<(String, String)>,
    /// A hash of all joints.
    pub kinematics: String,
    /// A hash of the pairs that are checked.
    pub pairs: String,
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

/// What says which kind a file is.
#[derive(Deserialize)]
struct Head {
    kansho: String,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Entry {
    Word(String),
    Direction([f64; 3]),
    First { a: Vec<u32> },
    Second { b: Vec<u32> },
}

impl CellPrint {
    /// That of a cell.
    #[must_use]
    pub fn of(cell: &Cell) -> Self {
        Self { bodies: bodies(cell), kinematics: kinematics(cell), pairs: pairs(cell) }
    }

    /// How a cell differs from the one that this is of.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let names = |print: &Self| print.bodies.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        if names(self) != names(other) {
            let missing = self.bodies.iter().find(|(name, _)| !names(other).contains(name));
            let more = other.bodies.iter().find(|(name, _)| !names(self).contains(name));
            return Some(match (missing, more) {
                (Some((name, _)), _) => format!("the cell has no \"{name}\""),
                (None, Some((name, _))) => format!("the cell has \"{name}\", too"),
                (None, None) => "its bodies come in another order".into(),
            });
        }
        let changed = self.bodies.iter().zip(&other.bodies).find(|(mine, theirs)| mine.1 != theirs.1);
        if let Some(((name, _), _)) = changed {
            return Some(format!("\"{name}\" has other shapes, or is elsewhere"));
        }
        if self.kinematics != other.kinematics {
            return Some("its joints are others, or elsewhere".into());
        }
        (self.pairs != other.pairs).then(|| "other pairs are checked".into())
    }
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

/// A certificate of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyCertificate {
    /// Of two bodies.
    Bodies(Box<Certified>),
    /// Of a cell.
    Cell(Box<CertifiedMotion>),
    /// Of a cell in which a tool is led.
    Route(Box<CertifiedRoute>),
}

impl AnyCertificate {
    /// Whether it is about two bodies, which it holds, and about no cell.
    #[must_use]
    pub fn is_of_bodies(&self) -> bool {
        matches!(self, Self::Bodies(_))
    }

    /// How many steps its proof has; not counted of two bodies.
    #[must_use]
    pub fn steps(&self) -> usize {
        match self {
            Self::Bodies(_) => 0,
            Self::Cell(certified) => certified.certificate.pieces.iter().map(Vec::len).sum(),
            Self::Route(certified) => {
                certified.routes.iter().flat_map(|one| &one.certificate.pieces).map(Vec::len).sum()
            }
        }
    }

    /// It as JSON; none of two bodies, which stays in its file.
    #[must_use]
    pub fn to_json(&self) -> Option<String> {
        match self {
            Self::Bodies(_) => None,
            Self::Cell(certified) => Some(certified.to_json()),
            Self::Route(certified) => Some(certified.to_json()),
        }
    }
}

/// Reads a certificate of either kind.
///
/// # Errors
/// The file is none, was changed or cut short.
pub fn read_any(path: &Path) -> Result<AnyCertificate, ReadError> {
    let fail = |fault| ReadError { path: path.to_owned(), faults: vec![fault] };
    let bytes = bytes_of(path).map_err(|what| fail(Fault::of_file(what)))?;
    let kinds = ["motion certificate", "route certificate", "moving certificate"];
    let kind = match serde_json::from_slice::<Head>(&bytes) {
        Ok(head) => kinds.into_iter().find(|kind| head.kansho.starts_with(kind)),
        // A file that is cut short says what it was at its beginning.
        Err(_) => kinds.into_iter().find(|kind| {
            let word = format!("\"{kind}");
            bytes.windows(word.len()).any(|window| window == word.as_bytes())
        }),
    };
    match kind {
        Some("motion certificate") => parse(&bytes).map(|found| AnyCertificate::Cell(Box::new(found))),
        Some("route certificate") => {
            route_certificate::parse(&bytes).map(|found| AnyCertificate::Route(Box::new(found)))
        }
        Some(_) => certificate::parse(&bytes).map(|found| AnyCertificate::Bodies(Box::new(found))),
        None => Err(Fault::of_file("this is no certificate")
            .with_help("kansho check --certificate and kansho plan write them")),
    }
    .map_err(fail)
}

/// Reads one from memory.
///
/// # Errors
/// The file is none, was changed or cut short.
pub fn parse(bytes: &[u8]) -> Result<CertifiedMotion, Fault> {
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| Fault::of_file(format!("this is no certificate of a moving cell: {error}")))?;
    if file.kansho != KIND {
        return Err(Fault::of_file(format!("'{}' is not '{KIND}'", file.kansho)));
    }
    if file.motion_hash != motion_hash(&file.coordinates, &file.motion, &file.clearances, file.resolution) {
        let what =
            "the motion, its names, the clearances or the resolution were changed: their hash is another";
        return Err(Fault::of_file(what));
    }
    if !(file.resolution > 0.0 && file.resolution.is_finite()) {
        return Err(Fault::of_file(format!("the resolution {} is no length", file.resolution)));
    }
    let motion = JointMotion::of_controls(file.motion)
        .ok_or_else(|| Fault::of_file("the motion has no pieces, or they do not make one"))?;
    let pieces: Vec<Vec<MotionStep>> = file
        .pieces
        .iter()
        .map(|steps| steps.iter().map(step).collect::<Result<_, _>>())
        .collect::<Result<_, _>>()?;
    if rules(&pieces) != file.rules {
        return Err(Fault::of_file("the steps follow other rules than those that are named"));
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
        Entry::Word(word) => return Err(Fault::of_file(format!("'{word}' is no step of a certificate"))),
        Entry::Direction(n) => MotionStep::Free(DVec3::from_array(*n)),
        Entry::First { a } => MotionStep::First(a.clone()),
        Entry::Second { b } => MotionStep::Second(b.clone()),
    })
}

pub(crate) fn pair_names(cell: &Cell) -> Vec<String> {
    let name = |&[a, b]: &[kansho_cell::BodyId; 2]| format!("{}|{}", cell.body(a).name, cell.body(b).name);
    cell.pairs().checked().iter().map(name).collect()
}

/// A hash to which numbers are added, each with a fixed number of bytes; lists and texts come after their length, so no two different
/// things are the same bytes.
#[derive(Default)]
struct Print {
    hasher: blake3::Hasher,
    some: Vec<u8>,
}

impl Print {
    fn bytes(&mut self, bytes: &[u8]) {
        self.some.extend_from_slice(bytes);
        // Hashing is quicker in large portions.
        if self.some.len() >= 1 << 15 {
            self.hasher.update(&self.some);
            self.some.clear();
        }
    }

    fn count(&mut self, count: usize) {
        self.bytes(&(count as u64).to_le_bytes());
    }

    fn number(&mut self, number: f64) {
        self.bytes(&number.to_bits().to_le_bytes());
    }

    fn vector(&mut self, v: DVec3) {
        v.to_array().into_iter().for_each(|x| self.number(x));
    }

    fn pose(&mut self, pose: Pose) {
        pose.to_rows().into_iter().for_each(|x| self.number(x));
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    fn finish(mut self) -> String {
        self.hasher.update(&self.some);
        self.hasher.finalize().to_hex().to_string()
    }
}

fn bodies(cell: &Cell) -> Vec<(String, String)> {
    let of = |body: &kansho_cell::Body| {
        let mut print = Print::default();
        let place = cell.in_frame(body.carrier);
        print.count(place.frame.0 as usize);
        print.pose(place.frame_from_link);
        print.count(body.pieces.len());
        for piece in &body.pieces {
            print.pose(piece.carrier_from_piece);
            geometry(&mut print, &piece.geometry);
        }
        (body.name.clone(), print.finish())
    };
    cell.bodies().iter().map(of).collect()
}

fn geometry(print: &mut Print, geometry: &Geometry) {
    match geometry {
        Geometry::Mesh(mesh) => {
            print.count(0);
            print.count(mesh.vertices().len());
            mesh.vertices().iter().for_each(|v| print.vector(*v));
            print.count(mesh.triangles().len());
            mesh.triangles().iter().flatten().for_each(|v| print.bytes(&v.to_le_bytes()));
        }
        Geometry::Primitive(primitive) => {
            let (kind, sizes) = match primitive.shape() {
                Shape::Box { size } => (1, [size.x, size.y, size.z, 0.0]),
                Shape::Sphere { radius } => (2, [radius, 0.0, 0.0, 0.0]),
                Shape::Cylinder { radius, height } => (3, [radius, height, 0.0, 0.0]),
                Shape::Capsule { radius, height } => (4, [radius, height, 0.0, 0.0]),
                Shape::Cone { radius, height } => (5, [radius, height, 0.0, 0.0]),
                Shape::HalfSpace { normal, offset } => (6, [normal.x, normal.y, normal.z, offset]),
            };
            print.count(kind);
            sizes.into_iter().for_each(|size| print.number(size));
        }
    }
}

fn kinematics(cell: &Cell) -> String {
    let mut print = Print::default();
    print.count(cell.coordinates().len());
    for coordinate in cell.coordinates() {
        print.text(&coordinate.full_name());
    }
    let joints: Vec<_> = (1..).map_while(|frame| cell.frame_joint(FrameId(frame))).collect();
    print.count(joints.len());
    for joint in joints {
        print.count(joint.parent.0 as usize);
        print.pose(joint.parent_from_joint);
        let (kind, axis) = match joint.kind {
            JointKind::Fixed => (0, DVec3::ZERO),
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => (1, axis),
            JointKind::Prismatic { axis } => (2, axis),
            JointKind::Planar { normal } => (3, normal),
            JointKind::Floating => (4, DVec3::ZERO),
        };
        print.count(kind);
        print.vector(axis);
        print.count(joint.first);
        print.number(joint.multiplier);
        print.number(joint.offset);
    }
    print.finish()
}

fn pairs(cell: &Cell) -> String {
    let mut print = Print::default();
    print.count(cell.pairs().checked().len());
    cell.pairs().checked().iter().flatten().for_each(|body| print.count(body.0 as usize));
    print.finish()
}

fn motion_hash(
    coordinates: &[String],
    motion: &[Vec<[f64; 4]>],
    clearances: &[(String, f64)],
    resolution: f64,
) -> String {
    let mut print = Print::default();
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
    print.finish()
}
