//! Robot programs of a plan.

use super::read_back::proven_program;
use kansho_cell::ik::Tip;
use kansho_cell::route::Move;
use kansho_cell::{JointMotion, JointPiece};
use kansho_check::motion::MotionScene;
use kansho_check::scene::Scene;
use kansho_io::job::LoadedJob;
use kansho_io::robot_program::write::{OutMove, WriteOptions, of_moves};
use kansho_io::robot_program::{ControlArm, Language, Profile, Speed};
use kansho_plan::cam::{PlannedPath, PlannedRun};
use kansho_plan::job::Job;

/// Files of all languages that the job wants, each proven as it is read again, and what is odd about them; a program that is not proven is not
/// among them, and it is said why.
pub(super) fn plan_programs(
    loaded: &LoadedJob,
    path: &PlannedPath,
    scene: &Scene,
) -> (Vec<(String, Vec<u8>)>, Vec<String>) {
    let (job, mut files, mut notes) = (&loaded.job, Vec::new(), Vec::new());
    if loaded.post.is_empty() {
        return (files, notes);
    }
    let scene = MotionScene::new(scene);
    for language in loaded.post.iter().filter_map(|name| Language::named(name)) {
        let own = loaded.profiles.iter().find(|profile| profile.language == language);
        let profile = own.cloned().unwrap_or_else(|| Profile::of(language));
        let arm = match ControlArm::new(&job.cell, Some(&job.robot), profile) {
            Ok(arm) => arm,
            Err(fault) => {
                notes.push(format!("no program in {}: {fault}", language.name()));
                continue;
            }
        };
        for (k, run) in path.runs.iter().enumerate() {
            let name = if path.runs.len() > 1 { format!("program_{}", k + 1) } else { "program".to_owned() };
            let options = WriteOptions::new(&name, &arm);
            let written = moves(job, &arm, run)
                .and_then(|moves| proven_program(&scene, &arm, &moves, &options, job.clearance));
            match written {
                Ok(written) => {
                    files.extend(written.files);
                    notes
                        .extend(written.notes.into_iter().map(|note| format!("{}: {note}", language.name())));
                }
                Err(why) => notes.push(format!("no program in {}: {why}", language.name())),
            }
        }
    }
    (files, notes)
}

/// What was proven, move by move; the first posture is reached by a move of joints.
fn moves(job: &Job, arm: &ControlArm<'_>, run: &PlannedRun) -> Result<Vec<OutMove>, String> {
    let speed = if job.speed > 0.0 { Speed::Tip(job.speed) } else { Speed::Unsaid };
    let tip = Tip::tool(&job.cell, &job.robot).ok_or("the robot has no tool")?;
    if arm.flange_from_tool().is_none() {
        return Err(
            "the tool is moved against the flange by another joint, which the controller does not know of"
                .into(),
        );
    }
    match run {
        PlannedRun::Joints(motion) => {
            let (start, moves) = of_joints(motion);
            of_moves(arm, &tip, &start, &moves, speed)
        }
        PlannedRun::Tool { start, moves, .. } => of_moves(arm, &tip, start, moves, speed),
    }
}

fn of_joints(motion: &JointMotion) -> (Vec<f64>, Vec<Move>) {
    let corner = |piece: &JointPiece, k: usize| piece.controls().iter().map(|c| c[k]).collect();
    let start = motion.pieces().first().map_or(Vec::new(), |piece| corner(piece, 0));
    (start, motion.pieces().iter().map(|piece| Move::joints(corner(piece, 3))).collect())
}
