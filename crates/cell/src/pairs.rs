//! Which bodies are checked against each other.
//!
//! All pairs are, but: two objects that stand still, and bodies on one link, because they never move relative to each
//! other; links that share a joint; what the SRDF disables; what the cell allows.

use crate::body::{Body, BodyId, Carrier};
use std::collections::HashMap;
use std::fmt;

/// Which pairs of bodies are checked, and why the others are not.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    checked: Vec<[BodyId; 2]>,
    not_checked: Vec<([BodyId; 2], NotChecked)>,
}

/// Why a pair is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotChecked {
    /// Both stand still in the world.
    StandStill,
    /// Both are carried by the same link.
    OneLink,
    /// They are links that share a joint.
    Neighbours {
        /// The joint.
        joint: String,
    },
    /// The SRDF takes them out.
    Disabled {
        /// Why, in its words.
        reason: String,
    },
    /// The cell allows them to touch.
    Allowed,
}

impl fmt::Display for NotChecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StandStill => f.write_str("both stand still"),
            Self::OneLink => f.write_str("carried by one link"),
            Self::Neighbours { joint } => write!(f, "neighbours at joint \"{joint}\""),
            Self::Disabled { reason } if reason.is_empty() => f.write_str("disabled by the SRDF"),
            Self::Disabled { reason } => write!(f, "disabled by the SRDF ({reason})"),
            Self::Allowed => f.write_str("allowed by the cell"),
        }
    }
}

impl Pairs {
    /// Sorts all pairs of bodies into those that are checked and those that are not.
    pub(crate) fn of(bodies: &[Body], mut by_name: HashMap<[BodyId; 2], NotChecked>) -> Self {
        let mut pairs = Self::default();
        for a in 0..bodies.len() {
            for b in a + 1..bodies.len() {
                let pair = [BodyId(a as u32), BodyId(b as u32)];
                let reason = match (bodies[a].carrier, bodies[b].carrier) {
                    (Carrier::World, Carrier::World) => Some(NotChecked::StandStill),
                    (one, other) if one == other => Some(NotChecked::OneLink),
                    _ => by_name.remove(&pair),
                };
                match reason {
                    Some(reason) => pairs.not_checked.push((pair, reason)),
                    None => pairs.checked.push(pair),
                }
            }
        }
        pairs
    }

    /// Pairs that are checked, the lower body first, in order.
    #[must_use]
    pub fn checked(&self) -> &[[BodyId; 2]] {
        &self.checked
    }

    /// Pairs that are not checked, and why.
    #[must_use]
    pub fn not_checked(&self) -> &[([BodyId; 2], NotChecked)] {
        &self.not_checked
    }
}
