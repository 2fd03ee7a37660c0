//! Sections of a program: statements, and positions.

use crate::robot_program::config::Config;
use crate::robot_program::lexer::Wrong;
use crate::robot_program::value::fixed_angles_pose;
use crate::robot_program::{External, Target};
use crate::text;
use std::collections::HashMap;

/// A position of the list.
pub(super) struct Position {
    pub(super) frame: u32,
    pub(super) tool: u32,
    pub(super) target: Result<Target, String>,
    pub(super) external: External,
}

/// What a file says, as it stands there.
#[derive(Default)]
pub(super) struct Sections {
    pub(super) name: String,
    pub(super) statements: Vec<(u32, String)>,
    pub(super) positions: HashMap<u32, Position>,
}

impl Sections {
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<(), Wrong> {
        let wrong = |line: u32, what: &str| Wrong { line, what: what.into(), cut: false };
        let (mut section, mut ended, mut last) = (String::new(), false, 1);
        // A statement goes on until its semicolon.
        let mut pending: Option<(u32, String)> = None;
        let mut position: Option<(u32, u32, String)> = None;
        for line in text::lines(bytes) {
            last = line.number;
            let text = String::from_utf8_lossy(line.text).into_owned();
            let trimmed = text.trim();
            if trimmed.is_empty() {
                continue;
            }
            let head = trimmed.split_whitespace().next().unwrap_or_default();
            if ["/PROG", "/ATTR", "/APPL", "/MN", "/POS", "/END"].contains(&head) {
                if let Some((line, _)) = pending {
                    return Err(wrong(
                        line,
                        "this statement does not end with ';': the file may be cut short",
                    ));
                }
                if let Some((line, ..)) = position {
                    return Err(wrong(line, "this position does not end: the file may be cut short"));
                }
                if head == "/PROG" && !section.is_empty() {
                    let what = "a second program begins here: only one of a file is read, so save each in a file of its own";
                    return Err(wrong(line.number, what));
                }
                if head == "/PROG" {
                    self.name = trimmed[5..].split_whitespace().next().unwrap_or("PROGRAM").to_owned();
                }
                ended = head == "/END";
                head.clone_into(&mut section);
                continue;
            }
            match section.as_str() {
                "" => return Err(wrong(line.number, "a program of FANUC begins with /PROG")),
                "/END" => return Err(wrong(line.number, "this stands behind /END")),
                "/MN" => {
                    if let Some(byte) = line.text.iter().find(|c| !c.is_ascii())
                        && !text.contains('!')
                    {
                        return Err(wrong(
                            line.number,
                            &format!("the byte 0x{byte:02X} is no part of this language"),
                        ));
                    }
                    // A line with a number begins a statement; one that goes on has none.
                    let (statement, is_numbered) = match trimmed.split_once(':') {
                        Some((number, rest)) if number.trim().parse::<u32>().is_ok() => (rest.trim(), true),
                        _ => (trimmed.trim_start_matches(':').trim(), false),
                    };
                    if let Some((begin, _)) = &pending
                        && is_numbered
                    {
                        return Err(wrong(
                            *begin,
                            "this statement does not end with ';', and another one begins after it",
                        ));
                    }
                    let (begin, mut whole) = pending.take().unwrap_or((line.number, String::new()));
                    if !whole.is_empty() {
                        whole.push(' ');
                    }
                    whole += statement;
                    match whole.strip_suffix(';') {
                        Some(done) => {
                            let done = done.trim();
                            if !done.is_empty() {
                                self.statements.push((begin, done.to_owned()));
                            }
                        }
                        None if whole.is_empty() => {}
                        None => pending = Some((begin, whole)),
                    }
                }
                "/POS" => {
                    let (begin, number, mut whole) = match position.take() {
                        Some(going) => going,
                        None => {
                            let number = trimmed.strip_prefix("P[").and_then(|rest| {
                                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                                digits.parse().ok()
                            });
                            let number = number
                                .ok_or_else(|| wrong(line.number, "a position begins with P[number"))?;
                            (line.number, number, String::new())
                        }
                    };
                    whole.push(' ');
                    whole += trimmed;
                    if whole.contains("};") || whole.ends_with('}') {
                        let known = self.positions.insert(number, parsed(&whole, begin)?);
                        if known.is_some() {
                            return Err(wrong(begin, &format!("the position P[{number}] stands twice")));
                        }
                    } else {
                        position = Some((begin, number, whole));
                    }
                }
                // What switches between kinds of motion.
                _ => header(trimmed).map_or(Ok(()), |what| Err(wrong(line.number, &what)))?,
            }
        }
        if let Some((line, ..)) = position {
            return Err(wrong(line, "this position does not end: the file may be cut short"));
        }
        if let Some((line, _)) = pending {
            return Err(wrong(line, "this statement does not end with ';': the file may be cut short"));
        }
        if !ended {
            return Err(wrong(last, "the program does not end with /END: the file may be cut short"));
        }
        Ok(())
    }
}

/// Why a program with such a line in its header moves otherwise than its statements say.
fn header(text: &str) -> Option<String> {
    let text = text.trim_end_matches(';').trim();
    let (key, value) = text.split_once([':', '=']).unwrap_or((text, ""));
    let (key, value) = (key.trim().to_ascii_uppercase(), value.trim().to_ascii_uppercase());
    let is_on = !["", "0", "FALSE", "OFF", "NONE", "*", "DISABLE"].contains(&value.as_str());
    let why = match key.as_str() {
        "LINE_TRACK_SCHEDULE_NUMBER" if is_on => {
            "this program follows a conveyor: its positions move with that"
        }
        "ENABLE_SINGULARITY_AVOIDANCE" if is_on => {
            "the controller leaves the lines of this program near singularities"
        }
        _ => return None,
    };
    Some(format!("{key}: {why}, which kansho does not follow"))
}

/// `P[1]{ GP1: UF : 0, UT : 1, CONFIG : 'N U T, 0, 0, 0', X = 1.0 mm, ... };`
fn parsed(text: &str, line: u32) -> Result<Position, Wrong> {
    let wrong = |what: String| Wrong { line, what, cut: false };
    let body = text.split_once('{').map(|(_, body)| body).ok_or_else(|| wrong("'{' is missing".into()))?;
    let body = body.rsplit_once('}').map_or(body, |(body, _)| body);
    if body.matches("GP").count() > 1 || (body.contains("GP") && !body.contains("GP1")) {
        return Ok(Position {
            frame: 0,
            tool: 0,
            target: Err("the position moves other groups than the first: this is not understood".into()),
            external: External::default(),
        });
    }
    let body = body
        .split_once(':')
        .map_or(body, |(group, rest)| if group.trim().starts_with("GP") { rest } else { body });
    let (mut frame, mut tool, mut config) = (0, 0, None);
    let mut numbers: HashMap<String, (f64, String)> = HashMap::new();
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in body.chars() {
        match c {
            '\'' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().expect("there is always one").push(c),
        }
    }
    for field in &fields {
        let field = field.trim();
        let Some(at) = field.find([':', '=']) else {
            if field.is_empty() {
                continue;
            }
            return Err(wrong(format!("'{field}' is no part of a position")));
        };
        let (key, value) = (field[..at].trim().to_ascii_uppercase(), field[at + 1..].trim());
        let whole = |value: &str| {
            value.parse::<u32>().map_err(|_| wrong(format!("'{value}' is no number of a frame")))
        };
        match key.as_str() {
            "UF" => frame = whole(value)?,
            "UT" => tool = whole(value)?,
            "CONFIG" => config = Some(config_of(value).map_err(wrong)?),
            _ => {
                let mut words = value.split_whitespace();
                let word = words.next().unwrap_or_default();
                if word.starts_with('*') {
                    let target = Err("the position was never taught".into());
                    return Ok(Position { frame, tool, target, external: External::default() });
                }
                let number: f64 = word.parse().map_err(|_| wrong(format!("'{word}' is no number")))?;
                if !number.is_finite() {
                    return Err(wrong(format!("'{word}' is no finite number")));
                }
                let unit = words.next().unwrap_or_default().to_owned();
                if numbers.insert(key.clone(), (number, unit)).is_some() {
                    return Err(wrong(format!("{key} stands twice in a position")));
                }
            }
        }
    }
    let mut external = External::default();
    for (k, axis) in external.iter_mut().enumerate() {
        *axis = numbers.remove(&format!("E{}", k + 1)).map(|(value, _)| value);
    }
    let get = |name: &str, unit: &str| match numbers.get(name) {
        Some((number, found)) if found.is_empty() || found == unit => Ok(*number),
        Some((_, found)) => Err(wrong(format!("{name} is in '{found}', and {unit} is wanted"))),
        None => Err(wrong(format!("{name} is missing"))),
    };
    let known = ["X", "Y", "Z", "W", "P", "R", "J1", "J2", "J3", "J4", "J5", "J6"];
    if let Some((key, _)) =
        numbers.iter().find(|(key, (value, _))| !known.contains(&key.as_str()) && *value != 0.0)
    {
        let what = format!("{key} is moved, beyond the six axes: this is not understood");
        return Ok(Position { frame, tool, target: Err(what), external });
    }
    let target = if numbers.contains_key("J1") {
        let mut joints = Vec::new();
        for name in ["J1", "J2", "J3", "J4", "J5", "J6"] {
            joints.push(get(name, "deg")?.to_radians());
        }
        Target::Joints(joints)
    } else {
        let xyz = [get("X", "mm")?, get("Y", "mm")?, get("Z", "mm")?];
        let wpr = [get("W", "deg")?, get("P", "deg")?, get("R", "deg")?];
        let config = config.ok_or_else(|| wrong("CONFIG is missing".into()))?;
        Target::Pose(fixed_angles_pose(xyz, wpr).map_err(wrong)?, config)
    };
    Ok(Position { frame, tool, target: Ok(target), external })
}

/// `N U T, 0, 0, -1`
fn config_of(text: &str) -> Result<Config, String> {
    let wrong = || format!("'{text}' is no CONFIG, such as 'N U T, 0, 0, 0'");
    let mut parts = text.split(',').map(str::trim);
    let letters: Vec<&str> = parts.next().ok_or_else(wrong)?.split_whitespace().collect();
    let turns: Vec<i32> = parts.map(|part| part.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
    let letter = |k: usize, yes: &str, no: &str| match letters.get(k) {
        Some(found) if *found == yes => Ok(true),
        Some(found) if *found == no => Ok(false),
        _ => Err(wrong()),
    };
    if letters.len() != 3 || turns.len() != 3 {
        return Err(wrong());
    }
    Ok(Config::Fanuc {
        flip: letter(0, "F", "N")?,
        up: letter(1, "U", "D")?,
        front: letter(2, "T", "B")?,
        turns: [turns[0], turns[1], turns[2]],
    })
}
