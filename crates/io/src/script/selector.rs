//! Directions, poses and selectors, as people write them.

use super::keys::SELECTOR;
use crate::cell::LengthUnit;
use crate::cell::toml::{Report, Value, shown};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_plan::script::{FaceSelector, Selector};

/// The directions of `+x-z` and the like: one to three signed axes, each at most once.
pub(super) fn axes(text: &str) -> Option<Vec<DVec3>> {
    let mut found: Vec<DVec3> = Vec::new();
    let mut sign = None;
    for c in text.chars() {
        let axis = match c {
            '+' | '-' if sign.is_none() => {
                sign = Some(if c == '+' { 1.0 } else { -1.0 });
                continue;
            }
            'x' | 'X' => DVec3::X,
            'y' | 'Y' => DVec3::Y,
            'z' | 'Z' => DVec3::Z,
            _ => return None,
        };
        // Only the first may go without a sign.
        let signed = sign.take().or(found.is_empty().then_some(1.0))?;
        if found.iter().any(|known| known.dot(axis) != 0.0) {
            return None;
        }
        found.push(axis * signed);
    }
    (sign.is_none() && !found.is_empty()).then_some(found)
}

/// `"+z"` or three numbers.
pub(super) fn direction(value: Value, report: &mut Report) -> Option<DVec3> {
    if value.is_list() {
        let d = DVec3::from_array(value.numbers::<3>(report)?);
        let unit = d.try_normalize();
        if unit.is_none() {
            report.note(&value.at(), "this is no direction: its length is zero");
        }
        return unit;
    }
    let text = value.text("a direction", report)?;
    match axes(text.value).as_deref() {
        Some(&[d]) => Some(d),
        _ => {
            report.note(&text.at, format!("\"{}\" is no direction", shown(text.value))).help =
                Some("write an axis with its sign, such as \"-z\", or three numbers".into());
            None
        }
    }
}

/// `{ xyz = [..], rpy_deg = [..] }`.
pub(super) fn pose(value: Value, units: LengthUnit, report: &mut Report) -> Option<Pose> {
    let entries = value.entries(report);
    let (mut xyz, mut rpy) = (Some([0.0; 3]), Some([0.0; 3]));
    for (key, value) in entries {
        match key.value {
            "xyz" => xyz = value.numbers::<3>(report),
            "rpy_deg" => rpy = value.numbers::<3>(report),
            other => {
                report.note(&key.at, format!("a pose has no key \"{}\"", shown(other))).help =
                    Some("known are xyz, rpy_deg".into());
            }
        }
    }
    let xyz = DVec3::from_array(xyz?.map(|x| units.metres(x)));
    if xyz.abs().max_element() > kansho_geom::tolerance::COORDINATE_LIMIT {
        report.note(&value.at(), "this is beyond the limit of coordinates");
        return None;
    }
    Some(Pose::from_rpy(xyz, DVec3::from_array(rpy?).map(f64::to_radians)))
}

/// A selector, in metres.
pub(super) fn selector(value: Value, units: LengthUnit, report: &mut Report) -> Option<Selector> {
    let table = value.table("a feature", SELECTOR, report)?;
    let point = |key: &str, report: &mut Report| -> Option<DVec3> {
        let numbers = table.get(key)?.numbers::<3>(report)?;
        Some(DVec3::from_array(numbers.map(|x| units.metres(x))))
    };
    let at = point("at", report);
    let kinds = table.those_of(["face", "faces", "edge", "vertex", "axis", "rim"]);
    let [kind] = &kinds[..] else {
        let what = if kinds.is_empty() { "a feature needs a selector" } else { "a feature has one selector" };
        report.note(&table.at, what).help = Some("give one of face, faces, edge, vertex, axis, rim".into());
        return None;
    };
    let value = table.get(kind.value)?;
    // What has its points already takes no other ones.
    let takes: &[&str] = match kind.value {
        "rim" => &["at", "from", "to"],
        "faces" => &[],
        "edge" | "vertex" | "axis" if value.is_list() => &[],
        _ => &["at"],
    };
    let unused = table.those_of(["at", "from", "to"]).into_iter().filter(|key| !takes.contains(&key.value));
    for key in unused {
        let what = match (key.value, kind.value) {
            ("at", "faces") => "\"at\" goes into each of the faces".to_owned(),
            ("at", given) => format!("this {given} says where it is itself: \"at\" is too much"),
            (other, _) => format!("\"{other}\" is a key of a rim"),
        };
        report.note(&key.at, what).help = Some("leave it out".into());
    }
    let two_points = |value: Value, report: &mut Report| -> Option<[DVec3; 2]> {
        let list = value.list("two points", report)?;
        if list.len() != 2 {
            report.note(&value.at(), format!("expected two points, found {}", list.len()));
            return None;
        }
        let [a, b] = [list[0], list[1]].map(|p| p.numbers::<3>(report));
        Some([a?, b?].map(|p| DVec3::from_array(p.map(|x| units.metres(x)))))
    };
    let wrong = |value: Value, what: &str, help: &str, report: &mut Report| {
        report.note(&value.at(), what.to_owned()).help = Some(help.to_owned());
    };
    match kind.value {
        "face" => {
            let list = if value.is_list() { value.list("", report)? } else { Vec::new() };
            let is_words = !list.is_empty() && list.iter().all(|v| v.is_text());
            let normals: Vec<Option<DVec3>> = if is_words {
                list.into_iter().map(|v| direction(v, report)).collect()
            } else {
                vec![direction(value, report)]
            };
            let normals: Option<Vec<DVec3>> = normals.into_iter().collect();
            Some(Selector::Faces(normals?.into_iter().map(|normal| FaceSelector { normal, at }).collect()))
        }
        "faces" => {
            let list = value.list("a list of faces", report)?;
            if list.is_empty() {
                report.note(&value.at(), "expected at least one face, found none");
                return None;
            }
            let faces: Vec<Option<Vec<FaceSelector>>> = list
                .into_iter()
                .map(|value| match selector(value, units, report)? {
                    Selector::Faces(faces) => Some(faces),
                    _ => {
                        report.note(&value.at(), "expected a face: { face = .., at = .. }");
                        None
                    }
                })
                .collect();
            let faces: Option<Vec<Vec<FaceSelector>>> = faces.into_iter().collect();
            Some(Selector::Faces(faces?.into_iter().flatten().collect()))
        }
        "edge" if value.is_list() => Some(Selector::EdgeAt(two_points(value, report)?)),
        "edge" => {
            let text = value.text("an edge", report)?;
            match axes(text.value).as_deref() {
                Some(&[a, b]) => Some(Selector::EdgeBetween([a, b], at)),
                _ => {
                    wrong(
                        value,
                        "this names no edge",
                        "write the two faces it lies between, such as \"+x-z\", or two points on it",
                        report,
                    );
                    None
                }
            }
        }
        "vertex" if value.is_list() => {
            let numbers = value.numbers::<3>(report)?;
            Some(Selector::VertexAt(DVec3::from_array(numbers.map(|x| units.metres(x)))))
        }
        "vertex" => {
            let text = value.text("a corner", report)?;
            match axes(text.value) {
                Some(directions) => Some(Selector::VertexToward(directions.into_iter().sum(), at)),
                None => {
                    wrong(
                        value,
                        "this names no corner",
                        "write which way it lies, such as \"+x+y-z\", or its coordinates",
                        report,
                    );
                    None
                }
            }
        }
        "axis" if value.is_list() => Some(Selector::Axis(two_points(value, report)?)),
        "axis" => {
            let d = direction(value, report)?;
            let point = at.unwrap_or(DVec3::ZERO);
            Some(Selector::Axis([point, point + d]))
        }
        _ => {
            let normal = direction(value, report)?;
            let ends = match (point("from", report), point("to", report)) {
                (Some(from), Some(to)) => Some([from, to]),
                (None, None) => None,
                _ => {
                    report.note(&table.at, "a part of a rim has both ends: from and to");
                    return None;
                }
            };
            Some(Selector::Rim(FaceSelector { normal, at }, ends))
        }
    }
}
