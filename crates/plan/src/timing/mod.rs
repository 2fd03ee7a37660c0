//! When is the robot where, along a way that is proven?
//!
//! A run is a curve in joint space that the check has proven. Here every instant gets a place on that curve, so that joints keep to limits of
//! speed, acceleration and jerk, and the tip to its speed where it can. The curve stays what it is: where two lines meet in a corner that is not
//! rounded, the robot stops, for no speed but zero has a direction there that does not jump. Rounded corners are passed, on a curve
//! inside what was proven of them (`corner`).
//!
//! | part | does |
//! |---|---|
//! | `course` | the run as smooth pieces, and stretches of them from stop to stop |
//! | `corner` | how a corner is rounded |
//! | `part` | joints along a piece, their derivatives, and what these allow |
//! | `law` | the time law of a stretch |

mod corner;
mod course;
mod law;
mod part;

use crate::cam::PlannedRun;
use course::{Piece, Shape};
use kansho_cell::Cell;
use kansho_cell::ik::{Followed, Ik, Solutions, Tip};
use kansho_cell::route::Blend;
use law::{Interval, TimeLaw};
use part::Part;

/// What joints and the tip can do.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLimits {
    /// Speed of each coordinate of the cell, in radians (metres) per second. Each is greater than zero.
    pub speed: Vec<f64>,
    /// Their acceleration, per second squared.
    pub acceleration: Vec<f64>,
    /// Their jerk, per second cubed.
    pub jerk: Vec<f64>,
    /// The speed that is wanted of the tip where it is led, in metres per second.
    pub tip_speed: f64,
}

impl TimeLimits {
    fn of(&self, coordinate: usize) -> [f64; 3] {
        [self.speed[coordinate], self.acceleration[coordinate], self.jerk[coordinate]]
    }
}

/// Why there is no time law.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TimingFault {
    /// A limit is not greater than zero, or there is none for a coordinate.
    #[error("limits of speed, acceleration and jerk have to be greater than zero, one for each joint")]
    Limits,
    /// The moves make no way.
    #[error("{0}")]
    Moves(String),
    /// Joints could not be followed.
    #[error("joints could not be followed along move {}: a singularity is too near", of_move + 1)]
    Lost {
        /// Which move, from 0.
        of_move: usize,
    },
}

/// What keeps the tip from its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing: it is the speed that is wanted.
    Wanted,
    /// A stop: the way begins, ends or has a corner there that is not rounded.
    Stop,
    /// The speed of a joint, by its coordinate.
    Speed(usize),
    /// The acceleration of a joint.
    Acceleration(usize),
    /// The jerk of a joint.
    Jerk(usize),
}

/// Where the tip is slower than wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slow {
    /// The first and last move of the run that it concerns, from 0.
    pub moves: [usize; 2],
    /// The least speed, in metres per second.
    pub least: f64,
    /// What makes it so.
    pub why: Why,
}

/// A run with its time law.
#[derive(Debug)]
pub struct Timed<'a> {
    ik: &'a Ik,
    stretches: Vec<Stretch>,
    /// When each stretch begins, and the end.
    times: Vec<f64>,
    /// Where the tip is slower than wanted, in order.
    pub slow: Vec<Slow>,
    /// The length that the tip goes at work, and how much of it at the speed that is wanted, in metres.
    pub work: [f64; 2],
    /// How many stops there are between begin and end.
    pub stops: usize,
    /// How long moves of joints take, in seconds.
    pub joints_secs: f64,
}

#[derive(Debug)]
struct Stretch {
    pieces: Vec<Piece>,
    parts: Vec<Part>,
    first: Vec<f64>,
    law: TimeLaw,
}

/// What is at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Instant {
    /// The posture of the cell.
    pub posture: Vec<f64>,
    /// How fast it changes, per second.
    pub rates: Vec<f64>,
    /// How fast that changes, per second squared.
    pub accelerations: Vec<f64>,
    /// How fast the tip goes where it is led, in metres per second.
    pub tip_speed: Option<f64>,
    /// Which move of the run it is in, from 0.
    pub of_move: usize,
}

/// Speeds above this part of what is wanted are as wanted.
const AS_WANTED: f64 = 0.99;

/// Finds a time law for a run that was proven with `blend` in its corners.
///
/// # Errors
/// Limits that are none, or joints that cannot be followed.
pub fn timed<'a>(
    cell: &Cell,
    tip: Tip,
    ik: &'a Ik,
    run: &PlannedRun,
    blend: Blend,
    limits: &TimeLimits,
) -> Result<Timed<'a>, TimingFault> {
    let count = cell.coordinates().len();
    let lists = [&limits.speed, &limits.acceleration, &limits.jerk];
    let is_good = |list: &&Vec<f64>| list.len() == count && list.iter().all(|limit| *limit > 0.0);
    if !lists.iter().all(is_good) || !(limits.tip_speed > 0.0) {
        return Err(TimingFault::Limits);
    }
    let (mut posture, courses) = course::stretches(cell, tip, run, blend)?;
    let mut timed = Timed {
        ik,
        stretches: Vec::new(),
        times: vec![0.0],
        slow: Vec::new(),
        work: [0.0; 2],
        stops: 0,
        joints_secs: 0.0,
    };
    for pieces in courses {
        let first = posture.clone();
        let (mut parts, mut start) = (Vec::new(), 0.0);
        for (k, piece) in pieces.iter().enumerate() {
            part::parts(ik, piece, k, start, &mut posture, &mut parts)?;
            start += piece.length;
        }
        let mut bounds: Vec<(Interval, Why)> = Vec::new();
        parts.iter().for_each(|part| part.intervals(limits, &mut bounds));
        let intervals: Vec<Interval> = bounds.iter().map(|(interval, _)| *interval).collect();
        let law = TimeLaw::best(&intervals);
        let mut stretch = Stretch { pieces, parts, first, law };
        let over = stretch.over(limits);
        if over > 1.0 {
            stretch.law = stretch.law.slowed(over);
        }
        stretch.look(&bounds, limits, &mut timed);
        let begins = timed.times[timed.times.len() - 1];
        timed.times.push(begins + stretch.law.duration());
        timed.stretches.push(stretch);
    }
    timed.stops = timed.stretches.len().saturating_sub(1);
    Ok(timed)
}

impl Stretch {
    fn part(&self, s: f64) -> &Part {
        let k = self.parts.partition_point(|part| part.start <= s);
        &self.parts[k.clamp(1, self.parts.len()) - 1]
    }

    /// By how much time has to be stretched for limits to hold at instants that are looked at, all along: bounds between nodes are taken
    /// from nodes.
    fn over(&self, limits: &TimeLimits) -> f64 {
        let (count, duration) = (4 * part::NODES * self.parts.len(), self.law.duration());
        let mut over: f64 = 1.0;
        for k in 0..=count {
            let [s, v, a, j] = self.law.at(duration * k as f64 / count as f64);
            for (joint, [_, first, second, third]) in self.part(s).at(s) {
                let [most_v, most_a, most_j] = limits.of(joint);
                let rate = first * v;
                let change = first * a + second * v * v;
                let jerk = first * j + 3.0 * second * v * a + third * v.powi(3);
                over = over
                    .max(rate.abs() / most_v)
                    .max((change.abs() / most_a).sqrt())
                    .max((jerk.abs() / most_j).cbrt());
            }
        }
        over
    }

    /// Where the tip is slower than wanted, and why.
    fn look(&self, bounds: &[(Interval, Why)], limits: &TimeLimits, into: &mut Timed<'_>) {
        if !self.pieces.iter().any(|piece| piece.is_work) {
            into.joints_secs +=
                if matches!(self.pieces[0].shape, Shape::Joints(_)) { self.law.duration() } else { 0.0 };
            return;
        }
        let starts: Vec<f64> = bounds
            .iter()
            .scan(0.0, |s, (one, _)| {
                *s += one.length;
                Some(*s - one.length)
            })
            .collect();
        let count = 4 * bounds.len();
        let duration = self.law.duration();
        // A run of slow places, and where it is slowest: how fast the length goes there, and in which interval.
        let mut slow: Option<(Slow, f64, usize)> = None;
        let mut last = 0.0;
        let told = |(mut slow, v, at): (Slow, f64, usize)| {
            slow.why = slowest(bounds, &starts, at, v);
            slow
        };
        for k in 1..count {
            let [s, v, ..] = self.law.at(duration * k as f64 / count as f64);
            let part = self.part(s);
            let speed = v * part.tip_rate(s).unwrap_or(1.0);
            let of_move = self.pieces[part.piece].of_move;
            into.work[0] += s - last;
            if speed >= AS_WANTED * limits.tip_speed {
                into.work[1] += s - last;
                into.slow.extend(slow.take().map(told));
            } else {
                let none = Slow { moves: [of_move; 2], least: f64::INFINITY, why: Why::Stop };
                let (one, least, at) = slow.get_or_insert((none, v, 0));
                one.moves[1] = of_move;
                if speed < one.least {
                    one.least = speed;
                    *least = v;
                    *at = starts.partition_point(|start| *start <= s).clamp(1, starts.len()) - 1;
                }
            }
            last = s;
        }
        let end = &self.parts[self.parts.len() - 1];
        into.work[0] += end.start + end.length - last;
        into.slow.extend(slow.map(told));
    }
}

/// What bounds the speed at the nearest place where it is bounded as low as it is here; if none is, it is the stop at an end.
fn slowest(bounds: &[(Interval, Why)], starts: &[f64], at: usize, v: f64) -> Why {
    let near = (0..bounds.len()).filter(|k| bounds[*k].0.speed <= 1.1 * v && bounds[*k].1 != Why::Wanted);
    let found = near.min_by(|a, b| {
        let off = |k: usize| (starts[k] - starts[at]).abs();
        off(*a).total_cmp(&off(*b))
    });
    found.map_or(Why::Stop, |k| bounds[k].1)
}

impl Timed<'_> {
    /// How long it takes, in seconds.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    /// What is after so many seconds; nothing if no posture is found there, which was found when the law was made.
    #[must_use]
    pub fn at(&self, secs: f64) -> Option<Instant> {
        let k = self.times.partition_point(|time| *time <= secs).clamp(1, self.stretches.len()) - 1;
        let stretch = self.stretches.get(k)?;
        let [s, v, a, _] = stretch.law.at((secs - self.times[k]).min(stretch.law.duration()));
        let part = stretch.part(s);
        let piece = &stretch.pieces[part.piece];
        let count = stretch.first.len();
        let mut now = Instant {
            posture: stretch.first.clone(),
            rates: vec![0.0; count],
            accelerations: vec![0.0; count],
            tip_speed: part.tip_rate(s).map(|rate| rate * v),
            of_move: piece.of_move,
        };
        for (joint, [value, first, second, _]) in part.at(s) {
            now.posture[joint] = value;
            now.rates[joint] = first * v;
            now.accelerations[joint] = first * a + second * v * v;
        }
        // Polynomials are near; the posture is that of the pose.
        let u = part.from + (s - part.start) / part.length * (part.to - part.from);
        if let Some(pose) = piece.pose(u) {
            let mut scratch = Solutions::default();
            let Followed::On { values, .. } =
                self.ik.follow(&pose, &self.ik.values_in(&now.posture), &mut scratch)
            else {
                return None;
            };
            self.ik.put(&values, &mut now.posture);
        }
        Some(now)
    }
}
