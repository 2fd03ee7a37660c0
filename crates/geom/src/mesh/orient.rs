use super::{Edges, HalfEdge, Mesh};

/// A mesh whose triangles agree on the outside, as far as they can.
#[derive(Clone, Debug, PartialEq)]
pub struct Oriented {
    /// The mesh, with some triangles turned round.
    pub mesh: Mesh,
    /// Triangles that disagreed with most of their piece (by area) and were turned round, by index.
    pub disagreeing: Vec<u32>,
    /// Whether all were turned round in the end because the solid was inside out.
    pub inside_out: bool,
    /// Whether some piece has only one side, like a Möbius strip, and was left as it is.
    pub one_sided: bool,
}

/// Makes neighbours agree on the outside, and a solid face outward.
///
/// Within a piece joined by edges of two triangles, the majority by area decides, so that a cavity stays a cavity. If
/// the surface is then solid and its volume negative, all triangles are turned.
#[must_use]
pub fn orient(mut mesh: Mesh) -> Oriented {
    let (disagreeing, one_sided) = disagreeing(&mesh);
    for &t in &disagreeing {
        mesh.triangles[t as usize].swap(1, 2);
    }
    let inside_out = bounds_solid(&mesh) && mesh.volume() < 0.0;
    if inside_out {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    Oriented { mesh, disagreeing, inside_out, one_sided }
}

/// Whether every edge is run along equally often in both directions.
fn bounds_solid(mesh: &Mesh) -> bool {
    Edges::of(mesh).iter().all(|(ends, sides)| {
        let forward = sides.iter().filter(|h| h.ends(&mesh.triangles) == ends).count();
        forward * 2 == sides.len()
    })
}

/// Triangles to turn round so that neighbours agree, and whether some piece cannot agree.
fn disagreeing(mesh: &Mesh) -> (Vec<u32>, bool) {
    let neighbours = neighbours(mesh);
    let area = |t: usize| {
        let [a, b, c] = mesh.triangles[t].map(|i| mesh.vertices[i as usize]);
        (b - a).cross(c - a).length()
    };
    let mut turn: Vec<Option<bool>> = vec![None; mesh.triangles.len()];
    let mut disagreeing = Vec::new();
    let mut any_one_sided = false;
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
        any_one_sided |= one_sided;
        let turned = |t: &&usize| turn[**t] == Some(true);
        let turned_area: f64 = piece.iter().filter(turned).map(|&t| area(t)).sum();
        let total_area: f64 = piece.iter().map(|&t| area(t)).sum();
        let minority = turned_area <= 0.5 * total_area;
        if !one_sided {
            disagreeing.extend(piece.iter().filter(|t| turned(t) == minority).map(|&t| t as u32));
        }
    }
    disagreeing.sort_unstable();
    (disagreeing, any_one_sided)
}

/// For each side of each triangle, the triangle across an edge of two, and whether the two agree on the outside.
fn neighbours(mesh: &Mesh) -> Vec<[Option<(u32, bool)>; 3]> {
    let mut across = vec![[None; 3]; mesh.triangles.len()];
    for (_, sides) in Edges::of(mesh).iter() {
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
