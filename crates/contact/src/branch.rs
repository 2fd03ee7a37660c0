//! The cones of motions that an AND of ORs leaves, one for each way to choose.

use crate::cone::generators;
use crate::linear::{dot, nearest_in_cone, norm};
use crate::set::{Condition, ContactSet, Row, Segment, Twist};

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
    /// Whether these are the motions that this choice allows, or fewer, or more.
    pub kind: BranchKind,
}

/// How the motions of a branch compare with those that its choice of rows allows.
///
/// Edges along edges ([`Segment`]) and circles ([`Ring`](crate::set::Ring)) allow motions that no finite number of generators has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchKind {
    /// These and no others.
    Exact,
    /// All of these are allowed, and some others.
    Inner,
    /// Some of these may be blocked; no others are allowed.
    Outer,
}

impl BranchKind {
    /// The word that files have for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Inner => "inner",
            Self::Outer => "outer",
        }
    }

    /// Whether every motion of such a branch is allowed.
    #[must_use]
    pub fn is_sound(self) -> bool {
        self != Self::Outer
    }
}

/// All branches, or the first of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Branches {
    /// The branches.
    pub list: Vec<Branch>,
    /// Whether these are all; otherwise there are more than [`MOST_BRANCHES`].
    pub complete: bool,
}

/// Which approximation of segments and rings to expand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Everything in a branch is allowed: along a segment one and the same normal holds, and around a ring a pyramid of normals that encloses all.
    Inner,
    /// Everything allowed is in a branch: only the ends of a segment count, and some normals of a ring.
    Outer,
}

/// A choice that is open: sets of rows, of which one must hold.
struct Choice {
    options: Vec<Vec<Row>>,
    /// Whether the options together are less than what is allowed.
    is_segment: bool,
}

impl ContactSet {
    /// Expands the ORs, one after the other. One that the rows chosen before imply needs no choice, and is left out; whether
    /// it does is a linear program, answered with a proof either way.
    #[must_use]
    pub fn branches(&self, side: Side) -> Branches {
        let mut fixed: Vec<Row> = Vec::new();
        // Each choice is a set of rows; those with one choice only come first.
        let mut choices: Vec<Choice> = Vec::new();
        for (condition, rows) in self.conditions() {
            match rows {
                _ if side == Side::Inner && self.is_of_a_ring(condition) => {}
                [only] => fixed.push(*only),
                _ if side == Side::Inner && self.is_in_a_segment(rows) => {}
                _ => choices
                    .push(Choice { options: rows.iter().map(|&row| vec![row]).collect(), is_segment: false }),
            }
        }
        if side == Side::Inner {
            let of_segment = |s: &Segment| Choice {
                options: s.rows().map(|pair| pair.to_vec()).to_vec(),
                is_segment: true,
            };
            choices.extend(self.segments.iter().map(of_segment));
        }
        let mut list = Vec::new();
        let mut complete = true;
        let mut stack = vec![(0usize, fixed, BranchKind::Exact)];
        while let Some((depth, rows, kind)) = stack.pop() {
            if list.len() >= MOST_BRANCHES {
                complete = false;
                break;
            }
            let Some(open) = choices.get(depth) else {
                list.push(match side {
                    Side::Inner => self.inner_branch(rows, kind),
                    Side::Outer => self.outer_branch(rows),
                });
                continue;
            };
            let is_implied = |choice: &Vec<Row>| choice.iter().all(|row| self.implied(row, &rows));
            if open.options.iter().any(is_implied) {
                stack.push((depth + 1, rows, kind));
                continue;
            }
            let kind = if open.is_segment { BranchKind::Inner } else { kind };
            for choice in open.options.iter().rev() {
                let mut more = rows.clone();
                more.extend(choice);
                stack.push((depth + 1, more, kind));
            }
        }
        Branches { list, complete }
    }

    /// A branch with rows that imply its rings. Where a ring's own rows do so already, as if the other contacts leave only one
    /// way to go, these are exact.
    fn inner_branch(&self, mut rows: Vec<Row>, mut kind: BranchKind) -> Branch {
        for ring in &self.rings {
            let inside = ring.rows_inside();
            let mut with = rows.clone();
            with.extend(ring.rows_outside());
            if inside.iter().all(|row| self.implied(row, &with)) {
                rows = with;
            } else {
                rows.extend(inside);
                kind = BranchKind::Inner;
            }
        }
        Branch { kind, ..self.branch(rows) }
    }

    /// A branch that has no more than its choice allows if its rows imply all segments and rings.
    fn outer_branch(&self, rows: Vec<Row>) -> Branch {
        let implied = |list: &[Row]| list.iter().all(|row| self.implied(row, &rows));
        let exact = self.segments.iter().all(|s| s.rows().iter().any(|pair| implied(pair)))
            && self.rings.iter().all(|ring| implied(&ring.rows_inside()));
        let kind = if exact { BranchKind::Exact } else { BranchKind::Outer };
        Branch { kind, ..self.branch(rows) }
    }

    /// Whether a condition is one of the points that stand for a ring.
    fn is_of_a_ring(&self, condition: Condition) -> bool {
        let Condition::Point(contact, _) = condition else { return false };
        self.rings.iter().any(|r| (r.contacts[0]..r.contacts[0] + r.contacts[1]).contains(&contact))
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

    /// The motions that some rows allow, and nothing else is asked.
    #[must_use]
    pub fn branch(&self, rows: Vec<Row>) -> Branch {
        let scaled: Vec<[f64; 6]> = rows.iter().map(|row| self.scaled(row)).collect();
        let found = generators(&scaled, self.tolerance());
        Branch {
            rows,
            lineality: found.lineality.iter().map(|x| self.twist(x)).collect(),
            rays: found.rays.iter().map(|x| self.twist(x)).collect(),
            ambiguous: found.ambiguous,
            kind: BranchKind::Exact,
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
