//! Numbers for the page, in one piece: a header in JSON, then arrays.
//!
//! ```text
//! 4 bytes   length of the header, little-endian
//! header    JSON, filled up with blanks to a multiple of 4 bytes
//! arrays    one after the other, each at a multiple of 4 bytes
//! ```
//!
//! The header says of each array where it begins, in bytes after the header, and how many numbers it has.

use crate::api::ArrayPlace;
use serde::Serialize;

/// Arrays that are put one after the other.
#[derive(Default)]
pub(crate) struct Pack {
    bytes: Vec<u8>,
}

impl Pack {
    /// Adds numbers in single precision, and says where they are.
    pub(crate) fn floats(&mut self, numbers: impl IntoIterator<Item = f32>) -> ArrayPlace {
        let at = self.bytes.len();
        self.bytes.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
        (at, (self.bytes.len() - at) / 4)
    }

    /// Adds numbers in double precision. Their place is a multiple of four bytes only.
    pub(crate) fn doubles(&mut self, numbers: impl IntoIterator<Item = f64>) -> ArrayPlace {
        let at = self.bytes.len();
        self.bytes.extend(numbers.into_iter().flat_map(f64::to_le_bytes));
        (at, (self.bytes.len() - at) / 8)
    }

    /// Adds whole numbers.
    pub(crate) fn whole(&mut self, numbers: impl IntoIterator<Item = u32>) -> ArrayPlace {
        let at = self.bytes.len();
        self.bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        (at, (self.bytes.len() - at) / 4)
    }

    /// Adds whole numbers of sixteen bits, filled up to a multiple of four bytes.
    pub(crate) fn short(&mut self, numbers: impl IntoIterator<Item = u16>) -> ArrayPlace {
        let at = self.bytes.len();
        self.bytes.extend(numbers.into_iter().flat_map(u16::to_le_bytes));
        let count = (self.bytes.len() - at) / 2;
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        (at, count)
    }

    /// Adds bytes, filled up to a multiple of four.
    pub(crate) fn small(&mut self, numbers: impl IntoIterator<Item = i8>) -> ArrayPlace {
        let at = self.bytes.len();
        self.bytes.extend(numbers.into_iter().map(|number| number.to_le_bytes()[0]));
        let count = self.bytes.len() - at;
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        (at, count)
    }

    /// All of it.
    pub(crate) fn with_header(self, header: &impl Serialize) -> Vec<u8> {
        let mut text = serde_json::to_vec(header).expect("headers are plain data");
        text.resize(text.len().next_multiple_of(4), b' ');
        let length = u32::try_from(text.len()).expect("a header is short");
        let mut whole = Vec::with_capacity(4 + text.len() + self.bytes.len());
        whole.extend(length.to_le_bytes());
        whole.extend(text);
        whole.extend(self.bytes);
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn arrays_are_where_the_header_says() {
        let mut pack = Pack::default();
        let small = pack.small([1, -2, 3]);
        let floats = pack.floats([0.5, -1.5]);
        let whole = pack.whole([7]);
        let bytes = pack.with_header(&json!({ "small": small, "floats": floats, "whole": whole }));
        let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
        assert_eq!(length % 4, 0);
        let header: Value = serde_json::from_slice(&bytes[4..4 + length]).expect("JSON");
        let data = &bytes[4 + length..];
        assert_eq!(header["small"], json!([0, 3]));
        assert_eq!(&data[..3], &[1, 254, 3]);
        assert_eq!(header["floats"], json!([4, 2]));
        assert_eq!(f32::from_le_bytes(data[8..12].try_into().expect("four bytes")), -1.5);
        assert_eq!(header["whole"], json!([12, 1]));
        assert_eq!(data.len(), 16);
    }
}
