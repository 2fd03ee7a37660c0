//! The table of a work path.

use crate::cell::LengthUnit;
use crate::fault::{Fault, Faults};
use crate::table::Table;
use crate::text::{self, Line, Word};
use crate::toolpath::{Toolpath, ToolpathPoint};
use crate::units::{Unit, without_suffix};
use kansho_geom::glam::{DQuat, DVec3};

/// How the table is to be understood.
pub(super) struct Layout<'a> {
    /// What its columns hold, if the job says so.
    pub(super) columns: Option<Vec<&'a str>>,
    /// The unit of lengths where the header names none.
    pub(super) units: LengthUnit,
    /// Whether directions are turned round.
    pub(super) flip: bool,
    /// Lines that are passed over.
    pub(super) skip: usize,
}

/// A row: in the frame of the path, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) point: DVec3,
    /// Into the work; a unit vector.
    pub(super) direction: DVec3,
    pub(super) stroke: f64,
    pub(super) line: u32,
}

/// The rows of a path, and what is odd about it.
#[derive(Debug)]
pub(super) struct PathRows {
    pub(super) rows: Vec<Row>,
    pub(super) warnings: Vec<Fault>,
}

const NAMES: [&str; 21] = [
    "x", "y", "z", "i", "j", "k", "nx", "ny", "nz", "qw", "qx", "qy", "qz", "stroke", "path", "w", "p", "r",
    "rz1", "ry", "rz2",
];

/// Names of columns that say nothing of a point.
const PASSED_OVER: [&str; 8] = ["-", "index", "point", "row", "velocity", "spindle", "feed", "speed"];

/// Names of columns that say how the robot moves, or with what: one value for the whole path changes nothing.
const SAME_FOR_ALL: [&str; 2] = ["motion_type", "tool"];

const HELP: &str = "a path has x, y, z and i, j, k (the direction of tool z into the work), nx, ny, nz (the outward normal), qw, qx, qy, qz, or angles in degrees: w, p, r about fixed x, y, z, or rz1, ry, rz2; name them in a header, or in the job by columns = [...]; \"-\" passes over a column";

/// How far the length of a quaternion may be from one.
const QUATERNION: f64 = 1e-3;

/// Where each name of [`NAMES`] is, and metres in one unit of x, y and z.
struct Found {
    column: [Option<usize>; NAMES.len()],
    metres: [f64; 3],
    /// Columns of [`SAME_FOR_ALL`], by their names.
    same: Vec<(&'static str, usize)>,
}

pub(super) fn parse(bytes: &[u8], layout: &Layout<'_>) -> Result<PathRows, Vec<Fault>> {
    let text = without_top(&text::decoded(bytes), layout.skip);
    let table = Table::read(&text)?;
    if table.lines.is_empty() {
        return Err(vec![Fault::of_file("there are no points in this path").with_help(HELP)]);
    }
    let found = columns(&table, layout).map_err(|fault| vec![fault])?;
    let (mut rows, mut faults) = (Vec::with_capacity(table.lines.len()), Faults::default());
    for (numbers, line) in table.rows() {
        match found.row(numbers, layout, line) {
            Ok(row) => rows.push(row),
            Err(what) => faults.push(line.whole().fault(what)),
        }
    }
    for &(name, column) in &found.same {
        let first = table.rows().next().map(|(numbers, _)| numbers[column]);
        if let Some((numbers, line)) = table.rows().find(|(numbers, _)| Some(numbers[column]) != first) {
            let what = match name {
                "tool" => "kansho takes the whole path for the one tool of the cell",
                _ => "kansho works the whole path along straight lines from point to point",
            };
            let what = format!(
                "the column '{name}' changes here from {} to {}, and {what}",
                first.unwrap_or_default(),
                numbers[column]
            );
            let help = "make a job of each part; or name the columns in the job, with \"-\" for this one, if it does not matter";
            faults.push(line.whole().fault(what).with_help(help));
        }
    }
    faults.into_result()?;
    let whole_pose = POSES.iter().find(|names| names.iter().all(|name| found.at(name).is_some()));
    let warning = |names: &&[&str]| {
        let what = format!(
            "the columns {} give whole poses, of which only the direction of tool Z is used: the planner chooses the rotation about the tool axis",
            names.join(", ")
        );
        let help = "say in [tool_axis] of the job which rotations it may choose; i, j, k instead of these columns say the same without this warning";
        first_of(&table).fault(what).with_help(help)
    };
    Ok(PathRows { rows, warnings: whole_pose.map(warning).into_iter().collect() })
}

/// Columns that give whole poses.
const POSES: [&[&str]; 3] = [&["qw", "qx", "qy", "qz"], &["w", "p", "r"], &["rz1", "ry", "rz2"]];

/// The first name of the header, or the first row.
fn first_of<'a>(table: &Table<'a>) -> Word<'a> {
    table.header.as_ref().map_or_else(|| table.lines[0].whole(), |header| header.names[0])
}

/// Rows of a toolpath.
pub(super) fn of_toolpath(path: Toolpath, layout: &Layout<'_>) -> PathRows {
    let row = |point: &ToolpathPoint| Row {
        point: point.point,
        direction: if layout.flip { -point.direction } else { point.direction },
        stroke: f64::from(point.stroke),
        line: point.line,
    };
    PathRows { rows: path.points.iter().map(row).collect(), warnings: path.warnings }
}

/// The text with blanks in place of its first lines, so that the others keep their numbers.
fn without_top(text: &[u8], skip: usize) -> Vec<u8> {
    let mut left = skip;
    let blank = |&c: &u8| {
        let is_end = c == b'\n';
        let kept = if left == 0 || is_end { c } else { b' ' };
        left = left.saturating_sub(usize::from(is_end));
        kept
    };
    text.iter().map(blank).collect()
}

fn columns(table: &Table<'_>, layout: &Layout<'_>) -> Result<Found, Fault> {
    let first = || first_of(table);
    let named: Vec<(Option<Word<'_>>, String)> = match (&layout.columns, &table.header) {
        (Some(columns), _) if columns.len() != table.columns => {
            let what =
                format!("this table has {} columns, and the job names {}", table.columns, columns.len());
            return Err(first().fault(what));
        }
        (Some(columns), Some(header)) => {
            // The header may still say units.
            let both = columns.iter().zip(&header.names);
            both.map(|(name, word)| (Some(*word), (*name).to_owned())).collect()
        }
        (Some(columns), None) => columns.iter().map(|name| (None, (*name).to_owned())).collect(),
        (None, Some(header)) => {
            let name = |word: &Word<'_>| String::from_utf8_lossy(word.text).to_ascii_lowercase();
            header.names.iter().map(|word| (Some(*word), name(word))).collect()
        }
        (None, None) if table.columns == 6 => {
            NAMES[..6].iter().map(|name| (None, (*name).to_owned())).collect()
        }
        (None, None) => {
            let what = format!("it is not clear what the {} columns hold", table.columns);
            return Err(first().fault(what).with_help(HELP));
        }
    };
    let mut found =
        Found { column: [None; NAMES.len()], metres: [layout.units.metres(1.0); 3], same: Vec::new() };
    for (column, (word, name)) in named.iter().enumerate() {
        let fault = |what: String| word.map_or_else(|| Fault::of_file(&what), |word| word.fault(&what));
        let (bare, unit) = without_suffix(name);
        let bare = if NAMES.contains(&name.as_str()) { name.as_str() } else { bare };
        if PASSED_OVER.contains(&bare) {
            continue;
        }
        if let Some(name) = SAME_FOR_ALL.iter().find(|known| **known == bare) {
            found.same.push((name, column));
            continue;
        }
        let Some(slot) = NAMES.iter().position(|known| *known == bare) else {
            let what = format!("'{}' is no column of a path", text::shortened(name.as_bytes(), 40));
            return Err(fault(what).with_help(HELP));
        };
        if found.column[slot].replace(column).is_some() {
            return Err(fault(format!("the column '{bare}' stands twice")));
        }
        // The header's own name may say a unit that the job's name does not.
        let of_header = word.and_then(|word| without_suffix(std::str::from_utf8(word.text).ok()?).1);
        match (unit.or(of_header), found.metres.get_mut(slot)) {
            (Some(Unit::Metres(unit)), Some(metres)) => *metres = unit,
            (None, _) => {}
            _ => return Err(fault(format!("'{bare}' is not measured in that unit"))),
        }
    }
    let has = |names: &[&str]| names.iter().all(|name| found.at(name).is_some());
    if !has(&["x", "y", "z"]) {
        return Err(first().fault("the columns x, y and z are not all there").with_help(HELP));
    }
    let ways = [&["i", "j", "k"][..], &["nx", "ny", "nz"], POSES[0], POSES[1], POSES[2]];
    let is_partly = |names: &&&[&str]| names.iter().any(|name| found.at(name).is_some()) && !has(names);
    if let Some(names) = ways.iter().find(is_partly) {
        let what = format!("the columns {} are not all there", names.join(", "));
        return Err(first().fault(what).with_help(HELP));
    }
    if has(&["stroke", "path"]) {
        return Err(first().fault("two columns say which stroke a point belongs to: stroke and path"));
    }
    match ways.iter().filter(|names| has(names)).count() {
        1 => Ok(found),
        0 => Err(first().fault("no columns say where the tool is to point").with_help(HELP)),
        _ => Err(first().fault("several sets of columns say where the tool is to point").with_help(HELP)),
    }
}

impl Found {
    fn at(&self, name: &str) -> Option<usize> {
        self.column[NAMES.iter().position(|known| *known == name)?]
    }

    fn row(&self, numbers: &[f64], layout: &Layout<'_>, line: Line<'_>) -> Result<Row, String> {
        let number = |name: &str| self.at(name).map(|column| numbers[column]);
        let three = |names: [&str; 3]| {
            let [x, y, z] = names.map(number);
            Some(DVec3::new(x?, y?, z?))
        };
        let point = three(["x", "y", "z"]).unwrap_or_default() * DVec3::from_array(self.metres);
        let direction = if let Some(into) = three(["i", "j", "k"]) {
            into
        } else if let Some(normal) = three(["nx", "ny", "nz"]) {
            -normal
        } else if let Some(wpr) = three(["w", "p", "r"]) {
            let [w, p, r] = wpr.to_array().map(f64::to_radians);
            DQuat::from_rotation_z(r) * DQuat::from_rotation_y(p) * DQuat::from_rotation_x(w) * DVec3::Z
        } else if let Some(zyz) = three(["rz1", "ry", "rz2"]) {
            let [z, y, _] = zyz.to_array().map(f64::to_radians);
            DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DVec3::Z
        } else {
            let [w, x, y, z] = ["qw", "qx", "qy", "qz"].map(|name| number(name).unwrap_or_default());
            let turn = DQuat::from_xyzw(x, y, z, w);
            let length = turn.length();
            if !((length - 1.0).abs() <= QUATERNION) {
                return Err(format!("the quaternion has length {length:.6}, not 1"));
            }
            turn.normalize() * DVec3::Z
        };
        let length = direction.length();
        if length == 0.0 {
            return Err("the direction of the tool has no length".into());
        }
        let direction =
            direction.try_normalize().ok_or("the direction of the tool is too short or too long")?;
        let stroke = number("stroke").or(number("path")).unwrap_or_default();
        let direction = if layout.flip { -direction } else { direction };
        Ok(Row { point, direction, stroke, line: line.number })
    }
}
