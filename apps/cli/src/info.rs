use crate::BAD_INPUT;
use crate::say::{self, DIM, STRONG};
use crate::units::UnitArguments;
use clap::Args;
use kansho::geom::bounds::Aabb;
use kansho::geom::glam::DVec3;
use kansho::geom::polyhedron::{Bend, MergeOptions, NotManifold};
use kansho::geom::{Polyhedron, Pose};
use kansho::io::mesh::{self, LoadedMesh, UpAxis};
use kansho::io::{Fault, ReadError, poses};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Triangles up to which faces are merged without being asked: more is a scan, whose faces nobody counts.
const MERGE_UP_TO: usize = 300_000;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho info bracket.stl\n  kansho info --json --units mm *.stl\n  kansho info poses.csv"
)]
pub(crate) struct Arguments {
    /// Files to look into: meshes (STL, OBJ, PLY, OFF, glTF, GLB, COLLADA) or poses (CSV)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    units: UnitArguments,
}

/// What a file turned out to be.
enum Content {
    Mesh { loaded: Box<LoadedMesh>, body: Option<Result<Polyhedron, NotManifold>> },
    Poses(Vec<Pose>),
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let mut rows = Vec::new();
    let mut bad = false;
    for file in &arguments.files {
        let found = look_into(file, arguments.units);
        if arguments.json {
            rows.push(as_json(file, &found));
        }
        match &found {
            Ok(content) if !arguments.json => {
                say::answer(&as_text(file, content));
                say::warnings(file, warnings(content));
            }
            Ok(_) => {}
            Err(error) => {
                say::read_error(error);
                bad = true;
            }
        }
    }
    if arguments.json {
        say::json_answer(&json!({ "files": rows }));
    }
    if bad { BAD_INPUT } else { 0 }
}

fn look_into(file: &Path, units: UnitArguments) -> Result<Content, ReadError> {
    if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) {
        return poses::read(file, units.metres_per_unit()).map(Content::Poses);
    }
    let loaded = Box::new(mesh::read(file, &units.mesh_options())?);
    let few = loaded.mesh.triangles().len() <= MERGE_UP_TO;
    let body = few.then(|| Polyhedron::from_mesh(&loaded.mesh, &MergeOptions::default()));
    Ok(Content::Mesh { loaded, body })
}

fn warnings(content: &Content) -> &[Fault] {
    match content {
        Content::Mesh { loaded, .. } => &loaded.warnings,
        Content::Poses(_) => &[],
    }
}

fn as_json(file: &Path, found: &Result<Content, ReadError>) -> Value {
    let mut row = json!({
        "file": file.to_string_lossy(), "kind": null, "triangles": null, "removed": null, "watertight": null,
        "links": null, "joints": null, "warnings": [], "errors": [],
    });
    match found {
        Err(error) => row["errors"] = error.faults.iter().map(say::fault_json).collect(),
        Ok(content) => {
            row["warnings"] = warnings(content).iter().map(say::fault_json).collect();
            let facts = match content {
                Content::Mesh { loaded, body } => mesh_json(loaded, body.as_ref()),
                Content::Poses(poses) => json!({
                    "kind": "poses", "poses": poses.len(), "bounds": bounds_json(&bounds_of(poses)),
                }),
            };
            let row = row.as_object_mut().expect("a row is an object");
            row.extend(facts.as_object().expect("facts are an object").clone());
        }
    }
    row
}

fn mesh_json(loaded: &LoadedMesh, body: Option<&Result<Polyhedron, NotManifold>>) -> Value {
    let (mesh, audit) = (&loaded.mesh, &loaded.audit);
    let merged = body.and_then(|body| body.as_ref().ok());
    json!({
        "kind": "mesh",
        "format": loaded.format.to_string(),
        "metres_per_unit": loaded.metres_per_unit,
        "up_axis": loaded.up_in_file.map(up_name),
        "triangles": loaded.triangles_in_file,
        "removed": loaded.removed.count(),
        "vertices": mesh.vertices().len(),
        "watertight": audit.is_watertight(),
        "solid": audit.is_solid(),
        "pieces": audit.pieces,
        "area": audit.area,
        "volume": audit.volume,
        "bounds": bounds_json(&mesh.aabb()),
        "faces": merged.map(|body| body.faces().len()),
        "edges": merged.map(|body| body.edges().len()),
    })
}

fn bounds_json(aabb: &Aabb) -> Value {
    json!({ "min": aabb.min().to_array(), "max": aabb.max().to_array() })
}

fn bounds_of(poses: &[Pose]) -> Aabb {
    Aabb::of_points(poses.iter().map(Pose::translation)).expect("a file of poses has some")
}

fn up_name(up: UpAxis) -> &'static str {
    match up {
        UpAxis::X => "X",
        UpAxis::Y => "Y",
        UpAxis::Z => "Z",
    }
}

fn as_text(file: &Path, content: &Content) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        writeln!(text, "  {DIM}{name:<9}{DIM:#}{value}").expect("writing to a string succeeds");
    };
    let kind = match content {
        Content::Poses(poses) => {
            line("places", extent_text(&bounds_of(poses)));
            count(poses.len(), "pose")
        }
        Content::Mesh { loaded, body } => {
            let audit = &loaded.audit;
            line("size", extent_text(&loaded.mesh.aabb()));
            let closed = match (audit.is_watertight(), audit.volume) {
                (_, Some(volume)) => format!("closed, volume {} m³", short(volume)),
                (true, None) => "closed, but neighbours disagree about the outside".into(),
                (false, None) => "open".into(),
            };
            line(
                "surface",
                format!("{closed}, area {} m², {}", short(audit.area), count(audit.pieces, "piece")),
            );
            match body {
                Some(Ok(body)) => line("shape", shape_text(body)),
                Some(Err(reason)) => line("shape", format!("not merged to faces: {reason}")),
                None => line("shape", format!("not merged to faces: more than {MERGE_UP_TO} triangles")),
            }
            if let Some(up) = loaded.up_in_file.filter(|up| *up != UpAxis::Z) {
                line("axes", format!("{} is up in the file", up_name(up)));
            }
            let triangles = count(loaded.triangles_in_file, "triangle");
            let removed = loaded.removed.count();
            let removed = if removed > 0 { format!(" ({removed} removed)") } else { String::new() };
            format!("{} mesh, {triangles}{removed}, {} vertices", loaded.format, loaded.mesh.vertices().len())
        }
    };
    format!("{STRONG}{}{STRONG:#}: {kind}\n{text}", file.display())
}

fn shape_text(body: &Polyhedron) -> String {
    let bent = |bend: Bend| body.edges().iter().filter(|edge| edge.bend == bend).count();
    let kinds = [
        (Bend::Convex, "convex"),
        (Bend::Concave, "concave"),
        (Bend::Flat, "flat"),
        (Bend::Border, "at the border"),
    ];
    let edges: Vec<String> = kinds
        .iter()
        .map(|&(bend, name)| (bent(bend), name))
        .filter(|(n, _)| *n > 0)
        .map(|(n, name)| format!("{n} {name}"))
        .collect();
    let holes: usize = body.faces().iter().map(|face| face.loops.len() - 1).sum();
    let holes = if holes > 0 { format!(" with {}", count(holes, "hole")) } else { String::new() };
    format!(
        "{}{holes}, {} ({}), {} corners",
        count(body.faces().len(), "face"),
        count(body.edges().len(), "edge"),
        edges.join(", "),
        body.vertices().len()
    )
}

fn extent_text(aabb: &Aabb) -> String {
    let numbers = |v: DVec3, gap: &str| v.to_array().map(short).join(gap);
    format!(
        "{} m, from ({}) to ({})",
        numbers(aabb.extent(), " x "),
        numbers(aabb.min(), ", "),
        numbers(aabb.max(), ", ")
    )
}

/// Six significant digits, without trailing zeros.
fn short(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let digits = (5 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    if number.abs() >= 1e7 || number.abs() < 1e-4 {
        return format!("{number:.5e}");
    }
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
