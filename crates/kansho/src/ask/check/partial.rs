//! Robot programs of which not all is understood, or not all is free: which lines are proven, which collide, and which are open, with the reason.
//!
//! A move is proven from the target before it. A corner between a move that is proven and one that is not counts to the latter.

use super::answer::{CheckAnswer, MotionContact, MotionVerdict, OpenMotion, WhyOpen};
use super::place::MoveWord;
use super::{CheckOptions, Checked, ReadMotion, bare, joint_corners, of_joints, route_or_stop};
use crate::answer::Message;
use crate::budget::Budget;
use kansho_check::scene::Scene;
use kansho_io::Warning;
use kansho_io::motion_file::{Moved, ProgramParts};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// What of a robot program is proven.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartialAnswer {
    /// Motion statements in the program.
    pub motions: usize,
    /// How many lines of moves are proven free.
    pub proven: usize,
    /// Those lines, from one to another: no line with a move between them is open.
    pub proven_lines: Vec<[u32; 2]>,
    /// Lines on which something collides.
    pub contacts: Vec<LineContact>,
    /// What is not proven, in the order of the lines.
    pub open: Vec<OpenLine>,
    /// What is taken for granted where lines are proven although others are not understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
}

/// A contact on a line of a program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LineContact {
    /// The line.
    pub line: u32,
    /// The pair that touches first on it, as `a|b`.
    pub pair: String,
    /// How far along the move.
    pub fraction: f64,
}

/// A line that is not proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpenLine {
    /// The line.
    pub line: u32,
    /// Why.
    pub why: String,
}

/// What is taken for granted where lines are proven although others are not understood.
const ASSUMED: &str = "what is not understood leaves displacements, shifts, force control and corrections by sensors off, and no error handler is started";

/// What is known so far.
#[derive(Default)]
struct Known {
    proven: BTreeSet<u32>,
    open: BTreeMap<u32, Vec<String>>,
    contacts: Vec<LineContact>,
    first: Option<MotionContact>,
    counts: [u64; 3],
    /// Whether the last move was not led to its end.
    is_lost: bool,
}

impl Known {
    fn open(&mut self, line: u32, why: impl Into<String>) {
        let all = self.open.entry(line).or_default();
        let why = why.into();
        if !all.contains(&why) {
            all.push(why);
        }
    }
}

/// Checks the parts of a robot program whose motion is known.
#[must_use]
pub fn parts(
    scene: &Scene,
    path: &Path,
    program: &ProgramParts,
    options: &CheckOptions,
    budget: &Budget<'_>,
) -> CheckAnswer {
    let options = CheckOptions { certificate: false, tight: false, ..options.clone() };
    let mut known = Known::default();
    for note in &program.open {
        known.open(note.line, note.what.clone());
    }
    let lengths = program.lengths();
    for (part, &length) in lengths.iter().enumerate() {
        let mut from = if known.is_lost { found_again(program, part, [0, length], &mut known) } else { 0 };
        while from < length {
            from = stretch(scene, path, program, part, [from, length], &options, budget, &mut known);
        }
    }
    for contact in &known.contacts {
        known.proven.remove(&contact.line);
    }
    let lines: BTreeSet<u32> = known.proven.iter().chain(known.open.keys()).copied().collect();
    known.proven.retain(|line| !known.open.contains_key(line));
    let found = match known.first.take() {
        Some(contact) => MotionVerdict::Touches(Box::new(contact)),
        // What refused the program as a whole stands: parts alone are never all of it.
        None => MotionVerdict::Undecided(OpenMotion {
            open: None,
            unreached: None,
            place: None,
            why: budget.is_used_up().then_some(WhyOpen::Time),
        }),
    };
    let partial = PartialAnswer {
        motions: program.motions,
        proven: known.proven.len(),
        proven_lines: ranges(&known.proven, &lines),
        contacts: known.contacts,
        assumed: (!known.open.is_empty()).then(|| ASSUMED.to_owned()),
        open: (known.open.into_iter())
            .flat_map(|(line, all)| all.into_iter().map(move |why| OpenLine { line, why }))
            .collect(),
    };
    let warning = |fault: &kansho_io::Fault| Warning { path: path.to_owned(), fault: fault.clone() };
    let warnings: Vec<Warning> = program.notes.iter().map(warning).collect();
    CheckAnswer {
        partial: Some(partial),
        warnings: Message::of_warnings(&warnings),
        instants: known.counts[0],
        nodes: known.counts[1],
        exact: known.counts[2],
        ..bare(found)
    }
}

/// Why a move is not proven behind one that was not led to its end.
const NOT_BEGUN: &str =
    "in which posture the robot begins here is not known: the move before it is not proven to its end";

/// From which target on the robot is known again, behind a move that could not be led to its end: one that says by itself in which posture it arrives.
fn found_again(program: &ProgramParts, part: usize, [mut from, to]: [usize; 2], known: &mut Known) -> usize {
    while from < to && !program.tells(part, from) {
        from += 1;
        known.open(program.line(part, from), NOT_BEGUN);
    }
    known.is_lost = !program.tells(part, from);
    from
}

/// Checks a part from one target on, up to the first thing that is not free. The target from which to go on.
#[allow(clippy::too_many_arguments, reason = "a step of the function above")]
fn stretch(
    scene: &Scene,
    path: &Path,
    program: &ProgramParts,
    part: usize,
    [from, to]: [usize; 2],
    options: &CheckOptions,
    budget: &Budget<'_>,
    known: &mut Known,
) -> usize {
    let line = |target: usize| program.line(part, target);
    let end = to;
    known.is_lost = false;
    if budget.is_used_up() {
        for target in from + 1..=to {
            known.open(line(target), "the time for the answer ran out");
        }
        return to;
    }
    // What stands before a move that is none is checked by itself.
    let (loaded, to) = match program.stretch(scene.cell(), part, from, to) {
        Ok(loaded) => (loaded, to),
        Err((at, what)) => {
            let failed = (from + at).min(to - 1);
            known.open(line(failed + 1), what);
            if failed == from {
                return found_again(program, part, [failed + 1, end], known);
            }
            match program.stretch(scene.cell(), part, from, failed) {
                Ok(loaded) => (loaded, failed),
                Err((_, what)) => {
                    known.open(line(from + 1), what);
                    return found_again(program, part, [from + 1, end], known);
                }
            }
        }
    };
    let motion = ReadMotion { path, loaded: &loaded };
    let checked = match &loaded.motion {
        Moved::Joints(joints) => Ok(of_joints(scene, joints, motion.program(), options, budget)),
        Moved::Tool(routes) => match route_or_stop(scene, routes, &motion, options, budget) {
            Ok(checked) => checked,
            Err((law, stopped)) => {
                let at = from + stopped.of_move;
                known.open(line(at + 1), stopped.words(scene.cell(), law));
                if at > from {
                    // The moves before it.
                    stretch(scene, path, program, part, [from, at], options, budget, known);
                }
                return found_again(program, part, [at + 1, end], known);
            }
        },
    };
    let Checked { answer, .. } = match checked {
        Ok(checked) => checked,
        Err(refused) => {
            let why = refused.faults.first().map_or(String::new(), |fault| fault.what.clone());
            known.open(line(from + 1), why);
            return found_again(program, part, [from + 1, end], known);
        }
    };
    for (sum, count) in known.counts.iter_mut().zip([answer.instants, answer.nodes, answer.exact]) {
        *sum += count;
    }
    // The number of a move counts the start as 1.
    let target = |number: usize| (from + number.max(2) - 1).min(to);
    match answer.found {
        MotionVerdict::Free(_) => {
            // Corners between joint moves are of the move that ends in them.
            if let Err(number) = joint_corners(scene, &motion, options, budget) {
                let at = target(number);
                known.open(line(at), "not every posture inside this rounded corner could be proven free");
                known.proven.extend((from + 1..at).map(line));
                return at;
            }
            known.proven.extend((from + 1..=to).map(line));
            to
        }
        MotionVerdict::Touches(contact) => {
            let at = target(contact.place.number);
            known.proven.extend((from + 1..at).map(line));
            let (pair, fraction) = (contact.pair.clone(), contact.place.fraction);
            known.contacts.push(LineContact { line: line(at), pair, fraction });
            known.first.get_or_insert(*contact);
            at
        }
        MotionVerdict::Undecided(open) => {
            let at = open.place.as_ref().map_or(from + 1, |place| target(place.number));
            known.proven.extend((from + 1..at).map(line));
            let is_corner = open.place.as_ref().is_some_and(|place| place.kind == Some(MoveWord::Corner));
            let why = match (budget.is_used_up(), is_corner) {
                (true, _) => "the time for the answer ran out",
                (false, true) => "not every path inside this rounded corner could be proven free",
                (false, false) => "neither a contact nor a gap could be shown here",
            };
            known.open(line(at), why);
            at
        }
    }
}

/// Lines as stretches, between which no other line with a move stands.
fn ranges(proven: &BTreeSet<u32>, all: &BTreeSet<u32>) -> Vec<[u32; 2]> {
    let mut found: Vec<[u32; 2]> = Vec::new();
    let mut is_on = false;
    for line in all {
        match (proven.contains(line), found.last_mut()) {
            (true, Some(last)) if is_on => last[1] = *line,
            (true, _) => found.push([*line; 2]),
            (false, _) => {}
        }
        is_on = proven.contains(line);
    }
    found
}

/// The answer in words.
pub(super) fn text(partial: &PartialAnswer, text: &mut String) {
    let range = |[from, to]: &[u32; 2]| if from == to { from.to_string() } else { format!("{from} to {to}") };
    let lines: Vec<String> = partial.proven_lines.iter().map(range).collect();
    let (proven, motions) = (partial.proven, partial.motions);
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string succeeds");
    if lines.is_empty() {
        line("  proven   no line with a move".into());
    } else {
        line(format!("  proven   lines {} free ({proven} of {motions} motion statements)", listed(&lines)));
    }
    if let Some(assumed) = partial.assumed.as_ref().filter(|_| !lines.is_empty()) {
        line(format!("  assumed  {assumed}"));
    }
    for contact in &partial.contacts {
        line(format!(
            "  touches  line {}, {:.6} of the way: {}",
            contact.line, contact.fraction, contact.pair
        ));
    }
    for open in &partial.open {
        line(format!("  open     line {}: {}", open.line, open.why));
    }
}

/// `1, 2 and 3`
fn listed(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
