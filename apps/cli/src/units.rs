use clap::Args;
use kansho::io::mesh::{MeshOptions, Up};
use kansho::io::units::{Unit, Units};

/// How the numbers of a file are meant.
#[derive(Args, Clone, Copy)]
pub(crate) struct UnitArguments {
    /// Units of the numbers in the file, whatever the file says: m, cm, mm, um, in, ft, rad, deg; a length, an angle, or
    /// both as in mm,deg
    #[arg(long, value_name = "UNITS", value_parser = given)]
    units: Option<Given>,

    /// Turn COLLADA and glTF files that have another axis up so that Z is; otherwise coordinates are used as they stand
    #[arg(long)]
    z_up: bool,

    /// Use coordinates as they stand, whatever axis the file says is up: the default
    #[arg(long, hide = true, conflicts_with = "z_up")]
    keep_axes: bool,
}

/// How the numbers of a table are meant where its header does not say.
#[derive(Args, Clone, Copy)]
pub(crate) struct TableUnits {
    /// Units of columns whose name has no suffix such as _deg: a length (m, cm, mm, um, in, ft), an angle (rad, deg), or both as
    /// in mm,deg
    #[arg(long, value_name = "UNITS", value_parser = given)]
    units: Option<Given>,
}

impl TableUnits {
    pub(crate) fn units(self) -> Units {
        of_table(self.units)
    }
}

fn of_table(given: Option<Given>) -> Units {
    let (given, default) = (given.unwrap_or_default(), Units::default());
    Units {
        metres: given.metres.unwrap_or(default.metres),
        radians: given.radians.unwrap_or(default.radians),
    }
}

/// Units that were named.
#[derive(Clone, Copy, Default)]
struct Given {
    metres: Option<f64>,
    radians: Option<f64>,
}

impl UnitArguments {
    /// Of the columns of a table.
    pub(crate) fn table_units(self) -> Units {
        of_table(self.units)
    }

    pub(crate) fn mesh_options(self) -> MeshOptions {
        MeshOptions {
            metres_per_unit: self.metres_per_unit(),
            up: if self.z_up && !self.keep_axes { Up::TurnToZ } else { Up::AsInFile },
            ..MeshOptions::default()
        }
    }

    pub(crate) fn metres_per_unit(self) -> Option<f64> {
        self.units.and_then(|given| given.metres)
    }
}

fn given(list: &str) -> Result<Given, String> {
    let mut given = Given::default();
    for name in list.split(',') {
        let (slot, value) = match Unit::named(name.trim()) {
            Some(Unit::Metres(metres)) => (&mut given.metres, metres),
            Some(Unit::Radians(radians)) => (&mut given.radians, radians),
            None => return Err("known units are m, cm, mm, um, in, ft, rad and deg".into()),
        };
        if slot.replace(value).is_some() {
            return Err("one unit of length and one of angle at most".into());
        }
    }
    Ok(given)
}

/// A length in metres, zero or more.
pub(crate) fn length(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|metres| *metres >= 0.0 && *metres < 1e6)
        .ok_or_else(|| "a length of zero or more".into())
}
