//! Where can a tool be, and how freely can it be turned there?

use kansho_cell::ik::{Ik, Solutions};
use kansho_check::scene::{Scene, Workspace};
use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct ReachOptions {
    /// Directions of the tool's z, unit vectors in the world.
    pub directions: Vec<DVec3>,
    /// How many rotations about each direction are tried, evenly.
    pub turns: usize,
}

/// What is known of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// The point, in the world.
    pub point: DVec3,
    /// The part of the directions in which the tool can be there, turned about them in one way at least.
    pub share: f64,
    /// Most postures that any pose there has.
    pub branches: usize,
    /// The part of the directions in which it can be there without a contact; none if that was not asked.
    pub free: Option<f64>,
}

/// Directions all over the sphere, the same every time: a spiral of Fibonacci.
#[must_use]
pub fn directions(count: usize) -> Vec<DVec3> {
    let golden = PI * (3.0 - 5f64.sqrt());
    let one = |k: usize| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (sin, cos) = (golden * k as f64).sin_cos();
        DVec3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + DVec3::Z * z
    };
    (0..count).map(one).collect()
}

/// Looks at many points, on all threads of the current pool. With a scene, postures that touch do not count as free; joints that do not
/// move the tip are as in `posture`.
///
/// Where solutions are found numerically, a pose that was not reached may be within reach all the same.
///
/// ```
/// use kansho_cell::{builtin, ik::{Ik, IkOptions, Tip}};
/// use kansho_geom::glam::DVec3;
/// use kansho_plan::reach::{ReachOptions, directions, reach};
/// let cell = builtin::cell();
/// let tip = Tip::tool(&cell, "arm").expect("the arm has a tool");
/// let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("joints move it");
/// let points = [tip.placed(&cell, &builtin::home()).translation(), DVec3::X * 100.0];
/// let options = ReachOptions { directions: directions(50), turns: 4 };
/// let found = reach(&ik, None, &cell.zero_posture(), &points, &options);
/// assert!(found[0].share > 0.1 && found[1].share == 0.0);
/// ```
#[must_use]
pub fn reach(
    ik: &Ik,
    scene: Option<&Scene>,
    posture: &[f64],
    points: &[DVec3],
    options: &ReachOptions,
) -> Vec<Reached> {
    let frames: Vec<Vec<DMat3>> = options
        .directions
        .iter()
        .map(|z| (0..options.turns).map(|k| frame(*z, TAU * k as f64 / options.turns as f64)).collect())
        .collect();
    let memory = || (Solutions::default(), scene.map(|scene| (scene, scene.workspace())), posture.to_vec());
    let one = |memory: &mut (Solutions, Option<(&Scene, Workspace)>, Vec<f64>), point: &DVec3| {
        let (solutions, scene, posture) = memory;
        let (mut reached, mut free, mut branches) = (0, 0, 0);
        for turns in &frames {
            let (mut is_reached, mut is_free) = (false, false);
            for rotation in turns {
                ik.solve_into(&Pose::of_rotation(*rotation, *point), None, solutions);
                branches = branches.max(solutions.len());
                is_reached |= !solutions.is_empty();
                if let Some((scene, workspace)) = scene
                    && !is_free
                {
                    is_free = solutions.iter().any(|solution| {
                        ik.put(solution.values, posture);
                        !scene.touches(posture, workspace)
                    });
                }
            }
            reached += usize::from(is_reached);
            free += usize::from(is_free);
        }
        let share = |count: usize| count as f64 / frames.len().max(1) as f64;
        Reached { point: *point, share: share(reached), branches, free: scene.is_some().then(|| share(free)) }
    };
    points.par_iter().map_init(memory, one).collect()
}

/// Axes with z along a unit vector, turned about it.
fn frame(z: DVec3, turn: f64) -> DMat3 {
    let side = z.any_orthonormal_vector();
    let (sin, cos) = turn.sin_cos();
    let x = side * cos + z.cross(side) * sin;
    DMat3::from_cols(x, z.cross(x), z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evenly spread: their mean is near zero, and no place on the sphere is far from one.
    #[test]
    fn directions_are_spread() {
        let all = directions(200);
        assert!(all.iter().sum::<DVec3>().length() / 200.0 < 0.01);
        assert!(all.iter().all(|d| (d.length() - 1.0).abs() < 1e-12));
        for other in directions(977) {
            let nearest = all.iter().map(|d| d.angle_between(other)).fold(f64::INFINITY, f64::min);
            assert!(nearest < 0.2, "{nearest}");
        }
    }
}
