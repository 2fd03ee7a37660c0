//! Tools and work objects, which thousands of moves share.

use super::Frame;
use kansho_geom::Pose;
use std::sync::Arc;

/// Tools and work objects that were made.
#[derive(Default)]
pub(super) struct Frames {
    known: Vec<Arc<Frame>>,
}

impl Frames {
    pub(super) fn of(&mut self, name: &str, at: Option<Pose>) -> Arc<Frame> {
        let is_it = |known: &&Arc<Frame>| known.at == at && known.name == name;
        // A program that makes new frames all the time is not slowed down by looking at all of them.
        if let Some(known) = self.known.iter().rev().take(64).find(is_it) {
            return Arc::clone(known);
        }
        let made = Arc::new(Frame { name: name.to_owned(), at });
        self.known.push(Arc::clone(&made));
        made
    }
}
