//! Expressions, and variables that values are put into.

use super::{Language, Machine};
use crate::robot_program::parser::{Arg, Expr, Op};
use crate::robot_program::value::{Value, rounding};

/// Whole numbers of controllers have 32 bits.
const MOST_WHOLE: f64 = 2_147_483_648.0;

/// Characters that a text of a controller has, at most.
const MOST_CHARACTERS: usize = 80;

/// Variables of KUKA's controllers that only programs set, and that say how the robot moves. All others change by themselves.
const SETTINGS: [&str; 16] = [
    "$tool",
    "$base",
    "$ori_type",
    "$ipo_mode",
    "$circ_type",
    "$apo",
    "$vel",
    "$vel_axis",
    "$acc",
    "$acc_axis",
    "$advance",
    "$load",
    "$nullframe",
    "$world",
    "$robroot",
    "$act_tool",
];

impl Machine {
    pub(in crate::robot_program) fn value_of<L: Language>(&mut self, language: &mut L, expr: &Expr) -> Value {
        match expr {
            Expr::Const(value) => value.clone(),
            Expr::Name(name) => self.named(language, name),
            Expr::Part(of, name) => match self.value_of(language, of) {
                Value::List(_) if language.is_ambiguous(name) => {
                    Value::unknown(format!("'{name}' stands in different places in different types"))
                }
                value => self.if_ours(expr, value.part(name)),
            },
            Expr::Element(of, places) => {
                let mut places = &places[..];
                // An element of a variable, without a copy of all of it.
                let mut value = match (&**of, places) {
                    (Expr::Name(name), [first, rest @ ..])
                        if self.peek(name).is_some() && !name.starts_with('$') =>
                    {
                        places = rest;
                        match self.value_of(language, first).firm() {
                            Ok(place) => match self.peek(name) {
                                Some(all) => all.element(place - language.first() as f64),
                                None => Value::unknown(format!("'{name}' is not known")),
                            },
                            Err(why) => Value::Unknown(why),
                        }
                    }
                    _ => self.value_of(language, of),
                };
                for place in places {
                    value = match self.value_of(language, place).firm() {
                        Ok(place) => value.element(place - language.first() as f64),
                        Err(why) => Value::Unknown(why),
                    };
                }
                self.if_ours(expr, value)
            }
            Expr::List(all) => Value::List(all.iter().map(|one| self.value_of(language, one)).collect()),
            Expr::Record(all) => Value::Record(
                all.iter().map(|(name, one)| (name.clone(), self.value_of(language, one))).collect(),
            ),
            Expr::Minus(inner) => match self.value_of(language, inner) {
                Value::Number(number) => Value::Number(-number),
                Value::Loose(number, most) => Value::Loose(-number, most),
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
            Expr::Call(name, args) => {
                if self.procs.contains_key(name) {
                    *self.worked_out.entry(std::ptr::from_ref(expr).addr()).or_default() += 1;
                }
                self.function(language, name, args)
            }
        }
    }

    /// A part or an element of a variable; not known if that is declared in another file, where others may set it, too.
    fn if_ours(&self, place: &Expr, value: Value) -> Value {
        let is_local = |name: &str| self.locals.last().is_some_and(|locals| locals.contains_key(name));
        match root(place) {
            Some(name) if is_plain(&value) && self.undeclared.contains(&name) && !is_local(&name) => {
                elsewhere(&name)
            }
            _ => value,
        }
    }

    fn named<L: Language>(&self, language: &L, name: &str) -> Value {
        if name.starts_with('$') && !SETTINGS.contains(&name) {
            let name = name.to_ascii_uppercase();
            return Value::unknown(format!("{name} changes while the program runs"));
        }
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
        let value = language.function(name, &values);
        let sets = |arg: &&Arg| match &arg.name {
            Some(option) => language.gives_back(option),
            None => false,
        };
        let is_writer = language.writes(name) || language.moves(name);
        for place in args.iter().filter(|arg| is_writer || sets(arg)).filter_map(|arg| arg.value.as_ref()) {
            self.forget_place(place);
        }
        value
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        let value = self.lasting(name, value);
        match self.locals.last_mut() {
            // Variables of the controller itself belong to all; where variables have to be declared, so do those that the routine does not declare.
            Some(locals)
                if !name.starts_with('$')
                    && (locals.contains_key(name) || !self.declares && !self.globals.contains_key(name)) =>
            {
                locals.insert(name.to_owned(), value);
            }
            _ => {
                let is_new = !self.globals.contains_key(name) && self.declares && !name.starts_with('$');
                if is_new {
                    self.undeclared.insert(name.to_owned());
                }
                // It is declared in another file, where others may set it, too. Positions and the like keep what they are given.
                let is_theirs = is_plain(&value) && self.undeclared.contains(name);
                let value = if is_theirs { elsewhere(name) } else { value };
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
            let whole = self.lasting(&name, whole);
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
                        match self.value_of(language, place).firm() {
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
        let part = way.iter().find_map(|step| match step {
            Step::Part(part) => Some(part),
            Step::Element(_) => None,
        });
        let value = match part {
            Some(part) => language.kept_part(part, value),
            None => value,
        };
        // Taken out, not copied: it is put back as a whole.
        let local = self.locals.last_mut().and_then(|locals| locals.get_mut(&name)).filter(|_| !is_global);
        let old = local.or_else(|| self.globals.get_mut(&name));
        let old = old.map(|old| std::mem::replace(old, Value::Truth(false)));
        let mut whole = old.or_else(|| language.known(&name)).unwrap_or_else(|| Value::Record(Vec::new()));
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
            (Value::Record(old), Value::List(new)) if old.len() == new.len() && language.has_order(old) => {
                Value::Record(old.iter().map(|(name, _)| name.clone()).zip(new).collect())
            }
            // Whether parts that are not named keep what they were is not said.
            (Value::Record(old), Value::Record(mut new)) => {
                for (name, _) in old.iter().filter(|(name, _)| !name.starts_with('[')) {
                    if new.iter().all(|(known, _)| known != name) {
                        let why = format!("'{name}' was not named when the others were set");
                        new.push((name.clone(), Value::unknown(why)));
                    }
                }
                Value::Record(new)
            }
            (_, value) => value,
        };
        Some((name, whole))
    }
}

/// Whether that is no structure and no list.
fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Number(_) | Value::Loose(..) | Value::Truth(_) | Value::Text(_))
}

fn elsewhere(name: &str) -> Value {
    Value::unknown(format!("'{name}' is declared elsewhere: others may set it"))
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
    if let (Some(a), Some(b)) = (left.bounded(), right.bounded())
        && op != Op::Chain
    {
        return of_numbers(op, a, b, language.divides_whole());
    }
    match (op, &left, &right) {
        (Op::Chain, _, _) => return language.function(":", &[(None, left), (None, right)]),
        (Op::And, Value::Truth(a), Value::Truth(b)) => return Value::Truth(*a && *b),
        (Op::Or, Value::Truth(a), Value::Truth(b)) => return Value::Truth(*a || *b),
        (Op::Xor, Value::Truth(a), Value::Truth(b)) => return Value::Truth(a != b),
        // A code such as \\41 stands for a character.
        (Op::Same | Op::Other, Value::Text(a), Value::Text(b)) if a.contains('\\') || b.contains('\\') => {
            return Value::unknown("a text has a code in it");
        }
        (Op::Same | Op::Other, Value::Truth(_), Value::Truth(_))
        | (Op::Same | Op::Other, Value::Text(_), Value::Text(_)) => {
            return Value::Truth((left == right) == (op == Op::Same));
        }
        (Op::Add | Op::Sub, Value::List(a), Value::List(b)) if a.len() == b.len() => {
            let each = a.iter().zip(b).map(|(a, b)| two(language, op, a.clone(), b.clone()));
            return Value::List(each.collect());
        }
        (Op::Mul, Value::List(list), Value::Number(_) | Value::Loose(..)) => {
            return Value::List(
                list.iter().map(|one| two(language, op, one.clone(), right.clone())).collect(),
            );
        }
        (Op::Add, Value::Text(a), Value::Text(b)) if a.len() + b.len() > MOST_CHARACTERS => {
            return Value::unknown("a text is longer than controllers have them");
        }
        (Op::Add, Value::Text(a), Value::Text(b)) => return Value::Text(format!("{a}{b}")),
        _ => {}
    }
    Value::unknown(format!("{} and {} cannot be reckoned with each other", left.kind(), right.kind()))
}

/// The sum of two numbers.
pub(in crate::robot_program) fn sum(a: Value, b: Value) -> Value {
    match (a.bounded(), b.bounded()) {
        (Some(a), Some(b)) => of_numbers(Op::Add, a, b, false),
        (None, _) => Value::Unknown(a.number().err().unwrap_or_default()),
        (_, None) => Value::Unknown(b.number().err().unwrap_or_default()),
    }
}

/// Controllers reckon in single precision or in double. Where they could differ is known from by how much each number may be off.
fn of_numbers(op: Op, (a, off_a): (f64, f64), (b, off_b): (f64, f64), divides_whole: bool) -> Value {
    let off = off_a + off_b;
    let is_compared = matches!(op, Op::Same | Op::Other | Op::Less | Op::More | Op::AtMost | Op::AtLeast);
    if is_compared && off > 0.0 && (a - b).abs() <= 2.0 * off {
        return Value::unknown(format!("{a} and {b} are nearer to each other than a controller may reckon"));
    }
    let are_whole = a.fract() == 0.0 && b.fract() == 0.0;
    let (number, off) = match op {
        Op::Add => (a + b, off),
        Op::Sub => (a - b, off),
        Op::Mul => (a * b, a.abs() * off_b + b.abs() * off_a + off_a * off_b),
        Op::Div if divides_whole && are_whole && b != 0.0 && (a / b).fract() != 0.0 => {
            return Value::unknown(
                "whether what is left over of a division of whole numbers is kept is not known",
            );
        }
        Op::Div if off_b == 0.0 || b.abs() > 2.0 * off_b => {
            (a / b, 2.0 * (off_a + (a / b).abs() * off_b) / b.abs())
        }
        Op::Div => {
            return Value::unknown("whether a number that something is divided by is zero is not known");
        }
        Op::IntDiv | Op::Mod if !are_whole || off > 0.0 || b == 0.0 => {
            return Value::unknown("DIV and MOD are of whole numbers that the controller holds as they are");
        }
        Op::IntDiv => ((a / b).trunc(), 0.0),
        Op::Mod => (a % b, 0.0),
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
    if are_whole && number.is_finite() && number.abs() >= MOST_WHOLE {
        return Value::unknown("a whole number has more than 32 bits");
    }
    Value::off_by(number, if off > 0.0 { off + rounding(number) } else { rounding(number) })
}
