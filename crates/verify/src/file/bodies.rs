//! Certificates of moving bodies as JSON: the bodies, their motions and why they never touch, all in one file.
//!
//! ```json
//! { "kansho": "moving certificate 2", "clearance": 0.0,
//!   "bodies": [{ "name": "a.stl", "vertices": [[0, 0, 0], ...], "triangles": [[0, 1, 2], ...], "order": [0, ...] }, ...],
//!   "motions": [[[[12 numbers], four of them], for each piece], ...],
//!   "pieces": [["t", [0, 0, 1], { "a": [8, 16] }, { "b": [4] }, [1, 0, 0, 0.9, 0.1, 0]], for each common piece] }
//! ```
//!
//! Lengths are metres. A motion is a list of pieces of equal length: cubics in Bézier's form, four placements of twelve numbers (matrix row
//! by row, then shift); or `{ "axis", "angle", "start", "base", "drift" }`; or `{ "start", "turns", "shifts" }`, as
//! [`Form`] has them. Steps: `"t"` halves time, `a` and `b` divide triangles, three numbers are a direction, six one that turns.

use super::CertificateFault as Fault;
use crate::bodies::{BodiesCertificate, BodiesStep, RefusedBodies, VerifiedBodies, verify_bodies};
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Affine, Form, Motion};
use kansho_geom::{Mesh, mesh};
use serde::{Deserialize, Serialize};

const KIND: &str = "moving certificate 2";

/// What a certificate is about, with it.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifiedBodies {
    /// How the bodies were called.
    pub names: [String; 2],
    /// The bodies.
    pub meshes: [Mesh; 2],
    /// Their motions.
    pub motions: [Motion; 2],
    /// Why they never touch.
    pub certificate: BodiesCertificate,
}

impl CertifiedBodies {
    /// Re-checks it for the bodies and motions that it holds.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn verify(&self) -> Result<VerifiedBodies, RefusedBodies> {
        verify_bodies(self.meshes.each_ref(), self.motions.each_ref(), &self.certificate)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kansho: String,
    clearance: f64,
    bodies: [Body; 2],
    motions: [Vec<Leg>; 2],
    pieces: Vec<Vec<Entry>>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Leg {
    Cubic([[f64; 12]; 4]),
    Turn { axis: [f64; 3], angle: f64, start: [f64; 12], base: [f64; 3], drift: [f64; 3] },
    Spline { start: [f64; 12], turns: [[f64; 3]; 3], shifts: [[f64; 3]; 3] },
}

impl Leg {
    fn of(form: &Form) -> Self {
        match form {
            Form::Cubic(controls) => Self::Cubic(controls.map(|control| control.to_rows())),
            Form::Turn { axis, angle, start, base, drift } => Self::Turn {
                axis: axis.to_array(),
                angle: *angle,
                start: start.to_rows(),
                base: base.to_array(),
                drift: drift.to_array(),
            },
            Form::Spline { start, turns, shifts } => Self::Spline {
                start: start.to_rows(),
                turns: turns.map(|v| v.to_array()),
                shifts: shifts.map(|v| v.to_array()),
            },
        }
    }

    fn form(&self) -> Form {
        let vector = DVec3::from_array;
        match *self {
            Self::Cubic(controls) => Form::Cubic(controls.map(|rows| Affine::from_rows(&rows))),
            Self::Turn { axis, angle, start, base, drift } => Form::Turn {
                axis: vector(axis),
                angle,
                start: Affine::from_rows(&start),
                base: vector(base),
                drift: vector(drift),
            },
            Self::Spline { start, turns, shifts } => Form::Spline {
                start: Affine::from_rows(&start),
                turns: turns.map(vector),
                shifts: shifts.map(vector),
            },
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    name: String,
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    order: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Entry {
    Word(String),
    Fixed([f64; 3]),
    Turning([f64; 6]),
    First { a: Vec<u32> },
    Second { b: Vec<u32> },
}

/// A certificate as JSON; none if a motion is not made of whole pieces of equal length.
#[must_use]
pub fn to_json(certified: &CertifiedBodies) -> Option<String> {
    let body = |k: usize| Body {
        name: certified.names[k].clone(),
        vertices: certified.meshes[k].vertices().iter().map(DVec3::to_array).collect(),
        triangles: certified.meshes[k].triangles().to_vec(),
        order: certified.certificate.orders[k].clone(),
    };
    let motion = |k: usize| Some(certified.motions[k].forms()?.iter().map(Leg::of).collect::<Vec<_>>());
    let file = File {
        kansho: KIND.into(),
        clearance: certified.certificate.clearance,
        bodies: [body(0), body(1)],
        motions: [motion(0)?, motion(1)?],
        pieces: certified.certificate.pieces.iter().map(|steps| steps.iter().map(entry).collect()).collect(),
    };
    Some(serde_json::to_string(&file).expect("numbers and lists can be written") + "\n")
}

fn entry(step: &BodiesStep) -> Entry {
    match step {
        BodiesStep::Time => Entry::Word("t".into()),
        BodiesStep::First(cuts) => Entry::First { a: cuts.clone() },
        BodiesStep::Second(cuts) => Entry::Second { b: cuts.clone() },
        BodiesStep::Free { start, end } if start == end => Entry::Fixed(start.to_array()),
        BodiesStep::Free { start, end } => Entry::Turning([start.x, start.y, start.z, end.x, end.y, end.z]),
    }
}

/// Reads a certificate from memory.
///
/// # Errors
/// The file is none, was changed or cut short.
pub fn parse(bytes: &[u8]) -> Result<CertifiedBodies, Fault> {
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| Fault::new(format!("this is no certificate of moving bodies: {error}")))?;
    if file.kansho != KIND {
        return Err(Fault::new(format!("'{}' is not '{KIND}'", file.kansho)));
    }
    let [body_a, body_b] = &file.bodies;
    let motion = |k: usize| {
        let forms: Vec<Form> = file.motions[k].iter().map(Leg::form).collect();
        Motion::of_forms(&forms).ok_or_else(|| {
            let name = &file.bodies[k].name;
            Fault::new(format!("the motion of '{name}' has no pieces, or one of them is none"))
        })
    };
    Ok(CertifiedBodies {
        names: [body_a.name.clone(), body_b.name.clone()],
        meshes: [mesh_of(body_a)?, mesh_of(body_b)?],
        motions: [motion(0)?, motion(1)?],
        certificate: BodiesCertificate {
            orders: [body_a.order.clone(), body_b.order.clone()],
            clearance: file.clearance,
            pieces: file
                .pieces
                .iter()
                .map(|steps| steps.iter().map(step).collect::<Result<_, _>>())
                .collect::<Result<_, _>>()?,
        },
    })
}

fn step(entry: &Entry) -> Result<BodiesStep, Fault> {
    Ok(match entry {
        Entry::Word(word) if word == "t" => BodiesStep::Time,
        Entry::Word(word) => return Err(Fault::new(format!("'{word}' is no step of a certificate"))),
        Entry::Fixed(n) => BodiesStep::Free { start: DVec3::from_array(*n), end: DVec3::from_array(*n) },
        Entry::Turning(n) => {
            BodiesStep::Free { start: DVec3::from_slice(&n[..3]), end: DVec3::from_slice(&n[3..]) }
        }
        Entry::First { a } => BodiesStep::First(a.clone()),
        Entry::Second { b } => BodiesStep::Second(b.clone()),
    })
}

fn mesh_of(body: &Body) -> Result<Mesh, Fault> {
    mesh_as_given(&body.name, &body.vertices, &body.triangles)
}

/// A mesh, as it was when the certificate was made: what welding would change was never a mesh of ours.
pub(super) fn mesh_as_given(
    name: &str,
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
) -> Result<Mesh, Fault> {
    let vertices: Vec<DVec3> = vertices.iter().map(|&p| DVec3::from_array(p)).collect();
    if triangles.iter().flatten().any(|&v| v as usize >= vertices.len()) {
        return Err(Fault::new(format!("a triangle of '{name}' names a vertex that is not there")));
    }
    let welded = mesh::weld(&vertices, triangles, 0.0)
        .map_err(|fault| Fault::new(format!("the body '{name}' is no mesh: {fault}")))?
        .mesh;
    if welded.vertices() != vertices || welded.triangles() != triangles {
        return Err(Fault::new(format!("the body '{name}' is no mesh as kansho makes them")));
    }
    Ok(welded)
}
