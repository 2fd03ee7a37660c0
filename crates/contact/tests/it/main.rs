//! Contacts against answers that are known.
#![expect(clippy::print_stderr, reason = "tests say when they are skipped, and how much they looked at")]

mod answers;
mod assembly;
mod branches;
mod cases;
mod cones;
mod drafts;
mod figures;
mod near;
mod oracle;
mod polyhedra;
mod round;
mod solids;
