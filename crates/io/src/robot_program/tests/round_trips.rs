//! Out and in again, in every language.

use crate::robot_program::resolve::{ResolveOptions, resolve};
use crate::robot_program::write::{OutKind, OutMove, WriteOptions, of_moves, program as written};
use crate::robot_program::{
    ControlArm, Language, MotionKind, Profile, RobotProgram, Speed, Split, Target, Zone, parse,
};
use kansho_cell::ik::Tip;
use kansho_cell::route::{Blend, Law, Move, Route, RouteMotion};
use kansho_cell::{Cell, builtin};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use proptest::prelude::*;
use std::f64::consts::PI;

/// What a written program says when it is read again.
fn read_again(language: Language, files: &[(String, Vec<u8>)], profile: &Profile) -> RobotProgram {
    let find =
        |end: &str| files.iter().find(|(name, _)| name.ends_with(end)).map(|(_, bytes)| bytes.as_slice());
    let main = find(&format!(".{}", language.ending())).expect("a program");
    let found = parse(main, find(".dat"), language, profile, crate::robot_program::Run::ONCE);
    found.unwrap_or_else(|faults| panic!("{faults:?}\n{}", String::from_utf8_lossy(main)))
}

/// Writes moves, reads them again and compares postures, kinds, speeds and zones to print precision.
fn round_trip(
    cell: &Cell,
    profile: &Profile,
    moves: &[OutMove],
    poses: bool,
    base_from_work: Pose,
) -> Result<(), TestCaseError> {
    let language = profile.language;
    let arm = ControlArm::new(cell, None, profile.clone()).expect("an arm");
    let mut options = WriteOptions::new("round", &arm);
    options.poses = poses;
    options.base_from_work = base_from_work;
    options.work = "3".into();
    let profile = Profile {
        work: vec![("3".into(), base_from_work)],
        tools: vec![("1".into(), options.flange_from_tip)],
        ..profile.clone()
    };
    let files = written(&arm, moves, &options).expect("written").files;
    let program = read_again(language, &files, &profile);
    prop_assert!(program.notes.iter().all(|note| !note.moves), "{:?}", program.notes);
    prop_assert_eq!(program.moves.len(), moves.len());
    let mut near = cell.zero_posture();
    for (k, (out, back)) in moves.iter().zip(&program.moves).enumerate() {
        let kind = match out.kind {
            // KUKA's status and turn count for PTP alone, so a program begins with one.
            _ if k == 0 && language == Language::Krl => back.kind == MotionKind::Joint,
            OutKind::Joint => back.kind == MotionKind::Joint,
            OutKind::Linear => back.kind == MotionKind::Linear,
            OutKind::Circular(_) => matches!(back.kind, MotionKind::Circular(_)),
        };
        prop_assert!(kind, "{:?} {:?}", out.kind, back.kind);
        let posture = match &back.to {
            Target::Joints(axes) => arm.from_controller(axes, &near),
            Target::Pose(pose, config) => {
                let tool = back.tool.at.expect("the tool is in the file");
                let work = back.work.at.expect("the work object is in the file");
                let flange = arm.world_from_base() * work * *pose * tool.inverse();
                let wanted = arm.world_from_flange(&out.posture);
                for (a, b) in flange.to_rows().iter().zip(wanted.to_rows()) {
                    // Tenths of micrometres and ten-thousandths of degrees, with a tool half a metre long.
                    prop_assert!((a - b).abs() < 5e-6, "{flange:?} {wanted:?}");
                }
                let near = if language == Language::UrScript { &out.posture } else { &near };
                // Lines of URScript go on as they are.
                match arm.reached(&flange, *config, near, language == Language::UrScript, false) {
                    Ok(posture) => posture,
                    // A job tells turns of an axis apart only up to half a turn, and flips of the wrist where axis 4 is not near a
                    // quarter turn: what is beyond is refused, and not guessed.
                    Err(what) if language == Language::Jbi && what.contains("in which of several turns") => {
                        let axes = arm.to_controller(&out.posture);
                        let is_open = axes.iter().any(|axis| axis.abs() > PI) || axes[3].cos().abs() < 1e-3;
                        prop_assert!(is_open, "{axes:?}: {what}");
                        return Ok(());
                    }
                    Err(what) => return Err(TestCaseError::fail(format!("{language:?}: {what}"))),
                }
            }
        };
        let axes_off = posture.iter().zip(&out.posture).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Near singularities digits of a pose leave much open; postures that are far from them are drawn.
        prop_assert!(axes_off < 2e-3, "{axes_off} {posture:?} {:?} {:?}", out.posture, back.to);
        if let (Speed::Tip(a), Speed::Tip(b)) = (out.speed, back.speed)
            && back.kind != MotionKind::Joint
        {
            prop_assert!((a - b).abs() < 1e-4 || out.kind == OutKind::Joint, "{a} {b}");
        }
        match (out.zone, back.zone) {
            (Zone::Radius(a), Zone::Radius(b)) => prop_assert!((a - b).abs() < 1e-6),
            (Zone::Fine, back) => prop_assert_eq!(back, Zone::Fine),
            (Zone::Radius(_), Zone::Fine) => {}
            other => prop_assert!(false, "{:?}", other),
        }
        near = posture;
    }
    Ok(())
}

/// A posture by fractions of the limits, with elbow and wrist away from their singularities.
fn posture_of(cell: &Cell, u: [f64; 6]) -> Vec<f64> {
    let coordinates = cell.coordinates();
    let mut posture: Vec<f64> = (0..6)
        .map(|k| {
            let (lower, upper) = coordinates[k]
                .limits
                .map_or((-PI, PI), |limits| (limits.lower.max(-2.0 * PI), limits.upper.min(2.0 * PI)));
            lower + (0.02 + 0.96 * u[k]) * (upper - lower)
        })
        .collect();
    // Nothing names whole turns of the second, the third and the fifth axis.
    for k in [1, 2, 4] {
        posture[k] = posture[k].clamp(-3.1, 3.1);
    }
    if posture[4].abs() < 0.3 {
        posture[4] = if posture[4] < 0.0 { -0.3 } else { 0.3 };
    }
    posture
}

fn a_move(cell: &Cell) -> impl Strategy<Value = OutMove> + use<> {
    let cell = cell.clone();
    (prop::array::uniform6(0.0..1.0f64), 0..3u8, 1..400u32, 0..3u8).prop_map(move |(u, kind, speed, zone)| {
        let posture = posture_of(&cell, u);
        let kind = match kind {
            0 => OutKind::Joint,
            1 => OutKind::Linear,
            _ => OutKind::Circular(Pose::from_translation(DVec3::new(u[0], u[1], u[2]))),
        };
        let zone = match zone {
            0 => Zone::Fine,
            1 => Zone::Radius(0.005),
            _ => Zone::Radius(0.0012),
        };
        OutMove { kind, posture, speed: Speed::Tip(f64::from(speed) * 1e-3), zone }
    })
}

/// Arms whose kinematics leave digits enough: none of the measures of nearness to a singularity is small.
fn is_regular(cell: &Cell, moves: &[OutMove]) -> bool {
    use kansho_cell::ik::{Ik, IkOptions, Tip};
    let Some(tip) = cell.robots().first().and_then(|robot| {
        Tip::tool(cell, &robot.name).or_else(|| Tip::link(cell, &format!("{}/tool0", robot.name)))
    }) else {
        return false;
    };
    let Ok(ik) = Ik::new(cell, &tip, &IkOptions::default()) else { return false };
    moves.iter().all(|one| ik.branch(&ik.values_in(&one.posture)).1.least() > 0.05)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Out and in again: the same targets to print precision, in every language, joints or poses, with and without a work object.
    #[test]
    fn round_trips(moves in prop::collection::vec(a_move(&builtin::cell()), 1..8), poses in any::<bool>(), shifted in any::<bool>(), pulses in any::<bool>()) {
        let cell = builtin::cell();
        prop_assume!(is_regular(&cell, &moves));
        let work = if shifted { Pose::from_rpy(DVec3::new(0.7, -0.2, 0.4), DVec3::new(0.1, -0.2, 2.0)) } else { Pose::IDENTITY };
        for language in Language::ALL {
            let mut profile = Profile::of(language);
            if pulses {
                profile.pulses_per_degree = Some([1344.0, -1000.0, 1200.5, 950.0, 980.0, -455.0]);
                profile.signs = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0];
                // KUKA's turns are told apart only where axes stay within a whole turn of zero.
                if language != Language::Krl {
                    profile.offsets = [0.1, -0.2, 0.3, -0.1, 0.0, 0.2];
                }
            }
            let moves: Vec<OutMove> = moves
                .iter()
                .map(|one| match (language, one.kind) {
                    // Circles are not written as jobs.
                    (Language::Jbi, OutKind::Circular(_)) => OutMove { kind: OutKind::Linear, ..one.clone() },
                    _ => one.clone(),
                })
                .collect();
            round_trip(&cell, &profile, &moves, poses, work)?;
        }
    }
}

/// The same with real robots, where there are files of them.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test tells why")]
fn round_trips_with_real_robots() {
    let Some(data) = std::env::var_os("KANSHO_DATA") else {
        eprintln!("skipped: KANSHO_DATA is not set");
        return;
    };
    let data = std::path::PathBuf::from(data).join("data");
    let robots = [
        ("robots/abb_irb2400_support/urdf/irb2400.urdf", Language::Rapid),
        ("robots/kuka_kr6_support/urdf/kr6r900sixx.urdf", Language::Krl),
        ("robots/fanuc_m10ia_support/urdf/m10ia.urdf", Language::Fanuc),
        ("windshield/robot/fanuc_m20ia_support/urdf/m20ia.urdf", Language::Fanuc),
        ("robots/motoman_ma2010_support/urdf/ma2010.urdf", Language::Jbi),
        ("robots/ur_description/urdf/ur5e.urdf", Language::UrScript),
    ];
    let mut tried = 0;
    for (file, language) in robots {
        let folder = tempfile::tempdir().expect("a folder");
        let cell_file = folder.path().join("cell.toml");
        let urdf = data.join(file);
        if !urdf.is_file() {
            eprintln!("skipped: there is no {file}");
            continue;
        }
        let text = format!(
            "[[robot]]\nname = \"arm\"\nurdf = \"{}\"\npackages = [\"{}\"]\n",
            urdf.display(),
            data.join("robots").display()
        );
        std::fs::write(&cell_file, text).expect("written");
        let loaded = crate::cell::read(&cell_file, &crate::cell::CellOptions::default()).expect("a cell");
        let cell = loaded.cell;
        if cell.coordinates().len() != 6 {
            eprintln!("skipped: {file} has {} joints", cell.coordinates().len());
            continue;
        }
        tried += 1;
        let mut runner =
            proptest::test_runner::TestRunner::new(ProptestConfig { cases: 60, ..ProptestConfig::default() });
        let strategy = (prop::collection::vec(a_move(&cell), 1..5), any::<bool>());
        let run = runner.run(&strategy, |(moves, poses)| {
            prop_assume!(is_regular(&cell, &moves));
            let moves: Vec<OutMove> = moves
                .iter()
                .map(|one| {
                    if language == Language::Jbi {
                        OutMove {
                            kind: if one.kind == OutKind::Joint { OutKind::Joint } else { OutKind::Linear },
                            ..one.clone()
                        }
                    } else {
                        one.clone()
                    }
                })
                .collect();
            round_trip(&cell, &Profile::of(language), &moves, poses, Pose::IDENTITY)
        });
        if let Err(error) = run {
            panic!("{file}: {error}");
        }
    }
    assert!(tried >= 4, "only {tried} robots were found");
}

#[test]
fn long_programs_are_divided() {
    let cell = builtin::cell();
    let home = builtin::home();
    let moves: Vec<OutMove> = (0..7)
        .map(|k| {
            let mut posture = home.clone();
            posture[0] += 0.01 * f64::from(k);
            OutMove {
                kind: if k == 0 { OutKind::Joint } else { OutKind::Linear },
                posture,
                speed: Speed::Tip(0.1),
                zone: Zone::Radius(0.001),
            }
        })
        .collect();
    for language in Language::ALL {
        let profile = Profile { split: Split { max_points: Some(3) }, ..Profile::of(language) };
        let arm = ControlArm::new(&cell, None, profile.clone()).expect("an arm");
        let files = written(&arm, &moves, &WriteOptions::new("long name!", &arm)).expect("written").files;
        let end = format!(".{}", language.ending());
        let names: Vec<&str> =
            files.iter().map(|(name, _)| name.as_str()).filter(|name| name.ends_with(&end)).collect();
        assert_eq!(names.len(), 4, "three parts and one that calls them: {names:?}");
        let mut all: Vec<String> = Vec::new();
        for part in &names[..3] {
            let stem = part.strip_suffix(&end).expect("it ends so");
            let own: Vec<(String, Vec<u8>)> =
                files.iter().filter(|(name, _)| name.starts_with(&format!("{stem}."))).cloned().collect();
            let program = read_again(language, &own, &profile);
            assert!(program.moves.len() <= 3 && program.moves[0].kind == MotionKind::Joint);
            assert_eq!(
                program.moves.last().map(|one| one.zone),
                Some(if part == &names[2] { program.moves.last().expect("some").zone } else { Zone::Fine })
            );
            // Each begins where the one before ended.
            let skip = usize::from(!all.is_empty());
            all.extend(program.moves[skip..].iter().map(|one| format!("{:?}", one.kind)));
        }
        assert_eq!(all.len(), moves.len(), "{language:?}");
    }
}

/// Poses of a tip along a route.
fn poses(route: &Route) -> Vec<Pose> {
    let mut all = Vec::new();
    for leg in route.legs() {
        if let RouteMotion::Tool { curve, part, .. } = &leg.way {
            all.extend((0..=400).map(|k| curve.at(part.at(f64::from(k) / 400.0))));
        }
    }
    all
}

/// How far poses are from the nearest of others, in metres and as entries of rotations.
fn farthest(from: &[Pose], to: &[Pose]) -> f64 {
    let off = |a: &Pose, b: &Pose| {
        a.to_rows().iter().zip(b.to_rows()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let nearest = |a: &Pose| to.iter().map(|b| off(a, b)).fold(f64::INFINITY, f64::min);
    from.iter().step_by(7).map(nearest).fold(0.0, f64::max)
}

/// Lines and circles of every language lead the tool as the moves did that were written; circles of jobs are two arcs each.
#[test]
fn circles_in_every_language() {
    let cell = builtin::cell();
    let (home, tip) = (builtin::home(), Tip::tool(&cell, "arm").expect("a tool"));
    let here = tip.placed(&cell, &home);
    let at = |x: f64, y: f64, z: f64, turn: f64| {
        let turned = Pose::turn(DVec3::new(0.6, 0.0, 0.8), turn);
        Pose::of_rotation(turned.rotation() * here.rotation(), here.translation() + DVec3::new(x, y, z))
    };
    let through = |x: f64, y: f64, z: f64| here.translation() + DVec3::new(x, y, z);
    let moves = [
        Move::line(at(0.02, 0.0, 0.0, 0.05)),
        Move::arc(through(0.05, 0.03, 0.0), at(0.08, 0.0, 0.01, 0.2)),
        Move::arc(through(0.08, -0.05, 0.03), at(0.03, -0.06, 0.02, 0.1)),
        Move::line(at(0.0, 0.0, 0.0, 0.0)),
    ];
    let route = |moves: &[Move], start: &[f64], tip: Tip| {
        Route::new(&cell, tip, start.to_vec(), moves, Law::Slerp, Blend::Parabola).expect("a route")
    };
    let wanted = poses(&route(&moves, &home, tip));
    for language in Language::ALL {
        let arm = ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
        let out = of_moves(&arm, &tip, &home, &moves, Speed::Tip(0.1)).expect("moves");
        let options = WriteOptions::new("round", &arm);
        let files = written(&arm, &out, &options).expect("written").files;
        let profile = Profile { tools: vec![("1".into(), options.flange_from_tip)], ..Profile::of(language) };
        let program = read_again(language, &files, &profile);
        let circles = program.moves.iter().filter(|one| matches!(one.kind, MotionKind::Circular(_))).count();
        assert_eq!(circles, if language == Language::Jbi { 4 } else { 2 }, "{language:?}");
        let found = resolve(&program, &arm, &ResolveOptions::default()).expect("resolved");
        let found = poses(&route(&found.moves, &found.start, found.tip));
        // Samples are up to 0.3 mm apart.
        let off = farthest(&found, &wanted).max(farthest(&wanted, &found));
        assert!(off < 5e-4, "{language:?}: {off}");
    }
}

/// A speed that a controller has no number for is told.
#[test]
fn speeds_that_are_rounded_much_are_told() {
    let cell = builtin::cell();
    let arm = ControlArm::new(&cell, None, Profile::of(Language::Fanuc)).expect("an arm");
    for (speed, is_told) in [(0.1, false), (0.0123, false), (5e-5, true), (1.4e-4, true), (1e-4, false)] {
        let kind = |k: usize| if k == 0 { OutKind::Joint } else { OutKind::Linear };
        let moves: Vec<OutMove> = (0..2)
            .map(|k| {
                let mut posture = builtin::home();
                posture[0] += 0.01 * k as f64;
                OutMove { kind: kind(k), posture, speed: Speed::Tip(speed), zone: Zone::Fine }
            })
            .collect();
        let done = written(&arm, &moves, &WriteOptions::new("slow", &arm)).expect("written");
        let told = done.notes.iter().any(|note| note.contains("steps of 0.1 mm/sec"));
        assert_eq!(told, is_told, "{speed}: {:?}", done.notes);
    }
}

/// The built-in arm on a rail that is held, and another robot with what is held of it.
pub(super) fn on_a_rail(at: f64, other: Option<(kansho_cell::Robot, Vec<(String, f64)>)>) -> Cell {
    use kansho_cell::{
        CellDraft, JointDraft, JointKind, Limits, LinkDraft, MimicDraft, Robot, RobotDraft, RobotDraftInCell,
        ToolDraft,
    };
    let cell = builtin::cell();
    let arm = &cell.robots()[0];
    let name = |link: kansho_cell::LinkId| arm.robot.links()[link.0 as usize].name.clone();
    let joint = |joint: &kansho_cell::Joint| JointDraft {
        name: joint.name.clone(),
        kind: joint.kind,
        parent: name(joint.parent),
        child: name(joint.child),
        parent_from_joint: joint.parent_from_joint,
        limits: joint.limits,
        max_speed: joint.max_speed,
        mimic: joint.mimic.map(|mimic| MimicDraft {
            joint: arm.robot.joints()[mimic.joint.0 as usize].name.clone(),
            multiplier: mimic.multiplier,
            offset: mimic.offset,
        }),
    };
    let mut draft = RobotDraft {
        name: "on a rail".into(),
        links: arm.robot.links().to_vec(),
        joints: arm.robot.joints().iter().map(joint).collect(),
    };
    draft.links.push(LinkDraft { name: "rail_base".into(), pieces: Vec::new() });
    draft.joints.push(JointDraft {
        name: "rail".into(),
        kind: JointKind::Prismatic { axis: DVec3::Y },
        parent: "rail_base".into(),
        child: name(arm.robot.root()),
        parent_from_joint: Pose::from_translation(DVec3::new(0.0, 0.1, 0.2)),
        limits: Some(Limits { lower: 0.0, upper: 2.0 }),
        max_speed: None,
        mimic: None,
    });
    let tool = arm.tool.expect("a tool");
    let robot = RobotDraftInCell {
        name: "arm".into(),
        robot: Robot::new(draft).expect("a robot"),
        world_from_root: Pose::IDENTITY,
        hold: vec![("rail".into(), at)],
        tool: Some(ToolDraft {
            on: name(kansho_cell::LinkId(tool.on.0 - arm.link(kansho_cell::LinkId(0)).0)),
            pieces: Vec::new(),
            link_from_tcp: tool.link_from_tcp,
        }),
        disabled: Vec::new(),
    };
    let other = other.map(|(robot, hold)| RobotDraftInCell {
        name: "table".into(),
        robot,
        world_from_root: Pose::from_translation(DVec3::new(5.0, 0.0, 0.0)),
        hold,
        tool: None,
        disabled: Vec::new(),
    });
    let robots = [robot].into_iter().chain(other).collect();
    Cell::new(CellDraft { robots, ..CellDraft::default() }).expect("a cell")
}

/// A rail that is held is written with every target, in millimetres, and poses are counted from where the base is with the rail at zero; a
/// program that says something else than the cell holds is refused.
#[test]
fn a_held_rail_is_written_and_read_again() {
    let (cell, elsewhere) = (on_a_rail(0.3, None), on_a_rail(0.2, None));
    let start = builtin::home();
    let mut to = start.clone();
    to[0] += 0.2;
    // The link that the arm stands on is named, or found below the rail.
    let bases = [builtin_base(), Profile::of(Language::Rapid).base];
    for (language, base) in Language::ALL.into_iter().flat_map(|one| bases.clone().map(|base| (one, base))) {
        let profile = Profile { base, ..Profile::of(language) };
        let arm = ControlArm::new(&cell, None, profile.clone()).expect("an arm");
        assert_eq!(arm.held().len(), 1, "{language:?}");
        let out = |kind: OutKind, posture: &Vec<f64>| OutMove {
            kind,
            posture: posture.clone(),
            speed: Speed::Tip(0.1),
            zone: Zone::Fine,
        };
        let moves = [out(OutKind::Joint, &start), out(OutKind::Linear, &to), out(OutKind::Joint, &to)];
        let done = written(&arm, &moves, &WriteOptions::new("rail", &arm)).expect("written");
        let text: String =
            done.files.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect();
        let rows = |what: &str| text.matches(what).count();
        match language {
            Language::Rapid => {
                assert_eq!((rows("[300,9E9,9E9,9E9,9E9,9E9]"), rows("[9E9,")), (3, 0), "{text}")
            }
            Language::Krl => assert_eq!(rows("E1 300,E2 0"), 3, "{text}"),
            Language::Fanuc => assert_eq!(rows("E1 = 300 mm"), 3, "{text}"),
            Language::UrScript | Language::Jbi => {}
        }
        assert!(done.notes.iter().any(|note| note.contains("\"rail\", held at 300 mm")), "{:?}", done.notes);
        let profile =
            Profile { tools: vec![("1".into(), arm.flange_from_tool().expect("a tool"))], ..profile };
        let program = read_again(language, &done.files, &profile);
        let found = resolve(&program, &arm, &ResolveOptions { postures: true, ..ResolveOptions::default() });
        let found = found.unwrap_or_else(|notes| panic!("{language:?}: {notes:?}\n{text}"));
        for (posture, wanted) in found.postures.iter().zip(&moves) {
            let posture = posture.as_ref().expect("a posture");
            let off = posture.iter().zip(&wanted.posture).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-4, "{language:?}: {posture:?}\n{text}");
        }
        let other = ControlArm::new(&elsewhere, None, profile.clone()).expect("an arm");
        let found = resolve(&program, &other, &ResolveOptions::default());
        if language.has_external_axes() {
            let notes = found.expect_err("the rail is elsewhere");
            assert!(
                notes[0].what.contains("external axis 1 is at 300 mm, and the cell holds \"rail\" at 200 mm"),
                "{notes:?}"
            );
            // Where no such axis is known at all.
            let bare = builtin::cell();
            let bare = ControlArm::new(&bare, None, Profile::of(language)).expect("an arm");
            let notes = resolve(&program, &bare, &ResolveOptions::default()).expect_err("there is no rail");
            assert!(notes[0].what.contains("the cell holds no such axis"), "{notes:?}");
        } else {
            let notes = found.expect("joints and poses of the base").notes;
            assert!(notes.iter().any(|note| note.what.contains("says nothing of \"rail\"")), "{notes:?}");
        }
    }
}

/// The link of the built-in arm in whose frame it stands.
fn builtin_base() -> String {
    let cell = builtin::cell();
    let robot = &cell.robots()[0].robot;
    robot.links()[robot.root().0 as usize].name.clone()
}
