//! Whole jobs with known answers. See `README.md` beside this crate.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod clock;
mod two_meshes;

use std::path::PathBuf;

fn main() {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        println!("KANSHO_DATA must name the folder that holds data/ and bench/");
        std::process::exit(3);
    };
    let data = PathBuf::from(data).join("bench/data");
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let all = wanted.is_empty();
    if all || wanted.iter().any(|name| name == "W1") {
        two_meshes::touching(&data);
    }
    if all || wanted.iter().any(|name| name == "W2") {
        two_meshes::apart(&data);
    }
}
