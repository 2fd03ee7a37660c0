//! A robot that holds the moved body.

use super::of_text;
use kansho_cell::builtin;
use kansho_cell::ik::Tip;
use kansho_cell::route::{Blend, Law, Route, RouteMotion};
use kansho_check::motion::{MotionOptions, MotionScene};
use kansho_check::scene::Scene;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_plan::script::Status;
use kansho_plan::script::lead::{Hold, Led, led, tool_motion};
use std::sync::Arc;

const SCRIPT: &str = "units = \"mm\"
    move = [
      { do = \"approach\", along = \"-z\", until = \"block.A on table.B\" },
      { do = \"slide\", along = \"+x\", keep = \"block.A on table.B\", by = 10 },
      { do = \"rotate\", about = \"block.N\", keep = \"block.N on table.B\", turn = \"+\", by_deg = 12 },
    ]
    [fixed.table]
    box = [200, 200, 20]
    at = { xyz = [0, 0, -10] }
    B = { face = \"+z\" }
    [moved.block]
    box = [40, 20, 10]
    grasp = [0, 0, 5]
    start = { xyz = [0, 0, 20] }
    A = { face = \"-z\" }
    N = { edge = \"+x-z\" }";

#[test]
fn a_robot_makes_the_same_motion() {
    let answer = of_text(SCRIPT);
    assert_eq!(*answer.status(), Status::Reached);
    let scene = Scene::new(Arc::new(builtin::cell())).with_models();
    let prepared = MotionScene::new(&scene);
    let tip = Tip::tool(scene.cell(), "arm").expect("the arm has a tool");
    // The script's world is where the tool holds the block at home.
    let home = tip.placed(scene.cell(), &builtin::home());
    let part_from_tip = Pose::from_translation(DVec3::Z * 0.005) * Pose::turn(DVec3::X, std::f64::consts::PI);
    let hold = Hold { part_from_tip, cell_from_script: home * (answer.start * part_from_tip).inverse() };
    let motion = tool_motion(&answer, &hold);
    assert_eq!(motion.moves.len(), 3);
    let Led::Free { start, clearance } = led(&prepared, tip, &motion, &MotionOptions::default()) else {
        panic!("the arm can do that")
    };
    assert!(clearance > 0.0);
    // Lines and arcs of the tool hold the block where its ways have it.
    let route =
        Route::new(scene.cell(), tip, start, &motion.moves, Law::Slerp, Blend::Inside).expect("a route");
    for (leg, way) in route.legs().iter().zip(answer.legs()) {
        let RouteMotion::Tool { curve, .. } = &leg.way else { panic!("the tool is led") };
        for k in 0..=100 {
            let u = f64::from(k) / 100.0;
            let there = hold.cell_from_script.inverse() * curve.at(u) * hold.part_from_tip.inverse();
            let expected = way.way.at(u);
            assert!(there.translation().distance(expected.translation()) < 1e-10);
            assert!(there.rotation().abs_diff_eq(expected.rotation(), 1e-9));
        }
    }
}

#[test]
fn what_is_out_of_reach_is_told() {
    let answer = of_text(SCRIPT);
    let scene = Scene::new(Arc::new(builtin::cell())).with_models();
    let prepared = MotionScene::new(&scene);
    let tip = Tip::tool(scene.cell(), "arm").expect("the arm has a tool");
    let hold =
        Hold { part_from_tip: Pose::IDENTITY, cell_from_script: Pose::from_translation(DVec3::X * 9.0) };
    let Led::Not(why) = led(&prepared, tip, &tool_motion(&answer, &hold), &MotionOptions::default()) else {
        panic!("nine metres are too far")
    };
    assert!(why[0].contains("out of reach"), "{why:?}");
}
