//! Motion statements.

use super::State;
use super::sections::Position;
use crate::robot_program::{Frame, MotionKind, ProgramMove, Speed, Target, Zone};
use kansho_geom::Pose;
use std::collections::HashMap;
use std::sync::Arc;

/// Whether a statement moves the robot to positions.
pub(super) fn is_one(text: &str) -> bool {
    matches!(text.split_whitespace().next(), Some("J" | "L" | "C"))
}

impl State<'_> {
    /// `J P[1] 50% FINE`, `L P[2] 100mm/sec CNT50`, `C P[3] P[4] 100mm/sec FINE`
    pub(super) fn motion(
        &mut self,
        text: &str,
        line: u32,
        positions: &HashMap<u32, Position>,
    ) -> Result<ProgramMove, String> {
        let mut words = text.split_whitespace().peekable();
        let letter = words.next().unwrap_or_default();
        // Positions may have comments with blanks in them.
        let mut targets = Vec::new();
        let mut rest = text[letter.len()..].trim_start();
        while rest.starts_with(['P', ':', '@']) {
            // At a position where the robot stood when the file was written there is an @.
            rest = rest.trim_start_matches([':', '@', ' ']);
            if rest.starts_with("PR[") {
                return Err("positions in registers are only known to the controller".into());
            }
            let after = rest.strip_prefix("P[").ok_or("a position is written as P[1]")?;
            let end = after.find(']').ok_or("']' is missing")?;
            let inner = &after[..end];
            let number: u32 = inner
                .split(':')
                .next()
                .unwrap_or_default()
                .trim()
                .parse()
                .map_err(|_| format!("'{inner}' is no position"))?;
            targets.push(number);
            rest = after[end + 1..].trim_start();
        }
        let wanted = if letter == "C" { 2 } else { 1 };
        if targets.len() != wanted {
            return Err(format!("{wanted} positions are wanted, not {}", targets.len()));
        }
        let mut words = rest.split_whitespace();
        let speed = words.next().ok_or("the speed is missing")?;
        let (number, unit) =
            speed.split_at(speed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(speed.len()));
        let speed = match (number.parse::<f64>(), unit) {
            (Ok(number), "%") => Speed::Part(number / 100.0),
            (Ok(number), "mm/sec") => Speed::Tip(number * 1e-3),
            (Ok(number), "cm/min") => Speed::Tip(number * 1e-2 / 60.0),
            (Ok(number), "inch/min") => Speed::Tip(number * 0.0254 / 60.0),
            (Ok(number), "sec") => Speed::Seconds(number),
            (Ok(number), "msec") => Speed::Seconds(number * 1e-3),
            _ => Speed::Unsaid,
        };
        let end = words.next().ok_or("FINE or CNT is missing")?;
        let zone = match end.strip_prefix("CNT") {
            Some(number) => {
                let part: f64 =
                    number.parse().map_err(|_| format!("'{end}' is no rounding that is known"))?;
                Zone::Smooth(part / 100.0)
            }
            None if end == "FINE" => Zone::Fine,
            None => return Err(format!("'{end}' is no rounding that is known")),
        };
        for option in words {
            let is_option = |begin: &&str| {
                let rest = option.strip_prefix(*begin);
                rest.is_some_and(|rest| rest.starts_with("R[") || rest.chars().all(|c| c.is_ascii_digit()))
            };
            let calls = ["DB", "TB", "TA"].iter().any(|begin| option.starts_with(begin));
            if !calls && !["ACC", "ACCEL", "PSPD"].iter().any(is_option) {
                return Err(format!("'{option}' changes the motion in a way that is not understood"));
            }
            if option.starts_with("TB") || option.starts_with("TA") || option.starts_with("DB") {
                return Err(format!("what '{option}' calls is not looked at"));
            }
        }
        let find = |number: u32| {
            if self.written.has(number) {
                return Err(format!("P[{number}] is set by the program: where it is then is not known"));
            }
            positions.get(&number).ok_or_else(|| format!("there is no position P[{number}]"))
        };
        let last = find(targets[wanted - 1])?;
        let to = last.target.clone()?;
        let kind = match letter {
            "J" => MotionKind::Joint,
            "L" => MotionKind::Linear,
            _ => {
                let via = find(targets[0])?;
                if (via.tool, via.frame) != (last.tool, last.frame) {
                    let what =
                        "the points of a circle are of different tools or frames: the controller stops there";
                    return Err(what.into());
                }
                match &via.target {
                    Ok(Target::Pose(via, _)) => MotionKind::Circular(*via),
                    Ok(Target::Joints(_)) => {
                        return Err("a circle through joint values is not understood".into());
                    }
                    Err(why) => return Err(why.clone()),
                }
            }
        };
        for (chosen, of_position, what) in
            [(self.known.tool, last.tool, "tool"), (self.known.frame, last.frame, "frame")]
        {
            if let Some(chosen) = chosen
                && chosen != of_position
            {
                return Err(format!(
                    "{what} {chosen} is chosen, and the position is of {what} {of_position}: the controller stops there"
                ));
            }
        }
        // Where joints go to joint values, neither matters.
        let is_joints = kind == MotionKind::Joint && matches!(to, Target::Joints(_));
        let tool = self.frame_of(last.tool, true, is_joints)?;
        let work = self.frame_of(last.frame, false, is_joints)?;
        Ok(ProgramMove {
            line,
            kind,
            to,
            speed,
            zone,
            turn_zone: 0.0,
            tool,
            work,
            insists: true,
            path_frame: false,
            external: last.external,
            near: None,
            after_gap: std::mem::take(&mut self.is_lost),
            is_again: false,
        })
    }

    fn frame_of(&mut self, number: u32, is_tool: bool, is_joints: bool) -> Result<Arc<Frame>, String> {
        let set = if is_tool { &self.known.tools } else { &self.known.work };
        let name = number.to_string();
        let at = match set.get(&number) {
            Some(Ok(pose)) => Some(*pose),
            Some(Err(why)) => return Err(why.clone()),
            None if number == 0 => Some(Pose::IDENTITY),
            None if self.known.are_frames_lost && is_joints => None,
            None if self.known.are_frames_lost => {
                let head = if is_tool { "UTOOL" } else { "UFRAME" };
                return Err(format!(
                    "{head}[{number}] may have been set by what is not understood before this move: name that in a profile if it is harmless"
                ));
            }
            None if is_tool => self.profile.tool(&name),
            None => self.profile.work(&name),
        };
        Ok(self.frames.of(&name, at))
    }
}
