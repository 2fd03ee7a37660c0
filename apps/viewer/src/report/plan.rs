//! The report of a plan.

use super::{Reported, report};
use crate::NamedMotion;
use kansho::cell::JointMotion;
use kansho::check::scene::Scene;
use kansho::io::planned::Fact;
use kansho::plan::cam::{Planned, PlannedRun};

/// One file with everything in it; `map` is the picture of the map.
#[must_use]
pub fn plan_report(
    title: &str,
    verdict: &str,
    sections: &[(&str, Vec<Fact>)],
    planned: &Planned,
    scene: &Scene,
    map: &[u8],
) -> Vec<u8> {
    let (motions, clearance) = motions_of(planned);
    report(&Reported {
        title,
        verdict,
        good: match planned {
            Planned::Path(_) => Some(true),
            Planned::NoPath(_) => Some(false),
            Planned::Undecided(_) => None,
        },
        sections: sections.iter().map(|(heading, of)| ((*heading).to_owned(), told(of))).collect(),
        maps: vec![("Path map", "Points across, rotation of the tool up", map)],
        scene: Some(scene),
        motions,
        clearance,
    })
}

/// Facts as a report has them.
#[must_use]
pub fn told(facts: &[Fact]) -> Vec<(String, String)> {
    facts.iter().map(|fact| (fact.name.clone(), fact.value.clone())).collect()
}

/// The runs of a path, and a bound below all gaps.
#[must_use]
pub fn motions_of(planned: &Planned) -> (Vec<NamedMotion>, Option<f64>) {
    let Planned::Path(path) = planned else { return (Vec::new(), None) };
    let many = path.runs.len() > 1;
    let named = |(k, run): (usize, &PlannedRun)| {
        let name = if many { format!("path {}", k + 1) } else { "path".to_owned() };
        Some(NamedMotion { name, motion: joints(run)?, margin: 0.0 })
    };
    (path.runs.iter().enumerate().filter_map(named).collect(), Some(path.clearance))
}

/// The joints of a run; of lines of the tool those of the cubics that it was proven with, by the first law, for the eye.
fn joints(run: &PlannedRun) -> Option<JointMotion> {
    match run {
        PlannedRun::Joints(motion) => Some(motion.clone()),
        PlannedRun::Tool { ways, .. } => {
            let pieces = &ways.first()?.pieces;
            JointMotion::of_pieces(pieces.iter().map(|piece| piece.piece.clone()).collect())
        }
    }
}
