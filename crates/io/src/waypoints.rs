//! The postures that a motion goes through: a CSV of postures, or a JSON list of moves.
//!
//! ```json
//! [{"ptp": [0, -1.2, 0.5]}, {"ptp": {"arm/elbow": 0.3, "arm/base": 0, "wrist": 1}, "zone": 0}]
//! ```
//!
//! The first move says where the motion begins. Lists in which a tool is led (`lin`, `circ`, `spline`) are read by
//! [`program`](crate::move_list).

use crate::fault::{Fault, Faults, ReadError};
use crate::held::{self, Held};
use crate::limits::Outside;
use crate::load::bytes_of;
use crate::units::Units;
use crate::{limits, postures};
use kansho_cell::{Cell, Coordinate, Follower, JointMotion, Quantity, nearest_name};
use serde_json::Value;
use std::path::Path;

/// The postures that a motion goes through.
#[derive(Clone, Debug, PartialEq)]
pub struct Waypoints {
    /// At least two, each with one number per coordinate.
    pub postures: Vec<Vec<f64>>,
    /// For every coordinate that leaves its limits, where it does; rows or moves are counted from 1.
    pub outside_limits: Vec<Fault>,
}

/// Reads what a motion goes through: JSON if the first letter is a bracket, otherwise CSV.
///
/// # Errors
/// Everything that does not fit the cell, with its row or move; fewer than two postures.
pub fn read(path: &Path, cell: &Cell, units: &Units) -> Result<Waypoints, ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    parse(&bytes, cell, units).map_err(fail)
}

/// Reads them from memory.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8], cell: &Cell, units: &Units) -> Result<Waypoints, Vec<Fault>> {
    let is_json = crate::json::is_meant(bytes);
    let waypoints = if is_json {
        moves(bytes, cell, units)?
    } else {
        let rows = postures::parse(bytes, cell, units)?;
        Waypoints {
            postures: rows.iter().map(<[f64]>::to_vec).collect(),
            outside_limits: rows.outside_limits().to_vec(),
        }
    };
    match waypoints.postures.len() {
        0 | 1 => Err(vec![Fault::of_file("there is one posture in this file, and a motion needs two")]),
        _ => Ok(waypoints),
    }
}

/// Where a motion leaves the limits between two waypoints that are within them, as splines may; each coordinate once.
#[must_use]
pub fn outside_between(cell: &Cell, motion: &JointMotion) -> Vec<Fault> {
    let of = |(index, coordinate): (usize, &Coordinate)| {
        let limits = coordinate.limits?;
        motion.pieces().iter().enumerate().find_map(|(k, piece)| {
            let [from, .., to] = piece.controls()[index];
            let what = limits::leaves(coordinate, piece.range(index))?;
            (limits.contain(from) && limits.contain(to))
                .then(|| Fault::of_part(format!("between waypoints {} and {}", k + 1, k + 2), what))
        })
    };
    let of_follower = |follower: &Follower| {
        motion.pieces().iter().enumerate().find_map(|(k, piece)| {
            let [from, .., to] = piece.controls()[follower.coordinate];
            let what = limits::follower_leaves(cell, follower, piece.range(follower.coordinate), [from, to])?;
            Some(Fault::of_part(format!("between waypoints {} and {}", k + 1, k + 2), what))
        })
    };
    let coordinates = cell.coordinates().iter().enumerate().filter_map(of);
    coordinates.chain(cell.followers().iter().filter_map(of_follower)).collect()
}

fn moves(bytes: &[u8], cell: &Cell, units: &Units) -> Result<Waypoints, Vec<Fault>> {
    let whole = |what: String| vec![Fault::of_file(what)];
    let value: Value =
        crate::json::parse(bytes).map_err(|error| whole(format!("this is no JSON: {error}")))?;
    let Value::Array(list) = value else {
        return Err(whole("a motion in JSON is a list of moves, such as [{\"ptp\": [0, 1]}, ...]".into()));
    };
    if list.is_empty() {
        return Err(whole("there are no moves in this list".into()));
    }
    let mut faults = Faults::default();
    let mut waypoints = Waypoints { postures: Vec::new(), outside_limits: Vec::new() };
    for (number, entry) in (1..).zip(&list) {
        let part = || format!("move {number}");
        match one_move(entry, cell, units) {
            Err(what) => faults.push(Fault::of_part(part(), what)),
            Ok(posture) => {
                waypoints.outside_limits.extend(outside(cell, &posture, &part()));
                waypoints.postures.push(posture);
            }
        }
    }
    faults.into_result()?;
    Ok(waypoints)
}

/// Every joint of a posture that is outside its limits.
#[must_use]
pub fn outside(cell: &Cell, posture: &[f64], part: &str) -> Vec<Fault> {
    let of = |found: Outside| {
        let fault = Fault::of_part(part.to_owned(), found.what);
        if found.is_far { fault.with_help("degrees? ⟦units=deg⟧ says so") } else { fault }
    };
    limits::all_outside(cell, posture).into_iter().map(of).collect()
}

fn one_move(entry: &Value, cell: &Cell, units: &Units) -> Result<Vec<f64>, String> {
    let Value::Object(entry) = entry else {
        return Err("a move is an object, such as {\"ptp\": [0, 1]}".into());
    };
    for (key, value) in entry {
        match key.as_str() {
            "ptp" => {}
            "lin" | "circ" | "spline" => {
                return Err(format!("'{key}' leads a tool, and this is about postures only"));
            }
            "zone" if value.as_f64().is_some_and(|zone| zone == 0.0) => {}
            "branch" => {
                return Err("'branch' is of moves to poses: joint values say their branch themselves, so leave it out".into());
            }
            "zone" => return Err("corners of joints are not rounded: the zone of a ptp is 0".into()),
            _ => return Err(format!("'{key}' is no kind of move")),
        }
    }
    match entry.get("ptp") {
        None => Err("there is no 'ptp' in this move".into()),
        Some(value) => posture(value, cell, units),
    }
}

/// A posture as a list of numbers, or by the names of joints.
pub(crate) fn posture(value: &Value, cell: &Cell, units: &Units) -> Result<Vec<f64>, String> {
    let coordinates = cell.coordinates();
    let scaled = |value: &Value, quantity: Quantity, name: &dyn Fn() -> String| {
        let scale = match quantity {
            Quantity::Angle => units.radians,
            Quantity::Length => units.metres,
        };
        let number = value.as_f64().map(|number| number * scale).filter(|number| number.is_finite());
        number.ok_or_else(|| format!("\"{}\" is {value}, which is no finite number", name()))
    };
    let number = |value: &Value, coordinate: &Coordinate| {
        scaled(value, coordinate.quantity, &|| coordinate.full_name())
    };
    match value {
        Value::Array(values) => {
            if values.len() != coordinates.len() {
                let names: Vec<String> = coordinates.iter().map(Coordinate::full_name).collect();
                return Err(format!(
                    "{} numbers, but a posture of this cell has {}: {}",
                    values.len(),
                    coordinates.len(),
                    names.join(", ")
                ));
            }
            values.iter().zip(coordinates).map(|(value, coordinate)| number(value, coordinate)).collect()
        }
        Value::Object(named) => {
            let mut posture = vec![None; coordinates.len()];
            for (name, value) in named {
                let mut found = (0..coordinates.len())
                    .filter(|&k| coordinates[k].joint == *name || coordinates[k].full_name() == *name);
                let index = match (found.next(), found.next()) {
                    (Some(index), None) => index,
                    (Some(_), Some(_)) => {
                        return Err(format!("'{name}' is a joint of several robots: write robot/joint"));
                    }
                    (None, _) => {
                        if let Some(held) = Held::named(cell, name) {
                            held.agrees(scaled(value, held.quantity, &|| held.name.clone())?)?;
                            continue;
                        }
                        if let Some(why) = held::why_none(cell, name) {
                            return Err(why);
                        }
                        let names: Vec<String> =
                            coordinates.iter().flat_map(|c| [c.joint.clone(), c.full_name()]).collect();
                        let near = nearest_name(name, names.iter().map(String::as_str));
                        let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
                        return Err(format!("'{name}' is no joint of this cell that moves{near}"));
                    }
                };
                if posture[index].replace(number(value, &coordinates[index])?).is_some() {
                    return Err(format!("'{name}' stands twice"));
                }
            }
            let missing = |(k, value): (usize, Option<f64>)| {
                value.ok_or_else(|| format!("nothing is said of \"{}\"", coordinates[k].full_name()))
            };
            posture.into_iter().enumerate().map(missing).collect()
        }
        _ => Err("'ptp' is a list of numbers, or an object that names joints".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postures::tests::cell;

    #[test]
    fn lists_of_moves() {
        let cell = cell(&["r"], "turn");
        let check = |text: &str, expected: &[[f64; 2]]| {
            let found = parse(text.as_bytes(), &cell, &Units { metres: 1e-3, radians: 1.0 }).expect("good");
            assert_eq!(found.postures, expected, "{text}");
        };
        check(
            "[{\"ptp\": [500, 2]}, {\"ptp\": {\"turn\": 1, \"r/slide\": 0}, \"zone\": 0}]",
            &[[0.5, 2.0], [0.0, 1.0]],
        );
        check(" \n 500 2\n0 1\n", &[[0.5, 2.0], [0.0, 1.0]]);
        // As editors save it that put a mark of byte order first.
        check("\u{feff}[{\"ptp\": [500, 2]}, {\"ptp\": [0, 1]}]", &[[0.5, 2.0], [0.0, 1.0]]);
        let outside =
            parse(b"[{\"ptp\": [0, 0]}, {\"ptp\": [0, 10]}]", &cell, &Units::default()).expect("good");
        let told: Vec<String> = outside.outside_limits.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "move 2: \"r/turn\" is at 572.9578 deg, 57.2958 deg outside its limits of -515.662 to 515.662 deg"
            ]
        );
    }

    #[test]
    fn faults_name_their_move() {
        let cell = cell(&["r"], "turn");
        for (text, expected) in [
            ("[{\"ptp\": [0, 0]}]", "there is one posture"),
            ("0 0", "there is one posture"),
            ("[]", "there are no moves"),
            ("{\"ptp\": [0, 0]}", "a list of moves"),
            ("[{\"ptp\": [0, 0]}, {\"lin\": {}}]", "move 2: 'lin' leads a tool"),
            ("[{\"circ\": {}}]", "move 1: 'circ' leads a tool"),
            ("[{\"ptp\": [0, 0], \"zone\": 0.1}]", "move 1: corners of joints"),
            (
                "[{\"ptp\": [0, 0, 0]}]",
                "move 1: 3 numbers, but a posture of this cell has 2: r/slide, r/turn",
            ),
            ("[{\"ptp\": [0, null]}]", "move 1: \"r/turn\" is null"),
            ("[{\"ptp\": [0, 1e999]}]", "this is no JSON"),
            ("[{\"ptp\": {\"slide\": 0}}]", "move 1: nothing is said of \"r/turn\""),
            ("[{\"ptp\": {\"slid\": 0}}]", "did you mean slide?"),
            ("[{\"ptp\": {\"slide\": 0, \"r/slide\": 0}}]", "stands twice"),
            ("[{\"ptp\": 3}]", "move 1: 'ptp' is a list"),
            ("[3]", "move 1: a move is an object"),
            ("[{}]", "move 1: there is no 'ptp'"),
            ("[{\"ptp\": [0, 0], \"branch\": \"+++\"}]", "move 1: 'branch' is of moves to poses"),
            ("[{\"ptp\": [0, 0]", "this is no JSON"),
        ] {
            let faults = parse(text.as_bytes(), &cell, &Units::default()).expect_err("bad");
            let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
            assert!(told.iter().any(|fault| fault.contains(expected)), "{text}: {told:?}");
        }
    }

    #[test]
    fn splines_that_leave_limits_are_told() {
        let cell = cell(&["r"], "turn");
        let rows: Vec<Vec<f64>> = [0.0, 9.0, 9.0, 0.0].iter().map(|q| vec![*q, 0.0]).collect();
        let spline = JointMotion::spline(&rows).expect("four");
        let told = outside_between(&cell, &spline);
        assert!(told.len() == 1 && told[0].to_string().contains("between waypoints 2 and 3"), "{told:?}");
        assert!(outside_between(&cell, &JointMotion::lines(&rows).expect("four")).is_empty());
    }
}
