//! Cases with exact answers, as files give them.

use kansho_contact::{Part, Row, Twist};
use kansho_geom::glam::DVec3;
use kansho_geom::{Mesh, mesh, polygon};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder with cases, if the environment names one.
pub(crate) fn folder() -> Option<PathBuf> {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        eprintln!("skipped: KANSHO_DATA names no folder with data/contact");
        return None;
    };
    Some(Path::new(&data).join("data/contact"))
}

/// All cases, in order of their names.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    names
}

pub(crate) fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A number, or "p/q".
pub(crate) fn number(value: &Value) -> f64 {
    match value {
        Value::String(text) => match text.split_once('/') {
            Some((p, q)) => p.parse::<f64>().expect("p") / q.parse::<f64>().expect("q"),
            None => text.parse().expect("a number"),
        },
        other => other.as_f64().expect("a number"),
    }
}

pub(crate) fn vector(value: &Value) -> DVec3 {
    let n: Vec<f64> = value.as_array().expect("a vector").iter().map(number).collect();
    DVec3::new(n[0], n[1], n[2])
}

pub(crate) fn twist(value: &Value, scale: f64) -> Twist {
    let n: Vec<f64> = value.as_array().expect("a twist").iter().map(number).collect();
    let twist = Twist::from_array([n[0], n[1], n[2], n[3], n[4], n[5]]);
    Twist { v: twist.v * scale, w: twist.w }
}

/// A mesh of faces given as loops.
pub(crate) fn mesh_of_loops(vertices: &[DVec3], faces: &[Vec<Vec<u32>>]) -> Arc<Mesh> {
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for loops in faces {
        let rings: Vec<Vec<DVec3>> =
            loops.iter().map(|ring| ring.iter().map(|&v| vertices[v as usize]).collect()).collect();
        let holes: Vec<&[DVec3]> = rings[1..].iter().map(Vec::as_slice).collect();
        let filling = polygon::fill(&rings[0], &holes).expect("a face");
        let first = points.len() as u32;
        points.extend(rings.iter().flatten().copied());
        triangles.extend(filling.triangles.iter().map(|t| t.map(|i| first + i)));
    }
    Arc::new(mesh::weld(&points, &triangles, 0.0).expect("a mesh").mesh)
}

/// A body of a case from its exact faces.
pub(crate) fn exact(folder: &Path, name: &str, scale: f64) -> Arc<Mesh> {
    let file = json(&folder.join(format!("{name}.json")));
    let vertices: Vec<DVec3> =
        file["vertices"].as_array().expect("vertices").iter().map(|v| vector(v) * scale).collect();
    let indices = |ring: &Value| -> Vec<u32> {
        ring.as_array().expect("a loop").iter().map(|i| i.as_u64().expect("an index") as u32).collect()
    };
    let faces: Vec<Vec<Vec<u32>>> = file["faces"]
        .as_array()
        .expect("faces")
        .iter()
        .map(|face| face["loops"].as_array().expect("loops").iter().map(indices).collect())
        .collect();
    mesh_of_loops(&vertices, &faces)
}

/// A body of a case from its triangles, with noise on every coordinate.
pub(crate) fn noisy(folder: &Path, name: &str, scale: f64, noise: f64, random: &mut Random) -> Arc<Mesh> {
    let path = folder.join(format!("{name}.obj"));
    let read = kansho_io::mesh::read(&path, &kansho_io::mesh::MeshOptions::default()).expect("an obj");
    let size = read.mesh.aabb().diagonal();
    let mut shaken = |p: DVec3| {
        let by = DVec3::new(random.signed(), random.signed(), random.signed());
        (p + by * (noise * size / 3f64.sqrt())) * scale
    };
    let points: Vec<DVec3> = read.mesh.vertices().iter().map(|&p| shaken(p)).collect();
    Arc::new(mesh::weld(&points, read.mesh.triangles(), 0.0).expect("a mesh").mesh)
}

pub(crate) fn part(mesh: &Arc<Mesh>, noise: Option<f64>) -> Part {
    Part::new(mesh, noise).expect("a closed body")
}

/// Row of three numbers that a normal and a place give.
pub(crate) fn same_direction(a: &Row, normal: DVec3, within: f64) -> bool {
    a.normal.dot(normal) > 0.0 && a.normal.cross(normal.normalize()).length() <= within
}

/// Numbers that look random, the same every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In [-1, 1).
    pub(crate) fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}
