//! The file around the document: versions, places of faults, what is cut off, and what is written.

use super::*;

#[test]
fn versions() {
    let cases = [
        (json!({ "version": "1.0" }), "this is glTF 1.0; only 2.0 is read"),
        (json!({ "version": "20" }), "this is glTF 20; only 2.0 is read"),
        (json!({}), "the version of glTF (asset.version) is missing"),
        (
            json!({ "version": "2.1", "minVersion": "2.1" }),
            "the file asks for a reader of glTF 2.1 (asset.minVersion); only 2.0 is read",
        ),
    ];
    for (asset, expected) in cases {
        refused(json!({ "asset": asset }), &triangle_bin(), &[expected]);
    }
    check(json!({ "asset": { "version": "2.1", "minVersion": "2.0" } }), &triangle_bin(), &[TRIANGLE]);
    // The version comes first: glTF 1.0 had objects where 2.0 has lists.
    refused_file(br#"{"asset":{"version":"1.0"},"nodes":{}}"#, &["this is glTF 1.0; only 2.0 is read"]);
    refused_file(b"{}", &["the version of glTF (asset.version) is missing"]);
}

#[test]
fn faults_of_the_text_have_line_and_column() {
    let text = "{\r\n  \"asset\": { \"version\": \"2.0\" },\r\n  \"ä\": 1, \"nodes\": [}\r\n}";
    let faults = read(text.as_bytes(), &nothing_beside).expect_err("the text is bad");
    let quote = "  \"ä\": 1, \"nodes\": [}".to_owned();
    assert_eq!(faults[0].place, Place::Line { line: 3, column: 21, length: 1, quote, mark: 20 });
    assert_eq!(faults[0].what, "this is not JSON: expected value");

    let cases = [
        ("{", "line 1, column 1: this is not JSON: EOF while parsing an object"),
        ("{\n\n", "line 3, column 1: this is not JSON: EOF while parsing an object"),
        ("", "line 1, column 1: this is not JSON: EOF while parsing a value"),
        (
            "{\"asset\":{\"version\":\"2.0\"},\n\"accessors\":[{\"count\":-1}]}",
            "line 2, column 24: this is no glTF 2.0 document: invalid value: integer `-1`, expected u64",
        ),
        (
            "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"scale\":[1,2]}]}",
            "line 1, column 50: this is no glTF 2.0 document: invalid length 2, expected an array of length 3",
        ),
        ("STL", "this is neither a GLB (it would begin with 'glTF') nor a JSON object"),
    ];
    for (text, expected) in cases {
        refused_file(text.as_bytes(), &[expected]);
    }
    let deep = format!("{{\"extras\":{}", "[".repeat(100_000));
    assert!(read(deep.as_bytes(), &nothing_beside).is_err());

    let marked = [b"\xEF\xBB\xBF", br#"{"asset":{"version":"2.0"}}"#.as_slice()].concat();
    assert!(read(&marked, &nothing_beside).is_ok());
}

#[test]
fn faults_of_the_container_have_a_byte() {
    let json = chunk(b"JSON", b"{\"asset\":{\"version\":\"2.0\"}} ");
    let empty = || chunk(b"BIN\0", b"");
    let cases = [
        (container(1, &[]), "byte 4: this is version 1 of GLB; only version 2 is read"),
        (container(2, &[]), "byte 12: this GLB has no JSON chunk"),
        (container(2, &[empty(), json.clone()]), "byte 12: the first chunk of a GLB must be its JSON"),
        (
            container(2, &[json.clone(), json.clone()]),
            "byte 48: a second JSON or BIN chunk: a GLB holds one of each",
        ),
        (
            container(2, &[json.clone(), empty(), empty()]),
            "byte 56: a second JSON or BIN chunk: a GLB holds one of each",
        ),
        (
            container(2, &[json.clone(), b"abc".to_vec()]),
            "byte 48: the header of a chunk takes 8 bytes, but 3 are left",
        ),
        (
            container(2, &[json.clone(), b"\xFF\xFF\xFF\xFFBIN\0".to_vec()]),
            "byte 48: a chunk claims 4294967295 bytes, but 0 are left",
        ),
        (container(2, &[chunk(b"JSON", b"{\n \"a\" }")]), "byte 27: this is not JSON: expected `:`"),
        (b"glTF\x02\0\0\0\x05\0\0\0".to_vec(), "byte 8: the header gives the file a length of 5 bytes"),
        (b"glTF\x02\0".to_vec(), "byte 6: the file is truncated: it ends after 6 of 12 bytes"),
    ];
    for (bytes, expected) in cases {
        refused_file(&bytes, &[expected]);
    }

    let zeros = chunk(b"JSON", b"{\"asset\":{\"version\":\"2.0\"}}\0");
    let unknown = chunk(b"ACME", b"1234");
    let good = container(2, &[zeros, unknown.clone(), empty(), unknown]);
    let raw = read(&good, &nothing_beside).expect("unknown chunks are skipped");
    assert!(raw.warnings.is_empty());
    let extended = [good, b"tail".to_vec()].concat();
    let raw = read(&extended, &nothing_beside).expect("the GLB itself is whole");
    assert_eq!(shown(&raw.warnings), "byte 80: 4 bytes after the end of the GLB were not read\n");
    let odd = container(2, &[json, chunk(b"BIN\0", b"12345")]);
    let raw = read(&odd, &nothing_beside).expect("readable");
    assert_eq!(
        shown(&raw.warnings),
        "byte 48: the length of a chunk is no multiple of four (chunks: 1)\n\
         5 bytes of the BIN chunk belong to no buffer\n"
    );
}

#[test]
fn a_truncated_file_is_refused_at_every_length() {
    let whole = glb(&document(json!({})), &triangle_bin());
    for length in 0..whole.len() {
        let cut = &whole[..length];
        assert!(read(cut, &nothing_beside).is_err(), "{length} bytes");
        if length >= 12 {
            // The same with a header that fits, so that the chunks have to notice.
            let mut fitted = cut.to_vec();
            fitted[8..12].copy_from_slice(&(length as u32).to_le_bytes());
            assert!(read(&fitted, &nothing_beside).is_err(), "{length} bytes");
        }
    }
    assert!(read(&whole, &nothing_beside).is_ok());
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let (parts, bin) = sparse(true, &[1]);
        let mut bytes = glb(&document(parts), &bin);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = read(&bytes, &nothing_beside);
        let _ = read(&bytes[..cut.index(bytes.len())], &nothing_beside);
        let _ = read(&bytes[at..], &nothing_beside);
    }
}

fn tetrahedron(at: DVec3, size: f64) -> Mesh {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|corner| at + size * corner);
    weld(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], 0.0).expect("a good mesh").mesh
}

fn round_trip(mesh: &Mesh) -> Mesh {
    let bytes = write(mesh, load::Up::TurnToZ);
    let turned = load::MeshOptions { up: load::Up::TurnToZ, ..load::MeshOptions::default() };
    let loaded = load::parse(&bytes, Path::new("part.glb"), &turned, &nothing_beside);
    let loaded = loaded.map_err(|faults| shown(&faults)).expect("what we write is good");
    assert_eq!(shown(&loaded.warnings), "");
    loaded.mesh
}

#[test]
fn single_precision_comes_back_exactly() {
    for at in [DVec3::ZERO, DVec3::new(1.0, -2.0, 3.0), DVec3::new(-1e5, 1e5, 0.0)] {
        let mesh = tetrahedron(at, 0.25);
        assert_eq!(round_trip(&mesh), mesh);
    }
}

#[test]
fn axes_that_were_kept_are_kept_again() {
    let mesh = tetrahedron(DVec3::new(0.1, 0.2, 0.3), 0.25);
    let kept = load::MeshOptions { up: load::Up::AsInFile, ..load::MeshOptions::default() };
    let bytes = write(&mesh, load::Up::AsInFile);
    let back = load::parse(&bytes, Path::new("part.glb"), &kept, &nothing_beside).expect("a good file").mesh;
    for (back, there) in back.vertices().iter().zip(mesh.vertices()) {
        assert!(back.distance(*there) < 1e-7, "{back} instead of {there}");
    }
}

#[test]
fn parts_far_away_keep_their_precision() {
    for far in [0.0, 1.0, 1e5] {
        let mesh = tetrahedron(DVec3::new(far + 0.1, -far, 0.3 * far), 0.01);
        let back = round_trip(&mesh);
        assert_eq!(back.triangles(), mesh.triangles());
        // Half a step of single precision at half the size, and of double precision at the distance.
        let tolerance = 0.005 * f64::from(f32::EPSILON) + far * 4.0 * f64::EPSILON;
        for (back, there) in back.vertices().iter().zip(mesh.vertices()) {
            assert!(back.distance(*there) <= tolerance, "{back} instead of {there}");
        }
    }
}

#[test]
fn what_is_written_is_laid_out_as_the_format_says() {
    let bytes = write(&tetrahedron(DVec3::new(0.0, 2.0, 4.0), 2.0), load::Up::TurnToZ);
    assert_eq!(bytes.len() % 4, 0);
    let container = crate::mesh::gltf::container::Container::open(&bytes).expect("a GLB");
    assert_eq!(container.json_at, Some(20));
    assert_eq!(container.bin.map(<[u8]>::len), Some(4 * 12 + 4 * 12));
    let json: Value = serde_json::from_slice(&container.json).expect("JSON");
    assert_eq!(json["asset"], json!({ "version": "2.0", "generator": "kansho" }));
    assert_eq!(json["accessors"][0]["min"], json!([0.0, 2.0, 4.0]));
    assert_eq!(json["accessors"][0]["max"], json!([2.0, 4.0, 6.0]));
}
