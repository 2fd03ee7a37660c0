//! Postures over time.

/// A motion of all coordinates of a cell in `t` from 0 to 1, in pieces that take equal times.
///
/// ```
/// use kansho_cell::JointMotion;
/// let motion = JointMotion::lines(&[vec![0.0, 1.0], vec![2.0, 0.0], vec![2.0, 4.0]]).expect("three postures");
/// assert_eq!(motion.at(0.25), [1.0, 0.5]);
/// assert_eq!(motion.at(1.0), [2.0, 4.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointMotion {
    pieces: Vec<JointPiece>,
}

/// A smooth part of a motion, in `u` from 0 to 1: every coordinate a cubic.
#[derive(Clone, Debug, PartialEq)]
pub struct JointPiece {
    /// For each coordinate its coefficients in Bernstein's form.
    controls: Vec<[f64; 4]>,
}

/// Why postures make no motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JointMotionFault {
    /// Too few.
    #[error("{0} postures: a motion needs two")]
    TooFew(usize),
    /// One has another number of coordinates than the first.
    #[error("posture {row} has {found} numbers instead of {wanted}")]
    Length {
        /// Its number, from 1.
        row: usize,
        /// What it has.
        found: usize,
        /// What the first has.
        wanted: usize,
    },
    /// One holds something that is no finite number.
    #[error("posture {row}: number {column} is not finite")]
    NotFinite {
        /// Its number, from 1.
        row: usize,
        /// Which of its numbers, from 1.
        column: usize,
    },
}

impl JointMotion {
    /// Straight from posture to posture: every coordinate changes evenly, and all arrive together (PTP).
    ///
    /// # Errors
    /// Fewer than two postures, of different lengths, or with numbers that are not finite.
    pub fn lines(postures: &[Vec<f64>]) -> Result<Self, JointMotionFault> {
        check(postures)?;
        Ok(Self { pieces: postures.windows(2).map(|pair| JointPiece::line(&pair[0], &pair[1])).collect() })
    }

    /// A smooth motion through all postures, at equal times: the cubics of Catmull and Rom.
    ///
    /// # Errors
    /// As [`JointMotion::lines`].
    pub fn spline(postures: &[Vec<f64>]) -> Result<Self, JointMotionFault> {
        check(postures)?;
        let last = postures.len() - 1;
        let piece = |k: usize| {
            let [before, from, to, after] =
                [k.saturating_sub(1), k, k + 1, (k + 2).min(last)].map(|row| &postures[row]);
            let of = |c: usize| {
                [from[c], from[c] + (to[c] - before[c]) / 6.0, to[c] - (after[c] - from[c]) / 6.0, to[c]]
            };
            JointPiece { controls: (0..from.len()).map(of).collect() }
        };
        Ok(Self { pieces: (0..last).map(piece).collect() })
    }

    /// A motion of pieces that are given by the coefficients of their coordinates in Bernstein's form; none if there is no piece, if
    /// they have different numbers of coordinates, if a number is not finite, or if one does not begin where the last one ended.
    #[must_use]
    pub fn of_controls(pieces: Vec<Vec<[f64; 4]>>) -> Option<Self> {
        let wanted = pieces.first()?.len();
        let is_good = |piece: &Vec<[f64; 4]>| {
            piece.len() == wanted && piece.iter().flatten().all(|value| value.is_finite())
        };
        let joins = |pair: &[Vec<[f64; 4]>]| pair[0].iter().zip(&pair[1]).all(|(x, y)| x[3] == y[0]);
        let is_motion = pieces.iter().all(is_good) && pieces.windows(2).all(joins);
        is_motion
            .then(|| Self { pieces: pieces.into_iter().map(|controls| JointPiece { controls }).collect() })
    }

    /// A motion of pieces; none if there is none, or one does not begin where the last one ended.
    #[must_use]
    pub fn of_pieces(pieces: Vec<JointPiece>) -> Option<Self> {
        Self::of_controls(pieces.into_iter().map(|piece| piece.controls).collect())
    }

    /// A motion of one piece.
    #[must_use]
    pub fn of_piece(piece: JointPiece) -> Self {
        Self { pieces: vec![piece] }
    }

    /// The pieces, in order.
    #[must_use]
    pub fn pieces(&self) -> &[JointPiece] {
        &self.pieces
    }

    /// The posture at an instant; before 0 and after 1, as at the ends.
    #[must_use]
    pub fn at(&self, t: f64) -> Vec<f64> {
        let count = self.pieces.len();
        let place = t.clamp(0.0, 1.0) * count as f64;
        let k = (place as usize).min(count - 1);
        let mut posture = Vec::new();
        self.pieces[k].at(place - k as f64, &mut posture);
        posture
    }

    /// The same backwards.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let backwards = |piece: &JointPiece| JointPiece {
            controls: piece.controls.iter().map(|&[a, b, c, d]| [d, c, b, a]).collect(),
        };
        Self { pieces: self.pieces.iter().rev().map(backwards).collect() }
    }

    /// The part of a motion that an instant of a piece is.
    #[must_use]
    pub fn time(&self, piece: usize, u: f64) -> f64 {
        (piece as f64 + u) / self.pieces.len() as f64
    }
}

fn check(postures: &[Vec<f64>]) -> Result<(), JointMotionFault> {
    if postures.len() < 2 {
        return Err(JointMotionFault::TooFew(postures.len()));
    }
    let wanted = postures[0].len();
    for (row, posture) in (1..).zip(postures) {
        if posture.len() != wanted {
            return Err(JointMotionFault::Length { row, found: posture.len(), wanted });
        }
        if let Some(column) = posture.iter().position(|value| !value.is_finite()) {
            return Err(JointMotionFault::NotFinite { row, column: column + 1 });
        }
    }
    Ok(())
}

impl JointPiece {
    /// Straight from one posture to another.
    #[must_use]
    pub fn line(from: &[f64], to: &[f64]) -> Self {
        let of = |(a, b): (&f64, &f64)| [*a, a + (b - a) / 3.0, b - (b - a) / 3.0, *b];
        Self { controls: from.iter().zip(to).map(of).collect() }
    }

    /// A piece by the coefficients of its coordinates in Bernstein's form; none if one is not finite.
    #[must_use]
    pub fn of_controls(controls: Vec<[f64; 4]>) -> Option<Self> {
        controls.iter().flatten().all(|value| value.is_finite()).then_some(Self { controls })
    }

    /// For each coordinate its coefficients in Bernstein's form.
    #[must_use]
    pub fn controls(&self) -> &[[f64; 4]] {
        &self.controls
    }

    /// The posture at an instant, into memory that is used again.
    pub fn at(&self, u: f64, posture: &mut Vec<f64>) {
        posture.clear();
        posture.extend(self.controls.iter().map(|c| at(c, u)));
    }

    /// The rates of all coordinates at an instant, into memory that is used again.
    pub fn rates(&self, u: f64, rates: &mut Vec<f64>) {
        let rate = |c: &[f64; 4]| {
            let d = [c[1] - c[0], c[2] - c[1], c[3] - c[2]];
            let (p, q) = (mix(d[0], d[1], u), mix(d[1], d[2], u));
            3.0 * mix(p, q, u)
        };
        rates.clear();
        rates.extend(self.controls.iter().map(rate));
    }

    /// Bounds on the rates of all coordinates between two instants, and on how fast those change, into memory that is used again.
    ///
    /// Derivatives of a cubic lie between the differences of its coefficients.
    pub fn most(&self, start: f64, end: f64, into: &mut Vec<[f64; 2]>) {
        let most = |c: &[f64; 4]| {
            let d = [c[1] - c[0], c[2] - c[1], c[3] - c[2]];
            // Between the instants; what is the same at both ends of the piece is so there too.
            let d = [
                mix(mix(d[0], d[1], start), mix(d[1], d[2], start), start),
                mix(mix(d[0], d[1], start), mix(d[1], d[2], start), end),
                mix(mix(d[0], d[1], end), mix(d[1], d[2], end), end),
            ];
            let second = (c[2] - c[1] - (c[1] - c[0])).abs().max((c[3] - c[2] - (c[2] - c[1])).abs());
            // Differences of rounded numbers.
            let lost = 32.0 * f64::EPSILON * c.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            let first = d[0].abs().max(d[1].abs()).max(d[2].abs());
            [3.0 * (first + lost) * (1.0 + 1e-12), 6.0 * (second + lost) * (1.0 + 1e-12)]
        };
        into.clear();
        into.extend(self.controls.iter().map(most));
    }

    /// The least and the largest value of a coordinate on the way: at its ends, or where it turns back.
    #[must_use]
    pub fn range(&self, coordinate: usize) -> [f64; 2] {
        let c = &self.controls[coordinate];
        let d = [c[1] - c[0], c[2] - c[1], c[3] - c[2]];
        let (a, b) = (d[0] - 2.0 * d[1] + d[2], d[1] - d[0]);
        let mut range = [c[0].min(c[3]), c[0].max(c[3])];
        // d(u) = a u² + 2 b u + d0.
        let root = (b * b - a * d[0]).max(0.0).sqrt();
        let far = if b < 0.0 { root - b } else { -root - b };
        for u in [far / a, d[0] / far] {
            if u > 0.0 && u < 1.0 {
                let value = at(c, u);
                range = [range[0].min(value), range[1].max(value)];
            }
        }
        range
    }
}

fn mix(a: f64, b: f64, u: f64) -> f64 {
    // Both ends exactly, and what does not change too.
    if u == 1.0 { b } else { a + (b - a) * u }
}

fn at(c: &[f64; 4], u: f64) -> f64 {
    let (ab, bc, cd) = (mix(c[0], c[1], u), mix(c[1], c[2], u), mix(c[2], c[3], u));
    mix(mix(ab, bc, u), mix(bc, cd, u), u)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splines_pass_through_postures_without_jumps_of_speed() {
        let rows = vec![vec![0.0, 1.0], vec![1.0, -1.0], vec![0.5, 3.0], vec![2.0, 2.0]];
        let motion = JointMotion::spline(&rows).expect("four postures");
        let (mut early, mut late) = (Vec::new(), Vec::new());
        for k in 0..3 {
            assert_eq!(motion.at(k as f64 / 3.0), rows[k]);
            motion.pieces()[k].at(1.0, &mut early);
            assert_eq!(early, rows[k + 1]);
        }
        for k in 0..2 {
            motion.pieces()[k].rates(1.0, &mut early);
            motion.pieces()[k + 1].rates(0.0, &mut late);
            early.iter().zip(&late).for_each(|(x, y)| assert!((x - y).abs() < 1e-12));
        }
        for (k, piece) in motion.pieces().iter().enumerate() {
            for column in 0..2 {
                let seen: Vec<f64> = (0..=1000)
                    .map(|i| {
                        piece.at(f64::from(i) / 1000.0, &mut early);
                        early[column]
                    })
                    .collect();
                let [least, most] = piece.range(column);
                let (low, high) = seen.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
                assert!(
                    (least - low).abs() < 1e-5 && (most - high).abs() < 1e-5,
                    "{k}: {least} {low} {most} {high}"
                );
                assert!(least <= low && high <= most);
            }
        }
    }

    #[test]
    fn bad_postures_are_refused() {
        assert_eq!(JointMotion::lines(&[vec![0.0]]), Err(JointMotionFault::TooFew(1)));
        let length = JointMotion::lines(&[vec![0.0], vec![0.0, 1.0]]);
        assert_eq!(length, Err(JointMotionFault::Length { row: 2, found: 2, wanted: 1 }));
        let nan = JointMotion::spline(&[vec![0.0, 1.0], vec![0.0, f64::NAN]]);
        assert_eq!(nan, Err(JointMotionFault::NotFinite { row: 2, column: 2 }));
    }

    #[test]
    fn coefficients_make_a_motion_if_they_join() {
        let motion = JointMotion::spline(&[vec![0.0, 1.0], vec![0.1, -1.0], vec![0.5, 3.0]]).expect("three");
        let controls: Vec<Vec<[f64; 4]>> = motion.pieces().iter().map(|p| p.controls().to_vec()).collect();
        assert_eq!(JointMotion::of_controls(controls.clone()), Some(motion));
        for spoil in [
            |c: &mut Vec<Vec<[f64; 4]>>| c.clear(),
            |c: &mut Vec<Vec<[f64; 4]>>| c[1][0][0] += 1e-9,
            |c: &mut Vec<Vec<[f64; 4]>>| c[0][1][2] = f64::NAN,
            |c: &mut Vec<Vec<[f64; 4]>>| c[1].truncate(1),
        ] {
            let mut spoilt = controls.clone();
            spoil(&mut spoilt);
            assert_eq!(JointMotion::of_controls(spoilt), None);
        }
    }

    #[test]
    fn a_line_is_even() {
        let piece = JointPiece::line(&[1.0], &[4.0]);
        assert_eq!(piece.range(0), [1.0, 4.0]);
        let (mut at, mut rates) = (Vec::new(), Vec::new());
        piece.at(0.5, &mut at);
        piece.rates(0.25, &mut rates);
        assert!((at[0] - 2.5).abs() < 1e-15 && (rates[0] - 3.0).abs() < 1e-15);
    }
}
