//! Lines to turn about, and what points and features span.

use super::answer::{Case, Status};
use super::body::Member;
use super::resolved::About;
use super::run::Runner;
use kansho_geom::glam::DVec3;

impl Runner<'_> {
    /// A point and a unit vector of the line to turn about.
    pub(super) fn line(&self, about: About) -> Result<(DVec3, DVec3), Status> {
        let of_ends = |[a, b]: [DVec3; 2]| {
            let axis = (b - a).try_normalize();
            axis.map(|axis| (a, axis)).ok_or(Status::Unsupported { case: Case::TurnAboutNoLine })
        };
        let ends = |member: &Member| match member {
            Member::Edge(line) => Ok(line.ends),
            Member::Axis { ends } => Ok(*ends),
            _ => Err(Status::Unsupported { case: Case::TurnAboutNoLine }),
        };
        match about {
            About::Fixed { body, feature } => {
                of_ends(ends(&self.script.fixed[body].features[feature].members[0])?)
            }
            About::Moved { feature } => {
                of_ends(ends(&self.script.moved.features[feature].members[0])?.map(|p| self.pose * p))
            }
            About::Contact(touch) => {
                let Some(closed) = self.world.closed(&self.script.touches[touch], self.pose) else {
                    let what = format!(
                        "there is no turn about \"{}\": it does not touch when the move begins",
                        self.script.touches[touch].text
                    );
                    return Err(Status::Contradiction { what });
                };
                match line_of(&closed.points, self.script.tolerance) {
                    Shape::Line(ends) => of_ends(ends),
                    _ => Err(Status::Unsupported { case: Case::TurnAboutContact }),
                }
            }
            About::Direction(axis) => Ok((self.pose * self.script.grasp, axis.normalize_or(DVec3::Z))),
        }
    }
}

/// What points span.
pub(super) enum Shape {
    /// They are all one.
    Point(DVec3),
    /// They lie on a line.
    Line([DVec3; 2]),
    /// They span a plane.
    Plane,
}

/// What points span, up to a tolerance.
pub(super) fn line_of(points: &[DVec3], tolerance: f64) -> Shape {
    let middle = points.iter().copied().sum::<DVec3>() / points.len().max(1) as f64;
    let far = |from: DVec3| {
        points.iter().copied().max_by(|p, q| p.distance(from).total_cmp(&q.distance(from))).unwrap_or(from)
    };
    let a = far(middle);
    let b = far(a);
    let room = 8.0 * tolerance;
    let Some(along) = (b - a).try_normalize().filter(|_| a.distance(b) > room) else {
        return Shape::Point(middle);
    };
    if points.iter().all(|p| (*p - a).cross(along).length() <= room) {
        Shape::Line([a, b])
    } else {
        Shape::Plane
    }
}

/// The middle of a feature, in its body's frame.
pub(super) fn middle_of(member: &Member) -> DVec3 {
    let corners = match member {
        Member::Axis { ends } => ends.to_vec(),
        Member::Face(facet) => facet.loops[0].clone(),
        other => super::touch::corners_of(other),
    };
    corners.iter().copied().sum::<DVec3>() / corners.len().max(1) as f64
}

/// The nearest point of a feature of a fixed body.
pub(super) fn nearest_to(members: &[Member], p: DVec3) -> DVec3 {
    let near = |member: &Member| match member {
        Member::Face(facet) => facet
            .triangles
            .iter()
            .map(|t| kansho_geom::triangle::nearest(p, t))
            .min_by(|a, b| a.distance(p).total_cmp(&b.distance(p)))
            .unwrap_or(p),
        Member::Edge(line) => super::body::nearest_on_segment(p, line.ends),
        Member::Vertex(corner) => corner.point,
        Member::Axis { ends } => {
            let along = (ends[1] - ends[0]).normalize_or_zero();
            ends[0] + along * along.dot(p - ends[0])
        }
    };
    members
        .iter()
        .map(near)
        .min_by(|a, b| a.distance(p).total_cmp(&b.distance(p)))
        .expect("a feature has members")
}
