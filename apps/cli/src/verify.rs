use crate::check::Kind;
use crate::units::TableUnits;
use crate::{BAD_INPUT, load, moving, say};
use clap::Args;
use kansho::cell::Cell;
use kansho::cell::route::{Law, Route, listed};
use kansho::check::verify::verify;
use kansho::io::certificate::Certified;
use kansho::io::motion_certificate::{self, AnyCertificate, CertifiedMotion};
use kansho::io::motion_file::{LoadedMotion, Moved};
use kansho::io::route_certificate::CertifiedRoute;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  kansho verify bodies.json\n  kansho verify motion.json cell.toml\n  kansho verify motion.json cell.toml motion.csv"
)]
pub(crate) struct Arguments {
    /// A certificate, as `kansho moving --certificate` or `kansho check --certificate` writes it
    #[arg(value_name = "JSON")]
    certificate: PathBuf,

    /// The cell that it is about, where it is about one
    #[arg(value_name = "CELL")]
    cell: Option<PathBuf>,

    /// The motion that it should be about (CSV, or JSON with a list of moves); whichever it holds if none is given
    #[arg(value_name = "MOTION")]
    motion: Option<PathBuf>,

    #[command(flatten)]
    kind: Kind,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Threads to use; all cores by default
    #[arg(long, value_name = "N", value_parser = crate::threads::number)]
    threads: Option<usize>,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,

    #[command(flatten)]
    units: TableUnits,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let wrong = |what: &str| {
        say::fault(&arguments.certificate.display().to_string(), what);
        BAD_INPUT
    };
    match (motion_certificate::read_any(&arguments.certificate), &arguments.cell) {
        (Err(error), _) => moving::refused(&[error], arguments.json),
        (Ok(AnyCertificate::Bodies(certified)), None) => bodies(&certified, arguments.json),
        (Ok(AnyCertificate::Bodies(_)), Some(_)) => {
            wrong("this is about two bodies, which it holds, and about no cell")
        }
        (Ok(AnyCertificate::Cell(_) | AnyCertificate::Route(_)), None) => {
            wrong("this is about a cell, which has to be named: kansho verify JSON CELL")
        }
        (Ok(AnyCertificate::Route(certified)), Some(path)) => {
            match load::cell_or_robot(path, &arguments.packages) {
                Ok((cell, warnings)) => {
                    say::warnings(&warnings);
                    of_route(arguments, &certified, &cell)
                }
                Err(errors) => moving::refused(&errors, arguments.json),
            }
        }
        (Ok(AnyCertificate::Cell(certified)), Some(path)) => {
            match load::cell_or_robot(path, &arguments.packages) {
                Ok((cell, warnings)) => {
                    say::warnings(&warnings);
                    of_cell(arguments, &certified, &cell)
                }
                Err(errors) => moving::refused(&errors, arguments.json),
            }
        }
    }
}

fn of_cell(arguments: &Arguments, certified: &CertifiedMotion, cell: &Cell) -> u8 {
    let mut is_other = false;
    if let Some(path) = &arguments.motion {
        match arguments.kind.read(path, cell, &arguments.units.units()) {
            Ok(loaded) => {
                is_other = !matches!(loaded.motion, Moved::Joints(motion) if motion == certified.motion);
            }
            Err(error) => return moving::refused(&[error], arguments.json),
        }
    }
    let verified = if is_other {
        Err("it is about another motion".to_owned())
    } else {
        crate::threads::on(arguments.threads, || certified.verify(cell)).map_err(|why| why.to_string())
    };
    // Pairs that never move relative to each other are apart, and no motion could do better.
    let moves = |bodies: &[kansho::cell::BodyId; 2]| {
        let [a, b] = bodies.map(|body| cell.in_frame(cell.body(body).carrier).frame);
        a != b
    };
    let clearances = cell.pairs().checked().iter().zip(&certified.certificate.clearances);
    let clearances: Vec<f64> = clearances.filter(|(bodies, _)| moves(bodies)).map(|(_, gap)| *gap).collect();
    let least = clearances.iter().copied().fold(f64::INFINITY, f64::min);
    let pieces = certified.motion.pieces();
    let ends: Vec<Vec<f64>> = [0.0, 1.0].map(|t| certified.motion.at(t)).into();
    if arguments.json {
        say::json_answer(&match &verified {
            Ok(found) => json!({
                "accepted": true, "waypoints": pieces.len() + 1, "regions": found.regions,
                "clearance": least.is_finite().then_some(least), "from": ends[0], "to": ends[1],
            }),
            Err(why) => json!({ "accepted": false, "why": why }),
        });
    } else {
        say::answer(&match &verified {
            Ok(found) => format!(
                "accepted: {} pairs stay more than {least} m apart on the way through {} waypoints; {} regions\n  from     {}\n  to       {}\n",
                cell.pairs().checked().len(),
                pieces.len() + 1,
                found.regions,
                numbers(&ends[0]),
                numbers(&ends[1]),
            ),
            Err(why) => format!("refused: {why}\n"),
        });
    }
    u8::from(verified.is_err())
}

/// Poses of a route that differ by no more are the same: what rounding makes of numbers of a file, in metres and radians.
const SAME: f64 = 1e-9;

fn of_route(arguments: &Arguments, certified: &CertifiedRoute, cell: &Cell) -> u8 {
    let mut is_other = false;
    if let Some(path) = &arguments.motion {
        match arguments.kind.read(path, cell, &arguments.units.units()) {
            Ok(LoadedMotion { motion: Moved::Tool(routes), .. }) => {
                let is_same = |(law, route): &(Law, Route)| {
                    certified.routes.iter().any(|one| one.law == *law && one.route.is_near(route, SAME))
                };
                is_other = !routes.iter().all(is_same);
            }
            Ok(_) => is_other = true,
            Err(error) => return moving::refused(&[error], arguments.json),
        }
    }
    let verified = if is_other {
        Err("it is about another motion".to_owned())
    } else {
        crate::threads::on(arguments.threads, || certified.verify(cell)).map_err(|why| why.to_string())
    };
    let first = &certified.routes[0];
    // Which law a curve follows is known where it was compared with that of a motion: in the certificate it is only a label.
    let laws: Option<Vec<String>> =
        arguments.motion.is_some().then(|| certified.routes.iter().map(|one| one.law.to_string()).collect());
    let moves = first.route.legs().last().map_or(0, |leg| listed(leg.of_move));
    let margin =
        certified.routes.iter().flat_map(|one| &one.pieces).map(|p| p.margins.of_joints).fold(0.0, f64::max);
    if arguments.json {
        say::json_answer(&match &verified {
            Ok(found) => json!({
                "accepted": true, "moves": moves, "laws": laws, "tip": certified.link, "regions": found.regions,
                "margin": margin, "clearance": found.clearance.is_finite().then_some(found.clearance),
                "from": first.route.start(),
            }),
            Err(why) => json!({ "accepted": false, "why": why }),
        });
    } else {
        say::answer(&match &verified {
            Ok(found) => format!(
                "accepted: {} pairs stay more than {} m apart while {} is led through the {moves} moves of its list; {} regions\n  law      {}\n  margins  at most {margin:.2e} m for what joints are off the cubics\n  from     {}\n",
                cell.pairs().checked().len(),
                found.clearance,
                certified.link,
                found.regions,
                laws.map_or("not checked: name the motion, and its curves are compared".into(), |laws| laws
                    .join(", ")),
                numbers(first.route.start()),
            ),
            Err(why) => format!("refused: {why}\n"),
        });
    }
    u8::from(verified.is_err())
}

fn numbers(posture: &[f64]) -> String {
    posture.iter().map(|value| format!("{value:.6}")).collect::<Vec<_>>().join(", ")
}

fn bodies(certified: &Certified, is_json: bool) -> u8 {
    let [a, b] = &certified.meshes;
    let [motion_a, motion_b] = &certified.motions;
    let verified = verify([a, b], [motion_a, motion_b], &certified.certificate);
    let [name_a, name_b] = &certified.names;
    if is_json {
        let answer: Value = match &verified {
            Ok(found) => json!({
                "accepted": true, "bodies": certified.names, "clearance": found.clearance,
                "regions": found.regions, "exact": found.exact,
            }),
            Err(refused) => {
                json!({ "accepted": false, "bodies": certified.names, "why": refused.to_string() })
            }
        };
        say::json_answer(&answer);
    } else {
        say::answer(&match &verified {
            Ok(found) => format!(
                "accepted: {name_a} and {name_b} ({} and {} triangles) stay more than {} m apart; {} regions, {} of them in whole numbers\n",
                a.triangles().len(),
                b.triangles().len(),
                found.clearance,
                found.regions,
                found.exact
            ),
            Err(refused) => format!("refused: {refused}\n"),
        });
    }
    u8::from(verified.is_err())
}
