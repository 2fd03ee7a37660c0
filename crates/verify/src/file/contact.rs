//! Certificates of bodies that move in contact as JSON: the bodies, their motions and why nothing but named features touches.
//!
//! ```json
//! { "kansho": "contact certificate 1", "tolerance": 1e-6, "leaves": false,
//!   "bodies": [{ "name": "block", "hash": "hash", "vertices": [[0, 0, 0], ...], "triangles": [[0, 1, 2], ...],
//!                "features": [[0, 1, 4, 5], ...] }, ...],
//!   "insets": [{ "body": 0, "vertices": [0, 1, ...], "places": [[1e-6, 0, 0], ...] }, ...],
//!   "moves": [{ "label": "1. approach (line 3), approach", "moving": [0], "from": [12 numbers], "by": [0, 0, -0.1],
//!               "pairs": [{ "may_touch": [[0, 0]], "inset": 0, "letters": "abkAAn..." }, ...] },
//!             { "label": "2. rotate (line 4), turn", "moving": [0], "from": [12 numbers],
//!               "turn": { "point": [0, 0, 0], "axis": [0, 0, 1], "angle": 0.5 }, "pairs": [...] }, ...],
//!   "hash": "hash" }
//! ```
//!
//! Metres and radians. Features are lists of vertices, and pairs of them that may touch are numbers: of the moving body first. A
//! place is a matrix row by row, then a shift. Each move has a proof for each body that moves and each that stands still and is there, in
//! this order; with `leaves`, bodies that have moved are out of the way afterwards. The letters are those of
//! [`steps`](crate::contact::steps). What it all proves is said in [`contact`](crate::contact).
//!
//! Hashes are BLAKE3: of each body its vertices and triangles, and of the whole file all that is in it.

use super::CertificateFault as Fault;
use super::bodies::mesh_as_given;
use super::print::hashed;
use crate::contact::way::ContactWay;
use crate::contact::{ContactBody, ContactCertificate, ContactInset, ContactMove, ContactPair};
use kansho_cell::canonical::Canonical;
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Affine;
use serde::{Deserialize, Serialize};

const KIND: &str = "contact certificate 1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kansho: String,
    tolerance: f64,
    leaves: bool,
    bodies: Vec<Body>,
    insets: Vec<Inset>,
    moves: Vec<Move>,
    hash: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    name: String,
    hash: String,
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    features: Vec<Vec<u32>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Inset {
    body: usize,
    vertices: Vec<u32>,
    places: Vec<[f64; 3]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    label: String,
    moving: Vec<usize>,
    from: [f64; 12],
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<Turn>,
    pairs: Vec<Pair>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    point: [f64; 3],
    axis: [f64; 3],
    angle: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    may_touch: Vec<[usize; 2]>,
    inset: Option<usize>,
    letters: String,
}

/// A hash of a body: its vertices and triangles.
#[must_use]
pub fn body_hash(mesh: &Mesh) -> String {
    hashed(|print| {
        print.count(mesh.vertices().len());
        mesh.vertices().iter().for_each(|v| print.vector(*v));
        print.count(mesh.triangles().len());
        mesh.triangles().iter().flatten().for_each(|&v| print.count(v as usize));
    })
}

/// A hash of the bodies: their names, meshes and features.
#[must_use]
pub fn bodies_hash(certificate: &ContactCertificate) -> String {
    hashed(|print| add_bodies(certificate, print))
}

/// A hash of what moves: the bodies, the tolerance, and the motions with what may touch on them.
#[must_use]
pub fn program_hash(certificate: &ContactCertificate) -> String {
    hashed(|print| add_program(certificate, print))
}

fn whole_hash(certificate: &ContactCertificate) -> String {
    hashed(|print| {
        add_program(certificate, print);
        print.count(certificate.insets.len());
        for inset in &certificate.insets {
            print.count(inset.body);
            print.count(inset.places.len());
            for (vertex, place) in &inset.places {
                print.count(*vertex as usize);
                print.vector(*place);
            }
        }
        for pair in certificate.moves.iter().flat_map(|one| &one.pairs) {
            // No inset is none of any number.
            print.count(pair.inset.map_or(0, |inset| inset + 1));
            print.text(&pair.letters);
        }
    })
}

fn add_bodies(certificate: &ContactCertificate, print: &mut Canonical<'_>) {
    print.count(certificate.bodies.len());
    for body in &certificate.bodies {
        print.text(&body.name);
        print.text(&body_hash(&body.mesh));
        print.count(body.features.len());
        for feature in &body.features {
            print.count(feature.len());
            feature.iter().for_each(|&v| print.count(v as usize));
        }
    }
}

fn add_program(certificate: &ContactCertificate, print: &mut Canonical<'_>) {
    add_bodies(certificate, print);
    print.number(certificate.tolerance);
    print.count(usize::from(certificate.leaves));
    print.count(certificate.moves.len());
    for one in &certificate.moves {
        print.text(&one.label);
        print.count(one.moving.len());
        one.moving.iter().for_each(|&k| print.count(k));
        one.way.from().to_rows().into_iter().for_each(|x| print.number(x));
        match one.way {
            ContactWay::Straight { by, .. } => {
                print.count(0);
                print.vector(by);
            }
            ContactWay::Turn { point, axis, angle, .. } => {
                print.count(1);
                print.vector(point);
                print.vector(axis);
                print.number(angle);
            }
        }
        print.count(one.pairs.len());
        for pair in &one.pairs {
            print.count(pair.may_touch.len());
            pair.may_touch.iter().flatten().for_each(|&k| print.count(k));
        }
    }
}

/// A certificate as JSON. Numbers are written so that they come back to the last bit.
#[must_use]
pub fn to_json(certificate: &ContactCertificate) -> String {
    let body = |body: &ContactBody| Body {
        name: body.name.clone(),
        hash: body_hash(&body.mesh),
        vertices: body.mesh.vertices().iter().map(DVec3::to_array).collect(),
        triangles: body.mesh.triangles().to_vec(),
        features: body.features.clone(),
    };
    let inset = |inset: &ContactInset| Inset {
        body: inset.body,
        vertices: inset.places.iter().map(|(vertex, _)| *vertex).collect(),
        places: inset.places.iter().map(|(_, place)| place.to_array()).collect(),
    };
    let pair = |pair: &ContactPair| Pair {
        may_touch: pair.may_touch.clone(),
        inset: pair.inset,
        letters: pair.letters.clone(),
    };
    let one = |one: &ContactMove| {
        let (by, turn) = match one.way {
            ContactWay::Straight { by, .. } => (Some(by.to_array()), None),
            ContactWay::Turn { point, axis, angle, .. } => {
                (None, Some(Turn { point: point.to_array(), axis: axis.to_array(), angle }))
            }
        };
        Move {
            label: one.label.clone(),
            moving: one.moving.clone(),
            from: one.way.from().to_rows(),
            by,
            turn,
            pairs: one.pairs.iter().map(pair).collect(),
        }
    };
    let file = File {
        kansho: KIND.into(),
        tolerance: certificate.tolerance,
        leaves: certificate.leaves,
        bodies: certificate.bodies.iter().map(body).collect(),
        insets: certificate.insets.iter().map(inset).collect(),
        moves: certificate.moves.iter().map(one).collect(),
        hash: whole_hash(certificate),
    };
    serde_json::to_string(&file).expect("numbers and lists can be written") + "\n"
}

/// Reads one from memory.
///
/// # Errors
/// The file is none, was changed or cut short.
pub fn parse(bytes: &[u8]) -> Result<ContactCertificate, Fault> {
    super::current(bytes, &[KIND])?;
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| Fault::new(format!("this is no certificate of bodies in contact: {error}")))?;
    let bodies = file.bodies.into_iter().map(|body| {
        let mesh = mesh_as_given(&body.name, &body.vertices, &body.triangles)?;
        if body.hash != body_hash(&mesh) {
            return Err(Fault::new(format!("the body '{}' was changed: its hash is another", body.name)));
        }
        Ok(ContactBody { name: body.name, mesh, features: body.features })
    });
    let bodies = bodies.collect::<Result<Vec<_>, _>>()?;
    let insets = file.insets.into_iter().enumerate().map(|(number, inset)| {
        if inset.vertices.len() != inset.places.len() {
            return Err(Fault::new(format!("inset {number} has not as many places as vertices")));
        }
        let places = inset.vertices.into_iter().zip(inset.places);
        let places = places.map(|(vertex, place)| (vertex, DVec3::from_array(place))).collect();
        Ok(ContactInset { body: inset.body, places })
    });
    let insets = insets.collect::<Result<Vec<_>, _>>()?;
    let moves = file.moves.into_iter().enumerate().map(|(number, one)| {
        let from = Affine::from_rows(&one.from);
        let way = match (one.by, one.turn) {
            (Some(by), None) => ContactWay::Straight { from, by: DVec3::from_array(by) },
            (None, Some(Turn { point, axis, angle })) => {
                let [point, axis] = [point, axis].map(DVec3::from_array);
                ContactWay::Turn { from, point, axis, angle }
            }
            _ => {
                let what = format!("move {} has neither or both of 'by' and 'turn'", number + 1);
                return Err(Fault::new(what));
            }
        };
        let pairs = one.pairs.into_iter();
        let pairs = pairs.map(|Pair { may_touch, inset, letters }| ContactPair { may_touch, inset, letters });
        Ok(ContactMove { label: one.label, moving: one.moving, way, pairs: pairs.collect() })
    });
    let moves = moves.collect::<Result<Vec<_>, _>>()?;
    let certificate =
        ContactCertificate { tolerance: file.tolerance, leaves: file.leaves, bodies, insets, moves };
    if file.hash != whole_hash(&certificate) {
        return Err(Fault::new("something in it was changed: the hash of the whole is another"));
    }
    Ok(certificate)
}
