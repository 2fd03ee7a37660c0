//! Libraries know no command line: their messages name settings as `⟦fine⟧`, and each face renders these in its own words.

use crate::guide::repository;
use crate::run::kansho;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// Whether a line of code has a flag in a text: `--` and a letter, after something that is no letter.
fn has_flag(line: &str) -> bool {
    let code = line.trim_start();
    if code.starts_with("//") || !code.contains('"') {
        return false;
    }
    let text = &code[code.find('"').unwrap_or_default()..];
    text.match_indices("--").any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + 2..].chars().next();
        before.is_some_and(|c| matches!(c, ' ' | '(' | '`' | '"'))
            && after.is_some_and(|c| c.is_ascii_lowercase())
    })
}

#[test]
fn messages_of_libraries_name_no_flags() {
    let crates = repository().join("crates");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&crates).expect("the crates").flatten() {
        // The verifier is a program of its own as well, with flags of its own.
        if entry.file_name() != "verify" {
            sources(&entry.path().join("src"), &mut files);
        }
    }
    assert!(files.len() > 200, "{}", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file");
        let own = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let is_schemas = file.ends_with("ask/mod.rs");
        for (number, line) in own.lines().enumerate() {
            // Descriptions of schemas are about the command.
            if has_flag(line)
                && !(is_schemas && line.contains("The answer of") || line.contains("An answer of"))
            {
                wrong.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "write these as ⟦flag⟧ or ⟦flag=VALUE⟧:\n{}", wrong.join("\n"));
}

#[test]
fn settings_are_rendered_as_options_of_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let srdf = folder.path().join("r.srdf");
    std::fs::write(&srdf, "<robot name=\"r\"/>").expect("written");
    let srdf = srdf.to_string_lossy().into_owned();
    let plain = kansho(["info", &srdf]);
    assert!(plain.stderr.contains("--urdf ROBOT.urdf") && !plain.stderr.contains('⟦'), "{}", plain.stderr);
    let json = kansho(["info", "--json", &srdf]);
    assert!(json.stdout.contains("--urdf ROBOT.urdf") && !json.stdout.contains('⟦'), "{}", json.stdout);
}
