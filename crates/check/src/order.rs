//! In which order pairs are looked at. It changes the time that a hit takes to be found, and which of several is found first;
//! never whether there is one.

use crate::scene::{PairId, Scene};
use kansho_cell::{BodyId, BodyKind, Carrier, Cell, FrameId};
use std::cmp::Reverse;
use std::collections::HashSet;

/// How pairs are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Order {
    /// Whether the pair that touched in the posture before comes first.
    pub last_first: bool,
    /// The others.
    pub then: Then,
}

/// The order of pairs that did not touch last time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Then {
    /// As the cell lists them.
    Listed,
    /// Those first that touch most often in a sample of the postures.
    Frequent,
    /// Work and what is around the tool first, those with the fewest pairs of triangles before the others; then the rest, large
    /// triangles first: the order of the CAM paper, its section 3.2.
    Paper,
}

impl Default for Order {
    fn default() -> Self {
        Self { last_first: true, then: Then::Frequent }
    }
}

/// For every pair its place in an order: low ones are looked at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks(Vec<u32>);

impl Ranks {
    /// In the order of the cell.
    #[must_use]
    pub(crate) fn listed(pairs: usize) -> Self {
        Self((0..pairs as u32).collect())
    }

    /// Those with the least key first; equal ones in the order of the cell.
    fn by_key<K: Ord>(pairs: usize, key: impl Fn(PairId) -> K) -> Self {
        let mut order: Vec<PairId> = (0..pairs as u32).map(PairId).collect();
        order.sort_by_cached_key(|pair| key(*pair));
        let mut ranks = vec![0; pairs];
        (0u32..).zip(order).for_each(|(rank, pair)| ranks[pair.0 as usize] = rank);
        Self(ranks)
    }

    /// The place of a pair.
    #[must_use]
    pub fn of(&self, pair: PairId) -> u32 {
        self.0[pair.0 as usize]
    }
}

/// Puts the pairs of a scene in order. `sample` are postures like those that will be asked about.
#[must_use]
pub fn ranks<'a>(scene: &Scene, then: Then, sample: impl Iterator<Item = &'a [f64]>) -> Ranks {
    let pairs = scene.cell().pairs().checked().len();
    match then {
        Then::Listed => scene.listed(),
        Then::Frequent => {
            let mut hits = vec![0u32; pairs];
            let mut workspace = scene.workspace();
            for posture in sample {
                scene.all_hits(posture, &mut workspace).iter().for_each(|pair| hits[pair.0 as usize] += 1);
            }
            Ranks::by_key(pairs, |pair| Reverse(hits[pair.0 as usize]))
        }
        Then::Paper => {
            let hands = hands(scene.cell());
            let surfaces: Vec<(usize, f64)> =
                (0..scene.cell().bodies().len() as u32).map(|body| scene.surface(BodyId(body))).collect();
            let is_work = |body: BodyId| {
                let body = scene.cell().body(body);
                body.kind == BodyKind::Object && body.carrier == Carrier::World
            };
            Ranks::by_key(pairs, |pair| {
                let [a, b] = scene.bodies(pair);
                let [(triangles_a, area_a), (triangles_b, area_b)] =
                    [a, b].map(|body| surfaces[body.0 as usize]);
                let near_work = (is_work(a) && hands.contains(&b)) || (is_work(b) && hands.contains(&a));
                let tests = triangles_a as u128 * triangles_b as u128;
                let mean_area = (area_a + area_b) / (triangles_a + triangles_b).max(1) as f64;
                // Areas are positive, so their bits are in the same order as they are.
                if near_work { (0, tests, Reverse(0)) } else { (1, 0, Reverse(mean_area.to_bits())) }
            })
        }
    }
}

/// What is around the tools: tools, what is carried, and links from which no other moves on.
fn hands(cell: &Cell) -> HashSet<BodyId> {
    let mut carries_on = HashSet::new();
    for in_cell in cell.robots() {
        for joint in in_cell.robot.joints() {
            let [parent, child] = [joint.parent, joint.child]
                .map(|link| cell.in_frame(Carrier::Link(in_cell.link(link))).frame);
            if parent != child {
                carries_on.insert(parent);
            }
        }
    }
    let is_hand = |id: &BodyId| {
        let body = cell.body(*id);
        let frame = cell.in_frame(body.carrier).frame;
        frame != FrameId::WORLD && (body.kind != BodyKind::Link || !carries_on.contains(&frame))
    };
    (0..cell.bodies().len() as u32).map(BodyId).filter(is_hand).collect()
}
