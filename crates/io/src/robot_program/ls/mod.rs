//! FANUC programs as text (`.ls`): statements with jumps and loops of constant registers.

mod motion;
mod sections;

use super::frames::Frames;
use super::lexer::Wrong;
use super::lines::{Jumps, Next, Paths, Reached, Rounds, Widened, end_loop, holds, reckoned};
use super::profile::Profile;
use super::{MOST_MOVES, Note, RobotProgram, Run, push_note};
use kansho_geom::Pose;
use sections::Sections;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Statements that are text for people, or begin it.
const REMARKS: [&str; 3] = ["!", "//", "--EG:"];

/// Statements in which nothing moves and nothing is decided, as they stand.
const WORDS: [&str; 5] = ["PAUSE", "COL DETECT ON", "COL DETECT OFF", "LOCK PREG", "UNLOCK PREG"];

/// What begins a statement in which nothing moves: something in brackets.
const IN_BRACKETS: [&str; 3] = ["UALM[", "LBL[", "PAYLOAD["];

/// What is set in a statement in which nothing moves: outputs, timers, speeds.
const OUTPUTS: [&str; 11] = [
    "DO[",
    "RO[",
    "GO[",
    "AO[",
    "F[",
    "SR[",
    "DI[",
    "TIMER[",
    "OVERRIDE",
    "JOINT_MAX_SPEED",
    "LINEAR_MAX_SPEED",
];

/// System variables that change nothing of where the robot goes.
const VARIABLES: [&str; 2] = ["$WAITTMOUT", "$MCR.$GENOVERRIDE"];

/// What can be waited for.
const SIGNALS: [&str; 17] = [
    "DI[", "DO[", "RI[", "RO[", "SI[", "SO[", "UI[", "UO[", "GI[", "GO[", "AI[", "AO[", "R[", "F[", "M[",
    "$", "(",
];

/// Whether a statement is one in which nothing moves and nothing is decided. It has to be that as a whole: macros are called by their names
/// alone, and names of macros may begin as anything.
fn is_harmless(text: &str) -> bool {
    let calls = || {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| ["CALL", "RUN", "JMP"].contains(&word))
    };
    if REMARKS.iter().any(|begin| text.starts_with(begin)) || WORDS.contains(&text) {
        return true;
    }
    if text.starts_with("MESSAGE[") {
        let mut depth = 0;
        let end = text.char_indices().find(|&(_, c)| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            c == ']' && depth == 0
        });
        return end.is_some_and(|(at, _)| at + 1 == text.len());
    }
    if IN_BRACKETS.iter().any(|begin| text.starts_with(begin)) {
        return text.ends_with(']') && text.matches(']').count() == 1;
    }
    let Some((left, right)) = text.split_once('=') else { return false };
    let (left, right) = (left.trim(), right.trim());
    let is_output = |begin: &&str| match begin.strip_suffix('[') {
        Some(_) => left.starts_with(*begin) && left.ends_with(']'),
        None => left == *begin || left.starts_with(&format!("{begin}[")) && left.ends_with(']'),
    };
    let is_set = OUTPUTS.iter().any(is_output) || VARIABLES.contains(&left);
    is_set && is_one_value(right) && !calls()
}

/// Whether a text is one value, with what belongs to it: `ON`, `PULSE,0.5sec`, `(R[1]+2)`, `-5`, `100%`.
fn is_one_value(text: &str) -> bool {
    let text = &text.replace(", ", ",");
    let mut depth = 0;
    let is_apart = text.chars().any(|c| {
        depth += i32::from(c == '[' || c == '(') - i32::from(c == ']' || c == ')');
        depth == 0 && c.is_whitespace()
    });
    let words: Vec<&str> = text.split_whitespace().collect();
    let goes_on =
        |word: &&str| word.chars().all(|c| "+-*/".contains(c)) || ["AND", "OR", "MOD", "DIV"].contains(word);
    !text.is_empty() && (!is_apart || words.iter().any(goes_on) && words.len() <= 9)
}

/// Whether a statement waits: for a time, or for a signal.
fn is_wait(rest: &str) -> bool {
    let rest = rest.trim();
    let is_time = |text: &str| {
        let number = text.strip_suffix("(SEC)").unwrap_or(text).trim();
        number.parse::<f64>().is_ok() || numbers(number, "R[").is_some()
    };
    let is_signal = || {
        SIGNALS.iter().any(|begin| rest.starts_with(begin))
            && rest.contains(['=', '<', '>'])
            && !rest.contains(',')
            && !["CALL", "RUN", "JMP", "TIMEOUT"].iter().any(|word| rest.contains(word))
    };
    rest.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == 'R') && is_time(rest) || is_signal()
}

/// What follows of a statement.
enum Then {
    /// The next one.
    On,
    /// Another one, by its place.
    Jump(usize),
    /// Nothing.
    End,
}

/// What was not understood, and whether it could move the robot.
type Odd = (String, bool);

fn moving(what: impl Into<String>) -> Odd {
    (what.into(), true)
}

pub(super) fn read(bytes: &[u8], profile: &Profile, run: Run<'_>) -> Result<RobotProgram, Wrong> {
    let mut sections = Sections::default();
    sections.read(bytes)?;
    let mut program = RobotProgram {
        language: super::Language::Fanuc,
        name: sections.name.clone(),
        moves: Vec::new(),
        notes: Vec::new(),
        unreached: Vec::new(),
        closing: Vec::new(),
        statements: 0,
        motions: 0,
        reached: 0,
        doubtful: None,
    };
    let mut rounds = Rounds::new(profile.repeats && !run.once);
    let mut reached =
        Reached::new(sections.statements.iter().map(|(line, text)| (*line, motion::is_one(text))));
    let mut state = State {
        profile,
        frames: Frames::default(),
        known: Known::default(),
        is_lost: false,
        written: Written::of(&sections.statements),
    };
    // A frame that the program sets is, when a run begins, as an earlier one left it.
    for (_, text) in &sections.statements {
        let upper = text.to_ascii_uppercase();
        for (head, is_tool) in [("UTOOL[", true), ("UFRAME[", false)] {
            for (at, _) in upper.match_indices(head) {
                let number = upper[at + head.len()..]
                    .split([']', ':'])
                    .next()
                    .and_then(|text| text.trim().parse().ok());
                let is_set =
                    upper[at..].split_once(']').is_some_and(|(_, rest)| rest.trim_start().starts_with('='));
                if let Some(number) = number
                    && is_set
                {
                    let frames = if is_tool { &mut state.known.tools } else { &mut state.known.work };
                    frames.insert(number, Err(format!("{head}{number}] is as an earlier run left it")));
                }
            }
        }
    }
    let is_register = |(at, _): (usize, &str), text: &str| {
        !text[..at].ends_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    };
    let reads = |text: &str| text.match_indices("R[").any(|found| is_register(found, text));
    if let Some((line, _)) = sections.statements.iter().find(|(_, text)| reads(text)) {
        let what = "assumed: no other task, panel or computer sets R[...] while this program runs".into();
        push_note(&mut program.notes, Note { line: *line, what, moves: false });
    }
    // What is known where nobody knows what was run before: what is not in this file may have set frames and tools.
    let foreign =
        sections.statements.iter().find(|(_, text)| is_foreign(&text.to_ascii_uppercase(), profile));
    let lost = Known { are_frames_lost: foreign.is_some(), ..state.known.clone() };
    if let Some((line, _)) = foreign
        && !sections.positions.is_empty()
    {
        let mut numbers: Vec<u32> = sections.positions.keys().copied().collect();
        numbers.sort_unstable();
        let more = if numbers.len() > 12 { ", ..." } else { "" };
        let shown: Vec<String> = numbers.iter().take(12).map(|number| format!("P[{number}]")).collect();
        let what = format!(
            "assumed: what is not understood does not set positions of this program ({}{more})",
            shown.join(", ")
        );
        push_note(&mut program.notes, Note { line: *line, what, moves: false });
    }
    let begins = |text: &str| text.starts_with("LBL[");
    let ends = |text: &str| ["ELSE", "ENDIF", "ENDFOR", "="].iter().any(|word| text.starts_with(word));
    let mut paths = Paths::new(sections.statements.iter().map(|(_, text)| {
        let upper = text.to_ascii_uppercase();
        (begins(&upper), ends(&upper))
    }));
    let mut gave_up = false;
    let flow = Flow::of(&sections.statements);
    let mut jumps = Jumps::new(sections.statements.iter().map(|(_, text)| text.as_str()));
    let mut at = 0;
    loop {
        let Some((line, statement)) = sections.statements.get(at) else {
            let Some(place) = paths.next() else { break };
            at = place;
            state.known = lost.clone();
            state.is_lost = true;
            continue;
        };
        let line = *line;
        program.statements += 1;
        if !jumps.step(statement, at, program.moves.len()) {
            let what = "the program runs for too long".into();
            push_note(&mut program.notes, Note { line, what, moves: true });
            gave_up = true;
            break;
        }
        let is_motion = motion::is_one(statement);
        let then = if is_motion && statement.contains(';') {
            Err(moving("text behind ';' is not followed"))
        } else if is_motion {
            reached.insert(at);
            match state.motion(statement, line, &sections.positions) {
                Ok(one) => {
                    if program.moves.len() < MOST_MOVES {
                        program.moves.push(one);
                    }
                    Ok(Then::On)
                }
                Err(what) => Err(moving(what)),
            }
        } else {
            state.statement(statement, at, &flow)
        };
        // Where a path ends, the next one is run.
        let end = sections.statements.len();
        let is_refused = program.notes.iter().any(|note| note.moves);
        let next = match then {
            Ok(Then::On) => at + 1,
            Ok(Then::End) if is_refused => {
                if profile.repeats {
                    paths.add(0);
                }
                end
            }
            Ok(Then::End) if rounds.ends(&mut state.known, &mut program, line) => break,
            Ok(Then::End) => {
                jumps.start_again();
                0
            }
            // What is not understood may be what ends the loop: later rounds begin with whatever rounds leave.
            Ok(Then::Jump(to)) if to <= at && is_refused => {
                paths.add(to);
                end
            }
            Ok(Then::Jump(to)) => {
                state.known.leave(to, &flow);
                match jumps.jump(at, to, &state.known, &program.moves) {
                    Next::On => {}
                    Next::Endless(begin) => {
                        end_loop(&mut program, begin, line);
                        break;
                    }
                }
                to
            }
            Err((what, moves)) => {
                // The same line in a loop is told once.
                if moves {
                    state.is_lost = true;
                    // Sensors, soft axes and shifts lead the robot elsewhere than moves say.
                    let first = statement.split([' ', '[']).next().unwrap_or_default().to_ascii_uppercase();
                    gave_up |= [
                        "TRACK",
                        "FORCE",
                        "SOFTFLOAT",
                        "OFFSET",
                        "TOOL_OFFSET",
                        "VOFFSET",
                        "LINE",
                        "STITCH",
                        "WEAVE",
                    ]
                    .contains(&first.as_str());
                    // What a move calls, and where it jumps to, is not followed.
                    let upper = statement.to_ascii_uppercase();
                    let goes_on = ["CALL", " TB", " TA", " DB", "SKIP", "LBL", ";"]
                        .iter()
                        .any(|word| upper.contains(word));
                    if !is_motion || goes_on {
                        state.known = lost.clone();
                        paths.add_all();
                    }
                }
                let is_told = |note: &Note| note.line == line && note.what == what;
                if !program.notes.iter().rev().take(64).any(is_told)
                    && !push_note(&mut program.notes, Note { line, what, moves })
                {
                    gave_up = true;
                    break;
                }
                at + 1
            }
        };
        at = next;
        if program.moves.len() >= MOST_MOVES {
            gave_up = true;
            break;
        }
        // What has no END ends with its last line.
        let is_refused = program.notes.iter().any(|note| note.moves);
        if at == sections.statements.len() && is_refused && profile.repeats {
            paths.add(0);
        }
        if at == sections.statements.len()
            && !is_refused
            && !rounds.ends(&mut state.known, &mut program, line)
        {
            jumps.start_again();
            at = 0;
        }
    }
    reached.tell(&mut program, run.once, gave_up);
    Ok(program)
}

/// Words that begin statements which are known not to set frames or tools other than those that they name.
const OWN: [&str; 20] = [
    "END", "ENDFOR", "ENDIF", "ABORT", "JMP ", "FOR ", "IF ", "IF(", "ELSE", "SELECT ", "=", "WAIT ",
    "WAIT(", "R[", "PR[", "P[", "UTOOL", "UFRAME", "SKIP ", "AR[",
];

/// Whether a statement may run something that is not in this file, which may set frames and tools.
fn is_foreign(upper: &str, profile: &Profile) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_owned).collect()
    };
    if REMARKS.iter().any(|begin| upper.starts_with(begin)) {
        return false;
    }
    let all = words(upper);
    if motion::is_one(upper) {
        return all.iter().any(|word| ["CALL", "TB", "TA", "DB"].contains(&word.as_str()));
    }
    if let Some(at) = all.iter().position(|word| word == "CALL" || word == "RUN") {
        let name = upper.split("CALL").last().unwrap_or_default();
        let name = name.trim().split(['(', ' ']).next().unwrap_or_default();
        return all[at] != "CALL" || !profile.is_harmless(name);
    }
    !is_harmless(upper) && !OWN.iter().any(|begin| upper.starts_with(begin))
}

/// Positions that statements of the program set: where they are is not known.
#[derive(Default)]
struct Written {
    /// Whether one is set whose number is worked out.
    any: bool,
    numbers: BTreeSet<u32>,
}

impl Written {
    fn of(statements: &[(u32, String)]) -> Self {
        let mut found = Self::default();
        for (_, text) in statements {
            let upper = text.to_ascii_uppercase();
            for (at, _) in upper.match_indices("P[") {
                if upper[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
                    continue;
                }
                let mut depth = 0;
                let end = upper[at..].char_indices().find(|&(_, c)| {
                    depth += i32::from(c == '[') - i32::from(c == ']');
                    c == ']' && depth == 0
                });
                let Some((end, _)) = end else { continue };
                if !upper[at + end + 1..].trim_start().starts_with('=') {
                    continue;
                }
                let inner = &upper[at + 2..at + end];
                match inner.split([':', ',']).next().unwrap_or_default().trim().parse() {
                    Ok(number) => drop(found.numbers.insert(number)),
                    Err(_) => found.any = true,
                }
            }
        }
        found
    }

    fn has(&self, number: u32) -> bool {
        self.any || self.numbers.contains(&number)
    }
}

/// Where jumps and loops lead to.
struct Flow<'a> {
    /// None where it stands twice.
    labels: HashMap<u32, Option<usize>>,
    /// The ENDFOR of each FOR, and the FOR of each ENDFOR.
    pairs: HashMap<usize, usize>,
    statements: &'a [(u32, String)],
}

impl<'a> Flow<'a> {
    fn of(statements: &'a [(u32, String)]) -> Self {
        let (mut labels, mut pairs, mut open) = (HashMap::new(), HashMap::new(), Vec::new());
        for (at, (_, text)) in statements.iter().enumerate() {
            if let Some(number) = numbers(text, "LBL[").and_then(|all| all.first().copied()) {
                labels.entry(number).and_modify(|known| *known = None).or_insert(Some(at));
            } else if text.starts_with("FOR ") {
                open.push(at);
            } else if text == "ENDFOR"
                && let Some(begin) = open.pop()
            {
                pairs.insert(begin, at);
                pairs.insert(at, begin);
            }
        }
        Self { labels, pairs, statements }
    }

    /// `JMP LBL[3]`
    fn jump(&self, text: &str) -> Result<Then, Odd> {
        let number = text
            .trim()
            .strip_prefix("JMP")
            .and_then(|rest| numbers(rest.trim(), "LBL["))
            .and_then(|all| all.first().copied())
            .ok_or_else(|| moving("where this jumps to is not known"))?;
        let to = self.labels.get(&number).ok_or_else(|| moving(format!("there is no LBL[{number}]")))?;
        Ok(Then::Jump(to.ok_or_else(|| moving(format!("LBL[{number}] stands twice")))?))
    }
}

/// `R[1:count]` and `PR[9,1:name]` as their numbers; none of `R[1:a]+R[2:b]`, which begins and ends as one
/// register does.
fn numbers(text: &str, head: &str) -> Option<Vec<u32>> {
    let inner = text.trim().strip_prefix(head)?.strip_suffix(']')?;
    if inner.contains(['[', ']']) {
        return None;
    }
    let places = inner.split(':').next().unwrap_or_default();
    places.split(',').map(|part| part.trim().parse().ok()).collect()
}

/// What later statements depend on.
#[derive(Clone, Default, PartialEq)]
struct Known {
    /// Registers whose numbers are known.
    registers: BTreeMap<u32, f64>,
    /// Position registers, component by component.
    positions: BTreeMap<u32, [Option<f64>; 6]>,
    /// Position registers that may hold joint values.
    in_joints: BTreeSet<u32>,
    tools: BTreeMap<u32, Result<Pose, String>>,
    work: BTreeMap<u32, Result<Pose, String>>,
    tool: Option<u32>,
    frame: Option<u32>,
    /// Whether something that is not understood may have set frames and tools that are not named above.
    are_frames_lost: bool,
    /// What each FOR that is being run counts to, by its place.
    lasts: BTreeMap<usize, f64>,
}

impl Widened for Known {
    fn widen(&mut self, before: &Self) {
        self.registers.retain(|number, value| before.registers.get(number) == Some(value));
        self.positions.retain(|number, value| before.positions.get(number) == Some(value));
    }
}

impl Known {
    /// Jumps to a place: loops around which it does not stand are left.
    fn leave(&mut self, to: usize, flow: &Flow<'_>) {
        let is_around = |begin: usize| flow.pairs.get(&begin).is_some_and(|end| begin < to && to <= *end);
        self.lasts.retain(|begin, _| is_around(*begin));
    }

    fn value(&self, text: &str) -> Option<f64> {
        match numbers(text, "R[")?[..] {
            [number] => self.registers.get(&number).copied(),
            _ => None,
        }
    }
}

struct State<'a> {
    profile: &'a Profile,
    frames: Frames,
    known: Known,
    /// Whether the robot may stand somewhere else than at the target of the last move.
    is_lost: bool,
    /// Positions that the program sets.
    written: Written,
}

impl State<'_> {
    fn statement(&mut self, text: &str, at: usize, flow: &Flow<'_>) -> Result<Then, Odd> {
        let upper = text.to_ascii_uppercase();
        if text.contains(';') {
            return Err(moving("text behind ';' is not followed"));
        }
        let is_word = |word: &str| {
            upper.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        if upper == "END" || upper == "ABORT" {
            return Ok(Then::End);
        }
        if is_word("JMP") {
            return flow.jump(&upper);
        }
        if is_word("FOR") || is_word("ENDFOR") {
            return self.count(&upper, at, flow);
        }
        if let Some(rest) = upper.strip_prefix("IF ") {
            let (condition, then) =
                rest.split_once(',').ok_or_else(|| moving("branches over several lines are not followed"))?;
            return match holds(condition, &|text| self.known.value(text)) {
                Some(true) if then.trim().starts_with("JMP") => flow.jump(then),
                Some(true) => self.statement(then.trim(), at, flow),
                Some(false) => Ok(Then::On),
                None => Err(moving("branches are not followed: what is asked for is not known")),
            };
        }
        if is_word("SELECT") {
            return Err(moving("branches are not followed"));
        }
        if let Some(rest) = upper.strip_prefix("WAIT ") {
            return match is_wait(rest) {
                true if holds(rest, &|text| self.known.value(text)) == Some(false) => Err(moving(
                    "what is waited for only something else can bring about: what that sets is not known",
                )),
                true => Ok(Then::On),
                false if rest.contains("TIMEOUT") => Err(moving("branches are not followed")),
                false => Err(moving("what is waited for is not understood")),
            };
        }
        for begin in ["CALL ", "RUN "] {
            if let Some(rest) = upper.strip_prefix(begin) {
                let rest = rest.trim();
                let name = rest.split(['(', ' ']).next().unwrap_or_default();
                let args = rest[name.len()..].trim();
                let is_all =
                    args.is_empty() || args.starts_with('(') && args.find(')') == Some(args.len() - 1);
                if self.profile.is_harmless(name) && is_all {
                    // What it does with registers is not known.
                    self.known.registers.clear();
                    self.known.positions.clear();
                    return Ok(Then::On);
                }
                return Err(moving(format!("'{name}' is not in this file, and could move the robot")));
            }
        }
        if is_harmless(&upper) {
            return Ok(Then::On);
        }
        if let Some((left, right)) = upper.split_once('=')
            && let Some(done) = self.assign(left.trim(), right.trim())
        {
            if !is_one_value(right.trim()) {
                return Err(moving(format!("'{}' is not understood", right.trim())));
            }
            return done.map(|()| Then::On);
        }
        let first = text.split_whitespace().next().unwrap_or_default();
        Err(moving(format!("'{first}' is not known, and could move the robot")))
    }

    /// Puts something into a register, or chooses a tool or a frame; none if it is none of these.
    fn assign(&mut self, left: &str, right: &str) -> Option<Result<(), Odd>> {
        if left == "UTOOL_NUM" || left == "UFRAME_NUM" {
            let Some(number) = reckoned(right, &|text| self.known.value(text))
                .filter(|number| number.fract() == 0.0 && (0.0..1e6).contains(number))
            else {
                return Some(Err(moving(format!("which tool or frame is chosen is not known: {right}"))));
            };
            let slot = if left == "UTOOL_NUM" { &mut self.known.tool } else { &mut self.known.frame };
            *slot = Some(number as u32);
            return Some(Ok(()));
        }
        if let Some(place) = numbers(left, "R[") {
            let value = reckoned(right, &|text| self.known.value(text));
            match (place[..].first(), value) {
                (Some(number), Some(value)) => drop(self.known.registers.insert(*number, value)),
                (Some(number), None) => drop(self.known.registers.remove(number)),
                (None, _) => {}
            }
            return Some(Ok(()));
        }
        // Which register is set is only known to the controller.
        if left.starts_with("R[") {
            self.known.registers.clear();
            return Some(Ok(()));
        }
        if let Some(place) = numbers(left, "PR[") {
            let value = reckoned(right, &|text| self.known.value(text));
            let number = *place.first()?;
            // Its parts are joint values from then on.
            if place.len() == 1 && right != "LPOS" {
                self.known.in_joints.insert(number);
            } else if place.len() == 1 {
                self.known.in_joints.remove(&number);
            }
            let slot = self.known.positions.entry(number).or_insert([None; 6]);
            match place[..] {
                [_, part @ 1..=6] => slot[part as usize - 1] = value,
                _ => *slot = [None; 6],
            }
            return Some(Ok(()));
        }
        if left.starts_with("PR[") {
            self.known.positions.clear();
            return Some(Ok(()));
        }
        for (head, is_tool) in [("UTOOL[", true), ("UFRAME[", false)] {
            let Some(place) = numbers(left, head) else { continue };
            let pose = numbers(right, "PR[")
                .filter(|from| from.first().is_some_and(|from| !self.known.in_joints.contains(from)))
                .and_then(|from| self.known.positions.get(from.first()?))
                .and_then(|all| {
                    let mut six = [0.0; 6];
                    for (slot, part) in six.iter_mut().zip(all) {
                        *slot = (*part)?;
                    }
                    let (xyz, wpr) = ([six[0], six[1], six[2]], [six[3], six[4], six[5]]);
                    super::value::fixed_angles_pose(xyz, wpr).ok()
                });
            let kept = pose.ok_or_else(|| format!("what is put into {left} is not known"));
            (if is_tool { &mut self.known.tools } else { &mut self.known.work })
                .insert(*place.first()?, kept);
            return Some(Ok(()));
        }
        None
    }

    /// `FOR R[1]=1 TO 5`, `ENDFOR`
    fn count(&mut self, text: &str, at: usize, flow: &Flow<'_>) -> Result<Then, Odd> {
        let partner = *flow.pairs.get(&at).ok_or_else(|| moving("FOR and ENDFOR do not belong together"))?;
        let (head, is_end) = if text.starts_with("FOR") {
            (text.to_owned(), false)
        } else {
            (flow.statements[partner].1.to_ascii_uppercase(), true)
        };
        let unknown = || moving("loops are not followed: how often is not known");
        let rest = head.strip_prefix("FOR").ok_or_else(unknown)?;
        let (name, bounds) = rest.split_once('=').ok_or_else(unknown)?;
        let (from, to, step) = match bounds.split_once(" DOWNTO ") {
            Some((from, to)) => (from, to, -1.0),
            None => bounds.split_once(" TO ").map(|(from, to)| (from, to, 1.0)).ok_or_else(unknown)?,
        };
        let value = |text: &str| reckoned(text, &|text| self.known.value(text));
        let Some([number]) = numbers(name, "R[").and_then(|all| <[u32; 1]>::try_from(all).ok()) else {
            return Err(unknown());
        };
        let now = if is_end { value(name).map(|now| now + step) } else { value(from) };
        let (Some(now), Some(to)) = (now, value(to)) else { return Err(unknown()) };
        if now.fract() != 0.0 || to.fract() != 0.0 {
            return Err(unknown());
        }
        let begin = if is_end { partner } else { at };
        // Whether it is asked for in each round is not said, nor what an ENDFOR does whose FOR was not run.
        if is_end && self.known.lasts.get(&begin) != Some(&to) {
            return Err(unknown());
        }
        let goes_on = (to - now) * step >= 0.0;
        match goes_on {
            true => drop(self.known.lasts.insert(begin, to)),
            false => drop(self.known.lasts.remove(&begin)),
        }
        // What it is after the last round is the controller's business.
        match goes_on {
            true => drop(self.known.registers.insert(number, now)),
            false => drop(self.known.registers.remove(&number)),
        }
        Ok(match (goes_on, is_end) {
            (true, false) | (false, true) => Then::On,
            (true, true) | (false, false) => Then::Jump(partner + 1),
        })
    }
}
