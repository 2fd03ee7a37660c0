//! From wishes to motions, each proven by [`kansho_check`].
//!
//! | part | answers |
//! |---|---|
//! | [`cam`] | from a work path to a robot path |
//! | [`free`] | a way from one posture to another through free space |
//!
//! A motion that leaves here has passed the check as a whole. What was not found is not said not to be there. The same question with
//! the same seed has the same answer, whatever the number of threads. There are no files and there is no printing here.

pub mod cam;
pub mod free;
