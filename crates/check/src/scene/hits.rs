use super::{PairId, Scene, Workspace};
use crate::order::Ranks;
use kansho_geom::solid::{self, Meeting};

/// Two parts whose boxes are not apart. Sorted by the rank of their pair: low ranks are looked at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    rank: u32,
    row: u32,
    partner: u32,
}

impl Scene {
    /// A pair of bodies that touch in a posture; none if nothing touches. `last` is looked at first, then the others by rank.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn first_hit(
        &self,
        posture: &[f64],
        ranks: &Ranks,
        last: Option<PairId>,
        workspace: &mut Workspace,
    ) -> Option<PairId> {
        self.place(posture, workspace);
        if let Some(touch) = self.always.first() {
            return Some(touch.pair);
        }
        if let Some(pair) = last
            && self.pair_meets(pair, workspace)
        {
            return last;
        }
        self.gather(ranks, workspace);
        let candidates = std::mem::take(&mut workspace.candidates);
        let mut found = None;
        for candidate in &candidates {
            let (pair, i, j) = self.of_candidate(candidate);
            // The last one is not asked twice.
            if Some(pair) != last && self.parts_meet(i, j, workspace) {
                found = Some(pair);
                break;
            }
        }
        workspace.candidates = candidates;
        found
    }

    /// All pairs of bodies that touch in a posture, in the order of the cell.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn all_hits(&self, posture: &[f64], workspace: &mut Workspace) -> Vec<PairId> {
        self.place(posture, workspace);
        let mut found: Vec<PairId> = self.always().collect();
        self.gather(&self.listed(), workspace);
        let candidates = std::mem::take(&mut workspace.candidates);
        for candidate in &candidates {
            let (pair, i, j) = self.of_candidate(candidate);
            if found.last() != Some(&pair) && self.parts_meet(i, j, workspace) {
                found.push(pair);
            }
        }
        workspace.candidates = candidates;
        found.sort_unstable();
        found
    }

    /// Collects the parts whose boxes are not apart, sorted by rank.
    fn gather(&self, ranks: &Ranks, workspace: &mut Workspace) {
        workspace.candidates.clear();
        for (index, row) in (0u32..).zip(&self.rows) {
            workspace.asked.copy_from_slice(&row.asked);
            workspace.crowd.near_of(&workspace.crowd.get(row.part as usize), &mut workspace.asked);
            for (block, &near) in (0u32..).zip(&workspace.asked) {
                let mut left = u32::from(near);
                while left != 0 {
                    let partner = block * 8 + left.trailing_zeros();
                    left &= left - 1;
                    let rank = ranks.of(row.pair[partner as usize]);
                    workspace.candidates.push(Candidate { rank, row: index, partner });
                }
            }
        }
        workspace.candidates.sort_unstable();
    }

    /// The pair and the parts that a candidate stands for.
    fn of_candidate(&self, candidate: &Candidate) -> (PairId, usize, usize) {
        let (row, partner) = (&self.rows[candidate.row as usize], candidate.partner as usize);
        (row.pair[partner], row.part as usize, partner)
    }

    fn pair_meets(&self, pair: PairId, workspace: &mut Workspace) -> bool {
        let [a, b] = self.bodies(pair);
        self.parts_of(a)
            .any(|i| self.parts_of(b).any(|j| workspace.crowd.near(i, j) && self.parts_meet(i, j, workspace)))
    }

    fn parts_meet(&self, i: usize, j: usize, workspace: &mut Workspace) -> bool {
        workspace.narrow += 1;
        let a_from_b = Self::relative(workspace, i, j);
        let (a, b) = (&self.parts[i].solid, &self.parts[j].solid);
        solid::meet(a, b, a_from_b, &mut workspace.scratch) != Meeting::Apart
    }
}
