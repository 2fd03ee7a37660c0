//! Real robots against what others make of them.

use crate::real_data;
use kansho_cell::{Cell, CellDraft, RobotDraftInCell};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_io::urdf::{self, RobotOptions};
use std::path::Path;

fn alone(path: &Path) -> Cell {
    let robot = urdf::read(path, &RobotOptions::default()).expect("the robot is good").robot;
    let draft = RobotDraftInCell {
        name: "r".into(),
        robot,
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    Cell::new(CellDraft { robots: vec![draft], ..CellDraft::default() }).expect("the cell is good")
}

/// Posture `i` as the fixture defines it.
fn posture(cell: &Cell, i: u64) -> Vec<f64> {
    let value = |(k, coordinate): (u64, &kansho_cell::Coordinate)| {
        let (lower, upper) = coordinate.limits.map_or((-3.0, 3.0), |limits| (limits.lower, limits.upper));
        let part = (7919 * i + 104_729 * (k + 1) + 31 * i * i * (k + 1)) % 1_000_003;
        lower + (upper - lower) * part as f64 / 1_000_003.0
    };
    (0u64..).zip(cell.coordinates()).map(value).collect()
}

#[test]
fn forward_kinematics_agree_with_an_independent_computation() {
    let Some(data) = real_data() else { return };
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/kinematics/leaf_points.txt");
    let text = std::fs::read_to_string(fixture).expect("the fixture can be read");
    let mut robots = 0;
    let mut points = 0;
    let mut cell = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["robot", path] => {
                cell = Some(alone(&data.join(path)));
                robots += 1;
            }
            [i, link, x, y, z] => {
                let cell = cell.as_ref().expect("points stand below their robot");
                let placed = cell.place(&posture(cell, i.parse().expect("a number")));
                let id = cell.robots()[0].robot.link(link).expect("the robot has the link");
                let found = placed.world_from_link(id) * DVec3::new(1.0, 2.0, 3.0);
                let expected = DVec3::from_array([x, y, z].map(|n| n.parse().expect("a number")));
                assert!((found - expected).abs().max_element() < 1e-9, "{line}: {found}");
                points += 1;
            }
            _ => panic!("a line that is not understood: {line}"),
        }
    }
    assert_eq!((robots, points), (16, 4800));
}
