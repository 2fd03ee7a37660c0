//! Every kept input once more, without a fuzzer: what was found stays fixed.

use kansho_fuzz_targets::{Target, all};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Inputs of a target in a folder beside `targets`, in the order of their names.
fn inputs(folder: &str, target: &Target) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join(target.name);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    paths
}

/// Runs all inputs of all targets; how many there were.
fn replay(folder: &str) -> usize {
    let mut broken = Vec::new();
    let mut count = 0;
    for target in all() {
        for path in inputs(folder, &target) {
            let bytes = std::fs::read(&path).expect("a kept input");
            count += 1;
            if catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes))).is_err() {
                broken.push(path);
            }
        }
    }
    assert!(broken.is_empty(), "broken again: {broken:#?}");
    count
}

#[test]
fn what_was_found_by_fuzzing_stays_fixed() {
    assert!(replay("regressions") > 0, "the folder of regressions is not found");
}

#[test]
fn kept_corpora_pass() {
    assert!(replay("corpus") > 0, "the folder of corpora is not found");
}

#[test]
fn seeds_pass() {
    for target in all() {
        (target.seeds)().iter().for_each(|seed| (target.run)(seed));
    }
}

/// Folders that no target has would be inputs that nobody runs.
#[test]
fn every_folder_has_its_target() {
    let names: Vec<&str> = all().iter().map(|target| target.name).collect();
    for folder in ["corpus", "regressions"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        for entry in std::fs::read_dir(root).expect("the folder is there") {
            let name = entry.expect("a readable folder").file_name();
            assert!(names.iter().any(|known| name == **known), "{name:?} in fuzz/{folder} is no target");
        }
    }
}
