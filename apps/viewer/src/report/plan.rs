//! The reports of a plan, and of a search for a place.

use super::{Reported, report};
use kansho::ask::plan::{Places, PlacesAnswer, PlanAnswer};
use kansho::fact::Fact;
use kansho::shown::motions_of_path;

/// One file with everything in it; `map` is the picture of the map.
#[must_use]
pub fn plan_report(
    title: &str,
    answer: &PlanAnswer,
    done: &kansho::ask::plan::Planned<'_>,
    map: &[u8],
) -> Vec<u8> {
    let (motions, clearance) = motions_of_path(&done.work.planned, done.scene);
    let sections = answer.sections();
    report(&Reported {
        title,
        verdict: &answer.sentence(),
        good: answer.is_path(),
        sections: sections.iter().map(|(heading, of)| ((*heading).to_owned(), shown(of))).collect(),
        maps: vec![("Path map", "Points across, rotation of the tool up", map)],
        scene: Some(done.scene),
        motions,
        clearance,
    })
}

/// The same of a search for a place, with the pictures among its files; the cell is shown where the work is best.
#[must_use]
pub fn places_report(
    title: &str,
    answer: &PlacesAnswer,
    places: &Places,
    files: &[(String, Vec<u8>)],
) -> Vec<u8> {
    let best = places.best.as_ref();
    let (motions, clearance) =
        best.map_or((Vec::new(), None), |best| motions_of_path(&best.work.planned, &best.scene));
    let picture = |name: &str, heading, words| {
        let found = files.iter().find(|(known, _)| known == name);
        found.map(|(_, bytes)| (heading, words, bytes.as_slice()))
    };
    let maps = [
        picture("placements.png", "Places", "All places that were looked at"),
        picture("map_placed.png", "Path map", "At the best place: points across, rotation of the tool up"),
    ];
    report(&Reported {
        title,
        verdict: &answer.sentence(),
        good: best.map(|_| true),
        sections: vec![("Places".to_owned(), shown(&answer.facts()))],
        maps: maps.into_iter().flatten().collect(),
        scene: best.map(|best| &best.scene),
        motions,
        clearance,
    })
}

/// Facts as a report has them.
fn shown(facts: &[Fact]) -> Vec<(String, String)> {
    facts.iter().map(|fact| (fact.name.clone(), fact.value.clone())).collect()
}
