use crate::BAD_INPUT;
use crate::say::{self, DIM, STRONG};
use clap::Args;
use kansho::cell::{BodyId, Cell, NotChecked};
use kansho::check::propose::{Why, propose};
use kansho::check::scene::Scene;
use kansho::load;
use serde_json::{Value, json};
use std::fmt::Write;
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
    let (cell, warnings) = match load::cell_or_robot(&arguments.file, &arguments.packages) {
        Ok(loaded) => loaded,
        Err(errors) => {
            say::errors(&errors);
            if arguments.json {
                say::json_answer(&json!({ "errors": say::errors_json(&errors) }));
            }
            return BAD_INPUT;
        }
    };
    let cell = Arc::new(cell);
    if arguments.json {
        say::json_answer(&as_json(&cell, arguments.propose));
        return 0;
    }
    say::warnings(&warnings);
    say::answer(&if arguments.propose { proposal(&cell) } else { as_text(&cell) });
    0
}

/// `a|b`.
fn name(cell: &Cell, pair: [BodyId; 2]) -> String {
    pair.map(|id| cell.body(id).name.as_str()).join("|")
}

fn as_text(cell: &Cell) -> String {
    let pairs = cell.pairs();
    let mut text = format!("{STRONG}checked: {}{STRONG:#}\n", pairs.checked().len());
    for pair in pairs.checked() {
        writeln!(text, "  {}", name(cell, *pair)).expect("writing to a string succeeds");
    }
    writeln!(text, "{STRONG}not checked: {}{STRONG:#}", pairs.not_checked().len())
        .expect("writing to a string succeeds");
    for (pair, reason) in pairs.not_checked() {
        writeln!(text, "  {}  {DIM}{reason}{DIM:#}", name(cell, *pair))
            .expect("writing to a string succeeds");
    }
    text
}

fn as_json(cell: &Arc<Cell>, propose: bool) -> Value {
    let pairs = cell.pairs();
    let checked: Vec<String> = pairs.checked().iter().map(|pair| name(cell, *pair)).collect();
    let not_checked: Vec<Value> = pairs
        .not_checked()
        .iter()
        .map(|(pair, reason)| json!({ "pair": name(cell, *pair), "reason": reason.to_string() }))
        .collect();
    let mut value = json!({ "checked": checked, "not_checked": not_checked });
    if propose {
        value["proposed"] = proposed(cell)
            .into_iter()
            .map(|(pair, why)| json!({ "pair": name(cell, pair), "reason": why }))
            .collect();
    }
    value
}

/// Postures that a proposal looks at.
const LOOKED_AT: usize = 4096;

/// Pairs that the set-up tools of planners take out, and why. Neighbours are never checked anyway.
fn proposed(cell: &Arc<Cell>) -> Vec<([BodyId; 2], &'static str)> {
    let neighbours = cell
        .pairs()
        .not_checked()
        .iter()
        .filter(|(_, reason)| matches!(reason, NotChecked::Neighbours { .. }))
        .map(|(pair, _)| (*pair, "Adjacent"));
    let scene = Scene::new(Arc::clone(cell));
    let others = propose(&scene, LOOKED_AT).into_iter().map(|(pair, why)| {
        let why = match why {
            Why::Always => "Always",
            Why::Never => "Never",
        };
        (scene.bodies(pair), why)
    });
    neighbours.chain(others).collect()
}

fn proposal(cell: &Arc<Cell>) -> String {
    let mut text = format!(
        "# Adjacent: they share a joint, and are never checked. Always, Never: so in {LOOKED_AT} postures all over the range.\n\
         # Never is no proof: such a pair costs little to check, and checking it is safer.\n[allow]\npairs = [\n"
    );
    for (pair, why) in proposed(cell) {
        let [a, b] = pair.map(|id| cell.body(id).name.as_str());
        let comment = if why == "Never" { "# " } else { "" };
        writeln!(text, "  {comment}[{a:?}, {b:?}], # {why}").expect("writing to a string succeeds");
    }
    text + "]\n"
}
