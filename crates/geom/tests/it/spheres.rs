//! Surfaces covered by spheres.

use crate::bodies::{height_field, plate};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::spheres::measure::{uncovered, volumes};
use kansho_geom::spheres::paper::{Moving, Portions, SphereId};
use kansho_geom::spheres::radii::Ranks;
use kansho_geom::spheres::search::{Packed, SphereScratch, search};
use kansho_geom::spheres::{
    CoverFault, CoverOptions, Goal, Hierarchy, Keep, Surface, cover, cover_by_count, fit,
};
use kansho_geom::tree::{Scratch, Tree, hit};
use kansho_geom::{Ball, Mesh, Pose, triangle};
use proptest::prelude::*;
use std::sync::Arc;

/// Numbers from 0 to 1 that are spread evenly.
fn spread(count: usize) -> impl Iterator<Item = [f64; 3]> {
    (1..=count).map(|k| {
        [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_970_1]
            .map(|a| (a * k as f64).fract())
    })
}

/// Points of a mesh: corners, middles of sides, and points inside.
fn points(mesh: &Mesh, each: usize) -> Vec<DVec3> {
    let mut points = Vec::new();
    for [a, b, c] in mesh.corners() {
        points.extend([a, b, c, (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5]);
        for [u, v, _] in spread(each) {
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            points.push(a + (b - a) * u + (c - a) * v);
        }
    }
    points
}

/// Whether a point lies in a smallest sphere below one, and in all on the way.
fn covered(hierarchy: &Hierarchy, p: DVec3, slack: f64, sphere: SphereId) -> bool {
    let rank = &hierarchy.ranks()[sphere.rank];
    let mut children = rank.children(sphere.index);
    rank.centres()[sphere.index].distance(p) <= rank.radius() + slack
        && (sphere.rank + 1 == hierarchy.ranks().len()
            || children.any(|index| covered(hierarchy, p, slack, SphereId { rank: sphere.rank + 1, index })))
}

fn all_covered(hierarchy: &Hierarchy, points: &[DVec3], slack: f64) {
    let top = SphereId { rank: 0, index: 0 };
    for &p in points {
        assert!(covered(hierarchy, p, slack, top), "{p} of {} spheres", hierarchy.len());
    }
}

/// The same of the balls around what lies in the cells; and none is larger than the sphere of its cell.
fn all_covered_by_fitted(hierarchy: &Hierarchy, points: &[DVec3]) {
    fn covered(hierarchy: &Hierarchy, p: DVec3, rank: usize, index: usize) -> bool {
        let this = &hierarchy.ranks()[rank];
        let ball = this.fitted()[index];
        ball.centre().distance(p) <= ball.radius()
            && (rank + 1 == hierarchy.ranks().len()
                || this.children(index).any(|child| covered(hierarchy, p, rank + 1, child)))
    }
    for &p in points {
        assert!(covered(hierarchy, p, 0, 0), "{p} of {} balls", hierarchy.len());
    }
    for rank in hierarchy.ranks() {
        assert_eq!(rank.fitted().len(), rank.centres().len());
        let most = rank.radius() * (1.0 + 1e-6);
        assert!(rank.fitted().iter().all(|ball| ball.radius() <= most), "some are larger than {most}");
    }
}

fn options(radius: f64, ratio: f64, keep_overlaps: bool) -> CoverOptions {
    CoverOptions { ranks: Ranks::Ratio(ratio), keep_overlaps, ..CoverOptions::of_radius(radius) }
}

/// A body with holes, a rough sheet, or a long thin needle.
fn body(kind: usize, seed: u64, size: f64, at: DVec3) -> Mesh {
    let mesh = match kind {
        0 => plate(&[1.0, 1.9, 1.2, 1.6, 1.1], &[0.3, 0.7, 0.5], 0.4).mesh,
        1 => height_field(6, 0.3, seed),
        _ => {
            let shape = Shape::Cone { radius: 0.01, height: 2.0 };
            Primitive::new(shape).expect("a cone").tessellated(1e-3).expect("it is bounded")
        }
    };
    let turned =
        mesh.placed(Pose::from_rpy(DVec3::ZERO, DVec3::new(seed as f64, 0.3, 0.7))).expect("a mesh").mesh;
    let scaled = turned.scaled(DVec3::splat(size)).expect("a mesh").mesh;
    scaled.placed(Pose::from_translation(at)).expect("a mesh").mesh
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_point_of_a_mesh_is_covered_at_every_rank(
        kind in 0usize..3,
        seed in 0u64..1000,
        size in prop::sample::select(vec![1e-5, 0.3, 40.0]),
        offset in prop::sample::select(vec![0.0, 3.0, 1e4]),
        fineness in 2.0..25.0f64,
        ratio in 1.2..5.0f64,
        keep_overlaps: bool,
        three: bool,
        keep in prop::sample::select(vec![Keep::Meeting, Keep::Holding]),
    ) {
        let mesh = body(kind, seed, size, DVec3::splat(offset * size));
        let mut options = options(size / fineness, ratio, keep_overlaps);
        options.keep = keep;
        if three {
            options.ranks = Ranks::Three;
        }
        // Cells that overlap and ranks that hardly differ multiply: such covers are left out where they grow too large. The others
        // have at most some 40,000 balls a rank at the finest radius that is asked for.
        let multiplies = keep_overlaps || ratio < 2.0;
        options.most = if multiplies { 30_000 } else { 200_000 };
        let hierarchy = match cover(&Surface::Mesh(&mesh), &options) {
            Err(CoverFault::TooMany { .. }) if multiplies => return Ok(()),
            hierarchy => hierarchy.expect("it can be covered"),
        };
        let points = points(&mesh, 10);
        all_covered(&hierarchy, &points, 0.0);
        if keep == Keep::Holding {
            all_covered_by_fitted(&hierarchy, &points);
        }
        // Only spheres that meet the surface.
        let triangles: Vec<_> = mesh.corners().collect();
        for rank in hierarchy.ranks() {
            let reach = rank.radius() * (1.0 + 1e-9);
            for centre in rank.centres().iter().step_by(1 + rank.centres().len() / 50) {
                let near = |t| triangle::nearest(*centre, t).distance(*centre) <= reach;
                prop_assert!(rank.centres().len() == 1 || triangles.iter().any(near));
            }
        }
    }

    #[test]
    fn both_searches_agree_and_miss_nothing(
        kinds in [0usize..3, 0usize..3],
        seed in 0u64..1000,
        fineness in [2.0..12.0f64, 2.0..12.0],
        shift in prop::array::uniform3(-2.5..2.5f64),
        turn in prop::array::uniform3(-3.0..3.0f64),
        keep in prop::sample::select(vec![Keep::Meeting, Keep::Holding]),
    ) {
        let meshes = [body(kinds[0], seed, 1.0, DVec3::ZERO), body(kinds[1], seed + 1, 0.8, DVec3::ZERO)];
        let covers: Vec<Hierarchy> = meshes
            .iter()
            .zip(fineness)
            .map(|(mesh, fineness)| {
                let options = CoverOptions { keep, ..options(1.0 / fineness, 2.0, false) };
                cover(&Surface::Mesh(mesh), &options).expect("it can be covered")
            })
            .collect();
        let pose = Pose::from_rpy(DVec3::from(shift), DVec3::from(turn));
        let (mut x, mut y) = (Moving::new(&covers[0]), Moving::new(&covers[1]));
        y.move_to(pose);
        let packed = [Packed::new(&covers[0]), Packed::new(&covers[1])];
        let mut scratch = SphereScratch::default();
        for portions in [Portions::First, Portions::All] {
            let (found, _) = Moving::search(&mut x, &mut y, portions);
            prop_assert_eq!(&search(&packed[0], &packed[1], pose, portions, &mut scratch), &found);
            // Some of those that brute force finds.
            let [a, b] = [covers[0].smallest(), covers[1].smallest()];
            for [i, j] in &found {
                let gap = a.centres()[i.index].distance(pose * b.centres()[j.index]);
                prop_assert!(gap <= (a.radius() + b.radius()) * (1.0 + 1e-12));
            }
            // A contact is never missed, and what is reported is within the accuracy.
            let trees = meshes.clone().map(|mesh| Tree::new(Arc::new(mesh)));
            let touch = hit(&trees[0], &trees[1], pose, &mut Scratch::default()).is_some();
            prop_assert!(!touch || !found.is_empty());
            if !found.is_empty() {
                let gap = kansho_geom::tree::distance(&trees[0], &trees[1], pose, f64::INFINITY, &mut Scratch::default());
                let accuracy = 2.0 * (a.radius() + b.radius());
                prop_assert!(gap.is_some_and(|found| found.gap() <= accuracy * (1.0 + 1e-9)));
            }
        }
        // Only what the search looks at is placed.
        let all = covers[1].len() as u64;
        prop_assert!(y.placed <= all);
    }
}

#[test]
fn curved_surfaces_are_covered_as_curved() {
    let shapes = [
        Shape::Sphere { radius: 0.5 },
        Shape::Cylinder { radius: 0.3, height: 1.0 },
        Shape::Cone { radius: 0.4, height: 0.9 },
        Shape::Capsule { radius: 0.2, height: 0.7 },
        Shape::Box { size: DVec3::new(0.2, 0.5, 1.0) },
    ];
    for shape in shapes {
        let primitive = Primitive::new(shape).expect("valid sizes");
        let hierarchy =
            cover(&Surface::Primitive(&primitive), &CoverOptions::of_radius(0.02)).expect("covered");
        // Corners of the fine mesh lie on the surface, and its faces at most 1e-4 inside.
        let mesh = primitive.tessellated(1e-4).expect("it is bounded");
        all_covered(&hierarchy, mesh.vertices(), 1e-12);
        all_covered(&hierarchy, &points(&mesh, 2), 1e-4);
        let fits = |centre: &DVec3| primitive.signed_distance(*centre).abs() <= 0.02 + 1e-12;
        assert!(hierarchy.smallest().centres().iter().all(fits), "{shape:?}");
    }
    let ring = Surface::Torus { ring: 0.5, tube: 0.1 };
    let hierarchy = cover(&ring, &CoverOptions::of_radius(0.02)).expect("covered");
    let on_ring: Vec<DVec3> = spread(5000)
        .map(|[u, v, _]| {
            let ((su, cu), (sv, cv)) =
                ((u * std::f64::consts::TAU).sin_cos(), (v * std::f64::consts::TAU).sin_cos());
            DVec3::new((0.5 + 0.1 * cv) * cu, (0.5 + 0.1 * cv) * su, 0.1 * sv)
        })
        .collect();
    all_covered(&hierarchy, &on_ring, 1e-12);
}

/// Centres of a rank, as numbers that can be compared.
fn centres(hierarchy: &Hierarchy, rank: usize) -> std::collections::BTreeSet<[u64; 3]> {
    hierarchy.ranks()[rank].centres().iter().map(|c| c.to_array().map(f64::to_bits)).collect()
}

#[test]
fn cells_that_hold_no_surface_are_left_out_and_no_others() {
    for (kind, seed) in [(0, 3), (1, 4), (2, 5)] {
        let mesh = body(kind, seed, 1.0, DVec3::splat(0.2));
        let surface = Surface::Mesh(&mesh);
        let holding = cover(&surface, &CoverOptions::of_radius(0.04)).expect("covered");
        let meeting = cover(&surface, &CoverOptions::as_in_patent(0.04)).expect("covered");
        assert!(meeting.ranks().iter().all(|rank| rank.fitted().is_empty()));
        for rank in 0..holding.ranks().len() {
            assert!(centres(&holding, rank).is_subset(&centres(&meeting, rank)), "{kind}, {rank}");
        }
        // Spheres reach over three faces of their cells on the average: the patent keeps many more.
        let counts = [&holding, &meeting].map(|spheres| spheres.smallest().centres().len());
        assert!(counts[0] < counts[1], "{counts:?}");
    }
}

#[test]
fn surfaces_on_the_borders_of_cells_are_covered() {
    // A box of 8 by 8 by 8 cells, and a sheet in the middle of it that lies where cells meet.
    let edge = 1.0 / 8.0;
    let radius = edge * 3f64.sqrt() / 2.0;
    let corner = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let mut triangles = Vec::new();
    for z in [0.0, 0.5, 1.0] {
        let [a, b, c, d] =
            [corner(0.0, 0.0, z), corner(1.0, 0.0, z), corner(1.0, 1.0, z), corner(0.0, 1.0, z)];
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    let raw = kansho_geom::mesh::weld(
        &triangles.concat(),
        &(0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect::<Vec<_>>(),
        0.0,
    );
    let mesh = raw.expect("a mesh").mesh;
    // A little more and a little less than what fits: rounding decides where the borders lie.
    for factor in [1.0, 1.0 + 1e-15, 1.0 - 1e-15, 1.0 + 1e-13, 1.0 - 1e-13, 1.1] {
        for ratio in [2.0, 3.0] {
            let options = options(radius * factor, ratio, false);
            let hierarchy = cover(&Surface::Mesh(&mesh), &options).expect("covered");
            all_covered(&hierarchy, &points(&mesh, 500), 0.0);
            all_covered_by_fitted(&hierarchy, &points(&mesh, 500));
        }
    }
}

#[test]
fn bad_radii_are_refused() {
    let mesh = body(0, 1, 1.0, DVec3::ZERO);
    let with = |radius| cover(&Surface::Mesh(&mesh), &CoverOptions::of_radius(radius));
    assert!(matches!(with(0.0), Err(CoverFault::Radii(_))));
    assert!(matches!(with(-1.0), Err(CoverFault::Radii(_))));
    assert!(matches!(with(f64::NAN), Err(CoverFault::Radii(_))));
    assert!(matches!(with(1e-15), Err(CoverFault::TooFine { .. })));
    let Err(CoverFault::TooMany { count, .. }) = with(1e-6) else { panic!("that is too many") };
    // About 20 m² in squares of 1 µm: 1e13 spheres, give or take.
    assert!((1e12..1e15).contains(&count), "{count}");
    assert_eq!(with(100.0).map(|hierarchy| hierarchy.len()), Ok(1));
    let floor = Primitive::new(Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 }).expect("a floor");
    let refused = cover(&Surface::Primitive(&floor), &CoverOptions::of_radius(0.1));
    assert_eq!(refused, Err(CoverFault::Infinite));
}

#[test]
fn threads_change_nothing() {
    let mesh = body(0, 5, 1.0, DVec3::ZERO);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| cover(&Surface::Mesh(&mesh), &CoverOptions::of_radius(0.05)))
    };
    assert_eq!(on(1), on(4));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fitted_balls_cover_every_point(
        kind in 0usize..3,
        seed in 0u64..1000,
        size in prop::sample::select(vec![1e-5, 0.3, 40.0]),
        offset in prop::sample::select(vec![0.0, 3.0, 1e4]),
        fineness in 1.0..20.0f64,
        count in 1usize..200,
    ) {
        let mesh = body(kind, seed, size, DVec3::splat(offset * size));
        let triangles: Vec<_> = mesh.corners().collect();
        let radius = size / fineness;
        for goal in [Goal::Radius(radius), Goal::Count(count)] {
            let balls = fit(&triangles, 0.0, goal).expect("it can be covered");
            for p in points(&mesh, 10) {
                prop_assert!(balls.iter().any(|ball| ball.centre().distance(p) <= ball.radius()), "{p}");
            }
            match goal {
                Goal::Radius(radius) => prop_assert!(balls.iter().all(|ball| ball.radius() <= radius)),
                Goal::Count(count) => prop_assert_eq!(balls.len(), count),
            }
            let bare = uncovered(&triangles, &balls, 0.1 * size);
            prop_assert_eq!(bare.sampled, 0.0);
            prop_assert!((bare.area - mesh.area()).abs() < 1e-6 * mesh.area());
        }
    }
}

#[test]
fn bad_goals_are_refused() {
    let mesh = body(0, 1, 1.0, DVec3::ZERO);
    let triangles: Vec<_> = mesh.corners().collect();
    let with = |goal| fit(&triangles, 0.0, goal);
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(with(Goal::Radius(radius)), Err(CoverFault::Radii(_))));
    }
    assert!(matches!(with(Goal::Radius(1e-15)), Err(CoverFault::TooFine { .. })));
    assert!(matches!(with(Goal::Radius(1e-6)), Err(CoverFault::TooMany { .. })));
    assert!(matches!(with(Goal::Radius(0.005)), Err(CoverFault::TooMany { .. })));
    assert_eq!(with(Goal::Count(0)), Err(CoverFault::NoSpheres));
    assert_eq!(with(Goal::Radius(100.0)).map(|balls| balls.len()), Ok(1));
    assert_eq!(fit(&[], 0.0, Goal::Count(3)), Ok(Vec::new()));
}

#[test]
fn a_number_of_spheres_is_kept() {
    let mesh = body(0, 1, 1.0, DVec3::ZERO);
    let surface = Surface::Mesh(&mesh);
    for count in [1, 2, 40, 1000] {
        let hierarchy = cover_by_count(&surface, count, &CoverOptions::of_radius(1.0)).expect("covered");
        let found = hierarchy.smallest().centres().len();
        assert!(found <= count && 3 * found >= count.min(100), "{found} of {count}");
        all_covered(&hierarchy, &points(&mesh, 10), 0.0);
    }
    let none = cover_by_count(&surface, 0, &CoverOptions::of_radius(1.0));
    assert_eq!(none, Err(CoverFault::NoSpheres));
}

#[test]
fn models_are_measured() {
    let cube = Primitive::new(Shape::Box { size: DVec3::ONE }).expect("a cube");
    let triangles: Vec<_> = cube.tessellated(1.0).expect("a mesh").corners().collect();
    let near = |found: f64, expected: f64, within: f64| {
        assert!((found - expected).abs() <= within, "{found}, not {expected}");
    };
    let ball_volume = |radius: f64| 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    // Around it.
    let around = [Ball::new(DVec3::ZERO, 0.9)];
    let found = volumes(&triangles, &around, 300);
    near(found.balls, ball_volume(0.9), 0.01);
    near(found.outside, ball_volume(0.9) - 1.0, 0.01);
    near(found.body, 1.0, 0.01);
    assert_eq!(found.open, 0.0);
    let bare = uncovered(&triangles, &around, 0.02);
    assert_eq!((bare.at_least, bare.at_most, bare.sampled, bare.farthest_at_most), (0.0, 0.0, 0.0, 0.0));
    near(bare.area, 6.0, 1e-12);
    // A ball through the middles of the edges: what is uncovered are the corners of the faces.
    let radius = 0.5f64.sqrt();
    let bare = uncovered(&triangles, &[Ball::new(DVec3::ZERO, radius)], 0.01);
    let expected = 6.0 * (1.0 - std::f64::consts::PI * 0.25);
    assert!(bare.at_least <= expected && expected <= bare.at_most, "{bare:?}");
    near(bare.sampled, expected, 0.02);
    near(bare.farthest_sampled, 0.75f64.sqrt() - radius, 0.01);
    assert!(bare.farthest_at_most >= 0.75f64.sqrt() - radius);
    // Two that overlap count once; none leaves all.
    let two = [Ball::new(DVec3::ZERO, 0.9), Ball::new(DVec3::X * 1e-3, 0.9)];
    near(volumes(&triangles, &two, 300).balls, ball_volume(0.9), 0.02);
    near(uncovered(&triangles, &[], 0.1).at_least, 6.0, 1e-12);
    // Without its lid it counts as solid between the walls only where it closes.
    assert!(volumes(&triangles[2..], &around, 300).open > 0.0);
}
