//! What `f64` can tell of a moving polygon and the origin: only certain signs count.

use crate::polynomial::bernstein::{Bernstein, LARGEST, ROUNDING, UNDERFLOW, add_product, binomials};
use std::cell::OnceCell;

/// A moving polygon, its corners rounded.
pub(super) struct Rounded<const N: usize, const M: usize> {
    /// Control values by corner and axis.
    corners: [[[f64; N]; 3]; M],
    /// The largest of each.
    sizes: [[f64; 3]; M],
    /// How fast they change at most, when needed.
    /// And how that compares with the sizes, all in all.
    speeds: OnceCell<([[f64; 3]; M], f64)>,
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
        let mut rounded = Self { corners, sizes: [[0.0; 3]; M], speeds: OnceCell::new() };
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
    ///
    /// Corners are where they are in the middle, give or take half the span times their largest speed along each axis.
    pub(super) fn hold(&self, [start, end]: [f64; 2]) -> Hold {
        let (middle, half) = (0.5 * (start + end), 0.5 * (end - start));
        let (speeds, hurry) = self.speeds.get_or_init(|| {
            let speeds = self.corners.map(|corner| corner.map(|controls| fastest(&controls)));
            let sum = |all: &[[f64; 3]; M]| all.iter().flatten().sum::<f64>();
            (speeds, sum(&speeds) / sum(&self.sizes))
        });
        if hurry * half > 0.5 {
            return Hold::Unknown; // They go too far for this to tell anything, as a rule.
        }
        let weights = weights::<N>(middle);
        let mut at = [[0.0; M]; 3];
        let mut off = [[0.0; M]; 3];
        for axis in 0..3 {
            for j in 0..M {
                for (weight, control) in weights.iter().zip(&self.corners[j][axis]) {
                    at[axis][j] += weight * control;
                }
                // Roundings of the controls, of a weight (2 N), of products and sums (N + 1), and of the speed times a half
                // (8 (N − 1)) are together less than 48 of the size.
                off[axis][j] = speeds[j][axis] * half + 48.0 * ROUNDING * self.sizes[j][axis] + UNDERFLOW;
            }
            let certain = |sign: f64| (0..M).all(|j| sign * at[axis][j] > off[axis][j]);
            if certain(1.0) || certain(-1.0) {
                return Hold::Apart;
            }
        }
        for axis in 0..3 {
            let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
            let (mut positive, mut negative) = (0, 0);
            for j in 0..M {
                let k = (j + 1) % M;
                let cross = at[y][j] * at[z][k] - at[z][j] * at[y][k];
                let error = at[y][j].abs() * off[z][k]
                    + off[y][j] * (at[z][k].abs() + off[z][k])
                    + at[z][j].abs() * off[y][k]
                    + off[z][j] * (at[y][k].abs() + off[y][k]);
                // Three roundings of the products above are far less than a tenth of the 48 for each factor in `error`.
                let error = 1.1 * error + UNDERFLOW;
                positive += usize::from(cross > error);
                negative += usize::from(cross < -error);
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

/// Most that a Bézier curve changes in a unit of time.
fn fastest<const N: usize>(controls: &[f64; N]) -> f64 {
    let steps = controls.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    (N - 1) as f64 * steps.fold(0.0, f64::max)
}

/// The Bernstein polynomials at a time.
#[inline]
fn weights<const N: usize>(t: f64) -> [f64; N] {
    let mut weights = const { binomials::<N>() };
    let (mut early, mut late) = (1.0, 1.0);
    for i in 1..N {
        early *= 1.0 - t;
        late *= t;
        weights[N - 1 - i] *= early;
        weights[i] *= late;
    }
    weights
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
