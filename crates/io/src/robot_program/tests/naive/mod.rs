//! Second readings of the languages: random programs are run by a naive interpreter, too, and both have to make the same motions.
//!
//! Each language has a file with three parts: a small tree of what a program says, drawn at random; how that is written as text; and an
//! interpreter that runs the tree as the language's reference page has it (docs/reference/files), with nothing of the reader's code. The text
//! is all that the reader sees.
//!
//! Values that only the controller knows (inputs, persistents that others write) come from a *world*. A program is run in several, and the
//! reader has to be right in all of them, or say that it does not know.

mod frame;
mod jbi;
mod krl;
mod ls;
mod rapid;
mod urscript;

pub(super) use frame::Frame;

use std::io::Write;

use crate::robot_program::{
    Language, MotionKind, Profile, ProgramMove, RobotProgram, Run, Speed, Target, Zone, parse,
};

/// How far apart two numbers may be that are meant to be the same, in millimetres or degrees: controllers that reckon in single precision
/// lose that much of a few metres.
const SAME: f64 = 5e-3;

/// Random numbers (SplitMix64).
#[derive(Clone)]
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A whole number from `low` to `high`.
    #[expect(clippy::wrong_self_convention, reason = "it reads as what is drawn")]
    pub(super) fn from_to(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True so many times of a hundred.
    pub(super) fn percent(&mut self, of: usize) -> bool {
        self.below(100) < of
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// How a motion goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goes {
    Joint,
    Linear,
    /// On a circle through a place of the work object, in millimetres.
    Circular([f64; 3]),
}

/// Where a motion ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ends {
    /// Axes in degrees.
    Axes(Vec<f64>),
    /// The tool in the work object.
    Pose(Frame),
}

/// How near a motion comes to its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Corner {
    Stop,
    /// Millimetres.
    Radius(f64),
    /// From 0 to 1.
    Smooth(f64),
}

/// One motion as a controller makes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Made {
    pub(super) goes: Goes,
    pub(super) ends: Ends,
    pub(super) corner: Corner,
    /// None where no file defines it.
    pub(super) tool: Option<Frame>,
    pub(super) work: Option<Frame>,
    /// Millimetres per second; none where the speed is not of the tool.
    pub(super) speed: Option<f64>,
}

impl Made {
    /// What the reader says, in the same form.
    fn of(read: &ProgramMove) -> Self {
        Self {
            goes: match &read.kind {
                MotionKind::Joint => Goes::Joint,
                MotionKind::Linear => Goes::Linear,
                MotionKind::Circular(via) => Goes::Circular((via.translation() * 1e3).into()),
            },
            ends: match &read.to {
                Target::Joints(axes) => Ends::Axes(axes.iter().map(|axis| axis.to_degrees()).collect()),
                Target::Pose(pose, _) => Ends::Pose(Frame::of(pose)),
            },
            corner: match read.zone {
                Zone::Fine => Corner::Stop,
                Zone::Radius(radius) => Corner::Radius(radius * 1e3),
                Zone::Smooth(part) => Corner::Smooth(part),
            },
            tool: read.tool.at.as_ref().map(Frame::of),
            work: read.work.at.as_ref().map(Frame::of),
            speed: match read.speed {
                Speed::Tip(speed) => Some(speed * 1e3),
                _ => None,
            },
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= SAME;
        let all = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(*a, *b));
        let frame = |a: &Option<Frame>, b: &Option<Frame>| match (a, b) {
            (Some(a), Some(b)) => a.is_near(b, SAME),
            (None, None) => true,
            _ => false,
        };
        let goes = match (&self.goes, &other.goes) {
            (Goes::Circular(a), Goes::Circular(b)) => all(a, b),
            (a, b) => a == b,
        };
        let ends = match (&self.ends, &other.ends) {
            (Ends::Axes(a), Ends::Axes(b)) => all(a, b),
            (Ends::Pose(a), Ends::Pose(b)) => a.is_near(b, SAME),
            _ => false,
        };
        let corner = match (self.corner, other.corner) {
            (Corner::Radius(a), Corner::Radius(b)) | (Corner::Smooth(a), Corner::Smooth(b)) => near(a, b),
            (a, b) => a == b,
        };
        let is_tool_needed = matches!(self.ends, Ends::Pose(_)) || self.goes != Goes::Joint;
        let frames = frame(&self.tool, &other.tool) && frame(&self.work, &other.work);
        let speed = match (self.speed, other.speed) {
            (Some(a), Some(b)) => near(a, b),
            _ => true,
        };
        goes && ends && corner && (frames || !is_tool_needed) && speed
    }
}

/// What came of a program.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Came {
    /// The reader says what the controller does.
    Same,
    /// The reader says that it does not know; its first reason.
    Unknown(String),
    /// The reader says something else than the controller does: what, and the text.
    Differs(String, String),
}

/// Programs, and how many of them the reader knew; reasons of the others with how often they were given.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) same: usize,
    pub(super) unknown: std::collections::BTreeMap<String, usize>,
    /// How many differed, and the shortest of them.
    differs: usize,
    shortest: Option<(String, String)>,
}

impl Tally {
    pub(super) fn add(&mut self, came: Came) {
        match came {
            Came::Same => self.same += 1,
            Came::Unknown(why) => *self.unknown.entry(why).or_default() += 1,
            Came::Differs(what, text) => {
                self.differs += 1;
                if self.shortest.as_ref().is_none_or(|(_, shortest)| text.len() < shortest.len()) {
                    self.shortest = Some((what, text));
                }
            }
        }
    }

    /// Holds that none differed, and that so many of a hundred were known: a test in which the reader never knows anything tells nothing.
    pub(super) fn assert_known(&self, percent: usize) {
        if let Some((what, text)) = &self.shortest {
            panic!("{} differ; the shortest: {what}\nof\n{text}", self.differs);
        }
        let unknown: usize = self.unknown.values().sum();
        let all = self.same + unknown;
        // Shown by --nocapture.
        writeln!(std::io::stdout(), "{} of {all} known", self.same).expect("somebody listens");
        assert!(self.same * 100 >= all * percent, "{} of {all} known; {:#?}", self.same, self.unknown);
    }
}

/// How many random programs of each language: a few with every change, 20,000 with `KANSHO_LONG`.
pub(super) fn programs() -> u64 {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match (set("KANSHO_LONG"), set("KANSHO_ALL")) {
        (true, _) => 20_000,
        (_, true) => 2_000,
        _ => 500,
    }
}

/// Worlds in which each program is run.
const WORLDS: u64 = 4;

/// What a controller makes of a program.
pub(super) struct Ran {
    made: Vec<Made>,
    /// Whether an instruction ended the program before its end. In another world it may not have.
    is_cut_short: bool,
}

impl Ran {
    /// Up to an instruction that ended the program.
    pub(super) fn cut_short(made: Vec<Made>) -> Self {
        Self { made, is_cut_short: true }
    }
}

impl From<Vec<Made>> for Ran {
    fn from(made: Vec<Made>) -> Self {
        Self { made, is_cut_short: false }
    }
}

/// Reads a text and compares it with one round of it in several worlds. A program that an instruction ended makes the first motions of those that the
/// reader says: what is proven of all of them is proven of these.
pub(super) fn once<R: Into<Ran>>(
    language: Language,
    text: &str,
    profile: &Profile,
    run: impl Fn(Dice) -> R,
) -> Came {
    let program = match read(language, text, profile, Run::ONCE) {
        Ok(program) => program,
        Err(why) => return Came::Unknown(why),
    };
    let read: Vec<Made> = program.moves.iter().map(Made::of).collect();
    for world in 0..WORLDS {
        let Ran { made, is_cut_short } = run(Dice(world)).into();
        let count = if is_cut_short { made.len() } else { made.len().max(read.len()) };
        let first = (0..count).find(|&k| !made.get(k).zip(read.get(k)).is_some_and(|(a, b)| a.is_same(b)));
        if let Some(k) = first {
            let what = format!(
                "{language:?}, world {world}, move {k}: the controller makes {:?}\nbut the reader says {:?} (line {:?})",
                made.get(k),
                read.get(k),
                program.moves.get(k).map(|one| one.line)
            );
            return Came::Differs(what, text.into());
        }
    }
    Came::Same
}

/// A program that differs, made as small as it can be. `smaller` gives programs with a part left out each.
pub(super) fn smallest<P>(mut program: P, smaller: impl Fn(&P) -> Vec<P>, differs: impl Fn(&P) -> bool) -> P {
    while let Some(less) = smaller(&program).into_iter().find(&differs) {
        program = less;
    }
    program
}

/// Reads a text that the controller starts again at its end, and compares it with some rounds: every motion from one target to the next that a
/// controller makes has to be among those that the reader says.
pub(super) fn again(
    language: Language,
    text: &str,
    profile: &Profile,
    run: impl Fn(Dice) -> Vec<Made>,
) -> Came {
    let program = match read(language, text, profile, Run::default()) {
        Ok(program) => program,
        Err(why) => return Came::Unknown(why),
    };
    if let Some(note) = program.unreached.first() {
        return Came::Unknown(note.what.clone());
    }
    let read: Vec<Made> = program.moves.iter().map(Made::of).collect();
    for world in 0..WORLDS {
        let made = run(Dice(world));
        let is_first = made.first().zip(read.first()).is_none_or(|(a, b)| a.is_same(b));
        if !is_first || made.is_empty() != read.is_empty() {
            return Came::Differs(format!("{language:?}: another beginning"), text.into());
        }
        for (k, pair) in made.windows(2).enumerate() {
            let is_read = read.windows(2).any(|two| two[0].is_same(&pair[0]) && two[1].is_same(&pair[1]));
            // A robot that stays where it is makes no motion.
            let stays = pair[0].ends == pair[1].ends && pair[0].corner == Corner::Stop;
            if !is_read && !stays {
                let what = format!(
                    "{language:?}, world {world}: the controller makes motion {k}, {pair:?}\nwhich the reader does not have: {read:?}",
                );
                return Came::Differs(what, text.into());
            }
        }
    }
    Came::Same
}

fn read(language: Language, text: &str, profile: &Profile, run: Run<'_>) -> Result<RobotProgram, String> {
    // Numbers differ from program to program; what is wrong does not.
    let general = |what: &str| what.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let program = parse(text.as_bytes(), None, language, profile, run)
        .map_err(|faults| format!("refused: {}", general(&faults[0].what)))?;
    match program.notes.iter().find(|note| note.moves) {
        Some(note) => Err(general(&note.what)),
        None => Ok(program),
    }
}
