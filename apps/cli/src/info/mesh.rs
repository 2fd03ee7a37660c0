use super::{Facts, bounds_json, count, extent_text, short};
use kansho::geom::Polyhedron;
use kansho::geom::polyhedron::{Bend, MergeOptions};
use kansho::io::mesh::{self, LoadedMesh, MeshOptions, UpAxis};
use kansho::io::{ReadError, Warning};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Triangles up to which faces are merged without being asked: more is a scan, whose faces nobody counts.
const MERGE_UP_TO: usize = 300_000;

/// Nothing if the mesh has too many triangles.
type Body = Option<Polyhedron>;

pub(super) fn facts(path: &Path, options: &MeshOptions) -> Result<Facts, Vec<ReadError>> {
    let loaded = mesh::read(path, options).map_err(|error| vec![error])?;
    let few = loaded.mesh.triangles().len() <= MERGE_UP_TO;
    let body = few.then(|| Polyhedron::from_mesh(&loaded.mesh, &MergeOptions::default()));
    let warnings =
        loaded.warnings.iter().map(|fault| Warning { path: path.to_owned(), fault: fault.clone() }).collect();
    let (title, lines) = text(&loaded, &body);
    Ok(Facts { title, lines, json: json(&loaded, &body), warnings })
}

fn json(loaded: &LoadedMesh, body: &Body) -> Value {
    let (mesh, audit) = (&loaded.mesh, &loaded.audit);
    let merged = body.as_ref();
    let bends = |body: &Polyhedron| -> Map<String, Value> {
        BENDS.iter().map(|&(bend, name)| (name.to_owned(), json!(bent(body, bend)))).collect()
    };
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
        "corners": merged.map(|body| body.vertices().len()),
        "holes": merged.map(holes),
        "bends": merged.map(bends),
        "faces_unknown": merged.is_none().then(too_many),
        "unclear_edges": merged.map(|body| body.unclear_edges().len()),
    })
}

fn text(loaded: &LoadedMesh, body: &Body) -> (String, Vec<(&'static str, String)>) {
    let audit = &loaded.audit;
    let closed = match (audit.is_watertight(), audit.volume) {
        (_, Some(volume)) => format!("closed, volume {} m³", short(volume)),
        (true, None) => "closed, but neighbours disagree about the outside".into(),
        (false, None) => "open".into(),
    };
    let shape = match body {
        Some(body) => shape_text(body),
        None => format!("not merged to faces: {}", too_many()),
    };
    let mut lines = vec![
        ("size", extent_text(&loaded.mesh.aabb())),
        ("surface", format!("{closed}, area {} m², {}", short(audit.area), count(audit.pieces, "piece"))),
        ("shape", shape),
    ];
    if let Some(up) = loaded.up_in_file.filter(|up| *up != UpAxis::Z) {
        lines.push(("axes", format!("{} is up in the file", up_name(up))));
    }
    let removed = match loaded.removed.count() {
        0 => String::new(),
        removed => format!(" ({removed} removed)"),
    };
    let triangles = count(loaded.triangles_in_file, "triangle");
    let title =
        format!("{} mesh, {triangles}{removed}, {} vertices", loaded.format, loaded.mesh.vertices().len());
    (title, lines)
}

fn up_name(up: UpAxis) -> &'static str {
    match up {
        UpAxis::X => "X",
        UpAxis::Y => "Y",
        UpAxis::Z => "Z",
    }
}

/// How edges bend.
const BENDS: [(Bend, &str); 4] =
    [(Bend::Convex, "convex"), (Bend::Concave, "concave"), (Bend::Flat, "flat"), (Bend::Border, "border")];

fn bent(body: &Polyhedron, bend: Bend) -> usize {
    body.edges().iter().filter(|edge| edge.bend == bend).count()
}

fn holes(body: &Polyhedron) -> usize {
    body.faces().iter().map(|face| face.loops.len() - 1).sum()
}

/// Why faces are not known.
fn too_many() -> String {
    format!("more than {MERGE_UP_TO} triangles")
}

fn shape_text(body: &Polyhedron) -> String {
    let edges: Vec<String> = BENDS
        .iter()
        .map(|&(bend, name)| (bent(body, bend), name))
        .filter(|(n, _)| *n > 0)
        .map(|(n, name)| format!("{n} {name}"))
        .collect();
    let holes = holes(body);
    let holes = if holes > 0 { format!(" with {}", count(holes, "hole")) } else { String::new() };
    format!(
        "{}{holes}, {} ({}), {} corners",
        count(body.faces().len(), "face"),
        count(body.edges().len(), "edge"),
        edges.join(", "),
        body.vertices().len()
    )
}
