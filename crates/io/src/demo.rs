//! The built-in cell and its job as files.

use crate::cell;
use crate::fault::WriteError;
use crate::plan_files::waypoints_csv;
use crate::write::whole_file;
use kansho_cell::builtin;
use std::path::Path;

/// Writes the cell, the job, the path, and some postures into a folder: every so many points of the path, and rotations that many degrees
/// apart.
///
/// # Errors
/// A file that cannot be written.
pub fn write(folder: &Path, [points, degrees]: [u16; 2]) -> Result<(), WriteError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| WriteError { path: folder.to_owned(), what: error.to_string() })?;
    cell::write(folder, &builtin::cell())?;
    write_postures(folder)?;
    write_shortcut(folder)?;
    let mut path = "x,y,z,i,j,k\n".to_owned();
    for point in builtin::path(builtin::POINTS).iter().step_by(usize::from(points)) {
        let (p, d) = (point.tcp_in_sheet, point.direction_in_sheet);
        path += &format!("{},{},{},{},{},{}\n", p.x, p.y, p.z, d.x, d.y, d.z);
    }
    whole_file(&folder.join("path.csv"), path.as_bytes())?;
    let job = format!(
        "#:schema job.schema.json\n\
         # From a work path to a robot path: `kansho plan job.toml --out plan`. `kansho schema job` describes every key.\n\
         format = 1\ncell = \"cell.toml\"\n\
         [path]\nfile = \"path.csv\"\nframe = \"sheet\"\nclosed = true\n\
         [tool_axis]\nrotation_deg = {{ from = 0, to = {}, step = {degrees} }}\nzero = {{ toward = [1, 0, 0], in = \"arm\" }}\n\
         [motion]\nkind = \"ptp\"\n",
        360 - degrees
    );
    let schema = format!("{:#}\n", crate::job::schema());
    whole_file(&folder.join("job.schema.json"), schema.as_bytes())?;
    whole_file(&folder.join("job.toml"), job.as_bytes())
}

/// Home, and two postures that are not free.
fn write_postures(folder: &Path) -> Result<(), WriteError> {
    let cell = builtin::cell();
    let header: Vec<String> = cell.coordinates().iter().map(|coordinate| coordinate.joint.clone()).collect();
    let touching = [[0.0f64, 20.0, 10.0, 0.0, 60.0, 180.0], [120.0, 90.0, 20.0, 0.0, 0.0, 0.0]];
    let rows = [builtin::home()].into_iter().chain(touching.map(|row| row.map(f64::to_radians).to_vec()));
    let mut text = header.join(",") + "\n";
    for row in rows {
        let numbers: Vec<String> = row.iter().map(f64::to_string).collect();
        text += &(numbers.join(",") + "\n");
    }
    whole_file(&folder.join("postures.csv"), text.as_bytes())
}

/// A motion across the work that somebody might have taught in a hurry: it touches on the way.
fn write_shortcut(folder: &Path) -> Result<(), WriteError> {
    let dip = [0.0f64, 20.0, 10.0, 0.0, 60.0, 180.0].map(f64::to_radians).to_vec();
    let table = waypoints_csv(&builtin::cell(), &[builtin::home(), dip, builtin::home()]);
    whole_file(&folder.join("motion_shortcut.csv"), &table)
}
