//! Is a certificate of a moving cell true? Shares nothing with the search but forward kinematics.
//!
//! | part | answers |
//! |---|---|
//! | [`tree`] | which boxes and balls hold the triangles of a body? |
//! | [`steps`] | what does a certificate say, letter by letter? |
//! | [`seen`] | where are bodies in a span of time? |
//! | `off` | how far may heights be from cubics? |
//! | [`height`] | what is one node beyond another along a direction, at least? |
//!
//! A region is a node of each of two bodies and a span of time. A certificate divides all pairs of triangles and all times into regions,
//! and names a direction for each.

pub mod height;
mod insides;
mod off;
pub mod seen;
pub mod steps;
pub mod tree;

use kansho_cell::{BodyId, Cell, FrameId, JointMotion, JointPiece};
use rayon::prelude::*;
pub use seen::CellTrees;
use seen::{PieceView, When};
use steps::{RegionStep, StepReader};
use tree::BodyTree;

/// Why a motion of a cell is free: for each piece of the motion, for each pair of bodies in the order in which the cell lists them, a
/// division of all their triangles and all times, with a direction for each region.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionCertificate {
    /// The gap of each pair of bodies, in the order of [`kansho_cell::Pairs::checked`], is more than this at all times.
    pub clearances: Vec<f64>,
    /// The letters of each piece of the motion ([`steps`]). Pairs that never move relative to each other stand in the first alone.
    pub pieces: Vec<String>,
}

/// What a certificate proves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerifiedMotion {
    /// All gaps of bodies that move relative to each other are more than this at all times, in metres; infinite if there are none.
    /// Others are more than zero.
    pub clearance: f64,
    /// Regions that were checked.
    pub regions: usize,
}

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RefusedMotion {
    /// There are not as many clearances as pairs, or one is no length.
    #[error("the clearances are not those of the pairs of this cell")]
    Clearances,
    /// The motion has another number of coordinates than the cell.
    #[error("the motion is not one of this cell")]
    Coordinates,
    /// There are not as many lists of steps as pieces of the motion.
    #[error("{given} lists of steps for {needed} pieces of the motion")]
    Pieces {
        /// What is given.
        given: usize,
        /// What is needed.
        needed: usize,
    },
    /// There are more steps than are needed.
    #[error("piece {piece} has more steps than it needs")]
    Length {
        /// The piece.
        piece: usize,
    },
    /// A step is missing or makes no sense, or its region is not free as it says.
    #[error("letter {letter} of piece {piece} ({pair}): {why}")]
    Step {
        /// The piece.
        piece: usize,
        /// The letter in it where the step ends, from 0.
        letter: usize,
        /// The bodies.
        pair: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A body lies inside another.
    #[error("{0}: one lies inside the other at the start")]
    Inside(String),
}

/// Whether two bodies move relative to each other. Of others only touching is asked, for no motion could do better.
#[must_use]
pub fn moves(cell: &Cell, bodies: [BodyId; 2]) -> bool {
    let [a, b] = bodies.map(|body| cell.in_frame(cell.body(body).carrier).frame);
    a != b
}

/// What a gap must be more than, so that rounding of this sum and product does not matter.
#[must_use]
pub fn required(clearance: f64, margin: f64) -> f64 {
    (clearance + margin) * (1.0 + 8.0 * f64::EPSILON)
}

/// Re-checks a certificate of a motion, on all threads of the current pool.
///
/// # Errors
/// What is wrong; of several pieces, of the first.
pub fn verify_motion(
    cell: &Cell,
    motion: &JointMotion,
    certificate: &MotionCertificate,
) -> Result<VerifiedMotion, RefusedMotion> {
    verify_on_trees(cell, &CellTrees::new(cell), motion, certificate)
}

/// The same, with trees that were made before for the same cell: for many motions.
///
/// # Errors
/// What is wrong; of several pieces, of the first.
pub fn verify_on_trees(
    cell: &Cell,
    trees: &CellTrees,
    motion: &JointMotion,
    certificate: &MotionCertificate,
) -> Result<VerifiedMotion, RefusedMotion> {
    verify_with_margins(cell, trees, motion, certificate, &|_, _| 0.0)
}

/// The same of a motion of which each piece may be off by a margin, in metres, that the frames of two bodies decide: those that move relative
/// to each other must be apart by that, too.
pub(crate) fn verify_with_margins(
    cell: &Cell,
    trees: &CellTrees,
    motion: &JointMotion,
    certificate: &MotionCertificate,
    margin: &(dyn Fn(usize, [FrameId; 2]) -> f64 + Sync),
) -> Result<VerifiedMotion, RefusedMotion> {
    let checked = cell.pairs().checked();
    let is_length = |c: &f64| *c >= 0.0 && c.is_finite();
    if certificate.clearances.len() != checked.len() || !certificate.clearances.iter().all(is_length) {
        return Err(RefusedMotion::Clearances);
    }
    if motion.pieces().iter().any(|piece| piece.controls().len() != cell.coordinates().len()) {
        return Err(RefusedMotion::Coordinates);
    }
    let (given, needed) = (certificate.pieces.len(), motion.pieces().len());
    if given != needed {
        return Err(RefusedMotion::Pieces { given, needed });
    }
    let regions: Vec<Result<usize, RefusedMotion>> = (0..needed)
        .into_par_iter()
        .map(|number| {
            let margin = |frames: [FrameId; 2]| margin(number, frames);
            PieceCheck {
                cell,
                trees,
                number,
                motion: &motion.pieces()[number],
                clearances: &certificate.clearances,
                margin: &margin,
            }
            .run(&certificate.pieces[number], None)
        })
        .collect();
    let of_moving = trees.pairs().iter().zip(&certificate.clearances).filter(|(pair, _)| pair.moves);
    let clearance = of_moving.map(|(_, clearance)| *clearance).fold(f64::INFINITY, f64::min);
    let mut verified = VerifiedMotion { clearance, regions: 0 };
    for regions in regions {
        verified.regions += regions?;
    }
    Ok(verified)
}

/// What a certificate shows of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairProof {
    /// The pair.
    pub bodies: [BodyId; 2],
    /// Its gap is more than this at all times; infinite if nothing had to be shown.
    pub gap: f64,
    /// The piece of the motion of which the least is known, from 0.
    pub piece: usize,
    /// Regions that show it.
    pub regions: usize,
}

/// What a certificate shows of each pair, in the order in which the cell lists them: for those who want to read it.
///
/// `margin` is as for routes: what each piece may be off by, in metres, for the frames of two bodies.
///
/// # Errors
/// As [`verify_motion`]; the certificate is verified once more.
pub fn explain(
    cell: &Cell,
    motion: &JointMotion,
    certificate: &MotionCertificate,
    margin: &(dyn Fn(usize, [FrameId; 2]) -> f64 + Sync),
) -> Result<Vec<PairProof>, RefusedMotion> {
    let trees = CellTrees::new(cell);
    verify_with_margins(cell, &trees, motion, certificate, margin)?;
    let said = |pair: &seen::PairOfTrees| PairProof {
        bodies: pair.bodies,
        gap: f64::INFINITY,
        piece: 0,
        regions: 0,
    };
    let mut said: Vec<PairProof> = trees.pairs().iter().map(said).collect();
    for (number, (motion, letters)) in motion.pieces().iter().zip(&certificate.pieces).enumerate() {
        let margin = |frames: [FrameId; 2]| margin(number, frames);
        let clearances = &certificate.clearances;
        let piece = PieceCheck { cell, trees: &trees, number, motion, clearances, margin: &margin };
        piece.run(letters, Some(&mut said))?;
    }
    Ok(said)
}

struct PieceCheck<'a> {
    cell: &'a Cell,
    trees: &'a CellTrees,
    number: usize,
    motion: &'a JointPiece,
    clearances: &'a [f64],
    margin: &'a dyn Fn([FrameId; 2]) -> f64,
}

impl PieceCheck<'_> {
    fn run(&self, letters: &str, mut said: Option<&mut [PairProof]>) -> Result<usize, RefusedMotion> {
        let Self { cell, trees, number, .. } = *self;
        let mut reader = StepReader::new(letters);
        let mut view = PieceView::new(cell, trees, self.motion);
        let mut regions = 0;
        let mut open = Vec::new();
        for (id, (pair, &clearance)) in trees.pairs().iter().zip(self.clearances).enumerate() {
            let bodies = trees.of(pair);
            // What does not move relative to each other is apart in every piece if it is in one. Nothing touches what is empty.
            if (!pair.moves && number > 0) || bodies.iter().any(|body| body.is_empty()) {
                continue;
            }
            let margin = if pair.moves { (self.margin)(bodies.map(|body| body.frame)) } else { 0.0 };
            let needed = required(clearance, margin);
            let name = || pair.bodies.map(|body| cell.body(body).name.as_str()).join("|");
            open.clear();
            open.push(([BodyTree::ROOT; 2], When::WHOLE));
            let (mut is_divided, mut last) = (false, None);
            while let Some((nodes, when)) = open.pop() {
                let step = reader.step();
                let letter = reader.place();
                let wrong = |why| Err(RefusedMotion::Step { piece: number, letter, pair: name(), why });
                match step {
                    None => return wrong("there is no step"),
                    Some(RegionStep::Time) => {
                        let Some([early, late]) = when.halves() else {
                            return wrong("the span is too short to be halved");
                        };
                        open.extend([(nodes, late), (nodes, early)]);
                    }
                    Some(RegionStep::Open(k)) => {
                        let Some(children) = bodies[k].children(nodes[k]) else {
                            return wrong("there is nothing in it to divide");
                        };
                        is_divided = true;
                        for child in children.into_iter().rev() {
                            let mut nodes = nodes;
                            nodes[k] = child;
                            open.push((nodes, when));
                        }
                    }
                    Some(RegionStep::Free(named)) => {
                        let seen = view.pair(pair, when);
                        let Some(n) = height::direction(named, &seen, bodies, nodes, last) else {
                            return wrong("there was no direction before");
                        };
                        let beyond = height::beyond(&seen, bodies, nodes, n);
                        if !(beyond > needed) {
                            return wrong("the direction does not keep them apart");
                        }
                        if let Some(said) = &mut said {
                            let said = &mut said[id];
                            said.regions += 1;
                            if beyond - margin < said.gap {
                                (said.gap, said.piece) = (beyond - margin, number);
                            }
                        }
                        last = Some(n);
                        regions += 1;
                    }
                }
            }
            // What one direction keeps apart as a whole is not inside; and what is outside at the start and crosses no surface stays so, also
            // in the pieces that follow, each of which begins where the one before ended.
            if is_divided && number == 0 && self.is_inside(pair) {
                return Err(RefusedMotion::Inside(name()));
            }
        }
        if reader.is_done() { Ok(regions) } else { Err(RefusedMotion::Length { piece: number }) }
    }

    fn is_inside(&self, pair: &seen::PairOfTrees) -> bool {
        let mut posture = Vec::new();
        self.motion.at(0.0, &mut posture);
        let placed = self.cell.place(&posture);
        let poses =
            self.trees.of(pair).map(|tree| placed.world_from_frame(tree.frame) * tree.frame_from_body);
        let insides = pair.bodies.map(|body| self.trees.insides(self.cell, body));
        [[0, 1], [1, 0]].iter().any(|&[outer, inner]| {
            insides[outer].holds_one_of(insides[inner], poses[outer].inverse() * poses[inner])
        })
    }
}
