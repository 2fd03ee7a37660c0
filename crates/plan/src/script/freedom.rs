//! What kept contacts leave free.

use super::answer::Freedoms;
use super::touch::{Closed, Equation};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;

/// Rows that are shorter than this, of unit length at first, after others were taken off are none of their own.
const RANK: f64 = 1e-6;

/// The freedoms that closed contacts leave if they are all kept: of six less the rank of their rows `(n, p × n)`.
pub(super) fn freedoms(closed: &[Closed], pose: Pose, size: f64) -> Freedoms {
    let all: Vec<[DVec3; 2]> =
        closed.iter().flat_map(|c| c.equations.iter().map(|eq: &Equation| eq.row(pose))).collect();
    let middle = if all.is_empty() {
        pose.translation()
    } else {
        all.iter().map(|row| row[0]).sum::<DVec3>() / all.len() as f64
    };
    let rows: Vec<[f64; 6]> = all
        .iter()
        .map(|[point, n]| {
            let moment = (*point - middle).cross(*n) / size;
            [n.x, n.y, n.z, moment.x, moment.y, moment.z]
        })
        .collect();
    let basis = orthonormal(&rows);
    let count = 6 - basis.len();
    let is_free = |k: usize| basis.iter().all(|row| row[k].abs() < 1e-6);
    let named: Vec<&str> =
        (0..6).filter(|&k| is_free(k)).map(|k| ["x", "y", "z", "roll", "pitch", "yaw"][k]).collect();
    let words = match (count, named.len() == count) {
        (0, _) => "none".to_owned(),
        (6, _) => "all".to_owned(),
        (_, true) => named.join(", "),
        _ => {
            let mixed = count - named.len();
            let also = format!("{mixed} along or about other directions");
            if named.is_empty() { also } else { format!("{}, {also}", named.join(", ")) }
        }
    };
    Freedoms { count, words }
}

/// Unit rows that span the same as these.
fn orthonormal(rows: &[[f64; 6]]) -> Vec<[f64; 6]> {
    let dot = |a: &[f64; 6], b: &[f64; 6]| (0..6).map(|k| a[k] * b[k]).sum::<f64>();
    let mut basis: Vec<[f64; 6]> = Vec::new();
    for row in rows {
        let length = dot(row, row).sqrt();
        if !(length > 0.0) {
            continue;
        }
        let mut rest = row.map(|x| x / length);
        for _ in 0..2 {
            for known in &basis {
                let along = dot(&rest, known);
                (0..6).for_each(|k| rest[k] -= along * known[k]);
            }
        }
        let left = dot(&rest, &rest).sqrt();
        if left > RANK {
            basis.push(rest.map(|x| x / left));
        }
    }
    basis
}
