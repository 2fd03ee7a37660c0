//! What the branches of contacts hold: motions that are allowed, and which of them hold all.

use crate::cases::Random;
use crate::polyhedra::{cases, motion};
use crate::solids::{moved, plate, turned};
use kansho_contact::branch::Side;
use kansho_contact::{BranchKind, ContactOptions, Part, Twist, Verdict, contacts};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::f64::consts::{FRAC_PI_2, PI};

/// Prisms edge on edge, some of them held elsewhere, too, and cones in their seats: every generator of a sound branch, and every mixture, passes the
/// exact test; and whatever passes it is in an outer branch, or in an exact one where all are exact.
#[test]
fn sound_branches_hold_allowed_motions_and_outer_ones_all() {
    let mut random = Random(21);
    let (mut segments, mut rings, mut mixtures, mut exact_only) = (0, 0, 0, 0);
    for round in 0..cases(60, 3000) {
        let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
        let part = |mesh| Part::new(&mesh, None).expect("a body");
        let (moving, fixed) = if round % 5 == 4 {
            // A prism that stands on a plate, some of them in the corner of two: nothing but points.
            let profile = [[0.0, 0.0], [1.0, 0.0], [0.8, 1.0], [0.0, 1.0]];
            let body = turned(&profile, 4, std::f64::consts::FRAC_PI_4);
            let wall = moved(
                &plate(3.0),
                Pose::from_translation(DVec3::X * body.aabb().max().x) * Pose::turn(DVec3::Y, -FRAC_PI_2),
            );
            let mut fixed = vec![part(plate(3.0))];
            if between(0.0, 1.0) < 0.5 {
                fixed.push(part(wall));
            }
            (part(body), fixed)
        } else if round % 4 == 3 {
            let slope = between(0.6, 1.7);
            let seat = [[0.0, -1.0], [3.0, -1.0], [3.0, 1.0], [slope, 1.0], [0.0, 0.0]];
            let head = [[0.0, 0.3], [0.3 * slope, 0.3], [0.8 * slope, 0.8], [0.0, 0.8]];
            (part(turned(&head, 20, 0.1)), vec![part(turned(&seat, 33, 0.0))])
        } else {
            // Prisms along x with an edge on the axis, one above it and one below.
            let mut lying = |over: Pose| {
                let (sides, length) = (between(3.0, 8.99) as usize, between(0.5, 2.0));
                let profile = [[0.0, -length], [1.0, -length], [1.0, length], [0.0, length]];
                let at = Pose::from_translation(DVec3::new(between(-0.3, 0.3), 0.0, 0.0));
                let lean = Pose::turn(DVec3::X, between(-0.2, 0.2));
                let edge_down = Pose::from_translation(DVec3::Z) * Pose::turn(DVec3::Y, FRAC_PI_2);
                moved(&turned(&profile, sides, 0.0), at * over * lean * edge_down)
            };
            let (one, other) = (lying(Pose::IDENTITY), lying(Pose::turn(DVec3::X, PI)));
            let mut fixed = vec![part(other)];
            if round % 4 == 1 {
                // And a wall at its end.
                let end = one.aabb().max().x;
                let wall = moved(
                    &plate(3.0),
                    Pose::from_translation(DVec3::X * end) * Pose::turn(DVec3::Y, -FRAC_PI_2),
                );
                fixed.push(part(wall));
            }
            (part(one), fixed)
        };
        let found = contacts(&moving, &fixed.iter().collect::<Vec<_>>(), &ContactOptions::default());
        if !found.is_sound() {
            continue;
        }
        let set = &found.set;
        segments += set.segments.len();
        rings += set.rings.len();
        let (inner, outer) = (set.branches(Side::Inner), set.branches(Side::Outer));
        assert!(inner.complete && outer.complete);
        assert!(inner.list.iter().all(|b| b.kind.is_sound()));
        for branch in inner.list.iter().chain(&outer.list).filter(|b| b.kind.is_sound()) {
            let back = branch.lineality.iter().map(|t| Twist { v: -t.v, w: -t.w });
            for motion in branch.rays.iter().chain(&branch.lineality).copied().chain(back) {
                assert_ne!(
                    set.judge(&motion).verdict,
                    Verdict::Blocked,
                    "{round}: {motion:?} of {:?}",
                    branch.kind
                );
            }
            for _ in 0..20 {
                let mut sum = Twist { v: DVec3::ZERO, w: DVec3::ZERO };
                for (i, g) in branch.rays.iter().chain(&branch.lineality).enumerate() {
                    let by = if i < branch.rays.len() { random.unit().powi(4) } else { random.signed() };
                    sum = Twist { v: sum.v + g.v * by, w: sum.w + g.w * by };
                }
                mixtures += 1;
                assert_ne!(
                    set.judge(&sum).verdict,
                    Verdict::Blocked,
                    "{round}: {sum:?} of {:?}",
                    branch.kind
                );
            }
        }
        let all_exact = inner.list.iter().all(|b| b.kind == BranchKind::Exact);
        exact_only += usize::from(all_exact);
        for _ in 0..40 {
            let motion = motion(set, &mut random);
            if set.judge(&motion).margin > 1e-6 {
                let within =
                    |list: &[kansho_contact::Branch]| list.iter().any(|b| set.generates(b, &motion, 1e-6));
                assert!(within(&outer.list), "{round}: {motion:?} is in no outer branch");
                assert!(!all_exact || within(&inner.list), "{round}: {motion:?} is in no exact branch");
            }
        }
    }
    eprintln!(
        "{segments} segments, {rings} rings, {mixtures} mixtures, {exact_only} with exact branches only"
    );
    assert!(segments > 20 && rings > 10 && mixtures > 1000, "{segments} {rings} {mixtures}");
    assert!(exact_only > 5, "{exact_only}");
}
