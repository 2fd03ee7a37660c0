//! Links covered by balls, for other programs: few for how close they lie, and nothing of the surface uncovered.

use kansho_cell::{BodyPiece, Geometry, Robot};
use kansho_geom::Ball;
use kansho_geom::primitive::Shape;
use kansho_geom::spheres::{CoverFault, Goal, fit};
use rayon::prelude::*;

/// Balls in the frame of each link of a robot, in the order of its links; none for a link without shapes.
///
/// # Errors
/// The name of the first link that cannot be covered so, and why.
pub fn robot(robot: &Robot, goal: Goal) -> Result<Vec<Vec<Ball>>, (String, CoverFault)> {
    let each: Vec<Result<Vec<Ball>, CoverFault>> =
        robot.links().par_iter().map(|link| pieces(&link.pieces, goal)).collect();
    let named = |(link, found): (&kansho_cell::Link, Result<Vec<Ball>, CoverFault>)| {
        found.map_err(|fault| (link.name.clone(), fault))
    };
    robot.links().iter().zip(each).map(named).collect()
}

/// Balls that cover the surfaces of all pieces, in the frame of their carrier.
///
/// A sphere stays as it is, however large, while others have balls left. Round faces are covered as round: they are cut into
/// flat ones, and every ball is larger by what these leave out.
///
/// # Errors
/// The radius or the number makes no sense, or a piece is a half-space.
pub fn pieces(pieces: &[BodyPiece], goal: Goal) -> Result<Vec<Ball>, CoverFault> {
    goal.check()?;
    let is_sphere = |piece: &&BodyPiece| sphere(piece).is_some();
    let spheres = pieces.iter().filter(is_sphere).count();
    let others = usize::from(spheres < pieces.len());
    let (kept, goal) = match goal {
        Goal::Radius(_) => (true, goal),
        Goal::Count(count) if spheres + others <= count => (true, Goal::Count(count - spheres)),
        Goal::Count(_) => (false, goal),
    };
    let mut balls: Vec<Ball> = if kept { pieces.iter().filter_map(sphere).collect() } else { Vec::new() };
    let mut swell: f64 = 0.0;
    let mut triangles = Vec::new();
    for piece in pieces.iter().filter(|piece| !(kept && is_sphere(piece))) {
        let pose = piece.carrier_from_piece;
        let flat;
        let (mesh, deviation) = match &piece.geometry {
            Geometry::Mesh(mesh) => (&**mesh, 0.0),
            Geometry::Primitive(primitive) => {
                let deviation = deviation(primitive.shape(), goal);
                flat = primitive.tessellated(deviation).ok_or(CoverFault::Infinite)?;
                (&flat, deviation)
            }
        };
        let farthest = mesh.vertices().iter().fold(0.0, |most: f64, p| most.max(p.abs().element_sum()));
        // A point is moved by nine products and sums.
        let rounding = 16.0 * f64::EPSILON * (farthest + pose.translation().abs().element_sum());
        swell = swell.max(deviation + rounding);
        triangles.extend(mesh.corners().map(|corners| corners.map(|p| pose * p)));
    }
    balls.extend(fit(&triangles, swell, goal)?);
    Ok(balls)
}

/// A sphere where it stands.
fn sphere(piece: &BodyPiece) -> Option<Ball> {
    match &piece.geometry {
        Geometry::Primitive(primitive) => match primitive.shape() {
            Shape::Sphere { radius } => Some(Ball::new(piece.carrier_from_piece.translation(), radius)),
            _ => None,
        },
        Geometry::Mesh(_) => None,
    }
}

/// How far flat faces may lie inside a round one.
fn deviation(shape: Shape, goal: Goal) -> f64 {
    let round = match shape {
        Shape::Box { .. } | Shape::HalfSpace { .. } => return 0.0,
        Shape::Sphere { radius }
        | Shape::Cylinder { radius, .. }
        | Shape::Capsule { radius, .. }
        | Shape::Cone { radius, .. } => radius,
    };
    let wanted = match goal {
        Goal::Radius(radius) => 0.05 * radius,
        Goal::Count(_) => f64::INFINITY,
    };
    // Primitives are cut into 2,048 sides at most, which leave 1.2e-6 of the radius, twice.
    wanted.clamp(1e-5 * round, 1e-3 * round)
}
