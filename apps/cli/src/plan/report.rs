//! The report of a search for a place.

use super::Asked;
use super::place::Places;
use kansho_viewer::{Reported, motions_of, report, told};

/// With the pictures among its files; the cell is shown where it was found to be best.
pub(super) fn of_places(asked: &Asked, places: &Places, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let best = places.best.as_ref().map(|(_, _, _, done)| done);
    let (motions, clearance) = best.map_or((Vec::new(), None), |done| motions_of(&done.planned, &done.scene));
    let picture = |name: &str, heading, words| {
        let found = files.iter().find(|(known, _)| known == name);
        found.map(|(_, bytes)| (heading, words, bytes.as_slice()))
    };
    let maps = [
        picture("placements.png", "Places", "All places that were looked at"),
        picture("map_placed.png", "Path map", "At the best place: points across, rotation of the tool up"),
    ];
    report(&Reported {
        title: &asked.title,
        verdict: &places.verdict(),
        good: best.map(|_| true),
        sections: vec![("Places".to_owned(), told(&places.facts()))],
        maps: maps.into_iter().flatten().collect(),
        scene: best.map(|done| &done.scene),
        motions,
        clearance,
    })
}
