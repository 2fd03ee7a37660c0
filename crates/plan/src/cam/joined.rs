use super::steps::PlannedPath;
use kansho_cell::JointMotion;

impl PlannedPath {
    /// Strokes with the ways between them as one motion, and another after each way that is missing.
    #[must_use]
    pub fn motions(&self) -> Vec<JointMotion> {
        let mut runs: Vec<Vec<Vec<f64>>> = vec![Vec::new()];
        for (k, stroke) in self.strokes.iter().enumerate() {
            let run = runs.last_mut().expect("there is always one");
            run.extend(stroke.postures.iter().cloned());
            if stroke.closed {
                run.extend(stroke.postures.first().cloned());
            }
            match self.links.get(k) {
                Some(Some(link)) => {
                    let count = link.pieces().len();
                    // Its ends are those of the strokes.
                    run.extend((1..count).map(|piece| link.at(piece as f64 / count as f64)));
                }
                Some(None) => runs.push(Vec::new()),
                None => {}
            }
        }
        runs.iter().filter_map(|run| JointMotion::lines(run).ok()).collect()
    }
}
