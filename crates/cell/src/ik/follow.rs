//! From one posture to the next on the same branch.

use super::jacobian::determinant;
use super::newton::{StepOptions, approach, misfit};
use super::solutions::{ArmPart, LeftOut, Nearness, Solutions};
use super::{ACCURACY, Ik, Solver, numerical, turns};
use kansho_geom::Pose;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Largest turn of a joint from one pose to the next, in radians: a quarter turn. Beyond a straight wrist, the same branch is half a turn
/// away; if steps are halved and such a jump stays, there is a singularity.
pub const JUMP: f64 = FRAC_PI_2;

/// Where a branch goes on from a posture.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// To this posture, which reproduces the pose.
    On {
        /// Values of the chain's joints.
        values: Vec<f64>,
        /// How near a singularity is.
        nearness: Nearness,
        /// The largest change of a joint, in radians or metres.
        change: f64,
    },
    /// Nowhere.
    Ends(BranchEnd),
}

/// Why a branch does not go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BranchEnd {
    /// The posture before is in a singularity: it lies on several branches.
    StartSingular(Nearness),
    /// The next one is in a singularity.
    Singular(Nearness),
    /// A singularity lies between the two: the determinant of the Jacobian changes its sign.
    Passed,
    /// A joint would turn by more than [`JUMP`]: a singularity was passed, or the poses are too far from each other to tell.
    Jump {
        /// Which number of the cell's posture.
        coordinate: usize,
        /// By how much.
        change: f64,
    },
    /// A joint would leave its limits.
    Limit {
        /// Which number of the cell's posture.
        coordinate: usize,
        /// By how much.
        beyond: f64,
    },
    /// The pose is out of reach.
    OutOfReach {
        /// For which part.
        part: ArmPart,
        /// By how much.
        by: f64,
    },
    /// No posture was found that reproduces the pose; the best misses it by so much.
    Lost {
        /// Metres and radians.
        misfit: f64,
    },
}

impl Ik {
    /// The posture for a pose that is on the same branch as the one before, each joint in the turn nearest to it.
    ///
    /// `scratch` is memory that is used again.
    ///
    /// # Panics
    /// If there is not one value for each joint of the chain.
    #[must_use]
    pub fn follow(&self, world_from_tip: &Pose, last: &[f64], scratch: &mut Solutions) -> Followed {
        self.assert_count(last);
        match &self.solver {
            Solver::Closed(closed) => {
                let (branch, nearness) = closed.branch(&self.chain, last);
                if nearness.is_singular() {
                    return Followed::Ends(BranchEnd::StartSingular(nearness));
                }
                self.solve_into(world_from_tip, Some(last), scratch);
                let Some(next) = scratch.iter().find(|solution| solution.branch == Some(branch)) else {
                    return Followed::Ends(why(scratch, branch));
                };
                if next.nearness.is_singular() {
                    return Followed::Ends(BranchEnd::Singular(next.nearness));
                }
                self.went(last, next.values, next.nearness)
            }
            Solver::Numerical(_) => self.follow_numerically(world_from_tip, last, scratch),
        }
    }

    fn follow_numerically(&self, world_from_tip: &Pose, last: &[f64], scratch: &mut Solutions) -> Followed {
        let steps = &mut scratch.steps;
        let before = numerical::nearness(&self.chain, self.size, last, steps);
        if before.is_singular() {
            return Followed::Ends(BranchEnd::StartSingular(before));
        }
        let sign = determinant(&steps.twists);
        let wanted = self.chain.world_from_root.inverse() * *world_from_tip;
        let mut values = last.to_vec();
        let options =
            StepOptions { most: self.options.steps, within_limits: values.len() > 6, enough: 1e-13 };
        approach(&self.chain, self.size, &wanted, &mut values, options, steps);
        let missed = misfit(&self.chain.root_from_tip(&values), &wanted);
        if !(missed <= ACCURACY) {
            return Followed::Ends(BranchEnd::Lost { misfit: missed });
        }
        for (value, joint) in values.iter_mut().zip(&self.chain.joints) {
            let beyond = turns::outside(joint, *value);
            if beyond > turns::ON_LIMIT {
                return Followed::Ends(BranchEnd::Limit { coordinate: joint.coordinate, beyond });
            }
        }
        let after = numerical::nearness(&self.chain, self.size, &values, steps);
        if after.is_singular() {
            return Followed::Ends(BranchEnd::Singular(after));
        }
        // Of six joints; there is no such sign for others.
        if sign.zip(determinant(&steps.twists)).is_some_and(|(a, b)| a * b < 0.0) {
            return Followed::Ends(BranchEnd::Passed);
        }
        self.went(last, &values, after)
    }

    /// Whether the turn that is nearest to the last posture was within limits.
    fn went(&self, last: &[f64], next: &[f64], nearness: Nearness) -> Followed {
        let mut change: f64 = 0.0;
        for ((from, to), joint) in last.iter().zip(next).zip(&self.chain.joints) {
            let apart = to - from;
            let coordinate = joint.coordinate;
            let turned = joint.period.map_or(0.0, |period| period * (apart / period).round());
            let jump = (apart - turned).abs();
            if joint.period.is_some_and(|period| jump > JUMP * period / TAU) {
                return Followed::Ends(BranchEnd::Jump { coordinate, change: jump });
            }
            if turned.abs() > 0.0 {
                let beyond = turns::outside(joint, to - turned);
                return Followed::Ends(BranchEnd::Limit { coordinate, beyond });
            }
            change = change.max(jump);
        }
        Followed::On { values: next.to_vec(), nearness, change }
    }
}

/// What became of a branch that is not among the solutions.
fn why(solutions: &Solutions, wanted: super::Branch) -> BranchEnd {
    let of_branch = |left: &LeftOut| match *left {
        LeftOut::Limit { branch, coordinate, beyond } if branch == Some(wanted) => {
            Some(BranchEnd::Limit { coordinate, beyond })
        }
        LeftOut::NotVerified { branch, misfit } if branch == Some(wanted) => Some(BranchEnd::Lost { misfit }),
        _ => None,
    };
    let out_of_reach = |left: &LeftOut| match *left {
        LeftOut::OutOfReach { part, by } => Some(BranchEnd::OutOfReach { part, by }),
        _ => None,
    };
    let mut left = solutions.left_out.iter();
    let found = left.clone().find_map(of_branch).or_else(|| left.find_map(out_of_reach));
    // Two branches that coincide are listed as one: that is a singularity.
    found.unwrap_or_else(|| {
        let singular = solutions.iter().map(|solution| solution.nearness).find(Nearness::is_singular);
        singular.map_or(BranchEnd::Lost { misfit: f64::INFINITY }, BranchEnd::Singular)
    })
}
