//! Rounded corners between two moves of all joints: every posture that a controller with synchronised axes can go through.
//!
//! Such a controller lays the end of one move over the beginning of the next: from the corner `c`, what is left of the first move and what is done of
//! the second add up. With `a` and `b` the postures where it leaves the first move and enters the second at the latest, that is a posture
//!
//! ```text
//! q = c + α (a − c) + β (b − c)        α, β ≥ 0,  α + β ≤ 1
//! ```
//!
//! of the triangle in joint space. It is cut into strips along `a − b`. Of each, the line in its middle is proven free with a margin: how far bodies
//! can be off where joints are off by half the width of the strip, by their levers. A strip that is too wide for that is halved.

use super::{Contact, MotionOptions, MotionWorkspace, RouteScene};
use kansho_cell::JointPiece;
use kansho_geom::pose_motion::Span;

/// How often a strip is halved, at most.
const MOST_HALVES: u32 = 9;

/// Instants at which the way of the tip from its corner is measured.
const STEPS: u32 = 64;

/// A corner between two moves of all joints.
#[derive(Clone, Debug, PartialEq)]
pub struct JointCorner {
    /// The number of the move that ends in it, from 1.
    pub number: usize,
    /// The postures before it, in it, and behind it.
    pub postures: [Vec<f64>; 3],
    /// The robot leaves its move only within this distance of the tip from the corner, in metres; none if that is not known.
    pub radius: Option<f64>,
    /// How much of each of the two moves it may reach over, at most.
    pub most: f64,
    /// Where the tip is on the link that carries it.
    pub tip: kansho_cell::ik::Tip,
}

impl RouteScene<'_> {
    /// Whether all postures of a corner are proven free: a bound below all gaps in it; none if that is not known.
    #[must_use]
    pub fn joint_corner(
        &self,
        corner: &JointCorner,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> Option<f64> {
        let [before, at, behind] = &corner.postures;
        let is_bounded = corner.postures.iter().all(|posture| self.is_bounded(posture));
        if !options.is_good() || !is_bounded {
            return None;
        }
        workspace.exact.forget();
        let leave = self.edge(corner, before);
        let enter = self.edge(corner, behind);
        let mut open = vec![(Span::WHOLE, 0)];
        let mut clearance = f64::INFINITY;
        while let Some((strip, halves)) = open.pop() {
            if options.is_late() {
                return None;
            }
            match self.strip([&leave, at, &enter], strip, options, workspace) {
                Some(proven) => clearance = clearance.min(proven),
                None if halves == MOST_HALVES => return None,
                None => {
                    let [early, late] = strip.halves();
                    open.extend([(late, halves + 1), (early, halves + 1)]);
                }
            }
        }
        Some(clearance)
    }

    /// Whether all that slides is within its limits, so that levers hold.
    fn is_bounded(&self, posture: &[f64]) -> bool {
        self.arm.bounds(posture.iter().copied())
    }

    /// One strip, from one part of the way between the corner and the far side to another.
    fn strip(
        &self,
        [leave, at, enter]: [&[f64]; 3],
        strip: Span,
        options: &MotionOptions<'_>,
        workspace: &mut MotionWorkspace,
    ) -> Option<f64> {
        let part = |far: &[f64]| -> Vec<f64> {
            at.iter().zip(far).map(|(at, far)| at + strip.middle() * (far - at)).collect()
        };
        let (from, to) = (part(leave), part(enter));
        let coordinates = self.arm.coordinates();
        let half = 0.5 * strip.length() * (1.0 + 1e-9);
        let off = coordinates.map(|k| {
            half * (leave[k] - at[k]).abs().max((enter[k] - at[k]).abs()) + 4.0 * f64::EPSILON * at[k].abs()
        });
        let margin = self.arm.margin(&off);
        // Being near is a reason to look again, not a contact: where does not matter.
        let trial = MotionOptions {
            contact: Contact::Any,
            resolution: (0.25 * margin).max(0.25 * options.resolution),
            ..*options
        };
        let piece = JointPiece::line(&from, &to);
        let sofar = self.prepared.piece(&piece, &trial, &|_| margin, workspace);
        let is_free = sofar.found.is_none() && sofar.open.is_none() && sofar.met.is_none();
        is_free.then_some(sofar.clearance)
    }

    /// The posture on the way to another one, no farther than corners reach, beyond which the tip is certainly outside of the radius.
    ///
    /// The tip cannot get farther in a step than joints times their levers. So where it is farther from the corner than that and the radius, it is so
    /// for the whole step; steps are taken towards the corner, as long as that holds.
    fn edge(&self, corner: &JointCorner, far: &[f64]) -> Vec<f64> {
        let at = &corner.postures[1];
        let posture =
            |part: f64| -> Vec<f64> { at.iter().zip(far).map(|(at, far)| at + part * (far - at)).collect() };
        let Some(radius) = corner.radius else { return posture(corner.most) };
        let cell = self.prepared.cell();
        let place = |posture: &[f64]| corner.tip.placed(cell, posture).translation();
        let center = place(at);
        let step = corner.most / f64::from(STEPS);
        let off = self.arm.coordinates().map(|k| step * (far[k] - at[k]).abs());
        let farthest = self.arm.margin(&off);
        let mut part = corner.most;
        for k in 0..STEPS {
            let here = corner.most - f64::from(k) * step;
            if place(&posture(here)).distance(center) - farthest <= radius * (1.0 + 1e-9) {
                break;
            }
            part = here - step;
        }
        posture(part.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::scene::motion::MotionScene;
    use kansho_cell::{builtin, ik::Tip};
    use kansho_geom::random::Random;
    use std::sync::Arc;

    /// No posture of a corner that was proven collides, and those that are sampled are as far apart as was claimed.
    #[test]
    fn nothing_in_a_free_corner_collides() {
        let count = if std::env::var_os("KANSHO_LONG").is_some() { 2000 } else { 120 };
        let scene = Scene::new(Arc::new(builtin::cell())).with_models();
        let prepared = MotionScene::new(&scene);
        let tip = Tip::tool(scene.cell(), "arm").expect("the arm has a tool");
        let led = RouteScene::new(&prepared, tip).expect("six joints");
        let (mut workspace, mut of_scene) = (prepared.workspace(), scene.workspace());
        let mut numbers = Random::new(7);
        let home = builtin::home();
        let (mut free, mut open) = (0, 0);
        for _ in 0..count {
            let mut posture = |most: f64| -> Vec<f64> {
                home.iter().map(|q| q + most * (2.0 * numbers.fraction() - 1.0)).collect()
            };
            let postures = [posture(1.5), posture(1.2), posture(1.5)];
            let radius = [None, Some(0.05), Some(0.2)][(numbers.fraction() * 3.0) as usize];
            let most = if numbers.fraction() < 0.5 { 0.5 } else { 1.0 };
            let corner = JointCorner { number: 2, postures, radius, most, tip };
            // Only corners whose own posture is free are asked about: the moves beside them are proven first.
            if scene.touches(&corner.postures[1], &mut of_scene) {
                continue;
            }
            let Some(clearance) = led.joint_corner(&corner, &MotionOptions::default(), &mut workspace) else {
                open += 1;
                continue;
            };
            free += 1;
            let (leave, enter) =
                (led.edge(&corner, &corner.postures[0]), led.edge(&corner, &corner.postures[2]));
            let place = |posture: &[f64]| tip.placed(scene.cell(), posture).translation();
            for _ in 0..200 {
                let (mut a, mut b) = (numbers.fraction(), numbers.fraction());
                if a + b > 1.0 {
                    (a, b) = (1.0 - a, 1.0 - b);
                }
                let at = &corner.postures[1];
                let inside: Vec<f64> =
                    (0..at.len()).map(|k| at[k] + a * (leave[k] - at[k]) + b * (enter[k] - at[k])).collect();
                assert!(!scene.touches(&inside, &mut of_scene), "{corner:?} collides at {inside:?}");
                assert!(clearance >= 0.0, "{clearance}");
            }
            // Beyond where the corner begins, the tip is outside of the zone, up to where corners may reach.
            if let Some(radius) = radius {
                for (edge, far) in [(&leave, &corner.postures[0]), (&enter, &corner.postures[2])] {
                    let at = &corner.postures[1];
                    let most_of: Vec<f64> = (0..at.len()).map(|k| at[k] + most * (far[k] - at[k])).collect();
                    for step in 1..=50 {
                        let part = f64::from(step) / 50.0;
                        let beyond: Vec<f64> =
                            (0..at.len()).map(|k| edge[k] + part * (most_of[k] - edge[k])).collect();
                        let is_there = edge.iter().zip(&most_of).all(|(a, b)| (a - b).abs() < 1e-12);
                        let away = place(&beyond).distance(place(at));
                        assert!(is_there || away > radius, "{away} is within {radius}");
                    }
                }
            }
        }
        assert!(free > count / 20 && open > 0, "{free} free, {open} open");
    }
}
