//! Files that are none, are cut short, or have bytes of other alphabets.

use super::rapid::rapid;
use super::{good, notes, places, read};
use crate::robot_program::Language;

#[test]
fn files_that_are_none_are_refused_with_their_line() {
    let ls = "/PROG A\n/MN\n1:J P[1] 10% FINE ;\n/POS\nP[1]{\n GP1:\n UF : 0, UT : 1, CONFIG : 'N U T, 0, 0, 0',\n X = 1 mm, Y = 2 mm, Z = 3 mm,\n W = 0 deg, P = 0 deg, R = 0 deg\n};\n/END\n";
    let jbi = "/JOB\n//NAME A\n//POS\n///NPOS 1,0,0,0,0,0\n///TOOL 0\n///POSTYPE BASE\n///RECTAN\n///RCONF 0,0,0,0,0,0,0,0\nC00000=1,2,3,0,0,0\n//INST\nNOP\nMOVJ C00000 VJ=10.00 PL=0\nEND\n";
    assert_eq!(places(&good(Language::Fanuc, ls)), [[1, 2, 3]]);
    assert_eq!(places(&good(Language::Jbi, jbi)), [[1, 2, 3]]);
    for (language, text, expected) in [
        (Language::Rapid, "", "no module"),
        (Language::Rapid, "hello", "line 1"),
        (Language::Rapid, "MODULE m\nPROC main()\nMoveL p0,v100,fine,tool0;\n", "cut short"),
        (Language::Rapid, "MODULE m\nPROC main()\nENDPROC\n", "ENDMODULE is missing"),
        (
            Language::Rapid,
            "MODULE m\nPROC main()\nIF TRUE THEN\nENDPROC\nENDMODULE",
            "ENDIF of line 3 is missing before ENDPROC",
        ),
        (Language::Krl, "DEF a( )\nPTP {A1 0}\n", "line 3, column 1: the file ends before END of line 1"),
        (Language::Krl, "PTP {A1 0}", "stands before DEF"),
        (Language::Krl, "", "no DEF"),
        (Language::UrScript, "", "no statements"),
        (Language::Fanuc, "hello", "begins with /PROG"),
        (Language::Fanuc, &ls[..ls.len() - 6], "does not end with /END"),
        (Language::Fanuc, &ls[..ls.find("R = 0").expect("there")], "this position does not end"),
        (
            Language::Fanuc,
            &ls.replace("X = 1 mm", "X = 1 in"),
            "line 5, column 1: X is in 'in', and mm is wanted",
        ),
        (Language::Fanuc, &ls.replace("X = 1 mm", "X = nan mm"), "no finite number"),
        (Language::Fanuc, &ls.replace("N U T", "N X T"), "no CONFIG"),
        (Language::Fanuc, &ls.replace("FINE ;", "FINE"), "does not end with ';'"),
        (Language::Jbi, "hello", "begins with /JOB"),
        (Language::Jbi, &jbi[..jbi.len() - 4], "does not end with END"),
        (
            Language::Jbi,
            &jbi.replace("1,2,3", "1,x,3"),
            "line 9, column 1: '1,x,3,0,0,0' are no finite numbers",
        ),
        (Language::Jbi, &jbi.replace("RCONF 0", "RCONF 7"), "RCONF has six numbers"),
    ] {
        let told = read(language, text).expect_err(text);
        assert!(told.contains(expected), "{text}\n{told}");
    }
    // Bytes of other alphabets: in comments and texts they are nobody's business.
    for (language, text, line) in [
        (Language::Rapid, rapid("! gr\u{fc}n\nTPWrite \"\u{e9}\";\nMoveL p0,v100,fine,tool0;"), None),
        (Language::Rapid, rapid("MoveL p\u{e9},v100,fine,tool0;"), Some("5: the byte 0xC3")),
        (Language::Krl, "DEF a()\n; gr\u{fc}n\nPTP {A1 0,A2 0,A3 0,A4 0,A5 0,A6 0}\nEND\n".into(), None),
    ] {
        let told = notes(&good(language, &text), true);
        assert_eq!(
            told.iter().any(|note| line.is_some_and(|line| note.contains(line))),
            line.is_some(),
            "{told:?}"
        );
    }
}

/// A small program in every language.
const GOOD: [(Language, &str); 5] = [
    (
        Language::Rapid,
        "MODULE m\n  CONST robtarget p:=[[1,2,3],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n  PROC main()\n    MoveJ p,v100,fine,tool0;\n    IF TRUE THEN\n      MoveL Offs(p,0,0,10),v100,z1,tool0;\n    ENDIF\n  ENDPROC\nENDMODULE\n",
    ),
    (
        Language::Krl,
        "DEF a( )\n  $TOOL=$NULLFRAME\n  $BASE=$NULLFRAME\n  PTP {A1 0,A2 -90,A3 90,A4 0,A5 0,A6 0}\n  LIN {X 1,Y 2,Z 3,A 0,B 0,C 0}\nEND\n",
    ),
    (
        Language::Fanuc,
        "/PROG A\n/MN\n1:J P[1] 10% FINE ;\n2:L P[1] 10mm/sec FINE ;\n/POS\nP[1]{\n GP1:\n UF : 0, UT : 1, CONFIG : 'N U T, 0, 0, 0',\n X = 1 mm, Y = 2 mm, Z = 3 mm,\n W = 0 deg, P = 0 deg, R = 0 deg\n};\n/END\n",
    ),
    (
        Language::UrScript,
        "def f():\n  movej([0,0,0,0,0,0])\n  if True:\n    movel(p[1,2,3,0,0,0], v=0.1)\n  end\nend\nf()\n",
    ),
    (
        Language::Jbi,
        "/JOB\n//NAME A\n//POS\n///NPOS 1,0,0,0,0,0\n///TOOL 0\n///POSTYPE BASE\n///RECTAN\n///RCONF 0,0,0,0,0,0,0,0\nC00000=1,2,3,0,0,0\n//INST\nNOP\nMOVJ C00000 VJ=10.00 PL=0\nMOVL C00000 V=10.0 PL=0\nEND\n",
    ),
];

/// Cut anywhere, a program is refused with a line, or is the same program: nothing is taken for a shorter one.
#[test]
fn what_is_cut_short_is_never_a_shorter_program() {
    for (language, text) in GOOD {
        let whole = good(language, text);
        for cut in 0..text.trim_end().len() {
            match read(language, &text[..cut]) {
                Err(told) => assert!(told.contains("line "), "{language:?} {cut}: {told}"),
                Ok(program) => assert!(
                    program.moves == whole.moves || program.notes.iter().any(|note| note.moves),
                    "{language:?} {cut}: {:?}",
                    program.moves
                ),
            }
        }
    }
}

/// Bytes of another alphabet where words are wanted: each language names the line.
#[test]
fn other_alphabets_are_refused_with_their_line() {
    for (language, text) in GOOD {
        for (k, line) in text.lines().enumerate().filter(|(_, line)| {
            line.to_ascii_uppercase().contains("MOV") || line.contains("LIN") || line.contains(":L P")
        }) {
            let bad = text.replacen(line, &line.replacen(|c: char| c.is_ascii_digit(), "\u{e9}", 1), 1);
            if bad == text {
                continue;
            }
            let told = match read(language, &bad) {
                Err(told) => told,
                Ok(program) => notes(&program, true).join("\n"),
            };
            let number = k + 1;
            assert!(
                told.contains(&format!("{number}: ")) || told.contains(&format!("line {number}, ")),
                "{language:?} {bad}: {told}"
            );
        }
    }
}

/// What is not understood is kept up to a number of notes, and then refused as a whole: memory does not grow with a hostile file.
#[test]
fn notes_do_not_grow_without_end() {
    let many = 60_000;
    let statements = |one: &str| one.repeat(many);
    for (language, text) in [
        (Language::Rapid, format!("MODULE m\nPROC main()\n{}ENDPROC\nENDMODULE\n", statements("Foo;\n"))),
        (Language::Krl, format!("DEF a( )\n{}END\n", statements("foo()\n"))),
        (Language::Fanuc, format!("/PROG A\n/MN\n{}/POS\n/END\n", statements("FOO ;\n"))),
        (Language::UrScript, statements("foo()\n")),
        (Language::Jbi, format!("/JOB\n//NAME A\n//INST\n{}END\n", statements("FOO\n"))),
    ] {
        let program = good(language, &text);
        assert!(program.notes.len() < 30_000, "{language:?}: {}", program.notes.len());
        assert!(
            program.notes.last().is_some_and(|note| note.moves && note.what.contains("there is more")),
            "{language:?}"
        );
    }
}

/// Positions in a unit that is not theirs, frames that do not fit, and configurations that are none.
#[test]
fn mixed_units_and_frames_are_refused_with_their_line() {
    let ls = GOOD[2].1;
    for (text, expected) in [
        (ls.replace("X = 1 mm", "X = 1 inch"), "line 6, column 1: X is in 'inch', and mm is wanted"),
        (ls.replace("W = 0 deg", "W = 0 rad"), "line 6, column 1: W is in 'rad', and deg is wanted"),
        (ls.replace("X = 1 mm, ", ""), "line 6, column 1: X is missing"),
        (ls.replace("'N U T, 0, 0, 0'", "'N U T, 0, 0'"), "line 6, column 1: 'N U T, 0, 0' is no CONFIG"),
        (ls.replace("UT : 1", "UT : x"), "line 6, column 1: 'x' is no number of a frame"),
    ] {
        let told = read(Language::Fanuc, &text).expect_err(&text);
        assert!(told.contains(expected), "{told}");
    }
    let chosen = ls.replace("1:J", "1:  UTOOL_NUM=2 ;\n2:J");
    assert_eq!(notes(&good(Language::Fanuc, &chosen), true).len(), 2, "both moves are of another tool");
}

/// Modules of data alone, and those without a main procedure, are read and say why nothing is proven of them as a whole.
#[test]
fn modules_without_a_main_procedure_are_read() {
    for (text, expected) in [
        ("MODULE m\nENDMODULE", "no procedure"),
        ("MODULE m\nPROC a()\nENDPROC\nPROC b()\nENDPROC\nENDMODULE", "⟦entry⟧"),
    ] {
        let told = notes(&good(Language::Rapid, text), true);
        assert!(told.iter().any(|note| note.contains(expected)), "{told:?}");
    }
    // A script that ends too soon, such as a template: nothing is claimed of it.
    let cut = good(Language::UrScript, "def a():\n movej([0,0,0,0,0,0])\n");
    assert!(notes(&cut, true)[0].contains("cut short") && cut.doubtful.is_none(), "{:?}", cut.notes);
}
