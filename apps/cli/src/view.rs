//! `kansho view`: a cell in the browser.

use crate::check::Kind;
use crate::units::TableUnits;
use crate::{BAD_INPUT, say};
use clap::Args;
use kansho::io::{Fault, ReadError, script};
use kansho::shown::shown_files;
use kansho_viewer::{Address, Busy, Loaded, ServeFault, serve};
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
    let options = arguments.kind.options(&arguments.units.units(), false);
    let Arguments { cell, motions, packages, .. } = arguments;
    let shown = shown_files(cell, motions, packages, &options, busy.is_none())?;
    let title = arguments.cell.display().to_string();
    Ok(Loaded {
        title,
        cell: Arc::new(shown.cell),
        motions: shown.motions,
        warnings: shown.warnings,
        words: None,
        task: shown.task,
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
