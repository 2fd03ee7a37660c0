//! What inverse kinematics answers.

use super::newton::Steps;
use std::fmt;

/// Below this, a measure of [`Nearness`] counts as a singularity; no unit.
///
/// There a pose that is known to 1e-9 fixes some joint only to 1e-2: what is told about single joints means little.
pub const SINGULAR: f64 = 1e-7;

/// Which of two ways a part of an arm bends: the sign of a determinant that is zero only in the singularity between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BranchSign {
    /// The determinant is positive, or zero.
    Plus,
    /// It is negative.
    Minus,
}

impl BranchSign {
    pub(super) const BOTH: [Self; 2] = [Self::Plus, Self::Minus];

    pub(super) fn sign(self) -> f64 {
        match self {
            Self::Plus => 1.0,
            Self::Minus => -1.0,
        }
    }

    pub(super) fn of(determinant: f64) -> Self {
        if determinant < 0.0 { Self::Minus } else { Self::Plus }
    }
}

/// Which of the eight ways of reaching a pose. Directions of axes are those of the file, so what is `Plus` depends on it, but
/// never changes without passing through a singularity.
///
/// With the axes `h1` to `h6` as they are in the posture, and the *wrist*, the point where the last three axes meet (of arms with
/// three parallel axes: where the last two meet):
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Branch {
    /// On which side of the first axis the wrist is: `det(h1, from the first axis to the wrist, h2)`.
    pub shoulder: BranchSign,
    /// How the elbow bends: `det(from axis 2 to axis 3, from axis 3 to the wrist, h2)`; to axis 4, if that is parallel too.
    pub elbow: BranchSign,
    /// How the wrist bends: `det(h4, h5, h6)`.
    pub wrist: BranchSign,
}

impl fmt::Display for Branch {
    /// Three signs: shoulder, elbow, wrist.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |way: BranchSign| if way == BranchSign::Plus { '+' } else { '-' };
        write!(f, "{}{}{}", sign(self.shoulder), sign(self.elbow), sign(self.wrist))
    }
}

/// How near a posture is to a singularity. All measures are without unit, and zero in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nearness {
    /// Of an arm that is solved in closed form: one for each kind there is.
    Kinds {
        /// How far the wrist is from the plane through axis 1 along axis 2, as part of the arm's length.
        shoulder: f64,
        /// Sine of the angle of the elbow: zero if it is straight or folded.
        elbow: f64,
        /// Sine of the angle of the wrist: zero if axes 4 and 6 are aligned (or, in general, axes 4, 5 and 6 lie in a plane).
        wrist: f64,
    },
    /// Of any other: the smallest singular value of the Jacobian, lengths as part of the chain's length.
    Smallest(f64),
}

impl Nearness {
    /// The smallest measure.
    #[must_use]
    pub fn least(&self) -> f64 {
        match *self {
            Self::Kinds { shoulder, elbow, wrist } => shoulder.min(elbow).min(wrist),
            Self::Smallest(least) => least,
        }
    }

    /// Whether it is one: [`SINGULAR`].
    #[must_use]
    pub fn is_singular(&self) -> bool {
        self.least() < SINGULAR
    }

    /// Names of the singularities that it is in.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let kinds = match *self {
            Self::Kinds { shoulder, elbow, wrist } => {
                vec![("shoulder", shoulder), ("elbow", elbow), ("wrist", wrist)]
            }
            Self::Smallest(least) => vec![("Jacobian", least)],
        };
        kinds.into_iter().filter(|(_, measure)| *measure < SINGULAR).map(|(name, _)| name).collect()
    }
}

/// One way of reaching a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution<'a> {
    /// The posture of the chain's joints, each in the turn nearest to the seed (to zero without one) that its limits allow.
    pub values: &'a [f64],
    /// Which way; none of what was found numerically.
    pub branch: Option<Branch>,
    /// How near a singularity is. In one, this is one of infinitely many solutions: what is free is as in the seed, or zero.
    pub nearness: Nearness,
    /// How far the tip is from the wanted pose, in metres and radians, by forward kinematics: at most [`super::ACCURACY`].
    pub misfit: f64,
}

/// Why a way of reaching a pose is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LeftOut {
    /// The pose is out of reach for a part of the arm, by so many metres (of the wrist: as a difference of cosines).
    OutOfReach {
        /// Which part cannot.
        part: ArmPart,
        /// By how much.
        by: f64,
    },
    /// A joint would have to leave its limits.
    Limit {
        /// Which way.
        branch: Option<Branch>,
        /// Which number of the cell's posture.
        coordinate: usize,
        /// How far outside the nearest turn is.
        beyond: f64,
    },
    /// What was worked out does not reproduce the pose, as forward kinematics say.
    NotVerified {
        /// Which way.
        branch: Option<Branch>,
        /// How far the tip is from the wanted pose.
        misfit: f64,
    },
    /// No start of the numerical search came to a solution. There may be one all the same.
    NotFound {
        /// So many starts.
        starts: usize,
        /// How near the best came, in metres and radians.
        nearest: f64,
    },
    /// The pose holds numbers that are not finite.
    NotFinite,
}

/// A part of an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArmPart {
    /// The first axis: the wrist would be too near to it.
    Shoulder,
    /// Axes 2 and 3: too far away, or too near.
    Elbow,
    /// The last axes: a direction they cannot take.
    Wrist,
}

/// All solutions for a pose, and what became of the others. Memory that is used again.
#[derive(Clone, Debug, Default)]
pub struct Solutions {
    pub(super) joints: usize,
    pub(super) values: Vec<f64>,
    pub(super) about: Vec<About>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) complete: bool,
    pub(super) steps: Steps,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct About {
    pub(super) branch: Option<Branch>,
    pub(super) nearness: Nearness,
    pub(super) misfit: f64,
}

impl Solutions {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.about.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.about.is_empty()
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Solution<'_>> {
        let &About { branch, nearness, misfit } = self.about.get(index)?;
        let values = &self.values[index * self.joints..][..self.joints];
        Some(Solution { values, branch, nearness, misfit })
    }

    /// All of them, always in the same order: by branch, or as they were found.
    pub fn iter(&self) -> impl Iterator<Item = Solution<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Ways of reaching the pose that are none, each with its reason.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Whether these are all, turns apart; in a singularity, one of every family. A numerical search cannot know.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// If there is no solution, the reason of the way that misses least.
    #[must_use]
    pub fn why_none(&self) -> Option<LeftOut> {
        let cost = |left: &LeftOut| match *left {
            LeftOut::NotFinite => (0, 0.0),
            LeftOut::NotVerified { misfit, .. } => (1, misfit),
            LeftOut::Limit { beyond, .. } => (2, beyond),
            LeftOut::OutOfReach { by, .. } => (3, by),
            LeftOut::NotFound { nearest, .. } => (4, nearest),
        };
        let order = |a: &&LeftOut, b: &&LeftOut| {
            let (a, b) = (cost(a), cost(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        };
        if self.is_empty() { self.left_out.iter().min_by(order).copied() } else { None }
    }

    pub(super) fn clear(&mut self, joints: usize) {
        self.joints = joints;
        self.values.clear();
        self.about.clear();
        self.left_out.clear();
        self.complete = false;
    }

    pub(super) fn push(&mut self, values: &[f64], about: About) {
        self.values.extend_from_slice(values);
        self.about.push(about);
    }
}
