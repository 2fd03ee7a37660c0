use crate::BAD_INPUT;
use crate::say::{self, STRONG};
use clap::Args;
use kansho::cell::builtin;
use kansho::io::{WriteError, cell};
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(after_help = "Examples:\n  kansho demo\n  kansho demo --out demo && kansho info demo/cell.toml")]
pub(crate) struct Arguments {
    /// Write the demo's cell into this folder, as files that the other commands take
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Do not open a browser (there is no viewer yet, so none is opened anyway)
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(arguments: &Arguments) -> u8 {
    let _ = arguments.no_open;
    let demo = builtin::cell();
    if let Some(folder) = &arguments.out {
        let there = folder.join("cell.toml");
        if there.exists() {
            say::write_error(&WriteError {
                path: there,
                what: "there is a cell already, and it is not overwritten".into(),
            });
            return BAD_INPUT;
        }
        let made = std::fs::create_dir_all(folder)
            .map_err(|error| WriteError { path: folder.clone(), what: error.to_string() });
        if let Err(error) =
            made.and_then(|()| cell::write(folder, &demo)).and_then(|()| write_postures(folder))
        {
            say::write_error(&error);
            return BAD_INPUT;
        }
    }
    say::answer(&text(arguments));
    0
}

/// Home, and two postures that are not free.
fn write_postures(folder: &Path) -> Result<(), WriteError> {
    let cell = builtin::cell();
    let header: Vec<String> = cell.coordinates().iter().map(|coordinate| coordinate.joint.clone()).collect();
    let touching = [[0.0f64, 20.0, 10.0, 0.0, 60.0, 180.0], [120.0, 90.0, 20.0, 0.0, 0.0, 0.0]];
    let rows = [builtin::home()].into_iter().chain(touching.map(|row| row.map(f64::to_radians).to_vec()));
    let mut text = header.join(",") + "\n";
    for row in rows {
        let numbers: Vec<String> = row.iter().map(f64::to_string).collect();
        text += &(numbers.join(",") + "\n");
    }
    kansho::io::whole_file(&folder.join("postures.csv"), text.as_bytes())
}

fn text(arguments: &Arguments) -> String {
    let demo = builtin::cell();
    let mut text = format!(
        "{STRONG}kansho{STRONG:#} proves robot motions free of collision. It is young; this is what it can show so far.\n\n\
         A six-axis arm with a bent nozzle stands at a curved sheet on a fixture, as for sealing a windshield:\n"
    );
    for body in demo.bodies() {
        let triangles: usize = body.pieces.iter().map(|piece| piece.geometry.triangles()).sum();
        let shape =
            if triangles > 0 { format!("{triangles} triangles, all closed") } else { "a half-space".into() };
        text += &format!("  {:<14} {shape}\n", body.name);
    }
    let placed = demo.place(&builtin::home());
    let arm = &demo.robots()[0];
    if let Some(tool) = arm.tool {
        let tip = (placed.world_from_link(tool.on) * tool.link_from_tcp).translation();
        text += &format!("At home the nozzle's tip is at ({:.3}, {:.3}, {:.3}) m.\n", tip.x, tip.y, tip.z);
    }
    text += &format!(
        "{} pairs of bodies are to be checked, {} are not.\n",
        demo.pairs().checked().len(),
        demo.pairs().not_checked().len()
    );
    match &arguments.out {
        Some(folder) => {
            let file = folder.join("cell.toml");
            text += &format!(
                "\nWritten as files: try `kansho info {0}`, `kansho pairs {0}`, and\n`kansho postures {0} --postures {1} --distance`.\n",
                file.display(),
                folder.join("postures.csv").display()
            );
        }
        None => text += "\nWith --out DIR it is written as files that the other commands take.\n",
    }
    text += "\nReady: meshes, robots and cells in, with every fault named (`kansho info`, `kansho pairs`, `kansho convert`),\nand exact answers for two meshes in many poses (`kansho collide`) and for a cell in many postures (`kansho postures`).\nMotions are proven free, or shown where they touch, with certificates: two bodies (`kansho moving`), a whole cell (`kansho check`, `kansho verify`).\nNot yet: tool paths, robot programs, the viewer.\n";
    text
}
