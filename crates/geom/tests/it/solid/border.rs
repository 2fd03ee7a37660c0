//! The last free place before contact, and the first of it.

use super::bodies::{KINDS, Random, random};
use kansho_geom::Pose;
use kansho_geom::solid::{Meeting, distance, meet, within};
use kansho_geom::tree::Scratch;

/// Nothing farther apart than the band touches, and nothing nearer is free.
#[test]
fn the_border_is_as_thin_as_promised() {
    let mut scratch = Scratch::default();
    for i in 0..KINDS {
        for j in 0..KINDS {
            if (i, j) == (5, 5) {
                continue;
            }
            let mut seed = Random::new((i * KINDS + j) as u64 + 500);
            for _ in 0..12 {
                let (a, b) = (random(i, 1.0, &mut seed), random(j, 1.0, &mut seed));
                let (pose, along) = (seed.pose(1.0), seed.vector());
                let at = |t: f64| Pose::from_translation(along * t) * pose;
                let touches = |t: f64, scratch: &mut Scratch| {
                    meet(&a.solid, &b.solid, at(t), scratch) != Meeting::Apart
                };
                let (mut touching, mut free) = (0.0, 40.0);
                if !touches(touching, &mut scratch) || touches(free, &mut scratch) {
                    continue;
                }
                loop {
                    let middle: f64 = 0.5 * (touching + free);
                    if middle == touching || middle == free {
                        break;
                    }
                    if touches(middle, &mut scratch) { touching = middle } else { free = middle }
                }
                let size = a.reach + b.reach + at(free).translation().length();
                let gap = distance(&a.solid, &b.solid, at(free), f64::INFINITY, &mut scratch)
                    .expect("a distance")
                    .gap;
                let meshes = a.mesh.is_some() && b.mesh.is_some();
                let band = if meshes { 0.0 } else { 1e-13 * size };
                assert!(gap > 0.5 * band && gap <= 1.5 * band + 1e-15 * size, "{i} {j}: {gap} {band} {size}");
                assert!(!within(&a.solid, &b.solid, at(free), 0.0, &mut scratch));
                let zero = distance(&a.solid, &b.solid, at(touching), f64::INFINITY, &mut scratch);
                assert!(zero.expect("a distance").gap == 0.0);
                assert!(within(&a.solid, &b.solid, at(touching), 0.0, &mut scratch));
                // From there on the gap grows as fast as they part at most, and of convex bodies ever faster; it is the
                // same the other way round.
                let mut gap_at = |t: f64| {
                    let there = distance(&a.solid, &b.solid, at(t), f64::INFINITY, &mut scratch);
                    let back = distance(&b.solid, &a.solid, at(t).inverse(), f64::INFINITY, &mut scratch);
                    let (there, back) = (there.expect("a distance").gap, back.expect("a distance").gap);
                    assert!(
                        (there - back).abs() <= 1e-14 * size || there.min(back) == 0.0,
                        "{i} {j}: {there} {back}"
                    );
                    there
                };
                let steps = [1e-11, 1e-9, 1e-7, 1e-5, 1e-3].map(|step| (step, gap_at(free + step)));
                for pair in steps.windows(2) {
                    let [(near, at_near), (far, at_far)] = [pair[0], pair[1]];
                    assert!(at_far - gap <= far * along.length() + 1e-14 * size);
                    if a.is_convex && b.is_convex {
                        let between = gap + (at_far - gap) * near / far;
                        assert!(at_near <= between + 1e-14 * size, "{i} {j}: {at_near} {between}");
                    }
                }
            }
        }
    }
}
