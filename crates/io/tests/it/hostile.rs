//! Bytes that nobody meant to be a mesh: every reader answers, and quickly.

use kansho_io::mesh::{MeshOptions, parse};
use proptest::prelude::*;
use std::path::Path;

/// A small good file of every format.
const GOOD: [(&str, &str); 6] = [
    (
        "a.stl",
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n",
    ),
    ("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 -1//1\n"),
    (
        "a.ply",
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    ),
    ("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"),
    (
        "a.gltf",
        r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"scale":[1,2,3]}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#,
    ),
    (
        "a.dae",
        r##"<?xml version="1.0"?><COLLADA version="1.4.1"><asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#pa" count="3" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices><polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3</vcount><p>0 1 2</p></polylist></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node><translate>1 2 3</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##,
    ),
];

/// Words that have broken readers before.
const NASTY: [&str; 16] = [
    "nan",
    "-inf",
    "1e999",
    "-1",
    "4294967295",
    "18446744073709551615",
    "99999999999999999999",
    "0",
    "-0",
    "1e-320",
    "",
    "\0",
    "\u{feff}",
    "1e30",
    "\\",
    "\"",
];

/// What a reader says; that it returns at all is the test.
fn answer(bytes: &[u8], name: &str) -> bool {
    let beside = |name: &str| Err(format!("'{name}' is not there"));
    parse(bytes, Path::new(name), &MeshOptions::default(), &beside).is_ok()
}

#[test]
fn the_good_files_are_good() {
    for (name, text) in GOOD {
        assert!(answer(text.as_bytes(), name), "{name}");
    }
}

#[test]
fn every_beginning_of_a_good_file_gets_an_answer() {
    for (name, text) in GOOD {
        for length in 0..text.len() {
            answer(&text.as_bytes()[..length], name);
        }
    }
}

/// Outlines that wind about a point many times, in one file: few bytes for much work.
#[test]
fn tangled_polygons_end_soon() {
    let corners = 9000;
    let step = std::f64::consts::TAU * f64::from(corners / 3 + 1) / f64::from(corners);
    let vertex = |i: i32| {
        let (y, x) = (f64::from(i) * step).sin_cos();
        format!("v {x:.4} {y:.4} 0\n")
    };
    let vertices: String = (0..corners).map(vertex).collect();
    let face = (1..=corners).map(|i| i.to_string()).collect::<Vec<_>>().join(" ");
    let file = format!("{vertices}{}", format!("f {face}\n").repeat(10));
    assert!(file.len() < 1_000_000);
    let begin = std::time::Instant::now();
    answer(file.as_bytes(), "a.obj");
    // Five seconds in a release build alone on its machine; tests are slower and have company.
    assert!(begin.elapsed().as_secs() < 60);
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read_beside_a_document() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::os::unix::net::UnixListener::bind(folder.path().join("a.bin")).expect("a socket");
    let text = GOOD[4].1;
    let start = text.find("data:").expect("the buffer is in the file");
    let end = start + text[start..].find('"').expect("a string ends");
    let path = folder.path().join("a.gltf");
    std::fs::write(&path, format!("{}a.bin{}", &text[..start], &text[end..])).expect("written");
    let error = kansho_io::mesh::read(&path, &MeshOptions::default()).expect_err("a socket is no buffer");
    assert!(error.to_string().contains("'a.bin' is no regular file and is not read"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn words_exchanged_for_nasty_ones(
        file in 0..GOOD.len(),
        at in any::<prop::sample::Index>(),
        length in 0usize..9,
        nasty in prop::sample::select(NASTY.to_vec()),
    ) {
        let (name, text) = GOOD[file];
        let start = at.index(text.len());
        let end = (start + length).min(text.len());
        let changed = [&text.as_bytes()[..start], nasty.as_bytes(), &text.as_bytes()[end..]].concat();
        answer(&changed, name);
    }

    #[test]
    fn any_bytes_under_any_name(bytes in prop::collection::vec(any::<u8>(), 0..300), file in 0..GOOD.len()) {
        answer(&bytes, GOOD[file].0);
        let binary_stl = [vec![0; 80], vec![bytes.len() as u8 / 50, 0, 0, 0], bytes].concat();
        answer(&binary_stl, "a.stl");
    }
}
