use super::{LoadedRobot, RobotOptions, read, with_spheres};
use crate::fault::{Place, ReadError};
use kansho_cell::{Geometry, JointKind};
use kansho_geom::glam::DVec3;
use std::path::PathBuf;
use tempfile::TempDir;

const JOINT: &str = r#"<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="2"/></joint>"#;
const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A folder with a package `parts` that has a mesh, and a URDF in another package.
struct Place4Robots {
    folder: TempDir,
}

impl Place4Robots {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, content) in [
            ("ws/parts/meshes/t.obj", TRIANGLE),
            ("ws/robot/package.xml", "<package><name>renamed</name></package>"),
            ("ws/robot/urdf/beside.obj", TRIANGLE),
            ("ws/robot/meshes/t.obj", TRIANGLE),
            ("ws/robot/meshes/bad.obj", "v 0 0 nan\nf 1 1 1\n"),
            ("far/secret.obj", TRIANGLE),
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, content).expect("a file");
        }
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("ws/robot/urdf/r.urdf")
    }

    fn read(&self, body: &str) -> Result<LoadedRobot, Vec<ReadError>> {
        let text = format!("<robot name=\"r\">\n{body}\n</robot>");
        std::fs::write(self.path(), text).expect("the URDF is written");
        read(&self.path(), &RobotOptions::default())
    }
}

fn robot(body: &str) -> LoadedRobot {
    Place4Robots::new().read(body).unwrap_or_else(|errors| panic!("{body}: {errors:?}"))
}

/// Messages with their lines, without folders.
fn messages(body: &str) -> Vec<String> {
    let place = Place4Robots::new();
    let errors = place.read(body).expect_err(body);
    let shown = |error: &ReadError| {
        let name = error.path.file_name().expect("a file").to_string_lossy().into_owned();
        let one = |fault: &crate::Fault| match fault.place {
            Place::Line { line, .. } => format!("{name}:{line}: {}", fault.what),
            _ => format!("{name}: {}", fault.what),
        };
        error.faults.iter().map(one).collect::<Vec<_>>()
    };
    let folder = place.folder.path().display().to_string();
    errors.iter().flat_map(shown).map(|message| message.replace(&folder, "")).collect()
}

fn links(names: &[&str]) -> String {
    names.iter().map(|name| format!("<link name=\"{name}\"/>\n")).collect()
}

fn mesh(filename: &str, more: &str) -> String {
    format!(
        "<link name=\"a\"><collision><geometry><mesh filename=\"{filename}\" {more}/></geometry></collision></link>"
    )
}

#[test]
fn shapes_and_origins() {
    let loaded = robot(
        r#"<link name="a">
             <collision><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry><box size="1 2 3"/></geometry></collision>
             <collision><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
             <collision><geometry><sphere radius="0.5"/></geometry></collision>
             <collision><geometry><mesh filename="package://parts/meshes/t.obj" scale="2 2 2"/></geometry></collision>
           </link>"#,
    );
    let pieces = &loaded.robot.links()[0].pieces;
    assert_eq!(pieces.len(), 4);
    assert!((pieces[0].carrier_from_piece * DVec3::X).abs_diff_eq(DVec3::new(1.0, 3.0, 3.0), 1e-15));
    let Geometry::Mesh(mesh) = &pieces[3].geometry else { panic!("a mesh") };
    assert_eq!(mesh.area(), 2.0);
}

#[test]
fn a_mesh_is_read_once_and_a_mirrored_one_faces_the_right_way() {
    let loaded = robot(&format!(
        "{}{JOINT}<link name=\"b\"><collision><geometry><mesh filename=\"../meshes/t.obj\"/></geometry></collision>\
         <collision><geometry><mesh filename=\"../meshes/t.obj\" scale=\"-1 1 1\"/></geometry></collision></link>",
        mesh("../meshes/t.obj", "")
    ));
    let mesh_of = |link: usize, piece: usize| match &loaded.robot.links()[link].pieces[piece].geometry {
        Geometry::Mesh(mesh) => mesh.clone(),
        Geometry::Primitive(_) => panic!("a mesh"),
    };
    assert!(std::sync::Arc::ptr_eq(&mesh_of(0, 0), &mesh_of(1, 0)));
    let [a, b, c] = mesh_of(1, 1).corners().next().expect("a triangle");
    assert!((b - a).cross(c - a).z > 0.0, "mirrored in x, it still faces up");
    assert_eq!(loaded.meshes.len(), 1);
}

#[test]
fn joints_of_every_kind() {
    let loaded = robot(
        r#"<link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link>
           <link name="b"/><link name="c"/><link name="d"/><link name="e"/><link name="f"/><link name="g"/>
           <joint name="r" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 2"/><limit lower="-1" upper="2" velocity="3"/></joint>
           <joint name="c" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint>
           <joint name="p" type="prismatic"><parent link="c"/><child link="d"/><limit lower="0" upper="1"/><mimic joint="r" multiplier="2" offset="0.5"/></joint>
           <joint name="f" type="fixed"><parent link="d"/><child link="e"/></joint>
           <joint name="l" type="planar"><parent link="e"/><child link="f"/><axis xyz="0 0 1"/></joint>
           <joint name="o" type="floating"><parent link="f"/><child link="g"/></joint>"#,
    );
    let joints = loaded.robot.joints();
    assert_eq!(joints[0].kind, JointKind::Revolute { axis: DVec3::Z });
    assert_eq!(
        (joints[0].limits.map(|l| (l.lower, l.upper)), joints[0].max_speed),
        (Some((-1.0, 2.0)), Some(3.0))
    );
    assert_eq!(joints[2].kind, JointKind::Prismatic { axis: DVec3::X }, "x is the axis where none is given");
    assert_eq!(joints[2].mimic.map(|m| (m.joint.0, m.multiplier, m.offset)), Some((0, 2.0, 0.5)));
    assert_eq!(joints[4].kind.coordinates().len() + joints[5].kind.coordinates().len(), 9);
    let whats: Vec<&str> = loaded.warnings.iter().map(|warning| warning.fault.what.as_str()).collect();
    assert!(
        matches!(whats[..], [axis, mimic] if axis.contains("has length 2") && mimic.contains("<mimic>")),
        "{whats:?}"
    );
}

#[test]
fn packages_are_found_as_promised() {
    for name in [
        "package://parts/meshes/t.obj",
        "package://renamed/meshes/t.obj",
        "package://robot/meshes/t.obj",
        "beside.obj",
        "../meshes/t.obj",
    ] {
        assert_eq!(robot(&mesh(name, "")).meshes.len(), 1, "{name}");
    }
    let place = Place4Robots::new();
    let given = RobotOptions { packages: vec![place.folder.path().to_owned()] };
    place.read(&mesh("package://far/secret.obj", "")).expect("also found above");
    std::fs::write(place.path(), format!("<robot>{}</robot>", mesh("../../../far/secret.obj", "")))
        .expect("written");
    assert!(read(&place.path(), &RobotOptions::default()).is_err());
    assert!(read(&place.path(), &given).is_ok(), "a folder that the user names may be read");
}

#[test]
fn nothing_is_read_from_elsewhere() {
    for name in [
        "../../../far/secret.obj",
        "/etc/hostname",
        "package://etc/hostname",
        "file:///etc/hostname",
        "package://parts/../../far/secret.obj",
        "http://x/y.obj",
        "package://",
        "package://parts",
    ] {
        let found = messages(&mesh(name, ""));
        assert_eq!(found.len(), 1, "{name}");
        assert!(found[0].starts_with("r.urdf:2: link \"a\": \""), "{found:?}");
    }
}

#[test]
fn faults_name_their_line() {
    let check = |body: &str, expected: &[&str]| assert_eq!(messages(body), expected, "{body}");
    check("", &["r.urdf:1: the robot has no links"]);
    check(
        &format!("{}{JOINT}", links(&["a"])),
        &["r.urdf:3: joint \"j\" moves link \"b\", which is not defined"],
    );
    check(
        &format!("{}{JOINT}", links(&["a", "b", "c"])),
        &["r.urdf:4: there are 2 roots, links that no joint moves: \"a\", \"c\""],
    );
    check(&format!("{}{JOINT}", links(&["a", "a", "b"])), &["r.urdf:3: 2 links are named \"a\""]);
    check(&links(&[""]), &["r.urdf:2: this <link> has no name"]);
    let joint = |from: &str, to: &str| JOINT.replace(from, to);
    let two = links(&["a", "b"]);
    let with = |joint: String| format!("{two}{joint}");
    check(
        &with(joint("0 0 1", "0 0 0")),
        &["r.urdf:4: joint \"j\" has an axis without direction: [0, 0, 0]"],
    );
    check(&with(joint("0 0 1", "0 zero 1")), &["r.urdf:4: xyz: 'zero' is not a number"]);
    check(&with(joint("0 0 1", "0 1")), &["r.urdf:4: xyz=\"0 1\" must have 3 numbers, this has 2"]);
    check(&with(joint("lower=\"-1\"", "lower=\"nan\"")), &["r.urdf:4: lower: 'nan' is not a finite number"]);
    check(
        &with(joint("lower=\"-1\"", "lower=\"3\"")),
        &["r.urdf:4: joint \"j\" has limits the wrong way round: lower 3, upper 1"],
    );
    check(&with(joint("revolute", "hinge")), &["r.urdf:4: joint \"j\" is of the unknown type \"hinge\""]);
    check(&with(joint("<child link=\"b\"/>", "")), &["r.urdf:4: joint \"j\" has no <child link=\"...\">"]);
    check(
        &with(joint("</joint>", "<mimic joint=\"k\"/></joint>")),
        &["r.urdf:4: joint \"j\" mimics \"k\", which is not defined"],
    );
    check(
        &with(joint("</joint>", "<mimic joint=\"j\"/></joint>")),
        &["r.urdf:4: the joints \"j\" mimic each other in a circle"],
    );
    check(
        &mesh("package://parts/meshes/t.obj", "scale=\"0 1 1\""),
        &["r.urdf:2: a mesh of link \"a\" has a scale of zero: [0, 1, 1]"],
    );
    check(
        &mesh("package://nowhere/x.stl", ""),
        &[
            "r.urdf:2: link \"a\": \"package://nowhere/x.stl\": no package \"nowhere\" was found; name the folder that holds it with ⟦packages⟧",
        ],
    );
    check(
        &mesh("package://parts/x.stl", ""),
        &["r.urdf:2: link \"a\": \"package://parts/x.stl\": there is no such file in /ws/parts"],
    );
    check(&mesh("../meshes/bad.obj", ""), &["bad.obj:1: 'nan' is not a finite number"]);
    check(
        "<link name=\"a\"><collision><geometry><box size=\"1 -1 1\"/></geometry></collision></link>",
        &["r.urdf:2: link \"a\": the y size must be greater than zero, not -1"],
    );
    check(
        "<link name=\"a\"><collision><geometry><torus/></geometry></collision></link>",
        &["r.urdf:2: link \"a\" has a <torus>, which is no shape that is known"],
    );
    check(
        "<link name=\"a\"><collision><origin xzy=\"1 0 0\"/><geometry><sphere radius=\"1\"/></geometry></collision></link>",
        &["r.urdf:2: <origin> has no attribute 'xzy'"],
    );
    check(
        "<link name=\"a\"><collision><geometry><sphere radius=\"1\"/></geometry><geometry><sphere radius=\"2\"/></geometry></collision></link>",
        &["r.urdf:2: a second <geometry> in one <collision>"],
    );
    check(
        "<link name=\"a\"><visual><collision/></visual></link>",
        &["r.urdf:2: this <collision> does not stand where it counts, and would be lost"],
    );
    check(
        "<link name=\"a\"/><group><link name=\"b\"><visual/></link></group>",
        &["r.urdf:2: this <link> does not stand where it counts, and would be lost"],
    );
    check(&with(joint("<axis", "<axis xyz=\"1 0 0\"/><axis")), &["r.urdf:4: a second <axis> in one <joint>"]);
    check(
        "<link name=\"a\"><collision/></link>",
        &["r.urdf:2: a <collision> of link \"a\" has no <geometry>"],
    );
}

/// A word that is spelt nearly like one that places, shapes or moves something is refused, with the right word: without it the robot would
/// be another one.
#[test]
fn misspelt_words_are_refused() {
    let in_collision = |part: &str| {
        format!(
            "<link name=\"a\"><collision>{part}<geometry><sphere radius=\"1\"/></geometry></collision></link>"
        )
    };
    let with = |joint: String| format!("{}{joint}", links(&["a", "b"]));
    for (body, what, help) in [
        ("<link name=\"a\"><colision/></link>".to_owned(), "there is no <colision> in a <link>", "<collision>"),
        (in_collision("<orgin xyz=\"0 0 1\"/>"), "there is no <orgin> in a <collision>", "<origin>"),
        (in_collision("<origin xzy=\"0 0 1\"/>"), "<origin> has no attribute 'xzy'", "'xyz'"),
        (in_collision("<origin rpyy=\"0 0 1\"/>"), "<origin> has no attribute 'rpyy'", "'rpy'"),
        (with(JOINT.replace("<axis xyz", "<axis xzy")), "<axis> has no attribute 'xzy'", "'xyz'"),
        (with(JOINT.replace("<axis xyz", "<axes xyz")), "there is no <axes> in a <joint>", "<axis>"),
        (with(JOINT.replace("upper=", "uper=")), "<limit> has no attribute 'uper'", "'upper'"),
        (
            with(JOINT.replace("</joint>", "<mimic joint=\"k\" ofset=\"1\"/></joint>")),
            "<mimic> has no attribute 'ofset'",
            "'offset'",
        ),
        (
            "<link name=\"a\"><collision><geometry><cylinder radius=\"1\" length=\"1\" lenght=\"2\"/></geometry></collision></link>".to_owned(),
            "<cylinder> has no attribute 'lenght'",
            "'length'",
        ),
        ("<lnik name=\"b\"/><link name=\"a\"/>".to_owned(), "there is no <lnik> in a <robot>", "<link>"),
    ] {
        let place = Place4Robots::new();
        let errors = place.read(&body).expect_err(&body);
        let is_it = |fault: &crate::fault::Fault| {
            fault.what == what && fault.help.as_deref().is_some_and(|found| found.contains(help))
        };
        assert!(errors.iter().flat_map(|error| &error.faults).any(is_it), "{body}: {errors:?}");
    }
    let axis = with(JOINT.replace(" xyz=\"0 0 1\"", ""));
    assert!(
        messages(&axis).iter().any(|fault| fault.contains("has no xyz")),
        "{axis}: {:?}",
        messages(&axis)
    );
    let far = with(JOINT.replace("</joint>", "<mimic joint=\"k\" offset=\"1e12\"/></joint>"));
    assert!(
        messages(&far).iter().any(|fault| fault.contains("offset 1e12: more than 1e4")),
        "{:?}",
        messages(&far)
    );
}

#[test]
fn all_faults_come_at_once() {
    let body = format!(
        "{}{}{}",
        mesh("package://nowhere/x.stl", ""),
        links(&["b", "b"]),
        JOINT.replace("0 0 1", "0 0 0").replace("\"a\"", "\"zz\"")
    );
    assert_eq!(messages(&body).len(), 4, "{:?}", messages(&body));
}

#[test]
fn xacro_is_recognised() {
    for body in ["<xacro:property name=\"w\" value=\"1\"/><link name=\"a\"/>", "<link name=\"${prefix}a\"/>"]
    {
        let place = Place4Robots::new();
        let errors = place.read(body).expect_err("xacro");
        assert!(errors[0].faults[0].what.contains("xacro"), "{errors:?}");
    }
    let declared = "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><link name=\"a\"/></robot>";
    let place = Place4Robots::new();
    std::fs::write(place.path(), declared).expect("written");
    assert!(read(&place.path(), &RobotOptions::default()).is_ok(), "naming the language is not speaking it");
}

#[test]
fn oddities_are_warnings() {
    const BARE: &str = "no link of this robot has a <collision>: nothing is checked against it";
    let check = |body: &str, expected: &[&str]| {
        let found: Vec<String> =
            robot(body).warnings.iter().map(|warning| warning.fault.what.clone()).collect();
        assert_eq!(found, expected, "{body}");
    };
    check(
        "<link name=\"a\"><drawing/>what</link>",
        &[
            "<drawing> is not understood and passed over",
            "text in <link> is passed over: its values are attributes",
            BARE,
        ],
    );
    check(
        "<link name=\"a\" colour=\"red\"/>",
        &["'colour' of <link> is not understood and passed over", BARE],
    );
    check(
        "<link name=\"a\"><visual><geometry><box size=\"1 1 1\"/></geometry></visual></link>",
        &["link \"a\" can be seen but has no <collision>: nothing is checked against it"],
    );
    check(
        &format!(
            "{}{}",
            links(&["a", "b"]),
            JOINT.replace("revolute", "fixed").replace("</joint>", "<mimic joint=\"j\"/></joint>")
        ),
        &["joint \"j\" is fixed: its <mimic> says nothing and is passed over", BARE],
    );
}

#[test]
fn what_simulators_add_is_no_collision_of_ours() {
    let link = "<link name=\"a\"><collision><geometry><sphere radius=\"1\"/></geometry></collision></link>";
    let added = "<gazebo reference=\"a\"><collision><max_contacts>10</max_contacts></collision></gazebo>";
    assert_eq!(robot(&format!("{link}{added}")).warnings, []);
    // A robot that has no other is one without shapes, and that is told.
    let told = robot(&format!("<link name=\"a\"/>{added}")).warnings;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].fault.what, "no link of this robot has a <collision>: nothing is checked against it");
}

#[test]
fn long_chains_are_no_trouble() {
    let n = 5000;
    let all: String = (0..=n).map(|i| format!("<link name=\"l{i}\"/>")).collect();
    let joints: String = (0..n)
        .map(|i| format!("<joint name=\"j{i}\" type=\"continuous\"><parent link=\"l{i}\"/><child link=\"l{}\"/></joint>", i + 1))
        .collect();
    assert_eq!(robot(&format!("{all}{joints}")).robot.outward().len(), n);
    let closed = joints.replacen("<child link=\"l1\"/>", "<child link=\"l0\"/>", 1);
    assert!(!messages(&format!("{all}{closed}")).is_empty());
}

#[test]
fn too_much_for_a_robot_is_refused() {
    let many = |n: usize, one: &str| one.repeat(n);
    let collision = "<collision><geometry><sphere radius=\"1\"/></geometry></collision>";
    for body in [many(16_385, "<link/>"), format!("<link name=\"a\">{}</link>", many(16_385, collision))] {
        let told = messages(&body);
        assert!(told.len() == 1 && told[0].contains("at most 16384 links and as many shapes"), "{told:?}");
    }
    let told = messages(&" ".repeat(1 << 26));
    assert_eq!(told, ["r.urdf: a URDF is not larger than 67108864 bytes"]);
    // Of links that are fine by themselves, a cell may have too many.
    let links = 8193;
    let link = |k: usize| format!("<link name=\"l{k}\">{collision}</link>");
    let joint = |k: usize| {
        format!("<joint name=\"j{k}\" type=\"fixed\"><parent link=\"l0\"/><child link=\"l{k}\"/></joint>")
    };
    let robot =
        robot(&((0..links).map(link).collect::<String>() + &(1..links).map(joint).collect::<String>())).robot;
    let in_cell = kansho_cell::RobotDraftInCell {
        name: "r".into(),
        robot,
        world_from_root: kansho_geom::Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let draft = kansho_cell::CellDraft { robots: vec![in_cell], ..kansho_cell::CellDraft::default() };
    let faults = kansho_cell::Cell::new(draft).expect_err("too many");
    assert_eq!(faults, [kansho_cell::CellFault::TooManyBodies { count: links }]);
}

#[test]
fn spheres_replace_shapes_and_nothing_else() {
    let place = Place4Robots::new();
    let head = "<?xml version=\"1.0\"?>\n<!-- kept -->\n<robot name='r'>\n  <link name=\"a\">\n    ";
    let tail = "\n    <inertial><mass value='2.50'/></inertial>\n  </link>\n  <link name=\"b\"/>\n  <joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n</robot>\n";
    let shapes = "<collision name=\"x\">\n<geometry><box size=\"1 1 1\"/></geometry></collision>\n    <!-- between -->\n    <collision><geometry><box size=\"2 1 1\"/></geometry></collision>";
    std::fs::write(place.path(), format!("{head}{shapes}{tail}")).expect("written");
    let third = 1.0 / 3.0;
    let balls = [
        kansho_geom::Ball::new(DVec3::new(third, -1e-17, 2.0), 0.1 + 0.2),
        kansho_geom::Ball::new(DVec3::ZERO, 1e-7),
    ];
    let text = with_spheres(&place.path(), &[balls.to_vec(), Vec::new()]).expect("written");
    assert!(text.starts_with(head) && text.ends_with(tail) && text.contains("<!-- between -->"), "{text}");
    assert!(!text.contains("box"), "{text}");
    std::fs::write(place.path(), &text).expect("written");
    let again = read(&place.path(), &RobotOptions::default()).expect("a robot").robot;
    let pieces = &again.links()[0].pieces;
    for (ball, piece) in balls.iter().zip(pieces) {
        assert_eq!(piece.carrier_from_piece.translation(), ball.centre());
        let Geometry::Primitive(sphere) = &piece.geometry else { panic!("a sphere") };
        assert_eq!(sphere.shape(), kansho_geom::primitive::Shape::Sphere { radius: ball.radius() });
    }
    assert!(with_spheres(&place.path(), &[Vec::new()]).is_err());
}

/// Limits of joints that follow others are not looked at, so users are told where that matters.
#[test]
fn a_joint_that_follows_beyond_its_limits_is_told() {
    for (multiplier, is_told) in [(1.0, false), (3.0, true), (-1.0, false), (-1.1, true)] {
        let text = format!(
            "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>
            <joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"1\"/></joint>
            <joint name=\"k\" type=\"revolute\"><parent link=\"b\"/><child link=\"c\"/><limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"1\"/><mimic joint=\"j\" multiplier=\"{multiplier}\"/></joint></robot>"
        );
        let loaded = super::parse(text.as_bytes(), "r.urdf".as_ref(), &super::RobotOptions::default());
        let warnings = loaded.expect("a robot").warnings;
        let told = warnings.iter().any(|warning| warning.fault.what.contains("\"k\""));
        assert_eq!(told, is_told, "{multiplier}: {warnings:?}");
    }
}

/// Elements and attributes of other namespaces are of other programs: they are no links, joints or shapes of URDF.
#[test]
fn other_namespaces_are_not_urdf() {
    let text = format!(
        r#"<robot name="r" xmlns:sim="urn:sim" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b">
{}{JOINT}<sim:link name="lost"/><sim:joint name="k"/>
<link name="c"><sim:collision><geometry><sphere radius="9"/></geometry></sim:collision>
<collision><origin xyz="1 0 0" sim:xyz="5 0 0"/><sim:origin xyz="7 0 0"/><geometry><sphere radius="1"/></geometry></collision></link>
<joint name="d" type="fixed"><parent link="a"/><child link="c"/></joint></robot>"#,
        links(&["a", "b"])
    );
    let loaded = super::parse(text.as_bytes(), std::path::Path::new("r.urdf"), &RobotOptions::default())
        .expect("what is of another namespace is passed over");
    let link = loaded.robot.links().iter().find(|link| link.name == "c").expect("a link");
    assert_eq!((loaded.robot.links().len(), link.pieces.len()), (3, 1));
    assert_eq!(link.pieces[0].carrier_from_piece.translation(), DVec3::X);
    let told: Vec<String> = loaded.warnings.iter().map(|warning| warning.fault.what.clone()).collect();
    assert_eq!(
        told,
        [
            "<sim:link> is of another namespace and passed over",
            "<sim:joint> is of another namespace and passed over",
            "<sim:collision> is of another namespace and passed over",
            "'sim:xyz' of <origin> is of another namespace and passed over",
            "<sim:origin> is of another namespace and passed over",
        ]
    );
}

/// What a URDF says and kansho cannot do is refused, not passed over.
#[test]
fn closed_loops_and_negative_limits_are_refused() {
    let two = links(&["a", "b"]);
    let told = messages(&format!("{two}{JOINT}\n<loop_joint name=\"l\" type=\"revolute\"/>"));
    assert_eq!(told, ["r.urdf:5: a <loop_joint> closes a loop of links, which kansho does not move as one"]);
    for what in ["velocity", "effort"] {
        let joint = JOINT.replace("velocity=\"2\"", &format!("{what}=\"-2\""));
        let told = messages(&format!("{two}{joint}"));
        let expected =
            format!("r.urdf:4: joint \"j\" has {what}=\"-2\": the most it may have is not negative");
        assert_eq!(told, [expected]);
    }
}
