use super::{OutKind, OutMove, Printed, Writer, digits, list};
use crate::robot_program::config::Config;
use crate::robot_program::value::fixed_angles_deg;
use crate::robot_program::{Speed, Zone};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::f64::consts::TAU;
use std::fmt::Write;

/// Keeps a job from its end: in the cycle AUTO the controller would start it again. Whoever starts it here comes back here.
const HOLDS: &str = "*HOLD\nPAUSE\nJUMP *HOLD\n";

/// Positions and instructions of a job.
struct Job {
    positions: String,
    lines: String,
    count: usize,
    tool: u32,
    is_user: bool,
    /// What was last said of positions: of joints, or of poses in a configuration.
    last: Option<Option<String>>,
}

pub(super) fn write(
    writer: &mut Writer<'_>,
    moves: &[OutMove],
    name: &str,
    holds: bool,
) -> Result<Vec<(String, Vec<u8>)>, String> {
    let options = writer.options;
    let mut job = Job {
        positions: String::new(),
        lines: String::new(),
        count: 0,
        tool: options.tool.parse().unwrap_or(1),
        is_user: options.base_from_work != Pose::IDENTITY,
        last: None,
    };
    let mut before: Option<&OutMove> = None;
    for one in moves {
        let end = match one.zone {
            Zone::Fine => "PL=0".to_owned(),
            Zone::Smooth(part) => format!("PL={}", digits((part * 8.0).clamp(0.0, 8.0), 0)),
            Zone::Radius(_) => {
                writer.note("corners with a radius are stops (PL=0)");
                "PL=0".to_owned()
            }
        };
        let mm = if let Speed::Tip(speed) = one.speed { speed * 1e3 } else { 100.0 };
        let speed = digits(mm, 1);
        match one.kind {
            OutKind::Joint => {
                let name = job.target(writer, one);
                let part = digits(writer.part(one.speed) * 100.0, 2);
                let _ = writeln!(job.lines, "MOVJ {name} VJ={part} {end}");
            }
            OutKind::Linear => {
                let name = job.target(writer, one);
                let _ = writeln!(job.lines, "MOVL {name} V={speed} {end}");
            }
            OutKind::Circular(via) => {
                let from = before.ok_or("a job begins with a circle, and where that begins is not known")?;
                let config = Config::of(writer.arm, &one.posture);
                if config != Config::of(writer.arm, &from.posture) {
                    return Err("on a circle the configuration changes: that is not written in JBI".into());
                }
                // Two circles one after the other are told apart by a move to where the tip is.
                let first = job.pose(writer, &world_from_tip(writer, from), config);
                if matches!(from.kind, OutKind::Circular(_)) {
                    let _ = writeln!(job.lines, "MOVL {first} V={speed} PL=0");
                }
                let middle = job.pose(writer, &on_the_way(writer, from, via.translation(), one)?, config);
                let last = job.pose(writer, &world_from_tip(writer, one), config);
                for name in [first, middle, last] {
                    let _ = writeln!(job.lines, "MOVC {name} V={speed} PL=0");
                }
                if end != "PL=0" {
                    writer.note("ends of circles are stops (PL=0)");
                }
            }
        }
        before = Some(one);
    }
    if holds {
        job.lines += HOLDS;
    }
    Ok(vec![(format!("{name}.jbi"), file(name, job.count, &job.positions, &job.lines))])
}

fn world_from_tip(writer: &Writer<'_>, one: &OutMove) -> Pose {
    writer.arm.world_from_flange(&one.posture) * writer.options.flange_from_tip
}

/// The pose at a point of a circle: the tool turns evenly, so it has turned by as much as the tip has gone.
fn on_the_way(writer: &Writer<'_>, from: &OutMove, via: DVec3, to: &OutMove) -> Result<Pose, String> {
    let (from, to) = (world_from_tip(writer, from), world_from_tip(writer, to));
    let [a, b, c] = [from.translation(), via, to.translation()];
    // Angles at the rim are half of those at the centre.
    let angle = |at: DVec3, p: DVec3, q: DVec3| 2.0 * (p - at).angle_between(q - at);
    let (first, whole) = (angle(c, a, b), TAU - angle(b, a, c));
    let part = first / whole;
    if !(part > 0.0 && part < 1.0) {
        return Err("the points of a circle make none".into());
    }
    Pose::from_quat(from.quat().slerp(to.quat(), part), via).map_err(|not| not.to_string())
}

impl Job {
    fn add(&mut self, numbers: &str) -> String {
        let name = format!("C{:05}", self.count);
        self.count += 1;
        let _ = writeln!(self.positions, "{name}={numbers}");
        name
    }

    fn target(&mut self, writer: &mut Writer<'_>, one: &OutMove) -> String {
        match (writer.target(one), writer.arm.profile().pulses_per_degree) {
            (Printed::Axes(axes), Some(pulses)) => {
                if self.last != Some(None) {
                    let _ = writeln!(self.positions, "///TOOL {}\n///POSTYPE PULSE\n///PULSE", self.tool);
                    self.last = Some(None);
                }
                let pulses: Vec<f64> =
                    axes.iter().zip(pulses).map(|(axis, of)| (axis * of).round()).collect();
                return self.add(&list(&pulses, 0));
            }
            (Printed::Axes(_), None) => {
                writer.note("how many pulses a degree has is not known (pulses_per_degree in a profile), so that moves of joints have poses as targets");
            }
            (Printed::Pose(..), _) => {}
        }
        let config = Config::of(writer.arm, &one.posture);
        self.pose(writer, &world_from_tip(writer, one), config)
    }

    fn pose(&mut self, writer: &Writer<'_>, world_from_tip: &Pose, config: Config) -> String {
        let config =
            if let Config::Yaskawa(_) = config { config.to_string() } else { "0,0,0,0,0,0,0,0".into() };
        if self.last != Some(Some(config.clone())) {
            let (tool, user) = (self.tool, writer.options.work.parse::<u32>().unwrap_or(1));
            let kind = if self.is_user {
                format!("///USER {user}\n///TOOL {tool}\n///POSTYPE USER")
            } else {
                format!("///TOOL {tool}\n///POSTYPE BASE")
            };
            let _ = writeln!(self.positions, "{kind}\n///RECTAN\n///RCONF {config}");
            self.last = Some(Some(config));
        }
        let pose = writer.work_from(world_from_tip);
        let (p, wpr) = (pose.translation() * 1e3, fixed_angles_deg(&pose));
        self.add(&format!("{},{}", list(&[p.x, p.y, p.z], 4), list(&wpr, 4)))
    }
}

pub(super) fn main(parts: &[String], name: &str, holds: bool) -> (String, Vec<u8>) {
    let mut lines: String = parts.iter().map(|part| format!("CALL JOB:{part}\n")).collect();
    if holds {
        lines += HOLDS;
    }
    (format!("{name}.jbi"), file(name, 0, "", &lines))
}

fn file(name: &str, count: usize, positions: &str, lines: &str) -> Vec<u8> {
    let kind = if positions.contains("RECTAN") { "///ATTR SC,RW,RJ" } else { "///ATTR SC,RW" };
    format!("/JOB\n//NAME {name}\n//POS\n///NPOS {count},0,0,0,0,0\n{positions}//INST\n///DATE 2000/01/01 00:00\n///COMM kansho\n{kind}\n///GROUP1 RB1\nNOP\n{lines}END\n").into_bytes()
}
