//! Bytes as numbers.

/// Takes numbers from the front of an input; zeros when it is used up.
pub(crate) struct Numbers<'a>(pub(crate) &'a [u8]);

impl Numbers<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(first, rest)| (*first, rest));
        self.0 = rest;
        first
    }

    /// A whole number from 0 to `below` − 1.
    pub(crate) fn below(&mut self, below: usize) -> usize {
        usize::from(self.byte()) % below
    }

    /// A small whole number: these make faces that are parallel, lines that meet, features that touch without crossing.
    pub(crate) fn small(&mut self) -> i64 {
        i64::from(self.byte() as i8 % 9)
    }

    /// A whole number of at most 16 bits with its sign, most often a small one.
    pub(crate) fn whole(&mut self) -> i64 {
        match self.byte() {
            kind @ 0..=199 => i64::from(kind % 19) - 9,
            200..=229 => i64::from(self.byte() as i8),
            _ => i64::from(i16::from_le_bytes([self.byte(), self.byte()])),
        }
    }
}
