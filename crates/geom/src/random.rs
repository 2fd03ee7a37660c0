//! Numbers by chance, the same for the same seed, everywhere.

/// SplitMix64 (Steele, Lea and Flood 2014): good enough to spread postures.
///
/// ```
/// use kansho_geom::random::Random;
/// let [mut one, mut other] = [Random::new(7), Random::new(7)];
/// let first = one.fraction();
/// assert!((0.0..1.0).contains(&first) && first == other.fraction() && first != one.fraction());
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

/// What the state grows by: 2⁶⁴ divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// The numbers of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers from one of many on, as if these had been drawn.
    #[must_use]
    pub fn from_number(number: u64) -> Self {
        Self(number.wrapping_sub(1).wrapping_mul(STEP))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-53)
    }

    /// From 0 to below a count.
    pub fn below(&mut self, count: usize) -> usize {
        ((self.fraction() * count as f64) as usize).min(count.saturating_sub(1))
    }
}
