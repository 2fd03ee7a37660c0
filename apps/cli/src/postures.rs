use crate::explain::Explained;
use crate::progress::Progress;
use crate::say;
use crate::units::TableUnits;
use crate::{BAD_INPUT, UNDECIDED};
use clap::{Args, ValueEnum};
use kansho::check::order::{Order, Then};
use kansho::check::postures::{Answer, Find, PosturesOptions, looked_at, rough_postures};
use kansho::check::rough::RoughScene;
use kansho::check::scene::Scene;
use kansho::check::scene::models::Stages;
use kansho::geom::field::Field;
use kansho::geom::spheres::CoverFault;
use kansho::io::fields::{self, Restored};
use kansho::io::postures::{self as table};
use kansho::io::{Fault, ReadError, Warning};
use kansho::load;
use kansho::table::field;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho postures cell.toml --postures postures.csv\n  kansho postures cell.toml --postures postures.csv --distance --out answers.csv\n  kansho postures robot.urdf --postures postures.csv --units deg --all\n\nOne row per posture: hit (1 touches, 0 free), pair (the first that the cell lists, as a|b), with --distance also the least gap and its two points\nin the world. Pairs that never move relative to each other are looked at once, and count where they touch."
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
    /// or in the order of the CAM paper. It matters for the speed without models; the answers are the same
    #[arg(long, value_name = "ORDER", default_value = "frequent")]
    order: OrderName,

    /// Look at the shapes themselves only, without models (balls and fields of distances) that tell the same sooner
    #[arg(long)]
    no_models: bool,

    /// Make models whatever the number of postures, and say on standard error, and with --json in "models", which share of the postures was decided how
    #[arg(long, conflicts_with_all = ["no_models", "spheres", "distance"])]
    explain: bool,

    /// Keep what models have worked out beside the cell, as CELL.fields, and use it the next time; whatever is wrong with that file,
    /// it is told and written anew
    #[arg(long, conflicts_with_all = ["no_models", "spheres", "distance"])]
    cache: bool,

    /// Refuse a table in which joints are outside their limits, instead of marking those rows
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
    let cache = match cache_of(arguments) {
        Ok(cache) => cache,
        Err(what) => {
            say::fault("--cache", what);
            return BAD_INPUT;
        }
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
    let inputs: Vec<&Path> =
        [&arguments.cell, &arguments.postures].into_iter().chain(&cache).map(PathBuf::as_path).collect();
    if let Some(out) = &arguments.out
        && let Some(error) = say::refused_output(out, &inputs)
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
    let looked = kansho::threads::on(arguments.threads, || {
        let mut scene = Scene::new(Arc::new(cell));
        let progress = Progress::of(rows.len());
        let options = PosturesOptions {
            find: match (arguments.distance, arguments.all) {
                (true, _) => Find::Gap,
                (_, true) => Find::All,
                _ => Find::First,
            },
            order: Order { then: arguments.order.into(), ..Order::default() },
            deadline,
            stop: None,
            done: Some(progress.counter()),
        };
        if let Some(radius) = arguments.spheres {
            let rough = RoughScene::new(Arc::new(scene), radius)?;
            let answers = rough_postures(&rough, rows.values(), &options);
            return Ok((Arc::clone(rough.scene()), answers, None, Restored::default()));
        }
        // Answers are the same with and without models, so time may decide which rows have them.
        let (mut answers, left) = match arguments.models() {
            WithModels::Always => (Vec::new(), rows.values()),
            WithModels::Never => (looked_at(&scene, rows.values(), &options).0, &[][..]),
            WithModels::IfItPays => {
                let columns = scene.cell().coordinates().len();
                let (first, left) = rows.values().split_at(rows.len().min(TRIED_ROWS) * columns);
                let begin = Instant::now();
                let mut answers = looked_at(&scene, first, &options).0;
                if begin.elapsed().as_secs_f64() * (left.len() as f64 / first.len() as f64) > WORTH_SECS {
                    (answers, left)
                } else {
                    if !left.is_empty() {
                        answers.extend(looked_at(&scene, left, &options).0);
                    }
                    (answers, &[][..])
                }
            }
        };
        let begin = Instant::now();
        if !left.is_empty() {
            scene = scene.with_models();
        }
        let fields: Vec<&Field> = scene.models().iter().flat_map(|models| models.fields()).collect();
        let restored = cache.as_deref().map(|path| fields::read(path, &fields)).unwrap_or_default();
        let set_up = begin.elapsed();
        let mut stages = Stages::default();
        if !left.is_empty() {
            let (of_left, how) = looked_at(&scene, left, &options);
            answers.extend(of_left);
            stages = how;
        }
        let scene = Arc::new(scene);
        let explained = scene.models().filter(|_| arguments.explain).map(|models| Explained {
            stages,
            pairs: models.pairs(),
            set_up,
            bytes: models.bytes(),
            restored: restored.cells,
            worked_out: known_cells(&scene) - restored.cells,
        });
        Ok::<_, CoverFault>((scene, answers, explained, restored))
    });
    let (scene, answers, explained, restored) = match looked {
        Ok(looked) => looked,
        Err(fault) => {
            say::fault("--spheres", fault.to_string());
            return BAD_INPUT;
        }
    };
    warnings.extend(restored.notice.clone());
    if let Some(path) = &cache {
        warnings.extend(keep(path, &scene, &restored));
    }
    warnings
        .extend(kansho::scene::warnings(&scene).map(|fault| Warning { path: arguments.cell.clone(), fault }));
    say::warnings(&warnings);
    if let Some(explained) = &explained {
        say::note(&explained.text());
    }
    let outside: Vec<String> = rows
        .iter()
        .map(|posture| kansho::io::limits::names_outside(scene.cell(), &[posture]).join(";"))
        .collect();
    let table = as_table(&scene, &answers, &outside, arguments.distance);
    if let Some(out) = &arguments.out
        && let Err(error) = kansho::io::whole_file(out, table.as_bytes())
    {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let hits = answers.iter().filter(|answer| matches!(answer, Answer::Touches(..))).count();
    let undecided = answers.iter().filter(|answer| matches!(answer, Answer::Undecided)).count();
    if arguments.json {
        let row = |(answer, outside): (&Answer, &String)| {
            let mut row = row_json(&scene, answer);
            if !outside.is_empty() {
                row["outside_limits"] = json!(outside.split(';').collect::<Vec<_>>());
            }
            row
        };
        let rows: Vec<Value> = answers.iter().zip(&outside).map(row).collect();
        let warnings = say::warnings_json(&warnings);
        let mut answer = json!({
            "postures": answers.len(), "hits": hits, "undecided": undecided, "rows": rows, "warnings": warnings
        });
        if let Some(explained) = &explained {
            answer["models"] = explained.json();
        }
        say::json_answer(&answer);
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

/// Where fields are kept, if that is asked for.
fn cache_of(arguments: &Arguments) -> Result<Option<PathBuf>, &'static str> {
    if !arguments.cache {
        return Ok(None);
    }
    let name =
        arguments.cell.file_name().ok_or("fields are kept beside the file of the cell, and this is none")?;
    if name == "-" {
        return Err("fields are kept beside the file of the cell, and standard input has no place");
    }
    let mut name = name.to_owned();
    name.push(".fields");
    Ok(Some(arguments.cell.with_file_name(name)))
}

fn known_cells(scene: &Scene) -> usize {
    scene.models().iter().flat_map(|models| models.fields()).map(Field::known_cells).sum()
}

/// Keeps what was worked out, if there is anything new. That it cannot be kept changes no answer, so it is a warning.
fn keep(path: &Path, scene: &Scene, restored: &Restored) -> Option<Warning> {
    if restored.notice.is_none() && restored.cells == known_cells(scene) {
        return None;
    }
    let fields: Vec<&Field> = scene.models().iter().flat_map(|models| models.fields()).collect();
    let error = fields::write(path, &fields).err()?;
    let fault = Fault::of_file(format!("fields are not kept: {}", error.what));
    Some(Warning { path: error.path, fault })
}

/// Rows that are looked at without models, to see how long the others would take.
const TRIED_ROWS: usize = 2000;

/// How much work without models is worth making them, in seconds. To make them and to fill their fields takes about one, of an arm among
/// some dozen objects, and they leave a part of the time.
const WORTH_SECS: f64 = 2.0;

/// When models are made.
enum WithModels {
    Always,
    Never,
    IfItPays,
}

impl Arguments {
    /// Models tell only whether something touches: gaps are measured without.
    fn models(&self) -> WithModels {
        if self.no_models || self.distance {
            WithModels::Never
        } else if self.explain || self.cache {
            WithModels::Always
        } else {
            WithModels::IfItPays
        }
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

fn as_table(scene: &Scene, answers: &[Answer], outside: &[String], distance: bool) -> String {
    let measured = if distance { ",distance,ax,ay,az,bx,by,bz" } else { "" };
    let mut text = format!("hit,pair{measured},outside_limits\n");
    for (answer, outside) in answers.iter().zip(outside) {
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
        text.push(',');
        text += &field(outside);
        text.push('\n');
    }
    text
}
