use crate::load;
use crate::progress::Progress;
use crate::say;
use crate::units::TableUnits;
use crate::{BAD_INPUT, UNDECIDED};
use clap::{Args, ValueEnum};
use kansho::check::order::{Order, Then};
use kansho::check::postures::{Answer, Find, PosturesOptions, postures, rough_postures};
use kansho::check::rough::RoughScene;
use kansho::check::scene::Scene;
use kansho::geom::spheres::CoverFault;
use kansho::io::postures::{self as table};
use kansho::io::{Fault, ReadError, Warning};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho postures cell.toml --postures postures.csv\n  kansho postures cell.toml --postures postures.csv --distance --out answers.csv\n  kansho postures robot.urdf --postures postures.csv --units deg --all\n\nOne row per posture: hit (1 touches, 0 free), pair (the first found, as a|b), with --distance also the least gap and its two points\nin the world. Pairs that never move relative to each other are looked at once, and count where they touch."
)]
pub(crate) struct Arguments {
    /// A cell (TOML), or a robot that stands alone (URDF)
    #[arg(value_name = "CELL")]
    cell: PathBuf,

    /// Postures, one a row (CSV)
    #[arg(long, value_name = "CSV")]
    postures: PathBuf,

    /// Measure the least gap over all pairs, and where it is
    #[arg(long)]
    distance: bool,

    /// Name all pairs that touch, not only one
    #[arg(long, conflicts_with = "distance")]
    all: bool,

    /// Look at spheres of this radius in metres around the meshes instead of the meshes: faster, nothing is missed, but what
    /// touches may be a gap of up to four times the radius, and gaps are too small by at most that
    #[arg(long, value_name = "RADIUS", num_args = 0..=1, default_missing_value = "0.01", conflicts_with = "all")]
    spheres: Option<f64>,

    /// Which pairs are looked at first, after the one that touched last: as listed, those that touch most often in a sample,
    /// or in the order of the CAM paper
    #[arg(long, value_name = "ORDER", default_value = "frequent")]
    order: OrderName,

    /// Refuse postures that are outside the limits of their joints, instead of warning
    #[arg(long)]
    strict: bool,

    /// Write one row per posture to this file instead of printing it
    #[arg(long, value_name = "CSV")]
    out: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", value_parser = crate::threads::number)]
    threads: Option<usize>,

    /// Stop after this time; what is not decided by then is undecided
    #[arg(long, value_name = "SECONDS", value_parser = crate::threads::seconds)]
    timeout: Option<Duration>,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,

    #[command(flatten)]
    units: TableUnits,
}

#[derive(Clone, Copy, ValueEnum)]
enum OrderName {
    Listed,
    Frequent,
    Paper,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let deadline = arguments.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let refuse = |errors: &[ReadError]| {
        say::errors(errors);
        if arguments.json {
            say::json_answer(&json!({ "errors": say::errors_json(errors) }));
        }
        BAD_INPUT
    };
    let (cell, mut warnings) = match load::cell_or_robot(&arguments.cell, &arguments.packages) {
        Ok(loaded) => loaded,
        Err(errors) => return refuse(&errors),
    };
    if cell.coordinates().is_empty() {
        let scene = Scene::new(Arc::new(cell));
        let touching: Vec<String> = scene.always().map(|pair| scene.pair_name(pair)).collect();
        let what = match touching.as_slice() {
            [] => "nothing in this cell moves, so it has no postures; no pair that is checked touches"
                .to_owned(),
            pairs => format!(
                "nothing in this cell moves, so it has no postures; these touch: {}",
                pairs.join(", ")
            ),
        };
        return refuse(&[ReadError { path: arguments.cell.clone(), faults: vec![Fault::of_file(what)] }]);
    }
    let rows = match table::read(&arguments.postures, &cell, &arguments.units.units()) {
        Ok(rows) => rows,
        Err(error) => return refuse(&[error]),
    };
    if let Some(out) = &arguments.out
        && let Some(error) = say::refused_output(out, &[&arguments.cell, &arguments.postures])
    {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let outside = rows.outside_limits();
    if arguments.strict && !outside.is_empty() {
        return refuse(&[ReadError { path: arguments.postures.clone(), faults: outside.to_vec() }]);
    }
    let warning = |fault: &Fault| Warning { path: arguments.postures.clone(), fault: fault.clone() };
    warnings.extend(outside.iter().map(warning));
    let looked = crate::threads::on(arguments.threads, || {
        let scene = Arc::new(Scene::new(Arc::new(cell)));
        let progress = Progress::of(rows.len());
        let options = PosturesOptions {
            find: match (arguments.distance, arguments.all) {
                (true, _) => Find::Gap,
                (_, true) => Find::All,
                _ => Find::First,
            },
            order: Order { then: arguments.order.into(), ..Order::default() },
            deadline,
            done: Some(progress.counter()),
        };
        let answers = match arguments.spheres {
            None => postures(&scene, rows.values(), &options),
            Some(radius) => {
                let rough = RoughScene::new(Arc::clone(&scene), radius)?;
                rough_postures(&rough, rows.values(), &options)
            }
        };
        Ok::<_, CoverFault>((scene, answers))
    });
    let (scene, answers) = match looked {
        Ok(looked) => looked,
        Err(fault) => {
            say::fault("--spheres", fault.to_string());
            return BAD_INPUT;
        }
    };
    warnings.extend(about(&scene).map(|fault| Warning { path: arguments.cell.clone(), fault }));
    say::warnings(&warnings);
    let table = as_table(&scene, &answers, arguments.distance);
    if let Some(out) = &arguments.out
        && let Err(error) = kansho::io::whole_file(out, table.as_bytes())
    {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let hits = answers.iter().filter(|answer| matches!(answer, Answer::Touches(..))).count();
    let undecided = answers.iter().filter(|answer| matches!(answer, Answer::Undecided)).count();
    if arguments.json {
        let rows: Vec<Value> = answers.iter().map(|answer| row_json(&scene, answer)).collect();
        let warnings = say::warnings_json(&warnings);
        say::json_answer(&json!({
            "postures": answers.len(), "hits": hits, "undecided": undecided, "rows": rows, "warnings": warnings
        }));
    } else if arguments.out.is_some() {
        let open = if undecided > 0 { format!(", {undecided} are undecided") } else { String::new() };
        say::answer(&format!("{hits} of {} postures touch{open}\n", answers.len()));
    } else {
        say::answer(&table);
    }
    match (hits, undecided) {
        (0, 0) => 0,
        (0, _) => UNDECIDED,
        _ => 1,
    }
}

impl From<OrderName> for Then {
    fn from(name: OrderName) -> Self {
        match name {
            OrderName::Listed => Self::Listed,
            OrderName::Frequent => Self::Frequent,
            OrderName::Paper => Self::Paper,
        }
    }
}

/// What users must know of a scene to read its answers.
pub(crate) fn about(scene: &Scene) -> impl Iterator<Item = Fault> {
    let always = scene.always().map(|pair| {
        let name = scene.pair_name(pair);
        Fault::of_file(format!("{name} touch in every posture, for they never move relative to each other"))
            .with_help("if that is meant to be, allow the pair in the cell")
    });
    let open: Vec<&str> = scene.open_bodies().map(|id| scene.cell().body(id).name.as_str()).collect();
    let open = (!open.is_empty()).then(|| {
        Fault::of_file(format!(
            "open surfaces have no inside, so a body wholly inside one does not count as a hit: {}",
            open.join(", ")
        ))
    });
    always.chain(open)
}

fn pair_names(scene: &Scene, answer: &Answer) -> Vec<String> {
    match answer {
        Answer::Touches(pairs, _) => pairs.iter().map(|pair| scene.pair_name(*pair)).collect(),
        Answer::Free(Some(found)) => vec![scene.pair_name(found.pair)],
        Answer::Free(None) | Answer::Undecided => Vec::new(),
    }
}

fn row_json(scene: &Scene, answer: &Answer) -> Value {
    let (hit, found) = match answer {
        Answer::Free(found) => (json!(0), found),
        Answer::Touches(_, found) => (json!(1), found),
        Answer::Undecided => (Value::Null, &None),
    };
    let mut row = json!({ "hit": hit, "pairs": pair_names(scene, answer) });
    if let Some(found) = found {
        row["distance"] = json!(found.gap);
        row["points"] = json!(found.points.map(|p| p.to_array()));
    }
    row
}

fn as_table(scene: &Scene, answers: &[Answer], distance: bool) -> String {
    let mut text =
        String::from(if distance { "hit,pair,distance,ax,ay,az,bx,by,bz\n" } else { "hit,pair\n" });
    for answer in answers {
        let (hit, found) = match answer {
            Answer::Free(found) => ("0", *found),
            Answer::Touches(_, found) => ("1", *found),
            Answer::Undecided => ("undecided", None),
        };
        text += hit;
        text.push(',');
        text += &field(&pair_names(scene, answer).join(";"));
        if distance {
            match found {
                Some(found) => {
                    let [p, q] = found.points;
                    write!(text, ",{},{},{},{},{},{},{}", found.gap, p.x, p.y, p.z, q.x, q.y, q.z)
                        .expect("writing to a string succeeds");
                }
                None => text += ",,,,,,,",
            }
        }
        text.push('\n');
    }
    text
}

/// A field of a CSV file, quoted where a name needs it.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
