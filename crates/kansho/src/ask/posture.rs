//! What is near or touches in one posture?

use kansho_cell::{Cell, InCell};
use kansho_check::scene::{CellGap, Scene, Touched, Workspace};
use schemars::JsonSchema;
use serde::Serialize;

/// The largest value of a joint that is looked at, in radians or metres.
const LARGEST: f64 = 1e6;

/// Pairs that are listed, at most.
const PAIRS: usize = 24;

/// Pairs that touch and are told with their triangles, at most.
const TOLD: usize = 12;

/// Pairs of triangles of two shapes that are looked at, at most.
const TRIANGLES: usize = 4000;

/// What is near or touches in a posture.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PostureAnswer {
    /// The nearest pairs.
    pub pairs: Vec<PairAt>,
    /// Of those that touch, the triangles.
    pub hits: Vec<HitAt>,
    /// Whether more pairs may touch than those that are listed.
    pub more: bool,
    /// Coordinates outside their limits.
    pub outside: Vec<usize>,
    /// Where the tools are.
    pub tips: Vec<[f64; 3]>,
}

/// A pair of bodies.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PairAt {
    /// Which, by their numbers in the cell.
    pub bodies: [u32; 2],
    /// The gap, in metres.
    pub gap: f64,
    /// Where: a point on each of the two.
    pub points: [[f64; 3]; 2],
}

/// A pair of bodies that touch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HitAt {
    /// Which, by their numbers in the cell.
    pub bodies: [u32; 2],
    /// Where.
    pub points: [[f64; 3]; 2],
    /// For each of the two bodies: pieces and their triangles.
    pub triangles: [Vec<(u32, Vec<u32>)>; 2],
}

/// The nearest pairs, and of those that touch the triangles.
///
/// # Errors
/// The posture has other numbers than the cell.
pub fn posture(scene: &Scene, posture: &[f64], workspace: &mut Workspace) -> Result<PostureAnswer, String> {
    let wanted = scene.cell().coordinates().len();
    if posture.len() != wanted {
        return Err(format!("a posture of this cell has {wanted} numbers, not {}", posture.len()));
    }
    if let Some(bad) = posture.iter().find(|value| !(value.abs() <= LARGEST)) {
        return Err(format!("{bad} is no value of a joint"));
    }
    let nearest = scene.nearest_pairs(posture, PAIRS, workspace);
    let touching: Vec<&CellGap> = nearest.iter().filter(|found| found.gap == 0.0).collect();
    let hit = |found: &&CellGap| HitAt {
        bodies: bodies(scene, found),
        points: points(found),
        triangles: scene.touched(posture, found.pair, TRIANGLES, workspace).map(by_piece),
    };
    // Where all that are listed touch, others may touch as well.
    let more = nearest.len() == PAIRS && touching.len() == PAIRS;
    let hits = touching.iter().take(TOLD).map(hit).collect();
    let pair =
        |found: &CellGap| PairAt { bodies: bodies(scene, found), gap: found.gap, points: points(found) };
    Ok(PostureAnswer {
        pairs: nearest.iter().map(pair).collect(),
        hits,
        more,
        outside: scene.cell().outside_limits(posture).collect(),
        tips: tips(scene.cell(), posture),
    })
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
