//! Text files word by word, with line and column for every word.

use crate::fault::{Fault, Place};
use std::borrow::Cow;

/// A word of a text file and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a [u8],
    /// The whole line.
    pub(crate) line_text: &'a [u8],
    /// From 1.
    pub(crate) line: u32,
}

impl<'a> Word<'a> {
    /// The word for messages, shortened, whatever its encoding.
    pub(crate) fn shown(&self) -> String {
        shortened(self.text, 40)
    }

    pub(crate) fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword.as_bytes())
    }

    /// A fault at this word.
    pub(crate) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault { place: self.place(), what: what.into(), help: None }
    }

    pub(crate) fn place(&self) -> Place {
        // The word is a part of the line, so the offset is the difference of their addresses.
        let offset = self.text.as_ptr() as usize - self.line_text.as_ptr() as usize;
        place_in_line(self.line_text, self.line, offset, self.text.len())
    }

    /// A finite number, or the fault of this word.
    pub(crate) fn number(&self) -> Result<f64, Fault> {
        let parsed = std::str::from_utf8(self.text).ok().and_then(|text| text.parse::<f64>().ok());
        match parsed {
            Some(number) if number.is_finite() => Ok(number),
            Some(_) => Err(self.fault(format!("'{}' is not a finite number", self.shown()))),
            None if self.text.contains(&b',')
                && self.text.first().is_some_and(|c| c.is_ascii_digit() || *c == b'-') =>
            {
                Err(self
                    .fault(format!("'{}' is not a number", self.shown()))
                    .with_help("write decimals with a point"))
            }
            None if self.text.contains(&b';') => Err(self
                .fault(format!("'{}' is not a number", self.shown()))
                .with_help("separate columns by commas, and write decimals with a point")),
            None => Err(self.fault(format!("'{}' is not a number", self.shown()))),
        }
    }

    /// Whether this is a number, finite or not.
    pub(crate) fn is_number(&self) -> bool {
        std::str::from_utf8(self.text).is_ok_and(|text| text.parse::<f64>().is_ok())
    }

    /// A whole number, or the fault of this word.
    pub(crate) fn integer(&self) -> Result<i64, Fault> {
        let parsed = std::str::from_utf8(self.text).ok().and_then(|text| text.parse::<i64>().ok());
        parsed.ok_or_else(|| self.fault(format!("'{}' is not a whole number", self.shown())))
    }
}

/// A line of a text file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a [u8],
    /// From 1.
    pub(crate) number: u32,
}

impl<'a> Line<'a> {
    /// Words between blanks.
    pub(crate) fn words(self) -> impl Iterator<Item = Word<'a>> {
        self.text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(move |text| Word {
            text,
            line_text: self.text,
            line: self.number,
        })
    }

    /// The whole line as one word, for faults of the line.
    pub(crate) fn whole(self) -> Word<'a> {
        Word { text: self.text.trim_ascii(), line_text: self.text, line: self.number }
    }
}

/// Lines of a text, without their ends (`\n`, `\r\n` or `\r`).
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut rest = Some(text);
    let mut number = 0;
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.iter().position(|&c| c == b'\n' || c == b'\r');
        let (line, after) = match end {
            None => (text, None),
            Some(end) => {
                let skip = if text[end..].starts_with(b"\r\n") { 2 } else { 1 };
                (&text[..end], Some(&text[end + skip..]))
            }
        };
        rest = after;
        number += 1;
        Some(Line { text: line, number })
    })
}

/// Watches whether rows of numbers, which may stand on any lines, keep apart there.
///
/// Several rows on one line and one row on several lines are fine. A row that goes on in another line and begins or ends
/// within a line is torn: this is what follows from a number that is missing or too many, however the counts come out.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    begins_inside: bool,
    goes_on: bool,
    pub(crate) torn: bool,
}

impl Rows {
    /// The next word, which may begin a row and a line.
    pub(crate) fn next(&mut self, begins_row: bool, begins_line: bool) {
        if begins_row {
            self.torn |= !begins_line && self.goes_on;
            (self.begins_inside, self.goes_on) = (!begins_line, false);
        } else if begins_line {
            self.torn |= self.begins_inside;
            self.goes_on = true;
        }
    }
}

/// The text without a byte-order mark, and as UTF-8 if it was UTF-16 with one. Other encodings pass as they are: the
/// readers look at ASCII only, and names are nobody's business.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, [u8]> {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        Cow::Owned(String::from_utf16_lossy(&units).into_bytes())
    };
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => Cow::Borrowed(rest),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => Cow::Borrowed(bytes),
    }
}

/// The place of `length` bytes at `offset` of a line.
pub(crate) fn place_in_line(line_text: &[u8], line: u32, offset: usize, length: usize) -> Place {
    /// Characters quoted before and after the fault.
    const AROUND: usize = 100;
    /// Bytes before the fault that are looked at: a file may be one long line full of faults, and each must cost a
    /// bounded time. Farther out, columns count bytes.
    const LOOKED_AT: usize = 1024;
    let chars = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let offset = offset.min(line_text.len());
    let end = (offset + length.min(AROUND * 4)).min(line_text.len());
    let unseen = offset.saturating_sub(LOOKED_AT);
    let before: Vec<char> = String::from_utf8_lossy(&line_text[unseen..offset]).chars().collect();
    let skipped = before.len().saturating_sub(AROUND);
    let mut quote = String::from(if unseen + skipped > 0 { "…" } else { "" });
    quote.extend(before[skipped..].iter().copied().map(printable));
    let mark = quote.chars().count();
    quote += &shortened(&line_text[offset..], AROUND);
    Place::Line {
        line,
        column: (unseen + before.len()) as u32 + 1,
        length: chars(&line_text[offset..end]).clamp(1, AROUND) as u32,
        quote,
        mark: mark as u32,
    }
}

/// At most `most` characters of a text, printable, with an ellipsis where it goes on.
pub(crate) fn shortened(text: &[u8], most: usize) -> String {
    let head = &text[..text.len().min(most * 4)];
    let text_head = String::from_utf8_lossy(head);
    let mut shown: String =
        text_head.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text_head.chars().count() > most || head.len() < text.len() {
        shown.push('…');
    }
    shown
}
