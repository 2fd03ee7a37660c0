//! Movements in words, on the command line.

use crate::run::{Run, kansho};
use kansho::cell::builtin;
use kansho::io::cell::CellOptions;
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/words")
}

/// An example after its text was changed.
fn changed(name: &str, from: &str, to: &str, more: &[&str]) -> Run {
    let text = std::fs::read_to_string(examples().join(name)).expect("the example is there");
    assert!(text.contains(from), "{name} has no {from}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for entry in std::fs::read_dir(examples()).expect("a folder") {
        let entry = entry.expect("a file");
        if entry.path().is_dir() {
            continue;
        }
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copied");
    }
    let path = folder.path().join("changed.toml");
    std::fs::write(&path, text.replace(from, to)).expect("written");
    let path = path.display().to_string();
    kansho(["move", &path].into_iter().chain(more.iter().copied()))
}

#[test]
fn an_example_is_told_in_words_and_in_json() {
    let path = examples().join("block_in_slot.toml").display().to_string();
    let run = kansho(["move", &path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for words in [
        "1. approach (line 4): reached",
        "approach          15 mm  to (30, 12, 5) mm",
        "free      x, y, yaw",
        "turn         32.6499 deg to (85.8579, 10, 15) mm",
        "proven   4 ways",
    ] {
        assert!(run.stdout.contains(words), "{words}\n{}", run.stdout);
    }
    let run = kansho(["move", &path, "--json"]);
    let answer = run.json();
    assert_eq!((answer["status"].as_str(), answer["units"].as_str()), (Some("reached"), Some("mm")));
    let steps = answer["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 4);
    assert!((steps[3]["parameter"].as_f64().expect("a number") - 32.6499).abs() < 1e-4);
    assert!((steps[3]["pose"]["xyz"][0].as_f64().expect("a number") - 85.8579).abs() < 1e-4);
    assert!((steps[3]["pose"]["quat"][2].as_f64().expect("a number") - 0.281085).abs() < 1e-6);
    assert_eq!(steps[1]["contacts"][1]["contact"], "block.S on slot.D");
    assert_eq!(steps[1]["freedoms"]["count"], 1);
}

/// Exit codes, and the line on standard error.
#[test]
fn what_does_not_come_to_its_end_is_told_with_its_line() {
    let cases = [
        (
            "start = { xyz = [30, 12, 20]",
            "start = { xyz = [30, 12, 60]",
            1,
            "blocked",
            "changed.toml:4:3 (line 4)",
        ),
        ("until = \"block.S on slot.D\"", "by = 500", 1, "blocked", "changed.toml:5:3 (line 5)"),
        ("until = \"block.N on slot.C\"", "by = 300", 1, "slips", "is lost on the way"),
        ("along = \"-z\",  until", "along = \"-x\",  until", 1, "no contact", "no contact within reach"),
        (
            "along = \"-y\",  keep",
            "along = \"-z\",  keep",
            3,
            "contradiction",
            "cannot be kept: that leaves no room",
        ),
        ("about = \"slot.C\"", "about = \"slot.D\"", 1, "unsupported", "unsupported: a turn about a face"),
    ];
    for (from, to, code, status, words) in cases {
        let run = changed("block_in_slot.toml", from, to, &["--json"]);
        assert_eq!((run.code, run.json()["status"].as_str()), (code, Some(status)), "{to}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{to}: {}", run.stderr);
        assert!(run.json()["errors"][0]["line"].is_number());
    }
}

/// Each kind of bad input has a message of its own, with its line.
#[test]
fn bad_input_is_told_with_its_line() {
    let cases = [
        // An unknown feature, with the nearest names.
        (
            "until = \"block.S on slot.D\"",
            "until = \"block.S on slot.Wall\"",
            3,
            "\"slot\" has no feature \"Wall\"",
            "(line 5)",
        ),
        (
            "until = \"block.A on",
            "until = \"blok.A on",
            3,
            "there is no body \"blok\"; did you mean \"block\"?",
            "(line 4)",
        ),
        // Contradictory keeps: nothing is left to go, nothing touches yet, turning is forbidden, a kept contact would be torn.
        (
            "along = \"-y\",  keep",
            "along = \"-z\",  keep",
            3,
            "cannot be kept: that leaves no room",
            "(line 5)",
        ),
        (
            "along = \"-z\",  until",
            "along = \"-z\",  keep = [\"block.S on slot.D\"], until",
            3,
            "it does not touch when the move begins",
            "(line 4)",
        ),
        (
            "keep = [\"block.N on slot.C\", \"block.S on slot.D\"]",
            "keep = [\"level\"]",
            3,
            "\"level\" cannot be kept by a rotate",
            "(line 7)",
        ),
        (
            "keep = [\"block.N on slot.C\", \"block.S on slot.D\"]",
            "keep = [\"block.A on slot.B\"]",
            3,
            "\"block.A on slot.B\" cannot be kept on this way: it would be off by",
            "(line 7)",
        ),
        // No contact within reach.
        ("along = \"-z\",  until", "along = \"-x\",  until", 1, "no contact within reach", "(line 4)"),
        // A selector that matches several faces, and one that matches none.
        (
            "B = { face = \"+z\", at = [50, 15, 0] }",
            "B = { face = \"+z\" }",
            3,
            "faces of \"slot\" are like that: one around (",
            "(line 11)",
        ),
        (
            "B = { face = \"+z\", at = [50, 15, 0] }",
            "B = { face = [1, 2, 3] }",
            3,
            "no face of \"slot\" is like that; its faces look",
            "(line 11)",
        ),
    ];
    for (from, to, code, words, line) in cases {
        let run = changed("block_in_slot.toml", from, to, &[]);
        assert_eq!(run.code, code, "{to}: {}", run.stderr);
        assert!(run.stderr.contains(words) && run.stderr.contains(line), "{to}: {}", run.stderr);
    }
    // Two answers where one is needed: the bar turns into the posts either way round.
    let text = "units = \"mm\"\nmove = [\n  { do = \"rotate\", about = \"+y\", until = \"bar.ends touches posts.tops\" },\n]\n\
        [fixed.posts]\nbox = [200, 20, 20]\nat = { xyz = [0, 0, -30] }\ntops = { face = \"+z\" }\n\
        [moved.bar]\nbox = [100, 10, 10]\nstart = { xyz = [0, 0, 0] }\nends = { face = [\"+x\", \"-x\"] }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("bar.toml");
    std::fs::write(&path, text).expect("written");
    let run = kansho(["move".as_ref(), path.as_os_str(), "--json".as_ref()]);
    assert_eq!((run.code, run.json()["status"].as_str()), (1, Some("ambiguous")), "{}", run.stderr);
    assert!(
        run.stderr.contains("there are 2 answers where one is needed") && run.stderr.contains("(line 3)")
    );
    assert_eq!(run.json()["steps"][0]["candidates"].as_array().map(Vec::len), Some(2));
}

/// What is not decided in time is undecided, and no motion is written.
#[test]
fn a_budget_is_kept() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let path = examples().join("block_in_slot.toml");
    let moved = out.path().join("moved");
    let run = kansho([
        "move".as_ref(),
        path.as_os_str(),
        "--timeout".as_ref(),
        "0".as_ref(),
        "--json".as_ref(),
        "--out".as_ref(),
        moved.as_os_str(),
    ]);
    assert_eq!((run.code, run.json()["status"].as_str()), (2, Some("undecided")), "{}", run.stderr);
    assert!(run.stderr.contains("the time of --timeout is over"), "{}", run.stderr);
    let poses = std::fs::read_to_string(moved.join("poses.csv")).expect("the start");
    assert_eq!(poses.lines().count(), 2, "{poses}");
}

/// A block as OBJ, in metres.
fn block(half: [f64; 3], at: [f64; 3]) -> String {
    let corner = |i: u32| [0, 1, 2].map(|k| at[k] + if i >> k & 1 == 1 { half[k] } else { -half[k] });
    let vertices: String = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    vertices + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

/// Poses go to `moving`: free where the script is free, in contact where its contact closes.
#[test]
fn poses_are_taken_by_moving() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let write = |name: &str, text: &str| std::fs::write(path(name), text).expect("written");
    write("block.obj", &block([0.02, 0.01, 0.005], [0.0; 3]));
    write("table.obj", &block([0.1, 0.1, 0.01], [0.0, 0.0, -0.01]));
    let script = |end: &str| {
        format!(
            "units = \"mm\"\nmove = [\n{{ do = \"rotate\", about = \"+y\", by_deg = 200 }},\n{{ do = \"approach\", along = \"-z\", {end} }},\n]\n\
             [fixed.table]\nmesh = \"table.obj\"\nunits = \"m\"\ntop = {{ face = \"+z\" }}\n\
             [moved.block]\nmesh = \"block.obj\"\nunits = \"m\"\nstart = {{ xyz = [0, 0, 50] }}\nedge = {{ edge = \"-x+z\" }}\n"
        )
    };
    for (end, expected) in [("by = 20", "free"), ("until = \"block.edge on table.top\"", "touches")] {
        write("script.toml", &script(end));
        let run = kansho(["move", &path("script.toml"), "--out", &path("moved")]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let poses = std::fs::read_to_string(path("moved/poses.csv")).expect("written");
        // The turn is longer than half a one and has a pose on the way.
        assert_eq!(poses.lines().count(), 1 + 4);
        let still: String = "x,y,z,qw,qx,qy,qz\n".to_owned() + &"0,0,0,1,0,0,0\n".repeat(4);
        write("still.csv", &still);
        let (a, b, poses, still) =
            (path("block.obj"), path("table.obj"), path("moved/poses.csv"), path("still.csv"));
        let call =
            ["moving", &a, &b, "--poses-a", &poses, "--poses-b", &still, "--interpolate", "screw", "--json"];
        let run = kansho(call);
        let answer = run.json();
        assert_eq!(answer["verdict"], expected, "{end}: {}", run.stderr);
        if expected == "touches" {
            assert!((answer["t"][1].as_f64().expect("a time") - 1.0).abs() < 1e-6, "{answer}");
        }
    }
}

const ROBOT_FILES: [&str; 3] = ["arm.urdf", "cell.toml", "script.toml"];

/// The example with a robot, in a folder of its own, done and written.
pub(crate) fn by_robot(folder: &Path) -> Run {
    for name in ROBOT_FILES {
        std::fs::copy(examples().join("robot").join(name), folder.join(name)).expect("copied");
    }
    kansho(["move".into(), folder.join("script.toml"), "--json".into(), "--out".into(), folder.to_owned()])
}

/// A robot's motion is proven by `check`, becomes programs by `convert`, and these are proven in turn.
#[test]
fn a_robot_motion_is_checked_and_converted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let run = by_robot(folder.path());
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let answer = run.json();
    assert_eq!(
        (answer["status"].as_str(), answer["robot"]["verdict"].as_str()),
        (Some("reached"), Some("free"))
    );
    // As in the list that is written, whose first is the start.
    assert_eq!(answer["robot"]["moves"], 5);
    let (cell, motion) = (path("cell.toml"), path("motion.json"));
    let check = kansho(["check", &cell, &motion, "--json", "--certificate", &path("c.json")]);
    assert_eq!((check.code, check.json()["verdict"].as_str()), (0, Some("free")), "{}", check.stderr);
    let verify = kansho(["verify", &path("c.json"), &cell, &motion]);
    assert_eq!(verify.code, 0, "{}{}", verify.stdout, verify.stderr);
    for program in ["m.mod", "m.src", "m.script", "m.ls"] {
        let made = kansho(["convert", &motion, &path(program), "--cell", &cell, "--speed", "0.1"]);
        assert_eq!(made.code, 0, "{program}: {}{}", made.stdout, made.stderr);
        let check = kansho(["check", &cell, &path(program), "--json"]);
        assert_eq!(
            (check.code, check.json()["verdict"].as_str()),
            (0, Some("free")),
            "{program}: {}",
            check.stderr
        );
    }
    // The arm passes from one configuration into another on the arc: the three points of a MOVC have one.
    let made = kansho(["convert", &motion, &path("m.jbi"), "--cell", &cell, "--speed", "0.1"]);
    assert_eq!(made.code, 3, "{}", made.stdout);
    assert!(made.stderr.contains("on a circle the configuration changes"), "{}", made.stderr);
    // A beam in the way of the tool, but not of the block, is found in the cell.
    let text = std::fs::read_to_string(path("cell.toml")).expect("written");
    let beam = "[[object]]\nname = \"beam\"\nbox = [10, 300, 10]\nat = { xyz = [370, 0, 150] }\n[allow]";
    std::fs::write(path("cell.toml"), text.replace("[allow]", beam)).expect("written");
    let run = kansho(["move", &path("script.toml"), "--json"]);
    assert_eq!(
        (run.code, run.json()["robot"]["verdict"].as_str()),
        (1, Some("not possible")),
        "{}",
        run.stdout
    );
    assert!(run.json()["robot"]["why"].to_string().contains("beam"), "{}", run.stdout);
    // `check` says of the same motion the same number.
    let check = kansho(["check", &cell, &motion, "--json"]);
    assert_eq!(
        (check.code, check.json()["moves"].as_u64()),
        (1, Some(5)),
        "{}{}",
        check.stdout,
        check.stderr
    );
    let number = check.json()["move"].as_u64().expect("a number");
    let why = run.json()["robot"]["why"].to_string();
    assert!(why.contains(&format!("move {number} of motion.json (move ")), "{number}: {why}");
}

/// A path that was followed is a work path: `plan` makes a proven robot path of it.
#[test]
fn a_followed_path_is_planned() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let write = |name: &str, text: &str| std::fs::write(path(name), text).expect("written");
    std::fs::copy(examples().join("robot/arm.urdf"), path("arm.urdf")).expect("copied");
    std::fs::copy(examples().join("tip.obj"), path("tip.obj")).expect("copied");
    write(
        "cell.toml",
        "units = \"mm\"\n[[robot]]\nname = \"arm\"\nurdf = \"arm.urdf\"\n\
         tool = { box = [8, 8, 70], on = \"tool0\", at = { xyz = [0, 0, 35] }, tcp = { xyz = [0, 0, 75] } }\n\
         [[object]]\nname = \"plate\"\nbox = [200, 300, 20]\nat = { xyz = [350, 0, 90] }\n\
         [allow]\npairs = [[\"arm/tool\", \"arm/link_6\"]]\n",
    );
    write(
        "script.toml",
        "units = \"mm\"\nmove = [\n{ do = \"follow\", along = \"+y\", keep = \"tool.tip on plate.top\", spacing = 20 },\n]\n\
         [fixed.plate]\nbox = [200, 300, 20]\nat = { xyz = [350, 0, 90] }\ntop = { face = \"+z\" }\n\
         [moved.tool]\nmesh = \"tip.obj\"\nstart = { xyz = [350, -100, 110] }\ntip = { vertex = [0, 0, 0] }\n",
    );
    let run = kansho(["move", &path("script.toml"), "--out", &path("moved")]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    // From y = -100 to 150, every 20 mm, and the end.
    let rows = std::fs::read_to_string(path("moved/path.csv")).expect("written");
    assert_eq!(rows.lines().count(), 1 + 14, "{rows}");
    write(
        "job.toml",
        "cell = \"cell.toml\"\n[path]\nfile = \"moved/path.csv\"\nframe = \"world\"\noffset = 2\n\
         [tool_axis]\nrotation_deg = { from = 0, to = 330, step = 30 }\n[motion]\nkind = \"lin\"\n",
    );
    let run = kansho(["plan", &path("job.toml"), "--out", &path("plan"), "--json"]);
    let answer = run.json();
    assert_eq!((run.code, answer["verdict"].as_str()), (0, Some("path")), "{}{}", run.stdout, run.stderr);
    assert_eq!(answer["map"]["points"], 14);
}

/// Along edges, too, and strokes are what jobs take.
#[test]
fn a_followed_edge_is_a_stroke_of_a_job() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let moved = out.path().join("moved");
    let arguments = ["move".into(), examples().join("tip_on_edge.toml"), "--out".into(), moved.clone()];
    let run = kansho(arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    kansho::io::cell::write(&moved, &builtin::cell()).expect("written");
    let job = "cell = \"cell.toml\"\n[path]\nfile = \"path.csv\"\nframe = \"sheet\"\n";
    std::fs::write(moved.join("job.toml"), job).expect("written");
    let job = kansho::io::job::read(&moved.join("job.toml"), &CellOptions::default()).expect("a job");
    assert_eq!(job.job.path.strokes.len(), 1);
    assert_eq!(job.job.path.strokes[0].points.len(), 20);
}

#[test]
fn the_schema_is_printed() {
    let run = kansho(["schema", "script"]);
    assert_eq!((run.code, run.json()["title"].as_str()), (0, Some("A script")));
}

/// The end of a path on a face belongs to it, and no pose stands twice.
#[test]
fn a_face_follows_to_the_end() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let follow = |spacing: f64| {
        let file = folder.path().join("script.toml");
        let script = format!(
            "units = \"mm\"\nmove = [{{ do = \"follow\", along = \"+x\", keep = [\"peg.bottom on table.top\"], spacing = {spacing} }}]\n\
             [fixed.table]\nbox = [200, 200, 20]\nat = {{ xyz = [0, 0, -10] }}\ntop = {{ face = \"+z\" }}\n\
             [moved.peg]\nbox = [20, 20, 20]\nstart = {{ xyz = [0, 0, 10] }}\nbottom = {{ face = \"-z\" }}\n"
        );
        std::fs::write(&file, script).expect("written");
        let run = kansho(["script".as_ref(), "--json".as_ref(), file.as_os_str()]);
        assert_eq!(run.code, 0, "{} {}", run.stdout, run.stderr);
        let poses = run.json()["steps"][0]["poses"].as_array().cloned().unwrap_or_default();
        poses
            .iter()
            .map(|pose| pose["pose"]["xyz"][0].as_f64().expect("a number").round())
            .collect::<Vec<_>>()
    };
    assert_eq!(follow(500.0), [0.0, 100.0]);
    assert_eq!(follow(30.0), [0.0, 30.0, 60.0, 90.0, 100.0]);
    assert_eq!(follow(50.0), [0.0, 50.0, 100.0]);
}

/// The proof of each example, re-checked without the search; and refused when anything in it is changed.
#[test]
fn the_proof_of_every_example_is_a_certificate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("c.json").display().to_string();
    let mut names: Vec<PathBuf> = std::fs::read_dir(examples())
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    names.push(examples().join("robot/script.toml"));
    assert!(names.len() >= 9, "{names:?}");
    for name in names {
        let script = name.display().to_string();
        let run = kansho(["script", &script, "--certificate", &file, "--json"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{script}");
        assert_eq!(run.json()["certificate"].as_str(), Some(&*file));
        let verified = kansho(["verify", &file, "--explain", "--json"]);
        assert_eq!(verified.code, 0, "{script}: {}", verified.stdout);
        let verified = verified.json();
        let motions: usize = run.json()["steps"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|step| step["ways"].as_array().map_or(0, Vec::len))
            .sum();
        assert_eq!(verified["moves"], motions, "{script}");
        assert_eq!(verified["tolerance"], run.json()["tolerance_m"], "{script}");
        assert!(verified["contacts"].as_array().is_some_and(|pairs| pairs.len() >= motions), "{script}");
        assert!(verified["record"].as_str().is_some_and(|record| record.contains(" bodies ")));
        let text = std::fs::read_to_string(&file).expect("written");
        for (from, to, why) in [
            ("\"leaves\":false", "\"leaves\":true", "changed"),
            ("contact certificate 1", "contact certificate 9", "'contact certificate 1'"),
            ("\"leaves\":false", "\"leaves\":false,\"more\":1", "unknown field"),
            ("\"label\":\"1. ", "\"label\":\"2. ", "changed"),
        ] {
            assert!(text.contains(from), "{from}");
            std::fs::write(&file, text.replacen(from, to, 1)).expect("written");
            let refused = kansho(["verify", &file]);
            assert!(refused.code == 3 && refused.stderr.contains(why), "{from}: {}", refused.stderr);
        }
    }
    let cell = examples().join("robot/cell.toml").display().to_string();
    let script = examples().join("tip_on_ramp.toml").display().to_string();
    assert_eq!(kansho(["script", &script, "--certificate", &file]).code, 0);
    let wrong = kansho(["verify", &file, &cell]);
    assert!(wrong.code == 3 && wrong.stderr.contains("bodies that it holds"), "{}", wrong.stderr);
    // The script itself stays.
    assert_eq!(kansho(["script", &script, "--certificate", &script]).code, 3);
}

#[test]
fn a_script_that_does_not_come_to_its_end_has_no_certificate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("c.json");
    let path = file.display().to_string();
    let run = changed("peg_in_hole.toml", "by_deg = 3", "by_deg = 30", &["--certificate", &path]);
    assert!(run.code != 0 && run.stderr.contains("no certificate is written"), "{}", run.stderr);
    assert!(!file.exists());
}
