//! Answers about postures, one after the other.

use super::engine::{Engine, Looked};
use kansho_cell::{BodyId, Coordinate, Follower, Limits, Quantity};
use kansho_check::approach::{self, Approach};
use kansho_check::rough::RoughScene;
use kansho_check::scene::{PairId, Scene};
use kansho_geom::spheres::CoverFault;
use kansho_geom::tolerance::COORDINATE_LIMIT;
use kansho_io::live::LivePosture;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

/// What is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct WatchOptions {
    /// Look at spheres of this radius around the meshes, in metres, instead of the meshes.
    pub spheres: Option<f64>,
}

/// Watches a cell, posture by posture. What it knows of one helps with the next.
pub struct Watch {
    scene: Arc<Scene>,
    engine: Engine,
    accuracy: Option<f64>,
    pairs: Vec<String>,
    coordinates: Vec<String>,
    /// Names of joints that follow others, in the cell's order.
    followers: Vec<String>,
    unlimited: Vec<usize>,
    courses: Vec<Course>,
    before: Option<Before>,
    ahead: Vec<f64>,
}

/// How a coordinate may go on.
struct Course {
    /// It comes round again after a whole turn.
    endless: bool,
    range: Limits,
}

impl Course {
    fn of(coordinate: &Coordinate) -> Self {
        let anywhere = Limits { lower: -COORDINATE_LIMIT, upper: COORDINATE_LIMIT };
        let endless = coordinate.quantity == Quantity::Angle && coordinate.limits.is_none();
        Self { endless, range: coordinate.limits.unwrap_or(anywhere) }
    }

    /// Where it is after so many more steps like the last. At its limit it stays, unless it is already beyond.
    fn after(&self, before: f64, now: f64, steps: f64) -> f64 {
        let step = now - before;
        let turns = if self.endless { (step / TAU).round() } else { 0.0 };
        (now + (step - turns * TAU) * steps).clamp(self.range.lower.min(now), self.range.upper.max(now))
    }
}

/// The posture before.
struct Before {
    posture: Vec<f64>,
    time: Option<f64>,
    arrived: Instant,
    gap: f64,
}

/// What is known of a posture.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WatchAnswer<'a> {
    /// Which line it belongs to, from 1.
    pub line: u64,
    /// What the line calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub id: Option<&'a RawValue>,
    /// The least gap, in metres; null if nothing can touch.
    pub gap: Option<f64>,
    /// Whether something touches.
    pub hit: bool,
    /// Between which bodies.
    pub pair: Option<&'a str>,
    /// A point on each of the two, in the world.
    pub points: Option<[[f64; 3]; 2]>,
    /// Proven: whatever the joints do within their limits of speed, nothing touches sooner, in seconds; null if never.
    pub time_to_contact: Option<f64>,
    /// Not proven: when it would touch if the joints went on as they do now, in seconds.
    pub estimate: Option<f64>,
    /// Coordinates outside their limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<&'a str>,
    /// Microseconds from the line in to this answer.
    pub latency_us: f64,
    /// Lines that were dropped before this one.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// The two bodies.
    #[serde(skip)]
    pub bodies: Option<[BodyId; 2]>,
}

/// A line that is no posture.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WrongLine<'a> {
    /// Which, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub error: &'a str,
    /// Lines that were dropped before it.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

/// A line that was read.
#[derive(Clone, Copy, Debug)]
pub struct WatchedLine<'a> {
    /// Its number, from 1.
    pub line: u64,
    /// When it was read.
    pub arrived: Instant,
    /// The posture that it holds.
    pub said: &'a LivePosture,
    /// Lines that were dropped before it.
    pub dropped: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Watch {
    /// Prepares to watch a cell, on all threads of the current pool.
    ///
    /// # Errors
    /// Its meshes cannot be covered by spheres of the radius that was asked for.
    pub fn new(scene: Arc<Scene>, options: &WatchOptions) -> Result<Self, CoverFault> {
        let cell = scene.cell();
        let approach = Approach::new(cell);
        let unlimited = approach.unlimited().collect();
        let (engine, accuracy) = match options.spheres {
            None => (Engine::exact(Arc::clone(&scene), approach), None),
            Some(radius) => {
                let rough = RoughScene::new(Arc::clone(&scene), radius)?;
                let accuracy = rough.accuracy();
                (Engine::rough(Arc::new(rough), approach), Some(accuracy))
            }
        };
        Ok(Self {
            pairs: (0..cell.pairs().checked().len() as u32).map(|k| scene.pair_name(PairId(k))).collect(),
            coordinates: cell.coordinates().iter().map(Coordinate::full_name).collect(),
            followers: cell.followers().iter().map(Follower::full_name).collect(),
            courses: cell.coordinates().iter().map(Course::of).collect(),
            unlimited,
            accuracy,
            engine,
            scene: Arc::clone(&scene),
            before: None,
            ahead: Vec::new(),
        })
    }

    /// What users must know of the answers: how rough gaps are, and which joints have no limit of speed.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        /// Names that are listed.
        const NAMED: usize = 6;
        let mut notes = Vec::new();
        match self.accuracy {
            None => {}
            Some(0.0) => notes.push(
                "no body that is checked is a mesh, so that none has spheres: gaps are those of the shapes"
                    .into(),
            ),
            Some(most) => notes.push(format!("gaps are rough, too small by at most {:.3} mm", 1e3 * most)),
        }
        if !self.unlimited.is_empty() {
            let some = self.unlimited.iter().take(NAMED);
            let names: Vec<String> = some.map(|index| format!("\"{}\"", self.coordinates[*index])).collect();
            let more = if self.unlimited.len() > NAMED { ", ..." } else { "" };
            notes.push(format!(
                "without a limit of speed, what a joint moves can be anywhere at once, and time_to_contact is 0: {}{more}",
                names.join(", ")
            ));
        }
        notes
    }

    /// Somebody else sends postures now: what was before is not theirs.
    pub fn forget(&mut self) {
        self.before = None;
    }

    /// What is known of a posture.
    pub fn answer<'a>(&'a mut self, line: &WatchedLine<'a>) -> WatchAnswer<'a> {
        let WatchedLine { line, arrived, said: LivePosture { posture, time, id }, dropped } = *line;
        let Looked { nearest, time_to_contact } = self.engine.look(posture);
        let gap = nearest.map_or(f64::INFINITY, |nearest| nearest.gap);
        let estimate = self.estimate(posture, *time, arrived, gap);
        self.before = Some(Before { posture: posture.clone(), time: *time, arrived, gap });
        let cell = self.scene.cell();
        let coordinates = cell.outside_limits(posture).map(|index| self.coordinates[index].as_str());
        let is_outside = |(_, follower): &(&String, &Follower)| {
            follower.is_outside(follower.value(posture[follower.coordinate]))
        };
        let followers = self.followers.iter().zip(cell.followers()).filter(is_outside);
        WatchAnswer {
            line,
            id: id.as_deref().and_then(|id| serde_json::from_str(id).ok()),
            gap: nearest.map(|nearest| nearest.gap),
            hit: gap == 0.0,
            pair: nearest.map(|nearest| self.pairs[nearest.pair.0 as usize].as_str()),
            points: nearest.map(|nearest| nearest.points),
            time_to_contact: time_to_contact.is_finite().then_some(time_to_contact),
            estimate,
            outside: coordinates.chain(followers.map(|(name, _)| name.as_str())).collect(),
            latency_us: arrived.elapsed().as_nanos() as f64 / 1e3,
            dropped,
            bodies: nearest.map(|nearest| self.scene.bodies(nearest.pair)),
        }
    }

    /// When something would touch if all went on as between the last posture and this one.
    fn estimate(&mut self, posture: &[f64], time: Option<f64>, arrived: Instant, gap: f64) -> Option<f64> {
        if gap == 0.0 {
            return Some(0.0);
        }
        let Self { engine, before, courses, ahead, .. } = self;
        let before = before.as_ref()?;
        let seconds = match (before.time, time) {
            (Some(before), Some(now)) => now - before,
            _ => arrived.duration_since(before.arrived).as_secs_f64(),
        };
        if !(seconds > 0.0) {
            return None;
        }
        let closing = (before.gap - gap) / seconds;
        approach::estimate(gap, closing, |after| {
            ahead.clear();
            let values = before.posture.iter().zip(posture).zip(courses.iter());
            ahead.extend(values.map(|((before, now), course)| course.after(*before, *now, after / seconds)));
            engine.gap(ahead)
        })
    }
}
