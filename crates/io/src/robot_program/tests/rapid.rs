//! RAPID by hand, with answers by hand.

use super::{good, notes, places};
use crate::robot_program::resolve::{ResolveOptions, resolve};
use crate::robot_program::{Config, ControlArm, Language, MotionKind, Profile, Speed, Target, Zone};
use kansho_cell::builtin;
use kansho_geom::glam::DVec3;

pub(super) fn rapid(body: &str) -> String {
    format!(
        "MODULE m\n  CONST robtarget p0:=[[100,200,300],[1,0,0,0],[0,-1,2,3],[9E9,9E9,9E9,9E9,9E9,9E9]];\n  VAR num n:=2;\n  PROC main()\n{body}\n  ENDPROC\n  PROC twice(robtarget where, num up)\n    MoveL where,v100,z10,tool0;\n    MoveL Offs(where,0,0,up),v100,fine,tool0;\n  ENDPROC\nENDMODULE\n"
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
    // An endless loop is as its second round, up to where the robot stands as it did.
    check("WHILE TRUE DO\nMoveL p0,v100,fine,tool0;\nENDWHILE", &[[100, 200, 300]]);
    check(
        "WHILE TRUE DO\nMoveL p0,v100,fine,tool0;\nMoveL Offs(p0,1,0,0),v100,fine,tool0;\nENDWHILE",
        &[[100, 200, 300], [101, 200, 300], [100, 200, 300]],
    );
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
        ("SearchL\\Stop,di1,p9,p0,v100,tool0;", "5: a search with \\Stop or \\SStop may leave its way"),
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
    // An external axis that the cell does not have: told when the robot is known.
    let body = "MoveL [[1,2,3],[1,0,0,0],[0,0,0,0],[100,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;";
    let program = good(Language::Rapid, &rapid(body));
    let cell = builtin::cell();
    let arm = ControlArm::new(&cell, None, Profile::of(Language::Rapid)).expect("an arm");
    let told = resolve(&program, &arm, &ResolveOptions::default()).expect_err("there is no such axis");
    assert!(told[0].what.contains("the cell holds no such axis"), "{told:?}");
}
