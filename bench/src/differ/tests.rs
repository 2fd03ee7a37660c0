//! A short run.

use super::judge::Cause;
use super::motions;
use super::statics::{World, run};
use std::path::PathBuf;

fn data() -> Option<PathBuf> {
    let data = std::env::var_os("KANSHO_DATA").map(PathBuf::from);
    if data.is_none() {
        println!("skipped: KANSHO_DATA names no folder of real files");
    }
    data
}

#[test]
fn questions_at_rest_are_answered_as_by_parry_and_by_exact_arithmetic() {
    let Some(data) = data() else { return };
    let world = World::read(&data.join("data"), &data.join("bench/data"), 3);
    let outcome = run(&world, 4000, 7, None);
    assert!(outcome.inconsistent.is_empty(), "{:?}", outcome.inconsistent);
    let ours: usize = outcome.tallies.values().map(|tally| tally.of(Cause::Ours)).sum();
    assert_eq!(ours, 0, "{:?}", outcome.examples);
    let exact: usize = outcome
        .tallies
        .iter()
        .filter(|((_, engine), _)| engine == "exact")
        .map(|(_, tally)| tally.touching)
        .sum();
    let hits: usize = outcome.tallies.values().map(|tally| tally.hits).sum();
    assert!(exact > 20 && hits > 1000, "{exact} {hits}");
}

#[test]
fn motions_are_as_samples_of_parry_say() {
    let Some(data) = data() else { return };
    let world = World::read(&data.join("data"), &data.join("bench/data"), 3);
    let all = motions::run(&world, 300, 7);
    for (group, tally) in &all {
        assert_eq!((tally.faults(), tally.undecided), (0, 0), "{group}: {:?}", tally.examples);
    }
    let sum = |of: fn(&motions::Tally) -> usize| all.values().map(of).sum::<usize>();
    assert!(sum(|t| t.free) > 50 && sum(|t| t.touching) > 50 && sum(|t| t.accepted) > 20);
}
