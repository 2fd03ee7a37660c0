//! Answers of `check` in words.

use super::answer::{
    CheckAnswer, FreeMotion, MotionContact, MotionVerdict, On, OnShape, OnTriangle, OpenMotion, WhyOpen,
};
use super::{DEPTH_TOLERANCE, StartContact};
use kansho_check::motion::MotionOptions;
use kansho_io::units::below;
use std::fmt::Write;

/// The answer in words, with a line feed at the end.
#[must_use]
pub fn text(answer: &CheckAnswer) -> String {
    let mut text = String::new();
    match &answer.found {
        MotionVerdict::Free(found) => free(found, &mut text),
        MotionVerdict::Touches(found) => contact(found, &mut text),
        MotionVerdict::Undecided(found) => undecided(found, &mut text),
    }
    if let Some(partial) = &answer.partial {
        super::partial::text(partial, &mut text);
    }
    if let Some(law) = &answer.law {
        let both = if answer.laws.len() > 1 { ", the worse of two" } else { "" };
        line(&mut text, format_args!("  law      {law}{both}"));
    }
    if let Some(Some(file)) = &answer.certificate {
        line(&mut text, format_args!("  proof    {file} ({} steps)", answer.certificate_steps));
    }
    text
}

fn free(found: &FreeMotion, text: &mut String) {
    let Some(nearest) = &found.nearest else {
        match found.clearance {
            None => line(text, format_args!("free: nothing that is checked can touch")),
            Some(clearance) => {
                line(text, format_args!("free, at least {} m apart everywhere", below(clearance)))
            }
        }
        return;
    };
    let clearance = below(found.clearance.unwrap_or(f64::INFINITY));
    line(text, format_args!("free, at least {clearance} m apart everywhere"));
    let (gap, pair, t, place) = (nearest.gap, &nearest.pair, nearest.t, &nearest.place);
    line(text, format_args!("  nearest  {gap:.6} m measured, {pair}, at t = {t:.6} ({place})"));
}

fn contact(found: &MotionContact, text: &mut String) {
    let is_touch = found.gap == 0.0;
    // A gap that cannot be told from a contact is one.
    let is_near = found.gap > MotionOptions::default().resolution;
    match (found.at_start, is_touch) {
        (true, true) => line(text, format_args!("in contact at the start")),
        (true, false) => line(text, format_args!("nearer than the clearance at the start")),
        (false, _) => {
            let what = if is_near { "first as near as the clearance" } else { "first contact" };
            line(text, format_args!("{what} at t = {} ({})", found.t[1], found.place));
        }
    }
    if found.start.is_empty() {
        line(text, format_args!("  pair     {}", found.pair));
    }
    for StartContact { pair, depth } in &found.start {
        let how = match depth {
            None => "touch".to_owned(),
            Some([_, most]) if *most <= DEPTH_TOLERANCE => "touch without being in each other".to_owned(),
            Some([least, most]) => format!("{:.6} m deep in each other", f64::midpoint(*least, *most)),
        };
        line(text, format_args!("  pair     {pair}: {how}"));
    }
    let gap = if is_touch { "0".to_owned() } else { format!("{:.3e}", found.gap) };
    line(text, format_args!("  gap      {gap} m"));
    for ((body, [x, y, z]), on) in found.bodies.iter().zip(found.points).zip(found.on) {
        line(text, format_args!("  point    ({x:.6}, {y:.6}, {z:.6}) on {}", on_body(on, body)));
    }
    let joints: Vec<String> =
        found.joints.iter().zip(&found.posture).map(|(joint, value)| format!("{joint} {value:.6}")).collect();
    line(text, format_args!("  posture  {}", joints.join(", ")));
}

fn on_body(on: On, body: &str) -> String {
    match on {
        On::Triangle { triangle, feature } => match feature {
            OnTriangle::Corner(k) => format!("corner {k} of triangle {triangle} of {body}"),
            OnTriangle::Edge(k) => format!("edge {k} of triangle {triangle} of {body}"),
            OnTriangle::Face => format!("triangle {triangle} of {body}"),
        },
        On::Shape(OnShape::Surface) => format!("the surface of {body}"),
        On::Shape(OnShape::Inside) => format!("{body}, one inside the other"),
    }
}

fn undecided(found: &OpenMotion, text: &mut String) {
    match (found.unreached, found.open, &found.place) {
        (Some(count), _, _) => {
            let moves =
                if count == 1 { "one move of this program is" } else { "some moves of this program are" };
            line(text, format_args!("undecided: {moves} never reached; those that are reached are free"));
        }
        (None, Some([from, to]), Some(place)) => {
            line(text, format_args!("undecided from t = {from} to {to} ({place})"));
            if let Some(why) = found.why {
                let why = match why {
                    WhyOpen::Time => "the time for the answer ran out",
                    WhyOpen::Corner => "not every path inside this rounded corner could be proven free",
                    WhyOpen::Long => {
                        "the motion is too long to be proven in as many steps as are allowed: divide it, and check the parts"
                    }
                    WhyOpen::Near => {
                        "bodies come so near to each other, or to the clearance, that neither could be shown in as many steps as are allowed"
                    }
                };
                line(text, format_args!("  why      {why}"));
            }
        }
        (None, None, Some(place)) => line(
            text,
            format_args!(
                "undecided: not every posture in this rounded corner could be proven free ({place})"
            ),
        ),
        _ => line(text, format_args!("undecided: not all of this program is proven")),
    }
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    writeln!(text, "{words}").expect("writing to a string succeeds");
}
