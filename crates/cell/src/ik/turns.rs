//! The same angle, whole turns apart.

use super::chain::ChainJoint;

/// How far a value may lie outside a limit and still count as on it, in radians or metres: a tenth of
/// [`super::ACCURACY`], because it is then put on the limit, which moves the tip by about that much.
pub const ON_LIMIT: f64 = 1e-10;

/// The turn of a value that is nearest to another and within limits; how far outside the nearest one is, if none is within.
#[inline]
pub(super) fn nearest(joint: &ChainJoint, value: f64, to: f64) -> Result<f64, f64> {
    let near = match joint.period {
        Some(period) if (to - value).abs() > period * 0.5 => value + period * ((to - value) / period).round(),
        _ => value,
    };
    let Some(limits) = joint.limits else { return Ok(near) };
    if limits.contain(near) {
        return Ok(near);
    }
    let Some(period) = joint.period else { return on_limit(joint, near) };
    // The first turn within from the side on which it is outside: that is the nearest, if there is any.
    let inward = if near > limits.upper {
        near - period * ((near - limits.upper - ON_LIMIT) / period).ceil().max(0.0)
    } else {
        near + period * ((limits.lower - ON_LIMIT - near) / period).ceil().max(0.0)
    };
    on_limit(joint, inward).map_err(|beyond| {
        // It lies between the upper limit and a turn above the lower one: which is nearer?
        let other = if near > limits.upper { inward + period } else { inward - period };
        beyond.min(outside(joint, other))
    })
}

fn on_limit(joint: &ChainJoint, value: f64) -> Result<f64, f64> {
    match (outside(joint, value), joint.limits) {
        (beyond, Some(limits)) if beyond <= ON_LIMIT => Ok(value.clamp(limits.lower, limits.upper)),
        (beyond, _) => Err(beyond),
    }
}

/// How far outside its limits a value is; zero within.
pub(super) fn outside(joint: &ChainJoint, value: f64) -> f64 {
    joint.limits.map_or(0.0, |limits| (limits.lower - value).max(value - limits.upper).max(0.0))
}

/// All turns of a value within limits, the least first; without limits only the value itself.
pub(super) fn all(joint: &ChainJoint, value: f64) -> Vec<f64> {
    let (Some(limits), Some(period)) = (joint.limits, joint.period) else { return vec![value] };
    let first = value + period * ((limits.lower - ON_LIMIT - value) / period).ceil();
    let turns = (0..).map(|k| first + f64::from(k) * period);
    // Limits a million turns apart are no limits; nobody wants to see them all.
    turns
        .take(MOST_TURNS)
        .take_while(|turn| *turn <= limits.upper + ON_LIMIT)
        .map(|turn| turn.clamp(limits.lower, limits.upper))
        .collect()
}

/// Most turns of one joint that are listed.
pub const MOST_TURNS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::Limits;
    use std::f64::consts::{PI, TAU};

    fn joint(lower: f64, upper: f64) -> ChainJoint {
        ChainJoint { coordinate: 0, limits: Some(Limits { lower, upper }), period: Some(TAU) }
    }

    #[test]
    fn turns_within_limits_are_found() {
        let wide = joint(-7.0, 7.0);
        assert_eq!(nearest(&wide, 1.0, 0.0), Ok(1.0));
        assert_eq!(nearest(&wide, 1.0, 7.0), Ok(1.0), "1 + 2 pi is outside");
        assert_eq!(nearest(&wide, 0.5, 7.0), Ok(0.5 + TAU));
        assert_eq!(all(&wide, 0.5), [0.5 - TAU, 0.5, 0.5 + TAU]);
        let narrow = joint(3.5, 4.0);
        assert!((nearest(&narrow, -2.5, 0.0).expect("a turn up") - (TAU - 2.5)).abs() < 1e-15);
        assert!((nearest(&narrow, 0.0, 0.0).expect_err("outside") - (TAU - 4.0)).abs() < 1e-15);
        assert!((nearest(&narrow, 3.0, 0.0).expect_err("outside") - 0.5).abs() < 1e-15);
        assert!(all(&narrow, 0.0).is_empty());
    }

    #[test]
    fn limits_count_as_within() {
        let half = joint(-PI, PI);
        assert_eq!(all(&half, PI), [-PI, PI]);
        assert_eq!(nearest(&half, PI + 1e-11, 3.0), Ok(PI));
        assert_eq!(nearest(&half, -PI - 1e-11, -3.0), Ok(-PI));
        assert!(nearest(&joint(-1.0, 1.0), 1.0 + 1e-9, 0.0).is_err());
    }
}
