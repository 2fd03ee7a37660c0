use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of `kansho` gave.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {:?}", self.stdout))
    }
}

/// Runs the command; a death by a signal is a failure of the test.
pub(crate) fn kansho<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> Run {
    kansho_in(Path::new("."), arguments)
}

/// Runs the command in a folder.
pub(crate) fn kansho_in<I: AsRef<std::ffi::OsStr>>(
    folder: &Path,
    arguments: impl IntoIterator<Item = I>,
) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kansho"));
    let output = command.args(arguments).current_dir(folder).output().expect("the command starts");
    Run {
        code: output.status.code().expect("the command ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("answers are UTF-8"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The folder of real files, if there is one. Says so where not.
#[expect(clippy::print_stderr, reason = "a skipped test tells why")]
pub(crate) fn real_data() -> Option<PathBuf> {
    let folder = std::env::var_os("KANSHO_DATA").map(|folder| PathBuf::from(folder).join("data"));
    match folder {
        Some(folder) => {
            assert!(folder.is_dir(), "KANSHO_DATA is set, but {} is no folder", folder.display());
            Some(folder)
        }
        None => {
            eprintln!("skipped: KANSHO_DATA is not set, so there are no real files to test with");
            None
        }
    }
}

/// Rows of a CSV file with a header, by column name; fields may be quoted.
pub(crate) fn csv(path: &std::path::Path) -> Vec<std::collections::HashMap<String, String>> {
    let text = std::fs::read_to_string(path).expect("the table can be read");
    let split = |line: &str| {
        let mut fields = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                _ => fields.last_mut().expect("there is a field").push(c),
            }
        }
        fields
    };
    let mut lines = text.lines();
    let header = split(lines.next().expect("the table has a header"));
    lines.map(|line| header.iter().cloned().zip(split(line)).collect()).collect()
}

/// Whether tests that have a short form run whole: with `./test --all`, or `KANSHO_LONG=1`.
pub(crate) fn is_whole() -> bool {
    ["KANSHO_ALL", "KANSHO_LONG"].iter().any(|name| std::env::var_os(name).is_some())
}
