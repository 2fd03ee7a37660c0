//! Numeric cores, each beside an exact oracle.
//!
//! | part | asks | the truth comes from |
//! |---|---|---|
//! | `root` | when does a point on a cubic first reach a plane? | halving with whole numbers |
//! | `features` | when do moving points, edges and faces first touch? | Sturm's chains and whole numbers, as in the tests of `geom` |
//! | `bodies` | do moving bodies touch, and when first? | all pairs of triangles at many instants, in whole numbers |
//! | `triangles` | do two triangles touch? | separating directions in whole numbers |
//! | `cone` | which rays generate a cone of inequalities? | all choices of rows that could be tight, in whole numbers |
//! | `boxes` | which small motions do touching boxes allow? | intervals |

mod bodies;
mod boxes;
mod cone;
mod features;
mod integers;
mod root;
mod triangles;

use crate::Target;

pub(crate) fn all() -> Vec<Target> {
    let target = |name, run| Target { name, seeds, words: &["\0\0\0\0"], run };
    vec![
        target("first_root", root::run),
        target("first_contact_features", features::run),
        target("first_contact_bodies", bodies::run),
        target("triangles", triangles::run),
        target("contact_cone", cone::run),
        target("contact_boxes", boxes::run),
    ]
}

/// Bytes without a meaning of their own: whatever they are, they are numbers.
fn seeds() -> Vec<Vec<u8>> {
    let mixed = |seed: u32, length: u32| {
        (0..length).map(|k| (seed.wrapping_add(k).wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    };
    vec![vec![0; 8], mixed(1, 32), mixed(77, 64), mixed(1234, 96), mixed(99_991, 160)]
}
