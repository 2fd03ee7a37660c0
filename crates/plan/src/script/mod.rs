//! Movements in words: from a rough description to exact poses.
//!
//! A script names features of bodies and says what to do with one of them: approach, slide, rotate, place, follow. Out comes where
//! faces touch, exactly, and a motion through these poses: straight ways, and turns about what is kept.
//!
//! | part | answers |
//! |---|---|
//! | [`body`], `select` | which face, edge or corner is meant? |
//! | [`touch`] | when does a contact close on a way, and what is zero while it lasts? |
//! | `region` | where do features touch? |
//! | `lasting` | how long does a contact that is kept last on a way? |
//! | `go` | goes a way as far as it is proven |
//! | `orient` | which way should the body look before it goes? |
//! | `place` | translate or turn, while some contacts are closed and others open? |
//! | `follow`, `track` | which poses does a path have, what lies between them, and where does it end? |
//! | [`run`](run()) | does it all, proven way by way |
//! | [`answer`] | what came of every move |
//! | [`certificate()`] | why it touches nothing else, for others to check |
//! | [`lead`] | the same with a robot that holds the body |
//!
//! # The algorithms
//!
//! They are those of Iwama, Ohkubo, Kamei and Yue (*A Method of Computing a Sequence of Precise Positions and Orientations of an Object
//! from a Qualitative Description of Movement*), made definite. On straight ways and on turns about a line every elementary contact (a
//! corner in a plane, a plane over a corner, an edge across an edge) is an equation `a + b t = 0` or `A cos θ + B sin θ + C = 0`, so
//! poses have closed forms. While some planned contacts are closed and others open, the body turns about what is closed if grasp and
//! open place lie on the same side of it, seen along the push, and slides otherwise. Where that rule says nothing, the push of the
//! grasp is projected on the cone of small motions that closed contacts allow, with the norm `|v|² + size² |w|²` about the grasp.
//! Contacts that are kept stay within [`DRIFT`] of the size of their equations, by bounds of these formulas over the whole way.
//!
//! Every way is proven by [`kansho_check::sliding_contact`]: only named features touch. What is not covered is answered [`Status::Unsupported`]
//! with its name: [`Case`] has them all.

pub mod answer;
mod around;
pub mod body;
mod certificate;
mod follow;
mod freedom;
mod go;
mod lasting;
pub mod lead;
mod line;
mod orient;
mod place;
mod region;
pub mod resolved;
mod run;
mod select;
pub mod touch;
mod track;

pub use answer::{Answer, Case, Status};
pub use around::mesh_around;
pub use body::Body;
pub use certificate::{certificate, certificate_of_reached};
pub use resolved::{Script, Unit};
pub use run::{DRIFT, Options, run};
pub use select::{FaceSelector, Instead, Selector, SelectorFault};
pub use touch::{Relation, Touch};
