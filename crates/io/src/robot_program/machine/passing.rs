//! What may or may not be run.

use super::names::variables;
use super::values::{calls, root};
use super::{Act, Block, Language, Loss, Machine};
use crate::robot_program::parser::{Arg, Expr};
use crate::robot_program::value::Value;
use std::collections::HashSet;

impl Machine {
    /// Passes over what may or may not be run: whatever it sets is not known afterwards. Whether the robot could move in it.
    ///
    /// If it could, and if nothing that is asked for could, what is passed over has still to be run as something that may be run.
    pub(super) fn pass_over<L: Language>(
        &mut self,
        language: &mut L,
        blocks: &[Block],
        asked: &[&Expr],
        why: &Value,
        line: u32,
    ) -> bool {
        let mut seen = Vec::new();
        let is_asked = asked.iter().any(|expr| self.expr_may_move(language, expr, &mut seen));
        let moves = is_asked | blocks.iter().any(|block| self.may_move(language, block, &mut seen));
        // A routine that makes no move may be left early: only what it sets is not known then.
        let only_leaves =
            moves && !is_asked && !blocks.iter().any(|block| self.may_move_unless_left(language, block));
        let is_quiet = only_leaves && !self.is_moving(language);
        let moves = moves && !is_quiet;
        let mut seen = Vec::new();
        asked.iter().for_each(|expr| self.forget_calls(language, expr, &mut seen));
        let is_run = moves && !is_asked;
        if is_quiet {
            self.leaves_here(language);
        }
        if !is_run {
            blocks.iter().for_each(|block| self.forget(language, block, &mut seen));
        }
        let why = match why {
            Value::Unknown(why) => why.clone(),
            other => format!("{} is neither true nor false", other.kind()),
        };
        let loss = if is_asked { Loss::All } else { Loss::Nothing };
        self.note_loss(line, format!("whether this is run cannot be known: {why}"), moves, loss);
        if is_asked {
            blocks.iter().for_each(|block| self.abandon(language, block));
        }
        is_run
    }

    /// Whether the robot could move in a block that is left out, or later move otherwise for it.
    pub(in crate::robot_program) fn could_move<L: Language>(&self, language: &L, block: &Block) -> bool {
        self.may_move(language, block, &mut Vec::new())
    }

    /// Whether the robot could move in a block, or later move otherwise for it.
    pub(super) fn may_move<L: Language>(&self, language: &L, block: &Block, seen: &mut Vec<String>) -> bool {
        self.may_move_or(language, block, seen, true)
    }

    /// The same, where it does not count that a statement returns.
    pub(super) fn may_move_unless_left<L: Language>(&self, language: &L, block: &Block) -> bool {
        self.may_move_or(language, block, &mut Vec::new(), false)
    }

    /// The same; whether it counts that a statement returns, so that what comes after it is left out.
    fn may_move_or<L: Language>(
        &self,
        language: &L,
        block: &Block,
        seen: &mut Vec<String>,
        leaves: bool,
    ) -> bool {
        let args_move = |args: &[Arg], seen: &mut Vec<String>| {
            args.iter()
                .filter_map(|arg| arg.value.as_ref())
                .any(|expr| self.expr_may_move(language, expr, seen))
        };
        block.iter().any(|stmt| match &stmt.act {
            Act::Call(name, args) => args_move(args, seen) || self.routine_may_move(language, name, seen),
            Act::If(ways, otherwise) => {
                ways.iter().any(|(condition, body)| {
                    self.expr_may_move(language, condition, seen)
                        || self.may_move_or(language, body, seen, leaves)
                }) || self.may_move_or(language, otherwise, seen, leaves)
            }
            Act::For(of) => {
                let bounds = [Some(&of.from), Some(&of.to), of.step.as_ref()];
                bounds.into_iter().flatten().any(|expr| self.expr_may_move(language, expr, seen))
                    || self.may_move_or(language, &of.body, seen, leaves)
            }
            Act::While(condition, body) => {
                self.expr_may_move(language, condition, seen)
                    || self.may_move_or(language, body, seen, leaves)
            }
            Act::Strange { moves, .. } => *moves,
            Act::Return(value) => {
                leaves || value.as_ref().is_some_and(|expr| self.expr_may_move(language, expr, seen))
            }
            // It may happen from then on.
            Act::Whenever(_) => true,
            Act::AfterFault(block, _) => self.may_move_or(language, block, seen, leaves),
            Act::Aside(names) => names
                .iter()
                .any(|name| self.procs.contains_key(name) && self.routine_may_move(language, name, seen)),
            Act::Let(place, expr) | Act::Global(place, expr) => {
                self.expr_may_move(language, place, seen) || self.expr_may_move(language, expr, seen)
            }
            Act::Declare(_, expr) => {
                expr.as_ref().is_some_and(|expr| self.expr_may_move(language, expr, seen))
            }
        })
    }

    /// Whether something that is called in an expression could move the robot.
    pub(super) fn expr_may_move<L: Language>(
        &self,
        language: &L,
        expr: &Expr,
        seen: &mut Vec<String>,
    ) -> bool {
        calls(expr).into_iter().any(|name| self.routine_may_move(language, name, seen))
    }

    /// Whether the robot could move in a routine of the file.
    pub(super) fn may_move_in<L: Language>(&self, language: &L, name: &str) -> bool {
        self.routine_may_move(language, name, &mut Vec::new())
    }

    fn routine_may_move<L: Language>(&self, language: &L, name: &str, seen: &mut Vec<String>) -> bool {
        match self.procs.get(name) {
            Some(_) if seen.iter().any(|known| known == name) => false,
            Some(proc) => {
                seen.push(name.to_owned());
                // That it returns leaves out nothing of whoever called it.
                self.may_move_or(language, &proc.body, seen, false)
            }
            None => language.moves(name),
        }
    }

    /// A routine that is run at any time from now on: it must not move the robot, nor set what moves depend on.
    pub(super) fn whenever<L: Language>(&mut self, language: &L, name: &str, line: u32) {
        let mut seen = Vec::new();
        let moves = self.routine_may_move(language, name, &mut seen);
        let sets =
            seen.iter().filter_map(|name| self.procs.get(name)).any(|proc| self.sets(language, &proc.body));
        let set: Vec<String> = (seen.iter().filter_map(|name| self.procs.get(name)))
            .flat_map(|proc| self.set_in(language, &proc.body))
            .collect();
        let what = match (moves, sets) {
            (false, false) => {
                format!("'{name}' is run whenever something happens, and does not move the robot")
            }
            (true, _) => format!("'{name}' is run whenever something happens, and could move the robot"),
            (false, true) => {
                format!(
                    "'{name}' is run whenever something happens, and sets variables: what they are is not known"
                )
            }
        };
        if moves {
            self.give_up();
        }
        // From here on they may be set at any time.
        for name in &set {
            let why = unknown(name);
            let frames = self.locals.iter_mut().chain([&mut self.globals]);
            frames.filter_map(|all| all.get_mut(name)).for_each(|value| *value = why.clone());
        }
        // Parameters may refer to them.
        if !set.is_empty() {
            for (locals, references) in self.locals.iter_mut().zip(&self.references) {
                let refers = locals.iter_mut().filter(|(name, _)| references.contains(*name));
                refers.for_each(|(name, value)| *value = unknown(name));
            }
        }
        self.volatile.extend(set);
        let sets =
            sets && seen.iter().filter_map(|name| self.procs.get(name)).any(|proc| is_strange(&proc.body));
        self.note(line, what, moves || sets);
    }

    /// Whether a block sets anything but outputs.
    fn sets<L: Language>(&self, language: &L, block: &Block) -> bool {
        let is_output = |place: &Expr| {
            root(place).is_some_and(|name| ["$out", "$anout", "$timer", "$cycflag"].contains(&name.as_str()))
        };
        block.iter().any(|stmt| match &stmt.act {
            Act::Let(place, _) | Act::Global(place, _) => !is_output(place),
            Act::If(ways, otherwise) => {
                ways.iter().any(|(_, body)| self.sets(language, body)) || self.sets(language, otherwise)
            }
            Act::For(_) | Act::AfterFault(..) | Act::Aside(_) | Act::Whenever(_) | Act::Strange { .. } => {
                true
            }
            Act::While(_, body) => self.sets(language, body),
            // Routines of the file are looked at by themselves.
            Act::Call(name, _) => !self.procs.contains_key(name) && language.writes(name),
            Act::Declare(..) | Act::Return(_) => false,
        })
    }

    /// Forgets all that a block may set.
    pub(super) fn forget_all<L: Language>(&mut self, language: &L, block: &Block) {
        self.forget(language, block, &mut Vec::new());
    }

    /// Values that a block may set are not known any more.
    fn forget<L: Language>(&mut self, language: &L, block: &Block, seen: &mut Vec<String>) {
        for stmt in block.iter() {
            match &stmt.act {
                Act::Let(place, expr) => {
                    self.forget_calls(language, expr, seen);
                    self.forget_calls(language, place, seen);
                    self.forget_place(place);
                }
                Act::Global(place, expr) => {
                    self.forget_calls(language, expr, seen);
                    if let Some(name) = root(place) {
                        let why = unknown(&name);
                        self.globals.insert(name, why);
                    }
                }
                Act::Declare(name, expr) => {
                    expr.iter().for_each(|expr| self.forget_calls(language, expr, seen));
                    self.forget_place(&Expr::Name(name.clone()));
                }
                Act::Call(name, args) => {
                    // What is handed over may come back changed.
                    let writes = match self.procs.get(name) {
                        Some(proc) => proc.params.iter().any(|param| param.is_reference),
                        None => language.writes(name),
                    };
                    for expr in args.iter().filter_map(|arg| arg.value.as_ref()) {
                        self.forget_calls(language, expr, seen);
                        if writes {
                            self.forget_place(expr);
                        }
                    }
                    self.forget_foreign(language, name);
                    self.forget_routine(language, name, seen);
                }
                Act::If(ways, otherwise) => {
                    for (condition, body) in ways {
                        self.forget_calls(language, condition, seen);
                        self.forget(language, body, seen);
                    }
                    self.forget(language, otherwise, seen);
                }
                Act::For(of) => {
                    for bound in [Some(&of.from), Some(&of.to), of.step.as_ref()].into_iter().flatten() {
                        self.forget_calls(language, bound, seen);
                    }
                    self.forget_place(&Expr::Name(of.name.clone()));
                    self.forget(language, &of.body, seen);
                }
                Act::While(condition, body) => {
                    self.forget_calls(language, condition, seen);
                    self.forget(language, body, seen);
                }
                Act::Return(Some(expr)) => self.forget_calls(language, expr, seen),
                Act::AfterFault(body, _) => self.forget(language, body, seen),
                Act::Aside(names) => {
                    names.iter().for_each(|name| self.forget_routine(language, name, seen));
                }
                Act::Strange { moves: true, .. } => self.lose(Loss::All),
                Act::Return(None) | Act::Strange { .. } | Act::Whenever(_) => {}
            }
        }
    }

    pub(super) fn forget_calls<L: Language>(&mut self, language: &L, expr: &Expr, seen: &mut Vec<String>) {
        let names = calls(expr);
        // What is handed over may come back changed.
        let refers = |name: &&str| match self.procs.get(*name) {
            Some(proc) => proc.params.iter().any(|param| param.is_reference),
            None => language.writes(name),
        };
        if names.iter().any(refers) {
            let mut handed = HashSet::new();
            variables(expr, &mut handed);
            handed.into_iter().for_each(|name| self.forget_place(&Expr::Name(name)));
        }
        for name in names {
            self.forget_foreign(language, name);
            self.forget_routine(language, name, seen);
        }
    }

    /// What is not in the file may set whatever others can.
    fn forget_foreign<L: Language>(&mut self, language: &L, name: &str) {
        if !self.procs.contains_key(name) && language.moves(name) && !language.is_motion(name) {
            self.lose(if language.only_stops(name) { Loss::Place } else { Loss::Foreign });
        }
    }

    fn forget_routine<L: Language>(&mut self, language: &L, name: &str, seen: &mut Vec<String>) {
        if let Some(proc) = self.procs.get(name).cloned()
            && !seen.iter().any(|known| known == name)
        {
            seen.push(name.to_owned());
            self.forget(language, &proc.body, seen);
        }
    }

    /// Forgets the variable that an expression stands for, if it stands for one.
    pub(in crate::robot_program) fn forget_place(&mut self, place: &Expr) {
        let Some(name) = root(place) else { return };
        let why = unknown(&name);
        let is_local = self.locals.last().is_some_and(|locals| locals.contains_key(&name));
        let is_of_all = name.starts_with('$') || self.declares && !is_local;
        if !is_local && self.consts.contains(&name) {
            return;
        }
        if self.globals.contains_key(&name) || is_of_all {
            self.globals.insert(name.clone(), why.clone());
        } else if !is_local && let Some(locals) = self.locals.last_mut() {
            locals.insert(name, why);
            return;
        }
        if is_local && let Some(locals) = self.locals.last_mut() {
            locals.insert(name, why);
        }
    }

    /// Whether a routine of the file is called in an expression.
    pub(in crate::robot_program) fn calls_routine(&self, expr: &Expr) -> bool {
        calls(expr).into_iter().any(|name| self.procs.contains_key(name))
    }

    /// Tells of functions that are not in the file and could move the robot.
    pub(super) fn look_at_calls<L: Language>(&mut self, language: &L, expr: &Expr, line: u32) {
        for name in calls(expr) {
            if !self.procs.contains_key(name) && language.moves(name) {
                let what = format!("'{name}' is not known, and could move the robot");
                self.note_loss(line, what, true, Loss::Foreign);
            }
        }
    }
}

/// Whether something in a block is not followed.
fn is_strange(block: &Block) -> bool {
    let mut found = false;
    super::names::each_with_line(block, &mut |act, _| {
        found |= matches!(act, Act::Strange { .. } | Act::AfterFault(..) | Act::Aside(_) | Act::Whenever(_));
    });
    found
}

fn unknown(name: &str) -> Value {
    Value::unknown(format!("whether '{name}' was set cannot be known"))
}
