//! The check itself: [`super`] says what it proves.

use super::claim::{ContactCertificate, ContactMove, ContactPair, VerifiedContact, VerifiedPair};
use super::interval::Vector;
use super::region::{Direction, MayTouchCorners, PairOfBodies};
use super::solid::{Pieces, PlacedBody, is_outside};
use super::steps::{ContactStep, ContactStepReader, MOST_PAIRS};
use super::tree::ContactTree;
use super::way::{FARTHEST, WayBounds};
use kansho_geom::glam::{BVec3, DVec3};
use rayon::prelude::*;

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RefusedContact {
    /// The tolerance is no length above zero.
    #[error("a tolerance of {0} is no length")]
    Tolerance(f64),
    /// A body is not what it should be.
    #[error("body \"{body}\": {why}")]
    Body {
        /// Its name.
        body: String,
        /// What is wrong.
        why: &'static str,
    },
    /// An inset is not what it should be.
    #[error("inset {inset}: {why}")]
    Inset {
        /// Its number, from 0.
        inset: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// A move is not what it should be.
    #[error("move {number}: {why}")]
    Move {
        /// Its number, from 1.
        number: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// A step is missing or makes no sense, or its region is not as it says.
    #[error("move {number}, {pair}, letter {letter}: {why}")]
    Step {
        /// The number of the move, from 1.
        number: usize,
        /// The bodies.
        pair: String,
        /// The letter where the step ends, from 0.
        letter: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// A body lies inside another where a way begins, or it cannot be told that it does not.
    #[error("move {number}, {pair}: that neither is inside the other at the start is not certain")]
    Inside {
        /// The number of the move, from 1.
        number: usize,
        /// The bodies.
        pair: String,
    },
}

/// A way begins where the last one ended, up to this: rounding of some hundred operations, in metres for bodies up to ten metres.
const JOINED: f64 = 1e-11;

/// Spans are not halved more often, so that their ends are numbers.
const MOST_HALVES: u32 = 48;

/// Triangles of all insets: a short file must not ask for a tree of a large body a million times.
const MOST_INSET: usize = 10_000_000;

/// Re-checks a certificate, on all threads of the current pool.
///
/// # Errors
/// What is wrong; of several pairs, of the first.
pub fn verify_contact(certificate: &ContactCertificate) -> Result<VerifiedContact, RefusedContact> {
    let tolerance = certificate.tolerance;
    if !(tolerance > 0.0 && tolerance <= FARTHEST) {
        return Err(RefusedContact::Tolerance(tolerance));
    }
    bodies(certificate)?;
    insets(certificate)?;
    moves(certificate)?;
    let plain = certificate.bodies.iter().map(|body| ContactTree::new(&body.mesh, &[]));
    let trees: Vec<ContactTree> = plain.collect();
    let of_inset = certificate
        .insets
        .iter()
        .map(|inset| ContactTree::new(&certificate.bodies[inset.body].mesh, &inset.places));
    let insets: Vec<ContactTree> = of_inset.collect();
    let pieces: Vec<Pieces> = certificate.bodies.iter().map(|body| Pieces::of(&body.mesh)).collect();
    let mut todo = Vec::new();
    for (number, (one, pairs)) in certificate.moves.iter().zip(certificate.pairs_of_moves()).enumerate() {
        todo.extend(pairs.into_iter().zip(&one.pairs).map(|(bodies, pair)| (number, one, bodies, pair)));
    }
    let found: Vec<Result<VerifiedPair, RefusedContact>> = todo
        .into_par_iter()
        .map(|(number, one, bodies, pair)| {
            let moving = pair.inset.map_or(&trees[bodies[0]], |inset| &insets[inset]);
            let way = WayBounds::new(&one.way);
            let check = PairCheck {
                certificate,
                number,
                one,
                pair,
                bodies,
                of: PairOfBodies { trees: [moving, &trees[bodies[1]]], way: &way },
            };
            check.run([&pieces[bodies[0]], &pieces[bodies[1]]])
        })
        .collect();
    let pairs = found.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(VerifiedContact { tolerance, moves: certificate.moves.len(), pairs })
}

fn bodies(certificate: &ContactCertificate) -> Result<(), RefusedContact> {
    for body in &certificate.bodies {
        let wrong = |why| Err(RefusedContact::Body { body: body.name.clone(), why });
        let count = body.mesh.vertices().len();
        if !body.mesh.vertices().iter().all(|v| v.abs().max_element() <= FARTHEST) {
            return wrong("it is too large, or too far out");
        }
        if body.mesh.triangles().iter().flatten().any(|&v| v as usize >= count) {
            return wrong("a triangle names a vertex that is not there");
        }
        for feature in &body.features {
            let is_ascending = feature.windows(2).all(|pair| pair[0] < pair[1]);
            if !is_ascending || feature.last().is_none_or(|&v| v as usize >= count) {
                return wrong("a feature is a list of its vertices, ascending");
            }
        }
    }
    Ok(())
}

fn insets(certificate: &ContactCertificate) -> Result<(), RefusedContact> {
    let mut triangles = 0usize;
    for (number, inset) in certificate.insets.iter().enumerate() {
        let wrong = |why| Err(RefusedContact::Inset { inset: number, why });
        let Some(body) = certificate.bodies.get(inset.body) else {
            return wrong("there is no body of this number");
        };
        triangles = triangles.saturating_add(body.mesh.triangles().len());
        if triangles > MOST_INSET {
            return wrong("insets have too many triangles in all");
        }
        if !inset.places.windows(2).all(|pair| pair[0].0 < pair[1].0) {
            return wrong("its vertices are not ascending");
        }
        for &(vertex, place) in &inset.places {
            let Some(&given) = body.mesh.vertices().get(vertex as usize) else {
                return wrong("there is no vertex of this number");
            };
            if !(place.abs().max_element() <= FARTHEST) {
                return wrong("a vertex is too far out");
            }
            let off = (Vector::exact(place) - Vector::exact(given)).length();
            if !(off.high <= certificate.tolerance) {
                return wrong("a vertex is farther from where it is than the tolerance");
            }
        }
    }
    Ok(())
}

fn moves(certificate: &ContactCertificate) -> Result<(), RefusedContact> {
    let mut there = vec![true; certificate.bodies.len()];
    let mut last: Option<&ContactMove> = None;
    for (k, one) in certificate.moves.iter().enumerate() {
        let wrong = |why| Err(RefusedContact::Move { number: k + 1, why });
        if let Some(why) = one.way.fault() {
            return wrong(why);
        }
        if one.moving.is_empty() || !one.moving.windows(2).all(|pair| pair[0] < pair[1]) {
            return wrong("the numbers of the bodies that move are not ascending");
        }
        if one.moving.iter().any(|&body| there.get(body) != Some(&true)) {
            return wrong("a body that moves is not there");
        }
        // Counted before a list of them is made.
        let fixed = there.iter().filter(|there| **there).count() - one.moving.len();
        if one.moving.len().checked_mul(fixed) != Some(one.pairs.len()) {
            return wrong("there is no proof for each body that moves and each that stands still");
        }
        let pairs = one.pairs_among(&mut there, certificate.leaves);
        if let (false, Some(last)) = (certificate.leaves, last) {
            if last.moving != one.moving {
                return wrong("other bodies move than before");
            }
            let (ended, begins) = (last.way.at(1.0), one.way.from());
            let turned = (ended.linear - begins.linear).to_cols_array();
            let off = turned.into_iter().map(f64::abs).chain((ended.shift - begins.shift).abs().to_array());
            let size = 1.0 + ended.shift.abs().max_element();
            if !off.into_iter().all(|off| off <= JOINED * size) {
                return wrong("it does not begin where the last one ended");
            }
        }
        for (bodies, pair) in pairs.iter().zip(&one.pairs) {
            let features = bodies.map(|body| certificate.bodies[body].features.len());
            let is_there = |both: &[usize; 2]| both[0] < features[0] && both[1] < features[1];
            if pair.may_touch.len() > MOST_PAIRS || !pair.may_touch.iter().all(is_there) {
                return wrong("there are no features of these numbers, or too many of them");
            }
            let is_of_it =
                |inset: usize| certificate.insets.get(inset).is_some_and(|inset| inset.body == bodies[0]);
            if !pair.inset.is_none_or(is_of_it) {
                return wrong("there is no inset of this number of the body that moves");
            }
        }
        last = Some(one);
    }
    Ok(())
}

struct PairCheck<'a> {
    certificate: &'a ContactCertificate,
    number: usize,
    one: &'a ContactMove,
    pair: &'a ContactPair,
    bodies: [usize; 2],
    of: PairOfBodies<'a>,
}

impl PairCheck<'_> {
    fn run(&self, pieces: [&Pieces; 2]) -> Result<VerifiedPair, RefusedContact> {
        let number = self.number + 1;
        let name = || self.bodies.map(|body| self.certificate.bodies[body].name.as_str()).join("|");
        let mut reader = ContactStepReader::new(&self.pair.letters);
        let mut found = VerifiedPair {
            of_move: self.number,
            bodies: self.bodies,
            regions: 0,
            kept: 0,
            kept_of: vec![0; self.pair.may_touch.len()],
        };
        let trees = self.of.trees;
        let mut open = Vec::new();
        // Nothing touches what is empty.
        if !trees.iter().any(|tree| tree.is_empty()) {
            open.push(([ContactTree::ROOT; 2], [0.0, 1.0], 0));
        }
        let mut last: Option<Direction> = None;
        let mut span = self.of.way.span([0.0, 1.0]);
        while let Some((nodes, when, halves)) = open.pop() {
            let step = reader.step();
            let letter = reader.place();
            let wrong = |why| Err(RefusedContact::Step { number, pair: name(), letter, why });
            match step {
                None => return wrong("there is no step"),
                Some(ContactStep::Time) => {
                    if halves >= MOST_HALVES {
                        return wrong("the span is too short to be halved");
                    }
                    let middle = 0.5 * (when[0] + when[1]);
                    open.push((nodes, [middle, when[1]], halves + 1));
                    open.push((nodes, [when[0], middle], halves + 1));
                }
                Some(ContactStep::Open(k)) => {
                    let Some(children) = trees[k].children(nodes[k]) else {
                        return wrong("there is nothing in it to divide");
                    };
                    for child in children.into_iter().rev() {
                        let mut nodes = nodes;
                        nodes[k] = child;
                        open.push((nodes, when, halves));
                    }
                }
                Some(ContactStep::Above { kept, along }) => {
                    if span.span != when {
                        span = self.of.way.span(when);
                    }
                    let Some(direction) = self.of.direction(along, nodes, &span, last) else {
                        return wrong("there is no such direction");
                    };
                    let above = match kept {
                        None => self.of.above(nodes, &span, direction),
                        Some(pair) => {
                            let Some(corners) = self.corners(pair, nodes) else {
                                return wrong("these are no triangles, or there is no such pair of features");
                            };
                            found.kept += 1;
                            found.kept_of[pair] += 1;
                            self.of.kept_above(nodes, &span, direction, corners)
                        }
                    };
                    // Not `<=`, which would let NaN pass.
                    if !(above > 0.0) {
                        return wrong("the direction does not keep them apart");
                    }
                    found.regions += 1;
                    last = Some(direction);
                }
            }
        }
        if !reader.is_done() {
            let letter = reader.place();
            return Err(RefusedContact::Step {
                number,
                pair: name(),
                letter,
                why: "there are more steps than are needed",
            });
        }
        if self.is_clear(pieces) { Ok(found) } else { Err(RefusedContact::Inside { number, pair: name() }) }
    }

    /// Which corners of two triangles are of a pair of features.
    fn corners(&self, pair: usize, nodes: [u32; 2]) -> Option<MayTouchCorners> {
        let features = self.pair.may_touch.get(pair)?;
        let of = |k: usize| {
            let triangle = self.of.trees[k].triangle(nodes[k])?;
            let feature = &self.certificate.bodies[self.bodies[k]].features[features[k]];
            let is_of_it = self.of.trees[k].vertices(triangle).map(|v| feature.binary_search(&v).is_ok());
            Some(BVec3::from_array(is_of_it))
        };
        Some(MayTouchCorners([of(0)?, of(1)?]))
    }

    /// Whether neither the inset nor the fixed body is inside the other where the way begins.
    fn is_clear(&self, pieces: [&Pieces; 2]) -> bool {
        let [moving, fixed] = self.of.trees;
        let from = self.one.way.from();
        let count = |k: usize| self.certificate.bodies[self.bodies[k]].mesh.vertices().len() as u32;
        let of_moving: Vec<DVec3> = (0..count(0)).map(|v| from * moving.places(v)[1]).collect();
        let of_fixed: Vec<DVec3> = (0..count(1)).map(|v| fixed.places(v)[0]).collect();
        let triangles = |k: usize| self.certificate.bodies[self.bodies[k]].mesh.triangles();
        let a = PlacedBody { pieces: pieces[0], vertices: &of_moving, triangles: triangles(0) };
        let b = PlacedBody { pieces: pieces[1], vertices: &of_fixed, triangles: triangles(1) };
        is_outside(&a, &b) && is_outside(&b, &a)
    }
}
