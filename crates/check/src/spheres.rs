//! Links covered by balls, for other programs: few for how close they lie, and nothing of the surface uncovered.

use kansho_cell::{Geometry, Piece, Robot};
use kansho_geom::Ball;
use kansho_geom::glam::DVec3;
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
pub fn pieces(pieces: &[Piece], goal: Goal) -> Result<Vec<Ball>, CoverFault> {
    goal.check()?;
    let is_sphere = |piece: &&Piece| sphere(piece).is_some();
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
                let deviation =
                    deviation(primitive.shape(), primitive.aabb().map(|aabb| aabb.extent()), goal);
                flat = primitive.tessellated(deviation).ok_or(CoverFault::Infinite)?;
                let exact = matches!(primitive.shape(), Shape::Box { .. });
                (&flat, if exact { 0.0 } else { deviation })
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
fn sphere(piece: &Piece) -> Option<Ball> {
    match &piece.geometry {
        Geometry::Primitive(primitive) => match primitive.shape() {
            Shape::Sphere { radius } => Some(Ball::new(piece.carrier_from_piece.translation(), radius)),
            _ => None,
        },
        Geometry::Mesh(_) => None,
    }
}

/// How far flat faces may lie inside a round one.
fn deviation(shape: Shape, extent: Option<DVec3>, goal: Goal) -> f64 {
    let size = extent.map_or(0.0, DVec3::max_element);
    let wanted = match (shape, goal) {
        (Shape::Box { .. }, _) => 0.0,
        (_, Goal::Radius(radius)) => 0.05 * radius,
        (_, Goal::Count(_)) => f64::INFINITY,
    };
    // Primitives are cut into 2,048 sides at most, which leave 1.2e-6 of the radius, twice.
    wanted.clamp(1e-5 * size, 1e-3 * size)
}
