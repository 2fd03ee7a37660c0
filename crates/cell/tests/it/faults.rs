use crate::drafts::{cell_of, chain, floor, joint, mimic, object, placed_robot, robot_draft};
use kansho_cell::{Cell, CellDraft, DisabledPair, JointKind, Limits, Robot, ToolDraft, nearest_name};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;

const TURN: JointKind = JointKind::Revolute { axis: DVec3::Z };

#[test]
fn robots_are_refused_with_every_reason() {
    let check = |links: &str, joints: Vec<kansho_cell::JointDraft>, expected: &[&str]| {
        let faults = Robot::new(robot_draft(links, joints)).expect_err("a bad robot");
        let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(shown, expected);
    };
    check("", vec![], &["the robot has no links"]);
    check("aba", vec![joint("j", "a", "b", TURN)], &["2 links are named \"a\""]);
    check("ab", vec![joint("j", "z", "b", TURN)], &["joint \"j\" hangs on link \"z\", which is not defined"]);
    check("ab", vec![joint("j", "b", "b", TURN)], &["joint \"j\" hangs link \"b\" on itself"]);
    check(
        "abc",
        vec![joint("j", "a", "b", TURN)],
        &["there are 2 roots, links that no joint moves: \"a\", \"c\""],
    );
    check(
        "abc",
        vec![joint("i", "a", "c", TURN), joint("j", "a", "b", TURN), joint("k", "c", "b", TURN)],
        &["link \"b\" has two parents: the joints \"j\" and \"k\""],
    );
    check(
        "abc",
        vec![joint("i", "b", "c", TURN), joint("j", "c", "b", TURN)],
        &["the joints \"j\", \"i\" form a loop"],
    );
    check(
        "ab",
        vec![joint("i", "b", "a", TURN), joint("j", "a", "b", TURN)],
        &["the joints \"i\", \"j\" form a loop"],
    );
    let mut reversed = joint("j", "a", "b", TURN);
    reversed.limits = Some(Limits { lower: 1.0, upper: -1.0 });
    let mut unlimited = joint("k", "b", "c", JointKind::Prismatic { axis: DVec3::ZERO });
    unlimited.limits = None;
    check(
        "abc",
        vec![reversed, unlimited],
        &[
            "joint \"j\" has limits the wrong way round: lower 1, upper -1",
            "joint \"k\" has an axis without direction: [0, 0, 0]",
            "joint \"k\" needs limits",
        ],
    );
    let mut follows =
        vec![joint("j", "a", "b", TURN), joint("k", "b", "c", TURN), joint("f", "c", "d", JointKind::Fixed)];
    follows[0].mimic = mimic("k", 1.0, 0.0);
    follows[1].mimic = mimic("j", 1.0, 0.0);
    check("abcd", follows.clone(), &["the joints \"j\", \"k\" mimic each other in a circle"]);
    follows[1].mimic = mimic("f", 1.0, 0.0);
    check(
        "abcd",
        follows,
        &["joint \"k\" mimics \"f\", but only a joint with one coordinate can be followed"],
    );
}

#[test]
fn cells_are_refused_with_every_reason() {
    let check = |draft: CellDraft, expected: &[&str]| {
        let faults = Cell::new(draft).expect_err("a bad cell");
        let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(shown, expected);
    };
    let arm = || placed_robot("arm", chain());
    let mut draft = cell_of(arm());
    draft.objects = vec![object("box", None), object("box", Some("arm/e"))];
    draft.allow = vec![["arm/a".into(), "bax".into()], ["box".into(), "box".into()]];
    check(
        draft,
        &[
            "2 robots or objects are named \"box\"",
            "object \"box\" is on \"arm/e\", which is no link of a robot; did you mean \"arm/a\"?",
            "a pair is allowed with \"bax\", but nothing has that name; did you mean \"box\"?",
            "a pair is allowed of \"box\" with itself",
        ],
    );
    let mut holding = arm();
    holding.hold = vec![("j9".into(), 0.0), ("j1".into(), 9.0)];
    holding.tool = Some(ToolDraft { on: "flange".into(), pieces: vec![], link_from_tcp: Pose::IDENTITY });
    holding.disabled = vec![DisabledPair { links: ["a".into(), "q".into()], reason: String::new() }];
    check(
        cell_of(holding),
        &[
            "robot \"arm\" holds joint \"j9\", which it does not have",
            "robot \"arm\" cannot hold joint \"j1\": 515.662 deg is outside its limits, -171.8873 to 171.8873 deg",
            "the tool of robot \"arm\" is on link \"flange\", which the robot does not have",
            "the SRDF of robot \"arm\" names link \"q\", which the robot does not have",
        ],
    );
    let mut carried = cell_of(arm());
    carried.objects = vec![object("floor", Some("arm/a"))];
    carried.objects[0].pieces = vec![floor()];
    check(carried, &["\"floor\" is a plane, which is infinite and cannot be carried"]);
}

#[test]
fn near_names_are_suggested_and_far_ones_are_not() {
    let known = ["urdf", "srdf", "packages", "hold"];
    assert_eq!(nearest_name("package", known), Some("packages".into()));
    assert_eq!(nearest_name("URDF", known), Some("urdf".into()));
    assert_eq!(nearest_name("udrf", known), Some("urdf".into()));
    assert_eq!(nearest_name("xyz", known), None);
    assert_eq!(nearest_name("", known), None);
}
