mod schema;

use super::*;
use crate::fault::{Place, ReadError};
use crate::mesh;
use kansho_cell::{
    BodyKind, BodyPiece, Carrier, Cell, CellDraft, DisabledPair, Geometry, JointDraft, JointKind, Limits,
    LinkDraft, LinkId, MimicDraft, NotChecked, ObjectDraft, Robot, RobotDraft, RobotDraftInCell, ToolDraft,
};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use kansho_geom::{Mesh, Pose, Primitive};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

fn primitive(shape: Shape) -> Primitive {
    Primitive::new(shape).expect("a good shape")
}

fn block(x: f64, y: f64, z: f64) -> Mesh {
    let size = DVec3::new(x, y, z);
    primitive(Shape::Box { size }).tessellated(1.0).expect("a block has a mesh")
}

/// A folder with a robot of three links, its SRDF, and meshes of a block: of 1 m, and the same in millimetres.
fn workshop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    mesh::write(&folder.path().join("block.stl"), &block(1.0, 0.5, 0.25)).expect("written");
    mesh::write(&folder.path().join("block_mm.stl"), &block(1000.0, 500.0, 250.0)).expect("written");
    mesh::write(&folder.path().join("block.glb"), &block(1.0, 0.5, 0.25)).expect("written");
    put("broken.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 zero\n3 0 1 2\n");
    put(
        "arm.srdf",
        "<robot name=\"arm\"><disable_collisions link1=\"base\" link2=\"hand\" reason=\"Never\"/></robot>",
    );
    put(
        "arm.urdf",
        r#"<robot name="arm">
  <link name="base"><collision><geometry><mesh filename="block.stl"/></geometry></collision></link>
  <link name="arm"><collision><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link>
  <link name="hand"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="turn" type="revolute">
    <origin xyz="0 0 0.5"/><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="2"/>
  </joint>
  <joint name="slide" type="prismatic">
    <origin xyz="0 0 0.4"/><parent link="arm"/><child link="hand"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.2" effort="1" velocity="1"/>
  </joint>
</robot>"#,
    );
    folder
}

fn read_text(folder: &Path, text: &str) -> Result<LoadedCell, Vec<ReadError>> {
    let path = folder.join("cell.toml");
    std::fs::write(&path, text).expect("written");
    read(&path, &CellOptions::default())
}

fn good(folder: &Path, text: &str) -> LoadedCell {
    read_text(folder, text).unwrap_or_else(|errors| panic!("{}", shown(&errors).join("\n")))
}

/// `line:column: message` of faults in the cell file, `file: message` of others.
fn shown(errors: &[ReadError]) -> Vec<String> {
    let one = |error: &ReadError| {
        let file = error.path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let fault = |fault: &crate::Fault| match &fault.place {
            Place::Line { line, column, .. } if file == "cell.toml" => {
                format!("{line}:{column}: {}", fault.what)
            }
            _ if file == "cell.toml" => fault.what.clone(),
            _ => format!("{file}: {fault}"),
        };
        error.faults.iter().map(fault).collect::<Vec<_>>()
    };
    errors.iter().flat_map(one).collect()
}

/// Poses are equal but for the last digits of rotations.
fn assert_pose(a: &Pose, b: &Pose) {
    assert!(a.rotation().abs_diff_eq(b.rotation(), 4e-15), "{a:?} is not {b:?}");
    assert!(a.translation().abs_diff_eq(b.translation(), 1e-15), "{a:?} is not {b:?}");
}

fn assert_same(a: &Cell, b: &Cell) {
    assert_eq!(a.link_names(), b.link_names());
    assert_eq!(a.coordinates(), b.coordinates());
    assert_eq!(a.pairs().checked(), b.pairs().checked());
    assert_eq!(a.pairs().not_checked(), b.pairs().not_checked());
    assert_eq!(a.bodies().len(), b.bodies().len());
    for (a, b) in a.bodies().iter().zip(b.bodies()) {
        assert_eq!((&a.name, a.kind, a.carrier), (&b.name, b.kind, b.carrier));
        assert_eq!(a.pieces.len(), b.pieces.len());
        for (a, b) in a.pieces.iter().zip(&b.pieces) {
            assert_pose(&a.carrier_from_piece, &b.carrier_from_piece);
            match (&a.geometry, &b.geometry) {
                (Geometry::Mesh(a), Geometry::Mesh(b)) => {
                    assert!(a.corners().eq(b.corners()), "the meshes differ")
                }
                (Geometry::Primitive(a), Geometry::Primitive(b)) => assert_eq!(a, b),
                _ => panic!("a mesh is no primitive"),
            }
        }
    }
    for (a, b) in a.robots().iter().zip(b.robots()) {
        assert_eq!((&a.name, a.robot.name()), (&b.name, b.robot.name()));
        assert_pose(&a.world_from_root, &b.world_from_root);
        assert_eq!(a.tool.is_some(), b.tool.is_some());
        if let (Some(a), Some(b)) = (a.tool, b.tool) {
            assert_eq!(a.on, b.on);
            assert_pose(&a.link_from_tcp, &b.link_from_tcp);
        }
    }
    let posture: Vec<f64> = (0..a.coordinates().len()).map(|i| 0.01 * (1.0 + i as f64)).collect();
    let (placed_a, placed_b) = (a.place(&posture), b.place(&posture));
    for link in (0..a.link_names().len() as u32).map(LinkId) {
        assert_pose(&placed_a.world_from_link(link), &placed_b.world_from_link(link));
    }
}

const EVERYTHING: &str = r#"
units = "m"
[[robot]]
name = "left"
urdf = "arm.urdf"
srdf = "arm.srdf"
packages = ["."]
at = { xyz = [-1, 0, 0], rpy_deg = [0, 0, 90] }
hold = { slide = 0.1 }
tool = { cylinder = [0.01, 0.2], on = "hand", at = { xyz = [0, 0, 0.1] }, tcp = { xyz = [0, 0, 0.2], rpy_deg = [0, 75, 0] } }
[[robot]]
name = "right"
urdf = "arm.urdf"
packages = ["."]
at = { matrix = [0, -1, 0, 1, 0, 0, 0, 0, 1, 1, 2, 3] }
[robot.tool]
mesh = "block_mm.stl"
units = "mm"
on = "hand"
[[object]]
name = "sheet"
mesh = "block.stl"
at = { xyz = [1.10, 0, 0.75] }
[[object]]
name = "sheet again"
mesh = ["./block.stl", "block.glb"]
on = "right/hand"
[[object]]
name = "sphere"
sphere = 0.1
[[object]]
name = "capsule"
capsule = [0.1, 0.3]
[[object]]
name = "cone"
cone = [0.1, 0.3]
[[object]]
name = "floor"
plane = [0, 0, 2, -1]
at = { xyz = [0, 0, -1] }
[[object]]
name = "view"
mesh = "block.glb"
[allow]
pairs = [["left/tool", "floor"], ["sphere", "right/base"]]
"#;

#[test]
fn a_cell_with_everything() {
    let folder = workshop();
    let loaded = good(folder.path(), EVERYTHING);
    let cell = &loaded.cell;
    let names: Vec<&str> = cell.bodies().iter().map(|body| body.name.as_str()).collect();
    let expected = "left/base left/arm left/hand left/tool right/base right/arm right/hand right/tool \
                    sheet sheet_again sphere capsule cone floor view";
    assert_eq!(names.iter().map(|name| name.replace(' ', "_")).collect::<Vec<_>>().join(" "), expected);
    let coordinates: Vec<String> = cell.coordinates().iter().map(|c| c.full_name()).collect();
    assert_eq!(coordinates, ["left/turn", "right/turn", "right/slide"]);

    let body = |name: &str| cell.bodies().iter().find(|body| body.name == name).expect("it is there");
    let mesh_of = |name: &str| match &body(name).pieces[0].geometry {
        Geometry::Mesh(mesh) => mesh.clone(),
        Geometry::Primitive(_) => panic!("{name} is a mesh"),
    };
    assert!(Arc::ptr_eq(&mesh_of("sheet"), &mesh_of("sheet again")), "one file, one mesh");
    assert!(Arc::ptr_eq(&mesh_of("left/base"), &mesh_of("right/base")), "one URDF, one robot");
    assert_eq!(*mesh_of("right/tool"), *mesh_of("sheet"));
    assert_eq!(mesh_of("view").aabb().extent(), DVec3::new(1.0, 0.5, 0.25));
    assert!(matches!(body("sheet again").carrier, Carrier::Link(_)));
    let Geometry::Primitive(floor) = &body("floor").pieces[0].geometry else { panic!("a floor is a plane") };
    assert_eq!(floor.shape(), Shape::HalfSpace { normal: DVec3::Z, offset: -0.5 });
    assert_eq!(body("floor").pieces[0].carrier_from_piece.translation(), -DVec3::Z);

    let [left, right] = cell.robots() else { panic!("two robots") };
    assert_eq!(left.world_from_root, Pose::from_rpy(-DVec3::X, DVec3::Z * 90f64.to_radians()));
    assert_eq!(right.world_from_root.translation(), DVec3::new(1.0, 2.0, 3.0));
    let tcp = left.tool.expect("a tool").link_from_tcp;
    assert_eq!(tcp, Pose::from_rpy(DVec3::Z * 0.2, DVec3::Y * 75f64.to_radians()));
    assert_eq!(right.tool.expect("a tool").link_from_tcp, Pose::IDENTITY);
    let reasons = |a: &str, b: &str| {
        let found = cell
            .pairs()
            .not_checked()
            .iter()
            .find(|(pair, _)| pair.map(|id| &cell.body(id).name[..]) == [a, b]);
        found.map(|(_, why)| why.clone())
    };
    assert_eq!(reasons("left/base", "left/hand"), Some(NotChecked::Disabled { reason: "Never".into() }));
    assert_eq!(reasons("right/base", "right/hand"), None);
    assert_eq!(reasons("left/tool", "floor"), Some(NotChecked::Allowed));
    assert_eq!(reasons("right/base", "sphere"), Some(NotChecked::Allowed));
    assert_eq!(loaded.robots[0].name, "left");
    assert_eq!(loaded.robots[0].srdf, Some(folder.path().join("arm.srdf")));
    assert_eq!(loaded.robots[1].meshes.len(), 1);
    assert_eq!(loaded.meshes.len(), 3);
    // The held joint of the left robot has moved its hand.
    let placed = cell.place(&[0.0, 0.0, 0.0]);
    let hand = placed.world_from_carrier(body("left/hand")).translation();
    assert!(hand.abs_diff_eq(DVec3::new(-1.0, 0.0, 1.0), 1e-15), "{hand}");
}

#[test]
fn units_of_the_file_do_not_change_the_cell() {
    let folder = workshop();
    let metres = r#"
        [[robot]]
        name = "arm"
        urdf = "arm.urdf"
        at = { xyz = [1.1, -0.7, 0.3], rpy_deg = [10, 20, 30] }
        hold = { slide = 0.1, turn = 0.3 }
        tool = { sphere = 0.013, on = "hand", tcp = { matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.123, 0, 0.7] } }
        [[object]]
        name = "sheet"
        mesh = "block.stl"
        [[object]]
        name = "box"
        box = [1.1, 0.3, 0.007]
        [[object]]
        name = "floor"
        plane = [0, 3, 4, 2.5]
    "#;
    let millimetres = r#"
        units = "mm"
        [[robot]]
        name = "arm"
        urdf = "arm.urdf"
        at = { xyz = [1100, -700, 300], rpy_deg = [10, 20, 30] }
        hold = { slide = 100, turn = 0.3 }
        tool = { sphere = 13, on = "hand", tcp = { matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1, 123, 0, 700] } }
        [[object]]
        name = "sheet"
        mesh = "block_mm.stl"
        [[object]]
        name = "box"
        box = [1100, 300, 7]
        [[object]]
        name = "floor"
        plane = [0, 3, 4, 2500]
    "#;
    let [a, b] = [metres, millimetres].map(|text| good(folder.path(), text));
    assert_same(&a.cell, &b.cell);
    assert_eq!(a.cell.robots()[0].world_from_root, b.cell.robots()[0].world_from_root);
    assert_eq!((a.metres_per_unit, b.metres_per_unit), (1.0, 0.001));
    // A glTF is in metres, whatever the cell file says, unless it says it of the mesh.
    let extent = |text: &str| {
        let loaded = good(folder.path(), text);
        match &loaded.cell.bodies()[0].pieces[0].geometry {
            Geometry::Mesh(mesh) => mesh.aabb().extent().x,
            Geometry::Primitive(_) => panic!("a mesh"),
        }
    };
    assert_eq!(extent("units = \"mm\"\n[[object]]\nname = \"a\"\nmesh = \"block.glb\"\n"), 1.0);
    assert_eq!(extent("[[object]]\nname = \"a\"\nmesh = \"block.glb\"\nunits = \"mm\"\n"), 0.001);
    assert_eq!(extent("units = \"in\"\n[[object]]\nname = \"a\"\nmesh = \"block.stl\"\n"), 0.0254);
    // Without a word on units, a large mesh is worth a question.
    let large = good(folder.path(), "[[object]]\nname = \"a\"\nmesh = \"block_mm.stl\"\n");
    assert_eq!(large.warnings[0].path, folder.path().join("block_mm.stl"));
    assert!(large.warnings[0].fault.what.contains("perhaps the file is in millimetres"));
}

#[test]
fn every_fault_has_its_place() {
    let folder = workshop();
    let check = |text: &str, expected: &[&str]| {
        let errors = read_text(folder.path(), text).expect_err(text);
        let root = format!("{}/", folder.path().display());
        let found: Vec<String> = shown(&errors).iter().map(|line| line.replace(&root, "")).collect();
        assert_eq!(found, expected, "{text}");
    };
    let object = |rest: &str| format!("[[object]]\nname = \"a\"\n{rest}\n");
    let robot = |rest: &str| format!("[[robot]]\nname = \"r\"\nurdf = \"arm.urdf\"\n{rest}\n");
    let check_object = |rest: &str, expected: &[&str]| check(&object(rest), expected);
    let check_robot = |rest: &str, expected: &[&str]| check(&robot(rest), expected);

    // Syntax.
    check("units = m\n", &["1:9: this is not TOML: string values must be quoted, expected literal string"]);
    check("units = \"m\"\nunits = \"m\"\n", &["2:1: this is not TOML: duplicate key"]);
    check(
        "a = 01\nb = 'ä\nc = 1\n",
        &[
            "1:5: this is not TOML: unexpected leading zero, expected nothing",
            "2:7: this is not TOML: invalid literal string, expected `'`",
        ],
    );
    // The whole.
    check("", &["the cell holds no robot and no object"]);
    check("units = \"mm\"\n", &["the cell holds no robot and no object"]);
    check(
        "[robot]\nname = \"r\"\n",
        &["1:1: there may be several of these: write [[robot]] instead of [robot]"],
    );
    check("object = 3\n", &["1:10: expected [[object]], found a number"]);
    check(
        "units = \"feet\"\n[[robots]]\n",
        &[
            "1:9: \"feet\" is no unit of length",
            "2:3: a cell has no key \"robots\"; did you mean \"robot\"?",
            "the cell holds no robot and no object",
        ],
    );
    // Names.
    check("[[object]]\nsphere = 1\n", &["1:1: an object needs the key \"name\""]);
    check("[[object]]\nsphere = 1\nname = \" \"\n", &["3:8: a name must not be empty"]);
    check("[[object]]\nsphere = 1\nname = 7\n", &["3:8: expected a name, found a number"]);
    check(
        "[[object]]\nsphere = 1\nname = \"a|b\"\n",
        &["3:8: a name must not contain '|': a link is written robot/link, a pair a|b"],
    );
    check(
        &(object("sphere = 1") + &object("sphere = 2") + &robot("").replace("\"r\"", "\"a\"")),
        &[
            "5:8: \"a\" is already the name of another object",
            "8:8: \"a\" is already the name of another object",
        ],
    );
    // Shapes.
    check_object("", &["1:1: an object needs a shape"]);
    check_object(
        "sphere = 1\nbox = [1, 2, 3]\n",
        &["4:1: an object has one shape: there is a sphere and a box"],
    );
    check_object("box = \"big\"", &["3:7: expected 3 numbers, found a string"]);
    check_object("box = [1, 2]", &["3:7: expected 3 numbers, found 2"]);
    check_object(
        "box = [1, true, 'x']",
        &["3:11: expected a number, found true or false", "3:17: expected a number, found a string"],
    );
    check_object("sphere = nan", &["3:10: this is not a finite number"]);
    check_object("sphere = [1]", &["3:10: expected a number, found a list"]);
    check_object("cylinder = [1, -inf]", &["3:16: this is not a finite number"]);
    check_object("capsule = [1e999, 1]", &["3:12: this is not a finite number"]);
    check_object("cone = [0, 1]", &["3:8: the radius must be greater than zero, not 0"]);
    check(
        &format!("units = \"mm\"\n{}", object("sphere = -5")),
        &["4:10: the radius must be greater than zero, not -5"],
    );
    check_object("sphere = 1e7", &["3:10: the radius is 1e7 m, beyond the limit of 1e6 m"]);
    check_object("plane = [0, 0, 0, 1]", &["3:9: the normal of a plane must be a direction, not [0, 0, 0]"]);
    check_object(
        "sphere = 1\nunits = \"mm\"",
        &["4:1: these units are of a mesh file, and there is no mesh"],
    );
    check_object(
        "mesch = \"block.stl\"",
        &["1:1: an object needs a shape", "3:1: an object has no key \"mesch\"; did you mean \"mesh\"?"],
    );
    check_object("mesh = \"block.stl\"\nscale = 2", &["4:1: an object has no key \"scale\""]);
    // Poses.
    check_object("sphere = 1\nat = [0, 0, 1]", &["4:6: expected a table, found a list"]);
    check_object(
        "sphere = 1\nat = { xyz = [0, 1], rpy = [0, 0, 0], rpy_deg = 3 }",
        &[
            "4:14: expected 3 numbers, found 2",
            "4:22: a pose has no key \"rpy\"",
            "4:49: expected 3 numbers, found a number",
        ],
    );
    check_object(
        "sphere = 1\nat = { xyz = [0, 0, 2e6] }",
        &["4:14: the translation reaches 2e6 m, beyond the limit of 1e6 m"],
    );
    check_object(
        "sphere = 1\nat = { matrix = [1, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0], xyz = [0, 0, 0] }",
        &[
            "4:17: the matrix mirrors (determinant -1)",
            "4:56: the matrix says it all: there is no place for xyz",
        ],
    );
    // Files.
    check_object("mesh = \"blokc.stl\"", &["3:8: there is no file \"blokc.stl\""]);
    check_object("mesh = \"\"", &["3:8: this cannot be the name of a file"]);
    check_object("mesh = []", &["3:8: expected at least one mesh file, found none"]);
    check_object(
        "mesh = [\"block.stl\", 3, \"\"]",
        &["3:22: expected the name of a file, found a number", "3:25: this cannot be the name of a file"],
    );
    check_object("mesh = [\"block.stl\", \"no.stl\"]", &["3:22: there is no file \"no.stl\""]);
    check_object("mesh = \".\"", &["3:8: \".\" is a folder"]);
    check_object(
        "mesh = \"broken.off\"",
        &["broken.off: line 5, column 5: vertex 3: 'zero' is not a number"],
    );
    check("[[robot]]\nname = \"r\"\n", &["1:1: a robot needs the key \"urdf\""]);
    check(
        "[[robot]]\nname = \"r\"\nurdf = \"no.urdf\"\nsrdf = \"no.srdf\"\npackages = [\"here\", 3]\ntool = { on = \"x\", mesh = \"no.stl\" }\n",
        &[
            "3:8: there is no file \"no.urdf\"",
            "4:8: there is no file \"no.srdf\"",
            "5:13: there is no folder \"here\"",
            "5:21: expected a folder, found a number",
            "6:27: there is no file \"no.stl\"",
        ],
    );
    // What only the whole cell can tell.
    check_robot(
        "hold = { slid = 0.1, turn = 4, slide = \"far\" }",
        &[
            "4:10: robot \"r\" holds joint \"slid\", which it does not have; did you mean \"slide\"?",
            "4:29: robot \"r\" cannot hold joint \"turn\": 229.1831 deg is outside its limits, -171.8873 to 171.8873 deg",
            "4:40: expected a number, found a string",
        ],
    );
    check_robot(
        "tool = { on = \"hnd\" }",
        &[
            "4:15: the tool of robot \"r\" is on link \"hnd\", which the robot does not have; did you mean \"hand\"?",
        ],
    );
    check_robot(
        "tool = { on = \"\" }",
        &["4:15: the tool of robot \"r\" is on link \"\", which the robot does not have"],
    );
    check_robot("tool = { sphere = 1 }", &["4:8: a tool needs the key \"on\""]);
    check_robot("tool = { on = \"hand\", plane = [0, 0, 1, 0] }", &["4:23: a tool has no key \"plane\""]);
    let carried = robot("") + &object("sphere = 1\non = \"r/hnad\"");
    check(
        &carried,
        &["8:6: object \"a\" is on \"r/hnad\", which is no link of a robot; did you mean \"r/hand\"?"],
    );
    let carried = robot("") + &object("plane = [0, 0, 1, 0]\non = \"r/hand\"");
    check(&carried, &["8:6: \"a\" is a plane, which is infinite and cannot be carried"]);
    check_object(
        "sphere = 1\n[allow]\npairs = [[\"a\", \"b\"], [\"b\", \"a\"], [\"a\", \"a\"], [\"a\"], \"a\", [1, \"a\"]]",
        &[
            "5:16: a pair is allowed with \"b\", but nothing has that name",
            "5:23: a pair is allowed with \"b\", but nothing has that name",
            "5:34: a pair is allowed of \"a\" with itself",
            "5:46: expected a pair of names, found 1",
            "5:53: expected a pair of names, found a string",
            "5:59: expected a name, found a number",
        ],
    );
    check_object(
        "sphere = 1\n[allow]\npair = []",
        &["5:1: [allow] has no key \"pair\"; did you mean \"pairs\"?"],
    );
    check(
        "[[robot]]\nname = \"r\"\nurdf = \"no.urdf\"\n[[object]]\nname = \"a\"\nsphere = 1\non = \"r/x\"\n[allow]\npairs = [[\"r/y\", \"a\"], [\"q/y\", \"a\"]]\n",
        &[
            "3:8: there is no file \"no.urdf\"",
            "9:25: a pair is allowed with \"q/y\", but nothing has that name",
        ],
    );
}

#[test]
fn a_tool_and_a_link_of_that_name_are_told_apart() {
    let folder = workshop();
    let urdf = std::fs::read_to_string(folder.path().join("arm.urdf")).expect("there");
    std::fs::write(folder.path().join("tool.urdf"), urdf.replace("\"hand\"", "\"tool\"")).expect("written");
    let text = "[[robot]]\nname = \"r\"\nurdf = \"tool.urdf\"\ntool = { sphere = 1, on = \"tool\" }\n";
    let errors = read_text(folder.path(), text).expect_err("two bodies of one name");
    assert_eq!(shown(&errors), ["4:1: 2 robots or objects are named \"r/tool\""]);
    good(folder.path(), &text.replace("sphere = 1, ", ""));
}

#[test]
fn advice_for_wrong_names() {
    let folder = workshop();
    let help = |text: &str| {
        let errors = read_text(folder.path(), text).expect_err("bad");
        errors[0].faults[0].help.clone().expect("advice")
    };
    assert_eq!(
        help("[[object]]\nname = \"a\"\nmesh = \"Block.STL\"\n"),
        "there is \"block.stl\" in that folder"
    );
    assert_eq!(help("unit = \"m\"\n"), "known are format, $schema, units, robot, object, allow");
    assert!(help("[[object]]\nname = \"a\"\n").starts_with("give it one of mesh, box"));
}

#[test]
fn files_that_are_no_text() {
    let folder = workshop();
    let path = folder.path().join("cell.toml");
    let check = |bytes: &[u8], expected: &[&str]| {
        std::fs::write(&path, bytes).expect("written");
        assert_eq!(shown(&read(&path, &CellOptions::default()).expect_err("bad")), expected);
    };
    check(b"units = \"m\"\nx = \"\xff\"\n", &["2:6: the file is not UTF-8"]);
    check(b"\0\0\0", &["1:1: this is not TOML: invalid unquoted key, expected letters, numbers, `-`, `_`"]);
    let deep = [b"a = ".to_vec(), vec![b'['; 100_000]].concat();
    check(&deep, &["1:85: this is not TOML: cannot recurse further; max recursion depth met"]);
    let missing = read(&folder.path().join("no.toml"), &CellOptions::default()).expect_err("missing");
    assert_eq!(shown(&missing), ["no.toml: there is no such file"]);
    // A byte-order mark and the line ends of Windows are nothing to speak of.
    std::fs::write(&path, b"\xef\xbb\xbf[[object]]\r\nname = \"a\"\r\nsphere = 1\r\n").expect("written");
    read(&path, &CellOptions::default()).expect("good");
    std::fs::write(&path, b"[[object]]\r\nname = \"a\"\r\nsphere = 0\r\n").expect("written");
    let errors = read(&path, &CellOptions::default()).expect_err("bad");
    assert_eq!(shown(&errors), ["3:10: the radius must be greater than zero, not 0"]);
}

#[test]
fn what_is_written_reads_as_the_same_cell() {
    let folder = workshop();
    let before = good(folder.path(), EVERYTHING).cell;
    let out = folder.path().join("new/folder");
    write(&out, &before).expect("written");
    let after = read(&out.join("cell.toml"), &CellOptions::default()).expect("good");
    assert_same(&before, &after.cell);
    assert_eq!(after.warnings, []);
    // Once more: rotations have settled, and every file is the same.
    let again = folder.path().join("again");
    write(&again, &after.cell).expect("written");
    let text = |folder: &Path| std::fs::read_to_string(folder.join("cell.toml")).expect("there");
    assert_eq!(text(&out), text(&again));
    assert!(
        text(&out).contains("at = { xyz = [-1.0, 0.0, 0.0], rpy_deg = [0.0, 0.0, 90.0] }"),
        "{}",
        text(&out)
    );
    assert!(text(&out).contains("rpy_deg = [0.0, 75.0, 0.0]"));
    assert!(text(&out).contains("hold = { \"slide\" = 0.1 }"));
}

/// A robot with every kind of joint, shapes that are hard to write, and names that no file bears.
fn odd_cell() -> Cell {
    let turned = |x: f64| Pose::from_rpy(DVec3::new(x, 0.1, 1.0 / 3.0), DVec3::new(0.1 * x, 1.2, -2.0));
    let piece = |geometry, pose| BodyPiece { geometry, carrier_from_piece: pose };
    let round =
        Arc::new(primitive(Shape::Cone { radius: 0.1, height: 0.3 }).tessellated(1e-3).expect("a mesh"));
    let kinds = [
        JointKind::Fixed,
        JointKind::Revolute { axis: DVec3::new(1.0, 2.0, 3.0) },
        JointKind::Continuous { axis: DVec3::Y },
        JointKind::Prismatic { axis: -DVec3::Z },
        JointKind::Planar { normal: DVec3::X },
        JointKind::Floating,
        JointKind::Continuous { axis: DVec3::Z },
    ];
    let name = |i: usize| if i == 1 { "a \"b\" & <c>".to_owned() } else { format!("link {i}") };
    let links = (0..=kinds.len()).map(|i| LinkDraft {
        name: name(i),
        pieces: match i {
            0 => vec![
                piece(Geometry::Mesh(round.clone()), turned(1.0)),
                piece(Geometry::Mesh(round.clone()), Pose::IDENTITY),
            ],
            1 => vec![piece(Geometry::Mesh(Arc::new(block(0.5, 0.25, 2.0))), turned(0.3))],
            2 => vec![piece(
                Geometry::Primitive(primitive(Shape::Capsule { radius: 0.1, height: 0.2 })),
                turned(2.0),
            )],
            _ => vec![],
        },
    });
    let joints = kinds.iter().enumerate().map(|(i, kind)| JointDraft {
        name: format!("joint {i}"),
        kind: *kind,
        parent: name(i),
        child: name(i + 1),
        // A right angle of pitch, where roll and yaw are not told apart.
        parent_from_joint: Pose::from_rpy(
            DVec3::X * 0.1,
            DVec3::new(0.4, std::f64::consts::FRAC_PI_2, i as f64),
        ),
        limits: Some(Limits { lower: -0.1, upper: 2.0 / 3.0 }),
        max_speed: (i == 2).then_some(0.7),
        mimic: (i == 6).then(|| MimicDraft { joint: "joint 2".into(), multiplier: -0.5, offset: 0.1 }),
    });
    let draft = RobotDraft { name: "odd & <robot>".into(), links: links.collect(), joints: joints.collect() };
    let robot = Robot::new(draft).expect("a good robot");
    let tool = ToolDraft {
        on: "link 4".into(),
        pieces: vec![piece(Geometry::Mesh(round), turned(0.7))],
        link_from_tcp: turned(0.5),
    };
    let disabled = vec![DisabledPair { links: [name(0), name(2)], reason: "they \"never\" meet".into() }];
    let in_cell = |name: &str| RobotDraftInCell {
        name: name.into(),
        robot: robot.clone(),
        world_from_root: turned(-1.0),
        hold: Vec::new(),
        tool: Some(tool.clone()),
        disabled: disabled.clone(),
    };
    let object = |name: &str, shape: Shape, on: Option<&str>| ObjectDraft {
        name: name.into(),
        pieces: vec![piece(Geometry::Primitive(primitive(shape)), turned(4.0))],
        on: on.map(str::to_owned),
    };
    Cell::new(CellDraft {
        robots: vec![in_cell("arm"), in_cell("Arm"), in_cell("größe 1")],
        objects: vec![
            object("C:\\new \"one\"", Shape::Cone { radius: 0.1, height: 1.0 / 3.0 }, None),
            object("floor", Shape::HalfSpace { normal: DVec3::Z, offset: -0.25 }, None),
            object("held", Shape::Box { size: DVec3::splat(0.1) }, Some("Arm/a \"b\" & <c>")),
        ],
        allow: vec![["floor".into(), "arm/link 0".into()], ["held".into(), "arm/tool".into()]],
    })
    .expect("a good cell")
}

#[test]
fn an_odd_cell_survives_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = odd_cell();
    write(folder.path(), &before).expect("written");
    let after = read(&folder.path().join("cell.toml"), &CellOptions::default());
    let after = after.unwrap_or_else(|errors| panic!("{}", shown(&errors).join("\n")));
    assert_same(&before, &after.cell);
    for name in ["arm/arm.urdf", "robot_1/robot_1.urdf", "robot_2/robot_2.srdf", "meshes/arm_tool.ply"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
}

#[test]
fn the_built_in_cell_survives() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = kansho_cell::builtin::cell();
    write(folder.path(), &before).expect("written");
    let after = read(&folder.path().join("cell.toml"), &CellOptions::default());
    let after = after.unwrap_or_else(|errors| panic!("{}", shown(&errors).join("\n")));
    assert_same(&before, &after.cell);
}

#[test]
fn a_cell_of_too_many_objects_is_refused_quickly() {
    let folder = tempfile::tempdir().expect("a folder");
    let many: String =
        (0..50_000).map(|i| format!("[[object]]\nname = \"{}\"\nsphere = -1\n", i % 2)).collect();
    let errors = read_text(folder.path(), &many).expect_err("too many");
    assert_eq!(errors[0].faults.len(), 21);
    assert_eq!(errors[0].faults[20].what, "and 99979 more faults");
    let different: String = (0..5000).map(|i| format!("[[object]]\nname = \"{i}\"\nsphere = 1\n")).collect();
    let errors = read_text(folder.path(), &different).expect_err("too many");
    assert_eq!(shown(&errors), ["a cell holds at most 4096 robots and objects, and here are 5000"]);
}

#[test]
fn units_are_those_of_tables() {
    for unit in UNITS {
        let named = crate::units::Unit::named(unit.name);
        let Some(crate::units::Unit::Metres(metres)) = named else { panic!("{} is no length", unit.name) };
        assert_eq!(unit.metres(1.0), metres);
    }
}

#[test]
fn what_no_file_holds_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let ball = || BodyPiece {
        geometry: Geometry::Primitive(primitive(Shape::Sphere { radius: 1.0 })),
        carrier_from_piece: Pose::IDENTITY,
    };
    let check = |name: &str, pieces: Vec<BodyPiece>, expected: &str| {
        let objects = vec![ObjectDraft { name: name.into(), pieces, on: None }];
        let cell = Cell::new(CellDraft { objects, ..CellDraft::default() }).expect("a good cell");
        let error = write(folder.path(), &cell).expect_err(expected);
        assert_eq!(error.what, expected);
        assert!(!folder.path().join("cell.toml").exists());
    };
    check(
        "two",
        vec![ball(), ball()],
        "\"two\" has several shapes that are not all meshes in one frame, which a cell file cannot hold",
    );
    check(
        "a/b",
        vec![ball()],
        "\"a/b\" cannot be written: a name must not contain '/': a link is written robot/link, a pair a|b",
    );
    check("", vec![ball()], "\"\" cannot be written: a name must not be empty");
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let inside_out = kansho_geom::mesh::weld(&corners, &[[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]], 0.0);
    let mesh = Geometry::Mesh(Arc::new(inside_out.expect("a mesh").mesh));
    let piece = BodyPiece { geometry: mesh, carrier_from_piece: Pose::IDENTITY };
    check(
        "bag",
        vec![piece],
        "the mesh of \"bag\" would be read as another: it is inside out, or has cracks or disputed faces",
    );
    assert!(!folder.path().join("meshes/bag.stl").exists());
}

#[test]
fn bodies_of_the_right_kind() {
    let folder = workshop();
    let cell = good(folder.path(), EVERYTHING).cell;
    let count = |kind| cell.bodies().iter().filter(|body| body.kind == kind).count();
    assert_eq!([BodyKind::Link, BodyKind::Tool, BodyKind::Object].map(count), [6, 2, 7]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever is cut out, doubled or replaced: an answer or a fault, never a panic.
    #[test]
    fn no_edit_breaks_the_reader(from in 0..EVERYTHING.len(), length in 0..40usize, to in 0..EVERYTHING.len(), put in "[\\PC\n]{0,3}") {
        let to_char = |mut at: usize| {
            while !EVERYTHING.is_char_boundary(at) { at -= 1; }
            at
        };
        let end = to_char((from + length).min(EVERYTHING.len()));
        let cut = &EVERYTHING[to_char(from)..end];
        let replaced = [&EVERYTHING[..to_char(from)], &put, &EVERYTHING[end..]].concat();
        let moved = [&EVERYTHING[..to_char(to)], cut, &EVERYTHING[to_char(to)..]].concat();
        let folder = workshop();
        for text in [replaced, moved] {
            if let Err(errors) = read_text(folder.path(), &text) {
                prop_assert!(!errors.is_empty() && errors.iter().all(|error| !error.faults.is_empty()));
            }
        }
    }
}

/// A COLLADA file with Y up is in the same place as an object, as a tool and in a URDF; that nothing was turned is told, and `up = "z"` turns it.
#[test]
fn y_up_meshes_are_in_one_place_everywhere() {
    const DAE: &str = "<COLLADA><asset><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"12\">0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common><accessor source=\"#a\" count=\"4\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries><scene/></COLLADA>";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("wedge.dae"), DAE).expect("written");
    let urdf = "<robot name=\"r\"><link name=\"l\"><collision><geometry><mesh filename=\"wedge.dae\"/></geometry></collision></link></robot>";
    std::fs::write(folder.path().join("r.urdf"), urdf).expect("written");
    let text = |up: &str| {
        format!(
            "[[robot]]\nname = \"r\"\nurdf = \"r.urdf\"\ntool = {{ mesh = \"wedge.dae\", on = \"l\"{up} }}\n[[object]]\nname = \"o\"\nmesh = \"wedge.dae\"\n{}\n",
            up.trim_start_matches(", ")
        )
    };
    let sizes = |up: &str| -> (Vec<DVec3>, Vec<String>) {
        let loaded = read_text(folder.path(), &text(up)).expect("a cell");
        let size = |body: &kansho_cell::Body| match &body.pieces[0].geometry {
            Geometry::Mesh(mesh) => mesh.aabb().max() - mesh.aabb().min(),
            Geometry::Primitive(_) => panic!("a mesh"),
        };
        let told = loaded.warnings.iter().map(|warning| warning.fault.what.clone()).collect();
        (loaded.cell.bodies().iter().map(size).collect(), told)
    };
    let stands = DVec3::new(1.0, 2.0, 3.0);
    for up in ["", ", up = \"as-in-file\""] {
        let (found, told) = sizes(up);
        assert_eq!(found, [stands; 3], "link, tool and object");
        assert!(
            told.iter()
                .any(|what| what == "the file says that Y is up: its coordinates are used as they stand"),
            "{told:?}"
        );
    }
    let (found, told) = sizes(", up = \"z\"");
    let turned = DVec3::new(1.0, 3.0, 2.0);
    assert_eq!(found, [stands, turned, turned], "URDFs are as ROS reads them");
    let of_y = told.iter().filter(|what| what.contains("Y is up")).count();
    assert_eq!(of_y, 1, "of the URDF alone: {told:?}");
    // URDFs have no such key: their advice is another.
    let loaded = read_text(folder.path(), &text("")).expect("a cell");
    let advice = |path: &str| {
        let of = |warning: &&crate::fault::Warning| {
            warning.path.ends_with(path) && warning.fault.what.contains("Y is up")
        };
        loaded.warnings.iter().filter(of).filter_map(|warning| warning.fault.help.clone()).collect::<Vec<_>>()
    };
    let all = advice("wedge.dae");
    assert!(all.iter().any(|help| help.contains("the rpy of the <origin>")), "{all:?}");
    assert!(all.iter().any(|help| help.starts_with("up = \"z\" beside the mesh")), "{all:?}");
    let errors = read_text(folder.path(), &text(", up = \"y\"")).expect_err("no such word");
    assert!(errors[0].to_string().contains("\"y\" is not understood"), "{errors:?}");
}

/// What has no effect on a file is refused, and so is a name that is looked up elsewhere only.
#[test]
fn keys_of_meshes_have_an_effect() {
    let folder = workshop();
    std::fs::write(
        folder.path().join("flat.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
    )
    .expect("written");
    let object = |more: &str| format!("[[object]]\nname = \"o{}\"\n{more}\n", more.len());
    let told = |text: &str| shown(&read_text(folder.path(), text).expect_err(text));
    let up = told(&object("mesh = \"flat.obj\"\nup = \"z\""));
    assert!(up.len() == 1 && up[0].contains("up = \"z\" has no effect on this file"), "{up:?}");
    read_text(folder.path(), &object("mesh = \"flat.obj\"\nup = \"as-in-file\"")).expect("as it stands");
    let [a, b] = ["m0.stl", "m01.stl"].map(|name| object(&format!("mesh = \"package://nope/{name}\"")));
    let package = told(&(a + &b));
    assert!(
        package.len() == 1 && package[0].contains("kansho looks package:// up in URDFs only"),
        "{package:?}"
    );
}

#[test]
fn forms_that_are_not_known_are_refused_by_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let cell = "[[object]]\nname = \"o\"\nsphere = 1\n";
    for good in ["", "format = 1\n", "\"$schema\" = \"cell.schema.json\"\n"] {
        read_text(folder.path(), &format!("{good}{cell}")).expect("a cell");
    }
    // One fault: keys of another form may mean something else.
    for (bad, expected) in [
        ("format = 2\nrobots = 3\n", "this cell has format 2, and this kansho reads format 1"),
        ("format = 0\n", "1 is the only one so far"),
        ("format = \"1\"\n", "1 is the only one so far"),
    ] {
        let errors = read_text(folder.path(), &format!("{bad}{cell}")).expect_err("another form");
        let [error] = &errors[..] else { panic!("{errors:?}") };
        let told = error.to_string();
        assert!(error.faults.len() == 1 && told.contains(expected) && told.contains("line 1,"), "{told}");
    }
}
