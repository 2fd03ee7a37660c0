//! `kansho move`: movements in words become exact poses and a proven motion.

use crate::{BAD_INPUT, UNDECIDED, moving, say};
use clap::Args;
use kansho::check::motion::MotionOptions;
use kansho::io::script::{self, RobotVerdict};
use kansho::plan::words::{Options, Status, run as run_script};
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho move examples/words/block_in_slot.toml\n  kansho move script.toml --json\n  kansho move script.toml --out moved\n  kansho move examples/words/robot/script.toml --out moved && kansho check examples/words/robot/cell.toml moved/motion.json\n  kansho moving part.stl fixture.stl --poses-a moved/poses.csv --poses-b still.csv --interpolate screw\n\nWith --out a folder gets answer.json, poses.csv (where ways end; screws lie between), path.csv if a path is followed (a work path for\nkansho plan), and motion.json if the script names a robot (for kansho check, view and convert).\nExit code 1 says that a move does not come to its end; the answer says which, where and why."
)]
pub(crate) struct Arguments {
    /// The script (TOML)
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,

    /// A folder that poses, the work path and the robot's motion are written to
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Stop after this time; what is not decided by then is undecided
    #[arg(long, value_name = "SECONDS", value_parser = crate::threads::seconds)]
    timeout: Option<Duration>,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let deadline = arguments.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let loaded = match script::read(&arguments.script) {
        Ok(loaded) => loaded,
        Err(errors) => return moving::refused(&errors, arguments.json),
    };
    say::warnings(&loaded.warnings);
    let answer = run_script(&loaded.script, &Options { deadline, ..Options::default() });
    let mut code = code(answer.status());
    let mut text = script::text(&loaded, &answer, &say::styled());
    let mut value = script::json(&loaded, &answer);
    let mut files = script::files(&answer);
    let options = MotionOptions { deadline, ..MotionOptions::default() };
    match script::led(&loaded, &answer, &arguments.packages, &options) {
        Ok(None) => {}
        Ok(Some(robot)) => {
            say::warnings(&robot.warnings);
            text += &robot.text;
            value["robot"] = robot.value;
            files.extend(robot.motion.map(|motion| ("motion.json".to_owned(), motion)));
            code = match robot.verdict {
                RobotVerdict::Free => 0,
                RobotVerdict::NotPossible => 1,
                RobotVerdict::Undecided => UNDECIDED,
            };
        }
        Err(errors) => return moving::refused(&errors, arguments.json),
    }
    if let Some(out) = &arguments.out {
        files.push(("answer.json".to_owned(), format!("{value:#}\n").into_bytes()));
        if let Err(error) = kansho::io::whole_files(out, &files) {
            say::write_error(&error);
            return BAD_INPUT;
        }
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        text += &format!("written  {}: {}\n", out.display(), names.join(", "));
    }
    if let Some(what) = script::fault(&loaded, &answer) {
        let step = answer.steps.last().expect("a fault has a step");
        let error = loaded.fault(step.number, what);
        say::errors(std::slice::from_ref(&error));
        value["errors"] = say::errors_json(&[error]);
    }
    if arguments.json {
        say::json_answer(&value);
    } else {
        say::answer(&text);
    }
    code
}

fn code(status: &Status) -> u8 {
    match status {
        Status::Reached => 0,
        Status::Contradiction { .. } => BAD_INPUT,
        Status::Undecided { .. } => UNDECIDED,
        _ => 1,
    }
}
