//! Motion instructions.

use super::State;
use crate::robot_program::{External, MOST_MOVES, MotionKind, ProgramMove, Speed, Target, Zone};
use kansho_geom::Pose;

impl State<'_> {
    /// `MOVJ C00000 VJ=50.00`, `MOVL C00001 V=100.0 PL=0`, `MOVC C00002 V=100.0`
    pub(super) fn motion(&mut self, words: &[&str], line: u32) -> Result<(), String> {
        let name = *words.get(1).ok_or("the target is missing")?;
        let (mut speed, mut zone) = (Speed::Unsaid, None);
        for word in &words[2..] {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            // Rust reads `nan` and `inf` as numbers, too; neither is a speed.
            let number = value.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
            let number = number.ok_or_else(|| format!("'{word}' is not understood"));
            match key {
                "VJ" => speed = Speed::Part(number? / 100.0),
                "V" => speed = Speed::Tip(number? * 1e-3),
                "PL" => zone = Some(number?),
                "ACC" | "DEC" | "VR" | "VE" => {}
                "CR" => return Err("corners by their radius (CR) are not understood".into()),
                _ => return Err(format!("'{word}' changes the motion in a way that is not understood")),
            }
        }
        if !name.starts_with('C') {
            return Err(format!("what the variable {name} holds is only known to the controller"));
        }
        let position = self.positions.get(name).ok_or_else(|| format!("there is no position {name}"))?;
        let to = position.target.clone()?;
        // Without a position level the controller chooses: a stop is PL=0.
        let zone = match zone {
            Some(level) if level <= 0.0 => Zone::Fine,
            Some(level) => Zone::Smooth(level / 8.0),
            None => Zone::Smooth(1.0),
        };
        let tool_name = position.tool.to_string();
        // Where joints go to joint values, neither tool nor frame matters.
        let is_lost = self.known.are_frames_lost;
        let is_joints = words[0] == "MOVJ" && matches!(to, Target::Joints(_));
        let lost = |what: &str, name: &str| {
            format!(
                "{what} {name} may have been set by what is not understood before this move: name that in a profile if it is harmless"
            )
        };
        let known = match self.known.tools.get(&position.tool) {
            Some(Some(pose)) => Some(*pose),
            Some(None) => return Err(format!("tool {tool_name} is as an earlier run left it")),
            None if is_lost && is_joints => None,
            None if is_lost => return Err(lost("tool", &tool_name)),
            None => self.profile.tool(&tool_name),
        };
        let tool = self.frames.of(&tool_name, known);
        let work = match position.frame {
            None => self.frames.of("BASE", Some(Pose::IDENTITY)),
            Some(number) => {
                let number = number.to_string();
                if is_lost && !is_joints {
                    return Err(lost("user frame", &number));
                }
                self.frames.of(&number, self.profile.work(&number))
            }
        };
        let kind = if words[0] == "MOVJ" { MotionKind::Joint } else { MotionKind::Linear };
        let one = ProgramMove {
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
            external: External::default(),
            near: None,
            after_gap: false,
            is_again: false,
        };
        let made = if words[0] == "MOVC" {
            self.known.circle.point(one)?
        } else {
            self.known.circle.other()?;
            vec![one]
        };
        for one in made {
            // Circles are told apart by moves to where the tip is.
            let is_there =
                |last: &ProgramMove| last.to == one.to && last.tool == one.tool && last.work == one.work;
            let is_lost = std::mem::take(&mut self.is_lost);
            let is_still =
                one.kind == MotionKind::Linear && !is_lost && self.program.moves.last().is_some_and(is_there);
            if !is_still && self.program.moves.len() < MOST_MOVES {
                self.program.moves.push(ProgramMove { after_gap: is_lost, ..one });
            }
        }
        Ok(())
    }
}
