//! Places of a job, as a table and a picture.

use super::letters::{ADVANCE, write};
use crate::fault::{Fault, ReadError};
use crate::png::Picture;
use kansho_plan::cam::Placed;
use kansho_plan::job::{PLACE_AXES, PlaceGrid, Placement};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const HEADER: &str = "number,x,y,z,turn_deg,blocked_points,free_stances,gap,job";

/// Rows, one for each place that was looked at; lengths in metres.
#[must_use]
pub fn placements_csv(grid: &PlaceGrid, rows: &BTreeMap<usize, Placed>, key: &str) -> Vec<u8> {
    let places: Vec<Placement> = grid.places().collect();
    let mut text = format!("{HEADER}\n");
    for (number, placed) in rows {
        let Placement { by, turn } = places[*number];
        let _ = writeln!(
            text,
            "{number},{},{},{},{},{},{},{},{key}",
            tidy(by.x),
            tidy(by.y),
            tidy(by.z),
            tidy(turn.to_degrees()),
            placed.blocked,
            placed.stances,
            placed.gap.map_or(String::new(), |gap| gap.to_string()),
        );
    }
    text.into_bytes()
}

/// Reads rows of the same job and box.
///
/// # Errors
/// Lines that are no such rows, or are of another job.
pub fn read_placements(
    path: &Path,
    grid: &PlaceGrid,
    key: &str,
) -> Result<BTreeMap<usize, Placed>, ReadError> {
    let fail = |what: String| ReadError { path: path.to_owned(), faults: vec![Fault::of_file(what)] };
    let bytes = crate::load::bytes_of(path).map_err(fail)?;
    let text = String::from_utf8(bytes).map_err(|_| fail("this is no text".into()))?;
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Err(fail(format!("no placements: the first line is not {HEADER}")));
    }
    let count: usize = grid.counts().iter().product();
    let mut rows = BTreeMap::new();
    for (k, line) in lines.enumerate() {
        let words: Vec<&str> = line.split(',').collect();
        let row = || -> Option<(usize, Placed)> {
            let [number, _, _, _, _, blocked, stances, gap, _] = words[..] else { return None };
            let number = number.parse().ok().filter(|number| *number < count)?;
            let gap = match gap {
                "" => None,
                gap => Some(gap.parse().ok().filter(|gap: &f64| *gap >= 0.0)?),
            };
            Some((number, Placed { blocked: blocked.parse().ok()?, stances: stances.parse().ok()?, gap }))
        };
        if words.last() != Some(&key) && words.len() == 9 {
            return Err(fail(format!("line {}: this is of another job or another box of places", k + 2)));
        }
        let (number, placed) = row().ok_or_else(|| fail(format!("line {}: this is no placement", k + 2)))?;
        rows.insert(number, placed);
    }
    Ok(rows)
}

const CELL: usize = 36;
const LEFT: usize = 110;
const TOP: usize = 14;
const LINE: usize = 24;
/// Shades of free places.
const SHADES: usize = 12;
const INK: u8 = 1;
const UNKNOWN: u8 = 2;
const BLOCKED: u8 = 3;
const NO_WAY: u8 = 4;
const FREE: u8 = 5;

/// The first two directions of the box that have several places across and up; of the others the best is shown. Darker green is more room.
#[must_use]
pub fn placements_png(grid: &PlaceGrid, rows: &BTreeMap<usize, Placed>, best: Option<usize>) -> Vec<u8> {
    let counts = grid.counts();
    let mut shown = (0..4).filter(|axis| counts[*axis] > 1);
    let across = shown.next().unwrap_or(0);
    let up = shown.next().unwrap_or(if across == 1 { 0 } else { 1 });
    let gaps = || rows.values().filter_map(|placed| placed.gap);
    let [least, most] = [gaps().fold(f64::INFINITY, f64::min), gaps().fold(0.0, f64::max)];
    let span = (most - least).max(1e-9);
    let mut palette = vec![[255, 255, 255], [0, 0, 0], [200, 200, 205], [198, 60, 52], [240, 210, 90]];
    for shade in 0..SHADES {
        let dark = shade as f64 / (SHADES - 1) as f64;
        let mix = |light: f64, full: f64| (light + dark * (full - light)) as u8;
        palette.push([mix(205.0, 20.0), mix(235.0, 110.0), mix(205.0, 50.0)]);
    }
    // What is better is larger.
    let rank = |placed: &Placed| (placed.gap.is_some(), placed.gap, -(placed.blocked as f64));
    let mut cells: BTreeMap<[usize; 2], Placed> = BTreeMap::new();
    for (number, placed) in rows {
        let steps = grid.steps(*number);
        let cell = cells.entry([steps[across], steps[up]]).or_insert(*placed);
        if rank(placed) > rank(cell) {
            *cell = *placed;
        }
    }
    let (wide, high) = (counts[across], counts[up]);
    let mut legend = Vec::new();
    if gaps().next().is_some() {
        legend.push((FREE + SHADES as u8 - 1, format!("a way, with a least gap of {:.2} mm", 1e3 * most)));
        legend.push((FREE, format!("a way, with a least gap of {:.2} mm", 1e3 * least)));
    }
    legend.push((NO_WAY, "every point is free in some stance, but no way leads through".to_owned()));
    legend.push((BLOCKED, "points are blocked".to_owned()));
    if rows.len() < counts.iter().product() {
        legend.push((UNKNOWN, "not looked at".to_owned()));
    }
    if best.is_some() {
        legend.push((INK, "the place that was chosen, planned and proven".to_owned()));
    }
    let text = legend.iter().map(|(_, words)| words.len() * ADVANCE * 2 + 60).max().unwrap_or(0);
    let (width, height) =
        ((LEFT + wide * CELL).max(LEFT + text) + 20, TOP + high * CELL + 60 + legend.len() * LINE);
    let mut picture = Picture::new(width, height, palette);
    let corner = |x: usize, y: usize| [LEFT + x * CELL, TOP + (high - 1 - y) * CELL];
    for x in 0..wide {
        for y in 0..high {
            let colour = match cells.get(&[x, y]) {
                None => UNKNOWN,
                Some(placed) if placed.blocked > 0 => BLOCKED,
                Some(Placed { gap: Some(gap), .. }) => {
                    FREE + (((gap - least) / span * SHADES as f64) as usize).min(SHADES - 1) as u8
                }
                Some(_) => NO_WAY,
            };
            picture.fill(corner(x, y), [CELL - 2, CELL - 2], colour);
        }
    }
    if let Some(best) = best {
        let steps = grid.steps(best);
        let [x, y] = corner(steps[across], steps[up]);
        for (place, size) in [
            ([x, y], [CELL - 2, 3]),
            ([x, y + CELL - 5], [CELL - 2, 3]),
            ([x, y], [3, CELL - 2]),
            ([x + CELL - 5, y], [3, CELL - 2]),
        ] {
            picture.fill(place, size, INK);
        }
    }
    let value = |axis: usize, step: usize| {
        let value = grid.value(axis, step);
        if axis == 3 { format!("{:.0}", value.to_degrees()) } else { format!("{:.0}", 1e3 * value) }
    };
    let unit = |axis: usize| format!("{}, {}", PLACE_AXES[axis], if axis == 3 { "deg" } else { "mm" });
    let every = |count: usize, room: usize| (room.div_ceil(CELL)).max(1).min(count);
    for x in (0..wide).step_by(every(wide, 60)) {
        write(&mut picture, [LEFT + x * CELL, TOP + high * CELL + 4], 2, INK, &value(across, x));
    }
    for y in (0..high).step_by(every(high, 20)) {
        let words = value(up, y);
        let left = (LEFT - 8).saturating_sub(words.len() * ADVANCE * 2);
        write(&mut picture, [left, corner(0, y)[1] + 12], 2, INK, &words);
    }
    write(&mut picture, [LEFT, TOP + high * CELL + 24], 2, INK, &unit(across));
    if counts[up] > 1 {
        write(&mut picture, [2, TOP], 2, INK, &unit(up));
    }
    for (k, (colour, words)) in legend.iter().enumerate() {
        let y = TOP + high * CELL + 50 + k * LINE;
        picture.fill([LEFT, y], [26, 14], *colour);
        write(&mut picture, [LEFT + 36, y + 2], 2, INK, words);
    }
    picture.to_png()
}

/// Without the last digits, and without the sign of nothing.
fn tidy(value: f64) -> f64 {
    (value * 1e9).round() / 1e9 + 0.0
}
