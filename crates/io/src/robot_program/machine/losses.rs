//! What is not known any more behind something that is not understood, so that the rest of a program can still be proven.
//!
//! A statement that is not understood may have led the robot anywhere, and may have set whatever it can get at: the next move begins at an unknown
//! place ([`ProgramMove::after_gap`](crate::robot_program::ProgramMove)), and values that it could have set are unknown. What may be run in ways that
//! are not followed at all is named by its lines: no move there counts as proven.

use super::names::{each_with_line, expressions};
use super::values::calls;
use super::{Act, Block, Language, Machine, Stmt, called};
use crate::robot_program::parser::Expr;
use crate::robot_program::rounds::tail;
use crate::robot_program::value::Value;
use crate::robot_program::{MOST_MOVES, ProgramMove};
use std::collections::HashSet;
use std::rc::Rc;

/// What something that is not understood may have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::robot_program) enum Loss {
    /// It is told only: what it leaves open is looked at by itself.
    Nothing,
    /// It moved the robot, and did nothing else.
    Place,
    /// It is run by another file: it moved the robot, and set whatever others can set.
    Foreign,
    /// Anything.
    All,
}

/// What a routine that is being run may have left when it was left early.
#[derive(Clone, Debug, Default)]
pub(super) struct LeftEarly {
    /// Whether it may have been left early.
    pub(super) is_left: bool,
    /// What was switched then.
    settings: Vec<String>,
}

impl Machine {
    /// Whether the robot may stand somewhere else than at the target of the last move.
    pub(in crate::robot_program) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The same for a move that is made now; the place is known again behind it.
    pub(in crate::robot_program) fn take_gap(&mut self) -> bool {
        std::mem::take(&mut self.is_lost)
    }

    /// The robot may stand anywhere from here on: nothing else is changed.
    pub(in crate::robot_program) fn lose_place(&mut self) {
        self.lose(Loss::Place);
    }

    /// The line that is run.
    pub(in crate::robot_program) fn line(&self) -> u32 {
        self.line
    }

    /// Nothing is claimed of the moves of a line.
    pub(in crate::robot_program) fn doubt(&mut self, line: u32) {
        self.doubtful.insert(line);
    }

    /// Whether the program ended before its last statement, or never ends.
    pub(in crate::robot_program) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// A variable of the controller that the program sets, other than those that are understood.
    pub(in crate::robot_program) fn other_setting(&self, is_known: fn(&str) -> bool) -> Option<&str> {
        let is_set = |value: &Value| !matches!(value, Value::Unknown(_));
        let others = self
            .globals
            .iter()
            .filter(|(name, value)| name.starts_with('$') && !is_known(name) && is_set(value));
        others.map(|(name, _)| name.as_str()).min()
    }

    /// How often others may have set what belongs to the controller, such as the tool.
    pub(in crate::robot_program) fn losses(&self) -> u64 {
        self.losses
    }

    /// Nothing is claimed of any move of this program.
    pub(in crate::robot_program) fn give_up(&mut self) {
        self.is_hopeless = true;
    }

    /// Constants of the language.
    pub(in crate::robot_program) fn keep_constant(&mut self, names: impl IntoIterator<Item = String>) {
        self.consts.extend(names);
    }

    /// Variables that nothing outside of this file can set, and nothing in it does.
    pub(in crate::robot_program) fn keep_fixed(&mut self, names: impl IntoIterator<Item = String>) {
        self.fixed.extend(names);
    }

    /// Tells of something that could move the robot, and forgets what it may have changed.
    pub(super) fn lose(&mut self, loss: Loss) {
        if loss == Loss::Nothing {
            return;
        }
        self.is_lost = true;
        if loss == Loss::Place {
            return;
        }
        self.losses += 1;
        let why = "something that is not understood may have set it";
        for (name, value) in &mut self.globals {
            let is_kept = self.fixed.contains(name) || self.consts.contains(name);
            if !is_kept && !matches!(value, Value::Unknown(_)) {
                *value = Value::unknown(why);
            }
        }
        // Where variables are declared, the tool and the base of KUKA belong to all, and so do the frames that its controller keeps by their numbers.
        if self.declares {
            for name in ["$tool", "$base", "tool_data", "base_data"] {
                if self.fixed.contains(name) || self.consts.contains(name) {
                    continue;
                }
                let value = self.globals.entry(name.into()).or_insert(Value::Truth(false));
                if !matches!(value, Value::Unknown(_)) {
                    *value = Value::unknown(why);
                }
            }
        }
        let is_all = loss == Loss::All;
        self.all_losses += u64::from(is_all);
        for (locals, references) in self.locals.iter_mut().zip(&self.references) {
            for (name, value) in locals.iter_mut() {
                if (is_all || references.contains(name)) && !matches!(value, Value::Unknown(_)) {
                    *value = Value::unknown(why);
                }
            }
        }
    }

    /// No move in these routines and blocks counts as proven: they may be run in ways that are not followed.
    pub(super) fn abandon<L: Language>(&mut self, language: &L, block: &Block) {
        let procs = Rc::clone(&self.procs);
        let routines = called(block, &procs);
        let bodies = routines.iter().filter_map(|name| procs.get(name)).map(|proc| &proc.body);
        let mut lines = HashSet::new();
        for body in bodies.chain([block]) {
            each_with_line(body, &mut |act, line| {
                if matches!(act, Act::Call(name, _) if !procs.contains_key(name) && language.is_motion(name))
                {
                    lines.insert(line);
                }
            });
        }
        self.doubtful.extend(lines);
    }

    /// The same for what a statement calls.
    pub(super) fn abandon_calls<L: Language>(&mut self, language: &L, stmt: &Stmt) {
        let mut names: Vec<String> = expressions(&stmt.act)
            .into_iter()
            .flat_map(|expr: &Expr| calls(expr).into_iter().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        match &stmt.act {
            Act::Call(name, _) | Act::Whenever(name) => names.push(name.clone()),
            Act::Aside(more) => names.extend(more.iter().cloned()),
            _ => {}
        }
        for name in names {
            if let Some(proc) = self.procs.get(&name).cloned() {
                self.abandon(language, &proc.body);
            }
        }
    }

    /// Runs blocks of which one is run, or none, and nobody knows which: each of them from here. What they may set is not known afterwards.
    pub(super) fn run_any<L: Language>(&mut self, language: &mut L, blocks: &[Block]) {
        let before = (self.globals.clone(), self.locals.clone(), self.is_lost);
        let settings = language.settings();
        language.save();
        // Where the robot stands, to be told again before each way but the first.
        let from = if self.is_lost { Vec::new() } else { tail(language.moves_made()) };
        let is_told = from.first().is_some_and(ProgramMove::tells_posture);
        let (mut differs, mut is_first) = (false, true);
        for block in blocks {
            if !self.could_move(language, block) {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                self.is_lost = !is_told;
                if is_told && language.moves_made().len() < MOST_MOVES {
                    let again = |(k, one): (usize, &ProgramMove)| ProgramMove {
                        after_gap: k == 0,
                        is_again: true,
                        ..one.clone()
                    };
                    let again: Vec<ProgramMove> = from.iter().enumerate().map(again).collect();
                    language.moves_made().extend(again);
                }
            }
            let flow = self.block(language, block);
            self.leaves_if(language, &flow);
            // A way that ends the program, or never ends, leaves nothing behind.
            let ends = self.stopped && !self.gave_up;
            differs |= !ends && language.settings() != settings;
            if !self.gave_up {
                self.stopped = false;
            }
            (self.globals, self.locals, self.is_lost) = before.clone();
            language.restore();
        }
        language.drop_saved();
        blocks.iter().for_each(|block| self.forget_all(language, block));
        // Tools and frames that a block switches are told apart by what is switched.
        if differs {
            language.unsure();
        }
        self.is_lost = true;
    }

    /// Runs a block that may be run any number of times, from whatever its rounds leave.
    pub(super) fn run_rounds<L: Language>(&mut self, language: &mut L, body: &Block) {
        self.forget_all(language, body);
        self.is_lost = true;
        let before = (self.globals.clone(), self.locals.clone());
        let settings = language.settings();
        let flow = self.block(language, body);
        self.leaves_if(language, &flow);
        let ends = self.stopped && !self.gave_up;
        if !self.gave_up {
            self.stopped = false;
        }
        if !ends && language.settings() != settings {
            // A second round is run with what the first one switched.
            self.abandon(language, body);
            language.unsure();
        }
        (self.globals, self.locals) = before;
        self.forget_all(language, body);
        self.is_lost = true;
    }

    /// Runs a routine of which nobody knows when it is called.
    pub(in crate::robot_program) fn run_alone<L: Language>(&mut self, language: &mut L, body: &Block) {
        self.lose(Loss::Foreign);
        self.run(language, body);
        if !self.gave_up {
            self.stopped = false;
        }
    }

    /// Whether the routine that is run could move the robot.
    pub(super) fn is_moving<L: Language>(&mut self, language: &L) -> bool {
        let Some(body) = self.bodies_run.last().cloned() else { return true };
        let place = body.as_ptr().addr();
        if let Some(known) = self.moving_bodies.get(&place) {
            return *known;
        }
        let moves = self.may_move_unless_left(language, &body);
        self.moving_bodies.insert(place, moves);
        moves
    }

    /// The routine that is run may be left here.
    pub(super) fn leaves_here<L: Language>(&mut self, language: &L) {
        if let Some(left) = self.left_early.last_mut() {
            left.is_left = true;
            let settings = language.settings();
            if left.settings.last() != Some(&settings) {
                left.settings.push(settings);
            }
        }
    }

    /// Whether the routine that is run may have been left before.
    pub(super) fn may_be_left(&self) -> bool {
        self.left_early.last().is_some_and(|left| left.is_left)
    }

    /// Keeps that the routine which is run may be left here.
    fn leaves_if<L: Language>(&mut self, language: &L, flow: &super::Flow) {
        if matches!(flow, super::Flow::Return(_)) {
            self.leaves_here(language);
        }
    }

    /// A routine ends that may have been left before: what it may have set is not known, nor where the robot stands.
    pub(super) fn ends_or_left<L: Language>(&mut self, language: &mut L, body: &Block, left: &LeftEarly) {
        if !left.is_left {
            return;
        }
        // What ends the program, or never ends, may not have been run.
        if !self.gave_up {
            self.stopped = false;
        }
        self.forget_all(language, body);
        let is_moving = self.may_move_unless_left(language, body);
        self.is_lost |= is_moving;
        if left.settings.iter().any(|settings| *settings != language.settings()) {
            language.unsure();
        }
    }
}
