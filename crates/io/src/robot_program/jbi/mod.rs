//! Yaskawa (Motoman) jobs as text (`.jbi`): instructions, with jumps of constant variables.

mod circles;
mod motion;
mod sections;

use super::frames::Frames;
use super::lexer::Wrong;
use super::lines::{Jumps, Next, Paths, Reached, Rounds, Widened, end_loop, holds};
use super::profile::Profile;
use super::value::fixed_angles_pose;
use super::{MOST_MOVES, Note, RobotProgram, Run, push_note};
use circles::Circle;
use kansho_geom::Pose;
use sections::{Position, Sections};
use std::collections::{BTreeMap, HashMap};

/// Instructions in which nothing moves and nothing is decided.
const HARMLESS: [&str; 30] = [
    "NOP", "DOUT", "PULSE", "TIMER", "WAIT", "MSG", "PAUSE", "DIN", "AOUT", "ARCON", "ARCOF", "ARCSET",
    "SET", "ADD", "SUB", "MUL", "DIV", "INC", "DEC", "CLEAR", "GETE", "COMM", "NWAIT", "CWAIT", "CLS",
    "GETS", "TSYNC", "GUNON", "GUNOF", "SPEED",
];

/// Instructions that never stand behind another one.
const INSTRUCTIONS: [&str; 16] = [
    "MOVJ", "MOVL", "MOVC", "MOVS", "IMOV", "SMOVL", "REFP", "CALL", "JUMP", "RET", "END", "PSTART",
    "SKILLSND", "MACRO", "SFTON", "SETTOOL",
];

/// Words that instructions without motion have behind them.
const WORDS: [&str; 9] = ["ON", "OFF", "ALL", "IF", "AND", "OR", "STACK", "EXPRESS", "CURRENT"];

const MOTIONS: [&str; 3] = ["MOVJ", "MOVL", "MOVC"];

/// What follows of an instruction.
enum Then<'a> {
    On,
    Jump(&'a str),
    End,
}

/// What was not understood, and whether it could move the robot.
type Odd = (String, bool);

fn moving(what: impl Into<String>) -> Odd {
    (what.into(), true)
}

pub(super) fn read(bytes: &[u8], profile: &Profile, run: Run<'_>) -> Result<RobotProgram, Wrong> {
    let sections = Sections::read(bytes, profile)?;
    let mut state = State {
        profile,
        frames: Frames::default(),
        positions: &sections.positions,
        known: Known::default(),
        program: RobotProgram {
            language: super::Language::Jbi,
            name: sections.name.clone(),
            moves: Vec::new(),
            notes: Vec::new(),
            unreached: Vec::new(),
            closing: Vec::new(),
            statements: 0,
            motions: 0,
            reached: 0,
            doubtful: None,
        },
        is_lost: false,
    };
    for (_, text) in &sections.instructions {
        let mut words = text.split_whitespace();
        if words.next() == Some("SETTOOL")
            && let Some(number) = words.next().and_then(tool_number)
        {
            state.known.tools.insert(number, None);
        }
    }
    if let Some((line, _)) = sections.instructions.iter().find(|(_, text)| text.starts_with("SET ")) {
        let what = "assumed: no other job, panel or computer sets B, I, D or R variables while this job runs";
        state.note(*line, what, false);
    }
    let mut rounds = Rounds::new(profile.repeats && !run.once);
    let mut reached = Reached::new(sections.instructions.iter().map(|(line, text)| (*line, is_motion(text))));
    state.program.notes.extend(sections.notes);
    // What is not in this file may have set tools and frames.
    let are_frames_lost = sections.instructions.iter().any(|(_, text)| is_foreign(text, profile));
    let lost = Known { are_frames_lost, ..state.known.clone() };
    let ends = |text: &str| {
        ["ELSE", "ENDIF", "NEXT", "ENDWHILE", "CASE", "DEFAULT", "ENDSWITCH"]
            .iter()
            .any(|word| text.starts_with(word))
    };
    let mut paths =
        Paths::new(sections.instructions.iter().map(|(_, text)| (text.starts_with('*'), ends(text))));
    let mut gave_up = false;
    // None where it stands twice.
    let mut labels: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, (_, text)) in sections.instructions.iter().enumerate() {
        if text.starts_with('*') {
            let name = text.split_whitespace().next().unwrap_or_default();
            labels.entry(name).and_modify(|known| *known = None).or_insert(Some(at));
        }
    }
    let (mut jumps, mut at) = (Jumps::new(sections.instructions.iter().map(|(_, text)| text.as_str())), 0);
    loop {
        let Some((line, text)) = sections.instructions.get(at) else {
            let Some(place) = paths.next() else { break };
            at = place;
            state.known = lost.clone();
            state.is_lost = true;
            continue;
        };
        let line = *line;
        let end = sections.instructions.len();
        let is_refused = state.program.notes.iter().any(|note| note.moves);
        state.program.statements += 1;
        if !jumps.step(text, at, state.program.moves.len()) {
            state.note(line, "the job runs for too long", true);
            gave_up = true;
            break;
        }
        reached.insert(at);
        at = match state.instruction(text, line) {
            Ok(Then::On) => at + 1,
            Ok(Then::End) if is_refused => {
                if profile.repeats {
                    paths.add(0);
                }
                end
            }
            Ok(Then::End) if rounds.ends(&mut state.known, &mut state.program, line) => break,
            Ok(Then::End) => {
                jumps.start_again();
                0
            }
            Ok(Then::Jump(label)) => {
                // What is not understood may be what ends the loop: the job is refused anyway.
                let is_back = |to: &Option<usize>| to.is_none_or(|to| to <= at);
                if labels.get(label).is_some_and(is_back) && is_refused {
                    paths.add_all();
                    at = end;
                    continue;
                }
                match labels.get(label) {
                    Some(Some(to)) => match jumps.jump(at, *to, &state.known, &state.program.moves) {
                        Next::On => *to,
                        Next::Endless(begin) => {
                            end_loop(&mut state.program, begin, line);
                            break;
                        }
                    },
                    Some(None) => {
                        state.note(line, &format!("the label {label} stands twice"), true);
                        state.lose(&lost, &mut paths);
                        at + 1
                    }
                    None => {
                        state.note(line, &format!("there is no label {label}"), true);
                        state.lose(&lost, &mut paths);
                        at + 1
                    }
                }
            }
            Err((what, moves)) => {
                state.note(line, &what, moves);
                if moves && is_motion(text) {
                    state.is_lost = true;
                    state.known.circle = Circle::default();
                } else if moves {
                    state.lose(&lost, &mut paths);
                    // Shifts and sensors lead the robot elsewhere than moves say.
                    let first = text.split_whitespace().next().unwrap_or_default();
                    gave_up |= ["SFTON", "SKILLSND", "WVON", "COMARCON", "SYSTART", "MFRAME", "SHIFT"]
                        .contains(&first);
                }
                at + 1
            }
        };
        if state.program.moves.len() >= MOST_MOVES || state.program.notes.len() > super::MOST_NOTES {
            gave_up = true;
            break;
        }
    }
    if let Some(line) = state.known.circle.begun() {
        state.note(line, circles::THREE, true);
    }
    reached.tell(&mut state.program, run.once, gave_up);
    Ok(state.program)
}

/// What later instructions depend on.
#[derive(Clone, Default, PartialEq)]
struct Known {
    /// Variables whose numbers are known.
    variables: BTreeMap<String, f64>,
    /// Position variables that tools are set from, component by component.
    positions: BTreeMap<String, [Option<f64>; 6]>,
    /// Tools that were set; none of those that a later instruction sets, which are as an earlier run left them.
    tools: BTreeMap<u32, Option<Pose>>,
    /// Whether something that is not understood may have set tools and frames that are not named above.
    are_frames_lost: bool,
    /// Points of a circle that is begun.
    circle: Circle,
}

impl Widened for Known {
    fn widen(&mut self, before: &Self) {
        self.variables.retain(|name, value| before.variables.get(name) == Some(value));
        self.positions.retain(|name, value| before.positions.get(name) == Some(value));
    }
}

/// A variable by its kind and number: `B001` and `LB001`, `P001` and `P00001`. All groups of a position are
/// one, so `PX001` is `P1`. None of elements, such as `B[1]` and `B[B001]`: which variable that is may
/// change.
fn variable(word: &str) -> Option<String> {
    let digits = word.find(|c: char| c.is_ascii_digit())?;
    let (kind, number) = word.split_at(digits);
    let kind = kind.trim_end_matches('X');
    let is_kind = |kind: &str| ["B", "I", "D", "R", "S", "P"].contains(&kind);
    let number: u32 = number.parse().ok()?;
    is_kind(kind.strip_prefix('L').unwrap_or(kind)).then(|| format!("{kind}{number}"))
}

/// Instructions that are known not to set tools and frames other than those that they name, besides those without motion.
const OWN: [&str; 17] = [
    "END",
    "RET",
    "SETE",
    "SETTOOL",
    "IF",
    "IFTHENEXP",
    "IFTHEN",
    "ELSE",
    "ELSEIF",
    "ENDIF",
    "WHILE",
    "ENDWHILE",
    "FOR",
    "NEXT",
    "SWITCH",
    "CASE",
    "IMOV",
];

/// Whether an instruction may run something that is not in this job, which may set tools and frames.
fn is_foreign(text: &str, profile: &Profile) -> bool {
    let mut words = text.split_whitespace();
    let head = words.next().unwrap_or_default();
    if text.starts_with(['\'', '*'])
        || HARMLESS.contains(&head)
        || MOTIONS.contains(&head)
        || OWN.contains(&head)
    {
        return text.split('\'').next().is_some_and(|text| text.contains("CALL "));
    }
    let name = words.next().unwrap_or_default();
    match head {
        "JUMP" => !name.starts_with('*'),
        "CALL" => !profile.is_harmless(name.trim_start_matches("JOB:")),
        _ => true,
    }
}

/// Whether an instruction is a move.
fn is_motion(text: &str) -> bool {
    MOTIONS.contains(&text.split_whitespace().next().unwrap_or_default())
}

struct State<'a> {
    profile: &'a Profile,
    frames: Frames,
    positions: &'a HashMap<String, Position>,
    known: Known,
    program: RobotProgram,
    /// Whether the robot may stand somewhere else than at the target of the last move.
    is_lost: bool,
}

impl State<'_> {
    /// Something that is not understood may have set anything, moved the robot, and jumped anywhere.
    fn lose(&mut self, lost: &Known, paths: &mut Paths) {
        self.known = lost.clone();
        self.is_lost = true;
        paths.add_all();
    }

    fn note(&mut self, line: u32, what: &str, moves: bool) {
        let notes = &mut self.program.notes;
        // The same line in a loop is told once.
        if !notes.iter().rev().take(64).any(|note| note.line == line && note.what == what) {
            push_note(notes, Note { line, what: what.to_owned(), moves });
        }
    }

    fn instruction<'t>(&mut self, text: &'t str, line: u32) -> Result<Then<'t>, Odd> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let head = words.first().copied().unwrap_or_default();
        if text.starts_with('\'') {
            return Ok(Then::On);
        }
        // What is an instruction of its own belongs into a line of its own; behind ' is text for people.
        let rest = words.iter().skip(1).take_while(|word| !word.starts_with('\''));
        let is_label = text.starts_with('*');
        let is_more = |word: &&str| is_label || INSTRUCTIONS.contains(word);
        if head != "JUMP"
            && head != "CALL"
            && let Some(word) = rest.copied().find(|word| is_more(word))
        {
            return Err(moving(format!("'{word}' stands behind another instruction")));
        }
        if is_label {
            return Ok(Then::On);
        }
        if head == "NOP" && words.len() > 1 && !words[1].starts_with('\'') {
            return Err(moving("text behind NOP is not understood"));
        }
        if MOTIONS.contains(&head) {
            return self.motion(&words, line).map(|()| Then::On).map_err(moving);
        }
        if let Some(line) = self.known.circle.begun()
            && !HARMLESS.contains(&head)
        {
            self.known.circle = Circle::default();
            return Err(moving(format!("the circle that begins in line {line} is left before its end")));
        }
        match head {
            "END" | "RET" if words.len() == 1 => return Ok(Then::End),
            "JUMP" => {
                let label = words.get(1).filter(|label| label.starts_with('*'));
                let label = *label.ok_or_else(|| moving("jumps to other jobs are not followed"))?;
                return match words[2..] {
                    [] => Ok(Then::Jump(label)),
                    ["IF", condition] => match holds(condition, &|name| self.value(name)) {
                        Some(true) => Ok(Then::Jump(label)),
                        Some(false) => Ok(Then::On),
                        None => Err(moving("jumps are not followed: what is asked for is not known")),
                    },
                    _ => Err(moving("jumps are not followed: what is asked for is not understood")),
                };
            }
            "CALL" => {
                let name = words.get(1).copied().unwrap_or_default().trim_start_matches("JOB:");
                if self.profile.is_harmless(name) && words.len() == 2 {
                    self.forget();
                    return Ok(Then::On);
                }
                return Err(moving(format!("'{name}' is not in this file, and could move the robot")));
            }
            "SETE" => {
                self.component(&words);
                return Ok(Then::On);
            }
            "SETTOOL" => return self.tool(&words).map(|()| Then::On).map_err(moving),
            "IF" | "IFTHENEXP" | "IFTHEN" | "ELSE" | "ELSEIF" | "ENDIF" | "WHILE" | "FOR" | "NEXT"
            | "SWITCH" | "RET" => return Err(moving("branches are not followed")),
            _ => {}
        }
        if head == "WAIT"
            && words.get(1).is_some_and(|text| holds(text, &|name| self.value(name)) == Some(false))
        {
            return Err(moving(
                "what is waited for only something else can bring about: what that sets is not known",
            ));
        }
        if HARMLESS.contains(&head) && !["MSG", "COMM"].contains(&head) {
            let words = words.iter().skip(1).take_while(|word| !word.starts_with('\''));
            let is_bare = |word: &&&str| {
                word.starts_with(|c: char| c.is_ascii_alphabetic())
                    && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    && variable(word).is_none()
                    && !WORDS.contains(*word)
            };
            if let Some(word) = words.clone().find(is_bare) {
                return Err(moving(format!("'{word}' behind {head} is not understood")));
            }
        }
        if HARMLESS.contains(&head) && !words.contains(&"IF") {
            self.reckon(&words);
            return Ok(Then::On);
        }
        Err(moving(format!("'{head}' is not known, and could move the robot")))
    }

    fn value(&self, name: &str) -> Option<f64> {
        self.known.variables.get(&variable(name)?).copied()
    }

    /// Something is set of which it is not known which variable it is.
    fn forget(&mut self) {
        self.known.variables.clear();
        self.known.positions.clear();
    }

    /// `SET B000 5`, `INC B000`, `ADD B000 B001`; what else is named is not known any more.
    fn reckon(&mut self, words: &[&str]) {
        let Some(name) = words.get(1).copied() else { return };
        let by = words.get(2).and_then(|word| word.parse().ok().or_else(|| self.value(word)));
        let now = self.value(name);
        let value = match words[0] {
            "SET" if words.len() == 3 => by,
            "INC" if words.len() == 2 => now.map(|now| now + 1.0),
            "DEC" if words.len() == 2 => now.map(|now| now - 1.0),
            "ADD" => now.zip(by).map(|(now, by)| now + by),
            "SUB" => now.zip(by).map(|(now, by)| now - by),
            "SET" | "INC" | "DEC" | "MUL" | "DIV" | "GETE" | "GETS" | "DIN" => None,
            // CLEAR sets a number of variables, this one and those after it.
            "CLEAR" => return self.forget(),
            _ => return,
        };
        let Some(name) = variable(name) else { return self.forget() };
        // Variables with a sign or a fraction, and those that roll over, are nothing that jumps are made of.
        let value = value.filter(|value| value.fract() == 0.0 && (0.0..256.0).contains(value));
        match value {
            Some(value) => drop(self.known.variables.insert(name.clone(), value)),
            None => drop(self.known.variables.remove(&name)),
        }
        // Positions that tools are set from are told component by component only.
        self.known.positions.remove(&name);
    }

    /// `SETE P00095 (1) -30000`
    fn component(&mut self, words: &[&str]) {
        let Some(name) = words.get(1).and_then(|word| variable(word)) else { return self.forget() };
        if let [_, _, place, value] = words[..]
            && let Ok(place @ 1..=6) = place.trim_matches(['(', ')']).parse::<usize>()
        {
            let slot = self.known.positions.entry(name).or_insert([None; 6]);
            slot[place - 1] = value.parse().ok().filter(|value: &f64| value.is_finite());
        } else {
            self.known.positions.remove(&name);
        }
    }

    /// `SETTOOL TL#(9) P00095`
    fn tool(&mut self, words: &[&str]) -> Result<(), String> {
        let number = words.get(1).and_then(|word| tool_number(word));
        let all = words.get(2).and_then(|name| self.known.positions.get(&variable(name)?));
        let (Some(number), Some([Some(x), Some(y), Some(z), Some(w), Some(p), Some(r)]), 3) =
            (number, all, words.len())
        else {
            return Err("what the tool is set to is not known".into());
        };
        // Micrometres; angles have a unit that controllers differ in.
        let per_degree = match self.profile.angles_per_degree {
            Some(per_degree) => per_degree,
            None if [w, p, r].iter().all(|angle| **angle == 0.0) => 1.0,
            None => {
                return Err(
                    "how the controller counts angles of variables is not known: give it in a profile, angles_per_degree (100 or 10000)".into(),
                );
            }
        };
        let pose =
            fixed_angles_pose([x * 1e-3, y * 1e-3, z * 1e-3], [w, p, r].map(|angle| angle / per_degree))?;
        self.known.tools.insert(number, Some(pose));
        Ok(())
    }
}

/// `TL#(9)`
fn tool_number(word: &str) -> Option<u32> {
    word.strip_prefix("TL#(")?.strip_suffix(')')?.parse().ok()
}
