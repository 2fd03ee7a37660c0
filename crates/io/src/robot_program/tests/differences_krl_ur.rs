//! Programs of KRL and URScript that random ones showed to be run otherwise by a controller: each was read wrongly once.

use super::{good, notes, places, read};
use crate::robot_program::Language;

const AXES: &str = "A2 0,A3 0,A4 0,A5 0,A6 0";
const FRAMES: &str = "$TOOL={X 0,Y 0,Z 0,A 0,B 0,C 0}\n$BASE={X 0,Y 0,Z 0,A 0,B 0,C 0}\n";

/// A program of KRL whose moves are known.
fn known(text: &str, expected: &[[i64; 3]]) {
    let program = good(Language::Krl, text);
    assert!(notes(&program, true).is_empty(), "{text}\n{:?}", program.notes);
    assert_eq!(places(&program), expected, "{text}");
}

/// A program that is refused, or of which something that could move the robot is told.
fn unknown(language: Language, text: &str) {
    if let Ok(program) = read(language, text) {
        assert!(!notes(&program, true).is_empty(), "{text}\n{:?}", places(&program));
    }
}

/// The rest of a condition was read as the first statement behind it, which nobody ran where the first part of it is false.
#[test]
fn a_condition_is_read_to_its_end() {
    let text = |condition: &str| {
        format!("DEF a()\nINT k\nk=3\nIF {condition} THEN\nRETURN\nENDIF\nPTP {{A1 9,{AXES}}}\nEND\n")
    };
    known(&text("FALSE EXOR TRUE"), &[]);
    known(&text("TRUE EXOR TRUE"), &[[9, 0, 0]]);
    // AND comes before EXOR, and EXOR before OR.
    known(&text("TRUE OR TRUE EXOR TRUE"), &[]);
    known(&text("TRUE EXOR TRUE AND FALSE"), &[]);
    known(&text("NOT TRUE EXOR FALSE"), &[[9, 0, 0]]);
    unknown(Language::Krl, &text("k==2 B_AND 1"));
    unknown(Language::Krl, &text("FALSE").replace(" THEN", ""));
    for line in ["WHILE FALSE X", "FOR k=2 TO 1 X", "SWITCH 1 X\nCASE 2", "SWITCH 1\nCASE 2 X", "LOOP X"] {
        let end = ["ENDWHILE", "ENDFOR", "ENDSWITCH", "ENDSWITCH", "ENDLOOP"];
        let end = end
            [["WH", "FO", "SWITCH 1 X", "SW", "LO"].iter().position(|of| line.starts_with(of)).expect("one")];
        unknown(Language::Krl, &format!("DEF a()\nINT k\n{line}\n{end}\nPTP {{A1 9,{AXES}}}\nEND\n"));
    }

    for condition in ["False xor True", "5 % 2 == 1", "(1 == 2) | (1 == 1)"] {
        let script = |word: &str, rest: &str| {
            format!(
                "def f():\n  k = 5\n  {word} {condition}:\n    {rest}\n  end\n  movej([1,0,0,0,0,0])\nend\n"
            )
        };
        unknown(Language::UrScript, &script("if", "halt"));
        unknown(Language::UrScript, &script("if False:\n    k = 1\n  elif", "halt"));
        unknown(Language::UrScript, &script("while", "movej([2,0,0,0,0,0])"));
    }
}

/// What stands behind what was read of `return` was never reached, and so not told.
#[test]
fn a_statement_is_read_to_its_end() {
    let script = |value: &str| {
        format!("def f():\n  def rest(n):\n    return {value}\n  end\n  movej([rest(5),0,0,0,0,0])\nend\n")
    };
    assert_eq!(places(&good(Language::UrScript, &script("n"))), [[286, 0, 0]]);
    unknown(Language::UrScript, &script("n % 2"));
    unknown(
        Language::Krl,
        &format!(
            "DEF a()\nPTP {{A1 f(6),{AXES}}}\nEND\nDEFFCT INT f(k:IN)\nINT k\nRETURN k B_AND 3\nENDFCT\n"
        ),
    );
}

/// A turn has two sets of angles. Where a target names some of them, the others are those of one set or of the other.
#[test]
fn angles_that_are_left_out_are_known_only_as_they_were_written() {
    let text = |first: &str, between: &str| {
        format!(
            "DEF a()\n{FRAMES}LIN {{X 100,Y 0,Z 0,{first}}}\n{between}LIN {{A 10}}\nLIN {{X 100,Y 0,Z 0,A 0,B 0,C 0}}\nEND\n"
        )
    };
    for between in ["", "LIN_REL {Z 5}\n", "LIN {Y 5}\n"] {
        unknown(Language::Krl, &text("A 0,B 130,C 0", between));
        let program = good(Language::Krl, &text("A 0,B 80,C 0", between));
        assert!(notes(&program, true).is_empty(), "{:?}", program.notes);
    }
}

/// A function in a target sets the tool, with which the robot moves there.
#[test]
fn a_target_is_worked_out_before_the_tool_is_taken() {
    let text = format!(
        "DEF a()\n{FRAMES}LIN to()\nEND\nDEFFCT FRAME to()\n$TOOL.Z=70\nRETURN {{X 1,Y 2,Z 3,A 0,B 0,C 0}}\nENDFCT\n"
    );
    let program = good(Language::Krl, &text);
    let tool = program.moves[0].tool.at.map(|at| (at.translation().z * 1e3).round());
    assert_eq!(tool, Some(70.0), "{:?}", program.notes);
}

/// What is handed over to an INT, or returned by a function of INT, is rounded.
#[test]
fn whole_numbers_are_rounded_wherever_they_are_set() {
    let text = |call: &str| {
        format!(
            "DEF a()\nREAL r\n{call}\nEND\nDEF s(k:IN)\nINT k\nPTP {{A1 10*k,{AXES}}}\nEND\nDEFFCT INT f()\nRETURN 2.75\nENDFCT\n"
        )
    };
    known(&text("s(2)"), &[[20, 0, 0]]);
    unknown(Language::Krl, &text("s(2.75)"));
    unknown(Language::Krl, &text(&format!("r=f()\nPTP {{A1 r,{AXES}}}")));
}

/// Whether the end of FOR is worked out once or before every round is not said.
#[test]
fn an_end_that_changes_in_its_loop_is_not_known() {
    let text = |to: &str, body: &str| {
        format!(
            "DEF a()\nINT i,n\nn=3\nFOR i=1 TO {to}\nPTP {{A1 i,{AXES}}}\n{body}\nENDFOR\nEND\nDEFFCT INT f(n:OUT)\nINT n\nn=n-1\nRETURN n\nENDFCT\n"
        )
    };
    known(&text("n", ""), &[[1, 0, 0], [2, 0, 0], [3, 0, 0]]);
    unknown(Language::Krl, &text("n", "n=2"));
    unknown(Language::Krl, &text("f(n)", ""));
    unknown(Language::Krl, &text("9 STEP n", "n=2"));
}

/// To the controller, a parameter that refers to a variable is that variable, also where a later argument sets it.
#[test]
fn a_reference_beside_a_function_that_sets_it_is_not_known() {
    let text = |given: &str| {
        format!(
            "DEF a()\nINT k,all[2]\nk=1\nall[1]=1\nall[2]=1\ns({given})\nEND\nDEF s(x:OUT,y:IN)\nINT x,y\nPTP {{A1 x,A2 y,A3 0,A4 0,A5 0,A6 0}}\nEND\nDEFFCT INT f(n:OUT)\nINT n\nn=n+1\nRETURN n\nENDFCT\n"
        )
    };
    unknown(Language::Krl, &text("k,f(k)"));
    known(&text("k,k"), &[[1, 1, 0]]);
    unknown(Language::Krl, &text("all[k],f(k)"));
}

/// Whether a function means its own variable before it says that it has one is not known.
#[test]
fn a_variable_is_not_hidden_late() {
    let script = |body: &str| {
        format!(
            "def f():\n  x = 0.1\n  def g():\n{body}    movej([x,0,0,0,0,0])\n  end\n  g()\n  movej([x,0,0,0,0,0])\nend\n"
        )
    };
    let program = good(Language::UrScript, &script("    local x = 1\n    x = 2\n"));
    assert!(notes(&program, true).is_empty(), "{:?}", program.notes);
    assert_eq!(places(&program), [[115, 0, 0], [6, 0, 0]]);
    unknown(Language::UrScript, &script("    x = 2\n    local x = 1\n"));
    unknown(Language::UrScript, &script("    local x = x + 1\n"));
    unknown(Language::UrScript, &script("    if True:\n      local x = 1\n    end\n"));
}
