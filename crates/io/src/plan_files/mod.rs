//! Files of plans: the map as a table and a picture, the path, its times, free intervals, and places.

mod earlier;
mod intervals;
mod letters;
mod picture;
mod placements;
mod table;
mod trajectory;

pub use earlier::{is_plan_table, write_plan};
pub use intervals::intervals_csv;
pub use picture::MapColours;
pub use placements::{placements_csv, placements_png, read_placements};
pub use table::{MapTable, PathRow, TableCell, read_map, read_path};
pub use trajectory::{rows as trajectory_rows, trajectory_csv, trajectory_json};

use kansho_cell::Cell;
use kansho_cell::route::{Move, MoveKind};
use kansho_cell::work::WorkPath;
use kansho_check::scene::PairId;
use kansho_geom::glam::DQuat;
use kansho_plan::cam::{FeasibleMap, PlannedPath, State};
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A map and what is said of it.
pub struct Plotted<'a> {
    /// The map.
    pub map: &'a FeasibleMap,
    /// Its rotations, in degrees.
    pub rotations_deg: Vec<f64>,
    /// Point and stance of a path through it.
    pub path: Vec<(usize, usize)>,
    /// Of some points, how deep every stance is: a bound below and one above, in metres.
    pub depths: &'a BTreeMap<usize, Vec<Option<[f64; 2]>>>,
    /// What a pair is called.
    pub pair_name: &'a (dyn Fn(PairId) -> String + Sync),
}

/// The map as a picture (PNG): points across, rotation up, colours by reason, with a legend.
#[must_use]
pub fn map_png(plotted: &Plotted<'_>) -> Vec<u8> {
    picture::draw(plotted)
}

/// Points whose rows are made before they are put together.
const ROWS_TOGETHER: usize = 512;

/// The map as a table (CSV), a row for each point and stance. Where rotations are tilted, `tilt` is the number of the way of tilting.
#[must_use]
pub fn map_csv(plotted: &Plotted<'_>) -> Vec<u8> {
    let map = plotted.map;
    let rotations = plotted.rotations_deg.len();
    let rows = |point: usize| {
        let mut text = String::with_capacity(48 * map.stances());
        let mut last: Option<(PairId, String)> = None;
        for (stance, cell) in map.point(point).iter().enumerate() {
            let _ =
                write!(text, "{point},{},{},", plotted.rotations_deg[stance % rotations], cell.state.word());
            if let Some(branch) = cell.branch() {
                let _ = write!(text, "{branch}");
            }
            text.push(',');
            if let Some(pair) = cell.pair() {
                if last.as_ref().is_none_or(|(known, _)| *known != pair) {
                    last = Some((pair, (plotted.pair_name)(pair)));
                }
                text.push_str(last.as_ref().map_or("", |(_, name)| name));
            }
            text.push(',');
            // A bound below what is between bodies, either way.
            let depth = || Some(-plotted.depths.get(&point)?[stance]?[1]);
            if let Some(clearance) = cell.clearance().or_else(depth) {
                let _ = write!(text, "{clearance}");
            }
            text.push(',');
            if cell.state == State::Free {
                let mut is_first = true;
                for branch in cell.free_branches() {
                    let _ = write!(text, "{}{branch}", if is_first { "" } else { " " });
                    is_first = false;
                }
            }
            let _ = writeln!(text, ",{}", stance / rotations);
        }
        text
    };
    let mut table = b"point,rotation_deg,state,branch,pair,clearance,free_branches,tilt\n".to_vec();
    // Some points at a time, so that long tables are there only once.
    for first in (0..map.points()).step_by(ROWS_TOGETHER) {
        let last = map.points().min(first + ROWS_TOGETHER);
        let chunks: Vec<String> = (first..last).into_par_iter().map(rows).collect();
        chunks.iter().for_each(|chunk| table.extend_from_slice(chunk.as_bytes()));
    }
    table
}

/// The path as a table (CSV): a row for each point, with the posture in radians and metres.
#[must_use]
pub fn path_csv(cell: &Cell, work: &WorkPath, rotations_deg: &[f64], path: &PlannedPath) -> Vec<u8> {
    let names: Vec<String> = cell.coordinates().iter().map(|coordinate| coordinate.full_name()).collect();
    let mut text = format!("stroke,point,line,rotation_deg,tilt,branch,{}\n", names.join(","));
    let lines: Vec<u32> = work.points().map(|point| point.line).collect();
    for (number, stroke) in path.strokes.iter().enumerate() {
        for (k, posture) in stroke.postures.iter().enumerate() {
            let (point, stance) = (stroke.first + k, stroke.stances[k]);
            let (rotation, tilt) =
                (rotations_deg[stance % rotations_deg.len()], stance / rotations_deg.len());
            let _ =
                write!(text, "{number},{point},{},{rotation},{tilt},{}", lines[point], stroke.branches[k]);
            posture.iter().for_each(|value| {
                let _ = write!(text, ",{value}");
            });
            text.push('\n');
        }
    }
    text.into_bytes()
}

/// A motion as waypoints (CSV) that `kansho check` takes.
#[must_use]
pub fn waypoints_csv(cell: &Cell, postures: &[Vec<f64>]) -> Vec<u8> {
    let names: Vec<String> = cell.coordinates().iter().map(|coordinate| coordinate.full_name()).collect();
    let mut text = names.join(",") + "\n";
    for posture in postures {
        let numbers: Vec<String> = posture.iter().map(f64::to_string).collect();
        text += &(numbers.join(",") + "\n");
    }
    text.into_bytes()
}

/// Moves of joints and lines of a tool (JSON) that `kansho check` takes.
///
/// # Panics
/// If there are moves of another kind.
#[must_use]
pub fn moves_json(start: &[f64], moves: &[Move]) -> Vec<u8> {
    let mut lines = vec![json!({ "ptp": start })];
    lines.extend(moves.iter().map(|one| {
        let mut entry = match &one.kind {
            MoveKind::Joints(to) => json!({ "ptp": to }),
            MoveKind::Line(to) => {
                let quat = DQuat::from_mat3(&to.rotation()).normalize();
                let [x, y, z] = to.translation().to_array();
                json!({ "lin": { "xyz": [x, y, z], "quat": [quat.w, quat.x, quat.y, quat.z] } })
            }
            MoveKind::Arc { .. } | MoveKind::Spline(_) => unreachable!("plans have lines only"),
        };
        if one.zone > 0.0 {
            entry["zone"] = json!(one.zone);
        }
        entry
    }));
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    format!("[\n{}\n]\n", lines.join(",\n")).into_bytes()
}
