//! Two meshes that move, on the command line.

use crate::run::{Run, kansho};
use std::path::Path;

/// A box as OBJ.
fn block(half: [f64; 3]) -> String {
    let corner = |i: u32| [0, 1, 2].map(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] });
    let vertices: String = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    vertices + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

/// Four poses on a line.
fn line(from: [f64; 3], to: [f64; 3]) -> String {
    let at = |k: u32| [0, 1, 2].map(|i| from[i] + (to[i] - from[i]) * f64::from(k) / 3.0);
    let row = |[x, y, z]: [f64; 3]| format!("{x},{y},{z},1,0,0,0\n");
    "x,y,z,qw,qx,qy,qz\n".to_owned() + &(0..4).map(|k| row(at(k))).collect::<String>()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        folder.write("a.obj", &block([0.05, 1.0, 1.0]));
        folder.write("b.obj", &block([0.1; 3]));
        folder.write("a.csv", &line([0.0; 3], [0.0; 3]));
        folder.write("through.csv", &line([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]));
        folder.write("beside.csv", &line([-1.0, 0.0, 0.0], [-0.25, 0.5, 0.0]));
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }

    fn path(&self, name: &str) -> String {
        Path::new(self.0.path()).join(name).to_string_lossy().into_owned()
    }

    fn moving(&self, poses_b: &str, more: &[&str]) -> Run {
        let paths = ["a.obj", "b.obj", "a.csv", poses_b].map(|name| self.path(name));
        let [a, b, poses_a, poses_b] = &paths;
        let call = ["moving", a, b, "--poses-a", poses_a, "--poses-b", poses_b];
        kansho(call.iter().chain(more))
    }
}

#[test]
fn the_first_contact_by_every_method() {
    let folder = Folder::new();
    // The cube's face is 0.85 m from the wall's, on a way of 2 m.
    for more in [&["--json"][..], &["--json", "--method", "intersect"]] {
        let run = folder.moving("through.csv", more);
        assert_eq!(run.code, 1, "{}", run.stderr);
        let answer = run.json();
        assert_eq!(answer["verdict"], "touches");
        assert!((answer["t"][1].as_f64().expect("a time") - 0.425).abs() < 1e-8, "{answer}");
        assert!((answer["points"][0][0].as_f64().expect("a point") + 0.05).abs() < 1e-8);
        assert_eq!(answer["poses"][1].as_array().map(Vec::len), Some(12));
    }
    for (more, expected) in [
        (&["--dcol", "0.01"][..], 0.42),
        (&["--rule", "paper", "--dcol", "0.01"], 0.421875),
        (&["--shape", "spheres", "--dcol", "0.01"], 0.40),
    ] {
        let run = folder.moving("through.csv", &[&["--json", "--method", "bisect"], more].concat());
        let answer = run.json();
        let t = answer["t"][1].as_f64().expect("a time");
        let room = if more[0] == "--shape" { 0.1 } else { 1e-6 };
        assert!((t - expected).abs() < room, "{answer}");
        assert!(answer["spans"].as_u64() > Some(2) && answer["instants"].as_u64() > Some(2));
    }
    let words = folder.moving("through.csv", &[]).stdout;
    assert!(words.contains("first contact at t = 0.42") && words.contains("max|R'R - I|"), "{words}");
}

#[test]
fn a_certificate_is_written_verified_and_refused_when_changed() {
    let folder = Folder::new();
    let path = folder.path("c.json");
    let run = folder.moving("beside.csv", &["--certificate", &path, "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!((run.json()["clearance"].as_f64().expect("a clearance") - 0.1).abs() < 1e-3);
    let run = kansho(["verify", &path, "--json"]);
    assert_eq!((run.code, run.json()["accepted"].as_bool()), (0, Some(true)), "{}", run.stdout);
    let text = std::fs::read_to_string(&path).expect("written");
    // The cube grows beyond the wall; the steps end early; the file breaks off.
    let larger = text.replace("0.1,0.1,0.1]", "0.5,0.1,0.1]");
    let shorter = text.replace("\"clearance\":0.0", "\"clearance\":0.2");
    for (changed, code) in [(larger, 1), (shorter, 1), (text[..text.len() / 2].to_owned(), 3)] {
        assert_ne!(changed, text);
        folder.write("c.json", &changed);
        assert_eq!(kansho(["verify", &path]).code, code);
    }
    // What touches has none.
    let path = folder.path("none.json");
    assert_eq!(folder.moving("through.csv", &["--certificate", &path]).code, 1);
    assert!(!Path::new(&path).exists());
}

#[test]
fn bad_input_is_named() {
    let folder = Folder::new();
    folder.write("three.csv", "1 0 0 0 1 0 0 0 1 0 0 0\n".repeat(3).as_str());
    folder.write("five.csv", "1 0 0 0 1 0 0 0 1 0 0 0\n".repeat(5).as_str());
    folder.write("sheared.csv", "1 0 0 0 1 0.1 0 0 1 0 0 0\n".repeat(4).as_str());
    folder.write("nan.csv", "1 0 0 0 1 0 0 0 1 nan 0 0\n".repeat(4).as_str());
    for (poses, what) in [
        ("three.csv", "3 poses: a cubic needs four"),
        ("five.csv", "5 poses: cubics that follow one another need 3n+1"),
        ("sheared.csv", "miss being orthonormal by 1.000e-1"),
        ("nan.csv", "nan"),
        ("missing.csv", "missing.csv"),
    ] {
        let run = folder.moving(poses, &[]);
        assert_eq!(run.code, 3, "{poses}");
        assert!(run.stderr.contains(what), "{poses}: {}", run.stderr);
    }
    assert_eq!(folder.moving("through.csv", &["--shape", "spheres"]).code, 3);
    assert_eq!(folder.moving("through.csv", &["--dcol", "-1"]).code, 3);
    folder.write("b.obj", "v 0 0 0\n");
    assert_eq!(folder.moving("through.csv", &[]).code, 3);
    folder.write("b.obj", &block([0.01; 3]));
    let run = folder.moving("a.csv", &["--json"]);
    assert_eq!((run.code, run.json()["at_start"].as_str()), (1, Some("b inside a")), "{}", run.stdout);
}

/// Motions other than cubics: the same answers, and certificates that hold.
#[test]
fn other_motions_between_poses() {
    let folder = Folder::new();
    let path = folder.path("c.json");
    folder.write(
        "two.csv",
        "x,y,z,qw,qx,qy,qz\n-1,0,0,1,0,0,0\n-0.3,0.5,0,0.9238795325112867,0,0,0.3826834323650898\n",
    );
    for name in ["linear", "slerp", "screw", "spline"] {
        let run = folder.moving("through.csv", &["--json", "--interpolate", name]);
        assert_eq!(run.code, 1, "{name}: {}", run.stderr);
        let answer = run.json();
        let t = answer["t"][1].as_f64().expect("a time");
        // A spline begins and ends more slowly, but is straight, too.
        assert!((t - 0.425).abs() < if name == "spline" { 0.1 } else { 1e-8 }, "{name}: {answer}");
        // The cube's face on the wall's: whatever of them is named, it is a part of the polyhedra.
        for k in 0..2 {
            let named = answer["named"][k].as_object().expect("a name");
            assert!(["vertex", "edge", "face"].iter().any(|kind| named.contains_key(*kind)), "{answer}");
        }
        let words = folder.moving("through.csv", &["--interpolate", name]).stdout;
        assert!(words.contains("between") && words.contains(" of A and "), "{words}");
        let _ = std::fs::remove_file(&path);
        let call = ["--json", "--interpolate", name, "--certificate", &path];
        let paths = ["a.obj", "b.obj", "a.csv", "two.csv"].map(|name| folder.path(name));
        let [a, b, poses_a, poses_b] = &paths;
        let run = kansho(["moving", a, b, "--poses-a", poses_a, "--poses-b", poses_b].iter().chain(&call));
        assert_eq!(run.code, 0, "{name}: {} {}", run.stdout, run.stderr);
        assert_eq!(run.json()["certificate"].as_str(), Some(&*path));
        assert!(run.json()["inflated"].as_f64().expect("a bound") < 0.1);
        let run = kansho(["verify", &path, "--json"]);
        assert_eq!((run.code, run.json()["accepted"].as_bool()), (0, Some(true)), "{name}: {}", run.stdout);
        // A turn about an axis that is none is no motion.
        let text = std::fs::read_to_string(&path).expect("written");
        let changed =
            text.replace("\"angle\":", "\"angle\":1e999,\"x\":").replace("\"turns\":", "\"turned\":");
        if changed != text {
            folder.write("c.json", &changed);
            assert_eq!(kansho(["verify", &path]).code, 3, "{name}");
        }
    }
    folder.write("one.csv", "1 0 0 0 1 0 0 0 1 0 0 0\n");
    let run = folder.moving("one.csv", &["--interpolate", "slerp"]);
    assert_eq!(run.code, 3);
    assert!(
        run.stderr.contains("one.csv") && run.stderr.contains("1 poses: a motion needs two"),
        "{}",
        run.stderr
    );
}

/// What bisection finds free is certified for the same gap.
#[test]
fn a_certificate_of_a_bisection() {
    let folder = Folder::new();
    let path = folder.path("c.json");
    folder.write("far.csv", &line([-1.0, 0.0, 0.0], [-0.9, 0.5, 0.0]));
    for (shape, poses) in [("precise", "beside.csv"), ("spheres", "far.csv")] {
        let call =
            ["--json", "--method", "bisect", "--dcol", "0.01", "--shape", shape, "--certificate", &path];
        let run = folder.moving(poses, &call);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let run = kansho(["verify", &path, "--json"]);
        assert_eq!((run.code, run.json()["clearance"].as_f64()), (0, Some(0.01)), "{}", run.stdout);
    }
}
