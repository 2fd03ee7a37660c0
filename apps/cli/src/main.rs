//! The `kansho` command: arguments in, one library call, answer out.

mod bodies;
mod ccd;
mod check;
mod collide;
mod contact;
mod convert;
mod demo;
mod info;
mod pairs;
mod plan;
mod postures;
mod progress;
mod reach;
mod say;
mod script;
mod spheres;
mod threads;
mod units;
mod verify;
mod view;
mod watch;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{CommandFactory, Parser, Subcommand};
use kansho::geom::{SIMD_CHOICES, SIMD_VARIABLE};
use std::process::ExitCode;

/// Not decided within the budget.
const UNDECIDED: u8 = 2;

/// Bad input or a wrong call.
const BAD_INPUT: u8 = 3;

/// Memory that is refused is a budget that is used up, not a crash.
#[global_allocator]
static MEMORY: kansho_memory::Told = kansho_memory::Told { exit_code: UNDECIDED as i32 };

/// Offline robot programming with proof.
#[derive(Parser)]
#[command(name = "kansho", version, about, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done or free, 1 touches or not possible, 2 undecided, 3 bad input or wrong call."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows what kansho can do, without any files.
    Demo(demo::Arguments),
    /// Says what is in a mesh, a robot, a cell or a table, and every fault found in it.
    Info(info::Arguments),
    /// Two meshes in many poses: do they touch, and how far apart are they?
    Collide(collide::Arguments),
    /// What touching allows: contacts, freedoms, what blocks what, and how an assembly comes apart.
    Contact(contact::Arguments),
    /// Moving vertices, faces and edges in the public query format: are the answers right, and how fast?
    Ccd(ccd::Arguments),
    /// A cell in many postures: does anything touch, which pair, and how large is the least gap?
    Postures(postures::Arguments),
    /// A cell that moves: proven free at every instant, or its first contact; one motion, or many segments.
    Check(check::Arguments),
    /// From a work path to a robot path: the feasible map, the best path through it, and a proof that it is free.
    Plan(plan::Arguments),
    /// From movements in words to exact poses and a proven motion.
    #[command(alias = "move")]
    Script(script::Arguments),
    /// Two meshes that move: proven free at every instant, or their first contact.
    #[command(alias = "moving")]
    Bodies(bodies::Arguments),
    /// Re-checks a certificate, by other means than those that made it.
    Verify(verify::Arguments),
    /// Watches a cell while it moves: postures in, gaps and times to contact out, line by line.
    #[command(alias = "monitor")]
    Watch(watch::Arguments),
    /// Shows a cell in the browser: robots, objects, motions, what collides and what contacts allow.
    View(view::Arguments),
    /// Where a tool can be, and how freely it can be turned there: a table and a picture.
    Reach(reach::Arguments),
    /// Converts meshes, robot programs and toolpaths between formats.
    Convert(convert::Arguments),
    /// Shows which pairs of bodies are checked against each other, and why the others are not.
    Pairs(pairs::Arguments),
    /// Covers a mesh, or the links of a robot, with spheres that leave nothing uncovered.
    Spheres(spheres::Arguments),
    /// Prints the JSON schema of a file that people write, for editors; or of an answer, for programs.
    Schema {
        /// Which file or answer
        #[arg(value_parser = schema_names())]
        of: String,
    },
    /// Prints completions for a shell.
    #[command(
        after_help = "Example:\n  kansho completions bash > ~/.local/share/bash-completion/completions/kansho"
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Writes manual pages into a folder, one for each command.
    #[command(after_help = "Example:\n  kansho man ~/.local/share/man/man1 && man kansho-check")]
    Man {
        /// The folder; made if it is not there
        #[arg(value_name = "DIR")]
        folder: std::path::PathBuf,
    },
}

/// Files with a schema. Answers have theirs in the library.
const FILES: [kansho::ask::NamedSchema; 4] = [
    ("cell", "`cell.toml`", kansho::io::cell::schema),
    ("job", "`job.toml`", kansho::io::job::schema),
    ("script", "`script.toml`", kansho::io::script::schema),
    ("profile", "What a controller does, for robot programs", kansho::io::robot_program::Profile::schema),
];

/// The names that have a schema.
fn schema_names() -> PossibleValuesParser {
    let files = FILES.iter().map(|(name, what, _)| (*name, *what));
    let all = files.chain(kansho::ask::schemas());
    all.map(|(name, what)| PossibleValue::new(name).help(what)).collect::<Vec<_>>().into()
}

fn schema(name: &str) -> serde_json::Value {
    let file = FILES.iter().find(|(known, ..)| *known == name).map(|(.., schema)| schema());
    file.or_else(|| kansho::ask::schema(name)).expect("only names that have one are taken")
}

fn main() -> ExitCode {
    MEMORY.watch_threads();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, everything else is a wrong call.
            let code = if error.use_stderr() { BAD_INPUT } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    // A word that is not known must not pass for one that is.
    let choice = std::env::var_os(SIMD_VARIABLE);
    if let Some(word) = choice.filter(|word| !SIMD_CHOICES.iter().any(|known| word == known)) {
        say::fault(SIMD_VARIABLE, format!("may be {}, not {}", SIMD_CHOICES.join(", "), word.display()));
        return ExitCode::from(BAD_INPUT);
    }
    let code = match cli.command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Collide(arguments) => collide::run(&arguments),
        Command::Contact(arguments) => contact::run(&arguments),
        Command::Ccd(arguments) => ccd::run(&arguments),
        Command::Postures(arguments) => postures::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Script(arguments) => script::run(&arguments),
        Command::Bodies(arguments) => bodies::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Watch(arguments) => watch::run(&arguments),
        Command::View(arguments) => view::run(&arguments),
        Command::Reach(arguments) => reach::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Pairs(arguments) => pairs::run(&arguments),
        Command::Spheres(arguments) => spheres::run(&arguments),
        Command::Schema { of } => {
            say::json_answer(&schema(&of));
            0
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "kansho", &mut script);
            say::answer(&String::from_utf8_lossy(&script));
            0
        }
        Command::Man { folder } => {
            let written = std::fs::create_dir_all(&folder).and_then(|()| {
                clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), &folder)
            });
            match written {
                Ok(()) => 0,
                Err(error) => {
                    say::fault(&folder.display().to_string(), error.to_string());
                    BAD_INPUT
                }
            }
        }
    };
    ExitCode::from(code)
}
