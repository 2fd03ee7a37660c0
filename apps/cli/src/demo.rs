use crate::say::{self, STRONG};
use crate::{BAD_INPUT, plan, progress, view};
use clap::Args;
use kansho::ask::plan::PlanOptions;
use kansho::cell::builtin;
use kansho::io::WriteError;
use kansho::io::cell::CellOptions;
use kansho::io::job;
use kansho_viewer::{Busy, ServeFault, Work};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Args, Clone)]
#[command(
    after_help = "Examples:\n  kansho demo\n  kansho demo --out demo && kansho info demo/cell.toml\n  kansho plan demo/job.toml --out elsewhere"
)]
pub(crate) struct Arguments {
    /// Write the demo's cell, job and path into this folder, as files that the other commands take, and what is planned into plan/ below
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// End after the plan instead of showing it in the browser; so it is where the output is no terminal
    #[arg(long)]
    no_open: bool,

    /// Show it where the output is no terminal, too, and open no browser there
    #[arg(long, hide = true, conflicts_with_all = ["no_open", "no_plan"])]
    show: bool,

    /// Only write the files of the cell and the job; plan nothing
    #[arg(long, requires = "out")]
    no_plan: bool,

    /// Every how many points of the path, and with which step of rotation in degrees; 10 and 2 by default, 1 and 1 is the whole job
    #[arg(long, num_args = 2, value_names = ["POINTS", "DEGREES"], default_values_t = [10, 2], value_parser = clap::value_parser!(u16).range(1..=1000))]
    every: Vec<u16>,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    say::answer(&text());
    let temporary = std::env::temp_dir().join(format!("kansho-demo-{}", std::process::id()));
    let folder = arguments.out.clone().unwrap_or(temporary.clone());
    let made_here = arguments.out.is_none().then_some(temporary);
    let is_shown = arguments.show || (!arguments.no_open && std::io::stdout().is_terminal());
    let code = match write(&folder, arguments) {
        Err(code) => code,
        Ok(()) if arguments.no_plan => {
            say::answer(&format!(
                "Its files are written; `kansho plan {}` answers that.\n",
                folder.join("job.toml").display()
            ));
            0
        }
        Ok(()) if is_shown && kansho_viewer::missing().is_none() => {
            show(&folder, arguments, made_here.clone())
        }
        Ok(()) => {
            let code = plan_in(&folder, arguments);
            if let Some(why) = kansho_viewer::missing().filter(|_| is_shown && code == 0) {
                say::note(&format!("It is not shown in the browser: {}.", ServeFault::NoPage(why)));
            }
            code
        }
    };
    if let Some(folder) = made_here {
        let _ = std::fs::remove_dir_all(folder);
    }
    code
}

/// Shows the cell at once, and plans meanwhile. Ends when somebody ends it, and then leaves nothing behind.
fn show(folder: &Path, arguments: &Arguments, made_here: Option<PathBuf>) -> u8 {
    let _ = ctrlc::set_handler(move || {
        if let Some(folder) = &made_here {
            let _ = std::fs::remove_dir_all(folder);
        }
        std::process::exit(0);
    });
    let over = Arc::new(AtomicBool::new(false));
    let (is_over, inside, arguments) = (Over(Arc::clone(&over)), folder.to_owned(), arguments.clone());
    std::thread::spawn(move || {
        let _is_over = is_over;
        plan_in(&inside, &arguments);
    });
    view::folder(folder, Busy::new(move || work(over.load(Ordering::Acquire))))
}

/// Set when the plan is over, however it ends: nobody waits for one that failed.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// How far the plan is, for those who look at the page.
fn work(is_over: bool) -> Work {
    let newest = if is_over { None } else { progress::newest() };
    let (label, done, of) = newest.unwrap_or(("", 0, 0));
    let what = match label.split(':').next() {
        _ if is_over => "The plan is ready",
        Some("map") => "Map: which rotations of the nozzle are free at each point of the edge",
        Some("path") => "Path: the best way through the map, every motion of it proven free",
        Some("certificate") => "Certificate: the proof of every motion, written down for others to check",
        _ => "Planning a path along the edge of the sheet",
    };
    Work { what: what.into(), done, of, is_over }
}

/// Writes the files of the cell and the job; the exit code where that cannot be done.
fn write(folder: &Path, arguments: &Arguments) -> Result<(), u8> {
    let there = folder.join("cell.toml");
    let written = if there.exists() {
        let what = "there is a cell already, and it is not overwritten".into();
        Err(WriteError { path: there, what })
    } else {
        kansho::io::demo::write(folder, [arguments.every[0], arguments.every[1]])
    };
    written.map_err(|error| {
        say::write_error(&error);
        BAD_INPUT
    })
}

/// Plans the job, and says what came of it.
fn plan_in(folder: &Path, arguments: &Arguments) -> u8 {
    let read = job::read(&folder.join("job.toml"), &CellOptions::default());
    let job = match read {
        Ok(job) => job,
        Err(errors) => return crate::say::refused(&errors, false),
    };
    let asked = plan::Asked {
        title: "kansho demo".into(),
        out: folder.join("plan"),
        options: PlanOptions { certificate: true, ..PlanOptions::default() },
        relax: None,
        resume: false,
        explain: true,
        json: false,
        threads: None,
        deadline: None,
    };
    let code = say::ended(plan::whole(&job, &asked), false);
    let more = match &arguments.out {
        Some(folder) => {
            let file = folder.join("cell.toml");
            // Only a path that was found and proven has a certificate.
            let verify = if code == 0 {
                format!("`kansho verify {}/plan/certificate.json {}`, ", folder.display(), file.display())
            } else {
                String::new()
            };
            format!(
                "\nWritten as files: look at {0}/plan/report.html and try\n{verify}`kansho info {1}`, `kansho pairs {1}`, and\n`kansho postures {1} --postures {0}/postures.csv --distance`. `kansho view {0}` shows it in the browser.\n",
                folder.display(),
                file.display(),
            )
        }
        None => "\nWith --out DIR all of it is written as files that the other commands take.\n".into(),
    };
    say::answer(&more);
    code
}

fn text() -> String {
    let demo = builtin::cell();
    let mut text = format!(
        "{STRONG}kansho{STRONG:#} makes robot paths and proves them free of collision.\n\n\
         A six-axis arm with a bent nozzle stands at a curved sheet on a fixture, as for sealing a windshield:\n"
    );
    for body in demo.bodies() {
        let triangles: usize = body.pieces.iter().map(|piece| piece.geometry.triangles()).sum();
        let shape =
            if triangles > 0 { format!("{triangles} triangles, all closed") } else { "a half-space".into() };
        text += &format!("  {:<14} {shape}\n", body.name);
    }
    text += &format!(
        "{} pairs of bodies are to be checked, {} are not.\n\nA closed bead is to be laid along the edge of the sheet. Which rotations of the nozzle are free where, which path is best, and is it proven free?\n\n",
        demo.pairs().checked().len(),
        demo.pairs().not_checked().len()
    );
    text
}
