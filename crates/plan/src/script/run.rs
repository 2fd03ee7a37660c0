//! Moves one after the other: ways are found, then proven.

use super::answer::{Answer, ContactAt, Leg, MoveAnswer, Sample, Status, texts};
use super::freedom::freedoms;
use super::go::Wish;
use super::line::{middle_of, nearest_to};
use super::resolved::{About, Move, Script, Toward, Until, Verb};
use super::touch::{Closed, Equation, Touch, World};
use kansho_check::sliding_contact::SlidingMotion;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// How long to look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// When to stop; what is not decided by then is undecided.
    pub deadline: Option<Instant>,
    /// Set by others when nobody waits for the answer any more: it is undecided then.
    pub stop: Option<&'a AtomicBool>,
}

/// Kept contacts may leave their equations by this fraction of the size on the way.
pub const DRIFT: f64 = 1e-9;

/// What is left of a direction after kept contacts took their share, if it is less than this, is nothing.
const NO_ROOM: f64 = 1e-6;

/// Does what a script says, as far as it goes. Nothing that is not proven counts as reached.
#[must_use]
pub fn run(script: &Script, options: &Options<'_>) -> Answer {
    let mut runner = Runner::new(script, *options);
    let mut steps = Vec::new();
    if let Some(block) = runner.inside_at_start() {
        let line = script.moves.first().map_or(0, |m| m.line);
        steps.push(runner.step(
            0,
            line,
            "start",
            Done { status: Status::Blocked(Box::new(block)), ..Done::default() },
        ));
        return Answer { start: script.start, steps, drift: 0.0 };
    }
    for (number, todo) in script.moves.iter().enumerate() {
        let before = runner.pose;
        let done = runner.perform(todo);
        // Ways that were only tried are not gone.
        runner.pose = done.legs.last().map_or(before, |leg| leg.way.to());
        let step = runner.step(number, todo.line, word(&todo.verb), done);
        let goes_on = step.status == Status::Reached;
        steps.push(step);
        if !goes_on {
            break;
        }
    }
    Answer { start: script.start, steps, drift: runner.drift }
}

fn word(verb: &Verb) -> &'static str {
    match verb {
        Verb::Approach(_) => "approach",
        Verb::Slide(_) => "slide",
        Verb::Rotate { .. } => "rotate",
        Verb::Place { .. } => "place",
        Verb::Follow(_) => "follow",
    }
}

/// What a move came to.
pub(super) struct Done {
    pub(super) legs: Vec<Leg>,
    pub(super) status: Status,
    pub(super) samples: Vec<Sample>,
}

impl Default for Done {
    fn default() -> Self {
        Self { legs: Vec::new(), status: Status::Reached, samples: Vec::new() }
    }
}

impl Done {
    pub(super) fn ended(legs: Vec<Leg>, status: Status) -> Self {
        Self { legs, status, samples: Vec::new() }
    }
}

pub(super) struct Runner<'a> {
    pub(super) script: &'a Script,
    pub(super) options: Options<'a>,
    pub(super) world: World<'a>,
    pub(super) pose: Pose,
    /// Of the moved body.
    pub(super) size: f64,
    /// Nothing is farther than this.
    pub(super) reach: f64,
    pub(super) drift: f64,
}

impl<'a> Runner<'a> {
    fn new(script: &'a Script, options: Options<'a>) -> Self {
        let world = World { moved: &script.moved, fixed: &script.fixed, tolerance: script.tolerance };
        let size = script.moved.size();
        let all = script.fixed.iter().map(|body| body.mesh().aabb());
        let far = all
            .map(|aabb| (aabb.centre() - script.start.translation()).length() + aabb.diagonal())
            .fold(size, f64::max);
        Self { script, options, world, pose: script.start, size, reach: 2.0 * (far + size), drift: 0.0 }
    }

    fn perform(&mut self, todo: &Move) -> Done {
        for &k in &todo.keep {
            if !matches!(todo.verb, Verb::Follow(_))
                && self.world.closed(&self.script.touches[k], self.pose).is_none()
            {
                let what = format!(
                    "\"{}\" cannot be kept: it does not touch when the move begins",
                    self.script.touches[k].text
                );
                return Done::ended(Vec::new(), Status::Contradiction { what });
            }
        }
        if todo.level && matches!(todo.verb, Verb::Rotate { .. }) {
            let what = "\"level\" cannot be kept by a rotate".to_owned();
            return Done::ended(Vec::new(), Status::Contradiction { what });
        }
        let mut legs = Vec::new();
        if let Err(status) = self.settle(todo, &todo.keep, &mut legs) {
            return Done::ended(legs, status);
        }
        let mut done = match &todo.verb {
            Verb::Approach(toward) => self.approach(todo, *toward),
            Verb::Slide(toward) => self.slide(todo, *toward),
            Verb::Rotate { about, sense } => self.rotate(todo, *about, *sense),
            Verb::Place { toward, partly } => self.place(todo, *toward, *partly),
            Verb::Follow(path) => self.follow(todo, path),
        };
        legs.append(&mut done.legs);
        done.legs = legs;
        if let (Status::Reached, Until::Touching(until)) = (&done.status, &todo.until) {
            self.pose = done.legs.last().map_or(self.pose, |leg| leg.way.to());
            let all: Vec<usize> = todo.keep.iter().chain(until).copied().collect();
            done.status = self.settle(todo, &all, &mut done.legs).err().unwrap_or(Status::Reached);
        }
        done
    }

    /// Goes straight to where contacts that are closed within the tolerance are so exactly, if that is what a straight way can do: a start is rough.
    fn settle(&mut self, todo: &Move, contacts: &[usize], legs: &mut Vec<Leg>) -> Result<(), Status> {
        let closed: Vec<Closed> =
            contacts.iter().filter_map(|&k| self.world.closed(&self.script.touches[k], self.pose)).collect();
        let equations: Vec<Equation> = closed.iter().flat_map(|closed| closed.equations.clone()).collect();
        let off = |by: DVec3| {
            let way = SlidingMotion::Straight { from: self.pose, by };
            equations.iter().map(|equation| equation.wave(&way).at(1.0).abs()).fold(0.0, f64::max)
        };
        if !(off(DVec3::ZERO) > 0.1 * DRIFT * self.size) {
            return Ok(());
        }
        let (mut by, mut basis): (DVec3, Vec<DVec3>) = (DVec3::ZERO, Vec::new());
        for equation in &equations {
            let along = |by: DVec3| equation.wave(&SlidingMotion::Straight { from: self.pose, by });
            let slopes = DVec3::from_array(DVec3::AXES.map(|axis| along(axis).slope));
            let left = basis.iter().fold(slopes, |left, known| left - *known * known.dot(left));
            if left.length() > NO_ROOM {
                by -= left * (along(by).at(1.0) / left.length_squared());
                basis.push(left.normalize());
            }
        }
        if !(off(by) <= 0.1 * DRIFT * self.size) {
            return Ok(());
        }
        let may = self.may(todo, contacts);
        let way = SlidingMotion::Straight { from: self.pose, by };
        self.go(&Wish { word: "settle", way, keep: &[], may: &may }, legs)
    }

    fn step(&self, number: usize, line: u32, verb: &'static str, done: Done) -> MoveAnswer {
        let pose = self.pose;
        let closed = self.closed_at(pose);
        let all: Vec<Closed> = closed.iter().map(|(_, closed)| closed.clone()).collect();
        MoveAnswer {
            number,
            line,
            verb,
            legs: done.legs,
            pose,
            contacts: closed
                .into_iter()
                .map(|(touch, closed)| ContactAt { touch, points: closed.points })
                .collect(),
            freedoms: freedoms(&all, pose, self.size),
            status: done.status,
            samples: done.samples,
        }
    }

    /// All contacts of the script that are closed in a pose.
    pub(super) fn closed_at(&self, pose: Pose) -> Vec<(usize, Closed)> {
        let touches = self.script.touches.iter().enumerate();
        touches.filter_map(|(k, touch)| Some((k, self.world.closed(touch, pose)?))).collect()
    }

    /// The direction of a move, as far as kept contacts allow it.
    pub(super) fn direction(&self, toward: Toward, todo: &Move) -> Result<DVec3, Status> {
        let wanted = match toward {
            Toward::Along(d) => d,
            Toward::Feature { body, feature } => {
                let from = match &todo.until {
                    Until::Touching(until) if !until.is_empty() => {
                        let member =
                            &self.script.moved.features[self.script.touches[until[0]].moved].members[0];
                        self.pose * middle_of(member)
                    }
                    _ => self.pose * self.script.grasp,
                };
                let members = &self.script.fixed[body].features[feature].members;
                nearest_to(members, from) - from
            }
        };
        let mut left = wanted.normalize_or_zero();
        for n in self.normals(&todo.keep) {
            left -= n * n.dot(left);
        }
        if !(left.length() > NO_ROOM) {
            let what = if todo.keep.is_empty() {
                "there is no direction to go".to_owned()
            } else {
                let kept = texts(&self.script.touches, &todo.keep);
                format!("{kept} cannot be kept: that leaves no room to go that way")
            };
            return Err(Status::Contradiction { what });
        }
        Ok(left.normalize())
    }

    /// Directions in which kept contacts leave no room, orthonormal.
    fn normals(&self, keep: &[usize]) -> Vec<DVec3> {
        let mut found: Vec<DVec3> = Vec::new();
        for &k in keep {
            let Some(closed) = self.world.closed(&self.script.touches[k], self.pose) else { continue };
            for equation in &closed.equations {
                let mut n = equation.row(self.pose)[1];
                for known in &found {
                    n -= *known * known.dot(n);
                }
                if n.length() > NO_ROOM {
                    found.push(n.normalize());
                }
            }
        }
        found
    }

    fn approach(&mut self, todo: &Move, toward: Toward) -> Done {
        let mut legs = Vec::new();
        if let Err(status) = self.orient(todo, &mut legs) {
            return Done::ended(legs, status);
        }
        let direction = match self.direction(toward, todo) {
            Ok(direction) => direction,
            Err(status) => return Done::ended(legs, status),
        };
        self.straight(todo, "approach", direction, legs)
    }

    fn slide(&mut self, todo: &Move, toward: Toward) -> Done {
        match self.direction(toward, todo) {
            Ok(direction) => self.straight(todo, "slide", direction, Vec::new()),
            Err(status) => Done::ended(Vec::new(), status),
        }
    }

    fn straight(&mut self, todo: &Move, word: &'static str, direction: DVec3, mut legs: Vec<Leg>) -> Done {
        let unit = SlidingMotion::Straight { from: self.pose, by: direction };
        let (length, until) = match &todo.until {
            Until::By(length) => (Some(*length), Vec::new()),
            Until::Touching(until) => (self.first_of(until, &unit, self.reach), until.clone()),
            Until::End => (None, Vec::new()),
        };
        let way = SlidingMotion::Straight { from: self.pose, by: direction * length.unwrap_or(self.reach) };
        let may = self.may(todo, &until);
        let wish = Wish { word, way, keep: &todo.keep, may: &may };
        let outcome = self.go(&wish, &mut legs);
        let status = match (length, outcome) {
            // Whatever stops it first on the way to nowhere is what it meets.
            (None, Ok(())) => {
                legs.pop();
                self.no_contact(&until, "on a straight way")
            }
            (_, Err(status)) => status,
            (Some(_), Ok(())) => self.are_closed(&until, word),
        };
        Done::ended(legs, status)
    }

    fn rotate(&mut self, todo: &Move, about: About, sense: Option<f64>) -> Done {
        let (point, axis) = match self.line(about) {
            Ok(line) => line,
            Err(status) => return Done::ended(Vec::new(), status),
        };
        let most = if sense.is_some() { std::f64::consts::TAU } else { std::f64::consts::PI };
        let senses = match (sense, &todo.until) {
            (Some(sense), _) => vec![sense],
            (None, Until::By(_)) => vec![1.0],
            (None, _) => vec![1.0, -1.0],
        };
        let mut tried: Vec<Done> = Vec::new();
        for sense in senses {
            let axis = axis * sense;
            let unit = SlidingMotion::Turn { from: self.pose, point, axis, angle: 1.0 };
            let (angle, until) = match &todo.until {
                Until::By(angle) => (Some(*angle), Vec::new()),
                Until::Touching(until) => (self.first_of(until, &unit, most), until.clone()),
                Until::End => (None, Vec::new()),
            };
            let way = SlidingMotion::Turn { from: self.pose, point, axis, angle: angle.unwrap_or(most) };
            let may = self.may(todo, &until);
            let (before, drift) = (self.pose, self.drift);
            let mut legs = Vec::new();
            let outcome = self.go(&Wish { word: "turn", way, keep: &todo.keep, may: &may }, &mut legs);
            let status = match (angle, outcome) {
                (None, Ok(())) => {
                    legs.clear();
                    self.no_contact(&until, "on a turn")
                }
                (_, Err(status)) => status,
                (Some(_), Ok(())) => self.are_closed(&until, "turn"),
            };
            self.pose = before;
            if status != Status::Reached {
                self.drift = drift;
            }
            tried.push(Done::ended(legs, status));
        }
        // Whether there is one answer is not known before both ways round are.
        let late = tried.iter().position(|done| matches!(done.status, Status::Undecided { .. }));
        if let Some(late) = late {
            return Done::ended(Vec::new(), tried.swap_remove(late).status);
        }
        let reached: Vec<usize> = (0..tried.len()).filter(|&k| tried[k].status == Status::Reached).collect();
        match reached[..] {
            [one] => tried.swap_remove(one),
            [_, _, ..] => {
                let ends = tried.iter().filter_map(|done| Some(done.legs.last()?.way.to())).collect();
                Done::ended(Vec::new(), Status::Ambiguous(ends))
            }
            [] => {
                // The one that came farther.
                let farther = |done: &Done| done.legs.last().map_or(0.0, Leg::parameter);
                tried
                    .into_iter()
                    .max_by(|a, b| farther(a).total_cmp(&farther(b)))
                    .expect("one way round at least was tried")
            }
        }
    }

    /// When the first of some contacts closes that are open.
    pub(super) fn first_of(&self, until: &[usize], unit: &SlidingMotion, most: f64) -> Option<f64> {
        let open: Vec<&Touch> = until
            .iter()
            .map(|&k| &self.script.touches[k])
            .filter(|touch| self.world.closed(touch, self.pose).is_none())
            .collect();
        if open.is_empty() && !until.is_empty() {
            return Some(0.0);
        }
        let times = open.into_iter().filter_map(|touch| self.world.closing(touch, unit, most));
        times.min_by(f64::total_cmp)
    }

    /// Reached if these contacts are closed where it is now.
    pub(super) fn are_closed(&self, until: &[usize], how: &str) -> Status {
        let open: Vec<usize> = until
            .iter()
            .copied()
            .filter(|&k| self.world.closed(&self.script.touches[k], self.pose).is_none())
            .collect();
        if open.is_empty() || how == "approach" && open.len() < until.len() {
            Status::Reached
        } else {
            self.no_contact(&open, "together with the first")
        }
    }

    pub(super) fn no_contact(&self, until: &[usize], how: &str) -> Status {
        Status::NoContact { what: format!("{} does not close {how}", texts(&self.script.touches, until)) }
    }
}
