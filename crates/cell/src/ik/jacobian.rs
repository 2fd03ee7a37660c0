//! How the tip moves when joints do.

use kansho_geom::glam::DVec3;

/// How a tip moves: the velocity of its origin, and that of turning, in the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// Metres (per unit of the joint).
    pub linear: DVec3,
    /// Radians (per unit of the joint).
    pub angular: DVec3,
}

/// A twist of the tip for every number of a chain's posture.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    /// In the order of the chain's joints.
    pub columns: Vec<Twist>,
}

impl Jacobian {
    /// The smallest singular value, with lengths divided by `length` so that they compare with angles: the least that the tip
    /// moves for a unit of joint motion (for more than six joints: the least joint motion counts of those that move it).
    ///
    /// Zero is a singularity. With fewer than six joints, the smallest of as many as there are.
    #[must_use]
    pub fn smallest_singular_value(&self, length: f64) -> f64 {
        smallest_singular_value(&self.columns, length)
    }
}

/// See [`Jacobian::smallest_singular_value`]. Hestenes' method: rows (or columns, if they are fewer) are turned in pairs until all
/// are at right angles; their lengths are the singular values, small ones as accurate as large ones.
pub(super) fn smallest_singular_value(columns: &[Twist], length: f64) -> f64 {
    let entry = |twist: &Twist, row: usize| match row {
        0..=2 => twist.linear[row] / length,
        _ => twist.angular[row - 3],
    };
    let mut vectors: Vec<Vec<f64>> = if columns.len() < 6 {
        columns.iter().map(|twist| (0..6).map(|row| entry(twist, row)).collect()).collect()
    } else {
        (0..6).map(|row| columns.iter().map(|twist| entry(twist, row)).collect()).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    // Six vectors need five or six rounds; forty is never reached.
    for _ in 0..40 {
        let mut done = true;
        for i in 0..vectors.len() {
            for j in i + 1..vectors.len() {
                let (p, q, r) = (
                    dot(&vectors[i], &vectors[i]),
                    dot(&vectors[j], &vectors[j]),
                    dot(&vectors[i], &vectors[j]),
                );
                if r.abs() <= 1e-15 * (p * q).sqrt() {
                    continue;
                }
                done = false;
                let zeta = (q - p) / (2.0 * r);
                let tan = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let cos = 1.0 / tan.hypot(1.0);
                let sin = cos * tan;
                for k in 0..vectors[i].len() {
                    let (a, b) = (vectors[i][k], vectors[j][k]);
                    vectors[i][k] = cos * a - sin * b;
                    vectors[j][k] = sin * a + cos * b;
                }
            }
        }
        if done {
            break;
        }
    }
    let least = vectors.iter().map(|vector| dot(vector, vector)).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least.sqrt() } else { 0.0 }
}

/// The determinant of six twists; none of more or fewer. Gauss's elimination, largest pivots first.
pub(super) fn determinant(columns: &[Twist]) -> Option<f64> {
    let mut rows = [[0.0; 6]; 6];
    if columns.len() != 6 {
        return None;
    }
    for (row, twist) in rows.iter_mut().zip(columns) {
        let ([x, y, z], [u, v, w]) = (twist.linear.to_array(), twist.angular.to_array());
        *row = [x, y, z, u, v, w];
    }
    let mut product = 1.0;
    for k in 0..6 {
        let pivot = (k..6).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs()))?;
        if pivot != k {
            rows.swap(pivot, k);
            product = -product;
        }
        product *= rows[k][k];
        if product.abs() < f64::MIN_POSITIVE {
            return Some(0.0);
        }
        let upper = rows[k];
        for row in &mut rows[k + 1..] {
            let factor = row[k] / upper[k];
            row.iter_mut().zip(upper).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    Some(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A diagonal matrix between two rotations has the diagonal as its singular values.
    #[test]
    fn singular_values_of_a_turned_diagonal() {
        for least in [0.3, 1e-3, 1e-9, 0.0] {
            let diagonal = [3.0, 2.0, least, 1.0, 0.7, 5.0];
            let mut matrix = [[0.0; 6]; 6];
            diagonal.iter().enumerate().for_each(|(k, value)| matrix[k][k] = *value);
            // Turned in planes from both sides.
            for (k, angle) in [0.3f64, 1.0, -2.0, 0.8, 0.1].into_iter().enumerate() {
                let (sin, cos) = angle.sin_cos();
                let (above, below) = matrix.split_at_mut(k + 1);
                for (a, b) in above[k].iter_mut().zip(&mut below[0]) {
                    (*a, *b) = (cos * *a - sin * *b, sin * *a + cos * *b);
                }
                for row in &mut matrix {
                    let (a, b) = (row[k], row[5 - k]);
                    if k != 5 - k {
                        (row[k], row[5 - k]) = (cos * a - sin * b, sin * a + cos * b);
                    }
                }
            }
            let columns = (0..6)
                .map(|c| Twist {
                    linear: DVec3::new(matrix[0][c], matrix[1][c], matrix[2][c]) * 2.0,
                    angular: DVec3::new(matrix[3][c], matrix[4][c], matrix[5][c]),
                })
                .collect();
            let found = Jacobian { columns }.smallest_singular_value(2.0);
            assert!((found - least).abs() < 1e-14, "{found} {least}");
        }
    }
}
