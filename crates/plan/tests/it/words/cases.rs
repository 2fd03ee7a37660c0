//! Cases that are not covered: each is named, and listed where people look.

use super::{changed, of_text, prism, with_files};
use kansho_plan::script::{Answer, Case, Status};

fn case(answer: &Answer) -> Case {
    match answer.status() {
        Status::Unsupported { case } => *case,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_list_has_all_cases() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = std::fs::read_to_string(folder.join("../../docs/words.md")).expect("the list is there");
    for case in Case::ALL {
        assert!(list.contains(&format!("- {}:", case.words())), "{}", case.words());
    }
    assert_eq!(list.lines().filter(|line| line.starts_with("- ")).count(), Case::ALL.len());
}

#[test]
fn turns_need_a_line() {
    let tries = [("slot.B", Case::TurnAboutNoLine), ("block.A on slot.B", Case::TurnAboutContact)];
    for (about, expected) in tries {
        let change = [("about = \"slot.C\"", &*format!("about = \"{about}\""))];
        assert_eq!(case(&changed("block_in_slot.toml", &change).1), expected);
    }
}

#[test]
fn starts_are_rough_and_not_wrong() {
    let change =
        [("rpy_deg = [0, 0, 0]", "rpy_deg = [0, 70, 0]"), ("xyz = [30, 12, 20]", "xyz = [30, 12, 200]")];
    let block = changed("block_in_slot.toml", &change).1;
    assert_eq!(case(&block), Case::FacesFarOff);
    // Three feet on one floor, upside down and on the side.
    let floor = [
        ("\"table.foot2 on ground.step\"", "\"table.foot2 on ground.floor\""),
        ("start = { xyz = [98, 52, 25] }", "start = { xyz = [60, 52, 100], rpy_deg = [75, 0, 0] }"),
    ];
    assert_eq!(case(&changed("feet_on_step.toml", &floor).1), Case::CornersFarOff);
}

#[test]
fn a_pivot_has_its_places_on_one_side() {
    // A plank over a ridge, with feet on both sides that are to reach the floor.
    let text = "units = \"mm\"
        move = [{ do = \"place\", along = \"-z\", when_partly_touching = \"pivot\", until = [
            \"plank.below on ridge.top\", \"plank.left touches floor.top\", \"plank.right touches floor.top\"] }]
        [fixed.floor]
        box = [200, 100, 10]
        at = { xyz = [0, 0, -5] }
        top = { face = \"+z\" }
        [fixed.ridge]
        box = [4, 40, 10]
        at = { xyz = [0, 0, 5] }
        top = { face = \"+z\" }
        [moved.plank]
        box = [100, 20, 4]
        start = { xyz = [0, 0, 30] }
        below = { face = \"-z\" }
        left = { edge = \"-x-z\" }
        right = { edge = \"+x-z\" }";
    let answer = of_text(text);
    // It lies on an area, so the side rule has no line; nothing that advances it is left.
    assert!(matches!(answer.status(), Status::Blocked(_)), "{:?}", answer.status());
    let knife = prism(&[[-4.0, 0.0], [4.0, 0.0], [0.0, 10.0]], &[[0, 1, 2]], [-20.0, 20.0]);
    let text = text
        .replace("box = [4, 40, 10]\n        at = { xyz = [0, 0, 5] }", "mesh = \"knife.obj\"")
        .replace(
            "at = { xyz = [0, 0, -5] }\n        top = { face = \"+z\" }",
            "at = { xyz = [0, 0, -5.1] }\n        top = { face = \"+z\" }",
        )
        .replacen(
            "mesh = \"knife.obj\"\n        top = { face = \"+z\" }",
            "mesh = \"knife.obj\"\n        top = { edge = [[0, -20, 10], [0, 20, 10]] }",
            1,
        )
        .replace("start = { xyz = [0, 0, 30] }", "start = { xyz = [10, 0, 30] }");
    assert_eq!(case(&with_files(&text, &[("knife.obj", &knife)])), Case::BothSides);
}

#[test]
fn sliding_and_turning_at_once_is_named() {
    // A box with both lower edges in a groove, held far to one side, is to come down with a third edge on a floor beside it: both edges slide.
    let change = [
        (
            "\"box.right touches groove.right\"]",
            "\"box.right touches groove.right\", \"box.top touches groove.left\"]",
        ),
        ("right = { edge = \"+x-z\" }", "right = { edge = \"+x-z\" }\ntop = { edge = \"-x+z\" }"),
        ("grasp = [0, 0, 10]", "grasp = [-25, 0, 10]"),
    ];
    assert_eq!(case(&changed("box_in_groove.toml", &change).1), Case::SlideAndTurn);
}

#[test]
fn paths_that_are_not_followed() {
    let edge = [
        ("tip   = { vertex = [0, 0, 0] }", "tip   = { axis = \"z\" }"),
        ("forward = \"+x\", side = \"+y\"", "forward = \"+x\", side = \"+y\""),
    ];
    assert_eq!(case(&changed("tip_on_edge.toml", &edge).1), Case::EdgeFollows);
    let corner = [
        ("edge = { rim = \"+z\", from = [60, 0, 0], to = [0, 60, 0] }", "edge = { axis = \"z\" }"),
        ("spacing = 5,", "along = \"+x\", spacing = 5,"),
    ];
    assert_eq!(case(&changed("tip_on_edge.toml", &corner).1), Case::PathOnNothing);
    let long = [("spacing = 5", "spacing = 0.0001")];
    assert_eq!(case(&changed("tip_on_edge.toml", &long).1), Case::LongPath);
    let faces = [
        ("tip   = { vertex = [0, 0, 0] }", "tip   = { face = \"+z\" }"),
        ("spacing = 5,", "along = \"+x\", spacing = 5,"),
    ];
    assert_eq!(case(&changed("tip_on_edge.toml", &faces).1), Case::FacesOnEdges);
    // One flat face over a bump would have to turn.
    let flat = [(
        "sole  = { faces = [{ face = \"-z\" }, { face = [0.2588190451, 0, -0.9659258263] }, { face = [-0.2588190451, 0, -0.9659258263] }] }",
        "sole  = { face = \"-z\" }",
    )];
    assert_eq!(case(&changed("boat_over_bump.toml", &flat).1), Case::TurningFaces);
    // Two contacts on a road that bends.
    let places = "units = \"mm\"
        move = [{ do = \"follow\", along = \"+x\", spacing = 5, keep = [\"b.left on road.way\", \"b.right on road.way\"] }]
        [fixed.road]
        mesh = \"road.obj\"
        way = { faces = [{ face = \"+z\" }, { face = [0.19611614, 0, 0.98058068] }] }
        [moved.b]
        box = [20, 20, 10]
        start = { xyz = [-30, 0, 5] }
        left = { edge = \"+y-z\" }
        right = { edge = \"-y-z\" }";
    let road = prism(
        &[[-50.0, -20.0], [50.0, -20.0], [50.0, -10.0], [0.0, 0.0], [-50.0, 0.0]],
        &[[0, 1, 2], [0, 2, 3], [0, 3, 4]],
        [-50.0, 50.0],
    );
    assert_eq!(case(&with_files(places, &[("road.obj", &road)])), Case::BendingPlaces);
}
