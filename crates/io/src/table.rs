//! Tables of numbers: separated by commas or blanks, with or without a header.

use crate::fault::{Fault, Faults, ReadError};
use crate::load::bytes_of;
use crate::text::{self, Line, Word};
use std::path::Path;

/// What a table of numbers looks like, whatever it means.
#[derive(Clone, Debug, PartialEq)]
pub struct TableFacts {
    /// Rows, a header not counted.
    pub rows: usize,
    /// Names of the columns, if there is a header.
    pub names: Option<Vec<String>>,
    /// The least and the largest number of each column.
    pub ranges: Vec<[f64; 2]>,
}

/// Looks at a file of numbers that is separated by commas or blanks.
///
/// # Errors
/// Every row that does not fit the first, and every word that is no number.
pub fn look_at(path: &Path) -> Result<TableFacts, ReadError> {
    let fail = |faults| ReadError { path: path.to_owned(), faults };
    let bytes = bytes_of(path).map_err(|what| fail(vec![Fault::of_file(what)]))?;
    let text = text::decoded(&bytes);
    let table = Table::read(&text).map_err(fail)?;
    if table.lines.is_empty() {
        return Err(fail(vec![Fault::of_file("there are no numbers in this file")]));
    }
    let mut ranges = vec![[f64::INFINITY, f64::NEG_INFINITY]; table.columns];
    for (row, _) in table.rows() {
        for (range, &number) in ranges.iter_mut().zip(row) {
            *range = [range[0].min(number), range[1].max(number)];
        }
    }
    let names = table.header.as_ref().map(|header| header.names.iter().map(Word::shown).collect());
    Ok(TableFacts { rows: table.lines.len(), names, ranges })
}

/// A table in which every row has the same number of finite numbers.
pub(crate) struct Table<'a> {
    pub(crate) header: Option<Header<'a>>,
    pub(crate) columns: usize,
    /// Row after row.
    pub(crate) numbers: Vec<f64>,
    /// Whether the first row ends with a comma: a column may be missing there.
    pub(crate) ends_empty: bool,
    /// The line of each row, for faults.
    pub(crate) lines: Vec<Line<'a>>,
}

/// The names of the columns.
pub(crate) struct Header<'a> {
    pub(crate) names: Vec<Word<'a>>,
}

impl<'a> Table<'a> {
    /// Reads a table; `#` begins a comment. The first line is a header if not one of its words is a number.
    pub(crate) fn read(text: &'a [u8]) -> Result<Self, Vec<Fault>> {
        let mut table =
            Self { header: None, columns: 0, numbers: Vec::new(), ends_empty: false, lines: Vec::new() };
        let mut faults = Faults::default();
        let mut words = Vec::new();
        for line in text::lines(text) {
            if let Err(fault) = split(line, &mut words) {
                faults.push(fault);
                continue;
            }
            let Some(first) = words.first() else { continue };
            if table.columns == 0 {
                table.columns = words.len();
                table.ends_empty = has_empty_end(line);
                if words.iter().all(|word| word.number().is_err() && !is_number(word)) {
                    table.header = Some(Header { names: words.clone() });
                    continue;
                }
            }
            if words.len() != table.columns {
                let found = words.len();
                if found + 1 == table.columns && has_empty_end(line) {
                    let end = words.last().unwrap_or(first);
                    faults.push(Fault {
                        place: end.place(),
                        what: "the last cell is empty: nothing stands behind the last comma".into(),
                        help: None,
                    });
                    continue;
                }
                if found == table.columns + 1 && table.ends_empty && table.lines.is_empty() {
                    let what = "the first row ends with a comma, and this row has one column more: a name or number is missing there";
                    faults.push(Fault { place: first.place(), what: what.into(), help: None });
                    continue;
                }
                let what = format!("this row has {found} columns, the first has {}", table.columns);
                faults.push(Fault { place: first.place(), what, help: None });
                continue;
            }
            for word in &words {
                match word.number() {
                    Ok(number) => table.numbers.push(number),
                    Err(fault) => faults.push(fault),
                }
            }
            table.lines.push(line);
        }
        faults.into_result()?;
        Ok(table)
    }

    /// All rows with their lines.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&[f64], Line<'a>)> {
        self.numbers.chunks_exact(self.columns.max(1)).zip(self.lines.iter().copied())
    }
}

/// Whether it is a number, finite or not: "nan" is a bad number rather than the name of a column.
fn is_number(word: &Word) -> bool {
    std::str::from_utf8(word.text).is_ok_and(|text| text.parse::<f64>().is_ok())
}

/// Whether a row ends with a comma, behind which nothing stands.
fn has_empty_end(line: Line<'_>) -> bool {
    let content = line.text.split(|&c| c == b'#').next().unwrap_or_default();
    content.trim_ascii_end().ends_with(b",")
}

/// The words of a line before a comment. Between two commas there must be one.
fn split<'a>(line: Line<'a>, words: &mut Vec<Word<'a>>) -> Result<(), Fault> {
    words.clear();
    let comment = line.text.iter().position(|&c| c == b'#');
    let content = &line.text[..comment.unwrap_or(line.text.len())];
    let word = |text: &'a [u8]| Word { text, line_text: line.text, line: line.number };
    if !content.contains(&b',') {
        words.extend(content.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).map(word));
        return Ok(());
    }
    // A comma at the end of a row begins no column: spreadsheets write one. That every row has as many as the first is asked later.
    let content = content.trim_ascii_end();
    let content = content.strip_suffix(b",").unwrap_or(content);
    for field in content.split(|&c| c == b',') {
        let trimmed = field.trim_ascii();
        if trimmed.is_empty() {
            return Err(word(field).fault("nothing stands between two commas"));
        }
        words.extend(trimmed.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).map(word));
    }
    Ok(())
}
