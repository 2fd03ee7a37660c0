use super::along::{Spine, least_along};
use super::core::{Core, Near};
use super::disc::{Disc, least_on_disc};
use crate::pose::Pose;
use glam::DVec3;

/// The closest points of two cores, in the frame of the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) distance: f64,
    pub(super) points: [DVec3; 2],
    /// Unit vector from the second to the first; zero where they meet.
    pub(super) away: DVec3,
}

/// The closest points of two cores, the first of the lower [rank](Core::rank); none if they are proven to be farther apart
/// than `cut`.
pub(super) fn closest(one: &Core, other: &Core, other_from_one: Pose, cut: f64) -> Option<Pair> {
    match *one {
        Core::Point => {
            let centre = other_from_one.translation();
            Some(pair(centre, &other.nearest(centre)))
        }
        Core::Segment { half } => {
            let ends = [-half, half].map(|z| other_from_one * DVec3::new(0.0, 0.0, z));
            let spine = Spine { ends, radii: [0.0; 2] };
            let found = least_along(other, &spine, ends.map(|end| other.nearest(end)), cut)?;
            Some(pair(found.point, &found.near))
        }
        Core::Cylinder { radius, half } => {
            let spine = Spine { ends: [-half, half].map(|z| DVec3::Z * z), radii: [radius; 2] };
            Search::new(one, other, other_from_one).run(&spine, &[(half, radius), (-half, radius)])
        }
        Core::Cone { radius, half, slant } => {
            // Balls that touch the slant from inside, from one that touches it at the rim of the base up to the tip.
            let height = 2.0 * half;
            let lowest = DVec3::Z * (half - slant * (slant / height));
            let spine = Spine { ends: [lowest, DVec3::Z * half], radii: [slant * (radius / height), 0.0] };
            Search::new(one, other, other_from_one).run(&spine, &[(half, 0.0), (-half, radius)])
        }
    }
}

fn pair(point: DVec3, near: &Near) -> Pair {
    Pair { distance: near.distance, points: [point, near.point], away: near.away }
}

/// A cylinder or a cone against another.
///
/// Where they are apart, the nearest point of the first lies on its round face, on its tip, or on a flat end. On the round
/// face the plane that separates them touches all balls around its spine, so the nearest ball of the spine tells. A flat end
/// is a disc. Where they meet and no flat end has a common point, then all of the second that lies in the round face,
/// continued beyond the flat ends, lies in the first, and the nearest ball of the spine has one.
///
/// Every candidate is a point of the second; its distance from the first, by formula, is at least the least. A plane
/// between them that is as far from both says that there is nothing nearer, and saves the rest.
struct Search<'a> {
    one: &'a Core,
    other: &'a Core,
    other_from_one: Pose,
    one_from_other: Pose,
    best: Pair,
    /// The least distance of all, and a bound below what it could be.
    least: f64,
    below: f64,
    /// The bound that the best pair itself proves.
    own: f64,
    /// The direction of the planes that prove the bound.
    across: DVec3,
    /// Of the coordinates.
    size: f64,
}

impl<'a> Search<'a> {
    fn new(one: &'a Core, other: &'a Core, other_from_one: Pose) -> Self {
        let centre = other_from_one.translation();
        Self {
            one,
            other,
            other_from_one,
            one_from_other: other_from_one.inverse(),
            best: Pair { distance: f64::INFINITY, points: [centre; 2], away: DVec3::ZERO },
            least: f64::INFINITY,
            below: f64::NEG_INFINITY,
            own: f64::NEG_INFINITY,
            across: DVec3::ZERO,
            size: centre.length() + one.half_extents().length() + other.half_extents().length(),
        }
    }

    fn run(mut self, spine: &Spine, ends: &[(f64, f64); 2]) -> Option<Pair> {
        self.search(spine, ends);
        // To and fro settles the place where both are round; straight across, where one is flat.
        for _ in 0..24 {
            if self.least == 0.0 || self.least - self.own <= 64.0 * f64::EPSILON * self.size {
                break;
            }
            self.step(self.best.points[1]);
        }
        self.square();
        Some(self.best)
    }

    fn search(&mut self, spine: &Spine, ends: &[(f64, f64); 2]) {
        let placed = spine.ends.map(|p| self.other_from_one * p);
        let spine = Spine { ends: placed, ..*spine };
        let nearest = placed.map(|p| self.other.nearest(p));
        let found = least_along(self.other, &spine, nearest, f64::INFINITY)
            .expect("nothing is beyond an infinite cut");
        self.offer(found.near.point);
        if self.is_done() {
            return;
        }
        // The end to which the spine led comes first.
        let [upper, lower] = *ends;
        for (z, radius) in if found.t > 0.5 { [upper, lower] } else { [lower, upper] } {
            let rotation = self.other_from_one.rotation();
            let centre = self.other_from_one * (DVec3::Z * z);
            let near = if radius > 0.0 {
                let disc = Disc { centre, axes: [rotation.x_axis, rotation.y_axis, rotation.z_axis], radius };
                least_on_disc(self.other, &disc, self.least + 64.0 * f64::EPSILON * self.size)
            } else {
                Some(self.other.nearest(centre))
            };
            if let Some(near) = near {
                self.offer(near.point);
                if self.is_done() {
                    return;
                }
            }
        }
    }

    /// Takes the nearest point of the first to a point of the second, and to and fro as long as that helps.
    fn offer(&mut self, mut on_other: DVec3) {
        for _ in 0..6 {
            let before = self.least;
            on_other = self.step(on_other);
            if self.is_done() || !(before - self.least > 4.0 * f64::EPSILON * self.size) {
                return;
            }
        }
    }

    /// From a point of the second to the nearest of the first, and back to the nearest of the second.
    fn step(&mut self, on_other: DVec3) -> DVec3 {
        let near = self.one.nearest(self.one_from_other * on_other);
        let on_one = self.other_from_one * near.point;
        let away = -self.other_from_one.rotate(near.away);
        self.take(Pair { distance: near.distance, points: [on_one, on_other], away });
        let back = self.other.nearest(on_one);
        self.take(pair(on_one, &back));
        back.point
    }

    /// Keeps the nearer of two pairs; if they are as near up to rounding, the one that proves more.
    fn take(&mut self, pair: Pair) {
        // Two planes across the way between the points that have one body on either side.
        let lowest = self.other_from_one * self.one.support(-self.one_from_other.rotate(pair.away));
        let between = pair.away.dot(lowest - self.other.support(pair.away));
        let tolerance = 4.0 * f64::EPSILON * self.size;
        let is_as_near = pair.distance <= self.least + tolerance && between > self.own;
        if pair.distance == 0.0 || pair.distance < self.least - tolerance || is_as_near {
            self.best = pair;
            self.own = between;
        }
        self.least = self.least.min(pair.distance);
        if between > self.below {
            (self.below, self.across) = (between, pair.away);
        }
    }

    /// Points that are as near up to rounding may lie askew by its root. The planes that prove the bound know the way:
    /// goes from either point straight across to the other body, if that is where it leads.
    fn square(&mut self) {
        let [on_one, on_other] = self.best.points;
        let across = self.across * self.least;
        if !self.is_done() || self.least == 0.0 || self.own >= self.below {
            return;
        }
        let tolerance = 4.0 * f64::EPSILON * self.size;
        if self.one.nearest(self.one_from_other * (on_other + across)).distance <= tolerance {
            self.best =
                Pair { distance: self.least, points: [on_other + across, on_other], away: self.across };
        } else if self.other.nearest(on_one - across).distance <= tolerance {
            self.best = Pair { distance: self.least, points: [on_one, on_one - across], away: self.across };
        }
    }

    fn is_done(&self) -> bool {
        self.least == 0.0 || self.least - self.below <= 16.0 * f64::EPSILON * self.size
    }
}
