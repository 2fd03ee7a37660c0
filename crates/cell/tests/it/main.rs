//! Robots and cells whose answers are known in closed form.

mod drafts;
mod faults;
mod kinematics;
mod pairs;
