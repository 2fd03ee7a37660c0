//! Two places between which a polynomial certainly changes its sign, narrowed.

use super::bernstein::{Bernstein, binomials};

/// Two places in `[0, 1]` between which there is a root, multiples of 2⁻⁴⁰.
pub(crate) struct Bracket<'a, const K: usize> {
    poly: &'a Bernstein<K>,
    /// Most that a value can be off.
    error: f64,
    ends: [f64; 2],
    /// Values there; their signs are certain.
    values: [f64; 2],
    /// About where the root is, once that is known.
    guess: Option<f64>,
}

/// Places are multiples of one over this.
const GRID: f64 = (1_u64 << 40) as f64;

impl<'a, const K: usize> Bracket<'a, K> {
    /// Around the root of a polynomial that [`super::bernstein::Signs::Crosses`].
    pub(crate) fn new(poly: &'a Bernstein<K>) -> Self {
        let values = [poly.coefficients[0], poly.coefficients[K - 1]];
        Self { poly, error: poly.value_error(), ends: [0.0, 1.0], values, guess: None }
    }

    /// The two places.
    pub(crate) fn ends(&self) -> [f64; 2] {
        self.ends
    }

    /// Narrows it to a width; false where rounding is in the way.
    pub(crate) fn narrow(&mut self, width: f64) -> bool {
        if self.ends[1] - self.ends[0] <= width {
            return true;
        }
        let width = width.max(8.0 / GRID);
        let guess = *self.guess.get_or_insert_with(|| guess(self.poly));
        self.cut(guess - 0.4 * width);
        self.cut(guess + 0.4 * width);
        // Newton's method may have gone elsewhere. Halving does not.
        while self.ends[1] - self.ends[0] > width {
            if !self.cut(0.5 * (self.ends[0] + self.ends[1])) {
                return false;
            }
        }
        true
    }

    /// Moves an end to a place between the ends; false if the sign there is not certain.
    fn cut(&mut self, at: f64) -> bool {
        let at = (at * GRID) as i64 as f64 / GRID;
        if !(at > self.ends[0] && at < self.ends[1]) {
            return false;
        }
        let value = self.poly.value(at);
        if !(value.abs() > self.error) {
            return false;
        }
        let side = usize::from((value > 0.0) != (self.values[0] > 0.0));
        self.ends[side] = at;
        self.values[side] = value;
        true
    }
}

/// About where the root is, by Newton's method. Nothing hangs on it.
fn guess<const K: usize>(poly: &Bernstein<K>) -> f64 {
    // Coefficients of powers: differences of order k times the binomial.
    let mut powers = poly.coefficients;
    let choose = const { binomials::<K>() };
    for k in 1..K {
        for i in (k..K).rev() {
            powers[i] -= powers[i - 1];
        }
    }
    for k in 0..K {
        powers[k] *= choose[k];
    }
    let ends = [poly.coefficients[0], poly.coefficients[K - 1]];
    let (mut low, mut high) = (0.0, 1.0);
    let mut s = ends[0] / (ends[0] - ends[1]);
    for _ in 0..20 {
        let (mut value, mut slope) = (powers[K - 1], 0.0);
        for k in (0..K - 1).rev() {
            slope = slope * s + value;
            value = value * s + powers[k];
        }
        *(if (value > 0.0) == (ends[0] > 0.0) { &mut low } else { &mut high }) = s;
        let next = s - value / slope;
        if !(next >= low && next <= high) {
            s = 0.5 * (low + high);
            continue;
        }
        let step = (next - s).abs();
        s = next;
        // Steps square: after one this small the next would be below the grid.
        if step < 1e-7 {
            break;
        }
    }
    s
}
