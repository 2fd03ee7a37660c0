//! The feasible map as a picture: points across, rotation up.

use super::Plotted;
use super::letters::{ADVANCE, write};
use super::palette::Picture;
use kansho_check::scene::PairId;
use kansho_plan::cam::{FeasibleMap, MapCell, State};
use std::collections::BTreeMap;

/// Around the map, in pixels.
const LEFT: usize = 60;
const TOP: usize = 12;
const BELOW: usize = 34;
const LINE: usize = 24;

/// Widest map, in pixels; longer paths show several points in a column.
const WIDEST: usize = 4000;
/// A map is made at least so wide and high, by larger cells.
const LEAST: usize = 720;

/// Pairs with a colour of their own.
const PAIRS: usize = 6;

const PALETTE: [[u8; 3]; 13] = [
    [255, 255, 255], // Paper.
    [0, 0, 0],       // Ink, and the path.
    [119, 189, 119], // Free.
    [200, 200, 205], // Out of reach.
    [240, 210, 90],  // Limits.
    [90, 90, 90],    // Unknown.
    [198, 60, 52],   // Pairs, the most frequent first.
    [230, 126, 60],
    [142, 76, 160],
    [70, 105, 185],
    [170, 110, 70],
    [215, 110, 160],
    [150, 25, 25], // All other pairs.
];
const INK: u8 = 1;

/// Draws it. Where several points share a column, the one is shown that is least free.
pub(super) fn draw(plotted: &Plotted<'_>) -> Vec<u8> {
    let map = plotted.map;
    let rotations = plotted.rotations_deg.len();
    let mut counts: BTreeMap<PairId, usize> = BTreeMap::new();
    map.cells().iter().filter_map(MapCell::pair).for_each(|pair| *counts.entry(pair).or_default() += 1);
    let mut pairs: Vec<(PairId, usize)> = counts.into_iter().collect();
    pairs.sort_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair));
    let colour = |cell: &MapCell| match cell.state {
        State::Free => 2,
        State::OutOfReach => 3,
        State::Limit => 4,
        State::Unknown => 5,
        State::Collides => {
            let place = pairs.iter().position(|(pair, _)| Some(*pair) == cell.pair()).unwrap_or(PAIRS);
            6 + place.min(PAIRS) as u8
        }
    };
    let points = map.points();
    let shared = points.div_ceil(WIDEST);
    let columns = points.div_ceil(shared);
    let (wide, high) = (LEAST.div_ceil(columns).min(24), LEAST.div_ceil(rotations).clamp(1, 24));
    let high = if rotations >= 180 { (LEAST / rotations).max(1) } else { high };
    let (width, height) = (columns * wide, rotations * high);
    let legend = legend(plotted, &pairs);
    let lines = legend.len();
    let full_width = (LEFT + width + 20)
        .max(LEFT + 20 + legend.iter().map(|l| l.1.len() * ADVANCE * 2 + 40).max().unwrap_or(0));
    let mut picture = Picture::new(full_width, TOP + height + BELOW + lines * LINE + 12, PALETTE.to_vec());
    for column in 0..columns {
        let of_column = column * shared..((column + 1) * shared).min(points);
        for rotation in 0..rotations {
            // All tilts together: free if one is.
            let best = |point: usize| {
                let cells = map.point(point).iter().skip(rotation).step_by(rotations);
                cells.max_by_key(|cell| cell.state).expect("a stance has a cell")
            };
            let cell =
                of_column.clone().map(best).min_by_key(|cell| cell.state).expect("a column has a point");
            let place = [LEFT + column * wide, TOP + height - (rotation + 1) * high];
            picture.fill(place, [wide, high], colour(cell));
        }
    }
    for &(point, stance) in &plotted.path {
        let (column, rotation) = (point / shared, stance % rotations);
        let place = [LEFT + column * wide, TOP + height - (rotation + 1) * high];
        picture.fill(place, [wide.max(1), high.max(2)], INK);
    }
    axes(&mut picture, plotted, [columns, wide, shared], high);
    for (k, (colour, words)) in legend.iter().enumerate() {
        let y = TOP + height + BELOW + k * LINE;
        picture.fill([LEFT, y], [26, 14], *colour);
        write(&mut picture, [LEFT + 36, y + 2], 2, INK, words);
    }
    picture.to_png()
}

fn legend(plotted: &Plotted<'_>, pairs: &[(PairId, usize)]) -> Vec<(u8, String)> {
    let map: &FeasibleMap = plotted.map;
    let whole = map.cells().len().max(1) as f64;
    let percent = |count: usize| format!("{:.1} %", 100.0 * count as f64 / whole);
    let count = |state: State| map.cells().iter().filter(|cell| cell.state == state).count();
    let mut lines = vec![(2, format!("free {}", percent(count(State::Free))))];
    for (state, colour, words) in [
        (State::OutOfReach, 3, "out of reach"),
        (State::Limit, 4, "joint limits"),
        (State::Unknown, 5, "not looked at"),
    ] {
        if count(state) > 0 {
            lines.push((colour, format!("{words} {}", percent(count(state)))));
        }
    }
    for (k, (pair, count)) in pairs.iter().take(PAIRS).enumerate() {
        lines.push((6 + k as u8, format!("collides: {} {}", (plotted.pair_name)(*pair), percent(*count))));
    }
    let others: usize = pairs.iter().skip(PAIRS).map(|(_, count)| count).sum();
    if others > 0 {
        lines.push((6 + PAIRS as u8, format!("collides: other pairs {}", percent(others))));
    }
    if !plotted.path.is_empty() {
        lines.push((INK, "the path".into()));
    }
    lines
}

/// Numbers of points below, rotations at the left.
fn axes(picture: &mut Picture, plotted: &Plotted<'_>, [columns, wide, shared]: [usize; 3], high: usize) {
    let rotations = plotted.rotations_deg.len();
    let bottom = TOP + rotations * high;
    let rotation_step =
        [1, 2, 5, 10, 15, 30, 45, 90].into_iter().find(|s| s * high >= 45 || rotations / s <= 8);
    for rotation in (0..rotations).step_by(rotation_step.unwrap_or(90)) {
        let y = bottom - rotation * high - high.div_ceil(2);
        picture.fill([LEFT - 6, y], [6, 1], INK);
        let words = format!("{:.0}", plotted.rotations_deg[rotation]);
        let x = (LEFT - 10).saturating_sub(words.len() * ADVANCE * 2);
        write(picture, [x, y.saturating_sub(5)], 2, INK, &words);
    }
    let steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
    let step = steps.into_iter().find(|step| step * wide >= 100 * shared).unwrap_or(20_000);
    for point in (0..columns * shared).step_by(step) {
        let x = LEFT + point / shared * wide;
        picture.fill([x, bottom], [1, 6], INK);
        write(picture, [x, bottom + 10], 2, INK, &point.to_string());
    }
}
