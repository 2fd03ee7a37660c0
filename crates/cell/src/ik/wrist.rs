//! Three turns that make a rotation.

use super::solutions::BranchSign;
use super::turn::Turn;
use kansho_geom::glam::{DMat3, DVec3};

/// Below this angle between the first and the last axis, in radians, they count as aligned and one of the two turns is free: a tenth
/// of [`super::ACCURACY`], because the pose then fits whatever the choice.
pub(super) const ALIGNED: f64 = 1e-10;

/// Axes count as standing at right angles if the cosine is at most this; no unit. It is a few times the rounding, so that what
/// follows from it is as right as what is worked out.
const SQUARE: f64 = 1e-15;

/// Turns about three axes `h4`, `h5`, `h6`, given where no turn has been made yet. No two neighbours are parallel.
#[derive(Clone, Debug)]
pub(super) struct Wrist {
    h4: DVec3,
    h5: DVec3,
    h6: DVec3,
    /// At right angles to `h6`, and to both.
    u: DVec3,
    v: DVec3,
    /// Cosines of the angles between `h4` and `h5`, `h5` and `h6`.
    c45: f64,
    c56: f64,
    /// `h4 × h5`, the square of its length, and one through that.
    across: DVec3,
    across_sq: f64,
    per_across_sq: f64,
    /// What `x` is multiplied with for the cosine and the sine of the second turn, which takes `h6` to it.
    second_cos: DVec3,
    second_sin: DVec3,
    /// One through the largest determinant of the three axes.
    per_most: f64,
    /// If neighbours stand at right angles: the turn about `h5` from `h6` to `h4`, twice.
    twice: Option<Turn>,
}

/// What is free where the first and the last axis are aligned.
#[derive(Clone, Copy, Debug)]
pub(super) enum Free {
    /// The first turn is as given.
    First(Turn),
    /// The last turn is as given.
    Last(Turn),
}

/// Three turns, and how near the singularity is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    pub(super) turns: [Turn; 3],
    pub(super) nearness: f64,
    /// The first and the last axis are aligned, so that one of their turns is free.
    pub(super) aligned: bool,
    /// The other way is the same.
    pub(super) only: bool,
    /// It is out of reach, by no more than what was allowed for.
    pub(super) beyond: bool,
}

impl Wrist {
    pub(super) fn new(h4: DVec3, h5: DVec3, h6: DVec3) -> Self {
        let u = h6.any_orthonormal_vector();
        let across = h4.cross(h5);
        let across_sq = across.length_squared();
        let most = across.length() * h5.cross(h6).length();
        Self {
            h4,
            h5,
            h6,
            u,
            v: h6.cross(u),
            c45: h4.dot(h5),
            c56: h5.dot(h6),
            across,
            across_sq,
            per_across_sq: 1.0 / across_sq,
            second_cos: h6 - h5 * h5.dot(h6),
            second_sin: h5.cross(h6),
            per_most: 1.0 / most,
            twice: (h4.dot(h5).abs().max(h5.dot(h6).abs()) < SQUARE)
                .then(|| Turn::taking(h5, h6, h4).map(|turn| turn.and(turn)))
                .flatten(),
        }
    }

    /// The other way, from the turns of the first; none if it takes the whole computation.
    ///
    /// At right angles, half a turn about `h4` and half a turn about `h6` undo what it is to bend `h5` to the other side.
    #[inline]
    pub(super) fn other(&self, turns: &Turns) -> Option<Turns> {
        let twice = self.twice?;
        let [first, second, last] = turns.turns;
        Some(Turns { turns: [first.over(), second.back().and(twice), last.over()], ..*turns })
    }

    /// The frame in which [`Wrist::solve`] wants the columns of a rotation: those of `rotation * basis`.
    pub(super) fn basis(&self) -> DMat3 {
        DMat3::from_cols(self.u, self.v, self.h6)
    }

    /// The turns for a rotation, whose product with [`Wrist::basis`] is given. Otherwise, how far (as a cosine) it is out of reach.
    ///
    /// The last turn leaves `h6` where it is, so `w = R h6` is where the first two take it. The second takes it to a `x` with
    /// `h5·x = h5·h6` and `h4·x = h4·w`: two planes and the unit sphere meet in two points,
    ///
    /// ```text
    /// x = α h4 + β h5 ± √G / |h4×h5|² (h4×h5),  G = (1 − a²)(1 − c45²) − (c56 − a c45)²,  a = h4·w
    /// ```
    ///
    /// The first takes `x` to `w`. The last is what remains, so whatever error the others have, it does not add to it.
    #[inline]
    pub(super) fn solve(
        &self,
        rotated: &DMat3,
        way: BranchSign,
        free: Free,
        slack: f64,
    ) -> Result<Turns, f64> {
        let &Self { h4, h5, h6, u, v, c45, c56, across, across_sq, .. } = self;
        let w = rotated.z_axis;
        let a = h4.dot(w);
        // 1 − a² and c56 − a c45 without cancellation where h4 and w are nearly aligned.
        let sin_sq = h4.cross(w).length_squared();
        let e = if a > 0.0 {
            (c56 - c45) + c45 * 0.5 * (h4 - w).length_squared()
        } else {
            (c56 + c45) - c45 * 0.5 * (h4 + w).length_squared()
        };
        let product = sin_sq * across_sq;
        let g = product - e * e;
        let mut beyond = false;
        let root = if g > 0.0 {
            g.sqrt()
        } else {
            // |e| is a cosine times a sine, and so is what it is compared with.
            let by = e.abs() - product.sqrt();
            if by > slack.max(ALIGNED) {
                return Err(by);
            }
            beyond = by > ALIGNED;
            0.0
        };
        let x = (h4 * (a - c56 * c45) + h5 * e + across * (way.sign() * root)) * self.per_across_sq;
        let second = Turn::along(x.dot(self.second_cos), x.dot(self.second_sin)).unwrap_or(Turn::NONE);
        let aligned = sin_sq < ALIGNED * ALIGNED;
        let first = match (aligned, free) {
            (false, _) => {
                // Both have the same part along h4.
                let (from, to) = (x - h4 * a, w - h4 * a);
                Turn::along(from.dot(to), h4.dot(from.cross(to))).unwrap_or(Turn::NONE)
            }
            (true, Free::First(given)) => given,
            (true, Free::Last(given)) => {
                let moved = second.about(h5, given.about(h6, u));
                // If u ends along h4, v does not.
                let (from, to) = if moved.dot(h4).abs() < 0.8 {
                    (moved, rotated.x_axis)
                } else {
                    (second.about(h5, given.about(h6, v)), rotated.y_axis)
                };
                Turn::taking(h4, from, to).unwrap_or(Turn::NONE)
            }
        };
        let rest = second.back().about(h5, first.back().about(h4, rotated.x_axis));
        let last = Turn::along(u.dot(rest), v.dot(rest)).unwrap_or(Turn::NONE);
        Ok(Turns {
            turns: [first, second, last],
            nearness: root * self.per_most,
            aligned,
            only: aligned || root <= 0.0,
            beyond,
        })
    }

    /// `det(h4, h5, h6)` after the second turn, as part of the largest.
    pub(super) fn bend(&self, second: Turn) -> f64 {
        self.across.dot(second.about(self.h5, self.h6)) * self.per_most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::PI;

    fn rotation(wrist: &Wrist, angles: [f64; 3]) -> DMat3 {
        [wrist.h4, wrist.h5, wrist.h6]
            .iter()
            .zip(angles)
            .fold(DMat3::IDENTITY, |r, (axis, angle)| r * DMat3::from_axis_angle(*axis, angle))
    }

    fn check(wrist: &Wrist, angles: [f64; 3]) -> Result<(), TestCaseError> {
        let wanted = rotation(wrist, angles);
        let mut found_it = false;
        let mut singular = false;
        for free in [Free::First(Turn::by(0.4)), Free::Last(Turn::by(-1.0))] {
            for way in BranchSign::BOTH {
                let turns = match wrist.solve(&(wanted * wrist.basis()), way, free, 0.0) {
                    Ok(turns) => turns,
                    Err(by) => return Err(TestCaseError::fail(format!("out of reach by {by}"))),
                };
                let found = turns.turns.map(|turn| turn.sin.atan2(turn.cos));
                let off = (rotation(wrist, found) - wanted).to_cols_array();
                prop_assert!(off.iter().all(|x| x.abs() < 2e-10), "{:?} {:?}", found, off);
                prop_assert!(turns.nearness < 1e-6 || BranchSign::of(wrist.bend(turns.turns[1])) == way);
                if let Some(other) = wrist.other(&turns).filter(|_| turns.nearness > 1e-3) {
                    let opposite = if way == BranchSign::Plus { BranchSign::Minus } else { BranchSign::Plus };
                    let direct = wrist.solve(&(wanted * wrist.basis()), opposite, free, 0.0);
                    let direct = direct.map(|turns| turns.turns).unwrap_or([Turn::NONE; 3]);
                    for (x, y) in other.turns.iter().zip(direct) {
                        prop_assert!((x.cos - y.cos).abs() < 1e-11 && (x.sin - y.sin).abs() < 1e-11);
                    }
                }
                singular |= turns.nearness < 1e-3;
                let near = |(x, y): (&f64, &f64)| (1.0 - (x - y).cos()).sqrt() < 1e-9;
                found_it |= found.iter().zip(&angles).all(near);
            }
        }
        prop_assert!(found_it || singular);
        Ok(())
    }

    proptest! {
        #[test]
        fn right_angles(angles in prop::array::uniform3(-PI..PI)) {
            for h6 in [DVec3::X, -DVec3::X, DVec3::Z, DVec3::new(0.6, 0.0, -0.8)] {
                let wrist = Wrist::new(DVec3::X, DVec3::Y, h6);
                prop_assert!(wrist.twice.is_some());
                check(&wrist, angles)?;
            }
        }

        #[test]
        fn any_angles(angles in prop::array::uniform3(-PI..PI), tilt in 0.3..2.5f64, other in 0.3..2.5f64) {
            let h5 = DMat3::from_rotation_z(tilt) * DVec3::X;
            check(&Wrist::new(DVec3::X, h5, DMat3::from_rotation_z(other) * h5), angles)?;
        }

        /// Straight, or nearly so: the rotation fits whatever is chosen.
        #[test]
        fn nearly_straight(first in -PI..PI, exponent in -20.0..-2.0f64, last in -PI..PI, over: bool, tilt in 0.3..2.5f64) {
            let bend = 10f64.powf(exponent) + if over { PI } else { 0.0 };
            check(&Wrist::new(-DVec3::X, DVec3::Y, DVec3::X), [first, bend, last])?;
            let h5 = DMat3::from_rotation_z(tilt) * DVec3::X;
            check(&Wrist::new(DVec3::X, h5, DVec3::X), [first, 10f64.powf(exponent), last])?;
        }
    }
}
