//! Answers name their true reason, all of it, and only what the reader can act on.

use crate::plan::{demo, edit, plan};
use crate::run::kansho;
use std::fs;

/// A clearance that no rotation keeps: what is too near is a gap and no depth, and a smaller clearance is what helps; that the robot works
/// without its tool is no help.
#[test]
fn a_missed_clearance_is_a_gap_and_a_smaller_one_is_tried() {
    let folder = demo(140, 10);
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("out"));
    edit(&job, "cell = \"cell.toml\"", "cell = \"cell.toml\"\nclearance = 0.03");
    let run = plan(&job, &out, &["--json", "--relax=clearance,without"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let answer = run.json();
    let helps = answer["relaxed"]["helps"].as_str().expect("something helps");
    let millimetres: f64 = helps
        .strip_prefix("a clearance of ")
        .and_then(|rest| rest.strip_suffix(" mm")?.parse().ok())
        .unwrap_or_else(|| panic!("{helps}"));
    assert!(millimetres > 0.0 && millimetres < 30.0, "{helps}");
    let frees = answer["relaxed"]["frees_points"].as_array().expect("a list");
    assert!(frees.iter().all(|what| !what.as_str().expect("words").contains("arm/tool")), "{frees:?}");
    let points = answer["no_path"]["points"].as_array().expect("a list");
    assert_eq!(points.len() as u64, answer["map"]["points"].as_u64().expect("points"));
    let run = plan(&job, &out, &[]);
    let first = run.stdout.lines().next().expect("a line");
    assert!(first.contains("closer than 30 mm") && first.contains(" mm apart at point "), "{first}");
    assert!(!run.stdout.contains("0.00 to 0.00 mm deep"), "{}", run.stdout);
    // Only obstacles can be left out, and the tool is none.
    let run = plan(&job, &out, &["--json", "--relax=without"]);
    let frees = run.json()["relaxed"]["frees_points"].clone();
    assert!(!frees.to_string().contains("arm/tool"), "{frees}");
}

/// Two strokes, a point of each wanted from below: both are named.
#[test]
fn blocked_points_of_every_stroke_are_named() {
    let folder = demo(60, 30);
    let (job, path) = (folder.path().join("job.toml"), folder.path().join("path.csv"));
    edit(&job, "closed = true", "closed = false\nbreak_at = 0.2");
    let text = fs::read_to_string(&path).expect("there");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.drain(5..20);
    lines.truncate(9);
    for line in [2, 7] {
        let numbers: Vec<f64> = lines[line].split(',').map(|x| x.parse().expect("a number")).collect();
        let [x, y, z, i, j, k] = numbers[..] else { panic!("six columns") };
        lines[line] = format!("{x},{y},{z},{},{},{}", -i, -j, -k);
    }
    fs::write(&path, lines.join("\n")).expect("written");
    let run = plan(&job, &folder.path().join("out"), &["--json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let answer = run.json();
    let points = answer["no_path"]["points"].as_array().expect("a list");
    let numbers: Vec<u64> = points.iter().filter_map(|point| point["point"].as_u64()).collect();
    assert_eq!(numbers, [1, 6], "{answer}");
}

/// Time is the reason when there was no time, and then it says so.
#[test]
fn a_time_limit_is_named_as_such() {
    let folder = demo(150, 30);
    let run =
        plan(&folder.path().join("job.toml"), &folder.path().join("out"), &["--timeout", "0", "--json"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(run.json()["undecided"]["why"], "time", "{}", run.stdout);
}

#[test]
fn a_job_is_not_taken_for_a_cell() {
    let folder = demo(150, 30);
    let [job, path] = ["job.toml", "path.csv"].map(|name| folder.path().join(name));
    let run = kansho(["check".as_ref(), job.as_os_str(), path.as_os_str()]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("this is a job") && run.stderr.contains("kansho plan"), "{}", run.stderr);
    assert!(run.stderr.contains("cell.toml"), "{}", run.stderr);
}

/// One fault, with how many meshes it stands for.
#[test]
fn a_missing_package_is_told_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut urdf = String::from("<robot name=\"x\">\n");
    for k in 0..42 {
        urdf += &format!(
            "<link name=\"l{k}\"><collision><geometry><mesh filename=\"package://nowhere/{k}.stl\"/></geometry></collision></link>\n"
        );
        if k > 0 {
            let parent = k - 1;
            urdf += &format!(
                "<joint name=\"j{k}\" type=\"fixed\"><parent link=\"l{parent}\"/><child link=\"l{k}\"/></joint>\n"
            );
        }
    }
    let file = folder.path().join("x.urdf");
    fs::write(&file, urdf + "</robot>\n").expect("written");
    let run = kansho(["info".as_ref(), file.as_os_str()]);
    assert_eq!(run.code, 3);
    assert_eq!(run.stderr.matches("\"nowhere\"").count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("42 meshes") && run.stderr.contains("--packages"), "{}", run.stderr);
}

/// A mesh whose faces have another name is no cloud of points.
#[test]
fn faces_by_another_name_are_not_skipped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("x.ply");
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int corners\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    fs::write(&file, text).expect("written");
    let run = kansho(["info".as_ref(), file.as_os_str()]);
    assert_eq!(run.code, 3, "{}", run.stdout);
    assert!(run.stderr.contains("'vertex_indices'") && run.stderr.contains(":7:"), "{}", run.stderr);
}

/// A path in the frame of a part on a table that turns: refused while the table may turn, planned as on a fixed one when it is held.
#[test]
fn a_positioner_that_is_held_is_fixed() {
    let folder = demo(150, 30);
    let [job, cell] = ["job.toml", "cell.toml"].map(|name| folder.path().join(name));
    let urdf = "<robot name=\"table\"><link name=\"foot\"/><link name=\"plate\"/>\
        <joint name=\"turn\" type=\"revolute\"><parent link=\"foot\"/><child link=\"plate\"/><axis xyz=\"0 0 1\"/>\
        <limit lower=\"-3\" upper=\"3\" effort=\"1\" velocity=\"1\"/></joint></robot>";
    fs::write(folder.path().join("table.urdf"), urdf).expect("written");
    let expected = plan(&job, &folder.path().join("fixed"), &["--no-certificate"]);
    let at = "at = { xyz = [1.1, 0.0, 0.75], rpy_deg = [0.0, 0.0, 90.0] }";
    edit(
        &cell,
        &format!("mesh = \"meshes/sheet.stl\"\n{at}"),
        "mesh = \"meshes/sheet.stl\"\non = \"table/plate\"",
    );
    let text = fs::read_to_string(&cell).expect("there");
    let table = |hold: &str| {
        let text = text.replacen(
            "[[object]]",
            &format!("[[robot]]\nname = \"table\"\nurdf = \"table.urdf\"\n{at}\n{hold}\n[[object]]"),
            1,
        );
        fs::write(&cell, text.replace("pairs = [", "pairs = [\n    [\"fixture\", \"sheet\"],"))
            .expect("written");
    };
    table("");
    let run = plan(&job, &folder.path().join("turning"), &["--no-certificate"]);
    assert!(run.code == 3 && run.stderr.contains("hold them in the cell"), "{} {}", run.code, run.stderr);
    table("hold = { turn = 0.0 }");
    let run = plan(&job, &folder.path().join("held"), &["--no-certificate"]);
    assert_eq!(run.code, expected.code, "{}{}", run.stdout, run.stderr);
    let map = |name: &str| fs::read_to_string(folder.path().join(name).join("map.csv")).expect("the map");
    assert_eq!(map("held").lines().count(), map("fixed").lines().count());
    for (held, fixed) in map("held").lines().zip(map("fixed").lines()) {
        let state = |row: &str| row.split(',').take(4).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(state(held), state(fixed));
    }
}

/// A file that was taken for one of another kind is named, not each of its keys.
#[test]
fn files_of_another_kind_are_named() {
    let folder = demo(60, 30);
    let cell = folder.path().join("cell.toml");
    let job = folder.path().join("job.toml");
    let script =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/words/block_in_slot.toml");
    for (command, file, kind, help) in [
        ("plan", &cell, "cell", "kansho check"),
        ("plan", &script, "script", "kansho script"),
        ("script", &job, "job", "kansho plan"),
        ("script", &cell, "cell", "kansho check"),
    ] {
        let run = kansho([command.as_ref(), file.as_os_str()]);
        assert_eq!(run.code, 3, "{command} {kind}: {}", run.stdout);
        assert!(run.stderr.contains(&format!("this is a {kind}")), "{}", run.stderr);
        assert!(run.stderr.contains(help), "{}", run.stderr);
        assert_eq!(run.stderr.matches("error").count(), 1, "{}", run.stderr);
    }
}

/// An option that means nothing for a file is refused: whoever gave it thinks that it does something.
#[test]
fn options_without_a_use_are_refused() {
    let folder = demo(60, 30);
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path
    };
    let joints: Vec<String> = (1..=6).map(|k| format!("joint_{k}")).collect();
    let yaml = write(
        "move.yaml",
        &format!(
            "joint_names: [{}]\npoints:\n- {{positions: [0, -0.6, 0.26, 0, 0.6, 0], time_from_start: 0}}\n- {{positions: [0.1, -0.6, 0.26, 0, 0.6, 0], time_from_start: 1}}\n",
            joints.join(", ")
        ),
    );
    let list = write(
        "list.json",
        "[{\"ptp\": [0, -0.6, 0.26, 0, 0.6, 0]}, {\"ptp\": [0.1, -0.6, 0.26, 0, 0.6, 0]}]",
    );
    let table = write("table.csv", "0,-0.6,0.26,0,0.6,0\n0.1,-0.6,0.26,0,0.6,0\n");
    let program = write(
        "go.script",
        "def go():\n  movej([0,-0.6,0.26,0,0.6,0])\n  movej([0.1,-0.6,0.26,0,0.6,0])\nend\n",
    );
    let cell = folder.path().join("cell.toml");
    let check = |file: &std::path::Path, more: &[&str]| {
        kansho(
            ["check".as_ref(), cell.as_os_str(), file.as_os_str()]
                .into_iter()
                .chain(more.iter().map(std::convert::AsRef::as_ref)),
        )
    };
    for file in [&yaml, &list, &table, &program] {
        let run = check(file, &[]);
        assert_eq!(run.code, 0, "{}: {}", file.display(), run.stderr);
    }
    for (file, more) in [
        (&yaml, &["--motion", "spline"][..]),
        (&yaml, &["--units", "deg"]),
        (&yaml, &["--profile", "nobody.toml"]),
        (&yaml, &["--once"]),
        (&list, &["--motion", "spline"]),
        (&list, &["--robot", "nobody"]),
        (&table, &["--entry", "nothing"]),
        (&table, &["--fine"]),
        (&program, &["--motion", "lin"]),
        (&program, &["--units", "deg"]),
    ] {
        let run = check(file, more);
        assert_eq!(run.code, 3, "{} {more:?}: {}", file.display(), run.stdout);
        assert!(run.stderr.contains(more[0]) && run.stderr.contains("means nothing"), "{}", run.stderr);
    }
    let segments = write("segments.csv", "0,-0.6,0.26,0,0.6,0,0.1,-0.6,0.26,0,0.6,0\n");
    for more in [&["--motion", "spline"][..], &["--zone", "0.01"], &["--law", "both"]] {
        let all = ["check".as_ref(), cell.as_os_str(), "--segments".as_ref(), segments.as_os_str()];
        let run = kansho(all.into_iter().chain(more.iter().map(std::convert::AsRef::as_ref)));
        assert_eq!(run.code, 3, "{more:?}: {}", run.stdout);
        assert!(run.stderr.contains("means nothing"), "{}", run.stderr);
    }
}

/// A program whose joint targets leave limits is refused with joint, value and limit; it is checked all the same if that is asked for.
#[test]
fn a_program_may_be_allowed_to_leave_limits() {
    let folder = demo(60, 30);
    let program = folder.path().join("far.script");
    fs::write(
        &program,
        "def go():\n  movej([0,-0.6,0.26,0,0.6,6.0])\n  movej([0,-0.6,0.26,0,0.6,6.2])\nend\n",
    )
    .expect("written");
    let check = |more: &[&str]| {
        let cell = folder.path().join("cell.toml");
        let all = ["check".as_ref(), cell.as_os_str(), program.as_os_str()];
        kansho(all.into_iter().chain(more.iter().map(std::convert::AsRef::as_ref)))
    };
    let run = check(&[]);
    assert_eq!(run.code, 3, "{}", run.stdout);
    assert!(run.stderr.contains("joint_6") && run.stderr.contains("deg"), "{}", run.stderr);
    assert!(run.stderr.contains("--allow-outside-limits"), "{}", run.stderr);
    let run = check(&["--allow-outside-limits"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("warning") && run.stderr.contains("joint_6"), "{}", run.stderr);
}

/// Where directions point the wrong way and no rotation can be reached, nothing collides, and that is not said.
#[test]
fn what_cannot_be_reached_is_said_to_be_so() {
    let folder = demo(60, 30);
    let (job, path) = (folder.path().join("job.toml"), folder.path().join("path.csv"));
    let text = fs::read_to_string(&path).expect("there");
    let far: String = text
        .lines()
        .enumerate()
        .map(|(k, line)| match (k, line.split_once(',')) {
            (0, _) | (_, None) => format!("{line}\n"),
            (_, Some((_, rest))) => format!("9000,{rest}\n"),
        })
        .collect();
    fs::write(&path, far).expect("written");
    let run = plan(&job, &folder.path().join("out"), &[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let first = run.stdout.lines().next().expect("a line");
    assert!(first.contains("no rotation of the tool can be reached") && first.contains("flip"), "{first}");
}

/// Directions that point out of the work: tried from the other side the tool is free, and that is said, with all that blocks and how many points are
/// not listed. As a relaxation it gives a path.
#[test]
fn a_tool_that_comes_from_the_wrong_side_is_tried_from_the_other() {
    let folder = demo(60, 10);
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("out"));
    edit(&job, "[path]", "[path]\nflip = true");
    let run = plan(&job, &out, &[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let first = run.stdout.lines().next().expect("a line");
    assert!(first.contains("From the other side") && first.contains("flip"), "{first}");
    assert!(run.stdout.contains("what blocks") && run.stdout.contains("the first 20 of "), "{}", run.stdout);
    let answer = plan(&job, &out, &["--json", "--relax=flip"]).json();
    assert_eq!(answer["no_path"]["hint"], "flip");
    let helps = answer["relaxed"]["helps"].as_str().expect("it helps");
    assert!(helps.contains("from the other side"), "{helps}");
    let blocking = answer["no_path"]["pairs"].as_array().expect("a list");
    let rotations = |pair: &serde_json::Value| pair["stances"].as_u64().expect("a count");
    assert!(!blocking.is_empty() && blocking.windows(2).all(|two| rotations(&two[0]) >= rotations(&two[1])));
}

/// Bodies that are far apart are not why a motion cannot be proven: it is too long.
#[test]
fn a_motion_that_is_too_long_is_said_to_be_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write(
        "r.urdf",
        "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\"><collision><geometry><box size=\"0.1 0.1 0.1\"/></geometry></collision></link>\
         <joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 0 1\"/></joint></robot>",
    );
    write(
        "cell.toml",
        "[[robot]]\nname = \"r\"\nurdf = \"r.urdf\"\n[[object]]\nname = \"wall\"\nbox = [0.1, 0.1, 0.1]\nat = { xyz = [1, 0, 0] }\n",
    );
    write("far.csv", "0\n1e7\n");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let run = kansho(["check", &path("cell.toml"), &path("far.csv")]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("too long") && !run.stdout.contains("so near"), "{}", run.stdout);
    let run = kansho(["check", "--json", &path("cell.toml"), &path("far.csv")]);
    assert_eq!(run.json()["why"], "long", "{}", run.stdout);
}
