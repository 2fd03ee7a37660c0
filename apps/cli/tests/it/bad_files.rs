//! Bad files: each gets the verdict that an engineer would give it.

use crate::run::{csv, kansho, real_data};
use std::time::{Duration, Instant};

#[test]
fn every_bad_file_gets_its_verdict() {
    let Some(data) = real_data() else { return };
    let folder = data.join("bad");
    let mut judged = 0;
    let mut wrong = Vec::new();
    for row in csv(&folder.join("EXPECTED.csv")) {
        let file = &row["file"];
        judged += 1;
        let path = folder.join(file);
        let start = Instant::now();
        let run = kansho(["info".as_ref(), "--json".as_ref(), path.as_os_str()]);
        let answer = run.json();
        let found = &answer["files"][0];
        let some = |list: &str| found[list].as_array().is_some_and(|list| !list.is_empty());
        let (errors, warnings) = (some("errors"), some("warnings"));
        let mut expect = |what: &str, holds: bool| {
            if !holds {
                wrong.push(format!("{file} ({}): {what}\n{}", row["note"], run.stdout));
            }
        };
        match row["verdict"].as_str() {
            "ok" => expect("should load", !errors && run.code == 0),
            "warn" => expect("should load with a warning", !errors && warnings && run.code == 0),
            "error" => expect("should be refused", errors && run.code == 3),
            "any" => {
                expect("must answer one way or the other", if errors { run.code == 3 } else { run.code == 0 })
            }
            other => panic!("unknown verdict {other}"),
        }
        if errors {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            expect("must name the file", run.stderr.contains(&name));
            expect("must mention it", run.stderr.contains(&row["must_mention"]));
            expect("must not hand over anything", found["kind"].is_null());
        }
        // Far from a limit on speed: it only tells a reader that hangs.
        expect("must not hang", start.elapsed() < Duration::from_secs(60));
    }
    assert_eq!(judged, 119, "files in the list");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
