//! Certificates of motions in contact: of every example, and of what is changed in them.

use kansho_check::sliding_contact::certify::{CertifyOptions, certify, certify_with, contact_way};
use kansho_check::sliding_contact::{MayTouch, Patch, SlidingMotion};
use kansho_contact::{ContactOptions, Part};
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Affine;
use kansho_geom::tree::{Scratch, Tree, depth};
use kansho_geom::{Mesh, Pose, Primitive, mesh, primitive::Shape};
use kansho_plan::disassembly::{self, disassemble_parts};
use kansho_plan::script::{self, Options, Status};
use kansho_verify::AnyCertificate;
use kansho_verify::contact::way::ContactWay;
use kansho_verify::contact::{
    ContactBody, ContactCertificate, ContactInset, ContactMove, ContactPair, RefusedContact, verify_contact,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The certificate of an example, if it comes to its end.
fn of_example(name: &str) -> Option<ContactCertificate> {
    let loaded =
        kansho_io::script::read(&examples().join("words").join(name)).expect("an example can be read");
    let found = script::run(&loaded.script, &Options::default());
    if *found.status() != Status::Reached {
        return None;
    }
    let start = Instant::now();
    let made = script::certificate(&loaded.script, &found, &Options::default());
    let took = start.elapsed();
    let made = made.unwrap_or_else(|why| panic!("{name}: {why}"));
    let letters: usize = made.moves.iter().flat_map(|one| &one.pairs).map(|pair| pair.letters.len()).sum();
    let start = Instant::now();
    let verified = verify_contact(&made).unwrap_or_else(|why| panic!("{name}: {why}"));
    eprintln!(
        "{name}: {} moves, {} regions, {} kept, {letters} letters, made in {took:?}, verified in {:?}",
        made.moves.len(),
        verified.regions(),
        verified.kept(),
        start.elapsed()
    );
    Some(made)
}

#[test]
fn every_example_in_words_has_a_certificate_that_is_accepted() {
    let mut names: Vec<String> = std::fs::read_dir(examples().join("words"))
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a name"))
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.push("robot/script.toml".into());
    names.sort();
    for name in &names {
        if of_example(name).is_none() {
            eprintln!("{name}: not reached");
        }
    }
}

/// Whether what a certificate claims is so, at many instants: triangles without corners of features that may touch have nothing in
/// common, others overlap by no more than the tolerance, and so do the solids. Roundings count for neither side.
///
/// Motions that are as in a certificate that is true are not looked at again.
fn is_true(claim: &ContactCertificate, samples: u32, known: Option<&ContactCertificate>) -> bool {
    const ROUNDING: f64 = 1e-13;
    let sound = |body: &ContactBody| body.mesh.vertices().iter().all(|v| v.abs().max_element() < 1e3);
    if !claim.bodies.iter().all(sound) {
        return false;
    }
    let trees: Vec<Tree> = claim.bodies.iter().map(|body| Tree::new(Arc::new(body.mesh.clone()))).collect();
    let is_known = |one: &ContactMove| {
        known.is_some_and(|known| {
            claim.tolerance >= known.tolerance && claim.bodies == known.bodies && known.moves.contains(one)
        })
    };
    for (one, pairs) in claim.moves.iter().zip(claim.pairs_of_moves()) {
        if is_known(one) {
            continue;
        }
        for ([a, b], pair) in pairs.into_iter().zip(&one.pairs) {
            let bodies = [&claim.bodies[a], &claim.bodies[b]];
            for sample in 0..=samples {
                let place = one.way.at(f64::from(sample) / f64::from(samples));
                let of_moving: Vec<DVec3> = bodies[0].mesh.vertices().iter().map(|&p| place * p).collect();
                for t in bodies[0].mesh.triangles() {
                    for u in bodies[1].mesh.triangles() {
                        let may = pair.may_touch.iter().any(|&[f, g]| {
                            t.iter().any(|v| bodies[0].features[f].contains(v))
                                && u.iter().any(|v| bodies[1].features[g].contains(v))
                        });
                        let allowed = if may { claim.tolerance } else { 0.0 };
                        let gap = signed_gap(
                            &t.map(|v| of_moving[v as usize]),
                            &u.map(|v| bodies[1].mesh.vertices()[v as usize]),
                        );
                        if gap < -allowed - ROUNDING {
                            return false;
                        }
                    }
                }
                let pose = Pose::of_rotation(place.linear, place.shift);
                let deep = depth(&trees[b], &trees[a], pose, 0.25 * claim.tolerance, &mut Scratch::default());
                if deep.is_some_and(|deep| deep.at_least > claim.tolerance + ROUNDING) {
                    return false;
                }
            }
        }
    }
    true
}

/// How far two triangles are apart along the best of all directions that can be, or how deep they overlap, as a negative number.
fn signed_gap(t: &[DVec3; 3], u: &[DVec3; 3]) -> f64 {
    let sides = [t, u].map(|[a, b, c]| [*b - *a, *c - *b, *a - *c]);
    let normals = sides.map(|[a, b, _]| a.cross(b));
    let across = (0..9).map(|k| sides[0][k / 3].cross(sides[1][k % 3]));
    let within = (0..6).map(|k| normals[k / 3].cross(sides[k / 3][k % 3]));
    let along = |n: DVec3| {
        let range = |t: &[DVec3; 3]| {
            let h = t.map(|p| n.dot(p));
            [h[0].min(h[1]).min(h[2]), h[0].max(h[1]).max(h[2])]
        };
        let ([a, b], [c, d]) = (range(t), range(u));
        (a - d).max(c - b)
    };
    let axes = normals.into_iter().chain(across).chain(within).filter_map(DVec3::try_normalize);
    axes.map(along).fold(f64::NEG_INFINITY, f64::max)
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, count: usize) -> usize {
        self.next() as usize % count.max(1)
    }

    /// A number with one thing changed: a bit, the last digit, the sign, or by a step or a part of it.
    fn number(&mut self, x: f64, step: f64) -> f64 {
        match self.below(7) {
            0 => x.next_up(),
            1 => x.next_down(),
            2 => -x,
            3 => x + step,
            4 => x - step,
            5 => x * 1.01,
            _ => f64::from_bits(x.to_bits() ^ (1 << self.below(64))),
        }
    }

    fn vector(&mut self, v: DVec3, step: f64) -> DVec3 {
        let mut v = v;
        let axis = self.below(3);
        v[axis] = self.number(v[axis], step);
        v
    }
}

/// What kind of thing is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Changed {
    Letters,
    Inset,
    Features,
    Tolerance,
    Way,
    Mesh,
    Lists,
}

/// One thing changed; none if that is nothing.
fn mutated(original: &ContactCertificate, random: &mut Random) -> Option<(Changed, ContactCertificate)> {
    let mut it = original.clone();
    let step = original.tolerance * [0.01, 1.0, 2.5, 1e3][random.below(4)];
    let of_move = random.below(it.moves.len());
    let of_pair = random.below(it.moves[of_move].pairs.len());
    let kind = match random.below(12) {
        0..=3 => {
            const ALPHABET: &[u8] = b"tabcxyzXYZnNrkgdfeABCDQ_9";
            let letters = &mut it.moves[of_move].pairs[of_pair].letters;
            let at = random.below(letters.len());
            let letter = char::from(ALPHABET[random.below(ALPHABET.len())]);
            match random.below(4) {
                0 => letters.insert(at, letter),
                1 if !letters.is_empty() => drop(letters.remove(at)),
                2 => letters.truncate(at),
                _ if !letters.is_empty() => letters.replace_range(at..=at, &letter.to_string()),
                _ => return None,
            }
            Changed::Letters
        }
        4 | 5 => {
            let number = random.below(it.insets.len());
            let inset = it.insets.get_mut(number)?;
            let at = random.below(inset.places.len());
            match random.below(4) {
                0 => drop(inset.places.remove(at)),
                1 => inset.places[at].0 ^= 1 << random.below(4),
                _ => inset.places[at].1 = random.vector(inset.places[at].1, step),
            }
            Changed::Inset
        }
        6 => {
            let body = random.below(it.bodies.len());
            let number = random.below(it.bodies[body].features.len());
            let feature = it.bodies[body].features.get_mut(number)?;
            let at = random.below(feature.len());
            if random.below(2) == 0 {
                feature.remove(at);
            } else {
                feature[at] ^= 1 << random.below(4);
            }
            Changed::Features
        }
        7 => {
            let factor = [0.5, 0.99, 1e-3, 1.01, -1.0, 1e6][random.below(6)];
            it.tolerance =
                if random.below(2) == 0 { it.tolerance * factor } else { random.number(it.tolerance, step) };
            Changed::Tolerance
        }
        8 | 9 => {
            let way = &mut it.moves[of_move].way;
            let from = match way {
                ContactWay::Straight { from, .. } | ContactWay::Turn { from, .. } => from,
            };
            match random.below(3) {
                0 => from.shift = random.vector(from.shift, step),
                1 => {
                    let mut rows = from.to_rows();
                    let at = random.below(12);
                    rows[at] = random.number(rows[at], step);
                    *from = Affine::from_rows(&rows);
                }
                _ => match way {
                    ContactWay::Straight { by, .. } => *by = random.vector(*by, step),
                    ContactWay::Turn { point, axis, angle, .. } => match random.below(3) {
                        0 => *point = random.vector(*point, step),
                        1 => *axis = random.vector(*axis, 1e-10),
                        _ => *angle = random.number(*angle, 10.0 * step),
                    },
                },
            }
            Changed::Way
        }
        10 => {
            let body = random.below(it.bodies.len());
            let given = &it.bodies[body].mesh;
            let (mut vertices, mut triangles) = (given.vertices().to_vec(), given.triangles().to_vec());
            if random.below(4) == 0 {
                let at = random.below(triangles.len());
                triangles[at].swap(0, 1);
            } else {
                let at = random.below(vertices.len());
                vertices[at] = random.vector(vertices[at], step);
            }
            let welded = mesh::weld(&vertices, &triangles, 0.0).ok()?.mesh;
            if welded.vertices() != vertices || welded.triangles() != triangles {
                return None;
            }
            it.bodies[body].mesh = welded;
            Changed::Mesh
        }
        _ => {
            match random.below(6) {
                0 => it.leaves = !it.leaves,
                1 => drop(it.moves.remove(of_move)),
                2 => it.moves[of_move].moving = vec![random.below(it.bodies.len() + 1)],
                3 => it.moves[of_move].pairs[of_pair].inset = Some(random.below(it.insets.len() + 1)),
                4 => drop(it.moves[of_move].pairs[of_pair].may_touch.pop()),
                _ => {
                    let may = &mut it.moves[of_move].pairs[of_pair].may_touch;
                    let at = random.below(may.len());
                    let number = random.below(4);
                    may.get_mut(at)?[random.below(2)] = number;
                }
            }
            Changed::Lists
        }
    };
    (it != *original).then_some((kind, it))
}

/// How many were refused, accepted, and of these looked at by samples.
type Tally = std::collections::BTreeMap<Changed, [usize; 3]>;

/// Changes one thing after the other: what is accepted is true by samples, and what is read again is the same.
fn change(name: &str, original: &ContactCertificate, count: usize, seed: u64, tally: &mut Tally) {
    assert!(is_true(original, 100, None), "{name}");
    let mut random = Random(seed);
    for _ in 0..count {
        let Some((kind, it)) = mutated(original, &mut random) else { continue };
        let row = tally.entry(kind).or_default();
        let Ok(_) = verify_contact(&it) else {
            row[0] += 1;
            continue;
        };
        row[1] += 1;
        // Other letters and insets are other reasons for the same claim.
        if !matches!(kind, Changed::Letters | Changed::Inset) {
            assert!(is_true(&it, 20, Some(original)), "{name}: {kind:?} {it:?}");
            row[2] += 1;
        }
        let held = AnyCertificate::Contact(Box::new(it));
        let text = held.to_json().expect("it has a form in JSON");
        let again = AnyCertificate::parse(text.as_bytes()).expect("a kind").expect("a certificate");
        assert_eq!(again, held);
    }
}

#[test]
fn certificates_with_one_thing_changed_are_refused_or_true() {
    let count = crate::cases(3000, 400);
    let mut tally = Tally::new();
    let examples = ["block_in_slot.toml", "peg_in_hole.toml", "boat_over_bump.toml", "tip_on_ramp.toml"];
    for (seed, name) in (1..).zip(examples) {
        change(name, &of_example(name).expect("it comes to its end"), count, seed, &mut tally);
    }
    for (kind, [refused, accepted, sampled]) in &tally {
        eprintln!("{kind:?}: {refused} refused, {accepted} accepted, {sampled} of them sampled");
        assert!(*refused > 0, "{kind:?}");
    }
}

/// A roof, and one that hangs upside down across it and turns about a slanted axis through the point in which their edges cross: the
/// direction across both edges is that of no plane that stands still or goes with the body.
#[test]
fn edges_that_cross_while_one_turns_are_kept_across_both() {
    let roof = |ridge: f64, foot: f64| {
        let mut points = vec![DVec3::new(-1.0, 0.0, ridge), DVec3::new(1.0, 0.0, ridge)];
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            points.push(DVec3::new(x, y, foot));
        }
        let triangles =
            [[0, 1, 3], [0, 3, 2], [1, 0, 5], [1, 5, 4], [0, 2, 5], [1, 4, 3], [2, 3, 4], [2, 4, 5]];
        let triangles: Vec<[u32; 3]> =
            triangles.iter().map(|&[a, b, c]| if foot < ridge { [a, c, b] } else { [a, b, c] }).collect();
        let mesh = mesh::weld(&points, &triangles, 0.0).expect("a roof").mesh;
        if mesh.volume() > 0.0 {
            mesh
        } else {
            let turned: Vec<[u32; 3]> = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
            mesh::weld(mesh.vertices(), &turned, 0.0).expect("a roof").mesh
        }
    };
    let (fixed, moving) = (roof(0.0, -1.0), roof(0.0, 1.0));
    let ridge = |mesh: &Mesh, side: f64| {
        let on = |v: &DVec3| v.z == 0.0;
        let vertices: Vec<u32> =
            (0u32..).zip(mesh.vertices()).filter(|(_, v)| on(v)).map(|(k, _)| k).collect();
        let ends = [DVec3::NEG_X, DVec3::X];
        let half = 0.5f64.sqrt();
        Patch {
            vertices,
            normals: vec![DVec3::new(0.0, half, -side * half), DVec3::new(0.0, -half, -side * half)],
            edge: Some(ends),
        }
    };
    let may_touch = [MayTouch { moving: ridge(&moving, 1.0), fixed: ridge(&fixed, -1.0) }];
    let from = Pose::from_axis_angle(DVec3::Z, 1.2).expect("an axis");
    let axis = DVec3::new(0.6, -0.3, 0.74).normalize();
    let way = SlidingMotion::Turn { from, point: DVec3::ZERO, axis, angle: 0.4 };
    let found = certify([&moving, &fixed], &way, &may_touch, &OPTIONS).expect("a certificate");
    assert!(found.letters.contains("kAAe"), "{}", found.letters);
    let it = claimed([&moving, &fixed], &way, &may_touch, found.inset, found.letters);
    let verified = verify_contact(&it).expect("it is accepted");
    assert!(verified.kept() > 0 && verified.regions() < 200, "{verified:?}");
    let mut tally = Tally::new();
    change("roofs", &it, crate::cases(3000, 300), 5, &mut tally);
    assert!(tally.values().map(|row| row[0]).sum::<usize>() > 150, "{tally:?}");
    // It does not turn by as much as it likes: a slope comes down on the ridge.
    let way = SlidingMotion::Turn { from, point: DVec3::ZERO, axis: DVec3::X, angle: 1.1 };
    assert!(certify([&moving, &fixed], &way, &may_touch, &OPTIONS).is_err());
}

fn cube(size: f64) -> Mesh {
    let shape = Primitive::new(Shape::Box { size: DVec3::splat(size) }).expect("a box");
    shape.tessellated(1.0).expect("bounded")
}

fn face(mesh: &Mesh, normal: DVec3) -> Patch {
    let most = mesh.vertices().iter().map(|v| v.dot(normal)).fold(f64::NEG_INFINITY, f64::max);
    let vertices = (0u32..).zip(mesh.vertices()).filter(|(_, v)| v.dot(normal) == most).map(|(k, _)| k);
    Patch { vertices: vertices.collect(), normals: vec![normal], edge: None }
}

const OPTIONS: CertifyOptions = CertifyOptions { tolerance: 1e-6, most_regions: 100_000, deadline: None };

fn claimed(
    meshes: [&Mesh; 2],
    way: &SlidingMotion,
    may_touch: &[MayTouch],
    places: Vec<(u32, DVec3)>,
    letters: String,
) -> ContactCertificate {
    let body = |k: usize| {
        let of =
            |may: &MayTouch| if k == 0 { may.moving.vertices.clone() } else { may.fixed.vertices.clone() };
        ContactBody {
            name: ["a", "b"][k].into(),
            mesh: meshes[k].clone(),
            features: may_touch.iter().map(of).collect(),
        }
    };
    let may_touch = (0..may_touch.len()).map(|k| [k, k]).collect();
    ContactCertificate {
        tolerance: OPTIONS.tolerance,
        leaves: false,
        bodies: vec![body(0), body(1)],
        insets: vec![ContactInset { body: 0, places }],
        moves: vec![ContactMove {
            label: "test".into(),
            moving: vec![0],
            way: contact_way(way),
            pairs: vec![ContactPair { may_touch, inset: Some(0), letters }],
        }],
    }
}

/// Sides that may touch do not let a column into another one of the same section: that faces look the same way is no contact.
#[test]
fn no_choice_of_features_lets_a_body_into_another() {
    let cube = cube(1.0);
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [n, -n]);
    let mut may_touch: Vec<MayTouch> =
        axes.map(|n| MayTouch { moving: face(&cube, n), fixed: face(&cube, n) }).collect();
    may_touch.push(MayTouch { moving: face(&cube, -DVec3::Z), fixed: face(&cube, DVec3::Z) });
    let into = SlidingMotion::Straight { from: Pose::from_translation(DVec3::Z), by: -DVec3::Z * 0.5 };
    assert!(certify([&cube, &cube], &into, &may_touch, &OPTIONS).is_err());
    // The same cube twice, one of them larger by the tolerance: no surface meets the other, but one is inside.
    let still = SlidingMotion::Straight { from: Pose::IDENTITY, by: DVec3::ZERO };
    for scale in [1.0 - 1e-6, 1.0 + 1e-6] {
        let places: Vec<(u32, DVec3)> = (0u32..).zip(cube.vertices().iter().map(|v| *v * scale)).collect();
        let found = certify_with([&cube, &cube], &still, &may_touch, places.clone(), &OPTIONS);
        if let Ok(found) = found {
            let it = claimed([&cube, &cube], &still, &may_touch, places, found.letters);
            assert!(matches!(verify_contact(&it), Err(RefusedContact::Inside { .. })), "{scale}");
        }
    }
    // A small one inside of a large one is free of its surface, and is refused.
    let small = self::cube(0.1);
    let found = certify([&small, &cube], &still, &[], &OPTIONS).expect("surfaces are apart");
    let it = claimed([&small, &cube], &still, &[], Vec::new(), found.letters);
    assert!(matches!(verify_contact(&it), Err(RefusedContact::Inside { .. })));
}

/// A search that takes a hundredth more than it may, or goes a hundredth of the tolerance too deep.
#[test]
fn bounds_that_are_loosened_are_refused_where_the_claim_is_false() {
    let cube = cube(1.0);
    let may_touch = [MayTouch { moving: face(&cube, -DVec3::Z), fixed: face(&cube, DVec3::Z) }];
    let at =
        |z: f64| SlidingMotion::Straight { from: Pose::from_translation(DVec3::Z * z), by: DVec3::X * 0.3 };
    let places = |by: f64| -> Vec<(u32, DVec3)> {
        may_touch[0]
            .moving
            .vertices
            .iter()
            .map(|&v| (v, cube.vertices()[v as usize] + DVec3::Z * by))
            .collect()
    };
    let made = |deep: f64, by: f64| {
        let found = certify_with([&cube, &cube], &at(1.0 - deep), &may_touch, places(by), &OPTIONS)?;
        Ok(claimed([&cube, &cube], &at(1.0 - deep), &may_touch, places(by), found.letters))
    };
    type Made = Result<ContactCertificate, kansho_check::sliding_contact::certify::Uncertified>;
    let made: [Made; 4] =
        [made(0.0, 0.999e-6), made(0.99e-6, 0.999e-6), made(0.0, 1.01e-6), made(1.005e-6, 1.01e-6)];
    let [a, b, c, d] = made.map(|it| verify_contact(&it.expect("the search itself asks for no tolerance")));
    assert!(a.is_ok() && b.is_ok());
    for refused in [c, d] {
        assert!(matches!(refused, Err(RefusedContact::Inset { .. })), "{refused:?}");
    }
    // The letters of a true claim for one that is deeper.
    let mut deep =
        claimed([&cube, &cube], &at(1.0 - 1.01e-6), &may_touch, places(0.999_999e-6), String::new());
    let found = certify_with([&cube, &cube], &at(1.0), &may_touch, places(0.999_999e-6), &OPTIONS)
        .expect("it is true");
    deep.moves[0].pairs[0].letters = found.letters;
    assert!(!is_true(&deep, 10, None));
    assert!(matches!(verify_contact(&deep), Err(RefusedContact::Step { .. })));
}

#[test]
fn a_stack_that_is_taken_apart_has_a_certificate() {
    let block = |size: [f64; 3], at: [f64; 3]| {
        let shape = Primitive::new(Shape::Box { size: DVec3::from_array(size) }).expect("a box");
        let mesh = Arc::new(shape.tessellated(1.0).expect("bounded"));
        Part::new(&mesh, None).expect("closed").placed(Pose::from_translation(DVec3::from_array(at)))
    };
    let parts = [
        block([4.0, 4.0, 1.0], [0.0, 0.0, -0.5]),
        block([1.0, 1.0, 1.0], [0.0, 0.0, 0.5]),
        block([1.0, 1.0, 1.0], [0.2, 0.1, 1.5]),
        block([1.0, 1.0, 1.0], [1.0, 0.0, 0.5]),
    ];
    let all: Vec<&Part> = parts.iter().collect();
    let (assembly, plan) = disassemble_parts(&all, &ContactOptions::default(), Some(0));
    let named: Vec<(&str, &Part)> = ["floor", "low", "high", "beside"].into_iter().zip(all).collect();
    let made = disassembly::certificate(&named, &assembly, &plan, None).expect("a certificate");
    let verified = verify_contact(&made).expect("it is accepted");
    assert_eq!((verified.moves, verified.pairs.len()), (3, 3 + 2 + 1));
    assert!(verified.kept() > 0 && is_true(&made, 50, None));
    // A push that is left out is missed by nobody; a pair of bodies that is left out is.
    let mut less = made.clone();
    less.moves[0].pairs.pop();
    assert!(matches!(verify_contact(&less), Err(RefusedContact::Move { .. })));
}
