//! APT-CL: `MAJOR/minor,...`, a record a line.

use super::{Arc, Builder, Lengths, ONE_TOOL, Toolpath, ToolpathOptions, Wrong, arc_agrees, gcode, in_unit};
use crate::text;
use kansho_geom::glam::DVec3;
use std::collections::BTreeMap;

/// Records that say nothing of where the tip goes.
const QUIET: [&str; 40] = [
    "PAINT", "SPINDL", "COOLNT", "MACHIN", "END", "DISPLY", "MODE", "HEAD", "DELAY", "STOP", "OPSTOP",
    "INTOL", "OUTTOL", "TOLER", "LINTOL", "NOPOST", "CLPRNT", "UNLOAD", "CLAMP", "CLEARP", "SEQNO", "AIR",
    "GEAR", "LEADER", "REWIND", "BREAK", "CHECK", "CONTRL", "DRAFT", "PLABEL", "TMARK", "RESERV", "SYN",
    "INDIRP", "THICK", "CUT", "DNTCUT", "OVPLOT", "PLOT", "REGBRK",
];

/// Records that choose a tool or say its shape.
const TOOLS: [&str; 7] = ["LOADTL", "LOAD", "TLDATA", "CUTTER", "SELECT", "SELCTL", "TOOLNO"];

/// What records have said of the tool.
#[derive(Default)]
struct Tools {
    /// The last record of each kind.
    said: BTreeMap<String, String>,
    /// Points that there were when a change was told last.
    told: Option<usize>,
}

impl Tools {
    /// Whether a record changes the tool after some points: one change is told once, whatever records make it.
    fn change(&mut self, major: &str, minor: &str, points: usize) -> bool {
        let before = self.said.insert(major.to_owned(), minor.to_owned());
        let is_load = major.starts_with("LOAD");
        let is_news =
            points > 0 && (is_load || before.as_deref() != Some(minor)) && self.told != Some(points);
        if is_news {
            self.told = Some(points);
        }
        is_news
    }
}

/// Records whose text is for people, with or without a `/` behind the word.
const TEXTS: [&str; 7] = ["TOOL PATH", "END-OF-PATH", "PARTNO", "PPRINT", "REMARK", "TPRINT", "CATIA0"];

/// Records that change where the tip goes, in ways that are not understood.
const REFUSED: [&str; 29] = [
    "GODATA", "ARCSLP", "NURBS", "MOVARC", "TRACUT", "COPY", "TRANS", "ORIGIN", "ROTATE", "ROTABL", "ROTHED",
    "INDEX", "MACRO", "TERMAC", "CALL", "LOOPST", "LOOPND", "JUMPTO", "GOFWD", "GOBACK", "GOLFT", "GORGT",
    "GOUP", "GODOWN", "TLAXIS", "IF", "RETRCT", "THREAD", "PIVOTZ",
];

/// G codes that PREFUN may hand to the machine: none of them moves the tip.
const HARMLESS_PREFUN: [&str; 6] = ["9", "40", "61", "64", "80", "94"];

/// What hands text or codes to the machine as they are, and whether that leaves the tip where it is.
fn handed_over(major: &str, minor: &str) -> Option<bool> {
    let is_harmless_m = |code: &str| code.parse().is_ok_and(gcode::codes::is_harmless_m);
    match major {
        "PREFUN" => Some(HARMLESS_PREFUN.contains(&minor)),
        "AUXFUN" => Some(is_harmless_m(minor)),
        _ if major.starts_with("INSERT") => {
            let text = if minor.is_empty() { major.trim_start_matches("INSERT") } else { minor };
            let mut words = text.split_whitespace();
            Some(words.all(|word| word.strip_prefix(['M', 'm']).is_some_and(is_harmless_m)))
        }
        _ => None,
    }
}

fn is_label(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric())
}

/// A circle that the next GOTO ends.
struct Circle {
    centre: DVec3,
    axis: DVec3,
    radius: f64,
    line: u32,
}

pub(super) fn read(bytes: &[u8], options: &ToolpathOptions) -> Result<Toolpath, Wrong> {
    let mut builder = Builder::of(bytes.len());
    let (mut wrong, mut ended): (Wrong, bool) = (Vec::new(), false);
    let mut lengths = Lengths::new(options.unit.as_ref());
    let mut metres = lengths.metres();
    let (mut multax, mut rapid, mut feed) = (false, false, None);
    let mut up = DVec3::Z;
    // MULTAX/OFF came, and no point since.
    let mut stays_tilted = false;
    let mut tools = Tools::default();
    // The arc that the next GOTO ends: centre, axis.
    let mut circle: Option<Circle> = None;
    let mut pending: Option<(u32, String)> = None;
    let mut system: Option<Vec<f64>> = None;
    for line in text::lines(bytes) {
        let raw = String::from_utf8_lossy(line.text).into_owned();
        let body = raw.split("$$").next().unwrap_or_default().trim();
        if body.is_empty() {
            continue;
        }
        if ended {
            builder.path.notes.push((line.number, "what follows FINI is not read".into()));
            break;
        }
        let (number, mut record) = pending.take().unwrap_or((line.number, String::new()));
        let is_text = |record: &str| {
            let record = record.to_ascii_uppercase();
            TEXTS.iter().any(|word| record.starts_with(word))
        };
        match body.strip_suffix('$') {
            Some(_) if record.is_empty() && is_text(body) => {
                wrong.push((
                    number,
                    "this text ends with '$': whether it goes on in the next line is not clear".into(),
                ));
                continue;
            }
            Some(part) => {
                record += part.trim_end();
                pending = Some((number, record));
                continue;
            }
            None => record += body,
        }
        builder.path.statements += 1;
        if is_text(&record) {
            continue;
        }
        // Labels are for jumps, which are refused.
        let record = match record.split_once(')') {
            Some((label, rest)) if is_label(label.trim()) => rest.to_owned(),
            _ => record,
        };
        let (major, minor) = record.split_once('/').unwrap_or((record.as_str(), ""));
        let (major, minor) = (major.trim().to_ascii_uppercase(), minor.trim());
        let minors: Vec<&str> = minor.split(',').map(str::trim).collect();
        let mut fail = |what: String| wrong.push((number, what));
        let numbers = |from: usize| -> Option<Vec<f64>> {
            minors[from..].iter().map(|word| word.parse().ok().filter(|n: &f64| n.is_finite())).collect()
        };
        match major.as_str() {
            "UNITS" => {
                let unit = match minors[0].to_ascii_uppercase().as_str() {
                    "MM" | "MILLIMETER" | "MILLIMETERS" => Some(1e-3),
                    "CM" => Some(1e-2),
                    "M" | "METER" | "METERS" => Some(1.0),
                    "IN" | "INCH" | "INCHES" => Some(0.0254),
                    "FT" | "FEET" => Some(0.3048),
                    _ => None,
                };
                match unit {
                    Some(unit) => match lengths.named(unit, &format!("UNITS/{}", minors[0])) {
                        Ok((unit, _)) if metres.is_some_and(|known| known != unit) && builder.here.is_some() => {
                            fail("the units change in the middle of the path".into());
                        }
                        Ok((unit, note)) => {
                            metres = Some(unit);
                            builder.path.notes.extend(note.map(|what| (number, what)));
                        }
                        Err(what) => fail(what),
                    },
                    None => fail(format!("'{}' is no unit that is known", minors[0])),
                }
            }
            "MULTAX" => {
                let is_on = !minors[0].eq_ignore_ascii_case("OFF");
                stays_tilted = multax && !is_on;
                multax = is_on;
            }
            "RAPID" if minor.is_empty() => rapid = true,
            "RAPID" => fail(format!("RAPID/{minor} is not understood: RAPID alone is, before each rapid move")),
            "GOHOME" => fail("GOHOME goes to a place of the machine, which is not known: write that place as GOTO, or remove it".into()),
            "MODE" if minors.iter().any(|word| word.eq_ignore_ascii_case("INCR")) => {
                fail("MODE/INCR counts points from one to the next, and is not understood: write them absolutely".into());
            }
            "FEDRAT" => {
                let speed = minors.iter().find_map(|word| word.parse::<f64>().ok());
                let unit = minors
                    .iter()
                    .map(|word| word.to_ascii_uppercase())
                    .find(|word| word.parse::<f64>().is_err());
                feed = match (speed, unit.as_deref()) {
                    (Some(speed), Some("MMPM")) => Some(speed * 1e-3 / 60.0),
                    (Some(speed), Some("IPM")) => Some(speed * 0.0254 / 60.0),
                    (Some(speed), None | Some("PERMIN")) => Some(speed * metres.unwrap_or(1e-3) / 60.0),
                    _ => None,
                };
            }
            "GOTO" | "FROM" | "GODLTA" => {
                let Some(all) = numbers(0) else {
                    fail(format!("'{minor}' are no finite numbers"));
                    continue;
                };
                let unit = metres.unwrap_or_else(|| {
                    builder.path.notes.push((
                        number,
                        "no UNITS are named before the first point: millimetres are taken".into(),
                    ));
                    1e-3
                });
                metres = Some(unit);
                match all.len() {
                    3 => {}
                    6 => match DVec3::new(all[3], all[4], all[5]).try_normalize() {
                        Some(axis) => up = axis,
                        None => {
                            fail("the axis of the tool has no length".into());
                            continue;
                        }
                    },
                    found => {
                        fail(format!(
                            "a point has three numbers, or six with the axis of the tool; not {found}"
                        ));
                        continue;
                    }
                }
                if all.len() == 3 && multax && major == "GOTO" && builder.here.is_none() {
                    fail("the axis of the tool is not said (MULTAX), and none came before".into());
                    continue;
                }
                let mut point = DVec3::new(all[0], all[1], all[2]) * unit;
                if major == "GODLTA" {
                    match builder.here {
                        Some(here) => point += here.point,
                        None => {
                            fail("nothing says from where (GODLTA)".into());
                            continue;
                        }
                    }
                }
                if all.len() == 3 && std::mem::replace(&mut stays_tilted, false) && up != DVec3::Z {
                    let what = "MULTAX/OFF came before, and this point names no axis: the tool stays as it was tilted last";
                    builder.path.notes.push((number, what.into()));
                }
                // The axis of APT points from the tip to the spindle; ours into the work.
                let into = -up;
                match circle.take() {
                    Some(Circle { centre, axis, radius, .. }) if major != "FROM" => {
                        let Some(from) = builder.here else {
                            fail("nothing says where the circle begins".into());
                            continue;
                        };
                        let flat = |p: DVec3| (p - centre) - axis * (p - centre).dot(axis);
                        let (a, b) = (flat(from.point), flat(point));
                        if !((a.length() - b.length()).abs() <= arc_agrees(unit)) {
                            fail(format!(
                                "the circle begins {} from its centre and ends {} from it",
                                in_unit(a.length(), unit),
                                in_unit(b.length(), unit)
                            ));
                            continue;
                        }
                        if !((a.length() - radius).abs() <= arc_agrees(unit)) {
                            fail(format!(
                                "the circle's radius is {}, and it begins {} from its centre",
                                in_unit(radius, unit),
                                in_unit(a.length(), unit)
                            ));
                            continue;
                        }
                        // A rapid move belongs to no pass, round or straight: the next pass begins where it ends.
                        if rapid {
                            builder.rapid(point, into, number);
                            rapid = false;
                            continue;
                        }
                        let mut angle = axis.dot(a.cross(b)).atan2(a.dot(b));
                        if angle <= 1e-9 {
                            angle += std::f64::consts::TAU;
                        }
                        builder.arc(&Arc { centre, axis, angle }, point, into, feed, number);
                    }
                    Some(circle) => {
                        fail(format!("no GOTO ends the circle of line {}", circle.line));
                        continue;
                    }
                    None if rapid || major == "FROM" => builder.rapid(point, into, number),
                    None => builder.feed(point, into, feed, number),
                }
                rapid = false;
            }
            "CIRCLE" => match numbers(0) {
                Some(all) if all.len() >= 7 => {
                    let unit = metres.unwrap_or(1e-3);
                    if let Some(Circle { line, .. }) = circle {
                        fail(format!("no GOTO ends the circle of line {line}"));
                        continue;
                    }
                    match DVec3::new(all[3], all[4], all[5]).try_normalize() {
                        Some(axis) => {
                            let centre = DVec3::new(all[0], all[1], all[2]) * unit;
                            circle = Some(Circle { centre, axis, radius: all[6].abs() * unit, line: number });
                        }
                        None => fail("the axis of the circle has no length".into()),
                    }
                }
                _ => fail("a circle has a centre, an axis and a radius: seven numbers".into()),
            },
            "CYCLE" if minors[0].eq_ignore_ascii_case("OFF") => {}
            "CYCLE" => fail("cycles are not understood".into()),
            // The machine's own system of coordinates: one for the whole path says where it is, another one moves it.
            "MSYS" => match numbers(0) {
                Some(all) if system.as_ref().is_none_or(|known| *known == all) => {
                    if system.is_none() {
                        let what = "MSYS names a system of coordinates: points are taken in it, and the frame of the job says where it is";
                        builder.path.notes.push((number, what.into()));
                    }
                    system = Some(all);
                }
                Some(_) => fail("MSYS changes the system of coordinates in the middle of the path".into()),
                None => fail(format!("'{minor}' are no finite numbers")),
            },
            "CUTCOM"
                if minors
                    .iter()
                    .any(|word| ["LEFT", "RIGHT", "ON"].contains(&word.to_ascii_uppercase().as_str())) =>
            {
                fail(
                    "the radius of the cutter is compensated by the machine (CUTCOM): the tip is not known"
                        .into(),
                );
            }
            "CUTCOM" | "OPSKIP" if minors[0].eq_ignore_ascii_case("OFF") => {}
            "CUTCOM" => fail(format!("CUTCOM/{minor} is not understood")),
            "OPSKIP" => fail("whether what follows is run is up to the operator (OPSKIP)".into()),
            _ if handed_over(&major, minor).is_some() => {
                let record = text::shortened(record.as_bytes(), 40);
                if handed_over(&major, minor) == Some(true) {
                    let what = format!("'{record}' is handed to the machine as it is, and passed over here: it moves nothing");
                    builder.path.notes.push((number, what));
                } else {
                    fail(format!("'{record}' is handed to the machine as it is, and may move it: remove it if it does not"));
                }
            }
            _ if REFUSED.contains(&major.as_str()) => fail(format!("{major} is not understood")),
            "FINI" => ended = true,
            _ if TOOLS.contains(&major.as_str()) => {
                if tools.change(&major, minor, builder.path.points.len()) {
                    let what = format!("the tool changes here ({major}): {ONE_TOOL}");
                    builder.path.notes.push((number, what));
                }
            }
            _ if QUIET.contains(&major.as_str()) => {}
            _ => fail(format!(
                "{} is not known, and may move the tool: remove it if it does not",
                text::shortened(major.as_bytes(), 30)
            )),
        }
    }
    if let Some(Circle { line, .. }) = circle {
        wrong.push((line, "no GOTO ends this circle".into()));
    }
    if let Some((line, _)) = pending {
        wrong.push((
            line,
            "this record goes on ($), and there is nothing more: the file may be cut short".into(),
        ));
    }
    if !ended && wrong.is_empty() {
        builder.path.notes.push((1, "the path does not end with FINI: the file may be cut short".into()));
    }
    builder.done(wrong)
}
