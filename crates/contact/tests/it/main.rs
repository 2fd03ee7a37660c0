//! Contacts against answers that are known.

mod answers;
mod assembly;
mod cases;
mod figures;
mod oracle;
mod round;
