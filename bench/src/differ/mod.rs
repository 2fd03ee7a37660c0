//! Differential tests: the same questions to us, to other engines, and to exact arithmetic, and who is right where they differ.
//! `docs/differential.md` has what came of it.
//!
//! | part | holds |
//! |---|---|
//! | `bodies` | what is asked about |
//! | `ask` | poses and postures that nearly touch |
//! | `statics` | bodies at rest |
//! | `motions` | motions, sampled densely |
//! | `exact` | all pairs of triangles, in whole numbers |
//! | `nested` | distances from round shapes, by searches within searches |
//! | `judge` | what a difference is due to |
//! | `files` | questions and answers in files, for engines by way of Python |

mod ask;
mod bodies;
mod exact;
mod files;
mod judge;
mod motions;
mod nested;
mod random;
mod statics;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

/// Robots and cells of a whole run.
const ROBOTS: usize = 11;

/// A number that follows a job's name.
fn number(words: &[String], at: usize, otherwise: u64) -> u64 {
    words.get(at).map_or(otherwise, |word| {
        word.parse().unwrap_or_else(|_| {
            panic!("{word} is no number; differ-static and differ-motions take COUNT SEED")
        })
    })
}

/// `differ-rows COUNT SEED FOLDER`: the questions of `differ-static`, for `bench/differ.py`.
pub(crate) fn rows(real: &Path, bench: &Path, words: &[String]) {
    let (count, seed) = (number(words, 0, 100_000) as usize, number(words, 1, 1));
    let folder = words.get(2).map(PathBuf::from).expect("differ-rows takes COUNT SEED FOLDER");
    let rows = statics::write(statics::World::read(real, bench, ROBOTS), count, seed, &folder);
    println!("{rows} rows in {}", folder.display());
}

/// `differ-static COUNT SEED [FOLDER]`.
pub(crate) fn statics(real: &Path, bench: &Path, words: &[String]) {
    let (count, seed) = (number(words, 0, 1_000_000) as usize, number(words, 1, 1));
    let folder = words.get(2).map(PathBuf::from);
    let world = statics::World::read(real, bench, ROBOTS);
    let outcome = statics::run(&world, count, seed, folder.as_deref());
    println!("| group | questions |\n|---|---|");
    for (group, count) in &outcome.questions {
        println!("| {group} | {count} |");
    }
    println!("| all | {} |\n", outcome.questions.values().sum::<usize>());
    println!(
        "| group | engine | rows | touching | differ, touching | distances | differ, distances | worst equal | not answered |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for ((group, engine), tally) in &outcome.tallies {
        println!(
            "| {group} | {engine} | {} | {} | {} | {} | {} | {:.0e} | {} |",
            tally.touching,
            tally.hits,
            tally.differences(false),
            tally.distances,
            tally.differences(true),
            tally.worst_equal,
            tally.unknown
        );
    }
    println!("\n{} answers of cells that contradict their shapes", outcome.inconsistent.len());
    for line in outcome.inconsistent.iter().take(20) {
        println!("    {line}");
    }
    println!("{} differences beyond tolerances", outcome.examples.len());
    for line in outcome.examples.iter().take(200) {
        println!("    {line}");
    }
}

/// `differ-motions COUNT SEED`.
pub(crate) fn motions(real: &Path, bench: &Path, words: &[String]) {
    let (count, seed) = (number(words, 0, 20_000) as usize, number(words, 1, 1));
    let world = statics::World::read(real, bench, ROBOTS);
    let all = motions::run(&world, count, seed);
    println!(
        "| motions of | free | touching | undecided | samples | samples that parry sees touch | our contacts that it does not see | certificates accepted, refused, not made |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (group, tally) in &all {
        let causes: Vec<String> =
            tally.causes.iter().map(|(cause, n)| format!("{n} {}", cause.words())).collect();
        println!(
            "| {group} | {} | {} | {} | {} | {} | {} | {}, {}, {} |",
            tally.free,
            tally.touching,
            tally.undecided,
            tally.samples,
            if causes.is_empty() { "0".to_owned() } else { causes.join(", ") },
            tally.no_contact,
            tally.accepted,
            tally.refused,
            tally.uncertified
        );
    }
    println!("\n{} faults of ours", all.values().map(motions::Tally::faults).sum::<usize>());
    for line in all.values().flat_map(|tally| &tally.examples).take(100) {
        println!("    {line}");
    }
}
