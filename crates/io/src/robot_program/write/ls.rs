use super::{OutKind, OutMove, Printed, Writer, digits, short};
use crate::robot_program::config::Config;
use crate::robot_program::value::fixed_angles_deg;
use crate::robot_program::{Speed, Zone};
use kansho_geom::Pose;
use std::fmt::Write;

/// How far a written speed may be from the wanted one before that is told, as a part of it.
const SPEED_PART: f64 = 0.01;

pub(super) fn write(writer: &mut Writer<'_>, moves: &[OutMove], name: &str) -> Vec<(String, Vec<u8>)> {
    let options = writer.options;
    let number = |name: &str| name.parse::<u32>().unwrap_or(1);
    let tool = number(&options.tool).max(1);
    let frame = if options.base_from_work == Pose::IDENTITY { 0 } else { number(&options.work).max(1) };
    let (mut lines, mut positions) = (Vec::new(), String::new());
    // Frames are set from registers, so that the program says all that it needs.
    let mut set = |register: u32, pose: &Pose, what: &str| {
        let (p, wpr) = (pose.translation() * 1e3, fixed_angles_deg(pose));
        for (k, part) in [p.x, p.y, p.z, wpr[0], wpr[1], wpr[2]].iter().enumerate() {
            let shown = digits(*part, 4);
            let shown = if shown.starts_with('-') { format!("({shown})") } else { shown };
            lines.push(format!("PR[{register},{}]={shown}", k + 1));
        }
        lines.push(format!("{what}=PR[{register}]"));
    };
    set(99, &options.flange_from_tip, &format!("UTOOL[{tool}]"));
    if frame > 0 {
        set(98, &options.base_from_work, &format!("UFRAME[{frame}]"));
    }
    lines.push(format!("UFRAME_NUM={frame}"));
    lines.push(format!("UTOOL_NUM={tool}"));
    // External axes of the first group stand behind its own.
    let external: String = writer
        .arm
        .held()
        .iter()
        .enumerate()
        .map(|(k, axis)| format!(", E{} = {} {}", k + 1, short(axis.printed()), axis.unit()))
        .collect();
    let mut count = 0;
    let mut position = |printed: Printed, positions: &mut String| {
        count += 1;
        let _ = match printed {
            Printed::Axes(axes) => {
                let axes: Vec<String> = axes
                    .iter()
                    .enumerate()
                    .map(|(k, axis)| format!("J{}={} deg", k + 1, digits(*axis, 4)))
                    .collect();
                writeln!(
                    positions,
                    "P[{count}]{{\n   GP1:\n  UF : {frame}, UT : {tool},\n  {}{external}\n}};",
                    axes.join(", ")
                )
            }
            Printed::Pose(pose, config) => {
                let config = if let Config::Fanuc { .. } = config {
                    config.to_string()
                } else {
                    "'N U T, 0, 0, 0'".into()
                };
                let (p, [w, pitch, r]) = (pose.translation() * 1e3, fixed_angles_deg(&pose));
                let shown = |number: f64| digits(number, 4);
                writeln!(
                    positions,
                    "P[{count}]{{\n   GP1:\n  UF : {frame}, UT : {tool}, CONFIG : {config},\n  X = {} mm, Y = {} mm, Z = {} mm,\n  W = {} deg, P = {} deg, R = {} deg{external}\n}};",
                    shown(p.x),
                    shown(p.y),
                    shown(p.z),
                    shown(w),
                    shown(pitch),
                    shown(r)
                )
            }
        };
        count
    };
    for one in moves {
        let via = match one.kind {
            OutKind::Circular(via) => {
                let config = Config::of(writer.arm, &one.posture);
                Some(position(Printed::Pose(writer.work_from(&via), config), &mut positions))
            }
            _ => None,
        };
        let to = position(writer.target(one), &mut positions);
        let end = match one.zone {
            Zone::Fine => "FINE".to_owned(),
            Zone::Smooth(part) => format!("CNT{}", digits((part * 100.0).clamp(0.0, 100.0), 0)),
            Zone::Radius(_) => {
                writer.note("FANUC rounds corners in a way of its own (CNT), so that corners with a radius are stops (FINE)");
                "FINE".to_owned()
            }
        };
        let speed = match (one.kind, one.speed) {
            (OutKind::Joint, speed) => {
                format!("{}%", digits((writer.part(speed) * 100.0).clamp(1.0, 100.0), 0))
            }
            (_, Speed::Tip(speed)) => {
                let mm = (speed * 1e4).round().max(1.0) / 10.0;
                if (mm - speed * 1e3).abs() > SPEED_PART * mm {
                    writer.note("FANUC takes speeds in steps of 0.1 mm/sec, so that slow ones are written otherwise than wanted");
                }
                if mm.fract() == 0.0 { format!("{mm:.0}mm/sec") } else { format!("{mm:.1}mm/sec") }
            }
            (_, Speed::Seconds(seconds)) => format!("{seconds:.1}sec"),
            _ => "100mm/sec".into(),
        };
        lines.push(match (one.kind, via) {
            (OutKind::Joint, _) => format!("J P[{to}] {speed} {end}"),
            (OutKind::Circular(_), Some(via)) => format!("C P[{via}] P[{to}] {speed} {end}"),
            _ => format!("L P[{to}] {speed} {end}"),
        });
    }
    vec![(format!("{name}.ls"), file(name, &lines, &positions))]
}

pub(super) fn main(parts: &[String], name: &str) -> (String, Vec<u8>) {
    let lines: Vec<String> = parts.iter().map(|part| format!("CALL {part}")).collect();
    (format!("{name}.ls"), file(name, &lines, ""))
}

fn file(name: &str, lines: &[String], positions: &str) -> Vec<u8> {
    let mut text = format!(
        "/PROG  {name}\n/ATTR\nOWNER\t\t= MNEDITOR;\nCOMMENT\t\t= \"kansho\";\nPROTECT\t\t= READ_WRITE;\nLINE_COUNT\t= {};\nDEFAULT_GROUP\t= 1,*,*,*,*;\n/MN\n",
        lines.len()
    );
    for (k, line) in lines.iter().enumerate() {
        let is_motion = ["J ", "L ", "C "].iter().any(|begin| line.starts_with(begin));
        let _ = writeln!(text, "{:4}:{}{line} ;", k + 1, if is_motion { "" } else { "  " });
    }
    let _ = write!(text, "/POS\n{positions}/END\n");
    text.into_bytes()
}
