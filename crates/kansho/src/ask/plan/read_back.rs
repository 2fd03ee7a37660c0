//! Whether a written program is what was planned: it is read as any other program, and proven as its controller may move.
//!
//! A program has rounded numbers, zones and configurations of its own, and a controller its own laws. So nothing is taken over from the proof of the
//! plan.

use kansho_cell::route::{Blend, Route};
use kansho_check::motion::{MotionOptions, MotionScene, RouteScene};
use kansho_check::verdict::Verdict;
use kansho_io::robot_program::resolve::{ResolveOptions, resolve};
use kansho_io::robot_program::write::{OutMove, WriteOptions, Written, program};
use kansho_io::robot_program::{ControlArm, Run, parse};

/// What printed digits may take off a clearance, in metres: programs have micrometres and ten-thousandths of a degree.
const DIGITS: f64 = 1e-5;

/// How far a joint may be from where it was planned, in radians or metres. Digits that are printed move it by some 1e-6, near singularities
/// by a hundred times as much; another branch is much farther.
const SAME_POSTURE: f64 = 0.01;

/// Writes moves as a program whose motion is proven free as it is read.
///
/// # Errors
/// Why it cannot be written; or what is wrong with what was.
pub(super) fn proven_program(
    scene: &MotionScene<'_>,
    arm: &ControlArm<'_>,
    moves: &[OutMove],
    options: &WriteOptions,
    clearance: f64,
) -> Result<Written, String> {
    let proven = |options: &WriteOptions| {
        let written = program(arm, moves, options)?;
        read_back(scene, arm, &written, moves, clearance)
            .map_err(|why| format!("what would be written was read again, and {why}"))?;
        Ok(written)
    };
    match proven(options) {
        // The way from the end to the beginning may be what is not free: then the controller must not go it.
        Err(_) if arm.profile().repeats => proven(&WriteOptions { holds_at_end: true, ..options.clone() }),
        done => done,
    }
}

/// Reads every file with moves. Parts of a divided program overlap by one point; the last file only calls them.
fn read_back(
    scene: &MotionScene<'_>,
    arm: &ControlArm<'_>,
    written: &Written,
    moves: &[OutMove],
    clearance: f64,
) -> Result<(), String> {
    let end = format!(".{}", arm.profile().language.ending());
    let stems: Vec<&str> = written.files.iter().filter_map(|(name, _)| name.strip_suffix(&end)).collect();
    let parts = &stems[..stems.len().saturating_sub(1).max(1).min(stems.len())];
    let mut done = 0;
    for stem in parts {
        let file = |end: &str| {
            let found = written.files.iter().find(|(name, _)| name.strip_prefix(stem) == Some(end));
            found.map(|(_, bytes)| bytes.as_slice())
        };
        let main = file(&end).unwrap_or_default();
        let rest = &moves[done.max(1) - 1..];
        let run = if parts.len() > 1 { Run::ONCE } else { Run::default() };
        let count = part(scene, arm, (main, file(".dat"), run), rest, clearance)?;
        done = done.max(1) - 1 + count;
    }
    match done == moves.len() {
        true => Ok(()),
        false => Err(format!("it has {done} moves instead of {}", moves.len())),
    }
}

/// Proves one file, which is the beginning of these moves; how many it has.
fn part(
    scene: &MotionScene<'_>,
    arm: &ControlArm<'_>,
    (main, data, run): (&[u8], Option<&[u8]>, Run<'_>),
    moves: &[OutMove],
    clearance: f64,
) -> Result<usize, String> {
    let read = |run: Run<'_>| {
        parse(main, data, arm.profile().language, arm.profile(), run)
            .map_err(|faults| faults.first().map_or("it is not understood".to_owned(), ToString::to_string))
    };
    // Jobs of Yaskawa only number their tools: this is the one that they were written for.
    let options = ResolveOptions { postures: true, tool_of_cell: true, ..ResolveOptions::default() };
    let resolved = resolve(&read(run)?, arm, &options)
        .map_err(|notes| notes.first().map_or("it is not understood".into(), |note| note.what.clone()))?;
    // What is beyond the first round leads back to the beginning of it.
    let count = read(Run::ONCE)?.moves.len();
    if count > moves.len() {
        return Err(format!("it has {count} moves instead of {}", moves.len()));
    }
    for (k, (found, wanted)) in resolved.postures.iter().zip(moves).enumerate() {
        let is_same = |found: &Vec<f64>| {
            // What is no number is not the same.
            found.iter().zip(&wanted.posture).all(|(a, b)| (a - b).abs() <= SAME_POSTURE)
        };
        if !found.as_ref().is_none_or(is_same) {
            return Err(format!("move {} arrives in another posture", k + 1));
        }
    }
    if resolved.moves.is_empty() {
        return Ok(count);
    }
    let routes = RouteScene::new(scene, resolved.tip).map_err(|fault| fault.to_string())?;
    let options = MotionOptions { clearance: (clearance - DIGITS).max(0.0), ..MotionOptions::default() };
    for &law in arm.profile().law.laws().each() {
        let start = resolved.start.clone();
        let route = Route::new(arm.cell(), resolved.tip, start, &resolved.moves, law, Blend::Inside)
            .map_err(|fault| fault.to_string())?;
        let report = routes.route(&route, &options, &mut scene.workspace());
        let verdict = report.map(|report| report.verdict).map_err(|stopped| {
            format!("move {} cannot be followed to its end ({law})", stopped.of_move + 2)
        })?;
        match verdict {
            Verdict::Free(_) => {}
            Verdict::Touches(found) => {
                let at = route.legs().get(found.piece).map_or(0, |leg| leg.of_move + 2);
                return Err(format!(
                    "{} touch, or come nearer than the clearance, on move {at} ({law}): as its numbers are rounded, and as the controller may round corners and turn the tool",
                    scene.scene().pair_name(found.pair)
                ));
            }
            Verdict::Undecided { .. } => return Err(format!("whether it is free is undecided ({law})")),
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_cell::ik::{Followed, Ik, IkOptions, Solutions, Tip};
    use kansho_cell::route::Move;
    use kansho_cell::{BodyPiece, Cell, Geometry, ObjectDraft, builtin};
    use kansho_check::scene::Scene;
    use kansho_geom::Pose;
    use kansho_geom::glam::DVec3;
    use kansho_geom::primitive::{Primitive, Shape};
    use kansho_io::robot_program::write::of_moves;
    use kansho_io::robot_program::{Language, Profile, Speed, Split};
    use std::sync::Arc;

    const RADIUS: f64 = 0.01;

    /// The built-in cell with a ball in front of the nozzle, so far away from it in a posture.
    fn cell(posture: &[f64], gap: f64) -> Cell {
        let plain = builtin::cell();
        let tip = Tip::tool(&plain, "arm").expect("a tool").placed(&plain, posture);
        let ball = Primitive::new(Shape::Sphere { radius: RADIUS }).expect("a ball");
        let at = Pose::from_translation(tip * (DVec3::Z * (RADIUS + gap)));
        let piece = BodyPiece { geometry: Geometry::Primitive(ball), carrier_from_piece: at };
        let mut draft = builtin::draft();
        draft.objects.push(ObjectDraft { name: "ball".into(), pieces: vec![piece], on: None });
        Cell::new(draft).expect("a ball more")
    }

    /// A line along the nozzle that ends in a posture.
    fn line_to(cell: &Cell, tip: Tip, posture: &[f64]) -> (Vec<f64>, Vec<Move>) {
        let ik = Ik::new(cell, &tip, &IkOptions::default()).expect("joints move it");
        let end = tip.placed(cell, posture);
        let before = end * Pose::from_translation(DVec3::NEG_Z * 0.03);
        let Followed::On { values, .. } =
            ik.follow(&before, &ik.values_in(posture), &mut Solutions::default())
        else {
            panic!("it is followed")
        };
        let mut start = posture.to_vec();
        ik.put(&values, &mut start);
        (start, vec![Move::line(end).arriving_at(posture.to_vec())])
    }

    #[test]
    fn programs_are_proven_with_their_rounded_numbers() {
        let (mut refused, mut written) = (0, 0);
        for (k, gap) in [1e-9, 1e-9, 1e-9, 1e-9, 3e-8, 1e-6, 2e-5, 1e-3].into_iter().enumerate() {
            let mut posture = builtin::home();
            posture.iter_mut().enumerate().for_each(|(i, q)| *q += 0.01 * ((k * 7 + i * 3) as f64).sin());
            let cell = cell(&posture, gap);
            let tip = Tip::tool(&cell, "arm").expect("a tool");
            let scene = Scene::new(Arc::new(cell.clone()));
            let prepared = MotionScene::new(&scene);
            let (start, moves) = line_to(&cell, tip, &posture);
            for language in Language::ALL {
                let arm = ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
                let out = of_moves(&arm, &tip, &start, &moves, Speed::Tip(0.1)).expect("moves");
                let options = WriteOptions::new("near", &arm);
                match proven_program(&prepared, &arm, &out, &options, 0.0) {
                    Err(why) => {
                        refused += 1;
                        assert!(gap < 1e-5 && why.contains("arm/tool|ball"), "{language:?} {gap}: {why}");
                    }
                    Ok(done) => {
                        written += 1;
                        // What it says is free at its end, by samples of its own.
                        let end = format!(".{}", language.ending());
                        let find = |end: &str| done.files.iter().find(|(name, _)| name.ends_with(end));
                        let main = &find(&end).expect("a program").1;
                        let data = find(".dat").map(|(_, bytes)| bytes.as_slice());
                        let read = parse(main, data, language, arm.profile(), Run::ONCE).expect("it is read");
                        let all = ResolveOptions {
                            postures: true,
                            tool_of_cell: true,
                            ..ResolveOptions::default()
                        };
                        let found = resolve(&read, &arm, &all).expect("it is resolved");
                        let last = found.postures.last().cloned().flatten().expect("it is followed");
                        assert!(!scene.touches(&last, &mut scene.workspace()), "{language:?} {gap}");
                    }
                }
            }
        }
        assert!(refused > 0 && written > 10, "{refused} and {written}");
    }

    /// What arrives elsewhere, or nearer than the clearance, is not what was planned.
    #[test]
    fn programs_of_other_postures_are_refused() {
        let cell = cell(&builtin::home(), 1e-3);
        let tip = Tip::tool(&cell, "arm").expect("a tool");
        let scene = Scene::new(Arc::new(cell.clone()));
        let prepared = MotionScene::new(&scene);
        let (start, moves) = line_to(&cell, tip, &builtin::home());
        for language in Language::ALL {
            let arm = ControlArm::new(&cell, None, Profile::of(language)).expect("an arm");
            let out = of_moves(&arm, &tip, &start, &moves, Speed::Tip(0.1)).expect("moves");
            let written = program(&arm, &out, &WriteOptions::new("other", &arm)).expect("written");
            let check = |moves: &[OutMove], clearance: f64| {
                read_back(&prepared, &arm, &written, moves, clearance).err().unwrap_or_default()
            };
            assert_eq!(check(&out, 9e-4), "", "{language:?}");
            assert!(check(&out, 2e-3).contains("arm/tool|ball"), "{language:?}");
            assert!(check(&out[1..], 0.0).contains("2 moves instead of 1"), "{language:?}");
            let mut other = out.clone();
            other[1].posture[5] += std::f64::consts::TAU;
            assert!(check(&other, 0.0).contains("move 2 arrives in another posture"), "{language:?}");
        }
    }

    /// Each part of a divided program is read.
    #[test]
    fn divided_programs_are_read_part_by_part() {
        let cell = cell(&builtin::home(), 1e-3);
        let tip = Tip::tool(&cell, "arm").expect("a tool");
        let scene = Scene::new(Arc::new(cell.clone()));
        let prepared = MotionScene::new(&scene);
        let (start, to) = line_to(&cell, tip, &builtin::home());
        let back = Move::line(tip.placed(&cell, &start)).arriving_at(start.clone());
        let moves: Vec<Move> = [&to[0], &back].into_iter().cycle().take(7).cloned().collect();
        for language in Language::ALL {
            let profile = Profile { split: Split { max_points: Some(3) }, ..Profile::of(language) };
            let arm = ControlArm::new(&cell, None, profile).expect("an arm");
            let out = of_moves(&arm, &tip, &start, &moves, Speed::Tip(0.1)).expect("moves");
            let done = proven_program(&prepared, &arm, &out, &WriteOptions::new("long", &arm), 0.0);
            let mut written = done.expect("it is proven");
            let end = format!(".{}", language.ending());
            let is_part = |(name, _): &&(String, Vec<u8>)| name.ends_with(&end);
            assert_eq!(written.files.iter().filter(is_part).count(), 5, "{language:?}: four and a caller");
            let check = |written: &Written| read_back(&prepared, &arm, written, &out, 0.0);
            // One that is missing, and one that is another.
            let without = |k: usize| {
                let name = format!("long_{k}.");
                let files =
                    written.files.iter().filter(|(file, _)| !file.starts_with(&name)).cloned().collect();
                Written { files, notes: Vec::new() }
            };
            assert!(check(&without(4)).is_err() && check(&without(2)).is_err(), "{language:?}");
            let other = written.files.iter().position(|(file, _)| file == &format!("long_3{end}"));
            written.files[other.expect("a part")].1 = b"nothing".to_vec();
            assert!(check(&written).is_err(), "{language:?}");
        }
    }
}
