use crate::say::{self, STRONG};
use crate::{BAD_INPUT, plan, view};
use clap::Args;
use kansho::cell::builtin;
use kansho::io::WriteError;
use kansho::io::cell::CellOptions;
use kansho::io::job;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

#[derive(Args)]
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
    let mut code = in_folder(&folder, arguments);
    let made_here = arguments.out.is_none().then_some(temporary);
    if code == 0 && !arguments.no_open && !arguments.no_plan && std::io::stdout().is_terminal() {
        let leftover = made_here.clone();
        // It is shown until somebody ends it, and then nothing may be left behind.
        let _ = ctrlc::set_handler(move || {
            if let Some(folder) = &leftover {
                let _ = std::fs::remove_dir_all(folder);
            }
            std::process::exit(0);
        });
        code = view::folder(&folder);
    }
    if let Some(folder) = made_here {
        let _ = std::fs::remove_dir_all(folder);
    }
    code
}

fn in_folder(folder: &Path, arguments: &Arguments) -> u8 {
    let there = folder.join("cell.toml");
    if there.exists() {
        say::write_error(&WriteError {
            path: there,
            what: "there is a cell already, and it is not overwritten".into(),
        });
        return BAD_INPUT;
    }
    if let Err(error) = kansho::io::demo::write(folder, [arguments.every[0], arguments.every[1]]) {
        say::write_error(&error);
        return BAD_INPUT;
    }
    if arguments.no_plan {
        let more = format!(
            "Its files are written; `kansho plan {}` answers that.\n",
            folder.join("job.toml").display()
        );
        say::answer(&more);
        return 0;
    }
    let read = job::read(&folder.join("job.toml"), &CellOptions::default());
    let job = match read {
        Ok(job) => job,
        Err(errors) => return crate::moving::refused(&errors, false),
    };
    let asked = plan::Asked {
        title: "kansho demo".into(),
        job: folder.join("job.toml"),
        out: folder.join("plan"),
        is_lin: false,
        certificate: true,
        intervals: false,
        depths: false,
        relax: None,
        resume: false,
        explain: true,
        json: false,
        threads: None,
        deadline: None,
    };
    let code = plan::whole(&job, &asked);
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
        "{STRONG}kansho{STRONG:#} makes robot paths and proves them free of collision. It is young; this is what it can show so far.\n\n\
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
