//! A plan in words.

use super::answer::{
    BlockedHint, BlockedPair, BlockedPoint, BlockingPair, LeastGapAnswer, MapAnswer, NoPathAnswer,
    PathAnswer, PlanAnswer, PlanVerdict, StrokeAnswer, UndecidedAnswer,
};
use super::work::NAMED;
use crate::fact::{Fact, lines};
use kansho_cell::BodyId;
use kansho_io::job::LoadedJob;
use kansho_io::people::gap_between;
use kansho_io::units::below;
use kansho_io::{Fault, ReadError};

/// Pairs that block a path and are named, at most.
const PAIRS: usize = 4;

/// Pairs beside the nearest whose gaps are listed, at most.
const GAPS: usize = 3;

impl PlanAnswer {
    /// The answer in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match (&self.path, &self.no_path, &self.undecided) {
            (Some(path), ..) => {
                let closed = if path.strokes.iter().all(|stroke| stroke.closed) { "closed " } else { "" };
                let along = self.laws.as_ref().map_or(String::new(), |laws| {
                    format!(" along straight lines of the tool ({})", laws.join(", "))
                });
                let (points, motions) = (self.map.points, self.effort.proven());
                format!("a {closed}path, proven free: {points} points, {motions} motions{along}")
            }
            (None, Some(none), _) => format!("no path: {}", why_none(none)),
            (None, None, Some(why)) => format!("undecided: {}", why_undecided(why)),
            (None, None, None) => self.verdict.word().to_owned(),
        }
    }

    /// Why there is no path, or why nobody knows; nothing if there is one.
    #[must_use]
    pub fn why(&self) -> Option<String> {
        let of_none = self.no_path.as_ref().map(why_none);
        of_none.or_else(|| self.undecided.as_ref().map(why_undecided))
    }

    /// Facts in sections, as the report has them.
    #[must_use]
    pub fn sections(&self) -> Vec<(&'static str, Vec<Fact>)> {
        let mut sections = Vec::new();
        if let Some(path) = &self.path {
            sections.push(("Path", of_path(path, self)));
        }
        let blocked = self.no_path.as_ref().map_or(&[][..], NoPathAnswer::named);
        if !blocked.is_empty() {
            let all = blocking(self.no_path.as_ref());
            sections.push(("Why", all.into_iter().chain(blocked.iter().map(of_blocked)).collect()));
        }
        if let Some(relaxed) = &self.relaxed {
            sections.push(("What would help", relaxed.facts()));
        }
        sections.push(("Map", of_map(&self.map)));
        sections
    }

    /// Sentence and facts as lines.
    #[must_use]
    pub fn text(&self) -> String {
        let facts: Vec<Fact> = self.sections().into_iter().flat_map(|(_, facts)| facts).collect();
        format!("{}\n{}", self.sentence(), lines(&facts))
    }

    /// Whether there is a path; nothing where nobody knows.
    #[must_use]
    pub fn is_path(&self) -> Option<bool> {
        match self.verdict {
            PlanVerdict::Path => Some(true),
            PlanVerdict::NoPath => Some(false),
            PlanVerdict::Undecided => None,
        }
    }
}

/// Why nobody knows whether there is a path, and what may help.
fn why_undecided(why: &UndecidedAnswer) -> String {
    match why {
        UndecidedAnswer::Time => "the time limit was reached".into(),
        UndecidedAnswer::Arm { what } => format!("the tool cannot be led along straight lines: {what}"),
        UndecidedAnswer::RoundedJointMoves => {
            "how a controller rounds corners between joint moves (kind = \"ptp\") is not known: set zone = 0"
                .into()
        }
        UndecidedAnswer::Searches { stroke, searches } => format!(
            "in {searches} searches of stroke {} every path had a motion that is not free: finer rotations or a smaller clearance may help",
            stroke + 1
        ),
        UndecidedAnswer::Motions { stroke } => format!(
            "every path of stroke {} that is left has a motion that is neither proven free nor found to touch",
            stroke + 1
        ),
        UndecidedAnswer::Corners { points, what, rounded } => {
            let numbers: Vec<f64> = points.iter().map(|point| *point as f64).collect();
            let place = match numbers.len() {
                0 => String::new(),
                1 => format!(" at point {}", runs(&numbers, 1.0, "")),
                _ => format!(" at points {}", runs(&numbers, 1.0, "")),
            };
            let help = if *rounded {
                ". Try a smaller zone, or blend = \"parabola\" where the controller does just that"
            } else {
                ""
            };
            format!(
                "the path is found, but the controller's motion along it could not be proven{place}: {what}{help}"
            )
        }
    }
}

fn why_none(none: &NoPathAnswer) -> String {
    match none {
        NoPathAnswer::Blocked { points, of, clearance, hint, .. } => {
            let numbers: Vec<f64> = points.iter().map(|at| at.point as f64).collect();
            let several = if numbers.len() > 1 { "s" } else { "" };
            let near = match clearance {
                0.0 => "collides".to_owned(),
                gap => format!("collides or comes closer than {} mm", 1e3 * gap),
            };
            let closest = closest(none.named()).map_or(String::new(), |closest| format!(". {closest}"));
            let collides = points.iter().any(|at| !at.pairs.is_empty());
            let cannot = points.iter().any(|at| at.limit + at.out_of_reach > 0);
            let why = match (collides, cannot) {
                (true, true) => format!("the tool {near} in every rotation, or cannot be reached"),
                (true, false) => format!("the tool {near} in every rotation"),
                (false, _) => "no rotation of the tool can be reached within joint limits".to_owned(),
            };
            let hint = match hint {
                None => "",
                Some(BlockedHint::UnitsOrFrame) => {
                    ". That holds for every point: look at the units and the frame of the path; if its directions point out of the work, set flip = true in [path]"
                }
                Some(BlockedHint::Flip) => {
                    ". From the other side the tool would be free at most of them: if the path's directions point out of the work, set flip = true in [path] (or take it out, if it is there)"
                }
            };
            let (which, count) = (runs(&numbers, 1.0, ""), numbers.len());
            format!("at point{several} {which} ({count} of {of}) {why}{closest}{hint}")
        }
        NoPathAnswer::Between { point, line, most_deg } => format!(
            "every point is free in some stance, but none leads on from point {point}{} to the next, with joints that turn by no more than {most_deg:.0} deg from point to point",
            of_line(*line),
        ),
        NoPathAnswer::NotClosed => {
            "ways lead along the stroke, but none comes back to the posture in which it began".to_owned()
        }
    }
}

fn of_line(line: u32) -> String {
    if line > 0 { format!(" (line {line})") } else { String::new() }
}

/// Of the pairs that block most rotations at the blocked points that were measured, the one that comes nearest to being free.
fn closest(points: &[BlockedPoint]) -> Option<String> {
    let cause = |at: &BlockedPoint| at.pairs.first().map(|of| of.stances);
    let all = points.iter().flat_map(|at| {
        let causes = at.pairs.iter().filter(move |of| Some(of.stances) == cause(at));
        causes.filter_map(|of| Some((of.least_depth?, at.point, &of.pair)))
    });
    let (depth, point, pair) = all.min_by(|a, b| a.0[1].total_cmp(&b.0[1]).then(a.1.cmp(&b.1)))?;
    Some(format!("Closest: {}, {} at point {point}", pair.replace('|', " to "), depth_in_words(depth)))
}

/// A depth that was enclosed; a negative one is a gap that is less than the clearance.
fn depth_in_words([least, most]: [f64; 2]) -> String {
    let mm = |depth: f64| 1e3 * depth;
    if most <= 0.0 {
        format!("{:.2} mm apart", mm(-most))
    } else {
        format!("{:.2} to {:.2} mm deep in each other", mm(least.max(0.0)), mm(most))
    }
}

/// What blocks all points together, and how many of them are not named one by one.
fn blocking(none: Option<&NoPathAnswer>) -> Vec<Fact> {
    let Some(NoPathAnswer::Blocked { points, pairs, .. }) = none else { return Vec::new() };
    let of = |of: &BlockingPair| format!("{} at {} points, in {} rotations", of.pair, of.points, of.stances);
    let mut words: Vec<String> = pairs.iter().take(PAIRS).map(of).collect();
    if pairs.len() > PAIRS {
        words.push(format!("{} more pairs", pairs.len() - PAIRS));
    }
    let mut facts = Vec::new();
    if points.len() > 1 && !words.is_empty() {
        facts.push(Fact::new("what blocks", words.join("; ")));
    }
    if points.len() > NAMED {
        let words = format!("the first {NAMED} of {} blocked points follow", points.len());
        facts.push(Fact::new("points", words));
    }
    facts
}

fn of_blocked(at: &BlockedPoint) -> Fact {
    let of_pair = |of: &BlockedPair| {
        let deep = of.least_depth.zip(of.at_deg).map_or(String::new(), |(depth, at_deg)| {
            format!(", {} where least, at {at_deg:.0} deg", depth_in_words(depth))
        });
        format!("{} in {} stances{deep}", of.pair, of.stances)
    };
    let mut words: Vec<String> = at.pairs.iter().map(of_pair).collect();
    if at.limit > 0 {
        words.push(format!("joint limits in {}", at.limit));
    }
    if at.out_of_reach > 0 {
        words.push(format!("out of reach in {}", at.out_of_reach));
    }
    Fact::new(format!("point {}", at.point), words.join(", ") + &of_line(at.line))
}

fn of_map(map: &MapAnswer) -> Vec<Fact> {
    let part = |count: usize| format!("{:.1} %", 100.0 * count as f64 / map.cells.max(1) as f64);
    let constant = match &map.constant_rotations_deg[..] {
        [] => "none is free at every point".to_owned(),
        degrees => runs(degrees, map.rotation_step_deg.max(1.0), " deg"),
    };
    vec![
        Fact::new(
            "cells",
            format!("{}: {} points, {} stances of the tool", map.cells, map.points, map.stances),
        ),
        Fact::new(
            "of these",
            format!(
                "{} free, {} collide, {} beyond joint limits, {} out of reach",
                part(map.free),
                part(map.collides),
                part(map.limit),
                part(map.out_of_reach)
            ),
        ),
        Fact::new("postures", format!("{} looked at", map.postures)),
        Fact::new("constant", constant),
    ]
}

/// Numbers one step apart from each other as runs, with their unit: `3 to 7, 9 deg`.
fn runs(numbers: &[f64], step: f64, unit: &str) -> String {
    let mut runs: Vec<[f64; 2]> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some(run) if number - run[1] <= step * (1.0 + 1e-6) => run[1] = number,
            _ => runs.push([number; 2]),
        }
    }
    let shown = |run: &[f64; 2]| {
        if run[0] == run[1] { run[0].to_string() } else { format!("{} to {}", run[0], run[1]) }
    };
    let more =
        if runs.len() > NAMED { format!(" and {} more runs", runs.len() - NAMED) } else { String::new() };
    runs.iter().take(NAMED).map(shown).collect::<Vec<_>>().join(", ") + unit + &more
}

fn of_path(path: &PathAnswer, answer: &PlanAnswer) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (k, stroke) in path.strokes.iter().enumerate() {
        let name = if path.strokes.len() > 1 { format!("stroke {}", k + 1) } else { "stroke".to_owned() };
        facts.push(Fact::new(name, of_stroke(stroke)));
    }
    let cost = &path.cost;
    facts.push(Fact::new(
        "cost",
        format!(
            "{:.6} rad²: joints that move {:.6}, near limits {:.6}, near singularities {:.6}, near borders of the map {:.6}, off the middle of their ranges {:.6}",
            cost.motion + cost.limits + cost.singularities + cost.borders + cost.middles,
            cost.motion,
            cost.limits,
            cost.singularities,
            cost.borders,
            cost.middles
        ),
    ));
    facts.extend(of_lifts(path));
    if path.ways + path.ways_not_found > 0 {
        let value = format!("{} ways proven free, {} not found", path.ways, path.ways_not_found);
        facts.push(Fact::new("between strokes", value));
    }
    let proven = answer.effort.proven();
    let detours = match answer.effort.touching {
        0 => "no detours were needed".to_owned(),
        count => format!("{count} between free postures touch, and the path goes around them"),
    };
    match &path.least_gap {
        None => {
            let gap = below(path.clearance.unwrap_or(f64::INFINITY));
            let value =
                format!("nothing nearer than {gap} m at any instant; {proven} motions proven, {detours}");
            facts.push(Fact::new("proof", value));
        }
        Some(gap) => {
            facts.extend(of_gap(gap));
            facts.push(Fact::new("proof", format!("{proven} motions proven free; {detours}")));
        }
    }
    for proof in &path.certificates {
        let value = match (&proof.none, proof.steps) {
            (None, Some(steps)) => format!("{} motions, {steps} steps", proof.motions),
            (why, _) => format!("none: {}", why.as_deref().unwrap_or_default()),
        };
        facts.push(Fact::new("certificate", value));
    }
    facts.extend(path.times.iter().flat_map(super::TimesAnswer::facts));
    facts
}

fn of_lifts(path: &PathAnswer) -> Option<Fact> {
    let lift = path.lift;
    if !(lift > 0.0) {
        return None;
    }
    let all = || path.lifts.iter().flatten();
    let whole = all().flatten().filter(|by| **by >= lift).count();
    let less = all().flatten().count() - whole;
    let none = all().count() - whole - less;
    let mut value = format!("{whole} ways along the tool's axis proven free over {:.1} mm", 1e3 * lift);
    if less > 0 {
        value += &format!(", {less} over less");
    }
    if none > 0 {
        value += &format!(", {none} not at all: from there the way to the next stroke begins");
    }
    Some(Fact::new("lifts", value))
}

fn of_gap(gap: &LeastGapAnswer) -> Vec<Fact> {
    let nearest =
        format!("{} ({}), proven at every instant", gap_between(gap.proven, gap.measured), gap.pair);
    let others = gap.pairs.iter().filter(|row| row.pair != gap.pair).take(GAPS);
    let others =
        others.map(|row| Fact::new("", format!("{} ({})", gap_between(row.proven, row.measured), row.pair)));
    std::iter::once(Fact::new("least gap", nearest)).chain(others).collect()
}

fn of_stroke(stroke: &StrokeAnswer) -> String {
    let [low, high] = stroke.rotation_deg;
    format!(
        "{} points{}, branch {}, rotations {low:.0} to {high:.0} deg, {:.1} deg from limits, nearness to singularities {:.3}, joints turn at most {:.2} deg from point to point",
        stroke.points,
        if stroke.closed { " and back" } else { "" },
        stroke.branches.join(" then "),
        stroke.limit_margin.unwrap_or(f64::INFINITY).to_degrees(),
        stroke.nearness,
        stroke.largest_step.to_degrees(),
    )
}

/// What is wrong with a path of which some points are inside bodies, or on them.
///
/// # Panics
/// If there are none.
pub(super) fn inside_fault(loaded: &LoadedJob, inside: &[(usize, BodyId)]) -> ReadError {
    let lines: Vec<u32> = loaded.job.path.points().map(|point| point.line).collect();
    let named: Vec<String> = inside.iter().take(NAMED).map(|(point, _)| lines[*point].to_string()).collect();
    let more =
        if inside.len() > NAMED { format!(" and {} more", inside.len() - NAMED) } else { String::new() };
    let body = &loaded.job.cell.body(inside[0].1).name;
    let what = format!(
        "{} of {} points are inside \"{body}\" or on its surface, where no tool can be free: lines {}{more}",
        inside.len(),
        lines.len(),
        named.join(", ")
    );
    let help = "offset in [path] of the job lifts the tip off the work; or are units, frame or flip wrong?";
    ReadError { path: loaded.path_file.clone(), faults: vec![Fault::of_file(what).with_help(help)] }
}
