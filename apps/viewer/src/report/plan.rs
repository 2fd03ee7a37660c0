//! The reports of a plan, and of a search for a place.

use super::{Reported, report};
use crate::{NamedMotion, TimeBase};
use kansho::ask::plan::{Places, PlacesAnswer, PlanAnswer};
use kansho::check::motion::{MotionScene, RouteScene};
use kansho::check::scene::Scene;
use kansho::fact::Fact;
use kansho::plan::cam::{Planned, PlannedRun, ProvenWay};

/// One file with everything in it; `map` is the picture of the map.
#[must_use]
pub fn plan_report(
    title: &str,
    answer: &PlanAnswer,
    done: &kansho::ask::plan::Planned<'_>,
    map: &[u8],
) -> Vec<u8> {
    let (motions, clearance) = motions_of(&done.work.planned, done.scene);
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
        best.map_or((Vec::new(), None), |best| motions_of(&best.work.planned, &best.scene));
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

/// The runs of a path in their scene, and a bound below all gaps. A run that leads the tool is there once for each law by which it was proven, as
/// `kansho view` shows it.
fn motions_of(planned: &Planned, scene: &Scene) -> (Vec<NamedMotion>, Option<f64>) {
    let Planned::Path(path) = planned else { return (Vec::new(), None) };
    let many = path.runs.len() > 1;
    let prepared = MotionScene::new(scene);
    let of_way = |name: &str, way: &ProvenWay, alone: bool| {
        let led = RouteScene::new(&prepared, way.route.tip()).ok()?;
        let (motion, margin) = led.shown(&way.route).ok()?;
        let name = if alone { name.to_owned() } else { format!("{name}, {}", way.law) };
        Some(NamedMotion { name, motion, margin, times: TimeBase::Unknown })
    };
    let named = |(k, run): (usize, &PlannedRun)| {
        let name = if many { format!("path {}", k + 1) } else { "path".to_owned() };
        match run {
            PlannedRun::Joints(motion) => {
                vec![NamedMotion { name, motion: motion.clone(), margin: 0.0, times: TimeBase::Unknown }]
            }
            PlannedRun::Tool { ways, .. } => {
                ways.iter().filter_map(|way| of_way(&name, way, ways.len() == 1)).collect()
            }
        }
    };
    (path.runs.iter().enumerate().flat_map(named).collect(), Some(path.clearance))
}
