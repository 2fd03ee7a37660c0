//! Written programs, looked at by a parser of their own: it knows nothing of languages but where numbers of targets stand.

use kansho_cell::ik::{Followed, Ik, IkOptions, Solutions, Tip};
use kansho_cell::{Cell, builtin};
use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DVec3};
use kansho_io::robot_program::write::{OutKind, OutMove, WriteOptions, program};
use kansho_io::robot_program::{ControlArm, Language, Profile, Speed, Zone};
use std::path::{Path, PathBuf};

/// A target as the text says it: six axes in degrees, or a place in metres and a rotation.
enum Seen {
    Axes([f64; 6]),
    Pose(DVec3, DMat3),
}

/// All numbers in a text, whatever is between them.
fn numbers(text: &str) -> Vec<f64> {
    let is_part = |c: char| c.is_ascii_digit() || "+-.".contains(c);
    text.split(|c: char| !is_part(c)).filter_map(|word| word.parse().ok()).collect()
}

fn six(all: &[f64]) -> [f64; 6] {
    std::array::from_fn(|k| all[k])
}

fn about(axis: usize, degrees: f64) -> DMat3 {
    let (s, c) = degrees.to_radians().sin_cos();
    let rows = match axis {
        0 => [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]],
        1 => [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]],
        _ => [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]],
    };
    DMat3::from_cols_array_2d(&rows).transpose()
}

fn of_quaternion([w, x, y, z]: [f64; 4]) -> DMat3 {
    let rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    DMat3::from_cols_array_2d(&rows).transpose()
}

/// Rodrigues' formula.
fn of_vector(v: DVec3) -> DMat3 {
    let angle = v.length();
    let (s, c) = angle.sin_cos();
    let u = if angle > 0.0 { v / angle } else { DVec3::X };
    let cross =
        DMat3::from_cols_array_2d(&[[0.0, -u.z, u.y], [u.z, 0.0, -u.x], [-u.y, u.x, 0.0]]).transpose();
    DMat3::IDENTITY + cross * s + cross * cross * (1.0 - c)
}

fn of_angles(place_mm: &[f64], wpr: [f64; 3]) -> Seen {
    let place = DVec3::new(place_mm[0], place_mm[1], place_mm[2]) * 1e-3;
    Seen::Pose(place, about(2, wpr[2]) * about(1, wpr[1]) * about(0, wpr[0]))
}

/// Targets in the order in which they stand.
fn seen(language: Language, text: &str, data: &str) -> Vec<Seen> {
    let mut all = Vec::new();
    match language {
        Language::Rapid => {
            for line in text.lines().filter(|line| line.contains(":=[[")) {
                let n = numbers(line.split(":=").nth(1).expect("a value"));
                all.push(if line.contains(" jointtarget ") {
                    Seen::Axes(six(&n))
                } else {
                    Seen::Pose(DVec3::new(n[0], n[1], n[2]) * 1e-3, of_quaternion([n[3], n[4], n[5], n[6]]))
                });
            }
        }
        Language::Krl => {
            for line in data.lines().filter(|line| line.starts_with("DECL E6")) {
                let words: Vec<&str> = line.split(['{', '}']).nth(1).expect("braces").split(',').collect();
                let n: Vec<f64> = words
                    .iter()
                    .map(|word| word.split(' ').nth(1).expect("a value").parse().expect("a number"))
                    .collect();
                all.push(if line.contains("E6AXIS") {
                    Seen::Axes(six(&n))
                } else {
                    of_angles(&n, [n[5], n[4], n[3]])
                });
            }
        }
        Language::Fanuc => {
            let positions = text.split("/POS").nth(1).expect("positions");
            for block in positions.split("P[").skip(1) {
                let values: Vec<f64> = block.split('=').skip(1).map(|word| numbers(word)[0]).collect();
                all.push(if block.contains("J1=") {
                    Seen::Axes(six(&values))
                } else {
                    of_angles(&values, [values[3], values[4], values[5]])
                });
            }
        }
        Language::UrScript => {
            for line in text.lines().filter(|line| line.trim_start().starts_with("move")) {
                let n = numbers(line.split(['[', ']']).nth(1).expect("brackets"));
                all.push(if line.contains("p[") {
                    Seen::Pose(DVec3::new(n[0], n[1], n[2]), of_vector(DVec3::new(n[3], n[4], n[5])))
                } else {
                    Seen::Axes(six(&n).map(f64::to_degrees))
                });
            }
        }
        Language::Jbi => {
            for line in text.lines().filter(|line| line.starts_with('C') && line.contains('=')) {
                let n = numbers(line.split('=').nth(1).expect("a value"));
                all.push(of_angles(&n, [n[3], n[4], n[5]]));
            }
        }
    }
    all
}

/// Compares what stands in programs with where the tip is by forward kinematics.
fn check(arm: &ControlArm<'_>, cell: &Cell, tip: &Tip, postures: &[Vec<f64>], text: &str, data: &str) {
    let language = arm.profile().language;
    let found = seen(language, text, data);
    assert_eq!(found.len(), postures.len(), "{language:?}");
    for (seen, posture) in found.iter().zip(postures) {
        match seen {
            Seen::Axes(axes) => {
                let wanted = arm.to_controller(posture);
                assert!(
                    axes.iter().zip(wanted).all(|(a, b)| (a - b.to_degrees()).abs() < 6e-5),
                    "{language:?} {axes:?}"
                );
            }
            Seen::Pose(place, rotation) => {
                let pose = arm.world_from_base().inverse() * tip.placed(cell, posture);
                assert!(
                    place.distance(pose.translation()) < 2e-7,
                    "{language:?} {place} {:?}",
                    pose.translation()
                );
                assert!(
                    rotation.abs_diff_eq(pose.rotation(), 3e-6),
                    "{language:?} {rotation} {:?}",
                    pose.rotation()
                );
            }
        }
    }
}

/// A move as the text says it: whether of joints, which target in the order in which they stand, speed in metres per second (of lines),
/// and the radius of its corner in metres.
#[derive(Debug, PartialEq)]
struct Said {
    is_joint: bool,
    target: usize,
    speed: Option<f64>,
    zone: f64,
}

/// Statements that move, in the order in which they stand.
fn said(language: Language, text: &str) -> Vec<Said> {
    let (mut all, mut krl_speed, mut krl_zone) = (Vec::new(), None, 0.0);
    let last_number = |word: &str| *numbers(word).last().expect("a number");
    for line in text.lines().map(str::trim) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let head = words.first().copied().unwrap_or_default();
        match language {
            Language::Rapid if head.starts_with("Move") => {
                let parts: Vec<&str> = words[1].split(',').collect();
                let is_joint = head == "MoveAbsJ" || head == "MoveJ";
                let zone = if parts[2] == "fine" { 0.0 } else { last_number(parts[2]) * 1e-3 };
                let speed = (!is_joint).then(|| last_number(parts[1]) * 1e-3);
                assert_eq!(parts[3], "tTool\\WObj:=wobj0;");
                all.push(Said { is_joint, target: last_number(parts[0]) as usize, speed, zone });
            }
            Language::Krl if line.starts_with("$VEL.CP=") => krl_speed = Some(last_number(line)),
            Language::Krl if line.starts_with("$APO.CDIS=") => krl_zone = last_number(line) * 1e-3,
            Language::Krl if head == "PTP" || head == "LIN" => {
                let zone = if words.get(2) == Some(&"C_DIS") { krl_zone } else { 0.0 };
                let target = words[1].strip_prefix("XP").expect("a name").parse().expect("a number");
                let is_joint = head == "PTP";
                all.push(Said { is_joint, target, speed: krl_speed.filter(|_| !is_joint), zone });
            }
            Language::Fanuc if line.contains(":J P[") || line.contains(":L P[") => {
                let is_joint = line.contains(":J P[");
                let rest: Vec<&str> =
                    line.split("P[").nth(1).expect("a position").split_whitespace().collect();
                assert_eq!((rest[2], rest[3]), ("FINE", ";"));
                let speed = (!is_joint).then(|| {
                    rest[1].strip_suffix("mm/sec").expect("a speed").parse::<f64>().expect("a number") * 1e-3
                });
                let target =
                    rest[0].strip_suffix(']').expect("a bracket").parse::<usize>().expect("a number") - 1;
                all.push(Said { is_joint, target, speed, zone: 0.0 });
            }
            Language::UrScript if head.starts_with("move") => {
                let after = |key: &str| line.split(key).nth(1).map(|rest| numbers(rest)[0]);
                let is_joint = head.starts_with("movej");
                let (speed, zone) = (after("v=").filter(|_| !is_joint), after("r=").unwrap_or(0.0));
                all.push(Said { is_joint, target: all.len(), speed, zone });
            }
            Language::Jbi if head.starts_with("MOV") => {
                let target = words[1].strip_prefix('C').expect("a name").parse().expect("a number");
                let speed = words[2].strip_prefix("V=").map(|mm| mm.parse::<f64>().expect("a number") * 1e-3);
                assert_eq!(words[3], "PL=0");
                all.push(Said { is_joint: head == "MOVJ", target, speed, zone: 0.0 });
            }
            _ => {}
        }
    }
    all
}

/// The tip in the flange as the text says it; Yaskawa's jobs have only its number.
fn tool(language: Language, text: &str) -> Option<(DVec3, DMat3)> {
    let find = |begin: &str| text.lines().map(str::trim).find_map(|line| line.strip_prefix(begin));
    let of = |seen: Seen| match seen {
        Seen::Pose(place, rotation) => Some((place, rotation)),
        Seen::Axes(_) => None,
    };
    match language {
        Language::Rapid => {
            let n = numbers(find("PERS tooldata tTool:=[TRUE,")?);
            Some((DVec3::new(n[0], n[1], n[2]) * 1e-3, of_quaternion([n[3], n[4], n[5], n[6]])))
        }
        Language::Krl => {
            let n = numbers(find("$TOOL=")?);
            of(of_angles(&n, [n[5], n[4], n[3]]))
        }
        Language::Fanuc => {
            let part = |k: usize| {
                let line = text.lines().find_map(|line| line.split_once(&format!("PR[99,{k}]=")))?;
                numbers(line.1).first().copied()
            };
            let n: Vec<f64> = (1..=6).map(part).collect::<Option<_>>()?;
            assert!(
                text.contains("UTOOL[1]=PR[99]")
                    && text.contains("UTOOL_NUM=1")
                    && text.contains("UFRAME_NUM=0")
            );
            of(of_angles(&n, [n[3], n[4], n[5]]))
        }
        Language::UrScript => {
            let n = numbers(find("set_tcp(p")?);
            Some((DVec3::new(n[0], n[1], n[2]), of_vector(DVec3::new(n[3], n[4], n[5]))))
        }
        Language::Jbi => {
            assert!(text.contains("///TOOL 1\n"));
            None
        }
    }
}

/// What configurations say of joints alone, worked out from the axes, beside what stands in the text; how many were compared.
fn configurations(arm: &ControlArm<'_>, postures: &[Vec<f64>], text: &str, data: &str) -> usize {
    let floor = |axis: f64, by: f64| (axis / by).floor() as i64;
    let quarters = |q: &[f64]| [floor(q[0], 90.0), floor(q[3], 90.0), floor(q[5], 90.0)];
    let turns = |q: &[f64]| [0, 3, 5].map(|k: usize| floor(q[k] + 180.0, 360.0));
    let whole = |text: &str| numbers(text).iter().map(|number| *number as i64).collect::<Vec<_>>();
    // Where an axis is nearer to a border than is printed, either side is right.
    let is_clear =
        |q: &[f64], by: f64| q.iter().all(|axis| (axis / by - (axis / by).round()).abs() * by > 1e-3);
    let mut compared = 0;
    let mut seen = Vec::new();
    match arm.profile().language {
        Language::Rapid => {
            for line in text.lines().filter(|line| line.contains(" robtarget ")) {
                seen.push(whole(line.split("],[").nth(2).expect("a configuration")));
            }
        }
        Language::Krl => {
            for line in data.lines().filter(|line| line.starts_with("DECL E6POS")) {
                let after = |key: &str| whole(line.split(key).nth(1).expect("there"))[0];
                seen.push(vec![after(",S "), after(",T ")]);
            }
        }
        Language::Fanuc => {
            for block in text.split("/POS").nth(1).expect("positions").split("CONFIG : '").skip(1) {
                let inside = block.split('\'').next().expect("a quote");
                let mut all = whole(inside);
                all.push(i64::from(inside.starts_with('F')));
                seen.push(all);
            }
        }
        Language::Jbi => {
            let mut last = Vec::new();
            for line in text.lines() {
                if let Some(rest) = line.strip_prefix("///RCONF ") {
                    last = whole(rest);
                } else if line.starts_with('C') && line.contains('=') {
                    seen.push(last.clone());
                }
            }
        }
        Language::UrScript => return 0,
    }
    // Moves of joints have none, except where they are written as poses.
    let skipped = postures.len() - seen.len();
    for (posture, seen) in postures[skipped..].iter().zip(&seen) {
        let q: Vec<f64> = arm.to_controller(posture).iter().map(|axis| axis.to_degrees()).collect();
        if !is_clear(&q, 90.0) {
            continue;
        }
        compared += 1;
        let negative = |k: usize| i64::from(q[k] < 0.0);
        let expected: Vec<(i64, i64)> = match arm.profile().language {
            Language::Rapid => {
                let quarters = quarters(&q);
                vec![
                    (seen[0], quarters[0]),
                    (seen[1], quarters[1]),
                    (seen[2], quarters[2]),
                    (seen[3] & 1, negative(4)),
                ]
            }
            Language::Krl => {
                let bits: i64 = (0..6).map(|k| negative(k) << k).sum();
                vec![(seen[0] >> 2, negative(4)), (seen[1], bits)]
            }
            Language::Fanuc => {
                let turns = turns(&q);
                vec![
                    (seen[0], turns[0]),
                    (seen[1], turns[1]),
                    (seen[2], turns[2]),
                    (seen[3], 1 - negative(4)),
                ]
            }
            _ => {
                let beyond = |k: usize| i64::from(q[k].abs() > 180.0);
                vec![
                    (seen[0], i64::from(q[3].to_radians().cos() <= 0.0)),
                    (seen[3], beyond(3)),
                    (seen[4], beyond(5)),
                    (seen[5], beyond(0)),
                ]
            }
        };
        for (found, wanted) in expected {
            assert_eq!(found, wanted, "{:?} {q:?} {seen:?}", arm.profile().language);
        }
    }
    compared
}

/// Statements, tool and configurations of a program whose moves are those of [`moves`].
fn check_rest(arm: &ControlArm<'_>, postures: &[Vec<f64>], text: &str, data: &str) {
    let language = arm.profile().language;
    let has_zones = !matches!(language, Language::Fanuc | Language::Jbi);
    let expected: Vec<Said> = (0..postures.len())
        .map(|k| Said {
            is_joint: k == 0,
            target: k,
            speed: (k > 0).then_some(0.1),
            zone: if has_zones && k % 3 == 1 { 0.001 } else { 0.0 },
        })
        .collect();
    let found = said(language, text);
    assert_eq!(found.len(), expected.len(), "{language:?}");
    for (found, wanted) in found.iter().zip(&expected) {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let speeds = match (found.speed, wanted.speed) {
            (Some(a), Some(b)) => near(a, b),
            (a, b) => a == b,
        };
        let same = found.is_joint == wanted.is_joint && found.target == wanted.target;
        assert!(same && speeds && near(found.zone, wanted.zone), "{language:?}: {found:?} {wanted:?}");
    }
    let wanted = arm.flange_from_tool().expect("a tool");
    if let Some((place, rotation)) = tool(language, text) {
        assert!(place.distance(wanted.translation()) < 2e-7, "{language:?}: {place}");
        assert!(rotation.abs_diff_eq(wanted.rotation(), 3e-6), "{language:?}: {rotation}");
    }
    let compared = configurations(arm, postures, text, data);
    assert!(language == Language::UrScript || compared * 2 > postures.len(), "{language:?}: {compared}");
}

/// Parts of a program that is divided: each begins with a move of joints to where the one before ended, and all are called in their order.
fn check_parts(
    arm: &ControlArm<'_>,
    cell: &Cell,
    tip: &Tip,
    postures: &[Vec<f64>],
    files: &[(String, Vec<u8>)],
) {
    let language = arm.profile().language;
    let end = format!(".{}", language.ending());
    let mut parts: Vec<&str> =
        files.iter().map(|(name, _)| name.as_str()).filter(|name| name.ends_with(&end)).collect();
    let main = parts.pop().expect("one that calls them");
    let (mut done, mut called) = (0, 0);
    for part in &parts {
        let text = text_of(files, part);
        let data = text_of(files, &format!("{}.dat", part.strip_suffix(&end).expect("it ends so")));
        let begin = done.max(1) - 1;
        let count = said(language, text).len();
        check(arm, cell, tip, &postures[begin..begin + count], text, data);
        assert!(
            said(language, text)[0].is_joint && count <= arm.profile().split.max_points.unwrap_or(usize::MAX)
        );
        done = begin + count;
        // Calls stand in the order of the parts.
        let stem = part.strip_suffix(&end).expect("it ends so").to_ascii_uppercase();
        let calls = text_of(files, main).to_ascii_uppercase();
        let at = calls[called..].find(&stem).expect("it is called");
        called += at + stem.len();
    }
    assert_eq!(done, postures.len());
}

/// A few points over the sheet of the built-in cell.
fn short_path(cell: &Cell, tip: &Tip) -> Vec<Vec<f64>> {
    let ik = Ik::new(cell, tip, &IkOptions::default()).expect("an arm");
    let home = builtin::home();
    let first = tip.placed(cell, &home);
    let (mut values, mut scratch) = (ik.values_in(&home), Solutions::default());
    let mut all = vec![home.clone()];
    for k in 1..12 {
        let u = f64::from(k);
        let shift = DVec3::new(0.01 * u, 0.02 * (0.5 * u).sin(), -0.005 * u);
        let turned = Pose::from_rpy(first.translation() + shift, DVec3::new(0.02 * u, -0.015 * u, 0.03 * u));
        let pose = Pose::of_rotation(turned.rotation() * first.rotation(), turned.translation());
        let Followed::On { values: next, .. } = ik.follow(&pose, &values, &mut scratch) else {
            panic!("point {k} is not reached")
        };
        values = next;
        let mut posture = home.clone();
        ik.put(&values, &mut posture);
        all.push(posture);
    }
    all
}

fn moves(postures: &[Vec<f64>]) -> Vec<OutMove> {
    let one = |(k, posture): (usize, &Vec<f64>)| OutMove {
        kind: if k == 0 { OutKind::Joint } else { OutKind::Linear },
        posture: posture.clone(),
        speed: if k == 0 { Speed::Unsaid } else { Speed::Tip(0.1) },
        zone: if k % 3 == 1 { Zone::Radius(0.001) } else { Zone::Fine },
    };
    postures.iter().enumerate().map(one).collect()
}

fn text_of<'a>(files: &'a [(String, Vec<u8>)], end: &str) -> &'a str {
    let found = files.iter().find(|(name, _)| name.ends_with(end));
    found.map_or("", |(_, bytes)| std::str::from_utf8(bytes).expect("text"))
}

/// Programs of a short path are what they were, to the last byte (KANSHO_UPDATE=1 writes them anew), and say where the tip is.
#[test]
fn golden_programs() {
    let cell = builtin::cell();
    let tip = Tip::tool(&cell, "arm").expect("a tool");
    let postures = short_path(&cell, &tip);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/programs");
    for language in Language::ALL {
        let arm = ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
        let written = program(&arm, &moves(&postures), &WriteOptions::new("seal", &arm)).expect("written");
        for (name, bytes) in &written.files {
            let path = folder.join(name);
            if std::env::var_os("KANSHO_UPDATE").is_some() {
                std::fs::write(&path, bytes).expect("written");
            }
            let golden = std::fs::read(&path).unwrap_or_default();
            assert!(golden == *bytes, "{name} is not as it was:\n{}", String::from_utf8_lossy(bytes));
        }
        check(
            &arm,
            &cell,
            &tip,
            &postures,
            text_of(&written.files, &format!(".{}", language.ending())),
            text_of(&written.files, ".dat"),
        );
        check_rest(
            &arm,
            &postures,
            text_of(&written.files, &format!(".{}", language.ending())),
            text_of(&written.files, ".dat"),
        );
        let mut short = Profile::of(language);
        short.split.max_points = Some(5);
        let arm = ControlArm::new(&cell, None, short).expect("an arm");
        let parts =
            program(&arm, &moves(&postures), &WriteOptions::new("seal", &arm)).expect("written").files;
        check_parts(&arm, &cell, &tip, &postures, &parts);
    }
}

/// Postures along poses, on the branch of the first one.
fn followed(cell: &Cell, ik: &Ik, poses: &[Pose], first: Vec<f64>) -> Option<Vec<Vec<f64>>> {
    let (mut values, mut scratch, mut all) = (first, Solutions::default(), Vec::new());
    for pose in poses {
        let Followed::On { values: next, .. } = ik.follow(pose, &values, &mut scratch) else { return None };
        values = next;
        let mut posture = cell.zero_posture();
        ik.put(&values, &mut posture);
        all.push(posture);
    }
    Some(all)
}

/// The whole sealing path of the benchmark in each language, 2,791 points, where its files are.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test tells why")]
fn the_windshield_in_each_language() {
    let Some(data) = std::env::var_os("KANSHO_DATA").map(PathBuf::from) else {
        eprintln!("skipped: KANSHO_DATA is not set");
        return;
    };
    let file = data.join("data/windshield/E/job.toml");
    let job = kansho_io::job::read(&file, &kansho_io::cell::CellOptions::default()).expect("a job");
    let cell = &job.job.cell;
    let tip = Tip::tool(cell, &job.job.robot).expect("a tool");
    let ik = Ik::new(cell, &tip, &IkOptions::default()).expect("an arm");
    // With a constant rotation of about half a turn the whole path is reached on one branch, in one of its turns.
    let mut found = None;
    'rotations: for degrees in [180.0_f64, 160.0, 200.0, 150.0, 210.0] {
        let poses: Vec<Pose> = job
            .job
            .path
            .points()
            .map(|point| job.job.axis.world_from_tip_at(point, 0, degrees.to_radians()))
            .collect();
        for solution in ik.solve(&poses[0]).iter() {
            for first in ik.turns(solution.values) {
                if let Some(all) = followed(cell, &ik, &poses, first) {
                    found = Some(all);
                    break 'rotations;
                }
            }
        }
    }
    let postures = found.expect("a branch on which the whole path is reached");
    assert_eq!(postures.len(), 2791);
    for language in Language::ALL {
        let mut profile = Profile::of(language);
        profile.split.max_points = None;
        let arm = ControlArm::new(cell, None, profile).expect("an arm");
        let written = program(&arm, &moves(&postures), &WriteOptions::new("seal", &arm)).expect("written");
        check(
            &arm,
            cell,
            &tip,
            &postures,
            text_of(&written.files, &format!(".{}", language.ending())),
            text_of(&written.files, ".dat"),
        );
        check_rest(
            &arm,
            &postures,
            text_of(&written.files, &format!(".{}", language.ending())),
            text_of(&written.files, ".dat"),
        );
        // As the controller takes it: in parts, each of which is a program.
        let arm = ControlArm::new(cell, None, Profile::of(language)).expect("an arm");
        let parts =
            program(&arm, &moves(&postures), &WriteOptions::new("seal", &arm)).expect("written").files;
        let wanted = match language {
            Language::Fanuc => 4,
            _ => 1,
        };
        let count = parts.iter().filter(|(name, _)| name.ends_with(language.ending())).count();
        assert_eq!(count, wanted, "{language:?}");
        if count > 1 {
            check_parts(&arm, cell, &tip, &postures, &parts);
        }
    }
}
