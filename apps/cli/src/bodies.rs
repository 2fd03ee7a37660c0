use crate::say::{self, Refusal};
use crate::units::{UnitArguments, length};
use clap::{Args, ValueEnum};
use kansho::answer::{ExitCode, Message};
use kansho::ask::bodies::{BodiesOptions, Interpolation, Method, Rule, Shape, bodies, certificate_text};
use kansho::geom::pose_motion::Motion;
use kansho::io::{Fault, ReadError, Warning, poses};
use kansho::load;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "Every four poses are taken at t = 0, 1/3, 2/3 and 1 of a segment, in which every entry of the 4x4 matrix is a cubic of \
                  time; 3n+1 poses make n segments. That is the motion which the answer is about. With --interpolate the poses, two at least, are joined \
                  otherwise.\n\nExamples:\n  kansho bodies hand.stl \
                  table.stl --poses-a hand.csv --poses-b table.csv\n  kansho bodies a.stl b.stl --poses-a a.csv --poses-b b.csv --method \
                  bisect --rule paper --dcol 0.005\n  kansho bodies a.stl b.stl --poses-a a.csv --poses-b b.csv --certificate c.json && \
                  kansho verify c.json"
)]
pub(crate) struct Arguments {
    /// A mesh
    #[arg(value_name = "A")]
    a: PathBuf,

    /// Another mesh
    #[arg(value_name = "B")]
    b: PathBuf,

    /// Poses of A in the world (CSV), 3n+1 of them for cubics
    #[arg(long, value_name = "CSV")]
    poses_a: PathBuf,

    /// Poses of B in the world (CSV), 3n+1 of them for cubics
    #[arg(long, value_name = "CSV")]
    poses_b: PathBuf,

    /// How to go from pose to pose
    #[arg(long, value_enum, default_value_t = InterpolateName::Cubic)]
    interpolate: InterpolateName,

    /// How to look for contacts
    #[arg(long, value_enum, default_value_t = MethodName::Combined)]
    method: MethodName,

    /// Which condition of the bisection proves a span free
    #[arg(long, value_enum, default_value_t = RuleName::Sum)]
    rule: RuleName,

    /// What is bisected: the meshes, or balls that cover them
    #[arg(long, value_enum, default_value_t = ShapeName::Precise)]
    shape: ShapeName,

    /// As near as this many metres is a contact [default: 0, and 0.001 for bisect]
    #[arg(long, value_name = "M", value_parser = length)]
    dcol: Option<f64>,

    /// Write why they never touch to this file, for `kansho verify`
    #[arg(long, value_name = "JSON")]
    certificate: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    units: UnitArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InterpolateName {
    /// Every entry of the matrix a cubic through four poses
    Cubic,
    /// Every point on a straight line from pose to pose
    Linear,
    /// The origin on a straight line, the rotation at a constant rate
    Slerp,
    /// About and along one axis from pose to pose
    Screw,
    /// Smooth through all poses
    Spline,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// Space and time are divided, and exact polynomials decide
    Combined,
    /// Exact polynomials of all pairs of features that space does not keep apart
    Intersect,
    /// Distances at instants and ways in spans
    Bisect,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleName {
    /// Both ends of a span together; the first contact is the first
    Sum,
    /// Either end alone, as printed; the answer may be late
    Paper,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShapeName {
    /// The meshes
    Precise,
    /// 64 balls that cover each
    Spheres,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    say::ended(answer(arguments), arguments.json)
}

fn answer(arguments: &Arguments) -> Result<ExitCode, Refusal> {
    let mut errors = Vec::new();
    let paths = [&arguments.a, &arguments.b];
    let options = arguments.units.mesh_options();
    let loaded = paths.map(|path| load::moving_body(path, &options).map_err(|e| errors.push(e)).ok());
    let motions = [&arguments.poses_a, &arguments.poses_b]
        .map(|path| motion(path, arguments).map_err(|error| errors.push(error)).ok());
    let ([Some((a, of_a)), Some((b, of_b))], [Some(motion_a), Some(motion_b)]) = (loaded, motions) else {
        return Err(errors.into());
    };
    let inputs = [&*arguments.a, &arguments.b, &arguments.poses_a, &arguments.poses_b];
    say::can_be_written(&arguments.certificate, &inputs)?;
    let options = BodiesOptions {
        interpolation: arguments.interpolate.into(),
        method: method(arguments)?,
        contact_distance: arguments.dcol,
        certificate: arguments.certificate.is_some(),
    };
    let warnings = [of_a, of_b].concat();
    say::warnings(&warnings);
    let names = paths.map(|path| path.display().to_string());
    let answered = bodies(names, [&a, &b], [&motion_a, &motion_b], &options)
        .map_err(|fault| Refusal::Call(NAME, fault.to_string()))?;
    let mut answer = answered.answer;
    answer.warnings = Message::of_warnings(&warnings);
    if let (Some(out), Some(certificate)) = (&arguments.certificate, answered.certificate) {
        answer.certificate = Some(None);
        match certificate {
            Ok(certified) => {
                kansho::io::whole_file(out, certificate_text(&certified).as_bytes())?;
                answer.certificate = Some(Some(out.display().to_string()));
            }
            Err(fault) => say::warnings(&[Warning { path: out.clone(), fault }]),
        }
    }
    if arguments.json {
        say::json_of(&answer);
    } else {
        say::answer(&answer.text());
    }
    Ok(answer.exit_code())
}

/// What this is called in messages about its options.
const NAME: &str = "kansho bodies";

fn method(arguments: &Arguments) -> Result<Method, Refusal> {
    let refuse = |what: &str| Err(Refusal::Call(NAME, what.to_owned()));
    let is_bisection = arguments.method == MethodName::Bisect;
    match (arguments.method, arguments.shape, arguments.rule) {
        (_, ShapeName::Spheres, _) if !is_bisection => {
            refuse("balls are bisected: --shape spheres goes with --method bisect")
        }
        (_, _, RuleName::Paper) if !is_bisection => {
            refuse("the paper's rule is one of the bisection: --rule paper goes with --method bisect")
        }
        (MethodName::Combined, ..) => Ok(Method::Combined),
        (MethodName::Intersect, ..) => Ok(Method::Intersect),
        (MethodName::Bisect, shape, rule) => Ok(Method::Bisect {
            shape: if shape == ShapeName::Spheres { Shape::Spheres } else { Shape::Precise },
            rule: if rule == RuleName::Paper { Rule::Paper } else { Rule::Sum },
        }),
    }
}

fn motion(path: &Path, arguments: &Arguments) -> Result<Motion, ReadError> {
    let poses = poses::read(path, arguments.units.metres_per_unit())?;
    Interpolation::from(arguments.interpolate).motion(&poses).map_err(|fault| {
        let faults = vec![Fault::of_file(fault.to_string())];
        ReadError { path: path.to_owned(), faults }
    })
}

impl From<InterpolateName> for Interpolation {
    fn from(name: InterpolateName) -> Self {
        match name {
            InterpolateName::Cubic => Self::Cubic,
            InterpolateName::Linear => Self::Linear,
            InterpolateName::Slerp => Self::Slerp,
            InterpolateName::Screw => Self::Screw,
            InterpolateName::Spline => Self::Spline,
        }
    }
}
