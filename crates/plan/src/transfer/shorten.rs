//! The same way with less of a detour.

use super::prover::{Prover, Stop};
use super::space::Space;
use kansho_geom::random::Random;

/// What a shortcut must save to be looked at, as a fraction of what it replaces: proofs take time.
const WORTH: f64 = 0.02;

/// Makes a way shorter by a number of lines that are tried, all proven.
///
/// By turns a line between two places of the way anywhere on it, and one coordinate that goes directly between two places while the others
/// stay as they are. Before that, points that can be left out are.
pub(super) fn shorten(
    space: &Space,
    postures: &mut Vec<Vec<f64>>,
    tries: usize,
    random: &mut Random,
    prover: &mut Prover<'_, '_>,
) -> Result<(), Stop> {
    let mut left = tries;
    leave_out(space, postures, &mut left, prover)?;
    // What saves too little costs no proof, but chances are limited as well.
    for _ in 0..4 * tries {
        if left == 0 || postures.len() < 3 {
            break;
        }
        between(space, postures, &mut left, random, prover)?;
        prover.in_time()?;
    }
    leave_out(space, postures, &mut left, prover)
}

/// Leaves out points between two that see each other, far ones first.
fn leave_out(
    space: &Space,
    postures: &mut Vec<Vec<f64>>,
    left: &mut usize,
    prover: &mut Prover<'_, '_>,
) -> Result<(), Stop> {
    let mut at = 0;
    while at + 2 < postures.len() {
        let mut to = postures.len() - 1;
        while to > at + 1 && *left > 0 {
            *left -= 1;
            let mut end = Vec::new();
            space.toward(&postures[at], &postures[to], 1.0, &mut end);
            if prover.is_free(space, &postures[at], &end)? {
                postures.drain(at + 1..to);
                space.unwind(postures);
                break;
            }
            // Halfway back, so that long ways do not take all tries.
            to = at + 1 + (to - at - 1) / 2;
        }
        at += 1;
    }
    Ok(())
}

/// A place on a way: after how many points, and how far along the next line.
fn place(space: &Space, postures: &[Vec<f64>], length: f64) -> (usize, f64) {
    let mut left = length;
    for (k, pair) in postures.windows(2).enumerate() {
        let line = space.distance(&pair[0], &pair[1]);
        if left < line || k + 2 == postures.len() {
            return (k, if line > 0.0 { (left / line).clamp(0.0, 1.0) } else { 0.0 });
        }
        left -= line;
    }
    (0, 0.0)
}

/// A line between two places of the way.
fn between(
    space: &Space,
    postures: &mut Vec<Vec<f64>>,
    left: &mut usize,
    random: &mut Random,
    prover: &mut Prover<'_, '_>,
) -> Result<(), Stop> {
    let whole = space.length(postures);
    let (a, b) = (random.fraction() * whole, random.fraction() * whole);
    let ((i, u), (j, v)) = (place(space, postures, a.min(b)), place(space, postures, a.max(b)));
    let coordinate = random.below(2 * space.count());
    if i == j {
        return Ok(());
    }
    let (mut from, mut to) = (Vec::new(), Vec::new());
    space.toward(&postures[i], &postures[i + 1], u, &mut from);
    space.toward(&postures[j], &postures[j + 1], v, &mut to);
    let mut new = vec![from];
    if coordinate < space.count() {
        // All others keep their places; this one goes evenly by the way of the whole, so that all lines stay lines.
        let mut gone = space.distance(&new[0], &postures[i + 1]);
        let mut at = vec![gone];
        for k in i + 1..j {
            gone += space.distance(&postures[k], &postures[k + 1]);
            at.push(gone);
        }
        gone += space.distance(&postures[j], &to);
        for (k, at) in (i + 1..=j).zip(at) {
            let mut posture = postures[k].clone();
            let part = if gone > 0.0 { at / gone } else { 0.0 };
            posture[coordinate] = space.toward_value(coordinate, new[0][coordinate], to[coordinate], part);
            new.push(posture);
        }
    }
    new.push(to);
    space.unwind(&mut new);
    let mut old = vec![new[0].clone()];
    old.extend(postures[i + 1..=j].iter().cloned());
    old.push(new[new.len() - 1].clone());
    if !(space.length(&new) < (1.0 - WORTH) * space.length(&old)) {
        return Ok(());
    }
    for pair in new.windows(2) {
        if *left == 0 {
            return Ok(());
        }
        *left -= 1;
        if !prover.is_free(space, &pair[0], &pair[1])? {
            return Ok(());
        }
    }
    // The ends of the way stay what they are, also where a place is an end.
    if u == 0.0 {
        new.remove(0);
    }
    if v == 1.0 {
        new.pop();
    }
    postures.splice(i + 1..=j, new);
    space.unwind(postures);
    Ok(())
}
