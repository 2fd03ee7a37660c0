//! Steps towards a pose: damped least squares.

use super::chain::Chain;
use super::jacobian::Twist;
use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DQuat, DVec3};

/// How far a pose is from the wanted one: metres and radians, the larger.
pub(super) fn misfit(found: &Pose, wanted: &Pose) -> f64 {
    // ‖A − B‖ = √2 · 2 sin(angle / 2): the angle where it is small, and not small where it is large.
    let turned = difference_sq(&found.rotation(), &wanted.rotation()) * 0.5;
    let shifted = found.translation().distance_squared(wanted.translation());
    turned.max(shifted).sqrt()
}

fn difference_sq(a: &DMat3, b: &DMat3) -> f64 {
    a.x_axis.distance_squared(b.x_axis)
        + a.y_axis.distance_squared(b.y_axis)
        + a.z_axis.distance_squared(b.z_axis)
}

/// The shift and the turn (axis times angle) that take one pose to another, in common axes.
fn way(found: &Pose, wanted: &Pose) -> (DVec3, DVec3) {
    let turn = DQuat::from_mat3(&(wanted.rotation() * found.rotation().transpose()));
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let (sin, cos) = (turn.xyz().length(), turn.w);
    // 2 atan2(sin, cos) / sin, which is 2 where the angle vanishes.
    let scale = if sin > 1e-9 { 2.0 * sin.atan2(cos) / sin } else { 2.0 };
    (wanted.translation() - found.translation(), turn.xyz() * scale)
}

/// Memory of the steps, used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    pub(super) twists: Vec<Twist>,
    trial: Vec<f64>,
}

/// How steps are taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepOptions {
    /// At most so many.
    pub(super) most: usize,
    /// Whether values stay within their limits on the way.
    pub(super) within_limits: bool,
    /// Small enough, in metres and radians.
    pub(super) enough: f64,
}

/// Takes values towards a pose and says how far the tip is from it in the end; never farther than at the start.
///
/// Levenberg and Marquardt's steps, `δ = Jᵀ (J Jᵀ + λ I)⁻¹ e`, with lengths as parts of the chain's size. λ falls with the error, so
/// near a regular solution they are Newton's.
pub(super) fn approach(
    chain: &Chain,
    size: f64,
    wanted: &Pose,
    values: &mut [f64],
    options: StepOptions,
    steps: &mut Steps,
) -> f64 {
    let Steps { twists, trial } = steps;
    let cost = |found: &Pose| {
        let (shift, turn) = way(found, wanted);
        (shift.length_squared() / (size * size) + turn.length_squared(), shift, turn)
    };
    let mut pose = chain.with_twists(values, twists);
    let (mut here, mut shift, mut turn) = cost(&pose);
    let mut caution = 1e-3;
    for _ in 0..options.most {
        if misfit(&pose, wanted) <= options.enough {
            break;
        }
        let error = [shift.x / size, shift.y / size, shift.z / size, turn.x, turn.y, turn.z];
        let lambda = caution * here + 1e-20;
        if !step(twists, size, error, lambda, values, trial) {
            break;
        }
        if options.within_limits {
            // A joint that is pressed against its limit stays there, and the others do without it.
            let mut pressed = false;
            for (k, joint) in chain.joints.iter().enumerate() {
                let Some(limits) = joint.limits else { continue };
                if (values[k] <= limits.lower && trial[k] < values[k])
                    || (values[k] >= limits.upper && trial[k] > values[k])
                {
                    twists[k] = Twist { linear: DVec3::ZERO, angular: DVec3::ZERO };
                    pressed = true;
                }
            }
            if pressed && !step(twists, size, error, lambda, values, trial) {
                break;
            }
            for (value, joint) in trial.iter_mut().zip(&chain.joints) {
                *value = joint.limits.map_or(*value, |limits| value.clamp(limits.lower, limits.upper));
            }
        }
        let next = cost(&chain.root_from_tip(trial));
        if next.0 < here {
            // A step that gains next to nothing will not be the last such one.
            let stuck = next.0 > here * 0.999_999;
            values.copy_from_slice(trial);
            pose = chain.with_twists(values, twists);
            (here, shift, turn) = next;
            caution = (caution * 0.2).max(1e-9);
            if stuck {
                break;
            }
        } else {
            caution *= 10.0;
            if caution > 1e9 {
                break;
            }
            if options.within_limits {
                // Those that were pressed may be free in a shorter step.
                pose = chain.with_twists(values, twists);
            }
        }
    }
    misfit(&pose, wanted)
}

/// Values after a step of damped least squares; whether there is one.
fn step(
    twists: &[Twist],
    size: f64,
    error: [f64; 6],
    lambda: f64,
    values: &[f64],
    trial: &mut Vec<f64>,
) -> bool {
    let Some([x, y, z, u, v, w]) = solve(twists, size, error, lambda) else { return false };
    let (shift, turn) = (DVec3::new(x, y, z) / size, DVec3::new(u, v, w));
    trial.clear();
    let along = |twist: &Twist| shift.dot(twist.linear) + turn.dot(twist.angular);
    trial.extend(values.iter().zip(twists).map(|(value, twist)| value + along(twist)));
    true
}

/// `(J Jᵀ + λ I)⁻¹ e` by Cholesky's factors.
fn solve(twists: &[Twist], size: f64, error: [f64; 6], lambda: f64) -> Option<[f64; 6]> {
    let mut matrix = [[0.0; 6]; 6];
    for twist in twists {
        let [x, y, z] = (twist.linear / size).to_array();
        let [u, v, w] = twist.angular.to_array();
        let column = [x, y, z, u, v, w];
        for row in 0..6 {
            for col in 0..=row {
                matrix[row][col] += column[row] * column[col];
            }
        }
    }
    let most = (0..6).fold(0.0, |most: f64, k| most.max(matrix[k][k]));
    // What rounding may take from a pivot.
    let lambda = lambda.max(most * 1e-15);
    for row in 0..6 {
        for col in 0..=row {
            let known: f64 = (0..col).map(|k| matrix[row][k] * matrix[col][k]).sum();
            let rest = matrix[row][col] - known;
            matrix[row][col] = if row != col {
                rest / matrix[col][col]
            } else if rest + lambda > 0.0 {
                (rest + lambda).sqrt()
            } else {
                return None;
            };
        }
    }
    let mut x = error;
    for row in 0..6 {
        for k in 0..row {
            x[row] -= matrix[row][k] * x[k];
        }
        x[row] /= matrix[row][row];
    }
    for row in (0..6).rev() {
        for k in row + 1..6 {
            x[row] -= matrix[k][row] * x[k];
        }
        x[row] /= matrix[row][row];
    }
    Some(x)
}
