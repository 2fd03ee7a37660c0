//! Routes with each law by which a tool may turn, and what is said of them.

use super::{MotionWorkspace, RouteProof, RouteReport, RouteScene, Stop, Stopped, joined};
use crate::scene::motion::{LeastGap, MotionOptions, Uncertified};
use crate::verdict::Verdict;
use kansho_cell::ik::{BranchEnd, Nearness};
use kansho_cell::route::{Law, Route};
use kansho_cell::{Cell, JointMotion};
use kansho_verify::motion::MotionCertificate;

/// How near the joints that are shown are to those that follow a curve, where nothing is left open in corners, in metres of bodies.
const SHOWN: f64 = 1e-6;

/// The same where a corner may be passed in any way.
const SHOWN_LOOSELY: f64 = 2e-3;

/// What was found with one law.
#[derive(Clone, Debug, PartialEq)]
pub struct LawReport {
    /// The law.
    pub law: Law,
    /// The answer.
    pub report: RouteReport,
    /// If it is free and this was asked for, how near bodies come.
    pub least: Option<LeastGap>,
    /// If it is free and this was asked for, a certificate, or why there is none.
    pub certificate: Option<Result<MotionCertificate, Uncertified>>,
}

/// What is asked of a route that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawsWanted {
    /// How near bodies come.
    pub least_gap: bool,
    /// A certificate.
    pub certificate: bool,
}

impl RouteScene<'_> {
    /// Decides one motion with every law by which the tool may turn.
    ///
    /// # Errors
    /// With which law it cannot be followed, and where.
    ///
    /// # Panics
    /// If a route is of another tool.
    pub fn laws(
        &self,
        routes: &[(Law, Route)],
        options: &MotionOptions<'_>,
        wanted: LawsWanted,
        workspace: &mut MotionWorkspace,
    ) -> Result<Vec<LawReport>, (Law, Box<Stopped>)> {
        let mut all = Vec::new();
        for (law, route) in routes {
            let report =
                self.route(route, options, workspace).map_err(|stopped| (*law, Box::new(stopped)))?;
            let mut found = LawReport { law: *law, report, least: None, certificate: None };
            if let Verdict::Free(RouteProof { clearance, pieces }) = &found.report.verdict {
                if wanted.least_gap {
                    // Pieces for this are finer, and may stop where those of the proof did not: then nothing more is known than that.
                    found.least = self.least_gap(route, options, *clearance, workspace).ok();
                }
                found.certificate = wanted.certificate.then(|| self.certify(pieces, options));
            }
            all.push(found);
        }
        Ok(all)
    }

    /// Joints that lead the tool along a route, for the eye, and by how much bodies may be off, in metres.
    ///
    /// # Errors
    /// Where it cannot be followed.
    ///
    /// # Panics
    /// If the route is of another tool.
    pub fn shown(&self, route: &Route) -> Result<(JointMotion, f64), Stopped> {
        let pieces = self.trace(route, SHOWN).or_else(|_| self.trace(route, SHOWN_LOOSELY))?;
        let margin = pieces.iter().map(|piece| piece.margins.of_joints).fold(0.0, f64::max);
        Ok((joined(&pieces), margin))
    }
}

/// The number of the law that counts: a contact with any law is one, and what is not decided with any is not; of those that are free, the one
/// with the least clearance.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn worst_law(found: &[LawReport]) -> usize {
    let rank = |found: &LawReport| match &found.report.verdict {
        Verdict::Touches(_) => 0,
        Verdict::Undecided { .. } => 1,
        Verdict::Free(_) => 2,
    };
    let least = |found: &LawReport| found.least.map_or(f64::INFINITY, |least| least.proven);
    (0..found.len())
        .min_by(|&a, &b| {
            rank(&found[a]).cmp(&rank(&found[b])).then(least(&found[a]).total_cmp(&least(&found[b])))
        })
        .expect("there is a law")
}

impl Stopped {
    /// Where and why a route cannot be followed, in words.
    #[must_use]
    pub fn words(&self, cell: &Cell, law: Law) -> String {
        let p = self.pose.translation();
        let joint = |coordinate: usize| cell.coordinates()[coordinate].full_name();
        let singular = |nearness: &Nearness| {
            let names = nearness.names();
            if names.is_empty() {
                format!("joints turn too fast, near a singularity (nearness {:.1e})", nearness.least())
            } else {
                format!("there is a singularity ({})", names.join(", "))
            }
        };
        let why = match &self.why {
            Stop::Branch(BranchEnd::StartSingular(nearness) | BranchEnd::Singular(nearness)) => {
                singular(nearness)
            }
            Stop::Branch(BranchEnd::Passed) => "a singularity would be passed".into(),
            Stop::Branch(BranchEnd::Jump { coordinate, change }) => {
                format!("\"{}\" would jump by {change:.3}: a singularity is passed", joint(*coordinate))
            }
            Stop::Branch(BranchEnd::Limit { coordinate, beyond }) => {
                format!("\"{}\" would leave its limits, by {beyond:.6} soon", joint(*coordinate))
            }
            Stop::Branch(BranchEnd::OutOfReach { part, by }) => {
                format!("it is out of reach from there on ({part:?}, {by:.2e} m soon)")
            }
            Stop::Branch(BranchEnd::Lost { .. }) => "no posture was found that goes on".into(),
            Stop::Elsewhere { coordinate, by } => format!(
                "it arrives with \"{}\" {by:.6} off the posture that is wished for: that is on another branch or in another turn",
                joint(*coordinate)
            ),
            Stop::Unbounded => "a slide is outside its limits".into(),
            Stop::Loose => {
                "whatever may happen in the corner is too much to be bounded: take a smaller zone, or name what the controller does, as in ⟦blend=parabola⟧".into()
            }
        };
        format!(
            "the tool cannot be led on at {:.6} of the way, {:.6} m along it, at ({:.6}, {:.6}, {:.6}), law {law}: {why}",
            self.fraction, self.length, p.x, p.y, p.z
        )
    }
}
