//! The one place that moves the body: as far as it is proven.

use super::answer::{Block, Case, Leg, Status};
use super::lasting::{Lasting, MOST_PARTS};
use super::resolved::Move;
use super::run::{DRIFT, Runner};
use kansho_check::sliding_contact::{
    Kept, KeptOptions, KeptProof, MayTouch, SlidingMotion, WhyOpen, kept_or_why, overlap,
};
use kansho_geom::glam::DVec3;

/// Ways on which no point moves farther than this fraction of the size are none.
const NOTHING: f64 = 1e-12;

/// Most regions that a proof of one way takes.
const MOST_REGIONS: u64 = 2_000_000;

/// A way that is wanted, and what may touch on it.
pub(super) struct Wish<'a> {
    pub(super) word: &'static str,
    pub(super) way: SlidingMotion,
    /// Contacts that last all the way.
    pub(super) keep: &'a [usize],
    /// Other contacts that may be.
    pub(super) may: &'a [usize],
}

impl Runner<'_> {
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
        let mut drift: f64 = 0.0;
        let mut slip: Option<(f64, usize)> = None;
        for &k in wish.keep {
            let touch = &self.script.touches[k];
            match self.world.lasting(touch, &wish.way, DRIFT * self.size, self.script.tolerance) {
                Lasting::UpTo { t, off } => {
                    drift = drift.max(off);
                    if t < 1.0 && slip.is_none_or(|(known, _)| t < known) {
                        slip = Some((t, k));
                    }
                }
                Lasting::Open => return Err(Status::Slips { touch: k, pose: self.pose }),
                Lasting::Leaves(by) => {
                    if self.slides_as_it_turns(wish) {
                        return Err(Status::Unsupported { case: Case::SlideAndTurn });
                    }
                    let what = format!(
                        "\"{}\" cannot be kept on this way: it would be off by {}",
                        touch.text,
                        self.script.length(by)
                    );
                    return Err(Status::Contradiction { what });
                }
                Lasting::Undecided { t, many } => {
                    let why = if many {
                        format!("{MOST_PARTS} parts of the turn were looked at, and that is the limit")
                    } else {
                        "there its features come to their ends so slowly that rounding hides whether they touch".into()
                    };
                    let what = format!("whether \"{}\" lasts beyond {t:.9} of the turn: {why}", touch.text);
                    return Err(Status::Undecided { what });
                }
            }
        }
        let wanted = slip.map_or(1.0, |(t, _)| t);
        let way = part_of(&wish.way, wanted);
        let (way, proof, end) = match (self.prove(&way, wish), slip) {
            (Ok(proof), None) => (way, proof, Ok(())),
            (Ok(proof), Some((_, touch))) => (way, proof, Err(Status::Slips { touch, pose: way.to() })),
            (Err(Stop::Blocked(mut block, proof)), _) => {
                let part = part_of(&way, block.t);
                block.t *= wanted;
                (part, proof, Err(Status::Blocked(block)))
            }
            (Err(Stop::Undecided(what)), _) => return Err(Status::Undecided { what }),
        };
        self.drift = self.drift.max(drift);
        self.pose = way.to();
        if self.moves(&way) {
            let mut may_touch = [wish.keep, wish.may].concat();
            may_touch.sort_unstable();
            may_touch.dedup();
            legs.push(Leg { word: wish.word, way, keep: wish.keep.to_vec(), may_touch, proof });
        }
        end
    }

    /// Whether a turn that leaves contacts could keep them if the body slid as it turns: some velocity makes all their equations stand still.
    fn slides_as_it_turns(&self, wish: &Wish<'_>) -> bool {
        let SlidingMotion::Turn { axis, .. } = wish.way else { return false };
        // Rows (n, p × n) of equations: n · v = -(p × n) · axis.
        let mut rows: Vec<(DVec3, f64)> = Vec::new();
        for closed in wish.keep.iter().filter_map(|&k| self.world.closed(&self.script.touches[k], self.pose))
        {
            for equation in &closed.equations {
                let [point, normal] = equation.row(self.pose);
                rows.push((normal, -point.cross(normal).dot(axis)));
            }
        }
        // By elimination: what is left of a row after those before it has a direction of its own, or must ask for nothing.
        let mut solved: Vec<(DVec3, f64)> = Vec::new();
        rows.into_iter().all(|(mut n, mut by)| {
            for (known, of_known) in &solved {
                let part = n.dot(*known);
                n -= *known * part;
                by -= of_known * part;
            }
            if n.length() > 1e-9 {
                solved.push((n / n.length(), by / n.length()));
                return true;
            }
            by.abs() <= 1e-9 * self.size
        })
    }

    /// Whether the body moves on a way.
    fn moves(&self, way: &SlidingMotion) -> bool {
        let aabb = self.script.moved.mesh().aabb();
        let about = 0.5 * aabb.diagonal() * way.turned();
        !(way.speed(aabb.centre()) + about <= NOTHING * self.size)
    }

    /// What it is in where it begins, apart from features that touch.
    pub(super) fn inside_at_start(&self) -> Option<Block> {
        self.script.fixed.iter().find_map(|body| {
            let bodies = [self.script.moved.solid(), body.solid()];
            let point = overlap(bodies, self.pose, self.script.tolerance)?;
            let features = ["inside".into(), "inside".into()];
            Some(Block { body: body.name.clone(), features, point, pose: self.pose, t: 0.0 })
        })
    }

    fn prove(&self, way: &SlidingMotion, wish: &Wish<'_>) -> Result<KeptProof, Stop> {
        let mut sum = KeptProof::default();
        let options = KeptOptions {
            tolerance: self.script.tolerance,
            resolution: 1e-3 * self.script.tolerance,
            most_regions: MOST_REGIONS,
            deadline: self.options.deadline,
            stop: self.options.stop,
        };
        let mut first: Option<Block> = None;
        for (number, body) in self.script.fixed.iter().enumerate() {
            let named = wish.keep.iter().chain(wish.may).map(|&k| &self.script.touches[k]);
            let may: Vec<MayTouch> = named
                .filter(|touch| touch.body == number)
                .flat_map(|touch| self.world.may_touch(touch))
                .collect();
            match kept_or_why([self.script.moved.solid(), body.solid()], way, &may, &options) {
                Kept::Free(proof) => {
                    sum.regions += proof.regions;
                    sum.kept += proof.kept;
                }
                Kept::Touches(blocked) => {
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
                Kept::Open { span, why } => {
                    return Err(Stop::Undecided(format!(
                        "whether it touches \"{}\" from {:.9} of the way on: {}",
                        body.name,
                        span.start,
                        self.reason(why)
                    )));
                }
            }
        }
        first.map_or(Ok(sum), |block| Err(Stop::Blocked(Box::new(block), sum)))
    }
}

impl Runner<'_> {
    /// Why a way is neither proven nor refuted, for people.
    fn reason(&self, why: WhyOpen) -> String {
        let place = |[p, _]: [DVec3; 2]| self.script.place(p);
        match why {
            WhyOpen::Time => "the time of ⟦timeout⟧ is over".into(),
            WhyOpen::Stopped => "it was stopped".into(),
            WhyOpen::Regions(most) => format!(
                "{most} regions of space and time were looked at, and that is the limit; bodies with fewer triangles, or a shorter move, take fewer"
            ),
            WhyOpen::Near { points, gap } => format!(
                "at {} the surfaces pass each other {} apart, which rounding cannot tell from a contact; name the contact, or move past it with more room",
                place(points),
                self.script.length(gap)
            ),
            WhyOpen::Pressed { points } => format!(
                "at {} named features touch, but that they stay on their own sides is proven only to {}, and whether they press into each other is open; a larger tol may decide it",
                place(points),
                self.script.length(self.script.tolerance)
            ),
            WhyOpen::NoLength => "the tolerance is no length".into(),
        }
    }
}

enum Stop {
    /// By what, and what was proven before.
    Blocked(Box<Block>, KeptProof),
    Undecided(String),
}

/// The part of a way up to a fraction.
fn part_of(way: &SlidingMotion, t: f64) -> SlidingMotion {
    match *way {
        SlidingMotion::Straight { from, by } => SlidingMotion::Straight { from, by: by * t },
        SlidingMotion::Turn { from, point, axis, angle } => {
            SlidingMotion::Turn { from, point, axis, angle: angle * t }
        }
    }
}
