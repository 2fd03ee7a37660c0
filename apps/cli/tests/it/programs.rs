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
        let run = kansho(["demo", "--no-plan", "--out", &out]);
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
        kansho(["check", &cell, &path, "--tool-of-cell"].iter().copied().chain(more.iter().copied()))
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

/// A move that is never reached leaves the program undecided, whatever the others do; in one round it does not count.
#[test]
fn moves_that_are_never_reached_leave_a_program_undecided() {
    let demo = Demo::new();
    let text = module(&format!(
        "{}    IF 1=2 {}",
        line([750.0, 100.0, 1400.0], "fine"),
        line([750.0, 200.0, 1400.0], "fine").trim_start()
    ));
    let run = demo.check("never.mod", &text, &[]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.starts_with("undecided: one move of this program is never reached"), "{}", run.stdout);
    assert!(run.stderr.contains("never reached") && run.stderr.contains("never.mod:6:"), "{}", run.stderr);
    let certificate = demo.path("never.json");
    let run = demo.check("never.mod", &text, &["--json", "--certificate", &certificate]);
    assert_eq!(
        (run.code, &run.json()["verdict"], &run.json()["unreached"]),
        (2, &serde_json::json!("undecided"), &serde_json::json!(1))
    );
    assert!(!std::path::Path::new(&certificate).exists());
    let run = demo.check("never.mod", &text, &["--once"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("(--once)"), "{}", run.stderr);
    let info = kansho(["info", &demo.path("never.mod")]);
    assert!(info.stdout.contains("reached  2 of 3 motion statements"), "{}", info.stdout);
}

/// A program that loads a lathe and does not come back: its controller starts it again, and the robot goes home through the doors.
#[test]
fn the_way_back_to_the_first_target_is_checked() {
    let cell = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cells/arm-on-rail");
    let text = std::fs::read_to_string(cell.join("free.mod")).expect("an example");
    let back = "    MoveL door,v100,fine,gripper;\n    MoveAbsJ home,v500,fine,gripper;\n";
    assert!(text.contains(back));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("load.mod").to_string_lossy().into_owned();
    std::fs::write(&program, text.replace(back, "")).expect("written");
    let cell = cell.join("cell.toml").to_string_lossy().into_owned();
    let run = kansho(["check", &cell, &program, "--json"]);
    assert_eq!((run.code, run.json()["line"].as_u64()), (1, Some(9)), "{}{}", run.stdout, run.stderr);
    let run = kansho(["check", &cell, &program, "--once"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
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
    let verified = kansho(["verify", &certificate, &cell, &program, "--tool-of-cell"]);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
}

/// A corner with so large a turn that no bound holds is refused, and a stop by `--fine`, as its help promises; each is named.
#[test]
fn unbounded_corners_are_stops_if_wanted() {
    let demo = Demo::new();
    let turned = "    MoveL [[750,200,1400],[0,0.7071068,0.7071068,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,z50,gun;\n";
    let moves = line([750.0, 100.0, 1400.0], "z50") + turned + &line([850.0, 200.0, 1400.0], "fine");
    // Behind such a corner, the posture is known again at a target in joint values.
    let home = HEAD.lines().last().expect("a move");
    let behind = format!("{home}\n{}", line([750.0, 100.0, 1400.0], "fine"));
    let moves = moves + &behind;
    let run = demo.check("corner.mod", &module(&moves), &[]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("proven   lines 4 and 9 free"), "{}", run.stdout);
    assert!(
        run.stdout.contains("open     line 6: in which posture the robot begins here is not known"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("open     line 5: ") && run.stdout.contains("too much to be bounded"),
        "{}",
        run.stdout
    );
    let run = demo.check("corner.mod", &module(&moves), &["--fine"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.stderr.matches("more ways than can be bounded").count(), 2, "{}", run.stderr);
    assert!(run.stderr.contains(":5:") && run.stderr.contains(":6:"), "{}", run.stderr);
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
    // A corner beside a linear move is open, the moves around it are not.
    let beside = "    MoveAbsJ [[0,-30,15,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,z50,gun;\n".to_owned()
        + &line([750.0, 100.0, 1400.0], "fine");
    let run = demo.check("bad.mod", &module(&beside), &[]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("open     line 5: ") && run.stdout.contains("--fine"), "{}", run.stdout);
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
        let always = ["convert", &from, &to, "--cell", &cell, "--tool-of-cell"];
        let run = kansho(always.iter().copied().chain(more.iter().copied()));
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
        let run = kansho(["check", &cell, &path, "--json", "--tool-of-cell"]);
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
        let run = kansho(["convert", &from, &to, "--cell", &cell, "--tool-of-cell"]);
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
    // The unit that is given counts, with a warning where the file names another one.
    let apt = demo.path("path.apt");
    let run = kansho(["convert", &apt, &to, "--units", "in"]);
    assert!(
        run.code == 0 && run.stderr.contains("UNITS/MM names another unit than --units"),
        "{}",
        run.stderr
    );
    let text = std::fs::read_to_string(&to).expect("written");
    assert!(
        text.lines().nth(1).is_some_and(|line| line.starts_with("0,25.400000,50.800000,76.200000,")),
        "{text}"
    );
    let run = kansho(["convert", &apt, &to, "--three-axis"]);
    assert!(
        run.code == 3 && run.stderr.contains("--rotary and --three-axis are of G-code"),
        "{}",
        run.stderr
    );
    // What may move the tool is refused by all commands alike.
    demo.write("home.apt", "UNITS/MM\nGOTO/1,2,3\nGOHOME\nFINI\n");
    let home = demo.path("home.apt");
    for run in [kansho(["convert", &home, &to]), kansho(["info", &home])] {
        assert!(run.code == 3 && run.stderr.contains("home.apt:3:1"), "{}", run.stderr);
    }
}

/// Sequences of Pilz become programs; blend radii become zones, which is said.
#[test]
fn sequences_of_pilz_become_lists_of_moves() {
    let demo = Demo::new();
    let pos = |name: &str, joint: f64| {
        format!("<pos name=\"{name}\"><joints group_name=\"g\">{joint} -0.6 0.26 0 0.6 0</joints></pos>")
    };
    let ptp = |name: &str, from: &str, to: &str| {
        format!(
            "<ptp name=\"{name}\"><targetLink>tool0</targetLink><startPos>{from}</startPos><endPos>{to}</endPos></ptp>"
        )
    };
    let text = format!(
        "<testdata><poses>{}{}{}</poses><ptps>{}{}</ptps>\n<sequences><blend name=\"s\">\n<sequenceCmd name=\"p\" blend_radius=\"0.01\"/>\n<sequenceCmd name=\"q\"/></blend></sequences></testdata>",
        pos("a", 0.0),
        pos("b", 0.1),
        pos("c", 0.2),
        ptp("p", "a", "b"),
        ptp("q", "b", "c"),
    );
    demo.write("s.xml", &text);
    let (from, to, cell) = (demo.path("s.xml"), demo.path("s.csv"), demo.path("demo/cell.toml"));
    let run = kansho(["convert", &from, &to, "--cell", &cell, "--entry", "s"]);
    assert!(run.code == 0 && run.stdout.contains("3 moves written"), "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.contains("s.xml:3:1") && run.stderr.contains("blend radii become zones"),
        "{}",
        run.stderr
    );
    let run = kansho(["convert", &from, &to, "--cell", &cell, "--entry", "t"]);
    assert!(run.code == 3 && run.stderr.contains("there is no sequence 't'"), "{}", run.stderr);
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
        // Jobs of Yaskawa number their tools, and do not say what they are.
        let tool = (name == "program.jbi").then_some("--tool-of-cell");
        let run = kansho(["check", &cell, &program, "--json"].into_iter().chain(tool));
        assert_eq!(
            (run.code, run.json()["verdict"].as_str()),
            (0, Some("free")),
            "{name}: {}{}",
            run.stdout,
            run.stderr
        );
    }
}

/// Real toolpaths and trajectories of others, with counts of what was understood; what is refused says why.
#[test]
#[expect(clippy::print_stderr, reason = "it prints counts")]
fn real_toolpaths_and_trajectories_are_counted() {
    let Some(data) = crate::run::real_data() else { return };
    let mut told = Vec::new();
    let mut files: Vec<std::path::PathBuf> = Vec::new();
    for folder in ["toolpaths/gcode", "trajectories"] {
        let all = std::fs::read_dir(data.join(folder)).expect("a folder").filter_map(Result::ok);
        files.extend(all.map(|entry| entry.path()));
    }
    files.sort();
    for path in files {
        let shown = path.to_string_lossy().into_owned();
        let run = kansho(["info", "--json", &shown]);
        let answer = run.json()["files"][0].clone();
        let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        if run.code == 0 {
            let counts: Vec<String> = ["points", "strokes", "positions", "moves", "passed_over"]
                .iter()
                .filter_map(|key| answer[*key].as_u64().map(|count| format!("{count} {key}")))
                .collect();
            told.push(format!("{name}: {}", counts.join(", ")));
        } else {
            let errors = answer["errors"].to_string();
            assert!(errors.contains("line") || errors.contains("points"), "{name}: {errors}");
            told.push(format!("{name}: refused"));
        }
    }
    eprintln!("{}", told.join("\n"));
    for expected in
        ["snp_scan_traj.yaml: 11 points", "pilz_panda_testdata_sequence.xml: 5 positions, 8 moves"]
    {
        assert!(told.iter().any(|line| line == expected), "{told:?}");
    }
    // Without a tool-tip mode X, Y and Z are axes of a machine: refused with the reason.
    assert_eq!(told.iter().filter(|line| line.ends_with("refused")).count(), 14, "{told:?}");
}

/// Real trajectories on real robots: a scan of a Motoman is proven, sequences of a Panda fit its kinematics.
#[test]
fn real_trajectories_are_checked() {
    let Some(data) = crate::run::real_data() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cell = |name: &str, robot: &str, srdf: &str, more: &str| {
        let robots = data.join("robots");
        let (urdf, srdf) = (robots.join(robot), robots.join(srdf));
        let text = format!(
            "[[robot]]\nname = \"arm\"\nurdf = {urdf:?}\nsrdf = {srdf:?}\npackages = [{robots:?}]\n{more}\n"
        );
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    };
    let motoman = cell(
        "motoman.toml",
        "motoman_ma2010_support/urdf/ma2010.urdf",
        "motoman_ma2010_support/srdf/motoman_ma2010.srdf",
        "",
    );
    let scan = data.join("trajectories/snp_scan_traj.yaml").to_string_lossy().into_owned();
    // Its fourth joint goes beyond what the URDF allows: refused, unless somebody says that this is meant.
    let run = kansho(["check", &motoman, &scan]);
    assert!(run.code == 3 && run.stderr.contains("14.4889 deg outside its limits"), "{}", run.stderr);
    let run = kansho(["check", &motoman, &scan, "--json", "--allow-outside-limits"]);
    let answer = run.json();
    assert_eq!((run.code, answer["verdict"].as_str()), (0, Some("free")), "{}{}", run.stdout, run.stderr);
    assert_eq!(answer["waypoints"].as_u64(), Some(11));
    let panda = cell(
        "panda.toml",
        "moveit_resources_panda_description/urdf/panda.urdf",
        "moveit_resources_panda_description/srdf/panda.srdf",
        "hold = { panda_finger_joint1 = 0.0 }",
    );
    let path = data.join("trajectories/pilz_panda_testdata_sequence.xml").to_string_lossy().into_owned();
    for (more, expected) in [
        (&[][..], "say which sequence is meant (--entry); there are: ComplexSequence, SimpleSequence"),
        (
            &["--entry", "ComplexSequence"],
            "the corner at the end of this move is rounded, and not between two straight lines",
        ),
        // Its positions are where its joints lead; its lines take an arm of six joints.
        (&["--entry", "SimpleSequence"], "joints"),
    ] {
        let run = kansho(["check", &panda, &path].iter().copied().chain(more.iter().copied()));
        assert!(run.code == 3 && run.stderr.contains(expected), "{more:?}: {}{}", run.stdout, run.stderr);
        assert!(!run.stderr.contains("contradict"), "{}", run.stderr);
    }
}

/// Real programs of others: what is understood of them is counted, and nothing is passed over in silence.
#[test]
fn real_programs_are_counted() {
    let Some(data) = crate::run::real_data() else { return };
    for (file, moves, could_move) in [
        ("rapid/hanoi_sim_T_ROB_R_Module1.mod", None, true),
        // Their external axis is understood; what another task says of the second round (a PERS) is not known.
        ("rapid/yumi_T_ROB_L_Module1.mod", None, true),
        ("rapid/yumi_T_ROB_R_Module1.mod", None, true),
        // How many moves there are behind what is not understood is no promise.
        ("robodk_samples/Program.mod", None, true),
        ("robodk_samples/Program.src", None, true),
        ("robodk_samples/Program.LS", None, true),
        // Its tool is set from what is not known, so none of its moves is.
        ("robodk_samples/PROGRAM.JBI", Some(0), true),
        ("fanuc_tp/test.ls", Some(2), false),
        // It has another program move the robot (SKILLSND).
        ("inform/ROS_R1.JBI", Some(0), true),
        ("krl/ros_rsi_KRC4.src", None, true),
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

/// A joint trajectory of ROS is proven like any motion; a contact is told with its line and its time.
#[test]
fn trajectories_are_checked() {
    let demo = Demo::new();
    let cell = demo.path("demo/cell.toml");
    let names = std::fs::read_to_string(demo.path("demo/cell.toml")).expect("a cell");
    assert!(names.contains("[[robot]]"));
    let joints = ["joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"];
    let point = |q: [f64; 6], seconds: u32| {
        format!(
            "  - positions: {q:?}\n    velocities: [0, 0, 0, 0, 0, 0]\n    time_from_start: {{sec: {seconds}, nanosec: 0}}\n"
        )
    };
    let home = [0.0, -0.6, 0.26, 0.0, 0.6, 0.0];
    let mut turned = home;
    turned[0] = 0.3;
    let mut low = home;
    (low[1], low[2]) = (0.9, 0.3);
    let text = |points: &[String]| format!("joint_names: {joints:?}\npoints:\n{}", points.concat());
    let run = demo.check("free.yaml", &text(&[point(home, 0), point(turned, 2)]), &["--json"]);
    assert_eq!((run.code, run.json()["verdict"].as_str()), (0, Some("free")), "{}{}", run.stdout, run.stderr);
    let certificate = demo.path("t.json");
    let free = demo.path("free.yaml");
    assert_eq!(kansho(["check", &cell, &free, "--certificate", &certificate]).code, 0);
    assert_eq!(kansho(["verify", &certificate, &cell, &free]).code, 0);
    let run = demo.check("low.yaml", &text(&[point(home, 0), point(turned, 2), point(low, 5)]), &["--json"]);
    let answer = run.json();
    assert_eq!(
        (run.code, answer["verdict"].as_str(), answer["line"].as_u64()),
        (1, Some("touches"), Some(9)),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert!(answer["seconds"].as_f64().is_some_and(|seconds| seconds > 2.0 && seconds < 5.0), "{answer}");
    let run = demo.check("bad.yaml", &text(&[point(home, 0)]).replace("joint_3", "elbow"), &[]);
    assert!(run.code == 3 && run.stderr.contains("bad.yaml:"), "{}", run.stderr);
    // And it becomes a program.
    let program = demo.path("t.mod");
    let run = kansho(["convert", &free, &program, "--cell", &cell]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(kansho(["check", &cell, &program]).code, 0);
}

/// Lists of moves with lines and circles become programs in all languages, and back.
#[test]
fn lists_of_moves_are_converted() {
    let demo = Demo::new();
    let cell = demo.path("demo/cell.toml");
    let text = module(&(line([750.0, 100.0, 1400.0], "fine") + &line([750.0, 200.0, 1380.0], "fine")));
    demo.write("a.mod", &text);
    let convert = |from: &str, to: &str, more: &[&str]| {
        let (from, to) = (demo.path(from), demo.path(to));
        let all = ["convert", &from, &to, "--cell", &cell, "--tool-of-cell"];
        let run = kansho(all.iter().copied().chain(more.iter().copied()));
        assert_eq!(run.code, 0, "{from} {to}: {}{}", run.stdout, run.stderr);
    };
    convert("a.mod", "a.json", &[]);
    let mut list: Vec<serde_json::Value> =
        serde_json::from_str(&std::fs::read_to_string(demo.path("a.json")).expect("written"))
            .expect("a list");
    // The last line becomes an arc.
    let last = list.pop().expect("a move");
    let mut matrix = last["lin"]["matrix"].clone();
    let end: Vec<f64> = (9..12).filter_map(|k| matrix[k].as_f64()).collect();
    let start: Vec<f64> = (9..12).filter_map(|k| list[1]["lin"]["matrix"][k].as_f64()).collect();
    let via: Vec<f64> = (0..3).map(|k| 0.5 * (start[k] + end[k]) + if k == 0 { 0.02 } else { 0.0 }).collect();
    list.push(serde_json::json!({ "circ": { "via": via, "matrix": matrix.take() } }));
    demo.write("b.json", &serde_json::Value::Array(list).to_string());
    for end in ["mod", "src", "ls", "script", "jbi"] {
        let name = format!("b.{end}");
        convert("b.json", &name, &["--speed", "0.05"]);
        let path = demo.path(&name);
        let run = kansho(["check", &cell, &path, "--json", "--tool-of-cell"]);
        assert_eq!(
            (run.code, run.json()["verdict"].as_str()),
            (0, Some("free")),
            "{name}: {}{}",
            run.stdout,
            run.stderr
        );
    }
    demo.write(
        "c.json",
        &std::fs::read_to_string(demo.path("b.json")).expect("there").replace("circ", "spline"),
    );
    let (from, to) = (demo.path("c.json"), demo.path("c.mod"));
    assert_eq!(kansho(["convert", &from, &to, "--cell", &cell]).code, 3);
}

/// A job names profiles of its controllers: what they say is in the programs.
#[test]
fn plans_take_profiles() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let out = at("");
    let run = kansho(["demo", "--no-plan", "--every", "60", "10", "--out", &out]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let job = at("job.toml");
    let text = std::fs::read_to_string(&job).expect("there");
    let output =
        |profiles: &str| format!("{text}[output]\npost = [\"jbi\", \"fanuc\"]\nprofiles = {profiles}\n");
    std::fs::write(
        at("my.toml"),
        "language = \"jbi\"\npulses_per_degree = [1000, 1000, 1000, 1000, 1000, 1000]\n",
    )
    .expect("written");
    std::fs::write(at("other.toml"), "language = \"krl\"\n").expect("written");
    std::fs::write(&job, output("[\"my.toml\"]")).expect("written");
    let plan = at("plan");
    let arguments = ["plan", &job, "--out", &plan, "--no-certificate", "--motion", "ptp"];
    let run = kansho(arguments);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let program = std::fs::read_to_string(at("plan/program.jbi")).expect("written");
    assert!(program.contains("///POSTYPE PULSE"), "{program}");
    for (profiles, expected) in [
        ("[\"other.toml\"]", "this profile is of krl, and no program in it is wanted"),
        ("[\"my.toml\", \"my.toml\"]", "there are two profiles of jbi"),
        ("[\"none.toml\"]", "none.toml"),
        ("[\"cell.toml\"]", "cell.toml"),
    ] {
        std::fs::write(&job, output(profiles)).expect("written");
        let run = kansho(arguments);
        assert!(run.code == 3 && run.stderr.contains(expected), "{profiles}: {}", run.stderr);
    }
}

/// Programs of 100 megabytes are read, or refused, in bounded memory, whatever their language; what is wrong in them is told with its line.
#[cfg(unix)]
#[test]
fn huge_programs_take_bounded_memory() {
    // As much as a process may have, in kilobytes: some thirty times the file, most of which is room that is not used. `KANSHO_LONG=1` takes files
    // with more than a million moves.
    let is_long = std::env::var_os("KANSHO_LONG").is_some();
    let (bytes, most_kb) = if is_long { (100_000_000, 3_500_000) } else { (20_000_000, 900_000) };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, head, row, tail, expected) in [
        (
            "huge.mod",
            "MODULE m\nPROC main()\n",
            "MoveL [[1,2,3],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;\n",
            "ENDPROC\nENDMODULE\n",
            "more than 1000000 moves",
        ),
        (
            "huge.src",
            "DEF a( )\n",
            "LIN XP1 C_DIS ; a comment that makes this line a little longer than it needs to be\n",
            "END\n",
            "is not known",
        ),
        (
            "huge.ls",
            "/PROG A\n/MN\n",
            "1:  WAIT DI[1:a comment that makes this line a little longer than it is]=ON ;\n",
            "/POS\n/END\n",
            "",
        ),
        (
            "huge.script",
            "",
            "movej([0.1,0.2,0.3,0.4,0.5,0.6], a=1.4, v=1.05) # and a comment that goes on for a while\n",
            "",
            "more than 1000000 moves",
        ),
        (
            "huge.jbi",
            "/JOB\n//NAME A\n//INST\nNOP\n",
            "MSG \"a text that makes this line a little longer than it would be without it\"\n",
            "",
            "does not end with END",
        ),
    ] {
        let path = folder.path().join(name);
        let count = bytes / row.len();
        std::fs::write(&path, head.to_owned() + &row.repeat(count) + tail).expect("written");
        let limited = format!("ulimit -v {most_kb}; exec \"$0\" info --json \"$1\"");
        let output = std::process::Command::new("sh")
            .args(["-c", &limited, env!("CARGO_BIN_EXE_kansho")])
            .arg(&path)
            .output()
            .expect("the command starts");
        let told = String::from_utf8_lossy(&output.stdout);
        let code = output.status.code();
        assert!(
            code == Some(0) || code == Some(3),
            "{name}: {code:?} {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let expected = if is_long || !expected.starts_with("more than") { expected } else { "" };
        assert!(told.contains(expected), "{name}: {}", told.chars().take(2000).collect::<String>());
        std::fs::remove_file(&path).expect("removed");
    }
}

/// One line that is not understood: what comes before it and behind it is checked, and the lines that are open are named.
#[test]
fn the_rest_of_a_program_is_checked_around_what_is_not_understood() {
    let demo = Demo::new();
    let home =
        "    MoveAbsJ [[0,-34.37747,14.89690,0,34.37747,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,gun;\n";
    let near =
        "    MoveAbsJ [[3,-34.37747,14.89690,0,34.37747,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,gun;\n";
    let text = module(&format!("{near}    SomethingElse;\n{home}{near}{home}"));
    let run = demo.check("part.mod", &text, &["--json"]);
    let answer = run.json();
    assert_eq!(
        (run.code, answer["verdict"].as_str()),
        (2, Some("undecided")),
        "{}{}",
        run.stdout,
        run.stderr
    );
    let partial = &answer["partial"];
    assert_eq!(partial["proven_lines"], serde_json::json!([[5, 5], [8, 9]]), "{partial}");
    let open: Vec<u64> =
        partial["open"].as_array().expect("a list").iter().filter_map(|one| one["line"].as_u64()).collect();
    assert!(open.contains(&6) && open.contains(&7), "{partial}");
    let told = demo.check("part.mod", &text, &[]);
    assert!(told.stdout.contains("proven   lines 5 and 8 to 9 free"), "{}", told.stdout);
    assert!(told.stdout.contains("open     line 6: 'somethingelse' is not known"), "{}", told.stdout);
    // A contact behind it is found.
    let through = line([950.0, 100.0, 1400.0], "fine") + &line([950.0, 100.0, 300.0], "fine");
    let run = demo.check("hit.mod", &module(&format!("    SomethingElse;\n{home}{through}")), &["--json"]);
    let answer = run.json();
    assert_eq!((run.code, answer["verdict"].as_str()), (1, Some("touches")), "{}{}", run.stdout, run.stderr);
    assert_eq!(answer["partial"]["contacts"][0]["line"].as_u64(), Some(8), "{answer}");
}

/// Rounded corners between joint moves are proven, with what is taken for granted; --once leaves out the way back.
#[test]
fn rounded_corners_between_joint_moves_are_proven() {
    let demo = Demo::new();
    let to = |first: f64| {
        format!(
            "    MoveAbsJ [[{first},-34.37747,14.89690,0,34.37747,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,z50,gun;\n"
        )
    };
    let text = module(&(to(3.0) + &to(5.0)));
    let run = demo.check("corner.mod", &text, &["--once"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("the axes stay synchronised"), "{}", run.stderr);
    let certificate = demo.path("corner.json");
    let run = demo.check("corner.mod", &text, &["--once", "--certificate", &certificate]);
    assert!(run.stderr.contains("no certificate yet"), "{}", run.stderr);
    demo.write("unknown.toml", "language = \"rapid\"\njoint_corners = \"unknown\"\n");
    let run = demo.check("corner.mod", &text, &["--once", "--profile", &demo.path("unknown.toml")]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
}

/// Tools and work objects of other modules of the same controller.
#[test]
fn data_of_other_modules_are_read() {
    let demo = Demo::new();
    let moves = line([750.0, 100.0, 1400.0], "fine").replace(",gun;", ",gun\\WObj:=table;");
    demo.write("part.mod", &module(&moves));
    let (cell, path) = (demo.path("demo/cell.toml"), demo.path("part.mod"));
    let run = kansho(["check", &cell, &path, "--tool-of-cell", "--once"]);
    assert_ne!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let table = "PERS wobjdata table:=[FALSE,TRUE,\"\",[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];\n";
    demo.write("data.sys", &format!("MODULE data(SYSMODULE)\n{table}ENDMODULE\n"));
    let run = kansho(["check", &cell, &path, "--tool-of-cell", "--once", "--with", &demo.path("data.sys")]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    // What another module sets is not known.
    demo.write(
        "sets.mod",
        &format!("MODULE sets\n{table}PROC p()\n  table.uframe.trans.x:=5;\nENDPROC\nENDMODULE\n"),
    );
    let run = kansho(["check", &cell, &path, "--tool-of-cell", "--once", "--with", &demo.path("sets.mod")]);
    assert_ne!(run.code, 0, "{}{}", run.stdout, run.stderr);
}
