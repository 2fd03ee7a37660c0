//! A way from one posture to another through free space.
//!
//! | part | answers |
//! |---|---|
//! | [`find_transfer`] | the whole question |
//! | `space` | where may postures be, and how far are they from each other? |
//! | `prover` | is a line between two postures free, and if not, how far? |
//! | `tree` | postures that are reached by proven lines |
//! | `search` | two trees that grow toward each other |
//! | `shorten` | the same way with less of a detour |
//!
//! # How
//!
//! The straight line is tried first. Otherwise a tree grows from either end ([RRT-Connect](https://doi.org/10.1109/ROBOT.2000.844730)):
//! toward a random posture by at most a step, then from the other tree straight toward what is new, as far as that is free. Some postures of
//! a line are asked first, because that is sooner done, but every line of a tree is proven by [`MotionScene::motion`]; one that touches still
//! leads up to just before its first contact. A way that was found is made shorter by lines between its points, and by moving single coordinates more directly; then the whole of it is proven once more.
//!
//! All of this is counted, not timed: a time limit ends the search and changes nothing else.

mod prover;
mod search;
mod shorten;
mod space;
mod tree;

use kansho_cell::JointMotion;
use kansho_check::motion::{Contact, MotionProof, MotionScene};
use kansho_check::scene::PairId;
use kansho_check::verdict::Verdict;
use kansho_geom::random::Random;
use prover::{Prover, Stop};
use space::Space;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What is wanted of a way, and how far to go for it.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferOptions {
    /// The gap that is wanted everywhere, in metres.
    pub clearance: f64,
    /// How much a radian or a metre of each coordinate counts, for lengths and for what is near; 1 for those that are not given.
    /// Positive and finite.
    pub weights: Vec<f64>,
    /// Another seed, another way.
    pub seed: u64,
    /// The longest line that is tried toward a random posture, in weighted radians and metres. Positive.
    pub step: f64,
    /// Random postures, at most.
    pub most_samples: usize,
    /// Lines that the search for a way looks at, at most.
    pub most_edges: usize,
    /// Lines that are tried to make a way shorter. None leaves it as it was found.
    pub shortcuts: usize,
    /// Time for all, if it is limited. What is not done by then is not found.
    pub time_limit: Option<Duration>,
}

impl Default for TransferOptions {
    fn default() -> Self {
        Self {
            clearance: 0.0,
            weights: Vec::new(),
            seed: 0,
            step: 1.5,
            most_samples: 1_000_000,
            most_edges: 100_000,
            shortcuts: 60,
            time_limit: None,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Transfer {
    /// A way, proven free.
    Found {
        /// Lines from the first posture to the last. Where a coordinate turns without end, it ends a number of whole turns from what was asked
        /// for, so that every line takes the shorter turn.
        motion: JointMotion,
        /// What [`MotionScene::motion`] says of the whole of it.
        proof: MotionProof,
        /// Its length: of each line, the root of the sum of squares of all weighted coordinates.
        length: f64,
        /// What it took.
        effort: Effort,
    },
    /// None. That does not mean that there is none, unless an end is no good.
    NotFound {
        /// Why.
        why: WhyNot,
        /// What it took.
        effort: Effort,
    },
}

/// Why no way was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WhyNot {
    /// An end is outside the limits of a coordinate, or no number.
    Outside {
        /// Which end.
        end: End,
        /// Which coordinate of the cell, from 0: the first of those that are.
        coordinate: usize,
    },
    /// At an end, something is nearer than the clearance. There is no way.
    Touches {
        /// Which end.
        end: End,
        /// What.
        pair: PairId,
        /// The gap there.
        gap: f64,
    },
    /// Whether an end is free could not be told.
    Undecided {
        /// Which end.
        end: End,
    },
    /// The time was over.
    OutOfTime,
    /// As many postures or lines were tried as allowed.
    TriedEnough,
}

/// One of the two postures of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where it begins.
    Start,
    /// Where it is to end.
    Goal,
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Random postures.
    pub samples: usize,
    /// Postures that were asked whether they touch.
    pub postures: usize,
    /// Lines that were looked at.
    pub edges: usize,
    /// Points of the two trees together.
    pub points: usize,
}

/// A way from one posture to another, or why none was found.
///
/// ```
/// use kansho_cell::builtin;
/// use kansho_check::{motion::MotionScene, scene::Scene};
/// use kansho_plan::transfer::{Transfer, TransferOptions, find_transfer};
/// use std::sync::Arc;
///
/// let scene = Scene::new(Arc::new(builtin::cell())).with_models();
/// let scene = MotionScene::new(&scene);
/// let mut turned = builtin::home();
/// turned[0] = 2.0;
/// let Transfer::Found { motion, .. } = find_transfer(&scene, &builtin::home(), &turned, &TransferOptions::default()) else {
///     panic!("there is room to turn")
/// };
/// assert_eq!(motion.at(1.0), turned);
/// ```
///
/// # Panics
/// If a posture does not have one number per coordinate of the cell, or an option is not as it says.
#[must_use]
pub fn find_transfer(
    scene: &MotionScene<'_>,
    start: &[f64],
    goal: &[f64],
    options: &TransferOptions,
) -> Transfer {
    find_transfer_unless(scene, start, goal, options, None)
}

/// As [`find_transfer`], until somebody says stop: then the time is over.
///
/// # Panics
/// As [`find_transfer`].
#[must_use]
pub fn find_transfer_unless(
    scene: &MotionScene<'_>,
    start: &[f64],
    goal: &[f64],
    options: &TransferOptions,
    stop: Option<&AtomicBool>,
) -> Transfer {
    let deadline = options.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let space = Space::new(scene.cell(), &options.weights);
    let mut prover = Prover::new(scene, options.clearance, deadline, stop);
    let found = find(&space, start, goal, options, &mut prover);
    let effort = prover.effort;
    match found {
        Ok((motion, proof, length)) => Transfer::Found { motion, proof, length, effort },
        Err(why) => Transfer::NotFound { why, effort },
    }
}

fn find(
    space: &Space,
    start: &[f64],
    goal: &[f64],
    options: &TransferOptions,
    prover: &mut Prover<'_, '_>,
) -> Result<(JointMotion, MotionProof, f64), WhyNot> {
    assert!(options.step > 0.0, "a step has a length");
    for (end, posture) in [(End::Start, start), (End::Goal, goal)] {
        assert_eq!(posture.len(), space.count(), "a posture has one number per coordinate");
        if let Some(coordinate) = space.outside(posture) {
            return Err(WhyNot::Outside { end, coordinate });
        }
        prover.stands(posture, end)?;
    }
    let mut random = Random::new(options.seed);
    loop {
        let mut postures = search::search(space, [start, goal], options, &mut random, prover)?;
        shorten::shorten(space, &mut postures, options.shortcuts, &mut random, prover)?;
        let motion = JointMotion::lines(&postures).expect("two finite postures or more");
        match prover.whole(&motion, Contact::Any)? {
            Verdict::Free(proof) => return Ok((motion, proof, space.length(&postures))),
            // A line was proven up to a contact, and cut off just before it: that is a new line, and rounding may tell. Once more.
            Verdict::Touches(_) | Verdict::Undecided { .. } => {
                if prover.effort.edges >= options.most_edges {
                    return Err(WhyNot::TriedEnough);
                }
            }
        }
    }
}

impl From<Stop> for WhyNot {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Late => Self::OutOfTime,
            Stop::Enough => Self::TriedEnough,
        }
    }
}
