//! `kansho reach`: where a tool can be, as a table or a picture.

use crate::{BAD_INPUT, moving, say};
use clap::Args;
use kansho::cell::Cell;
use kansho::cell::ik::{Ik, IkOptions, Method, Tip};
use kansho::check::sample;
use kansho::check::scene::Scene;
use kansho::geom::glam::DVec3;
use kansho::io::{Fault, ReadError, png};
use kansho::load;
use kansho::plan::reach::{ReachOptions, Reached, directions, reach};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Points that are looked at, at most.
const MOST_POINTS: usize = 4_000_000;

/// Postures whose tips say how large the box is by default.
const SAMPLES: usize = 4000;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho reach cell.toml --out reach.csv --picture reach.png\n  kansho reach cell.toml --direction 0,0,-1 --box 0.5,-1,0,1.5,1,1 --step 0.05 --free\n\nThe table has a row per point: x,y,z, the share of directions in which the tool can be there, the most postures that a pose there has, and\nwith --free the share of directions in which it can be there without a contact. The picture has one field per height, lowest first, from\nleft to right and then down; x to the right, y up; dark is out of reach, yellow is all directions."
)]
pub(crate) struct Arguments {
    /// A cell (TOML), or a robot that stands alone (URDF)
    #[arg(value_name = "CELL")]
    cell: PathBuf,

    /// What is put there: the tool of a robot, by its name, or a link as robot/link; by default the only tool there is
    #[arg(long, value_name = "NAME")]
    tip: Option<String>,

    /// Corners of the box that is looked at, as X,Y,Z,X,Y,Z in metres; by default around where the tip is in random postures
    #[arg(long = "box", value_name = "NUMBERS", value_parser = six, allow_hyphen_values = true)]
    around: Option<[f64; 6]>,

    /// Distance between points, in metres; by default a twentieth of the longest side
    #[arg(long, value_name = "METRES", value_parser = moving::length)]
    step: Option<f64>,

    /// Directions of the tool's z, spread over the sphere
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=10000))]
    directions: u16,

    /// A direction of the tool's z as X,Y,Z, instead of many (repeatable)
    #[arg(long, value_name = "X,Y,Z", value_parser = three, allow_hyphen_values = true)]
    direction: Vec<DVec3>,

    /// Rotations about each direction that are tried
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=360))]
    turns: u16,

    /// Also ask whether anything touches
    #[arg(long)]
    free: bool,

    /// Write the table to this file instead of printing it
    #[arg(long, value_name = "CSV")]
    out: Option<PathBuf>,

    /// Write a picture to this file
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", value_parser = crate::threads::number)]
    threads: Option<usize>,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,
}

fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let all: Option<Vec<f64>> =
        text.split(',').map(|word| word.trim().parse().ok().filter(|v: &f64| v.is_finite())).collect();
    all.and_then(|all| all.try_into().ok()).ok_or_else(|| format!("{N} finite numbers, separated by commas"))
}

fn six(text: &str) -> Result<[f64; 6], String> {
    let all = numbers::<6>(text)?;
    if (0..3).all(|k| all[k] <= all[k + 3]) { Ok(all) } else { Err("the least corner comes first".into()) }
}

fn three(text: &str) -> Result<DVec3, String> {
    DVec3::from(numbers::<3>(text)?).try_normalize().ok_or_else(|| "a direction has a length".into())
}

/// Points in rows: along x, then y, then z.
struct Grid {
    low: DVec3,
    step: f64,
    counts: [usize; 3],
}

impl Grid {
    fn points(&self) -> Vec<DVec3> {
        let [nx, ny, nz] = self.counts;
        let mut all = Vec::with_capacity(nx * ny * nz);
        for z in 0..nz {
            for y in 0..ny {
                all.extend((0..nx).map(|x| self.low + DVec3::new(x as f64, y as f64, z as f64) * self.step));
            }
        }
        all
    }
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let refuse = |what: String| {
        let error = ReadError { path: arguments.cell.clone(), faults: vec![Fault::of_file(what)] };
        moving::refused(&[error], arguments.json)
    };
    let (cell, warnings) = match load::cell_or_robot(&arguments.cell, &arguments.packages) {
        Ok(loaded) => loaded,
        Err(errors) => return moving::refused(&errors, arguments.json),
    };
    let outputs = arguments.out.iter().chain(&arguments.picture);
    if let Some(error) =
        outputs.into_iter().find_map(|out| say::refused_output(out, &[arguments.cell.as_path()]))
    {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let tip = match kansho::io::motion_file::tip(&cell, arguments.tip.as_deref()) {
        Ok(tip) => tip,
        Err(what) => return refuse(what),
    };
    let ik = match Ik::new(&cell, &tip, &IkOptions::default()) {
        Ok(ik) => ik,
        Err(fault) => return refuse(fault.to_string()),
    };
    let grid = match grid(arguments, &cell, &tip) {
        Ok(grid) => grid,
        Err(what) => return refuse(what),
    };
    say::warnings(&warnings);
    let options = ReachOptions {
        directions: if arguments.direction.is_empty() {
            directions(usize::from(arguments.directions))
        } else {
            arguments.direction.clone()
        },
        turns: usize::from(arguments.turns),
    };
    let points = grid.points();
    let posture = cell.zero_posture();
    let found = kansho::threads::on(arguments.threads, || {
        let scene = arguments.free.then(|| Scene::new(Arc::new(cell)).with_models());
        reach(&ik, scene.as_ref(), &posture, &points, &options)
    });
    let table = table(&found);
    let mut written: Vec<(&Path, Vec<u8>)> = Vec::new();
    written.extend(arguments.out.as_deref().map(|out| (out, table.clone().into_bytes())));
    written.extend(arguments.picture.as_deref().map(|out| (out, picture(&grid, &found))));
    for (out, bytes) in written {
        if let Err(error) = kansho::io::whole_file(out, &bytes) {
            say::write_error(&error);
            return BAD_INPUT;
        }
    }
    let reached = found.iter().filter(|point| point.share > 0.0).count();
    let complete = !matches!(ik.method(), Method::Numerical(_));
    if arguments.json {
        let rows: Vec<_> = found
            .iter()
            .map(|r| json!({ "point": r.point.to_array(), "share": r.share, "branches": r.branches, "free": r.free }))
            .collect();
        say::json_answer(&json!({
            "points": found.len(), "reached": reached, "counts": grid.counts, "step": grid.step,
            "complete": complete, "rows": rows, "warnings": say::warnings_json(&warnings),
        }));
    } else if arguments.out.is_some() || arguments.picture.is_some() {
        let how = if complete { "" } else { " (found numerically: there may be more)" };
        say::answer(&format!(
            "{reached} of {} points are reached{how}, {} x {} x {} points {} m apart\n",
            found.len(),
            grid.counts[0],
            grid.counts[1],
            grid.counts[2],
            grid.step
        ));
    } else {
        say::answer(&table);
    }
    0
}

fn grid(arguments: &Arguments, cell: &Cell, tip: &Tip) -> Result<Grid, String> {
    let [low, high] = match arguments.around {
        Some([a, b, c, d, e, f]) => [DVec3::new(a, b, c), DVec3::new(d, e, f)],
        None => {
            let mut corners = [DVec3::INFINITY, DVec3::NEG_INFINITY];
            for posture in sample::postures(cell).take(SAMPLES) {
                let at = tip.placed(cell, &posture).translation();
                corners = [corners[0].min(at), corners[1].max(at)];
            }
            corners
        }
    };
    let size = high - low;
    let step = arguments.step.unwrap_or(size.max_element() / 20.0);
    let count = |length: f64| if step > 0.0 { (length / step + 1e-9).floor() + 1.0 } else { 1.0 };
    let counts = size.to_array().map(count);
    if !(step > 0.0) && size.max_element() > 0.0 {
        return Err("the distance between points is 0".into());
    }
    if !(counts.iter().product::<f64>() <= MOST_POINTS as f64) {
        return Err(format!("that makes more than {MOST_POINTS} points: take a larger --step"));
    }
    Ok(Grid { low, step, counts: counts.map(|count| count as usize) })
}

fn table(found: &[Reached]) -> String {
    let has_free = found.iter().any(|point| point.free.is_some());
    let mut text =
        String::from(if has_free { "x,y,z,share,branches,free\n" } else { "x,y,z,share,branches\n" });
    for Reached { point, share, branches, free } in found {
        write!(text, "{},{},{},{share},{branches}", point.x, point.y, point.z)
            .expect("writing to a string succeeds");
        if let Some(free) = free {
            write!(text, ",{free}").expect("writing to a string succeeds");
        }
        text.push('\n');
    }
    text
}

/// One field per height, in a nearly square arrangement.
fn picture(grid: &Grid, found: &[Reached]) -> Vec<u8> {
    const GAP: usize = 4;
    let [nx, ny, nz] = grid.counts;
    let across = (1..=nz).find(|across| across * across * nx >= nz * ny).unwrap_or(nz);
    let down = nz.div_ceil(across);
    let scale = (1600 / (across * (nx + 1))).clamp(1, 16);
    let (width, height) = (across * (nx * scale + GAP) + GAP, down * (ny * scale + GAP) + GAP);
    let mut pixels = vec![[255u8; 3]; width * height];
    for (k, point) in found.iter().enumerate() {
        let (x, y, z) = (k % nx, k / nx % ny, k / (nx * ny));
        let colour = colour(point.free.unwrap_or(point.share));
        let left = GAP + z % across * (nx * scale + GAP) + x * scale;
        let top = GAP + z / across * (ny * scale + GAP) + (ny - 1 - y) * scale;
        for row in top..top + scale {
            pixels[row * width + left..row * width + left + scale].fill(colour);
        }
    }
    png::encode(width, height, &pixels)
}

/// Dark, blue, green, yellow.
fn colour(share: f64) -> [u8; 3] {
    const STOPS: [[f64; 3]; 4] =
        [[68.0, 1.0, 84.0], [49.0, 104.0, 142.0], [53.0, 183.0, 121.0], [253.0, 231.0, 37.0]];
    if !(share > 0.0) {
        return [30, 30, 30];
    }
    let place = share.min(1.0) * 3.0;
    let k = (place as usize).min(2);
    let u = place - k as f64;
    std::array::from_fn(|c| (STOPS[k][c] + (STOPS[k + 1][c] - STOPS[k][c]) * u) as u8)
}
