//! Where the corners of features that may touch go, so that a body with them is clear of what it touches.

use super::MayTouch;
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use std::collections::BTreeMap;

/// Of the tolerance: so that rounding never makes it more.
const SHARE: f64 = 0.999_999;

/// Normals that differ by less are one.
const SAME: f64 = 1e-9;

/// Steps towards the point of a hull that is nearest to the origin.
const STEPS: usize = 400;

/// Places of all corners of moving features, each moved into the body by the tolerance: away from all faces around it as evenly as may be.
pub(super) fn inset(mesh: &Mesh, may_touch: &[MayTouch], tolerance: f64) -> Vec<(u32, DVec3)> {
    let mut normals: BTreeMap<u32, Vec<DVec3>> = BTreeMap::new();
    for may in may_touch {
        for &vertex in &may.moving.vertices {
            let known = normals.entry(vertex).or_default();
            for &normal in &may.moving.normals {
                if !known.iter().any(|other| other.distance(normal) < SAME) {
                    known.push(normal);
                }
            }
        }
    }
    normals
        .into_iter()
        .filter_map(|(vertex, normals)| {
            let inward = amid(&normals.into_iter().map(|n| -n).collect::<Vec<_>>())?;
            Some((vertex, mesh.vertices()[vertex as usize] + inward * tolerance * SHARE))
        })
        .collect()
}

/// The direction with the largest least product with all of these: that of the point of their hull that is nearest to the origin.
fn amid(directions: &[DVec3]) -> Option<DVec3> {
    let mut nearest = *directions.first()?;
    for _ in 0..STEPS {
        let least = |a: &&DVec3, b: &&DVec3| a.dot(nearest).total_cmp(&b.dot(nearest));
        let worst = *directions.iter().min_by(least)?;
        let toward = worst - nearest;
        let share = -nearest.dot(toward) / toward.length_squared();
        if !(share > 1e-12) {
            break;
        }
        nearest += toward * share.min(1.0);
    }
    nearest.try_normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_corner_is_as_far_from_all_its_faces() {
        let n = amid(&[DVec3::X, DVec3::Y, DVec3::Z]).expect("a direction");
        assert!(n.distance(DVec3::ONE / 3f64.sqrt()) < 1e-3);
        // One that lies between others does not pull.
        let n = amid(&[DVec3::X, DVec3::Y, DVec3::new(0.6, 0.8, 0.0)]).expect("a direction");
        assert!(n.distance(DVec3::new(1.0, 1.0, 0.0) / 2f64.sqrt()) < 1e-3);
        assert_eq!(amid(&[DVec3::Z]), Some(DVec3::Z));
        assert_eq!(amid(&[]), None);
    }
}
