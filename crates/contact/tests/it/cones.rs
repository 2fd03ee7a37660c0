//! Cones with fourteen sides and more: in cones, on circular edges, on planes, and balls in them. What they stand for is moved a little, and how deep it
//! gets is worked out from its formula, not from facets.
//!
//! `KANSHO_LONG=1` takes 4,000 pairs.

use crate::cases::Random;
use crate::polyhedra::{BAND, STEP, Tally, cases, motion, small};
use crate::solids::{any_direction, bring, moved, plate, turned};
use kansho_contact::round::Kind;
use kansho_contact::{Between, ContactOptions, Part, contacts};
use kansho_geom::glam::{DVec2, DVec3};
use kansho_geom::primitive::{Primitive, Shape};
use kansho_geom::{Mesh, Pose};
use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

/// What a body stands for: a profile that is turned about z, a ball, or all that is below zero.
#[derive(Clone, Debug)]
enum True {
    Turned(Vec<[f64; 2]>),
    Ball { centre: DVec3, radius: f64 },
    Below,
}

impl True {
    /// How deep a point is in it; negative outside.
    fn depth(&self, p: DVec3) -> f64 {
        match self {
            Self::Below => -p.z,
            Self::Ball { centre, radius } => radius - p.distance(*centre),
            Self::Turned(profile) => {
                let at = DVec2::new(p.x.hypot(p.y), p.z);
                let (mut nearest, mut inside) = (f64::INFINITY, false);
                for (i, &a) in profile.iter().enumerate() {
                    let b = profile[(i + 1) % profile.len()];
                    let (a, b) = (DVec2::from_array(a), DVec2::from_array(b));
                    if (a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x) {
                        inside = !inside;
                    }
                    // The side on the axis is no surface.
                    if a.x > 0.0 || b.x > 0.0 {
                        let t = ((at - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                        nearest = nearest.min(at.distance(a + (b - a) * t));
                    }
                }
                if inside { nearest } else { -nearest }
            }
        }
    }

    /// Points of its surface: of profiles all corners and some between.
    fn points(&self) -> Vec<DVec3> {
        const AROUND: usize = 180;
        let Self::Turned(profile) = self else { return Vec::new() };
        let mut points = Vec::new();
        for two in profile.windows(2) {
            for part in 0..=4 {
                let t = f64::from(part) / 4.0;
                let [r, z] = [0, 1].map(|k| two[0][k] + t * (two[1][k] - two[0][k]));
                for k in 0..if r > 0.0 { AROUND } else { 1 } {
                    let (sin, cos) = (TAU * k as f64 / AROUND as f64).sin_cos();
                    points.push(DVec3::new(r * cos, r * sin, z));
                }
            }
        }
        points
    }
}

/// How deep the second, elsewhere, is in the first.
fn depth(first: &True, second: &True, first_from_second: Pose) -> f64 {
    let there = second.points().into_iter().map(|p| first.depth(first_from_second * p));
    let back = first_from_second.inverse();
    let here = first.points().into_iter().map(|p| second.depth(back * p));
    // A ball in a countersink, or on a plane: its centre tells.
    let ball = match second {
        True::Ball { centre, radius } => first.depth(first_from_second * *centre) + radius,
        _ => f64::NEG_INFINITY,
    };
    there.chain(here).fold(ball, f64::max)
}

/// A case: what it is, two bodies with what they stand for, how the second stands in the frame of the first, and how many cones there are.
struct Case {
    say: String,
    fixed: (Arc<Mesh>, True),
    moving: (Arc<Mesh>, True),
    fixed_from_moving: Pose,
    cones: usize,
}

fn case(random: &mut Random) -> Case {
    let kind = random.next() % 6;
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let angle = between(0.5, 1.07);
    let slope = angle.tan();
    let deep = between(0.4, 1.0); // Of the pit, from where the cone would come to a point.
    let [of_fixed, of_moving] = [14.0, 14.0].map(|least| between(least, 49.0) as usize);
    let [turn, other_turn] = [between(0.0, 1.0), between(0.0, 1.0)];
    let say = format!("kind {kind}, half angle {angle}, {of_fixed} and {of_moving} sides");
    let bottom = -2.0;
    // A block with a countersink, pointed, with a floor or with a bore below it.
    let begin = between(0.1, 0.4) * deep;
    let mut block: Vec<[f64; 2]> = match between(0.0, 3.0) as usize {
        0 => vec![[0.0, 0.0]],
        1 => vec![[0.0, begin], [begin * slope, begin]],
        _ => vec![[0.0, -1.0], [begin * slope, -1.0], [begin * slope, begin]],
    };
    let lowest_seat = if block.len() == 1 { 0.0 } else { begin };
    let has_floor = block.len() == 2;
    block.push([deep * slope, deep]);
    let outside = 1.5 * slope + 0.5;
    let close = |mut pit: Vec<[f64; 2]>| {
        let top = pit[pit.len() - 1][1];
        pit.extend([[outside, top], [outside, bottom], [0.0, bottom]]);
        pit.reverse();
        pit
    };
    let made = |profile: Vec<[f64; 2]>, sides: usize, turn: f64| {
        (turned(&profile, sides, turn), True::Turned(profile))
    };
    match kind {
        0 | 1 => {
            // A plug, pointed or not, that ends above the mouth or below it.
            let end = between(0.6, 1.4) * deep;
            let above = if has_floor { begin } else { 0.2 * end };
            let start = if kind == 0 && !has_floor {
                0.0
            } else {
                above + between(0.1, 0.5) * (deep.min(end) - above)
            };
            let mut plug = vec![[0.0, start], [start * slope, start], [end * slope, end]];
            if start == 0.0 {
                plug.remove(0);
            }
            plug.extend([[end * slope, end + 0.3], [0.0, end + 0.3]]);
            Case {
                say,
                fixed: made(close(block), of_fixed, turn),
                moving: made(plug, of_moving, other_turn),
                fixed_from_moving: Pose::IDENTITY,
                cones: 2,
            }
        }
        2 => {
            // A chamfer on the edge of a bore.
            let (narrow, wide) = (between(0.2, 0.4), between(0.6, 0.9));
            let bore = narrow + between(0.2, 0.8) * (wide - narrow);
            let peg = vec![
                [0.0, narrow / slope],
                [narrow, narrow / slope],
                [wide, wide / slope],
                [wide, wide / slope + 0.5],
                [0.0, wide / slope + 0.5],
            ];
            let plate = close(vec![[0.0, -1.5], [bore, -1.5], [bore, bore / slope]]);
            Case {
                say,
                fixed: made(plate, of_fixed, turn),
                moving: made(peg, of_moving, other_turn),
                fixed_from_moving: Pose::IDENTITY,
                cones: 1,
            }
        }
        3 => {
            // The edge of a peg in a countersink.
            let at = lowest_seat + between(0.2, 0.8) * (deep - lowest_seat);
            let peg = vec![[0.0, at], [at * slope, at], [at * slope, at + 1.0], [0.0, at + 1.0]];
            Case {
                say,
                fixed: made(close(block), of_fixed, turn),
                moving: made(peg, of_moving, other_turn),
                fixed_from_moving: Pose::IDENTITY,
                cones: 1,
            }
        }
        4 => {
            // Its lowest point is at 1 / (1 + sin) of the height at which it touches: above the floor.
            let least = if has_floor { 1.05 * begin * (1.0 + angle.sin()) } else { lowest_seat };
            let at = least.min(0.9 * deep) + between(0.1, 0.9) * (0.95 * deep - least.min(0.9 * deep));
            let height = at / (angle.cos() * angle.cos());
            let radius = height * angle.sin();
            let shape = Primitive::new(Shape::Sphere { radius }).expect("a sphere");
            let mesh = shape.tessellated(between(0.002, 0.01) * radius).expect("bounded");
            let centre = DVec3::ZERO;
            Case {
                say,
                fixed: made(close(block), of_fixed, turn),
                moving: (Arc::new(mesh), True::Ball { centre, radius }),
                fixed_from_moving: Pose::from_translation(DVec3::Z * height),
                cones: 1,
            }
        }
        _ => {
            // A cone that lies on a plane, somehow turned about itself.
            let start = if between(0.0, 1.0) < 0.5 { 0.0 } else { 0.4 * deep };
            let mut cone = vec![[0.0, start], [start * slope, start], [deep * slope, deep], [0.0, deep]];
            if start == 0.0 {
                cone.remove(0);
            }
            // Its line at y = 0 and positive x goes down.
            let lying = bring(DVec3::new(angle.cos(), 0.0, -angle.sin()), -DVec3::Z);
            Case {
                say,
                fixed: (plate(4.0), True::Below),
                moving: made(cone, of_moving, other_turn),
                fixed_from_moving: Pose::turn(DVec3::Z, between(0.0, 6.0)) * lying,
                cones: 1,
            }
        }
    }
}

#[test]
fn cones_in_cones_on_edges_and_on_planes() {
    const MOTIONS: usize = 24;
    let wanted = cases(40, 4_000);
    let mut random = Random(5);
    let mut tally = Tally::default();
    let mut asked = 0;
    while tally.pairs < wanted {
        asked += 1;
        assert!(asked < 2 * wanted, "most have an answer: {tally:?}");
        let case = case(&mut random);
        let anywhere =
            Pose::from_translation(any_direction(&mut random)) * Pose::turn(any_direction(&mut random), 1.0);
        let swapped = random.unit() < 0.5;
        let world_from_moving = anywhere * case.fixed_from_moving;
        let fixed = Part::new(&moved(&case.fixed.0, anywhere), None).expect("a body");
        let moving = Part::new(&moved(&case.moving.0, world_from_moving), None).expect("a body");
        let cones =
            |part: &Part| part.rounds().iter().filter(|r| matches!(r.kind, Kind::Cone { .. })).count();
        assert_eq!(cones(&fixed) + cones(&moving), case.cones, "{}", case.say);
        let (one, other) = if swapped { (&fixed, &moving) } else { (&moving, &fixed) };
        let found = contacts(one, &[other], &ContactOptions::default());
        if found.between != [Between::Touching] {
            *tally.unanswered.entry(format!("{:?} {}", found.between[0], case.say)).or_default() += 1;
            continue;
        }
        tally.pairs += 1;
        for _ in 0..MOTIONS {
            let motion = motion(&found.set, &mut random);
            // Of the one that moves, in the world; so seen from the other.
            let by = small(&found.set, &motion);
            let by = if swapped { by.inverse() } else { by };
            let fixed_from_moved = anywhere.inverse() * by * world_from_moving;
            let deep = depth(&case.fixed.1, &case.moving.1, fixed_from_moved);
            let hit = deep > 0.05 * BAND * STEP * found.set.size;
            tally.compare(&format!("case {asked}, {}", case.say), &found.set, &motion, hit, || None);
        }
    }
    tally.report("cones");
    assert!(tally.safe > wanted && tally.blocked > wanted, "{tally:?}");
    assert!(tally.unanswered.len() * 100 <= wanted, "{:?}", tally.unanswered);
}

/// Tips and pyramids with few sides are polyhedra; more sides, a bit less regular, are a cone; none of them is a ball.
#[test]
fn thirteen_sides_are_a_pyramid_and_fourteen_a_cone() {
    for sides in 3..40 {
        for (height, narrow) in [(1.0, 0.0), (0.5, 0.4), (0.1, 0.0), (0.1, 0.9), (3.0, 0.2)] {
            let mut profile = vec![[0.0, 0.0], [narrow, 0.0], [1.0, height], [0.0, height]];
            if narrow == 0.0 {
                profile.remove(0);
            }
            let part = Part::new(&turned(&profile, sides, 0.1), None).expect("a body");
            let cones = part.rounds().iter().filter(|r| matches!(r.kind, Kind::Cone { .. })).count();
            assert_eq!(cones, part.rounds().len(), "{sides} {height} {narrow}: {:?}", part.rounds());
            assert!(cones == 0 || sides >= 14, "{sides} {height} {narrow}");
            // Where the end face turns by less than what may be round, nobody can tell where the cone ends.
            let ends_clearly = narrow == 0.0 || (height / (1.0 - narrow)).atan() > 0.46;
            assert!(cones == 1 || sides < 14 || !ends_clearly, "{sides} {height} {narrow}");
            if let Some(round) = part.rounds().first() {
                let Kind::Cone { apex, axis, half_angle, from_to } = round.kind else {
                    unreachable!("counted")
                };
                let true_angle = ((1.0 - narrow) / height).atan();
                assert!((half_angle - true_angle).abs() < 1e-9 && axis.distance(DVec3::Z) < 1e-9);
                let at = -narrow * height / (1.0 - narrow);
                assert!(apex.distance(DVec3::Z * at) < 1e-9 && (from_to[1] - (height - at)).abs() < 1e-9);
            }
        }
    }
}

/// A countersunk screw turns and can be lifted, within the cone of its seat.
#[test]
fn a_countersunk_head_in_its_seat() {
    let (slope, deep) = (1.0, 0.5);
    let seat = Part::new(
        &turned(
            &[
                [0.0, -1.0],
                [2.0, -1.0],
                [2.0, deep],
                [deep * slope, deep],
                [0.2, 0.2],
                [0.2, -0.5],
                [0.0, -0.5],
            ],
            32,
            0.0,
        ),
        None,
    )
    .expect("a seat");
    let head =
        Part::new(&turned(&[[0.0, -0.3], [0.1, -0.3], [0.1, 0.1], [0.5, 0.5], [0.0, 0.5]], 25, 0.3), None)
            .expect("a head");
    let found = contacts(&head, &[&seat], &ContactOptions::default());
    assert_eq!(found.between, [Between::Touching]);
    assert_eq!(found.set.rings.len(), 2);
    let words = found.set.freedoms();
    assert!(
        words.starts_with("turns about the axis along z through (0, 0, ")
            && words.contains("can leave along +z"),
        "{words}"
    );
    let judge = |v: DVec3, w: DVec3| found.set.judge(&kansho_contact::Twist { v, w }).verdict;
    use kansho_contact::Verdict::{Blocked, Border, Safe};
    let tilted = |by: f64| DVec3::new((FRAC_PI_2 / 2.0 - by).sin(), 0.0, (FRAC_PI_2 / 2.0 - by).cos());
    assert_eq!(judge(DVec3::Z, DVec3::ZERO), Safe);
    assert_eq!(judge(tilted(0.001), DVec3::ZERO), Safe, "the seat has half an angle of 45 degrees");
    assert_eq!(judge(tilted(-0.001), DVec3::ZERO), Blocked);
    assert_eq!(judge(DVec3::ZERO, DVec3::Z), Border);
    assert_eq!(judge(DVec3::ZERO, DVec3::X), Blocked);
    assert_eq!(judge(-DVec3::Z, DVec3::ZERO), Blocked);
}
