//! Moves one after the other: ways are found, then proven.

use super::answer::{Answer, Block, ContactAt, Leg, Sample, Status, Step, texts};
use super::body::Member;
use super::freedom::freedoms;
use super::region;
use super::script::{About, Move, Script, Toward, Until, Verb};
use super::touch::{Closed, Touch, World};
use kansho_check::kept::{KeptOptions, KeptProof, MayTouch, Way, is_inside, kept};
use kansho_check::verdict::Verdict;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::motion::Span;

/// Kept contacts may leave their equations by this fraction of the size on the way.
pub const DRIFT: f64 = 1e-9;

/// Ways that are shorter than this fraction of the size, or turns of less than this, are none.
const NOTHING: f64 = 1e-12;

/// What is left of a direction after kept contacts took their share, if it is less than this, is nothing.
const NO_ROOM: f64 = 1e-6;

/// Most regions that a proof of one way takes.
const MOST_REGIONS: u64 = 2_000_000;

/// Does what a script says, as far as it goes. Nothing that is not proven counts as reached.
#[must_use]
pub fn run(script: &Script) -> Answer {
    let mut runner = Runner::new(script);
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

/// A way that is wanted, and what may touch on it.
pub(super) struct Wish<'a> {
    pub(super) word: &'static str,
    pub(super) way: Way,
    /// Contacts that last all the way.
    pub(super) keep: &'a [usize],
    /// Other contacts that may be.
    pub(super) may: &'a [usize],
}

pub(super) struct Runner<'a> {
    pub(super) script: &'a Script,
    pub(super) world: World<'a>,
    pub(super) pose: Pose,
    /// Of the moved body.
    pub(super) size: f64,
    /// Nothing is farther than this.
    pub(super) reach: f64,
    pub(super) drift: f64,
}

impl<'a> Runner<'a> {
    fn new(script: &'a Script) -> Self {
        let world = World { moved: &script.moved, fixed: &script.fixed, tolerance: script.tolerance };
        let size = script.moved.size();
        let all = script.fixed.iter().map(|body| body.mesh().aabb());
        let far = all
            .map(|aabb| (aabb.centre() - script.start.translation()).length() + aabb.diagonal())
            .fold(size, f64::max);
        Self { script, world, pose: script.start, size, reach: 2.0 * (far + size), drift: 0.0 }
    }

    fn inside_at_start(&self) -> Option<Block> {
        let inside = self
            .script
            .fixed
            .iter()
            .find(|body| is_inside([self.script.moved.solid(), body.solid()], self.pose))?;
        Some(Block {
            body: inside.name.clone(),
            features: ["inside".into(), "inside".into()],
            point: self.pose.translation(),
            pose: self.pose,
            t: 0.0,
        })
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
        match &todo.verb {
            Verb::Approach(toward) => self.approach(todo, *toward),
            Verb::Slide(toward) => self.slide(todo, *toward),
            Verb::Rotate { about, sense } => self.rotate(todo, *about, *sense),
            Verb::Place { toward, partly } => self.place(todo, *toward, *partly),
            Verb::Follow(path) => self.follow(todo, path),
        }
    }

    fn step(&self, number: usize, line: u32, verb: &'static str, done: Done) -> Step {
        let pose = self.pose;
        let closed = self.closed_at(pose);
        let all: Vec<Closed> = closed.iter().map(|(_, closed)| closed.clone()).collect();
        Step {
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
        let unit = Way::Straight { from: self.pose, by: direction };
        let (length, until) = match &todo.until {
            Until::By(length) => (Some(*length), Vec::new()),
            Until::Touching(until) => (self.first_of(until, &unit, self.reach), until.clone()),
            Until::End => (None, Vec::new()),
        };
        let way = Way::Straight { from: self.pose, by: direction * length.unwrap_or(self.reach) };
        let may = self.may(todo, &until);
        let wish = Wish { word, way, keep: &todo.keep, may: &may };
        let outcome = self.go(&wish, &mut legs);
        let status = match (length, outcome) {
            // Whatever stops it first on the way to nowhere is what it meets.
            (None, Ok(())) => {
                legs.pop();
                self.no_contact(&until, "on a straight way")
            }
            (None, Err(Status::Undecided { .. })) => self.no_contact(&until, "on a straight way"),
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
            let unit = Way::Turn { from: self.pose, point, axis, angle: 1.0 };
            let (angle, until) = match &todo.until {
                Until::By(angle) => (Some(*angle), Vec::new()),
                Until::Touching(until) => (self.first_of(until, &unit, most), until.clone()),
                Until::End => (None, Vec::new()),
            };
            let way = Way::Turn { from: self.pose, point, axis, angle: angle.unwrap_or(most) };
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
        let reached: Vec<usize> = (0..tried.len()).filter(|&k| tried[k].status == Status::Reached).collect();
        match reached[..] {
            [one] => tried.swap_remove(one),
            [_, _, ..] => {
                let ends = tried.iter().filter_map(|done| Some(done.legs.last()?.way.to())).collect();
                Done::ended(Vec::new(), Status::Ambiguous(ends))
            }
            [] => {
                // The one that came farther; a contradiction or an undecided one says more than a contact that is not there.
                let farther = |done: &Done| done.legs.last().map_or(0.0, Leg::parameter);
                tried
                    .into_iter()
                    .max_by(|a, b| farther(a).total_cmp(&farther(b)))
                    .expect("one way round at least was tried")
            }
        }
    }

    /// A point and a unit vector of the line to turn about.
    fn line(&self, about: About) -> Result<(DVec3, DVec3), Status> {
        let of_ends = |[a, b]: [DVec3; 2]| {
            let axis = (b - a).try_normalize();
            axis.map(|axis| (a, axis))
                .ok_or(Status::Unsupported { case: "a turn about a feature without a direction" })
        };
        let ends = |member: &Member| match member {
            Member::Edge(line) => Ok(line.ends),
            Member::Axis { ends } => Ok(*ends),
            _ => Err(Status::Unsupported { case: "a turn about a face or a corner, which is no line" }),
        };
        match about {
            About::Fixed { body, feature } => {
                of_ends(ends(&self.script.fixed[body].features[feature].members[0])?)
            }
            About::Moved { feature } => {
                of_ends(ends(&self.script.moved.features[feature].members[0])?.map(|p| self.pose * p))
            }
            About::Contact(touch) => {
                let Some(closed) = self.world.closed(&self.script.touches[touch], self.pose) else {
                    let what = format!(
                        "there is no turn about \"{}\": it does not touch when the move begins",
                        self.script.touches[touch].text
                    );
                    return Err(Status::Contradiction { what });
                };
                match line_of(&closed.points, self.script.tolerance) {
                    Shape::Line(ends) => of_ends(ends),
                    _ => Err(Status::Unsupported { case: "a turn about a contact that is no line" }),
                }
            }
            About::Direction(axis) => Ok((self.pose * self.script.grasp, axis.normalize_or(DVec3::Z))),
        }
    }

    /// When the first of some contacts closes that are open.
    pub(super) fn first_of(&self, until: &[usize], unit: &Way, most: f64) -> Option<f64> {
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
    fn are_closed(&self, until: &[usize], how: &str) -> Status {
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

    /// Contacts that may be: those that are wanted, those that are allowed, those that are there.
    pub(super) fn may(&self, todo: &Move, until: &[usize]) -> Vec<usize> {
        let mut may: Vec<usize> =
            until.iter().chain(&todo.allow).chain(&self.script.allow).copied().collect();
        may.extend(self.closed_at(self.pose).iter().map(|(k, _)| *k));
        may.sort_unstable();
        may.dedup();
        may
    }

    /// Goes a way if it is proven: what is kept lasts, and nothing touches that may not. Otherwise goes as far as that is so.
    pub(super) fn go(&mut self, wish: &Wish<'_>, legs: &mut Vec<Leg>) -> Result<(), Status> {
        let way = wish.way;
        let nothing = match way {
            Way::Straight { by, .. } => by.length() <= NOTHING * self.size,
            Way::Turn { angle, .. } => angle.abs() <= NOTHING,
        };
        let mut drift: f64 = 0.0;
        let mut slip: Option<(f64, usize)> = None;
        for &k in wish.keep {
            let touch = &self.script.touches[k];
            // Of several members that touch, the one that this way keeps.
            let off = |closed: &Closed| {
                let of = |wave: kansho_check::kept::Wave| {
                    let start = wave.at(0.0);
                    let [low, high] = wave.range(Span::WHOLE);
                    (high - start).max(start - low)
                };
                closed.equations.iter().map(|equation| of(equation.wave(&way))).fold(0.0, f64::max)
            };
            let lasts = |closed: &Closed| {
                let (m, f) = self.world.member(touch, closed.members);
                region::lasts(m, f, &way, self.script.tolerance).err().unwrap_or(1.0)
            };
            let all: Vec<(f64, f64)> = self
                .world
                .all_closed(touch, self.pose)
                .map(|closed| (off(&closed), lasts(&closed)))
                .collect();
            let Some(least) = all.iter().map(|(off, _)| *off).min_by(f64::total_cmp) else {
                return Err(Status::Slips { touch: k, pose: self.pose });
            };
            drift = drift.max(least);
            if !(drift <= DRIFT * self.size) {
                let what = format!(
                    "\"{}\" cannot be kept on this way: it would be off by {drift:.3e} m",
                    touch.text
                );
                return Err(Status::Contradiction { what });
            }
            let kept = all.iter().filter(|(off, _)| *off <= DRIFT * self.size);
            let t = kept.map(|(_, lasts)| *lasts).fold(0.0, f64::max);
            if t < 1.0 && self.goes_over(k, &way, t).is_none() && slip.is_none_or(|(known, _)| t < known) {
                slip = Some((t, k));
            }
        }
        let verdict = self.prove(&way, wish, nothing);
        let stop = match (&verdict, slip) {
            (Ok(_), None) => None,
            (Ok(_), Some((t, k))) => Some((t, Status::Slips { touch: k, pose: way.at(t) })),
            (Err(Stop::Blocked(block, _)), Some((t, k))) if t < block.t => {
                Some((t, Status::Slips { touch: k, pose: way.at(t) }))
            }
            (Err(Stop::Blocked(block, _)), _) => Some((block.t, Status::Blocked(block.clone()))),
            (Err(Stop::Undecided(what)), _) => Some((0.0, Status::Undecided { what: what.clone() })),
        };
        let (way, proof, end) = match stop {
            None => (way, verdict.unwrap_or_default(), Ok(())),
            Some((t, status)) => {
                let part = part_of(&way, t);
                // What comes before the first contact was proven.
                let proof = match verdict {
                    Ok(proof) | Err(Stop::Blocked(_, proof)) => proof,
                    Err(Stop::Undecided(_)) => KeptProof::default(),
                };
                (part, proof, Err(status))
            }
        };
        self.drift = self.drift.max(drift);
        self.pose = way.to();
        let is_none = nothing || end.is_err() && way.at(1.0) == way.at(0.0);
        if !is_none {
            legs.push(Leg { word: wish.word, way, keep: wish.keep.to_vec(), proof });
        }
        end
    }

    /// Whether a contact that leaves one of several members goes on on another one.
    fn goes_over(&self, touch: usize, way: &Way, t: f64) -> Option<()> {
        let touch = &self.script.touches[touch];
        let mut at = t;
        for _ in 0..64 {
            if at >= 1.0 {
                return Some(());
            }
            let closed = self.world.closed(touch, way.at((at + 1e-6).min(1.0)))?;
            let (m, f) = self.world.member(touch, closed.members);
            let rest = Self::rest_of(way, (at + 1e-6).min(1.0));
            match region::lasts(m, f, &rest, self.script.tolerance) {
                Ok(()) => return Some(()),
                Err(more) => {
                    let next = at + 1e-6 + more * (1.0 - at - 1e-6);
                    if next <= at + 2e-6 {
                        return None;
                    }
                    at = next;
                }
            }
        }
        None
    }

    fn rest_of(way: &Way, t: f64) -> Way {
        match *way {
            Way::Straight { by, .. } => Way::Straight { from: way.at(t), by: by * (1.0 - t) },
            Way::Turn { point, axis, angle, .. } => {
                Way::Turn { from: way.at(t), point, axis, angle: angle * (1.0 - t) }
            }
        }
    }

    fn prove(&self, way: &Way, wish: &Wish<'_>, nothing: bool) -> Result<KeptProof, Stop> {
        let mut sum = KeptProof::default();
        if nothing {
            return Ok(sum);
        }
        let options = KeptOptions {
            tolerance: self.script.tolerance,
            resolution: 1e-3 * self.script.tolerance,
            most_regions: MOST_REGIONS,
        };
        let mut first: Option<Block> = None;
        for (number, body) in self.script.fixed.iter().enumerate() {
            let named = wish.keep.iter().chain(wish.may).map(|&k| &self.script.touches[k]);
            let may: Vec<MayTouch> = named
                .filter(|touch| touch.body == number)
                .flat_map(|touch| self.world.may_touch(touch))
                .collect();
            match kept([self.script.moved.solid(), body.solid()], way, &may, &options) {
                Verdict::Free(proof) => {
                    sum.regions += proof.regions;
                    sum.kept += proof.kept;
                }
                Verdict::Touches(blocked) => {
                    sum.regions += blocked.before.regions;
                    sum.kept += blocked.before.kept;
                    let pose = way.at(blocked.t);
                    let within = 8.0 * self.script.tolerance;
                    if first.as_ref().is_none_or(|known| blocked.t < known.t) {
                        first = Some(Block {
                            body: body.name.clone(),
                            features: [
                                self.script.moved.name_at(pose.inverse() * blocked.points[0], within),
                                body.name_at(blocked.points[1], within),
                            ],
                            point: blocked.points[1],
                            pose,
                            t: blocked.t,
                        });
                    }
                }
                Verdict::Undecided { open } => {
                    return Err(Stop::Undecided(format!(
                        "whether it touches \"{}\" from {:.9} of the way on",
                        body.name, open.start
                    )));
                }
            }
        }
        first.map_or(Ok(sum), |block| Err(Stop::Blocked(Box::new(block), sum)))
    }
}

enum Stop {
    /// By what, and what was proven before.
    Blocked(Box<Block>, KeptProof),
    Undecided(String),
}

/// The part of a way up to a fraction.
fn part_of(way: &Way, t: f64) -> Way {
    match *way {
        Way::Straight { from, by } => Way::Straight { from, by: by * t },
        Way::Turn { from, point, axis, angle } => Way::Turn { from, point, axis, angle: angle * t },
    }
}

/// What points span.
pub(super) enum Shape {
    /// They are all one.
    Point(DVec3),
    /// They lie on a line.
    Line([DVec3; 2]),
    /// They span a plane.
    Plane,
}

/// What points span, up to a tolerance.
pub(super) fn line_of(points: &[DVec3], tolerance: f64) -> Shape {
    let middle = points.iter().copied().sum::<DVec3>() / points.len().max(1) as f64;
    let far = |from: DVec3| {
        points.iter().copied().max_by(|p, q| p.distance(from).total_cmp(&q.distance(from))).unwrap_or(from)
    };
    let a = far(middle);
    let b = far(a);
    let room = 8.0 * tolerance;
    let Some(along) = (b - a).try_normalize().filter(|_| a.distance(b) > room) else {
        return Shape::Point(middle);
    };
    if points.iter().all(|p| (*p - a).cross(along).length() <= room) {
        Shape::Line([a, b])
    } else {
        Shape::Plane
    }
}

/// The middle of a feature, in its body's frame.
pub(super) fn middle_of(member: &Member) -> DVec3 {
    let corners = match member {
        Member::Axis { ends } => ends.to_vec(),
        Member::Face(facet) => facet.loops[0].clone(),
        other => super::touch::corners_of(other),
    };
    corners.iter().copied().sum::<DVec3>() / corners.len().max(1) as f64
}

/// The nearest point of a feature of a fixed body.
fn nearest_to(members: &[Member], p: DVec3) -> DVec3 {
    let near = |member: &Member| match member {
        Member::Face(facet) => facet
            .triangles
            .iter()
            .map(|t| kansho_geom::triangle::nearest(p, t))
            .min_by(|a, b| a.distance(p).total_cmp(&b.distance(p)))
            .unwrap_or(p),
        Member::Edge(line) => super::body::nearest_on_segment(p, line.ends),
        Member::Vertex(corner) => corner.point,
        Member::Axis { ends } => {
            let along = (ends[1] - ends[0]).normalize_or_zero();
            ends[0] + along * along.dot(p - ends[0])
        }
    };
    members
        .iter()
        .map(near)
        .min_by(|a, b| a.distance(p).total_cmp(&b.distance(p)))
        .expect("a feature has members")
}
