use super::read;
use crate::fault::{Fault, Place};
use crate::mesh::raw::{RawMesh, UpAxis};
use kansho_geom::glam::DVec3;
use proptest::prelude::*;

/// A triangle as `geometry 'g'`.
const TRIANGLE: &str = r##"<geometry id="g"><mesh>
<source id="s"><float_array id="f" count="9">0 0 0 1 0 0 0 2 3</float_array><technique_common>
<accessor source="#f" count="3" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor>
</technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry>"##;

const ASSET: &str = "<asset><up_axis>Z_UP</up_axis></asset>";
const INSTANCE: &str = r##"<instance_geometry url="#g"/>"##;

fn document(asset: &str, geometries: &str, rest: &str, nodes: &str) -> String {
    format!(
        r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">{asset}
<library_geometries>{geometries}</library_geometries>{rest}
<library_visual_scenes><visual_scene id="scene">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>"##
    )
}

/// The triangle in these nodes.
fn scene(nodes: &str) -> String {
    document(ASSET, TRIANGLE, "", nodes)
}

/// A geometry with these points and surfaces, placed once.
fn mesh(points: &[[f64; 3]], surfaces: &str) -> String {
    let numbers: Vec<String> = points.iter().flatten().map(f64::to_string).collect();
    let geometry = TRIANGLE
        .replace("0 0 0 1 0 0 0 2 3", &numbers.join(" "))
        .replace("count=\"9\"", &format!("count=\"{}\"", numbers.len()))
        .replace("count=\"3\"", &format!("count=\"{}\"", points.len()));
    let start = geometry.find("<triangles").expect("the triangle has a surface");
    let end = geometry.find("</mesh>").expect("the triangle has a mesh");
    let geometry = format!("{}{surfaces}{}", &geometry[..start], &geometry[end..]);
    document(ASSET, &geometry, "", &format!("<node>{INSTANCE}</node>"))
}

fn accepted(text: &str) -> RawMesh {
    read(text.as_bytes()).expect("a good file")
}

fn corners(raw: &RawMesh) -> Vec<[[f64; 3]; 3]> {
    let corner = |i: u32| raw.soup.points[i as usize].to_array();
    raw.soup.triangles.iter().map(|t| t.map(corner)).collect()
}

fn area(raw: &RawMesh) -> f64 {
    let doubled = corners(raw).into_iter().map(|t| {
        let [a, b, c] = t.map(DVec3::from_array);
        (b - a).cross(c - a).length()
    });
    doubled.sum::<f64>() / 2.0
}

fn words(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(ToString::to_string).collect()
}

/// The file is refused for exactly these reasons.
fn refused(text: &str, expected: &[&str]) {
    let faults = read(text.as_bytes()).expect_err("a bad file");
    assert_eq!(words(&faults), expected);
}

/// The file is accepted with exactly these warnings.
fn warned(text: &str, expected: &[&str]) -> RawMesh {
    let raw = accepted(text);
    assert_eq!(words(&raw.warnings), expected);
    raw
}

/// Where the transforms take the triangle (0 0 0, 1 0 0, 0 2 3).
fn check_placed(transforms: &str, expected: [[f64; 3]; 3]) {
    let raw = warned(&scene(&format!("<node>{transforms}{INSTANCE}</node>")), &[]);
    assert_eq!(corners(&raw), [expected], "{transforms}");
}

const PLAIN: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 3.0]];

#[test]
fn units_and_axes_are_handed_on() {
    let with = |asset: &str| {
        let raw = accepted(&document(asset, TRIANGLE, "", &format!("<node>{INSTANCE}</node>")));
        (raw.metres_per_unit, raw.up, words(&raw.warnings))
    };
    let no_axis = vec!["the file names no up axis: Y, as COLLADA prescribes".to_owned()];
    let none = Vec::new();
    assert_eq!(with(""), (None, Some(UpAxis::Y), no_axis.clone()));
    assert_eq!(with("<asset><up_axis/></asset>"), (None, Some(UpAxis::Y), no_axis));
    for (word, axis) in [("X_UP", UpAxis::X), ("Y_UP", UpAxis::Y), (" Z_UP\n", UpAxis::Z)] {
        let asset = format!("<asset><unit name=\"mm\" meter=\" 1e-3 \"/><up_axis>{word}</up_axis></asset>");
        assert_eq!(with(&asset), (Some(0.001), Some(axis), none.clone()));
    }
}

#[test]
fn bad_units_are_refused() {
    for meter in ["0", "-1", "NaN", "inf", "1,5", ""] {
        let asset = format!("<asset><unit meter=\"{meter}\"/></asset>");
        let what =
            format!("line 2, column 92: the unit must measure a positive number of metres, not '{meter}'");
        refused(&document(&asset, TRIANGLE, "", ""), &[&what]);
    }
    refused(
        &document("<asset><up_axis>UP</up_axis></asset>", TRIANGLE, "", ""),
        &["line 2, column 86: 'UP' is no up axis; X_UP, Y_UP and Z_UP are"],
    );
    let own =
        TRIANGLE.replace("<mesh>", "<asset><unit meter=\"0.01\"/><up_axis>Y_UP</up_axis></asset><mesh>");
    refused(
        &document(ASSET, &own, "", ""),
        &[
            "line 3, column 21: geometry 'g' has a unit of its own (0.01 m), which is not supported",
            "line 3, column 21: geometry 'g' has an up axis of its own, which is not supported",
        ],
    );
}

#[test]
fn each_transform_does_what_it_says() {
    check_placed("", PLAIN);
    check_placed(
        "<translate>10 20 30</translate>",
        [[10.0, 20.0, 30.0], [11.0, 20.0, 30.0], [10.0, 22.0, 33.0]],
    );
    check_placed("<rotate>0 0 1 90</rotate>", [[0.0; 3], [0.0, 1.0, 0.0], [-2.0, 0.0, 3.0]]);
    check_placed("<rotate>0 0 7 -270</rotate>", [[0.0; 3], [0.0, 1.0, 0.0], [-2.0, 0.0, 3.0]]);
    check_placed("<rotate>1 0 0 90</rotate>", [[0.0; 3], [1.0, 0.0, 0.0], [0.0, -3.0, 2.0]]);
    check_placed("<rotate>0 0 0 0</rotate>", PLAIN);
    check_placed("<scale>2 3 4</scale>", [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 6.0, 12.0]]);
    check_placed(
        "<matrix>1 0 0 5\n 0 0 -1 6\n 0 1 0 7\n 0 0 0 1</matrix>",
        [[5.0, 6.0, 7.0], [6.0, 6.0, 7.0], [5.0, 3.0, 9.0]],
    );
    check_placed(
        "<matrix>.75 0 0 0 0 .75 0 0 0 0 .75 0 0 0 0 1</matrix>",
        PLAIN.map(|p| p.map(|x| 0.75 * x)),
    );
    // From (1 2 3) along +X with Z up: X goes to -Y, Y to Z, Z to -X.
    check_placed("<lookat>1 2 3 9 2 3 0 0 1</lookat>", [[1.0, 2.0, 3.0], [1.0, 1.0, 3.0], [-2.0, 2.0, 5.0]]);
    // Leans Y toward X until it is at 45 degrees: x grows by y.
    let raw = accepted(&scene(&format!("<node><skew>45 0 1 0 1 0 0</skew>{INSTANCE}</node>")));
    let [[_, b, c]] = corners(&raw)[..] else { panic!("one triangle") };
    assert_eq!(b, [1.0, 0.0, 0.0]);
    assert!((DVec3::from_array(c) - DVec3::new(2.0, 2.0, 3.0)).length() < 1e-15);
}

/// The axis (1 2 3), which is the sum of the corners, leans by the angle, and only along X.
#[test]
fn skews_lean_axes_that_are_not_square_to_each_other() {
    let raw = accepted(&scene(&format!("<node><skew>20 1 2 3 5 0 0</skew>{INSTANCE}</node>")));
    let [[_, b, c]] = corners(&raw)[..] else { panic!("one triangle") };
    assert_eq!((b, c[1], c[2]), ([1.0, 0.0, 0.0], 2.0, 3.0));
    let leaning = DVec3::from_array(b) + DVec3::from_array(c);
    let angle = leaning.angle_between(DVec3::new(1.0, 2.0, 3.0));
    assert!(leaning.x > 1.0 && (angle.to_degrees() - 20.0).abs() < 1e-12);
}

#[test]
fn transforms_apply_in_order_and_down_the_tree() {
    let first_moved = "<translate>1 0 0</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>";
    let expected = [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [-3.0, 0.0, 6.0]];
    check_placed(first_moved, expected);
    let nested = format!(
        "<node><translate>1 0 0</translate><node><rotate>0 0 1 90</rotate><node><scale>2 2 2</scale>{INSTANCE}</node></node></node>"
    );
    assert_eq!(corners(&accepted(&scene(&nested))), [expected]);
}

#[test]
fn noise_in_the_last_entry_of_a_matrix_is_divided_out() {
    let w = 0.999_999_9;
    let matrix = format!("<matrix>{w} 0 0 {} 0 {w} 0 0 0 0 {w} 0 0 0 0 {w}</matrix>", 4.0 * w);
    check_placed(&matrix, [[4.0, 0.0, 0.0], [5.0, 0.0, 0.0], [4.0, 2.0, 3.0]]);
}

#[test]
fn bad_transforms_are_refused_together() {
    let transforms = [
        "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix></node>",
        "<node><translate>1 2</translate></node>",
        "<node><rotate>0 0 0 5</rotate></node>",
        "<node><scale>1 x 1</scale></node>",
        "<node><lookat>0 0 0 1 0 0 2 0 0</lookat></node>",
        "<node><skew>90 0 1 0 1 0 0</skew></node>",
        "<node><scale>1e300 1 1</scale><scale>1e300 1 1</scale></node>",
        "<node><translate>1 NaN 3</translate></node>",
    ];
    refused(
        &document(ASSET, "", "", &transforms.map(|t| format!("\n{t}")).concat()),
        &[
            "line 5, column 7: the last row of a matrix must be 0 0 0 1, not 0 0 1 1",
            "line 6, column 7: <translate> needs 3 numbers, this has 2",
            "line 7, column 7: the axis of this <rotate> has no direction",
            "line 8, column 16: 'x' is not a number",
            "line 9, column 7: the direction across line of sight and up of this <lookat> has no direction",
            "line 10, column 7: a skew of 90 degrees turns an axis beyond the other",
            "line 11, column 1: the transforms of <node> multiply to infinity",
            "line 12, column 20: 'NaN' is not a finite number",
        ],
    );
}

/// A misspelt transform or instance would leave a part elsewhere, or out.
#[test]
fn unknown_elements_are_refused_with_the_nearest_right_word() {
    let node = |inner: &str| scene(&format!("\n<node>{inner}</node>"));
    for (text, expected) in [
        (
            node("<trnaslate>9 0 0</trnaslate>"),
            "line 11, column 7: COLLADA has no <trnaslate> in a <node>; did you mean <translate>?",
        ),
        (
            node("<Rotate>0 0 1 90</Rotate>"),
            "line 11, column 7: COLLADA has no <Rotate> in a <node>; did you mean <rotate>?",
        ),
        (
            node("<instance_geometri url=\"#g\"/>"),
            "line 11, column 7: COLLADA has no <instance_geometri> in a <node>; did you mean <instance_geometry>?",
        ),
        (
            scene("\n<nod/>"),
            "line 11, column 1: COLLADA has no <nod> in a <visual_scene>; did you mean <node>?",
        ),
        (
            document(
                ASSET,
                &TRIANGLE.replace("<p>0 1 2</p>", "<p>0 1 2</p><pp/>"),
                "",
                &format!("<node>{INSTANCE}</node>"),
            ),
            "COLLADA has no <pp> in a <triangles>",
        ),
        (
            document(ASSET, &TRIANGLE.replace("mesh>", "meshs>"), "", &format!("<node>{INSTANCE}</node>")),
            "COLLADA has no <meshs> in a <geometry>; did you mean <mesh>?",
        ),
    ] {
        let faults = words(&read(text.as_bytes()).expect_err("a bad file"));
        assert!(faults.len() == 1 && faults[0].contains(expected), "{expected}: {faults:?}");
    }
    let beside = "<asset/><instance_light url=\"#l\"/><instance_camera url=\"#c\"/><extra><any/></extra>";
    warned(&node(&format!("{beside}{INSTANCE}")), &[]);
}

#[test]
fn mirrors_turn_triangles_round() {
    let raw = accepted(&scene(&format!("<node><scale>-1 1 1</scale>{INSTANCE}</node>")));
    assert_eq!(corners(&raw), [[[0.0, 0.0, 0.0], [0.0, 2.0, 3.0], [-1.0, 0.0, 0.0]]]);
}

#[test]
fn everything_is_placed_as_often_as_it_is_instanced() {
    let library = format!(
        "<library_nodes><node id=\"n\"><translate>0 5 0</translate>{INSTANCE}</node></library_nodes>"
    );
    let nodes = format!(
        "<node>{INSTANCE}<translate>1 0 0</translate>{INSTANCE}</node>\
         <node><translate>9 0 0</translate><instance_node url=\"#n\"/></node><node><instance_node url=\"#n\"/></node>"
    );
    let raw = warned(&document(ASSET, TRIANGLE, &library, &nodes), &[]);
    let firsts: Vec<[f64; 3]> = corners(&raw).iter().map(|t| t[0]).collect();
    assert_eq!(firsts, [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [9.0, 5.0, 0.0], [0.0, 5.0, 0.0]]);
}

#[test]
fn controllers_give_their_undeformed_mesh() {
    let controllers = r##"<library_controllers>
<controller id="c"><skin source="#m"><bind_shape_matrix>1 0 0 7 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller>
<controller id="m"><morph source="#g"/></controller>
<controller id="a"><skin source="#b"/></controller><controller id="b"><skin source="#a"/></controller>
</library_controllers>"##;
    let at = |url| {
        document(ASSET, TRIANGLE, controllers, &format!("<node><instance_controller url=\"#{url}\"/></node>"))
    };
    let warning = "controller '#c': 1 instance of a controller: the undeformed mesh is taken, skinning and morphing are \
                   not applied";
    let raw = warned(&at("c"), &[warning]);
    assert_eq!(corners(&raw), [[[7.0, 0.0, 0.0], [8.0, 0.0, 0.0], [7.0, 2.0, 3.0]]]);
    refused(
        &at("a"),
        &["line 12, column 1: more than 16 controllers deform each other, perhaps in a circle"],
    );
}

#[test]
fn circles_of_nodes_are_refused_with_their_names() {
    let library = "\n<library_nodes><node id=\"a\"><node id=\"b\"><instance_node url=\"#c\"/></node></node>\n\
                   <node id=\"c\"><instance_node url=\"#a\"/></node></library_nodes>";
    refused(
        &document(ASSET, "", library, "<node><instance_node url=\"#a\"/></node>"),
        &["line 5, column 14: nodes place each other in a circle: node 'a' → node 'b' → node 'c' → node 'a'"],
    );
}

#[test]
fn bombs_of_instances_are_refused() {
    let bomb = |last: &str| {
        let level = |i: usize| {
            format!("<node id=\"n{i}\">{}</node>", format!("<instance_node url=\"#n{}\"/>", i + 1).repeat(10))
        };
        let levels: String = (0..40).map(level).collect();
        let library = format!("<library_nodes>{levels}<node id=\"n40\">{last}</node></library_nodes>");
        document(ASSET, TRIANGLE, &library, "<node><instance_node url=\"#n0\"/></node>")
    };
    for last in ["", INSTANCE] {
        let faults = read(bomb(last).as_bytes()).expect_err("ten to the fortieth nodes");
        assert_eq!(faults[0].what, "instances of nodes add up to more than 4000000 elements");
    }
}

#[test]
fn instances_are_bounded_by_the_size_of_the_file() {
    let doubled = |levels: usize| {
        let level = |i: usize| {
            format!("<node id=\"n{i}\">{}</node>", format!("<instance_node url=\"#n{}\"/>", i + 1).repeat(10))
        };
        let nodes: String = (0..levels).map(level).collect();
        let instances = INSTANCE.repeat(3);
        let library =
            format!("<library_nodes>{nodes}<node id=\"n{levels}\">{instances}</node></library_nodes>");
        document(ASSET, TRIANGLE, &library, "<node><instance_node url=\"#n0\"/></node>")
    };
    assert_eq!(accepted(&doubled(5)).soup.triangles.len(), 300_000);
    let faults = read(doubled(6).as_bytes()).expect_err("three million triangles");
    let limit = "parts placed more than once add more than 2000";
    assert!(faults[0].what.starts_with(limit), "{}", faults[0]);
}

#[test]
fn nodes_may_nest_deeper_than_calls() {
    let depth = 200_000;
    let nodes = format!("{}{INSTANCE}{}", "<node>".repeat(depth), "</node>".repeat(depth));
    assert_eq!(corners(&accepted(&scene(&nodes))), [PLAIN]);
}

#[test]
fn bombs_of_entities_are_refused() {
    let bomb = "<!DOCTYPE COLLADA [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]>\n";
    let text = scene("").replace("<COLLADA", &format!("{bomb}<COLLADA"));
    refused(
        &text,
        &["line 2, column 1: a document type definition (<!DOCTYPE>) is refused: no file here needs one"],
    );
}

#[test]
fn bombs_of_attributes_and_namespaces_are_refused() {
    let attributes: String = (0..200_000).map(|i| format!(" a{i}='>'")).collect();
    refused(
        &format!("<COLLADA{attributes}/>"),
        &["line 1, column 1: an element with more than 64 attributes"],
    );
    let nested: String = (0..20_000).map(|i| format!("<a xmlns:n{i}='u'>")).collect();
    let fault = format!("line 1, column {}: more than 32 namespace prefixes", 16 * 10 + 17 * 22 + 1);
    refused(&nested, &[&fault]);
    // What stands in comments and sections is text.
    let quotes = "<!-- don't \" --><![CDATA[ ' ]]>".to_owned() + &" a=''".repeat(100);
    assert_eq!(corners(&accepted(&scene(&format!("{quotes}<node>{INSTANCE}</node>")))), [PLAIN]);
}

#[test]
fn strips_and_fans() {
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0]];
    let input = r##"<input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" source="#x" offset="0"/>"##;
    let strips =
        format!("<tristrips count=\"2\">{input}<p>9 0 9 1 9 2 9 3 9 4</p><p>8 0 8 1</p></tristrips>");
    let raw = warned(
        &mesh(&square, &strips),
        &["geometry 'g', <tristrips> in line 8, polygon 2: 1 face has fewer than 3 corners and is left out"],
    );
    assert_eq!(raw.soup.triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    let fans = format!("<trifans count=\"1\">{input}<p>-1 0 0 1 0 3 0 2</p></trifans>");
    let raw = warned(&mesh(&square, &fans), &[]);
    // Points are numbered in the order in which triangles need them.
    assert_eq!(raw.soup.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(raw.soup.points[2], DVec3::new(1.0, 1.0, 0.0));
    assert_eq!(raw.soup.points.len(), 4);
}

const VERTEX: &str = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;

#[test]
fn concave_polygons_keep_their_area() {
    let arrow = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 2.0, 0.0],
        [1.0, 0.5, 0.0],
        [0.0, 2.0, 0.0],
        [3.0, 2.0, 0.0],
    ];
    let list =
        format!("<polylist count=\"3\">{VERTEX}<vcount>5 3 2</vcount><p>0 1 2 3 4 1 5 2 0 1</p></polylist>");
    let raw = warned(
        &mesh(&arrow, &list),
        &["geometry 'g', <polylist> in line 8, polygon 3: 1 face has fewer than 3 corners and is left out"],
    );
    assert_eq!((raw.soup.triangles.len(), area(&raw)), (4, 3.5));
}

#[test]
fn polygons_with_holes_and_without() {
    let points = [
        [0.0, 0.0, 1.0],
        [4.0, 0.0, 1.0],
        [4.0, 4.0, 1.0],
        [0.0, 4.0, 1.0],
        [1.0, 1.0, 1.0],
        [2.0, 1.0, 1.0],
        [2.0, 2.0, 1.0],
        [1.0, 2.0, 1.0],
    ];
    let list = format!(
        "<polygons count=\"2\">{VERTEX}<ph><p>0 1 2 3</p><h>4 5 6 7</h><h>0 1</h></ph><p>4 5 6</p></polygons>"
    );
    let raw = warned(
        &mesh(&points, &list),
        &["geometry 'g', <polygons> in line 8, polygon 1: 1 face has fewer than 3 corners and is left out"],
    );
    assert_eq!((raw.soup.triangles.len(), area(&raw)), (9, 15.5));
}

#[test]
fn polygons_that_cross_themselves_are_counted() {
    let bow = [[0.0, 0.0, 0.0], [2.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
    let list = format!("<polygons count=\"2\">{VERTEX}<p>0 1 2 3</p><p>3 2 1 0</p></polygons>");
    let raw = warned(
        &mesh(&bow, &list),
        &[
            "geometry 'g', <polygons> in line 8, polygon 1: 2 polygons cross or touch themselves: which area is meant \
           is unclear",
        ],
    );
    assert_eq!(raw.soup.triangles.len(), 4);
}

#[test]
fn lines_are_left_out_and_counted() {
    let lines = format!("<lines count=\"1\">{VERTEX}<p>0 1</p></lines><linestrips count=\"0\"/>");
    let raw =
        warned(&mesh(&PLAIN, &lines), &["geometry 'g': 2 sets of lines left out: lines have no surface"]);
    assert!(raw.soup.triangles.is_empty());
}

#[test]
fn counts_must_be_right() {
    let cases = [
        (
            "<triangles count=\"2\">V<p>0 1 2</p></triangles>",
            "<triangles>: count=\"2\" triangles, three corners each, but 3 corners (3 indices) in <p>",
        ),
        (
            "<triangles count=\"18446744073709551615\">V<p>0 1 2</p></triangles>",
            "<triangles>: count=\"18446744073709551615\" triangles, three corners each, but 3 corners (3 indices) in <p>",
        ),
        (
            "<triangles>V<p>0 1 2 1</p></triangles>",
            "<triangles>: three corners each, but 4 corners (4 indices) in <p>",
        ),
        (
            "<triangles count=\"1\">V<input offset=\"18446744073709551614\"/><p>0 1 2</p></triangles>",
            "<triangles>: a list of 3 indices cannot be divided among 18446744073709551615 inputs",
        ),
        (
            "<triangles count=\"1\">V<input offset=\"18446744073709551615\"/><p>0 1 2</p></triangles>",
            "<triangles>: an offset of 18446744073709551615 is beyond reason",
        ),
        (
            "<polylist count=\"2\">V<vcount>3</vcount><p>0 1 2</p></polylist>",
            "<polylist>: count=\"2\" polygons, but 1 numbers in <vcount>",
        ),
        (
            "<polylist count=\"1\">V<vcount>4</vcount><p>0 1 2</p></polylist>",
            "<polylist>: <vcount> adds up to 4 corners, but 3 corners (3 indices) in <p>",
        ),
        (
            "<polylist count=\"2\">V<vcount>18446744073709551615 4</vcount><p>0 1 2</p></polylist>",
            "<polylist>: <vcount> adds up to more than any file holds corners, but 3 corners (3 indices) in <p>",
        ),
        ("<polygons count=\"3\">V<p>0 1 2</p></polygons>", "<polygons>: count=\"3\" polygons, but holds 1"),
        ("<trifans count=\"2\">V<p>0 1 2</p></trifans>", "<trifans>: count=\"2\", but 1 <p>"),
        ("<polygons count=\"1\">V<ph/></polygons>", "<polygons>: <ph> has no <p>"),
    ];
    for (surface, expected) in cases {
        let faults = read(mesh(&PLAIN, &surface.replace('V', VERTEX)).as_bytes()).expect_err(surface);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].what, format!("geometry 'g', {expected}"));
        assert!(matches!(faults[0].place, Place::Line { line: 8, .. }));
    }
}

#[test]
fn every_bad_index_is_named_where_it_stands() {
    let list = format!("\n<triangles count=\"2\">{VERTEX}<p>\n0 3 -1\n0 b 1</p></triangles>");
    refused(
        &mesh(&PLAIN, &list),
        &[
            "line 10, column 3: geometry 'g', <triangles>: vertex 3 does not exist: the mesh has 3",
            "line 10, column 5: geometry 'g', <triangles>: vertex -1 does not exist: the mesh has 3",
            "line 11, column 3: geometry 'g', <triangles>: 'b' is no index",
        ],
    );
}

#[test]
fn bad_positions_are_refused() {
    let nodes = format!("<node>{INSTANCE}</node>");
    let cases = [
        ("0 0 0 1 0 0", "0 0 0 1 NaN 0", "line 4, column 54: 'NaN' is not a finite number"),
        ("0 0 0 1 0 0", "0 0 0 1 1e999 0", "line 4, column 54: '1e999' is not a finite number"),
        ("0 0 0 1 0 0", "0 0 0 1 0,5 0", "line 4, column 54: '0,5' is not a number"),
        (
            "count=\"9\"",
            "count=\"12\"",
            "line 4, column 16: geometry 'g': float_array 'f' says count=\"12\", but holds 9 numbers",
        ),
        (
            "count=\"3\" stride",
            "count=\"4\" stride",
            "line 5, column 1: geometry 'g': 4 positions with a stride of 3 from offset 0 do not fit into 9 numbers",
        ),
        (
            "stride=\"3\"",
            "stride=\"18446744073709551615\" offset=\"18446744073709551615\"",
            "line 5, column 1: geometry 'g': 3 positions with a stride of 18446744073709551615 from offset \
             18446744073709551615 do not fit into 9 numbers",
        ),
        ("stride=\"3\"", "", "line 5, column 1: geometry 'g': a stride of 1 is too short for 3 parameters"),
        (
            "<param name=\"Z\"/>",
            "",
            "line 5, column 1: geometry 'g': the positions have 2 named parameters, not the three X, Y and Z",
        ),
        (
            "source=\"#s\"",
            "source=\"#t\"",
            "line 7, column 45: '#t' refers to a <source> that the document does not have",
        ),
        ("source=\"#s\"", "source=\"#f\"", "line 7, column 45: '#f' is no <source> but a <float_array>"),
        ("source=\"#s\"", "", "line 7, column 18: <input> has no source"),
        (
            "POSITION",
            "NORMAL",
            "line 7, column 1: geometry 'g': <vertices> has no input with semantic POSITION",
        ),
        (
            "source=\"#v\"",
            "source=\"#s\"",
            "line 8, column 22: geometry 'g', <triangles>: its VERTEX input is not the <vertices> of its mesh",
        ),
    ];
    for (good, bad, expected) in cases {
        let geometry = TRIANGLE.replacen(good, bad, 1);
        assert_ne!(geometry, TRIANGLE, "{good}");
        refused(&document(ASSET, &geometry, "", &nodes), &[expected]);
    }
}

#[test]
fn accessors_choose_their_numbers() {
    let geometry = TRIANGLE
        .replace("count=\"9\">0 0 0 1 0 0 0 2 3", "count=\"14\">9 9 0 0 9 0 0 0 9 1 3 0 9 2")
        .replace("stride=\"3\"", "stride=\"4\" offset=\"2\"")
        .replace(
            "<param name=\"X\"/><param name=\"Y\"/><param name=\"Z\"/>",
            "<param name=\"Z\"/><param name=\"X\"/><param/><param name=\"Y\"/>",
        );
    let numbers = "9 9 0 0 9 0 0 1 9 0 3 0 9 2";
    let geometry = geometry.replace("9 9 0 0 9 0 0 0 9 1 3 0 9 2", numbers);
    let raw = warned(&document(ASSET, &geometry, "", &format!("<node>{INSTANCE}</node>")), &[]);
    assert_eq!(corners(&raw), [PLAIN]);
}

#[test]
fn references_that_lead_nowhere_are_all_named() {
    let nodes = "\n<node><instance_geometry url=\"#nowhere\"/></node>\n<node><instance_node url=\"http://x/y.dae#n\"/>\
                 </node>\n<node><instance_geometry url=\"other.dae\"/><instance_geometry/></node>\n<node>\
                 <instance_node url=\"#g\"/></node>";
    refused(
        &scene(nodes),
        &[
            "line 11, column 26: '#nowhere' refers to a <geometry> that the document does not have",
            "line 12, column 22: 'http://x/y.dae#n' refers to another document, which is not read",
            "line 13, column 26: 'other.dae' refers to another document, which is not read",
            "line 13, column 43: <instance_geometry> has no url",
            "line 14, column 22: '#g' is no <node> but a <geometry>",
        ],
    );
    let twice = document(ASSET, &TRIANGLE.repeat(2), "", &format!("\n<node>{INSTANCE}</node>"));
    refused(&twice, &["line 17, column 26: '#g' is ambiguous: 2 <geometry> have this id"]);
}

#[test]
fn ids_may_be_escaped_and_shared_between_kinds() {
    let text = scene("<node id=\"a b\"><instance_geometry url=\"#a%20b\"/></node>")
        .replace("id=\"g\"", "id=\"a b\"");
    assert_eq!(corners(&accepted(&text)), [PLAIN]);
}

#[test]
fn other_kinds_of_geometry_are_refused_when_placed() {
    let kinds = "\n<geometry id=\"s\"><spline/></geometry>\n<geometry id=\"b\"><brep/></geometry>\n\
                 <geometry id=\"c\"><convex_mesh convex_hull_of=\"#g\"/></geometry><geometry id=\"e\"/>";
    let geometries = format!("{TRIANGLE}{kinds}");
    let nodes = ["s", "b", "c", "e"].map(|id| format!("<node><instance_geometry url=\"#{id}\"/></node>"));
    refused(
        &document(ASSET, &geometries, "", &nodes.concat()),
        &[
            "line 10, column 18: geometry 's' is a spline, which has no surface: this is not read",
            "line 11, column 18: geometry 'b' is a boundary representation, which has curved surfaces and no triangles: \
             this is not read",
            "line 12, column 18: geometry 'c' is the hull of another geometry: this is not read",
        ],
    );
    let raw = warned(
        &document(ASSET, &geometries, "", &format!("<node>{INSTANCE}</node>{}", nodes[3])),
        &[
            "line 10, column 1: geometry 's': 3 geometries left out: the scene does not place them",
            "geometry 'e': 1 geometry without a mesh placed",
        ],
    );
    assert_eq!(corners(&raw), [PLAIN]);
}

#[test]
fn without_a_scene_nothing_is_lost_silently() {
    let text = scene(&format!("<node><translate>1 0 0</translate>{INSTANCE}</node>"));
    let unnamed = text.replace("<scene><instance_visual_scene url=\"#scene\"/></scene>", "<scene/>");
    let raw = warned(
        &unnamed,
        &["no <scene> says what to show: the only one there is, visual_scene 'scene', is taken"],
    );
    assert_eq!(corners(&raw)[0][0], [1.0, 0.0, 0.0]);
    let bare = format!(
        "<COLLADA version=\"1.5.0\">{ASSET}<library_geometries>{TRIANGLE}</library_geometries></COLLADA>"
    );
    let raw = warned(
        &bare,
        &["there is no visual scene: every geometry is taken once, where its coordinates put it"],
    );
    assert_eq!(corners(&raw), [PLAIN]);
    let two = unnamed.replace("</visual_scene>", "</visual_scene>\n<visual_scene/>");
    refused(
        &two,
        &["line 11, column 1: there are several visual scenes, and no <scene> says which one is meant"],
    );
    let raw = warned(
        &scene(""),
        &["line 3, column 21: geometry 'g': 1 geometry left out: the scene does not place it"],
    );
    assert!(raw.soup.triangles.is_empty());
    assert!(accepted("<COLLADA/>").soup.triangles.is_empty());
}

#[test]
fn other_documents_are_refused() {
    refused("<robot/>", &["line 1, column 1: the root element is <robot>, not <COLLADA>"]);
    refused(
        "<COLLADA version=\"1.3.1\"/>",
        &["line 1, column 10: COLLADA version '1.3.1' is not read; 1.4 and 1.5 are"],
    );
    refused("", &["line 1, column 1: there is no XML element in this file"]);
    refused(
        "<COLLADA>\n <asset>\n  <é></asset>\n</COLLADA>",
        &["line 3, column 6: this is not XML: expected 'é' tag, not 'asset'"],
    );
    refused(
        "<COLLADA>\n <asset>\n",
        &[
            "line 2, column 8: the text ends in the middle of the XML: elements are still open, the file is incomplete",
        ],
    );
}

#[test]
fn encodings() {
    let text = scene(&format!("<node name=\"ä\">{INSTANCE}</node>"));
    let little: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let with_mark = format!("\u{feff}{text}").into_bytes();
    let other_lines = text.replace('\n', "\r\n").into_bytes();
    for bytes in [&little, &with_mark, &other_lines] {
        assert_eq!(corners(&read(bytes).expect("a good encoding")), [PLAIN]);
    }
    let latin = text.replace("version=\"1.0\"?", "version=\"1.0\" encoding='ISO-8859-1'?").into_bytes();
    let byte = latin.iter().position(|&c| c == 0xC3).expect("the umlaut");
    let latin = [&latin[..byte], &[0xE4], &latin[byte + 2..]].concat();
    let faults = read(&latin).expect_err("not UTF-8");
    assert_eq!(
        words(&faults),
        [format!(
            "byte {byte}: the text is not UTF-8: 0xE4 cannot stand here; the XML declaration names the encoding \
             'ISO-8859-1', which is not read"
        )]
    );
    let faults = read(&little[2..]).expect_err("no mark");
    assert_eq!(words(&faults), ["byte 0: the text is UTF-16 without a byte-order mark"]);
}

#[test]
fn places_hold_after_windows_line_ends_and_lists_may_be_divided() {
    let text =
        mesh(&PLAIN, &format!("\n<triangles count=\"1\">{VERTEX}<p>0 <!-- 1 --> 1\n 7</p></triangles>"));
    let expected = "geometry 'g', <triangles>: vertex 7 does not exist: the mesh has 3";
    // The index stands in text that was put together, so the list is what is shown.
    refused(&text, &[&format!("line 9, column 71: {expected}")]);
    let whole = text.replace("<!-- 1 -->", "").replace('\n', "\r\n");
    refused(&whole, &[&format!("line 10, column 2: {expected}")]);
    assert_eq!(corners(&accepted(&text.replace('7', "2"))), [PLAIN]);
}

#[test]
fn a_file_of_faults_is_answered_soon_and_briefly() {
    let list = format!("<triangles count=\"100000\">{VERTEX}<p>{}</p></triangles>", "9 ".repeat(300_000));
    let faults = read(mesh(&PLAIN, &list).as_bytes()).expect_err("no such vertex");
    assert_eq!(faults.len(), 21);
}

/// A document with a little of everything that is read.
fn everything() -> String {
    let library = "<library_nodes><node id=\"n\"><scale>1 2 3</scale><skew>9 1 0 0 0 1 0</skew></node></library_nodes>\
                   <library_controllers><controller id=\"c\"><skin source=\"#g\"/></controller></library_controllers>";
    let nodes = format!(
        "<node><rotate>1 0 0 90</rotate><instance_node url=\"#n\"/>{INSTANCE}<instance_controller url=\"#c\"/></node>"
    );
    let surfaces = format!(
        "</triangles><polylist count=\"1\">{VERTEX}<vcount>4</vcount><p>0 1 2 0</p></polylist>\
         <polygons count=\"1\">{VERTEX}<ph><p>0 1 2</p><h>2 1 0</h></ph></polygons>\
         <tristrips count=\"1\">{VERTEX}<p>0 1 2 0</p></tristrips>"
    );
    document(ASSET, &TRIANGLE.replace("</triangles>", &surfaces), library, &nodes)
}

#[test]
fn a_little_of_everything() {
    let raw = accepted(&everything());
    assert_eq!(raw.soup.triangles.len(), 2 * (1 + 2 + 6 + 2 - 2) + 4);
}

proptest! {
    /// Whatever happens to a file, the answer is an answer.
    #[test]
    fn damaged_files_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40, "[\\x00-\\x7fäλ🦀<>\"'/=&# 0-9-]{0,6}"), 1..4)
    ) {
        let mut text: Vec<char> = everything().chars().collect();
        for (index, length, new) in changes {
            let start = index.index(text.len());
            let end = (start + length).min(text.len());
            text.splice(start..end, new.chars());
        }
        let text: String = text.into_iter().collect();
        match read(text.as_bytes()) {
            Ok(raw) => prop_assert!(raw.soup.triangles.iter().flatten().all(|&i| (i as usize) < raw.soup.points.len())),
            Err(faults) => prop_assert!(!faults.is_empty()),
        }
    }
}

/// What is misspelt has no effect, and would change a size or a place without a word.
#[test]
fn misspelt_words_are_refused() {
    let instance = format!("<node>{INSTANCE}</node>");
    let asset = |inside: &str| document(&format!("<asset>{inside}</asset>"), TRIANGLE, "", &instance);
    let altered = |from: &str, to: &str| {
        assert!(TRIANGLE.contains(from), "{from}");
        document(ASSET, &TRIANGLE.replacen(from, to, 1), "", &instance)
    };
    let cases = [
        (
            asset("<unit metre=\"0.001\"/>"),
            "COLLADA has no attribute 'metre' of <unit>",
            Some("did you mean meter?"),
        ),
        (
            asset("<unit Meter=\"0.001\"/>"),
            "COLLADA has no attribute 'Meter' of <unit>",
            Some("did you mean meter?"),
        ),
        (asset("<unit name=\"millimeter\"/>"), "this <unit> does not say how many metres it is", None),
        (
            asset("<units meter=\"0.001\"/>"),
            "COLLADA has no <units> in an <asset>",
            Some("did you mean <unit>?"),
        ),
        (asset("<unit meter=\"1\"/><unit meter=\"0.001\"/>"), "a second <unit> in one <asset>", None),
        (asset("<up_axis>Z_UP</up_axis><up_axis>Y_UP</up_axis>"), "a second <up_axis> in one <asset>", None),
        (
            document("<assets><unit meter=\"0.001\"/></assets>", TRIANGLE, "", &instance),
            "COLLADA has no <assets> in a <COLLADA>",
            Some("did you mean <asset>?"),
        ),
        (
            document(&format!("{ASSET}<asset><unit meter=\"0.001\"/></asset>"), TRIANGLE, "", &instance),
            "a second <asset> in one <COLLADA>",
            None,
        ),
        (
            altered("count=\"3\" stride", "count=\"3\" ofset=\"0\" stride"),
            "COLLADA has no attribute 'ofset' of <accessor>",
            Some("did you mean offset?"),
        ),
        (
            altered("<vertices id=\"v\">", "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/>"),
            "geometry 'g': <vertices> has a second input with semantic POSITION",
            None,
        ),
        (
            scene("<node><instance_geometry url=\"#g\"><bind_materials/></instance_geometry></node>"),
            "COLLADA has no <bind_materials> in an <instance_geometry>",
            Some("did you mean <bind_material>?"),
        ),
        (
            scene(
                "<node><instance_geometry url=\"#g\"><translate>1 0 0</translate></instance_geometry></node>",
            ),
            "COLLADA has no <translate> in an <instance_geometry>",
            Some("move it to where it counts, or remove it"),
        ),
        (
            scene(&format!("<node Id=\"n\">{INSTANCE}</node>")),
            "COLLADA has no attribute 'Id' of <node>",
            Some("did you mean id?"),
        ),
    ];
    for (text, expected, help) in cases {
        let faults = read(text.as_bytes()).expect_err(expected);
        let found = faults.iter().find(|fault| fault.to_string().contains(expected));
        let found = found.unwrap_or_else(|| panic!("{expected}: {:?}", words(&faults)));
        assert!(found.to_string().starts_with("line "), "{found}");
        if let Some(help) = help {
            assert_eq!(found.help.as_deref(), Some(help));
        }
    }
    // Words that are near to none are told, each once.
    let odd = scene(&format!("<node colour=\"1\">{INSTANCE}</node><node colour=\"2\"/>"));
    warned(&odd, &["line 10, column 55: COLLADA has no attribute 'colour' of <node>: it is passed over"]);
}

/// A `<geometry>` has one shape: of two, the second would be lost.
#[test]
fn a_second_shape_of_a_geometry_is_refused() {
    let mesh =
        &TRIANGLE[TRIANGLE.find("<mesh>").expect("a mesh")..TRIANGLE.find("</geometry>").expect("an end")];
    for second in [mesh, "<convex_mesh/>", "<spline/>", "<brep/>"] {
        for both in [format!("{mesh}{second}"), format!("{second}{mesh}")] {
            let geometry = format!("<geometry id=\"g\">{both}</geometry>");
            let text = document(ASSET, &geometry, "", &format!("<node>{INSTANCE}</node>"));
            let faults = words(&read(text.as_bytes()).expect_err(second));
            assert!(faults.len() == 1 && faults[0].contains("which has one shape"), "{faults:?}");
        }
    }
}
