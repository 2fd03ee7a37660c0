//! Robots, tools and objects in a cell.
//!
//! | part | answers |
//! |---|---|
//! | [`Robot`] | which links hang on which joints? Validated once, at construction |
//! | [`Cell`] | which robots and objects stand where, and what is carried by what? |
//! | [`JointMotion`] | which posture at which instant? |
//! | [`Placed`] | where is everything in a posture? Forward kinematics |
//! | [`route`] | which poses of a tool at which instant? Lines, arcs, smooth curves and rounded corners |
//! | [`ik`] | which postures put a tool at a pose? Inverse kinematics |
//! | [`pairs`] | which bodies are checked against each other, and why are the others not? |
//! | [`Body`] | what can touch: links, tools and objects with their shapes |
//! | [`work`] | where is a tool wanted, and which freedom does its axis have? |
//! | [`builtin`] | a cell of our own, without files: an arm, a sheet in its fixture, a nozzle, a path |
//!
//! Metres and radians. There is no searching and there are no files here.

pub mod body;
pub mod builtin;
pub mod canonical;
mod cell;
pub mod ik;
mod joint;
mod kinematics;
mod motion;
pub mod pairs;
mod robot;
pub mod route;
pub mod work;

pub use body::{Body, BodyId, BodyKind, BodyPiece, Carrier, Geometry};
pub use cell::{
    Cell, CellDraft, CellFault, Coordinate, DisabledPair, Follower, InCell, MAX_BODIES, ObjectDraft,
    Quantity, RobotDraftInCell, Tool, ToolDraft, nearest_name,
};
pub use joint::{Joint, JointId, JointKind, Limits, LinkId, Mimic};
pub use kinematics::{Elementary, FrameId, FrameJoint, InFrame, Placed};
pub use motion::{JointMotion, JointMotionFault, JointPiece};
pub use pairs::{NotChecked, Pairs};
pub use robot::{JointDraft, Link, LinkDraft, MimicDraft, Robot, RobotDraft, RobotFault};
