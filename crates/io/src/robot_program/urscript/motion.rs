//! What motion statements of URScript mean.

use crate::robot_program::config::Config;
use crate::robot_program::frames::Frames;
use crate::robot_program::machine::{Language, Loss, Machine, State, Strange};
use crate::robot_program::parser::{Arg, Expr, METHOD};
use crate::robot_program::profile::Profile;
use crate::robot_program::rounds::tail;
use crate::robot_program::value::{
    Value, negative, rotation_vector, smooth, smooth_of_two, vector_pose, whole, worked,
};
use crate::robot_program::{External, MOST_MOVES, MotionKind, ProgramMove, Speed, Target, Zone};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::collections::HashMap;

/// What lets the robot give way or leads it elsewhere, and what ends that (Universal Robots, script manual, module motion).
const BENDS: [(&str, &str); 7] = [
    ("force_mode", "end_force_mode"),
    ("freedrive_mode", "end_freedrive_mode"),
    ("teach_mode", "end_teach_mode"),
    ("track_conveyor_linear", "stop_conveyor_tracking"),
    ("track_conveyor_circular", "stop_conveyor_tracking"),
    ("path_offset_enable", "path_offset_disable"),
    ("screw_driving", "end_screw_driving"),
];

const MOTIONS: [&str; 4] = ["movej", "movel", "movep", "movec"];

/// What brings the robot to a stop (script manual, module motion).
const STOPS: [&str; 2] = ["stopl", "stopj"];

/// What to do where the robot may stop in a corner.
const IN_CORNER: &str = "this may stop the robot anywhere in the corner at the target of the move before it, whose blend has begun: give that move r=0";

/// Functions that do not move the robot (Universal Robots, script manual, modules interfaces and internals).
const HARMLESS: [&str; 55] = [
    "set_digital_out",
    "set_standard_digital_out",
    "set_configurable_digital_out",
    "set_tool_digital_out",
    "set_analog_out",
    "set_standard_analog_out",
    "set_tool_voltage",
    "sleep",
    "sync",
    "textmsg",
    "popup",
    "halt",
    "set_payload",
    "set_target_payload",
    "set_payload_mass",
    "set_payload_cog",
    "set_gravity",
    "modbus_set_output_signal",
    "socket_open",
    "socket_close",
    "socket_send_string",
    "socket_send_line",
    "socket_send_int",
    "socket_get_var",
    "socket_read_string",
    "write_output_integer_register",
    "write_output_float_register",
    "write_output_boolean_register",
    "set_flag",
    "request_boolean_from_primary_client",
    "zero_ftsensor",
    "set_standard_analog_input_domain",
    "set_tool_analog_input_domain",
    "set_analog_outputdomain",
    "set_input_actions_to_default",
    "set_tool_communication",
    "set_tool_output_mode",
    "set_tool_digital_output_mode",
    "set_safety_mode_transition_hardness",
    "socket_set_var",
    "socket_send_byte",
    "rtde_set_watchdog",
    "modbus_add_signal",
    "modbus_delete_signal",
    "modbus_send_custom_command",
    "modbus_set_signal_update_frequency",
    "modbus_set_runstate_dependent_choice",
    "set_runstate_configurable_digital_output_to_value",
    "set_runstate_standard_digital_output_to_value",
    "set_runstate_tool_digital_output_to_value",
    "set_runstate_standard_analog_output_to_value",
    "set_runstate_gp_boolean_output_to_value",
    "set_configurable_digital_output",
    "set_digital_output",
    "set_target_payload_mass",
];

/// Functions that ask or reckon.
const FUNCTIONS: [&str; 99] = [
    "to_str",
    "to_num",
    "str_at",
    "str_cat",
    "str_empty",
    "str_find",
    "str_len",
    "str_sub",
    "socket_read_ascii_float",
    "socket_read_binary_integer",
    "socket_read_byte_list",
    "socket_read_line",
    "length",
    "size",
    "random",
    "log",
    "wrench_trans",
    "binary_list_to_integer",
    "integer_to_binary_list",
    "get_actual_tcp_pose",
    "get_target_tcp_pose",
    "get_actual_joint_positions",
    "get_target_joint_positions",
    "get_actual_joint_speeds",
    "get_target_joint_speeds",
    "get_actual_tcp_speed",
    "get_target_tcp_speed",
    "get_tcp_force",
    "get_tcp_offset",
    "get_forward_kin",
    "get_inverse_kin",
    "get_inverse_kin_has_solution",
    "get_joint_temp",
    "get_joint_torques",
    "get_controller_temp",
    "get_steptime",
    "get_target_payload",
    "get_target_payload_cog",
    "get_flag",
    "get_digital_in",
    "get_digital_out",
    "get_analog_in",
    "get_analog_out",
    "get_standard_digital_in",
    "get_standard_digital_out",
    "get_standard_analog_in",
    "get_standard_analog_out",
    "get_configurable_digital_in",
    "get_configurable_digital_out",
    "get_tool_digital_in",
    "get_tool_digital_out",
    "get_tool_analog_in",
    "get_tool_current",
    "is_steady",
    "is_within_safety_limits",
    "read_input_boolean_register",
    "read_input_float_register",
    "read_input_integer_register",
    "read_output_boolean_register",
    "read_output_float_register",
    "read_output_integer_register",
    "pose_trans",
    "pose_inv",
    "pose_add",
    "pose_sub",
    "pose_dist",
    "point_dist",
    "interpolate_pose",
    "d2r",
    "r2d",
    "sin",
    "cos",
    "tan",
    "atan",
    "atan2",
    "acos",
    "asin",
    "sqrt",
    "norm",
    "floor",
    "ceil",
    "abs",
    "pow",
    "rpc_factory",
    "modbus_get_signal_status",
    "get_target_waypoint",
    "is_tool_connected",
    "get_conveyor_tick_count",
    "encoder_get_tick_count",
    "socket_get_var",
    "get_actual_joint_positions_history",
    "get_sys_time",
    "time",
    "str_rev",
    "toint",
    "mod_",
    "assert_",
    "get_gravity",
    "get_target_payload_inertia",
];

/// The state of a controller that moves depend on.
pub(super) struct Ur<'a> {
    profile: &'a Profile,
    pub(super) moves: Vec<ProgramMove>,
    frames: Frames,
    /// The tip in the flange, once it is set.
    tool: Option<Pose>,
    /// Whether something else may have set it.
    is_tool_lost: bool,
    /// What lets the robot give way, or leads it elsewhere than a move says.
    bent_by: Option<&'static str>,
    /// Whether anything did so far.
    may_be_bent: bool,
    /// The same as they were before.
    saved: Vec<(Option<Pose>, bool, Option<&'static str>)>,
    /// How often something outside of the file may have set it.
    losses: u64,
}

fn pose_of(value: &Value) -> Result<Pose, String> {
    let mut six = [0.0; 6];
    for (slot, name) in six.iter_mut().zip(["x", "y", "z", "rx", "ry", "rz"]) {
        *slot = value.part(name).number()?;
    }
    vector_pose(DVec3::new(six[0], six[1], six[2]), DVec3::new(six[3], six[4], six[5]))
}

fn value_of(pose: &Pose) -> Value {
    let (p, r) = (pose.translation(), rotation_vector(pose));
    let numbers = [p.x, p.y, p.z, r.x, r.y, r.z];
    let parts = ["x", "y", "z", "rx", "ry", "rz"].iter().zip(numbers);
    Value::Record(parts.map(|(name, number)| ((*name).to_owned(), worked(number))).collect())
}

impl<'a> Ur<'a> {
    pub(super) fn new(profile: &'a Profile) -> Self {
        Self {
            profile,
            moves: Vec::new(),
            frames: Frames::default(),
            tool: None,
            is_tool_lost: false,
            bent_by: None,
            may_be_bent: false,
            saved: Vec::new(),
            losses: 0,
        }
    }

    fn motion(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), String> {
        if let Some(by) = self.bent_by {
            return Err(format!("'{by}' may lead the robot elsewhere than this move says"));
        }
        let is_circle = name == "movec";
        // Which argument has which name, if it is given by its place.
        let places: &[&str] = if is_circle {
            &["via", "to", "a", "v", "r", "mode"]
        } else if name == "movep" {
            &["to", "a", "v", "r"]
        } else {
            &["to", "a", "v", "t", "r"]
        };
        let mut given: HashMap<&str, Value> = HashMap::new();
        let mut near: Option<Vec<f64>> = None;
        for (k, arg) in args.iter().enumerate() {
            let place =
                match arg.name.as_deref() {
                    Some("pose" | "q" | "pose_to") => "to",
                    Some("pose_via") => "via",
                    Some(name) => places.iter().copied().find(|place| *place == name).ok_or_else(|| {
                        format!("'{name}' changes the motion in a way that is not understood")
                    })?,
                    None => places.get(k).copied().ok_or("there are too many arguments")?,
                };
            // `get_inverse_kin(pose, qnear)`: the pose, reached near these joint values.
            if let (MotionKind::Joint, "to", Some(Expr::Call(called, of))) =
                (&kind_of(name), place, &arg.value)
                && called == "get_inverse_kin"
                && let [Arg { name: None, value: Some(pose) }, Arg { name: by, value: Some(values) }] =
                    &of[..]
                && by.as_deref().is_none_or(|name| name == "qnear")
            {
                near = Some(machine.value_of(self, values).many::<6>()?.to_vec());
                given.insert(place, machine.value_of(self, pose));
                continue;
            }
            if let Some(value) = &arg.value {
                given.insert(place, machine.value_of(self, value));
            }
        }
        let target = given.get("to").ok_or("the target is missing")?;
        let to = match target {
            Value::List(_) => Target::Joints(target.many::<6>()?.to_vec()),
            Value::Record(_) => Target::Pose(pose_of(target)?, Config::Unsaid),
            Value::Unknown(why) => return Err(why.clone()),
            other => return Err(format!("{} is no target", other.kind())),
        };
        let number = |name: &str| given.get(name).map_or(Ok(None), |value| value.number().map(Some));
        let (time, speed, radius) = (number("t")?, number("v")?, number("r")?);
        let kind = match name {
            "movej" => MotionKind::Joint,
            "movec" => {
                if number("mode")?.is_some_and(|mode| mode != 0.0) {
                    return Err("a circle with fixed orientation (mode 1) is not understood".into());
                }
                let via = given.get("via").ok_or("the point on the circle is missing")?;
                if let Value::List(_) = via {
                    return Err("a circle through joint values is not understood".into());
                }
                MotionKind::Circular(pose_of(via)?)
            }
            _ => MotionKind::Linear,
        };
        let speed = match (time, speed) {
            (Some(time), _) if time > 0.0 => Speed::Seconds(time),
            (_, Some(_)) if kind == MotionKind::Joint => Speed::Unsaid,
            (_, Some(speed)) => Speed::Tip(speed),
            _ => Speed::Unsaid,
        };
        let zone = match radius {
            Some(radius) if radius > 0.0 => Zone::Radius(radius),
            Some(radius) if radius < 0.0 => return Err(format!("a blend of {radius} m is none")),
            _ => Zone::Fine,
        };
        if self.is_tool_lost && !(kind == MotionKind::Joint && matches!(to, Target::Joints(_))) {
            return Err(
                "the tool may have been set by something that is not understood: set_tcp before this move"
                    .into(),
            );
        }
        let tool = self.frames.of("tcp", self.tool.or_else(|| self.profile.tool("tcp")));
        let work = self.frames.of("base", Some(Pose::IDENTITY));
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
                near,
                external: External::default(),
            });
        }
        Ok(())
    }
}

impl Ur<'_> {
    /// Whether the robot may be in a corner where it is stopped: it may brake anywhere in it, and beyond it. Nothing is claimed of that move.
    pub(super) fn stops_in_corner(&self, machine: &mut Machine) -> bool {
        let is_blended = |one: &ProgramMove| !matches!(one.zone, Zone::Fine);
        if machine.is_lost() {
            // The last move of each way that leads here.
            for (k, one) in self.moves.iter().enumerate().filter(|(_, one)| is_blended(one)) {
                if self.moves.get(k + 1).is_none_or(|next| next.after_gap) {
                    machine.doubt(one.line);
                }
            }
            return false;
        }
        let Some(last) = self.moves.last().filter(|last| is_blended(last)) else { return false };
        machine.doubt(last.line);
        true
    }
}

/// How a statement moves.
fn kind_of(name: &str) -> MotionKind {
    if name == "movej" { MotionKind::Joint } else { MotionKind::Linear }
}

impl Language for Ur<'_> {
    fn act(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), Strange> {
        if machine.losses() != self.losses {
            self.losses = machine.losses();
            self.is_tool_lost = true;
        }
        match name {
            _ if MOTIONS.contains(&name) => {
                self.motion(machine, name, args, line).map_err(Strange::to_unknown)
            }
            "set_tcp" => {
                let value = args
                    .first()
                    .and_then(|arg| arg.value.as_ref())
                    .map(|value| machine.value_of(self, value));
                let value = value.unwrap_or_else(|| Value::unknown("the pose of the tool is missing"));
                self.is_tool_lost = true;
                self.tool = Some(
                    pose_of(&value)
                        .map_err(|why| Strange { loss: Loss::Nothing, ..Strange::to_unknown(why) })?,
                );
                self.is_tool_lost = false;
                Ok(())
            }
            _ if BENDS.iter().any(|(begin, _)| *begin == name) => {
                self.may_be_bent = true;
                self.bent_by = BENDS.iter().map(|(begin, _)| *begin).find(|begin| *begin == name);
                machine.work_out(self, args);
                Err(Strange::to_unknown(format!("'{name}' may lead the robot elsewhere than its moves say")))
            }
            _ if BENDS.iter().any(|(_, end)| *end == name) => {
                let ends = |by: &str| BENDS.iter().any(|(begin, end)| *begin == by && *end == name);
                self.bent_by = self.bent_by.filter(|by| !ends(by));
                Err(Strange::to_unknown(format!("where the robot stands after '{name}' is not known")))
            }
            // What stands behind a move with a blend is run as soon as the blend begins.
            _ if STOPS.contains(&name) => {
                machine.work_out(self, args);
                match self.stops_in_corner(machine) {
                    true => Err(Strange::to_unknown(IN_CORNER)),
                    false => Ok(()),
                }
            }
            // The program ends.
            "halt" => {
                machine.work_out(self, args);
                if self.stops_in_corner(machine) {
                    machine.note_loss(line, IN_CORNER, true, Loss::Nothing);
                }
                machine.stop();
                Ok(())
            }
            _ if name == METHOD || HARMLESS.contains(&name) || self.profile.is_harmless(name) => {
                machine.work_out(self, args);
                if self.writes(name) {
                    machine.forget_args(args);
                }
                Ok(())
            }
            _ => Err(Strange::moving(format!("'{name}' is not in this file, and could move the robot"))),
        }
    }

    fn function(&mut self, name: &str, args: &[(Option<String>, Value)]) -> Value {
        let number = |k: usize| {
            args.get(k).map_or(Err("an argument is missing".to_owned()), |(_, value)| value.number())
        };
        let pose = |k: usize| {
            args.get(k).map_or(Err("an argument is missing".to_owned()), |(_, value)| pose_of(value))
        };
        let first = || args.first().map(|(_, value)| value).ok_or("an argument is missing".to_owned());
        let found = match name {
            "pose_trans" => pose(0).and_then(|a| Ok(value_of(&(a * pose(1)?)))),
            "pose_inv" => pose(0).map(|a| value_of(&a.inverse())),
            "pose_add" => pose(0).and_then(|a| {
                let b = pose(1)?;
                let sum = a.translation() + b.translation();
                Ok(value_of(&Pose::of_rotation(a.rotation() * b.rotation(), sum)))
            }),
            "d2r" => first().and_then(|x| smooth(x, f64::to_radians)),
            "r2d" => first().and_then(|x| smooth(x, f64::to_degrees)),
            "sin" => first().and_then(|x| smooth(x, f64::sin)),
            "cos" => first().and_then(|x| smooth(x, f64::cos)),
            "tan" => first().and_then(|x| smooth(x, f64::tan)),
            "sqrt" => first().and_then(|x| smooth(x, f64::sqrt)),
            "norm" | "abs" => {
                number(0).map(|x| if x < 0.0 { negative(&args[0].1) } else { args[0].1.clone() })
            }
            "floor" => number(0).and_then(|_| whole(&args[0].1, f64::floor)),
            "ceil" => number(0).and_then(|_| whole(&args[0].1, f64::ceil)),
            "atan2" => first().and_then(|y| {
                number(1)?;
                smooth_of_two([y, &args[1].1], f64::atan2)
            }),
            _ => Err(format!("what '{name}' gives is not known")),
        };
        found.unwrap_or_else(Value::Unknown)
    }

    fn known(&self, name: &str) -> Option<Value> {
        (name == "pi").then_some(Value::Number(std::f64::consts::PI))
    }

    fn writes(&self, name: &str) -> bool {
        name == METHOD
            || self.profile.is_harmless(name)
            || self.moves(name) && !self.is_motion(name) && !self.only_stops(name)
    }

    fn moves(&self, name: &str) -> bool {
        // Where a blend has begun, the end of the program is somewhere in its corner.
        if name == "halt" && self.moves.last().is_some_and(|last| last.zone != Zone::Fine) {
            return true;
        }
        !(name == METHOD
            || HARMLESS.contains(&name)
            || FUNCTIONS.contains(&name)
            || self.profile.is_harmless(name))
    }

    fn is_motion(&self, name: &str) -> bool {
        MOTIONS.contains(&name)
    }

    fn only_stops(&self, name: &str) -> bool {
        STOPS.contains(&name) || name == "halt"
    }

    fn moves_made(&mut self) -> &mut Vec<ProgramMove> {
        &mut self.moves
    }

    fn first(&self) -> usize {
        super::RULES.first
    }

    fn state(&self) -> State {
        (tail(&self.moves), self.settings())
    }

    fn settings(&self) -> String {
        format!("{:?} {} {:?}", self.tool, self.is_tool_lost, self.bent_by)
    }

    fn save(&mut self) {
        self.saved.push((self.tool, self.is_tool_lost, self.bent_by));
    }

    fn restore(&mut self) {
        if let Some(saved) = self.saved.last() {
            (self.tool, self.is_tool_lost, self.bent_by) = *saved;
        }
    }

    fn drop_saved(&mut self) {
        self.saved.pop();
    }

    fn unsure(&mut self) {
        self.is_tool_lost = true;
        if self.may_be_bent {
            self.bent_by = Some("what was switched before");
        }
    }

    fn divides_whole(&self) -> bool {
        true
    }
}
