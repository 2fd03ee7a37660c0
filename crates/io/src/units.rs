//! Units of numbers in tables.

/// Units for columns that name none: metres in one unit of length, radians in one of angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// Metres.
    pub metres: f64,
    /// Radians.
    pub radians: f64,
}

impl Default for Units {
    fn default() -> Self {
        Self { metres: 1.0, radians: 1.0 }
    }
}

/// A unit, by what it measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// So many metres.
    Metres(f64),
    /// So many radians.
    Radians(f64),
}

impl Unit {
    /// The unit of a name: m, cm, mm, um, in, ft, rad or deg.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "m" => Self::Metres(1.0),
            "cm" => Self::Metres(0.01),
            "mm" => Self::Metres(1e-3),
            "um" => Self::Metres(1e-6),
            "in" => Self::Metres(0.0254),
            "ft" => Self::Metres(0.3048),
            "rad" => Self::Radians(1.0),
            "deg" => Self::Radians(std::f64::consts::PI / 180.0),
            _ => return None,
        })
    }
}

/// A column's name without the suffix that says its unit: `x_mm` is `x` in millimetres.
pub(crate) fn without_suffix(name: &str) -> (&str, Option<Unit>) {
    match name.rsplit_once('_').and_then(|(bare, unit)| Some((bare, Unit::named(unit)?))) {
        Some((bare, unit)) => (bare, Some(unit)),
        None => (name, None),
    }
}
