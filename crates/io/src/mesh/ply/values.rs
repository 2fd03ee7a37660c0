//! The body of a PLY file as a stream of numbers, whatever its encoding.

use super::header::{Encoding, Header, Scalar};
use crate::fault::{Counted, Fault, Place};
use crate::text::{Rows, Word, lines};

/// Numbers of the body one after the other.
pub(super) enum Values<'a> {
    Text(Text<'a>),
    Binary(Binary<'a>),
}

impl<'a> Values<'a> {
    pub(super) fn of_body(file: &'a [u8], header: &Header<'a>) -> Self {
        match header.encoding {
            Encoding::Ascii => Self::Text(Text {
                words: Box::new(lines(file).skip(header.end.line as usize).flat_map(|line| line.words())),
                file,
                last: header.end,
                begins_row: true,
                ragged: Counted::default(),
                rows: Rows::default(),
            }),
            Encoding::LittleEndian | Encoding::BigEndian => Self::Binary(Binary {
                file,
                big_endian: header.encoding == Encoding::BigEndian,
                last: header.body,
                next: header.body,
            }),
        }
    }

    /// Says that the next number begins a row.
    pub(super) fn begin_row(&mut self) {
        if let Self::Text(text) = self {
            text.begins_row = true;
        }
    }

    /// The next number: NaN if it is a word that is no number, `None` if the file ends before it does.
    pub(super) fn next(&mut self, kind: Scalar) -> Option<f64> {
        match self {
            Self::Text(text) => text.next().map(|word| number(&word)),
            Self::Binary(binary) => binary.next(kind),
        }
    }

    /// Reads past numbers; `None` if there are fewer.
    pub(super) fn skip(&mut self, count: u64, kind: Scalar) -> Option<()> {
        if count > self.most_left(kind) {
            return None;
        }
        match self {
            Self::Text(text) => (0..count).try_for_each(|_| text.next().map(|_| ())),
            Self::Binary(binary) => {
                binary.next += count as usize * kind.bytes();
                Some(())
            }
        }
    }

    /// How many more numbers the rest of the file can hold at most.
    pub(super) fn most_left(&self, kind: Scalar) -> u64 {
        let most = match self {
            // A word and the blank before it are two bytes at least.
            Self::Text(text) => (text.file.len() - text.offset_after_last()) / 2,
            Self::Binary(binary) => (binary.file.len() - binary.next) / kind.bytes(),
        };
        most as u64
    }

    /// A fault at the last number.
    pub(super) fn fault(&self, what: String) -> Fault {
        Fault { place: self.place(), what, help: None }
    }

    /// The place of the last number.
    pub(super) fn place(&self) -> Place {
        match self {
            Self::Text(text) => text.last.place(),
            Self::Binary(binary) => Place::Byte(binary.last as u64),
        }
    }

    /// The last number as it stands in the file.
    pub(super) fn shown(&self, value: f64) -> String {
        match self {
            Self::Text(text) => format!("'{}'", text.last.shown()),
            Self::Binary(_) => value.to_string(),
        }
    }

    /// Advice about a last number that is none.
    pub(super) fn help(&self) -> Option<String> {
        match self {
            Self::Text(text) => text.last.number().err().and_then(|fault| fault.help),
            Self::Binary(_) => None,
        }
    }

    /// The fault of a file that ends before the next number does.
    pub(super) fn ended(&self, what: String) -> Fault {
        match self {
            Self::Text(text) => text.last.fault(what),
            Self::Binary(binary) => Fault::at_byte(binary.next, what),
        }
    }

    /// What stands after the body, if all of that was read.
    pub(super) fn extra(&mut self) -> Option<Fault> {
        self.begin_row();
        match self {
            Self::Text(text) => {
                text.next().map(|word| word.fault("more follows after the last element; it is ignored"))
            }
            Self::Binary(binary) => {
                let extra = binary.file.len() - binary.next;
                let what = format!("{extra} bytes follow after the last element; they are ignored");
                (extra > 0).then(|| Fault::at_byte(binary.next, what))
            }
        }
    }

    /// The rows that do not keep to their lines, and whether some are torn.
    pub(super) fn into_ragged(self) -> (Counted, bool) {
        match self {
            Self::Text(text) => (text.ragged, text.rows.torn),
            Self::Binary(_) => (Counted::default(), false),
        }
    }
}

pub(super) struct Text<'a> {
    words: Box<dyn Iterator<Item = Word<'a>> + 'a>,
    file: &'a [u8],
    last: Word<'a>,
    begins_row: bool,
    /// Words that begin a row within a line, or a line within a row.
    ragged: Counted,
    rows: Rows,
}

impl<'a> Text<'a> {
    fn next(&mut self) -> Option<Word<'a>> {
        let word = self.words.next()?;
        let begins_line = word.line > self.last.line;
        if begins_line != self.begins_row {
            self.ragged.add(|| word.place());
        }
        self.rows.next(self.begins_row, begins_line);
        self.begins_row = false;
        self.last = word;
        Some(word)
    }

    fn offset_after_last(&self) -> usize {
        self.last.text.as_ptr() as usize - self.file.as_ptr() as usize + self.last.text.len()
    }
}

/// The number of a word, infinite ones too; NaN if it is none.
fn number(word: &Word) -> f64 {
    std::str::from_utf8(word.text).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

pub(super) struct Binary<'a> {
    file: &'a [u8],
    big_endian: bool,
    /// Offset of the last number.
    last: usize,
    /// Offset of the next number.
    next: usize,
}

impl Binary<'_> {
    fn next(&mut self, kind: Scalar) -> Option<f64> {
        Some(match kind {
            Scalar::I8 => i8::from_le_bytes(self.take()?).into(),
            Scalar::U8 => u8::from_le_bytes(self.take()?).into(),
            Scalar::I16 => i16::from_le_bytes(self.take()?).into(),
            Scalar::U16 => u16::from_le_bytes(self.take()?).into(),
            Scalar::I32 => i32::from_le_bytes(self.take()?).into(),
            Scalar::U32 => u32::from_le_bytes(self.take()?).into(),
            Scalar::F32 => f32::from_le_bytes(self.take()?).into(),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    /// The next bytes, least significant first.
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = *self.file[self.next..].first_chunk::<N>()?;
        if self.big_endian {
            bytes.reverse();
        }
        self.last = self.next;
        self.next += N;
        Some(bytes)
    }
}
