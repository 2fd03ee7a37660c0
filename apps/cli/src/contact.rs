use crate::say::{self, Refusal};
use clap::Args;
use kansho::answer::{ExitCode, Message};
use kansho::ask::contact::{ContactOptions, assembly, certified_assembly, contact};
use kansho::load;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho contact cell.toml --moving peg\n  kansho contact cell.toml --moving peg --motion 0,0,1,0,0,0\n  kansho contact cell.toml --assembly --stays floor --json\n  kansho contact cell.toml --assembly --stays floor --certificate c.json && kansho verify c.json"
)]
pub(crate) struct Arguments {
    /// A cell (TOML) with objects that touch
    #[arg(value_name = "CELL")]
    cell: PathBuf,

    /// The object that may move; all others stand still
    #[arg(long, value_name = "NAME", required_unless_present = "assembly", conflicts_with = "assembly")]
    moving: Option<String>,

    /// Say which objects block which, and in which order they come apart
    #[arg(long)]
    assembly: bool,

    /// The object that stays where it is when an assembly is taken apart
    #[arg(long, value_name = "NAME", requires = "assembly")]
    stays: Option<String>,

    /// A file that the certificate of all pushes of the order is written to; `kansho verify` re-checks it
    #[arg(long, value_name = "FILE", requires = "assembly", conflicts_with = "moving")]
    certificate: Option<PathBuf>,

    /// A small motion to judge: how the point at the origin moves, and the rotation vector
    #[arg(long, value_name = "VX,VY,VZ,WX,WY,WZ", value_parser = six, allow_hyphen_values = true, conflicts_with = "assembly")]
    motion: Option<[f64; 6]>,

    /// Gaps and overlaps up to this many metres count as touching; by default 25 millionths of the size of the smaller object
    #[arg(long, value_name = "M", value_parser = length)]
    tolerance: Option<f64>,

    /// How far, in metres, corners of meshes may be from where they should be; by default a quarter of a millionth of the size
    #[arg(long, value_name = "M", value_parser = length)]
    noise: Option<f64>,

    /// Coefficient of friction for the question whether the object stands
    #[arg(long, value_name = "F", default_value_t = 0.3)]
    friction: f64,

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
    say::can_be_written(&arguments.certificate, &[&arguments.cell])?;
    let (cell, warnings) = load::cell_or_robot(&arguments.cell, &arguments.packages)?;
    say::warnings(&warnings);
    let options = ContactOptions { tolerance: arguments.tolerance, noise: arguments.noise };
    let refuse = |faults| Refusal::of_file(&arguments.cell, faults);
    let (text, json, code);
    if let Some(moving) = &arguments.moving {
        let found = contact(&cell, moving, &options).map_err(refuse)?;
        let mut answer = found.answer(arguments.friction, arguments.motion);
        answer.warnings = Message::of_warnings(&warnings);
        (text, code) = (answer.text(&say::styled()), answer.exit_code());
        json = serde_json::to_value(answer);
    } else {
        let stays = arguments.stays.as_deref();
        let mut answer = if let Some(out) = &arguments.certificate {
            let (mut answer, certificate) = certified_assembly(&cell, stays, &options).map_err(refuse)?;
            answer.certificate = Some(say::written_certificate(out, certificate)?);
            answer
        } else {
            assembly(&cell, stays, &options).map_err(refuse)?
        };
        answer.warnings = Message::of_warnings(&warnings);
        (text, code) = (answer.text(&say::styled()), answer.exit_code());
        json = serde_json::to_value(answer);
    }
    if arguments.json {
        say::json_answer(&json.expect("answers are plain data"));
    } else {
        say::answer(&text);
    }
    Ok(code)
}

fn six(text: &str) -> Result<[f64; 6], String> {
    let numbers: Vec<f64> =
        text.split(',').map_while(|n| n.trim().parse().ok()).filter(|n: &f64| n.is_finite()).collect();
    let count = text.split(',').count();
    numbers.try_into().ok().filter(|_| count == 6).ok_or_else(|| "six numbers, separated by commas".into())
}

fn length(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|m| *m > 0.0 && *m < 1e6).ok_or_else(|| "a length greater than zero".into())
}
