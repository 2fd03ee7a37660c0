//! The same answers whatever the number of threads, the instructions of the processor and the build: hashes of what commands print and
//! write, kept in `golden.txt`.
//!
//! A change that is meant to change an answer accepts new hashes with `KANSHO_UPDATE=1 cargo test -p kansho-cli golden`, and says in its
//! message why. `KANSHO_COMMAND` names another build of the command to be asked instead of the one under test, for instance an
//! optimised one: both are held to the same file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How commands are run: threads, and instructions. With `KANSHO_LONG=1` or `./test --all` the last three as well.
const WAYS: [(usize, &str); 5] =
    [(1, "best"), (8, "baseline"), (8, "best"), (2, "baseline"), (1, "baseline")];

/// What is run in the folder of a way, one after the other: a name, arguments with `N` for the number of threads, and whether it takes such
/// an option. What is printed is an answer, and so is every file that was not there before.
const COMMANDS: [(&str, &str); 19] = [
    ("postures", "postures cell.toml --postures postures.csv --threads N"),
    ("postures-distance", "postures cell.toml --postures postures.csv --distance --threads N"),
    ("postures-models", "postures cell.toml --postures random.csv --explain --out hits.csv --threads N"),
    ("postures-shapes", "postures cell.toml --postures random.csv --no-models --all --threads N"),
    ("primitives", "postures round.toml --postures floating.csv --distance --threads N"),
    ("check", "check cell.toml aside.csv --units deg --certificate free.json --json --threads N"),
    ("check-hit", "check cell.toml into.csv --units deg --json --threads N"),
    ("check-spline", "check cell.toml aside.csv --units deg --motion spline --json --threads N"),
    ("segments", "check cell.toml --segments segments.csv --tight --threads N"),
    ("verify", "verify free.json cell.toml"),
    ("plan", "plan job.toml --motion ptp --no-certificate --out planned --threads N"),
    (
        "collide",
        "collide meshes/arm_tool_1.stl meshes/sheet.stl --poses poses.csv --distance --depth 1e-4 --threads N",
    ),
    (
        "moving",
        "moving meshes/arm_tool_1.stl meshes/sheet.stl --poses-a way.csv --poses-b still.csv --certificate moved.json --json",
    ),
    (
        "moving-screw",
        "moving meshes/arm_tool_1.stl meshes/sheet.stl --poses-a way.csv --poses-b still.csv --interpolate screw --json",
    ),
    ("spheres", "spheres meshes/arm_tool_1.stl --radius 0.01 --out spheres.csv --threads N"),
    ("contact", "contact wall.toml --assembly --json"),
    ("words", "move words.toml --json"),
    ("program", "convert planned/motion.csv program.mod --cell cell.toml"),
    (
        "reach",
        "reach cell.toml --direction 0,0,-1 --box 0.9,-0.2,0.7,1.3,0.2,1.1 --step 0.1 --free --threads N",
    ),
];

/// SplitMix64.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

fn rows(head: &str, count: usize, numbers: &[[f64; 2]], state: &mut u64) -> String {
    let mut text = format!("{head}\n");
    for _ in 0..count {
        let row: Vec<String> =
            numbers.iter().map(|[low, high]| format!("{:.6}", low + (high - low) * random(state))).collect();
        text += &format!("{}\n", row.join(","));
    }
    text
}

fn command() -> PathBuf {
    std::env::var_os("KANSHO_COMMAND").map_or_else(|| env!("CARGO_BIN_EXE_kansho").into(), PathBuf::from)
}

/// The demo's files, and others made here.
fn fill(folder: &Path) {
    let made = Command::new(command())
        .args(["demo", "--no-plan", "--every", "150", "20", "--out"])
        .arg(folder)
        .output()
        .expect("the command starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("the folder is ours");
    let joints = "joint_1,joint_2,joint_3,joint_4,joint_5,joint_6";
    let state = &mut 4;
    let turns = [[-2.5, 2.5], [-1.5, 1.0], [-1.0, 1.0], [-3.0, 3.0], [-1.8, 1.8], [-3.0, 3.0]];
    write("random.csv", &rows(joints, 3000, &turns, state));
    write("aside.csv", &format!("{joints}\n0,-35,15,0,35,0\n12,-30,10,10,30,20\n20,-40,20,-10,40,0\n"));
    write("into.csv", &format!("{joints}\n0,-35,15,0,35,0\n0,60,30,0,35,0\n"));
    write("segments.csv", &rows(&format!("{joints},{joints}"), 40, &[turns, turns].concat(), state));
    let at = |place: [f64; 3], quat: [f64; 4]| {
        let length = quat.iter().map(|x| x * x).sum::<f64>().sqrt();
        let quat = quat.map(|x| (x / length).to_string()).join(",");
        format!("{},{quat}\n", place.map(|x| x.to_string()).join(","))
    };
    let mut random_pose = || {
        let place = std::array::from_fn(|_| random(state) - 0.5);
        at(place, std::array::from_fn(|_| 2.0 * random(state) - 1.0))
    };
    let head = "x,y,z,qw,qx,qy,qz\n";
    write("poses.csv", &(0..60).fold(head.to_owned(), |all, _| all + &random_pose()));
    write("still.csv", &(head.to_owned() + &at([0.0; 3], [1.0, 0.0, 0.0, 0.0]).repeat(4)));
    let way = [[-1.0, 0.0, 1.0], [-0.3, 0.1, 0.9], [0.3, 0.0, 0.8], [1.0, 0.0, 1.0]];
    let turned = |k: usize| [1.0, 0.1 * k as f64, 0.02 * k as f64, 0.0];
    write("way.csv", &(0..4).fold(head.to_owned(), |all, k| all + &at(way[k], turned(k))));
    write(
        "floating.urdf",
        "<robot name=\"f\"><link name=\"w\"/><link name=\"b\"><collision><geometry><cylinder radius=\"0.1\" length=\"0.4\"/></geometry>\
         </collision></link><joint name=\"free\" type=\"floating\"><parent link=\"w\"/><child link=\"b\"/></joint></robot>",
    );
    write(
        "round.toml",
        "units = \"m\"\n[[robot]]\nname = \"f\"\nurdf = \"floating.urdf\"\n\
         [[object]]\nname = \"ball\"\nsphere = 0.2\nat = { xyz = [0.5, 0.0, 0.0] }\n\
         [[object]]\nname = \"cone\"\ncone = [0.2, 0.5]\nat = { xyz = [-0.5, 0.2, 0.1], rpy_deg = [10, 20, 30] }\n\
         [[object]]\nname = \"rod\"\ncapsule = [0.05, 0.8]\nat = { xyz = [0.0, 0.6, 0.0], rpy_deg = [0, 70, 0] }\n\
         [[object]]\nname = \"block\"\nbox = [0.3, 0.2, 0.4]\nat = { xyz = [0.0, -0.6, 0.2], rpy_deg = [5, 0, 45] }\n\
         [[object]]\nname = \"floor\"\nplane = [0, 0, 1, -0.8]\n",
    );
    let around = [[-1.0, 1.0], [-1.0, 1.0], [-0.7, 0.9], [-3.0, 3.0], [-3.0, 3.0], [-3.0, 3.0]];
    let free = "free.x,free.y,free.z,free.roll,free.pitch,free.yaw";
    write("floating.csv", &rows(free, 300, &around, state));
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let copy = |from: &str, to: &str| {
        fs::copy(examples.join(from), folder.join(to)).expect("an example");
    };
    copy("assembly/cell.toml", "wall.toml");
    copy("words/block_in_slot.toml", "words.toml");
    copy("words/slot.stl", "slot.stl");
}

/// Every file below a folder with its hash.
fn files(folder: &Path, below: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(below).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(folder, &path, found);
        } else {
            let name = path.strip_prefix(folder).expect("below it").to_string_lossy().replace('\\', "/");
            found.insert(name, blake3::hash(&fs::read(&path).expect("a file")).to_hex()[..24].to_owned());
        }
    }
}

/// Hashes of all answers, run in one way.
fn answers(threads: usize, instructions: &str) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fill(folder.path());
    let mut found = BTreeMap::new();
    for (name, line) in COMMANDS {
        let words =
            line.split(' ').map(|word| if word == "N" { threads.to_string() } else { word.to_owned() });
        let run = Command::new(command())
            .args(words)
            .current_dir(folder.path())
            .env("KANSHO_SIMD", instructions)
            .env("RAYON_NUM_THREADS", threads.to_string())
            .output()
            .expect("the command starts");
        let code = run.status.code().expect("it ends by itself");
        assert!(code < 2, "{name} ended with {code}: {}", String::from_utf8_lossy(&run.stderr));
        let printed = steady(&String::from_utf8_lossy(&run.stdout));
        found.insert(format!("{name}: prints"), blake3::hash(printed.as_bytes()).to_hex()[..24].to_owned());
    }
    for name in ["planned/plan.json", "planned/report.html"] {
        let path = folder.path().join(name);
        fs::write(&path, steady(&fs::read_to_string(&path).expect("a plan"))).expect("the folder is ours");
    }
    files(folder.path(), folder.path(), &mut found);
    found
}

/// Without what tells how long it took.
fn steady(text: &str) -> String {
    text.lines().filter(|line| !line.contains("seconds") && !line.contains(" s,")).fold(
        String::new(),
        |mut all, line| {
            let _ = writeln!(all, "{line}");
            all
        },
    )
}

#[test]
fn answers_are_the_same_for_all_threads_instructions_and_builds() {
    let first = answers(WAYS[0].0, WAYS[0].1);
    let count = if crate::run::is_whole() { WAYS.len() } else { 2 };
    for (threads, instructions) in &WAYS[1..count] {
        let other = answers(*threads, instructions);
        let names: Vec<&String> = first.keys().filter(|name| first.get(*name) != other.get(*name)).collect();
        assert_eq!(first.len(), other.len());
        assert!(names.is_empty(), "on {threads} threads with {instructions} instructions differ: {names:?}");
    }
    let text = first.iter().fold(String::new(), |all, (name, hash)| format!("{all}{hash}  {name}\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden.txt");
    if std::env::var_os("KANSHO_UPDATE").is_some() {
        fs::write(&path, &text).expect("the golden file");
    }
    let golden = fs::read_to_string(&path).expect("the golden file");
    let (now, before): (Vec<&str>, Vec<&str>) = (text.lines().collect(), golden.lines().collect());
    let only = |in_these: &[&str], not_those: &[&str]| -> Vec<String> {
        in_these.iter().filter(|line| !not_those.contains(line)).map(ToString::to_string).collect()
    };
    let (new, gone) = (only(&now, &before), only(&before, &now));
    assert!(now == before, "new: {new:?}; gone: {gone:?}; KANSHO_UPDATE=1 accepts");
}
