//! Joints outside their limits, as people read it: which joint, where it is, and what its limits are, in degrees or millimetres.

use crate::fault::{Fault, ReadError};
use kansho_cell::{Cell, Coordinate, Limits, Quantity};
use std::path::Path;

/// What a motion that leaves limits may be told to do all the same.
pub(crate) const HELP: &str = "⟦allow-outside-limits⟧ checks the motion all the same";

/// An angle in degrees or a length in millimetres, with its unit.
#[must_use]
pub fn shown(quantity: Quantity, value: f64) -> String {
    let (number, unit) = match quantity {
        Quantity::Angle => (value.to_degrees(), "deg"),
        Quantity::Length => (value * 1e3, "mm"),
    };
    format!("{} {unit}", digits(number))
}

/// A number with four digits behind the point at most. What is out by less than that is shown with all digits.
fn digits(number: f64) -> String {
    let rounded = (number * 1e4).round() / 1e4;
    if rounded.is_finite() { format!("{rounded}") } else { format!("{number}") }
}

/// A range, with its unit.
fn range(quantity: Quantity, limits: Limits) -> String {
    let number = |value: f64| match quantity {
        Quantity::Angle => digits(value.to_degrees()),
        Quantity::Length => digits(value * 1e3),
    };
    format!("{} to {}", number(limits.lower), shown(quantity, limits.upper))
}

/// That a coordinate is outside its limits; none if it is not.
pub(crate) fn outside(coordinate: &Coordinate, value: f64) -> Option<String> {
    let limits = coordinate.limits.filter(|limits| !limits.contain(value))?;
    let quantity = coordinate.quantity;
    let by = (value - limits.upper).max(limits.lower - value);
    Some(format!(
        "\"{}\" is at {}, {} outside its limits of {}",
        coordinate.full_name(),
        shown(quantity, value),
        small(quantity, by),
        range(quantity, limits)
    ))
}

/// By how much: with digits enough that it is not shown as nothing.
fn small(quantity: Quantity, by: f64) -> String {
    let text = shown(quantity, by);
    if text.starts_with("0 ") {
        let (number, unit) = match quantity {
            Quantity::Angle => (by.to_degrees(), "deg"),
            Quantity::Length => (by * 1e3, "mm"),
        };
        format!("{number:.1e} {unit}")
    } else {
        text
    }
}

/// That a coordinate leaves its limits between two postures that keep them, where it is farthest out.
pub(crate) fn leaves(coordinate: &Coordinate, [low, high]: [f64; 2]) -> Option<String> {
    let limits = coordinate.limits.filter(|limits| !limits.contain(low) || !limits.contain(high))?;
    let worst = if high - limits.upper > limits.lower - low { high } else { low };
    Some(format!(
        "\"{}\" gets to {}, outside its limits of {}",
        coordinate.full_name(),
        shown(coordinate.quantity, worst),
        range(coordinate.quantity, limits)
    ))
}

/// Refuses what is outside limits, unless that is allowed.
///
/// # Errors
/// Every coordinate that leaves its limits, with its place.
pub fn refuse(path: &Path, outside: &[Fault], allowed: bool) -> Result<(), ReadError> {
    if allowed || outside.is_empty() {
        return Ok(());
    }
    let with_help = |fault: &Fault| match fault.help {
        None => fault.clone().with_help(HELP),
        Some(_) => fault.clone(),
    };
    Err(ReadError { path: path.to_owned(), faults: outside.iter().map(with_help).collect() })
}

/// Names of the coordinates of postures that are outside their limits, each once, in the cell's order.
#[must_use]
pub fn names_outside(cell: &Cell, postures: &[&[f64]]) -> Vec<String> {
    let mut found: Vec<usize> = postures.iter().flat_map(|posture| cell.outside_limits(posture)).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|index| cell.coordinates()[index].full_name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_degrees_and_millimetres() {
        assert_eq!(shown(Quantity::Angle, std::f64::consts::PI), "180 deg");
        assert_eq!(shown(Quantity::Length, 0.01234567), "12.3457 mm");
        assert_eq!(small(Quantity::Angle, 1e-9), "5.7e-8 deg");
        let limits = Limits { lower: -1.0, upper: 0.5 };
        assert_eq!(range(Quantity::Length, limits), "-1000 to 500 mm");
    }
}
