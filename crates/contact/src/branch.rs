//! The cones of motions that an AND of ORs leaves, one for each way to choose.

use crate::cone::generators;
use crate::linear::{dot, nearest_in_cone, norm};
use crate::set::{ContactSet, Row, Twist};

/// Most branches that [`ContactSet::branches`] lists.
pub const MOST_BRANCHES: usize = 4096;

/// One way to choose a row of every OR, and the motions it allows.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The rows.
    pub rows: Vec<Row>,
    /// Motions that are allowed both ways.
    pub lineality: Vec<Twist>,
    /// Motions that are allowed one way; with the others they generate all.
    pub rays: Vec<Twist>,
    /// Whether noise leaves it open what is free.
    pub ambiguous: bool,
}

/// All branches, or the first of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Branches {
    /// The branches.
    pub list: Vec<Branch>,
    /// Whether these are all; otherwise there are more than [`MOST_BRANCHES`].
    pub complete: bool,
}

/// Which approximation of segments to expand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Everything in a branch is allowed: along a segment one and the same normal holds.
    Inner,
    /// Everything allowed is in a branch: only the ends of a segment count.
    Outer,
}

impl ContactSet {
    /// Expands the ORs, one after the other. One that the rows chosen before imply needs no choice, and is left out; whether
    /// it does is a linear program, answered with a proof either way.
    #[must_use]
    pub fn branches(&self, side: Side) -> Branches {
        let mut fixed: Vec<Row> = Vec::new();
        // Each choice is a set of rows; those with one choice only come first.
        let mut choices: Vec<Vec<Vec<Row>>> = Vec::new();
        for (_, rows) in self.conditions() {
            match rows {
                [only] => fixed.push(*only),
                _ if side == Side::Inner && self.is_in_a_segment(rows) => {}
                _ => choices.push(rows.iter().map(|&row| vec![row]).collect()),
            }
        }
        if side == Side::Inner {
            choices.extend(self.segments.iter().map(|s| s.rows().map(|pair| pair.to_vec()).to_vec()));
        }
        let mut list = Vec::new();
        let mut complete = true;
        let mut stack = vec![(0usize, fixed)];
        while let Some((depth, rows)) = stack.pop() {
            if list.len() >= MOST_BRANCHES {
                complete = false;
                break;
            }
            let Some(open) = choices.get(depth) else {
                list.push(self.branch(rows));
                continue;
            };
            if open.iter().any(|choice| choice.iter().all(|row| self.implied(row, &rows))) {
                stack.push((depth + 1, rows));
                continue;
            }
            for choice in open.iter().rev() {
                let mut more = rows.clone();
                more.extend(choice);
                stack.push((depth + 1, more));
            }
        }
        Branches { list, complete }
    }

    /// Whether rows follow from others: their sum of non-negative multiples.
    pub(crate) fn implied(&self, row: &Row, by: &[Row]) -> bool {
        let rows: Vec<Vec<f64>> = by.iter().map(|r| self.scaled(r).to_vec()).collect();
        norm(&nearest_in_cone(&rows, &self.scaled(row)).rest) <= self.tolerance()
    }

    /// How far scaled rows may be off.
    pub(crate) fn tolerance(&self) -> f64 {
        self.uncertainty.max(1e-9)
    }

    /// An OR at the end of a segment says less than the segment.
    fn is_in_a_segment(&self, rows: &[Row]) -> bool {
        self.segments.iter().any(|s| {
            rows.len() == 2
                && rows.iter().all(|row| {
                    s.ends.iter().any(|p| p.distance(row.point) <= 1e-3 * s.ends[0].distance(s.ends[1]))
                        && s.normals.iter().any(|n| {
                            n.dot(row.normal) > 0.0 && n.cross(row.normal).length() <= 6.0 * self.tolerance()
                        })
                })
        })
    }

    /// The motions that some rows allow.
    #[must_use]
    pub fn branch(&self, rows: Vec<Row>) -> Branch {
        let scaled: Vec<[f64; 6]> = rows.iter().map(|row| self.scaled(row)).collect();
        let found = generators(&scaled, self.tolerance());
        Branch {
            rows,
            lineality: found.lineality.iter().map(|x| self.twist(x)).collect(),
            rays: found.rays.iter().map(|x| self.twist(x)).collect(),
            ambiguous: found.ambiguous,
        }
    }

    /// Whether a motion lies in the cone that a branch generates, to within a fraction of its speed.
    #[must_use]
    pub fn generates(&self, branch: &Branch, motion: &Twist, within: f64) -> bool {
        let mut generators: Vec<Vec<f64>> = Vec::new();
        for line in &branch.lineality {
            let line = self.scaled_twist(line);
            generators.push(line.to_vec());
            generators.push(line.map(|x| -x).to_vec());
        }
        generators.extend(branch.rays.iter().map(|ray| self.scaled_twist(ray).to_vec()));
        let target = self.scaled_twist(motion);
        norm(&nearest_in_cone(&generators, &target).rest) <= within * dot(&target, &target).sqrt()
    }
}
