/// A span of time, as fractions of a motion or of a piece of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its beginning.
    pub start: f64,
    /// Its end.
    pub end: f64,
}

impl Span {
    /// All of it.
    pub const WHOLE: Self = Self { start: 0.0, end: 1.0 };

    /// From one instant to another.
    #[must_use]
    pub const fn new(start: f64, end: f64) -> Self {
        Self { start, end }
    }

    /// The instant between.
    #[must_use]
    pub fn middle(&self) -> f64 {
        0.5 * (self.start + self.end)
    }

    /// How long it is.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.end - self.start
    }

    /// The early and the late half.
    #[must_use]
    pub fn halves(&self) -> [Self; 2] {
        let middle = self.middle();
        [Self::new(self.start, middle), Self::new(middle, self.end)]
    }

    /// The instant at a fraction of it; its ends exactly.
    #[must_use]
    pub fn at(&self, fraction: f64) -> f64 {
        if fraction >= 1.0 { self.end } else { self.start + fraction * self.length() }
    }

    /// A span of its fractions.
    #[must_use]
    pub fn part(&self, fractions: Self) -> Self {
        Self::new(self.at(fractions.start), self.at(fractions.end))
    }
}
