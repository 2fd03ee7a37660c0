use kansho_geom::glam::{DMat3, DVec3};
use kansho_geom::tree::{BoxContent, Tree};
use kansho_geom::{Ball, Mesh, Solid};
use std::sync::Arc;

/// A mesh prepared for questions about its motions: boxes within boxes down to triangles, in double precision.
#[derive(Clone, Debug)]
pub struct Body {
    /// A mesh.
    solid: Arc<Solid>,
    /// The boxes; the first is around everything.
    boxes: Vec<Bounds>,
    /// For each box its triangles, as a range of `order`.
    ranges: Vec<[u32; 2]>,
    /// For each box the boxes in it, as a range of `inner`; empty if there are only triangles in it.
    inside: Vec<[u32; 2]>,
    inner: Vec<u32>,
    /// The triangles, so that those of each box stand together.
    order: Vec<u32>,
    /// Their corners, in that order.
    corners: Vec<[DVec3; 3]>,
    /// Boxes around each of them.
    flat: Vec<Bounds>,
    ball: Ball,
}

/// A box with its own axes that encloses what it was made for, rounding included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) centre: DVec3,
    /// Unit vectors, up to rounding.
    pub(crate) axes: DMat3,
    pub(crate) half: DVec3,
    /// Of a ball around it.
    pub(crate) radius: f64,
}

/// A part of a body: a box and all in it, or a triangle by its place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Part {
    Box(u32),
    Triangle(u32),
}

impl Body {
    /// Prepares a mesh.
    #[must_use]
    pub fn new(mesh: Arc<Mesh>) -> Self {
        Self::of_solid(Arc::new(Solid::mesh(mesh))).expect("a mesh has a tree")
    }

    /// Prepares a shape, if it is a mesh.
    #[must_use]
    pub fn of_solid(solid: Arc<Solid>) -> Option<Self> {
        let mesh = Arc::clone(solid.tree()?.mesh());
        let ball = mesh.ball();
        let triangle = |id: u32| mesh.triangles()[id as usize].map(|v| mesh.vertices()[v as usize]);
        let tree = Arc::clone(&solid);
        let tree = tree.tree()?;
        let mut body = Self {
            solid,
            boxes: Vec::new(),
            ranges: Vec::new(),
            inside: Vec::new(),
            inner: Vec::new(),
            order: Vec::new(),
            corners: Vec::new(),
            flat: Vec::new(),
            ball,
        };
        // Depth first, so that the triangles of a box stand together. A box is left when all in it has been seen.
        enum Visit {
            Enter(u32),
            Leave(u32),
        }
        let mut number_of = std::collections::BTreeMap::new();
        let mut open = vec![Visit::Enter(Tree::ROOT)];
        while let Some(visit) = open.pop() {
            match visit {
                Visit::Enter(slot) => {
                    let number = body.ranges.len() as u32;
                    number_of.insert(slot, number);
                    body.ranges.push([body.order.len() as u32; 2]);
                    body.inside.push([0; 2]);
                    open.push(Visit::Leave(slot));
                    match tree.content(slot) {
                        BoxContent::Boxes(inner) => open.extend(inner.into_iter().rev().map(Visit::Enter)),
                        BoxContent::Triangles(ids) => body.order.extend(ids),
                    }
                }
                Visit::Leave(slot) => {
                    let number = number_of[&slot] as usize;
                    body.ranges[number][1] = body.order.len() as u32;
                    if let BoxContent::Boxes(inner) = tree.content(slot) {
                        let first = body.inner.len() as u32;
                        body.inner.extend(inner.iter().map(|slot| number_of[slot]));
                        body.inside[number] = [first, body.inner.len() as u32];
                    }
                }
            }
        }
        body.corners = body.order.iter().map(|&id| triangle(id)).collect();
        let mut slots: Vec<(u32, u32)> = number_of.into_iter().map(|(slot, number)| (number, slot)).collect();
        slots.sort_unstable();
        body.boxes = slots
            .into_iter()
            .map(|(number, slot)| {
                let [first, end] = body.ranges[number as usize];
                Bounds::around(&body.corners[first as usize..end as usize], tree.axes(slot))
            })
            .collect();
        body.flat = body
            .corners
            .iter()
            .map(|corners| Bounds::around(std::slice::from_ref(corners), triangle_axes(corners)))
            .collect();
        Some(body)
    }

    /// The mesh.
    #[must_use]
    pub fn mesh(&self) -> &Arc<Mesh> {
        self.tree().mesh()
    }

    /// Its tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        self.solid.tree().expect("the shape is a mesh")
    }

    /// A ball around it.
    #[must_use]
    pub fn ball(&self) -> Ball {
        self.ball
    }

    /// The numbers of the triangles, so that every box is a range of them.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The corners of a box around it: every point of it is a mean of them, so none travels farther than they do.
    #[must_use]
    pub fn box_corners(&self) -> [DVec3; 8] {
        let Bounds { centre, axes, half, .. } = self.boxes[0];
        std::array::from_fn(|k| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            centre + axes * (half * DVec3::new(sign(0), sign(1), sign(2)))
        })
    }

    /// The least product of a vector with a point of it, or with a point of it in a ball: of triangles that reach into the ball, at
    /// least as far as they do. Infinite if there are none; never more than it is, rounding aside, and minus infinity for a vector that
    /// holds what is no number.
    #[must_use]
    pub fn lowest(&self, m: DVec3, place: Option<&Ball>) -> f64 {
        let is_there = |bounds: &Bounds| {
            place.is_none_or(|ball| {
                let reach = bounds.radius + ball.radius();
                // What is no number is there.
                !(bounds.centre.distance_squared(ball.centre()) > reach * reach * (1.0 + 1e-9))
            })
        };
        let low = |number: u32| {
            let Bounds { centre, axes, half, .. } = &self.boxes[number as usize];
            centre.dot(m) - (axes.transpose() * m).abs().dot(*half)
        };
        if !m.is_finite() {
            return f64::NEG_INFINITY;
        }
        let mut least = f64::INFINITY;
        // Boxes in boxes, eight at the most. Some meshes are deeper than this has room for: then what is known of a box is all.
        let mut open = [(0.0, 0); 256];
        open[0] = (low(0), 0);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (bound, number) = open[count];
            if bound >= least {
                continue;
            }
            let [first, end] = self.inside[number as usize];
            if first == end {
                let [first, end] = self.ranges[number as usize];
                for place in first..end {
                    if is_there(&self.flat[place as usize]) {
                        let [p, q, r] = self.corners[place as usize];
                        least = least.min(p.dot(m)).min(q.dot(m)).min(r.dot(m));
                    }
                }
                continue;
            }
            let (mut best, base) = (count, count);
            for &inner in &self.inner[first as usize..end as usize] {
                let bound = low(inner);
                if bound < least && is_there(&self.boxes[inner as usize]) {
                    if count == open.len() {
                        least = bound;
                        continue;
                    }
                    open[count] = (bound, inner);
                    if bound < open[best].0 {
                        best = count;
                    }
                    count += 1;
                }
            }
            // The lowest first.
            if count > base {
                open.swap(best, count - 1);
            }
        }
        least
    }

    pub(crate) fn root(&self) -> Part {
        Part::Box(0)
    }

    #[inline]
    pub(crate) fn bounds(&self, part: Part) -> &Bounds {
        match part {
            Part::Box(k) => &self.boxes[k as usize],
            Part::Triangle(k) => &self.flat[k as usize],
        }
    }

    /// Corners of a triangle by its place in the order.
    #[inline]
    pub(crate) fn corners(&self, place: u32) -> &[DVec3; 3] {
        &self.corners[place as usize]
    }

    /// The triangles of a part, as a range of the order.
    pub(crate) fn range(&self, part: Part) -> [u32; 2] {
        match part {
            Part::Box(k) => self.ranges[k as usize],
            Part::Triangle(k) => [k, k + 1],
        }
    }

    /// What is in a part, in order; nothing in a triangle.
    pub(crate) fn parts(&self, part: Part) -> impl Iterator<Item = Part> {
        let (boxes, triangles) = match part {
            Part::Triangle(_) => ([0; 2], [0; 2]),
            Part::Box(k) => match self.inside[k as usize] {
                [first, end] if first < end => ([first, end], [0; 2]),
                _ => ([0; 2], self.ranges[k as usize]),
            },
        };
        let boxes = self.inner[boxes[0] as usize..boxes[1] as usize].iter().map(|&k| Part::Box(k));
        boxes.chain((triangles[0]..triangles[1]).map(Part::Triangle))
    }
}

impl Bounds {
    fn around(corners: &[[DVec3; 3]], rough_axes: DMat3) -> Self {
        let axes = orthonormal(rough_axes);
        let back = axes.transpose();
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &p in corners.iter().flatten() {
            let q = back * p;
            min = min.min(q);
            max = max.max(q);
        }
        // Products with axes that are orthonormal up to some 2⁻⁵² are off by less than this, there and back.
        let rounding = 32.0 * f64::EPSILON * min.abs().max(max.abs()).max_element();
        let half = (max - min) * 0.5 + DVec3::splat(rounding);
        Self {
            centre: axes * ((min + max) * 0.5),
            axes,
            half,
            radius: half.length() * (1.0 + 8.0 * f64::EPSILON),
        }
    }
}

/// Axes that are orthonormal in double precision, near those that are in single.
fn orthonormal(rough: DMat3) -> DMat3 {
    let x = rough.x_axis.try_normalize().unwrap_or(DVec3::X);
    let y = (rough.y_axis - x * x.dot(rough.y_axis))
        .try_normalize()
        .unwrap_or_else(|| x.any_orthonormal_vector());
    // Once more, for the first time leaves some of `x` where the axes were close.
    let y = (y - x * x.dot(y)).try_normalize().unwrap_or(y);
    DMat3::from_cols(x, y, x.cross(y))
}

/// The longest side and the normal.
fn triangle_axes(&[a, b, c]: &[DVec3; 3]) -> DMat3 {
    let sides = [b - a, c - b, a - c];
    let longest = sides.into_iter().max_by(|s, t| s.length_squared().total_cmp(&t.length_squared()));
    let along = longest.and_then(DVec3::try_normalize).unwrap_or(DVec3::X);
    let normal = (b - a).cross(c - a).try_normalize().unwrap_or_else(|| along.any_orthonormal_vector());
    DMat3::from_cols(along, normal.cross(along), normal)
}
