//! What `f64` can tell of a moving polygon and the origin: only certain signs count.

use crate::polynomial::bernstein::{
    Bernstein, LARGEST, ROUNDING, Signs, UNDERFLOW, add_product, binomials, part,
};

/// A moving polygon, its corners rounded.
pub(super) struct Rounded<const N: usize, const M: usize> {
    /// Control values by corner and axis.
    corners: [[[f64; N]; 3]; M],
    /// The largest of each.
    sizes: [[f64; 3]; M],
}

/// Where the origin is in a span of time, if it comes to the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Not in the polygon.
    Apart,
    /// Inside it, whenever it is in the plane.
    Inside,
    /// Anything.
    Unknown,
}

impl<const N: usize, const M: usize> Rounded<N, M> {
    pub(super) fn new(corner: impl Fn(usize, usize, usize) -> f64) -> Self {
        let corners =
            std::array::from_fn(|j| std::array::from_fn(|axis| std::array::from_fn(|i| corner(j, axis, i))));
        let mut rounded = Self { corners, sizes: [[0.0; 3]; M] };
        for j in 0..M {
            for axis in 0..3 {
                rounded.sizes[j][axis] =
                    rounded.corners[j][axis].iter().fold(0.0, |size, c| c.abs().max(size));
            }
        }
        rounded
    }

    /// Whether all numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        // A sum of what is not finite is not finite.
        let sum: f64 = self.corners.iter().flatten().flatten().map(|c| c.abs()).sum();
        sum.is_finite()
    }

    /// Whether the origin is on one side of all corners along an axis, at all times. Rounding does not change a sign.
    pub(super) fn is_beside(&self) -> bool {
        (0..3).any(|axis| {
            let all = || self.corners.iter().flat_map(|corner| corner[axis]);
            all().all(|c| c > 0.0) || all().all(|c| c < 0.0)
        })
    }

    /// The volume that three corners span, times six.
    pub(super) fn volume<const Q: usize, const D: usize>(&self) -> Bernstein<D> {
        let scaled = |j: usize| weighted(&self.corners[j]);
        let (a, b, c) = (scaled(1), scaled(M - 1), scaled(0));
        let mut volume = [0.0; D];
        let mut error = 0.0;
        for (axis, a) in a.iter().enumerate() {
            let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
            let cross: [f64; Q] = cross_component(&b, &c, y, z);
            add_product(&mut volume, a, &cross);
            let cross = self.sizes[M - 1][y] * self.sizes[0][z] + self.sizes[M - 1][z] * self.sizes[0][y];
            error += self.sizes[1][axis] * cross;
        }
        let coefficients = unweighted(volume);
        // Along the way from coordinates to a coefficient: three differences, three binomials, two products, 2 N + 3 N additions,
        // a binomial and a division, hence at most 30 roundings of terms whose sizes add up to `error`.
        let too_large = self.sizes.iter().flatten().any(|size| !(*size <= LARGEST));
        let error = if too_large { f64::INFINITY } else { 40.0 * ROUNDING * error + UNDERFLOW };
        Bernstein { coefficients, error }
    }

    /// Where the origin is between two times, if it comes to the plane.
    pub(super) fn hold<const Q: usize>(&self, span: [f64; 2]) -> Hold {
        let whole = span[0] <= 0.0 && span[1] >= 1.0;
        let parts =
            if whole { self.corners } else { self.corners.map(|corner| corner.map(|c| part(&c, span))) };
        // A coordinate of a part is off by at most 30 roundings (see `part`; its second factor is rounded as well) and one of
        // the difference.
        #[expect(clippy::needless_range_loop, reason = "corners come first")]
        for axis in 0..3 {
            let certain = |sign: f64| {
                (0..M).all(|j| {
                    let least = 32.0 * ROUNDING * self.sizes[j][axis] + UNDERFLOW;
                    parts[j][axis].iter().all(|c| sign * c > least)
                })
            };
            if certain(1.0) || certain(-1.0) {
                return Hold::Apart;
            }
        }
        let parts = parts.map(|corner| weighted(&corner));
        let too_large = self.sizes.iter().flatten().any(|size| !(*size <= LARGEST));
        for axis in 0..3 {
            let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
            let (mut positive, mut negative) = (0, 0);
            for j in 0..M {
                let next = (j + 1) % M;
                let coefficients: [f64; Q] = unweighted(cross_component(&parts[j], &parts[next], y, z));
                let size = self.sizes[j][y] * self.sizes[next][z] + self.sizes[j][z] * self.sizes[next][y];
                // Twice the error of the coordinates, two binomials, a product, 2 N additions, a binomial and a division.
                let error = if too_large { f64::INFINITY } else { 96.0 * ROUNDING * size + UNDERFLOW };
                match (Bernstein { coefficients, error }).signs() {
                    Signs::Positive => positive += 1,
                    Signs::Negative => negative += 1,
                    _ => {}
                }
            }
            if positive > 0 && negative > 0 {
                return Hold::Apart;
            }
            if positive == M || negative == M {
                return Hold::Inside;
            }
        }
        Hold::Unknown
    }
}

/// Multiplied by the binomials, so that products of polynomials are plain.
#[inline]
fn weighted<const N: usize>(corner: &[[f64; N]; 3]) -> [[f64; N]; 3] {
    let weights = const { binomials::<N>() };
    corner.map(|c| std::array::from_fn(|i| weights[i] * c[i]))
}

#[inline]
fn unweighted<const K: usize>(mut coefficients: [f64; K]) -> [f64; K] {
    let weights = const { inverse_binomials::<K>() };
    for (coefficient, weight) in coefficients.iter_mut().zip(weights) {
        *coefficient *= weight;
    }
    coefficients
}

const fn inverse_binomials<const K: usize>() -> [f64; K] {
    let mut row = binomials::<K>();
    let mut k = 0;
    while k < K {
        row[k] = 1.0 / row[k];
        k += 1;
    }
    row
}

/// `a_y b_z − a_z b_y`.
#[inline]
fn cross_component<const N: usize, const Q: usize>(
    a: &[[f64; N]; 3],
    b: &[[f64; N]; 3],
    y: usize,
    z: usize,
) -> [f64; Q] {
    let mut component = [0.0; Q];
    add_product(&mut component, &a[y], &b[z]);
    add_product(&mut component, &a[z].map(|c| -c), &b[y]);
    component
}
