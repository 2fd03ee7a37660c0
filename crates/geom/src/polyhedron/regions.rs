use super::mates::Mates;
use crate::mesh::{HalfEdge, Mesh};
use glam::DVec3;
use std::collections::HashMap;

/// Triangles grouped by the plane they lie in.
pub(super) struct Regions {
    /// For each triangle its region.
    pub(super) of: Vec<u32>,
    /// For each region its triangles, in ascending order. Regions are numbered by their first triangle, so that the
    /// numbers do not depend on the pose of the mesh.
    pub(super) members: Vec<Vec<u32>>,
    /// For each region its plane.
    pub(super) planes: Vec<Plane>,
}

/// A plane `normal · x = offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) normal: DVec3,
    pub(super) offset: f64,
}

impl Plane {
    pub(super) fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

/// Not in a region yet.
const FREE: u32 = u32::MAX;

impl Regions {
    pub(super) fn grow(mesh: &Mesh, mates: &Mates, tolerance: f64) -> Self {
        let facets: Vec<Facet> = mesh.corners().map(Facet::of).collect();
        let growth = Growth { mesh, mates, facets: &facets, tolerance };
        let mut seeds: Vec<u32> = (0..facets.len() as u32).collect();
        // Large triangles have the best planes. The sort is stable, so equal ones keep their order.
        seeds.sort_by(|&a, &b| {
            facets[b as usize].doubled_area().total_cmp(&facets[a as usize].doubled_area())
        });
        let mut of = vec![FREE; facets.len()];
        let mut members: Vec<Vec<u32>> = Vec::new();
        for seed in seeds {
            if of[seed as usize] == FREE && facets[seed as usize].doubled_area() > 0.0 {
                let region = members.len() as u32;
                members.push(growth.region(seed, region, &mut of));
            }
        }
        growth.adopt_orphans(&mut of, &mut members);
        growth.join_neighbours(&mut of, &mut members);
        members.retain(|region| !region.is_empty());
        members.iter_mut().for_each(|region| region.sort_unstable());
        members.sort_unstable_by_key(|region| region[0]);
        for (number, region) in (0u32..).zip(&members) {
            region.iter().for_each(|&t| of[t as usize] = number);
        }
        let planes = members.iter().map(|region| growth.fit(region)).collect();
        Self { of, members, planes }
    }
}

/// What a triangle adds to the fit of a plane.
#[derive(Clone, Copy)]
struct Facet {
    /// Normal times twice the area.
    vector_area: DVec3,
    centre: DVec3,
    longest_side: f64,
}

impl Facet {
    fn of([a, b, c]: [DVec3; 3]) -> Self {
        Self {
            vector_area: (b - a).cross(c - a),
            centre: (a + b + c) / 3.0,
            longest_side: a.distance(b).max(b.distance(c)).max(c.distance(a)),
        }
    }

    fn doubled_area(&self) -> f64 {
        self.vector_area.length()
    }
}

/// Sums from which the plane of a set of triangles follows: the area-weighted normal through the area-weighted centre.
#[derive(Clone, Copy, Default)]
struct Fit {
    vector_area: DVec3,
    moment: DVec3,
    weight: f64,
}

impl Fit {
    fn with(self, facet: &Facet) -> Self {
        let weight = facet.doubled_area();
        Self {
            vector_area: self.vector_area + facet.vector_area,
            moment: self.moment + facet.centre * weight,
            weight: self.weight + weight,
        }
    }

    fn plane(&self) -> Plane {
        let normal = self.vector_area.try_normalize().unwrap_or(DVec3::ZERO);
        let centre = if self.weight > 0.0 { self.moment / self.weight } else { DVec3::ZERO };
        Plane { normal, offset: normal.dot(centre) }
    }
}

struct Growth<'a> {
    mesh: &'a Mesh,
    mates: &'a Mates,
    facets: &'a [Facet],
    tolerance: f64,
}

impl Growth<'_> {
    /// The region around a seed, marked in `of`.
    ///
    /// The plane is fitted again with every triangle that joins, since that of one small triangle would tilt away from
    /// a large face. On a gentle curve such a plane could drift; then what was gathered early no longer fits at the
    /// end, and the region is grown again against the seed's own plane.
    fn region(&self, seed: u32, region: u32, of: &mut [u32]) -> Vec<u32> {
        let members = self.flood(seed, region, of, true);
        if self.holds(&self.fit(&members), &members) {
            return members;
        }
        for &t in &members {
            of[t as usize] = FREE;
        }
        self.flood(seed, region, of, false)
    }

    fn flood(&self, seed: u32, region: u32, of: &mut [u32], refit: bool) -> Vec<u32> {
        of[seed as usize] = region;
        let mut members = vec![seed];
        let mut fit = Fit::default().with(&self.facets[seed as usize]);
        let mut plane = fit.plane();
        let mut next = 0;
        while next < members.len() {
            let t = members[next];
            next += 1;
            for other in self.neighbours(t) {
                if of[other as usize] == FREE && self.lies_in(other, &plane) {
                    of[other as usize] = region;
                    members.push(other);
                    if refit {
                        fit = fit.with(&self.facets[other as usize]);
                        plane = fit.plane();
                    }
                }
            }
        }
        members
    }

    fn neighbours(&self, t: u32) -> impl Iterator<Item = u32> {
        (0..3).filter_map(move |corner| {
            self.mates.of(HalfEdge::new(t as usize, corner)).map(|mate| mate.triangle() as u32)
        })
    }

    /// Whether a triangle's corners lie in the plane and it faces the same way. A triangle narrower than the tolerance
    /// has no direction worth asking for.
    fn lies_in(&self, t: u32, plane: &Plane) -> bool {
        let facet = &self.facets[t as usize];
        let narrow = facet.doubled_area() <= 2.0 * self.tolerance * facet.longest_side;
        (narrow || facet.vector_area.dot(plane.normal) > 0.0) && self.holds(plane, &[t])
    }

    fn holds(&self, plane: &Plane, triangles: &[u32]) -> bool {
        let corners = triangles.iter().flat_map(|&t| self.mesh.triangles()[t as usize]);
        corners.into_iter().all(|v| plane.height(self.mesh.vertices()[v as usize]).abs() <= self.tolerance)
    }

    fn fit<'t>(&self, triangles: impl IntoIterator<Item = &'t u32>) -> Plane {
        triangles.into_iter().fold(Fit::default(), |fit, &t| fit.with(&self.facets[t as usize])).plane()
    }

    /// Triangles without area that no region has reached go to a neighbour: they lie in its edge.
    fn adopt_orphans(&self, of: &mut [u32], members: &mut [Vec<u32>]) {
        let mut waiting: Vec<u32> =
            (0u32..).zip(of.iter()).filter(|&(_, &r)| r == FREE).map(|(t, _)| t).collect();
        while !waiting.is_empty() {
            let before = waiting.len();
            waiting.retain(|&t| {
                let home = self.neighbours(t).map(|other| of[other as usize]).find(|&region| region != FREE);
                if let Some(region) = home {
                    of[t as usize] = region;
                    members[region as usize].push(t);
                }
                home.is_none()
            });
            // A mesh keeps no connected piece without area, so every orphan reaches a region; crowded edges could still
            // separate one, which then is no face at all and goes to the first region.
            if waiting.len() == before {
                for t in waiting.drain(..) {
                    of[t as usize] = 0;
                    members[0].push(t);
                }
            }
        }
    }

    /// Joins neighbouring regions that one plane holds, until none are left. A region that gave its triangles away is
    /// left empty.
    fn join_neighbours(&self, of: &mut [u32], members: &mut [Vec<u32>]) {
        // A pair is tried again only after one of the two has grown.
        let mut growth = vec![0u32; members.len()];
        let mut tried: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
        let mut waiting: Vec<u32> = (0..members.len() as u32).collect();
        while let Some(region) = waiting.pop() {
            let across =
                members[region as usize].iter().flat_map(|&t| self.neighbours(t)).map(|t| of[t as usize]);
            let mut others: Vec<u32> = across.filter(|&other| other != region).collect();
            others.sort_unstable();
            others.dedup();
            for other in others {
                let pair = [region.min(other), region.max(other)];
                let sizes = pair.map(|r| growth[r as usize]);
                if tried.insert(pair, sizes) == Some(sizes) || !self.one_plane(region, other, members) {
                    continue;
                }
                let [keep, give] = pair;
                let moved = std::mem::take(&mut members[give as usize]);
                moved.iter().for_each(|&t| of[t as usize] = keep);
                members[keep as usize].extend(moved);
                growth[keep as usize] += 1;
                waiting.push(keep);
                break;
            }
        }
    }

    fn one_plane(&self, a: u32, b: u32, members: &[Vec<u32>]) -> bool {
        let (a, b) = (&members[a as usize], &members[b as usize]);
        let (fit_a, fit_b) = (self.fit(a), self.fit(b));
        // Cheap refusal: turned away by more than any tolerance could explain.
        if fit_a.normal.dot(fit_b.normal) < 0.5 {
            return false;
        }
        let plane = self.fit(a.iter().chain(b));
        self.holds(&plane, a) && self.holds(&plane, b)
    }
}
