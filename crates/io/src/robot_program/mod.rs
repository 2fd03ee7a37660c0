//! Programs of robot controllers, in and out.
//!
//! | part | does |
//! |---|---|
//! | [`RobotProgram`] | what a program says, whatever its language: moves with targets, tools, work objects, speeds and zones |
//! | [`read`] | reads one: ABB RAPID, KUKA KRL, FANUC LS, URScript, Yaskawa JBI |
//! | [`write`](mod@write) | writes one in these languages, as CSV and as JSON |
//! | [`Profile`] | what a controller does and how its robot is seen by it, from a file that users can change |
//! | [`ControlArm`] | a robot of a cell as its controller sees it: joints, frames, configurations |
//! | [`resolve`](mod@resolve) | from what a program says to a motion of a cell |
//!
//! What is not understood is listed with its line. What of that could move the robot makes a check refuse: nothing is guessed.

mod arm;
mod blocks;
mod config;
mod external;
mod frames;
mod jbi;
mod krl;
mod lexer;
mod lines;
mod ls;
mod machine;
mod parser;
mod path_frame;
mod profile;
mod rapid;
pub mod resolve;
mod rounds;
#[cfg(test)]
mod tests;
mod urscript;
mod value;
pub mod write;

pub use arm::{ArmFault, ControlArm};
pub use config::Config;
pub use external::{External, HeldAxis};
pub use profile::{ElbowFlag, Flags, JointCorners, OrientationLaw, Profile, Setting, Split};
pub use rounds::Closing;

use crate::fault::{Fault, ReadError};
use crate::load::{beside, bytes_of};
use crate::text;
use kansho_geom::Pose;
use std::path::Path;
use std::sync::Arc;

/// Largest program that is read, in bytes: what is read takes some five times as much memory.
const MAX_BYTES: usize = 1 << 28;

/// Moves of one program, at most.
const MOST_MOVES: usize = 1_000_000;

/// Notes of one program that are kept, at most.
const MOST_NOTES: usize = 20_000;

/// What a program says.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotProgram {
    /// Its language.
    pub language: Language,
    /// Its name.
    pub name: String,
    /// Its moves, in the order in which they are run.
    pub moves: Vec<ProgramMove>,
    /// What was not understood, or is odd.
    pub notes: Vec<Note>,
    /// Moves that the entry could make and that were never reached: when they would be made is not known.
    pub unreached: Vec<Note>,
    /// Ends of rounds at which the robot has to stand in the same posture, for all rounds to be known.
    pub closing: Vec<Closing>,
    /// Statements that were looked at.
    pub statements: usize,
    /// Motion statements in its text.
    pub motions: usize,
    /// How many of them are run.
    pub reached: usize,
    /// Lines of moves that may also be made in ways that are not followed, so that nothing is claimed of them; none if that is so of all moves.
    pub doubtful: Option<Vec<u32>>,
}

/// What of a program is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run<'a> {
    /// The routine that is run, instead of the main one.
    pub entry: Option<&'a str>,
    /// Whether that is run once, although the controller starts it again at its end.
    pub once: bool,
    /// Texts of other files of the same controller: modules with data (RAPID), data lists (KRL).
    pub with: &'a [Vec<u8>],
}

impl<'a> From<Option<&'a str>> for Run<'a> {
    fn from(entry: Option<&'a str>) -> Self {
        Self { entry, once: false, with: &[] }
    }
}

impl Run<'_> {
    /// Once, as far as that is from the beginning to the end.
    pub const ONCE: Self = Self { entry: None, once: true, with: &[] };
}

/// One move.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramMove {
    /// The line in which it stands.
    pub line: u32,
    /// How it goes.
    pub kind: MotionKind,
    /// Where it ends.
    pub to: Target,
    /// How fast.
    pub speed: Speed,
    /// How near it comes to its target.
    pub zone: Zone,
    /// How far from the target the tool may begin to turn otherwise, in metres, where that is farther than the zone.
    pub turn_zone: f64,
    /// What is led: where the tip is in the frame of the flange.
    pub tool: Arc<Frame>,
    /// Where poses are: in the base frame of the robot.
    pub work: Arc<Frame>,
    /// Whether the controller insists on the configuration at the end of a line or an arc.
    pub insists: bool,
    /// Whether on a circle the tool turns relative to the path, rather than relative to the work.
    pub path_frame: bool,
    /// Where external axes are.
    pub external: External,
    /// The joint values near which a pose is reached, in radians, where the program says them.
    pub near: Option<Vec<f64>>,
    /// Whether it is not known where the robot comes from: what stands before it in the list says nothing of that.
    pub after_gap: bool,
    /// Whether it was made before, and stands here once more because the next move may follow it, too.
    pub is_again: bool,
}

impl ProgramMove {
    /// Whether the target alone says in which posture the robot arrives, wherever it comes from.
    fn tells_posture(&self) -> bool {
        match &self.to {
            // Lines and arcs take only the pose of it, and go on in the joint solution in which they come.
            Target::Joints(_) => self.kind == MotionKind::Joint,
            Target::Pose(_, config) => config.is_whole() && (self.kind == MotionKind::Joint || self.insists),
        }
    }
}

/// How a move goes.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionKind {
    /// All joints evenly.
    Joint,
    /// The tip straight.
    Linear,
    /// The tip on a circle through a pose, of which only the place counts.
    Circular(Pose),
}

/// Where a move ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Joints as the controller counts them, in radians.
    Joints(Vec<f64>),
    /// The tip in the work object, and what is said of the configuration.
    Pose(Pose, Config),
}

/// A tool or a work object.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Its name, or its number.
    pub name: String,
    /// Where it is; none if the file does not say.
    pub at: Option<Pose>,
}

/// How fast a move goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// Nothing is said.
    Unsaid,
    /// Of the tip, in metres per second.
    Tip(f64),
    /// A part of what the joints can do, from 0 to 1.
    Part(f64),
    /// So many seconds for the move.
    Seconds(f64),
}

/// How near a move comes to its target before the next one begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Zone {
    /// It stops there.
    Fine,
    /// Within so many metres of the tip.
    Radius(f64),
    /// In a way that depends on the controller: FANUC's `CNT`, KUKA's `C_PTP`, Yaskawa's `PL`; from 0 to 1.
    Smooth(f64),
}

/// Something that was not understood, or is odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The line.
    pub line: u32,
    /// What.
    pub what: String,
    /// Whether it could move the robot, or change where it goes.
    pub moves: bool,
}

/// A language of robots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// ABB.
    Rapid,
    /// KUKA.
    Krl,
    /// FANUC, as text.
    Fanuc,
    /// Universal Robots.
    UrScript,
    /// Yaskawa (Motoman) INFORM.
    Jbi,
}

impl Language {
    /// All there are.
    pub const ALL: [Self; 5] = [Self::Rapid, Self::Krl, Self::Fanuc, Self::UrScript, Self::Jbi];

    /// The language of a file, by how its name ends.
    #[must_use]
    pub fn of_file(path: &Path) -> Option<Self> {
        let end = path.extension()?.to_string_lossy().to_ascii_lowercase();
        Some(match end.as_str() {
            "mod" | "modx" | "prg" | "sys" | "sysx" => Self::Rapid,
            "src" => Self::Krl,
            "ls" => Self::Fanuc,
            "script" | "urscript" => Self::UrScript,
            "jbi" => Self::Jbi,
            _ => return None,
        })
    }

    /// By its name, as jobs have it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rapid => "rapid",
            Self::Krl => "krl",
            Self::Fanuc => "fanuc",
            Self::UrScript => "urscript",
            Self::Jbi => "jbi",
        }
    }

    /// How names of its files end.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Rapid => "mod",
            Self::Krl => "src",
            Self::Fanuc => "ls",
            Self::UrScript => "script",
            Self::Jbi => "jbi",
        }
    }
}

/// Reads a program from a file; of KRL also the `.dat` beside it, if there is one.
///
/// # Errors
/// A file that is none, is cut short or too large, with its line.
pub fn read<'a>(path: &Path, profile: &Profile, run: impl Into<Run<'a>>) -> Result<RobotProgram, ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let language = Language::of_file(path).ok_or_else(|| {
        fail(vec![Fault::of_file(
            "this is no robot program that is known: .mod, .sys, .src, .ls, .script and .jbi are",
        )])
    })?;
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    let data = match language {
        Language::Krl => path.file_stem().and_then(|stem| {
            let folder = path.parent().unwrap_or(Path::new("."));
            let stem = stem.to_string_lossy();
            ["dat", "DAT"].iter().find_map(|end| beside(folder, &format!("{stem}.{end}")).ok())
        }),
        _ => None,
    };
    parse(&bytes, data.as_deref(), language, profile, run).map_err(fail)
}

/// Reads one from memory; `data` is the text of a `.dat`.
///
/// # Errors
/// As [`read`].
pub fn parse<'a>(
    bytes: &[u8],
    data: Option<&[u8]>,
    language: Language,
    profile: &Profile,
    run: impl Into<Run<'a>>,
) -> Result<RobotProgram, Vec<Fault>> {
    let run = run.into();
    if bytes.len() + data.map_or(0, <[u8]>::len) > MAX_BYTES {
        return Err(vec![Fault::of_file(format!("programs of more than {MAX_BYTES} bytes are not read"))]);
    }
    let text = text::decoded(bytes);
    let read = match language {
        Language::Rapid => rapid::read(&text, profile, run),
        Language::Krl => krl::read(&text, data, profile, run),
        Language::Fanuc => ls::read(&text, profile, run),
        Language::UrScript => urscript::read(&text, profile, run),
        Language::Jbi => jbi::read(&text, profile, run),
    };
    let mut program = read.map_err(|wrong| vec![fault_at(&text, wrong.line, wrong.what)])?;
    if data.is_some_and(|data| lone_return(&text::decoded(data)).is_some()) {
        let what = "a carriage return stands alone in the .dat: whether it ends its line is not known".into();
        program.notes.push(Note { line: 1, what, moves: true });
        program.doubtful = None;
    }
    if let Some(line) = lone_return(&text) {
        let what =
            "a carriage return stands alone in this line: whether it ends the line is not known".into();
        program.notes.push(Note { line, what, moves: true });
        program.doubtful = None;
    }
    if program.moves.len() >= MOST_MOVES {
        return Err(vec![Fault::of_file(format!("there are more than {MOST_MOVES} moves in this program"))]);
    }
    Ok(program)
}

/// The line of a carriage return that is not beside a line feed, in a text whose lines end with line feeds.
fn lone_return(text: &[u8]) -> Option<u32> {
    if !text.contains(&b'\n') {
        return None;
    }
    let mut line = 1;
    let mut returned = false;
    for c in text {
        match c {
            b'\n' => {
                line += 1;
                returned = false;
            }
            b'\r' => returned = true,
            _ if returned => return Some(line),
            _ => {}
        }
    }
    None
}

/// Keeps a note, as long as there are not too many; whether there may be more.
fn push_note(notes: &mut Vec<Note>, note: Note) -> bool {
    if notes.len() < MOST_NOTES {
        notes.push(note);
    } else if notes.len() == MOST_NOTES {
        let what = "there is more that is not understood from here on, and could move the robot";
        notes.push(Note { line: note.line, what: what.into(), moves: true });
    }
    notes.len() <= MOST_NOTES
}

/// Notes as faults, with the lines quoted: those that could move the robot, or the others.
#[must_use]
pub fn notes_of(program: &RobotProgram, bytes: &[u8], moving: bool) -> Vec<Fault> {
    let text = text::decoded(bytes);
    let chosen: Vec<&Note> = program.notes.iter().filter(|note| note.moves == moving).collect();
    let mut faults = crate::fault::Faults::default();
    let mut quoted: std::collections::HashMap<u32, &[u8]> =
        chosen.iter().take(30).map(|n| (n.line, &b""[..])).collect();
    for line in text::lines(&text) {
        if let Some(slot) = quoted.get_mut(&line.number) {
            *slot = line.text;
        }
    }
    for note in chosen {
        let line = quoted.get(&note.line).copied().unwrap_or_default();
        faults.push(at_line(line, note.line, note.what.clone()));
    }
    faults.into_vec()
}

/// A fault of a line of a program, which is quoted.
#[must_use]
pub fn fault_at(text: &[u8], number: u32, what: impl Into<String>) -> Fault {
    let line = text::lines(text).find(|line| line.number == number).map_or(&b""[..], |line| line.text);
    at_line(line, number, what.into())
}

fn at_line(line: &[u8], number: u32, what: String) -> Fault {
    let begin = line.iter().position(|c| !c.is_ascii_whitespace()).unwrap_or(0);
    let length = line.trim_ascii().len();
    Fault { place: text::place_in_line(line, number, begin, length), what, help: None }
}
