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
    /// Which cells there are spheres for.
    pub keep: Keep,
    /// How many spheres of the smallest size there may be.
    pub most: usize,
}

/// Which cells there are spheres for. What of the surface lies in a cell lies in its sphere, so a cell that holds none of it
/// needs no sphere: both cover all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// Those whose sphere meets the surface, as the patent has it; some of them hold none of it.
    Meeting,
    /// Those that hold some of it, each with a ball around what it holds ([`Rank::fitted`]): fewer, and closer.
    ///
    /// Surfaces with a formula are not cut into pieces: there it is as [`Keep::Meeting`], and the balls are the spheres.
    Holding,
}

impl CoverOptions {
    /// Spheres of a radius where there is surface, with ranks about half as large each as the one before.
    #[must_use]
    pub fn of_radius(radius: f64) -> Self {
        let ranks = Ranks::Ratio(2.0);
        Self { radius, ranks, keep_overlaps: false, keep: Keep::Holding, most: 2_000_000 }
    }

    /// The same as the patent has it: a sphere for every cell whose sphere meets the surface.
    #[must_use]
    pub fn as_in_patent(radius: f64) -> Self {
        Self { keep: Keep::Meeting, ..Self::of_radius(radius) }
    }
}

/// A cell of a rank: what of the box it has to cover, the cube around that, and the triangles near it.
struct Cell {
    part: Aabb,
    cube: Aabb,
    triangles: Vec<u32>,
    /// The ball around what of the surface lies in the part, if only cells with some are kept; or else the sphere.
    fitted: Ball,
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

impl Face {
    /// Whether a box reaches the plane of the triangle.
    fn plane_meets(&self, centre: DVec3, half: DVec3, room: f64) -> bool {
        let from_plane = self.normal.dot(centre - self.corners[0]).abs();
        let half = half + room;
        let reach = self.normal.abs().dot(half);
        from_plane <= reach + NORMAL * (self.size + 4.0 * half.max_element())
    }
}

/// Corners of what lies in a box, and memory to find them with.
#[derive(Default)]
struct Clipped {
    points: Vec<DVec3>,
    /// A polygon before and after it is clipped.
    polygons: [Vec<DVec3>; 2],
}

impl Clipped {
    /// Adds the corners of what of a triangle lies in a box; says whether there are any.
    ///
    /// Side after side of the box (Sutherland and Hodgman 1974), but for those that the triangle does not reach.
    fn add(&mut self, face: &Face, low: DVec3, high: DVec3) -> bool {
        let (below, above) = (face.low.cmplt(low), face.high.cmpgt(high));
        if !below.any() && !above.any() {
            self.points.extend(face.corners);
            return true;
        }
        let [polygon, clipped] = &mut self.polygons;
        polygon.clear();
        polygon.extend(face.corners);
        for axis in 0..3 {
            let sides = [(below.test(axis), low[axis], 1.0), (above.test(axis), high[axis], -1.0)];
            for (_, border, sign) in sides.into_iter().filter(|(is_crossed, ..)| *is_crossed) {
                let Some(&last) = polygon.last() else { return false };
                clipped.clear();
                let (mut p, mut in_p) = (last, sign * (last[axis] - border));
                for &q in &*polygon {
                    let in_q = sign * (q[axis] - border);
                    if (in_p < 0.0) != (in_q < 0.0) {
                        clipped.push(p + (q - p) * (in_p / (in_p - in_q)));
                    }
                    if in_q >= 0.0 {
                        clipped.push(q);
                    }
                    (p, in_p) = (q, in_q);
                }
                std::mem::swap(polygon, clipped);
            }
        }
        self.points.extend_from_slice(polygon);
        !polygon.is_empty()
    }
}

/// Covers a surface with spheres, on all threads of the current pool. The same for any number of threads.
///
/// The box of the surface is cut into cubes that fit into the spheres of the next rank, and each of these again. A cube's edge
/// is `2 r / sqrt(3)`: so its corners lie on its sphere. The last cube along an edge is pushed back so that it ends where the box
/// does, and what it has in common with the one before is given to that one, so the cells tile the box. What of the surface lies
/// in a cell lies in its sphere; which cells are kept, the options say ([`Keep`]).
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
    let holding = options.keep == Keep::Holding;
    let whole = Ball::new(aabb.centre(), radii[0]);
    let fitted = if holding {
        around(faces.iter().flat_map(|face| face.corners), room).unwrap_or(whole)
    } else {
        whole
    };
    let mut ranks = vec![Rank {
        radius: radii[0],
        centres: vec![aabb.centre()],
        fitted: if holding { vec![fitted] } else { Vec::new() },
        first_child: Vec::new(),
    }];
    let division = Division { surface, faces: &faces, room, options };
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
            let children: Vec<Vec<Cell>> =
                some.par_iter().map(|cell| division.divide(cell, radius)).collect();
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
        let fitted = if holding { cells.iter().map(|cell| cell.fitted).collect() } else { Vec::new() };
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

/// How cells are cut.
struct Division<'a> {
    surface: &'a Surface<'a>,
    faces: &'a [Face],
    room: f64,
    options: &'a CoverOptions,
}

impl Division<'_> {
    /// The cells of the next rank in a cell that are kept.
    fn divide(&self, cell: &Cell, radius: f64) -> Vec<Cell> {
        let edge = 2.0 * (radius - self.room) / 3f64.sqrt();
        let cuts = [0, 1, 2].map(|axis| cuts(cell, axis, edge, self.options.keep_overlaps));
        let grid = Grid { cuts, edge, radius };
        match self.options.keep {
            _ if self.faces.is_empty() => self.meeting_formula(&grid),
            Keep::Meeting => self.meeting(&grid, cell),
            Keep::Holding => self.holding(&grid, cell),
        }
    }

    /// Those whose spheres meet a surface with a formula. A touch counts, and rounding must not lose one.
    fn meeting_formula(&self, grid: &Grid) -> Vec<Cell> {
        let reach = grid.radius + self.room;
        let meets =
            |k: &usize| self.surface.formula(grid.centre(*k)).is_some_and(|distance| distance <= reach);
        (0..grid.len()).filter(meets).map(|k| grid.cell(k, Vec::new(), None)).collect()
    }

    /// Those whose spheres meet the triangles near the cell.
    fn meeting(&self, grid: &Grid, cell: &Cell) -> Vec<Cell> {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); grid.len()];
        // A touch counts, and rounding must not lose one.
        let reach = grid.radius + self.room;
        for &id in &cell.triangles {
            let face = &self.faces[id as usize];
            grid.each(
                |axis, cut| cut.centre < face.low[axis] - reach,
                |axis, cut| cut.centre <= face.high[axis] + reach,
                |k| {
                    if face.meets(grid.centre(k), reach) {
                        near[k].push(id);
                    }
                },
            );
        }
        let kept = near.into_iter().enumerate().filter(|(_, triangles)| !triangles.is_empty());
        kept.map(|(k, triangles)| grid.cell(k, triangles, None)).collect()
    }

    /// Those that hold some of the triangles near the cell. A touch counts, and rounding must not lose one.
    fn holding(&self, grid: &Grid, cell: &Cell) -> Vec<Cell> {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); grid.len()];
        // A corner that is cut off is rounded at most six times, each time by less than 7 ε of the largest coordinate; the box is
        // larger by that, and so is the ball. What lies in the part is in the box by more than rounding moves its sides.
        let room = 4.0 * self.room;
        for &id in &cell.triangles {
            let face = &self.faces[id as usize];
            grid.each(
                |axis, cut| cut.high < face.low[axis] - room,
                |axis, cut| cut.low <= face.high[axis] + room,
                |k| {
                    let part = grid.part(k);
                    if face.plane_meets(part.centre(), 0.5 * part.extent(), room) {
                        near[k].push(id);
                    }
                },
            );
        }
        let (mut clipped, mut cells) = (Clipped::default(), Vec::new());
        for (k, mut triangles) in near.into_iter().enumerate() {
            let part = grid.part(k);
            let (low, high) = (part.min() - room, part.max() + room);
            clipped.points.clear();
            triangles.retain(|&id| clipped.add(&self.faces[id as usize], low, high));
            if let Some(fitted) = around(clipped.points.iter().copied(), room) {
                cells.push(grid.cell(k, triangles, Some(fitted)));
            }
        }
        cells
    }
}

/// The cubes that a cell is cut into, numbered with z first.
struct Grid {
    cuts: [Vec<Cut>; 3],
    edge: f64,
    radius: f64,
}

impl Grid {
    fn len(&self) -> usize {
        self.cuts.iter().map(Vec::len).product()
    }

    fn vector(&self, k: usize, number: impl Fn(&Cut) -> f64) -> DVec3 {
        let [cuts_x, cuts_y, cuts_z] = &self.cuts;
        let (y, z) = (cuts_y.len(), cuts_z.len());
        DVec3::new(number(&cuts_x[k / (y * z)]), number(&cuts_y[k / z % y]), number(&cuts_z[k % z]))
    }

    /// The middle of a cube.
    fn centre(&self, k: usize) -> DVec3 {
        self.vector(k, |cut| cut.centre)
    }

    /// What of the box a cube has to cover.
    fn part(&self, k: usize) -> Aabb {
        between(self.vector(k, |cut| cut.low), self.vector(k, |cut| cut.high))
    }

    /// Calls for every cube that is neither `before` nor beyond `until` along any axis. Cuts are in order.
    fn each(
        &self,
        before: impl Fn(usize, &Cut) -> bool,
        until: impl Fn(usize, &Cut) -> bool,
        mut call: impl FnMut(usize),
    ) {
        let [xs, ys, zs] = [0, 1, 2].map(|axis| {
            let list = &self.cuts[axis];
            list.partition_point(|cut| before(axis, cut))..list.partition_point(|cut| until(axis, cut))
        });
        for x in xs {
            for y in ys.clone() {
                for z in zs.clone() {
                    call((x * self.cuts[1].len() + y) * self.cuts[2].len() + z);
                }
            }
        }
    }

    fn cell(&self, k: usize, triangles: Vec<u32>, fitted: Option<Ball>) -> Cell {
        let (centre, half) = (self.centre(k), DVec3::splat(0.5 * self.edge));
        Cell {
            part: self.part(k),
            cube: between(centre - half, centre + half),
            triangles,
            fitted: fitted.unwrap_or(Ball::new(centre, self.radius)),
        }
    }
}

fn between(low: DVec3, high: DVec3) -> Aabb {
    Aabb::of_points([low, high]).expect("two points")
}

/// A ball around points, and a little more; none of none.
fn around(points: impl Iterator<Item = DVec3> + Clone, room: f64) -> Option<Ball> {
    let centre = Aabb::of_points(points.clone())?.centre();
    let radius = points.map(|p| p.distance_squared(centre)).fold(0.0, f64::max).sqrt();
    // Squares that are too small for numbers belong to distances far below the room.
    Some(Ball::new(centre, radius * (1.0 + 8.0 * f64::EPSILON) + room))
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
