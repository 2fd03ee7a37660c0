//! What contacts say about a body: is it held, can it be pulled out, does it stand, what is the nearest motion?

use crate::branch::{Branch, Side};
use crate::cone::{Generators, generators};
use crate::hull::Turns;
use crate::linear::{dot, nearest_in_cone, norm, singular};
use crate::set::{ContactSet, Row, Twist, Verdict};
use kansho_geom::glam::DVec3;

/// How a body is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// By the normals alone: no small motion is allowed in first order. This is form closure.
    FormClosure,
    /// First order leaves one motion, and the curvature of the way blocks it both ways.
    SecondOrder,
    /// Some motion is allowed, as far as the second order can tell.
    Not,
    /// There are too many branches to tell, or noise leaves it open.
    Unknown,
}

/// Which way a body can be pulled out without turning it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PullOut {
    /// Along this unit vector: from the middle of what is allowed.
    Along(DVec3),
    /// It slides along this unit vector, both ways, and nothing pushes it out.
    Slides(DVec3),
    /// No translation is allowed.
    No,
}

/// Friction directions of a contact: corners of the pyramid that stands for the cone of friction. It lies within the cone, so
/// that what it holds is held.
const FRICTION_SIDES: usize = 8;

/// A body under gravity.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Whether forces at the contacts can balance the weight, whichever way each OR is taken.
    pub stable: bool,
    /// A small motion, if it is not, in which the weight does work and no contact resists.
    pub falls: Option<Twist>,
    /// If it is: points, and forces there in units of the weight, that balance it (in the last branch, if there are several).
    pub forces: Vec<[DVec3; 2]>,
}

impl ContactSet {
    /// Whether the body is held.
    #[must_use]
    pub fn held(&self) -> Held {
        let branches = self.branches(Side::Outer);
        if !branches.complete || branches.list.iter().any(|b| b.ambiguous) {
            return if self.lets_go(&branches.list) { Held::Not } else { Held::Unknown };
        }
        // What the outer approximation leaves may still be blocked along a segment or around a ring.
        let something_is_allowed = || {
            (self.segments.is_empty() && self.rings.is_empty())
                || self
                    .branches(Side::Inner)
                    .list
                    .iter()
                    .any(|b| !(b.ambiguous || b.lineality.is_empty() && b.rays.is_empty()))
        };
        let not = || if something_is_allowed() { Held::Not } else { Held::Unknown };
        let mut worst = Held::FormClosure;
        for branch in &branches.list {
            match (&branch.lineality[..], &branch.rays[..]) {
                ([], []) => {}
                ([line], []) => {
                    let back = Twist { v: -line.v, w: -line.w };
                    if !(self.is_blocked_in_second_order(line) && self.is_blocked_in_second_order(&back)) {
                        return not();
                    }
                    worst = Held::SecondOrder;
                }
                ([], [ray]) if self.is_blocked_in_second_order(ray) => worst = Held::SecondOrder,
                _ => return not(),
            }
        }
        worst
    }

    /// Whether one of the motions that generate some branches is safe. (That it is one of them proves nothing where a branch is ambiguous; that
    /// it is safe is asked of the contacts themselves.)
    fn lets_go(&self, branches: &[Branch]) -> bool {
        let all = branches.iter().flat_map(|branch| {
            let both = branch.lineality.iter().flat_map(|line| [*line, Twist { v: -line.v, w: -line.w }]);
            both.chain(branch.rays.iter().copied())
        });
        let mut all = all.collect::<Vec<_>>();
        // Motions on the border of a branch leave it in their sum.
        let sum = all.iter().fold(Twist { v: DVec3::ZERO, w: DVec3::ZERO }, |sum, one| Twist {
            v: sum.v + one.v,
            w: sum.w + one.w,
        });
        all.push(sum);
        all.iter().any(|motion| self.speed(motion) > 0.0 && self.judge(motion).verdict == Verdict::Safe)
    }

    /// Whether positive multiples of all rows, at least one of each, sum to nothing, and the rows have rank six: then they
    /// hold the body. Only for contacts without a choice; with choices each branch is asked.
    #[must_use]
    pub fn is_form_closure(&self, rows: &[Row]) -> bool {
        let scaled: Vec<[f64; 6]> = rows.iter().map(|row| self.scaled(row)).collect();
        if singular(&scaled)[5].0 <= self.tolerance() * (rows.len() as f64).sqrt() {
            return false;
        }
        let sum: Vec<f64> = (0..6).map(|i| -scaled.iter().map(|row| row[i]).sum::<f64>()).collect();
        let generators: Vec<Vec<f64>> = scaled.iter().map(|row| row.to_vec()).collect();
        norm(&nearest_in_cone(&generators, &sum).rest) <= self.tolerance() * norm(&sum).max(1.0)
    }

    /// Whether a motion on the border is blocked in second order: no acceleration keeps all gaps open that the first order
    /// leaves closed.
    ///
    /// Along a motion `x` the gap of a row that does not move in first order grows with `φ″ + r · a`, where `a` is the
    /// acceleration and `φ″` follows from how the normal turns. By Farkas' lemma no `a` makes all of them non-negative if and
    /// only if `(0, −1)` is a sum of non-negative multiples of `(r, φ″)`.
    ///
    /// "No" is also the answer if the motion is not on the border, or there are too many ways to choose to tell.
    #[must_use]
    pub fn is_blocked_in_second_order(&self, motion: &Twist) -> bool {
        let speed = self.speed(motion);
        let band = (4.0 * self.tolerance() * speed).max(1e-9 * speed);
        let mut choices: Vec<Vec<Row>> = Vec::new();
        for (_, rows) in self.conditions() {
            // Without what is not known less is blocked.
            if rows.iter().any(|row| row.turns == Turns::Unknown) {
                continue;
            }
            let open = |row: &&Row| row.along(motion) > band;
            if rows.iter().find(open).is_some() {
                continue;
            }
            let active: Vec<Row> =
                rows.iter().copied().filter(|row| row.along(motion).abs() <= band).collect();
            if active.is_empty() {
                return false; // Blocked in first order: not what is asked.
            }
            choices.push(active);
        }
        const MOST: usize = 1024;
        if choices.iter().try_fold(1usize, |n, c| n.checked_mul(c.len()).filter(|&n| n <= MOST)).is_none() {
            return false;
        }
        let mut pick = vec![0; choices.len()];
        loop {
            let rows: Vec<Row> = choices.iter().zip(&pick).map(|(c, &i)| c[i]).collect();
            if !self.no_acceleration_helps(&rows, motion) {
                return false;
            }
            let Some(place) = (0..pick.len()).find(|&k| pick[k] + 1 < choices[k].len()) else { return true };
            pick[place] += 1;
            pick[..place].fill(0);
        }
    }

    fn no_acceleration_helps(&self, rows: &[Row], motion: &Twist) -> bool {
        let bends: Vec<f64> = rows.iter().map(|row| bend(row, motion)).collect();
        // In units of what such a motion does to a body of this size, or of what it does here: what bulges bends also without a
        // turn.
        let scale = self.speed(motion) * motion.w.length();
        let most = bends.iter().fold(0.0f64, |most, b| most.max(b.abs()));
        if !(most > self.tolerance() * scale) {
            return false;
        }
        let scale = scale.max(most);
        let lifted: Vec<Vec<f64>> = rows
            .iter()
            .zip(&bends)
            .map(|(row, bend)| {
                let m = (row.point - self.centre).cross(row.normal) / self.size;
                vec![row.normal.x, row.normal.y, row.normal.z, m.x, m.y, m.z, bend / scale]
            })
            .collect();
        let target = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0];
        norm(&nearest_in_cone(&lifted, &target).rest) <= (10.0 * self.tolerance()).clamp(1e-6, 0.3)
    }

    /// Which way the body can be pulled out without turning.
    #[must_use]
    pub fn pull_out(&self) -> PullOut {
        let mut best = PullOut::No;
        for branch in self.branches(Side::Inner).list {
            if let Some(middle) = self.out_of(&branch) {
                return PullOut::Along(middle);
            }
            if let Some(&line) = self.translations(&branch).lineality.first() {
                best = PullOut::Slides(DVec3::from_array(line));
            }
        }
        best
    }

    fn translations(&self, branch: &Branch) -> Generators<3> {
        let normals: Vec<[f64; 3]> = branch.rows.iter().map(|row| row.normal.to_array()).collect();
        generators(&normals, self.tolerance())
    }

    /// The middle of the translations that a branch allows one way only.
    pub(crate) fn out_of(&self, branch: &Branch) -> Option<DVec3> {
        let sum: DVec3 = self.translations(branch).rays.iter().map(|&ray| DVec3::from_array(ray)).sum();
        (sum.length() > 1e-6).then(|| sum.normalize_or_zero())
    }

    /// Whether the body stands: forces at its contacts, along the normals or up to `friction` (a coefficient) beside them,
    /// balance a weight in the direction of `gravity` at `centre_of_mass`.
    ///
    /// Without friction a body that stands does not begin to move. With friction the question is whether forces exist that
    /// hold it; contacts stand for cones of friction by pyramids inside of them.
    #[must_use]
    pub fn stands(&self, gravity: DVec3, centre_of_mass: DVec3, friction: f64) -> Standing {
        let unit = gravity.normalize_or_zero();
        let moment = (centre_of_mass - self.centre).cross(unit) / self.size;
        let weight = [unit.x, unit.y, unit.z, moment.x, moment.y, moment.z];
        let against = weight.map(|x| -x);
        let branches = self.branches(Side::Outer);
        let mut standing =
            Standing { stable: branches.complete && gravity.length() > 0.0, falls: None, forces: Vec::new() };
        for branch in branches.list {
            let wrenches: Vec<Vec<f64>> =
                branch.rows.iter().flat_map(|row| self.forces(row, friction)).collect();
            let found = nearest_in_cone(&wrenches, &against);
            // What is left is a motion against which no contact force does work, but the weight does.
            if norm(&found.rest) > (3.0 * self.tolerance()).max(1e-9) {
                standing.stable = false;
                standing.forces.clear();
                let motion: [f64; 6] = std::array::from_fn(|i| -found.rest[i]);
                // The branch may allow more than segments and rings do.
                standing.falls =
                    Some(self.twist(&motion)).filter(|m| self.judge(m).verdict != Verdict::Blocked);
                break;
            }
            let each = wrenches.len() / branch.rows.len().max(1);
            standing.forces = branch
                .rows
                .iter()
                .zip(found.parts.chunks(each.max(1)).zip(wrenches.chunks(each.max(1))))
                .map(|(row, (parts, wrenches))| {
                    let force =
                        parts.iter().zip(wrenches).map(|(x, w)| DVec3::new(w[0], w[1], w[2]) * *x).sum();
                    [row.point, force]
                })
                .filter(|[_, force]| *force != DVec3::ZERO)
                .collect();
        }
        standing
    }

    /// Wrenches of unit normal force at a row, about the centre and in units of the size.
    fn forces(&self, row: &Row, friction: f64) -> Vec<Vec<f64>> {
        let wrench = |force: DVec3| {
            let m = (row.point - self.centre).cross(force) / self.size;
            vec![force.x, force.y, force.z, m.x, m.y, m.z]
        };
        if !(friction > 0.0) {
            return vec![wrench(row.normal)];
        }
        let (u, v) = row.normal.any_orthonormal_pair();
        (0..FRICTION_SIDES)
            .map(|k| {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / FRICTION_SIDES as f64).sin_cos();
                wrench(row.normal + (u * cos + v * sin) * friction)
            })
            .collect()
    }

    /// The allowed motion that is nearest to a wished one: what dragging a part with the mouse needs.
    ///
    /// Nearest as points move: a rotation weighs with the size of the body, about its centre. Of several branches the nearest
    /// counts; along segments only motions that keep one normal are looked for, so what comes back is allowed, though it may
    /// not be the very nearest there.
    #[must_use]
    pub fn nearest(&self, wish: &Twist) -> Twist {
        if self.judge(wish).margin >= 0.0 {
            return *wish;
        }
        let wished = self.scaled_twist(wish);
        let against: Vec<f64> = wished.iter().map(|x| -x).collect();
        let mut best = ([0.0; 6], f64::INFINITY);
        for branch in self.branches(Side::Inner).list {
            let rows: Vec<Vec<f64>> = branch.rows.iter().map(|row| self.scaled(row).to_vec()).collect();
            // The nearest point of the cone `rows · x ≥ 0` is the wish plus what the rows push it back by (Moreau).
            let found = nearest_in_cone(&rows, &against);
            let allowed: [f64; 6] = std::array::from_fn(|i| -found.rest[i]);
            let off: Vec<f64> = allowed.iter().zip(&wished).map(|(a, w)| a - w).collect();
            if dot(&off, &off) < best.1 {
                best = (allowed, dot(&off, &off));
            }
        }
        self.twist(&best.0)
    }
}

/// The second derivative of the gap of a row along a motion that does not change it in first order.
///
/// With `u` the velocity of the point of contact: `n · (w × u)` if the plane is that of the fixed body, minus that if it is
/// that of the moving one, and `n · (w × u) + 2 u · ((w × a) × b) / (n · (a × b))` across an edge `a` of the moving and `b` of the
/// fixed body. Where it may be either plane, the larger, which blocks less.
///
/// Between balls of radii `r` (moving) and `s` it is, with `q = w × n` and the part `t` of `u` across the normal,
///
/// ```text
/// (|t|² − (s − r) t · q − r s |q|²) / (r + s)
/// ```
///
/// which is that of the fixed plane for a corner (`r = 0`) on a large ball. Between cylinders this holds across the axis. Along it,
/// the end of one of them moves over the other, as a plane of either body, and the larger counts.
fn bend(row: &Row, motion: &Twist) -> f64 {
    let u = motion.at(row.point);
    let direct = row.normal.dot(motion.w.cross(u));
    match row.turns {
        Turns::Fixed => direct,
        Turns::Moving => -direct,
        Turns::Either => direct.abs(),
        Turns::Unknown => f64::INFINITY,
        Turns::Bulges { radii: [r, s], axis } => {
            let (t, q) = (u.reject_from_normalized(row.normal), motion.w.cross(row.normal));
            let along = axis.map_or(0.0, |a| (t.dot(a) * q.dot(a)).abs());
            let [t, q] = [t, q].map(|x| axis.map_or(x, |a| x.reject_from_normalized(a)));
            along + (t.length_squared() - (s - r) * t.dot(q) - r * s * q.length_squared()) / (r + s)
        }
        Turns::Edges([a, b]) => direct + 2.0 * u.dot(motion.w.cross(a).cross(b)) / row.normal.dot(a.cross(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::Feature;
    use crate::set::Contact;
    use proptest::prelude::*;

    /// Points on the faces of a cube of side 2, where others press on it.
    fn pressed(rows: &[(DVec3, DVec3)]) -> ContactSet {
        let contact = |&(point, normal): &(DVec3, DVec3)| Contact {
            fixed: 0,
            point,
            on: [Feature::Face(0), Feature::Corner(0)],
            pieces: [1, 1],
            conditions: vec![vec![Row { normal, point, turns: Turns::Moving }]],
        };
        ContactSet {
            contacts: rows.iter().map(contact).collect(),
            segments: Vec::new(),
            rings: Vec::new(),
            centre: DVec3::ZERO,
            size: 2.0,
            uncertainty: 1e-9,
        }
    }

    /// A body after a motion at constant speed for a time, by the rotation about its axis and the way along it.
    fn moved(motion: &Twist, time: f64, point: DVec3) -> DVec3 {
        let rate = motion.w.length();
        if rate == 0.0 {
            return point + motion.v * time;
        }
        let axis = motion.w / rate;
        let on_axis = motion.w.cross(motion.v) / (rate * rate);
        let (sin, cos) = (rate * time).sin_cos();
        let from = point - on_axis;
        let across = from - axis * axis.dot(from);
        let turned = across * cos + axis.cross(across) * sin + axis * axis.dot(from);
        on_axis + turned + axis * (axis.dot(motion.v) * time)
    }

    /// Twists that leave the gap at a point as it is, in first order.
    fn on_the_border() -> impl Strategy<Value = Twist> {
        let vector = || prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array);
        // The point is the origin and the normal z.
        (vector(), vector(), prop::bool::weighted(0.8)).prop_map(|(v, w, turns)| Twist {
            v: DVec3::new(v.x, v.y, 0.0),
            w: if turns { w } else { DVec3::ZERO },
        })
    }

    proptest! {
        /// Against the distance of the centres after a short time, either way.
        #[test]
        fn the_gap_between_balls_bends_as_it_should(motion in on_the_border(), r in 0.1..3.0f64, s in 0.1..3.0f64) {
            let turns = Turns::Bulges { radii: [r, s], axis: None };
            let row = Row { normal: DVec3::Z, point: DVec3::ZERO, turns };
            let gap = |time: f64| moved(&motion, time, DVec3::Z * r).distance(DVec3::Z * -s) - r - s;
            let time = 1e-4;
            let true_bend = (gap(time) + gap(-time)) / (time * time);
            prop_assert!((bend(&row, &motion) - true_bend).abs() < 1e-5, "{} {true_bend}", bend(&row, &motion));
        }

        /// Against points around the end of one cylinder and the distance of each from the axis of the other: the gap bends no more
        /// than is said, whichever of the two ends there, and as much for one of them.
        #[test]
        fn the_gap_between_cylinders_bends_as_it_should(motion in on_the_border(), r in 0.3..3.0f64, s in 0.3..3.0f64) {
            let turns = Turns::Bulges { radii: [r, s], axis: Some(DVec3::X) };
            let row = Row { normal: DVec3::Z, point: DVec3::ZERO, turns };
            let back = Twist { v: -motion.v, w: -motion.w };
            // The rim of one, of radius `own`, on the other; the least over the rim by a fine search near the point of contact.
            let gap = |motion: &Twist, up: f64, own: f64, other: f64, time: f64| {
                let off = |angle: f64| {
                    let rim = DVec3::new(0.0, own * angle.sin(), up * (own - own * angle.cos()));
                    let p = moved(motion, time, rim);
                    p.y.hypot(p.z + up * other) - other
                };
                let (mut low, mut high) = (-0.1, 0.1);
                for _ in 0..120 {
                    let [a, b] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
                    if off(a) < off(b) { high = b } else { low = a }
                }
                off(0.5 * (low + high))
            };
            let time = 1e-3;
            let bends = |motion: &Twist, up: f64, own: f64, other: f64| {
                (gap(motion, up, own, other, time) + gap(motion, up, own, other, -time)) / (time * time)
            };
            // If the fixed one ends there, it moves the other way as seen from the moving one.
            let ends = [bends(&motion, 1.0, r, s), bends(&back, -1.0, s, r)];
            let said = bend(&row, &motion);
            prop_assert!((said - ends[0].max(ends[1])).abs() < 0.02, "{said} {ends:?}");
        }

        /// Between a ball under it and a point that presses on it from above, a ball rolls or slides about an axis: it can if the two
        /// gaps together do not close, for it may rise or sink. The sum is looked at after a short time.
        #[test]
        fn what_is_blocked_between_balls_really_is(
            r in 0.2..2.0f64, s in 0.2..2.0f64, height in 0.5..3.0f64, axis in -8.0..8.0f64,
        ) {
            // A body with a flat top, turned about an axis along y at this height.
            let motion = Twist { v: DVec3::new(-axis, 0.0, 0.0), w: DVec3::Y };
            let contact = |point: DVec3, normal: DVec3, turns: Turns| Contact {
                fixed: 0,
                point,
                on: [Feature::Round(0), Feature::Round(0)],
                pieces: [1, 1],
                conditions: vec![vec![Row { normal, point, turns }]],
            };
            let set = ContactSet {
                contacts: vec![
                    contact(DVec3::ZERO, DVec3::Z, Turns::Bulges { radii: [r, s], axis: None }),
                    contact(DVec3::Z * height, -DVec3::Z, Turns::Moving),
                ],
                segments: Vec::new(),
            rings: Vec::new(),
                centre: DVec3::ZERO,
                size: 2.0,
                uncertainty: 1e-9,
            };
            let gaps = |time: f64| {
                let under = moved(&motion, time, DVec3::Z * r).distance(DVec3::Z * -s) - r - s;
                let [top, beside] = [DVec3::Z * height, DVec3::new(1.0, 0.0, height)].map(|p| moved(&motion, time, p));
                let along = (beside - top).normalize();
                // From the flat top up to the point.
                let normal = along.cross(DVec3::Y);
                under + normal.dot(DVec3::Z * height - top)
            };
            let time = 1e-4;
            let sum = (gaps(time) + gaps(-time)) / (time * time);
            prop_assume!(sum.abs() > 1e-3);
            prop_assert_eq!(set.is_blocked_in_second_order(&motion), sum < 0.0, "{}", sum);
        }
    }

    #[test]
    fn a_block_on_three_points_stands_if_its_weight_is_over_them() {
        let points = [DVec3::new(1.0, 0.0, 0.0), DVec3::new(-0.5, 0.8, 0.0), DVec3::new(-0.5, -0.8, 0.0)];
        let set = pressed(&points.map(|p| (p, DVec3::Z)));
        let stands = set.stands(-DVec3::Z, DVec3::new(0.0, 0.0, 1.0), 0.0);
        assert!(stands.stable);
        let lift: DVec3 = stands.forces.iter().map(|[_, force]| *force).sum();
        let moment: DVec3 = stands.forces.iter().map(|[point, force]| point.cross(*force)).sum();
        assert!(lift.distance(DVec3::Z) < 1e-9 && moment.length() < 1e-9, "the forces balance the weight");
        let beside = set.stands(-DVec3::Z, DVec3::new(1.2, 0.0, 1.0), 0.0);
        assert!(!beside.stable);
        let falls = beside.falls.expect("a motion");
        assert!(falls.at(DVec3::new(1.2, 0.0, 1.0)).z < 0.0, "the weight goes down");
        assert!(set.contacts.iter().all(|c| c.conditions[0][0].along(&falls) >= -1e-9), "no contact resists");
        // On a slope of 20 degrees a friction of 0.35 is too little and one of 0.4 enough (its pyramid holds 0.37 at least).
        let (sin, cos) = 20f64.to_radians().sin_cos();
        let down = DVec3::new(sin, 0.0, -cos);
        assert!(!set.stands(down, DVec3::ZERO, 0.35).stable);
        assert!(set.stands(down, DVec3::ZERO, 0.4).stable);
        assert!(!set.stands(down, DVec3::ZERO, 0.0).stable);
    }

    #[test]
    fn seven_points_hold_a_body_and_six_do_not() {
        let mut rows = vec![
            (DVec3::new(-1.0, 0.5, 0.0), DVec3::X),
            (DVec3::new(0.0, -1.0, 0.5), DVec3::Y),
            (DVec3::new(0.5, 0.0, -1.0), DVec3::Z),
            (DVec3::new(1.0, -0.5, 0.1), -DVec3::X),
            (DVec3::new(0.1, 1.0, -0.5), -DVec3::Y),
            (DVec3::new(-0.5, 0.1, 1.0), -DVec3::Z),
        ];
        let six = pressed(&rows);
        assert_ne!(six.held(), Held::FormClosure);
        assert!(!six.is_form_closure(&six.contacts.iter().map(|c| c.conditions[0][0]).collect::<Vec<_>>()));
        let inward = -DVec3::ONE.normalize();
        rows.push((DVec3::new(0.9, 0.8, 0.7), inward));
        let seven = pressed(&rows);
        let all: Vec<Row> = seven.contacts.iter().map(|c| c.conditions[0][0]).collect();
        assert_eq!(seven.is_form_closure(&all), seven.held() == Held::FormClosure);
    }

    #[test]
    fn the_nearest_motion_slides_along_the_wall() {
        let set = pressed(&[(DVec3::new(0.0, 0.0, -1.0), DVec3::Z)]);
        let wish = Twist { v: DVec3::new(1.0, 0.0, -1.0), w: DVec3::ZERO };
        let near = set.nearest(&wish);
        assert!(near.v.distance(DVec3::X) < 1e-12 && near.w.length() < 1e-12);
        let away = Twist { v: DVec3::new(0.3, 0.0, 1.0), w: DVec3::X };
        let kept = set.nearest(&away);
        assert!(kept.v.distance(away.v) < 1e-12 && kept.w.distance(away.w) < 1e-12);
        assert!(matches!(set.pull_out(), PullOut::Along(d) if d.distance(DVec3::Z) < 1e-12));
    }
}
