//! The map as a table in memory, whether it was just made or was read from `map.csv`; and the path, from `path.csv`.

use super::Plotted;
use crate::fault::{Fault, Place, ReadError};
use crate::load::bytes_of;
use kansho_cell::Cell;
use kansho_check::scene::PairId;
use kansho_plan::cam::State;
use std::collections::HashMap;
use std::path::Path;

/// No pair.
const NONE: u16 = u16::MAX;

/// A cell of the map: what holds there, and if something collides, what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableCell {
    /// What holds.
    pub state: State,
    pair: u16,
}

impl TableCell {
    /// The pair that collides in every branch, as a number of [`MapTable::pairs`].
    #[must_use]
    pub fn pair(&self) -> Option<usize> {
        (self.pair != NONE).then_some(usize::from(self.pair))
    }
}

/// The feasible map: every point in every stance.
#[derive(Clone, Debug, PartialEq)]
pub struct MapTable {
    /// Rotations of each point, in degrees.
    pub rotations_deg: Vec<f64>,
    /// Names of the pairs that collide somewhere.
    pub pairs: Vec<String>,
    stances: usize,
    cells: Vec<TableCell>,
}

impl MapTable {
    /// Of a map that was made.
    #[must_use]
    pub fn of(plotted: &Plotted<'_>) -> Self {
        let mut known: HashMap<PairId, u16> = HashMap::new();
        let mut pairs = Vec::new();
        let mut number = |pair: PairId| {
            *known.entry(pair).or_insert_with(|| {
                pairs.push((plotted.pair_name)(pair));
                (pairs.len() - 1).min(usize::from(NONE - 1)) as u16
            })
        };
        let cell = |cell: &kansho_plan::cam::MapCell| TableCell {
            state: cell.state,
            pair: cell.pair().map_or(NONE, &mut number),
        };
        let cells = plotted.map.cells().iter().map(cell).collect();
        Self { rotations_deg: plotted.rotations_deg.clone(), pairs, stances: plotted.map.stances(), cells }
    }

    /// How many points.
    #[must_use]
    pub fn points(&self) -> usize {
        self.cells.len() / self.stances.max(1)
    }

    /// How many stances of each: rotations upright, then in the first tilt, ..
    #[must_use]
    pub fn stances(&self) -> usize {
        self.stances
    }

    /// All cells, point after point.
    #[must_use]
    pub fn cells(&self) -> &[TableCell] {
        &self.cells
    }

    /// Which of the stances with a rotation stands for all its tilts: a free one if there is one.
    #[must_use]
    pub fn best(&self, point: usize, rotation: usize) -> (usize, &TableCell) {
        let cells = self.cells[point * self.stances..][..self.stances].iter().enumerate();
        let of_rotation = cells.skip(rotation).step_by(self.rotations_deg.len().max(1));
        // Of equals the first, which is the least tilted.
        of_rotation.rev().max_by_key(|(_, cell)| cell.state).expect("a rotation has a cell")
    }
}

/// Reads a `map.csv` as [`map_csv`](super::map_csv) writes it.
///
/// # Errors
/// It is no such table; the fault names the line.
pub fn read_map(path: &Path) -> Result<MapTable, ReadError> {
    let refuse = |fault: Fault| ReadError { path: path.to_owned(), faults: vec![fault] };
    let bytes = bytes_of(path).map_err(|why| refuse(Fault::of_file(why)))?;
    map_of(&bytes).map_err(refuse)
}

fn map_of(bytes: &[u8]) -> Result<MapTable, Fault> {
    let mut rows = Rows::of(bytes, "map.csv")?;
    let columns = rows.columns(&["point", "rotation_deg", "state", "pair"])?;
    let tilted = rows.header.iter().position(|name| *name == "tilt");
    let mut table = MapTable { rotations_deg: Vec::new(), pairs: Vec::new(), stances: 0, cells: Vec::new() };
    let mut known: HashMap<&str, u16> = HashMap::new();
    // The first point says which stances there are; every other one has the same.
    while let Some(row) = rows.next_row()? {
        let point: usize = row.number(columns[0])?;
        let rotation = row.finite(columns[1])?;
        let tilt: usize = tilted.map_or(Ok(0), |column| row.number(column))?;
        let done = table.cells.len();
        if point == 0 && tilt == 0 && done == table.rotations_deg.len() {
            table.rotations_deg.push(rotation);
        }
        table.stances += usize::from(point == 0 && done == table.stances);
        let (stances, rotations) = (table.stances.max(1), table.rotations_deg.len().max(1));
        let stance = done % stances;
        let wanted = (done / stances, stance / rotations, table.rotations_deg.get(stance % rotations));
        if wanted != (point, tilt, Some(&rotation)) {
            return Err(row.fault("a row for every point and every rotation was expected here, in order"));
        }
        let state = match row.text(columns[2])? {
            "unknown" => State::Unknown,
            "out_of_reach" => State::OutOfReach,
            "limit" => State::Limit,
            "collides" => State::Collides,
            "free" => State::Free,
            other => return Err(row.fault(format!("\"{other}\" is no state of a map"))),
        };
        let name = row.text(columns[3])?;
        let pair = if name.is_empty() {
            NONE
        } else if let Some(pair) = known.get(name) {
            *pair
        } else {
            let number = u16::try_from(table.pairs.len()).ok().filter(|number| *number != NONE);
            let number = number.ok_or_else(|| row.fault("more pairs than are told apart"))?;
            known.insert(name, number);
            table.pairs.push(name.to_owned());
            number
        };
        table.cells.push(TableCell { state, pair });
    }
    if table.cells.is_empty() || !table.cells.len().is_multiple_of(table.stances) {
        return Err(Fault::of_file("the table ends within a point"));
    }
    Ok(table)
}

/// A point of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathRow {
    /// Which stroke, from 0.
    pub stroke: usize,
    /// Which point of the whole work, from 0.
    pub point: usize,
    /// The rotation of the tool, in degrees.
    pub rotation_deg: f64,
    /// Which way of tilting, from 0, which is upright.
    pub tilt: usize,
    /// The posture of the cell.
    pub posture: Vec<f64>,
}

/// Reads a `path.csv` as [`path_csv`](super::path_csv) writes it, for the cell that it was planned in.
///
/// # Errors
/// It is no such table, or of another cell; the fault names the line.
pub fn read_path(path: &Path, cell: &Cell) -> Result<Vec<PathRow>, ReadError> {
    let refuse = |fault: Fault| ReadError { path: path.to_owned(), faults: vec![fault] };
    let bytes = bytes_of(path).map_err(|why| refuse(Fault::of_file(why)))?;
    path_of(&bytes, cell).map_err(refuse)
}

fn path_of(bytes: &[u8], cell: &Cell) -> Result<Vec<PathRow>, Fault> {
    let mut rows = Rows::of(bytes, "path.csv")?;
    let columns = rows.columns(&["stroke", "point", "rotation_deg", "tilt"])?;
    let names: Vec<String> = cell.coordinates().iter().map(|coordinate| coordinate.full_name()).collect();
    let joints = rows.columns(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut path = Vec::new();
    while let Some(row) = rows.next_row()? {
        let posture = joints.iter().map(|column| row.finite(*column)).collect::<Result<_, _>>()?;
        path.push(PathRow {
            stroke: row.number(columns[0])?,
            point: row.number(columns[1])?,
            rotation_deg: row.finite(columns[2])?,
            tilt: row.number(columns[3])?,
            posture,
        });
    }
    Ok(path)
}

/// Rows of a table with a header and plain fields.
struct Rows<'a> {
    header: Vec<&'a str>,
    what: &'static str,
    rest: std::str::Lines<'a>,
    line: usize,
}

impl<'a> Rows<'a> {
    fn of(bytes: &'a [u8], what: &'static str) -> Result<Self, Fault> {
        let text = std::str::from_utf8(bytes).map_err(|_| Fault::of_file("this is no text"))?;
        let mut rest = text.lines();
        let header = rest.next().unwrap_or_default().split(',').collect();
        Ok(Self { header, what, rest, line: 1 })
    }

    fn columns(&self, names: &[&str]) -> Result<Vec<usize>, Fault> {
        let of = |name: &&str| {
            self.header.iter().position(|own| own == name).ok_or_else(|| {
                Fault::of_file(format!(
                    "there is no column \"{name}\", so this is no {} of this job",
                    self.what
                ))
            })
        };
        names.iter().map(of).collect()
    }

    fn next_row(&mut self) -> Result<Option<Row<'a>>, Fault> {
        let Some(text) = self.rest.next() else { return Ok(None) };
        self.line += 1;
        Ok(Some(Row { text, fields: text.split(',').collect(), line: self.line }))
    }
}

struct Row<'a> {
    text: &'a str,
    fields: Vec<&'a str>,
    line: usize,
}

impl<'a> Row<'a> {
    fn fault(&self, what: impl Into<String>) -> Fault {
        let place = Place::Line {
            line: u32::try_from(self.line).unwrap_or(u32::MAX),
            column: 1,
            length: 1,
            quote: self.text.chars().take(200).collect(),
            mark: 0,
        };
        Fault { place, ..Fault::of_file(what) }
    }

    fn text(&self, column: usize) -> Result<&'a str, Fault> {
        self.fields.get(column).copied().ok_or_else(|| self.fault("this row is too short"))
    }

    fn number<T: std::str::FromStr>(&self, column: usize) -> Result<T, Fault> {
        let text = self.text(column)?;
        text.parse().map_err(|_| self.fault(format!("'{text}' is not a number that fits here")))
    }

    fn finite(&self, column: usize) -> Result<f64, Fault> {
        let number: f64 = self.number(column)?;
        if number.is_finite() { Ok(number) } else { Err(self.fault("numbers have an end")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "point,rotation_deg,state,branch,pair,clearance,free_branches,tilt\n";

    fn map(rows: &[&str]) -> Result<MapTable, Fault> {
        map_of(format!("{HEADER}{}\n", rows.join("\n")).as_bytes())
    }

    #[test]
    fn a_map_is_read_with_its_tilts() {
        let rows = [
            "0,10,free,+++,,0.1,+++,0",
            "0,20,collides,+++,a|b,,,0",
            "0,10,limit,,,,,1",
            "0,20,free,+++,,0.2,+++,1",
            "1,10,collides,++-,c|d,,,0",
            "1,20,collides,++-,a|b,,,0",
            "1,10,out_of_reach,,,,,1",
            "1,20,unknown,,,,,1",
        ];
        let table = map(&rows).expect("a map");
        assert_eq!((table.points(), table.stances(), &*table.rotations_deg), (2, 4, &[10.0, 20.0][..]));
        assert_eq!(table.pairs, ["a|b", "c|d"]);
        let best = |point, rotation| {
            let (stance, cell) = table.best(point, rotation);
            (stance, cell.state, cell.pair())
        };
        assert_eq!(best(0, 0), (0, State::Free, None));
        assert_eq!(best(0, 1), (3, State::Free, None));
        assert_eq!(best(1, 0), (0, State::Collides, Some(1)));
    }

    #[test]
    fn what_is_no_map_is_refused_at_its_line() {
        let line = |rows: &[&str]| match map(rows).expect_err("a fault").place {
            Place::Line { line, .. } => line,
            _ => 0,
        };
        let [a, b] = ["0,10,free,+++,,0.1,+++,0", "0,20,free,+++,,0.1,+++,0"];
        assert_eq!(line(&[a, b, "1,20,free,,,,,0"]), 4);
        assert_eq!(line(&[a, b, "2,10,free,,,,,0"]), 4);
        assert_eq!(line(&[a, b, "1,10,open,,,,,0"]), 4);
        assert_eq!(line(&[a, b, "1,10"]), 4);
        assert_eq!(line(&[a, "0,x,free,,,,,0"]), 3);
        assert_eq!(line(&["1,10,free,,,,,0"]), 2);
        assert_eq!(line(&[a, b, "0,10,free,,,,,2"]), 4);
        assert_eq!(line(&[a, b, "1,10,free,,,,,0"]), 0);
        assert_eq!(line(&[]), 2);
        assert!(map_of(b"a,b\n").is_err() && map_of(b"").is_err() && map_of(&[0xff]).is_err());
    }
}
