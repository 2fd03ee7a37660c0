//! Do bodies touch, and how far apart are they?
//!
//! | part | answers |
//! |---|---|
//! | [`collide`] | two meshes in many poses |
//!
//! Answers do not depend on the number of threads. There are no files and there is no printing here.

pub mod collide;
