//! What there is to show to people: the motions of files and plans, with their times and the gaps along them.

mod files;
mod gaps;
mod place;
mod times;

pub use files::{ShownFiles, shown_files};
pub use gaps::{EnclosedGaps, NearestPair, nearest_motion, nearest_pairs};
pub use times::TimeBase;

use kansho_cell::route::{Law, MoveNumber, Route};
use kansho_cell::{Cell, JointMotion};
use kansho_check::motion::{MotionScene, RouteScene};
use kansho_check::scene::Scene;
use kansho_io::motion_file::Moved;
use kansho_io::{Fault, ReadError};
use kansho_plan::cam::{Planned, PlannedRun, ProvenWay};
use std::path::Path;
use std::sync::Arc;

/// A motion and what people call it.
#[derive(Clone, Debug)]
pub struct NamedMotion {
    /// Its name.
    pub name: String,
    /// The motion.
    pub motion: JointMotion,
    /// By how much bodies may be off it relative to each other, in metres: not zero where joints follow from a curve of the tool.
    pub margin: f64,
    /// How long it takes, where something says so.
    pub times: TimeBase,
}

impl NamedMotion {
    /// What was read of a file, to be shown: one motion, or one for each way in which a tool may turn. `path` is what faults call it.
    ///
    /// # Errors
    /// Where the tool cannot be led on.
    pub fn of(name: &str, moved: &Moved, cell: &Cell, path: &Path) -> Result<Vec<Self>, ReadError> {
        let routes = match moved {
            Moved::Joints(motion) => {
                let (name, motion) = (name.to_owned(), motion.clone());
                return Ok(vec![Self { name, motion, margin: 0.0, times: TimeBase::Unknown }]);
            }
            Moved::Tool(routes) => routes,
        };
        let refuse = |fault: Fault| ReadError { path: path.to_owned(), faults: vec![fault] };
        let scene = Scene::new(Arc::new(cell.clone()));
        let prepared = MotionScene::new(&scene);
        let one = |(law, route): &(Law, Route)| {
            let led = RouteScene::new(&prepared, route.tip())
                .map_err(|fault| refuse(Fault::of_file(fault.to_string())))?;
            let (motion, margin) = led.shown(route).map_err(|stopped| {
                refuse(Fault::of_part(
                    format!("move {}", MoveNumber::of_move(stopped.of_move)),
                    stopped.words(cell, *law),
                ))
            })?;
            let name = if routes.len() > 1 { format!("{name}, {law}") } else { name.to_owned() };
            Ok(Self { name, motion, margin, times: TimeBase::Unknown })
        };
        routes.iter().map(one).collect()
    }
}

/// The motions of a path that was planned in a scene, and a bound below all gaps. A run that leads the tool is there once for each
/// orientation interpolation by which it was proven.
#[must_use]
pub fn motions_of_path(planned: &Planned, scene: &Scene) -> (Vec<NamedMotion>, Option<f64>) {
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
