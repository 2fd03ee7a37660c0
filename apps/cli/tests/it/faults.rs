//! What a machine can do to the command: no room, no permission, no handles, no memory, no threads, or an end in the middle of it all.

use crate::run::{Run, kansho};
use crate::view::Viewer;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const KANSHO: &str = env!("CARGO_BIN_EXE_kansho");

/// Runs a script in a shell, in which `"$@"` is the command with these arguments.
fn shell(script: &str, arguments: &[&str]) -> Output {
    let all = ["-c", script, "sh", KANSHO].into_iter().chain(arguments.iter().copied());
    Command::new("sh").args(all).env_remove("RUST_BACKTRACE").output().expect("there is a shell")
}

/// The same, within limits of the shell (`ulimit`); a death by a signal fails the test.
fn limited(limits: &str, arguments: &[&str]) -> Run {
    let output = shell(&format!("ulimit {limits} && exec \"$@\""), arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!stderr.contains("panicked"), "{limits}: {stderr}");
    let code = output.status.code();
    let code = code.unwrap_or_else(|| panic!("{limits}: signal {:?}: {stderr}", output.status.signal()));
    Run { code, stdout: String::from_utf8_lossy(&output.stdout).into_owned(), stderr }
}

/// Runs a script with a file system of its own mounted on a folder, as large as is said; nothing where that is not allowed.
#[expect(clippy::print_stderr, reason = "a skipped test tells why")]
fn mounted(folder: &Path, size: &str, script: &str) -> Option<Output> {
    let mount = format!("mount -t tmpfs -o size={size} none {} && {{ {script}; }}", folder.display());
    for own in [&["-m"][..], &["-r", "-m"]] {
        // A first try tells whether it may be done at all.
        let may = |script: &str| {
            Command::new("unshare").args(own).args(["sh", "-c", script, "sh", KANSHO]).output()
        };
        if may(&format!("mount -t tmpfs none {}", folder.display()))
            .is_ok_and(|output| output.status.success())
        {
            return Some(may(&mount).expect("it could be run a moment ago"));
        }
    }
    eprintln!("skipped: no file system can be mounted here");
    None
}

/// The demo's files.
fn demo() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_string_lossy().into_owned();
    assert_eq!(kansho(["demo", "--no-plan", "--out", &out]).code, 0);
    folder
}

/// Names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let all = std::fs::read_dir(folder).expect("a folder");
    let mut all: Vec<_> =
        all.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    all.sort();
    all
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let demo = demo();
    let disk = demo.path().join("disk");
    std::fs::create_dir(&disk).expect("made");
    let [small, large] = ["arm/meshes/link_6.stl", "meshes/sheet.stl"].map(|name| demo.path().join(name));
    let (small, large) = (small.display(), large.display());
    let at = disk.display();
    let script = format!(
        "\"$1\" convert {small} {at}/out.stl && cp {at}/out.stl {at}/was.stl && \"$1\" convert {large} {at}/out.stl; \
         echo code $?; cmp {at}/out.stl {at}/was.stl && ls -A {at}"
    );
    let Some(output) = mounted(&disk, "256k", &script) else { return };
    let (said, faults) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.ends_with("code 3\nout.stl\nwas.stl\n"), "{said}\n{faults}");
    assert!(faults.contains("error: no storage space\n --> ") && faults.contains("disk/out.stl"), "{faults}");
}

#[test]
fn a_folder_that_may_not_be_written_is_told_before_the_work() {
    let demo = demo();
    let disk = demo.path().join("disk");
    std::fs::create_dir(&disk).expect("made");
    let (at, from) = (disk.display(), demo.path().display());
    let script = format!(
        "mount -o remount,ro {at}; \
         for out in plan deep/plan; do \"$1\" plan {from}/job.toml --out {at}/$out; echo code $?; done; \
         \"$1\" check {from}/cell.toml {from}/motion_shortcut.csv --certificate {at}/proof.json; echo code $?; \
         \"$1\" postures {from}/cell.toml --postures {from}/postures.csv --out {at}/table.csv; echo code $?"
    );
    let Some(output) = mounted(&disk, "256k", &script) else { return };
    let (said, faults) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // Nothing but the codes: no answer was worked for.
    assert_eq!(said, "code 3\n".repeat(4), "{faults}");
    for name in ["plan", "deep/plan", "proof.json", "table.csv"] {
        let fault = format!("error: read-only filesystem or storage medium\n --> {at}/{name}\n");
        assert!(faults.contains(&fault), "{faults}");
    }
}

#[test]
fn whoever_is_killed_while_writing_leaves_the_old_file_or_the_new_one() {
    let demo = demo();
    let at = |name: &str| demo.path().join(name).to_string_lossy().into_owned();
    let (from, to) = (at("meshes/sheet.stl"), at("out/sheet.obj"));
    std::fs::create_dir(at("out")).expect("made");
    assert_eq!(kansho(["convert", &from, &to]).code, 0);
    let new = std::fs::read(&to).expect("written");
    let old = b"# as it was\n".to_vec();
    let reset = || {
        std::fs::remove_dir_all(at("out")).expect("removed");
        std::fs::create_dir(at("out")).expect("made");
        std::fs::write(&to, &old).expect("written");
    };
    // A limit on the size of files: the system ends the program in the middle of the write, for certain.
    reset();
    let output = shell("ulimit -f 100 && exec \"$@\"", &["convert", &from, &to]);
    assert_eq!(output.status.signal(), Some(25), "{output:?}"); // SIGXFSZ
    assert_eq!(std::fs::read(&to).expect("there"), old);
    // At moments that are spread over the whole run.
    let began = Instant::now();
    assert_eq!(kansho(["convert", &from, &to]).code, 0);
    let whole = began.elapsed();
    let mut olds = 0;
    for k in 0..40 {
        reset();
        let mut child = Command::new(KANSHO)
            .args(["convert", &from, &to])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(whole * k / 32);
        let _ = child.kill();
        child.wait().expect("it is gone");
        let found = std::fs::read(&to).expect("there is a file at any time");
        assert!(found == old || found == new, "{} bytes, neither old nor new", found.len());
        olds += usize::from(found == old);
    }
    assert!(olds > 0, "none was killed in time");
}

#[test]
fn without_handles_the_file_is_named() {
    let demo = demo();
    let cell = demo.path().join("cell.toml").to_string_lossy().into_owned();
    let mut codes = std::collections::BTreeSet::new();
    for handles in 3..10 {
        let run = limited(&format!("-n {handles}"), &["info", &cell]);
        match run.code {
            0 => assert!(run.stdout.contains("44 checked"), "{}", run.stdout),
            3 => assert!(run.stderr.contains("open files") && run.stderr.contains(" --> "), "{}", run.stderr),
            127 => {} // Not even the program could be loaded.
            code => panic!("{code}: {}", run.stderr),
        }
        codes.insert(run.code);
    }
    // With the three that it begins with there is none left for a file; with ten there are enough.
    assert!(codes.contains(&0) && (codes.contains(&3) || codes.contains(&127)), "{codes:?}");
}

#[test]
fn without_memory_it_says_so_and_decides_nothing() {
    let demo = demo();
    let at = |name: &str| demo.path().join(name).to_string_lossy().into_owned();
    let (cell, motion) = (at("cell.toml"), at("motion_shortcut.csv"));
    let mut told = 0;
    for kilobytes in [40_000, 60_000, 80_000, 120_000, 200_000, 4_000_000] {
        let run = limited(&format!("-v {kilobytes}"), &["check", &cell, &motion, "--threads", "2"]);
        match run.code {
            2 => {
                assert!(run.stderr.contains("error: there is no more memory: "), "{}", run.stderr);
                assert_eq!(run.stdout, "");
                told += 1;
            }
            1 => assert!(run.stdout.contains("first contact"), "{}", run.stdout),
            127 => {} // Not even the program could be loaded.
            code => panic!("{code}: {}", run.stderr),
        }
        assert!(kilobytes < 4_000_000 || run.code == 1, "that is enough: {}", run.stderr);
    }
    assert!(told > 0, "some limit is met while it works");
}

#[test]
fn without_threads_the_answer_is_the_same() {
    let demo = demo();
    let at = |name: &str| demo.path().join(name).to_string_lossy().into_owned();
    let arguments = ["check", &at("cell.toml"), &at("motion_shortcut.csv"), "--threads", "512"];
    let all = kansho(arguments);
    let mut same = 0;
    // Room for the work, and not for the stacks of 512 threads (2 MiB each). Where the last of it went into stacks, there is none for the work.
    for kilobytes in [300_000, 400_000, 500_000] {
        let script = format!("export MALLOC_ARENA_MAX=1; ulimit -v {kilobytes} && exec \"$@\"");
        let output = shell(&script, &arguments);
        let (said, faults) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        match output.status.code() {
            Some(1) => assert_eq!(said, all.stdout),
            Some(2) => assert!(faults.contains("there is no more memory"), "{faults}"),
            code => panic!("{code:?}: {faults}"),
        }
        same += usize::from(said == all.stdout);
    }
    assert!(same > 0, "no limit left room for the work");
}

#[test]
fn wrong_clocks_change_nothing() {
    let demo = demo();
    let at = |name: &str| demo.path().join(name).to_string_lossy().into_owned();
    let arguments = ["check", &at("cell.toml"), &at("motion_shortcut.csv")];
    let now = kansho(arguments).stdout;
    // Files of the future, and from before there were any. (Nothing asks what time it is: clippy.toml forbids it.)
    let century = Duration::from_secs(100 * 365 * 86_400);
    for date in [std::time::UNIX_EPOCH, std::time::UNIX_EPOCH + century] {
        for name in ["cell.toml", "motion_shortcut.csv", "meshes/sheet.stl"] {
            let file = std::fs::File::options().write(true).open(at(name)).expect("there");
            file.set_modified(date).expect("dated");
        }
        assert_eq!(kansho(arguments).stdout, now);
    }
}

#[test]
fn readers_that_disappear_leave_nothing_behind() {
    let demo = demo();
    let Some(viewer) = Viewer::start(&[&demo.path().to_string_lossy()]) else { return };
    assert_eq!(viewer.get("/api/cell").code, 200);
    let handles = || names(Path::new(&format!("/proc/{}/fd", viewer.child.id()))).len();
    let before = handles();
    for k in 0..60 {
        let mut stream = TcpStream::connect(viewer.address).expect("it listens");
        write!(stream, "GET /api/cell HTTP/1.1\r\nHost: {}\r\n\r\n", viewer.address).expect("sent");
        // Gone at once, or in the middle of the answer.
        let mut some = [0; 64];
        if k % 2 == 0 {
            stream.read_exact(&mut some).expect("it answers");
        }
    }
    let begun = Instant::now();
    while handles() > before && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(handles() <= before, "{} handles, {before} before", handles());
    assert_eq!(viewer.get("/api/cell").code, 200);
}

#[test]
fn a_viewer_without_handles_answers_again_when_there_are_some() {
    let demo = demo();
    let Some(viewer) = Viewer::start_within("-n 40", &[&demo.path().to_string_lossy()]) else { return };
    assert_eq!(viewer.get("/api/cell").code, 200);
    let silent: Vec<TcpStream> =
        (0..80).map(|_| TcpStream::connect(viewer.address).expect("they queue")).collect();
    std::thread::sleep(Duration::from_millis(300));
    drop(silent);
    assert_eq!(viewer.get("/api/cell").code, 200);
}
