//! libFuzzer around one target, which `KANSHO_FUZZ` names.
//!
//! | variables | does |
//! |---|---|
//! | `KANSHO_FUZZ=list` | prints the names of all targets |
//! | `KANSHO_FUZZ=NAME KANSHO_FUZZ_SEEDS=DIR` | writes the target's seeds into a folder, and its words beside it, as `DIR.dict` |
//! | `KANSHO_FUZZ=NAME` | fuzzes, with libFuzzer's arguments |

#![no_main]

use kansho_fuzz_targets::{Target, all};
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::OnceLock;

static CHOSEN: OnceLock<Target> = OnceLock::new();

fuzz_target!(init: choose(), |data: &[u8]| {
    (CHOSEN.get().expect("chosen at the start").run)(data);
});

fn choose() {
    let name = std::env::var("KANSHO_FUZZ").unwrap_or_default();
    if name == "list" {
        all().iter().for_each(|target| println!("{}", target.name));
        std::process::exit(0);
    }
    let Some(target) = all().into_iter().find(|target| target.name == name) else {
        eprintln!("KANSHO_FUZZ names no target: '{name}'; KANSHO_FUZZ=list prints them");
        std::process::exit(2);
    };
    if let Ok(folder) = std::env::var("KANSHO_FUZZ_SEEDS") {
        if let Err(error) = write_seeds(&target, &folder) {
            eprintln!("{folder}: {error}");
            std::process::exit(2);
        }
        std::process::exit(0);
    }
    let _ = CHOSEN.set(target);
}

fn write_seeds(target: &Target, folder: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (k, seed) in (target.seeds)().iter().enumerate() {
        std::fs::write(Path::new(folder).join(format!("seed{k}")), seed)?;
    }
    // One word a line, with what is not plain as \xAB.
    let plain = |c: &u8| {
        if c.is_ascii_graphic() && !b"\"\\".contains(c) {
            char::from(*c).to_string()
        } else {
            format!("\\x{c:02X}")
        }
    };
    let lines: String = target
        .words
        .iter()
        .map(|word| format!("\"{}\"\n", word.bytes().map(|c| plain(&c)).collect::<String>()))
        .collect();
    std::fs::write(format!("{folder}.dict"), lines)
}
