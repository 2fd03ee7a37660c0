//! Generators of a cone of inequalities, beside all choices of rows that could be tight, in whole numbers.

use crate::numbers::Numbers;
use kansho_contact::cone::generators;

/// As fine as rows of contacts are told apart. Rows of small whole numbers differ by far more.
const TOLERANCE: f64 = 1e-7;

/// How far a found ray may be from a true one, and a row may be missed.
const NEAR: f64 = 1e-5;

pub(super) fn run(bytes: &[u8]) {
    let mut numbers = Numbers(bytes);
    match numbers.below(3) {
        0 => with::<2>(&mut numbers),
        1 => with::<3>(&mut numbers),
        _ => with::<6>(&mut numbers),
    }
}

fn with<const N: usize>(numbers: &mut Numbers<'_>) {
    let count = numbers.below(9);
    let mut rows: Vec<[i128; N]> =
        (0..count).map(|_| [(); N].map(|()| i128::from(numbers.byte() as i8 % 4))).collect();
    rows.retain(|row| row.iter().any(|x| *x != 0));
    let unit = |row: &[i128; N]| {
        let length = (row.iter().map(|x| x * x).sum::<i128>() as f64).sqrt();
        row.map(|x| x as f64 / length)
    };
    let given: Vec<[f64; N]> = rows.iter().map(unit).collect();
    let found = generators(&given, TOLERANCE);
    let along = |row: &[f64; N], x: &[f64; N]| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
    // Whatever else, all that is generated is allowed.
    for row in &given {
        assert!(
            found.lineality.iter().all(|x| along(row, x).abs() <= NEAR),
            "a line leaves the cone of {rows:?}: {found:?}"
        );
        assert!(
            found.rays.iter().all(|x| along(row, x) >= -NEAR),
            "a ray leaves the cone of {rows:?}: {found:?}"
        );
    }
    let free = null_space(&rows);
    assert_eq!(found.lineality.len(), free.len(), "lines of {rows:?}: {found:?}");
    let rays = extreme(&rows, &free);
    assert!(!found.ambiguous, "nothing is ambiguous about {rows:?}: {found:?}");
    assert_eq!(found.rays.len(), rays.len(), "rays of {rows:?} are {rays:?}, not {found:?}");
    for ray in rays.iter().map(unit) {
        let near = |x: &[f64; N]| x.iter().zip(ray).all(|(a, b)| (a - b).abs() <= NEAR);
        assert!(found.rays.iter().any(near), "the ray {ray:?} of {rows:?} is missing: {found:?}");
    }
}

/// Rays at the edges of the cone, orthogonal to its lines: each is zero on as many independent rows as leave nothing else.
fn extreme<const N: usize>(rows: &[[i128; N]], free: &[[i128; N]]) -> Vec<[i128; N]> {
    let mut found: Vec<[i128; N]> = Vec::new();
    let needed = N - free.len();
    if needed == 0 {
        return found;
    }
    let choices = (0_u32..1 << rows.len()).filter(|choice| choice.count_ones() as usize == needed - 1);
    for choice in choices {
        let mut tight: Vec<[i128; N]> = free.to_vec();
        tight.extend(rows.iter().enumerate().filter(|(k, _)| choice & 1 << k != 0).map(|(_, row)| *row));
        let [only] = null_space(&tight)[..] else { continue };
        for ray in [only, only.map(|x| -x)] {
            let is_allowed =
                rows.iter().all(|row| row.iter().zip(ray).map(|(a, b)| a * b).sum::<i128>() >= 0);
            if is_allowed && !found.contains(&ray) {
                found.push(ray);
            }
        }
    }
    found
}

/// A basis of what is orthogonal to all rows, in whole numbers without a common factor; by elimination without fractions.
fn null_space<const N: usize>(rows: &[[i128; N]]) -> Vec<[i128; N]> {
    let mut left: Vec<[i128; N]> = rows.to_vec();
    let mut pivots: Vec<(usize, [i128; N])> = Vec::new();
    for column in 0..N {
        let Some(at) = left.iter().position(|row| row[column] != 0) else { continue };
        let pivot = reduced(left.swap_remove(at));
        let eliminate = |row: &mut [i128; N]| {
            let (p, q) = (pivot[column], row[column]);
            *row = reduced(std::array::from_fn(|i| row[i] * p - pivot[i] * q));
        };
        left.iter_mut().for_each(&eliminate);
        pivots.iter_mut().for_each(|(_, row)| eliminate(row));
        pivots.push((column, pivot));
    }
    let is_pivot = |column: usize| pivots.iter().any(|(c, _)| *c == column);
    (0..N)
        .filter(|column| !is_pivot(*column))
        .map(|column| {
            // One in this column, zero in other free ones: each pivot row says what is in its column.
            let common = pivots.iter().fold(1, |product, (c, row)| product * row[*c]);
            let mut vector = [0; N];
            vector[column] = common;
            for (c, row) in &pivots {
                vector[*c] = -row[column] * (common / row[*c]);
            }
            reduced(vector)
        })
        .collect()
}

fn reduced<const N: usize>(vector: [i128; N]) -> [i128; N] {
    fn common(a: i128, b: i128) -> i128 {
        if b == 0 { a.abs() } else { common(b, a % b) }
    }
    match vector.iter().fold(0, |g, x| common(g, *x)) {
        0 => vector,
        g => vector.map(|x| x / g),
    }
}
