//! Robot programs on the command line.

use crate::run::{Run, kansho};

/// The cell of the demo.
struct Demo(tempfile::TempDir);

/// With the tool of the demo, and targets near its home: 0, -0.6, 0.26, 0, 0.6, 0.
const HEAD: &str = "MODULE weld\n  PROC main()\n    ConfL\\Off;\n    MoveAbsJ [[0,-34.37747,14.89690,0,34.37747,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,gun;\n";

fn line(xyz_mm: [f64; 3], zone: &str) -> String {
    let [x, y, z] = xyz_mm;
    format!("    MoveL [[{x},{y},{z}],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,{zone},gun;\n")
}

fn module(moves: &str) -> String {
    format!("{HEAD}{moves}  ENDPROC\nENDMODULE\n")
}

impl Demo {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("demo").to_string_lossy().into_owned();
        let run = kansho(["demo", "--no-open", "--out", &out]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("written");
    }

    fn check(&self, name: &str, text: &str, more: &[&str]) -> Run {
        self.write(name, text);
        let (cell, path) = (self.path("demo/cell.toml"), self.path(name));
        kansho(["check", &cell, &path].iter().copied().chain(more.iter().copied()))
    }
}

/// A collision is planted between two points that are free: it is found, with its line and its time.
#[test]
fn a_planted_collision_is_caught_with_line_and_time() {
    let demo = Demo::new();
    // Line 5 leads to the start of lines, line 6 down through the sheet, whose other side is free again.
    let free = module(
        &(line([750.0, 100.0, 1400.0], "fine")
            + &line([750.0, 200.0, 1400.0], "z1")
            + &line([750.0, 200.0, 1300.0], "fine")),
    );
    let run = demo.check("free.mod", &free, &["--json"]);
    let answer = run.json();
    assert_eq!((run.code, answer["verdict"].as_str()), (0, Some("free")), "{}{}", run.stdout, run.stderr);
    let planted = module(&(line([950.0, 100.0, 1400.0], "fine") + &line([950.0, 100.0, 300.0], "fine")));
    let run = demo.check("planted.mod", &planted, &["--json"]);
    let answer = run.json();
    assert_eq!((run.code, answer["verdict"].as_str()), (1, Some("touches")), "{}{}", run.stdout, run.stderr);
    assert_eq!((answer["line"].as_u64(), answer["move"].as_u64()), (Some(6), Some(3)), "{answer}");
    assert!(
        answer["pair"].as_str().is_some_and(|pair| pair.ends_with("|fixture") || pair.ends_with("|sheet")),
        "{answer}"
    );
    // A metre and a tenth at a tenth of a metre per second, after the way to its start.
    let (seconds, fraction) =
        (answer["seconds"].as_f64().expect("a time"), answer["fraction"].as_f64().expect("a fraction"));
    assert!(fraction > 0.0 && fraction < 1.0 && seconds > 11.0 * fraction, "{seconds} {fraction}");
    let told = demo.check("planted.mod", &planted, &[]).stdout;
    assert!(told.contains("(line 6 after ") && told.contains(" s: move 3, lin, "), "{told}");
}

/// What is proven is certified and verified like any motion.
#[test]
fn programs_are_certified() {
    let demo = Demo::new();
    let text = module(&(line([750.0, 100.0, 1400.0], "z1") + &line([750.0, 100.0, 1450.0], "fine")));
    let certificate = demo.path("c.json");
    let run = demo.check("free.mod", &text, &["--certificate", &certificate]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let (cell, program) = (demo.path("demo/cell.toml"), demo.path("free.mod"));
    let verified = kansho(["verify", &certificate, &cell, &program]);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
}

/// Whatever is not known is refused, with its line and the reason.
#[test]
fn nothing_is_guessed() {
    let demo = Demo::new();
    let far = line([5000.0, 0.0, 0.0], "fine");
    for (moves, more, line, expected) in [
        ("    Grip;\n".to_owned(), &[][..], ":5:", "'grip' is not known, and could move the robot"),
        ("    MoveL p9,v100,fine,gun;\n".into(), &[], ":5:", "'p9' is not known"),
        (
            "    MoveAbsJ [[400,0,0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,gun;\n".into(),
            &[],
            ":5:",
            "outside its limits of -170",
        ),
        (
            "    MoveJ [[5000,0,0],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,gun;\n".into(),
            &[],
            ":5:",
            "out of reach",
        ),
        (
            "    MoveJ [[750,100,1400],[0,0,1,0],[0,0,0,6],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,gun;\n"
                .into(),
            &[],
            ":5:",
            "not reached in the configuration [0,0,0,6]",
        ),
        (far, &[], ":5:", "out of reach"),
        (
            "    MoveAbsJ [[0,-30,15,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,z50,gun;\n".to_owned()
                + &line([750.0, 100.0, 1400.0], "fine"),
            &[],
            ":5:",
            "--fine",
        ),
        (line([750.0, 100.0, 1400.0], "fine"), &["--profile", "none.toml"], "none.toml", "no such file"),
        (
            line([750.0, 100.0, 1400.0], "fine"),
            &["--zone", "0.1"],
            "bad.mod",
            "--zone is no matter of robot programs",
        ),
        (line([750.0, 100.0, 1400.0], "fine"), &["--robot", "other"], "other", "there is no robot"),
        (
            line([750.0, 100.0, 1400.0], "fine"),
            &["--entry", "other"],
            "other",
            "there is no procedure 'other'",
        ),
    ] {
        let run = demo.check("bad.mod", &module(&moves), more);
        assert_eq!(run.code, 3, "{moves}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(expected) && run.stderr.contains(line), "{moves}: {}", run.stderr);
    }
    let blended = "    MoveAbsJ [[0,-30,15,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,z50,gun;\n".to_owned()
        + "    MoveAbsJ [[5,-30,15,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,gun;\n";
    let run = demo.check("fine.mod", &module(&blended), &["--fine"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("as if the robot stopped there"), "{}", run.stderr);
    for (name, text) in [
        ("cut.mod", &module("")[..60]),
        ("cut.src", "DEF a( )\nPTP {A1 0"),
        ("cut.ls", "/PROG A\n/MN\n1:J P["),
        ("cut.jbi", "/JOB\n//NAME"),
        ("cut.script", "def f():\n movej("),
    ] {
        let run = demo.check(name, text, &[]);
        assert_eq!(run.code, 3, "{name}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(name), "{}", run.stderr);
    }
}

/// From one language to all others and back: each is checked with the same verdict, and the postures agree.
#[test]
fn programs_are_converted() {
    let demo = Demo::new();
    let text = module(&(line([750.0, 100.0, 1400.0], "fine") + &line([750.0, 200.0, 1380.0], "fine")));
    demo.write("a.mod", &text);
    let cell = demo.path("demo/cell.toml");
    let convert = |from: &str, to: &str, more: &[&str]| {
        let (from, to) = (demo.path(from), demo.path(to));
        let run =
            kansho(["convert", &from, &to, "--cell", &cell].iter().copied().chain(more.iter().copied()));
        assert_eq!(run.code, 0, "{from} {to}: {}{}", run.stdout, run.stderr);
    };
    convert("a.mod", "a.csv", &[]);
    let rows = |name: &str| -> Vec<Vec<f64>> {
        let text = std::fs::read_to_string(demo.path(name)).expect("written");
        text.lines()
            .skip(1)
            .map(|row| row.split(',').map(|word| word.parse().expect("a number")).collect())
            .collect()
    };
    let first = rows("a.csv");
    assert_eq!(first.len(), 3);
    for end in ["mod", "src", "ls", "script", "jbi", "json"] {
        let name = format!("b.{end}");
        // Jobs of Yaskawa have joint values in pulses, which nobody told.
        convert("a.mod", &name, if end == "jbi" { &["--targets", "poses"] } else { &[] });
        let path = demo.path(&name);
        let run = kansho(["check", &cell, &path, "--json"]);
        assert_eq!(
            (run.code, run.json()["verdict"].as_str()),
            (0, Some("free")),
            "{name}: {}{}",
            run.stdout,
            run.stderr
        );
        if end == "json" {
            continue;
        }
        convert(&name, "back.csv", &[]);
        for (a, b) in first.iter().zip(rows("back.csv")) {
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5), "{name}: {a:?} {b:?}");
        }
    }
    // A motion of ours becomes a program.
    convert("a.csv", "c.ls", &["--motion", "lin", "--speed", "0.05"]);
    let text = std::fs::read_to_string(demo.path("c.ls")).expect("written");
    assert!(text.contains("L P[2] 50mm/sec FINE ;"), "{text}");
    for (from, to, expected) in [
        ("a.mod", "a.stl", "no format"),
        ("a.mod", "a.mod", "is an input"),
        ("none.mod", "b.ls", "no such file"),
    ] {
        let (from, to) = (demo.path(from), demo.path(to));
        let run = kansho(["convert", &from, &to, "--cell", &cell]);
        assert!(run.code == 3 && run.stderr.contains(expected), "{} {}", run.code, run.stderr);
    }
    let (from, to) = (demo.path("a.mod"), demo.path("d.ls"));
    let run = kansho(["convert", &from, &to]);
    assert!(run.code == 3 && run.stderr.contains("--cell"), "{}", run.stderr);
}

#[test]
fn toolpaths_become_tables() {
    let demo = Demo::new();
    demo.write("path.apt", "UNITS/MM\nMULTAX/ON\nRAPID\nGOTO/1,2,3,0,0,1\nGOTO/4,5,6,0,0,1\nFINI\n");
    demo.write("path.nc", "G1 X1 Y2\n");
    let (from, to) = (demo.path("path.apt"), demo.path("path.csv"));
    let run = kansho(["convert", &from, &to]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "path.csv: 2 points written\n"), "{}", run.stderr);
    let text = std::fs::read_to_string(&to).expect("written");
    assert_eq!(
        text.lines().nth(2),
        Some("0,4.000000,5.000000,6.000000,-0.000000000,-0.000000000,-1.000000000")
    );
    let from = demo.path("path.nc");
    let run = kansho(["convert", &from, &to]);
    assert!(
        run.code == 3 && run.stderr.contains("path.nc:1:") && run.stderr.contains("G43.4"),
        "{}",
        run.stderr
    );
    let run = kansho(["convert", &from, &to, "--three-axis"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

/// A plan writes programs in the languages that its job names; each is the proven motion.
#[test]
fn plans_write_programs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let out = at("");
    let run = kansho(["demo", "--no-plan", "--every", "60", "10", "--out", &out]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let job = at("job.toml");
    let text = std::fs::read_to_string(&job).expect("there");
    std::fs::write(&job, text + "[output]\npost = [\"rapid\", \"krl\", \"fanuc\", \"urscript\", \"jbi\"]\n")
        .expect("written");
    let plan = at("plan");
    let run = kansho(["plan", &job, "--out", &plan, "--no-certificate", "--motion", "ptp", "--json"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let cell = at("cell.toml");
    for name in ["program.mod", "program.src", "program.dat", "program.ls", "program.script", "program.jbi"] {
        assert!(
            run.json()["files"].as_array().is_some_and(|files| files.iter().any(|file| file == name)),
            "{name}"
        );
        if name == "program.dat" {
            continue;
        }
        let program = at(&format!("plan/{name}"));
        let run = kansho(["check", &cell, &program, "--json"]);
        assert_eq!(
            (run.code, run.json()["verdict"].as_str()),
            (0, Some("free")),
            "{name}: {}{}",
            run.stdout,
            run.stderr
        );
    }
}

/// Real programs of others: what is understood of them is counted, and nothing is passed over in silence.
#[test]
fn real_programs_are_counted() {
    let Some(data) = crate::run::real_data() else { return };
    for (file, moves, could_move) in [
        ("rapid/hanoi_sim_T_ROB_R_Module1.mod", None, true),
        ("rapid/yumi_T_ROB_L_Module1.mod", None, true),
        ("rapid/yumi_T_ROB_R_Module1.mod", None, true),
        ("robodk_samples/Program.mod", Some(6), true),
        ("robodk_samples/Program.src", Some(6), true),
        ("robodk_samples/Program.LS", Some(6), true),
        ("robodk_samples/PROGRAM.JBI", Some(5), true),
        ("fanuc_tp/test.ls", Some(2), false),
        ("inform/ROS_R1.JBI", Some(0), false),
        ("krl/ros_rsi_KRC4.src", Some(2), true),
    ] {
        let path = data.join("toolpaths").join(file).to_string_lossy().into_owned();
        let run = kansho(["info", "--json", &path]);
        let answer = run.json()["files"][0].clone();
        assert_eq!(run.code, 0, "{file}: {answer}");
        if let Some(moves) = moves {
            assert_eq!(answer["moves"].as_u64(), Some(moves), "{file}: {answer}");
        }
        assert_eq!(
            answer["could_move"].as_u64().is_some_and(|count| count > 0),
            could_move,
            "{file}: {answer}"
        );
    }
}
