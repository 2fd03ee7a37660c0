//! Postures that come one JSON line at a time, from whoever moves the robot.
//!
//! A line is a list of numbers, one for each coordinate of the cell; or an object with `q`, such a list, or an object that
//! names joints (`robot/joint`, or `joint` where that is clear) and leaves the others where they were. Beside `q` may stand `t`,
//! seconds, and `id`, anything, which comes back with the answer.
//!
//! ```json
//! [0.1, -1.2, 0.5]
//! {"q": [0.1, -1.2, 0.5], "t": 12.001, "id": 7}
//! {"q": {"arm/elbow": -1.3}, "t": 12.002}
//! ```

use crate::fault::printable;
use crate::held::{self, Held};
use crate::units::Units;
use kansho_cell::{Cell, Quantity, nearest_name};
use kansho_geom::tolerance::COORDINATE_LIMIT;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::fmt;
use std::io::{BufRead, ErrorKind};

/// Longest line, in bytes. A posture of a thousand joints takes some thirty thousand.
pub const LONGEST_LINE: usize = 1 << 20;

/// What a line is kept in does not stay larger than this, in bytes.
const KEPT: usize = 1 << 16;

/// How a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// It is whole.
    Whole,
    /// It is longer than [`LONGEST_LINE`] and was passed over.
    TooLong,
    /// There is no line any more.
    End,
}

/// Reads the next line, without its end. Lines may be of any length: what is too long is not kept.
///
/// # Errors
/// As the reader has them.
pub fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Line> {
    line.clear();
    line.shrink_to(KEPT);
    let (mut too_long, mut begun) = (false, false);
    loop {
        let bytes = match reader.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let rest = &bytes[..end.unwrap_or(bytes.len())];
        let is_over = end.is_some() || bytes.is_empty();
        begun |= !bytes.is_empty();
        too_long |= line.len() + rest.len() > LONGEST_LINE;
        if too_long {
            line.clear();
        } else {
            line.extend_from_slice(rest);
        }
        let used = rest.len() + usize::from(end.is_some());
        reader.consume(used);
        if is_over {
            return Ok(match (begun, too_long) {
                (false, _) => Line::End,
                (true, true) => Line::TooLong,
                (true, false) => Line::Whole,
            });
        }
    }
}

/// A posture from a line.
#[derive(Clone, Debug, PartialEq)]
pub struct LivePosture {
    /// All coordinates of the cell, in metres and radians.
    pub posture: Vec<f64>,
    /// When, in seconds, if the line says so.
    pub time: Option<f64>,
    /// What the line calls itself, as JSON.
    pub id: Option<String>,
}

/// Understands lines, and remembers the last posture for those that name only some joints.
#[derive(Clone, Debug)]
pub struct LiveReader {
    names: Vec<String>,
    /// Also by the name of the joint alone; nothing where several robots have it.
    index_of: HashMap<String, Option<usize>>,
    scales: Vec<f64>,
    /// Joints that the cell holds, with what one unit is.
    held: Vec<(Held, f64)>,
    /// Joints that neither move by themselves nor are held, and why; by their names.
    idle: HashMap<String, String>,
    last: Option<Vec<f64>>,
}

impl LiveReader {
    /// For the postures of a cell, in some units.
    #[must_use]
    pub fn new(cell: &Cell, units: &Units) -> Self {
        let mut index_of: HashMap<String, Option<usize>> = HashMap::new();
        for (index, coordinate) in cell.coordinates().iter().enumerate() {
            index_of
                .entry(coordinate.joint.clone())
                .and_modify(|several| *several = None)
                .or_insert(Some(index));
        }
        // The full name wins over a joint that happens to be called like it.
        let names: Vec<String> = cell.coordinates().iter().map(|c| c.full_name()).collect();
        index_of.extend(names.iter().cloned().zip((0..).map(Some)));
        let scale = |quantity| match quantity {
            Quantity::Angle => units.radians,
            Quantity::Length => units.metres,
        };
        let scales = cell.coordinates().iter().map(|c| scale(c.quantity)).collect();
        let held = Held::all(cell).map(|held| {
            let scale = scale(held.quantity);
            (held, scale)
        });
        let all = cell.robots().iter().flat_map(|robot| {
            robot
                .robot
                .joints()
                .iter()
                .flat_map(|joint| [joint.name.clone(), format!("{}/{}", robot.name, joint.name)])
        });
        let idle = all.filter(|name| !index_of.contains_key(name));
        let idle =
            idle.filter_map(|name| Some((held::why_none(cell, &name)?, name))).map(|(why, name)| (name, why));
        let (held, idle) = (held.collect(), idle.collect());
        Self { names, index_of, scales, held, idle, last: None }
    }

    /// What a line says.
    ///
    /// # Errors
    /// What is wrong with it, in words. The last posture stays what it was.
    pub fn read(&mut self, line: &[u8]) -> Result<LivePosture, String> {
        let text = std::str::from_utf8(line).map_err(|error| {
            format!(
                "byte {} is not UTF-8: {}",
                error.valid_up_to() + 1,
                quoted(&String::from_utf8_lossy(line))
            )
        })?;
        let text = text.trim();
        let (posture, time, id) = if text.starts_with('[') {
            (self.posture(text, text)?, None, None)
        } else {
            let Given { q, t, id } = serde_json::from_str(text).map_err(|error| no_posture(text, &error))?;
            (self.posture(q.get(), text)?, t, id.map(|id| id.get().to_owned()))
        };
        self.last = Some(posture.clone());
        Ok(LivePosture { posture, time, id })
    }

    fn posture(&self, q: &str, line: &str) -> Result<Vec<f64>, String> {
        let posture = if q.starts_with('{') {
            let named: Named = serde_json::from_str(q).map_err(|error| no_posture(line, &error))?;
            self.named(&named.0)?
        } else {
            let numbers: Vec<f64> = serde_json::from_str(q).map_err(|error| no_posture(line, &error))?;
            if numbers.len() != self.names.len() {
                return Err(format!(
                    "{} numbers, but a posture of this cell has {}: {}",
                    numbers.len(),
                    self.names.len(),
                    self.names.join(", ")
                ));
            }
            numbers.iter().zip(&self.scales).map(|(number, scale)| number * scale).collect()
        };
        // Nothing is exact far beyond what a shape may be.
        match posture.iter().position(|value| !(value.abs() <= COORDINATE_LIMIT)) {
            Some(index) => Err(format!(
                "\"{}\" is {:e}, beyond the limit of {COORDINATE_LIMIT:e}",
                self.names[index], posture[index]
            )),
            None => Ok(posture),
        }
    }

    /// The joint that the cell holds and that a name means, if that is clear.
    fn held_named(&self, name: &str) -> Option<&(Held, f64)> {
        let mut found = self.held.iter().filter(|(held, _)| held.is_named(name));
        found.next().filter(|_| found.next().is_none())
    }

    fn named(&self, values: &[(String, f64)]) -> Result<Vec<f64>, String> {
        let mut posture: Vec<Option<f64>> = match &self.last {
            Some(last) => last.iter().map(|value| Some(*value)).collect(),
            None => vec![None; self.names.len()],
        };
        let mut seen = vec![false; self.names.len()];
        for (name, value) in values {
            let index = match self.index_of.get(name) {
                Some(Some(index)) => *index,
                Some(None) => {
                    return Err(format!("{} is a joint of several robots; write robot/joint", quoted(name)));
                }
                None => {
                    if let Some((held, scale)) = self.held_named(name) {
                        held.agrees(value * scale)?;
                        continue;
                    }
                    if let Some(why) = self.idle.get(name) {
                        return Err(why.clone());
                    }
                    let near = nearest_name(name, self.index_of.keys().map(String::as_str));
                    let near = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
                    return Err(format!("{} is no joint of this cell that moves{near}", quoted(name)));
                }
            };
            if std::mem::replace(&mut seen[index], true) {
                return Err(format!("\"{}\" stands twice", self.names[index]));
            }
            posture[index] = Some(value * self.scales[index]);
        }
        let missing = posture.iter().zip(&self.names).find(|(value, _)| value.is_none());
        match missing {
            Some((_, name)) => Err(format!("the first posture must name every joint; \"{name}\" is missing")),
            None => Ok(posture.into_iter().flatten().collect()),
        }
    }
}

/// A line as it stands. Infinite numbers are no JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given<'a> {
    #[serde(borrow)]
    q: &'a RawValue,
    t: Option<f64>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// Names and values in the order in which they stand, so that none is lost if one stands twice.
struct Named(Vec<(String, f64)>);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Named;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("joints and their values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Named(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

fn no_posture(line: &str, error: &serde_json::Error) -> String {
    let what = error.to_string();
    // The column is that of `q` where that was read on its own, which helps nobody.
    let what = what.split(" at line ").next().unwrap_or_default();
    // It names words of the line as they are.
    format!("no posture: {}: {}", printable(what), quoted(line))
}

/// The beginning of a text, with what terminals must not see escaped.
fn quoted(text: &str) -> String {
    /// Letters that are shown.
    const SHOWN: usize = 80;
    let shown: String = text.chars().take(SHOWN).collect();
    let more = if shown.len() < text.len() { "..." } else { "" };
    format!("{shown:?}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postures::tests::cell;
    use proptest::prelude::*;

    fn reader(robots: &[&str], units: Units) -> LiveReader {
        LiveReader::new(&cell(robots, "turn"), &units)
    }

    #[test]
    fn lines_of_every_kind() {
        let mut reader = reader(&["r"], Units { metres: 1e-3, radians: 1.0 });
        let mut check = |line: &str, posture: [f64; 2], time: Option<f64>, id: Option<&str>| {
            let found = reader.read(line.as_bytes()).expect("good");
            assert_eq!((&found.posture[..], found.time, found.id.as_deref()), (&posture[..], time, id));
        };
        check("[500, 1]", [0.5, 1.0], None, None);
        check(r#"{"q": {"slide": 250}}"#, [0.25, 1.0], None, None);
        check(
            r#" {"id": {"b": [1], "a": 1e0}, "t": 2.5, "q": [0, 0]}"#,
            [0.0, 0.0],
            Some(2.5),
            Some(r#"{"b": [1], "a": 1e0}"#),
        );
        check(r#"{"q": {"r/turn": 3}, "id": null, "t": null}"#, [0.0, 3.0], None, None);
        check("{\"q\": {}}\r", [0.0, 3.0], None, None);
    }

    #[test]
    fn faults_say_what_is_wrong() {
        let check = |robots: &[&str], line: &[u8], expected: &str| {
            let mut reader = reader(robots, Units::default());
            let fault = reader.read(line).expect_err("bad");
            assert!(fault.contains(expected), "{fault}");
            assert!(reader.last.is_none());
        };
        let two: &[&str] = &["r", "s"];
        let one = &two[..1];
        check(one, b"hello", "expected value: \"hello\"");
        check(one, b"[1, 2, 3]", "3 numbers, but a posture of this cell has 2: r/slide, r/turn");
        check(one, b"[1, NaN]", "no posture");
        check(one, b"[1, 1e999]", "out of range");
        check(one, b"[1, 1e300]", "\"r/turn\" is 1e300, beyond the limit");
        check(one, b"[1, null]", "no posture");
        check(one, b"[1, 2", "no posture");
        check(one, b"[1, 2] [1, 2]", "trailing characters");
        check(one, b"{}", "missing field `q`");
        check(one, br#"{"q": 5}"#, "no posture");
        check(one, br#"{"q": [1, 2], "p": 1}"#, "unknown field `p`");
        check(one, br#"{"q": {"slide": 1}}"#, "\"r/turn\" is missing");
        check(one, br#"{"q": {"slide": 1, "r/slide": 1, "turn": 0}}"#, "\"r/slide\" stands twice");
        check(
            one,
            br#"{"q": {"slid": 1}}"#,
            "\"slid\" is no joint of this cell that moves; did you mean \"slide\"?",
        );
        check(two, br#"{"q": {"slide": 1}}"#, "several robots");
        check(one, b"[1, \xff]", "byte 5 is not UTF-8");
        check(one, "[".repeat(100_000).as_bytes(), "no posture");
    }

    /// A line may name a joint that the cell holds, if it says the same.
    #[test]
    fn held_joints_may_be_named() {
        let cell = crate::postures::tests::cell_holding(&["r"], "turn", &[("slide", 0.5)]);
        let mut reader = LiveReader::new(&cell, &Units { metres: 1e-3, radians: 1.0 });
        for name in ["slide", "r/slide"] {
            let line = format!("{{\"q\": {{\"turn\": 1, \"{name}\": 500}}}}");
            assert_eq!(reader.read(line.as_bytes()).expect("good").posture, [1.0]);
            let fault = reader.read(line.replace("500", "0").as_bytes()).expect_err("elsewhere");
            assert!(
                fault.contains("\"r/slide\" is held at 500 mm by the cell, and is at 0 mm here"),
                "{fault}"
            );
        }
    }

    #[test]
    fn long_lines_are_passed_over() {
        let long = vec![b'x'; LONGEST_LINE + 1];
        let most = vec![b'y'; LONGEST_LINE];
        let text = [b"a\n".as_slice(), &long, b"\n\n", &most, b"\nlast"].concat();
        let mut input = std::io::BufReader::with_capacity(777, text.as_slice());
        let mut line = Vec::new();
        let mut next = || {
            let end = next_line(&mut input, &mut line).expect("memory can be read");
            (end, line.len())
        };
        assert_eq!(next(), (Line::Whole, 1));
        assert_eq!(next(), (Line::TooLong, 0));
        assert_eq!(next(), (Line::Whole, 0));
        assert_eq!(next(), (Line::Whole, LONGEST_LINE));
        assert_eq!(next(), (Line::Whole, 4));
        assert_eq!(next(), (Line::End, 0));
        assert!(line.capacity() <= KEPT);
    }

    proptest! {
        #[test]
        fn no_line_is_too_much(line in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = reader(&["r"], Units::default()).read(&line);
        }

        #[test]
        fn no_json_is_too_much(line in r#"[\[\]{}",:0-9eE.+\-qtid/ rslturn]{0,60}"#) {
            if let Ok(found) = reader(&["r"], Units::default()).read(line.as_bytes()) {
                prop_assert!(found.posture.len() == 2 && found.posture.iter().all(|value| value.is_finite()));
            }
        }
    }
}
