//! What is said of a plan.

use super::{Fact, PlanResult};
use crate::fault::{Fault, ReadError};
use crate::job::LoadedJob;
use crate::people::gap_between;
use crate::units::below;
use kansho_cell::BodyId;
use kansho_check::scene::PairId;
use kansho_plan::cam::{
    Blocked, NoPath, Planned, PlannedPath, PlannedRun, PlannedStroke, SearchEffort, State, Undecided,
    Weights, WhyNoPath, WhyUndecided,
};
use kansho_verify::AnyCertificate;
use serde_json::{Value, json};

/// Points that are named in a message, at most.
pub const NAMED: usize = 20;

/// What is said of a plan, to people and to programs.
#[derive(Clone, Debug)]
pub struct PlanTold {
    /// "path", "no_path" or "undecided".
    pub word: &'static str,
    /// A sentence.
    pub verdict: String,
    /// Facts in sections, as the report has them.
    pub sections: Vec<(&'static str, Vec<Fact>)>,
    /// All of it as one JSON object.
    pub json: Value,
}

impl PlanTold {
    /// Sentence and facts as lines.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.verdict);
        for Fact { name, value } in self.sections.iter().flat_map(|(_, facts)| facts) {
            text += &format!("  {name:<14} {value}\n");
        }
        text
    }
}

/// What is to be said of a plan.
#[must_use]
pub fn told(done: &PlanResult<'_>) -> PlanTold {
    let map = of_map(done);
    let mut json = json!({ "map": map.1 });
    let (word, verdict, facts, effort) = match done.planned {
        Planned::Path(path) => {
            let (facts, of_path) = of_path(done, path);
            json["path"] = of_path;
            let closed = if path.strokes.iter().all(|stroke| stroke.closed) { "closed " } else { "" };
            let laws = done.job.laws;
            let along = match done.is_lin {
                true => format!(" along straight lines of the tool ({laws})"),
                false => String::new(),
            };
            json["motion"] = json!(if done.is_lin { "lin" } else { "ptp" });
            if done.is_lin {
                json["laws"] = json!(laws.each().iter().map(ToString::to_string).collect::<Vec<_>>());
            }
            let verdict = format!(
                "a {closed}path, proven free: {} points, {} motions{along}",
                done.job.path.len(),
                path.effort.edges - path.effort.touching - path.effort.undecided,
            );
            ("path", verdict, facts, &path.effort)
        }
        Planned::NoPath(none) => {
            let (verdict, facts, of_none) = of_none(done, none);
            json["no_path"] = of_none;
            ("no_path", verdict, facts, &none.effort)
        }
        Planned::Undecided(Undecided { why, effort }) => {
            json["undecided"] = of_undecided(why);
            ("undecided", format!("undecided: {}", why_undecided(done.job, why)), Vec::new(), effort)
        }
    };
    json["verdict"] = json!(word);
    json["effort"] = of_effort(effort);
    let mut sections = vec![("Map", map.0)];
    if !facts.is_empty() {
        sections.insert(0, (if word == "path" { "Path" } else { "Why" }, facts));
    }
    PlanTold { word, verdict, sections, json }
}

/// Why nobody knows whether there is a path, and what may help, in words.
#[must_use]
pub fn why_undecided(job: &LoadedJob, why: &WhyUndecided) -> String {
    match why {
        WhyUndecided::Time => "the time limit was reached".into(),
        WhyUndecided::Arm(what) => format!("the tool cannot be led along straight lines: {what}"),
        WhyUndecided::RoundedJointMoves => {
            "how a controller rounds corners between joint moves (kind = \"ptp\") is not known: set zone = 0"
                .into()
        }
        WhyUndecided::Searches { stroke, most } => format!(
            "in {most} searches of stroke {} every path had a motion that is not free: finer rotations or a smaller clearance may help",
            stroke + 1
        ),
        WhyUndecided::Motions { stroke } => format!(
            "every path of stroke {} that is left has a motion that is neither proven free nor found to touch",
            stroke + 1
        ),
        WhyUndecided::Corners { points, what } => {
            let numbers: Vec<f64> = points.iter().map(|point| *point as f64).collect();
            let place = match numbers.len() {
                0 => String::new(),
                1 => format!(" at point {}", runs(&numbers, 1.0, "")),
                _ => format!(" at points {}", runs(&numbers, 1.0, "")),
            };
            let help = if job.zone > 0.0 {
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

fn of_undecided(why: &WhyUndecided) -> Value {
    match why {
        WhyUndecided::Time => json!({ "why": "time" }),
        WhyUndecided::Arm(what) => json!({ "why": "arm", "what": what }),
        WhyUndecided::RoundedJointMoves => json!({ "why": "rounded_joint_moves" }),
        WhyUndecided::Searches { stroke, most } => {
            json!({ "why": "searches", "stroke": stroke, "searches": most })
        }
        WhyUndecided::Motions { stroke } => json!({ "why": "motions", "stroke": stroke }),
        WhyUndecided::Corners { points, what } => json!({ "why": "corners", "points": points, "what": what }),
    }
}

fn of_effort(effort: &SearchEffort) -> Value {
    json!({
        "states": effort.states, "passes": effort.passes, "searches": effort.searches,
        "motions": effort.edges, "touching": effort.touching, "undecided": effort.undecided,
    })
}

fn of_map(done: &PlanResult<'_>) -> (Vec<Fact>, Value) {
    let map = done.map;
    let cells = map.cells().len();
    let count = |state: State| map.cells().iter().filter(|cell| cell.state == state).count();
    let part = |state: State| format!("{:.1} %", 100.0 * count(state) as f64 / cells.max(1) as f64);
    let mut facts = vec![
        Fact::new(
            "cells",
            format!("{cells}: {} points, {} stances of the tool", map.points(), map.stances()),
        ),
        Fact::new(
            "of these",
            format!(
                "{} free, {} collide, {} beyond joint limits, {} out of reach",
                part(State::Free),
                part(State::Collides),
                part(State::Limit),
                part(State::OutOfReach)
            ),
        ),
        Fact::new("postures", format!("{} looked at", map.postures)),
    ];
    let constant = map.constant();
    let mut degrees: Vec<f64> =
        constant.iter().map(|(_, stance)| done.job.axis.rotation(*stance).to_degrees().round()).collect();
    degrees.sort_by(f64::total_cmp);
    degrees.dedup();
    let step = done.job.axis.step().to_degrees().max(1.0);
    let value =
        if degrees.is_empty() { "none is free at every point".into() } else { runs(&degrees, step, " deg") };
    facts.push(Fact::new("constant", value));
    let json = json!({
        "cells": cells, "points": map.points(), "stances": map.stances(), "postures": map.postures,
        "free": count(State::Free), "collides": count(State::Collides), "limit": count(State::Limit),
        "out_of_reach": count(State::OutOfReach), "unknown": count(State::Unknown),
        "constant_rotations_deg": degrees, "bytes": map.bytes(),
    });
    (facts, json)
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

fn of_path(done: &PlanResult<'_>, path: &PlannedPath) -> (Vec<Fact>, Value) {
    let mut facts = Vec::new();
    let mut strokes = Vec::new();
    for (k, stroke) in path.strokes.iter().enumerate() {
        let name = if path.strokes.len() > 1 { format!("stroke {}", k + 1) } else { "stroke".to_owned() };
        let (value, json) = of_stroke(done, stroke);
        facts.push(Fact::new(name, value));
        strokes.push(json);
    }
    let cost = path.strokes.iter().fold([0.0; 4], |sum, stroke| {
        let c = stroke.cost;
        [sum[0] + c.motion, sum[1] + c.limits, sum[2] + c.singular, sum[3] + c.border]
    });
    facts.push(Fact::new(
        "cost",
        format!(
            "{:.6} rad²: joints that move {:.6}, near limits {:.6}, near singularities {:.6}, near borders of the map {:.6}",
            cost.iter().sum::<f64>(),
            cost[0],
            cost[1],
            cost[2],
            cost[3]
        ),
    ));
    let lift = done.job.lift;
    if lift > 0.0 {
        let all = || path.lifts.iter().flatten();
        let whole = all().flatten().filter(|one| one.by >= lift).count();
        let less = all().flatten().count() - whole;
        let none = all().count() - whole - less;
        let mut value = format!("{whole} ways along the tool's axis proven free over {:.1} mm", 1e3 * lift);
        if less > 0 {
            value += &format!(", {less} over less");
        }
        if none > 0 {
            value += &format!(", {none} not at all: from there the way to the next stroke begins");
        }
        facts.push(Fact::new("lifts", value));
    }
    let missing = path.links.iter().filter(|link| link.is_none()).count();
    if !path.links.is_empty() {
        facts.push(Fact::new(
            "between strokes",
            format!("{} ways proven free, {missing} not found", path.links.len() - missing),
        ));
    }
    let proven = path.effort.edges - path.effort.touching - path.effort.undecided;
    let detours = match path.effort.touching {
        0 => "no detours were needed".to_owned(),
        count => format!("{count} between free postures touch, and the path goes around them"),
    };
    let mut of_gaps = Value::Null;
    match done.gaps {
        None => facts.push(Fact::new(
            "proof",
            format!(
                "nothing nearer than {} m at any instant; {proven} motions proven, {detours}",
                below(path.clearance)
            ),
        )),
        Some(gaps) => {
            let pair = |pair: PairId| (done.pair_name)(pair);
            let (measured, nearest) = gaps.measured;
            facts.push(Fact::new(
                "least gap",
                format!(
                    "{} ({}), proven at every instant",
                    gap_between(gaps.proven, measured),
                    pair(nearest)
                ),
            ));
            let others = gaps.pairs.iter().filter(|row| row.pair != nearest);
            for row in others.take(3) {
                facts.push(Fact::new(
                    "",
                    format!("{} ({})", gap_between(row.proven, row.measured), pair(row.pair)),
                ));
            }
            facts.push(Fact::new("proof", format!("{proven} motions proven free; {detours}")));
            of_gaps = json!({
                "proven": gaps.proven, "measured": measured, "pair": pair(nearest),
                "pairs": gaps.pairs.iter()
                    .map(|row| json!({ "pair": pair(row.pair), "proven": row.proven, "measured": row.measured }))
                    .collect::<Vec<_>>(),
            });
        }
    }
    let mut proofs = Vec::new();
    for (run, certified) in path.runs.iter().zip(done.certificates) {
        let motions = match run {
            PlannedRun::Joints(motion) => motion.pieces().len(),
            PlannedRun::Tool { moves, .. } => moves.len(),
        };
        let steps = certified.as_ref().map_or(0, AnyCertificate::steps);
        let value = match certified {
            Ok(_) => {
                proofs.push(json!({ "motions": motions, "steps": steps }));
                format!("{motions} motions, {steps} steps")
            }
            Err(why) => {
                proofs.push(json!({ "motions": motions, "none": why }));
                format!("none: {why}")
            }
        };
        facts.push(Fact::new("certificate", value));
    }
    let (times, of_times) = super::times::told(done.job, done.times);
    facts.extend(times);
    let json = json!({
        "strokes": strokes, "times": of_times, "least_gap": of_gaps,
        "lifts": path.lifts.iter().map(|of| of.each_ref().map(|lift| lift.as_ref().map(|lift| lift.by))).collect::<Vec<_>>(), "clearance": path.clearance, "certificates": proofs, "ways_not_found": missing,
        "cost": { "motion": cost[0], "limits": cost[1], "singularities": cost[2], "borders": cost[3] },
    });
    (facts, json)
}

fn of_stroke(done: &PlanResult<'_>, stroke: &PlannedStroke) -> (String, Value) {
    let mut branches: Vec<String> = stroke.branches.iter().map(ToString::to_string).collect();
    branches.dedup();
    let degrees: Vec<f64> =
        stroke.stances.iter().map(|stance| done.job.axis.rotation(*stance).to_degrees()).collect();
    let low = degrees.iter().copied().fold(f64::INFINITY, f64::min);
    let high = degrees.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let text = format!(
        "{} points{}, branch {}, rotations {low:.0} to {high:.0} deg, {:.1} deg from limits, nearness to singularities {:.3}, joints turn at most {:.2} deg from point to point",
        stroke.postures.len(),
        if stroke.closed { " and back" } else { "" },
        branches.join(" then "),
        stroke.limit_margin.to_degrees(),
        stroke.nearness,
        stroke.largest_step.to_degrees(),
    );
    let json = json!({
        "points": stroke.postures.len(), "closed": stroke.closed, "branches": branches,
        "rotation_deg": [low, high], "limit_margin": stroke.limit_margin, "nearness": stroke.nearness,
        "largest_step": stroke.largest_step,
    });
    (text, json)
}

fn of_none(done: &PlanResult<'_>, none: &NoPath) -> (String, Vec<Fact>, Value) {
    let lines: Vec<u32> = done.job.path.points().map(|point| point.line).collect();
    let of_line =
        |point: usize| if lines[point] > 0 { format!(" (line {})", lines[point]) } else { String::new() };
    match &none.why {
        WhyNoPath::Blocked(blocked) => {
            let points: Vec<f64> = blocked.iter().map(|blocked| blocked.point as f64).collect();
            let several = if points.len() > 1 { "s" } else { "" };
            let near = match done.job.clearance {
                0.0 => "collides".to_owned(),
                gap => format!("collides or comes closer than {} mm", 1e3 * gap),
            };
            let closest = closest(done, blocked).map_or(String::new(), |closest| format!(". {closest}"));
            let collides = blocked.iter().any(|at| !at.pairs.is_empty());
            let cannot = blocked.iter().any(|at| at.limit + at.out_of_reach > 0);
            let why = match (collides, cannot) {
                (true, true) => format!("the tool {near} in every rotation, or cannot be reached"),
                (true, false) => format!("the tool {near} in every rotation"),
                (false, _) => "no rotation of the tool can be reached within joint limits".to_owned(),
            };
            let verdict = format!(
                "no path: at point{several} {} ({} of {}) {why}{closest}{}",
                runs(&points, 1.0, ""),
                points.len(),
                lines.len(),
                flip_hint(done, blocked),
            );
            let facts = blocked.iter().take(NAMED).map(|blocked| {
                let name = format!("point {}", blocked.point);
                Fact::new(name, of_blocked(done, blocked) + &of_line(blocked.point))
            });
            let json = json!({
                "why": "blocked",
                "points": blocked.iter().map(|blocked| json!({
                    "point": blocked.point, "line": lines[blocked.point],
                    "out_of_reach": blocked.out_of_reach, "limit": blocked.limit,
                    "pairs": blocked.pairs.iter()
                        .map(|(pair, count)| json!({
                            "pair": (done.pair_name)(*pair), "stances": count,
                            "least_depth": done.least_depth(blocked.point, *pair).map(|(_, depth)| depth),
                        }))
                        .collect::<Vec<_>>(),
                })).collect::<Vec<_>>(),
            });
            (verdict, facts.collect(), json)
        }
        WhyNoPath::Between { point } => {
            let verdict = format!(
                "no path: every point is free in some stance, but none leads on from point {point}{} to the next, with joints that turn by no more than {:.0} deg from point to point",
                of_line(*point),
                Weights::default().most.to_degrees()
            );
            (verdict, Vec::new(), json!({ "why": "between", "point": point, "line": lines[*point] }))
        }
        WhyNoPath::NotClosed => (
            "no path: ways lead along the stroke, but none comes back to the posture in which it began"
                .to_owned(),
            Vec::new(),
            json!({ "why": "not_closed" }),
        ),
    }
}

/// The pair that comes nearest to being free at the blocked points that were measured.
fn closest(done: &PlanResult<'_>, blocked: &[Blocked]) -> Option<String> {
    let all = blocked.iter().flat_map(|at| {
        let of = |(pair, _): &(PairId, usize)| Some((done.least_depth(at.point, *pair)?, at.point, *pair));
        at.pairs.iter().filter_map(of).collect::<Vec<_>>()
    });
    let ((_, depth), point, pair) = all.min_by(|a, b| a.0.1[1].total_cmp(&b.0.1[1]).then(a.1.cmp(&b.1)))?;
    let name = (done.pair_name)(pair).replace('|', " to ");
    Some(format!("Closest: {name}, {} at point {point}", depth_in_words(depth)))
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

/// If the tool is deep in something at every point, perhaps it points the wrong way.
fn flip_hint(done: &PlanResult<'_>, blocked: &[Blocked]) -> &'static str {
    let of_tool = format!("{}/tool", done.job.robot);
    let is_deep = |at: &Blocked| {
        at.pairs.iter().any(|(pair, _)| {
            (done.pair_name)(*pair).split('|').any(|name| name == of_tool)
                && done.least_depth(at.point, *pair).is_none_or(|(_, [least, _])| least > 0.0)
        })
    };
    if blocked.len() == done.job.path.len() && blocked.iter().all(|at| at.pairs.is_empty()) {
        return ". That holds for every point: look at the units and the frame of the path; if its directions point out of the work, set flip = true in [path]";
    }
    let reached: Vec<&Blocked> = blocked.iter().filter(|at| !at.pairs.is_empty()).collect();
    if blocked.len() == done.job.path.len() && !reached.is_empty() && reached.iter().all(|at| is_deep(at)) {
        ". The tool collides at every point: if the path's directions point out of the work, set flip = true in [path]"
    } else {
        ""
    }
}

fn of_blocked(done: &PlanResult<'_>, blocked: &Blocked) -> String {
    let of_pair = |(pair, count): &(PairId, usize)| {
        let deep = done.least_depth(blocked.point, *pair).map_or(String::new(), |(stance, depth)| {
            format!(
                ", {} where least, at {:.0} deg",
                depth_in_words(depth),
                done.job.axis.rotation(stance).to_degrees()
            )
        });
        format!("{} in {count} stances{deep}", (done.pair_name)(*pair))
    };
    let mut words: Vec<String> = blocked.pairs.iter().map(of_pair).collect();
    if blocked.limit > 0 {
        words.push(format!("joint limits in {}", blocked.limit));
    }
    if blocked.out_of_reach > 0 {
        words.push(format!("out of reach in {}", blocked.out_of_reach));
    }
    words.join(", ")
}

/// What is wrong with a path of which some points are inside bodies, or on them.
///
/// # Panics
/// If there are none.
#[must_use]
pub fn inside_fault(job: &LoadedJob, inside: &[(usize, BodyId)]) -> ReadError {
    let lines: Vec<u32> = job.path.points().map(|point| point.line).collect();
    let named: Vec<String> = inside.iter().take(NAMED).map(|(point, _)| lines[*point].to_string()).collect();
    let more =
        if inside.len() > NAMED { format!(" and {} more", inside.len() - NAMED) } else { String::new() };
    let body = &job.cell.cell.body(inside[0].1).name;
    let what = format!(
        "{} of {} points are inside \"{body}\" or on its surface, where no tool can be free: lines {}{more}",
        inside.len(),
        lines.len(),
        named.join(", ")
    );
    let help = "offset in [path] of the job lifts the tip off the work; or are units, frame or flip wrong?";
    ReadError { path: job.path_file.clone(), faults: vec![Fault::of_file(what).with_help(help)] }
}
