//! Files of a motion: poses, and a work path.

use kansho::check::kept::Way;
use kansho::geom::Pose;
use kansho::plan::words::Answer;
use std::fmt::Write;

/// Turns between two rows of poses are no longer than this, in radians: a screw takes the short way round.
const LONGEST_TURN: f64 = 3.0;

/// Name and content.
pub(super) fn all(answer: &Answer) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("poses.csv".to_owned(), poses(answer).into_bytes())];
    if answer.steps.iter().any(|step| !step.samples.is_empty()) {
        files.push(("path.csv".to_owned(), path(answer).into_bytes()));
    }
    files
}

/// Where ways begin and end; screws lie between.
fn poses(answer: &Answer) -> String {
    let mut text = "x,y,z,qw,qx,qy,qz\n".to_owned();
    let mut row = |pose: Pose| {
        let (p, q) = (pose.translation(), pose.quat());
        writeln!(text, "{},{},{},{},{},{},{}", p.x, p.y, p.z, q.w, q.x, q.y, q.z)
            .expect("writing to a string succeeds");
    };
    row(answer.start);
    for leg in answer.legs() {
        let parts = match leg.way {
            Way::Turn { angle, .. } => (angle.abs() / LONGEST_TURN).ceil().max(1.0) as usize,
            Way::Straight { .. } => 1,
        };
        (1..=parts).for_each(|k| row(leg.way.at(k as f64 / parts as f64)));
    }
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
