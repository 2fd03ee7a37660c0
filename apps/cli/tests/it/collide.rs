//! Two meshes on the command line.

use crate::run::{kansho, real_data};
use std::ffi::OsString;
use std::path::Path;

fn collide(folder: &Path, more: &[&str]) -> crate::run::Run {
    let paths = ["big.obj", "small.obj"].map(|name| folder.join(name).into_os_string());
    let poses = ["--poses".into(), folder.join("poses.csv").into_os_string()];
    let more = more.iter().map(OsString::from);
    kansho(["collide".into()].into_iter().chain(paths).chain(poses).chain(more))
}

/// A cube as OBJ, from -half to half.
fn cube(half: f64) -> String {
    let corner = |i: u32| [0, 1, 2].map(|k| if i >> k & 1 == 1 { half } else { -half });
    let vertices: String = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    vertices + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

#[test]
fn every_way_to_meet_has_its_row() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("big.obj", &cube(1.0));
    write("small.obj", &cube(0.25));
    write("poses.csv", "x,y,z,qw,qx,qy,qz\n3,0,0,1,0,0,0\n1.25,0,0,1,0,0,0\n0,0,0.5,1,0,0,0\n");
    let run = collide(folder.path(), &["--distance"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..3], ["hit", "how", "distance"]);
    assert_eq!(rows[1][..3], ["0", "apart", "1.75"]);
    assert_eq!(rows[2][..3], ["1", "touch", "0"]);
    assert_eq!(rows[3][..3], ["1", "b inside a", "0"]);
    let run = collide(folder.path(), &["--depth", "1e-6"]);
    let depths: Vec<[f64; 2]> = run
        .stdout
        .lines()
        .skip(1)
        .map(|line| line.split(',').skip(2).map(|x| x.parse().expect("a number")).collect::<Vec<f64>>())
        .map(|ends| [ends[0], ends[1]])
        .collect();
    // The middle of the small cube's lower face is 0.75 m from the upper face of the large one, and farther from the others.
    assert!(depths[2][0] > 0.75 - 1e-5 && depths[2][1] < 0.75 + 1e-5, "{depths:?}");
    assert_eq!(depths[0], [0.0, 0.0]);
    let out = folder.path().join("answers.csv");
    let run = collide(folder.path(), &["--json", "--out", &out.to_string_lossy()]);
    assert_eq!((run.json()["hits"].as_u64(), run.code), (Some(2), 1));
    assert_eq!(
        std::fs::read_to_string(out).expect("the answers"),
        "hit,how\n0,apart\n1,touch\n1,b inside a\n"
    );
    write("poses.csv", "3 0 0\n");
    assert_eq!(collide(folder.path(), &[]).code, 3);
}

#[test]
fn real_meshes_touch_where_the_truth_says_so() {
    let Some(data) = real_data() else { return };
    let folder = data.join("../bench/data/w1");
    let path = |name: &str| folder.join(name).into_os_string();
    let answers = |threads: &str| {
        let poses = ["--poses".into(), path("poses.csv"), "--threads".into(), threads.into()];
        let call = ["collide".into(), path("ur3_upperarm.stl"), path("ur3_forearm.stl")];
        let run = kansho(call.into_iter().chain(poses));
        assert_eq!(run.code, 1, "{}", run.stderr);
        run.stdout
    };
    let (one, two) = (answers("1"), answers("2"));
    assert_eq!(one, two, "the number of threads changes nothing");
    let found: Vec<&str> = one.lines().skip(1).map(|line| &line[..1]).collect();
    let truth = std::fs::read_to_string(folder.join("truth_collide.csv")).expect("the truth can be read");
    assert_eq!(found, truth.lines().collect::<Vec<_>>());
}
