//! What is told of a job.

/// A line of what is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub name: String,
    /// What holds.
    pub value: String,
}

impl Fact {
    /// A line.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}
