//! Sines and cosines of eight angles at once, for forward kinematics.
//!
//! They are the same on every processor: only sums and products in a fixed order, and no fused ones. Each is within one unit in the last
//! place of the truth. The angle is reduced by a multiple of π/2 of which 33 + 33 + 53 bits are known; on what is left, at most π/4, both
//! are polynomials of degree 13 and 14, with the known coefficients of least error on that range. Angles so large that their multiple
//! would not be exact are left to the standard library.

use fearless_simd::{Level, dispatch};
use std::f64::consts::FRAC_2_PI;

/// How many at once.
pub const TURNS: usize = 8;

/// Angles from here on are left to the standard library: their multiple of π/2 has no more than 17 bits.
const LARGE: f64 = 1e5;

/// Adding this rounds to an integer, which is then in the lowest bits.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// π/2 = `HIGH` + `MIDDLE` + `LOW`; the first two have 33 bits, so that their multiples are exact.
const HIGH: f64 = 1.570_796_326_734_125_6;
const MIDDLE: f64 = 6.077_100_506_303_966e-11;
const LOW: f64 = 2.022_266_248_795_950_6e-21;

/// `sin r ≈ r + r³ (S₀ + S₁ r² + ..)`, and `cos r ≈ 1 − r²/2 + r⁴ (C₀ + C₁ r² + ..)`.
const S: [f64; 6] = [
    -0.166_666_666_666_666_32,
    0.008_333_333_333_322_49,
    -0.000_198_412_698_298_579_5,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
const C: [f64; 6] = [
    0.041_666_666_666_666_6,
    -0.001_388_888_888_887_411,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// What works them out.
#[derive(Clone, Copy, Debug)]
pub struct Turns(Level);

impl Default for Turns {
    fn default() -> Self {
        Self(crate::lanes::level())
    }
}

impl Turns {
    /// The sine and the cosine of each angle.
    #[must_use]
    pub fn sin_cos(&self, angles: &[f64; TURNS]) -> [[f64; 2]; TURNS] {
        let level = self.0;
        let mut all = dispatch!(level, simd => {
            let _ = simd;
            reduced(angles)
        });
        for (of_angle, angle) in all.iter_mut().zip(angles) {
            // Also what is no number.
            if !(angle.abs() < LARGE) {
                *of_angle = angle.sin_cos().into();
            }
        }
        all
    }
}

/// Loops over plain arrays, which take on the instructions of the caller.
#[inline(always)]
fn reduced(angles: &[f64; TURNS]) -> [[f64; 2]; TURNS] {
    let (mut sines, mut cosines) = ([0.0; TURNS], [0.0; TURNS]);
    for k in 0..TURNS {
        let shifted = angles[k] * FRAC_2_PI + TO_INTEGER;
        let multiple = shifted - TO_INTEGER;
        // What is left is x + y, of which y is what rounding of x has lost.
        let once = angles[k] - multiple * HIGH;
        let more = multiple * MIDDLE;
        let twice = once - more;
        let lost = multiple * LOW - ((once - twice) - more);
        let x = twice - lost;
        let y = (twice - x) - lost;
        let z = x * x;
        let w = z * z;
        let tail = S[1] + z * (S[2] + z * S[3]) + z * w * (S[4] + z * S[5]);
        let v = z * x;
        let sin = x - ((z * (0.5 * y - v * tail) - y) - v * S[0]);
        let tail = z * (C[0] + z * (C[1] + z * C[2])) + w * w * (C[3] + z * (C[4] + z * C[5]));
        let half = 0.5 * z;
        let one = 1.0 - half;
        let cos = one + (((1.0 - one) - half) + (z * tail - x * y));
        // Quarter turns swap the two, and change signs.
        let quarter = shifted.to_bits();
        let (swapped_sin, swapped_cos) = if quarter & 1 == 0 { (sin, cos) } else { (cos, sin) };
        let of_sin = (quarter & 2) << 62;
        let of_cos = ((quarter + 1) & 2) << 62;
        sines[k] = f64::from_bits(swapped_sin.to_bits() ^ of_sin);
        cosines[k] = f64::from_bits(swapped_cos.to_bits() ^ of_cos);
    }
    std::array::from_fn(|k| [sines[k], cosines[k]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

    /// Units in the last place between two numbers near each other.
    fn units(x: f64, y: f64) -> f64 {
        let of = x.abs().max(y.abs()).max(f64::MIN_POSITIVE);
        (x - y).abs() / (of.next_up() - of)
    }

    #[test]
    fn they_agree_with_the_standard_library() {
        let mut seed = 3u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / 2f64.powi(53)
        };
        let turns = Turns::default();
        let plain = Turns(Level::baseline());
        let special =
            [0.0, -0.0, FRAC_PI_2, PI, -PI, FRAC_PI_4, 1e-300, 99_999.9, 1e5, 1e300, f64::INFINITY, f64::NAN];
        for case in 0..200_000 {
            let angles: [f64; TURNS] = std::array::from_fn(|k| match (case, k) {
                (0..12, _) => {
                    special.get(case).copied().unwrap_or(0.0)
                        * if k % 2 == 0 { 1.0 } else { 1.0 + f64::EPSILON }
                }
                // Near multiples of quarter turns, where much cancels.
                (_, 0) => (random() * 2000.0 - 1000.0).round() * FRAC_PI_2,
                (_, 1) => (random() * 8.0).round() * FRAC_PI_4 + 1e-9 * random(),
                (_, 2) => 2e5 * random() - 1e5,
                (_, 3) => 10f64.powf(-20.0 * random()),
                _ => 14.0 * random() - 7.0,
            });
            let found = turns.sin_cos(&angles);
            let same = found
                .iter()
                .flatten()
                .zip(plain.sin_cos(&angles).iter().flatten())
                .all(|(x, y)| x.to_bits() == y.to_bits());
            assert!(same || angles.iter().any(|angle| !angle.is_finite()), "{angles:?}");
            for (angle, [sin, cos]) in angles.iter().zip(found) {
                let (of_sin, of_cos) = angle.sin_cos();
                assert!(of_sin.is_nan() == sin.is_nan() && of_cos.is_nan() == cos.is_nan());
                if of_sin.is_finite() {
                    assert!(units(sin, of_sin) <= 1.0 && units(cos, of_cos) <= 1.0, "{angle}: {sin} {cos}");
                }
            }
        }
    }
}
