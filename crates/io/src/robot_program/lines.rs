//! Programs that are lists of lines, with jumps between them.

use std::collections::HashMap;

/// Lines that are run, at most.
const MOST_STEPS: usize = 2_000_000;

/// Jumps back that were made.
pub(super) struct Jumps<S> {
    steps: usize,
    /// In which state each line jumped back last.
    last: HashMap<usize, S>,
}

/// What comes after a jump.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It is run again.
    On,
    /// It was run twice from the same state, so all rounds are alike, and so is the way back to the beginning.
    Endless,
    /// It runs for too long.
    TooLong,
}

impl<S: Clone + PartialEq> Jumps<S> {
    pub(super) fn new() -> Self {
        Self { steps: 0, last: HashMap::new() }
    }

    /// Whether there is room for one more line.
    pub(super) fn step(&mut self) -> bool {
        self.steps += 1;
        self.steps <= MOST_STEPS
    }

    /// Jumps from a line to another one, in a state that all that follows depends on.
    pub(super) fn jump(&mut self, from: usize, to: usize, state: &S) -> Next {
        if !self.step() {
            return Next::TooLong;
        }
        if to > from {
            return Next::On;
        }
        match self.last.insert(from, state.clone()) {
            Some(last) if last == *state => Next::Endless,
            _ => Next::On,
        }
    }
}

/// A number, or a register or variable that is known, with at most one operation: `R[1]+1`.
pub(super) fn reckoned(text: &str, value: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let text = text.trim();
    let bare = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text).trim();
    if let Ok(number) = bare.parse::<f64>() {
        return Some(number).filter(|number| number.is_finite());
    }
    if let Some(known) = value(bare) {
        return Some(known);
    }
    // The operation stands outside of brackets, and not first.
    let mut depth = 0;
    let found = bare.char_indices().skip(1).find(|&(_, c)| {
        depth += i32::from(c == '[' || c == '(') - i32::from(c == ']' || c == ')');
        depth == 0 && "+-*".contains(c)
    });
    let (at, op) = found?;
    let operand = |text: &str| {
        let text = text.trim();
        text.trim_matches(['(', ')']).parse::<f64>().ok().or_else(|| value(text))
    };
    let (a, b) = (operand(&bare[..at])?, operand(&bare[at + 1..])?);
    let number = match op {
        '+' => a + b,
        '-' => a - b,
        _ => a * b,
    };
    Some(number).filter(|number| number.is_finite())
}

/// Whether a comparison holds, such as `R[1]>=3`; none if that is not known.
pub(super) fn holds(text: &str, value: &dyn Fn(&str) -> Option<f64>) -> Option<bool> {
    let text = text.trim();
    let text = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    if [" AND ", " OR ", "!"].iter().any(|word| text.contains(word)) {
        return None;
    }
    let (sign, at) =
        ["<>", "<=", ">=", "=", "<", ">"].iter().find_map(|sign| text.find(sign).map(|at| (*sign, at)))?;
    let (a, b) = (reckoned(&text[..at], value)?, reckoned(&text[at + sign.len()..], value)?);
    // Controllers reckon in single precision: what is no whole number and this near is not told apart.
    if (a.fract() != 0.0 || b.fract() != 0.0) && (a - b).abs() <= 1e-5 * a.abs().max(b.abs()) {
        return None;
    }
    Some(match sign {
        "<>" => a != b,
        "<=" => a <= b,
        ">=" => a >= b,
        "=" => a == b,
        "<" => a < b,
        _ => a > b,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_comparisons() {
        let value = |name: &str| (name == "R[1]").then_some(3.0);
        for (text, expected) in [
            ("5", Some(5.0)),
            ("(-5.5)", Some(-5.5)),
            ("R[1]", Some(3.0)),
            ("R[1]+1", Some(4.0)),
            ("R[1]-(-1)", Some(4.0)),
            ("2*R[1]", Some(6.0)),
            ("R[2]+1", None),
            ("R[1]+1+1", None),
            ("R[1]/2", None),
            ("", None),
        ] {
            assert_eq!(reckoned(text, &value), expected, "{text}");
        }
        for (text, expected) in [
            ("R[1]=3", Some(true)),
            ("(R[1]<>3)", Some(false)),
            ("R[1]<=2", Some(false)),
            ("R[1]>=3", Some(true)),
            ("R[1]>2", Some(true)),
            ("R[2]=3", None),
            ("DI[1]=ON", None),
            ("R[1]=3 AND DI[1]=ON", None),
            ("R[1]=3.00000001", None),
        ] {
            assert_eq!(holds(text, &value), expected, "{text}");
        }
    }

    /// Two rounds from the same state are like all others.
    #[test]
    fn endless_rounds_are_found() {
        let mut jumps = Jumps::new();
        assert_eq!(jumps.jump(5, 9, &0), Next::On);
        assert_eq!(jumps.jump(9, 2, &0), Next::On);
        assert_eq!(jumps.jump(9, 2, &1), Next::On);
        assert_eq!(jumps.jump(9, 2, &1), Next::Endless);
    }
}
