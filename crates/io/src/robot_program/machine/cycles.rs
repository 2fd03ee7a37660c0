//! Entries that a controller starts again when they end, and moves that are never reached.
//!
//! A round is run from what the round before it left. As soon as a round leaves what an earlier one left, all that follow are as those between
//! the two: then every move that the robot ever makes is known, and so is the way from the end of each round to the beginning of the next.
//! What counts as left are variables that a later move or branch can read, what is switched, and where the robot stands.

use super::names::{Sets, sets};
use super::{Act, Block, Language, Machine, State, called, names};
use crate::robot_program::Note;
use crate::robot_program::lines::unreached;
use crate::robot_program::rounds::{RoundEnds, close, told};
use crate::robot_program::value::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Rounds that are run before a variable that is still changing is taken for one that never repeats, such as a counter of parts.
const MOST_ROUNDS: usize = 64;

/// Moves of all rounds after which the same is done.
const MOST_MOVES: usize = 200_000;

/// What a round leaves to the next one.
type Left = (BTreeMap<String, Option<Value>>, State);

/// Which motion statements there are, and which of them were run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::robot_program) struct Reached {
    pub(in crate::robot_program) motions: usize,
    pub(in crate::robot_program) reached: usize,
    pub(in crate::robot_program) unreached: Vec<Note>,
    /// Lines of moves of which nothing is claimed; none if that is so of all moves.
    pub(in crate::robot_program) doubtful: Option<Vec<u32>>,
}

impl Machine {
    /// Runs the entry of a program, again and again where the controller does.
    pub(in crate::robot_program) fn run_entry<L: Language>(
        &mut self,
        language: &mut L,
        block: &Block,
        repeats: bool,
    ) {
        if !repeats {
            self.run(language, block);
            return;
        }
        let Sets { read, set } = sets(block, &Rc::clone(&self.procs), language);
        let counts: Vec<String> = set.intersection(&read).cloned().collect();
        let mut rounds: RoundEnds<Left> = RoundEnds::new();
        let mut until_widened = MOST_ROUNDS;
        let last = loop {
            let statements = self.statements;
            self.run(language, block);
            if rounds.count() > 0 {
                // Statements of later rounds are those of the first.
                self.statements = statements;
            }
            if self.stopped || self.refused > 0 {
                if !self.stopped {
                    // All later rounds begin with whatever rounds leave.
                    self.locals.push(HashMap::new());
                    self.references.push(HashSet::new());
                    self.left_early.push(super::losses::LeftEarly::default());
                    self.bodies_run.push(block.clone());
                    self.run_rounds(language, block);
                    self.bodies_run.pop();
                    self.locals.pop();
                    self.references.pop();
                    self.left_early.pop();
                }
                return;
            }
            let now = self.left(language, &counts);
            let before = rounds.last().cloned();
            if let Some(last) = rounds.end(now, language.moves_made()) {
                break last;
            }
            if rounds.len() >= until_widened || language.moves_made().len() > MOST_MOVES {
                let Some((before, _)) = before.filter(|_| until_widened == MOST_ROUNDS) else {
                    let line = self.line;
                    self.note(
                        line,
                        "the program starts again at its end, and no round is as an earlier one",
                        true,
                    );
                    return;
                };
                self.widen(&before, &counts);
                until_widened = 2 * MOST_ROUNDS;
                rounds.forget();
            }
        };
        let (line, moves) = (self.line, language.moves_made());
        if last < moves.len() {
            self.closing.extend(close(moves, last, line));
            // Rounds that end where they begin have no way back.
            if last < moves.len() {
                self.note(line, told(rounds.count()), false);
            }
        }
    }

    fn left<L: Language>(&self, language: &L, counts: &[String]) -> Left {
        let values = counts.iter().map(|name| (name.clone(), self.globals.get(name).cloned())).collect();
        (values, language.state())
    }

    /// Variables that the last round changed are not known from here on.
    fn widen(&mut self, before: &BTreeMap<String, Option<Value>>, counts: &[String]) {
        for name in counts {
            if let Some(value) = self.globals.get_mut(name)
                && before.get(name) != Some(&Some(value.clone()))
            {
                *value =
                    Value::unknown(format!("what '{name}' is after many rounds of the program is not known"));
            }
        }
    }

    /// Counts motion statements. Those that were never reached are told: they could be run in a way that was not seen, where the entry can call
    /// them; others are listed only.
    pub(in crate::robot_program) fn tell_unreached<L: Language>(
        &mut self,
        language: &L,
        (name, entry): (Option<&str>, &Block),
        once: bool,
    ) -> Reached {
        let procs = Rc::clone(&self.procs);
        let may = called(entry, &procs);
        let mut found = Reached::default();
        let mut never: Vec<(u32, bool)> = Vec::new();
        let mut strange: Vec<(u32, String)> = Vec::new();
        let others = procs.iter().filter(|(other, _)| name != Some(other.as_str()));
        let others = others.map(|(name, proc)| (&proc.body, may.contains(name)));
        for (body, may_be_run) in others.chain([(entry, true)]) {
            names::each_with_line(body, &mut |act, line| {
                if let Act::Strange { why, moves: true } = act {
                    strange.push((line, why.clone()));
                }
                if let Act::Call(name, _) = act
                    && !procs.contains_key(name)
                    && language.is_motion(name)
                {
                    found.motions += 1;
                    match self.reached.contains(&std::ptr::from_ref(act).addr()) {
                        true => found.reached += 1,
                        false => never.push((line, may_be_run)),
                    }
                }
            });
        }
        never.sort_unstable();
        never.dedup();
        // What is not understood is told wherever it stands.
        strange.sort_unstable();
        strange.dedup();
        let told: HashSet<u32> = self.notes.iter().map(|note| note.line).collect();
        for (line, why) in strange.into_iter().filter(|(line, _)| !told.contains(line)) {
            self.note(line, format!("this is never run, and not understood: {why}"), false);
        }
        let mut doubtful: Vec<u32> = self.doubtful.iter().copied().collect();
        doubtful.extend(never.iter().map(|(line, _)| *line));
        doubtful.sort_unstable();
        doubtful.dedup();
        found.doubtful = (!self.is_hopeless && !self.gave_up).then_some(doubtful);
        // What was refused already may be why.
        let is_open = self.refused > 0;
        for (line, may_be_run) in never {
            let what = match may_be_run {
                true => unreached(once),
                false => "this move is in a routine that the program never calls",
            };
            match may_be_run && !is_open && !once {
                true => found.unreached.push(Note { line, what: what.into(), moves: true }),
                false => self.note(line, what, false),
            }
        }
        found
    }
}
