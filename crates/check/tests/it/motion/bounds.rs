//! Bounds against what they bound.

use crate::models::Dice;
use kansho_cell::JointMotion;
use kansho_check::moving_bodies::Body;
use kansho_geom::Ball;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::mesh::weld;
use kansho_geom::pose_motion::{Chain, ChainKind, ChainStep, Course, Span};
use kansho_geom::primitive::{Primitive, Shape};
use std::sync::Arc;

fn chain(dice: &mut Dice) -> Chain {
    let steps = (0..1 + dice.below(5))
        .map(|_| ChainStep {
            parent_from_joint: Pose::from_rpy(dice.vector(1.0), dice.vector(3.0)),
            kind: match dice.below(3) {
                0 => ChainKind::Slide(dice.vector(1.0).normalize()),
                _ => ChainKind::Turn,
            },
            value: match dice.below(3) {
                0 => [dice.between(-2.0, 2.0); 4],
                _ => std::array::from_fn(|_| dice.between(-2.0, 2.0)),
            },
            largest: 0.0,
        })
        .collect();
    let cut = [dice.roll(), dice.roll()];
    let part = Span::new(cut[0].min(cut[1]), cut[0].max(cut[1]) + 1e-3);
    Chain::new(steps, Pose::from_rpy(dice.vector(0.3), dice.vector(3.0)), dice.vector(0.1)).cut(part)
}

/// Speeds are those of points that are looked at before and after, and accelerations no more than the bound.
#[test]
fn speeds_and_accelerations_hold() {
    let mut dice = Dice(41);
    for _ in 0..2000 {
        let chain = chain(&mut dice);
        let (x, radius) = (dice.vector(0.3), 0.2);
        let point = |u: f64| chain.pose(u) * x;
        let h = 1e-5;
        let u = dice.between(h, 1.0 - h);
        let (turn, shift) = chain.speed(u);
        let speed = turn.cross(point(u)) + shift;
        let seen = (point(u + h) - point(u - h)) / (2.0 * h);
        assert!(speed.distance(seen) < 1e-5 * (1.0 + speed.length()) + 1e-6, "{speed} {seen}");
        let ends = [dice.roll(), dice.roll()];
        let span = Span::new(ends[0].min(ends[1]), ends[0].max(ends[1]));
        let centre = x + dice.vector(0.1);
        let bound = chain.acceleration(span, centre, radius);
        let at = |s: f64| point(span.at(s));
        let h = 1e-3;
        for k in 0..20 {
            let s = h + (1.0 - 2.0 * h) * f64::from(k) / 19.0;
            let seen = (at(s + h) + at(s - h) - at(s) * 2.0).length() / (h * h);
            assert!(seen <= bound * (1.0 + 1e-6) + 1e-8, "{seen} of {bound}");
        }
        let way: f64 = (0..50).map(|k| at(f64::from(k) / 50.0).distance(at(f64::from(k + 1) / 50.0))).sum();
        assert!(way <= chain.travel(span, centre, radius) + 1e-12);
    }
}

/// Rates and their changes are no more than the bounds, and values within their range.
#[test]
fn rates_and_ranges_hold() {
    let mut dice = Dice(42);
    let (mut most, mut rates, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..3000 {
        let size = [1e-9, 1.0, 1e3][dice.below(3)];
        let offset = [0.0, 1e3][dice.below(2)];
        let postures: Vec<Vec<f64>> = (0..4).map(|_| vec![offset + dice.between(-size, size)]).collect();
        let motion = match dice.below(2) {
            0 => JointMotion::lines(&postures),
            _ => JointMotion::spline(&postures),
        }
        .expect("postures");
        for piece in motion.pieces() {
            let ends = [dice.roll(), dice.roll()];
            let (start, end) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            piece.most(start, end, &mut most);
            let [low, high] = piece.range(0);
            let mut last: Option<(f64, f64)> = None;
            for k in 0..=40 {
                let u = start + (end - start) * f64::from(k) / 40.0;
                piece.rates(u, &mut rates);
                piece.at(u, &mut values);
                assert!(rates[0].abs() <= most[0][0]);
                let room = 8.0 * f64::EPSILON * (size + offset);
                assert!(low - room <= values[0] && values[0] <= high + room, "{low} {} {high}", values[0]);
                if let Some((before, value)) = last {
                    let step = (end - start) / 40.0;
                    assert!(
                        (rates[0] - before).abs()
                            <= most[0][1] * step * (1.0 + 1e-9) + 1e-15 * (size + offset)
                    );
                    assert!((values[0] - value).abs() <= most[0][0] * step * (1.0 + 1e-9) + room);
                }
                last = Some((rates[0], values[0]));
            }
        }
    }
}

/// The lowest point of a mesh, and of what of it reaches into a ball, against all its corners.
#[test]
fn lowest_points_of_meshes() {
    let mut dice = Dice(43);
    let round = Primitive::new(Shape::Capsule { radius: 0.2, height: 0.6 }).expect("a pill");
    // Triangles that become smaller and smaller: a tree as deep as it can be.
    let shrinking = |ratio: f64, count: i32| {
        let mut points = Vec::new();
        for k in 0..count {
            let size = ratio.powi(k);
            points.extend([DVec3::X, DVec3::X * 1.1, DVec3::new(1.0, 0.1, 0.05)].map(|p| p * size));
        }
        let triangles: Vec<[u32; 3]> = (0..count as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        weld(&points, &triangles, 0.0).expect("triangles").mesh
    };
    let mut meshes = vec![round.tessellated(1e-3).expect("bounded")];
    for (ratio, count) in [(0.5, 400), (0.25, 240), (0.05, 110), (0.9, 2000), (0.02, 85)] {
        meshes.push(shrinking(ratio, count));
    }
    for mesh in meshes {
        let mesh = Arc::new(mesh);
        let body = Body::new(Arc::clone(&mesh));
        for k in 0..300 {
            let m = if k == 0 { DVec3::X } else { dice.vector(1.0) };
            let all = mesh.vertices().iter().map(|p| p.dot(m)).fold(f64::INFINITY, f64::min);
            let found = body.lowest(m, None);
            assert!(found <= all + 1e-15 && found >= all - 1e-9, "{found} {all}");
            let ball = Ball::new(dice.vector(0.5), dice.between(0.0, 0.3));
            let there = mesh
                .corners()
                .filter(|corners| corners.iter().any(|p| p.distance(ball.centre()) <= ball.radius()))
                .flatten()
                .map(|p| p.dot(m))
                .fold(f64::INFINITY, f64::min);
            assert!(body.lowest(m, Some(&ball)) <= there, "{there}");
        }
        for m in [DVec3::NAN, DVec3::INFINITY, DVec3::new(0.0, f64::NAN, 1.0)] {
            assert!(!(body.lowest(m, None) > f64::NEG_INFINITY));
        }
    }
}
