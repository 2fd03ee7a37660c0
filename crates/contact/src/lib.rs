//! What does touching allow?

pub mod answers;
pub mod assembly;
pub mod branch;
mod cells;
pub mod cone;
pub mod find;
mod fit;
pub mod hull;
mod linear;
pub mod local;
pub mod part;
pub mod region;
pub mod round;
pub mod screw;
pub mod set;
mod words;

pub use answers::{Held, PullOut, Standing};
pub use assembly::Assembly;
pub use branch::{Branch, Branches};
pub use find::{Between, ContactOptions, Found, contacts};
pub use part::{Part, PartFault};
pub use region::{Region, regions};
pub use screw::Screw;
pub use set::{Contact, ContactSet, Judgement, Row, Segment, Twist, Verdict};
