//! Tables of numbers.

use super::{BoundsInfo, Found, InfoOfKind, count, extent_text, short};
use kansho_geom::Pose;
use kansho_geom::bounds::Aabb;
use kansho_io::table::{self, TableFacts};
use kansho_io::{ReadError, poses};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// Columns of a pose: twelve numbers, or a place and a quaternion under a header.
const POSE_COLUMNS: [usize; 2] = [12, 7];

/// Columns whose ranges are listed, at most.
const RANGES: usize = 12;

/// Poses.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PosesInfo {
    /// How many.
    pub poses: usize,
    /// The box around their places, in metres.
    pub bounds: BoundsInfo,
}

/// Any other table.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TableInfo {
    /// Rows of numbers.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Their names, if there is a header.
    pub names: Option<Vec<String>>,
    /// The least and the largest number of each column.
    pub ranges: Vec<[f64; 2]>,
}

/// Poses, if it has their columns, else any table: which joints its columns mean only a cell can tell.
pub(super) fn table(path: &Path, metres_per_unit: Option<f64>) -> Result<Found, Vec<ReadError>> {
    let found = table::look_at(path).map_err(|error| vec![error])?;
    if !POSE_COLUMNS.contains(&found.ranges.len()) || (found.ranges.len() == 7 && found.names.is_none()) {
        return Ok(of_table(found));
    }
    let poses = poses::read(path, metres_per_unit).map_err(|error| vec![error])?;
    let aabb = Aabb::of_points(poses.iter().map(Pose::translation)).expect("a file of poses has some");
    let info = PosesInfo { poses: poses.len(), bounds: BoundsInfo::of(&aabb) };
    let found = Found::new("poses", count(poses.len(), "pose"), InfoOfKind::Poses(info));
    Ok(found.line("places", extent_text(&aabb)))
}

fn of_table(table: TableFacts) -> Found {
    let columns = table.ranges.len();
    let range = |(index, [low, high]): (usize, &[f64; 2])| {
        let name = table.names.as_ref().map_or(format!("column {}", index + 1), |names| names[index].clone());
        format!("{name} {} to {}", short(*low), short(*high))
    };
    let ranges: Vec<String> = table.ranges.iter().enumerate().take(RANGES).map(range).collect();
    let more = if columns > RANGES { ", ..." } else { "" };
    let title = format!("table, {} of {}", count(table.rows, "row"), count(columns, "column"));
    let info = TableInfo { rows: table.rows, columns, names: table.names, ranges: table.ranges };
    Found::new("table", title, InfoOfKind::Table(info)).line("ranges", format!("{}{more}", ranges.join(", ")))
}
