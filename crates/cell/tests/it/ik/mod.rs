//! Inverse kinematics against forward kinematics.

mod arms;
mod closed;
mod following;
mod numerical;
mod singular;
