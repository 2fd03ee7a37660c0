use super::radii::{Ranks, radii};
use super::{CoverFault, Hierarchy, Rank, Surface};
use crate::bounds::{Aabb, Ball};
use crate::triangle::{self, Triangle};
use glam::DVec3;
use rayon::prelude::*;

/// How a surface is covered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverOptions {
    /// Radius of the smallest spheres: how exact the rough shape is.
    pub radius: f64,
    /// How many ranks.
    pub ranks: Ranks,
    /// Whether cells that overlap are kept as they are (first embodiment, claim 8), or what is common goes to the first of them
    /// (second embodiment).
    pub keep_overlaps: bool,
    /// How many spheres of the smallest size there may be.
    pub most: usize,
}

impl CoverOptions {
    /// Spheres of a radius, with ranks about half as large each as the one before.
    #[must_use]
    pub fn of_radius(radius: f64) -> Self {
        Self { radius, ranks: Ranks::Ratio(2.0), keep_overlaps: false, most: 2_000_000 }
    }
}

/// A cell of a rank: what of the box it has to cover, the cube around that, and the triangles near it.
struct Cell {
    part: Aabb,
    cube: Aabb,
    triangles: Vec<u32>,
    /// The ball around what of the surface lies in the part; none if nothing does.
    fitted: Option<Ball>,
}

/// A triangle, and what tells quickly that a sphere does not meet it.
struct Face {
    corners: Triangle,
    low: DVec3,
    high: DVec3,
    /// Across the plane; zero of a triangle so thin that its direction is not exact.
    normal: DVec3,
    /// The longest side.
    size: f64,
}

/// How far a normal may be off: a triangle that counts as having one has a height of 1e-6 of its longest side, at least, and
/// its sides are exact to 2⁻⁵³.
const NORMAL: f64 = 1e-8;

impl Face {
    fn new(corners: Triangle) -> Self {
        let [a, b, c] = corners;
        let size = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let across = (b - a).cross(c - a);
        let is_thin = !(across.length() > 1e-6 * size * size);
        Self {
            corners,
            low: a.min(b).min(c),
            high: a.max(b).max(c),
            normal: if is_thin { DVec3::ZERO } else { across / across.length() },
            size,
        }
    }

    /// Whether a point whose box reaches the box of the triangle is that near.
    fn meets(&self, c: DVec3, reach: f64) -> bool {
        let reach_sq = reach * reach;
        // Most triangles are small beside the spheres, so a corner or the box tells most.
        if self.corners.iter().any(|corner| corner.distance_squared(c) <= reach_sq) {
            return true;
        }
        let beside_box = (c.clamp(self.low, self.high) - c).length_squared();
        let from_plane = self.normal.dot(c - self.corners[0]).abs();
        beside_box <= reach_sq * (1.0 + NORMAL)
            && from_plane <= reach + NORMAL * (self.size + 4.0 * reach)
            && triangle::nearest(c, &self.corners).distance_squared(c) <= reach_sq
    }
}

/// Covers a surface with spheres, on all threads of the current pool. The same for any number of threads.
///
/// The box of the surface is cut into cubes that fit into the spheres of the next rank, and each of these again. A cube's edge
/// is `2 r / sqrt(3)`: so its corners lie on its sphere. The last cube along an edge is pushed back so that it ends where the box
/// does, and what it has in common with the one before is given to that one, so the cells tile the box. A cell's sphere is kept
/// if it meets the surface: what of the surface lies in the cell lies in its sphere.
///
/// # Errors
/// The radius is not positive, or so small that there would be too many spheres, or the surface has no end.
pub fn cover(surface: &Surface<'_>, options: &CoverOptions) -> Result<Hierarchy, CoverFault> {
    if surface.is_infinite() {
        return Err(CoverFault::Infinite);
    }
    let aabb = surface.aabb()?;
    let coordinate = aabb.min().abs().max(aabb.max().abs()).max_element();
    // Rounding of centres and of cell borders; spheres are that much larger than their cells need.
    let room = 16.0 * f64::EPSILON * coordinate;
    let largest = 0.5 * aabb.diagonal() * (1.0 + 4.0 * f64::EPSILON) + room;
    let radii = radii(largest, options.radius, options.ranks)?;
    let smallest = *radii.last().expect("there is a radius");
    if !(smallest > 1e3 * room) {
        return Err(CoverFault::TooFine { radius: options.radius, coordinate });
    }
    let faces: Vec<Face> = match surface {
        Surface::Mesh(mesh) => mesh.corners().map(Face::new).collect(),
        Surface::Primitive(_) | Surface::Torus { .. } => Vec::new(),
    };
    let whole = Ball::new(aabb.centre(), radii[0]);
    let fitted =
        if faces.is_empty() { Some(whole) } else { around(faces.iter().flat_map(|face| face.corners), room) };
    let mut ranks = vec![Rank {
        radius: radii[0],
        centres: vec![aabb.centre()],
        fitted: vec![fitted],
        first_child: Vec::new(),
    }];
    let mut cells =
        vec![Cell { part: aabb, cube: aabb, triangles: (0..faces.len() as u32).collect(), fitted }];
    for &radius in &radii[1..] {
        // A surface takes as many spheres as squares of their radius fit into it: known before they are made.
        let before = ranks.last().expect("there is a rank");
        let grows = |to: f64| before.centres.len() as f64 * (before.radius / to).powi(2);
        if grows(radius) > 4.0 * options.most as f64 || grows(smallest) > 16.0 * options.most as f64 {
            return Err(CoverFault::TooMany {
                radius: options.radius,
                count: grows(smallest),
                limit: options.most,
            });
        }
        let too_many = |count: usize| CoverFault::TooMany {
            radius: options.radius,
            count: count as f64 * (radius / smallest).powi(2),
            limit: options.most,
        };
        let mut first_child = vec![0];
        let mut next = Vec::new();
        // Some at a time, so that too many are noticed before they are made.
        for some in cells.chunks(4096) {
            let children: Vec<Vec<Cell>> = some
                .par_iter()
                .map(|cell| divide(cell, surface, &faces, radius, room, options.keep_overlaps))
                .collect();
            for list in children {
                next.extend(list);
                first_child.push(next.len() as u32);
            }
            if next.len() > options.most {
                // As many more as there are cells left.
                return Err(too_many(next.len() * cells.len() / (first_child.len() - 1)));
            }
        }
        ranks.last_mut().expect("there is a rank").first_child = first_child;
        cells = next;
        let centres = cells.iter().map(|cell| cell.cube.centre()).collect();
        let fitted = cells.iter().map(|cell| cell.fitted).collect();
        ranks.push(Rank { radius, centres, fitted, first_child: Vec::new() });
    }
    Ok(Hierarchy { ranks })
}

/// Covers a surface with at most so many smallest spheres, as small as a search over radii makes them. Of the options, the radius
/// and the limit do not count.
///
/// # Errors
/// As for [`cover`]; and no spheres are allowed.
pub fn cover_by_count(
    surface: &Surface<'_>,
    count: usize,
    options: &CoverOptions,
) -> Result<Hierarchy, CoverFault> {
    if count == 0 {
        return Err(CoverFault::NoSpheres);
    }
    if surface.is_infinite() {
        return Err(CoverFault::Infinite);
    }
    let with = |radius: f64| cover(surface, &CoverOptions { radius, most: count, ..*options });
    // One sphere; larger radii give the same.
    let mut enough = surface.aabb()?.diagonal().max(f64::MIN_POSITIVE);
    let mut best = with(enough)?;
    let mut too_small = 0.0;
    // The number does not always grow as the radius shrinks, so this finds a good radius, not always the best.
    for _ in 0..40 {
        let radius = if too_small > 0.0 { f64::sqrt(too_small) * f64::sqrt(enough) } else { 0.5 * enough };
        match with(radius) {
            Ok(found) => (best, enough) = (found, radius),
            Err(CoverFault::TooMany { .. } | CoverFault::TooFine { .. }) => too_small = radius,
            Err(fault) => return Err(fault),
        }
        if too_small > 0.0 && enough < 1.001 * too_small {
            break;
        }
    }
    Ok(best)
}

/// The cells of the next rank in a cell whose spheres meet the surface.
fn divide(
    cell: &Cell,
    surface: &Surface<'_>,
    faces: &[Face],
    radius: f64,
    room: f64,
    keep_overlaps: bool,
) -> Vec<Cell> {
    let edge = 2.0 * (radius - room) / 3f64.sqrt();
    let cuts = [0, 1, 2].map(|axis| cuts(cell, axis, edge, keep_overlaps));
    let [nx, ny, nz] = [cuts[0].len(), cuts[1].len(), cuts[2].len()];
    let centre = |k: usize| {
        DVec3::new(cuts[0][k / (ny * nz)].centre, cuts[1][k / nz % ny].centre, cuts[2][k % nz].centre)
    };
    let mut near: Vec<Vec<u32>> = vec![Vec::new(); nx * ny * nz];
    let mut meets = vec![false; nx * ny * nz];
    // A touch counts, and rounding must not lose one.
    let reach = radius + room;
    if surface.formula(DVec3::ZERO).is_some() {
        for (k, meets) in meets.iter_mut().enumerate() {
            *meets = surface.formula(centre(k)).is_some_and(|distance| distance <= reach);
        }
    } else {
        for &id in &cell.triangles {
            let face = &faces[id as usize];
            let (low, high) = (face.low - reach, face.high + reach);
            let ranges = [0, 1, 2].map(|axis| {
                let list = &cuts[axis];
                list.partition_point(|cut| cut.centre < low[axis])
                    ..list.partition_point(|cut| cut.centre <= high[axis])
            });
            for x in ranges[0].clone() {
                for y in ranges[1].clone() {
                    for z in ranges[2].clone() {
                        let k = (x * ny + y) * nz + z;
                        let c = centre(k);
                        if face.meets(c, reach) {
                            near[k].push(id);
                            meets[k] = true;
                        }
                    }
                }
            }
        }
    }
    let make = |(k, triangles): (usize, Vec<u32>)| {
        let of = [&cuts[0][k / (ny * nz)], &cuts[1][k / nz % ny], &cuts[2][k % nz]];
        let vector = |number: fn(&Cut) -> f64| DVec3::new(number(of[0]), number(of[1]), number(of[2]));
        let between = |low, high| Aabb::of_points([low, high]).expect("two points");
        let half = DVec3::splat(0.5 * edge);
        let part = between(vector(|cut| cut.low), vector(|cut| cut.high));
        let fitted = if faces.is_empty() {
            Some(Ball::new(centre(k), radius))
        } else {
            fit(&part, triangles.iter().map(|&id| &faces[id as usize].corners), room)
        };
        Cell { part, cube: between(centre(k) - half, centre(k) + half), triangles, fitted }
    };
    near.into_iter().enumerate().filter(|(k, _)| meets[*k]).map(make).collect()
}

/// A ball around what of some triangles lies in a box.
fn fit<'a>(part: &Aabb, triangles: impl Iterator<Item = &'a Triangle>, room: f64) -> Option<Ball> {
    let (low, high) = (part.min() - room, part.max() + room);
    let mut points: Vec<DVec3> = Vec::new();
    let mut polygon: Vec<DVec3> = Vec::new();
    let mut clipped: Vec<DVec3> = Vec::new();
    for corners in triangles {
        polygon.clear();
        polygon.extend(corners);
        let is_inside = |p: &DVec3| p.cmpge(low).all() && p.cmple(high).all();
        if !corners.iter().all(is_inside) {
            // Sutherland and Hodgman (1974): side after side of the box.
            for axis in 0..3 {
                for (border, sign) in [(low[axis], 1.0), (high[axis], -1.0)] {
                    clipped.clear();
                    for (k, &p) in polygon.iter().enumerate() {
                        let q = polygon[(k + 1) % polygon.len()];
                        let (in_p, in_q) = (sign * (p[axis] - border), sign * (q[axis] - border));
                        if in_p >= 0.0 {
                            clipped.push(p);
                        }
                        if (in_p < 0.0) != (in_q < 0.0) {
                            clipped.push(p + (q - p) * (in_p / (in_p - in_q)));
                        }
                    }
                    std::mem::swap(&mut polygon, &mut clipped);
                }
            }
        }
        points.extend(&polygon);
    }
    // Clipped points are rounded: less than the room that the box and the ball have.
    around(points.iter().copied(), room)
}

/// A ball around points, and a little more; none of none.
fn around(points: impl Iterator<Item = DVec3> + Clone, room: f64) -> Option<Ball> {
    let centre = Aabb::of_points(points.clone())?.centre();
    let radius = points.map(|p| p.distance(centre)).fold(0.0, f64::max);
    Some(Ball::new(centre, radius * (1.0 + 4.0 * f64::EPSILON) + room))
}

/// Where a cell is cut along an axis.
struct Cut {
    low: f64,
    high: f64,
    /// The middle of the cube.
    centre: f64,
}

fn cuts(cell: &Cell, axis: usize, edge: f64, keep_overlaps: bool) -> Vec<Cut> {
    let (low, high) = (cell.part.min()[axis], cell.part.max()[axis]);
    let count = ((high - low) / edge).ceil().max(1.0) as usize;
    if count == 1 {
        // The cell is thinner than the cube: if the cube can lie within the one that it belongs to, it does, and then its
        // sphere lies within that one's too.
        let around = (cell.cube.min()[axis] + 0.5 * edge, cell.cube.max()[axis] - 0.5 * edge);
        let middle = 0.5 * (low + high);
        let centre = if around.0 <= around.1 { middle.clamp(around.0, around.1) } else { middle };
        return vec![Cut { low, high, centre }];
    }
    let cut = |k: usize| {
        let is_last = k + 1 == count;
        let from = if is_last && keep_overlaps { high - edge } else { low + k as f64 * edge };
        let to = if is_last { high } else { low + (k + 1) as f64 * edge };
        let cube_from = if is_last { high - edge } else { low + k as f64 * edge };
        Cut { low: from, high: to, centre: cube_from + 0.5 * edge }
    };
    (0..count).map(cut).collect()
}
