//! The map of a job as the page takes it.

use crate::api::MapHeader;
use crate::pack::Pack;
use kansho::ask::path_edit::Task;
use kansho::io::plan_files::MapColours;

/// A colour for each point and rotation, all tilts together; and the path.
pub(crate) fn packed(task: &Task) -> Vec<u8> {
    let map = task.map();
    let colours = MapColours::of(map);
    let mut pack = Pack::default();
    let rotations = map.rotations_deg.len();
    let cells = (0..map.points()).flat_map(|point| {
        let colour = |rotation| colours.colour(map.best(point, rotation).1);
        (0..rotations).map(colour).map(|colour| i8::from_le_bytes([colour])).collect::<Vec<_>>()
    });
    let cells = pack.small(cells);
    let path = pack.doubles(task.path().iter().map(|row| row.rotation_deg));
    let postures = pack.doubles(task.path().iter().flat_map(|row| row.posture.iter().copied()));
    let axis = task.axis();
    pack.with_header(&MapHeader {
        points: map.points(),
        rotations: map.rotations_deg.clone(),
        tilts: axis.tilts(),
        step: axis.step().to_degrees(),
        wraps: axis.wraps(),
        palette: colours.palette.clone(),
        legend: colours.legend.clone(),
        strokes: task.strokes().to_vec(),
        cells,
        path,
        postures,
        lin: task.is_lin(),
        fixed: task.fixed().map(str::to_owned),
    })
}
