use crate::say::{self, STRONG};
use crate::units::UnitArguments;
use crate::{BAD_INPUT, threads};
use clap::{ArgGroup, Args};
use kansho::check::spheres as links;
use kansho::geom::Ball;
use kansho::geom::spheres::radii::Ranks;
use kansho::geom::spheres::{CoverFault, CoverOptions, Goal, Hierarchy, Surface, cover, cover_by_count};
use kansho::io::urdf::{self, RobotOptions};
use kansho::io::{Fault, Place, ReadError, Warning, WriteError, mesh};
use kansho::load;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    group(ArgGroup::new("size").required(true).args(["radius", "count"])),
    after_help = "Examples:\n  kansho spheres link.stl --radius 0.01\n  kansho spheres link.stl --count 500 --out spheres.csv\n  \
                  kansho spheres robot.urdf --radius 0.03 --out robot_spherized.urdf\n  \
                  kansho spheres robot.urdf --count 12 --out robot_spherized.urdf\n\n\
                  Every point of the surface lies in a sphere; what lies deep inside a body may lie in none. A mesh gets ranks\n\
                  of spheres, each cut into smaller ones. A robot gets spheres of different sizes, at most as large as the\n\
                  radius or at most as many a link as the count; shapes that are spheres stay as they are. All but the\n\
                  <collision> elements of a URDF is kept as it is: if it names meshes to look at by relative paths, keep the\n\
                  new file in the folder of the old one."
)]
pub(crate) struct Arguments {
    /// A mesh, or a robot (URDF)
    #[arg(value_name = "MESH|URDF")]
    file: PathBuf,

    /// Radius of the smallest spheres of a mesh, or of the largest of a robot, in metres
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    radius: Option<f64>,

    /// As small as possible with at most this many smallest spheres; of a robot, with this many spheres for each link
    #[arg(long, value_name = "N")]
    count: Option<usize>,

    /// How much smaller the spheres of a rank of a mesh are than those of the one before, about [default: 2]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    ratio: Option<f64>,

    /// Three ranks: large, medium, small
    #[arg(long, value_name = "3", conflicts_with = "ratio", value_parser = ["3"])]
    ranks: Option<String>,

    /// Keep what neighbouring cells share in both, instead of giving it to the first
    #[arg(long)]
    keep_overlaps: bool,

    /// Write the spheres to this file: of a mesh the smallest as CSV (x,y,z,r in metres), of a robot the URDF
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Write spheres of all ranks of a mesh, with their rank from 1 and the row of the one they belong to
    #[arg(long, requires = "out")]
    all_ranks: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", value_parser = threads::number)]
    threads: Option<usize>,

    #[command(flatten)]
    units: UnitArguments,
}

/// What the command found: for people, for programs, and for the file.
struct Found {
    text: String,
    json: Value,
    file: String,
    warnings: Vec<Warning>,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let found = kansho::threads::on(arguments.threads, || {
        if load::is_urdf(&arguments.file) { of_robot(arguments) } else { of_mesh(arguments) }
    });
    let found = match found {
        Ok(found) => found,
        Err(errors) => {
            say::errors(&errors);
            if arguments.json {
                say::json_answer(&json!({ "errors": say::errors_json(&errors) }));
            }
            return BAD_INPUT;
        }
    };
    say::warnings(&found.warnings);
    if let Some(out) = &arguments.out {
        let written = if say::same_file(&arguments.file, out) {
            let what = "this is the input, and is not overwritten".into();
            Err(WriteError { path: out.clone(), what })
        } else {
            kansho::io::whole_file(out, found.file.as_bytes())
        };
        if let Err(error) = written {
            say::write_error(&error);
            if arguments.json {
                say::json_answer(&json!({ "errors": say::write_error_json(&error) }));
            }
            return BAD_INPUT;
        }
    }
    if arguments.json {
        let mut answer = found.json;
        answer["warnings"] = say::warnings_json(&found.warnings);
        say::json_answer(&answer);
    } else {
        say::answer(&found.text);
    }
    0
}

fn refused(arguments: &Arguments, place: Place, what: String) -> Vec<ReadError> {
    let faults = vec![Fault { place, ..Fault::of_file(what) }];
    vec![ReadError { path: arguments.file.clone(), faults }]
}

fn of_mesh(arguments: &Arguments) -> Result<Found, Vec<ReadError>> {
    let path = &arguments.file;
    let loaded = mesh::read(path, &arguments.units.mesh_options()).map_err(|error| vec![error])?;
    let ranks = match arguments.ranks {
        Some(_) => Ranks::Three,
        None => Ranks::Ratio(arguments.ratio.unwrap_or(2.0)),
    };
    let of_radius = CoverOptions::as_in_patent(arguments.radius.unwrap_or(1.0));
    let options = CoverOptions { ranks, keep_overlaps: arguments.keep_overlaps, ..of_radius };
    let surface = Surface::Mesh(&loaded.mesh);
    let hierarchy = match arguments.count {
        Some(count) => cover_by_count(&surface, count, &options),
        None => cover(&surface, &options),
    };
    let hierarchy = hierarchy.map_err(|fault| refused(arguments, Place::File, fault.to_string()))?;
    let warnings = loaded.warnings.into_iter().map(|fault| Warning { path: path.clone(), fault }).collect();
    let accuracy = 4.0 * hierarchy.smallest().radius();
    let ranks = hierarchy.ranks().iter();
    let ranks: Vec<Value> =
        ranks.map(|rank| json!({ "radius": rank.radius(), "spheres": rank.centres().len() })).collect();
    Ok(Found {
        text: mesh_text(arguments, &hierarchy),
        json: json!({
            "file": path.to_string_lossy(), "kind": "mesh", "ranks": ranks,
            "spheres": hierarchy.smallest().centres().len(), "accuracy": accuracy,
        }),
        file: mesh_csv(&hierarchy, arguments.all_ranks),
        warnings,
    })
}

fn mesh_text(arguments: &Arguments, hierarchy: &Hierarchy) -> String {
    let mut text = format!("{STRONG}rank  radius (m)    spheres{STRONG:#}\n");
    for (k, rank) in hierarchy.ranks().iter().enumerate() {
        writeln!(text, "{:>4}  {:<12.6}  {}", k + 1, rank.radius(), rank.centres().len())
            .expect("writing to a string succeeds");
    }
    if hierarchy.len() == 1 {
        text += "one sphere covers the whole mesh\n";
    }
    text += &accuracy_line(hierarchy.smallest().radius());
    text + &written_line(arguments)
}

fn accuracy_line(radius: f64) -> String {
    format!(
        "a contact between two such models means surfaces within 2 (r_A + r_B): {:.6} m for two like this\n",
        4.0 * radius
    )
}

fn written_line(arguments: &Arguments) -> String {
    arguments.out.as_ref().map_or(String::new(), |out| format!("{} written\n", out.display()))
}

/// Spheres row by row, with as many digits as it takes to read the same numbers again.
fn mesh_csv(hierarchy: &Hierarchy, all_ranks: bool) -> String {
    let mut text = String::from(if all_ranks { "x,y,z,r,rank,parent\n" } else { "x,y,z,r\n" });
    let count = hierarchy.ranks().len();
    let mut parents = vec![String::new()];
    let mut first_row = 1;
    for (k, rank) in hierarchy.ranks().iter().enumerate() {
        let mut next_parents = Vec::new();
        for (index, centre) in rank.centres().iter().enumerate() {
            if !all_ranks && k + 1 < count {
                continue;
            }
            write!(text, "{},{},{},{}", centre.x, centre.y, centre.z, rank.radius())
                .expect("writing to a string succeeds");
            if all_ranks {
                write!(text, ",{},{}", k + 1, parents[index]).expect("writing to a string succeeds");
                next_parents.extend(rank.children(index).map(|_| (first_row + index).to_string()));
            }
            text.push('\n');
        }
        first_row += rank.centres().len();
        parents = next_parents;
    }
    text
}

fn of_robot(arguments: &Arguments) -> Result<Found, Vec<ReadError>> {
    let path = &arguments.file;
    if arguments.ratio.is_some()
        || arguments.ranks.is_some()
        || arguments.keep_overlaps
        || arguments.all_ranks
    {
        let what = "--ratio, --ranks, --all-ranks and --keep-overlaps are for meshes: a URDF has no ranks of spheres";
        return Err(refused(arguments, Place::File, what.into()));
    }
    let goal = match (arguments.radius, arguments.count) {
        (Some(radius), _) => Goal::Radius(radius),
        (None, count) => Goal::Count(count.expect("clap asks for one of both")),
    };
    let loaded = urdf::read(path, &RobotOptions { packages: arguments.packages.clone() })?;
    let refuse = |(link, fault): (String, CoverFault)| {
        refused(arguments, Place::Part(format!("link \"{link}\"")), fault.to_string())
    };
    let balls = links::robot(&loaded.robot, goal).map_err(refuse)?;
    let file = urdf::with_spheres(path, &balls).map_err(|error| vec![error])?;
    let largest = |balls: &[Ball]| balls.iter().map(Ball::radius).max_by(f64::total_cmp).unwrap_or_default();
    let total: usize = balls.iter().map(Vec::len).sum();
    let all = balls.iter().map(|balls| largest(balls)).fold(0.0, f64::max);
    let named = || loaded.robot.links().iter().map(|link| link.name.as_str()).zip(&balls);
    let width = named().map(|(name, _)| name.chars().count()).max().unwrap_or_default().max(4);
    let mut text = format!("{STRONG}{:width$}  spheres  largest radius (m){STRONG:#}\n", "link");
    for (name, balls) in named().filter(|(_, balls)| !balls.is_empty()) {
        writeln!(text, "{name:width$}  {:>7}  {:.6}", balls.len(), largest(balls))
            .expect("writing to a string succeeds");
    }
    writeln!(text, "{:width$}  {total:>7}  {all:.6}", "all").expect("writing to a string succeeds");
    text += &accuracy_line(all);
    let rows: Vec<Value> = named()
        .map(
            |(name, balls)| json!({ "link": name, "spheres": balls.len(), "largest_radius": largest(balls) }),
        )
        .collect();
    Ok(Found {
        text: text + &written_line(arguments),
        json: json!({
            "file": path.to_string_lossy(), "kind": "robot", "links": rows, "spheres": total,
            "accuracy": 4.0 * all,
        }),
        file,
        warnings: loaded.warnings,
    })
}
