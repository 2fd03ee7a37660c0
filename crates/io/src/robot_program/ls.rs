//! FANUC programs as text (`.ls`): lines of motion and their positions.

use super::config::Config;
use super::lexer::Wrong;
use super::profile::Profile;
use super::rapid::Frames;
use super::value::fixed_angles_pose;
use super::{MotionKind, Note, ProgramMove, RobotProgram, Speed, Target, Zone};
use crate::text;
use kansho_geom::Pose;
use std::collections::HashMap;

/// What begins a statement in which nothing moves and nothing is decided.
const HARMLESS: [&str; 26] = [
    "!",
    "//",
    "--eg:",
    "WAIT",
    "DO[",
    "RO[",
    "GO[",
    "AO[",
    "F[",
    "R[",
    "SR[",
    "MESSAGE[",
    "PAUSE",
    "TIMER[",
    "UALM[",
    "LBL[",
    "OVERRIDE",
    "PAYLOAD[",
    "$",
    "DI[",
    "END",
    "COL DETECT",
    "JOINT_MAX_SPEED",
    "LINEAR_MAX_SPEED",
    "LOCK PREG",
    "UNLOCK PREG",
];

/// A position of the list.
struct Position {
    frame: u32,
    tool: u32,
    target: Result<Target, String>,
}

pub(super) fn read(bytes: &[u8], profile: &Profile) -> Result<RobotProgram, Wrong> {
    let mut sections = Sections::default();
    sections.read(bytes)?;
    let mut program = RobotProgram {
        language: super::Language::Fanuc,
        name: sections.name.clone(),
        moves: Vec::new(),
        notes: Vec::new(),
        statements: 0,
    };
    let mut state = State {
        profile,
        frames: Frames::default(),
        registers: HashMap::new(),
        tools: HashMap::new(),
        work: HashMap::new(),
        tool: None,
        frame: None,
    };
    for (line, statement) in &sections.statements {
        program.statements += 1;
        match state.statement(statement, *line, &sections.positions) {
            Ok(Some(one)) => {
                if program.moves.len() < super::MOST_MOVES {
                    program.moves.push(one);
                }
            }
            Ok(None) => {}
            Err((what, moves)) => program.notes.push(Note { line: *line, what, moves }),
        }
    }
    Ok(program)
}

#[derive(Default)]
struct Sections {
    name: String,
    statements: Vec<(u32, String)>,
    positions: HashMap<u32, Position>,
}

impl Sections {
    fn read(&mut self, bytes: &[u8]) -> Result<(), Wrong> {
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
                if head == "/PROG" {
                    self.name = trimmed[5..].split_whitespace().next().unwrap_or("PROGRAM").to_owned();
                }
                ended = head == "/END";
                head.clone_into(&mut section);
                continue;
            }
            match section.as_str() {
                "" => return Err(wrong(line.number, "a program of FANUC begins with /PROG")),
                "/MN" => {
                    if let Some(byte) = line.text.iter().find(|c| !c.is_ascii())
                        && !text.contains('!')
                    {
                        return Err(wrong(
                            line.number,
                            &format!("the byte 0x{byte:02X} is no part of this language"),
                        ));
                    }
                    let statement = match trimmed.split_once(':') {
                        Some((number, rest)) if number.trim().parse::<u32>().is_ok() => rest.trim(),
                        _ => trimmed.trim_start_matches(':').trim(),
                    };
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
                _ => {}
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

/// `P[1]{ GP1: UF : 0, UT : 1, CONFIG : 'N U T, 0, 0, 0', X = 1.0 mm, ... };`
fn parsed(text: &str, line: u32) -> Result<Position, Wrong> {
    let wrong = |what: String| Wrong { line, what, cut: false };
    let body = text.split_once('{').map(|(_, body)| body).ok_or_else(|| wrong("'{' is missing".into()))?;
    let body = body.rsplit_once('}').map_or(body, |(body, _)| body);
    if body.contains("GP2") {
        return Ok(Position {
            frame: 0,
            tool: 0,
            target: Err("the position moves two groups: this is not understood".into()),
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
                    return Ok(Position { frame, tool, target: Err("the position was never taught".into()) });
                }
                let number: f64 = word.parse().map_err(|_| wrong(format!("'{word}' is no number")))?;
                if !number.is_finite() {
                    return Err(wrong(format!("'{word}' is no finite number")));
                }
                numbers.insert(key, (number, words.next().unwrap_or_default().to_owned()));
            }
        }
    }
    let get = |name: &str, unit: &str| match numbers.get(name) {
        Some((number, found)) if found.is_empty() || found == unit => Ok(*number),
        Some((_, found)) => Err(wrong(format!("{name} is in '{found}', and {unit} is wanted"))),
        None => Err(wrong(format!("{name} is missing"))),
    };
    if numbers.keys().any(|key| key.starts_with('E') && key.len() == 2)
        && numbers.iter().any(|(key, (value, _))| key.starts_with('E') && *value != 0.0)
    {
        return Ok(Position {
            frame,
            tool,
            target: Err("external axes are moved: this is not understood".into()),
        });
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
    Ok(Position { frame, tool, target: Ok(target) })
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

struct State<'a> {
    profile: &'a Profile,
    frames: Frames,
    /// Position registers, component by component.
    registers: HashMap<u32, [Option<f64>; 6]>,
    tools: HashMap<u32, Result<Pose, String>>,
    work: HashMap<u32, Result<Pose, String>>,
    tool: Option<u32>,
    frame: Option<u32>,
}

type Odd = (String, bool);

impl State<'_> {
    fn statement(
        &mut self,
        text: &str,
        line: u32,
        positions: &HashMap<u32, Position>,
    ) -> Result<Option<ProgramMove>, Odd> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let upper = text.to_ascii_uppercase();
        if matches!(words.first(), Some(&("J" | "L" | "C"))) && (text.contains("P[") || text.contains("PR["))
        {
            return self.motion(text, line, positions).map(Some).map_err(|what| (what, true));
        }
        if let Some((left, right)) = upper.split_once('=')
            && !upper.starts_with("IF")
            && !upper.starts_with('!')
            && !upper.starts_with("WAIT")
        {
            let (left, right) = (left.trim(), right.trim());
            let index = |text: &str, head: &str| -> Option<Vec<u32>> {
                let inner = text.strip_prefix(head)?.strip_suffix(']')?;
                inner
                    .split(',')
                    .map(|part| part.split(':').next().unwrap_or_default().trim().parse().ok())
                    .collect()
            };
            if left == "UTOOL_NUM" || left == "UFRAME_NUM" {
                let number = right
                    .parse()
                    .map_err(|_| (format!("which tool or frame is chosen is not known: {right}"), true))?;
                *(if left == "UTOOL_NUM" { &mut self.tool } else { &mut self.frame }) = Some(number);
                return Ok(None);
            }
            if let Some(place) = index(left, "PR[") {
                let slot = self.registers.entry(place[0]).or_insert([None; 6]);
                match place[..] {
                    [_, part @ 1..=6] => {
                        slot[part as usize - 1] = right.trim_matches(['(', ')']).parse().ok()
                    }
                    _ => *slot = [None; 6],
                }
                return Ok(None);
            }
            for (head, is_tool) in [("UTOOL[", true), ("UFRAME[", false)] {
                if let Some(place) = index(left, head) {
                    let register = index(right, "PR[").and_then(|from| self.registers.get(&from[0])).copied();
                    let pose = register.and_then(|all| {
                        let mut six = [0.0; 6];
                        for (slot, part) in six.iter_mut().zip(all) {
                            *slot = part?;
                        }
                        fixed_angles_pose([six[0], six[1], six[2]], [six[3], six[4], six[5]]).ok()
                    });
                    let kept = pose.ok_or_else(|| format!("what is put into {left} is not known"));
                    (if is_tool { &mut self.tools } else { &mut self.work }).insert(place[0], kept);
                    return Ok(None);
                }
            }
        }
        if HARMLESS.iter().any(|begin| upper.starts_with(begin)) {
            return Ok(None);
        }
        for (begin, what) in [
            ("JMP", "jumps are not followed"),
            ("IF", "branches are not followed"),
            ("SELECT", "branches are not followed"),
            ("FOR", "loops are not followed"),
            ("ENDFOR", "loops are not followed"),
        ] {
            if upper.starts_with(begin) {
                return Err((what.to_owned(), true));
            }
        }
        for begin in ["CALL", "RUN"] {
            if let Some(rest) = upper.strip_prefix(begin) {
                let name = rest.trim().split(['(', ' ']).next().unwrap_or_default();
                if self.profile.is_harmless(name) {
                    return Ok(None);
                }
                return Err((format!("'{name}' is not in this file, and could move the robot"), true));
            }
        }
        Err((format!("'{}' is not known, and could move the robot", words.first().unwrap_or(&"")), true))
    }

    fn motion(
        &mut self,
        text: &str,
        line: u32,
        positions: &HashMap<u32, Position>,
    ) -> Result<ProgramMove, String> {
        let mut words = text.split_whitespace().peekable();
        let letter = words.next().unwrap_or_default();
        // Positions may have comments with blanks in them.
        let mut targets = Vec::new();
        let mut rest = text[letter.len()..].trim_start();
        while rest.starts_with("P[") || rest.starts_with("PR[") || rest.starts_with(':') {
            rest = rest.trim_start_matches(':').trim_start();
            let end = rest.find(']').ok_or("']' is missing")?;
            let inner = &rest[rest.find('[').unwrap_or(0) + 1..end];
            if rest.starts_with("PR[") {
                return Err("positions in registers are only known to the controller".into());
            }
            let number: u32 = inner
                .split(':')
                .next()
                .unwrap_or_default()
                .trim()
                .parse()
                .map_err(|_| format!("'{inner}' is no position"))?;
            targets.push(number);
            rest = rest[end + 1..].trim_start();
        }
        let wanted = if letter == "C" { 2 } else { 1 };
        if targets.len() != wanted {
            return Err(format!("{wanted} positions are wanted, not {}", targets.len()));
        }
        let mut words = rest.split_whitespace();
        let speed = words.next().ok_or("the speed is missing")?;
        let (number, unit) =
            speed.split_at(speed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(speed.len()));
        let speed = match (number.parse::<f64>(), unit) {
            (Ok(number), "%") => Speed::Part(number / 100.0),
            (Ok(number), "mm/sec") => Speed::Tip(number * 1e-3),
            (Ok(number), "cm/min") => Speed::Tip(number * 1e-2 / 60.0),
            (Ok(number), "inch/min") => Speed::Tip(number * 0.0254 / 60.0),
            (Ok(number), "sec") => Speed::Seconds(number),
            (Ok(number), "msec") => Speed::Seconds(number * 1e-3),
            _ => Speed::Unsaid,
        };
        let end = words.next().ok_or("FINE or CNT is missing")?;
        let zone = match end.strip_prefix("CNT") {
            Some(number) => {
                let part: f64 =
                    number.parse().map_err(|_| format!("'{end}' is no rounding that is known"))?;
                Zone::Smooth(part / 100.0)
            }
            None if end == "FINE" => Zone::Fine,
            None => return Err(format!("'{end}' is no rounding that is known")),
        };
        for option in words {
            let known = ["ACC", "ACCEL", "PSPD", "DB", "TB", "TA", "COORD"];
            if option == "COORD" || !known.iter().any(|begin| option.starts_with(begin)) {
                return Err(format!("'{option}' changes the motion in a way that is not understood"));
            }
            if option.starts_with("TB") || option.starts_with("TA") || option.starts_with("DB") {
                return Err(format!("what '{option}' calls is not looked at"));
            }
        }
        let find =
            |number: u32| positions.get(&number).ok_or_else(|| format!("there is no position P[{number}]"));
        let last = find(targets[wanted - 1])?;
        let to = last.target.clone()?;
        let kind = match letter {
            "J" => MotionKind::Joint,
            "L" => MotionKind::Linear,
            _ => match &find(targets[0])?.target {
                Ok(Target::Pose(via, _)) => MotionKind::Circular(*via),
                Ok(Target::Joints(_)) => return Err("a circle through joint values is not understood".into()),
                Err(why) => return Err(why.clone()),
            },
        };
        for (chosen, of_position, what) in [(self.tool, last.tool, "tool"), (self.frame, last.frame, "frame")]
        {
            if let Some(chosen) = chosen
                && chosen != of_position
            {
                return Err(format!(
                    "{what} {chosen} is chosen, and the position is of {what} {of_position}: the controller stops there"
                ));
            }
        }
        let tool = self.known(last.tool, true)?;
        let work = self.known(last.frame, false)?;
        Ok(ProgramMove { line, kind, to, speed, zone, tool, work, insists: true })
    }

    fn known(&mut self, number: u32, is_tool: bool) -> Result<std::sync::Arc<super::Frame>, String> {
        let set = if is_tool { &self.tools } else { &self.work };
        let name = number.to_string();
        let at = match set.get(&number) {
            Some(Ok(pose)) => Some(*pose),
            Some(Err(why)) => return Err(why.clone()),
            None if number == 0 => Some(Pose::IDENTITY),
            None if is_tool => self.profile.tool(&name),
            None => self.profile.work(&name),
        };
        Ok(self.frames.of(&name, at))
    }
}
