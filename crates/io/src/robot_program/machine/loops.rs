//! Loops that count, and loops that go on as long as something is true.

use super::{Block, Flow, Language, Loop, Machine, State, Variables};
use crate::robot_program::parser::Expr;
use crate::robot_program::rounds::{are_alike, close};
use crate::robot_program::value::Value;

/// Rounds of an endless loop that are run, at most, to find two that are alike.
const MOST_ROUNDS: usize = 10_000;

impl Machine {
    /// A loop that counts. One that is not followed to its end may be run any number of times.
    pub(super) fn count<L: Language>(&mut self, language: &mut L, of: &Loop, line: u32) -> Flow {
        match self.count_rounds(language, of, line) {
            Some(flow) => flow,
            None => {
                let before = self.locals.last().and_then(|locals| locals.get(&of.name)).cloned();
                let why = Value::unknown("how often is not known");
                match self.locals.last_mut().filter(|_| of.is_own) {
                    Some(locals) => drop(locals.insert(of.name.clone(), why)),
                    None => self.set(&of.name, why),
                }
                self.run_rounds(language, &of.body);
                match of.is_own {
                    true => self.uncover(&of.name, before),
                    false => self.set(&of.name, Value::unknown("how often is not known")),
                }
                Flow::On
            }
        }
    }

    /// None where the loop is left without being followed.
    fn count_rounds<L: Language>(&mut self, language: &mut L, of: &Loop, line: u32) -> Option<Flow> {
        let Loop { name, from, to: end, step: by, body, is_own } = of;
        // KRL does not say whether the end and the step are worked out once or before every round.
        if !is_own && (self.calls_routine(end) || by.as_ref().is_some_and(|by| self.calls_routine(by))) {
            self.note(
                line,
                "how often a function that tells the end or the step of a loop is called is not known",
                true,
            );
            return None;
        }
        let mut bound = |expr: &Expr| {
            self.look_at_calls(language, expr, line);
            self.value_of(language, expr).firm()
        };
        let (from, to, step) = (bound(from), bound(end), by.as_ref().map(&mut bound).transpose());
        let (Ok(from), Ok(to), Ok(step)) = (from, to, step) else {
            let why = Value::unknown("how often is not known");
            let is_run = self.pass_over(language, std::slice::from_ref(body), &[], &why, line);
            if !is_own {
                self.set(name, why);
            }
            return if is_run { None } else { Some(Flow::On) };
        };
        let step = step.unwrap_or(if to < from && *is_own { -1.0 } else { 1.0 });
        // With parts of whole numbers, the last round may be run or not, as the controller rounds.
        let rounds = (to - from) / step;
        let is_whole = [from, to, step].iter().all(|number| number.fract() == 0.0);
        if step == 0.0 || (!is_whole && rounds > -0.5 && (rounds - rounds.round()).abs() < 1e-3) {
            self.note(line, "how often this is run is left to the rounding of the controller", true);
            return None;
        }
        let before = self.locals.last().and_then(|locals| locals.get(name)).cloned();
        let mut at = from;
        while !self.stopped && (at - to) * step.signum() <= 0.0 {
            if *is_own && let Some(locals) = self.locals.last_mut() {
                locals.insert(name.clone(), Value::Number(at));
            } else {
                self.set(name, Value::Number(at));
            }
            if let Flow::Return(value) = self.block(language, body) {
                // What the counter hid is seen again.
                if *is_own {
                    self.uncover(name, before);
                }
                return Some(Flow::Return(value));
            }
            if self.is_too_long(line) {
                return Some(Flow::On);
            }
            let mut differs = |expr: &Expr, number| self.value_of(language, expr).firm() != Ok(number);
            if !is_own && (differs(end, to) || by.as_ref().is_some_and(|by| differs(by, step))) {
                self.note(
                    line,
                    "the end or the step of this loop changes in it: how often it is run is not known",
                    true,
                );
                return None;
            }
            match self.peek(name).map(Value::number) {
                Some(Ok(now)) => at = now + step,
                _ => {
                    self.note(line, format!("'{name}', which counts, is not known"), true);
                    return None;
                }
            }
        }
        if *is_own {
            self.uncover(name, before);
        } else {
            self.set(name, Value::unknown(format!("what '{name}' is after its loop is not known")));
        }
        Some(Flow::On)
    }

    /// Takes a loop's own counter away: what it hid is seen again.
    fn uncover(&mut self, name: &str, hidden: Option<Value>) {
        if let Some(locals) = self.locals.last_mut() {
            locals.remove(name);
            locals.extend(hidden.map(|value| (name.to_owned(), value)));
        }
    }

    /// A loop without end: nothing is run behind it, unless the routine may be left in it.
    fn never_ends(&mut self) -> Flow {
        if self.may_be_left() {
            return Flow::Return(Value::unknown("where the function is left is not known"));
        }
        self.stopped = true;
        Flow::On
    }

    pub(super) fn repeat<L: Language>(
        &mut self,
        language: &mut L,
        condition: &Expr,
        body: &Block,
        line: u32,
    ) -> Flow {
        let mut last: Option<(Variables, Vec<Variables>, State)> = None;
        // Where the last two rounds begin.
        let mut begins = [language.moves_made().len(); 2];
        let is_endless = matches!(condition, Expr::Const(Value::Truth(true)));
        let mut rounds: usize = 0;
        // Each round is kept to be compared: of large data, fewer.
        let size: usize = self.globals.values().map(Value::size).sum();
        let most_rounds = (MOST_ROUNDS * 1000 / size.max(1000)).max(16);
        loop {
            let refused = self.refused;
            self.look_at_calls(language, condition, line);
            match self.value_of(language, condition) {
                Value::Truth(true) => {}
                Value::Truth(false) => return Flow::On,
                other => {
                    // What is asked for is asked for again in every round.
                    if self.pass_over(language, std::slice::from_ref(body), &[condition], &other, line) {
                        self.run_rounds(language, body);
                    }
                    return Flow::On;
                }
            }
            if let Flow::Return(value) = self.block(language, body) {
                return Flow::Return(value);
            }
            if self.is_too_long(line) {
                return Flow::On;
            }
            // What is not understood may be what ends the loop: later rounds begin with whatever rounds leave.
            if self.refused > refused {
                if !self.stopped {
                    self.run_rounds(language, body);
                    if is_endless {
                        return self.never_ends();
                    }
                }
                return Flow::On;
            }
            rounds += 1;
            if !is_endless {
                // Now and then, two rounds are compared: if they leave all the same, what is asked for stays true for ever.
                let is_second = rounds > 1 && (rounds - 1).is_power_of_two();
                if rounds.is_power_of_two() || is_second {
                    let now = (self.globals.clone(), self.locals.clone(), language.state());
                    if is_second && last.as_ref() == Some(&now) {
                        self.note(line, "a loop without end: its condition never changes", true);
                        self.abandon(language, body);
                        return self.never_ends();
                    }
                    last = Some(now);
                }
            } else {
                if rounds > most_rounds {
                    self.note(line, "an endless loop whose rounds differ", true);
                    self.abandon(language, body);
                    return self.never_ends();
                }
                // Two rounds that make the same moves and leave all the same, where the robot stands included, are like all that follow, and so
                // is the way back to the beginning.
                let now = (self.globals.clone(), self.locals.clone(), language.state());
                let moves = language.moves_made();
                if last.as_ref() == Some(&now) && are_alike(moves, begins[0], begins[1]) {
                    self.closing.extend(close(moves, begins[1], line));
                    self.note(line, "an endless loop: all rounds are as the last one", false);
                    return self.never_ends();
                }
                begins = [begins[1], moves.len()];
                last = Some(now);
            }
        }
    }
}
