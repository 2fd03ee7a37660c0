//! Robots: URDF and SRDF. Mesh files that a URDF names are not there.

use super::small_arm::{SRDF, URDF};
use crate::files::Folder;
use crate::{Target, told};
use kansho_cell::{Cell, CellDraft, Robot, RobotDraftInCell};
use kansho_geom::Pose;
use kansho_io::cell::{CellOptions, write};
use kansho_io::{srdf, urdf};
use std::sync::OnceLock;

pub(super) fn all() -> Vec<Target> {
    vec![
        Target { name: "urdf", seeds: urdf_seeds, words: URDF_WORDS, run: run_urdf },
        Target { name: "srdf", seeds: || vec![SRDF.as_bytes().to_vec()], words: SRDF_WORDS, run: run_srdf },
    ]
}

thread_local! {
    static EMPTY: Folder = const { Folder::new() };
    static WRITTEN: Folder = const { Folder::new() };
}

/// A robot that is read can be put into a cell, placed, written and read again as the same.
fn run_urdf(bytes: &[u8]) {
    let path = EMPTY.with(|folder| folder.path(|_| {})).join("robot.urdf");
    let loaded = match urdf::parse(bytes, &path, &urdf::RobotOptions::default()) {
        Ok(loaded) => loaded,
        Err(errors) => return told::files_refused(bytes, &errors),
    };
    loaded.warnings.iter().for_each(|warning| told::fault_is_told(bytes, &warning.fault));
    let robot = RobotDraftInCell {
        name: "r".into(),
        robot: loaded.robot,
        world_from_root: Pose::IDENTITY,
        hold: Vec::new(),
        tool: None,
        disabled: Vec::new(),
    };
    let draft = CellDraft { robots: vec![robot], ..CellDraft::default() };
    let cell =
        Cell::new(draft).unwrap_or_else(|faults| panic!("a robot does not fit into a cell: {faults:?}"));
    written_and_read(&cell);
}

/// Writes a cell and reads it again. That it is not written is fine: files do not hold every name.
pub(super) fn written_and_read(cell: &Cell) {
    let folder = WRITTEN.with(|folder| folder.path(|_| {}));
    let inner = folder.join("cell");
    let _ = std::fs::remove_dir_all(&inner);
    std::fs::create_dir(&inner).expect("a folder in a temporary folder");
    if write(&inner, cell).is_err() {
        return;
    }
    let back = kansho_io::cell::read(&inner.join("cell.toml"), &CellOptions::default())
        .unwrap_or_else(|errors| panic!("what was written is no cell: {errors:?}"))
        .cell;
    assert_eq!(back.coordinates(), cell.coordinates(), "other coordinates");
    let names = |cell: &Cell| cell.bodies().iter().map(|body| body.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&back), names(cell), "other bodies");
    assert_eq!(back.link_names(), cell.link_names());
    // Only the last digits of rotations may differ.
    let posture = middle(cell);
    let (here, there) = (cell.place(&posture), back.place(&posture));
    for (k, _) in cell.bodies().iter().enumerate() {
        let id = kansho_cell::BodyId(k as u32);
        let [a, b] =
            [cell.world_from_body(&here, id), back.world_from_body(&there, id)].map(|pose| pose.to_rows());
        let size = a.iter().fold(1.0, |most: f64, number| most.max(number.abs()));
        let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Of parents far out, rotations carry their last digit times the distance.
        let reach = cell
            .robots()
            .iter()
            .flat_map(|robot| robot.robot.joints())
            .map(|joint| joint.parent_from_joint.translation().abs().max_element())
            .sum::<f64>();
        assert!(off <= 1e-9 * (size + reach), "body {k} is elsewhere by {off}: {a:?} {b:?}");
    }
}

/// A posture within the limits.
fn middle(cell: &Cell) -> Vec<f64> {
    cell.coordinates()
        .iter()
        .map(|c| c.limits.map_or(0.3, |limits| 0.5 * limits.lower + 0.5 * limits.upper))
        .collect()
}

fn run_srdf(bytes: &[u8]) {
    static ARM: OnceLock<Robot> = OnceLock::new();
    let path = std::path::Path::new("/nowhere/arm.srdf");
    let arm = ARM.get_or_init(|| {
        urdf::parse(URDF.as_bytes(), path, &urdf::RobotOptions::default()).expect("a good robot").robot
    });
    match srdf::parse(bytes, path, arm) {
        Ok(found) => {
            found.warnings.iter().for_each(|fault| told::fault_is_told(bytes, fault));
            let is_there = |name: &String| arm.link(name).is_some();
            assert!(
                found.disabled.iter().all(|pair| pair.links.iter().all(is_there)),
                "a link that is not there"
            );
        }
        Err(error) => told::refused(bytes, &error.faults),
    }
}

const URDF_WORDS: &[&str] = &[
    "<robot name=\"r\">",
    "</robot>",
    "<link name=\"",
    "<joint name=\"",
    "type=\"revolute\"",
    "type=\"continuous\"",
    "type=\"prismatic\"",
    "type=\"planar\"",
    "type=\"floating\"",
    "type=\"fixed\"",
    "<parent link=\"",
    "<child link=\"",
    "<origin xyz=\"",
    "rpy=\"",
    "<axis xyz=\"",
    "<limit lower=\"",
    "upper=\"",
    "velocity=\"",
    "effort=\"",
    "<mimic joint=\"",
    "multiplier=\"",
    "offset=\"",
    "<collision>",
    "<visual>",
    "<geometry>",
    "<box size=\"",
    "<cylinder radius=\"",
    "length=\"",
    "<sphere radius=\"",
    "<capsule radius=\"",
    "<mesh filename=\"",
    "scale=\"",
    "package://",
    "<safety_controller",
    "<inertial>",
    "<mass value=\"",
    "<dynamics",
    "<calibration",
    "<material",
    "<transmission",
    "xacro:",
    "1e300",
    "nan",
    "inf",
    "&lt;",
    "<!--",
];
const SRDF_WORDS: &[&str] = &[
    "<group name=\"",
    "<chain base_link=\"",
    "tip_link=\"",
    "<link name=\"",
    "<joint name=\"",
    "<group_state",
    "<end_effector",
    "<virtual_joint",
    "<disable_collisions link1=\"",
    "link2=\"",
    "reason=\"",
    "<disable_default_collisions link=\"",
    "<enable_collisions link1=\"",
    "<passive_joint",
    "base",
    "l1",
    "l2",
    "tool0",
];

fn urdf_seeds() -> Vec<Vec<u8>> {
    let mimic = r#"<robot name="g"><link name="a"/><link name="b"/><link name="c"><collision><geometry><mesh filename="package://g/c.stl" scale="1 1 1"/></geometry></collision></link>
<joint name="x" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>
<joint name="y" type="prismatic"><parent link="a"/><child link="c"/><axis xyz="-1 0 0"/><limit lower="0" upper="0.1" effort="1" velocity="1"/><mimic joint="x" multiplier="2" offset="0.1"/></joint></robot>"#;
    vec![URDF.as_bytes().to_vec(), include_bytes!("../../../../examples/vehicle/vehicle.urdf").to_vec(), mimic.as_bytes().to_vec(), mimic.replace("<collision><geometry><mesh filename=\"package://g/c.stl\" scale=\"1 1 1\"/></geometry></collision>", "").into_bytes()]
}
