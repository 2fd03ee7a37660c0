//! Which file a mesh name means.

use crate::mesh::MeshFormat;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Where the meshes of one URDF are looked for.
pub(super) struct Packages {
    /// The folder of the URDF.
    home: PathBuf,
    /// The folders above it, from the nearest, itself first.
    above: Vec<PathBuf>,
    /// Folders that the user named.
    given: Vec<PathBuf>,
}

impl Packages {
    pub(super) fn of(urdf: &Path, given: &[PathBuf]) -> Self {
        let absolute = std::path::absolute(urdf).unwrap_or_else(|_| urdf.to_owned());
        let home = absolute.parent().unwrap_or(Path::new("/"));
        let home = without_dots(home).unwrap_or_else(|| home.to_owned());
        // Not the root of the file system, below which every folder would look like a package.
        let above = home.ancestors().filter(|folder| folder.parent().is_some()).map(Path::to_owned).collect();
        let given = given
            .iter()
            .map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.clone()))
            .map(|folder| without_dots(&folder).unwrap_or(folder))
            .collect();
        Self { home, above, given }
    }

    /// The package that a mesh name is in, if it names one.
    pub(super) fn package(name: &str) -> Option<&str> {
        let name = name.trim();
        let rest = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://"))?;
        Some(rest.split_once('/').map_or(rest, |(package, _)| package))
    }

    /// Whether a fault of [`Packages::find`] is that a package was not found.
    pub(super) fn is_missing(package: &str, what: &str) -> bool {
        what.contains(&format!("no package \"{package}\" was found"))
    }

    /// The file that a mesh name means, or why there is none.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, String> {
        let name = name.trim();
        if MeshFormat::of_extension(Path::new(name)).is_none() {
            return Err(format!(
                "\"{name}\" names no mesh file; .stl, .obj, .ply, .off, .gltf, .glb and .dae are"
            ));
        }
        if let Some(rest) = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://")) {
            return self.in_package(name, rest);
        }
        if let Some((scheme, _)) = name.split_once("://").filter(|(scheme, _)| *scheme != "file") {
            return Err(format!("\"{name}\": \"{scheme}://\" is not understood; package:// and file:// are"));
        }
        let path = self.home.join(name.strip_prefix("file://").unwrap_or(name));
        let path = without_dots(&path)
            .ok_or_else(|| format!("\"{name}\" leads above the root of the file system"))?;
        if !self.may_read(&path) {
            return Err(format!(
                "\"{name}\" lies outside the folders of this robot and is not read; name its folder with ⟦packages⟧ if that is meant"
            ));
        }
        if path.is_file() {
            Ok(path)
        } else {
            Err(format!("\"{name}\": there is no file {}", path.display()))
        }
    }

    /// `package://NAME/rest`: in the given folders, then from the folder of the URDF upward.
    fn in_package(&self, name: &str, rest: &str) -> Result<PathBuf, String> {
        let (package, file) = rest.split_once('/').unwrap_or((rest, ""));
        let inside = |path: &str| {
            Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        if package.is_empty() || file.is_empty() || !inside(package) || !inside(file) {
            return Err(format!("\"{name}\" names no file inside a package and is not read"));
        }
        let folders = self.given.iter().chain(&self.above);
        let candidates = folders.flat_map(|folder| {
            let below = folder.join(package);
            let itself = is_package(folder, package).then(|| folder.clone());
            [Some(below), itself].into_iter().flatten()
        });
        let mut looked_in = Vec::new();
        for folder in candidates {
            let path = folder.join(file);
            if path.is_file() {
                return Ok(path);
            }
            if folder.is_dir() {
                looked_in.push(folder.display().to_string());
            }
        }
        Err(match looked_in.as_slice() {
            [] => format!(
                "\"{name}\": no package \"{package}\" was found; name the folder that holds it with ⟦packages⟧"
            ),
            some => format!("\"{name}\": there is no such file in {}", some.join(" or ")),
        })
    }

    /// Whether a file lies below the folder that holds the URDF's folder, below its package, or below a given folder.
    fn may_read(&self, path: &Path) -> bool {
        let package = self.above.iter().find(|folder| folder.join("package.xml").is_file());
        let near = self.above.iter().take(2);
        near.chain(package).chain(&self.given).any(|folder| path.starts_with(folder))
    }
}

/// A path without `.` and `..`; nothing if it leads above the root.
fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            _ => plain.push(part),
        }
    }
    Some(plain)
}

/// Whether a folder is the package of this name: it bears the name, or its `package.xml` does.
fn is_package(folder: &Path, name: &str) -> bool {
    let Ok(text) = std::fs::read_to_string(folder.join("package.xml")) else {
        return folder.file_name() == Some(OsStr::new(name));
    };
    let named = text.split_once("<name>").and_then(|(_, rest)| rest.split_once("</name>"));
    named.is_some_and(|(named, _)| named.trim() == name)
}
