//! The same answers, sooner: balls around bodies and inside of them, and fields of distances.
//!
//! Bodies that move as one and are checked against the same others are a group. Of two groups, one is a field
//! ([`kansho_geom::field`]) and the other balls. A ball inside a body that reaches a body of the field is a hit. If all balls around
//! the surface are farther from the field than their radius, the surfaces do not meet, and no body is inside one of the field: a
//! field is zero inside. That a body of the field may lie inside one with balls is looked at by itself. What is left goes to the exact
//! test, part by part.

mod build;
mod groups;
mod inside;
mod kept;
mod stages;
mod walk;

pub use stages::Stages;
pub(super) use walk::ModelScratch;

use inside::Holders;
use kansho_cell::FrameId;
use kansho_geom::Ball;
use kansho_geom::field::{BallTree, Field, Inner, Roots};

/// Models of all groups of a scene.
#[derive(Debug)]
pub struct Models {
    pub(super) groups: Vec<Group>,
    pub(super) pairs: Vec<GroupPair>,
    /// Pairs of which one stands still, up to eight of the same field together.
    still: Vec<Vec<u32>>,
    /// Radius of the smallest balls that was asked for.
    radius: f64,
    /// Coordinates whose range the bounds on movements lean on.
    ranged: Vec<usize>,
    /// For each coordinate and each pair, how far the coordinate moves their points when it moves by one.
    per_unit: Vec<f64>,
}

/// Bodies that move as one.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) frame: FrameId,
    /// Numbers of its parts in the scene.
    pub(super) parts: Vec<u32>,
    /// The same as bits.
    mask: Vec<u8>,
    /// Around all of it, in its frame; none if it has no end.
    pub(super) ball: Option<Ball>,
    /// Distances from it, if it is the field of some pair.
    pub(super) field: Option<Field>,
    /// If it is not the field of some pair: balls around the surface of its parts, around each of them, and inside of them.
    pub(super) trees: Vec<(u32, BallTree)>,
    pub(super) roots: Roots,
    inner: Inner,
    /// Parts that have no balls around them.
    pub(super) bare: Vec<u32>,
}

/// Two groups that are checked.
#[derive(Debug)]
pub(super) struct GroupPair {
    pub(super) field: u32,
    pub(super) balls: u32,
    /// Bodies of the field that might be inside one of the balls' side.
    holders: Holders,
}

impl Models {
    /// Memory that they take by now.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_group = |group: &Group| {
            let trees: usize = group.trees.iter().map(|(_, tree)| tree.bytes()).sum();
            group.field.as_ref().map_or(0, Field::bytes) + trees
        };
        self.groups.iter().map(of_group).sum()
    }

    /// Its fields, in an order that depends on the cell alone.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.groups.iter().filter_map(|group| group.field.as_ref())
    }

    /// Pairs of groups, where all pairs of bodies would be many more.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Radius of the smallest balls that was asked for.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }
}
