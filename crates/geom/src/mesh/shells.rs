use super::{Edges, Mesh};
use crate::bounds::Aabb;
use crate::sign::{Side, orient2d, orient3d};
use crate::tolerance;
use glam::{DVec2, DVec3};

/// The closed pieces of a mesh that enclose something, largest volume first.
pub(super) struct Shells<'a> {
    mesh: &'a Mesh,
    shells: Vec<Shell>,
}

struct Shell {
    triangles: Vec<u32>,
    /// Negative if it faces inward.
    volume: f64,
    aabb: Aabb,
}

impl<'a> Shells<'a> {
    /// Finds them, given for each triangle its patch (by the lowest index of a triangle in it). A patch that is not
    /// closed may still be so together with others that it meets at crowded edges.
    pub(super) fn find(mesh: &'a Mesh, edges: &Edges, patch_of: &[u32]) -> Self {
        let closed_alone = closed(mesh, edges, patch_of);
        let component = edges.components();
        let mut lowest: Vec<Option<u32>> = vec![None; component.len()];
        let mut piece_of = patch_of.to_vec();
        for (t, piece) in (0u32..).zip(&mut piece_of) {
            if !closed_alone[*piece as usize] {
                *piece = *lowest[component[t as usize] as usize].get_or_insert(t);
            }
        }
        let closed = closed(mesh, edges, &piece_of);
        let mut pieces: Vec<Vec<u32>> = vec![Vec::new(); piece_of.len()];
        for (t, &piece) in (0u32..).zip(&piece_of) {
            if closed[piece as usize] {
                pieces[piece as usize].push(t);
            }
        }
        let mut shells: Vec<Shell> = pieces
            .into_iter()
            .filter(|triangles| !triangles.is_empty())
            .filter_map(|triangles| Shell::of(mesh, triangles))
            .collect();
        shells.sort_by(|a, b| b.volume.abs().total_cmp(&a.volume.abs()));
        Self { mesh, shells }
    }

    /// The triangles of every piece that should face the other way.
    pub(super) fn inside_out(self) -> Vec<Vec<u32>> {
        let mut effort = 0;
        let mut turned: Vec<bool> = Vec::with_capacity(self.shells.len());
        let mut any_turned = false;
        for (number, shell) in self.shells.iter().enumerate() {
            let inward = shell.volume < 0.0;
            let turn = (inward || any_turned)
                && self.around(number, &mut effort).is_some_and(|around| {
                    let outward =
                        around.iter().filter(|&&other| (self.shells[other].volume > 0.0) != turned[other]);
                    let in_material = outward.count() * 2 > around.len();
                    // What faces outward stays, but a cavity turns with the piece that it is in. Either way it then faces as the
                    // material around it has it, so that nothing turns a second time.
                    if inward {
                        !in_material
                    } else {
                        in_material && around.last().is_some_and(|&inmost| turned[inmost])
                    }
                });
            any_turned |= turn;
            turned.push(turn);
        }
        let turned_shells = self.shells.into_iter().zip(turned).filter(|(_, turned)| *turned);
        turned_shells.map(|(shell, _)| shell.triangles).collect()
    }

    /// The shells that a shell lies in, or none if looking would take too long.
    fn around(&self, number: usize, effort: &mut usize) -> Option<Vec<usize>> {
        const BUDGET: usize = 100_000_000;
        let shell = &self.shells[number];
        let mut around = Vec::new();
        for (other, outer) in self.shells[..number].iter().enumerate() {
            *effort += 1;
            if *effort > BUDGET {
                return None;
            }
            let (low, high) = (outer.aabb.min(), outer.aabb.max());
            if low.cmple(shell.aabb.min()).all() && high.cmpge(shell.aabb.max()).all() {
                *effort += outer.triangles.len();
                if shell.lies_in(outer, self.mesh) {
                    around.push(other);
                }
            }
        }
        Some(around)
    }
}

impl Shell {
    /// None if it encloses nothing worth mentioning, like a sheet with two sides.
    fn of(mesh: &Mesh, triangles: Vec<u32>) -> Option<Self> {
        let corners = |t: u32| mesh.triangles[t as usize].map(|v| mesh.vertices[v as usize]);
        let near = corners(triangles[0])[0];
        let (mut volume, mut area) = (0.0, 0.0);
        for [a, b, c] in triangles.iter().map(|&t| corners(t)) {
            volume += (a - near).dot((b - near).cross(c - near)) / 6.0;
            area += 0.5 * (b - a).cross(c - a).length();
        }
        let aabb = Aabb::of_points(triangles.iter().flat_map(|&t| corners(t)))?;
        (volume.abs() > tolerance::SOLID * area.powf(1.5)).then_some(Self { triangles, volume, aabb })
    }

    /// Whether it lies in another: some point of it does. Points are tried until one is clearly in or out. They do not depend on how it
    /// faces.
    fn lies_in(&self, outer: &Self, mesh: &Mesh) -> bool {
        const TRIES: usize = 8;
        let step = self.triangles.len().div_ceil(TRIES);
        let point = |&t: &u32| {
            let mut ends = mesh.triangles[t as usize];
            ends.sort_unstable();
            let [a, b, c] = ends.map(|v| mesh.vertices[v as usize]);
            a * 0.37 + b * 0.21 + c * 0.42 // Some point that no grid has.
        };
        self.triangles.iter().step_by(step).map(point).find_map(|p| outer.encloses(p, mesh)).unwrap_or(false)
    }

    /// Whether a ray from the point along X crosses it an odd number of times, decided exactly; none if it grazes an
    /// edge or starts on a triangle.
    fn encloses(&self, p: DVec3, mesh: &Mesh) -> Option<bool> {
        let shadow = |p: DVec3| DVec2::new(p.y, p.z);
        let mut odd = false;
        for &t in &self.triangles {
            let [a, b, c] = mesh.triangles[t as usize].map(|v| mesh.vertices[v as usize]);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            if p.y < low.y || p.y > high.y || p.z < low.z || p.z > high.z || p.x > high.x {
                continue;
            }
            let sides = [(a, b), (b, c), (c, a)].map(|(u, v)| orient2d(shadow(u), shadow(v), shadow(p)));
            if sides.contains(&Side::Above) && sides.contains(&Side::Below) {
                continue;
            }
            let height = orient3d(a, b, c, p);
            if sides.contains(&Side::On) || height == Side::On {
                return None;
            }
            // Seen along X, a triangle that turns left faces along X: then what is before it lies below.
            odd ^= (height == Side::Below) == (sides[0] == Side::Above);
        }
        Some(odd)
    }
}

/// For each piece whether its own triangles run along every edge equally often in both directions.
fn closed(mesh: &Mesh, edges: &Edges, piece_of: &[u32]) -> Vec<bool> {
    let mut closed = vec![true; piece_of.len()];
    let mut along = Vec::new();
    for (ends, sides) in edges.iter() {
        along.clear();
        along.extend(
            sides
                .iter()
                .map(|h| (piece_of[h.triangle()], if h.ends(&mesh.triangles) == ends { 1i64 } else { -1 })),
        );
        along.sort_unstable();
        for own in along.chunk_by(|a, b| a.0 == b.0) {
            closed[own[0].0 as usize] &= own.iter().map(|side| side.1).sum::<i64>() == 0;
        }
    }
    closed
}
