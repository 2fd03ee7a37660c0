//! Programs that are lists of lines, with jumps between them.

use super::rounds::{RoundEnds, are_alike, close, tail, told};
use super::{Note, ProgramMove, RobotProgram, push_note};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Characters of lines that are run again, at most: what a line costs grows with its length.
const MOST_AGAIN: usize = 32_000_000;

/// What a line costs besides its characters.
const LINE: usize = 32;

/// Jumps back that were made.
pub(super) struct Jumps<S> {
    /// Characters that may still be run.
    left: usize,
    /// After how many moves each line was first run.
    first: HashMap<usize, usize>,
    /// How each line jumped back last.
    last: HashMap<usize, Back<S>>,
}

/// A jump back.
struct Back<S> {
    /// In which state, and after which moves.
    now: (S, Vec<ProgramMove>),
    /// Where the round that it ended begins, and where it ends.
    round: [usize; 2],
}

/// What comes after a jump.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It is run again.
    On,
    /// It made the same moves twice from the same state and the same place, so all rounds are alike, and so is the way
    /// back to the beginning. The second of them begins there.
    Endless(usize),
}

impl<S: Clone + PartialEq> Jumps<S> {
    /// For a program of these lines: all of them once, and some of them again.
    pub(super) fn new<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        Self {
            left: lines.map(|line| line.len() + LINE).sum::<usize>() + MOST_AGAIN,
            first: HashMap::new(),
            last: HashMap::new(),
        }
    }

    /// Whether there is room for one more line, which stands at a place and comes after so many moves.
    pub(super) fn step(&mut self, line: &str, at: usize, made: usize) -> bool {
        self.first.entry(at).or_insert(made);
        let left = self.left.checked_sub(line.len() + LINE);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// The program is started again: what its jumps were does not count any more.
    pub(super) fn start_again(&mut self) {
        self.first.clear();
        self.last.clear();
    }

    /// Jumps from a line to another one, in a state that all that follows depends on, after moves.
    pub(super) fn jump(&mut self, from: usize, to: usize, state: &S, moves: &[ProgramMove]) -> Next {
        if to > from {
            return Next::On;
        }
        let now = (state.clone(), tail(moves));
        let last = self.last.get(&from);
        let begin = last.map_or_else(|| self.first.get(&to).copied().unwrap_or(0), |last| last.round[1]);
        if let Some(Back { now: before, round }) = last
            && *before == now
            && are_alike(moves, round[0], round[1])
        {
            return Next::Endless(begin);
        }
        self.last.insert(from, Back { now, round: [begin, moves.len()] });
        Next::On
    }
}

/// Ends a program that goes round for ever: the last round begins there, and is as the one before it.
pub(super) fn end_loop(program: &mut RobotProgram, begin: usize, line: u32) {
    program.closing.extend(close(&mut program.moves, begin, line));
    let what = "an endless loop: all rounds are as the last one".into();
    push_note(&mut program.notes, Note { line, what, moves: false });
}

/// What lines know, as far as it can be forgotten.
pub(super) trait Widened: Clone + PartialEq {
    /// Forgets what has changed since.
    fn widen(&mut self, before: &Self);
}

/// Rounds that are run before what is still changing is taken for something that never repeats.
const MOST_ROUNDS: usize = 64;

/// Rounds of a program that its controller starts again at its end.
pub(super) struct Rounds<S> {
    repeats: bool,
    /// What each round left.
    ends: RoundEnds<(S, Vec<ProgramMove>)>,
    is_widened: bool,
}

impl<S: Widened> Rounds<S> {
    pub(super) fn new(repeats: bool) -> Self {
        Self { repeats, ends: RoundEnds::new(), is_widened: false }
    }

    /// What comes at the end of a program: whether all rounds are known; otherwise it is run again.
    pub(super) fn ends(&mut self, known: &mut S, program: &mut RobotProgram, line: u32) -> bool {
        if !self.repeats || program.notes.iter().any(|note| note.moves) {
            return true;
        }
        let now = (known.clone(), tail(&program.moves));
        let before = self.ends.last().cloned();
        if let Some(last) = self.ends.end(now, &program.moves) {
            if last < program.moves.len() {
                program.closing.extend(close(&mut program.moves, last, line));
                if last < program.moves.len() {
                    let what = told(self.ends.count());
                    push_note(&mut program.notes, Note { line, what, moves: false });
                }
            }
            return true;
        }
        if self.ends.len() > MOST_ROUNDS {
            if self.is_widened {
                let what = "the program starts again at its end, and no round is as an earlier one".into();
                push_note(&mut program.notes, Note { line, what, moves: true });
                return true;
            }
            if let Some((before, _)) = &before {
                known.widen(before);
            }
            self.is_widened = true;
            self.ends.forget();
        }
        false
    }
}

/// Which lines with moves were run.
pub(super) struct Reached {
    /// Lines with moves by their places, and whether each was run.
    moves: BTreeMap<usize, (u32, bool)>,
}

impl Reached {
    /// Of these lines: the number of each, and whether it has a move.
    pub(super) fn new(lines: impl Iterator<Item = (u32, bool)>) -> Self {
        let moves = lines.enumerate().filter(|(_, (_, is_motion))| *is_motion);
        Self { moves: moves.map(|(at, (line, _))| (at, (line, false))).collect() }
    }

    pub(super) fn insert(&mut self, at: usize) {
        if let Some((_, is_reached)) = self.moves.get_mut(&at) {
            *is_reached = true;
        }
    }

    /// Tells of moves that were never reached. They could be made in a way that was not seen.
    pub(super) fn tell(&self, program: &mut RobotProgram, once: bool, gave_up: bool) {
        let never = self.moves.values().filter(|(_, is_reached)| !is_reached).map(|(line, _)| *line);
        program.doubtful = (!gave_up).then(|| never.collect());
        program.motions = self.moves.len();
        program.reached = self.moves.values().filter(|(_, is_reached)| *is_reached).count();
        // What was refused already may be why.
        let is_open = program.notes.iter().any(|note| note.moves);
        for (line, _) in self.moves.values().filter(|(_, is_reached)| !is_reached) {
            let moves = !is_open && !once;
            let note = Note { line: *line, what: unreached(once).into(), moves };
            match moves {
                true => program.unreached.push(note),
                false => drop(push_note(&mut program.notes, note)),
            }
        }
    }
}

/// Paths through a program that are run from places of which nobody knows what was run before them.
pub(super) struct Paths {
    /// Places to which something that is not understood may jump.
    all: Vec<usize>,
    open: BTreeSet<usize>,
    begun: HashSet<usize>,
}

impl Paths {
    /// Of lines: whether something jumps to each, and whether something jumps to what stands behind it.
    pub(super) fn new(lines: impl Iterator<Item = (bool, bool)>) -> Self {
        let places = lines.enumerate().flat_map(|(at, (begins, ends))| {
            [begins.then_some(at), ends.then_some(at + 1)].into_iter().flatten()
        });
        Self { all: places.collect(), open: BTreeSet::new(), begun: HashSet::new() }
    }

    pub(super) fn add(&mut self, place: usize) {
        if self.begun.insert(place) {
            self.open.insert(place);
        }
    }

    /// Any of them may come next.
    pub(super) fn add_all(&mut self) {
        for place in self.all.clone() {
            self.add(place);
        }
    }

    pub(super) fn next(&mut self) -> Option<usize> {
        self.open.pop_first()
    }
}

/// What is told of a move that is not reached.
pub(super) fn unreached(once: bool) -> &'static str {
    match once {
        true => "this move is not reached in the first round of the program",
        false => "this move is never reached: when it would be made is not known",
    }
}

/// Whether single precision holds a number as it is.
fn is_single(number: f64) -> bool {
    f64::from(number as f32) == number
}

/// Whole numbers of controllers have 32 bits.
fn fits(number: f64) -> bool {
    number.abs() < 2_147_483_648.0
}

/// A number, or a register or variable that is known, with at most one operation: `R[1]+1`.
///
/// Controllers reckon in single precision, or in double. A number that single precision holds is the same in
/// both only if it comes of such numbers: otherwise the result of an operation is not known.
pub(super) fn reckoned(text: &str, value: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let text = text.trim();
    let bare = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text).trim();
    if let Ok(number) = bare.parse::<f64>() {
        return Some(number).filter(|number| fits(*number));
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
    let is_same = is_single(number) && is_single(a) && is_single(b);
    Some(number).filter(|number| fits(*number) && is_same)
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
    // What single precision does not hold, and is this near, is not told apart.
    if !(is_single(a) && is_single(b)) && (a - b).abs() <= 1e-5 * a.abs().max(b.abs()) {
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
        let mut jumps = Jumps::new(["JMP LBL[1]"].into_iter());
        assert_eq!(jumps.jump(5, 9, &0, &[]), Next::On);
        assert_eq!(jumps.jump(9, 2, &0, &[]), Next::On);
        assert_eq!(jumps.jump(9, 2, &1, &[]), Next::On);
        assert_eq!(jumps.jump(9, 2, &1, &[]), Next::Endless(0));
    }
}
