//! Work that goes on while its cell is shown already, such as a plan.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// How far some work is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Work {
    /// What is done now, for people.
    pub what: String,
    /// How many steps of it are done.
    pub done: usize,
    /// Of how many; zero where that is not known.
    pub of: usize,
    /// Whether all of it is over: then the files can be read again.
    pub is_over: bool,
}

/// Tells how far some work is whenever the page asks.
#[derive(Clone)]
pub struct Busy(Arc<dyn Fn() -> Work + Send + Sync>);

impl Busy {
    /// With a function that looks how far it is; it must not wait for anything.
    pub fn new(now: impl Fn() -> Work + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// How far it is now.
    #[must_use]
    pub fn now(&self) -> Work {
        (self.0)()
    }
}

impl fmt::Debug for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Busy").field(&self.now()).finish()
    }
}
