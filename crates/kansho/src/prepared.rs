//! A cell prepared for questions, once for all of them.

use kansho_cell::Cell;
use kansho_check::scene::Scene;
use std::sync::{Arc, OnceLock};

/// A cell whose shapes are prepared when the first question needs them: without models at once, with models where these pay.
///
/// Models (balls and fields of distances around bodies) give the same answers sooner. To make them takes about a second.
#[derive(Debug)]
pub struct PreparedCell {
    cell: Arc<Cell>,
    like: Option<Arc<Scene>>,
    plain: OnceLock<Arc<Scene>>,
    modelled: OnceLock<Arc<Scene>>,
}

impl PreparedCell {
    /// Nothing is prepared yet.
    #[must_use]
    pub fn new(cell: Arc<Cell>) -> Self {
        Self { cell, like: None, plain: OnceLock::new(), modelled: OnceLock::new() }
    }

    /// A cell that differs little from another one, and shares what was prepared for that.
    #[must_use]
    pub fn like(cell: Arc<Cell>, other: Arc<Scene>) -> Self {
        Self { like: Some(other), ..Self::new(cell) }
    }

    /// The cell.
    #[must_use]
    pub fn cell(&self) -> &Arc<Cell> {
        &self.cell
    }

    /// Shapes without models.
    pub fn plain(&self) -> &Arc<Scene> {
        self.plain.get_or_init(|| {
            Arc::new(match &self.like {
                Some(like) => like.with_cell(Arc::clone(&self.cell)),
                None => Scene::new(Arc::clone(&self.cell)),
            })
        })
    }

    /// Shapes with models.
    pub fn modelled(&self) -> &Arc<Scene> {
        self.modelled.get_or_init(|| Arc::new(Scene::clone(self.plain()).with_models()))
    }

    /// Shapes that are prepared already, of this cell or of the one that it is like: what another cell can share.
    #[must_use]
    pub fn known(&self) -> Option<Arc<Scene>> {
        self.plain.get().or(self.like.as_ref()).cloned()
    }

    /// Shapes with models, if they were made.
    #[must_use]
    pub fn known_models(&self) -> Option<&Arc<Scene>> {
        self.modelled.get()
    }
}
