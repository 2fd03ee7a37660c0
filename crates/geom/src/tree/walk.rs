//! The boxes of a tree, one inside the other, for those who look at them in their own way.

use super::{Inside, Tree};
use glam::{DMat3, DVec3};

/// What is in a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Other boxes, by number.
    Boxes(Vec<u32>),
    /// Triangles of the mesh, by number.
    Triangles(Vec<u32>),
}

impl Tree {
    /// The box around everything, by number.
    pub const ROOT: u32 = 0;

    /// What is in a box that [`Tree::ROOT`] leads to.
    #[must_use]
    pub fn content(&self, slot: u32) -> Content {
        match self.slots[slot as usize].content {
            Inside::Node(node) => {
                let used = self.nodes[node as usize].used();
                Content::Boxes(
                    (0..8).filter(|lane| used >> lane & 1 == 1).map(|lane| 1 + 8 * node + lane).collect(),
                )
            }
            Inside::Leaf(leaf) => {
                let leaf = &self.leaves[leaf as usize];
                Content::Triangles(
                    (0..8).filter(|lane| leaf.used >> lane & 1 == 1).map(|lane| leaf.ids[lane]).collect(),
                )
            }
        }
    }

    /// The directions of its edges as columns: a rotation up to single precision.
    #[must_use]
    pub fn axes(&self, slot: u32) -> DMat3 {
        self.slots[slot as usize].bounds.axes.as_dmat3()
    }

    /// Its middle, and half its edge lengths along its [axes](Tree::axes).
    #[must_use]
    pub fn extent(&self, slot: u32) -> [DVec3; 2] {
        let bounds = &self.slots[slot as usize].bounds;
        [self.middle + bounds.centre.as_dvec3(), bounds.half.as_dvec3()]
    }
}
