//! Programs of robot controllers: read, made a motion of an arm, written again in the same language, and read once more.

use super::small_arm::cell;
use crate::files::{joined, two};
use crate::{Target, told};
use kansho_io::robot_program::resolve::{ResolveOptions, resolve};
use kansho_io::robot_program::write::{OutKind, OutMove, WriteOptions, of_moves, program as written};
use kansho_io::robot_program::{
    ControlArm, Language, MotionKind, Profile, RobotProgram, Run, Speed, Target as To, Zone, notes_of, parse,
};

pub(super) fn all() -> Vec<Target> {
    vec![
        Target {
            name: "rapid",
            seeds: rapid_seeds,
            words: RAPID,
            run: |bytes| program(bytes, Language::Rapid),
        },
        Target { name: "krl", seeds: krl_seeds, words: KRL, run: |bytes| program(bytes, Language::Krl) },
        Target { name: "ls", seeds: ls_seeds, words: LS, run: |bytes| program(bytes, Language::Fanuc) },
        Target {
            name: "urscript",
            seeds: urscript_seeds,
            words: URSCRIPT,
            run: |bytes| program(bytes, Language::UrScript),
        },
        Target { name: "jbi", seeds: jbi_seeds, words: JBI, run: |bytes| program(bytes, Language::Jbi) },
    ]
}

/// Moves that are followed by inverse kinematics, at most: each line takes some time.
const FOLLOWED: usize = 8;

fn program(bytes: &[u8], language: Language) {
    let (text, data) = if language == Language::Krl { two(bytes) } else { (bytes, None) };
    let profile = Profile::of(language);
    let read = match parse(text, data, language, &profile, None) {
        Ok(read) => read,
        Err(faults) => return told::refused(bytes, &faults),
    };
    for moving in [true, false] {
        notes_of(&read, text, moving).iter().for_each(|fault| told::fault_is_told(bytes, fault));
    }
    let is_unsure = read.notes.iter().any(|note| note.moves);
    for one in &read.moves {
        let finite = match &one.to {
            To::Joints(axes) => axes.iter().all(|axis| axis.is_finite()),
            To::Pose(pose, _) => pose.to_rows().iter().all(|number| number.is_finite()),
        };
        assert!(finite && one.turn_zone.is_finite(), "a target that is no number: {one:?}");
        let (Speed::Tip(speed) | Speed::Part(speed) | Speed::Seconds(speed)) = one.speed else { continue };
        assert!(speed.is_finite(), "a speed that is no number: {one:?}");
        let (Zone::Radius(zone) | Zone::Smooth(zone)) = one.zone else { continue };
        assert!(zone.is_finite(), "a zone that is no number: {one:?}");
    }
    if read.moves.len() > FOLLOWED {
        return;
    }
    let arm = ControlArm::new(cell(), None, profile).unwrap_or_else(|fault| panic!("{fault:?}"));
    let options = ResolveOptions {
        fine: true,
        tool_of_cell: true,
        unreached: true,
        joint_corners: true,
        smooth: Some(0.01),
        branch: None,
        postures: true,
        outside_limits: false,
    };
    match resolve(&read, &arm, &options) {
        Err(notes) => assert!(!notes.is_empty() && notes.iter().all(|note| !note.what.is_empty())),
        Ok(resolved) => {
            assert!(!is_unsure, "what is not understood could move the robot, and a motion came out");
            let postures = resolved.postures.iter().flatten().chain([&resolved.start]);
            for posture in postures {
                assert!(posture.iter().all(|number| number.is_finite()));
                assert_eq!(cell().outside_limits(posture).count(), 0, "outside the limits: {posture:?}");
            }
            if let Ok(moves) =
                of_moves(&arm, &resolved.tip, &resolved.start, &resolved.moves, Speed::Tip(0.1))
            {
                round_trip(&arm, &moves);
            }
        }
    }
}

/// What is written comes back: as many moves of the same kinds to the same places, to the digits that are printed.
fn round_trip(arm: &ControlArm<'_>, moves: &[OutMove]) {
    let options = WriteOptions::new("round", arm);
    let Ok(out) = written(arm, moves, &options) else { return };
    let profile = Profile {
        work: vec![(options.work.clone(), options.base_from_work)],
        tools: vec![(options.tool.clone(), options.flange_from_tip)],
        ..arm.profile().clone()
    };
    let back = read_again(&out.files, &profile);
    assert!(back.notes.iter().all(|note| !note.moves), "our own program is not understood: {:?}", back.notes);
    assert_eq!(back.moves.len(), moves.len());
    for (out, back) in moves.iter().zip(&back.moves) {
        let same = match out.kind {
            OutKind::Joint => back.kind == MotionKind::Joint,
            OutKind::Linear => back.kind == MotionKind::Linear,
            OutKind::Circular(_) => matches!(back.kind, MotionKind::Circular(_)),
        };
        assert!(same, "{:?} became {:?}", out.kind, back.kind);
        let flange = match &back.to {
            To::Joints(axes) => arm.world_from_flange(&arm.from_controller(axes, &out.posture)),
            To::Pose(pose, _) => {
                let tool = back.tool.at.expect("the tool is in the file or the profile");
                let work = back.work.at.expect("the work object is in the file or the profile");
                arm.world_from_base() * work * *pose * tool.inverse()
            }
        };
        let wanted = arm.world_from_flange(&out.posture);
        for (a, b) in flange.to_rows().iter().zip(wanted.to_rows()) {
            // Tenths of micrometres and ten-thousandths of degrees, at the end of an arm of a metre.
            assert!((a - b).abs() < 2e-5, "{flange:?} is not {wanted:?}");
        }
    }
}

fn read_again(files: &[(String, Vec<u8>)], profile: &Profile) -> RobotProgram {
    let language = profile.language;
    let find =
        |end: &str| files.iter().find(|(name, _)| name.ends_with(end)).map(|(_, bytes)| bytes.as_slice());
    let main = find(&format!(".{}", language.ending())).expect("a program");
    let found = parse(main, find(".dat"), language, profile, Run::ONCE);
    found.unwrap_or_else(|faults| panic!("our own program is refused: {faults:?}"))
}

const RAPID: &[&str] = &[
    "MODULE m\n",
    "ENDMODULE\n",
    "PROC main()\n",
    "ENDPROC\n",
    "MoveJ ",
    "MoveL ",
    "MoveC ",
    "MoveAbsJ ",
    "Offs(",
    "RelTool(",
    "CONST ",
    "VAR ",
    "PERS ",
    "robtarget ",
    "jointtarget ",
    "tooldata ",
    "wobjdata ",
    "num ",
    "speeddata ",
    "zonedata ",
    ":=",
    "[[0,0,0],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]",
    "[[0,0,0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]",
    "v100",
    "z10",
    "fine",
    "tool0",
    "\\WObj:=wobj0",
    "FOR i FROM 1 TO 10 DO\n",
    "ENDFOR\n",
    "WHILE ",
    " DO\n",
    "ENDWHILE\n",
    "IF ",
    " THEN\n",
    "ELSE\n",
    "ENDIF\n",
    "ConfL\\Off;",
    "SingArea",
    "TEST ",
    "CASE ",
    "GOTO ",
    "RETURN;",
    "!",
    "FUNC ",
    "9E99",
];
const KRL: &[&str] = &[
    "DEF p()\n",
    "END\n",
    "DEFDAT p\n",
    "ENDDAT\n",
    "PTP ",
    "LIN ",
    "CIRC ",
    "SPTP ",
    "SLIN ",
    "SPLINE\n",
    "ENDSPLINE\n",
    "PTP_REL ",
    "LIN_REL ",
    "{X 0,Y 0,Z 0,A 0,B 0,C 0,S 2,T 0}",
    "{A1 0,A2 -90,A3 90,A4 0,A5 0,A6 0}",
    "C_PTP",
    "C_DIS",
    "$BASE=",
    "$TOOL=",
    "$APO.CDIS=",
    "$VEL.CP=",
    "BAS(#TOOL,1)",
    "DECL ",
    "E6POS ",
    "FRAME ",
    "INT ",
    "REAL ",
    "FOR i=1 TO 5\n",
    "ENDFOR\n",
    "LOOP\n",
    "ENDLOOP\n",
    "IF ",
    "THEN\n",
    "ELSE\n",
    "ENDIF\n",
    "SWITCH ",
    "CASE ",
    "WAIT SEC ",
    ";FOLD",
    "$ORI_TYPE=#CONSTANT",
    "$CIRC_TYPE=#PATH",
    "CA 360",
    ":",
    "INVERSE(",
];
const LS: &[&str] = &[
    "/PROG P\n",
    "/ATTR\n",
    "/MN\n",
    "/POS\n",
    "/END\n",
    "P[1]{\n",
    "GP1:\n",
    "UF : 0, UT : 1,",
    "CONFIG : 'N U T, 0, 0, 0',",
    "X = 1.0 mm,",
    "J1= 0 deg,",
    "};\n",
    ":J P[1] 100% FINE ;\n",
    ":L P[2] 100mm/sec CNT50 ;\n",
    ":C P[1]\n",
    "CALL ",
    "UFRAME_NUM=1 ;\n",
    "UTOOL_NUM=1 ;\n",
    "PR[1]",
    "R[1]=",
    "LBL[1]",
    "JMP LBL[1]",
    "IF ",
    "Offset",
    "Wjnt",
    "ACC100",
    "sec",
    "!",
];
const URSCRIPT: &[&str] = &[
    "def p():\n",
    "end\n",
    "movej(",
    "movel(",
    "movep(",
    "movec(",
    "p[0,0,0,0,0,0]",
    "[0,0,0,0,0,0]",
    "a=1.2",
    "v=0.25",
    "r=0.01",
    "t=1",
    "set_tcp(",
    "pose_trans(",
    "pose_add(",
    "get_inverse_kin(",
    "d2r(",
    "while True:\n",
    "if ",
    "elif ",
    "else:\n",
    "global ",
    "thread ",
    "sleep(",
    "servoj(",
    "speedj(",
    "sync()",
    "#",
    "for ",
];
const JBI: &[&str] = &[
    "/JOB\n",
    "//NAME P\n",
    "//POS\n",
    "///NPOS 1,0,0,0,0,0\n",
    "///TOOL 0\n",
    "///POSTYPE PULSE\n",
    "///POSTYPE BASE\n",
    "///PULSE\n",
    "///RECTAN\n",
    "///RCONF 0,0,0,0,0\n",
    "C00000=0,0,0,0,0,0\n",
    "//INST\n",
    "///DATE 2020/01/01 00:00\n",
    "///ATTR SC,RW\n",
    "NOP\n",
    "MOVJ C00000 VJ=50.00\n",
    "MOVL C00001 V=100.0 PL=0\n",
    "MOVC C00002 V=10\n",
    "MOVS ",
    "IMOV ",
    "CALL JOB:",
    "JUMP *A",
    "*A\n",
    "IF ",
    "END\n",
    "'",
    "USER 1",
];

/// Our own program for the small arm.
fn own(language: Language) -> Vec<(String, Vec<u8>)> {
    let arm =
        ControlArm::new(cell(), None, Profile::of(language)).unwrap_or_else(|fault| panic!("{fault:?}"));
    let posture = |k: f64| vec![0.1 * k, 0.2, 0.3 + 0.05 * k, 0.1, 0.5, -0.2];
    let to = |kind: OutKind, k: f64| OutMove {
        kind,
        posture: posture(k),
        speed: Speed::Tip(0.1),
        zone: Zone::Radius(0.005),
    };
    let moves = [to(OutKind::Joint, 0.0), to(OutKind::Linear, 0.5), to(OutKind::Joint, 1.0)];
    written(&arm, &moves, &WriteOptions::new("own", &arm)).unwrap_or_else(|what| panic!("{what}")).files
}

fn own_main(language: Language) -> Vec<u8> {
    let end = format!(".{}", language.ending());
    own(language).into_iter().find(|(name, _)| name.ends_with(&end)).expect("a program").1
}

fn rapid_seeds() -> Vec<Vec<u8>> {
    let small = "MODULE m\nPROC main()\nVAR num n:=2;\nFOR i FROM 1 TO n DO\nMoveAbsJ [[10*i,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;\nENDFOR\nIF n>1 THEN\nMoveL Offs(CRobT(),0,0,10),v100,z10,tool0;\nENDIF\nENDPROC\nENDMODULE\n";
    vec![
        small.into(),
        include_bytes!("../../../../fixtures/programs/seal.mod").to_vec(),
        own_main(Language::Rapid),
    ]
}

fn krl_seeds() -> Vec<Vec<u8>> {
    let small = "DEF p()\nINT i\n$BASE={X 0,Y 0,Z 0,A 0,B 0,C 0}\nFOR i=1 TO 3\nPTP {A1 10,A2 -80,A3 90,A4 0,A5 30,A6 0} C_PTP\nENDFOR\nLIN_REL {Z 10}\nEND\n";
    let files = own(Language::Krl);
    let find =
        |end: &str| files.iter().find(|(name, _)| name.ends_with(end)).map_or(&b""[..], |(_, bytes)| bytes);
    vec![
        small.into(),
        joined(
            include_bytes!("../../../../fixtures/programs/seal.src"),
            include_bytes!("../../../../fixtures/programs/seal.dat"),
        ),
        joined(find(".src"), find(".dat")),
    ]
}

fn ls_seeds() -> Vec<Vec<u8>> {
    vec![include_bytes!("../../../../fixtures/programs/seal.ls").to_vec(), own_main(Language::Fanuc)]
}

fn urscript_seeds() -> Vec<Vec<u8>> {
    let small = "def p():\n  global q = [0.1, -1.2, 1.0, 0, 0.5, 0]\n  set_tcp(p[0,0,0.1,0,0,0])\n  movej(q, a=1.2, v=0.5)\n  i = 0\n  while i < 3:\n    movel(pose_trans(p[0.4,0.1,0.5,0,3.14,0], p[0,0,0.01,0,0,0]), a=1, v=0.1, r=0.005)\n    i = i + 1\n  end\nend\n";
    vec![
        small.into(),
        include_bytes!("../../../../fixtures/programs/seal.script").to_vec(),
        own_main(Language::UrScript),
    ]
}

fn jbi_seeds() -> Vec<Vec<u8>> {
    vec![include_bytes!("../../../../fixtures/programs/seal.jbi").to_vec(), own_main(Language::Jbi)]
}
