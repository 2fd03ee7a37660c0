//! The body of a PLY file, row by row.

use super::super::raw::{OddOutlines, Outline};
use super::header::{Element, Header, Holds, Kind, Property, Role, Scalar};
use super::values::Values;
use crate::fault::{Counted, Fault, Faults};
use kansho_geom::glam::DVec3;
use std::fmt;

/// What the body holds. If there are faults, the rest is incomplete.
#[derive(Default)]
pub(super) struct Body {
    pub(super) points: Vec<DVec3>,
    pub(super) faces: Faces,
    pub(super) strips: Vec<[u32; 3]>,
    /// Faces and strips with fewer than three corners. They are left out.
    pub(super) odd: OddOutlines,
    /// Words of an ASCII file that do not stand where a row per line would have them.
    pub(super) ragged: Counted,
    /// Whether some of these rows are torn, as by a number that is missing.
    pub(super) torn: bool,
    /// What stands after the last element.
    pub(super) extra: Option<Fault>,
    pub(super) faults: Faults,
}

/// Faces of any number of corners. They are kept until all vertices are known: a file may have its faces first.
#[derive(Default)]
pub(super) struct Faces {
    corners: Vec<u32>,
    /// Where each face ends in `corners`.
    ends: Vec<usize>,
}

impl Faces {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The corners of each face; none for a face that was left out.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.corners[begin..end])
    }
}

/// Reads the body. All indices that it returns are below the number of vertices that the header claims.
pub(super) fn read(file: &[u8], header: &Header) -> Body {
    let vertex = header.elements.iter().find(|element| element.holds == Holds::Vertices);
    let mut reader = Reader {
        values: Values::of_body(file, header),
        vertex_count: vertex.map_or(0, |element| element.count),
        body: Body::default(),
    };
    let whole = header.elements.iter().try_for_each(|element| reader.element(element));
    let extra = whole.ok().and_then(|()| reader.values.extra());
    let (ragged, torn) = reader.values.into_ragged();
    Body { extra, ragged, torn, ..reader.body }
}

/// The body cannot be read any further; the fault is noted.
struct Stop;

struct Reader<'a> {
    values: Values<'a>,
    vertex_count: u64,
    body: Body,
}

impl Reader<'_> {
    fn fault(&mut self, word: impl FnOnce(&Values) -> Fault) {
        self.body.faults.push(word(&self.values));
    }

    fn element(&mut self, element: &Element) -> Result<(), Stop> {
        if element.properties.is_empty() {
            return Ok(()); // Its rows take no room, however many the header claims.
        }
        let first = match element.properties[0].kind {
            Kind::Single(scalar) | Kind::List { length: scalar, .. } => scalar,
        };
        // Never more than the file can hold, whatever the header claims.
        let most =
            (self.values.most_left(first) / element.properties.len() as u64).min(element.count) as usize;
        match element.holds {
            Holds::Vertices => self.body.points.reserve_exact(most),
            Holds::Faces => self.body.faces.ends.reserve_exact(most),
            Holds::Strips | Holds::Other => {}
        }
        (1..=element.count).try_for_each(|number| self.row(&Row { element, number }))
    }

    fn row(&mut self, row: &Row) -> Result<(), Stop> {
        self.values.begin_row();
        let mut point = DVec3::ZERO;
        for property in &row.element.properties {
            match (property.kind, property.role) {
                (Kind::Single(kind), Role::Axis(axis)) => {
                    point[axis] = self.coordinate(kind, property, row)?
                }
                (Kind::Single(kind), _) => {
                    self.value(kind, property, row)?;
                }
                (Kind::List { length, item }, Role::Corners) => {
                    let length = self.length(length, item, property, row)?;
                    match row.element.holds {
                        Holds::Strips => self.strip(length, item, property, row)?,
                        _ => self.face(length, item, property, row)?,
                    }
                }
                (Kind::List { length, item }, _) => {
                    let length = self.length(length, item, property, row)?;
                    if self.values.skip(length, item).is_none() {
                        return Err(self.ended(property, row));
                    }
                }
            }
        }
        match row.element.holds {
            Holds::Vertices => self.body.points.push(point),
            Holds::Faces => self.body.faces.ends.push(self.body.faces.corners.len()),
            Holds::Strips | Holds::Other => {}
        }
        Ok(())
    }

    fn value(&mut self, kind: Scalar, property: &Property, row: &Row) -> Result<f64, Stop> {
        self.values.next(kind).ok_or_else(|| self.ended(property, row))
    }

    fn ended(&mut self, property: &Property, row: &Row) -> Stop {
        let (name, count) = (property.name.shown(), row.element.count);
        self.fault(|values| {
            values.ended(format!("the file ends within {row} of {count}: '{name}' is missing"))
        });
        Stop
    }

    fn coordinate(&mut self, kind: Scalar, property: &Property, row: &Row) -> Result<f64, Stop> {
        let value = self.value(kind, property, row)?;
        if !value.is_finite() {
            let name = property.name.shown();
            self.fault(|values| {
                let what = format!("{row}: {name} is {}, not a finite number", values.shown(value));
                Fault { help: values.help(), ..values.fault(what) }
            });
        }
        Ok(value)
    }

    /// The length of a list that the rest of the file can hold.
    fn length(&mut self, kind: Scalar, item: Scalar, property: &Property, row: &Row) -> Result<u64, Stop> {
        let value = self.value(kind, property, row)?;
        let most = self.values.most_left(item);
        if value >= 0.0 && value <= most as f64 && value.fract() == 0.0 {
            return Ok(value as u64);
        }
        let name = property.name.shown();
        self.fault(|values| {
            values.fault(if value > most as f64 {
                format!(
                    "{row}: list '{name}' has {value} entries, but the file ends after at most {most}: \
                     it is cut off, or the length is wrong"
                )
            } else {
                format!("{row}: list '{name}' has the impossible length {}", values.shown(value))
            })
        });
        Err(Stop)
    }

    fn face(&mut self, length: u64, item: Scalar, property: &Property, row: &Row) -> Result<(), Stop> {
        let begin = self.body.faces.corners.len();
        for _ in 0..length {
            let value = self.value(item, property, row)?;
            if let Some(corner) = self.corner(value, row) {
                self.body.faces.corners.push(corner);
            }
        }
        if length < 3 {
            self.body.odd.add(Outline::TooFew, || self.values.place());
            self.body.faces.corners.truncate(begin);
        }
        Ok(())
    }

    /// A row of strips: each corner makes a triangle with the two before it, every other one turned round; -1 begins
    /// a new strip.
    fn strip(&mut self, length: u64, item: Scalar, property: &Property, row: &Row) -> Result<(), Stop> {
        let mut before = [0; 2];
        let mut seen = 0_u64;
        for _ in 0..length {
            let value = self.value(item, property, row)?;
            if value == -1.0 {
                self.end_strip(seen);
                seen = 0;
                continue;
            }
            let Some(corner) = self.corner(value, row) else { continue };
            let [a, b] = before;
            match seen {
                0 | 1 => {}
                _ if seen.is_multiple_of(2) => self.body.strips.push([a, b, corner]),
                _ => self.body.strips.push([b, a, corner]),
            }
            before = [b, corner];
            seen += 1;
        }
        self.end_strip(seen);
        Ok(())
    }

    fn end_strip(&mut self, corners: u64) {
        if matches!(corners, 1 | 2) {
            self.body.odd.add(Outline::TooFew, || self.values.place());
        }
    }

    /// A number as the index of a vertex that exists.
    fn corner(&mut self, value: f64, row: &Row) -> Option<u32> {
        let count = self.vertex_count;
        if value >= 0.0 && value < count as f64 && value.fract() == 0.0 {
            return Some(value as u32); // The header has no more vertices than 32-bit indices can name.
        }
        self.fault(|values| {
            let shown = values.shown(value);
            values.fault(if value.fract() == 0.0 {
                format!("{row}: there is no vertex {shown}: there are {count}, counted from 0")
            } else {
                format!("{row}: {shown} is no index, for it is not a whole number")
            })
        });
        None
    }
}

/// A row of an element, for messages: `face 17`, counted from 1.
struct Row<'a> {
    element: &'a Element<'a>,
    number: u64,
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.element.name.shown(), self.number)
    }
}
