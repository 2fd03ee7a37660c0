//! Before contacts are looked for: the direction of the moved body, from its rough one.

use super::answer::{Case, Leg, Status};
use super::body::{Facet, Member};
use super::go::Wish;
use super::line::middle_of;
use super::resolved::{Move, Until};
use super::run::Runner;
use super::touch::Relation;
use kansho_check::sliding_contact::SlidingMotion;
use kansho_geom::glam::{DQuat, DVec3};

/// Faces that are to lie on each other are turned by less than this many radians: a start is rough, not wrong.
const ROUGH: f64 = 60.0 * std::f64::consts::PI / 180.0;

/// Turns that differ by less than this are equally near.
const EQUAL: f64 = 1e-3;

/// Turns of less than this are none.
const ALIGNED: f64 = 1e-12;

impl Runner<'_> {
    /// Turns the body about its grasp so that faces that are to lie on each other look against each other, and three corners that are
    /// to lie in one plane are parallel to it.
    pub(super) fn orient(&mut self, todo: &Move, legs: &mut Vec<Leg>) -> Result<(), Status> {
        let Until::Touching(until) = &todo.until else { return Ok(()) };
        if todo.level || !todo.keep.is_empty() || until.iter().any(|&k| self.is_closed(k)) {
            return Ok(());
        }
        let mut fixed_axis: Option<DVec3> = None;
        for &k in until {
            let touch = &self.script.touches[k];
            if touch.relation != Relation::On {
                continue;
            }
            let moved = &self.script.moved.features[touch.moved].members;
            let fixed = &self.script.fixed[touch.body].features[touch.fixed].members;
            let [Member::Face(target)] = &fixed[..] else { continue };
            let own: Vec<&Facet> = moved
                .iter()
                .filter_map(|m| if let Member::Face(facet) = m { Some(facet) } else { None })
                .collect();
            let mut turns: Vec<(DVec3, f64)> = own
                .iter()
                .filter_map(|facet| turn_onto(self.pose.rotate(facet.normal), -target.normal, fixed_axis))
                .collect();
            turns.sort_by(|a, b| a.1.total_cmp(&b.1));
            match turns[..] {
                [] => {}
                [(_, angle), ..] if angle > ROUGH => {
                    return Err(Status::Unsupported { case: Case::FacesFarOff });
                }
                [(_, angle), (_, next), ..] if angle > ALIGNED && next - angle < EQUAL => {
                    let about = self.pose * self.script.grasp;
                    let ends = turns.iter().filter(|turn| turn.1 - angle < EQUAL);
                    let ends = ends.map(|&(axis, angle)| {
                        SlidingMotion::Turn { from: self.pose, point: about, axis, angle }.to()
                    });
                    return Err(Status::Ambiguous(ends.collect()));
                }
                [(axis, angle), ..] => self.turn_in_place(todo, until, axis, angle, legs)?,
            }
            if !own.is_empty() {
                fixed_axis = fixed_axis.or(Some(target.normal));
            }
        }
        if fixed_axis.is_none() {
            self.orient_three(todo, until, legs)?;
        }
        Ok(())
    }

    fn is_closed(&self, k: usize) -> bool {
        self.world.closed(&self.script.touches[k], self.pose).is_some()
    }

    /// Three corners that are to lie in one plane.
    fn orient_three(&mut self, todo: &Move, until: &[usize], legs: &mut Vec<Leg>) -> Result<(), Status> {
        let mut points = Vec::new();
        let mut plane: Option<(DVec3, f64)> = None;
        for &k in until {
            let touch = &self.script.touches[k];
            let moved = &self.script.moved.features[touch.moved].members;
            let fixed = &self.script.fixed[touch.body].features[touch.fixed].members;
            let ([Member::Vertex(_)], [Member::Face(target)]) = (&moved[..], &fixed[..]) else {
                return Ok(());
            };
            let same = |(n, offset): (DVec3, f64)| {
                n.dot(target.normal) > 1.0 - 1e-12 && (offset - target.offset).abs() <= self.script.tolerance
            };
            if plane.is_some_and(|plane| !same(plane)) {
                return Ok(());
            }
            plane = Some((target.normal, target.offset));
            points.push(self.pose * middle_of(&moved[0]));
        }
        let (Some((normal, _)), [a, b, c, ..]) = (plane, &points[..]) else { return Ok(()) };
        let Some(own) = (*b - *a).cross(*c - *a).try_normalize() else { return Ok(()) };
        let own = own * own.dot(normal).signum();
        match turn_onto(own, normal, None) {
            Some((_, angle)) if angle > ROUGH => Err(Status::Unsupported { case: Case::CornersFarOff }),
            Some((axis, angle)) => self.turn_in_place(todo, until, axis, angle, legs),
            None => Ok(()),
        }
    }

    pub(super) fn turn_in_place(
        &mut self,
        todo: &Move,
        until: &[usize],
        axis: DVec3,
        angle: f64,
        legs: &mut Vec<Leg>,
    ) -> Result<(), Status> {
        if angle.abs() <= ALIGNED {
            return Ok(());
        }
        let way = SlidingMotion::Turn { from: self.pose, point: self.pose * self.script.grasp, axis, angle };
        let may = self.may(todo, until);
        self.go(&Wish { word: "orient", way, keep: &[], may: &may }, legs)
    }
}

/// The least turn that brings one direction onto another, about a given axis if there is one: axis and angle. None if that axis does
/// not allow it.
fn turn_onto(from: DVec3, to: DVec3, about: Option<DVec3>) -> Option<(DVec3, f64)> {
    match about {
        None => {
            let (axis, angle) = DQuat::from_rotation_arc(from, to).to_axis_angle();
            let sine = from.cross(to).length();
            // The arc's own angle loses digits where it is small.
            let exact = if from.dot(to) > 0.0 { sine.atan2(from.dot(to)) } else { angle };
            Some((from.cross(to).try_normalize().unwrap_or(axis), exact))
        }
        Some(axis) => {
            let flat = |v: DVec3| v - axis * axis.dot(v);
            let (a, b) = (flat(from).try_normalize()?, flat(to).try_normalize()?);
            let angle = a.cross(b).dot(axis).atan2(a.dot(b));
            Some((axis * if angle < 0.0 { -1.0 } else { 1.0 }, angle.abs()))
        }
    }
}
