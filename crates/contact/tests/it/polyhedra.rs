//! Pyramids, prisms, frusta and chamfers with up to thirteen sides, on and in each other: what the first order says against what happens when the
//! body moves a little. None of them is round.
//!
//! `KANSHO_LONG=1` takes 20,000 pairs.

use crate::cases::Random;
use crate::solids::{any_direction, bring, moved, outline, pit, plate, turned};
use kansho_contact::{Between, ContactOptions, ContactSet, Part, Twist, Verdict, contacts};
use kansho_geom::glam::DVec3;
use kansho_geom::tree::{Meeting, Scratch, Tree, meet};
use kansho_geom::{Mesh, Pose};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rotation, or translation as a fraction of the size, of the finite motions; margins within the band are left to the second order.
pub(crate) const STEP: f64 = 1e-5;
pub(crate) const BAND: f64 = 2e-3;

/// Motions of each pair.
const MOTIONS: usize = 24;

/// How many cases a test takes: the long number if asked for.
pub(crate) fn cases(short: usize, long: usize) -> usize {
    if std::env::var_os("KANSHO_LONG").is_some() { long } else { short }
}

/// A motion anywhere, or one that was pushed back by what it ran into until it was near what is allowed.
pub(crate) fn motion(set: &ContactSet, random: &mut Random) -> Twist {
    let only = random.next() % 4;
    let mut x = Twist {
        v: if only == 1 { DVec3::ZERO } else { any_direction(random) * set.size },
        w: if only == 2 { DVec3::ZERO } else { any_direction(random) },
    };
    x.v -= x.w.cross(set.centre);
    if random.unit() < 0.5 {
        return x;
    }
    for _ in 0..60 {
        let best = |rows: &[kansho_contact::Row]| {
            rows.iter().copied().max_by(|a, b| a.along(&x).total_cmp(&b.along(&x))).expect("a row")
        };
        let worst =
            set.conditions().map(|(_, rows)| best(rows)).min_by(|a, b| a.along(&x).total_cmp(&b.along(&x)));
        let Some(row) = worst.filter(|row| row.along(&x) < 0.0) else { break };
        // One step back onto its border, or a little over it.
        let arm = (row.point - set.centre).cross(row.normal) / (set.size * set.size);
        let by = -1.01 * row.along(&x) / (1.0 + (arm * set.size).length_squared());
        let push = Twist { v: row.normal * by - (arm * by).cross(set.centre), w: arm * by };
        x = Twist { v: x.v + push.v, w: x.w + push.w };
    }
    let by = set.speed(&x) * 10f64.powf(-0.5 - 2.5 * random.unit());
    let aside = any_direction(random) * by;
    Twist { v: x.v + aside, w: x.w }
}

/// A motion as a small finite one about the centre.
pub(crate) fn small(set: &ContactSet, motion: &Twist) -> Pose {
    let by = STEP * set.size / set.speed(motion);
    let rotation = Pose::from_axis_angle(motion.w, motion.w.length() * by).unwrap_or(Pose::IDENTITY);
    let centre = Pose::from_translation(set.centre);
    Pose::from_translation(motion.at(set.centre) * by) * centre * rotation * centre.inverse()
}

/// What was asked, and what came out wrong.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) pairs: usize,
    pub(crate) safe: usize,
    pub(crate) blocked: usize,
    pub(crate) border: usize,
    /// Motions that close a gap within the tolerance, which counts as touching, by less than the gap.
    pub(crate) within: usize,
    pub(crate) unanswered: BTreeMap<String, usize>,
    pub(crate) wrong: Vec<String>,
}

impl Tally {
    /// Compares what the first order says of a motion with what happens.
    ///
    /// Gaps up to the tolerance count as touching, and the motion may be too small to close one: then `strict`, the contacts with next to no tolerance, decide.
    pub(crate) fn compare(
        &mut self,
        say: &str,
        set: &ContactSet,
        motion: &Twist,
        hit: bool,
        strict: impl Fn() -> Option<ContactSet>,
    ) {
        let judged = set.judge(motion);
        if judged.margin.abs() <= BAND {
            self.border += 1;
            return;
        }
        match judged.verdict {
            Verdict::Safe => self.safe += 1,
            _ => self.blocked += 1,
        }
        if judged.verdict == Verdict::Blocked
            && !hit
            && strict().is_some_and(|set| set.judge(motion).margin > 0.0)
        {
            self.within += 1;
            return;
        }
        if hit != (judged.verdict == Verdict::Blocked) {
            self.wrong.push(format!(
                "{say}: {motion:?} is {:?} by {}, but it {}",
                judged.verdict,
                judged.margin,
                if hit { "hits" } else { "does not hit" }
            ));
        }
    }

    pub(crate) fn report(&self, what: &str) {
        eprintln!(
            "{what}: {} pairs, {} safe and {} blocked motions, {} near the border, {} within the tolerance, not answered {:?}, {} wrong",
            self.pairs,
            self.safe,
            self.blocked,
            self.border,
            self.within,
            self.unanswered,
            self.wrong.len()
        );
        for line in self.wrong.iter().take(10) {
            eprintln!("  {line}");
        }
        assert!(self.wrong.is_empty(), "{} of {} pairs' motions are wrong", self.wrong.len(), self.pairs);
    }
}

/// Lowers a body until it touches; none if it does not.
fn dropped(moving: &Arc<Mesh>, fixed: &Arc<Mesh>, scratch: &mut Scratch) -> Option<Arc<Mesh>> {
    let (tree, other) = (Tree::new(moving.clone()), Tree::new(fixed.clone()));
    let mut hits =
        |z: f64| meet(&other, &tree, Pose::from_translation(DVec3::Z * z), scratch) != Meeting::Apart;
    let mut high = other.mesh().aabb().max().z - tree.mesh().aabb().min().z + 0.01;
    let mut low = high;
    while !hits(low) {
        low -= 0.037;
        if low < -8.0 {
            return None;
        }
        if !hits(low) {
            high = low;
        }
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if hits(middle) { low = middle } else { high = middle }
    }
    Some(moved(moving, Pose::from_translation(DVec3::Z * high)))
}

/// The turn that brings a face down, or an edge of it.
fn face_or_edge_down(mesh: &Mesh, random: &mut Random) -> Pose {
    let triangles: Vec<[DVec3; 3]> = mesh.corners().collect();
    let [a, b, c] = triangles[random.next() as usize % triangles.len()];
    let normal = (b - a).cross(c - a).normalize();
    let down = bring(normal, -DVec3::Z);
    if random.unit() < 0.6 {
        return down;
    }
    // Then about one of its sides, outward: an edge if there is one, otherwise into the face, which is a corner sooner or later.
    let side = down.rotate(b - a).normalize();
    Pose::turn(side, 0.3 * random.signed()) * down
}

/// Two bodies that touch, and how they were put.
fn pair(random: &mut Random, scratch: &mut Scratch) -> Option<(String, Arc<Mesh>, Arc<Mesh>)> {
    let sides = 3 + random.next() as usize % 11;
    let shape = outline(random);
    let body = turned(&shape, sides, random.unit());
    let other_sides = 3 + random.next() as usize % 11;
    let aside = DVec3::new(random.signed(), random.signed(), 0.0);
    let way = random.next() % 8;
    let (moving, fixed) = match way {
        0 => (body, plate(3.0)),
        1 => (moved(&body, Pose::turn(any_direction(random), 6.0 * random.unit())), plate(3.0)),
        2 => (moved(&body, face_or_edge_down(&body, random)), plate(3.0)),
        3 => {
            // In a pit of its own shape, or one that is as wide but of another depth or number of sides.
            let turn = random.unit();
            let mut hole = shape.clone();
            if random.unit() < 0.3 {
                let by = 0.5 + random.unit();
                hole.iter_mut().for_each(|p| p[1] *= by);
            }
            let sides_of_hole = if random.unit() < 0.3 { 2 * sides } else { sides };
            let sides_of_hole = if sides_of_hole > 13 { sides } else { sides_of_hole };
            (turned(&shape, sides, turn), pit(&hole, sides_of_hole, turn, random))
        }
        4 => {
            // Askew in a pit.
            let hole = outline(random);
            let tilt = Pose::turn(any_direction(random), 0.4 * random.unit());
            (
                moved(&body, Pose::from_translation(aside * 0.2) * tilt),
                pit(&hole, other_sides, random.unit(), random),
            )
        }
        5 => {
            let under = turned(&outline(random), other_sides, random.unit());
            (moved(&body, Pose::from_translation(aside * 0.5)), under)
        }
        6 => {
            let under = turned(&outline(random), other_sides, random.unit());
            let under =
                moved(&under, Pose::turn(DVec3::X, 3.2 * random.unit()) * face_or_edge_down(&under, random));
            let down = face_or_edge_down(&body, random);
            (moved(&body, Pose::from_translation(aside * 0.5) * down), under)
        }
        _ => {
            // Face on face.
            let under = turned(&outline(random), other_sides, random.unit());
            let under =
                moved(&under, Pose::turn(DVec3::X, std::f64::consts::PI) * face_or_edge_down(&under, random));
            let down = Pose::turn(DVec3::Z, random.unit()) * face_or_edge_down(&body, random);
            (moved(&body, Pose::from_translation(aside * 0.5) * down), under)
        }
    };
    let moving = dropped(&moving, &fixed, scratch)?;
    let say = format!("way {way}, {sides} sides of {shape:?}");
    // Half of them anywhere in space, with either body as the one that moves.
    let anywhere = if random.unit() < 0.5 {
        Pose::from_translation(any_direction(random)) * Pose::turn(any_direction(random), 6.0 * random.unit())
    } else {
        Pose::IDENTITY
    };
    let (moving, fixed) = (moved(&moving, anywhere), moved(&fixed, anywhere));
    Some(if random.unit() < 0.5 { (say, moving, fixed) } else { (say, fixed, moving) })
}

#[test]
fn pyramids_prisms_and_frusta_on_and_in_each_other() {
    let wanted = cases(300, 20_000);
    let mut random = Random(11);
    let mut scratch = Scratch::default();
    let mut tally = Tally::default();
    let mut asked = 0;
    while tally.pairs < wanted {
        asked += 1;
        assert!(asked < 3 * wanted + 100, "most pairs have an answer: {tally:?}");
        let Some((say, moving, fixed)) = pair(&mut random, &mut scratch) else { continue };
        let [one, other] = [&moving, &fixed].map(|mesh| Part::new(mesh, None));
        let (Ok(one), Ok(other)) = (one, other) else {
            *tally.unanswered.entry("no part".into()).or_default() += 1;
            continue;
        };
        if !(one.rounds().is_empty() && other.rounds().is_empty()) {
            tally.wrong.push(format!("{say}: {} is round", asked));
        }
        let found = contacts(&one, &[&other], &ContactOptions::default());
        if found.between != [Between::Touching] {
            let word = format!("{:?}", found.between[0]);
            let word = word.split(' ').next().unwrap_or_default().to_owned();
            *tally.unanswered.entry(word).or_default() += 1;
            continue;
        }
        tally.pairs += 1;
        let (tree, rest) = (Tree::new(moving), Tree::new(fixed));
        for _ in 0..MOTIONS {
            let motion = motion(&found.set, &mut random);
            let hit = meet(&rest, &tree, small(&found.set, &motion), &mut scratch) != Meeting::Apart;
            let strict = || {
                let touch = Some(1e-10 * one.size().min(other.size()));
                let found = contacts(&one, &[&other], &ContactOptions { touch });
                (found.between == [Between::Touching]).then_some(found.set)
            };
            tally.compare(&format!("pair {asked}, {say}"), &found.set, &motion, hit, strict);
        }
    }
    tally.report("polyhedra");
    assert!(tally.safe > wanted && tally.blocked > wanted, "{tally:?}");
}
