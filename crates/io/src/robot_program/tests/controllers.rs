//! Programs that a controller runs otherwise than a quick reader would think: each was taken for something else once.

use super::{cycled, good, notes, places, read};
use crate::robot_program::resolve::{ResolveOptions, resolve};
use crate::robot_program::value::rotation_vector;
use crate::robot_program::{ControlArm, Language, Profile, RobotProgram, Run, parse};
use kansho_cell::builtin;

const P0: &str = "CONST robtarget p0:=[[100,200,300],[1,0,0,0],[0,-1,2,3],[9E9,9E9,9E9,9E9,9E9,9E9]];\n";

/// `next` gives 1, then 2, then 3: whoever asks it once for each case takes another way.
#[test]
fn what_is_chosen_by_is_worked_out_once() {
    let text = format!(
        "MODULE m\n{P0}VAR num k:=0;\nFUNC num next()\nk:=k+1;\nRETURN k;\nENDFUNC\nPROC main()\nTEST next()\nCASE 3:\nMoveL p0,v100,fine,tool0;\nCASE 2:\nMoveL Offs(p0,1,0,0),v100,fine,tool0;\nCASE 1:\nMoveL Offs(p0,2,0,0),v100,fine,tool0;\nENDTEST\nMoveL Offs(p0,0,0,k),v100,fine,tool0;\nENDPROC\nENDMODULE\n"
    );
    let program = good(Language::Rapid, &text);
    assert_eq!(places(&program), [[102, 200, 300], [100, 200, 301]], "{:?}", program.notes);
    assert!(notes(&program, true).is_empty(), "{:?}", program.notes);

    let text = "DEF a()\nINT k\nk=0\nSWITCH next(k)\nCASE 3\nPTP {A1 30,A2 0,A3 0,A4 0,A5 0,A6 0}\nCASE 2\nPTP {A1 20,A2 0,A3 0,A4 0,A5 0,A6 0}\nCASE 1\nPTP {A1 10,A2 0,A3 0,A4 0,A5 0,A6 0}\nENDSWITCH\nPTP {A1 0,A2 k,A3 0,A4 0,A5 0,A6 0}\nEND\nDEFFCT INT next(k:OUT)\nINT k\nk=k+1\nRETURN k\nENDFCT\n";
    let program = good(Language::Krl, text);
    assert_eq!(places(&program), [[10, 0, 0], [0, 1, 0]], "{:?}", program.notes);
    assert!(notes(&program, true).is_empty(), "{:?}", program.notes);
}

/// Whether a controller calls a function right of AND where the left side is false is not said: what it sets is not known.
#[test]
fn what_stands_right_of_and_may_or_may_not_be_asked() {
    let text = format!(
        "MODULE m\n{P0}VAR num k:=0;\nFUNC bool counted()\nk:=k+1;\nRETURN TRUE;\nENDFUNC\nPROC main()\nIF 1=2 AND counted() MoveL p0,v100,fine,tool0;\nMoveL Offs(p0,k,0,0),v100,fine,tool0;\nENDPROC\nENDMODULE\n"
    );
    let program = good(Language::Rapid, &text);
    assert!(program.moves.is_empty() && !notes(&program, true).is_empty(), "{:?}", program.notes);
    // What it is handed by reference is not known either.
    let by_reference = text
        .replace("counted()\n", "counted(INOUT num n)\n")
        .replace("k:=k+1", "n:=n+1")
        .replace("AND counted()", "AND counted(k)");
    let program = good(Language::Rapid, &by_reference);
    assert!(program.moves.is_empty() && !notes(&program, true).is_empty(), "{:?}", program.notes);
    // Where it has to be asked, it is known.
    let program = good(Language::Rapid, &text.replace("1=2", "1=1"));
    assert_eq!(places(&program), [[100, 200, 300], [101, 200, 300]], "{:?}", program.notes);
}

/// What stands behind the end of the first module, routine, job or program is not dropped without a word.
#[test]
fn what_stands_behind_the_end_is_told() {
    let module = format!("MODULE m\n{P0}PROC main()\nMoveL p0,v100,fine,tool0;\nENDPROC\nENDMODULE\n");
    assert!(notes(&good(Language::Rapid, &module), true).is_empty());
    let two = format!("{module}MODULE more\nPROC other()\nENDPROC\nENDMODULE\n");
    let told = notes(&good(Language::Rapid, &two), true);
    assert!(told.iter().any(|note| note.contains("behind ENDMODULE")), "{told:?}");

    let src = "DEF a()\nPTP {A1 0,A2 0,A3 0,A4 0,A5 0,A6 0}\nEND\n";
    assert!(read(Language::Krl, &format!("&ACCESS RVP\n{src}")).is_ok());
    let wrong = read(Language::Krl, &format!("{src}{{A1 90}}\n")).expect_err("a line of nothing");
    assert!(wrong.contains("outside of DEF"), "{wrong}");

    let job = "/JOB\n//NAME A\n//INST\n///DATE 2000/01/01 00:00\nNOP\nEND\n";
    assert!(read(Language::Jbi, job).is_ok());
    let wrong = read(Language::Jbi, &job.repeat(2)).expect_err("two jobs");
    assert!(wrong.contains("only the first job"), "{wrong}");

    let program = "/PROG A\n/MN\n   1:  ! nothing ;\n/POS\n/END\n";
    assert!(read(Language::Fanuc, program).is_ok());
    let wrong = read(Language::Fanuc, &program.repeat(2)).expect_err("two programs");
    assert!(wrong.contains("a second program"), "{wrong}");
    let wrong =
        read(Language::Fanuc, &format!("{program}J P[1] 50% FINE ;\n")).expect_err("a line behind it");
    assert!(wrong.contains("behind /END"), "{wrong}");
}

/// A comment without its semicolon must not swallow the motion in the next line.
#[test]
fn a_statement_without_its_end_swallows_nothing() {
    let text = |end: &str| {
        format!(
            "/PROG A\n/MN\n   1:  ! down{end}\n   2:J P[1] 50% FINE ;\n/POS\nP[1]{{\n GP1:\n UF : 0, UT : 0,\n J1 = 10 deg, J2 = 0 deg, J3 = 0 deg,\n J4 = 0 deg, J5 = 0 deg, J6 = 0 deg\n}};\n/END\n"
        )
    };
    assert_eq!(places(&good(Language::Fanuc, &text(" ;"))), [[10, 0, 0]]);
    let wrong = read(Language::Fanuc, &text("")).expect_err("no end");
    assert!(wrong.contains("does not end with ';'"), "{wrong}");
    // A line without a number goes on.
    let program = good(Language::Fanuc, &text(" ;").replace("50% FINE", "50%\n    : FINE"));
    assert_eq!(places(&program), [[10, 0, 0]]);
}

/// What starts motion elsewhere, or counts joints anew, is not harmless.
#[test]
fn what_may_move_the_robot_is_not_harmless() {
    let job = "/JOB\n//NAME A\n//INST\n///DATE 2000/01/01 00:00\nNOP\nSKILLSND \"GO\"\nEND\n";
    assert!(!notes(&good(Language::Jbi, job), true).is_empty());
    assert!(
        !notes(&good(Language::UrScript, "def f():\n  reset_revolution_counter()\nend\n"), true).is_empty()
    );
}

/// Variables on the first level of a program belong to all, so a function that sets one of that name sets this one.
#[test]
fn variables_of_the_first_level_belong_to_all() {
    let text = |first: &str| {
        format!(
            "def f():\n  def up():\n    z = 0.5\n  end\n  {first}\n  up()\n  movel(p[0,0,z,0,0,0])\nend\n"
        )
    };
    for first in ["z = 0.1", "local z = 0.1", "global z = 0.1"] {
        let program = good(Language::UrScript, &text(first));
        assert_eq!(places(&program), [[0, 0, 500]], "{first}: {:?}", program.notes);
    }
    // Wherever it is set in the program, before its first level or after, it is that one.
    let deep = "def f():\n  if True:\n    z = 0.1\n  end\n  z = 0.2\n  if True:\n    z = z + 0.1\n  end\n  movel(p[0,0,z,0,0,0])\nend\n";
    assert_eq!(places(&good(Language::UrScript, deep)), [[0, 0, 300]]);
    let hidden = "def f():\n  z = 0.2\n  if True:\n    local z = 0.1\n  end\n  movel(p[0,0,z,0,0,0])\nend\n";
    assert!(!notes(&good(Language::UrScript, hidden), true).is_empty());
    // Set deeper for the first time, nobody says whose it is.
    let told = notes(&good(Language::UrScript, &text("if True:\n    z = 0.1\n  end")), true);
    assert!(told.iter().any(|note| note.contains("whether 'z' here is what 'up' sets")), "{told:?}");
}

/// Which of several functions is run depends on how the file gets to the controller.
#[test]
fn several_functions_need_an_entry() {
    let two = "def a():\n  movej([0,0,0,0,0,0])\nend\ndef b():\n  movej([1,0,0,0,0,0])\nend\n";
    let open = good(Language::UrScript, two);
    let told = notes(&open, true);
    assert!(told[0].contains("⟦entry⟧") && told[0].contains("a, b"), "{told:?}");
    assert!(open.moves.is_empty() && open.doubtful.is_none(), "nothing is claimed");
    let beside = "def a():\n  movej([0,0,0,0,0,0])\nend\nmovej([1,0,0,0,0,0])\n";
    assert!(notes(&good(Language::UrScript, beside), true)[0].contains("⟦entry⟧"));
    // What is left out must not move the robot, nor change how it moves.
    let outside = format!("set_tcp(p[0,0,0.1,0,0,0])\n{two}");
    let profile = Profile::of(Language::UrScript);
    let chosen = parse(outside.as_bytes(), None, Language::UrScript, &profile, Some("a")).expect("good");
    assert!(notes(&chosen, true).iter().any(|note| note.contains("outside of 'a'")), "{:?}", chosen.notes);
    let called =
        good(Language::UrScript, "def a():\n  b()\nend\ndef b():\n  movej([1,0,0,0,0,0])\nend\na()\n");
    assert_eq!(places(&called), [[57, 0, 0]]);
}

/// Other tasks and panels write persistents: what one holds is not known, unless somebody says so.
#[test]
fn persistents_are_what_others_made_them() {
    let text = format!(
        "MODULE m\n{P0}PERS bool go:=FALSE;\nPERS num up:=3;\nPROC main()\nIF go MoveL p0,v100,fine,tool0;\nup:=5;\nMoveL Offs(p0,0,0,up),v100,fine,tool0;\nENDPROC\nENDMODULE\n"
    );
    let told = notes(&good(Language::Rapid, &text), true);
    assert!(told.len() == 2 && told.iter().all(|note| note.contains("is PERS")), "{told:?}");
    let profile = Profile::parse("language = \"rapid\"\n[values]\nGo = true\nup = 7\n").expect("good");
    let program = parse(text.as_bytes(), None, Language::Rapid, &profile, Run::ONCE).expect("good");
    assert_eq!(places(&program), [[100, 200, 300], [100, 200, 305]], "{:?}", program.notes);
    assert!(Profile::parse("language = \"krl\"\n[values]\ngo = true\n").is_err());
    // So are types of the module itself, and other names of types.
    for (kind, value, read) in [("state", "[FALSE]", "s.go"), ("flag", "FALSE", "s")] {
        let text = format!(
            "MODULE m\nRECORD state\nbool go;\nENDRECORD\nALIAS bool flag;\n{P0}PERS {kind} s:={value};\nPROC main()\nIF {read} MoveL p0,v100,fine,tool0;\nENDPROC\nENDMODULE\n"
        );
        assert!(!notes(&good(Language::Rapid, &text), true).is_empty(), "{kind}");
    }
    // Only what persists is set by a profile.
    let text = format!(
        "MODULE m\n{P0}VAR num up:=3;\nPROC main()\nMoveL Offs(p0,0,0,up),v100,fine,tool0;\nENDPROC\nENDMODULE\n"
    );
    let program = parse(text.as_bytes(), None, Language::Rapid, &profile, Run::ONCE).expect("good");
    assert_eq!(places(&program), [[100, 200, 303]]);
    assert!(notes(&program, false).iter().any(|note| note.contains("'up' is no persistent")));
    // Tools, work objects and targets keep what the file says.
    let text = format!(
        "MODULE m\n{P0}PERS tooldata t:=[TRUE,[[0,0,10],[1,0,0,0]],[1,[0,0,1],[1,0,0,0],0,0,0]];\nPROC main()\nMoveL p0,v100,fine,t;\nENDPROC\nENDMODULE\n"
    );
    assert!(notes(&good(Language::Rapid, &text), true).is_empty());
}

/// A parameter that refers to a variable is that variable: who changes the one changes the other at once.
#[test]
fn references_are_the_variables_themselves() {
    let text = |body: &str, call: &str| {
        format!(
            "MODULE m\n{P0}VAR num k:=1;\nVAR num j:=1;\nPROC change(INOUT num a, INOUT num b)\n{body}\nENDPROC\nPROC main()\n{call}\nMoveL Offs(p0,k,j,0),v100,fine,tool0;\nENDPROC\nENDMODULE\n"
        )
    };
    let program = good(Language::Rapid, &text("a:=a+1;\nb:=a+b;", "change k,j;"));
    assert_eq!(places(&program), [[102, 203, 300]], "{:?}", program.notes);
    for (body, call) in
        [("a:=5;\nb:=k;", "change k,j;"), ("k:=9;\nb:=a;", "change k,j;"), ("a:=5;\nb:=b+1;", "change k,k;")]
    {
        let told = notes(&good(Language::Rapid, &text(body, call)), true);
        assert!(told.iter().any(|note| note.contains("in another way")), "{body}: {told:?}");
    }
    // Where nothing is set there is no difference; an index that is changed meanwhile is another element.
    let program = good(
        Language::Rapid,
        &text("b:=7;", "change k,j;").replace("b:=7;", "MoveL Offs(p0,a,k,0),v100,fine,tool0;"),
    );
    assert_eq!(places(&program), [[101, 201, 300], [101, 201, 300]], "{:?}", program.notes);
    let element = format!(
        "MODULE m\n{P0}VAR num i:=1;\nVAR num all{{2}}:=[1,2];\nPROC change(INOUT num a)\ni:=2;\na:=9;\nENDPROC\nPROC main()\nchange all{{i}};\nMoveL Offs(p0,all{{1}},all{{2}},0),v100,fine,tool0;\nENDPROC\nENDMODULE\n"
    );
    assert!(!notes(&good(Language::Rapid, &element), true).is_empty());
    let text = "DEF a()\nDECL INT k\nk=1\nchange(k)\nPTP {A1 k,A2 0,A3 0,A4 0,A5 0,A6 0}\nEND\nDEF change(x:OUT)\nINT x\nx=x+1\nEND\n";
    assert_eq!(places(&good(Language::Krl, text)), [[2, 0, 0]]);
}

const P1: &str = "CONST robtarget p1:=[[100,200,400],[1,0,0,0],[0,-1,2,3],[9E9,9E9,9E9,9E9,9E9,9E9]];\n";

fn rapid(data: &str, body: &str) -> String {
    format!("MODULE m\n{P0}{P1}{data}PROC main()\n{body}ENDPROC\nENDMODULE\n")
}

/// ABB controllers start `main` again, with the variables of the module as they are: the second round makes moves that the first did not.
#[test]
fn main_is_a_cycle() {
    // The way back from the last target to the first.
    let plain = rapid("", "MoveJ p0,v100,fine,tool0;\nMoveL p1,v100,fine,tool0;\n");
    let program = cycled(Language::Rapid, &plain);
    assert_eq!(places(&program), [[100, 200, 300], [100, 200, 400], [100, 200, 300]]);
    assert!(notes(&program, true).is_empty(), "{:?}", program.notes);
    assert!(
        notes(&program, false).iter().any(|note| note.contains("back to the first")),
        "{:?}",
        program.notes
    );
    assert_eq!(places(&good(Language::Rapid, &plain)), [[100, 200, 300], [100, 200, 400]]);
    // What is rounded at the first target depends on where the robot comes from: up to the first stop.
    let rounded = rapid(
        "",
        "MoveJ p0,v100,z10,tool0;\nMoveL p1,v100,fine,tool0;\nMoveL Offs(p1,9,0,0),v100,fine,tool0;\n",
    );
    assert_eq!(
        places(&cycled(Language::Rapid, &rounded)),
        [[100, 200, 300], [100, 200, 400], [109, 200, 400], [100, 200, 300], [100, 200, 400]]
    );

    // A state machine over a variable of the module.
    let states = rapid(
        "VAR num state:=0;\n",
        "TEST state\nCASE 0:\nMoveJ p0,v100,fine,tool0;\nstate:=1;\nCASE 1:\nMoveL p1,v100,fine,tool0;\nstate:=2;\nDEFAULT:\nMoveL Offs(p1,7,0,0),v100,fine,tool0;\nstate:=0;\nENDTEST\n",
    );
    let program = cycled(Language::Rapid, &states);
    assert_eq!(
        places(&program),
        [[100, 200, 300], [100, 200, 400], [107, 200, 400], [100, 200, 300]],
        "{:?}",
        program.notes
    );
    assert_eq!((program.motions, program.reached), (3, 3));
    // In one round, the others are not reached.
    let first = good(Language::Rapid, &states);
    assert_eq!((places(&first).len(), first.motions, first.reached), (1, 3, 1));
    assert!(notes(&first, true).is_empty() && !notes(&first, false).is_empty(), "{:?}", first.notes);

    // What is switched counts for the next round, too.
    let switched = rapid("", "MoveJ p0,v100,fine,tool0;\nMoveL p1,v100,fine,tool0;\nConfL\\Off;\n");
    let program = cycled(Language::Rapid, &switched);
    assert_eq!(
        program.moves.iter().map(|one| one.insists).collect::<Vec<_>>(),
        [true, true, false, false, false]
    );
}

/// A counter of parts never repeats. That is no matter where no move depends on it; where one does, nobody knows how it goes on.
#[test]
fn what_never_repeats_is_not_known() {
    let counted = |rest: &str| {
        rapid(
            "VAR num parts:=0;\n",
            &format!(
                "MoveJ p0,v100,fine,tool0;\nIncr parts;\nTPWrite \"\"\\Num:=parts;\n{rest}MoveL p1,v100,fine,tool0;\n"
            ),
        )
    };
    let program = cycled(Language::Rapid, &counted(""));
    assert_eq!(places(&program), [[100, 200, 300], [100, 200, 400], [100, 200, 300]], "{:?}", program.notes);
    for rest in [
        "IF parts=5000 MoveL Offs(p1,50,0,0),v100,fine,tool0;\n",
        "MoveL Offs(p1,parts,0,0),v100,fine,tool0;\n",
        "IF parts>5000 THEN\nstep;\nENDIF\n",
    ] {
        let text = counted(rest)
            .replace("ENDMODULE", "PROC step()\nMoveL Offs(p1,50,0,0),v100,fine,tool0;\nENDPROC\nENDMODULE");
        let told = notes(&cycled(Language::Rapid, &text), true);
        assert!(told.iter().any(|note| note.contains("many rounds")), "{rest}: {told:?}");
    }
    // One that starts again does repeat.
    let program = cycled(
        Language::Rapid,
        &counted("IF parts=3 parts:=0;\nMoveL Offs(p1,parts,0,0),v100,fine,tool0;\n"),
    );
    assert!(notes(&program, true).is_empty(), "{:?}", program.notes);
    assert_eq!(places(&program).len(), 10);
}

/// A move that was never reached may be made in a way that nobody saw.
#[test]
fn moves_that_are_never_reached_are_refused() {
    let text = rapid("VAR num k:=0;\n", "MoveJ p0,v100,fine,tool0;\nIF k=1 MoveL p1,v100,fine,tool0;\n");
    let program = cycled(Language::Rapid, &text);
    assert_eq!((program.motions, program.reached), (2, 1));
    assert!(program.unreached.len() == 1 && program.unreached[0].line == 7, "{:?}", program.unreached);
    let first = good(Language::Rapid, &text);
    assert!(first.unreached.is_empty() && notes(&first, true).is_empty());
    // A routine that nobody calls is listed only.
    let text = rapid("", "MoveJ p0,v100,fine,tool0;\n")
        .replace("ENDMODULE", "PROC service()\nMoveL p1,v100,fine,tool0;\nENDPROC\nENDMODULE");
    let program = cycled(Language::Rapid, &text);
    assert!(notes(&program, true).is_empty(), "{:?}", program.notes);
    assert!(notes(&program, false).iter().any(|note| note.contains("never calls")), "{:?}", program.notes);
    // After EXIT nothing is run, and nothing is started again.
    let text = rapid("", "MoveJ p0,v100,fine,tool0;\nMoveJ p1,v100,fine,tool0;\nEXIT;\n");
    let program = cycled(Language::Rapid, &text);
    assert_eq!(places(&program), [[100, 200, 300], [100, 200, 400]]);
    assert!(notes(&program, true).is_empty(), "{:?}", program.notes);
    let text = text.replace("EXIT;\n", "EXIT;\nMoveL p0,v100,fine,tool0;\n");
    assert_eq!(cycled(Language::Rapid, &text).unreached.len(), 1);

    let src = "DEF a()\nPTP {A1 0,A2 0,A3 0,A4 0,A5 0,A6 0}\nIF 1==2 THEN\nPTP {A1 9,A2 0,A3 0,A4 0,A5 0,A6 0}\nENDIF\nEND\n";
    assert_eq!(cycled(Language::Krl, src).unreached.len(), 1);
    let script = "def f():\n  movej([0,0,0,0,0,0])\n  halt\n  movej([1,0,0,0,0,0])\nend\n";
    assert_eq!(cycled(Language::UrScript, script).unreached.len(), 1);
}

fn job(lines: &str) -> String {
    format!(
        "/JOB\n//NAME A\n//POS\n///NPOS 2,0,0,0,0,0\n///TOOL 0\n///POSTYPE PULSE\n///PULSE\nC00000=0,0,0,0,0,0\nC00001=1000,0,0,0,0,0\n//INST\n///DATE 2000/01/01 00:00\n///ATTR SC,RW\n///GROUP1 RB1\nNOP\n{lines}END\n"
    )
}

/// Jobs are run again and again, and so are programs of others whose profile says so.
#[test]
fn jobs_and_programs_with_lines_are_cycles() {
    let profile =
        Profile::parse("language = \"jbi\"\npulses_per_degree = [100, 1, 1, 1, 1, 1]\n").expect("good");
    let read =
        |text: &str, run: Run<'_>| parse(text.as_bytes(), None, Language::Jbi, &profile, run).expect("good");
    let plain = job("MOVJ C00000 VJ=10\nMOVJ C00001 VJ=10\n");
    let program = read(&plain, Run::default());
    assert_eq!(places(&program).len(), 4, "{:?}", program.notes);
    assert_eq!(places(&read(&plain, Run::ONCE)), [[0, 0, 0], [10, 0, 0]]);
    let stops = job("MOVJ C00000 VJ=10 PL=0\nMOVJ C00001 VJ=10 PL=0\n");
    assert_eq!(places(&read(&stops, Run::default())), [[0, 0, 0], [10, 0, 0], [0, 0, 0]]);
    // In the second round another way is taken.
    let states = job(
        "MOVJ C00000 VJ=10 PL=0\nJUMP *A IF B001=1\nSET B001 1\nJUMP *B\n*A\nMOVJ C00001 VJ=10 PL=0\n*B\n",
    );
    let told = notes(&read(&states, Run::default()), true);
    assert!(told.iter().any(|note| note.contains("not known")), "{told:?}");
    // An inner loop with one jump in each round is no endless one.
    let inner =
        job("MOVJ C00000 VJ=10 PL=0\nSET B001 0\n*A\nMOVJ C00001 VJ=10 PL=0\nINC B001\nJUMP *A IF B001<2\n");
    let program = read(&inner, Run::default());
    assert_eq!(places(&program), [[0, 0, 0], [10, 0, 0], [10, 0, 0], [0, 0, 0]], "{:?}", program.notes);
    // A counter that no jump asks for.
    let counter = job("MOVJ C00000 VJ=10 PL=0\nSET B001 0\nMOVJ C00001 VJ=10 PL=0\n");
    assert!(notes(&read(&counter.replace("SET B001 0", "INC B001"), Run::default()), true).is_empty());
    // What jumps over a move leaves it unreached.
    let over = job("MOVJ C00000 VJ=10 PL=0\nJUMP *A\nMOVJ C00001 VJ=10 PL=0\n*A\n");
    assert_eq!(read(&over, Run::default()).unreached.len(), 1);
    // What holds at its end is not started again.
    let holds = job("MOVJ C00000 VJ=10 PL=0\nMOVJ C00001 VJ=10 PL=0\n*HOLD\nPAUSE\nJUMP *HOLD\n");
    assert_eq!(places(&read(&holds, Run::default())), [[0, 0, 0], [10, 0, 0]]);

    let position = |k: usize, angle: f64| {
        format!(
            "P[{k}]{{\n GP1:\n UF : 0, UT : 0,\n J1 = {angle} deg, J2 = 0 deg, J3 = 0 deg,\n J4 = 0 deg, J5 = 0 deg, J6 = 0 deg\n}};\n"
        )
    };
    let ls = format!(
        "/PROG A\n/MN\n   1:J P[1] 50% FINE ;\n   2:  R[1]=R[1]+1 ;\n   3:J P[2] 50% FINE ;\n/POS\n{}{}/END\n",
        position(1, 10.0),
        position(2, 20.0)
    );
    assert_eq!(places(&cycled(Language::Fanuc, &ls)), [[10, 0, 0], [20, 0, 0]]);
    let again = Profile::parse("language = \"fanuc\"\nat_end = \"repeats\"\n").expect("good");
    let program = parse(ls.as_bytes(), None, Language::Fanuc, &again, None).expect("good");
    assert_eq!(places(&program), [[10, 0, 0], [20, 0, 0], [10, 0, 0]], "{:?}", program.notes);
}

/// External axes of a position are not dropped where it is moved by a frame.
#[test]
fn chained_positions_keep_their_external_axes() {
    let src = |chained: &str| {
        format!(
            "DEF a()\nDECL FRAME f\nDECL E6POS p\n$TOOL={{X 0,Y 0,Z 0,A 0,B 0,C 0}}\n$BASE={{X 0,Y 0,Z 0,A 0,B 0,C 0}}\nf={{X 10,Y 0,Z 0,A 0,B 0,C 0}}\np={{X 100,Y 0,Z 0,A 0,B 0,C 0,S 2,T 3,E1 500}}\nPTP {chained}\nEND\n"
        )
    };
    let program = cycled(Language::Krl, &src("f:p"));
    assert_eq!(program.moves.first().and_then(|one| one.external[0]), Some(500.0), "{:?}", program.notes);
    assert!(!notes(&cycled(Language::Krl, &src("p:f")), true).is_empty());
}

/// Lines between targets in pulses lead the tip, however their corners are rounded.
#[test]
fn lines_between_pulses_lead_the_tip() {
    let cell = builtin::cell();
    let profile =
        Profile::parse("language = \"jbi\"\npulses_per_degree = [1000, 1000, 1000, 1000, 1000, 1000]\n");
    let arm = ControlArm::new(&cell, None, profile.expect("good")).expect("an arm");
    let home: Vec<f64> = builtin::home().iter().map(|angle| angle.to_degrees()).collect();
    let row = |k: usize, by: f64| {
        let pulses: Vec<String> = home
            .iter()
            .enumerate()
            .map(|(axis, angle)| format!("{:.0}", 1000.0 * (angle + if axis == 0 { by } else { 0.0 })))
            .collect();
        format!("C0000{k}={}\n", pulses.join(","))
    };
    let text = |second: f64| {
        let rows: String = [0.0, second, 6.0].iter().enumerate().map(|(k, by)| row(k, *by)).collect();
        format!(
            "/JOB\n//NAME A\n//POS\n///NPOS 3,0,0,0,0,0\n///TOOL 0\n///POSTYPE PULSE\n///PULSE\n{rows}//INST\n///DATE 2000/01/01 00:00\n///ATTR SC,RW\n///GROUP1 RB1\nNOP\nMOVJ C00000 VJ=10 PL=0\nMOVL C00001 V=10 PL=1\nMOVL C00002 V=10 PL=0\nEND\n"
        )
    };
    let options = ResolveOptions { tool_of_cell: true, smooth: Some(0.002), ..ResolveOptions::default() };
    let resolved = |second: f64| {
        let program =
            parse(text(second).as_bytes(), None, Language::Jbi, arm.profile(), Run::ONCE).expect("good");
        resolve(&program, &arm, &options)
    };
    let moves = resolved(3.0).expect("it is understood").moves;
    assert_eq!(moves.iter().map(|one| one.zone).collect::<Vec<_>>(), [0.002, 0.0]);
    // A line to where the tip is moves nothing.
    assert_eq!(resolved(0.0).expect("it is understood").moves.len(), 1);
}

/// No manual says what a controller works out first: the call of a function, or what stands beside it and is changed by it.
#[test]
fn what_a_function_changes_beside_its_call_is_not_known() {
    let text = |statement: &str| {
        format!(
            "MODULE m\n{P0}{P1}VAR num k:=1;\nVAR num j:=1;\nVAR robtarget t:=p0;\nFUNC num next()\nk:=k+1;\nt:=p1;\nRETURN k;\nENDFUNC\nFUNC num plain(num k)\nk:=k+1;\nRETURN k;\nENDFUNC\nPROC main()\n{statement}\nMoveL Offs(p0,0,0,j),v100,fine,tool0;\nENDPROC\nENDMODULE\n"
        )
    };
    for statement in [
        "j:=k+next();",
        "j:=next()-next();",
        "MoveL Offs(p0,k,next(),0),v100,fine,tool0;",
        "MoveC Offs(p0,next(),0,0),t,v100,fine,tool0;",
        "IF k=next() j:=5;",
    ] {
        let told = notes(&good(Language::Rapid, &text(statement)), true);
        assert!(told.iter().any(|note| note.contains("which comes first")), "{statement}: {told:?}");
    }
    for (statement, j) in [("j:=next();", 2), ("j:=j+next();", 3), ("j:=plain(next());", 3)] {
        let program = good(Language::Rapid, &text(statement));
        assert_eq!(places(&program), [[100, 200, 300 + j]], "{statement}: {:?}", program.notes);
    }
}

/// NOT at the beginning of an expression goes as far as AND does; in the middle of one it has to stand in brackets.
#[test]
fn not_goes_as_far_as_and() {
    for (condition, is_true) in
        [("NOT a AND b", true), ("NOT a OR b", false), ("NOT a OR b AND a", false), ("b OR (NOT b)", true)]
    {
        let text = rapid(
            "VAR bool a:=TRUE;\nVAR bool b:=FALSE;\n",
            &format!("IF {condition} MoveL p0,v100,fine,tool0;\n"),
        );
        assert_eq!(places(&good(Language::Rapid, &text)).len(), usize::from(is_true), "{condition}");
    }
}

/// A base that the file does not set is as some other program left it.
#[test]
fn a_base_that_is_not_set_is_not_known() {
    let cell = builtin::cell();
    let arm = ControlArm::new(&cell, None, Profile::of(Language::Krl)).expect("an arm");
    let pose = "PTP {X 750,Y 0,Z 1300,A 0,B 90,C 0,S 2,T 2}\n";
    let text = |base: &str, to: &str| {
        format!(
            "DEF a()\n$TOOL={{X 0,Y 0,Z 0,A 0,B 0,C 0}}\n{base}PTP {{A1 0,A2 -34,A3 15,A4 0,A5 34,A6 0}}\n{to}END\n"
        )
    };
    let resolved = |text: &str, profile: &Profile| {
        let program = parse(text.as_bytes(), None, Language::Krl, profile, Run::ONCE).expect("good");
        let found = resolve(&program, &arm, &ResolveOptions::default());
        found.map(|_| ()).map_err(|notes| format!("{notes:?}"))
    };
    let wrong = resolved(&text("", pose), arm.profile()).expect_err("nobody knows");
    assert!(wrong.contains("'$BASE' is not defined") && wrong.contains("[work."), "{wrong}");
    // Moves from joints to joints need none.
    resolved(&text("", ""), arm.profile()).expect("it is understood");
    let profile = Profile::parse("language = \"krl\"\n[work.\"$BASE\"]\nxyz_mm = [0, 0, 0]\n").expect("good");
    let given = resolved(&text("", pose), &profile);
    assert!(!given.as_ref().is_err_and(|why| why.contains("is not defined")), "{given:?}");
}

/// Which of two routines of one name is called is not known: functions within functions may have the same name, too.
#[test]
fn a_name_is_defined_once() {
    let ur = |first: &str, second: &str| {
        format!(
            "def a():\n  def {first}():\n    movej([1,0,0,0,0,0])\n  end\n  def {second}():\n    sleep(1)\n  end\n  {first}()\nend\n"
        )
    };
    assert_eq!(places(&good(Language::UrScript, &ur("x", "y"))), [[57, 0, 0]]);
    let wrong = read(Language::UrScript, &ur("x", "x")).expect_err("twice");
    assert!(wrong.contains("a second time"), "{wrong}");
    let krl = "DEF a()\nx()\nEND\nDEF x()\nEND\nDEF X()\nEND\n";
    assert!(read(Language::Krl, krl).is_err_and(|wrong| wrong.contains("a second time")));
    let two = rapid("", "x;\n").replace("ENDMODULE", "PROC x()\nENDPROC\nPROC X()\nENDPROC\nENDMODULE");
    assert!(read(Language::Rapid, &two).is_err_and(|wrong| wrong.contains("a second time")));
}

/// The corner at the end of a round hangs on the move before it: two rounds that end in the same move are not alike for that.
#[test]
fn corners_between_rounds_are_made() {
    let second = |program: &RobotProgram| {
        let all = places(program);
        let is_there =
            all.windows(3).any(|three| three == [[500, 200, 900], [700, 200, 900], [700, -200, 900]]);
        (is_there, all)
    };
    let line =
        |x: i32, y: i32| format!("movel(p[0.{x},{}0.2,0.9,0,3.1415926,0]", if y < 0 { "-" } else { "" });
    let text = format!(
        "def a():\nmovej([0,-0.6,0.2,0,0.6,0])\nfirst=True\nwhile True:\nif first:\n{})\nelse:\n{})\n{})\nend\nfirst=False\n{},r=0.1)\nend\nend\n",
        line(9, 1),
        line(7, -1),
        line(5, 1),
        line(7, 1)
    );
    let (is_there, all) = second(&good(Language::UrScript, &text));
    assert!(is_there, "{all:?}");
    let lin = |x: i32, y: i32| format!("LIN {{X {x},Y {y},Z 900,A 0,B 180,C 0}}");
    let text = format!(
        "DEF a()\nBOOL first\nfirst=TRUE\n$BASE={{X 0,Y 0,Z 0,A 0,B 0,C 0}}\n$TOOL=$BASE\n$APO.CDIS=100\nPTP {{A1 0,A2 0,A3 0,A4 0,A5 0,A6 0}}\nLOOP\nIF first THEN\n{}\nELSE\n{}\n{}\nENDIF\nfirst=FALSE\n{} C_DIS\nENDLOOP\nEND\n",
        lin(900, 200),
        lin(700, -200),
        lin(500, 200),
        lin(700, 200)
    );
    let (is_there, all) = second(&good(Language::Krl, &text));
    assert!(is_there, "{all:?}");
    let target = |x: i32, y: i32, zone: &str| {
        format!("MoveL [[{x},{y},900],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,{zone},tool0;\n")
    };
    let round = format!(
        "IF first THEN\n{}ELSE\n{}{}ENDIF\nfirst:=FALSE;\n{}",
        target(900, 200, "fine"),
        target(700, -200, "fine"),
        target(500, 200, "fine"),
        target(700, 200, "z50")
    );
    let module =
        |body: &str| format!("MODULE m\nVAR bool first:=TRUE;\nPROC main()\n{body}ENDPROC\nENDMODULE\n");
    let (is_there, all) =
        second(&good(Language::Rapid, &module(&format!("WHILE TRUE DO\n{round}ENDWHILE\n"))));
    assert!(is_there, "{all:?}");
    let (is_there, all) = second(&cycled(Language::Rapid, &module(&round)));
    assert!(is_there, "{all:?}");
}

/// A tool that comes back to its place may have turned an axis by a whole turn: rounds in which no target tells the posture are compared.
#[test]
fn rounds_end_in_the_same_posture() {
    let cell = builtin::cell();
    let arm = |profile: Profile| ControlArm::new(&cell, None, profile).expect("an arm");
    let resolved = |text: &str| {
        let program = good(Language::UrScript, text);
        let arm = arm(Profile::of(Language::UrScript));
        let options = ResolveOptions { tool_of_cell: true, ..ResolveOptions::default() };
        (program.closing.len(), resolve(&program, &arm, &options).map_err(|notes| notes[0].what.clone()))
    };
    // Corners of a square by their postures, each with the last axis turned.
    let ur = arm(Profile::of(Language::UrScript));
    let program = |turns: [f64; 4]| {
        let corners = [(-0.1, 0.2), (0.1, 0.2), (0.1, 0.3), (-0.1, 0.3)];
        let lines: String = corners
            .iter()
            .zip(turns)
            .map(|((first, third), turn)| {
                let flange = ur.world_from_flange(
                    &ur.from_controller(&[*first, -0.2, *third, 0.0, 1.2, turn - 6.0], &[0.0; 6]),
                );
                let pose = ur.world_from_targets(&Default::default()).inverse() * flange;
                let (p, r) = (pose.translation(), rotation_vector(&pose));
                format!("movel(p[{},{},{},{},{},{}])\n", p.x, p.y, p.z, r.x, r.y, r.z)
            })
            .collect();
        format!(
            "def a():\nset_tcp(p[0,0,0,0,0,0])\nmovej([0,-0.2,0.2,0,1.2,-6])\nwhile True:\n{lines}end\nend\n"
        )
    };
    let (closings, found) = resolved(&program([0.0, 0.4, 0.0, 0.2]));
    assert_eq!(closings, 1);
    assert!(found.is_ok(), "{found:?}");
    let (closings, found) = resolved(&program([0.0, 1.6, 3.2, 4.7]));
    assert_eq!(closings, 1);
    let why = found.expect_err("the last axis makes a turn in each round");
    assert!(why.contains("another posture"), "{why}");
}

/// A data list that other programs can import keeps nothing.
#[test]
fn public_data_may_be_set_by_others() {
    let src = b"DEF m()\nn=0\nWAIT SEC 5\nIF n==1 THEN\nPTP {A1 0,A2 20,A3 0,A4 0,A5 0,A6 0}\nENDIF\nPTP {A1 0,A2 0,A3 0,A4 0,A5 0,A6 0}\nEND\n";
    for (head, is_known) in [("DEFDAT m", true), ("DEFDAT m PUBLIC", false)] {
        let dat = format!("{head}\nDECL INT n=0\nENDDAT\n");
        let profile = Profile::of(Language::Krl);
        let program =
            parse(src, Some(dat.as_bytes()), Language::Krl, &profile, Run::ONCE).expect("a program");
        assert_eq!(notes(&program, true).is_empty(), is_known, "{head}: {:?}", program.notes);
    }
}

/// Headers of FANUC programs that change how all of it moves.
#[test]
fn headers_that_move_otherwise_are_refused() {
    let text = |header: &str| {
        format!(
            "/PROG A\n/ATTR\n/APPL\n{header}\n/MN\n 1:J P[1] 50% FINE ;\n/POS\nP[1]{{\n GP1:\n UF : 0, UT : 1,\n J1 = 0 deg, J2 = 0 deg, J3 = 0 deg, J4 = 0 deg, J5 = 0 deg, J6 = 0 deg\n}};\n/END\n"
        )
    };
    for quiet in [
        "",
        "AUTO_SINGULARITY_HEADER;\n  ENABLE_SINGULARITY_AVOIDANCE   : FALSE;",
        "LINE_TRACK;\n  LINE_TRACK_SCHEDULE_NUMBER      : 0;",
    ] {
        assert!(read(Language::Fanuc, &text(quiet)).is_ok(), "{quiet}");
    }
    for (header, word) in [
        ("AUTO_SINGULARITY_HEADER;\n  ENABLE_SINGULARITY_AVOIDANCE   : TRUE;", "singularities"),
        (
            "LINE_TRACK;\n  LINE_TRACK_SCHEDULE_NUMBER      : 1;\n  LINE_TRACK_BOUNDARY_NUMBER : 1;",
            "conveyor",
        ),
    ] {
        let why = read(Language::Fanuc, &text(header)).expect_err("it moves otherwise");
        assert!(why.contains(word), "{why}");
    }
}

/// What BAS copies from the data of the next moves, and what it sets to what the controller begins with.
#[test]
fn bas_sets_how_corners_are_rounded() {
    let zone = |lines: &str| {
        let text = format!(
            "DEF a()\n$BASE={{X 0,Y 0,Z 0,A 0,B 0,C 0}}\n$TOOL=$BASE\n$APO.CDIS=5\n{lines}\n$BASE={{X 0,Y 0,Z 0,A 0,B 0,C 0}}\n$TOOL=$BASE\nPTP {{A1 0,A2 0,A3 0,A4 0,A5 0,A6 0}}\nLIN {{X 900,Y 0,Z 900,A 0,B 180,C 0}} C_DIS\nLIN {{X 900,Y 200,Z 900,A 0,B 180,C 0}}\nEND\n"
        );
        let program = good(Language::Krl, &text);
        let is_told = !notes(&program, true).is_empty();
        (program.moves.get(1).map(|one| one.zone), is_told)
    };
    use crate::robot_program::Zone::Radius;
    assert_eq!(zone(""), (Some(Radius(0.005)), false));
    assert_eq!(zone("LDAT_ACT={VEL 2.0,ACC 100,APO_DIST 100}\nBAS(#CP_DAT)"), (Some(Radius(0.1)), false));
    assert!(zone("LDAT_ACT={VEL 2.0,ACC 100,APO_DIST 100,ORI_TYP #CONSTANT}\nBAS(#CP_DAT)").1);
    assert!(zone("BAS(#CP_DAT)").1);
    let (found, is_told) = zone("BAS(#INITMOV,0)");
    assert!(is_told || !matches!(found, Some(Radius(_))), "{found:?}");
}
