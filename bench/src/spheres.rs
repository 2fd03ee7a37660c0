//! Hierarchies of spheres: how long they take to make, and the search of the patent beside ours.

use crate::clock::thread_secs;
use kansho::geom::spheres::paper::{Moving, Portions, SphereId};
use kansho::geom::spheres::search::{Packed, SphereScratch, search};
use kansho::geom::spheres::{CoverOptions, Hierarchy, Surface, cover};
use kansho::geom::{Mesh, Pose};
use kansho::io::mesh::{self, MeshOptions};
use kansho::io::poses;
use std::path::Path;

/// Runs of which the fastest counts.
const RUNS: usize = 5;

/// Smallest spheres are this part of the larger mesh.
const FINENESS: f64 = 100.0;

/// Two real meshes in the poses of W1, covered as the patent has it. Both searches must find the same pairs of spheres in the
/// same order.
pub(crate) fn searches(data: &Path) {
    let folder = data.join("w1");
    let meshes = ["ur3_upperarm.stl", "ur3_forearm.stl"]
        .map(|file| mesh::read(&folder.join(file), &MeshOptions::default()).expect("the mesh is good").mesh);
    let radius = meshes[0].aabb().extent().max_element() / FINENESS;
    let covers = meshes.each_ref().map(|mesh| {
        generation(mesh, "where there is surface", &CoverOptions::of_radius(radius));
        generation(mesh, "as in the patent", &CoverOptions::as_in_patent(radius))
    });
    let poses = poses::read(&folder.join("poses.csv"), None).expect("the poses are good");
    for portions in [Portions::First, Portions::All] {
        compare(&covers, &poses, portions);
    }
}

/// Makes a hierarchy, and says how long it took.
fn generation(mesh: &Mesh, how: &str, options: &CoverOptions) -> Hierarchy {
    let surface = Surface::Mesh(mesh);
    let make = || {
        let start = thread_secs();
        let hierarchy = cover(&surface, options).expect("it can be covered");
        (thread_secs() - start, hierarchy)
    };
    let (mut best, hierarchy) = make();
    (1..RUNS).for_each(|_| best = best.min(make().0));
    println!(
        "spheres of {:.1} mm {how}: {} triangles, {} ranks, {} spheres, {} of them smallest, {:.0} ms",
        options.radius * 1e3,
        mesh.triangles().len(),
        hierarchy.ranks().len(),
        hierarchy.len(),
        hierarchy.smallest().centres().len(),
        best * 1e3
    );
    hierarchy
}

fn compare(covers: &[Hierarchy; 2], poses: &[Pose], portions: Portions) {
    let [mut of_patent, mut of_ours] = [f64::INFINITY; 2];
    let (mut x, mut y) = (Moving::new(&covers[0]), Moving::new(&covers[1]));
    let mut compared = 0;
    let mut theirs: Vec<Vec<[SphereId; 2]>> = Vec::new();
    for _ in 0..RUNS {
        (compared, y.placed) = (0, 0);
        let start = thread_secs();
        let run = poses.iter().map(|&pose| {
            y.move_to(pose);
            let (found, count) = Moving::search(&mut x, &mut y, portions);
            compared += count;
            found
        });
        theirs = run.collect();
        of_patent = of_patent.min(thread_secs() - start);
    }
    let packed = covers.each_ref().map(Packed::new);
    let mut scratch = SphereScratch::default();
    for _ in 0..RUNS {
        (scratch.placed, scratch.compared) = (0, 0);
        let start = thread_secs();
        let run = poses.iter().map(|&pose| search(&packed[0], &packed[1], pose, portions, &mut scratch));
        let ours: Vec<Vec<[SphereId; 2]>> = run.collect();
        of_ours = of_ours.min(thread_secs() - start);
        let same = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours == theirs).count();
        assert_eq!(same, poses.len(), "the searches must agree");
    }
    let n = poses.len() as f64;
    let pairs: usize = theirs.iter().map(Vec::len).sum();
    let meeting = theirs.iter().filter(|found| !found.is_empty()).count();
    println!(
        "{portions:?}: patent {:.2} us, ours {:.2} us, ratio {:.3}; {meeting} of {} poses meet, {pairs} pairs, all the same",
        of_patent * 1e6 / n,
        of_ours * 1e6 / n,
        of_ours / of_patent,
        poses.len()
    );
    println!(
        "    a pose: centres moved {:.1} of {} ({:.2} %), {:.1} comparisons of two; ours: {:.1} placed, {:.1} comparisons of one with eight",
        y.placed as f64 / n,
        covers[1].len(),
        100.0 * y.placed as f64 / n / covers[1].len() as f64,
        compared as f64 / n,
        scratch.placed as f64 / n,
        scratch.compared as f64 / n,
    );
}
