//! The bisection method by name.

use kansho_check::moving_bodies::bisect::{BisectOptions, Ending, Measured, Rule, Status, collision};
use kansho_check::moving_bodies::{Body, MovingScratch, bisected, verdict_of};
use kansho_check::verdict::Verdict;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::{Motion, Span};
use kansho_geom::primitive::Shape;
use kansho_geom::{Pose, Primitive};
use std::sync::Arc;

fn block(size: [f64; 3]) -> Body {
    let shape = Shape::Box { size: DVec3::from_array(size) };
    let mesh = Primitive::new(shape).expect("a box").tessellated(1.0).expect("a box has a mesh");
    Body::new(Arc::new(mesh))
}

fn pass(from: f64, to: f64) -> Motion {
    Motion::linear(Pose::from_translation(DVec3::X * from), Pose::from_translation(DVec3::X * to))
}

/// Fig. 6: a cube goes a metre along x, through a wall that it reaches just after 3/8.
fn fig6(rule: Rule) -> (Vec<(Span, Status)>, Ending, usize) {
    let (cube, wall) = (block([0.1, 0.1, 0.1]), block([0.1, 0.5, 0.5]));
    let motions = [pass(0.0, 1.0), Motion::still(Pose::from_translation(DVec3::X * 0.48))];
    let options = BisectOptions { rule, contact: 0.01, ..BisectOptions::default() };
    let found = bisected([&cube, &wall], [&motions[0], &motions[1]], &options, &mut MovingScratch::default());
    (found.trace, found.ending, found.instants)
}

#[test]
fn the_trace_of_figure_6() {
    let (trace, ending, instants) = fig6(Rule::Paper);
    let eighths = |from: u32, to: u32| Span::new(f64::from(from) / 8.0, f64::from(to) / 8.0);
    let expected = [
        (eighths(0, 8), Status::C),
        (eighths(0, 4), Status::D),
        (eighths(0, 2), Status::B),
        (eighths(2, 4), Status::D),
        (eighths(2, 3), Status::A),
    ];
    assert_eq!(trace, expected);
    assert_eq!(ending, Ending::Contact(eighths(2, 3)));
    assert_eq!(instants, 5);
}

/// All that is before the last span of figure 6 is proven free, so the contact lies in that span, by the paper's rule, too.
#[test]
fn the_contact_lies_in_the_span_that_is_left() {
    let (cube, wall) = (block([0.1, 0.1, 0.1]), block([0.1, 0.5, 0.5]));
    let motions = [pass(0.0, 1.0), Motion::still(Pose::from_translation(DVec3::X * 0.48))];
    let motions = [&motions[0], &motions[1]];
    let options = BisectOptions { rule: Rule::Paper, contact: 0.01, ..BisectOptions::default() };
    let mut scratch = MovingScratch::default();
    let found = bisected([&cube, &wall], motions, &options, &mut scratch);
    let Verdict::Touches(witness) = verdict_of(&found, [&cube, &wall], motions, &mut scratch) else {
        panic!("they touch")
    };
    assert_eq!(witness.time, Span::new(2.0 / 8.0, 3.0 / 8.0));
    // Contacts found by chance: whatever is said to be before is free.
    let mut seed = 7u64;
    for _ in 0..300 {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let at = 0.2 + 0.6 * (seed >> 11) as f64 / (1u64 << 53) as f64;
        let near = Motion::still(Pose::from_translation(DVec3::X * at));
        let motions = [motions[0], &near];
        let found = bisected([&cube, &wall], motions, &options, &mut scratch);
        let Verdict::Touches(witness) = verdict_of(&found, [&cube, &wall], motions, &mut scratch) else {
            panic!("they touch")
        };
        // The gap is at - 0.1 - t.
        let first = at - 0.1 - 0.01;
        assert!(
            witness.time.start <= first + 1e-12 && witness.time.end >= first - 1e-12,
            "{at}: {witness:?}"
        );
    }
}

/// The gap is 0.38 - t: within `D_col` from 0.37 on. The paper's answer of 3/8 is late.
#[test]
fn the_first_contact_is_the_first() {
    let (_, ending, _) = fig6(Rule::Sum);
    let Ending::Contact(span) = ending else { panic!("{ending:?}") };
    assert!(span.start <= 0.37 && span.end >= 0.37 - 1e-12 && span.length() <= 1e-9, "{span:?}");
}

#[test]
fn an_overlap_at_the_start_is_said() {
    let cube = block([0.1, 0.1, 0.1]);
    let motions = [pass(0.0, 1.0), Motion::still(Pose::from_translation(DVec3::X * 0.05))];
    let mut scratch = MovingScratch::default();
    let found = bisected([&cube, &cube], [&motions[0], &motions[1]], &BisectOptions::default(), &mut scratch);
    assert_eq!(found.ending, Ending::AtStart);
    // Also of a body inside another.
    let (large, small) = (block([1.0; 3]), block([0.1; 3]));
    let motions = [Motion::still(Pose::IDENTITY), pass(0.0, 0.2)];
    let found =
        bisected([&large, &small], [&motions[0], &motions[1]], &BisectOptions::default(), &mut scratch);
    assert_eq!(found.ending, Ending::AtStart);
}

/// Neither a cap on spans nor something that is no number is ever "free".
#[test]
fn exhaustion_is_undecided() {
    let near = |at: f64| move |_: f64| Measured { at_least: at, at_most: at, overlap: false };
    let capped = BisectOptions { most_spans: 50, contact: 1e-6, ..BisectOptions::default() };
    let found = collision(near(1e-3), |span| span.length(), &capped);
    assert!(matches!(found.ending, Ending::Undecided(_)), "{:?}", found.ending);
    let found = collision(near(f64::NAN), |span| span.length(), &capped);
    assert!(!matches!(found.ending, Ending::Free { .. }), "{:?}", found.ending);
    let found = collision(near(1.0), |_| f64::NAN, &capped);
    assert!(matches!(found.ending, Ending::Undecided(_)), "{:?}", found.ending);
}

/// The worst case is known: a gap that never lets a span of more than 1/n pass takes 2n - 1 spans and n + 1 instants.
#[test]
fn worst_case_counts() {
    let n = 128.0;
    // With the paper's rule a span passes if the gap exceeds its length.
    let gap = |_: f64| Measured { at_least: 1.5 / n, at_most: 1.5 / n, overlap: false };
    let options = BisectOptions { rule: Rule::Paper, contact: 0.0, ..BisectOptions::default() };
    let found = collision(gap, |span| span.length(), &options);
    assert!(matches!(found.ending, Ending::Free { .. }));
    assert_eq!((found.trace.len(), found.instants), (255, 129));
    // The sum rule passes twice as long ones.
    let found = collision(gap, |span| span.length(), &BisectOptions { rule: Rule::Sum, ..options });
    assert_eq!((found.trace.len(), found.instants), (127, 65));
}
