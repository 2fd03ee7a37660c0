//! Joints outside their limits, as people read it: which joint, where it is, and what its limits are, in degrees or millimetres.

use crate::fault::{Fault, ReadError};
use kansho_cell::{Cell, Coordinate, Follower, Joint, JointKind, Limits, Quantity};
use std::path::Path;

/// What a motion that leaves limits may be told to do all the same.
pub(crate) const HELP: &str = "⟦allow-outside-limits⟧ checks the motion all the same";

/// What a joint of one coordinate is measured in.
pub(crate) fn quantity(joint: &Joint) -> Quantity {
    match joint.kind {
        JointKind::Prismatic { .. } => Quantity::Length,
        _ => Quantity::Angle,
    }
}

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

/// What of a posture is outside its limits: coordinates, and joints that follow them beyond their own.
pub(crate) fn all_outside(cell: &Cell, posture: &[f64]) -> Vec<Outside> {
    let of_coordinate = |index: usize| {
        let coordinate = &cell.coordinates()[index];
        let limits = coordinate.limits?;
        let what = outside(coordinate, posture[index])?;
        Some(Outside {
            is_far: coordinate.quantity == Quantity::Angle && is_far(posture[index], limits),
            what,
        })
    };
    let of_follower = |follower: &Follower| {
        let value = follower.value(posture[follower.coordinate]);
        follower
            .is_outside(value)
            .then(|| Outside { is_far: false, what: follower_outside(cell, follower, value) })
    };
    let coordinates = cell.outside_limits(posture).filter_map(of_coordinate);
    coordinates.chain(cell.followers().iter().filter_map(of_follower)).collect()
}

/// A joint that is outside its limits.
pub(crate) struct Outside {
    /// Whether it is so far out that other units may be meant.
    pub(crate) is_far: bool,
    /// In words.
    pub(crate) what: String,
}

/// Whether an angle is more than half a turn beyond its limits, which is rarely meant.
pub(crate) fn is_far(value: f64, limits: Limits) -> bool {
    (value - limits.upper).max(limits.lower - value) > std::f64::consts::PI
}

/// That a joint that follows another is outside its own limits.
pub(crate) fn follower_outside(cell: &Cell, follower: &Follower, value: f64) -> String {
    let Follower { quantity, limits, .. } = *follower;
    let by = (value - limits.upper).max(limits.lower - value);
    format!(
        "\"{}\", which follows \"{}\", is at {}, {} outside its limits of {}",
        follower.full_name(),
        cell.coordinates()[follower.coordinate].full_name(),
        shown(quantity, value),
        small(quantity, by),
        range(quantity, limits)
    )
}

/// Followers that leave their limits between two postures, where a coordinate is in a range, and that keep them at both ends.
pub(crate) fn follower_leaves(
    cell: &Cell,
    follower: &Follower,
    [low, high]: [f64; 2],
    ends: [f64; 2],
) -> Option<String> {
    let beyond = |value: f64| (value - follower.limits.upper).max(follower.limits.lower - value);
    if ends.into_iter().any(|end| follower.is_outside(follower.value(end))) {
        return None;
    }
    let [low, high] = [low, high].map(|value| follower.value(value));
    let worst = if beyond(high) > beyond(low) { high } else { low };
    follower.is_outside(worst).then(|| follower_outside(cell, follower, worst))
}

/// How far apart two values of a joint are, with digits enough.
pub(crate) fn apart(quantity: Quantity, a: f64, b: f64) -> String {
    small(quantity, (a - b).abs())
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
        Some(ref help) => fault.clone().with_help(format!("{help}; {HELP}")),
    };
    Err(ReadError { path: path.to_owned(), faults: outside.iter().map(with_help).collect() })
}

/// Names of the joints of postures that are outside their limits, each once, in the cell's order, those that follow others last.
#[must_use]
pub fn names_outside(cell: &Cell, postures: &[&[f64]]) -> Vec<String> {
    let mut found: Vec<usize> = postures.iter().flat_map(|posture| cell.outside_limits(posture)).collect();
    found.sort_unstable();
    found.dedup();
    let leaves = |follower: &&Follower| {
        let values = postures.iter().map(|posture| follower.value(posture[follower.coordinate]));
        values.into_iter().any(|value| follower.is_outside(value))
    };
    let followers = cell.followers().iter().filter(leaves);
    let coordinates = found.into_iter().map(|index| cell.coordinates()[index].full_name());
    coordinates.chain(followers.map(Follower::full_name)).collect()
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
