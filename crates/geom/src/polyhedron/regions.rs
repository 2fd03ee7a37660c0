use super::joining;
use super::mates::Mates;
use crate::mesh::{HalfEdge, Mesh};
use glam::DVec3;

/// Triangles grouped by the plane they lie in.
pub(super) struct Regions {
    /// For each triangle its region.
    pub(super) of: Vec<u32>,
    /// For each region its triangles, in ascending order. Regions are numbered by their first triangle, so that the
    /// numbers do not depend on the pose of the mesh.
    pub(super) members: Vec<Vec<u32>>,
    /// For each region its plane. No corner of its triangles is farther from it than the tolerance.
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

/// A region that has become larger by this factor is worth another fit.
pub(super) fn has_grown(now: usize, before: usize) -> bool {
    now * 4 >= before * 5
}

impl Regions {
    pub(super) fn grow(mesh: &Mesh, mates: &Mates, tolerances: &[f64]) -> Self {
        let facets: Vec<Facet> = mesh.corners().map(Facet::of).collect();
        let growth = Growth { mesh, mates, facets: &facets, tolerances };
        let mut of = vec![FREE; facets.len()];
        let mut regions: Vec<Region> = Vec::new();
        for seed in growth.seeds() {
            if of[seed as usize] == FREE {
                let number = regions.len() as u32;
                regions.push(growth.region(seed, number, &mut of));
            }
        }
        let regions = joining::join(&growth, regions, &of);
        let settled = regions.into_iter().map(|region| growth.settled(region)).collect();
        Self::numbered(settled, facets.len())
    }

    /// Makes each triangle of some regions a region of its own.
    pub(super) fn dissolve(&mut self, mesh: &Mesh, dissolve: impl Fn(usize) -> bool) {
        let mut regions = Vec::with_capacity(self.planes.len());
        for (region, (members, plane)) in self.members.drain(..).zip(&self.planes).enumerate() {
            if dissolve(region) {
                let corners = |t: u32| mesh.triangles()[t as usize].map(|v| mesh.vertices()[v as usize]);
                regions.extend(members.iter().map(|&t| (vec![t], Facet::of(corners(t)).plane())));
            } else {
                regions.push((members, *plane));
            }
        }
        *self = Self::numbered(regions, self.of.len());
    }

    fn numbered(mut regions: Vec<(Vec<u32>, Plane)>, triangles: usize) -> Self {
        regions.sort_unstable_by_key(|(members, _)| members[0]);
        let mut of = vec![FREE; triangles];
        for (number, (members, _)) in (0u32..).zip(&regions) {
            members.iter().for_each(|&t| of[t as usize] = number);
        }
        let (members, planes) = regions.into_iter().unzip();
        Self { of, members, planes }
    }
}

/// What a triangle adds to the fit of a plane.
#[derive(Clone, Copy)]
pub(super) struct Facet {
    /// Normal times twice the area.
    vector_area: DVec3,
    doubled_area: f64,
    centre: DVec3,
    longest_side: DVec3,
}

impl Facet {
    fn of([a, b, c]: [DVec3; 3]) -> Self {
        let vector_area = (b - a).cross(c - a);
        let longer = |p: DVec3, q: DVec3| if q.length_squared() > p.length_squared() { q } else { p };
        Self {
            vector_area,
            doubled_area: vector_area.length(),
            centre: (a + b + c) / 3.0,
            longest_side: longer(longer(b - a, c - b), a - c),
        }
    }

    /// The triangle's own plane. That of a sliver, whose direction drowns in rounding, holds at least its longest side.
    fn plane(&self) -> Plane {
        let along = self.longest_side.try_normalize().unwrap_or(DVec3::X);
        let across = self.vector_area - along * along.dot(self.vector_area);
        let normal = across.try_normalize().unwrap_or_else(|| along.any_orthonormal_vector());
        Plane { normal, offset: normal.dot(self.centre) }
    }
}

/// Sums from which the plane of a set of triangles follows: the area-weighted normal through the area-weighted centre.
#[derive(Clone, Copy, Default)]
pub(super) struct Fit {
    vector_area: DVec3,
    moment: DVec3,
    weight: f64,
}

impl Fit {
    fn with(self, facet: &Facet) -> Self {
        let weight = facet.doubled_area;
        self.and(Self { vector_area: facet.vector_area, moment: facet.centre * weight, weight })
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            vector_area: self.vector_area + other.vector_area,
            moment: self.moment + other.moment,
            weight: self.weight + other.weight,
        }
    }

    /// None if there is no area, or the triangles face all ways.
    pub(super) fn plane(&self) -> Option<Plane> {
        let normal = self.vector_area.try_normalize()?;
        (self.weight > 0.0).then(|| Plane { normal, offset: normal.dot(self.moment / self.weight) })
    }
}

/// A set of connected triangles and a plane that holds them all.
pub(super) struct Region {
    pub(super) members: Vec<u32>,
    pub(super) fit: Fit,
    pub(super) plane: Plane,
    /// Whether some triangle is wide enough to say which way it faces.
    pub(super) directed: bool,
}

pub(super) struct Growth<'a> {
    mesh: &'a Mesh,
    mates: &'a Mates,
    facets: &'a [Facet],
    tolerances: &'a [f64],
}

impl Growth<'_> {
    /// All triangles, those with the best planes first: the large ones. Equals are ordered by what no pose changes, as
    /// far as there is such a thing, and all is rounded, so that noise in the last digits does not decide.
    fn seeds(&self) -> Vec<u32> {
        let rounded = |x: f64| (x.to_bits() + (1 << 21)) >> 22; // 30 bits: one part in 1e9.
        let all = self.facets.iter().fold(Fit::default(), |fit, facet| fit.with(facet));
        let middle = if all.weight > 0.0 { all.moment / all.weight } else { DVec3::ZERO };
        let key = |t: u32| {
            let facet = &self.facets[t as usize];
            let sizes = [facet.doubled_area, facet.longest_side.length(), facet.centre.distance(middle)];
            (std::cmp::Reverse(sizes.map(rounded)), t)
        };
        let mut seeds: Vec<u32> = (0..self.facets.len() as u32).collect();
        seeds.sort_by_cached_key(|&t| key(t));
        seeds
    }

    /// The region around a seed, marked in `of`.
    ///
    /// Everything connected that lies in the seed's plane joins; then the plane is fitted to it all and more may join,
    /// for the plane of one small triangle would tilt away from a large face. On a gentle curve the new plane may fail
    /// to hold what the old one held: then the old one stays. Each round costs as much as the region is large; so the
    /// last one is that in which it no longer grows by much.
    fn region(&self, seed: u32, number: u32, of: &mut [u32]) -> Region {
        const SMALL: usize = 64;
        let facet = &self.facets[seed as usize];
        let mut region = Region {
            members: vec![seed],
            fit: Fit::default().with(facet),
            plane: facet.plane(),
            directed: !self.is_narrow(seed),
        };
        of[seed as usize] = number;
        loop {
            let before = region.members.len();
            self.flood(&mut region, number, of);
            let now = region.members.len();
            let fitted = region.fit.plane().filter(|plane| self.holds(plane, &region.members));
            match fitted {
                Some(plane) if now > before => region.plane = plane,
                _ => return region,
            }
            if now > SMALL && !has_grown(now, before) {
                return region;
            }
        }
    }

    /// Adds everything that is free, lies in the plane, and is connected to the region by what does.
    fn flood(&self, region: &mut Region, number: u32, of: &mut [u32]) {
        let mut next = 0;
        while let Some(&t) = region.members.get(next) {
            next += 1;
            for other in self.neighbours(t) {
                if of[other as usize] == FREE && self.lies_in(other, &region.plane) {
                    of[other as usize] = number;
                    region.members.push(other);
                    region.fit = region.fit.with(&self.facets[other as usize]);
                    region.directed |= !self.is_narrow(other);
                }
            }
        }
    }

    pub(super) fn neighbours(&self, t: u32) -> impl Iterator<Item = u32> {
        (0..3).filter_map(move |corner| {
            self.mates.of(HalfEdge::new(t as usize, corner)).map(|mate| mate.triangle() as u32)
        })
    }

    /// Whether a triangle's corners lie in the plane and it faces the same way, if it faces any.
    fn lies_in(&self, t: u32, plane: &Plane) -> bool {
        (self.facets[t as usize].vector_area.dot(plane.normal) > 0.0 || self.is_narrow(t))
            && self.holds(plane, &[t])
    }

    /// Whether a triangle is narrower than the tolerance, and so has no direction worth asking for.
    fn is_narrow(&self, t: u32) -> bool {
        let facet = &self.facets[t as usize];
        facet.doubled_area <= 2.0 * self.tolerances[t as usize] * facet.longest_side.length()
    }

    pub(super) fn holds(&self, plane: &Plane, triangles: &[u32]) -> bool {
        self.held(plane, triangles) == triangles.len()
    }

    /// How many triangles the plane holds before the first that it does not.
    pub(super) fn held(&self, plane: &Plane, triangles: &[u32]) -> usize {
        let held = |&t: &u32| {
            let [a, b, c] = self.mesh.triangles()[t as usize].map(|v| self.mesh.vertices()[v as usize]);
            [a, b, c].iter().all(|&p| plane.height(p).abs() <= self.tolerances[t as usize])
        };
        triangles.iter().position(|t| !held(t)).unwrap_or(triangles.len())
    }

    /// The triangles of a region in ascending order, and its plane: the best fit, if that holds them.
    fn settled(&self, mut region: Region) -> (Vec<u32>, Plane) {
        region.members.sort_unstable();
        if let [only] = region.members[..] {
            return (region.members, self.facets[only as usize].plane());
        }
        let fit = region.members.iter().fold(Fit::default(), |fit, &t| fit.with(&self.facets[t as usize]));
        let fitted = fit.plane().filter(|plane| self.holds(plane, &region.members));
        (region.members, fitted.unwrap_or(region.plane))
    }
}
