//! Moves that do not come to their end: why, and where.

use super::changed;
use kansho_geom::glam::DVec3;
use kansho_plan::script::answer::Block;
use kansho_plan::script::{Answer, Status};

fn last(answer: &Answer) -> &Status {
    answer.status()
}

fn blocked(answer: &Answer) -> &Block {
    match last(answer) {
        Status::Blocked(block) => block,
        other => panic!("not blocked: {other:?}"),
    }
}

/// Feet that are 60 mm apart do not reach from a step of 61 mm to the floor.
#[test]
fn a_step_too_high_has_no_solution() {
    let change = [
        ("ground.obj", "ground61.obj"),
        ("at = [200, 50, 15]", "at = [200, 50, 61]"),
        ("start = { xyz = [98, 52, 25] }", "start = { xyz = [98, 52, 71] }"),
    ];
    let (_, answer) = changed("feet_on_step.toml", &change);
    // It turns about foot 2 until the far lower edge of its plate, 65 mm away and 20 mm up, lies on the floor: 65 sin θ − 20 cos θ = 61. The feet
    // are 1.8 mm above it then. (The leg would meet the step at tan θ = 7, later.)
    let block = blocked(&answer);
    assert_eq!((block.body.as_str(), block.features[1].as_str()), ("ground", "floor"));
    let own = block.pose.inverse() * block.point * 1e3;
    assert!((own.x + 5.0).abs() < 1e-3 && (own.z - 20.0).abs() < 1e-3, "{own}");
    let angle = (61.0 / (65f64.powi(2) + 20f64.powi(2)).sqrt()).asin() + (20f64 / 65.0).atan();
    let along = block.pose.rotate(DVec3::X);
    assert!((along.z.atan2(along.x) - angle).abs() < 1e-6, "{:?}", block.pose);
    let foot = |x: f64, y: f64| (block.pose * DVec3::new(x, y, 0.0) * 1e3).z;
    assert!((foot(60.0e-3, 0.0) - 61.0).abs() < 1e-4);
    assert!(foot(0.0, 0.0) > 1.7 && foot(0.0, 40e-3) > 1.7);
    // Thin air below: no contact at all.
    let change = [("start = { xyz = [98, 52, 25] }", "start = { xyz = [98, 300, 25] }")];
    let (_, answer) = changed("feet_on_step.toml", &change);
    assert!(matches!(last(&answer), Status::NoContact { .. }), "{:?}", last(&answer));
}

/// A square peg that is turned by 45 degrees fits with yaw 0 and with yaw 90.
#[test]
fn a_square_peg_is_ambiguous() {
    let script = |yaw: f64| {
        [
            (
                "move = [",
                "move = [{ do = \"approach\", along = \"-x\", until = \"peg.sides on hole.outer\" }]"
                    .to_owned(),
            ),
            (
                "side  = { face = \"-x\" }",
                "side = { face = \"-x\" }\nsides = { face = [\"-x\", \"+y\", \"+x\", \"-y\"] }".to_owned(),
            ),
            ("wall   = {", "outer = { face = \"+x\", at = [50, 0, -20] }\nwall   = {".to_owned()),
            (
                "start = { xyz = [3.1, 0, 40] }",
                format!("start = {{ xyz = [120, 0, -20], rpy_deg = [0, 0, {yaw}] }}"),
            ),
        ]
    };
    let run = |yaw: f64| {
        let changes = script(yaw);
        let changes: Vec<(&str, &str)> = changes.iter().map(|(a, b)| (*a, b.as_str())).collect();
        without_moves("peg_in_hole.toml", &changes)
    };
    let answer = run(45.0);
    let Status::Ambiguous(poses) = last(&answer) else { panic!("{:?}", last(&answer)) };
    let mut yaws: Vec<f64> = poses
        .iter()
        .map(|pose| {
            let x = pose.rotate(DVec3::X);
            x.y.atan2(x.x).to_degrees()
        })
        .collect();
    yaws.sort_by(f64::total_cmp);
    assert_eq!(yaws.len(), 2);
    assert!(yaws[0].abs() < 1e-4 && (yaws[1] - 90.0).abs() < 1e-4, "{yaws:?}");
    // A rough yaw says which.
    let answer = run(30.0);
    assert_eq!(*last(&answer), Status::Reached);
    assert!((answer.steps[0].pose.translation() - DVec3::new(0.06, 0.0, -0.02)).length() < 1e-9);
    assert!(answer.steps[0].pose.rotate(DVec3::X).distance(DVec3::X) < 1e-9);
    let answer = run(60.0);
    assert!(answer.steps[0].pose.rotate(DVec3::X).distance(DVec3::Y) < 1e-9);
}

/// Both ways round lead to a contact, and nothing says which is meant.
#[test]
fn a_turn_either_way_is_ambiguous() {
    let bar = "units = \"mm\"
        move = [{ do = \"rotate\", about = \"+y\", until = \"bar.ends touches posts.tops\" TURN }]
        [fixed.posts]
        box = [200, 20, 20]
        at = { xyz = [0, 0, -30] }
        tops = { face = \"+z\" }
        [moved.bar]
        box = [100, 10, 10]
        start = { xyz = [0, 0, 0] }
        ends = { face = [\"+x\", \"-x\"] }";
    let run = |turn: &str| super::of_text(&bar.replace("TURN", turn));
    let Status::Ambiguous(poses) = last(&run("")).clone() else { panic!("{:?}", last(&run(""))) };
    assert_eq!(poses.len(), 2);
    assert!((poses[0].rotate(DVec3::X).z + poses[1].rotate(DVec3::X).z).abs() < 1e-12);
    // sin: 50 sin θ + 5 cos θ = 20.
    let angle = (20.0 / 2525f64.sqrt()).asin() - 0.1f64.atan();
    for (turn, sense) in [(", turn = \"+\"", 1.0), (", turn = \"-\"", -1.0)] {
        let answer = run(turn);
        assert_eq!(*last(&answer), Status::Reached);
        let x = answer.steps[0].pose.rotate(DVec3::X);
        assert!((-x.z.atan2(x.x) - sense * angle).abs() < 1e-9);
    }
}

/// The block slides off the end of the floor: its face leaves the floor's when its rear edge passes over the convex edge.
#[test]
fn a_face_slides_off_its_face() {
    let change = [(
        "{ do = \"rotate\",   about = \"slot.C\",  keep = [\"block.N on slot.C\", \"block.S on slot.D\"], until = \"block.E touches slot.F\" }",
        "{ do = \"slide\", along = \"+x\", keep = [\"block.A on slot.B\"], by = 100 }",
    )];
    let (loaded, answer) = changed("block_in_slot.toml", &change);
    let Status::Slips { touch, pose } = last(&answer) else { panic!("{:?}", last(&answer)) };
    assert_eq!(loaded.script.touches[*touch].text, "block.A on slot.B");
    assert!((pose.translation() - DVec3::new(0.12, 0.01, 0.005)).length() < 1e-6, "{pose:?}");
}

/// An edge that lies along a convex edge slides past its end.
#[test]
fn an_edge_is_lost_on_a_convex_edge() {
    let change = [(
        "{ do = \"rotate\",   about = \"slot.C\",  keep = [\"block.N on slot.C\", \"block.S on slot.D\"], until = \"block.E touches slot.F\" }",
        "{ do = \"slide\", along = \"+y\", keep = [\"block.N on slot.C\"], by = 100 }",
    )];
    let (loaded, answer) = changed("block_in_slot.toml", &change);
    let Status::Slips { touch, pose } = last(&answer) else { panic!("{:?}", last(&answer)) };
    assert_eq!(loaded.script.touches[*touch].text, "block.N on slot.C");
    // The edge C ends at y = 30, and so does the block's, which is 20 long.
    assert!((pose.translation() - DVec3::new(0.08, 0.04, 0.005)).length() < 1e-6, "{pose:?}");
}

/// The slot is not convex: the ceiling is in the way of a block that comes down from outside.
#[test]
fn a_slot_has_a_ceiling() {
    let change = [("start = { xyz = [30, 12, 20]", "start = { xyz = [30, 12, 60]")];
    let (_, answer) = changed("block_in_slot.toml", &change);
    let block = blocked(&answer);
    assert_eq!((block.body.as_str(), block.features[0].as_str()), ("slot", "A"));
    assert_eq!(block.features[1], "face +z");
    assert!((block.pose.translation().z - 0.045).abs() < 1e-6);
}

/// A body that no sentence names is in the way.
#[test]
fn an_unnamed_body_is_in_the_way() {
    let change =
        [("[moved.block]", "[fixed.pin]\ncylinder = [2, 8]\nat = { xyz = [70, 10, 4] }\n[moved.block]")];
    let (_, answer) = changed("block_in_slot.toml", &change);
    assert_eq!(answer.steps.len(), 3);
    let block = blocked(&answer);
    assert_eq!(block.body, "pin");
    assert_eq!(block.features[0], "face +x");
    // The pin is taken in a polyhedron that is larger by at most 1e-4 of its radius.
    assert!((block.pose.translation().x - 0.048).abs() < 3e-7, "{:?}", block.pose);
    // Named and allowed, nothing else changes.
    let named =
        [("[moved.block]", "[fixed.lid]\nbox = [10, 10, 2]\nat = { xyz = [85, 10, 21] }\n[moved.block]")];
    let (_, answer) = changed("block_in_slot.toml", &named);
    assert_eq!(blocked(&answer).body, "lid");
    assert_eq!(answer.steps.len(), 4);
}

/// Turned into the floor it stands on.
#[test]
fn a_turn_into_the_floor_is_blocked() {
    let change = [("until = \"block.E touches slot.F\"", "turn = \"-\", by_deg = 10")];
    let (_, answer) = changed("block_in_slot.toml", &change);
    let block = blocked(&answer);
    assert_eq!(
        (block.body.as_str(), block.features[0].as_str(), block.features[1].as_str()),
        ("slot", "A", "B")
    );
    // As soon as it is deeper than the tolerance.
    assert!(block.t < 1e-4);
}

#[test]
fn what_cannot_be_kept_is_a_contradiction() {
    let tries = [
        // Nothing to keep yet.
        ("along = \"-z\",  until", "along = \"-z\", keep = [\"block.S on slot.D\"], until"),
        // Down, while it is to stay on the floor.
        ("along = \"-y\",  keep", "along = \"-z\",  keep"),
        // A turn about the edge lifts the face.
        ("keep = [\"block.N on slot.C\", \"block.S on slot.D\"]", "keep = [\"block.A on slot.B\"]"),
    ];
    for change in tries {
        let (_, answer) = changed("block_in_slot.toml", &[change]);
        assert!(matches!(last(&answer), Status::Contradiction { .. }), "{change:?}: {:?}", last(&answer));
    }
}

/// A body that begins inside of another one.
#[test]
fn a_start_inside_is_blocked() {
    let change = [
        ("start = { xyz = [30, 12, 20]", "start = { xyz = [50, 10, -5]"),
        ("box   = [40, 20, 10]", "box = [4, 2, 1]"),
    ];
    let (_, answer) = changed("block_in_slot.toml", &change);
    assert_eq!(blocked(&answer).body, "slot");
}

/// The moves of an example thrown away, others in their place.
fn without_moves(name: &str, changes: &[(&str, &str)]) -> Answer {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/words");
    let mut text = std::fs::read_to_string(folder.join(name)).expect("the example is there");
    let (from, to) = (text.find("move = [").expect("moves"), text.find("[fixed").expect("bodies"));
    text.replace_range(from..to, "move = [\n]\n");
    for (from, to) in changes {
        let is_moves = *from == "move = [";
        text = text.replace(
            if is_moves { "move = [\n]\n" } else { from },
            &if is_moves { format!("{to}\n") } else { String::from(*to) },
        );
    }
    let text = text.replace("mesh   = \"", &format!("mesh = \"{}/", folder.display()));
    super::of_text(&text)
}
