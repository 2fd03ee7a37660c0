use crate::BAD_INPUT;
use crate::say;
use crate::units::UnitArguments;
use clap::Args;
use kansho::check::collide::{Answer, CollideOptions, collide};
use kansho::geom::tree::{Meeting, Tree};
use kansho::io::{ReadError, Warning, mesh, poses};
use serde_json::json;
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

    /// Write one row per pose to this file instead of printing it
    #[arg(long, value_name = "CSV")]
    out: Option<PathBuf>,

    /// Print one JSON object that sums up
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    #[command(flatten)]
    units: UnitArguments,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let mut warnings = Vec::new();
    let mut errors = Vec::new();
    let a = tree(&arguments.a, arguments.units, &mut warnings, &mut errors);
    let b = tree(&arguments.b, arguments.units, &mut warnings, &mut errors);
    let poses = poses::read(&arguments.poses, arguments.units.metres_per_unit())
        .map_err(|error| errors.push(error))
        .ok();
    let (Some(a), Some(b), Some(poses)) = (a, b, poses) else {
        say::errors(&errors);
        return BAD_INPUT;
    };
    say::warnings(&warnings);
    let options = CollideOptions { distance: arguments.distance };
    let answers = crate::threads::on(arguments.threads, || collide(&a, &b, &poses, &options));
    let table = table(&answers, arguments.distance);
    if let Some(out) = &arguments.out
        && let Err(error) = kansho::io::whole_file(out, table.as_bytes())
    {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let hits = answers.iter().filter(|answer| answer.hit()).count();
    if arguments.json {
        say::json_answer(
            &json!({ "poses": answers.len(), "hits": hits, "warnings": say::warnings_json(&warnings) }),
        );
    } else if arguments.out.is_some() {
        say::answer(&format!("{hits} of {} poses touch\n", answers.len()));
    } else {
        say::answer(&table);
    }
    u8::from(hits > 0)
}

fn tree(
    path: &Path,
    units: UnitArguments,
    warnings: &mut Vec<Warning>,
    errors: &mut Vec<ReadError>,
) -> Option<Tree> {
    let loaded = mesh::read(path, &units.mesh_options()).map_err(|error| errors.push(error)).ok()?;
    warnings.extend(loaded.warnings.into_iter().map(|fault| Warning { path: path.to_owned(), fault }));
    Some(Tree::new(Arc::new(loaded.mesh)))
}

/// A row per pose. The points are in A's frame; a body inside another touches nothing, so its distance is to the surface
/// around it.
fn table(answers: &[Answer], distance: bool) -> String {
    let mut text = String::from(if distance { "hit,how,distance,ax,ay,az,bx,by,bz\n" } else { "hit,how\n" });
    for answer in answers {
        let how = match answer.meeting {
            Meeting::Apart => "apart",
            Meeting::Touch(_) => "touch",
            Meeting::FirstInside => "a inside b",
            Meeting::SecondInside => "b inside a",
        };
        write!(text, "{},{how}", u8::from(answer.hit())).expect("writing to a string succeeds");
        if distance {
            let found = answer.distance.expect("distances were asked for");
            let [p, q] = found.closest.points;
            write!(text, ",{},{},{},{},{},{},{}", found.gap(), p.x, p.y, p.z, q.x, q.y, q.z)
                .expect("writing to a string succeeds");
        }
        text.push('\n');
    }
    text
}
