use kansho::check::scene::models::Stages;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// How postures were decided, and what the models for it took.
pub(crate) struct Explained {
    pub(crate) stages: Stages,
    /// Pairs of groups of bodies.
    pub(crate) pairs: usize,
    pub(crate) set_up: Duration,
    pub(crate) bytes: usize,
    /// Cells of fields that were kept from an earlier run, and those that were worked out in this one.
    pub(crate) restored: usize,
    pub(crate) worked_out: usize,
}

impl Explained {
    /// Each stage: its name for programs, how many postures it decided, and what it says of them.
    fn shares(&self) -> [(&'static str, u64, &'static str); 7] {
        let stages = &self.stages;
        [
            ("always", stages.always, "touch, for a pair that never moves relative to each other does"),
            (
                "kept",
                stages.kept,
                "free, kept from an earlier posture: nothing moved as far as the gaps were",
            ),
            ("last", stages.last, "touch, for the pair that touched last does so again"),
            ("balls_inside", stages.inner, "touch, by balls inside bodies"),
            ("balls_around", stages.spheres, "free, by balls around bodies"),
            ("exact_free", stages.exact_free, "free, but near: the shapes themselves had to tell"),
            ("exact_touch", stages.exact_hit, "touch, by the shapes themselves"),
        ]
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let postures = self.stages.postures();
        let mut text = format!("{postures} postures were decided:\n");
        for (_, count, what) in self.shares().into_iter().filter(|share| share.1 > 0) {
            let percent = 100.0 * count as f64 / postures as f64;
            writeln!(text, "{percent:6.2} % {what}").expect("writing to a string succeeds");
        }
        write!(
            text,
            "{} pairs of groups of bodies; {} pairs of shapes looked at; {} cells of fields worked out, {} kept from before\n\
             models set up in {:.3} s, {:.1} MB in the end",
            self.pairs,
            self.stages.exact_pairs,
            self.worked_out,
            self.restored,
            self.set_up.as_secs_f64(),
            self.bytes as f64 * 1e-6
        )
        .expect("writing to a string succeeds");
        text
    }

    /// For programs: counts of postures.
    pub(crate) fn json(&self) -> Value {
        let decided: serde_json::Map<String, Value> =
            self.shares().into_iter().map(|(name, count, _)| (name.to_owned(), json!(count))).collect();
        json!({
            "postures": self.stages.postures(),
            "decided": decided,
            "exact_pairs": self.stages.exact_pairs,
            "pairs_of_groups": self.pairs,
            "set_up_seconds": self.set_up.as_secs_f64(),
            "bytes": self.bytes,
            "cells_worked_out": self.worked_out,
            "cells_restored": self.restored,
        })
    }
}
