//! Inverse kinematics: which postures put a tip at a pose?
//!
//! An [`Ik`] is made once for a cell and a [`Tip`]. It looks at the axes of the joints as lines in space, so conventions of files and
//! directions of axes do not matter, and chooses:
//!
//! | [`Method`] | for | answers |
//! |---|---|---|
//! | `SphericalWrist` | six axes, 2 and 3 parallel, 4 to 6 meeting in a point | all solutions, up to eight |
//! | `ThreeParallel` | six axes, 2 to 4 parallel, 5 and 6 meeting in a point | all solutions, up to eight |
//! | `Numerical` | any other chain | what was found from many starts; there may be more |
//!
//! The closed forms solve shoulder, elbow and wrist one after the other (Pieper 1968, Paden 1986 in `docs/references.md`).
//! Every posture that is answered has been put through forward kinematics and reproduces the pose to [`ACCURACY`]; one that does not is
//! never answered. Singularities are marked and measured ([`Nearness`]).
//!
//! ```
//! use kansho_cell::builtin;
//! use kansho_cell::ik::{Ik, IkOptions, Tip};
//! let cell = builtin::cell();
//! let tip = Tip::tool(&cell, "arm").expect("the arm has a tool");
//! let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("joints move the tool");
//! let wanted = ik.world_from_tip(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
//! let solutions = ik.solve(&wanted);
//! assert!(solutions.complete() && solutions.iter().any(|s| (s.values[5] - 0.6).abs() < 1e-9));
//! ```

mod angles;
mod chain;
mod closed;
mod follow;
mod frame;
mod jacobian;
mod lines;
mod newton;
mod numerical;
mod solutions;
mod turn;
mod turns;
mod wrist;

pub use chain::ChainJoint;
pub use follow::{BranchEnd, Followed, JUMP};
pub use jacobian::{Jacobian, Twist};
pub use lines::{ALMOST, WhyNumerical};
pub use solutions::{ArmPart, Branch, BranchSign, LeftOut, Nearness, SINGULAR, Solution, Solutions};
pub use turns::{MOST_TURNS, ON_LIMIT};

use crate::cell::Cell;
use crate::joint::LinkId;
use chain::Chain;
use closed::{Closed, Wanted};
use kansho_geom::Pose;
use lines::{Kind, Lines};

/// How far the tip of a solution may be from the wanted pose, in metres and radians: a thousandth of what robots repeat to, and well
/// above the rounding of numbers in metres.
pub const ACCURACY: f64 = 1e-9;

/// A closed form that misses the pose by more, in metres and radians, is improved by Newton's steps: a quarter of [`ACCURACY`], to leave
/// room for the rounding of those who check.
const POLISHED_ABOVE: f64 = 2.5e-10;

/// What is to be put somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tip {
    /// The link that carries it, as the cell numbers links.
    pub link: LinkId,
    /// Where it is in the frame of that link.
    pub link_from_tip: Pose,
}

impl Tip {
    /// The working point of a robot's tool; none if there is no such robot, or it has no tool.
    #[must_use]
    pub fn tool(cell: &Cell, robot: &str) -> Option<Self> {
        let tool = cell.robots().iter().find(|known| known.name == robot)?.tool?;
        Some(Self { link: tool.on, link_from_tip: tool.link_from_tcp })
    }

    /// The frame of a link, by its name `robot/link`.
    #[must_use]
    pub fn link(cell: &Cell, name: &str) -> Option<Self> {
        let index = cell.link_names().iter().position(|known| known == name)?;
        Some(Self { link: LinkId(index as u32), link_from_tip: Pose::IDENTITY })
    }
}

/// Settings of the numerical search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IkOptions {
    /// From how many postures it starts.
    pub starts: usize,
    /// How many steps it takes from each at most.
    pub steps: usize,
    /// With more than six joints there are infinitely many solutions: it ends when it has so many.
    pub most_of_family: usize,
}

impl Default for IkOptions {
    fn default() -> Self {
        Self { starts: 64, steps: 60, most_of_family: 8 }
    }
}

/// Why there is no inverse kinematics of a tip.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum IkFault {
    /// It stands still.
    #[error("no joint moves the tip")]
    NothingMoves,
    /// The chain does not have such a joint.
    #[error("the chain has {joints} joints, so there is no number {index}")]
    NoSuchJoint {
        /// Which was named, from 0.
        index: usize,
        /// How many there are.
        joints: usize,
    },
    /// A joint cannot be held there.
    #[error("a joint cannot be held at {0}, which is outside its limits or no number")]
    Held(f64),
}

/// How solutions are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// In closed form: the last three axes meet in a point.
    SphericalWrist,
    /// In closed form: axes 2, 3 and 4 are parallel.
    ThreeParallel,
    /// By damped least squares, because no closed form is known: it may not list all solutions.
    Numerical(WhyNumerical),
}

/// The inverse kinematics of a tip.
#[derive(Clone, Debug)]
pub struct Ik {
    chain: Chain,
    solver: Solver,
    size: f64,
    options: IkOptions,
}

#[derive(Clone, Debug)]
enum Solver {
    Closed(Box<Closed>),
    Numerical(WhyNumerical),
}

impl Ik {
    /// Looks at the joints that move a tip.
    ///
    /// # Errors
    /// If none does.
    pub fn new(cell: &Cell, tip: &Tip, options: &IkOptions) -> Result<Self, IkFault> {
        let chain = Chain::new(cell, tip.link, tip.link_from_tip).ok_or(IkFault::NothingMoves)?;
        Ok(Self::of_chain(chain, *options))
    }

    fn of_chain(chain: Chain, options: IkOptions) -> Self {
        let solver = match Lines::new(&chain) {
            Ok(lines) => Solver::Closed(Box::new(Closed::new(&chain, &lines))),
            Err(why) => Solver::Numerical(why),
        };
        Self { size: chain.size(), chain, solver, options }
    }

    /// The same with one of its joints held at a value: what makes six of seven axes, and perhaps a closed form.
    ///
    /// # Errors
    /// If there is no such joint, nothing else moves, or the value is outside its limits.
    pub fn with_held(&self, index: usize, value: f64) -> Result<Self, IkFault> {
        let joints = self.chain.joints.len();
        let joint = self.chain.joints.get(index).ok_or(IkFault::NoSuchJoint { index, joints })?;
        if !value.is_finite() || joint.limits.is_some_and(|limits| !limits.contain(value)) {
            return Err(IkFault::Held(value));
        }
        let chain = self.chain.with_held(index, value).ok_or(IkFault::NothingMoves)?;
        Ok(Self::of_chain(chain, self.options))
    }

    /// The joints that move the tip, from the root outward. Postures of the chain have a value for each.
    #[must_use]
    pub fn joints(&self) -> &[ChainJoint] {
        &self.chain.joints
    }

    /// How solutions are found.
    #[must_use]
    pub fn method(&self) -> Method {
        match &self.solver {
            Solver::Closed(closed) => match closed.kind {
                Kind::SphericalWrist => Method::SphericalWrist,
                Kind::ThreeParallel => Method::ThreeParallel,
            },
            Solver::Numerical(why) => Method::Numerical(*why),
        }
    }

    /// The values of the chain's joints in a posture of the cell.
    #[must_use]
    pub fn values_in(&self, posture: &[f64]) -> Vec<f64> {
        self.chain.joints.iter().map(|joint| posture[joint.coordinate]).collect()
    }

    /// Puts values of the chain's joints into a posture of the cell.
    pub fn put(&self, values: &[f64], posture: &mut [f64]) {
        self.assert_count(values);
        self.chain.joints.iter().zip(values).for_each(|(joint, value)| posture[joint.coordinate] = *value);
    }

    /// Where the tip is: forward kinematics of the chain.
    ///
    /// # Panics
    /// If there is not one value for each joint of the chain.
    #[must_use]
    pub fn world_from_tip(&self, values: &[f64]) -> Pose {
        self.assert_count(values);
        self.chain.world_from_root * self.chain.root_from_tip(values)
    }

    /// How the tip moves with each joint, worked out from the axes.
    ///
    /// # Panics
    /// If there is not one value for each joint of the chain.
    #[must_use]
    pub fn jacobian(&self, values: &[f64]) -> Jacobian {
        self.assert_count(values);
        let mut columns = Vec::new();
        self.chain.with_twists(values, &mut columns);
        for twist in &mut columns {
            twist.linear = self.chain.world_from_root.rotate(twist.linear);
            twist.angular = self.chain.world_from_root.rotate(twist.angular);
        }
        Jacobian { columns }
    }

    /// A length with which lengths are made comparable to angles: that of the chain if it were stretched.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The branch that a posture is on, and how near it is to a singularity. No branch where solutions are found numerically.
    ///
    /// # Panics
    /// If there is not one value for each joint of the chain.
    #[must_use]
    pub fn branch(&self, values: &[f64]) -> (Option<Branch>, Nearness) {
        self.assert_count(values);
        match &self.solver {
            Solver::Closed(closed) => {
                let (branch, nearness) = closed.branch(&self.chain, values);
                (Some(branch), nearness)
            }
            Solver::Numerical(_) => {
                let mut steps = newton::Steps::default();
                (None, numerical::nearness(&self.chain, self.size, values, &mut steps))
            }
        }
    }

    /// All postures for a pose; see [`Solutions::complete`].
    #[must_use]
    pub fn solve(&self, world_from_tip: &Pose) -> Solutions {
        let mut solutions = Solutions::default();
        self.solve_into(world_from_tip, None, &mut solutions);
        solutions
    }

    /// As [`Ik::solve`], into memory that is used again; with a seed, in turns near to that. What is free in a singularity is as in
    /// the seed; a numerical search starts there, so with more than six joints the first solution is one near to it.
    ///
    /// # Panics
    /// If the seed does not have one value for each joint of the chain.
    pub fn solve_into(&self, world_from_tip: &Pose, seed: Option<&[f64]>, into: &mut Solutions) {
        if let Some(seed) = seed {
            self.assert_count(seed);
        }
        into.clear(self.chain.joints.len());
        let root_from_tip = self.chain.world_from_root.inverse() * *world_from_tip;
        if !(root_from_tip.rotation().is_finite() && root_from_tip.translation().is_finite())
            || seed.is_some_and(|seed| seed.iter().any(|value| !value.is_finite()))
        {
            into.left_out.push(LeftOut::NotFinite);
            return;
        }
        let mut steps = std::mem::take(&mut into.steps);
        match &self.solver {
            Solver::Closed(closed) => {
                into.complete = true;
                let wanted = Wanted { chain: &self.chain, root_from_tip, seed, size: self.size };
                closed.solve(&wanted, &mut steps, into);
            }
            Solver::Numerical(_) => {
                numerical::solve(
                    &self.chain,
                    self.size,
                    &root_from_tip,
                    seed,
                    &self.options,
                    &mut steps,
                    into,
                );
            }
        }
        // A way whose candidate was not verified may be one.
        into.complete &= !into.left_out.iter().any(|left| matches!(left, LeftOut::NotVerified { .. }));
        into.steps = steps;
    }

    /// The same posture with joints whole turns further, all within limits, in order; joints without limits stay as they are.
    #[must_use]
    pub fn turns(&self, values: &[f64]) -> Turns {
        self.assert_count(values);
        let choices: Vec<Vec<f64>> =
            self.chain.joints.iter().zip(values).map(|(joint, value)| turns::all(joint, *value)).collect();
        let next = if choices.iter().any(Vec::is_empty) { None } else { Some(vec![0; choices.len()]) };
        Turns { choices, next }
    }

    fn assert_count(&self, values: &[f64]) {
        assert_eq!(values.len(), self.chain.joints.len(), "one value for each joint of the chain");
    }
}

/// Postures that are whole turns apart, see [`Ik::turns`].
#[derive(Clone, Debug)]
pub struct Turns {
    choices: Vec<Vec<f64>>,
    next: Option<Vec<usize>>,
}

impl Iterator for Turns {
    type Item = Vec<f64>;

    fn next(&mut self) -> Option<Vec<f64>> {
        let at = self.next.as_mut()?;
        let posture = self.choices.iter().zip(at.iter()).map(|(choices, index)| choices[*index]).collect();
        // As an odometer, the last joint first.
        let turnable = (0..at.len()).rev().find(|&k| at[k] + 1 < self.choices[k].len());
        match turnable {
            Some(k) => {
                at[k] += 1;
                at[k + 1..].fill(0);
            }
            None => self.next = None,
        }
        Some(posture)
    }
}
