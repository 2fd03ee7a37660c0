//! Files out and in again.

mod hostile;
mod round_trip;
