use super::{OutKind, OutMove, Printed, Writer, digits, short};
use crate::robot_program::config::Config;
use crate::robot_program::value::fixed_angles_deg;
use crate::robot_program::{Speed, Zone};
use kansho_geom::Pose;
use std::fmt::Write;

pub(super) fn write(writer: &mut Writer<'_>, moves: &[OutMove], name: &str) -> Vec<(String, Vec<u8>)> {
    let options = writer.options;
    let mut data = format!("&ACCESS RVP\nDEFDAT {name} PUBLIC\n");
    let mut text = format!(
        "&ACCESS RVP\nDEF {name}( )\n  BAS(#INITMOV,0)\n  BAS(#VEL_PTP,{})\n",
        digits(writer.arm.profile().joint_speed * 100.0, 0)
    );
    let _ = writeln!(
        text,
        "  $TOOL={{{}}}\n  $BASE={{{}}}",
        frame(&options.flange_from_tip),
        frame(&options.base_from_work)
    );
    let _ = writeln!(text, "  $ORI_TYPE=#VAR\n  $IPO_MODE=#BASE");
    let (mut tip_speed, mut distance, mut part) = (None, None, writer.arm.profile().joint_speed);
    let external = external_axes(writer);
    for (k, one) in moves.iter().enumerate() {
        match (one.kind, one.speed) {
            (OutKind::Joint, _) => {
                let wanted = writer.part(one.speed);
                if (wanted - part).abs() > 1e-9 {
                    let _ = writeln!(text, "  BAS(#VEL_PTP,{})", digits(wanted * 100.0, 0));
                    part = wanted;
                }
            }
            (_, Speed::Tip(speed)) if tip_speed != Some(speed) => {
                let _ = writeln!(text, "  $VEL.CP={}", digits(speed, 5));
                tip_speed = Some(speed);
            }
            (_, _) if tip_speed.is_none() => {
                let _ = writeln!(text, "  $VEL.CP=0.1");
                tip_speed = Some(0.1);
            }
            _ => {}
        }
        let end = match one.zone {
            Zone::Radius(radius) if radius > 0.0 && one.kind != OutKind::Joint => {
                if distance != Some(radius) {
                    let _ = writeln!(text, "  $APO.CDIS={}", digits(radius * 1e3, 4));
                    distance = Some(radius);
                }
                " C_DIS"
            }
            Zone::Fine => "",
            _ => {
                writer.note("a corner that was rounded in a way of its own is a stop");
                ""
            }
        };
        match writer.target(one) {
            Printed::Axes(axes) => {
                let axes: Vec<String> = axes
                    .iter()
                    .enumerate()
                    .map(|(k, axis)| format!("A{} {}", k + 1, digits(*axis, 5)))
                    .collect();
                let _ = writeln!(data, "DECL E6AXIS XP{k}={{{}{external}}}", axes.join(","));
            }
            Printed::Pose(pose, config) => {
                let config = match config {
                    Config::Kuka { status: Some(status), turn: Some(turn) } => {
                        format!(",S {status},T {turn}")
                    }
                    _ => String::new(),
                };
                let _ = writeln!(data, "DECL E6POS XP{k}={{{}{config}{external}}}", frame(&pose));
            }
        }
        let _ = match one.kind {
            OutKind::Joint => writeln!(text, "  PTP XP{k}{end}"),
            // S and T count for PTP alone: they say in which posture the program begins.
            _ if k == 0 => writeln!(text, "  PTP XP{k}"),
            OutKind::Linear => writeln!(text, "  LIN XP{k}{end}"),
            OutKind::Circular(via) => {
                let _ = writeln!(data, "DECL E6POS XC{k}={{{}{external}}}", frame(&writer.work_from(&via)));
                writeln!(text, "  CIRC XC{k},XP{k}{end}")
            }
        };
    }
    data += "ENDDAT\n";
    text += "END\n";
    vec![(format!("{name}.src"), text.into_bytes()), (format!("{name}.dat"), data.into_bytes())]
}

/// Where external axes are: zero where there is none.
fn external_axes(writer: &Writer<'_>) -> String {
    let of = |(k, axis): (usize, &Option<f64>)| format!(",E{} {}", k + 1, short(axis.unwrap_or(0.0)));
    writer.external().iter().enumerate().map(of).collect()
}

pub(super) fn main(parts: &[String], name: &str) -> (String, Vec<u8>) {
    let mut text = format!("&ACCESS RVP\nDEF {name}( )\n");
    parts.iter().for_each(|part| {
        let _ = writeln!(text, "  EXT {part}( )");
    });
    parts.iter().for_each(|part| {
        let _ = writeln!(text, "  {part}( )");
    });
    text += "END\n";
    (format!("{name}.src"), text.into_bytes())
}

fn frame(pose: &Pose) -> String {
    let (p, [c, b, a]) = (pose.translation() * 1e3, fixed_angles_deg(pose));
    let part = |name: &str, number: f64, count: usize| format!("{name} {}", digits(number, count));
    [
        part("X", p.x, 4),
        part("Y", p.y, 4),
        part("Z", p.z, 4),
        part("A", a, 5),
        part("B", b, 5),
        part("C", c, 5),
    ]
    .join(",")
}
