use kansho_cell::ik::{Branch, BranchSign};
use std::fmt;

/// A branch of inverse kinematics as a small number; what is found numerically has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchCode(u8);

impl BranchCode {
    /// Of solutions that were found numerically.
    pub const UNKNOWN: Self = Self(8);

    /// How many there are, with the unknown one.
    pub const COUNT: usize = 9;

    pub(super) fn of(branch: Option<Branch>) -> Self {
        branch.map_or(Self::UNKNOWN, |Branch { shoulder, elbow, wrist }| {
            let bit = |way: BranchSign, value: u8| if way == BranchSign::Minus { value } else { 0 };
            Self(bit(shoulder, 4) | bit(elbow, 2) | bit(wrist, 1))
        })
    }

    pub(super) fn numbered(code: usize) -> Self {
        Self(code as u8)
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(super) fn bit(self) -> u16 {
        1 << self.0
    }
}

impl fmt::Display for BranchCode {
    /// Three signs, shoulder, elbow and wrist, as [`Branch`] shows them; a question mark for the unknown one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::UNKNOWN {
            return f.write_str("?");
        }
        let sign = |bit: u8| if self.0 & bit == 0 { '+' } else { '-' };
        write!(f, "{}{}{}", sign(4), sign(2), sign(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_shown_as_their_branches() {
        let ways = [BranchSign::Plus, BranchSign::Minus];
        for shoulder in ways {
            for elbow in ways {
                for wrist in ways {
                    let branch = Branch { shoulder, elbow, wrist };
                    assert_eq!(BranchCode::of(Some(branch)).to_string(), branch.to_string());
                }
            }
        }
        assert_eq!(BranchCode::of(None).to_string(), "?");
    }
}
