//! Answers that say how sure they are.

use kansho_geom::pose_motion::Span;

/// What is known of a motion. "Nothing found" is not among it.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict<Certificate, Witness> {
    /// Proven: the clearance holds at every instant.
    Free(Certificate),
    /// There is an instant at which it does not; the witness says when it is first so, and where.
    Touches(Witness),
    /// The earliest span that is neither proven nor refuted.
    Undecided {
        /// In fractions of the whole motion.
        open: Span,
    },
}

impl<C, W> Verdict<C, W> {
    /// Whether it is proven free.
    #[must_use]
    pub fn is_free(&self) -> bool {
        matches!(self, Self::Free(_))
    }

    /// Whether a contact is proven.
    #[must_use]
    pub fn touches(&self) -> bool {
        matches!(self, Self::Touches(_))
    }

    /// `free`, `touches` or `undecided`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Free(_) => "free",
            Self::Touches(_) => "touches",
            Self::Undecided { .. } => "undecided",
        }
    }
}
