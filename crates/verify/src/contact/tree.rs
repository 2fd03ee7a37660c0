//! A tree of boxes over the triangles of a body, by the rule of [`motion::tree`](crate::motion::tree), with the triangles' numbers.
//!
//! Boxes hold each corner both where it is and where an inset puts it. That they do needs no trust in the rule: they are extremes of all
//! corners below a node.

use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;

/// A node: some triangles, in a row.
#[derive(Clone, Copy, Debug)]
struct Node {
    low: DVec3,
    high: DVec3,
    first: u32,
    end: u32,
    /// The second child; the first follows its parent.
    second: u32,
}

/// A body as boxes, in the coordinates of its mesh.
#[derive(Debug)]
pub struct ContactTree {
    nodes: Vec<Node>,
    /// Numbers of triangles, in the order of the leaves.
    order: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    given: Vec<DVec3>,
    inset: Vec<DVec3>,
}

impl ContactTree {
    /// All of the body.
    pub const ROOT: u32 = 0;

    /// Over a mesh, some vertices of which are also elsewhere.
    #[must_use]
    pub fn new(mesh: &Mesh, inset: &[(u32, DVec3)]) -> Self {
        let given = mesh.vertices().to_vec();
        let mut moved = given.clone();
        for &(vertex, place) in inset {
            moved[vertex as usize] = place;
        }
        let triangles = mesh.triangles().to_vec();
        let boxes: Vec<[DVec3; 2]> = triangles
            .iter()
            .map(|t| {
                let corners = t.map(|v| given[v as usize]);
                [corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2])]
            })
            .collect();
        let middles: Vec<DVec3> = boxes.iter().map(|[low, high]| 0.5 * (*low + *high)).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * order.len());
        if !order.is_empty() {
            divide(&mut order, 0, &middles, &mut nodes);
        }
        let mut tree = Self { nodes, order, triangles, given, inset: moved };
        for number in 0..tree.nodes.len() {
            let Node { first, end, .. } = tree.nodes[number];
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for &triangle in &tree.order[first as usize..end as usize] {
                for vertex in tree.triangles[triangle as usize] {
                    for place in [tree.given[vertex as usize], tree.inset[vertex as usize]] {
                        (low, high) = (low.min(place), high.max(place));
                    }
                }
            }
            (tree.nodes[number].low, tree.nodes[number].high) = (low, high);
        }
        tree
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The two children of a node; none if it is a single triangle.
    #[must_use]
    pub fn children(&self, node: u32) -> Option<[u32; 2]> {
        let Node { first, end, second, .. } = self.nodes[node as usize];
        (end - first > 1).then_some([node + 1, second])
    }

    /// The middle of the box of a node, and half of its sides, rounded up: so that the box lies within.
    #[must_use]
    pub fn extent(&self, node: u32) -> (DVec3, DVec3) {
        let Node { low, high, .. } = self.nodes[node as usize];
        let middle = 0.5 * (low + high);
        let up = |v: DVec3| DVec3::from_array(v.to_array().map(f64::next_up));
        (middle, up(high - middle).max(up(middle - low)))
    }

    /// The number of the triangle that a node is, if it is a single one.
    #[must_use]
    pub fn triangle(&self, node: u32) -> Option<u32> {
        let Node { first, end, .. } = self.nodes[node as usize];
        (end - first == 1).then(|| self.order[first as usize])
    }

    /// The vertices of a triangle.
    #[must_use]
    pub fn vertices(&self, triangle: u32) -> [u32; 3] {
        self.triangles[triangle as usize]
    }

    /// Where a vertex is, and where its inset is: the same if it has none.
    #[must_use]
    pub fn places(&self, vertex: u32) -> [DVec3; 2] {
        [self.given[vertex as usize], self.inset[vertex as usize]]
    }
}

fn divide(order: &mut [u32], first: u32, middles: &[DVec3], nodes: &mut Vec<Node>) {
    let here = nodes.len();
    let end = first + order.len() as u32;
    nodes.push(Node { low: DVec3::ZERO, high: DVec3::ZERO, first, end, second: 0 });
    if order.len() < 2 {
        return;
    }
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &triangle in order.iter() {
        (low, high) = (low.min(middles[triangle as usize]), high.max(middles[triangle as usize]));
    }
    let axis = (high - low).max_position();
    order.sort_by(|&i, &j| middles[i as usize][axis].total_cmp(&middles[j as usize][axis]).then(i.cmp(&j)));
    let half = order.len().div_ceil(2);
    let (early, late) = order.split_at_mut(half);
    divide(early, first, middles, nodes);
    nodes[here].second = nodes.len() as u32;
    divide(late, first + half as u32, middles, nodes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_geom::{Primitive, primitive::Shape};

    fn below(tree: &ContactTree, node: u32, found: &mut Vec<u32>) {
        if let Some(children) = tree.children(node) {
            assert!(tree.triangle(node).is_none());
            children.into_iter().for_each(|child| below(tree, child, found));
        } else {
            found.push(tree.triangle(node).expect("a leaf is a triangle"));
        }
    }

    #[test]
    fn nodes_hold_every_triangle_once_and_all_its_corners() {
        let ball =
            Primitive::new(Shape::Sphere { radius: 0.3 }).expect("a ball").tessellated(0.01).expect("a mesh");
        let inset = [(3, ball.vertices()[3] * 0.9), (7, ball.vertices()[7] * 1.2)];
        let tree = ContactTree::new(&ball, &inset);
        for node in 0..tree.nodes.len() as u32 {
            let mut found = Vec::new();
            below(&tree, node, &mut found);
            let (middle, half) = tree.extent(node);
            for &triangle in &found {
                for place in tree.vertices(triangle).into_iter().flat_map(|v| tree.places(v)) {
                    assert!(((place - middle).abs() - half).max_element() <= 0.0);
                }
            }
            if node == ContactTree::ROOT {
                found.sort_unstable();
                assert!(found.into_iter().eq(0..ball.triangles().len() as u32));
            }
        }
    }
}
