//! Pushes of bodies made of cubes, against the exact answer and against the depth at many places.

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
