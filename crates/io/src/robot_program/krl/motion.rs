//! What motion statements of KRL mean.

use crate::robot_program::config::Config;
use crate::robot_program::frames::Frames;
use crate::robot_program::machine::{Language, Machine, State, Strange};
use crate::robot_program::parser::{Arg, Expr};
use crate::robot_program::profile::Profile;
use crate::robot_program::rounds::tail;
use crate::robot_program::value::{
    Value, fixed_angles_deg, fixed_angles_pose, negative, smooth, smooth_of_two, worked,
};
use crate::robot_program::{External, Frame, MOST_MOVES, MotionKind, ProgramMove, Speed, Target, Zone};
use kansho_geom::Pose;
use std::sync::Arc;

pub(super) const MOTIONS: [&str; 9] =
    ["ptp", "lin", "circ", "ptp_rel", "lin_rel", "circ_rel", "sptp", "slin", "scirc"];

/// Routines that do not move the robot: texts, files, messages, and the interface to Ethernet (KUKA, system software 8.x, operating and programming
/// instructions for system integrators, and CREAD/CWRITE; KUKA.Ethernet KRL 3.x).
const HARMLESS: [&str; 53] = [
    "strclear",
    "swrite",
    "cwrite",
    "cclose",
    "set_cd_params",
    "err_raise",
    "varstate",
    "sleep",
    "eki_init",
    "eki_open",
    "eki_close",
    "eki_clear",
    "eki_send",
    "eki_lock",
    "eki_unlock",
    "eki_clearbuffer",
    "eki_checkbuffer",
    "eki_setreal",
    "eki_setint",
    "eki_setbool",
    "eki_setframe",
    "eki_setstring",
    "eki_getreal",
    "eki_getint",
    "eki_getbool",
    "eki_getframe",
    "eki_getstring",
    "eki_getrealarray",
    "eki_getintarray",
    "eki_getboolarray",
    "eki_getframearray",
    "eki_geterrorstring",
    "eki_hint",
    "msgnotify",
    "msgstate",
    "msgquit",
    "set_krlmsg",
    "clear_krlmsg",
    "strcopy",
    "stradd",
    "strlen",
    "strcomp",
    "strfind",
    "strdeclen",
    "cread",
    "copen",
    "sread",
    "cioctl",
    "krl_fopen",
    "krl_fclose",
    "krl_fprintf",
    "krl_fscanf",
    "krl_fgets",
];

/// Functions that only reckon.
const FUNCTIONS: [&str; 12] = [
    "exists_krlmsg",
    "exists_krldlg",
    "b_bit",
    "abs",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "atan2",
    "acos",
    "inv_pos",
    "forward",
];

/// Variables of the controller that a program may set without leading the robot elsewhere, or whose effect is followed (KUKA System Software 8.x,
/// operating and programming instructions for system integrators, and System variables). Setting any other one is not understood.
const SETTABLE: [&str; 48] = [
    // Followed: frames, how the tool turns, corners.
    "$tool",
    "$base",
    "$act_tool",
    "$act_base",
    "$robroot",
    "$ori_type",
    "$ipo_mode",
    "$circ_type",
    "$apo",
    // Speeds, accelerations, jerks and overrides: when, and not where.
    "$vel",
    "$vel_axis",
    "$vel_extax",
    "$acc",
    "$acc_axis",
    "$acc_extax",
    "$jerk",
    "$gear_jerk",
    "$red_vel",
    "$red_acc",
    "$cp_vel_type",
    "$adap_acc",
    "$ov_pro",
    "$ov_app",
    "$ov_jog",
    "$ov_rob",
    // Loads enter the reckoning of accelerations.
    "$load",
    "$load_a1",
    "$load_a2",
    "$load_a3",
    // The advance run, running backwards, and the home position that outputs tell of.
    "$advance",
    "$bwdstart",
    "$h_pos",
    // Outputs, flags and timers.
    "$out",
    "$out_c",
    "$anout",
    "$flag",
    "$cycflag",
    "$timer",
    "$timer_stop",
    "$timer_flag",
    // How far torques may be off before the robot stops.
    "$torqmon",
    "$torqmon2",
    "$torqmon_def",
    "$torqmon_def2",
    "$torqmon_com",
    "$torqmon_com2",
    // Messages and the protocol of calls.
    "$loop_cont",
    "$loop_msg",
];

/// Stands for what is done when something happens, and is not understood.
pub(super) const LATER: &str = "$later";

/// Whether a program may set that variable of the controller.
pub(super) fn is_settable(name: &str) -> bool {
    SETTABLE.contains(&name)
}

const AXES: [&str; 6] = ["a1", "a2", "a3", "a4", "a5", "a6"];

/// The state of a controller that moves depend on; the rest is in variables.
pub(super) struct Krl<'a> {
    pub(super) profile: &'a Profile,
    pub(super) moves: Vec<ProgramMove>,
    pub(super) frames: Frames,
    /// Variables that hold whole numbers, and functions that give them.
    whole: Vec<String>,
    /// Parts of structures that hold whole numbers.
    whole_parts: Vec<String>,
    /// A, B and C of the last target in the frames of its pose, as they were written.
    angles: [f64; 3],
    /// The same as they were before.
    saved: Vec<([f64; 3], bool)>,
    is_unsure: bool,
}

/// The pose of a frame or a position.
pub(super) fn pose_of(value: &Value) -> Result<Pose, String> {
    let part = |name: &str| value.part(name).number();
    let xyz = [part("x")?, part("y")?, part("z")?];
    fixed_angles_pose(xyz, [part("c")?, part("b")?, part("a")?])
}

/// A pose as a frame.
pub(super) fn value_of(pose: &Pose) -> Value {
    let (p, [c, b, a]) = (pose.translation() * 1e3, fixed_angles_deg(pose));
    let parts = ["x", "y", "z", "a", "b", "c"].iter().zip([p.x, p.y, p.z, a, b, c]);
    Value::Record(parts.map(|(name, number)| ((*name).to_owned(), worked(number))).collect())
}

impl<'a> Krl<'a> {
    pub(super) fn new(profile: &'a Profile, whole: Vec<String>, whole_parts: Vec<String>) -> Self {
        let (moves, frames, angles) = (Vec::new(), Frames::default(), [0.0; 3]);
        Self { profile, moves, frames, whole, whole_parts, angles, saved: Vec::new(), is_unsure: false }
    }

    fn motion(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), String> {
        if self.is_unsure {
            return Err("what is switched here is not known".into());
        }
        let is_blended =
            args.iter().find_map(|arg| arg.name.as_deref().filter(|name| name.starts_with("c_")));
        let plain: Vec<&Expr> =
            args.iter().filter(|arg| arg.name.is_none()).filter_map(|arg| arg.value.as_ref()).collect();
        if let Some(other) = machine.other_setting(is_settable) {
            let other = other.to_ascii_uppercase();
            return Err(format!("{other} was set: what that changes is not understood"));
        }
        let is_spline = ["sptp", "slin", "scirc"].contains(&name);
        match is_blended {
            Some("c_spl") if ["slin", "scirc"].contains(&name) => {}
            Some(word) if is_spline || word == "c_spl" => {
                let word = word.to_ascii_uppercase();
                return Err(format!(
                    "how {} is rounded by {word} is not understood",
                    name.to_ascii_uppercase()
                ));
            }
            _ => {}
        }
        if args.iter().any(|arg| arg.name.as_deref() == Some("ca")) {
            return Err("a circle by its angle (CA) is not understood".into());
        }
        let (is_circle, is_joint, is_relative) =
            (name.contains("circ"), name.contains("ptp"), name.ends_with("_rel"));
        let count = if is_circle { 2 } else { 1 };
        if plain.len() != count {
            return Err(format!("{count} targets are wanted, not {}", plain.len()));
        }
        // To where it is.
        if let Expr::Name(name) = plain[0]
            && (name == "$axis_act" || name == "$pos_act")
            && !is_circle
            && !is_relative
        {
            return Ok(());
        }
        // Targets are worked out first, one after the other: a function in them may set the tool or the base.
        let values: Vec<Value> = plain.iter().map(|expr| machine.value_of(self, expr)).collect();
        let value = values[count - 1].clone();
        if let Value::Unknown(why) = &value {
            return Err(why.clone());
        }
        let (tool, work) = (self.frame(machine, "$tool")?, self.frame(machine, "$base")?);
        let external = external_axes(&value, is_relative)?;
        let mut to = self.target(&value, is_relative, machine.is_lost(), &tool, &work)?;
        if !is_joint && matches!(to, Target::Joints(_)) {
            return Err("a linear or circular move to axes: which joint solution the controller takes is not understood; write a pose, or PTP".into());
        }
        // S and T count for PTP alone: in which posture a program is that begins with a line, nobody knows.
        if let Target::Pose(_, config) = &mut to
            && (self.moves.is_empty() || machine.is_lost())
            && !is_joint
        {
            *config = Config::Unsaid;
        }
        let leads = !is_joint || matches!(to, Target::Pose(..));
        if machine.peek("$robroot").is_some() {
            return Err("$ROBROOT is set: where the robot stands then is not followed".into());
        }
        for (variable, good, counts) in [
            ("$ori_type", "#var", !is_joint),
            ("$ipo_mode", "#base", leads),
            ("$circ_type", "#base", is_circle),
        ] {
            if let Some(value) = machine.peek(variable)
                && *value != Value::Text(good.into())
                && counts
            {
                let [variable, good] = [variable, good].map(str::to_ascii_uppercase);
                return Err(format!("{variable} is not {good}: how the tool turns is not understood"));
            }
        }
        let kind = if is_circle {
            if is_relative {
                return Err("relative circles are not understood".into());
            }
            let via = pose_of(&values[0])?;
            if name == "scirc" && !self.turns_nowhere(&via, &to, machine.is_lost(), &tool, &work) {
                return Err("SCIRC goes by the orientation of its auxiliary point ($CIRC_MODE): that is understood only where the tool keeps one orientation from the start to the end; write CIRC, or give all three points the same A, B and C".into());
            }
            MotionKind::Circular(via)
        } else if is_joint {
            MotionKind::Joint
        } else {
            MotionKind::Linear
        };
        let part = |machine: &Machine, name: &str, part: &str| match machine.peek(name) {
            Some(value) => value.part(part).number(),
            None => {
                Err(format!("{}.{} was given no value", name.to_ascii_uppercase(), part.to_ascii_uppercase()))
            }
        };
        let zone = match is_blended {
            None => Zone::Fine,
            Some("c_dis") if !is_joint => {
                let mm = part(machine, "$apo", "cdis")?;
                if !(mm >= 0.0) {
                    return Err(format!("a zone of {mm} mm is none"));
                }
                Zone::Radius(mm * 1e-3)
            }
            Some(_) => Zone::Smooth(1.0),
        };
        let speed = if is_joint {
            part(machine, "$vel_axis", "[0").map_or(Speed::Unsaid, |percent| Speed::Part(percent / 100.0))
        } else {
            part(machine, "$vel", "cp").map_or(Speed::Unsaid, Speed::Tip)
        };
        if self.moves.len() < MOST_MOVES {
            self.moves.push(ProgramMove {
                line,
                kind,
                to,
                speed,
                zone,
                turn_zone: 0.0,
                tool,
                work,
                insists: false,
                path_frame: false,
                after_gap: machine.take_gap(),
                is_again: false,
                near: None,
                external,
            });
        }
        Ok(())
    }

    /// Whether the tool has the same orientation where a circle begins, at its auxiliary point, and at its end.
    fn turns_nowhere(
        &self,
        via: &Pose,
        to: &Target,
        is_lost: bool,
        tool: &Arc<Frame>,
        work: &Arc<Frame>,
    ) -> bool {
        let (Some(last), Target::Pose(to, _)) = (self.moves.last().filter(|_| !is_lost), to) else {
            return false;
        };
        let Target::Pose(from, _) = &last.to else { return false };
        let is_same = |other: &Pose| {
            let (a, b) = (other.rotation().to_cols_array(), to.rotation().to_cols_array());
            a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9)
        };
        last.tool == *tool && last.work == *work && is_same(from) && is_same(via)
    }

    fn target(
        &mut self,
        value: &Value,
        is_relative: bool,
        is_lost: bool,
        tool: &Arc<Frame>,
        work: &Arc<Frame>,
    ) -> Result<Target, String> {
        let Value::Record(parts) = value else {
            return Err(match value {
                Value::Unknown(why) => why.clone(),
                other => format!("{} is no target", other.kind()),
            });
        };
        let has = |name: &str| parts.iter().any(|(known, _)| known == name);
        if AXES.iter().any(|axis| has(axis)) {
            return self.axes(value, &has, is_relative, is_lost);
        }
        let names = ["x", "y", "z", "a", "b", "c"];
        if !names.iter().any(|name| has(name)) {
            return Err("there is neither a place nor an axis in this target".into());
        }
        // Where the robot stands then, if that is told in the same frames.
        let before = match self.moves.last() {
            Some(ProgramMove { to: Target::Pose(before, _), tool: last_tool, work: last_work, .. })
                if last_tool == tool && last_work == work && !is_lost =>
            {
                let (p, [c, b, a]) = (before.translation() * 1e3, fixed_angles_deg(before));
                Some([p.x, p.y, p.z, a, b, c])
            }
            _ => None,
        };
        // Angles of one turn can be written in two ways, and which of them the controller goes on with is not said.
        let named = names[3..].iter().filter(|name| has(name)).count();
        if let Some([_, _, _, rest @ ..]) = before
            && (named == 1 || named == 2)
            && !is_relative
            && rest.iter().zip(self.angles).any(|(angle, written)| (angle - written).abs() > 1e-6)
        {
            return Err(
                "angles that are not named stay as they are, and which those are is not known here".into()
            );
        }
        let mut six = [0.0; 6];
        for (k, name) in names.iter().enumerate() {
            let number = if has(name) { Some(value.part(name).number()?) } else { None };
            six[k] = match (number, before, is_relative) {
                (Some(number), _, false) => number,
                (Some(number), Some(_), true) if k >= 3 && number != 0.0 => {
                    return Err("relative turns are not understood".into());
                }
                (number, Some(before), true) => before[k] + number.unwrap_or(0.0),
                (None, Some(before), false) => before[k],
                _ => return Err("what is not named stays as it is, and that is not known here".into()),
            };
        }
        let bits = |name: &str| -> Result<Option<u8>, String> {
            if !has(name) {
                return Ok(None);
            }
            let number = value.part(name).number()?;
            if number.fract() == 0.0 && (0.0..128.0).contains(&number) {
                Ok(Some(number as u8))
            } else {
                Err(format!("{} is no whole number from 0 to 127", name.to_ascii_uppercase()))
            }
        };
        let (status, turn) = (bits("s")?, bits("t")?);
        let config = if status.is_none() && turn.is_none() {
            Config::Unsaid
        } else {
            Config::Kuka { status: status.map(|s| s & 7), turn }
        };
        let pose = fixed_angles_pose([six[0], six[1], six[2]], [six[5], six[4], six[3]])?;
        if named > 0 && !is_relative {
            self.angles = [six[3], six[4], six[5]];
        }
        Ok(Target::Pose(pose, config))
    }

    /// A target in axes; those that are not named stay as they are.
    fn axes(
        &self,
        value: &Value,
        has: &dyn Fn(&str) -> bool,
        is_relative: bool,
        is_lost: bool,
    ) -> Result<Target, String> {
        let before = match self.moves.last().map(|last| &last.to) {
            Some(Target::Joints(before)) if !is_lost => Some(before),
            _ => None,
        };
        let mut joints = Vec::with_capacity(6);
        for (k, axis) in AXES.iter().enumerate() {
            let angle = if has(axis) { Some(value.part(axis).number()?.to_radians()) } else { None };
            joints.push(match (angle, before, is_relative) {
                (Some(angle), _, false) => angle,
                (angle, Some(before), true) => before[k] + angle.unwrap_or(0.0),
                (None, Some(before), false) => before[k],
                _ => {
                    return Err(
                        "the axes that are not named stay as they are, and that is not known here".into()
                    );
                }
            });
        }
        Ok(Target::Joints(joints))
    }
}

impl Language for Krl<'_> {
    fn act(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), Strange> {
        if MOTIONS.contains(&name) {
            return self.motion(machine, name, args, line).map_err(Strange::to_unknown);
        }
        match name {
            "bas" => self.bas(machine, args),
            // It holds for all moves behind it.
            _ if name.starts_with('$') => {
                machine.work_out(self, args);
                self.is_unsure = true;
                Err(Strange::moving(match name {
                    LATER => "what is done when something happens is not understood".into(),
                    _ => format!("what setting {} changes is not understood", name.to_ascii_uppercase()),
                }))
            }
            "wait for" => {
                let waits = args.iter().filter_map(|arg| arg.value.as_ref());
                let is_never =
                    waits.map(|expr| machine.value_of(self, expr)).any(|value| value == Value::Truth(false));
                if is_never {
                    return Err(Strange::moving(
                        "what is waited for only something else can bring about: what that sets is not known",
                    ));
                }
                Ok(())
            }
            _ if HARMLESS.contains(&name) || self.profile.is_harmless(name) => {
                for place in args.iter().filter_map(|arg| arg.value.as_ref()) {
                    machine.forget_place(place);
                }
                Ok(())
            }
            _ => {
                // Sensors lead the robot from here on (KUKA.RobotSensorInterface).
                self.is_unsure |= name.starts_with("rsi_") || name.starts_with("st_") || name == "fricompose";
                Err(Strange::moving(format!("'{name}' is not in this file, and could move the robot")))
            }
        }
    }

    fn function(&mut self, name: &str, args: &[(Option<String>, Value)]) -> Value {
        let number = |k: usize| {
            args.get(k).map_or(Err("an argument is missing".to_owned()), |(_, value)| value.number())
        };
        let first = || args.first().map(|(_, value)| value).ok_or("an argument is missing".to_owned());
        let found = match name {
            ":" => (|| {
                let (left, right) = (&args[0].1, &args[1].1);
                let mut chained = value_of(&(pose_of(left)? * pose_of(right)?));
                // What is chained has the type of its right operand: status, turn and external axes are of that one.
                let is_external = |(name, _): &&(String, Value)| is_external_axis(name);
                let is_kept = |part: &&(String, Value)| part.0 == "s" || part.0 == "t" || is_external(part);
                if let (Value::Record(parts), Value::Record(rest)) = (&mut chained, right) {
                    if let Value::Record(left) = left
                        && left.iter().any(|part| is_external(&part))
                        && !rest.iter().any(|part| is_external(&part))
                    {
                        return Err("external axes stand left of ':' and not right of it: where they are then is not known".into());
                    }
                    parts.extend(rest.iter().filter(is_kept).cloned());
                }
                Ok(chained)
            })(),
            "abs" => number(0).map(|x| if x < 0.0 { negative(&args[0].1) } else { args[0].1.clone() }),
            "sqrt" => first().and_then(|x| smooth(x, f64::sqrt)),
            "sin" => first().and_then(|x| smooth(x, |x| x.to_radians().sin())),
            "cos" => first().and_then(|x| smooth(x, |x| x.to_radians().cos())),
            "tan" => first().and_then(|x| smooth(x, |x| x.to_radians().tan())),
            "atan2" => first().and_then(|y| {
                number(1)?;
                smooth_of_two([y, &args[1].1], |y, x| y.atan2(x).to_degrees())
            }),
            _ => Err(format!("what '{name}' gives is not known")),
        };
        found.unwrap_or_else(Value::Unknown)
    }

    fn known(&self, name: &str) -> Option<Value> {
        match name {
            "$nullframe" | "$world" | "$robroot" => Some(value_of(&Pose::IDENTITY)),
            _ => self.kept_frames(name),
        }
    }

    fn moves(&self, name: &str) -> bool {
        !(name == "wait for"
            || HARMLESS.contains(&name)
            || FUNCTIONS.contains(&name)
            || self.profile.is_harmless(name))
    }

    fn is_motion(&self, name: &str) -> bool {
        MOTIONS.contains(&name)
    }

    fn moves_made(&mut self) -> &mut Vec<ProgramMove> {
        &mut self.moves
    }

    fn writes(&self, name: &str) -> bool {
        HARMLESS.contains(&name)
            || name == "forward"
            || self.profile.is_harmless(name)
            || name != "bas" && self.moves(name) && !self.is_motion(name)
    }

    fn first(&self) -> usize {
        super::RULES.first
    }

    fn state(&self) -> State {
        (tail(&self.moves), format!("{:?}", self.angles))
    }

    fn settings(&self) -> String {
        // Angles are those of the last target, which is not known where ways come together.
        self.is_unsure.to_string()
    }

    fn save(&mut self) {
        self.saved.push((self.angles, self.is_unsure));
    }

    fn restore(&mut self) {
        if let Some(saved) = self.saved.last() {
            (self.angles, self.is_unsure) = *saved;
        }
    }

    fn drop_saved(&mut self) {
        self.saved.pop();
    }

    fn unsure(&mut self) {
        self.is_unsure = true;
    }

    fn kept(&self, name: &str, value: Value) -> Value {
        match value {
            Value::Number(number) | Value::Loose(number, _)
                if (number.fract() != 0.0 || value.firm().is_err())
                    && self.whole.iter().any(|known| known == name) =>
            {
                Value::unknown(format!("'{name}' holds whole numbers, and is given another one"))
            }
            Value::Record(parts) => Value::Record(self.whole_record(parts)),
            value => value,
        }
    }

    fn kept_part(&self, part: &str, value: Value) -> Value {
        match &value {
            Value::Number(number) | Value::Loose(number, _)
                if (number.fract() != 0.0 || value.firm().is_err())
                    && self.whole_parts.iter().any(|known| known == part) =>
            {
                Value::unknown(format!("'{part}' holds whole numbers, and is given another one"))
            }
            _ => value,
        }
    }

    fn divides_whole(&self) -> bool {
        true
    }
}

impl Krl<'_> {
    /// A structure as a variable holds it. Coordinates and axes that are not named are not known: whether they keep what they were is not said.
    fn whole_record(&self, parts: Vec<(String, Value)>) -> Vec<(String, Value)> {
        let mut whole: Vec<(String, Value)> = parts
            .into_iter()
            .map(|(name, value)| {
                let value = self.kept_part(&name, value);
                (name, value)
            })
            .collect();
        for set in [["x", "y", "z", "a", "b", "c"], AXES] {
            let has = |name: &str| whole.iter().any(|(known, _)| known == name);
            if set.into_iter().any(has) {
                let missing: Vec<&str> = set.into_iter().filter(|name| !has(name)).collect();
                whole.extend(missing.into_iter().map(|name| {
                    let why = format!("'{name}' was not named when the others were set");
                    (name.to_owned(), Value::unknown(why))
                }));
            }
        }
        whole
    }
}

fn is_external_axis(name: &str) -> bool {
    name.strip_prefix('e').is_some_and(|k| k.parse::<usize>().is_ok())
}

/// Where a target says that external axes are. Controllers write zero for those that are not there.
fn external_axes(value: &Value, is_relative: bool) -> Result<External, String> {
    let mut found = External::default();
    let Value::Record(parts) = value else { return Ok(found) };
    for (name, value) in parts {
        let Some(k) = name.strip_prefix('e').and_then(|k| k.parse::<usize>().ok()) else { continue };
        let value = value.number()?;
        if is_relative && value != 0.0 {
            return Err("external axes are moved: this is not understood".into());
        }
        let place = k.checked_sub(1).and_then(|k| found.get_mut(k));
        *place.ok_or_else(|| format!("there is no external axis {k}"))? = (!is_relative).then_some(value);
    }
    Ok(found)
}
