//! What does touching allow?

pub mod branch;
mod cells;
pub mod cone;
pub mod find;
pub mod hull;
mod linear;
pub mod local;
pub mod part;
pub mod set;

pub use branch::{Branch, Branches};
pub use find::{Between, ContactOptions, Found, contacts};
pub use part::{Part, PartFault};
pub use set::{Contact, ContactSet, Judgement, Row, Segment, Twist, Verdict};
