//! A six-axis arm of few shapes, quick to read, for whatever needs a robot.

use kansho_cell::Cell;
use kansho_io::cell::{CellOptions, read};
use std::path::Path;
use std::sync::OnceLock;

/// The arm.
pub(super) const URDF: &str = r#"<?xml version="1.0"?>
<robot name="arm">
<link name="base"><collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
<link name="l1"/>
<link name="l2"><collision><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link>
<link name="l3"/><link name="l4"/><link name="l5"/>
<link name="tool0"><collision><origin xyz="0 0 0.05" rpy="0 0 0.5"/><geometry><sphere radius="0.04"/></geometry></collision></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="2"/></joint>
<joint name="j2" type="revolute"><parent link="l1"/><child link="l2"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="2"/></joint>
<joint name="j3" type="revolute"><parent link="l2"/><child link="l3"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><limit lower="-2.5" upper="2.5" effort="1" velocity="2"/></joint>
<joint name="j4" type="revolute"><parent link="l3"/><child link="l4"/><origin xyz="0.4 0 0.05"/><axis xyz="1 0 0"/><limit lower="-3" upper="3" effort="1" velocity="2"/></joint>
<joint name="j5" type="revolute"><parent link="l4"/><child link="l5"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="2"/></joint>
<joint name="j6" type="revolute"><parent link="l5"/><child link="tool0"/><origin xyz="0.1 0 0"/><axis xyz="1 0 0"/><limit lower="-6" upper="6" effort="1" velocity="2"/></joint>
</robot>
"#;

/// Pairs that are not checked.
pub(super) const SRDF: &str = r#"<?xml version="1.0"?>
<robot name="arm">
<group name="all"><chain base_link="base" tip_link="tool0"/></group>
<group name="some"><link name="l1"/><joint name="j2"/></group>
<disable_collisions link1="base" link2="l2" reason="Adjacent"/>
<disable_default_collisions link="tool0"/>
<enable_collisions link1="tool0" link2="base"/>
</robot>
"#;

/// A cell with it, a tool and some objects.
pub(super) const CELL: &str = r#"units = "mm"
[[robot]]
name = "arm"
urdf = "arm.urdf"
srdf = "arm.srdf"
at = { xyz = [0, 0, 0], rpy_deg = [0, 0, 90] }
tool = { on = "tool0", box = [20, 20, 100], tcp = { xyz = [0, 0, 60] } }
[[object]]
name = "crate"
box = [400, 300, 200]
at = { xyz = [700, 0, 100] }
[[object]]
name = "floor"
plane = [0, 0, 1, -5]
"#;

/// Puts the arm into a folder.
pub(super) fn put(folder: &Path) {
    crate::files::put(folder, "arm.urdf", URDF.as_bytes());
    crate::files::put(folder, "arm.srdf", SRDF.as_bytes());
    crate::files::put(folder, "cell.toml", CELL.as_bytes());
    crate::files::put(folder, "part.obj", include_bytes!("../../../../examples/words/groove.obj"));
    crate::files::put(folder, "path.csv", b"x,y,z,i,j,k\n700,0,300,0,0,-1\n710,0,300,0,0,-1\n");
}

/// The cell.
pub(super) fn cell() -> &'static Cell {
    static MADE: OnceLock<Cell> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        put(folder.path());
        let read = read(&folder.path().join("cell.toml"), &CellOptions::default());
        read.unwrap_or_else(|errors| panic!("{errors:?}")).cell
    })
}
