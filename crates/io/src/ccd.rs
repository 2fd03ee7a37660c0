//! Queries about moving features in the public rational format, with the truth.
//!
//! Eight rows make a query: four points at the start, the same four at the end, and between they run straight at constant
//! speed. A row has seven whole numbers: numerator and denominator of x, y and z, and whether the features touch (0 or 1).

use crate::fault::{Fault, Faults, ReadError};
use crate::load::bytes_of;
use crate::text::{self, Line, Word};
use dashu_int::ops::{BitTest, Gcd};
use dashu_int::{IBig, UBig};
use kansho_geom::glam::DVec3;
use kansho_geom::moving_features::{First, Path, Scratch, Wanted, edge_edge, vertex_face};
use std::path::Path as FilePath;

/// Which features a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A vertex, then the three corners of a face.
    VertexFace,
    /// The two ends of an edge, then those of another.
    EdgeEdge,
}

impl Kind {
    /// The kind that the nearest folder of a file names: `vertex-face` or `edge-edge`.
    #[must_use]
    pub fn of_folder(path: &FilePath) -> Option<Self> {
        let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        absolute.ancestors().skip(1).find_map(|folder| match folder.file_name()?.to_str()? {
            "vertex-face" => Some(Self::VertexFace),
            "edge-edge" => Some(Self::EdgeEdge),
            _ => None,
        })
    }
}

/// Four moving points, and whether the features that they are touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Their paths. Exact, or all multiplied by one whole number so that they are: this changes no answer.
    pub points: [Path<2>; 4],
    /// The truth.
    pub touch: bool,
    /// The line that it begins at, from 1.
    pub line: u32,
}

impl Query {
    /// The library's answer.
    #[must_use]
    pub fn first(&self, kind: Kind, wanted: &Wanted, scratch: &mut Scratch) -> First {
        let [a, b, c, d] = self.points;
        match kind {
            Kind::VertexFace => vertex_face(&a, &[b, c, d], wanted, scratch),
            Kind::EdgeEdge => edge_edge(&[a, b], &[c, d], wanted, scratch),
        }
    }
}

/// Reads a file of queries.
///
/// # Errors
/// Every row that is wrong, and every query that has no exact form in double precision.
pub fn read(path: &FilePath) -> Result<Vec<Query>, ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    parse(&bytes).map_err(fail)
}

/// Reads queries from memory.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8]) -> Result<Vec<Query>, Vec<Fault>> {
    let text = text::decoded(bytes);
    let mut faults = Faults::default();
    let mut queries = Vec::new();
    let mut eight: Vec<(Line, Option<Row>)> = Vec::with_capacity(ROWS);
    for line in text::lines(&text).filter(|line| !line.text.trim_ascii().is_empty()) {
        // A bad row keeps its place, so that the rows after it are still read as what they are.
        eight.push((line, Row::read(line).map_err(|fault| faults.push(fault)).ok()));
        if eight.len() == ROWS {
            match query(&eight) {
                Ok(query) => queries.extend(query),
                Err(fault) => faults.push(fault),
            }
            eight.clear();
        }
    }
    if let Some((line, _)) = eight.first() {
        let what = format!("the file ends in the query that begins here, after {} of 8 rows", eight.len());
        faults.push(line.whole().fault(what));
    }
    faults.into_result()?;
    if queries.is_empty() {
        return Err(vec![Fault::of_file("there are no queries in this file")]);
    }
    Ok(queries)
}

/// Rows of a query.
const ROWS: usize = 8;

/// Digits of the longest number that is read: those of the smallest double, and many more.
const DIGITS: usize = 1200;

struct Row {
    /// Numerators and denominators of the coordinates.
    coordinates: [(IBig, UBig); 3],
    touch: bool,
}

impl Row {
    fn read(line: Line) -> Result<Self, Fault> {
        let word = |text| Word { text, line_text: line.text, line: line.number };
        let words: Vec<Word> =
            line.text.split(|&c| c == b',').map(|field| word(field.trim_ascii())).collect();
        let &[a, b, c, d, e, f, touch] = &words[..] else {
            let what = format!("this row has {} columns, not 7", words.len());
            return Err(line.whole().fault(what).with_help(
                "numerator and denominator of x, y and z, then 1 if the features touch and 0 if not",
            ));
        };
        let touch = match touch.text {
            b"0" => false,
            b"1" => true,
            _ => return Err(touch.fault(format!("'{}' is neither 0 nor 1", touch.shown()))),
        };
        Ok(Self { coordinates: [rational(a, b)?, rational(c, d)?, rational(e, f)?], touch })
    }
}

fn rational(numerator: Word, denominator: Word) -> Result<(IBig, UBig), Fault> {
    let whole = |word: Word| {
        let text = std::str::from_utf8(word.text).ok().filter(|text| text.len() <= DIGITS);
        text.and_then(|text| text.parse::<IBig>().ok())
            .ok_or_else(|| word.fault(format!("'{}' is not a whole number", word.shown())))
    };
    let (mut numerator, below) = (whole(numerator)?, whole(denominator)?);
    if below == IBig::ZERO {
        return Err(denominator.fault("a denominator is not zero"));
    }
    if below < IBig::ZERO {
        numerator = -numerator;
    }
    Ok((numerator, below.into_parts().1))
}

/// A query, or nothing if a row of it is bad, which has been told.
fn query(rows: &[(Line, Option<Row>)]) -> Result<Option<Query>, Fault> {
    let Some(good) = rows.iter().map(|(_, row)| row.as_ref()).collect::<Option<Vec<&Row>>>() else {
        return Ok(None);
    };
    let touch = good[0].touch;
    if let Some(other) = good.iter().position(|row| row.touch != touch) {
        return Err(rows[other].0.whole().fault("the truth differs from the rows before of the same query"));
    }
    let rationals: Vec<&(IBig, UBig)> = good.iter().flat_map(|row| &row.coordinates).collect();
    let exact = match dyadic(&rationals) {
        Ok(exact) => exact,
        Err(coordinate) => {
            let what = "this query has coordinates that are not exact in double precision";
            return Err(rows[coordinate / 3].0.whole().fault(what).with_help(
                "all coordinates of a query times one number must have at most 53 binary digits and lie between 1e-250 and 1e250",
            ));
        }
    };
    let mut points = [Path([DVec3::ZERO; 2]); 4];
    for (i, coordinates) in exact.chunks_exact(3).enumerate() {
        points[i % 4].0[i / 4] = DVec3::from_slice(coordinates);
    }
    Ok(Some(Query { points, touch, line: rows[0].0.number }))
}

/// Rational numbers as doubles: as they are; or all times the odd parts of their denominators, and then divided by what is
/// common to them. Otherwise one that does not fit.
fn dyadic(rationals: &[&(IBig, UBig)]) -> Result<Vec<f64>, usize> {
    let twos = |n: &UBig| n.trailing_zeros().unwrap_or(0);
    let mut scale = UBig::ONE;
    for (i, (_, denominator)) in rationals.iter().enumerate() {
        let odd = denominator >> twos(denominator);
        let common = (&scale).gcd(&odd);
        scale *= odd / common;
        if scale.bit_len() > 4 * DIGITS {
            return Err(i); // Nothing common brings 24 such numbers back to 53 digits.
        }
    }
    let scaled = |(numerator, denominator): &(IBig, UBig)| {
        numerator * IBig::from(&scale / (denominator >> twos(denominator)))
    };
    let whole: Vec<IBig> = rationals.iter().map(|rational| scaled(rational)).collect();
    let divided = |by: &IBig| {
        let doubles = whole.iter().zip(rationals).enumerate();
        doubles.map(|(i, (n, (_, denominator)))| double(&(n / by), twos(denominator)).ok_or(i)).collect()
    };
    let as_they_are: Result<Vec<f64>, usize> = divided(&IBig::ONE);
    as_they_are.or_else(|_| {
        let nonzero = whole.iter().filter(|n| **n != IBig::ZERO).map(|n| n.clone().into_parts().1);
        let common = nonzero.reduce(|a, b| a.gcd(b)).unwrap_or(UBig::ONE);
        divided(&IBig::from(&common >> twos(&common)))
    })
}

/// `number / 2^twos`, if it is exactly a double.
fn double(number: &IBig, twos: usize) -> Option<f64> {
    let zeros = number.trailing_zeros().unwrap_or(0);
    let mantissa = i64::try_from(number >> zeros).ok().filter(|m| m.unsigned_abs() < 1 << 53)?;
    let exponent = i32::try_from(zeros as i64 - twos as i64).ok().filter(|e| (-900..800).contains(e))?;
    Some(mantissa as f64 * 2.0_f64.powi(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    /// A vertex that falls onto a face; every coordinate is multiplied by a fraction.
    fn falling(fraction: [&str; 2], touch: u8) -> String {
        let mut text = String::new();
        for (start, points) in [
            (3, [[1, 1, 2], [0, 0, 0], [4, 0, 0], [0, 4, 0]]),
            (3, [[1, 1, -2], [0, 0, 0], [4, 0, 0], [0, 4, 0]]),
        ] {
            for point in points {
                for coordinate in point {
                    write!(text, "{}{},{},", coordinate * start, fraction[0], fraction[1]).expect("a string");
                }
                writeln!(text, "{touch}").expect("a string");
            }
        }
        text
    }

    fn first(text: &str) -> First {
        let queries = parse(text.as_bytes()).expect("good");
        assert_eq!(queries.len(), 1);
        queries[0].first(Kind::VertexFace, &Wanted::default(), &mut Scratch::default())
    }

    #[test]
    fn fractions_of_all_kinds() {
        let half = |first: First| matches!(first, First::At { time: [a, b] } if a <= 0.5 && 0.5 <= b);
        assert!(half(first(&falling(["", "1"], 1))));
        assert!(half(first(&falling(["", "1024"], 1))));
        assert!(half(first(&falling(["", "-1024"], 1))));
        // Thirds and sevenths are no doubles, but their multiples are.
        assert!(half(first(&falling(["", "21"], 1))));
        assert!(half(first(&falling(["000000000000000000000000000000", "7000"], 1))));
        let queries = parse(falling(["", "9"], 0).as_bytes()).expect("good");
        assert_eq!((queries[0].touch, queries[0].line), (false, 1));
        assert_eq!(queries[0].points[0].0, [DVec3::new(3.0, 3.0, 6.0), DVec3::new(3.0, 3.0, -6.0)]);
    }

    #[test]
    fn every_bad_row_is_named() {
        let check = |text: &str, expected: &[&str]| {
            let faults = parse(text.as_bytes()).expect_err("bad");
            let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
            assert_eq!(shown, expected);
        };
        let good = falling(["", "1"], 1);
        let lines: Vec<&str> = good.lines().collect();
        let with = |row: usize, line: &str| {
            let mut lines = lines.clone();
            lines[row] = line;
            lines.join("\n")
        };
        check("", &["there are no queries in this file"]);
        check(&with(2, "1,1,2,1"), &["line 3, column 1: this row has 4 columns, not 7"]);
        check(&with(0, "1,0,2,1,x,1,1"), &["line 1, column 3: a denominator is not zero"]);
        check(&with(7, "1,1,2,1,1.5,1,1"), &["line 8, column 9: '1.5' is not a whole number"]);
        check(&with(1, "1,1,2,1,1,1,2"), &["line 2, column 13: '2' is neither 0 nor 1"]);
        check(
            &with(3, "1,1,2,1,1,1,0"),
            &["line 4, column 1: the truth differs from the rows before of the same query"],
        );
        check(
            &with(4, "1,1,9007199254740993,1,1,1,1"),
            &["line 5, column 1: this query has coordinates that are not exact in double precision"],
        );
        check(
            &lines[..5].join("\n"),
            &["line 1, column 1: the file ends in the query that begins here, after 5 of 8 rows"],
        );
        // Both of two queries, in one go.
        let two = format!("{}\n\n{}", with(1, "a,1,2,1,1,1,1"), with(1, "1,1,2,1,1,1,b"));
        check(
            &two,
            &["line 2, column 1: 'a' is not a whole number", "line 11, column 13: 'b' is neither 0 nor 1"],
        );
    }

    #[test]
    fn the_folder_names_the_kind() {
        let kind = |path: &str| Kind::of_folder(FilePath::new(path));
        assert_eq!(kind("ccd/edge-edge/data.csv"), Some(Kind::EdgeEdge));
        assert_eq!(kind("edge-edge/old/vertex-face/data.csv"), Some(Kind::VertexFace));
        assert_eq!(kind("edge-edge.csv"), None);
    }
}
