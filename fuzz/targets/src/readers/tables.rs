//! Tables and lines of numbers.

use super::small_arm::cell;
use crate::files::Folder;
use crate::{Target, told};
use kansho_io::live::{Line, LiveReader, next_line};
use kansho_io::units::Units;
use kansho_io::{ccd, plan_files, poses, postures, table, waypoints};

pub(super) fn all() -> Vec<Target> {
    vec![
        Target { name: "postures", seeds: postures_seeds, words: POSTURES, run: run_postures },
        Target { name: "poses", seeds: poses_seeds, words: POSES, run: run_poses },
        Target { name: "live", seeds: live_seeds, words: LIVE, run: run_live },
        Target {
            name: "ccd",
            seeds: ccd_seeds,
            words: &["1,1,", "0.5,", ",0\n", "123456789/1000"],
            run: run_ccd,
        },
        Target { name: "plan_tables", seeds: plan_seeds, words: PLAN, run: run_plan_tables },
    ]
}

thread_local! {
    static FOLDER: Folder = const { Folder::new() };
}

/// CSV of postures; as waypoints they are written and read again to the last bit.
fn run_postures(bytes: &[u8]) {
    let cell = cell();
    match postures::parse(bytes, cell, &Units::default()) {
        Ok(rows) => {
            assert!(rows.values().iter().all(|number| number.is_finite()));
            assert_eq!(rows.values().len(), rows.len() * cell.coordinates().len());
            rows.outside_limits().iter().for_each(|fault| told::fault_is_told(bytes, fault));
            let all: Vec<Vec<f64>> = rows.iter().map(<[f64]>::to_vec).collect();
            let text = plan_files::waypoints_csv(cell, &all);
            let back = postures::parse(&text, cell, &Units::default())
                .unwrap_or_else(|faults| panic!("what was written is no table: {faults:?}"));
            assert_eq!(back.values(), rows.values());
        }
        Err(faults) => told::refused(bytes, &faults),
    }
    if let Err(faults) = waypoints::parse(bytes, cell, &Units::default()) {
        told::refused(bytes, &faults);
    }
    let path = FOLDER.with(|folder| folder.path(|_| {})).join("table.csv");
    std::fs::write(&path, bytes).expect("a file in a temporary folder");
    if let Err(error) = table::look_at(&path) {
        told::refused(bytes, &error.faults);
    }
}

fn run_poses(bytes: &[u8]) {
    match poses::parse(bytes, None) {
        Ok(found) => {
            let mut text = String::new();
            for pose in &found {
                let rows = pose.to_rows();
                assert!(rows.iter().all(|number| number.is_finite()));
                text += &(rows.map(|number| number.to_string()).join(",") + "\n");
            }
            let back = poses::parse(text.as_bytes(), None)
                .unwrap_or_else(|faults| panic!("what was written is no table: {faults:?}"));
            for (a, b) in found.iter().zip(&back) {
                let off = a.to_rows().iter().zip(b.to_rows()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                // Rotations are made orthogonal once more, which moves the last digit.
                assert!(off <= 1e-15 * 4.0, "{a:?} {b:?}");
                assert_eq!(a.translation(), b.translation());
            }
        }
        Err(faults) => told::refused(bytes, &faults),
    }
}

/// Lines of a stream: a bad one does not change what the next ones mean.
fn run_live(bytes: &[u8]) {
    let cell = cell();
    let mut reader = LiveReader::new(cell, &Units::default());
    let mut source = bytes;
    let mut line = Vec::new();
    while next_line(&mut source, &mut line).expect("reading from memory succeeds") != Line::End {
        let mut before = reader.clone();
        match reader.read(&line) {
            Ok(found) => {
                assert_eq!(found.posture.len(), cell.coordinates().len());
                assert!(found.posture.iter().all(|number| number.is_finite()));
                assert_eq!(before.read(&line).as_ref(), Ok(&found));
            }
            Err(what) => {
                assert!(!what.is_empty() && !what.chars().any(char::is_control), "{what:?}");
                // Naming one joint asks for the posture before.
                let one = br#"{"q": {"arm/j1": 0.25}}"#;
                assert_eq!(before.read(one), reader.clone().read(one));
            }
        }
    }
}

/// Maps and paths that a plan has written, and a viewer reads again.
fn run_plan_tables(bytes: &[u8]) {
    let path = FOLDER.with(|folder| folder.path(|_| {})).join("plan.csv");
    std::fs::write(&path, bytes).expect("a file in a temporary folder");
    match plan_files::read_map(&path) {
        Ok(map) => {
            assert_eq!(map.cells().len(), map.points() * map.stances());
            assert!(map.rotations_deg.iter().all(|rotation| rotation.is_finite()));
            for point in 0..map.points() {
                (0..map.rotations_deg.len())
                    .for_each(|rotation| assert!(map.best(point, rotation).0 < map.stances()));
            }
        }
        Err(error) => told::refused(bytes, &error.faults),
    }
    match plan_files::read_path(&path, cell()) {
        Ok(rows) => assert!(rows.iter().flat_map(|row| &row.posture).all(|number| number.is_finite())),
        Err(error) => told::refused(bytes, &error.faults),
    }
}

fn run_ccd(bytes: &[u8]) {
    match ccd::parse(bytes) {
        Ok(queries) => assert!(!queries.is_empty()),
        Err(faults) => told::refused(bytes, &faults),
    }
}

const POSTURES: &[&str] = &[
    "arm/j1",
    "j1,j2,j3,j4,j5,j6\n",
    "_deg",
    "_mm",
    "\n",
    ",",
    "#",
    "1e308",
    "-1e-320",
    "nan",
    "\u{feff}",
    ";",
    "\t",
];
const POSES: &[&str] = &[
    "x,y,z,qw,qx,qy,qz\n",
    "_mm",
    "_in",
    "\n",
    ",",
    "#",
    "1e308",
    "1,0,0,0,1,0,0,0,1,0,0,0\n",
    "0.6",
    "0.8",
];
const LIVE: &[&str] = &[
    "{\"q\": ",
    "\"t\": ",
    "\"id\": ",
    "\"arm/j1\"",
    "\"j6\"",
    "[0,0,0,0,0,0]",
    "\n",
    "1e400",
    "null",
    "\\u0000",
];

fn postures_seeds() -> Vec<Vec<u8>> {
    vec![
        b"0,0.1,0.2,0.3,0.4,0.5\n1,1,1,1,1,1\n".to_vec(),
        b"j2_deg,j1,arm/j3,j4,j5,j6\n10,1,1,1,1,1 # a comment\n\n-90 0 0 0 0 0\n".to_vec(),
        b"[{\"ptp\": [0, -1.2, 0.5, 0, 0, 0]}, {\"ptp\": {\"j1\": 1, \"j2\": 0, \"j3\": 0, \"j4\": 0, \"j5\": 0, \"j6\": 0}, \"zone\": 0}]".to_vec(),
    ]
}

fn poses_seeds() -> Vec<Vec<u8>> {
    vec![
        b"1,0,0,0,1,0,0,0,1,0.5,0,0\n0,-1,0,1,0,0,0,0,1,0,2,0\n".to_vec(),
        b"qw,qx,qy,qz,x_mm,y_mm,z\n0.6,0.8,0,0,10,20,0.1\n".to_vec(),
    ]
}

fn live_seeds() -> Vec<Vec<u8>> {
    vec![b"[0,0,0,0,0,0]\n{\"q\": [0.1,0,0,0,0,0], \"t\": 12.001, \"id\": 7}\n{\"q\": {\"arm/j3\": -1.3}, \"t\": 12.002}\n".to_vec()]
}

const PLAN: &[&str] = &[
    "point,rotation_deg,state,branch,pair,clearance,free_branches,tilt\n",
    "stroke,point,rotation_deg,tilt,",
    "free",
    "collides",
    "limit",
    "unknown",
    "out_of_reach",
    "0,10,",
    "1,10,",
    ",,,,0\n",
    "+++",
    "inf",
];

fn plan_seeds() -> Vec<Vec<u8>> {
    let map = "point,rotation_deg,state,branch,pair,clearance,free_branches,tilt\n0,10,free,+++,,0.1,+++,0\n0,20,collides,+++,a|b,,,0\n0,10,limit,,,,,1\n0,20,free,+++,,0.2,+++,1\n1,10,collides,++-,c|d,,,0\n1,20,collides,++-,a|b,,,0\n1,10,out_of_reach,,,,,1\n1,20,unknown,,,,,1\n";
    let path = "stroke,point,rotation_deg,tilt,arm/j1,arm/j2,arm/j3,arm/j4,arm/j5,arm/j6\n0,0,10,0,0,0,0,0,0,0\n0,1,20,0,1,1,1,1,1,1\n";
    vec![map.into(), path.into()]
}

fn ccd_seeds() -> Vec<Vec<u8>> {
    let query: String = (0..8).map(|k| format!("{k},2,{},3,-{k},1,1\n", k * k)).collect();
    vec![query.into_bytes()]
}
