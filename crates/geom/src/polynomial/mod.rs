//! Polynomials of one variable: real roots and signs at them, without rounding.
//!
//! | part | holds |
//! |---|---|
//! | [`bernstein`] | Bernstein form in `f64` with bounds of the error |
//! | [`bracket`] | two places in `f64` between which there certainly is a root |
//! | [`whole`] | what is asked of whole numbers, and the ones of any length |
//! | [`fixed`] | whole numbers of bounded length, without allocation |
//! | [`exact`] | polynomials with whole coefficients; the part of one over a span |
//! | [`common`] | common factors |
//! | [`roots`] | real roots one after the other, and the signs of other polynomials at them |

pub(crate) mod bernstein;
pub(crate) mod bracket;
pub(crate) mod common;
pub(crate) mod exact;
pub(crate) mod fixed;
pub(crate) mod roots;
pub(crate) mod whole;

/// Why exact arithmetic did not come to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A number needs more digits than its type has; a longer type goes on.
    TooWide,
    /// Two events lie closer together than [`roots::DEEPEST`] halvings tell apart.
    TooDeep,
}
