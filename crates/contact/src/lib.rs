//! What does touching allow?
//!
//! From two bodies in contact, of any shape, to the small motions that remain: contact points, at each an AND of ORs of
//! half-spaces of motions `(v, w)`, and answers about all of them together.
//!
//! | part | answers |
//! |---|---|
//! | [`part`] | which faces, edges and corners does a mesh stand for, noise and all? |
//! | [`round`] | and which cylinders, cones and spheres? |
//! | [`find`] | where do bodies touch, how far apart or how deep in each other are they? |
//! | [`local`], `cells` | what is a body like near a point, in convex pieces? |
//! | [`hull`] | which directions do two convex pieces leave each other? |
//! | [`set`] | is a small motion safe, blocked, or on the border, and by what? |
//! | [`branch`], [`cone`] | which motions generate all that are allowed? |
//! | [`answers`] | is a body held, can it be pulled out, does it stand, what is the nearest allowed motion? |
//! | [`screw`], `words` | the same for people |
//! | [`region`] | where do bodies touch, as polygons, segments and points? |
//! | [`assembly`] | which parts block which? |
//!
//! # A peg in a hole
//!
//! Four walls and a floor around a peg. Each face of the peg touches with its four corners; each contact point has one
//! condition, a row `(n, p × n)` that must not be negative on `(v, w)`.
//!
//! ```
//! use kansho_contact::{ContactOptions, Held, Part, PullOut, Twist, Verdict, contacts};
//! use kansho_geom::{Pose, glam::DVec3, primitive::{Primitive, Shape}};
//! use std::sync::Arc;
//!
//! let block = |size: [f64; 3], at: [f64; 3]| {
//!     let shape = Primitive::new(Shape::Box { size: DVec3::from_array(size) }).expect("sizes are positive");
//!     let mesh = Arc::new(shape.tessellated(1.0).expect("a box is bounded"));
//!     Part::new(&mesh, None).expect("a box is closed").placed(Pose::from_translation(DVec3::from_array(at)))
//! };
//! let peg = block([0.1, 0.1, 0.2], [0.0, 0.0, 0.1]);
//! let hole = [
//!     block([0.4, 0.4, 0.1], [0.0, 0.0, -0.05]),
//!     block([0.1, 0.1, 0.1], [0.1, 0.0, 0.05]),
//!     block([0.1, 0.1, 0.1], [-0.1, 0.0, 0.05]),
//!     block([0.1, 0.1, 0.1], [0.0, 0.1, 0.05]),
//!     block([0.1, 0.1, 0.1], [0.0, -0.1, 0.05]),
//! ];
//! let found = contacts(&peg, &hole.each_ref(), &ContactOptions::default());
//! assert!(found.is_sound());
//! let set = &found.set;
//! assert_eq!((set.contacts.len(), set.count()), (20, 20));
//! assert_eq!(set.freedoms(), "can leave along +z");
//! assert_eq!(set.pull_out(), PullOut::Along(DVec3::Z));
//! assert_eq!(set.held(), Held::Not);
//! let push = Twist { v: DVec3::X, w: DVec3::ZERO };
//! assert_eq!(set.judge(&push).verdict, Verdict::Blocked);
//! // Dragged up and sideways, it goes up.
//! let near = set.nearest(&Twist { v: DVec3::new(1.0, 0.0, 1.0), w: DVec3::ZERO });
//! assert!(near.v.distance(DVec3::Z) < 1e-9);
//! ```
//!
//! Lengths are metres, but nothing depends on it: tolerances are lengths that follow from the sizes of the bodies, or are given.

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
pub use branch::{Branch, BranchKind, Branches};
pub use find::{Between, ContactOptions, FoundContacts, contacts};
pub use part::{Part, PartFault};
pub use region::{Region, regions};
pub use screw::Screw;
pub use set::{Contact, ContactSet, Judgement, Ring, Row, Segment, Twist, Verdict};
