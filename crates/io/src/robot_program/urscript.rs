//! URScript of Universal Robots.

use super::config::Config;
use super::lexer::{Rules, Token, Wrong};
use super::machine::{Act, Block, Language, Machine, Proc, Stmt, Strange};
use super::parser::{Arg, Expr, Parser};
use super::profile::Profile;
use super::rapid::Frames;
use super::value::{Value, rotation_vector, vector_pose};
use super::{MotionKind, ProgramMove, RobotProgram, Speed, Target, Zone};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::collections::HashMap;
use std::rc::Rc;

const RULES: Rules =
    Rules { comment: b'#', fold: false, lines: true, equals: false, chain: false, poses: true, first: 0 };

/// Functions that do not move the robot.
const HARMLESS: [&str; 34] = [
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
    "reset_revolution_counter",
    "stopl",
    "stopj",
    "zero_ftsensor",
];

pub(super) fn read(text: &[u8], profile: &Profile, entry: Option<&str>) -> Result<RobotProgram, Wrong> {
    let mut reader = Reader { parser: Parser::new(text, RULES), procs: HashMap::new(), order: Vec::new() };
    reader.parser.step()?;
    let (mut body, _) = reader.block(&[], 1, 0)?;
    let Reader { procs, order, .. } = reader;
    let name = entry.map(str::to_owned).or_else(|| order.last().cloned());
    // What is sent as one definition is run by the controller.
    if entry.is_some() || body.is_empty() {
        let chosen = name.as_ref().and_then(|name| procs.get(name));
        let Some(chosen) = chosen else {
            let what = if order.is_empty() {
                "there are no statements in this file".into()
            } else {
                format!("there is no '{}'; there are: {}", name.unwrap_or_default(), order.join(", "))
            };
            return Err(Wrong { line: 1, what, cut: false });
        };
        body = chosen.body.clone();
    }
    let mut machine = Machine::new(procs);
    let mut ur = Ur { profile, moves: Vec::new(), frames: Frames::default(), tool: None };
    machine.run(&mut ur, &body);
    Ok(RobotProgram {
        language: super::Language::UrScript,
        name: name.unwrap_or_else(|| "program".into()),
        moves: ur.moves,
        statements: machine.statements,
        notes: machine.notes,
    })
}

struct Reader<'a> {
    parser: Parser<'a>,
    procs: HashMap<String, Rc<Proc>>,
    order: Vec<String>,
}

impl Reader<'_> {
    fn block(&mut self, ends: &[&str], begin: u32, depth: usize) -> Result<(Block, String), Wrong> {
        if depth > 60 {
            return Err(self.parser.wrong("blocks are too deep in each other"));
        }
        let mut all = Vec::new();
        loop {
            match &self.parser.token {
                Token::LineEnd => {
                    self.parser.recover(None);
                    continue;
                }
                Token::End if ends.is_empty() => return Ok((all.into(), String::new())),
                Token::End => {
                    let what = format!("the file ends before the 'end' of line {begin}: it may be cut short");
                    return Err(Wrong { line: self.parser.line, what, cut: true });
                }
                Token::Name(word) if ends.contains(&word.as_str()) => {
                    let word = word.clone();
                    return Ok((all.into(), word));
                }
                _ => {}
            }
            let line = self.parser.line;
            match self.statement(depth) {
                Ok(acts) => all.extend(acts.into_iter().map(|act| Stmt { line, act })),
                Err(wrong) if wrong.cut => return Err(wrong),
                Err(wrong) => {
                    all.push(Stmt { line, act: Act::Strange { why: wrong.what, moves: true } });
                    self.parser.recover(None);
                }
            }
        }
    }

    fn statement(&mut self, depth: usize) -> Result<Vec<Act>, Wrong> {
        let line = self.parser.line;
        let p = &mut self.parser;
        let word = match &p.token {
            Token::Name(word) => word.clone(),
            _ => return Err(p.wrong(format!("{} begins no statement", p.shown()))),
        };
        match word.as_str() {
            "def" | "sec" => {
                p.step()?;
                let name = p.name()?;
                let args = p.args_in_brackets()?;
                let params = args.iter().filter_map(|arg| match (&arg.name, &arg.value) {
                    (Some(name), _) => Some(name.clone()),
                    (None, Some(Expr::Name(name))) => Some(name.clone()),
                    _ => None,
                });
                let params = params.collect();
                p.take(":")?;
                let (body, _) = self.block(&["end"], line, depth + 1)?;
                self.parser.step()?;
                self.order.push(name.clone());
                self.procs.insert(name, Rc::new(Proc { params, body }));
                Ok(Vec::new())
            }
            "thread" => {
                p.skip_line()?;
                self.block(&["end"], line, depth + 1)?;
                self.parser.step()?;
                Ok(vec![Act::Strange {
                    why: "what a thread does at the same time is not looked at".into(),
                    moves: true,
                }])
            }
            "if" => {
                let mut ways = Vec::new();
                p.step()?;
                let mut condition = p.expr()?;
                loop {
                    self.parser.take(":")?;
                    let (body, end) = self.block(&["elif", "else", "end"], line, depth + 1)?;
                    ways.push((condition, body));
                    self.parser.step()?;
                    match end.as_str() {
                        "elif" => condition = self.parser.expr()?,
                        "else" => {
                            self.parser.take(":")?;
                            let (otherwise, _) = self.block(&["end"], line, depth + 1)?;
                            self.parser.step()?;
                            return Ok(vec![Act::If(ways, otherwise)]);
                        }
                        _ => return Ok(vec![Act::If(ways, Rc::from([]))]),
                    }
                }
            }
            "while" => {
                p.step()?;
                let condition = p.expr()?;
                p.take(":")?;
                let (body, _) = self.block(&["end"], line, depth + 1)?;
                self.parser.step()?;
                Ok(vec![Act::While(condition, body)])
            }
            "return" => {
                p.step()?;
                let value =
                    if matches!(p.token, Token::LineEnd | Token::End) { None } else { Some(p.expr()?) };
                Ok(vec![Act::Return(value)])
            }
            "break" | "continue" | "run" | "kill" | "join" | "enter_critical" | "exit_critical" => {
                p.skip_line()?;
                Ok(vec![Act::Strange { why: format!("'{word}' is not followed"), moves: true }])
            }
            "global" | "local" => {
                p.step()?;
                self.statement(depth)
            }
            _ => {
                let place = p.expr()?;
                if p.take("=")? {
                    let value = p.expr()?;
                    return Ok(vec![Act::Let(place, value)]);
                }
                match place {
                    Expr::Call(name, args) => Ok(vec![Act::Call(name, args)]),
                    _ => Err(p.wrong("this is no statement that is known")),
                }
            }
        }
    }
}

struct Ur<'a> {
    profile: &'a Profile,
    moves: Vec<ProgramMove>,
    frames: Frames,
    /// The tip in the flange, once it is set.
    tool: Option<Pose>,
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
    Value::Record(parts.map(|(name, number)| ((*name).to_owned(), Value::Number(number))).collect())
}

impl Ur<'_> {
    fn motion(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), String> {
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
        for (k, arg) in args.iter().enumerate() {
            let place = match arg.name.as_deref() {
                Some("pose" | "q" | "pose_to") => "to",
                Some("pose_via") => "via",
                Some(name) => name,
                None => places.get(k).copied().ok_or("there are too many arguments")?,
            };
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
        let tool = self.frames.of("tcp", self.tool.or_else(|| self.profile.tool("tcp")));
        let work = self.frames.of("base", Some(Pose::IDENTITY));
        if self.moves.len() < super::MOST_MOVES {
            self.moves.push(ProgramMove { line, kind, to, speed, zone, tool, work, insists: false });
        }
        Ok(())
    }
}

impl Language for Ur<'_> {
    fn act(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), Strange> {
        let strange = |why: String| Strange { why, moves: true };
        match name {
            "movej" | "movel" | "movep" | "movec" => self.motion(machine, name, args, line).map_err(strange),
            "set_tcp" => {
                let value = args
                    .first()
                    .and_then(|arg| arg.value.as_ref())
                    .map(|value| machine.value_of(self, value));
                let value = value.unwrap_or_else(|| Value::unknown("the pose of the tool is missing"));
                self.tool = Some(pose_of(&value).map_err(strange)?);
                Ok(())
            }
            _ if HARMLESS.contains(&name) || self.profile.is_harmless(name) => Ok(()),
            _ => Err(strange(format!("'{name}' is not in this file, and could move the robot"))),
        }
    }

    fn function(&mut self, name: &str, args: &[(Option<String>, Value)]) -> Value {
        let number = |k: usize| {
            args.get(k).map_or(Err("an argument is missing".to_owned()), |(_, value)| value.number())
        };
        let pose = |k: usize| {
            args.get(k).map_or(Err("an argument is missing".to_owned()), |(_, value)| pose_of(value))
        };
        let found = match name {
            "pose_trans" => pose(0).and_then(|a| Ok(value_of(&(a * pose(1)?)))),
            "pose_inv" => pose(0).map(|a| value_of(&a.inverse())),
            "pose_add" => pose(0).and_then(|a| {
                let b = pose(1)?;
                let sum = a.translation() + b.translation();
                Ok(value_of(&Pose::of_rotation(a.rotation() * b.rotation(), sum)))
            }),
            "d2r" => number(0).map(|x| Value::Number(x.to_radians())),
            "r2d" => number(0).map(|x| Value::Number(x.to_degrees())),
            "sin" => number(0).map(|x| Value::Number(x.sin())),
            "cos" => number(0).map(|x| Value::Number(x.cos())),
            "tan" => number(0).map(|x| Value::Number(x.tan())),
            "sqrt" => number(0).map(|x| Value::Number(x.sqrt())),
            "norm" | "abs" => number(0).map(|x| Value::Number(x.abs())),
            "floor" => number(0).map(|x| Value::Number(x.floor())),
            "ceil" => number(0).map(|x| Value::Number(x.ceil())),
            "atan2" => number(0).and_then(|y| Ok(Value::Number(y.atan2(number(1)?)))),
            _ => Err(format!("what '{name}' gives is not known")),
        };
        found.unwrap_or_else(Value::Unknown)
    }

    fn known(&self, name: &str) -> Option<Value> {
        (name == "pi").then_some(Value::Number(std::f64::consts::PI))
    }

    fn moves(&self, name: &str) -> bool {
        let moving = [
            "move",
            "servo",
            "speed",
            "force_mode",
            "freedrive",
            "teach_mode",
            "path_offset",
            "conveyor",
            "track_",
        ];
        if moving.iter().any(|begin| name.starts_with(begin)) {
            return true;
        }
        // Whatever asks and reckons does not move.
        let quiet = [
            "get_",
            "is_",
            "read_",
            "pose_",
            "d2r",
            "r2d",
            "sin",
            "cos",
            "tan",
            "atan",
            "acos",
            "asin",
            "sqrt",
            "norm",
            "floor",
            "ceil",
            "abs",
            "to_",
            "str_",
            "length",
            "random",
            "interpolate_pose",
            "socket_",
            "wrench",
            "point_dist",
            "powf",
            "pow",
            "log",
        ];
        !(HARMLESS.contains(&name)
            || self.profile.is_harmless(name)
            || quiet.iter().any(|begin| name.starts_with(begin)))
    }

    fn first(&self) -> usize {
        RULES.first
    }
}
