//! Calls, answers and exit codes.

use crate::run::{Run, kansho};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const TRIANGLE: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n";

fn write(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("the file is written");
    path
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn info(path: &Path) -> Run {
    kansho(["info".as_ref(), path.as_os_str()])
}

#[test]
fn version_help_and_completions_are_answers() {
    let version = kansho(["--version"]);
    assert_eq!((version.code, version.stdout.trim()), (0, concat!("kansho ", env!("CARGO_PKG_VERSION"))));
    for command in ["info", "convert", "demo", "spheres", "completions"] {
        let help = kansho([command, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.stdout.contains("Usage: kansho"));
        assert!(kansho(["--help"]).stdout.contains(command));
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(kansho(["completions", shell]).stdout.contains("convert"));
    }
}

/// A page for the program and one for every command, or a reason why not.
#[test]
fn manual_pages_are_written() {
    let folder = folder();
    let pages = folder.path().join("man1");
    let run = kansho(["man".as_ref(), pages.as_os_str()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for (name, says) in [("kansho.1", "kansho\\-check"), ("kansho-check.1", "certificate")] {
        let page = std::fs::read_to_string(pages.join(name)).expect(name);
        assert!(page.contains(".TH") && page.contains(says), "{name}: {page}");
    }
    let file = write(&folder, "file", "");
    let run = kansho(["man".as_ref(), file.join("below").as_os_str()]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("below"), "{}", run.stderr);
}

#[test]
fn wrong_calls_end_with_3() {
    for call in
        [&["frobnicate"][..], &["info"], &["info", "--units", "furlong", "x.stl"], &[], &["convert", "a.stl"]]
    {
        let run = kansho(call);
        assert_eq!(run.code, 3, "{call:?}");
        assert!(!run.stderr.is_empty());
    }
}

#[test]
fn faults_quote_the_line() {
    let folder = folder();
    let path = write(&folder, "part.stl", TRIANGLE.replace("vertex 1 0 0", "vertex 1 O 0"));
    let run = info(&path);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    let shown = run.stderr.replace(&path.display().to_string(), "part.stl");
    let expected =
        "error: 'O' is not a number\n --> part.stl:5:10 (line 5)\n  |\n5 | vertex 1 O 0\n  |          ^\n";
    assert_eq!(shown, expected);
}

#[test]
fn several_files_give_several_answers() {
    let folder = folder();
    let good = write(&folder, "good.stl", TRIANGLE);
    let bad = write(&folder, "bad.stl", "<html>");
    let poses = write(&folder, "poses.csv", "x_mm,y_mm,z_mm,qw,qx,qy,qz\n1,2,3,1,0,0,0\n");
    let run =
        kansho(["info".as_ref(), "--json".as_ref(), good.as_os_str(), bad.as_os_str(), poses.as_os_str()]);
    assert_eq!(run.code, 3);
    let answer = run.json();
    assert_eq!(answer["files"][0]["kind"], "mesh");
    assert_eq!(answer["files"][0]["triangles"], 1);
    assert_eq!(answer["files"][0]["watertight"], false);
    assert_eq!(answer["files"][1]["errors"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["files"][2]["kind"], "poses");
    assert_eq!(answer["files"][2]["bounds"]["max"][2], 0.003);
}

#[test]
fn units_scale_and_large_parts_are_questioned() {
    let folder = folder();
    let path = write(&folder, "part.stl", TRIANGLE.replace("vertex 1 0 0", "vertex 100 0 0"));
    assert!(info(&path).stderr.contains("millimetres"));
    let run =
        kansho(["info".as_ref(), "--json".as_ref(), "--units".as_ref(), "mm".as_ref(), path.as_os_str()]);
    assert_eq!(run.json()["files"][0]["bounds"]["max"][0], 0.1);
    assert!(!run.stdout.contains("millimetres"));
}

#[test]
fn what_is_no_file_is_named() {
    let folder = folder();
    for (path, what) in
        [(folder.path().join("nowhere.stl"), "no such file"), (folder.path().to_owned(), "folder")]
    {
        let run = info(&path);
        assert_eq!(run.code, 3);
        assert!(run.stderr.contains(what), "{}", run.stderr);
    }
    let unknown = write(&folder, "part.xyz", "0 0 0");
    assert!(info(&unknown).stderr.contains("names a mesh format"));
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_are_read_and_shown() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"\x83p\x81[\x83c.stl"));
    std::fs::write(&path, TRIANGLE).expect("the file is written");
    let run = kansho(["info".as_ref(), "--json".as_ref(), path.as_os_str()]);
    assert_eq!((run.code, run.json()["files"][0]["triangles"].as_u64()), (0, Some(1)));
}

#[test]
fn conversions_keep_the_mesh() {
    let folder = folder();
    let demo = kansho(["demo".as_ref(), "--no-plan".as_ref(), "--out".as_ref(), folder.path().as_os_str()]);
    assert_eq!(demo.code, 0, "{}", demo.stderr);
    let facts = |path: &Path| {
        let run = kansho(["info".as_ref(), "--json".as_ref(), path.as_os_str()]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let row = run.json()["files"][0].clone();
        assert_eq!(
            (row["solid"].as_bool(), row["removed"].as_u64()),
            (Some(true), Some(0)),
            "{}",
            path.display()
        );
        (
            row["triangles"].as_u64(),
            row["vertices"].as_u64(),
            row["volume"].as_f64().expect("a solid has a volume"),
        )
    };
    let meshes = std::fs::read_dir(folder.path().join("arm/meshes")).expect("the demo's arm has meshes");
    let stl = meshes
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "stl"));
    let some: Vec<PathBuf> = stl.take(5).collect();
    assert_eq!(some.len(), 5);
    for start in some {
        let shape = start.file_stem().expect("a name").to_string_lossy().into_owned();
        let (triangles, vertices, volume) = facts(&start);
        let mut from = start;
        for extension in ["obj", "ply", "glb", "stl"] {
            let to = folder.path().join(format!("{shape}-again.{extension}"));
            let run = kansho(["convert".as_ref(), "--z-up".as_ref(), from.as_os_str(), to.as_os_str()]);
            // Of these formats only GLB has an axis that is up: the others are not turned, and that is said.
            let is_glb = from.extension().is_some_and(|extension| extension == "glb");
            let told: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("warning")).collect();
            let expected: &[&str] = match is_glb {
                true => &[],
                false => &["warning: this format names no axis that is up, so nothing is turned"],
            };
            assert_eq!((run.code, &told[..]), (0, expected));
            let there = facts(&to);
            assert_eq!((there.0, there.1), (triangles, vertices), "{}", to.display());
            assert!((there.2 - volume).abs() <= 1e-6 * volume, "{}", to.display());
            from = to;
        }
    }
}

#[test]
fn nothing_is_written_when_something_is_wrong() {
    let folder = folder();
    let bad = write(&folder, "bad.stl", TRIANGLE.replace("vertex 1 0 0", "vertex 0 0 0"));
    let good = write(&folder, "good.stl", TRIANGLE);
    let convert = |from: &Path, to: &str| {
        let to = folder.path().join(to);
        (kansho(["convert".as_ref(), from.as_os_str(), to.as_os_str()]), to.exists())
    };
    let (refused, exists) = convert(&bad, "out.obj");
    assert_eq!((refused.code, exists), (3, false));
    for to in ["out.dae", "out.step", "nowhere/out.stl"] {
        let (refused, exists) = convert(&good, to);
        assert_eq!((refused.code, exists), (3, false), "{to}");
        assert!(refused.stderr.contains("out"), "{}", refused.stderr);
    }
    assert_eq!(convert(&good, "good.stl").0.code, 3, "an input is not overwritten");
    assert_eq!(std::fs::read_to_string(&good).expect("it is there"), TRIANGLE);
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder").collect();
    assert_eq!(left.len(), 2, "no temporary files are left");
}

#[test]
fn conversions_that_fail_say_so_in_json_too() {
    let folder = folder();
    let good = write(&folder, "good.stl", TRIANGLE);
    let bad = write(&folder, "bad.stl", "<html>");
    let nowhere = folder.path().join("nowhere/out.stl");
    for (from, to, file, what) in
        [(&bad, &good, &bad, "HTML"), (&good, &nowhere, &nowhere, "there is no folder")]
    {
        let run = kansho(["convert".as_ref(), "--json".as_ref(), from.as_os_str(), to.as_os_str()]);
        let answer = run.json();
        assert_eq!(run.code, 3);
        assert_eq!(answer["file"].as_str(), file.to_str());
        assert!(answer["errors"][0]["message"].as_str().is_some_and(|message| message.contains(what)));
    }
}

#[test]
fn axes_kept_twice_are_as_they_were() {
    let folder = folder();
    let part = write(&folder, "part.stl", TRIANGLE.replace("vertex 0 1 0", "vertex 0 2 3"));
    let bounds = |path: &Path| {
        let run = kansho(["info".as_ref(), "--json".as_ref(), "--keep-axes".as_ref(), path.as_os_str()]);
        run.json()["files"][0]["bounds"].clone()
    };
    let mut from = part;
    let start = bounds(&from);
    for name in ["once.glb", "twice.glb", "back.stl"] {
        let to = folder.path().join(name);
        let run = kansho(["convert".as_ref(), "--keep-axes".as_ref(), from.as_os_str(), to.as_os_str()]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(bounds(&to), start, "{name}");
        from = to;
    }
}

#[test]
fn json_tells_the_shape() {
    let folder = folder();
    let path = write(&folder, "sheet.stl", TRIANGLE);
    let sheet = kansho(["info".as_ref(), "--json".as_ref(), path.as_os_str()]).json()["files"][0].clone();
    assert_eq!((sheet["faces"].as_u64(), sheet["corners"].as_u64()), (Some(1), Some(3)));
    assert_eq!((sheet["holes"].as_u64(), sheet["bends"]["border"].as_u64()), (Some(0), Some(3)));
    assert!(sheet["faces_unknown"].is_null());
}

#[test]
fn what_a_file_looks_like_is_hinted_at() {
    let folder = folder();
    let stl = write(&folder, "part.stl", TRIANGLE);
    let binary = folder.path().join("binary.stl");
    kansho(["convert".as_ref(), stl.as_os_str(), binary.as_os_str()]);
    let bytes = std::fs::read(&binary).expect("it was written");
    for content in [TRIANGLE.as_bytes(), &bytes] {
        let run = info(&write(&folder, "wrong.obj", content));
        assert_eq!(run.code, 3);
        assert!(run.stderr.contains("this looks like STL, but its name says OBJ"), "{}", run.stderr);
    }
    // Without an extension, or with the first word of another format: the size tells.
    let mut named = bytes;
    assert_eq!(info(&write(&folder, "noname", &named)).code, 0);
    for word in [&b"ply "[..], b"glTF", b"PK\x03\x04"] {
        named[..word.len()].copy_from_slice(word);
        assert_eq!(info(&write(&folder, "named.stl", &named)).code, 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn endless_files_are_refused_and_lost_answers_noticed() {
    use std::process::{Command, Stdio};
    let folder = folder();
    assert!(info(Path::new("/dev/zero")).stderr.contains("no regular file"));
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero.bin")).expect("linked");
    let part = write(&folder, "part.stl", TRIANGLE);
    let run = |stdin: Stdio, stdout: Stdio, file: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kansho"));
        let command = command.arg("info").arg(file).stdin(stdin).stdout(stdout);
        command.output().expect("the command runs")
    };
    let full = std::fs::File::create("/dev/full").expect("Linux has it");
    let lost = run(Stdio::null(), full.into(), &part);
    assert_eq!(lost.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&lost.stderr).contains("standard output"), "{lost:?}");
    let piped = std::fs::File::open(&part).expect("the part is there");
    let read = run(piped.into(), Stdio::piped(), Path::new("-"));
    assert!(String::from_utf8_lossy(&read.stdout).contains("1 triangle"), "{read:?}");
}

#[test]
fn old_names_of_commands_keep_working() {
    for (old, new) in [("move", "script"), ("moving", "bodies"), ("monitor", "watch")] {
        let [old, new] = [old, new].map(|name| kansho([name, "--help"]));
        assert_eq!((old.code, &old.stdout), (0, &new.stdout));
        assert!(new.stdout.contains("Usage: kansho"), "{}", new.stdout);
    }
}
