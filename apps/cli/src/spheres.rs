use crate::say::{self, Refusal};
use crate::threads;
use crate::units::UnitArguments;
use clap::{ArgGroup, Args};
use kansho::answer::{ExitCode, Message};
use kansho::ask::spheres::{MeshSpheresOptions, Ranks, SpheresAnswer, of_mesh, of_robot, table};
use kansho::geom::spheres::{CoverFault, Goal};
use kansho::io::urdf::{self, RobotOptions};
use kansho::io::{Fault, Place, Warning, WriteError, mesh};
use kansho::load;
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

pub(crate) fn run(arguments: &Arguments) -> u8 {
    say::ended(answer(arguments), arguments.json)
}

fn answer(arguments: &Arguments) -> Result<ExitCode, Refusal> {
    let found = kansho::threads::on(arguments.threads, || {
        if load::is_urdf(&arguments.file) { robot(arguments) } else { mesh(arguments) }
    });
    let (mut answer, file, warnings) = found?;
    say::warnings(&warnings);
    answer.warnings = Message::of_warnings(&warnings);
    if let Some(out) = &arguments.out {
        if say::same_file(&arguments.file, out) {
            let what = "this is the input, and is not overwritten".into();
            return Err(WriteError { path: out.clone(), what }.into());
        }
        kansho::io::whole_file(out, file.as_bytes())?;
    }
    if arguments.json {
        say::json_of(&answer);
    } else {
        let written = arguments.out.as_ref().map(|out| format!("{} written\n", out.display()));
        say::answer(&(answer.text(&say::styled()) + &written.unwrap_or_default()));
    }
    Ok(ExitCode::Done)
}

/// An answer, the text of the file that holds the spheres, and what is odd about the input.
type Spheres = (SpheresAnswer, String, Vec<Warning>);

fn mesh(arguments: &Arguments) -> Result<Spheres, Refusal> {
    let path = &arguments.file;
    let loaded = mesh::read(path, &arguments.units.mesh_options())?;
    let options = MeshSpheresOptions {
        goal: goal(arguments),
        ranks: match arguments.ranks {
            Some(_) => Ranks::Three,
            None => Ranks::Ratio(arguments.ratio.unwrap_or(2.0)),
        },
        keep_overlaps: arguments.keep_overlaps,
    };
    let (answer, hierarchy) = of_mesh(&path.to_string_lossy(), &loaded.mesh, &options)
        .map_err(|fault| refused(arguments, Place::File, fault.to_string()))?;
    let warnings = loaded.warnings.into_iter().map(|fault| Warning { path: path.clone(), fault });
    Ok((answer, table(&hierarchy, arguments.all_ranks), warnings.collect()))
}

fn robot(arguments: &Arguments) -> Result<Spheres, Refusal> {
    let path = &arguments.file;
    let Arguments { ratio, ranks, keep_overlaps, all_ranks, .. } = arguments;
    if ratio.is_some() || ranks.is_some() || *keep_overlaps || *all_ranks {
        let what = "--ratio, --ranks, --all-ranks and --keep-overlaps are for meshes: a URDF has no ranks of spheres";
        return Err(refused(arguments, Place::File, what.into()));
    }
    let loaded = urdf::read(path, &RobotOptions { packages: arguments.packages.clone() })?;
    let refuse = |(link, fault): (String, CoverFault)| {
        refused(arguments, Place::Part(format!("link \"{link}\"")), fault.to_string())
    };
    let (answer, balls) =
        of_robot(&path.to_string_lossy(), &loaded.robot, goal(arguments)).map_err(refuse)?;
    Ok((answer, urdf::with_spheres(path, &balls)?, loaded.warnings))
}

fn goal(arguments: &Arguments) -> Goal {
    match (arguments.radius, arguments.count) {
        (Some(radius), _) => Goal::Radius(radius),
        (None, count) => Goal::Count(count.expect("clap asks for one of both")),
    }
}

fn refused(arguments: &Arguments, place: Place, what: String) -> Refusal {
    Refusal::of_file(&arguments.file, vec![Fault { place, ..Fault::of_file(what) }])
}
