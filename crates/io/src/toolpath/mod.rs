//! Toolpaths of CAM systems: APT-CL, G-code in tool-tip modes, curves of SprutCAM.
//!
//! A tip goes straight from point to point; what lies between two rapid moves is a *stroke*, which begins where the last rapid move ended. Arcs
//! become chords that leave them by at most [`CHORD`]. Tables (CSV) are read by [`job`](crate::job), by the names of their columns.

mod apt;
mod curves;
mod gcode;

use crate::fault::{Fault, ReadError, listed};
use crate::load::bytes_of;
use crate::robot_program::fault_at;
use crate::text;
use kansho_geom::glam::{DQuat, DVec3};
use kansho_geom::tolerance;
use std::fmt::Write;
use std::path::Path;

/// How far a chord may leave its arc, in metres: a tenth of what robots repeat to.
pub const CHORD: f64 = 5e-6;

/// Largest toolpath that is read, in bytes.
const MAX_BYTES: usize = 1 << 28;

/// Warnings that are listed one by one.
const LISTED: usize = 20;

/// Chords that arcs may become in any toolpath, how many more for each byte of the file, and the most of all: a few bytes may ask for very
/// large arcs. A full circle of a metre is a thousand chords, and takes some twenty bytes.
const CHORDS: usize = 100_000;
const CHORDS_PER_BYTE: usize = 40;
const MOST_CHORDS: usize = 20_000_000;

/// A toolpath.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Toolpath {
    /// Where the tip is wanted, one after the other.
    pub points: Vec<ToolpathPoint>,
    /// What was passed over and changes nothing, or is odd, with its line.
    pub notes: Vec<(u32, String)>,
    /// The same as warnings: the first ones with their lines, and how many more there are.
    pub warnings: Vec<Fault>,
    /// Statements that were looked at.
    pub statements: usize,
}

/// A point of a toolpath.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolpathPoint {
    /// The tip, in metres.
    pub point: DVec3,
    /// Where the tool points, into the work; a unit vector.
    pub direction: DVec3,
    /// Speed on the way to it, in metres per second.
    pub feed: Option<f64>,
    /// Which stroke it belongs to.
    pub stroke: u32,
    /// Its line in the file.
    pub line: u32,
}

/// What a file leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolpathOptions {
    /// The unit of lengths, if the caller gives one.
    pub unit: Option<GivenUnit>,
    /// Whether X, Y and Z of G-code without a tool-tip mode are the tip of a tool that stands along z.
    pub three_axis: bool,
    /// How rotary axes turn the tool: letters in the order in which they are applied about fixed axes, A about x, B about y, C about z.
    pub rotary: String,
}

/// A unit of lengths that the caller gives.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenUnit {
    /// Metres in one unit.
    pub metres: f64,
    /// Whether it counts whatever the file says; otherwise a file that names another unit is refused.
    pub overrides: bool,
    /// Who gives it, for messages, as in `--units`.
    pub by: &'static str,
}

impl Default for ToolpathOptions {
    fn default() -> Self {
        Self { unit: None, three_axis: false, rotary: "ABC".into() }
    }
}

/// Kinds of toolpaths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolpathKind {
    /// APT-CL.
    Apt,
    /// G-code.
    GCode,
    /// Curves with normals, SprutCAM's 5DC.
    Curves,
}

impl ToolpathKind {
    /// By how the name of a file ends.
    #[must_use]
    pub fn of_file(path: &Path) -> Option<Self> {
        let end = path.extension()?.to_string_lossy().to_ascii_lowercase();
        Some(match end.as_str() {
            "apt" | "cls" | "cl" | "ncl" | "aptsource" => Self::Apt,
            "nc" | "tap" | "mpf" | "ngc" | "gcode" | "cnc" | "spf" => Self::GCode,
            "5dc" => Self::Curves,
            _ => return None,
        })
    }
}

/// Reads a toolpath.
///
/// # Errors
/// What is not understood and belongs to the path, with its line.
pub fn read(path: &Path, kind: ToolpathKind, options: &ToolpathOptions) -> Result<Toolpath, ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    parse(&bytes, kind, options).map_err(fail)
}

/// Reads one from memory.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8], kind: ToolpathKind, options: &ToolpathOptions) -> Result<Toolpath, Vec<Fault>> {
    if bytes.len() > MAX_BYTES {
        return Err(vec![Fault::of_file(format!("toolpaths of more than {MAX_BYTES} bytes are not read"))]);
    }
    let text = text::decoded(bytes);
    let read = match kind {
        ToolpathKind::Apt => apt::read(&text, options),
        ToolpathKind::GCode => gcode::read(&text, options),
        ToolpathKind::Curves => curves::read(&text, options),
    };
    let mut path =
        read.map_err(|wrong| listed(wrong.into_iter(), |(line, what)| fault_at(&text, line, what)))?;
    if path.points.is_empty() {
        return Err(vec![Fault::of_file("there are no points in this toolpath")]);
    }
    let more = path.notes.len().saturating_sub(LISTED);
    path.warnings =
        path.notes.iter().take(LISTED).map(|(line, what)| fault_at(&text, *line, what.clone())).collect();
    path.warnings.extend((more > 0).then(|| Fault::of_file(format!("and {more} more warnings"))));
    Ok(path)
}

/// A toolpath as a table that jobs take.
#[must_use]
pub fn csv(path: &Toolpath) -> Vec<u8> {
    let mut text = String::from("stroke,x_mm,y_mm,z_mm,i,j,k\n");
    for point in &path.points {
        let (p, d) = (point.point * 1e3, point.direction);
        let _ = writeln!(
            text,
            "{},{:.6},{:.6},{:.6},{:.9},{:.9},{:.9}",
            point.stroke, p.x, p.y, p.z, d.x, d.y, d.z
        );
    }
    text.into_bytes()
}

/// What becomes of a change of tools within a path.
const ONE_TOOL: &str = "kansho takes the whole path for one of the tool of the cell";

/// How far both ends of an arc may differ in their distance from its centre, in metres.
///
/// Numbers with three decimals, as CAM systems write them, put each end and the centre up to 0.0007 units from where they are meant, which
/// makes 0.003 units at most: [`ARC_DIGITS`]. In millimetres that is less than this, a hundredth of a millimetre.
const ARC_AGREES: f64 = 1e-5;

/// What three decimals leave open about a radius, in units of the file.
const ARC_DIGITS: f64 = 3e-3;

/// How far radii of one arc may differ in a file of this unit, in metres.
fn arc_agrees(metres: f64) -> f64 {
    ARC_AGREES.max(ARC_DIGITS * metres.min(0.0254))
}

/// A length in the unit of the file.
fn in_unit(length: f64, metres: f64) -> String {
    let unit = match metres {
        1e-3 => "mm",
        1e-2 => "cm",
        0.0254 => "in",
        0.3048 => "ft",
        1.0 => "m",
        _ => "units",
    };
    format!("{:.4} {unit}", length / metres)
}

/// What is wrong, with lines.
type Wrong = Vec<(u32, String)>;

/// The unit of a file: what it says itself, and what the caller gives.
struct Lengths<'a> {
    given: Option<&'a GivenUnit>,
    /// What the file has named so far.
    named: Option<f64>,
}

impl<'a> Lengths<'a> {
    fn new(given: Option<&'a GivenUnit>) -> Self {
        Self { given, named: None }
    }

    /// Metres in one unit, as far as that is known.
    fn metres(&self) -> Option<f64> {
        self.given.map(|given| given.metres).or(self.named)
    }

    /// The file names its unit: what counts from there on, and what is to be said about it.
    fn named(&mut self, metres: f64, word: &str) -> Result<(f64, Option<String>), String> {
        let before = self.named.replace(metres);
        match self.given {
            Some(given) if !given.overrides && given.metres != metres => {
                Err(format!("{word} names another unit than {}: leave that out, or put it right", given.by))
            }
            Some(given) if before.is_some_and(|before| before != metres) => {
                Err(format!("the unit changes here ({word}), and {} gives one for the whole file", given.by))
            }
            Some(given) => {
                let is_news = before.is_none() && given.metres != metres;
                let what = || format!("{word} names another unit than {}, which counts", given.by);
                Ok((given.metres, is_news.then(what)))
            }
            None => Ok((metres, None)),
        }
    }
}

/// A part of a circle.
struct Arc {
    centre: DVec3,
    /// A unit vector.
    axis: DVec3,
    /// About the axis, not zero.
    angle: f64,
}

/// Puts points one after the other, strokes apart.
#[derive(Default)]
struct Builder {
    path: Toolpath,
    stroke: u32,
    /// Where the last rapid move ended, if nothing came since.
    waiting: Option<ToolpathPoint>,
    /// Where the tip is.
    here: Option<ToolpathPoint>,
    /// Whether the tip has left for a place that is not known.
    has_left: bool,
    /// How many more chords there may be.
    chords_left: usize,
    /// Points that are none, and arcs that are too many; the first ones.
    wrong: Wrong,
}

impl Builder {
    /// For a file of so many bytes.
    fn of(bytes: usize) -> Self {
        Self { chords_left: (CHORDS + CHORDS_PER_BYTE * bytes).min(MOST_CHORDS), ..Self::default() }
    }

    /// The path, if nothing is wrong with it, nor with what its reader found.
    fn done(self, mut wrong: Wrong) -> Result<Toolpath, Wrong> {
        wrong.extend(self.wrong);
        wrong.sort_by_key(|(line, _)| *line);
        if wrong.is_empty() { Ok(self.path) } else { Err(wrong) }
    }

    fn rapid(&mut self, point: DVec3, direction: DVec3, line: u32) {
        let at = ToolpathPoint { point, direction, feed: None, stroke: 0, line };
        if self.is_good(&at) {
            self.waiting = Some(at);
            self.here = Some(at);
        }
    }

    /// The tip leaves for a place that is not known.
    fn leave(&mut self) {
        (self.waiting, self.here) = (None, None);
        self.has_left = true;
    }

    fn feed(&mut self, point: DVec3, direction: DVec3, feed: Option<f64>, line: u32) {
        let at = ToolpathPoint { point, direction, feed, stroke: self.stroke, line };
        if !self.is_good(&at) {
            return;
        }
        if let Some(waiting) = self.waiting.take() {
            if !self.path.points.is_empty() {
                self.stroke += 1;
            }
            self.path.points.push(ToolpathPoint { stroke: self.stroke, ..waiting });
        } else if self.has_left && !self.path.points.is_empty() {
            self.stroke += 1;
        }
        self.has_left = false;
        let at = ToolpathPoint { stroke: self.stroke, ..at };
        self.path.points.push(at);
        self.here = Some(at);
    }

    /// Whether a point is one; otherwise that is noted.
    fn is_good(&mut self, at: &ToolpathPoint) -> bool {
        let what = if !(at.point.abs().max_element() <= tolerance::COORDINATE_LIMIT) {
            format!("this point is farther out than {:e} m", tolerance::COORDINATE_LIMIT)
        } else if !at.feed.is_none_or(|feed| feed >= 0.0 && feed.is_finite()) {
            "the feed on the way to this point is no speed".into()
        } else {
            return true;
        };
        self.fail(at.line, what);
        false
    }

    /// Keeps what is wrong with a line, once, as long as there is not too much.
    fn fail(&mut self, line: u32, what: String) {
        if self.wrong.len() < 30 && self.wrong.last().is_none_or(|(last, _)| *last != line) {
            self.wrong.push((line, what));
        }
    }

    /// An arc about an axis, from where the tip is, by an angle that is not zero; the tip also moves along the axis. The tool keeps its direction
    /// or turns evenly to another one.
    fn arc(&mut self, arc: &Arc, to: DVec3, direction: DVec3, feed: Option<f64>, line: u32) {
        let Arc { centre, axis, angle } = *arc;
        let Some(from) = self.here else { return };
        let arm = from.point - centre;
        let radius = (arm - axis * arm.dot(axis)).length();
        let rise = (to - from.point).dot(axis);
        // The height of a chord over its arc is r (1 - cos(half)).
        let most = 2.0 * (1.0 - (CHORD / radius.max(CHORD)).min(1.0)).acos();
        let count = (angle.abs() / most).ceil().max(1.0) as usize;
        let Some(left) = self.chords_left.checked_sub(count) else {
            self.fail(line, format!("arcs become more chords than {CHORDS}, {CHORDS_PER_BYTE} for each byte of the file, and {MOST_CHORDS} in all"));
            return;
        };
        self.chords_left = left;
        for k in 1..=count {
            let u = k as f64 / count as f64;
            let point = if k == count {
                to
            } else {
                centre + DQuat::from_axis_angle(axis, angle * u) * arm + axis * (rise * u)
            };
            let turned = from.direction.lerp(direction, u).try_normalize().unwrap_or(direction);
            self.feed(point, turned, feed, line);
        }
    }
}

#[cfg(test)]
mod tests;
