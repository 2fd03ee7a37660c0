//! From wishes to motions, each proven by [`kansho_check`].
//!
//! | part | answers |
//! |---|---|
//! | [`job`] | a work path in a cell, and what may change about it |
//! | [`cam`] | from a work path to a robot path |
//! | [`timing`] | when is it where, within the limits of joints |
//! | [`transfer`] | a way from one posture to another through free space |
//! | [`reach`] | where a tool can be, and how freely it can be turned there |
//! | [`script`] | from movements in words to exact poses and proven motions |
//! | [`disassembly`] | in which order and directions parts come apart |
//! | [`drag`] | a part that is dragged by a point, as far as contacts allow |
//! | [`parts`] | the objects of a cell as parts that can be in contact |
//!
//! A motion that leaves here has passed the check as a whole. What was not found is not said not to be there. The same question with
//! the same seed has the same answer, whatever the number of threads. There are no files and there is no printing here.

pub mod cam;
pub mod disassembly;
pub mod drag;
pub mod job;
pub mod parts;
pub mod reach;
pub mod script;
pub mod timing;
pub mod transfer;
