//! What a script says, with all names resolved.

use super::body::Body;
use super::touch::Touch;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;

/// Bodies, where the moved one begins, and what is to be done with it.
#[derive(Clone, Debug)]
pub struct Script {
    /// Bodies that stand still; their meshes are in the world.
    pub fixed: Vec<Body>,
    /// The body that is moved.
    pub moved: Body,
    /// Where the gripper holds it, in its frame.
    pub grasp: DVec3,
    /// Where it begins, roughly.
    pub start: Pose,
    /// How deep features that may touch may overlap, in metres.
    pub tolerance: f64,
    /// The unit in which messages say lengths.
    pub unit: Unit,
    /// Every contact that the script names.
    pub touches: Vec<Touch>,
    /// Contacts that may be at any time.
    pub allow: Vec<usize>,
    /// What is to be done.
    pub moves: Vec<Move>,
}

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Its name.
    pub name: &'static str,
    /// How many metres it is.
    pub metres: f64,
}

impl Unit {
    /// Metres.
    pub const METRES: Self = Self { name: "m", metres: 1.0 };

    /// A length, given in metres, in words: four significant digits.
    #[must_use]
    pub fn length(self, metres: f64) -> String {
        let x = metres / self.metres;
        let text = if x == 0.0 || (1e-4..1e6).contains(&x.abs()) {
            let digits = (3.0 - x.abs().max(1e-4).log10().floor()).clamp(0.0, 7.0) as usize;
            let text = format!("{x:.digits$}");
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        } else {
            format!("{x:.1e}")
        };
        format!("{text} {}", self.name)
    }

    /// A point, given in metres, in words.
    #[must_use]
    pub fn place(self, p: DVec3) -> String {
        let [x, y, z] = p.to_array().map(|x| {
            let text = format!("{:.4}", x / self.metres);
            let text = text.trim_end_matches('0').trim_end_matches('.');
            if text == "-0" { "0".to_owned() } else { text.to_owned() }
        });
        format!("({x}, {y}, {z}) {}", self.name)
    }
}

impl Script {
    /// A length in metres, in words.
    pub(super) fn length(&self, metres: f64) -> String {
        self.unit.length(metres)
    }

    /// A point in metres, in words.
    pub(super) fn place(&self, p: DVec3) -> String {
        self.unit.place(p)
    }
}

/// One sentence of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// What to do.
    pub verb: Verb,
    /// Contacts that last all the while.
    pub keep: Vec<usize>,
    /// Whether it must not turn.
    pub level: bool,
    /// Contacts with which it ends; or for the given amount, in metres or radians.
    pub until: Until,
    /// Contacts that may be in this move.
    pub allow: Vec<usize>,
    /// Line of the script.
    pub line: u32,
}

/// When a move ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Until {
    /// When these contacts are closed.
    Touching(Vec<usize>),
    /// After so many metres or radians.
    By(f64),
    /// At the end of the path.
    End,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Verb {
    /// Without turning, to the first contact.
    Approach(Toward),
    /// Without turning, with contacts that last.
    Slide(Toward),
    /// About a line.
    Rotate {
        /// The line.
        about: About,
        /// Which way round; either if it is not said.
        sense: Option<f64>,
    },
    /// Into several contacts, sliding and turning as contacts and grasp have it.
    Place {
        /// The push.
        toward: Toward,
        /// What to do while some are closed.
        partly: Partly,
    },
    /// Along faces or edges.
    Follow(Path),
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Toward {
    /// A direction of the world.
    Along(DVec3),
    /// Toward a feature of a fixed body.
    Feature {
        /// Which body.
        body: usize,
        /// Which feature.
        feature: usize,
    },
}

/// What to turn about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum About {
    /// An edge or an axis of a fixed body.
    Fixed {
        /// Which body.
        body: usize,
        /// Which feature.
        feature: usize,
    },
    /// An edge or an axis of the moved body.
    Moved {
        /// Which feature.
        feature: usize,
    },
    /// What a contact leaves: the line along which an edge touches.
    Contact(usize),
    /// A direction of the world through the grasp.
    Direction(DVec3),
}

/// What to do while some planned contacts are closed and others open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partly {
    /// As contact and grasp have it.
    #[default]
    Auto,
    /// Slide.
    Slide,
    /// Turn about the closed contact.
    Pivot,
}

/// How a path is followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// The direction of the motion, roughly.
    pub along: Option<DVec3>,
    /// Distance of poses, in metres.
    pub spacing: f64,
    /// The moved body's direction that follows the motion.
    pub forward: DVec3,
    /// The one that stays across it, in the face.
    pub side: DVec3,
}
