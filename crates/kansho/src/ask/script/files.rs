//! Files of what came of a script: poses, and a work path.

use kansho_check::sliding_contact::SlidingMotion;
use kansho_geom::Pose;
use kansho_plan::script::Answer;
use std::fmt::Write;

/// Turns between two rows of poses are no longer than this, in radians: a screw takes the short way round.
const LONGEST_TURN: f64 = 3.0;

/// Names and contents: `poses.csv`, and `path.csv` if a path is followed.
pub(super) fn of_moves(answer: &Answer) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("poses.csv".to_owned(), poses_csv(answer).into_bytes())];
    if answer.steps.iter().any(|step| !step.samples.is_empty()) {
        files.push(("path.csv".to_owned(), path(answer).into_bytes()));
    }
    files
}

/// Where ways begin and end; screws lie between, each of which takes the short way round.
#[must_use]
pub fn poses(answer: &Answer) -> Vec<Pose> {
    let of_leg = |way: SlidingMotion| {
        let parts = match way {
            SlidingMotion::Turn { angle, .. } => (angle.abs() / LONGEST_TURN).ceil().max(1.0) as usize,
            SlidingMotion::Straight { .. } => 1,
        };
        (1..=parts).map(move |k| way.at(k as f64 / parts as f64))
    };
    [answer.start].into_iter().chain(answer.legs().flat_map(|leg| of_leg(leg.way))).collect()
}

fn poses_csv(answer: &Answer) -> String {
    let mut text = "x,y,z,qw,qx,qy,qz\n".to_owned();
    let row = |pose: Pose| {
        let (p, q) = (pose.translation(), pose.quat());
        writeln!(text, "{},{},{},{},{},{},{}", p.x, p.y, p.z, q.w, q.x, q.y, q.z)
            .expect("writing to a string succeeds");
    };
    poses(answer).into_iter().for_each(row);
    text
}

/// Points with the direction into the work, one stroke for each move that follows a path.
fn path(answer: &Answer) -> String {
    let mut text = "x_mm,y_mm,z_mm,i,j,k,stroke\n".to_owned();
    let follows = answer.steps.iter().filter(|step| !step.samples.is_empty());
    for (stroke, step) in follows.enumerate() {
        for sample in &step.samples {
            let (p, d) = (sample.point * 1e3, sample.into);
            writeln!(text, "{},{},{},{},{},{},{stroke}", p.x, p.y, p.z, d.x, d.y, d.z)
                .expect("writing to a string succeeds");
        }
    }
    text
}
