//! Certificates with one thing changed, hashes worked out anew: whatever the verifier accepts is true, and false claims are refused.
//!
//! `KANSHO_LONG=1 cargo nextest run -p kansho-check mutated` takes more than 50,000.

use super::oracle::{Oracle, Scenes};
use super::random::motion;
use crate::models::{Dice, cell};
use kansho_cell::{Cell, JointMotion, builtin};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::PairId;
use kansho_check::verdict::Verdict;
use kansho_geom::glam::DVec3;
use kansho_verify::AnyCertificate;
use kansho_verify::file::{CellPrint, CertifiedMotion};
use kansho_verify::motion::{CellTrees, moves};

/// What came of the mutations.
#[derive(Debug, Default)]
struct Counts {
    tried: usize,
    refused: usize,
    /// With the same claim as before, proven otherwise.
    same: usize,
    /// With another claim, which is true.
    other: usize,
    /// Claims that samples refute, all of which were refused.
    false_claims: usize,
    /// Claims of a gap that is larger than one that was measured, all of which were refused.
    forged: usize,
}

/// Numbers near one: by a unit in the last place, by little, by much.
fn near(value: f64, dice: &mut Dice) -> f64 {
    match dice.below(8) {
        0 => value.next_up(),
        1 => value.next_down(),
        2 => value * (1.0 + dice.between(-1e-6, 1e-6)),
        3 => value * 1.01,
        4 => value * 1.2,
        5 => value + dice.between(-0.3, 0.3),
        6 => -value,
        _ => [f64::NAN, f64::INFINITY, 0.0, 1e300][dice.below(4)],
    }
}

const LETTERS: &[u8] = b"tabcxyzXYZrdfAB_-09!";

/// Changes the letters of a piece at one place.
fn respell(letters: &mut String, dice: &mut Dice) {
    let new = char::from(LETTERS[dice.below(LETTERS.len())]);
    let at = dice.below(letters.len() + 1);
    match dice.below(5) {
        0 => letters.insert(at, new),
        1 if at < letters.len() => drop(letters.remove(at)),
        2 if at + 1 < letters.len() => {
            let (a, b) = (letters.remove(at), letters.remove(at));
            letters.insert(at, a);
            letters.insert(at, b);
        }
        3 if at + 1 < letters.len() => letters.truncate(at),
        _ if at < letters.len() => {
            letters.remove(at);
            letters.insert(at, new);
        }
        _ => letters.push(new),
    }
}

/// Changes one thing; false if nothing is different.
fn mutate(certified: &mut CertifiedMotion, dice: &mut Dice) -> bool {
    let before = certified.clone();
    let certificate = &mut certified.certificate;
    match dice.below(12) {
        0..=4 => {
            let piece = dice.below(certificate.pieces.len());
            respell(&mut certificate.pieces[piece], dice);
        }
        5 | 6 => {
            let pair = dice.below(certificate.clearances.len());
            certificate.clearances[pair] = near(certificate.clearances[pair], dice);
        }
        7 => {
            // All gaps a little larger: with a proof that is as tight as that, it is false.
            let factor = 1.0 + [1e-15, 1e-3, 0.01, 0.02, 0.03, 0.1, 0.3][dice.below(7)];
            certificate.clearances.iter_mut().for_each(|clearance| *clearance *= factor);
        }
        8 | 9 => {
            let mut pieces: Vec<Vec<[f64; 4]>> =
                certified.motion.pieces().iter().map(|piece| piece.controls().to_vec()).collect();
            let (piece, k, i) = (dice.below(pieces.len()), dice.below(pieces[0].len()), dice.below(4));
            let value = near(pieces[piece][k][i], dice);
            pieces[piece][k][i] = value;
            // Its neighbours join.
            if i == 0 && piece > 0 {
                pieces[piece - 1][k][3] = value;
            }
            if i == 3 && piece + 1 < pieces.len() {
                pieces[piece + 1][k][0] = value;
            }
            match JointMotion::of_controls(pieces) {
                Some(motion) => certified.motion = motion,
                None => return false,
            }
        }
        10 => {
            let count = certified.motion.pieces().len();
            let mut pieces: Vec<Vec<[f64; 4]>> =
                certified.motion.pieces().iter().map(|piece| piece.controls().to_vec()).collect();
            if count < 2 {
                certificate.pieces.clear();
            } else if dice.below(2) == 0 {
                pieces.truncate(count - 1);
                certified.motion = JointMotion::of_controls(pieces).expect("part of a motion");
            } else {
                certificate.pieces.swap(0, count - 1);
            }
        }
        _ => match dice.below(5) {
            0 => certified.cell.kinematics.replace_range(0..1, "g"),
            1 => certified.cell.pairs.push('0'),
            2 => {
                let body = dice.below(certified.cell.bodies.len());
                certified.cell.bodies[body].1.replace_range(3..4, "x");
            }
            3 => certified.coordinates[0].push('_'),
            _ => certified.pairs[0].push('_'),
        },
    }
    *certified != before
}

/// Whether samples of a motion refute that pairs are so far apart: by more than the rounding of what is measured.
fn is_refuted(oracle: &mut Oracle, certified: &CertifiedMotion, samples: usize) -> bool {
    let cell = oracle.cell.clone();
    let tolerance = 1e-11 * (1.0 + oracle.size);
    (0..=samples).any(|k| {
        let posture = certified.motion.at(k as f64 / samples as f64);
        (0u32..).zip(cell.pairs().checked()).zip(&certified.certificate.clearances).any(
            |((id, bodies), &clearance)| {
                let [f, g] = bodies.map(|body| cell.in_frame(cell.body(body).carrier).frame);
                let least = if f == g { 0.0 } else { clearance };
                // Only what is nearer matters.
                let gap = oracle.gap(&posture, PairId(id), least);
                gap < least - tolerance
            },
        )
    })
}

fn attack(cell: Cell, dice: &mut Dice, mutations: usize, counts: &mut Counts) {
    let (scenes, mut oracle) = Scenes::new(cell);
    let prepared = MotionScene::new(&scenes.quick);
    let mut workspace = prepared.workspace();
    let cell = oracle.cell.clone();
    let (print, trees) = (CellPrint::of(&cell), CellTrees::new(&cell));
    for _ in 0..6 {
        let motion = motion(&cell, dice);
        let options = MotionOptions::default();
        let Verdict::Free(proof) = prepared.motion(&motion, &options, &mut workspace).verdict else {
            continue;
        };
        let least = prepared.least_gap(&motion, &options, proof.clearance, &mut workspace);
        let measured = least.measured.map(|(_, gap)| gap.gap);
        let clearance = if least.proven.is_finite() { 0.98 * least.proven } else { 0.0 };
        let options = MotionOptions { clearance, ..options };
        let Ok(certificate) = prepared.certify(&motion, &options) else { continue };
        let good = CertifiedMotion::new(&cell, motion, 1e-6, certificate);
        assert!(good.verify(&cell).is_ok() && !is_refuted(&mut oracle, &good, 64));
        // A claim that is false by a billionth, which no other letters may show.
        for _ in 0..mutations / 2 {
            let Some(measured) = measured.filter(|gap| *gap > 1e-6 * oracle.size) else { break };
            let mut bad = good.clone();
            let certificate = &mut bad.certificate;
            // Pairs that never move relative to each other may be nearer.
            for (gap, pair) in certificate.clearances.iter_mut().zip(cell.pairs().checked()) {
                *gap = if moves(&cell, *pair) { measured * (1.0 + 1e-9) } else { 0.0 };
            }
            let piece = dice.below(certificate.pieces.len());
            respell(&mut certificate.pieces[piece], dice);
            counts.forged += 1;
            assert!(
                bad.verify_on(&cell, &print, &trees).is_err(),
                "a forged certificate is accepted: {bad:?}"
            );
        }
        for _ in 0..mutations {
            let mut bad = good.clone();
            if !mutate(&mut bad, dice) {
                continue;
            }
            counts.tried += 1;
            let is_same =
                bad.motion == good.motion && bad.certificate.clearances == good.certificate.clearances;
            let accepted = match AnyCertificate::parse(bad.to_json().as_bytes()) {
                Some(Ok(AnyCertificate::Cell(read))) => read.verify_on(&cell, &print, &trees).is_ok(),
                _ => false,
            };
            if !accepted {
                counts.refused += 1;
                let is_number = bad.certificate.clearances.iter().all(|c| c.is_finite() && c.abs() < 1e6);
                counts.false_claims += usize::from(!is_same && is_number && is_refuted(&mut oracle, &bad, 8));
            } else if is_same {
                counts.same += 1;
            } else {
                counts.other += 1;
                assert!(!is_refuted(&mut oracle, &bad, 64), "accepted, but false: {bad:?}");
            }
        }
    }
}

#[test]
fn mutated_certificates_are_refused_or_true() {
    let long = std::env::var_os("KANSHO_LONG").is_some();
    let (cells, mutations) = if long { (80, 600) } else { (6, 20) };
    let mut dice = Dice(2034);
    let mut counts = Counts::default();
    for k in 0..cells {
        let cell =
            if k == 0 { builtin::cell() } else { cell(&mut dice, [1.0, 1e-2, 100.0][k % 3], DVec3::ZERO) };
        attack(cell, &mut dice, mutations, &mut counts);
    }
    let Counts { tried, refused, same, other, false_claims, forged } = counts;
    assert!(!long || tried > 50_000, "{counts:?}");
    assert!(tried > 20 * cells && refused > tried / 3, "{counts:?}");
    assert!(same > 0 && other > 0 && forged > tried / 20 && false_claims > tried / 100, "{counts:?}");
    assert_eq!(tried, refused + same + other);
}
