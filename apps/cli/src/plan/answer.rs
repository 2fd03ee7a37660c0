//! What is said of a plan.

use super::Asked;
use super::place::Places;
use super::relax::Relaxed;
use super::work::Done;
use crate::{UNDECIDED, say};
use kansho::io::job::LoadedJob;
use kansho::io::plan_files::{Fact, PlanTold, told};
use serde_json::json;

/// The answer, for people, programs and the report.
pub(super) struct Answer {
    pub(super) code: u8,
    pub(super) told: PlanTold,
    times: Vec<(&'static str, f64)>,
}

impl Answer {
    pub(super) fn of(job: &LoadedJob, asked: &Asked, done: &Done, relaxed: Option<&Relaxed>) -> Self {
        let mut told = done.with(job, asked, told);
        let mut times = done.times.clone();
        if let Some(relaxed) = relaxed {
            let before_map = told.sections.len() - 1;
            told.sections.insert(before_map, ("What would help", relaxed.facts()));
            told.json["relaxed"] = relaxed.json();
            times.extend(["what helps points", "what helps"].into_iter().zip(relaxed.times));
        }
        told.json["seconds"] =
            done.times.iter().map(|(what, secs)| ((*what).to_owned(), json!(secs))).collect();
        told.json["out"] = json!(asked.out.display().to_string());
        let code = match told.word {
            "path" => 0,
            "no_path" => 1,
            _ => UNDECIDED,
        };
        Self { code, told, times }
    }

    pub(super) fn say(&self, asked: &Asked, files: &[(String, Vec<u8>)]) {
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        if asked.json {
            let mut json = self.told.json.clone();
            json["files"] = json!(names);
            say::json_answer(&json);
            return;
        }
        let mut text = self.told.text();
        if asked.explain {
            let times: Vec<String> =
                self.times.iter().map(|(what, secs)| format!("{what} {secs:.2} s")).collect();
            text += &format!("  {:<14} {}\n", "times", times.join(", "));
            text += &format!("  {:<14} {}\n", "effort", self.told.json["effort"]);
        }
        text += &format!("  {:<14} {}: {}\n", "written", asked.out.display(), names.join(", "));
        say::answer(&text);
    }
}

/// Says what came of a search for a place.
pub(super) fn say_places(asked: &Asked, places: &Places, files: &[(String, Vec<u8>)]) {
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    if asked.json {
        let mut json = places.json();
        json["out"] = json!(asked.out.display().to_string());
        json["files"] = json!(names);
        say::json_answer(&json);
        return;
    }
    let mut text = format!("{}\n", places.verdict());
    for Fact { name, value } in places.facts() {
        text += &format!("  {name:<14} {value}\n");
    }
    text += &format!("  {:<14} {}: {}\n", "written", asked.out.display(), names.join(", "));
    say::answer(&text);
}
