//! Small finite motions, tested for real overlap by the exact collision test.

use crate::cases::{self, Random, exact, json};
use kansho_contact::branch::Side;
use kansho_contact::{ContactOptions, Part, Twist, Verdict, contacts};
use kansho_geom::glam::DVec3;
use kansho_geom::tree::{Meeting, Scratch, Tree, meet};
use kansho_geom::{Mesh, Pose, mesh};
use std::sync::Arc;

/// Rotation, or translation as a fraction of the size, of the finite motions.
///
/// Their second order is `STEP²` of the size; a margin of `BAND` opens or closes gaps by `BAND × STEP`, which is a hundred
/// times as much.
const STEP: f64 = 1e-5;
const BAND: f64 = 1e-3;

#[derive(Default, Debug)]
struct Tally {
    safe: usize,
    blocked: usize,
    border: usize,
}

struct Bodies {
    moving: Arc<Mesh>,
    fixed: Vec<Arc<Mesh>>,
}

/// Compares what the first order says with what happens; `None` if contacts are unclear.
fn trial(say: &str, bodies: &Bodies, trials: usize, random: &mut Random, tally: &mut Tally) -> Option<()> {
    let moving = Part::new(&bodies.moving, None).ok()?;
    let fixed: Vec<Part> = bodies.fixed.iter().map(|m| Part::new(m, None)).collect::<Result<_, _>>().ok()?;
    let fixed: Vec<&Part> = fixed.iter().collect();
    let found = contacts(&moving, &fixed, &ContactOptions::default());
    if !found.is_sound() || found.set.contacts.is_empty() {
        return None;
    }
    let set = &found.set;
    let branches = set.branches(Side::Outer).list;
    let tree = Tree::new(bodies.moving.clone());
    let others: Vec<Tree> = bodies.fixed.iter().map(|m| Tree::new(m.clone())).collect();
    let mut scratch = Scratch::default();
    for _ in 0..trials {
        let anything = |random: &mut Random, by: f64| Twist {
            v: DVec3::new(random.signed(), random.signed(), random.signed()) * (by * set.size),
            w: DVec3::new(random.signed(), random.signed(), random.signed()) * by,
        };
        // Half of them anywhere, half near what is allowed.
        let motion = if branches.is_empty() || random.unit() < 0.5 {
            let only = random.next() % 3;
            let any = anything(random, 1.0);
            Twist {
                v: if only == 1 { DVec3::ZERO } else { any.v },
                w: if only == 2 { DVec3::ZERO } else { any.w },
            }
        } else {
            let branch = &branches[random.next() as usize % branches.len()];
            let by = 10f64.powf(-4.0 * random.unit());
            let mut sum = anything(random, by);
            for (generator, line) in
                branch.lineality.iter().map(|t| (t, true)).chain(branch.rays.iter().map(|t| (t, false)))
            {
                let by = if line { random.signed() } else { random.unit() } / set.speed(generator) * set.size;
                sum = Twist { v: sum.v + generator.v * by, w: sum.w + generator.w * by };
            }
            sum
        };
        // About the centre, so that motions are as small as they seem.
        let by = STEP * set.size / set.speed(&motion);
        let rotation = Pose::from_axis_angle(motion.w, motion.w.length() * by).unwrap_or(Pose::IDENTITY);
        let centre = Pose::from_translation(set.centre);
        let world_from_moved =
            Pose::from_translation(motion.at(set.centre) * by) * centre * rotation * centre.inverse();
        let hit =
            others.iter().any(|other| meet(other, &tree, world_from_moved, &mut scratch) != Meeting::Apart);
        let judged = set.judge(&motion);
        if judged.margin.abs() <= BAND {
            tally.border += 1;
        } else if judged.verdict == Verdict::Safe {
            assert!(!hit, "{say}: {motion:?} should be safe by {}", judged.margin);
            tally.safe += 1;
        } else {
            assert!(hit, "{say}: {motion:?} should be blocked by {} ({:?})", judged.margin, judged.by);
            tally.blocked += 1;
        }
    }
    Some(())
}

#[test]
fn figures_agree_with_the_exact_collision_test() {
    let Some(folder) = cases::folder() else { return };
    let mut random = Random(1);
    let mut tally = Tally::default();
    let names = cases::names(&folder);
    for name in &names {
        let case = folder.join(name);
        let expected = json(&case.join("expected.json"));
        let body = |name: &serde_json::Value| exact(&case, name.as_str().expect("a name"), 1.0);
        let bodies = Bodies {
            moving: body(&expected["moving"]),
            fixed: expected["fixed"].as_array().expect("fixed").iter().map(body).collect(),
        };
        trial(name, &bodies, 800, &mut random, &mut tally).unwrap_or_else(|| panic!("{name} is sound"));
    }
    eprintln!("{tally:?} in {} figures", names.len());
    assert!(tally.safe > 1000 && tally.blocked > 1000, "{tally:?}");
}

/// Cubes of a 3 × 3 × 3 grid, given to two bodies at random: concave in every way, and touching in all.
#[test]
fn random_concave_pairs_agree_with_the_exact_collision_test() {
    let mut random = Random(2);
    let mut tally = Tally::default();
    let mut pairs = 0;
    let mut concave = 0;
    let mut asked = 0;
    for round in 0..4000 {
        if pairs >= 300 {
            break;
        }
        let owner = two_blobs(&mut random);
        let bend = DVec3::new(random.signed(), random.signed(), random.signed()) * 0.3;
        let oblique = random.unit() < 0.5;
        let (Some(moving), Some(fixed)) = (cubes(&owner, 1, bend, oblique), cubes(&owner, 2, bend, oblique))
        else {
            continue;
        };
        let bodies = Bodies { moving, fixed: vec![fixed] };
        asked += 1;
        if trial(&format!("cubes {round} {owner:?}"), &bodies, 40, &mut random, &mut tally).is_some() {
            pairs += 1;
            concave += usize::from(bodies.moving.triangles().len() > 12);
        }
    }
    eprintln!("{tally:?} in {pairs} of {asked} pairs, {concave} of them concave");
    assert!(pairs >= 300 && concave > 100, "{pairs} pairs, {concave} concave");
    assert!(tally.safe > 1000 && tally.blocked > 1000, "{tally:?}");
}

/// Two bodies that grow cube by cube.
fn two_blobs(random: &mut Random) -> Vec<u8> {
    let mut owner = vec![0u8; 27];
    for who in [1, 2] {
        let cubes = 1 + random.next() % 8;
        for _ in 0..cubes {
            let neighbours = |i: usize| {
                let p = [i % 3, i / 3 % 3, i / 9];
                let mut list = Vec::new();
                for axis in 0..3 {
                    let step = [1, 3, 9][axis];
                    list.extend((p[axis] > 0).then(|| i - step));
                    list.extend((p[axis] < 2).then_some(i + step));
                }
                list
            };
            let begun = owner.contains(&who);
            let free: Vec<usize> = (0..27)
                .filter(|&i| owner[i] == 0 && (!begun || neighbours(i).iter().any(|&j| owner[j] == who)))
                .collect();
            if let Some(&i) = free.get(random.next() as usize % free.len().max(1)) {
                owner[i] = who;
            }
        }
    }
    owner
}

/// The surface of all cubes of one owner; sheared, so that angles are not all right ones, if `oblique`.
fn cubes(owner: &[u8], who: u8, bend: DVec3, oblique: bool) -> Option<Arc<Mesh>> {
    let is = |p: [i32; 3]| {
        p.iter().all(|&x| (0..3).contains(&x)) && owner[(p[0] + 3 * p[1] + 9 * p[2]) as usize] == who
    };
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..27 {
        let p = [i % 3, i / 3 % 3, i / 9];
        if !is(p) {
            continue;
        }
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
                    let at = DVec3::new(f64::from(q[0]), f64::from(q[1]), f64::from(q[2]));
                    // A power of two of each number, so that corners of both bodies stay equal.
                    let shear = DVec3::new(at.x + bend.x * at.y, at.y + bend.y * at.z, at.z);
                    if oblique { shear } else { at }
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
