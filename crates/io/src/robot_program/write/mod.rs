//! Robot programs, out: one file for each language.
//!
//! Lines and arcs have targets as poses, with the configuration of the posture in which the motion was proven; moves of joints have joint
//! values, or poses where those are wanted. A program that is longer than its controller takes is divided; each part begins where the one
//! before ended, so that each can be checked by itself.

mod jbi;
mod krl;
mod ls;
mod plain;
mod rapid;
mod urscript;

pub use plain::{csv, json};

use super::arm::ControlArm;
use super::config::Config;
use super::{External, Language, Speed, Zone};
use kansho_cell::ik::Tip;
use kansho_cell::route::{Law, Move, MoveKind, PoseCurve};
use kansho_geom::Pose;

/// A move to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct OutMove {
    /// How it goes.
    pub kind: OutKind,
    /// The posture of the cell in which it ends.
    pub posture: Vec<f64>,
    /// How fast.
    pub speed: Speed,
    /// How near it comes to its target.
    pub zone: Zone,
}

/// How a move goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutKind {
    /// All joints evenly.
    Joint,
    /// The tip straight.
    Linear,
    /// The tip on a circle through where it is in this pose, in the world.
    Circular(Pose),
}

/// What a user wants.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// Name of the program.
    pub name: String,
    /// Whether moves of joints have poses as targets, too.
    pub poses: bool,
    /// Name of the tool; for controllers that number them, its number.
    pub tool: String,
    /// The tip in the frame of the flange.
    pub flange_from_tip: Pose,
    /// Name of the work object, or its number.
    pub work: String,
    /// The work object in the base frame of the controller.
    pub base_from_work: Pose,
    /// Whether a controller that starts programs again at their end is kept from that. A program that is divided always does so.
    pub holds_at_end: bool,
}

impl WriteOptions {
    /// With the tool of the cell and the robot's own frame.
    #[must_use]
    pub fn new(name: &str, arm: &ControlArm<'_>) -> Self {
        Self {
            name: name.to_owned(),
            poses: false,
            tool: "1".into(),
            flange_from_tip: arm.flange_from_tool().unwrap_or(Pose::IDENTITY),
            work: "0".into(),
            base_from_work: Pose::IDENTITY,
            holds_at_end: false,
        }
    }
}

/// Files of a program, and what could not be said in its language.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Names and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// What is other than it was wanted, and why that is on the safe side.
    pub notes: Vec<String>,
}

/// Writes a program in the language of an arm's controller.
///
/// # Errors
/// Why it cannot be written: no moves, an arm that the language does not know.
pub fn program(arm: &ControlArm<'_>, moves: &[OutMove], options: &WriteOptions) -> Result<Written, String> {
    if moves.is_empty() {
        return Err("there are no moves".into());
    }
    if arm.axes() != 6 {
        return Err(format!("programs are written for arms of six axes, and this one has {}", arm.axes()));
    }
    if let Some((k, _)) =
        moves.iter().enumerate().find(|(_, one)| one.posture.iter().any(|value| !value.is_finite()))
    {
        return Err(format!("the posture of move {} is not finite", k + 1));
    }
    let language = arm.profile().language;
    let name = name_for(language, &options.name);
    let mut writer = Writer { arm, options, notes: Vec::new() };
    let is_open =
        |one: &OutMove| one.kind != OutKind::Joint && Config::of(arm, &one.posture) == Config::Unsaid;
    if language != Language::UrScript && moves.iter().any(is_open) {
        writer.note("the configurations of this arm have no names that are known, so that those of its lines are written as zeros: set them on the controller");
    }
    if arm.held().len() > External::default().len() {
        return Err(format!(
            "{} axes carry the robot, and controllers know six external ones",
            arm.held().len()
        ));
    }
    for (k, axis) in arm.held().iter().enumerate() {
        let place = format!("\"{}\", held at {} {}", axis.joint, short(axis.printed()), axis.unit());
        if language.has_external_axes() {
            writer.note(&format!(
                "external axis {} is {place}; poses are counted from where the base is with it at zero",
                k + 1
            ));
        } else {
            writer.note(&format!("{place}, is not said in this program: bring it there before it runs; poses are counted from where the base is then"));
        }
    }
    for axis in arm.other_held() {
        writer.note(&format!(
            "the cell holds {}, and the program does not say so: bring it there before it runs",
            axis.told()
        ));
    }
    if moves.iter().any(|one| matches!(writer.target(one), Printed::Axes(_)))
        && let Some(what) = arm.assumed_coupling()
    {
        writer.note(&what);
    }
    // Parts overlap by one point.
    let most = arm.profile().split.max_points.unwrap_or(usize::MAX).max(2);
    let mut parts: Vec<Vec<OutMove>> = Vec::new();
    let mut rest = moves;
    while !rest.is_empty() {
        let mut part = Vec::new();
        if let Some(last) = parts.last().and_then(|part: &Vec<OutMove>| part.last()) {
            part.push(OutMove {
                kind: OutKind::Joint,
                speed: Speed::Unsaid,
                zone: Zone::Fine,
                ..last.clone()
            });
        }
        let count = (most - part.len()).min(rest.len());
        // Points on circles are points, too; and a part ends in a stop.
        part.extend_from_slice(&rest[..count]);
        rest = &rest[count..];
        if !rest.is_empty()
            && let Some(last) = part.last_mut()
        {
            last.zone = Zone::Fine;
        }
        parts.push(part);
    }
    let mut files = Vec::new();
    let is_divided = parts.len() > 1;
    let names: Vec<String> =
        (1..=parts.len()).map(|k| if is_divided { format!("{name}_{k}") } else { name.clone() }).collect();
    let holds = arm.profile().repeats && (options.holds_at_end || is_divided);
    if holds {
        writer.note("the program holds at its end, so that the controller does not start it again: the way from its last target back to the first is not proven");
    }
    let part_holds = holds && !is_divided;
    for (part, name) in parts.iter().zip(&names) {
        files.extend(match language {
            Language::Rapid => rapid::write(&mut writer, part, name, part_holds),
            Language::Krl => krl::write(&mut writer, part, name),
            Language::Fanuc => ls::write(&mut writer, part, name),
            Language::UrScript => urscript::write(&mut writer, part, name),
            Language::Jbi => jbi::write(&mut writer, part, name, part_holds)?,
        });
    }
    if is_divided {
        files.push(match language {
            Language::Rapid => rapid::main(&names, &name, holds),
            Language::Krl => krl::main(&names, &name),
            Language::Fanuc => ls::main(&names, &name),
            Language::UrScript => urscript::main(&names, &name),
            Language::Jbi => jbi::main(&names, &name, holds),
        });
    }
    // Names in programs are in capital letters where controllers want that; names of files are as they were wished for.
    let stem = file_stem(&options.name);
    for (file, _) in &mut files {
        if let Some(rest) = file.strip_prefix(&name) {
            *file = format!("{stem}{rest}");
        }
    }
    Ok(Written { files, notes: writer.notes })
}

/// Moves of a route as moves to be written, its start first. The tip has a speed, in metres per second.
///
/// # Errors
/// A line whose end is not reached on its branch, and moves that programs do not have.
pub fn of_moves(
    arm: &ControlArm<'_>,
    tip: &Tip,
    start: &[f64],
    moves: &[Move],
    speed: Speed,
) -> Result<Vec<OutMove>, String> {
    let mut here = start.to_vec();
    let flange_from_tip = arm.world_from_flange(start).inverse() * tip.placed(arm.cell(), start);
    let mut all =
        vec![OutMove { kind: OutKind::Joint, posture: here.clone(), speed: Speed::Unsaid, zone: Zone::Fine }];
    for (k, one) in moves.iter().enumerate() {
        let kind = match &one.kind {
            MoveKind::Joints(to) => {
                here.clone_from(to);
                OutKind::Joint
            }
            MoveKind::Line(to) => {
                let from = arm.world_from_flange(&here);
                match &one.arrives {
                    Some(posture) => here.clone_from(posture),
                    None if arm.along(&from, &(*to * flange_from_tip.inverse()), &mut here) => {}
                    None => return Err(format!("move {} is not followed to its end", k + 2)),
                }
                OutKind::Linear
            }
            MoveKind::Arc { via, to } => {
                let from = arm.world_from_flange(&here) * flange_from_tip;
                let curve = PoseCurve::arc(&from, *via, to, Law::Slerp)
                    .map_err(|fault| format!("move {}: {fault}", k + 2))?;
                match &one.arrives {
                    Some(posture) => here.clone_from(posture),
                    None if arm.along_curve(&curve, &flange_from_tip, &mut here) => {}
                    None => return Err(format!("move {} is not followed to its end", k + 2)),
                }
                OutKind::Circular(Pose::of_rotation(to.rotation(), *via))
            }
            MoveKind::Spline(_) => {
                return Err(format!("move {} is a spline, which robot programs do not have", k + 2));
            }
        };
        let zone = if one.zone > 0.0 { Zone::Radius(one.zone) } else { Zone::Fine };
        all.push(OutMove { kind, posture: here.clone(), speed, zone });
    }
    let places: Vec<_> = all.iter().map(|one| tip.placed(arm.cell(), &one.posture).translation()).collect();
    for k in 1..all.len().saturating_sub(1) {
        // What a corner takes of its lines is no more than half of each. Some controllers leave out points whose corners overlap.
        if let Zone::Radius(radius) = all[k].zone {
            let shorter = places[k].distance(places[k - 1]).min(places[k].distance(places[k + 1]));
            all[k].zone = Zone::Radius(radius.min(CORNER * shorter));
        }
    }
    Ok(all)
}

/// The largest corner that is written, as a part of the shorter of its two lines: a little less than half, so that corners do not meet when
/// their numbers are rounded.
const CORNER: f64 = 0.49;

/// A name that a controller takes.
fn name_for(language: Language, name: &str) -> String {
    let kept = file_stem(name);
    match language {
        Language::Fanuc | Language::Jbi => kept.to_ascii_uppercase(),
        _ => kept,
    }
}

/// What files of a program of that name begin with: letters, digits and underscores, a letter first.
#[must_use]
pub fn file_stem(name: &str) -> String {
    let mut kept: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !kept.starts_with(|c: char| c.is_ascii_alphabetic()) {
        kept.insert(0, 'p');
    }
    // Room for the number of a part.
    kept.truncate(20);
    kept
}

struct Writer<'a> {
    arm: &'a ControlArm<'a>,
    options: &'a WriteOptions,
    notes: Vec<String>,
}

/// A target as it is printed.
enum Printed {
    /// Axes in degrees.
    Axes([f64; 6]),
    /// The tip in the work object.
    Pose(Pose, Config),
}

impl Writer<'_> {
    fn note(&mut self, what: &str) {
        if !self.notes.iter().any(|known| known == what) {
            self.notes.push(what.to_owned());
        }
    }

    fn target(&self, one: &OutMove) -> Printed {
        // URScript has no configurations: a pose would be reached in whichever posture is nearest.
        let poses = self.options.poses && self.arm.profile().language != Language::UrScript;
        let has_axes = one.kind == OutKind::Joint && !poses;
        if has_axes { Printed::Axes(self.axes_deg(&one.posture)) } else { self.pose(&one.posture) }
    }

    fn axes_deg(&self, posture: &[f64]) -> [f64; 6] {
        let axes = self.arm.to_controller(posture);
        std::array::from_fn(|k| axes[k].to_degrees())
    }

    fn pose(&self, posture: &[f64]) -> Printed {
        let world_from_tip = self.arm.world_from_flange(posture) * self.options.flange_from_tip;
        Printed::Pose(self.work_from(&world_from_tip), Config::of(self.arm, posture))
    }

    fn work_from(&self, world_from_tip: &Pose) -> Pose {
        (self.arm.world_from_targets(&self.external()) * self.options.base_from_work).inverse()
            * *world_from_tip
    }

    /// Where external axes are, as it is written with every target.
    fn external(&self) -> External {
        let mut all = External::default();
        if self.arm.profile().language.has_external_axes() {
            all.iter_mut().zip(self.arm.held()).for_each(|(at, axis)| *at = Some(axis.printed()));
        }
        all
    }

    /// The speed of a move of joints as part of what they can do.
    fn part(&self, speed: Speed) -> f64 {
        match speed {
            Speed::Part(part) => part,
            _ => self.arm.profile().joint_speed,
        }
    }
}

/// A number with so many digits, without a sign if it is zero.
fn digits(number: f64, count: usize) -> String {
    let text = format!("{number:.count$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|c| c == b'0' || c == b'.') => rest.to_owned(),
        _ => text,
    }
}

/// A number with six digits at most, and no zeros at its end: what is read again is what was proven.
fn short(number: f64) -> String {
    digits(number, 6).trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Numbers with so many digits, separated by commas.
fn list(numbers: &[f64], count: usize) -> String {
    numbers.iter().map(|number| digits(*number, count)).collect::<Vec<_>>().join(",")
}
