//! What came of every move.

use super::touch::Touch;
use kansho_check::sliding_contact::{KeptProof, SlidingMotion};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;

/// What came of a script: its moves up to the first that does not reach its end.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Where it began.
    pub start: Pose,
    /// One for each move that was tried.
    pub steps: Vec<MoveAnswer>,
    /// How far kept contacts are off at most on all ways, in metres, as bounds of formulas.
    pub drift: f64,
}

/// What came of one move.
#[derive(Clone, Debug)]
pub struct MoveAnswer {
    /// Number of the move, from 0.
    pub number: usize,
    /// Line of the script.
    pub line: u32,
    /// The verb.
    pub verb: &'static str,
    /// How it went, each way proven.
    pub legs: Vec<Leg>,
    /// Where it ended.
    pub pose: Pose,
    /// Contacts of the script that are closed there.
    pub contacts: Vec<ContactAt>,
    /// What these leave.
    pub freedoms: Freedoms,
    /// How it ended.
    pub status: Status,
    /// Poses of a path, by spacing, with the direction into the work.
    pub samples: Vec<Sample>,
}

/// One straight way or turn.
#[derive(Clone, Debug)]
pub struct Leg {
    /// What it is: `approach`, `slide`, `pivot`, `turn`, `orient`, `follow`, `settle`.
    pub word: &'static str,
    /// The way.
    pub way: SlidingMotion,
    /// Numbers of the contacts that last all the way.
    pub keep: Vec<usize>,
    /// Numbers of the contacts that may be on it: these, and others.
    pub may_touch: Vec<usize>,
    /// Why nothing else touches: regions that were proven, over all bodies.
    pub proof: KeptProof,
}

impl Leg {
    /// How far: metres, or radians.
    #[must_use]
    pub fn parameter(&self) -> f64 {
        match self.way {
            SlidingMotion::Straight { by, .. } => by.length(),
            SlidingMotion::Turn { angle, .. } => angle.abs(),
        }
    }

    /// Whether it turns.
    #[must_use]
    pub fn turns(&self) -> bool {
        matches!(self.way, SlidingMotion::Turn { .. })
    }
}

/// A pose of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Of the moved body.
    pub pose: Pose,
    /// Where it touches.
    pub point: DVec3,
    /// The direction into the work.
    pub into: DVec3,
}

/// A closed contact.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactAt {
    /// Its number in the script.
    pub touch: usize,
    /// The corners of what touches.
    pub points: Vec<DVec3>,
}

/// What closed contacts leave free, if all of them are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Freedoms {
    /// How many.
    pub count: usize,
    /// Which.
    pub words: String,
}

/// How a move ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// As planned, and proven.
    Reached,
    /// Something is in the way.
    Blocked(Box<Block>),
    /// There are several ends; poses of each.
    Ambiguous(Vec<Pose>),
    /// A contact that was to last ends.
    Slips {
        /// Which.
        touch: usize,
        /// Where.
        pose: Pose,
    },
    /// No planned contact closes on the way.
    NoContact {
        /// Which contacts were looked for, and how.
        what: String,
    },
    /// What is to be kept cannot be, or the move has no room.
    Contradiction {
        /// Why.
        what: String,
    },
    /// A case that is not covered.
    Unsupported {
        /// Which.
        case: Case,
    },
    /// Not decided within the budget.
    Undecided {
        /// What.
        what: String,
    },
}

impl Status {
    /// One word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::Blocked(_) => "blocked",
            Self::Ambiguous(_) => "ambiguous",
            Self::Slips { .. } => "slips",
            Self::NoContact { .. } => "no contact",
            Self::Contradiction { .. } => "contradiction",
            Self::Unsupported { .. } => "unsupported",
            Self::Undecided { .. } => "undecided",
        }
    }
}

/// Cases that are not covered. The paper leaves open which there are; these are ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// `about` names a face or a corner.
    TurnAboutNoLine,
    /// `about` names a contact that touches in a point or all over.
    TurnAboutContact,
    /// Where the side rule says nothing, the small motion that advances the grasp most keeps its contacts neither straight nor about one line.
    SlideAndTurn,
    /// A pivot is asked for, and there are open places on both sides.
    BothSides,
    /// A place goes on and on.
    ManyLegs,
    /// A rough start is wrong rather than rough.
    FacesFarOff,
    /// The same for three corners.
    CornersFarOff,
    /// What follows a path is a corner, or faces.
    EdgeFollows,
    /// What is followed is faces, or edges.
    PathOnNothing,
    /// Faces follow faces.
    FacesOnEdges,
    /// Faces follow faces, and the body would have to turn between them.
    TurningFaces,
    /// Several contacts follow a path, and one of them has several faces or edges.
    BendingPlaces,
    /// Such an edge has no direction into the work.
    OppositeFaces,
    /// It does not leave its face.
    EndlessPath,
    /// Spacing is too small.
    LongPath,
}

impl Case {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::TurnAboutNoLine,
        Self::TurnAboutContact,
        Self::SlideAndTurn,
        Self::BothSides,
        Self::ManyLegs,
        Self::FacesFarOff,
        Self::CornersFarOff,
        Self::EdgeFollows,
        Self::PathOnNothing,
        Self::FacesOnEdges,
        Self::TurningFaces,
        Self::BendingPlaces,
        Self::OppositeFaces,
        Self::EndlessPath,
        Self::LongPath,
    ];

    /// Its name, for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::TurnAboutNoLine => "a turn about a face or a corner, which is no line",
            Self::TurnAboutContact => "a turn about a contact that is no line",
            Self::SlideAndTurn => "contacts that slide and turn at once",
            Self::BothSides => "open places on both sides of what is closed",
            Self::ManyLegs => "a place that takes more than 16 translations and turns",
            Self::FacesFarOff => "faces more than 60 degrees from facing each other at the start",
            Self::CornersFarOff => "three corners more than 60 degrees from their plane at the start",
            Self::EdgeFollows => "an edge or an axis that follows a path",
            Self::PathOnNothing => "a path on a corner or an axis",
            Self::FacesOnEdges => "faces that follow edges",
            Self::TurningFaces => "several points on a path with different directions of the body",
            Self::BendingPlaces => "several places on a path that bends",
            Self::OppositeFaces => "a path along an edge between opposite faces",
            Self::EndlessPath => "a path without an end",
            Self::LongPath => "a path of more than 100,000 poses",
        }
    }
}

/// What is in the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The fixed body.
    pub body: String,
    /// Features of the moved and of the fixed body.
    pub features: [String; 2],
    /// Where they touch.
    pub point: DVec3,
    /// Where the moved body is then.
    pub pose: Pose,
    /// The fraction of the way.
    pub t: f64,
}

impl Answer {
    /// How the whole ended.
    #[must_use]
    pub fn status(&self) -> &Status {
        self.steps.last().map_or(&Status::Reached, |step| &step.status)
    }

    /// All ways, one after the other.
    pub fn legs(&self) -> impl Iterator<Item = &Leg> {
        self.steps.iter().flat_map(|step| &step.legs)
    }
}

/// Names of contacts, for messages.
pub(super) fn texts(touches: &[Touch], which: &[usize]) -> String {
    which.iter().map(|&k| format!("\"{}\"", touches[k].text)).collect::<Vec<_>>().join(", ")
}
