//! Is a point free in any stance at all? Sooner than a map would tell.

use super::Work;
use kansho_cell::ik::Solutions;
use kansho_cell::work::WorkPoint;
use kansho_check::scene::Scene;
use rayon::prelude::*;

/// Whether every one of some points is free in some stance and branch, on all threads of the current pool.
///
/// Stances are looked at far apart first, and no further than to the first that is free, so a scene without models will do.
#[must_use]
pub fn all_free_somewhere(scene: &Scene, work: &Work<'_>, points: &[WorkPoint]) -> bool {
    points.par_iter().all(|point| is_free_somewhere(scene, work, point))
}

fn is_free_somewhere(scene: &Scene, work: &Work<'_>, point: &WorkPoint) -> bool {
    let (mut workspace, mut solutions) = (scene.workspace(), Solutions::default());
    let mut posture = scene.cell().zero_posture();
    let count = work.axis.stances();
    (0..count).map(|k| scattered(k, count)).any(|stance| {
        work.ik.solve_into(&work.axis.world_from_tip(point, stance), None, &mut solutions);
        solutions.iter().any(|solution| {
            work.ik.put(solution.values, &mut posture);
            if scene.touches(&posture, &mut workspace) {
                return false;
            }
            let is_near = work.clearance > 0.0
                && scene
                    .least_gap(&posture, work.clearance.next_up(), &mut workspace)
                    .is_some_and(|found| !(found.gap > work.clearance));
            !is_near
        })
    })
}

/// The numbers below a count in an order in which neighbours are far apart: multiples of a number that has no factor in common with the count.
fn scattered(k: usize, count: usize) -> usize {
    let common = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let about = (count as f64 * 0.381_966) as usize;
    let stride = (about.max(1)..).find(|stride| common(*stride, count) == 1).unwrap_or(1);
    (k * stride) % count
}

#[cfg(test)]
mod tests {
    use super::scattered;

    #[test]
    fn every_number_comes_once() {
        for count in [1, 2, 3, 7, 12, 360, 719, 3240] {
            let mut seen: Vec<usize> = (0..count).map(|k| scattered(k, count)).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
    }
}
