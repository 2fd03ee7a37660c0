//! Sections of a job: positions, and instructions.

use crate::robot_program::config::Config;
use crate::robot_program::lexer::Wrong;
use crate::robot_program::profile::Profile;
use crate::robot_program::value::fixed_angles_pose;
use crate::robot_program::{Note, Target};
use crate::text;
use std::collections::HashMap;

/// A position of the list.
pub(super) struct Position {
    pub(super) tool: u32,
    pub(super) frame: Option<u32>,
    pub(super) target: Result<Target, String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Pulse,
    Base,
    Robot,
    User,
    Other,
}

/// What a file says, as it stands there.
#[derive(Default)]
pub(super) struct Sections {
    pub(super) name: String,
    pub(super) positions: HashMap<String, Position>,
    /// Instructions with their lines.
    pub(super) instructions: Vec<(u32, String)>,
    pub(super) notes: Vec<Note>,
}

impl Sections {
    pub(super) fn read(bytes: &[u8], profile: &Profile) -> Result<Self, Wrong> {
        let wrong = |line: u32, what: String| Wrong { line, what, cut: false };
        let mut found = Self::default();
        let (mut tool, mut user, mut kind, mut config) = (0, None, Kind::Other, Config::Unsaid);
        let (mut inside, mut ended, mut begun, mut last) = (false, false, false, 1);
        // Types and names of arguments (//ARGINFO) say nothing of positions.
        let mut is_args = false;
        let mut expected: Option<usize> = None;
        for line in text::lines(bytes) {
            last = line.number;
            let text = String::from_utf8_lossy(line.text);
            let trimmed = text.trim();
            if trimmed.is_empty() {
                continue;
            }
            if ended {
                let what = "this stands behind END: only the first job of a file is read, so save each in a file of its own";
                return Err(wrong(line.number, what.into()));
            }
            let mut words = trimmed.split_whitespace();
            let head = words.next().unwrap_or_default();
            if head.starts_with("//") && !head.starts_with("///") {
                is_args = head == "//ARGINFO";
            }
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
                "//NAME" => word.unwrap_or("JOB").clone_into(&mut found.name),
                "//INST" => inside = true,
                "///NPOS" => {
                    expected =
                        word.and_then(|word| word.split(',').next()).and_then(|count| count.parse().ok());
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
                "///RCONF" => config = rconf(word).map_err(|what| wrong(line.number, what))?,
                // All positions of a relative job are in one frame.
                "////FRAME" if word == Some("USER") => {
                    let number: Option<u32> = words.next().and_then(|word| word.parse().ok());
                    if found.positions.values().any(|position| position.frame != number) {
                        let what =
                            "the job is relative to a frame that not all of its positions are in".into();
                        found.notes.push(Note { line: line.number, what, moves: true });
                    }
                }
                _ if head.starts_with("//") => {}
                _ if is_args && !inside => {}
                _ if !inside => {
                    let (name, value) = trimmed
                        .split_once('=')
                        .ok_or_else(|| wrong(line.number, "a position is NAME=NUMBERS".into()))?;
                    let numbers: Option<Vec<f64>> = value
                        .split(',')
                        .map(|part| part.trim().parse().ok().filter(|n: &f64| n.is_finite()))
                        .collect();
                    let numbers = numbers
                        .ok_or_else(|| wrong(line.number, format!("'{value}' are no finite numbers")))?;
                    let name = name.trim();
                    let frame = if kind == Kind::User {
                        Some(user.ok_or_else(|| wrong(line.number, "///USER is missing".into()))?)
                    } else {
                        None
                    };
                    // Positions of other kinds (of the base, of external axes) are looked at where they are used.
                    let target = target(profile, &numbers, kind, config);
                    let known = found.positions.insert(name.to_owned(), Position { tool, frame, target });
                    if known.is_some() {
                        return Err(wrong(line.number, format!("the position {name} stands twice")));
                    }
                }
                _ => {
                    ended = head == "END";
                    found.instructions.push((line.number, trimmed.to_owned()));
                }
            }
        }
        if !begun || !inside {
            return Err(wrong(last, "there are no instructions (//INST): the file may be cut short".into()));
        }
        if !ended {
            return Err(wrong(last, "the job does not end with END: the file may be cut short".into()));
        }
        let robot = found.positions.keys().filter(|name| name.starts_with('C')).count();
        if expected.is_some_and(|expected| expected != robot) {
            let what = format!("///NPOS says {} positions, and there are {robot}", expected.unwrap_or(0));
            found.notes.push(Note { line: 1, what, moves: false });
        }
        Ok(found)
    }
}

fn rconf(word: Option<&str>) -> Result<Config, String> {
    let numbers: Option<Vec<u8>> =
        word.unwrap_or_default().split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([a, b, c, d, e, f, ..]) if [a, b, c, d, e, f].iter().all(|flag| **flag <= 1) => {
            Ok(Config::Yaskawa([*a, *b, *c, *d, *e, *f]))
        }
        _ => Err("RCONF has six numbers, each 0 or 1".into()),
    }
}

fn target(profile: &Profile, numbers: &[f64], kind: Kind, config: Config) -> Result<Target, String> {
    if numbers.len() < 6 {
        return Err(format!("a position has six numbers, not {}", numbers.len()));
    }
    if numbers[6..].iter().any(|number| *number != 0.0) {
        return Err("a seventh axis is moved: this is not understood".into());
    }
    match kind {
        Kind::Pulse => {
            let Some(pulses) = profile.pulses_per_degree else {
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
            let (xyz, wpr) = ([numbers[0], numbers[1], numbers[2]], [numbers[3], numbers[4], numbers[5]]);
            Ok(Target::Pose(fixed_angles_pose(xyz, wpr)?, config))
        }
        Kind::Other => Err("positions of this kind (POSTYPE) are not understood".into()),
    }
}
