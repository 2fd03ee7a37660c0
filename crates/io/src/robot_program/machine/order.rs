//! Statements whose meaning hangs on which of their parts is worked out first.
//!
//! A function that sets a variable which stands beside its call, as in `n + next()`, or two functions of which one sets what the other reads: no manual
//! that we know says in which order controllers work these out. So such a statement is refused.

use super::names::{Mentioned, expressions, variables};
use super::{Act, Language, Machine, Stmt};
use crate::robot_program::parser::Expr;
use std::collections::HashSet;
use std::rc::Rc;

/// A variable that is read, or a routine of the file that is called; which of them stand in a call is told by their places.
enum Worked<'a> {
    Read(&'a str),
    Call { name: &'a str, handed: HashSet<String>, end: usize },
}

impl Machine {
    /// Tells of a statement in which the order of calls matters.
    pub(super) fn look_at_order<L: Language>(&mut self, language: &L, stmt: &Stmt) {
        if self.procs.is_empty() {
            return;
        }
        let exprs = expressions(&stmt.act);
        if !exprs.iter().any(|expr| self.calls_routine(expr)) {
            return;
        }
        // Conditions are asked one after the other.
        let groups: Vec<&[&Expr]> = match &stmt.act {
            Act::If(..) => exprs.chunks(1).collect(),
            _ => vec![&exprs],
        };
        let is_open = groups.into_iter().any(|group| self.is_order_open(language, group));
        if is_open {
            let what = "a function that is called here changes what stands beside its call: which comes first is not known";
            self.note(stmt.line, what, true);
        }
    }

    fn is_order_open<L: Language>(&mut self, language: &L, group: &[&Expr]) -> bool {
        let mut all = Vec::new();
        group.iter().for_each(|expr| self.worked(expr, &mut all));
        let calls: Vec<(usize, &str, &HashSet<String>, usize)> = (all.iter().enumerate())
            .filter_map(|(begin, one)| match one {
                Worked::Call { name, handed, end } => Some((begin, *name, handed, *end)),
                Worked::Read(_) => None,
            })
            .collect();
        for (k, (begin, name, handed, end)) in calls.iter().enumerate() {
            let changes = |machine: &Self, known: &Mentioned, other: &str| {
                let is_local = machine.locals.last().is_some_and(|locals| locals.contains_key(other));
                handed.contains(other) || !is_local && known.set.contains(other)
            };
            self.look_into(language, name);
            let Some(known) = self.known_of(name) else { continue };
            let mut beside = all[..*begin].iter().chain(&all[*end..]);
            if beside.any(|one| matches!(one, Worked::Read(other) if changes(self, known, other))) {
                return true;
            }
            for (other_begin, other, other_handed, other_end) in &calls[k + 1..] {
                // One that stands in the brackets of another is called before it.
                let is_within = *other_begin < *end || *begin >= *other_begin && *begin < *other_end;
                if is_within {
                    continue;
                }
                self.look_into(language, other);
                let (Some(known), Some(others)) = (self.known_of(name), self.known_of(other)) else {
                    continue;
                };
                let shares =
                    known.set.iter().any(|name| others.all.contains(name) || other_handed.contains(name))
                        || others.set.iter().any(|name| known.all.contains(name) || handed.contains(name))
                        || !handed.is_disjoint(other_handed);
                let moves = |name: &str| self.may_move_in(language, name);
                if shares || moves(name) && moves(other) {
                    return true;
                }
            }
        }
        false
    }

    /// All that is read and called in an expression, in the order of the text.
    fn worked<'a>(&self, expr: &'a Expr, all: &mut Vec<Worked<'a>>) {
        match expr {
            Expr::Const(_) => {}
            Expr::Name(name) => all.push(Worked::Read(name)),
            Expr::Part(of, _) | Expr::Minus(of) | Expr::Not(of) => self.worked(of, all),
            Expr::Element(of, places) => {
                self.worked(of, all);
                places.iter().for_each(|place| self.worked(place, all));
            }
            Expr::List(parts) => parts.iter().for_each(|part| self.worked(part, all)),
            Expr::Record(parts) => parts.iter().for_each(|(_, part)| self.worked(part, all)),
            Expr::Two(_, left, right) => {
                self.worked(left, all);
                self.worked(right, all);
            }
            Expr::Call(name, args) => {
                let begin = all.len();
                let values = args.iter().filter_map(|arg| arg.value.as_ref());
                if let Some(proc) = self.procs.get(name) {
                    let mut handed = HashSet::new();
                    if proc.params.iter().any(|param| param.is_reference) {
                        values.clone().for_each(|value| variables(value, &mut handed));
                    }
                    all.push(Worked::Call { name, handed, end: 0 });
                }
                values.for_each(|value| self.worked(value, all));
                let after = all.len();
                if let Some(Worked::Call { end, .. }) = all.get_mut(begin)
                    && self.procs.contains_key(name)
                {
                    *end = after;
                }
            }
        }
    }

    fn known_of(&self, name: &str) -> Option<&Mentioned> {
        self.mentioned.get(&Rc::as_ptr(self.procs.get(name)?).addr())
    }
}
