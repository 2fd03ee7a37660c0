//! The report of a plan.

use super::{Reported, report};
use crate::{NamedMotion, TimeBase};
use kansho::check::motion::{MotionScene, RouteScene};
use kansho::check::scene::Scene;
use kansho::io::plan_files::Fact;
use kansho::plan::cam::{Planned, PlannedRun, ProvenWay};

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
    let (motions, clearance) = motions_of(planned, scene);
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

/// The runs of a path in their scene, and a bound below all gaps. A run that leads the tool is there once for each law by which it was proven, as
/// `kansho view` shows it.
#[must_use]
pub fn motions_of(planned: &Planned, scene: &Scene) -> (Vec<NamedMotion>, Option<f64>) {
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
