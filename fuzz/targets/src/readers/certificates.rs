//! Certificates: what is read is written and read again as the same, and what the verifier accepts holds at samples.

use super::small_arm::cell;
use crate::files::{Folder, put};
use crate::{Target, told};
use kansho_cell::canonical;
use kansho_check::moving_bodies::{Body, MovingOptions, MovingScratch, gap, moving};
use kansho_check::verdict::Verdict;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Motion;
use kansho_geom::primitive::Shape;
use kansho_geom::tree::Scratch;
use kansho_geom::{Mesh, Pose, Primitive};
use kansho_io::certificate;
use kansho_verify::bodies::verify_bodies;
use kansho_verify::contact::verify_contact;
use kansho_verify::file::bodies::{parse, to_json};
use kansho_verify::file::{AnyCertificate, CertifiedBodies};
use std::sync::Arc;

pub(super) fn all() -> Vec<Target> {
    vec![
        Target { name: "certificate", seeds, words: WORDS, run: run_bodies },
        Target { name: "cell_certificate", seeds: cell_seeds, words: WORDS, run: run_cell },
        Target { name: "kcell", seeds: encoded_seeds, words: &["kansho cell 1"], run: run_encoded },
    ]
}

thread_local! {
    static FOLDER: Folder = const { Folder::new() };
}

/// Instants at which an accepted certificate is tried.
const INSTANTS: u32 = 33;

fn run_bodies(bytes: &[u8]) {
    let certified = match parse(bytes) {
        Ok(certified) => certified,
        Err(fault) => return told::fault_is_told(bytes, &fault.into()),
    };
    let text = to_json(&certified).expect("what was read is made of pieces");
    let again =
        parse(text.as_bytes()).unwrap_or_else(|fault| panic!("what was written is no certificate: {fault}"));
    assert_eq!(again, certified);
    let CertifiedBodies { meshes, motions, certificate, .. } = &certified;
    let Ok(verified) = verify_bodies(meshes.each_ref(), motions.each_ref(), certificate) else { return };
    // Whoever wrote the file: what is accepted is true.
    let bodies = meshes.clone().map(|mesh| Body::new(Arc::new(mesh)));
    for k in 0..=INSTANTS {
        let t = f64::from(k) / f64::from(INSTANTS);
        let [a, b] = motions.each_ref().map(|motion| motion.at(t));
        let found = gap(&bodies[0], &bodies[1], &a, &b, &mut Scratch::default());
        assert!(!found.inside, "accepted, but at {t} one is in the other");
        // Not even rounding brings them as near as that.
        assert!(found.distance + found.rounding >= verified.clearance, "accepted, but at {t}: {found:?}");
    }
}

/// Of cells and routes: each has a hash of what it is about, so most inputs are refused by it.
fn run_cell(bytes: &[u8]) {
    let folder = FOLDER.with(|folder| folder.path(|_| {}));
    put(&folder, "certificate.json", bytes);
    match certificate::read(&folder.join("certificate.json")) {
        Err(error) => told::refused(bytes, &error.faults),
        Ok(AnyCertificate::Bodies(_)) => {}
        Ok(AnyCertificate::Cell(certified)) => {
            assert!(!certified.to_json().is_empty());
            if let Err(refused) = certified.verify(cell()) {
                assert!(!refused.to_string().is_empty());
            }
        }
        Ok(AnyCertificate::Contact(certified)) => {
            if let Err(refused) = verify_contact(&certified) {
                assert!(!refused.to_string().is_empty());
            }
        }
        Ok(AnyCertificate::Route(certified)) => {
            assert!(!certified.to_json().is_empty());
            if let Err(refused) = certified.verify(cell()) {
                assert!(!refused.to_string().is_empty());
            }
        }
    }
}

/// Whatever is read as a cell is written as the same bytes.
fn run_encoded(bytes: &[u8]) {
    match canonical::read(bytes) {
        Ok(cell) => assert_eq!(canonical::write(&cell), bytes),
        Err(fault) => assert!(fault.at <= bytes.len() && !fault.what.is_empty()),
    }
}

fn encoded_seeds() -> Vec<Vec<u8>> {
    vec![canonical::write(cell())]
}

const WORDS: &[&str] = &[
    "\"kansho\":\"moving certificate 2\"",
    "\"clearance\":",
    "\"bodies\":[",
    "\"motions\":[",
    "\"pieces\":[",
    "\"t\"",
    "{\"a\":[",
    "{\"b\":[",
    "\"order\":[",
    "\"axis\":",
    "\"angle\":",
    "\"start\":",
    "\"turns\":",
    "1e300",
    "0.0",
    "[0.0,0.0,1.0]",
];

/// Two boxes, or a box and a tetrahedron, one of which passes the other.
fn seeds() -> Vec<Vec<u8>> {
    let block = |size: f64| {
        Primitive::new(Shape::Box { size: DVec3::splat(size) })
            .expect("a box")
            .tessellated(1.0)
            .expect("a mesh")
    };
    let at = |x: f64, y: f64, turn: f64| Pose::from_rpy(DVec3::new(x, y, 0.0), DVec3::new(0.0, 0.0, turn));
    let motions = [
        Motion::linear(at(-3.0, 1.5, 0.0), at(3.0, 1.5, 0.0)),
        Motion::slerp(at(-3.0, 2.0, 0.0), at(3.0, 2.0, 1.0)),
        Motion::linear(at(-3.0, 1.0625, 0.0), at(3.0, 1.25, 0.0)),
    ];
    motions
        .iter()
        .map(|motion| certified([block(1.0), block(1.0)], [&Motion::still(Pose::IDENTITY), motion]))
        .collect()
}

fn certified(meshes: [Mesh; 2], motions: [&Motion; 2]) -> Vec<u8> {
    let bodies = meshes.clone().map(|mesh| Body::new(Arc::new(mesh)));
    let options = MovingOptions { certificate: true, ..MovingOptions::default() };
    let report = moving(bodies.each_ref(), motions, &options, &mut MovingScratch::default());
    let Verdict::Free(proof) = report.verdict else { panic!("the boxes pass each other") };
    let certified = CertifiedBodies {
        names: ["a".into(), "b".into()],
        meshes,
        motions: motions.map(Clone::clone),
        certificate: proof.certificate.expect("asked for"),
    };
    to_json(&certified).expect("made of pieces").into_bytes()
}

fn cell_seeds() -> Vec<Vec<u8>> {
    let text = r#"{"kansho":"motion certificate 2","resolution":1e-6,"cell":{"bodies":[],"kinematics":"","pairs":""},"motion_hash":"","coordinates":[],"motion":[],"clearances":[],"pieces":[]}"#;
    let route = text.replace("motion certificate", "route certificate");
    vec![text.into(), route.into(), seeds().swap_remove(0)]
}
