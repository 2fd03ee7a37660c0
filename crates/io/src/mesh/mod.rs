//! Meshes from files, and back.

mod collada;
mod format;
mod gltf;
mod load;
mod obj;
mod off;
mod ply;
mod raw;
mod stl;

pub use format::MeshFormat;
pub(crate) use load::UP_HELP;
pub use load::{LoadedMesh, MeshOptions, Up, of_triangles, parse, read};
pub use raw::UpAxis;

use crate::fault::{Fault, WriteError};
use crate::write::whole_file;
use kansho_geom::mesh::{self, Mesh};
use std::path::Path;

/// Writes a mesh in the format that the path's extension names, whole or not at all.
///
/// STL and GLB hold single precision: coordinates are rounded (in GLB relative to the middle of the mesh). What is
/// written is read again before it gets its name; the answer says what rounding has cost.
///
/// # Errors
/// An extension that names no format we write, a mesh that rounding destroys, or a file that cannot be written.
pub fn write(path: &Path, mesh: &Mesh) -> Result<Vec<Fault>, WriteError> {
    let (bytes, warnings) = encode(path, mesh, Up::AsInFile)?;
    whole_file(path, &bytes)?;
    Ok(warnings)
}

/// The bytes of a file as [`write()`] writes it, with what rounding costs. The mesh was read with the same `up`: coordinates that were left as
/// in the file are not turned for formats that want another axis up.
///
/// # Errors
/// As [`write()`], but for the file.
pub fn encode(path: &Path, mesh: &Mesh, up: Up) -> Result<(Vec<u8>, Vec<Fault>), WriteError> {
    let fail = |what: String| WriteError { path: path.to_owned(), what };
    let bytes = match MeshFormat::of_extension(path) {
        Some(MeshFormat::Stl) => stl::write(mesh),
        Some(MeshFormat::Obj) => obj::write(mesh),
        Some(MeshFormat::Ply) => ply::write(mesh),
        Some(MeshFormat::Gltf) if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb")) => {
            gltf::write(mesh, up)
        }
        Some(format) => {
            return Err(fail(format!("writing {format} is not supported; .stl, .obj, .ply and .glb are")));
        }
        None => {
            return Err(fail(
                "the extension names no mesh format; .stl, .obj, .ply and .glb are written".into(),
            ));
        }
    };
    let no_files = |name: &str| Err(format!("'{name}' is not looked for"));
    let options = MeshOptions { metres_per_unit: Some(1.0), up, ..MeshOptions::default() };
    let again = parse(&bytes, path, &options, &no_files)
        .map_err(|faults| fail(format!("in this format it would be no mesh: {}", faults[0])))?;
    let mut warnings = Vec::new();
    let lost = mesh.triangles().len() - again.mesh.triangles().len();
    if lost > 0 {
        warnings.push(Fault::of_file(format!(
            "{lost} triangles collapse in the single precision of this format"
        )));
    }
    if mesh::audit(mesh).is_solid() && !again.audit.is_solid() {
        warnings.push(Fault::of_file(
            "the surface is closed, but no longer in the single precision of this format",
        ));
    }
    Ok((bytes, warnings))
}
