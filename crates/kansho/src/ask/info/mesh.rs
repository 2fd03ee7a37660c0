use super::{BoundsInfo, Found, InfoOfKind, count, extent_text, short};
use kansho_geom::Polyhedron;
use kansho_geom::polyhedron::{Bend, MergeOptions};
use kansho_io::mesh::{self, LoadedMesh, MeshOptions, UpAxis};
use kansho_io::{ReadError, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// Triangles up to which faces are merged without being asked: more is a scan, whose faces nobody counts.
const MERGE_UP_TO: usize = 300_000;

/// Nothing if the mesh has too many triangles.
type Body = Option<Polyhedron>;

/// A mesh.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MeshInfo {
    /// Its format.
    pub format: String,
    /// Metres in one unit of the file.
    pub metres_per_unit: f64,
    /// Which axis is up in the file, if it says so.
    pub up_axis: Option<&'static str>,
    /// Corners after welding.
    pub vertices: usize,
    /// Whether it is closed, and neighbours agree about the outside.
    pub solid: bool,
    /// Connected pieces.
    pub pieces: usize,
    /// In square metres.
    pub area: f64,
    /// In cubic metres, if it is a solid.
    pub volume: Option<f64>,
    /// The box around it, in metres.
    pub bounds: BoundsInfo,
    /// Flat faces, once triangles are merged.
    pub faces: Option<usize>,
    /// Straight edges between them.
    pub edges: Option<usize>,
    /// Corners between edges.
    pub corners: Option<usize>,
    /// Holes in faces.
    pub holes: Option<usize>,
    /// How edges bend.
    pub bends: Option<BendCounts>,
    /// Why faces are not known.
    pub faces_unknown: Option<String>,
    /// Edges whose bend is within the noise.
    pub unclear_edges: Option<usize>,
}

/// How many edges bend how.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct BendCounts {
    /// Outward.
    pub convex: usize,
    /// Inward.
    pub concave: usize,
    /// Not at all.
    pub flat: usize,
    /// Edges of one face alone.
    pub border: usize,
}

pub(super) fn mesh(path: &Path, options: &MeshOptions) -> Result<Found, Vec<ReadError>> {
    let loaded = mesh::read(path, options).map_err(|error| vec![error])?;
    let few = loaded.mesh.triangles().len() <= MERGE_UP_TO;
    let body = few.then(|| Polyhedron::from_mesh(&loaded.mesh, &MergeOptions::default()));
    let warnings =
        loaded.warnings.iter().map(|fault| Warning { path: path.to_owned(), fault: fault.clone() }).collect();
    let info = InfoOfKind::Mesh(of(&loaded, &body));
    let found = Found {
        triangles: Some(loaded.triangles_in_file),
        removed: Some(loaded.removed.count()),
        watertight: Some(loaded.audit.is_watertight()),
        warnings,
        ..Found::new("mesh", title(&loaded), info)
    };
    Ok(lines(found, &loaded, &body))
}

fn of(loaded: &LoadedMesh, body: &Body) -> MeshInfo {
    let (mesh, audit, merged) = (&loaded.mesh, &loaded.audit, body.as_ref());
    MeshInfo {
        format: loaded.format.to_string(),
        metres_per_unit: loaded.metres_per_unit,
        up_axis: loaded.up_in_file.map(up_name),
        vertices: mesh.vertices().len(),
        solid: audit.is_solid(),
        pieces: audit.pieces,
        area: audit.area,
        volume: audit.volume,
        bounds: BoundsInfo::of(&mesh.aabb()),
        faces: merged.map(|body| body.faces().len()),
        edges: merged.map(|body| body.edges().len()),
        corners: merged.map(|body| body.vertices().len()),
        holes: merged.map(holes),
        bends: merged.map(|body| BendCounts {
            convex: bent(body, Bend::Convex),
            concave: bent(body, Bend::Concave),
            flat: bent(body, Bend::Flat),
            border: bent(body, Bend::Border),
        }),
        faces_unknown: merged.is_none().then(too_many),
        unclear_edges: merged.map(|body| body.unclear_edges().len()),
    }
}

fn title(loaded: &LoadedMesh) -> String {
    let removed = match loaded.removed.count() {
        0 => String::new(),
        removed => format!(" ({removed} removed)"),
    };
    let triangles = count(loaded.triangles_in_file, "triangle");
    format!("{} mesh, {triangles}{removed}, {} vertices", loaded.format, loaded.mesh.vertices().len())
}

fn lines(found: Found, loaded: &LoadedMesh, body: &Body) -> Found {
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
    let surface = format!("{closed}, area {} m², {}", short(audit.area), count(audit.pieces, "piece"));
    let found =
        found.line("size", extent_text(&loaded.mesh.aabb())).line("surface", surface).line("shape", shape);
    match loaded.up_in_file.filter(|up| *up != UpAxis::Z) {
        Some(up) => found.line("axes", format!("{} is up in the file", up_name(up))),
        None => found,
    }
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
