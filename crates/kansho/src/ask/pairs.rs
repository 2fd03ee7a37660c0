//! Which pairs of bodies are checked against each other, why are the others not, and which pairs could be allowed?

use crate::answer::{FORMAT, Message};
use kansho_cell::{BodyId, Cell, NotChecked};
use kansho_check::propose::{Why, propose};
use kansho_check::scene::Scene;
use kansho_io::fault::Paint;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// Postures that a proposal looks at.
const LOOKED_AT: usize = 4096;

/// Which pairs are checked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PairsAnswer {
    /// The version of this answer.
    pub format: u32,
    /// Checked pairs, as `a|b`.
    pub checked: Vec<String>,
    /// All others, each with the reason.
    pub not_checked: Vec<PairWithReason>,
    /// Pairs that could be allowed, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<Vec<PairWithReason>>,
    /// What is odd about the file.
    pub warnings: Vec<Message>,
}

/// A pair and a reason.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PairWithReason {
    /// The pair, as `a|b`.
    pub pair: String,
    /// Why it is not checked; or `Adjacent`, `Always` or `Never`, as the set-up tools of planners say.
    pub reason: String,
    /// The names of the two bodies.
    #[serde(skip)]
    pub bodies: [String; 2],
}

/// Lists the pairs of a cell, and proposes pairs to allow if `with_proposal` asks for them.
#[must_use]
pub fn pairs(cell: &Arc<Cell>, with_proposal: bool) -> PairsAnswer {
    let with_reason = |pair: [BodyId; 2], reason: String| {
        let bodies = pair.map(|id| cell.body(id).name.clone());
        PairWithReason { pair: bodies.join("|"), reason, bodies }
    };
    let pairs = cell.pairs();
    let not_checked = pairs.not_checked().iter();
    PairsAnswer {
        format: FORMAT,
        checked: pairs.checked().iter().map(|&pair| with_reason(pair, String::new()).pair).collect(),
        not_checked: not_checked.map(|(pair, reason)| with_reason(*pair, reason.to_string())).collect(),
        proposed: with_proposal.then(|| {
            proposed(cell).into_iter().map(|(pair, why)| with_reason(pair, why.to_owned())).collect()
        }),
        warnings: Vec::new(),
    }
}

/// Pairs that the set-up tools of planners take out, and why. Neighbours are never checked anyway.
fn proposed(cell: &Arc<Cell>) -> Vec<([BodyId; 2], &'static str)> {
    let not_checked = cell.pairs().not_checked().iter();
    let neighbours = not_checked.filter(|(_, reason)| matches!(reason, NotChecked::Neighbours { .. }));
    let scene = Scene::new(Arc::clone(cell));
    let others = propose(&scene, LOOKED_AT).into_iter().map(|(pair, why)| {
        let why = match why {
            Why::Always => "Always",
            Why::Never => NEVER,
        };
        (scene.bodies(pair), why)
    });
    neighbours.map(|(pair, _)| (*pair, "Adjacent")).chain(others).collect()
}

const NEVER: &str = "Never";

impl PairsAnswer {
    /// In words: the proposal, if there is one, as lines for a cell file; otherwise all pairs.
    #[must_use]
    pub fn text(&self, paint: &impl Paint) -> String {
        match &self.proposed {
            Some(proposed) => proposal(proposed),
            None => self.list(paint),
        }
    }

    fn list(&self, paint: &impl Paint) -> String {
        let mut text = paint.strong(&format!("checked: {}", self.checked.len())) + "\n";
        for pair in &self.checked {
            writeln!(text, "  {pair}").expect("writing to a string succeeds");
        }
        text += &paint.strong(&format!("not checked: {}", self.not_checked.len()));
        text.push('\n');
        for PairWithReason { pair, reason, .. } in &self.not_checked {
            writeln!(text, "  {pair}  {}", paint.dim(reason)).expect("writing to a string succeeds");
        }
        text
    }
}

fn proposal(proposed: &[PairWithReason]) -> String {
    let mut text = format!(
        "# Adjacent: they share a joint, and are never checked. Always, Never: so in {LOOKED_AT} postures all over the range.\n\
         # Never is no proof: such a pair costs little to check, and checking it is safer.\n[allow]\npairs = [\n"
    );
    for PairWithReason { bodies: [a, b], reason, .. } in proposed {
        let comment = if reason == NEVER { "# " } else { "" };
        writeln!(text, "  {comment}[{a:?}, {b:?}], # {reason}").expect("writing to a string succeeds");
    }
    text + "]\n"
}
