//! Contacts against answers that are known.

mod cases;
mod figures;
mod oracle;
