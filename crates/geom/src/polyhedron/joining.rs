use super::regions::{Growth, Plane, Region, has_grown};
use std::collections::{HashMap, VecDeque};

/// Joins neighbouring regions that one plane holds, until none are left.
///
/// However the regions lie, this takes hardly more than linear time: a pair costs as much as its smaller region (and in
/// a surface, the smaller ones of all pairs together are no more than three times the surface), is tried again only
/// after one of the two has grown by a quarter, and the larger one is looked through only as often as it can afford.
pub(super) fn join(growth: &Growth, regions: Vec<Region>, of: &[u32]) -> Vec<Region> {
    let mut neighbours = vec![Vec::new(); regions.len()];
    for (t, &region) in (0u32..).zip(of) {
        let others = growth.neighbours(t).map(|other| of[other as usize]);
        neighbours[region as usize].extend(others.filter(|&other| other != region));
    }
    let count = regions.len();
    let mut joining = Joining {
        growth,
        regions: regions.into_iter().map(Some).collect(),
        joined_to: (0..count as u32).collect(),
        neighbours,
        searched: vec![0; count],
        spent: vec![0; count],
        tried: HashMap::new(),
    };
    for region in 0..count as u32 {
        if joining.searched[region as usize] == 0 && joining.root(region) == region {
            joining.search(region);
        }
    }
    joining.regions.into_iter().flatten().collect()
}

struct Joining<'a> {
    growth: &'a Growth<'a>,
    /// None: joined to another.
    regions: Vec<Option<Region>>,
    /// The region it was joined to, or itself.
    joined_to: Vec<u32>,
    /// Regions next to it, perhaps repeated, perhaps under numbers that were joined to others.
    neighbours: Vec<Vec<u32>>,
    /// How many triangles it had when all its neighbours were last tried; 0: never.
    searched: Vec<usize>,
    /// Triangles looked at to see whether another plane would hold it.
    spent: Vec<usize>,
    /// The sizes at which a pair was last tried.
    tried: HashMap<[u32; 2], [usize; 2]>,
}

impl Joining<'_> {
    fn root(&mut self, mut region: u32) -> u32 {
        while self.joined_to[region as usize] != region {
            let above = self.joined_to[region as usize];
            self.joined_to[region as usize] = self.joined_to[above as usize];
            region = above;
        }
        region
    }

    fn region(&self, region: u32) -> &Region {
        self.regions[region as usize].as_ref().expect("a root is a region")
    }

    fn size(&self, region: u32) -> usize {
        self.region(region).members.len()
    }

    /// Tries all neighbours of a region, and those of the regions that it becomes.
    fn search(&mut self, mut here: u32) {
        let mut open = VecDeque::from(self.all_neighbours(here));
        while let Some(other) = open.pop_front() {
            let other = self.root(other);
            if other == here || !self.worth_trying(here, other) {
                continue;
            }
            let (small, large) =
                if self.size(here) < self.size(other) { (here, other) } else { (other, here) };
            let Some(plane) = self.common_plane(small, large) else { continue };
            self.give(small, large, plane);
            here = large;
            let gained = std::mem::take(&mut self.neighbours[small as usize]);
            open.extend(&gained);
            self.neighbours[here as usize].extend(gained);
            if has_grown(self.size(here), self.searched[here as usize]) {
                open = self.all_neighbours(here).into();
            }
        }
    }

    fn all_neighbours(&mut self, region: u32) -> Vec<u32> {
        self.searched[region as usize] = self.size(region);
        let listed = std::mem::take(&mut self.neighbours[region as usize]);
        let mut roots: Vec<u32> = listed.into_iter().map(|other| self.root(other)).collect();
        roots.sort_unstable();
        roots.dedup();
        self.neighbours[region as usize].clone_from(&roots);
        roots
    }

    fn worth_trying(&mut self, a: u32, b: u32) -> bool {
        let pair = [a.min(b), a.max(b)];
        let sizes = pair.map(|region| self.size(region));
        let before = self.tried.get(&pair).copied().unwrap_or_default();
        let worth = has_grown(sizes[0], before[0]) || has_grown(sizes[1], before[1]);
        if worth {
            self.tried.insert(pair, sizes);
        }
        worth
    }

    /// A plane that holds both: fitted to both, or that of the larger.
    fn common_plane(&mut self, small: u32, large: u32) -> Option<Plane> {
        const SCANS: usize = 16;
        let (few, many) = (self.region(small), self.region(large));
        // Cheap refusal: turned away by more than any tolerance could explain.
        if few.directed && many.directed && few.plane.normal.dot(many.plane.normal) < 0.5 {
            return None;
        }
        let fitted = few.fit.and(many.fit).plane().filter(|plane| self.growth.holds(plane, &few.members));
        if let Some(plane) = fitted
            && self.spent[large as usize] <= SCANS * many.members.len()
        {
            let held = self.growth.held(&plane, &many.members);
            let all = held == many.members.len();
            self.spent[large as usize] += held + 1;
            if all {
                return Some(plane);
            }
        }
        let (few, many) = (self.region(small), self.region(large));
        self.growth.holds(&many.plane, &few.members).then_some(many.plane)
    }

    fn give(&mut self, small: u32, large: u32, plane: Plane) {
        let given = self.regions[small as usize].take().expect("a root is a region");
        let region = self.regions[large as usize].as_mut().expect("a root is a region");
        region.members.extend(given.members);
        region.fit = region.fit.and(given.fit);
        region.directed |= given.directed;
        region.plane = plane;
        self.joined_to[small as usize] = large;
    }
}
