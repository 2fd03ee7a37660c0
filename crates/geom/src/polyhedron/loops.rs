use super::mates::Mates;
use super::regions::Regions;
use crate::mesh::{HalfEdge, Mesh};
use glam::DVec3;

/// The borders of all regions.
pub(super) struct Outline {
    /// Straight pieces, each once.
    pub(super) segments: Vec<Segment>,
    /// For each region its closed borders, as vertices of the mesh where they bend.
    loops: Vec<Vec<Vec<u32>>>,
}

/// A straight piece of border between two regions, or between one and nothing.
pub(super) struct Segment {
    pub(super) ends: [u32; 2],
    /// The sides it consists of, seen from the left region.
    pub(super) half_edges: Vec<HalfEdge>,
    pub(super) first: HalfEdge,
}

impl Outline {
    /// Walks along the borders.
    ///
    /// A border is first cut where the region on its other side changes. Between two cuts it is a chain shared by the
    /// same two regions, and is straightened once for both: of its inner vertices only those stay that are farther
    /// than the tolerance from the line (Douglas and Peucker 1973).
    pub(super) fn trace(mesh: &Mesh, mates: &Mates, regions: &Regions, tolerance: f64) -> Self {
        let border = Border { mesh, mates, regions };
        let mut bends = vec![false; mesh.triangles().len() * 3]; // Whether the border bends at the start of a side.
        let mut rings: Vec<Vec<HalfEdge>> = Vec::new();
        let mut seen = vec![false; mesh.triangles().len() * 3];
        for start in border.sides() {
            if seen[start.index()] {
                continue;
            }
            let mut ring = Vec::new();
            let mut side = start;
            while !seen[side.index()] {
                seen[side.index()] = true;
                ring.push(side);
                side = border.next(side);
            }
            rings.push(ring);
        }
        let mut segments = Vec::new();
        for ring in &mut rings {
            // Begin at a cut, or where there is none at the lowest vertex, so that the walk cannot depend on a pose.
            let cut =
                (0..ring.len()).find(|&i| border.is_cut(ring[(i + ring.len() - 1) % ring.len()], ring[i]));
            let lowest = || (0..ring.len()).min_by_key(|&i| border.start(ring[i])).expect("a ring has sides");
            let begin = cut.unwrap_or_else(lowest);
            ring.rotate_left(begin);
            for chain in ring.chunk_by(|&a, &b| !border.is_cut(a, b)) {
                if border.leads(chain[0]) {
                    border.straighten(chain, tolerance, &mut bends, &mut segments);
                }
            }
        }
        // What was found on the leading side holds for the other: its sides start where the leading ones end.
        for segment in &segments {
            let last = *segment.half_edges.last().expect("a segment has sides");
            if let Some(mate) = mates.of(last) {
                bends[mate.index()] = true;
            }
        }
        let mut loops = vec![Vec::new(); regions.planes.len()];
        for ring in &rings {
            let bent = ring.iter().filter(|side| bends[side.index()]).map(|&side| border.start(side));
            loops[border.region(ring[0]) as usize].push(bent.collect());
        }
        Self { segments, loops }
    }

    pub(super) fn loops_of(&self, region: usize) -> Vec<Vec<u32>> {
        self.loops[region].clone()
    }
}

struct Border<'a> {
    mesh: &'a Mesh,
    mates: &'a Mates,
    regions: &'a Regions,
}

impl Border<'_> {
    fn region(&self, side: HalfEdge) -> u32 {
        self.regions.of[side.triangle()]
    }

    fn other_region(&self, side: HalfEdge) -> Option<u32> {
        self.mates.of(side).map(|mate| self.region(mate))
    }

    fn start(&self, side: HalfEdge) -> u32 {
        side.ends(self.mesh.triangles())[0]
    }

    fn is_border(&self, side: HalfEdge) -> bool {
        self.other_region(side) != Some(self.region(side))
    }

    /// All sides on a border.
    fn sides(&self) -> impl Iterator<Item = HalfEdge> {
        (0..self.mesh.triangles().len())
            .flat_map(|t| (0..3).map(move |corner| HalfEdge::new(t, corner)))
            .filter(|&side| self.is_border(side))
    }

    /// The next side along the border of the same region: turning about the end vertex, through the region's triangles.
    fn next(&self, side: HalfEdge) -> HalfEdge {
        let mut next = side.next();
        while !self.is_border(next) {
            next = self.mates.of(next).expect("a side without mate is on the border").next();
        }
        next
    }

    /// Whether the border is cut between a side and the next one: another region begins on the other side, or there the
    /// border does not go on likewise.
    fn is_cut(&self, side: HalfEdge, next: HalfEdge) -> bool {
        match (self.mates.of(side), self.mates.of(next)) {
            (None, None) => false,
            (Some(a), Some(b)) => self.region(a) != self.region(b) || self.next(b) != a,
            _ => true,
        }
    }

    /// Whether this region is the one that straightens the chain: the lower one, or the only one.
    fn leads(&self, side: HalfEdge) -> bool {
        self.other_region(side).is_none_or(|other| self.region(side) < other)
    }

    fn straighten(
        &self,
        chain: &[HalfEdge],
        tolerance: f64,
        bends: &mut [bool],
        segments: &mut Vec<Segment>,
    ) {
        let end = chain[chain.len() - 1].ends(self.mesh.triangles())[1];
        let path: Vec<u32> = chain.iter().map(|&side| self.start(side)).chain([end]).collect();
        let points: Vec<DVec3> = path.iter().map(|&v| self.mesh.vertices()[v as usize]).collect();
        let kept = straightened(&points, tolerance);
        for pair in kept.windows(2) {
            let half_edges = chain[pair[0]..pair[1]].to_vec();
            bends[chain[pair[0]].index()] = true;
            segments.push(Segment { ends: [path[pair[0]], path[pair[1]]], first: half_edges[0], half_edges });
        }
    }
}

/// Indices of the points that a path needs to stay within the tolerance of all of them; first and last always.
fn straightened(points: &[DVec3], tolerance: f64) -> Vec<usize> {
    let mut keep = vec![false; points.len()];
    let last = points.len() - 1;
    keep[0] = true;
    keep[last] = true;
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let farthest =
            (from + 1..to).map(|i| (distance_to_segment(points[i], points[from], points[to]), i)).fold(
                (tolerance, None),
                |best, (distance, i)| if distance > best.0 { (distance, Some(i)) } else { best },
            );
        if let (_, Some(middle)) = farthest {
            keep[middle] = true;
            open.push((from, middle));
            open.push((middle, to));
        }
    }
    (0..points.len()).filter(|&i| keep[i]).collect()
}

fn distance_to_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let length_sq = along.length_squared();
    let t = if length_sq > 0.0 { ((p - a).dot(along) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + along * t)
}
