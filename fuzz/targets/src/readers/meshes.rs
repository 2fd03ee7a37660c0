//! Meshes: what is read is written with double precision and read again as the same mesh, to the last bit.

use crate::files::Folder;
use crate::{Target, told};
use kansho_io::mesh::{LoadedMesh, MeshOptions, parse, read, write};
use std::path::Path;

pub(super) fn all() -> Vec<Target> {
    vec![
        Target { name: "stl", seeds: stl_seeds, words: STL, run: |bytes| mesh(bytes, "a.stl") },
        Target { name: "obj", seeds: obj_seeds, words: OBJ, run: |bytes| mesh(bytes, "a.obj") },
        Target { name: "ply", seeds: ply_seeds, words: PLY, run: |bytes| mesh(bytes, "a.ply") },
        Target { name: "off", seeds: off_seeds, words: OFF, run: |bytes| mesh(bytes, "a.off") },
        Target { name: "gltf", seeds: gltf_seeds, words: GLTF, run: |bytes| mesh(bytes, "a.glb") },
        Target { name: "collada", seeds: collada_seeds, words: COLLADA, run: |bytes| mesh(bytes, "a.dae") },
    ]
}

thread_local! {
    static FOLDER: Folder = const { Folder::new() };
}

fn mesh(bytes: &[u8], name: &str) {
    let beside = |name: &str| Err(format!("'{name}' is not there"));
    let loaded = match parse(bytes, Path::new(name), &MeshOptions::default(), &beside) {
        Ok(loaded) => loaded,
        Err(faults) => return told::refused(bytes, &faults),
    };
    loaded.warnings.iter().for_each(|fault| told::fault_is_told(bytes, fault));
    let LoadedMesh { mesh, triangles_in_file, removed, .. } = &loaded;
    assert!(mesh.vertices().iter().all(|p| p.is_finite()));
    assert_eq!(mesh.triangles().len() + removed.count(), *triangles_in_file);
    // Both formats hold every bit; which of them is asked depends on the input alone.
    let again = if bytes.len().is_multiple_of(2) { "b.ply" } else { "b.obj" };
    let path = FOLDER.with(|folder| folder.path(|_| {})).join(again);
    write(&path, mesh).unwrap_or_else(|error| panic!("a mesh cannot be written: {error}"));
    let options = MeshOptions { metres_per_unit: Some(1.0), ..MeshOptions::default() };
    let back = read(&path, &options).unwrap_or_else(|error| panic!("what was written is no mesh: {error}"));
    assert_eq!(&back.mesh, mesh, "{again} changed the mesh");
}

const STL: &[&str] = &[
    "solid", "facet", "normal", "outer", "loop", "vertex", "endloop", "endfacet", "endsolid", "1e38", "nan",
    "-0",
];
const OBJ: &[&str] = &[
    "v ", "vn ", "vt ", "f ", "g ", "o ", "l ", "p ", "usemtl ", "#", "\\\n", "//", "-1", "1/1/1", "curv",
    "surf", "1e30",
];
const PLY: &[&str] = &[
    "ply\n",
    "format ",
    "ascii",
    "binary_little_endian",
    "binary_big_endian",
    " 1.0\n",
    "element ",
    "vertex ",
    "face ",
    "property ",
    "list ",
    "uchar ",
    "int ",
    "uint ",
    "float ",
    "double ",
    "short ",
    "char ",
    "vertex_indices\n",
    "vertex_index\n",
    "x\n",
    "y\n",
    "z\n",
    "comment ",
    "end_header\n",
];
const OFF: &[&str] = &["OFF", "COFF", "NOFF", "STOFF", "BINARY", "4OFF", "nOFF", "#", "3 0 1 2"];
const GLTF: &[&str] = &[
    "glTF",
    "JSON",
    "BIN\0",
    "\"asset\"",
    "\"version\"",
    "\"scene\"",
    "\"scenes\"",
    "\"nodes\"",
    "\"mesh\"",
    "\"meshes\"",
    "\"primitives\"",
    "\"attributes\"",
    "\"POSITION\"",
    "\"indices\"",
    "\"mode\"",
    "\"accessors\"",
    "\"bufferView\"",
    "\"componentType\"",
    "\"count\"",
    "\"type\"",
    "\"VEC3\"",
    "\"SCALAR\"",
    "\"bufferViews\"",
    "\"buffer\"",
    "\"byteLength\"",
    "\"byteOffset\"",
    "\"byteStride\"",
    "\"buffers\"",
    "\"uri\"",
    "data:application/octet-stream;base64,",
    "\"matrix\"",
    "\"translation\"",
    "\"rotation\"",
    "\"scale\"",
    "\"children\"",
    "\"sparse\"",
    "\"normalized\"",
    "\"extensionsRequired\"",
    "\"extensions\"",
    "5126",
    "5125",
    "5123",
    "5121",
];
const COLLADA: &[&str] = &[
    "<COLLADA",
    "</",
    "/>",
    "<asset>",
    "<unit meter=\"",
    "<up_axis>Y_UP</up_axis>",
    "<geometry id=\"",
    "<mesh>",
    "<source id=\"",
    "<float_array count=\"",
    "<technique_common>",
    "<accessor source=\"#",
    "stride=\"",
    "offset=\"",
    "<param name=\"X\"/>",
    "<vertices id=\"",
    "<input semantic=\"",
    "POSITION",
    "VERTEX",
    "<polylist",
    "<triangles",
    "<polygons",
    "<tristrips",
    "<trifans",
    "<vcount>",
    "<p>",
    "<ph>",
    "<h>",
    "<visual_scene",
    "<node",
    "<instance_geometry url=\"#",
    "<instance_node url=\"#",
    "<translate>",
    "<rotate>",
    "<scale>",
    "<matrix>",
    "<lookat>",
    "<skew>",
    "<library_nodes>",
    "<instance_visual_scene url=\"#",
    "&amp;",
    "<!DOCTYPE",
    "<![CDATA[",
];

const TRIANGLE: &str =
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

fn stl_seeds() -> Vec<Vec<u8>> {
    let ascii = format!("solid a\n{TRIANGLE}endsolid a\n");
    vec![
        ascii.into_bytes(),
        include_bytes!("../../../../examples/words/slot.stl").to_vec(),
        tetrahedron("stl"),
    ]
}

fn obj_seeds() -> Vec<Vec<u8>> {
    vec![
        b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 -1//1\n".to_vec(),
        include_bytes!("../../../../examples/words/groove.obj").to_vec(),
        include_bytes!("../../../../examples/words/hole.obj").to_vec(),
        tetrahedron("obj"),
    ]
}

fn ply_seeds() -> Vec<Vec<u8>> {
    let head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    vec![format!("{head}0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n").into_bytes(), tetrahedron("ply")]
}

fn off_seeds() -> Vec<Vec<u8>> {
    vec![
        b"OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n4 0 1 3 2 255 0 0\n".to_vec(),
        b"OFF BINARY\n\0\0\0\x03\0\0\0\x01\0\0\0\0".to_vec(),
    ]
}

fn gltf_seeds() -> Vec<Vec<u8>> {
    let text = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"scale":[1,2,3],"children":[1]},{"mesh":0,"rotation":[0,0,0,1],"translation":[1,0,0]}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":4}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;
    vec![text.as_bytes().to_vec(), tetrahedron("glb")]
}

fn collada_seeds() -> Vec<Vec<u8>> {
    let text = r##"<?xml version="1.0"?><COLLADA version="1.4.1"><asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#pa" count="3" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices><polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3</vcount><p>0 1 2</p></polylist></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node><translate>1 2 3</translate><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;
    let polygons = text
        .replace("<polylist count=\"1\">", "<polygons count=\"1\">")
        .replace("<vcount>3</vcount>", "")
        .replace("</polylist>", "</polygons>");
    vec![text.as_bytes().to_vec(), polygons.into_bytes()]
}

/// A small solid as our own writers have it.
fn tetrahedron(extension: &str) -> Vec<u8> {
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    let beside = |name: &str| Err(format!("'{name}' is not there"));
    let loaded = parse(obj, Path::new("a.obj"), &MeshOptions::default(), &beside).expect("a good mesh");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a").with_extension(extension);
    write(&path, &loaded.mesh).expect("written");
    std::fs::read(&path).expect("just written")
}
