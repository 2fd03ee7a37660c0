//! Motions that we prove free, or whose first contact we find, sampled densely by parry.

use super::ask::{between, posture};
use super::bodies::{self, Item, Robot};
use super::judge::{self, Cause, Known, Row};
use super::random::Random;
use super::statics::World;
use kansho::cell::JointMotion;
use kansho::check::motion::{MotionOptions, MotionScene, MotionWorkspace};
use kansho::check::moving_bodies::{Body, MovingOptions, MovingScratch, moving};
use kansho::check::scene::Workspace;
use kansho::check::verdict::Verdict;
use kansho::geom::Pose;
use kansho::geom::glam::DVec3;
use kansho::geom::pose_motion::{Leg, Motion};
use kansho::geom::solid::{self, Meeting};
use kansho::geom::tree::Scratch;
use kansho::verify::bodies::verify_bodies;
use kansho::verify::motion::verify_motion;
use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::query::{self, ClosestPoints};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Between samples of a motion of joints, in radians or metres of the fastest.
const STEP: f64 = 0.01;
/// Samples of a motion, at least and at most, and those that close in on a contact, each at half the time to it of the one before.
const SAMPLES: [usize; 2] = [24, 160];
const CLOSING: usize = 16;
/// Bodies that we call in contact are no farther apart to parry than our resolution and its own tolerance, in metres.
const CONTACT: f64 = 3e-6;
/// One of so many free motions of robots gets a certificate.
const CERTIFIED: usize = 8;
/// Regions for that, at most.
const MOST_REGIONS: u64 = 400_000;

/// What came out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) free: usize,
    pub(crate) touching: usize,
    pub(crate) undecided: usize,
    /// Samples before the first contact.
    pub(crate) samples: usize,
    /// Certificates that the verifier accepts, that it refuses, and free motions for which none could be made.
    pub(crate) accepted: usize,
    pub(crate) refused: usize,
    pub(crate) uncertified: usize,
    /// Contacts of ours in which parry sees a gap.
    pub(crate) no_contact: usize,
    /// Samples in which parry, or our own answer at rest, contradicts the motion.
    pub(crate) causes: BTreeMap<Cause, usize>,
    pub(crate) examples: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.free += other.free;
        self.touching += other.touching;
        self.undecided += other.undecided;
        self.samples += other.samples;
        self.accepted += other.accepted;
        self.refused += other.refused;
        self.uncertified += other.uncertified;
        self.no_contact += other.no_contact;
        for (cause, count) in other.causes {
            *self.causes.entry(cause).or_default() += count;
        }
        self.examples.extend(other.examples);
    }

    /// What must not be.
    pub(crate) fn faults(&self) -> usize {
        self.refused + self.no_contact + self.causes.get(&Cause::Ours).copied().unwrap_or(0)
    }

    /// A sample before the first contact in which somebody sees one, or not.
    fn sample(&mut self, row: &Row<'_>, theirs: bool, scratch: &mut Scratch, about: &dyn Fn() -> String) {
        let meeting = solid::meet(&row.a.solid, &row.b.solid, row.a_from_b, scratch);
        if meeting == Meeting::Apart && !theirs {
            return;
        }
        let cause = if meeting == Meeting::Apart {
            judge::touching(row, meeting, true, &Known::default(), scratch)
        } else {
            // Our own answer at rest contradicts the motion: allowed within the rounding of places only.
            match judge::touching(row, meeting, false, &Known::default(), scratch) {
                Cause::Rounding => Cause::Rounding,
                _ => Cause::Ours,
            }
        };
        *self.causes.entry(cause).or_default() += 1;
        if matches!(cause, Cause::Ours | Cause::Theirs) {
            self.examples.push(format!("{}: {cause:?}, {meeting:?} at rest, {}", about(), row.a.name));
        }
    }
}

/// Times at which a motion is looked at, all before `end`.
fn times(samples: usize, end: f64, touches: bool) -> Vec<f64> {
    let mut all: Vec<f64> = (0..samples).map(|k| end * k as f64 / samples as f64).collect();
    if touches {
        let last = end / samples as f64;
        all.extend((1..=CLOSING).map(|k| end - last * 0.5f64.powi(k as i32)));
    } else {
        all.push(end);
    }
    all
}

fn hit(row: &Row<'_>) -> bool {
    let [a, b] = [row.a.ours_from_theirs, row.a_from_b * row.b.ours_from_theirs].map(bodies::pose);
    query::intersection_test(&a, &*row.a.shape.0, &b, &*row.b.shape.0).is_ok_and(|found| found.intersecting)
}

/// Whether parry sees two bodies in contact, as near as a contact must be.
fn in_contact(row: &Row<'_>) -> bool {
    let [a, b] = [row.a.ours_from_theirs, row.a_from_b * row.b.ours_from_theirs].map(bodies::pose);
    let found = query::closest_points(&a, &*row.a.shape.0, &b, &*row.b.shape.0, CONTACT);
    hit(row) || found.is_ok_and(|found| found != ClosestPoints::Disjoint)
}

/// Motions of joints, of each robot in turn.
fn of_robot(
    robot: &Robot,
    scene: &MotionScene<'_>,
    case: usize,
    random: &mut Random,
    plain: &mut Workspace,
    workspace: &mut MotionWorkspace,
) -> Tally {
    let mut tally = Tally::default();
    let mut from = posture(&robot.plain, random);
    for _ in 0..200 {
        if !robot.plain.touches(&from, plain) {
            break;
        }
        from = posture(&robot.plain, random);
    }
    let far = 10f64.powf(-2.0 * random.unit());
    let [a, b] = [0, 1].map(|_| between(&from, &posture(&robot.plain, random), far));
    let motion = if case.is_multiple_of(5) {
        JointMotion::spline(&[from, a, b]).expect("three postures")
    } else {
        JointMotion::lines(&[from, a]).expect("two postures")
    };
    let options = MotionOptions::default();
    let report = scene.motion(&motion, &options, workspace);
    let end = match &report.verdict {
        Verdict::Free(_) => {
            tally.free += 1;
            if case.is_multiple_of(CERTIFIED) {
                let options = MotionOptions { most_regions: MOST_REGIONS, ..options };
                match scene.certify(&motion, &options) {
                    Ok(certificate) if verify_motion(&robot.cell, &motion, &certificate).is_ok() => {
                        tally.accepted += 1
                    }
                    Ok(_) => tally.refused += 1,
                    Err(_) => tally.uncertified += 1,
                }
            }
            1.0
        }
        Verdict::Touches(witness) => {
            tally.touching += 1;
            let placed = robot.cell.place(&witness.posture);
            let pair = robot.plain.bodies(witness.pair);
            let is_of = |&&[i, j]: &&[usize; 2]| [robot.pieces[i].1, robot.pieces[j].1] == pair;
            let mut rows = robot.pairs.iter().filter(is_of).map(|&[i, j]| row(robot, &placed, i, j));
            if !rows.any(|row| in_contact(&row)) {
                tally.no_contact += 1;
                tally.examples.push(format!("{}: no contact for parry at {witness:?}", robot.name));
            }
            witness.time.start
        }
        Verdict::Undecided { open } => {
            tally.undecided += 1;
            open.start
        }
    };
    let fastest = motion.pieces().iter().map(|piece| {
        let way = |k: usize| piece.range(k)[1] - piece.range(k)[0];
        (0..piece.controls().len()).map(way).fold(0.0, f64::max)
    });
    let samples = (fastest.sum::<f64>() * end / STEP) as usize;
    let mut scratch = Scratch::default();
    for t in times(samples.clamp(SAMPLES[0], SAMPLES[1]), end, report.verdict.touches()) {
        let placed = robot.cell.place(&motion.at(t));
        let boxes: Vec<_> = (0..robot.pieces.len())
            .map(|p| {
                let item = &robot.pieces[p].0;
                item.shape
                    .compute_aabb(&bodies::pose(robot.world_from_piece(&placed, p) * item.ours_from_theirs))
            })
            .collect();
        tally.samples += 1;
        for &[i, j] in robot.pairs.iter().filter(|[i, j]| boxes[*i].intersects(&boxes[*j])) {
            let row = row(robot, &placed, i, j);
            let theirs = hit(&row);
            tally.sample(&row, theirs, &mut scratch, &|| {
                format!("{} case {case} at {t} of {end}", robot.name)
            });
        }
    }
    tally
}

fn row<'a>(robot: &'a Robot, placed: &kansho::cell::Placed, i: usize, j: usize) -> Row<'a> {
    let [at_i, at_j] = [i, j].map(|piece| robot.world_from_piece(placed, piece));
    Row { a: &robot.pieces[i].0, b: &robot.pieces[j].0, a_from_b: at_i.inverse() * at_j }
}

/// A part that moves past another: straight, on a cubic, along a screw, turning, and in several legs. All of these are rigid.
fn of_parts(
    a: (&Item, &Body),
    b: (&Item, &Body),
    case: usize,
    random: &mut Random,
    scratch: &mut MovingScratch,
) -> Tally {
    let mut tally = Tally::default();
    let size = a.0.radius + b.0.radius;
    let turn = random.rotation();
    let turned = random.pose(DVec3::ZERO);
    // Past the first, at a distance that may be less than both together.
    let away = random.direction();
    let aside = away.any_orthonormal_vector() * (size * random.between(-0.9, 0.9));
    let centre = |s: f64| a.0.middle + away * (s * size) + aside * (1.0 - s.abs() * 0.2);
    let (near, far) = (random.between(-1.5, 0.4), 1.3);
    let level = |s: f64, bow: f64| {
        let shift = centre(s) + away.any_orthonormal_pair().1 * (bow * size);
        Pose::from_quat(turn, shift - turn * b.0.middle).expect("a rotation")
    };
    let other = |s: f64| Pose::from_translation(centre(s)) * turned * Pose::from_translation(-b.0.middle);
    let motion = match case % 5 {
        0 => Motion::linear(level(far, 0.0), level(near, 0.0)),
        1 => Motion::cubic(&[level(far, 0.0), level(0.5, 0.3), level(0.0, -0.3), level(near, 0.2)])
            .expect("four poses"),
        2 => Motion::screw_to(level(far, 0.0), other(near)),
        3 => Motion::slerp(level(far, 0.0), other(near)),
        _ => Motion::legs(&[level(far, 0.0), other(0.7), level(near, 0.1)], Leg::Slerp).expect("three poses"),
    };
    let still = Motion::still(Pose::IDENTITY);
    let options = MovingOptions { certificate: true, ..MovingOptions::default() };
    let bodies = [a.1, b.1];
    let report = moving(bodies, [&still, &motion], &options, scratch);
    let at = |t: f64| {
        let place = motion.at(t);
        Pose::from_rows(&place.to_rows()).ok().map(|a_from_b| Row { a: a.0, b: b.0, a_from_b })
    };
    let end = match &report.verdict {
        Verdict::Free(proof) => {
            tally.free += 1;
            match &proof.certificate {
                Some(certificate) => {
                    let meshes = bodies.map(|body| &**body.mesh());
                    let accepted = verify_bodies(meshes, [&still, &motion], certificate).is_ok();
                    *if accepted { &mut tally.accepted } else { &mut tally.refused } += 1;
                }
                None => tally.uncertified += 1,
            }
            1.0
        }
        Verdict::Touches(witness) => {
            tally.touching += 1;
            let is_inside = at(0.0).is_some_and(|row| {
                !matches!(
                    solid::meet(&row.a.solid, &row.b.solid, row.a_from_b, &mut Scratch::default()),
                    Meeting::Apart | Meeting::Touch
                )
            });
            if !is_inside && !at(witness.time.end).is_some_and(|row| in_contact(&row)) {
                tally.no_contact += 1;
                tally.examples.push(format!(
                    "{} {} case {case}: no contact for parry at {:?}",
                    a.0.name, b.0.name, witness.time
                ));
            }
            witness.time.start
        }
        Verdict::Undecided { open } => {
            tally.undecided += 1;
            open.start
        }
    };
    let mut scratch = Scratch::default();
    for t in times(64, end, report.verdict.touches()).into_iter().filter(|&t| end > 0.0 || t > 0.0) {
        let Some(row) = at(t) else {
            tally.examples.push(format!("case {case} is not rigid at {t}"));
            continue;
        };
        tally.samples += 1;
        let theirs = hit(&row);
        tally.sample(&row, theirs, &mut scratch, &|| {
            format!("{} {} case {case} at {t} of {end}", a.0.name, b.0.name)
        });
    }
    tally
}

/// Asks for `count` motions, half of them of robots; by group.
pub(crate) fn run(world: &World, count: usize, seed: u64) -> BTreeMap<String, Tally> {
    let mut all: BTreeMap<String, Tally> = BTreeMap::new();
    let each = (count / 2).div_ceil(world.robots.len());
    for (index, robot) in world.robots.iter().enumerate() {
        let scene = MotionScene::new(&robot.quick);
        let tallies: Vec<Tally> = (0..each)
            .into_par_iter()
            .map_init(
                || (robot.plain.workspace(), scene.workspace()),
                |(plain, workspace), case| {
                    let mut random = Random::of(seed, (index * 1_000_000 + case) as u64);
                    of_robot(robot, &scene, case, &mut random, plain, workspace)
                },
            )
            .collect();
        let tally = all.entry(format!("robot {}", robot.name)).or_default();
        tallies.into_iter().for_each(|one| tally.add(one));
        println!("{} motions of {} done", each, robot.name);
    }
    let prepared: Vec<(&Item, Body)> = world.parts[0]
        .iter()
        .map(|item| (item, Body::new(Arc::clone(item.solid.tree().expect("parts are meshes").mesh()))))
        .collect();
    let tallies: Vec<Tally> = (0..count - count / 2)
        .into_par_iter()
        .map_init(MovingScratch::default, |scratch, case| {
            let mut random = Random::of(seed, (900_000_000 + case) as u64);
            let [a, b] = [0, 1].map(|_| &prepared[random.below(prepared.len())]);
            of_parts((a.0, &a.1), (b.0, &b.1), case, &mut random, scratch)
        })
        .collect();
    for (case, one) in tallies.into_iter().enumerate() {
        let kind = ["straight", "on cubics", "on screws", "turning", "in legs"][case % 5];
        all.entry(format!("parts {kind}")).or_default().add(one);
    }
    all
}
