use super::engine::{Engine, Found};
use kansho::cell::{Coordinate, Limits, Quantity};
use kansho::check::approach;
use kansho::check::scene::Scene;
use kansho::geom::tolerance::COORDINATE_LIMIT;
use kansho::io::live::LivePosture;
use kansho_viewer::{Live, Tick};
use serde::Serialize;
use serde_json::value::RawValue;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

/// How a line was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Wrong,
    Free,
    Touches,
}

/// What is kept from one posture to the next.
pub(super) struct Watch {
    scene: Arc<Scene>,
    engine: Engine,
    pairs: Vec<String>,
    coordinates: Vec<String>,
    courses: Vec<Course>,
    before: Option<Before>,
    ahead: Vec<f64>,
    /// Who shows it, and when that began.
    live: Option<(Arc<Live>, Instant)>,
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

#[derive(Serialize)]
struct Answer<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    gap: Option<f64>,
    hit: bool,
    pair: Option<&'a str>,
    points: Option<[[f64; 3]; 2]>,
    time_to_contact: Option<f64>,
    estimate: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outside: Vec<&'a str>,
    latency_us: f64,
    #[serde(skip_serializing_if = "is_zero")]
    dropped: u64,
}

#[derive(Serialize)]
struct Wrong<'a> {
    line: u64,
    error: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    dropped: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Watch {
    pub(super) fn new(scene: Arc<Scene>, engine: Engine, live: Option<Arc<Live>>) -> Self {
        let cell = scene.cell();
        let pairs = (0..cell.pairs().checked().len() as u32)
            .map(|pair| scene.pair_name(kansho::check::scene::PairId(pair)))
            .collect();
        let coordinates = cell.coordinates().iter().map(|c| c.full_name()).collect();
        let courses = cell.coordinates().iter().map(Course::of).collect();
        Self {
            scene,
            engine,
            pairs,
            coordinates,
            courses,
            before: None,
            ahead: Vec::new(),
            live: live.map(|live| (live, Instant::now())),
        }
    }

    /// Somebody else sends postures now: what was before is not theirs.
    pub(super) fn forget(&mut self) {
        self.before = None;
    }

    /// Writes the answer to a line as JSON.
    pub(super) fn answer(
        &mut self,
        line: u64,
        arrived: Instant,
        said: &Result<LivePosture, String>,
        dropped: u64,
        text: &mut Vec<u8>,
    ) -> Outcome {
        let LivePosture { posture, time, id } = match said {
            Ok(live) => live,
            Err(error) => {
                serde_json::to_writer(text, &Wrong { line, error, dropped })
                    .expect("writing to memory succeeds");
                return Outcome::Wrong;
            }
        };
        let Found { nearest, time_to_contact } = self.engine.look(posture);
        let gap = nearest.map_or(f64::INFINITY, |nearest| nearest.gap);
        let estimate = self.estimate(posture, *time, arrived, gap);
        self.before = Some(Before { posture: posture.clone(), time: *time, arrived, gap });
        let outside = self.scene.cell().outside_limits(posture);
        let answer = Answer {
            line,
            id: id.as_deref().and_then(|id| serde_json::from_str(id).ok()),
            gap: nearest.map(|nearest| nearest.gap),
            hit: gap == 0.0,
            pair: nearest.map(|nearest| self.pairs[nearest.pair.0 as usize].as_str()),
            points: nearest.map(|nearest| nearest.points),
            time_to_contact: time_to_contact.is_finite().then_some(time_to_contact),
            estimate,
            outside: outside.map(|index| self.coordinates[index].as_str()).collect(),
            latency_us: arrived.elapsed().as_nanos() as f64 / 1e3,
            dropped,
        };
        serde_json::to_writer(text, &answer).expect("writing to memory succeeds");
        if let Some((live, began)) = &self.live {
            live.tell(Tick {
                line,
                seconds: arrived.saturating_duration_since(*began).as_secs_f64(),
                posture: posture.clone(),
                gap: answer.gap,
                bodies: nearest.map(|nearest| self.scene.bodies(nearest.pair).map(|body| body.0)),
                points: answer.points,
                time_to_contact: answer.time_to_contact,
                estimate,
                dropped,
            });
        }
        if answer.hit { Outcome::Touches } else { Outcome::Free }
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
