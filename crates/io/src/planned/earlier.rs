//! Plans that are written where another one was.

use crate::fault::WriteError;
use crate::write::{failed, whole_files};
use serde_json::Value;
use std::path::Path;

/// Where files of an earlier plan are put, below the folder of the plan.
const EARLIER: &str = "earlier";

/// Writes the files of a plan into a folder, all of them or none; `plan.json` among them names them. What an earlier plan wrote there and this one
/// does not is then put into `earlier`: somebody would take the old program for that of the new map. The names of these.
///
/// # Errors
/// A file that could not be written, or not be put away.
pub fn write_plan(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<Vec<String>, WriteError> {
    let before = names(folder);
    whole_files(folder, files)?;
    let is_left = |name: &String| !files.iter().any(|(new, _)| new == name) && folder.join(name).is_file();
    let left: Vec<String> = before.into_iter().filter(is_left).collect();
    if left.is_empty() {
        return Ok(left);
    }
    let away = folder.join(EARLIER);
    std::fs::create_dir_all(&away).map_err(|error| failed(&away, &error))?;
    for name in &left {
        let (from, to) = (folder.join(name), away.join(name));
        std::fs::rename(&from, to).map_err(|error| failed(&from, &error))?;
    }
    Ok(left)
}

/// The files of the plan that is there, as its `plan.json` names them: names only, no ways to other folders.
fn names(folder: &Path) -> Vec<String> {
    let Ok(text) = std::fs::read_to_string(folder.join("plan.json")) else { return Vec::new() };
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return Vec::new() };
    let names = value["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    names
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
        assert_eq!(write_plan(&out, &first).expect("written"), [""; 0]);
        fs::write(out.join("notes.txt"), "mine").expect("written");
        let second = plan(&["map.csv", "plan.json"], "two");
        assert_eq!(write_plan(&out, &second).expect("written"), ["program.ls", "program_1.ls"]);
        assert_eq!((read("map.csv").as_deref(), read("program.ls")), (Some("two"), None));
        assert_eq!(read("earlier/program.ls").as_deref(), Some("one"));
        assert_eq!(read("notes.txt").as_deref(), Some("mine"));
        // The same once more: nothing is left of the one before.
        assert_eq!(write_plan(&out, &second).expect("written"), [""; 0]);
        // A list that names what is no file of this folder is not followed.
        let list = json!({ "files": ["../mine.txt", "earlier", "/etc/passwd", "..", "notes.txt"] });
        fs::write(out.join("plan.json"), list.to_string()).expect("written");
        assert_eq!(write_plan(&out, &second).expect("written"), ["notes.txt"]);
        assert_eq!(fs::read_to_string(&outside).expect("there"), "mine");
        fs::write(out.join("plan.json"), "no JSON").expect("written");
        assert_eq!(write_plan(&out, &second).expect("written"), [""; 0]);
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
