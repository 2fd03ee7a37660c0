use clap::Args;
use kansho::io::mesh::{MeshOptions, Up};

/// How the numbers of a file are meant.
#[derive(Args, Clone, Copy)]
pub(crate) struct UnitArguments {
    /// Unit of lengths in the file, whatever the file says: m, cm, mm, um, in or ft
    #[arg(long, value_name = "UNIT", value_parser = metres)]
    units: Option<f64>,

    /// Leave the axes of COLLADA and glTF files as they are, instead of turning them so that Z is up
    #[arg(long)]
    keep_axes: bool,
}

impl UnitArguments {
    pub(crate) fn mesh_options(self) -> MeshOptions {
        MeshOptions {
            metres_per_unit: self.units,
            up: if self.keep_axes { Up::AsInFile } else { Up::TurnToZ },
            ..MeshOptions::default()
        }
    }

    pub(crate) fn metres_per_unit(self) -> Option<f64> {
        self.units
    }
}

fn metres(name: &str) -> Result<f64, String> {
    Ok(match name {
        "m" => 1.0,
        "cm" => 0.01,
        "mm" => 1e-3,
        "um" => 1e-6,
        "in" => 0.0254,
        "ft" => 0.3048,
        _ => return Err("known units are m, cm, mm, um, in and ft".into()),
    })
}
