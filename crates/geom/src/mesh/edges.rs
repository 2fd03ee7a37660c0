use super::Mesh;

/// One side of a triangle, run from its start corner to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HalfEdge(u32);

impl HalfEdge {
    /// The side of `triangle` that starts at its corner 0, 1 or 2.
    #[must_use]
    pub fn new(triangle: usize, corner: usize) -> Self {
        Self((triangle * 3 + corner) as u32)
    }

    /// Index of its triangle.
    #[must_use]
    pub fn triangle(self) -> usize {
        self.0 as usize / 3
    }

    /// Which corner it starts at: 0, 1 or 2.
    #[must_use]
    pub fn corner(self) -> usize {
        self.0 as usize % 3
    }

    /// Start and end vertex.
    #[must_use]
    pub fn ends(self, triangles: &[[u32; 3]]) -> [u32; 2] {
        let t = triangles[self.triangle()];
        [t[self.corner()], t[(self.corner() + 1) % 3]]
    }

    /// The vertex of its triangle that it does not touch.
    #[must_use]
    pub fn opposite(self, triangles: &[[u32; 3]]) -> u32 {
        triangles[self.triangle()][(self.corner() + 2) % 3]
    }

    /// The next side of the same triangle.
    #[must_use]
    pub fn next(self) -> Self {
        Self::new(self.triangle(), (self.corner() + 1) % 3)
    }

    /// Position in arrays with three entries a triangle.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All edges of a mesh, each with the triangle sides that run along it.
///
/// Edges are ordered by their lower, then their upper vertex; the sides of an edge by triangle.
#[derive(Clone, Debug)]
pub struct Edges {
    /// `(lower vertex, upper vertex)` of every edge.
    ends: Vec<[u32; 2]>,
    /// Sides of edge `e`: `sides[start[e]..start[e + 1]]`.
    start: Vec<u32>,
    sides: Vec<HalfEdge>,
}

impl Edges {
    /// The edges of a mesh.
    #[must_use]
    pub fn of(mesh: &Mesh) -> Self {
        Self::of_triangles(mesh.vertices.len(), &mesh.triangles)
    }

    pub(super) fn of_triangles(vertex_count: usize, triangles: &[[u32; 3]]) -> Self {
        // Counting sort by the lower vertex, then each small group by the upper.
        let all = || (0..triangles.len() * 3).map(|h| HalfEdge(h as u32));
        let lower_upper = |h: HalfEdge| {
            let [a, b] = h.ends(triangles);
            if a < b { [a, b] } else { [b, a] }
        };
        let mut group = vec![0u32; vertex_count + 1];
        for h in all() {
            group[lower_upper(h)[0] as usize + 1] += 1;
        }
        for v in 0..vertex_count {
            group[v + 1] += group[v];
        }
        let mut fill = group.clone();
        let mut sorted = vec![(0u32, HalfEdge(0)); triangles.len() * 3];
        for h in all() {
            let [lower, upper] = lower_upper(h);
            let slot = &mut fill[lower as usize];
            sorted[*slot as usize] = (upper, h);
            *slot += 1;
        }
        let mut edges = Self { ends: Vec::new(), start: vec![0], sides: Vec::with_capacity(sorted.len()) };
        for v in 0..vertex_count {
            let around = &mut sorted[group[v] as usize..group[v + 1] as usize];
            around.sort_unstable();
            for along in around.chunk_by(|a, b| a.0 == b.0) {
                edges.ends.push([v as u32, along[0].0]);
                edges.sides.extend(along.iter().map(|&(_, h)| h));
                edges.start.push(edges.sides.len() as u32);
            }
        }
        edges
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Every edge: lower and upper vertex, and the sides along it.
    pub fn iter(&self) -> impl Iterator<Item = ([u32; 2], &[HalfEdge])> {
        self.ends
            .iter()
            .zip(self.start.windows(2))
            .map(|(&ends, w)| (ends, &self.sides[w[0] as usize..w[1] as usize]))
    }

    /// For each triangle the number of its connected piece; neighbours share an edge. Numbers are indices of triangles.
    #[must_use]
    pub fn components(&self) -> Vec<u32> {
        let mut parent: Vec<u32> = (0..self.sides.len() as u32 / 3).collect();
        fn root(parent: &mut [u32], mut i: u32) -> u32 {
            while parent[i as usize] != i {
                parent[i as usize] = parent[parent[i as usize] as usize];
                i = parent[i as usize];
            }
            i
        }
        for (_, sides) in self.iter() {
            for pair in sides.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|h| root(&mut parent, h.triangle() as u32));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        (0..parent.len() as u32).map(|i| root(&mut parent, i)).collect()
    }
}
