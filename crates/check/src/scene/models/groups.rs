//! Bodies that move as one and are checked against the same others, taken together.

use super::super::Scene;
use kansho_cell::{BodyId, FrameId};
use std::collections::BTreeMap;

/// Bodies of one frame that are checked against the same bodies.
#[derive(Clone, Debug)]
pub(super) struct Grouped {
    pub(super) frame: FrameId,
    pub(super) bodies: Vec<BodyId>,
}

/// All groups, and the pairs of them that are checked: every body of one against every body of the other.
pub(super) fn groups(scene: &Scene) -> (Vec<Grouped>, Vec<[usize; 2]>) {
    let cell = scene.cell();
    let frame = |body: BodyId| cell.in_frame(cell.body(body).carrier).frame;
    let mut partners: Vec<Vec<BodyId>> = vec![Vec::new(); cell.bodies().len()];
    for &[a, b] in cell.pairs().checked() {
        if frame(a) != frame(b) {
            partners[a.0 as usize].push(b);
            partners[b.0 as usize].push(a);
        }
    }
    let mut sets: BTreeMap<(FrameId, Vec<BodyId>), Vec<BodyId>> = BTreeMap::new();
    for (body, mut of_body) in (0u32..).map(BodyId).zip(partners) {
        if !of_body.is_empty() {
            of_body.sort_unstable();
            sets.entry((frame(body), of_body)).or_default().push(body);
        }
    }
    let mut group_of: Vec<Option<usize>> = vec![None; cell.bodies().len()];
    for (k, bodies) in sets.values().enumerate() {
        bodies.iter().for_each(|body| group_of[body.0 as usize] = Some(k));
    }
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for (k, (_, partners)) in sets.keys().enumerate() {
        let mut others: Vec<usize> = partners
            .iter()
            .map(|body| group_of[body.0 as usize].expect("who has a partner is one"))
            .filter(|other| *other > k)
            .collect();
        others.sort_unstable();
        others.dedup();
        pairs.extend(others.into_iter().map(|other| [k, other]));
    }
    let groups = sets.into_iter().map(|((frame, _), bodies)| Grouped { frame, bodies }).collect();
    (groups, pairs)
}
