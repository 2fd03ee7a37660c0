//! Yaskawa (Motoman) jobs as text (`.jbi`): positions and instructions.

use super::config::Config;
use super::lexer::Wrong;
use super::profile::Profile;
use super::rapid::Frames;
use super::value::fixed_angles_pose;
use super::{MotionKind, Note, ProgramMove, RobotProgram, Speed, Target, Zone};
use crate::text;
use kansho_geom::Pose;
use std::collections::HashMap;

/// Instructions in which nothing moves and nothing is decided.
const HARMLESS: [&str; 32] = [
    "NOP", "END", "DOUT", "PULSE", "TIMER", "WAIT", "MSG", "PAUSE", "DIN", "AOUT", "ARCON", "ARCOF",
    "ARCSET", "SKILLSND", "SET", "ADD", "SUB", "MUL", "DIV", "INC", "DEC", "CLEAR", "GETE", "SETE", "COMM",
    "NWAIT", "CWAIT", "CLS", "GETS", "TSYNC", "GUNON", "GUNOF",
];

struct Position {
    tool: u32,
    frame: Option<u32>,
    target: Result<Target, String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Pulse,
    Base,
    Robot,
    User,
    Other,
}

pub(super) fn read(bytes: &[u8], profile: &Profile) -> Result<RobotProgram, Wrong> {
    let wrong = |line: u32, what: String| Wrong { line, what, cut: false };
    let mut program = RobotProgram {
        language: super::Language::Jbi,
        name: String::new(),
        moves: Vec::new(),
        notes: Vec::new(),
        statements: 0,
    };
    let mut state = State {
        profile,
        frames: Frames::default(),
        positions: HashMap::new(),
        variables: HashMap::new(),
        tools: HashMap::new(),
    };
    let (mut tool, mut user, mut kind, mut config) = (0, None, Kind::Other, Config::Unsaid);
    let (mut inside, mut ended, mut begun, mut last) = (false, false, false, 1);
    let mut expected: Option<usize> = None;
    for line in text::lines(bytes) {
        last = line.number;
        let text = String::from_utf8_lossy(line.text).into_owned();
        let trimmed = text.trim();
        if trimmed.is_empty() || (ended && inside) {
            continue;
        }
        let mut words = trimmed.split_whitespace();
        let head = words.next().unwrap_or_default();
        if !begun {
            if head != "/JOB" {
                return Err(wrong(line.number, "a job begins with /JOB".into()));
            }
            begun = true;
            continue;
        }
        if let Some(byte) = line.text.iter().find(|c| !c.is_ascii())
            && !(trimmed.starts_with('\'') || trimmed.starts_with("MSG") || trimmed.starts_with("//"))
        {
            return Err(wrong(line.number, format!("the byte 0x{byte:02X} is no part of this language")));
        }
        let word = words.next();
        let whole = || {
            word.and_then(|word| word.parse::<u32>().ok())
                .ok_or_else(|| wrong(line.number, "a number is missing".into()))
        };
        match head {
            "//NAME" => word.unwrap_or("JOB").clone_into(&mut program.name),
            "//INST" => inside = true,
            "///NPOS" => {
                expected = word.and_then(|word| word.split(',').next()).and_then(|count| count.parse().ok())
            }
            "///TOOL" => tool = whole()?,
            "///USER" => user = Some(whole()?),
            "///POSTYPE" => {
                kind = match word {
                    Some("PULSE") => Kind::Pulse,
                    Some("BASE") => Kind::Base,
                    Some("ROBOT") => Kind::Robot,
                    Some("USER") => Kind::User,
                    _ => Kind::Other,
                }
            }
            "///RCONF" => {
                let numbers: Option<Vec<u8>> =
                    word.unwrap_or_default().split(',').map(|part| part.trim().parse().ok()).collect();
                config = match numbers.as_deref() {
                    Some([a, b, c, d, e, f, ..]) if [a, b, c, d, e, f].iter().all(|flag| **flag <= 1) => {
                        Config::Yaskawa([*a, *b, *c, *d, *e, *f])
                    }
                    _ => return Err(wrong(line.number, "RCONF has six numbers, each 0 or 1".into())),
                };
            }
            _ if head.starts_with('/') => {}
            _ if !inside => {
                let (name, value) = trimmed
                    .split_once('=')
                    .ok_or_else(|| wrong(line.number, "a position is NAME=NUMBERS".into()))?;
                let numbers: Option<Vec<f64>> = value
                    .split(',')
                    .map(|part| part.trim().parse().ok().filter(|n: &f64| n.is_finite()))
                    .collect();
                let numbers =
                    numbers.ok_or_else(|| wrong(line.number, format!("'{value}' are no finite numbers")))?;
                let name = name.trim();
                let frame = if kind == Kind::User {
                    Some(user.ok_or_else(|| wrong(line.number, "///USER is missing".into()))?)
                } else {
                    None
                };
                let target = state.target(&numbers, kind, config);
                // Positions of other kinds (of the base, of external axes) are looked at where they are used.
                let known = state.positions.insert(name.to_owned(), Position { tool, frame, target });
                if known.is_some() {
                    return Err(wrong(line.number, format!("the position {name} stands twice")));
                }
            }
            _ => {
                program.statements += 1;
                ended = head == "END";
                match state.instruction(trimmed, line.number) {
                    Ok(Some(one)) => {
                        if program.moves.len() < super::MOST_MOVES {
                            program.moves.push(one);
                        }
                    }
                    Ok(None) => {}
                    Err((what, moves)) => program.notes.push(Note { line: line.number, what, moves }),
                }
            }
        }
    }
    if !begun || !inside {
        return Err(wrong(last, "there are no instructions (//INST): the file may be cut short".into()));
    }
    if !ended {
        return Err(wrong(last, "the job does not end with END: the file may be cut short".into()));
    }
    let robot = state.positions.keys().filter(|name| name.starts_with('C')).count();
    if expected.is_some_and(|expected| expected != robot) {
        let what = format!("///NPOS says {} positions, and there are {robot}", expected.unwrap_or(0));
        program.notes.push(Note { line: 1, what, moves: false });
    }
    Ok(program)
}

struct State<'a> {
    profile: &'a Profile,
    frames: Frames,
    positions: HashMap<String, Position>,
    /// Position variables that tools are set from, component by component, in thousandths.
    variables: HashMap<String, [Option<f64>; 6]>,
    tools: HashMap<u32, Pose>,
}

impl State<'_> {
    fn target(&self, numbers: &[f64], kind: Kind, config: Config) -> Result<Target, String> {
        if numbers.len() < 6 {
            return Err(format!("a position has six numbers, not {}", numbers.len()));
        }
        if numbers[6..].iter().any(|number| *number != 0.0) {
            return Err("a seventh axis is moved: this is not understood".into());
        }
        match kind {
            Kind::Pulse => {
                let Some(pulses) = self.profile.pulses_per_degree else {
                    if numbers.iter().all(|number| *number == 0.0) {
                        return Ok(Target::Joints(vec![0.0; 6]));
                    }
                    return Err(
                        "how many pulses a degree has is not known: give it in a profile, pulses_per_degree"
                            .into(),
                    );
                };
                Ok(Target::Joints(
                    numbers.iter().zip(pulses).map(|(number, of)| (number / of).to_radians()).collect(),
                ))
            }
            Kind::Base | Kind::Robot | Kind::User => {
                let six = [numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]];
                let pose = fixed_angles_pose([six[0], six[1], six[2]], [six[3], six[4], six[5]])?;
                Ok(Target::Pose(pose, config))
            }
            Kind::Other => Err("positions of this kind (POSTYPE) are not understood".into()),
        }
    }

    fn instruction(&mut self, text: &str, line: u32) -> Result<Option<ProgramMove>, (String, bool)> {
        let head = text.split_whitespace().next().unwrap_or_default();
        if text.starts_with('\'') || text.starts_with('*') {
            return Ok(None);
        }
        match head {
            "MOVJ" | "MOVL" | "MOVC" => return self.motion(text, head, line).map_err(|what| (what, true)),
            "SETE" => {
                // SETE P00095 (1) -30000
                let words: Vec<&str> = text.split_whitespace().collect();
                if let [_, name, place, value] = words[..]
                    && let Ok(place @ 1..=6) = place.trim_matches(['(', ')']).parse::<usize>()
                {
                    self.variables.entry(name.to_owned()).or_insert([None; 6])[place - 1] =
                        value.parse().ok();
                }
                return Ok(None);
            }
            "SETTOOL" => {
                let mut words = text.split_whitespace().skip(1);
                let number = words
                    .next()
                    .and_then(|word| word.strip_prefix("TL#(")?.strip_suffix(')')?.parse::<u32>().ok());
                let all = words.next().and_then(|name| self.variables.get(name));
                let (Some(number), Some([Some(x), Some(y), Some(z), Some(w), Some(p), Some(r)])) =
                    (number, all)
                else {
                    return Err(("what the tool is set to is not known".into(), true));
                };
                // Micrometres, and ten-thousandths of a degree.
                let pose = fixed_angles_pose([x * 1e-3, y * 1e-3, z * 1e-3], [w * 1e-4, p * 1e-4, r * 1e-4]);
                self.tools.insert(number, pose.map_err(|what| (what, true))?);
                return Ok(None);
            }
            "CALL" => {
                let name = text.split_whitespace().nth(1).unwrap_or_default().trim_start_matches("JOB:");
                if self.profile.is_harmless(name) {
                    return Ok(None);
                }
                return Err((format!("'{name}' is not in this file, and could move the robot"), true));
            }
            "JUMP" | "IF" | "IFTHENEXP" | "RET" | "WHILE" | "FOR" | "NEXT" | "IFTHEN" | "ELSE" | "ENDIF"
            | "SWITCH" => {
                return Err(("jumps and branches are not followed".into(), true));
            }
            _ => {}
        }
        if HARMLESS.contains(&head) && !text.contains(" IF ") {
            return Ok(None);
        }
        Err((format!("'{head}' is not known, and could move the robot"), true))
    }

    fn motion(&mut self, text: &str, head: &str, line: u32) -> Result<Option<ProgramMove>, String> {
        let mut words = text.split_whitespace().skip(1);
        let name = words.next().ok_or("the target is missing")?;
        let (mut speed, mut zone) = (Speed::Unsaid, None);
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let number = value.parse::<f64>().map_err(|_| format!("'{word}' is not understood"));
            match key {
                "VJ" => speed = Speed::Part(number? / 100.0),
                "V" => speed = Speed::Tip(number? * 1e-3),
                "PL" => zone = Some(number?),
                "ACC" | "DEC" | "VR" | "VE" => {}
                "CR" => return Err("corners by their radius (CR) are not understood".into()),
                _ => return Err(format!("'{word}' changes the motion in a way that is not understood")),
            }
        }
        let position = self.positions.get(name).ok_or_else(|| format!("there is no position {name}"))?;
        let to = position.target.clone()?;
        let (tool, frame) = (position.tool, position.frame);
        // Without a position level the controller chooses: a stop is PL=0.
        let zone = match zone {
            Some(level) if level <= 0.0 => Zone::Fine,
            Some(level) => Zone::Smooth(level / 8.0),
            None => Zone::Smooth(1.0),
        };
        let kind = match head {
            "MOVJ" => MotionKind::Joint,
            "MOVL" => MotionKind::Linear,
            _ => return Err("circles (MOVC) are not understood: where they begin and end depends on what is before and after".into()),
        };
        let known = self.tools.get(&tool).copied().or_else(|| self.profile.tool(&tool.to_string()));
        let tool = self.frames.of(&tool.to_string(), known);
        let work = match frame {
            None => self.frames.of("BASE", Some(Pose::IDENTITY)),
            Some(number) => self.frames.of(&number.to_string(), self.profile.work(&number.to_string())),
        };
        Ok(Some(ProgramMove { line, kind, to, speed, zone, tool, work, insists: true }))
    }
}
