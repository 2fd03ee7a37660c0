use crate::say::{self, Refusal};
use clap::Args;
use kansho::answer::{ExitCode, Message};
use kansho::ask::pairs::pairs;
use kansho::load;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho pairs cell.toml\n  kansho pairs robot.urdf --propose\n  kansho pairs cell.toml --json"
)]
pub(crate) struct Arguments {
    /// A robot (URDF) or a cell (TOML)
    #[arg(value_name = "ROBOT|CELL")]
    file: PathBuf,

    /// Propose pairs to allow for a robot without SRDF, as lines for a cell file
    #[arg(long)]
    propose: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    say::ended(answer(arguments), arguments.json)
}

fn answer(arguments: &Arguments) -> Result<ExitCode, Refusal> {
    let (cell, warnings) = load::cell_or_robot(&arguments.file, &arguments.packages)?;
    say::warnings(&warnings);
    let mut answer = pairs(&Arc::new(cell), arguments.propose);
    answer.warnings = Message::of_warnings(&warnings);
    if arguments.json {
        say::json_of(&answer);
    } else {
        say::answer(&answer.text(&say::styled()));
    }
    Ok(ExitCode::Done)
}
