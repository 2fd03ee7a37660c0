//! Programs that were proven as if the controller did something else than it does: each was taken for free once.

use super::{good, notes, run};
use crate::robot_program::config::Config;
use crate::robot_program::resolve::{ResolveOptions, ResolvedParts, resolve, resolve_parts};
use crate::robot_program::value::fixed_angles_deg;
use crate::robot_program::{ControlArm, Language, Profile, RobotProgram, Run};
use kansho_cell::builtin;

/// Why a program is not resolved as a whole; nothing if it is.
fn refused(program: &RobotProgram, profile: Profile) -> String {
    let cell = builtin::cell();
    let arm = ControlArm::new(&cell, None, profile).expect("an arm");
    let options = ResolveOptions { tool_of_cell: true, ..ResolveOptions::default() };
    match resolve(program, &arm, &options) {
        Ok(_) => String::new(),
        Err(notes) => {
            notes.iter().map(|note| format!("{}: {}", note.line, note.what)).collect::<Vec<_>>().join("\n")
        }
    }
}

fn parts(program: &RobotProgram, profile: Profile) -> ResolvedParts {
    let cell = builtin::cell();
    let arm = ControlArm::new(&cell, None, profile).expect("an arm");
    let options = ResolveOptions { tool_of_cell: true, ..ResolveOptions::default() };
    resolve_parts(program, &arm, &options)
}

fn pulses() -> Profile {
    Profile::parse("language = \"jbi\"\npulses_per_degree = [1000, 1000, 1000, 1000, 1000, 1000]\n")
        .expect("good")
}

/// A FANUC program of these lines; P[1] to P[3] are postures, P[4] and P[5] poses with a configuration.
fn ls(lines: &[&str]) -> String {
    let lines: String = lines.iter().enumerate().map(|(k, line)| format!("{:4}:{line} ;\n", k + 1)).collect();
    let axes = |k: usize, a: f64| {
        format!(
            "P[{k}]{{\n GP1:\n UF : 0, UT : 1,\n J1 = {a} deg, J2 = -35 deg, J3 = 15 deg,\n J4 = 0 deg, J5 = 35 deg, J6 = 0 deg\n}};\n"
        )
    };
    let cell = builtin::cell();
    let arm = ControlArm::new(&cell, None, Profile::of(Language::Fanuc)).expect("an arm");
    let tool = arm.flange_from_tool().expect("a tool");
    let pose = |k: usize, first: f64| {
        let posture = arm.from_controller(&[first, -0.6, 0.3, 0.4, 0.8, 0.5], &[0.0; 6]);
        let at = arm.world_from_base().inverse() * arm.world_from_flange(&posture) * tool;
        let (p, [w, pitch, r]) = (at.translation() * 1e3, fixed_angles_deg(&at));
        let config = Config::of(&arm, &posture);
        format!(
            "P[{k}]{{\n GP1:\n UF : 0, UT : 1, CONFIG : {config},\n X = {} mm, Y = {} mm, Z = {} mm, W = {w} deg, P = {pitch} deg, R = {r} deg\n}};\n",
            p.x, p.y, p.z
        )
    };
    format!(
        "/PROG A\n/ATTR\n/MN\n{lines}/POS\n{}{}{}{}{}/END\n",
        axes(1, 0.0),
        axes(2, 5.0),
        axes(3, 10.0),
        pose(4, 0.0),
        pose(5, 0.1)
    )
}

fn jbi(lines: &str) -> RobotProgram {
    let text = format!(
        "/JOB\n//NAME A\n//POS\n///NPOS 2,0,0,0,0,0\n///TOOL 0\n///POSTYPE PULSE\n///PULSE\nC00000=0,-35000,15000,0,35000,0\nC00001=5000,-35000,15000,0,35000,0\n//INST\n///DATE 2000/01/01 00:00\n///ATTR SC,RW\n///GROUP1 RB1\nNOP\n{lines}END\n"
    );
    crate::robot_program::parse(text.as_bytes(), None, Language::Jbi, &pulses(), Run::ONCE).expect("good")
}

/// A line to joint values takes only their pose: a program that begins with one may begin in any joint solution, and so may what comes after a gap.
#[test]
fn lines_to_joint_values_do_not_tell_the_posture() {
    let (a, b) = ("[0,-0.6,0.3,0,0.6,0]", "[0.1,-0.6,0.3,0,0.6,0]");
    let ur = |body: &str| good(Language::UrScript, &format!("def f():\n{body}end\n"));
    let profile = || Profile::of(Language::UrScript);
    let led = ur(&format!("  movel({a})\n  movej({b})\n"));
    assert!(
        refused(&led, profile()).contains("2: ") && refused(&led, profile()).contains("⟦branch⟧"),
        "{}",
        refused(&led, profile())
    );
    assert_eq!(refused(&ur(&format!("  movej({a})\n  movel({b})\n")), profile()), "");
    let gap =
        ur(&format!("  movej({a})\n  other()\n  set_tcp(p[0,0,0,0,0,0])\n  movel({b})\n  movej({a})\n"));
    let found = parts(&gap, profile());
    assert!(found.parts.is_empty(), "{found:?}");
    assert!(found.open.iter().any(|note| note.line == 5 && note.what.contains("⟦branch⟧")), "{found:?}");
    // Where the line was led, it says where it ends only if it is proven.
    let found = parts(
        &ur(&format!("  set_tcp(p[0,0,0,0,0,0])\n  movej({a})\n  movel({b})\n  movej({a})\n")),
        profile(),
    );
    assert_eq!(
        found.parts.iter().map(|part| part.tells.clone()).collect::<Vec<_>>(),
        [[true, false, true]],
        "{found:?}"
    );

    let krl = good(
        Language::Krl,
        "DEF a()\n$BASE={X 0,Y 0,Z 0,A 0,B 0,C 0}\n$TOOL=$BASE\nPTP {A1 0,A2 -35,A3 15,A4 0,A5 35,A6 0}\nLIN {A1 5,A2 -35,A3 15,A4 0,A5 35,A6 0}\nEND\n",
    );
    assert!(
        notes(&krl, true).iter().any(|note| note.starts_with("5: a linear or circular move to axes")),
        "{:?}",
        krl.notes
    );

    let fanuc = |lines: &[&str]| refused(&good(Language::Fanuc, &ls(lines)), Profile::of(Language::Fanuc));
    assert!(fanuc(&["L P[1] 100mm/sec FINE", "J P[2] 50% FINE"]).contains("⟦branch⟧"));
    assert_eq!(fanuc(&["J P[1] 50% FINE", "L P[2] 100mm/sec FINE"]), "");

    assert!(refused(&jbi("MOVL C00000 V=100 PL=0\nMOVJ C00001 VJ=10 PL=0\n"), pulses()).contains("⟦branch⟧"));
    assert_eq!(refused(&jbi("MOVJ C00000 VJ=10 PL=0\nMOVL C00001 V=100 PL=0\n"), pulses()), "");
}

/// Turns of a CONFIG count for joint moves only, as KUKA's S and T do.
#[test]
fn configurations_of_a_first_line_do_not_tell_the_posture() {
    let fanuc = |lines: &[&str]| refused(&good(Language::Fanuc, &ls(lines)), Profile::of(Language::Fanuc));
    let whole = fanuc(&["J P[4] 50% FINE", "L P[5] 100mm/sec FINE"]);
    assert_eq!(whole, "");
    let led = fanuc(&["L P[4] 100mm/sec FINE", "L P[5] 100mm/sec FINE"]);
    assert!(led.contains("4: ") && led.contains("⟦branch⟧"), "{led}");
}

/// The joint solution that the user names is that of the first target: what comes after a gap begins in any.
#[test]
fn a_named_joint_solution_is_that_of_the_first_target() {
    let cell = builtin::cell();
    let arm = ControlArm::new(&cell, None, Profile::of(Language::UrScript)).expect("an arm");
    let text = "def f():\n  set_tcp(p[0,0,0,0,0,0])\n  movel(p[0.75,0,1.3,0,1.5,0])\n  movel(p[0.75,0.05,1.3,0,1.5,0])\n  other()\n  set_tcp(p[0,0,0,0,0,0])\n  movel(p[0.75,0,1.3,0,1.5,0])\n  movel(p[0.75,0.05,1.3,0,1.5,0])\nend\n";
    let program = run(Language::UrScript, text, Run::ONCE).expect("good");
    let branch = kansho_cell::ik::Ik::new(&cell, &arm.tip(&kansho_geom::Pose::IDENTITY), &Default::default())
        .expect("an arm")
        .branch(&builtin::home())
        .0;
    let options = ResolveOptions { branch, ..ResolveOptions::default() };
    let found = resolve_parts(&program, &arm, &options);
    assert_eq!(found.parts.iter().map(|part| part.lines.clone()).collect::<Vec<_>>(), [[3, 4]], "{found:?}");
}

fn krl(body: &str) -> RobotProgram {
    good(
        Language::Krl,
        &format!(
            "DEF a()\n$BASE={{X 0,Y 0,Z 0,A 0,B 0,C 0}}\n$TOOL=$BASE\nPTP {{A1 0,A2 -35,A3 15,A4 0,A5 35,A6 0}}\nLIN {{X 900,Y 0,Z 900,A 0,B 180,C 0}}\n{body}\nEND\n"
        ),
    )
}

/// SCIRC goes by the orientation of its auxiliary point, CIRC does not. They agree where the tool does not turn.
#[test]
fn scirc_is_not_circ() {
    let circle = |word: &str, via: i32, end: i32| {
        krl(&format!("{word} {{X 950,Y 50,Z 900,A {via},B 180,C 0}},{{X 900,Y 100,Z 900,A {end},B 180,C 0}}"))
    };
    for (word, via, end, is_known) in [
        ("CIRC", 30, 0, true),
        ("SCIRC", 0, 0, true),
        ("SCIRC", 30, 0, false),
        ("SCIRC", 0, 30, false),
        ("SCIRC", 15, 30, false),
    ] {
        let program = circle(word, via, end);
        assert_eq!(notes(&program, true).is_empty(), is_known, "{word} {via} {end}: {:?}", program.notes);
    }
    // Where the circle begins after a move of the axes, the orientation there is not told.
    let text = "DEF a()\n$BASE={X 0,Y 0,Z 0,A 0,B 0,C 0}\n$TOOL=$BASE\nPTP {A1 0,A2 -35,A3 15,A4 0,A5 35,A6 0}\nSCIRC {X 950,Y 50,Z 900,A 0,B 180,C 0},{X 900,Y 100,Z 900,A 0,B 180,C 0}\nEND\n";
    assert!(!notes(&good(Language::Krl, text), true).is_empty());
}

/// Corners of SPTP, SLIN and SCIRC are no corners of PTP and LIN.
#[test]
fn corners_of_single_splines_are_no_others() {
    for (line, is_known) in [
        ("SLIN {X 900,Y 100,Z 900,A 0,B 180,C 0}", true),
        ("SLIN {X 900,Y 100,Z 900,A 0,B 180,C 0} C_SPL", true),
        ("SLIN {X 900,Y 100,Z 900,A 0,B 180,C 0} C_DIS", false),
        ("LIN {X 900,Y 100,Z 900,A 0,B 180,C 0} C_SPL", false),
        ("SPTP {A1 10,A2 -35,A3 15,A4 0,A5 35,A6 0}", true),
        ("SPTP {A1 10,A2 -35,A3 15,A4 0,A5 35,A6 0} C_SPL", false),
        ("SPTP {A1 10,A2 -35,A3 15,A4 0,A5 35,A6 0} C_PTP", false),
    ] {
        let program = krl(&format!("$APO.CDIS=5\n{line}\nPTP {{A1 0,A2 -35,A3 15,A4 0,A5 35,A6 0}}"));
        assert_eq!(notes(&program, true).is_empty(), is_known, "{line}: {:?}", program.notes);
        // How far it is rounded is nothing that $APO.CDIS says.
        let zones =
            program.moves.iter().filter(|one| matches!(one.zone, crate::robot_program::Zone::Radius(_)));
        assert_eq!(zones.count(), 0, "{line}");
    }
}

/// What a program sets of its controller either leaves the motion as it is, or is not understood from there on.
#[test]
fn unknown_settings_of_the_controller_are_not_swallowed() {
    let to = "PTP {A1 0,A2 -35,A3 15,A4 0,A5 35,A6 0}\nPTP {A1 5,A2 -35,A3 15,A4 0,A5 35,A6 0}";
    for quiet in [
        "$VEL.CP=0.1",
        "$VEL_AXIS[1]=50",
        "$ACC.CP=2.0",
        "$OV_PRO=50",
        "$APO.CVEL=95",
        "$OUT[3]=TRUE",
        "$FLAG[1]=FALSE",
        "$TIMER[1]=0",
        "$TIMER_STOP[1]=FALSE",
        "$ADVANCE=1",
        "$ORI_TYPE=#VAR",
        "$LOAD.M=3.0",
    ] {
        let program = krl(&format!("{quiet}\n{to}"));
        assert!(notes(&program, true).is_empty(), "{quiet}: {:?}", program.notes);
    }
    for strange in [
        "$CIRC_MODE.AUX_PT.ORI=#INTERPOLATE",
        "$TECH.MODE=#SINGLE",
        "$PAL_MODE=TRUE",
        "$SINGUL_POS[1]=1",
        "$TARGET_STATUS=#BEST",
        "$TORQUE_AXIS=2",
        "$ASYNC_AXIS=1",
        "$SOFTN_END[1]=-10",
    ] {
        let program = krl(&format!("{strange}\n{to}"));
        assert_eq!(program.moves.len(), 2, "{strange}: no move behind it is understood");
        let name = &strange[..strange.find(['.', '=', '[']).expect("a name")];
        assert!(notes(&program, true)[0].contains(name), "{strange}: {:?}", program.notes);
        // Where nobody knows whether it is set, too; and where a routine sets it by a reference.
        let program = krl(&format!("IF $IN[1] THEN\n{strange}\nENDIF\n{to}"));
        assert_eq!(program.moves.len(), 2, "{strange}");
    }
    let program = krl(&format!("x($PAL_MODE)\n{to}\nEND\nDEF x(b:OUT)\nb=TRUE"));
    assert!(program.moves.len() == 2 && !notes(&program, true).is_empty(), "{:?}", program.notes);
    let program = krl(&format!("TRIGGER WHEN DISTANCE=0 DELAY=0 DO $PAL_MODE=TRUE\n{to}"));
    assert_eq!(program.moves.len(), 2, "{:?}", program.notes);
}

/// A statement that is not read stands in a branch that is not taken: what looks like a branch of its own may be one.
#[test]
fn branches_that_are_not_read_hide_nothing() {
    for word in ["ELSEIF", "ELSIF", "ELIF", "ELSE_IF"] {
        let text = format!(
            "DEF a()\nIF FALSE THEN\nHALT\n{word} TRUE THEN\nPTP {{A1 0,A2 20,A3 10,A4 0,A5 60,A6 180}}\nENDIF\nEND\n"
        );
        assert!(super::read(Language::Krl, &text).is_err_and(|wrong| wrong.contains(word)), "{word}");
    }
    let text =
        "DEF a()\nIF FALSE THEN\nGRIPPER OPEN NOW\nENDIF\nPTP {A1 0,A2 20,A3 10,A4 0,A5 60,A6 180}\nEND\n";
    let program = good(Language::Krl, text);
    assert!(notes(&program, true).is_empty(), "{:?}", program.notes);
    assert!(
        notes(&program, false).iter().any(|note| note.starts_with("3: this is never run")),
        "{:?}",
        program.notes
    );
    // Names may begin as such words do.
    assert!(
        super::read(Language::Krl, "DEF a()\nINT end_x\nend_x=1\nelse_x()\nEND\nDEF else_x()\nEND\n").is_ok()
    );
}

/// What stands behind a move with a blend is run as soon as the blend begins.
#[test]
fn a_stop_behind_a_blend_is_somewhere_in_the_corner() {
    let (a, b) = ("p[0.75,0,1.3,0,1.5,0]", "p[0.75,0.05,1.3,0,1.5,0]");
    let text = |radius: &str, stop: &str, then: &str| {
        format!(
            "def f():\n  set_tcp(p[0,0,0,0,0,0])\n  movej([0,-0.6,0.3,0,0.6,0])\n  movel({a}{radius})\n{stop}{then}end\n"
        )
    };
    let next = format!("  movel({b})\n");
    for (radius, stop, is_known) in [
        (", r=0.1", "", true),
        ("", "  stopl(5)\n", true),
        ("", "  stopj(5)\n", true),
        (", r=0.1", "  stopl(5)\n", false),
        (", r=0.1", "  stopj(5)\n", false),
        (", r=0.1", "  halt\n", false),
        (", r=0.1", "  halt()\n", false),
        (", r=0.1", "  return\n", false),
        (", r=0.1", "  if get_digital_in(1):\n    stopl(5)\n  end\n", false),
        (", r=0.1", "  if get_digital_in(1):\n    halt\n  end\n", false),
        (", r=0.1", "  if get_digital_in(1):\n    return\n  end\n", false),
        ("", "  if get_digital_in(1):\n    halt\n  end\n", true),
    ] {
        let program = good(Language::UrScript, &text(radius, stop, &next));
        let told = notes(&program, true);
        assert_eq!(told.is_empty() && program.unreached.is_empty(), is_known, "{radius} {stop}: {told:?}");
        if !is_known {
            let doubtful = program.doubtful.expect("the rest is claimed");
            assert!(doubtful.contains(&4), "{stop}: the robot may brake beyond the target: {doubtful:?}");
            assert!(program.moves.get(2).is_none_or(|next| next.after_gap), "{stop}");
        }
    }
    let ends = good(Language::UrScript, &text(", r=0.1", "", ""));
    assert!(notes(&ends, true).iter().any(|note| note.contains("r=0")), "{:?}", ends.notes);
    assert!(notes(&good(Language::UrScript, &text("", "", "")), true).is_empty());
}

/// Rounded corners between joint moves leave the way through the targets on robots of Universal Robots.
#[test]
fn joint_corners_of_universal_robots_are_not_known() {
    let text = "def f():\n  set_tcp(p[0,0,0,0,0,0])\n  movej([0,-0.6,0.3,0,0.6,0])\n  movej([0.1,-0.6,0.3,0,0.6,0], r=0.05)\n  movej([0.2,-0.6,0.3,0,0.6,0])\nend\n";
    let cell = builtin::cell();
    let options = ResolveOptions { joint_corners: true, ..ResolveOptions::default() };
    let found = |profile: Profile| {
        let arm = ControlArm::new(&cell, None, profile).expect("an arm");
        resolve(&good(Language::UrScript, text), &arm, &options).map(|found| found.joint_corners.len())
    };
    assert!(found(Profile::of(Language::UrScript)).is_err());
    let synchronised = "language = \"urscript\"\njoint_corners = \"synchronised\"\n";
    assert_eq!(found(Profile::parse(synchronised).expect("good")), Ok(1));
}

/// Frames and tools that a profile gives to numbers are those of the controller: what is not in the file may set them.
#[test]
fn numbered_frames_are_not_known_behind_other_programs() {
    let frames = "[tools.1]\nxyz_mm = [0, 0, 100]\n[work.1]\nxyz_mm = [0, 0, 0]\n";
    let profile = |head: &str| Profile::parse(&format!("{head}{frames}")).expect("good");
    let read = |language, text: &str, profile: &Profile| {
        crate::robot_program::parse(text.as_bytes(), None, language, profile, Run::ONCE).expect("good")
    };
    let fanuc = profile("language = \"fanuc\"\n");
    let lines = ["J P[4] 50% FINE", "CALL OTHER", "J P[4] 50% FINE", "L P[5] 100mm/sec FINE"];
    let is_open = |program: &RobotProgram, line: u32, what: &str| {
        notes(program, true).iter().any(|note| note.starts_with(&format!("{line}: ")) && note.contains(what))
    };
    let program = read(Language::Fanuc, &ls(&lines), &fanuc);
    assert!(
        is_open(&program, 6, "UTOOL[1] may have been set") && program.moves.len() == 1,
        "{:?}",
        program.notes
    );
    // Moves from joint values to joint values need neither. What the program sets itself is known again.
    let joints = read(Language::Fanuc, &ls(&["CALL OTHER", "J P[1] 50% FINE", "J P[2] 50% FINE"]), &fanuc);
    assert_eq!(joints.moves.len(), 2, "{:?}", joints.notes);
    let set: Vec<String> = (1..=6).map(|k| format!("PR[1,{k}]=0")).chain(["UTOOL[1]=PR[1]".into()]).collect();
    let again: Vec<&str> =
        ["CALL OTHER"].into_iter().chain(set.iter().map(String::as_str)).chain(["J P[4] 50% FINE"]).collect();
    assert_eq!(read(Language::Fanuc, &ls(&again), &fanuc).moves.len(), 1);
    // A branch that nobody can decide sets no frames.
    let branch = read(
        Language::Fanuc,
        &ls(&["IF DI[1]=ON,JMP LBL[1]", "J P[4] 50% FINE", "LBL[1]", "J P[4] 50% FINE"]),
        &fanuc,
    );
    assert_eq!(branch.moves.len(), 3, "{:?}", branch.notes);
    let harmless = profile("language = \"fanuc\"\nharmless = [\"OTHER\"]\n");
    assert!(notes(&read(Language::Fanuc, &ls(&lines), &harmless), true).is_empty());

    let text = "/JOB\n//NAME A\n//POS\n///NPOS 2,0,0,0,0,0\n///TOOL 1\n///USER 1\n///POSTYPE USER\n///RECTAN\n///RCONF 0,0,0,0,0,0,0,0\nC00000=750,0,1300,180,0,0\nC00001=750,50,1300,180,0,0\n//INST\n///DATE 2000/01/01 00:00\n///ATTR SC,RW\n///GROUP1 RB1\nNOP\nMOVJ C00000 VJ=10 PL=0\nCALL JOB:X\nMOVJ C00000 VJ=10 PL=0\nMOVL C00001 V=100 PL=0\nEND\n";
    let program = read(Language::Jbi, text, &profile("language = \"jbi\"\n"));
    assert!(is_open(&program, 19, "tool 1 may have been set"), "{:?}", program.notes);

    let text = "DEF a()\nPTP {A1 0,A2 -35,A3 15,A4 0,A5 35,A6 0}\nOTHER()\nBAS(#TOOL,1)\nBAS(#BASE,1)\nPTP {A1 0,A2 -35,A3 15,A4 0,A5 35,A6 0}\nLIN {X 900,Y 0,Z 900,A 0,B 180,C 0}\nEND\n";
    let program = read(Language::Krl, text, &profile("language = \"krl\"\n"));
    assert!(is_open(&program, 7, "may have set it"), "{:?}", program.notes);
    assert!(
        notes(&read(Language::Krl, &text.replace("OTHER()\n", ""), &profile("language = \"krl\"\n")), true)
            .is_empty()
    );
}

/// Positions of a FANUC program can be set while it runs.
#[test]
fn positions_that_a_program_sets_are_not_known() {
    for set in ["P[1]=P[3]", "P[1:home]=LPOS", "P[R[1]]=P[3]", "IF (DI[1]),P[1]=(P[3])"] {
        let program =
            good(Language::Fanuc, &ls(&["J P[2] 50% FINE", set, "J P[2] 50% FINE", "J P[1] 50% FINE"]));
        let told = notes(&program, true);
        assert!(told.iter().any(|note| note.starts_with("7: P[1] is set")), "{set}: {told:?}");
    }
    let program = good(Language::Fanuc, &ls(&["J P[2] 50% FINE", "CALL OTHER", "J P[1] 50% FINE"]));
    assert!(
        notes(&program, false).iter().any(|note| note.contains("assumed") && note.contains("P[1], P[2]")),
        "{:?}",
        program.notes
    );
}

/// A search that stops on its way leaves the robot anywhere on it; one that does not goes on to its target.
#[test]
fn searches_are_proven_to_their_ends() {
    let text = |switch: &str| {
        format!(
            "MODULE m\nCONST robtarget p:=[[750,0,1300],[0,0,1,0],[0,0,0,1],[9E9,9E9,9E9,9E9,9E9,9E9]];\nCONST jointtarget j:=[[0,-35,15,0,35,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\nCONST jointtarget k:=[[5,-35,15,0,35,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\nVAR robtarget found;\nPROC main()\nfound:=p;\nMoveAbsJ j,v100,fine,tool0;\nSearchL{switch} di1,found,p,v100,tool0;\nMoveAbsJ j,v100,fine,tool0;\nMoveAbsJ k,v100,fine,tool0;\nMoveL found,v100,fine,tool0;\nENDPROC\nENDMODULE\n"
        )
    };
    let gaps = |program: &RobotProgram| -> Vec<(u32, bool)> {
        program.moves.iter().map(|one| (one.line, one.after_gap)).collect()
    };
    let through = good(Language::Rapid, &text(""));
    assert_eq!(gaps(&through), [(8, false), (9, false), (10, false), (11, false)]);
    assert!(
        notes(&through, true).iter().all(|note| note.starts_with("12: ")),
        "what it found: {:?}",
        through.notes
    );
    assert_eq!(gaps(&good(Language::Rapid, &text("\\Sup,"))), gaps(&through));
    let stops = good(Language::Rapid, &text("\\PStop,"));
    assert_eq!(gaps(&stops), [(8, false), (9, false), (10, true), (11, false)]);
    let stops = good(Language::Rapid, &text("\\PStop,").replace("MoveL found", "MoveAbsJ j"));
    assert!(
        refused(&stops, Profile::of(Language::Rapid)).contains("10: from where the robot comes here"),
        "{}",
        refused(&stops, Profile::of(Language::Rapid))
    );
    // Others may leave the path before they stand.
    for switch in ["\\Stop,", "\\SStop,"] {
        let stops = good(Language::Rapid, &text(switch));
        assert_eq!(gaps(&stops), [(8, false), (10, true), (11, false)], "{switch}");
        assert!(notes(&stops, true)[0].starts_with("9: "), "{:?}", stops.notes);
    }
}

/// Axis 3 of a robot with a parallel bar is measured from the ground.
#[test]
fn parallel_bars_are_told() {
    use kansho_cell::{CellDraft, JointDraft, Robot, RobotDraft, RobotDraftInCell};
    let cell = builtin::cell();
    let bare = &cell.robots()[0].robot;
    let name = |link: kansho_cell::LinkId| bare.links()[link.0 as usize].name.clone();
    let named = |robot: &str| {
        let joints = bare.joints().iter().map(|joint| JointDraft {
            name: joint.name.clone(),
            kind: joint.kind,
            parent: name(joint.parent),
            child: name(joint.child),
            parent_from_joint: joint.parent_from_joint,
            limits: joint.limits,
            max_speed: joint.max_speed,
            mimic: None,
        });
        let draft = RobotDraft { name: robot.into(), links: bare.links().to_vec(), joints: joints.collect() };
        let robot = RobotDraftInCell {
            name: "arm".into(),
            robot: Robot::new(draft).expect("a robot"),
            world_from_root: kansho_geom::Pose::IDENTITY,
            hold: Vec::new(),
            tool: None,
            disabled: Vec::new(),
        };
        kansho_cell::Cell::new(CellDraft { robots: vec![robot], ..CellDraft::default() }).expect("a cell")
    };
    let said = Profile::parse("language = \"rapid\"\ncouple_3_to_2 = 1\n").expect("good");
    for (robot, profile, is_told) in [
        ("abb_irb2400", Profile::of(Language::Rapid), true),
        ("IRB 6400R-2.5", Profile::of(Language::Rapid), true),
        ("abb_irb2400", said, false),
        ("abb_irb6640", Profile::of(Language::Rapid), false),
        ("abb_irb120", Profile::of(Language::Rapid), false),
        ("abb_irb2400", Profile::of(Language::Krl), false),
    ] {
        let cell = named(robot);
        let arm = ControlArm::new(&cell, None, profile).expect("an arm");
        assert_eq!(arm.assumed_coupling().is_some(), is_told, "{robot}");
    }
    // With the bar of the IRB 2400, turning axis 2 leaves axis 3 as it is: joint 3 of the model turns back.
    let cell = named("abb_irb2400");
    let profile = Profile { couple_3_to_2: 1.0, ..Profile::of(Language::Rapid) };
    let arm = ControlArm::new(&cell, None, profile).expect("an arm");
    let posture = arm.from_controller(&[0.0, 0.3, 0.0, 0.0, 0.0, 0.0], &[0.0; 6]);
    assert!((posture[2] + 0.3).abs() < 1e-12, "{posture:?}");
}

/// Held joints that do not carry the arm are named wherever a program is read or written.
#[test]
fn held_positioners_are_told() {
    let file = std::env::temp_dir().join(format!("kansho_positioner_{}", std::process::id()));
    std::fs::create_dir_all(&file).expect("a folder");
    let urdf = "<robot name=\"table\"><link name=\"floor\"/><link name=\"plate\"/><joint name=\"a\" type=\"revolute\"><parent link=\"floor\"/><child link=\"plate\"/><axis xyz=\"0 0 1\"/><limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint></robot>";
    std::fs::write(file.join("table.urdf"), urdf).expect("written");
    let table =
        crate::urdf::read(&file.join("table.urdf"), &crate::urdf::RobotOptions::default()).expect("a robot");
    std::fs::remove_dir_all(&file).expect("removed");
    let cell = super::round_trips::on_a_rail(0.3, Some((table.robot, vec![("a".into(), 0.2)])));
    for language in Language::ALL {
        let arm = ControlArm::new(&cell, Some("arm"), Profile::of(language)).expect("an arm");
        assert_eq!(arm.other_held().len(), 1);
        use crate::robot_program::write::{OutKind, OutMove, WriteOptions, program};
        let out = OutMove {
            kind: OutKind::Joint,
            posture: builtin::home(),
            speed: crate::robot_program::Speed::Unsaid,
            zone: crate::robot_program::Zone::Fine,
        };
        let done = program(&arm, &[out], &WriteOptions::new("a", &arm)).expect("written");
        let is_told = |note: &String| note.contains("\"table/a\" at 11.459156 deg");
        assert!(done.notes.iter().any(is_told), "{language:?}: {:?}", done.notes);
    }
    let text = |axes: &str| {
        format!(
            "MODULE m\nCONST jointtarget j:=[[0,-35,15,0,35,0],[{axes}]];\nPROC main()\nMoveAbsJ j,v100,fine,tool0;\nENDPROC\nENDMODULE\n"
        )
    };
    let arm = ControlArm::new(&cell, Some("arm"), Profile::of(Language::Rapid)).expect("an arm");
    let resolved =
        |axes: &str| resolve(&good(Language::Rapid, &text(axes)), &arm, &ResolveOptions::default());
    let found = resolved("300,9E9,9E9,9E9,9E9,9E9").expect("understood");
    assert!(
        found.notes.iter().any(|note| note.what.contains("\"table/a\" at 11.459156 deg")),
        "{:?}",
        found.notes
    );
    let wrong = resolved("300,0,9E9,9E9,9E9,9E9").expect_err("it is not at zero");
    assert!(wrong[0].what.contains("table/a"), "{wrong:?}");
}

/// A held axis is where the program says to the last digit that it can be written with.
#[test]
fn held_axes_are_compared_to_the_last_digit() {
    let cell = super::round_trips::on_a_rail(0.3, None);
    let arm = ControlArm::new(&cell, None, Profile::of(Language::Rapid)).expect("an arm");
    for (at, is_there) in [("300", true), ("300.0000005", true), ("300.001", false), ("300.00001", false)] {
        let text = format!(
            "MODULE m\nCONST jointtarget j:=[[0,-35,15,0,35,0],[{at},9E9,9E9,9E9,9E9,9E9]];\nPROC main()\nMoveAbsJ j,v100,fine,tool0;\nENDPROC\nENDMODULE\n"
        );
        let found = resolve(&good(Language::Rapid, &text), &arm, &ResolveOptions::default());
        assert_eq!(found.is_ok(), is_there, "{at}: {found:?}");
    }
}
