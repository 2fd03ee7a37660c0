//! The test scripts on a machine where nothing was installed by hand: they see what is missing, install it or name it.
//!
//! The scripts run with a PATH of their own that has stand-ins for what they would call, so that these tests neither install nor build.

#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Programs that every machine has.
const ALWAYS: [&str; 7] = ["bash", "cat", "chmod", "dirname", "printf", "sh", "tail"];

/// A folder that is all of PATH: what every machine has, and stand-ins by their name and what they do.
fn machine(programs: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ALWAYS {
        let real = ["/bin", "/usr/bin"].map(|place| Path::new(place).join(name));
        let real = real.into_iter().find(|path| path.exists()).expect("every machine has it");
        symlink(real, folder.path().join(name)).expect("linked");
    }
    for (name, does) in programs {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{does}\n")).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("allowed");
    }
    folder
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a script, with its arguments behind blanks.
fn run(machine: &TempDir, script: &str, variables: &[(&str, &str)]) -> (Output, String) {
    let mut command = Command::new(machine.path().join("bash"));
    let mut words = script.split(' ');
    command
        .arg(root().join(words.next().unwrap_or_default()))
        .args(words)
        .env_clear()
        .env("PATH", machine.path())
        .envs(variables.iter().copied());
    let output = command.output().expect("it runs");
    let said =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat();
    (output, said)
}

const NODE: (&str, &str) = ("node", "exit 0");
const NPM: (&str, &str) = ("npm", "exit 0");
const ROOT: (&str, &str) = ("id", "echo 0");
/// The build ends the script: what comes before it is what is tested here.
const CARGO: (&str, &str) = ("cargo", "echo \"builds, to be shown by $CHROMIUM\"; exit 3");
/// Installs what it is asked for.
const APT: (&str, &str) = (
    "apt-get",
    "echo \"apt-get $*\" >&2; [ \"$1\" = install ] || exit 0; printf '#!/bin/sh\\nexit 0\\n' >\"${0%/*}/chromium\"; chmod +x \"${0%/*}/chromium\"",
);

#[test]
fn the_browser_is_installed_where_there_is_none() {
    let new = machine(&[NODE, NPM, ROOT, CARGO, APT]);
    let (output, said) = run(&new, "apps/viewer/test", &[]);
    assert!(said.contains("Chromium is not there: installing it"), "{said}");
    // The tests are told which browser to start.
    let browser = new.path().join("chromium");
    assert!(said.contains(&format!("builds, to be shown by {}\n", browser.display())), "{said}");
    assert_eq!(output.status.code(), Some(3), "{said}");
    // The second time it is there.
    let (_, again) = run(&new, "apps/viewer/test", &[]);
    assert!(!again.contains("installing") && again.contains("builds"), "{again}");
}

#[test]
fn a_browser_that_is_not_there_or_does_not_start_is_never_taken_for_one() {
    let broken = ("chromium", "exit 1");
    let refused = ("apt-get", "echo 'E: Unable to locate package chromium' >&2; exit 100");
    let cases: [(&[(&str, &str)], &str); 3] = [
        (
            &[NODE, NPM, ROOT, CARGO],
            "could not be installed (apt-get install chromium): apt-get is not there",
        ),
        (&[NODE, NPM, ROOT, CARGO, refused], "E: Unable to locate package chromium"),
        (&[NODE, NPM, ROOT, CARGO, broken], "Chromium is not there and could not be installed"),
    ];
    for (programs, why) in cases {
        let machine = machine(programs);
        for (variables, code) in [(&[][..], 0), (&[("CI", "1")][..], 1)] {
            let (output, said) = run(&machine, "apps/viewer/test", variables);
            assert!(
                said.contains("skipped: the tests of the viewer in a browser") && said.contains(why),
                "{said}"
            );
            assert!(!said.contains("builds"), "{said}");
            assert_eq!(output.status.code(), Some(code), "{said}");
        }
    }
    let named = machine(&[NODE, NPM, ROOT, CARGO, APT]);
    let (output, said) = run(&named, "apps/viewer/test", &[("CHROMIUM", "/no/such/browser")]);
    assert!(said.contains("CHROMIUM names /no/such/browser, which is not there or does not start"), "{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
}

#[test]
fn all_that_is_missing_is_named_before_anything_is_run() {
    let empty = machine(&[]);
    let (output, said) = run(&empty, "test --all", &[("CI", "1")]);
    for what in ["a Rust toolchain", "rustfmt", "clippy", "g++", "Python 3.11", "Node.js 20", "npm"] {
        assert!(said.contains(what), "{what}: {said}");
    }
    assert!(!said.contains("=="), "nothing is run: {said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
    // What only everything takes is not asked for by the quick part.
    let (_, said) = run(&empty, "test", &[]);
    assert!(said.contains("a Rust toolchain") && !said.contains("clippy") && !said.contains("g++"), "{said}");
    // An old Python is named too; what is there is not.
    let old = machine(&[("cargo", "exit 0"), ("g++", "exit 0"), ("python3", "exit 1")]);
    let (_, said) = run(&old, "test", &[]);
    assert!(said.contains("Python 3.11") && !said.contains("g++") && !said.contains("Node.js"), "{said}");
}
