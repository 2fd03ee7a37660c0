use super::{PairId, Scene, Workspace};
use kansho_geom::tree::{self, Depth};

impl Scene {
    /// How deep two bodies are in each other in a posture: bounds of the largest depth of a shape of one in a shape of the other. None
    /// where that is not defined: a shape that takes part is open, or a formula other than a box.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn depth(
        &self,
        posture: &[f64],
        pair: PairId,
        tolerance: f64,
        workspace: &mut Workspace,
    ) -> Option<[f64; 2]> {
        self.place(posture, workspace);
        let [a, b] = self.bodies(pair);
        let mut deepest = [0.0_f64; 2];
        for i in self.parts_of(a) {
            for j in self.parts_of(b) {
                let a_from_b = Self::relative(workspace, i, j);
                let (first, second) = (self.parts[i].solid.tree()?, self.parts[j].solid.tree()?);
                let Depth { at_least, at_most, .. } =
                    tree::depth(first, second, a_from_b, tolerance, &mut workspace.scratch)?;
                deepest = [deepest[0].max(at_least), deepest[1].max(at_most)];
            }
        }
        Some(deepest)
    }
}
