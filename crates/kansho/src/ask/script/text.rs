//! What came of a script, in words.

use super::answer::in_units;
use super::{DoneScript, PoseAnswer, ScriptAnswer};
use kansho_geom::glam::DVec3;
use kansho_io::fault::Paint;
use kansho_io::script::LoadedScript;
use kansho_plan::script::{Answer, Status};
use std::fmt::Write;

/// Parts of a move that are listed at most.
const LISTED: usize = 12;

impl DoneScript {
    /// A line for each move and each part of it, and what the robot makes of it.
    #[must_use]
    pub fn text(&self, paint: &impl Paint) -> String {
        self.answer().text(paint)
    }
}

impl ScriptAnswer {
    /// A line for each move and each part of it, and what the robot makes of it.
    #[must_use]
    pub fn text(&self, paint: &impl Paint) -> String {
        let mut text = String::new();
        let mut line = |words: std::fmt::Arguments<'_>| {
            writeln!(text, "{words}").expect("writing to a string succeeds");
        };
        for step in &self.steps {
            line(format_args!(
                "{}. {} {}: {}",
                step.number,
                paint.strong(step.verb),
                paint.dim(&format!("(line {})", step.line)),
                step.status
            ));
            for path in step.ways.iter().take(LISTED) {
                let PoseAnswer { xyz: [x, y, z], .. } = path.to;
                line(format_args!(
                    "     {:<9} {:>10} {:<3} to ({}, {}, {}) {}{}",
                    path.kind,
                    short(path.parameter),
                    path.unit,
                    short(x),
                    short(y),
                    short(z),
                    self.units,
                    rotation(&path.to)
                ));
            }
            if step.ways.len() > LISTED {
                line(format_args!("     and {} more", step.ways.len() - LISTED));
            }
            if let Some(poses) = &step.poses {
                line(format_args!("     poses     {}", poses.len()));
            }
            let contacts: Vec<&str> = step.contacts.iter().map(|c| c.contact.as_str()).collect();
            if !contacts.is_empty() {
                line(format_args!("     contacts  {}", contacts.join("; ")));
                line(format_args!("     free      {}", step.freedoms.words));
            }
        }
        let all = || self.steps.iter().flat_map(|step| &step.ways);
        line(format_args!(
            "proven   {} ways in {} regions; kept contacts are off by at most {:.1e} m",
            all().count(),
            all().map(|path| path.proof.regions).sum::<u64>(),
            self.drift_m
        ));
        if let Some(Some(certificate)) = &self.certificate {
            line(format_args!("certificate  {certificate}"));
        }
        text + &self.robot.as_ref().map(super::RobotAnswer::text).unwrap_or_default()
    }
}

/// Six digits, and no more zeros than needed.
fn short(x: f64) -> String {
    let text = format!("{x:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn place(loaded: &LoadedScript, p: DVec3) -> String {
    let [x, y, z] = p.to_array().map(|x| short(in_units(loaded, x)));
    format!("({x}, {y}, {z}) {}", loaded.unit)
}

fn rotation(pose: &PoseAnswer) -> String {
    let [w, x, y, z] = pose.quat;
    if w > 1.0 - 1e-15 {
        return String::new();
    }
    format!(", turned by quaternion ({w:.6}, {x:.6}, {y:.6}, {z:.6})")
}

/// Why a script does not come to its end, in a sentence.
#[must_use]
pub fn fault(loaded: &LoadedScript, answer: &Answer) -> Option<String> {
    let step = answer.steps.last()?;
    Some(match &step.status {
        Status::Reached => return None,
        Status::Blocked(block) => format!(
            "the {} is blocked: {}.{} touches {}.{} at {}, with {} at {}",
            step.verb,
            loaded.script.moved.name,
            block.features[0],
            block.body,
            block.features[1],
            place(loaded, block.point),
            loaded.script.moved.name,
            place(loaded, block.pose.translation())
        ),
        Status::Ambiguous(poses) => {
            let all: Vec<String> = poses
                .iter()
                .map(|pose| {
                    format!(
                        "{}{}",
                        place(loaded, pose.translation()),
                        rotation(&PoseAnswer::of(loaded, *pose))
                    )
                })
                .collect();
            format!("there are {} answers where one is needed: {}", poses.len(), all.join("; or "))
        }
        Status::Slips { touch, pose } => format!(
            "\"{}\" is lost on the way, with {} at {}",
            loaded.script.touches[*touch].text,
            loaded.script.moved.name,
            place(loaded, pose.translation())
        ),
        Status::NoContact { what } => format!("no contact within reach: {what}"),
        Status::Contradiction { what } => what.clone(),
        Status::Unsupported { case } => format!("unsupported: {}", case.words()),
        Status::Undecided { what } => format!("undecided: {what}"),
    })
}
