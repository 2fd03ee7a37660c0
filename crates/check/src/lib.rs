//! Do bodies touch, and how far apart are they?
//!
//! | part | answers |
//! |---|---|
//! | [`collide`] | two shapes in many poses |
//! | [`moving_bodies`] | two shapes that move: never, or when first? |
//! | [`verdict`] | answers that say how sure they are |
//! | [`scene`] | a whole cell in one posture |
//! | [`rough`] | the same by spheres: quick, and rough by a known length |
//! | [`motion`] | a whole cell that moves: never, or when first? |
//! | [`slide`] | a straight push of a body along what it touches |
//! | [`sliding_contact`] | a straight way or a turn of a body in contact: does anything but named features touch? |
//! | [`postures`] | a whole cell in many postures |
//! | [`approach`] | how soon could anything touch? |
//! | [`order`] | which pairs are looked at first? |
//! | [`propose`] | which pairs touch always, or perhaps never? |
//! | [`spheres`] | which few balls cover a link? |
//! | [`sample`] | postures all over the range of a cell |
//!
//! Certificates, and the code that re-checks them, are in `kansho-verify`.
//!
//! Answers do not depend on the number of threads. There are no files and there is no printing here.

pub mod approach;
pub mod collide;
pub mod moving_bodies;
pub mod order;
pub mod postures;
pub mod propose;
mod reach;
pub mod sample;
pub mod scene;
pub mod slide;
pub mod sliding_contact;
pub mod spheres;
pub mod verdict;

pub use scene::motion;
pub use scene::rough;
