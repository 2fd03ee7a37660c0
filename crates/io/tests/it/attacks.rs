//! Programs that would move the robot otherwise than a careless reader thinks. Each is refused with its line, or understood as it is meant.

use kansho_cell::builtin;
use kansho_io::robot_program::resolve::{ResolveOptions, Resolved, resolve};
use kansho_io::robot_program::{ControlArm, Language, Note, Profile, RobotProgram, Run, Target, parse};

fn read(language: Language, text: &str) -> Result<RobotProgram, String> {
    let found = parse(text.as_bytes(), None, language, &Profile::of(language), Run::ONCE);
    found.map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// Whatever keeps a program from being checked, with lines.
fn refusals(language: Language, text: &str) -> String {
    match read(language, text) {
        Err(what) => what,
        Ok(program) => {
            let told = |note: &Note| format!("{}: {}", note.line, note.what);
            program.notes.iter().filter(|note| note.moves).map(told).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Places of all targets in millimetres, or the first three axes in degrees, rounded.
fn places(language: Language, text: &str) -> Vec<[i64; 3]> {
    let program = read(language, text).unwrap_or_else(|what| panic!("{what}\n{text}"));
    let moving: Vec<&Note> = program.notes.iter().filter(|note| note.moves).collect();
    assert!(moving.is_empty(), "{text}\n{moving:?}");
    let place = |to: &Target| match to {
        Target::Pose(pose, _) => (pose.translation() * 1e3).to_array().map(|mm| mm.round() as i64),
        Target::Joints(axes) => [0, 1, 2].map(|k| axes[k].to_degrees().round() as i64),
    };
    program.moves.iter().map(|one| place(&one.to)).collect()
}

fn check_refused(language: Language, text: &str, expected: &str) {
    let told = refusals(language, text);
    assert!(
        told.lines().any(|line| line.contains(expected)),
        "{text}\nis to be refused with '{expected}', and is told\n{told}"
    );
}

fn resolved(language: Language, text: &str) -> Result<Resolved, String> {
    let cell = builtin::cell();
    let arm = ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
    let program = read(language, text)?;
    resolve(&program, &arm, &ResolveOptions::default()).map_err(|notes| {
        notes.iter().map(|note| format!("{}: {}", note.line, note.what)).collect::<Vec<_>>().join("\n")
    })
}

/// The body begins in line 6.
fn rapid(body: &str, more: &str) -> String {
    format!(
        "MODULE m\nCONST robtarget p0:=[[100,200,300],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\nVAR num n:=0;\nPERS tooldata t:=[TRUE,[[0,0,100],[1,0,0,0]],[1,[0,0,1],[1,0,0,0],0,0,0]];\nPROC main()\n{body}\nENDPROC\n{more}\nENDMODULE\n"
    )
}

const MOVE: &str = "MoveL p0,v100,fine,t;\n";

#[test]
fn rapid_is_not_guessed() {
    let mover = "TRAP tr\nMoveL p0,v100,fine,t;\nENDTRAP";
    let recursive = "FUNC num f(num x)\nMoveL p0,v100,fine,t;\nRETURN f(x+1);\nENDFUNC";
    let setter = "FUNC num f()\nn:=5;\nRETURN 1;\nENDFUNC";
    let record = "RECORD rec\nnum y;\nnum x;\nENDRECORD\nVAR rec a:=[1,2];";
    for (body, more, expected) in [
        ("IF di1=1 THEN\nConfL\\Off;\nENDIF", "", "6: whether this is run cannot be known"),
        ("IF di1=1 THEN\nSingArea\\Wrist;\nENDIF", "", "6: whether this is run cannot be known"),
        ("IF di1=1 THEN\nt.tframe.trans.z:=300;\nENDIF", "", "9: whether 't' was set cannot be known"),
        ("CONNECT i WITH tr;", mover, "6: 'tr' is run whenever something happens, and could move the robot"),
        (
            "CONNECT i WITH tr;\nMoveL Offs(p0,n,0,0),v100,fine,t;",
            "TRAP tr\nn:=3;\nENDTRAP",
            "7: whether 'n' was set cannot be known",
        ),
        (
            "CONNECT i WITH other;",
            "",
            "6: 'other' is run whenever something happens, and could move the robot",
        ),
        (
            "MoveL p0,v100,fine,t;\nERROR\nMoveL p0,v100,fine,t;",
            "",
            "7: what is done after a fault could move the robot",
        ),
        ("IF MyFunc()=1 THEN\nSet do1;\nENDIF", "", "6: 'myfunc' is not known, and could move the robot"),
        ("WaitUntil MyFunc();", "", "6: 'myfunc' is not known, and could move the robot"),
        ("WHILE MyFunc() DO\nENDWHILE", "", "6: 'myfunc' is not known, and could move the robot"),
        ("WaitUntil f()=1;", setter, "6: what is called in this instruction is not followed"),
        ("n:=f(1);", recursive, "calls are too deep in each other"),
        (
            "IF di1=1 THEN\nSet do1;\nELSEIF f()=1 THEN\nENDIF\nMoveL Offs(p0,n,0,0),v100,fine,t;",
            setter,
            "10: whether 'n' was set",
        ),
        ("IF di1=1 THEN\nIncr n;\nENDIF\nMoveL Offs(p0,n,0,0),v100,fine,t;", "", "9: whether 'n' was set"),
        ("TPReadNum n,\"?\";\nMoveL Offs(p0,n,0,0),v100,fine,t;", "", "7: whether 'n' was set"),
        ("MoveLSync p0,v100,fine,t,\"x\";", "", "6: 'movelsync' is not known, and could move the robot"),
        ("SearchL\\Stop,di1,p0,p0,v100,t;", "", "6: a search with \\Stop or \\SStop may leave its way"),
        ("MoveExtJ j0,v100,fine;", "", "6: 'moveextj' is not known"),
        ("MoveAbsJ [[0,0,0,0,0,0],ext],v100,fine,t;", "", "6: whether external axes are moved is not known"),
        (
            "FOR i FROM 0 TO 1 STEP 0.1 DO\nSet do1;\nENDFOR",
            "",
            "6: how often this is run is left to the rounding",
        ),
        ("IF 0.1+0.2=0.3 THEN\nMoveL p0,v100,fine,t;\nENDIF", "", "6: whether this is run cannot be known"),
        ("MoveL Offs(p0,a.x,0,0),v100,fine,t;", record, "6: 'x' stands in different places"),
        ("%\"other\"%;", "", "6: '%' begins no statement"),
        ("CirPathMode\\CirPointOri;", "", "6: 'cirpathmode' is not known"),
        ("PDispSet x;", "", "6: 'pdispset' is not known"),
        ("EOffsSet x;", "", "6: 'eoffsset' is not known"),
        (
            "IF n=0 OR move_it() THEN\nENDIF",
            "FUNC bool move_it()\nMoveL p0,v100,fine,t;\nRETURN TRUE;\nENDFUNC",
            "6: whether a function that moves the robot is called",
        ),
    ] {
        check_refused(Language::Rapid, &rapid(&format!("{body}\n{MOVE}"), more), expected);
    }
}

#[test]
fn rapid_is_understood() {
    let last = "MoveL Offs(p0,n,0,0),v100,fine,t;";
    for (body, more, expected) in [
        ("Incr n;\nIncr n;\nDecr n;", "", 101),
        ("Add n,5;\nAdd n,-2;", "", 103),
        ("Incr n;\nClear n;", "", 100),
        ("put7 n;", "PROC put7(INOUT num x)\nx:=7;\nENDPROC", 107),
        ("put7 n;", "PROC put7(num x)\nx:=7;\nENDPROC", 100),
        ("n:=9;\nFOR n FROM 1 TO 2 DO\nSet do1;\nENDFOR", "", 109),
        ("CONNECT i WITH tr;", "TRAP tr\nSetDO do1,1;\nENDTRAP", 100),
        ("CONNECT i WITH tr;\nn:=2;", "TRAP tr\nIF di1=1 THEN\nSet do1;\nRETURN;\nENDIF\nENDTRAP", 102),
        ("FOR i FROM 0 TO 1 STEP 0.3 DO\nn:=n+1;\nENDFOR", "", 104),
        ("IF n=0.5 THEN\nn:=3;\nENDIF", "", 100),
        // NOT (n=1 AND n=2): it stands before the whole term.
        ("IF NOT n=1 AND n=2 THEN\nn:=3;\nENDIF", "", 103),
    ] {
        assert_eq!(
            places(Language::Rapid, &rapid(&format!("{body}\n{last}"), more)),
            [[expected, 200, 300]],
            "{body}"
        );
    }
    // A handler that only tries again moves nothing.
    assert_eq!(places(Language::Rapid, &rapid(&format!("{MOVE}ERROR\nWaitTime 1;\nRETRY;"), "")).len(), 1);
}

/// The body begins in line 5.
fn krl(body: &str, more: &str) -> String {
    format!("DEF a( )\nDECL INT i\n$TOOL=$NULLFRAME\n$BASE=$NULLFRAME\n{body}\nEND\n{more}\n")
}

#[test]
fn krl_is_not_guessed() {
    let line = "LIN {X 1,Y 2,Z 3,A 0,B 0,C 0}";
    let mover = format!("DEF mover( )\n{line}\nEND");
    let setter = "DEF setter( )\nIF $IN[1] THEN\n$TOOL={X 9,Y 0,Z 0,A 0,B 0,C 0}\nENDIF\nEND";
    for (body, more, expected) in [
        ("INTERRUPT DECL 3 WHEN $IN[1]==TRUE DO mover()".to_owned(), mover.as_str(), "5: 'mover' is run whenever something happens, and could move"),
        ("INTERRUPT DECL 3 WHEN $IN[1]==TRUE DO other()".into(), "", "5: 'other' is run whenever something happens, and could move"),
        ("TRIGGER WHEN DISTANCE=0 DELAY=0 DO mover() PRIO=-1".into(), &mover, "5: 'mover' is run whenever"),
        ("IF $IN[1] THEN\nBAS(#TOOL,2)\nENDIF".into(), "", "5: whether this is run cannot be known"),
        ("BAS(#EX_BASE,1)".into(), "", "5: what BAS does with #EX_BASE is not understood"),
        (format!("{line}\n$BASE={{X 9,Y 0,Z 0,A 0,B 0,C 0}}\nLIN_REL {{Z 10}}"), "", "7: what is not named stays as it is"),
        (format!("{line}\n$TOOL={{X 9,Y 0,Z 0,A 0,B 0,C 0}}\nLIN {{Z 10}}"), "", "7: what is not named stays as it is"),
        (format!("setter()\n{line}"), setter, "6: whether '$tool' was set cannot be known"),
        (format!("{line}\nLOOP\nLIN_REL {{Z 0.001}}\nENDLOOP"), "", "6: an endless loop whose rounds differ"),
        ("i=5/2\nLIN {X i*10,Y 2,Z 3,A 0,B 0,C 0}".into(), "", "6: whether what is left over of a division"),
        ("i=2.7\nLIN {X i*10,Y 2,Z 3,A 0,B 0,C 0}".into(), "", "6: 'i' holds whole numbers"),
        ("FOR i=1 TO 3\nHALT\nENDFOR\nLIN {X i,Y 2,Z 3,A 0,B 0,C 0}".into(), "", "8: what 'i' is after its loop is not known"),
        ("$IPO_MODE=#TCP\nPTP {X 1,Y 2,Z 3,A 0,B 0,C 0,S 2,T 2}".into(), "", "6: $IPO_MODE is not #BASE"),
        ("FDAT_ACT={TOOL_NO 0,BASE_NO 0,IPO_FRAME #BASE}\nLDAT_ACT={VEL 2,ACC 100,APO_DIST 5,ORI_TYP #CONSTANT}\nBAS(#CP_PARAMS,0.1)\nLIN {X 1,Y 2,Z 3,A 0,B 0,C 0}".into(), "", "8: $ORI_TYPE is not #VAR"),
        (format!("i=1\nIF i==1 AND i==2 THEN\n{line}\nENDIF"), "", "6: whether this is run cannot be known"),
        ("ANIN ON i=1*$ANIN[1]".into(), "", "5: a variable that follows an input"),
        (format!("{line}\nCIRC $POS_ACT,{{X 9,Y 2,Z 3,A 0,B 0,C 0}}"), "", "6: $POS_ACT changes while the program runs"),
        ("RESUME".into(), "", "5: RESUME is not followed"),
        ("SPTP XP1 WITH $VEL_AXIS[1]=3".into(), "", "5: "),
        ("SPLINE\nENDSPLINE".into(), "", "5: blocks of splines are not understood"),
        (format!("{line}\nCIRC {{X 1,Y 9,Z 3}},{{X 9,Y 2,Z 3,A 0,B 0,C 0}},CA 90"), "", "6: a circle by its angle"),
        ("PTP_REL {A1 5}".into(), "", "5: the axes that are not named"),
        ("$ACT=MYFUNC()".into(), "", "5: 'myfunc' is not known, and could move"),
    ] {
        check_refused(Language::Krl, &krl(&body, more), expected);
    }
}

#[test]
fn krl_is_understood() {
    let last = "LIN {X x,Y 2,Z 3,A 0,B 0,C 0}";
    for (body, more, expected) in [
        ("DECL REAL x\nx=1\nset5(x)", "DEF set5(y)\nREAL y\ny=5\nEND", 5),
        ("DECL REAL x\nx=1\nset5(x)", "DEF set5(y:IN)\nREAL y\ny=5\nEND", 1),
        ("DECL REAL x\nx=1\nset5(x)", "DEF set5(y:OUT)\nREAL y\ny=5\nEND", 5),
        ("DECL REAL x\nx=6/2", "", 3),
        ("DECL REAL x\nx=5.0/2.5", "", 2),
        ("INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO IR_STOPM ( )\nINTERRUPT ON 3\nDECL REAL x\nx=4", "", 4),
        ("DECL REAL x\nx=0\nREPEAT\nx=x+1\nUNTIL x>=3", "", 3),
    ] {
        assert_eq!(
            places(Language::Krl, &krl(&format!("{body}\n{last}"), more)),
            [[expected, 2, 3]],
            "{body}"
        );
    }
    // Lines of what is repeated are its own.
    let text = krl("i=0\nREPEAT\ni=i+1\nLIN {X 1,Y 2,Z 3,A 0,B 0,C 0}\nUNTIL i>=2", "");
    let lines: Vec<u32> =
        read(Language::Krl, &text).expect("good").moves.iter().map(|one| one.line).collect();
    assert_eq!(lines, [8, 8]);
}

#[test]
fn urscript_is_not_guessed() {
    for (text, expected) in [
        ("x = single_step()\n", "1: 'single_step' is not known, and could move"),
        ("x = get_part()\n", "1: 'get_part' is not known, and could move"),
        ("if to_home():\n  sync()\nend\n", "1: 'to_home' is not known, and could move"),
        ("movel(p[1,0,0,0,0,0], q_near=1)\n", "1: 'q_near' changes the motion"),
        ("movel(p[1/2,0,0,0,0,0])\n", "1: whether what is left over of a division"),
        (
            "if get_digital_in(0):\n  set_tcp(p[0,0,0.2,0,0,0])\nend\n",
            "1: whether this is run cannot be known",
        ),
        ("servoj([0,0,0,0,0,0])\n", "1: 'servoj' is not in this file, and could move"),
        ("speedj([0.1,0,0,0,0,0], 0.5, 1)\n", "1: 'speedj' is not in this file, and could move"),
        ("def f():\n  switch x:\n  end\nend\n", "line 2, column 3: 'switch' is not understood"),
        ("movej([0,0,0,0,0,0]) movej([1,0,0,0,0,0])\n", "1: 'movej' stands behind a statement"),
        ("thread t():\n  movej([0,0,0,0,0,0])\nend\n", "there are no statements in this file"),
        ("i = 0\nwhile True:\n  i = i + 1\n  break\nend\n", "4: 'break' is not followed"),
    ] {
        check_refused(Language::UrScript, text, expected);
    }
    for (text, expected) in [
        ("a = p[0.1,0.2,0.3,0,0,0]\na[2] = 0.5\nmovel(a)\n", [100, 200, 500]),
        (
            "def g():\n  global x = 0.4\nend\ndef f():\n  g()\n  movel(p[x,0,0,0,0,0])\nend\nf()\n",
            [400, 0, 0],
        ),
        (
            "def g():\n  x = 0.4\nend\ndef f():\n  global x = 0.1\n  g()\n  movel(p[x,0,0,0,0,0])\nend\nf()\n",
            [400, 0, 0],
        ),
        (
            "def g():\n  local x = 0.4\nend\ndef f():\n  global x = 0.1\n  g()\n  movel(p[x,0,0,0,0,0])\nend\nf()\n",
            [100, 0, 0],
        ),
    ] {
        assert_eq!(places(Language::UrScript, text), [expected], "{text}");
    }
}

/// Statements begin in line 3; each is a line.
fn fanuc(statements: &str, position: &str) -> String {
    let position = if position.is_empty() {
        "X = 1 mm, Y = 2 mm, Z = 3 mm, W = 0 deg, P = 0 deg, R = 0 deg"
    } else {
        position
    };
    let lines: String =
        statements.lines().enumerate().map(|(k, text)| format!("{}:{text} ;\n", k + 1)).collect();
    let of = |number: u32| {
        format!("P[{number}]{{\n GP1:\n UF : 0, UT : 1, CONFIG : 'N U T, 0, 0, 0',\n {position}\n}};\n")
    };
    format!("/PROG A\n/MN\n{lines}/POS\n{}{}/END\n", of(1), of(2).replace("X = 1 mm", "X = 9 mm"))
}

#[test]
fn fanuc_is_not_guessed() {
    for (statements, position, expected) in [
        ("WAIT DI[1]=ON TIMEOUT,LBL[1]\nLBL[1]", "", "3: branches are not followed"),
        ("$MNUTOOLNUM[1]=2", "", "3: '$MNUTOOLNUM[1]=2' is not known"),
        (
            "J P[1] 10% FINE",
            "J1= 1 deg, J2= 0 deg, J3= 0 deg, J4= 0 deg, J5= 0 deg, J6= 0 deg, J7= 5 deg",
            "3: J7 is moved",
        ),
        ("J P[1] 10% FINE INC", "", "3: 'INC' changes the motion"),
        ("L P[1] 10mm/sec FINE Skip,LBL[1]", "", "3: 'Skip,LBL[1]' changes the motion"),
        ("L P[1] 10mm/sec FINE Offset,PR[1]", "", "3: 'Offset,PR[1]' changes the motion"),
        ("L P[1] 10mm/sec FINE Wjnt", "", "3: 'Wjnt' changes the motion"),
        ("A P[1] 10mm/sec FINE", "", "3: 'A' is not known"),
        ("J P[R[1]] 10% FINE", "", "3: 'R[1' is no position"),
        ("OFFSET CONDITION PR[1]", "", "3: 'OFFSET' is not known"),
        ("IF DI[1]=ON,JMP LBL[1]\nLBL[1]", "", "3: branches are not followed"),
        ("R[1]=R[1]+1\nIF R[1]=2,JMP LBL[1]\nLBL[1]", "", "4: branches are not followed"),
        ("JMP LBL[7]", "", "3: there is no LBL[7]"),
        ("FOR R[1]=1 TO R[2]\nENDFOR", "", "3: loops are not followed"),
        ("UTOOL_NUM=R[5]", "", "3: which tool or frame is chosen is not known"),
        ("CALL SUB", "", "3: 'SUB' is not in this file"),
        ("LBL[1]\nR[1]=1\nIF R[1]=1,CALL SUB", "", "5: 'SUB' is not in this file"),
    ] {
        check_refused(Language::Fanuc, &fanuc(statements, position), expected);
    }
    let (a, b) = ([1, 2, 3], [9, 2, 3]);
    for (statements, expected) in [
        ("FOR R[1:n]=1 TO 3\nL P[1] 10mm/sec FINE\nENDFOR\nL P[2] 10mm/sec FINE", vec![a, a, a, b]),
        ("FOR R[1]=3 DOWNTO 2\nL P[1] 10mm/sec FINE\nENDFOR", vec![a, a]),
        ("FOR R[1]=3 TO 2\nL P[1] 10mm/sec FINE\nENDFOR\nL P[2] 10mm/sec FINE", vec![b]),
        (
            "R[1]=0\nLBL[1:top]\nL P[1] 10mm/sec FINE\nR[1]=R[1]+1\nIF R[1]<2,JMP LBL[1]\nL P[2] 10mm/sec FINE",
            vec![a, a, b],
        ),
        (
            "JMP LBL[2]\nL P[1] 10mm/sec FINE\nLBL[2]\nL P[2] 10mm/sec FINE\nEND\nL P[1] 10mm/sec FINE",
            vec![b],
        ),
        ("LBL[1]\nL P[1] 10mm/sec FINE\nL P[2] 10mm/sec FINE\nJMP LBL[1]", vec![a, b, a]),
        ("J @P[1] 10% FINE", vec![a]),
    ] {
        assert_eq!(places(Language::Fanuc, &fanuc(statements, "")), expected, "{statements}");
    }
}

/// Instructions begin in line 14.
fn jbi(instructions: &str) -> String {
    format!(
        "/JOB\n//NAME A\n//POS\n///NPOS 3,0,0,1,0,0\n///TOOL 0\n///POSTYPE BASE\n///RECTAN\n///RCONF 0,0,0,0,0,0,0,0\nC00000=1,2,3,0,0,0\nC00001=2,3,3,0,0,0\nC00002=3,2,3,0,0,0\nP00001=9,9,9,0,0,0\n//INST\n{instructions}\nEND\n"
    )
}

#[test]
fn yaskawa_is_not_guessed() {
    let sete = |five: &str| -> String {
        (1..=6).map(|k| format!("SETE P00095 ({k}) {}\n", if k == 5 { five } else { "0" })).collect()
    };
    for (instructions, expected) in [
        ("MOVJ P00001 VJ=50.00 PL=0".to_owned(), "14: what the variable P00001 holds is only known"),
        (
            format!("{}ADD P00095 P00001\nSETTOOL TL#(0) P00095", sete("0")),
            "21: what the tool is set to is not known",
        ),
        (format!("{}SETTOOL TL#(0) P00095", sete("-6000")), "20: how the controller counts angles"),
        ("IMOV P00001 V=10.0".into(), "14: 'IMOV' is not known"),
        ("SFTON P00001".into(), "14: 'SFTON' is not known"),
        ("CALL JOB:X".into(), "14: 'X' is not in this file"),
        ("JUMP *A IF IN#(1)=ON\n*A".into(), "14: jumps are not followed"),
        ("INC B000\nJUMP *A IF B000=1\n*A".into(), "15: jumps are not followed"),
        ("JUMP *B".into(), "14: there is no label *B"),
        (
            "MOVC C00000 V=10.0\nMOVC C00001 V=10.0\nMOVL C00002 V=10.0".into(),
            "16: a circle (MOVC) has three points",
        ),
        (
            "MOVC C00000 V=10.0\nMOVC C00001 V=10.0\nMOVC C00002 V=10.0\nMOVC C00001 V=10.0".into(),
            "17: a circle (MOVC) has three points",
        ),
        (
            "MOVC C00000 V=10.0\nMOVC C00001 V=10.0".into(),
            "16: the circle that begins in line 14 is left before its end",
        ),
        ("MOVL C00000 V=10.0 UNTIL IN#(1)=ON".into(), "14: 'UNTIL' changes the motion"),
        ("MOVL C00000 V=10.0 +MOVJ C00001".into(), "14: '+MOVJ' changes the motion"),
        ("MOVS C00000 V=10.0".into(), "14: 'MOVS' is not known"),
        ("PAUSE IF IN#(1)=ON".into(), "14: 'PAUSE' is not known"),
    ] {
        check_refused(Language::Jbi, &jbi(&instructions), expected);
    }
    let (a, b, c) = ([1, 2, 3], [2, 3, 3], [3, 2, 3]);
    for (instructions, expected) in [
        ("JUMP *A\nMOVL C00000 V=1\n*A\nMOVL C00001 V=1", vec![b]),
        (
            "SET B000 0\n*A\nMOVL C00000 V=1\nMOVL C00001 V=1\nINC B000\nJUMP *A IF B000<2\nMOVL C00002 V=1",
            vec![a, b, a, b, c],
        ),
        ("*A\nMOVL C00000 V=1\nMOVL C00001 V=1\nJUMP *A", vec![a, b, a, b]),
        (
            "MOVL C00000 V=1 PL=0\nMOVC C00000 V=1 PL=0\nMOVC C00001 V=1 PL=0\nMOVC C00002 V=1 PL=0\nMOVL C00000 V=1 PL=0",
            vec![a, b, c, a],
        ),
        ("MOVL C00002 V=1\nRET\nMOVL C00000 V=1", vec![c]),
    ] {
        assert_eq!(places(Language::Jbi, &jbi(instructions)), expected, "{instructions}");
    }
}

/// Near the home of the built-in arm.
fn near_home(moves: &str) -> String {
    format!(
        "MODULE m\nPERS tooldata g:=[TRUE,[[0,0,100],[1,0,0,0]],[1,[0,0,1],[1,0,0,0],0,0,0]];\nPROC main()\nConfL\\Off;\nMoveAbsJ [[0,-34.37747,14.89690,0,34.37747,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,g;\n{moves}\nENDPROC\nENDMODULE\n"
    )
}

fn at(xyz: [f64; 3], quat: &str) -> String {
    format!("[[{},{},{}],[{quat}],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]", xyz[0], xyz[1], xyz[2])
}

/// In a zone the tool may turn otherwise before the tip leaves its line: the larger of the two counts.
#[test]
fn zones_of_rotation_count() {
    let down = "0,0,1,0";
    let line = |x: f64, zone: &str| {
        format!("MoveL {},v100,{zone},g;\n", at([x, 100.0, 1400.0 - (x - 700.0).abs()], down))
    };
    for (zone, expected) in
        [("z10", 0.015), ("z1", 0.001), ("z10\\Z:=2", 0.015), ("[FALSE,2,40,40,4,40,4]", 0.04), ("fine", 0.0)]
    {
        let found = resolved(
            Language::Rapid,
            &near_home(&(line(650.0, "fine") + &line(700.0, zone) + &line(750.0, "fine"))),
        );
        let found = found.unwrap_or_else(|what| panic!("{zone}: {what}"));
        assert!((found.moves[1].zone - expected).abs() < 1e-12, "{zone}: {}", found.moves[1].zone);
    }
    // Beside a move in which the tool only turns, a zone of lengths says nothing.
    let turned = format!("MoveL {},v100,fine,g;\n", at([700.0, 100.0, 1400.0], "0,0.1,0.995,0"));
    let told = resolved(Language::Rapid, &near_home(&(line(650.0, "fine") + &line(700.0, "z10") + &turned)))
        .expect_err("refused");
    assert!(
        told.contains("7: the corner at this target is rounded, and before or after it the tool only turns"),
        "{told}"
    );
}

/// On circles of ABB the tool turns relative to the path, unless it is said otherwise.
#[test]
fn circles_turn_with_the_path() {
    let circle = |quat: &str, mode: &str| {
        let first = format!("{mode}MoveL {},v100,fine,g;\n", at([700.0, 0.0, 1300.0], "0,0,1,0"));
        let via = at([740.0, 50.0, 1300.0], "0,0,1,0");
        near_home(&format!("{first}MoveC {via},{},v100,fine,g;", at([700.0, 100.0, 1300.0], quat)))
    };
    assert!(resolved(Language::Rapid, &circle("0,0,1,0", "")).is_ok());
    let told = resolved(Language::Rapid, &circle("0,0.1,0.99,0.1", "")).expect_err("refused");
    assert!(told.contains("7: on this circle the tool turns relative to the path"), "{told}");
    assert!(resolved(Language::Rapid, &circle("0,0.1,0.99,0.1", "CirPathMode\\ObjectFrame;")).is_ok());
}

/// A position with `CNT0` is not reached exactly: only `FINE` is.
#[test]
fn cnt_is_never_a_stop() {
    let joints = "J1= 0 deg, J2= -34 deg, J3= 49 deg, J4= 0 deg, J5= 34 deg, J6= 0 deg";
    let told = resolved(Language::Fanuc, &fanuc("J P[1] 10% FINE\nJ P[1] 10% CNT0\nJ P[2] 10% FINE", joints))
        .expect_err("refused");
    assert!(told.contains("4: the corner at this target is rounded"), "{told}");
    assert!(
        resolved(Language::Fanuc, &fanuc("J P[1] 10% FINE\nJ P[1] 10% FINE\nJ P[2] 10% FINE", joints))
            .is_ok()
    );
}
