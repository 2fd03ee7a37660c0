use super::super::raw::RawMesh;
use super::{read, write};
use crate::fault::{Fault, Place};
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::weld;
use proptest::prelude::*;

const TETRAHEDRON: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
    property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n\
    0 0 0\n1 0 0\n0 2.5 0\n0 0 -3\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";

const TETRAHEDRON_TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// A file with four vertices (0 0 0, 1 0 0, 1 1 0, 0 1 0) and the rest as given.
fn square(element: &str, rows: &str) -> String {
    format!(
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
         {element}\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n{rows}\n"
    )
}

fn faces(count: usize, rows: &str) -> String {
    square(&format!("element face {count}\nproperty list uchar int vertex_indices"), rows)
}

fn good(file: impl AsRef<[u8]>) -> RawMesh {
    read(file.as_ref()).expect("the file is good")
}

fn points(mesh: &RawMesh) -> Vec<[f64; 3]> {
    mesh.soup.points.iter().map(DVec3::to_array).collect()
}

fn worded(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(ToString::to_string).collect()
}

fn check_triangles(file: impl AsRef<[u8]>, expected: &[[u32; 3]], warnings: &[&str]) {
    let mesh = good(file);
    assert_eq!(mesh.soup.triangles, expected);
    assert_eq!(worded(&mesh.warnings), warnings);
    assert_eq!((mesh.metres_per_unit, mesh.up), (None, None));
}

fn check_faults(file: impl AsRef<[u8]>, expected: &[&str]) {
    let faults = read(file.as_ref()).expect_err("the file is bad");
    assert_eq!(worded(&faults), expected);
}

/// The tetrahedron in binary, each value passed through `order`.
fn binary_tetrahedron(format: &str, order: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut bytes = TETRAHEDRON.split_inclusive("end_header\n").next().expect("a header").to_owned();
    bytes = bytes.replace("ascii", format);
    let mut bytes = bytes.into_bytes();
    for corner in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.5, 0.0], [0.0, 0.0, -3.0_f32]] {
        for coordinate in corner {
            let mut value = coordinate.to_le_bytes();
            order(&mut value);
            bytes.extend(value);
        }
    }
    for triangle in TETRAHEDRON_TRIANGLES {
        bytes.push(3);
        for corner in triangle {
            let mut value = corner.to_le_bytes();
            order(&mut value);
            bytes.extend(value);
        }
    }
    bytes
}

#[test]
fn all_encodings_and_line_ends_give_the_same_mesh() {
    let little = binary_tetrahedron("binary_little_endian", |_| {});
    let big = binary_tetrahedron("binary_big_endian", <[u8]>::reverse);
    let utf16: Vec<u8> =
        "\u{FEFF}".chars().chain(TETRAHEDRON.chars()).flat_map(|c| (c as u16).to_le_bytes()).collect();
    let files = [
        TETRAHEDRON.as_bytes().to_vec(),
        TETRAHEDRON.replace('\n', "\r\n").into_bytes(),
        TETRAHEDRON.replace('\n', "\r").into_bytes(),
        format!("\u{FEFF}{TETRAHEDRON}").into_bytes(),
        utf16,
        with_line_ends(&little, "\r\n"),
        with_line_ends(&little, "\r"),
        little,
        big,
    ];
    for file in files {
        let mesh = good(&file);
        assert_eq!(points(&mesh), [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.5, 0.0], [0.0, 0.0, -3.0]]);
        assert_eq!(mesh.soup.triangles, TETRAHEDRON_TRIANGLES);
        assert_eq!(mesh.warnings, []);
    }
}

/// A binary file whose header lines end so.
fn with_line_ends(file: &[u8], end: &str) -> Vec<u8> {
    let body = file.windows(11).position(|part| part == b"end_header\n").expect("a header") + 11;
    let header = String::from_utf8(file[..body].to_vec()).expect("a header is ASCII");
    [header.replace('\n', end).as_bytes(), &file[body..]].concat()
}

#[test]
fn after_bare_returns_a_line_feed_belongs_to_the_body() {
    // The first coordinate is the byte 10, which is a line feed.
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty char y\n\
                  property uint8 z\nelement face 1\nproperty list uint16 int8 vertex_index\nend_header\n";
    let body: &[u8] = &[10, 255, 10, 13, 0, 0, 0, 1, 0, 3, 0, 0, 1, 2];
    for end in ["\n", "\r\n", "\r"] {
        let mesh = good([header.replace('\n', end).as_bytes(), body].concat());
        assert_eq!(points(&mesh), [[10.0, -1.0, 10.0], [13.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(mesh.soup.triangles, [[0, 1, 2]]);
        assert_eq!(mesh.warnings, []);
    }
}

#[test]
fn any_order_of_elements_and_properties_with_lists_anywhere() {
    let header = |format: &str| {
        format!(
            "ply\ncomment written by hand\nobj_info num_cols 3\nformat {format} 1.0\nelement camera 1\n\
             property list uchar double values\nproperty int16 id\nelement face 2\n\
             property list int32 float uv\nproperty list uchar uint vertex_index\nproperty uchar red\n\
             property list ushort short more\nelement edge 1\nproperty int vertex1\nproperty int vertex2\n\
             element nothing 4294967295\nelement vertex 3\nproperty double z\nproperty list uchar int where\n\
             property float nx\nproperty double x\nproperty short y\nend_header\n"
        )
    };
    let text = "2 0.5 nan 7\n1 0.25 3 0 1 2 255 0\n0 3 2 1 0 9 2 -1 -2\n0 1\n\
                1 0 -nan(ind) 2 3\n4 2 8 9 0 5 6\n7 1 8 inf 8 -9\n";
    let mut binary = Vec::new();
    let mut put = |bytes: &[u8]| binary.extend(bytes);
    put(&[2]);
    [0.5_f64, f64::NAN].iter().for_each(|v| put(&v.to_be_bytes()));
    put(&7_i16.to_be_bytes());
    put(&1_i32.to_be_bytes());
    put(&0.25_f32.to_be_bytes());
    put(&[3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 255, 0, 0]);
    put(&[0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 9, 0, 2, 255, 255, 255, 254]);
    put(&[0, 0, 0, 0, 0, 0, 0, 1]);
    for (z, list, x, y) in
        [(1.0_f64, vec![], 2.0_f64, 3_i16), (4.0, vec![8_i32, 9], 5.0, 6), (7.0, vec![8], 8.0, -9)]
    {
        put(&z.to_be_bytes());
        put(&[list.len() as u8]);
        list.iter().for_each(|v| put(&v.to_be_bytes()));
        put(&f32::NAN.to_be_bytes());
        put(&x.to_be_bytes());
        put(&y.to_be_bytes());
    }
    let binary = [header("binary_big_endian").as_bytes(), &binary].concat();
    for file in [(header("ascii") + text).into_bytes(), binary] {
        let mesh = good(file);
        assert_eq!(points(&mesh), [[2.0, 3.0, 1.0], [5.0, 6.0, 4.0], [8.0, -9.0, 7.0]]);
        assert_eq!(mesh.soup.triangles, [[0, 1, 2], [2, 1, 0]]);
        assert_eq!(mesh.warnings, []);
    }
}

#[test]
fn polygons_are_cut_and_short_or_crossing_ones_are_counted() {
    let mesh = good(faces(1, "4 0 1 2 3"));
    let corners = |t: &[u32; 3]| t.map(|corner| mesh.soup.points[corner as usize]);
    let area_of = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a) / 2.0;
    let areas: Vec<DVec3> = mesh.soup.triangles.iter().map(|t| area_of(corners(t))).collect();
    assert_eq!(areas, [DVec3::Z / 2.0; 2]);
    assert_eq!(mesh.warnings, []);
    let mesh =
        good(faces(4, "3 0 1 2\n2 0 1\n0\n4 0 1 2 3").replace("1 0 0\n1 1 0\n0 1 0", "4 0 0\n1 2 0\n3 2 0"));
    assert_eq!(mesh.soup.triangles[0], [0, 1, 2]);
    assert_eq!(mesh.soup.triangles.len(), 3);
    assert_eq!(
        worded(&mesh.warnings),
        [
            "line 15, column 5: 2 faces have fewer than 3 corners and are left out",
            "face 4: 1 polygon crosses or touches itself: which area is meant is unclear"
        ]
    );
}

#[test]
fn strips_alternate_their_winding_and_begin_anew_at_minus_one() {
    let strips = |rows: &str| square("element tristrips 1\nproperty list int int vertex_indices", rows);
    check_triangles(strips("4 0 1 3 2"), &[[0, 1, 3], [3, 1, 2]], &[]);
    check_triangles(strips("10 0 1 3 2 -1 3 2 1 0 -1"), &[[0, 1, 3], [3, 1, 2], [3, 2, 1], [1, 2, 0]], &[]);
    check_triangles(
        strips("6 0 1 -1 3 2 1"),
        &[[3, 2, 1]],
        &["line 14, column 7: 1 face has fewer than 3 corners and is left out"],
    );
    check_faults(
        strips("3 0 -2 4"),
        &[
            "line 14, column 5: tristrips 1: there is no vertex '-2': there are 4, counted from 0",
            "line 14, column 8: tristrips 1: there is no vertex '4': there are 4, counted from 0",
        ],
    );
}

#[test]
fn point_clouds_are_told() {
    let cloud = "a point cloud: 4 vertices and no faces between them";
    check_triangles(square("comment no faces", ""), &[], &[cloud]);
    check_triangles(square("element face 0", ""), &[], &[cloud]);
    let grid = "element range_grid 2\nproperty list uchar int vertex_indices";
    check_triangles(square(grid, "1 0\n0"), &[], &[cloud]);
}

#[test]
fn rows_need_not_keep_to_their_lines() {
    let ragged = |first: &str| {
        format!(
            "{first}: rows do not keep to one line each (1 place, here): words are taken one after the other"
        )
    };
    for (apart, place) in [("0 2.5 0 0", "line 12, column 9"), ("0\n2.5 0\n0", "line 13, column 1")] {
        let mesh = good(TETRAHEDRON.replace("0 2.5 0\n0", apart));
        assert_eq!(points(&mesh)[2..], [[0.0, 2.5, 0.0], [0.0, 0.0, -3.0]]);
        assert_eq!(mesh.soup.triangles, TETRAHEDRON_TRIANGLES);
        assert_eq!(worded(&mesh.warnings), [ragged(place)]);
    }
    // A number too few and one too many make up for each other in the counts, but not in the lines.
    check_faults(
        TETRAHEDRON.replace("0 2.5 0\n0", "0 2.5\n0 0"),
        &["line 13, column 1: rows do not keep to one line each (2 places, the first here): \
           a number is missing or too many"],
    );
    check_faults(
        TETRAHEDRON.trim_end().to_owned() + " 3\n",
        &[
            "line 17, column 9: rows do not keep to one line each (1 place, here): words are taken one after the other",
            "line 17, column 9: more follows after the last element; it is ignored",
        ],
    );
    // A missing word is found where it is missing, not only where the file ends.
    check_faults(
        TETRAHEDRON.replace("0 2.5 0", "0 2.5"),
        &[
            "line 13, column 1: rows do not keep to one line each (8 places, the first here): \
         a number is missing or too many",
            "line 14, column 3: 4 faces have fewer than 3 corners and are left out",
            "line 16, column 1: more follows after the last element; it is ignored",
        ],
    );
}

#[test]
fn what_follows_the_body_is_a_warning() {
    check_triangles(
        TETRAHEDRON.to_owned() + "\n\n3 0 1 2\n",
        &TETRAHEDRON_TRIANGLES,
        &["line 20, column 1: more follows after the last element; it is ignored"],
    );
    let mut file = binary_tetrahedron("binary_little_endian", |_| {});
    let end = file.len();
    file.extend(b"\n\n");
    check_triangles(
        file,
        &TETRAHEDRON_TRIANGLES,
        &[&format!("byte {end}: 2 bytes follow after the last element; they are ignored")],
    );
}

#[test]
fn faults_of_the_header_are_all_named() {
    check_faults("", &["the file is blank"]);
    check_faults("plyx\n", &["line 1, column 1: a PLY file begins with the word 'ply' on a line of its own"]);
    check_faults(
        "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\n",
        &["line 4, column 1: the header has no 'end_header': the file ends here"],
    );
    check_faults(
        "ply\nformat ascii 1.0\nelement vertex 1\n0 0 0\n",
        &["line 4, column 1: the header has no 'end_header': data seem to begin here"],
    );
    check_faults(
        "ply\nproperty float x\nelement vertex many\nproperty float x\nproperty real y\nproperty float x\n\
         element face -1\nproperty list float int vertex_indices\nproperty list uchar int\nelement vertex 3\n\
         property list uchar float z\n  thing 4\nelement\nproperty int32 ok more\nend_header 5\n",
        &[
            "line 2, column 1: a property before the first element",
            "line 3, column 16: 'many' is not a whole number",
            "line 5, column 10: 'real' is no type of PLY",
            "line 6, column 16: a second property 'x' of one element",
            "line 7, column 14: an element cannot have -1 rows",
            "line 8, column 15: the length of a list is a whole number",
            "line 9, column 1: a property line reads 'property <type> <name>' or \
             'property list <type> <type> <name>'",
            "line 10, column 9: a second element 'vertex'",
            "line 12, column 3: 'thing' is no keyword of a PLY header",
            "line 13, column 1: an element line reads 'element <name> <count>'",
            "line 14, column 1: a property line reads 'property <type> <name>' or \
             'property list <type> <type> <name>'",
            "line 15, column 12: nothing may follow 'end_header' on its line",
            "line 1, column 1: the header has no format line",
            "line 3, column 9: vertices have no property 'z'",
            "line 10, column 9: vertices have no property 'x'",
            "line 10, column 9: vertices have no property 'y'",
            "line 11, column 27: 'z' of a vertex is a number, not a list",
        ],
    );
    check_faults(
        "ply\nformat ascii 2.0\nformat ascii 1.0\nformat utf8\nend_header\n",
        &[
            "line 2, column 14: version '2.0' is unknown, PLY has 1.0 only",
            "line 3, column 1: a second format line",
            "line 4, column 1: a format line reads 'format <encoding> 1.0'",
            "line 5, column 1: the header has no element 'vertex'",
        ],
    );
    check_faults(
        "ply\nformat binary 1.0\nelement vertex 5000000000\nproperty float x\nend_header\n",
        &[
            "line 2, column 8: 'binary' is no encoding of PLY",
            "line 3, column 16: more vertices than 32-bit indices can name",
            "line 3, column 9: vertices have no property 'y'",
            "line 3, column 9: vertices have no property 'z'",
        ],
    );
}

#[test]
fn faces_need_one_list_of_indices() {
    check_faults(
        square("element face 1\nproperty list uchar int corners", "3 0 1 2"),
        &["line 7, column 9: element 'face' has no property 'vertex_indices' (or 'vertex_index')"],
    );
    check_faults(
        square("element face 1\nproperty int vertex_index", "3"),
        &["line 8, column 14: vertex indices are a list, this is a single number"],
    );
    check_faults(
        square("element face 1\nproperty foo vertex_index", "3"),
        &["line 8, column 10: 'foo' is no type of PLY"],
    );
    let both = "property list uchar int vertex_index\nproperty list uchar int vertex_indices";
    check_faults(
        square(&format!("element face 1\n{both}"), "3 0 1 2 3 0 1 2"),
        &["line 9, column 25: both 'vertex_indices' and 'vertex_index': which one is meant is unclear"],
    );
}

#[test]
fn a_fault_quotes_its_line() {
    let faults = read(faces(1, "3 0 1  44").as_bytes()).expect_err("there is no vertex 44");
    let Place::Line { line: 14, column: 8, length: 2, quote, .. } = &faults[0].place else {
        panic!("{:?}", faults[0].place)
    };
    assert_eq!(quote, "3 0 1  44");
}

#[test]
fn faults_of_the_body_are_all_named() {
    let file = TETRAHEDRON.replace("1 0 0", "nan 1,5 x").replace("3 1 2 3", "3 1 -2 4");
    check_faults(
        &file,
        &[
            "line 11, column 1: vertex 2: x is 'nan', not a finite number",
            "line 11, column 5: vertex 2: y is '1,5', not a finite number",
            "line 11, column 9: vertex 2: z is 'x', not a finite number",
            "line 16, column 5: face 3: there is no vertex '-2': there are 4, counted from 0",
            "line 16, column 8: face 3: there is no vertex '4': there are 4, counted from 0",
        ],
    );
    let help = read(file.as_bytes()).expect_err("as above")[1].help.clone();
    assert_eq!(help.as_deref(), Some("write decimals with a point"));

    check_faults(
        faces(1, "-3 0 1 2"),
        &["line 14, column 1: face 1: list 'vertex_indices' has the impossible length '-3'"],
    );
    check_faults(
        faces(1, "1.5 0 1 2"),
        &["line 14, column 1: face 1: list 'vertex_indices' has the impossible length '1.5'"],
    );
    check_faults(
        faces(1, "three 0 1 2"),
        &["line 14, column 1: face 1: list 'vertex_indices' has the impossible length 'three'"],
    );
    let real = "element face 1\nproperty list uchar float vertex_indices";
    check_triangles(square(real, "3 0 1 2.0"), &[[0, 1, 2]], &[]);
    check_faults(
        square(real, "3 0 1.5 nan"),
        &[
            "line 14, column 5: face 1: '1.5' is no index, for it is not a whole number",
            "line 14, column 9: face 1: 'nan' is no index, for it is not a whole number",
        ],
    );
}

#[test]
fn faults_of_a_binary_body_name_the_byte() {
    let mut file = binary_tetrahedron("binary_little_endian", |_| {});
    let body = file.len() - 4 * 13 - 4 * 12;
    file[body + 16..body + 20].copy_from_slice(&f32::INFINITY.to_le_bytes());
    file[body + 48 + 5..body + 48 + 9].copy_from_slice(&(-7_i32).to_le_bytes());
    file[body + 48 + 26] = 200;
    check_faults(
        file,
        &[
            &format!("byte {}: vertex 2: y is inf, not a finite number", body + 16),
            &format!("byte {}: face 1: there is no vertex -7: there are 4, counted from 0", body + 53),
            &format!(
                "byte {}: face 3: list 'vertex_indices' has 200 entries, but the file ends after at most 6: \
             it is cut off, or the length is wrong",
                body + 74
            ),
        ],
    );
}

#[test]
fn a_file_that_ends_early_is_refused_wherever_it_ends() {
    for file in [
        binary_tetrahedron("binary_little_endian", |_| {}),
        binary_tetrahedron("binary_big_endian", <[u8]>::reverse),
        TETRAHEDRON.trim_end().as_bytes().to_vec(),
    ] {
        good(&file);
        for end in 0..file.len() {
            assert!(!read(&file[..end]).expect_err("it is cut off").is_empty(), "cut at {end}");
        }
    }
    let binary = binary_tetrahedron("binary_little_endian", |_| {});
    let body = binary.len() - 4 * 13 - 4 * 12;
    check_faults(
        &binary[..body + 18],
        &[&format!("byte {}: the file ends within vertex 2 of 4: 'y' is missing", body + 16)],
    );
    let text = TETRAHEDRON.split("3 1 2 3").next().expect("two faces");
    check_faults(text, &["line 15, column 7: the file ends within face 3 of 4: 'vertex_indices' is missing"]);
}

#[test]
fn absurd_counts_take_no_memory() {
    for count in ["4294967295", "9223372036854775807"] {
        for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
            for (element, list) in
                [("face", "vertex_indices"), ("tristrips", "vertex_indices"), ("grid", "a")]
            {
                let file = format!(
                    "ply\nformat {format} 1.0\nelement {element} {count}\nproperty list uint int {list}\n\
                     element vertex 4294967295\nproperty uchar x\nproperty uchar y\nproperty uchar z\n\
                     end_header\n4294967295 0 0"
                );
                assert_eq!(read(file.as_bytes()).expect_err("it is cut off").len(), 1);
            }
        }
    }
    let file = binary_tetrahedron("binary_little_endian", |_| {});
    let text = String::from_utf8_lossy(&file[..120]).replace("vertex 4", "vertex 4294967295");
    assert!(read(text.as_bytes()).is_err());
}

#[test]
fn thousands_of_faults_on_one_line_are_counted() {
    let rows = "3 9 9 9 ".repeat(50_000);
    let faults = read(faces(50_000, &rows).as_bytes()).expect_err("there is no vertex 9");
    assert_eq!(faults.last().map(|fault| fault.what.as_str()), Some("and 149980 more faults"));
}

#[test]
fn a_header_without_end_is_not_read_for_ever() {
    let mut file = String::from("ply\nformat ascii 1.0\n");
    (0..20_000).for_each(|i| file += &format!("element e{i} 0\n"));
    check_faults(file, &["line 10002, column 1: more than 10000 lines in the header"]);
}

#[test]
fn the_written_header_is_as_promised() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let mesh = weld(&corners, &[[0, 1, 2]], 0.0).expect("a triangle").mesh;
    let file = write(&mesh);
    let header = "ply\nformat binary_little_endian 1.0\ncomment made by kansho, metres\nelement vertex 3\n\
                  property double x\nproperty double y\nproperty double z\nelement face 1\n\
                  property list uchar uint vertex_indices\nend_header\n";
    assert_eq!(&file[..header.len()], header.as_bytes());
    assert_eq!(file.len(), header.len() + 3 * 24 + 13);
    assert_eq!(file[header.len() + 72..], [3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_exactly(
        corners in prop::collection::vec(prop::array::uniform3(-1e6..1e6_f64), 3..40),
        picks in prop::collection::vec(any::<[prop::sample::Index; 3]>(), 1..60),
    ) {
        let corners: Vec<DVec3> = corners.into_iter().map(DVec3::from_array).collect();
        let triangles: Vec<[u32; 3]> =
            picks.iter().map(|pick| pick.map(|corner| corner.index(corners.len()) as u32)).collect();
        let Ok(welded) = weld(&corners, &triangles, 0.0) else { return Ok(()) };
        let again = good(write(&welded.mesh));
        prop_assert_eq!(again.soup.points.as_slice(), welded.mesh.vertices());
        prop_assert_eq!(again.soup.triangles.as_slice(), welded.mesh.triangles());
        prop_assert!(again.warnings.is_empty());
    }

    #[test]
    fn no_bytes_make_it_panic(
        which in 0..3_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut file = match which {
            0 => TETRAHEDRON.as_bytes().to_vec(),
            1 => binary_tetrahedron("binary_little_endian", |_| {}),
            _ => binary_tetrahedron("binary_big_endian", <[u8]>::reverse),
        };
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Ok(mesh) = read(&file) {
            let count = mesh.soup.points.len();
            prop_assert!(mesh.soup.triangles.iter().flatten().all(|&corner| (corner as usize) < count));
        }
    }
}
