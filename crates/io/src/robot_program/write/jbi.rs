use super::{OutKind, OutMove, Printed, Writer, digits, list};
use crate::robot_program::config::Config;
use crate::robot_program::value::fixed_angles_deg;
use crate::robot_program::{Speed, Zone};
use kansho_geom::Pose;
use std::fmt::Write;

pub(super) fn write(writer: &mut Writer<'_>, moves: &[OutMove], name: &str) -> Vec<(String, Vec<u8>)> {
    let options = writer.options;
    let number = |name: &str| name.parse::<u32>().unwrap_or(1);
    let tool = number(&options.tool);
    let is_user = options.base_from_work != Pose::IDENTITY;
    let (mut positions, mut lines) = (String::new(), String::new());
    let mut last = None;
    for (k, one) in moves.iter().enumerate() {
        let printed = match (writer.target(one), writer.arm.profile().pulses_per_degree) {
            (Printed::Axes(axes), Some(pulses)) => {
                if last != Some(None) {
                    let _ = writeln!(positions, "///TOOL {tool}\n///POSTYPE PULSE\n///PULSE");
                    last = Some(None);
                }
                let pulses: Vec<f64> =
                    axes.iter().zip(pulses).map(|(axis, of)| (axis * of).round()).collect();
                list(&pulses, 0)
            }
            (Printed::Axes(_), None) => {
                writer.note("how many pulses a degree has is not known (pulses_per_degree in a profile), so that moves of joints have poses as targets");
                pose(writer, one, &mut positions, &mut last, tool, is_user)
            }
            (Printed::Pose(..), _) => pose(writer, one, &mut positions, &mut last, tool, is_user),
        };
        let _ = writeln!(positions, "C{k:05}={printed}");
        let end = match one.zone {
            Zone::Fine => "PL=0".to_owned(),
            Zone::Smooth(part) => format!("PL={}", digits((part * 8.0).clamp(0.0, 8.0), 0)),
            Zone::Radius(_) => {
                writer.note("corners with a radius are stops (PL=0)");
                "PL=0".to_owned()
            }
        };
        let _ = match (one.kind, one.speed) {
            (OutKind::Joint, speed) => {
                writeln!(lines, "MOVJ C{k:05} VJ={} {end}", digits(writer.part(speed) * 100.0, 2))
            }
            // Circles were refused before.
            (OutKind::Linear | OutKind::Circular(_), speed) => {
                let mm = if let Speed::Tip(speed) = speed { speed * 1e3 } else { 100.0 };
                writeln!(lines, "MOVL C{k:05} V={} {end}", digits(mm, 1))
            }
        };
    }
    vec![(format!("{name}.jbi"), file(name, moves.len(), &positions, &lines))]
}

fn pose(
    writer: &Writer<'_>,
    one: &OutMove,
    positions: &mut String,
    last: &mut Option<Option<String>>,
    tool: u32,
    is_user: bool,
) -> String {
    let Printed::Pose(pose, config) = writer.pose(&one.posture) else { unreachable!("it is a pose") };
    let config = if let Config::Yaskawa(_) = config { config.to_string() } else { "0,0,0,0,0,0,0,0".into() };
    if *last != Some(Some(config.clone())) {
        let user = writer.options.work.parse::<u32>().unwrap_or(1);
        let kind = if is_user {
            format!("///USER {user}\n///TOOL {tool}\n///POSTYPE USER")
        } else {
            format!("///TOOL {tool}\n///POSTYPE BASE")
        };
        let _ = writeln!(positions, "{kind}\n///RECTAN\n///RCONF {config}");
        *last = Some(Some(config));
    }
    let (p, wpr) = (pose.translation() * 1e3, fixed_angles_deg(&pose));
    format!("{},{}", list(&[p.x, p.y, p.z], 4), list(&wpr, 4))
}

pub(super) fn main(parts: &[String], name: &str) -> (String, Vec<u8>) {
    let lines: String = parts.iter().map(|part| format!("CALL JOB:{part}\n")).collect();
    (format!("{name}.jbi"), file(name, 0, "", &lines))
}

fn file(name: &str, count: usize, positions: &str, lines: &str) -> Vec<u8> {
    let kind = if positions.contains("RECTAN") { "///ATTR SC,RW,RJ" } else { "///ATTR SC,RW" };
    format!("/JOB\n//NAME {name}\n//POS\n///NPOS {count},0,0,0,0,0\n{positions}//INST\n///DATE 2000/01/01 00:00\n///COMM kansho\n{kind}\n///GROUP1 RB1\nNOP\n{lines}END\n").into_bytes()
}
