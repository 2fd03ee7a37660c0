//! The report of a plan.

use super::Asked;
use super::answer::Answer;
use super::work::Done;
use kansho::cell::JointMotion;
use kansho::io::planned::Fact;
use kansho::plan::cam::{Planned, PlannedRun};
use kansho_viewer::{NamedMotion, Reported, report};

/// One file with everything in it; `map` is the picture of the map.
pub(super) fn page(asked: &Asked, done: &Done, answer: &Answer, map: &[u8]) -> Vec<u8> {
    let facts =
        |facts: &Vec<Fact>| facts.iter().map(|fact| (fact.name.clone(), fact.value.clone())).collect();
    let sections = answer.sections.iter().map(|(heading, of)| ((*heading).to_owned(), facts(of))).collect();
    let (motions, clearance) = match &done.planned {
        Planned::Path(path) => {
            let many = path.runs.len() > 1;
            let named = |(k, run): (usize, &PlannedRun)| {
                let name = if many { format!("path {}", k + 1) } else { "path".to_owned() };
                Some(NamedMotion { name, motion: joints(run)?, margin: 0.0 })
            };
            let motions = path.runs.iter().enumerate().filter_map(named).collect();
            (motions, Some(path.clearance))
        }
        Planned::NoPath(_) | Planned::Undecided(_) => (Vec::new(), None),
    };
    report(&Reported {
        title: &asked.title,
        verdict: &answer.verdict,
        good: match &done.planned {
            Planned::Path(_) => Some(true),
            Planned::NoPath(_) => Some(false),
            Planned::Undecided(_) => None,
        },
        sections,
        map,
        scene: &done.scene,
        motions,
        clearance,
    })
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
