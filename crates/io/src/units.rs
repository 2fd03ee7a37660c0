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

/// A length in metres with six digits behind the point, or three in all if it is small, that is no larger.
#[must_use]
pub fn below(metres: f64) -> String {
    if !(metres > 0.0) {
        return "0".into();
    }
    if metres >= 1e-5 {
        return format!("{:.6}", (metres * 1e6).floor() * 1e-6);
    }
    let last = 10f64.powf(metres.log10().floor() - 2.0);
    // What was rounded up by printing is one less.
    let shown = |digits: f64| format!("{:.2e}", (digits * last).max(0.0));
    let digits = (metres / last).floor();
    match shown(digits).parse::<f64>() {
        Ok(value) if value <= metres => shown(digits),
        _ => shown(digits - 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn bounds_are_never_shown_larger() {
        let mut x = 3.7e-13;
        while x < 2.0 {
            let shown: f64 = below(x).parse().expect("a number");
            assert!(shown <= x && shown >= 0.98 * x - 1e-6 * f64::from(x >= 1e-5), "{x} {shown}");
            x *= 1.0137;
        }
        assert_eq!([0.0, -1.0, f64::NAN, 1e-6, 9.999e-7].map(below), ["0", "0", "0", "1.00e-6", "9.99e-7"]);
    }
}
