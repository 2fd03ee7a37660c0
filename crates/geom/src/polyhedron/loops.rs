use super::mates::Mates;
use super::regions::Regions;
use crate::mesh::{HalfEdge, Mesh};
use crate::polygon;
use glam::DVec3;

/// The borders of all regions, between triangles.
pub(super) struct Border<'a> {
    mesh: &'a Mesh,
    mates: &'a Mates,
    regions: &'a Regions,
    /// Closed walks along the borders, each with its region on the left.
    rings: Vec<Vec<HalfEdge>>,
    /// For each region the ring that encloses most, among those of three sides and more.
    outer: Vec<Option<usize>>,
}

/// The borders of all regions, straightened.
pub(super) struct Outline {
    /// Straight pieces, each once.
    pub(super) segments: Vec<Segment>,
    /// For each region its closed borders, as vertices of the mesh where they bend; the outer one first, then by their
    /// lowest vertex.
    pub(super) loops: Vec<Vec<Vec<u32>>>,
}

/// A straight piece of border between two regions, or between one and nothing.
pub(super) struct Segment {
    pub(super) ends: [u32; 2],
    /// The sides it consists of, seen from the left region.
    pub(super) half_edges: Vec<HalfEdge>,
}

impl<'a> Border<'a> {
    /// Walks along the borders.
    pub(super) fn trace(mesh: &'a Mesh, mates: &'a Mates, regions: &'a Regions) -> Self {
        let outer = vec![None; regions.planes.len()];
        let mut border = Self { mesh, mates, regions, rings: Vec::new(), outer };
        let sides = mesh.triangles().len() * 3;
        let mut seen = vec![false; sides];
        for start in (0..sides).map(|side| HalfEdge::new(side / 3, side % 3)) {
            if seen[start.index()] || !border.is_border(start) {
                continue;
            }
            let mut ring = Vec::new();
            let mut side = start;
            while !seen[side.index()] {
                seen[side.index()] = true;
                ring.push(side);
                side = border.next(side);
            }
            border.begin_at_a_corner(&mut ring);
            border.rings.push(ring);
        }
        let mut most = vec![f64::NEG_INFINITY; regions.planes.len()];
        for (number, ring) in border.rings.iter().enumerate().filter(|(_, ring)| ring.len() >= 3) {
            let region = border.region(ring[0]) as usize;
            let points: Vec<DVec3> = ring.iter().map(|&side| border.at(side)).collect();
            let area = regions.planes[region].normal.dot(polygon::newell(&points));
            if area > most[region] {
                most[region] = area;
                border.outer[region] = Some(number);
            }
        }
        border
    }

    /// Whether a region has no outline at all, like a crumb that fits into the tolerance on all sides.
    pub(super) fn is_missing(&self, region: usize) -> bool {
        self.outer[region].is_none()
    }

    /// Straightens the borders.
    ///
    /// A border is first cut where the region on its other side changes. Between two cuts it is a chain shared by the
    /// same two regions, and is straightened once for both: of its inner vertices only those stay that are farther
    /// than the tolerance from the line (Douglas and Peucker 1973). An outer border keeps three corners at least, others
    /// two.
    pub(super) fn straightened(&self, tolerances: &[f64]) -> Outline {
        let mut bends = vec![false; self.mesh.triangles().len() * 3]; // Whether the border bends at the start of a side.
        for chain in self.rings.iter().flat_map(|ring| self.leading_chains(ring)) {
            let end = chain[chain.len() - 1].ends(self.mesh.triangles())[1];
            let path: Vec<DVec3> =
                chain.iter().map(|&side| self.at(side)).chain([self.mesh.vertices()[end as usize]]).collect();
            for pair in corners(&path, tolerances[chain[0].triangle()]).windows(2) {
                bends[chain[pair[0]].index()] = true;
                // The other region's side starts where this one ends.
                if let Some(mate) = self.mates.of(chain[pair[1] - 1]) {
                    bends[mate.index()] = true;
                }
            }
        }
        for (number, ring) in self.rings.iter().enumerate() {
            let is_outer = self.outer[self.region(ring[0]) as usize] == Some(number);
            self.keep_corners(ring, if is_outer { 3 } else { 2 }, &mut bends);
        }
        let mut segments = Vec::new();
        for chain in self.rings.iter().flat_map(|ring| self.leading_chains(ring)) {
            for straight in chain.chunk_by(|_, next| !bends[next.index()]) {
                let [first, last] = [straight[0], straight[straight.len() - 1]];
                let ends = [self.start(first), last.ends(self.mesh.triangles())[1]];
                segments.push(Segment { ends, half_edges: straight.to_vec() });
            }
        }
        let mut loops: Vec<Vec<(bool, Vec<u32>)>> = vec![Vec::new(); self.outer.len()];
        for (number, ring) in self.rings.iter().enumerate() {
            let region = self.region(ring[0]) as usize;
            let bent = ring.iter().filter(|side| bends[side.index()]).map(|&side| self.start(side));
            loops[region].push((self.outer[region] != Some(number), bent.collect()));
        }
        for rings in &mut loops {
            rings.sort_by_key(|(is_hole, ring)| (*is_hole, ring.iter().copied().min()));
        }
        let loops =
            loops.into_iter().map(|rings| rings.into_iter().map(|(_, ring)| ring).collect()).collect();
        Outline { segments, loops }
    }

    fn region(&self, side: HalfEdge) -> u32 {
        self.regions.of[side.triangle()]
    }

    fn other_region(&self, side: HalfEdge) -> Option<u32> {
        self.mates.of(side).map(|mate| self.region(mate))
    }

    fn start(&self, side: HalfEdge) -> u32 {
        side.ends(self.mesh.triangles())[0]
    }

    /// Where a side starts.
    fn at(&self, side: HalfEdge) -> DVec3 {
        self.mesh.vertices()[self.start(side) as usize]
    }

    fn is_border(&self, side: HalfEdge) -> bool {
        self.other_region(side) != Some(self.region(side))
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

    /// Lets a ring begin at a cut; where there is none, at the vertex farthest from its middle, which is a corner in
    /// every pose.
    fn begin_at_a_corner(&self, ring: &mut [HalfEdge]) {
        let before = |i: usize| ring[(i + ring.len() - 1) % ring.len()];
        let cut = (0..ring.len()).find(|&i| self.is_cut(before(i), ring[i]));
        let begin = cut.unwrap_or_else(|| {
            let middle = ring.iter().map(|&side| self.at(side)).sum::<DVec3>() / ring.len() as f64;
            let distance = |i: &usize| self.at(ring[*i]).distance(middle);
            (0..ring.len()).max_by(|a, b| distance(a).total_cmp(&distance(b))).expect("a ring has sides")
        });
        ring.rotate_left(begin);
    }

    /// The chains of a ring for which its region speaks: the lower one of the two, or the only one.
    fn leading_chains<'r>(&'r self, ring: &'r [HalfEdge]) -> impl Iterator<Item = &'r [HalfEdge]> {
        let leads = |side| self.other_region(side).is_none_or(|other| self.region(side) < other);
        ring.chunk_by(|&a, &b| !self.is_cut(a, b)).filter(move |chain| leads(chain[0]))
    }

    /// Makes a ring bend at least so often, if it has so many sides: where it is farthest from the line between the
    /// bends that it has.
    fn keep_corners(&self, ring: &[HalfEdge], least: usize, bends: &mut [bool]) {
        loop {
            let bent: Vec<DVec3> =
                ring.iter().filter(|side| bends[side.index()]).map(|&side| self.at(side)).collect();
            if bent.len() >= least.min(ring.len()) {
                return;
            }
            let (Some(&first), Some(&last)) = (bent.first(), bent.last()) else { return };
            let distance = |i: &usize| distance_to_segment(self.at(ring[*i]), first, last);
            let straight = (1..ring.len()).filter(|&i| !bends[ring[i].index()]);
            let Some(i) = straight.max_by(|a, b| distance(a).total_cmp(&distance(b))) else { return };
            bends[ring[i].index()] = true;
            if let Some(mate) = self.mates.of(ring[i - 1]) {
                bends[mate.index()] = true;
            }
        }
    }
}

/// Indices of the points that a path needs to stay within the tolerance of all of them; first and last always.
///
/// Cutting at the farthest point takes quadratic time if it always lies near an end. So after many cuts the rest is cut
/// in its middle, which may keep a point too many.
fn corners(points: &[DVec3], tolerance: f64) -> Vec<usize> {
    const CUTS: usize = 50;
    let mut keep = vec![false; points.len()];
    let last = points.len() - 1;
    keep[0] = true;
    keep[last] = true;
    let mut open = vec![(0, last, 0)];
    while let Some((from, to, cuts)) = open.pop() {
        let farthest =
            (from + 1..to).map(|i| (distance_to_segment(points[i], points[from], points[to]), i)).fold(
                (tolerance, None),
                |best, (distance, i)| if distance > best.0 { (distance, Some(i)) } else { best },
            );
        if let (_, Some(farthest)) = farthest {
            let cut = if cuts < CUTS { farthest } else { from.midpoint(to) };
            keep[cut] = true;
            open.push((from, cut, cuts + 1));
            open.push((cut, to, cuts + 1));
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
