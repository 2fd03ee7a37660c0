//! Small motions of a box among boxes, straight ones: blocked exactly if intervals say that they would overlap.

use crate::numbers::Numbers;
use kansho_contact::{Between, ContactOptions, Part, Twist, Verdict, contacts};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::{Primitive, Shape};
use std::sync::Arc;

/// Lower and upper corner, in tenths of a metre.
type Extent = [[i64; 3]; 2];

pub(super) fn run(bytes: &[u8]) {
    let mut numbers = Numbers(bytes);
    let mut extent = || {
        let low = [(); 3].map(|()| numbers.small());
        let size = [(); 3].map(|()| 1 + numbers.small().abs());
        [low, std::array::from_fn(|k| low[k] + size[k])]
    };
    let moving: Extent = extent();
    let fixed: Vec<Extent> = (0..3).map(|_| extent()).filter(|other| !overlap(&moving, other)).collect();
    let directions = [(); 8].map(|()| [(); 3].map(|()| numbers.small()));
    let body = part(&moving);
    let others: Vec<Part> = fixed.iter().map(part).collect();
    let found = contacts(&body, &others.iter().collect::<Vec<_>>(), &ContactOptions::default());
    let is_clear = found.between.iter().all(|between| !matches!(between, Between::Overlapping { .. }));
    assert!(found.is_sound() && is_clear, "{moving:?} {fixed:?}: {:?}", found.between);
    for v in directions {
        let motion = Twist { v: DVec3::from_array(v.map(|x| x as f64)), w: DVec3::ZERO };
        let judged = found.set.judge(&motion);
        let blocked = fixed.iter().any(|other| enters(&moving, other, v));
        assert_eq!(
            judged.verdict == Verdict::Blocked,
            blocked,
            "{moving:?} among {fixed:?} along {v:?}: {judged:?}"
        );
        // What comes back as the nearest allowed motion is one.
        let near = found.set.nearest(&motion);
        let margin = found.set.judge(&near).margin;
        assert!(
            margin >= -1e-6 || found.set.speed(&near) <= 1e-9 * found.set.speed(&motion),
            "{moving:?} among {fixed:?}: {near:?} is blocked by {margin}"
        );
        if !blocked {
            assert!(
                (near.v - motion.v).length() <= 1e-6 * motion.v.length(),
                "an allowed motion was changed: {motion:?} {near:?}"
            );
        }
    }
}

fn part([low, high]: &Extent) -> Part {
    let metres = |p: &[i64; 3]| DVec3::from_array(p.map(|x| x as f64 / 8.0));
    let (low, high) = (metres(low), metres(high));
    let block = Primitive::new(Shape::Box { size: high - low }).expect("sizes are positive");
    let mesh = Arc::new(block.tessellated(1.0).expect("a box is bounded"));
    Part::new(&mesh, None).expect("a box is closed").placed(Pose::from_translation((low + high) / 2.0))
}

fn overlap(a: &Extent, b: &Extent) -> bool {
    (0..3).all(|k| a[0][k] < b[1][k] && b[0][k] < a[1][k])
}

/// Whether `a`, moved a little along `v`, overlaps `b`: along every axis it does already, or touches and goes on.
fn enters(a: &Extent, b: &Extent, v: [i64; 3]) -> bool {
    (0..3).all(|k| {
        (a[0][k] < b[1][k] && b[0][k] < a[1][k])
            || (a[1][k] == b[0][k] && v[k] > 0)
            || (a[0][k] == b[1][k] && v[k] < 0)
    })
}
