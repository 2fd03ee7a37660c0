//! Robot programs of a plan.

use super::Asked;
use super::work::Done;
use kansho::cell::JointMotion;
use kansho::io::job::LoadedJob;
use kansho::io::robot_program::write::{OutKind, OutMove, WriteOptions, program};
use kansho::io::robot_program::{ControlArm, Language, Profile, Speed, Zone};

/// Files of all languages that the job wants, and what is odd about them.
pub(super) fn all(job: &LoadedJob, asked: &Asked, done: &Done) -> (Vec<(String, Vec<u8>)>, Vec<String>) {
    let (mut files, mut notes) = (Vec::new(), Vec::new());
    let languages = job.post.iter().filter_map(|name| Language::named(name));
    for language in languages {
        let arm = match ControlArm::new(&job.cell.cell, Some(&job.robot), Profile::of(language)) {
            Ok(arm) => arm,
            Err(fault) => {
                notes.push(format!("no program in {}: {fault}", language.name()));
                continue;
            }
        };
        for (k, (motion, _)) in done.motions.iter().enumerate() {
            let name =
                if done.motions.len() > 1 { format!("program_{}", k + 1) } else { "program".to_owned() };
            match program(&arm, &moves(job, asked, motion), &WriteOptions::new(&name, &arm)) {
                Ok(written) => {
                    files.extend(written.files);
                    notes
                        .extend(written.notes.into_iter().map(|note| format!("{}: {note}", language.name())));
                }
                Err(why) => notes.push(format!("no program in {}: {why}", language.name())),
            }
        }
    }
    if job.zone > 0.0 && !files.is_empty() {
        notes.push("programs stop at every point: rounded corners (zone) are not proven by plan".into());
    }
    (files, notes)
}

/// The first posture is reached by a move of joints; what follows is as it was proven.
fn moves(job: &LoadedJob, asked: &Asked, motion: &JointMotion) -> Vec<OutMove> {
    let count = motion.pieces().len();
    let one = |number: usize| {
        let mut posture = Vec::new();
        let (piece, u) = if number == count { (count - 1, 1.0) } else { (number, 0.0) };
        motion.pieces()[piece].at(u, &mut posture);
        let kind = if asked.is_lin && number > 0 { OutKind::Linear } else { OutKind::Joint };
        let speed = if number == 0 || !(job.speed > 0.0) { Speed::Unsaid } else { Speed::Tip(job.speed) };
        OutMove { kind, posture, speed, zone: Zone::Fine }
    };
    (0..=count).map(one).collect()
}
