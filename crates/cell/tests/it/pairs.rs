use crate::drafts::{ball, cell_of, chain, floor, object, placed_robot};
use kansho_cell::{Cell, CellDraft, DisabledPair, NotChecked, ToolDraft};
use kansho_geom::Pose;

fn names(cell: &Cell, pair: [kansho_cell::BodyId; 2]) -> String {
    pair.map(|id| cell.body(id).name.clone()).join("|")
}

fn draft() -> CellDraft {
    let mut arm = placed_robot("arm", chain());
    arm.tool = Some(ToolDraft { on: "d".into(), pieces: vec![ball()], link_from_tcp: Pose::IDENTITY });
    arm.disabled = vec![DisabledPair { links: ["c".into(), "a".into()], reason: "Never".into() }];
    let mut draft = cell_of(arm);
    draft.objects = vec![object("table", None), object("floor", None), object("part", Some("arm/d"))];
    draft.objects[1].pieces = vec![floor()];
    draft.allow = vec![["floor".into(), "arm/a".into()]];
    draft
}

#[test]
fn every_pair_is_checked_or_has_its_reason() {
    let cell = Cell::new(draft()).expect("a good cell");
    let bodies: Vec<&str> = cell.bodies().iter().map(|body| body.name.as_str()).collect();
    assert_eq!(bodies, ["arm/a", "arm/b", "arm/c", "arm/d", "arm/tool", "table", "floor", "part"]);
    let reasons: Vec<String> = cell
        .pairs()
        .not_checked()
        .iter()
        .map(|(pair, reason)| format!("{}: {reason}", names(&cell, *pair)))
        .collect();
    assert_eq!(
        reasons,
        [
            "arm/a|arm/b: neighbours at joint \"j1\"",
            "arm/a|arm/c: disabled by the SRDF (Never)",
            "arm/a|floor: allowed by the cell",
            "arm/b|arm/c: neighbours at joint \"j2\"",
            "arm/c|arm/d: neighbours at joint \"j3\"",
            "arm/d|arm/tool: carried by one link",
            "arm/d|part: carried by one link",
            "arm/tool|part: carried by one link",
            "table|floor: both stand still",
        ]
    );
    assert_eq!(cell.pairs().checked().len() + reasons.len(), 8 * 7 / 2);
    let checked: Vec<String> = cell.pairs().checked().iter().map(|pair| names(&cell, *pair)).collect();
    assert!(checked.contains(&"arm/c|arm/tool".to_owned()), "a tool is no link: it has no neighbours");
    assert!(checked.contains(&"table|part".to_owned()));
}

#[test]
fn links_without_shape_have_no_body() {
    let mut draft = draft();
    draft.allow.clear();
    let robot = chain();
    let mut plain =
        kansho_cell::RobotDraft { name: "r".into(), links: robot.links().to_vec(), joints: Vec::new() };
    plain.links.truncate(1);
    plain.links[0].pieces.clear();
    let bare = kansho_cell::Robot::new(plain).expect("one link");
    draft.robots.push(placed_robot("bare", bare));
    let cell = Cell::new(draft).expect("a good cell");
    assert!(cell.bodies().iter().all(|body| !body.name.starts_with("bare")));
    assert!(!cell.pairs().not_checked().iter().any(|(_, reason)| *reason == NotChecked::Allowed));
}
