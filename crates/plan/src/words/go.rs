//! The one place that moves the body: as far as it is proven.

use super::answer::{Block, Leg, Status};
use super::lasting::Lasting;
use super::run::{DRIFT, Runner};
use super::script::Move;
use kansho_check::kept::{KeptOptions, KeptProof, MayTouch, Way, kept, overlap};
use kansho_check::verdict::Verdict;

/// Ways on which no point moves farther than this fraction of the size are none.
const NOTHING: f64 = 1e-12;

/// Most regions that a proof of one way takes.
const MOST_REGIONS: u64 = 2_000_000;

/// A way that is wanted, and what may touch on it.
pub(super) struct Wish<'a> {
    pub(super) word: &'static str,
    pub(super) way: Way,
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
                    let what = format!(
                        "\"{}\" cannot be kept on this way: it would be off by {by:.3e} m",
                        touch.text
                    );
                    return Err(Status::Contradiction { what });
                }
                Lasting::Undecided(t) => {
                    let what = format!("whether \"{}\" lasts beyond {t:.9} of the way", touch.text);
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
            legs.push(Leg { word: wish.word, way, keep: wish.keep.to_vec(), proof });
        }
        end
    }

    /// Whether the body moves on a way.
    fn moves(&self, way: &Way) -> bool {
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

    fn prove(&self, way: &Way, wish: &Wish<'_>) -> Result<KeptProof, Stop> {
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
