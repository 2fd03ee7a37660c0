//! Programs by hand with answers by hand, bad input, and round trips through every language.

use super::resolve::{ResolveOptions, resolve};
use super::write::{OutKind, OutMove, WriteOptions, program as written};
use super::{Config, ControlArm, Language, MotionKind, Profile, RobotProgram, Speed, Target, Zone, parse};
use kansho_cell::{Cell, builtin};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use proptest::prelude::*;
use std::f64::consts::PI;

fn read(language: Language, text: &str) -> Result<RobotProgram, String> {
    let found = parse(text.as_bytes(), None, language, &Profile::of(language), None);
    found.map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn good(language: Language, text: &str) -> RobotProgram {
    read(language, text).unwrap_or_else(|faults| panic!("{faults}\nin\n{text}"))
}

/// Places of all targets, in millimetres, rounded.
fn places(program: &RobotProgram) -> Vec<[i64; 3]> {
    let place = |one: &super::ProgramMove| match &one.to {
        Target::Pose(pose, _) => {
            let p = pose.translation() * 1e3;
            [p.x, p.y, p.z].map(|mm| mm.round() as i64)
        }
        Target::Joints(joints) => [0, 1, 2].map(|k| joints[k].to_degrees().round() as i64),
    };
    program.moves.iter().map(place).collect()
}

fn notes(program: &RobotProgram, moving: bool) -> Vec<String> {
    let chosen = program.notes.iter().filter(|note| note.moves == moving);
    chosen.map(|note| format!("{}: {}", note.line, note.what)).collect()
}

fn rapid(body: &str) -> String {
    format!(
        "MODULE m\n  CONST robtarget p0:=[[100,200,300],[1,0,0,0],[0,-1,2,3],[9E9,9E9,9E9,9E9,9E9,9E9]];\n  PERS num n:=2;\n  PROC main()\n{body}\n  ENDPROC\n  PROC twice(robtarget where, num up)\n    MoveL where,v100,z10,tool0;\n    MoveL Offs(where,0,0,up),v100,fine,tool0;\n  ENDPROC\nENDMODULE\n"
    )
}

#[test]
fn rapid_is_run() {
    let check = |body: &str, expected: &[[i64; 3]]| {
        let program = good(Language::Rapid, &rapid(body));
        assert_eq!(places(&program), expected, "{body}\n{:?}", program.notes);
        assert!(notes(&program, true).is_empty(), "{body}\n{:?}", program.notes);
    };
    check("MoveL p0,v100,fine,tool0;", &[[100, 200, 300]]);
    check("MoveL Offs(p0,1,2*n,-(3+n)),v100,z50,tool0\\WObj:=wobj0;", &[[101, 204, 295]]);
    check("twice p0, 50;", &[[100, 200, 300], [100, 200, 350]]);
    check("twice Offs(p0,1,1,1), n*10;", &[[101, 201, 301], [101, 201, 321]]);
    check(
        "FOR i FROM 1 TO 3 DO\nMoveL Offs(p0,0,0,i*10),v100,fine,tool0;\nENDFOR",
        &[[100, 200, 310], [100, 200, 320], [100, 200, 330]],
    );
    check(
        "WHILE n<5 DO\nn:=n+2;\nMoveL Offs(p0,n,0,0),v100,fine,tool0;\nENDWHILE",
        &[[104, 200, 300], [106, 200, 300]],
    );
    check(
        "IF n=2 THEN\nMoveL p0,v100,fine,tool0;\nELSE\nMoveL Offs(p0,1,0,0),v100,fine,tool0;\nENDIF",
        &[[100, 200, 300]],
    );
    check("IF n>2 MoveL p0,v100,fine,tool0;\nMoveL Offs(p0,1,0,0),v100,fine,tool0;", &[[101, 200, 300]]);
    check(
        "TEST n\nCASE 1:\nMoveL p0,v100,fine,tool0;\nCASE 2,3:\nMoveL Offs(p0,7,0,0),v100,fine,tool0;\nDEFAULT:\nENDTEST",
        &[[107, 200, 300]],
    );
    check(
        "MoveAbsJ [[10,20,30,40,50,60],[9E+09,9E9,9E9,9E9,9E9,9E9]],v100,z1,tool0,\\WObj:=wobj0;",
        &[[10, 20, 30]],
    );
    check("VAR num m;\nIF m=0 MoveL Offs(p0,m,0,0),v100,fine,tool0;", &[[100, 200, 300]]);
    check("VAR robtarget q;\nq:=p0;\nq.trans.x:=5;\nMoveL q,v100,fine,tool0;", &[[5, 200, 300]]);
    // A quarter turn about tool z: tool y then points along -x, so 10 along it is -10 in x.
    check("MoveL RelTool(RelTool(p0,0,0,0\\Rz:=90),0,10,0),v100,fine,tool0;", &[[90, 200, 300]]);
    check(
        "! MoveL p0,v1,fine,tool0;\nWaitTime 1;\nSetDO d, 1;\nMoveL p0,v100,fine,tool0;",
        &[[100, 200, 300]],
    );
    // An endless loop is as its second round.
    check("WHILE TRUE DO\nMoveL p0,v100,fine,tool0;\nENDWHILE", &[[100, 200, 300]; 2]);
    // Whether a harmless block is run does not matter.
    check("IF di1=1 THEN\nSet do1;\nENDIF\nMoveL p0,v100,fine,tool0;", &[[100, 200, 300]]);
}

#[test]
fn rapid_data_is_understood() {
    let text = "MODULE m\nPERS tooldata t:=[TRUE,[[10,0,100],[1,0,0,0]],[1,[0,0,1],[1,0,0,0],0,0,0]];\nPERS wobjdata w:=[FALSE,TRUE,\"\",[[1000,0,0],[0.70710678,0,0,0.70710678]],[[0,10,0],[1,0,0,0]]];\nPROC main()\nMoveC [[1,2,3],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],[[4,5,6],[1,0,0,0],[1,-2,3,7],[9E9,9E9,9E9,9E9,9E9,9E9]],v1000\\T:=3,z200,t\\WObj:=w;\nMoveL [[4,5,6],[0,0,0,1],[1,-2,3,7],[9E9,9E9,9E9,9E9,9E9,9E9]],[250,500,5000,1000],[FALSE,2.5,3,3,1,3,1],t\\WObj:=w;\nENDPROC\nENDMODULE";
    let program = good(Language::Rapid, text);
    let [circle, line] = &program.moves[..] else { panic!("two moves: {:?}", program.notes) };
    let MotionKind::Circular(via) = &circle.kind else { panic!("a circle") };
    assert_eq!(via.translation(), DVec3::new(0.001, 0.002, 0.003));
    assert_eq!((circle.speed, circle.zone, circle.line), (Speed::Seconds(3.0), Zone::Radius(0.2), 5));
    assert_eq!((line.speed, line.zone), (Speed::Tip(0.25), Zone::Radius(0.0025)));
    assert_eq!(line.tool.at.map(|at| at.translation()), Some(DVec3::new(0.01, 0.0, 0.1)));
    // The object frame stands in the user frame, which is turned by a quarter.
    let work = line.work.at.expect("known").translation();
    assert!(work.abs_diff_eq(DVec3::new(0.99, 0.0, 0.0), 1e-9), "{work}");
    let Target::Pose(pose, config) = &line.to else { panic!("a pose") };
    assert_eq!(*config, Config::Abb([1, -2, 3, 7]));
    assert!(pose.rotation().x_axis.abs_diff_eq(-DVec3::X, 1e-12));
}

/// What is not understood is listed with its line, and whether it could move the robot.
#[test]
fn rapid_never_guesses() {
    for (body, expected) in [
        ("SearchL di1,p9,p0,v100,tool0;", "5: 'searchl' is not known, and could move"),
        ("Subprog;", "'subprog' is not known, and could move"),
        ("MoveL p7,v100,fine,tool0;", "5: 'p7' is not known"),
        ("MoveL CRobT(),v100,fine,tool0;", "only known to the controller"),
        ("IF di1=1 THEN\nMoveL p0,v100,fine,tool0;\nENDIF", "5: whether this is run cannot be known"),
        ("WHILE di1=1 DO\ntwice p0,1;\nENDWHILE", "5: whether this is run cannot be known"),
        (
            "IF di1=1 THEN\nn:=3;\nENDIF\nMoveL Offs(p0,n,0,0),v100,fine,tool0;",
            "8: whether 'n' was set cannot be known",
        ),
        ("IF di1=1 RETURN;\nMoveL p0,v100,fine,tool0;", "5: whether this is run"),
        ("GOTO again;", "GOTO is not followed"),
        ("SingArea\\Wrist;\nMoveL p0,v100,fine,tool0;", "SingArea"),
        (
            "MoveL [[1,2,3],[1,0,0,0],[0,0,0,0],[100,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;",
            "external axes are moved",
        ),
        (
            "MoveL [[1,2,3],[1,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;",
            "4 numbers are wanted",
        ),
        (
            "MoveL [[1,2,3],[0,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;",
            "quaternion has length 0",
        ),
        ("MoveL p0,v100,z99,tool0;", "the zone is not known"),
        ("MoveL p0 v100,fine,tool0;", "';' is missing"),
        ("MoveL p0,v100;", "the zone is missing"),
        ("FOR i FROM 1 TO x DO\nMoveL p0,v100,fine,tool0;\nENDFOR", "how often is not known"),
        ("twice p0,1/0;", "a number is not finite"),
        ("main;", "calls are too deep"),
        ("MoveL\\Corr,p0,v100,fine,tool0;", "\\corr changes the motion"),
        ("PDispOn p0,p0,tool0;", "'pdispon' is not known"),
        ("n:=MyFunc(3);", "'myfunc' is not known, and could move"),
    ] {
        let program = good(Language::Rapid, &rapid(body));
        let told = notes(&program, true);
        assert!(told.iter().any(|note| note.contains(expected)), "{body}: {:?}", program.notes);
        let cell = builtin::cell();
        let arm = ControlArm::new(&cell, None, Profile::of(Language::Rapid)).expect("an arm");
        assert!(resolve(&program, &arm, &ResolveOptions::default()).is_err(), "{body}");
    }
}

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
        (Language::Rapid, "MODULE m\nENDMODULE", "no procedure"),
        (Language::Rapid, "MODULE m\nPROC a()\nENDPROC\nPROC b()\nENDPROC\nENDMODULE", "--entry"),
        (
            Language::Rapid,
            "MODULE m\nPROC main()\nIF TRUE THEN\nENDPROC\nENDMODULE",
            "ENDIF of line 3 is missing before ENDPROC",
        ),
        (Language::Krl, "DEF a( )\nPTP {A1 0}\n", "line 3, column 1: the file ends before END of line 1"),
        (Language::Krl, "PTP {A1 0}", "stands before DEF"),
        (Language::Krl, "", "no DEF"),
        (Language::UrScript, "def a():\n movej([0,0,0,0,0,0])\n", "the file ends before the 'end' of line 1"),
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
    let text = "DEF a( )\nLIN XP1\nGOTO x\nsub()\n$ORI_TYPE=#CONSTANT\nLIN {X 1,Y 2,Z 3,A 0,B 0,C 0}\nPTP HOME\nSPLINE\nEND\n";
    let told = notes(&good(Language::Krl, text), true);
    for expected in [
        "2: 'xp1' is not known",
        "3: GOTO is not followed",
        "4: 'sub' is not in this file",
        "6: $ORI_TYPE is not #VAR",
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

#[test]
fn urscript_is_run() {
    let check = |text: &str, expected: &[[i64; 3]]| {
        let program = good(Language::UrScript, text);
        assert_eq!(places(&program), expected, "{text}\n{:?}", program.notes);
        assert!(notes(&program, true).is_empty(), "{text}\n{:?}", program.notes);
    };
    check("movel(p[0.1,0.2,0.3,0,0,0], a=1.2, v=0.1, r=0.001)\n", &[[100, 200, 300]]);
    check(
        "def f():\n  i = 0\n  while i < 2:\n    i = i + 1\n    movel(p[0.1*i,0,0,0,0,0],1.2,0.1)\n  end\nend\n",
        &[[100, 0, 0], [200, 0, 0]],
    );
    check(
        "def up(p1, by):\n  return pose_trans(p1, p[0,0,by,0,0,0])\nend\ndef f():\n  global a = p[0.1,0,0,0,3.14159265358979,0]\n  if True:\n    movel(up(a, 0.01))\n  else:\n    movel(a)\n  end\n  movej([d2r(90),0,0,0,0,0])\nend\nf()\n",
        &[[100, 0, -10], [90, 0, 0]],
    );
    let text = "set_tcp(p[0,0,0.1,0,0,0])\nmovec(p[0.1,0,0,0,0,0], p[0.2,0.1,0,0,0,0], v=0.2, r=0.01)\n";
    let program = good(Language::UrScript, text);
    assert_eq!(program.moves[0].zone, Zone::Radius(0.01));
    assert_eq!(program.moves[0].tool.at.map(|at| at.translation()), Some(DVec3::new(0.0, 0.0, 0.1)));
    let text = "servoj([0,0,0,0,0,0])\nx = get_actual_tcp_pose()\nmovel(x)\nif get_digital_in(0):\n movel(p[1,1,1,0,0,0])\nend\nrtde_thing()\n";
    let told = notes(&good(Language::UrScript, text), true);
    for expected in
        ["1: 'servoj'", "3: what 'get_actual_tcp_pose' gives", "4: whether this is run", "7: 'rtde_thing'"]
    {
        assert!(told.iter().any(|note| note.contains(expected)), "{expected}: {told:?}");
    }
}

#[test]
fn fanuc_and_yaskawa_say_what_they_do_not_understand() {
    let positions = "/POS\nP[1:\"home\"]{\n GP1:\n UF : 0, UT : 9,\n J1= 1.000 deg, J2= 2.000 deg, J3= 3.000 deg,\n J4= 0.000 deg, J5= 0.000 deg, J6= 0.000 deg\n};\nP[2]{\n GP1:\n UF : 0, UT : 9, CONFIG : 'F D B, -1, 0, 1',\n X = 1 mm, Y = 2 mm, Z = 3 mm,\n W = 0 deg, P = 0 deg, R = 0 deg\n};\n/END\n";
    let program = good(
        Language::Fanuc,
        &format!(
            "/PROG A\n/ATTR\n/MN\n 1:  PR[9,1]=(-30) ;\n 2:  PR[9,2]=0 ;\n 3:  PR[9,3]=40 ;\n 4:  PR[9,4]=0 ;\n 5:  PR[9,5]=0 ;\n 6:  PR[9,6]=0 ;\n 7:  UTOOL[9]=PR[9] ;\n 8:J P[1:home] 2% FINE ;\n 9:L P[2] 100mm/sec CNT50 ACC80 ;\n{positions}"
        ),
    );
    assert!(program.notes.is_empty(), "{:?}", program.notes);
    assert_eq!(places(&program), [[1, 2, 3], [1, 2, 3]]);
    assert_eq!(program.moves[1].tool.at.map(|at| at.translation()), Some(DVec3::new(-0.03, 0.0, 0.04)));
    assert_eq!((program.moves[1].speed, program.moves[1].zone), (Speed::Tip(0.1), Zone::Smooth(0.5)));
    let Target::Pose(_, config) = &program.moves[1].to else { panic!("a pose") };
    assert_eq!(*config, Config::Fanuc { flip: true, up: false, front: false, turns: [-1, 0, 1] });
    let told = notes(
        &good(
            Language::Fanuc,
            &format!(
                "/PROG A\n/MN\n1:J P[7] 2% FINE ;\n2:  CALL SUB ;\n3:  IF R[1]=1,JMP LBL[1] ;\n4:L PR[1] 100mm/sec FINE ;\n5:L P[2] 100mm/sec FINE Offset,PR[3] ;\n6:  UTOOL_NUM=3 ;\n7:L P[2] 9mm/sec FINE ;\n8:  WAIT  0.50(sec) ;\n{positions}"
            ),
        ),
        true,
    );
    for expected in [
        "3: there is no position P[7]",
        "4: 'SUB' is not in this file",
        "5: branches are not followed",
        "6: positions in registers",
        "7: 'Offset,PR[3]'",
        "9: tool 3 is chosen",
    ] {
        assert!(told.iter().any(|note| note.contains(expected)), "{expected}: {told:?}");
    }
    let jbi = |more: &str| {
        format!(
            "/JOB\n//NAME A\n//POS\n///NPOS 1,0,0,0,0,0\n///TOOL 9\n///POSTYPE PULSE\n///PULSE\nC00000=0,-4474,0,0,0,0\n//INST\nNOP\n{more}END\n"
        )
    };
    let told = notes(
        &good(
            Language::Jbi,
            &jbi(
                "MOVJ C00000 VJ=50.00\nCALL JOB:X\nJUMP *A\nMOVC C00000 V=10.0\nMOVL C00009 V=10.0\nWEAVE X\n",
            ),
        ),
        true,
    );
    for expected in [
        "11: how many pulses a degree has",
        "12: 'X' is not in this file",
        "13: jumps",
        "14: ",
        "15: there is no position C00009",
        "16: 'WEAVE' is not known",
    ] {
        assert!(told.iter().any(|note| note.starts_with(expected)), "{expected}: {told:?}");
    }
    let profile =
        Profile::parse("language = \"jbi\"\npulses_per_degree = [1000, -1000, 1, 1, 1, 1]\n").expect("good");
    let found = parse(jbi("MOVJ C00000 VJ=50.00 PL=0\n").as_bytes(), None, Language::Jbi, &profile, None)
        .expect("good");
    let Target::Joints(joints) = &found.moves[0].to else { panic!("joints") };
    assert!((joints[1].to_degrees() - 4.474).abs() < 1e-12);
}

/// Configurations by hand, of an arm whose upper arm stands upright and whose forearm points forward at zero.
#[test]
fn configurations_by_hand() {
    let cell = builtin::cell();
    let degrees = |q: [f64; 6]| q.map(f64::to_radians);
    for (language, q, expected) in [
        // In front, forearm bent forward, axis 5 positive.
        (Language::Rapid, [10.0, 0.0, 0.0, 100.0, 30.0, -100.0], "[0,1,-2,0]"),
        (Language::Rapid, [-10.0, 0.0, 0.0, -1.0, -30.0, 350.0], "[-1,-1,3,1]"),
        // The upper arm leans back by 90 degrees and the forearm points up: the wrist is behind axis 1.
        (Language::Rapid, [10.0, -90.0, 0.0, 0.0, 30.0, 0.0], "[0,0,0,4]"),
        // The forearm is folded back beyond the upper arm.
        (Language::Rapid, [10.0, 60.0, -160.0, 0.0, -30.0, 0.0], "[0,0,0,3]"),
        (Language::Krl, [10.0, -5.0, 0.0, 100.0, 30.0, -100.0], "S 2, T 34"),
        (Language::Krl, [-10.0, -90.0, 0.0, 0.0, -30.0, 0.0], "S 7, T 19"),
        (Language::Krl, [10.0, 60.0, -160.0, 0.0, -30.0, 0.0], "S 4, T 20"),
        (Language::Fanuc, [10.0, 0.0, 0.0, 100.0, -30.0, -190.0], "'N U T, 0, 0, -1'"),
        (Language::Fanuc, [10.0, -90.0, 0.0, 181.0, 30.0, 0.0], "'F U B, 0, 1, 0'"),
        (Language::Fanuc, [10.0, 60.0, -160.0, 0.0, -30.0, 0.0], "'N D T, 0, 0, 0'"),
        (Language::Jbi, [10.0, 0.0, 0.0, 100.0, 30.0, -190.0], "1,0,0,0,1,0,0,0"),
        (Language::Jbi, [10.0, 60.0, -160.0, 0.0, -30.0, 0.0], "0,1,0,0,0,0,0,0"),
        (Language::UrScript, [10.0, 0.0, 0.0, 100.0, 30.0, -100.0], "nothing"),
    ] {
        let arm = ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
        let posture = degrees(q);
        let config = Config::of(&arm, &posture);
        assert_eq!(config.to_string(), expected, "{language:?} {q:?}");
        assert!(config.holds(&arm, &posture));
    }
    // FANUC's axis 3 is measured from the ground.
    let arm = ControlArm::new(&cell, None, Profile::of(Language::Fanuc)).expect("an arm");
    let axes = arm.to_controller(&degrees([0.0, 20.0, 5.0, 0.0, 0.0, 0.0]));
    assert!((axes[2].to_degrees() + 15.0).abs() < 1e-12);
    let back = arm.from_controller(&axes, &cell.zero_posture());
    assert!((back[2].to_degrees() - 5.0).abs() < 1e-12);
}

/// Every posture is found again by its pose and its configuration.
#[test]
fn configurations_name_one_posture() {
    let cell = builtin::cell();
    let mut seed = 7u64;
    for language in Language::ALL.into_iter().filter(|language| *language != Language::UrScript) {
        let arm = ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
        for _ in 0..300 {
            let posture: Vec<f64> = cell
                .coordinates()
                .iter()
                .map(|coordinate| {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let u = (seed >> 11) as f64 / (1u64 << 53) as f64;
                    let limits = coordinate.limits.expect("limits");
                    limits.lower + u * (limits.upper - limits.lower)
                })
                .collect();
            let flange = arm.world_from_flange(&posture);
            let config = Config::of(&arm, &posture);
            // Near a border two postures have the same name.
            let far =
                posture.iter().all(|q| [0.0, 0.5, 1.0, 1.5].iter().all(|k| (q.abs() - k * PI).abs() > 0.01));
            if !far {
                continue;
            }
            let found = arm.reached(&flange, config, &cell.zero_posture(), false).expect("reached");
            let off = found.iter().zip(&posture).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6, "{language:?} {posture:?} {found:?} {config}");
            // Another configuration is another posture, or none.
            if let Config::Abb([a, b, c, d]) = config {
                let other = arm.reached(&flange, Config::Abb([a, b, c, d ^ 1]), &cell.zero_posture(), false);
                assert!(other.is_err() || other.is_ok_and(|other| (other[4] - posture[4]).abs() > 1e-3));
            }
        }
    }
}

/// What a written program says when it is read again.
fn read_again(language: Language, files: &[(String, Vec<u8>)], profile: &Profile) -> RobotProgram {
    let find =
        |end: &str| files.iter().find(|(name, _)| name.ends_with(end)).map(|(_, bytes)| bytes.as_slice());
    let main = find(&format!(".{}", language.ending())).expect("a program");
    let found = parse(main, find(".dat"), language, profile, None);
    found.unwrap_or_else(|faults| panic!("{faults:?}\n{}", String::from_utf8_lossy(main)))
}

/// Writes moves, reads them again and compares postures, kinds, speeds and zones to print precision.
fn round_trip(
    cell: &Cell,
    profile: &Profile,
    moves: &[OutMove],
    poses: bool,
    base_from_work: Pose,
) -> Result<(), TestCaseError> {
    let language = profile.language;
    let arm = ControlArm::new(cell, None, profile.clone()).expect("an arm");
    let mut options = WriteOptions::new("round", &arm);
    options.poses = poses;
    options.base_from_work = base_from_work;
    options.work = "3".into();
    let profile = Profile {
        work: vec![("3".into(), base_from_work)],
        tools: vec![("1".into(), options.flange_from_tip)],
        ..profile.clone()
    };
    let files = written(&arm, moves, &options).expect("written").files;
    let program = read_again(language, &files, &profile);
    prop_assert!(program.notes.iter().all(|note| !note.moves), "{:?}", program.notes);
    prop_assert_eq!(program.moves.len(), moves.len());
    let mut near = cell.zero_posture();
    for (out, back) in moves.iter().zip(&program.moves) {
        let kind = match out.kind {
            OutKind::Joint => back.kind == MotionKind::Joint,
            OutKind::Linear => back.kind == MotionKind::Linear,
            OutKind::Circular(_) => matches!(back.kind, MotionKind::Circular(_)),
        };
        prop_assert!(kind, "{:?} {:?}", out.kind, back.kind);
        let posture = match &back.to {
            Target::Joints(axes) => arm.from_controller(axes, &near),
            Target::Pose(pose, config) => {
                let tool = back.tool.at.expect("the tool is in the file");
                let work = back.work.at.expect("the work object is in the file");
                let flange = arm.world_from_base() * work * *pose * tool.inverse();
                let wanted = arm.world_from_flange(&out.posture);
                for (a, b) in flange.to_rows().iter().zip(wanted.to_rows()) {
                    // Tenths of micrometres and ten-thousandths of degrees, with a tool half a metre long.
                    prop_assert!((a - b).abs() < 5e-6, "{flange:?} {wanted:?}");
                }
                let near = if language == Language::UrScript { &out.posture } else { &near };
                // Lines of URScript go on as they are.
                match arm.reached(&flange, *config, near, language == Language::UrScript) {
                    Ok(posture) => posture,
                    Err(what) => return Err(TestCaseError::fail(what)),
                }
            }
        };
        let axes_off = posture.iter().zip(&out.posture).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Near singularities digits of a pose leave much open; postures that are far from them are drawn.
        prop_assert!(axes_off < 2e-3, "{axes_off} {posture:?} {:?} {:?}", out.posture, back.to);
        if let (Speed::Tip(a), Speed::Tip(b)) = (out.speed, back.speed) {
            prop_assert!((a - b).abs() < 1e-4 || out.kind == OutKind::Joint, "{a} {b}");
        }
        match (out.zone, back.zone) {
            (Zone::Radius(a), Zone::Radius(b)) => prop_assert!((a - b).abs() < 1e-6),
            (Zone::Fine, back) => prop_assert_eq!(back, Zone::Fine),
            (Zone::Radius(_), Zone::Fine) => {}
            other => prop_assert!(false, "{:?}", other),
        }
        near = posture;
    }
    Ok(())
}

/// A posture by fractions of the limits, with elbow and wrist away from their singularities.
fn posture_of(cell: &Cell, u: [f64; 6]) -> Vec<f64> {
    let coordinates = cell.coordinates();
    let mut posture: Vec<f64> = (0..6)
        .map(|k| {
            let (lower, upper) = coordinates[k]
                .limits
                .map_or((-PI, PI), |limits| (limits.lower.max(-2.0 * PI), limits.upper.min(2.0 * PI)));
            lower + (0.02 + 0.96 * u[k]) * (upper - lower)
        })
        .collect();
    // Nothing names whole turns of the second, the third and the fifth axis.
    for k in [1, 2, 4] {
        posture[k] = posture[k].clamp(-3.1, 3.1);
    }
    if posture[4].abs() < 0.3 {
        posture[4] = if posture[4] < 0.0 { -0.3 } else { 0.3 };
    }
    posture
}

fn a_move(cell: &Cell) -> impl Strategy<Value = OutMove> + use<> {
    let cell = cell.clone();
    (prop::array::uniform6(0.0..1.0f64), 0..3u8, 1..400u32, 0..3u8).prop_map(move |(u, kind, speed, zone)| {
        let posture = posture_of(&cell, u);
        let kind = match kind {
            0 => OutKind::Joint,
            1 => OutKind::Linear,
            _ => OutKind::Circular(Pose::from_translation(DVec3::new(u[0], u[1], u[2]))),
        };
        let zone = match zone {
            0 => Zone::Fine,
            1 => Zone::Radius(0.005),
            _ => Zone::Radius(0.0012),
        };
        OutMove { kind, posture, speed: Speed::Tip(f64::from(speed) * 1e-3), zone }
    })
}

/// Arms whose kinematics leave digits enough: none of the measures of nearness to a singularity is small.
fn is_regular(cell: &Cell, moves: &[OutMove]) -> bool {
    use kansho_cell::ik::{Ik, IkOptions, Tip};
    let Some(tip) = cell.robots().first().and_then(|robot| {
        Tip::tool(cell, &robot.name).or_else(|| Tip::link(cell, &format!("{}/tool0", robot.name)))
    }) else {
        return false;
    };
    let Ok(ik) = Ik::new(cell, &tip, &IkOptions::default()) else { return false };
    moves.iter().all(|one| ik.branch(&ik.values_in(&one.posture)).1.least() > 0.05)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Out and in again: the same targets to print precision, in every language, joints or poses, with and without a work object.
    #[test]
    fn round_trips(moves in prop::collection::vec(a_move(&builtin::cell()), 1..8), poses in any::<bool>(), shifted in any::<bool>(), pulses in any::<bool>()) {
        let cell = builtin::cell();
        prop_assume!(is_regular(&cell, &moves));
        let work = if shifted { Pose::from_rpy(DVec3::new(0.7, -0.2, 0.4), DVec3::new(0.1, -0.2, 2.0)) } else { Pose::IDENTITY };
        for language in Language::ALL {
            let mut profile = Profile::of(language);
            if pulses {
                profile.pulses_per_degree = Some([1344.0, -1000.0, 1200.5, 950.0, 980.0, -455.0]);
                profile.signs = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0];
                // KUKA's turns are told apart only where axes stay within a whole turn of zero.
                if language != Language::Krl {
                    profile.offsets = [0.1, -0.2, 0.3, -0.1, 0.0, 0.2];
                }
            }
            let moves: Vec<OutMove> = moves
                .iter()
                .map(|one| match (language, one.kind) {
                    // Circles are not written as jobs.
                    (Language::Jbi, OutKind::Circular(_)) => OutMove { kind: OutKind::Linear, ..one.clone() },
                    _ => one.clone(),
                })
                .collect();
            round_trip(&cell, &profile, &moves, poses, work)?;
        }
    }
}

/// The same with real robots, where there are files of them.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test tells why")]
fn round_trips_with_real_robots() {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        eprintln!("skipped: KANSHO_DATA is not set");
        return;
    };
    let data = std::path::PathBuf::from(data).join("data");
    let robots = [
        ("robots/abb_irb2400_support/urdf/irb2400.urdf", Language::Rapid),
        ("robots/kuka_kr6_support/urdf/kr6r900sixx.urdf", Language::Krl),
        ("robots/fanuc_m10ia_support/urdf/m10ia.urdf", Language::Fanuc),
        ("windshield/robot/fanuc_m20ia_support/urdf/m20ia.urdf", Language::Fanuc),
        ("robots/motoman_ma2010_support/urdf/ma2010.urdf", Language::Jbi),
        ("robots/ur_description/urdf/ur5e.urdf", Language::UrScript),
    ];
    let mut tried = 0;
    for (file, language) in robots {
        let folder = tempfile::tempdir().expect("a folder");
        let cell_file = folder.path().join("cell.toml");
        let urdf = data.join(file);
        if !urdf.is_file() {
            eprintln!("skipped: there is no {file}");
            continue;
        }
        let text = format!(
            "[[robot]]\nname = \"arm\"\nurdf = \"{}\"\npackages = [\"{}\"]\n",
            urdf.display(),
            data.join("robots").display()
        );
        std::fs::write(&cell_file, text).expect("written");
        let loaded = crate::cell::read(&cell_file, &crate::cell::CellOptions::default()).expect("a cell");
        let cell = loaded.cell;
        if cell.coordinates().len() != 6 {
            eprintln!("skipped: {file} has {} joints", cell.coordinates().len());
            continue;
        }
        tried += 1;
        let mut runner =
            proptest::test_runner::TestRunner::new(ProptestConfig { cases: 60, ..ProptestConfig::default() });
        let strategy = (prop::collection::vec(a_move(&cell), 1..5), any::<bool>());
        let run = runner.run(&strategy, |(moves, poses)| {
            prop_assume!(is_regular(&cell, &moves));
            let moves: Vec<OutMove> = moves
                .iter()
                .map(|one| {
                    if language == Language::Jbi {
                        OutMove {
                            kind: if one.kind == OutKind::Joint { OutKind::Joint } else { OutKind::Linear },
                            ..one.clone()
                        }
                    } else {
                        one.clone()
                    }
                })
                .collect();
            round_trip(&cell, &Profile::of(language), &moves, poses, Pose::IDENTITY)
        });
        if let Err(error) = run {
            panic!("{file}: {error}");
        }
    }
    assert!(tried >= 4, "only {tried} robots were found");
}

#[test]
fn long_programs_are_divided() {
    let cell = builtin::cell();
    let home = builtin::home();
    let moves: Vec<OutMove> = (0..7)
        .map(|k| {
            let mut posture = home.clone();
            posture[0] += 0.01 * f64::from(k);
            OutMove {
                kind: if k == 0 { OutKind::Joint } else { OutKind::Linear },
                posture,
                speed: Speed::Tip(0.1),
                zone: Zone::Radius(0.001),
            }
        })
        .collect();
    for language in Language::ALL {
        let profile = Profile { split: super::Split { max_points: Some(3) }, ..Profile::of(language) };
        let arm = ControlArm::new(&cell, None, profile.clone()).expect("an arm");
        let files = written(&arm, &moves, &WriteOptions::new("long name!", &arm)).expect("written").files;
        let end = format!(".{}", language.ending());
        let names: Vec<&str> =
            files.iter().map(|(name, _)| name.as_str()).filter(|name| name.ends_with(&end)).collect();
        assert_eq!(names.len(), 4, "three parts and one that calls them: {names:?}");
        let mut all: Vec<String> = Vec::new();
        for part in &names[..3] {
            let stem = part.strip_suffix(&end).expect("it ends so");
            let own: Vec<(String, Vec<u8>)> =
                files.iter().filter(|(name, _)| name.starts_with(&format!("{stem}."))).cloned().collect();
            let program = read_again(language, &own, &profile);
            assert!(program.moves.len() <= 3 && program.moves[0].kind == MotionKind::Joint);
            assert_eq!(
                program.moves.last().map(|one| one.zone),
                Some(if part == &names[2] { program.moves.last().expect("some").zone } else { Zone::Fine })
            );
            // Each begins where the one before ended.
            let skip = usize::from(!all.is_empty());
            all.extend(program.moves[skip..].iter().map(|one| format!("{:?}", one.kind)));
        }
        assert_eq!(all.len(), moves.len(), "{language:?}");
    }
}

/// The sample of the notes on formats: joint values of an M-20iA, the pose that they give in three notations, and what is said of them. The
/// flag of the wrist follows what pendants show: with axis 5 positive it is flipped.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test tells why")]
fn a_pose_of_a_real_robot() {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        eprintln!("skipped: KANSHO_DATA is not set");
        return;
    };
    let file = std::path::PathBuf::from(data).join("data/windshield/M/cell.toml");
    let cell = crate::cell::read(&file, &crate::cell::CellOptions::default()).expect("a cell").cell;
    let posture = [16.4368, 10.9013, -29.5914, 63.0155, 79.1079, -228.7275].map(f64::to_radians);
    let of = |language: Language| ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
    for (language, expected) in [(Language::Rapid, "[0,0,-3,0]"), (Language::Fanuc, "'F U T, 0, 0, -1'")] {
        assert_eq!(Config::of(&of(language), &posture).to_string(), expected);
    }
    // The world of FANUC is at the height of axis 2, 525 mm over the floor.
    let arm = of(Language::Fanuc);
    let tool = arm.flange_from_tool().expect("a tool");
    let pose = arm.world_from_base().inverse() * arm.world_from_flange(&posture) * tool;
    let wanted = super::value::fixed_angles_pose([1100.0, 633.597, 395.662], [174.750, 27.427, -101.282])
        .expect("good");
    for (a, b) in pose.to_rows().iter().zip(wanted.to_rows()) {
        assert!((a - b).abs() < 1.5e-5, "{pose:?} {wanted:?}");
    }
    let axis_3 = arm.to_controller(&posture)[2].to_degrees();
    assert!((axis_3 - (-29.5914 - 10.9013)).abs() < 1e-9);
}
