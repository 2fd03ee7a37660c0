//! One motion.

use super::{Asked, lead};
use crate::{BAD_INPUT, UNDECIDED, moving, say};
use kansho::cell::{Cell, JointMotion};
use kansho::check::motion::{LeastGap, MotionOptions, MotionReport, MotionScene, MotionWitness, Uncertified};
use kansho::check::scene::{PairId, Scene};
use kansho::check::verdict::Verdict;
use kansho::geom::glam::DVec3;
use kansho::geom::solid::On;
use kansho::geom::triangle::Feature;
use kansho::io::motion_certificate::CertifiedMotion;
use kansho::io::motion_file::{LoadedMotion, Moved};
use kansho::io::{Fault, Warning};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// How near the bounds of a depth come to each other, in metres.
const DEPTH_TOLERANCE: f64 = 1e-6;

/// Pairs that touch at the start and are told with their depth, at most.
const STARTS: usize = 10;

/// What was found.
struct Found {
    report: MotionReport,
    least: Option<LeastGap>,
    /// What touches at the start, and how deep.
    start: Vec<(PairId, Option<[f64; 2]>)>,
    certified: Option<Result<CertifiedMotion, Uncertified>>,
}

pub(super) fn run(mut asked: Asked<'_>, path: &Path, cell: Cell) -> u8 {
    let arguments = asked.arguments;
    let LoadedMotion { motion, outside, program } =
        match arguments.kind.read_or_tell(path, &cell, &arguments.units.units(), true) {
            Ok(loaded) => loaded,
            Err(error) => return moving::refused(&[error], arguments.json),
        };
    if let Err(code) = asked.outside(path, outside) {
        return code;
    }
    if let Some(program) = &program {
        let warning = |fault: &Fault| Warning { path: path.to_owned(), fault: fault.clone() };
        asked.warnings.extend(program.unreached.iter().chain(&program.notes).map(warning));
        asked.unreached = program.unreached.len();
    }
    let motion = match motion {
        Moved::Joints(motion) => motion,
        Moved::Tool(routes) => return lead::run(asked, path, cell, &routes, program.as_ref()),
    };
    let scene = asked.scene(cell);
    let found = crate::threads::on(arguments.threads, || look(&asked, &scene, &motion));
    let mut answer = json!({
        "verdict": found.report.verdict.word(),
        "waypoints": motion.pieces().len() + 1,
        "warnings": say::warnings_json(&asked.warnings),
        "instants": found.report.counters.instants,
        "nodes": found.report.counters.nodes,
        "exact": found.report.counters.exact,
    });
    let mut text = String::new();
    match &found.report.verdict {
        Verdict::Free(_) if asked.unreached > 0 => never_reached(&asked, &mut text, &mut answer),
        Verdict::Free(proof) => {
            let least = found.least.unwrap_or(LeastGap { proven: proof.clearance, measured: None });
            free(&scene, |t| where_in(&motion, t), &least, &mut text, &mut answer);
        }
        Verdict::Touches(witness) => {
            let mut place = segment(witness.piece, witness.in_piece);
            if let Some(program) = &program {
                let number = witness.piece + 2;
                place = format!("{}{place}", program.words(number, witness.in_piece));
                answer["line"] = json!(program.line(number));
                answer["seconds"] = json!(program.seconds_at(number, witness.in_piece));
            }
            answer["segment"] =
                json!({ "from": witness.piece + 1, "to": witness.piece + 2, "fraction": witness.in_piece });
            contact(&scene, &found.start, witness, &place, &mut text, &mut answer);
        }
        Verdict::Undecided { open } => {
            line(&mut text, format_args!("undecided from t = {} to {}", open.start, open.end));
            answer["open"] = json!([open.start, open.end]);
        }
    }
    if let (Some(certified), Some(out)) = (&found.certified, &arguments.certificate) {
        answer["certificate"] = Value::Null;
        match certified {
            Ok(certified) => {
                if let Err(error) = kansho::io::whole_file(out, certified.to_json().as_bytes()) {
                    say::write_error(&error);
                    return BAD_INPUT;
                }
                answer["certificate"] = json!(out.display().to_string());
                let steps: usize = certified.certificate.pieces.iter().map(Vec::len).sum();
                line(&mut text, format_args!("  proof    {} ({steps} steps)", out.display()));
            }
            Err(why) => {
                let fault = Fault::of_file(format!(
                    "no certificate is written, though the motion is proven free: {}",
                    why_not(&scene, why)
                ));
                say::warnings(&[Warning { path: out.clone(), fault }]);
            }
        }
    }
    if arguments.json {
        say::json_answer(&answer);
    } else {
        say::answer(&text);
    }
    match found.report.verdict {
        Verdict::Free(_) if asked.unreached == 0 => 0,
        Verdict::Touches(_) => 1,
        _ => UNDECIDED,
    }
}

/// Tells of a program that only what is reached of it is free.
pub(super) fn never_reached(asked: &Asked<'_>, text: &mut String, answer: &mut Value) {
    let count = asked.unreached;
    answer["verdict"] = json!("undecided");
    answer["unreached"] = json!(count);
    let moves = if count == 1 { "one move of this program is" } else { "some moves of this program are" };
    line(text, format_args!("undecided: {moves} never reached; those that are reached are free"));
}

fn look(asked: &Asked<'_>, scene: &Scene, motion: &JointMotion) -> Found {
    let prepared = MotionScene::new(scene);
    let mut workspace = prepared.workspace();
    let report = prepared.motion(motion, &asked.options, &mut workspace);
    let mut found = Found { report, least: None, start: Vec::new(), certified: None };
    match &found.report.verdict {
        Verdict::Free(proof) => {
            found.least = Some(prepared.least_gap(motion, &asked.options, proof.clearance, &mut workspace));
            found.certified = asked.certifies().then(|| {
                let resolution = asked.options.resolution;
                let certificate = prepared.certify(motion, &asked.options)?;
                Ok(CertifiedMotion::new(scene.cell(), motion.clone(), resolution, certificate))
            });
        }
        Verdict::Touches(witness) if witness.at_start => found.start = depths(scene, &witness.posture),
        _ => {}
    }
    found
}

/// What touches at the start, and how deep.
pub(super) fn depths(scene: &Scene, posture: &[f64]) -> Vec<(PairId, Option<[f64; 2]>)> {
    let mut workspace = scene.workspace();
    let pairs = scene.all_hits(posture, &mut workspace);
    let depth = |pair: PairId| (pair, scene.depth(posture, pair, DEPTH_TOLERANCE, &mut workspace));
    pairs.into_iter().take(STARTS).map(depth).collect()
}

pub(super) fn why_not(scene: &Scene, why: &Uncertified) -> String {
    match why {
        Uncertified::TooNear { piece, pair, .. } => format!(
            "{} come so near between waypoints {} and {} that no directions show it in as many steps as are allowed",
            scene.pair_name(*pair),
            piece + 1,
            piece + 2
        ),
        Uncertified::Late => "there was no time left for it".into(),
        Uncertified::HalfSpace(pair) => format!("{}: a half-space moves", scene.pair_name(*pair)),
    }
}

pub(super) fn free(
    scene: &Scene,
    place: impl Fn(f64) -> String,
    least: &LeastGap,
    text: &mut String,
    answer: &mut Value,
) {
    answer["clearance"] = json!(least.proven.is_finite().then_some(least.proven));
    let Some((t, gap)) = least.measured else {
        line(text, format_args!("free: nothing that is checked can touch"));
        return;
    };
    let pair = scene.pair_name(gap.pair);
    line(text, format_args!("free, at least {} m apart everywhere", say::below(least.proven)));
    line(text, format_args!("  nearest  {:.6} m measured, {pair}, at t = {t:.6} ({})", gap.gap, place(t)));
    answer["nearest"] = json!({
        "gap": gap.gap, "t": t, "pair": pair, "points": gap.points.map(|p| p.to_array()),
    });
}

fn where_in(motion: &JointMotion, t: f64) -> String {
    let count = motion.pieces().len();
    let place = t * count as f64;
    let piece = (place as usize).min(count - 1);
    segment(piece, place - piece as f64)
}

fn segment(piece: usize, u: f64) -> String {
    format!("between waypoints {} and {}, {:.6} of the way", piece + 1, piece + 2, u)
}

pub(super) fn contact(
    scene: &Scene,
    start: &[(PairId, Option<[f64; 2]>)],
    witness: &MotionWitness,
    place: &str,
    text: &mut String,
    answer: &mut Value,
) {
    let pair = scene.pair_name(witness.pair);
    let [a, b] = scene.bodies(witness.pair).map(|body| scene.cell().body(body).name.clone());
    answer["t"] = json!([witness.time.start, witness.time.end]);
    answer["at_start"] = json!(witness.at_start);
    answer["pair"] = json!(pair);
    answer["gap"] = json!(witness.gap);
    answer["points"] = json!(witness.points.map(|p| p.to_array()));
    answer["on"] = json!(witness.on.map(on_json));
    answer["posture"] = json!(witness.posture);
    let is_touch = witness.gap == 0.0;
    // A gap that is not told from a contact is one.
    let is_near = witness.gap > MotionOptions::default().resolution;
    match (witness.at_start, is_touch) {
        (true, true) => line(text, format_args!("in contact at the start")),
        (true, false) => line(text, format_args!("nearer than the clearance at the start")),
        (false, _) => line(
            text,
            format_args!(
                "{} at t = {} ({place})",
                if is_near { "first as near as the clearance" } else { "first contact" },
                witness.time.end
            ),
        ),
    }
    if start.is_empty() {
        line(text, format_args!("  pair     {pair}"));
    }
    let mut starts = Vec::new();
    for &(pair, depth) in start {
        let name = scene.pair_name(pair);
        let how = match depth {
            None => "touch".to_owned(),
            Some([_, most]) if most <= DEPTH_TOLERANCE => "touch without being in each other".to_owned(),
            Some([least, most]) => format!("{:.6} m deep in each other", f64::midpoint(least, most)),
        };
        line(text, format_args!("  pair     {name}: {how}"));
        starts.push(json!({ "pair": name, "depth": depth }));
    }
    if !starts.is_empty() {
        answer["start"] = json!(starts);
    }
    let gap = if is_touch { "0".to_owned() } else { format!("{:.3e}", witness.gap) };
    line(text, format_args!("  gap      {gap} m"));
    for (k, name) in [a, b].iter().enumerate() {
        line(text, format_args!("  point    {} on {}", point(witness.points[k]), on(witness.on[k], name)));
    }
    let names: Vec<String> = scene
        .cell()
        .coordinates()
        .iter()
        .zip(&witness.posture)
        .map(|(coordinate, value)| format!("{} {value:.6}", coordinate.full_name()))
        .collect();
    line(text, format_args!("  posture  {}", names.join(", ")));
}

fn point(p: DVec3) -> String {
    format!("({:.6}, {:.6}, {:.6})", p.x, p.y, p.z)
}

fn on(on: On, name: &str) -> String {
    match on {
        On::Triangle { index, feature: Feature::Corner(k) } => {
            format!("corner {k} of triangle {index} of {name}")
        }
        On::Triangle { index, feature: Feature::Side(k) } => {
            format!("edge {k} of triangle {index} of {name}")
        }
        On::Triangle { index, feature: Feature::Face } => format!("triangle {index} of {name}"),
        On::Surface => format!("the surface of {name}"),
        On::Inside => format!("{name}, one inside the other"),
    }
}

fn on_json(on: On) -> Value {
    match on {
        On::Triangle { index, feature } => {
            let feature = match feature {
                Feature::Corner(k) => json!({ "corner": k }),
                Feature::Side(k) => json!({ "edge": k }),
                Feature::Face => json!("face"),
            };
            json!({ "triangle": index, "feature": feature })
        }
        On::Surface => json!("surface"),
        On::Inside => json!("inside"),
    }
}

pub(super) fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    writeln!(text, "{words}").expect("writing to a string succeeds");
}
