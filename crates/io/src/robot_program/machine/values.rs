//! Expressions, and variables that values are put into.

use super::{Language, Machine};
use crate::robot_program::parser::{Arg, Expr, Op};
use crate::robot_program::value::Value;

/// How near to each other two numbers may be, as part of them, for a controller that reckons in single precision to take them for equal.
const ALMOST: f64 = 1e-5;

impl Machine {
    pub(in crate::robot_program) fn value_of<L: Language>(&mut self, language: &mut L, expr: &Expr) -> Value {
        match expr {
            Expr::Const(value) => value.clone(),
            Expr::Name(name) => self.named(language, name),
            Expr::Part(of, name) => match self.value_of(language, of) {
                Value::List(_) if language.is_ambiguous(name) => {
                    Value::unknown(format!("'{name}' stands in different places in different types"))
                }
                value => value.part(name),
            },
            Expr::Element(of, places) => {
                let mut value = self.value_of(language, of);
                for place in places {
                    value = match self.value_of(language, place).number() {
                        Ok(place) => value.element(place - language.first() as f64),
                        Err(why) => Value::Unknown(why),
                    };
                }
                value
            }
            Expr::List(all) => Value::List(all.iter().map(|one| self.value_of(language, one)).collect()),
            Expr::Record(all) => Value::Record(
                all.iter().map(|(name, one)| (name.clone(), self.value_of(language, one))).collect(),
            ),
            Expr::Minus(inner) => match self.value_of(language, inner) {
                Value::Number(number) => Value::Number(-number),
                Value::Unknown(why) => Value::Unknown(why),
                other => Value::unknown(format!("{} has no negative", other.kind())),
            },
            Expr::Not(inner) => match self.value_of(language, inner) {
                Value::Truth(truth) => Value::Truth(!truth),
                Value::Unknown(why) => Value::Unknown(why),
                other => Value::unknown(format!("{} is neither true nor false", other.kind())),
            },
            Expr::Two(op, left, right) => {
                // Controllers differ in whether they look at the right side where the left one tells.
                if matches!(op, Op::And | Op::Or) && self.expr_may_move(language, right, &mut Vec::new()) {
                    let line = self.line;
                    self.note(
                        line,
                        "whether a function that moves the robot is called depends on what stands left of it",
                        true,
                    );
                }
                let left = self.value_of(language, left);
                // So whatever a function on the right side sets is not known where the left one tells, or may.
                let tells = match (op, &left) {
                    (Op::And, Value::Truth(truth)) => !truth,
                    (Op::Or, Value::Truth(truth)) => *truth,
                    (Op::And | Op::Or, _) => true,
                    _ => false,
                };
                if tells && self.calls_routine(right) {
                    self.forget_calls(language, right, &mut Vec::new());
                    return match left {
                        Value::Truth(_) => left,
                        _ => {
                            Value::unknown("whether what stands right of AND or OR is asked for is not known")
                        }
                    };
                }
                let right = self.value_of(language, right);
                two(language, *op, left, right)
            }
            Expr::Call(name, args) => self.function(language, name, args),
        }
    }

    fn named<L: Language>(&self, language: &L, name: &str) -> Value {
        match self.peek(name) {
            Some(value) => value.clone(),
            None => language.known(name).unwrap_or_else(|| Value::unknown(format!("'{name}' is not known"))),
        }
    }

    /// The value of a name, if it has one.
    pub(in crate::robot_program) fn peek(&self, name: &str) -> Option<&Value> {
        self.locals.last().and_then(|locals| locals.get(name)).or_else(|| self.globals.get(name))
    }

    fn function<L: Language>(&mut self, language: &mut L, name: &str, args: &[Arg]) -> Value {
        if let Some(proc) = self.procs.get(name).cloned() {
            return match self.call(language, &proc, args) {
                Ok(value) => language.kept(name, value),
                Err(why) => {
                    let line = self.line;
                    self.note(line, why.clone(), true);
                    Value::Unknown(why)
                }
            };
        }
        let values: Vec<(Option<String>, Value)> = args
            .iter()
            .map(|arg| {
                let value =
                    arg.value.as_ref().map_or(Value::Truth(true), |value| self.value_of(language, value));
                (arg.name.clone(), value)
            })
            .collect();
        language.function(name, &values)
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        match self.locals.last_mut() {
            // Variables of the controller itself belong to all.
            Some(locals)
                if !name.starts_with('$')
                    && (locals.contains_key(name) || !self.globals.contains_key(name)) =>
            {
                locals.insert(name.to_owned(), value);
            }
            _ => {
                self.globals.insert(name.to_owned(), value);
            }
        }
    }

    /// Puts a value into what an expression stands for: a variable, a part of one, or an element.
    pub(in crate::robot_program) fn put<L: Language>(
        &mut self,
        language: &mut L,
        place: &Expr,
        value: Value,
        line: u32,
    ) {
        if let Some((name, whole)) = self.with(language, place, value, line, false) {
            self.set(&name, whole);
        }
    }

    /// The same for a variable that belongs to all.
    pub(super) fn put_global<L: Language>(
        &mut self,
        language: &mut L,
        place: &Expr,
        value: Value,
        line: u32,
    ) {
        if let Some((name, whole)) = self.with(language, place, value, line, true) {
            self.globals.insert(name, whole);
        }
    }

    /// A variable as it is when a value was put into a place of it.
    fn with<L: Language>(
        &mut self,
        language: &mut L,
        place: &Expr,
        value: Value,
        line: u32,
        is_global: bool,
    ) -> Option<(String, Value)> {
        let Some(name) = root(place) else {
            self.note(line, "nothing can be put there", true);
            return None;
        };
        let value = language.kept(&name, value);
        // Which way into the variable: names of parts, and places.
        let (mut way, mut of) = (Vec::new(), place);
        while !matches!(of, Expr::Name(_)) {
            match of {
                Expr::Part(inner, name) => {
                    way.push(Step::Part(name.clone()));
                    of = inner;
                }
                Expr::Element(inner, places) => {
                    for place in places.iter().rev() {
                        match self.value_of(language, place).number() {
                            Ok(at) => way.push(Step::Element(at - language.first() as f64)),
                            Err(why) => {
                                self.note(
                                    line,
                                    format!("which element is set cannot be known: {why}"),
                                    false,
                                );
                                return Some((name, Value::unknown("an element that is not known was set")));
                            }
                        }
                    }
                    of = inner;
                }
                _ => unreachable!("it has a root"),
            }
        }
        let old = if is_global { self.globals.get(&name) } else { self.peek(&name) };
        let mut whole =
            old.cloned().or_else(|| language.known(&name)).unwrap_or_else(|| Value::Record(Vec::new()));
        let mut slot = &mut whole;
        for step in way.iter().rev() {
            slot = match step {
                Step::Part(part) if matches!(slot, Value::List(_)) && language.is_ambiguous(part) => {
                    return Some((
                        name,
                        Value::unknown(format!("'{part}' stands in different places in different types")),
                    ));
                }
                Step::Part(part) => slot.part_mut(part),
                Step::Element(at) => slot.element_mut(*at),
            };
        }
        *slot = match (&*slot, value) {
            // Parts of a structure keep their names when all of them are set at once.
            (Value::Record(old), Value::List(new))
                if old.len() == new.len() && old.iter().all(|(name, _)| !name.starts_with('[')) =>
            {
                Value::Record(old.iter().map(|(name, _)| name.clone()).zip(new).collect())
            }
            (_, value) => value,
        };
        Some((name, whole))
    }
}

enum Step {
    Part(String),
    Element(f64),
}

/// The variable of a place.
pub(in crate::robot_program) fn root(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Name(name) => Some(name.clone()),
        Expr::Part(inner, _) | Expr::Element(inner, _) => root(inner),
        _ => None,
    }
}

/// Names of all functions in an expression.
pub(super) fn calls(expr: &Expr) -> Vec<&str> {
    match expr {
        Expr::Call(name, args) => {
            let inner = args.iter().filter_map(|arg| arg.value.as_ref()).flat_map(calls);
            [name.as_str()].into_iter().chain(inner).collect()
        }
        Expr::List(all) => all.iter().flat_map(calls).collect(),
        Expr::Record(all) => all.iter().flat_map(|(_, one)| calls(one)).collect(),
        Expr::Minus(inner) | Expr::Not(inner) | Expr::Part(inner, _) => calls(inner),
        Expr::Element(inner, places) => {
            calls(inner).into_iter().chain(places.iter().flat_map(calls)).collect()
        }
        Expr::Two(_, left, right) => calls(left).into_iter().chain(calls(right)).collect(),
        Expr::Const(_) | Expr::Name(_) => Vec::new(),
    }
}

fn two<L: Language>(language: &mut L, op: Op, left: Value, right: Value) -> Value {
    // What is false is false with anything.
    match (op, &left, &right) {
        (Op::And, Value::Truth(false), _) | (Op::And, _, Value::Truth(false)) => return Value::Truth(false),
        (Op::Or, Value::Truth(true), _) | (Op::Or, _, Value::Truth(true)) => return Value::Truth(true),
        _ => {}
    }
    if let Value::Unknown(_) = left {
        return left;
    }
    if let Value::Unknown(_) = right {
        return right;
    }
    match (op, &left, &right) {
        (Op::Chain, _, _) => return language.function(":", &[(None, left), (None, right)]),
        (Op::And, Value::Truth(a), Value::Truth(b)) => return Value::Truth(*a && *b),
        (Op::Or, Value::Truth(a), Value::Truth(b)) => return Value::Truth(*a || *b),
        (Op::Xor, Value::Truth(a), Value::Truth(b)) => return Value::Truth(a != b),
        (_, Value::Number(a), Value::Number(b)) => return of_numbers(op, *a, *b, language.divides_whole()),
        (Op::Same | Op::Other, Value::Truth(_), Value::Truth(_))
        | (Op::Same | Op::Other, Value::Text(_), Value::Text(_)) => {
            return Value::Truth((left == right) == (op == Op::Same));
        }
        (Op::Add | Op::Sub, Value::List(a), Value::List(b)) if a.len() == b.len() => {
            let each = a.iter().zip(b).map(|(a, b)| two(language, op, a.clone(), b.clone()));
            return Value::List(each.collect());
        }
        (Op::Mul, Value::List(list), Value::Number(_)) => {
            return Value::List(
                list.iter().map(|one| two(language, op, one.clone(), right.clone())).collect(),
            );
        }
        (Op::Add, Value::Text(a), Value::Text(b)) => return Value::Text(format!("{a}{b}")),
        _ => {}
    }
    Value::unknown(format!("{} and {} cannot be reckoned with each other", left.kind(), right.kind()))
}

fn of_numbers(op: Op, a: f64, b: f64, divides_whole: bool) -> Value {
    let is_compared = matches!(op, Op::Same | Op::Other | Op::Less | Op::More | Op::AtMost | Op::AtLeast);
    // Numbers that single precision keeps are compared as they are.
    let is_kept = |number: f64| f64::from(number as f32) == number;
    if is_compared && !(is_kept(a) && is_kept(b)) && (a - b).abs() <= ALMOST * a.abs().max(b.abs()) {
        return Value::unknown(format!("{a} and {b} are nearer to each other than a controller may reckon"));
    }
    let number = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div
            if divides_whole
                && a.fract() == 0.0
                && b.fract() == 0.0
                && b != 0.0
                && (a / b).fract() != 0.0 =>
        {
            return Value::unknown(
                "whether what is left over of a division of whole numbers is kept is not known",
            );
        }
        Op::Div => a / b,
        Op::IntDiv => (a / b).trunc(),
        Op::Mod => a % b,
        Op::Same => return Value::Truth(a == b),
        Op::Other => return Value::Truth(a != b),
        Op::Less => return Value::Truth(a < b),
        Op::More => return Value::Truth(a > b),
        Op::AtMost => return Value::Truth(a <= b),
        Op::AtLeast => return Value::Truth(a >= b),
        Op::And | Op::Xor | Op::Or | Op::Chain => {
            return Value::unknown("numbers are neither true nor false");
        }
    };
    if number.is_finite() { Value::Number(number) } else { Value::unknown("a number is not finite") }
}
