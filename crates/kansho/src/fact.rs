//! Facts: lines with a name and a value, as texts and reports show them.

/// A line of an answer.
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

/// Facts as lines of text, values below each other.
#[must_use]
pub fn lines(facts: &[Fact]) -> String {
    facts.iter().map(|Fact { name, value }| format!("  {name:<14} {value}\n")).collect()
}
