//! First contacts of moving features, beside the slow oracle that the tests of `geom` have.

#[path = "../../../../crates/geom/tests/it/contact_oracle.rs"]
mod contact_oracle;

use crate::numbers::Numbers;
use contact_oracle::Controls;
use kansho_geom::glam::DVec3;
use kansho_geom::moving_features::{First, Path, Scratch, Wanted, edge_edge, vertex_face};

pub(super) fn run(bytes: &[u8]) {
    let mut numbers = Numbers(bytes);
    if numbers.byte().is_multiple_of(2) { with::<2>(&mut numbers) } else { with::<4>(&mut numbers) }
}

/// Four moving points on a small grid; some of them flat, still or the same, as a byte wants it.
fn with<const N: usize>(numbers: &mut Numbers<'_>) {
    let (kind, special) = (numbers.byte(), numbers.byte());
    let mut points: [[[i64; 3]; N]; 4] =
        [(); 4].map(|()| [(); N].map(|()| [(); 3].map(|()| numbers.whole())));
    for path in &mut points {
        let start = path[0];
        for point in path.iter_mut() {
            match special % 8 {
                0 => point[2] = point[0] - point[1],
                1 => *point = [point[0], 2 * point[0], -point[0]],
                2 => point[2] = 1,
                3 => *point = start,
                _ => {}
            }
        }
    }
    match special / 8 % 8 {
        0 => points[1] = points[0],
        1 => points[3] = points[2],
        2 => {
            points[3] = std::array::from_fn(|i| {
                std::array::from_fn(|k| points[2][i][k] + points[1][i][k] - points[0][i][k])
            })
        }
        _ => {}
    }
    let [p, q, r, s] = points.map(|path| Path(path.map(|point| DVec3::from_array(point.map(|x| x as f64)))));
    let [a, b, c, d]: [Controls; 4] = points.map(|path| path.to_vec());
    let (wanted, mut scratch) = (Wanted::default(), Scratch::default());
    let (found, expected) = if kind.is_multiple_of(2) {
        (vertex_face(&p, &[q, r, s], &wanted, &mut scratch), contact_oracle::vertex_face(&a, &[b, c, d]))
    } else {
        (edge_edge(&[p, q], &[r, s], &wanted, &mut scratch), contact_oracle::edge_edge(&[a, b], &[c, d]))
    };
    match (found, expected) {
        (First::Never, None) => {}
        (First::At { time: [start, end] }, Some(t)) => {
            assert!(end - start <= wanted.tolerance, "{start} to {end} is too wide: {points:?}");
            // The truth is rounded to a double.
            assert!(start <= t + 1e-15 && t - 1e-15 <= end, "{t} is not in {start} to {end}: {points:?}");
        }
        _ => panic!("{found:?}, but the truth is {expected:?}: {points:?}"),
    }
}
