//! How tools turn on circles of ABB.
//!
//! Unless a program says otherwise (`CirPathMode`), the tool turns evenly relative to a frame that goes along the circle. With R₀ and R₁ at
//! its ends, an angle θ of the circle about its axis n, and F the frame of the path:
//!
//! ```text
//! F(s) = Rot(n, θ s) F₀      R(s) = F(s) · slerp(F₀⁻¹ R₀, F₁⁻¹ R₁)(s)
//! ```
//!
//! If R₁ = Rot(n, φ) R₀, this is R(s) = Rot(n, φ s) R₀ as long as |φ − θ| is less than half a turn: the same as turning about one axis
//! relative to the work. Otherwise it is another motion, which is not understood.

use kansho_geom::Pose;
use kansho_geom::glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// How far the axis of a turn may be from that of the circle, times the angle, in radians: what printed digits leave open.
const ALMOST: f64 = 1e-4;

/// Whether a tool that turns evenly relative to the path also does relative to the work.
///
/// # Errors
/// If not, or if the points make no circle.
pub(super) fn is_plain(from: &Pose, via: DVec3, to: &Pose) -> Result<(), String> {
    let (a, b) = (via - from.translation(), to.translation() - from.translation());
    let axis = a.cross(b).try_normalize().ok_or("the three points make no circle")?;
    // The angle at the centre is twice that at the rim, on the other side of the chord.
    let at_via = (from.translation() - via).angle_between(to.translation() - via);
    let circle = TAU - 2.0 * at_via;
    let turn: DQuat = to.quat() * from.quat().inverse();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let about = DVec3::new(turn.x, turn.y, turn.z) * 2.0;
    let aside = about - axis * about.dot(axis);
    let angle = 2.0 * (about.dot(axis) * 0.5).atan2(turn.w);
    if aside.length() <= ALMOST && (angle - circle).abs() < PI - ALMOST {
        return Ok(());
    }
    Err("on this circle the tool turns relative to the path (CirPathMode), not about the circle's axis: this is not understood; CirPathMode\\ObjectFrame turns it relative to the work".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Beside the definition: where it is said to be plain, it is a turn about one axis; where the definition differs, it is not said.
        #[test]
        fn as_defined(circle in 0.2..6.0f64, turn in -3.0..3.0f64, tilt in prop::array::uniform3(-1.0..1.0f64), tilted in any::<bool>(), share in 0.2..0.8f64) {
            let first = Pose::from_rpy(DVec3::X, DVec3::from_array(tilt) * 2.0);
            let on = |angle: f64| DQuat::from_rotation_z(angle) * DVec3::X;
            let aside = if tilted { DQuat::from_rotation_x(0.3) } else { DQuat::IDENTITY };
            let last = aside * DQuat::from_rotation_z(turn) * first.quat();
            let to = Pose::from_quat(last, on(circle)).expect("a pose");
            let frame = |s: f64| DQuat::from_rotation_z(circle * s);
            let (rel_0, rel_1) = (frame(0.0).inverse() * first.quat(), frame(1.0).inverse() * last);
            prop_assume!((rel_0.dot(rel_1).abs()) > 0.02 && first.quat().dot(last).abs() > 0.02);
            let nearest = |a: DQuat, b: DQuat, s: f64| a.slerp(if a.dot(b) < 0.0 { -b } else { b }, s);
            let off = (0..=20)
                .map(|k| {
                    let s = f64::from(k) / 20.0;
                    let path = frame(s) * nearest(rel_0, rel_1, s);
                    path.angle_between(nearest(first.quat(), last, s))
                })
                .fold(0.0, f64::max);
            let plain = is_plain(&first, on(circle * share), &to).is_ok();
            prop_assert_eq!(plain, off < 1e-5, "off by {}", off);
        }
    }
}
