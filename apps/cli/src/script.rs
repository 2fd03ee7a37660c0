//! `kansho script`: movements in words become exact poses and a proven motion.

use crate::say::{self, Refusal};
use clap::Args;
use kansho::answer::ExitCode;
use kansho::ask::script::script;
use kansho::budget::Budget;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho script examples/words/block_in_slot.toml\n  kansho script script.toml --json\n  kansho script script.toml --out moved\n  kansho script script.toml --certificate c.json && kansho verify c.json\n  kansho script examples/words/robot/script.toml --out moved && kansho check examples/words/robot/cell.toml moved/motion.json\n  kansho bodies part.stl fixture.stl --poses-a moved/poses.csv --poses-b still.csv --interpolate screw\n\nWith --out a folder gets answer.json, poses.csv (where ways end; screws lie between), path.csv if a path is followed (a work path for\nkansho plan), and motion.json if the script names a robot (for kansho check, view and convert).\nExit code 1 says that a move does not come to its end; the answer says which, where and why."
)]
pub(crate) struct Arguments {
    /// The script (TOML)
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,

    /// A folder that poses, the work path and the robot's motion are written to
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// A file that the certificate of all motions is written to, if all moves come to their ends; `kansho verify` re-checks it
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

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
    say::ended(answer(arguments), arguments.json)
}

fn answer(arguments: &Arguments) -> Result<ExitCode, Refusal> {
    say::can_be_written(&arguments.certificate, &[&arguments.script])?;
    let budget = Budget { deadline: Budget::deadline_after(arguments.timeout), ..Budget::default() };
    let done = script(&arguments.script, &arguments.packages, &budget)?;
    say::warnings(&done.warnings);
    let mut answer = done.answer();
    if let Some(out) = &arguments.certificate {
        answer.certificate = Some(say::written_certificate(out, done.certificate(&budget))?);
    }
    let mut text = answer.text(&say::styled());
    if let Some(out) = &arguments.out {
        let files = done.files();
        kansho::io::whole_files(out, &files)?;
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        text += &format!("written  {}: {}\n", out.display(), names.join(", "));
    }
    say::errors(done.error().as_slice());
    if arguments.json {
        say::json_of(&answer);
    } else {
        say::answer(&text);
    }
    Ok(done.exit_code())
}
