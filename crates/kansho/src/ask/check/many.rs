//! Many motions of one segment each.

use super::CheckOptions;
use crate::answer::{ExitCode, FORMAT, Message};
use crate::budget::Budget;
use crate::table::field;
use kansho_cell::{JointMotion, JointPiece};
use kansho_check::motion::{MotionScene, MotionWorkspace};
use kansho_check::scene::{PairId, Scene};
use kansho_check::verdict::Verdict;
use kansho_io::limits;
use kansho_verify::file::bundle::{BundleHeader, BundleWriter, BundledMotion};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// Segments that are decided before their certificates are written.
const TOGETHER: usize = 2048;

/// Which of many segments are free.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SegmentsAnswer {
    /// The version of this answer.
    pub format: u32,
    /// How many there are.
    pub segments: usize,
    /// How many are proven free.
    pub free: usize,
    /// How many touch.
    pub touches: usize,
    /// How many are undecided.
    pub undecided: usize,
    /// How many of the free ones have a certificate; missing where none was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certified: Option<usize>,
    /// The fingerprint of the file of certificates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// One row for each, in their order.
    pub rows: Vec<SegmentRow>,
    /// What is odd about the cell and the table.
    pub warnings: Vec<Message>,
}

/// The answer for one segment.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SegmentRow {
    /// The verdict, and what belongs to it.
    #[serde(flatten)]
    pub verdict: SegmentVerdict,
    /// Joints that are outside their limits at an end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside_limits: Vec<String>,
}

/// A verdict, and what belongs to it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum SegmentVerdict {
    /// Proven free.
    Free {
        /// A proven lower bound of all gaps, in metres; null where nothing that is checked can touch.
        #[serde(serialize_with = "finite")]
        clearance: f64,
    },
    /// It collides, or comes as near as the clearance.
    Touches {
        /// When, as a fraction of the segment.
        t: f64,
        /// The pair, as `a|b`.
        pair: String,
        /// Its gap, in metres.
        gap: f64,
        /// Whether the segment begins with it.
        at_start: bool,
        /// The pair by its number.
        #[serde(skip)]
        pair_id: PairId,
    },
    /// Neither is proven.
    Undecided,
}

fn finite<S: serde::Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    value.is_finite().then_some(*value).serialize(to)
}

/// Decides segments: rows of a start and a goal, one after the other, with all joints moving evenly between them.
///
/// # Panics
/// If there are not two postures of this cell in every row.
#[must_use]
pub fn segments(
    scene: &Scene,
    ends: &[&[f64]],
    options: &CheckOptions,
    budget: &Budget<'_>,
) -> SegmentsAnswer {
    let prepared = MotionScene::new(scene);
    let rows = answered(&prepared, ends, options, budget).into_iter().map(|(row, _)| row);
    of_rows(rows.collect())
}

/// The same, with the certificates of those that are free as one file ([`bundle`](kansho_verify::file::bundle)), which is written while the
/// others are decided: each motion is the row of the table, from 0.
///
/// # Errors
/// It cannot be written.
///
/// # Panics
/// If there are not two postures of this cell in every row.
pub fn certified_segments(
    scene: &Scene,
    ends: &[&[f64]],
    options: &CheckOptions,
    budget: &Budget<'_>,
    out: &mut dyn std::io::Write,
) -> std::io::Result<SegmentsAnswer> {
    let options = CheckOptions { certificate: true, ..options.clone() };
    let prepared = MotionScene::new(scene);
    let wanted = options.of_motion(budget);
    let header = BundleHeader::new(scene.cell(), &prepared.clearances(&wanted), wanted.resolution);
    let mut writer = BundleWriter::new(out, &header)?;
    let (mut rows, mut certified) = (Vec::new(), 0);
    // What is written need not be held.
    for some in ends.chunks(2 * TOGETHER) {
        for (row, one) in answered(&prepared, some, &options, budget) {
            if let Some((motion, letters)) = one {
                writer.push(&BundledMotion { number: rows.len() as u64, motion, letters })?;
                certified += 1;
            }
            rows.push(row);
        }
    }
    let fingerprint = Some(writer.finish()?);
    Ok(SegmentsAnswer { certified: Some(certified), fingerprint, ..of_rows(rows) })
}

/// A motion, and the letters of each of its pieces.
type Proof = (JointMotion, Vec<String>);

fn answered(
    prepared: &MotionScene<'_>,
    ends: &[&[f64]],
    options: &CheckOptions,
    budget: &Budget<'_>,
) -> Vec<(SegmentRow, Option<Proof>)> {
    let scene = prepared.scene();
    let one = |workspace: &mut MotionWorkspace, ends: &[&[f64]]| {
        let [from, to] = ends else { unreachable!("a segment has two ends") };
        let mut proof = None;
        // Nobody waits for it.
        let verdict = if budget.is_stopped() {
            SegmentVerdict::Undecided
        } else {
            let motion = JointMotion::of_piece(JointPiece::line(from, to));
            let verdict = decided(scene, prepared, &motion, options, budget, workspace);
            if options.certificate && matches!(verdict, SegmentVerdict::Free { .. }) {
                let made = prepared.certify(&motion, &options.of_motion(budget));
                proof = made.ok().map(|made| (motion, made.pieces));
            }
            verdict
        };
        let outside_limits = limits::names_outside(scene.cell(), ends);
        budget.one_done();
        (SegmentRow { verdict, outside_limits }, proof)
    };
    assert_eq!(ends.len() % 2, 0, "a segment has two ends");
    ends.par_chunks_exact(2).map_init(|| prepared.workspace(), one).collect()
}

fn of_rows(rows: Vec<SegmentRow>) -> SegmentsAnswer {
    let count = |is: fn(&SegmentVerdict) -> bool| rows.iter().filter(|row| is(&row.verdict)).count();
    SegmentsAnswer {
        format: FORMAT,
        segments: rows.len(),
        free: count(|row| matches!(row, SegmentVerdict::Free { .. })),
        touches: count(|row| matches!(row, SegmentVerdict::Touches { .. })),
        undecided: count(|row| matches!(row, SegmentVerdict::Undecided)),
        certified: None,
        fingerprint: None,
        rows,
        warnings: Vec::new(),
    }
}

fn decided(
    scene: &Scene,
    prepared: &MotionScene<'_>,
    motion: &JointMotion,
    options: &CheckOptions,
    budget: &Budget<'_>,
    workspace: &mut MotionWorkspace,
) -> SegmentVerdict {
    let wanted = options.of_motion(budget);
    match prepared.motion(motion, &wanted, workspace).verdict {
        Verdict::Free(proof) => {
            let clearance = if options.tight {
                prepared.least_gap(motion, &wanted, proof.clearance, workspace).proven
            } else {
                proof.clearance
            };
            SegmentVerdict::Free { clearance }
        }
        Verdict::Touches(found) => SegmentVerdict::Touches {
            t: found.time.end,
            pair: scene.pair_name(found.pair),
            gap: found.gap,
            at_start: found.at_start,
            pair_id: found.pair,
        },
        Verdict::Undecided { .. } => SegmentVerdict::Undecided,
    }
}

impl SegmentsAnswer {
    /// What the command ends with.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match (self.touches, self.undecided) {
            (0, 0) => ExitCode::Done,
            (0, _) => ExitCode::Undecided,
            _ => ExitCode::No,
        }
    }

    /// One row a segment, as CSV with a header.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::from("verdict,t,pair,clearance,outside_limits\n");
        for row in &self.rows {
            match &row.verdict {
                SegmentVerdict::Free { clearance } => write!(text, "free,,,{clearance}"),
                SegmentVerdict::Touches { t, pair, .. } => write!(text, "touches,{t},{},", field(pair)),
                SegmentVerdict::Undecided => write!(text, "undecided,,,"),
            }
            .and_then(|()| writeln!(text, ",{}", field(&row.outside_limits.join(";"))))
            .expect("writing to a string succeeds");
        }
        text
    }

    /// How many there are of each, in words.
    #[must_use]
    pub fn summary(&self) -> String {
        let open =
            if self.undecided > 0 { format!(", {} are undecided", self.undecided) } else { String::new() };
        let certified = match (self.certified, &self.fingerprint) {
            (Some(count), Some(fingerprint)) => {
                format!("{count} of the free ones have a certificate; fingerprint {fingerprint}\n")
            }
            _ => String::new(),
        };
        format!(
            "{} of {} segments touch, {} are free{open}\n{certified}",
            self.touches, self.segments, self.free
        )
    }
}
