use crate::units::UnitArguments;
use crate::{BAD_INPUT, UNDECIDED, say};
use clap::{Args, ValueEnum};
use kansho::check::moving::bisect::{BisectOptions, Bisected, Ending, Rule};
use kansho::check::moving::{
    AtStart, Body, Method, MovingOptions, MovingScratch, Named, Names, Proof, Witness, bisected, moving,
    spheres, verdict_of,
};
use kansho::check::verdict::Verdict;
use kansho::geom::motion::{Leg, Motion};
use kansho::geom::spheres::Goal;
use kansho::geom::triangle::Feature;
use kansho::io::{Fault, ReadError, Warning, mesh, poses};
use kansho::verify::file::{CertifiedBodies, bodies};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
#[command(
    after_help = "Every four poses are taken at t = 0, 1/3, 2/3 and 1 of a segment, in which every entry of the 4x4 matrix is a cubic of \
                  time; 3n+1 poses make n segments. That is the motion which the answer is about. With --interpolate the poses, two at least, are joined \
                  otherwise.\n\nExamples:\n  kansho moving hand.stl \
                  table.stl --poses-a hand.csv --poses-b table.csv\n  kansho moving a.stl b.stl --poses-a a.csv --poses-b b.csv --method \
                  bisect --rule paper --dcol 0.005\n  kansho moving a.stl b.stl --poses-a a.csv --poses-b b.csv --certificate c.json && \
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

/// Balls for each rough shape.
const BALLS: usize = 64;

/// What is a contact for the bisection unless it is said, in metres.
const DCOL: f64 = 1e-3;

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let mut warnings = Vec::new();
    let mut errors = Vec::new();
    let a = body(&arguments.a, arguments.units, &mut warnings, &mut errors);
    let b = body(&arguments.b, arguments.units, &mut warnings, &mut errors);
    let motion_a = motion(&arguments.poses_a, arguments, &mut errors);
    let motion_b = motion(&arguments.poses_b, arguments, &mut errors);
    let (Some(a), Some(b), Some(motion_a), Some(motion_b)) = (a, b, motion_a, motion_b) else {
        return refused(&errors, arguments.json);
    };
    let is_bisection = arguments.method == MethodName::Bisect;
    let inputs = [&*arguments.a, &arguments.b, &arguments.poses_a, &arguments.poses_b];
    if let Some(out) = &arguments.certificate
        && let Some(error) = say::refused_output(out, &inputs)
    {
        say::write_error(&error);
        return BAD_INPUT;
    }
    let wrong = match () {
        () if !is_bisection && arguments.shape == ShapeName::Spheres => {
            Some("balls are bisected: --shape spheres goes with --method bisect")
        }
        () if !is_bisection && arguments.rule == RuleName::Paper => {
            Some("the paper's rule is one of the bisection: --rule paper goes with --method bisect")
        }
        () => None,
    };
    if let Some(wrong) = wrong {
        say::fault("kansho moving", wrong);
        return BAD_INPUT;
    }
    say::warnings(&warnings);
    let (bodies, motions) = ([&a, &b], [&motion_a, &motion_b]);
    let mut answer = json!({
        "method": name_of(arguments.method),
        "interpolate": name_of(arguments.interpolate),
        "shape": name_of(arguments.shape),
        "shear": [motion_a.shear(), motion_b.shear()],
        "segments": motions.map(|motion| motion.pieces().len()),
        "warnings": say::warnings_json(&warnings),
    });
    let mut scratch = MovingScratch::default();
    let mut verdict = if is_bisection {
        let Some((verdict, found)) = bisect(arguments, bodies, motions, &mut scratch) else {
            return BAD_INPUT;
        };
        answer["rule"] = json!(name_of(arguments.rule));
        answer["spans"] = json!(found.trace.len());
        answer["instants"] = json!(found.instants);
        certified(verdict, arguments, bodies, motions, &mut scratch)
    } else {
        let method =
            if arguments.method == MethodName::Intersect { Method::Intersect } else { Method::Combined };
        let options = MovingOptions {
            method,
            clearance: arguments.dcol.unwrap_or(0.0),
            certificate: arguments.certificate.is_some(),
            ..MovingOptions::default()
        };
        let report = moving(bodies, motions, &options, &mut scratch);
        answer["spans"] = json!(report.counters.spans);
        answer["instants"] = json!(report.counters.instants);
        answer["regions"] = json!(report.counters.regions);
        answer["polynomials"] = json!(report.counters.asked);
        answer["inflated"] = json!(report.inflated);
        report.verdict
    };
    answer["verdict"] = json!(verdict.word());
    if let (Verdict::Free(proof), Some(out)) = (&mut verdict, &arguments.certificate) {
        answer["certificate"] = Value::Null;
        if let Some(certificate) = proof.certificate.take() {
            let certified = CertifiedBodies {
                names: [&arguments.a, &arguments.b].map(|path| path.display().to_string()),
                meshes: bodies.map(|body| (**body.mesh()).clone()),
                motions: motions.map(Motion::clone),
                certificate,
            };
            let text = bodies::to_json(&certified).expect("poses make whole pieces of equal length");
            if let Err(error) = kansho::io::whole_file(out, text.as_bytes()) {
                say::write_error(&error);
                return BAD_INPUT;
            }
            answer["certificate"] = json!(out.display().to_string());
        } else {
            let fault = Fault::of_file(
                "no certificate could be made, and none is written: that they are free is proven, but they come so near that no \
                 directions show it in as many steps as are allowed",
            );
            say::warnings(&[Warning { path: out.clone(), fault }]);
        }
    }
    let meshes = bodies.map(|body| body.mesh().clone());
    let names = verdict.touches().then(|| [Names::of(&meshes[0]), Names::of(&meshes[1])]);
    describe(&verdict, names.as_ref(), &mut answer);
    if arguments.json {
        say::json_answer(&answer);
    } else {
        say::answer(&in_words(&verdict, names.as_ref(), &answer));
    }
    match verdict {
        Verdict::Free(_) => 0,
        Verdict::Touches(_) => 1,
        Verdict::Undecided { .. } => UNDECIDED,
    }
}

fn bisect(
    arguments: &Arguments,
    bodies: [&Body; 2],
    motions: [&Motion; 2],
    scratch: &mut MovingScratch,
) -> Option<(Verdict<Proof, Witness>, Bisected)> {
    let rule = if arguments.rule == RuleName::Paper { Rule::Paper } else { Rule::Sum };
    let options = BisectOptions { rule, contact: arguments.dcol.unwrap_or(DCOL), ..BisectOptions::default() };
    if arguments.shape == ShapeName::Precise {
        let found = bisected(bodies, motions, &options, scratch);
        return Some((verdict_of(&found, bodies, motions, scratch), found));
    }
    // Balls cover surfaces only: whether one body is inside the other is asked of the meshes.
    let start = BisectOptions { most_spans: 0, contact: 0.0, ..options };
    let at_start = bisected(bodies, motions, &start, scratch);
    let cover = |body: &Body| spheres::cover(body, Goal::Count(BALLS));
    match (cover(bodies[0]), cover(bodies[1])) {
        (Ok(a), Ok(b)) => {
            let mut found = spheres::bisected([&a, &b], motions, &options);
            if at_start.ending == Ending::AtStart {
                found.ending = Ending::AtStart;
            }
            Some((verdict_of(&found, bodies, motions, scratch), found))
        }
        (Err(fault), _) | (_, Err(fault)) => {
            say::fault("kansho moving", fault.to_string());
            None
        }
    }
}

/// Bisection keeps no certificate: where one is wanted of what it found free, the other search makes it, for the same gap.
fn certified(
    verdict: Verdict<Proof, Witness>,
    arguments: &Arguments,
    bodies: [&Body; 2],
    motions: [&Motion; 2],
    scratch: &mut MovingScratch,
) -> Verdict<Proof, Witness> {
    let Verdict::Free(proof) = &verdict else { return verdict };
    if arguments.certificate.is_none() {
        return verdict;
    }
    let clearance = arguments.dcol.unwrap_or(DCOL);
    let options = MovingOptions { clearance, certificate: true, ..MovingOptions::default() };
    match moving(bodies, motions, &options, scratch).verdict {
        Verdict::Free(Proof { certificate, .. }) => {
            Verdict::Free(Proof { clearance: proof.clearance, certificate })
        }
        _ => verdict,
    }
}

pub(crate) fn refused(errors: &[ReadError], is_json: bool) -> u8 {
    say::errors(errors);
    if is_json {
        say::json_answer(&json!({ "errors": say::errors_json(errors) }));
    }
    BAD_INPUT
}

fn body(
    path: &Path,
    units: UnitArguments,
    warnings: &mut Vec<Warning>,
    errors: &mut Vec<ReadError>,
) -> Option<Body> {
    let loaded = mesh::read(path, &units.mesh_options()).map_err(|error| errors.push(error)).ok()?;
    warnings.extend(loaded.warnings.into_iter().map(|fault| Warning { path: path.to_owned(), fault }));
    let body = Body::new(Arc::new(loaded.mesh));
    if !body.tree().is_closed() {
        let fault = Fault::of_file("open pieces have no inside: a body inside one at the start is not found");
        warnings.push(Warning { path: path.to_owned(), fault });
    }
    Some(body)
}

fn motion(path: &Path, arguments: &Arguments, errors: &mut Vec<ReadError>) -> Option<Motion> {
    let units = arguments.units.metres_per_unit();
    let poses = poses::read(path, units).map_err(|error| errors.push(error)).ok()?;
    let motion = match arguments.interpolate {
        InterpolateName::Cubic => Motion::cubic(&poses),
        InterpolateName::Linear => Motion::legs(&poses, Leg::Linear),
        InterpolateName::Slerp => Motion::legs(&poses, Leg::Slerp),
        InterpolateName::Screw => Motion::legs(&poses, Leg::Screw),
        InterpolateName::Spline => Motion::spline(&poses),
    };
    motion
        .map_err(|fault| {
            let fault = Fault::of_file(fault.to_string());
            errors.push(ReadError { path: path.to_owned(), faults: vec![fault] });
        })
        .ok()
}

pub(crate) fn length(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|metres| *metres >= 0.0 && *metres < 1e6)
        .ok_or_else(|| "a length of zero or more".into())
}

fn name_of(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|name| name.get_name().to_owned()).unwrap_or_default()
}

fn feature(feature: Feature) -> Value {
    match feature {
        Feature::Corner(k) => json!({ "corner": k }),
        Feature::Side(k) => json!({ "edge": k }),
        Feature::Face => json!("face"),
    }
}

/// The feature of a polyhedron that was met.
fn named(found: &Witness, names: &[Names; 2], k: usize) -> Option<Named> {
    names[k].name(found.triangles[k], found.features[k])
}

fn describe(verdict: &Verdict<Proof, Witness>, names: Option<&[Names; 2]>, answer: &mut Value) {
    match verdict {
        Verdict::Free(proof) => answer["clearance"] = json!(proof.clearance),
        Verdict::Undecided { open } => answer["open"] = json!([open.start, open.end]),
        Verdict::Touches(found) => {
            answer["t"] = json!([found.time.start, found.time.end]);
            answer["at_start"] = json!(found.at_start.map(how));
            answer["triangles"] = json!(found.triangles);
            answer["features"] = json!(found.features.map(feature));
            answer["named"] = json!([0, 1].map(|k| match named(found, names?, k)? {
                Named::Vertex(id) => Some(json!({ "vertex": id.0 })),
                Named::Edge { edge, faces } => {
                    Some(json!({ "edge": edge, "faces": faces.map(|face| face.map(|face| face.0)) }))
                }
                Named::Face(id) => Some(json!({ "face": id.0 })),
            }));
            answer["points"] = json!(found.points.map(|p| p.to_array()));
            answer["normal"] = json!(found.normal.map(|n| n.to_array()));
            answer["poses"] = json!(found.world_from_bodies.map(|pose| pose.to_rows()));
        }
    }
}

fn how(at_start: AtStart) -> &'static str {
    match at_start {
        AtStart::Touch => "touch",
        AtStart::FirstInside => "a inside b",
        AtStart::SecondInside => "b inside a",
    }
}

fn in_words(verdict: &Verdict<Proof, Witness>, names: Option<&[Names; 2]>, answer: &Value) -> String {
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string succeeds");
    match verdict {
        Verdict::Free(proof) => {
            line(format!("free at every instant; the gap is at least {:.6e} m", proof.clearance));
        }
        Verdict::Undecided { open } => {
            line(format!("undecided from t = {} to {}", open.start, open.end));
        }
        Verdict::Touches(found) => {
            match found.at_start {
                Some(meeting) => line(format!("overlap at the start: {}", how(meeting))),
                None => line(format!("first contact at t = {} to {}", found.time.start, found.time.end)),
            }
            let of_polyhedron = |k: usize| match named(found, names?, k)? {
                Named::Vertex(id) => Some(format!("vertex {}", id.0)),
                Named::Edge { edge, .. } => Some(format!("edge {edge}")),
                Named::Face(id) => Some(format!("face {}", id.0)),
            };
            let of_triangle = |k: usize| match found.features[k] {
                Feature::Corner(corner) => format!("corner {corner} of triangle {}", found.triangles[k]),
                Feature::Side(side) => format!("edge {side} of triangle {}", found.triangles[k]),
                Feature::Face => format!("the face of triangle {}", found.triangles[k]),
            };
            let feature = |k: usize| of_polyhedron(k).unwrap_or_else(|| of_triangle(k));
            line(format!("  between  {} of A and {} of B", feature(0), feature(1)));
            line(format!("  that is  {} and {}", of_triangle(0), of_triangle(1)));
            let [p, _] = found.points;
            line(format!("  point    ({}, {}, {})", p.x, p.y, p.z));
            if let Some(n) = found.normal {
                line(format!("  normal   ({}, {}, {}), from A to B", n.x, n.y, n.z));
            }
        }
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let shear = [number(&answer["shear"][0]), number(&answer["shear"][1])];
    if answer["interpolate"] == "cubic" || answer["interpolate"] == "linear" {
        line(format!(
            "  motion   exact for the cubics through the poses; max|R'R - I| is {:.3e} of A, {:.3e} of B",
            shear[0], shear[1]
        ));
    } else if answer["inflated"].is_number() {
        line(format!(
            "  motion   rigid, as it is; it differs from the cubics of the proof by at most {:.3e} m, which was taken off",
            number(&answer["inflated"])
        ));
    }
    line(format!("  work     {} spans, {} instants", answer["spans"], answer["instants"]));
    text
}
