//! How far one node stays above another along a direction, through a span.
//!
//! Heights of a moving point `x` and of a fixed point `q` are measured from the reference point c of the way: a point of the axis, or the
//! origin. With `R` the turn by θ and `a = from p − c`, the moving point is `c + R a + t by`. Then
//!
//! ```text
//! direction n that stands still    n · (R a + t by)           against  n · (q − c)
//! direction R g of the body        g · a                      against  (q − c) · R g
//! across R e and f                 f · R (a × e)              against  (f × (q − c)) · R e
//! ```
//!
//! The last from `(R e × f) · R a = f · (R a × R e)` and `(R e × f) · b = R e · (f × b)`. All are of the form `u · R v`, which is
//! `C + A cos θ + B sin θ` ([`super::way`]). No length of a direction matters, for all that is asked is a sign.
//!
//! Of a box with middle m and half sides h along its body's axes, no point is lower than m by more than `Σ h |u · R v|` of these axes.

use super::interval::{Interval, Vector};
use super::steps::{Along, Named};
use super::tree::ContactTree;
use super::way::{SpanBounds, Wave, WayBounds};
use kansho_geom::glam::{BVec3, DVec3};

/// A direction of a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// It stands still.
    Still(DVec3),
    /// It goes with the body; as it is where the way begins.
    WithBody(DVec3),
    /// Across a line of the body, as it is where the way begins, and a line of the world.
    Across(DVec3, DVec3),
}

/// Two bodies on a way.
#[derive(Clone, Copy, Debug)]
pub struct PairOfBodies<'a> {
    /// Of the one that moves, and of the one that stands still.
    pub trees: [&'a ContactTree; 2],
    /// How it moves.
    pub way: &'a WayBounds,
}

/// Which corners of two triangles belong to features that may touch each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MayTouchCorners(pub [BVec3; 2]);

/// What a node is made of.
enum Extent {
    Box(DVec3, DVec3),
    Points(Vec<DVec3>),
}

impl PairOfBodies<'_> {
    /// The direction that a certificate names, for two nodes in a span; none if there is none. Any direction is as good as another for
    /// what it proves, so nothing here needs a bound.
    #[must_use]
    pub fn direction(
        &self,
        along: Along,
        nodes: [u32; 2],
        span: &SpanBounds,
        last: Option<Direction>,
    ) -> Option<Direction> {
        match along {
            Along::Last => last,
            Along::Still(named) => sized(self.named(named, nodes, span)?).map(Direction::Still),
            Along::WithBody(named) => {
                let n = self.named(named, nodes, span)?;
                // Numbers are the direction where the way begins; all others are in the middle of the span.
                let is_at_start = matches!(named, Named::Direction(_));
                let n = if is_at_start { n } else { self.way.way().turn(middle(span)).transpose() * n };
                sized(n).map(Direction::WithBody)
            }
            Along::Across(e, f) => Some(Direction::Across(sized(e)?, sized(f)?)),
        }
    }

    fn named(&self, named: Named, nodes: [u32; 2], span: &SpanBounds) -> Option<DVec3> {
        let pose = self.way.way().at(middle(span));
        let away = || pose * self.trees[0].extent(nodes[0]).0 - self.trees[1].extent(nodes[1]).0;
        match named {
            Named::Direction(n) => Some(n),
            Named::Middles => Some(away()),
            Named::Axis(side, axis) => {
                let axes = if side == 0 { pose.linear } else { kansho_geom::glam::DMat3::IDENTITY };
                let n = axes.col(axis.min(2));
                Some(if n.dot(away()) < 0.0 { -n } else { n })
            }
            Named::Normal(side) => {
                let tree = self.trees[side.min(1)];
                let triangle = tree.triangle(nodes[side.min(1)])?;
                let [a, b, c] = tree.vertices(triangle).map(|vertex| tree.places(vertex)[0]);
                let normal = (b - a).cross(c - a);
                Some(if side == 0 { -(pose.linear * normal) } else { normal })
            }
        }
    }

    /// What all of the moving node is above all of the fixed one, at least: as it is, and as its inset is. Only its sign matters.
    #[must_use]
    pub fn above(&self, nodes: [u32; 2], span: &SpanBounds, along: Direction) -> f64 {
        self.gap([self.extent_of(0, nodes[0]), self.extent_of(1, nodes[1])], span, along)
    }

    /// The same of two triangles with corners that may touch: less than zero, or equal, where they are more in each other than that.
    ///
    /// Above all of the fixed triangle are the inset of the corners that may touch, and the others both as they are and as their inset is;
    /// above those corners of the fixed triangle that may not touch is all of the moving one.
    #[must_use]
    pub fn kept_above(
        &self,
        nodes: [u32; 2],
        span: &SpanBounds,
        along: Direction,
        may_touch: MayTouchCorners,
    ) -> f64 {
        let MayTouchCorners([moving, fixed]) = may_touch;
        let corners = |k: usize| {
            let triangle = self.trees[k].triangle(nodes[k])?;
            Some(self.trees[k].vertices(triangle).map(|vertex| self.trees[k].places(vertex)))
        };
        let (Some(a), Some(b)) = (corners(0), corners(1)) else { return f64::NEG_INFINITY };
        if !(moving.any() && fixed.any()) {
            return f64::NEG_INFINITY;
        }
        let those = |of: BVec3| (0..3).filter(move |&k| of.test(k));
        let mut pressed: Vec<DVec3> = those(moving).map(|k| a[k][1]).collect();
        pressed.extend(those(!moving).flat_map(|k| a[k]));
        let all_of_fixed = b.map(|places| places[0]).to_vec();
        let outer = self.gap([Extent::Points(pressed), Extent::Points(all_of_fixed)], span, along);
        let given: Vec<DVec3> = those(moving).map(|k| a[k][0]).collect();
        let away: Vec<DVec3> = those(!fixed).map(|k| b[k][0]).collect();
        if away.is_empty() {
            return outer;
        }
        lower(outer, self.gap([Extent::Points(given), Extent::Points(away)], span, along))
    }

    fn extent_of(&self, k: usize, node: u32) -> Extent {
        let tree = self.trees[k];
        let Some(triangle) = tree.triangle(node) else {
            let (middle, half) = tree.extent(node);
            return Extent::Box(middle, half);
        };
        let mut points = Vec::with_capacity(6);
        for [given, inset] in tree.vertices(triangle).map(|vertex| tree.places(vertex)) {
            points.push(given);
            if inset != given {
                points.push(inset);
            }
        }
        Extent::Points(points)
    }

    fn gap(&self, extents: [Extent; 2], span: &SpanBounds, along: Direction) -> f64 {
        match along {
            Direction::Still(n) => {
                let n = Vector::exact(n);
                let low = self.least(&extents[0], span, |v, is_point| {
                    if is_point {
                        self.way.moving(n, self.way.point(v))
                    } else {
                        self.way.turned(n, self.way.direction(v))
                    }
                });
                let top = self.least(&extents[1], span, |v, is_point| {
                    let v = if is_point { self.way.fixed(v) } else { Vector::exact(v) };
                    Wave::of(-n.dot(v))
                });
                (low + top).next_down()
            }
            Direction::WithBody(g) if self.way.turns() => {
                let g = Vector::exact(g);
                let low = self.least(&extents[0], span, |v, is_point| {
                    let v = if is_point { self.way.point(v) } else { self.way.direction(v) };
                    Wave::of(g.dot(v))
                });
                let top = self.least(&extents[1], span, |v, is_point| {
                    let v = if is_point { self.way.fixed(v) } else { Vector::exact(v) };
                    self.way.turned(v, g).negated()
                });
                (low + top).next_down()
            }
            // Without a turn both are the same.
            Direction::WithBody(g) => self.gap(extents, span, Direction::Still(g)),
            Direction::Across(e, f) => {
                let [Extent::Points(moving), Extent::Points(fixed)] = extents else {
                    return f64::NEG_INFINITY;
                };
                if !self.way.turns() {
                    return f64::NEG_INFINITY;
                }
                let (e, f) = (Vector::exact(e), Vector::exact(f));
                let of_moving: Vec<Wave> =
                    moving.iter().map(|&p| self.way.turned(f, self.way.point(p).cross(e))).collect();
                let of_fixed: Vec<Wave> =
                    fixed.iter().map(|&q| self.way.turned(f.cross(self.way.fixed(q)), e)).collect();
                // Pair by pair: what both heights have in common falls out.
                let mut least = f64::INFINITY;
                for a in &of_moving {
                    for b in &of_fixed {
                        least = lower(least, span.lowest(&a.minus(b)));
                    }
                }
                least
            }
        }
    }

    /// The least height of a point or a box through a span, by the wave of a point or of a direction.
    fn least(&self, extent: &Extent, span: &SpanBounds, wave: impl Fn(DVec3, bool) -> Wave) -> f64 {
        match extent {
            Extent::Points(points) => {
                points.iter().map(|&p| span.lowest(&wave(p, true))).fold(f64::INFINITY, lower)
            }
            Extent::Box(middle, half) => {
                let mut low = Interval::exact(span.lowest(&wave(*middle, true)));
                for axis in 0..3 {
                    let side = DVec3::AXES[axis];
                    let most = Interval::exact(span.most(&wave(side, false)));
                    low = low - most * Interval::exact(half[axis]);
                }
                low.low
            }
        }
    }
}

fn middle(span: &SpanBounds) -> f64 {
    0.5 * (span.span[0] + span.span[1])
}

/// By its largest number: so that products of tiny or of huge ones are numbers. None if it is no direction.
fn sized(n: DVec3) -> Option<DVec3> {
    let n = n / n.abs().max_element();
    n.is_finite().then_some(n)
}

/// Not `min`, which would let NaN pass.
fn lower(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}
