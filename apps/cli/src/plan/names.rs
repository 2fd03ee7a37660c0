//! Words of the command line for what the library asks.

use clap::ValueEnum;
use kansho::plan::job::{JobMotion, PlaceOf, RelaxationKind};

/// How the controller moves from point to point.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum KindName {
    /// All joints evenly, arriving together
    Ptp,
    /// Straight lines of the tool
    Lin,
}

impl KindName {
    pub(super) fn motion(self) -> JobMotion {
        match self {
            Self::Ptp => JobMotion::Ptp,
            Self::Lin => JobMotion::Lin,
        }
    }
}

/// What may be let go of.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum RelaxName {
    /// Finer rotations
    Rotation,
    /// Changes of branch within a stroke
    Branch,
    /// A smaller clearance
    Clearance,
    /// The tool from the other side
    Flip,
    /// A tilt of the tool
    Tilt,
    /// The work elsewhere
    Move,
    /// The work turned about the vertical
    Turn,
    /// A shorter tool
    Shorter,
    /// A tool that is bent otherwise
    Bend,
    /// The robot higher or lower
    Base,
    /// One obstacle left out
    Without,
}

impl RelaxName {
    /// All kinds where none is named.
    pub(super) fn kinds(names: &[Self]) -> Vec<RelaxationKind> {
        match names {
            [] => RelaxationKind::ALL.to_vec(),
            names => names.iter().map(|name| name.kind()).collect(),
        }
    }

    fn kind(self) -> RelaxationKind {
        match self {
            Self::Rotation => RelaxationKind::Rotation,
            Self::Branch => RelaxationKind::Branch,
            Self::Clearance => RelaxationKind::Clearance,
            Self::Flip => RelaxationKind::Flip,
            Self::Tilt => RelaxationKind::Tilt,
            Self::Move => RelaxationKind::Move,
            Self::Turn => RelaxationKind::Turn,
            Self::Shorter => RelaxationKind::Shorter,
            Self::Bend => RelaxationKind::Bend,
            Self::Base => RelaxationKind::Base,
            Self::Without => RelaxationKind::Without,
        }
    }
}

/// What is placed.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum OfName {
    /// All that stands still, with the path
    Work,
    /// The robot that works
    Robot,
}

impl OfName {
    pub(super) fn place(self) -> PlaceOf {
        match self {
            Self::Work => PlaceOf::Work,
            Self::Robot => PlaceOf::Robot,
        }
    }
}

/// A part of several: `2/5` is the second of five.
pub(super) fn shard(text: &str) -> Result<[usize; 2], String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some([k.parse().ok()?, n.parse().ok()?]));
    parts
        .filter(|[k, n]: &[usize; 2]| *k >= 1 && k <= n && *n <= 100_000)
        .ok_or_else(|| format!("{text} is no part of several, as 2/5 is the second of five"))
}

/// A length greater than zero, in metres.
pub(super) fn longer_than_zero(text: &str) -> Result<f64, String> {
    let length = text.parse::<f64>().ok().filter(|length| *length > 0.0 && length.is_finite());
    length.ok_or_else(|| format!("{text} is no length greater than zero"))
}
