//! From one posture of the built-in arm to another, around what is in between; proven free.
//!
//! `cargo run --release -p kansho --example free_way`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use kansho::cell::builtin;
use kansho::check::motion::MotionScene;
use kansho::check::scene::Scene;
use kansho::plan::transfer::{Transfer, TransferOptions, find_transfer};
use std::sync::Arc;

fn main() {
    let scene = Scene::new(Arc::new(builtin::cell())).with_models();
    let scene = MotionScene::new(&scene);
    // On either side of the sheet, the nozzle lower than its edge.
    let [start, goal] = [-75.0, 75.0].map(|turn: f64| {
        let posture: Vec<f64> = [turn, 25.0, 10.0, 0.0, 35.0, 0.0].map(f64::to_radians).into();
        posture
    });
    let options = TransferOptions { clearance: 0.005, ..TransferOptions::default() };
    match find_transfer(&scene, &start, &goal, &options) {
        Transfer::Found { motion, proof, length, effort } => {
            println!(
                "a way of {length:.3} rad, never nearer than {:.1} mm to anything:",
                proof.clearance * 1e3
            );
            for k in 0..=motion.pieces().len() {
                let posture = motion.at(k as f64 / motion.pieces().len() as f64);
                let degrees: Vec<String> =
                    posture.iter().map(|q| format!("{:7.1}", q.to_degrees())).collect();
                println!("  {}", degrees.join(" "));
            }
            println!("{} lines and {} postures were looked at", effort.edges, effort.postures);
        }
        Transfer::NotFound { why, effort } => println!("no way was found: {why:?}, {effort:?}"),
    }
}
