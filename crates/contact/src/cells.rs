//! Cells of the planes through a point, and the convex pieces they make up.
//!
//! A cell is told by the side of every plane on which it lies. All cells are found without sampling: each has a ray on the
//! line of two planes, and around such a ray the sides of all planes that do not hold it are known, while those that do form
//! a fan. Whether a cell is inside follows at its faces: where the surface is there, from its normal; where it is not,
//! from the neighbour.

use crate::local::{Piece, Sector, too_many};
use kansho_geom::glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// The convex pieces of the cone that some sectors bound; none if there are too many planes or the sectors contradict.
pub(crate) fn pieces(planes: &[DVec3], sectors: &[Sector], angle: f64) -> Option<Vec<Piece>> {
    let real = planes.len();
    if too_many(real) {
        return None;
    }
    // Two more planes where needed, so that three meet in a point; no piece depends on them.
    let mut planes = planes.to_vec();
    spread(&mut planes, angle)?;
    let rays = rays(&planes, angle);
    let cells = cells(&planes, &rays, angle);
    let inside = inside(&planes, &rays, &cells, sectors, angle)?;
    let full: Vec<&Vec<bool>> =
        cells.iter().zip(&inside).filter(|&(_, &is)| is).map(|(cell, _)| cell).collect();
    let empty: Vec<&Vec<bool>> =
        cells.iter().zip(&inside).filter(|&(_, &is)| !is).map(|(cell, _)| cell).collect();

    // From each cell, planes are dropped as long as nothing outside gets in.
    let mut largest: BTreeSet<Vec<Option<bool>>> = BTreeSet::new();
    let fits = |piece: &[Option<bool>], cell: &[bool]| {
        piece.iter().zip(cell).all(|(p, c)| p.is_none_or(|p| p == *c))
    };
    for cell in &full {
        for first in 0..planes.len() {
            let mut piece: Vec<Option<bool>> = cell.iter().map(|&s| Some(s)).collect();
            for k in (0..planes.len()).map(|k| (k + first) % planes.len()) {
                let kept = piece[k].take();
                if empty.iter().any(|other| fits(&piece, other)) {
                    piece[k] = kept;
                }
            }
            largest.insert(piece);
        }
    }
    // Then as few as a greedy choice needs, those with the fewest planes first among equals.
    let mut open: Vec<&Vec<bool>> = full.clone();
    let mut chosen = Vec::new();
    while !open.is_empty() {
        let covered = |piece: &Vec<Option<bool>>| open.iter().filter(|cell| fits(piece, cell)).count();
        let planes_of = |piece: &Vec<Option<bool>>| piece.iter().flatten().count();
        let best = largest.iter().max_by_key(|p| (covered(p), usize::MAX - planes_of(p)))?.clone();
        open.retain(|cell| !fits(&best, cell));
        chosen.push(best);
    }
    chosen
        .into_iter()
        .map(|piece| {
            let side = |(plane, side): (&DVec3, &Option<bool>)| {
                side.map(|above| if above { -*plane } else { *plane })
            };
            Piece::of(planes.iter().zip(&piece).filter_map(side).collect(), angle)
        })
        .collect()
}

/// Adds planes until three of them meet in a point only.
fn spread(planes: &mut Vec<DVec3>, angle: f64) -> Option<()> {
    let first = *planes.first()?;
    let across = planes.iter().map(|n| n.cross(first)).max_by(|a, b| a.length().total_cmp(&b.length()))?;
    if across.length() <= angle {
        let (u, v) = first.any_orthonormal_pair();
        planes.extend([u, v]);
    } else {
        let line = across.try_normalize()?;
        if planes.iter().all(|n| n.dot(line).abs() <= angle) {
            planes.push(line);
        }
    }
    Some(())
}

/// A direction on the line of two planes or more, and on which side of each plane it is.
struct Ray {
    direction: DVec3,
    sides: Vec<Option<bool>>,
}

fn rays(planes: &[DVec3], angle: f64) -> Vec<Ray> {
    let mut rays: Vec<Ray> = Vec::new();
    for (i, a) in planes.iter().enumerate() {
        for b in &planes[i + 1..] {
            let Some(line) = a.cross(*b).try_normalize().filter(|_| a.cross(*b).length() > angle) else {
                continue;
            };
            for direction in [line, -line] {
                let side = |n: &DVec3| (n.dot(direction).abs() > angle).then(|| n.dot(direction) > 0.0);
                let sides: Vec<Option<bool>> = planes.iter().map(side).collect();
                if !rays.iter().any(|ray| ray.sides == sides) {
                    rays.push(Ray { direction, sides });
                }
            }
        }
    }
    rays
}

fn cells(planes: &[DVec3], rays: &[Ray], angle: f64) -> Vec<Vec<bool>> {
    let mut cells: BTreeSet<Vec<bool>> = BTreeSet::new();
    for ray in rays {
        // The planes through it cut the plane across it into sectors; between neighbours lies a cell.
        let (u, v) = ray.direction.any_orthonormal_pair();
        let mut turns: Vec<f64> = Vec::new();
        for n in planes.iter().zip(&ray.sides).filter(|(_, side)| side.is_none()).map(|(n, _)| n) {
            let across = n.cross(ray.direction);
            let turn = across.dot(v).atan2(across.dot(u));
            turns.extend([
                turn,
                if turn > 0.0 { turn - std::f64::consts::PI } else { turn + std::f64::consts::PI },
            ]);
        }
        turns.sort_by(f64::total_cmp);
        for (i, &turn) in turns.iter().enumerate() {
            let next = if i + 1 < turns.len() { turns[i + 1] } else { turns[0] + std::f64::consts::TAU };
            if next - turn <= 0.5 * angle {
                continue;
            }
            let middle = 0.5 * (turn + next);
            let d = u * middle.cos() + v * middle.sin();
            cells.insert(
                planes.iter().zip(&ray.sides).map(|(n, side)| side.unwrap_or(n.dot(d) > 0.0)).collect(),
            );
        }
    }
    cells.into_iter().collect()
}

/// Which cells are inside; none if the surface contradicts itself.
fn inside(
    planes: &[DVec3],
    rays: &[Ray],
    cells: &[Vec<bool>],
    sectors: &[Sector],
    _angle: f64,
) -> Option<Vec<bool>> {
    let number: BTreeMap<&Vec<bool>, usize> = cells.iter().enumerate().map(|(i, cell)| (cell, i)).collect();
    let mut known: Vec<Option<bool>> = vec![None; cells.len()];
    let mut open_to: Vec<Vec<usize>> = vec![Vec::new(); cells.len()];
    for (i, cell) in cells.iter().enumerate() {
        let of_cell: Vec<&Ray> = rays
            .iter()
            .filter(|r| r.sides.iter().zip(cell).all(|(s, c)| s.is_none_or(|s| s == *c)))
            .collect();
        for k in 0..planes.len() {
            let mut over = cell.clone();
            over[k] = !over[k];
            let Some(&neighbour) = number.get(&over) else { continue };
            let middle: DVec3 = of_cell.iter().filter(|r| r.sides[k].is_none()).map(|r| r.direction).sum();
            let Some(middle) = middle.try_normalize() else { continue };
            match sectors.iter().find(|s| s.plane == k && s.holds(middle)) {
                Some(sector) => {
                    let is_inside = cell[k] != sector.outward;
                    if known[i].is_some_and(|known| known != is_inside) {
                        return None;
                    }
                    known[i] = Some(is_inside);
                }
                None => open_to[i].push(neighbour),
            }
        }
    }
    let mut stack: Vec<usize> = (0..cells.len()).filter(|&i| known[i].is_some()).collect();
    while let Some(i) = stack.pop() {
        for &j in &open_to[i] {
            match known[j] {
                None => {
                    known[j] = known[i];
                    stack.push(j);
                }
                Some(is) if Some(is) != known[i] => return None,
                Some(_) => {}
            }
        }
    }
    known.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_planes_make_eight_cells_and_six_rays() {
        let planes = [DVec3::X, DVec3::Y, DVec3::Z];
        let rays = rays(&planes, 1e-9);
        assert_eq!((rays.len(), cells(&planes, &rays, 1e-9).len()), (6, 8));
    }

    /// `n` planes in general position through a point make `n(n-1) + 2` cells, however sharp they are.
    #[test]
    fn sharp_cells_are_not_missed() {
        for n in 3..12usize {
            let planes: Vec<DVec3> = (0..n)
                .map(|i| {
                    DVec3::new(1e-3 * (i as f64), 1e-4 * (i * i) as f64 + 1e-5 * (i % 3) as f64, 1.0)
                        .normalize()
                })
                .collect();
            let rays = rays(&planes, 1e-12);
            assert_eq!(cells(&planes, &rays, 1e-12).len(), n * (n - 1) + 2);
        }
    }

    fn sector(plane: usize, planes: &[DVec3], outward: bool, from: DVec3, to: DVec3) -> Sector {
        let normal = planes[plane] * if outward { 1.0 } else { -1.0 };
        Sector { plane, outward, normal, from, to }
    }

    /// All but an octant, as at the inner corner of a tray: three half-spaces, though seven cells are inside.
    #[test]
    fn a_tray_corner_is_three_half_spaces() {
        let planes = [DVec3::X, DVec3::Y, DVec3::Z];
        let sectors = [
            sector(0, &planes, true, DVec3::Y, DVec3::Z),
            sector(1, &planes, true, DVec3::Z, DVec3::X),
            sector(2, &planes, true, DVec3::X, DVec3::Y),
        ];
        let found = pieces(&planes, &sectors, 1e-9).expect("consistent");
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|piece| piece.normals.len() == 1));
    }
}
