//! Certificates of motions in contact: directions for a division of space and time, each tested by the verifier itself.
//!
//! What is proven here is not trusted: a direction that the verifier does not accept is not written. So whatever goes wrong in this file
//! costs certificates, not truth.

use super::inset::inset;
use super::{MayTouch, SlidingMotion};
use kansho_geom::Mesh;
use kansho_geom::glam::{BVec3, DVec3};
use kansho_geom::pose_motion::Affine;
use kansho_verify::contact::region::{Direction, MayTouchCorners, PairOfBodies};
use kansho_verify::contact::steps::{Along, ContactStep, Named, write};
use kansho_verify::contact::tree::ContactTree;
use kansho_verify::contact::way::{ContactWay, SpanBounds, WayBounds};
use std::time::Instant;

/// Why two bodies touch nothing but what they may, for one way.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifiedWay {
    /// Vertices of the moving body, ascending, with their places in its inset.
    pub inset: Vec<(u32, DVec3)>,
    /// The letters of the proof.
    pub letters: String,
}

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq)]
pub enum Uncertified {
    /// No direction was found for two triangles in a short span.
    NoDirection {
        /// When, as a fraction of the way.
        t: f64,
        /// Triangles of the moving and of the fixed mesh.
        triangles: [u32; 2],
    },
    /// It takes more regions than this.
    Regions(u64),
    /// The time is over.
    Time,
}

impl std::fmt::Display for Uncertified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoDirection { t, triangles: [a, b] } => write!(
                f,
                "no direction was found that keeps triangle {a} of the moving body above triangle {b} of the fixed one at {t:.6} of the motion"
            ),
            Self::Regions(most) => write!(f, "it takes more than {most} regions"),
            Self::Time => write!(f, "the time is over"),
        }
    }
}

/// Limits of the search.
#[derive(Clone, Copy, Debug)]
pub struct CertifyOptions {
    /// How deep features that may touch may overlap, in metres.
    pub tolerance: f64,
    /// Most regions of a certificate.
    pub most_regions: u64,
    /// When to stop.
    pub deadline: Option<Instant>,
}

/// The same way as the verifier has it.
#[must_use]
pub fn contact_way(way: &SlidingMotion) -> ContactWay {
    let of = |pose: kansho_geom::Pose| Affine { linear: pose.rotation(), shift: pose.translation() };
    match *way {
        SlidingMotion::Straight { from, by } => ContactWay::Straight { from: of(from), by },
        SlidingMotion::Turn { from, point, axis, angle } => {
            ContactWay::Turn { from: of(from), point, axis, angle }
        }
    }
}

/// Spans of two triangles are not halved more often.
const MOST_HALVES: u32 = 34;

/// The clock is looked at once in so many regions.
const LOOK: u64 = 256;

/// Certifies that a body moves along a way past a fixed one with no contact but those that are named.
///
/// # Errors
/// Why there is no certificate.
pub fn certify(
    meshes: [&Mesh; 2],
    way: &SlidingMotion,
    may_touch: &[MayTouch],
    options: &CertifyOptions,
) -> Result<CertifiedWay, Uncertified> {
    let inset = inset(meshes[0], may_touch, options.tolerance);
    certify_with(meshes, way, may_touch, inset, options)
}

/// The same with an inset that is given.
///
/// # Errors
/// Why there is no certificate.
pub fn certify_with(
    meshes: [&Mesh; 2],
    way: &SlidingMotion,
    may_touch: &[MayTouch],
    inset: Vec<(u32, DVec3)>,
    options: &CertifyOptions,
) -> Result<CertifiedWay, Uncertified> {
    let trees = [ContactTree::new(meshes[0], &inset), ContactTree::new(meshes[1], &[])];
    let bounds = WayBounds::new(&contact_way(way));
    let pair = PairOfBodies { trees: [&trees[0], &trees[1]], way: &bounds };
    let mut search = Search { pair, may_touch, options, letters: String::new(), last: None, regions: 0 };
    search.run()?;
    let letters = search.letters;
    Ok(CertifiedWay { inset, letters })
}

struct Search<'a> {
    pair: PairOfBodies<'a>,
    may_touch: &'a [MayTouch],
    options: &'a CertifyOptions,
    letters: String,
    last: Option<Direction>,
    regions: u64,
}

/// What to do with a region.
enum Next {
    Done,
    Time,
    Open(usize),
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Uncertified> {
        if self.pair.trees.iter().any(|tree| tree.is_empty()) {
            return Ok(());
        }
        let mut open = vec![([ContactTree::ROOT; 2], [0.0, 1.0], 0u32)];
        let mut span = self.pair.way.span([0.0, 1.0]);
        while let Some((nodes, when, halves)) = open.pop() {
            self.regions += 1;
            if self.regions > self.options.most_regions {
                return Err(Uncertified::Regions(self.options.most_regions));
            }
            let is_late = || self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if self.regions.is_multiple_of(LOOK) && is_late() {
                return Err(Uncertified::Time);
            }
            if span.span != when {
                span = self.pair.way.span(when);
            }
            let triangles = [0, 1].map(|k: usize| self.pair.trees[k].triangle(nodes[k]));
            let next = match triangles {
                [Some(a), Some(b)] => {
                    if self.triangles(nodes, [a, b], &span) {
                        Next::Done
                    } else if halves < MOST_HALVES {
                        Next::Time
                    } else {
                        return Err(Uncertified::NoDirection { t: when[0], triangles: [a, b] });
                    }
                }
                _ => self.nodes(nodes, &span),
            };
            match next {
                Next::Done => {}
                Next::Time => {
                    write(&ContactStep::Time, &mut self.letters);
                    let middle = 0.5 * (when[0] + when[1]);
                    open.push((nodes, [middle, when[1]], halves + 1));
                    open.push((nodes, [when[0], middle], halves + 1));
                }
                Next::Open(k) => {
                    write(&ContactStep::Open(k), &mut self.letters);
                    let children = self.pair.trees[k].children(nodes[k]).expect("it is no leaf");
                    for child in children.into_iter().rev() {
                        let mut nodes = nodes;
                        nodes[k] = child;
                        open.push((nodes, when, halves));
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes a direction if the verifier accepts it.
    fn is_free(&mut self, along: Along, nodes: [u32; 2], span: &SpanBounds) -> bool {
        let Some(direction) = self.pair.direction(along, nodes, span, self.last) else { return false };
        if !(self.pair.above(nodes, span, direction) > 0.0) {
            return false;
        }
        self.last = Some(direction);
        write(&ContactStep::Above { kept: None, along }, &mut self.letters);
        true
    }

    fn is_kept(
        &mut self,
        (number, corners): (usize, MayTouchCorners),
        along: Along,
        nodes: [u32; 2],
        span: &SpanBounds,
    ) -> bool {
        let Some(direction) = self.pair.direction(along, nodes, span, self.last) else { return false };
        if !(self.pair.kept_above(nodes, span, direction, corners) > 0.0) {
            return false;
        }
        self.last = Some(direction);
        write(&ContactStep::Above { kept: Some(number), along }, &mut self.letters);
        true
    }

    fn nodes(&mut self, nodes: [u32; 2], span: &SpanBounds) -> Next {
        if self.is_free(Along::Last, nodes, span) {
            return Next::Done;
        }
        let pose = self.pair.way.way().at(0.5 * (span.span[0] + span.span[1]));
        let [(a, half_a), (b, half_b)] = [0, 1].map(|k: usize| self.pair.trees[k].extent(nodes[k]));
        let away = pose * a - b;
        let gap = |n: DVec3| {
            n.dot(away).abs() - (pose.linear.transpose() * n).abs().dot(half_a) - n.abs().dot(half_b)
        };
        let axis = |side: usize, k: usize| {
            (Named::Axis(side, k), if side == 0 { pose.linear.col(k) } else { DVec3::AXES[k] })
        };
        let mut directions = vec![(Named::Middles, away.normalize_or_zero())];
        directions.extend((0..6).map(|k| axis(k / 3, k % 3)));
        let mut gaps: Vec<(f64, Named)> = directions.into_iter().map(|(named, n)| (gap(n), named)).collect();
        gaps.retain(|(gap, _)| *gap > 0.0);
        gaps.sort_by(|x, y| y.0.total_cmp(&x.0));
        for (_, named) in gaps.into_iter().take(2) {
            if self.is_free(Along::Still(named), nodes, span) {
                return Next::Done;
            }
            if self.turns() && self.is_free(Along::WithBody(named), nodes, span) {
                return Next::Done;
            }
        }
        // What is longer is divided: time if the way is longer than both parts.
        let length = span.span[1] - span.span[0];
        let larger = half_a.length().max(half_b.length());
        let [start, end] = span.span.map(|t| self.pair.way.way().at(t));
        let travel = (end * a - start * a).length().max(
            (end.linear - start.linear).to_cols_array().iter().map(|x| x.abs()).fold(0.0, f64::max)
                * half_a.length(),
        );
        if travel > 4.0 * larger && length > 1e-9 {
            return Next::Time;
        }
        let can_open = [0, 1].map(|k: usize| self.pair.trees[k].children(nodes[k]).is_some());
        Next::Open(match can_open {
            [true, true] => usize::from(half_a.length() < half_b.length()),
            [first, _] => usize::from(!first),
        })
    }

    fn turns(&self) -> bool {
        matches!(self.pair.way.way(), ContactWay::Turn { .. })
    }

    /// Whether two triangles are above each other along a direction that was found.
    fn triangles(&mut self, nodes: [u32; 2], triangles: [u32; 2], span: &SpanBounds) -> bool {
        let kept = self.may_touch_at(triangles);
        for &kept in &kept {
            if self.is_kept(kept, Along::Last, nodes, span) {
                return true;
            }
        }
        if self.is_free(Along::Last, nodes, span) {
            return true;
        }
        let t = 0.5 * (span.span[0] + span.span[1]);
        for &kept in &kept {
            let corners = self.corners(triangles, Some(kept.1), t);
            let mut directions: Vec<Along> = Vec::new();
            let normals = [Named::Normal(1), Named::Normal(0)];
            directions.extend(normals.map(Along::Still));
            if self.turns() {
                directions.extend(normals.map(Along::WithBody));
            }
            directions.extend(self.of_features(kept.0));
            directions.extend(self.midst(&corners, t));
            if directions.into_iter().any(|along| self.is_kept(kept, along, nodes, span)) {
                return true;
            }
        }
        let corners = self.corners(triangles, None, t);
        self.widest(&corners, t).into_iter().any(|along| self.is_free(along, nodes, span))
    }

    /// Pairs of features that two triangles have corners of, and which.
    fn may_touch_at(&self, triangles: [u32; 2]) -> Vec<(usize, MayTouchCorners)> {
        let vertices = [0, 1].map(|k: usize| self.pair.trees[k].vertices(triangles[k]));
        let of = |(number, may): (usize, &MayTouch)| {
            let patches = [&may.moving, &may.fixed];
            let corners = [0, 1].map(|k: usize| {
                BVec3::from_array(vertices[k].map(|v| patches[k].vertices.binary_search(&v).is_ok()))
            });
            corners.iter().all(|corners| corners.any()).then_some((number, MayTouchCorners(corners)))
        };
        self.may_touch.iter().enumerate().filter_map(of).collect()
    }

    /// Corners of both triangles at an instant, in the world: the inset's where they may touch.
    fn corners(&self, triangles: [u32; 2], kept: Option<MayTouchCorners>, t: f64) -> [Vec<DVec3>; 2] {
        let pose = self.pair.way.way().at(t);
        let [moving, fixed] = self.pair.trees;
        let a = moving.vertices(triangles[0]).map(|v| moving.places(v));
        let may = kept.map_or(BVec3::FALSE, |MayTouchCorners([moving, _])| moving);
        // One of each corner first: sides are between these.
        let mut of_a: Vec<DVec3> = (0..3).map(|k| a[k][usize::from(may.test(k))]).collect();
        of_a.extend((0..3).filter(|&k| !may.test(k) && a[k][0] != a[k][1]).map(|k| a[k][1]));
        let b = fixed.vertices(triangles[1]).map(|v| fixed.places(v)[0]);
        [of_a.into_iter().map(|p| pose * p).collect(), b.to_vec()]
    }

    /// What normals and edges of two features say.
    fn of_features(&self, number: usize) -> Vec<Along> {
        let MayTouch { moving, fixed } = &self.may_touch[number];
        let from = self.pair.way.way().from();
        let mut found: Vec<Along> = Vec::new();
        found.extend(fixed.normals.iter().map(|&n| Along::Still(Named::Direction(n))));
        found.extend(moving.normals.iter().map(|&n| Along::WithBody(Named::Direction(-(from.linear * n)))));
        if let (Some([a, b]), Some([c, d]), true) = (moving.edge, fixed.edge, self.turns()) {
            let (e, f) = (from.linear * (b - a), d - c);
            found.extend([Along::Across(e, f), Along::Across(-e, f)]);
        }
        found
    }

    /// The same direction standing still, and going with the body.
    fn both(&self, n: DVec3, t: f64) -> Vec<Along> {
        let mut found = vec![Along::Still(Named::Direction(n))];
        if self.turns() {
            let at_start = self.pair.way.way().turn(t).transpose() * n;
            found.push(Along::WithBody(Named::Direction(at_start)));
        }
        found
    }

    /// A direction amid all along which the first is above the second: these are a cone, and its rays are normals of the triangles and
    /// directions across a side of each, or in their plane.
    fn midst(&self, corners: &[Vec<DVec3>; 2], t: f64) -> Vec<Along> {
        let mut sum = DVec3::ZERO;
        for n in axes(corners) {
            if gap_along(corners, n) > 0.0 {
                sum += n;
            }
        }
        sum.try_normalize().map(|n| self.both(n, t)).unwrap_or_default()
    }

    /// The direction with the largest gap, and that amid all with one.
    fn widest(&self, corners: &[Vec<DVec3>; 2], t: f64) -> Vec<Along> {
        let gaps =
            axes(corners).into_iter().map(|n| (gap_along(corners, n), n)).filter(|(gap, _)| *gap > 0.0);
        let mut gaps: Vec<(f64, DVec3)> = gaps.collect();
        gaps.sort_by(|x, y| y.0.total_cmp(&x.0));
        let mut found = Vec::new();
        for (_, n) in gaps.iter().take(1) {
            // Six digits are enough where there is room.
            let short = kansho_verify::motion::steps::rounded(*n).unwrap_or(*n);
            if short != *n {
                found.push(Along::Still(Named::Direction(short)));
            }
            found.extend(self.both(*n, t));
        }
        found.extend(self.midst(corners, t));
        found
    }
}

/// Normals of two triangles, directions across a side of each, and in the plane of each across its sides; both ways round.
fn axes(corners: &[Vec<DVec3>; 2]) -> Vec<DVec3> {
    let sides = [0, 1].map(|k: usize| {
        let p = &corners[k];
        [p[1] - p[0], p[2] - p[1], p[0] - p[2]]
    });
    let normals = sides.map(|[a, b, _]| a.cross(b));
    let mut found: Vec<DVec3> = normals.to_vec();
    found.extend(sides[0].iter().flat_map(|a| sides[1].iter().map(move |b| a.cross(*b))));
    for k in 0..2 {
        found.extend(sides[k].iter().map(|side| normals[k].cross(*side)));
    }
    let middle = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len() as f64;
    found.push(middle(&corners[0]) - middle(&corners[1]));
    found.into_iter().filter_map(DVec3::try_normalize).flat_map(|n| [n, -n]).collect()
}

fn gap_along(corners: &[Vec<DVec3>; 2], n: DVec3) -> f64 {
    let low = corners[0].iter().map(|p| n.dot(*p)).fold(f64::INFINITY, f64::min);
    low - corners[1].iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
}
