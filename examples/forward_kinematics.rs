//! Where is the tool? Forward kinematics of the built-in cell, and how long it takes.
//!
//! `cargo run --release -p kansho --example forward_kinematics`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use kansho::cell::builtin;
use std::time::Instant;

fn main() {
    let cell = builtin::cell();
    let home = builtin::home();
    let mut placed = cell.place(&home);
    let arm = &cell.robots()[0];
    let tool = arm.tool.expect("the built-in arm has a tool");
    let world_from_tcp = placed.world_from_link(tool.on) * tool.link_from_tcp;
    println!("home: tool at {:.4}", world_from_tcp.translation());

    let times = 1_000_000;
    let mut posture = home;
    let start = Instant::now();
    for i in 0..times {
        posture[i % 6] += 1e-6;
        cell.place_into(&posture, &mut placed);
    }
    let each = start.elapsed().as_secs_f64() * 1e9 / times as f64;
    println!("{times} postures: {each:.0} ns each, {} links", cell.link_names().len());
}
