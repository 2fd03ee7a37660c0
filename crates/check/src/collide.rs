//! Two shapes in many poses.

use kansho_geom::Pose;
use kansho_geom::solid::{self, Gap, Meeting, Solid};
use kansho_geom::tree::{Depth, Scratch, depth};
use rayon::prelude::*;

/// What to ask of every pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CollideOptions {
    /// Whether to measure how far apart they are.
    pub distance: bool,
    /// Whether to measure how deep they are in each other, and to within how much. Only for meshes and boxes that are closed.
    pub depth: Option<f64>,
}

/// The answer for one pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// How they meet.
    pub meeting: Meeting,
    /// Their distance and where it is, if it was asked for. Zero exactly if they meet.
    pub gap: Option<Gap>,
    /// How deep they are in each other, if it was asked for and both are closed.
    pub depth: Option<Depth>,
}

impl Answer {
    /// Whether they have a common point.
    #[must_use]
    pub fn hit(&self) -> bool {
        self.meeting != Meeting::Apart
    }
}

/// Looks at every pose of `b` in the frame of `a`, on all threads of the current pool.
///
/// ```
/// use kansho_check::collide::{CollideOptions, collide};
/// use kansho_geom::{Pose, Primitive, Solid, glam::DVec3, primitive::Shape};
/// let block = Solid::primitive(Primitive::new(Shape::Box { size: DVec3::ONE })?);
/// let ball = Solid::primitive(Primitive::new(Shape::Sphere { radius: 0.5 })?);
/// let poses = [0.5, 3.0].map(|x| Pose::from_translation(DVec3::X * x));
/// let answers = collide(&block, &ball, &poses, &CollideOptions { distance: true, depth: None });
/// assert!(answers[0].hit());
/// assert_eq!(answers[1].gap.expect("asked for").gap, 2.0);
/// # Ok::<(), kansho_geom::primitive::ShapeFault>(())
/// ```
#[must_use]
pub fn collide(a: &Solid, b: &Solid, a_from_b: &[Pose], options: &CollideOptions) -> Vec<Answer> {
    let answer = |scratch: &mut Scratch, pose: &Pose| Answer {
        meeting: solid::meet(a, b, *pose, scratch),
        gap: options.distance.then(|| solid::distance(a, b, *pose, f64::INFINITY, scratch)).flatten(),
        depth: options.depth.and_then(|tolerance| depth(a.tree()?, b.tree()?, *pose, tolerance, scratch)),
    };
    a_from_b.par_iter().map_init(Scratch::default, answer).collect()
}
