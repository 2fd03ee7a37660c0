//! Plans that are written where another one was.

use crate::fault::WriteError;
use crate::write::{failed, whole_files};
use serde_json::Value;
use std::path::Path;

/// Where files of an earlier plan are put, below the folder of the plan.
const EARLIER: &str = "earlier";

/// What plans wrote that do not name their files.
const UNNAMED: [&str; 14] = [
    "path.csv",
    "motion.csv",
    "motion.json",
    "certificate.json",
    "trajectory.csv",
    "trajectory.json",
    "intervals.csv",
    "path_relaxed.csv",
    "program.mod",
    "program.src",
    "program.dat",
    "program.ls",
    "program.script",
    "program.jbi",
];

/// Writes the files of a plan into a folder, all of them or none; `plan.json` among them names them. What an earlier plan wrote there and this one
/// does not is put into `earlier` before: somebody would take the old program for that of the new map. The names of these, and the folder.
///
/// # Errors
/// A file that could not be written, or not be put away; then all are where they were.
pub fn write_plan(
    folder: &Path,
    files: &[(String, Vec<u8>)],
) -> Result<Option<(Vec<String>, String)>, WriteError> {
    let is_left = |name: &String| !files.iter().any(|(new, _)| new == name) && folder.join(name).is_file();
    let left: Vec<String> = names(folder).into_iter().filter(is_left).collect();
    if left.is_empty() {
        return whole_files(folder, files).map(|()| None);
    }
    // Those before stay, too.
    let numbers = std::iter::once(EARLIER.to_owned()).chain((2..).map(|k: u32| format!("{EARLIER}_{k}")));
    let named = numbers.into_iter().find(|name| !folder.join(name).exists()).unwrap_or_default();
    let away = folder.join(&named);
    std::fs::create_dir_all(&away).map_err(|error| failed(&away, &error))?;
    let mut moved = Vec::new();
    let mut put_away = || {
        for name in &left {
            let (from, to) = (folder.join(name), away.join(name));
            std::fs::rename(&from, &to).map_err(|error| failed(&from, &error))?;
            moved.push((from, to));
        }
        Ok(())
    };
    let done = put_away().and_then(|()| whole_files(folder, files));
    if let Err(error) = done {
        for (from, to) in moved {
            let _ = std::fs::rename(to, from);
        }
        let _ = std::fs::remove_dir(&away);
        return Err(error);
    }
    Ok(Some((left, named)))
}

/// The files of the plan that is there, as its `plan.json` names them: names only, no ways to other folders.
fn names(folder: &Path) -> Vec<String> {
    let Ok(text) = std::fs::read_to_string(folder.join("plan.json")) else { return Vec::new() };
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return Vec::new() };
    let Some(names) = value["files"].as_array() else {
        return UNNAMED.iter().map(|name| (*name).to_owned()).collect();
    };
    names
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| Path::new(name).file_name().is_some_and(|own| own == *name))
        .map(str::to_owned)
        .collect()
}

/// Whether a plan may write a file of this name: tables, which paths of jobs may be, too.
#[must_use]
pub fn is_plan_table(name: &str) -> bool {
    const STEMS: [&str; 5] = ["path", "motion", "map", "intervals", "trajectory"];
    const BEGINNINGS: [&str; 4] = ["path_", "motion_", "trajectory_", "placements"];
    name.to_ascii_lowercase()
        .strip_suffix(".csv")
        .is_some_and(|stem| STEMS.contains(&stem) || BEGINNINGS.iter().any(|begin| stem.starts_with(begin)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    fn plan(names: &[&str], text: &str) -> Vec<(String, Vec<u8>)> {
        let list = json!({ "job": "../job.toml", "files": names }).to_string();
        let file = |name: &&str| match *name {
            "plan.json" => ("plan.json".to_owned(), list.clone().into_bytes()),
            name => (name.to_owned(), text.as_bytes().to_vec()),
        };
        names.iter().map(file).collect()
    }

    #[test]
    fn what_an_earlier_plan_left_is_put_away() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (out, outside) = (folder.path().join("plan"), folder.path().join("mine.txt"));
        fs::write(&outside, "mine").expect("written");
        let read = |name: &str| fs::read_to_string(out.join(name)).ok();
        let first = plan(&["map.csv", "program.ls", "program_1.ls", "plan.json"], "one");
        assert_eq!(write_plan(&out, &first).expect("written"), None);
        fs::write(out.join("notes.txt"), "mine").expect("written");
        let second = plan(&["map.csv", "plan.json"], "two");
        let left = |names: &[&str], folder: &str| {
            Some((names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), folder.to_owned()))
        };
        // Not written: nothing has moved.
        fs::create_dir(out.join("report.html")).expect("made");
        let none = plan(&["map.csv", "plan.json", "report.html"], "none");
        write_plan(&out, &none).expect_err("there is a folder of that name");
        assert_eq!((read("map.csv").as_deref(), read("program.ls").as_deref()), (Some("one"), Some("one")));
        assert!(!out.join("earlier").exists());
        fs::remove_dir(out.join("report.html")).expect("empty");
        assert_eq!(
            write_plan(&out, &second).expect("written"),
            left(&["program.ls", "program_1.ls"], "earlier")
        );
        assert_eq!((read("map.csv").as_deref(), read("program.ls")), (Some("two"), None));
        assert_eq!(read("earlier/program.ls").as_deref(), Some("one"));
        assert_eq!(read("notes.txt").as_deref(), Some("mine"));
        // The same once more: nothing is left of the one before.
        assert_eq!(write_plan(&out, &second).expect("written"), None);
        // A list that names what is no file of this folder is not followed.
        let list = json!({ "files": ["../mine.txt", "earlier", "/etc/passwd", "..", "notes.txt"] });
        fs::write(out.join("plan.json"), list.to_string()).expect("written");
        assert_eq!(write_plan(&out, &second).expect("written"), left(&["notes.txt"], "earlier_2"));
        assert_eq!(fs::read_to_string(&outside).expect("there"), "mine");
        fs::write(out.join("plan.json"), "no JSON").expect("written");
        assert_eq!(write_plan(&out, &second).expect("written"), None);
        // A plan of a version that did not name its files.
        fs::write(out.join("plan.json"), json!({ "job": "../job.toml" }).to_string()).expect("written");
        fs::write(out.join("program.mod"), "old").expect("written");
        assert_eq!(write_plan(&out, &second).expect("written"), left(&["program.mod"], "earlier_3"));
    }

    #[test]
    fn tables_of_plans_have_known_names() {
        for name in ["path.csv", "PATH.CSV", "motion_2.csv", "map.csv", "path_relaxed.csv", "placements.csv"]
        {
            assert!(is_plan_table(name), "{name}");
        }
        for name in ["work.csv", "path.apt", "paths.csv", "my_path.csv", "csv"] {
            assert!(!is_plan_table(name), "{name}");
        }
    }
}
