//! The feasible map.

use super::kept::{Kept, decode, encode};
use super::lane::Lane;
use super::search::{Weights, add_borders};
use super::{BranchCode, Work};
use kansho_cell::Carrier;
use kansho_cell::ik::{Ik, LeftOut, Solutions};
use kansho_cell::work::WorkPoint;
use kansho_check::scene::{PairId, Scene, SomePairs, Workspace};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Points that are looked at together. Fixed, so that answers do not depend on the number of threads.
const POINTS: usize = 32;

/// Chunks that are made before they are put together: enough for many threads to be busy, few beside the whole.
const TOGETHER: usize = 64;

/// Gaps of the tip that are larger hold in every branch, in metres: they put it where it is wanted to [`kansho_cell::ik::ACCURACY`] in metres and
/// radians, which moves points of a tool by no more than that times its size, a kilometre at most.
const SHARED: f64 = 1e-6;

/// A gap of the tip beyond the clearance that is told from smaller ones, in metres.
const WORTH_KNOWING: f64 = 1e-3;

/// What holds at a point in a stance, all branches together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Not looked at: the time was over.
    Unknown,
    /// The robot cannot get there.
    OutOfReach,
    /// It could, but for the limits of its joints.
    Limit,
    /// In every branch something touches, or is as near as the clearance.
    Collides,
    /// In some branch it is free.
    Free,
}

impl State {
    /// As a word of `map.csv`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::OutOfReach => "out_of_reach",
            Self::Limit => "limit",
            Self::Collides => "collides",
            Self::Free => "free",
        }
    }
}

/// A cell of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapCell {
    /// What holds.
    pub state: State,
    /// Branches with a posture within limits, as bits of [`BranchCode`].
    pub(super) reached: u16,
    pub(super) free: u16,
    /// What `first` and `bound` are about: the free branch with the largest bound; otherwise the first that is reached.
    pub(super) about: u8,
    pub(super) pair: u32,
    pub(super) bound: f32,
}

impl MapCell {
    const UNKNOWN: Self =
        Self { state: State::Unknown, reached: 0, free: 0, about: 0, pair: u32::MAX, bound: 0.0 };

    /// The branches in which it is free.
    pub fn free_branches(&self) -> impl Iterator<Item = BranchCode> {
        branches(self.free)
    }

    /// The branches that have a posture within limits.
    pub fn reached_branches(&self) -> impl Iterator<Item = BranchCode> {
        branches(self.reached)
    }

    /// The branch that the other answers are about: if free, that with the largest clearance that is proven; if it collides, the first.
    #[must_use]
    pub fn branch(&self) -> Option<BranchCode> {
        (self.reached != 0).then(|| BranchCode::numbered(usize::from(self.about)))
    }

    /// Where it collides in every branch: the first pair that the cell lists, in that branch.
    #[must_use]
    pub fn pair(&self) -> Option<PairId> {
        (self.pair != u32::MAX).then_some(PairId(self.pair))
    }

    /// Where it is free, a bound below all gaps in that branch, in metres.
    #[must_use]
    pub fn clearance(&self) -> Option<f64> {
        (self.state == State::Free).then_some(f64::from(self.bound))
    }
}

fn branches(bits: u16) -> impl Iterator<Item = BranchCode> {
    (0..BranchCode::COUNT).map(BranchCode::numbered).filter(move |branch| bits & branch.bit() != 0)
}

/// How the map is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct MapOptions<'a> {
    /// Whether collisions are ignored: what the robot reaches is free. For comparison only.
    pub unchecked: bool,
    /// What states cost.
    pub weights: Weights,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Whether to stop now.
    pub stop: Option<&'a AtomicBool>,
    /// Counts the points that are done.
    pub done: Option<&'a AtomicUsize>,
    /// Where it is kept what is done.
    pub kept: Option<&'a dyn Kept>,
}

impl MapOptions<'_> {
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// All points in all stances.
#[derive(Clone, Debug)]
pub struct FeasibleMap {
    stances: usize,
    cells: Vec<MapCell>,
    pub(super) lanes: Vec<Lane>,
    /// Postures that were looked at.
    pub postures: usize,
    /// Whether every cell was looked at.
    pub complete: bool,
}

impl FeasibleMap {
    /// How many points.
    #[must_use]
    pub fn points(&self) -> usize {
        self.cells.len() / self.stances
    }

    /// How many stances of each.
    #[must_use]
    pub fn stances(&self) -> usize {
        self.stances
    }

    /// The cells of a point.
    #[must_use]
    pub fn point(&self, point: usize) -> &[MapCell] {
        &self.cells[point * self.stances..][..self.stances]
    }

    /// All cells, point after point.
    #[must_use]
    pub fn cells(&self) -> &[MapCell] {
        &self.cells
    }

    /// States that the search has to choose from: free postures, turns counted.
    #[must_use]
    pub fn states(&self) -> usize {
        self.lanes.iter().map(Lane::len).sum()
    }

    /// Memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.cells.len() * size_of::<MapCell>() + self.lanes.iter().map(Lane::bytes).sum::<usize>()
    }

    /// Stances in which every point is free in the same branch.
    #[must_use]
    pub fn constant(&self) -> Vec<(BranchCode, usize)> {
        let mut common = vec![u16::MAX; self.stances];
        for cells in self.cells.chunks_exact(self.stances) {
            common.iter_mut().zip(cells).for_each(|(common, cell)| *common &= cell.free);
        }
        let of = |(stance, bits): (usize, &u16)| {
            branches(*bits).map(move |branch| (branch, stance)).collect::<Vec<_>>()
        };
        common.iter().enumerate().flat_map(of).collect()
    }
}

/// Looks at every point in every stance, on all threads of the current pool.
///
/// # Panics
/// If there are more stances than 65,536.
#[must_use]
pub fn feasible(scene: &Scene, work: &Work<'_>, options: &MapOptions<'_>) -> FeasibleMap {
    let stances = work.axis.stances();
    assert!(stances <= usize::from(u16::MAX) + 1, "stances are counted in sixteen bits");
    let points: Vec<&WorkPoint> = work.path.points().collect();
    let chunk = |(index, points): (usize, &[&WorkPoint])| {
        let chunk = Chunk::new(scene, work, options).run(index, points);
        if let Some(done) = options.done {
            done.fetch_add(points.len(), Ordering::Relaxed);
        }
        chunk
    };
    let joints = work.ik.joints().len();
    let mut lanes: Vec<Lane> =
        (0..BranchCode::COUNT).map(|code| Lane::new(BranchCode::numbered(code), joints)).collect();
    let mut cells = Vec::with_capacity(points.len() * stances);
    let (mut postures, mut complete) = (0, true);
    // What is made is put together a few chunks at a time, so that it is there only once.
    for (round, some) in points.chunks(TOGETHER * POINTS).enumerate() {
        let numbered = some.par_chunks(POINTS).enumerate().map(|(k, some)| (round * TOGETHER + k, some));
        let chunks: Vec<Made> = numbered.map(chunk).collect();
        for chunk in chunks {
            cells.extend_from_slice(&chunk.cells);
            lanes.iter_mut().zip(&chunk.lanes).for_each(|(lane, more)| lane.append(more));
            postures += chunk.postures;
            complete &= chunk.complete;
        }
    }
    lanes.par_iter_mut().for_each(|lane| add_borders(lane, work.axis, &options.weights));
    FeasibleMap { stances, cells, lanes, postures, complete }
}

/// What became of some points.
struct Made {
    cells: Vec<MapCell>,
    lanes: Vec<Lane>,
    postures: usize,
    complete: bool,
}

/// Looks at some points.
struct Chunk<'a> {
    scene: &'a Scene,
    work: &'a Work<'a>,
    options: &'a MapOptions<'a>,
    workspace: Workspace,
    /// For what the pose of the tip decides, whatever the branch; and for the rest.
    of_tip: Option<[Workspace; 2]>,
    solutions: Solutions,
    posture: Vec<f64>,
    /// Of all postures: their cell, branch, values, and what they cost.
    found: Vec<Found>,
    values: Vec<f64>,
    cells: Vec<MapCell>,
}

/// A posture within limits.
#[derive(Clone, Copy)]
struct Found {
    cell: u32,
    branch: BranchCode,
    singular: f32,
    is_free: bool,
}

impl<'a> Chunk<'a> {
    /// With memory of its own: nothing that was looked at elsewhere can have an influence.
    fn new(scene: &'a Scene, work: &'a Work<'a>, options: &'a MapOptions<'a>) -> Self {
        Self {
            scene,
            work,
            options,
            workspace: scene.workspace(),
            of_tip: scene.models().map(|_| {
                let frame = scene.cell().in_frame(Carrier::Link(work.tip.link)).frame;
                let margin = work.clearance.max(0.0) * (1.0 + 1e-6);
                let of_tip = [margin + WORTH_KNOWING, margin + 2.0 * SHARED];
                [
                    scene.workspace_of(SomePairs::OfFrame(frame), &of_tip),
                    scene.workspace_of(SomePairs::NotOfFrame(frame), &[margin]),
                ]
            }),
            solutions: Solutions::default(),
            posture: scene.cell().zero_posture(),
            found: Vec::new(),
            values: Vec::new(),
            cells: Vec::new(),
        }
    }

    fn run(mut self, index: usize, points: &[&WorkPoint]) -> Made {
        let stances = self.work.axis.stances();
        self.cells = vec![MapCell::UNKNOWN; points.len() * stances];
        let complete = !self.options.is_over();
        if complete {
            for (index, point) in points.iter().enumerate() {
                (0..stances).for_each(|stance| self.reach(point, index * stances + stance, stance));
            }
            if !self.remember(index) {
                self.look(points.len(), stances);
                self.name_pairs();
                if let Some(kept) = self.options.kept {
                    kept.made(index, &encode(self.found.iter().map(|found| found.is_free), &self.cells));
                }
            }
        }
        let lanes = self.lanes(points.len(), stances);
        Made { lanes, postures: self.found.len(), complete, cells: self.cells }
    }

    /// Postures of a cell.
    fn reach(&mut self, point: &WorkPoint, cell: usize, stance: usize) {
        let pose = self.work.axis.world_from_tip(point, stance);
        self.work.ik.solve_into(&pose, None, &mut self.solutions);
        let mut reached = 0;
        for solution in self.solutions.iter() {
            let branch = BranchCode::of(solution.branch);
            reached |= branch.bit();
            let singular = solution.nearness.least() as f32;
            self.found.push(Found { cell: cell as u32, branch, singular, is_free: false });
            self.values.extend_from_slice(solution.values);
        }
        let at_limit = || self.solutions.left_out().iter().any(|left| matches!(left, LeftOut::Limit { .. }));
        self.cells[cell].reached = reached;
        self.cells[cell].state = match reached {
            0 if at_limit() => State::Limit,
            0 => State::OutOfReach,
            _ => State::Collides,
        };
    }

    /// Takes what is known of this chunk; whether anything is.
    fn remember(&mut self, index: usize) -> bool {
        let known = self.options.kept.and_then(|kept| kept.known(index));
        let known = known.and_then(|bytes| decode(&bytes, self.found.len(), self.cells.len()));
        let Some((is_free, cells)) = known else { return false };
        self.found.iter_mut().zip(is_free).for_each(|(found, is_free)| found.is_free = is_free);
        self.cells = cells;
        true
    }

    /// Whether they are free: first what moves with the tip against what stands still, which is the same in all branches; then the rest,
    /// one branch after the other, in strips of stances, to and fro along the points.
    fn look(&mut self, points: usize, stances: usize) {
        let along = |cell: u32| {
            let (point, stance) = (cell as usize / stances, cell as usize % stances);
            let to_and_fro = if stance.is_multiple_of(2) { point } else { points - 1 - point };
            stance * points + to_and_fro
        };
        let mut order: Vec<(u64, u32)> = (0u32..)
            .zip(&self.found)
            .map(|(index, found)| {
                ((found.branch.index() * stances * points + along(found.cell)) as u64, index)
            })
            .collect();
        order.sort_unstable();
        // For each cell, a bound below the gaps of the tip; none if it touches.
        let mut of_tip: Vec<Option<f32>> = vec![Some(f32::INFINITY); self.cells.len()];
        if !self.options.unchecked && self.of_tip.is_some() {
            let firsts =
                (0..self.found.len()).filter(|k| *k == 0 || self.found[k - 1].cell != self.found[*k].cell);
            let mut firsts: Vec<(u64, u32)> =
                firsts.map(|index| (along(self.found[index].cell) as u64, index as u32)).collect();
            firsts.sort_unstable();
            for (_, index) in firsts {
                self.put(index as usize);
                let [workspace, _] = self.of_tip.as_mut().expect("there are two");
                let touches = self.scene.touches(&self.posture, workspace);
                let bound = down(workspace.proven_gap());
                of_tip[self.found[index as usize].cell as usize] = (!touches).then_some(bound);
            }
        }
        for (_, index) in order {
            let index = index as usize;
            let Some(of_tip) = of_tip[self.found[index].cell as usize] else { continue };
            self.put(index);
            let Some(bound) = self.bound(of_tip) else { continue };
            self.found[index].is_free = true;
            let branch = self.found[index].branch;
            let cell = &mut self.cells[self.found[index].cell as usize];
            let is_better = cell.state != State::Free
                || bound > cell.bound
                || (bound == cell.bound && branch.index() < usize::from(cell.about));
            if is_better {
                cell.about = branch.index() as u8;
                cell.bound = bound;
            }
            cell.state = State::Free;
            cell.free |= branch.bit();
        }
    }

    /// Takes a posture.
    fn put(&mut self, index: usize) {
        let joints = self.work.ik.joints().len();
        self.work.ik.put(&self.values[index * joints..][..joints], &mut self.posture);
    }

    /// A bound below all gaps in the posture, if they are larger than the clearance.
    fn bound(&mut self, of_tip: f32) -> Option<f32> {
        if self.options.unchecked {
            return Some(0.0);
        }
        let workspace = match &mut self.of_tip {
            // Postures of other branches put the tip where it is wanted, but for rounding.
            Some([_, of_others]) if f64::from(of_tip) > SHARED => of_others,
            _ => &mut self.workspace,
        };
        if self.scene.touches(&self.posture, workspace) {
            return None;
        }
        let bound = (of_tip - SHARED as f32).min(down(workspace.proven_gap())).max(0.0);
        let clearance = self.work.clearance;
        // What is no number can be no clearance.
        if clearance == 0.0 || f64::from(bound) > clearance {
            return Some(bound);
        }
        let found = self.scene.least_gap(&self.posture, clearance.next_up(), &mut self.workspace);
        let is_near = !(clearance > 0.0) || found.is_some_and(|found| !(found.gap > clearance));
        (!is_near).then(|| down(clearance))
    }

    /// For cells that collide in every branch, a pair: the first of the cell in the first branch.
    fn name_pairs(&mut self) {
        let listed = self.scene.listed();
        let joints = self.work.ik.joints().len();
        let mut named = u32::MAX;
        for (index, found) in self.found.iter().enumerate() {
            let cell = &mut self.cells[found.cell as usize];
            if cell.state != State::Collides || found.cell == named {
                continue;
            }
            named = found.cell;
            cell.about = found.branch.index() as u8;
            self.work.ik.put(&self.values[index * joints..][..joints], &mut self.posture);
            let pair = self.scene.first_hit(&self.posture, &listed, None, &mut self.workspace);
            // None touches: what is there is nearer than the clearance.
            let pair = pair.or_else(|| {
                let below = self.work.clearance.next_up();
                self.scene.least_gap(&self.posture, below, &mut self.workspace).map(|gap| gap.pair)
            });
            cell.pair = pair.map_or(u32::MAX, |pair| pair.0);
        }
    }

    /// What is free, whole turns counted, by branch.
    fn lanes(&self, points: usize, stances: usize) -> Vec<Lane> {
        let joints = self.work.ik.joints().len();
        let mut lanes: Vec<Lane> =
            (0..BranchCode::COUNT).map(|code| Lane::new(BranchCode::numbered(code), joints)).collect();
        let mut next = 0;
        let mut turns = Vec::new();
        for point in 0..points {
            while let Some(found) = self.found.get(next).filter(|f| f.cell as usize / stances == point) {
                if found.is_free {
                    let stance = (found.cell as usize % stances) as u16;
                    let values = &self.values[next * joints..][..joints];
                    all_turns(self.work.ik, values, &mut turns);
                    for turned in turns.chunks_exact(joints) {
                        let cost = self.options.weights.of_state(self.work.ik, turned, found.singular);
                        lanes[found.branch.index()].push(stance, turned.iter().copied(), cost);
                    }
                }
                next += 1;
            }
            lanes.iter_mut().for_each(Lane::end_layer);
        }
        lanes
    }
}

/// Rounded down, so that a bound below stays one.
fn down(bound: f64) -> f32 {
    (bound as f32).next_down().max(0.0)
}

/// A posture in all its turns within limits, one after the other.
pub(super) fn all_turns(ik: &Ik, values: &[f64], into: &mut Vec<f64>) {
    into.clear();
    let has_choice = ik.joints().iter().zip(values).any(|(joint, value)| {
        let (Some(limits), Some(period)) = (joint.limits, joint.period) else { return false };
        limits.upper - value >= period * 0.999 || value - limits.lower >= period * 0.999
    });
    if has_choice {
        ik.turns(values).for_each(|turned| into.extend_from_slice(&turned));
    } else {
        into.extend_from_slice(values);
    }
}
