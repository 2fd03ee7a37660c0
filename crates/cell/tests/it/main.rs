//! Robots and cells whose answers are known in closed form.

mod drafts;
mod faults;
mod ik;
mod kinematics;
mod pairs;
