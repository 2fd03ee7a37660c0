//! Any chain: damped least squares from many starts.

use super::chain::{Chain, ChainJoint};
use super::jacobian::smallest_singular_value;
use super::newton::{StepOptions, Steps, approach, misfit};
use super::solutions::{About, LeftOut, Nearness, Solutions};
use super::{ACCURACY, IkOptions, turns};
use kansho_geom::Pose;
use kansho_geom::random::Random;

/// Solutions whose numbers all differ by less, in radians or metres, are one: far more than what Newton's steps leave, far less than
/// what tells postures apart.
const SAME: f64 = 1e-6;

/// What is found for a pose from the seed, from the middle of the limits, and from scattered postures; always the same.
pub(super) fn solve(
    chain: &Chain,
    size: f64,
    wanted: &Pose,
    seed: Option<&[f64]>,
    options: &IkOptions,
    steps: &mut Steps,
    into: &mut Solutions,
) {
    let redundant = chain.joints.len() > 6;
    // Solutions of six joints are single points: whoever comes to one outside the limits may turn a joint back by whole turns. With
    // more joints there is room to keep within limits on the way; every third start goes freely all the same.
    let step = |start: usize| StepOptions {
        most: options.steps,
        within_limits: redundant && start % 3 != 2,
        enough: 1e-13,
    };
    let mut nearest = f64::INFINITY;
    let mut values = vec![0.0; chain.joints.len()];
    let first = usize::from(seed.is_none());
    for start in first..options.starts + first {
        for (index, (value, joint)) in values.iter_mut().zip(&chain.joints).enumerate() {
            *value = match (start, seed) {
                (0, Some(seed)) => seed[index],
                (1, _) => within(joint, size, 0.5),
                _ => within(joint, size, scattered(start, index)),
            };
        }
        approach(chain, size, wanted, &mut values, step(start), steps);
        let mut outside = None;
        for (index, joint) in chain.joints.iter().enumerate() {
            let to = seed.map_or(0.0, |seed| seed[index]);
            match turns::nearest(joint, values[index], to) {
                Ok(turn) => values[index] = turn,
                Err(beyond) => outside = outside.or(Some((joint.coordinate, beyond))),
            }
        }
        let root_from_tip = chain.root_from_tip(&values);
        let error = misfit(&root_from_tip, wanted);
        nearest = nearest.min(error);
        if !(error <= ACCURACY) {
            continue;
        }
        if let Some((coordinate, beyond)) = outside {
            let known = |left: &LeftOut| matches!(left, LeftOut::Limit { coordinate: c, beyond: b, .. } if *c == coordinate && (b - beyond).abs() < SAME);
            if !into.left_out.iter().any(known) {
                into.left_out.push(LeftOut::Limit { branch: None, coordinate, beyond });
            }
            continue;
        }
        if into.iter().any(|other| same(chain, other.values, &values)) {
            continue;
        }
        into.push(
            &values,
            About { branch: None, nearness: nearness(chain, size, &values, steps), misfit: error },
        );
        if redundant && into.len() >= options.most_of_family {
            break;
        }
    }
    if into.is_empty() && into.left_out.is_empty() {
        into.left_out.push(LeftOut::NotFound { starts: options.starts, nearest });
    }
}

/// How near a posture is to a singularity, by its Jacobian.
pub(super) fn nearness(chain: &Chain, size: f64, values: &[f64], steps: &mut Steps) -> Nearness {
    chain.with_twists(values, &mut steps.twists);
    Nearness::Smallest(smallest_singular_value(&steps.twists, size))
}

fn same(chain: &Chain, a: &[f64], b: &[f64]) -> bool {
    let near = |((x, y), joint): ((&f64, &f64), &ChainJoint)| {
        let apart = x - y;
        let apart = joint.period.map_or(apart, |period| apart - period * (apart / period).round());
        apart.abs() < SAME
    };
    a.iter().zip(b).zip(&chain.joints).all(near)
}

/// A part of a joint's range; a whole turn where there are no limits, or the chain's length.
fn within(joint: &ChainJoint, size: f64, part: f64) -> f64 {
    let (lower, upper) = match (joint.limits, joint.period) {
        (Some(limits), Some(period)) if limits.upper - limits.lower > period => {
            let middle = 0.5 * (limits.lower + limits.upper);
            (middle - 0.5 * period, middle + 0.5 * period)
        }
        (Some(limits), _) => (limits.lower, limits.upper),
        (None, Some(period)) => (-0.5 * period, 0.5 * period),
        (None, None) => (-size, size),
    };
    lower + (upper - lower) * part
}

/// Numbers from 0 to 1 without order, the same in every run.
fn scattered(start: usize, index: usize) -> f64 {
    Random::from_number((start as u64) << 20 | index as u64).fraction()
}
