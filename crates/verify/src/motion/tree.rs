//! A tree of boxes and balls over each body, which the verifier builds by one short rule, and which certificates name nodes of.
//!
//! The rule: a node of several items (triangles, formulas) has two children. Items are put in order along the longest axis of the box around
//! their middles (those with equal places by their number), and the first half of them, rounded up, goes to the first child. Half-spaces
//! have no middle: they come first and apart from all others. So the same body always has the same tree.
//!
//! That a node holds its items needs no trust in the rule: its box and its radius are the extremes of all corners below it.

use kansho_cell::{Body, Cell, FrameId, Geometry};
use kansho_geom::glam::DVec3;
use kansho_geom::primitive::Shape;
use kansho_geom::{Pose, Primitive};

/// Nodes of no more triangles than this are bounded by their corners themselves: that takes about as long as a box and a ball, and is exact.
const FEW: usize = 8;

/// What radii and boxes of formulas round, as a part of them.
const UP: f64 = 1.0 + 1e-12;

/// What a tree is over, in the coordinates of the body.
#[derive(Clone, Copy, Debug)]
enum Item {
    Triangle([DVec3; 3]),
    /// A formula, by its number.
    Formula(u32),
}

/// A formula, and where it is in the body.
#[derive(Clone, Debug)]
pub(super) struct Formula {
    pub(super) primitive: Primitive,
    pub(super) body_from_shape: Pose,
}

/// A node: some items, in a row.
#[derive(Clone, Copy, Debug)]
struct Node {
    low: DVec3,
    high: DVec3,
    /// All items are within this of the middle of the box; infinite if one is a half-space.
    radius: f64,
    first: u32,
    end: u32,
    /// The second child; the first follows its parent.
    second: u32,
}

/// A body as boxes and balls. Its coordinates are those of its first shape.
#[derive(Debug)]
pub struct BodyTree {
    pub(super) frame: FrameId,
    pub(super) frame_from_body: Pose,
    nodes: Vec<Node>,
    items: Vec<Item>,
    pub(super) formulas: Vec<Formula>,
    /// How large the coordinates are that round: of shapes, and of where they are.
    pub(super) size: f64,
}

impl BodyTree {
    /// All of the body.
    pub const ROOT: u32 = 0;

    /// That of a body.
    #[must_use]
    pub fn new(cell: &Cell, body: &Body) -> Self {
        let place = cell.in_frame(body.carrier);
        let first = body.pieces.first().map_or(Pose::IDENTITY, |piece| piece.carrier_from_piece);
        let (mut items, mut formulas, mut size) = (Vec::new(), Vec::new(), 0.0f64);
        for (number, piece) in body.pieces.iter().enumerate() {
            // The first is where it is, to the last digit.
            let body_from_shape =
                if number == 0 { Pose::IDENTITY } else { first.inverse() * piece.carrier_from_piece };
            let away = if number == 0 {
                0.0
            } else {
                first.translation().length() + piece.carrier_from_piece.translation().length()
            };
            match &piece.geometry {
                Geometry::Mesh(mesh) => {
                    let at = |v: &DVec3| if number == 0 { *v } else { body_from_shape * *v };
                    let vertices: Vec<DVec3> = mesh.vertices().iter().map(at).collect();
                    let most = mesh.vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
                    size = size.max(away + most);
                    items.extend(
                        mesh.triangles().iter().map(|t| Item::Triangle(t.map(|v| vertices[v as usize]))),
                    );
                }
                Geometry::Primitive(primitive) => {
                    let own = match (primitive.shape(), primitive.aabb()) {
                        (Shape::HalfSpace { offset, .. }, _) => 1.0 + offset.abs(),
                        (_, Some(aabb)) => aabb.centre().length() + aabb.diagonal(),
                        (_, None) => f64::INFINITY,
                    };
                    size = size.max(away + own);
                    items.push(Item::Formula(formulas.len() as u32));
                    formulas.push(Formula { primitive: *primitive, body_from_shape });
                }
            }
        }
        let mut tree = Self {
            frame: place.frame,
            frame_from_body: place.frame_from_link * first,
            nodes: Vec::with_capacity(2 * items.len()),
            items,
            formulas,
            size,
        };
        tree.build();
        tree
    }

    fn build(&mut self) {
        if self.items.is_empty() {
            return;
        }
        let middles: Vec<Option<DVec3>> =
            self.items.iter().map(|item| self.bounds(item).map(|[low, high]| 0.5 * (low + high))).collect();
        let mut order: Vec<u32> = (0..self.items.len() as u32).collect();
        order.sort_by_key(|&item| middles[item as usize].is_some());
        let mut nodes = std::mem::take(&mut self.nodes);
        divide(&mut order, 0, &middles, &mut nodes);
        self.items = order.iter().map(|&item| self.items[item as usize]).collect();
        // Boxes from the leaves up, and radii from all corners of each node.
        for node in &mut nodes {
            let (mut low, mut high, mut radius) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0f64);
            let items = &self.items[node.first as usize..node.end as usize];
            for item in items {
                match self.bounds(item) {
                    Some([l, h]) => (low, high) = (low.min(l), high.max(h)),
                    None => radius = f64::INFINITY,
                }
            }
            let middle = 0.5 * (low + high);
            for item in items {
                let reach = match (item, self.bounds(item)) {
                    (Item::Triangle(corners), _) => {
                        corners.map(|p| p.distance_squared(middle)).into_iter().fold(0.0, f64::max).sqrt()
                    }
                    (Item::Formula(_), Some([l, h])) => {
                        (0.5 * (l + h)).distance(middle) + 0.5 * l.distance(h)
                    }
                    (Item::Formula(_), None) => f64::INFINITY,
                };
                // What is no number has no end.
                radius = if reach > radius || reach.is_nan() { reach * UP } else { radius };
            }
            (node.low, node.high) = (low, high);
            node.radius = if radius.is_nan() { f64::INFINITY } else { radius };
        }
        self.nodes = nodes;
    }

    /// The box around an item; none if it has no end.
    fn bounds(&self, item: &Item) -> Option<[DVec3; 2]> {
        match item {
            Item::Triangle([a, b, c]) => Some([a.min(*b).min(*c), a.max(*b).max(*c)]),
            Item::Formula(number) => {
                let Formula { primitive, body_from_shape } = &self.formulas[*number as usize];
                let aabb = primitive.aabb()?;
                // A turned box lies within one whose halves are the sums of its own along each axis.
                let centre = *body_from_shape * aabb.centre();
                let half = 0.5 * (aabb.extent());
                let r = body_from_shape.rotation();
                let half = (r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z) * UP
                    + 1e-12 * centre.abs().max_element();
                Some([centre - half, centre + half])
            }
        }
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The two children of a node; none if it is a single item.
    #[must_use]
    pub fn children(&self, node: u32) -> Option<[u32; 2]> {
        let Node { first, end, second, .. } = self.nodes[node as usize];
        (end - first > 1).then_some([node + 1, second])
    }

    /// The middle of the box of a node, half of its sides, and the radius about its middle.
    #[must_use]
    pub fn extent(&self, node: u32) -> (DVec3, DVec3, f64) {
        let Node { low, high, radius, .. } = self.nodes[node as usize];
        (0.5 * (low + high), 0.5 * (high - low), radius)
    }

    /// The corners of a node that is a single triangle.
    #[must_use]
    pub fn triangle(&self, node: u32) -> Option<[DVec3; 3]> {
        match self.items_of(node) {
            [Item::Triangle(corners)] => Some(*corners),
            _ => None,
        }
    }

    /// The formula of a node that is a single one, and where it is in the body.
    #[must_use]
    pub fn formula(&self, node: u32) -> Option<(&Primitive, Pose)> {
        match self.items_of(node) {
            [Item::Formula(number)] => {
                let Formula { primitive, body_from_shape } = &self.formulas[*number as usize];
                Some((primitive, *body_from_shape))
            }
            _ => None,
        }
    }

    /// The normal of a node that is a half-space, in the coordinates of the body.
    #[must_use]
    pub fn normal(&self, node: u32) -> Option<DVec3> {
        let (primitive, body_from_shape) = self.formula(node)?;
        match primitive.shape() {
            Shape::HalfSpace { normal, .. } => Some(body_from_shape.rotate(normal)),
            _ => None,
        }
    }

    fn items_of(&self, node: u32) -> &[Item] {
        let Node { first, end, .. } = self.nodes[node as usize];
        &self.items[first as usize..end as usize]
    }

    /// A number that is below all products of a vector with a point of a node, but for rounding by a part of the size of its coordinates.
    ///
    /// All points are in a box and in a ball about its middle `c`, so `m · x ≥ c · m − Σ half |m|` and `m · x ≥ c · m − r |m|`.
    #[must_use]
    pub fn lowest(&self, node: u32, m: DVec3) -> f64 {
        let items = self.items_of(node);
        if let [Item::Formula(number)] = items {
            let Formula { primitive, body_from_shape } = &self.formulas[*number as usize];
            let own = body_from_shape.rotation().transpose() * m;
            let fixed = body_from_shape.translation().dot(m);
            return match primitive.shape() {
                // Its normal, either way, is the only direction in which it ends.
                Shape::HalfSpace { offset, .. } => fixed - offset * m.length(),
                _ => fixed + primitive.lowest(own),
            };
        }
        if items.len() <= FEW && items.iter().all(|item| matches!(item, Item::Triangle(_))) {
            let mut least = f64::INFINITY;
            for item in items {
                if let Item::Triangle(corners) = item {
                    for corner in corners {
                        let height = corner.dot(m);
                        least = if height.is_nan() || height < least { height } else { least };
                    }
                }
            }
            return least;
        }
        let (centre, half, radius) = self.extent(node);
        if !radius.is_finite() {
            return f64::NEG_INFINITY;
        }
        let below = [half.dot(m.abs()), radius * m.length()];
        if below.iter().any(|b| b.is_nan()) {
            return f64::NEG_INFINITY;
        }
        centre.dot(m) - below[0].min(below[1])
    }
}

/// Divides items and makes their nodes, parents first.
fn divide(order: &mut [u32], first: usize, middles: &[Option<DVec3>], nodes: &mut Vec<Node>) {
    let number = nodes.len();
    let end = (first + order.len()) as u32;
    let zero = DVec3::ZERO;
    nodes.push(Node { low: zero, high: zero, radius: 0.0, first: first as u32, end, second: 0 });
    if order.len() < 2 {
        return;
    }
    let middle = |item: u32| middles[item as usize];
    let endless = order.iter().filter(|item| middle(**item).is_none()).count();
    let cut = if endless > 0 && endless < order.len() { endless } else { order.len().div_ceil(2) };
    if endless == 0 {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for at in order.iter().filter_map(|item| middle(*item)) {
            (low, high) = (low.min(at), high.max(at));
        }
        let size = high - low;
        let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
        let place = |item: &u32| middle(*item).map_or(0.0, |at| at[axis]);
        order.select_nth_unstable_by(cut - 1, |x, y| place(x).total_cmp(&place(y)).then(x.cmp(y)));
    }
    let (early, late) = order.split_at_mut(cut);
    divide(early, first, middles, nodes);
    nodes[number].second = nodes.len() as u32;
    divide(late, first + cut, middles, nodes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use kansho_cell::builtin;

    /// Triangles below a node; every one is in the box and in the ball, and no product with a vector is below the bound.
    fn below(tree: &BodyTree, node: u32) -> Vec<[DVec3; 3]> {
        let found = match tree.children(node) {
            Some(children) => children.into_iter().flat_map(|child| below(tree, child)).collect(),
            None => tree.triangle(node).into_iter().collect::<Vec<_>>(),
        };
        let (centre, half, radius) = tree.extent(node);
        for corner in found.iter().flatten() {
            let off = (*corner - centre).abs() - half;
            assert!(off.max_element() <= 1e-15 * tree.size && corner.distance(centre) <= radius);
            for m in [DVec3::X, -DVec3::Y, DVec3::new(0.3, -2.0, 5.0), DVec3::new(-1.0, -1.0, 0.5)] {
                assert!(tree.lowest(node, m) <= corner.dot(m) + 1e-14 * tree.size);
            }
        }
        found
    }

    #[test]
    fn nodes_hold_all_triangles_once() {
        let cell = builtin::cell();
        let mut all = 0;
        for body in cell.bodies() {
            let tree = BodyTree::new(&cell, body);
            let again = BodyTree::new(&cell, body);
            let mut given = Vec::new();
            let first = body.pieces.first().map_or(Pose::IDENTITY, |piece| piece.carrier_from_piece);
            for (number, piece) in body.pieces.iter().enumerate() {
                if let Geometry::Mesh(mesh) = &piece.geometry {
                    let place = |p: DVec3| {
                        if number == 0 { p } else { first.inverse() * piece.carrier_from_piece * p }
                    };
                    given.extend(mesh.corners().map(|corners| corners.map(place)));
                }
            }
            if tree.is_empty() {
                assert!(given.is_empty());
                continue;
            }
            let mut held = below(&tree, BodyTree::ROOT);
            assert_eq!(held, below(&again, BodyTree::ROOT), "the same body has the same tree");
            let key = |t: &[DVec3; 3]| format!("{t:?}");
            held.sort_by_key(key);
            given.sort_by_key(key);
            assert_eq!(held, given, "{}", body.name);
            all += held.len();
        }
        assert!(all > 100, "{all}");
    }
}
