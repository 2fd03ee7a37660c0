use crate::BAD_INPUT;
use crate::say;
use crate::units::UnitArguments;
use clap::Args;
use kansho::check::collide::{Answer, CollideOptions, collide};
use kansho::geom::Solid;
use kansho::geom::solid::Meeting;
use kansho::io::{Fault, ReadError, Warning, mesh, poses};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho collide bolt.stl nut.stl --poses poses.csv\n  kansho collide a.stl b.stl --poses poses.csv --distance --out answers.csv"
)]
pub(crate) struct Arguments {
    /// The mesh that stands still
    #[arg(value_name = "A")]
    a: PathBuf,

    /// The mesh that is placed in A's frame
    #[arg(value_name = "B")]
    b: PathBuf,

    /// Poses of B in A's frame (CSV)
    #[arg(long, value_name = "CSV")]
    poses: PathBuf,

    /// Also measure the least distance and where it is
    #[arg(long)]
    distance: bool,

    /// Also measure how deep they are in each other, to within this many metres: the largest distance from a point of one
    /// surface inside the other body to the other surface
    #[arg(long, value_name = "M", value_parser = tolerance)]
    depth: Option<f64>,

    /// Write one row per pose to this file instead of printing it
    #[arg(long, value_name = "CSV")]
    out: Option<PathBuf>,

    /// Print one JSON object that sums up
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", value_parser = crate::threads::number)]
    threads: Option<usize>,

    #[command(flatten)]
    units: UnitArguments,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let mut warnings = Vec::new();
    let mut errors = Vec::new();
    let a = solid(&arguments.a, arguments.units, &mut warnings, &mut errors);
    let b = solid(&arguments.b, arguments.units, &mut warnings, &mut errors);
    let poses = poses::read(&arguments.poses, arguments.units.metres_per_unit())
        .map_err(|error| errors.push(error))
        .ok();
    if arguments.depth.is_some() {
        for (path, solid) in [(&arguments.a, &a), (&arguments.b, &b)] {
            if solid.as_ref().is_some_and(|solid| !solid.is_closed()) {
                let what = "this surface is open, so it has no inside to be deep in";
                errors.push(ReadError { path: path.clone(), faults: vec![Fault::of_file(what)] });
            }
        }
    }
    let (Some(a), Some(b), Some(poses), true) = (a, b, poses, errors.is_empty()) else {
        say::errors(&errors);
        if arguments.json {
            say::json_answer(&json!({ "errors": say::errors_json(&errors) }));
        }
        return BAD_INPUT;
    };
    if let Some(out) = &arguments.out
        && let Some(error) = say::refused_output(out, &[&arguments.a, &arguments.b, &arguments.poses])
    {
        say::write_error(&error);
        return BAD_INPUT;
    }
    say::warnings(&warnings);
    let options = CollideOptions { distance: arguments.distance, depth: arguments.depth };
    let answers = kansho::threads::on(arguments.threads, || collide(&a, &b, &poses, &options));
    let table = table(&answers, arguments);
    if let Some(out) = &arguments.out
        && let Err(error) = kansho::io::whole_file(out, table.as_bytes())
    {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let hits = answers.iter().filter(|answer| answer.hit()).count();
    if arguments.json {
        let rows: Vec<Value> = answers.iter().map(row_json).collect();
        let warnings = say::warnings_json(&warnings);
        say::json_answer(
            &json!({ "poses": answers.len(), "hits": hits, "rows": rows, "warnings": warnings }),
        );
    } else if arguments.out.is_some() {
        say::answer(&format!("{hits} of {} poses touch\n", answers.len()));
    } else {
        say::answer(&table);
    }
    u8::from(hits > 0)
}

fn tolerance(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|metres| *metres > 0.0 && *metres < 1e6)
        .ok_or_else(|| "a length greater than zero".into())
}

fn solid(
    path: &Path,
    units: UnitArguments,
    warnings: &mut Vec<Warning>,
    errors: &mut Vec<ReadError>,
) -> Option<Solid> {
    let loaded = mesh::read(path, &units.mesh_options()).map_err(|error| errors.push(error)).ok()?;
    warnings.extend(loaded.warnings.into_iter().map(|fault| Warning { path: path.to_owned(), fault }));
    let solid = Solid::mesh(Arc::new(loaded.mesh));
    if !solid.is_closed() {
        let fault = Fault::of_file("open pieces have no inside: a body inside one does not count as a hit");
        warnings.push(Warning { path: path.to_owned(), fault });
    }
    Some(solid)
}

fn how(answer: &Answer) -> &'static str {
    match answer.meeting {
        Meeting::Apart => "apart",
        Meeting::Touch => "touch",
        Meeting::FirstInside => "a inside b",
        Meeting::SecondInside => "b inside a",
    }
}

fn row_json(answer: &Answer) -> Value {
    let mut row = json!({ "hit": u8::from(answer.hit()), "how": how(answer) });
    if let Some(found) = answer.gap {
        row["distance"] = json!(found.gap);
        row["points"] = json!(found.points.map(|p| p.to_array()));
    }
    if let Some(depth) = answer.depth {
        row["depth"] = json!([depth.at_least, depth.at_most]);
    }
    row
}

/// A row per pose. The points are in A's frame.
fn table(answers: &[Answer], arguments: &Arguments) -> String {
    let mut text = String::from("hit,how");
    text += if arguments.distance { ",distance,ax,ay,az,bx,by,bz" } else { "" };
    text += if arguments.depth.is_some() { ",depth_at_least,depth_at_most\n" } else { "\n" };
    for answer in answers {
        write!(text, "{},{}", u8::from(answer.hit()), how(answer)).expect("writing to a string succeeds");
        if let Some(found) = answer.gap {
            let [p, q] = found.points;
            write!(text, ",{},{},{},{},{},{},{}", found.gap, p.x, p.y, p.z, q.x, q.y, q.z)
                .expect("writing to a string succeeds");
        }
        if let Some(depth) = answer.depth {
            write!(text, ",{},{}", depth.at_least, depth.at_most).expect("writing to a string succeeds");
        }
        text.push('\n');
    }
    text
}
