//! Pushes of bodies made of cubes, and of two halves of a cut, against the exact answer and against the depth at many places.

use kansho_check::slide::{Placed, Push, push};
use kansho_geom::glam::DVec3;
use kansho_geom::tree::{Scratch, Tree, depth};
use kansho_geom::{Mesh, Pose, mesh};
use std::sync::Arc;

const N: usize = 4;

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

fn at(i: usize) -> [usize; 3] {
    [i % N, i / N % N, i / N / N]
}

fn surface(owner: &[u8], who: u8) -> Option<Arc<Mesh>> {
    let is = |p: [i32; 3]| {
        p.iter().all(|&x| (0..N as i32).contains(&x))
            && owner[p[0] as usize + N * p[1] as usize + N * N * p[2] as usize] == who
    };
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for p in (0..owner.len()).filter(|&i| owner[i] == who).map(|i| at(i).map(|x| x as i32)) {
        for axis in 0..3 {
            for up in [0, 1] {
                let mut beside = p;
                beside[axis] += 2 * up - 1;
                if is(beside) {
                    continue;
                }
                let corner = |a: i32, b: i32| {
                    let mut q = p;
                    q[axis] += up;
                    q[(axis + 1) % 3] += a;
                    q[(axis + 2) % 3] += b;
                    DVec3::new(f64::from(q[0]), f64::from(q[1]), f64::from(q[2]))
                };
                let first = points.len() as u32;
                let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                if up == 0 {
                    quad.reverse();
                }
                points.extend(quad);
                triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            }
        }
    }
    (!points.is_empty()).then(|| Arc::new(mesh::weld(&points, &triangles, 0.0).expect("a mesh").mesh))
}

fn placed(mesh: &Mesh) -> Placed<'_> {
    Placed { mesh, world_from_mesh: Pose::IDENTITY }
}

#[test]
fn cubes_along_an_axis_collide_after_the_gap_before_them() {
    let mut random = Random(7);
    let (mut free, mut stopped) = (0, 0);
    for _ in 0..2000 {
        let owner: Vec<u8> = (0..N * N * N).map(|_| [1, 2, 0, 0, 0, 0][random.next(6)]).collect();
        let (Some(a), Some(b)) = (surface(&owner, 1), surface(&owner, 2)) else { continue };
        let (axis, up) = (random.next(3), random.next(2) == 1);
        let direction = [DVec3::X, DVec3::Y, DVec3::Z][axis] * if up { 1.0 } else { -1.0 };
        let length = 0.5 + random.next(4) as f64;
        // Of each cube of A, the next cube of B in its line.
        let mut least = f64::INFINITY;
        for i in (0..owner.len()).filter(|&i| owner[i] == 1) {
            for j in (0..owner.len()).filter(|&j| owner[j] == 2) {
                let (p, q) = (at(i), at(j));
                if (0..3).all(|k| k == axis || p[k] == q[k]) && (q[axis] > p[axis]) == up {
                    least = least.min(p[axis].abs_diff(q[axis]) as f64 - 1.0);
                }
            }
        }
        match push(placed(&a), placed(&b), direction, length, &[], 1e-9) {
            Push::Free => {
                assert!(least >= length, "{owner:?} {direction} {length}");
                free += 1;
            }
            Push::Touches { after, .. } => {
                assert!((after - least).abs() < 1e-9, "{owner:?} {direction} {length}: {after}, not {least}");
                stopped += 1;
            }
            Push::Undecided => panic!("{owner:?} {direction} {length}"),
        }
    }
    assert!(free > 200 && stopped > 200, "{free} {stopped}");
}

#[test]
fn oblique_pushes_agree_with_the_depth_on_the_way() {
    let mut random = Random(8);
    let (mut free, mut stopped) = (0, 0);
    let mut scratch = Scratch::default();
    for _ in 0..150 {
        let owner: Vec<u8> =
            (0..N * N * N).map(|_| [1, 2, 0, 0, 0, 0, 0, 0, 0, 0][random.next(10)]).collect();
        let (Some(a), Some(b)) = (surface(&owner, 1), surface(&owner, 2)) else { continue };
        let number = |random: &mut Random| random.next(7) as f64 - 3.0;
        let Some(direction) =
            DVec3::new(number(&mut random), number(&mut random), number(&mut random)).try_normalize()
        else {
            continue;
        };
        let length = 0.3 + random.next(8) as f64 * 0.25;
        let (tree_a, tree_b) = (Tree::new(a.clone()), Tree::new(b.clone()));
        let mut deep = |way: f64| {
            let b_from_a = Pose::from_translation(direction * way);
            depth(&tree_b, &tree_a, b_from_a, 1e-4, &mut scratch).expect("closed")
        };
        match push(placed(&a), placed(&b), direction, length, &[], 1e-9) {
            Push::Free => {
                free += 1;
                for k in 1..=10 {
                    assert!(
                        deep(length * f64::from(k) / 10.0).at_least < 1e-9,
                        "{owner:?} {direction} {length}"
                    );
                }
            }
            Push::Touches { after, point, .. } => {
                stopped += 1;
                assert!(after < length && point.is_finite());
                assert!(deep(after * 0.999).at_least < 1e-9, "{owner:?} {direction} {after}");
                let overlaps = [1e-3, 1e-2, 5e-2].iter().any(|step| deep(after + step).at_most > 1e-4);
                assert!(overlaps, "{owner:?} {direction} {after}");
            }
            Push::Undecided => panic!("{owner:?} {direction} {length}"),
        }
    }
    assert!(free > 20 && stopped > 20, "{free} {stopped}");
}

#[test]
fn what_is_no_direction_and_no_length_proves_nothing() {
    let block = surface(&[1; N * N * N], 1).expect("a block");
    let asked = |direction: DVec3, length: f64, tolerance: f64, out: f64| {
        let far = Placed { mesh: &block, world_from_mesh: Pose::from_translation(DVec3::X * out) };
        push(placed(&block), far, direction, length, &[], tolerance)
    };
    assert_eq!(asked(DVec3::Z, 1.0, 1e-9, 10.0), Push::Free);
    for direction in [DVec3::ZERO, DVec3::NAN] {
        assert_eq!(asked(direction, 1.0, 1e-9, 10.0), Push::Undecided);
    }
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert_eq!(asked(DVec3::Z, bad, 1e-9, 10.0), Push::Undecided);
        assert_eq!(asked(DVec3::Z, 1.0, bad, 10.0), Push::Undecided);
    }
    for out in [f64::NAN, f64::INFINITY, 1e200] {
        assert_eq!(asked(DVec3::Z, 1.0, 1e-9, out), Push::Undecided);
    }
}

/// Two tetrahedra on both sides of a triangle over `z = steep x`, the upper one lifted by `lift` of the triangle's corners.
fn halves(steep: f64, flat: [[f64; 2]; 3], tips: [DVec3; 2], lift: [f64; 3]) -> [Arc<Mesh>; 2] {
    let at = |k: usize, lift: f64| DVec3::new(flat[k][0], flat[k][1], steep * flat[k][0] + lift);
    let low = [at(0, 0.0), at(1, 0.0), at(2, 0.0), tips[0]];
    let high = [at(0, lift[0]), at(1, lift[1]), at(2, lift[2]), tips[1]];
    let mesh = |points: &[DVec3], triangles: &[[u32; 3]]| {
        Arc::new(mesh::weld(points, triangles, 0.0).expect("a tetrahedron").mesh)
    };
    [
        mesh(&low, &[[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]]),
        mesh(&high, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
    ]
}

/// A steep contact that is in the way from one end to the other, tilted by no more than the tolerance as seen across it: as seen along
/// the way that is more than twice the tolerance, behind at one end and ahead at the other.
#[test]
fn a_steep_contact_in_the_way_is_no_contact_behind() {
    let flat = [[0.0, 0.0], [0.02, 0.0], [0.01, 1.0]];
    let tips = [DVec3::new(0.01, 0.3, -5.0), DVec3::new(0.01, 0.3, 7.0)];
    for lift in [[-2.1e-6, -2.1e-6, 0.9e-6], [-2.5e-6, -2.5e-6, -2.2e-6], [-5e-5, -2.1e-6, 0.9e-6]] {
        let [low, high] = halves(100.0, flat, tips, lift);
        let found = push(placed(&low), placed(&high), DVec3::Z, 0.5, &[], 1e-6);
        assert!(matches!(found, Push::Touches { after, .. } if after < 1e-5), "{lift:?}: {found:?}");
    }
    // The other way it leaves.
    let [low, high] = halves(100.0, flat, tips, [-2.1e-6, -2.1e-6, 0.9e-6]);
    assert_eq!(push(placed(&low), placed(&high), -DVec3::Z, 0.5, &[], 1e-6), Push::Free);
}

/// Two halves of a cut of any slope, with noise: what is free is free by the depth on the way, also where the cut is steep. Not
/// all that goes apart is told so: where corners are not quite over each other, faces beside the cut may seem in the way.
#[test]
fn halves_of_a_cut_go_apart_and_not_into_each_other() {
    let mut random = Random(9);
    let mut unit = || random.next(1 << 20) as f64 / (1 << 20) as f64;
    let (mut free, mut stopped) = (0, 0);
    let mut scratch = Scratch::default();
    let tolerance = 1e-6;
    for round in 0..2000 {
        let steep = 10f64.powf(3.5 * unit() - 1.0);
        let wide = 1.0 / (1.0 + steep);
        let flat = [[0.0, 0.1 * unit()], [wide, 0.1 * unit()], [wide * unit(), 0.5 + 0.5 * unit()]];
        let inside = [(flat[0][0] + flat[1][0] + flat[2][0]) / 3.0, 0.3];
        let tips = [-2.0, 3.0].map(|z| DVec3::new(inside[0], inside[1], z));
        // Across the cut no more than the tolerance.
        let lift = [0; 3].map(|_| (2.0 * unit() - 1.0) * 0.9 * tolerance * steep.hypot(1.0));
        let [low, high] = halves(steep, flat, tips, lift);
        let angle = std::f64::consts::PI * (unit() - 0.5);
        let way = DVec3::new(0.3 * angle.cos() / (1.0 + steep), 0.3 * angle.sin(), 1.0).normalize();
        for (direction, leaves) in [(way, false), (-way, true)] {
            let found = push(placed(&low), placed(&high), direction, 0.5, &[], tolerance);
            let (tree, other) = (Tree::new(low.clone()), Tree::new(high.clone()));
            let mut deep = |way: f64| {
                let other_from_low = Pose::from_translation(direction * way);
                depth(&other, &tree, other_from_low, 1e-6, &mut scratch).expect("closed").at_least
            };
            match found {
                Push::Free => {
                    free += 1;
                    assert!(leaves, "{steep} {lift:?} {direction}");
                    // The depth takes long, for they nearly touch.
                    if round % 50 == 0 {
                        assert!(deep(0.1) <= 2.0 * tolerance, "{steep} {lift:?} {direction}: {}", deep(0.1));
                    }
                }
                Push::Touches { .. } => stopped += 1,
                Push::Undecided => panic!("{steep} {lift:?}"),
            }
        }
    }
    assert!(free > 1000 && stopped >= 2000, "{free} {stopped}");
}

/// What is open has no inside, so nothing is known of it; unless the cracks are narrower than the tolerance.
#[test]
fn an_open_surface_proves_nothing() {
    let block = surface(&[1; N * N * N], 1).expect("a block");
    let far = Placed { mesh: &block, world_from_mesh: Pose::from_translation(DVec3::X * 10.0) };
    let open = mesh::weld(block.vertices(), &block.triangles()[1..], 0.0).expect("a mesh").mesh;
    assert_eq!(push(placed(&open), far, DVec3::Z, 1.0, &[], 1e-9), Push::Undecided);
    assert_eq!(push(far, placed(&open), DVec3::Z, 1.0, &[], 1e-9), Push::Undecided);
    // Every triangle with corners of its own.
    let mut random = Random(10);
    let mut noise = || random.next(1000) as f64 * 1e-10;
    let points: Vec<DVec3> =
        block.corners().flatten().map(|p| p + DVec3::new(noise(), noise(), noise())).collect();
    let triangles: Vec<[u32; 3]> =
        (0..points.len() as u32 / 3).map(|t| [0, 1, 2].map(|k| 3 * t + k)).collect();
    let cracked = mesh::weld(&points, &triangles, 0.0).expect("a mesh").mesh;
    assert_eq!(push(placed(&cracked), far, DVec3::Z, 1.0, &[], 1e-9), Push::Undecided);
    assert_eq!(push(placed(&cracked), far, DVec3::Z, 1.0, &[], 1e-6), Push::Free);
}
