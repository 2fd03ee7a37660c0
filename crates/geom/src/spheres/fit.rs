use super::CoverFault;
use super::radii::RadiiFault;
use crate::bounds::{Aabb, Ball};
use crate::triangle::Triangle;
use glam::DVec3;
use std::collections::BinaryHeap;

/// When there are enough balls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// None is larger than this.
    Radius(f64),
    /// There are this many; fewer only if the triangles are that small.
    Count(usize),
}

impl Goal {
    /// Whether it makes sense for anything at all.
    ///
    /// # Errors
    /// The radius is not positive, or no balls are asked for.
    pub fn check(self) -> Result<(), CoverFault> {
        match self {
            Self::Count(0) => Err(CoverFault::NoSpheres),
            Self::Radius(radius) if !(radius > 0.0 && radius.is_finite()) => {
                Err(RadiiFault::NotPositive(radius).into())
            }
            Self::Count(_) | Self::Radius(_) => Ok(()),
        }
    }
}

/// Balls beyond which a radius is refused.
pub const MOST: usize = 200_000;

/// Covers triangles with balls of different sizes, which are few for how close they lie: the rough shape for other programs.
///
/// The largest ball is cut in two, again and again: what lies in it is clipped at the middle of its box, across the axis that
/// leaves least volume in the two new balls. A ball is convex, so it covers a piece of a triangle if it covers its corners.
/// Cut corners are rounded, by less than what is added to every radius: so every point of every triangle lies in a ball, and
/// deeper than `swell`. The same triangles give the same balls.
///
/// # Errors
/// The radius is not positive, or so small that there would be too many balls; no balls are asked for.
pub fn fit(triangles: &[Triangle], swell: f64, goal: Goal) -> Result<Vec<Ball>, CoverFault> {
    let Some(aabb) = Aabb::of_points(triangles.iter().flatten().copied()) else { return Ok(Vec::new()) };
    goal.check()?;
    let coordinate = aabb.min().abs().max(aabb.max().abs()).max_element();
    // A cut rounds by four roundings at most. A ball that is not below `finest` has been cut fewer than a hundred times.
    let room = 1024.0 * f64::EPSILON * coordinate + swell;
    let finest = 1e6 * f64::EPSILON * coordinate;
    let (radius, most) = match goal {
        Goal::Count(count) => (0.0, count),
        Goal::Radius(radius) => {
            if !(radius > 2.0 * finest) {
                return Err(CoverFault::TooFine { radius, coordinate });
            }
            let area: f64 = triangles.iter().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
            // A square in a circle has an area of 2 r².
            let count = area / (2.0 * radius * radius);
            // Balls that would be all swelling are too many of too small ones as well.
            let limit = if radius - room > finest { 4 * MOST } else { 0 };
            refuse_beyond(limit, count, radius)?;
            (radius - room, MOST)
        }
    };
    let mut done = Vec::new();
    let mut parts = BinaryHeap::from([Part::new(Pieces::of(triangles), 0)]);
    let mut made = 1;
    while let Some(part) = parts.pop() {
        if part.ball.radius() <= radius.max(finest) {
            // The largest is small enough.
            done.push(part);
            break;
        }
        if parts.len() + 1 >= most {
            let largest = part.ball.radius();
            parts.push(part);
            if radius > 0.0 {
                refuse_beyond(0, parts.len() as f64 * (largest / radius).powi(2), radius)?;
            }
            break;
        }
        let (near, far) = part.halves(made);
        made += 2;
        parts.extend([near, far]);
    }
    done.extend(parts);
    done.sort_by_key(|part| part.made);
    // Widening and printing must not uncover anything: every radius is rounded up.
    let widened = |part: Part| {
        let ball = part.pieces.closer_ball(part.ball);
        Ball::new(ball.centre(), (ball.radius() + room) * (1.0 + f64::EPSILON))
    };
    Ok(done.into_iter().map(widened).collect())
}

fn refuse_beyond(limit: usize, count: f64, radius: f64) -> Result<(), CoverFault> {
    if count > limit as f64 { Err(CoverFault::TooMany { radius, count, limit: MOST }) } else { Ok(()) }
}

/// Convex pieces of triangles.
#[derive(Default)]
struct Pieces {
    corners: Vec<DVec3>,
    /// Where each piece ends in the list of corners.
    ends: Vec<u32>,
}

impl Pieces {
    fn of(triangles: &[Triangle]) -> Self {
        let ends = (1..=triangles.len() as u32).map(|k| 3 * k).collect();
        Self { corners: triangles.iter().flatten().copied().collect(), ends }
    }

    fn each(&self) -> impl Iterator<Item = &[DVec3]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, to)| &self.corners[from as usize..*to as usize])
    }

    fn end_piece(&mut self) {
        self.ends.push(self.corners.len() as u32);
    }

    /// What lies below and above a plane across an axis; what lies in it belongs to both or to one.
    fn cut(&self, axis: usize, at: f64) -> [Self; 2] {
        let mut sides = [Self::default(), Self::default()];
        for piece in self.each() {
            let (low, high) = piece
                .iter()
                .fold((f64::MAX, f64::MIN), |(low, high), p| (low.min(p[axis]), high.max(p[axis])));
            if high <= at || low >= at {
                let side = &mut sides[usize::from(high > at)];
                side.corners.extend_from_slice(piece);
                side.end_piece();
                continue;
            }
            let mut from = piece[piece.len() - 1];
            for &to in piece {
                if (from[axis] < at) != (to[axis] < at) && from[axis] != at && to[axis] != at {
                    // From the lower end, so that the neighbour across this edge is cut at the same point.
                    let (low, high) = if from[axis] < at { (from, to) } else { (to, from) };
                    let mut crossing = low + (high - low) * ((at - low[axis]) / (high[axis] - low[axis]));
                    crossing[axis] = at;
                    sides.iter_mut().for_each(|side| side.corners.push(crossing));
                }
                if to[axis] <= at {
                    sides[0].corners.push(to);
                }
                if to[axis] >= at {
                    sides[1].corners.push(to);
                }
                from = to;
            }
            sides.iter_mut().for_each(Self::end_piece);
        }
        sides
    }

    /// A ball around the corners that is as small as a few steps towards the farthest corner make it, never larger than a given
    /// one (Badoiu and Clarkson 2003).
    fn closer_ball(&self, ball: Ball) -> Ball {
        let mut best = ball;
        let mut centre = ball.centre();
        for step in 0..64 {
            let farthest = |from: DVec3| {
                self.corners.iter().fold((from, 0.0), |best: (DVec3, f64), p| {
                    let distance_sq = from.distance_squared(*p);
                    if distance_sq > best.1 { (*p, distance_sq) } else { best }
                })
            };
            let (point, distance_sq) = farthest(centre);
            // Rounded up as in `Ball::of_points`.
            let radius = distance_sq.sqrt() * (1.0 + 8.0 * f64::EPSILON);
            if radius < best.radius() {
                best = Ball::new(centre, radius);
            }
            centre += (point - centre) / (f64::from(step) + 2.0);
        }
        best
    }
}

/// What one ball covers.
struct Part {
    pieces: Pieces,
    ball: Ball,
    /// Its number, so that equal balls keep an order.
    made: usize,
}

impl Part {
    fn new(pieces: Pieces, made: usize) -> Self {
        let ball = Ball::of_points(&pieces.corners).expect("a part has a piece");
        Self { pieces, ball, made }
    }

    /// Two parts, cut across the axis that leaves least volume.
    fn halves(&self, made: usize) -> (Self, Self) {
        let aabb = Aabb::of_points(self.pieces.corners.iter().copied()).expect("a part has a piece");
        let longest = aabb.extent().max_element();
        let cube = |ball: &Ball| ball.radius().powi(3);
        // An axis along which the part is thin leaves both balls as large as they are.
        let axes = (0..3).filter(|axis| aabb.extent()[*axis] >= 0.5 * longest);
        let halves = axes.map(|axis| {
            let [near, far] = self.pieces.cut(axis, aabb.centre()[axis]);
            (Self::new(near, made), Self::new(far, made + 1))
        });
        let volume = |(near, far): &(Self, Self)| cube(&near.ball) + cube(&far.ball);
        halves.min_by(|a, b| volume(a).total_cmp(&volume(b))).expect("the longest axis is one")
    }
}

impl Ord for Part {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.ball.radius().total_cmp(&other.ball.radius()).then(other.made.cmp(&self.made))
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Part {}
