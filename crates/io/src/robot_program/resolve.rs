//! From what a program says to a motion of a cell.

mod parts;

pub use parts::{ResolvedParts, resolve_parts};

use super::arm::ControlArm;
use super::config::Config;
use super::path_frame;
use super::profile::JointCorners;
use super::{Closing, Language, MotionKind, Note, ProgramMove, RobotProgram, Speed, Target, Zone};
use kansho_cell::ik::{Branch, Tip};
use kansho_cell::route::{Move, MoveKind};
use kansho_geom::Pose;
use std::sync::Arc;

/// What a program leaves open.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResolveOptions {
    /// Whether corners whose rounding cannot be bounded are taken as if the robot stopped there; otherwise they are refused.
    pub fine: bool,
    /// Whether a tool that the program only names is taken to be that of the cell; otherwise it is refused.
    pub tool_of_cell: bool,
    /// Whether moves that are never reached are left to whoever asks; otherwise they are refused.
    pub unreached: bool,
    /// How near to a point the tip leaves its lines where a controller rounds corners in a way of its own (CNT, PL), in metres.
    pub smooth: Option<f64>,
    /// The branch on which the first target is reached, if it does not say.
    pub branch: Option<Branch>,
    /// Whether postures at the ends of lines are worked out, too.
    pub postures: bool,
    /// Whether rounded corners between two moves of all joints are listed in [`Resolved::joint_corners`], to be proven by whoever asks; otherwise they are
    /// refused.
    pub joint_corners: bool,
    /// Whether targets in joint values may be outside the limits of the joints, and are told; otherwise they are refused.
    pub outside_limits: bool,
}

/// A motion of a cell.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What is led along lines and arcs.
    pub tip: Tip,
    /// The posture in which it begins: the first target.
    pub start: Vec<f64>,
    /// What follows. Move 1 of the program is the start; move 2 stands first here.
    pub moves: Vec<Move>,
    /// Lines of all moves of the program, the first one included.
    pub lines: Vec<u32>,
    /// Seconds of each of `moves` at the speed that is programmed, without speeding up and slowing down; none if nothing is said.
    pub seconds: Vec<Option<f64>>,
    /// What is odd, or taken for granted.
    pub notes: Vec<Note>,
    /// Targets as postures, where they are known: joint targets, poses with a configuration, and ends of lines that were followed.
    pub postures: Vec<Option<Vec<f64>>>,
    /// Rounded corners between two moves of all joints, of which the moves stop here.
    pub joint_corners: Vec<CornerOfJoints>,
}

/// A rounded corner between two moves of all joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CornerOfJoints {
    /// Which target, counted from 0: the start is 0.
    pub target: usize,
    /// How near to it the tip leaves its way, in metres; none if that is not known.
    pub radius: Option<f64>,
    /// How much of each of the two moves the corner may reach over, at most.
    pub most: f64,
    /// The tip that this is about.
    pub tip: Tip,
}

/// Works out which motion of a cell a program is.
///
/// # Errors
/// What is not understood and could move the robot; targets that are out of reach, outside their limits or contradict their
/// configuration; corners that cannot be bounded.
pub fn resolve(
    program: &RobotProgram,
    arm: &ControlArm<'_>,
    options: &ResolveOptions,
) -> Result<Resolved, Vec<Note>> {
    let mut faults: Vec<Note> = program.notes.iter().filter(|note| note.moves).cloned().collect();
    if !options.unreached {
        faults.extend(program.unreached.iter().cloned());
    }
    let fault = |line: u32, what: String| Note { line, what, moves: true };
    if program.moves.is_empty() {
        faults.push(fault(1, "there is no move in this program that is understood".into()));
    }
    let mut resolver =
        Resolver { arm, options, notes: Vec::new(), tip: None, tools: Vec::new(), joint_corner: None };
    let mut made = Resolved {
        tip: arm.tip(&Pose::IDENTITY),
        start: Vec::new(),
        moves: Vec::new(),
        lines: program.moves.iter().map(|one| one.line).collect(),
        seconds: Vec::new(),
        notes: Vec::new(),
        postures: Vec::new(),
        joint_corners: Vec::new(),
    };
    let mut here = arm.cell().zero_posture();
    let mut known = false;
    // Whether some target is reached as the robot stands then: only for these postures on lines have to be known.
    let open = |one: &ProgramMove| {
        one.kind == MotionKind::Joint
            && matches!(
                one.to,
                Target::Pose(
                    _,
                    Config::Unsaid | Config::Kuka { status: None, .. } | Config::Kuka { turn: None, .. }
                )
            )
    };
    let follows = options.postures
        || options.joint_corners
        || !program.closing.is_empty()
        || program.moves.iter().any(open);
    // Where the flange is in the world.
    let mut flange = arm.world_from_flange(&here);
    for (k, one) in program.moves.iter().enumerate() {
        let next = program.moves.get(k + 1);
        match resolver.one(one, &here, known, &flange, k == 0, next) {
            Ok(done) => {
                if let Some((radius, tip)) = resolver.joint_corner.take() {
                    made.joint_corners.push(CornerOfJoints { target: k, radius, most: most_of(arm), tip });
                }
                match &done.posture {
                    Some(posture) => {
                        here.clone_from(posture);
                        known = true;
                    }
                    None if follows => known &= follow(arm, &flange, &done, &mut here),
                    None => known = false,
                }
                flange = done.world_from_flange;
                made.postures.push(known.then(|| here.clone()));
                if k == 0 {
                    made.start = here.clone();
                } else {
                    made.seconds.push(done.seconds);
                    made.moves.push(done.made);
                }
            }
            Err(what) => faults.push(fault(one.line, what)),
        }
    }
    if faults.is_empty() {
        let differ =
            program.closing.iter().filter_map(|closing| Some((closing, differs(closing, &made.postures)?)));
        faults.extend(differ.map(|(closing, what)| fault(closing.line, what.into())));
    }
    if !faults.is_empty() {
        faults.sort_by_key(|note| note.line);
        return Err(faults);
    }
    made.notes = resolver.notes;
    let is_pose = |one: &&ProgramMove| matches!(one.to, Target::Pose(..));
    if let Some(what) = arm.assumed_base()
        && let Some(first) = program.moves.iter().find(is_pose)
    {
        made.notes.push(Note { line: first.line, what, moves: false });
    }
    if let Some((tip, _)) = resolver.tip {
        made.tip = tip;
    } else if let Some(tool) = arm.flange_from_tool() {
        made.tip = arm.tip(&tool);
    }
    Ok(made)
}

/// How much of a move a corner may reach over: ABB and KUKA end it in the middle.
fn most_of(arm: &ControlArm<'_>) -> f64 {
    match arm.profile().language {
        Language::Rapid | Language::Krl => 0.5,
        Language::Fanuc | Language::UrScript | Language::Jbi => 1.0,
    }
}

/// How far joints may be apart in the same posture, in radians or metres: what following lines rounds.
const SAME_POSTURE: f64 = 1e-6;

/// Why rounds that end in two moves may not be alike for the robot.
fn differs(closing: &Closing, postures: &[Option<Vec<f64>>]) -> Option<&'static str> {
    let [a, b] = closing.ends.map(|end| postures[end].as_ref());
    let (Some(a), Some(b)) = (a, b) else {
        return Some(
            "no target of this endless loop says in which posture the robot arrives, and that is not known at the end of its rounds: reach one target by joint values",
        );
    };
    let is_same = a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME_POSTURE);
    (!is_same).then_some(
        "the robot ends each round of this endless loop in another posture, so the rounds differ: reach one target by joint values",
    )
}

/// Follows a line on its branch; whether that is known for certain. On arcs it is not.
fn follow(arm: &ControlArm<'_>, from: &Pose, done: &Done, here: &mut Vec<f64>) -> bool {
    matches!(done.made.kind, MoveKind::Line(_)) && arm.along(from, &done.world_from_flange, here)
}

struct Resolver<'a> {
    arm: &'a ControlArm<'a>,
    options: &'a ResolveOptions,
    notes: Vec<Note>,
    /// The tip that lines and arcs lead, and the line in which it was first led.
    tip: Option<(Tip, u32)>,
    /// The corner between two moves of all joints that was met last.
    joint_corner: Option<(Option<f64>, Tip)>,
    /// Tools that were looked at.
    tools: Vec<(Arc<super::Frame>, Pose)>,
}

struct Done {
    made: Move,
    posture: Option<Vec<f64>>,
    world_from_flange: Pose,
    seconds: Option<f64>,
}

/// What is taken for granted in corners between two moves of all joints.
const SYNCHRONISED: &str = "assumed: in rounded corners between two joint moves the axes stay synchronised, so that the robot stays in the triangle of joint space between the two moves beside it (joint_corners in a profile)";

/// What is told where a line leads another tool.
const TWO_TOOLS: &str = "this line leads another tool than line";

/// How far a tool of a program may be from the one of the cell before that is told, in metres and as entries of a rotation.
const SAME_TOOL: f64 = 1e-5;

impl Resolver<'_> {
    fn one(
        &mut self,
        one: &ProgramMove,
        here: &[f64],
        known: bool,
        flange: &Pose,
        is_first: bool,
        next: Option<&ProgramMove>,
    ) -> Result<Done, String> {
        let arm = self.arm;
        // Where joints go from one value to another, it does not matter which tool is meant.
        let is_joints = one.kind == MotionKind::Joint && matches!(one.to, Target::Joints(_));
        let flange_from_tip = match one.tool.at {
            None if is_joints => arm.flange_from_tool().unwrap_or(Pose::IDENTITY),
            _ => self.tool(one)?,
        };
        let base_from_work = match one.work.at {
            Some(at) => at,
            None if is_joints => Pose::IDENTITY,
            None => {
                let name = &one.work.name;
                return Err(format!(
                    "the work object '{name}' is not defined in this file: give it in a profile, [work.{}]",
                    as_key(name)
                ));
            }
        };
        if let Some(what) = arm.external(&one.external)?
            && !self.notes.iter().any(|note| note.what == what)
        {
            self.notes.push(Note { line: one.line, what, moves: false });
        }
        let world_from_work = arm.world_from_targets(&one.external) * base_from_work;
        let world_from_tip_before = *flange * flange_from_tip;
        let (posture, world_from_flange) = match &one.to {
            Target::Joints(axes) => {
                if axes.len() != arm.axes() {
                    return Err(format!(
                        "{} axes, but robot \"{}\" has {}",
                        axes.len(),
                        arm.robot(),
                        arm.axes()
                    ));
                }
                let posture = arm.from_controller(axes, here);
                self.limits(&posture, one.line)?;
                let at = arm.world_from_flange(&posture);
                (Some(posture), at)
            }
            Target::Pose(pose, config) => {
                let world_from_flange = world_from_work * *pose * flange_from_tip.inverse();
                let goes_joints = is_first || one.kind == MotionKind::Joint;
                let says =
                    *config != Config::Unsaid && !matches!(config, Config::Kuka { .. } if !goes_joints);
                let posture = if goes_joints {
                    let config = *config;
                    let near = one.near.as_ref().filter(|axes| axes.len() == arm.axes());
                    let near = near.map(|axes| arm.from_controller(axes, here));
                    let (here, known) = (near.as_deref().unwrap_or(here), known || near.is_some());
                    match arm.reached(&world_from_flange, config, here, known, false) {
                        Err(what) if is_first && config == Config::Unsaid => {
                            Some(self.first(&world_from_flange, here).map_err(|_| what)?)
                        }
                        other => Some(other?),
                    }
                } else if says && one.insists {
                    Some(arm.reached(&world_from_flange, *config, here, known, true)?)
                } else {
                    None
                };
                (posture, world_from_flange)
            }
        };
        let world_from_tip = world_from_flange * flange_from_tip;
        let zone = if is_first {
            if next.is_some() && !matches!(one.zone, Zone::Fine) {
                let what = "the corner at the first target is rounded: how, depends on the way to it, which is not looked at";
                self.notes.push(Note { line: one.line, what: what.into(), moves: false });
            }
            0.0
        } else {
            let length = world_from_tip_before.translation().distance(world_from_tip.translation());
            self.joint_corner = None;
            let tip = arm.tip(&flange_from_tip);
            self.zone(one, next, length, &world_from_tip, here, (known, tip))?
        };
        let is_led = !is_first && one.kind != MotionKind::Joint;
        if is_led {
            let tip = arm.tip(&flange_from_tip);
            match &self.tip {
                None => self.tip = Some((tip, one.line)),
                Some((known, line)) if *known != tip => {
                    return Err(format!(
                        "{TWO_TOOLS} {line}: programs with two tools on lines are not understood"
                    ));
                }
                Some(_) => {}
            }
        }
        let distance = world_from_tip_before.translation().distance(world_from_tip.translation());
        let mut length = distance;
        let made = match (&one.kind, &posture) {
            (MotionKind::Joint, Some(posture)) => Move::joints(posture.clone()),
            (MotionKind::Joint, None) => unreachable!("moves of joints have a posture"),
            (MotionKind::Linear, _) => Move::line(world_from_tip),
            (MotionKind::Circular(via), _) => {
                let via = (world_from_work * *via).translation();
                if one.path_frame {
                    path_frame::is_plain(&world_from_tip_before, via, &world_from_tip)?;
                }
                length = via.distance(world_from_tip_before.translation())
                    + via.distance(world_from_tip.translation());
                Move::arc(via, world_from_tip)
            }
        };
        // A line that is not rounded has to arrive where its configuration says.
        let made = match &posture {
            Some(posture) if is_led && zone == 0.0 => made.arriving_at(posture.clone()),
            _ => made,
        };
        let seconds = match one.speed {
            Speed::Tip(speed) if speed > 0.0 => Some(length / speed),
            Speed::Seconds(seconds) => Some(seconds),
            Speed::Part(part) if part > 0.0 => posture.as_ref().and_then(|to| {
                let of = |k: usize| {
                    Some((to[k] - here[k]).abs() / (arm.cell().coordinates()[k].max_speed? * part))
                };
                (0..to.len()).map(of).try_fold(0.0, |most: f64, secs| Some(most.max(secs?)))
            }),
            _ => None,
        };
        Ok(Done { made: made.with_zone(zone), posture, world_from_flange, seconds })
    }

    /// The first target, on the branch that is wished for.
    fn first(&self, world_from_flange: &Pose, here: &[f64]) -> Result<Vec<f64>, String> {
        let branch = self.options.branch.ok_or("no branch is wished for")?;
        self.arm.reached_on(world_from_flange, branch, here)
    }

    fn limits(&mut self, posture: &[f64], line: u32) -> Result<(), String> {
        let cell = self.arm.cell();
        for outside in crate::limits::all_outside(cell, posture) {
            let what = outside.what;
            if !self.options.outside_limits {
                return Err(format!("{what}; {}", crate::limits::HELP));
            }
            self.notes.push(Note { line, what, moves: false });
        }
        Ok(())
    }

    fn tool(&mut self, one: &ProgramMove) -> Result<Pose, String> {
        if let Some((_, pose)) =
            self.tools.iter().rev().take(64).find(|(known, _)| Arc::ptr_eq(known, &one.tool))
        {
            return Ok(*pose);
        }
        let of_cell = self.arm.flange_from_tool();
        let name = &one.tool.name;
        let pose = match (one.tool.at, of_cell) {
            (Some(at), of_cell) => {
                let far = of_cell.filter(|of_cell| {
                    of_cell.to_rows().iter().zip(at.to_rows()).any(|(a, b)| (a - b).abs() > SAME_TOOL)
                });
                if let Some(of_cell) = far {
                    let by = of_cell.translation().distance(at.translation()) * 1e3;
                    let what = format!(
                        "the tool '{name}' has its tip {by:.3} mm from that of the cell, or is turned otherwise: the program's counts"
                    );
                    self.notes.push(Note { line: one.line, what, moves: false });
                }
                at
            }
            (None, Some(of_cell)) if self.options.tool_of_cell => {
                let what = format!(
                    "the tool '{name}' is not defined in this file, and is taken to be that of the cell (⟦tool-of-cell⟧)"
                );
                self.notes.push(Note { line: one.line, what, moves: false });
                of_cell
            }
            (None, Some(_)) => {
                return Err(format!(
                    "the tool '{name}' is not defined in this file: give it in a profile, [tools.{}], or take that of the cell by ⟦tool-of-cell⟧",
                    as_key(name)
                ));
            }
            (None, None) => {
                return Err(format!(
                    "the tool '{name}' is not defined in this file, and the cell has none: give it in a profile, [tools.{}]",
                    as_key(name)
                ));
            }
        };
        self.tools.push((Arc::clone(&one.tool), pose));
        Ok(pose)
    }

    /// The zone of a corner, as far as it can be bounded: between two lines of the tool. `length` is how far the tip goes to it, `here` a posture before it.
    fn zone(
        &mut self,
        one: &ProgramMove,
        next: Option<&ProgramMove>,
        length: f64,
        world_from_tip: &Pose,
        here: &[f64],
        (known, tip): (bool, Tip),
    ) -> Result<f64, String> {
        let Some(next) = next else { return Ok(0.0) };
        let radius = match (one.zone, self.options.smooth) {
            (Zone::Fine, _) => return Ok(0.0),
            // In the larger zone the tool may turn otherwise, while the tip is still on its line, which is a side of the triangle.
            (Zone::Radius(radius), _) if radius.max(one.turn_zone) <= 0.0 => return Ok(0.0),
            (Zone::Radius(radius), _) => Some(radius.max(one.turn_zone)),
            (Zone::Smooth(_), Some(smooth)) => Some(smooth),
            (Zone::Smooth(_), None) => None,
        };
        if self.options.joint_corners
            && known
            && !self.options.fine
            && self.arm.profile().joint_corners == JointCorners::Synchronised
            && one.kind == MotionKind::Joint
            && next.kind == MotionKind::Joint
        {
            // Where nothing is known of the tool, only the middles of the moves bound the corner.
            let radius = if one.tool.at.is_some() { radius } else { None };
            self.joint_corner = Some((radius, tip));
            let what = SYNCHRONISED.to_owned();
            if self.notes.iter().all(|note| note.what != what) {
                self.notes.push(Note { line: one.line, what, moves: false });
            }
            return Ok(0.0);
        }
        let is_corner = one.kind == MotionKind::Linear && next.kind == MotionKind::Linear;
        // Where the tip stays in its place, a zone of lengths says nothing of how the tool turns.
        let is_still = is_corner && (length < STILL || self.goes(world_from_tip, next, here)? < STILL);
        match radius {
            Some(radius) if is_corner && !is_still => Ok(radius),
            _ if self.options.fine => {
                let what = "the corner at this target is taken as if the robot stopped there (⟦fine⟧): how it is rounded is not proven";
                self.notes.push(Note { line: one.line, what: what.into(), moves: false });
                Ok(0.0)
            }
            None if is_corner && !is_still => {
                Err("how the corner at this target is rounded is not known: say by ⟦blend-margin=METRES⟧ how near to the target the tip may leave its lines, or take it as a stop by ⟦fine⟧".into())
            }
            _ if is_still => Err("the corner at this target is rounded, and before or after it the tool only turns: how, is not known; ⟦fine⟧ takes it as a stop".into()),
            _ => Err("the corner at this target is rounded, and not between two straight lines: how, is not known; ⟦fine⟧ takes it as a stop".into()),
        }
    }

    /// How far the tip goes on the next line.
    fn goes(&mut self, world_from_tip: &Pose, next: &ProgramMove, here: &[f64]) -> Result<f64, String> {
        let there = match (&next.to, next.work.at) {
            (Target::Pose(pose, _), Some(base_from_work)) => {
                self.arm.world_from_targets(&next.external) * base_from_work * *pose
            }
            (Target::Joints(axes), _) if axes.len() == self.arm.axes() => {
                let flange_from_tip = self.tool(next)?;
                self.arm.world_from_flange(&self.arm.from_controller(axes, here)) * flange_from_tip
            }
            _ => return Ok(0.0),
        };
        Ok(there.translation().distance(world_from_tip.translation()))
    }
}

/// A tip that goes less far than this only turns, in metres: what controllers print.
const STILL: f64 = 1e-6;

/// A name as a key of a profile has it.
fn as_key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'-');
    if is_bare { name.to_owned() } else { format!("{name:?}") }
}
