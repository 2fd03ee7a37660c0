//! Programs of FANUC and jobs of Yaskawa that the reader once ran otherwise than their controllers: most were
//! found beside a second interpreter (`naive`), and are as short as they could be made.

use super::{cycled, good, notes, places};
use crate::robot_program::{Language, Profile, RobotProgram, Run, parse};
use kansho_geom::glam::DVec3;

/// A program with positions 1 to 3, whose first axis is at 10, 20 and 30 degrees.
fn ls(lines: &[&str]) -> String {
    let body: String =
        lines.iter().enumerate().map(|(k, line)| format!("{:4}:  {line} ;\n", k + 1)).collect();
    let axes = |k: u32| {
        format!(
            "P[{k}]{{\n GP1:\n UF : 0, UT : 1,\n J1 = {} deg, J2 = 0 deg, J3 = 0 deg,\n J4 = 0 deg, J5 = 0 deg, J6 = 0 deg\n}};\n",
            10 * k
        )
    };
    format!("/PROG A\n/MN\n{body}/POS\n{}{}{}/END\n", axes(1), axes(2), axes(3))
}

fn refused(language: Language, text: &str) -> Vec<String> {
    let told = notes(&cycled(language, text), true);
    assert!(!told.is_empty(), "nothing is said of\n{text}");
    told
}

/// Two registers with names are not the first one alone.
#[test]
fn a_sum_of_registers_with_names_is_their_sum() {
    let mut lines = vec!["R[1:one]=1", "R[2:two]=8", "PR[9,1]=R[1:one]+R[2:two]"];
    lines.extend(["PR[9,2]=0", "PR[9,3]=0", "PR[9,4]=0", "PR[9,5]=0", "PR[9,6]=0", "UTOOL[1]=PR[9]"]);
    lines.push("J P[1] 50% FINE");
    let program = good(Language::Fanuc, &ls(&lines));
    assert!(notes(&program, true).is_empty(), "{:?}", program.notes);
    let tool = program.moves[0].tool.at.expect("it is set").translation();
    assert!(tool.abs_diff_eq(DVec3::new(0.009, 0.0, 0.0), 1e-12), "{tool}");
    // What stands in a name is no part of a register: all of it is set here, and not its second component.
    lines.insert(8, "PR[9:x,2]=PR[5]");
    lines.insert(9, "PR[9,2]=0");
    refused(Language::Fanuc, &ls(&lines));
}

/// Whether a FOR asks for its last value in every round is not said: where that makes a difference, nobody
/// knows how often it runs.
#[test]
fn the_last_value_of_a_loop_may_be_asked_for_once() {
    let lines = |last: &'static str| {
        ls(&["R[2]=3", "FOR R[1]=1 TO R[2]", "J P[1] 50% FINE", last, "ENDFOR", "J P[2] 50% FINE"])
    };
    let told = refused(Language::Fanuc, &lines("R[2]=1"));
    assert!(told[0].contains("how often"), "{told:?}");
    let program = good(Language::Fanuc, &lines("R[2]=3"));
    assert_eq!(places(&program).len(), 4, "{:?}", program.notes);
    // Nor is said what an ENDFOR does whose FOR was not run.
    let into = ["R[1]=1", "JMP LBL[1]", "FOR R[1]=1 TO 3", "LBL[1]", "J P[1] 50% FINE", "ENDFOR"];
    refused(Language::Fanuc, &ls(&into));
}

/// Motions that are coordinated with another group are refused, whichever frame leads them.
#[test]
fn coordinated_motions_are_refused() {
    for option in ["COORD", "COORD[1]", "COORD[R[1]]"] {
        refused(Language::Fanuc, &ls(&[&format!("J P[1] 50% FINE {option}")]));
    }
}

/// A controller stops at a point of a circle that is of another frame, as it does at its end.
#[test]
fn both_points_of_a_circle_are_of_one_frame() {
    let pose = |k: u32, frame: u32| {
        format!(
            "P[{k}]{{\n GP1:\n UF : {frame}, UT : 0, CONFIG : 'N U T, 0, 0, 0',\n X = {k} mm, Y = 2 mm, Z = 3 mm,\n W = 0 deg, P = 0 deg, R = 0 deg\n}};\n"
        )
    };
    let text = |frame: u32| {
        format!(
            "/PROG A\n/MN\n   1:J P[1] 50% FINE ;\n   2:C P[2]\n    : P[3] 100mm/sec FINE ;\n/POS\n{}{}{}/END\n",
            pose(1, 1),
            pose(2, frame),
            pose(3, 1)
        )
    };
    assert!(notes(&good(Language::Fanuc, &text(1)), true).is_empty());
    refused(Language::Fanuc, &text(2));
}

/// 2.9 + 7.3 + 1.8 is 12 in double precision, and a little more in single precision.
#[test]
fn sums_of_fractions_are_not_whole_numbers() {
    let text = |sum: [&'static str; 3]| {
        let mut lines = sum.to_vec();
        lines.extend(["IF R[1]=12,JMP LBL[1]", "J P[1] 50% FINE", "LBL[1]", "J P[2] 50% FINE"]);
        ls(&lines)
    };
    refused(Language::Fanuc, &text(["R[1]=2.9", "R[1]=R[1]+7.3", "R[1]=R[1]+1.8"]));
    let program = good(Language::Fanuc, &text(["R[1]=2.5", "R[1]=R[1]+7.25", "R[1]=R[1]+2.25"]));
    assert_eq!(places(&program), [[20, 0, 0]], "{:?}", program.notes);
}

/// Whole numbers have 32 bits.
#[test]
fn whole_numbers_may_be_too_large() {
    let text = ls(&[
        "R[1]=50000",
        "R[1]=R[1]*R[1]",
        "IF R[1]>0,JMP LBL[1]",
        "J P[1] 50% FINE",
        "LBL[1]",
        "J P[2] 50% FINE",
    ]);
    refused(Language::Fanuc, &text);
}

/// Which of two labels a jump leads to is not said.
#[test]
fn a_label_stands_once() {
    let text = ls(&["JMP LBL[1]", "LBL[1]", "J P[1] 50% FINE", "LBL[1]", "J P[2] 50% FINE"]);
    refused(Language::Fanuc, &text);
    let job = job("JUMP *A\n*A\nMOVJ C00000 VJ=10 PL=0\n*A\nMOVJ C00001 VJ=10 PL=0\n");
    assert!(!notes(&jbi(&job), true).is_empty());
}

fn job(lines: &str) -> String {
    let rows: String = (0..3).map(|k| format!("C0000{k}={},0,0,0,0,0\n", 10_000 * k)).collect();
    format!(
        "/JOB\n//NAME A\n//POS\n///NPOS 3,0,0,0,0,0\n///TOOL 0\n///POSTYPE PULSE\n///PULSE\n{rows}//INST\nNOP\n{lines}END\n"
    )
}

fn jbi(text: &str) -> RobotProgram {
    let profile =
        "language = \"jbi\"\npulses_per_degree = [1000, 1, 1, 1, 1, 1]\nangles_per_degree = 10000\n";
    let profile = Profile::parse(profile).expect("a good profile");
    parse(text.as_bytes(), None, Language::Jbi, &profile, Run::default()).expect("a job")
}

/// A loop that is entered in its middle comes back to its beginning another way than it came there first.
#[test]
fn endless_loops_come_back_from_their_end() {
    let text = ls(&[
        "J P[1] 50% FINE",
        "JMP LBL[2]",
        "LBL[1]",
        "J P[2] 50% FINE",
        "J P[3] 50% FINE",
        "LBL[2]",
        "JMP LBL[1]",
    ])
    .replace(":  J", ":J");
    let program = cycled(Language::Fanuc, &text);
    let found = places(&program);
    assert!(notes(&program, true).is_empty(), "{:?}", program.notes);
    assert!(found.windows(2).any(|two| two == [[30, 0, 0], [20, 0, 0]]), "{found:?}");
    let text = job(
        "MOVJ C00000 VJ=10 PL=0\nJUMP *B\n*A\nMOVJ C00001 VJ=10 PL=0\nMOVJ C00002 VJ=10 PL=0\n*B\nJUMP *A\n",
    );
    let found = places(&jbi(&text));
    assert!(found.windows(2).any(|two| two == [[20, 0, 0], [10, 0, 0]]), "{found:?}");
    // What is rounded depends on the move before, too.
    let text = job(
        "MOVJ C00000 VJ=10 PL=0\nJUMP *B\n*A\nMOVJ C00001 VJ=10 PL=0\n*B\nMOVJ C00002 VJ=10 PL=3\nJUMP *A\n",
    );
    let found = places(&jbi(&text));
    assert!(found.windows(3).any(|three| three == [[10, 0, 0], [20, 0, 0], [10, 0, 0]]), "{found:?}");
}

/// `B[1]` is `B001`, and `B[B001]` is another variable when `B001` is another number.
#[test]
fn elements_of_variables_are_variables() {
    for lines in [
        "SET B001 1\nSET B[1] 2\nJUMP *A IF B001=1\n",
        "SET B001 1\nSET B002 1\nSET B[B001] 2\nJUMP *A IF B001=1\n",
        "SET B001 2\nSET B[B001] 5\nSET B001 3\nJUMP *A IF B[B001]=5\n",
        "SET B001 1\nINC B[1]\nJUMP *A IF B001=1\n",
        "SET B001 1\nDIN B[1] IN#(1)\nJUMP *A IF B001=1\n",
    ] {
        let text = job(&format!("{lines}MOVJ C00000 VJ=10 PL=0\n*A\nMOVJ C00001 VJ=10 PL=0\n"));
        assert!(!notes(&jbi(&text), true).is_empty(), "{lines}");
    }
}

/// A position variable that something else sets is not what its components were set to before.
#[test]
fn tools_are_set_from_what_position_variables_hold() {
    let six: String = (1..=6).map(|k| format!("SETE P002 ({k}) {k}000\n")).collect();
    let text = |between: &str| job(&format!("{six}{between}SETTOOL TL#(0) P002\nMOVJ C00000 VJ=10 PL=0\n"));
    assert!(notes(&jbi(&text("")), true).is_empty());
    assert!(notes(&jbi(&text("GETE D000 P002 (1)\nGETS PX001 $PX000\n")), true).is_empty());
    for between in [
        "GETS PX002 $PX000\n",
        "SET P002 P003\n",
        "ADD P002 P003\n",
        "SETE P002 (2) D000\n",
        "SETE P[B001] (2) 5\n",
        "SET P[B001] P003\n",
        "CLEAR P001 2\n",
        "SETE P00002 (2) D000\n",
    ] {
        assert!(!notes(&jbi(&text(between)), true).is_empty(), "{between}");
    }
}
