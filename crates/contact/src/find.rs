//! Where do two bodies touch?
//!
//! Corners of one body on faces of the other, and edges across edges, both ways round; what is round is fitted as a whole (`fit`), and then
//! pairs of convex pieces that both have a facet of it are left out. At a point each body is a cone, cut into convex pieces
//! ([`local`](crate::local)); the OR set of two pieces has the facets of `cone(K_fixed ∪ -K_moving)` ([`hull`](crate::hull)). All comparisons
//! have an angle that follows from the noise of the mesh and the width of its faces.

use crate::fit::{Fit, fits};
use crate::hull::{Hull, Turns};
use crate::local::{Feature, Piece};
use crate::part::Part;
use crate::region::to_segment;
use crate::set::{Contact, ContactSet, Ring, Row, Segment};
use kansho_geom::Aabb;
use kansho_geom::glam::DVec3;
use kansho_geom::polyhedron::Bend;
use kansho_geom::tree::{self, Scratch};

/// Gap or overlap that counts as touching if none is given, in units of the noise: what corners, and the planes through
/// them, may be off by, on both bodies.
pub const TOUCH_BY_NOISE: f64 = 100.0;

/// How uncertain rows are, as a fraction of what directions of faces are taken to be off by at most: in sums over rows the
/// worst of all is too much.
const ROW_BY_ANGLE: f64 = 0.2;

/// A face beside a round one may be in the other body up to this many times the sag from its rim: the sag is across the surface, and where that leaves at an
/// acute angle they part slowly.
const SAG_ALONG: f64 = 8.0;

/// What to look for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactOptions {
    /// Gaps and overlaps up to this many metres count as touching. By default [`TOUCH_BY_NOISE`] times the noise of the
    /// smaller part, or the rounding of single precision of the larger one if that is more.
    pub touch: Option<f64>,
}

/// How a fixed part lies to the moving one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Between {
    /// They touch.
    Touching,
    /// They are apart.
    Apart {
        /// By this much.
        gap: f64,
        /// The closest points of the moving and of the fixed part.
        points: [DVec3; 2],
    },
    /// They are in each other, deeper than what counts as touching. No constraints are made of it.
    Overlapping {
        /// At least this deep.
        depth: f64,
        /// Here.
        point: DVec3,
    },
    /// There are so many faces at one point, or they contradict each other there, that it was given up; or the bodies are as
    /// near as if they touched, but no corner or edge of them does.
    Unclear {
        /// Where.
        point: DVec3,
    },
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundContacts {
    /// Constraints of all parts that touch.
    pub set: ContactSet,
    /// For each fixed part how it lies to the moving one.
    pub between: Vec<Between>,
    /// For each fixed part what counts as touching, in metres.
    pub touch: Vec<f64>,
}

impl FoundContacts {
    /// Whether every fixed part is apart or touches, so that the constraints are the whole truth.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.between.iter().all(|b| matches!(b, Between::Touching | Between::Apart { .. }))
    }
}

/// Finds where a part touches others and what that allows.
#[must_use]
pub fn contacts(moving: &Part, fixed: &[&Part], options: &ContactOptions) -> FoundContacts {
    let mut set = ContactSet {
        contacts: Vec::new(),
        segments: Vec::new(),
        rings: Vec::new(),
        centre: moving.centre,
        size: moving.size,
        uncertainty: 0.0,
    };
    let mut between = Vec::with_capacity(fixed.len());
    let mut touches = Vec::with_capacity(fixed.len());
    let mut scratch = Scratch::default();
    for (number, part) in fixed.iter().enumerate() {
        let touch = options.touch.unwrap_or_else(|| touch_by_default(moving, part));
        let pair = Pair { moving, fixed: part, number, touch };
        touches.push(touch);
        between.push(pair.look(&mut set, &mut scratch));
    }
    FoundContacts { set, between, touch: touches }
}

pub(crate) fn touch_by_default(a: &Part, b: &Part) -> f64 {
    let single = 1e-7 * a.size.max(b.size);
    (TOUCH_BY_NOISE * a.noise.min(b.noise)).max(single)
}

struct Pair<'a> {
    moving: &'a Part,
    fixed: &'a Part,
    number: usize,
    touch: f64,
}

impl Pair<'_> {
    fn look(&self, set: &mut ContactSet, scratch: &mut Scratch) -> Between {
        let (a, b) = (self.moving, self.fixed);
        let near = gap_of_boxes(&a.aabb, &b.aabb) <= self.touch;
        let a_from_b = a.world_from_tree.inverse() * b.world_from_tree;
        let fits = if near { fits(a, b, self.number, self.touch) } else { Vec::new() };
        let sag = fits.iter().map(|f| f.sag).fold(0.0, f64::max);
        // Where the boxes overlap by no more than that, nothing can be deeper: it would leave the other's box that soon.
        let may_be_deep = -gap_of_boxes(&a.aabb, &b.aabb) > self.touch;
        if may_be_deep && let Some(depth) = tree::depth(&a.tree, &b.tree, a_from_b, self.touch, scratch) {
            let deepest = a.world_from_tree * depth.point;
            let overlapping = |point: DVec3| Between::Overlapping { depth: depth.at_least, point };
            if depth.at_least > self.touch + sag {
                return overlapping(deepest);
            }
            // Facets of what is round may be in each other by their sag; nothing else may.
            if depth.at_least > self.touch
                && let Some(point) = self.crosses_beside(&fits)
            {
                return overlapping(point);
            }
        }
        let points = if near { self.candidates() } else { Vec::new() };
        let (first, first_ring) = (set.contacts.len(), set.rings.len());
        for fit in &fits {
            set.contacts.extend(fit.contacts.iter().cloned());
            for ring in &fit.rings {
                let contacts = ring.contacts();
                set.rings.push(Ring { contacts: [set.contacts.len(), contacts.len()], ..*ring });
                set.contacts.extend(contacts);
            }
        }
        if !fits.is_empty() {
            let angle = 4.0 * a.noise.max(b.noise) / a.size.min(b.size);
            set.uncertainty = set.uncertainty.max(angle);
        }
        for point in points {
            match self.contact(point, &fits, &mut set.uncertainty) {
                Ok(Some(contact)) => set.contacts.push(contact),
                Ok(None) => {}
                Err(between) => {
                    set.contacts.truncate(first);
                    set.rings.truncate(first_ring);
                    return between;
                }
            }
        }
        if set.contacts.len() > first {
            set.segments.extend(self.segments(&fits));
            return Between::Touching;
        }
        match tree::distance(&a.tree, &b.tree, a_from_b, f64::INFINITY, scratch) {
            // Corners are not quite where the triangles have them: what touches may have been missed.
            Some(found) if !(found.gap() > self.touch) => {
                let [p, q] = found.closest.points.map(|p| a.world_from_tree * p);
                Between::Unclear { point: p.midpoint(q) }
            }
            Some(found) => Between::Apart {
                gap: found.gap(),
                points: found.closest.points.map(|p| a.world_from_tree * p),
            },
            // Two meshes always have a distance.
            None => Between::Unclear { point: a.centre },
        }
    }

    /// Corners on faces, both ways round, and crossings of edges; each place once.
    fn candidates(&self) -> Vec<DVec3> {
        let (a, b) = (self.moving, self.fixed);
        let region = common(&a.aabb, &b.aabb, self.touch);
        let mut points: Vec<DVec3> = Vec::new();
        for (one, other) in [(a, b), (b, a)] {
            for corner in one.corners.iter().filter(|c| holds(&region, c.point)) {
                let on = |f: &&crate::part::Facet| {
                    gap_to_box(&f.aabb, corner.point) <= self.touch
                        && f.covers(other, corner.point, self.touch)
                };
                if other.faces.iter().find(on).is_some() {
                    self.add(&mut points, corner.point);
                }
            }
        }
        let near = |part: &Part| -> Vec<[DVec3; 2]> {
            let meets = |ends: &[DVec3; 2]| gap_of_boxes(&region, &box_of(ends)) <= 0.0;
            part.edges.iter().map(|e| part.ends(e)).filter(meets).collect()
        };
        let (of_a, of_b) = (near(a), near(b));
        for &[p, q] in &of_a {
            let of_p = box_of(&[p, q]);
            for &[r, s] in &of_b {
                if gap_of_boxes(&of_p, &box_of(&[r, s])) <= self.touch
                    && let Some(point) = self.crossing([p, q], [r, s])
                {
                    self.add(&mut points, point);
                }
            }
        }
        points
    }

    fn add(&self, points: &mut Vec<DVec3>, point: DVec3) {
        if !points.iter().any(|p| p.distance(point) <= 2.0 * self.touch) {
            points.push(point);
        }
    }

    /// Where two edges cross, away from their ends. Edges whose directions cannot be told apart cross nowhere: their ends
    /// on each other tell.
    fn crossing(&self, [p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> Option<DVec3> {
        let (along, other, between) = (q - p, s - r, r - p);
        let across = along.cross(other);
        let (length, width) = (along.length(), other.length());
        if !(across.length() > 2.0 * self.touch * length.max(width)) {
            return None;
        }
        let t = between.cross(other).dot(across) / across.length_squared();
        let u = between.cross(along).dot(across) / across.length_squared();
        let is_inside = |t: f64, length: f64| t * length > self.touch && (1.0 - t) * length > self.touch;
        let (on, over) = (p + along * t, r + other * u);
        (is_inside(t, length) && is_inside(u, width) && on.distance(over) <= self.touch)
            .then(|| on.midpoint(over))
    }

    /// `wider` is by how much more than the sag of its facets the rim of a fit may be away.
    fn known(&self, fits: &[Fit], on: [(&Part, Feature); 2], point: DVec3, wider: f64) -> Known {
        if fits.is_empty() {
            return Known { fits: Vec::new(), normals: [Vec::new(), Vec::new()] };
        }
        let faces = on.map(|(part, feature)| part.faces_of(feature));
        let of_fit = |fit: &Fit| {
            [0, 1].map(|k| {
                let (part, round) = (on[k].0, &fit.faces[k]);
                let reach = wider * fit.sag + 2.0 * self.touch;
                let rim = |f: u32| {
                    let beside = part.edges.iter().filter(|e| {
                        let [p, q] = part.ends(e);
                        e.faces.contains(&f)
                            && to_segment(point, p, q) <= reach
                            && e.faces.iter().any(|g| round.contains(g))
                    });
                    beside.map(|e| if e.bend == Bend::Convex { Stake::SharpRim } else { Stake::Rim }).max()
                };
                let stake = |&f: &u32| {
                    if round.contains(&f) { Stake::Round } else { rim(f).unwrap_or(Stake::None) }
                };
                faces[k].iter().map(stake).collect()
            })
        };
        let normals = [0, 1].map(|k| faces[k].iter().map(|&f| on[k].0.faces[f as usize].normal).collect());
        Known { fits: fits.iter().map(of_fit).collect(), normals }
    }

    /// Where an edge of one body goes through a face of the other, and that is not by the sag of round faces that fit, or of their rims.
    fn crosses_beside(&self, fits: &[Fit]) -> Option<DVec3> {
        let (a, b) = (self.moving, self.fixed);
        let region = common(&a.aabb, &b.aabb, self.touch);
        for (one, other, swapped) in [(a, b, false), (b, a, true)] {
            for (e, edge) in (0u32..).zip(&one.edges) {
                let [p, q] = one.ends(edge);
                let of_edge = box_of(&[p, q]);
                if gap_of_boxes(&region, &of_edge) > 0.0 {
                    continue;
                }
                for (f, face) in (0u32..).zip(&other.faces) {
                    let height = |x: DVec3| face.normal.dot(x) - face.offset;
                    let (up, down) = (height(p), height(q));
                    let through = up.min(down) < -self.touch && up.max(down) > self.touch;
                    if !through || gap_of_boxes(&of_edge, &face.aabb) > 0.0 {
                        continue;
                    }
                    let point = p + (q - p) * (up / (up - down));
                    let rim = face.loops.iter().any(|ring| {
                        let next = ring.iter().cycle().skip(1);
                        ring.iter()
                            .zip(next)
                            .any(|(&c, &d)| to_segment(point, other.at(c), other.at(d)) <= 2.0 * self.touch)
                    });
                    if rim || !face.covers(other, point, self.touch) {
                        continue;
                    }
                    let on = [(one, Feature::Edge(e)), (other, Feature::Face(f))];
                    let on = if swapped { [on[1], on[0]] } else { on };
                    if !self.known(fits, on, point, SAG_ALONG).may_sag() {
                        return Some(point);
                    }
                }
            }
        }
        None
    }

    /// The AND of ORs at a point.
    fn contact(&self, point: DVec3, fits: &[Fit], uncertainty: &mut f64) -> Result<Option<Contact>, Between> {
        let (a, b) = (self.moving, self.fixed);
        let unclear = Between::Unclear { point };
        let (Ok(on_a), Ok(on_b)) = (a.feature_at(point, self.touch), b.feature_at(point, self.touch)) else {
            return Err(unclear);
        };
        let (Some(on_a), Some(on_b)) = (on_a, on_b) else { return Ok(None) };
        let known = self.known(fits, [(a, on_a), (b, on_b)], point, 1.0);
        if known.is_all() {
            return Ok(None);
        }
        let angle = a.angle_at(on_a).max(b.angle_at(on_b));
        let (Some(of_a), Some(of_b)) = (a.pieces(on_a, angle), b.pieces(on_b, angle)) else {
            return Err(unclear);
        };
        let mut hulls: Vec<Hull> = Vec::new();
        for piece_a in &of_a {
            for piece_b in &of_b {
                if known.has(piece_a, piece_b) {
                    continue;
                }
                let hull = Hull::of(piece_a, piece_b, angle);
                if hull.facets.is_empty() {
                    return Err(unclear);
                }
                if !hulls.iter().any(|known| hull.is_in(known, angle)) {
                    hulls.retain(|known| !known.is_in(&hull, angle));
                    hulls.push(hull);
                }
            }
        }
        if hulls.is_empty() {
            return Ok(None);
        }
        *uncertainty = uncertainty.max(ROW_BY_ANGLE * angle);
        // A corner over the inside of a face leaves no doubt about what turns.
        let turns = |turns: Turns| match (on_a, on_b) {
            (_, Feature::Face(_)) => Turns::Fixed,
            (Feature::Face(_), _) => Turns::Moving,
            _ => turns,
        };
        let rows = |hull: &Hull| -> Vec<Row> {
            hull.facets.iter().map(|f| Row { normal: f.normal, point, turns: turns(f.turns) }).collect()
        };
        Ok(Some(Contact {
            fixed: self.number,
            point,
            on: [on_a, on_b],
            pieces: [of_a.len(), of_b.len()],
            conditions: hulls.iter().map(rows).collect(),
        }))
    }

    /// Convex edges that lie along convex edges and touch nothing else there.
    fn segments(&self, fits: &[Fit]) -> Vec<Segment> {
        let (a, b) = (self.moving, self.fixed);
        let others = sharp_edges(b);
        let mut segments = Vec::new();
        for (i, [p, q]) in sharp_edges(a) {
            let length = p.distance(q);
            let along = (q - p) / length;
            for &(j, [r, s]) in &others {
                let (from, to) = ((r - p).dot(along), (s - p).dot(along));
                let overlap = [from.min(to).max(0.0), from.max(to).min(length)];
                if !(overlap[1] - overlap[0] > 4.0 * self.touch) {
                    continue;
                }
                let ends = overlap.map(|t| p + along * t);
                let on_other = |x: DVec3| {
                    let other = (s - r).normalize_or_zero();
                    x.distance(r + other * (x - r).dot(other)) <= self.touch
                };
                if !ends.iter().all(|&x| on_other(x)) {
                    continue;
                }
                let (on_a, on_b) = (Feature::Edge(i), Feature::Edge(j));
                let known = self.known(fits, [(a, on_a), (b, on_b)], ends[0].midpoint(ends[1]), 1.0);
                let angle = a.angle_at(on_a).max(b.angle_at(on_b));
                let (Some(of_a), Some(of_b)) = (a.pieces(on_a, angle), b.pieces(on_b, angle)) else {
                    continue;
                };
                if let ([piece_a], [piece_b]) = (&of_a[..], &of_b[..])
                    && !known.has(piece_a, piece_b)
                    && let [first, second] = &Hull::of(piece_a, piece_b, angle).facets[..]
                {
                    segments.push(Segment {
                        fixed: self.number,
                        ends,
                        normals: [first.normal, second.normal],
                    });
                }
            }
        }
        segments
    }
}

/// What is known at a point because something round was looked at as a whole, its rims included.
struct Known {
    /// For each fit, for both bodies, what it has to do with each face of the feature.
    fits: Vec<[Vec<Stake>; 2]>,
    /// The normals of those faces.
    normals: [Vec<DVec3>; 2],
}

/// What a fit has to do with a face.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stake {
    /// Nothing.
    None,
    /// Its rim is so near that the round face begins here, but for the sag of facets.
    Rim,
    /// And that rim is convex, so that the piece that ends in this face ends in the round one, too.
    SharpRim,
    /// The face is a facet of the round one.
    Round,
}

impl Known {
    /// Whether two features may be in each other by the sag of facets: both belong to a fit, at least by a rim.
    fn may_sag(&self) -> bool {
        self.fits.iter().any(|fit| {
            let [a, b] = fit.each_ref().map(|stakes| stakes.iter().copied().max().unwrap_or(Stake::None));
            a.min(b) >= Stake::Rim
        })
    }

    /// Whether one of the features has no other faces, so that nothing else can be in the way.
    fn is_all(&self) -> bool {
        let is_round = |s: &Stake| *s == Stake::Round;
        self.fits.iter().any(|[a, b]| {
            a.iter().any(is_round)
                && b.iter().any(is_round)
                && (a.iter().all(is_round) || b.iter().all(is_round))
        })
    }

    /// Whether two convex pieces are kept apart by what is round: both have a face of it.
    ///
    /// Then they lie on both sides of a plane on which they touch, and the rows of the round faces hold that plane. A piece
    /// without such a face, as the floor under a peg, is in the way on its own account. If one piece is nothing but round, the other
    /// may be the face beside the round one: facets are in each other by their sag, and so reach under that face. For the same reason corners of a head that is flush
    /// with its seat reach under the face around the seat, whose rim is convex; there both pieces have a round face but for the sag.
    fn has(&self, moving: &Piece, fixed: &Piece) -> bool {
        let stakes = |k: usize, piece: &Piece, fit: &[Vec<Stake>; 2]| -> [Stake; 2] {
            let of = piece.normals.iter().map(|n| {
                let along = |f: &usize| self.normals[k][*f].dot(*n);
                let nearest = (0..self.normals[k].len()).max_by(|a, b| along(a).total_cmp(&along(b)));
                nearest.map_or(Stake::None, |f| fit[k][f])
            });
            let (least, most) = (of.clone().min(), of.max());
            [least, most].map(|s| s.unwrap_or(Stake::None))
        };
        self.fits.iter().any(|fit| {
            let [a, b] = [stakes(0, moving, fit), stakes(1, fixed, fit)];
            let all_round = a[0] == Stake::Round || b[0] == Stake::Round;
            let least = a[1].min(b[1]);
            let most = a[1].max(b[1]);
            least == Stake::Round
                || all_round && least >= Stake::Rim
                || most == Stake::Round && least == Stake::SharpRim
        })
    }
}

/// Convex edges: elsewhere no convex piece ends in an edge.
fn sharp_edges(part: &Part) -> Vec<(u32, [DVec3; 2])> {
    let edges = (0u32..).zip(&part.edges).filter(|(_, side)| side.bend == Bend::Convex);
    edges.map(|(i, e)| (i, part.ends(e))).collect()
}

fn box_of(points: &[DVec3; 2]) -> Aabb {
    Aabb::of_points(points.iter().copied()).expect("two points")
}

/// Least distance along one axis; negative or zero if they overlap.
fn gap_of_boxes(a: &Aabb, b: &Aabb) -> f64 {
    (b.min() - a.max()).max(a.min() - b.max()).max_element()
}

fn gap_to_box(a: &Aabb, point: DVec3) -> f64 {
    (point - a.max()).max(a.min() - point).max_element()
}

/// What is near both boxes.
fn common(a: &Aabb, b: &Aabb, margin: f64) -> Aabb {
    let low = a.min().max(b.min()) - DVec3::splat(margin);
    let high = a.max().min(b.max()) + DVec3::splat(margin);
    Aabb::of_points([low.min(high), high.max(low)]).expect("two points")
}

fn holds(region: &Aabb, point: DVec3) -> bool {
    gap_to_box(region, point) <= 0.0
}
