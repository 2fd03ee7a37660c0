//! How deep is what collides?

use super::{FeasibleMap, MapCell, MapOptions, State, Work};
use kansho_cell::ik::Solutions;
use kansho_cell::work::WorkPoint;
use kansho_check::scene::{PairId, Scene, Workspace};
use rayon::prelude::*;
use std::sync::atomic::Ordering;

/// For every stance of some points, how deep the pair that its cell names is in the branch that it names: a bound below and one above, in
/// metres, that are about as near each other as the tolerance; bodies that are only nearer than the clearance have minus their gap. None where nothing collides, and where no
/// depth is defined (open surfaces, round shapes).
///
/// On all threads of the current pool. Where the time is over, depths are missing.
#[must_use]
pub fn depths(
    scene: &Scene,
    work: &Work<'_>,
    map: &FeasibleMap,
    points: &[usize],
    tolerance: f64,
    options: &MapOptions<'_>,
) -> Vec<Vec<Option<[f64; 2]>>> {
    let all: Vec<&WorkPoint> = work.path.points().collect();
    let of_point = |(workspace, solutions): &mut (Workspace, Solutions), &point: &usize| {
        let of_cell = |(stance, cell): (usize, &MapCell)| {
            if options.is_over() {
                return None;
            }
            of_cell(scene, work, all[point], (stance, cell), tolerance, (workspace, solutions))
        };
        let found = map.point(point).iter().enumerate().map(of_cell).collect();
        if let Some(done) = options.done {
            done.fetch_add(1, Ordering::Relaxed);
        }
        found
    };
    points.par_iter().map_init(|| (scene.workspace(), Solutions::default()), of_point).collect()
}

/// Where at a point each pair is least deep that a cell names: a stance, and bounds of how deep the least is, that are about as near each other as the
/// tolerance. Only what may be the least is measured so narrowly.
#[must_use]
pub fn least_depths(
    scene: &Scene,
    work: &Work<'_>,
    map: &FeasibleMap,
    point: usize,
    tolerance: f64,
) -> Vec<(PairId, usize, [f64; 2])> {
    let Some(at) = work.path.points().nth(point) else { return Vec::new() };
    let cells = map.point(point);
    let begin = || (scene.workspace(), Solutions::default());
    let measure = |(workspace, solutions): &mut (Workspace, Solutions), stance: usize, tolerance: f64| {
        of_cell(scene, work, at, (stance, &cells[stance]), tolerance, (workspace, solutions))
    };
    let mut pairs: Vec<PairId> = cells.iter().filter_map(MapCell::pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let coarse = |memory: &mut (Workspace, Solutions), stance: usize| {
        let width = COARSE.max(tolerance);
        Some((stance, width, measure(memory, stance, width)?))
    };
    let about: Vec<(usize, f64, [f64; 2])> =
        (0..map.stances()).into_par_iter().map_init(begin, coarse).flatten().collect();
    let least = |memory: &mut (Workspace, Solutions), pair: &PairId| {
        let mut open: Vec<_> =
            about.iter().filter(|(stance, ..)| cells[*stance].pair() == Some(*pair)).copied().collect();
        loop {
            // The least is no deeper than any bound above, and no less deep than all bounds below: what has the lowest is narrowed.
            let lowest =
                (0..open.len()).min_by(|a, b| open[*a].2[0].total_cmp(&open[*b].2[0]).then(a.cmp(b)))?;
            let best = open.iter().min_by(|a, b| a.2[1].total_cmp(&b.2[1]).then(a.0.cmp(&b.0)))?;
            let (stance, width, [below, _]) = open[lowest];
            if best.2[1] - below <= tolerance || width <= tolerance {
                return Some((*pair, best.0, [below, best.2[1]]));
            }
            let width = (width * NARROWER).max(tolerance);
            match measure(memory, stance, width) {
                Some(depth) => open[lowest] = (stance, width, depth),
                None => drop(open.swap_remove(lowest)),
            }
        }
    };
    pairs.par_iter().map_init(begin, least).flatten().collect()
}

/// The tolerance with which it is first seen what may be the least, in metres.
const COARSE: f64 = 1e-2;

/// By how much narrower it is looked at then.
const NARROWER: f64 = 0.2;

fn of_cell(
    scene: &Scene,
    work: &Work<'_>,
    point: &WorkPoint,
    (stance, cell): (usize, &MapCell),
    tolerance: f64,
    (workspace, solutions): (&mut Workspace, &mut Solutions),
) -> Option<[f64; 2]> {
    if cell.state != State::Collides {
        return None;
    }
    let (pair, branch) = (cell.pair()?, cell.branch()?);
    work.ik.solve_into(&work.axis.world_from_tip(point, stance), None, solutions);
    let solution = solutions.iter().find(|solution| super::BranchCode::of(solution.branch) == branch)?;
    let mut posture = scene.cell().zero_posture();
    work.ik.put(solution.values, &mut posture);
    // What is only nearer than the clearance is not in each other: its gap is a depth below zero.
    match scene.gap_of_pair(&posture, pair, workspace) {
        gap if gap > 0.0 && gap.is_finite() => Some([-gap; 2]),
        _ => scene.depth(&posture, pair, tolerance, workspace),
    }
}
