//! A script of movements in words that is shown.

use crate::shown::Loaded;
use kansho::cell::{Cell, CellDraft};
use kansho::io::script::LoadedScript;
use std::sync::Arc;

/// The bodies of a script, to be shown.
///
/// # Errors
/// They do not make a cell, and why not.
pub fn of_script(script: LoadedScript, title: String) -> Result<Loaded, String> {
    let draft = CellDraft { objects: script.objects.clone(), ..CellDraft::default() };
    let cell = Cell::new(draft)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let warnings = script.warnings.iter().map(ToString::to_string).collect();
    Ok(Loaded {
        title,
        cell: Arc::new(cell),
        motions: Vec::new(),
        warnings,
        words: Some(script),
        task: None,
        live: None,
        busy: None,
        tour: false,
    })
}
