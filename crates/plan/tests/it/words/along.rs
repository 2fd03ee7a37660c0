//! What holds all along the way, looked at without what found it.

use super::example;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::tree::{Scratch, Tree, depth};
use kansho_geom::triangle::nearest;
use kansho_plan::script::answer::Leg;
use kansho_plan::script::body::{Body, Member};
use kansho_plan::script::{Options, Relation, Script, run};

const EXAMPLES: [&str; 8] = [
    "block_in_slot.toml",
    "box_in_groove.toml",
    "box_in_groove_level.toml",
    "feet_on_step.toml",
    "peg_in_hole.toml",
    "tip_on_ramp.toml",
    "boat_over_bump.toml",
    "tip_on_edge.toml",
];

/// Samples of a feature: corners and points between them.
fn points(member: &Member) -> Vec<DVec3> {
    match member {
        Member::Face(facet) => facet
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| [a, b, c, (a + b + c) / 3.0, (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5])
            .collect(),
        Member::Edge(line) => {
            (0..=10).map(|k| line.ends[0].lerp(line.ends[1], f64::from(k) / 10.0)).collect()
        }
        Member::Vertex(corner) => vec![corner.point],
        Member::Axis { ends } => ends.to_vec(),
    }
}

/// How far a point is from a feature, and from the plane or line of it.
fn distances(p: DVec3, member: &Member) -> [f64; 2] {
    match member {
        Member::Face(facet) => {
            let near =
                facet.triangles.iter().map(|t| p.distance(nearest(p, t))).fold(f64::INFINITY, f64::min);
            [near, (facet.normal.dot(p) - facet.offset).abs()]
        }
        Member::Edge(line) => {
            let way = line.ends[1] - line.ends[0];
            let t = (p - line.ends[0]).dot(way) / way.length_squared();
            [p.distance(line.ends[0] + way * t.clamp(0.0, 1.0)), p.distance(line.ends[0] + way * t)]
        }
        Member::Vertex(corner) => [p.distance(corner.point); 2],
        Member::Axis { .. } => [f64::NAN; 2],
    }
}

/// The least over pairs of members of the largest distance of the moved feature's points from the fixed plane or line, and
/// the least distance of any of them (or of the fixed one's points from the moved feature).
fn off(script: &Script, touch: usize, pose: Pose) -> [f64; 2] {
    let touch = &script.touches[touch];
    let moved = &script.moved.features[touch.moved].members;
    let fixed = &script.fixed[touch.body].features[touch.fixed].members;
    let (mut plane, mut gap) = (f64::INFINITY, f64::INFINITY);
    for m in moved {
        for f in fixed {
            let there: Vec<[f64; 2]> = points(m).iter().map(|&p| distances(pose * p, f)).collect();
            let back: Vec<[f64; 2]> = points(f).iter().map(|&x| distances(pose.inverse() * x, m)).collect();
            let most = |all: &[[f64; 2]]| all.iter().map(|d| d[1]).fold(0.0, f64::max);
            let least = |all: &[[f64; 2]]| all.iter().map(|d| d[0]).fold(f64::INFINITY, f64::min);
            let is_on =
                touch.relation == Relation::On || matches!((m, f), (Member::Edge(_), Member::Face(_)));
            if is_on {
                plane = plane.min(most(&there));
            }
            gap = gap.min(least(&there)).min(least(&back));
        }
    }
    [plane, gap]
}

/// Kept contacts hold at 1,000 instants of every way, to a billionth of the size: in the plane or on the line, and touching.
#[test]
fn kept_contacts_hold_at_a_thousand_instants() {
    let mut looked = 0;
    for name in EXAMPLES {
        let script = example(name).script;
        let answer = run(&script, &Options::default());
        let size = script.moved.size();
        assert!(answer.drift <= 1e-9 * size, "{name}: {}", answer.drift);
        for leg in answer.legs() {
            for &touch in &leg.keep {
                for k in 0..=1000 {
                    let pose = leg.way.at(f64::from(k) / 1000.0);
                    let [plane, gap] = off(&script, touch, pose);
                    let text = &script.touches[touch].text;
                    assert!(plane <= 1e-9 * size, "{name}: {text} is off by {plane} at {k}");
                    // Faces may touch between the points that are looked at.
                    if !matches!(
                        script.moved.features[script.touches[touch].moved].members[0],
                        Member::Face(_)
                    ) {
                        assert!(gap <= 1e-6 * size, "{name}: {text} is {gap} apart at {k}");
                    }
                    looked += 1;
                }
            }
        }
    }
    assert!(looked > 30_000, "{looked}");
}

/// What is proven is so at many instants: bodies are nowhere deeper in each other than the tolerance.
#[test]
fn bodies_do_not_overlap_on_proven_ways() {
    let mut scratch = Scratch::default();
    for name in EXAMPLES {
        let script = example(name).script;
        let answer = run(&script, &Options::default());
        let moved = Tree::new(script.moved.mesh().clone());
        let trees: Vec<(&Body, Tree)> =
            script.fixed.iter().map(|body| (body, Tree::new(body.mesh().clone()))).collect();
        let legs: Vec<&Leg> = answer.legs().collect();
        let instants = (600 / legs.len()).max(8);
        for leg in legs {
            for k in 0..=instants {
                let pose = leg.way.at(k as f64 / instants as f64);
                for (body, tree) in &trees {
                    let found = depth(tree, &moved, pose, 0.5 * script.tolerance, &mut scratch);
                    let found = found.expect("bodies are closed");
                    assert!(found.at_least <= 2.0 * script.tolerance, "{name}: {found:?} in {}", body.name);
                }
            }
        }
    }
}

/// Ways follow each other without a jump, from the start on, and each step ends where its last way does.
#[test]
fn ways_join() {
    for name in EXAMPLES {
        let script = example(name).script;
        let answer = run(&script, &Options::default());
        let mut pose = answer.start;
        for leg in answer.legs() {
            let from = leg.way.from();
            assert!(from.translation().distance(pose.translation()) < 1e-12);
            assert!(from.rotation().abs_diff_eq(pose.rotation(), 1e-12));
            pose = leg.way.to();
        }
        assert_eq!(answer.steps.last().expect("there are moves").pose, pose);
    }
}
