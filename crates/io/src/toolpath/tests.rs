use super::*;

fn read_text(kind: ToolpathKind, text: &str) -> Result<Toolpath, String> {
    let told = |faults: Vec<Fault>| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    parse(text.as_bytes(), kind, &ToolpathOptions::default()).map_err(told)
}

fn good(kind: ToolpathKind, text: &str) -> Toolpath {
    read_text(kind, text).unwrap_or_else(|faults| panic!("{faults}\n{text}"))
}

const APT: &str = "UNITS/MM\nMULTAX/ON\nLOADTL/1\nFEDRAT/6000.0,MMPM\nRAPID\nGOTO/633.5968,0.0000,220.6620,-0.467719,0.000000,0.883877\nGOTO/633.5968,0.0000,170.6620,-0.467719,0.000000,0.883877\nGOTO/633.2801,1.2816,170.4947,-0.467536,-0.000283,0.883974\nFINI\n";
const GCODE: &str = "G21 G90 G94\nG43.4 H1\nG1 X633.5968 Y0.0000 Z170.6620 A0.0000 B-27.8853 F6000.\nX633.2801 Y1.2816 Z170.4947 A0.0162 B-27.8734\nG49\n";

/// The samples of the notes on formats say the same path.
#[test]
fn the_same_path_in_two_formats() {
    let apt = good(ToolpathKind::Apt, APT);
    let gcode = good(ToolpathKind::GCode, GCODE);
    assert_eq!((apt.points.len(), gcode.points.len()), (3, 2));
    for (a, b) in apt.points[1..].iter().zip(&gcode.points) {
        assert!(a.point.distance(b.point) < 1e-9, "{a:?} {b:?}");
        // The angles of the sample are a thousandth of a degree off its vectors.
        assert!(a.direction.distance(b.direction) < 3e-5, "{a:?} {b:?}");
        assert_eq!((a.feed, b.feed), (Some(0.1), Some(0.1)));
    }
    // Into the work: against the axis of APT.
    assert!(apt.points[0].direction.z < -0.88);
}

#[test]
fn other_ways_to_say_it() {
    let vector = good(ToolpathKind::GCode, "G21 G43.5\nG1 X1 Y2 Z3 I-0.467719 J0 K0.883877 F60\n");
    assert!(vector.points[0].direction.distance(DVec3::new(0.467719, 0.0, -0.883877)) < 1e-6);
    let siemens = good(ToolpathKind::GCode, "TRAORI\nORIVECT\nG1 X=1 Y2 Z3 A3=0 B3=0.5 C3=0.5\n");
    assert!(siemens.points[0].direction.distance(DVec3::new(0.0, -0.5, -0.5).normalize()) < 1e-12);
    let inches = good(ToolpathKind::Apt, "UNITS/INCHES\nGOTO/1,0,0\nGODLTA/0,0,1\nFINI\n");
    assert_eq!(inches.points[1].point, DVec3::new(0.0254, 0.0, 0.0254));
    assert_eq!(inches.points[0].direction, -DVec3::Z);
    let joined = good(ToolpathKind::Apt, "UNITS/MM\nGOTO/1,$\n2,3 $$ a comment\nFINI\n");
    assert_eq!(joined.points[0].point, DVec3::new(0.001, 0.002, 0.003));
    let curves = good(ToolpathKind::Curves, "1 2 3 0 0 2\n4 5 6 0 0 1;\n7 8 9 0 1 0\n");
    assert_eq!(curves.points.iter().map(|point| point.stroke).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(curves.points[2].direction, -DVec3::Y);
    let strokes = good(ToolpathKind::GCode, "G43.4\nG0 X0 Y0 Z5\nG1 Z0\nX10\nG0 Z5\nX20\nG1 Z0\n");
    assert_eq!(strokes.points.iter().map(|point| point.stroke).collect::<Vec<_>>(), [0, 0, 0, 1, 1]);
}

/// Every point of an arc is on its circle, chords leave it by less than is said, and it goes the right way round.
#[test]
fn arcs_become_chords() {
    for (text, kind, turn) in [
        ("G43.4\nG1 X10 Y0 Z0\nG3 X0 Y10 Z2 I-10 J0\n", ToolpathKind::GCode, 90.0),
        ("G43.4\nG1 X10 Y0 Z0\nG2 X0 Y10 Z2 I-10 J0\n", ToolpathKind::GCode, -270.0),
        ("G43.4\nG1 X10 Y0 Z0\nG3 X0 Y10 Z2 R10\n", ToolpathKind::GCode, 90.0),
        ("G43.4\nG1 X10 Y0 Z0\nG2 X0 Y10 Z2 R-10\n", ToolpathKind::GCode, -270.0),
        ("G43.4\nG1 X10 Y0 Z0\nG3 X10 Y0 Z2 I-10\n", ToolpathKind::GCode, 360.0),
        ("UNITS/MM\nGOTO/10,0,0\nCIRCLE/0,0,0,0,0,1,10\nGOTO/0,10,2\nFINI\n", ToolpathKind::Apt, 90.0),
        ("UNITS/MM\nGOTO/10,0,0\nCIRCLE/0,0,0,0,0,-1,10\nGOTO/0,10,2\nFINI\n", ToolpathKind::Apt, -270.0),
    ] {
        let path = good(kind, text);
        let mut turned: f64 = 0.0;
        for pair in path.points.windows(2) {
            let [a, b] = [pair[0].point, pair[1].point].map(|p| DVec3::new(p.x, p.y, 0.0));
            assert!((b.length() - 0.01).abs() < 1e-9, "{text} {b}");
            assert!(0.01 - (0.5 * (a + b)).length() <= CHORD * 1.001, "{text}");
            turned += a.cross(b).z.atan2(a.dot(b)).to_degrees();
        }
        assert!((turned - turn).abs() < 1e-6, "{text}: {turned}");
        let end = path.points.last().expect("points").point;
        assert!((end.z - 0.002).abs() < 1e-12, "{text}");
    }
}

#[test]
fn what_is_not_understood_is_refused_with_its_line() {
    for (kind, text, expected) in [
        (ToolpathKind::GCode, "G1 X1 Y2\n", "line 1, column 1: X, Y and Z are axes of a machine"),
        (ToolpathKind::GCode, "G43.4\nG1 X1\nG49\nX2\n", "line 4, column 1: X, Y and Z are axes"),
        (ToolpathKind::GCode, "G43.4\nX1\n", "line 2, column 1: nothing says how to move"),
        (ToolpathKind::GCode, "G43.4\nG5.2 X1\n", "line 2, column 1: G5.2 is not understood"),
        (ToolpathKind::GCode, "G43.4\nG81 X1\n", "G81 is not understood"),
        (ToolpathKind::GCode, "G43.4\nG1 X1-2\n", "is no number"),
        (ToolpathKind::GCode, "G43.4\nG42 D1\n", "G41, G42"),
        (ToolpathKind::GCode, "G43.4\nG1 X0\nG2 X10 Y0 R2\n", "no circle of this radius"),
        (ToolpathKind::GCode, "G43.4\nG1 X\u{e9}\n", "line 2, column 1: the byte 0xC3"),
        (ToolpathKind::GCode, "", "there are no points"),
        (ToolpathKind::Apt, "GOTO/1,2\n", "three numbers, or six"),
        (ToolpathKind::Apt, "GOTO/1,x,3\n", "line 1, column 1: '1,x,3' are no finite numbers"),
        (ToolpathKind::Apt, "GOTO/1,2,3,0,0,0\n", "the axis of the tool has no length"),
        (
            ToolpathKind::Apt,
            "UNITS/MM\nGOTO/1,2,3\nUNITS/INCHES\nGOTO/1,2,3\n",
            "line 3, column 1: the units change",
        ),
        (ToolpathKind::Apt, "UNITS/MILES\n", "no unit that is known"),
        (ToolpathKind::Apt, "CYCLE/DRILL,1\n", "cycles are not understood"),
        (ToolpathKind::Apt, "GOTO/1,$\n", "cut short"),
        (ToolpathKind::Curves, "1 2 3 0 0 0\n", "the normal has no length"),
        (ToolpathKind::Curves, "1 2 3\n", "six numbers"),
    ] {
        let told = read_text(kind, text).expect_err(text);
        assert!(told.contains(expected), "{text}: {told}");
    }
    let cut = good(ToolpathKind::Apt, "UNITS/MM\nGOTO/1,2,3\nPREFUN/64\n");
    assert_eq!(cut.notes.len(), 2, "{:?}", cut.notes);
}

/// Real G-code of others. Without a tool-tip mode all of it is refused with the reason; taken as three-axis paths, with a count of what
/// was understood.
#[test]
#[expect(clippy::print_stderr, reason = "it prints counts, or why it is skipped")]
fn real_toolpaths_are_counted() {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        eprintln!("skipped: KANSHO_DATA is not set");
        return;
    };
    let folder = std::path::PathBuf::from(data).join("data/toolpaths/gcode");
    let options = ToolpathOptions { three_axis: true, ..ToolpathOptions::default() };
    let mut told = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok).collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    for file in files {
        let (name, path) = (file.file_name().to_string_lossy().into_owned(), file.path());
        let refused = super::read(&path, ToolpathKind::GCode, &ToolpathOptions::default());
        assert!(refused.is_err(), "{name}: no mode is on in which X, Y and Z are the tip");
        told.push(match super::read(&path, ToolpathKind::GCode, &options) {
            Ok(found) => {
                let strokes = found.points.last().map_or(0, |point| point.stroke + 1);
                format!(
                    "{name}: {} statements, {} points, {strokes} strokes, {} passed over",
                    found.statements,
                    found.points.len(),
                    found.notes.len()
                )
            }
            Err(error) => {
                let first = error.faults.first().map_or(String::new(), ToString::to_string);
                format!("{name}: refused, {} faults, {first}", error.faults.len())
            }
        });
    }
    eprintln!("{}", told.join("\n"));
    assert_eq!(told.len(), 14);
    // Two ends of lines, and a quarter and three quarters of a circle of 20 mm, to 5 micrometres: 36 and 106 chords. The others set zero
    // points or probe (G92, G31), leave the radius of the cutter to the machine (G42), extrude, or have no points. The arcs never name the third
    // axis, and four files no unit, which is a warning each.
    let understood: Vec<&str> =
        told.iter().map(String::as_str).filter(|line| !line.contains(": refused")).collect();
    let expected = [
        "arc-no-plane.nc: 4 statements, 144 points, 1 strokes, 2 passed over",
        "arc-xy-plane.nc: 5 statements, 144 points, 1 strokes, 2 passed over",
        "arc-zx-plane.nc: 5 statements, 144 points, 1 strokes, 2 passed over",
        "circle_a.gcode: 535 statements, 1674 points, 22 strokes, 1 passed over",
        "program_1.gcode: 15 statements, 9 points, 1 strokes, 0 passed over",
    ];
    assert_eq!(understood, expected);
}

/// Rounding must not make a code of what is none, and numbers without end are no places.
#[test]
fn what_is_no_code_and_no_place_is_refused() {
    for (text, expected) in [
        ("G43.4\nG-1 X1 Y0 Z0\n", "line 2, column 1: G-1 is not understood"),
        ("G43.4\nG1.04 X1 Y0 Z0\n", "line 2, column 1: G1.04 is not understood"),
        ("G43.4\nG1 X1 Y0 Z0 F-100\n", "line 2, column 1: the feed on the way to this point is no speed"),
        ("G43.4\nG1 X9999999999 Y0 Z0\n", "line 2, column 1: this point is farther out than 1e6 m"),
    ] {
        assert_eq!(read_text(ToolpathKind::GCode, text), Err(expected.into()));
    }
    let far = format!("G43.4\nG1 X{} Y0 Z0\n", "9".repeat(400));
    assert!(read_text(ToolpathKind::GCode, &far).is_err_and(|what| what.contains("farther out")));
    let apt = "UNITS/M\nGOTO/1e308,0,0\nGODLTA/1e308,0,0\nFINI\n";
    assert!(read_text(ToolpathKind::Apt, apt).is_err_and(|what| what.contains("line 2")));
}

/// Whatever moves the tip elsewhere than the numbers say is refused; what follows the end is told.
#[test]
fn nothing_that_moves_the_tip_is_passed_over() {
    for (kind, text, expected) in [
        (
            ToolpathKind::GCode,
            "G43.4 G54\nG1 X1 Y0 Z0\nG55\nG1 X2\n",
            "line 3, column 1: the work offset changes from G54 to G55",
        ),
        (ToolpathKind::GCode, "G43.4\nG1 X1 Y0 Z0 X2\n", "line 2, column 1: X stands twice"),
        (
            ToolpathKind::GCode,
            "G43.4\nG1 X1 Y0 Z0\n/G1 X5\n",
            "line 3, column 1: whether this block is run is up to the operator",
        ),
        (
            ToolpathKind::GCode,
            "G43.4\nG1 X1 Y0 Z0\nM98 P1000\n",
            "line 3, column 1: subprograms (M98) are not followed",
        ),
        (ToolpathKind::GCode, "G43.4\nG1 X1 Y0 Z0\nG5 X2 I1 J1\n", "line 3, column 1: splines (G5)"),
        (ToolpathKind::GCode, "G43.4\nG1 X1 Y0 Z0 (a\nG1 X2\n", "line 2, column 1: a comment has no end"),
        (
            ToolpathKind::Apt,
            "UNITS/MM\nGOTO/1,2,3\nROTATE/TABLE,90\nGOTO/2,2,3\nFINI\n",
            "line 3, column 1: ROTATE is not understood",
        ),
        (
            ToolpathKind::Apt,
            "UNITS/MM\nTRANS/0,0,5\nGOTO/1,2,3\nFINI\n",
            "line 2, column 1: TRANS is not understood",
        ),
        (
            ToolpathKind::Apt,
            "UNITS/MM\nCUTCOM/LEFT\nGOTO/1,2,3\nFINI\n",
            "line 2, column 1: the radius of the cutter",
        ),
        (
            ToolpathKind::Apt,
            "UNITS/MM\nMSYS/0,0,0,1,0,0,0,1,0\nGOTO/1,2,3\nMSYS/0,0,9,1,0,0,0,1,0\nGOTO/1,2,3\nFINI\n",
            "line 4, column 1: MSYS changes",
        ),
    ] {
        let told = read_text(kind, text).expect_err(text);
        assert!(told.contains(expected), "{text}: {told}");
    }
    for (kind, text) in [
        (ToolpathKind::GCode, "G21 G43.4 G54\nG54 G1 X1 Y0 Z0\nX2\nM30\nG1 X9\n"),
        (ToolpathKind::Apt, "UNITS/MM\nGOTO/1,2,3\nGOTO/2,2,3\nFINI\nGOTO/9,9,9\n"),
    ] {
        let found = good(kind, text);
        assert_eq!((found.points.len(), found.notes.len()), (2, 1), "{:?}", found.notes);
        assert!(found.notes[0].1.contains("not read"), "{:?}", found.notes);
    }
    let told = read_text(ToolpathKind::GCode, "G1 X1 Y0 Z0\n").expect_err("axes of a machine");
    assert!(told.contains("three_axis = true"), "{told}");
    // Every fault is counted.
    let many = format!("G43.4\n{}", "G1 X1 X2\n".repeat(100));
    let faults =
        super::parse(many.as_bytes(), ToolpathKind::GCode, &ToolpathOptions::default()).expect_err("bad");
    assert!(faults.len() == 21 && faults[20].to_string() == "and 80 more faults", "{faults:?}");
}

/// Few bytes, very many points: every large arc is a hundred thousand chords.
#[test]
fn arcs_cannot_ask_for_any_amount_of_memory() {
    let text = format!("G43.4\nG0 X0 Y0\n{}", "G2 X0 Y0 I900000\n".repeat(200));
    let refused = read_text(ToolpathKind::GCode, &text).expect_err("too many");
    assert!(refused.contains("arcs become more chords than"), "{refused}");
}

/// Words that the reader has no use for, and moves that it cannot follow, are refused with their line.
#[test]
fn every_word_of_gcode_has_a_use_or_is_refused() {
    let begin = "G21 G90 G17 G43.4 H1\nG0 X10 Y0 Z0\n";
    for (text, expected) in [
        (
            "G54.1 P1\nG1 X20\nG54.1 P2\nG1 X30\n",
            "line 5, column 1: the work offset changes from G54.1 P1 to G54.1 P2",
        ),
        ("G54.1\n", "line 3, column 1: G54.1 needs P"),
        ("G2 X0 Y10 I-10 J0 P3\n", "an arc of 3 turns (P)"),
        ("G2 X0 Y10 I-10 R10\n", "either its centre (I, J, K) or its radius (R)"),
        ("G2 X0 Y10 I-10 K3\n", "K leaves the plane of the arc (G17)"),
        ("G1 X20 R5\nY9\n", "line 3, column 1: R means nothing on a straight move"),
        ("G1 X20,R5\n", "line 3, column 1: rounded corners and chamfers (,R and ,C)"),
        ("G1 X20 ,C2\n", "rounded corners and chamfers (,R and ,C)"),
        ("G1 X20 I3 J4\n", "line 3, column 1: I means nothing here"),
        ("G1 X20\nL105\n", "line 4, column 1: L105 calls a subprogram"),
        ("G1 X20\nM17\n", "line 4, column 1: M17 ends a subprogram"),
        ("G1 X20\nM99\n", "line 4, column 1: M99 ends a subprogram, or starts the program again"),
        ("G1 X20\nM98 P1\n", "subprograms (M98)"),
        ("G1 X20\nM21\n", "M21 may mirror axes"),
        ("G1 X20\nM777\n", "M777 is not understood, and may move"),
        ("G50 X0 Z0\n", "line 3, column 1: G50 with axes sets coordinates"),
        ("G92 X0\n", "line 3, column 1: G92 sets coordinates"),
        ("G1 X20 P3\n", "P means nothing here"),
        ("G1 X20 Q3\n", "Q means nothing here"),
        ("G0 G1 X20\n", "G0 and G1 in one block: how to move is not clear"),
        ("G4 X2 G1\n", "a dwell (G4) stands in a block of its own"),
        ("G4 P2 Y3\n", "a dwell (G4) stands in a block of its own"),
        ("G1 X20\n/M98 P1\n", "up to the operator"),
        ("O2000\nG1 X20\nO3000\nG1 X30\n", "line 5, column 1: a second program begins here (O)"),
        ("G28 G91 Z0\nG1 X10\n", "line 4, column 1: Z is not known here: line 3 moved it"),
        (
            "G1 X20\nG28 G91 Z0\nG90 G1 X10 Y0 Z0\n",
            "line 5, column 1: this pass begins where line 4 left the machine",
        ),
        ("G53 Z0\nG2 X0 Y10 I-10\n", "line 4, column 1: Z is not known here"),
        ("G1 X9 A5\nG28\nG90 G0 X1 Y1 Z1\nG1 X2\n", "A is not known here: line 4"),
        ("G1 G28 Z0\n", "is a rapid one"),
        ("G43.5\nG1 X1 A30\n", "A turns the tool, and its axis is said by I, J and K"),
    ] {
        let told = read_text(ToolpathKind::GCode, &format!("{begin}{text}")).expect_err(text);
        assert!(told.contains(expected), "{text}: {told}");
    }
    let told = parse(
        b"G43.4\nG1 X1 Y1 Z1 C5\n",
        ToolpathKind::GCode,
        &ToolpathOptions { rotary: "AB".into(), ..ToolpathOptions::default() },
    );
    assert!(told.is_err_and(|faults| faults[0].to_string().contains("rotary = \"AB\" does not name it")));
}

#[test]
fn dwells_full_circles_and_moves_home_are_read_right() {
    let begin = "G21 G90 G17 G43.4 H1\nG0 X10 Y0 Z0\n";
    let read = |text: &str| good(ToolpathKind::GCode, &format!("{begin}{text}"));
    for dwell in ["G4 X2.0", "G4 P1000", "G04 U1", "G4 F3 S200"] {
        let path = read(&format!("{dwell}\nG1 X20\n"));
        let x: Vec<f64> = path.points.iter().map(|point| point.point.x).collect();
        assert_eq!(x, [0.01, 0.02], "{dwell}");
    }
    // Three quarters, and then a full circle that names its centre only.
    let path = read("G2 X0 Y10 I-10 J0\nI0 J-10\n");
    let turned: f64 = path
        .points
        .windows(2)
        .map(|pair| pair[0].point.cross(pair[1].point).z.atan2(pair[0].point.dot(pair[1].point)).to_degrees())
        .sum();
    assert!((turned + 270.0 + 360.0).abs() < 1e-6, "{turned}");
    // The way home and back belongs to no pass.
    let path = read("G1 X20\nG28 G91 Z0\nG90 G0 X5\nZ3\nG1 Z1\n");
    assert_eq!(path.points.iter().map(|point| point.stroke).collect::<Vec<_>>(), [0, 0, 1, 1]);
    assert_eq!((path.points[2].point, path.points[3].point.z), (DVec3::new(0.005, 0.0, 0.003), 0.001));
    assert!(
        path.warnings.len() == 1
            && path.warnings[0].to_string().starts_with("line 4, column 1: a move to a place")
    );
    // Tool-tip control that is switched off is off.
    let told = read_text(
        ToolpathKind::GCode,
        "FUNCTION TCPM F TCP AXIS POS\nG1 X1 Y1 Z1\nFUNCTION RESET TCPM\nX2\n",
    );
    assert!(told.is_err_and(|told| told.contains("line 4, column 1: X, Y and Z are axes of a machine")));
}

/// What moves the tool in ways that are not understood is no warning.
#[test]
fn records_of_apt_that_may_move_the_tool_are_refused() {
    for (text, expected) in [
        ("UNITS/MM\nMODE/INCR\nGOTO/1,2,3\nFINI\n", "line 2, column 1: MODE/INCR counts points"),
        ("UNITS/MM\nGOTO/1,2,3\nGOHOME\nFINI\n", "line 3, column 1: GOHOME goes to a place"),
        ("UNITS/MM\nGOTO/1,2,3\nWHATEVER/3\nFINI\n", "line 3, column 1: WHATEVER is not known"),
        ("UNITS/MM\nGOTO/1,2,3\nENDLESS/3\nFINI\n", "line 3, column 1: ENDLESS is not known"),
        ("UNITS/MM\nGOTO/1,2,3\nINSERT G1 X5\nFINI\n", "line 3, column 1: 'INSERT G1 X5' is handed"),
        ("UNITS/MM\nGOTO/1,2,3\nPREFUN/92\nFINI\n", "line 3, column 1: 'PREFUN/92' is handed"),
        ("UNITS/MM\nGOTO/1,2,3\nAUXFUN/98\nFINI\n", "line 3, column 1: 'AUXFUN/98' is handed"),
        ("UNITS/MM\nPPRINT costs 5$\nGOTO/1,2,3\nFINI\n", "line 2, column 1: this text ends with '$'"),
        ("UNITS/MM\nGOTO/9,0,0\nCIRCLE/0,0,0,0,0,1,9\nFINI\n", "line 3, column 1: no GOTO ends this circle"),
        (
            "UNITS/MM\nGOTO/9,0,0\nCIRCLE/0,0,0,0,0,1,5\nGOTO/0,9,0\nFINI\n",
            "line 4, column 1: the circle's radius is",
        ),
        ("RAPID\nGOTO/1,2,3\nUNITS/INCHES\nGOTO/1,2,4\nFINI\n", "line 3, column 1: the units change"),
    ] {
        let told = read_text(ToolpathKind::Apt, text).expect_err(text);
        assert!(told.contains(expected), "{text}: {told}");
    }
    let labels =
        good(ToolpathKind::Apt, "UNITS/MM\nPARTNO A) 5/7\nL1) GOTO/1,2,3\nL2)GOTO/2,2,3\nAUXFUN/8\nFINI\n");
    assert_eq!((labels.points.len(), labels.notes.len()), (2, 1), "{:?}", labels.notes);
    for (kind, text) in [
        (ToolpathKind::Apt, "LOADTL/1\nUNITS/MM\nGOTO/1,2,3\nLOADTL/2\nGOTO/2,2,3\nFINI\n"),
        (ToolpathKind::GCode, "T1 M6\nG21 G43.4\nG1 X1 Y1 Z1\nT2 M6\nG1 X2\n"),
    ] {
        let path = good(kind, text);
        assert!(
            path.notes.len() == 1 && path.notes[0].1.contains("the tool changes here"),
            "{:?}",
            path.notes
        );
    }
    let told = read_text(ToolpathKind::Curves, "1 2 3 0 0 1; 4 5 6 0 0 1\n").expect_err("two points");
    assert!(told.contains("behind the ';'"), "{told}");
}

/// A change of what coordinates mean in the middle of a path is refused, or told where the tool is only another one.
#[test]
fn offsets_that_change_within_the_path_are_told() {
    let begin = "G21 G90 G17 G43.4 H1\nG0 X10 Y0 Z0\nG1 X11\n";
    let three = "G21 G90 G17\nG0 G43 H1 Z50\nG0 X10 Y0 Z5\nG1 Z0\n";
    let read = |text: &str| {
        let options = ToolpathOptions { three_axis: text.contains("Z50"), ..ToolpathOptions::default() };
        let told = |faults: Vec<Fault>| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        parse(text.as_bytes(), ToolpathKind::GCode, &options).map_err(told)
    };
    for (begin, text, expected) in [
        (begin, "G55\nG1 X20\n", "line 4, column 1: G55 is the first work offset that is named"),
        (begin, "G54.1 P2\nG1 X20\n", "line 4, column 1: G54.1 P2 is the first work offset"),
        (begin, "G43 H2\nG1 X20\n", "line 5, column 1: X, Y and Z are axes of a machine"),
        (begin, "G44 H1\nG1 X20\n", "line 5, column 1: X, Y and Z are axes of a machine"),
        (begin, "G43.4 G43 H1\n", "G43.4 and G43 in one block: which tool-tip mode is not clear"),
        (three, "G49\nG1 X20\n", "line 6, column 1: line 5 leaves the length of the tool out (G49)"),
        (three, "G49\nG0 Z99\nG43 H1\nG0 X0 Y0\nG1 X5\n", "line 9, column 1: Z is not known here: line 6"),
        (three, "G44 H1\nG1 X5\n", "line 5, column 1: the length of the tool changes its sign here"),
    ] {
        let told = read(&format!("{begin}{text}")).expect_err(text);
        assert!(told.contains(expected), "{text}: {told}");
    }
    let good = |text: &str| read(text).unwrap_or_else(|told| panic!("{text}: {told}"));
    assert_eq!(good(&format!("{begin}G54\nG1 X20\n")).notes, []);
    for begin in [begin, three] {
        let code = if begin == three { "G43" } else { "G43.4" };
        let path = good(&format!("{begin}{code} H2\nG1 X20\n"));
        assert!(
            path.notes.len() == 1 && path.notes[0].1.contains("changes here from H1 to H2"),
            "{:?}",
            path.notes
        );
        let path = good(&format!("{begin}T2 M6\n{code} H2\nG1 X20\n"));
        assert!(
            path.notes.len() == 1 && path.notes[0].1.contains("the tool changes here (M6)"),
            "{:?}",
            path.notes
        );
    }
    // A first length after some passes is another one, too.
    let path = good(&format!("{}G43 H2\nG1 X20\n", three.replace("G43 H1 ", "")));
    assert!(
        path.notes.iter().any(|(_, what)| what.contains("changes here from none to H2")),
        "{:?}",
        path.notes
    );
    // As programs of three axes begin and end.
    assert_eq!(good(&format!("{three}G49 G0 Z99\nM30\n")).notes, []);
    assert_eq!(good(&three.replace("G17", "G17 G40 G49 G80")).notes, []);
    // What the program leaves open is said.
    let told = |text: &str| good(text).notes.into_iter().map(|(_, what)| what).collect::<Vec<_>>();
    assert_eq!(
        told("G43.4\nG0 X1 Y1 Z1\nG1 X2\n"),
        ["neither G20 nor G21 names the unit before the first move: millimetres are taken"]
    );
    assert_eq!(
        told("G21 G43.4 G91\nG1 X1 Y1\n"),
        [
            "Z is not named before this first pass: 0 is taken",
            "X, Y are moved by increments (G91) before any block names a place: kansho counts them from 0"
        ]
    );
}

/// Angles in space are about fixed axes, x first; positions of axes turn the tool as the caller says.
#[test]
fn axis_spat_and_axis_pos_are_different_angles() {
    let options = ToolpathOptions { rotary: "CA".into(), ..ToolpathOptions::default() };
    let direction = |axis: &str| {
        let text = format!("G21 FUNCTION TCPM F TCP AXIS {axis} PATHCTRL AXIS\nG1 X0 Y0 Z0 A30 C40\n");
        parse(text.as_bytes(), ToolpathKind::GCode, &options).expect(axis).points[0].direction
    };
    let (a, c) = (30_f64.to_radians(), 40_f64.to_radians());
    let (tilt, turn) = (DQuat::from_rotation_x(a), DQuat::from_rotation_z(c));
    assert!(direction("SPAT").distance(-(turn * tilt * DVec3::Z)) < 1e-12);
    assert!(direction("POS").distance(-(tilt * turn * DVec3::Z)) < 1e-12);
    assert!(direction("POS").distance(direction("SPAT")) > 0.3);
    let both = read_text(ToolpathKind::GCode, "FUNCTION TCPM F TCP AXIS SPAT POS\n");
    assert!(both.is_err_and(|told| told.contains("what A, B and C are is not clear")));
}

/// An arc whose ends are at other distances from its centre is no arc. What three decimals make of one is.
#[test]
fn arcs_that_are_none_are_refused() {
    let begin = "G21 G43.4\nG0 X10 Y0 Z0\n";
    for (kind, text, expected) in [
        (
            ToolpathKind::GCode,
            format!("{begin}G3 X0 Y10.05 I-10\n"),
            Some("begins 10.0000 mm from its centre and ends 10.0500 mm"),
        ),
        (ToolpathKind::GCode, format!("{begin}G3 X0 Y10.003 I-10\n"), None),
        (
            ToolpathKind::GCode,
            format!("{begin}G3 X-10.05 Y0 R10\n"),
            Some("they are 20.0500 mm apart, and the diameter is 20.0000 mm"),
        ),
        (ToolpathKind::GCode, format!("{begin}G3 X-10.003 Y0 R10\n"), None),
        (ToolpathKind::GCode, "G20 G43.4\nG0 X10 Y0 Z0\nG3 X0 Y10.002 I-10\n".into(), None),
        (
            ToolpathKind::GCode,
            "G20 G43.4\nG0 X10 Y0 Z0\nG3 X0 Y10.01 I-10\n".into(),
            Some("ends 10.0100 in from it"),
        ),
        (
            ToolpathKind::Apt,
            "UNITS/MM\nGOTO/10,0,0\nCIRCLE/0,0,0,0,0,1,10.02\nGOTO/0,10,0\nFINI\n".into(),
            Some("the circle's radius is 10.0200 mm, and it begins 10.0000 mm from its centre"),
        ),
        (
            ToolpathKind::Apt,
            "UNITS/MM\nGOTO/10,0,0\nCIRCLE/0,0,0,0,0,1,10\nGOTO/0,10.02,0\nFINI\n".into(),
            Some("begins 10.0000 mm from its centre and ends 10.0200 mm from it"),
        ),
    ] {
        let read = read_text(kind, &text);
        match (read, expected) {
            (Ok(_), None) => {}
            (Err(told), Some(expected)) => assert!(told.contains(expected), "{text}: {told}"),
            (read, _) => panic!("{text}: {read:?}"),
        }
    }
}

/// What APT says of rapid moves, of the axis and of the tool counts, or is told.
#[test]
fn records_of_apt_that_change_the_state_count() {
    let notes = |text: &str| {
        good(ToolpathKind::Apt, text).notes.into_iter().map(|(_, what)| what).collect::<Vec<_>>()
    };
    // A rapid circle is no pass.
    let path = good(
        ToolpathKind::Apt,
        "UNITS/MM\nGOTO/10,0,0\nGOTO/10,0,1\nRAPID\nCIRCLE/0,0,1,0,0,1,10\nGOTO/0,10,1\nGOTO/0,10,0\nFINI\n",
    );
    let strokes: Vec<u32> = path.points.iter().map(|point| point.stroke).collect();
    assert_eq!(strokes, [0, 0, 1, 1]);
    assert_eq!(path.points[2].point, DVec3::new(0.0, 0.01, 0.001));
    let tilted = "UNITS/MM\nMULTAX/ON\nGOTO/1,2,3,0,1,1\nMULTAX/OFF\nGOTO/2,2,3\nGOTO/3,2,3\nFINI\n";
    assert_eq!(
        notes(tilted),
        ["MULTAX/OFF came before, and this point names no axis: the tool stays as it was tilted last"]
    );
    for (record, before) in
        [("TLDATA/MILL,9,0", "TLDATA/MILL,5,0"), ("CUTTER/9", "CUTTER/5"), ("SELECT/TOOL,2", "SELECT/TOOL,1")]
    {
        let text =
            |record: &str| format!("UNITS/MM\n{before}\nGOTO/1,2,3\n{record}\nLOADTL/2\nGOTO/2,2,3\nFINI\n");
        let told = notes(&text(record));
        assert!(told.len() == 1 && told[0].starts_with("the tool changes here"), "{told:?}");
        let same = text(before).replace("LOADTL/2\n", "");
        assert!(notes(&same).is_empty(), "{same}");
    }
}

/// A unit that the caller gives counts where the file names none; where it names another one, it counts with a warning (`--units`), or the
/// file is refused (jobs).
#[test]
fn units_that_are_given_count() {
    let inches = |overrides| ToolpathOptions {
        unit: Some(GivenUnit { metres: 0.0254, overrides, by: "units in the job" }),
        ..ToolpathOptions::default()
    };
    let read = |kind, text: &str, overrides| parse(text.as_bytes(), kind, &inches(overrides));
    let (apt, gcode) = (ToolpathKind::Apt, ToolpathKind::GCode);
    for (kind, text, notes) in [
        (apt, "GOTO/1,0,0\nFINI\n", 0),
        (apt, "UNITS/INCHES\nGOTO/1,0,0\nFINI\n", 0),
        (gcode, "G43.4\nG1 X1 Y0 Z0\n", 0),
        (gcode, "G43.4 G20\nG1 X1 Y0 Z0\n", 0),
        (ToolpathKind::Curves, "1 0 0 0 0 1\n", 0),
        (apt, "UNITS/MM\nGOTO/1,0,0\nFINI\n", 1),
        (gcode, "G43.4 G21\nG1 X1 Y0 Z0\n", 1),
    ] {
        let path = read(kind, text, true).expect(text);
        assert_eq!((path.points[0].point.x, path.notes.len()), (0.0254, notes), "{text}");
        match read(kind, text, false) {
            Ok(path) => assert_eq!((path.points[0].point.x, notes), (0.0254, 0), "{text}"),
            Err(faults) => assert!(
                notes == 1 && faults[0].to_string().contains("names another unit than units in the job")
            ),
        }
    }
    assert!(read(gcode, "G43.4 G21\nG1 X1 Y0 Z0\nG20\nX2\n", true).is_err());
}
