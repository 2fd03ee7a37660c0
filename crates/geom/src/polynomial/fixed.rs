//! Whole numbers of bounded length, without allocation.
//!
//! Only as many limbs as a number has are worked on, so that small ones are fast. Nothing checks for overflow: whoever
//! computes knows from the bits of the operands that the result fits ([`Whole::CAPACITY`]), or stops before.

use super::whole::{PRIME, Whole, power_of_two, reduced};
use dashu_int::{IBig, Sign, UBig};
use std::cmp::Ordering;

/// Limbs of 64 bits.
const LIMBS: usize = 8;

/// Sign and magnitude; limbs beyond `length` are zero, and the last one before is not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed {
    limbs: [u64; LIMBS],
    length: usize,
    negative: bool,
}

impl Fixed {
    const ZERO: Self = Self { limbs: [0; LIMBS], length: 0, negative: false };

    #[inline]
    fn used(&self) -> &[u64] {
        &self.limbs[..self.length]
    }

    #[inline]
    fn trim(&mut self, at_most: usize) {
        self.length = at_most;
        while self.length > 0 && self.limbs[self.length - 1] == 0 {
            self.length -= 1;
        }
    }

    /// Compares magnitudes.
    #[inline]
    fn compare(&self, other: &Self) -> Ordering {
        self.length.cmp(&other.length).then_with(|| self.used().iter().rev().cmp(other.used().iter().rev()))
    }

    /// Adds a number whose sign is given apart.
    #[inline]
    fn add_signed(&mut self, b: &Self, b_negative: bool) {
        if self.length == 0 {
            *self = *b;
            self.negative = b_negative;
        } else if self.negative == b_negative {
            let most = self.length.max(b.length);
            let mut carry = false;
            for i in 0..most {
                (self.limbs[i], carry) = carrying(self.limbs[i], b.limbs[i], carry);
            }
            self.length = most;
            if carry {
                self.limbs[most] = 1;
                self.length += 1;
            }
        } else if self.compare(b) == Ordering::Less {
            let negative = !self.negative;
            let own = *self;
            *self = *b;
            self.take(&own);
            self.negative = negative;
        } else {
            self.take(b);
        }
    }

    /// Reduces the magnitude by one that is not larger.
    #[inline]
    fn take(&mut self, b: &Self) {
        let mut borrow = false;
        for i in 0..self.length {
            if i >= b.length && !borrow {
                break;
            }
            (self.limbs[i], borrow) = borrowing(self.limbs[i], b.limbs[i], borrow);
        }
        self.trim(self.length);
    }

    #[inline]
    fn product(a: &Self, b: &Self) -> Self {
        let mut product = Self::ZERO;
        if a.length == 0 || b.length == 0 {
            return product;
        }
        for (i, &x) in a.used().iter().enumerate() {
            let mut carry = 0;
            for (j, &y) in b.used().iter().enumerate() {
                let wide = u128::from(x) * u128::from(y) + u128::from(product.limbs[i + j]) + carry;
                product.limbs[i + j] = wide as u64;
                carry = wide >> 64;
            }
            if carry > 0 {
                product.limbs[i + b.length] = carry as u64;
            }
        }
        product.trim((a.length + b.length).min(LIMBS));
        product.negative = a.negative != b.negative;
        product
    }

    #[inline]
    fn times(&self, b: u64) -> Self {
        let mut product = *self;
        product.multiply(b);
        product
    }
}

#[inline]
fn carrying(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, one) = a.overflowing_add(b);
    let (sum, two) = sum.overflowing_add(carry.into());
    (sum, one | two)
}

#[inline]
fn borrowing(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (rest, one) = a.overflowing_sub(b);
    let (rest, two) = rest.overflowing_sub(borrow.into());
    (rest, one | two)
}

impl Whole for Fixed {
    /// One limb less than there are, so that sums and carries have room.
    const CAPACITY: usize = 64 * (LIMBS - 1);

    #[inline]
    fn zero() -> Self {
        Self::ZERO
    }

    #[inline]
    fn dyadic(mantissa: i64, shift: usize) -> Self {
        let mut number = Self::ZERO;
        number.limbs[0] = mantissa.unsigned_abs();
        number.trim(1);
        number.negative = mantissa < 0;
        number.shift_left(shift);
        number
    }

    #[inline]
    fn from_i128(number: i128) -> Self {
        let magnitude = number.unsigned_abs();
        let mut fixed = Self::ZERO;
        fixed.limbs[0] = magnitude as u64;
        fixed.limbs[1] = (magnitude >> 64) as u64;
        fixed.trim(2);
        fixed.negative = number < 0;
        fixed
    }

    #[inline]
    fn to_i64(&self) -> Option<i64> {
        if self.length > 1 {
            return None;
        }
        let magnitude = i64::try_from(self.limbs[0]).ok()?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    #[inline]
    fn sign(&self) -> Ordering {
        match (self.length, self.negative) {
            (0, _) => Ordering::Equal,
            (_, true) => Ordering::Less,
            (_, false) => Ordering::Greater,
        }
    }

    #[inline]
    fn bits(&self) -> usize {
        match self.used().last() {
            None => 0,
            Some(top) => 64 * self.length - top.leading_zeros() as usize,
        }
    }

    #[inline]
    fn add(&mut self, b: &Self) {
        self.add_signed(b, b.negative);
    }

    #[inline]
    fn subtract(&mut self, b: &Self) {
        self.add_signed(b, !b.negative);
    }

    #[inline]
    fn add_product(&mut self, a: &Self, b: &Self) {
        self.add(&Self::product(a, b));
    }

    #[inline]
    fn subtract_product(&mut self, a: &Self, b: &Self) {
        self.subtract(&Self::product(a, b));
    }

    #[inline]
    fn add_multiple(&mut self, a: &Self, b: i64) {
        let product = a.times(b.unsigned_abs());
        self.add_signed(&product, product.negative != (b < 0));
    }

    #[inline]
    fn multiply(&mut self, b: u64) {
        let mut carry = 0;
        for limb in &mut self.limbs[..self.length] {
            let wide = u128::from(*limb) * u128::from(b) + carry;
            *limb = wide as u64;
            carry = wide >> 64;
        }
        if carry > 0 {
            self.limbs[self.length] = carry as u64;
            self.length += 1;
        }
        self.trim(self.length);
    }

    #[inline]
    fn shift_left(&mut self, bits: usize) {
        if self.length == 0 || bits == 0 {
            return;
        }
        let (limbs, bits) = (bits / 64, bits % 64);
        let mut shifted = [0; LIMBS];
        for (i, &limb) in self.used().iter().enumerate() {
            shifted[i + limbs] |= limb << bits;
            if bits > 0 && limb >> (64 - bits) > 0 {
                shifted[i + limbs + 1] |= limb >> (64 - bits);
            }
        }
        self.limbs = shifted;
        self.trim((self.length + limbs + 1).min(LIMBS));
    }

    fn divided(&self, by: i64) -> Option<Self> {
        let divisor = by.unsigned_abs();
        let mut quotient = *self;
        let mut rest = 0;
        for limb in quotient.limbs[..self.length].iter_mut().rev() {
            if divisor >> 32 == 0 {
                // In halves, for which the processor has divisions.
                let upper = rest << 32 | *limb >> 32;
                let lower = (upper % divisor) << 32 | (*limb & 0xFFFF_FFFF);
                *limb = ((upper / divisor) << 32) | (lower / divisor);
                rest = lower % divisor;
            } else {
                let wide = u128::from(rest) << 64 | u128::from(*limb);
                *limb = (wide / u128::from(divisor)) as u64;
                rest = (wide % u128::from(divisor)) as u64;
            }
        }
        quotient.trim(self.length);
        quotient.negative = self.negative != (by < 0);
        (rest == 0).then_some(quotient)
    }

    #[inline]
    fn modulo(&self) -> u64 {
        let mut rest = 0;
        for &limb in self.used().iter().rev() {
            rest = reduced(u128::from(rest) << 64 | u128::from(limb));
        }
        if self.negative && rest > 0 { PRIME - rest } else { rest }
    }

    #[inline]
    fn scaled(&self, bits: usize) -> f64 {
        let value = match self.used() {
            [] => return 0.0,
            [only] => *only as f64 * power_of_two(0, bits),
            [.., next, top] => {
                // The part below is less than 2⁻⁶⁴ of the whole.
                let top = (u128::from(*top) << 64 | u128::from(*next)) as f64;
                top * power_of_two(64 * (self.length - 2), bits)
            }
        };
        if self.negative { -value } else { value }
    }

    fn to_big(&self) -> IBig {
        let mut big = UBig::ZERO;
        for &limb in self.used().iter().rev() {
            big = (big << 64_usize) + UBig::from(limb);
        }
        IBig::from_parts(if self.negative { Sign::Negative } else { Sign::Positive }, big)
    }

    fn from_big(big: &IBig) -> Option<Self> {
        if Whole::bits(big) > Self::CAPACITY {
            return None;
        }
        let (sign, magnitude) = big.clone().into_parts();
        let mut number = Self::ZERO;
        for (limb, bytes) in number.limbs.iter_mut().zip(magnitude.to_le_bytes().chunks(8)) {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            *limb = u64::from_le_bytes(eight);
        }
        number.trim(LIMBS);
        number.negative = sign == Sign::Negative;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of all lengths with many limbs of zeros and ones, where carries go wrong.
    fn numbers() -> impl Strategy<Value = IBig> {
        let limb = prop_oneof![Just(0), Just(u64::MAX), Just(1), Just(1 << 63), any::<u64>()];
        (proptest::collection::vec(limb, 0..=3), any::<bool>()).prop_map(|(limbs, negative)| {
            let magnitude = limbs.iter().fold(UBig::ZERO, |big, &limb| (big << 64_usize) + UBig::from(limb));
            IBig::from_parts(if negative { Sign::Negative } else { Sign::Positive }, magnitude)
        })
    }

    fn fixed(big: &IBig) -> Fixed {
        Fixed::from_big(big).expect("short enough")
    }

    proptest! {
        #[test]
        fn short_numbers_agree_with_long_ones(
            a in numbers(), b in numbers(), c in numbers(), small in any::<i64>(), shift in 0_usize..190,
        ) {
            let (x, y, z) = (fixed(&a), fixed(&b), fixed(&c));
            prop_assert_eq!(x.to_big(), a.clone());
            prop_assert_eq!(Whole::bits(&x), Whole::bits(&a));
            prop_assert_eq!(x.sign(), Whole::sign(&a));
            let both = |work: &dyn Fn(&mut Fixed), with: &dyn Fn(&mut IBig)| {
                let (mut short, mut long) = (z, c.clone());
                work(&mut short);
                with(&mut long);
                // The same number, and in its only form.
                (short.to_big() == long) && (short.length == fixed(&long).length)
            };
            prop_assert!(both(&|n| n.add(&x), &|n| Whole::add(n, &a)));
            prop_assert!(both(&|n| n.subtract(&x), &|n| Whole::subtract(n, &a)));
            prop_assert!(both(&|n| n.add_product(&x, &y), &|n| n.add_product(&a, &b)));
            prop_assert!(both(&|n| n.subtract_product(&x, &y), &|n| n.subtract_product(&a, &b)));
            prop_assert!(both(&|n| n.subtract_product(&z, &Fixed::dyadic(1, 0)), &|n| *n = IBig::ZERO));
            prop_assert!(both(&|n| n.add_multiple(&x, small), &|n| n.add_multiple(&a, small)));
            prop_assert!(both(&|n| n.multiply(small as u64), &|n| n.multiply(small as u64)));
            prop_assert!(both(&|n| n.shift_left(shift), &|n| n.shift_left(shift)));
            prop_assert_eq!(Fixed::dyadic(small, shift).to_big(), IBig::dyadic(small, shift));
            let bits = Whole::bits(&a);
            let (one, two) = (x.scaled(bits), Whole::scaled(&a, bits));
            prop_assert!((one - two).abs() <= 2.0 * f64::EPSILON * one.abs() && one.abs() <= 1.0);
            prop_assert!(bits == 0 || one.abs() >= 0.5);
            prop_assert_eq!(one < 0.0, a < IBig::ZERO);
            if let Some(short) = x.to_i64() {
                prop_assert_eq!(IBig::from(short), a.clone());
            }
            prop_assert!(x.to_i64().is_some() || Whole::bits(&a) > 63);
            let wide = i128::from(small) << 60;
            prop_assert_eq!(Fixed::from_i128(wide).to_big(), IBig::from(wide));
            prop_assert_eq!(Fixed::dyadic(small, 0).to_i64(), (small != i64::MIN).then_some(small));
            let by = if small == 0 { 3 } else { small };
            prop_assert_eq!(x.modulo(), a.modulo());
            prop_assert_eq!(x.divided(by).map(|q| q.to_big()), a.divided(by));
            let by = by % 1000 * 2 + 1;
            let multiple = Fixed::from_big(&(&a * IBig::from(by))).expect("short enough");
            prop_assert_eq!(multiple.divided(by).map(|q| q.to_big()), Some(a.clone()));
        }
    }
}
