//! What one would want to see of a posture: the nearest pairs, and the triangles that touch.

use super::gap::Bound;
use super::{CellGap, Extent, PairId, Scene, Workspace};
use kansho_geom::tree;
use std::collections::BTreeMap;

/// A triangle of a body that touches another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touched {
    /// Which of the shapes of the body.
    pub piece: u32,
    /// Which of its triangles; a box has twelve.
    pub triangle: u32,
}

impl Scene {
    /// The pairs with the least gaps in a posture, the nearest first, each with its closest points; `most` of them at most.
    ///
    /// Pairs that never move relative to each other count only where they touch.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn nearest_pairs(&self, posture: &[f64], most: usize, workspace: &mut Workspace) -> Vec<CellGap> {
        self.place(posture, workspace);
        let mut found: BTreeMap<PairId, CellGap> =
            self.always.iter().map(|touch| (touch.pair, touch.placed(workspace))).collect();
        let mut bounds = std::mem::take(&mut workspace.bounds);
        self.bounds(workspace, &mut bounds);
        bounds.sort_unstable_by(Bound::order);
        // Gaps of the nearest pairs so far: what is not below the last of them is not among these.
        let mut limit = f64::INFINITY;
        for bound in &bounds {
            if bound.below() > limit {
                break;
            }
            let (pair, i, j) = bound.of(self);
            let known = found.get(&pair).map_or(f64::INFINITY, |known| known.gap);
            // A pair as near as the last of them is listed, too, so that the order of looking does not matter.
            let below = known.min(limit.next_up());
            if let Some(nearer) = self.gap_of_parts(pair, i, j, below, workspace) {
                found.insert(pair, nearer);
                let mut gaps: Vec<f64> = found.values().map(|gap| gap.gap).collect();
                if gaps.len() >= most.max(1) {
                    let (_, last, _) = gaps.select_nth_unstable_by(most.max(1) - 1, f64::total_cmp);
                    limit = *last;
                }
            }
        }
        workspace.bounds = bounds;
        let mut found: Vec<CellGap> = found.into_values().collect();
        found.sort_by(|x, y| x.gap.total_cmp(&y.gap).then(x.pair.cmp(&y.pair)));
        found.truncate(most);
        found
    }

    /// The triangles in which two bodies touch in a posture, of the first and of the second, in ascending order. Pairs of triangles beyond `most` for two
    /// shapes are left out. Of a half-space they are those that reach into it; of a formula that is round, none are told.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn touched(
        &self,
        posture: &[f64],
        pair: PairId,
        most: usize,
        workspace: &mut Workspace,
    ) -> [Vec<Touched>; 2] {
        self.place(posture, workspace);
        let [a, b] = self.bodies(pair);
        let mut of_both = [Vec::new(), Vec::new()];
        for (first, i) in (0u32..).zip(self.parts_of(a)) {
            for (second, j) in (0u32..).zip(self.parts_of(b)) {
                if !workspace.crowd.near(i, j) {
                    continue;
                }
                let a_from_b = Self::relative(workspace, i, j);
                let trees = [i, j].map(|part| self.parts[part].solid.tree());
                if let [Some(x), Some(y)] = trees {
                    for [s, t] in tree::hits(x, y, a_from_b, most, &mut workspace.scratch) {
                        of_both[0].push(Touched { piece: first, triangle: s });
                        of_both[1].push(Touched { piece: second, triangle: t });
                    }
                    continue;
                }
                for (side, piece, [own, other]) in [(0, first, [i, j]), (1, second, [j, i])] {
                    let into = self.reaching_into(own, other, most, workspace);
                    of_both[side].extend(into.into_iter().map(|triangle| Touched { piece, triangle }));
                }
            }
        }
        for triangles in &mut of_both {
            triangles.sort_unstable();
            triangles.dedup();
        }
        of_both
    }

    /// Triangles of a part that reach into another, if that is a half-space.
    fn reaching_into(&self, own: usize, other: usize, most: usize, workspace: &Workspace) -> Vec<u32> {
        let (Some(tree), Extent::HalfSpace { normal, offset }) =
            (self.parts[own].solid.tree(), self.parts[other].extent)
        else {
            return Vec::new();
        };
        let plane_from_own = Self::relative(workspace, other, own);
        let height = |p| normal.dot(plane_from_own * p) - offset;
        let heights: Vec<f64> = tree.mesh().vertices().iter().map(|p| height(*p)).collect();
        let reaches = |triangle: &[u32; 3]| triangle.iter().any(|corner| heights[*corner as usize] <= 0.0);
        let triangles = (0u32..).zip(tree.mesh().triangles());
        triangles.filter(|(_, triangle)| reaches(triangle)).map(|(index, _)| index).take(most).collect()
    }
}
