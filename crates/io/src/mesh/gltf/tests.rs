mod file;

use super::{read, write};
use crate::fault::{Fault, Place};
use crate::mesh::load;
use crate::mesh::raw::{Raw, RawMesh, UpAxis};
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::weld;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

type Corners = [[f64; 3]; 3];

/// The triangle that most documents here hold.
const TRIANGLE: Corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    [&(data.len() as u32).to_le_bytes()[..], kind, data].concat()
}

fn container(version: u32, chunks: &[Vec<u8>]) -> Vec<u8> {
    let body = chunks.concat();
    let length = 12 + body.len() as u32;
    [b"glTF", &version.to_le_bytes()[..], &length.to_le_bytes(), &body].concat()
}

fn padded(mut bytes: Vec<u8>, with: u8) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), with);
    bytes
}

fn glb(document: &Value, bin: &[u8]) -> Vec<u8> {
    let json = padded(document.to_string().into_bytes(), b' ');
    container(2, &[chunk(b"JSON", &json), chunk(b"BIN\0", &padded(bin.to_vec(), 0))])
}

/// A document with one node that shows one mesh, and the given parts in the place of its own.
fn document(parts: Value) -> Value {
    let mut document = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3 }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "buffers": [{ "byteLength": 36 }],
    });
    for (key, part) in parts.as_object().expect("parts are an object") {
        document[key] = part.clone();
    }
    document
}

fn triangle_bin() -> Vec<u8> {
    floats(&TRIANGLE.concat().iter().map(|&number| number as f32).collect::<Vec<_>>())
}

fn nothing_beside(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("'{name}': there is no such file"))
}

fn read_glb(parts: Value, bin: &[u8]) -> Raw {
    read(&glb(&document(parts), bin), &nothing_beside)
}

fn corners(raw: &RawMesh) -> Vec<Corners> {
    let corner = |index: u32| raw.soup.points[index as usize].to_array();
    raw.soup.triangles.iter().map(|triangle| triangle.map(corner)).collect()
}

fn shown(faults: &[Fault]) -> String {
    faults.iter().map(|fault| format!("{fault}\n")).collect()
}

/// The triangles and no warning.
#[track_caller]
fn check(parts: Value, bin: &[u8], expected: &[Corners]) {
    assert_eq!(check_warned(parts, bin, expected), "");
}

/// The triangles; answers with all warnings.
#[track_caller]
fn check_warned(parts: Value, bin: &[u8], expected: &[Corners]) -> String {
    let raw = read_glb(parts, bin).map_err(|faults| shown(&faults)).expect("the document is good");
    assert_eq!(corners(&raw), expected);
    assert_eq!((raw.metres_per_unit, raw.up), (Some(1.0), Some(UpAxis::Y)));
    shown(&raw.warnings)
}

/// Refused, with every one of the messages and no other.
#[track_caller]
fn refused(parts: Value, bin: &[u8], expected: &[&str]) {
    refused_file(&glb(&document(parts), bin), expected);
}

#[track_caller]
fn refused_file(bytes: &[u8], expected: &[&str]) {
    let faults = read(bytes, &nothing_beside).expect_err("the file is bad");
    let shown = shown(&faults);
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn one_triangle_in_a_glb() {
    check(json!({}), &triangle_bin(), &[TRIANGLE]);
}

#[test]
fn buffers_as_data_uri() {
    let uri = "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    let good = document(json!({ "buffers": [{ "byteLength": 36, "uri": uri }] })).to_string();
    let raw = read(good.as_bytes(), &nothing_beside).expect("the document is good");
    assert_eq!(corners(&raw), [TRIANGLE]);

    let cases = [
        ("data:;base64,AA?A", "byte 2 of its base64 data is no digit of it"),
        ("data:;base64,AAAAA", "its base64 data is cut off (5 digits)"),
        ("data:;base64,AAAA", "has a byteLength of 36, but there are only 3 bytes"),
        ("data:text/plain,hello", "has a data: URI that is not in base64"),
        ("data:;base64", "has a data: URI without a comma before its data"),
        (
            "https://example.org/a.bin",
            "lies at an address ('https:'); only files in the folder of the document are read",
        ),
        ("a%20b.bin", "'a b.bin': there is no such file"),
        ("%FF", "its uri '%FF' is not UTF-8 once decoded"),
    ];
    for (uri, expected) in cases {
        let bad = document(json!({ "buffers": [{ "byteLength": 36, "uri": uri }] })).to_string();
        refused_file(bad.as_bytes(), &[&format!("buffer 0: {expected}")]);
    }
    let bad = document(json!({})).to_string();
    refused_file(bad.as_bytes(), &["buffer 0: has no uri, and the file has no BIN chunk for it"]);
}

#[test]
fn buffers_in_the_folder_and_never_outside() {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join("inner");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(outer.path().join("secret.bin"), triangle_bin()).expect("a file");
    std::fs::write(folder.join("a b.bin"), triangle_bin()).expect("a file");
    let path = folder.join("part.gltf");
    let absolute = folder.join("a b.bin").display().to_string();
    let cases = [
        ("a%20b.bin", true),
        ("./a b.bin", true),
        ("../secret.bin", false),
        ("%2e%2e/secret.bin", false),
        ("..%2Fsecret.bin", false),
        (absolute.as_str(), false),
        ("", false),
        ("a%00b", false),
    ];
    for (uri, good) in cases {
        let document = document(json!({ "buffers": [{ "byteLength": 36, "uri": uri }] }));
        std::fs::write(&path, document.to_string()).expect("a file");
        let answer = load::read(&path, &load::MeshOptions::default());
        assert_eq!(answer.is_ok(), good, "{uri}: {answer:?}");
    }
}

#[test]
fn only_buffers_with_triangles_are_needed() {
    let buffers = json!([{ "byteLength": 36 }, { "byteLength": 9, "uri": "texture.bin" }]);
    check(json!({ "buffers": buffers }), &triangle_bin(), &[TRIANGLE]);
}

#[test]
fn interleaved_positions() {
    let mut bin = floats(&[9.0; 2]);
    for corner in TRIANGLE {
        bin.extend(floats(&corner.map(|number| number as f32)));
        bin.extend(floats(&[7.0; 2]));
    }
    let accessor =
        json!({ "bufferView": 0, "byteOffset": 4, "componentType": 5126, "type": "VEC3", "count": 3 });
    let view = json!({ "buffer": 0, "byteOffset": 4, "byteLength": 56, "byteStride": 20 });
    let parts = |view: &Value| {
        json!({
            "accessors": [accessor.clone()],
            "bufferViews": [view.clone()],
            "buffers": [{ "byteLength": 68 }],
        })
    };
    check(parts(&view), &bin, &[TRIANGLE]);

    let mut short = view.clone();
    short["byteLength"] = 55.into();
    refused(
        parts(&short),
        &bin,
        &["mesh 0, primitive 0, accessor 0: it has 3 elements of 12 bytes, 20 apart from byte 4 on, \
           but buffer view 0 has 55 bytes"],
    );
    let mut overlapping = view.clone();
    overlapping["byteStride"] = 8.into();
    refused(
        parts(&overlapping),
        &bin,
        &[
            "mesh 0, primitive 0, accessor 0: it has elements of 12 bytes, but buffer view 0 a byteStride of 8",
        ],
    );
}

#[test]
fn integer_positions() {
    let cases = [
        (5120, false, vec![0, 0, 0, 127, 0, 0, 0, 0x80, 0], [127.0, -128.0]),
        (5120, true, vec![0, 0, 0, 127, 0, 0, 0, 0x80, 0], [1.0, -1.0]),
        (5121, false, vec![0, 0, 0, 255, 0, 0, 0, 51, 0], [255.0, 51.0]),
        (5121, true, vec![0, 0, 0, 255, 0, 0, 0, 51, 0], [1.0, 0.2]),
        (
            5122,
            false,
            [0, 0, 0, 32767, 0, 0, 0, -32768, 0_i16].map(i16::to_le_bytes).concat(),
            [32767.0, -32768.0],
        ),
        (5122, true, [0, 0, 0, 32767, 0, 0, 0, -32768, 0_i16].map(i16::to_le_bytes).concat(), [1.0, -1.0]),
        (
            5123,
            false,
            [0, 0, 0, 65535, 0, 0, 0, 13107, 0_u16].map(u16::to_le_bytes).concat(),
            [65535.0, 13107.0],
        ),
        (5123, true, [0, 0, 0, 65535, 0, 0, 0, 13107, 0_u16].map(u16::to_le_bytes).concat(), [1.0, 0.2]),
    ];
    for (component_type, normalized, bin, [x, y]) in cases {
        let mut parts = json!({
            "extensionsUsed": ["KHR_mesh_quantization"],
            "extensionsRequired": ["KHR_mesh_quantization"],
            "accessors": [{
                "bufferView": 0, "componentType": component_type, "normalized": normalized,
                "type": "VEC3", "count": 3,
            }],
            "bufferViews": [{ "buffer": 0, "byteLength": bin.len() }],
            "buffers": [{ "byteLength": bin.len() }],
        });
        let expected = [[[0.0, 0.0, 0.0], [x, 0.0, 0.0], [0.0, y, 0.0]]];
        check(parts.clone(), &bin, &expected);

        parts["extensionsUsed"] = json!([]);
        parts["extensionsRequired"] = json!([]);
        assert_eq!(
            check_warned(parts, &bin, &expected),
            "mesh 0, primitive 0, accessor 0: positions are integers, but the file does not name \
             KHR_mesh_quantization (accessors: 1)\n"
        );
    }
    for (component_type, what) in [
        (5125, "positions cannot be of component type 5125 (unsigned int)"),
        (5124, "there is no component type 5124"),
    ] {
        let accessor =
            json!({ "bufferView": 0, "componentType": component_type, "type": "VEC3", "count": 3 });
        let expected = format!("mesh 0, primitive 0, accessor 0: {what}");
        refused(json!({ "accessors": [accessor] }), &triangle_bin(), &[&expected]);
    }
}

/// Four positions, and a primitive with indices of some type.
fn indexed(mode: u32, component_type: u32, indices: &[u8], count: usize) -> (Value, Vec<u8>) {
    let mut bin = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    bin.extend_from_slice(indices);
    let parts = json!({
        "meshes": [{ "name": "plate", "primitives": [
            { "attributes": { "POSITION": 0 }, "indices": 1, "mode": mode },
        ]}],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4 },
            { "bufferView": 1, "componentType": component_type, "type": "SCALAR", "count": count },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 48, "byteLength": indices.len() },
        ],
        "buffers": [{ "byteLength": bin.len() }],
    });
    (parts, bin)
}

const P: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];

#[test]
fn indices_of_every_type() {
    let expected = [[P[0], P[1], P[2]], [P[1], P[3], P[2]]];
    let order = [0_u8, 1, 2, 1, 3, 2];
    let (parts, bin) = indexed(4, 5121, &order, 6);
    check(parts, &bin, &expected);
    let (parts, bin) = indexed(4, 5123, &order.map(|i| u16::from(i).to_le_bytes()).concat(), 6);
    check(parts, &bin, &expected);
    let (parts, bin) = indexed(4, 5125, &order.map(|i| u32::from(i).to_le_bytes()).concat(), 6);
    check(parts, &bin, &expected);

    let (parts, bin) = indexed(4, 5122, &order.map(|i| u16::from(i).to_le_bytes()).concat(), 6);
    let place = "mesh 0 \"plate\", primitive 0, accessor 1";
    let expected = format!("{place}: indices must be unsigned integers, not component type 5122");
    refused(parts, &bin, &[&expected]);
}

#[test]
fn strips_and_fans() {
    let (parts, bin) = indexed(5, 5121, &[0, 1, 2, 3], 4);
    check(parts, &bin, &[[P[0], P[1], P[2]], [P[1], P[3], P[2]]]);
    let (parts, bin) = indexed(6, 5121, &[0, 1, 3, 2], 4);
    check(parts, &bin, &[[P[1], P[3], P[0]], [P[3], P[2], P[0]]]);
    let (parts, bin) = indexed(5, 5121, &[0, 1], 2);
    refused(
        parts,
        &bin,
        &["mesh 0 \"plate\", primitive 0: has 2 corners, too few for a strip or fan of triangles"],
    );
}

#[test]
fn faulty_indices_are_named() {
    let (parts, bin) = indexed(4, 5121, &[0, 1, 2, 3, 4, 9], 6);
    let place = "mesh 0 \"plate\", primitive 0";
    refused(
        parts,
        &bin,
        &[&format!(
            "{place}, accessor 1, index 4: names a vertex that does not exist (there are 4): 4 and 1 more"
        )],
    );
    let (parts, bin) = indexed(5, 5121, &[0, 1, 2, 255, 7], 5);
    refused(
        parts,
        &bin,
        &[
            &format!(
                "{place}, accessor 1, index 3: the largest number of its type, which the format forbids: 255"
            ),
            &format!("{place}, accessor 1, index 4: names a vertex that does not exist (there are 4): 7"),
        ],
    );
    let (parts, bin) = indexed(4, 5121, &[0, 1, 2, 3], 4);
    refused(parts, &bin, &[&format!("{place}: has 4 corners, which is no multiple of three")]);
    let (parts, bin) = indexed(7, 5121, &[0, 1, 2], 3);
    refused(parts, &bin, &[&format!("{place}: there is no mode 7")]);
    let (parts, bin) = indexed(4, 5121, &[0, 1, 2], 0);
    let warning = format!("{place}: has 0 corners (primitives like this: 1)\n");
    assert_eq!(check_warned(parts, &bin, &[]), warning);
}

#[test]
fn shared_vertices_are_taken_where_used() {
    let (mut parts, bin) = indexed(4, 5121, &[2, 1, 3], 3);
    let primitive = parts["meshes"][0]["primitives"][0].clone();
    parts["meshes"][0]["primitives"] = json!([primitive, primitive]);
    let raw = read_glb(parts, &bin).expect("the document is good");
    assert_eq!(raw.soup.points.len(), 6);
    assert_eq!(corners(&raw), [[P[2], P[1], P[3]]; 2]);
}

#[test]
fn points_and_lines_are_counted() {
    let primitive = |mode: u32| json!({ "attributes": { "POSITION": 0 }, "mode": mode });
    let mesh = json!({ "primitives": [primitive(1), primitive(4), primitive(0), primitive(3)] });
    assert_eq!(
        check_warned(json!({ "meshes": [mesh] }), &triangle_bin(), &[TRIANGLE]),
        "mesh 0, primitive 0: points and lines are not read: 3 of the primitives hold no triangles\n"
    );
}

/// A triangle of which the second corner is replaced, with or without positions behind it.
fn sparse(dense: bool, indices: &[u8]) -> (Value, Vec<u8>) {
    let mut bin = triangle_bin();
    bin.extend(floats(&[5.0, 6.0, 7.0, 0.0, 8.0, 0.0]));
    bin.extend_from_slice(indices);
    let mut accessor = json!({
        "componentType": 5126, "type": "VEC3", "count": 3,
        "sparse": {
            "count": indices.len(),
            "indices": { "bufferView": 1, "byteOffset": 24, "componentType": 5121 },
            "values": { "bufferView": 1 },
        },
    });
    if dense {
        accessor["bufferView"] = 0.into();
    }
    let views = json!([
        { "buffer": 0, "byteLength": 36 },
        { "buffer": 0, "byteOffset": 36, "byteLength": 24 + indices.len() },
    ]);
    let parts =
        json!({ "accessors": [accessor], "bufferViews": views, "buffers": [{ "byteLength": bin.len() }] });
    (parts, bin)
}

#[test]
fn sparse_accessors() {
    let (parts, bin) = sparse(true, &[1]);
    check(parts, &bin, &[[TRIANGLE[0], [5.0, 6.0, 7.0], TRIANGLE[2]]]);
    let (parts, bin) = sparse(false, &[1, 2]);
    check(parts, &bin, &[[[0.0; 3], [5.0, 6.0, 7.0], [0.0, 8.0, 0.0]]]);

    let place = "mesh 0, primitive 0, accessor 0";
    let (parts, bin) = sparse(true, &[1, 3]);
    refused(parts, &bin, &[&format!("{place}: its sparse index 1 names element 3 of 3")]);
    let (parts, bin) = sparse(true, &[1, 1]);
    refused(parts, &bin, &[&format!("{place}: its sparse index 1 (1) is not above the one before it")]);
    let (parts, bin) = sparse(true, &[0, 1, 2, 3]);
    refused(parts, &bin, &[&format!("{place}: replaces 4 of its 3 elements")]);
    let (parts, bin) = sparse(true, &[0, 1, 2]);
    refused(
        parts,
        &bin,
        &[&format!(
            "{place}: the list of its sparse values has 3 elements of 12 bytes, 12 apart from byte 0 on, \
             but buffer view 1 has 27 bytes"
        )],
    );
}

#[test]
fn accessors_without_a_view_are_zero_but_not_endless() {
    let zeros =
        |count: u64| json!({ "accessors": [{ "componentType": 5126, "type": "VEC3", "count": count }] });
    let no_surface = "mesh 0, primitive 0: its positions are all zero (their accessor has no buffer view): \
                      that is no surface";
    refused(zeros(3), &[], &[no_surface]);
    let faults = read_glb(zeros(3_000_000), &[]).expect_err("more than the file has bytes");
    assert!(shown(&faults).contains("has no buffer view, but 3000000 elements, more than"), "{faults:?}");
    let faults = read_glb(zeros(4_000_000_002), &[]).expect_err("more than anything has");
    assert!(shown(&faults).contains("the meshes hold more than 200"), "{faults:?}");
    // With indices the positions alone are too many.
    let (mut parts, bin) = indexed(4, 5121, &[0, 1, 2], 3);
    parts["accessors"][0] = json!({ "componentType": 5126, "type": "VEC3", "count": 4_000_000_000_u64 });
    let faults = read_glb(parts, &bin).expect_err("more than anything has");
    assert!(shown(&faults).contains("has no buffer view, but 4000000000 elements, more than"), "{faults:?}");
}

#[test]
fn ranges_do_not_wrap() {
    let huge = u64::MAX - 8;
    let accessor = |key: &str, value: u64| {
        let mut accessor = json!({ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3 });
        accessor[key] = value.into();
        json!({ "accessors": [accessor] })
    };
    let view = |key: &str, value: u64| {
        let mut view = json!({ "buffer": 0, "byteLength": 36 });
        view[key] = value.into();
        json!({ "bufferViews": [view] })
    };
    let place = "mesh 0, primitive 0";
    let elements = |stride: u64, offset: u64| {
        format!(
            "{place}, accessor 0: it has 3 elements of 12 bytes, {stride} apart from byte {offset} on, \
             but buffer view 0 has 36 bytes"
        )
    };
    refused(accessor("byteOffset", huge), &triangle_bin(), &[&elements(12, huge)]);
    refused(view("byteStride", huge), &triangle_bin(), &[&elements(huge, 0)]);
    let outside = |length: u64, offset: u64| {
        format!(
            "{place}, accessor 0: its buffer view 0 takes {length} bytes from byte {offset} of a buffer of 36"
        )
    };
    refused(view("byteOffset", huge), &triangle_bin(), &[&outside(36, huge)]);
    refused(view("byteOffset", 4), &triangle_bin(), &[&outside(36, 4)]);
    refused(view("byteLength", huge), &triangle_bin(), &[&outside(huge, 0)]);
    refused(
        view("buffer", 7),
        &triangle_bin(),
        &[&format!("{place}, accessor 0: its buffer view 0 names buffer 7, which does not exist")],
    );
    refused(
        accessor("bufferView", 7),
        &triangle_bin(),
        &[&format!("{place}, accessor 0: names buffer view 7, which does not exist")],
    );
    refused(
        json!({ "buffers": [{ "byteLength": huge }] }),
        &triangle_bin(),
        &[&format!("buffer 0: has a byteLength of {huge}, but there are only 36 bytes")],
    );
    // Many more elements than bytes, with few corners.
    let (mut parts, bin) = indexed(4, 5121, &[0, 1, 2], 3);
    parts["accessors"][0]["count"] = 4_000_000_000_u64.into();
    refused(
        parts,
        &bin,
        &["mesh 0 \"plate\", primitive 0, accessor 0: it has 4000000000 elements of 12 bytes, 12 apart \
           from byte 0 on, but buffer view 0 has 48 bytes"],
    );
}

#[test]
fn shapes_and_attributes_must_fit() {
    let accessor = json!({ "bufferView": 0, "componentType": 5126, "type": "VEC2", "count": 3 });
    refused(
        json!({ "accessors": [accessor] }),
        &triangle_bin(),
        &["mesh 0, primitive 0, accessor 0: positions must be of type VEC3"],
    );
    let (mut parts, bin) = indexed(4, 5121, &[0, 1, 2], 3);
    parts["accessors"][1]["type"] = "VEC4".into();
    refused(parts, &bin, &["mesh 0 \"plate\", primitive 0, accessor 1: indices must be of type SCALAR"]);
    let primitives = json!([
        { "attributes": { "NORMAL": 0 } },
        { "attributes": { "POSITION": 5 } },
        { "attributes": { "POSITION": 0 }, "indices": 6 },
    ]);
    refused(
        json!({ "meshes": [{ "primitives": primitives }] }),
        &triangle_bin(),
        &[
            "mesh 0, primitive 0: has no POSITION attribute",
            "mesh 0, primitive 1, accessor 5: there is no such accessor: they are numbered 0 to 0",
            "mesh 0, primitive 2, accessor 6: there is no such accessor: they are numbered 0 to 0",
        ],
    );
}

#[test]
fn positions_are_finite() {
    let bin = floats(&[0.0, 0.0, 0.0, 1.0, f32::NAN, 0.0, 0.0, 1.0, f32::INFINITY]);
    refused(
        json!({}),
        &bin,
        &["mesh 0, primitive 0, accessor 0, vertex 1: a coordinate is not a finite number \
           ([1, NaN, 0] and 1 more)"],
    );
}

#[test]
fn positions_reach_as_far_as_the_file_says() {
    let accessor = |min: Value, max: Value| {
        json!({ "accessors": [{
            "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3, "min": min, "max": max,
        }]})
    };
    check(accessor(json!([0, 0, 0]), json!([1, 1.000001, 0])), &triangle_bin(), &[TRIANGLE]);
    check(accessor(json!([null, 0, 0]), json!([])), &triangle_bin(), &[TRIANGLE]);
    assert_eq!(
        check_warned(accessor(json!([0, 0, 0]), json!([1, 2, 0])), &triangle_bin(), &[TRIANGLE]),
        "mesh 0, primitive 0, accessor 0: positions do not reach from the min to the max that the file gives \
         (accessors: 1)\n"
    );
}

#[test]
fn nodes_place_meshes() {
    // Turned by 90° about z: x becomes y, and y becomes -x.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let nodes = json!([
        { "children": [2, 1], "translation": [10.0, 20.0, 30.0] },
        { "mesh": 0, "scale": [2.0, 3.0, 4.0] },
        { "mesh": 0, "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1] },
        { "mesh": 0, "scale": [-1.0, 1.0, 1.0] },
    ]);
    check(
        json!({ "nodes": nodes, "scenes": [{ "nodes": [0, 3] }] }),
        &triangle_bin(),
        &[
            [[11.0, 22.0, 33.0], [11.0, 23.0, 33.0], [10.0, 22.0, 33.0]],
            [[10.0, 20.0, 30.0], [12.0, 20.0, 30.0], [10.0, 23.0, 30.0]],
            [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]], // A mirror turns triangles round.
        ],
    );
    let parts = json!({ "nodes": [{ "mesh": 0, "rotation": [0.0, 0.0, half, half] }] });
    let raw = read_glb(parts, &triangle_bin()).expect("the document is good");
    let expected = [DVec3::ZERO, DVec3::Y, DVec3::NEG_X];
    for (found, expected) in raw.soup.points.iter().zip(expected) {
        assert!(found.distance(expected) < 1e-15, "{found} instead of {expected}");
    }
}

#[test]
fn rounding_in_the_last_row_of_a_matrix_is_taken_for_what_it_is() {
    let matrix = [2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.999_999_9];
    let raw = read_glb(json!({ "nodes": [{ "mesh": 0, "matrix": matrix }] }), &triangle_bin()).expect("good");
    assert_eq!(raw.soup.points[1].x, 2.0 / 0.999_999_9);
}

#[test]
fn faulty_placements_are_named_together() {
    let nodes = json!([
        { "mesh": 0, "rotation": [0, 0, 0, 2] },
        { "mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2], "name": "lens" },
        { "mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "scale": [1, 1, 1] },
        { "mesh": 0, "scale": [1e200, 1, 1], "children": [4] },
        { "mesh": 0, "scale": [1e200, 1, 1] },
        { "mesh": 9 },
    ]);
    refused(
        json!({ "nodes": nodes, "scenes": [{ "nodes": [0, 1, 2, 3, 5] }] }),
        &triangle_bin(),
        &[
            "node 5: shows mesh 9, but there are 1 meshes",
            "node 0: its rotation [0.0, 0.0, 0.0, 2.0] has the length 2, not 1",
            "node 1 \"lens\": the last row of its matrix is [0, 0, 0, 2], not [0, 0, 0, 1]",
            "node 2: has a matrix and also a translation, rotation or scale",
            "node 4: lies beyond all numbers in the scene",
        ],
    );
}

#[test]
fn nodes_form_trees() {
    let case = |nodes: Value, roots: Value, expected: &[&str]| {
        refused(json!({ "nodes": nodes, "scenes": [{ "nodes": roots }] }), &triangle_bin(), expected);
    };
    case(json!([{ "children": [0], "mesh": 0 }]), json!([0]), &["node 0: is its own ancestor"]);
    case(
        json!([{ "children": [3] }, { "children": [2] }, { "children": [1] }, {}]),
        json!([0]),
        &["node 1: is its own ancestor"],
    );
    case(
        json!([{ "children": [2] }, { "children": [2] }, {}]),
        json!([0, 1]),
        &["node 1: has node 2 as a child, which is a child of node 0 already"],
    );
    case(json!([{ "children": [7] }]), json!([0]), &["node 0: has node 7 as a child, but there are 1 nodes"]);
    case(
        json!([{ "children": [1] }, { "mesh": 0 }]),
        json!([1, 0, 0, 8]),
        &[
            "scene 0: lists node 1, which is a child of node 0",
            "scene 0: lists node 0 twice",
            "scene 0: lists node 8, but there are 2 nodes",
        ],
    );
    // The faults of meshes are named although nothing can be placed.
    let bin = floats(&[f32::NAN; 9]);
    let parts = json!({ "nodes": [{ "children": [0], "mesh": 0 }] });
    refused(
        parts,
        &bin,
        &[
            "node 0: is its own ancestor",
            "mesh 0, primitive 0, accessor 0, vertex 0: a coordinate is not a finite number \
             ([NaN, NaN, NaN] and 2 more)",
        ],
    );
}

#[test]
fn deep_nesting_is_no_danger() {
    let deepest = 100_000;
    let mut nodes: Vec<Value> = (1..=deepest).map(|child| json!({ "children": [child] })).collect();
    nodes.push(json!({ "mesh": 0 }));
    check(json!({ "nodes": nodes }), &triangle_bin(), &[TRIANGLE]);
}

#[test]
fn scenes() {
    let two = json!([{ "mesh": 0 }, { "mesh": 0, "translation": [0, 0, 1], "name": "spare" }]);
    let raised = TRIANGLE.map(|[x, y, z]| [x, y, z + 1.0]);
    let outside = |node: &str, scene: usize| {
        format!("{node}: is not in scene {scene}, and only that is read (nodes with a mesh like this: 1)\n")
    };
    let parts = json!({ "nodes": two, "scenes": [{ "nodes": [0] }, { "nodes": [1] }] });
    assert_eq!(check_warned(parts, &triangle_bin(), &[TRIANGLE]), outside("node 1 \"spare\"", 0));
    let parts = json!({ "nodes": two, "scenes": [{ "nodes": [0] }, { "nodes": [1] }], "scene": 1 });
    assert_eq!(check_warned(parts, &triangle_bin(), &[raised]), outside("node 0", 1));
    let parts = json!({ "nodes": two, "scenes": [{ "nodes": [0, 1] }, { "nodes": [1] }], "scene": null });
    check(parts, &triangle_bin(), &[TRIANGLE, raised]);

    let mut no_scene = document(json!({ "nodes": [{ "children": [1] }, { "mesh": 0 }] }));
    no_scene.as_object_mut().expect("an object").retain(|key, _| !key.starts_with("scene"));
    let raw = read(&glb(&no_scene, &triangle_bin()), &nothing_beside).expect("the document is good");
    assert_eq!(corners(&raw), [TRIANGLE]);
    assert_eq!(shown(&raw.warnings), "the file has no scene: all nodes are read\n");

    refused(json!({ "scene": 3 }), &triangle_bin(), &["scene 3 is to be shown, but there are 1 scenes"]);
}

#[test]
fn a_file_without_triangles_is_empty() {
    let parts = json!({ "nodes": [{}] });
    assert_eq!(
        check_warned(parts, &triangle_bin(), &[]),
        "mesh 0: no node of the scene shows this mesh, and it is not read (meshes like this: 1)\n"
    );
    let bare = br#"{"asset":{"version":"2.0"}}"#;
    let raw = read(bare, &nothing_beside).expect("the document is good");
    assert!(raw.soup.triangles.is_empty() && raw.warnings.is_empty());
}

#[test]
fn skins_morphs_and_animations_are_left_at_rest() {
    let parts = json!({
        "nodes": [{ "mesh": 0, "skin": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "targets": [{ "POSITION": 0 }] }] }],
        "animations": [{}],
    });
    assert_eq!(
        check_warned(parts, &triangle_bin(), &[TRIANGLE]),
        "node 0: skins are not applied: meshes stand at rest where their node is (nodes with a skin: 1)\n\
         nodes are read at rest: animations are not applied (there are 1)\n\
         mesh 0, primitive 0: morph targets are not applied: the shape at rest is read (primitives: 1)\n"
    );
}

#[test]
fn extensions() {
    let required = json!([
        "KHR_draco_mesh_compression",
        "KHR_materials_unlit",
        "EXT_meshopt_compression",
        "ACME_shapes",
    ]);
    refused(
        json!({ "extensionsRequired": required }),
        &triangle_bin(),
        &[
            "the file requires the extension 'KHR_draco_mesh_compression', which is not supported",
            "the file requires the extension 'EXT_meshopt_compression', which is not supported",
            "the file requires the extension 'ACME_shapes', which is not supported",
        ],
    );
    let looks = json!(["KHR_materials_unlit", "KHR_texture_transform"]);
    check(json!({ "extensionsRequired": looks }), &triangle_bin(), &[TRIANGLE]);
    refused(
        json!({ "nodes": [{ "mesh": 0, "extensions": { "EXT_mesh_gpu_instancing": {} } }] }),
        &triangle_bin(),
        &["node 0: repeats its mesh with EXT_mesh_gpu_instancing, which is not supported"],
    );
    // Compressed without saying that it is required: the plain accessors are there, or they are not.
    let mut parts = json!({ "meshes": [{ "primitives": [{
        "attributes": { "POSITION": 0 },
        "extensions": { "KHR_draco_mesh_compression": {} },
    }]}]});
    check(parts.clone(), &triangle_bin(), &[TRIANGLE]);
    parts["accessors"] = json!([{ "componentType": 5126, "type": "VEC3", "count": 3 }]);
    refused(
        parts,
        &triangle_bin(),
        &["mesh 0, primitive 0: holds its triangles in KHR_draco_mesh_compression, which is not supported"],
    );
}

#[test]
fn instances_are_bounded() {
    // Ten thousand nodes of a fan of a thousand triangles, and as many primitives with the same corners.
    let fan: Vec<u8> = (0..3006_u16).flat_map(|i| (f32::from(i % 97)).to_le_bytes()).collect();
    let mesh = |primitives| json!({ "primitives": vec![json!({ "attributes": { "POSITION": 0 }, "mode": 6 }); primitives] });
    let parts = |nodes: usize, primitives: usize| {
        json!({
            "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1002 }],
            "bufferViews": [{ "buffer": 0, "byteLength": fan.len() }],
            "buffers": [{ "byteLength": fan.len() }],
            "meshes": [mesh(primitives)],
            "nodes": vec![json!({ "mesh": 0 }); nodes],
            "scenes": [{ "nodes": (0..nodes).collect::<Vec<_>>() }],
        })
    };
    assert_eq!(read_glb(parts(1000, 1), &fan).expect("an assembly").soup.triangles.len(), 1_000_000);
    let faults = read_glb(parts(10_000, 1), &fan).expect_err("ten million triangles");
    assert!(shown(&faults).starts_with("mesh 0: parts placed more than once add more than 20"), "{faults:?}");
    let faults = read_glb(parts(1, 10_000), &fan).expect_err("ten million triangles");
    assert!(shown(&faults).contains("the meshes hold more than 2"), "{faults:?}");
}

#[test]
fn lists_are_bounded() {
    let nodes = vec!["{}"; 1_000_001].join(",");
    let text = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}]}}"#);
    let faults = read(text.as_bytes(), &nothing_beside).expect_err("the list is too long");
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].what, "this is no glTF 2.0 document: a list of more than 1000000 items");
}

/// A misspelt key has no effect, and would leave a mesh elsewhere without a word.
#[test]
fn misspelt_keys_are_refused() {
    let view = |key: &str| json!({ "bufferViews": [{ "buffer": 0, "byteLength": 36, key: 0 }] });
    let cases = [
        (
            json!({ "nodes": [{ "mesh": 0, "traslation": [1, 0, 0] }] }),
            "node 0: glTF has no key 'traslation' here",
        ),
        (
            json!({ "nodes": [{ "mesh": 0, "Translation": [1, 0, 0] }] }),
            "node 0: glTF has no key 'Translation' here",
        ),
        (view("byteofset"), "bufferView 0: glTF has no key 'byteofset' here"),
        (view("bytestride"), "bufferView 0: glTF has no key 'bytestride' here"),
        (
            json!({ "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "Mode": 5 }] }] }),
            "mesh 0, primitive 0: glTF has no key 'Mode' here",
        ),
        (json!({ "Scene": 0 }), "glTF has no key 'Scene' here"),
        (
            json!({ "asset": { "version": "2.0", "minversion": "2.1" } }),
            "asset: glTF has no key 'minversion' here",
        ),
    ];
    for (parts, expected) in cases {
        refused(parts, &triangle_bin(), &[expected]);
    }
    // What is nothing, or no object, does not end the search for such keys.
    refused(
        json!({ "nodes": [{ "mesh": 0, "extensions": null, "extras": [1] }, { "camera": 0, "Scale": [1, 1, 1] }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3, "sparse": null }],
            "cameras": 7, "extensions": [] }),
        &triangle_bin(),
        &["node 1: glTF has no key 'Scale' here"],
    );
    let told = check_warned(
        json!({ "nodes": [{ "mesh": 0, "colour": 1, "extra": 2 }], "generator": "x" }),
        &triangle_bin(),
        &[TRIANGLE],
    );
    for key in ["colour", "extra", "generator"] {
        assert!(told.contains(&format!("the key '{key}' is not known and passed over")), "{told}");
    }
}

/// Extensions that may change what is shown are told, whether or not the file says that it uses them.
#[test]
fn unknown_extensions_are_told() {
    let of_node = |name: &str| json!({ "nodes": [{ "mesh": 0, "extensions": { name: {} } }] });
    let cases = [
        (of_node("KHR_node_visibility"), "nodes may be hidden by KHR_node_visibility"),
        (json!({ "extensionsUsed": ["MSFT_lod"] }), "MSFT_lod has coarser shapes"),
        (of_node("ACME_shape"), "the extension 'ACME_shape' is not understood and passed over"),
        (json!({ "extensions": { "ACME_shape": {} } }), "the extension 'ACME_shape' is not understood"),
    ];
    for (parts, expected) in cases {
        let told = check_warned(parts, &triangle_bin(), &[TRIANGLE]);
        assert!(told.contains(expected) && told.lines().count() == 1, "{told}");
    }
    check(json!({ "extensionsUsed": ["KHR_materials_unlit"] }), &triangle_bin(), &[TRIANGLE]);
    refused(
        json!({ "extensionsUsed": ["ACME_shape"], "extensionsRequired": ["ACME_shape"] }),
        &triangle_bin(),
        &["the file requires the extension 'ACME_shape', which is not supported"],
    );
}
