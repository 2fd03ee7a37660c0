//! G-code in modes in which X, Y and Z are the tip of the tool.

use super::{Arc, Builder, Toolpath, ToolpathOptions, Wrong};
use crate::text;
use kansho_geom::glam::{DQuat, DVec3};
use std::collections::HashMap;

/// What X, Y and Z are.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// Axes of a machine.
    Machine,
    /// The tip, and rotary axes turn the tool (G43.4, M128, TCPM, TRAORI with angles).
    Angles,
    /// The tip, and I, J, K point from it to the spindle (G43.5).
    Vector,
}

struct State<'a> {
    options: &'a ToolpathOptions,
    builder: Builder,
    mode: Mode,
    metres: f64,
    absolute: bool,
    /// 0 rapid, 1 line, 2 and 3 arcs.
    motion: Option<u32>,
    plane: u32,
    feed: Option<f64>,
    per_minute: bool,
    place: DVec3,
    angles: [f64; 3],
    up: DVec3,
    /// The work offset that was chosen, in tenths of its code.
    offset: Option<u32>,
    /// The line in which the program ends.
    ended: Option<u32>,
}

pub(super) fn read(bytes: &[u8], options: &ToolpathOptions) -> Result<Toolpath, Wrong> {
    if options.rotary.is_empty() || !options.rotary.bytes().all(|c| b"ABC".contains(&c)) {
        return Err(vec![(
            1,
            format!(
                "'{}' does not say how rotary axes turn the tool: letters A, B and C in their order",
                options.rotary
            ),
        )]);
    }
    let mode = if options.three_axis { Mode::Angles } else { Mode::Machine };
    let mut state = State {
        options,
        builder: Builder::of(bytes.len()),
        mode,
        metres: 1e-3,
        absolute: true,
        motion: None,
        plane: 17,
        feed: None,
        per_minute: true,
        place: DVec3::ZERO,
        angles: [0.0; 3],
        up: DVec3::Z,
        offset: None,
        ended: None,
    };
    let mut wrong: Wrong = Vec::new();
    for line in text::lines(bytes) {
        let words = match words(line.text) {
            Ok(words) => words,
            Err(what) => {
                wrong.push((line.number, what));
                continue;
            }
        };
        if words.is_empty() {
            continue;
        }
        if let Some(end) = state.ended {
            let what = format!("the program ends in line {end} (M2, M30 or M99): what follows is not read");
            state.builder.path.notes.push((line.number, what));
            break;
        }
        state.builder.path.statements += 1;
        if let Err(what) = state.block(&words, line.number) {
            wrong.push((line.number, what));
        }
    }
    state.builder.done(wrong)
}

/// A letter (or a name) and its number, if it has one.
type Word = (String, Option<f64>);

/// Words of a block, without comments, line numbers and what is for other machines.
fn words(line: &[u8]) -> Result<Vec<Word>, String> {
    let mut text = String::new();
    let mut depth = 0;
    for &c in line {
        match c {
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b';' if depth == 0 => break,
            _ if depth > 0 => {}
            _ if !c.is_ascii() => return Err(format!("the byte 0x{c:02X} is no part of this language")),
            _ => text.push(c.to_ascii_uppercase() as char),
        }
    }
    let text = text.trim();
    if depth > 0 {
        return Err("a comment has no end".into());
    }
    if text.is_empty() || text.starts_with('%') {
        return Ok(Vec::new());
    }
    if let Some(block) = text.strip_prefix('/') {
        let moves = |c: char| "XYZABCIJKRG".contains(c);
        return match block.contains(moves) {
            true => Err("whether this block is run is up to the operator (/)".into()),
            false => Ok(Vec::new()),
        };
    }
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = &rest[1..];
            continue;
        }
        if !first.is_ascii_alphabetic() {
            return Err(format!("'{first}' begins no word"));
        }
        // Names such as TRAORI, and addresses such as A3=0.5.
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (mut name, mut after) = (rest[..letters].to_owned(), &rest[letters..]);
        if letters == 1 && after.as_bytes().get(1) == Some(&b'=') {
            name.push(after.as_bytes()[0] as char);
            after = &after[2..];
        } else if let Some(value) = after.strip_prefix('=') {
            after = value;
        }
        let blank = after.len() - after.trim_start().len();
        let numeric = after.trim_start();
        let end = numeric.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c))).unwrap_or(numeric.len());
        if end == 0 {
            all.push((name, None));
            rest = after;
            continue;
        }
        let number: f64 =
            numeric[..end].parse().map_err(|_| format!("'{name}{}' is no number", &numeric[..end]))?;
        all.push((name, Some(number)));
        rest = &after[blank + end..];
    }
    all.retain(|(name, _)| name != "N" && name != "O");
    Ok(all)
}

impl State<'_> {
    fn block(&mut self, words: &[Word], line: u32) -> Result<(), String> {
        let mut given: HashMap<&str, f64> = HashMap::new();
        let mut moves = None;
        let mut skip = false;
        for (name, number) in words {
            match (name.as_str(), number) {
                ("G", Some(code)) => {
                    let tenths = (code * 10.0).round();
                    // What is no code must not become one by rounding: G-1 is not G0. A number with one digit after the point
                    // is read as the nearest there is, and so is this quotient.
                    if !(0.0..1e6).contains(&tenths) || tenths / 10.0 != *code {
                        return Err(format!("G{code} is not understood"));
                    }
                    let code = tenths as u32;
                    match code {
                        0 | 10 | 20 | 30 => {
                            self.motion = Some(code / 10);
                            moves = Some(());
                        }
                        170 | 180 | 190 => self.plane = code / 10,
                        200 | 700 => self.metres = 0.0254,
                        210 | 710 => self.metres = 1e-3,
                        400 | 490 => {
                            if code == 490 && !self.options.three_axis {
                                self.mode = Mode::Machine;
                            }
                        }
                        430 | 440 => {}
                        434 => self.mode = Mode::Angles,
                        435 => self.mode = Mode::Vector,
                        900 => self.absolute = true,
                        910 => self.absolute = false,
                        930 => self.per_minute = false,
                        940 => self.per_minute = true,
                        1510 => self.mode = Mode::Angles,
                        // One work offset for all of the path is its frame; another one in the middle moves it.
                        540..=599 => match self.offset.replace(code) {
                            Some(before) if before != code => {
                                return Err(format!(
                                    "the work offset changes from G{} to G{}: where they are is not known",
                                    f64::from(before) / 10.0,
                                    f64::from(code) / 10.0
                                ));
                            }
                            _ => {}
                        },
                        50 if words.iter().any(|(name, _)| ["X", "Y", "Z", "I", "J"].contains(&name.as_str())) => {
                            return Err("splines (G5) are not understood".into());
                        }
                        40 | 90 | 610..=649 | 800 | 911 | 980 | 990 | 50 | 500 | 690 => {}
                        280 | 530 | 300 => {
                            skip = true;
                            self.builder.path.notes.push((line, "a move in the axes of the machine (G28, G30, G53) is passed over".into()));
                        }
                        410 | 420 => return Err("the radius of the cutter is compensated by the machine (G41, G42): the tip is not known".into()),
                        _ => return Err(format!("G{} is not understood", f64::from(code) / 10.0)),
                    }
                }
                ("M", Some(code)) if *code == 128.0 => self.mode = Mode::Angles,
                ("M", Some(code)) if *code == 129.0 => self.mode = Mode::Machine,
                ("M", Some(code)) if [97.0, 98.0, 198.0].contains(code) => {
                    return Err(format!("subprograms (M{code}) are not followed"));
                }
                ("M", Some(code)) if [2.0, 30.0, 99.0].contains(code) => self.ended = Some(line),
                ("M" | "S" | "T" | "H" | "D" | "P" | "Q" | "L", _) => {}
                ("TRAORI" | "TCPM", _) => self.mode = Mode::Angles,
                ("TRAFOOF", _) => self.mode = Mode::Machine,
                (
                    "FUNCTION" | "ORIVECT" | "ORIWKS" | "ORIAXES" | "AXIS" | "POS" | "SPAT" | "PATHCTRL"
                    | "VECTOR" | "RESET" | "CUT",
                    _,
                ) => {}
                ("F", Some(feed)) => self.feed = self.per_minute.then_some(feed * self.metres / 60.0),
                (
                    "X" | "Y" | "Z" | "A" | "B" | "C" | "I" | "J" | "K" | "R" | "A3" | "B3" | "C3",
                    Some(number),
                ) => {
                    if given.insert(name, *number).is_some() {
                        return Err(format!("{name} stands twice in one block"));
                    }
                }
                (name, _) => return Err(format!("'{name}' is not understood")),
            }
        }
        let has = |names: &[&str]| names.iter().any(|name| given.contains_key(name));
        if skip
            || !(has(&["X", "Y", "Z", "A", "B", "C", "A3", "B3", "C3"])
                || (moves.is_some() && has(&["I", "J", "K", "R"])))
        {
            return Ok(());
        }
        if self.mode == Mode::Machine {
            return Err("X, Y and Z are axes of a machine here, whose kinematics are not known: no mode is on in which they are the tip of the tool (G43.4, G43.5, TRAORI, M128, TCPM, G151). If the tool only ever points down, as on a machine of three axes, say so: three_axis = true in [path] of the job, or --three-axis".into());
        }
        let motion = self.motion.ok_or("nothing says how to move: G0, G1, G2 or G3 is missing")?;
        let mut place = self.place;
        for (k, name) in ["X", "Y", "Z"].iter().enumerate() {
            if let Some(number) = given.get(name) {
                place[k] = number * self.metres + if self.absolute { 0.0 } else { place[k] };
            }
        }
        for (k, name) in ["A", "B", "C"].iter().enumerate() {
            if let Some(number) = given.get(name) {
                if self.options.three_axis {
                    return Err(format!(
                        "{name} turns the tool, and this was said to be a path of three axes"
                    ));
                }
                self.angles[k] = number + if self.absolute { 0.0 } else { self.angles[k] };
            }
        }
        let vector = |names: [&str; 3]| {
            let parts = names.map(|name| given.get(name).copied().unwrap_or(0.0));
            DVec3::from_array(parts).try_normalize().ok_or("the axis of the tool has no length")
        };
        if has(&["A3", "B3", "C3"]) {
            self.up = vector(["A3", "B3", "C3"])?;
        } else if self.mode == Mode::Vector && motion < 2 {
            if has(&["I", "J", "K"]) {
                self.up = vector(["I", "J", "K"])?;
            }
        } else if has(&["A", "B", "C"]) {
            self.up = self.options.rotary.bytes().fold(DVec3::Z, |up, letter| {
                let k = usize::from(letter - b'A');
                DQuat::from_axis_angle([DVec3::X, DVec3::Y, DVec3::Z][k], self.angles[k].to_radians()) * up
            });
        }
        let from = std::mem::replace(&mut self.place, place);
        match motion {
            0 => self.builder.rapid(place, -self.up, line),
            1 => self.builder.feed(place, -self.up, self.feed, line),
            _ => self.arc(from, place, motion == 2, &given, line)?,
        }
        Ok(())
    }

    fn arc(
        &mut self,
        from: DVec3,
        to: DVec3,
        clockwise: bool,
        given: &HashMap<&str, f64>,
        line: u32,
    ) -> Result<(), String> {
        if self.mode == Mode::Vector {
            return Err("an arc is not understood while I, J and K are the axis of the tool (G43.5)".into());
        }
        if self.builder.here.is_none() {
            self.builder.rapid(from, -self.up, line);
        }
        let axis = match self.plane {
            18 => DVec3::Y,
            19 => DVec3::X,
            _ => DVec3::Z,
        };
        let flat = |v: DVec3| v - axis * v.dot(axis);
        let centre = if let Some(radius) = given.get("R") {
            let (half, radius) = (flat(to - from) * 0.5, radius * self.metres);
            let height_sq = radius * radius - half.length_squared();
            // Rounded to a thousandth of a unit, ends of a half circle may be farther apart than its diameter.
            if half.length() == 0.0 || height_sq < -1e-2 * self.metres * radius.abs() {
                return Err("no circle of this radius goes through both ends".into());
            }
            let aside = axis.cross(half).normalize_or_zero() * height_sq.max(0.0).sqrt();
            // The shorter of the two arcs for a positive radius.
            from + half + if clockwise == (radius > 0.0) { -aside } else { aside }
        } else {
            let number = |name: &str| given.get(name).copied().unwrap_or(0.0) * self.metres;
            from + flat(DVec3::new(number("I"), number("J"), number("K")))
        };
        let (a, b) = (flat(from - centre), flat(to - centre));
        if a.length() == 0.0
            || (a.length() - b.length()).abs() > 1e-2 * self.metres * 10.0 + 2e-3 * a.length()
        {
            return Err(format!(
                "the arc begins {:.6} m from its centre and ends {:.6} m from it",
                a.length(),
                b.length()
            ));
        }
        let mut angle = axis.dot(a.cross(b)).atan2(a.dot(b));
        if clockwise {
            angle = if angle >= -1e-9 { angle - std::f64::consts::TAU } else { angle };
        } else if angle <= 1e-9 {
            angle += std::f64::consts::TAU;
        }
        self.builder.arc(&Arc { centre, axis, angle }, to, -self.up, self.feed, line);
        Ok(())
    }
}
