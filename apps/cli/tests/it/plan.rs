//! From a work path to a robot path on the command line.

use crate::run::{Run, kansho, real_data};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// The demo's cell and job, with few points and rotations.
pub(crate) fn demo(points: u32, degrees: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (points, degrees) = (points.to_string(), degrees.to_string());
    let out = folder.path().to_string_lossy().into_owned();
    let run = kansho(["demo", "--no-plan", "--every", &points, &degrees, "--out", &out]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    folder
}

pub(crate) fn plan(job: &Path, out: &Path, more: &[&str]) -> Run {
    let first = [OsString::from("plan"), job.into(), "--out".into(), out.into()];
    kansho(first.into_iter().chain(more.iter().map(OsString::from)))
}

pub(crate) fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("there");
    assert!(text.contains(from), "{from} in {text}");
    fs::write(path, text.replace(from, to)).expect("written");
}

/// The first so many points of the path, open.
fn shorten(folder: &Path, points: usize) {
    let path = folder.join("path.csv");
    let text = fs::read_to_string(&path).expect("there");
    let first: Vec<&str> = text.lines().take(points + 1).collect();
    fs::write(&path, first.join("\n")).expect("written");
    edit(&folder.join("job.toml"), "closed = true", "closed = false");
}

#[test]
fn a_job_becomes_a_path_with_a_certificate_that_is_accepted() {
    let folder = demo(60, 10);
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("out"));
    let run = plan(&job, &out, &["--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answer = run.json();
    assert_eq!((answer["verdict"].as_str(), answer["map"]["points"].as_u64()), (Some("path"), Some(47)));
    for name in
        ["path.csv", "motion.csv", "certificate.json", "map.csv", "map.png", "plan.json", "report.html"]
    {
        assert!(answer["files"].as_array().expect("names").iter().any(|file| file == name), "{name}");
        assert!(out.join(name).is_file(), "{name}");
    }
    assert_eq!(fs::read_dir(&out).expect("there").count(), 7, "and nothing else");
    let map = fs::read_to_string(out.join("map.csv")).expect("the map");
    assert!(map.starts_with("point,rotation_deg,state,branch,pair,clearance,"));
    assert_eq!(map.lines().count(), 1 + 47 * 36);
    // The motion comes back to where it began.
    let motion = fs::read_to_string(out.join("motion.csv")).expect("the motion");
    let rows: Vec<&str> = motion.lines().skip(1).collect();
    assert_eq!((rows.len(), rows[0]), (48, rows[47]));
    let cell = folder.path().join("cell.toml");
    let verify = kansho(["verify".as_ref(), out.join("certificate.json").as_os_str(), cell.as_os_str()]);
    assert_eq!(verify.code, 0, "{}", verify.stderr);
    let check = kansho(["check".as_ref(), cell.as_os_str(), out.join("motion.csv").as_os_str()]);
    assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
    // The same once more, on one thread, over the old files.
    let again = plan(&job, &out, &["--threads", "1", "--no-certificate"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(fs::read_to_string(out.join("map.csv")).expect("the map"), map);
    assert_eq!(fs::read_to_string(out.join("motion.csv")).expect("the motion"), motion);
}

#[test]
fn what_is_not_possible_is_said_and_where() {
    let folder = demo(150, 30);
    let (job, path) = (folder.path().join("job.toml"), folder.path().join("path.csv"));
    let out = folder.path().join("out");
    let text = fs::read_to_string(&path).expect("there");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[4] = "0.5,-3,0.2,0,0,-1".into();
    fs::write(&path, lines.join("\n")).expect("written");
    let run = plan(&job, &out, &["--json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let point = &run.json()["no_path"]["points"][0];
    assert_eq!((point["point"].as_u64(), point["line"].as_u64()), (Some(3), Some(5)));
    assert_eq!(point["out_of_reach"], 12);
    assert!(out.join("report.html").is_file() && !out.join("path.csv").exists());
    let run = plan(&job, &out, &["--timeout", "0"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
}

#[test]
fn lines_of_the_tool_are_planned_and_proven() {
    // Every fortieth point: lines are then some centimetres long.
    let folder = demo(40, 5);
    shorten(folder.path(), 16);
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("out"));
    edit(&job, "kind = \"ptp\"", "kind = \"lin\"");
    fs::write(&job, fs::read_to_string(&job).expect("there") + TIMING).expect("written");
    let run = plan(&job, &out, &["--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let times = &run.json()["path"]["times"][0];
    keeps_limits(&out.join("trajectory.csv"), times["duration"].as_f64().expect("a time"));
    assert_eq!(times["stops"].as_u64(), Some(run.json()["map"]["points"].as_u64().expect("points") - 2));
    assert_eq!((run.json()["verdict"].as_str(), run.json()["motion"].as_str()), (Some("path"), Some("lin")));
    let (cell, motion) = (folder.path().join("cell.toml"), out.join("motion.json"));
    let check = kansho(["check".as_ref(), cell.as_os_str(), motion.as_os_str()]);
    assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
    let verify = kansho(["verify".as_ref(), out.join("certificate.json").as_os_str(), cell.as_os_str()]);
    assert_eq!(verify.code, 0, "{}{}", verify.stdout, verify.stderr);
    // What joints do in rounded corners of their own is not known.
    edit(&job, "kind = \"lin\"", "kind = \"lin\"\nzone = 0.0005");
    let run = plan(&job, &out, &["--motion", "ptp"]);
    assert_eq!(run.code, 3, "{}", run.stdout);
    assert!(run.stderr.contains("rounded off"), "{}", run.stderr);
}

const TIMING: &str = "[timing]\njoint_acceleration_deg = 500\njoint_jerk_deg = [5000, 5000, 5000, 9000, 9000, 9000]\ncycle = 0.004\n";

/// By nothing but the numbers of the table: limits of acceleration and jerk hold for differences of rows, it begins and ends at rest, and in
/// the time that was said.
fn keeps_limits(file: &Path, duration: f64) {
    let text = fs::read_to_string(file).expect("there");
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').take(7).map(|word| word.parse().expect("a number")).collect())
        .collect();
    let (whole, last) = rows.split_at(rows.len() - 1);
    assert!((last[0][0] - duration).abs() < 1e-8, "{} {duration}", last[0][0]);
    let h = 0.004;
    for joint in 1..7 {
        let q: Vec<f64> = whole.iter().map(|row| row[joint].to_degrees()).collect();
        let jerk = if joint < 4 { 5000.0 } else { 9000.0 };
        for k in 3..q.len() {
            assert!((whole[k][0] - h * k as f64).abs() < 1e-9);
            let second = (q[k] - 2.0 * q[k - 1] + q[k - 2]) / (h * h);
            let third = (q[k] - 3.0 * q[k - 1] + 3.0 * q[k - 2] - q[k - 3]) / (h * h * h);
            assert!(
                second.abs() <= 500.1 && third.abs() <= jerk * 1.001,
                "joint {joint}, row {k}: {second} {third}"
            );
        }
        assert!((q[1] - q[0]).abs() < jerk * h.powi(3), "at rest");
    }
}

#[test]
fn bad_jobs_are_refused_with_their_lines() {
    let folder = demo(300, 30);
    let (job, path, out) =
        (folder.path().join("job.toml"), folder.path().join("path.csv"), folder.path().join("out"));
    let refused = |wanted: &str| {
        let run = plan(&job, &out, &[]);
        assert_eq!(run.code, 3, "{}", run.stdout);
        assert!(run.stderr.contains(wanted), "{wanted}: {}", run.stderr);
        assert!(!out.exists(), "nothing is written");
    };
    // Three millimetres over the face, and that in the other direction.
    edit(&job, "closed = true", "closed = true\noffset = -0.005");
    refused("points are inside \"sheet\" or on its surface, where no tool can be free: lines 2, 3, 4");
    edit(&job, "offset = -0.005", "units = \"mm\"");
    refused("a thousand times too small");
    edit(&job, "units = \"mm\"", "flip = false");
    let plain = fs::read_to_string(&job).expect("there");
    for (timing, wanted) in [
        (
            "joint_acceleration_deg = 0\njoint_jerk_deg = 1\n",
            "joint_acceleration_deg has to be greater than zero",
        ),
        (
            "joint_acceleration_deg = 1\njoint_jerk_deg = [1, 2]\n",
            "2 numbers, but robot \"arm\" has 6 joints",
        ),
        ("joint_acceleration_deg = 1\n", "[timing] needs the key \"joint_jerk_deg\""),
        ("joint_acceleration_deg = 1\njoint_jerk_deg = 1\ncycle = 0\n", "cycle is between"),
    ] {
        fs::write(&job, format!("{plain}[timing]\n{timing}")).expect("written");
        refused(wanted);
    }
    fs::write(&job, plain).expect("written");
    fs::write(&path, "x,y,z,i,j,k\n").expect("written");
    refused("there are no points in this path");
    let schema = kansho(["schema", "job"]);
    assert_eq!(schema.json()["properties"]["path"]["type"], "object");
}

/// The cells of a map by point and rotation.
#[test]
fn the_reference_map_of_the_windshield_is_agreed_with() {
    let Some(data) = real_data() else { return };
    let windshield = data.join("windshield/M");
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Every hundredth point that the reference has, every five degrees.
    let path = fs::read_to_string(windshield.join("path.csv")).expect("the path");
    let lines: Vec<&str> = path.lines().collect();
    let reference = fs::read_to_string(windshield.join("reference_map.csv")).expect("the map");
    let rows: Vec<(usize, &str)> = reference
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once(',').expect("a point and its cells"))
        .map(|(point, cells)| (point.parse().expect("a number"), cells))
        .step_by(10)
        .collect();
    let mut some = lines[0].to_owned() + "\n";
    rows.iter().for_each(|(point, _)| some += &(lines[point + 1].to_owned() + "\n"));
    fs::write(folder.path().join("path.csv"), some).expect("written");
    let job = fs::read_to_string(windshield.join("job.toml")).expect("the job");
    let job = job
        .replace("\"cell.toml\"", &format!("{:?}", windshield.join("cell.toml")))
        .replace("to = 359, step = 1", "to = 355, step = 5");
    fs::write(folder.path().join("job.toml"), job).expect("written");
    let out = folder.path().join("out");
    let run = plan(&folder.path().join("job.toml"), &out, &["--motion", "ptp", "--no-certificate"]);
    assert!(run.code == 0 || run.code == 1, "{}", run.stderr);
    let cells = crate::run::csv(&out.join("map.csv"));
    let mut compared = 0;
    for (k, (point, wanted)) in rows.iter().enumerate() {
        for (rotation, wanted) in wanted.chars().enumerate() {
            let cell = &cells[k * 72 + rotation];
            let found = match cell["state"].as_str() {
                "free" => 'f',
                "collides" => 'x',
                _ => '.',
            };
            assert_eq!(found, wanted, "point {point}, rotation {}", rotation * 5);
            compared += 1;
        }
    }
    assert_eq!(compared, 28 * 72);
}

/// Where there is no path, something is found with which there is one, and it is planned.
#[test]
fn what_would_help_is_tried() {
    let Some(data) = real_data() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let hard = data.join("windshield/H");
    let table = fs::read_to_string(hard.join("path.csv")).expect("there");
    let lines: Vec<&str> = table.lines().collect();
    let some: Vec<&str> = std::iter::once(lines[0]).chain(lines[641..=666].iter().copied()).collect();
    fs::write(folder.path().join("path.csv"), some.join("\n")).expect("written");
    let job = fs::read_to_string(hard.join("job.toml")).expect("there");
    let job = job
        .replace("\"cell.toml\"", &format!("{:?}", hard.join("cell.toml")))
        .replace("closed = true", "closed = false");
    let file = folder.path().join("job.toml");
    fs::write(&file, job).expect("written");
    let out = folder.path().join("out");
    let run = plan(&file, &out, &["--json", "--relax"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let answer = run.json();
    let points = answer["no_path"]["points"].as_array().expect("a list");
    let numbers: Vec<u64> = points.iter().filter_map(|point| point["point"].as_u64()).collect();
    assert_eq!(numbers, [10, 11, 12, 13, 14]);
    for pair in points.iter().flat_map(|point| point["pairs"].as_array().expect("a list")) {
        let depth = pair["least_depth"].as_array().expect("bodies are closed");
        assert!(depth[0].as_f64() <= depth[1].as_f64() && depth[1].as_f64() > Some(0.0), "{pair}");
    }
    let helps = answer["relaxed"]["helps"].as_str().expect("something helps");
    assert!(answer["relaxed"]["frees_points"].as_array().is_some_and(|frees| frees.contains(&helps.into())));
    let path = fs::read_to_string(out.join("path_relaxed.csv")).expect("written");
    assert_eq!(path.lines().count(), 27);
    assert!(out.join("map_relaxed.png").is_file() && !out.join("path.csv").exists());
    // What is not allowed is not tried, and what makes no sense is refused by name.
    let run = plan(&file, &out, &["--json", "--relax=branch"]);
    assert_eq!((run.code, &run.json()["relaxed"]["helps"]), (1, &serde_json::Value::Null));
    for (bad, named) in
        [(["--relax=paint", "--json"], "paint"), (["--relax", "--within=0"], "0 is no length")]
    {
        let run = plan(&file, &out, &bad);
        assert!(run.code == 3 && run.stderr.contains(named), "{} {}", run.code, run.stderr);
    }
}

/// Between which rotations the tool can turn, and how deep what collides is.
#[test]
fn intervals_and_depths_are_written_if_wanted() {
    let folder = demo(60, 10);
    shorten(folder.path(), 10);
    let out = folder.path().join("out");
    let run = plan(&folder.path().join("job.toml"), &out, &["--no-certificate", "--intervals", "--depths"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let intervals = fs::read_to_string(out.join("intervals.csv")).expect("written");
    let mut lines = intervals.lines();
    assert_eq!(lines.next(), Some("point,tilt,branch,from_deg,to_deg,below,above"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(rows.len() > 40 && rows.iter().any(|row| row[6].starts_with("touches arm/")), "{intervals}");
    let map = fs::read_to_string(out.join("map.csv")).expect("written");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let mut deep = 0;
    for row in map.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()) {
        match row[2] {
            "free" => assert!(number(row[5]) >= 0.0),
            // The floor has no end, so nothing is deep in it.
            "collides" if row[5].is_empty() => assert!(row[4].contains("floor"), "{row:?}"),
            "collides" => {
                assert!(number(row[5]) <= 0.0, "{row:?}");
                deep += 1;
            }
            _ => assert_eq!(row[5], ""),
        }
        for branch in row[6].split_whitespace() {
            let holds = |interval: &&Vec<&str>| {
                let on = (number(row[1]) - number(interval[3])).rem_euclid(360.0);
                let wide = number(interval[4]) - number(interval[3]);
                interval[0] == row[0] && interval[2] == branch && (on <= wide + 1e-6 || on > 360.0 - 1e-6)
            };
            assert!(rows.iter().any(|interval| holds(&interval)), "{row:?}");
        }
    }
    assert!(deep > 30, "{deep}");
}

/// Whoever interrupts a plan finds nothing that is half written.
#[cfg(unix)]
#[test]
fn an_interrupted_plan_leaves_nothing() {
    use std::io::Read;
    let folder = demo(1, 1);
    let out = folder.path().join("out");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_kansho"))
        .args([
            "plan".as_ref(),
            folder.path().join("job.toml").as_os_str(),
            "--out".as_ref(),
            out.as_os_str(),
        ])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill is there").success());
    let code = child.wait().expect("it ends").code();
    assert_eq!(code, Some(130));
    let mut said = String::new();
    child.stdout.take().expect("it was piped").read_to_string(&mut said).expect("text");
    assert_eq!(said, "");
    child.stderr.take().expect("it was piped").read_to_string(&mut said).expect("text");
    assert!(said.ends_with("interrupted: nothing was written\n"), "{said}");
    assert!(!out.exists(), "nothing is left");
}

/// Programs for controllers of which it is not known how they turn the tool are proven by both laws, and so is the certificate; checked as
/// programs they are free.
#[test]
fn what_is_written_for_a_controller_is_proven_as_it_may_turn() {
    let folder = demo(40, 15);
    shorten(folder.path(), 5);
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("out"));
    let cell = folder.path().join("cell.toml");
    let text = fs::read_to_string(&job).expect("there");
    for (post, law, laws) in [
        ("[]", "", vec!["slerp"]),
        ("[]", "law = \"swivel-twist\"\n", vec!["swivel-twist"]),
        ("[\"rapid\", \"urscript\"]", "", vec!["slerp"]),
        ("[\"rapid\", \"fanuc\", \"krl\"]", "", vec!["slerp", "swivel-twist"]),
        ("[\"jbi\"]", "law = \"slerp\"\n", vec!["slerp", "swivel-twist"]),
    ] {
        let (before, _) = text.split_once("[motion]").expect("the demo has motions");
        let own = format!("{before}[motion]\nkind = \"lin\"\nspeed = 0.1\n{law}[output]\npost = {post}\n");
        fs::write(&job, own).expect("written");
        let run = plan(&job, &out, &["--json"]);
        assert_eq!(run.code, 0, "{post}: {}", run.stderr);
        let answer = run.json();
        assert_eq!(answer["laws"], serde_json::json!(laws), "{post}");
        let certificate = out.join("certificate.json");
        let verify = kansho(["verify".as_ref(), certificate.as_os_str(), cell.as_os_str()]);
        assert_eq!(verify.code, 0, "{post}: {}", verify.stderr);
        let text = fs::read_to_string(&certificate).expect("there");
        for law in ["slerp", "swivel-twist"] {
            assert_eq!(text.contains(law), laws.contains(&law), "{post}: {law}");
        }
        for program in ["program.mod", "program.script", "program.ls", "program.src"] {
            let file = out.join(program);
            if file.is_file() {
                let check = kansho(["check".as_ref(), cell.as_os_str(), file.as_os_str()]);
                assert_eq!(check.code, 0, "{program}: {}{}", check.stdout, check.stderr);
            }
        }
    }
}

/// An old program beside the map of a new plan would be taken for its program: it is put away.
#[test]
fn what_an_earlier_plan_left_is_put_away() {
    let folder = demo(60, 15);
    shorten(folder.path(), 5);
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("out"));
    edit(&job, "[motion]", "[output]\npost = [\"rapid\"]\n[motion]");
    assert_eq!(plan(&job, &out, &["--no-certificate"]).code, 0);
    let program = fs::read(out.join("program.mod")).expect("there");
    edit(&job, "post = [\"rapid\"]", "post = []");
    edit(&job, "[path]", "clearance = 1\n[path]"); // A metre.
    let run = plan(&job, &out, &["--no-certificate"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("of an earlier plan, and now in the folder \"earlier\": path.csv"),
        "{}",
        run.stderr
    );
    assert!(
        run.stdout.contains("comes closer than 1000 mm in every rotation")
            && run.stdout.contains(" mm apart at point"),
        "{}",
        run.stdout
    );
    for name in ["program.mod", "path.csv", "motion.csv"] {
        assert!(!out.join(name).exists() && out.join("earlier").join(name).is_file(), "{name}");
    }
    assert_eq!(fs::read(out.join("earlier/program.mod")).expect("there"), program);
}

/// The path of a job may be called as a file of a plan is: then no plan is written there.
#[test]
fn a_plan_does_not_replace_what_it_is_made_of() {
    let folder = demo(60, 10);
    let job = folder.path().join("job.toml");
    let before = fs::read(folder.path().join("path.csv")).expect("the demo calls it that");
    let run = plan(&job, folder.path(), &[]);
    assert_eq!(run.code, 3, "{}", run.stdout);
    assert!(run.stderr.contains("this is an input"), "{}", run.stderr);
    assert_eq!(fs::read(folder.path().join("path.csv")).expect("there"), before);
    assert!(!folder.path().join("map.csv").exists());
}

/// A plan that is killed goes on from where it was, and all its files are those of one that was never interrupted. Progress of another job is
/// refused.
#[cfg(unix)]
#[test]
fn a_killed_plan_is_resumed_with_the_same_files() {
    let folder = demo(8, 4);
    let job = folder.path().join("job.toml");
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    let run = plan(&job, &whole, &["--no-certificate"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let progress = folder.path().join("out.progress");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_kansho"))
        .args(["plan".as_ref(), job.as_os_str(), "--out".as_ref(), out.as_os_str()])
        .args(["--resume", "--no-certificate", "--threads", "1"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    // As soon as a chunk is kept, it is killed as hard as can be.
    let is_kept = || fs::metadata(&progress).is_ok_and(|about| about.len() > 100);
    while !is_kept() && child.try_wait().expect("it can be asked").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(is_kept() && !out.exists(), "it was killed on the way");
    // The last chunk may have been cut off in the middle.
    let kept = fs::read(&progress).expect("there");
    fs::write(&progress, [&kept[..], b"cut"].concat()).expect("written");
    let other = folder.path().join("other.toml");
    fs::copy(&job, &other).expect("copied");
    edit(&other, "closed = true", "closed = true\noffset = 0.001");
    let run = plan(&other, &out, &["--resume"]);
    assert_eq!(run.code, 3, "{}", run.stdout);
    assert!(run.stderr.contains("the progress of another job"), "{}", run.stderr);
    let run = plan(&job, &out, &["--resume", "--no-certificate"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!progress.exists(), "it is not needed any more");
    let names = |folder: &Path| {
        let mut names: Vec<_> =
            fs::read_dir(folder).expect("there").map(|entry| entry.expect("there").file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&whole), names(&out));
    for name in names(&whole) {
        assert_eq!(fs::read(whole.join(&name)).ok(), fs::read(out.join(&name)).ok(), "{name:?}");
    }
    // Something else of that name is not written over.
    fs::write(&progress, "my notes").expect("written");
    let run = plan(&job, &out, &["--resume"]);
    assert!(run.code == 3 && run.stderr.contains("not written over"), "{}", run.stderr);
    assert_eq!(fs::read(&progress).ok().as_deref(), Some(&b"my notes"[..]));
}

/// Several jobs in one call, each in a folder of its own; the code is that of the worst.
#[test]
fn several_jobs_are_planned() {
    let folder = demo(60, 15);
    shorten(folder.path(), 4);
    let job = folder.path().join("job.toml");
    fs::create_dir(folder.path().join("more")).expect("made");
    let second = folder.path().join("more/job.toml");
    let text = fs::read_to_string(&job).expect("there").replace("= \"cell.toml", "= \"../cell.toml");
    fs::write(&second, text.replace("\"path.csv", "\"../path.csv")).expect("written");
    let out = folder.path().join("out");
    let run = plan(&job, &out, &[&second.to_string_lossy(), "--no-certificate", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answers = serde_json::Deserializer::from_str(&run.stdout).into_iter::<serde_json::Value>();
    assert_eq!(answers.filter(Result::is_ok).count(), 2, "{}", run.stdout);
    assert!(out.join("more-job/path.csv").is_file());
    assert_eq!(fs::read_dir(&out).expect("there").count(), 2);
    fs::write(&second, "cell = 3\n").expect("written");
    let run = plan(&job, &out, &[&second.to_string_lossy(), "--no-certificate"]);
    assert_eq!(run.code, 3, "{}", run.stdout);
}

/// The best place of a box is found, planned and proven; looked at in parts it is the same one.
#[test]
fn the_best_place_is_found_in_one_go_and_in_parts() {
    let folder = demo(70, 15);
    shorten(folder.path(), 8);
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("out"));
    let grid = ["--place", "x=-0.1:0.1:3,z=-0.05:0.05:2", "--json"];
    let run = plan(&job, &out, &grid);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let answer = run.json();
    assert_eq!((answer["verdict"].as_str(), answer["places"].as_u64()), (Some("placed"), Some(6)));
    let rows = crate::run::csv(&out.join("placements.csv"));
    let most = rows.iter().filter_map(|row| row["gap"].parse::<f64>().ok()).fold(0.0, f64::max);
    let best = answer["best"]["gap"].as_f64().expect("a gap");
    assert!(best <= most && best > most - 1.5e-5, "{best} {most}");
    assert!(out.join("placements.png").is_file() && out.join("path_placed.csv").is_file());
    let mut known = Vec::new();
    for part in ["1/2", "2/2"] {
        let run = plan(&job, &out, &[&grid[..], &["--shard", part]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        known.push(
            out.join(format!("placements_{}.csv", part.replace('/', "_of_"))).to_string_lossy().into_owned(),
        );
    }
    let merged = folder.path().join("merged");
    let run = plan(&job, &merged, &[&grid[..], &["--known", &known[0], "--known", &known[1]]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.json()["best"], answer["best"]);
    assert_eq!(fs::read(merged.join("placements.csv")).ok(), fs::read(out.join("placements.csv")).ok());
    for (more, wanted) in [
        (vec!["--place", "x=0.1:-0.1:3"], "empty box"),
        (vec!["--place", "x=0:0.1:3", "--known", &known[0]], "another job or another box"),
        (vec!["--place", "x=0:0.1:3", "--shard", "3/2"], "no part of several"),
        (vec!["--shard", "1/2"], "--place"),
    ] {
        let run = plan(&job, &merged, &more);
        assert!(run.code == 3 && run.stderr.contains(wanted), "{wanted}: {} {}", run.code, run.stderr);
    }
}

/// A real part and its toolpath, with a robot beside it: several strokes, and ways between them.
#[test]
fn real_parts_are_planned() {
    let Some(data) = real_data() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let parts = data.join("parts_with_toolpaths");
    let robot = data.join("windshield/robot");
    let cell = |mesh: &Path, at: &str| {
        format!(
            "units = \"m\"\n[[robot]]\nname = \"arm\"\nurdf = {:?}\npackages = [{robot:?}]\n\
             tool = {{ cylinder = [0.02, 0.2], on = \"tool0\", at = {{ xyz = [0, 0, 0.1] }}, tcp = {{ xyz = [0, 0, 0.205] }} }}\n\
             [[object]]\nname = \"part\"\nmesh = {mesh:?}\nat = {{ {at} }}\n\
             [allow]\npairs = [[\"arm/tool\", \"arm/link_5\"], [\"arm/tool\", \"arm/link_6\"], [\"arm/link_4\", \"arm/link_6\"]]\n",
            robot.join("fanuc_m20ia_support/urdf/m20ia.urdf")
        )
    };
    for (mesh, at, path, strokes) in [
        (
            "crs_part_1/part_1.stl",
            "xyz = [1.15, 0, 0.5], rpy_deg = [0, 0, 90]",
            "crs_part_1/job_toolpath_ls10cm_ps15cm_r0d.csv",
            5,
        ),
        (
            "crs_part_2/part_2.stl",
            "xyz = [1.0, 0, 0.6]",
            "crs_part_2/job_0_degrees_20200520T192241.997282.csv",
            7,
        ),
    ] {
        fs::write(folder.path().join("cell.toml"), cell(&parts.join(mesh), at)).expect("written");
        let job = format!(
            "cell = \"cell.toml\"\n[path]\nfile = {:?}\nframe = \"part\"\nflip = true\noffset = 0.03\n\
             [tool_axis]\nrotation_deg = {{ from = 0, to = 350, step = 10 }}\n[motion]\nkind = \"ptp\"\nlift = 0.05\n",
            parts.join(path)
        );
        fs::write(folder.path().join("job.toml"), job).expect("written");
        let out = folder.path().join("out");
        let run = plan(&folder.path().join("job.toml"), &out, &["--json", "--no-certificate"]);
        assert_eq!(run.code, 0, "{path}: {}{}", run.stdout, run.stderr);
        let answer = run.json();
        assert_eq!(answer["path"]["strokes"].as_array().map(Vec::len), Some(strokes));
        assert_eq!(answer["path"]["ways_not_found"], 0);
        // The tool is lifted off each stroke at both ends, as far as wanted or less, and the way to the next is between.
        let lifts = answer["path"]["lifts"]
            .as_array()
            .expect("a list")
            .iter()
            .flat_map(|of| of.as_array().expect("two"));
        let lifts: Vec<Option<f64>> = lifts.map(serde_json::Value::as_f64).collect();
        assert_eq!(lifts.len(), 2 * strokes);
        assert!(lifts.iter().flatten().filter(|by| **by == 0.05).count() > strokes, "{lifts:?}");
        let cell = folder.path().join("cell.toml");
        let check = kansho(["check".as_ref(), cell.as_os_str(), out.join("motion.csv").as_os_str()]);
        assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
    }
    // The edge of a bent sheet, along which a thin tool goes on straight lines.
    let mesh = data.join("robots/tesseract/support/meshes/puzzle_piece/puzzle_bent.dae");
    let thin = cell(&mesh, "xyz = [0, 0, 0]")
        .replace("packages", "at = { xyz = [-0.9, -0.6, 0], rpy_deg = [-90, 0, 0] }\npackages")
        .replace("[0.02, 0.2]", "[0.002, 0.25]")
        .replace("[0, 0, 0.1]", "[0, 0, 0.125]")
        .replace("[0, 0, 0.205]", "[0, 0, 0.25]");
    fs::write(folder.path().join("cell.toml"), thin).expect("written");
    let job = format!(
        "cell = \"cell.toml\"\n[path]\nfile = {:?}\nunits = \"mm\"\nskip_rows = 2\nclosed = false\n\
         columns = [\"-\", \"x\", \"y\", \"z\", \"nx\", \"ny\", \"nz\"]\n\
         [tool_axis]\nrotation_deg = {{ from = 0, to = 350, step = 10 }}\nzero = {{ toward = [0, 0, 1] }}\n[motion]\nkind = \"lin\"\n",
        parts.join("puzzle/puzzle_bent.csv")
    );
    fs::write(folder.path().join("job.toml"), job).expect("written");
    let out = folder.path().join("puzzle");
    let run = plan(&folder.path().join("job.toml"), &out, &["--json"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.json()["path"]["strokes"][0]["points"], 437);
    let cell = folder.path().join("cell.toml");
    let verify = kansho(["verify".as_ref(), out.join("certificate.json").as_os_str(), cell.as_os_str()]);
    assert_eq!(verify.code, 0, "{}{}", verify.stdout, verify.stderr);
}
