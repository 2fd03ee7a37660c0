use super::Mesh;
use super::edges::Edges;
use crate::bounds::Aabb;
use crate::{sign, tolerance};
use glam::DVec3;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A mesh, and what became of the triangles it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Welded {
    /// The mesh.
    pub mesh: Mesh,
    /// For each triangle of the mesh, the index of the given triangle it comes from.
    pub source: Vec<u32>,
    /// What was left out.
    pub removed: Removed,
}

/// Given triangles that are no part of the mesh, by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Two corners coincide.
    pub collapsed: Vec<u32>,
    /// The same triangle with the same winding stands at the second index.
    pub repeated: Vec<[u32; 2]>,
    /// No area, and no neighbour with area: three corners on a bare line.
    pub bare: Vec<u32>,
}

impl Removed {
    /// How many.
    #[must_use]
    pub fn count(&self) -> usize {
        self.collapsed.len() + self.repeated.len() + self.bare.len()
    }
}

/// Why points and triangles are not a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshFault {
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite: {point}")]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
        /// The vertex.
        point: DVec3,
    },
    /// A coordinate is beyond [`tolerance::COORDINATE_LIMIT`].
    #[error("vertex {vertex} lies at {point}, beyond the limit of {limit:e} m", limit = tolerance::COORDINATE_LIMIT)]
    TooFar {
        /// Index of the vertex.
        vertex: usize,
        /// The vertex.
        point: DVec3,
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} names vertex {index}, but there are only {vertices} (counted from 0)")]
    NoSuchVertex {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// There are no triangles at all.
    #[error("there are no triangles")]
    Empty,
    /// There are triangles, but none has area.
    #[error("none of the {triangles} triangles has any area; together they measure {extent} m")]
    NoArea {
        /// Number of triangles given.
        triangles: usize,
        /// Extent of the points that they use.
        extent: DVec3,
    },
    /// More than `u32` can count.
    #[error("{0} vertices or triangles are more than a mesh can hold")]
    TooMany(usize),
}

/// Makes a mesh of points and triangles: joins vertices that coincide, leaves out what is no surface, and says what.
///
/// With `merge_within` 0 only equal points are joined. Otherwise a point joins the nearest earlier one within that
/// distance (in metres), so no vertex moves farther than that.
///
/// # Errors
/// The first number, index or extent that no mesh can have.
pub fn weld(points: &[DVec3], triangles: &[[u32; 3]], merge_within: f64) -> Result<Welded, MeshFault> {
    if let Some(&most) = [points.len(), triangles.len()].iter().find(|&&n| n >= (u32::MAX / 3) as usize) {
        return Err(MeshFault::TooMany(most));
    }
    for (vertex, &point) in points.iter().enumerate() {
        if !point.is_finite() {
            return Err(MeshFault::NotFinite { vertex, point });
        }
        if point.abs().max_element() > tolerance::COORDINATE_LIMIT {
            return Err(MeshFault::TooFar { vertex, point });
        }
    }
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&i| i as usize >= points.len()) {
            return Err(MeshFault::NoSuchVertex { triangle, index, vertices: points.len() });
        }
    }
    if triangles.is_empty() {
        return Err(MeshFault::Empty);
    }

    let mut removed = Removed::default();
    let (mut vertices, joined) =
        if merge_within > 0.0 { join_near(points, merge_within) } else { join_equal(points) };
    let mut source = Vec::with_capacity(triangles.len());
    let mut kept = Vec::with_capacity(triangles.len());
    for (index, corners) in (0u32..).zip(triangles) {
        let [a, b, c] = corners.map(|i| joined[i as usize]);
        if a == b || b == c || c == a {
            removed.collapsed.push(index);
        } else {
            source.push(index);
            kept.push([a, b, c]);
        }
    }
    drop(joined);
    remove_repeated(vertices.len(), &mut kept, &mut source, &mut removed.repeated);
    remove_bare(&vertices, &mut kept, &mut source, &mut removed.bare);
    if kept.is_empty() {
        let used = triangles.iter().flatten().map(|&i| points[i as usize]);
        let extent = Aabb::of_points(used).map_or(DVec3::ZERO, |b| b.extent());
        return Err(MeshFault::NoArea { triangles: triangles.len(), extent });
    }
    drop_unused(&mut vertices, &mut kept);
    Ok(Welded { mesh: Mesh { vertices, triangles: kept }, source, removed })
}

/// A surface of which hairline cracks were closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// The new mesh; sources and removed triangles refer to those of the old one.
    pub welded: Welded,
    /// Vertices that were joined to another.
    pub joined: usize,
    /// Edges at which the surface was open before, and is no longer.
    pub closed_edges: usize,
}

/// Closes cracks: joins vertices at open edges that are within a distance of each other, if fewer edges are open then.
///
/// Programs that compute the two sides of a seam separately leave points that differ in the last bits. Vertices away
/// from open edges stay as they are.
#[must_use]
pub fn close_cracks(mesh: &Mesh, within: f64) -> Option<Closed> {
    let open_edges = |edges: &Edges| edges.iter().filter(|(_, sides)| sides.len() % 2 == 1).count();
    let edges = Edges::of(mesh);
    let before = open_edges(&edges);
    if before == 0 {
        return None;
    }
    let mut rim: Vec<u32> =
        edges.iter().filter(|(_, sides)| sides.len() % 2 == 1).flat_map(|(ends, _)| ends).collect();
    rim.sort_unstable();
    rim.dedup();
    let rim_points: Vec<DVec3> = rim.iter().map(|&v| mesh.vertices[v as usize]).collect();
    let (representatives, joined_to) = join_near(&rim_points, within);
    let joined = rim.len() - representatives.len();
    if joined == 0 {
        return None;
    }
    let mut points = mesh.vertices.clone();
    for (&v, &representative) in rim.iter().zip(&joined_to) {
        points[v as usize] = representatives[representative as usize];
    }
    let welded = weld(&points, &mesh.triangles, 0.0).ok()?;
    let after = open_edges(&Edges::of(&welded.mesh));
    (after < before).then(|| Closed { welded, joined, closed_edges: before - after })
}

/// A coordinate as a mesh holds it: no −0, nothing below the floor.
fn settled(point: DVec3) -> DVec3 {
    let settle = |x: f64| if x.abs() < tolerance::COORDINATE_FLOOR { 0.0 } else { x };
    DVec3::new(settle(point.x), settle(point.y), settle(point.z))
}

/// Distinct points in order of first appearance, and for each given point its number among them.
fn join_equal(points: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
    // The standard hasher is keyed at random: a hostile file cannot aim at one bucket. The order of numbers does not
    // depend on it.
    let mut numbers: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len() / 4);
    let mut vertices: Vec<DVec3> = Vec::new();
    let joined = points
        .iter()
        .map(|&point| {
            let point = settled(point);
            *numbers.entry(point.to_array().map(f64::to_bits)).or_insert_with(|| {
                vertices.push(point);
                vertices.len() as u32 - 1
            })
        })
        .collect();
    (vertices, joined)
}

/// As [`join_equal`], but a point joins the nearest earlier representative within `reach`.
///
/// Representatives are kept in a grid of cells `reach` wide, so that only 27 cells need a look.
fn join_near(points: &[DVec3], reach: f64) -> (Vec<DVec3>, Vec<u32>) {
    const NONE: u32 = u32::MAX;
    let cell_of = |p: DVec3| (p / reach).floor().to_array().map(|x| x as i64);
    let mut first_in_cell: HashMap<[i64; 3], u32> = HashMap::new();
    let mut next_in_cell: Vec<u32> = Vec::new();
    let mut vertices: Vec<DVec3> = Vec::new();
    let joined = points
        .iter()
        .map(|&point| {
            let point = settled(point);
            let cell = cell_of(point);
            let mut nearest = (reach * reach, NONE);
            for offset in 0..27 {
                let shift = [offset % 3 - 1, offset / 3 % 3 - 1, offset / 9 - 1];
                let key: [i64; 3] = std::array::from_fn(|axis| cell[axis].saturating_add(shift[axis]));
                let mut other = first_in_cell.get(&key).copied().unwrap_or(NONE);
                while other != NONE {
                    let distance_sq = vertices[other as usize].distance_squared(point);
                    // Equal distances: the earlier one, whatever the order of cells.
                    if distance_sq < nearest.0 || distance_sq == nearest.0 && other < nearest.1 {
                        nearest = (distance_sq, other);
                    }
                    other = next_in_cell[other as usize];
                }
            }
            if nearest.1 != NONE {
                return nearest.1;
            }
            let number = vertices.len() as u32;
            vertices.push(point);
            next_in_cell.push(match first_in_cell.entry(cell) {
                Entry::Occupied(mut first) => first.insert(number),
                Entry::Vacant(first) => {
                    first.insert(number);
                    NONE
                }
            });
            number
        })
        .collect();
    (vertices, joined)
}

/// Leaves out triangles that stand earlier with the same corners in the same turning sense.
fn remove_repeated(
    vertex_count: usize,
    kept: &mut Vec<[u32; 3]>,
    source: &mut Vec<u32>,
    repeated: &mut Vec<[u32; 2]>,
) {
    // Sorted by smallest corner with a counting sort, then each small group by the other two.
    let turned = |t: [u32; 3]| {
        let first = (0..3).min_by_key(|&k| t[k]).expect("a triangle has corners");
        [t[first], t[(first + 1) % 3], t[(first + 2) % 3]]
    };
    let mut start = vec![0u32; vertex_count + 1];
    for &t in kept.iter() {
        start[turned(t)[0] as usize + 1] += 1;
    }
    for v in 0..vertex_count {
        start[v + 1] += start[v];
    }
    let mut fill = start.clone();
    let mut by_smallest = vec![([0u32; 2], 0u32); kept.len()];
    for (index, &t) in (0u32..).zip(kept.iter()) {
        let [smallest, second, third] = turned(t);
        let slot = &mut fill[smallest as usize];
        by_smallest[*slot as usize] = ([second, third], index);
        *slot += 1;
    }
    let mut drop_it = Vec::new();
    for v in 0..vertex_count {
        let group = &mut by_smallest[start[v] as usize..start[v + 1] as usize];
        group.sort_unstable();
        for equal in group.chunk_by(|a, b| a.0 == b.0) {
            drop_it.extend(equal[1..].iter().map(|&(_, index)| [index, equal[0].1]));
        }
    }
    if drop_it.is_empty() {
        return;
    }
    drop_it.sort_unstable();
    repeated.extend(drop_it.iter().map(|pair| pair.map(|i| source[i as usize])));
    let mut dropped = drop_it.iter().map(|pair| pair[0] as usize).peekable();
    retain_both(kept, source, |index| dropped.next_if_eq(&index).is_none());
}

/// Leaves out connected pieces in which no triangle has area.
fn remove_bare(vertices: &[DVec3], kept: &mut Vec<[u32; 3]>, source: &mut Vec<u32>, bare: &mut Vec<u32>) {
    let flat = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| vertices[i as usize]);
        sign::collinear(a, b, c)
    };
    let flats: Vec<bool> = kept.iter().map(flat).collect();
    if !flats.contains(&true) {
        return;
    }
    let component = Edges::of_triangles(vertices.len(), kept).components();
    let mut has_area = vec![false; kept.len()];
    for (&piece, &flat) in component.iter().zip(&flats) {
        has_area[piece as usize] |= !flat;
    }
    let keep: Vec<bool> = component.iter().map(|&piece| has_area[piece as usize]).collect();
    bare.extend(source.iter().zip(&keep).filter(|(_, keep)| !**keep).map(|(&given, _)| given));
    retain_both(kept, source, |index| keep[index]);
}

fn retain_both(kept: &mut Vec<[u32; 3]>, source: &mut Vec<u32>, mut keep: impl FnMut(usize) -> bool) {
    let mut to = 0;
    for from in 0..kept.len() {
        if keep(from) {
            kept[to] = kept[from];
            source[to] = source[from];
            to += 1;
        }
    }
    kept.truncate(to);
    source.truncate(to);
}

fn drop_unused(vertices: &mut Vec<DVec3>, triangles: &mut [[u32; 3]]) {
    let mut used = vec![false; vertices.len()];
    triangles.iter().flatten().for_each(|&i| used[i as usize] = true);
    if !used.contains(&false) {
        return;
    }
    let mut renumbered = vec![0u32; vertices.len()];
    let mut next = 0;
    for (index, &used) in used.iter().enumerate() {
        renumbered[index] = next;
        if used {
            vertices[next as usize] = vertices[index];
            next += 1;
        }
    }
    vertices.truncate(next as usize);
    triangles.iter_mut().flatten().for_each(|i| *i = renumbered[*i as usize]);
}
