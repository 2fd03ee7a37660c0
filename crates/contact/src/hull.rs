//! The directions that two convex pieces leave each other: an OR of half-spaces.

use crate::local::Piece;
use kansho_geom::glam::DVec3;

/// A separating plane: moving along `normal`, or across it, does not collide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    /// Unit vector from the fixed piece to the moving one.
    pub normal: DVec3,
    /// What it turns with.
    pub turns: Turns,
}

/// With what a normal turns when the moving body does; the second order needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turns {
    /// A plane of the fixed body: not at all.
    Fixed,
    /// A plane of the moving body.
    Moving,
    /// A plane of both.
    Either,
    /// Not known: nothing in second order hangs on it.
    Unknown,
    /// It is across two edges: the first of the moving body, the second of the fixed one.
    Edges([DVec3; 2]),
    /// Between two bodies that bulge toward each other, it follows the point of contact.
    Bulges {
        /// Of the moving and of the fixed body.
        radii: [f64; 2],
        /// The common axis if they are cylinders, a unit vector; none if they are balls.
        axis: Option<DVec3>,
    },
}

/// The OR set of two convex pieces, and the cone of translations that collide.
#[derive(Clone, Debug)]
pub(crate) struct Hull {
    pub(crate) facets: Vec<Facet>,
    generators: Vec<DVec3>,
}

/// Directions closer than this many times their uncertainty are one.
const SAME: f64 = 6.0;

impl Hull {
    /// The facets of `cone(K_fixed ∪ −K_moving)`: translations in its inside collide, all others do not.
    ///
    /// A facet holds a face of one piece, or an edge of each. No facet at all means that they overlap.
    pub(crate) fn of(moving: &Piece, fixed: &Piece, angle: f64) -> Self {
        let generators: Vec<DVec3> =
            fixed.generators.iter().copied().chain(moving.generators.iter().map(|&g| -g)).collect();
        let separates = |n: DVec3| generators.iter().all(|g| g.dot(n) <= 2.0 * angle);
        let mut facets: Vec<Facet> = Vec::new();
        let mut add = |normal: DVec3, turns: Turns| {
            let same = |f: &&mut Facet| {
                f.normal.dot(normal) > 0.0 && f.normal.cross(normal).length() <= SAME * angle
            };
            match facets.iter_mut().find(same) {
                Some(known) if known.turns == Turns::Fixed && turns == Turns::Moving => {
                    known.turns = Turns::Either
                }
                Some(_) => {}
                None => facets.push(Facet { normal, turns }),
            }
        };
        for &normal in fixed.normals.iter().filter(|&&n| separates(n)) {
            add(normal, Turns::Fixed);
        }
        for &normal in moving.normals.iter().filter(|&&n| separates(-n)) {
            add(-normal, Turns::Moving);
        }
        for &a in &moving.generators {
            for &b in &fixed.generators {
                if a.cross(b).length() <= 3.0 * angle {
                    continue;
                }
                let Some(across) = a.cross(b).try_normalize() else { continue };
                for normal in [across, -across].into_iter().filter(|&n| separates(n)) {
                    add(normal, Turns::Edges([a, b]));
                }
            }
        }
        Self { facets, generators }
    }

    /// Whether everything that collides here collides with the other, too.
    pub(crate) fn is_in(&self, other: &Self, angle: f64) -> bool {
        self.generators.iter().all(|g| other.facets.iter().all(|f| g.dot(f.normal) <= 2.0 * angle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone(normals: &[DVec3]) -> Piece {
        Piece::of(normals.to_vec(), 1e-9).expect("a cone")
    }

    #[test]
    fn face_on_face_corner_on_corner_and_overlap() {
        let above = cone(&[-DVec3::Z]);
        let below = cone(&[DVec3::Z]);
        let hull = Hull::of(&above, &below, 1e-9);
        assert_eq!(hull.facets.len(), 1);
        assert_eq!((hull.facets[0].normal, hull.facets[0].turns), (DVec3::Z, Turns::Either));
        // Octants that share only their tip: any of three planes, and three more across edges, coincide with them.
        let first = cone(&[DVec3::X, DVec3::Y, DVec3::Z]);
        let last = cone(&[-DVec3::X, -DVec3::Y, -DVec3::Z]);
        assert_eq!(Hull::of(&last, &first, 1e-9).facets.len(), 3);
        assert!(Hull::of(&above, &above, 1e-9).facets.is_empty());
    }
}
