//! Two meshes in many poses.

use kansho_geom::Pose;
use kansho_geom::tree::{Distance, Meeting, Scratch, Tree, distance, meet};
use rayon::prelude::*;

/// What to ask of every pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollideOptions {
    /// Whether to measure how far apart they are.
    pub distance: bool,
}

/// The answer for one pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// How they meet.
    pub meeting: Meeting,
    /// The least distance of their surfaces and where it is, if it was asked for. Zero if the surfaces touch; the distance to
    /// the surface around it for a body inside another.
    pub distance: Option<Distance>,
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
/// use kansho_geom::{Pose, Primitive, glam::DVec3, primitive::Shape, tree::Tree};
/// let block = Primitive::new(Shape::Box { size: DVec3::ONE })?.tessellated(1e-3).expect("a block is bounded");
/// let tree = Tree::new(block.into());
/// let poses = [0.5, 3.0].map(|x| Pose::from_translation(DVec3::X * x));
/// let answers = collide(&tree, &tree, &poses, &CollideOptions { distance: true });
/// assert!(answers[0].hit());
/// assert_eq!(answers[1].distance.expect("asked for").gap(), 2.0);
/// # Ok::<(), kansho_geom::primitive::ShapeFault>(())
/// ```
#[must_use]
pub fn collide(a: &Tree, b: &Tree, a_from_b: &[Pose], options: &CollideOptions) -> Vec<Answer> {
    let answer = |scratch: &mut Scratch, pose: &Pose| Answer {
        meeting: meet(a, b, *pose, scratch),
        distance: if options.distance { distance(a, b, *pose, f64::INFINITY, scratch) } else { None },
    };
    a_from_b.par_iter().map_init(Scratch::default, answer).collect()
}
