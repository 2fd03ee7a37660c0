//! Programs that hide a move to a bad posture: in a branch that nobody can decide, a second round, a handler, behind an odd character.
//!
//! `attacks.txt` has them. Each is put between a move to a good posture and another. What is called `free` makes no bad move; of the others the
//! reader has to know the bad move, or say that it does not know.

use crate::robot_program::{Language, Profile, RobotProgram, Run, Target, parse};

/// Axis 2 is beyond this in the bad posture, and far below it in the others, in degrees.
const BAD: f64 = 15.0;

struct Attack {
    language: Language,
    name: String,
    is_free: bool,
    parts: [String; 4],
}

/// What stands in the file: `language NAME`, `free NAME` or `hides NAME`, then lines of declarations, of the body, of what follows it, and of
/// the data list of KUKA.
fn attacks() -> Vec<Attack> {
    let mut found: Vec<Attack> = Vec::new();
    let mut language = Language::Rapid;
    for line in include_str!("attacks.txt").lines() {
        let (key, rest) = line.split_once(' ').expect("a key and something");
        match key {
            "language" => language = Language::named(rest).expect("a language"),
            "free" | "hides" => found.push(Attack {
                language,
                name: rest.into(),
                is_free: key == "free",
                parts: Default::default(),
            }),
            _ => {
                let part =
                    ["data", "body", "rest", "dat"].iter().position(|known| *known == key).expect("a part");
                let part = &mut found.last_mut().expect("a name comes first").parts[part];
                part.push_str(&plain(rest));
                part.push('\n');
            }
        }
    }
    found
}

/// Puts characters for what is written as `\x1a`.
fn plain(text: &str) -> String {
    let mut parts = text.split("\\x");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = u8::from_str_radix(&part[..2], 16).expect("two digits");
        plain.push(char::from(code));
        plain.push_str(&part[2..]);
    }
    plain
}

fn text(attack: &Attack) -> String {
    let bad = match attack.language {
        Language::Rapid => "MoveAbsJ bad,v100,fine,tool0;",
        Language::Krl => "PTP {A1 0,A2 20,A3 10,A4 0,A5 60,A6 180}",
        Language::UrScript => "movej([0,d2r(20),d2r(10),0,d2r(60),3.14])",
        Language::Fanuc => "J P[3] 50% FINE",
        Language::Jbi => "MOVJ C00002 VJ=10 PL=0",
    };
    let [data, body, rest, _] = attack.parts.each_ref().map(|part| part.replace("BAD", bad));
    match attack.language {
        Language::Rapid => {
            let target = |name: &str, axes: &str| {
                format!("CONST jointtarget {name}:=[[{axes}],[9E9,9E9,9E9,9E9,9E9,9E9]];\n")
            };
            let targets =
                [("home", "0,-35,15,0,35,0"), ("good", "5,-30,15,0,35,0"), ("bad", "0,20,10,0,60,180")];
            let targets: String = targets.iter().map(|(name, axes)| target(name, axes)).collect();
            format!(
                "MODULE m\n{targets}{data}PROC main()\nMoveAbsJ home,v100,fine,tool0;\n{body}MoveAbsJ good,v100,fine,tool0;\nENDPROC\n{rest}ENDMODULE\n"
            )
        }
        Language::Krl => format!(
            "DEF main()\n{data}PTP {{A1 0,A2 -35,A3 15,A4 0,A5 35,A6 0}}\n{body}PTP {{A1 5,A2 -30,A3 15,A4 0,A5 35,A6 0}}\nEND\n{rest}"
        ),
        Language::UrScript => format!(
            "def prog():\n{data}  movej([0,d2r(-35),d2r(15),0,d2r(35),0])\n{body}  movej([0.08,d2r(-30),d2r(15),0,d2r(35),0])\nend\n"
        ),
        Language::Fanuc => {
            let lines = format!("J P[1] 50% FINE\n{body}J P[2] 50% FINE\n");
            let lines: String =
                lines.lines().enumerate().map(|(k, line)| format!("{:4}:{line} ;\n", k + 1)).collect();
            let position = |k: usize, j: [f64; 6]| {
                let [a, b, c, d, e, f] = j;
                format!(
                    "P[{k}]{{\n GP1:\n UF : 0, UT : 1,\n J1 = {a} deg, J2 = {b} deg, J3 = {c} deg,\n J4 = {d} deg, J5 = {e} deg, J6 = {f} deg\n}};\n"
                )
            };
            let positions = [
                position(1, [0.0, -35.0, 15.0, 0.0, 35.0, 0.0]),
                position(2, [5.0, -30.0, 15.0, 0.0, 35.0, 0.0]),
                position(3, [0.0, 20.0, 10.0, 0.0, 60.0, 180.0]),
            ];
            format!("/PROG A\n/ATTR\n/MN\n{lines}/POS\n{}/END\n", positions.concat())
        }
        Language::Jbi => format!(
            "/JOB\n//NAME A\n//POS\n///NPOS 3,0,0,0,0,0\n///TOOL 0\n///POSTYPE PULSE\n///PULSE\nC00000=0,-35000,15000,0,35000,0\nC00001=5000,-30000,15000,0,35000,0\nC00002=0,20000,10000,0,60000,180000\n//INST\n///DATE 2000/01/01 00:00\n///ATTR SC,RW\n///GROUP1 RB1\nNOP\nMOVJ C00000 VJ=10 PL=0\n{body}MOVJ C00001 VJ=10 PL=0\nEND\n"
        ),
    }
}

/// Whether one of the moves is the bad one; a pose counts, too, for there is none in what is free.
fn is_bad(program: &RobotProgram) -> bool {
    program.moves.iter().any(|one| match &one.to {
        Target::Joints(axes) => axes[1].to_degrees() > BAD,
        Target::Pose(..) => true,
    })
}

#[test]
fn no_program_hides_a_move() {
    let all = attacks();
    assert!(all.len() > 150, "{}", all.len());
    let mut wrong = Vec::new();
    for attack in &all {
        let text = text(attack);
        let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
        let dat = &attack.parts[3];
        let dat = (!dat.is_empty()).then(|| format!("DEFDAT main\n{dat}ENDDAT\n"));
        let found = run_bytes(attack.language, &bytes, dat.as_deref().map(str::as_bytes));
        let is_told = match &found {
            Err(_) => true,
            Ok(program) => {
                program.notes.iter().any(|note| note.moves)
                    || !program.unreached.is_empty()
                    || is_bad(program)
            }
        };
        if is_told == attack.is_free {
            wrong.push(format!("{:?} {}", attack.language, attack.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), all.len());
}

/// Where the rest of a program is proven although something in it is not understood, the way from the first posture to the last is none that is claimed:
/// the bad move may come between them.
#[test]
fn no_partial_answer_hides_a_move() {
    let mut wrong = Vec::new();
    for attack in attacks().iter().filter(|attack| !attack.is_free) {
        let text = text(attack);
        let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
        let dat = &attack.parts[3];
        let dat = (!dat.is_empty()).then(|| format!("DEFDAT main\n{dat}ENDDAT\n"));
        let Ok(program) = run_bytes(attack.language, &bytes, dat.as_deref().map(str::as_bytes)) else {
            continue;
        };
        let Some(doubtful) = &program.doubtful else { continue };
        if is_bad(&program) || !program.unreached.is_empty() {
            continue;
        }
        let claims = program.moves.windows(2).any(|pair| {
            let is_good = matches!(&pair[1].to, Target::Joints(axes) if axes[1].to_degrees() < BAD);
            is_good && pair[0].to != pair[1].to && !pair[1].after_gap && !doubtful.contains(&pair[1].line)
        });
        let closes = program.moves.iter().any(|one| one.after_gap && !one.is_again);
        if claims && !closes {
            wrong.push(format!("{:?} {}\n{text}\n{:?}", attack.language, attack.name, program.notes));
        }
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
}

fn run_bytes(language: Language, bytes: &[u8], dat: Option<&[u8]>) -> Result<RobotProgram, ()> {
    let profile = match language {
        Language::Jbi => {
            Profile::parse("language = \"jbi\"\npulses_per_degree = [1000, 1000, 1000, 1000, 1000, 1000]\n")
                .expect("good")
        }
        other => Profile::of(other),
    };
    parse(bytes, dat, language, &profile, Run::default()).map_err(|_| ())
}
