//! From a candidate to a solution: limits, forward kinematics, and Newton's steps where they are needed.

use super::super::frame::Frame;
use super::super::newton::{StepOptions, Steps, approach, misfit};
use super::super::solutions::{About, Branch, LeftOut, Nearness, Solution, Solutions};
use super::super::turn::Turn;
use super::super::{ACCURACY, POLISHED_ABOVE, turns};
use super::{Closed, Wanted};

/// Candidates of one branch that Newton's steps bring together this closely are one, as one minus the cosine: angles of 1e-6.
const MEET: f64 = 5e-13;

/// A joint that has been turned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set {
    pub(super) turn: Turn,
    /// Its value, in the turn that is wanted.
    value: f64,
    /// How far outside its limits that is.
    outside: f64,
    /// It is on a limit, where it may have been moved to by less than a last digit.
    on_limit: bool,
}

impl Closed {
    /// The value of a joint that has turned so, in the turn nearest to the seed.
    #[inline]
    pub(super) fn set(&self, wanted: &Wanted<'_>, k: usize, turn: Turn) -> Set {
        let value = (self.angles.of(turn) - self.offsets[k]) * self.per_multiplier[k];
        let joint = &wanted.chain.joints[k];
        match turns::nearest(joint, value, wanted.seed.map_or(0.0, |seed| seed[k])) {
            Ok(value) => {
                let inside = joint.limits.is_none_or(|l| l.lower < value && value < l.upper);
                Set { turn, value, outside: 0.0, on_limit: !inside }
            }
            Err(outside) => Set { turn, value, outside, on_limit: false },
        }
    }

    /// Takes a candidate if it is within limits and forward kinematics agree.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "it ends two loops, which have worked out all of these")]
    pub(super) fn offer(
        &self,
        wanted: &Wanted<'_>,
        sets: &[Set; 6],
        tip: impl FnOnce() -> Frame,
        branch: Branch,
        nearness: Nearness,
        steps: &mut Steps,
        into: &mut Solutions,
    ) {
        // An arm that is not quite what the formulas take it for may be within limits after Newton's steps.
        let maybe = 1e3 * self.mismatch;
        if let Some((set, joint)) = sets.iter().zip(&wanted.chain.joints).find(|(set, _)| set.outside > maybe)
        {
            let (coordinate, beyond) = (joint.coordinate, set.outside);
            into.left_out.push(LeftOut::Limit { branch: Some(branch), coordinate, beyond });
            return;
        }
        let values = sets.map(|set| set.value);
        let error = tip().misfit(&Frame::new(&wanted.root_from_tip));
        // On a limit, the value may not be quite that of the turn.
        if error <= POLISHED_ABOVE && !sets.iter().any(|set| set.on_limit || set.outside > 0.0) {
            into.push(&values, About { branch: Some(branch), nearness, misfit: error });
        } else {
            self.polish(wanted, values, branch, nearness, steps, into);
        }
    }

    /// Takes a candidate after Newton's steps, if it needs them.
    #[cold]
    fn polish(
        &self,
        wanted: &Wanted<'_>,
        mut values: [f64; 6],
        mut branch: Branch,
        mut nearness: Nearness,
        steps: &mut Steps,
        into: &mut Solutions,
    ) {
        let chain = wanted.chain;
        if !(misfit(&chain.root_from_tip(&values), &wanted.root_from_tip) <= POLISHED_ABOVE) {
            let options = StepOptions { most: 12, within_limits: false, enough: 1e-13 };
            approach(chain, wanted.size, &wanted.root_from_tip, &mut values, options, steps);
            // Steps may lead across to what another candidate comes to as well.
            (branch, nearness) = self.branch(chain, &values);
            let same = |x: &f64, y: &f64| Turn::by(x - y).cos > 1.0 - MEET;
            let known = |other: Solution<'_>| other.values.iter().zip(&values).all(|(x, y)| same(x, y));
            if into.iter().any(|other| other.branch == Some(branch) && known(other)) {
                return;
            }
        }
        for (k, joint) in chain.joints.iter().enumerate() {
            match turns::nearest(joint, values[k], wanted.seed.map_or(0.0, |seed| seed[k])) {
                Ok(turn) => values[k] = turn,
                Err(beyond) => {
                    let coordinate = joint.coordinate;
                    into.left_out.push(LeftOut::Limit { branch: Some(branch), coordinate, beyond });
                    return;
                }
            }
        }
        let error = misfit(&chain.root_from_tip(&values), &wanted.root_from_tip);
        if error <= ACCURACY {
            into.push(&values, About { branch: Some(branch), nearness, misfit: error });
        } else {
            into.left_out.push(LeftOut::NotVerified { branch: Some(branch), misfit: error });
        }
    }
}
