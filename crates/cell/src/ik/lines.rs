//! The axes of a chain as lines, and whether they stand so that a closed form is known.

use super::chain::Chain;
use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DVec3};

/// How far axes may be from parallel, in radians, or from meeting in a point, in metres, and still be taken to be so.
///
/// Files print angles like 1.570796 and lengths in micrometres. What the closed form gives is then off by about as much; Newton's steps
/// take that away, and forward kinematics verify it. Robots whose axes are meant to be askew are so by far more.
pub const ALMOST: f64 = 1e-5;

/// Axes that have to cross do so at an angle with at least this sine; no unit. Below it, dividing by it loses digits, and no arm
/// is built so.
const CROSSING: f64 = 1e-2;

/// Least distance of parallel axes, in metres: below it, there is no arm between them.
const ARM: f64 = 1e-4;

/// Why a chain is solved numerically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhyNumerical {
    /// Closed forms are for six.
    #[error("it has {0} axes instead of six")]
    Count(usize),
    /// Closed forms are for turning joints.
    #[error("axis {0} slides")]
    Slides(usize),
    /// Two axes take the same number.
    #[error("axis {0} follows another one of the chain")]
    Coupled(usize),
    /// An axis that mimics another with factor zero.
    #[error("axis {0} never moves")]
    Still(usize),
    /// Two axes that should cross do not.
    #[error("axes {0} and {1} are parallel")]
    Parallel(usize, usize),
    /// Axes 2 and 3 are askew.
    #[error("axes 2 and 3 are not parallel")]
    NotParallel,
    /// Axes 2 and 3, or 3 and what follows, lie on each other.
    #[error("the upper arm or the forearm has no length")]
    NoArm,
    /// Neither a spherical wrist nor three parallel axes.
    #[error("axes 4, 5 and 6 do not meet in a point, nor is axis 4 parallel to 3 while 5 and 6 meet")]
    Wrist,
}

/// Six axes in the posture in which no joint has turned, from the root.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    pub(super) along: [DVec3; 6],
    pub(super) at: [DVec3; 6],
    pub(super) root_from_tip: Pose,
    pub(super) kind: Kind,
    /// Where the last three axes meet, or the last two.
    pub(super) wrist: DVec3,
    /// How far the axes are from what is taken for granted.
    pub(super) mismatch: f64,
}

/// Which closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Axes 4, 5 and 6 meet.
    SphericalWrist,
    /// Axes 2, 3 and 4 are parallel, 5 and 6 meet.
    ThreeParallel,
}

impl Lines {
    pub(super) fn new(chain: &Chain) -> Result<Self, WhyNumerical> {
        let count = chain.axes.len();
        for (k, axis) in chain.axes.iter().enumerate() {
            if axis.slide.is_some() {
                return Err(WhyNumerical::Slides(k + 1));
            }
            if chain.axes[..k].iter().any(|other| other.coordinate == axis.coordinate) {
                return Err(WhyNumerical::Coupled(k + 1));
            }
            if axis.multiplier.abs() < f64::MIN_POSITIVE {
                return Err(WhyNumerical::Still(k + 1));
            }
        }
        if count != 6 {
            return Err(WhyNumerical::Count(count));
        }
        let (mut along, mut at) = ([DVec3::Z; 6], [DVec3::ZERO; 6]);
        let mut pose = Pose::IDENTITY;
        for (k, axis) in chain.axes.iter().enumerate() {
            pose = pose * axis.before;
            (along[k], at[k]) = (pose.rotate(DVec3::Z), pose.translation());
        }
        let root_from_tip = pose * chain.after;
        let [h1, h2, h3, h4, h5, h6] = along;
        for (i, a, j, b) in [(1, h1, 2, h2), (4, h4, 5, h5), (5, h5, 6, h6)] {
            if a.cross(b).length() < CROSSING {
                return Err(WhyNumerical::Parallel(i, j));
            }
        }
        let askew = h2.cross(h3).length();
        if askew > ALMOST {
            return Err(WhyNumerical::NotParallel);
        }
        let across = |from: usize, to: DVec3| (to - at[from]).reject_from_normalized(h2).length();
        let (together, missed) = nearest_point(&[(h4, at[3]), (h5, at[4]), (h6, at[5])]);
        let (last, missed_last) = nearest_point(&[(h5, at[4]), (h6, at[5])]);
        let askew_fourth = h3.cross(h4).length();
        let (kind, wrist, end, mismatch) = if missed <= ALMOST {
            (Kind::SphericalWrist, together, together, askew.max(missed))
        } else if missed_last <= ALMOST && askew_fourth <= ALMOST {
            (Kind::ThreeParallel, last, at[3], askew.max(missed_last).max(askew_fourth))
        } else {
            return Err(WhyNumerical::Wrist);
        };
        if across(1, at[2]) < ARM || across(2, end) < ARM {
            return Err(WhyNumerical::NoArm);
        }
        Ok(Self { along, at, root_from_tip, kind, wrist, mismatch })
    }
}

/// The point that is nearest to lines that are not all parallel, and its largest distance from one: least squares, where
/// `Σ (1 − h hᵀ) (x − p) = 0`.
fn nearest_point(lines: &[(DVec3, DVec3)]) -> (DVec3, f64) {
    let mut matrix = DMat3::ZERO;
    let mut side = DVec3::ZERO;
    // From a point nearby, so that digits are not lost.
    let near = lines[0].1;
    for &(along, at) in lines {
        let across = DMat3::IDENTITY - DMat3::from_cols(along * along.x, along * along.y, along * along.z);
        matrix += across;
        side += across * (at - near);
    }
    let point = near + matrix.inverse() * side;
    let distance = |&(along, at): &(DVec3, DVec3)| (point - at).reject_from_normalized(along).length();
    let most = lines.iter().map(distance).fold(0.0, f64::max);
    (point, if most.is_finite() { most } else { f64::INFINITY })
}
