//! Motions that are no robot programs: lists of moves, trajectories of ROS, rooms for planners.

use super::small_arm::cell;
use crate::{Target, told};
use kansho_io::motion_file::{self, MotionFileOptions, Moved};
use kansho_io::{problems, trajectory};
use std::path::Path;

pub(super) fn all() -> Vec<Target> {
    vec![
        Target { name: "moves", seeds: moves_seeds, words: MOVES, run: run_moves },
        Target { name: "trajectory", seeds: trajectory_seeds, words: TRAJECTORY, run: run_trajectory },
        Target { name: "pilz", seeds: pilz_seeds, words: PILZ, run: run_pilz },
        Target { name: "problems", seeds: problems_seeds, words: PROBLEMS, run: run_problems },
    ]
}

/// Lists of moves (JSON), with lines, circles and splines of the tool.
fn run_moves(bytes: &[u8]) {
    match motion_file::parse(bytes, Path::new("moves.json"), cell(), &MotionFileOptions::default()) {
        Ok(loaded) => {
            loaded.outside.iter().for_each(|fault| told::fault_is_told(bytes, fault));
            if let Moved::Joints(motion) = &loaded.motion {
                let finite = [0.0, 0.3, 1.0].map(|t| motion.at(t).iter().all(|number| number.is_finite()));
                assert_eq!(finite, [true; 3], "a motion that is no number");
            }
        }
        Err(error) => told::refused(bytes, &error.faults),
    }
}

fn run_trajectory(bytes: &[u8]) {
    let found = match trajectory::parse_joints(bytes, None) {
        Ok(found) => found,
        Err(faults) => return told::refused(bytes, &faults),
    };
    assert!(found.points.windows(2).all(|two| two[0].seconds < two[1].seconds), "time does not go on");
    assert!(found.points.iter().all(|point| point.positions.len() == found.names.len()));
    match found.motion(cell(), bytes) {
        Ok((motion, outside)) => {
            outside.iter().for_each(|fault| told::fault_is_told(bytes, fault));
            assert!(motion.at(0.5).iter().all(|number| number.is_finite()));
        }
        Err(faults) => told::refused(bytes, &faults),
    }
}

fn run_pilz(bytes: &[u8]) {
    match trajectory::parse_sequences(bytes) {
        Ok(found) => {
            if let Err(wrong) = found.motion(cell(), None, None) {
                assert!(!wrong.is_empty() && wrong.iter().all(|(line, what)| *line >= 1 && !what.is_empty()));
            }
        }
        Err(faults) => told::refused(bytes, &faults),
    }
}

/// Rooms for planners, each with a cell of its own.
fn run_problems(bytes: &[u8]) {
    match problems::parse(bytes) {
        Ok(found) => {
            for problem in &found.list {
                assert_eq!(problem.start.len(), problem.joints.len());
                assert_eq!(problem.goal.len(), problem.joints.len());
                assert!(problem.start.iter().chain(&problem.goal).all(|number| number.is_finite()));
                let _ = kansho_cell::Cell::new(problem.draft(&cell().robots()[0].robot, &[]));
            }
        }
        Err(fault) => told::fault_is_told(bytes, &fault),
    }
}

const MOVES: &[&str] = &[
    "{\"ptp\": ",
    "{\"lin\": ",
    "{\"circ\": ",
    "{\"spline\": [",
    "\"via\": [",
    "\"xyz\": [",
    "\"quat\": [",
    "\"rpy\": [",
    "\"rpy_deg\": [",
    "\"matrix\": [",
    "\"zone\": ",
    "\"branch\": \"++-\"",
    "\"arm/j1\": ",
    "1e300",
    "[0.5,0.1,0.5]",
];
const TRAJECTORY: &[&str] = &[
    "joint_names: ",
    "points:\n",
    "- positions: [",
    "  velocities: [",
    "  accelerations: [",
    "  time_from_start: ",
    "{sec: 1, nanosec: 5}",
    "trajectory:\n",
    "joint_trajectory:\n",
    "- ",
    "  ",
    ": ",
    "#",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    "---\n",
    "&a",
    "*a",
    "|\n",
    ".nan",
    "secs: ",
];
const PILZ: &[&str] = &[
    "<testdata>",
    "</testdata>",
    "<poses>",
    "<pos name=\"",
    "<joints group_name=\"",
    "<xyzQuat group_name=\"",
    "link_name=\"",
    "<ptps>",
    "<ptp name=\"",
    "<lins>",
    "<lin name=\"",
    "<circs>",
    "<circ name=\"",
    "<startPos>",
    "<endPos>",
    "<intermediatePos>",
    "<centerPos>",
    "<vel>",
    "<acc>",
    "<sequences>",
    "<blend",
    "<sequenceCmd name=\"",
    "blend_radius=\"",
    "<planningGroup>",
    "<targetLink>",
];
const PROBLEMS: &[&str] = &[
    "\"problems\": {",
    "\"robot\": ",
    "\"urdf\": ",
    "\"joints\": [",
    "\"start\": [",
    "\"goal\": [",
    "\"fixed_joints\": {",
    "\"objects\": [",
    "\"box\"",
    "\"cylinder\"",
    "\"sphere\"",
    "\"position\": [",
    "\"quat_xyzw\": [",
    "\"type\": ",
    "\"size\": [",
    "\"radius\": ",
    "\"height\": ",
    "\"index\": ",
];

fn moves_seeds() -> Vec<Vec<u8>> {
    vec![
        b"[{\"ptp\": [0, -0.2, 0.5, 0, 0.5, 0]}, {\"ptp\": {\"j1\": 1, \"j2\": 0, \"j3\": 0, \"j4\": 0, \"j5\": 0.5, \"j6\": 0}}]".to_vec(),
        b"[{\"ptp\": [0, 0.2, 0.5, 0, 0.5, 0]},\n{\"lin\": {\"xyz\": [0.1, 0.6, 0.5], \"quat\": [0, 1, 0, 0]}, \"zone\": 0.01},\n{\"circ\": {\"via\": [0.1, 0.6, 0.6], \"xyz\": [0.2, 0.5, 0.5], \"rpy\": [3.14, 0, 0]}, \"branch\": \"++-\"}]".to_vec(),
        b"[{\"ptp\": [0, 0.2, 0.5, 0, 0.5, 0]},{\"spline\": [{\"xyz\": [0.1, 0.6, 0.5], \"rpy_deg\": [180, 0, 0]}, {\"matrix\": [1, 0, 0, 0, -1, 0, 0, 0, -1, 0.1, 0.5, 0.5]}]}]".to_vec(),
    ]
}

fn trajectory_seeds() -> Vec<Vec<u8>> {
    let head = "joint_names: [j1, j2, j3, j4, j5, j6]\npoints:\n";
    let point = |v: &str, t: u32| {
        format!(
            "- positions: [0, 0.1, 0.2, 0, 0.3, {t}]\n  velocities: {v}\n  time_from_start: {{sec: {t}, nanosec: 500000000}}\n"
        )
    };
    vec![
        format!("{head}{}{}", point("[]", 0), point("[]", 2)).into_bytes(),
        format!("{head}{}{}", point("[1, 0, 0, 0, 0, 0]", 0), point("[0, 0, 0, 0, 0, 0]", 2)).into_bytes(),
        b"trajectory:\n  joint_names:\n    - j1\n    - \"j2\"\n  points:\n    -\n      positions:\n        - 0.0\n        - 1\n      time_from_start:\n        secs: 0\n        nsecs: 1\n".to_vec(),
    ]
}

fn pilz_seeds() -> Vec<Vec<u8>> {
    vec![br#"<testdata>
<poses><pos name="a"><joints group_name="g">0 0.2 0.5 0 0.5 0</joints></pos><pos name="b"><xyzQuat group_name="g" link_name="tool0">0.1 0.6 0.5 1 0 0 0</xyzQuat></pos></poses>
<ptps><ptp name="p"><startPos>a</startPos><endPos>b</endPos><vel>0.1</vel><acc>0.1</acc><planningGroup>g</planningGroup><targetLink>tool0</targetLink></ptp></ptps>
<lins><lin name="l"><startPos>b</startPos><endPos>a</endPos><planningGroup>g</planningGroup><targetLink>tool0</targetLink></lin></lins>
<sequences><blend name="s"><sequenceCmd name="p" type="ptp" blend_radius="0.01"/><sequenceCmd name="l" type="lin" blend_radius="0"/></blend></sequences>
</testdata>"#.to_vec()]
}

fn problems_seeds() -> Vec<Vec<u8>> {
    vec![
        br#"{"robot":"arm","urdf":"arm.urdf","problems":{"table":[{"index":1,"joints":["j1","j2"],"start":[0,0],"goal":[1,0.5],"fixed_joints":{"j3":0.1},"objects":[{"name":"can","type":"cylinder","radius":0.03,"height":0.14,"position":[1,2,3],"quat_xyzw":[0,0,1,0]},{"name":"a","type":"box","size":[1,1,1],"position":[1,0,0],"quat_xyzw":[0,0,0,1]}]}]}}"#.to_vec(),
    ]
}
