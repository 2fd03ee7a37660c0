//! Bug reports as folders: `fixtures/regressions/NNNN-slug` has the files of a report and `run.txt`, what is run in the folder and what comes of it.
//!
//! Lines of `run.txt`: `kansho ...` runs the command; `exit N`, `says TEXT` and `never TEXT` are about the last one that was run; `#` tells why.

use crate::run::{Run, kansho_in};
use std::fs;
use std::path::Path;

#[test]
fn bug_reports_stay_fixed() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/regressions");
    let mut folders: Vec<_> =
        fs::read_dir(&all).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    assert!(folders.len() >= 9, "{folders:?}");
    let wrong: Vec<String> = folders.iter().flat_map(|folder| replay(folder)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is not as a report has it.
fn replay(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("run.txt")).expect("a run.txt");
    let (mut wrong, mut last): (Vec<String>, Option<(String, Run)>) = (Vec::new(), None);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').expect("a word and something");
        if word == "kansho" {
            last = Some((line.to_owned(), kansho_in(folder, rest.split_whitespace())));
            continue;
        }
        let (command, run) = last.as_ref().expect("a command comes first");
        let said = format!("{}{}", run.stdout, run.stderr);
        let holds = match word {
            "exit" => rest.parse() == Ok(run.code),
            "says" => said.contains(rest),
            "never" => !said.contains(rest),
            _ => panic!("{}: '{word}' is no word of a run.txt", folder.display()),
        };
        if !holds {
            wrong.push(format!("{}: {command}: {line}: exit {}\n{said}", folder.display(), run.code));
        }
    }
    wrong
}
