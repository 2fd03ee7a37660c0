//! `kansho view`: a cell in the browser.

mod place;
mod times;

use crate::check::Kind;
use crate::units::TableUnits;
use crate::{BAD_INPUT, say};
use clap::Args;
use kansho::cell::Cell;
use kansho::io::motion_file::LoadedMotion;
use kansho::io::{Fault, ReadError, script};
use kansho::load;
use kansho_viewer::{Address, Busy, Loaded, NamedMotion, ServeFault, serve};
use place::Place;
use std::io::IsTerminal;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

#[derive(Args, Clone)]
#[command(
    after_help = "Examples:\n  kansho view cell.toml\n  kansho view cell.toml motion.csv --units deg\n  kansho demo --out demo && kansho view demo\n  kansho plan job.toml --out plan && kansho view plan\n  kansho view examples/words/block_in_slot.toml\n\nOf a folder, its cell.toml is shown with the motions in it and in plan/ below: motion*.csv and motion*.json. Of a job that was planned, or of the\nfolder that `kansho plan` wrote, the map is shown, too: look into its cells, and drag the path.\nOnly browsers on this machine are answered, unless --bind says otherwise. Ctrl-C ends it."
)]
pub(crate) struct Arguments {
    /// A cell (TOML), a robot that stands alone (URDF), a folder with a cell.toml, a job (TOML) or the folder of its plan, or a script of
    /// movements in words (TOML)
    #[arg(value_name = "CELL|DIR|JOB|SCRIPT")]
    cell: PathBuf,

    /// Motions to show (CSV of waypoints, or JSON with a list of moves)
    #[arg(value_name = "MOTION")]
    motions: Vec<PathBuf>,

    #[command(flatten)]
    kind: Kind,

    /// Port to listen on; any free one by default
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// Address to listen on; whoever can reach another one than 127.0.0.1 sees the cell
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    /// Begin with a word to newcomers, as `kansho demo` does
    #[arg(long, hide = true)]
    tour: bool,

    /// What is done while it is shown; until that is over, its plan is left out.
    #[arg(skip)]
    busy: Option<Busy>,

    /// A folder in which package://NAME/... is looked for first (repeatable)
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,

    #[command(flatten)]
    units: TableUnits,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    // Without a page there is no need to read anything.
    if let Some(why) = kansho_viewer::missing() {
        return refused(&ServeFault::NoPage(why));
    }
    let loaded = match read(arguments) {
        Ok(loaded) => loaded,
        Err(errors) => {
            say::errors(&errors);
            return BAD_INPUT;
        }
    };
    loaded.warnings.iter().for_each(|warning| say::note(&format!("warning: {warning}")));
    if !arguments.bind.is_loopback() {
        say::note(&format!("warning: whoever can reach {} sees this cell", arguments.bind));
    }
    let again = arguments.clone();
    let load = move || read(&again).map_err(|errors| say::errors_text(&errors));
    let address = Address { ip: arguments.bind, port: arguments.port };
    let opens = !arguments.no_open && std::io::stdout().is_terminal();
    let title = loaded.title.clone();
    let started = |own: SocketAddr| {
        let at = link(own);
        say::answer(&format!("{title} is shown at {at} (Ctrl-C ends it)\n"));
        if opens {
            open(&at);
        }
    };
    match serve(loaded, Box::new(load), address, started) {
        Ok(()) => 0,
        Err(fault) => refused(&fault),
    }
}

/// Shows the folder of a demo while it is planned, in the same process.
pub(crate) fn folder(folder: &Path, busy: Busy) -> u8 {
    use clap::Parser;
    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }
    let words = [Path::new("view"), Path::new("--tour"), folder];
    let mut alone = Alone::try_parse_from(words).expect("a folder is all that it needs");
    alone.arguments.busy = Some(busy);
    run(&alone.arguments)
}

fn refused(fault: &ServeFault) -> u8 {
    say::fault("kansho view", fault.to_string());
    BAD_INPUT
}

/// The address as a browser takes it.
pub(crate) fn link(own: SocketAddr) -> String {
    let ip = if own.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { own.ip() };
    format!("http://{}/", SocketAddr::new(ip, own.port()))
}

/// Asks the system to open a browser. Where it cannot, the address was told anyway.
pub(crate) fn open(link: &str) {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let started = Command::new(program)
        .args(before)
        .arg(link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Ok(mut child) = started {
        // Waited for, so that it does not linger when it ends before we do.
        std::thread::spawn(move || child.wait());
    }
}

fn read(arguments: &Arguments) -> Result<Loaded, Vec<ReadError>> {
    if script::is_script(&arguments.cell) {
        return of_script(arguments);
    }
    let busy = arguments.busy.clone().filter(|busy| !busy.now().is_over);
    let place = Place::of(&arguments.cell, &arguments.packages, busy.is_none())?;
    let folder = place.plan.clone();
    let speed = place.job.as_ref().map(|job| (job.job.robot.clone(), job.job.speed));
    let (cell, task, mut warnings) = match place.job {
        Some(job) => {
            let odd = job.cell_warnings.iter().chain(&job.warnings).map(ToString::to_string).collect();
            let task = place.plan.as_ref().map(|plan| place::task(&job, plan)).transpose()?;
            (job.job.cell, task, odd)
        }
        None => {
            let (cell, odd) = load::cell_or_robot(&place.cell, &arguments.packages)?;
            (cell, None, odd.iter().map(ToString::to_string).collect::<Vec<_>>())
        }
    };
    let (mut motions, mut errors) = (Vec::new(), Vec::new());
    for path in place.motions.iter().chain(&arguments.motions) {
        match motion(arguments, path, &cell) {
            Ok((mut named, odd)) => {
                let is_planned = folder.as_deref().is_some_and(|folder| path.parent() == Some(folder));
                if let Some((robot, speed)) = speed.as_ref().filter(|_| is_planned) {
                    times::of_plan(&mut named, path, &cell, robot, *speed);
                }
                warnings.extend(odd.iter().map(|fault| format!("{}: {fault}", path.display())));
                motions.extend(named);
            }
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let title = arguments.cell.display().to_string();
    Ok(Loaded {
        title,
        cell: Arc::new(cell),
        motions,
        warnings,
        words: None,
        task,
        live: None,
        busy,
        tour: arguments.tour,
    })
}

/// A script of movements in words.
fn of_script(arguments: &Arguments) -> Result<Loaded, Vec<ReadError>> {
    let path = &arguments.cell;
    let refuse = |why: String| vec![ReadError { path: path.clone(), faults: vec![Fault::of_file(why)] }];
    if !arguments.motions.is_empty() {
        return Err(refuse("a script has its own motion; show others with their cell".into()));
    }
    kansho_viewer::of_script(script::read(path)?, path.display().to_string()).map_err(refuse)
}

/// The motions of a file: one, or one for each way in which a tool may turn.
fn motion(
    arguments: &Arguments,
    path: &Path,
    cell: &Cell,
) -> Result<(Vec<NamedMotion>, Vec<Fault>), ReadError> {
    let LoadedMotion { motion, outside, program, .. } =
        arguments.kind.read(path, cell, &arguments.units.units(), false)?;
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let is_planned = path.parent().is_some_and(|folder| folder.ends_with("plan"));
    let name = if is_planned { format!("plan/{stem}") } else { stem };
    let mut motions = NamedMotion::of(&name, &motion, cell, path)?;
    if let ([one], Some(program)) = (&mut motions[..], &program) {
        one.times = times::of_program(one, program);
    }
    Ok((motions, outside))
}
