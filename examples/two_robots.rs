//! Two arms that move at the same time: one motion proven free, with a certificate, and one with its first contact.
//!
//! `cargo run --release -p kansho --example two_robots`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use kansho::cell::{Cell, JointMotion, builtin};
use kansho::check::motion::{MotionOptions, MotionScene};
use kansho::check::scene::Scene;
use kansho::check::verdict::Verdict;
use kansho::geom::Pose;
use kansho::geom::glam::DVec3;
use kansho::verify::file::{CertifiedMotion, motion};
use std::sync::Arc;

/// How far apart the arms stand, in metres.
const APART: f64 = 0.8;

/// Two arms side by side, on one floor.
fn cell() -> Cell {
    let mut draft = builtin::draft();
    draft.objects.retain(|object| object.name == "floor");
    let arm = draft.robots.remove(0);
    draft.allow.clear();
    for (name, y) in [("left", 0.5 * APART), ("right", -0.5 * APART)] {
        let world_from_root = Pose::from_translation(DVec3::Y * y);
        draft.robots.push(kansho::cell::RobotDraftInCell {
            name: name.into(),
            world_from_root,
            ..arm.clone()
        });
        let [base, tool, flange] = ["base_link", "tool", "link_6"].map(|link| format!("{name}/{link}"));
        draft.allow.extend([[base, "floor".to_owned()], [tool, flange]]);
    }
    Cell::new(draft).expect("the names are right")
}

/// Both from home, the left by one angle about its base and the right by another, in radians.
fn turned(left: f64, right: f64) -> JointMotion {
    let home = [builtin::home(), builtin::home()].concat();
    let mut goal = home.clone();
    goal[0] += left;
    goal[6] += right;
    JointMotion::lines(&[home, goal]).expect("two postures")
}

fn main() {
    let scene = Scene::new(Arc::new(cell())).with_models();
    let prepared = MotionScene::new(&scene);
    let mut workspace = prepared.workspace();
    let options = MotionOptions { clearance: 0.01, ..MotionOptions::default() };
    for (name, motion) in [("both to the left", turned(0.6, 0.6)), ("towards each other", turned(-1.0, 1.0))]
    {
        match prepared.motion(&motion, &options, &mut workspace).verdict {
            Verdict::Free(proof) => {
                let least = prepared.least_gap(&motion, &options, proof.clearance, &mut workspace);
                println!("{name}: free, at least {:.4} m apart everywhere", least.proven);
                match prepared.certify(&motion, &options) {
                    Ok(certificate) => {
                        let certified =
                            CertifiedMotion::new(scene.cell(), motion, options.resolution, certificate);
                        let text = certified.to_json();
                        let back = motion::parse(text.as_bytes()).expect("what was written can be read");
                        let verified = back.verify(scene.cell()).expect("a certificate of ours is true");
                        println!(
                            "  certificate of {} bytes accepted, {} regions",
                            text.len(),
                            verified.regions
                        );
                    }
                    Err(why) => println!("  no certificate: {why}"),
                }
            }
            Verdict::Touches(found) => println!(
                "{name}: first within 0.01 m at t = {:.6}: {}, near {:.3}",
                found.time.end,
                scene.pair_name(found.pair),
                found.points[0]
            ),
            Verdict::Undecided { open } => println!("{name}: undecided from t = {}", open.start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least gap at evenly spaced instants up to one.
    fn sampled(scene: &Scene, motion: &JointMotion, until: f64) -> f64 {
        let mut workspace = scene.workspace();
        let gap = |k: u32| {
            let posture = motion.at(until * f64::from(k) / 500.0);
            scene.least_gap(&posture, f64::INFINITY, &mut workspace).expect("there are gaps").gap
        };
        (0..=500).map(gap).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn one_is_free_and_certified_the_other_touches() {
        let scene = Scene::new(Arc::new(cell())).with_models();
        let prepared = MotionScene::new(&scene);
        let mut workspace = prepared.workspace();
        let options = MotionOptions { clearance: 0.01, ..MotionOptions::default() };
        let aside = turned(0.6, 0.6);
        let report = prepared.motion(&aside, &options, &mut workspace);
        assert!(report.verdict.is_free(), "{report:?}");
        assert!(sampled(&scene, &aside, 1.0) > 0.01);
        let certificate = prepared.certify(&aside, &options).expect("a certificate");
        let certified = CertifiedMotion::new(scene.cell(), aside, options.resolution, certificate);
        let back = motion::parse(certified.to_json().as_bytes()).expect("it can be read");
        assert_eq!(back, certified, "to the last bit");
        assert!(back.verify(scene.cell()).is_ok());
        assert!(back.verify(&builtin::cell()).is_err(), "another cell");

        let together = turned(-1.0, 1.0);
        let report = prepared.motion(&together, &options, &mut workspace);
        let Verdict::Touches(found) = report.verdict else { panic!("{report:?}") };
        let pair = scene.pair_name(found.pair);
        assert!(pair.starts_with("left/") && pair.contains("|right/"), "{pair}");
        assert!(found.gap <= 0.01 + options.resolution && !found.at_start, "{found:?}");
        assert!(sampled(&scene, &together, found.time.start) > 0.01 - 1e-9, "it is the first");
    }
}
