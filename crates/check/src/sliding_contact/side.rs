//! Two triangles that stay on two sides of a plane, but for corners that may touch.

use super::{MayTouch, Patch, SlidingMotion, Wave};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Span;
use kansho_geom::triangle::{Feature, closest, nearest};

/// A triangle of the moving and one of the fixed body.
pub(super) struct Pair<'a> {
    pub(super) way: &'a SlidingMotion,
    /// In the frame of the moving body, and in the world.
    pub(super) corners: [[DVec3; 3]; 2],
    /// Their corners, as the meshes count them.
    pub(super) ids: [[u32; 3]; 2],
}

/// Corners that may not touch stay this many tolerances away from the plane: so what is common to two triangles lies near
/// the side between corners that may.
const MARGIN: f64 = 4.0;

/// Edges that cross at a smaller sine are along each other.
const CROSSING: f64 = 1e-3;

/// Heights of six corners along a direction that may move: three of the moving body, three of the fixed one.
type Heights = [[Wave; 3]; 2];

impl Pair<'_> {
    /// Whether, all through a span, some plane has the first triangle above and the second one below, corners that may touch aside:
    /// these may be beyond it by the tolerance.
    pub(super) fn stays_on_its_side(&self, may: &MayTouch, span: Span, tolerance: f64) -> bool {
        let touching = self.touching(may);
        if !touching.iter().all(|corners| corners.contains(&true)) {
            return false;
        }
        let proves = |heights: &Heights, scale: f64| self.divides(heights, &touching, span, tolerance, scale);
        may.fixed.normals.iter().any(|&n| proves(&self.along(n), 1.0))
            || may.moving.normals.iter().any(|&n| proves(&self.along_body(-n), 1.0))
            || self.across(may, span).is_some_and(|(heights, scale)| {
                proves(&heights, scale) || proves(&heights.map(|three| three.map(negated)), scale)
            })
            || self.midst(span, tolerance).is_some_and(|n| {
                proves(&self.along(n), 1.0)
                    || proves(&self.along_body(self.way.at(span.middle()).inverse().rotate(n)), 1.0)
            })
    }

    /// Whether points, one on each triangle, are at the corners, sides or faces that may touch.
    pub(super) fn is_at(&self, may: &MayTouch, points: [DVec3; 2], pose: Pose, within: f64) -> bool {
        let touching = self.touching(may);
        let near = |k: usize| {
            let corners = if k == 0 { self.corners[0].map(|p| pose * p) } else { self.corners[1] };
            let those: Vec<DVec3> = (0..3).filter(|&i| touching[k][i]).map(|i| corners[i]).collect();
            match those[..] {
                [] => false,
                [p] => p.distance(points[k]) <= within,
                [p, q] => {
                    let way = q - p;
                    let along = ((points[k] - p).dot(way) / way.length_squared()).clamp(0.0, 1.0);
                    (p + way * along).distance(points[k]) <= within
                }
                _ => true,
            }
        };
        near(0) && near(1)
    }

    /// Where two triangles that both have corners that may touch are within a distance of each other, away from what may touch: at a
    /// corner, or where sides cross.
    pub(super) fn touches_elsewhere(
        &self,
        may: &MayTouch,
        pose: Pose,
        within: f64,
    ) -> Option<([Feature; 2], [DVec3; 2])> {
        let touching = self.touching(may);
        if !touching.iter().all(|corners| corners.contains(&true)) {
            return None;
        }
        let placed = [self.corners[0].map(|p| pose * p), self.corners[1]];
        let corner = (0..6u8).find_map(|number| {
            let (k, i) = (usize::from(number / 3), usize::from(number % 3));
            let (p, other) = (placed[k][i], &placed[1 - k]);
            let there = nearest(p, other);
            if touching[k][i] || !(p.distance(there) <= within) {
                return None;
            }
            let corner = Feature::Corner(i as u8);
            Some(if k == 0 {
                ([corner, Feature::Face], [p, there])
            } else {
                ([Feature::Face, corner], [there, p])
            })
        });
        corner.or_else(|| {
            (0..9u8).find_map(|number| {
                let (i, j) = (number / 3, number % 3);
                let side = |k: usize, i: u8| {
                    let (a, b) = (usize::from(i), usize::from((i + 1) % 3));
                    [placed[k][a], placed[k][b], placed[k][b]]
                };
                let near = closest(&side(0, i), &side(1, j));
                let is_new = near.distance_sq.sqrt() <= within && !self.is_at(may, near.points, pose, within);
                is_new.then_some(([Feature::Side(i), Feature::Side(j)], near.points))
            })
        })
    }

    fn touching(&self, may: &MayTouch) -> [[bool; 3]; 2] {
        let of = |patch: &Patch, ids: [u32; 3]| ids.map(|id| patch.vertices.binary_search(&id).is_ok());
        [of(&may.moving, self.ids[0]), of(&may.fixed, self.ids[1])]
    }

    /// `scale` is a bound below the length of the direction that heights are measured along, which is at most 1.
    fn divides(
        &self,
        heights: &Heights,
        touching: &[[bool; 3]; 2],
        span: Span,
        tolerance: f64,
        scale: f64,
    ) -> bool {
        let ranges = heights.map(|three| three.map(|wave| wave.range(span)));
        let those = |k: usize| (0..3).filter(move |&i| touching[k][i]);
        let level = those(1).map(|i| ranges[1][i][1]).fold(f64::NEG_INFINITY, f64::max);
        let own = those(0).map(|i| ranges[0][i][0]).fold(f64::INFINITY, f64::min);
        // A plane at either height will do: corners that may touch are beyond it by the tolerance at most.
        own >= level - tolerance * scale
            && [level, own].into_iter().any(|plane| {
                (0..3).all(|i| touching[0][i] || ranges[0][i][0] >= plane + MARGIN * tolerance)
                    && (0..3).all(|i| touching[1][i] || ranges[1][i][1] <= plane - MARGIN * tolerance)
            })
    }

    fn along(&self, n: DVec3) -> Heights {
        let fixed = |p: DVec3| Wave {
            cosine: 0.0,
            sine: 0.0,
            fixed: n.dot(p),
            slope: 0.0,
            angle: 0.0,
            scale: n.length() * p.length(),
        };
        [self.corners[0].map(|p| self.way.height(p, n)), self.corners[1].map(fixed)]
    }

    fn along_body(&self, n: DVec3) -> Heights {
        let own = |p: DVec3| Wave {
            cosine: 0.0,
            sine: 0.0,
            fixed: n.dot(p),
            slope: 0.0,
            angle: 0.0,
            scale: n.length() * p.length(),
        };
        [self.corners[0].map(own), self.corners[1].map(|p| self.way.height_in_body(p, n))]
    }

    /// Across an edge of each, with a bound below its length.
    fn across(&self, may: &MayTouch, span: Span) -> Option<(Heights, f64)> {
        let ([a, b], [c, d]) = (may.moving.edge?, may.fixed.edge?);
        let (e, f) = ((b - a).try_normalize()?, (d - c).try_normalize()?);
        // The cosine between them, as the height of e along f.
        let [low, high] = match *self.way {
            SlidingMotion::Straight { from, .. } => [f.dot(from.rotate(e)); 2],
            SlidingMotion::Turn { .. } => {
                let origin = self.way.height(DVec3::ZERO, f);
                let tip = self.way.height(e, f);
                let cosine = Wave {
                    cosine: tip.cosine - origin.cosine,
                    sine: tip.sine - origin.sine,
                    fixed: tip.fixed - origin.fixed,
                    ..tip
                };
                cosine.range(span)
            }
        };
        let most = low.abs().max(high.abs());
        let sine = (1.0 - most * most).max(0.0).sqrt();
        (sine > CROSSING).then(|| {
            let heights = [
                self.corners[0].map(|p| self.way.height_across(p, e, c, f)),
                self.corners[1].map(|p| self.way.height_of_fixed_across(p, e, c, f)),
            ];
            (heights, sine)
        })
    }

    /// A direction amid all that have the first triangle above the second one in the middle of the span, up to the tolerance: these
    /// are a cone, and its rays are normals of the triangles and directions across a side of each, or in their plane if they lie in one.
    fn midst(&self, span: Span, tolerance: f64) -> Option<DVec3> {
        let pose = self.way.at(span.middle());
        let placed = [self.corners[0].map(|p| pose * p), self.corners[1]];
        let sides = placed.map(|t| [t[1] - t[0], t[2] - t[1], t[0] - t[2]]);
        let normals = sides.map(|side| side[0].cross(side[1]));
        let across = (0..9).map(|k| sides[0][k / 3].cross(sides[1][k % 3]));
        let within = (0..6).map(|k| normals[k / 3].cross(sides[k / 3][k % 3]));
        let mut sum = DVec3::ZERO;
        for axis in normals.into_iter().chain(across).chain(within) {
            let Some(n) = axis.try_normalize() else { continue };
            let height = |k: usize, better: fn(f64, f64) -> f64| {
                let [a, b, c] = placed[k].map(|p| n.dot(p));
                better(a, better(b, c))
            };
            if height(0, f64::min) >= height(1, f64::max) - tolerance {
                sum += n;
            }
            if height(0, f64::max) <= height(1, f64::min) + tolerance {
                sum -= n;
            }
        }
        sum.try_normalize()
    }
}

fn negated(wave: Wave) -> Wave {
    Wave { cosine: -wave.cosine, sine: -wave.sine, fixed: -wave.fixed, slope: -wave.slope, ..wave }
}
