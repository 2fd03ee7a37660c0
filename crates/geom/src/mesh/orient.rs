use super::shells::Shells;
use super::{Edges, HalfEdge, Mesh};

/// A mesh whose triangles agree on the outside, as far as they can.
#[derive(Clone, Debug, PartialEq)]
pub struct Oriented {
    /// The mesh, with some triangles turned round.
    pub mesh: Mesh,
    /// Triangles that disagreed with most of their piece (by area) and were turned round, by index.
    pub disagreeing: Vec<u32>,
    /// How many closed pieces were inside out, and so turned round as a whole.
    pub inside_out: usize,
    /// Whether some piece has only one side, like a Möbius strip, and was left as it is.
    pub one_sided: bool,
}

/// Makes neighbours agree on the outside, and closed pieces face outward.
///
/// Within a piece joined by edges of two triangles, the majority by area decides. A closed piece that then faces inward
/// is a cavity if it lies in the material of others. Otherwise it is turned, and with it what was a cavity in it. Where
/// pieces are so many and so large that looking for those around each would take too long, the smaller ones are left as
/// they are.
#[must_use]
pub fn orient(mut mesh: Mesh) -> Oriented {
    let mut edges = Edges::of(&mesh);
    let patches = Patches::find(&mesh, &edges);
    if !patches.disagreeing.is_empty() {
        for &t in &patches.disagreeing {
            mesh.triangles[t as usize].swap(1, 2);
        }
        edges = Edges::of(&mesh); // Turned triangles run along their sides the other way.
    }
    let turned = Shells::find(&mesh, &edges, &patches.of).inside_out();
    for &t in turned.iter().flatten() {
        mesh.triangles[t as usize].swap(1, 2);
    }
    let Patches { disagreeing, one_sided, .. } = patches;
    Oriented { mesh, disagreeing, inside_out: turned.len(), one_sided }
}

/// Triangles joined by edges of two triangles.
struct Patches {
    /// For each triangle its patch: the lowest index of a triangle in it.
    of: Vec<u32>,
    /// Triangles to turn round so that neighbours agree.
    disagreeing: Vec<u32>,
    /// Whether some patch cannot agree.
    one_sided: bool,
}

impl Patches {
    fn find(mesh: &Mesh, edges: &Edges) -> Self {
        let neighbours = neighbours(mesh, edges);
        let area = |t: usize| {
            let [a, b, c] = mesh.triangles[t].map(|i| mesh.vertices[i as usize]);
            (b - a).cross(c - a).length()
        };
        let mut patches =
            Self { of: vec![0; mesh.triangles.len()], disagreeing: Vec::new(), one_sided: false };
        let mut turn: Vec<Option<bool>> = vec![None; mesh.triangles.len()];
        for seed in 0..mesh.triangles.len() {
            if turn[seed].is_some() {
                continue;
            }
            turn[seed] = Some(false);
            let mut piece = vec![seed];
            let mut one_sided = false;
            let mut next = 0;
            while next < piece.len() {
                let t = piece[next];
                next += 1;
                patches.of[t] = seed as u32;
                let here = turn[t].expect("triangles in the piece are decided");
                for &(other, agrees) in neighbours[t].iter().flatten() {
                    let wanted = if agrees { here } else { !here };
                    match turn[other as usize] {
                        None => {
                            turn[other as usize] = Some(wanted);
                            piece.push(other as usize);
                        }
                        Some(decided) => one_sided |= decided != wanted,
                    }
                }
            }
            patches.one_sided |= one_sided;
            let turned = |t: &&usize| turn[**t] == Some(true);
            let turned_area: f64 = piece.iter().filter(turned).map(|&t| area(t)).sum();
            let total_area: f64 = piece.iter().map(|&t| area(t)).sum();
            let minority = turned_area <= 0.5 * total_area;
            if !one_sided {
                patches.disagreeing.extend(piece.iter().filter(|t| turned(t) == minority).map(|&t| t as u32));
            }
        }
        patches.disagreeing.sort_unstable();
        patches
    }
}

/// For each side of each triangle, the triangle across an edge of two, and whether the two agree on the outside.
fn neighbours(mesh: &Mesh, edges: &Edges) -> Vec<[Option<(u32, bool)>; 3]> {
    let mut across = vec![[None; 3]; mesh.triangles.len()];
    for (_, sides) in edges.iter() {
        if let &[a, b] = sides {
            let agrees = a.ends(&mesh.triangles) != b.ends(&mesh.triangles);
            let mut link = |h: HalfEdge, other: HalfEdge| {
                across[h.triangle()][h.corner()] = Some((other.triangle() as u32, agrees));
            };
            link(a, b);
            link(b, a);
        }
    }
    across
}
