//! Trajectories by hand, bad ones, and real files.

use super::{Between, CommandKind, Trajectory, parse_joints, parse_sequences, read};
use kansho_cell::builtin;
use kansho_geom::glam::DVec3;

const HEAD: &str = "joint_names: [joint_1, joint_2, joint_3, joint_4, joint_5, joint_6]\npoints:\n";

fn point(q: f64, v: &str, a: &str, seconds: u32) -> String {
    format!(
        "- positions: [{q}, 0.1, 0.2, 0, 0.3, 0]\n  velocities: {v}\n  accelerations: {a}\n  time_from_start: {{sec: {seconds}, nanosec: 500000000}}\n"
    )
}

/// Names of the joints of the built-in arm, in place of those of the head.
fn named(text: &str) -> String {
    let cell = builtin::cell();
    let names: Vec<String> = cell.coordinates().iter().map(|coordinate| coordinate.joint.clone()).collect();
    text.replace("joint_1, joint_2, joint_3, joint_4, joint_5, joint_6", &names.join(", "))
}

#[test]
fn joint_trajectories() {
    let cell = builtin::cell();
    let zeros = "[0, 0, 0, 0, 0, 0]";
    let rest = named(&format!("{HEAD}{}{}", point(0.0, zeros, zeros, 0), point(1.0, zeros, zeros, 2)));
    let found = parse_joints(rest.as_bytes(), None).expect("good");
    assert_eq!((found.points[1].seconds, found.points[1].line), (2.5, 7));
    assert_eq!(found.between(), Ok(Between::Lines));
    let (motion, outside) = found.motion(&cell, rest.as_bytes()).expect("a motion");
    assert!(outside.is_empty() && (motion.at(0.25)[0] - 0.25).abs() < 1e-15);
    // A cubic by its ends: q = 3 s² − 2 s³ for rests, and with a velocity of 1 at the start 1/8 · 2 s more in the middle.
    let moving =
        named(&format!("{HEAD}{}{}", point(0.0, "[1, 0, 0, 0, 0, 0]", "[]", 0), point(1.0, zeros, "[]", 2)));
    let found = parse_joints(moving.as_bytes(), None).expect("good");
    assert_eq!(found.between(), Ok(Between::Cubics));
    let (motion, _) = found.motion(&cell, moving.as_bytes()).expect("a motion");
    assert!((motion.at(0.5)[0] - 0.75).abs() < 1e-15, "{}", motion.at(0.5)[0]);
    assert!((motion.at(0.5)[1] - 0.1).abs() < 1e-15);
}

#[test]
fn bad_trajectories_name_their_line() {
    let cell = builtin::cell();
    let zeros = "[0, 0, 0, 0, 0, 0]";
    let (a, b) = (point(0.0, zeros, zeros, 0), point(1.0, zeros, zeros, 2));
    let good = named(&format!("{HEAD}{a}{b}"));
    for (text, expected) in [
        (String::new(), "line 1, column 1: there is nothing"),
        ("hello: 1\n".into(), "line 1, column 1: there is no 'joint_names'"),
        (named(HEAD), "two points"),
        (format!("{HEAD}{b}{a}"), "line 7, column 1: this point is at 0.5 s, and the one before at 2.5 s"),
        (good.replace("0.2, 0, 0.3", "0.2, 0.3"), "line 3, column 1: 5 numbers in 'positions'"),
        (good.replace("[1, 0.1", "[.nan, 0.1"), "line 7, column 1: a finite number is missing"),
        (good.replace("sec: 2", "se: 2"), "line 10, column 3: 'se' is not understood"),
        (good[..good.len() - 60].to_owned(), "line 10, column 1: this is no YAML"),
        (good.replace("  velocities", "\tvelocities"), "this is no YAML"),
    ] {
        let faults = parse_joints(text.as_bytes(), None).expect_err(&text);
        let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert!(told.iter().any(|fault| fault.contains(expected)), "{text}: {told:?}");
    }
    for (text, expected) in [
        (good.replacen("1, joint", "9, joint", 1), "line 3, column 1: 'joint_9' is no joint of this cell"),
        (
            good.replace(
                &format!("velocities: {zeros}\n  accelerations"),
                "velocities: [1, 0, 0, 0, 0, 0]\n  accelerations",
            ),
            "fifth degree",
        ),
    ] {
        let faults = parse_joints(text.as_bytes(), None)
            .expect("read")
            .motion(&cell, text.as_bytes())
            .expect_err(&text);
        let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert!(told.iter().any(|fault| fault.contains(expected)), "{text}: {told:?}");
    }
    for cut in 0..good.len() {
        // Cut anywhere: an answer, and no panic.
        let _ = parse_joints(&good.as_bytes()[..cut], None);
    }
}

/// A file is read whole or refused: all documents, every key once, and nothing else that moves.
#[test]
fn yaml_trajectories_are_read_whole_or_refused() {
    let cell = builtin::cell();
    let zeros = "[0, 0, 0, 0, 0, 0]";
    let (a, b) = (point(0.0, zeros, zeros, 0), point(1.0, zeros, zeros, 2));
    let good = named(&format!("{HEAD}{a}{b}"));
    let other = good.replace("[1, 0.1", "[0.5, 0.1");
    let indented: String = good.lines().map(|line| format!("  {line}\n")).collect();
    let deeper: String = good.lines().map(|line| format!("    {line}\n")).collect();
    // As `ros2 topic echo` writes it: one document for each message, and a line of dashes at the end.
    let ends = |text: &str, entry: Option<&str>| {
        parse_joints(text.as_bytes(), entry)
            .map(|found| found.points[1].positions[0])
            .map_err(|faults| faults[0].to_string())
    };
    assert_eq!(ends(&format!("---\n{good}---\n"), None), Ok(1.0));
    let two = format!("{good}---\n{other}---\n");
    for (entry, expected) in [(Some("1"), 1.0), (Some("2"), 0.5)] {
        assert_eq!(ends(&two, entry), Ok(expected));
    }
    for text in [&two, &format!("{good}...\n---\n{other}")] {
        let fault = ends(text, None).expect_err("two messages");
        assert!(fault.contains("second of 2 messages") && fault.starts_with("line 1"), "{fault}");
    }
    assert!(ends(&two, Some("3")).expect_err("two messages").contains("this file has 1 to 2"));
    for (text, expected) in [
        (
            good.replace("  velocities: [0, 0, 0, 0, 0, 0]\n", "  positions: [9, 9, 9, 9, 9, 9]\n"),
            "'positions' stands twice",
        ),
        (good.replace("{sec: 2,", "{sec: 2, sec: 1,"), "'sec' stands twice"),
        (
            good.replace("positions: [1,", "positons: [1,"),
            "'positons' is not understood; did you mean 'positions'?",
        ),
        (good.replacen("joint_names", "joint_name", 1), "there is no 'joint_names'"),
        (
            format!(
                "joint_trajectory:\n{indented}multi_dof_joint_trajectory:\n  joint_names: [base]\n  points: []\n"
            ),
            "several coordinates",
        ),
        (format!("joint_trajectory:\n{indented}motion: 1\n"), "'motion' is not understood"),
        (
            named(&format!("{HEAD}{a}{b}")).replacen("joint_names: [", "joint_names: [joint_7, joint_7, ", 1),
            "stands twice",
        ),
        (
            format!("trajectory:\n- joint_trajectory:\n{}- joint_trajectory:\n{}", deeper, deeper),
            "2 trajectories",
        ),
    ] {
        let fault = ends(&text, None).expect_err(&text);
        assert!(fault.contains(expected), "{text}: {fault}");
    }
    let around = format!(
        "header: {{frame_id: world}}\njoint_trajectory:\n{indented}multi_dof_joint_trajectory:\n  header: {{}}\n  joint_names: []\n  points: []\n"
    );
    let found = parse_joints(around.as_bytes(), None).expect("nothing else moves");
    assert!(found.motion(&cell, around.as_bytes()).is_ok());
}

/// Where MoveIt says that the robot is: elsewhere, or with more in its hand, is another motion than the points say.
#[test]
fn starts_that_say_something_else_are_refused() {
    let zeros = "[0, 0, 0, 0, 0, 0]";
    let points = named(&format!("{HEAD}{}{}", point(0.0, zeros, zeros, 0), point(1.0, zeros, zeros, 2)));
    let indented: String = points.lines().map(|line| format!("    {line}\n")).collect();
    let head = points.lines().next().expect("a line").replace("joint_names", "name");
    let message = |start: &str| {
        format!(
            "trajectory_start:\n{start}trajectory:\n- joint_trajectory:\n{}",
            indented.replace("    ", "      ")
        )
    };
    let state = |numbers: &str| {
        format!(
            "  joint_state:\n    header: {{frame_id: world}}\n    {head}\n    position: {numbers}\n    velocity: []\n"
        )
    };
    let still = "  multi_dof_joint_state:\n    joint_names: [world_joint]\n    transforms:\n    - translation: {x: 0, y: 0, z: 0}\n      rotation: {x: 0, y: 0, z: 0, w: 1}\n";
    let empty = "  attached_collision_objects: []\n  is_diff: false\n";
    let here = state("[0, 0.1, 0.2, 0, 0.3, 0]");
    for good in [here.clone(), format!("{here}{still}{empty}"), "  is_diff: true\n".into()] {
        let text = message(&good);
        assert!(
            parse_joints(text.as_bytes(), None).is_ok(),
            "{text}: {:?}",
            parse_joints(text.as_bytes(), None)
        );
    }
    for (start, expected) in [
        (state("[0.5, 0.1, 0.2, 0, 0.3, 0]"), "begins at 0.5 here, and at 0 in the first point"),
        (state("[0.5]"), "6 names, but 1 positions"),
        (
            "  attached_collision_objects:\n  - link_name: tool0\n".into(),
            "line 3, column 3: objects that are attached",
        ),
        (still.replace("x: 0, y: 0, z: 0}", "x: 0, y: 0, z: 1}"), "puts a part of the robot elsewhere"),
        ("  attached_collision_object: []\n".into(), "did you mean 'attached_collision_objects'?"),
    ] {
        let text = message(&start);
        let faults = parse_joints(text.as_bytes(), None).expect_err(&text);
        assert!(faults[0].to_string().contains(expected), "{text}: {faults:?}");
    }
    for (text, expected) in [
        (format!("{points}multi_dof_joint_trajectory:\n  joints: []\n"), "'joints' is not understood"),
        (
            points.replacen("  time_from_start", "  header: {}\n  time_from_start", 1),
            "'header' is not understood",
        ),
    ] {
        let faults = parse_joints(text.as_bytes(), None).expect_err(&text);
        assert!(faults[0].to_string().contains(expected), "{text}: {faults:?}");
    }
}

/// Pilz's files: nothing is dropped, and joints and pose of a position are one place or the file is refused.
#[test]
fn sequences_are_read_whole_or_refused() {
    let cell = builtin::cell();
    let good = sequence("");
    for (text, expected) in [
        (
            good.replace("<sequenceCmd name=\"l\"", "<sequenceCommand name=\"l\""),
            "there is no <sequenceCommand> in a <blend>",
        ),
        (
            good.replace("blend_radius=\"0.01\"", "blendradius=\"0.01\""),
            "<sequenceCmd> has no attribute 'blendradius'",
        ),
        (
            good.replace("<endPos>b</endPos></ptp>", "<endPos>b</endPos><via>c</via></ptp>"),
            "there is no <via> in a <ptp>",
        ),
        (good.replace("<ptps>", "<cartesian/><ptps>"), "there is no <cartesian> in a <testdata>"),
        (
            good.replace("<pos name=\"c\">", "<pos name=\"c\"><joints group_name=\"g\">1</joints>"),
            "stand twice",
        ),
    ] {
        let faults = parse_sequences(text.as_bytes()).expect_err(&text);
        assert!(faults.iter().any(|fault| fault.to_string().contains(expected)), "{text}: {faults:?}");
    }
    // What would be dropped without a word, each with its line.
    for (text, expected) in [
        (
            good.replace("<endPos>c</endPos></lin>", "<endPos>c</endPos><endPos>a</endPos></lin>"),
            "line 9, column 91: a second <endPos> of one move",
        ),
        (
            good.replace(
                "<lin name=\"l\">",
                "<lin name=\"l\"><planningGroup>g</planningGroup><planningGroup>h</planningGroup>",
            ),
            "a second <planningGroup> of one move",
        ),
        (
            good.replace("name=\"l\" blend_radius=\"0\"", "name=\"l\" blend_radius=\"0.1\""),
            "line 10, column 71: the last move has a blend radius",
        ),
        (
            good.replace("name=\"p\" blend", "name=\"p\" type=\"lin\" blend"),
            "type=\"lin\", and the move 'p' is a ptp",
        ),
        (good.replace("<ptps>", "<ptps>b"), "line 7, column 7: 'b' stands in a <ptps>, where no text is"),
        (good.replace("</lin>", " 0.2</lin>"), "'0.2' stands in a <lin>"),
        (good.replace("</sequences>", "<list/></sequences>"), "there is no <list> in a <sequences>"),
        (
            good.replace("<endPos>c</endPos></lin>", "<endPos>c<b/></endPos></lin>"),
            "there is no <b> in a <endPos>",
        ),
    ] {
        let faults = parse_sequences(text.as_bytes()).expect_err(&text);
        assert!(faults.iter().any(|fault| fault.to_string().contains(expected)), "{text}: {faults:?}");
    }
    let grouped = good.replace("<targetLink>", "<planningGroup>g</planningGroup><targetLink>");
    let of_hand = grouped.replacen("group_name=\"g\"", "group_name=\"hand\"", 1);
    let motion = |text: &str| parse_sequences(text.as_bytes()).expect("good").motion(&cell, None, None);
    assert!(motion(&grouped).is_ok());
    let faults = motion(&of_hand).expect_err("joints of a hand");
    assert_eq!(faults, [(3, "the joints of 'a' are of group 'hand', and the move 'p' is of 'g'".to_owned())]);
    // Commas, and a gripper between two moves: it closes while the arm stands still.
    let gripped = good
        .replace("0.1 -0.6 0.26 0 0.6 0", "0.1, -0.6, 0.26,0,0.6,0")
        .replace("<sequences>", "<grippers><gripper name=\"shut\"><planningGroup>hand</planningGroup><endPos>shut</endPos></gripper></grippers><sequences>")
        .replace("</poses>", "<pos name=\"shut\"><joints group_name=\"hand\">0.01</joints></pos></poses>")
        .replace("<sequenceCmd name=\"l\"", "<sequenceCmd name=\"shut\" type=\"gripper\"/><sequenceCmd name=\"l\"")
        .replace("\"0.01\"", "\"0\"");
    let good = good.replace("\"0.01\"", "\"0\"");
    let found =
        parse_sequences(gripped.as_bytes()).expect("good").motion(&cell, None, None).expect("a motion");
    let plain = parse_sequences(good.as_bytes()).expect("good").motion(&cell, None, None).expect("a motion");
    assert_eq!((&found.start, &found.moves), (&plain.start, &plain.moves));
    assert_eq!(found.grippers.len(), 1);
    // A pose where the joints lead, and one that is a millimetre beside it.
    let tip = kansho_cell::ik::Tip::link(&cell, "arm/tool0").expect("a link");
    let root = cell.robots()[0].link(cell.robots()[0].robot.root());
    let base = cell.place(&cell.zero_posture()).world_from_link(root);
    let there = base.inverse() * tip.placed(&cell, &[0.2, -0.6, 0.26, 0.0, 0.6, 0.0]);
    for (by, link, expected) in [
        (0.0, "tool0", None),
        (1e-6, "tool0", None),
        (1e-3, "tool0", Some("are two places, 1.000 mm apart")),
        (0.0, "wrist", Some("is one of link 'wrist', and the move 'l' leads 'tool0'")),
    ] {
        let (p, q) = (there.translation(), there.quat());
        let pose = format!(
            "<xyzQuat link_name=\"{link}\">{:.7} {:.7} {:.7} {:.7} {:.7} {:.7} {:.7}<seed/></xyzQuat>",
            p.x + by,
            p.y,
            p.z,
            q.x,
            q.y,
            q.z,
            q.w
        );
        let text =
            good.replace("0.2 -0.6 0.26 0 0.6 0</joints>", &format!("0.2 -0.6 0.26 0 0.6 0</joints>{pose}"));
        let found = parse_sequences(text.as_bytes()).expect("good").motion(&cell, None, None);
        match expected {
            None => assert!(found.is_ok(), "{by}: {found:?}"),
            Some(expected) => {
                let faults = found.expect_err(link);
                assert!(faults[0].1.contains(expected), "{faults:?}");
            }
        }
    }
}

fn sequence(more: &str) -> String {
    format!(
        "<testdata>\n<poses>\n<pos name=\"a\"><joints group_name=\"g\">0 -0.6 0.26 0 0.6 0</joints></pos>\n<pos name=\"b\"><joints group_name=\"g\">0.1 -0.6 0.26 0 0.6 0</joints></pos>\n<pos name=\"c\"><joints group_name=\"g\">0.2 -0.6 0.26 0 0.6 0</joints></pos>\n</poses>\n<ptps><ptp name=\"p\"><targetLink>tool0</targetLink><startPos>a</startPos><endPos>b</endPos></ptp></ptps>\n<circs><circ name=\"m\"><targetLink>tool0</targetLink><startPos>a</startPos><intermediatePos>b</intermediatePos><endPos>c</endPos></circ></circs>\n<lins><lin name=\"l\"><targetLink>tool0</targetLink><startPos>b</startPos><endPos>c</endPos></lin></lins>\n<sequences><blend name=\"s\"><sequenceCmd name=\"p\" blend_radius=\"0.01\"/><sequenceCmd name=\"l\" blend_radius=\"0\"/></blend>{more}</sequences>\n</testdata>\n"
    )
}

#[test]
fn sequences_of_pilz() {
    let cell = builtin::cell();
    let found = parse_sequences(sequence("").as_bytes()).expect("good");
    assert_eq!((found.positions.len(), found.commands.len(), found.sequences.len()), (3, 3, 1));
    let motion = found.motion(&cell, None, None).expect("a motion");
    assert_eq!(motion.start, [0.0, -0.6, 0.26, 0.0, 0.6, 0.0]);
    assert_eq!((motion.moves.len(), motion.moves[0].zone, motion.lines.len()), (2, 0.01, 3));
    for (text, expected) in [
        ("<a/>".to_owned(), "its root is not <testdata>"),
        (sequence("")[..300].to_owned(), "line"),
        (
            sequence("").replace("<endPos>c</endPos></lin>", "<endPos>d</endPos></lin>"),
            "there is no position 'd'",
        ),
        (sequence("<blend name=\"t\"><sequenceCmd name=\"q\"/></blend>"), "there is no move 'q'"),
        (sequence("").replace("0.26 0 0.6 0", "0.26 x 0.6 0"), "'x' is no finite number"),
        (sequence("").replace("\"0.01\"", "\"-1\""), "no length"),
    ] {
        let faults = parse_sequences(text.as_bytes()).expect_err(&text);
        assert!(faults.iter().any(|fault| fault.to_string().contains(expected)), "{text}: {faults:?}");
    }
    for (text, name, expected) in [
        (sequence("<blend name=\"t\"/>"), None, "say which sequence is meant (⟦entry⟧); there are: s, t"),
        (sequence("<blend name=\"t\"/>"), Some("t"), "has no moves of the arm"),
        (sequence(""), Some("u"), "there is no sequence 'u'"),
        (
            sequence("<blend name=\"t\"><sequenceCmd name=\"l\"/><sequenceCmd name=\"p\"/></blend>"),
            Some("t"),
            "begins in 'a', and the one before ends in 'c'",
        ),
        (
            sequence("").replace("0.1 -0.6 0.26 0 0.6 0", "0.1 -0.6"),
            None,
            "2 numbers, but a posture of this cell has 6",
        ),
    ] {
        let found = parse_sequences(text.as_bytes()).expect("read").motion(&cell, None, name);
        let faults = found.expect_err(&text);
        assert!(faults.iter().any(|(_, what)| what.contains(expected)), "{text}: {faults:?}");
    }
}

/// Real files, with a count of what was understood.
#[test]
#[expect(clippy::print_stderr, reason = "it prints counts, or why it is skipped")]
fn real_trajectories_are_counted() {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        eprintln!("skipped: KANSHO_DATA is not set");
        return;
    };
    let folder = std::path::PathBuf::from(data).join("data/trajectories");
    let (scan, _) = read(&folder.join("snp_scan_traj.yaml"), None).expect("a trajectory");
    let Trajectory::Joints(scan) = scan else { panic!("joints") };
    eprintln!("snp_scan_traj.yaml: {} joints, {} points", scan.names.len(), scan.points.len());
    assert_eq!((scan.names.len(), scan.points.len()), (6, 11));
    assert_eq!((scan.between(), scan.points[10].seconds), (Ok(Between::Lines), 76.0));
    let (panda, _) = read(&folder.join("pilz_panda_testdata_sequence.xml"), None).expect("sequences");
    let Trajectory::Sequences(panda) = panda else { panic!("sequences") };
    let steps: Vec<usize> = panda.sequences.iter().map(|sequence| sequence.steps.len()).collect();
    eprintln!(
        "pilz_panda_testdata_sequence.xml: {} positions, {} moves, {} sequences of {steps:?} steps",
        panda.positions.len(),
        panda.commands.len(),
        panda.sequences.len()
    );
    assert_eq!((panda.positions.len(), panda.commands.len(), steps), (5, 8, vec![7, 2, 2]));
    let circles = panda
        .commands
        .iter()
        .filter(|command| matches!(command.kind, CommandKind::CircThrough(_) | CommandKind::CircAbout(_)));
    assert_eq!(circles.count(), 2);
}

/// A time that is said twice is refused, whichever of the two counts.
#[test]
fn times_are_said_once() {
    let zeros = "[0, 0, 0, 0, 0, 0]";
    let good = format!("{HEAD}{}{}", point(0.0, zeros, zeros, 0), point(1.0, zeros, zeros, 2));
    for (from, to) in
        [("sec: 2,", "sec: 2, secs: 2,"), ("nanosec: 500000000}", "nanosec: 500000000, nsecs: 0}")]
    {
        let faults = parse_joints(good.replace(from, to).as_bytes(), None).expect_err(to);
        assert!(faults[0].to_string().contains("say the same thing twice"), "{faults:?}");
    }
}

/// Radii of a circle about a centre are the same, to what digits leave open, or it is none.
#[test]
fn circles_about_a_centre_have_one_radius() {
    let cell = builtin::cell();
    // About a point 100 mm beside the tip, to one that is as far away on the other axis, or nearly.
    let link = cell.link_names().iter().position(|name| name == "arm/tool0").expect("a link");
    let at = cell.place(&[0.0, -0.6, 0.26, 0.0, 0.6, 0.0]).world_from_link(kansho_cell::LinkId(link as u32));
    let base = cell.robots()[0].world_from_root;
    let from = base.inverse() * at;
    let circle = |end: f64| {
        let centre = from.translation() + DVec3::new(-0.1, 0.0, 0.0);
        let pose = |name: &str, p: DVec3| {
            let q = from.quat();
            format!(
                "<pos name=\"{name}\"><xyzQuat>{} {} {} {} {} {} {}</xyzQuat></pos>",
                p.x, p.y, p.z, q.x, q.y, q.z, q.w
            )
        };
        let text = format!(
            "<testdata><poses><pos name=\"a\"><joints>0 -0.6 0.26 0 0.6 0</joints></pos>{}{}</poses><circs><circ name=\"m\"><targetLink>tool0</targetLink><startPos>a</startPos><centerPos>c</centerPos><endPos>b</endPos></circ></circs><sequences><blend name=\"s\"><sequenceCmd name=\"m\"/></blend></sequences></testdata>",
            pose("b", centre + DVec3::new(0.0, end, 0.0)),
            pose("c", centre),
        );
        parse_sequences(text.as_bytes()).expect("read").motion(&cell, None, None)
    };
    assert!(circle(0.1).is_ok() && circle(0.10001).is_ok());
    // Half a percent is no rounding.
    let far = circle(0.1005).expect_err("two radii");
    let expected = "the start is 100.000 mm from the centre of this circle, and the end 100.500 mm";
    assert!(far[0].1.contains(expected), "{far:?}");
}
