//! A part is dragged by a point: it follows as far as its contacts allow.
//!
//! In small steps: at each place the contacts are found, and of all small motions that they allow the one nearest to what is wished is
//! taken ([`ContactSet::nearest`](kansho_contact::ContactSet::nearest)), as a slide or screw. A step is no longer than the least gap to
//! what is apart, so nothing is passed through that is thicker than [`NEAR`] of the part's size; and where it ends, nothing may overlap. What
//! touches is looked at where steps end, not between: this is for hands and eyes, not a proof.

use kansho_contact::set::Condition;
use kansho_contact::{Between, ContactOptions, FoundContacts, Part, Row, Screw, Twist, Verdict, contacts};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::time::Instant;

/// What is nearer than this part of the size does not shorten steps: sliding along a wall would take forever.
pub const NEAR: f64 = 1e-3;

/// Longest turn of a step, in radians.
const LONGEST_TURN: f64 = 0.1;

/// Steps, at most.
const STEPS: usize = 64;

/// Halvings of a step that ends in something, at most: as fine as what counts as touching.
const HALVINGS: usize = 20;

/// Nearer to the target than this part of the size is there; and what comes nearer by less does not move.
const THERE: f64 = 1e-7;

/// Turns that move points by less than this part of what the translation does are no turns: between tight rails what counts as touching
/// leaves such, and they would add up.
const NO_TURN: f64 = 1e-3;

/// What is wished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    /// That the whole part moves with the point.
    Move,
    /// That it turns about an axis through its centre, along this unit vector.
    Turn(DVec3),
}

/// Where a part came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Dragged {
    /// Its place, as a motion from where it was at first.
    pub moved: Pose,
    /// Where the point is now.
    pub point: DVec3,
    /// Whether it is at the target; otherwise it is held, or time is over.
    pub arrived: bool,
    /// What holds it: where, and the direction in which it would have to give way. Where one of several would do, all of them.
    pub blocked: Vec<[DVec3; 2]>,
}

/// Drags a part, which `moved` took from where it is given, by a point of it (where that is given) to a target in the world.
///
/// None where it overlaps something already, or where contacts are unclear: then nothing is known about what is allowed.
#[must_use]
pub fn drag(
    part: &Part,
    fixed: &[&Part],
    moved: Pose,
    point: DVec3,
    target: DVec3,
    wish: Wish,
    deadline: Option<Instant>,
) -> Option<Dragged> {
    let look = |moved: Pose| contacts(&part.placed(moved), fixed, &ContactOptions::default());
    let mut found = look(moved);
    if !found.is_sound() {
        return None;
    }
    let size = part.size();
    let mut now = Dragged { moved, point: moved * point, arrived: false, blocked: Vec::new() };
    for _ in 0..STEPS {
        let way = target - now.point;
        if way.length() <= THERE * size {
            now.arrived = true;
            break;
        }
        let wished = wished(wish, now.point, way, found.set.centre);
        now.blocked = blocking(&found, &wished);
        let allowed = found.set.nearest(&wished);
        let along = allowed.at(now.point);
        // How much of it comes nearest to the target.
        let share = along.dot(way) / along.length_squared();
        if !(share > 0.0) || !(share * along.length() > THERE * size) {
            break;
        }
        let reach = allowed.at(found.set.centre).length() + allowed.w.length() * size;
        let longest = gap(&found).max(NEAR * size) / reach;
        let turn = if allowed.w == DVec3::ZERO { f64::INFINITY } else { LONGEST_TURN / allowed.w.length() };
        let mut share = share.min(longest).min(turn);
        let mut step = None;
        for _ in 0..HALVINGS {
            let next = screw(&allowed, share, &found) * now.moved;
            let there = look(next);
            if there.is_sound() {
                step = Some((next, there));
                break;
            }
            share /= 2.0;
        }
        let Some((next, there)) = step else { break };
        let came = (next * point).distance(now.point);
        (now.moved, now.point, found) = (next, next * point, there);
        if came <= THERE * size || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
    }
    if now.arrived {
        now.blocked.clear();
    }
    Some(now)
}

fn wished(wish: Wish, point: DVec3, way: DVec3, centre: DVec3) -> Twist {
    match wish {
        Wish::Move => Twist { v: way, w: DVec3::ZERO },
        Wish::Turn(axis) => {
            let arm = (point - centre).reject_from_normalized(axis);
            let w = axis * (axis.dot(arm.cross(way)) / arm.length_squared().max(f64::MIN_POSITIVE));
            Twist { v: -w.cross(centre), w }
        }
    }
}

/// What would be run into.
fn blocking(found: &FoundContacts, wished: &Twist) -> Vec<[DVec3; 2]> {
    let judgement = found.set.judge(wished);
    if judgement.verdict != Verdict::Blocked {
        return Vec::new();
    }
    let arrow = |row: &Row| [row.point, row.normal];
    let of = |(condition, _): &(Condition, f64)| match *condition {
        Condition::Point(contact, which) => {
            found.set.contacts[contact].conditions[which].iter().map(arrow).collect::<Vec<_>>()
        }
        Condition::Segment(which) => {
            found.set.segments[which].rows().iter().flatten().map(arrow).collect::<Vec<_>>()
        }
        // The points that stand for a ring have arrows of their own.
        Condition::Ring(_) => Vec::new(),
    };
    judgement.by.iter().flat_map(of).collect()
}

/// The least gap to what is apart.
fn gap(found: &FoundContacts) -> f64 {
    let apart = |between: &Between| match between {
        Between::Apart { gap, .. } => *gap,
        _ => f64::INFINITY,
    };
    found.between.iter().map(apart).fold(f64::INFINITY, f64::min)
}

/// Part of a small motion as a motion that keeps shapes.
fn screw(motion: &Twist, share: f64, found: &FoundContacts) -> Pose {
    let (centre, size) = (found.set.centre, found.set.size);
    let along = motion.at(centre);
    if motion.w.length() * size <= NO_TURN * along.length() {
        return Pose::from_translation(along * share);
    }
    match Screw::of(motion, size, 0.0) {
        Screw::Slide(_) => Pose::from_translation(motion.v * share),
        Screw::Turn { point, axis, pitch } => {
            let angle = motion.w.length() * share;
            let turn = Pose::turn(axis, angle);
            Pose::from_translation(point - turn * point + axis * (pitch * angle)) * turn
        }
        Screw::Still => Pose::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_geom::primitive::{Primitive, Shape};
    use std::sync::Arc;

    fn block(size: [f64; 3], at: [f64; 3]) -> Part {
        let shape = Primitive::new(Shape::Box { size: size.into() }).expect("a box");
        let mesh = shape.tessellated(1.0).expect("it has an end");
        Part::new(&Arc::new(mesh), None).expect("closed").placed(Pose::from_translation(at.into()))
    }

    /// A slider of 40 x 60 x 30 mm between two rails on a plate, and a stop 50 mm beyond it along y.
    fn guided() -> (Part, Vec<Part>) {
        let fixed = vec![
            block([0.3, 0.4, 0.02], [0.0, 0.0, -0.01]),
            block([0.02, 0.4, 0.04], [-0.03, 0.0, 0.02]),
            block([0.02, 0.4, 0.04], [0.03, 0.0, 0.02]),
            block([0.02, 0.01, 0.02], [0.0, 0.085, 0.01]),
        ];
        (block([0.04, 0.06, 0.03], [0.0, 0.0, 0.015]), fixed)
    }

    /// Where it comes to, and how exactly that can be said: what counts as touching.
    fn dragged(way: [f64; 3]) -> (Dragged, f64) {
        let (part, fixed) = guided();
        let fixed: Vec<&Part> = fixed.iter().collect();
        let point = DVec3::new(0.02, 0.03, 0.03);
        let found = drag(&part, &fixed, Pose::IDENTITY, point, point + DVec3::from(way), Wish::Move, None);
        let found = found.expect("it touches, and no more");
        let after = contacts(&part.placed(found.moved), &fixed, &ContactOptions::default());
        assert!(after.is_sound(), "{found:?}");
        let touch = after.touch.iter().copied().fold(0.0, f64::max);
        (found, touch + 3.0 * THERE * part.size())
    }

    #[test]
    fn it_goes_where_the_rails_lead() {
        for (way, expected) in [
            ([0.0, 0.02, 0.0], [0.0, 0.02, 0.0]),
            ([0.03, 0.02, 0.0], [0.0, 0.02, 0.0]),
            ([-0.05, -0.11, -0.2], [0.0, -0.11, 0.0]),
            ([0.0, 0.0, 0.1], [0.0, 0.0, 0.1]),
            ([0.2, 0.01, -0.1], [0.0, 0.01, 0.0]),
            ([0.01, 0.0, 0.0], [0.0, 0.0, 0.0]),
            // To the stop, and no further.
            ([0.0, 0.09, 0.0], [0.0, 0.05, 0.0]),
            ([0.02, 0.2, -0.02], [0.0, 0.05, 0.0]),
        ] {
            let (found, within) = dragged(way);
            let off = found.moved.translation().distance(expected.into());
            assert!(off <= within && within < 1e-5, "{way:?}: {off} of {within}: {found:?}");
            assert_eq!(found.arrived, way == expected, "{way:?}: {found:?}");
            assert_eq!(found.blocked.is_empty(), found.arrived, "{way:?}: {found:?}");
        }
    }

    #[test]
    fn what_blocks_is_told_with_its_direction() {
        let (down, _) = dragged([0.0, 0.0, -0.01]);
        assert_eq!(down.moved, Pose::IDENTITY);
        assert!(!down.blocked.is_empty() && down.blocked.iter().all(|[_, n]| n.z > 0.99), "{down:?}");
        let (aside, _) = dragged([0.01, 0.0, 0.0]);
        assert!(!aside.blocked.is_empty() && aside.blocked.iter().all(|[_, n]| n.x < -0.99), "{aside:?}");
    }

    #[test]
    fn over_the_rails_it_is_free_and_comes_down_on_them() {
        let (part, fixed) = guided();
        let fixed: Vec<&Part> = fixed.iter().collect();
        let point = part.centre();
        let step = |moved: Pose, to: [f64; 3]| {
            drag(&part, &fixed, moved, point, point + DVec3::from(to), Wish::Move, None).expect("sound")
        };
        let up = step(Pose::IDENTITY, [0.0, 0.0, 0.06]);
        let aside = step(up.moved, [0.03, 0.0, 0.06]);
        assert!(up.arrived && aside.arrived);
        // The rail is 40 mm high, and 10 mm of it are right of the slider's middle.
        let down = step(aside.moved, [0.03, 0.0, 0.0]);
        assert!(!down.arrived && (down.moved.translation().z - 0.04).abs() < 1e-6, "{down:?}");
    }

    #[test]
    fn it_turns_about_what_holds_it_and_never_into_anything() {
        let floor = block([1.0, 1.0, 0.1], [0.0, 0.0, -0.05]);
        let part = block([0.1, 0.1, 0.1], [0.0, 0.0, 0.05]);
        let point = DVec3::new(0.05, 0.0, 0.05);
        let target = DVec3::new(0.0, 0.05, 0.05);
        let turned = drag(&part, &[&floor], Pose::IDENTITY, point, target, Wish::Turn(DVec3::Z), None);
        let turned = turned.expect("sound");
        assert!(turned.arrived, "{turned:?}");
        let x = turned.moved.rotate(DVec3::X);
        assert!(x.distance(DVec3::Y) < 1e-5 && turned.moved.translation().length() < 1e-6, "{turned:?}");
        // A face that lies on the floor cannot be turned into it.
        let down = DVec3::new(0.05, 0.0, 0.0);
        let into = drag(&part, &[&floor], Pose::IDENTITY, point, down, Wish::Turn(DVec3::Y), None);
        let into = into.expect("sound");
        assert!(contacts(&part.placed(into.moved), &[&floor], &ContactOptions::default()).is_sound());
    }

    #[test]
    fn what_overlaps_is_not_dragged() {
        let (one, other) = (block([0.1; 3], [0.0; 3]), block([0.1; 3], [0.05, 0.0, 0.0]));
        assert_eq!(drag(&one, &[&other], Pose::IDENTITY, DVec3::ZERO, DVec3::X, Wish::Move, None), None);
    }
}
