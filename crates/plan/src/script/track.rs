//! How far along a path: where it ends, and which poses it has by its spacing.

use super::answer::{Leg, Sample, Status};
use super::go::Wish;
use super::resolved::{Move, Path, Until};
use super::run::Runner;
use kansho_check::sliding_contact::SlidingMotion;
use kansho_geom::glam::DVec3;

/// Most pieces and poses of a path.
pub(super) const MOST: usize = 100_000;

/// A path while it is followed.
pub(super) struct Track {
    spacing: f64,
    /// The length after which it ends.
    limit: Option<f64>,
    /// The contacts with which it ends.
    until: Vec<usize>,
    /// How far it has come.
    along: f64,
    /// Where the next pose is.
    next: f64,
}

impl Track {
    pub(super) fn new(path: &Path, todo: &Move) -> Self {
        let (limit, until) = match &todo.until {
            Until::By(length) => (Some(*length), Vec::new()),
            Until::Touching(until) => (None, until.clone()),
            Until::End => (None, Vec::new()),
        };
        Self { spacing: path.spacing, limit, until, along: 0.0, next: 0.0 }
    }

    /// Whether poses up to a length would be too many.
    pub(super) fn is_too_long(&self, length: f64) -> bool {
        !(self.limit.map_or(length, |limit| limit.min(length)) / self.spacing <= MOST as f64)
    }

    /// The poses of the next `length` metres, of which each is told by how far it is along them.
    fn sample(&mut self, length: f64, at: impl Fn(f64) -> Sample, samples: &mut Vec<Sample>) {
        while self.next <= self.along + length * (1.0 + 1e-12) && samples.len() <= MOST {
            samples.push(at((self.next - self.along).clamp(0.0, length)));
            self.next += self.spacing;
        }
    }
}

impl Runner<'_> {
    /// Goes a straight piece of a path; whether the path ends on it. Poses are only those that were come to.
    pub(super) fn go_along(
        &mut self,
        (todo, keep): (&Move, &[usize]),
        track: &mut Track,
        by: DVec3,
        at: Option<&dyn Fn(f64) -> Sample>,
        legs: &mut Vec<Leg>,
        samples: &mut Vec<Sample>,
    ) -> Result<bool, Status> {
        let length = by.length();
        let Some(ahead) = by.try_normalize() else { return Ok(false) };
        let from = self.pose;
        let (mut wanted, mut ends) = (length, false);
        if let Some(left) = track.limit.map(|limit| limit - track.along)
            && left <= length * (1.0 + 1e-12)
        {
            (wanted, ends) = (left.clamp(0.0, length), true);
        }
        if !track.until.is_empty()
            && let Some(t) = self.first_of(&track.until, &SlidingMotion::Straight { from, by: ahead }, wanted)
        {
            (wanted, ends) = (t, true);
        }
        let may = self.may(todo, &[keep, &track.until].concat());
        let way = SlidingMotion::Straight { from, by: ahead * wanted };
        let outcome = self.go(&Wish { word: "follow", way, keep, may: &may }, legs);
        let gone = match outcome {
            Ok(()) => wanted,
            Err(_) => self.pose.translation().distance(from.translation()).min(wanted),
        };
        if let Some(at) = at {
            track.sample(gone, at, samples);
        }
        track.along += gone;
        outcome.map(|()| ends)
    }

    /// Turns where a path bends; whether the path ends on the turn.
    pub(super) fn turn_along(
        &mut self,
        (todo, keep): (&Move, &[usize]),
        track: &Track,
        way: SlidingMotion,
        legs: &mut Vec<Leg>,
    ) -> Result<bool, Status> {
        let (mut way, mut ends) = (way, false);
        if let SlidingMotion::Turn { from, point, axis, angle } = way
            && !track.until.is_empty()
            && let Some(angle) =
                self.first_of(&track.until, &SlidingMotion::Turn { from, point, axis, angle: 1.0 }, angle)
        {
            (way, ends) = (SlidingMotion::Turn { from, point, axis, angle }, true);
        }
        let may = self.may(todo, &[keep, &track.until].concat());
        self.go(&Wish { word: "turn", way, keep, may: &may }, legs)?;
        Ok(ends)
    }

    /// What a path that came to an end comes to: `ends` if by its length or a contact, otherwise because there is no more of it.
    pub(super) fn path_ends(&self, track: &Track, ends: bool, touch: usize) -> Result<(), Status> {
        let status = match (ends, track.limit, &track.until[..]) {
            (true, _, until) => self.are_closed(until, "follow"),
            (false, None, []) => Status::Reached,
            // There is less of it than was asked for.
            (false, Some(_), _) => Status::Slips { touch, pose: self.pose },
            (false, None, until) => self.no_contact(until, "along the path"),
        };
        if status == Status::Reached { Ok(()) } else { Err(status) }
    }
}
