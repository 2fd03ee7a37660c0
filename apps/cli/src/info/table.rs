use super::{Facts, bounds_json, count, extent_text};
use kansho::geom::Pose;
use kansho::geom::bounds::Aabb;
use kansho::io::{ReadError, poses};
use serde_json::json;
use std::path::Path;

pub(super) fn facts(path: &Path, metres_per_unit: Option<f64>) -> Result<Facts, Vec<ReadError>> {
    let poses = poses::read(path, metres_per_unit).map_err(|error| vec![error])?;
    let aabb = Aabb::of_points(poses.iter().map(Pose::translation)).expect("a file of poses has some");
    Ok(Facts {
        title: count(poses.len(), "pose"),
        lines: vec![("places", extent_text(&aabb))],
        json: json!({ "kind": "poses", "poses": poses.len(), "bounds": bounds_json(&aabb) }),
        warnings: Vec::new(),
    })
}
