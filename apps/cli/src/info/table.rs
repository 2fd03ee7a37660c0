use super::{Facts, bounds_json, count, extent_text, short};
use kansho::geom::Pose;
use kansho::geom::bounds::Aabb;
use kansho::io::table::{self, TableFacts};
use kansho::io::{ReadError, poses};
use serde_json::json;
use std::path::Path;

/// Columns of a pose: twelve numbers, or a place and a quaternion under a header.
const POSE_COLUMNS: [usize; 2] = [12, 7];

/// Poses, if it has their columns, else any table: which joints its columns mean only a cell can tell.
pub(super) fn facts(path: &Path, metres_per_unit: Option<f64>) -> Result<Facts, Vec<ReadError>> {
    let found = table::look_at(path).map_err(|error| vec![error])?;
    if !POSE_COLUMNS.contains(&found.ranges.len()) || (found.ranges.len() == 7 && found.names.is_none()) {
        return Ok(of_table(&found));
    }
    let poses = poses::read(path, metres_per_unit).map_err(|error| vec![error])?;
    let aabb = Aabb::of_points(poses.iter().map(Pose::translation)).expect("a file of poses has some");
    Ok(Facts {
        title: count(poses.len(), "pose"),
        lines: vec![("places", extent_text(&aabb))],
        json: json!({ "kind": "poses", "poses": poses.len(), "bounds": bounds_json(&aabb) }),
        warnings: Vec::new(),
    })
}

fn of_table(table: &TableFacts) -> Facts {
    let columns = table.ranges.len();
    let range = |(index, [low, high]): (usize, &[f64; 2])| {
        let name = table.names.as_ref().map_or(format!("column {}", index + 1), |names| names[index].clone());
        format!("{name} {} to {}", short(*low), short(*high))
    };
    let ranges: Vec<String> = table.ranges.iter().enumerate().take(12).map(range).collect();
    let more = if columns > 12 { ", ..." } else { "" };
    Facts {
        title: format!("table, {} of {}", count(table.rows, "row"), count(columns, "column")),
        lines: vec![("ranges", format!("{}{more}", ranges.join(", ")))],
        json: json!({ "kind": "table", "rows": table.rows, "columns": columns, "names": table.names, "ranges": table.ranges }),
        warnings: Vec::new(),
    }
}
