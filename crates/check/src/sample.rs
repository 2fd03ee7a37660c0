//! Postures all over the range of a cell, the same every time.

use kansho_cell::{Cell, Quantity};
use kansho_geom::random::Random;
use std::f64::consts::PI;

/// How far a coordinate without limits is taken each way: a whole turn, or a metre.
fn range(quantity: Quantity) -> f64 {
    match quantity {
        Quantity::Angle => PI,
        Quantity::Length => 1.0,
    }
}

/// Postures spread evenly over the limits.
///
/// ```
/// let cell = kansho_cell::builtin::cell();
/// let postures: Vec<Vec<f64>> = kansho_check::sample::postures(&cell).take(3).collect();
/// assert!(postures.iter().all(|posture| cell.outside_limits(posture).next().is_none()));
/// ```
pub fn postures(cell: &Cell) -> impl Iterator<Item = Vec<f64>> {
    let ranges: Vec<[f64; 2]> = cell
        .coordinates()
        .iter()
        .map(|coordinate| match coordinate.limits {
            Some(limits) => [limits.lower, limits.upper],
            None => [-range(coordinate.quantity), range(coordinate.quantity)],
        })
        .collect();
    let mut random = Random::new(0x6b61_6e73_686f);
    std::iter::repeat_with(move || {
        ranges.iter().map(|[low, high]| (low + (high - low) * random.fraction()).clamp(*low, *high)).collect()
    })
}
