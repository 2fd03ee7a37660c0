//! In which of many poses do two bodies collide, how far apart are they, how deep are they in each other?

use crate::answer::{ExitCode, FORMAT, Message};
use kansho_check::collide as engine;
use kansho_geom::Pose;
use kansho_geom::solid::{Meeting, Solid};
use kansho_io::Fault;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

pub use kansho_check::collide::CollideOptions;

/// Which poses collide.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CollideAnswer {
    /// The version of this answer.
    pub format: u32,
    /// How many poses there are.
    pub poses: usize,
    /// In how many the bodies collide.
    pub hits: usize,
    /// One row for each, in their order.
    pub rows: Vec<CollideRow>,
    /// What is odd about the files.
    pub warnings: Vec<Message>,
    /// What was measured.
    #[serde(skip)]
    pub options: CollideOptions,
}

/// The answer for one pose.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CollideRow {
    /// 1 if they have a common point.
    pub hit: u8,
    /// How they lie to each other: `apart`, `touch`, `a inside b` or `b inside a`.
    pub how: &'static str,
    /// Their distance, in metres; zero exactly if they touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// The nearest points of A and B, in the frame of A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<[[f64; 3]; 2]>,
    /// How deep they are in each other, at least and at most, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<[f64; 2]>,
}

/// Why two bodies cannot be asked how deep they are in each other; none if they can. One answer for each body.
#[must_use]
pub fn no_depth(bodies: [&Solid; 2]) -> [Option<Fault>; 2] {
    let what = "this surface is open, so it has no inside to be deep in";
    bodies.map(|body| (!body.is_closed()).then(|| Fault::of_file(what)))
}

/// Looks at every pose of `b` in the frame of `a`, on all threads of the current pool.
#[must_use]
pub fn collide([a, b]: [&Solid; 2], a_from_b: &[Pose], options: &CollideOptions) -> CollideAnswer {
    let rows: Vec<CollideRow> = engine::collide(a, b, a_from_b, options).iter().map(row).collect();
    CollideAnswer {
        format: FORMAT,
        poses: rows.len(),
        hits: rows.iter().filter(|row| row.hit == 1).count(),
        rows,
        warnings: Vec::new(),
        options: *options,
    }
}

fn row(answer: &engine::Answer) -> CollideRow {
    CollideRow {
        hit: u8::from(answer.hit()),
        how: match answer.meeting {
            Meeting::Apart => "apart",
            Meeting::Touch => "touch",
            Meeting::FirstInside => "a inside b",
            Meeting::SecondInside => "b inside a",
        },
        distance: answer.gap.map(|found| found.gap),
        points: answer.gap.map(|found| found.points.map(|point| point.to_array())),
        depth: answer.depth.map(|depth| [depth.at_least, depth.at_most]),
    }
}

impl CollideAnswer {
    /// What the command ends with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        if self.hits > 0 { ExitCode::No } else { ExitCode::Done }
    }

    /// How many collide, in words.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("{} of {} poses touch\n", self.hits, self.poses)
    }

    /// One row a pose, as CSV with a header. The points are in the frame of A.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::from("hit,how");
        text += if self.options.distance { ",distance,ax,ay,az,bx,by,bz" } else { "" };
        text += if self.options.depth.is_some() { ",depth_at_least,depth_at_most\n" } else { "\n" };
        for row in &self.rows {
            write!(text, "{},{}", row.hit, row.how).expect("writing to a string succeeds");
            let measured = row.distance.into_iter().chain(row.points.into_iter().flatten().flatten());
            for number in measured.chain(row.depth.into_iter().flatten()) {
                write!(text, ",{number}").expect("writing to a string succeeds");
            }
            text.push('\n');
        }
        text
    }
}
