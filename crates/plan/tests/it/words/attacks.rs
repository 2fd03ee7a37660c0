//! Scripts that try to get a wrong "reached".

use super::{changed, of_text, prism, with_files};
use kansho_geom::glam::DVec3;
use kansho_plan::script::{Answer, Status};
use std::fmt::Write;

fn last(answer: &Answer) -> &Status {
    answer.status()
}

const ROOF: [[f64; 2]; 5] = [[-50.0, -20.0], [50.0, -20.0], [50.0, -10.0], [0.0, 0.0], [-50.0, 0.0]];

/// A corner slides straight on where the road goes down: its way goes on, its contact does not.
#[test]
fn a_corner_leaves_a_crest() {
    let roof = prism(&ROOF, &[[0, 1, 2], [0, 2, 3], [0, 3, 4]], [-50.0, 50.0]);
    let text = "units = \"mm\"
        tol = 0.01
        move = [{ do = \"slide\", along = \"+x\", keep = \"tip.end on roof.way\", by = 40 }]
        [fixed.roof]
        mesh = \"roof.obj\"
        way = { faces = [{ face = \"+z\" }, { face = [0.19611614, 0, 0.98058068] }] }
        [moved.tip]
        mesh = \"tip.obj\"
        start = { xyz = [-20, 0, 0] }
        end = { vertex = [0, 0, 0] }";
    let tip = "v 0 0 0\nv -3 -3 20\nv 3 -3 20\nv 3 3 20\nv -3 3 20\nf 2 3 4 5\nf 1 3 2\nf 1 4 3\nf 1 5 4\nf 1 2 5\n";
    let answer = with_files(text, &[("roof.obj", &roof), ("tip.obj", tip)]);
    let Status::Slips { pose, .. } = last(&answer) else { panic!("{:?}", last(&answer)) };
    // Up to the tolerance it is still on the road beyond the crest.
    assert!((pose.translation() - DVec3::ZERO).length() < 2e-5, "{pose:?}");
}

/// A block that stands on one lower edge slides until that leaves the table; its shadow is over the table much longer.
#[test]
fn an_edge_that_leaves_is_not_kept_by_its_shadow() {
    let text = "units = \"mm\"
        move = [{ do = \"slide\", along = \"+x\", keep = \"block.below touches table.top\", by = 80 }]
        [fixed.table]
        box = [100, 100, 20]
        at = { xyz = [0, 0, -10] }
        top = { face = \"+z\" }
        [moved.block]
        box = [40, 20, 10]
        start = { xyz = [X, 0, Z], rpy_deg = [0, 20, 0] }
        below = { face = \"-z\" }";
    // Turned by 20 degrees about y its front edge is lowest.
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let (x, z) = (20.0 * cos - 5.0 * sin, 20.0 * sin + 5.0 * cos);
    let answer = of_text(&text.replace("X", "0").replace("Z", &format!("{z:.12}")));
    let Status::Slips { pose, .. } = last(&answer) else { panic!("{:?}", last(&answer)) };
    assert!((pose.translation().x * 1e3 - (50.0 - x)).abs() < 1e-3, "{pose:?}");
}

/// Two pyramids, foot to foot, each with its point in the other one: their surfaces have only edges in common, and these may touch.
#[test]
fn a_start_in_each_other_is_refused_even_if_only_named_edges_meet() {
    let pyramid = |up: f64, height: f64| {
        let (a, b) = (up * height, -up * height * 0.5);
        // A block with a point: feet at z = 0, a point at a, a flat end at b.
        let corners = [[-10, -10], [10, -10], [10, 10], [-10, 10]];
        let mut text = String::new();
        for [x, y] in corners {
            writeln!(text, "v {x} {y} 0").expect("a string takes text");
        }
        writeln!(text, "v 0 0 {a}\nv 0 0 {b}").expect("a string takes text");
        for k in 0..4 {
            let next = (k + 1) % 4;
            let (i, j) = if up > 0.0 { (k, next) } else { (next, k) };
            writeln!(text, "f {} {} 5\nf {} {} 6", i + 1, j + 1, j + 1, i + 1).expect("a string takes text");
        }
        text
    };
    // The moved one is above: long upward, its short end down in the other one, and the other way round.
    let text = "units = \"mm\"
        allow = [\"up.rim on down.rim\"]
        move = [{ do = \"approach\", along = \"+z\", by = 0.000000001 }]
        [fixed.down]
        mesh = \"down.obj\"
        rim = { edge = [[-10, -10, 0], [10, -10, 0]] }
        [moved.up]
        mesh = \"up.obj\"
        start = { xyz = [0, 0, 0] }
        rim = { edge = [[-10, -10, 0], [10, -10, 0]] }";
    let answer = with_files(text, &[("up.obj", &pyramid(1.0, 20.0)), ("down.obj", &pyramid(-1.0, 20.0))]);
    let Status::Blocked(block) = last(&answer) else { panic!("{:?}", last(&answer)) };
    assert_eq!(block.body, "down");
}

/// Where nothing is to be done, what begins in something is still in it.
#[test]
fn a_move_without_a_way_is_proven_too() {
    let text = "units = \"mm\"
        move = [{ do = \"approach\", along = \"-z\", until = \"block.below on table.top\" }]
        [fixed.table]
        box = [100, 100, 20]
        at = { xyz = [0, 0, -10] }
        top = { face = \"+z\" }
        [fixed.wall]
        box = [10, 100, 30]
        at = { xyz = [25.0, 0, 15] }
        [moved.block]
        box = [40, 20, 10]
        start = { xyz = [0, 0, 5] }
        below = { face = \"-z\" }";
    let answer = of_text(text);
    // The wall begins where the block ends.
    let Status::Blocked(block) = last(&answer) else { panic!("{:?}", last(&answer)) };
    assert_eq!(block.body, "wall");
    let answer = of_text(&text.replace("[25.0, 0, 15]", "[25.1, 0, 15]"));
    assert_eq!(*last(&answer), Status::Reached);
}

/// A rough start in contact is made exact, and what is kept is so to a billionth.
#[test]
fn a_start_within_the_tolerance_settles() {
    let text = "units = \"mm\"
        move = [
          { do = \"approach\", along = \"-z\", until = \"block.below on table.top\" },
          { do = \"slide\", along = \"+x\", keep = \"block.below on table.top\", by = 20 },
        ]
        [fixed.table]
        box = [100, 100, 20]
        at = { xyz = [0, 0, -10] }
        top = { face = \"+z\" }
        [moved.block]
        box = [40, 20, 10]
        start = { xyz = [0, 0, HEIGHT] }
        below = { face = \"-z\" }";
    for height in ["5.00002", "4.99998", "5.0000001", "5"] {
        let answer = of_text(&text.replace("HEIGHT", height));
        assert_eq!(*last(&answer), Status::Reached, "{height}");
        assert!(answer.drift < 1e-9 * 0.046, "{height}: {}", answer.drift);
        assert!((answer.steps[0].pose.translation().z - 0.005).abs() < 1e-12, "{height}");
    }
}

/// An edge that turns on the table is kept; one that turns off it is not.
#[test]
fn an_edge_turns_on_its_face() {
    let text = |place: &str, degrees: f64| {
        format!(
            "units = \"mm\"
            move = [{{ do = \"rotate\", about = \"+z\", keep = \"block.front on table.top\", by_deg = {degrees} }}]
            [fixed.table]
            box = [100, 100, 20]
            at = {{ xyz = [0, 0, -10] }}
            top = {{ face = \"+z\" }}
            [moved.block]
            box = [40, 20, 10]
            start = {{ xyz = {place}, rpy_deg = [0, 20, 0] }}
            front = {{ edge = \"+x-z\" }}"
        )
    };
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let z = 20.0 * sin + 5.0 * cos;
    let answer = of_text(&text(&format!("[0, 0, {z:.12}]"), 170.0));
    assert_eq!(*last(&answer), Status::Reached);
    // Held far behind, it goes over the side of the table at y = 50; the nearer end of the edge leaves last: r sin φ − 10 cos φ = 50.
    let held = text(&format!("[10, 0, {z:.12}]"), 80.0)
        .replace("box = [40", "grasp = [-60, 0, 0]\n            box = [40");
    let answer = of_text(&held);
    let Status::Slips { pose, .. } = last(&answer) else { panic!("{:?}", last(&answer)) };
    let r = 80.0 * cos - 5.0 * sin;
    let angle = (50.0 / r.hypot(10.0)).asin() + (10.0 / r).atan();
    let y = pose.rotate(DVec3::Y);
    assert!(((-y.x).atan2(y.y) - angle).abs() < 1e-5, "{pose:?}");
}

/// What a place is to keep is kept in all of it.
#[test]
fn a_place_keeps_what_it_is_told_to() {
    // The box stands at the end wall and is pushed down and away from it.
    let keep = [
        ("along = \"-z\", until = [", "along = [0, 0.3, -1], keep = [\"box.end on wall.face\"], until = ["),
        (
            "[moved.box]",
            "[fixed.wall]\nbox = [100, 10, 100]\nat = { xyz = [0, -25, 40] }\nface = { face = \"+y\" }\n[moved.box]\nend = { face = \"-y\" }",
        ),
    ];
    let (loaded, answer) = changed("box_in_groove_level.toml", &keep[1..]);
    // Named nowhere, the wall blocks.
    assert!(matches!(last(&answer), Status::Blocked(_)), "{:?}", last(&answer));
    drop(loaded);
    let (loaded, answer) = changed("box_in_groove.toml", &keep);
    assert_eq!(*last(&answer), Status::Reached);
    let touch = loaded.script.touches.iter().position(|touch| touch.text == "box.end on wall.face");
    assert!(answer.legs().all(|leg| leg.keep.contains(&touch.expect("it is named"))));
    assert!((answer.steps[0].pose.translation().y).abs() < 1e-12);
}

/// Turning is what level forbids.
#[test]
fn level_and_rotate_contradict_each_other() {
    let change = [("keep = [\"block.N on slot.C\", \"block.S on slot.D\"]", "keep = [\"level\"]")];
    let (_, answer) = changed("block_in_slot.toml", &change);
    assert!(matches!(last(&answer), Status::Contradiction { .. }), "{:?}", last(&answer));
}

/// What is not decided in time is undecided, whatever the move is.
#[test]
fn a_deadline_leaves_moves_undecided() {
    use kansho_plan::script::{Options, run};
    let options = Options { deadline: Some(std::time::Instant::now()), ..Options::default() };
    for name in [
        "block_in_slot.toml",
        "box_in_groove.toml",
        "peg_in_hole.toml",
        "tip_on_edge.toml",
        "boat_over_bump.toml",
    ] {
        let answer = run(&super::example(name).script, &options);
        assert!(matches!(last(&answer), Status::Undecided { .. }), "{name}: {:?}", last(&answer));
        assert_eq!(answer.legs().count(), 0);
    }
}
