//! CSV of postures.
//!
//! A row has one number for each coordinate of the cell: robots one after the other, joints in the order of the URDF
//! without fixed, mimic and held ones; or in any order under a header that names them, `robot/joint` where a joint's name
//! alone is not clear. Columns are separated by commas or blanks, `#` begins a comment. Metres and radians, unless the
//! header says `joint_deg` or `joint_mm` or the caller says so.

use crate::fault::{Fault, ReadError};
use crate::held::{self, Held};
use crate::limits;
use crate::load::bytes_of;
use crate::table::{Header, Table};
use crate::text::{self, Line, Word};
use crate::units::{Unit, Units, without_suffix};
use kansho_cell::{Cell, Coordinate, Follower, Quantity, nearest_name};
use std::path::Path;

/// Postures of one cell, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Postures {
    coordinates: usize,
    values: Vec<f64>,
    outside_limits: Vec<Fault>,
}

impl Postures {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() / self.coordinates.max(1)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All numbers, posture after posture.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// For every coordinate that leaves its limits, where it does. Rows are counted from 1, without a header.
    #[must_use]
    pub fn outside_limits(&self) -> &[Fault] {
        &self.outside_limits
    }

    /// Every posture.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.coordinates.max(1))
    }
}

/// Reads the postures of a cell.
///
/// # Errors
/// Every row and column that does not fit the cell.
pub fn read(path: &Path, cell: &Cell, units: &Units) -> Result<Postures, ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    parse(&bytes, cell, units).map_err(fail)
}

/// Reads pairs of postures, each row the start and then the goal: twice as many columns as a posture has, in order, or under a header
/// that names every coordinate in its first half and again in its second. The postures come one after the other.
///
/// # Errors
/// Every row and column that does not fit the cell.
pub fn read_segments(path: &Path, cell: &Cell, units: &Units) -> Result<Postures, ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    parse_rows(&bytes, cell, units, 2).map_err(fail)
}

/// Reads postures from memory.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8], cell: &Cell, units: &Units) -> Result<Postures, Vec<Fault>> {
    parse_rows(bytes, cell, units, 1)
}

fn parse_rows(bytes: &[u8], cell: &Cell, units: &Units, per_row: usize) -> Result<Postures, Vec<Fault>> {
    let text = text::decoded(bytes);
    let table = Table::read(&text)?;
    let coordinates = cell.coordinates();
    let mut held = Vec::new();
    let sources = match &table.header {
        Some(header) => {
            let half = header.names.len().div_ceil(per_row).max(1);
            let mut sources = Vec::new();
            for (k, names) in header.names.chunks(half).enumerate() {
                let (part, of_cell) = named(&Header { names: names.to_vec() }, cell, units)?;
                let shift = |source: Source| Source { column: source.column + k * half, ..source };
                sources.extend(part.into_iter().map(shift));
                held.extend(of_cell.into_iter().map(|(source, held)| (shift(source), held)));
            }
            if sources.len() != per_row * coordinates.len() {
                let what = format!("the header names {} columns, not every joint twice", header.names.len());
                return Err(vec![header.names[0].fault(what)]);
            }
            sources
        }
        None => in_order(&table, coordinates, units, per_row).map_err(|fault| vec![fault])?,
    };
    if table.numbers.is_empty() {
        return Err(vec![Fault::of_file("there are no postures in this file")]);
    }
    let value = |row: &[f64], source: &Source| row[source.column] * source.scale;
    for (source, held) in &held {
        let disagrees = |(row, line): (&[f64], Line<'_>)| {
            held.agrees(value(row, source)).err().map(|what| line.whole().fault(what))
        };
        if let Some(fault) = table.rows().find_map(disagrees) {
            return Err(vec![fault]);
        }
    }
    let values: Vec<f64> =
        table.rows().flat_map(|(row, _)| sources.iter().map(move |source| value(row, source))).collect();
    let outside_limits = outside_limits(&table, &values, cell, per_row);
    Ok(Postures { coordinates: coordinates.len(), values, outside_limits })
}

fn outside_limits(table: &Table, values: &[f64], cell: &Cell, per_row: usize) -> Vec<Fault> {
    /// Rows that a message names.
    const NAMED: usize = 10;
    let coordinates = cell.coordinates();
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); coordinates.len()];
    let mut values_there: Vec<f64> = vec![0.0; coordinates.len()];
    for (number, posture) in values.chunks_exact(coordinates.len().max(1)).enumerate() {
        let row = number / per_row;
        for coordinate in cell.outside_limits(posture) {
            let known = &mut rows[coordinate];
            if known.is_empty() {
                values_there[coordinate] = posture[coordinate];
            }
            if known.last() != Some(&row) {
                known.push(row);
            }
        }
    }
    let fault = |(index, rows): (usize, &Vec<usize>)| {
        let (first, coordinate) = (*rows.first()?, &coordinates[index]);
        let value = values_there[index];
        let limits = coordinate.limits?;
        let mut what = limits::outside(coordinate, value)?;
        if rows.len() > 1 {
            let named: Vec<String> = rows.iter().take(NAMED).map(|row| (row + 1).to_string()).collect();
            let more = if rows.len() > NAMED { ", ..." } else { "" };
            what += &format!("; and so in {} rows: {}{more}", rows.len(), named.join(", "));
        }
        let fault = table.lines[first].whole().fault(what);
        let is_far = limits::is_far(value, limits);
        let help = "degrees? ⟦units=deg⟧ says so, or _deg after the name of the column";
        Some(if coordinate.quantity == Quantity::Angle && is_far { fault.with_help(help) } else { fault })
    };
    let coordinates = rows.iter().enumerate().filter_map(fault);
    coordinates.chain(followers_outside(table, values, cell, per_row)).collect()
}

/// The same of joints that follow coordinates.
fn followers_outside(table: &Table, values: &[f64], cell: &Cell, per_row: usize) -> Vec<Fault> {
    let width = cell.coordinates().len().max(1);
    let of = |follower: &Follower| {
        let is_out = |posture: &[f64]| follower.is_outside(follower.value(posture[follower.coordinate]));
        let mut rows: Vec<usize> = Vec::new();
        for (number, _) in values.chunks_exact(width).enumerate().filter(|(_, posture)| is_out(posture)) {
            if rows.last() != Some(&(number / per_row)) {
                rows.push(number / per_row);
            }
        }
        let first = *rows.first()?;
        let posture = values.chunks_exact(width).skip(first * per_row).find(|posture| is_out(posture))?;
        let what = limits::follower_outside(cell, follower, follower.value(posture[follower.coordinate]));
        let more = if rows.len() > 1 { format!("; and so in {} rows", rows.len()) } else { String::new() };
        Some(table.lines[first].whole().fault(what + &more))
    };
    cell.followers().iter().filter_map(of).collect()
}

/// Where a coordinate stands, and what one unit of it is.
struct Source {
    column: usize,
    scale: f64,
}

fn default_scale(coordinate: &Coordinate, units: &Units) -> f64 {
    match coordinate.quantity {
        Quantity::Angle => units.radians,
        Quantity::Length => units.metres,
    }
}

fn in_order(
    table: &Table,
    coordinates: &[Coordinate],
    units: &Units,
    per_row: usize,
) -> Result<Vec<Source>, Fault> {
    if table.columns != per_row * coordinates.len() && !table.numbers.is_empty() {
        let names: Vec<String> = coordinates.iter().map(Coordinate::full_name).collect();
        let what = match per_row {
            1 => format!("{} columns, but a posture of this cell has {} numbers", table.columns, names.len()),
            _ => format!(
                "{} columns, but a start and a goal in this cell have {} numbers",
                table.columns,
                per_row * names.len()
            ),
        };
        let first = table.lines[0].whole();
        if table.columns + 1 == per_row * names.len() && table.ends_empty {
            return Err(first.fault("the last cell of this row is empty"));
        }
        return Err(first.fault(what).with_help(format!("they are {}", names.join(", "))));
    }
    let source = |(column, coordinate)| Source { column, scale: default_scale(coordinate, units) };
    Ok((0..per_row).flat_map(|_| coordinates).enumerate().map(source).collect())
}

/// Columns of coordinates, in the cell's order, and of joints that the cell holds.
type Columns = (Vec<Source>, Vec<(Source, Held)>);

fn named(header: &Header, cell: &Cell, units: &Units) -> Result<Columns, Vec<Fault>> {
    let coordinates = cell.coordinates();
    let mut sources: Vec<Option<Source>> = coordinates.iter().map(|_| None).collect();
    let mut held: Vec<(Source, Held)> = Vec::new();
    let mut faults = Vec::new();
    for (column, word) in header.names.iter().enumerate() {
        match coordinate_of(word, coordinates) {
            Err(fault) => match held_column(word, cell, units) {
                Some(Ok((scale, found))) if held.iter().all(|(_, known)| *known != found) => {
                    held.push((Source { column, scale }, found));
                }
                Some(Ok(_)) => faults.push(word.fault(format!("'{}' stands twice", word.shown()))),
                Some(Err(fault)) => faults.push(fault),
                None => faults.push(fault),
            },
            Ok((index, unit)) => {
                let scale =
                    match (unit, coordinates[index].quantity) {
                        (None, _) => default_scale(&coordinates[index], units),
                        (Some(Unit::Radians(scale)), Quantity::Angle)
                        | (Some(Unit::Metres(scale)), Quantity::Length) => scale,
                        (Some(_), _) => {
                            faults.push(word.fault(format!(
                                "'{}': this joint is not measured in that unit",
                                word.shown()
                            )));
                            continue;
                        }
                    };
                if sources[index].replace(Source { column, scale }).is_some() {
                    faults.push(word.fault(format!("'{}' stands twice", word.shown())));
                }
            }
        }
    }
    for (coordinate, source) in coordinates.iter().zip(&sources) {
        if source.is_none() && faults.is_empty() {
            let what = format!("the header names no column for \"{}\"", coordinate.full_name());
            faults.push(header.names[0].fault(what));
        }
    }
    if faults.is_empty() { Ok((sources.into_iter().flatten().collect(), held)) } else { Err(faults) }
}

/// The joint that a column names and that the cell holds, with what one unit is; why another joint has no column; nothing if the cell has no
/// such joint.
fn held_column(word: &Word, cell: &Cell, units: &Units) -> Option<Result<(f64, Held), Fault>> {
    let name = std::str::from_utf8(word.text).ok()?;
    let (bare, unit) = without_suffix(name);
    for (name, unit) in [(name, None), (bare, unit)] {
        if let Some(held) = Held::named(cell, name) {
            let scale = match (unit, held.quantity) {
                (None, Quantity::Angle) => units.radians,
                (None, Quantity::Length) => units.metres,
                (Some(Unit::Radians(scale)), Quantity::Angle)
                | (Some(Unit::Metres(scale)), Quantity::Length) => scale,
                (Some(_), _) => {
                    let what = format!("'{}': this joint is not measured in that unit", word.shown());
                    return Some(Err(word.fault(what)));
                }
            };
            return Some(Ok((scale, held)));
        }
    }
    held::why_none(cell, bare).map(|why| Err(word.fault(why)))
}

/// The coordinate that a column's name means, and the unit that its suffix names.
///
/// A joint may be called `tilt_deg` itself, so the whole name is tried first.
fn coordinate_of(word: &Word, coordinates: &[Coordinate]) -> Result<(usize, Option<Unit>), Fault> {
    let Ok(name) = std::str::from_utf8(word.text) else {
        return Err(word.fault("a name that is not UTF-8"));
    };
    let (bare, unit) = without_suffix(name);
    for (name, unit) in [(name, None), (bare, unit)] {
        let means = |c: &Coordinate| c.joint == name || c.full_name() == name;
        let mut found = coordinates.iter().enumerate().filter(|(_, c)| means(c)).map(|(index, _)| index);
        match (found.next(), found.next()) {
            (Some(index), None) => return Ok((index, unit)),
            (Some(_), Some(_)) => {
                let what = format!("'{}' is a joint of several robots", word.shown());
                return Err(word.fault(what).with_help("write robot/joint"));
            }
            (None, _) => {}
        }
    }
    let names: Vec<String> = coordinates.iter().flat_map(|c| [c.joint.clone(), c.full_name()]).collect();
    let fault = word.fault(format!("'{}' is no joint of this cell that moves", word.shown()));
    Err(match nearest_name(bare, names.iter().map(String::as_str)) {
        Some(near) => fault.with_help(format!("did you mean {near}?")),
        None => fault.with_help(format!("these move: {}", all_names(coordinates))),
    })
}

/// Names of joints, for people; not all of very many.
fn all_names(coordinates: &[Coordinate]) -> String {
    const MOST: usize = 24;
    let names: Vec<String> = coordinates.iter().take(MOST).map(Coordinate::full_name).collect();
    names.join(", ") + if coordinates.len() > MOST { ", ..." } else { "" }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use kansho_cell::{
        CellDraft, JointDraft, JointKind, Limits, LinkDraft, Robot, RobotDraft, RobotDraftInCell,
    };
    use kansho_geom::Pose;
    use kansho_geom::glam::DVec3;

    /// One robot with a slide and a turn, or two of them.
    pub(crate) fn cell(robots: &[&str], turn: &str) -> Cell {
        cell_holding(robots, turn, &[])
    }

    /// The same with some joints held.
    pub(crate) fn cell_holding(robots: &[&str], turn: &str, hold: &[(&str, f64)]) -> Cell {
        let link = |name: &str| LinkDraft { name: name.into(), pieces: Vec::new() };
        let joint = |name: &str, parent: &str, child: &str, kind| JointDraft {
            name: name.into(),
            kind,
            parent: parent.into(),
            child: child.into(),
            parent_from_joint: Pose::IDENTITY,
            limits: Some(Limits { lower: -9.0, upper: 9.0 }),
            max_speed: None,
            mimic: None,
        };
        let draft = RobotDraft {
            name: "r".into(),
            links: vec![link("a"), link("b"), link("c")],
            joints: vec![
                joint("slide", "a", "b", JointKind::Prismatic { axis: DVec3::X }),
                joint(turn, "b", "c", JointKind::Revolute { axis: DVec3::Z }),
            ],
        };
        let robot = Robot::new(draft).expect("a robot");
        let placed = |name: &&str| RobotDraftInCell {
            name: (*name).into(),
            robot: robot.clone(),
            world_from_root: Pose::IDENTITY,
            hold: hold.iter().map(|(joint, value)| ((*joint).to_owned(), *value)).collect(),
            tool: None,
            disabled: Vec::new(),
        };
        Cell::new(CellDraft { robots: robots.iter().map(placed).collect(), ..CellDraft::default() })
            .expect("a cell")
    }

    #[test]
    fn rows_in_many_shapes() {
        let cell = cell(&["r"], "turn_deg");
        let check = |text: &str, units: Units, expected: [f64; 2]| {
            let postures = parse(text.as_bytes(), &cell, &units).expect("good");
            let first = postures.iter().next().expect("a row");
            assert!(first.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{text}: {first:?}");
        };
        let quarter = std::f64::consts::FRAC_PI_2;
        let mm_deg = Units { metres: 1e-3, radians: quarter / 90.0 };
        check("0.5 1.5", Units::default(), [0.5, 1.5]);
        check("500,90", mm_deg, [0.5, quarter]);
        check("turn_deg, slide\n1.5, 0.5", Units::default(), [0.5, 1.5]);
        check("r/turn_deg_deg slide_mm\n90 500", Units::default(), [0.5, quarter]);
        check("turn_deg_rad slide\n1.5 500", mm_deg, [0.5, 1.5]);
    }

    /// A file may name a joint that the cell holds, if it says the same.
    #[test]
    fn held_joints_may_have_a_column() {
        let cell = cell_holding(&["r"], "turn", &[("slide", 0.5)]);
        let check =
            |text: &str, per_row: usize| parse_rows(text.as_bytes(), &cell, &Units::default(), per_row);
        assert_eq!(check("slide_mm turn\n500 1\n500 2\n", 1).expect("good").values(), [1.0, 2.0]);
        assert_eq!(check("r/slide turn turn slide\n0.5 1 2 0.5\n", 2).expect("good").values(), [1.0, 2.0]);
        for (text, expected) in [
            (
                "slide turn\n0.5 1\n0.6 2\n",
                "line 3, column 1: \"r/slide\" is held at 500 mm by the cell, and is at 600 mm here",
            ),
            ("slide slide turn\n0.5 0.5 1\n", "line 1, column 7: 'slide' stands twice"),
            ("slide_deg turn\n0.5 1\n", "this joint is not measured in that unit"),
        ] {
            let faults = check(text, 1).expect_err(text);
            assert!(faults[0].to_string().contains(expected), "{text}: {faults:?}");
        }
    }

    /// A row that ends with a comma has an empty cell there.
    #[test]
    fn empty_last_cells_are_named() {
        let cell = cell(&["r"], "turn");
        for (text, expected) in [
            ("1,2\n3,\n", "line 2, column 1: the last cell is empty"),
            ("slide,turn\n1,2\n3, # none\n", "line 3, column 1: the last cell is empty"),
            ("1,\n2,\n", "line 1, column 1: the last cell of this row is empty"),
            ("slide,\n1,2\n", "line 2, column 1: the first row ends with a comma"),
            ("1,2\n3\n", "line 2, column 1: this row has 1 columns, the first has 2"),
        ] {
            let faults = parse(text.as_bytes(), &cell, &Units::default()).expect_err(text);
            assert!(faults[0].to_string().starts_with(expected), "{text}: {faults:?}");
        }
    }

    #[test]
    fn segments_have_two_postures_a_row() {
        let cell = cell(&["r"], "turn");
        let check = |text: &str| parse_rows(text.as_bytes(), &cell, &Units::default(), 2);
        for text in ["1 2 3 4\n5 6 7 8\n", "slide turn turn slide_mm\n1 2 4 3000\n5 6 8 7000"] {
            let found = check(text).expect("good");
            assert_eq!(found.values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "{text}");
        }
        let outside = check("0 0 0 0\n0 0 -10 0\n10 0 11 0\n").expect("good");
        let told: Vec<String> = outside.outside_limits().iter().map(ToString::to_string).collect();
        assert!(
            told.len() == 1 && told[0].contains("is at -10000 mm") && told[0].ends_with("in 2 rows: 2, 3"),
            "{told:?}"
        );
        for (text, expected) in [
            ("1 2\n", "2 columns, but a start and a goal in this cell have 4 numbers"),
            ("slide turn\n1 2\n", "names no column for"),
            ("slide turn slide\n1 2 3\n", "names no column for"),
            ("slide slide turn turn\n1 2 3 4\n", "'slide' stands twice"),
            ("1 2 3 nan\n", "line 1"),
            ("", "there are no postures"),
        ] {
            let faults = check(text).expect_err("bad");
            let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
            assert!(told.iter().any(|fault| fault.contains(expected)), "{text}: {told:?}");
        }
    }

    #[test]
    fn limits_are_named_with_their_rows() {
        let text = "slide turn_deg\n1 2\n9 9\n9.5 1\n# a comment\n0 0\n-10 0\n";
        let postures = parse(text.as_bytes(), &cell(&["r"], "turn_deg"), &Units::default()).expect("good");
        let faults: Vec<String> = postures.outside_limits().iter().map(ToString::to_string).collect();
        let expected = "line 4, column 1: \"r/slide\" is at 9500 mm, 500 mm outside its limits of -9000 to 9000 mm; and so in 2 rows: 3, 5";
        assert_eq!(faults, [expected]);
    }

    #[test]
    fn faults_name_their_column() {
        let one = cell(&["r"], "turn_deg");
        let check = |cell: &Cell, text: &str, expected: &[&str]| {
            let faults = parse(text.as_bytes(), cell, &Units::default()).expect_err("bad");
            assert_eq!(faults.iter().map(ToString::to_string).collect::<Vec<_>>(), expected, "{text}");
        };
        check(&one, "1 2 3", &["line 1, column 1: 3 columns, but a posture of this cell has 2 numbers"]);
        check(&one, "slid turn_deg\n1 2", &["line 1, column 1: 'slid' is no joint of this cell that moves"]);
        check(&one, "slide slide\n1 2", &["line 1, column 7: 'slide' stands twice"]);
        check(&one, "slide\n1", &["line 1, column 1: the header names no column for \"r/turn_deg\""]);
        check(
            &one,
            "slide_deg turn_deg\n1 2",
            &["line 1, column 1: 'slide_deg': this joint is not measured in that unit"],
        );
        check(&one, "slide turn_deg\n", &["there are no postures in this file"]);
        check(&one, "", &["there are no postures in this file"]);
        check(&one, "1 2\n3 x\n", &["line 2, column 3: 'x' is not a number"]);
        let two = cell(&["r", "s"], "turn_deg");
        check(
            &two,
            "slide r/turn_deg s/slide s/turn_deg\n1 2 3 4",
            &["line 1, column 1: 'slide' is a joint of several robots"],
        );
    }
}
