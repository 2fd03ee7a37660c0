/// How postures were decided, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// A pair that never moves touches: every posture does.
    pub always: u64,
    /// Free, as all pairs stayed within the gap that was proven for an earlier posture.
    pub kept: u64,
    /// The pair that touched last touches again.
    pub last: u64,
    /// A ball inside a body reaches another body.
    pub inner: u64,
    /// All balls around the bodies are free.
    pub spheres: u64,
    /// Free, but for some pairs the triangles or formulas had to tell.
    pub exact_free: u64,
    /// The triangles or formulas touch.
    pub exact_hit: u64,
    /// Pairs of parts that were decided exactly.
    pub exact_pairs: u64,
}

impl Stages {
    /// Postures.
    #[must_use]
    pub fn postures(&self) -> u64 {
        self.always + self.kept + self.last + self.inner + self.spheres + self.exact_free + self.exact_hit
    }

    /// What was counted since.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            always: self.always - before.always,
            kept: self.kept - before.kept,
            last: self.last - before.last,
            inner: self.inner - before.inner,
            spheres: self.spheres - before.spheres,
            exact_free: self.exact_free - before.exact_free,
            exact_hit: self.exact_hit - before.exact_hit,
            exact_pairs: self.exact_pairs - before.exact_pairs,
        }
    }

    /// Adds what another thread counted.
    pub fn add(&mut self, other: &Self) {
        self.always += other.always;
        self.kept += other.kept;
        self.last += other.last;
        self.inner += other.inner;
        self.spheres += other.spheres;
        self.exact_free += other.exact_free;
        self.exact_hit += other.exact_hit;
        self.exact_pairs += other.exact_pairs;
    }
}
