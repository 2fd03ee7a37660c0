//! KRL by hand, with answers by hand.

use super::{good, notes, places};
use crate::robot_program::{Config, Language, Profile, Target, parse};

#[test]
fn krl_is_run() {
    let check = |body: &str, expected: &[[i64; 3]]| {
        let text = format!(
            "&ACCESS RVP\nDEF a( )\nDECL INT i\nDECL E6POS q\nBAS (#INITMOV,0)\n$TOOL={{X 0,Y 0,Z 100,A 0,B 0,C 0}}\n$BASE=$NULLFRAME\n$APO.CDIS=2.5\n{body}\nEND\nDEF sub(z:IN)\n REAL z\nLIN {{X 1,Y 2,Z 3,A 0,B 0,C 0}}\nEND\n"
        );
        let program = good(Language::Krl, &text);
        assert_eq!(places(&program), expected, "{body}\n{:?}", program.notes);
        assert!(notes(&program, true).is_empty(), "{body}\n{:?}", program.notes);
    };
    check(
        "PTP {A1 10,A2 20,A3 30,A4 0,A5 0,A6 0}\nPTP {A2 25}\nPTP_REL {A3 5}",
        &[[10, 20, 30], [10, 25, 30], [10, 25, 35]],
    );
    check("LIN {X 1,Y 2,Z 3,A 0,B 0,C 0} C_DIS\nLIN_REL {Z 10}", &[[1, 2, 3], [1, 2, 13]]);
    check(
        "q={X 1,Y 2,Z 3,A 90,B 0,C 0,S 2,T 42}\nLIN q\nq.X=q.X+4\nLIN q\nLIN q : {X 10,Y 0,Z 0,A 0,B 0,C 0}",
        &[[1, 2, 3], [5, 2, 3], [5, 12, 3]],
    );
    check(
        "FOR i=1 TO 2\nLIN {X i*10,Y 0,Z 0,A 0,B 0,C 0}\nENDFOR\nsub(3)",
        &[[10, 0, 0], [20, 0, 0], [1, 2, 3]],
    );
    check(
        "SWITCH 2\nCASE 1\nHALT\nCASE 2\nsub(1)\nDEFAULT\nENDSWITCH\nWAIT SEC 0.5\n$OUT[5]=TRUE",
        &[[1, 2, 3]],
    );
    check("i=0\nREPEAT\ni=i+1\nsub(1)\nUNTIL i>=2", &[[1, 2, 3]; 2]);
    let text = "DEF a( )\nLIN XP1\n$ORI_TYPE=#CONSTANT\nLIN {X 1,Y 2,Z 3,A 0,B 0,C 0}\nGOTO x\nsub()\nPTP HOME\nSPLINE\nEND\n";
    let told = notes(&good(Language::Krl, text), true);
    for expected in [
        "2: 'xp1' is not known",
        "4: $ORI_TYPE is not #VAR",
        "5: GOTO is not followed",
        "6: 'sub' is not in this file",
        "7: 'home' is not known",
        "8: blocks of splines",
    ] {
        assert!(told.iter().any(|note| note.contains(expected)), "{expected}: {told:?}");
    }
    // Status and turn, as numbers of two kinds, and from the data list.
    let data = b"DEFDAT a PUBLIC\nDECL E6POS XP1={X 1,Y 2,Z 3,A 0,B 0,C 0,S 'B010',T 42,E1 0}\nENDDAT\n";
    let found =
        parse(b"DEF a()\n PTP XP1\nEND\n", Some(data), Language::Krl, &Profile::of(Language::Krl), None)
            .expect("good");
    let Target::Pose(_, config) = &found.moves[0].to else { panic!("a pose") };
    assert_eq!(*config, Config::Kuka { status: Some(2), turn: Some(42) });
}
