//! The feasible map as a picture: points across, rotation up.

use super::Plotted;
use super::letters::{ADVANCE, write};
use super::table::{MapTable, TableCell};
use crate::png::Picture;
use kansho_plan::cam::State;

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

/// The first colour of a pair.
const OF_PAIRS: u8 = 6;

/// Which colour every cell has, and what colours mean: the same for all who show a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapColours {
    /// Red, green and blue.
    pub palette: Vec<[u8; 3]>,
    /// Colours and what they stand for, with their part of all cells.
    pub legend: Vec<(u8, String)>,
    /// Of each pair of the map, its colour.
    of_pairs: Vec<u8>,
}

impl MapColours {
    /// The most frequent pairs have colours of their own.
    #[must_use]
    pub fn of(map: &MapTable) -> Self {
        let mut counts = vec![0_usize; map.pairs.len()];
        map.cells().iter().filter_map(TableCell::pair).for_each(|pair| counts[pair] += 1);
        let mut pairs: Vec<usize> = (0..counts.len()).collect();
        pairs.sort_by_key(|pair| (std::cmp::Reverse(counts[*pair]), &map.pairs[*pair]));
        let mut of_pairs = vec![OF_PAIRS + PAIRS as u8; counts.len()];
        pairs.iter().zip(OF_PAIRS..).take(PAIRS).for_each(|(pair, colour)| of_pairs[*pair] = colour);
        let legend = legend(map, &pairs, &counts);
        Self { palette: PALETTE.to_vec(), legend, of_pairs }
    }

    /// The colour of a cell.
    #[must_use]
    pub fn colour(&self, cell: &TableCell) -> u8 {
        match cell.state {
            State::Free => 2,
            State::OutOfReach => 3,
            State::Limit => 4,
            State::Unknown => 5,
            State::Collides => cell.pair().map_or(OF_PAIRS + PAIRS as u8, |pair| self.of_pairs[pair]),
        }
    }
}

/// Draws it. Where several points share a column, the one is shown that is least free.
pub(super) fn draw(plotted: &Plotted<'_>) -> Vec<u8> {
    let map = &MapTable::of(plotted);
    let colours = MapColours::of(map);
    let rotations = plotted.rotations_deg.len();
    let points = map.points();
    let shared = points.div_ceil(WIDEST);
    let columns = points.div_ceil(shared);
    let (wide, high) = (LEAST.div_ceil(columns).min(24), LEAST.div_ceil(rotations).clamp(1, 24));
    let high = if rotations >= 180 { (LEAST / rotations).max(1) } else { high };
    let (width, height) = (columns * wide, rotations * high);
    let mut legend = colours.legend.clone();
    if !plotted.path.is_empty() {
        legend.push((INK, "the path".into()));
    }
    let lines = legend.len();
    let full_width = (LEFT + width + 20)
        .max(LEFT + 20 + legend.iter().map(|l| l.1.len() * ADVANCE * 2 + 40).max().unwrap_or(0));
    let mut picture = Picture::new(full_width, TOP + height + BELOW + lines * LINE + 12, PALETTE.to_vec());
    for column in 0..columns {
        let of_column = column * shared..((column + 1) * shared).min(points);
        for rotation in 0..rotations {
            // All tilts together: free if one is.
            let cells = of_column.clone().map(|point| map.best(point, rotation).1);
            let cell = cells.min_by_key(|cell| cell.state).expect("a column has a point");
            let place = [LEFT + column * wide, TOP + height - (rotation + 1) * high];
            picture.fill(place, [wide, high], colours.colour(cell));
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

/// `pairs` are numbers of pairs, the most frequent first.
fn legend(map: &MapTable, pairs: &[usize], counts: &[usize]) -> Vec<(u8, String)> {
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
    for (pair, colour) in pairs.iter().take(PAIRS).zip(OF_PAIRS..) {
        lines.push((colour, format!("collides: {} {}", map.pairs[*pair], percent(counts[*pair]))));
    }
    let others: usize = pairs.iter().skip(PAIRS).map(|pair| counts[*pair]).sum();
    if others > 0 {
        lines.push((OF_PAIRS + PAIRS as u8, format!("collides: other pairs {}", percent(others))));
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
