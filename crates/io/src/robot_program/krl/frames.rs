//! Tools, bases and what `BAS` sets.

use super::motion::{Krl, pose_of};
use crate::robot_program::Frame;
use crate::robot_program::machine::{Machine, Strange};
use crate::robot_program::parser::Arg;
use crate::robot_program::value::Value;
use kansho_geom::Pose;
use std::sync::Arc;

/// What `BAS` does that changes neither targets nor ways to them.
const QUIET: [&str; 4] = ["#acc_cp", "#acc_ptp", "#acc_gluh", "#out"];

/// Tools and bases that a controller keeps, at most.
const MOST_FRAMES: u32 = 128;

impl Krl<'_> {
    /// `$TOOL` or `$BASE` as they are.
    pub(super) fn frame(&mut self, machine: &mut Machine, name: &str) -> Result<Arc<Frame>, String> {
        let is_tool = name == "$tool";
        match machine.peek(name).cloned() {
            None if is_tool => Ok(self.frames.of("$TOOL", self.profile.tool("$tool"))),
            // It is as the program before left it, so nobody knows.
            None => Ok(self.frames.of("$BASE", self.profile.work("$base"))),
            Some(Value::Text(number)) => {
                // A number of a tool or base that the controller keeps.
                let kept = if is_tool { self.profile.tool(&number) } else { self.profile.work(&number) };
                Ok(self.frames.of(&number, kept))
            }
            Some(value) => Ok(self.frames.of(&name.to_ascii_uppercase(), Some(pose_of(&value)?))),
        }
    }

    /// Frames that the controller keeps, as far as the profile has them: `TOOL_DATA` and `BASE_DATA`.
    pub(super) fn kept_frames(&self, name: &str) -> Option<Value> {
        let frames = match name {
            "tool_data" => &self.profile.tools,
            "base_data" => &self.profile.work,
            _ => return None,
        };
        // Others are known by their numbers.
        let said = |number: u32| frames.iter().any(|(name, _)| name.parse() == Ok(number));
        let others = (1..=MOST_FRAMES).filter(|number| !said(*number));
        let others = others.map(|number| (format!("[{}", number - 1), Value::Text(number.to_string())));
        let numbered = frames.iter().filter_map(|(name, pose)| {
            let number = name.parse::<u32>().ok().filter(|number| *number > 0)?;
            Some((format!("[{}", number - 1), super::motion::value_of(pose)))
        });
        Some(Value::Record(numbered.chain(others).collect()))
    }

    fn set_frame(&mut self, machine: &mut Machine, name: &str, number: f64) {
        let array = if name == "$tool" { "tool_data" } else { "base_data" };
        let all = machine.peek(array).cloned().or_else(|| self.kept_frames(array));
        let value = if number == 0.0 {
            super::motion::value_of(&Pose::IDENTITY)
        } else {
            match all.map(|all| all.part(&format!("[{}", number - 1.0))) {
                Some(value @ Value::Record(_)) => value,
                // The file sets it, and nobody knows to what.
                Some(Value::Unknown(why)) if machine.peek(array).is_some() => Value::Unknown(why),
                _ => Value::Text(format!("{number}")),
            }
        };
        machine.set_global(name.into(), value);
    }

    /// `BAS(#TOOL,1)` and its like.
    pub(super) fn bas(&mut self, machine: &mut Machine, args: &[Arg]) -> Result<(), Strange> {
        let mut values = Vec::new();
        for arg in args {
            let value = arg.value.as_ref().map(|value| machine.value_of(self, value));
            values.extend(value);
        }
        let Some(Value::Text(what)) = values.first() else {
            return Err(Strange::moving("what BAS is to do is not known"));
        };
        let number = values.get(1).map_or(Err("a number is missing".to_owned()), Value::number);
        let second = values.get(1).cloned().unwrap_or(Value::unknown("the speed is not known"));
        let record = |name: &str, value: Value| Value::Record(vec![(name.into(), value)]);
        match what.as_str() {
            "#tool" => self.set_frame(machine, "$tool", number.map_err(Strange::moving)?),
            "#base" => self.set_frame(machine, "$base", number.map_err(Strange::moving)?),
            "#vel_cp" => machine.set_global("$vel".into(), record("cp", second)),
            "#vel_ptp" => machine.set_global("$vel_axis".into(), record("[0", second)),
            "#frames" | "#ptp_params" | "#cp_params" => {
                self.active(machine)?;
                if what == "#cp_params" {
                    machine.set_global("$vel".into(), record("cp", second));
                    self.line_data(machine);
                } else if what == "#ptp_params" {
                    machine.set_global("$vel_axis".into(), record("[0", second));
                }
            }
            // It copies the data of the next moves: how corners are rounded and how the tool turns are among them.
            "#cp_dat" => self.line_data(machine),
            "#ptp_dat" => {
                let mut apo = machine.peek("$apo").cloned().unwrap_or(Value::Record(Vec::new()));
                *apo.part_mut("cptp") = Value::unknown("BAS(#PTP_DAT) sets it");
                machine.set_global("$apo".into(), apo);
            }
            // It sets all that moves depend on to what the controller begins with.
            "#initmov" => {
                for name in
                    ["$tool", "$base", "$apo", "$ori_type", "$circ_type", "$ipo_mode", "$vel", "$vel_axis"]
                {
                    if machine.peek(name).is_some() {
                        let why = "BAS(#INITMOV) sets it to what the controller begins with";
                        machine.set_global(name.into(), Value::unknown(why));
                    }
                }
            }
            _ if QUIET.contains(&what.as_str()) => {}
            _ => {
                return Err(Strange::moving(format!(
                    "what BAS does with {} is not understood",
                    what.to_ascii_uppercase()
                )));
            }
        }
        Ok(())
    }

    /// Tool, base and what they are led by, from `FDAT_ACT`.
    fn active(&mut self, machine: &mut Machine) -> Result<(), Strange> {
        let Some(act) = machine.peek("fdat_act").cloned() else {
            for name in ["$tool", "$base"] {
                let why = "FDAT_ACT, which names it, is as an earlier program left it";
                machine.set_global(name.into(), Value::unknown(why));
            }
            return Ok(());
        };
        for (part, name) in [("tool_no", "$tool"), ("base_no", "$base")] {
            let number = act.part(part).number().map_err(Strange::moving)?;
            self.set_frame(machine, name, number);
        }
        if act.part("ipo_frame") != Value::Text("#base".into()) {
            return Err(Strange::moving("the robot holds the work (IPO_FRAME #TCP): this is not understood"));
        }
        Ok(())
    }

    /// How corners are rounded and how the tool turns, from `LDAT_ACT`.
    fn line_data(&mut self, machine: &mut Machine) {
        let Some(data) = machine.peek("ldat_act").cloned() else {
            for name in ["$apo", "$ori_type", "$circ_type"] {
                let why = "LDAT_ACT, which says it, is as an earlier program left it";
                machine.set_global(name.into(), Value::unknown(why));
            }
            return;
        };
        let distance = Value::Record(vec![("cdis".into(), data.part("apo_dist"))]);
        machine.set_global("$apo".into(), distance);
        for (part, name) in [("ori_typ", "$ori_type"), ("circ_typ", "$circ_type")] {
            match data.part(part) {
                // Not all data have it.
                Value::Unknown(why) if why.starts_with("nothing is said of") => {}
                value => machine.set_global(name.into(), value),
            }
        }
    }
}
