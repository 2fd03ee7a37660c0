//! Certificates of motions, and the code that re-checks them. Nothing in here searches.
//!
//! | part | answers |
//! |---|---|
//! | [`bodies`] | do two moving bodies stay apart as their certificate says? |
//! | [`motion`] | does a cell that moves its joints stay free as its certificate says? |
//! | [`route`] | does a cell whose tool is led along curves stay free as its certificate says? |
//! | [`contact`] | do bodies that move in contact touch nothing but what they may, as their certificate says? |
//! | [`mod@file`] | the same certificates as JSON, and as binary files of one motion or many, with what they are about |
//! | [`heights`] | heights along a direction in whole numbers |
//!
//! It depends on `kansho-geom` and `kansho-cell` alone. The program `kansho-verify` reads a certificate and the cell in its canonical
//! encoding ([`kansho_cell::canonical`]): no reader of URDF, SRDF, STL or programs is part of it. That the encoding is the cell that
//! you mean is the one thing left to believe: the certificate holds hashes of it, so a proof of another cell is refused.
//!
//! # What it shares with the search
//!
//! A mistake in one of these could be in both, and the verifier would not find it. All else, such as oriented boxes, distances, models in
//! single precision, roots of polynomials and orders of pairs, is the search's own.
//!
//! | shared | what it says | how it is tested on its own |
//! |---|---|---|
//! | [`Cell`](kansho_cell::Cell), [`place`](kansho_cell::Cell::place), [`Elementary`](kansho_cell::Elementary) | where everything is in a posture (forward kinematics) | against matrices multiplied out in exact arithmetic |
//! | [`JointPiece`](kansho_cell::JointPiece), [`PoseCurve`](kansho_cell::route::PoseCurve) | which posture, or pose of the tip, at which instant | against closed forms |
//! | `kansho_geom::pose_motion`: `together`, `Near`, `Slack` | cubics near a motion of two bodies, and how far it may be off them | against exact placements at random instants |
//! | [`heights::positive`] | a sign in whole numbers | against fractions; the search asks it last, where rounding decides nothing |
//! | [`motion::tree`] | boxes and balls over the triangles of a body, by one rule | every triangle is in every node above it, and in one leaf |
//! | [`motion::seen`] | where bodies are in a span, and how far heights may be from cubics | `docs/verifier.md` has each term with a test of extreme values |
//! | [`motion::height`] | the least height of a region, what it may be off taken off | against whole numbers, with the same tests |
//! | [`motion::steps`] | what the letters of a certificate say | all steps are written and read; certificates with one thing changed are refused or true |
//! | [`motion::moves`], [`motion::required`] | which pairs move relative to each other; what a gap must be more than | counted in tests |
//! | [`route::joint_error`], [`route::Arm`] | how far joints may be from cubics that nearly lead a tip along a curve | against inverse kinematics at random instants |
//! | [`route::at_start`], [`route::is_same`], [`route::inverse`], [`route::at`] | how pieces of a route join; a 6 by 6 inverse; a cubic | against random routes |
//! | [`contact::region`], [`contact::way`] | how far one node is above another along a direction, in bounds that are rounded outward | heights at many instants; certificates with one thing changed are refused or true |
//! | [`contact::tree`], [`contact::steps`] | boxes over the triangles of a body, by one rule; what the letters of a certificate say | every triangle is in one leaf; all steps are written and read |
//!
//! The search asks these once it has found a direction or a cubic by its own means: what it puts into a certificate is what the verifier
//! will accept. So an error in the search makes a certificate that is refused; an error in this list makes one that is believed.

pub mod bodies;
pub mod contact;
pub mod file;
pub mod heights;
mod inside;
pub mod motion;
pub mod route;

pub use file::AnyCertificate;
