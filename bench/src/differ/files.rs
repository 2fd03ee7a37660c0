//! Rows in files for engines that are not ours to link: `shapes.json` with shapes, `rows.bin` with questions, and `ENGINE.answers` with what
//! an engine said (see `bench/differ.py`).

use super::bodies::Item;
use super::judge::Said;
use super::statics::Asked;
use kansho::cell::Geometry;
use kansho::geom::primitive::Shape;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Numbers of a row: two shapes, whether a distance is wanted, and 12 of the pose.
const NUMBERS: usize = 15;

/// Rows that are being written.
pub(crate) struct Written(BufWriter<File>);

/// The folder.
pub(crate) struct Folder;

impl Written {
    pub(crate) fn new(folder: &Path, items: &[&Item]) -> Self {
        std::fs::create_dir_all(folder).expect("the folder can be made");
        let shapes: Vec<Value> = items.iter().map(|item| shape(item)).collect();
        std::fs::write(folder.join("shapes.json"), json!(shapes).to_string())
            .expect("the folder can be written");
        Self(BufWriter::new(File::create(folder.join("rows.bin")).expect("the folder can be written")))
    }

    pub(crate) fn rows(&mut self, rows: &[Asked<'_>]) {
        for asked in rows {
            let mut numbers = [0.0; NUMBERS];
            numbers[0] = asked.items[0] as f64;
            numbers[1] = asked.items[1] as f64;
            numbers[2] = f64::from(u8::from(asked.wants_distance));
            numbers[3..].copy_from_slice(&asked.row.a_from_b.to_rows());
            for number in numbers {
                self.0.write_all(&number.to_le_bytes()).expect("the folder can be written");
            }
        }
    }
}

fn shape(item: &Item) -> Value {
    match &item.geometry {
        Geometry::Mesh(mesh) => json!({
            "mesh": mesh.vertices().iter().flat_map(|p| p.to_array()).collect::<Vec<f64>>(),
            "triangles": mesh.triangles(),
        }),
        Geometry::Primitive(primitive) => match primitive.shape() {
            Shape::Box { size } => json!({ "box": size.to_array() }),
            Shape::Sphere { radius } => json!({ "sphere": radius }),
            Shape::Cylinder { radius, height } => json!({ "cylinder": [radius, height] }),
            Shape::Capsule { radius, height } => json!({ "capsule": [radius, height] }),
            Shape::Cone { radius, height } => json!({ "cone": [radius, height] }),
            Shape::HalfSpace { normal, offset } => json!({ "plane": [normal.x, normal.y, normal.z, offset] }),
        },
    }
}

impl Folder {
    /// Answers of engines: two numbers a row, whether they touch and how far apart they are, not a number where it does not say.
    pub(crate) fn answers(folder: &Path) -> Vec<(String, Vec<Said>)> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut paths: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "answers"))
            .collect();
        paths.sort();
        let read = |path: &Path| {
            let bytes = std::fs::read(path).expect("answers can be read");
            let number = |eight: &[u8]| f64::from_le_bytes(eight.try_into().expect("eight bytes"));
            let said = |row: &[u8]| {
                let (hit, distance) = (number(&row[..8]), number(&row[8..]));
                Said {
                    hit: (!hit.is_nan()).then_some(hit != 0.0),
                    distance: (!distance.is_nan()).then_some(distance),
                }
            };
            bytes.chunks_exact(16).map(said).collect()
        };
        let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        paths.iter().map(|path| (name(path), read(path))).collect()
    }
}
