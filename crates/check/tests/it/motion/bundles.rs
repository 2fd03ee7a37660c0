//! Certificates of many motions in one file: accepted as they are, and refused when any byte is another.

use super::random::motion;
use crate::models::Dice;
use kansho_cell::{Cell, builtin};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::Scene;
use kansho_check::verdict::Verdict;
use kansho_verify::file::bundle::{
    BundleHeader, BundleReader, BundleWriter, BundledMotion, RefusedBundle, VerifiedBundle, verify_bundle,
};
use std::sync::Arc;

fn verified(bytes: &[u8], cell: &Cell) -> Result<VerifiedBundle, RefusedBundle> {
    let mut reader = BundleReader::new(bytes).map_err(RefusedBundle::File)?;
    verify_bundle(&mut reader, cell, &mut |_| {})
}

/// A file about motions of the built-in cell, lines and splines, and what it holds.
fn file(clearance: f64) -> (Arc<Cell>, Vec<BundledMotion>, Vec<u8>, String) {
    let scene = Scene::new(Arc::new(builtin::cell())).with_models();
    let prepared = MotionScene::new(&scene);
    let options = MotionOptions { clearance, ..MotionOptions::default() };
    let mut dice = Dice(77);
    let mut motions = Vec::new();
    while motions.len() < 12 {
        let motion = motion(scene.cell(), &mut dice);
        if let Verdict::Free(_) = prepared.motion(&motion, &options, &mut prepared.workspace()).verdict
            && let Ok(made) = prepared.certify(&motion, &options)
        {
            motions.push(BundledMotion { number: motions.len() as u64 * 300, motion, letters: made.pieces });
        }
    }
    let header = BundleHeader::new(scene.cell(), &prepared.clearances(&options), options.resolution);
    let mut bytes = Vec::new();
    let mut writer = BundleWriter::new(&mut bytes, &header).expect("written");
    motions.iter().for_each(|one| writer.push(one).expect("written"));
    let fingerprint = writer.finish().expect("written");
    (Arc::clone(scene.cell()), motions, bytes, fingerprint)
}

#[test]
fn bundles_come_back_and_are_verified() {
    let (cell, motions, bytes, fingerprint) = file(1e-3);
    let mut reader = BundleReader::new(&bytes[..]).expect("a file");
    let mut read = Vec::new();
    while let Some(one) = reader.next_motion().expect("a motion") {
        read.push(one);
    }
    assert_eq!(read, motions);
    let found = verified(&bytes, &cell).expect("it is true");
    assert_eq!((found.motions, found.clearance, &found.fingerprint), (12, 1e-3, &fingerprint));
    assert!(found.record().contains(&fingerprint[..32]));
}

#[test]
fn no_byte_of_a_bundle_can_be_changed() {
    let (cell, _, bytes, _) = file(0.0);
    for at in (0..bytes.len()).step_by(bytes.len() / 24 + 1).chain(0..24) {
        for change in [1, 0x80] {
            let mut other = bytes.clone();
            other[at] ^= change;
            assert!(matches!(verified(&other, &cell), Err(RefusedBundle::File(_))), "byte {at}");
        }
        assert!(verified(&bytes[..at], &cell).is_err(), "cut at {at}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(verified(&longer, &cell), Err(RefusedBundle::File(_))));
}

/// Whoever works the hashes out anew has to prove what is said.
#[test]
fn a_bundle_that_says_more_than_it_shows_is_refused() {
    let (cell, motions, bytes, _) = file(0.0);
    let header = BundleReader::new(&bytes[..]).expect("a file").header().clone();
    let with = |header: &BundleHeader, motions: &[BundledMotion]| {
        let mut bytes = Vec::new();
        let mut writer = BundleWriter::new(&mut bytes, header).expect("written");
        motions.iter().for_each(|one| writer.push(one).expect("written"));
        writer.finish().expect("written");
        verified(&bytes, &cell)
    };
    assert!(with(&header, &motions).is_ok());
    let mut far = header.clone();
    far.clearances.iter_mut().for_each(|(_, clearance)| *clearance += 10.0);
    assert!(matches!(with(&far, &motions), Err(RefusedBundle::Motion { number: 0, .. })));
    let mut less = header.clone();
    less.clearances.pop();
    assert!(matches!(with(&less, &motions), Err(RefusedBundle::OtherCell(_))));
    let mut other = header.clone();
    other.cell.kinematics.push('0');
    assert!(matches!(with(&other, &motions), Err(RefusedBundle::OtherCell(_))));
    for at in 0..motions.len() {
        let mut bad = motions.clone();
        bad[at].letters[0].pop();
        let refused = with(&header, &bad);
        assert!(matches!(refused, Err(RefusedBundle::Motion { number, .. }) if number == bad[at].number));
    }
    // A motion more: of others' letters.
    let mut swapped = motions.clone();
    let first = swapped[0].letters.clone();
    swapped.last_mut().expect("some").letters = first;
    assert!(with(&header, &swapped).is_err());
    assert_eq!(with(&header, &[]).expect("nothing is claimed").motions, 0);
}
