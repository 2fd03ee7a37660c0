//! Shapes prepared for questions, meshes and primitives in any mix: do two bodies meet, and how far apart are they?
//!
//! | part | answers |
//! |---|---|
//! | [`meet()`] | have two bodies a common point, also one inside the other? |
//! | [`distance()`] | how far apart are they, and where? |
//! | [`within()`] | are they as close as that? |
//! | `core`, `plane` | formulas of what is round, and of half-spaces |
//! | `along`, `face`, `disc`, `pair` | which point of a segment, a triangle, a disc, a cylinder or a cone is nearest? |
//! | `mixed` | the same of a mesh and a primitive, and of two primitives |
//!
//! # At the border
//!
//! Between meshes, and boxes are meshes, touching is decided exactly (see [`crate::tree`]). Round faces have no exact
//! answer in `f64`: their formulas round. So where a primitive other than a box takes part, bodies whose gap is within
//! [`tolerance::ROUND`] of the size of the coordinates touch. What is said to be apart is apart; what is said to touch may
//! be apart by that little. A pose with a number that is not finite proves nothing, and so touches.
//!
//! The three questions agree: [`distance()`] is exactly zero if and only if [`meet()`] does not say [`Meeting::Apart`], and
//! if and only if they are [`within()`] a clearance of zero.

mod along;
mod core;
mod disc;
mod face;
mod mixed;
mod pair;
mod plane;

use crate::bounds::Aabb;
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::primitive::{Primitive, Shape};
use crate::tolerance;
use crate::tree::{self, Scratch, Tree};
use crate::triangle;
use core::Round;
use glam::DVec3;
use plane::Plane;
use std::sync::Arc;

/// A shape prepared for questions: triangles with their tree, or a formula.
#[derive(Clone, Debug)]
pub struct Solid {
    kind: Kind,
    aabb: Option<Aabb>,
}

#[derive(Clone, Debug)]
enum Kind {
    Mesh(Box<Tree>),
    Round(Round),
    Plane(Plane),
}

/// How two bodies meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Not at all: no common point.
    Apart,
    /// Their surfaces have a common point, or they overlap in another way than the next two.
    Touch,
    /// Their surfaces do not touch, but the second, or a piece of it, lies inside the first.
    ///
    /// Of two primitives it is said only where it is proven, which for a cylinder or a cone takes a few hundredths of its
    /// radius of room; otherwise they touch.
    SecondInside,
    /// The other way round.
    FirstInside,
}

/// The least distance of two bodies and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// The distance; zero if and only if they meet.
    pub gap: f64,
    /// The closest points of the first and the second, in the frame of the first; a common point if they meet.
    pub points: [DVec3; 2],
    /// What the points lie on.
    pub on: [On; 2],
}

/// What a closest point lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// A triangle of a mesh.
    Triangle {
        /// Which.
        index: u32,
        /// The part of it.
        feature: triangle::Feature,
    },
    /// The surface of a primitive, or its inside where they overlap.
    Surface,
    /// The inside: one of the bodies lies in the other.
    Inside,
}

impl Solid {
    /// A mesh, with a tree built over it.
    #[must_use]
    pub fn mesh(mesh: Arc<Mesh>) -> Self {
        Self { aabb: Some(mesh.aabb()), kind: Kind::Mesh(Box::new(Tree::new(mesh))) }
    }

    /// A primitive. A box becomes a mesh of twelve triangles, which are exactly its surface.
    #[must_use]
    pub fn primitive(primitive: Primitive) -> Self {
        if let Some(round) = Round::of(&primitive) {
            return Self { kind: Kind::Round(round), aabb: primitive.aabb() };
        }
        if let Shape::HalfSpace { normal, offset } = primitive.shape() {
            return Self { kind: Kind::Plane(Plane { normal, offset }), aabb: None };
        }
        // Flat faces need no deviation.
        Self::mesh(Arc::new(primitive.tessellated(1.0).expect("a box is bounded")))
    }

    /// The enclosing box in its own frame; none of a half-space.
    #[must_use]
    pub fn aabb(&self) -> Option<Aabb> {
        self.aabb
    }

    /// Whether it has an inside everywhere, as all primitives do; see [`Tree::is_closed`].
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.tree().is_none_or(Tree::is_closed)
    }

    /// Memory that it takes, the mesh included.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.tree().map_or(0, |tree| size_of::<Tree>() + tree.bytes())
    }

    /// Number of triangles; none of a formula.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.tree().map_or(0, |tree| tree.mesh().triangles().len())
    }

    /// The tree of a mesh or a box.
    #[must_use]
    pub fn tree(&self) -> Option<&Tree> {
        match &self.kind {
            Kind::Mesh(tree) => Some(tree),
            Kind::Round(_) | Kind::Plane(_) => None,
        }
    }

    /// Size of its coordinates in its own frame.
    fn reach(&self) -> f64 {
        match &self.kind {
            Kind::Mesh(tree) => tree.reach_of_origin(),
            Kind::Round(round) => round.reach(),
            Kind::Plane(plane) => plane.offset.abs(),
        }
    }
}

/// Whether two bodies have a common point.
///
/// ```
/// use kansho_geom::{Pose, Primitive, Solid, glam::DVec3, primitive::Shape, solid, tree::Scratch};
/// let ball = Solid::primitive(Primitive::new(Shape::Sphere { radius: 0.5 })?);
/// let rod = Solid::primitive(Primitive::new(Shape::Cylinder { radius: 0.1, height: 2.0 })?);
/// let mut scratch = Scratch::default();
/// let beside = |x: f64| Pose::from_translation(DVec3::X * x);
/// assert_eq!(solid::meet(&ball, &rod, beside(0.5), &mut scratch), solid::Meeting::Touch);
/// assert_eq!(solid::meet(&ball, &rod, beside(0.7), &mut scratch), solid::Meeting::Apart);
/// # Ok::<(), kansho_geom::primitive::ShapeFault>(())
/// ```
#[must_use]
pub fn meet(a: &Solid, b: &Solid, a_from_b: Pose, scratch: &mut Scratch) -> Meeting {
    if let (Some(tree_a), Some(tree_b)) = (a.tree(), b.tree())
        && is_finite(a_from_b)
    {
        return match tree::meet(tree_a, tree_b, a_from_b, scratch) {
            tree::Meeting::Apart => Meeting::Apart,
            tree::Meeting::Touch(_) => Meeting::Touch,
            tree::Meeting::SecondInside => Meeting::SecondInside,
            tree::Meeting::FirstInside => Meeting::FirstInside,
        };
    }
    contact(a, b, a_from_b, scratch).map_or(Meeting::Apart, |(meeting, _)| meeting)
}

/// The distance of two bodies and their closest points, if it is less than `below`.
///
/// Of the bodies, not of their surfaces: it is zero where one lies inside the other.
///
/// ```
/// use kansho_geom::{Pose, Primitive, Solid, glam::DVec3, primitive::Shape, solid, tree::Scratch};
/// let ball = Solid::primitive(Primitive::new(Shape::Sphere { radius: 0.5 })?);
/// let floor = Solid::primitive(Primitive::new(Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 })?);
/// let floor_in_ball = Pose::from_translation(DVec3::Z * -2.0);
/// let gap = solid::distance(&ball, &floor, floor_in_ball, f64::INFINITY, &mut Scratch::default());
/// assert_eq!(gap.map(|found| found.gap), Some(1.5));
/// # Ok::<(), kansho_geom::primitive::ShapeFault>(())
/// ```
#[must_use]
pub fn distance(a: &Solid, b: &Solid, a_from_b: Pose, below: f64, scratch: &mut Scratch) -> Option<Gap> {
    if below <= 0.0 {
        return None;
    }
    // A limit that is no number limits nothing.
    let below = if below.is_nan() { f64::INFINITY } else { below };
    if let (Kind::Mesh(tree_a), Kind::Mesh(tree_b)) = (&a.kind, &b.kind)
        && is_finite(a_from_b)
    {
        // The tree's own distance decides touching by itself; only what lies inside is left to ask.
        let found = mixed::meshes(tree_a, tree_b, a_from_b, below, scratch);
        if found.is_some_and(|found| found.gap == 0.0) {
            return found;
        }
        return tree::inside(tree_a, tree_b, a_from_b, scratch)
            .map(|(_, point)| Gap::common(point, [On::Inside; 2]))
            .or(found);
    }
    if let Some((_, gap)) = contact(a, b, a_from_b, scratch) {
        return Some(gap);
    }
    let found = mixed::surfaces(a, b, a_from_b, &Asked { below, enough: f64::NEG_INFINITY }, scratch)?;
    // Apart, however little.
    Some(Gap { gap: found.gap.max(f64::MIN_POSITIVE), ..found })
}

/// Whether the distance of two bodies is at most `clearance`. Quicker than the distance: it stops as soon as that is known.
#[must_use]
pub fn within(a: &Solid, b: &Solid, a_from_b: Pose, clearance: f64, scratch: &mut Scratch) -> bool {
    if clearance < 0.0 {
        return false;
    }
    if !is_finite(a_from_b) || clearance.is_nan() {
        return true;
    }
    if let (Some(tree_a), Some(tree_b)) = (a.tree(), b.tree()) {
        return tree::within(tree_a, tree_b, a_from_b, clearance, scratch)
            || tree::inside(tree_a, tree_b, a_from_b, scratch).is_some();
    }
    let asked = Asked::at_most(clearance.max(band(a, b, a_from_b)));
    mixed::surfaces(a, b, a_from_b, &asked, scratch).is_some()
        || mixed::contained(a, b, a_from_b, scratch).is_some()
}

/// Whether a piece of one lies inside the other, of two whose surfaces are known to have no common point.
#[must_use]
pub fn contained(a: &Solid, b: &Solid, a_from_b: Pose, scratch: &mut Scratch) -> bool {
    !is_finite(a_from_b) || mixed::contained(a, b, a_from_b, scratch).is_some()
}

/// What is asked about a gap.
struct Asked {
    /// Only gaps below this are of interest.
    below: f64,
    /// Any gap of at most this will do.
    enough: f64,
}

impl Asked {
    fn at_most(gap: f64) -> Self {
        Self { below: gap.next_up(), enough: gap }
    }
}

impl Gap {
    fn common(point: DVec3, on: [On; 2]) -> Self {
        Self { gap: 0.0, points: [point; 2], on }
    }

    /// The same asked the other way round.
    fn swapped(self, a_from_b: Pose) -> Self {
        let [second, first] = self.points.map(|p| a_from_b * p);
        Self { points: [first, second], on: [self.on[1], self.on[0]], ..self }
    }
}

/// How two bodies meet, with a common point; none if they are apart.
fn contact(a: &Solid, b: &Solid, a_from_b: Pose, scratch: &mut Scratch) -> Option<(Meeting, Gap)> {
    if !is_finite(a_from_b) {
        return Some((Meeting::Touch, Gap::common(a_from_b.translation(), [On::Inside; 2])));
    }
    let band = band(a, b, a_from_b);
    let Some(found) = mixed::surfaces(a, b, a_from_b, &Asked::at_most(band), scratch) else {
        let (meeting, point) = mixed::contained(a, b, a_from_b, scratch)?;
        return Some((meeting, Gap::common(point, [On::Inside; 2])));
    };
    let meeting = mixed::overlap(a, b, a_from_b, band, scratch);
    let on = if meeting == Meeting::Touch { found.on } else { [On::Inside; 2] };
    Some((meeting, Gap::common(found.points[0], on)))
}

/// Gap within which two bodies touch.
fn band(a: &Solid, b: &Solid, a_from_b: Pose) -> f64 {
    if a.tree().is_some() && b.tree().is_some() {
        return 0.0;
    }
    tolerance::ROUND * (a.reach() + b.reach() + a_from_b.translation().length())
}

fn is_finite(pose: Pose) -> bool {
    pose.rotation().is_finite() && pose.translation().is_finite()
}
