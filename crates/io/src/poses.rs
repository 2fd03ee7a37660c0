//! CSV of poses.
//!
//! A row is twelve numbers, the rotation row by row and then the translation; or the columns `x,y,z,qw,qx,qy,qz` in any
//! order under a header of those names. Columns are separated by commas or blanks, `#` begins a comment. Lengths are
//! metres, unless the header says `x_mm` or the caller says so.

use crate::fault::{Fault, Faults, ReadError};
use crate::load::bytes_of;
use crate::table::{Header, Table};
use crate::text::{self, Word};
use crate::units::{Unit, without_suffix};
use kansho_geom::glam::{DQuat, DVec3};
use kansho_geom::{NotRigid, Pose};
use std::path::Path;

/// Reads a file of poses. `metres_per_unit` applies where the header names no unit.
///
/// # Errors
/// Every row that is no pose, by line.
pub fn read(path: &Path, metres_per_unit: Option<f64>) -> Result<Vec<Pose>, ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    parse(&bytes, metres_per_unit).map_err(fail)
}

/// Reads poses from memory.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8], metres_per_unit: Option<f64>) -> Result<Vec<Pose>, Vec<Fault>> {
    let text = text::decoded(bytes);
    let table = Table::read(&text)?;
    let layout = Layout::of(&table, metres_per_unit).map_err(|fault| vec![fault])?;
    let mut faults = Faults::default();
    let mut poses = Vec::with_capacity(table.lines.len());
    for (row, line) in table.rows() {
        match layout.pose(row) {
            Ok(pose) => poses.push(pose),
            Err(not_rigid) => faults.push(line.whole().fault(not_rigid.to_string())),
        }
    }
    faults.into_result()?;
    if poses.is_empty() {
        return Err(vec![Fault::of_file("there are no poses in this file")]);
    }
    Ok(poses)
}

/// Which column holds what.
enum Layout {
    /// Twelve numbers in their order; metres in one unit of length.
    Matrix { metres: f64 },
    /// Columns of `x y z qw qx qy qz`; metres in one unit of each length.
    Quaternion { columns: [usize; 7], metres: [f64; 3] },
}

const QUATERNION_NAMES: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];
const HELP: &str = "a pose is 12 numbers (rotation row by row, then translation), or x,y,z,qw,qx,qy,qz under a header of those names";

impl Layout {
    fn of(table: &Table, metres_per_unit: Option<f64>) -> Result<Self, Fault> {
        let metres = metres_per_unit.unwrap_or(1.0);
        match (&table.header, table.columns) {
            (Some(header), _) if is_quaternion(header) => Self::named(header, metres),
            (Some(header), 12) => Ok(Self::Matrix { metres: matrix_unit(header)?.unwrap_or(metres) }),
            (None, 12) => Ok(Self::Matrix { metres }),
            (_, 0) => Err(Fault::of_file("there are no poses in this file").with_help(HELP)),
            (_, columns) => {
                let first = table
                    .header
                    .as_ref()
                    .map(|h| h.names[0])
                    .or(table.lines.first().map(|line| line.whole()));
                let what = format!("{columns} columns are no pose");
                Err(first.map_or(Fault::of_file(&what), |word| word.fault(&what)).with_help(HELP))
            }
        }
    }

    fn named(header: &Header, metres: f64) -> Result<Self, Fault> {
        let mut columns = [None; 7];
        let mut units = [metres; 3];
        for (column, word) in header.names.iter().enumerate() {
            let (name, unit) = name_and_unit(word);
            let Some(slot) = QUATERNION_NAMES.iter().position(|known| *known == name) else {
                return Err(word.fault(format!("'{}' is no column of a pose", word.shown())).with_help(HELP));
            };
            if columns[slot].replace(column).is_some() {
                return Err(word.fault(format!("the column '{}' stands twice", word.shown())));
            }
            match (unit, units.get_mut(slot)) {
                (None, _) => {}
                (Some(Unit::Metres(unit)), Some(metres)) => *metres = unit,
                _ => return Err(word.fault(format!("'{}' is not measured in that unit", word.shown()))),
            }
        }
        let mut found = [0; 7];
        for (slot, column) in columns.iter().enumerate() {
            found[slot] = column.ok_or_else(|| {
                header.names[0]
                    .fault(format!("the header names no column '{}'", QUATERNION_NAMES[slot]))
                    .with_help(HELP)
            })?;
        }
        Ok(Self::Quaternion { columns: found, metres: units })
    }

    fn pose(&self, row: &[f64]) -> Result<Pose, NotRigid> {
        match self {
            Self::Matrix { metres } => {
                let mut numbers: [f64; 12] = row.try_into().expect("the table has twelve columns");
                numbers[9..].iter_mut().for_each(|length| *length *= metres);
                Pose::from_rows(&numbers)
            }
            Self::Quaternion { columns, metres } => {
                let [x, y, z, qw, qx, qy, qz] = columns.map(|column| row[column]);
                Pose::from_quat(
                    DQuat::from_xyzw(qx, qy, qz, qw),
                    DVec3::new(x, y, z) * DVec3::from_array(*metres),
                )
            }
        }
    }
}

/// The unit that a header over twelve numbers names for the translation.
///
/// Its names must not contradict the order of the numbers: the translation last, and where rotations are numbered as in `r12`
/// or `r01`, row by row.
fn matrix_unit(header: &Header) -> Result<Option<f64>, Fault> {
    const ORDER: &str = "twelve numbers are the rotation row by row and then the translation";
    let mut unit = None;
    for (word, axis) in header.names[9..].iter().zip(["x", "y", "z"]) {
        let (name, named) = name_and_unit(word);
        if !name.to_ascii_lowercase().ends_with(axis) {
            return Err(word
                .fault(format!("'{}' stands where the translation in {axis} belongs", word.shown()))
                .with_help(ORDER));
        }
        let metres = match named {
            None => None,
            Some(Unit::Metres(metres)) => Some(metres),
            Some(Unit::Radians(_)) => {
                return Err(word.fault(format!("'{}' is not measured in that unit", word.shown())));
            }
        };
        if axis != "x" && metres != unit {
            return Err(word.fault("the three lengths of the translation have different units"));
        }
        unit = metres;
    }
    let numbers = |word: &Word| {
        let digits: Vec<u8> = word.text.iter().filter(|c| c.is_ascii_digit()).copied().collect();
        (digits.len() == 2).then_some(digits)
    };
    let numbered: Option<Vec<Vec<u8>>> = header.names[..9].iter().map(numbers).collect();
    match numbered {
        Some(numbered) if !numbered.is_sorted() => {
            Err(header.names[0].fault("the rotation is not numbered row by row").with_help(ORDER))
        }
        _ => Ok(unit),
    }
}

/// Whether the header speaks of quaternions: then its names count, and not only their number.
fn is_quaternion(header: &Header) -> bool {
    header.names.iter().any(|word| name_and_unit(word).0 == "qw")
}

fn name_and_unit<'a>(word: &Word<'a>) -> (&'a str, Option<Unit>) {
    without_suffix(std::str::from_utf8(word.text).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins(text: &str) -> Vec<DVec3> {
        parse(text.as_bytes(), None).expect("good").iter().map(Pose::translation).collect()
    }

    #[test]
    fn rows_in_many_shapes() {
        let expected = [DVec3::new(1.0, 2.0, 3.0)];
        assert_eq!(origins("1 0 0 0 1 0 0 0 1 1 2 3"), expected);
        assert_eq!(origins("1,0,0,0,1,0,0,0,1,1,2,3\r\n\r\n"), expected);
        assert_eq!(
            origins("# a comment\na b c d e f g h i x y z\n1, 0, 0, 0,1,0, 0,0,1, 1,2,3 # end"),
            expected
        );
        assert_eq!(origins("x,y,z,qw,qx,qy,qz\n1,2,3,1,0,0,0"), expected);
        // A comma at the end, as spreadsheets write it.
        assert_eq!(origins("x,y,z,qw,qx,qy,qz,\n1,2,3,1,0,0,0, \r\n"), expected);
        assert_eq!(origins("1,0,0,0,1,0,0,0,1,1,2,3,"), expected);
        assert_eq!(origins("qw qx qy qz x_mm y_mm z_m\n1 0 0 0 1000 2000 3"), expected);
        assert_eq!(
            origins("r11,r12,r13,r21,r22,r23,r31,r32,r33,x_mm,y_mm,z_mm\n1,0,0,0,1,0,0,0,1,1000,2000,3000"),
            expected
        );
        let mm = parse(b"1 0 0 0 1 0 0 0 1 1000 2000 3000", Some(1e-3)).expect("good");
        assert_eq!(mm[0].translation(), expected[0]);
    }

    #[test]
    fn rotations_go_the_right_way() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let text = format!("x,y,z,qw,qx,qy,qz\n0,0,0,{half},0,0,{half}");
        let quarter_turn = parse(text.as_bytes(), None).expect("good")[0];
        assert!((quarter_turn * DVec3::X).abs_diff_eq(DVec3::Y, 1e-15));
        let rows = parse(b"0 -1 0 1 0 0 0 0 1 0 0 0", None).expect("good")[0];
        assert!((rows * DVec3::X).abs_diff_eq(DVec3::Y, 1e-15));
    }

    #[test]
    fn every_bad_row_is_named() {
        let check = |text: &str, expected: &[&str]| {
            let faults = parse(text.as_bytes(), None).expect_err("bad");
            let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
            assert_eq!(shown, expected);
        };
        check(
            "1 0 0 0 1 0 0 0 1 0 0 0\n1 0 0 0 1 0 0 0 1.1 0 0 0\n1 0 0 0 1 0 0 0 -1 0 0 0\n",
            &[
                "line 2, column 1: the matrix is not a rotation: its rows miss being orthonormal by 2.100e-1",
                "line 3, column 1: the matrix mirrors (determinant -1)",
            ],
        );
        check("1 0 0 0 1 0 0 0 1 0 0 nan", &["line 1, column 23: 'nan' is not a finite number"]);
        check(
            "1 0 0 0 1 0 0 0 1 0 0 0\n1 2 3\n",
            &["line 2, column 1: this row has 3 columns, the first has 12"],
        );
        check(
            "x,y,z,qw,qx,qy,qz\n1,2,3,2,0,0,0",
            &["line 2, column 1: the quaternion has length 2.000000, not 1"],
        );
        check("x,y,z,qw,qx,qy\n1,2,3,1,0,0", &["line 1, column 1: the header names no column 'qz'"]);
        check("x,y,z,qw,qx,qy,rz\n1,2,3,1,0,0,0", &["line 1, column 16: 'rz' is no column of a pose"]);
        check("1,2,,4", &["line 1, column 5: nothing stands between two commas"]);
        check("1,0,0,0,1,0,0,0,1,1,2,,", &["line 1, column 23: nothing stands between two commas"]);
        check(
            "1,0,0,0,1,0,0,0,1,1,2,3\n1,0,0,0,1,0,0,0,1,1,2,",
            &["line 2, column 21: the last cell is empty: nothing stands behind the last comma"],
        );
        check(
            "tx ty tz r00 r01 r02 r10 r11 r12 r20 r21 r22\n1 2 3 1 0 0 0 1 0 0 0 1",
            &["line 1, column 34: 'r20' stands where the translation in x belongs"],
        );
        check(
            "r00 r10 r20 r01 r11 r21 r02 r12 r22 x y z\n1 0 0 0 1 0 0 0 1 0 0 0",
            &["line 1, column 1: the rotation is not numbered row by row"],
        );
        check(
            "a b c d e f g h i x_mm y z\n1 0 0 0 1 0 0 0 1 0 0 0",
            &["line 1, column 24: the three lengths of the translation have different units"],
        );
        check("1 2 3 4 5 6 7", &["line 1, column 1: 7 columns are no pose"]);
        check("", &["there are no poses in this file"]);
        check("x,y,z,qw,qx,qy,qz\n", &["there are no poses in this file"]);
    }
}
