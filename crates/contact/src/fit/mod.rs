//! Contacts of what is round: pegs in holes, balls in sockets, rollers and balls on planes, cones.

mod cone;

use crate::hull::Turns;
use crate::linear::{nearest_in_cone, norm};
use crate::local::Feature;
use crate::part::Part;
use crate::round::{Kind, Round};
use crate::set::{Contact, Ring, Row};
use kansho_geom::glam::DVec3;

/// A round face against a face of the other body.
pub(crate) struct Fit {
    /// Flat faces of the moving and of the fixed body that this stands for.
    pub(crate) faces: [Vec<u32>; 2],
    /// What is in the way; none if they are apart.
    pub(crate) contacts: Vec<Contact>,
    /// Circles along which they touch.
    pub(crate) rings: Vec<Ring>,
    /// By how much the flat faces may overlap although the round ones do not.
    pub(crate) sag: f64,
}

/// All pairs in which something round takes part and that are within the tolerance of each other.
pub(crate) fn fits(moving: &Part, fixed: &Part, number: usize, touch: f64) -> Vec<Fit> {
    let mut fits = Vec::new();
    for (i, a) in (0u32..).zip(&moving.rounds) {
        for (j, b) in (0u32..).zip(&fixed.rounds) {
            let normals = round_on_round(a, b, touch);
            if let Some(rows) = normals {
                let on = [Feature::Round(i), Feature::Round(j)];
                let faces = [a.faces.clone(), b.faces.clone()];
                let turns = turns(a, b);
                let contacts = contacts(rows, on, turns, number);
                fits.push(Fit { faces, contacts, rings: Vec::new(), sag: a.sag + b.sag });
            }
        }
    }
    // Something round on a flat face, both ways round.
    for (one, other, swapped) in [(moving, fixed, false), (fixed, moving, true)] {
        for (i, round) in (0u32..).zip(&one.rounds).filter(|(_, r)| !r.hollow) {
            for (f, face) in (0u32..).zip(&other.faces) {
                if other.is_round(f) {
                    continue;
                }
                let height = |p: DVec3| face.normal.dot(p) - face.offset - round.radius;
                // Of a cone the line on the plane is known, of the others what is a radius over it.
                let is_cone = matches!(round.kind, Kind::Cone { .. });
                let foot = |p: DVec3| if is_cone { p } else { p - face.normal * round.radius };
                let feet: Vec<DVec3> = match round.kind {
                    Kind::Sphere { centre } => vec![centre],
                    Kind::Cylinder { ends, .. } => ends.to_vec(),
                    Kind::Cone { .. } => match cone::line_on(round, face, touch) {
                        Some(line) => line.to_vec(),
                        None => continue,
                    },
                };
                let all_down = is_cone || feet.iter().all(|&p| height(p).abs() <= touch);
                if !all_down
                    || !round.is_there(-face.normal)
                    || !feet.iter().all(|&p| face.covers(other, foot(p), touch))
                {
                    continue;
                }
                let normal = if swapped { -face.normal } else { face.normal };
                let rows = feet.iter().map(|&p| (foot(p), vec![normal])).collect();
                let mut on = [Feature::Round(i), Feature::Face(f)];
                let mut faces = [round.faces.clone(), vec![f]];
                if swapped {
                    on.reverse();
                    faces.reverse();
                }
                let contacts = contacts(rows, on, Turns::Either, number);
                fits.push(Fit { faces, contacts, rings: Vec::new(), sag: round.sag });
            }
        }
    }
    fits.extend(cone::fits(moving, fixed, number, touch));
    fits
}

/// What normals turn with. Those of a peg in its hole, a ball in its socket and what lies on a plane open no faster than a plane
/// of one of the two would: on a plane the gap is less by what the radius times the turn makes it, in a hole also by the room.
fn turns(moving: &Round, fixed: &Round) -> Turns {
    if moving.hollow || fixed.hollow {
        return Turns::Either;
    }
    let axis = match fixed.kind {
        Kind::Cylinder { ends: [r, s], .. } => (s - r).try_normalize(),
        Kind::Cone { .. } | Kind::Sphere { .. } => None,
    };
    Turns::Bulges { radii: [moving.radius, fixed.radius], axis }
}

fn contacts(rows: Vec<(DVec3, Vec<DVec3>)>, on: [Feature; 2], turns: Turns, fixed: usize) -> Vec<Contact> {
    rows.into_iter()
        .map(|(point, normals)| Contact {
            fixed,
            point,
            on,
            pieces: [1, 1],
            conditions: normals.into_iter().map(|normal| vec![Row { normal, point, turns }]).collect(),
        })
        .collect()
}

/// Points and the normals there (from the fixed to the moving body); none if the two have nothing to do with each other.
fn round_on_round(moving: &Round, fixed: &Round, touch: f64) -> Option<Vec<(DVec3, Vec<DVec3>)>> {
    // The inner one, the outer one; and the sign that makes a push of the inner one away from the wall the moving body's.
    let (inner, outer, sign) = match (moving.hollow, fixed.hollow) {
        (false, true) => (moving, fixed, 1.0),
        (true, false) => (fixed, moving, -1.0),
        (false, false) => return side_by_side(moving, fixed, touch),
        (true, true) => return None,
    };
    let room = outer.radius - inner.radius;
    match (inner.kind, outer.kind) {
        (Kind::Cylinder { ends: [p, q], arc: of_peg }, Kind::Cylinder { ends: [r, s], arc: of_hole }) => {
            let axis = (s - r).try_normalize()?;
            let along = |x: DVec3| axis.dot(x - r);
            let (low, high) = (along(p).min(along(q)).max(0.0), along(p).max(along(q)).min(along(s)));
            if !(high - low > touch) {
                return None;
            }
            // Where the peg's axis is, across the hole's, at both ends of what they have in common.
            let own = (q - p).try_normalize()?;
            let at = |height: f64| {
                let slope = own.dot(axis);
                p + own * ((height - along(p)) / slope)
            };
            let off = [low, high].map(|h| {
                let x = at(h);
                (x, (x - r).reject_from_normalized(axis))
            });
            if off[0].1.distance(off[1].1) > touch
                || off.iter().any(|(_, e)| (room - e.length()).abs() > touch)
            {
                return None; // Tilted, or not at the wall: it is apart there, or deep in it, which is found otherwise.
            }
            if room <= touch {
                let normals = around(axis, of_peg, of_hole)?;
                return Some(
                    off.iter().map(|&(x, _)| (x, normals.iter().map(|&n| n * sign).collect())).collect(),
                );
            }
            let away = -(off[0].1 + off[1].1).try_normalize()?;
            if !(inner.is_there(-away) && outer.is_there(-away)) {
                return None;
            }
            Some(off.iter().map(|&(x, _)| (x - away * inner.radius, vec![away * sign])).collect())
        }
        (Kind::Sphere { centre }, Kind::Sphere { centre: socket }) => {
            let off = centre - socket;
            if (room - off.length()).abs() > touch {
                return None;
            }
            if room <= touch {
                let normals = held(&inner.common(outer)?);
                return Some(vec![(centre, normals.into_iter().map(|n| n * sign).collect())]);
            }
            let away = -off.try_normalize()?;
            if !(inner.is_there(-away) && outer.is_there(-away)) {
                return None;
            }
            Some(vec![(centre - away * inner.radius, vec![away * sign])])
        }
        (Kind::Sphere { centre }, Kind::Cylinder { ends: [r, s], arc: None }) => {
            let axis = (s - r).try_normalize()?;
            let height = axis.dot(centre - r);
            let off = (centre - r).reject_from_normalized(axis);
            if !(height >= 0.0 && height <= r.distance(s)) || (room - off.length()).abs() > touch {
                return None;
            }
            if room <= touch {
                // A ball of which something is cut off is not looked at closer.
                let normals = around(axis, None, None)?;
                return normals.iter().all(|&n| inner.is_there(-n)).then(|| vec![(centre, normals)]);
            }
            let away = -off.try_normalize()?;
            if !inner.is_there(-away) {
                return None;
            }
            Some(vec![(centre - away * inner.radius, vec![away * sign])])
        }
        _ => None,
    }
}

/// Two that bulge toward each other: balls, or parallel rollers.
fn side_by_side(moving: &Round, fixed: &Round, touch: f64) -> Option<Vec<(DVec3, Vec<DVec3>)>> {
    let reach = moving.radius + fixed.radius;
    match (moving.kind, fixed.kind) {
        (Kind::Sphere { centre: a }, Kind::Sphere { centre: b }) => {
            let normal = (a - b).try_normalize()?;
            let there = moving.is_there(-normal) && fixed.is_there(normal);
            (there && (a.distance(b) - reach).abs() <= touch)
                .then(|| vec![(b + normal * fixed.radius, vec![normal])])
        }
        (Kind::Cylinder { ends: [p, q], .. }, Kind::Cylinder { ends: [r, s], .. }) => {
            let axis = (s - r).try_normalize()?;
            let along = |x: DVec3| axis.dot(x - r);
            let (low, high) = (along(p).min(along(q)).max(0.0), along(p).max(along(q)).min(along(s)));
            let off = [p, q].map(|x| (x - r).reject_from_normalized(axis));
            let parallel = off[0].distance(off[1]) <= touch;
            let near = off.iter().all(|e| (e.length() - reach).abs() <= touch);
            if !(high - low > touch && parallel && near) {
                return None;
            }
            let normal = (off[0] + off[1]).try_normalize()?;
            if !(moving.is_there(-normal) && fixed.is_there(normal)) {
                return None;
            }
            Some([low, high].map(|h| (r + axis * h + normal * fixed.radius, vec![normal])).to_vec())
        }
        _ => None,
    }
}

/// Normals that hold a ball in a socket whose wall is in these directions, as pushes on the ball: those that the others do not imply.
/// A wall that holds it from all sides is a joint.
fn held(wall: &[DVec3]) -> Vec<DVec3> {
    let mut pushes: Vec<Vec<f64>> = Vec::new();
    for &direction in wall {
        let push = (-direction).to_array().to_vec();
        if !is_implied(&pushes, &push) {
            pushes.push(push);
        }
    }
    let all = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [n, -n]);
    if all.clone().all(|n| is_implied(&pushes, &n.to_array())) {
        return all.collect();
    }
    // Those that came first may be implied by those that came later.
    let mut k = 0;
    while k < pushes.len() {
        let one = pushes.swap_remove(k);
        if !is_implied(&pushes, &one) {
            pushes.push(one);
            let last = pushes.len() - 1;
            pushes.swap(k, last);
            k += 1;
        }
    }
    pushes.iter().map(|n| DVec3::new(n[0], n[1], n[2])).collect()
}

/// Whether a push is a sum of others.
fn is_implied(pushes: &[Vec<f64>], push: &[f64]) -> bool {
    norm(&nearest_in_cone(pushes, push).rest) <= IMPLIED
}

/// What may be left of a unit push that is a sum of others: far more than rounding, far less than the angle between two facets.
const IMPLIED: f64 = 1e-7;

/// Normals that hold a peg in a hole of the same radius, as pushes on the peg.
///
/// The row of a normal is linear in it, so of an arc of at most half a turn the two extreme ones stand for all; a larger one
/// holds both ways.
fn around(axis: DVec3, of_peg: Option<(DVec3, f64)>, of_hole: Option<(DVec3, f64)>) -> Option<Vec<DVec3>> {
    let (middle, half) = match (of_peg, of_hole) {
        (None, None) => (axis.any_orthonormal_vector(), std::f64::consts::PI),
        (None, Some(arc)) | (Some(arc), None) => arc,
        (Some(_), Some(_)) => return None,
    };
    let beside = axis.cross(middle);
    // The wall is outward of the peg, and pushes inward.
    let at = |angle: f64| -(middle * angle.cos() + beside * angle.sin());
    Some(if half > std::f64::consts::FRAC_PI_2 {
        (0..4).map(|k| at(std::f64::consts::FRAC_PI_2 * f64::from(k))).collect()
    } else {
        vec![at(half), at(-half)]
    })
}
