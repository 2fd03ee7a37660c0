//! Numbers by chance, the same for the same seed.

/// SplitMix64 (Steele, Lea and Flood 2014): good enough to spread postures, and the same everywhere.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-53)
    }

    /// From 0 to below a count.
    pub(super) fn below(&mut self, count: usize) -> usize {
        ((self.fraction() * count as f64) as usize).min(count.saturating_sub(1))
    }
}
