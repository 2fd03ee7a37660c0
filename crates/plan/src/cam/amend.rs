//! A path that people change by hand: the tool turned otherwise at some points, and the motions there proven again.

use super::edge::EdgeKind;
use kansho_cell::ik::{BranchEnd, Followed, Ik, Solutions};
use kansho_cell::route::{Blend, Move, Route};
use kansho_cell::work::{ToolAxis, WorkPoint};
use kansho_cell::{JointMotion, JointPiece};
use kansho_check::motion::{
    Contact, MotionOptions, MotionScene, MotionWitness, MotionWorkspace, RouteScene, Stopped,
};
use kansho_check::verdict::Verdict;

/// The tool is turned in steps of no more than this, in radians, so that joints are followed and not guessed.
const STEP: f64 = 0.2;

/// The posture in which the tool stands at a point with another rotation, reached by turning it about its axis: the branch stays the same, and
/// joints go on through whole turns. The tilt stays as it is.
///
/// # Errors
/// Where on the way the branch ends, and why; the last posture that was reached.
pub fn turned(
    ik: &Ik,
    axis: &ToolAxis,
    point: &WorkPoint,
    tilt: usize,
    [from, to]: [f64; 2],
    posture: &[f64],
) -> Result<Vec<f64>, (BranchEnd, Vec<f64>)> {
    let mut values = ik.values_in(posture);
    let mut turned = posture.to_vec();
    let mut scratch = Solutions::default();
    let steps = ((to - from).abs() / STEP).ceil().clamp(1.0, 1e4) as usize;
    for k in 1..=steps {
        let rotation = if k == steps { to } else { from + (to - from) * k as f64 / steps as f64 };
        let pose = axis.world_from_tip_at(point, tilt, rotation);
        match ik.follow(&pose, &values, &mut scratch) {
            Followed::On { values: next, .. } => values = next,
            Followed::Ends(why) => return Err((why, turned)),
        }
        ik.put(&values, &mut turned);
    }
    Ok(turned)
}

/// What is known of the motion from one point to the next.
#[derive(Clone, Debug, PartialEq)]
pub enum Between {
    /// Proven free at every instant.
    Free,
    /// A contact, somewhere on the way; not necessarily the first.
    Touches(Box<MotionWitness>),
    /// The tool cannot be led along its line.
    Ends(Box<Stopped>),
    /// Nobody knows.
    Undecided,
}

/// Decides the motion from one posture to the next; lines of the tool where `routes` are given.
#[must_use]
pub fn between(
    scene: &MotionScene<'_>,
    routes: Option<&RouteScene<'_>>,
    kind: EdgeKind,
    [from, to]: [&[f64]; 2],
    options: &MotionOptions<'_>,
    workspace: &mut MotionWorkspace,
) -> Between {
    let options = MotionOptions { contact: Contact::Any, time_tolerance: 1e-3, ..*options };
    match (kind, routes) {
        (EdgeKind::Ptp, _) => {
            let motion = JointMotion::of_piece(JointPiece::line(from, to));
            match scene.motion(&motion, &options, workspace).verdict {
                Verdict::Free(_) => Between::Free,
                Verdict::Touches(witness) => Between::Touches(Box::new(witness)),
                Verdict::Undecided { .. } => Between::Undecided,
            }
        }
        (EdgeKind::Lin(laws), Some(routes)) => {
            let (cell, tip) = (scene.cell(), routes.tip());
            let line = [Move::line(tip.placed(cell, to)).arriving_at(to.to_vec())];
            for law in laws.each() {
                let Ok(route) = Route::new(cell, tip, from.to_vec(), &line, *law, Blend::Parabola) else {
                    return Between::Undecided;
                };
                match routes.route(&route, &options, workspace).map(|report| report.verdict) {
                    Ok(Verdict::Free(_)) => {}
                    Ok(Verdict::Touches(witness)) => return Between::Touches(Box::new(witness)),
                    Ok(Verdict::Undecided { .. }) => return Between::Undecided,
                    Err(stopped) => return Between::Ends(Box::new(stopped)),
                }
            }
            Between::Free
        }
        (EdgeKind::Lin(_), None) => Between::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_cell::builtin;
    use kansho_cell::ik::{IkOptions, Tip};
    use kansho_cell::route::Laws;
    use kansho_check::scene::Scene;
    use kansho_geom::glam::DVec3;
    use std::f64::consts::TAU;
    use std::sync::Arc;

    #[test]
    fn turned_postures_have_the_tool_where_it_is_wanted_and_the_branch_that_it_had() {
        let cell = builtin::cell();
        let tip = Tip::tool(&cell, "arm").expect("a tool");
        let ik = Ik::new(&cell, &tip, &IkOptions::default()).expect("it moves");
        let axis = ToolAxis::new([0.0, 6.0, 0.1], DVec3::X, 0.0).expect("rotations");
        let home = builtin::home();
        let pose = tip.placed(&cell, &home);
        let point = WorkPoint {
            tip_in_world: pose.translation(),
            direction_in_world: pose.rotate(DVec3::Z),
            line: 0,
        };
        // Which rotation home has.
        let zero = axis.world_from_tip_at(&point, 0, 0.0);
        let x = zero.inverse().rotate(pose.rotate(DVec3::X));
        let own = x.y.atan2(x.x);
        let branch = ik.branch(&ik.values_in(&home)).0;
        let (mut reached, mut ended) = (0, 0);
        for k in -60..=60 {
            let wanted = own + TAU * f64::from(k) / 60.0;
            match turned(&ik, &axis, &point, 0, [own, wanted], &home) {
                Ok(posture) => {
                    reached += 1;
                    let there = tip.placed(&cell, &posture);
                    let off = axis.world_from_tip_at(&point, 0, wanted).inverse() * there;
                    assert!(off.translation().length() < 1e-8, "{k}");
                    assert!(off.rotate(DVec3::X).angle_between(DVec3::X) < 1e-7, "{k}");
                    assert_eq!(ik.branch(&ik.values_in(&posture)).0, branch, "{k}");
                    assert!(cell.outside_limits(&posture).next().is_none(), "{k}");
                }
                Err((_, last)) => {
                    ended += 1;
                    assert_eq!(last.len(), home.len());
                }
            }
        }
        assert!(reached > 20 && ended > 0, "{reached} and {ended}");
    }

    #[test]
    fn what_lies_between_is_as_dense_samples_say() {
        let scene = Scene::new(Arc::new(builtin::cell())).with_models();
        let prepared = MotionScene::new(&scene);
        let tip = Tip::tool(scene.cell(), "arm").expect("a tool");
        let routes = RouteScene::new(&prepared, tip).expect("six joints");
        let (mut workspace, mut of_scene) = (prepared.workspace(), scene.workspace());
        let dive = [0.0f64, 20.0, 10.0, 0.0, 60.0, 180.0].map(f64::to_radians).to_vec();
        let (mut free, mut touching) = (0, 0);
        for k in 1..=24 {
            let part = f64::from(k) / 24.0;
            let to: Vec<f64> = builtin::home().iter().zip(&dive).map(|(a, b)| a + part * (b - a)).collect();
            let home = builtin::home();
            let options = MotionOptions::default();
            let found = between(&prepared, None, EdgeKind::Ptp, [&home, &to], &options, &mut workspace);
            let motion = JointMotion::lines(&[home.clone(), to.clone()]).expect("a line");
            let hit = (0..=400).any(|k| scene.touches(&motion.at(f64::from(k) / 400.0), &mut of_scene));
            match found {
                Between::Free => {
                    free += 1;
                    assert!(!hit, "{k}");
                }
                Between::Touches(witness) => {
                    touching += 1;
                    let gap = scene.least_gap(&witness.posture, f64::INFINITY, &mut of_scene);
                    assert!(gap.is_some_and(|found| found.gap <= 1e-6), "{k}");
                }
                other => panic!("{k}: {other:?}"),
            }
            // Of lines only what they end in is compared: others are tested where they are made.
            let kind = EdgeKind::Lin(Laws::Both);
            let line = between(&prepared, Some(&routes), kind, [&home, &to], &options, &mut workspace);
            assert!(line != Between::Free || !scene.touches(&to, &mut of_scene), "{k}");
        }
        assert!(free > 0 && touching > 0, "{free} and {touching}");
    }
}
