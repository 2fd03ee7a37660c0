//! The report of a plan.

use super::Asked;
use super::answer::Answer;
use super::place::Places;
use super::work::Done;
use kansho::cell::JointMotion;
use kansho::io::planned::Fact;
use kansho::plan::cam::{Planned, PlannedRun};
use kansho_viewer::{NamedMotion, Reported, report};

/// One file with everything in it; `map` is the picture of the map.
pub(super) fn page(asked: &Asked, done: &Done, answer: &Answer, map: &[u8]) -> Vec<u8> {
    let sections = answer.sections.iter().map(|(heading, of)| ((*heading).to_owned(), told(of))).collect();
    let (motions, clearance) = of_path(&done.planned);
    report(&Reported {
        title: &asked.title,
        verdict: &answer.verdict,
        good: match &done.planned {
            Planned::Path(_) => Some(true),
            Planned::NoPath(_) => Some(false),
            Planned::Undecided(_) => None,
        },
        sections,
        maps: vec![("Path map", "Points across, rotation of the tool up", map)],
        scene: Some(&done.scene),
        motions,
        clearance,
    })
}

/// The report of a search for a place, with the pictures among its files; the cell is shown where it was found to be best.
pub(super) fn of_places(asked: &Asked, places: &Places, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let best = places.best.as_ref().map(|(_, _, _, done)| done);
    let (motions, clearance) = best.map_or((Vec::new(), None), |done| of_path(&done.planned));
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

fn told(facts: &[Fact]) -> Vec<(String, String)> {
    facts.iter().map(|fact| (fact.name.clone(), fact.value.clone())).collect()
}

/// The runs of a path, and a bound below all gaps.
fn of_path(planned: &Planned) -> (Vec<NamedMotion>, Option<f64>) {
    let Planned::Path(path) = planned else { return (Vec::new(), None) };
    let many = path.runs.len() > 1;
    let named = |(k, run): (usize, &PlannedRun)| {
        let name = if many { format!("path {}", k + 1) } else { "path".to_owned() };
        Some(NamedMotion { name, motion: joints(run)?, margin: 0.0 })
    };
    (path.runs.iter().enumerate().filter_map(named).collect(), Some(path.clearance))
}

/// The joints of a run; of lines of the tool those of the cubics that it was proven with, for the eye.
fn joints(run: &PlannedRun) -> Option<JointMotion> {
    match run {
        PlannedRun::Joints(motion) => Some(motion.clone()),
        PlannedRun::Tool { pieces, .. } => {
            JointMotion::of_pieces(pieces.iter().map(|piece| piece.piece.clone()).collect())
        }
    }
}
