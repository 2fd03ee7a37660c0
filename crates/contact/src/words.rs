//! Freedoms in words.

use crate::branch::{Branch, Side};
use crate::linear::singular;
use crate::screw::Screw;
use crate::set::{ContactSet, Twist};
use kansho_geom::glam::DVec3;

impl ContactSet {
    /// The freedoms that are left, in words.
    #[must_use]
    pub fn freedoms(&self) -> String {
        if self.contacts.is_empty() {
            return "is free".into();
        }
        let branches = self.branches(Side::Inner);
        match &branches.list[..] {
            [only] => self.freedoms_of(only),
            [] => "cannot move".into(),
            several => {
                let mut words: Vec<String> = several.iter().map(|b| self.freedoms_of(b)).collect();
                words.sort();
                words.dedup();
                let more = if branches.complete { "" } else { "at least " };
                match &words[..] {
                    [same] => format!("{same} (in each of {more}{} ways)", several.len()),
                    _ => format!("in {more}{} ways: {}", several.len(), words.join("; or ")),
                }
            }
        }
    }

    /// The freedoms of one branch, in words.
    #[must_use]
    pub fn freedoms_of(&self, branch: &Branch) -> String {
        let both = self.both_ways(&branch.lineality);
        let one = self.one_way(branch);
        match (both, one) {
            (None, None) => "cannot move".into(),
            (Some(both), None) => format!("{both}, nothing else"),
            (None, Some(one)) => one,
            (Some(both), Some(one)) => format!("{both}; {one}"),
        }
    }

    fn both_ways(&self, lineality: &[Twist]) -> Option<String> {
        if lineality.is_empty() {
            return None;
        }
        let tolerance = (10.0 * self.tolerance()).max(1e-6);
        // Combinations without rotation come last in order of their rotation.
        let scaled: Vec<[f64; 6]> = lineality.iter().map(|t| self.scaled_twist(t)).collect();
        let turning = singular(&transposed(&scaled, 3));
        let (mut slides, mut turns) = (Vec::new(), Vec::new());
        for (value, mix) in turning.iter().take(scaled.len()) {
            let sum: [f64; 6] = std::array::from_fn(|i| scaled.iter().zip(mix).map(|(s, m)| s[i] * m).sum());
            if *value > tolerance {
                turns.push(self.twist(&sum))
            } else {
                slides.push(self.twist(&sum).v.normalize_or_zero())
            }
        }
        Some(match (&slides[..], &turns[..]) {
            ([d], []) => format!("slides along {}", name(*d, tolerance)),
            ([d, e], []) => format!("slides across {} without turning", name(d.cross(*e), tolerance)),
            ([_, _, _], []) => "slides every way without turning".into(),
            ([], [turn]) => self.turn(turn, tolerance),
            ([d], [turn]) => match Screw::of(turn, self.size, tolerance) {
                Screw::Turn { point, axis, .. } if axis.cross(*d).length() <= tolerance => format!(
                    "slides along and turns about the axis along {} through {} (as in a cylindrical joint)",
                    name(axis, tolerance),
                    place(point, self.size)
                ),
                _ => format!("{} and slides along {}", self.turn(turn, tolerance), name(*d, tolerance)),
            },
            ([d, e], [turn])
                if turn.w.normalize_or_zero().cross(d.cross(*e).normalize_or_zero()).length()
                    <= tolerance =>
            {
                format!("slides across {0} and turns about it (as on a plane)", name(d.cross(*e), tolerance))
            }
            ([], [_, _, _]) => match self.pivot(&turns, tolerance) {
                // On a circle of a cone an edge turns so to first order only; a ball does turn.
                Some(point) if !self.rings.is_empty() => {
                    format!("turns every way about {}, to first order", place(point, self.size))
                }
                Some(point) => {
                    format!("turns every way about {} (as in a ball joint)", place(point, self.size))
                }
                None => "has three screws both ways".into(),
            },
            ([_, _, _], [_, _, _]) => "is free".into(),
            (slides, turns) => {
                format!("has {} slides and {} turns both ways", slides.len(), turns.len())
            }
        })
    }

    /// The point that stays where it is in all of three turns.
    fn pivot(&self, turns: &[Twist], tolerance: f64) -> Option<DVec3> {
        // v + w × p = 0 in all three: least squares by normal equations of nine rows.
        let mut square = kansho_geom::glam::DMat3::ZERO;
        let mut right = DVec3::ZERO;
        for t in turns {
            let w = t.w;
            let cross = kansho_geom::glam::DMat3::from_cols(
                DVec3::new(0.0, w.z, -w.y),
                DVec3::new(-w.z, 0.0, w.x),
                DVec3::new(w.y, -w.x, 0.0),
            );
            square += cross.transpose() * cross;
            right += cross.transpose() * -t.v;
        }
        let point = square.inverse() * right;
        let stays = |t: &Twist| t.at(point).length() <= tolerance * self.size * t.w.length();
        (point.is_finite() && turns.iter().all(stays)).then_some(point)
    }

    fn turn(&self, turn: &Twist, tolerance: f64) -> String {
        match Screw::of(turn, self.size, tolerance) {
            Screw::Turn { point, axis, pitch: 0.0 } => {
                format!(
                    "turns about the axis along {} through {}",
                    name(axis, tolerance),
                    place(point, self.size)
                )
            }
            Screw::Turn { point, axis, pitch } => format!(
                "moves on a screw about the axis along {} through {}, {:.6} a turn",
                name(axis, tolerance),
                place(point, self.size),
                pitch * std::f64::consts::TAU
            ),
            Screw::Slide(d) => format!("slides along {}", name(d, tolerance)),
            Screw::Still => "does not move".into(),
        }
    }

    fn one_way(&self, branch: &Branch) -> Option<String> {
        let tolerance = (10.0 * self.tolerance()).max(1e-6);
        match &branch.rays[..] {
            [] => None,
            [ray] => Some(match Screw::of(ray, self.size, tolerance) {
                Screw::Slide(d) => format!("can leave along {}", signed(d, tolerance)),
                _ => format!("one way only, {}", self.turn(ray, tolerance)),
            }),
            many => {
                let out = match self.out_of(branch) {
                    Some(d) => format!("can leave along {}", signed(d, tolerance)),
                    None => "can leave by turning".into(),
                };
                Some(format!("{out} ({} ways to the border)", many.len()))
            }
        }
    }
}

/// Columns as rows: entry `j` of row `i` is entry `from + i` of vector `j`; up to six vectors.
fn transposed(vectors: &[[f64; 6]], from: usize) -> Vec<[f64; 6]> {
    (from..6).map(|i| std::array::from_fn(|j| vectors.get(j).map_or(0.0, |v| v[i]))).collect()
}

/// A direction, the sign of which does not matter.
fn name(d: DVec3, tolerance: f64) -> String {
    let d = d.normalize_or_zero();
    for (axis, letter) in [(DVec3::X, "x"), (DVec3::Y, "y"), (DVec3::Z, "z")] {
        if d.cross(axis).length() <= tolerance {
            return letter.into();
        }
    }
    vector(d)
}

/// A direction with its sign.
fn signed(d: DVec3, tolerance: f64) -> String {
    let d = d.normalize_or_zero();
    for (axis, letter) in [(DVec3::X, "x"), (DVec3::Y, "y"), (DVec3::Z, "z")] {
        if d.cross(axis).length() <= tolerance {
            return format!("{}{letter}", if d.dot(axis) < 0.0 { '-' } else { '+' });
        }
    }
    vector(d)
}

fn vector(d: DVec3) -> String {
    let number = |x: f64| {
        let text = format!("{:.4}", if x.abs() < 5e-5 { 0.0 } else { x });
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    format!("({}, {}, {})", number(d.x), number(d.y), number(d.z))
}

/// A point, to a ten-thousandth of the size.
fn place(p: DVec3, size: f64) -> String {
    let digits = (4.0 - size.log10().floor()).clamp(0.0, 9.0) as usize;
    let number = |x: f64| {
        let text = format!("{x:.digits$}");
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    };
    format!("({}, {}, {})", number(p.x), number(p.y), number(p.z))
}
