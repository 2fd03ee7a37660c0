//! Contacts against answers that are known.
#![expect(clippy::print_stderr, reason = "tests say when they are skipped, and how much they looked at")]

mod answers;
mod assembly;
mod cases;
mod drafts;
mod figures;
mod near;
mod oracle;
mod round;
