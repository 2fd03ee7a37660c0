//! Toolpaths of CAM systems.

use crate::{Target, told};
use kansho_io::toolpath::{ToolpathKind, ToolpathOptions, csv, parse};

pub(super) fn all() -> Vec<Target> {
    vec![
        Target {
            name: "apt",
            seeds: apt_seeds,
            words: APT,
            run: |bytes| toolpath(bytes, ToolpathKind::Apt, false),
        },
        Target {
            name: "gcode",
            seeds: gcode_seeds,
            words: GCODE,
            run: |bytes| toolpath(bytes, ToolpathKind::GCode, bytes.len() % 2 == 1),
        },
        Target {
            name: "curves",
            seeds: curves_seeds,
            words: &["\n", " ", ",", ";", "1.5"],
            run: |bytes| toolpath(bytes, ToolpathKind::Curves, false),
        },
    ]
}

fn toolpath(bytes: &[u8], kind: ToolpathKind, three_axis: bool) {
    let options = ToolpathOptions { three_axis, ..ToolpathOptions::default() };
    let path = match parse(bytes, kind, &options) {
        Ok(path) => path,
        Err(faults) => return told::refused(bytes, &faults),
    };
    let lines = bytes.len() as u32 + 1;
    assert!(path.notes.iter().all(|(line, what)| *line <= lines && !what.is_empty()));
    let mut stroke = 0;
    for point in &path.points {
        assert!(point.point.is_finite(), "{point:?}");
        assert!((point.direction.length() - 1.0).abs() < 1e-9, "{point:?} has no direction");
        assert!(point.feed.is_none_or(|feed| feed.is_finite() && feed >= 0.0), "{point:?}");
        assert!(point.stroke == stroke || point.stroke == stroke + 1, "strokes are not in order");
        assert!(point.line >= 1 && point.line <= lines, "{point:?}");
        stroke = point.stroke;
    }
    if path.points.len() < 1000 {
        let rows = csv(&path).iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(rows, path.points.len() + 1);
    }
}

const APT: &[&str] = &[
    "UNITS/MM\n",
    "UNITS/INCHES\n",
    "MULTAX/ON\n",
    "GOTO/",
    "GODLTA/",
    "FROM/",
    "RAPID\n",
    "FEDRAT/",
    "MMPM",
    "IPM",
    "CIRCLE/",
    "MOVARC/",
    "ANGLE",
    "LOADTL/1\n",
    "GOHOME/",
    "CYCLE/",
    "$\n",
    "$$",
    "FINI\n",
    "INDIRV/",
    "TLON,GOFWD/",
    "ARCDIR/",
    "PPRINT/",
];
const GCODE: &[&str] = &[
    "G0",
    "G1 ",
    "G2 ",
    "G3 ",
    "G17 ",
    "G18 ",
    "G19 ",
    "G20 ",
    "G21 ",
    "G43.4 H1",
    "G43.5 ",
    "G49 ",
    "G54 ",
    "G90 ",
    "G91 ",
    "G93 ",
    "G94 ",
    "TRAORI\n",
    "ORIVECT\n",
    "X",
    "Y",
    "Z",
    "A",
    "B",
    "C",
    "I",
    "J",
    "K",
    "R",
    "F",
    "A3=",
    "B3=",
    "C3=",
    "M30",
    "(",
    ")",
    ";",
    "N10 ",
    "CIP ",
    "TURN=",
];

fn apt_seeds() -> Vec<Vec<u8>> {
    vec![
        b"UNITS/MM\nMULTAX/ON\nLOADTL/1\nFEDRAT/6000.0,MMPM\nRAPID\nGOTO/633.5,0,220.6,-0.467719,0,0.883877\nGOTO/633.5,0,170.6,-0.467719,0,0.883877\nGOTO/633.2,1.2,170.4,-0.467536,-0.000283,0.883974\nFINI\n".to_vec(),
        b"UNITS/INCHES\nGOTO/1,$\n0,0\nGODLTA/0,0,1 $$ up\nFINI\n".to_vec(),
        b"UNITS/MM\nGOTO/10,0,0\nMOVARC/0,0,0,0,0,1,10,ANGLE,90\nGOTO/0,10,0\nFINI\n".to_vec(),
    ]
}

fn gcode_seeds() -> Vec<Vec<u8>> {
    vec![
        b"G21 G90 G94\nG43.4 H1\nG1 X633.5 Y0 Z170.6 A0 B-27.8 F6000.\nX633.2 Y1.2 Z170.4 A0.01 B-27.8\nG49\n".to_vec(),
        b"G21 G43.5\nG1 X1 Y2 Z3 I-0.467719 J0 K0.883877 F60\n".to_vec(),
        b"TRAORI\nORIVECT\nG1 X=1 Y2 Z3 A3=0 B3=0.5 C3=0.5\n".to_vec(),
        b"G21 G17 G0 X0 Y0 Z5\nG1 Z0 F100\nG2 X10 Y0 I5 J0\nG3 X0 Y0 R5\nG2 X0 Y0 Z1 I3 J0\n ".to_vec(),
    ]
}

fn curves_seeds() -> Vec<Vec<u8>> {
    vec![b"0 0 0 0 0 1\n10 0 0 0 0 1\n\n0,1,0,0,0,1\n".to_vec()]
}
