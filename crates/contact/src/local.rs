//! What a body is like near one of its points: a cone, cut into convex pieces.

use crate::part::Part;
use kansho_geom::glam::DVec3;
use kansho_geom::polyhedron::Bend;

/// The part of a body that a point lies on, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// A corner.
    Corner(u32),
    /// The inside of an edge.
    Edge(u32),
    /// The inside of a face.
    Face(u32),
    /// A face that is not flat.
    Round(u32),
}

/// Several features of a kind at one point: a sheet or a needle thinner than the tolerance, or edges that coincide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Several;

/// A convex cone `normal · x ≤ 0` for all its normals, and vectors that generate it.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) normals: Vec<DVec3>,
    pub(crate) generators: Vec<DVec3>,
}

/// Most planes through one point whose cells are enumerated; their number grows with the square.
const MOST_PLANES: usize = 24;

impl Part {
    /// What a point lies on: a corner within the tolerance before an edge, an edge before a face. Nothing if it lies on none;
    /// an error if it lies on several of a kind, whose cones are not one.
    pub(crate) fn feature_at(&self, point: DVec3, tolerance: f64) -> Result<Option<Feature>, Several> {
        let only = |near: &mut dyn Iterator<Item = bool>| {
            let mut found = (0u32..).zip(near).filter(|&(_, near)| near).map(|(i, _)| i);
            let first = found.next();
            if found.next().is_some() { Err(Several) } else { Ok(first) }
        };
        if let Some(corner) = only(&mut self.corners.iter().map(|c| c.point.distance(point) <= tolerance))? {
            return Ok(Some(Feature::Corner(corner)));
        }
        let on_edge = |ends: [DVec3; 2]| {
            let along = ends[1] - ends[0];
            let t = ((point - ends[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            point.distance(ends[0] + along * t) <= tolerance
        };
        if let Some(edge) = only(&mut self.edges.iter().map(|e| on_edge(self.ends(e))))? {
            return Ok(Some(Feature::Edge(edge)));
        }
        Ok(only(&mut self.faces.iter().map(|f| f.covers(self, point, tolerance)))?.map(Feature::Face))
    }

    /// Faces around a feature.
    pub(crate) fn faces_of(&self, feature: Feature) -> Vec<u32> {
        let mut faces = match feature {
            Feature::Corner(v) => self.corners[v as usize].sectors.iter().map(|s| s.0).collect(),
            Feature::Edge(e) => self.edges[e as usize].faces.to_vec(),
            Feature::Face(f) => vec![f],
            Feature::Round(r) => self.rounds[r as usize].faces.clone(),
        };
        faces.sort_unstable();
        faces.dedup();
        faces
    }

    /// The uncertainty of directions around a feature.
    pub(crate) fn angle_at(&self, feature: Feature) -> f64 {
        self.faces_of(feature).iter().map(|&f| self.faces[f as usize].angle).fold(0.0, f64::max)
    }

    /// The convex pieces of the body near a feature; none if there are too many planes to enumerate.
    pub(crate) fn pieces(&self, feature: Feature, angle: f64) -> Option<Vec<Piece>> {
        let normal = |f: u32| self.faces[f as usize].normal;
        match feature {
            Feature::Face(f) => Some(vec![Piece::of(vec![normal(f)], angle)?]),
            Feature::Edge(e) => {
                let edge = &self.edges[e as usize];
                let [left, right] = edge.faces.map(normal);
                if edge.bend == Bend::Flat || left.angle_between(right) <= angle {
                    Some(vec![Piece::of(vec![(left + right).try_normalize()?], angle)?])
                } else if edge.bend == Bend::Concave {
                    Some(vec![Piece::of(vec![left], angle)?, Piece::of(vec![right], angle)?])
                } else {
                    Some(vec![Piece::of(vec![left, right], angle)?])
                }
            }
            Feature::Corner(v) => self.pieces_at_corner(v, angle),
            Feature::Round(_) => None,
        }
    }

    /// Planes that noise cannot tell apart are one, that of the widest face; and for each face its plane, and whether its
    /// normal is that of the plane.
    fn planes(&self, feature: Feature, angle: f64) -> (Vec<DVec3>, impl Fn(u32) -> (usize, bool) + use<>) {
        let mut faces = self.faces_of(feature);
        faces.sort_by(|&f, &g| self.faces[f as usize].angle.total_cmp(&self.faces[g as usize].angle));
        let mut planes: Vec<DVec3> = Vec::new();
        let mut side_of: Vec<(u32, (usize, bool))> = Vec::new();
        for &f in &faces {
            let normal = self.faces[f as usize].normal;
            let known = planes.iter().position(|p| p.cross(normal).length() <= angle);
            let index = known.unwrap_or_else(|| {
                planes.push(normal);
                planes.len() - 1
            });
            side_of.push((f, (index, planes[index].dot(normal) > 0.0)));
        }
        let side = move |f: u32| side_of.iter().find(|s| s.0 == f).expect("a face of the feature").1;
        (planes, side)
    }

    fn pieces_at_corner(&self, v: u32, angle: f64) -> Option<Vec<Piece>> {
        let corner = &self.corners[v as usize];
        let (planes, side_of) = self.planes(Feature::Corner(v), angle);
        let toward = |w: u32| (self.at(w) - corner.point).try_normalize();
        let mut sectors = Vec::with_capacity(corner.sectors.len());
        for &(f, [from, to]) in &corner.sectors {
            let (plane, outward) = side_of(f);
            let normal = planes[plane] * if outward { 1.0 } else { -1.0 };
            sectors.push(Sector { plane, outward, normal, from: toward(from)?, to: toward(to)? });
        }
        let ends = || sectors.iter().flat_map(|s| [s.from, s.to]);
        let narrow = sectors.iter().all(|s| s.normal.dot(s.from.cross(s.to)) >= -angle) && is_one_fan(corner);
        if narrow && sectors.iter().all(|s| ends().all(|e| s.normal.dot(e) <= angle)) {
            return Some(vec![Piece::of(distinct(&sectors), angle)?]);
        }
        if narrow && sectors.iter().all(|s| ends().all(|e| s.normal.dot(e) >= -angle)) {
            // What is outside is convex: each plane has all that lies behind it.
            return distinct(&sectors).into_iter().map(|n| Piece::of(vec![n], angle)).collect();
        }
        crate::cells::pieces(&planes, &sectors, angle)
    }
}

/// A sector of a face at a corner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sector {
    /// Its plane.
    pub(crate) plane: usize,
    /// Whether the plane's normal points out of the body here.
    pub(crate) outward: bool,
    /// The normal that does.
    pub(crate) normal: DVec3,
    /// Where it begins and ends, counter-clockwise about the normal.
    pub(crate) from: DVec3,
    pub(crate) to: DVec3,
}

impl Sector {
    /// Whether it holds a direction of its plane, not counting its sides.
    pub(crate) fn holds(&self, direction: DVec3) -> bool {
        let turn = |d: DVec3| {
            let angle = self.normal.dot(self.from.cross(d)).atan2(self.from.dot(d));
            if angle < 0.0 { angle + std::f64::consts::TAU } else { angle }
        };
        turn(direction) < turn(self.to)
    }
}

fn distinct(sectors: &[Sector]) -> Vec<DVec3> {
    let mut seen: Vec<(usize, bool)> = Vec::new();
    let mut normals = Vec::new();
    for sector in sectors {
        if !seen.contains(&(sector.plane, sector.outward)) {
            seen.push((sector.plane, sector.outward));
            normals.push(sector.normal);
        }
    }
    normals
}

/// Whether the sectors of a corner follow each other all the way round.
fn is_one_fan(corner: &crate::part::Corner) -> bool {
    let mut seen = 1;
    let start = corner.sectors[0].1;
    let mut end = start[1];
    while end != start[0] {
        let Some(next) = corner.sectors.iter().find(|s| s.1[0] == end) else { return false };
        end = next.1[1];
        seen += 1;
        if seen > corner.sectors.len() {
            return false;
        }
    }
    seen == corner.sectors.len()
}

impl Piece {
    /// The cone of some outward normals; none if it has no inside, or none of them has a direction.
    pub(crate) fn of(normals: Vec<DVec3>, angle: f64) -> Option<Self> {
        let mut generators: Vec<DVec3> = Vec::new();
        let fits = |d: DVec3, normals: &[DVec3]| normals.iter().all(|n| n.dot(d) <= angle);
        let add = |d: Option<DVec3>, generators: &mut Vec<DVec3>, normals: &[DVec3]| {
            if let Some(d) = d
                && fits(d, normals)
                && !generators.iter().any(|g| g.dot(d) > 0.0 && g.cross(d).length() <= 0.1 * angle)
            {
                generators.push(d);
            }
        };
        let first = normals[0];
        let rank_one = normals.iter().all(|n| n.cross(first).length() <= angle);
        if rank_one {
            let (u, v) = first.any_orthonormal_pair();
            for d in [u, -u, v, -v, -first] {
                add(Some(d), &mut generators, &normals);
            }
        } else {
            let second =
                *normals.iter().max_by(|a, b| a.cross(first).length().total_cmp(&b.cross(first).length()))?;
            let line = first.cross(second).try_normalize()?;
            if normals.iter().all(|n| n.dot(line).abs() <= angle) {
                for d in [line, -line] {
                    add(Some(d), &mut generators, &normals);
                }
                for n in &normals {
                    for d in [n.cross(line), line.cross(*n)] {
                        add(d.try_normalize(), &mut generators, &normals);
                    }
                }
            } else {
                for (i, a) in normals.iter().enumerate() {
                    for b in &normals[i + 1..] {
                        if a.cross(*b).length() > angle {
                            for d in [a.cross(*b), b.cross(*a)] {
                                add(d.try_normalize(), &mut generators, &normals);
                            }
                        }
                    }
                }
            }
        }
        (generators.len() >= 3).then_some(Self { normals, generators })
    }
}

pub(crate) fn too_many(planes: usize) -> bool {
    planes > MOST_PLANES
}
