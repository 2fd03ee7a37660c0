use super::format::MeshFormat;
use super::raw::{RawMesh, UpAxis};
use super::{collada, gltf, obj, off, ply, stl};
use crate::fault::{Fault, ReadError};
use crate::load::{beside, bytes_of};
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::{self, Audit, MeshFault, Removed, Tally, Welded};
use kansho_geom::tolerance;
use std::path::Path;

/// Largest extent, in metres, at which a file without units passes without the question whether it is in millimetres.
///
/// Robot cells measure some metres, halls some tens; a part of 20 mm and more, taken for metres, is larger.
const LARGE_FOR_METRES: f64 = 20.0;

/// Extents, in metres, at which a mesh whose unit was given passes without a question: bodies below half a millimetre or beyond 200 m were given in
/// another unit.
const LIKELY: std::ops::RangeInclusive<f64> = 5e-4..=200.0;

/// What turns a mesh, where the caller can say so.
pub(crate) const UP_HELP: &str =
    "up = \"z\" beside the mesh in the cell or the script, or ⟦z-up⟧, turns it so that Z is up";

/// Why a mesh is not turned.
pub(crate) const NO_UP_AXIS: &str = "this format names no axis that is up, so nothing is turned";

/// How to read a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshOptions {
    /// Metres in one unit of the file (0.001 for mm), overriding what the file says. By default what the file says, and
    /// metres if it says nothing.
    pub metres_per_unit: Option<f64>,
    /// What to do with files whose up axis is not Z.
    pub up: Up,
    /// A scale for each axis, after units and up axis. A mirroring one turns the triangles round, so that they face
    /// outward still.
    pub scale: DVec3,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self { metres_per_unit: None, up: Up::default(), scale: DVec3::ONE }
    }
}

/// What to do with files whose up axis is not Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// Turn them so that Z is up (X stays, Y-up becomes Z-up).
    TurnToZ,
    /// Leave the coordinates as they are, as ROS does with the meshes of a URDF: the same file is in the same place wherever it is named.
    #[default]
    AsInFile,
}

/// A mesh from a file and what is to be said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedMesh {
    /// The mesh, in metres.
    pub mesh: Mesh,
    /// The format that was found.
    pub format: MeshFormat,
    /// Triangles in the file, after cutting polygons and repeating instances, before removing any.
    pub triangles_in_file: usize,
    /// Triangles that are no part of the mesh, by number in the file from 0.
    pub removed: Removed,
    /// Metres in one unit of the file, as used.
    pub metres_per_unit: f64,
    /// The up axis that the file names, if it does.
    pub up_in_file: Option<UpAxis>,
    /// The state of the surface.
    pub audit: Audit,
    /// Oddities of a usable file.
    pub warnings: Vec<Fault>,
}

/// Reads a file beside the one that is being read, by relative name.
pub(super) type Beside<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// Reads a mesh file, or standard input if the path is `-`.
///
/// # Errors
/// Everything that is wrong with it. What is merely odd becomes a warning.
pub fn read(path: &Path, options: &MeshOptions) -> Result<LoadedMesh, ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    parse(&bytes, path, options, &|name| beside(folder, name)).map_err(fail)
}

/// Reads a mesh from memory. `path` names it: its extension helps to tell the format; nothing is read from it.
/// `beside` reads files that the mesh refers to (buffers of a glTF).
///
/// # Errors
/// As [`read`].
pub fn parse(
    bytes: &[u8],
    path: &Path,
    options: &MeshOptions,
    beside: &Beside,
) -> Result<LoadedMesh, Vec<Fault>> {
    let format = MeshFormat::of_content(bytes, path).map_err(|fault| vec![fault])?;
    let raw = match format {
        MeshFormat::Stl => stl::read(bytes),
        MeshFormat::Obj => obj::read(bytes),
        MeshFormat::Ply => ply::read(bytes),
        MeshFormat::Off => off::read(bytes),
        MeshFormat::Gltf => gltf::read(bytes, beside),
        MeshFormat::Collada => collada::read(bytes),
    };
    raw.and_then(|raw| admit(raw, format, options)).map_err(|faults| {
        let other = MeshFormat::looks_like(bytes).filter(|other| *other != format);
        let hint = other.map(|other| {
            Fault::of_file(format!("this looks like {other}, but its name says {format}"))
                .with_help("give the file the extension of its format")
        });
        hint.into_iter().chain(faults).collect()
    })
}

/// A mesh from points and triangles of another program, in metres: with the same checks as those from files.
///
/// # Errors
/// As [`read`].
pub fn of_triangles(
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
) -> Result<(Mesh, Audit, Vec<Fault>), Vec<Fault>> {
    let mut raw = RawMesh::default();
    (raw.soup.points, raw.soup.triangles) = (points, triangles);
    // What it came in does not matter for what is done with it.
    let options = MeshOptions { metres_per_unit: Some(1.0), ..MeshOptions::default() };
    let LoadedMesh { mesh, audit, warnings, .. } = admit(raw, MeshFormat::Ply, &options)?;
    Ok((mesh, audit, warnings))
}

/// From what the file holds to a mesh that everyone can rely on.
fn admit(raw: RawMesh, format: MeshFormat, options: &MeshOptions) -> Result<LoadedMesh, Vec<Fault>> {
    let RawMesh { mut soup, metres_per_unit: unit_in_file, up, mut warnings } = raw;
    let metres_per_unit = options.metres_per_unit.or(unit_in_file).unwrap_or(1.0);
    let turned = if options.up == Up::TurnToZ { up.unwrap_or(UpAxis::Z) } else { UpAxis::Z };
    if up.is_none() && options.up == Up::TurnToZ {
        warnings.push(Fault::of_file(NO_UP_AXIS));
    }
    // Who asks for a turn knows of it; that nothing is turned is told.
    if let (Some(axis @ (UpAxis::X | UpAxis::Y)), Up::AsInFile) = (up, options.up) {
        let what = format!("the file says that {axis:?} is up: its coordinates are used as they stand");
        warnings.push(Fault::of_file(what).with_help(UP_HELP));
    }
    for p in &mut soup.points {
        let up = match turned {
            UpAxis::X => DVec3::new(-p.y, -p.z, p.x), // COLLADA: right is -Y, toward the viewer +Z.
            UpAxis::Y => DVec3::new(p.x, -p.z, p.y),
            UpAxis::Z => *p,
        };
        *p = up * metres_per_unit * options.scale;
    }
    if options.scale.x * options.scale.y * options.scale.z < 0.0 {
        soup.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    let triangles_in_file = soup.triangles.len();
    let welded = match mesh::weld(&soup.points, &soup.triangles, 0.0) {
        Ok(welded) => welded,
        // What was odd may be why nothing is left.
        Err(fault) => return Err(std::iter::once(worded(&fault)).chain(warnings).collect()),
    };
    drop(soup);
    let Welded { mesh, source, removed } = without_cracks(welded, &mut warnings);
    let oriented = mesh::orient(mesh);
    let mesh = oriented.mesh;
    let audit = mesh::audit(&mesh);
    warnings.extend(removed_warnings(&removed));
    if let Some(&first) = oriented.disagreeing.first() {
        warnings.push(Fault::of_part(
            triangle(source[first as usize]),
            format!(
                "winding is inconsistent: turned round to face like their neighbours: {}",
                count(oriented.disagreeing.len(), "triangle")
            ),
        ));
    }
    if oriented.inside_out > 0 {
        warnings.push(Fault::of_file(format!(
            "the surface is inside out (its volume is negative): turned round to face outward: {}",
            count(oriented.inside_out, "closed piece")
        )));
    }
    if oriented.one_sided {
        warnings
            .push(Fault::of_file("part of the surface is one-sided like a Möbius strip: it has no inside"));
    }
    warnings.extend(audit_warnings(&audit, &source));
    let extent = mesh.aabb().extent().max_element();
    if unit_in_file.is_none() && options.metres_per_unit.is_none() && extent > LARGE_FOR_METRES {
        warnings.push(
            Fault::of_file(format!("the mesh measures {extent:.1} m: perhaps the file is in millimetres"))
                .with_help("say so with units (⟦units=mm⟧); metres are assumed"),
        );
    }
    if options.metres_per_unit.is_some() && !LIKELY.contains(&extent) {
        warnings.push(
            Fault::of_file(format!("the mesh measures {extent:.3e} m in these units: is that so?"))
                .with_help("units of the file are mm, m, inches, ...: they are taken at your word"),
        );
    }
    Ok(LoadedMesh {
        mesh,
        format,
        triangles_in_file,
        removed,
        metres_per_unit,
        up_in_file: up,
        audit,
        warnings,
    })
}

/// Closes cracks that only rounding has left, and says so.
fn without_cracks(welded: Welded, warnings: &mut Vec<Fault>) -> Welded {
    let within = tolerance::CRACK * welded.mesh.aabb().diagonal();
    let Some(closed) = mesh::close_cracks(&welded.mesh, within) else { return welded };
    warnings.push(Fault::of_file(format!(
        "{} joined to others less than {within:.1e} m away, and so {} closed",
        count(closed.joined, "vertex"),
        count(closed.closed_edges, "open edge"),
    )));
    let Welded { source: before, mut removed, .. } = welded;
    let given = |index: u32| before[index as usize];
    let Welded { mesh, source, removed: more } = closed.welded;
    removed.collapsed.extend(more.collapsed.into_iter().map(given));
    removed.repeated.extend(more.repeated.into_iter().map(|pair| pair.map(given)));
    removed.bare.extend(more.bare.into_iter().map(given));
    Welded { mesh, source: source.into_iter().map(given).collect(), removed }
}

fn worded(fault: &MeshFault) -> Fault {
    match fault {
        MeshFault::NotFinite { vertex, .. } => {
            Fault::of_part(format!("vertex {}", vertex + 1), "a coordinate is not a finite number")
        }
        MeshFault::TooFar { vertex, point } => Fault::of_part(
            format!("vertex {}", vertex + 1),
            format!("lies at {point}, beyond the limit of {:e} m", tolerance::COORDINATE_LIMIT),
        ),
        MeshFault::Empty => Fault::of_file("there are no triangles in this file"),
        MeshFault::NoArea { triangles, extent } => Fault::of_file(format!(
            "all {triangles} triangles are degenerate: none has any area"
        ))
        .with_help(format!(
            "their corners span {extent} m; single precision far from the origin collapses small parts"
        )),
        MeshFault::NoSuchVertex { .. } | MeshFault::TooMany(_) => Fault::of_file(fault.to_string()),
    }
}

fn removed_warnings(removed: &Removed) -> impl Iterator<Item = Fault> {
    let kinds = [
        (removed.collapsed.len(), removed.collapsed.first().copied(), "degenerate: two corners coincide"),
        (
            removed.bare.len(),
            removed.bare.first().copied(),
            "degenerate: three corners on a line, no neighbour with area",
        ),
    ];
    let degenerate = kinds.into_iter().filter_map(|(n, first, why)| {
        let first = first?;
        Some(Fault::of_part(triangle(first), format!("{} removed ({why})", count(n, "triangle"))))
    });
    let repeated = removed.repeated.first().map(|&[again, earlier]| {
        Fault::of_part(
            triangle(again),
            format!(
                "{} removed (duplicate: the first equals {})",
                count(removed.repeated.len(), "triangle"),
                triangle(earlier)
            ),
        )
    });
    degenerate.chain(repeated).collect::<Vec<_>>().into_iter()
}

fn audit_warnings(audit: &Audit, source: &[u32]) -> Vec<Fault> {
    let mut warnings = Vec::new();
    let mut at_edge = |tally: &Tally<[DVec3; 2]>, what: &str| {
        if let Some([from, to]) = tally.first {
            let many = count(tally.count, "edge");
            warnings.push(Fault::of_part(
                format!("edge {} to {}", point(from), point(to)),
                format!("{what}: {many}"),
            ));
        }
    };
    at_edge(&audit.open_edges, "not watertight, the surface is open along");
    at_edge(&audit.crowded_edges, "not manifold, more than two triangles meet at");
    at_edge(&audit.disputed_edges, "neighbours disagree about the outside at");
    if let Some(first) = audit.flat_triangles.first {
        let many = count(audit.flat_triangles.count, "triangle");
        warnings.push(Fault::of_part(
            triangle(source[first]),
            format!("{many} without area kept (degenerate, but they join their neighbours)"),
        ));
    }
    if let Some(first) = audit.two_sided.first {
        let many = count(audit.two_sided.count, "triangle");
        warnings.push(Fault::of_part(
            triangle(source[first]),
            format!("two-sided: {many} stand back to back, with nothing between them"),
        ));
    }
    match audit.t_junctions {
        Some(Tally { count: n, first: Some(first) }) => warnings.push(Fault::of_part(
            format!("vertex {}", point(first)),
            format!("T-junction: {} inside an edge that does not end there", count(n, "vertex")),
        )),
        Some(_) => {}
        None => warnings.push(Fault::of_file("too many open edges to search for T-junctions")),
    }
    warnings
}

/// A point for messages: as many digits as single precision has.
fn point(p: DVec3) -> String {
    let [x, y, z] = p.to_array().map(|x| x as f32);
    format!("({x}, {y}, {z})")
}

fn triangle(index: u32) -> String {
    format!("triangle {}", u64::from(index) + 1)
}

fn count(n: usize, noun: &str) -> String {
    match noun {
        _ if n == 1 => format!("1 {noun}"),
        "vertex" => format!("{n} vertices"),
        _ => format!("{n} {noun}s"),
    }
}
