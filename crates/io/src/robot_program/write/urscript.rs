use super::{OutKind, OutMove, Printed, Writer, digits, list};
use crate::robot_program::value::rotation_vector;
use crate::robot_program::{Speed, Zone};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::fmt::Write;

pub(super) fn write(writer: &mut Writer<'_>, moves: &[OutMove], name: &str) -> Vec<(String, Vec<u8>)> {
    let mut text = format!("def {name}():\n  set_tcp({})\n", pose(&writer.options.flange_from_tip));
    if writer.options.base_from_work != Pose::IDENTITY {
        let _ = writeln!(text, "  work = {}", pose(&writer.options.base_from_work));
    }
    let in_work = |at: &Pose| {
        if writer.options.base_from_work == Pose::IDENTITY {
            pose(at)
        } else {
            format!("pose_trans(work, {})", pose(at))
        }
    };
    let mut lines = String::new();
    let mut smooth = false;
    for (k, one) in moves.iter().enumerate() {
        let radius = match one.zone {
            // Where it ends in a corner, the robot stops somewhere in it.
            _ if k + 1 == moves.len() => String::new(),
            Zone::Radius(radius) if radius > 0.0 => format!(", r={}", digits(radius, 6)),
            Zone::Smooth(_) => {
                smooth = true;
                String::new()
            }
            _ => String::new(),
        };
        let speed = match one.speed {
            Speed::Tip(speed) if one.kind != OutKind::Joint => digits(speed, 5),
            _ if one.kind == OutKind::Joint => digits(writer.part(one.speed) * std::f64::consts::PI, 5),
            _ => "0.1".into(),
        };
        let target = match writer.target(one) {
            Printed::Axes(axes) => {
                let axes: Vec<f64> = axes.iter().map(|axis| axis.to_radians()).collect();
                format!("[{}]", list(&axes, 7))
            }
            Printed::Pose(at, _) => in_work(&at),
        };
        let _ = match one.kind {
            OutKind::Joint => writeln!(lines, "  movej({target}, a=1.4, v={speed}{radius})"),
            OutKind::Linear => writeln!(lines, "  movel({target}, a=1.2, v={speed}{radius})"),
            OutKind::Circular(via) => {
                let via = in_work(&writer.work_from(&via));
                writeln!(lines, "  movec({via}, {target}, a=1.2, v={speed}{radius}, mode=0)")
            }
        };
    }
    if writer.options.poses {
        writer.note(
            "moves of joints have joint values: URScript does not say in which posture a pose is reached",
        );
    }
    if smooth {
        writer.note("a corner that was rounded in a way of its own is a stop");
    }
    text += &lines;
    let _ = write!(text, "end\n{name}()\n");
    vec![(format!("{name}.script"), text.into_bytes())]
}

pub(super) fn main(parts: &[String], name: &str) -> (String, Vec<u8>) {
    let mut text = format!("def {name}():\n");
    parts.iter().for_each(|part| {
        let _ = writeln!(text, "  {part}()");
    });
    text += "end\n";
    (format!("{name}.script"), text.into_bytes())
}

fn pose(pose: &Pose) -> String {
    let (p, r): (DVec3, DVec3) = (pose.translation(), rotation_vector(pose));
    format!("p[{}]", list(&[p.x, p.y, p.z, r.x, r.y, r.z], 7))
}
