//! What is shown, with all that is worked out when first asked for.

use crate::api::CellDescription;
use crate::busy::Busy;
use crate::live::Live;
use crate::{describe, map, models};
use axum::body::Bytes;
use kansho::ask::course::{CourseAnswer, course};
use kansho::ask::path_edit::{
    ChangedPath, KnownMotions, MapCellAnswer, MapPlace, PathEditAnswer, Task, path_edit,
};
use kansho::ask::posture::{PostureAnswer, posture as at_posture};
use kansho::cell::Cell;
use kansho::check::scene::{Scene, Workspace};
use kansho::io::script::LoadedScript;
use kansho::plan::parts::{self, StandingPart};
use kansho::shown::NamedMotion;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What is to be shown, as it was read.
#[derive(Debug)]
pub struct Loaded {
    /// What people call it.
    pub title: String,
    /// The cell.
    pub cell: Arc<Cell>,
    /// Motions of it.
    pub motions: Vec<NamedMotion>,
    /// What is odd about the files, in words.
    pub warnings: Vec<String>,
    /// The script whose bodies these are, if it is one.
    pub words: Option<LoadedScript>,
    /// The job that its motions were planned for, if that is known.
    pub task: Option<Task>,
    /// Where it is told how the cell moves now, if somebody watches it.
    pub live: Option<Arc<Live>>,
    /// Work that is done meanwhile and brings more to show, if there is some.
    pub busy: Option<Busy>,
    /// Whether somebody sees all this for the first time.
    pub tour: bool,
}

const NO_JOB: &str = "no job is shown";

/// A cell with all that is known about it so far.
pub(crate) struct Shown {
    pub(crate) loaded: Loaded,
    /// Which reading of the files this is: questions say which one they are about.
    pub(crate) edition: u64,
    /// Set once other files are shown: nobody waits for proofs of these any more.
    over: AtomicBool,
    described: OnceLock<(CellDescription, Bytes)>,
    scene: OnceLock<Scene>,
    models: [OnceLock<Bytes>; 4],
    proofs: Vec<OnceLock<CourseAnswer>>,
    parts: OnceLock<Result<Vec<StandingPart>, String>>,
    map: OnceLock<Bytes>,
    /// What is proven of the path of the job, and of others that were made of it.
    of_path: KnownMotions,
    /// Memory of questions that were answered, for the next.
    spare: Mutex<Vec<Workspace>>,
}

impl Shown {
    pub(crate) fn new(loaded: Loaded, edition: u64) -> Self {
        let proofs = loaded.motions.iter().map(|_| OnceLock::new()).collect();
        Self {
            loaded,
            edition,
            over: AtomicBool::new(false),
            described: OnceLock::new(),
            scene: OnceLock::new(),
            models: Default::default(),
            proofs,
            parts: OnceLock::new(),
            map: OnceLock::new(),
            of_path: KnownMotions::default(),
            spare: Mutex::new(Vec::new()),
        }
    }

    /// Begins with what the page asks for first, so that it need not wait.
    pub(crate) fn prepare(self: &Arc<Self>) {
        let own = Arc::clone(self);
        std::thread::spawn(move || {
            own.described();
            // Who watches a cell that moves has better use for the time.
            if own.loaded.live.is_none() {
                own.scene();
            }
        });
    }

    /// The cell in words and numbers.
    pub(crate) fn described(&self) -> &CellDescription {
        &self.drawn().0
    }

    /// Its shapes.
    pub(crate) fn geometry(&self) -> Bytes {
        self.drawn().1.clone()
    }

    fn drawn(&self) -> &(CellDescription, Bytes) {
        self.described.get_or_init(|| {
            let (words, shapes) = describe::cell(&self.loaded, self.edition);
            (words, shapes.into())
        })
    }

    pub(crate) fn scene(&self) -> &Scene {
        self.scene.get_or_init(|| Scene::new(Arc::clone(&self.loaded.cell)).with_models())
    }

    /// Merged faces, spheres, boxes, or surfaces with fewer triangles.
    pub(crate) fn model(&self, name: &str) -> Option<Bytes> {
        let (place, make): (usize, fn(&Cell) -> Vec<u8>) = match name {
            "faces" => (0, models::faces),
            "spheres" => (1, models::spheres),
            "boxes" => (2, models::boxes),
            "coarse" => (3, describe::coarse),
            _ => return None,
        };
        Some(self.models[place].get_or_init(|| make(&self.loaded.cell).into()).clone())
    }

    /// What is known of a motion.
    pub(crate) fn course(&self, number: usize) -> Option<&CourseAnswer> {
        let NamedMotion { motion, margin, .. } = self.loaded.motions.get(number)?;
        Some(self.proofs[number].get_or_init(|| course(self.scene(), motion, *margin, &self.over)))
    }

    /// Other files are shown from now on.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// What is near or touches in a posture.
    pub(crate) fn look(&self, posture: &[f64]) -> Result<PostureAnswer, String> {
        self.with_workspace(|scene, workspace| at_posture(scene, posture, workspace))
    }

    fn with_workspace<T>(&self, work: impl FnOnce(&Scene, &mut Workspace) -> T) -> T {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let scene = self.scene();
        let mut workspace = spare().pop().unwrap_or_else(|| scene.workspace());
        let found = work(scene, &mut workspace);
        spare().push(workspace);
        found
    }

    /// The map of the job.
    pub(crate) fn map(&self) -> Option<Bytes> {
        let task = self.loaded.task.as_ref()?;
        Some(self.map.get_or_init(|| map::packed(task).into()).clone())
    }

    /// What is in a cell of that map.
    pub(crate) fn map_cell(&self, asked: &MapPlace) -> Result<MapCellAnswer, String> {
        let task = self.loaded.task.as_ref().ok_or(NO_JOB)?;
        self.with_workspace(|scene, workspace| task.cell(scene, asked, workspace))
    }

    /// What is proven of a path that was changed.
    pub(crate) fn path(&self, asked: &ChangedPath) -> Result<PathEditAnswer, String> {
        let task = self.loaded.task.as_ref().ok_or(NO_JOB)?;
        path_edit(task, self.scene(), asked, &self.of_path, &self.over)
    }

    /// Its objects as parts that can be in contact.
    pub(crate) fn parts(&self) -> Result<&[StandingPart], String> {
        let parts = self
            .parts
            .get_or_init(|| parts::standing(&self.loaded.cell, None).map_err(|faults| faults.join("\n")));
        parts.as_deref().map_err(Clone::clone)
    }
}
