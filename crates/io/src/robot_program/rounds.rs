//! Rounds of loops and programs that never end: from which of them on are all alike, and is the robot the same in them?
//!
//! What a round does hangs on what the rounds before it left: variables, what is switched, and the last targets. Two rounds that leave the same
//! are followed by rounds that are alike. That is not enough for the robot: corners hang on the two moves beside them, and postures on all
//! moves since the last target that tells one. So rounds are known only once the same *moves* were made twice:
//!
//! - the way from the end of the first of them to the beginning of the second, corner included, is the way between all that follow, and
//! - the second ends in the posture of the first if a target in them tells it. Otherwise a [`Closing`] says that the postures have to be
//!   compared: a tool that comes back to its place may have turned an axis by a whole turn.

use super::{ProgramMove, Target, Zone};

/// Two moves after which the robot has to stand in the same posture, for all rounds to be alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The line to be named.
    pub line: u32,
    /// The last moves of the two rounds, counted from 0.
    pub ends: [usize; 2],
}

/// What the way to the next target depends on: the last move, and the one before it unless the robot stops after the last.
pub(super) fn tail(moves: &[ProgramMove]) -> Vec<ProgramMove> {
    let stops = moves.last().is_some_and(|last| last.zone == Zone::Fine);
    moves[moves.len().saturating_sub(if stops { 1 } else { 2 })..].to_vec()
}

/// Whether the moves from `last` on are those between `before` and `last`.
pub(super) fn are_alike(moves: &[ProgramMove], before: usize, last: usize) -> bool {
    moves[before..last] == moves[last..]
}

/// Ends the rounds of a loop whose last one, from `last` on, is as the one before it: leaves out what was made already, and says whether postures have
/// to be compared.
///
/// What is new in the last round is the way to its first stop of which the target tells the posture: from there on the robot does what it did.
pub(super) fn close(moves: &mut Vec<ProgramMove>, last: usize, line: u32) -> Option<Closing> {
    let round = &moves[last..];
    if round.is_empty() {
        return None;
    }
    if !round.iter().any(ProgramMove::tells_posture) {
        return Some(Closing { line, ends: [last - 1, moves.len() - 1] });
    }
    let is_stop = |one: &ProgramMove| one.zone == Zone::Fine && one.tells_posture();
    if let Some(stop) = round.iter().position(is_stop) {
        // Rounds that end where they begin have no way back.
        let is_there =
            stop == 0 && is_stop(&moves[last - 1]) && is_same_place(&moves[last - 1], &moves[last]);
        moves.truncate(if is_there { last } else { last + stop + 1 });
    }
    None
}

/// Whether two moves arrive at the same place.
fn is_same_place(a: &ProgramMove, b: &ProgramMove) -> bool {
    let is_joints = matches!(a.to, Target::Joints(_));
    a.to == b.to && a.external == b.external && (is_joints || a.tool == b.tool && a.work == b.work)
}

/// Rounds of a program that its controller starts again at its end.
pub(super) struct RoundEnds<S> {
    /// What each round left.
    ends: Vec<S>,
    /// Where each of them, and the one that runs, begins.
    begins: Vec<usize>,
    /// How many rounds were forgotten.
    forgotten: usize,
}

impl<S: PartialEq> RoundEnds<S> {
    /// Before the first round.
    pub(super) fn new() -> Self {
        Self { ends: Vec::new(), begins: vec![0], forgotten: 0 }
    }

    /// How many rounds are remembered.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// What the last round left.
    pub(super) fn last(&self) -> Option<&S> {
        self.ends.last()
    }

    /// Forgets all rounds: what they left counts no more.
    pub(super) fn forget(&mut self) {
        self.forgotten += self.ends.len();
        self.ends.clear();
        self.begins.drain(..self.begins.len() - 1);
    }

    /// A round ends. If the rounds are known from here on: where those begin that were made for the second time.
    pub(super) fn end(&mut self, now: S, moves: &[ProgramMove]) -> Option<usize> {
        let round = self.ends.len();
        for like in (0..round).rev().filter(|like| self.ends[*like] == now) {
            // The rounds after `like`, and as many before them.
            let last = self.begins[like + 1];
            let period = round - like;
            if let Some(first) = (like + 1).checked_sub(period)
                && are_alike(moves, self.begins[first], last)
            {
                return Some(last);
            }
        }
        self.ends.push(now);
        self.begins.push(moves.len());
        None
    }

    /// How many rounds differ before all are alike.
    pub(super) fn count(&self) -> usize {
        self.forgotten + self.ends.len()
    }
}

/// What is told of a program that is started again; none if that makes no move.
pub(super) fn told(rounds: usize) -> String {
    let what = match rounds {
        0..=1 => "the way from its last target back to the first is part of the motion".to_owned(),
        many => format!("{many} rounds differ, and are part of the motion"),
    };
    format!("the controller starts the program again at its end: {what}")
}
