//! What is run only after a fault, and what a fault leaves out; functions that have effects.
//!
//! A fault may happen at any statement. Its handler may then leave out that statement, or the rest of the routine: so a routine with such a handler
//! must not move the robot, and what it sets is not known afterwards. What a handler sets may be set at any time.

use super::values::root;
use super::{Act, Block, HandlerEnd, Language, Loss, Machine};
use crate::robot_program::parser::{Arg, Expr};
use crate::robot_program::value::Value;

impl Machine {
    /// Variables of that name may be set at any time.
    pub(in crate::robot_program) fn set_at_any_time(&mut self, names: impl IntoIterator<Item = String>) {
        self.volatile.extend(names);
    }

    /// Before anything is run: what handlers of faults set, they may set at any time.
    pub(in crate::robot_program) fn look_for_handlers<L: Language>(&mut self, language: &L) {
        let mut handlers: Vec<Block> = Vec::new();
        for body in self.bodies() {
            handlers.extend(body.iter().filter_map(|stmt| match &stmt.act {
                Act::AfterFault(handler, _) => Some(handler.clone()),
                _ => None,
            }));
        }
        for handler in handlers {
            let names = self.set_in(language, &handler);
            self.volatile.extend(names);
        }
    }

    /// What a variable holds after a value was put into it.
    pub(super) fn lasting(&self, name: &str, value: Value) -> Value {
        if self.volatile.contains(name) {
            Value::unknown(format!("'{name}' may be set at any time"))
        } else {
            value
        }
    }

    /// Looks at the handlers of faults of a routine that begins. Whether a fault may end it anywhere, so that what it sets is not known.
    pub(super) fn look_at_faults<L: Language>(&mut self, language: &L, body: &Block) -> bool {
        // What is told of a routine is told once.
        let place = body.as_ptr().addr();
        if let Some(known) = self.cut_short.get(&place) {
            return *known;
        }
        let mut is_cut_short = false;
        for stmt in body.iter() {
            let Act::AfterFault(handler, end) = &stmt.act else { continue };
            let rest: Block =
                body.iter().filter(|stmt| !matches!(stmt.act, Act::AfterFault(..))).cloned().collect();
            // That a handler returns leaves out what was to come, which is looked at below.
            let moves = self.may_move_unless_left(language, handler);
            let what = match end {
                _ if moves => Some("what is done after a fault could move the robot"),
                HandlerEnd::Leaves if self.may_move_unless_left(language, &rest) => {
                    Some("a fault in this routine leaves out moves, and which is not known")
                }
                HandlerEnd::Retries if self.calls_effects(language, &rest) => {
                    Some("after a fault in this routine, what it calls may be run again")
                }
                _ => None,
            };
            match what {
                // Moves are proven for programs that no fault leads astray.
                Some(what) => self.note_loss(stmt.line, what, true, Loss::Nothing),
                None => self.note(stmt.line, "what is done after a fault is not looked at", false),
            }
            is_cut_short |= *end == HandlerEnd::Leaves;
        }
        self.cut_short.insert(place, is_cut_short);
        is_cut_short
    }

    /// A routine that a fault may end ran to an end of the program, or for ever: after a fault it does not.
    pub(super) fn ends_unless_a_fault(&mut self, line: u32) {
        if self.stopped && !self.gave_up {
            // What comes after it is run after a fault, from wherever that was.
            self.stopped = false;
            self.note(
                line,
                "the program ends here, or never gets on, unless a fault leaves the routine",
                true,
            );
        }
    }

    /// Whether a routine of the file could move the robot or set a variable.
    pub(super) fn has_effects<L: Language>(&self, language: &L, name: &str) -> bool {
        let Some(proc) = self.procs.get(name) else { return false };
        if let Some(known) = self.effects.borrow().get(name) {
            return *known;
        }
        let found = self.may_move_in(language, name) || !self.set_in(language, &proc.body).is_empty();
        self.effects.borrow_mut().insert(name.to_owned(), found);
        found
    }

    /// Whether a block calls a routine of the file that has effects.
    fn calls_effects<L: Language>(&self, language: &L, block: &Block) -> bool {
        super::called(block, &self.procs).iter().any(|name| self.has_effects(language, name))
    }

    /// Calls in arguments, by their places, of routines of the file that have effects.
    pub(super) fn calls_with_effects<L: Language>(&self, language: &L, args: &[Arg]) -> Vec<usize> {
        let mut found = Vec::new();
        if self.procs.is_empty() {
            return found;
        }
        let mut open: Vec<&Expr> = args.iter().filter_map(|arg| arg.value.as_ref()).collect();
        while let Some(expr) = open.pop() {
            match expr {
                Expr::Const(_) | Expr::Name(_) => {}
                Expr::Part(of, _) | Expr::Minus(of) | Expr::Not(of) => open.push(of),
                Expr::Element(of, places) => {
                    open.push(of);
                    open.extend(places);
                }
                Expr::List(all) => open.extend(all),
                Expr::Record(all) => open.extend(all.iter().map(|(_, one)| one)),
                Expr::Two(_, left, right) => open.extend([&**left, &**right]),
                Expr::Call(name, args) => {
                    if self.has_effects(language, name) {
                        found.push(std::ptr::from_ref(expr).addr());
                    }
                    open.extend(args.iter().filter_map(|arg| arg.value.as_ref()));
                }
            }
        }
        found
    }

    /// Works out arguments of a statement that does nothing with them.
    pub(in crate::robot_program) fn work_out<L: Language>(&mut self, language: &mut L, args: &[Arg]) {
        for expr in args.iter().filter_map(|arg| arg.value.as_ref()) {
            self.value_of(language, expr);
        }
    }

    /// Forgets all variables that are handed over.
    pub(in crate::robot_program) fn forget_args(&mut self, args: &[Arg]) {
        for place in args.iter().filter_map(|arg| arg.value.as_ref()).filter(|place| root(place).is_some()) {
            self.forget_place(place);
        }
    }
}
