//! What motion statements of RAPID mean.

use super::data::{HARMLESS, WRITES, function, is_function, known};
use crate::robot_program::config::Config;
use crate::robot_program::frames::Frames;
use crate::robot_program::machine::{Language, Machine, State, Strange, sum};
use crate::robot_program::parser::{Arg, Expr};
use crate::robot_program::profile::Profile;
use crate::robot_program::rounds::tail;
use crate::robot_program::value::{Value, is_part, quaternion_pose};
use crate::robot_program::{External, Frame, MOST_MOVES, MotionKind, ProgramMove, Speed, Target, Zone};
use kansho_geom::Pose;
use std::collections::HashMap;
use std::sync::Arc;

const MOTIONS: [&str; 16] = [
    "movej", "movel", "movec", "moveabsj", "movejdo", "moveldo", "movecdo", "movejao", "movelao", "movecao",
    "triggj", "triggl", "triggc", "searchl", "searchj", "searchc",
];

/// Instructions behind which the robot does not go where a move says: displacements, soft axes, corrections by sensors (same manual).
const BENDS: [&str; 12] = [
    "pdispon",
    "pdispset",
    "eoffson",
    "eoffsset",
    "softact",
    "corrcon",
    "corrwrite",
    "egmruntjoint",
    "egmrunpose",
    "egmrunjoint",
    "actunit",
    "setuprobot",
];

const AXES: [&str; 6] = ["rax_1", "rax_2", "rax_3", "rax_4", "rax_5", "rax_6"];

/// Options of moves that are understood.
const OPTIONS: [&str; 16] = [
    "t2", "t3", "t4", "t5", "t6", "t7", "t8", "conc", "id", "v", "t", "z", "inpos", "wobj", "tload",
    "noeoffs",
];

/// Options of searches (technical reference manual RAPID instructions, SearchL).
const SEARCHES: [&str; 8] =
    ["pstop", "sup", "flanks", "posflank", "negflank", "highlevel", "lowlevel", "persbool"];

/// Where a search leaves the robot.
#[derive(Clone, Copy, PartialEq)]
enum SearchEnd {
    /// At its target: it only notes where it found something (no switch, or `\Sup`).
    Target,
    /// Anywhere on its way (`\PStop` stops on the path).
    Anywhere,
}

/// How a search ends. What it finds is not known.
fn search(machine: &mut Machine, name: &str, args: &[Arg]) -> Result<SearchEnd, String> {
    let has = |wanted: &str| args.iter().any(|arg| arg.name.as_deref() == Some(wanted));
    if let Some(found) =
        args.iter().filter(|arg| arg.name.is_none()).nth(1).and_then(|arg| arg.value.as_ref())
    {
        machine.forget_place(found);
    }
    let back = args.iter().filter(|arg| arg.name.as_deref().is_some_and(gives_back));
    back.filter_map(|arg| arg.value.as_ref()).for_each(|place| machine.forget_place(place));
    if name == "searchj" {
        return Err("SearchJ is not understood".into());
    }
    if has("stop") || has("sstop") {
        return Err("a search with \\Stop or \\SStop may leave its way before the robot stands: only \\PStop stops on it".into());
    }
    Ok(if has("pstop") { SearchEnd::Anywhere } else { SearchEnd::Target })
}

/// Numbers from here on mean that an axis is not used.
const UNUSED: f64 = 8.9e9;

/// What is taken for granted behind routines that are not in the file.
const ASSUMED: &str = "assumed: what is not understood before this line leaves ConfJ, ConfL, SingArea, displacements and soft servo as the program sets them";

/// The state of a controller that moves depend on.
pub(super) struct Rapid<'a> {
    profile: &'a Profile,
    pub(super) moves: Vec<ProgramMove>,
    conf_j: bool,
    conf_l: bool,
    /// Whether tools turn relative to the path on circles, as they do unless it is said otherwise.
    path_frame: bool,
    /// Whether what is switched is not known.
    is_unsure: bool,
    /// What was switched before.
    saved: Vec<[bool; 4]>,
    /// How often something outside of the file may have switched something.
    losses: u64,
    frames: Frames,
    /// Variables that other tasks, panels and computers may set at any time.
    shared: Vec<String>,
    /// Names of parts that stand in different places in types of the module.
    ambiguous: Vec<String>,
    /// Names of the parts of each type of the module, in their order.
    types: Vec<Vec<String>>,
}

impl<'a> Rapid<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        records: &HashMap<String, Vec<(String, String)>>,
        shared: Vec<String>,
    ) -> Self {
        let parts = records.values().flatten().map(|(name, _)| name);
        let ambiguous = parts.filter(|name| is_part(name)).cloned().collect();
        Self {
            profile,
            moves: Vec::new(),
            conf_j: true,
            conf_l: true,
            path_frame: true,
            is_unsure: false,
            saved: Vec::new(),
            losses: 0,
            frames: Frames::default(),
            shared,
            ambiguous,
            types: records
                .values()
                .map(|parts| parts.iter().map(|(name, _)| name.clone()).collect())
                .collect(),
        }
    }

    /// Whether something else may set that variable at any time.
    pub(super) fn is_shared(&self, name: &str) -> bool {
        self.shared.iter().any(|known| known == name)
    }

    /// What such a variable holds.
    pub(super) fn shared(&self, name: &str) -> Value {
        Value::unknown(format!(
            "'{name}' is PERS: another task or a panel may have set it; say in a profile what it holds, [values] {name} = ..."
        ))
    }

    fn motion(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), String> {
        if self.is_unsure {
            return Err("what is switched here (ConfJ, ConfL, CirPathMode, SingArea) is not known".into());
        }
        let mut plain = args.iter().filter(|arg| arg.name.is_none()).filter_map(|arg| arg.value.as_ref());
        let mut next = |what: &str| plain.next().ok_or_else(|| format!("{what} is missing"));
        let by_name = |wanted: &str| {
            args.iter().find(|arg| arg.name.as_deref() == Some(wanted)).and_then(|arg| arg.value.as_ref())
        };
        let search = match name.starts_with("search") {
            true => Some(search(machine, name, args)?),
            false => None,
        };
        let is_triggered = name.starts_with("trigg");
        let name = name.replace("trigg", "move").replace("search", "move");
        if search.is_some() {
            next("the signal")?;
            next("the point that is searched")?;
        }
        let via = if name.starts_with("movec") { Some(next("the point on the circle")?) } else { None };
        let to = next("the target")?;
        let speed = next("the speed")?;
        if is_triggered {
            next("the trigger")?;
        }
        let zone = if search.is_some() { None } else { Some(next("the zone")?) };
        let tool = next("the tool")?;
        let is_known = |name: &str| OPTIONS.contains(&name) || search.is_some() && SEARCHES.contains(&name);
        let strange = args.iter().filter_map(|arg| arg.name.as_deref()).find(|name| !is_known(name));
        if let Some(strange) = strange {
            return Err(format!("\\{strange} changes the motion in a way that is not understood"));
        }
        if args.iter().any(|arg| arg.name.as_deref() == Some("conc")) {
            machine.note(line, "the next statements are run while the robot moves (\\Conc)", false);
        }
        let tool = self.tool(machine, tool)?;
        let work = self.work(machine, by_name("wobj"))?;
        let target = machine.value_of(self, to);
        let external;
        let to = if name.starts_with("moveabsj") {
            let joints = target.named("robax", 0).numbers_of(AXES)?;
            external = external_axes(&target.named("extax", 1))?;
            Target::Joints(joints.iter().map(|angle| angle.to_radians()).collect())
        } else {
            let (pose, config) = robtarget(&target)?;
            external = external_axes(&target.part("extax"))?;
            // Where configurations do not count, one tells nothing of the posture in which a program begins.
            let is_first =
                (self.moves.is_empty() || machine.is_lost()) && !name.starts_with("movej") && !self.conf_l;
            let is_open = name.starts_with("movej") && !self.conf_j || is_first;
            Target::Pose(pose, if is_open { Config::Unsaid } else { config })
        };
        let mut number = |expr: &Expr| machine.value_of(self, expr).number();
        let speed = match (by_name("t"), by_name("v")) {
            (Some(time), _) => number(time).map_or(Speed::Unsaid, Speed::Seconds),
            (None, Some(speed)) => number(speed).map_or(Speed::Unsaid, |mm| Speed::Tip(mm * 1e-3)),
            (None, None) => {
                let speed = machine.value_of(self, speed).named("v_tcp", 0).number();
                speed.map_or(Speed::Unsaid, |mm| Speed::Tip(mm * 1e-3))
            }
        };
        let (zone, turn_zone) = match zone {
            Some(zone) => self.zone(machine, zone, by_name("z"))?,
            // A search ends in a stop.
            None => (Zone::Fine, 0.0),
        };
        let kind = match via {
            Some(via) => MotionKind::Circular(robtarget(&machine.value_of(self, via))?.0),
            None if name.starts_with("movel") => MotionKind::Linear,
            None => MotionKind::Joint,
        };
        if self.moves.len() < MOST_MOVES {
            let (insists, path_frame) = (self.conf_l, self.path_frame);
            self.moves.push(ProgramMove {
                line,
                kind,
                to,
                speed,
                zone,
                turn_zone,
                tool,
                work,
                insists,
                path_frame,
                external,
                near: None,
                after_gap: machine.take_gap(),
                is_again: false,
            });
        }
        if search == Some(SearchEnd::Anywhere) {
            machine.lose_place();
        }
        Ok(())
    }

    /// The tool of a move. One that the file does not define is that of the profile, or nobody's yet.
    fn tool(&mut self, machine: &mut Machine, expr: &Expr) -> Result<Arc<Frame>, String> {
        let name = name_of(expr);
        let at = match machine.value_of(self, expr) {
            Value::Unknown(why) => self.not_in_file(machine, expr, why, self.profile.tool(&name))?,
            tool => {
                if tool.part("robhold") != Value::Truth(true) {
                    return Err(
                        "the tool stands still and the robot holds the work: this is not understood".into()
                    );
                }
                let frame = tool.part("tframe");
                Some(quaternion_pose(&frame.named("trans", 0), &frame.named("rot", 1))?)
            }
        };
        Ok(self.frames.of(&name, at))
    }

    fn work(&mut self, machine: &mut Machine, expr: Option<&Expr>) -> Result<Arc<Frame>, String> {
        let Some(expr) = expr else { return Ok(self.frames.of("wobj0", Some(Pose::IDENTITY))) };
        let name = name_of(expr);
        let at = match machine.value_of(self, expr) {
            Value::Unknown(why) => self.not_in_file(machine, expr, why, self.profile.work(&name))?,
            work => {
                if work.part("robhold") != Value::Truth(false) {
                    return Err("the robot holds the work object: this is not understood".into());
                }
                if work.part("ufprog") != Value::Truth(true) {
                    return Err("the work object is moved by another unit: this is not understood".into());
                }
                let pose = |name: &str| {
                    let frame = work.part(name);
                    quaternion_pose(&frame.named("trans", 0), &frame.named("rot", 1))
                };
                Some(pose("uframe")? * pose("oframe")?)
            }
        };
        Ok(self.frames.of(&name, at))
    }

    /// A frame whose value is not known: what the profile says, if the file gives it no value; an error if the file does, but not which.
    fn not_in_file(
        &self,
        machine: &mut Machine,
        expr: &Expr,
        why: String,
        of_profile: Option<Pose>,
    ) -> Result<Option<Pose>, String> {
        let Expr::Name(name) = expr else { return Err(why) };
        match machine.peek(name) {
            None => {
                if of_profile.is_some() && machine.losses() > 0 {
                    let what = format!(
                        "assumed: what is not understood before this line leaves '{name}' as the profile has it"
                    );
                    let line = machine.line();
                    machine.note(line, what, false);
                }
                Ok(of_profile)
            }
            Some(Value::Unknown(why)) if why.ends_with("was given no value") => {
                of_profile.map(Some).ok_or_else(|| why.clone())
            }
            Some(_) => Err(why),
        }
    }

    /// The corner zone, and how far from the target the tool may begin to turn otherwise, in metres.
    fn zone(
        &mut self,
        machine: &mut Machine,
        zone: &Expr,
        radius: Option<&Expr>,
    ) -> Result<(Zone, f64), String> {
        let zone = machine.value_of(self, zone);
        let mm = match (radius, zone.part("finep")) {
            (Some(mm), _) => machine.value_of(self, mm).number()?,
            (None, Value::Truth(true)) => return Ok((Zone::Fine, 0.0)),
            (None, Value::Truth(false)) => zone.part("pzone_tcp").number()?,
            (None, Value::Unknown(why)) => return Err(format!("the zone is not known: {why}")),
            (None, other) => return Err(format!("{} is no zone", other.kind())),
        };
        let turn_mm = zone.part("pzone_ori").number()?.max(mm);
        if mm >= 0.0 {
            Ok((Zone::Radius(mm * 1e-3), turn_mm * 1e-3))
        } else {
            Err(format!("a zone of {mm} mm is none"))
        }
    }

    /// What an instruction sets.
    fn write(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) {
        let places: Vec<&Expr> = args
            .iter()
            .filter(|arg| match arg.name.as_deref() {
                Some(option) => ["timeflag", "value", "result"].contains(&option),
                None => !name.starts_with("wait"),
            })
            .filter_map(|arg| arg.value.as_ref())
            .collect();
        let Some(place) = places.first() else { return };
        let by = match (name, places.get(1)) {
            ("incr", _) => Value::Number(1.0),
            ("decr", _) => Value::Number(-1.0),
            ("add", Some(by)) => machine.value_of(self, by),
            ("clear", _) => {
                machine.put(self, place, Value::Number(0.0), line);
                return;
            }
            _ => {
                places.iter().for_each(|place| machine.forget_place(place));
                return;
            }
        };
        let value = machine.value_of(self, place);
        machine.put(self, place, sum(value, by), line);
    }
}

/// Options of instructions and functions that are only read.
const READ: [&str; 19] = [
    "maxtime",
    "rx",
    "ry",
    "rz",
    "dec",
    "exp",
    "wobj",
    "tool",
    "t",
    "v",
    "z",
    "id",
    "inpos",
    "tload",
    "num",
    "bool",
    "sdelay",
    "width",
    "visualize",
];

/// Whether an option may give something back.
fn gives_back(option: &str) -> bool {
    !READ.contains(&option)
}

fn name_of(expr: &Expr) -> String {
    match expr {
        Expr::Name(name) => name.clone(),
        Expr::Part(of, part) => format!("{}.{part}", name_of(of)),
        _ => "as written".into(),
    }
}

/// Axes beyond the sixth: where they are, if they are used.
fn external_axes(external: &Value) -> Result<External, String> {
    match external {
        Value::List(list) if list.len() <= 6 => {
            let mut found = External::default();
            for (axis, found) in list.iter().zip(&mut found) {
                let value = axis.number()?;
                *found = (value.abs() < UNUSED).then_some(value);
            }
            Ok(found)
        }
        Value::Unknown(why) => Err(format!("whether external axes are moved is not known: {why}")),
        other => Err(format!("{} stands where external axes are wanted", other.kind())),
    }
}

fn robtarget(value: &Value) -> Result<(Pose, Config), String> {
    let pose = quaternion_pose(&value.part("trans"), &value.part("rot"))?;
    let config = value.part("robconf").numbers_of(["cf1", "cf4", "cf6", "cfx"])?;
    if config.iter().any(|number| number.fract() != 0.0 || number.abs() > 100.0) {
        return Err("the configuration has numbers that are no whole ones".into());
    }
    Ok((pose, Config::Abb(config.map(|number| number as i32))))
}

impl Language for Rapid<'_> {
    fn act(&mut self, machine: &mut Machine, name: &str, args: &[Arg], line: u32) -> Result<(), Strange> {
        let has = |wanted: &str| args.iter().any(|arg| arg.name.as_deref() == Some(wanted));
        if MOTIONS.contains(&name) {
            if machine.losses() != self.losses {
                self.losses = machine.losses();
                machine.note(line, ASSUMED, false);
            }
            return self.motion(machine, name, args, line).map_err(Strange::to_unknown);
        }
        match name {
            "confj" => self.conf_j = !has("off"),
            "confl" => self.conf_l = !has("off"),
            "cirpathmode" if has("objectframe") => self.path_frame = false,
            "cirpathmode" if has("pathframe") => self.path_frame = true,
            "singarea" if has("wrist") || has("lockaxis4") => {
                self.is_unsure = true;
                return Err(Strange::to_unknown(
                    "the tool may be turned near singularities (SingArea): its motion is not known",
                ));
            }
            "singarea" => {}
            // The program ends, and is not started again (technical reference manual RAPID instructions, EXIT).
            "exit" => machine.stop(),
            _ if HARMLESS.contains(&name) || self.profile.is_harmless(name) => {
                let mut conditions =
                    args.iter().filter(|arg| arg.name.is_none()).filter_map(|arg| arg.value.as_ref());
                if name == "waituntil"
                    && !conditions.clone().any(|expr| machine.calls_routine(expr))
                    && conditions.any(|expr| machine.value_of(self, expr) == Value::Truth(false))
                {
                    return Err(Strange::moving(
                        "what is waited for only something else can bring about: what that sets is not known",
                    ));
                }
                if WRITES.contains(&name) {
                    self.write(machine, name, args, line);
                }
                // What options give back, and whatever a routine does with what it is handed, is not known.
                let is_of_user = self.profile.is_harmless(name);
                let is_given_back = |arg: &&Arg| match &arg.name {
                    Some(option) => is_of_user || gives_back(option),
                    None => is_of_user,
                };
                let back: Vec<Arg> = args.iter().filter(is_given_back).cloned().collect();
                machine.forget_args(&back);
                // What is called there may be called again and again, and at the end is as it was.
                let mut exprs = args.iter().filter_map(|arg| arg.value.as_ref());
                if exprs.any(|expr| machine.calls_routine(expr)) {
                    return Err(Strange::moving("what is called in this instruction is not followed"));
                }
            }
            _ => {
                self.is_unsure |= BENDS.contains(&name);
                return Err(Strange::moving(format!("'{name}' is not known, and could move the robot")));
            }
        }
        Ok(())
    }

    fn function(&mut self, name: &str, args: &[(Option<String>, Value)]) -> Value {
        function(name, args).unwrap_or_else(Value::Unknown)
    }

    fn known(&self, name: &str) -> Option<Value> {
        known(name)
    }

    fn moves(&self, name: &str) -> bool {
        !(HARMLESS.contains(&name) || self.profile.is_harmless(name) || is_function(name))
    }

    fn is_motion(&self, name: &str) -> bool {
        MOTIONS.contains(&name)
    }

    fn moves_made(&mut self) -> &mut Vec<ProgramMove> {
        &mut self.moves
    }

    fn writes(&self, name: &str) -> bool {
        WRITES.contains(&name) || self.profile.is_harmless(name) || self.moves(name) && !self.is_motion(name)
    }

    fn gives_back(&self, option: &str) -> bool {
        gives_back(option)
    }

    fn first(&self) -> usize {
        super::RULES.first
    }

    fn kept(&self, name: &str, value: Value) -> Value {
        if self.is_shared(name) { self.shared(name) } else { value }
    }

    fn state(&self) -> State {
        (tail(&self.moves), self.settings())
    }

    fn settings(&self) -> String {
        format!("{} {} {} {}", self.conf_j, self.conf_l, self.path_frame, self.is_unsure)
    }

    fn save(&mut self) {
        self.saved.push([self.conf_j, self.conf_l, self.path_frame, self.is_unsure]);
    }

    fn restore(&mut self) {
        if let Some(saved) = self.saved.last() {
            [self.conf_j, self.conf_l, self.path_frame, self.is_unsure] = *saved;
        }
    }

    fn drop_saved(&mut self) {
        self.saved.pop();
    }

    fn unsure(&mut self) {
        self.is_unsure = true;
    }

    fn has_order(&self, parts: &[(String, Value)]) -> bool {
        self.types.iter().any(|known| known.iter().eq(parts.iter().map(|(name, _)| name)))
    }

    fn is_ambiguous(&self, part: &str) -> bool {
        self.ambiguous.iter().any(|known| known == part)
    }
}
