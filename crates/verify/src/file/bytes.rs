//! Whole numbers and numbers in double precision as bytes.

/// Adds a whole number: 7 bits a byte, the least first, the eighth bit for more.
pub(super) fn push_count(bytes: &mut Vec<u8>, mut count: u64) {
    while count >= 0x80 {
        bytes.push(count as u8 | 0x80);
        count >>= 7;
    }
    bytes.push(count as u8);
}

/// What is left of a row of bytes.
pub(super) struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn length(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn count(&mut self) -> Option<u64> {
        let mut count = 0u64;
        for place in 0..10 {
            let [byte] = self.take(1)? else { return None };
            let bits = u64::from(byte & 0x7f);
            // The tenth has one bit; and there is one way to write a number.
            if (place == 9 && bits > 1) || (place > 0 && *byte == 0) {
                return None;
            }
            count |= bits << (7 * place);
            if byte & 0x80 == 0 {
                return Some(count);
            }
        }
        None
    }

    pub(super) fn numbers(&mut self, count: usize) -> Option<Vec<f64>> {
        let bytes = self.take(count.checked_mul(8)?)?;
        let number = |eight: &[u8]| eight.try_into().map(f64::from_le_bytes).ok();
        bytes.chunks_exact(8).map(number).collect()
    }
}

/// Bytes as letters of a text (RFC 4648).
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |k: usize| u32::from(three.get(k).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for k in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes of such a text. There is one way to write any: bits that say nothing are zero.
pub(super) fn of_base64(text: &str) -> Option<Vec<u8>> {
    let letters = text.as_bytes();
    if !letters.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3);
    for (k, four) in letters.chunks_exact(4).enumerate() {
        let is_last = 4 * (k + 1) == letters.len();
        let filled =
            if is_last { four.iter().rev().take_while(|letter| **letter == b'=').count() } else { 0 };
        if filled > 2 {
            return None;
        }
        let mut bits = 0u32;
        for (k, letter) in four.iter().enumerate() {
            let value = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' if k + filled >= 4 => 0,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        let [_, three @ ..] = bits.to_be_bytes();
        let kept = 3 - filled;
        if three[kept..].iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend(&three[..kept]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_standard() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
            assert_eq!(of_base64(coded).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
        for wrong in ["Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm9-"] {
            assert_eq!(of_base64(wrong), None, "{wrong}");
        }
    }
}
