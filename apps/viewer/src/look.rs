//! What is near or touches in a posture.

use kansho::cell::{Cell, InCell};
use kansho::check::scene::{CellGap, Scene, Touched, Workspace};
use serde_json::{Value, json};

/// Pairs that are listed, at most.
const PAIRS: usize = 24;

/// Pairs that touch and are told with their triangles, at most.
const TOLD: usize = 12;

/// Pairs of triangles of two shapes that are looked at, at most.
const TRIANGLES: usize = 4000;

/// The nearest pairs, and of those that touch the triangles.
pub(crate) fn at(scene: &Scene, posture: &[f64], workspace: &mut Workspace) -> Value {
    let nearest = scene.nearest_pairs(posture, PAIRS, workspace);
    let touching: Vec<&CellGap> = nearest.iter().filter(|found| found.gap == 0.0).collect();
    let hits: Vec<Value> = touching
        .iter()
        .take(TOLD)
        .map(|found| {
            let triangles = scene.touched(posture, found.pair, TRIANGLES, workspace).map(by_piece);
            json!({ "bodies": bodies(scene, found), "points": points(found), "triangles": triangles })
        })
        .collect();
    let pairs: Vec<Value> = nearest
        .iter()
        .map(|found| json!({ "bodies": bodies(scene, found), "gap": found.gap, "points": points(found) }))
        .collect();
    let outside: Vec<usize> = scene.cell().outside_limits(posture).collect();
    // Where all that are listed touch, others may touch as well.
    let more = nearest.len() == PAIRS && touching.len() == PAIRS;
    json!({ "pairs": pairs, "hits": hits, "more": more, "outside": outside, "tips": tips(scene.cell(), posture) })
}

/// Where the tools are.
fn tips(cell: &Cell, posture: &[f64]) -> Vec<[f64; 3]> {
    let placed = cell.place(posture);
    let tip = |robot: &InCell| {
        let tool = robot.tool?;
        Some((placed.world_from_link(tool.on) * tool.link_from_tcp).translation().to_array())
    };
    cell.robots().iter().filter_map(tip).collect()
}

fn bodies(scene: &Scene, found: &CellGap) -> [u32; 2] {
    scene.bodies(found.pair).map(|body| body.0)
}

fn points(found: &CellGap) -> [[f64; 3]; 2] {
    found.points.map(|point| point.to_array())
}

/// Triangles in lists, one for each piece that has some: its number, then theirs.
fn by_piece(touched: Vec<Touched>) -> Vec<(u32, Vec<u32>)> {
    let mut lists: Vec<(u32, Vec<u32>)> = Vec::new();
    for Touched { piece, triangle } in touched {
        match lists.last_mut() {
            Some((last, list)) if *last == piece => list.push(triangle),
            _ => lists.push((piece, vec![triangle])),
        }
    }
    lists
}
