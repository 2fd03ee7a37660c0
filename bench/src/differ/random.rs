//! Numbers that are the same every time.

use kansho::geom::Pose;
use kansho::geom::glam::{DQuat, DVec3};

/// SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of one case of a run.
    pub(crate) fn of(seed: u64, case: u64) -> Self {
        let mut random =
            Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ case.wrapping_mul(0xd6e8_feb8_6659_fd93));
        random.bits();
        random
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count - 1)
    }

    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::from_array(std::array::from_fn(|_| self.between(-1.0, 1.0)));
            if v.length_squared() <= 1.0
                && let Some(unit) = v.try_normalize()
            {
                return unit;
            }
        }
    }

    /// A rotation; one in four keeps axes parallel, for that is where faces and edges meet evenly.
    pub(crate) fn rotation(&mut self) -> DQuat {
        if self.below(4) == 0 {
            let quarter = std::f64::consts::FRAC_PI_2;
            let [x, y, z] = std::array::from_fn(|_| quarter * self.below(4) as f64);
            return DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y) * DQuat::from_rotation_z(z);
        }
        DQuat::from_axis_angle(self.direction(), self.between(0.0, std::f64::consts::TAU))
    }

    pub(crate) fn pose(&mut self, at: DVec3) -> Pose {
        Pose::from_quat(self.rotation(), at).expect("a rotation")
    }
}
