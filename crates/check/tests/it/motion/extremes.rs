//! Every term of the verifier's bounds on rounding, at values where it is large: what whole numbers refute is never accepted.
//!
//! A certificate of one direction claims the least height that whole numbers find at sampled instants, rounded up: the truth is no more than
//! that, so the claim is false, by less than a unit in the last place. Where a term of a bound is missing, one in two such claims passes.

use super::fixed::{fixed, height, rounded_up};
use super::{SLIDE, TURN, at, cell_of, formula, mesh, object, row};
use crate::models::Dice;
use kansho_cell::{BodyPiece, Cell, Geometry, JointKind, JointMotion, MimicDraft, Robot, RobotDraft};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use kansho_verify::motion::steps::{self, FreeAlong, RegionStep};
use kansho_verify::motion::tree::BodyTree;
use kansho_verify::motion::{MotionCertificate, verify_motion};

/// What is extreme. Each is a term of the bound, named in docs/verifier.md.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Term {
    /// A mimic joint turns by a large offset.
    TurnOffset,
    /// It turns by a small value times a large multiplier.
    TurnMultiplier,
    /// A value is a mixture of large coefficients.
    TurnValue,
    /// The same of slides.
    SlideOffset,
    SlideMultiplier,
    SlideValue,
    /// Two slides that cancel each other.
    SlidesCancel,
    /// A joint far from where it hangs, and what it moves far from it.
    JointFar,
    /// The robot stands far from the origin.
    BaseFar,
    /// A shape far from its link.
    ShapeFar,
    /// The first shape of a body far from the others, which are placed in its coordinates.
    FirstShapeFar,
    /// A large block that turns about its own centre, by many turns.
    LargeBlock,
    /// A plane far from the origin of its body.
    PlaneFar,
    /// Hundreds of joints in a row.
    LongChain,
}

const TERMS: [Term; 14] = [
    Term::TurnOffset,
    Term::TurnMultiplier,
    Term::TurnValue,
    Term::SlideOffset,
    Term::SlideMultiplier,
    Term::SlideValue,
    Term::SlidesCancel,
    Term::JointFar,
    Term::BaseFar,
    Term::ShapeFar,
    Term::FirstShapeFar,
    Term::LargeBlock,
    Term::PlaneFar,
    Term::LongChain,
];

/// A cell with one pair, and a motion of it.
struct Case {
    cell: Cell,
    motion: JointMotion,
}

fn case(term: Term, large: f64, dice: &mut Dice) -> Case {
    let count = if term == Term::LongChain { 300 } else { 3 };
    let mut kinds: Vec<(JointKind, Pose)> = (0..count)
        .map(|_| {
            let kind = if dice.roll() < 0.7 { TURN } else { SLIDE };
            (kind, Pose::from_rpy(dice.vector(0.3), dice.vector(3.0)))
        })
        .collect();
    // The joint that is extreme is the second, so that there may be a common frame before it.
    kinds[1].0 = match term {
        Term::SlideOffset | Term::SlideMultiplier | Term::SlideValue | Term::SlidesCancel => SLIDE,
        _ => TURN,
    };
    let mut shape_at = Pose::from_rpy(dice.vector(0.2), dice.vector(3.0));
    let mut base = Pose::from_rpy(dice.vector(0.5), dice.vector(3.0));
    let mut radius = dice.between(0.01, 0.3);
    let mut mimic = MimicDraft { joint: "j0".into(), multiplier: 1.0, offset: 0.0 };
    match term {
        Term::TurnOffset | Term::SlideOffset => mimic.offset = large,
        Term::TurnMultiplier | Term::SlideMultiplier => mimic.multiplier = large,
        Term::SlidesCancel => {
            kinds[2] = (SLIDE, Pose::from_translation(DVec3::X * -large));
            mimic.offset = large;
        }
        Term::JointFar => {
            kinds[1].1 = Pose::from_rpy(dice.vector(large), dice.vector(3.0));
            kinds[2].1 = Pose::from_rpy(dice.vector(large), dice.vector(3.0));
        }
        Term::BaseFar => base = Pose::from_rpy(dice.vector(large), dice.vector(3.0)),
        Term::ShapeFar => shape_at = Pose::from_rpy(dice.vector(large), dice.vector(3.0)),
        Term::LargeBlock => {
            shape_at = Pose::IDENTITY;
            radius = large;
            mimic.multiplier = 1e4;
            kinds.truncate(2);
        }
        _ => {}
    }
    let count = kinds.len();
    let own = if dice.roll() < 0.5 && term != Term::LargeBlock {
        formula(Shape::Sphere { radius }, shape_at)
    } else {
        mesh(Shape::Box { size: DVec3::splat(2.0 * radius) }, shape_at)
    };
    let mut pieces: Vec<Vec<BodyPiece>> = vec![Vec::new(); count + 1];
    pieces[count] = match term {
        Term::FirstShapeFar => {
            let first = Pose::from_rpy(dice.vector(large), dice.vector(3.0));
            vec![mesh(Shape::Box { size: DVec3::splat(0.1) }, first), own]
        }
        _ => vec![own],
    };
    let away = if term == Term::LargeBlock { 5.0 * large } else { 2.0 };
    let ball = formula(Shape::Sphere { radius: 0.1 }, Pose::from_rpy(dice.vector(away), DVec3::ZERO));
    // Beside it stands an object, or a link that carries it.
    let is_carried = count > 2 && dice.roll() < 0.4 && term != Term::PlaneFar;
    let objects = if is_carried {
        pieces[1] = vec![ball];
        Vec::new()
    } else if term == Term::PlaneFar {
        let plane = Shape::HalfSpace { normal: DVec3::Z, offset: large };
        vec![object("plane", vec![formula(plane, at(0.0, 0.0, -large - 3.0))])]
    } else {
        vec![object("ball", vec![ball])]
    };
    let mut robot = row(&kinds, pieces, base);
    let mut draft = RobotDraft {
        name: "row".into(),
        links: robot.robot.links().to_vec(),
        joints: kinds
            .iter()
            .enumerate()
            .map(|(k, (kind, parent_from_joint))| kansho_cell::JointDraft {
                name: format!("j{k}"),
                kind: *kind,
                parent: format!("l{k}"),
                child: format!("l{}", k + 1),
                parent_from_joint: *parent_from_joint,
                limits: Some(kansho_cell::Limits { lower: -4.0, upper: 4.0 }),
                max_speed: None,
                mimic: None,
            })
            .collect(),
    };
    draft.joints[1].mimic = Some(mimic);
    robot.robot = Robot::new(draft).expect("a robot");
    let cell = cell_of(vec![robot], objects);
    let size = if matches!(term, Term::TurnValue | Term::SlideValue) { large } else { 2.0 };
    let small = if matches!(term, Term::TurnMultiplier | Term::SlideMultiplier) { 1.0 / large } else { 1.0 };
    let posture = |dice: &mut Dice| -> Vec<f64> {
        let of = |k: usize| if k == 0 { dice.between(-size, size) * small } else { dice.between(-2.0, 2.0) };
        (0..cell.coordinates().len()).map(of).collect()
    };
    let from = posture(dice);
    // Standing still, so that all the rounding there is is that of the placement; or a little way.
    let to: Vec<f64> = match dice.below(3) {
        0 => from.clone(),
        1 => from.iter().map(|q| q + dice.between(-1e-3, 1e-3) * small).collect(),
        _ => from.iter().map(|q| q + dice.between(-0.05, 0.05) * small).collect(),
    };
    let motion = JointMotion::lines(&[from, to]).expect("two postures");
    Case { cell, motion }
}

/// The least height of the second of the two shapes above the first, at sampled instants, in whole numbers.
fn least(case: &Case, n: DVec3) -> dashu_int::IBig {
    let Case { cell, motion } = case;
    let [a, b] = cell.pairs().checked()[0].map(|id| cell.body(id));
    let place = |body: &kansho_cell::Body| cell.in_frame(body.carrier);
    let frames = [place(a).frame, place(b).frame];
    let up = |frame| {
        std::iter::successors(Some(frame), |frame| Some(cell.frame_joint(*frame)?.parent)).collect::<Vec<_>>()
    };
    let other = up(frames[1]);
    let common = *up(frames[0]).iter().find(|frame| other.contains(frame)).expect("the world");
    let piece = &motion.pieces()[0];
    let of_shape = |body: &kansho_cell::Body, shape: &BodyPiece, n: DVec3, t: f64| {
        let place = place(body);
        let frame_from_piece = place.frame_from_link * shape.carrier_from_piece;
        let of = |p: DVec3| height(cell, piece, t, [common, place.frame], (&frame_from_piece, p), n);
        match &shape.geometry {
            Geometry::Mesh(mesh) => mesh.vertices().iter().map(|v| of(*v)).min().expect("corners"),
            Geometry::Primitive(primitive) => match primitive.shape() {
                Shape::Sphere { radius } => of(DVec3::ZERO) - fixed(radius),
                // Only along its normal.
                Shape::HalfSpace { offset, normal } => of(normal * offset),
                _ => panic!("balls, planes and meshes"),
            },
        }
    };
    let lowest = |body: &kansho_cell::Body, n: DVec3, t: f64| {
        body.pieces.iter().map(|shape| of_shape(body, shape, n, t)).min().expect("shapes")
    };
    let at = |k: u32| {
        let t = f64::from(k) / 4.0;
        lowest(b, n, t) + lowest(a, -n, t)
    };
    (0..=4).map(at).min().expect("some")
}

/// All pairs of leaves of two bodies, each along the same direction: a box around shapes that are far from each other is no bound on either.
fn each_leaf(trees: [&BodyTree; 2], nodes: [u32; 2], n: DVec3, letters: &mut String) {
    for k in 0..2 {
        if let Some(children) = trees[k].children(nodes[k]) {
            steps::write(RegionStep::Open(k), letters);
            for child in children {
                let mut nodes = nodes;
                nodes[k] = child;
                each_leaf(trees, nodes, n, letters);
            }
            return;
        }
    }
    steps::write(RegionStep::Free(FreeAlong::Direction(n)), letters);
}

fn verdict(case: &Case, clearance: f64, n: DVec3) -> Result<f64, String> {
    let mut letters = String::new();
    let bodies = case.cell.pairs().checked()[0].map(|id| case.cell.body(id));
    if bodies.iter().any(|body| body.pieces.len() > 1) {
        let [a, b] = bodies.map(|body| BodyTree::new(&case.cell, body));
        each_leaf([&a, &b], [BodyTree::ROOT; 2], n, &mut letters);
    } else {
        steps::write(RegionStep::Free(FreeAlong::Direction(n)), &mut letters);
    }
    let certificate = MotionCertificate { clearances: vec![clearance], pieces: vec![letters] };
    verify_motion(&case.cell, &case.motion, &certificate)
        .map(|found| found.clearance)
        .map_err(|why| why.to_string())
}

/// For each term: false claims are refused, and claims that are less by a small part of the large numbers are accepted.
#[test]
fn what_whole_numbers_refute_is_refused_at_extreme_values() {
    let cases = if std::env::var_os("KANSHO_LONG").is_some() { 2000 } else { 24 };
    for term in TERMS {
        let mut dice = Dice(7 + term as u64);
        let (mut refused, mut accepted) = (0, 0);
        // Hundreds of joints take their time in whole numbers.
        let cases = if term == Term::LongChain { cases / 6 } else { cases };
        for k in 0..cases {
            let large = 10f64.powf(dice.between(0.0, 12.0));
            // Places of poses are bounded when they are read.
            let large = match term {
                Term::JointFar
                | Term::BaseFar
                | Term::ShapeFar
                | Term::FirstShapeFar
                | Term::LargeBlock
                | Term::PlaneFar => large.sqrt().min(1e5),
                Term::LongChain => 1.0,
                _ => large,
            };
            let case = case(term, large, &mut dice);
            // The end of a direction in which they are apart, if there is one.
            for mut n in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z] {
                if term == Term::PlaneFar {
                    n = if n.z == 0.0 { continue } else { n };
                }
                let truth = least(&case, n);
                if truth <= fixed(0.0) {
                    assert!(
                        verdict(&case, 0.0, n).is_err() || term == Term::PlaneFar,
                        "{term:?} {k}: {large:e} along {n}, where they are not apart"
                    );
                    continue;
                }
                let claim = rounded_up(&truth);
                let found = verdict(&case, claim, n);
                assert!(found.is_err(), "{term:?} {k}: {large:e} along {n}: {claim:e} is accepted");
                refused += 1;
                // Of a motion by little: what is off is rounding, and no more than a part of the numbers that round.
                let is_still = case.motion.pieces()[0].controls().iter().all(|c| c[0] == c[3]);
                let less = claim - 1e-8 * (large + 10.0) * 300.0;
                if is_still && less > 0.0 {
                    let found = verdict(&case, less, n);
                    assert!(
                        found.is_ok(),
                        "{term:?} {k}: {large:e} along {n}: {less:e} of {claim:e}: {found:?}"
                    );
                    accepted += 1;
                }
            }
        }
        assert!(refused > cases / 4 && accepted > 0, "{term:?}: {refused} refused, {accepted} accepted");
    }
}
