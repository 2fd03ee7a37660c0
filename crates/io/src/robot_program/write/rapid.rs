use super::{OutKind, OutMove, Printed, Writer, digits, list, short};
use crate::robot_program::config::Config;
use crate::robot_program::{Speed, Zone};
use kansho_geom::Pose;
use std::fmt::Write;

/// Where external axes are; 9E9 is one that is not used.
fn external_axes(writer: &Writer<'_>) -> String {
    let of = |axis: &Option<f64>| axis.map_or("9E9".to_owned(), short);
    format!("[{}]", writer.external().iter().map(of).collect::<Vec<_>>().join(","))
}

/// Speeds that have names, in millimetres per second.
const SPEEDS: [u32; 22] = [
    5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500, 600, 800, 1000, 1500, 2000, 2500, 3000, 4000,
];

/// Speeds (mm/s) and radii (mm) that differ by less than this are the same: metres times a thousand round to some 1e-13 of them, and
/// controllers keep no nanometres.
const SAME_MM: f64 = 1e-6;

/// Ends the program: a controller starts `main` again, but not after this.
const HOLDS: &str = "    EXIT;\n";

pub(super) fn write(
    writer: &mut Writer<'_>,
    moves: &[OutMove],
    name: &str,
    holds: bool,
) -> Vec<(String, Vec<u8>)> {
    let options = writer.options;
    let tool = identifier(&options.tool, "tTool");
    let work = if options.base_from_work == Pose::IDENTITY {
        "wobj0".into()
    } else {
        identifier(&options.work, "wWork")
    };
    let mut text = format!("MODULE {name}\n");
    let _ = writeln!(
        text,
        "  PERS tooldata {tool}:=[TRUE,{},[1,[0,0,1],[1,0,0,0],0,0,0]];",
        frame(&options.flange_from_tip)
    );
    if work != "wobj0" {
        let _ = writeln!(
            text,
            "  PERS wobjdata {work}:=[FALSE,TRUE,\"\",{},{}];",
            frame(&options.base_from_work),
            frame(&Pose::IDENTITY)
        );
    }
    let mut lines = String::new();
    let external = external_axes(writer);
    for (k, one) in moves.iter().enumerate() {
        let target = match writer.target(one) {
            Printed::Axes(axes) => {
                let _ = writeln!(text, "  CONST jointtarget j{k}:=[[{}],{external}];", list(&axes, 5));
                format!("j{k}")
            }
            Printed::Pose(pose, config) => {
                let _ = writeln!(text, "  CONST robtarget p{k}:={};", robtarget(&pose, config, &external));
                format!("p{k}")
            }
        };
        let speed = speed(writer, one);
        let zone = zone(one.zone, writer);
        let statement = match one.kind {
            OutKind::Joint if target.starts_with('j') => format!("MoveAbsJ {target}"),
            OutKind::Joint => format!("MoveJ {target}"),
            OutKind::Linear => format!("MoveL {target}"),
            OutKind::Circular(via) => {
                let via = writer.work_from(&via);
                let _ = writeln!(
                    text,
                    "  CONST robtarget c{k}:={};",
                    robtarget(&via, Config::of(writer.arm, &one.posture), &external)
                );
                format!("MoveC c{k},{target}")
            }
        };
        let _ = writeln!(lines, "    {statement},{speed},{zone},{tool}\\WObj:={work};");
    }
    // On circles tools turn relative to the path, unless it is said otherwise.
    let has_circles = moves.iter().any(|one| matches!(one.kind, OutKind::Circular(_)));
    let circles = if has_circles { "    CirPathMode\\ObjectFrame;\n" } else { "" };
    let end = if holds { HOLDS } else { "" };
    let _ = write!(
        text,
        "  PROC main()\n    ConfJ\\On;\n    ConfL\\On;\n{circles}{lines}{end}  ENDPROC\nENDMODULE\n"
    );
    vec![(format!("{name}.mod"), text.into_bytes())]
}

pub(super) fn main(parts: &[String], name: &str, holds: bool) -> (String, Vec<u8>) {
    // Modules that are loaded one after the other; each has a procedure main.
    let mut text = format!("MODULE {name}\n  PROC main()\n");
    for part in parts {
        let _ = writeln!(
            text,
            "    Load\\Dynamic,\"HOME:\"\\File:=\"{part}.mod\";\n    %\"{part}:main\"%;\n    UnLoad \"HOME:\"\\File:=\"{part}.mod\";"
        );
    }
    text += if holds { HOLDS } else { "" };
    text += "  ENDPROC\nENDMODULE\n";
    (format!("{name}.mod"), text.into_bytes())
}

fn identifier(name: &str, otherwise: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name.to_owned() } else { otherwise.to_owned() }
}

/// `[[x,y,z],[q1,q2,q3,q4]]`, the larger of the two signs of the quaternion.
fn frame(pose: &Pose) -> String {
    let (p, q) = (pose.translation() * 1e3, pose.quat());
    let q = if q.w < 0.0 { -q } else { q };
    format!("[[{}],[{}]]", list(&[p.x, p.y, p.z], 4), list(&[q.w, q.x, q.y, q.z], 9))
}

fn robtarget(pose: &Pose, config: Config, external: &str) -> String {
    let config = match config {
        Config::Abb([a, b, c, d]) => format!("[{a},{b},{c},{d}]"),
        _ => "[0,0,0,0]".into(),
    };
    let frame = frame(pose);
    format!("[{},{config},{external}]", &frame[1..frame.len() - 1])
}

fn speed(writer: &Writer<'_>, one: &OutMove) -> String {
    let mm = match (one.speed, one.kind) {
        (Speed::Tip(speed), _) => speed * 1e3,
        // A metre per second of the tip stands for all that the joints can do.
        (_, OutKind::Joint) => writer.part(one.speed) * 1e3,
        _ => 100.0,
    };
    match SPEEDS.iter().find(|known| (f64::from(**known) - mm).abs() < SAME_MM) {
        Some(known) => format!("v{known}"),
        None => format!("[{},500,5000,1000]", digits(mm, 3)),
    }
}

fn zone(zone: Zone, writer: &mut Writer<'_>) -> String {
    match zone {
        Zone::Fine => "fine".into(),
        Zone::Smooth(_) => {
            writer.note("a corner that was rounded in a way of its own is a stop (fine)");
            "fine".into()
        }
        Zone::Radius(radius) => {
            let mm = radius * 1e3;
            // Zones that have names are larger for turns than for the tip (z5: 8 mm), but z1: nothing was proven there.
            match mm {
                mm if (mm - 1.0).abs() < SAME_MM => "z1".into(),
                mm if mm > 0.0 => {
                    format!("[FALSE,{0},{0},{0},{1},{0},{1}]", digits(mm, 4), digits(mm * 0.1, 4))
                }
                _ => "fine".into(),
            }
        }
    }
}
